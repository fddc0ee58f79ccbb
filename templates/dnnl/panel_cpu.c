/* Code for the vector registers of the CPUs that a model was planned for. Sample bindings, then the template. SPDX-License-Identifier: Apache-2.0 */
#include <stddef.h>
#define $lanes$ 8
#define $bytes$ 32
#define $target$ "avx2,fma"
#define $built_for$ __AVX2__
#define $supported$ (__builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma"))
//@begin
/* $lanes$ floats, computed at once where the CPU does so; anywhere in memory. */
typedef float panel_vector __attribute__((vector_size($bytes$), aligned(4), may_alias));
enum { PANEL_LANES = $lanes$ };

/* Tiles fill the vector registers of the CPUs that the model was planned for, and are compiled for these only. Others compute row by
 * row. */
#if !defined(__x86_64__) || defined(DNNLC_NO_CLONES)
#define NET_PANEL
#define NET_HAS_PANEL 0
#elif defined($built_for$)
#define NET_PANEL
#define NET_HAS_PANEL 1
#else
#define NET_PANEL __attribute__((target($target$)))
#define NET_HAS_PANEL $supported$
#endif
