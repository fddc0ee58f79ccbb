/* A hand-written model: y = 2 * x for f32[1,3], and n = -m for i64[]. Its table has the form of the
 * emitted one's. */
#pragma once

#include "dnnlc_main.h"

extern const struct dnnlc_model fake_model;
/* The same with its weights in a file, fake_weights.bin of 4 bytes: the factor, an f32. */
extern const struct dnnlc_model fake_model_with_file;
/* No inputs, one output z = 7. */
extern const struct dnnlc_model fake_constant;
/* Its input has at most 3 columns, as many as each run says. */
extern const struct dnnlc_model fake_bounded;
/* Two variants, here of the same size. */
extern const struct dnnlc_model fake_variants[2];
/* Fails in init, or in run; a number of rows that is none; wrong table. */
extern const struct dnnlc_model fake_bad_init, fake_bad_run, fake_bad_count, fake_bad_table;
/* Its first layer also counts up from 4 bytes behind the start of the workspace on: 20 bytes. */
extern const struct dnnlc_model fake_blocks;
