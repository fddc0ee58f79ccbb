/* Attention in C, by tiles. Sample bindings, then the template. SPDX-License-Identifier: Apache-2.0 */
#include "../../runtime-stub/dnnlc_primitives.h" /* dnnl.h */
#include <stddef.h>
#include <stdint.h>
#define NET_INLINE static inline
#define NET_PANEL
#define NET_HAS_PANEL 1
#define $label$ sample
#define $run_params$ const struct sample_context *ctx, const struct sample_memory *m
#define $run_args$ ctx, m
#define $sets$ 2
#define $blocks$ 8
#define $first$ size_t batch = (size_t)block / 4, head = (size_t)block / 2 % 2, row = (size_t)block % 2 * 8
#define $rows$ 8
#define $tiles$ 2
#define $whole$ 2
#define $tile_rows$ 4
#define $keys$ 20
#define $depth$ 8
#define $width$ 8
#define $padded$ 32
#define $query_row$ 64
#define $query_column$ 1
#define $key_row$ 1
#define $key_column$ 64
#define $value_row$ 64
#define $value_column$ 1
#define $dst_row$ 64
#define $set_bytes$ 8192
#define $keys_at$ 1024
#define $values_at$ 2048
#define $scratch$ 4096
#define $scale$ 0.125f
#define $start$ 0.125f * s[i]
#define $result$ v + mask_0[i]
#define $type$ float
#define $row$ mask_0
#define $at_row$ mask0 + batch + (row + r)
#define $first_row$ row
#define $query$ (const float *)weights_at(m, 64) + head + batch
#define $key$ weights_at(m, 64)
#define $value$ weights_at(m, 64)
#define $dst$ workspace_at(m, 0)
#define $indices$(...) __VA_ARGS__
#define $at$ batch
#define $masks$(...) __VA_ARGS__
#define $mask$ mask0
#define $address$ weights_at(m, 64)
struct sample_context {
    int threads;
};
struct sample_memory {
    unsigned char *workspace;
    const unsigned char *weights;
};
static inline void *workspace_at(const struct sample_memory *m, size_t offset)
{
    return m->workspace + offset;
}
static inline const void *weights_at(const struct sample_memory *m, size_t offset)
{
    return m->weights + offset;
}
enum { ATTENTION_ROWS = 6 };
static inline void attention_pack(const float *restrict from, size_t columns, size_t to_column,
                                  size_t depth, size_t to_row, float *restrict packed)
{
    packed[columns] = from[to_column + depth + to_row];
}
static inline void attention_multiply(const float *rows_of, size_t apart, size_t step,
                                      const float *panel, size_t depth, float *dst,
                                      size_t dst_apart, size_t columns, const float *factor,
                                      int rows, int wide)
{
    dst[dst_apart + columns] = rows_of[apart + step] * panel[depth + (size_t)rows + (size_t)wide] + (factor ? factor[0] : 0);
}
static inline float attention_softmax(float *restrict s, size_t keys, size_t padded, float scale)
{
    return s[keys] + s[padded] + scale;
}
//@begin
//@if masked
/* Operations on the scores of a few rows, before the softmax. */
NET_INLINE void mask_$label$($indices$(size_t $at$, )$masks$(const $type$ *$mask$, )size_t row, size_t rows, float *restrict scores)
{
    for (size_t r = 0; r < rows; r++) {
        float *restrict s = scores + r * $padded$;
//@for masks
        const $type$ *restrict $row$ = $at_row$;
//@end
        for (size_t i = 0; i < $keys$; i++) {
            float v = $start$;
//@for statements
            v = $result$;
//@end
            s[i] = v;
        }
    }
//@if same_rows
    (void)row;
//@end
}

//@end
/* A few rows of queries, from `row` on. */
NET_INLINE void rows_$label$($indices$(size_t $at$, )$masks$(const $type$ *$mask$, )const float *query, const float *keys, const float *values, float *dst, float *scores, size_t row, int rows)
{
    float factor[ATTENTION_ROWS];
    query += row * $query_row$;
    dst += row * $dst_row$;
    attention_multiply(query, $query_row$, $query_column$, keys, $depth$, scores, $padded$, $keys$, NULL, rows, 1);
//@if masked
    mask_$label$($indices$($at$, )$masks$($mask$, )row, (size_t)rows, scores);
//@end
    for (int r = 0; r < rows; r++)
        factor[r] = attention_softmax(scores + r * $padded$, $keys$, $padded$, $scale$);
    attention_multiply(scores, $padded$, 1, values, $keys$, dst, $dst_row$, $width$, factor, rows, 0);
}

/* Rows of one head from `row` on. */
NET_INLINE void head_$label$($indices$(size_t $at$, )$masks$(const $type$ *$mask$, )const float *query, const float *key, const float *value, float *dst, unsigned char *scratch, size_t row)
{
    float *scores = (void *)scratch;
    float *keys = (void *)(scratch + $keys_at$), *values = (void *)(scratch + $values_at$);
    attention_pack(key, $keys$, $key_column$, $depth$, $key_row$, keys);
    attention_pack(value, $width$, $value_column$, $keys$, $value_row$, values);
    for (int i = 0; i < $whole$; i++, row += $tile_rows$)
        rows_$label$($indices$($at$, )$masks$($mask$, )query, keys, values, dst, scores, row, $tile_rows$);
//@if uneven
    for (int i = $whole$; i < $tiles$; i++, row += $tile_rows$ - 1)
        rows_$label$($indices$($at$, )$masks$($mask$, )query, keys, values, dst, scores, row, $tile_rows$ - 1);
//@end
}

/* The same by the instructions that were planned for, and by others. */
NET_PANEL static void tiles_$label$($indices$(size_t $at$, )$masks$(const $type$ *$mask$, )const float *query, const float *key, const float *value, float *dst, unsigned char *scratch, size_t row)
{
    head_$label$($indices$($at$, )$masks$($mask$, )query, key, value, dst, scratch, row);
}
static void others_$label$($indices$(size_t $at$, )$masks$(const $type$ *$mask$, )const float *query, const float *key, const float *value, float *dst, unsigned char *scratch, size_t row)
{
    head_$label$($indices$($at$, )$masks$($mask$, )query, key, value, dst, scratch, row);
}

/* Block `block`, with set `set` of scratch memory. */
static void block_$label$($run_params$, int block, int set)
{
    (void)ctx;
//@for firsts
    const $first$;
//@end
//@if one_block
    (void)block;
//@end
    const float *query = $query$;
    const float *key = $key$;
    const float *value = $value$;
    float *dst = $dst$;
    unsigned char *scratch = workspace_at(m, $scratch$ + (size_t)set * $set_bytes$);
//@for masks
    const $type$ *$mask$ = $address$;
//@end
    if (NET_HAS_PANEL)
        tiles_$label$($indices$($at$, )$masks$($mask$, )query, key, value, dst, scratch, $first_row$);
    else
        others_$label$($indices$($at$, )$masks$($mask$, )query, key, value, dst, scratch, $first_row$);
}

static dnnl_status_t run_$label$($run_params$)
{
//@if own_blocks
#ifdef _OPENMP
#pragma omp parallel for schedule(static) num_threads(ctx->threads)
#endif
    for (int block = 0; block < $blocks$; block++) {
#ifdef _OPENMP
        const int set = omp_get_thread_num(); /* every thread has scratch memory of its own */
#else
        const int set = 0;
#endif
        block_$label$($run_args$, block, set);
    }
//@else
    for (int block = 0; block < $blocks$; block++)
        block_$label$($run_args$, block, 0);
//@end
    return dnnl_success;
}
