/* The text form of programs. print -> parse -> print is the identity; what is parsed is checked (program.h) and emits the same files
 * as the program that was printed. A file holds the graph (text/text_ir.h) and its program:
 *
 *     graph "net" { … }
 *     program {
 *       origin model="net.onnx" sha256="…" name="net" command="dnnlc net.onnx" isa="avx512_core" threads=2 dnnl
 *       plan threads=2 lanes=16                                     // of the kernels in C
 *       memory workspace=178304 live=178304 weights=291584 // once memory is planned
 *       buffer b0 input 0 %data: f32[1,3,8,8] abcd live 0 to 1    // port, value, type, layout; first and last step
 *       buffer b1 const %w: f32[4,3,3,3] abcd at 0 = %w    // bytes of the weights; contents of a constant of the graph
 *       buffer b2 arena %y: f32[1,4,8,8] acdb at 64 live 0 to 2   // bytes of the workspace
 *       buffer b3 arena %z: f32[1,2,8,8] acdb/4 in b2 at 8 // a part of another buffer; rows 4 elements apart
 *       buffer b4 const _: f32[4] a bytes 4096 at 512 = hex"…"  // of another size than the type: packed
 *       unit dnnl "it is the end of the model"             // a translation unit, and why it ends
 *         step conv_0 dnnl in(b0, b4, _) out(b2) nodes(%y, %r) scratch=b5 guards(b6, !b7) why="…"
 *           {kind=convolution, alg=convolution_direct, impl="…", …}   // members as in program/fields.c
 *         step conv_1 c in(b6, b7, _) out(b8) nodes(%z) scratch=b9
 *           {variant=conv_im2col, rows=4, columns=24, …}        // how its kernel computes: kernel/plan.h; not where there is one way
 *       copy b2 -> b8                                      // after the last step
 *     }
 *
 * Steps are numbered from 0 in their order. Of a step with several nodes `anchor=%y` names the one it is called after, if that is not
 * the first. `part=` are bytes of scratch memory for each thread; `rounds` says that products are rounded before anything is added to them.
 * What is left out is zero or absent; an unknown name is refused. */
#pragma once

#include "program.h"

/* The graph and the program. */
void print_program_text(const Program *p, Text *out);
/* A graph, and the program that follows it, if there is one: p is lowered then. NULL after a refusal "FILE:LINE:COLUMN: …". What is
 * returned is verified. */
Graph *parse_program_text(Arena *arena, Diag *diag, const char *file, const char *text, size_t size,
                          Program *p);
/* The program alone, large constants elided: for reading only. */
void print_program_elided(const Program *p, Text *out);
