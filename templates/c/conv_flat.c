/* Apache-2.0. A convolution of stride 1 along the lines of an image: rows with zeros between them are one long line, so that a tap is
 * the same distance away everywhere. */
#include <stddef.h>
#include <string.h>
#define NET_INLINE static inline
#define NET_LANES
#define $signature$ void sample(const float *restrict src, const float *restrict weights, float *restrict dst, void *restrict scratch)
#define $fn$_store sample_store
#define $store_params$(x) const float *restrict sums, float *restrict dst, const ptrdiff_t at, const ptrdiff_t m, const ptrdiff_t filters, const ptrdiff_t rows
#define $call_store$(x) sums, dst, at, m, FILTERS, rows
#define $call_store_rest$(x) sums, dst, at, m, REST, rows
#define $fn$_pad sample_pad
#define $fn$_tile sample_tile
#define $fn$_vectors sample_vectors
#define $fn$_vector sample_vector
#define $fn$_$tile$ sample_vectors
#define $lanes$ 16
#define $bytes$ 64
#define $result$(value, element, channel) (value)
#define $sum$ sum[x]
#define $T_dst$ float
#define $images$ 1
#define $C$ 3
#define $M$ 16
#define $H$ 7
#define $W$ 7
#define $OH$ 7
#define $OW$ 7
#define $KH$ 3
#define $KW$ 3
#define $LH$ 1
#define $LW$ 1
#define $PH$ 1
#define $PW$ 1
#define $pitch$ 8
#define $at_once$ 7
#define $slack$ 80
#define $line$ 128
#define $filters$ 8
#define $columns$ 48
#define $rest$ 0
#define $blocks$ 2
#define $from$ 0
#define $to$ IMAGES * CHUNKS * BLOCKS
//@begin
/* Copies the source rows that AT_ONCE rows of dst from row `first` on depend on, at a row pitch of PITCH. Padding is zero, and so is
 * what follows the last row. */
NET_INLINE void $fn$_pad(const float *restrict src, float *restrict padded, const ptrdiff_t first)
{
    enum { C = $C$, H = $H$, W = $W$, PITCH = $pitch$ };
    enum { TOP = $PH$, LEFT = $PW$ };
    enum { AT_ONCE = $at_once$, KH = $KH$, DH = $LH$, ROWS = AT_ONCE + (KH - 1) * DH };
    enum { SLACK = $slack$ }; /* read by the last tile beyond the last row */
    for (ptrdiff_t c = 0; c < C; c++)
        for (ptrdiff_t i = 0; i < ROWS; i++, padded += PITCH) {
            const ptrdiff_t y = first + i - TOP;
            if (y < 0 || y >= H) {
                memset(padded, 0, PITCH * sizeof *padded);
                continue;
            }
            for (ptrdiff_t x = 0; x < LEFT; x++)
                padded[x] = 0;
            for (ptrdiff_t x = 0; x < W; x++)
                padded[LEFT + x] = src[(c * H + y) * W + x];
            for (ptrdiff_t x = LEFT + W; x < PITCH; x++)
                padded[x] = 0;
        }
    memset(padded, 0, SLACK * sizeof *padded);
}

//@if vectors
typedef float $fn$_vector __attribute__((vector_size($bytes$), aligned(4), may_alias));

/* A few filters for COLUMNS elements of the padded rows; the sums stay in registers. What is under the next tap is loaded before what is under this one is
 * multiplied, behind the last one for nothing: gcc would have each multiplication load its operand again, most of which lie in two lines of the cache. */
NET_INLINE void $fn$_vectors(const float *restrict line, const float *restrict w, float *restrict sums, const size_t filters)
{
    enum { C = $C$, KH = $KH$, KW = $KW$, PITCH = $pitch$, LANES = $lanes$, VECTORS = $columns$ / LANES };
    enum { DH = $LH$, DW = $LW$, AT_ONCE = $at_once$ };
    enum { PLANE = (AT_ONCE + (KH - 1) * DH) * PITCH, LINE = $line$, FILTERS = $filters$ };
    $fn$_vector sum[FILTERS][VECTORS] = {{{0}}};
    for (size_t c = 0; c < C; c++)
        for (size_t ky = 0; ky < KH; ky++) {
            const float *restrict s = line + c * PLANE + ky * DH * PITCH;
            const float *restrict tap = w + (c * KH + ky) * KW;
            $fn$_vector under[VECTORS], next[VECTORS];
            for (size_t v = 0; v < VECTORS; v++)
                under[v] = *(const $fn$_vector *)(s + v * LANES);
            NET_LANES
            for (size_t kx = 0; kx < KW; kx++) {
                s += DW;
                for (size_t v = 0; v < VECTORS; v++)
                    next[v] = *(const $fn$_vector *)(s + v * LANES);
                for (size_t m = 0; m < filters; m++)
                    for (size_t v = 0; v < VECTORS; v++)
                        sum[m][v] += tap[m * C * KH * KW + kx] * under[v];
                for (size_t v = 0; v < VECTORS; v++)
                    under[v] = next[v];
            }
        }
    for (size_t m = 0; m < filters; m++)
        for (size_t v = 0; v < VECTORS; v++)
            *($fn$_vector *)(sums + m * LINE + v * LANES) = sum[m][v];
}
//@else
/* A few filters for COLUMNS elements of the padded rows; the sums stay in registers. */
NET_INLINE void $fn$_tile(const float *restrict line, const float *restrict w, float *restrict sums, const size_t filters)
{
    enum { C = $C$, KH = $KH$, KW = $KW$, PITCH = $pitch$, COLUMNS = $columns$ };
    enum { DH = $LH$, DW = $LW$, AT_ONCE = $at_once$ };
    enum { PLANE = (AT_ONCE + (KH - 1) * DH) * PITCH, LINE = $line$, FILTERS = $filters$ };
    float sum[FILTERS][COLUMNS];
    for (size_t m = 0; m < filters; m++)
        for (size_t j = 0; j < COLUMNS; j++)
            sum[m][j] = 0;
    for (size_t c = 0; c < C; c++)
        for (size_t ky = 0; ky < KH; ky++)
            for (size_t kx = 0; kx < KW; kx++) {
                const float *restrict s = line + c * PLANE + ky * DH * PITCH + kx * DW;
                const float *restrict tap = w + (c * KH + ky) * KW + kx;
                for (size_t m = 0; m < filters; m++)
                    for (size_t j = 0; j < COLUMNS; j++)
                        sum[m][j] += tap[m * C * KH * KW] * s[j];
            }
    for (size_t m = 0; m < filters; m++)
        for (size_t j = 0; j < COLUMNS; j++)
            sums[m * LINE + j] = sum[m][j];
}
//@end

/* Stores the sums that belong to columns of dst; those between two rows are dropped. */
NET_INLINE void $fn$_store($store_params$($param$))
{
    enum { OH = $OH$, OW = $OW$, LINE = $line$, PITCH = $pitch$ };
    for (ptrdiff_t f = 0; f < filters; f++)
        for (ptrdiff_t y = 0; y < rows; y++) {
            const ptrdiff_t channel = m + f, row = at + channel * (OH * OW) + y * OW;
            const float *restrict sum = sums + f * LINE + y * PITCH;
            $T_dst$ *restrict dst_row = dst + row;
            for (ptrdiff_t x = 0; x < OW; x++)
                dst_row[x] = $result$($sum$, row + x, channel);
        }
}

$signature$
{
    enum { IMAGES = $images$, C = $C$, M = $M$, BLOCKS = $blocks$, PITCH = $pitch$ };
    enum { OH = $OH$, OW = $OW$, AT_ONCE = $at_once$, CHUNKS = (OH + AT_ONCE - 1) / AT_ONCE };
    enum { FILTERS = $filters$, COLUMNS = $columns$, KH = $KH$, KW = $KW$, DEPTH = C * KH * KW };
    enum { H = $H$, W = $W$, DH = $LH$, SLACK = $slack$ };
    enum { PADDED = C * (AT_ONCE + (KH - 1) * DH) * PITCH + SLACK };
    float *padded = scratch, *sums = padded + PADDED;
    for (ptrdiff_t i = $from$; i < $to$; i++) {
        const ptrdiff_t image = i / (CHUNKS * BLOCKS), first = i / BLOCKS % CHUNKS * AT_ONCE;
        const ptrdiff_t m = i % BLOCKS * FILTERS, at = image * M * (OH * OW) + first * OW;
        const ptrdiff_t rows = OH - first < AT_ONCE ? OH - first : AT_ONCE;
        if (i == $from$ || m == 0)
            $fn$_pad(src + image * (C * H * W), padded, first);
//@if rest
        enum { REST = $rest$ };
        if (m + FILTERS > M) {
            for (ptrdiff_t j = 0; j < rows * PITCH; j += COLUMNS)
                $fn$_$tile$(padded + j, weights + m * DEPTH, sums + j, REST);
            $fn$_store($call_store_rest$($arg$));
            continue;
        }
//@end
        for (ptrdiff_t j = 0; j < rows * PITCH; j += COLUMNS)
            $fn$_$tile$(padded + j, weights + m * DEPTH, sums + j, FILTERS);
        $fn$_store($call_store$($arg$));
    }
}
