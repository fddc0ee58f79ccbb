/* The checks that shape functions are made of. */
#include "shape.h"

#include <inttypes.h>
#include <string.h>

const TensorType *in_type(const Graph *g, const Node *n, uint32_t k)
{
    ValueId v = node_in(n, k);
    return has_value(v) ? type_of(g, v) : NULL;
}

bool ints_attr(const Graph *g, const Node *n, const char *name, size_t count, int64_t lo,
               int64_t hi, const int64_t **v)
{
    size_t have;
    *v = attr_ints(n, name, &have);
    if (have != count)
        return refuse_node(g, n, "%s has %zu elements, not %zu", name, have, count);
    for (size_t k = 0; k < count; k++)
        if (!check_range(g, n, name, (*v)[k], lo, hi))
            return false;
    return true;
}

bool need_floats(const Graph *g, const Node *n, const char *name, size_t count)
{
    size_t have;
    if (!attr_floats(n, name, &have))
        return refuse_node(g, n, "attribute '%s' is missing", name);
    return have == count || refuse_node(g, n, "%s has %zu elements, not %zu", name, have, count);
}

static unsigned kind_of(DType t)
{
    if (t == DT_BOOL)
        return TYPES_BOOL;
    if (dtype_is_float(t))
        return TYPES_FLOAT;
    return (dtype_is_signed_int(t) ? TYPES_SIGNED : TYPES_UNSIGNED) |
           (t == DT_I8 || t == DT_U8 ? TYPES_BYTE : 0) |
           (t == DT_I32 || t == DT_I64 ? TYPES_INDEX : 0) | (t == DT_I32 ? TYPES_I32 : 0);
}

bool check_kind(const Graph *g, const Node *n, uint32_t k, const char *what, unsigned kinds)
{
    const TensorType *t = in_type(g, n, k);
    if (!t || (kind_of(t->dtype) & kinds))
        return true;
    return refuse_node(g, n, "%s of type %s is not supported", what, dtype_name(t->dtype));
}

bool check_rank(const Graph *g, const Node *n, uint32_t k, const char *what, int lo, int hi)
{
    const TensorType *t = in_type(g, n, k);
    if (!t || (t->rank >= lo && t->rank <= hi))
        return true;
    if (lo == hi)
        return refuse_node(g, n, "%s has rank %d, not %d", what, t->rank, lo);
    return refuse_node(g, n, "%s has rank %d, not in %d to %d", what, t->rank, lo, hi);
}

bool check_dims(const Graph *g, const Node *n, uint32_t k, const char *what, int rank,
                const int64_t *dims)
{
    const TensorType *t = in_type(g, n, k);
    if (!t)
        return true;
    TensorType want = type_make(t->dtype, rank, dims);
    if (same_shape(t, &want))
        return true;
    return refuse_node(g, n, "%s has shape %s, not %s", what, shape_text(g, t),
                       shape_text(g, &want));
}

bool check_dtype(const Graph *g, const Node *n, uint32_t k, const char *what, DType dtype)
{
    const TensorType *t = in_type(g, n, k);
    if (!t || t->dtype == dtype)
        return true;
    return refuse_node(g, n, "%s has type %s, not %s", what, dtype_name(t->dtype),
                       dtype_name(dtype));
}

bool check_parameter(const Graph *g, const Node *n, uint32_t k, const char *what, DType data)
{
    const TensorType *t = in_type(g, n, k);
    return (t && t->dtype == DT_F32 && data == DT_BF16) || check_dtype(g, n, k, what, data);
}

bool check_scalar_or_vector(const Graph *g, const Node *n, uint32_t k, const char *what,
                            int64_t len)
{
    const TensorType *t = in_type(g, n, k);
    if (!t || t->rank == 0 ||
        (t->rank == 1 && (t->dims[0] == 1 || (len >= 0 && t->dims[0] == len))))
        return true;
    if (len < 0)
        return refuse_node(g, n, "%s has shape %s, it must be one number", what, shape_text(g, t));
    return refuse_node(g, n, "%s has shape %s, it must be one number or [%" PRId64 "]", what,
                       shape_text(g, t), len);
}

bool check_scale_and_zero(const Graph *g, const Node *n, uint32_t k, const char *what, DType zero,
                          int64_t len)
{
    const char *scale = arena_printf(g->arena, "%s scale", what);
    const char *zero_point = arena_printf(g->arena, "%s zero point", what);
    return check_kind(g, n, k, scale, TYPES_FLOAT) && check_scalar_or_vector(g, n, k, scale, len) &&
           check_dtype(g, n, k + 1, zero_point, zero) &&
           check_scalar_or_vector(g, n, k + 1, zero_point, len);
}

bool kernel_extent(const Graph *g, const Node *n, int64_t kernel, int64_t dilation, int64_t *extent)
{
    if (kernel < 1)
        return refuse_node(g, n, "the kernel is empty");
    return (mul_i64(kernel - 1, dilation, extent) && add_i64(*extent, 1, extent)) ||
           refuse_node(g, n, "kernel %" PRId64 " with dilation %" PRId64 " is too large", kernel,
                       dilation);
}

bool kernel_fits(const Graph *g, const Node *n, int k, int64_t extent, int64_t padded)
{
    return extent <= padded ||
           refuse_node(g, n,
                       "the kernel covers %" PRId64 " elements of spatial dimension %d, the padded "
                       "src has %" PRId64,
                       extent, k, padded);
}

bool set_type(const Graph *g, const Node *n, TensorType *out, DType dtype, int rank,
              const int64_t *dims)
{
    if (rank > MAX_RANK)
        bug("an output of %s has rank %d", op_info(n->op)->name, rank);
    *out = type_make(dtype, rank, dims);
    if (!type_valid(out))
        return refuse_node(g, n, "an output would be too large: %s", shape_text(g, out));
    return true;
}

bool like_src(const Graph *g, const Node *n, TensorType *out)
{
    *out = *in_type(g, n, 0);
    return true;
}

bool broadcast_into(const Graph *g, const Node *n, TensorType *acc, const TensorType *t)
{
    TensorType r = acc->rank >= t->rank ? *acc : *t;
    r.dtype = acc->dtype;
    for (int k = 1; k <= r.rank; k++) {
        int64_t a = k <= acc->rank ? acc->dims[acc->rank - k] : 1;
        int64_t b = k <= t->rank ? t->dims[t->rank - k] : 1;
        if (a != b && a != 1 && b != 1)
            return refuse_node(g, n, "shapes %s and %s do not broadcast", shape_text(g, acc),
                               shape_text(g, t));
        r.dims[r.rank - k] = a == 1 ? b : a;
    }
    *acc = r;
    return true;
}

bool broadcasts_to(const TensorType *t, const TensorType *to)
{
    if (t->rank > to->rank)
        return false;
    for (int k = 1; k <= t->rank; k++) {
        int64_t d = t->dims[t->rank - k];
        if (d != 1 && d != to->dims[to->rank - k])
            return false;
    }
    return true;
}

const char *shape_text(const Graph *g, const TensorType *t)
{
    Text text = text_new(g->arena);
    text_puts(&text, "[");
    for (int k = 0; k < t->rank; k++)
        text_printf(&text, "%s%" PRId64, k ? "," : "", t->dims[k]);
    text_puts(&text, "]");
    return text.data;
}
