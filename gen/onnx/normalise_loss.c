/* Losses, which exported evaluation graphs contain, by decomposition. */
#include "table.h"

typedef struct Loss {
    ValueId scores; /* log-probabilities [N, C, …] */
    ValueId target; /* [N, …] */
    ValueId weight; /* [C] or none */
    const char *reduction;
    bool has_ignore;
    int64_t ignore;
} Loss;

static bool read_loss(OnnxNode *c, Loss *l)
{
    const TensorType *x = type_in(c, 0), *t = type_in(c, 1);
    l->target = in_at(c, 1);
    l->weight = in_at(c, 2);
    l->reduction = get_string(c, "reduction", "mean");
    l->has_ignore = has_attr(c, "ignore_index");
    l->ignore = get_int(c, "ignore_index", 0);
    if (failed(c) || x->rank < 2 || t->rank != x->rank - 1 || dtype_is_float(t->dtype))
        return refuse_onnx(c, "its inputs do not belong together");
    if (strcmp(l->reduction, "none") && strcmp(l->reduction, "sum") && strcmp(l->reduction, "mean"))
        return refuse_onnx(c, "reduction '%s' is unknown", l->reduction);
    return true;
}

static ValueId all_of(OnnxNode *c, Op op, ValueId v)
{
    int64_t axes[MAX_RANK];
    int rank = value_type(c, v).rank;
    for (int d = 0; d < rank; d++)
        axes[d] = d;
    return reduce(c, op, v, axes, (size_t)rank, false);
}

/* loss = -scores[n, target[n, …], …] · weight[target]; an ignored target counts 0, and its weight too. */
static bool finish_loss(OnnxNode *c, Loss *l)
{
    DType dtype = dtype_of(c, l->scores), index = dtype_of(c, l->target);
    ValueId zero = const_scalar(c, dtype, 0), one = const_scalar(c, dtype, 1);
    ValueId ignored = NO_VALUE, target = l->target, weight = NO_VALUE;
    if (l->has_ignore) {
        ignored = emit(c, OP_Equal, IN(target, const_integer(c, index, l->ignore)), NULL);
        target = emit(c, OP_Where, IN(ignored, const_scalar(c, index, 0), target), NULL);
    }
    ValueId picked = emit(c, OP_GatherElements, IN(l->scores, unsqueeze(c, target, 1)),
                          ATTRS(ATTR_I("axis", 1)));
    ValueId loss = emit(c, OP_Neg, IN(squeeze(c, picked, 1)), NULL);
    if (has_value(l->weight))
        weight = emit(c, OP_Gather, IN(l->weight, target), ATTRS(ATTR_I("axis", 0)));
    else if (l->has_ignore && ok(c))
        weight = expand(c, one, type_of(c->g, loss)->rank, type_of(c->g, loss)->dims);
    if (has_value(ignored))
        weight = emit(c, OP_Where, IN(ignored, zero, weight), NULL);
    if (has_value(weight))
        loss = mul(c, loss, weight);
    if (!strcmp(l->reduction, "none"))
        return alias(c, 0, loss);
    if (!strcmp(l->reduction, "sum"))
        return alias(c, 0, all_of(c, OP_ReduceSum, loss));
    if (!has_value(weight))
        return alias(c, 0, all_of(c, OP_ReduceMean, loss));
    return finish(c, 0, OP_Div, IN(all_of(c, OP_ReduceSum, loss), all_of(c, OP_ReduceSum, weight)),
                  NULL);
}

/* Of log-probabilities, or of what they are made of. */
bool norm_loss(OnnxNode *c)
{
    Loss l;
    if (!read_loss(c, &l))
        return false;
    l.scores = in_at(c, 0);
    if (!strcmp(c->p->op_type, "SoftmaxCrossEntropyLoss")) {
        const Attr *attrs = ATTRS(ATTR_I("axis", 1), ATTR_I("axis_end", 2));
        l.scores = emit(c, OP_LogSoftmax, IN(l.scores), attrs);
        alias(c, 1, l.scores);
    }
    return finish_loss(c, &l);
}
