/* Apache-2.0. The triangle of matrices on one side of a diagonal; zeros on the other. */
#include <stddef.h>
#include <stdint.h>
#define $signature$ void sample(const float *restrict src, float *restrict dst)
#define $planes$ 2
#define $rows$ 3
#define $columns$ 4
#define $side$ >=
#define $diagonal$ 1
//@begin
$signature$
{
    for (size_t m = 0; m < $planes$; m++)
        for (int64_t i = 0; i < $rows$; i++) {
            const size_t row = (m * $rows$ + (size_t)i) * $columns$;
            for (int64_t j = 0; j < $columns$; j++)
                dst[row + (size_t)j] = j - i $side$ $diagonal$ ? src[row + (size_t)j] : 0;
        }
}
