/* Apache-2.0. A convolution of bytes on a core with few registers: sums of two filters by two windows. */
#include <stddef.h>
#include <stdint.h>
#define NET_INLINE static inline
#define $signature$ void sample(const uint8_t *restrict src, const int8_t *restrict weights, const uint8_t *restrict src_zero_point, int32_t *restrict dst, void *restrict scratch)
#define $fn$_window sample_window
#define $T_x$ uint8_t
#define $zero$ src_zero_point[0]
#define $result$(value, element, channel) (value)
#define $unused$ src
#define $images$ 2
#define $group$ 2
#define $C$ 3
#define $M$ 16
#define $H$ 7
#define $W$ 7
#define $OH$ 7
#define $OW$ 7
#define $KH$ 3
#define $KW$ 3
#define $SH$ 1
#define $SW$ 1
#define $LH$ 1
#define $LW$ 1
#define $PH$ 1
#define $PW$ 1
void dnnlc_order(int16_t *x, const int32_t n);
void dnnlc_dots(const int8_t *w, const int32_t w_row, const int16_t *x, const int32_t x_row, const int32_t n, int32_t *sum);
//@begin
//@if padded
/* What lies under a filter for one element of the result, less the zero point, 0 in the padding. */
//@else
/* What lies under a filter for one element of the result, less the zero point. */
//@end
NET_INLINE void $fn$_window(const $T_x$ *restrict src, int16_t *restrict window, const int32_t zero,
                            const ptrdiff_t pixel)
{
    enum { C = $C$, H = $H$, W = $W$, OW = $OW$, KH = $KH$, KW = $KW$ };
    enum { SH = $SH$, SW = $SW$, DH = $LH$, DW = $LW$, TOP = $PH$, LEFT = $PW$ };
    const ptrdiff_t top = pixel / OW * SH - TOP, left = pixel % OW * SW - LEFT;
    for (ptrdiff_t i = 0; i < C * KH; i++, window += KW) {
        const ptrdiff_t y = top + i % KH * DH;
        const $T_x$ *row = src + (i / KH * H + y) * W + left;
//@if padded
        const int inside = y >= 0 && y < H && left >= 0 && left + (KW - 1) * DW < W;
        if (!inside) {
            for (ptrdiff_t x = 0; x < KW; x++) {
                const ptrdiff_t at = left + x * DW;
                const int outside = y < 0 || y >= H || at < 0 || at >= W;
                window[x] = (int16_t)(outside ? 0 : row[x * DW] - zero);
            }
            continue;
        }
//@end
        for (ptrdiff_t x = 0; x < KW; x++)
            window[x] = (int16_t)(row[x * DW] - zero);
    }
}

$signature$
{
    enum { IMAGES = $images$, GROUP = $group$, C = $C$, M = $M$, K = C * $KH$ * $KW$ };
    enum { SRC_PLANE = $H$ * $W$, PLANE = $OH$ * $OW$, PITCH = (K + 3) / 4 * 4 };
    int16_t *const windows = scratch;
//@for not_read
    (void)$unused$; /* the zero point is 0 */
//@end
    for (ptrdiff_t image = 0; image < IMAGES; image++) {
        const $T_x$ *x = src + image * C * SRC_PLANE;
        const ptrdiff_t channel = image % GROUP * M;
        for (ptrdiff_t p = 0; p < PLANE; p += 2) {
            const ptrdiff_t pixels = p + 1 < PLANE ? 2 : 1;
            for (ptrdiff_t j = 0; j < 2; j++) {
                $fn$_window(x, windows + j * PITCH, $zero$, j < pixels ? p + j : p);
                dnnlc_order(windows + j * PITCH, K);
            }
            for (ptrdiff_t m = 0; m < M; m += 2) {
                const ptrdiff_t filters = m + 1 < M ? 2 : 1;
                const int8_t *w = weights + (channel + m) * K;
                int32_t sum[4];
                if (m + 1 < M)
                    dnnlc_dots(w, K, windows, PITCH, K, sum);
                else
                    dnnlc_dots(w, 0, windows, PITCH, K, sum);
                for (ptrdiff_t i = 0; i < filters; i++)
                    for (ptrdiff_t j = 0; j < pixels; j++) {
                        const ptrdiff_t f = m + i, at = (image * M + f) * PLANE + p + j;
                        dst[at] = $result$(sum[2 * i + j], at, channel + f);
                    }
            }
        }
    }
}
