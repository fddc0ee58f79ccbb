/* Apache-2.0. Resize to the nearest element. */
#include <stddef.h>
#include <stdint.h>
#define $signature$ void sample(const float *restrict src, float *restrict dst)
#define $T_x$ float
static const int32_t index_x[7] = {0};
#define $W$ 7
#define $OW$ 7
#define $inner$ 1
#define $pitch$ 1
#define $src_pitch$ 1
#define $rows$ 21
#define $source$ r
#define $step$ 2
#define $place$ index_x[x] * SRC_PITCH
#define $cropped$ x < 3
#define $outside$ 0
#define $from$ 0
#define $to$ ROWS
//@begin
$signature$
{
    enum { ROWS = $rows$, W = $W$, OW = $OW$, INNER = $inner$ };
    enum { SRC_PITCH = $src_pitch$, PITCH = $pitch$ }; /* between pixels */
    for (ptrdiff_t r = $from$; r < $to$; r++) {
        const $T_x$ *restrict src_row = src + ($source$) * (W * SRC_PITCH);
        $T_x$ *restrict dst_row = dst + r * (OW * PITCH);
//@if step
        for (ptrdiff_t x = 0; x < W; x++)
            for (ptrdiff_t i = 0; i < $step$; i++)
                dst_row[x * $step$ + i] = src_row[x];
//@else
        for (ptrdiff_t x = 0; x < OW; x++)
            for (ptrdiff_t i = 0; i < INNER; i++)
                dst_row[x * PITCH + i] = src_row[$place$ + i];
//@end
//@if cropped
        for (ptrdiff_t x = 0; x < OW; x++)
            for (ptrdiff_t i = 0; i < INNER; i++)
                if ($cropped$)
                    dst_row[x * PITCH + i] = $outside$;
//@end
    }
}
