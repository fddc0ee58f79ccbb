/* Apache-2.0. A result that is the same everywhere, whatever the operand is. */
#include <stddef.h>
#define $signature$ void sample(const float *restrict src, float *restrict dst)
#define $operand$ src
#define $size$ 4
#define $value$ 0
//@begin
$signature$
{
//@for unused
    (void)$operand$;
//@end
    for (size_t i = 0; i < $size$; i++)
        dst[i] = $value$;
}
