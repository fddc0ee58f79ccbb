/* Apache-2.0. A convolution of bytes whose filters read one plane each, a line of the result at a time. */
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#define NET_INLINE static inline
#define $signature$ void sample(const uint8_t *restrict src, const int8_t *restrict weights, const uint8_t *restrict src_zero_point, const int32_t *restrict addend, uint8_t *restrict dst, void *restrict scratch)
#define $fn$_line sample_line
#define $T_x$ uint8_t
#define $is_signed$ 0
#define $zero$ src_zero_point[0]
#define $addend$ addend[channel]
#define $scale$(channel) 998774723
#define $low$ 0
#define $high$ 255
#define $dst_zero$ 3
#define $result$(value, element, channel) (value)
#define $unused$ src
#define $images$ 2
#define $group$ 2
#define $M$ 1
#define $pitch$ 10
#define $rows$ 4
#define $sums$ SUMS
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
void dnnlc_samples(int16_t *x, const void *bytes, const int32_t n, const int32_t zero, const int is_signed, const int crossed);
void dnnlc_taps(const int16_t *const *lines, const int8_t *w, const int32_t kh, const int32_t kw, const int32_t step, const int32_t apart, const int32_t n, int32_t *sum);
void dnnlc_put_bytes(const int32_t *sum, const int32_t n, const int32_t addend, const int32_t scale, const int32_t low, const int32_t high, const int32_t zero, void *dst);
//@begin
/* A line of the source, less the zero point, with 0 around it. */
NET_INLINE void $fn$_line(const $T_x$ *restrict plane, int16_t *restrict line, const int32_t zero,
                          const ptrdiff_t y)
{
    enum { H = $H$, W = $W$, LEFT = $PW$, PITCH = $pitch$ };
    enum { INSIDE = W < PITCH - LEFT ? W : PITCH - LEFT };
    if (y < 0 || y >= H) {
        memset(line, 0, PITCH * sizeof *line);
        return;
    }
    for (ptrdiff_t x = 0; x < LEFT; x++)
        line[x] = 0;
    dnnlc_samples(line + LEFT, plane + y * W, INSIDE, zero, $is_signed$, 0);
    for (ptrdiff_t x = LEFT + INSIDE; x < PITCH; x++)
        line[x] = 0;
}

$signature$
{
    enum { IMAGES = $images$, GROUP = $group$, M = $M$, KH = $KH$, KW = $KW$ };
    enum { SRC_PLANE = $H$ * $W$, OH = $OH$, OW = $OW$, SH = $SH$, SW = $SW$, DH = $LH$, DW = $LW$ };
    enum { TOP = $PH$, LINES = (KH - 1) * DH + 1, PITCH = $pitch$ };
    int32_t *const sum = scratch;
//@if joined
    enum { ROWS = $rows$, SUMS = (ROWS * PITCH + 3) / 4 * 4 };
//@end
    int16_t *const lines = (int16_t *)(sum + $sums$);
//@for not_read
    (void)$unused$; /* the zero point is 0 */
//@end
    for (ptrdiff_t i = 0; i < IMAGES * M; i++) {
        const $T_x$ *const plane = src + i / M * SRC_PLANE;
        const ptrdiff_t channel = i % (GROUP * M);
//@if joined
        for (ptrdiff_t y = 0; y < OH; y += ROWS) { /* lines of results that are computed as one */
            const ptrdiff_t rows = y + ROWS < OH ? ROWS : OH - y;
            const int16_t *line[KH];
            for (ptrdiff_t k = 0; k < rows + LINES - 1; k++)
                $fn$_line(plane, lines + k * PITCH, $zero$, y + k - TOP);
            for (ptrdiff_t ky = 0; ky < KH; ky++)
                line[ky] = lines + ky * DH * PITCH;
            dnnlc_taps(line, weights + channel * KH * KW, KH, KW, 1, DW, (int32_t)(rows * PITCH), sum);
            for (ptrdiff_t r = 0; r < rows; r++) {
                const ptrdiff_t at = (i * OH + y + r) * OW;
//@if bytes
                dnnlc_put_bytes(sum + r * PITCH, OW, $addend$, $scale$(channel), $low$, $high$, $dst_zero$, dst + at);
//@else
                for (ptrdiff_t x = 0; x < OW; x++)
                    dst[at + x] = $result$(sum[r * PITCH + x], at + x, channel);
//@end
            }
        }
//@else
        ptrdiff_t next = 0; /* line of the source with what is above it; line y stands in place y % LINES */
        for (ptrdiff_t y = 0; y < OH; y++) {
            const int16_t *line[KH];
            for (next = next < y * SH ? y * SH : next; next < y * SH + LINES; next++)
                $fn$_line(plane, lines + next % LINES * PITCH, $zero$, next - TOP);
            for (ptrdiff_t ky = 0; ky < KH; ky++)
                line[ky] = lines + (y * SH + ky * DH) % LINES * PITCH;
            dnnlc_taps(line, weights + channel * KH * KW, KH, KW, SW, DW, OW, sum);
            const ptrdiff_t at = (i * OH + y) * OW;
//@if bytes
            dnnlc_put_bytes(sum, OW, $addend$, $scale$(channel), $low$, $high$, $dst_zero$, dst + at);
//@else
            for (ptrdiff_t x = 0; x < OW; x++)
                dst[at + x] = $result$(sum[x], at + x, channel);
//@end
        }
//@end
    }
}
