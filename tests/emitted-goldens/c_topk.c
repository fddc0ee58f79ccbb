/* --- m_kernels_0.c --- */
/*
 * TopK
 * src f32[3,50]
 * dst f32[3,4], i64[3,4]
 */
/* Whether some of a block are better than y. */
static int m_topk_0_any(const float *row, const float y)
{
    int any = 0;
    for (size_t i = 0; i < 32; i++) {
        const float x = row[i];
        any |= !(x <= y);
    }
    return any;
}

/* Inserts x, which has index i, into a sorted list of n elements. */
static void m_topk_0_insert(float *best, size_t *at, size_t n, const float x, size_t i)
{
    for (; n > 0; n--) {
        const float y = best[n - 1];
        const int order = (x > y) - (x < y) + (isnan(x) != 0) - (isnan(y) != 0);
        if (order <= 0)
            break;
        best[n] = y;
        at[n] = at[n - 1];
    }
    best[n] = x;
    at[n] = i;
}

NET_KERNEL
static void m_topk_0_body(const float *restrict src, float *restrict values,
                          int64_t *restrict indices, void *restrict scratch)
{
    size_t *const at = scratch;
    float *const best = (void *)(at + 4);
    for (size_t o = 0; o < 3; o++)
        for (size_t j = 0; j < 1; j++) {
            const float *const row = src + o * 50 + j;
            for (size_t i = 0; i < 4; i++)
                m_topk_0_insert(best, at, i, row[i], i);
            for (size_t first = 4; first < 50; first += 32) {
                const size_t end = 50 - first < 32 ? 50 : first + 32;
                if (end - first == 32 && !m_topk_0_any(row + first, best[4 - 1]))
                    continue;
                for (size_t i = first; i < end; i++) {
                    const float x = row[i], y = best[4 - 1];
                    if (x <= y)
                        continue;
                    const int order = (x > y) - (x < y) + (isnan(x) != 0) - (isnan(y) != 0);
                    if (order > 0)
                        m_topk_0_insert(best, at, 4 - 1, x, i);
                }
            }
            for (size_t i = 0; i < 4; i++) {
                const size_t to = (o * 4 + i) + j;
                values[to] = row[at[i]];
                indices[to] = (int64_t)at[i];
            }
        }
}

void m_topk_0(const float *restrict src, float *restrict values, int64_t *restrict indices,
              void *restrict scratch)
{
    m_topk_0_body(src, values, indices, scratch);
}
/* --- m_c_0.c --- */
/* Bytes from the start of the workspace to what layers write: m_dnnl.c has a map. */
enum {
    TOPK_0_SCRATCH = 0,
};

void m_c_0(const struct m_memory *m)
{
    /* topk_0: TopK */
    m_topk_0(m->in[0], m->out[0], m->out[1], workspace_at(m, TOPK_0_SCRATCH));
    m_trace(m, 0);
}
