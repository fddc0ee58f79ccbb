/* Apache-2.0. Vectors along one axis divided by their norm, PIECE neighbouring ones at a time; a zero vector stays. */
#include <math.h>
#include <stddef.h>
#define $signature$ void sample(const float *restrict src, float *restrict dst)
#define $T_x$ float
#define $A_x$ float
#define $take$ v * v
#define $norm$ sqrtf(sum[j])
#define $source$ src[at + j]
#define $at$ (o * SIZE + i) * INNER + c
#define $j$ j
#define $result$ src[at + j] * sum[j]
#define $outer$ 2
#define $size$ 3
#define $inner$ 49
#define $piece$ 49
//@begin
$signature$
{
    enum { OUTER = $outer$, SIZE = $size$, INNER = $inner$, PIECE = $piece$ };
    for (size_t o = 0; o < OUTER; o++)
        for (size_t c = 0; c < INNER; c += PIECE) {
            const size_t n = INNER - c < PIECE ? INNER - c : PIECE;
            $A_x$ sum[PIECE] = {0};
            for (size_t i = 0; i < SIZE; i++) {
                const size_t at = $at$;
                for (size_t j = 0; j < n; j++) {
                    const $A_x$ v = $source$;
                    sum[j] += $take$;
                }
            }
            for (size_t j = 0; j < n; j++) {
                const $A_x$ norm = $norm$;
                sum[j] = norm <= 0 ? 1 : 1 / norm;
            }
            for (size_t i = 0; i < SIZE; i++) {
                const size_t at = $at$;
                for (size_t j = 0; j < n; j++)
                    dst[at + $j$] = $result$;
            }
        }
}
