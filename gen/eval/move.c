/* Operators that move whole tensors or boxes of them. Nothing looks at the elements. */
#include "../base/narrow.h"
#include "elem.h"

#include <string.h>

static size_t elem_size(const Tensor *t)
{
    return dtype_size(t->type.dtype);
}

static void *elem_at(const Tensor *t, int64_t i)
{
    return (char *)t->data + i * (int64_t)elem_size(t);
}

/* A copy of boxes from operand 0 to the result, with the strides of both. */
typedef struct Move {
    const Tensor *src;
    Tensor *dst;
    int64_t from[MAX_RANK], to[MAX_RANK];
    Box box;
} Move;

static Move begin_move(const Eval *e)
{
    Move m = {.src = e->in[0], .dst = e->out[0]};
    dense_strides(&m.src->type, m.from);
    dense_strides(&m.dst->type, m.to);
    return m;
}

/* From and to these elements on. */
static bool finish_move(const Move *m, int64_t from, int64_t to)
{
    if (!m->box.empty)
        box_copy(&m->box, elem_size(m->dst), elem_at(m->dst, to), elem_at(m->src, from));
    return true;
}

bool eval_reshape(Eval *e)
{
    copy_bytes(e->out[0]->data, e->in[0]->data, type_bytes(&e->out[0]->type));
    return true;
}

bool eval_transpose(Eval *e)
{
    size_t rank;
    const int64_t *perm = attr_ints(e->node, "perm", &rank);
    Move m = begin_move(e);
    for (size_t k = 0; k < rank; k++)
        box_add(&m.box, m.dst->type.dims[k], m.to[k], m.from[perm[k]]);
    return finish_move(&m, 0, 0);
}

bool eval_expand(Eval *e)
{
    Move m = begin_move(e);
    const int extra = m.dst->type.rank - m.src->type.rank;
    for (int k = 0; k < m.dst->type.rank; k++) {
        bool copied = k >= extra && m.src->type.dims[k - extra] != 1;
        box_add(&m.box, m.dst->type.dims[k], m.to[k], copied ? m.from[k - extra] : 0);
    }
    return finish_move(&m, 0, 0);
}

/* Each dimension becomes two: the repeats, on which src stands still, and its own. */
bool eval_tile(Eval *e)
{
    size_t rank;
    const int64_t *repeats = attr_ints(e->node, "repeats", &rank);
    Move m = begin_move(e);
    for (size_t k = 0; k < rank; k++) {
        box_add(&m.box, repeats[k], m.to[k] * m.src->type.dims[k], 0);
        box_add(&m.box, m.src->type.dims[k], m.to[k], m.from[k]);
    }
    return finish_move(&m, 0, 0);
}

/* Copies a dense tensor `part` into, or out of, `whole` at position `at` of the axis. */
static void copy_part(const Tensor *whole, const Tensor *part, int64_t axis, int64_t at,
                      bool into_whole)
{
    Around p = around(&part->type, axis, axis + 1), w = around(&whole->type, axis, axis + 1);
    int64_t row = p.size * p.inner, step = w.size * w.inner;
    size_t bytes = (size_t)row * elem_size(part);
    for (int64_t k = 0; bytes > 0 && k < p.outer; k++) {
        char *a = elem_at(whole, k * step + at * p.inner), *b = elem_at(part, k * row);
        memcpy(into_whole ? a : b, into_whole ? b : a, bytes);
    }
}

bool eval_concat(Eval *e)
{
    int64_t axis = attr_int(e->node, "axis", 0), at = 0;
    for (uint32_t k = 0; k < e->node->n_in; k++) {
        copy_part(e->out[0], e->in[k], axis, at, true);
        at += e->in[k]->type.dims[axis];
    }
    return true;
}

bool eval_split(Eval *e)
{
    int64_t axis = attr_int(e->node, "axis", 0), at = 0;
    const int64_t *split = attr_ints(e->node, "split", NULL);
    for (uint32_t k = 0; k < e->node->n_out; k++) {
        if (e->out[k])
            copy_part(e->in[0], e->out[k], axis, at, false);
        at += split[k];
    }
    return true;
}

bool eval_slice(Eval *e)
{
    size_t rank;
    const int64_t *starts = attr_ints(e->node, "starts", &rank);
    const int64_t *steps = attr_ints(e->node, "steps", &rank);
    Move m = begin_move(e);
    int64_t first = 0;
    for (size_t k = 0; k < rank; k++) {
        int64_t size = m.dst->type.dims[k];
        /* the step may be anything where it is not taken */
        box_add(&m.box, size, m.to[k], size > 1 ? m.from[k] * steps[k] : 0);
        first += size > 0 ? m.from[k] * starts[k] : 0;
    }
    return finish_move(&m, first, 0);
}

static void pad_constant(const Eval *e, const int64_t *pads)
{
    Tensor *dst = e->out[0];
    DType t = dst->type.dtype;
    double value = attr_float(e->node, "value", 0);
    int64_t first = 0;
    size_t count = eval_count(dst);
    if (count == 0)
        return;
    if (dtype_is_float(t) || t == DT_BOOL)
        elem_set_f64(t, dst->data, 0, value);
    else
        elem_set_i64(t, dst->data, 0, f64_to_int(t, value));
    Box fill = {0};
    box_add(&fill, (int64_t)count - 1, 1, 0);
    if (count > 1)
        box_copy(&fill, elem_size(dst), elem_at(dst, 1), dst->data);
    Move m = begin_move(e);
    for (int k = 0; k < m.src->type.rank; k++) {
        box_add(&m.box, m.src->type.dims[k], m.to[k], m.from[k]);
        first += m.to[k] * pads[k];
    }
    finish_move(&m, 0, first);
}

/* The element of a dimension of size dim that stands at position i, which may be outside. reflect mirrors without
 * repeating the edge; a pad is smaller than dim then. */
static int64_t pad_source(const char *mode, int64_t i, int64_t dim)
{
    if (mode[0] == 'w')
        return (i % dim + dim) % dim;
    if (i < 0)
        return mode[0] == 'r' ? -i : 0;
    if (i >= dim)
        return mode[0] == 'r' ? 2 * (dim - 1) - i : dim - 1;
    return i;
}

/* A table of source offsets for each axis, then a gather by rows. */
bool eval_pad(Eval *e)
{
    const Tensor *src = e->in[0];
    Tensor *dst = e->out[0];
    const char *mode = attr_string(e->node, "mode", "constant");
    const int64_t *pads = attr_ints(e->node, "pads", NULL);
    int64_t from[MAX_RANK], index[MAX_RANK] = {0}, *table[MAX_RANK];
    int rank = src->type.rank;
    if (mode[0] == 'c' || rank == 0) {
        pad_constant(e, pads);
        return true;
    }
    if (eval_count(dst) == 0)
        return true;
    dense_strides(&src->type, from);
    for (int k = 0; k < rank; k++) {
        table[k] = ARENA_ARRAY(e->scratch, int64_t, (size_t)dst->type.dims[k]);
        for (int64_t i = 0; i < dst->type.dims[k]; i++)
            table[k][i] = from[k] * pad_source(mode, i - pads[k], src->type.dims[k]);
    }
    int64_t at = 0, row = dst->type.dims[rank - 1];
    do {
        int64_t base = 0;
        for (int k = 0; k < rank - 1; k++)
            base += table[k][index[k]];
        for (int64_t i = 0; i < row; i++, at++)
            memcpy(elem_at(dst, at), elem_at(src, base + table[rank - 1][i]), elem_size(dst));
    } while (next_index(index, dst->type.dims, rank - 1));
    return true;
}

bool eval_bit_cast(Eval *e)
{
    return eval_reshape(e);
}

bool eval_narrow(Eval *e)
{
    const Tensor *src = e->in[0];
    narrow_pack(narrow_type(attr_int(e->node, "to", 0)), src->data, (size_t)type_count(&src->type),
                attr_int(e->node, "saturate", 1) != 0,
                narrow_rounding(attr_string(e->node, "rounding", "")), e->out[0]->data);
    return true;
}

bool eval_trilu(Eval *e)
{
    const Tensor *src = e->in[0];
    Tensor *dst = e->out[0];
    int rank = src->type.rank;
    int64_t rows = src->type.dims[rank - 2], cols = src->type.dims[rank - 1];
    int64_t k = attr_int(e->node, "k", 0), upper = attr_int(e->node, "upper", 1);
    size_t size = elem_size(src);
    k = k < -rows ? -rows : k > cols ? cols : k; /* beyond that nothing changes */
    for (int64_t row = 0; eval_count(src) > 0 && row < type_count(&src->type) / cols; row++) {
        /* upper keeps the columns from i + k on, lower those up to i + k */
        int64_t cut = row % rows + k + !upper;
        cut = cut < 0 ? 0 : cut > cols ? cols : cut;
        char *to = elem_at(dst, row * cols), *from = elem_at(src, row * cols);
        size_t left = (size_t)cut * size, right = (size_t)(cols - cut) * size;
        if (upper) {
            memset(to, 0, left);
            memcpy(to + left, from + left, right);
        } else {
            memcpy(to, from, left);
            memset(to + left, 0, right);
        }
    }
    return true;
}
