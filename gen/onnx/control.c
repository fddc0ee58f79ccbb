/* If, Loop and Scan: decided and unrolled while importing. A branch whose condition is unknown is computed both
 * ways and selected from; what cannot be unrolled, or should not, is left to loops.c. */
#include "control.h"
#include "table.h"

static Item value_item(ValueId v)
{
    return (Item){.kind = ITEM_VALUE, .value = v};
}

static bool one_branch(OnnxNode *c, const Onnx__GraphProto *branch, Item *out)
{
    if (!branch || branch->n_output != c->n_out)
        return refuse_onnx(c, "a branch has %zu outputs, the node %u", branch->n_output, c->n_out);
    return onnx_subgraph(c, branch, NULL, 0, out);
}

/* A branch that would never be taken may not even have valid shapes: the message says what can be done about it. */
static bool either_branch(OnnxNode *c, bool when, const Onnx__GraphProto *branch, Item *out)
{
    Diag *diag = c->g->diag;
    const char *which = when ? "then" : "else";
    const Branch taken = {control_scalar(c, in_at(c, 0)), when, c->im->branch};
    c->im->branch = &taken;
    const bool done = one_branch(c, branch, out);
    c->im->branch = taken.outer;
    if (done)
        return true;
    if (diag->message)
        diag->message =
            arena_printf(diag->arena,
                         "%s; this is in the %s branch of the If '%s', whose condition "
                         "is not known at compile time; %s",
                         diag->message, which, c->p->name, how_to_know(c, c->in[0].value));
    return false;
}

ValueId control_scalar(OnnxNode *c, ValueId v)
{
    if (ok(c) && (!has_value(v) || type_count(type_of(c->g, v)) != 1))
        return refuse_value(c, "its trip count or condition is not one number");
    return reshape(c, v, 0, NULL);
}

bool norm_if(OnnxNode *c)
{
    const Onnx__GraphProto *then_graph = get_graph(c, "then_branch");
    const Onnx__GraphProto *else_graph = get_graph(c, "else_branch");
    if (failed(c) || type_in(c, 0)->dtype != DT_BOOL || type_count(type_in(c, 0)) != 1)
        return refuse_onnx(c, "its condition must be one bool");
    if (known(c, 0))
        return one_branch(c, known_int(c, 0, "cond") ? then_graph : else_graph, c->out);
    Item *then_out = ARENA_ARRAY(c->arena, Item, c->n_out + 1);
    Item *else_out = ARENA_ARRAY(c->arena, Item, c->n_out + 1);
    if (!either_branch(c, true, then_graph, then_out) ||
        !either_branch(c, false, else_graph, else_out))
        return false;
    ValueId cond = control_scalar(c, in_at(c, 0));
    for (uint32_t k = 0; k < c->n_out && ok(c); k++) {
        if (!wants(c, k))
            continue;
        if (then_out[k].kind != ITEM_VALUE || else_out[k].kind != ITEM_VALUE ||
            !type_equal(type_of(c->g, then_out[k].value), type_of(c->g, else_out[k].value)))
            return refuse_onnx(c,
                               "its branches give output %u different types, and its condition is "
                               "not known at compile time; %s",
                               k, how_to_know(c, c->in[0].value));
        if (same_value(then_out[k].value, else_out[k].value))
            alias(c, k, then_out[k].value);
        else
            finish(c, k, OP_Where, IN(cond, then_out[k].value, else_out[k].value), NULL);
    }
    return ok(c);
}

static void push(OnnxNode *c, Stack *s, ValueId v)
{
    ARENA_PUSH(c->arena, s->v, s->n, s->cap, v);
}

/* Output k: the iterations' values along a new axis. */
static bool finish_stack(OnnxNode *c, uint32_t k, Stack *s, int64_t axis, bool reverse)
{
    if (!wants(c, k) || failed(c))
        return ok(c);
    int at = fix_axis(c, axis, type_of(c->g, s->v[0])->rank + 1);
    ValueId *parts = ARENA_ARRAY(c->arena, ValueId, s->n);
    for (size_t i = 0; i < s->n; i++)
        parts[reverse ? s->n - 1 - i : i] = unsqueeze(c, s->v[i], at);
    if (s->n == 1)
        return alias(c, k, parts[0]);
    return finish(c, k, OP_Concat, parts, s->n, ATTRS(ATTR_I("axis", at)));
}

/* The value of an iteration that never ran, for its type. */
static bool finish_empty(OnnxNode *c, uint32_t k, ValueId like, int64_t axis)
{
    if (!wants(c, k) || failed(c))
        return ok(c);
    TensorType t = *type_of(c->g, like);
    int at = fix_axis(c, axis, t.rank + 1);
    if (t.rank == MAX_RANK)
        return refuse_onnx(c, "its output has too many dimensions");
    memmove(t.dims + at + 1, t.dims + at, (size_t)(t.rank - at) * sizeof *t.dims);
    t.dims[at] = 0;
    t.rank++;
    return alias(c, k, emit_const(c, t, arena_alloc(c->arena, 1)));
}

/* What an iteration scans out: the body's outputs from `first` on. */
static bool push_scanned(OnnxNode *c, Body *b, size_t first)
{
    for (size_t k = 0; k < b->n_scan; k++) {
        if (b->out[first + k].kind != ITEM_VALUE)
            return refuse_onnx(c, "a stacked output is not a tensor");
        push(c, &b->stacks[k], b->out[first + k].value);
    }
    return true;
}

/* Whether another iteration follows; false if that is data. */
static bool is_true(OnnxNode *c, const Item *item, bool *value)
{
    const Value *v = item->kind == ITEM_VALUE ? value_at(c->g, item->value) : NULL;
    if (!v || type_count(&v->type) != 1 || v->type.dtype != DT_BOOL)
        return refuse_onnx(c, "its condition must be one bool");
    *value = v->data && elem_i64(DT_BOOL, v->data, 0) != 0;
    return v->data != NULL;
}

ValueId iteration_input(OnnxNode *c, const Onnx__GraphProto *body, ValueId scalar)
{
    PortKind kind;
    const Onnx__TypeProto__Tensor *tensor = onnx_port_type(body->input[0], &kind);
    const bool is_scalar = !tensor || !tensor->shape || tensor->shape->n_dim != 1;
    return is_scalar ? scalar : reshape(c, scalar, 1, dims_of_1);
}

static bool loop_iteration(OnnxNode *c, Body *b, int64_t i, bool *go_on)
{
    b->in[0] = value_item(iteration_input(c, b->graph, const_integer(c, DT_I64, i)));
    if (!onnx_subgraph(c, b->graph, b->in, 2 + b->n_state, b->out))
        return false;
    if (c->im->nodes_left-- <= 0) /* a body may be empty */
        return refuse_onnx(c, "it runs too often to be unrolled");
    b->in[1] = b->out[0];
    for (size_t k = 0; k < b->n_state; k++)
        b->in[2 + k] = b->out[1 + k];
    b->unknown = push_scanned(c, b, 1 + b->n_state) && !is_true(c, &b->in[1], go_on) && ok(c);
    return ok(c) && !b->unknown;
}

static bool begin_loop(OnnxNode *c, Body *b)
{
    if (c->n_in < 2 && !has_in(c, 0))
        return refuse_onnx(c, "has neither a trip count nor a condition");
    b->graph = get_graph(c, "body");
    if (!b->graph)
        return false;
    b->n_state = c->n_in > 2 ? c->n_in - 2 : 0;
    if (b->graph->n_output < 1 + b->n_state || b->graph->n_input != 2 + b->n_state ||
        c->n_out + 1 > b->graph->n_output)
        return refuse_onnx(c, "its body has %zu inputs and %zu outputs", b->graph->n_input,
                           b->graph->n_output);
    b->n_scan = b->graph->n_output - 1 - b->n_state;
    b->in = ARENA_ARRAY(c->arena, Item, 2 + b->n_state);
    b->out = ARENA_ARRAY(c->arena, Item, b->graph->n_output);
    b->stacks = ARENA_ARRAY(c->arena, Stack, b->n_scan + 1);
    b->in[1] = value_item(const_integer(c, DT_BOOL, 1));
    for (size_t k = 0; k < b->n_state; k++)
        b->in[2 + k] = c->in[2 + k];
    return ok(c);
}

static bool run_loop(OnnxNode *c, Body *b, int64_t trips, bool go_on)
{
    int64_t done = 0;
    while (done < trips && go_on)
        if (!loop_iteration(c, b, done++, &go_on))
            return false;
    for (size_t k = 0; k < b->n_state && k < c->n_out; k++)
        c->out[k] = b->in[2 + k];
    bool ignored;
    if (done == 0 && b->n_scan && !loop_iteration(c, b, 0, &ignored)) /* for the types */
        return false;
    for (size_t k = 0; k < b->n_scan; k++) {
        uint32_t out = (uint32_t)(b->n_state + k);
        if (!(done ? finish_stack(c, out, &b->stacks[k], 0, false)
                   : finish_empty(c, out, b->stacks[k].v[0], 0)))
            return false;
    }
    return ok(c);
}

/* Whether it is known how often it runs before the body is looked at. */
static bool has_known_start(OnnxNode *c, int64_t *trips, bool *go_on)
{
    *trips = INT64_MAX;
    *go_on = true;
    if (has_in(c, 0) && has_value(in_at(c, 0)) && !known(c, 0))
        return false;
    if (has_in(c, 0))
        *trips = known_int(c, 0, "trip count");
    return (!has_in(c, 1) || is_true(c, &c->in[1], go_on)) && ok(c);
}

/* Unrolled, while nothing that it needs to know is data. */
static bool unroll_loop(OnnxNode *c, Body *b, int64_t trips, bool go_on)
{
    const bool outer = c->im->in_loop;
    c->im->in_loop = true;
    const bool done = run_loop(c, b, trips, go_on);
    c->im->in_loop = outer;
    return done;
}

/* Neither way goes. */
static bool refuse_both(OnnxNode *c, const char *why)
{
    Diag *diag = c->g->diag;
    if (why && diag->message)
        diag->message =
            arena_printf(diag->arena, "%s; nor can it be left as a loop: %s", diag->message, why);
    return false;
}

bool norm_loop(OnnxNode *c)
{
    Body b = {0};
    int64_t trips;
    bool go_on;
    const char *why = NULL;
    if (!begin_loop(c, &b))
        return false;
    const bool is_known = has_known_start(c, &trips, &go_on);
    if (failed(c))
        return false;
    if (!is_known)
        return loop_with_body(c, &b, c->in + 2, NULL);
    if (go_on && is_long_loop(b.graph, trips) && try_loop_with_body(c, &b, c->in + 2, NULL, &why))
        return true;
    if (unroll_loop(c, &b, trips, go_on))
        return true;
    return b.unknown && !why ? loop_with_body(c, &b, c->in + 2, NULL) : refuse_both(c, why);
}

static bool scan_list(OnnxNode *c, const char *name, size_t n, const int64_t **list)
{
    size_t given;
    *list = get_ints(c, name, &given);
    if (*list && given != n)
        return refuse_onnx(c, "%s has %zu numbers, %zu are needed", name, given, n);
    if (!*list)
        *list = ARENA_ARRAY(c->arena, int64_t, n + 1);
    return ok(c);
}

static bool scan_length(OnnxNode *c, const Body *b, Scanned *s)
{
    s->length = -1;
    for (size_t k = 0; k < s->n_in; k++) {
        uint32_t at = s->from + (uint32_t)(b->n_state + k);
        if (!has_in(c, at) || !has_value(in_at(c, at)))
            return refuse_onnx(c, "input %u is missing", at);
        int axis = fix_axis(c, s->in_axes[k], type_in(c, at)->rank);
        if (failed(c) || (k && type_in(c, at)->dims[axis] != s->length))
            return refuse_onnx(c, "its scanned inputs differ in length");
        s->length = type_in(c, at)->dims[axis];
    }
    return s->length > 0 || refuse_onnx(c, "has nothing to scan");
}

static bool begin_scan(OnnxNode *c, Body *b, Scanned *s)
{
    bool old = c->opset < 9;
    b->graph = get_graph(c, "body");
    int64_t n = get_int(c, "num_scan_inputs", 0);
    s->from = old ? 1 : 0; /* opset 8 has the sequences' lengths first */
    if (old && has_in(c, 0))
        return refuse_onnx(c, "sequence_lens is not supported");
    if (failed(c) || n < 1 || s->from + n > c->n_in || b->graph->n_input != c->n_in - s->from)
        return refuse_onnx(c, "its inputs do not fit its body");
    s->n_in = (size_t)n;
    b->n_state = c->n_in - s->from - s->n_in;
    if (b->graph->n_output < b->n_state || c->n_out > b->graph->n_output)
        return refuse_onnx(c, "its outputs do not fit its body");
    b->n_scan = b->graph->n_output - b->n_state;
    b->in = ARENA_ARRAY(c->arena, Item, c->n_in);
    b->out = ARENA_ARRAY(c->arena, Item, b->graph->n_output + 1);
    b->stacks = ARENA_ARRAY(c->arena, Stack, b->n_scan + 1);
    s->results = ARENA_ARRAY(c->arena, ValueId, b->graph->n_output + 1);
    return scan_list(c, old ? "" : "scan_input_axes", s->n_in, &s->in_axes) &&
           scan_list(c, old ? "directions" : "scan_input_directions", s->n_in, &s->in_reverse) &&
           scan_list(c, old ? "" : "scan_output_axes", b->n_scan, &s->out_axes) &&
           scan_list(c, old ? "" : "scan_output_directions", b->n_scan, &s->out_reverse);
}

/* One pass over the scanned values; b->in holds the states first and last. */
static bool run_scan(OnnxNode *c, Body *b, const Scanned *s)
{
    for (int64_t i = 0; i < s->length; i++) {
        for (size_t k = 0; k < s->n_in; k++) {
            int axis = fix_axis(c, s->in_axes[k], type_of(c->g, s->values[k])->rank);
            int64_t at = s->in_reverse[k] ? s->length - 1 - i : i;
            b->in[b->n_state + k] =
                value_item(squeeze(c, slice_axis(c, s->values[k], axis, at, 1), axis));
        }
        if (failed(c) || !onnx_subgraph(c, b->graph, b->in, b->n_state + s->n_in, b->out))
            return false;
        if (c->im->nodes_left-- <= 0)
            return refuse_onnx(c, "it runs too often to be unrolled");
        for (size_t k = 0; k < b->n_state; k++)
            b->in[k] = b->out[k];
        if (!push_scanned(c, b, b->n_state))
            return false;
    }
    return ok(c);
}

static bool scan_once(OnnxNode *c, Body *b, Scanned *s)
{
    ValueId *scanned = ARENA_ARRAY(c->arena, ValueId, s->n_in);
    const char *why = NULL;
    if (!scan_length(c, b, s))
        return false;
    for (size_t k = 0; k < s->n_in; k++)
        scanned[k] = in_at(c, s->from + (uint32_t)(b->n_state + k));
    s->values = scanned;
    if (is_long_loop(b->graph, s->length) && try_loop_with_body(c, b, c->in + s->from, s, &why)) {
        for (uint32_t k = 0; k < c->n_out && ok(c); k++)
            if (k < b->n_state || wants(c, k))
                alias(c, k, s->results[k]);
        return ok(c);
    }
    for (size_t k = 0; k < b->n_state; k++)
        b->in[k] = c->in[s->from + k];
    if (!run_scan(c, b, s))
        return refuse_both(c, why);
    for (size_t k = 0; k < b->n_state && k < c->n_out; k++)
        c->out[k] = b->in[k];
    for (size_t k = 0; k < b->n_scan; k++)
        if (!finish_stack(c, (uint32_t)(b->n_state + k), &b->stacks[k], s->out_axes[k],
                          s->out_reverse[k] != 0))
            return false;
    return true;
}

/* The values of one stack of iterations, along a new axis 0. */
static ValueId stack_up(OnnxNode *c, const Stack *s)
{
    ValueId *parts = ARENA_ARRAY(c->arena, ValueId, s->n + 1);
    for (size_t i = 0; i < s->n; i++)
        parts[i] = unsqueeze(c, s->v[i], 0);
    return s->n == 1 ? parts[0] : emit(c, OP_Concat, parts, s->n, ATTRS(ATTR_I("axis", 0)));
}

/* Opset 8: every input has a batch dimension before all others, and each element of the batch is scanned alone. */
static bool scan_batches(OnnxNode *c, Body *b, Scanned *s)
{
    int64_t batch = has_in(c, 1) && has_value(in_at(c, 1)) ? type_in(c, 1)->dims[0] : 0;
    size_t n = b->n_state + s->n_in;
    Stack *outs = ARENA_ARRAY(c->arena, Stack, b->graph->n_output + 1);
    ValueId *parts = ARENA_ARRAY(c->arena, ValueId, n);
    for (size_t k = 0; k < n; k++)
        if (!has_in(c, 1 + (uint32_t)k) || !has_value(in_at(c, 1 + (uint32_t)k)) ||
            type_in(c, 1 + (uint32_t)k)->rank < (k < b->n_state ? 1 : 2) ||
            type_in(c, 1 + (uint32_t)k)->dims[0] != batch || batch < 1 ||
            (k >= b->n_state &&
             type_in(c, 1 + (uint32_t)k)->dims[1] != type_in(c, c->n_in - 1)->dims[1]))
            return refuse_onnx(c, "its inputs do not fit together");
    const char *why = NULL;
    s->length = type_in(c, c->n_in - 1)->dims[1];
    s->values = parts + b->n_state;
    for (int64_t i = 0; i < batch; i++) {
        for (size_t k = 0; k < n && ok(c); k++)
            parts[k] = squeeze(c, slice_axis(c, in_at(c, 1 + (uint32_t)k), 0, i, 1), 0);
        for (size_t k = 0; k < b->n_state; k++)
            b->in[k] = value_item(parts[k]);
        memset(b->stacks, 0, b->n_scan * sizeof *b->stacks);
        if (s->length < 1 || failed(c))
            return refuse_onnx(c, "has nothing to scan");
        const bool loops = !why && is_long_loop(b->graph, s->length * batch) &&
                           try_loop_with_body(c, b, b->in, s, &why);
        if (!loops && !run_scan(c, b, s))
            return refuse_both(c, why);
        for (size_t k = 0; k < b->graph->n_output; k++)
            push(c, &outs[k],
                 loops            ? s->results[k]
                 : k < b->n_state ? b->in[k].value
                                  : stack_up(c, &b->stacks[k - b->n_state]));
    }
    for (uint32_t k = 0; k < c->n_out; k++)
        if (wants(c, k) && !finish_stack(c, k, &outs[k], 0, false))
            return false;
    return ok(c);
}

bool norm_scan(OnnxNode *c)
{
    Body b = {0};
    Scanned s = {0};
    bool outer = c->im->in_loop;
    if (!begin_scan(c, &b, &s))
        return false;
    c->im->in_loop = true;
    bool done = c->opset < 9 ? scan_batches(c, &b, &s) : scan_once(c, &b, &s);
    c->im->in_loop = outer;
    return done;
}
