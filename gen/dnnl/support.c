/* What oneDNN takes: the conditions under which its primitives compute what ONNX defines. f32, and
 * bf16 (with f32 parameters beside it, and f32 inside). Those of each family stand in its file. */
#include "family.h"

#include "../ops/ops.h"

bool no(const char **why, const char *reason)
{
    *why = reason;
    return false;
}

bool any_below(const int64_t *v, size_t n, int64_t limit)
{
    for (size_t i = 0; i < n; i++)
        if (v[i] < limit)
            return true;
    return false;
}

bool any_above(const int64_t *v, size_t n, int64_t limit)
{
    for (size_t i = 0; i < n; i++)
        if (v[i] > limit)
            return true;
    return false;
}

bool wanted(const Node *n, uint32_t k)
{
    return k < n->n_out && has_value(n->out[k]);
}

bool onednn_computes(DType t)
{
    return t == DT_F32 || t == DT_BF16;
}

static bool is_byte(DType t)
{
    return t == DT_I8 || t == DT_U8;
}

/* Everything is f32 or bf16, or bytes where the primitive takes them, something is there, and the shapes are of a rank oneDNN knows. */
static bool check_types(const Graph *g, const Node *n, int least, int most, const char **why)
{
    const TensorType *t = NULL;
    for (uint32_t k = 0; k < n->n_in + n->n_out; k++) {
        ValueId v = k < n->n_in ? n->in[k] : n->out[k - n->n_in];
        if (!has_value(v))
            continue;
        t = type_of(g, v);
        if (!onednn_computes(t->dtype) && !(is_byte(t->dtype) && onednn_row(n->op)->bytes))
            return no(why, "not everything is f32 or bf16");
        if (type_count(t) == 0)
            return no(why, "a tensor is empty");
        if (type_count(t) > INT32_MAX)
            return no(why, "a tensor has more than 2^31 elements");
    }
    t = type_of(g, n->in[0]);
    if (t->rank < least || t->rank > most)
        return no(why, "the rank is not one that the primitive takes");
    return true;
}

/* Elementwise ones get their own reason. */
bool supports_nothing(const Graph *g, const Node *n, const char **why)
{
    if (op_info(n->op)->class == CLASS_ELTWISE && n->n_in == 1)
        return check_types(g, n, 1, 6, why) && supports_eltwise(g, n, why);
    return no(why, "no primitive for this operator");
}

bool supports_all(const Graph *g, const Node *n, const char **why)
{
    (void)g, (void)n, (void)why;
    return true;
}

bool describe_nothing(Describe *d)
{
    (void)d;
    return false;
}

const char *small_none(const Machine *m, const Graph *g, const Node *n)
{
    (void)m, (void)g, (void)n;
    return NULL;
}

/* --- the table -------------------------------------------------------------------------------- */

const PrimitiveRow *onednn_row(Op op)
{
    static const PrimitiveRow rows[PRIMITIVE_COUNT] = {
#define PRIMITIVE(name, supports, least, most, worth, bytes, small, describe, ...)                 \
    {supports_##supports, least, most, worth, bytes, small_##small, describe_##describe},
#include "primitives.def"
    };
    return &rows[onednn_ops[op].primitive];
}

bool onednn_supports(const Graph *g, const Node *anchor, const char **why)
{
    if (anchor->n_out == 0 || !has_value(anchor->out[0]))
        return no(why, "its first output is not wanted");
    const PrimitiveRow *row = onednn_row(anchor->op);
    return (!row->most || check_types(g, anchor, row->least, row->most, why)) &&
           row->supports(g, anchor, why);
}

bool onednn_worthwhile(Op op)
{
    return onednn_row(op)->worthwhile;
}

bool onednn_too_small(const Machine *m, const Graph *g, const Node *n, const char **why)
{
    const char *quicker = onednn_row(n->op)->small(m, g, n);
    *why = quicker ? quicker : *why;
    return quicker != NULL;
}
