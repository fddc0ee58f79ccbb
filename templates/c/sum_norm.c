/* Apache-2.0. Rows that are added up and normalised: the sum stands where the result will. */
#include <math.h>
#include <stddef.h>
#include <stdint.h>
static inline size_t dnnlc_index(int64_t i, int64_t size)
{
    return (size_t)(i % size);
}
float sample_square_sum(const float *restrict x, const float mean); /* norm_square_sum.c */
#define NET_LANES
#define NET_VECTORS
#define $signature$ void sample(const float *restrict src, const int64_t *restrict indices, const float *restrict scale, const float *restrict bias, float *restrict dst)
#define $variance$ sample_square_sum(dst_row, mean)
#define $t$ t0
#define $y$ y0
#define $address$ src + dnnlc_index(indices[row], 30) * SIZE
#define $element$ scale[0] * 0
#define $terms$(x) x
#define $term$(column) t0[column] + y0
#define $difference$ (dst_row[i] - mean)
#define $scale$ scale
#define $shift$ + bias[i]
#define $taken$ x
#define $epsilon$ 1e-5f
#define $rows$ 4
#define $size$ 100
#define $full$ 96
#define $lanes$ 16
#define $half$ 8
#define $unroll$ NET_LANES
#define $from$ 0
#define $to$ ROWS
//@begin
$signature$
{
    enum { ROWS = $rows$, SIZE = $size$, FULL = $full$, LANES = $lanes$ };
    for (size_t row = $from$; row < $to$; row++) {
//@for row_terms
        const float *restrict $t$ = $address$;
//@end
//@for number_terms
        const float $y$ = $element$;
//@end
        float *restrict dst_row = dst + row * SIZE;
        float part[LANES] = {0}, sum = 0;
//@if full
        for (size_t i = 0; i < FULL; i += LANES) {
            NET_VECTORS
            for (size_t l = 0; l < LANES; l++) {
                const float x = $terms$($term$(i + l));
                dst_row[i + l] = x;
                part[l] += $taken$;
            }
        }
//@end
        for (size_t i = FULL; i < SIZE; i++) {
            const float x = $terms$($term$(i));
            dst_row[i] = x;
            sum += $taken$;
        }
//@for folds
        $unroll$
        for (size_t l = 0; l < $half$; l++)
            part[l] += part[l + $half$];
//@end
        sum += part[0];
//@if centred
        const float mean = sum / SIZE;
//@end
        const float variance = $variance$ / SIZE;
        const float inv_dev = 1 / sqrtf(variance + $epsilon$);
        for (size_t i = 0; i < SIZE; i++)
            dst_row[i] = $difference$ * inv_dev * $scale$[i]$shift$;
    }
}
