/* Apache-2.0. A result that is zero everywhere: sums of nothing. */
#include <string.h>
#define $signature$ void sample(const float *src0, float *dst0)
#define $operand$ src0
#define $bytes$ 4
//@begin
$signature$
{
    memset(dst0, 0, $bytes$);
//@for unused
    (void)$operand$;
//@end
}
