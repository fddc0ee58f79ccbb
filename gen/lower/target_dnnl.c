/* Steps of the oneDNN target: described, asked for, and taken back where oneDNN has nothing good. */
#include "lower.h"

#include "../dnnl/describe.h"
#include "../kernel/conv_flat.h"
#include "../kernel/kernel.h"
#include "../ops/ops.h"
#include "../tune/question.h"

#include <string.h>

/* --- steps of the oneDNN target ---------------------------------------------------------------------------------- */

/* oneDNN's reference implementations visit every element through its layout's formula: 10 to 100 times slower than the
 * portable kernels, and a composite is better taken apart. So is one of its plain loops ("simple") with post-ops, and a
 * transposed convolution that is another primitive run backwards ("conv:"): reference code applies the post-ops afterwards
 * (measured: 33 ns an element for a LeakyRelu and a sum, 16 channels, 65 columns, where the convolution itself takes 1 µs). */
static bool is_slow(const DnnlPrimitive *p)
{
    return p->impl &&
           (strncmp(p->impl, "ref", 3) == 0 || (p->n_post && (strncmp(p->impl, "simple", 6) == 0 ||
                                                              strncmp(p->impl, "conv:", 5) == 0)));
}

/* Weights that another variant has packed are packed alike, so that they are stored once, where the same implementation takes them so. */
static void pack_as_before(Lowering *l, DnnlPrimitive *p, uint32_t i, DnnlChoice *choice)
{
    DnnlMemory *m = &p->memory[i];
    const uint64_t hash = onednn_weights_hash(m);
    const char *impl = p->impl;
    const size_t scratch = p->scratch_bytes;
    for (size_t k = 0; k < l->n_packings; k++) {
        const Packing *before = &l->packings[k];
        if (before->hash != hash)
            continue;
        if (before->blob_size == choice[i].blob_size &&
            !memcmp(before->blob, choice[i].blob, choice[i].blob_size))
            return;
        DnnlChoice *other = ARENA_ARRAY(l->arena, DnnlChoice, p->n_memory);
        m->given = before->blob;
        m->given_size = before->blob_size;
        const bool takes = onednn_query(l->engine, l->arena, p, other) && !strcmp(p->impl, impl);
        m->given = NULL;
        if (takes) {
            memcpy(choice, other, p->n_memory * sizeof *choice);
            return;
        }
        p->impl = impl;
        p->scratch_bytes = scratch;
    }
    ARENA_PUSH(l->arena, l->packings, l->n_packings, l->cap_packings,
               (Packing){hash, choice[i].blob, choice[i].blob_size});
}

/* oneDNN packs narrow weights in blocks of 64 columns, most of them zeros. Its kernels take blocks of 16, 32 and 48 in the same time, and these are what products in C
 * read, which other variants have. */
static void pack_narrow(Lowering *l, DnnlPrimitive *p, uint32_t i, DnnlChoice *choice)
{
    enum { ROWS = 16, WIDEST = 64 };
    DnnlMemory *m = &p->memory[i];
    const int64_t columns = m->rank == 2 ? ROWS * divide_up(m->dims[1], ROWS) : WIDEST;
    const DnnlPrimitive before = *p;
    const DnnlChoice *c = &choice[i];
    if (p->kind != KIND_MATMUL || columns >= WIDEST || c->n_blocks != 2 || c->block[0] != ROWS ||
        c->block_dim[1] != 1 || c->block[1] != WIDEST)
        return;
    DnnlChoice *other = ARENA_ARRAY(l->arena, DnnlChoice, p->n_memory);
    m->columns = columns;
    if (onednn_query(l->engine, l->arena, p, other) && !strcmp(p->impl, before.impl))
        memcpy(choice, other, p->n_memory * sizeof *choice);
    else
        *p = before;
    m->columns = 0;
}

static bool has_one_thread(const Lowering *l, const Step *s, const DnnlPrimitive *p)
{
    static const char *const names[] = {"one thread", "all threads", "one thread"};
    const bool all = onednn_threads_for(l, onednn_ns(l, p) + onednn_apart_ns(l, p)) > 1;
    return onednn_engine_threads(l->engine) == 1 ||
           search_ask(l->options.search, l->g, node_at(l->g, s->node), "threads", names + all, 2) ==
               all;
}

/* Asks oneDNN, packs the constants it wants in its own form, unless it is slow, and adds the scratch buffer. */
static bool settle(Lowering *l, Step *s)
{
    DnnlPrimitive *p = onednn_core(s->dnnl);
    const bool in_c = p->indirect || p->winograd;
    if (p == s->dnnl && !p->attention && !in_c)
        p->one_thread = has_one_thread(l, s, p);
    if (p->attention || in_c) { /* asked for already; packed already */
        s->scratch = lower_scratch_buffer(l, p->scratch_bytes);
        return true;
    }
    DnnlChoice *choice = ARENA_ARRAY(l->arena, DnnlChoice, p->n_memory);
    if (!onednn_query(l->engine, l->arena, p, choice))
        return false;
    if (is_slow(s->dnnl))
        return true;
    lower_release_read(l, p);
    for (uint32_t i = 0; i < p->n_memory; i++) {
        DnnlMemory *m = &p->memory[i];
        if (!choice[i].bytes)
            continue;
        if (l->g->variants.n > 1) {
            pack_narrow(l, p, i, choice);
            pack_as_before(l, p, i, choice);
        }
        void *packed = arena_alloc(l->arena, choice[i].bytes);
        if (!onednn_pack(l->engine, m, &choice[i], packed))
            return false;
        TensorType blob = {.dtype = DT_U8, .rank = 1, .dims = {(int64_t)choice[i].blob_size}};
        TensorType type = type_make(m->dtype, m->rank, m->dims);
        lower_release(l, m->data, type_bytes(&type)); /* a copy that was made for this */
        m->buffer = lower_const(l, type, packed, choice[i].bytes);
        m->blob = lower_const(l, blob, choice[i].blob, choice[i].blob_size);
    }
    s->scratch = lower_scratch_buffer(l, s->dnnl->scratch_bytes);
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
    while (l->p->n_buffers > mark.n_buffers) {
        const Buffer b = l->p->buffers[--l->p->n_buffers];
        if (b.kind == BUFFER_CONST)
            lower_release(l, b.data, b.bytes);
    }
    l->p->n_steps = mark.n_steps;
    l->n_copies = mark.n_copies;
    l->n_claims = mark.n_claims;
    l->primary[out.i] = NO_BUFFER;
    for (uint32_t v = 0; v < l->g->n_values; v++) /* constants met for the first time */
        if (l->primary[v] != NO_BUFFER && l->primary[v] >= mark.n_buffers)
            l->primary[v] = NO_BUFFER;
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
    bool described = onednn_describe(l, &s, node_at(l->g, s.node), c);
    bool settled = described && settle(l, &s);
    l->may_read_parts = l->may_write_parts = false;
    if (!settled || is_slow(s.dnnl)) {
        l->why = !described
                     ? "its operands lie in memory, or are wanted there, as no primitive takes them"
                 : !settled
                     ? "oneDNN has no implementation"
                     : arena_printf(l->arena, "oneDNN has only slow code (%s)", s.dnnl->impl);
        take_back(l, mark, c, id);
        return false;
    }
    s.why = s.dnnl->why;
    l->why = NULL;
    *lower_new_step(l, TARGET_DNNL) = s;
    return true;
}

/* The row of the depthwise convolution that c ends with, but for functions; NO_ROW: it has none. */
static uint32_t depthwise_row(const Composite *c)
{
    for (uint32_t i = 0; i < c->n_post; i++)
        if (c->post[i].kind == POST_DEPTHWISE)
            return i;
    return NO_ROW;
}

/* Layers that no algorithm in C ends, with functions that take oneDNN very long; and two convolutions in one, of which oneDNN's joint kernels compute functions that are
 * polynomials far more slowly than C: 32 and 32 channels of 104x104, each with a swish, stride 2, 0.60 ms in one and 0.44 as two in C (Zen 3, AVX2). */
static bool is_better_apart(const Lowering *l, const Composite *c)
{
    const uint32_t at = depthwise_row(c);
    const Node *anchor = node_at(l->g, c->anchor);
    if (anchor->op != OP_Conv && !product_is_by_weights(l->g, anchor) &&
        describe_is_very_slow(l, c))
        return true;
    return at != NO_ROW && conv_tiles_pay(l->g, node_at(l->g, c->post[at].node), &l->machine) &&
           describe_is_slow_joint(l, c);
}

/* Convolutions may work on parts of wider tensors where oneDNN (or Winograd's method) does so at full speed. */
bool lower_dnnl(Lowering *l, NodeId id, const Composite *c)
{
    const Op op = node_at(l->g, c ? c->anchor : id)->op;
    if (c && is_better_apart(l, c)) {
        l->why = "the functions are quicker in C";
        return false;
    }
    if (op != OP_Conv && op != OP_QLinearConv)
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

/* A node that moves nothing, only another view of memory. */
static bool lower_as_view(Lowering *l, const Node *n)
{
    if (n->op == OP_Reshape)
        lower_view(l, n);
    else if (n->op == OP_Transpose && lower_transpose_is_view(l, n))
        lower_transpose_view(l, n);
    else
        return false;
    return true;
}

/* All its nodes have one position: what a node reads may be read by the next as well, so nothing is overwritten. */
static bool lower_one_by_one(Lowering *l, const Composite *c)
{
    l->now = NO_ROW - 1;
    for (uint32_t i = 0; i < c->n_nodes; i++) {
        const char *why = l->why;
        if (!lower_as_view(l, node_at(l->g, c->nodes[i])) && !lower_dnnl(l, c->nodes[i], NULL) &&
            !lower_c_node(l, c->nodes[i]))
            return false;
        l->why = why; /* of the whole, for those that oneDNN was not asked about */
    }
    return true;
}

/* A depthwise convolution by itself, with what is behind it. */
static bool is_in_c(const Lowering *l, const Composite *c)
{
    return conv_tiles_pay(l->g, node_at(l->g, c->anchor), &l->machine) &&
           (c->n_nodes == 1 || c_takes_epilogue(l->g, c->anchor, c->nodes, c->n_nodes, c->root));
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
    if (!lower_dnnl(l, part[0].root, &part[0]) && !lower_one_by_one(l, &part[0]))
        return false;
    if (is_in_c(l, &part[1])) {
        part[1].kind = COMPOSITE_EPILOGUE;
        return part[1].n_nodes > 1 ? lower_c_group(l, &part[1]) : lower_c_node(l, depthwise);
    }
    return lower_dnnl(l, part[1].root, &part[1]) || lower_one_by_one(l, &part[1]);
}

bool lower_parts(Lowering *l, const Composite *c)
{
    const char *why = l->why;
    const uint32_t first = l->p->n_steps, two = depthwise_row(c);
    if (!(two != NO_ROW ? lower_two(l, c, two) : lower_one_by_one(l, c)))
        return false;
    for (uint32_t i = first; i < l->p->n_steps && why; i++) {
        Step *s = &l->p->steps[i];
        if (s->n_nodes && s->target == TARGET_DNNL)
            s->why = arena_printf(l->arena, "apart, since of the whole %s%s%s", why,
                                  s->why ? "; " : "", s->why ? s->why : "");
    }
    return true;
}
