/* Apache-2.0. Data-dependent rows without capacity for any: only their number is a result. */
#include <stdint.h>
#define $signature$ void sample(const float *restrict src0, int64_t *restrict dst1)
#define $operand$ src0
#define dst$o$ dst1
//@begin
$signature$
{
//@for operands
    (void)$operand$;
//@end
//@if counted
    dst$o$[0] = 0;
//@end
}
