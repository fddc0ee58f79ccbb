/* --- m_kernels_0.c --- */
/*
 * Resize
 * src f32[2,4,5,6]
 * dst f32[2,4,7,9]
 */
NET_TABLE static const struct {
    int32_t index[2];
    float weight[2];
} m_resize_0_axis_2[7] = {
    {{0, 0}, {0.14285715f, 0.85714287f}}, /* 0 */
    {{0, 1}, {0.42857143f, 0.5714286f}},  /* 1 */
    {{1, 2}, {0.71428573f, 0.2857143f}},  /* 2 */
    {{2, 3}, {1.0f, 0.0f}},               /* 3 */
    {{2, 3}, {0.2857143f, 0.71428573f}},  /* 4 */
    {{3, 4}, {0.5714286f, 0.42857143f}},  /* 5 */
    {{4, 4}, {0.85714287f, 0.14285715f}}, /* 6 */
};

NET_TABLE static const struct {
    int32_t index[2];
    float weight[2];
} m_resize_0_axis_x[9] = {
    {{0, 0}, {0.16666667f, 0.8333333f}}, /* 0 */
    {{0, 1}, {0.5f, 0.5f}},              /* 1 */
    {{1, 2}, {0.8333333f, 0.16666667f}}, /* 2 */
    {{1, 2}, {0.16666667f, 0.8333333f}}, /* 3 */
    {{2, 3}, {0.5f, 0.5f}},              /* 4 */
    {{3, 4}, {0.8333333f, 0.16666667f}}, /* 5 */
    {{3, 4}, {0.16666667f, 0.8333333f}}, /* 6 */
    {{4, 5}, {0.5f, 0.5f}},              /* 7 */
    {{5, 5}, {0.8333333f, 0.16666667f}}, /* 8 */
};

NET_KERNEL
static void m_resize_0_body(const float *restrict src, float *restrict dst)
{
    enum { ROWS = 56, W = 6, OW = 9, INNER = 1, PITCH = 1 };
    float row[W * INNER];
    for (ptrdiff_t r = 0; r < ROWS; r++) {
        for (ptrdiff_t x = 0; x < W * INNER; x++)
            row[x] = 0;
        for (ptrdiff_t t = 0; t < 2; t++) {
            const float weight = m_resize_0_axis_2[r % 7].weight[t % 2];
            const float *restrict line =
                src + (r / 7 * 5 + m_resize_0_axis_2[r % 7].index[t % 2]) * (W * INNER);
            for (ptrdiff_t x = 0; x < W * INNER; x++)
                row[x] += weight * line[x];
        }
        float *restrict dst_row = dst + r * (OW * PITCH);
        for (ptrdiff_t x = 0; x < OW; x++)
            for (ptrdiff_t i = 0; i < INNER; i++) {
                float sum = 0;
                for (ptrdiff_t t = 0; t < 2; t++)
                    sum += m_resize_0_axis_x[x].weight[t] *
                           row[m_resize_0_axis_x[x].index[t] * INNER + i];
                dst_row[x * PITCH + i] = sum;
            }
    }
}

void m_resize_0(const float *restrict src, float *restrict dst)
{
    m_resize_0_body(src, dst);
}
/* --- m_c_0.c --- */
void m_c_0(const struct m_memory *m)
{
    /* resize_0: Resize */
    m_resize_0(m->in[0], m->out[0]);
    m_trace(m, 0);
}
