/* Elementwise layers. */
#include "family.h"

#include "../ops/ops.h"

bool describe_eltwise(Describe *d)
{
    Layout layout = lower_alike(d->l, d->n->in[0], d->result);
    if (!onednn_eltwise_of(d->n, &d->p->alg, &d->p->alpha, &d->p->beta))
        return false;
    d->p->kind = KIND_ELTWISE;
    d->overwrite = d->n->in[0];
    describe_add_src(d, &layout);
    return describe_finish(d, &layout, 0, NULL);
}

bool describe_binary(Describe *d)
{
    const TensorType *out = type_of(d->l->g, d->n->out[0]);
    ValueId a = d->n->in[0], b = d->n->in[1];
    bool commutes = op_has(d->n->op, TRAIT_COMMUTES | TRAIT_NEARLY_COMMUTES);
    if (!onednn_binary_of(d->n->op, &d->p->alg) || !onednn_computes(out->dtype))
        return false;
    if (commutes && !same_shape(type_of(d->l->g, a), out)) {
        a = d->n->in[1];
        b = d->n->in[0];
    }
    if (!same_shape(type_of(d->l->g, a), out) || out->rank == 0)
        return false;
    Layout layout = lower_alike(d->l, a, d->result);
    d->p->kind = KIND_BINARY;
    d->overwrite = a;
    DnnlMemory *src0 = describe_add(d, ARG_SRC, "src0", lower_value_in(d->l, a, &layout));
    if (!describe_add_operand(d, src0, &layout, false, b, ARG_SRC_1, "src1"))
        return false;
    return describe_finish(d, &layout, 0, NULL);
}

bool describe_prelu(Describe *d)
{
    Layout layout = lower_alike(d->l, d->n->in[0], d->result);
    d->p->kind = KIND_PRELU;
    DnnlMemory *src = describe_add_src(d, &layout);
    if (!describe_add_operand(d, src, &layout, false, d->n->in[1], ARG_WEIGHTS, "weights"))
        return false;
    return describe_finish(d, &layout, 0, NULL);
}

/* Cast between f32 and bf16: one reorder that also brings the channels where the readers want them. */
bool describe_cast(Describe *d)
{
    Layout have = lower_layout_of(d->l, d->n->in[0]);
    Layout layout = lower_wanted_layout(d->l, d->result);
    d->p->kind = KIND_REORDER;
    describe_add_src(d, &have);
    return describe_finish(d, &layout, 0, NULL);
}

/* --- which ones oneDNN takes -------------------------------------------------------------------------------------- */

bool supports_eltwise(const Graph *g, const Node *n, const char **why)
{
    Algorithm alg;
    float alpha, beta;
    (void)g;
    return onednn_eltwise_of(n, &alg, &alpha, &beta) || no(why, "no such eltwise algorithm");
}

/* Does oneDNN's generated code broadcast this way? From the third dimension on, first those that are
 * broadcast, then those that are not; and the first two, the spatial ones and the last in one of
 * six combinations (jit_uni_binary of oneDNN 3.7, is_bcast_allowed). The rest is left to its
 * reference code, which takes some 50 ns an element. */
static bool generated_broadcast(const TensorType *full, const TensorType *other)
{
    bool same[6], any = false, all = true;
    int rank = full->rank;
    for (int d = 0; d < rank; d++) {
        int behind = rank - other->rank;
        same[d] = full->dims[d] == (d < behind ? 1 : other->dims[d - behind]);
        if (d < 2)
            continue;
        if (any && !same[d])
            return false;
        any |= same[d];
        all &= same[d];
    }
    if (rank <= 2)
        return true;
    return same[rank - 1] ? !same[1] || all : !any && (same[1] || !same[0]);
}

bool supports_binary(const Graph *g, const Node *n, const char **why)
{
    const TensorType *a = type_of(g, n->in[0]), *b = type_of(g, n->in[1]);
    const TensorType *out = type_of(g, n->out[0]);
    bool commutes = op_has(n->op, TRAIT_COMMUTES | TRAIT_NEARLY_COMMUTES);
    if (out->rank < 1 || out->rank > 6)
        return no(why, "the rank is not one that the primitive takes");
    const TensorType *other = same_shape(a, out) ? b : a;
    if (!same_shape(a, out) && !(commutes && same_shape(b, out)))
        return no(why, "the operand that must have the full shape is broadcast");
    return generated_broadcast(out, other) ||
           no(why, "oneDNN broadcasts this way by its slow reference code");
}

/* Not for Casts, which may become one with a reorder. */
const char *small_eltwise(const Machine *m, const Graph *g, const Node *n)
{
    return op_info(n->op)->class == CLASS_ELTWISE &&
                   (double)type_count(type_of(g, n->out[0])) < m->small_eltwise
               ? "so few elements are quicker in C"
               : NULL;
}
