/* Apache-2.0. The functions of a kernel, or definitions and includes of what other kernels have too. */
#include <stddef.h>
#define $kernel$ sample
#define $value$ 1
#define $functions$
#define $file$ <stddef.h>
//@begin
//@if included
#define KERNEL(part) $kernel$##part
//@end
//@for parts
//@if later

//@end
//@for sizes
#define $size$ $value$
//@end
//@if file
#include $file$
//@else
$functions$
//@end
//@end
//@if included

#undef KERNEL
//@end
