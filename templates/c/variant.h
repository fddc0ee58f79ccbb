/* What some kernels that include the functions of more have in common. SPDX-License-Identifier: Apache-2.0 */
#define $banner$
#define $file$ <stddef.h>
#define $size$ KERNEL_STORED
#define $value$ sum[r][j]
//@begin
$banner$
/* What $uses$ kernels have in common of those that include this file. */
//@for sizes
#define $size$ $value$
//@end
#include $file$
