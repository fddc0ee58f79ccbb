/* Algorithms for a convolution or a product by constant weights, and what each takes. */
#pragma once

#include "describe.h"

typedef struct LayerAlgorithm {
    const char *name;       /* for --explain */
    double ns;              /* estimated, or with --tune measured */
    DnnlWinograd *winograd; /* at most one of these; none: as the primitive that was described */
    DnnlIndirect *indirect;
    DnnlPrimitive *primitive; /* another of oneDNN's */
    bool exact;               /* sums of whole numbers, proved by the weights */
    bool refused;             /* it turned out that it cannot be had */
} LayerAlgorithm;

/* --- dnnl/describe_algorithm.c --- */
enum { MAX_ALGORITHMS = 5 };
/* By estimation, the weights being read each time. Models of the time give that of all cores together; only ratios matter. */
double algorithm_direct_ns(const Lowering *l, const DnnlPrimitive *p);
/* What a call of a primitive takes more than emitted C. */
double algorithm_over_c_ns(const Lowering *l);
/* Whether emitted code can do what follows on the sums: all is f32, and each post-op has a statement. */
bool algorithm_finishes_in_c(const Describe *d);
/* --tune: measured times in the place of estimated ones; algorithms that cannot be measured go. Returns how many are left. */
uint32_t algorithm_measure(Describe *d, LayerAlgorithm *algorithm, uint32_t n);
/* The fastest algorithm that is left; the first one unless another is clearly faster; where another variant of the model has chosen one for
 * the same weights that is hardly slower, that one. */
LayerAlgorithm *algorithm_choose(Describe *d, LayerAlgorithm *algorithm, uint32_t n, bool always);
/* For --explain. */
void algorithm_say_why(Describe *d, const LayerAlgorithm *algorithm, uint32_t n,
                       const LayerAlgorithm *best);

/* --- dnnl/describe_variants.c: the same where a model has variants --- */
/* best: by itself. Notes the forms that the weights may have. */
LayerAlgorithm *variants_choose(Describe *d, LayerAlgorithm *algorithm, uint32_t n,
                                LayerAlgorithm *best);
/* The tiles of a product in C: in blocks that another variant has, or that have been decided. */
Panel variants_panel(const Describe *d, const DnnlIndirect *w, const DnnlMemory *weights);
/* The columns of a block of weights that a direct convolution of another variant reads, with which those of this layer by Winograd's method are to begin; 0: there is none. */
int64_t variants_taps_width(const Describe *d);
/* For --explain: what the layer loses by a form that others have; empty if it does not. */
const char *variants_say_why(const Describe *d);

/* --- dnnl/describe_winograd.c --- */
/* NULL if tiles of that size cannot be had, 1 being those of lines, or not of whole numbers if these are asked for; with its estimated time. */
DnnlWinograd *winograd_plan(Describe *d, int tile, bool whole, double *ns);
/* --tune: *w becomes the fastest of its block sizes. */
bool winograd_tune(Describe *d, DnnlWinograd *w, double *ns);
/* Turns the convolution into that. False, and nothing is changed, if oneDNN or the weights do not allow it: the latter for one by
 * the rounding errors that they would lead to (w->error). */
bool winograd_take(Describe *d, DnnlWinograd *w);

/* What follows from the layer, the tile and the window, false if it cannot be; down: the window of a line stands. What follows from that, the blocks and the panel; the bytes of a set. */
/* Strides of 1, no dilation but that of a line, padding in bounds. */
bool winograd_steps_by_one(const DnnlPrimitive *p, bool line);
bool winograd_follow_layer(DnnlWinograd *w, const DnnlPrimitive *p, bool down);
void winograd_follow_blocks(DnnlWinograd *w);
size_t winograd_set_bytes(const DnnlWinograd *w);

/* --- dnnl/winograd_weights.c --- */
/* Matrices that weights are packed as: all planes, or taps and those that are none. */
int64_t winograd_units(const DnnlWinograd *w);
/* [planes, channels, outputs], and w->error; NULL if it cannot be. */
float *winograd_transform(Arena *arena, DnnlWinograd *w, const DnnlMemory *m);
/* Packs that for products in C: [planes, blocks of columns, channels, width]; or behind the weights of a direct convolution
 * (w->taps), [blocks of columns, taps, channels, width], the planes that are none of its taps. */
void winograd_pack(Describe *d, const DnnlWinograd *w, const float *u);
/* How many planes are taps of the window. */
int64_t winograd_taps_shared(int64_t tile);
/* Weights may begin with taps that a direct convolution reads as well. */
bool winograd_holds_taps(const DnnlWinograd *w);

/* --- dnnl/winograd_exact.c --- */
/* The node convolves whole numbers, and F(2x2, 3x3) adds nothing to them: proved by the weights. */
bool winograd_is_exact(const Describe *d);
/* v is made of bytes less a zero point: whole numbers of up to 8 bits and a sign. */
bool is_of_bytes(const Graph *g, ValueId v);

/* Such numbers become bytes without a sign when *low is added; -1: when what makes the least one of a pixel 0 is. False: their span may be more than that of a byte. */
bool span_of_bytes(const Graph *g, ValueId v, int64_t *low);

/* --- dnnl/winograd_whole.c --- */
/* Of a 3x3 window: F(4x4, 3x3) of whole numbers comes out as they are when added up directly. */
bool winograd_is_whole(const Describe *d);
/* G for these, six rows of three: whole numbers as well. */
const double *winograd_whole_g(void);

/* --- dnnl/describe_indirect.c: the same --- */
/* Whole numbers that fit a byte of either sign, or one less a zero point. */
bool are_bytes(const float *data, int64_t count);
/* Both factors are whole numbers of up to 8 bits and a sign, whose sums of `depth` stay within 32 bits. */
bool indirect_of_pairs(const Describe *d, int64_t depth);
DnnlIndirect *indirect_plan(Describe *d, double *ns);
/* Its estimated time in other tiles. */
double indirect_ns_in(const Lowering *l, const DnnlIndirect *w, const Panel *panel);
void indirect_take(Describe *d, DnnlIndirect *w);
/* What follows from the layer, the window, and whether there are pairs; false if it cannot be. What follows from that and the panel. */
bool indirect_follow_layer(DnnlIndirect *w, const DnnlPrimitive *p, int64_t most_pixels);
void indirect_follow_blocks(DnnlIndirect *w);
/* Whether the bands are all of its pixels, and what ends in tiles can. */
bool indirect_bands_fit(const DnnlIndirect *w);
/* The product of a band: threads take blocks of its columns, or bands where there are several. */
PanelProduct indirect_product(const DnnlIndirect *w);
/* Weights of a convolution, or a product, as it reads them: [blocks of columns, taps, channels, width]. */
void indirect_pack(const DnnlIndirect *w, const DnnlMemory *m, float *packed);
/* Their dimensions, or those of weights of both kinds. */
void indirect_weights_dims(const DnnlIndirect *w, int64_t dims[4]);

/* --- dnnl/mixed.c: products of bytes, where no two that are added leave 16 bits, beside those of pairs --- */
/* Whether a layer of pairs can have such: it counts them. */
bool mixed_count(const Describe *d, DnnlIndirect *w);
/* How long a multiplication takes to one of pairs only. */
double mixed_cost(const DnnlIndirect *w);
/* The weights of both kinds, w->floats of them. */
float *mixed_pack(Arena *arena, const DnnlIndirect *w, const DnnlMemory *m);
/* Whether the numbers of a layer of both kinds can be. */
bool mixed_fits(const DnnlIndirect *w);
/* How much of the weights keeps products of bytes within 16 bits, for --explain. */
const char *mixed_proof(Arena *arena, const DnnlIndirect *w);
