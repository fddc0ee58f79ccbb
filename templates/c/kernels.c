/* A file of kernels. SPDX-License-Identifier: Apache-2.0 */
#define $banner$
#define $header$ <stddef.h>
#define $helpers_file$ <stdint.h>
#define $clones$
#define $helpers$
#define $kernels$
//@begin
$banner$
//@if helpers_file
#include $helpers_file$
//@end
#include $header$

//@if math
#include <math.h>
//@end
#include <string.h>
//@if clones

$clones$
//@end
$helpers$
$kernels$
