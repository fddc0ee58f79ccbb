/* Loop and Scan with one body in the graph (graph/loops.h): where the trip count or the condition is data, or there are too many
 * iterations to write each down. */
#include "../graph/loops.h"

#include "control.h"
#include "dependent_rows.h"

enum {
    UNROLLED_MAX = 1000
}; /* nodes of ONNX; with fewer, constants fold in each copy of the body */

static int64_t count_nodes(const Onnx__GraphProto *graph)
{
    int64_t n = (int64_t)graph->n_node;
    for (size_t i = 0; i < graph->n_node; i++)
        for (size_t k = 0; k < graph->node[i]->n_attribute; k++)
            if (graph->node[i]->attribute[k]->g)
                n += count_nodes(graph->node[i]->attribute[k]->g);
    return n;
}

bool is_long_loop(const Onnx__GraphProto *body, int64_t trips)
{
    return trips > UNROLLED_MAX / (count_nodes(body) + 1);
}

/* How what is not known could be. */
static const char *how_it_runs(OnnxNode *c, const Scanned *s)
{
    for (uint32_t k = 0; k < 2 && !s; k++)
        if (has_in(c, k) && !value_at(c->g, c->in[k].value)->data)
            return arena_printf(c->arena,
                                ", and how often it runs is not known at compile time; %s",
                                how_to_know(c, c->in[k].value));
    return "";
}

static ValueId no_limit(OnnxNode *c)
{
    return const_integer(c, DT_I64, INT64_MAX);
}

/* In a branch of an If that is not taken it does not run: what it would compute with may be anything. */
static ValueId starts(OnnxNode *c, ValueId condition)
{
    for (const Branch *b = c->im->branch; b; b = b->outer) {
        const ValueId taken = b->when ? b->condition : emit(c, OP_Not, IN(b->condition), NULL);
        condition = emit(c, OP_And, IN(condition, taken), NULL);
    }
    return condition;
}

static bool add_begin(OnnxNode *c, const Body *b, const Item *states, const Scanned *s,
                      ValueId *begin)
{
    const size_t n = LOOP_CARRIED + b->n_state;
    ValueId *in = ARENA_ARRAY(c->arena, ValueId, n);
    in[0] = s              ? const_integer(c, DT_I64, s->length)
            : has_in(c, 0) ? control_scalar(c, in_at(c, 0))
                           : no_limit(c);
    in[1] = s || !has_in(c, 1) ? const_integer(c, DT_BOOL, 1) : control_scalar(c, in_at(c, 1));
    if (ok(c) && (type_of(c->g, in[0])->dtype != DT_I64 || type_of(c->g, in[1])->dtype != DT_BOOL))
        return refuse_onnx(c, "its trip count must be of type i64, its condition a bool");
    in[1] = starts(c, in[1]);
    for (size_t k = 0; k < b->n_state && ok(c); k++) {
        if (states[k].kind != ITEM_VALUE)
            return refuse_onnx(c, "it carries a sequence or an optional%s", how_it_runs(c, s));
        in[LOOP_CARRIED + k] = states[k].value;
    }
    return emit_all(c, (uint32_t)n, OP_LoopBegin, in, n, NULL, begin);
}

/* The slice of this iteration. */
static ValueId scanned_slice(OnnxNode *c, const Scanned *s, size_t k, ValueId v, ValueId iteration)
{
    const int axis = fix_axis(c, s->in_axes[k], type_of(c->g, v)->rank);
    if (s->in_reverse[k])
        iteration = sub(c, const_integer(c, DT_I64, s->length - 1), iteration);
    return emit(c, OP_Gather, IN(v, iteration), ATTRS(ATTR_I("axis", axis)));
}

/* The most iterations that there can be, as is known or, where that is data, as --max-trips says; INT64_MAX: any number. *said: a run has to
 * look. */
static int64_t most_iterations(OnnxNode *c, ValueId trips, bool *said)
{
    Number n = {.most = INT64_MAX};
    const int64_t given = c->im->options->max_trips,
                  most = number_at(c, trips, 0, &n) ? n.most : INT64_MAX;
    *said = given && given < most && (has_value(n.value) || most == INT64_MAX);
    return *said ? given : most > 0 ? most : 1;
}

static bool import_body(OnnxNode *c, const Body *b, const Scanned *s, const ValueId *begin,
                        Item *out)
{
    const size_t first = s ? 0 : 2;
    Item *in = ARENA_ARRAY(c->arena, Item, 2 + b->n_state + (s ? s->n_in : 0));
    const Branch *branch = c->im->branch;
    bool said;
    const int64_t most = most_iterations(c, def_of(c->g, begin[LOOP_GOING_ON])->in[0], &said);
    if (most < INT64_MAX)
        set_bound(c->im, begin[LOOP_ITERATION], most - 1);
    if (!s) {
        in[0].value = iteration_input(c, b->graph, begin[LOOP_ITERATION]);
        in[1].value = const_integer(c, DT_BOOL, 1);
    }
    for (size_t k = 0; k < b->n_state; k++)
        in[first + k].value = begin[LOOP_CARRIED + k];
    for (size_t k = 0; s && k < s->n_in; k++)
        in[b->n_state + k].value = scanned_slice(c, s, k, s->values[k], begin[LOOP_ITERATION]);
    for (size_t k = 0; k < b->graph->n_input; k++)
        in[k].kind = ITEM_VALUE;
    c->im->branch = NULL;
    const bool done = ok(c) && onnx_subgraph(c, b->graph, in, b->graph->n_input, out);
    c->im->branch = branch;
    return done;
}

/* How many rows the results of its iterations have, 0 if none has any and a run does not look. */
static int64_t capacity_of(OnnxNode *c, ValueId trips, const Scanned *s, bool has_rows)
{
    bool said;
    const int64_t most = most_iterations(c, trips, &said);
    if (has_rows && most == INT64_MAX)
        refuse_onnx(c,
                    "its results have a row for each iteration, of which there may be any number: "
                    "--max-trips N says how many at most%s",
                    how_it_runs(c, s));
    return has_rows || said ? most : 0;
}

/* What is carried and what the iterations leave, as operands of the LoopEnd from LOOP_NEXT on. */
static bool add_results(OnnxNode *c, const Body *b, const Scanned *s, const ValueId *begin,
                        const Item *out, ValueId *in, size_t *n_rows)
{
    size_t n = LOOP_NEXT;
    *n_rows = 0;
    for (size_t k = 0; k < b->n_state + b->n_scan; k++) {
        const bool carried = k < b->n_state;
        if (!carried && !wants(c, (uint32_t)k))
            continue;
        if (out[k].kind != ITEM_VALUE || has_dependent_rows(c->im, out[k].value))
            return refuse_onnx(c, "output %zu of an iteration is %s%s", k,
                               out[k].kind != ITEM_VALUE ? "no tensor"
                                                         : "a number of rows that depends on data",
                               how_it_runs(c, s));
        const TensorType *t = type_of(c->g, out[k].value);
        if (carried && !type_equal(t, type_of(c->g, begin[LOOP_CARRIED + k])))
            return refuse_onnx(c, "what it carries as '%s' is %s at first and %s later%s",
                               b->graph->input[(s ? 0 : 2) + k]->name,
                               type_text(c->arena, type_of(c->g, begin[LOOP_CARRIED + k])),
                               type_text(c->arena, t), how_it_runs(c, s));
        in[n++] = out[k].value;
        *n_rows += !carried;
    }
    return true;
}

/* The rows in the order and along the axis that a Scan wants. */
static ValueId arrange(OnnxNode *c, const Scanned *s, size_t k, ValueId v)
{
    const TensorType t = value_type(c, v);
    int64_t starts[MAX_RANK] = {0}, steps[MAX_RANK];
    memcpy(steps, dims_of_1, sizeof steps);
    starts[0] = t.dims[0] - 1;
    steps[0] = -1;
    if (s->out_reverse[k])
        v = emit(c, OP_Slice, IN(v),
                 ATTRS(ATTR_IS("starts", starts, (size_t)t.rank),
                       ATTR_IS("steps", steps, (size_t)t.rank),
                       ATTR_IS("sizes", t.dims, (size_t)t.rank)));
    return move_dimension(c, v, 0, fix_axis(c, s->out_axes[k], t.rank));
}

static bool add_end(OnnxNode *c, const Body *b, const Scanned *s, const ValueId *begin,
                    const Item *out, ValueId condition)
{
    const Node *first = def_of(c->g, begin[LOOP_GOING_ON]);
    const ValueId trips = first->in[0];
    ValueId *in = ARENA_ARRAY(c->arena, ValueId, LOOP_NEXT + b->n_state + b->n_scan);
    size_t n_rows;
    in[LOOP_GOING_ON] = begin[LOOP_GOING_ON];
    in[LOOP_ITERATION] = begin[LOOP_ITERATION];
    in[LOOP_TRIPS] = trips;
    in[LOOP_CONDITION] = condition;
    if (!add_results(c, b, s, begin, out, in, &n_rows))
        return false;
    const int64_t rows = capacity_of(c, trips, s, n_rows > 0);
    const uint32_t n = (uint32_t)(LOOP_CARRIED + b->n_state + n_rows);
    ValueId *made = ARENA_ARRAY(c->arena, ValueId, n);
    if (failed(c) ||
        !emit_all(c, n, OP_LoopEnd, in, LOOP_NEXT + b->n_state + n_rows,
                  ATTRS(ATTR_I("capacity", rows), ATTR_I("carried", (int64_t)b->n_state)), made))
        return false;
    const GraphLoop loop = {.begin = value_at(c->g, begin[0])->def,
                            .end = value_at(c->g, made[0])->def};
    const bool all = loop_fills_rows(c->g, &loop);
    for (uint32_t k = 0, at = LOOP_CARRIED; k < c->n_out && ok(c); k++) {
        if (k >= b->n_state && !wants(c, k))
            continue;
        const ValueId v = made[at++];
        if (s)
            s->results[k] = k < b->n_state ? v : arrange(c, s, k - b->n_state, v);
        else if (k < b->n_state || all)
            alias(c, k, v);
        else
            finish_dependent_rows(c, k, v, (RowsList){{{0, made[LOOP_ITERATION]}}, 1});
    }
    return ok(c);
}

/* Nothing in it could end it. */
static bool is_endless(const OnnxNode *c, const ValueId *begin, ValueId condition)
{
    const void *trips = value_at(c->g, def_of(c->g, begin[0])->in[0])->data,
               *goes_on = value_at(c->g, condition)->data;
    return trips && *(const int64_t *)trips == INT64_MAX && goes_on && *(const uint8_t *)goes_on;
}

bool loop_with_body(OnnxNode *c, const Body *b, const Item *states, const Scanned *s)
{
    ValueId *begin = ARENA_ARRAY(c->arena, ValueId, LOOP_CARRIED + b->n_state);
    Item *out = ARENA_ARRAY(c->arena, Item, b->graph->n_output + 1);
    if (!add_begin(c, b, states, s, begin) || !import_body(c, b, s, begin, out))
        return false;
    const ValueId condition =
        s ? const_integer(c, DT_BOOL, 1)
          : control_scalar(c, out[0].kind == ITEM_VALUE ? out[0].value : NO_VALUE);
    if (failed(c) || type_of(c->g, condition)->dtype != DT_BOOL)
        return refuse_onnx(c, "its condition must be one bool");
    if (is_endless(c, begin, condition))
        return refuse_onnx(c, "never ends");
    return add_end(c, b, s, begin, s ? out : out + 1, condition);
}

bool try_loop_with_body(OnnxNode *c, const Body *b, const Item *states, const Scanned *s,
                        const char **why)
{
    const Import before = *c->im;
    if (loop_with_body(c, b, states, s))
        return true;
    *why = c->g->diag->message;
    c->g->diag->message = NULL;
    c->im->depth = before.depth;
    c->im->branch = before.branch;
    c->im->takes_strings = before.takes_strings;
    return false;
}
