/* Between the files of the portable C target: who writes which kernel. */
#pragma once

#include "emit_c.h"

EmitCFn emit_c_eltwise, emit_c_cast, emit_c_where,
    emit_c_sum; /* also a fused group, with all nodes in step->nodes */
EmitCFn emit_c_reshape, emit_c_transpose, emit_c_expand, emit_c_tile, emit_c_concat, emit_c_split,
    emit_c_slice, emit_c_pad, emit_c_trilu;
EmitCFn emit_c_gather, emit_c_gather_elements, emit_c_gather_nd, emit_c_scatter_elements,
    emit_c_scatter_nd, emit_c_one_hot, emit_c_reverse_sequence;
EmitCFn emit_c_cum_sum, emit_c_top_k, emit_c_arg, emit_c_reduce, emit_c_einsum, emit_c_det;

/* The kernel of a node as templates/PATH has it. */
bool c_emit_by_template(CKernel *k, const char *path);

/* A composite of Gathers, Adds and a norm (sum_norm.h). */
EmitCFn emit_c_sum_norm;
