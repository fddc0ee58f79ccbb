/* Operators that copy boxes of elements: the ones whose source index is affine in the destination's. Strides come from the
 * buffers, so that any unblocked layout will do. */
#include "copy.h"
#include "nn.h"
#include "ops.h"

#include <inttypes.h>

static void strides_of(const Buffer *b, int64_t *strides)
{
    layout_strides(&b->layout, &b->type, strides);
}

static Loops *copy_loops(CKernel *k)
{
    return loops_new(k->arena, 2);
}

bool emit_c_reshape(CKernel *k)
{
    Loops *l = copy_loops(k);
    if (c_in_place(k->program, k->step, 0, 0))
        return nn_emit_nothing(k);
    loops_dim(l, type_count(&c_out(k, 0)->type), (int64_t[]){1, 1});
    return c_emit_copy(k, l);
}

bool emit_c_reorder(CKernel *k)
{
    int64_t to[MAX_RANK], from[MAX_RANK];
    Loops *l = copy_loops(k);
    strides_of(c_out(k, 0), to);
    strides_of(c_in(k, 0), from);
    for (int d = 0; d < c_out(k, 0)->type.rank; d++)
        loops_dim(l, c_out(k, 0)->type.dims[d], (int64_t[]){to[d], from[d]});
    return c_emit_copy(k, l);
}

bool emit_c_transpose(CKernel *k)
{
    int64_t to[MAX_RANK], from[MAX_RANK];
    size_t rank;
    const int64_t *perm = attr_ints(k->node, "perm", &rank);
    Loops *l = copy_loops(k);
    strides_of(c_out(k, 0), to);
    strides_of(c_in(k, 0), from);
    for (size_t d = 0; d < rank; d++)
        loops_dim(l, c_out(k, 0)->type.dims[d], (int64_t[]){to[d], from[perm[d]]});
    return c_emit_copy(k, l);
}

bool emit_c_expand(CKernel *k)
{
    const TensorType *src = &c_in(k, 0)->type, *dst = &c_out(k, 0)->type;
    int64_t to[MAX_RANK], from[MAX_RANK];
    Loops *l = copy_loops(k);
    strides_of(c_out(k, 0), to);
    strides_of(c_in(k, 0), from);
    for (int d = 0; d < dst->rank; d++) {
        int at = d - (dst->rank - src->rank);
        bool copied = at >= 0 && src->dims[at] != 1;
        loops_dim(l, dst->dims[d], (int64_t[]){to[d], copied ? from[at] : 0});
    }
    return c_emit_copy(k, l);
}

/* Each dimension becomes two: the repeats, along which src stands still, and its own. */
bool emit_c_tile(CKernel *k)
{
    const TensorType *src = &c_in(k, 0)->type;
    int64_t to[MAX_RANK], from[MAX_RANK];
    size_t rank;
    const int64_t *repeats = attr_ints(k->node, "repeats", &rank);
    Loops *l = copy_loops(k);
    strides_of(c_out(k, 0), to);
    strides_of(c_in(k, 0), from);
    for (size_t d = 0; d < rank; d++) {
        loops_dim(l, repeats[d], (int64_t[]){to[d] * src->dims[d], 0});
        loops_dim(l, src->dims[d], (int64_t[]){to[d], from[d]});
    }
    return c_emit_copy(k, l);
}

bool emit_c_slice(CKernel *k)
{
    int64_t to[MAX_RANK], from[MAX_RANK];
    size_t rank;
    const int64_t *starts = attr_ints(k->node, "starts", &rank);
    const int64_t *steps = attr_ints(k->node, "steps", &rank);
    Loops *l = copy_loops(k);
    strides_of(c_out(k, 0), to);
    strides_of(c_in(k, 0), from);
    for (size_t d = 0; d < rank; d++) {
        int64_t size = c_out(k, 0)->type.dims[d];
        loops_dim(l, size, (int64_t[]){to[d], size > 1 ? from[d] * steps[d] : 0});
        l->offset[1] += size > 0 ? from[d] * starts[d] : 0;
    }
    return c_emit_copy(k, l);
}

/* --- concat and split: boxes at a position along one axis -------------------------------------------------------- */

/* `part` stands in memory where the whole has it: the plan placed it there and nothing is copied. */
static bool placed(const CKernel *k, BufferId part, BufferId whole, int64_t axis, int64_t at)
{
    const Buffer *p = &k->program->buffers[part], *w = &k->program->buffers[whole];
    int64_t ps[MAX_RANK], ws[MAX_RANK];
    strides_of(p, ps);
    strides_of(w, ws);
    for (int d = 0; d < p->type.rank; d++)
        if (p->type.dims[d] > 1 && ps[d] != ws[d])
            return false;
    int64_t distance = at * ws[axis] * (int64_t)dtype_size(w->type.dtype);
    return c_distance(k->program, whole, part) == distance;
}

/* Copies `part` to or from position `at` of the axis of `whole`; false if there is nothing to copy. */
static bool copy_part(CKernel *k, Bindings *b, BufferId part, BufferId whole, int64_t axis,
                      int64_t at, const char *name, bool into_whole)
{
    const Buffer *p = &k->program->buffers[part], *w = &k->program->buffers[whole];
    int64_t ps[MAX_RANK], ws[MAX_RANK];
    const bool in_place = placed(k, part, whole, axis, at);
    if (in_place || type_count(&p->type) == 0) {
        bind(bind_row(b, in_place ? "in_place" : "no_elements"), "operand", "%s", name);
        return false;
    }
    Loops *l = copy_loops(k);
    strides_of(p, ps);
    strides_of(w, ws);
    for (int d = 0; d < p->type.rank; d++)
        loops_dim(l, p->type.dims[d],
                  into_whole ? (int64_t[]){ws[d], ps[d]} : (int64_t[]){ps[d], ws[d]});
    l->offset[into_whole ? 0 : 1] = at * ws[axis];
    c_bind_copy(k, b, l, into_whole ? "dst0" : name, into_whole ? name : "src0");
    return true;
}

static bool write_parts(CKernel *k, Bindings *b, const char *whole, bool copied)
{
    if (!copied)
        bind(bind_row(b, "in_place"), "operand", "%s", whole);
    nn_render(k, "c/copy.c", b);
    return true;
}

bool emit_c_concat(CKernel *k)
{
    int64_t axis = attr_int(k->node, "axis", 0), at = 0;
    bool copied = false;
    if (nn_emit_empty(k))
        return true;
    Bindings *b = nn_bindings(k);
    for (uint32_t i = 0; i < k->step->n_in; i++) {
        copied |= copy_part(k, b, k->step->in[i], k->step->out[0], axis, at,
                            arena_printf(k->arena, "src%" PRIu32, i), true);
        at += c_in(k, i)->type.dims[axis];
    }
    return write_parts(k, b, "dst0", copied);
}

bool emit_c_split(CKernel *k)
{
    size_t n;
    int64_t axis = attr_int(k->node, "axis", 0), at = 0;
    const int64_t *split = attr_ints(k->node, "split", &n);
    bool copied = false;
    if (type_count(&c_in(k, 0)->type) == 0)
        return nn_emit_nothing(k);
    Bindings *b = nn_bindings(k);
    for (uint32_t i = 0; i < k->step->n_out; i++) {
        if (k->step->out[i] != NO_BUFFER)
            copied |= copy_part(k, b, k->step->out[i], k->step->in[0], axis, at,
                                arena_printf(k->arena, "dst%" PRIu32, i), false);
        at += split[i];
    }
    return write_parts(k, b, "src0", copied);
}

/* --- trilu --------------------------------------------------------------------------------------------------------- */

bool emit_c_trilu(CKernel *k)
{
    const TensorType *t = &c_out(k, 0)->type;
    int64_t rows = t->dims[t->rank - 2], columns = t->dims[t->rank - 1],
            shift = attr_int(k->node, "k", 0);
    if (nn_emit_empty(k))
        return true;
    Bindings *b = nn_bindings(k);
    bind_int(b, "planes", type_count(t) / (rows * columns));
    bind_int(b, "rows", rows);
    bind_int(b, "columns", columns);
    bind(b, "side", attr_int(k->node, "upper", 1) ? ">=" : "<=");
    bind_int(b, "diagonal", /* beyond that nothing changes */
             shift < -rows     ? -rows
             : shift > columns ? columns
                               : shift);
    nn_render(k, "c/trilu.c", b);
    return true;
}
