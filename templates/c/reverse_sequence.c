/* Apache-2.0. Sequences turned round, each up to its own length. */
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#define $signature$ void sample(const float *restrict src, const int64_t *restrict sequence_lens, float *restrict dst)
#define $outer$ 2
#define $first$ 3
#define $middle$ 4
#define $second$ 5
#define $steps$ 3
#define $sequence$ j
#define $step$ i
#define $to$ ((o * 3 + i) * 4 + m) * 5 + j
#define $from$ ((o * 3 + t) * 4 + m) * 5 + j
#define $to_row$ (((o * 3 + i) * 4 + m) * 5 + j)
#define $from_row$ (((o * 3 + t) * 4 + m) * 5 + j)
#define $inner$ 6
//@begin
$signature$
{
    enum { STEPS = $steps$ };
    for (size_t o = 0; o < $outer$; o++)
        for (size_t i = 0; i < $first$; i++)
            for (size_t m = 0; m < $middle$; m++)
                for (size_t j = 0; j < $second$; j++) {
                    const int64_t length = sequence_lens[$sequence$];
                    const size_t n = (size_t)(length < 0 ? 0 : length > STEPS ? STEPS : length);
                    const size_t t = $step$ < n ? n - 1 - $step$ : $step$;
//@if single
                    dst[$to$] = src[$from$];
//@else
                    memcpy(dst + $to_row$ * $inner$, src + $from_row$ * $inner$, $inner$ * sizeof *dst);
//@end
                }
}
