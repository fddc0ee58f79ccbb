/* Apache-2.0. Max pooling that also tells where each maximum stands in the source. */
#include <math.h>
#include <stddef.h>
#include <stdint.h>
#define $signature$ void sample(const float *restrict src, float *restrict dst, int64_t *restrict indices)
#define $T_x$ float
#define $A_x$ float
#define $ld_x$(x) (x)
#define $st_x$(x) (x)
#define $first$ -INFINITY
#define $planes$ 2
#define $outputs$ 49
#define $st_x$(x) (x)
#define $taps$ 49
#define $src_plane$ 49
#define $H$ 7
#define $W$ 7
#define $D$ 7
#define $OH$ 7
#define $OW$ 7
#define $KH$ 3
#define $KW$ 3
#define $SD$ 1
#define $SH$ 1
#define $SW$ 1
#define $LD$ 1
#define $LH$ 1
#define $LW$ 1
#define $PD$ 1
#define $PH$ 1
#define $PW$ 1
#define $index$ (z * H + y) * W + x
//@begin
$signature$
{
    enum { PLANES = $planes$, OUTPUTS = $outputs$, TAPS = $taps$, SRC_PLANE = $src_plane$ };
    enum { D = $D$, H = $H$, W = $W$, OH = $OH$, OW = $OW$, KH = $KH$, KW = $KW$ };
    for (ptrdiff_t i = 0; i < PLANES * OUTPUTS; i++) {
        const ptrdiff_t plane = i / OUTPUTS, o = i % OUTPUTS;
        $A_x$ best = $first$;
        ptrdiff_t place = -1;
        for (ptrdiff_t tap = 0; tap < TAPS; tap++) {
            const ptrdiff_t z = o / (OW * OH) * $SD$ + tap / (KW * KH) * $LD$ - $PD$;
            const ptrdiff_t y = o / OW % OH * $SH$ + tap / KW % KH * $LH$ - $PH$;
            const ptrdiff_t x = o % OW * $SW$ + tap % KW * $LW$ - $PW$;
            if (z < 0 || z >= D || y < 0 || y >= H || x < 0 || x >= W)
                continue;
            const $A_x$ v = $ld_x$(src[plane * SRC_PLANE + (z * H + y) * W + x]);
            if (place < 0 || v > best) {
                best = v;
                place = $index$;
            }
        }
//@if has_values
        dst[i] = $st_x$(best);
//@else
        (void)best;
//@end
        indices[i] = place < 0 ? 0 : plane * SRC_PLANE + place;
    }
}
