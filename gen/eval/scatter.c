/* Operators that place elements by index. Unlike gathering, an index outside is refused: clamped, it would overwrite
 * somebody else's element. With a reduction, sums are kept wide and rounded once at the end. */
#include "eltwise.h"

#include <inttypes.h>
#include <string.h>

/* Where updates go: one of the three arrays, all with the shape of data. */
typedef struct Target {
    Op op; /* of an element and its update */
    DType dtype;
    size_t count;
    char *raw;    /* dst itself, without a reduction */
    double *wide; /* floats */
    int64_t *ints;
} Target;

/* False: an update takes the element's place. */
static bool joined_by(const Node *n, Op *op)
{
    static const struct {
        const char *name;
        Op op;
    } ops[] = {{"add", OP_Add}, {"mul", OP_Mul}, {"max", OP_Max}, {"min", OP_Min}};
    const char *name = attr_string(n, "reduction", "none");
    for (size_t k = 0; k < COUNT_OF(ops); k++)
        if (!strcmp(name, ops[k].name)) {
            *op = ops[k].op;
            return true;
        }
    return false;
}

static Target target_begin(const Eval *e)
{
    const Tensor *data = e->in[0];
    Target t = {.dtype = data->type.dtype, .count = eval_count(data)};
    Walk w;
    walk_broadcast(&w, &data->type, &data->type);
    if (!joined_by(e->node, &t.op)) {
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
        const size_t i = (size_t)(from + k);
        if (t->wide) {
            double *x = &t->wide[at + k], update = elem_f64(t->dtype, updates->data, i);
            compute_f64(t->op, &(ParamsF64){0}, x, &update, x, 1);
        } else {
            int64_t *x = &t->ints[at + k], update = elem_i64(t->dtype, updates->data, i);
            compute_integer(t->op, &(ParamsI64){0}, t->dtype, t->dtype, x, &update, x, 1);
        }
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
        next_index(index, indices->dims, indices->rank);
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
