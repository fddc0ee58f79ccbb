/* Buffers, and values in the layouts they are wanted in: see lower/lower.h. */
#include "lower.h"

#include "../dnnl/describe.h"
#include "../kernel/plan.h"
#include "../ops/ops.h"
#include "place.h"

#include <string.h>

BufferId lower_new_buffer(Lowering *l, Buffer b)
{
    Program *p = l->p;
    p->buffers =
        arena_grow(p->arena, p->buffers, p->n_buffers, &p->cap_buffers, sizeof *p->buffers);
    p->buffers[p->n_buffers] = b;
    return p->n_buffers++;
}

Step *lower_new_step(Lowering *l, Target target)
{
    Program *p = l->p;
    p->steps = arena_grow(p->arena, p->steps, p->n_steps, &p->cap_steps, sizeof *p->steps);
    p->steps[p->n_steps] = (Step){.target = target,
                                  .node = NO_NODE,
                                  .why = target == TARGET_C ? l->why : NULL,
                                  .scratch = NO_BUFFER};
    return &p->steps[p->n_steps++];
}

BufferId lower_arena_buffer(Lowering *l, ValueId v, TensorType type, Layout layout, size_t bytes)
{
    return lower_new_buffer(l, (Buffer){.kind = BUFFER_ARENA,
                                        .value = v,
                                        .type = type,
                                        .layout = layout,
                                        .bytes = bytes,
                                        .base = NO_BUFFER});
}

BufferId lower_scratch_buffer(Lowering *l, size_t bytes)
{
    TensorType type = {.dtype = DT_U8, .rank = 1, .dims = {(int64_t)bytes}};
    return bytes ? lower_arena_buffer(l, NO_VALUE, type, layout_plain(1), bytes) : NO_BUFFER;
}

void lower_release(Lowering *l, const void *data, size_t bytes)
{
    bool used = bytes < ARENA_LARGE;
    for (uint32_t v = 0; v < l->g->n_values && !used; v++)
        used = l->g->values[v].data == data;
    for (uint32_t i = 0; i < l->p->n_buffers && !used; i++)
        used = l->p->buffers[i].data == data;
    if (!used)
        arena_release(l->arena, data, bytes);
}

BufferId lower_const(Lowering *l, TensorType type, const void *data, size_t bytes)
{
    Program *p = l->p;
    for (uint32_t i = 0; i < p->n_buffers; i++) {
        Buffer *b = &p->buffers[i];
        if (b->kind != BUFFER_CONST || b->base != NO_BUFFER || b->bytes != bytes ||
            !type_equal(&b->type, &type) || (b->data != data && memcmp(b->data, data, bytes)))
            continue;
        lower_release(l, data, bytes);
        return i;
    }
    return lower_new_buffer(l, (Buffer){.kind = BUFFER_CONST,
                                        .value = NO_VALUE,
                                        .type = type,
                                        .layout = layout_plain(type.rank),
                                        .bytes = bytes,
                                        .base = NO_BUFFER,
                                        .data = data});
}

BufferId lower_new_view(Lowering *l, BufferId base, size_t offset, ValueId v, Layout layout)
{
    Buffer view = l->p->buffers[base];
    view.value = v;
    view.type = *type_of(l->g, v);
    view.layout = layout;
    view.bytes = layout_bytes(&layout, &view.type);
    view.base = base;
    view.base_offset = offset;
    return lower_new_buffer(l, view);
}

BufferId lower_view_as(Lowering *l, BufferId base, size_t offset, ValueId v, Layout layout)
{
    return l->primary[v.i] = lower_new_view(l, base, offset, v, layout);
}

/* --- values in layouts ----------------------------------------------------------------------------------------- */

BufferId lower_primary(Lowering *l, ValueId v)
{
    const Value *value = value_at(l->g, v);
    if (l->primary[v.i] == NO_BUFFER && value->kind == VALUE_CONST) {
        l->primary[v.i] = lower_const(l, value->type, value->data, type_bytes(&value->type));
        if (!has_value(l->p->buffers[l->primary[v.i]].value))
            l->p->buffers[l->primary[v.i]].value = v;
    }
    if (l->primary[v.i] == NO_BUFFER)
        bug("value '%s' is read before it is written", value->name);
    return l->primary[v.i];
}

/* With its row pitch, if it is a part of a wider tensor. */
Layout lower_actual_layout(const Lowering *l, ValueId v)
{
    BufferId b = l->primary[v.i];
    return b == NO_BUFFER ? layout_plain(type_of(l->g, v)->rank) : l->p->buffers[b].layout;
}

Layout lower_layout_of(const Lowering *l, ValueId v)
{
    Layout layout = lower_actual_layout(l, v);
    return layout_dense(&layout);
}

static Step *add_step_between(Lowering *l, Target target, BufferId from, BufferId to)
{
    Step *s = lower_new_step(l, target);
    s->n_in = s->n_out = 1;
    s->in = arena_copy(l->arena, &from, sizeof from);
    s->out = arena_copy(l->arena, &to, sizeof to);
    return s;
}

/* The dimension that comes closest after `after` in memory, those of size 1 left out; -1: none. */
static int inner_dim(const TensorType *t, const int64_t *strides, int after)
{
    int found = -1;
    for (int d = 0; d < t->rank; d++)
        if (t->dims[d] > 1 && d != after && (found < 0 || strides[d] < strides[found]))
            found = d;
    return found;
}

/* `few` elements, which lie side by side on one side only, are planes on the other one. */
static bool interleaves(const TensorType *t, const int64_t *planes, const int64_t *elements,
                        int64_t few)
{
    enum { MANY = 16 };
    const int inner = inner_dim(t, elements, -1), next = inner_dim(t, elements, inner);
    return next >= 0 && t->dims[inner] <= few && planes[inner] != 1 && planes[next] == 1 &&
           t->dims[next] >= MANY;
}

/* A few planes become the elements of one, as red, green and blue do of pixels, or a few channel groups are shuffled: a loop in C
 * reads each once in a row. It takes a third of the time of oneDNN's reorder, which is made for larger inner dimensions. The other way
 * it takes a fifth, of as many as C has vectors for: fit_copy_planes. */
static bool interleaves_few(const Buffer *src, const Buffer *dst)
{
    const TensorType *t = &dst->type;
    int64_t from[MAX_RANK], to[MAX_RANK];
    if (src->layout.block || dst->layout.block || type_count(t) == 0)
        return false;
    layout_strides(&src->layout, t, from);
    layout_strides(&dst->layout, t, to);
    return interleaves(t, from, to, 8) || interleaves(t, to, from, 4);
}

void lower_add_copy(Lowering *l, BufferId from, BufferId to)
{
    c_plan(l->p, add_step_between(l, TARGET_C, from, to));
}

/* Adds the step that copies `from` to `to`, which differ in layout only. */
void lower_add_reorder(Lowering *l, BufferId from, BufferId to)
{
    const Buffer *src = &l->p->buffers[from], *dst = &l->p->buffers[to];
    /* oneDNN 3.7.2 copies what lies between the rows as well where both have the same pitch */
    bool pitched = src->layout.pitch && dst->layout.pitch;
    if (pitched || interleaves_few(src, dst) || c_moves_squares(l->p, dst, src)) {
        lower_add_copy(l, from, to);
        return;
    }
    DnnlPrimitive *p = ARENA_NEW(l->arena, DnnlPrimitive);
    p->kind = KIND_REORDER;
    p->memory = ARENA_ARRAY(l->arena, DnnlMemory, 2);
    p->n_memory = 2;
    for (int k = 0; k < 2; k++) {
        const Buffer *b = k ? dst : src;
        DnnlMemory *m = &p->memory[k];
        *m = (DnnlMemory){.arg = k ? ARG_DST : ARG_SRC,
                          .name = k ? "dst" : "src",
                          .buffer = k ? to : from,
                          .blob = NO_BUFFER,
                          .dtype = b->type.dtype,
                          .rank = b->type.rank};
        memcpy(m->dims, b->type.dims, sizeof m->dims);
        describe_layout(l->arena, m, b);
    }
    p->one_thread = onednn_threads_for(l, onednn_ns(l, p)) == 1;
    DnnlChoice none[2];
    if (!onednn_query(l->engine, l->arena, p, none))
        bug("oneDNN cannot reorder %s to %s", p->memory[0].tag, p->memory[1].tag);
    BufferId scratch = lower_scratch_buffer(l, p->scratch_bytes);
    Step *s = add_step_between(l, TARGET_DNNL, from, to);
    s->dnnl = p;
    s->scratch = scratch;
}

bool lower_can_reorder(const Lowering *l, ValueId v)
{
    DType t = type_of(l->g, v)->dtype;
    return l->engine &&
           (t == DT_F32 || t == DT_BF16 || t == DT_F16 || t == DT_I32 || t == DT_I8 || t == DT_U8);
}

void lower_copy_to(Lowering *l, ValueId v, BufferId to)
{
    lower_add_reorder(l, lower_primary(l, v), to);
}

/* The same bytes under another layout's name (dimensions of size 1 moved). */
static BufferId renamed(Lowering *l, BufferId b, const Layout *layout)
{
    Buffer view = l->p->buffers[b];
    view.layout = *layout;
    view.base = b;
    view.base_offset = 0;
    return lower_new_buffer(l, view);
}

/* A constant in another layout, permuted now. */
static BufferId permuted_const(Lowering *l, ValueId v, const Layout *layout)
{
    const Value *value = value_at(l->g, v);
    const TensorType *t = &value->type;
    size_t size = dtype_size(t->dtype), bytes = layout_bytes(layout, t);
    int64_t to[MAX_RANK], index[MAX_RANK] = {0}, count = type_count(t);
    unsigned char *data = arena_alloc(l->arena, bytes ? bytes : 1);
    layout_strides(layout, t, to);
    for (int64_t i = 0; i < count; i++) {
        int64_t at = 0;
        for (int d = 0; d < t->rank; d++)
            at += layout->block && d == layout->block_dim
                      ? index[d] / layout->block * to[d] + index[d] % layout->block
                      : index[d] * to[d];
        memcpy(data + (size_t)at * size, (const unsigned char *)value->data + (size_t)i * size,
               size);
        for (int d = t->rank - 1; d >= 0 && ++index[d] == t->dims[d]; d--)
            index[d] = 0;
    }
    BufferId b = lower_const(l, *t, data, bytes); /* may be another constant's, in its own layout */
    return renamed(l, b, layout);
}

/* A constant that nobody has read yet, and that is to lie in another order: it is not stored as it is. */
static bool is_wanted_otherwise(const Lowering *l, ValueId v, const Layout *layout)
{
    const Layout plain = layout_plain(layout->rank);
    return l->primary[v.i] == NO_BUFFER && value_at(l->g, v)->kind == VALUE_CONST &&
           !layout_same_bytes(&plain, layout, type_of(l->g, v));
}

BufferId lower_value_in(Lowering *l, ValueId v, const Layout *layout)
{
    const TensorType *t = type_of(l->g, v);
    if (is_wanted_otherwise(l, v, layout))
        return permuted_const(l, v, layout);
    BufferId b = lower_primary(l, v);
    Layout dense = layout_dense(&l->p->buffers[b].layout);
    if (layout_equal(&l->p->buffers[b].layout, layout))
        return b;
    if (l->p->buffers[b].layout.pitch && layout_equal(&dense, layout)) {
        l->met_read = true;
        if (l->may_read_parts)
            return b;
    }
    for (size_t i = 0; i < l->n_copies; i++)
        if (same_value(l->copies[i].value, v) &&
            layout_equal(&l->p->buffers[l->copies[i].buffer].layout, layout))
            return l->copies[i].buffer;
    BufferId copy;
    if (layout_same_bytes(&l->p->buffers[b].layout, layout, t))
        copy = renamed(l, b, layout);
    else if (value_at(l->g, v)->kind == VALUE_CONST)
        copy = permuted_const(l, v, layout);
    else {
        copy = lower_copy_at_port(l, v, layout);
        if (copy == NO_BUFFER)
            copy = lower_arena_buffer(l, v, *t, *layout, layout_bytes(layout, t));
        lower_add_reorder(l, b, copy);
    }
    ARENA_PUSH(l->arena, l->copies, l->n_copies, l->cap_copies, (Copy){v, copy});
    return copy;
}

bool lower_writes_part(const Lowering *l, ValueId v)
{
    return l->may_write_parts && has_destination(l, v) && l->dest[v.i].layout.pitch;
}

BufferId lower_output(Lowering *l, ValueId v, const Layout *layout)
{
    const TensorType *t = type_of(l->g, v);
    Layout dense = layout_dense(&l->dest[v.i].layout);
    BufferId b = NO_BUFFER;
    if (has_destination(l, v) && l->dest[v.i].layout.pitch && layout_equal(&dense, layout)) {
        l->met_write = true;
        if (l->may_write_parts)
            b = lower_at_destination(l, v, &l->dest[v.i].layout);
    }
    if (b == NO_BUFFER)
        b = lower_at_destination(l, v, layout);
    if (b == NO_BUFFER)
        b = l->primary[v.i] = lower_arena_buffer(l, v, *t, *layout, layout_bytes(layout, t));
    return b;
}

/* Whether something that b is a part of is read later, itself or through another of its parts. */
static bool is_part_of_living(const Lowering *l, BufferId b)
{
    for (; b != NO_BUFFER; b = l->p->buffers[b].base) {
        ValueId v = l->p->buffers[b].value;
        if (has_value(v) && l->last_use[v.i] > l->now)
            return true;
    }
    return false;
}

BufferId lower_output_over(Lowering *l, ValueId out, ValueId v, const Layout *layout,
                           const ValueId *others, uint32_t n)
{
    if (value_at(l->g, v)->kind != VALUE_NODE || l->primary[v.i] == NO_BUFFER ||
        l->last_use[v.i] != l->now || has_destination(l, out))
        return NO_BUFFER;
    BufferId b = l->primary[v.i], root = root_buffer(l->p, b, NULL);
    if (l->p->buffers[root].kind != BUFFER_ARENA ||
        !layout_equal(&l->p->buffers[b].layout, layout) || is_part_of_living(l, b))
        return NO_BUFFER;
    for (uint32_t i = 0; i < n; i++)
        if (l->primary[others[i].i] != NO_BUFFER &&
            root_buffer(l->p, l->primary[others[i].i], NULL) == root)
            return NO_BUFFER;
    for (size_t i = 0; i < l->n_copies; i++) /* copies may be views of it that are read later */
        if (root_buffer(l->p, l->copies[i].buffer, NULL) == root &&
            l->last_use[l->copies[i].value.i] > l->now)
            return NO_BUFFER;
    return lower_view_as(l, b, 0, out, l->p->buffers[b].layout);
}
