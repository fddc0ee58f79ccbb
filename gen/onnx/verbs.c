/* The verbs normalisers make nodes with. Nodes whose inputs are known and whose outputs are small are evaluated on
 * the spot, so that shapes, axes and the like are known where they turn into attributes. */
#include "../eval/eval.h"
#include "node.h"

enum {
    EAGER_MAX = 4096,           /* elements of all outputs together */
    EAGER_MAX_REDUCED = 1 << 16 /* elements of an input that is read whole */
};

static Tensor tensor_of(const Graph *g, ValueId v)
{
    return (Tensor){*type_of(g, v), (void *)(uintptr_t)value_at(g, v)->data};
}

/* Ops that only shape arithmetic needs. Layers on constants are left to the pass fold-constant. */
static bool is_shape_arithmetic(Op op)
{
    return op_info(op)->class <= CLASS_ALONG;
}

static bool is_eager(const Graph *g, const Node *n)
{
    int64_t produced = 0;
    if (!is_shape_arithmetic(n->op) || !op_info(n->op)->eval)
        return false;
    for (uint32_t i = 0; i < n->n_in; i++) {
        if (!has_value(n->in[i]))
            continue;
        if (!value_at(g, n->in[i])->data)
            return false;
        if (op_info(n->op)->class != CLASS_MOVE &&
            type_count(type_of(g, n->in[i])) > EAGER_MAX_REDUCED)
            return false;
    }
    for (uint32_t i = 0; i < n->n_out; i++)
        if (has_value(n->out[i]))
            produced += type_count(type_of(g, n->out[i])),
                produced = produced > EAGER_MAX ? EAGER_MAX + 1 : produced;
    return produced <= EAGER_MAX;
}

static bool evaluate(Import *im, const Node *n, Tensor **out)
{
    Graph *g = im->g;
    const Tensor **in = ARENA_ARRAY(g->arena, const Tensor *, n->n_in);
    for (uint32_t i = 0; i < n->n_in; i++) {
        if (!has_value(n->in[i]))
            continue;
        Tensor *t = ARENA_NEW(g->arena, Tensor);
        *t = tensor_of(g, n->in[i]);
        in[i] = t;
    }
    for (uint32_t i = 0; i < n->n_out; i++) {
        if (!has_value(n->out[i]))
            continue;
        out[i] = ARENA_NEW(g->arena, Tensor);
        out[i]->type = *type_of(g, n->out[i]);
        if (!onnx_claim(im, type_bytes(&out[i]->type)))
            return false;
        out[i]->data = arena_alloc(g->arena, type_bytes(&out[i]->type) + 1);
    }
    Arena *scratch = arena_new();
    bool done = eval_node(g, n, in, out, scratch);
    arena_free(scratch);
    return done;
}

static void make_const(Graph *g, ValueId v, const void *data)
{
    Value *row = value_at(g, v);
    row->kind = VALUE_CONST;
    row->data = data;
    row->def = NO_NODE;
    row->def_out = 0;
}

bool replace_last(Import *im)
{
    Graph *g = im->g;
    const Node *n = &g->nodes[g->n_nodes - 1];
    Tensor **out = ARENA_ARRAY(g->arena, Tensor *, n->n_out);
    if (!evaluate(im, n, out))
        return false;
    for (uint32_t i = 0; i < n->n_out; i++)
        if (has_value(n->out[i]))
            make_const(g, n->out[i], out[i]->data);
    g->n_nodes--;
    return true;
}

/* The last node, if it can be evaluated now, gives way to constants. A reshaped constant shares its data. */
static bool evaluate_last(Import *im)
{
    Graph *g = im->g;
    const Node *n = &g->nodes[g->n_nodes - 1];
    if (n->op == OP_Reshape && value_at(g, n->in[0])->data) {
        make_const(g, n->out[0], value_at(g, n->in[0])->data);
        g->n_nodes--;
        return true;
    }
    return !is_eager(g, n) || replace_last(im);
}

/* Adds a node and puts its outputs' ids in out. */
static bool add_node(OnnxNode *c, Op op, const ValueId *in, size_t n_in, const Attr *attrs,
                     const char *const *names, uint32_t n_out, ValueId *out)
{
    uint32_t n_attrs = 0;
    for (uint32_t i = 0; i < n_out; i++)
        out[i] = NO_VALUE;
    if (failed(c) || !strings_move(c, op, in, n_in))
        return false;
    while (attrs && attrs[n_attrs].name)
        n_attrs++;
    RowsList rows = {0};
    if (c->im->dependent_rows) {
        ValueId *operands = arena_copy(c->arena, in, n_in * sizeof *in);
        if (!count_results(c, op, operands, &n_in, attrs, &rows))
            return false;
        in = operands;
    }
    NodeId id = graph_add_node(c->g, op, c->p->name, c->index, in, (uint32_t)n_in, n_out, names,
                               attrs, n_attrs);
    if (id.i == NO_NODE.i)
        return false;
    if (c->im->in_loop && c->im->unrolled_left-- <= 0)
        return refuse_onnx(c, "unrolling its loop gives too many nodes");
    memcpy(out, node_at(c->g, id)->out, n_out * sizeof *out);
    for (uint32_t i = 0; i < n_out; i++)
        for (uint32_t k = 0; has_value(out[i]) && k < rows.n; k++)
            set_rows(c->im, out[i], rows.at[k]);
    return evaluate_last(c->im);
}

static const char *inner_name(OnnxNode *c, Op op)
{
    const char *base = *c->p->name ? c->p->name : c->p->n_output ? c->p->output[0] : "";
    return arena_printf(c->arena, "%s:%s", base, op_info(op)->name);
}

bool emit_all(OnnxNode *c, uint32_t n, Op op, const ValueId *in, size_t n_in, const Attr *attrs,
              ValueId *out)
{
    const char **names = ARENA_ARRAY(c->arena, const char *, n);
    for (uint32_t i = 0; i < n; i++)
        names[i] = inner_name(c, op);
    return add_node(c, op, in, n_in, attrs, names, n, out);
}

ValueId emit(OnnxNode *c, Op op, const ValueId *in, size_t n_in, const Attr *attrs)
{
    ValueId out;
    emit_all(c, 1, op, in, n_in, attrs, &out);
    return out;
}

bool wants(const OnnxNode *c, uint32_t k)
{
    return c->is_inner ? k < c->n_out : k < c->p->n_output && *c->p->output[k];
}

static const char *output_name(OnnxNode *c, uint32_t k, Op op)
{
    return c->is_inner ? inner_name(c, op) : c->p->output[k];
}

bool alias(OnnxNode *c, uint32_t k, ValueId v)
{
    if (failed(c) || !has_value(v))
        return false;
    if (k < c->n_out)
        c->out[k] = (Item){.kind = ITEM_VALUE, .value = v};
    return true;
}

bool finish_all(OnnxNode *c, uint32_t n, Op op, const ValueId *in, size_t n_in, const Attr *attrs)
{
    const char **names = ARENA_ARRAY(c->arena, const char *, n);
    ValueId *out = ARENA_ARRAY(c->arena, ValueId, n);
    for (uint32_t i = 0; i < n; i++)
        names[i] = wants(c, i) ? output_name(c, i, op) : "";
    if (!add_node(c, op, in, n_in, attrs, names, n, out))
        return false;
    for (uint32_t i = 0; i < n; i++)
        if (wants(c, i))
            alias(c, i, out[i]);
    return true;
}

bool finish(OnnxNode *c, uint32_t k, Op op, const ValueId *in, size_t n_in, const Attr *attrs)
{
    const char *name = wants(c, k) ? output_name(c, k, op) : inner_name(c, op);
    ValueId out;
    return add_node(c, op, in, n_in, attrs, &name, 1, &out) && alias(c, k, out);
}

bool finish_const(OnnxNode *c, uint32_t k, TensorType type, const void *data)
{
    return !wants(c, k) || alias(c, k, graph_add_const(c->g, c->p->output[k], type, data));
}

ValueId emit_const(OnnxNode *c, TensorType type, const void *data)
{
    if (failed(c))
        return NO_VALUE;
    const char *base = *c->p->name ? c->p->name : c->p->n_output ? c->p->output[0] : "";
    return graph_add_const(c->g, arena_printf(c->arena, "%s:const", base), type, data);
}

ValueId const_scalar(OnnxNode *c, DType dtype, double v)
{
    if (!dtype_is_float(dtype))
        return const_integer(c, dtype, (int64_t)v);
    void *data = arena_alloc(c->arena, dtype_size(dtype));
    elem_set_f64(dtype, data, 0, v);
    return emit_const(c, type_make(dtype, 0, NULL), data);
}

ValueId const_integer(OnnxNode *c, DType dtype, int64_t v)
{
    void *data = arena_alloc(c->arena, dtype_size(dtype));
    elem_set_i64(dtype, data, 0, v);
    return emit_const(c, type_make(dtype, 0, NULL), data);
}

ValueId const_ints(OnnxNode *c, const int64_t *v, size_t n)
{
    return emit_const(c, type_make(DT_I64, 1, (int64_t[]){(int64_t)n}),
                      arena_copy(c->arena, v, n * sizeof *v));
}

ValueId as_onnx(OnnxNode *c, const char *name, const ValueId *in, size_t n_in)
{
    enum { OPSET = 13 };
    OnnxNode inner = *c;
    Item out = {0};
    inner.row = onnx_row("", name, OPSET);
    inner.opset = OPSET;
    inner.is_inner = true;
    inner.in = ARENA_ARRAY(c->arena, Item, n_in + 1);
    inner.n_in = 0;
    inner.out = &out;
    inner.n_out = 1;
    for (uint32_t k = 0; k < n_in; k++)
        if (has_value(in[k])) {
            inner.in[k] = (Item){.kind = ITEM_VALUE, .value = in[k]};
            inner.n_in = k + 1;
        }
    return ok(c) && inner.row->normalise(&inner) ? out.value : NO_VALUE;
}

ValueId expand(OnnxNode *c, ValueId v, int rank, const int64_t *dims)
{
    const TensorType t = value_type(c, v);
    if (failed(c) || (t.rank == rank && !memcmp(t.dims, dims, (size_t)rank * sizeof *dims)))
        return v;
    return emit(c, OP_Expand, IN(v), ATTRS(ATTR_IS("shape", dims, (size_t)rank)));
}

ValueId filled(OnnxNode *c, TensorType type, ValueId scalar)
{
    if (!type_valid(&type))
        refuse_onnx(c, "its shape is invalid or too large");
    return expand(c, scalar, type.rank, type.dims);
}

ValueId reshape(OnnxNode *c, ValueId v, int rank, const int64_t *dims)
{
    const TensorType t = value_type(c, v);
    if (rank > MAX_RANK)
        return refuse_value(c, "rank %d is more than %d", rank, MAX_RANK);
    if (t.rank == rank && (rank == 0 || !memcmp(t.dims, dims, (size_t)rank * sizeof *dims)))
        return v;
    return emit(c, OP_Reshape, IN(v), ATTRS(ATTR_IS("shape", dims, (size_t)rank)));
}

ValueId cast(OnnxNode *c, ValueId v, DType to)
{
    if (failed(c) || dtype_of(c, v) == to)
        return v;
    return emit(c, OP_Cast, IN(v), ATTRS(ATTR_I("to", to)));
}

ValueId transpose(OnnxNode *c, ValueId v, const int64_t *perm)
{
    return emit(c, OP_Transpose, IN(v),
                ATTRS(ATTR_IS("perm", perm, (size_t)value_type(c, v).rank)));
}

ValueId unsqueeze(OnnxNode *c, ValueId v, int axis)
{
    const TensorType t = value_type(c, v);
    int64_t dims[MAX_RANK + 1];
    for (int d = 0; d <= t.rank; d++)
        dims[d] = d == axis ? 1 : t.dims[d - (d > axis)];
    return reshape(c, v, t.rank + 1, dims);
}

ValueId squeeze(OnnxNode *c, ValueId v, int axis)
{
    const TensorType t = value_type(c, v);
    int64_t dims[MAX_RANK];
    int rank = 0;
    for (int d = 0; d < t.rank; d++)
        if (d != axis)
            dims[rank++] = t.dims[d];
    return reshape(c, v, rank, dims);
}

ValueId reduce(OnnxNode *c, Op op, ValueId v, const int64_t *axes, size_t n, bool keepdims)
{
    return emit(c, op, IN(v), ATTRS(ATTR_IS("axes", axes, n), ATTR_I("keepdims", keepdims)));
}

ValueId slice_axis(OnnxNode *c, ValueId v, int axis, int64_t start, int64_t size)
{
    TensorType t = value_type(c, v);
    int64_t starts[MAX_RANK] = {0};
    starts[axis] = start;
    t.dims[axis] = size;
    size_t r = (size_t)t.rank;
    return emit(c, OP_Slice, IN(v),
                ATTRS(ATTR_IS("starts", starts, r), ATTR_IS("steps", dims_of_1, r),
                      ATTR_IS("sizes", t.dims, r)));
}

ValueId add(OnnxNode *c, ValueId a, ValueId b)
{
    return emit(c, OP_Add, IN(a, b), NULL);
}

ValueId sub(OnnxNode *c, ValueId a, ValueId b)
{
    return emit(c, OP_Sub, IN(a, b), NULL);
}

ValueId mul(OnnxNode *c, ValueId a, ValueId b)
{
    return emit(c, OP_Mul, IN(a, b), NULL);
}

ValueId divide(OnnxNode *c, ValueId a, ValueId b)
{
    return emit(c, OP_Div, IN(a, b), NULL);
}

ValueId move_dimension(OnnxNode *c, ValueId v, int from, int to)
{
    int64_t perm[MAX_RANK] = {0};
    for (int d = 0, next = 0; d < value_type(c, v).rank; d++) {
        next += next == from;
        perm[d] = d == to ? from : next++;
    }
    return transpose(c, v, perm);
}

ValueId channels_first(OnnxNode *c, ValueId v)
{
    return move_dimension(c, v, value_type(c, v).rank - 1, 1);
}

ValueId channels_last(OnnxNode *c, ValueId v)
{
    return move_dimension(c, v, 1, value_type(c, v).rank - 1);
}
