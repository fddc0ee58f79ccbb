/* Operators that place elements by index. Unlike gathering, an index outside is refused: clamped, it would overwrite
 * somebody else's element. With a reduction, sums are kept wide and rounded once at the end. */
#include "elem.h"

#include <inttypes.h>
#include <string.h>

typedef enum Reduction {
    REDUCE_NONE,
    REDUCE_ADD,
    REDUCE_MUL,
    REDUCE_MAX,
    REDUCE_MIN,
} Reduction;

/* Where updates go: one of the three arrays, all with the shape of data. */
typedef struct Target {
    Reduction reduction;
    DType dtype;
    size_t count;
    char *raw;    /* dst itself, without a reduction */
    double *wide; /* floats */
    int64_t *ints;
} Target;

static Reduction reduction_of(const Node *n)
{
    static const char *const names[] = {"none", "add", "mul", "max", "min"};
    const char *name = attr_string(n, "reduction", "none");
    for (size_t k = 0; k < COUNT_OF(names); k++)
        if (!strcmp(name, names[k]))
            return (Reduction)k;
    bug("reduction '%s'", name);
}

static Target target_begin(const Eval *e)
{
    const Tensor *data = e->in[0];
    Target t = {
        .reduction = reduction_of(e->node), .dtype = data->type.dtype, .count = eval_count(data)};
    Walk w;
    walk_broadcast(&w, &data->type, &data->type);
    if (t.reduction == REDUCE_NONE) {
        t.raw = e->out[0]->data;
        copy_bytes(t.raw, data->data, type_bytes(&data->type));
    } else if (dtype_is_float(t.dtype)) {
        t.wide = ARENA_ARRAY(e->scratch, double, t.count + 1);
        load_f64(t.dtype, data->data, &w, t.count, t.wide);
    } else {
        t.ints = ARENA_ARRAY(e->scratch, int64_t, t.count + 1);
        load_i64(t.dtype, data->data, &w, t.count, t.ints);
    }
    return t;
}

static void target_end(const Target *t, void *dst)
{
    if (t->wide)
        store_f64(t->dtype, dst, 0, t->wide, t->count);
    else if (t->ints)
        store_i64(t->dtype, dst, 0, t->ints, t->count);
}

static double combine_f64(Reduction r, double a, double b)
{
    switch (r) {
    case REDUCE_ADD:
        return a + b;
    case REDUCE_MUL:
        return a * b;
    case REDUCE_MAX:
        return a != a || a > b ? a : b;
    default:
        return a != a || a < b ? a : b;
    }
}

static int64_t combine_i64(Reduction r, DType t, int64_t a, int64_t b)
{
    uint64_t flip =
        t == DT_U64 ? (uint64_t)INT64_MIN : 0; /* makes the order of u64 that of int64 */
    bool greater = (int64_t)((uint64_t)a ^ flip) > (int64_t)((uint64_t)b ^ flip);
    switch (r) {
    case REDUCE_ADD:
        return (int64_t)((uint64_t)a + (uint64_t)b);
    case REDUCE_MUL:
        return (int64_t)((uint64_t)a * (uint64_t)b);
    case REDUCE_MAX:
        return greater ? a : b;
    default:
        return greater ? b : a;
    }
}

/* Places n updates from element `from` on at element `at` on. */
static void put_updates(const Target *t, int64_t at, const Tensor *updates, int64_t from, int64_t n)
{
    size_t size = dtype_size(t->dtype);
    if (t->raw) {
        copy_bytes(t->raw + (size_t)at * size, (const char *)updates->data + (size_t)from * size,
                   (size_t)n * size);
        return;
    }
    for (int64_t k = 0; k < n; k++) {
        size_t i = (size_t)(from + k);
        if (t->wide)
            t->wide[at + k] =
                combine_f64(t->reduction, t->wide[at + k], elem_f64(t->dtype, updates->data, i));
        else
            t->ints[at + k] = combine_i64(t->reduction, t->dtype, t->ints[at + k],
                                          elem_i64(t->dtype, updates->data, i));
    }
}

static bool read_index(const Eval *e, size_t k, int64_t dim, int64_t *i)
{
    *i = elem_i64(e->in[1]->type.dtype, e->in[1]->data, k);
    if (*i < -dim || *i >= dim)
        return refuse_node(e->g, e->node, "index %" PRId64 " is outside a dimension of %" PRId64,
                           *i, dim);
    *i += *i < 0 ? dim : 0;
    return true;
}

bool eval_scatter_elements(Eval *e)
{
    const TensorType *data = &e->in[0]->type, *indices = &e->in[1]->type;
    int64_t axis = attr_int(e->node, "axis", 0), index[MAX_RANK] = {0}, strides[MAX_RANK];
    Target t = target_begin(e);
    dense_strides(data, strides);
    for (int64_t k = 0; k < type_count(indices); k++) {
        int64_t i, at = 0;
        if (!read_index(e, (size_t)k, data->dims[axis], &i))
            return false;
        for (int d = 0; d < data->rank; d++)
            at += (d == axis ? i : index[d]) * strides[d];
        put_updates(&t, at, e->in[2], k, 1);
        index_step(index, indices->dims, indices->rank);
    }
    target_end(&t, e->out[0]->data);
    return true;
}

bool eval_scatter_nd(Eval *e)
{
    const TensorType *data = &e->in[0]->type, *indices = &e->in[1]->type;
    int64_t length = indices->dims[indices->rank - 1], strides[MAX_RANK];
    Target t = target_begin(e);
    Around a = around(data, 0, length);
    dense_strides(data, strides);
    for (int64_t tuple = 0; tuple < type_count(indices) / length; tuple++) {
        int64_t at = 0, i;
        for (int d = 0; d < length; d++) {
            if (!read_index(e, (size_t)(tuple * length + d), data->dims[d], &i))
                return false;
            at += i * strides[d];
        }
        put_updates(&t, at, e->in[2], tuple * a.inner, a.inner);
    }
    target_end(&t, e->out[0]->data);
    return true;
}
