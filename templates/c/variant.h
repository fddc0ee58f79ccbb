/* What some kernels that include the functions of more have in common. SPDX-License-Identifier: Apache-2.0 */
#define $banner$
#define $file$ <stddef.h>
#define $value$ 1
//@begin
$banner$
/* What $uses$ kernels have in common of those that include this file. */
//@for sizes
#define $size$ $value$
//@end
#include $file$
