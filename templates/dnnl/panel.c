/* Products by panels of weights: what all tiles of a unit share. SPDX-License-Identifier: Apache-2.0 */
#define $lanes$ 16
#define $bytes$ 64
//@begin
/* $lanes$ floats, computed at once where the CPU does so; anywhere in memory. */
typedef float panel_vector __attribute__((vector_size($bytes$), aligned(4), may_alias));
