/* Portable C for Softmax, LogSoftmax and Hardmax over dims axis … axis_end - 1 taken together. */
#include "nn.h"

#include <string.h>

/* Elements taken at a time. Measured with AVX-512: a vector of 4 takes 4.3 ns, of 8 5, of 16 6.3, of 32 8.5, and each of the
 * elements left over, which are taken one by one, 6. */
static int64_t lanes_for(int64_t size)
{
    int64_t best = 4, least = INT64_MAX;
    for (int64_t lanes = 4; lanes <= 2 * C_LANES; lanes *= 2) {
        const int64_t cost = size / lanes * (28 + lanes) + size % lanes * 42;
        if (size >= lanes && cost < least) {
            best = lanes;
            least = cost;
        }
    }
    return best;
}

static Bindings *softmax_bindings(CKernel *k, int64_t *outer, int64_t *inner)
{
    const TensorType *t = nn_in(k, 0);
    int axis = (int)attr_int(k->node, "axis", t->rank - 1);
    int end = (int)attr_int(k->node, "axis_end", axis + 1);
    const int64_t size = nn_product(t, axis, end);
    *outer = nn_product(t, 0, axis);
    *inner = nn_product(t, end, t->rank);
    Bindings *b = nn_bindings(k);
    nn_type(k, b, "x", t->dtype);
    bind_int(b, "outer", *outer);
    bind_int(b, "rows", *outer);
    bind_int(b, "size", size);
    bind_int(b, "inner", *inner);
    const int64_t lanes = lanes_for(size);
    bind_int(b, "full", size - size % lanes);
    bind_int(b, "lanes", lanes);
    bind_int(b, "stretch", t->dtype == DT_F64 ? 128 : 256);
    bind(b, "lowest", "-INFINITY");
    return b;
}

static void emit_exponential(CKernel *k, Bindings *b, int64_t outer, int64_t inner)
{
    DType t = nn_in(k, 0)->dtype;
    bool log = k->node->op == OP_LogSoftmax, keep = !log && (t == DT_F32 || t == DT_F64);
    const char *exp = nn_math(k, t, t == DT_F64 ? "exp" : "exp_negative"), *factor, *result, *again;
    const char *dst = inner == 1 ? "dst[i]" : "dst[i * INNER + j]";
    const char *max = inner == 1 ? "max" : "max[j]", *sum = inner == 1 ? "factor" : "sum[j]";
    const char *x = nn_load(k, t, inner == 1 ? "src[i]" : "src[i * INNER + j]");
    if (log) {
        factor = arena_printf(k->arena, "%s + %s(%s)", max, nn_math(k, t, "log"),
                              inner == 1 ? "sum" : "sum[j]");
        result = arena_printf(k->arena, "e - %s", sum);
        again = x;
    } else {
        factor = inner == 1 ? "1 / sum" : "1 / sum[j]";
        result = arena_printf(k->arena, "e * %s", sum);
        again = keep ? dst : arena_printf(k->arena, "%s(%s - %s)", exp, x, max);
    }
    bind(b, "exp", "%s", exp);
    bind(b, "keep", "%s", !keep ? "" : inner == 1 ? "dst[i + l] = e;" : "dst[i * INNER + j] = e;");
    bind(b, "keep_rest", "%s", keep ? "dst[i] = e;" : "");
    bind(b, "factor", "%s", factor);
    bind(b, "again", "const %s e = %s;", c_compute_type(t), again);
    bind(b, "result", "%s", result);
    nn_share(k, b, false, inner == 1 ? "ROWS" : "OUTER", outer,
             10 * (double)type_count(nn_in(k, 0)));
    nn_render(k, inner == 1 ? "c/softmax_rows.c" : "c/softmax_planes.c", b);
}

bool emit_c_softmax(CKernel *k)
{
    if (nn_emit_empty(k))
        return true;
    int64_t outer, inner;
    Bindings *b = softmax_bindings(k, &outer, &inner);
    if (k->node->op != OP_Hardmax) {
        emit_exponential(k, b, outer, inner);
        return true;
    }
    bind(b, "one", "%s", nn_store(k, nn_in(k, 0)->dtype, "1"));
    nn_render(k, "c/hardmax.c", b);
    return true;
}
