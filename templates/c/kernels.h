/* Declarations of an emitted model's kernels. SPDX-License-Identifier: Apache-2.0 */
#define $banner$
#define $kernel$ sample
#define $params$(x) x
#define $param$ const float *src0
//@begin
$banner$
#ifndef $kernels_guard$
#define $kernels_guard$

/* No canaries on the stack in what follows, which reads nothing of unknown size: with -fstack-protector-strong, which some distributions
 * switch on, gcc 12 places arrays at multiples of 16 bytes that its vectorised loops take for aligned to 32. */
#if defined __GNUC__ && __GNUC__ >= 12 && !defined __clang__
#pragma GCC optimize "no-stack-protector"
#endif

#include <stddef.h>
#include <stdint.h>

/* Every kernel is written once; layers that need the same one call it with operands in other places. */
//@for kernels
void $kernel$($params$($param$));
//@end

#endif
