/* Reading attention composites: see attention.h. */
#include "attention.h"

#include "covered.h"

#include <string.h>

static bool no(const char **why, const char *reason)
{
    *why = reason;
    return false;
}

/* --- the scores ------------------------------------------------------------------------------------------------- */

static bool broadcasts_to(const TensorType *t, const TensorType *whole)
{
    if (t->rank > whole->rank)
        return false;
    for (int d = 0; d < t->rank; d++)
        if (t->dims[d] != 1 && t->dims[d] != whole->dims[whole->rank - t->rank + d])
            return false;
    return true;
}

/* n as a step from scores to scores; its operand that is the scores. */
static bool score_op(const Graph *g, const NodeId *nodes, uint32_t count, const Node *n,
                     ScoreOp *op, uint32_t *operand)
{
    const TensorType *whole = type_of(g, n->out[0]);
    double factor;
    if (is_scaling(g, n, operand, &factor)) {
        *op = (ScoreOp){.kind = SCORE_SCALE, .number = (float)factor, .arg = NO_VALUE};
        return true;
    }
    if (n->op == OP_Add) {
        *operand = covers_value(g, nodes, count, n->in[0]) ? 0 : 1;
        *op = (ScoreOp){.kind = SCORE_ADD, .arg = n->in[1 - *operand]};
        return type_equal(type_of(g, n->in[*operand]), whole) &&
               !covers_value(g, nodes, count, op->arg) && type_of(g, op->arg)->dtype == DT_F32 &&
               broadcasts_to(type_of(g, op->arg), whole);
    }
    if (n->op != OP_Where)
        return false;
    for (uint32_t k = 1; k <= 2; k++)
        if (covers_value(g, nodes, count, n->in[k]) && number_of(g, n->in[3 - k], &factor)) {
            *operand = k;
            *op = (ScoreOp){
                .kind = k == 1 ? SCORE_KEEP : SCORE_DROP, .number = (float)factor, .arg = n->in[0]};
            return type_equal(type_of(g, n->in[k]), whole) &&
                   !covers_value(g, nodes, count, op->arg) &&
                   broadcasts_to(type_of(g, op->arg), whole);
        }
    return false;
}

/* From the softmax down to the first product. */
static bool read_scores(const Graph *g, const NodeId *nodes, uint32_t n, Attention *a,
                        const char **why)
{
    ValueId v = node_at(g, a->softmax)->in[0];
    for (;;) {
        ScoreOp op;
        uint32_t operand;
        if (!covers_value(g, nodes, n, v))
            return no(why, "the scores are no product within it");
        const Node *at = def_of(g, v);
        if (at->op == OP_MatMul) {
            a->scores = value_at(g, v)->def;
            a->q = at->in[0];
            a->k = at->in[1];
            break;
        }
        if (a->n_ops == SCORE_OPS || !score_op(g, nodes, n, at, &op, &operand))
            return no(why, "what is done to the scores is no scaling and no mask");
        a->op[a->n_ops++] = op;
        v = at->in[operand];
    }
    for (uint32_t i = 0; i < a->n_ops / 2; i++) {
        ScoreOp last = a->op[a->n_ops - 1 - i];
        a->op[a->n_ops - 1 - i] = a->op[i];
        a->op[i] = last;
    }
    return true;
}

static bool read_sizes(const Graph *g, Attention *a, const char **why)
{
    const TensorType *s = type_of(g, node_at(g, a->scores)->out[0]);
    const TensorType *out = type_of(g, node_at(g, a->mix)->out[0]);
    const TensorType *q = type_of(g, a->q), *k = type_of(g, a->k), *v = type_of(g, a->v);
    const TensorType *all[] = {s, out, q, k, v};
    for (size_t i = 0; i < COUNT_OF(all); i++) {
        if (all[i]->rank < 2 || all[i]->rank > HEAD_RANK || all[i]->rank > s->rank)
            return no(why, "a matrix has more than two dimensions in front, or none");
        if (all[i]->dtype != DT_F32 || type_count(all[i]) == 0)
            return no(why, "not everything is f32, or something is empty");
    }
    a->rows = s->dims[s->rank - 2];
    a->keys = s->dims[s->rank - 1];
    a->depth = q->dims[q->rank - 1];
    a->width = out->dims[out->rank - 1];
    a->heads = s->rank > 2 ? s->dims[s->rank - 3] : 1;
    a->batch = s->rank > 3 ? s->dims[0] : 1;
    for (int d = 0; d < s->rank - 2; d++)
        if (out->rank != s->rank || out->dims[d] != s->dims[d])
            return no(why, "the values are for more heads than the scores");
    return true;
}

bool attention_read(const Graph *g, const NodeId *nodes, uint32_t n, NodeId mix, Attention *a,
                    const char **why)
{
    const Node *second = node_at(g, mix);
    *a = (Attention){.mix = mix};
    if (second->op != OP_MatMul || !covers_value(g, nodes, n, second->in[0]))
        return no(why, "it does not end in a product with the probabilities");
    a->softmax = value_at(g, second->in[0])->def;
    a->v = second->in[1];
    const Node *softmax = node_at(g, a->softmax);
    int last = type_of(g, softmax->out[0])->rank - 1;
    if (softmax->op != OP_Softmax || attr_int(softmax, "axis", 0) != last ||
        attr_int(softmax, "axis_end", last + 1) != last + 1)
        return no(why, "the probabilities are no softmax over the keys");
    return read_scores(g, nodes, n, a, why) && read_sizes(g, a, why);
}

/* --- views ------------------------------------------------------------------------------------------------------ */

static void row_major(HeadView *v, const TensorType *t)
{
    int64_t step = 1;
    v->rank = t->rank;
    memcpy(v->dims, t->dims, sizeof v->dims);
    for (int d = t->rank - 1; d >= 0; d--) {
        v->strides[d] = step;
        step *= t->dims[d];
    }
}

/* Dimensions of size 1 say nothing about memory. */
static void drop_ones(HeadView *v)
{
    int rank = 0;
    for (int d = 0; d < v->rank; d++)
        if (v->dims[d] != 1) {
            v->dims[rank] = v->dims[d];
            v->strides[rank++] = v->strides[d];
        }
    v->rank = rank;
}

/* The same elements with other dimensions: each group of old dimensions that becomes a group of new ones must be dense in
 * itself. */
static bool reshape_to(HeadView *v, const TensorType *to)
{
    HeadView from = *v;
    int old = 0, new = 0;
    drop_ones(&from);
    v->rank = to->rank;
    memcpy(v->dims, to->dims, sizeof v->dims);
    while (new < to->rank) {
        if (to->dims[new] == 1) {
            v->strides[new ++] = 1;
            continue;
        }
        int old_end = old + 1, new_end = new + 1;
        if (old >= from.rank)
            return false;
        int64_t a = from.dims[old], b = to->dims[new];
        while (a != b)
            if (a < b && old_end < from.rank)
                a *= from.dims[old_end++];
            else if (b < a && new_end < to->rank)
                b *= to->dims[new_end++];
            else
                return false;
        for (int d = old; d + 1 < old_end; d++)
            if (from.strides[d] != from.strides[d + 1] * from.dims[d + 1])
                return false;
        int64_t step = from.strides[old_end - 1];
        for (int d = new_end - 1; d >= new; d--) {
            v->strides[d] = step;
            step *= to->dims[d];
        }
        old = old_end;
        new = new_end;
    }
    return true;
}

static void transpose_by(HeadView *v, const int64_t *perm)
{
    HeadView from = *v;
    for (int d = 0; d < v->rank; d++) {
        v->dims[d] = from.dims[perm[d]];
        v->strides[d] = from.strides[perm[d]];
    }
}

static bool slice(const Graph *g, const Node *n, uint32_t out, HeadView *v)
{
    (void)g, (void)out;
    const int64_t *starts = attr_ints(n, "starts", NULL), *steps = attr_ints(n, "steps", NULL);
    const int64_t *sizes = attr_ints(n, "sizes", NULL);
    for (int d = 0; d < v->rank; d++) {
        if (sizes[d] > 1 && steps[d] < 1)
            return false;
        v->offset += starts[d] * v->strides[d];
        v->strides[d] *= steps[d];
        v->dims[d] = sizes[d];
    }
    return true;
}

static bool split(const Graph *g, const Node *n, uint32_t out, HeadView *v)
{
    (void)g;
    const int64_t *sizes = attr_ints(n, "split", NULL), axis = attr_int(n, "axis", 0);
    for (uint32_t i = 0; i < out; i++)
        v->offset += sizes[i] * v->strides[axis];
    v->dims[axis] = sizes[out];
    return true;
}

/* One index: negative ones count from the end, those out of range are clamped. */
static bool gather(const Graph *g, const Node *n, uint32_t out, HeadView *v)
{
    (void)out;
    const Value *at = value_at(g, n->in[1]);
    const int64_t axis = attr_int(n, "axis", 0), size = v->dims[axis];
    int64_t i = at->type.dtype == DT_I64 ? *(const int64_t *)at->data : *(const int32_t *)at->data;
    i = i < 0 ? i + size : i;
    i = i < 0 ? 0 : i >= size ? size - 1 : i;
    v->offset += i * v->strides[axis];
    v->dims[axis] = 1;
    if (at->type.rank)
        return true;
    for (int64_t d = axis; d + 1 < v->rank; d++) {
        v->dims[d] = v->dims[d + 1];
        v->strides[d] = v->strides[d + 1];
    }
    v->rank--;
    return true;
}

static bool reshape(const Graph *g, const Node *n, uint32_t out, HeadView *v)
{
    return reshape_to(v, type_of(g, n->out[out]));
}

static bool transpose(const Graph *g, const Node *n, uint32_t out, HeadView *v)
{
    (void)g, (void)out;
    transpose_by(v, attr_ints(n, "perm", NULL));
    return true;
}

typedef bool ViewFn(const Graph *g, const Node *n, uint32_t out, HeadView *v);

/* What becomes of a view of the operand; scalings besides. */
static ViewFn *const views[OP_COUNT] = {
    [OP_Reshape] = reshape, [OP_Transpose] = transpose, [OP_Slice] = slice,
    [OP_Split] = split,     [OP_Gather] = gather,
};

static bool takes_one(const Graph *g, const Node *gather)
{
    const Value *at = value_at(g, gather->in[1]);
    return at->kind == VALUE_CONST && at->type.rank <= 1 && type_count(&at->type) == 1 &&
           (at->type.dtype == DT_I64 || at->type.dtype == DT_I32);
}

bool attention_may_view(const Graph *g, const Node *n, uint32_t *operand)
{
    double factor;
    *operand = 0;
    if (views[n->op])
        return n->op != OP_Gather || takes_one(g, n);
    return is_scaling(g, n, operand, &factor);
}

static bool apply(const Graph *g, const Node *n, uint32_t out, HeadView *v)
{
    uint32_t operand;
    double factor;
    if (views[n->op])
        return views[n->op](g, n, out, v);
    if (!is_scaling(g, n, &operand, &factor))
        return false;
    v->factor *= factor;
    return true;
}

ValueId attention_source(const Graph *g, const NodeId *nodes, uint32_t n, ValueId v)
{
    uint32_t operand;
    while (covers_value(g, nodes, n, v) && attention_may_view(g, def_of(g, v), &operand))
        v = def_of(g, v)->in[operand];
    return v;
}

bool attention_view(const Graph *g, const NodeId *nodes, uint32_t n, ValueId v,
                    const Layout *layout, HeadView *view, NodeId *culprit)
{
    uint32_t operand;
    if (!covers_value(g, nodes, n, v)) {
        const TensorType *t = type_of(g, v);
        *view = (HeadView){.source = v, .factor = 1};
        row_major(view, t);
        if (layout)
            layout_strides(layout, t, view->strides);
        return true;
    }
    NodeId def = value_at(g, v)->def;
    if (!attention_may_view(g, node_at(g, def), &operand))
        bug("attention reads '%s', which is no view", value_at(g, v)->name);
    if (!attention_view(g, nodes, n, node_at(g, def)->in[operand], layout, view, culprit))
        return false;
    *culprit = def;
    return apply(g, node_at(g, def), value_at(g, v)->def_out, view);
}

bool attention_result(const Graph *g, NodeId mix, NodeId root, HeadView *view)
{
    NodeId at = root;
    *view = (HeadView){.source = node_at(g, root)->out[0], .factor = 1};
    row_major(view, type_of(g, view->source));
    while (at.i != mix.i) {
        const Node *n = node_at(g, at);
        const TensorType *before = type_of(g, n->in[0]);
        if (n->op == OP_Transpose) {
            const int64_t *perm = attr_ints(n, "perm", NULL);
            int64_t back[MAX_RANK];
            for (int d = 0; d < before->rank; d++)
                back[perm[d]] = d;
            transpose_by(view, back);
        } else if (n->op != OP_Reshape || !reshape_to(view, before))
            return false;
        at = value_at(g, n->in[0])->def;
    }
    return true;
}

void attention_align(const HeadView *view, int64_t dims[HEAD_RANK], int64_t strides[HEAD_RANK])
{
    for (int d = 0; d < HEAD_RANK; d++) {
        int from = d - (HEAD_RANK - view->rank);
        dims[d] = from < 0 ? 1 : view->dims[from];
        strides[d] = from < 0 || view->dims[from] == 1 ? 0 : view->strides[from];
    }
}

bool attention_is_dense(const HeadView *view)
{
    const int64_t *dims = view->dims + view->rank - 2, *strides = view->strides + view->rank - 2;
    for (int d = 0; d < 2; d++) {
        bool dense = strides[d] == 1 || dims[d] == 1;
        bool apart = dims[1 - d] == 1 || strides[1 - d] >= dims[d];
        if (dense && apart)
            return true;
    }
    return false;
}
