/* --- m_conv_gather.h --- */
/* im2col: panel[tap][j] is the source element under a tap for output position first + j, zero in the padding. */
NET_INLINE void kernel_gather(const float *restrict src, float *restrict panel,
                              const ptrdiff_t first, const ptrdiff_t count)
{
    enum { C = KERNEL_C, TAPS = 9, WIDTH = KERNEL_WIDTH };
    enum { W = KERNEL_W, OW = 16, KW = 3, SW = KERNEL_SW, DW = 1, LEFT = 1 };
    enum { H = KERNEL_H, KH = 3, SH = KERNEL_SH, DH = 1, TOP = 1 };
    for (ptrdiff_t tap = 0; tap < C * TAPS; tap++) {
        const ptrdiff_t channel = tap / TAPS, column = tap % KW * DW - LEFT;
        float *restrict row = panel + tap * WIDTH;
        for (ptrdiff_t j = 0, run; j < count; j += run) {
            const ptrdiff_t x = (first + j) % OW, sx = x * SW + column;
            run = OW - x < count - j ? OW - x : count - j;
            const ptrdiff_t y = (first + j) / OW, sy = y * SH + tap / KW % KH * DH - TOP;
            const ptrdiff_t at = (channel * H + sy) * W + sx;
            ptrdiff_t lo = sx < 0 ? (-sx + SW - 1) / SW : 0;
            ptrdiff_t hi = sx < W ? (W - sx + SW - 1) / SW : 0;
            if (sy < 0 || sy >= H)
                hi = 0;
            hi = hi < run ? hi : run;
            lo = lo < hi ? lo : hi;
            for (ptrdiff_t i = 0; i < lo; i++)
                row[j + i] = 0;
            for (ptrdiff_t i = lo; i < hi; i++)
                row[j + i] = src[at + i * SW];
            for (ptrdiff_t i = hi; i < run; i++)
                row[j + i] = 0;
        }
    }
}

#undef kernel_gather
#undef KERNEL_C
#undef KERNEL_WIDTH
#undef KERNEL_W
#undef KERNEL_SW
#undef KERNEL_H
#undef KERNEL_SH
/* --- m_tile.h --- */
/* One register block of dst = a * b: its sums stay in registers over all k. */
NET_INLINE void kernel_tile(const float *restrict a, const float *restrict b,
                            const float *restrict bias, float *restrict dst, const size_t rows,
                            const size_t columns)
{
    enum { K = KERNEL_K, ROWS = 4, COLUMNS = 24 };
    enum { B_K = KERNEL_B_K, A_ROW = KERNEL_A_ROW, DST_ROW = 208 };
    float sum[ROWS][COLUMNS] = {{0}};
    /* Factors are read beforehand: gcc would otherwise make k the innermost loop, and the sums would go to memory and back. */
    for (size_t k = 0; k < K; k++) {
        float x[ROWS];
        for (size_t r = 0; r < rows; r++)
            x[r] = a[r * A_ROW + k];
        /* gcc finds vectors in a whole block once it has unrolled it, in a narrower one only if it has not. */
        for (size_t r = 0; r < rows; r++)
            if (columns == COLUMNS) {
                for (size_t j = 0; j < COLUMNS; j++)
                    sum[r][j] += b[k * B_K + j] * x[r];
            } else {
                NET_LANES
                for (size_t j = 0; j < columns; j++)
                    sum[r][j] += b[k * B_K + j] * x[r];
            }
    }
    for (size_t r = 0; r < rows; r++)
        for (size_t j = 0; j < columns; j++) {
            dst[r * DST_ROW + j] = sum[r][j] + bias[r];
        }
}

/* A block of columns, all rows: one register block below the other. */
NET_INLINE void kernel_rows(const float *restrict a, const float *restrict b,
                            const float *restrict bias, float *restrict dst, const size_t columns)
{
    enum { M = KERNEL_M, ROWS = 4 };
    enum { A_ROW = KERNEL_A_ROW, DST_ROW = 208 };
    for (size_t i = 0; i + ROWS <= M; i += ROWS)
        kernel_tile(a + i * A_ROW, b, &bias[i], &dst[i * DST_ROW], ROWS, columns);
    if (M % ROWS != 0) {
        const size_t i = M - M % ROWS;
        kernel_tile(a + i * A_ROW, b, &bias[i], &dst[i * DST_ROW], M % ROWS, columns);
    }
}

/* All rows and any number of columns, a block of columns at a time. */
NET_INLINE void kernel_product(const float *restrict a, const float *restrict b,
                               const float *restrict bias, float *restrict dst,
                               const size_t columns)
{
    enum { COLUMNS = 24 };
    const size_t full = columns - columns % COLUMNS;
    for (size_t j = 0; j < full; j += COLUMNS) {
        kernel_rows(a, b + j, bias, &dst[j], COLUMNS);
    }
    if (full < columns) {
        const size_t j = full;
        kernel_rows(a, b + j, bias, &dst[j], columns - full);
    }
}

#undef kernel_tile
#undef kernel_rows
#undef kernel_product
#undef KERNEL_K
#undef KERNEL_B_K
#undef KERNEL_A_ROW
#undef KERNEL_M
/* --- m_kernels_0.c --- */
NET_KERNEL
static void m_conv_0_body(const float *restrict src, const float *restrict weights,
                          const float *restrict bias, float *restrict dst, void *restrict scratch)
{
    enum { IMAGES = 1, C = 8, M = 12, WIDTH = 168, FULL = 168 };
    enum { SRC_PLANE = 832, PLANE = 208 };
    float *panel = scratch;
    for (size_t image = 0; image < IMAGES; image++) {
        const float *x = src + image * C * SRC_PLANE;
        float *y = dst + image * M * PLANE;
        for (size_t p = 0; p < FULL; p += WIDTH) {
            m_conv_0_gather(x, panel, (ptrdiff_t)p, WIDTH);
            m_conv_0_product(weights, panel, bias, y + p, WIDTH);
        }
        m_conv_0_gather(x, panel, FULL, PLANE - FULL);
        m_conv_0_product(weights, panel, bias, y + FULL, PLANE - FULL);
    }
}

void m_conv_0(const float *restrict src, const float *restrict weights, const float *restrict bias,
              float *restrict dst, void *restrict scratch)
{
    m_conv_0_body(src, weights, bias, dst, scratch);
}

#undef KERNEL

/*
 * Conv
 * src f32[1,8,13,16], f32[16,4,3,3], f32[16]
 * dst f32[1,16,13,16]
 */
#define KERNEL(part) m_conv_1##part
#define KERNEL_K 36
#define KERNEL_B_K 208
#define KERNEL_A_ROW 36
#define KERNEL_M 8
#include "m_tile.h"

#define KERNEL_C 4
#define KERNEL_WIDTH 208
#define KERNEL_W 16
#define KERNEL_SW 1
#define KERNEL_H 13
#define KERNEL_SH 1
#include "m_conv_gather.h"

NET_KERNEL
static void m_conv_1_body(const float *restrict src, const float *restrict weights,
                          const float *restrict bias, float *restrict dst, void *restrict scratch)
{
    enum { IMAGES = 2, C = 4, M = 8, WIDTH = 208, FULL = 208 };
    enum { SRC_PLANE = 208, PLANE = 208 };
    enum { GROUP = 2, FILTERS = 288 };
    float *panel = scratch;
    for (size_t image = 0; image < IMAGES; image++) {
        const size_t group = image % GROUP;
        const float *x = src + image * C * SRC_PLANE;
        float *y = dst + image * M * PLANE;
        for (size_t p = 0; p < FULL; p += WIDTH) {
            m_conv_1_gather(x, panel, (ptrdiff_t)p, WIDTH);
            m_conv_1_product(weights + group * FILTERS, panel, bias + group * M, y + p, WIDTH);
        }
    }
}

void m_conv_1(const float *restrict src, const float *restrict weights, const float *restrict bias,
              float *restrict dst, void *restrict scratch)
{
    m_conv_1_body(src, weights, bias, dst, scratch);
}

#undef KERNEL
/* --- m_c_0.c --- */
/* Bytes from the start of the workspace to what layers write: m_dnnl.c has a map. */
enum {
    CONV_0_SCRATCH = 0,
    CONV_1_SCRATCH = 0,
};

void m_c_0(const struct m_memory *m)
{
    /* conv_0: Conv */
    m_conv_0(m->in[0], weights_at(m, 0), weights_at(m, 3456), m->out[0],
             workspace_at(m, CONV_0_SCRATCH));
    m_trace(m, 0);
    /* conv_1: Conv */
    m_conv_1(m->in[1], weights_at(m, 3520), weights_at(m, 5824), m->out[1],
             workspace_at(m, CONV_1_SCRATCH));
    m_trace(m, 1);
}
