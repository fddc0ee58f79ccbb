/* What kernels in several files need. SPDX-License-Identifier: Apache-2.0 */
#define $banner$
#define $clones$
#define $helpers$
//@begin
$banner$
#ifndef $helpers_guard$
#define $helpers_guard$

//@if math
#include <math.h>
//@end
#include <stdint.h>
#include <string.h>

$clones$
$helpers$

#endif
