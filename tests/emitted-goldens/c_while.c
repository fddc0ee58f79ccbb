/* --- m_kernels_0.c --- */
/* 2^y for y <= 0, within 2.5e-7 of it where y is above -126.5, and 0 below: hardly any result is subnormal, as those of masked elements would be,
 * which cost processors a hundred cycles each. y = n + f with |f| <= 1/2; 2^f is a minimax polynomial (error 7.5e-8). Adding 1.5 * 2^23 rounds
 * to the nearest integer; with 127 more the low bits of the sum are the exponent field of 2^n, 0 for n = -127. NaN goes through all of it. */
NET_INLINE float dnnlc_exp2_negativef(float y)
{
    float c = y < -127.0f ? -127.0f : y;
    float shifted = c + 12583039.0f, f = c - (shifted - 12583039.0f);
    float p = 1.3276472e-3f;
    p = p * f + 9.6755413e-3f;
    p = p * f + 5.5507133e-2f;
    p = p * f + 2.4022120e-1f;
    p = p * f + 6.9314697e-1f;
    p = p * f + 1.0000001f;
    uint32_t bits;
    memcpy(&bits, &shifted, sizeof bits);
    bits <<= 23;
    float power;
    memcpy(&power, &bits, sizeof power);
    return p * power;
}
/* e^x for x <= 0, within 2.5e-7 + 7.5e-8 |x| of it: sums of exponentials hardly notice those that are small. */
NET_INLINE float dnnlc_exp_negativef(float x)
{
    return dnnlc_exp2_negativef(x * 1.44269504f);
}

/*
 * LoopBegin
 * src i64[], bool[], f32[2,5], f32[2,5]
 * dst bool[], i64[], f32[2,5], f32[2,5], f32[3,2,5]
 */
NET_KERNEL
static void m_loopbegin_0_body(const int64_t *restrict trips, const uint8_t *restrict condition,
                               const float *restrict src0, const float *restrict src1,
                               uint8_t *restrict going_on, int64_t *restrict iteration,
                               float *restrict dst0, float *restrict dst1, float *restrict dst2)
{
    going_on[0] = trips[0] > 0 && condition[0];
    iteration[0] = 0;
    memcpy(dst0, src0, 10 * sizeof *dst0);
    memcpy(dst1, src1, 10 * sizeof *dst1);
    memset(dst2, 0, 30 * sizeof *dst2);
}

void m_loopbegin_0(const int64_t *restrict trips, const uint8_t *restrict condition,
                   const float *restrict src0, const float *restrict src1,
                   uint8_t *restrict going_on, int64_t *restrict iteration, float *restrict dst0,
                   float *restrict dst1, float *restrict dst2)
{
    m_loopbegin_0_body(trips, condition, src0, src1, going_on, iteration, dst0, dst1, dst2);
}

/*
 * LoopBegin
 * src i64[], bool[], f32[2,5]
 * dst bool[], i64[], f32[2,5]
 */
NET_KERNEL
static void m_loopbegin_1_body(const int64_t *restrict trips, const uint8_t *restrict condition,
                               const float *restrict src0, uint8_t *restrict going_on,
                               int64_t *restrict iteration, float *restrict dst0)
{
    going_on[0] = trips[0] > 0 && condition[0];
    iteration[0] = 0;
    memcpy(dst0, src0, 10 * sizeof *dst0);
}

void m_loopbegin_1(const int64_t *restrict trips, const uint8_t *restrict condition,
                   const float *restrict src0, uint8_t *restrict going_on,
                   int64_t *restrict iteration, float *restrict dst0)
{
    m_loopbegin_1_body(trips, condition, src0, going_on, iteration, dst0);
}

/*
 * Add
 * src f32[2,5], f32[2,5]
 * dst f32[2,5]
 */
NET_KERNEL
static void m_add_2_body(const float *restrict src, const float *restrict addend,
                         float *restrict dst)
{
    for (size_t i0 = 0; i0 < 10; i0++)
        dst[i0] = src[i0] + addend[i0];
}

void m_add_2(const float *restrict src, const float *restrict addend, float *restrict dst)
{
    m_add_2_body(src, addend, dst);
}

/*
 * LoopEnd
 * src bool[], i64[], i64[], bool[], f32[2,5]
 * dst bool[], i64[], f32[2,5]
 */
NET_KERNEL
static void m_loopend_3_body(const uint8_t *going_on, const int64_t *iteration,
                             const int64_t *restrict trips, const uint8_t *restrict condition,
                             const float *restrict src0, uint8_t *more, int64_t *count,
                             float *restrict dst0)
{
    const int64_t done = iteration[0] + 1;
    (void)going_on; /* in place, as what stays */
    memcpy(dst0, src0, 10 * sizeof *dst0);
    more[0] = condition[0] && done < trips[0];
    count[0] = done;
}

void m_loopend_3(const uint8_t *going_on, const int64_t *iteration, const int64_t *restrict trips,
                 const uint8_t *restrict condition, const float *restrict src0, uint8_t *more,
                 int64_t *count, float *restrict dst0)
{
    m_loopend_3_body(going_on, iteration, trips, condition, src0, more, count, dst0);
}

/*
 * Softmax
 * src f32[2,5]
 * dst f32[2,5]
 */
/* A few rows at a time: while one row's sum goes from lane to lane, and its logarithm or quotient is made, others are under way. */
NET_KERNEL
static void m_softmax_4_body(const float *restrict src, float *restrict dst)
{
    enum { ROWS = 2, SIZE = 5, BLOCK = 2, LANES = 4 };
    enum { FULL = 4, LAST = 1 };
    /* The last vector of a row begins before the one in front of it ends; what both have counts once. gcc takes a vector with a condition apart. */
    float counts[LANES];
    for (size_t l = 0; l < LANES; l++)
        counts[l] = LAST + l < FULL ? 0 : 1;
    for (size_t first = 0; first < ROWS; first += BLOCK) {
        const float *restrict src_rows = src + first * SIZE;
        float *restrict dst_rows = dst + first * SIZE;
        const size_t rows = ROWS - first < BLOCK ? ROWS - first : BLOCK;
        float max[BLOCK] = {0}, sum[BLOCK] = {0};
        for (size_t r = 0; r < rows; r++) {
            const float *restrict src_row = src_rows + r * SIZE;
            float part[LANES];
            for (size_t l = 0; l < LANES; l++)
                part[l] = src_row[LAST + l];
            for (size_t i = 0; i < FULL; i += LANES) {
                NET_LANES
                for (size_t l = 0; l < LANES; l++) {
                    const float v = src_row[i + l];
                    part[l] = v > part[l] ? v : part[l];
                }
            }
            NET_LANES
            for (size_t l = 0; l < 2; l++)
                part[l] = part[l + 2] > part[l] ? part[l + 2] : part[l];
            NET_LANES
            for (size_t l = 0; l < 1; l++)
                part[l] = part[l + 1] > part[l] ? part[l + 1] : part[l];
            max[r] = part[0];
        }
        for (size_t r = 0; r < rows; r++) {
            const float *restrict src_row = src_rows + r * SIZE;
            float *restrict dst_row = dst_rows + r * SIZE;
            float part[LANES];
            NET_LANES
            for (size_t l = 0; l < LANES; l++) {
                const float e = dnnlc_exp_negativef(src_row[LAST + l] - max[r]);
                dst_row[LAST + l] = e;
                part[l] = e * counts[l];
            }
            for (size_t i = 0; i < FULL; i += LANES) {
                NET_LANES
                for (size_t l = 0; l < LANES; l++) {
                    const float e = dnnlc_exp_negativef(src_row[i + l] - max[r]);
                    dst_row[i + l] = e;
                    part[l] += e;
                }
            }
            NET_LANES
            for (size_t l = 0; l < 2; l++)
                part[l] += part[l + 2];
            NET_LANES
            for (size_t l = 0; l < 1; l++)
                part[l] += part[l + 1];
            sum[r] = part[0];
        }
        for (size_t r = 0; r < BLOCK; r++)
            sum[r] = 1 / sum[r];
        for (size_t r = 0; r < rows; r++) {
            float *restrict dst_row = dst_rows + r * SIZE;
            for (size_t i = 0; i < SIZE; i++) {
                const float e = dst_row[i];
                dst_row[i] = e * sum[r];
            }
        }
    }
}

void m_softmax_4(const float *restrict src, float *restrict dst)
{
    m_softmax_4_body(src, dst);
}

/*
 * Reorder u
 * src f32[2,5]
 * dst f32[2,5]
 */
NET_KERNEL
static void m_reorder_5_body(const float *restrict src, float *restrict dst)
{
    for (size_t i0 = 0; i0 < 10; i0++)
        dst[i0] = src[i0];
}

void m_reorder_5(const float *restrict src, float *restrict dst)
{
    m_reorder_5_body(src, dst);
}

/*
 * LoopEnd
 * src bool[], i64[], i64[], bool[], f32[2,5], f32[2,5], f32[2,5]
 * dst bool[], i64[], f32[2,5], f32[2,5], f32[3,2,5]
 */
NET_KERNEL
static void m_loopend_6_body(const uint8_t *going_on, const int64_t *iteration,
                             const int64_t *restrict trips, const uint8_t *restrict condition,
                             const float *restrict src0, const float *restrict src1,
                             const float *restrict src2, uint8_t *more, int64_t *count,
                             float *restrict dst0, float *restrict dst1, float *restrict dst2)
{
    const int64_t done = iteration[0] + 1;
    (void)going_on; /* in place, as what stays */
    memcpy(dst2 + (size_t)iteration[0] * 10, src2, 10 * sizeof *dst2);
    memcpy(dst0, src0, 10 * sizeof *dst0);
    memcpy(dst1, src1, 10 * sizeof *dst1);
    more[0] = !condition[0] || done >= trips[0] ? 0 : done < 3 ? 1 : 2;
    count[0] = done;
}

void m_loopend_6(const uint8_t *going_on, const int64_t *iteration, const int64_t *restrict trips,
                 const uint8_t *restrict condition, const float *restrict src0,
                 const float *restrict src1, const float *restrict src2, uint8_t *more,
                 int64_t *count, float *restrict dst0, float *restrict dst1, float *restrict dst2)
{
    m_loopend_6_body(going_on, iteration, trips, condition, src0, src1, src2, more, count, dst0,
                     dst1, dst2);
}
/* --- m_c_0.c --- */
/* Bytes from the start of the workspace to what layers write: m_dnnl.c has a map. */
enum {
    LOOPBEGIN_0_GOING_ON = 384,
    LOOPBEGIN_0_ITERATION = 256,
    LOOPBEGIN_0_DST0 = 0,
    LOOPBEGIN_0_DST1 = 64,
    LOOPBEGIN_1_GOING_ON = 448,
    LOOPBEGIN_1_ITERATION = 320,
    LOOPBEGIN_1_DST0 = 128,
    ADD_2_DST = 192,
    SOFTMAX_4_DST = 192,
    REORDER_5_DST = 128,
};

void m_c_0(const struct m_memory *m)
{
    /* loopbegin_0: LoopBegin */
    m_loopbegin_0(m->in[1], weights_at(m, 0), m->in[0], m->in[0],
                  workspace_at(m, LOOPBEGIN_0_GOING_ON), workspace_at(m, LOOPBEGIN_0_ITERATION),
                  workspace_at(m, LOOPBEGIN_0_DST0), workspace_at(m, LOOPBEGIN_0_DST1), m->out[2]);
    m_trace(m, 0);
}

void m_c_1(const struct m_memory *m)
{
    /* loopbegin_1: LoopBegin */
    m_loopbegin_1(weights_at(m, 64), weights_at(m, 0), workspace_at(m, LOOPBEGIN_0_DST0),
                  workspace_at(m, LOOPBEGIN_1_GOING_ON), workspace_at(m, LOOPBEGIN_1_ITERATION),
                  workspace_at(m, LOOPBEGIN_1_DST0));
    m_trace(m, 1);
}

void m_c_2(const struct m_memory *m)
{
    /* add_2: Add */
    m_add_2(workspace_at(m, LOOPBEGIN_1_DST0), workspace_at(m, LOOPBEGIN_0_DST1),
            workspace_at(m, ADD_2_DST));
    m_trace(m, 2);
    /* loopend_3: LoopEnd */
    m_loopend_3(workspace_at(m, LOOPBEGIN_1_GOING_ON), workspace_at(m, LOOPBEGIN_1_ITERATION),
                weights_at(m, 64), weights_at(m, 0), workspace_at(m, ADD_2_DST),
                workspace_at(m, LOOPBEGIN_1_GOING_ON), workspace_at(m, LOOPBEGIN_1_ITERATION),
                workspace_at(m, LOOPBEGIN_1_DST0));
    m_trace(m, 3);
}

void m_c_3(const struct m_memory *m)
{
    /* softmax_4: Softmax */
    m_softmax_4(workspace_at(m, LOOPBEGIN_1_DST0), workspace_at(m, SOFTMAX_4_DST));
    m_trace(m, 4);
    /* reorder_5: Reorder u */
    m_reorder_5(workspace_at(m, LOOPBEGIN_0_DST1), workspace_at(m, REORDER_5_DST));
    m_trace(m, 5);
    /* loopend_6: LoopEnd */
    m_loopend_6(workspace_at(m, LOOPBEGIN_0_GOING_ON), workspace_at(m, LOOPBEGIN_0_ITERATION),
                m->in[1], weights_at(m, 0), workspace_at(m, REORDER_5_DST),
                workspace_at(m, SOFTMAX_4_DST), workspace_at(m, SOFTMAX_4_DST),
                workspace_at(m, LOOPBEGIN_0_GOING_ON), workspace_at(m, LOOPBEGIN_0_ITERATION),
                workspace_at(m, LOOPBEGIN_0_DST0), workspace_at(m, LOOPBEGIN_0_DST1), m->out[2]);
    m_trace(m, 6);
}
