/* What the export's files share: the state of an export, the node being written, and the verbs it is written with. */
#pragma once

#include "../base/names.h"
#include "../graph/ir.h"
#include "onnx.pb-c.h"

typedef struct Export {
    const Graph *g;
    Arena *arena;
    Names *names, *node_names;
    const char **name; /* by value id */
    Onnx__GraphProto *graph;
    size_t cap_nodes, cap_tensors, cap_infos;
    const char *domain; /* beside ONNX's own; NULL: none */
    int64_t domain_version;
} Export;

/* A node of the graph, with the names it reads and writes ("" where absent); as many as the op can have at most. */
typedef struct ExportNode {
    Export *x;
    Arena *arena;
    const Node *n;
    const struct ExportRow *row;
    const char **in, **out;
    const char *name, *doc; /* of what is written for it */
} ExportNode;

typedef bool ExportFn(ExportNode *e);

/* How a normalised op becomes ONNX. Without `write` it is one node of its name with the same inputs and outputs; its attributes stay, but those
 * named in `inputs` become inputs behind its own: i64[n], or a scalar where the name ends in a dot. */
typedef struct ExportRow {
    const char *inputs;
    ExportFn *write;
    const char *why; /* a refusal's reason */
} ExportRow;

extern const ExportRow export_table[];

/* As protobuf-c has texts, which it only reads. */
char *kept(const char *s);
/* --- verbs ------------------------------------------------------------------------------------------------------ */
#define refuse_export(e, ...)                                                                      \
    refuse_node((e)->x->g, (e)->n, "cannot be written as ONNX: " __VA_ARGS__)
#define NAMES(...)                                                                                 \
    (const char *const[]){__VA_ARGS__}, COUNT_OF(((const char *const[]){__VA_ARGS__}))
typedef Onnx__NodeProto Proto;
/* A node; trailing "" are dropped. */
Proto *put_node(ExportNode *e, const char *op, const char *const *in, size_t n_in,
                const char *const *out, size_t n_out);
/* One whose only output is an intermediate value; returns its name. */
const char *put(ExportNode *e, const char *op, const char *const *in, size_t n_in);
const char *put_cast(ExportNode *e, const char *v, DType to, const char *out);
void put_value(ExportNode *e, Proto *p, Attr v); /* an attribute: ATTR_I(name, number) and so on */
void put_tensor(ExportNode *e, Proto *p, const char *name, const TensorType *t, const void *data);
/* The model imports this domain beside ONNX's own; returns its name, for the node. There is one such domain. */
char *put_domain(ExportNode *e, const char *domain, int64_t version);
void put_strings(ExportNode *e, Proto *p, const char *name, const char *list); /* "A,B,C" */
/* The node's own attribute, as it is, where it has it. */
bool put_attr(ExportNode *e, Proto *p, const char *name);
/* All of them but those in `without`, names with blanks between. */
bool put_attrs(ExportNode *e, Proto *p, const char *without);

/* A name for an intermediate value. */
const char *fresh(ExportNode *e, const char *what);
/* Constants made for the node; return their names. */
const char *const_of(ExportNode *e, const char *what, const TensorType *t, const void *data);
const char *const_list(ExportNode *e, const char *what, const int64_t *v, size_t n);
const char *const_int(ExportNode *e, const char *what, int64_t v);
const char *const_single(ExportNode *e, const char *what, DType dtype, double v);
const char *const_reals(ExportNode *e, const char *what, const double *v, size_t n); /* f32 */
/* In export.c: an initializer; and the type of input or output k. */
Onnx__TensorProto *tensor_proto(Arena *arena, const char *name, const TensorType *t,
                                const void *data);
void add_initializer(Export *x, const char *name, const TensorType *t, const void *data);
const TensorType *export_in(const ExportNode *e, uint32_t k);
const TensorType *export_out(const ExportNode *e, uint32_t k);
/* The node as the row without a function has it. */
bool write_plain(ExportNode *e);

/* --- forms -------------------------------------------------------------------------------------------------------- */
ExportFn write_average_pool, write_bit_shift, write_clip, write_conv_integer, write_dequantize,
    write_gelu_tanh, write_max_unpool, write_non_max_suppression, write_non_zero, write_one_hot,
    write_pad, write_prelu, write_quantize, write_reduce, write_resize, write_rms_norm, write_rnn,
    write_roi_align, write_slice, write_softmax, write_sum, write_swish, write_tree_ensemble,
    write_unique;
