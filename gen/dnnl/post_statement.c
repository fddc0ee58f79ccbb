/* Post-ops as statements of C, for the layers whose results are finished by emitted code: Winograd convolutions and those with
 * a epilogue. */
#include "../kernel/kernel.h"
#include "plan.h"

#include <math.h>
#include <string.h>

static bool is_channels_last(const DnnlMemory *m)
{
    if (m->tag[0] != 'a' || m->tag[m->rank - 1] != 'b')
        return m->rank == 2 && !strcmp(m->tag, "ab");
    for (int i = 2; i < m->rank; i++)
        if (m->tag[i - 1] != 'a' + i)
            return false;
    return true;
}

bool onednn_pixel_stride(const DnnlMemory *m, int64_t *pixel)
{
    const int64_t *s = m->strides;
    int64_t step = 1;
    if (m->rank < 2)
        return false;
    *pixel = m->form == FORM_TAG ? m->dims[1] : m->rank == 2 ? s[0] : s[m->rank - 1];
    if (m->form == FORM_TAG)
        return is_channels_last(m);
    for (int i = m->rank - 1; i >= 0; i--) {
        if (i == 1)
            continue;
        if (s[i] != step * *pixel)
            return false;
        step *= m->dims[i];
    }
    return s[1] == 1;
}

const char *onednn_operand_name(Arena *arena, uint32_t row)
{
    return arena_printf(arena, "operand_%u", row);
}

const char *onednn_float(Arena *arena, float f)
{
    if (isinf(f))
        return f > 0 ? "INFINITY" : "-INFINITY";
    if (isnan(f))
        return "NAN";
    const char *digits = arena_printf(arena, "%.9g", (double)f);
    return arena_printf(arena, "%s%sf", digits, strpbrk(digits, ".e") ? "" : ".0");
}

static const char *eltwise_statement(Arena *arena, const DnnlPostOp *op)
{
    const char *alpha = onednn_float(arena, op->alpha), *beta = onednn_float(arena, op->beta);
    if (isnan(op->alpha) || isnan(op->beta))
        return NULL;
    switch (op->alg) {
    case ALG_eltwise_relu:
        if (op->alpha != 0)
            return arena_printf(arena, "v = v < 0.0f ? %s * v : v", alpha);
        return "v = v < 0.0f ? 0.0f : v";
    case ALG_eltwise_elu:
        return op->alpha == 1
                   ? "v = v < 0.0f ? dnnlc_expm1f(v) : v"
                   : arena_printf(arena, "v = v < 0.0f ? %s * dnnlc_expm1f(v) : v", alpha);
    case ALG_eltwise_clip:
        return arena_printf(arena, "v = v < %s ? %s : v;\nv = v > %s ? %s : v", alpha, alpha, beta,
                            beta);
    case ALG_eltwise_linear:
        return arena_printf(arena, "v = %s * v + %s", alpha, beta);
    case ALG_eltwise_abs:
        return "v = fabsf(v)";
    case ALG_eltwise_round:
        return "v = rintf(v)";
    case ALG_eltwise_hardsigmoid:
        return arena_printf(arena, "v = dnnlc_unit(%s * v + %s)", alpha, beta);
    case ALG_eltwise_hardswish:
        return arena_printf(arena, "v *= dnnlc_unit(%s * v + %s)", alpha, beta);
    case ALG_eltwise_logistic:
        return "v = dnnlc_sigmoidf(v)";
    case ALG_eltwise_swish:
        return op->alpha == 1 ? "v = dnnlc_swishf(v)"
                              : arena_printf(arena, "v *= dnnlc_sigmoidf(%s * v)", alpha);
    case ALG_eltwise_gelu_erf:
        return "v = dnnlc_geluf(v)";
    case ALG_eltwise_gelu_tanh:
        /* (1 + tanh u) / 2 is the logistic function of 2 u, u = sqrt(2 / pi) (v + 0.044715 v^3). */
        return "v *= dnnlc_sigmoidf(v * (1.59576912f + 0.0713548163f * v * v))";
    case ALG_eltwise_tanh:
        return "v = dnnlc_tanhf(v)";
    case ALG_eltwise_mish:
        return "v = dnnlc_mishf(v)";
    case ALG_eltwise_soft_relu:
        return op->alpha == 1 ? "v = (v > 0.0f ? v : 0.0f) + dnnlc_log1pf(dnnlc_expf(-fabsf(v)))"
                              : NULL;
    case ALG_eltwise_exp:
        return "v = dnnlc_expf(v)";
    default:
        return NULL;
    }
}

/* The operand's element that belongs to the one at hand; NULL if it is spread out otherwise. */
static const char *operand(Arena *arena, const DnnlPrimitive *p, uint32_t row)
{
    const DnnlMemory *m = &p->memory[row], *dst = onednn_memory_of(p, ARG_DST);
    const char *name = onednn_operand_name(arena, row);
    int64_t pixel, dst_pixel, count = 1;
    if (m->rank != dst->rank || m->dtype != DT_F32)
        return NULL;
    for (int i = 0; i < m->rank; i++)
        count *= m->dims[i];
    if (count == 1)
        return arena_printf(arena, "%s[0]", name);
    if (count == m->dims[1] && count == dst->dims[1] && (m->form == FORM_TAG || m->strides[1] == 1))
        return arena_printf(arena, "%s[c]", name);
    if (memcmp(m->dims, dst->dims, (size_t)m->rank * sizeof *m->dims) ||
        !onednn_pixel_stride(m, &pixel) || !onednn_pixel_stride(dst, &dst_pixel))
        return NULL;
    if (pixel !=
        dst_pixel) /* one of them is a part of a wider tensor; the division leaves the loop over channels */
        return arena_printf(arena, "%s[(at - (size_t)c) / %lld * %lld + (size_t)c]", name,
                            (long long)dst_pixel, (long long)pixel);
    return arena_printf(arena, "%s[at]", name);
}

static const char *binary_statement(Arena *arena, Algorithm alg, const char *x)
{
    switch (alg) {
    case ALG_binary_add:
        return arena_printf(arena, "v += %s", x);
    case ALG_binary_sub:
        return arena_printf(arena, "v -= %s", x);
    case ALG_binary_mul:
        return arena_printf(arena, "v *= %s", x);
    case ALG_binary_div:
        return arena_printf(arena, "v /= %s", x);
    default:
        return NULL;
    }
}

/* Limits of what the post-op before it has rounded. */
static bool limits_whole(const DnnlPrimitive *p, const DnnlPostOp *op)
{
    return op->kind == DNNL_POST_ELTWISE && op->alg == ALG_eltwise_clip && op > p->post &&
           op[-1].kind == DNNL_POST_ELTWISE && op[-1].alg == ALG_eltwise_round &&
           c_limits_by_bits((double)op->alpha, (double)op->beta);
}

const char *onednn_post_statement(Arena *arena, const DnnlPrimitive *p, const DnnlPostOp *op)
{
    const char *x = NULL;
    if (limits_whole(p, op))
        return arena_printf(arena, "v = dnnlc_limited(v, %s, %s)", onednn_float(arena, op->alpha),
                            onednn_float(arena, op->beta));
    if (op->kind == DNNL_POST_BINARY || op->kind == DNNL_POST_PRELU)
        x = operand(arena, p, op->memory);
    switch (op->kind) {
    case DNNL_POST_SUM:
        return "v += dst[at]";
    case DNNL_POST_ELTWISE:
        return eltwise_statement(arena, op);
    case DNNL_POST_BINARY:
        return x ? binary_statement(arena, op->alg, x) : NULL;
    case DNNL_POST_PRELU:
        return x ? arena_printf(arena, "v = v < 0.0f ? v * %s : v", x) : NULL;
    case DNNL_POST_DEPTHWISE: /* only 1x1 convolutions have one */
        break;
    }
    return NULL;
}

bool onednn_post_multiplies(const DnnlPostOp *op)
{
    switch (op->kind) {
    case DNNL_POST_ELTWISE:
        return op->alg != ALG_eltwise_clip && op->alg != ALG_eltwise_abs &&
               op->alg != ALG_eltwise_round && (op->alg != ALG_eltwise_relu || op->alpha != 0);
    case DNNL_POST_BINARY:
        return op->alg == ALG_binary_mul;
    default:
        return op->kind == DNNL_POST_PRELU;
    }
}

bool onednn_post_adds(const DnnlPostOp *op)
{
    return op->kind == DNNL_POST_SUM ||
           (op->kind == DNNL_POST_ELTWISE && op->alg == ALG_eltwise_linear && op->beta != 0) ||
           (op->kind == DNNL_POST_BINARY &&
            (op->alg == ALG_binary_add || op->alg == ALG_binary_sub));
}
