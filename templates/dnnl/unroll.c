/* Loops that are written out. SPDX-License-Identifier: Apache-2.0 */
//@begin
/* Before a loop over a few registers, whose bounds are constants where the function around it is put into another. */
#if defined(__clang__)
#define NET_UNROLL _Pragma("clang loop unroll(full)")
#elif defined(__GNUC__) && __GNUC__ >= 8
#define NET_UNROLL _Pragma("GCC unroll 64")
#else
#define NET_UNROLL
#endif
