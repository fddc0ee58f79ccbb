/* Between the files of the portable C target: who writes which kernel. */
#pragma once

#include "emit_c.h"

/* What several operators share; the other functions are of the operator they are called after. A step of no node, the same elements in
 * another layout, is a copy as well; a fused group, with all nodes in step->nodes, is elementwise. */
#define emit_c_average_pool emit_c_max_pool
#define emit_c_cast emit_c_eltwise
#define emit_c_conv_integer emit_c_conv
#define emit_c_expand emit_c_copy
#define emit_c_gemm emit_c_matmul
#define emit_c_gru emit_c_recurrent
#define emit_c_lp_pool emit_c_max_pool
#define emit_c_lstm emit_c_recurrent
#define emit_c_qlinear_conv emit_c_conv
#define emit_c_reshape emit_c_copy
#define emit_c_rnn emit_c_recurrent
#define emit_c_slice emit_c_copy
#define emit_c_sum emit_c_eltwise
#define emit_c_tile emit_c_copy
#define emit_c_transpose emit_c_copy
#define emit_c_where emit_c_eltwise
#define OP_EMITTER(nm, fn) EmitCFn emit_c_##fn;
#include "../../ops/ops.def"

/* The kernel of a node as templates/PATH has it. */
void c_emit_by_template(CKernel *k, const char *path);

/* A composite of Gathers, Adds and a norm (sum_norm.h). */
EmitCFn emit_c_sum_norm;
