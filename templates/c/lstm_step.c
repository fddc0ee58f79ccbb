/* Apache-2.0. One step of a long short-term memory. */
#include <math.h>
#include <stddef.h>
#include <string.h>
#define NET_INLINE static inline
#define $pragma$
#define $fn$_$step$ sample_step
#define $fn$_product(w, x, s, rows, depth, columns) ((void)r, (s)[0] += (w)[0] * (x)[0] + (float)(columns))
#define $prefix$_f(x) (x)
#define $prefix$_g(x) (x)
#define $prefix$_h(x) (x)
#define $A_x$ float
#define $T_x$ float
#define $hidden$ 5
#define $peep_i$ +p[0] * c[j]
#define $peep_o$ +p[0] * c[j]
#define $forget$ 1 - i
#define $sums$ sum, p
#define $parts$ part, p
#define $lanes$ 8
#define $rest$ 5
//@begin
/* i, o, f = f(Wx + Rh + b), c = f c + i g(…), h = o h(c), for n units; sum is Wx + Rh + b,
 * a gate's `pitch` behind the last one's */
NET_INLINE void $prefix$_cell(const $A_x$ *restrict sum,
//@if peephole
                              const $T_x$ *restrict p,
//@end
                              $A_x$ *restrict h, $A_x$ *restrict c, const size_t n, const size_t pitch)
{
    $pragma$
    for (size_t j = 0; j < n; j++) {
        const $A_x$ i = $prefix$_f(sum[j]$peep_i$);
        const $A_x$ f = $forget$;
        c[j] = f * c[j] + i * $prefix$_g(sum[3 * pitch + j]);
        h[j] = $prefix$_f(sum[pitch + j]$peep_o$) * $prefix$_h(c[j]);
    }
}

NET_INLINE void $fn$_$step$(const $A_x$ *restrict r,
//@if peephole
                             const $T_x$ *restrict p,
//@end
                             $A_x$ *restrict sum, $A_x$ *restrict h, $A_x$ *restrict c, const size_t rows)
{
    enum { HIDDEN = $hidden$ };
//@if quantised
    float low = 0, high = 0; /* h takes the values that bytes can have over this range */
    for (size_t j = 0; j < rows * HIDDEN; j++) {
        low = h[j] < low ? h[j] : low;
        high = h[j] > high ? h[j] : high;
    }
    const float scale = high > low ? (high - low) / 255 : 1, zero = rintf(-low / scale);
    for (size_t j = 0; j < rows * HIDDEN; j++) {
        const float q = rintf(h[j] / scale) + zero;
        h[j] = ((q < 255 ? q : 255) - zero) * scale;
    }
//@end
    $fn$_product(r, h, sum, rows, HIDDEN, 4 * HIDDEN);
    for (size_t m = 0; m < rows; m++, sum += 4 * HIDDEN, h += HIDDEN, c += HIDDEN) {
//@if whole
        $prefix$_cell($sums$, h, c, HIDDEN, HIDDEN);
//@end
//@if ragged
        enum { LANES = $lanes$, REST = $rest$, FULL = HIDDEN - REST };
        /* the last units, and zeros */
        float part[4 * LANES] = {0}, part_h[LANES], part_c[LANES] = {0};
        $prefix$_cell($sums$, h, c, FULL, HIDDEN);
        for (size_t gate = 0; gate < 4; gate++)
            memcpy(part + gate * LANES, sum + gate * HIDDEN + FULL, REST * sizeof *part);
        memcpy(part_c, c + FULL, REST * sizeof *c);
        $prefix$_cell($parts$, part_h, part_c, LANES, LANES);
        memcpy(h + FULL, part_h, REST * sizeof *h);
        memcpy(c + FULL, part_c, REST * sizeof *c);
//@end
    }
}

