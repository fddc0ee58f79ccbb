/* Apache-2.0. Normalisation of rows: layer, RMS, group and instance norm. Sums are taken in parts. */
#include <math.h>
#include <stddef.h>
#define NET_INLINE static inline
float sample_square_sum(const float *restrict x, const float mean); /* norm_square_sum.c */
#define NET_LANES
#define NET_VECTORS
#define $signature$ void sample(const float *restrict src, const float *restrict scale, float *restrict dst, float *restrict dst_mean, float *restrict dst_inv_std_dev)
#define $fn$_sum sample_sum
#define $fn$_square_sum sample_square_sum
#define $sqrt$ sqrtf
#define $T_x$ float
#define $A_x$ float
#define $ld_x$(x) (x)
#define $mean_of$ sample_sum(src_row) / SIZE
#define $epsilon$ 1e-5f
#define $store_mean$ mean
#define $store_dev$ inv_dev
#define $scale$ scale[c]
#define $shift$ scale[c]
#define $normalised$ (src_row[i] - mean) * inv_dev
#define $result$ x * scale[i]
#define $affine$ a * s[j] + shift
#define $rows$ 4
#define $size$ 100
#define $full$ 96
#define $lanes$ 16
#define $half$ 8
#define $unroll$ NET_LANES
#define $block$ 64
#define $plane$ 25
#define $channels$ 8
#define $group_channels$ 4
#define $first_channel$ row % GROUPS
#define $from$ 0
#define $to$ ROWS
//@begin
//@if centred
/* The sum of a row, in partial sums that are added up in pairs at the end. */
NET_INLINE $A_x$ $fn$_sum(const $T_x$ *restrict x)
{
    enum { SIZE = $size$, FULL = $full$, LANES = $lanes$ };
//@if block
    double total = 0; /* of blocks, so that each partial sum has few terms */
    for (size_t first = 0; first < FULL; first += $block$) {
        const size_t end = FULL - first < $block$ ? FULL : first + $block$;
        $A_x$ part[LANES] = {0};
        for (size_t i = first; i < end; i += LANES) {
            NET_VECTORS
            for (size_t l = 0; l < LANES; l++)
                part[l] += $ld_x$(x[i + l]);
        }
//@for folds
        $unroll$
        for (size_t l = 0; l < $half$; l++)
            part[l] += part[l + $half$];
//@end
        total += part[0];
    }
    for (size_t i = FULL; i < SIZE; i++)
        total += $ld_x$(x[i]);
    return ($A_x$)total;
//@else
    $A_x$ part[LANES] = {0}, sum = 0;
//@if full
    for (size_t i = 0; i < FULL; i += LANES) {
        NET_VECTORS
        for (size_t l = 0; l < LANES; l++)
            part[l] += $ld_x$(x[i + l]);
    }
//@end
    for (size_t i = FULL; i < SIZE; i++)
        sum += $ld_x$(x[i]);
//@for folds
    $unroll$
    for (size_t l = 0; l < $half$; l++)
        part[l] += part[l + $half$];
//@end
    return sum + part[0];
//@end
}

//@end
$signature$
{
    enum { ROWS = $rows$, SIZE = $size$ };
    for (size_t row = $from$; row < $to$; row++) {
        const $T_x$ *restrict src_row = src + row * SIZE;
        $T_x$ *restrict dst_row = dst + row * SIZE;
        const $A_x$ mean = $mean_of$;
        const $A_x$ variance = $fn$_square_sum(src_row, mean) / SIZE;
        const $A_x$ inv_dev = 1 / $sqrt$(variance + $epsilon$);
//@if store_mean
        dst_mean[row] = $store_mean$;
//@end
//@if store_dev
        dst_inv_std_dev[row] = $store_dev$;
//@end
//@if channels
        enum { CHANNELS = $group_channels$, PLANE = $plane$, GROUPS = $channels$ / CHANNELS };
        for (size_t i = 0; i < CHANNELS; i++) {
            const size_t c = $first_channel$ + i;
            const $A_x$ a = inv_dev * $scale$;
            const $A_x$ shift = $shift$ - mean * a;
            const $T_x$ *restrict s = src_row + i * PLANE;
            $T_x$ *restrict d = dst_row + i * PLANE;
            for (size_t j = 0; j < PLANE; j++)
                d[j] = $affine$;
        }
//@else
        for (size_t i = 0; i < SIZE; i++) {
            const $A_x$ x = $normalised$;
            dst_row[i] = $result$;
        }
//@end
    }
}
