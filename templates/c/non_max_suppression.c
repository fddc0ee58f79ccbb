/* Apache-2.0. Boxes without those that overlap better ones of their class too much. */
#include <math.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#define NET_INLINE static inline
static inline float dnnlc_rounded(float x)
{
    return x;
}
#define $signature$ void f(const float *restrict boxes, const float *restrict scores, const int64_t *restrict max_output_boxes, \
                           const float *restrict iou_threshold, const float *restrict score_threshold, int64_t *restrict dst, \
                           int64_t *restrict count, void *restrict scratch)
#define $fn$ f
#define $batch$ 2
#define $classes$ 3
#define $boxes$ 100
#define $limit$ 7
#define $x0$ box[0] - box[2] / 2
#define $y0$ box[1] - box[3] / 2
#define $x1$ box[0] + box[2] / 2
#define $y1$ box[1] + box[3] / 2
#define $most$ max_output_boxes[0] < 0 ? 0 : max_output_boxes[0] < LIMIT ? (size_t)max_output_boxes[0] : LIMIT
#define $is_candidate$ score[i] > score_threshold[0]
#define $rows$ 1
#define $count$ 1
#define $iou$ iou_threshold[0]
//@begin
/* The selected boxes: corners and areas. */
struct $fn$_kept {
    float x0[$limit$], y0[$limit$], x1[$limit$], y1[$limit$], area[$limit$];
};

/* Keys that sort as the scores do; of equal scores, the first box has the largest key. */
NET_INLINE uint64_t $fn$_key(float score, uint32_t box)
{
    uint32_t bits;
    score += 0.0f; /* -0 and 0 are equal */
    memcpy(&bits, &score, sizeof bits);
    bits = bits >> 31 ? ~bits : bits | UINT32_C(0x80000000);
    return (uint64_t)bits << 32 | (uint32_t)~box;
}

/* Moves heap[at] towards the leaves until no child is larger. */
NET_INLINE void $fn$_sink(uint64_t *heap, size_t n, size_t at)
{
    const uint64_t item = heap[at];
    for (size_t child; (child = 2 * at + 1) < n; at = child) {
        child += child + 1 < n && heap[child + 1] > heap[child];
        if (heap[child] <= item)
            break;
        heap[at] = heap[child];
    }
    heap[at] = item;
}

/* Adds the box as number n, and says whether it overlaps none of those before by more than
 * `threshold`. Products are rounded by themselves: the selection depends on the last bit. */
NET_INLINE int $fn$_adds(struct $fn$_kept *kept, size_t n, const float *box, float threshold)
{
    enum { PIECE = 64 };
    const float x0 = $x0$, x1 = $x1$;
    const float y0 = $y0$, y1 = $y1$;
    const float area = dnnlc_rounded((x1 - x0) * (y1 - y0));
    kept->x0[n] = x0;
    kept->y0[n] = y0;
    kept->x1[n] = x1;
    kept->y1[n] = y1;
    kept->area[n] = area;
    for (size_t from = 0; from < n; from += PIECE) {
        const size_t to = n - from < PIECE ? n : from + PIECE;
        int hit = 0;
        for (size_t i = from; i < to; i++) {
            const float left = kept->x0[i] > x0 ? kept->x0[i] : x0;
            const float right = kept->x1[i] < x1 ? kept->x1[i] : x1;
            const float low = kept->y0[i] > y0 ? kept->y0[i] : y0;
            const float high = kept->y1[i] < y1 ? kept->y1[i] : y1;
            const float both = dnnlc_rounded((right - left) * (high - low));
            const float either = kept->area[i] + area - both;
            hit |= (right > left) & (high > low) & (both > 0) & (kept->area[i] > 0) & (area > 0) &
                   (either > 0) & (both / either > threshold);
        }
        if (hit)
            return 0;
    }
    return 1;
}

$signature$
{
    enum { BATCH = $batch$, CLASSES = $classes$, BOXES = $boxes$, LIMIT = $limit$ };
    uint64_t *const heap = scratch;
    struct $fn$_kept *const kept = (struct $fn$_kept *)(heap + BOXES);
    const float threshold = $iou$;
    const size_t most = $most$;
    size_t total = 0;
    for (size_t s = 0; s < BATCH * CLASSES; s++) {
        const float *const corners = boxes + s / CLASSES * BOXES * 4, *const score = scores + s * BOXES;
        size_t n = 0;
        for (uint32_t i = 0; i < BOXES; i++)
            if ($is_candidate$)
                heap[n++] = $fn$_key(score[i], i);
        for (size_t i = n / 2; i-- > 0;)
            $fn$_sink(heap, n, i);
        for (size_t found = 0; n > 0 && found < most; $fn$_sink(heap, n, 0)) {
            const uint32_t box = (uint32_t)~heap[0];
            heap[0] = heap[--n];
            if (!$fn$_adds(kept, found, corners + (size_t)box * 4, threshold))
                continue;
//@if rows
            dst[total * 3] = (int64_t)(s / CLASSES);
            dst[total * 3 + 1] = (int64_t)(s % CLASSES);
            dst[total * 3 + 2] = (int64_t)box;
//@end
            total++;
            found++;
        }
    }
//@if rows
    memset(dst + total * 3, 0, (BATCH * CLASSES * LIMIT - total) * 3 * sizeof *dst);
//@end
//@if count
    count[0] = (int64_t)total;
//@end
}
