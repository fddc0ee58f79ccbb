/* Apache-2.0. Sums of products of filters by windows of the source, two by two at a time: four loads for four sums. */
#include <stdint.h>
#include <string.h>
#define NET_INLINE static inline
#define NET_APART static
void dnnlc_samples(int16_t *x, const void *bytes, const int32_t n, const int32_t zero, const int is_signed, const int crossed);
//@begin
/* What a window holds of its bytes: with Helium, which multiplies bytes, the byte as it is (less 128 if it has no sign), so that what the
 * zero point adds to a filter's sums is taken off by dnnlc_base; else the byte less its zero point. */
#ifdef NET_HELIUM
typedef int8_t dnnlc_sample;
enum { NET_WINDOWS = 4 };
#else
typedef int16_t dnnlc_sample;
enum { NET_WINDOWS = 2 };
#endif

/* Where the bytes of a window are gathered: in their place if they stay bytes. */
NET_INLINE void *dnnlc_window_bytes(dnnlc_sample *window, dnnlc_sample *scratch)
{
#ifdef NET_HELIUM
    (void)scratch;
    return window;
#else
    (void)window;
    return scratch;
#endif
}

/* Makes a window of them. */
NET_INLINE void dnnlc_window(dnnlc_sample *window, const void *bytes, const int32_t n,
                             const int32_t zero, const int is_signed)
{
#ifdef NET_HELIUM
    (void)zero;
    (void)bytes;
    for (int32_t k = 0; k < n && !is_signed; k += 16) {
        const mve_pred16_t p = vctp8q((uint32_t)(n - k));
        const int8x16_t x = vldrbq_z_s8(window + k, p);
        vstrbq_p_s8(window + k, veorq_s8(x, vdupq_n_s8(INT8_MIN)), p);
    }
#else
    dnnlc_samples(window, bytes, n, zero, is_signed, 1);
#endif
}

/* What has to be added to the sums of a filter for the zero point. */
NET_INLINE int32_t dnnlc_base(const int8_t *w, const int32_t n, const int32_t zero,
                              const int is_signed)
{
    int32_t sum = 0;
#ifdef NET_HELIUM
    const int32_t less = is_signed ? zero : zero - 128;
    for (int32_t k = 0; k < n && less; k += 16)
        sum = vaddvaq_s8(sum, vldrbq_z_s8(w + k, vctp8q((uint32_t)(n - k))));
    sum *= -less;
#else
    (void)w;
    (void)n;
    (void)zero;
    (void)is_signed;
#endif
    return sum;
}

#ifdef NET_PAIRS
/* The same for whole fours of n, by themselves: there are just enough registers. */
NET_APART void dnnlc_fours(const int8_t *w, const int8_t *v, const int16_t *x, const int16_t *y,
                           const int32_t n, int32_t *sum)
{
    int32_t s00 = 0, s01 = 0, s10 = 0, s11 = 0;
    for (const int8_t *const end = w + 4 * n; w < end; w += 4, v += 4, x += 4, y += 4) {
        const uint32_t a = dnnlc_word(w), b = dnnlc_word(v);
        const int16x2_t a0 = __sxtb16((int8x4_t)a), a1 = __sxtb16((int8x4_t)(a >> 8));
        const int16x2_t b0 = __sxtb16((int8x4_t)b), b1 = __sxtb16((int8x4_t)(b >> 8));
        const int16x2_t x0 = (int16x2_t)dnnlc_word(x), x1 = (int16x2_t)dnnlc_word(x + 2);
        s00 = __smlad(a1, x1, __smlad(a0, x0, s00));
        s10 = __smlad(b1, x1, __smlad(b0, x0, s10));
        const int16x2_t y0 = (int16x2_t)dnnlc_word(y), y1 = (int16x2_t)dnnlc_word(y + 2);
        s01 = __smlad(a1, y1, __smlad(a0, y0, s01));
        s11 = __smlad(b1, y1, __smlad(b0, y0, s11));
    }
    sum[0] = s00;
    sum[1] = s01;
    sum[NET_WINDOWS] = s10;
    sum[NET_WINDOWS + 1] = s11;
}
#endif

/* sum[NET_WINDOWS * i + j] of filter i, w_row bytes behind the one before, and window j. A function of its own: there are just enough registers. */
NET_APART void dnnlc_dots(const int8_t *w, const int32_t w_row, const dnnlc_sample *x,
                           const int32_t x_row, const int32_t n, int32_t *sum)
{
    const int8_t *v = w + w_row;
    const dnnlc_sample *y = x + x_row;
    int32_t s00 = 0, s01 = 0, s10 = 0, s11 = 0;
#if defined(NET_HELIUM)
    int32_t k = 0;
    for (; k + 16 <= n; k += 16) {
        const int8x16_t a = vldrbq_s8(w + k), b = vldrbq_s8(v + k);
        const int8x16_t first = vldrbq_s8(x + k), second = vldrbq_s8(y + k);
        s00 = vmladavaq_s8(s00, a, first);
        s01 = vmladavaq_s8(s01, a, second);
        s10 = vmladavaq_s8(s10, b, first);
        s11 = vmladavaq_s8(s11, b, second);
    }
    if (k < n) {
        const mve_pred16_t p = vctp8q((uint32_t)(n - k));
        const int8x16_t a = vldrbq_z_s8(w + k, p), b = vldrbq_z_s8(v + k, p);
        const int8x16_t first = vldrbq_z_s8(x + k, p), second = vldrbq_z_s8(y + k, p);
        s00 = vmladavaq_s8(s00, a, first);
        s01 = vmladavaq_s8(s01, a, second);
        s10 = vmladavaq_s8(s10, b, first);
        s11 = vmladavaq_s8(s11, b, second);
    }
#else
    const int8_t *const end = w + n;
#ifdef NET_PAIRS
    dnnlc_fours(w, v, x, y, n / 4, sum);
    s00 = sum[0], s01 = sum[1], s10 = sum[NET_WINDOWS], s11 = sum[NET_WINDOWS + 1];
    w += n / 4 * 4, v += n / 4 * 4, x += n / 4 * 4, y += n / 4 * 4;
#endif
    for (; w < end; w++, v++, x++, y++) {
        const int32_t a = *w, b = *v, first = *x, second = *y;
        s00 += a * first;
        s01 += a * second;
        s10 += b * first;
        s11 += b * second;
    }
#endif
    sum[0] = s00;
    sum[1] = s01;
    sum[NET_WINDOWS] = s10;
    sum[NET_WINDOWS + 1] = s11;
}
