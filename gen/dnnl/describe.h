/* Shared by onednn_describe*.c: putting a primitive together. */
#pragma once

#include "../lower/context.h"
#include "support.h"

typedef struct Describe {
    Lowering *l;
    Step *s;
    DnnlPrimitive *p;
    const Node *n;       /* the anchor */
    const Composite *c;  /* or NULL */
    ValueId result;      /* the output of the whole */
    bool pixels;         /* dst is seen as a matrix: pixels by channels */
    bool needs_epilogue; /* an operand that only a loop in C can read */
    ValueId overwrite;   /* a source that the primitive may write its result over, NO_VALUE: none */
} Describe;

/* Adds an argument that is `buffer` as it stands, in its layout. */
DnnlMemory *describe_add(Describe *d, int arg, const char *name, BufferId buffer);
/* Sets form, tag and strides of a row from a buffer's layout. */
void describe_layout(Arena *arena, DnnlMemory *m, const Buffer *b);
/* Channels-last activations as a matrix: pixels by channels. */
DnnlMemory *describe_add_pixels(Describe *d, int arg, const char *name, BufferId buffer);
/* The same with other dimensions over the same row-major bytes. */
DnnlMemory *describe_add_view(Describe *d, int arg, const char *name, BufferId buffer, int rank,
                              const int64_t *dims);
/* A value, row-major, with other dimensions. */
DnnlMemory *describe_add_rows(Describe *d, int arg, const char *name, ValueId v, int rank,
                              const int64_t *dims);
/* The node's first operand in that layout. */
DnnlMemory *describe_add_src(Describe *d, const Layout *layout);
/* A constant, of v's type, that oneDNN packs as it likes: dims are oneDNN's, strides (in elements) say where they are in
 * `data`. */
DnnlMemory *describe_add_weights(Describe *d, int rank, const int64_t *dims, const int64_t *strides,
                                 ValueId v, const void *data);
/* Adds dst (dims NULL: as the value's own shape) and the composite's post-ops. The destination is written over a residual that
 * dies here where there is one. */
bool describe_finish(Describe *d, const Layout *layout, int rank, const int64_t *dims);

/* dnnl/describe_post.c. The operand in a form that goes with dst: same rank, and dst's layout where it has more than one dimension
 * that matters. `dst_is_view`: dst has other dimensions than the value it holds. */
bool describe_add_operand(Describe *d, const DnnlMemory *dst, const Layout *layout,
                          bool dst_is_view, ValueId v, int arg, const char *name);

/* Whether a bias may be where it is: oneDNN's kernels for SSE4.1 read it by instructions that want 16-byte alignment, which the caller's
 * own tensors need not have. */
bool describe_takes_bias(const Describe *d, const DnnlMemory *bias);
/* The weights are a constant of these dimensions that emitted C reads. */
void describe_weights_of_c(Describe *d, const int64_t dims[4], const void *packed);
/* How many columns stand side by side in the blocks in which another variant of the model has packed these weights for products in C; 0: none has. */
int64_t describe_packed_width(const Lowering *l, const DnnlMemory *weights);
/* dnnl/describe_int8.c: the result becomes bytes by the scale and zero point, both constants, of this QuantizeLinear. */
void describe_quantize(Describe *d, const Node *n);
/* n zeros as a constant. */
BufferId describe_zeros(Describe *d, int64_t n);

/* dnnl/describe_conv.c: strides, dilations, pads and kernel from the node's attributes; weights [out, in, kernel…] (of `group`
 * groups, or [in, out, …] if transposed), with other data than the constant's if `data` is not NULL. */
bool describe_window(Describe *d);
bool describe_add_bias(Describe *d, ValueId bias);
bool describe_conv_weights(Describe *d, ValueId weights, const void *data, bool transposed);

/* A convolution whose pixels of dst depend on one pixel of src each; and its src and weights as those of a matrix product. */
bool describe_multiplies_pixels(const Describe *d, ValueId weights);
void describe_pixels(Describe *d, BufferId src, ValueId weights, const void *data);
/* A (transposed) convolution over what is one pixel wide, along the width instead. */
void describe_lay_down(DnnlPrimitive *p);

/* Turns the convolution that has been described into a Winograd one, or one in C, where that is faster. */
void describe_algorithm(Describe *d);
/* The same for a product of rows by constant weights: an inner product, or one in C. */
void describe_product_algorithm(Describe *d);
/* The time of oneDNN's matmul of so many rows by row-major weights of so many columns over that by transposed ones: above 1 where it is gemm and rows of the weights
 * crowd in the cache. */
double gemm_crowding(const Machine *m, int64_t rows, int64_t columns);
/* The composite has a post-op that is better done in C. */
bool describe_wants_epilogue(const Describe *d);
/* A function that takes oneDNN far longer as a post-op than a loop in C with another pass over the result; c may be NULL. */
bool describe_is_very_slow(const Lowering *l, const Composite *c);
/* Two convolutions in one, with a function behind either for which such a loop would be there. */
bool describe_is_slow_joint(const Lowering *l, const Composite *c);
/* The post-op at hand, the last so far, would be in the epilogue's loop. */
bool describe_is_in_epilogue(const Describe *d);
/* Leaves the last post-ops of the convolution that has been described to a loop in C, from such a one on. */
void describe_epilogue(Describe *d);
/* dnnl/describe_matmul.c: a product of matrices; where a product is only read by a Transpose, it is written as that wants it, and the Transpose becomes a
 * view. And the Reshape within the composite that makes rows of a tensor of more dimensions; NULL: there is none. */
bool describe_matmul(Describe *d);
bool product_is_by_weights(const Graph *g,
                           const Node *n); /* of f32, a matrix: for those there are tiles in C */
Layout onednn_product_layout(const Graph *g, const Uses *u, const Composite *c, ValueId result);
const Node *onednn_flattening(const Graph *g, const Node *n, const Composite *c);
/* A reduction over all that follows the channels: channels last, it is a pool of one window. */
bool onednn_reduces_planes(const Graph *g, const Node *n, const Composite *c);
/* What an attention becomes. */
bool describe_attention(Describe *d);
