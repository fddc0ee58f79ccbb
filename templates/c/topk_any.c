/* Apache-2.0. Blocks of contiguous elements that the kernels of TopK pass over. */
#include <stddef.h>
#define $fn$_any sample_any
#define $block$ 32
#define $acc$ float
#define $type$ float
#define $load$ row[i]
#define $no_better$ <=
//@begin
/* Whether some of a block are better than y. */
static int $fn$_any(const $type$ *row, const $acc$ y)
{
    int any = 0;
    for (size_t i = 0; i < $block$; i++) {
        const $acc$ x = $load$;
        any |= !(x $no_better$ y);
    }
    return any;
}

