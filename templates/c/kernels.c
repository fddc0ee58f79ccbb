/* A file of kernels. SPDX-License-Identifier: Apache-2.0 */
#define $banner$
#define $header$ <stddef.h>
#define $clones$
#define $helpers$
#define $kernels$
//@begin
$banner$
#include $header$

#include <math.h>
#include <string.h>

$clones$
$helpers$
$kernels$
