/* --- m_conv_1x1.h --- */
NET_KERNEL
static void kernel_body(const float *restrict src, const float *restrict weights,
                        const float *restrict bias, float *restrict dst)
{
    enum { IMAGES = 1, C = KERNEL_C, M = KERNEL_M, PLANE = 35 };
    for (size_t image = 0; image < IMAGES; image++) {
        const float *x = src + image * C * PLANE;
        float *y = dst + image * M * PLANE;
        kernel_product(weights, x, bias, y, PLANE);
    }
}

void kernel(const float *restrict src, const float *restrict weights, const float *restrict bias,
            float *restrict dst)
{
    kernel_body(src, weights, bias, dst);
}

#undef kernel_body
#undef kernel_product
#undef kernel
#undef KERNEL_C
#undef KERNEL_M
/* --- m_tile.h --- */
/* One register block of dst = a * b: its sums stay in registers over all k. */
NET_INLINE void kernel_tile(const float *restrict a, const float *restrict b, KERNEL_OPERANDS,
                            const size_t rows, const size_t columns)
{
    enum { K = KERNEL_K, ROWS = 4, COLUMNS = 24 };
    enum { B_K = 35, A_ROW = KERNEL_A_ROW, DST_ROW = 35 };
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
            dst[r * DST_ROW + j] = KERNEL_STORED;
        }
}

/* A block of columns, all rows: one register block below the other. */
NET_INLINE void kernel_rows(const float *restrict a, const float *restrict b, KERNEL_OPERANDS,
                            const size_t columns)
{
    enum { M = KERNEL_M, ROWS = 4 };
    enum { A_ROW = KERNEL_A_ROW, DST_ROW = 35 };
    for (size_t i = 0; i + ROWS <= M; i += ROWS)
        kernel_tile(a + i * A_ROW, b, KERNEL_ROW, ROWS, columns);
    if (M % ROWS != 0) {
        const size_t i = M - M % ROWS;
        kernel_tile(a + i * A_ROW, b, KERNEL_ROW, M % ROWS, columns);
    }
}

/* All rows and any number of columns, a block of columns at a time. */
NET_INLINE void kernel_product(const float *restrict a, const float *restrict b, KERNEL_OPERANDS,
                               const size_t columns)
{
    enum { COLUMNS = 24 };
    const size_t full = columns - columns % COLUMNS;
    for (size_t j = 0; j < full; j += COLUMNS) {
        kernel_rows(a, b + j, KERNEL_COLUMN, COLUMNS);
    }
    if (full < columns) {
        const size_t j = full;
        kernel_rows(a, b + j, KERNEL_COLUMN, columns - full);
    }
}

#undef kernel_tile
#undef kernel_rows
#undef kernel_product
#undef KERNEL_OPERANDS
#undef KERNEL_K
#undef KERNEL_A_ROW
#undef KERNEL_STORED
#undef KERNEL_M
#undef KERNEL_ROW
#undef KERNEL_COLUMN
/* --- m_tile_2.h --- */
/* --- m_kernels_0.c --- */
/* 1 + e^-x, with x clamped to |x| <= 87.3365. -x = n ln2 - u with |u| <= ln2/2; e^-u is a minimax
 * polynomial (error 1e-7), to whose exponent n is added. Adding 1.5 * 2^23 rounds to the nearest integer and leaves n in the lowest bits. The
 * clamping works on the bits of x as integers, which compilers vectorise better than comparisons of floats: positive
 * floats are in order as signed integers, negative ones as unsigned ones the other way round. A NaN becomes a bound. */
NET_INLINE float dnnlc_logistic_divisorf(float x)
{
    int32_t bits;
    memcpy(&bits, &x, sizeof bits);
    bits = bits < 0x42aeac4f ? bits : 0x42aeac4f; /* 87.3365 */
    uint32_t k = (uint32_t)bits < 0xc2aeac4fu ? (uint32_t)bits : 0xc2aeac4fu;
    float c;
    memcpy(&c, &k, sizeof c);
    float shifted = c * -1.44269504f + 12582912.0f, n = shifted - 12582912.0f;
#if defined(NET_CLONED) || defined(__FMA__) || defined(FP_FAST_FMAF)
    float u = fmaf(n, 0.693147182f, c); /* exact but for ln2, which lacks 2e-9 */
#else
    float u = c + n * 0.693359375f + n * -2.12194440e-4f;
#endif
    float p = -8.2894405350e-3f;
    p = p * u + 4.1897837073e-2f;
    p = p * u - 1.6667650640e-1f;
    p = p * u + 4.9999150634e-1f;
    p = p * u - 9.9999970198e-1f;
    p = p * u + 1.0f;
    uint32_t scaled;
    memcpy(&k, &shifted, sizeof k);
    memcpy(&scaled, &p, sizeof scaled);
    scaled += k << 23;
    memcpy(&p, &scaled, sizeof p);
    return p + 1.0f;
}

/* 1 / (1 + e^-x), within 3.5 ulp, or 6.5 with fused multiply-adds, where that is a normal number, the smallest one where it is not. */
NET_INLINE float dnnlc_sigmoidf(float x)
{
    float y = 1.0f / dnnlc_logistic_divisorf(x);
    return isnan(x) ? x : y;
}

/* x / (1 + e^-x), within 3.75 ulp of normal numbers, or 6.5 with fused multiply-adds. */
NET_INLINE float dnnlc_swishf(float x)
{
    return x / dnnlc_logistic_divisorf(x);
}

/*
 * Conv, Sigmoid
 * src f32[1,8,5,7], f32[12,8,1,1], f32[12]
 * dst f32[1,12,5,7]
 */
#define KERNEL(part) m_conv_0##part
/* Epilogue for one element: Sigmoid. */
NET_INLINE float m_conv_0_epilogue(const float x)
{
    return dnnlc_sigmoidf(x);
}

#define KERNEL_K 8
#define KERNEL_A_ROW 8
#define KERNEL_M 12
#include "m_tile_2.h"

#define KERNEL_C 8
#define KERNEL_M 12
#include "m_conv_1x1.h"

#undef KERNEL

/*
 * Conv, Add
 * src f32[1,12,5,7], f32[8,12,1,1], f32[8], f32[1,8,5,7]
 * dst f32[1,8,5,7]
 */
#define KERNEL(part) m_conv_1##part
/* Epilogue for one element: Add. */
NET_INLINE float m_conv_1_epilogue(const float x, const float addend)
{
    return x + addend;
}

#define KERNEL_K 12
#define KERNEL_A_ROW 12
#define KERNEL_M 8
#define KERNEL_OPERANDS                                                                            \
    const float *restrict bias, const float *restrict addend, float *restrict dst
#define KERNEL_STORED KERNEL(_epilogue)(sum[r][j] + bias[r], addend[r * DST_ROW + j])
#define KERNEL_ROW &bias[i], &addend[i * DST_ROW], &dst[i * DST_ROW]
#define KERNEL_COLUMN bias, &addend[j], &dst[j]
#include "m_tile.h"

NET_KERNEL
static void m_conv_1_body(const float *restrict src, const float *restrict weights,
                          const float *restrict bias, const float *restrict addend,
                          float *restrict dst)
{
    enum { IMAGES = 1, C = 12, M = 8, PLANE = 35 };
    for (size_t image = 0; image < IMAGES; image++) {
        const float *x = src + image * C * PLANE;
        float *y = dst + image * M * PLANE;
        m_conv_1_product(weights, x, bias, addend + image * M * PLANE, y, PLANE);
    }
}

void m_conv_1(const float *restrict src, const float *restrict weights, const float *restrict bias,
              const float *restrict addend, float *restrict dst)
{
    m_conv_1_body(src, weights, bias, addend, dst);
}

#undef KERNEL

/*
 * Conv, Sigmoid
 * src f32[1,8,5,7], f32[10,8,1,1], f32[10]
 * dst f32[1,10,5,7]
 */
#define KERNEL(part) m_conv_2##part
/* Epilogue for one element: Sigmoid. */
NET_INLINE float m_conv_2_epilogue(const float x)
{
    return dnnlc_sigmoidf(x);
}

#define KERNEL_K 8
#define KERNEL_A_ROW 8
#define KERNEL_M 10
#include "m_tile_2.h"

#define KERNEL_C 8
#define KERNEL_M 10
#include "m_conv_1x1.h"

#undef KERNEL

/*
 * Conv
 * src f32[1,10,5,7], f32[8,10,1,1], f32[8]
 * dst f32[1,8,5,7]
 */
#define KERNEL(part) m_conv_3##part
#define KERNEL_K 10
#define KERNEL_A_ROW 10
#define KERNEL_M 8
#define KERNEL_OPERANDS const float *restrict bias, float *restrict dst
#define KERNEL_STORED sum[r][j] + bias[r]
#define KERNEL_ROW &bias[i], &dst[i * DST_ROW]
#define KERNEL_COLUMN bias, &dst[j]
#include "m_tile.h"

#define KERNEL_C 10
#define KERNEL_M 8
#include "m_conv_1x1.h"

#undef KERNEL
/* --- m_c_0.c --- */
/* Bytes from the start of the workspace to what layers write: m_dnnl.c has a map. */
enum {
    CONV_0_DST = 0,
    CONV_1_DST = 1728,
    CONV_2_DST = 0,
};

void m_c_0(const struct m_memory *m)
{
    /* conv_0: Conv + Sigmoid */
    m_conv_0(m->in[0], weights_at(m, 0), weights_at(m, 384), workspace_at(m, CONV_0_DST));
    m_trace(m, 0);
    /* conv_1: Conv + Add */
    m_conv_1(workspace_at(m, CONV_0_DST), weights_at(m, 448), weights_at(m, 832), m->in[0],
             workspace_at(m, CONV_1_DST));
    m_trace(m, 1);
    /* conv_2: Conv + Sigmoid */
    m_conv_2(workspace_at(m, CONV_1_DST), weights_at(m, 896), weights_at(m, 1216),
             workspace_at(m, CONV_2_DST));
    m_trace(m, 2);
    /* conv_3: Conv */
    m_conv_3(workspace_at(m, CONV_2_DST), weights_at(m, 1280), weights_at(m, 1600), m->out[0]);
    m_trace(m, 3);
}
