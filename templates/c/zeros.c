/* Apache-2.0. A result that is zero everywhere: sums of nothing. */
#include <string.h>
#define $signature$ void sample(const float *src, float *dst)
#define $operand$ src
#define $bytes$ 4
//@begin
$signature$
{
    memset(dst, 0, $bytes$);
//@for unused
    (void)$operand$;
//@end
}
