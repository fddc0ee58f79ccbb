/* Products by panels of weights: what all tiles of a file share. SPDX-License-Identifier: Apache-2.0 */
#define $lanes$ 16
#define $bytes$ 64
#define $built_for$
#define $target$ "avx2,fma"
#define $supported$ __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma")
//@begin
/* $lanes$ floats, computed at once where the CPU does so; anywhere in memory. */
typedef float panel_vector __attribute__((vector_size($bytes$), aligned(4), may_alias));

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
