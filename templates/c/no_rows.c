/* Apache-2.0. Data-dependent rows without capacity for any: only their number is a result. */
#include <stdint.h>
#define $signature$ void sample(const float *restrict src, int64_t *restrict count)
#define $operand$ src
#define $dst$ count
//@begin
$signature$
{
//@for operands
    (void)$operand$;
//@end
//@if counted
    $dst$[0] = 0;
//@end
}
