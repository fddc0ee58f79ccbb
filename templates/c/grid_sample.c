/* Apache-2.0. Sampling at the places that a grid of normalised coordinates gives. */
#include <math.h>
#include <stddef.h>
#define NET_INLINE static inline
#define $signature$ void sample(const float *restrict src, const float *restrict grid, float *restrict dst)
#define $fn$_pad sample_pad
#define $fn$_taps sample_taps
#define $T_x$ float
#define $A_x$ float
#define $ld_x$(x) (x)
#define $st_x$(x) (x)
#define $margin$ 0.5f
#define $place$ ((v + 1) * (float)size - 1) / 2
#define $outside$ -1
#define $coordinate$ grid[0]
#define $limit$ 1e9f
#define $taps$ 4
#define $count$ 16
#define $n$ 2
#define $sizes$ 7, 7
#define $images$ 2
#define $channels$ 3
#define $plane$ 49
#define $places$ 20
#define $fabs$ fabsf
#define $rint$ rintf
#define $floor$ floorf
#define $fmod$ fmodf
#define NET_TABLE
//@begin
/* Maps a coordinate outside the source by padding_mode. */
NET_INLINE $A_x$ $fn$_pad($A_x$ x, const ptrdiff_t size)
{
    const $A_x$ last = ($A_x$)(size - 1), margin = $margin$;
    if (x >= -margin && x <= last + margin)
        return x;
//@if border
    x = x > 0 ? x : 0;
    x = x < last ? x : last;
//@end
//@if reflection
    const $A_x$ range = last + 2 * margin;
    if (range <= 0)
        return -margin;
    x = $fmod$($fabs$(x + margin), 2 * range);
    x = (x > range ? 2 * range - x : x) - margin;
//@end
    return x;
}

/* Indices and weights of the elements along one axis that are interpolated at coordinate v; index -1 reads as zero. */
NET_INLINE void $fn$_taps(const $A_x$ v, const ptrdiff_t size, ptrdiff_t *restrict index, $A_x$ *restrict weight)
{
    const $A_x$ last = ($A_x$)(size - 1);
    $A_x$ x = $place$;
    x = $fabs$(x) < $limit$ ? x : -$limit$;
//@if nearest
    x = $rint$(x);
//@end
    x = $fn$_pad(x, size);
    $A_x$ first = $floor$(x);
//@if nearest
    first = x;
    weight[0] = 1;
//@end
//@if linear
    weight[0] = 1 - (x - first);
    weight[1] = x - first;
//@end
//@if cubic
    /* Keys' cubic convolution with a = -3/4 */
    for (ptrdiff_t k = 0; k < 4; k++) {
        const $A_x$ d = $fabs$(x - first + 1 - ($A_x$)k);
        const $A_x$ near = (5 * d - 9) * d * d / 4 + 1, far = ((15 - 3 * d) * d - 24) * d / 4 + 3;
        weight[k] = d <= 1 ? near : far;
    }
    first -= 1;
//@end
    for (ptrdiff_t k = 0; k < $taps$; k++) {
        $A_x$ at = $fn$_pad(first + ($A_x$)k, size);
//@if zeros
        index[k] = at >= 0 && at <= last ? (ptrdiff_t)at : -1;
//@else
        at = at > 0 ? at : 0;
        index[k] = (ptrdiff_t)(at < last ? at : last);
//@end
    }
}

$signature$
{
    enum { IMAGES = $images$, C = $channels$, PLANE = $plane$, PLACES = $places$ };
    enum { DIMS = $n$, TAPS = $taps$, COUNT = $count$ };
    NET_TABLE static const ptrdiff_t size[DIMS] = {$sizes$};
    for (ptrdiff_t i = 0; i < IMAGES * PLACES; i++) {
        ptrdiff_t index[DIMS][TAPS], offset[COUNT];
        $A_x$ part[DIMS][TAPS], weight[COUNT];
        for (ptrdiff_t d = 0; d < DIMS; d++) /* the grid starts with the innermost coordinate */
            $fn$_taps($coordinate$, size[d], index[d], part[d]);
        for (ptrdiff_t k = 0; k < COUNT; k++) {
            offset[k] = 0;
            weight[k] = 1;
            for (ptrdiff_t d = 0, digit = COUNT; d < DIMS; d++) {
                digit /= TAPS;
                const ptrdiff_t tap = k / digit % TAPS, at = index[d][tap];
                weight[k] *= at < 0 ? 0 : part[d][tap];
                offset[k] = offset[k] * size[d] + (at < 0 ? 0 : at);
            }
        }
        for (ptrdiff_t c = 0; c < C; c++) {
            const $T_x$ *restrict plane = src + (i / PLACES * C + c) * PLANE;
            $A_x$ sum = 0;
            for (ptrdiff_t k = 0; k < COUNT; k++)
                sum += weight[k] <= 0 && weight[k] >= 0 ? 0 : weight[k] * $ld_x$(plane[offset[k]]);
            dst[(i / PLACES * C + c) * PLACES + i % PLACES] = $st_x$(sum);
        }
    }
}
