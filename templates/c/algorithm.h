/* Functions of several kernels. SPDX-License-Identifier: Apache-2.0 */
#define $banner$
#define $functions$
#define KERNEL(part)
//@begin
$banner$
/* Functions of $uses$ kernels: included for each, with KERNEL(part) for what they are called and KERNEL_… for its sizes. */
//@for names
#define kernel$part$ KERNEL($part$)
//@end

$functions$

//@for names
#undef kernel$part$
//@end
//@for sizes
#undef $size$
//@end
