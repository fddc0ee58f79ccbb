/* Lowering: see lower.h.
 *
 * Nodes are taken region by region. Each becomes a step; a node whose composite is not finished yet waits for its root;
 * a Reshape becomes a view where the bytes stay where they are. Every value has one primary buffer, written by its
 * producer in the layout that suits it; who wants another layout gets a copy through a reorder step that all its kind share.
 *
 * Layouts: oneDNN's forward primitives are at their best with the channels last (measured on AVX2 and AVX-512: never
 * slower than blocked ones, and every other kernel can read them), so there are two: row-major and channels-last. */
#include "lower.h"

#include "dnnl_describe.h"
#include "emit.h"
#include "emit_c.h"
#include "emit_unit.h"
#include "lower_place.h"
#include "ops.h"

#include <string.h>

BufferId lower_new_buffer(Lowering *l, Buffer b)
{
    Program *p = l->p;
    p->buffers =
        arena_grow(p->arena, p->buffers, p->n_buffers, &p->cap_buffers, sizeof *p->buffers);
    p->buffers[p->n_buffers] = b;
    return p->n_buffers++;
}

static Step *new_step(Lowering *l, Target target)
{
    Program *p = l->p;
    p->steps = arena_grow(p->arena, p->steps, p->n_steps, &p->cap_steps, sizeof *p->steps);
    p->steps[p->n_steps] = (Step){.target = target, .node = NO_NODE, .scratch = NO_BUFFER};
    return &p->steps[p->n_steps++];
}

static BufferId arena_buffer(Lowering *l, ValueId v, TensorType type, Layout layout, size_t bytes)
{
    return lower_new_buffer(l, (Buffer){.kind = BUFFER_ARENA,
                                        .value = v,
                                        .type = type,
                                        .layout = layout,
                                        .bytes = bytes,
                                        .base = NO_BUFFER});
}

static BufferId scratch_buffer(Lowering *l, size_t bytes)
{
    TensorType type = {.dtype = DT_U8, .rank = 1, .dims = {(int64_t)bytes}};
    return bytes ? arena_buffer(l, NO_VALUE, type, layout_plain(1), bytes) : NO_BUFFER;
}

BufferId lower_const(Lowering *l, TensorType type, const void *data, size_t bytes)
{
    Program *p = l->p;
    for (uint32_t i = 0; i < p->n_buffers; i++) {
        Buffer *b = &p->buffers[i];
        if (b->kind == BUFFER_CONST && b->base == NO_BUFFER && b->bytes == bytes &&
            type_equal(&b->type, &type) && (b->data == data || !memcmp(b->data, data, bytes)))
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

/* --- values in layouts ----------------------------------------------------------------------------------------- */

static BufferId primary_of(Lowering *l, ValueId v)
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

/* With the gaps between its rows, if it is a part of a wider tensor. */
static Layout actual_layout(const Lowering *l, ValueId v)
{
    BufferId b = l->primary[v.i];
    return b == NO_BUFFER ? layout_plain(type_of(l->g, v)->rank) : l->p->buffers[b].layout;
}

Layout lower_layout_of(const Lowering *l, ValueId v)
{
    Layout layout = actual_layout(l, v);
    return layout_dense(&layout);
}

static Step *add_step_between(Lowering *l, Target target, BufferId from, BufferId to)
{
    Step *s = new_step(l, target);
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

/* A few planes become the elements of one, as red, green and blue do of pixels, or a few channel groups are shuffled: a loop in C
 * reads each once in a row. It takes a third of the time of oneDNN's reorder, which is made for larger inner dimensions. */
static bool interleaves_few(const Buffer *src, const Buffer *dst)
{
    enum { FEW = 8, MANY = 16 };
    const TensorType *t = &dst->type;
    int64_t from[MAX_RANK], to[MAX_RANK];
    if (src->layout.block || dst->layout.block || type_count(t) == 0)
        return false;
    layout_strides(&src->layout, t, from);
    layout_strides(&dst->layout, t, to);
    int inner = inner_dim(t, to, -1), next = inner_dim(t, to, inner);
    return next >= 0 && t->dims[inner] <= FEW && from[inner] != 1 && from[next] == 1 &&
           t->dims[next] >= MANY;
}

/* Adds the step that copies `from` to `to`, which differ in layout only. */
static void add_reorder(Lowering *l, BufferId from, BufferId to)
{
    const Buffer *src = &l->p->buffers[from], *dst = &l->p->buffers[to];
    /* oneDNN 3.7.2 copies the gaps as well where both have the same ones */
    bool gaps = src->layout.pitch && dst->layout.pitch;
    if (gaps || interleaves_few(src, dst)) {
        add_step_between(l, TARGET_C, from, to);
        return;
    }
    DnnlPrimitive *p = ARENA_NEW(l->arena, DnnlPrimitive);
    p->kind = KIND_REORDER;
    p->memory = ARENA_ARRAY(l->arena, DnnlMemory, 2);
    p->n_memory = 2;
    for (int k = 0; k < 2; k++) {
        const Buffer *b = k ? dst : src;
        DnnlMemory *m = &p->memory[k];
        *m = (DnnlMemory){.arg = k ? DNNL_ARG_DST : DNNL_ARG_SRC,
                          .name = k ? "dst" : "src",
                          .buffer = k ? to : from,
                          .blob = NO_BUFFER,
                          .dtype = b->type.dtype,
                          .rank = b->type.rank};
        memcpy(m->dims, b->type.dims, sizeof m->dims);
        describe_layout(l->arena, m, b);
    }
    DnnlChoice none[2];
    if (!dnnl_query(l->engine, l->arena, p, none))
        bug("oneDNN cannot reorder %s to %s", p->memory[0].tag, p->memory[1].tag);
    BufferId scratch = scratch_buffer(l, p->scratch_bytes);
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
    add_reorder(l, primary_of(l, v), to);
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
            at += index[d] * to[d];
        memcpy(data + (size_t)at * size, (const unsigned char *)value->data + (size_t)i * size,
               size);
        for (int d = t->rank - 1; d >= 0 && ++index[d] == t->dims[d]; d--)
            index[d] = 0;
    }
    BufferId b = lower_const(l, *t, data, bytes); /* may be another constant's, in its own layout */
    return renamed(l, b, layout);
}

BufferId lower_value_in(Lowering *l, ValueId v, const Layout *layout)
{
    BufferId b = primary_of(l, v);
    const TensorType *t = type_of(l->g, v);
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
        copy = arena_buffer(l, v, *t, *layout, layout_bytes(layout, t));
        add_reorder(l, b, copy);
    }
    l->copies = arena_grow(l->arena, l->copies, l->n_copies, &l->cap_copies, sizeof *l->copies);
    l->copies[l->n_copies++] = (Copy){v, copy};
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
        b = l->primary[v.i] = arena_buffer(l, v, *t, *layout, layout_bytes(layout, t));
    return b;
}

static BufferId root_of(const Program *p, BufferId b)
{
    while (p->buffers[b].base != NO_BUFFER)
        b = p->buffers[b].base;
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
    BufferId b = l->primary[v.i], root = root_of(l->p, b);
    if (l->p->buffers[root].kind != BUFFER_ARENA ||
        !layout_equal(&l->p->buffers[b].layout, layout) || is_part_of_living(l, b))
        return NO_BUFFER;
    for (uint32_t i = 0; i < n; i++)
        if (l->primary[others[i].i] != NO_BUFFER && root_of(l->p, l->primary[others[i].i]) == root)
            return NO_BUFFER;
    for (size_t i = 0; i < l->n_copies; i++) /* copies may be views of it that are read later */
        if (root_of(l->p, l->copies[i].buffer) == root &&
            l->last_use[l->copies[i].value.i] > l->now)
            return NO_BUFFER;
    Buffer view = l->p->buffers[b];
    view.value = out;
    view.base = b;
    view.base_offset = 0;
    return l->primary[out.i] = lower_new_buffer(l, view);
}

/* --- steps of the C target -------------------------------------------------------------------------------------- */

static const Composite *composite_of(const Lowering *l, NodeId id)
{
    const Columns *c = l->g->columns;
    return c->composite && c->composite[id.i] != NO_ROW ? &c->composites[c->composite[id.i]] : NULL;
}

/* Whether some reader of v would rather have the channels last. */
static bool reader_wants_nxc(const Lowering *l, ValueId v)
{
    const Graph *g = l->g;
    if (!g->columns->target || has_destination(l, v))
        return false;
    for (uint32_t i = l->uses.start[v.i]; i < l->uses.start[v.i + 1]; i++) {
        const Node *n = node_at(g, l->uses.node[i]);
        if (g->columns->target[l->uses.node[i].i] == TARGET_DNNL &&
            (op_info(n->op)->class != CLASS_MOVE || n->op == OP_Concat) && n->op != OP_MatMul &&
            n->op != OP_Gemm)
            return true;
    }
    return false;
}

/* All readers are Transposes and Reshapes that may turn the memory order into a useful one. */
static bool only_transposed(const Lowering *l, ValueId v)
{
    uint32_t n = use_count(&l->uses, v);
    for (uint32_t i = 0; i < n; i++)
        if (node_at(l->g, l->uses.node[l->uses.start[v.i] + i])->op != OP_Transpose)
            return false;
    return n > 0;
}

/* All readers are elementwise on its shape: they take any order of dimensions, and hand it on. */
static bool only_elementwise(const Lowering *l, ValueId v)
{
    uint32_t n = use_count(&l->uses, v);
    for (uint32_t i = 0; i < n; i++) {
        const Node *reader = node_at(l->g, l->uses.node[l->uses.start[v.i] + i]);
        if (op_info(reader->op)->class != CLASS_ELTWISE ||
            !same_shape(type_of(l->g, reader->out[0]), type_of(l->g, v)))
            return false;
    }
    return n > 0 && !l->uses.is_output[v.i];
}

/* The layout that v is wanted in; its rows may have gaps. */
static Layout wanted_layout(const Lowering *l, ValueId v)
{
    int rank = type_of(l->g, v)->rank;
    if (has_destination(l, v))
        return l->dest[v.i].layout;
    return rank > 2 && reader_wants_nxc(l, v) ? layout_nxc(rank) : layout_plain(rank);
}

Layout lower_wanted_layout(const Lowering *l, ValueId v)
{
    Layout layout = wanted_layout(l, v);
    return layout_dense(&layout);
}

/* What a kernel may be asked to do, best first: take operands and leave results with gaps between their rows, or without,
 * or leave results row-major. */
static bool try_c_layouts(const Lowering *l, const Node *n, bool read_parts, bool write_parts,
                          bool plain, Layout *in, Layout *out)
{
    for (uint32_t k = 0; k < n->n_in; k++) {
        in[k] = has_value(n->in[k]) ? actual_layout(l, n->in[k]) : layout_plain(0);
        if (!read_parts)
            in[k] = layout_dense(&in[k]);
    }
    for (uint32_t k = 0; k < n->n_out; k++) {
        out[k] = layout_plain(has_value(n->out[k]) ? type_of(l->g, n->out[k])->rank : 0);
        if (!plain && has_value(n->out[k]))
            out[k] = wanted_layout(l, n->out[k]);
        if (!write_parts)
            out[k] = layout_dense(&out[k]);
    }
    return c_accepts_layouts(l->g, n, in, out);
}

static void c_layouts(const Lowering *l, const Node *n, Layout *in, Layout *out)
{
    bool any = false, parts = false;
    for (uint32_t k = 0; k < n->n_in; k++) {
        Layout have = has_value(n->in[k]) ? actual_layout(l, n->in[k]) : layout_plain(0);
        any = any || !layout_is_plain(&have);
        parts = parts || have.pitch;
    }
    for (uint32_t k = 0; k < n->n_out; k++)
        parts = parts || (has_value(n->out[k]) && has_destination(l, n->out[k]) &&
                          l->dest[n->out[k].i].layout.pitch);
    if (parts && (try_c_layouts(l, n, true, true, false, in, out) ||
                  try_c_layouts(l, n, true, false, false, in, out) ||
                  try_c_layouts(l, n, false, true, false, in, out)))
        return;
    if (any && (try_c_layouts(l, n, false, false, false, in, out) ||
                try_c_layouts(l, n, false, false, true, in, out)))
        return;
    for (uint32_t k = 0; k < n->n_in; k++)
        in[k] = layout_plain(has_value(n->in[k]) ? type_of(l->g, n->in[k])->rank : 0);
    for (uint32_t k = 0; k < n->n_out; k++)
        out[k] = layout_plain(has_value(n->out[k]) ? type_of(l->g, n->out[k])->rank : 0);
}

static bool lower_c_node(Lowering *l, NodeId id)
{
    const Node *n = node_at(l->g, id);
    const char *why = NULL;
    if (!c_target_supports(l->g, n, &why))
        return refuse_node(l->g, n, "%s", why ? why : "this operator is not supported");
    Layout *in_layout = ARENA_ARRAY(l->arena, Layout, n->n_in + 1);
    Layout *out_layout = ARENA_ARRAY(l->arena, Layout, n->n_out + 1);
    BufferId *in = ARENA_ARRAY(l->arena, BufferId, n->n_in),
             *out = ARENA_ARRAY(l->arena, BufferId, n->n_out);
    c_layouts(l, n, in_layout, out_layout);
    for (uint32_t k = 1; k < n->n_in; k++)
        c_wants_constant(l->g, n, &in_layout[0], k, &in_layout[k]);
    for (uint32_t k = 0; k < n->n_in; k++)
        in[k] = has_value(n->in[k]) ? lower_value_in(l, n->in[k], &in_layout[k]) : NO_BUFFER;
    for (uint32_t k = 0; k < n->n_out; k++)
        out[k] = has_value(n->out[k]) ? lower_output(l, n->out[k], &out_layout[k]) : NO_BUFFER;
    BufferId scratch = scratch_buffer(l, c_scratch_bytes(l->g, n));
    Step *s = new_step(l, TARGET_C);
    s->node = id;
    s->nodes = arena_copy(l->arena, &id, sizeof id);
    s->n_nodes = 1;
    s->in = in;
    s->out = out;
    s->n_in = n->n_in;
    s->n_out = n->n_out;
    s->scratch = scratch;
    return true;
}

/* Whether an elementwise result may lie as its operand does: not where it is wanted in another way. */
static bool may_have_layout_of(const Lowering *l, ValueId result, ValueId operand)
{
    Layout have = lower_layout_of(l, operand), want = layout_dense(&l->dest[result.i].layout);
    return !layout_is_plain(&have) && (!has_destination(l, result) || layout_equal(&have, &want));
}

/* A fused elementwise group: its arguments in slot order, one output. Rows may have gaps. */
static bool lower_c_group(Lowering *l, const Composite *c)
{
    ValueId result = node_at(l->g, c->root)->out[0];
    const TensorType *t = type_of(l->g, result);
    Layout layout = layout_plain(t->rank);
    for (uint32_t k = 0; k < c->n_args; k++)
        if (same_shape(type_of(l->g, c->args[k]), t) && may_have_layout_of(l, result, c->args[k]))
            layout = lower_layout_of(l, c->args[k]);
    for (uint32_t k = 0; k <= c->n_args; k++) { /* all of them may have to be reordered */
        ValueId v = k < c->n_args ? c->args[k] : result;
        if (same_shape(type_of(l->g, v), t) && !lower_can_reorder(l, v))
            layout = layout_plain(t->rank);
    }
    BufferId *in = ARENA_ARRAY(l->arena, BufferId, c->n_args),
             *out = ARENA_ARRAY(l->arena, BufferId, 1);
    l->may_read_parts = l->may_write_parts = true;
    for (uint32_t k = 0; k < c->n_args; k++) {
        const TensorType *a = type_of(l->g, c->args[k]);
        Layout want = same_shape(a, t)     ? layout
                      : a->rank == t->rank ? lower_layout_of(l, c->args[k])
                                           : layout_plain(a->rank);
        in[k] = lower_value_in(l, c->args[k], &want);
    }
    out[0] = lower_output(l, result, &layout);
    l->may_read_parts = l->may_write_parts = false;
    Step *s = new_step(l, TARGET_C);
    s->node = c->anchor;
    s->nodes = c->nodes;
    s->n_nodes = c->n_nodes;
    s->in = in;
    s->out = out;
    s->n_in = c->n_args;
    s->n_out = 1;
    return true;
}

/* --- steps of the oneDNN target ---------------------------------------------------------------------------------- */

/* Asks oneDNN, packs the constants it wants in its own form and adds the scratch buffer. */
static bool settle(Lowering *l, Step *s)
{
    DnnlPrimitive *p = s->dnnl->winograd ? s->dnnl->winograd->matmul : s->dnnl;
    DnnlChoice *choice = ARENA_ARRAY(l->arena, DnnlChoice, p->n_memory);
    if (!dnnl_query(l->engine, l->arena, p, choice))
        return false;
    for (uint32_t i = 0; i < p->n_memory; i++) {
        DnnlMemory *m = &p->memory[i];
        if (!choice[i].bytes)
            continue;
        void *packed = arena_alloc(l->arena, choice[i].bytes);
        if (!dnnl_pack(l->engine, m, &choice[i], packed))
            return false;
        TensorType blob = {.dtype = DT_U8, .rank = 1, .dims = {(int64_t)choice[i].blob_size}};
        TensorType type = type_make(m->dtype, m->rank, m->dims);
        m->buffer = lower_const(l, type, packed, choice[i].bytes);
        m->blob = lower_const(l, blob, choice[i].blob, choice[i].blob_size);
    }
    s->scratch = scratch_buffer(l, s->dnnl->scratch_bytes);
    return true;
}

/* What describing may have added is taken back when oneDNN says no after all. */
typedef struct Mark {
    uint32_t n_buffers, n_steps;
    size_t n_copies, n_claims;
} Mark;

static void take_back(Lowering *l, Mark mark, const Composite *c, NodeId id)
{
    ValueId out = node_at(l->g, c ? c->root : id)->out[0];
    l->p->n_buffers = mark.n_buffers;
    l->p->n_steps = mark.n_steps;
    l->n_copies = mark.n_copies;
    l->n_claims = mark.n_claims;
    l->primary[out.i] = NO_BUFFER;
    for (uint32_t v = 0; v < l->g->n_values; v++) /* constants met for the first time */
        if (l->primary[v] != NO_BUFFER && l->primary[v] >= mark.n_buffers)
            l->primary[v] = NO_BUFFER;
}

/* oneDNN's reference implementations visit every element through its layout's formula: 10 to 100 times slower than the
 * portable kernels, and a composite is better taken apart. So is one of its plain loops ("simple") with post-ops. */
static bool is_slow(const DnnlPrimitive *p)
{
    return p->impl &&
           (strncmp(p->impl, "ref", 3) == 0 || (p->n_post && strncmp(p->impl, "simple", 6) == 0));
}

/* One attempt: with operands and the result as they stand in wider tensors, or packed. */
static bool try_dnnl(Lowering *l, NodeId id, const Composite *c, bool read_parts, bool write_parts)
{
    Mark mark = {l->p->n_buffers, l->p->n_steps, l->n_copies, l->n_claims};
    Step s = {.target = TARGET_DNNL, .node = c ? c->anchor : id, .scratch = NO_BUFFER};
    s.nodes = c ? c->nodes : arena_copy(l->arena, &id, sizeof id);
    s.n_nodes = c ? c->n_nodes : 1;
    l->may_read_parts = read_parts;
    l->may_write_parts = write_parts;
    l->met_read = l->met_write = false;
    bool done = dnnl_describe(l, &s, node_at(l->g, s.node), c) && settle(l, &s) && !is_slow(s.dnnl);
    l->may_read_parts = l->may_write_parts = false;
    if (!done) {
        take_back(l, mark, c, id);
        return false;
    }
    *new_step(l, TARGET_DNNL) = s;
    return true;
}

/* Convolutions may work on parts of wider tensors where oneDNN (or Winograd's method) does so at full speed. */
static bool lower_dnnl(Lowering *l, NodeId id, const Composite *c)
{
    if (node_at(l->g, c ? c->anchor : id)->op != OP_Conv)
        return try_dnnl(l, id, c, false, false);
    if (try_dnnl(l, id, c, true, true))
        return true;
    bool met_read = l->met_read, met_write = l->met_write;
    if (!met_read && !met_write) /* nothing of the kind: the answer is no */
        return false;
    return (met_read && met_write &&
            (try_dnnl(l, id, c, false, true) || try_dnnl(l, id, c, true, false))) ||
           try_dnnl(l, id, c, false, false);
}

/* All its nodes have one position: what a node reads may be read by the next as well, so nothing is overwritten. */
static bool lower_one_by_one(Lowering *l, const Composite *c)
{
    l->now = NO_ROW - 1;
    for (uint32_t i = 0; i < c->n_nodes; i++)
        if (!lower_dnnl(l, c->nodes[i], NULL) && !lower_c_node(l, c->nodes[i]))
            return false;
    return true;
}

/* A composite of two convolutions as two: the first with what stands before the depthwise one. */
static bool lower_two(Lowering *l, const Composite *c, uint32_t at)
{
    Composite part[2] = {*c, *c};
    NodeId depthwise = c->post[at].node;
    uint32_t first = 0;
    while (c->nodes[first].i != depthwise.i)
        first++;
    part[0].root = c->nodes[first - 1];
    part[0].n_nodes = first;
    part[0].n_post = at;
    part[1].anchor = depthwise;
    part[1].nodes = c->nodes + first;
    part[1].n_nodes = c->n_nodes - first;
    part[1].bias = node_in(node_at(l->g, depthwise), 2);
    part[1].post = c->post + at + 1;
    part[1].n_post = c->n_post - at - 1;
    for (int k = 0; k < 2; k++)
        if (!lower_dnnl(l, part[k].root, &part[k]) && !lower_one_by_one(l, &part[k]))
            return false;
    return true;
}

static bool lower_parts(Lowering *l, const Composite *c)
{
    for (uint32_t i = 0; i < c->n_post; i++)
        if (c->post[i].kind == POST_DEPTHWISE)
            return lower_two(l, c, i);
    return lower_one_by_one(l, c);
}

/* Whether v, at its destination, is only read by views there until one of them is row-major. */
static bool leads_to_plain(const Lowering *l, ValueId v)
{
    for (;;) {
        const TensorType *t = type_of(l->g, v);
        const Dest *d = &l->dest[v.i];
        Layout plain = layout_plain(t->rank);
        if (layout_same_bytes(&d->layout, &plain, t))
            return true;
        if (!single_use(&l->uses, v))
            return false;
        const Node *reader = node_at(l->g, l->uses.node[l->uses.start[v.i]]);
        if ((reader->op != OP_Reshape && reader->op != OP_Transpose) ||
            l->dest[reader->out[0].i].buffer != d->buffer ||
            l->dest[reader->out[0].i].offset != d->offset)
            return false;
        v = reader->out[0];
    }
}

/* --- the whole graph ------------------------------------------------------------------------------------------------ */

/* The layout of the memory that Reshape makes a view of: as it is where the view is of use that way, what a reader of the
 * result wants where that can be had by reordering x, else row-major. */
static void reshape_layouts(const Lowering *l, const Node *n, Layout *before, Layout *after)
{
    ValueId out = n->out[0];
    const TensorType *from = type_of(l->g, n->in[0]), *to = type_of(l->g, out);
    Layout have = actual_layout(l, n->in[0]), nxc = layout_nxc(to->rank), dense;
    bool wants_nxc = to->rank > 2 && reader_wants_nxc(l, out);
    bool free = lower_can_reorder(l, out);
    if (reshape_view(from, &have, to, after)) {
        *before = have;
        dense = layout_dense(after);
        if (layout_is_plain(after) ||
            (free && ((layout_equal(&dense, &nxc) && (wants_nxc || only_elementwise(l, out))) ||
                      only_transposed(l, out))) ||
            (has_destination(l, out) && layout_same_bytes(after, &l->dest[out.i].layout, to) &&
             (free || leads_to_plain(l, out))))
            return;
    }
    *after = nxc;
    if (free && wants_nxc && reshape_view(to, &nxc, from, before))
        return;
    *before = layout_plain(from->rank);
    *after = layout_plain(to->rank);
}

static void lower_view(Lowering *l, const Node *n)
{
    Layout before, after;
    reshape_layouts(l, n, &before, &after);
    BufferId src = lower_value_in(l, n->in[0], &before);
    Buffer view = l->p->buffers[src];
    view.value = n->out[0];
    view.type = *type_of(l->g, n->out[0]);
    view.layout = after;
    view.base = src;
    view.base_offset = 0;
    l->primary[n->out[0].i] = lower_new_buffer(l, view);
}

/* The layout in which y = Transpose(x, perm) is the same memory as x. */
static Layout transposed(const Layout *x, const int64_t *perm)
{
    Layout y = *x;
    for (int k = 0; k < x->rank; k++)
        for (int j = 0; j < x->rank; j++)
            if (perm[j] == x->order[k])
                y.order[k] = (int8_t)j;
    return y;
}

/* Whether n can read operand v in this layout as it is. */
static bool reads_in_place(const Lowering *l, NodeId reader, ValueId v, const Layout *layout)
{
    const Graph *g = l->g;
    const Node *n = node_at(g, reader);
    Layout nxc = layout_nxc(layout->rank);
    if (g->columns->target[reader.i] != TARGET_DNNL || layout->pitch)
        return false;
    switch (n->op) {
    case OP_MatMul: /* strides; one of the two last dimensions must be dense */
        return same_value(n->in[0], v) != same_value(n->in[1], v) && layout->rank > 2 &&
               layout->order[layout->rank - 1] >= layout->rank - 2;
    case OP_Conv:
    case OP_ConvTranspose:
    case OP_MaxPool:
    case OP_AveragePool:
        return same_value(n->in[0], v) && layout_equal(layout, &nxc);
    default:
        return false;
    }
}

/* A Reshape that reorders its operand anyway, for a reader that wants the channels last. */
static bool reshapes_to_nxc(const Lowering *l, NodeId reader)
{
    const Node *n = node_at(l->g, reader);
    if (n->op != OP_Reshape || !reader_wants_nxc(l, n->out[0]))
        return false;
    const TensorType *to = type_of(l->g, n->out[0]);
    Layout nxc = layout_nxc(to->rank), before;
    return to->rank > 2 && reshape_view(to, &nxc, type_of(l->g, n->in[0]), &before);
}

/* A Transpose costs nothing where all readers can take their operand as it lies in memory. */
static bool transpose_is_view(const Lowering *l, const Node *n, Layout *layout)
{
    BufferId b = l->primary[n->in[0].i];
    ValueId out = n->out[0];
    if (b == NO_BUFFER || l->p->buffers[b].layout.block)
        return false;
    Layout plain = layout_plain(type_of(l->g, out)->rank);
    *layout = transposed(&l->p->buffers[b].layout, attr_ints(n, "perm", NULL));
    if (has_destination(l, out))
        return is_at_destination(l, n->in[0]) &&
               l->dest[n->in[0].i].buffer == l->dest[out.i].buffer &&
               l->dest[n->in[0].i].offset == l->dest[out.i].offset &&
               (lower_can_reorder(l, out) || leads_to_plain(l, out));
    if (layout_same_bytes(layout, &plain, type_of(l->g, out))) {
        *layout = plain;
        return true;
    }
    if (!l->engine)
        return false;
    for (uint32_t i = l->uses.start[out.i]; i < l->uses.start[out.i + 1]; i++)
        if (!reads_in_place(l, l->uses.node[i], out, layout) &&
            !reshapes_to_nxc(l, l->uses.node[i]))
            return false;
    return true;
}

static void lower_transpose_view(Lowering *l, const Node *n, const Layout *layout)
{
    BufferId src = l->primary[n->in[0].i];
    Buffer view = l->p->buffers[src];
    view.value = n->out[0];
    view.type = *type_of(l->g, n->out[0]);
    view.layout = *layout;
    view.base = src;
    view.base_offset = 0;
    l->primary[n->out[0].i] = lower_new_buffer(l, view);
}

static bool is_elementwise(const Lowering *l, NodeId id, const Composite *c)
{
    uint32_t n = c ? c->n_nodes : 1;
    const NodeId *nodes = c ? c->nodes : &id;
    for (uint32_t i = 0; i < n; i++)
        if (!c_can_fuse(l->g, node_at(l->g, nodes[i])))
            return false;
    return true;
}

/* Some full operand is a part of a wider tensor, or the result will be. oneDNN's elementwise primitives have only reference
 * code for that. */
static bool touches_parts(const Lowering *l, NodeId id, const Composite *c)
{
    const Node *n = node_at(l->g, id);
    ValueId out = n->out[0];
    const ValueId *in = c ? c->args : n->in;
    for (uint32_t k = 0; k < (c ? c->n_args : n->n_in); k++)
        if (same_shape(type_of(l->g, in[k]), type_of(l->g, out)) && actual_layout(l, in[k]).pitch)
            return true;
    return has_destination(l, out) && l->dest[out.i].layout.pitch;
}

static bool lower_node(Lowering *l, NodeId id)
{
    const Node *n = node_at(l->g, id);
    const Composite *c = composite_of(l, id);
    const Columns *columns = l->g->columns;
    bool dnnl = l->engine && columns->target && columns->target[id.i] == TARGET_DNNL;
    if (c && c->root.i != id.i)
        return true;
    if (!c && n->op == OP_Reshape) {
        lower_view(l, n);
        return true;
    }
    if (!c &&
        ((n->op == OP_Concat && concat_in_place(l, n)) ||
         (n->op == OP_Split && split_is_views(l, n)) || (n->op == OP_Slice && slice_is_view(l, n))))
        return true;
    Layout layout;
    if (!c && n->op == OP_Transpose && transpose_is_view(l, n, &layout)) {
        lower_transpose_view(l, n, &layout);
        return true;
    }
    if (dnnl && is_elementwise(l, id, c) && touches_parts(l, id, c))
        return c ? lower_c_group(l, c) : lower_c_node(l, id);
    if (dnnl && lower_dnnl(l, id, c))
        return true;
    if (dnnl && c)
        return lower_parts(l, c);
    return c ? lower_c_group(l, c) : lower_c_node(l, id);
}

static uint32_t *schedule(const Graph *g, Arena *arena)
{
    const Columns *c = g->columns;
    uint32_t *order = ARENA_ARRAY(arena, uint32_t, g->n_nodes), n = 0;
    for (uint32_t r = 0; c->region && r < c->n_regions; r++)
        for (uint32_t i = 0; i < g->n_nodes; i++)
            if (c->region[i] == r)
                order[n++] = i;
    for (uint32_t i = 0; !c->region && i < g->n_nodes; i++)
        order[n++] = i;
    if (n != g->n_nodes)
        bug("%u of %u nodes are in no region", g->n_nodes - n, g->n_nodes);
    return order;
}

/* Ops whose outputs may be the memory of their operands, or the other way round. */
static bool may_be_view(Op op)
{
    return op == OP_Reshape || op == OP_Transpose || op == OP_Split || op == OP_Slice ||
           op == OP_Concat;
}

static void find_last_uses(Lowering *l, const uint32_t *order)
{
    const Graph *g = l->g;
    for (uint32_t i = 0; i < g->n_nodes; i++)
        l->position[order[i]] = i;
    for (uint32_t i = 0; i < g->n_nodes; i++) {
        const Composite *c = composite_of(l, (NodeId){i});
        if (c)
            l->position[i] = l->position[c->root.i];
    }
    for (uint32_t k = 0; k < g->n_outputs; k++)
        l->last_use[g->outputs[k].value.i] = NO_ROW;
    /* backwards, so that the last use of a view is known before that of what it is a view of */
    for (uint32_t i = g->n_nodes; i-- > 0;) {
        const Node *n = &g->nodes[i];
        uint32_t at = l->position[i];
        for (uint32_t k = 0; may_be_view(n->op) && k < n->n_out; k++)
            if (has_value(n->out[k]) && l->last_use[n->out[k].i] > at)
                at = l->last_use[n->out[k].i];
        for (uint32_t k = 0; k < n->n_in; k++)
            if (has_value(n->in[k]) && l->last_use[n->in[k].i] < at)
                l->last_use[n->in[k].i] = at;
    }
}

static void add_inputs(Lowering *l)
{
    const Graph *g = l->g;
    for (uint32_t i = 0; i < g->n_inputs; i++) {
        ValueId v = g->inputs[i].value;
        const TensorType *t = type_of(g, v);
        l->primary[v.i] = lower_new_buffer(l, (Buffer){.kind = BUFFER_INPUT,
                                                       .value = v,
                                                       .type = *t,
                                                       .layout = layout_plain(t->rank),
                                                       .bytes = type_bytes(t),
                                                       .port = i,
                                                       .base = NO_BUFFER});
    }
}

static bool is_copied_from(const Lowering *l, BufferId port)
{
    for (uint32_t i = 0; i < l->p->n_copies; i++)
        if (root_of(l->p, l->p->copies[i].from) == port)
            return true;
    return false;
}

static void finish_output(Lowering *l, BufferId b, const TensorType *t, BufferId port)
{
    Program *p = l->p;
    Layout plain = layout_plain(t->rank);
    bool reorder = !layout_same_bytes(&p->buffers[b].layout, &plain, t);
    BufferId to = port;
    if (reorder && is_copied_from(l, port)) /* copies come after all steps */
        to = arena_buffer(l, NO_VALUE, *t, plain, type_bytes(t));
    if (reorder)
        add_reorder(l, b, to);
    if (reorder && to == port)
        return;
    p->copies = arena_grow(p->arena, p->copies, p->n_copies, &p->cap_copies, sizeof *p->copies);
    p->copies[p->n_copies++] = (BufferCopy){reorder ? to : b, port};
}

/* Outputs that no step wrote where they belong: inputs, constants, values shown twice, channels-last results. First those that are
 * in the memory of another output, which may be the next to be written. */
static void finish_outputs(Lowering *l)
{
    const Graph *g = l->g;
    for (int pass = 0; pass < 2; pass++)
        for (uint32_t i = 0; i < g->n_outputs; i++) {
            ValueId v = g->outputs[i].value;
            BufferId b = primary_of(l, v);
            bool in_port = l->p->buffers[root_of(l->p, b)].kind == BUFFER_OUTPUT;
            if (in_port == (pass == 0) &&
                !(is_at_destination(l, v) && l->dest[v.i].buffer == l->port_buffer[i]))
                finish_output(l, b, type_of(g, v), l->port_buffer[i]);
        }
}

static const char *label_of(const Lowering *l, const Step *s, uint32_t index)
{
    if (!s->n_nodes)
        return arena_printf(l->arena, "reorder_%u", index);
    const char *op = op_info(node_at(l->g, s->node)->op)->name;
    char *text = arena_printf(l->arena, "%s_%u", op, index);
    for (char *c = text; *c; c++)
        *c = *c >= 'A' && *c <= 'Z' ? (char)(*c - 'A' + 'a') : *c;
    return text;
}

/* Kernels that only move elements or map each by itself. */
static bool is_glue(const Lowering *l, const Step *s)
{
    for (uint32_t i = 0; i < s->n_nodes; i++) {
        Op op = node_at(l->g, s->nodes[i])->op;
        if (op_info(op)->class != CLASS_MOVE && op_info(op)->class != CLASS_ELTWISE &&
            op != OP_Resize)
            return false;
    }
    return true;
}

/* The next step of the oneDNN target, if all before it from step i on are glue; otherwise i. */
static uint32_t skip_glue(const Lowering *l, uint32_t i)
{
    uint32_t j = i;
    while (j < l->p->n_steps && l->p->steps[j].target == TARGET_C && is_glue(l, &l->p->steps[j]))
        j++;
    return j < l->p->n_steps && l->p->steps[j].target == TARGET_DNNL ? j : i;
}

/* Steps of one target that stand together become one unit. One of oneDNN does not end where C kernels only hand elements on
 * to its next primitive. */
static void find_units(Lowering *l)
{
    Program *p = l->p;
    p->regions = ARENA_ARRAY(p->arena, Region, p->n_steps + 1);
    p->unit_start = ARENA_ARRAY(p->arena, uint32_t, p->n_steps + 1);
    uint32_t inside = 0; /* steps before this one stay in the unit */
    for (uint32_t i = 0; i < p->n_steps; i++) {
        Step *s = &p->steps[i];
        bool after_c = i && p->regions[p->n_regions - 1].target == TARGET_C;
        if (i >= inside && s->target == TARGET_C && !after_c)
            inside = skip_glue(l, i);
        Target unit = i < inside ? TARGET_DNNL : s->target;
        if (i == 0 || unit != p->regions[p->n_regions - 1].target) {
            p->unit_start[p->n_regions] = i;
            p->regions[p->n_regions++] = (Region){.target = unit};
        }
        s->region = p->n_regions - 1;
        s->label = label_of(l, s, i);
        s->slot = p->n_slots;
        p->n_slots += dnnl_slots_of(s);
    }
    p->unit_start[p->n_regions] = p->n_steps;
}

Program *lower(Graph *g, DnnlEngine *engine, const LowerOptions *options)
{
    Lowering l = {.g = g, .arena = g->arena, .engine = engine, .options = *options};
    l.p = ARENA_NEW(g->arena, Program);
    l.p->graph = g;
    l.p->arena = g->arena;
    l.primary = ARENA_ARRAY(g->arena, BufferId, g->n_values);
    l.position = ARENA_ARRAY(g->arena, uint32_t, g->n_nodes);
    l.last_use = ARENA_ARRAY(g->arena, uint32_t, g->n_values);
    l.dest = ARENA_ARRAY(g->arena, Dest, g->n_values);
    l.port_buffer = ARENA_ARRAY(g->arena, BufferId, g->n_outputs);
    l.uses = graph_uses(g, g->arena);
    memset(l.primary, 0xff, g->n_values * sizeof *l.primary);
    const uint32_t *order = schedule(g, g->arena);
    assign_destinations(&l);
    find_last_uses(&l, order);
    add_inputs(&l);
    for (uint32_t i = 0; i < g->n_nodes; i++) {
        l.now = l.position[order[i]];
        if (!lower_node(&l, (NodeId){order[i]}))
            return NULL;
    }
    finish_outputs(&l);
    find_units(&l);
    return l.p;
}
