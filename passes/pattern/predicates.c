/* Predicates of pattern wildcards. "Channel" is dimension 1 of a convolution's result and the
 * last one of a matrix product's: the pass says which, in the context. */
#include "../composite/composite.h"

#include "../common/util.h"

#include <string.h>

static bool is_f32(const Match *m, ValueId v)
{
    return type_of(m->g, v)->dtype == DT_F32;
}

/* oneDNN computes both in f32. */
static bool is_real(const Match *m, ValueId v)
{
    DType t = type_of(m->g, v)->dtype;
    return t == DT_F32 || t == DT_BF16;
}

static bool constant(const Match *m, ValueId v)
{
    return is_const(m->g, v);
}

static bool scalar(const Match *m, ValueId v)
{
    return type_count(type_of(m->g, v)) == 1;
}

#define RANK(n)                                                                                    \
    static bool rank##n(const Match *m, ValueId v)                                                 \
    {                                                                                              \
        return type_of(m->g, v)->rank == n;                                                        \
    }
RANK(3)
RANK(4)
RANK(5)

/* The shape and element type of the root. */
static bool full(const Match *m, ValueId v)
{
    return type_equal(type_of(m->g, v), type_of(m->g, m->root));
}

/* One number per channel: [C], [C,1,1], [1,C,1,1] as the broadcast wants it. */
static bool per_channel(const Match *m, ValueId v)
{
    const PatternContext *c = m->context;
    const TensorType *whole = type_of(m->g, m->root), *t = type_of(m->g, v);
    return c && varies_along(t, whole, c->channel) && type_count(t) == whole->dims[c->channel];
}

/* An operand that oneDNN's binary post-op broadcasts fast: one number, one per channel, or
 * everything. */
static bool post_operand(const Match *m, ValueId v)
{
    return is_real(m, v) && (scalar(m, v) || per_channel(m, v) || full(m, v)) &&
           type_of(m->g, v)->rank <= type_of(m->g, m->root)->rank;
}

/* Rows made of a tensor with several elements behind its channels: [N, C, H, W] as [N, C * H * W]. */
static bool flattened(const Match *m, ValueId v)
{
    const Node *n = def_of(m->g, v);
    const TensorType *to = type_of(m->g, v), *from = n ? type_of(m->g, n->in[0]) : to;
    return n && n->op == OP_Reshape && from->rank >= 3 && from->rank <= 5 && to->rank == 2 &&
           to->dims[0] == from->dims[0] && from->dims[1] > 1 && to->dims[1] > from->dims[1];
}

/* A softmax over the last dimension, as that over the keys is. */
static bool over_keys(const Match *m, ValueId v)
{
    const Node *n = def_of(m->g, v);
    int last = type_of(m->g, v)->rank - 1;
    return n && n->op == OP_Softmax && attr_int(n, "axis", 0) == last &&
           attr_int(n, "axis_end", last + 1) == last + 1;
}

/* Weights of a depthwise 3x3 convolution of the value so far that leaves the channels what they are. */
static bool depthwise(const Match *m, ValueId v)
{
    const TensorType *t = type_of(m->g, v);
    if (!has_value(m->hole) || t->rank != 4 || type_of(m->g, m->hole)->rank != 4)
        return false;
    return t->dims[0] == type_of(m->g, m->hole)->dims[1] && t->dims[1] == 1 && t->dims[2] == 3 &&
           t->dims[3] == 3;
}

enum { READERS_MAX = 16, SEARCH_MAX = 4000 }; /* with more, finding out is not worth it */

/* Does n run before the anchor in every order? (False also where finding out takes too long.) */
static bool runs_before_anchor(PatternContext *c, NodeId n)
{
    NodeId stack[64];
    uint32_t depth = 0, visited = 0;
    c->stamp++;
    stack[depth++] = c->anchor;
    while (depth && visited++ < SEARCH_MAX) {
        const Node *at = node_at(c->g, stack[--depth]);
        for (uint32_t k = 0; k < at->n_in; k++) {
            ValueId v = at->in[k];
            if (!has_value(v) || !def_of(c->g, v))
                continue;
            NodeId def = value_at(c->g, v)->def;
            if (def.i == n.i)
                return true;
            /* nodes before n cannot depend on it */
            if (def.i < n.i || c->seen[def.i] == c->stamp)
                continue;
            c->seen[def.i] = c->stamp;
            if (depth == COUNT_OF(stack))
                return false;
            stack[depth++] = def;
        }
    }
    return false;
}

/* Nobody reads it after the anchor has run: the sum may overwrite it. All other readers come
 * before the anchor. */
static bool overwritable(const Match *m, ValueId v)
{
    PatternContext *c = m->context;
    if (!c || value_at(m->g, v)->kind != VALUE_NODE || m->uses->is_output[v.i] ||
        use_count(m->uses, v) > READERS_MAX)
        return false;
    for (uint32_t u = m->uses->start[v.i]; u < m->uses->start[v.i + 1]; u++) {
        NodeId reader = m->uses->node[u];
        if (!match_covers(m, reader) && !runs_before_anchor(c, reader))
            return false;
    }
    return true;
}

static const struct PredicateRow {
    const char *name;
    PredicateFn *fn;
    const char *help;
} rows[] = {
    {"f32", is_f32, "its elements are 32-bit floats"},
    {"real", is_real, "its elements are f32 or bf16"},
    {"const", constant, "a constant"},
    {"scalar", scalar, "one element"},
    {"rank3", rank3, "three dimensions"},
    {"rank4", rank4, "four dimensions"},
    {"rank5", rank5, "five dimensions"},
    {"full", full, "the shape and type of the result"},
    {"per_channel", per_channel, "one number per channel of the result"},
    {"post_operand", post_operand, "f32 or bf16: one number, one per channel, or full"},
    {"depthwise", depthwise, "[C, 1, 3, 3]: weights of a depthwise convolution of %"},
    {"flattened", flattened, "rows, a Reshape of a tensor with channels and more dimensions"},
    {"over_keys", over_keys, "a Softmax over the last dimension"},
    {"overwritable", overwritable, "nobody reads it after the anchor has run"},
};

PredicateFn *find_predicate(const char *name, size_t size)
{
    for (size_t i = 0; i < COUNT_OF(rows); i++)
        if (strlen(rows[i].name) == size && memcmp(rows[i].name, name, size) == 0)
            return rows[i].fn;
    return NULL;
}

const char *predicate_row(size_t k, const char **help)
{
    if (k >= COUNT_OF(rows))
        return NULL;
    *help = rows[k].help;
    return rows[k].name;
}
