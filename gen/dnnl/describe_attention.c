/* Attention as one layer: query times key in scratch memory, scale, mask and softmax there, times value.
 *
 * Whole tensors of scores leave the caches: with 12 heads of 64 and 1024 positions they are 50 MB, written and read three times.
 * So a few heads, or some rows of one, are done at a time and their scores stay in L2. What is left outside it is the scores of
 * rows that fit nowhere. Which block is best is decided by a model fitted to measurements; the same shapes always give the same
 * answer. */
#include "describe_attention.h"
#include "../tune/question.h"

#include <string.h>

/* --- blocks ----------------------------------------------------------------------------------------------------- */

static const double calls = 4;     /* of primitives: two products, a softmax, what is around them */
static const double product = 1.9; /* their multiply-adds, to those of a direct convolution */
static const double softmax = 0.6; /* of a function: a score, in rows that are long */
/* With AVX2 products are those of gemm, which are nearly as fast where matrices are deep, and a score takes 1.6 to 2.4 ns. */
static const double gemm = 1.2, gemm_softmax = 6;
static const double copied =
    8; /* bytes read and written for an element of key and value, which each block packs again */
static const double warm = 0.5; /* of the time of memory: a byte of scores that crowd L2 */

/* On one core; only ratios matter. */
static double block_ns(const Machine *m, const int64_t *block, int64_t depth, int64_t width)
{
    const double crowded = (double)machine_block_bytes(m), kept = machine_kept_bytes(m);
    double heads = (double)(block[0] * block[1]), rows = (double)block[2], keys = (double)block[3];
    double scores = heads * rows * keys, bytes = heads * rows * keys * 4;
    const bool by_gemm = machine_lanes(m) == AVX2_LANES;
    /* by oneDNN's own kernels columns of values fill whole registers */
    const double both = (double)(depth + width),
                 multiplied = by_gemm ? both : (double)(depth + round_up(width, AVX512_LANES));
    double ns = calls * m->call_ns +
                (by_gemm ? gemm : product) * scores * multiplied / m->conv_macs +
                (by_gemm ? gemm_softmax : softmax) * scores * m->function_ns +
                heads * keys * both * copied / m->l2_rate;
    ns += bytes > crowded ? (bytes - crowded) * warm / m->memory_rate : 0;
    return ns + (bytes > kept ? (bytes - kept) / m->memory_rate : 0);
}

static int64_t count_blocks(const int64_t *dims, const int64_t *block)
{
    return dims[0] / block[0] * (dims[1] / block[1]) * (dims[2] / block[2]);
}

typedef double BlockNs(const Machine *m, const int64_t *block, int64_t depth, int64_t width);

/* Blocks are equal: a divisor of the rows of one head, of the heads of one batch, or of the batches; C goes head by head. Returns what all take. */
static double choose_block(const Machine *m, DnnlAttention *a, int64_t depth, int64_t width,
                           BlockNs *block_ns_of, bool in_c)
{
    const int64_t *dims = a->dims;
    double best = 0;
    for (int outer = in_c ? 2 : 0; outer < 3; outer++)
        for (int64_t n = 1; n <= dims[outer]; n++) {
            if (dims[outer] % n)
                continue;
            const int64_t block[HEAD_RANK] = {outer == 0 ? n : 1,
                                              outer == 1   ? n
                                              : outer == 0 ? dims[1]
                                                           : 1,
                                              outer == 2 ? n : dims[2], dims[3]};
            int64_t blocks = count_blocks(dims, block), shared = a->threads;
            double ns = block_ns_of(m, block, depth, width);
            if (blocks >= a->threads)
                ns *= (double)((blocks + shared - 1) / shared);
            else /* threads work on a block together, but for the softmax */
                ns *= (double)blocks;
            if (best == 0 || ns < best) {
                best = ns;
                a->blocks = blocks;
                memcpy(a->block, block, sizeof a->block);
            }
        }
    a->sets = a->blocks >= a->threads ? a->threads : 1;
    return best;
}

/* --- operands --------------------------------------------------------------------------------------------------- */

static DnnlMemory *add_row(Describe *d, int arg, const char *name, BufferId buffer, DnnlHeads *h)
{
    DnnlMemory *m = &d->p->memory[d->p->n_memory];
    int64_t last = h->offset;
    *m = (DnnlMemory){.arg = arg,
                      .name = name,
                      .buffer = buffer,
                      .blob = NO_BUFFER,
                      .dtype = d->l->p->buffers[buffer].type.dtype,
                      .rank = HEAD_RANK,
                      .form = FORM_STRIDES};
    memcpy(m->dims, h->dims, sizeof h->dims);
    memcpy(m->strides, h->strides, sizeof h->strides);
    for (int i = 0; i < HEAD_RANK; i++)
        last += (h->dims[i] - 1) * h->strides[i];
    if (h->offset < 0 || (size_t)(last + 1) * dtype_size(m->dtype) > d->l->p->buffers[buffer].bytes)
        bug("attention reaches beyond '%s'", name);
    h->memory = d->p->n_memory++;
    return m;
}

static bool view_in(const Describe *d, ValueId v, const Layout *layout, HeadView *view)
{
    NodeId culprit;
    return !layout->block &&
           attention_view(d->l->g, d->c->nodes, d->c->n_nodes, v, layout, view, &culprit) &&
           attention_is_dense(view);
}

/* A matrix operand as it lies in memory, if strides can say so there; else from a row-major copy of what it is made of. */
static bool add_operand(Describe *d, ValueId v, int arg, const char *name, DnnlHeads *h,
                        double *factor)
{
    Lowering *l = d->l;
    ValueId source = attention_source(l->g, d->c->nodes, d->c->n_nodes, v);
    BufferId buffer = lower_primary(l, source);
    Layout layout = l->p->buffers[buffer].layout, plain = layout_plain(type_of(l->g, source)->rank);
    HeadView view;
    if (!view_in(d, v, &layout, &view)) {
        buffer = lower_value_in(l, source, &plain);
        if (!view_in(d, v, &plain, &view))
            return false;
    }
    attention_align(&view, h->dims, h->strides);
    h->offset = view.offset;
    *factor *= view.factor;
    add_row(d, arg, name, buffer, h);
    return true;
}

static bool add_mask(Describe *d, ValueId v, uint32_t k, DnnlHeads *h)
{
    BufferId buffer = lower_primary(d->l, v);
    const Buffer *b = &d->l->p->buffers[buffer];
    HeadView view = {.rank = b->type.rank};
    if (b->layout.block)
        return false;
    memcpy(view.dims, b->type.dims, sizeof view.dims);
    layout_strides(&b->layout, &b->type, view.strides);
    attention_align(&view, h->dims, h->strides);
    add_row(d, arg_of_post_op((int)k) | ARG_SRC_1, "mask", buffer, h);
    return true;
}

/* The scale before all masks is one number; others stay where they are. */
static bool add_score_ops(Describe *d, const Attention *what, DnnlAttention *a, double factor)
{
    for (uint32_t i = 0; i < what->n_ops; i++) {
        const ScoreOp *op = &what->op[i];
        if (op->kind == SCORE_SCALE && a->n_ops == 0) {
            factor *= (double)op->number;
            continue;
        }
        a->op[a->n_ops] = *op;
        if (has_value(op->arg) && !add_mask(d, op->arg, a->n_ops, &a->mask[a->n_ops]))
            return false;
        a->n_ops++;
    }
    a->scale = (float)factor;
    return true;
}

static bool add_result(Describe *d, NodeId mix, DnnlHeads *h)
{
    const Graph *g = d->l->g;
    Layout plain = layout_plain(type_of(g, d->result)->rank);
    HeadView view;
    if (!attention_result(g, mix, d->c->root, &view))
        return false;
    BufferId dst = lower_output(d->l, d->result, &plain);
    d->s->out = arena_copy(d->l->arena, &dst, sizeof dst);
    d->s->n_out = 1;
    attention_align(&view, h->dims, h->strides);
    add_row(d, ARG_DST, "dst", dst, h);
    return true;
}

/* --- the products ----------------------------------------------------------------------------------------------- */

/* What a block sees of an operand whose rows, or columns, are the block's rows if `by_rows`. */
static DnnlMemory matrix(const DnnlAttention *a, int arg, const char *name, const DnnlHeads *h,
                         bool by_rows)
{
    DnnlMemory m = {.arg = arg,
                    .name = name,
                    .buffer = NO_BUFFER,
                    .blob = NO_BUFFER,
                    .dtype = DT_F32,
                    .form = FORM_STRIDES};
    int64_t reach = 1;
    for (int d = a->block[0] > 1 ? 0 : 1; d < HEAD_RANK; d++) {
        bool cut = d < 2 || (by_rows && d == 2);
        m.dims[m.rank] = cut && h->dims[d] > a->block[d] ? a->block[d] : h->dims[d];
        m.strides[m.rank++] = h->strides[d];
    }
    for (int d = 0; d < m.rank; d++)
        if (m.dims[d] > 1)
            reach += (m.dims[d] - 1) * m.strides[d];
    for (int d = m.rank - 1; d >= 0;
         d--) /* dimensions of 1 get the stride that a dense one would have */
        if (m.dims[d] == 1)
            m.strides[d] = d == m.rank - 1
                               ? (m.strides[d - 1] == 1 && m.dims[d - 1] > 1 ? reach : 1)
                           : d == m.rank - 2 && m.strides[d + 1] != 1 ? 1
                                                                      : reach;
    return m;
}

static DnnlPrimitive *ask(Describe *d, const DnnlAttention *a, DnnlPrimitive like,
                          const DnnlMemory *rows, uint32_t n)
{
    DnnlPrimitive *p = arena_copy(d->l->arena, &like, sizeof like);
    DnnlChoice none[3];
    p->one_thread = a->sets > 1 || a->threads == 1;
    p->memory = arena_copy(d->l->arena, rows, n * sizeof *rows);
    p->n_memory = n;
    if (!onednn_query(d->l->engine, d->l->arena, p, none) || strncmp(p->impl, "ref", 3) == 0)
        return NULL;
    return p;
}

/* The scores of a block as rows, for the softmax. */
static DnnlMemory score_rows(Describe *d, const DnnlAttention *a, int arg, const char *name)
{
    Layout plain = layout_plain(2);
    return (DnnlMemory){.arg = arg,
                        .name = name,
                        .buffer = NO_BUFFER,
                        .blob = NO_BUFFER,
                        .dtype = DT_F32,
                        .rank = 2,
                        .dims = {a->block[0] * a->block[1] * a->block[2], a->block[3]},
                        .form = FORM_TAG,
                        .tag = layout_tag(d->l->arena, &plain)};
}

static bool make_parts(Describe *d, DnnlAttention *a)
{
    DnnlHeads scores = {.dims = {a->block[0], a->block[1], a->block[2], a->block[3]}};
    DnnlPostOp scale = {.kind = DNNL_POST_ELTWISE, .alg = ALG_eltwise_linear, .alpha = a->scale};
    DnnlPrimitive product = {.kind = KIND_MATMUL}, scaled = product;
    DnnlPrimitive softmax = {.kind = KIND_SOFTMAX, .alg = ALG_softmax_accurate, .axis = 1};
    scores.strides[3] = 1;
    scores.strides[2] = a->block[3];
    scores.strides[1] = a->block[2] * scores.strides[2];
    scores.strides[0] = a->block[1] * scores.strides[1];
    if (!a->n_ops && a->scale != 1) {
        scaled.post = arena_copy(d->l->arena, &scale, sizeof scale);
        scaled.n_post = 1;
    }
    const DnnlMemory first[] = {matrix(a, ARG_SRC, "query", &a->query, true),
                                matrix(a, ARG_WEIGHTS, "key", &a->key, false),
                                matrix(a, ARG_DST, "scores", &scores, true)};
    const DnnlMemory second[] = {score_rows(d, a, ARG_SRC, "rows"),
                                 score_rows(d, a, ARG_DST, "rows")};
    const DnnlMemory third[] = {matrix(a, ARG_SRC, "scores", &scores, true),
                                matrix(a, ARG_WEIGHTS, "value", &a->value, false),
                                matrix(a, ARG_DST, "dst", &a->dst, true)};
    a->part[0] = ask(d, a, scaled, first, COUNT_OF(first));
    a->part[1] = ask(d, a, softmax, second, COUNT_OF(second));
    a->part[2] = ask(d, a, product, third, COUNT_OF(third));
    return a->part[0] && a->part[1] && a->part[2];
}

/* The end of a row is loaded and stored as a part of a vector that reaches into the next one. In place such a load waits for the
 * store before it; with short rows that takes twice the time of all the rest. */
static bool is_apart(int64_t keys)
{
    enum { LANES = 16, SHORT = 128 };
    return keys % LANES != 0 && keys < SHORT;
}

static void choose_scratch(DnnlAttention *a)
{
    size_t most = 0;
    for (int k = 0; k < 3; k++)
        most = a->part[k]->scratch_bytes > most ? a->part[k]->scratch_bytes : most;
    size_t scores = align_up((size_t)(a->block[0] * a->block[1] * a->block[2] * a->block[3]) * 4);
    a->probabilities_at = is_apart(a->block[3]) ? scores : 0;
    a->scratchpad_at = a->probabilities_at + scores;
    a->scratchpad_bytes = align_up(most);
    a->set_bytes = a->scratchpad_at + a->scratchpad_bytes;
}

/* Which of both takes less time, unless it is known or asked for. */
static bool prefers_c(const Describe *d, double primitives_ns, const DnnlAttention *in_c,
                      double c_ns)
{
    const LowerOptions *options = &d->l->options;
    static const char *const names[][2] = {{"primitives", "C"}, {"C", "primitives"}};
    if (!attention_takes_tiles(&d->l->machine, in_c))
        return false;
    if (options->conv == CONV_INDIRECT)
        return true;
    const bool better = c_ns < primitives_ns;
    return search_ask(options->search, d->l->g, d->n, "algorithm", names[better], 2) == !better;
}

static bool describe_primitives(Describe *d, DnnlAttention *a)
{
    if (!make_parts(d, a))
        return false;
    choose_scratch(a);
    d->p->why =
        arena_printf(d->l->arena,
                     "3 primitives for each of %lld blocks, the scores of %lld queries and "
                     "%lld keys in %zu bytes",
                     (long long)a->blocks, (long long)(a->block[0] * a->block[1] * a->block[2]),
                     (long long)a->block[3], a->scratchpad_at);
    d->p->impl = arena_printf(d->l->arena, "%s; %s; %s", a->part[0]->impl, a->part[1]->impl,
                              a->part[2]->impl);
    return true;
}

static void describe_tiles(Describe *d, DnnlAttention *a)
{
    a->lanes = machine_lanes(&d->l->machine);
    attention_follow_blocks(a);
    d->p->why = arena_printf(d->l->arena,
                             "keys and values of a head packed in %zu bytes, the scores of %lld "
                             "queries and %lld keys at a time in %zu",
                             a->set_bytes - a->keys_at, (long long)a->rows, (long long)a->block[3],
                             a->keys_at);
    d->p->impl = "C, heads in tiles";
}

bool describe_attention(Describe *d)
{
    const Attention *what = d->c->attention;
    const Machine *m = &d->l->machine;
    double factor = 1, none = 1;
    DnnlAttention *a = ARENA_NEW(d->l->arena, DnnlAttention);
    d->p->memory = ARENA_ARRAY(d->l->arena, DnnlMemory, 4 + SCORE_OPS);
    d->p->kind = KIND_ATTENTION;
    if (!add_operand(d, what->q, ARG_SRC, "query", &a->query, &factor) ||
        !add_operand(d, what->k, ARG_WEIGHTS, "key", &a->key, &factor) ||
        !add_operand(d, what->v, ARG_SRC_1, "value", &a->value, &none) ||
        !add_score_ops(d, what, a, factor) || !add_result(d, what->mix, &a->dst))
        return false;
    const int64_t dims[HEAD_RANK] = {what->batch, what->heads, what->rows, what->keys};
    memcpy(a->dims, dims, sizeof dims);
    a->threads = onednn_threads_for(d->l, block_ns(m, dims, what->depth, what->width));
    DnnlAttention in_c = *a;
    const double ns = choose_block(m, a, what->depth, what->width, block_ns, false);
    const double c_ns =
        machine_lanes(m) ? choose_block(m, &in_c, what->depth, what->width, attention_in_c_ns, true)
                         : 0;
    if (prefers_c(d, ns, &in_c, c_ns)) {
        *a = in_c;
        describe_tiles(d, a);
    } else if (!describe_primitives(d, a))
        return false;
    d->p->attention = a;
    d->p->one_thread = a->threads == 1;
    d->p->scratch_bytes = (size_t)a->sets * a->set_bytes;
    return true;
}
