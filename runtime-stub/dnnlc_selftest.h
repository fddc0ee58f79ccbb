/* The self-test of a library: its inputs are made by a generator, its outputs are compared with what the compiler's reference evaluator made
 * of them. SPDX-License-Identifier: Apache-2.0 */
#ifndef DNNLC_SELFTEST_H
#define DNNLC_SELFTEST_H

#include "dnnlc_element.h"

/* A number that is to come out, and how far from it another may be. NaN stands for NaN. */
struct dnnlc_golden {
    double value, allowed;
};

struct dnnlc_golden_input {
    int dtype;
    size_t count, at; /* elements; bytes into the memory of the self-test */
};

/* An output is cut into `blocks` blocks of consecutive elements. For each there stands the mean of its elements in `golden`; where blocks are larger than an
 * element, the first element of each follows. Of data-dependent rows those count of which outputs[rows_in - 1], one i64, says that they do. */
enum { DNNLC_COUNTED_AXES = 4 };
struct dnnlc_golden_output {
    int dtype;
    size_t count, at, blocks;
    const struct dnnlc_golden *golden;
    struct {
        size_t rows_in, row, capacity; /* 0: none; elements of a row, and rows behind one another */
    } counted[DNNLC_COUNTED_AXES];
};

/* A model with bounds is tested with one row, half and all of them. */
enum { DNNLC_TESTED_ROWS = 3 };

static inline int64_t dnnlc_tested_rows(int64_t bound, unsigned part)
{
    return part == 0 ? bound > 0 : part == 1 ? (bound + 1) / 2 : bound;
}

static inline int dnnlc_golden_agrees(const struct dnnlc_golden *golden, double value)
{
    const double diff = value > golden->value ? value - golden->value : golden->value - value;
    if (value >= golden->value && value <= golden->value) /* infinities among them */
        return 1;
    if (!(golden->value >= golden->value)) /* NaN */
        return !(value >= value);
    return diff <= golden->allowed;
}

/* Whether element i counts; so many rows do along each axis. */
static inline int dnnlc_counts(const struct dnnlc_golden_output *o, size_t i, const int64_t *rows)
{
    for (size_t k = 0; k < DNNLC_COUNTED_AXES && o->counted[k].rows_in; k++)
        if ((int64_t)(i / o->counted[k].row % o->counted[k].capacity) >= rows[k])
            return 0;
    return 1;
}

/* The first element of block b of `blocks`; of block `blocks`, as many as there are. */
static inline size_t dnnlc_block_start(size_t count, size_t blocks, size_t b)
{
    return count / blocks * b + count % blocks * b / blocks;
}

/* Block b of an output; `rows` of its rows count. */
static inline int dnnlc_block_agrees(const struct dnnlc_golden_output *o, const void *data,
                                     size_t b, const int64_t *rows)
{
    const size_t from = dnnlc_block_start(o->count, o->blocks, b);
    const size_t to = dnnlc_block_start(o->count, o->blocks, b + 1);
    double sum = 0, n = 0;
    for (size_t i = from; i < to; i++)
        if (dnnlc_counts(o, i, rows)) {
            sum += dnnlc_element(o->dtype, data, i);
            n += 1;
        }
    if (!dnnlc_golden_agrees(&o->golden[b], n > 0 ? sum / n : 0))
        return 0;
    return o->blocks == o->count || !dnnlc_counts(o, from, rows) ||
           dnnlc_golden_agrees(&o->golden[o->blocks + b], dnnlc_element(o->dtype, data, from));
}

/* Whether output k is as it was when the model was compiled; all outputs are in `memory`. */
static inline int dnnlc_output_agrees(const struct dnnlc_golden_output *outputs, size_t k,
                                      const unsigned char *memory)
{
    const struct dnnlc_golden_output *o = &outputs[k];
    int64_t rows[DNNLC_COUNTED_AXES] = {0};
    for (size_t i = 0; i < DNNLC_COUNTED_AXES && o->counted[i].rows_in; i++) {
        memcpy(&rows[i], memory + outputs[o->counted[i].rows_in - 1].at, sizeof rows[i]);
        if (rows[i] < 0)
            return 0;
    }
    for (size_t b = 0; b < o->blocks; b++)
        if (!dnnlc_block_agrees(o, memory + o->at, b, rows))
            return 0;
    return 1;
}

#endif
