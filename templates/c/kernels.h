/* Declarations of an emitted model's kernels. SPDX-License-Identifier: Apache-2.0 */
#define $banner$
#define $internal$ <stddef.h>
#define $kernel$ sample
#define $params$(x) x
#define $param$ const float *src0
//@begin
$banner$
#ifndef $kernels_guard$
#define $kernels_guard$

#include $internal$

#include <stddef.h>
#include <stdint.h>

/* Every kernel is written once; layers that need the same one call it with operands in other places. */
//@for kernels
void $kernel$($params$($param$));
//@end

#endif
