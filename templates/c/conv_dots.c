/* Apache-2.0. A convolution of bytes on a core with few registers: sums of two filters by two windows. */
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#define NET_INLINE static inline
#define $signature$ void sample(const uint8_t *restrict src, const int8_t *restrict weights, const uint8_t *restrict src_zero_point, const int32_t *restrict addend, uint8_t *restrict dst, void *restrict scratch)
#define $fn$_gather sample_gather
#define $T_x$ uint8_t
#define $is_signed$ 0
#define $zero$ src_zero_point[0]
#define $biased$(channel, value) (addend[channel] + (value))
#define $scale$(channel) 998774723
#define $low$ 0
#define $high$ 255
#define $dst_zero$ 3
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
typedef int16_t dnnlc_sample;
enum { NET_WINDOWS = 2 };
void dnnlc_few_bytes(void *restrict dst, const void *restrict src, const int32_t n);
void *dnnlc_window_bytes(dnnlc_sample *window, dnnlc_sample *scratch);
void dnnlc_window(dnnlc_sample *window, const void *bytes, const int32_t n, const int32_t zero, const int is_signed);
int32_t dnnlc_base(const int8_t *w, const int32_t n, const int32_t zero, const int is_signed);
void dnnlc_dots(const int8_t *w, const int32_t w_row, const dnnlc_sample *x, const int32_t x_row, const int32_t n, int32_t *sum);
void dnnlc_put_bytes(const int32_t *sum, const int32_t n, const int32_t addend, const int32_t scale, const int32_t low, const int32_t high, const int32_t zero, void *dst);
//@begin
//@if padded
/* The bytes under a filter for one element of the result, the zero point in the padding. */
//@else
/* The bytes under a filter for one element of the result. */
//@end
NET_INLINE void $fn$_gather(const $T_x$ *restrict src, $T_x$ *restrict bytes, const $T_x$ zero,
                            const ptrdiff_t pixel)
{
    enum { C = $C$, H = $H$, W = $W$, OW = $OW$, KH = $KH$, KW = $KW$ };
    enum { SH = $SH$, SW = $SW$, DH = $LH$, DW = $LW$, TOP = $PH$, LEFT = $PW$ };
    const ptrdiff_t top = pixel / OW * SH - TOP, left = pixel % OW * SW - LEFT;
//@if padded
    if (top < 0 || top + (KH - 1) * DH >= H || left < 0 || left + (KW - 1) * DW >= W) {
        const ptrdiff_t from = left < 0 ? (-left + DW - 1) / DW : 0;
        const ptrdiff_t inside = (W - left + DW - 1) / DW, to = inside < KW ? inside : KW;
        memset(bytes, zero, C * KH * KW);
        for (ptrdiff_t ky = 0; ky < KH; ky++) {
            const ptrdiff_t y = top + ky * DH;
            if (y < 0 || y >= H)
                continue;
            for (ptrdiff_t c = 0; c < C; c++) {
                const $T_x$ *row = src + (c * H + y) * W;
                $T_x$ *under = bytes + (c * KH + ky) * KW;
//@if dilated
                for (ptrdiff_t x = from; x < to; x++)
                    under[x] = row[left + x * DW];
//@else
                dnnlc_few_bytes(under + from, row + left + from, (int32_t)(to - from));
//@end
            }
        }
        return;
    }
//@else
    (void)zero;
//@end
    for (ptrdiff_t ky = 0; ky < KH; ky++) {
        const $T_x$ *row = src + (top + ky * DH) * W + left;
        $T_x$ *to = bytes + ky * KW;
        for (ptrdiff_t c = 0; c < C; c++, row += H * W, to += KH * KW) {
//@if dilated
            for (ptrdiff_t x = 0; x < KW; x++)
                to[x] = row[x * DW];
//@else
            memcpy(to, row, KW);
//@end
        }
    }
}

$signature$
{
    enum { IMAGES = $images$, GROUP = $group$, C = $C$, M = $M$, K = C * $KH$ * $KW$ };
    enum { SRC_PLANE = $H$ * $W$, PLANE = $OH$ * $OW$, PITCH = (K + 3) / 4 * 4 };
    int32_t *const base = scratch;
    dnnlc_sample *const windows = (dnnlc_sample *)(base + M);
//@for not_read
    (void)$unused$; /* the zero point is 0 */
//@end
    for (ptrdiff_t image = 0; image < IMAGES; image++) {
        const $T_x$ *x = src + image * C * SRC_PLANE;
        const ptrdiff_t channel = image % GROUP * M;
        for (ptrdiff_t m = 0; m < M; m++)
            base[m] = $biased$(channel + m, dnnlc_base(weights + (channel + m) * K, K, $zero$, $is_signed$));
        for (ptrdiff_t p = 0; p < PLANE; p += NET_WINDOWS) {
            const ptrdiff_t pixels = p + NET_WINDOWS < PLANE ? NET_WINDOWS : PLANE - p;
            for (ptrdiff_t j = 0; j < pixels; j++) {
                dnnlc_sample *const window = windows + j * PITCH;
                void *const bytes = dnnlc_window_bytes(window, windows + NET_WINDOWS * PITCH);
                $fn$_gather(x, bytes, $zero$, p + j);
                dnnlc_window(window, bytes, K, $zero$, $is_signed$);
            }
            for (ptrdiff_t m = 0; m < M; m += 2) {
                const ptrdiff_t filters = m + 1 < M ? 2 : 1;
                const int8_t *w = weights + (channel + m) * K;
                int32_t sum[2 * NET_WINDOWS];
                for (ptrdiff_t j = 0; j < pixels; j += 2)
                    dnnlc_dots(w, filters > 1 ? K : 0, windows + j * PITCH, j + 1 < pixels ? PITCH : 0, K, sum + j);
                for (ptrdiff_t i = 0; i < filters; i++) {
                    const ptrdiff_t f = m + i, at = (image * M + f) * PLANE + p;
                    const int32_t *const sums = sum + i * NET_WINDOWS;
//@if bytes
                    dnnlc_put_bytes(sums, (int32_t)pixels, base[f], $scale$(channel + f), $low$, $high$, $dst_zero$, dst + at);
//@else
                    for (ptrdiff_t j = 0; j < pixels; j++)
                        dst[at + j] = $result$(sums[j] + base[f], at + j, channel + f);
//@end
                }
            }
        }
    }
}
