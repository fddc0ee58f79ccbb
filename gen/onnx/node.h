/* What the import's files share: the state of an import, the node being normalised, and the verbs normalisers
 * are written with. */
#pragma once

#include "../ops/ops.h"
#include "import.h"
#include "onnx.pb-c.h"
#include "refusals.h"

#include <string.h>

/* What a name of the model stands for while importing. Sequences and optionals exist only here: a sequence is a
 * list whose length is known, so that every access to it is resolved and the graph sees tensors alone. */
typedef struct Item {
    enum ItemKind {
        ITEM_ABSENT, /* not given */
        ITEM_VALUE,
        ITEM_LIST,
        ITEM_EMPTY_OPTIONAL,
        ITEM_UNKNOWN, /* of a node that is refused, where the import goes on behind it */
    } kind;
    ValueId value;
    const struct ItemList *list;
} Item;

typedef struct ItemList {
    size_t n;
    const ValueId *values;
} ItemList;

/* A sequence of these tensors. */
Item onnx_list(Arena *arena, const ValueId *values, size_t n);

/* Names visible in one graph of the model; an inner graph sees its outer ones through `outer`. */
typedef struct Scope Scope;
Scope *scope_new(Arena *arena, Scope *outer);
/* False if the name is already defined in this very scope. */
bool scope_define(Scope *s, const char *name, Item item);

/* The initialisers of a graph. */
void scope_define_tensors(Scope *s, const Onnx__GraphProto *graph);

bool scope_has(const Scope *s, const char *name); /* in this very scope */

/* The body being imported: the model's graph (call NULL) or a model-local function's, whose attribute references
 * and opsets are the call's and its own. */
typedef struct Frame {
    const struct Frame *up;
    const Onnx__FunctionProto *function;
    const Onnx__NodeProto *call;
    Onnx__AttributeProto **defaults; /* attributes the function declares with a value */
    size_t n_defaults;
    Onnx__OperatorSetIdProto **opsets;
    size_t n_opsets;
} Frame;

typedef struct Import {
    Graph *g;
    const Onnx__ModelProto *model;
    const ImportOptions *options;
    const char *path;
    MappedFile file;
    struct ExternalFile *files;  /* mapped so far */
    const struct Narrow *narrow; /* values of types that are narrower in the file */
    int64_t nodes_left;          /* nodes that may still be imported */
    int64_t unrolled_left;       /* and those of them that loops may still repeat */
    int64_t bytes_left;          /* that the import may still make up beside what the file holds */
    struct Strings *strings;     /* onnx/strings.c; NULL: none so far */
    bool takes_strings;          /* what is emitted now may compute with their numbers */
    int depth;                   /* of nested graphs and calls */
    bool in_loop;
    bool met_unknown; /* an ITEM_UNKNOWN was looked up: nothing can be said of the node at hand */
    bool
        batch_left_open; /* a leading dimension is 1 since nobody said another; the others are known */
    const struct Branch *branch;          /* onnx/control.h; NULL: in none */
    struct DependentRows *dependent_rows; /* onnx/dependent_rows.c; NULL: nothing is */
} Import;

typedef struct OnnxNode {
    Import *im;
    Graph *g;
    Arena *arena;
    const Onnx__NodeProto *p;
    const struct OnnxRow *row;
    const Frame *frame;
    Scope *scope;
    int64_t opset;  /* of the node's domain */
    uint32_t index; /* of the node, or of the one around it, in the model's graph */
    Item *in, *out;
    uint32_t n_in, n_out;
    bool is_inner; /* a part of the model's node: its outputs do not have that one's names */
} OnnxNode;

typedef bool Normaliser(OnnxNode *c);

enum { MANY = UINT16_MAX }; /* inputs: any number */

/* A row of the import table. Rows of one op cover disjoint opset ranges. */
typedef struct OnnxRow {
    const char *domain, *name;
    Normaliser *normalise;
    Op op; /* what it becomes, of rows that say so; for the normalisers that several ops share */
    bool becomes_op;   /* whether the row does */
    const char *attrs; /* of norm_direct: see read_attrs */
    struct {
        uint32_t least, most; /* most 0: the normaliser counts them itself */
    } inputs;                 /* tensors all of them */
    /* Data-dependent rows of inputs. */
    enum RowsTaken {
        ROWS_REFUSED,
        ROWS_BY_RULE, /* where dependent_rows_rules.c has a rule for op; no number may be taken from a shape */
        ROWS_TAKEN,
    } rows;
    int since, until; /* opsets of the domain; 0: any */
    const char *why;  /* a refusal's reason, when there is no normaliser */
} OnnxRow;

/* Row i of the table; NULL behind the last one. */
const OnnxRow *onnx_row_at(size_t i);
/* The row for an op of a domain ("" or "ai.onnx", "com.microsoft", …); NULL if there is none. */
const OnnxRow *onnx_row(const char *domain, const char *name, int64_t opset);

/* --- failing ------------------------------------------------------------------------------------------------ */
/* "FILE: node 7 'conv_3' (Conv): " + message. Returns false. */
#define refuse_onnx(c, ...) refuse_import((c)->im, where_of(c), __VA_ARGS__)
/* The same, for what returns a value. */
#define refuse_value(c, ...) (refuse_onnx(c, __VA_ARGS__), NO_VALUE)
const char *where_of(OnnxNode *c); /* "node 7 'conv_3' (Conv)" */
#define refuse_import(im, where, ...)                                                              \
    refuse_at((im)->g->diag, arena_printf((im)->g->arena, "%s: %s", (im)->g->file, where),         \
              __VA_ARGS__)
static inline bool failed(const OnnxNode *c)
{
    return c->g->diag->message != NULL;
}
static inline bool ok(const OnnxNode *c)
{
    return !failed(c);
}

/* --- attributes: the caller gets `missing` for an absent one; one of another kind is refused ---------------- */
const Onnx__AttributeProto *onnx_attr(OnnxNode *c, const char *name);
bool has_attr(OnnxNode *c, const char *name);
int64_t get_int(OnnxNode *c, const char *name, int64_t missing);
double get_float(OnnxNode *c, const char *name, double missing);
const char *get_string(OnnxNode *c, const char *name, const char *missing);
const int64_t *get_ints(OnnxNode *c, const char *name, size_t *n); /* NULL if absent */
const double *get_floats(OnnxNode *c, const char *name, size_t *n);
const Onnx__GraphProto *get_graph(OnnxNode *c, const char *name); /* refuses an absent one */
/* An axis in [-rank, rank), made non-negative. */
int get_axis(OnnxNode *c, const char *name, int64_t missing, int rank);
int fix_axis(OnnxNode *c, int64_t axis, int rank);
/* The n axes given, or all where n is 0, each once and in ascending order; returns how many. */
size_t sorted_axes(OnnxNode *c, const int64_t *given, size_t n, int rank, int64_t *axes);

/* Attributes of the op's normalised form that ONNX has by the same name: those named in `list`, with what they are where the node has none,
 * "axis=-1 mode=linear size"; one without that may be absent, or is refused by the op's row. Axes are made non-negative, flags 0 or 1.
 * Those in `more`, which may be NULL, come besides. */
const Attr *read_attrs(OnnxNode *c, Op op, const char *list, const Attr *more);

/* --- inputs -------------------------------------------------------------------------------------------------- */
static inline bool has_in(const OnnxNode *c, uint32_t k)
{
    return k < c->n_in && c->in[k].kind != ITEM_ABSENT;
}
ValueId in_at(OnnxNode *c, uint32_t k); /* refuses what is no tensor; NO_VALUE if absent */
const TensorType *type_in(OnnxNode *c, uint32_t k); /* of input k, which must be there */
bool need_inputs(OnnxNode *c, uint32_t min, uint32_t max);
/* Contents known at compile time, or NULL. */
bool known(OnnxNode *c, uint32_t k);
/* onnx/unknown.c, for messages: which inputs of the model v is computed from, and the options that would make it known. */
const char *how_to_know(OnnxNode *c, ValueId v);
/* The elements of input k, widened; refuses an input whose contents are unknown. */
const int64_t *known_ints(OnnxNode *c, uint32_t k, const char *what, size_t *n);
const double *known_floats(OnnxNode *c, uint32_t k, const char *what, size_t *n);
/* Its single element; 0 after refusing. */
int64_t known_int(OnnxNode *c, uint32_t k, const char *what);
double known_float(OnnxNode *c, uint32_t k, const char *what);
/* The attribute if there is one, else input k; NULL with *n = 0 if neither is given. */
const int64_t *ints_of(OnnxNode *c, const char *name, uint32_t k, size_t *n);
/* After a failure, when there are no values, a scalar. */
static inline TensorType value_type(const OnnxNode *c, ValueId v)
{
    return has_value(v) ? *type_of(c->g, v) : (TensorType){.dtype = DT_F32};
}
static inline DType dtype_of(const OnnxNode *c, ValueId v)
{
    return value_type(c, v).dtype;
}

/* --- making nodes: after a failure all of these do nothing and return NO_VALUE or false ------------------------ */
#define IN(...) (const ValueId[]){__VA_ARGS__}, COUNT_OF(((const ValueId[]){__VA_ARGS__}))
#define ATTRS(...)                                                                                 \
    (const Attr[])                                                                                 \
    {                                                                                              \
        __VA_ARGS__, ATTR_END                                                                      \
    }
/* An intermediate value. */
ValueId emit(OnnxNode *c, Op op, const ValueId *in, size_t n_in, const Attr *attrs);
/* The node's output k, with its name. */
bool finish(OnnxNode *c, uint32_t k, Op op, const ValueId *in, size_t n_in, const Attr *attrs);
/* Outputs 0 … n-1, where the node has them. */
bool finish_all(OnnxNode *c, uint32_t n, Op op, const ValueId *in, size_t n_in, const Attr *attrs);
/* As emit for n outputs, into out; all of them are wanted. */
bool emit_all(OnnxNode *c, uint32_t n, Op op, const ValueId *in, size_t n_in, const Attr *attrs,
              ValueId *out);
/* The node made last, whose operands are known, gives way to constants. */
bool replace_last(Import *im);
/* Output k is this very value. */
bool alias(OnnxNode *c, uint32_t k, ValueId v);
bool wants(const OnnxNode *c, uint32_t k);
/* Output k is a constant. */
bool finish_const(OnnxNode *c, uint32_t k, TensorType type, const void *data);
enum { MAKE_MAX = 1 << 24 }; /* elements of a constant made by a node */

/* The first result that ONNX's operator of this name has of these inputs and the node's attributes. */
ValueId as_onnx(OnnxNode *c, const char *name, const ValueId *in, size_t n_in);

/* Common short forms. */
ValueId emit_const(OnnxNode *c, TensorType type, const void *data);
ValueId const_scalar(OnnxNode *c, DType dtype, double v);
ValueId const_integer(OnnxNode *c, DType dtype, int64_t v);
ValueId const_ints(OnnxNode *c, const int64_t *v, size_t n); /* i64[n] */
/* A tensor of one value everywhere: a constant if it is small, else Expand of a scalar. */
ValueId filled(OnnxNode *c, TensorType type, ValueId scalar);
ValueId reshape(OnnxNode *c, ValueId v, int rank, const int64_t *dims);
ValueId cast(OnnxNode *c, ValueId v, DType to);
ValueId transpose(OnnxNode *c, ValueId v, const int64_t *perm);
ValueId expand(OnnxNode *c, ValueId v, int rank, const int64_t *dims);
/* v with a dimension of 1 put in at / taken out of axis. */
ValueId unsqueeze(OnnxNode *c, ValueId v, int axis);
ValueId squeeze(OnnxNode *c, ValueId v, int axis);
ValueId reduce(OnnxNode *c, Op op, ValueId v, const int64_t *axes, size_t n, bool keepdims);
ValueId slice_axis(OnnxNode *c, ValueId v, int axis, int64_t start, int64_t size);
ValueId add(OnnxNode *c, ValueId a, ValueId b);
ValueId sub(OnnxNode *c, ValueId a, ValueId b);
ValueId mul(OnnxNode *c, ValueId a, ValueId b);
ValueId divide(OnnxNode *c, ValueId a, ValueId b);
/* Dimension `from` at place `to`, those between in their order. */
ValueId move_dimension(OnnxNode *c, ValueId v, int from, int to);
/* [N, …, C] for the operators of [N, C, …], and back. */
ValueId channels_first(OnnxNode *c, ValueId v);
ValueId channels_last(OnnxNode *c, ValueId v);

/* --- rows whose number depends on data: onnx/dependent_rows.c --------------------------------------------------------- */
/* Of a value's rows along `axis` as many as `count`, one i64, says are meant; they stand first. NO_VALUE: all are. */
typedef struct Rows {
    int axis;
    ValueId count;
} Rows;
enum { MAX_ROWS = 4 };
/* Those of a value, each along an axis of its own. */
typedef struct RowsList {
    Rows at[MAX_ROWS];
    uint32_t n;
} RowsList;
RowsList rows_of(const Import *im, ValueId v);
/* How many count along one axis. */
ValueId rows_along(const Import *im, ValueId v, int axis);
static inline bool has_dependent_rows(const Import *im, ValueId v)
{
    return has_value(v) && rows_of(im, v).n > 0;
}
/* Along one axis more. */
void set_rows(Import *im, ValueId v, Rows rows);
/* Whether the ONNX operator takes the data-dependent rows of its inputs; refuses if not. */
bool check_dependent_rows(OnnxNode *c);
/* Which rows of the result of an op depend on data, and whether it can be computed at all. Operands may be replaced. */
bool count_results(OnnxNode *c, Op op, ValueId *in, size_t *n_in, const Attr *attrs, RowsList *out);

/* --- tensors of the file --------------------------------------------------------------------------------------- */
/* Decodes a tensor; `where` begins the message of a refusal, e.g. "initialiser 'w'". Data is in the arena, in the
 * unpacked message or in a mapped file. */
bool onnx_tensor(Import *im, const Onnx__TensorProto *t, const char *where, Tensor *out);
bool onnx_sparse_tensor(Import *im, const Onnx__SparseTensorProto *t, const char *where,
                        Tensor *out);
bool onnx_external(Import *im, const Onnx__TensorProto *t, const char *where, size_t bytes,
                   const void **data);
/* Whether that many more bytes may be made: a few bytes of a model can ask for any number. Refuses if not. */
bool onnx_claim(Import *im, size_t bytes);
bool onnx_dtype(Import *im, int64_t onnx_type, const char *where, DType *out);

/* onnx/narrow.c: types of four and two bits and floats of eight (base/narrow.h). Remembers, and finds again (0: none), which of these types a value has
 * in the model. */
void onnx_narrow_note(Import *im, ValueId value, int64_t onnx_type);
int64_t onnx_narrow_of(const Import *im, ValueId value);
/* The numbers an integer type of less than a byte has; false for all others. */
bool onnx_narrow_range(int64_t onnx_type, double *low, double *high);
/* To make nodes behind an input or before an output of the model. */
OnnxNode onnx_port_node(Import *im, const char *name);
/* The bytes that an input or output of the model has for such a tensor: of its shape, or packed and without one. */
TensorType narrow_port(int64_t onnx_type, const TensorType *type);
/* A tensor from these bytes; the bytes of one; and what a Cast to the type (its attributes are the node's) leaves of v. */
ValueId narrow_from_codes(OnnxNode *c, ValueId codes, int64_t onnx_type, const TensorType *type);
ValueId narrow_to_codes(OnnxNode *c, ValueId v, int64_t onnx_type);
ValueId narrow_cast(OnnxNode *c, ValueId v, int64_t onnx_type);

/* onnx/strings.c: elements of type DT_STRING are numbers of strings, the same for equal ones. Each of these refuses what it returns false or NULL for. */
bool string_number(Import *im, const void *bytes, size_t n, int64_t *number);
const char *string_text(const Import *im, int64_t number);
bool has_strings(OnnxNode *c, uint32_t k); /* whether input k does */
/* The n strings of input k, which have to be known; of an attribute, NULL if absent; one as a scalar, `missing` if absent. */
const int64_t *known_strings(OnnxNode *c, uint32_t k, size_t *n);
const int64_t *get_strings(OnnxNode *c, const char *name, size_t *n);
ValueId string_scalar(OnnxNode *c, const char *name, const char *missing);
/* Strings as i64, to be compared; any other v as it is. */
ValueId string_numbers(OnnxNode *c, ValueId v);
/* Whether strings are equal, of an input too, where the others are known or of an input. each: those of a with every one of the vector b, [a…, b]. */
ValueId strings_equal(OnnxNode *c, ValueId a, ValueId b, bool each);
/* Strings as i64, those of an input as one of these numbers or -1. */
ValueId string_numbers_among(OnnxNode *c, ValueId v, const int64_t *numbers, size_t n);
/* Whether op may have these operands: strings are moved and selected only. */
bool strings_move(OnnxNode *c, Op op, const ValueId *in, size_t n);
/* What stands for the strings of an input, which is bytes; the bytes of an output; the numbers of n strings of `width` bytes, padded with zeros; behind the last output: no string is left. */
ValueId string_input(Import *im, const char *name, const TensorType *type, int64_t width);
ValueId string_output(Import *im, const char *name, ValueId v);
bool string_rows(Import *im, const char *bytes, size_t n, size_t width, int64_t *numbers);
void strings_end(Import *im);
bool norm_cast_strings(OnnxNode *c, DType to);

/* The checked file as a message, with a graph; NULL after a refusal. */
Onnx__ModelProto *onnx_unpack_model(Arena *arena, Diag *diag, const char *path, MappedFile file);

/* --- graphs ------------------------------------------------------------------------------------------------------ */
/* The type of a port's tensors, of which a sequence has several; NULL: other types. `info` says what is around it. */
typedef struct PortKind {
    bool is_optional, is_sequence;
} PortKind;
const Onnx__TypeProto__Tensor *onnx_port_type(const Onnx__ValueInfoProto *info, PortKind *kind);
/* Adds the model's inputs with concrete types; applies dims, shapes and binds. Defines their names in scope. */
bool onnx_inputs(Import *im, const Onnx__GraphProto *graph, Scope *scope);
/* Imports the nodes of a body in topological order. `index` is UINT32_MAX for the model's own graph. */
bool onnx_body(Import *im, const Frame *frame, Scope *scope, Onnx__NodeProto *const *nodes,
               size_t n, const char *const *wanted, size_t n_wanted, uint32_t index);
/* What a name stands for; refuses an unknown one (c NULL: an output of the model). */
bool onnx_lookup(Import *im, Scope *scope, const char *name, Item *item);
/* The order to import nodes in: positions of those that the wanted names need. Refuses cycles. */
bool onnx_order(Import *im, Onnx__NodeProto *const *nodes, size_t n, const char *const *wanted,
                size_t n_wanted, uint32_t **order, size_t *n_order);
/* Imports a graph attribute: binds its inputs to items and returns its outputs' items. */
bool onnx_subgraph(OnnxNode *c, const Onnx__GraphProto *graph, const Item *inputs, size_t n_inputs,
                   Item *outputs);
/* Calls a model-local function if the node names one; *called says whether it did. */
bool onnx_call(OnnxNode *c, bool *called);
bool onnx_import_node(Import *im, const Frame *frame, Scope *scope, const Onnx__NodeProto *p,
                      uint32_t index);
/* Finds the node's operator, c->row, which is NULL where it calls a function of the model; refuses one that is not supported, whatever its inputs are. */
bool onnx_find_operator(OnnxNode *c);
/* onnx/refusals.c: an ITEM_UNKNOWN was looked up. Returns false, as a refusal does. */
bool onnx_meet_unknown(Import *im);
/* Notes why node c of the model's own graph was refused, if all refusals are wanted, and makes its outputs unknown ones. False: that
 * is not wanted, or the import cannot go on. */
bool onnx_go_on(Import *im, const Import *before, OnnxNode *c);

/* Spatial geometry shared by convolutions and pools: see onnx/window.c. */
typedef struct OnnxWindow {
    size_t n; /* spatial dimensions */
    int64_t src[MAX_RANK], kernel[MAX_RANK], strides[MAX_RANK], dilations[MAX_RANK];
    int64_t pads[2 * MAX_RANK], ceil_pads[MAX_RANK];
} OnnxWindow;
/* kernel NULL: from the attribute kernel_shape. */
bool onnx_window(OnnxNode *c, const TensorType *src, const int64_t *kernel, OnnxWindow *w);
/* `total` on both sides of dimension d; the odd one goes to the end (upper) or the beginning. */
static inline void split_pads(OnnxWindow *w, size_t d, int64_t total, bool upper)
{
    w->pads[d] = upper ? total / 2 : total - total / 2;
    w->pads[w->n + d] = total - w->pads[d];
}
/* Of a convolution of src with the weights that are input k. */
bool conv_window(OnnxNode *c, ValueId src, uint32_t k, OnnxWindow *w);
/* For ATTRS: what convolutions, and what pools have of it. */
#define CONV_WINDOW(w)                                                                             \
    ATTR_IS("strides", (w).strides, (w).n), ATTR_IS("dilations", (w).dilations, (w).n),            \
        ATTR_IS("pads", (w).pads, 2 * (w).n)
#define POOL_WINDOW(w) ATTR_IS("kernel_shape", (w).kernel, (w).n), CONV_WINDOW(w)
