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

bool emit_c_reshape(CKernel *k)
{
    return c_emit_copy(k);
}

bool emit_c_reorder(CKernel *k)
{
    return c_emit_copy(k);
}

bool emit_c_transpose(CKernel *k)
{
    return c_emit_copy(k);
}

bool emit_c_expand(CKernel *k)
{
    return c_emit_copy(k);
}

bool emit_c_tile(CKernel *k)
{
    return c_emit_copy(k);
}

bool emit_c_slice(CKernel *k)
{
    return c_emit_copy(k);
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
    Loops *l = loops_new(k->arena, 2);
    strides_of(p, ps);
    strides_of(w, ws);
    for (int d = 0; d < p->type.rank; d++)
        loops_dim(l, p->type.dims[d],
                  into_whole ? (int64_t[]){ws[d], ps[d]} : (int64_t[]){ps[d], ws[d]});
    l->offset[into_whole ? 0 : 1] = at * ws[axis];
    c_bind_part(k, b, l, into_whole ? "dst0" : name, into_whole ? name : "src0");
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
    int64_t axis = attr_int(k->node, "axis", 0), at = 0;
    const int64_t *split = attr_ints(k->node, "split", NULL);
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
