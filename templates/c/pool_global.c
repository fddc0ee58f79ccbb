/* Apache-2.0. Pooling of whole planes, in partial results that are put together at the end. */
#include <math.h>
#include <stddef.h>
#define $signature$ void sample(const float *restrict src, float *restrict dst)
#define $T_x$ float
#define $A_x$ float
#define $ld_x$(x) (x)
#define $first$ -INFINITY
#define $take$(acc, v) acc = v > acc ? v : acc
#define $join$(acc, v) acc = v > acc ? v : acc
#define $mean$(acc) (acc)
#define $result$(value, element, channel) (value)
#define $channels$ 2
#define $planes$ 2
#define $size$ 49
#define $full$ 48
#define $lanes$ 16
#define $block$ 32
#define $from$ 0
#define $to$ PLANES
//@begin
$signature$
{
    enum { PLANES = $planes$, SIZE = $size$, LANES = $lanes$ };
    for (size_t plane = $from$; plane < $to$; plane++) {
        const $T_x$ *restrict src_plane = src + plane * SIZE;
//@if block
        double sum = 0; /* of blocks, so that each partial sum has few terms */
        for (size_t start = 0; start < $full$; start += $block$) {
            const size_t end = $full$ - start < $block$ ? $full$ : start + $block$;
            $A_x$ part[LANES] = {0};
            for (size_t i = start; i < end; i += LANES)
                for (size_t l = 0; l < LANES; l++) {
                    const $A_x$ v = $ld_x$(src_plane[i + l]);
                    $take$(part[l], v);
                }
            for (size_t l = 0; l < LANES; l++)
                sum += part[l];
        }
//@if rest
        for (size_t i = $full$; i < SIZE; i++)
            sum += $ld_x$(src_plane[i]);
//@end
        dst[plane] = $result$($mean$(($A_x$)sum), plane, plane % $channels$);
//@else
        $A_x$ part[LANES];
        for (size_t l = 0; l < LANES; l++)
            part[l] = $first$;
//@if full
        for (size_t i = 0; i < $full$; i += LANES)
            for (size_t l = 0; l < LANES; l++) {
                const $A_x$ v = $ld_x$(src_plane[i + l]);
                $take$(part[l], v);
            }
//@end
//@if rest
        for (size_t l = 0; l < SIZE - $full$; l++) {
            const $A_x$ v = $ld_x$(src_plane[$full$ + l]);
            $take$(part[l], v);
        }
//@end
        $A_x$ total = part[0];
        for (size_t l = 1; l < LANES; l++)
            $join$(total, part[l]);
        dst[plane] = $result$($mean$(total), plane, plane % $channels$);
//@end
    }
}
