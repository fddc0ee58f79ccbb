/* Apache-2.0. Behind an iteration of a loop: its row of each result, what is carried on, and whether another one follows (2: it would, but
 * there is no row for it). */
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#define $signature$ void sample(const uint8_t *going_on, const int64_t *iteration, const int64_t *restrict trips, const uint8_t *restrict condition, const float *restrict src0, uint8_t *more, int64_t *count, float *restrict dst0)
#define $to$ dst0
#define $from$ src0
#define $elements$ 25
#define $bytes$ 100
#define $stays$ src0
#define $capacity$ 10
//@begin
$signature$
{
    const int64_t done = iteration[0] + 1;
    (void)going_on; /* in place, as what stays */
//@for stays
    (void)$stays$;
//@end
//@for rows
    memcpy($to$ + (size_t)iteration[0] * $elements$, $from$, $bytes$);
//@end
//@for carried
    memcpy($to$, $from$, $bytes$);
//@end
//@if capacity
    more[0] = !condition[0] || done >= trips[0] ? 0 : done < $capacity$ ? 1 : 2;
//@else
    more[0] = condition[0] && done < trips[0];
//@end
    count[0] = done;
}
