/* Apache-2.0. Before the first iteration of a loop: what is carried begins, and no row is there. */
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#define $signature$ void sample(const int64_t *restrict trips, const uint8_t *restrict condition, const float *restrict src0, uint8_t *restrict going_on, int64_t *restrict iteration, float *restrict dst0, float *restrict dst1)
#define $to$ dst0
#define $from$ src0
#define $bytes$ 100
#define $zeroed$ dst1
//@begin
$signature$
{
    going_on[0] = trips[0] > 0 && condition[0];
    iteration[0] = 0;
//@for carried
    memcpy($to$, $from$, $bytes$);
//@end
//@for rows
    memset($zeroed$, 0, $bytes$);
//@end
}
