/* --- m_kernels_0.c --- */
/*
 * LayerNormalization
 * src f32[3,64], f32[64], f32[64]
 * dst f32[3,64]
 */
/* The sum of the squared distances from the mean. */
NET_INLINE float m_layernormalization_0_square_sum(const float *restrict x, const float mean)
{
    enum { SIZE = 64, FULL = 64, LANES = 32 };
    float part[LANES] = {0}, sum = 0;
    for (size_t i = 0; i < FULL; i += LANES) {
        NET_VECTORS
        for (size_t l = 0; l < LANES; l++) {
            const float d = x[i + l] - mean;
            part[l] += d * d;
        }
    }
    for (size_t i = FULL; i < SIZE; i++) {
        const float d = x[i] - mean;
        sum += d * d;
    }
    NET_VECTORS
    for (size_t l = 0; l < 16; l++)
        part[l] += part[l + 16];
    NET_LANES
    for (size_t l = 0; l < 8; l++)
        part[l] += part[l + 8];
    NET_LANES
    for (size_t l = 0; l < 4; l++)
        part[l] += part[l + 4];
    NET_LANES
    for (size_t l = 0; l < 2; l++)
        part[l] += part[l + 2];
    NET_LANES
    for (size_t l = 0; l < 1; l++)
        part[l] += part[l + 1];
    return sum + part[0];
}

/* The sum of a row, in partial sums that are added up in pairs at the end. */
NET_INLINE float m_layernormalization_0_sum(const float *restrict x)
{
    enum { SIZE = 64, FULL = 64, LANES = 32 };
    float part[LANES] = {0}, sum = 0;
    for (size_t i = 0; i < FULL; i += LANES) {
        NET_VECTORS
        for (size_t l = 0; l < LANES; l++)
            part[l] += x[i + l];
    }
    for (size_t i = FULL; i < SIZE; i++)
        sum += x[i];
    NET_VECTORS
    for (size_t l = 0; l < 16; l++)
        part[l] += part[l + 16];
    NET_LANES
    for (size_t l = 0; l < 8; l++)
        part[l] += part[l + 8];
    NET_LANES
    for (size_t l = 0; l < 4; l++)
        part[l] += part[l + 4];
    NET_LANES
    for (size_t l = 0; l < 2; l++)
        part[l] += part[l + 2];
    NET_LANES
    for (size_t l = 0; l < 1; l++)
        part[l] += part[l + 1];
    return sum + part[0];
}

NET_KERNEL
static void m_layernormalization_0_body(const float *restrict src, const float *restrict scale,
                                        const float *restrict bias, float *restrict dst)
{
    enum { ROWS = 3, SIZE = 64 };
    for (size_t row = 0; row < ROWS; row++) {
        const float *restrict src_row = src + row * SIZE;
        float *restrict dst_row = dst + row * SIZE;
        const float mean = m_layernormalization_0_sum(src_row) / SIZE;
        const float variance = m_layernormalization_0_square_sum(src_row, mean) / SIZE;
        const float inv_dev = 1 / sqrtf(variance + 1e-05f);
        for (size_t i = 0; i < SIZE; i++) {
            const float x = (src_row[i] - mean) * inv_dev;
            dst_row[i] = x * scale[i] + bias[i];
        }
    }
}

void m_layernormalization_0(const float *restrict src, const float *restrict scale,
                            const float *restrict bias, float *restrict dst)
{
    m_layernormalization_0_body(src, scale, bias, dst);
}
/* --- m_c_0.c --- */
void m_c_0(const struct m_memory *m)
{
    /* layernormalization_0: LayerNormalization */
    m_layernormalization_0(m->in[0], weights_at(m, 0), weights_at(m, 256), m->out[0]);
    m_trace(m, 0);
}
