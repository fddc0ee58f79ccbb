/* --- m_kernels_0.c --- */
/*
 * Conv
 * src f32[1,3,9,9], f32[4,3,3,3]
 * dst f32[1,4,9,9]
 */
/* Copies the source rows that AT_ONCE rows of dst from row `first` on depend on, at a row pitch of PITCH. Padding is zero, and so is
 * what follows the last row. */
NET_INLINE void m_conv_0_pad(const float *restrict src, float *restrict padded,
                             const ptrdiff_t first)
{
    enum { C = 3, H = 9, W = 9, PITCH = 10 };
    enum { TOP = 1, LEFT = 1 };
    enum { AT_ONCE = 9, KH = 3, DH = 1, ROWS = AT_ONCE + (KH - 1) * DH };
    enum { SLACK = 27 }; /* read by the last tile beyond the last row */
    for (ptrdiff_t c = 0; c < C; c++)
        for (ptrdiff_t i = 0; i < ROWS; i++, padded += PITCH) {
            const ptrdiff_t y = first + i - TOP;
            if (y < 0 || y >= H) {
                memset(padded, 0, PITCH * sizeof *padded);
                continue;
            }
            for (ptrdiff_t x = 0; x < LEFT; x++)
                padded[x] = 0;
            for (ptrdiff_t x = 0; x < W; x++)
                padded[LEFT + x] = src[(c * H + y) * W + x];
            for (ptrdiff_t x = LEFT + W; x < PITCH; x++)
                padded[x] = 0;
        }
    memset(padded, 0, SLACK * sizeof *padded);
}

/* A few filters for COLUMNS elements of the padded rows; the sums stay in registers. */
NET_INLINE void m_conv_0_tile(const float *restrict line, const float *restrict w,
                              float *restrict sums, const size_t filters)
{
    enum { C = 3, KH = 3, KW = 3, PITCH = 10, COLUMNS = 24 };
    enum { DH = 1, DW = 1, AT_ONCE = 9 };
    enum { PLANE = (AT_ONCE + (KH - 1) * DH) * PITCH, LINE = 96, FILTERS = 4 };
    float sum[FILTERS][COLUMNS];
    for (size_t m = 0; m < filters; m++)
        for (size_t j = 0; j < COLUMNS; j++)
            sum[m][j] = 0;
    for (size_t c = 0; c < C; c++)
        for (size_t ky = 0; ky < KH; ky++)
            for (size_t kx = 0; kx < KW; kx++) {
                const float *restrict s = line + c * PLANE + ky * DH * PITCH + kx * DW;
                const float *restrict tap = w + (c * KH + ky) * KW + kx;
                for (size_t m = 0; m < filters; m++)
                    for (size_t j = 0; j < COLUMNS; j++)
                        sum[m][j] += tap[m * C * KH * KW] * s[j];
            }
    for (size_t m = 0; m < filters; m++)
        for (size_t j = 0; j < COLUMNS; j++)
            sums[m * LINE + j] = sum[m][j];
}

/* Stores the sums that belong to columns of dst; those between two rows are dropped. */
NET_INLINE void m_conv_0_store(const float *restrict sums, float *dst, const ptrdiff_t at,
                               const ptrdiff_t m, const ptrdiff_t filters, const ptrdiff_t rows)
{
    enum { OH = 9, OW = 9, LINE = 96, PITCH = 10 };
    for (ptrdiff_t f = 0; f < filters; f++)
        for (ptrdiff_t y = 0; y < rows; y++) {
            const ptrdiff_t channel = m + f, row = at + channel * (OH * OW) + y * OW;
            const float *restrict sum = sums + f * LINE + y * PITCH;
            float *restrict dst_row = dst + row;
            for (ptrdiff_t x = 0; x < OW; x++)
                dst_row[x] = sum[x];
        }
}

NET_KERNEL
static void m_conv_0_body(const float *restrict src, const float *restrict weights,
                          float *restrict dst, void *restrict scratch)
{
    enum { IMAGES = 1, C = 3, M = 4, BLOCKS = 1, PITCH = 10 };
    enum { OH = 9, OW = 9, AT_ONCE = 9, CHUNKS = (OH + AT_ONCE - 1) / AT_ONCE };
    enum { FILTERS = 4, COLUMNS = 24, KH = 3, KW = 3, DEPTH = C * KH * KW };
    enum { H = 9, W = 9, DH = 1, SLACK = 27 };
    enum { PADDED = C * (AT_ONCE + (KH - 1) * DH) * PITCH + SLACK };
    float *padded = scratch, *sums = padded + PADDED;
    for (ptrdiff_t i = 0; i < IMAGES * CHUNKS * BLOCKS; i++) {
        const ptrdiff_t image = i / (CHUNKS * BLOCKS), first = i / BLOCKS % CHUNKS * AT_ONCE;
        const ptrdiff_t m = i % BLOCKS * FILTERS, at = image * M * (OH * OW) + first * OW;
        const ptrdiff_t rows = OH - first < AT_ONCE ? OH - first : AT_ONCE;
        if (i == 0 || m == 0)
            m_conv_0_pad(src + image * (C * H * W), padded, first);
        for (ptrdiff_t j = 0; j < rows * PITCH; j += COLUMNS)
            m_conv_0_tile(padded + j, weights + m * DEPTH, sums + j, FILTERS);
        m_conv_0_store(sums, dst, at, m, FILTERS, rows);
    }
}

void m_conv_0(const float *restrict src, const float *restrict weights, float *restrict dst,
              void *restrict scratch)
{
    m_conv_0_body(src, weights, dst, scratch);
}
/* --- m_c_0.c --- */
/* Bytes from the start of the workspace to what layers write: m_dnnl.c has a map. */
enum {
    CONV_0_SCRATCH = 0,
};

void m_c_0(const struct m_memory *m)
{
    /* conv_0: Conv */
    m_conv_0(m->in[0], weights_at(m, 0), m->out[0], workspace_at(m, CONV_0_SCRATCH));
    m_trace(m, 0);
}
