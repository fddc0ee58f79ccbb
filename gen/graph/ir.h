/* The graph: values and nodes are rows in arena arrays, named by ids of distinct types.
 *
 * Nodes stand in topological order. A value is a graph input, a constant or the output of one node. What a
 * pass decides about rows (composite, target, region, layout) is a column beside the tables, not a field here:
 * see columns.h. Passes do not edit use lists: they add nodes at the end, fill a replacement table and call
 * graph_apply, which drops what is dead, sorts and renumbers (ids from before are void afterwards).
 *
 * The folder graph: in come rows that import, a text or a pass adds; out go the same for everybody, with types inferred and nodes checked. */
#pragma once

#include "../base/base.h"
#include "../base/dtype.h"
#include "../ops/op.h"

enum { MAX_RANK = 12 }; /* as oneDNN's DNNL_MAX_NDIMS */

typedef struct TensorType {
    DType dtype;
    int rank;
    int64_t dims[MAX_RANK]; /* all known and >= 0; a dimension may be 0 */
} TensorType;

typedef struct Tensor {
    TensorType type;
    void *data; /* dense, row-major, native endian */
} Tensor;
Tensor tensor_copy(Arena *arena, const Tensor *t);

int64_t type_count(const TensorType *t);                     /* elements; 1 for a scalar */
extern const int64_t dims_of_1[MAX_RANK];                    /* strides, steps, … that are 1 */
int64_t dims_product(const TensorType *t, int from, int to); /* of dimensions from … to - 1 */
size_t type_bytes(const TensorType *t);
bool type_valid(const TensorType *t); /* rank in range, no negative dim, byte count fits in 2^47 */
bool type_equal(const TensorType *a, const TensorType *b);
bool same_shape(const TensorType *a, const TensorType *b);
/* t, broadcast to `whole`, is the same along all dimensions but `axis`. */
bool varies_along(const TensorType *t, const TensorType *whole, int axis);
TensorType type_make(DType dtype, int rank, const int64_t *dims);
/* "f32[1,3,224,224]" in a static-lifetime-free way: into the arena. */
const char *type_text(Arena *arena, const TensorType *t);

typedef struct ValueId {
    uint32_t i;
} ValueId;
typedef struct NodeId {
    uint32_t i;
} NodeId;
#define NO_VALUE ((ValueId){UINT32_MAX})
#define NO_NODE ((NodeId){UINT32_MAX})
static inline bool has_value(ValueId v)
{
    return v.i != UINT32_MAX;
}
static inline bool same_value(ValueId a, ValueId b)
{
    return a.i == b.i;
}

typedef enum AttrKind {
    ATTR_INT,
    ATTR_FLOAT,
    ATTR_STRING,
    ATTR_INTS,
    ATTR_FLOATS,
} AttrKind;

typedef struct Attr {
    const char *name;
    AttrKind kind;
    size_t n; /* of ints or floats */
    int64_t i;
    double f;
    const char *s;
    const int64_t *ints;
    const double *floats;
} Attr;

typedef struct Node {
    Op op;
    const char *name; /* ONNX's node name, "" if it had none; for messages and comments */
    uint32_t
        model_index; /* position in the model's node list, for messages; UINT32_MAX: made by a pass */
    uint32_t n_in, n_out, n_attr;
    ValueId *in;  /* NO_VALUE where an optional input is absent; trailing absent ones are dropped */
    ValueId *out; /* NO_VALUE where an optional output is not wanted */
    Attr *attr;   /* sorted by name */
} Node;

typedef enum ValueKind {
    VALUE_INPUT,
    VALUE_CONST,
    VALUE_NODE,
} ValueKind;

typedef struct Value {
    ValueKind kind;
    const char *name; /* ONNX's name, unique in the graph, never empty */
    TensorType type;
    const void *
        data; /* contents, where known: always for VALUE_CONST; for VALUE_NODE when shape arithmetic
                         was evaluated at import (at most a few thousand elements) */
    NodeId def;       /* VALUE_NODE: its node */
    uint32_t def_out; /* and which output of it */
} Value;

/* Of the rows along axis as many count as port `by` of the same kind says. */
typedef struct RowCount {
    int axis;
    uint32_t by;
} RowCount;
enum { MAX_COUNTS = 4 };

/* An input or output of the model: the name is the model's, whatever value stands behind it. */
typedef struct Port {
    const char *name;
    ValueId value;
    /* An output whose number of rows depends on data has the capacity for all there can be: as many along an axis count as another output, one
     * i64, says, which stands behind the model's own and counts no other rows. An input with bounded dimensions is the same, but for that
     * inputs may share a count, and that along an axis with several, or with a larger capacity than its counts can be, it has the sum of all. */
    RowCount counts[MAX_COUNTS];
    uint32_t n_counts;
    int64_t
        most; /* what a count may be before a run, where that is not the capacity of what it counts; 0: it is */
    /* A state stays in the context between runs: an input that becomes, for the next run, what this one has made of output `state` - 1; and that
     * output, where it is 1 more than the input's number. 0: neither, the caller provides it. */
    uint32_t state;
    float scale; /* of bytes that stand for floats, (byte - zero_point) * scale; 0: they are what they are */
    int64_t zero_point;
} Port;

/* The same model for several sizes is as many graphs side by side, in one: no node belongs to two of them, and inputs and outputs stand one
 * variant after the other, as many for each. */
typedef struct Variants {
    uint32_t n;      /* 1: there is one size */
    uint32_t n_dims; /* what they differ in; 0 for one size */
    const char **dims;
    int64_t *sizes; /* n times n_dims */
} Variants;

typedef struct Columns Columns;

typedef struct Graph {
    Arena *arena;
    Diag *diag;
    const char *file; /* the model's file name as the user gave it, for messages */
    const char *name;
    Value *values;
    Node *nodes;
    Port *inputs, *outputs;
    uint32_t n_values, n_nodes, n_inputs, n_outputs;
    Variants variants;
    size_t cap_values, cap_nodes;
    struct Names *names; /* all value names handed out so far */
    Columns *columns;
    const char
        *verified; /* passes after which the verifier found nothing wrong: "a, b"; NULL: none */
} Graph;

Graph *graph_new(Arena *arena, Diag *diag, const char *file, const char *name);

static inline Value *value_at(const Graph *g, ValueId v)
{
    return &g->values[v.i];
}
static inline Node *node_at(const Graph *g, NodeId n)
{
    return &g->nodes[n.i];
}
/* The node that makes v, or NULL for inputs and constants. */
static inline Node *def_of(const Graph *g, ValueId v)
{
    return g->values[v.i].kind == VALUE_NODE ? &g->nodes[g->values[v.i].def.i] : NULL;
}
static inline const TensorType *type_of(const Graph *g, ValueId v)
{
    return &g->values[v.i].type;
}
/* Element i of a constant of any type, or the only one that it has. */
double const_number(const Graph *g, ValueId v, int64_t i);
/* Whether id is one of n nodes. */
static inline bool covers_node(const NodeId *nodes, uint32_t n, NodeId id)
{
    for (uint32_t i = 0; i < n; i++)
        if (nodes[i].i == id.i)
            return true;
    return false;
}
/* Input k of n, NO_VALUE where absent. */
static inline ValueId node_in(const Node *n, uint32_t k)
{
    return k < n->n_in ? n->in[k] : NO_VALUE;
}

/* Rows are added at the end. Names are made unique by appending "_1", "_2", …; pass NULL for a fresh one. */
ValueId graph_add_input(Graph *g, const char *name, TensorType type);
ValueId graph_add_const(Graph *g, const char *name, TensorType type,
                        const void *data); /* data is kept, not copied */
void graph_add_output(Graph *g, const char *name, ValueId value);
/* Rows of output `port` along axis are counted by output `count`, which comes later and counts no others. False if their types do not allow it. */
bool graph_count_output(Graph *g, uint32_t port, int axis, uint32_t count);
/* Whether the rows of a port are counted by another one; and whether an output counts those of an output before it. */
bool port_counted_by(const Port *p, uint32_t count);
bool graph_is_count(const Graph *g, uint32_t output);
/* The same for inputs; and how many rows an input counts at most, -1 if it counts none. */
bool graph_count_input(Graph *g, uint32_t port, int axis, uint32_t count);
int64_t graph_bound(const Graph *g, uint32_t input);
bool graph_has_bounds(const Graph *g);
/* "scale 0.5, zero point 3": how the bytes of a port stand for floats; "" where they do not. */
const char *port_steps(Arena *arena, const Port *p);
/* Whether an input has as many rows along axis as several counts say together, or a count and a number. */
bool graph_is_sum(const Graph *g, uint32_t input, int axis);
/* variant.c. Adds another graph of the same model as the next variant; what is the same is stored once. False after a refusal: they
 * differ in more than sizes. */
bool graph_add_variant(Graph *g, const Graph *other);
/* "batch=4 seq=64"; "" where there is one. */
const char *graph_variant_text(const Graph *g, uint32_t variant);
/* Another plan of the same model for fewer rows than its bounds allow, as a variant: its outputs get the capacity of g's. */
bool graph_add_smaller(Graph *g, Graph *other);
/* Whether variants are such plans, of which a run takes the smallest that has room. */
bool graph_by_count(const Graph *g);
/* By node: the variant that it belongs to. */
uint32_t *graph_node_variants(const Graph *g, Arena *arena);
static inline uint32_t inputs_each(const Graph *g)
{
    return g->n_inputs / g->variants.n;
}
static inline uint32_t outputs_each(const Graph *g)
{
    return g->n_outputs / g->variants.n;
}
/* state.c. Output `out` is what input `in`, a state, is in the next run. False if their types differ, or one of them is a state already. */
bool graph_keep_state(Graph *g, uint32_t in, uint32_t out);
/* Pairs as in --state, "OUTPUT=INPUT" or "auto", which says in the notes what it finds. False after a refusal. */
bool graph_keep_states(Graph *g, const char *const *pairs, size_t n, Text *notes);
/* When all variants are there: what the first one keeps they all keep. */
bool graph_keep_in_all(Graph *g);
/* Whether a run writes the rows that are new behind those that count, where they stand: nothing but that one WriteRows reads the input (the verifier sees
 * to it), so that one place does. */
bool graph_is_appended(const Graph *g, uint32_t in);
/* Bytes of the states among the first n inputs which are appended to, or are not, each in whole units of alignment; and of all places of all states. */
size_t graph_state_bytes(const Graph *g, uint32_t n, bool appended);
size_t graph_state_places(const Graph *g);
/* Adds a node whose output types are inferred by the op's shape function. Inputs and attributes are copied.
 * out_names may be NULL, or hold NULL (fresh name) or "" (output absent). Returns NO_NODE after a refusal. */
NodeId graph_add_node(Graph *g, Op op, const char *name, uint32_t model_index, const ValueId *in,
                      uint32_t n_in, uint32_t n_out, const char *const *out_names, const Attr *attr,
                      uint32_t n_attr);
/* Short form for passes: one output, no name; returns it. Attributes end with an Attr whose name is NULL. */
ValueId graph_op(Graph *g, Op op, const Node *like, const ValueId *in, uint32_t n_in,
                 const Attr *attrs);
/* With the attributes of n as well. */
ValueId graph_op_as(Graph *g, Op op, const Node *n, const ValueId *in, uint32_t n_in);

#define ATTR_I(nm, v) ((Attr){.name = (nm), .kind = ATTR_INT, .i = (v)})
#define ATTR_F(nm, v) ((Attr){.name = (nm), .kind = ATTR_FLOAT, .f = (v)})
#define ATTR_S(nm, v) ((Attr){.name = (nm), .kind = ATTR_STRING, .s = (v)})
#define ATTR_IS(nm, v, k) ((Attr){.name = (nm), .kind = ATTR_INTS, .ints = (v), .n = (k)})
#define ATTR_FS(nm, v, k) ((Attr){.name = (nm), .kind = ATTR_FLOATS, .floats = (v), .n = (k)})
#define ATTR_END ((Attr){.name = NULL})

/* Attributes of a normalised node. A missing one gives the default; one of another kind is a bug. */
const Attr *node_attr(const Node *n, const char *name);
int64_t attr_int(const Node *n, const char *name, int64_t missing);
double attr_float(const Node *n, const char *name, double missing);
const char *attr_string(const Node *n, const char *name, const char *missing);
const int64_t *attr_ints(const Node *n, const char *name, size_t *count); /* NULL, 0 if missing */
const double *attr_floats(const Node *n, const char *name, size_t *count);

/* A pass's replacement table: every use of `from` (by nodes and by output ports) becomes a use of `to`. */
typedef struct Rewrite {
    Graph *g;
    ValueId *to; /* by value id; NO_VALUE: unchanged. Chains are followed. */
    size_t cap;
    uint32_t n_nodes; /* when it began: those behind are new */
    bool changed;
} Rewrite;
Rewrite rewrite_begin(Graph *g);
void rewrite_replace(Rewrite *rw, ValueId from, ValueId to);
/* The value that v stands for while the table is being filled. */
ValueId resolved(const Rewrite *rw, ValueId v);
/* Applies the table, removes nodes none of whose outputs is used and values nobody uses (inputs stay), sorts
 * nodes topologically (stable; new ones in the place of what they replace) and renumbers. Kills all columns. Returns whether
 * anything changed. */
bool graph_apply(Rewrite *rw);

/* For each value the nodes that use it (a node twice if it reads the value twice), as slices of one array. */
typedef struct Uses {
    uint32_t *start; /* n_values + 1 */
    NodeId *node;
    bool *is_output; /* by value: some output port shows it */
} Uses;
Uses graph_uses(const Graph *g, Arena *arena);
/* append.c. Input `in`, a state, gets the capacity of its output, which becomes a WriteRows into it: where the output is the input with rows behind those
 * that count, whatever moves the elements. False: it is not, or somebody else reads the input. */
bool graph_append(Rewrite *rw, const Uses *uses, uint32_t in);
static inline uint32_t use_count(const Uses *u, ValueId v)
{
    return u->start[v.i + 1] - u->start[v.i];
}
/* Used exactly once, by a node, and not an output of the model. */
static inline bool single_use(const Uses *u, ValueId v)
{
    return use_count(u, v) == 1 && !u->is_output[v.i];
}

/* Everybody who reads v is one of these nodes; it is no output of the model. */
static inline bool only_read_by(const Uses *u, ValueId v, const NodeId *nodes, uint32_t n)
{
    for (uint32_t i = u->start[v.i]; i < u->start[v.i + 1]; i++)
        if (!covers_node(nodes, n, u->node[i]))
            return false;
    return !u->is_output[v.i];
}

/* "FILE: node 7 'conv_3' (Conv): " + message. Returns false. */
#define refuse_graph(g, ...) refuse_at((g)->diag, (g)->file, __VA_ARGS__)
#define refuse_node(g, n, ...) refuse_at((g)->diag, node_place(g, n), __VA_ARGS__)
const char *node_place(const Graph *g, const Node *n); /* "FILE: node 7 'conv_3' (Conv)" */
