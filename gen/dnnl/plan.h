/* oneDNN primitives as data. A step of the oneDNN target is described once (describe*.c); from the same
 * description the compiler creates the primitive to ask for layouts, sizes and the implementation
 * (dnnl/library_create.c, or an engine that knows the answers), and the emitter prints the calls that create it (emit/dnnl/create.c).
 *
 * The folder dnnl: in come nodes, layouts and a machine; out go primitives as data with what an engine answers about them. */
#pragma once

#include "../composite/attention.h"
#include "../program/program.h"
#include "panel.h"
#include "words.h"

typedef enum DnnlKind {
#define KIND(id, name, function, ...) KIND_##id,
#define COMPOSITE(id, name, ...) KIND_##id,
#include "primitives.def"
    KIND_COUNT,
} DnnlKind;

extern const char *const onednn_kind_names[KIND_COUNT + 1]; /* the last one is NULL */

/* A memory argument as the primitive sees it. Dimensions may differ from the buffer's (a matmul sees its src with the
 * leading dimensions flattened; grouped weights have one dimension more). */
typedef struct DnnlMemory {
    int arg;          /* ARG_SRC, … */
    const char *name; /* "src", "weights", …: oneDNN's word, the variable in emitted code */
    BufferId buffer;
    DType dtype;
    int rank;
    int64_t dims[MAX_RANK];
    /* FORM_ANY: oneDNN chooses. `buffer` is then a constant packed as it chose, `blob` another constant that holds
     * the serialised descriptor of the choice; data and strides describe the constant before packing. */
    enum { FORM_TAG, FORM_STRIDES, FORM_ANY } form;
    const char *tag;           /* FORM_TAG: "acdb" */
    int64_t strides[MAX_RANK]; /* FORM_STRIDES and FORM_ANY, in elements */
    const void *data;
    const void *
        given; /* FORM_ANY: the serialised descriptor of the only choice there is; NULL: oneDNN is free */
    size_t given_size;
    int64_t
        columns; /* FORM_ANY, of a product: the only choice are blocks of 16 rows and so many columns; 0: oneDNN is free */
    BufferId blob;
} DnnlMemory;

typedef struct DnnlPostOp {
    enum {
        DNNL_POST_SUM,
        DNNL_POST_ELTWISE,
        DNNL_POST_BINARY,
        DNNL_POST_PRELU,
        DNNL_POST_DEPTHWISE
    } kind;
    Algorithm alg;     /* ELTWISE, BINARY */
    float alpha, beta; /* ELTWISE */
    int mask;          /* PRELU: dimensions along which the slope varies */
    uint32_t memory;   /* BINARY, PRELU, DEPTHWISE: row of DnnlPrimitive.memory */
    int stride;        /* DEPTHWISE: a 3x3 convolution with padding 1 */
} DnnlPostOp;

enum { MAX_SPATIAL = 3, MAX_SOURCES = 48 }; /* of a Concat or Sum */

typedef struct DnnlPrimitive {
    DnnlKind kind;
    Algorithm alg;
    DnnlMemory *
        memory; /* in the order of the create function's arguments: src…, weights, bias, dst; then post-op operands */
    uint32_t n_memory, n_post;
    DnnlPostOp *post;
    int spatial; /* number of spatial dimensions of the following */
    int64_t kernel[MAX_SPATIAL], strides[MAX_SPATIAL],
        dilates[MAX_SPATIAL]; /* dilates: 0 is dense, as in oneDNN */
    int64_t pad_l[MAX_SPATIAL], pad_r[MAX_SPATIAL];
    int axis;             /* softmax, concat */
    int64_t size;         /* LRN: local size; group norm: groups */
    float alpha, beta, k; /* eltwise; LRN; reduction: p, eps; norms: alpha is epsilon */
    unsigned flags;       /* NORM_SCALE, … */
    bool
        one_thread; /* whatever the model may use; the parts of a layer may be for one each, while it has several */
    struct DnnlWinograd *winograd;   /* KIND_WINOGRAD */
    struct DnnlIndirect *indirect;   /* KIND_INDIRECT */
    struct DnnlEpilogue *epilogue;   /* KIND_WITH_EPILOGUE */
    struct DnnlAttention *attention; /* KIND_ATTENTION */
    /* what oneDNN answered on the ISA planned for */
    size_t scratch_bytes;
    const char *impl; /* e.g. "brg_conv_fwd:avx512_core" */
    const char
        *why; /* for --explain: why it is computed this way, where there was a choice; or NULL */
} DnnlPrimitive;

/* An r x r convolution, r being 3 or 5, as Winograd's F(m x m, r x r): each tile of src, of m + r - 1 lines and columns, becomes one row in (m + r - 1)^2 matrix
 * products. A 1 x r or r x 1 one as F(1x4, 1 x r), with tiles of r + 3 pixels of a line or column, in as many products. They are made for
 * `block` tiles at a time, in scratch memory of which there are several sets if threads work on blocks of their own. */
typedef struct DnnlWinograd {
    int64_t tile, window;      /* m, r; m is 1 for lines */
    int64_t planes;            /* (m + r - 1)^2; of lines r + 3, of 7 taps 8 */
    double error;              /* a bound, relative to the largest result that is possible */
    int64_t channels, outputs; /* of src and dst */
    int64_t height, width, out_height, out_width, pad_top, pad_left;
    int64_t src_pixel, dst_pixel; /* floats between neighbouring pixels */
    int64_t src_row,
        dst_row; /* … and lines; of an r x 1 window lines are columns, and height is width */
    int64_t src_short, dst_short; /* parts of a dilated line, the last ones, with a pixel less */
    int64_t rows, columns, tiles; /* tiles down, across, in the batch */
    int64_t block, blocks;        /* tiles in a block; blocks */
    int64_t src_plane, dst_plane; /* floats between the matrices */
    int64_t threads, sets,
        edges; /* edges: tiles with padding, one for each thread at work in a set */
    size_t product_at, edge_at, edge_floats, scratchpad_at, set_bytes;
    DnnlPrimitive *
        matmul; /* src [planes, block, channels], weights [planes, channels, outputs], dst; or NULL: in C */
    Panel
        panel; /* in C: weights [planes, panel.blocks, channels, width], dst [planes, panel.blocks, block, width] */
    int64_t channels_at_once; /* in a piece of weights */
    int64_t product_width;    /* columns that stand together in dst */
    int64_t
        taps; /* in C, of the window: weights begin with [panel.blocks, taps, channels, width], as a direct convolution reads them, and only planes that are none of these follow; 0: all planes */
    int64_t
        pairs; /* channels of src that become `channels` pairs of whole numbers of 16 bits, with sums modulo 2^32: winograd_whole.c; 0: all are floats */
} DnnlWinograd;

/* Columns of dst in a tile; it has `tile` lines. */
static inline int64_t winograd_columns(const DnnlWinograd *w)
{
    return w->tile > 1 ? w->tile : w->window == 7 ? 2 : 4;
}

/* Columns and lines of src in a tile, and taps of the window. */
static inline int64_t winograd_columns_in(const DnnlWinograd *w)
{
    return winograd_columns(w) + w->window - 1;
}

static inline int64_t winograd_lines_in(const DnnlWinograd *w)
{
    return w->tile == 1 ? 1 : w->tile + w->window - 1;
}

static inline int64_t winograd_taps(const DnnlWinograd *w)
{
    return w->tile == 1 ? w->window : w->window * w->window;
}

/* dnnl/describe_winograd.c: as "F(4x4, 3x3)". */
const char *winograd_name(Arena *arena, const DnnlWinograd *w);

/* A convolution as a matrix product in C: pixels of dst by taps and channels, found through a table of pointers. Dimensions are
 * depth, height and width; those that are missing are 1. */
typedef struct DnnlIndirect {
    int64_t channels, outputs, images;                                /* of src; of dst; both */
    int64_t size[MAX_SPATIAL], out[MAX_SPATIAL], window[MAX_SPATIAL]; /* of src, dst, the filters */
    int64_t stride[MAX_SPATIAL], dilation[MAX_SPATIAL], pad[MAX_SPATIAL];
    int64_t src_pixel, dst_pixel; /* floats between neighbouring pixels */
    int64_t taps, pixels;         /* of the window, of dst */
    int64_t
        pairs; /* channels of src that are whole numbers and become pairs of 16 bits, of which `channels` counts the pairs; 0: floats */
    int64_t
        bytes; /* 1: weights of pairs are stored as bytes, which become 16 bits when they are read */
    int64_t float_pixel; /* as src_pixel, of the floats that become pairs */
    int64_t
        across; /* of pairs: taps side by side that are one, with the channels of them all, since pixels of the copy stand side by side, too; 1: each is by itself */
    int64_t line;          /* elements from line to line of what the tiles read */
    int64_t width, before; /* pixels in a line of src, and of its padding in the copy */
    int64_t room;          /* numbers of 16 bits from pixel to pixel of the copy */
    int64_t
        gathers; /* 1: a window of one tap, without padding: rows become pairs band by band, not all of src */
    int64_t
        fours; /* elements of four bytes that a row of src has besides its pairs; 0: there are only pairs. mixed.c */
    int64_t rows_of_fours; /* of weights, in all blocks */
    int64_t
        low; /* added to src where it becomes bytes; -1: what makes the least of a row 0, which run time shows */
    int64_t floats;                         /* of packed weights, where there are fours */
    int64_t taps_at_once, channels_at_once; /* in a piece of weights */
    int64_t threads;
    int64_t band, bands; /* pixels whose table and sums are there at once, in some bands one less */
    int64_t ends; /* 1: tiles end with the bias and post-ops, while their sums are in registers */
    Panel panel;  /* of a band */
    size_t zeros_at, sums_at, sums_floats; /* in the scratch memory of a band, behind the table */
    size_t
        set_bytes; /* of that memory: each thread has one where there are several bands, else its own block of sums */
    size_t pairs_at,
        scratch_bytes; /* src in pairs, behind all sets; or rows of a band, at the end of a set */
} DnnlIndirect;

/* dnnl/describe_indirect.c: time of a multiplication of pairs to that of floats. */
double indirect_pair_cost(const DnnlIndirect *w);

/* dnnl/mixed.c: the elements of a row of src as tiles read it, which are gathered. */
int64_t indirect_row(const DnnlIndirect *w);
/* What is wrong with the tables of weights of both kinds, which tell tiles where to read: NULL: nothing. */
const char *mixed_wrong_tables(const DnnlIndirect *w, const void *data, size_t bytes);

/* A primitive whose last post-ops are done by a loop in C over dst, block by block while that is in the cache. */
typedef struct DnnlEpilogue {
    DnnlPrimitive
        *head; /* what is left of the primitive; on the pixels of one block if there are several */
    uint32_t first_post;          /* the first post-op of the loop */
    int64_t channels;             /* of dst */
    int64_t rows, blocks;         /* pixels in a block; blocks */
    int64_t src_pixel, dst_pixel; /* floats between neighbouring pixels */
    int64_t threads;
    bool own_product; /* head writes to scratch memory, because dst holds an addend until then */
    size_t scratchpad_at; /* behind that */
} DnnlEpilogue;

/* dnnl/check_numbers.c: which numbers of a Winograd convolution, or of one in C, do not follow from the others and the layer, or are out of bounds; NULL: none. threads: the most that a run may use. */
const char *winograd_wrong_numbers(const DnnlPrimitive *p, int threads);
const char *indirect_wrong_numbers(const DnnlPrimitive *p, int threads);

/* The primitive that is created for a step: itself, or the one inside. */
DnnlPrimitive *onednn_core(DnnlPrimitive *p);

/* A float as C has it. */
const char *onednn_float(Arena *arena, float f);
/* dnnl/post_statement.c: the C statement that applies a post-op to `v`, element `at` of dst in channel `c`; NULL if
 * there is none. Operands are pointers named as onednn_operand_name says. */
const char *onednn_post_statement(Arena *arena, const DnnlPrimitive *p, const DnnlPostOp *op);
const char *onednn_operand_name(Arena *arena, uint32_t row);
/* What the statement does with v: multiply; add something to it. */
bool onednn_post_multiplies(const DnnlPostOp *op);
bool onednn_post_adds(const DnnlPostOp *op);
/* The channels of a pixel must stand together; pixels may be further apart than that, lines not. */
bool onednn_pixel_stride(const DnnlMemory *m, int64_t *pixel);

/* An operand of KIND_ATTENTION: [batch, heads, rows, columns] somewhere in a row of DnnlPrimitive.memory, in elements. Where it is
 * broadcast its dimension is 1 and its stride 0. */
typedef struct DnnlHeads {
    uint32_t memory;
    int64_t dims[HEAD_RANK], strides[HEAD_RANK], offset;
} DnnlHeads;

/* Attention, block by block: the scores of `block` batches, heads and rows are made in scratch memory, turned into probabilities
 * there and multiplied with the values. Threads take blocks of their own, with a set of scratch memory each, where there are
 * enough blocks. */
typedef struct DnnlAttention {
    int64_t dims[HEAD_RANK];  /* of the scores */
    int64_t block[HEAD_RANK]; /* the last one is all keys */
    int64_t blocks, threads, sets;
    DnnlHeads query, key, value, dst;
    float scale; /* of the first product where nothing else is done to the scores, otherwise in C */
    ScoreOp op[SCORE_OPS]; /* after the scale, in C */
    DnnlHeads mask[SCORE_OPS];
    uint32_t n_ops;
    size_t probabilities_at; /* 0: in the place of the scores */
    size_t scratchpad_at, scratchpad_bytes, set_bytes;
    DnnlPrimitive *part[3]; /* query by key, softmax, probabilities by value */
    int64_t
        lanes; /* floats in a vector of its tiles in C, which have no primitives; 0: there are these */
    int64_t rows, tiles, whole; /* of the tiles of a block, and as in a Panel */
    size_t keys_at, values_at;  /* packed, behind the scores of a tile */
} DnnlAttention;

/* The layer is an attention that C computes; p may be NULL. */
static inline bool is_attention_in_c(const DnnlPrimitive *p)
{
    return p && p->attention && p->attention->lanes;
}

/* dnnl/attention_in_c.c: tiles and scratch memory of the blocks of an attention in C; floats between the scores of neighbouring rows. */
void attention_follow_blocks(DnnlAttention *a);
int64_t attention_score_row(const DnnlAttention *a);
/* As those of a Winograd convolution. */
const char *attention_wrong_numbers(const DnnlPrimitive *p, int threads);

/* What the 1x1 convolution of KIND_CONVOLUTION_DEPTHWISE makes, which is never stored: dst with the size of src. */
DnnlMemory onednn_between(const DnnlPrimitive *p);

/* dnnl/arg_name.c: "DNNL_ARG_ATTR_SCALES | DNNL_ARG_SRC"; NULL: there is no such argument. */
const char *onednn_arg_name(Arena *arena, int arg);
/* Memory objects of a set of attention: query, key, scores, scratchpad; rows before and after the softmax, scratchpad; probabilities,
 * value, dst, scratchpad. */
enum { ATTENTION_SET_SLOTS = 11 };
/* dnnl/slots.c: the memory objects that a step has in the context; which ones they are, and which primitives, of all steps. */
uint32_t onednn_slots_of(const Step *s);
void onednn_number_steps(Program *p);

/* The row that has an argument, NULL if absent. */
DnnlMemory *onednn_memory_of(const DnnlPrimitive *p, int arg);

/* onednn_describe*.c: what a composite or a single node (composite NULL) computes, as a primitive in s->dnnl, with its
 * buffers. Data and strides of weights are set; packing comes later. Returns false where it cannot (the reason is not the
 * user's: the node is then computed by the C target). */
struct Lowering;
bool onednn_describe(struct Lowering *l, Step *s, const Node *anchor, const Composite *composite);

/* The rows of primitives.def, and what ops.def says of an operator: its row, and for some the algorithm. */
typedef enum Primitive {
#define PRIMITIVE(name, ...) PRIMITIVE_##name,
#include "primitives.def"
    PRIMITIVE_COUNT
} Primitive;

/* A parameter of the algorithm: an attribute of the node, or a constant where `attr` is NULL. */
typedef struct Parameter {
    const char *attr;
    float value;
} Parameter;

typedef struct DnnlOp {
    Primitive primitive;
    Algorithm alg;
    Parameter alpha, beta;
} DnnlOp;

extern const DnnlOp onednn_ops[OP_COUNT];

/* dnnl/eltwise.c: the eltwise and binary algorithms, one table. */
bool onednn_eltwise_of(const Node *n, Algorithm *alg, float *alpha, float *beta);
/* The same for a node of a composite that reads the value so far and a number, or the value twice: powers. */
bool onednn_post_eltwise_of(const Graph *g, const Node *n, Algorithm *alg, float *alpha,
                            float *beta);
bool onednn_binary_of(Op op, Algorithm *alg);
const char *onednn_alg_name(Algorithm alg); /* "dnnl_eltwise_relu", as the header spells it */
bool onednn_alg_from_name(const char *name, Algorithm *alg);

/* dnnl/engine.c: the engine of the ISA planned for, which answers for oneDNN. isa as --isa names it; NULL: native. */
typedef struct DnnlEngine DnnlEngine;
bool onednn_engine_open(Arena *arena, Diag *diag, const char *isa, int threads,
                        DnnlEngine **engine);
/* dnnl/replay.c: answers from a file; they are for the ISA and the threads that it names. dnnl/record.c: what `inner` answers, and is to
 * be written to a file, or added to it. */
bool onednn_engine_replay(Arena *arena, Diag *diag, const char *path, DnnlEngine **engine);
bool onednn_engine_record(Arena *arena, Diag *diag, const char *path, DnnlEngine *inner,
                          DnnlEngine **engine);
/* When all has been asked: writes the file; false where there was no answer to a question, and what was planned is void. */
bool onednn_engine_finish(DnnlEngine *e, Diag *diag);
/* The name of weights that could not be packed, so that nothing may be emitted; NULL: there are none. */
const char *onednn_engine_lacks(const DnnlEngine *e);
void onednn_engine_close(DnnlEngine *e);
int onednn_engine_threads(const DnnlEngine *e); /* the most that a run may use */
/* dnnl/cost.c: nanoseconds of a primitive on one thread, by estimation; how many threads are to work on what takes so long:
 * all, or one where sharing it would cost more. */
struct Lowering;
double onednn_ns(const struct Lowering *l, const DnnlPrimitive *p);
double onednn_apart_ns(
    const struct Lowering *l,
    const DnnlPrimitive *p); /* more than that, for operands that several threads have made */
int onednn_threads_for(const struct Lowering *l, double ns);
const char *onednn_engine_isa(const DnnlEngine *e); /* "avx512_core_bf16", … */
/* Does this ISA have instructions for bf16, so that nothing is emulated? */
bool onednn_engine_has_bf16(const DnnlEngine *e);
/* … that add up products of bytes without saturating on the way? AMX? */
bool onednn_engine_has_int8(const DnnlEngine *e);
bool onednn_engine_has_tiles(const DnnlEngine *e);
/* False after a refusal that lists them: there is no such ISA, whether this CPU has it or not. */
bool onednn_isa_known(Diag *diag, const char *isa);
bool isa_is_native(const char *isa);
/* The CPU that has this instruction set, as compilers for it are called ("aarch64-linux-gnu"); NULL: one such as this. */
const char *onednn_isa_host(const char *isa);
bool onednn_isa_has_int8(const char *isa); /* as --isa names it; NULL: native */
bool onednn_isa_has_bf16(const char *isa);
const char *
onednn_isa_name(const char *isa); /* the same, native spelled out: sse41 where no other is known */
/* A row that holds an attribute of another argument: ARG_ATTR_SCALES, ARG_ATTR_ZERO_POINTS or 0; and the mask of the
 * dimensions of the argument along which it varies. */
int onednn_attribute_of(const DnnlMemory *m);
int onednn_attribute_mask(const DnnlPrimitive *p, const DnnlMemory *m);
/* primitive.c: of some of the weights before they are packed, wherever they stand; those that are alike in it are most likely the same. */
uint64_t onednn_weights_hash(const DnnlMemory *m);

/* Creates the primitive descriptor; fills scratch_bytes and impl. For each FORM_ANY argument sets *bytes[row] to the size
 * of what oneDNN chose and blob/blob_size to its serialised descriptor. False (no refusal) if there is no implementation. */
typedef struct DnnlChoice {
    size_t bytes; /* 0: the argument was not FORM_ANY */
    const void *blob;
    size_t blob_size;
    bool is_plain, is_last; /* what it chose is the row-major layout; channels last */
    /* What it chose as strides, in elements, and blocks, the innermost last: block[i] neighbours along block_dim[i]. rank is 0 where
     * it cannot be said so. */
    int rank, n_blocks;
    int64_t strides[MAX_RANK];
    int block_dim[MAX_RANK], block[MAX_RANK];
} DnnlChoice;
bool onednn_query(DnnlEngine *e, Arena *arena, DnnlPrimitive *p, DnnlChoice *choices);
/* Reorders a constant from the row-major (or strided) layout to the chosen one. dst has choice->bytes bytes. */
bool onednn_pack(DnnlEngine *e, const DnnlMemory *from, const DnnlChoice *choice, void *dst);
/* The shortest of several runs of a primitive over memory of its own, in nanoseconds; each run finds its weights elsewhere in `spread` bytes,
 * 0: in one place. False if it cannot be run. */
bool onednn_time(DnnlEngine *e, const DnnlPrimitive *p, size_t spread, double *ns);
