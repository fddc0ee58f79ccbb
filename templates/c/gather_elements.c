/* Apache-2.0. Elements by their positions along one axis, which are data. */
#include <stddef.h>
#include <stdint.h>
#define $signature$ void sample(const float *restrict src, const int64_t *restrict indices, float *restrict dst)
#define $i$ i
#define $begin$ 0
#define $end$ 5
#define $at$ i
#define $rest$ i
#define $size$ 7
#define $along$ 5
static inline size_t dnnlc_index(int64_t i, int64_t size)
{
    return (size_t)(i < 0 ? i + size : i);
}
//@begin
$signature$
{
//@nest dims
    for (size_t $i$ = $begin$; $i$ < $end$; $i$++)
        dst[$at$] = src[$rest$ + dnnlc_index(indices[$at$], $size$) * $along$];
//@end
}
