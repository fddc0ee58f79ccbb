/* match-spelled: functions that a model spells out in smaller ops become one node (spelled.def).
 *
 * Needs nothing, kills all columns. Run it after fold-constant and simplify: those bring clips,
 * powers and scalars to one form. Nodes that a match has used are not used again in the same
 * round; the replacement is always a single op that no row matches alone (a mean over the plane,
 * which is one node, turns into a pooling), so that rounds end. */
#include "match.h"
#include "pass.h"
#include "pattern_table.h"
#include "util.h"

#include "../gen/ops.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { ROUNDS_MAX = 8, ATTRS_MAX = 3 };

typedef ValueId BuildFn(Graph *g, const Match *m, const Node *root);

/* --- builders --------------------------------------------------------------------------------- */

static bool float_root(const Graph *g, const Node *root)
{
    return dtype_is_float(type_of(g, root->out[0])->dtype);
}

static ValueId build_leaky_relu(Graph *g, const Match *m, const Node *root)
{
    double alpha = matched_number(m, "alpha");
    ValueId x = matched_value(m, "x");
    if (!(alpha >= 0 && alpha <= 1))
        return NO_VALUE;
    return graph_op(g, OP_LeakyRelu, root, &x, 1, (Attr[]){ATTR_F("alpha", alpha), ATTR_END});
}

/* The mean runs over the last axes and keeps them: the first of these; -1 otherwise. */
static int trailing_axis(const Graph *g, NodeId id)
{
    if (id.i == NO_NODE.i)
        return -1;
    const Node *n = node_at(g, id);
    size_t count;
    const int64_t *axes = attr_ints(n, "axes", &count);
    int rank = type_of(g, n->in[0])->rank;
    if (count == 0 || !attr_int(n, "keepdims", 1))
        return -1;
    for (size_t i = 0; i < count; i++)
        if (axes[i] != rank - (int64_t)count + (int64_t)i)
            return -1;
    return (int)axes[0];
}

static ValueId splat_const(Graph *g, const char *name, const TensorType *t, double v)
{
    size_t n = (size_t)type_count(t);
    double *data = ARENA_ARRAY(g->arena, double, n);
    for (size_t i = 0; i < n; i++)
        data[i] = v;
    return make_const(g, name, t->dtype, t->rank, t->dims, data);
}

/* A scale or bias as the normalisation wants it: exactly the normalised dimensions. */
static ValueId norm_operand(Graph *g, ValueId v, const TensorType *x, int axis, double absent)
{
    TensorType want = type_make(x->dtype, x->rank - axis, x->dims + axis);
    if (!has_value(v))
        return splat_const(g, absent == 1 ? "scale" : "bias", &want, absent);
    Value c = *value_at(g, v);
    double splat;
    if (type_count(&c.type) == 1 && splat_value(g, v, &splat))
        return splat_const(g, c.name, &want, splat);
    if (c.type.dtype != x->dtype || type_count(&c.type) != type_count(&want))
        return NO_VALUE;
    for (int i = 0; i < c.type.rank || i < want.rank; i++) {
        int64_t a = i < c.type.rank ? c.type.dims[c.type.rank - 1 - i] : 1;
        int64_t b = i < want.rank ? want.dims[want.rank - 1 - i] : 1;
        if (a != b)
            return NO_VALUE;
    }
    return graph_add_const(g, c.name, want, c.data);
}

static ValueId build_norm(Graph *g, const Match *m, const Node *root, Op op, int axis)
{
    ValueId in[3] = {matched_value(m, "x"), NO_VALUE, NO_VALUE};
    TensorType x = *type_of(g, in[0]);
    if (axis < 0 || !type_equal(&x, type_of(g, root->out[0])) || type_count(&x) == 0)
        return NO_VALUE;
    in[1] = norm_operand(g, matched_value(m, "scale"), &x, axis, 1);
    if (!has_value(in[1]))
        return NO_VALUE;
    uint32_t n_in = 2;
    if (has_value(matched_value(m, "bias"))) {
        in[2] = norm_operand(g, matched_value(m, "bias"), &x, axis, 0);
        if (!has_value(in[n_in++]))
            return NO_VALUE;
    }
    const Attr attrs[] = {ATTR_I("axis", axis), ATTR_F("epsilon", matched_number(m, "eps")),
                          ATTR_END};
    return graph_op(g, op, root, in, n_in, attrs);
}

static ValueId build_layer_norm(Graph *g, const Match *m, const Node *root)
{
    int axis = trailing_axis(g, matched_node(m, "mean"));
    if (axis != trailing_axis(g, matched_node(m, "square")))
        return NO_VALUE;
    return build_norm(g, m, root, OP_LayerNormalization, axis);
}

static ValueId build_rms_norm(Graph *g, const Match *m, const Node *root)
{
    return build_norm(g, m, root, OP_RMSNormalization, trailing_axis(g, matched_node(m, "square")));
}

/* The mean over all spatial dimensions of an image is what oneDNN's pooling is fast at. */
static ValueId build_global_average(Graph *g, const Match *m, const Node *root)
{
    static const int64_t zeros[2 * MAX_RANK];
    int64_t ones[MAX_RANK];
    ValueId x = matched_value(m, "x");
    TensorType t = *type_of(g, x), out = *type_of(g, root->out[0]);
    size_t count, spatial = (size_t)t.rank - 2;
    const int64_t *axes = attr_ints(root, "axes", &count);
    if (root->op != OP_ReduceMean || t.dtype != DT_F32 || t.rank < 3 || t.rank > 5 ||
        count != spatial || axes[0] != 2 || type_count(&t) == 0)
        return NO_VALUE;
    for (int i = 0; i < MAX_RANK; i++)
        ones[i] = 1;
    const Attr attrs[] = {ATTR_IS("kernel_shape", t.dims + 2, spatial),
                          ATTR_IS("strides", ones, spatial),
                          ATTR_IS("dilations", ones, spatial),
                          ATTR_IS("pads", zeros, 2 * spatial),
                          ATTR_IS("ceil_pads", zeros, spatial),
                          ATTR_I("count_include_pad", 0),
                          ATTR_END};
    ValueId y = graph_op(g, OP_AveragePool, root, &x, 1, attrs);
    if (!has_value(y) || same_shape(type_of(g, y), &out))
        return y;
    const Attr shape[] = {ATTR_IS("shape", out.dims, (size_t)out.rank), ATTR_END};
    return graph_op(g, OP_Reshape, root, &y, 1, shape);
}

static const struct Builder {
    const char *name;
    Op op;
    const char *needs;
    BuildFn *build;
} builders[] = {
    {"leaky_relu", OP_LeakyRelu, "alpha", build_leaky_relu},
    {"layer_norm", OP_LayerNormalization, "mean square eps", build_layer_norm},
    {"rms_norm", OP_RMSNormalization, "square eps", build_rms_norm},
    {"global_average", OP_AveragePool, "mean", build_global_average},
};

const char *spelled_builder(size_t k, Op *op, const char **needs)
{
    if (k >= COUNT_OF(builders))
        return NULL;
    *op = builders[k].op;
    *needs = builders[k].needs;
    return builders[k].name;
}

static const struct Builder *find_builder(const char *name)
{
    for (size_t k = 0; k < COUNT_OF(builders); k++)
        if (strcmp(builders[k].name, name) == 0)
            return &builders[k];
    bug("there is no builder '%s'", name);
}

/* name=number or name=#bound, separated by blanks. */
static void read_attrs(Graph *g, const char *text, const Match *m, Attr *attrs)
{
    uint32_t n = 0;
    for (text += strspn(text, " "); *text; text += strspn(text, " ")) {
        if (n == ATTRS_MAX)
            bug("too many attributes in spelled.def");
        size_t name = strcspn(text, "="), value = strcspn(text, " ") - name - 1;
        const char *v = arena_strndup(g->arena, text + name + 1, value);
        double number = *v == '#' ? matched_number(m, v + 1) : strtod(v, NULL);
        attrs[n++] = ATTR_F(arena_strndup(g->arena, text, name), number);
        text += name + 1 + value;
    }
    attrs[n] = ATTR_END;
}

static ValueId build(Graph *g, const SpelledRow *row, const Match *m, const Node *root)
{
    Attr attrs[ATTRS_MAX + 1];
    ValueId x = matched_value(m, "x");
    if (row->builder)
        return find_builder(row->builder)->build(g, m, root);
    if (!type_equal(type_of(g, x), type_of(g, root->out[0])))
        return NO_VALUE;
    read_attrs(g, row->attrs, m, attrs);
    return graph_op(g, row->op, root, &x, 1, attrs);
}

/* --- the pass --------------------------------------------------------------------------------- */

typedef struct Spelled {
    Graph *g;
    Arena *scratch;
    Rewrite rw;
    Uses uses;
    bool *used; /* by node */
    const PatternTable *table;
} Spelled;

static bool try_row(Spelled *s, const SpelledRow *row, const Node *root)
{
    Match m = {.g = s->g, .uses = &s->uses, .hole = NO_VALUE};
    if (!match_value(&m, row->pattern, root->out[0]))
        return false;
    for (uint32_t i = 0; i < m.n_nodes; i++)
        if (s->used[m.node[i].i])
            return false;
    ValueId to = build(s->g, row, &m, root);
    if (!has_value(to) || s->g->diag->message)
        return false;
    for (uint32_t i = 0; i < m.n_nodes; i++)
        s->used[m.node[i].i] = true;
    rewrite_replace(&s->rw, root->out[0], to);
    return true;
}

static uint32_t run_round(Graph *g, const PatternTable *table)
{
    Spelled s = {.g = g, .table = table, .scratch = arena_new(), .rw = rewrite_begin(g)};
    s.uses = graph_uses(g, s.scratch);
    s.used = ARENA_ARRAY(s.scratch, bool, g->n_nodes);
    uint32_t count = 0;
    for (uint32_t i = g->n_nodes; i-- > 0;) {
        Node root = g->nodes[i];
        if (s.used[i] || root.n_out != 1 || !has_value(root.out[0]) || !float_root(g, &root))
            continue;
        bool done = false;
        for (size_t row = 0; row < table->n_spelled && !done; row++)
            done = try_row(&s, &table->spelled[row], &root);
        count += done;
    }
    graph_apply(&s.rw);
    arena_free(s.scratch);
    return count;
}

bool pass_match_spelled(Graph *g, const PassOptions *options, const char **report)
{
    const PatternTable *table = options->patterns ? options->patterns : pattern_table_new(g->arena);
    uint32_t count = 0;
    for (int round = 0; round < ROUNDS_MAX && !g->diag->message; round++) {
        uint32_t n = run_round(g, table);
        count += n;
        if (!n)
            break;
    }
    *report = arena_printf(g->arena, "%u functions recognised", count);
    return !g->diag->message;
}
