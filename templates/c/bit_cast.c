/* Apache-2.0. The same bits as another type. */
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#define $signature$ void sample(const float *restrict src, uint32_t *restrict dst)
#define $dst_count$ 100
//@begin
$signature$
{
    memcpy(dst, src, $dst_count$ * sizeof *dst);
}
