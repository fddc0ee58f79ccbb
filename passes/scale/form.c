/* One form for factors and summands: what comes before they are folded. */
#include "../common/util.h"
#include "scale.h"

#include <math.h>

bool form_batch_norm(Folder *f, const Node *n)
{
    TensorType t = *type_of(f->g, n->out[0]);
    int64_t channels = t.rank > 1 ? t.dims[1] : 1;
    TensorType row = type_make(t.dtype, 1, &channels);
    Scale p[4]; /* scale, B, mean, var */
    for (uint32_t k = 0; k < 4; k++)
        if (!const_scale(f, resolved_in(&f->rw, n, k + 1), &row, &p[k]))
            return false;
    if (t.rank < 2 || channels == 0 || !dtype_is_float(t.dtype))
        return false;
    double *scale = ARENA_ARRAY(f->scratch, double, (size_t)channels);
    double *shift = ARENA_ARRAY(f->scratch, double, (size_t)channels);
    for (int64_t i = 0; i < channels; i++) {
        scale[i] = scale_at(&p[0], i) / sqrt(scale_at(&p[3], i) + attr_float(n, "epsilon", 1e-5));
        shift[i] = scale_at(&p[1], i) - scale_at(&p[2], i) * scale[i];
        if (!isfinite(scale[i]) || !isfinite(shift[i]))
            return false;
    }
    Scale s = {.axis = 1, .n = channels, .v = scale}, b = {.axis = 1, .n = channels, .v = shift};
    ValueId y = scale_node(f, OP_Mul, n, resolved_in(&f->rw, n, 0), &s);
    rewrite_replace(&f->rw, n->out[0], scale_node(f, OP_Add, n, y, &b));
    return true;
}

/* x - c becomes x + -c, x / c becomes x * (1 / c); not if the quotient is rounded to steps, which are counted from its own value. */
bool form_inverse(Folder *f, const Node *n)
{
    ValueId x;
    Scale s;
    if (!affine_node(f, n, &x, &s) || (n->op == OP_Div && is_rounded(f->g, &f->uses, n->out[0])))
        return false;
    double *v = ARENA_ARRAY(f->scratch, double, (size_t)s.n);
    for (int64_t i = 0; i < s.n; i++) {
        v[i] = n->op == OP_Sub ? -s.v[i] : 1 / s.v[i];
        if (n->op == OP_Div && !isnormal((float)v[i]))
            return false;
    }
    s.v = v;
    rewrite_replace(&f->rw, n->out[0], scale_node(f, n->op == OP_Sub ? OP_Add : OP_Mul, n, x, &s));
    return true;
}

/* Mul of Mul, Add of Add, Mul of Add. */
bool form_affine(Folder *f, const Node *n)
{
    ValueId x, below;
    Scale s, t, both;
    if (!affine_node(f, n, &below, &s))
        return false;
    const Node *def = def_of(f->g, below);
    ValueId original = n->in[same_value(resolved(&f->rw, n->in[0]), below) ? 0 : 1];
    if (!def || !single_use(&f->uses, original))
        return false;
    Node inner = *def;
    if (!affine_node(f, &inner, &x, &t))
        return false;
    if (inner.op == n->op) {
        if (!scale_merge(f, &s, &t, n->op == OP_Mul ? '*' : '+', &both))
            return false;
        rewrite_replace(&f->rw, n->out[0], scale_node(f, n->op, n, x, &both));
        return true;
    }
    if (n->op != OP_Mul || inner.op != OP_Add || !scale_merge(f, &s, &t, '*', &both))
        return false;
    ValueId scaled = scale_node(f, OP_Mul, n, x, &s);
    rewrite_replace(&f->rw, n->out[0], scale_node(f, OP_Add, &inner, scaled, &both));
    return true;
}

bool form_gemm(Folder *f, const Node *n)
{
    double alpha = attr_float(n, "alpha", 1), beta = attr_float(n, "beta", 1);
    ValueId in[3] = {resolved_in(&f->rw, n, 0), resolved_in(&f->rw, n, 1),
                     resolved_in(&f->rw, n, 2)};
    bool has_c = has_value(in[2]);
    if ((alpha == 1 && (beta == 1 || !has_c)) || !is_const(f->g, in[1]) ||
        (has_c && !is_const(f->g, in[2])) || !dtype_is_float(type_of(f->g, n->out[0])->dtype))
        return false;
    Scale a = {.axis = -1, .n = 1, .v = &alpha}, b = {.axis = -1, .n = 1, .v = &beta};
    in[1] = scaled_const(f, in[1], 1, &a);
    if (has_c)
        in[2] = scaled_const(f, in[2], 1, &b);
    const Attr attrs[] = {ATTR_F("alpha", 1), ATTR_F("beta", 1),
                          ATTR_I("transA", attr_int(n, "transA", 0)),
                          ATTR_I("transB", attr_int(n, "transB", 0)), ATTR_END};
    rewrite_replace(&f->rw, n->out[0], graph_op(f->g, OP_Gemm, n, in, has_c ? 3 : 2, attrs));
    return true;
}
