/* What C's kernel of each operator takes and needs: the column `kernel` of ops.def. */
#include "kernel.h"
#include "layers.h"
#include "plan.h"

#include <string.h>

/* Everything the kernels index is an int or fits in ptrdiff_t of a 32-bit machine's reach; enumeration constants are
 * ints. */
static bool sizes_fit(const TensorType *t)
{
    for (int d = 0; d < t->rank; d++)
        if (t->dims[d] > INT32_MAX)
            return false;
    return type_count(t) <= INT32_MAX;
}

static bool says(const char **why, const char *reason)
{
    *why = reason;
    return false;
}

static bool check_sizes(const Graph *g, const Node *n, const char **why)
{
    for (uint32_t i = 0; i < n->n_in; i++) {
        if (!has_value(n->in[i]))
            continue;
        if (!sizes_fit(type_of(g, n->in[i])))
            return says(why, "the C kernel takes at most 2^31 elements");
    }
    for (uint32_t i = 0; i < n->n_out; i++)
        if (has_value(n->out[i]) && !sizes_fit(type_of(g, n->out[i])))
            return says(why, "the C kernel makes at most 2^31 elements");
    return true;
}

/* Nothing to work on, and yet a result is due. */
static bool reads_nothing(const Graph *g, const Node *n)
{
    int64_t results = 0;
    for (uint32_t i = 0; i < n->n_out; i++)
        results += has_value(n->out[i]) ? type_count(type_of(g, n->out[i])) : 0;
    for (uint32_t i = 0; i < n->n_in; i++)
        if (has_value(n->in[i]) && type_count(type_of(g, n->in[i])) == 0)
            return results > 0;
    return false;
}

/* --- what the families take and need ---------------------------------------------------------------------------------- */

static bool few_dimensions(const Graph *g, const Node *n, const char **why)
{
    return type_of(g, n->in[0])->rank <= 5 ||
           says(why, "the C kernel takes at most three spatial dimensions");
}

static bool resize(const Graph *g, const Node *n, const char **why)
{
    if (!dtype_is_float(type_of(g, n->in[0])->dtype) &&
        strcmp(attr_string(n, "mode", "nearest"), "nearest") != 0)
        return says(why, "the C kernel interpolates floats only");
    return type_of(g, n->in[0])->rank > 0 || says(why, "there is nothing to resize in a scalar");
}

static bool quantize(const Graph *g, const Node *n, const char **why)
{
    return type_of(g, n->out[0])->dtype != DT_I32 ||
           says(why, "the C kernel quantises to 8 and 16 bits");
}

static bool inner_norm(const Graph *g, const Node *n, const char **why)
{
    (void)g;
    return has_value(n->out[0]) || says(why, "the C kernel computes the first output");
}

static bool gemm(const Graph *g, const Node *n, const char **why)
{
    return dtype_is_float(type_of(g, n->in[0])->dtype) ||
           (attr_float(n, "alpha", 1) == 1 && attr_float(n, "beta", 1) == 1) ||
           says(why, "the C kernel takes an integer Gemm with alpha and beta 1 only");
}

#define KERNEL_plain .is_layer = false
#define KERNEL_copy .family = C_FAMILY_copy
#define KERNEL_parts .family = C_FAMILY_parts
#define KERNEL_gather .family = C_FAMILY_gather
#define KERNEL_gather_elements .family = C_FAMILY_gather_elements
#define KERNEL_pad .family = C_FAMILY_pad
#define KERNEL_eltwise .family = C_FAMILY_eltwise
#define KERNEL_layer .is_layer = true
#define KERNEL_window KERNEL_layer, .supports = few_dimensions
#define KERNEL_convolution KERNEL_window, .family = C_FAMILY_conv, .epilogue = true
#define KERNEL_conv KERNEL_convolution, .inputs = {1, 2, NO_INPUT, NO_INPUT}
#define KERNEL_conv_integer KERNEL_convolution, .inputs = {1, NO_INPUT, 2, 3}
#define KERNEL_qlinear_conv KERNEL_convolution, .inputs = {3, 8, 2, 5}
#define KERNEL_deconv                                                                              \
    KERNEL_window, .inputs = {1, 2, NO_INPUT, NO_INPUT}, .family = C_FAMILY_conv_transpose,        \
                   .epilogue = true, .keeps_sums = true
#define KERNEL_pool KERNEL_window, .family = C_FAMILY_pool, .epilogue = true
#define KERNEL_qmatmul KERNEL_layer, .family = C_FAMILY_matmul_integer, .epilogue = true
#define KERNEL_matmul KERNEL_layer, .family = C_FAMILY_matmul, .epilogue = true, .keeps_sums = true
#define KERNEL_gemm KERNEL_matmul, .supports = gemm
#define KERNEL_resize KERNEL_layer, .supports = resize, .family = C_FAMILY_resize
#define KERNEL_quantize KERNEL_layer, .supports = quantize, .family = C_FAMILY_quantize
#define KERNEL_dequantize KERNEL_layer, .family = C_FAMILY_quantize
#define KERNEL_dynamic_quantize KERNEL_layer, .family = C_FAMILY_dynamic_quantize
#define KERNEL_softmax KERNEL_layer, .family = C_FAMILY_softmax
#define KERNEL_lrn KERNEL_layer, .family = C_FAMILY_lrn
#define KERNEL_norm KERNEL_layer, .family = C_FAMILY_norm_rows
#define KERNEL_inner_norm KERNEL_norm, .supports = inner_norm
#define KERNEL_rnn KERNEL_layer, .family = C_FAMILY_rnn
#define KERNEL_rows KERNEL_layer, .family = C_FAMILY_data_rows
#define KERNEL_trees KERNEL_layer, .family = C_FAMILY_trees
#define KERNEL_coupling KERNEL_layer, .family = C_FAMILY_coupling
#define KERNEL_reduce .family = C_FAMILY_reduce
#define KERNEL_along .family = C_FAMILY_along
#define KERNEL_einsum .family = C_FAMILY_einsum
#define KERNEL_top_k .family = C_FAMILY_top_k
#define KERNEL_det .family = C_FAMILY_det

const CKernelRow c_kernels[OP_COUNT] = {
#define OP_KERNEL(nm, kernel) [OP_##nm] = {KERNEL_##kernel},
#include "../ops/ops.def"
};

/* --- what the others ask ------------------------------------------------------------------------------------------------ */

bool c_target_supports(const Graph *g, const Node *n, const char **why)
{
    const CKernelRow *k = &c_kernels[n->op];
    *why = NULL;
    if (k->supports && !k->supports(g, n, why))
        return false;
    if (k->is_layer && reads_nothing(g, n))
        return says(why, "an input has no elements");
    return !k->is_layer || check_sizes(g, n, why);
}
