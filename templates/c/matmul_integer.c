/* Apache-2.0. The driver of an integer product; see tile.c. */
#include <stddef.h>
#include <stdint.h>
#define $signature$ void sample(const uint8_t *restrict src, const int8_t *restrict weights, int32_t *restrict dst)
#define $call$(x) a, b, matrix
#define $batch$ 3
#define $T_a$ uint8_t
#define $T_b$ int8_t
#define $T_dst$ int32_t
#define $src_a$ src
#define $src_b$ weights
#define $matrix_a$ batch
#define $matrix_b$ 0
#define $size_a$ 12
#define $size_b$ 12
#define $size_dst$ 12
#define $unused_a$ src
#define $unused_b$ src
#define $unused_dst$ src
void sample_product(const void *a, ...);
#define $fn$_product sample_product
//@begin
$signature$
{
//@if unused_a
    (void)$unused_a$; /* the zero point is 0 */
//@end
//@if unused_b
    (void)$unused_b$; /* the zero point is 0 */
//@end
//@if unused_dst
    (void)$unused_dst$; /* the zero point is 0 */
//@end
    for (size_t batch = 0; batch < $batch$; batch++) {
        const size_t matrix_a = $matrix_a$, matrix_b = $matrix_b$;
        const $T_a$ *a = $src_a$ + matrix_a * $size_a$;
        const $T_b$ *b = $src_b$ + matrix_b * $size_b$;
        $T_dst$ *matrix = dst + batch * $size_dst$;
        $fn$_product($call$($arg$));
    }
}
