/* Apache-2.0. A convolution of each channel with filters of its own, channels innermost. */
#include <stddef.h>
#define $signature$ void sample(const float *restrict src, const float *restrict weights, float *restrict dst)
#define $first$ 0.0f
#define $result$(value, element, channel) (value)
#define $s$ s0
#define $k$ 0
#define $images$ 1
#define $C$ 16
#define $M$ 4
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
#define $from$ 0
#define $to$ IMAGES * OH * OW
#define NET_TABLE
//@begin
$signature$
{
    enum { IMAGES = $images$, C = $C$, M = $M$, H = $H$, W = $W$, OH = $OH$, OW = $OW$ };
    enum { KH = $KH$, KW = $KW$, SH = $SH$, SW = $SW$, DH = $LH$, DW = $LW$ };
    enum { TOP = $PH$, LEFT = $PW$ };
    NET_TABLE static const float outside[C] = {0};
    for (ptrdiff_t pixel = $from$; pixel < $to$; pixel++) {
        const float *restrict image = src + pixel / (OH * OW) * (H * W * C);
        float *restrict filtered = dst + pixel * (C * M);
        const float *tap[KH * KW]; /* the pixels under the filter */
        for (ptrdiff_t k = 0; k < KH * KW; k++) {
            const ptrdiff_t y = pixel / OW % OH * SH + k / KW * DH - TOP;
            const ptrdiff_t x = pixel % OW * SW + k % KW * DW - LEFT;
            tap[k] = y < 0 || y >= H || x < 0 || x >= W ? outside : image + (y * W + x) * C;
        }
//@for tap
        const float *restrict $s$ = tap[$k$];
//@end
        for (ptrdiff_t c = 0; c < C; c++)
            for (ptrdiff_t m = 0; m < M; m++) {
                const ptrdiff_t i = c * M + m;
                float v = $first$;
//@for tap
                v += weights[$k$ * C * M + i] * $s$[c];
//@end
                filtered[i] = $result$(v, pixel * (C * M) + i, i);
            }
    }
}
