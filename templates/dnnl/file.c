/* oneDNN: a file of units. Sample bindings, then the template. SPDX-License-Identifier: Apache-2.0 */
#include "../../runtime-stub/dnnlc_onednn.h" /* dnnl.h */
#define $banner$
#define $internal$ <stddef.h>
#define $primitives$ <stddef.h>
#define $kernels$ <stdint.h>
#define $clones$
#define $helpers$
#define $units$
//@begin
$banner$
#include $internal$

#include $primitives$

#include <math.h>
#include <oneapi/dnnl/dnnl_version.h>

#if DNNL_VERSION_MAJOR != 3 || DNNL_VERSION_MINOR < 7
#error "this file needs oneDNN 3.7 or later (3.x)"
#endif
//@if calls

#include $kernels$
//@end
//@if loops

#include <stddef.h>
#include <stdint.h>
#include <string.h>

$clones$
$helpers$
//@end
$units$
