/* A file of units of portable C: functions that run the kernels of a region one after the other. SPDX-License-Identifier: Apache-2.0 */
#define $banner$
#define $internal$ <stddef.h>
#define $kernels$ <stdint.h>
#define $condition$ m
#define $kernel$ sample_kernel
#define $args$(x) x
#define $arg$ m
#define $index$ 0
#define $times$ 2
#define $place$ SAMPLE
#define $offset$ 64
struct $name$_memory;
void $name$_trace(const struct $name$_memory *m, unsigned layer);
void sample_kernel(const void *src0);
void $unit$(const struct $name$_memory *m);
//@begin
$banner$
#include $internal$
#include $kernels$

#include <stddef.h>
#include <stdint.h>
//@if places

/* Bytes from the start of the workspace to what layers write: $name$_dnnl.c has a map. */
enum {
//@for places
    $place$ = $offset$,
//@end
};
//@end
//@for units

void $unit$(const struct $name$_memory *m)
{
//@for blocks
//@nest guards
    if ($condition$) {
//@nest loops
        for (size_t i = 0; i < $times$; i++) {
//@for about
            /* Layers $from$ to $to$, $period$ at a time: the comments name the first. */
//@end
//@for calls
            /* $label$: $title$ */
            $kernel$($args$($arg$));
            $name$_trace(m, $index$);
//@end
        }
//@end
    }
//@end
//@end
}
//@end
