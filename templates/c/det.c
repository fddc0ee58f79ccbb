/* Apache-2.0. Determinants of n x n matrices by elimination with row pivots, in double. */
#include <math.h>
#include <stddef.h>
#include <stdint.h>
#define $signature$ void f(const float *restrict src, float *restrict dst, void *restrict scratch)
#define $count$ 2
#define $n$ 4
#define $load$ src[m * 16 + i]
#define $result$ (float)det
//@begin
$signature$
{
    double *const a = scratch;
    for (size_t m = 0; m < $count$; m++) {
        double det = 1;
        for (size_t i = 0; i < $n$ * $n$; i++)
            a[i] = $load$;
        for (size_t c = 0; c < $n$; c++) {
            size_t best = c;
            for (size_t i = c + 1; i < $n$; i++)
                best = fabs(a[i * $n$ + c]) > fabs(a[best * $n$ + c]) ? i : best;
            for (size_t j = 0; best != c && j < $n$; j++) {
                const double v = a[c * $n$ + j];
                a[c * $n$ + j] = a[best * $n$ + j];
                a[best * $n$ + j] = v;
            }
            const double pivot = a[c * $n$ + c];
            det *= best != c ? -pivot : pivot;
            if (pivot <= 0 && pivot >= 0)
                break;
            for (size_t i = c + 1; i < $n$; i++) {
                const double factor = a[i * $n$ + c] / pivot;
                for (size_t j = c; j < $n$; j++)
                    a[i * $n$ + j] -= factor * a[c * $n$ + j];
            }
        }
        dst[m] = $result$;
    }
}
