/* The model around the nodes: names, ports, initializers; and its bytes. */
#include "export.h"

#include "../graph/columns.h"
#include "../ops/ops.h"
#include "exporter.h"
#include "wire.h"

#include <string.h>

Onnx__TensorProto *tensor_proto(Arena *arena, const char *name, const TensorType *t,
                                const void *data)
{
    Onnx__TensorProto *p = ARENA_NEW(arena, Onnx__TensorProto);
    onnx__tensor_proto__init(p);
    p->name = name ? kept(name) : p->name;
    p->has_data_type = true;
    p->data_type = (int32_t)t->dtype;
    p->n_dims = (size_t)t->rank;
    p->dims = arena_copy(arena, t->dims, (size_t)t->rank * sizeof *t->dims);
    p->has_raw_data = true;
    p->raw_data = (ProtobufCBinaryData){type_bytes(t), (uint8_t *)(uintptr_t)data};
    return p;
}

void add_initializer(Export *x, const char *name, const TensorType *t, const void *data)
{
    Onnx__GraphProto *graph = x->graph;
    ARENA_PUSH(x->arena, graph->initializer, graph->n_initializer, x->cap_tensors,
               tensor_proto(x->arena, name, t, data));
}

static Onnx__TensorShapeProto *shape_proto(Arena *arena, const TensorType *t)
{
    Onnx__TensorShapeProto *s = ARENA_NEW(arena, Onnx__TensorShapeProto);
    onnx__tensor_shape_proto__init(s);
    s->n_dim = (size_t)t->rank;
    s->dim = ARENA_ARRAY(arena, Onnx__TensorShapeProto__Dimension *, s->n_dim + 1);
    for (size_t i = 0; i < s->n_dim; i++) {
        s->dim[i] = ARENA_NEW(arena, Onnx__TensorShapeProto__Dimension);
        onnx__tensor_shape_proto__dimension__init(s->dim[i]);
        s->dim[i]->value_case = ONNX__TENSOR_SHAPE_PROTO__DIMENSION__VALUE_DIM_VALUE;
        s->dim[i]->dim_value = t->dims[i];
    }
    return s;
}

static Onnx__ValueInfoProto *info_proto(Arena *arena, const char *name, const TensorType *t)
{
    Onnx__ValueInfoProto *v = ARENA_NEW(arena, Onnx__ValueInfoProto);
    onnx__value_info_proto__init(v);
    v->name = kept(name);
    v->type = ARENA_NEW(arena, Onnx__TypeProto);
    onnx__type_proto__init(v->type);
    v->type->value_case = ONNX__TYPE_PROTO__VALUE_TENSOR_TYPE;
    v->type->tensor_type = ARENA_NEW(arena, Onnx__TypeProto__Tensor);
    onnx__type_proto__tensor__init(v->type->tensor_type);
    v->type->tensor_type->has_elem_type = true;
    v->type->tensor_type->elem_type = (int32_t)t->dtype;
    v->type->tensor_type->shape = shape_proto(arena, t);
    return v;
}

/* --- names ------------------------------------------------------------------------------------------------------- */

/* Text IR may name things by any bytes: those that ONNX cannot have become _. */
static const char *plain_name(Arena *arena, const char *name)
{
    if (!wire_name(name, strlen(name)))
        return name;
    char *plain = arena_strdup(arena, name);
    for (char *c = plain; *c; c++)
        if ((unsigned char)*c < 0x20 || (unsigned char)*c >= 0x7f)
            *c = '_';
    return plain;
}

static bool check_port(const Graph *g, const Port *p)
{
    const char *why = wire_name(p->name, strlen(p->name));
    return !why || refuse_graph(g, "%s, and inputs and outputs keep theirs in ONNX", why);
}

/* Ports come first. A node's value that an output shows is called like it; other outputs are copies (write_ports). */
static bool name_ports(Export *x)
{
    const Graph *g = x->g;
    for (uint32_t i = 0; i < g->n_inputs; i++) {
        const Port *p = &g->inputs[i];
        if (!check_port(g, p))
            return false;
        if (strcmp(names_unique(x->names, p->name), p->name))
            return refuse_graph(g, "two inputs are called '%s'", p->name);
        x->name[p->value.i] = p->name;
    }
    for (uint32_t i = 0; i < g->n_outputs; i++) {
        const Port *p = &g->outputs[i];
        const bool is_node = value_at(g, p->value)->kind == VALUE_NODE;
        if (!check_port(g, p))
            return false;
        if (!is_node && x->name[p->value.i] && !strcmp(x->name[p->value.i], p->name))
            continue; /* an input that is an output */
        if (strcmp(names_unique(x->names, p->name), p->name))
            return refuse_graph(g, "output '%s' has the name of another input or output", p->name);
        if (is_node && !x->name[p->value.i])
            x->name[p->value.i] = p->name;
    }
    return true;
}

static void name_values(Export *x)
{
    for (uint32_t v = 0; v < x->g->n_values; v++)
        if (!x->name[v])
            x->name[v] = names_unique(x->names, plain_name(x->arena, x->g->values[v].name));
}

static const char *name_of(const Export *x, ValueId v)
{
    return has_value(v) ? x->name[v.i] : "";
}

/* --- nodes ------------------------------------------------------------------------------------------------------- */

/* What the passes decided about node i; NULL: nothing. (onnx.proto of ONNX 1.12 has no metadata_props for nodes.) */
static const char *doc_of(const Export *x, uint32_t i)
{
    const Columns *c = x->g->columns;
    Text t = text_new(x->arena);
    if (c && c->composite && c->composite[i] != NO_ROW)
        text_printf(&t, "composite %u %s", c->composite[i], c->composites[c->composite[i]].pattern);
    if (c && c->target)
        text_printf(&t, "%starget %s", t.size ? "; " : "", target_word(c->target[i]));
    if (c && c->region && c->region[i] != NO_ROW)
        text_printf(&t, "%sregion %u", t.size ? "; " : "", c->region[i]);
    return t.size ? t.data : NULL;
}

/* Operands of f32 beside a result in half precision, which convert-precision leaves exact: ONNX has one type for all, so that such a
 * node is computed in f32 and rounded, which is what it means here. (BatchNormalization may have two types.) */
static bool is_mixed(const ExportNode *e)
{
    if (e->n->op == OP_BatchNormalization || e->n->n_in < 2 || !has_value(e->n->in[0]))
        return false;
    const DType t = export_in(e, 0)->dtype;
    for (uint32_t k = 1; k < e->n->n_in; k++)
        if (has_value(e->n->in[k]) && export_in(e, k)->dtype == DT_F32)
            return t == DT_BF16 || t == DT_F16;
    return false;
}

static bool is_half(const Graph *g, ValueId v)
{
    return has_value(v) && (type_of(g, v)->dtype == DT_BF16 || type_of(g, v)->dtype == DT_F16);
}

static bool write_form(ExportNode *e)
{
    return e->row->write ? e->row->write(e) : write_plain(e);
}

static bool write_mixed(ExportNode *e)
{
    const Graph *g = e->x->g;
    const Node *n = e->n;
    const char **out = e->out;
    e->out = arena_copy(e->arena, out, n->n_out * sizeof *out);
    for (uint32_t k = 0; k < n->n_in; k++)
        if (is_half(g, n->in[k]))
            e->in[k] = put_cast(e, e->in[k], DT_F32, NULL);
    for (uint32_t k = 0; k < n->n_out; k++)
        if (is_half(g, n->out[k]))
            e->out[k] = fresh(e, "exact");
    if (!write_form(e))
        return false;
    for (uint32_t k = 0; k < n->n_out; k++)
        if (is_half(g, n->out[k]))
            put_cast(e, e->out[k], type_of(g, n->out[k])->dtype, out[k]);
    return true;
}

static bool write_node(Export *x, uint32_t i)
{
    const Node *n = &x->g->nodes[i];
    const OpInfo *op = op_info(n->op);
    enum { MOST = 9 }; /* inputs of an op that has a number of them, and outputs */
    if (op->max_in > MOST || op->max_out > MOST)
        bug("%s has more than %d inputs or outputs", op->name, (int)MOST);
    ExportNode e = {.x = x,
                    .arena = x->arena,
                    .n = n,
                    .name = plain_name(x->arena, n->name),
                    .row = &export_table[n->op],
                    .in = ARENA_ARRAY(x->arena, const char *, (size_t)n->n_in + MOST),
                    .out = ARENA_ARRAY(x->arena, const char *, (size_t)n->n_out + MOST),
                    .doc = doc_of(x, i)};
    for (uint32_t k = 0; k < n->n_in + MOST; k++)
        e.in[k] = k < n->n_in ? name_of(x, n->in[k]) : "";
    for (uint32_t k = 0; k < n->n_out + MOST; k++)
        e.out[k] = k < n->n_out ? name_of(x, n->out[k]) : "";
    if (e.row->why)
        return refuse_export(&e, "%s", e.row->why);
    return is_mixed(&e) ? write_mixed(&e) : write_form(&e);
}

/* --- the graph ----------------------------------------------------------------------------------------------------- */

/* By value: something reads it. The tables of trees become attributes. */
static bool *values_read(const Export *x)
{
    const Graph *g = x->g;
    bool *read = ARENA_ARRAY(x->arena, bool, (size_t)g->n_values + 1);
    for (uint32_t i = 0; i < g->n_nodes; i++)
        for (uint32_t k = 0; k < g->nodes[i].n_in; k++)
            if (has_value(g->nodes[i].in[k]) && (k == 0 || g->nodes[i].op != OP_TreeEnsemble))
                read[g->nodes[i].in[k].i] = true;
    for (uint32_t k = 0; k < g->n_outputs; k++)
        read[g->outputs[k].value.i] = true;
    return read;
}

static void write_constants(Export *x)
{
    const bool *read = values_read(x);
    for (uint32_t v = 0; v < x->g->n_values; v++) {
        const Value *value = &x->g->values[v];
        if (value->kind == VALUE_CONST && read[v])
            add_initializer(x, x->name[v], &value->type, value->data);
    }
}

/* An output that shows an input, a constant or a value that has another output's name. */
static void write_copy(Export *x, const char *from, const char *to)
{
    static const Node none = {.name = ""};
    ExportNode e = {.x = x, .arena = x->arena, .n = &none, .name = ""};
    put_node(&e, "Identity", &from, 1, &to, 1);
}

static void write_ports(Export *x)
{
    const Graph *g = x->g;
    Onnx__GraphProto *graph = x->graph;
    graph->input = ARENA_ARRAY(x->arena, Onnx__ValueInfoProto *, (size_t)g->n_inputs + 1);
    for (; graph->n_input < g->n_inputs; graph->n_input++) {
        const Port *p = &g->inputs[graph->n_input];
        graph->input[graph->n_input] = info_proto(x->arena, p->name, type_of(g, p->value));
    }
    graph->output = ARENA_ARRAY(x->arena, Onnx__ValueInfoProto *, (size_t)g->n_outputs + 1);
    for (; graph->n_output < g->n_outputs; graph->n_output++) {
        const Port *p = &g->outputs[graph->n_output];
        graph->output[graph->n_output] = info_proto(x->arena, p->name, type_of(g, p->value));
        if (strcmp(x->name[p->value.i], p->name))
            write_copy(x, x->name[p->value.i], p->name);
    }
}

/* Types of what stands between; outputs have theirs. */
static void write_infos(Export *x)
{
    const Graph *g = x->g;
    Onnx__GraphProto *graph = x->graph;
    bool *shown = ARENA_ARRAY(x->arena, bool, (size_t)g->n_values + 1);
    for (uint32_t i = 0; i < g->n_outputs; i++)
        shown[g->outputs[i].value.i] = true;
    graph->value_info = ARENA_ARRAY(x->arena, Onnx__ValueInfoProto *, (size_t)g->n_values + 1);
    for (uint32_t v = 0; v < g->n_values; v++)
        if (g->values[v].kind == VALUE_NODE && !shown[v])
            graph->value_info[graph->n_value_info++] =
                info_proto(x->arena, x->name[v], &g->values[v].type);
}

static bool write_graph(Export *x)
{
    if (x->g->n_outputs == 0)
        return refuse_graph(x->g, "the graph has no outputs, as an ONNX model must");
    if (!name_ports(x))
        return false;
    name_values(x);
    write_constants(x);
    for (uint32_t i = 0; i < x->g->n_nodes; i++)
        if (!write_node(x, i))
            return false;
    write_ports(x);
    write_infos(x);
    return true;
}

bool export_onnx(const Graph *g, Arena *arena, uint8_t **bytes, size_t *size)
{
    Onnx__ModelProto model = ONNX__MODEL_PROTO__INIT;
    Onnx__GraphProto graph = ONNX__GRAPH_PROTO__INIT;
    Onnx__OperatorSetIdProto opset = ONNX__OPERATOR_SET_ID_PROTO__INIT, second = opset;
    Onnx__OperatorSetIdProto *opsets[] = {&opset, &second};
    Export x = {.g = g,
                .arena = arena,
                .names = names_new(arena),
                .node_names = names_new(arena),
                .graph = &graph};
    x.name = ARENA_ARRAY(arena, const char *, (size_t)g->n_values + 1);
    opset.domain = kept("");
    opset.has_version = true;
    opset.version = EXPORT_OPSET;
    model.has_ir_version = true;
    model.ir_version = EXPORT_IR_VERSION;
    model.producer_name = kept("dnnlc");
    model.producer_version = kept(DNNLC_VERSION);
    model.n_opset_import = 1;
    model.opset_import = opsets;
    model.graph = &graph;
    graph.name = kept(*g->name ? plain_name(arena, g->name) : "graph");
    if (!write_graph(&x))
        return false;
    if (x.domain) {
        second.domain = kept(x.domain);
        second.has_version = true;
        second.version = x.domain_version;
        model.n_opset_import = 2;
    }
    *size = onnx__model_proto__get_packed_size(&model);
    if (*size > INT32_MAX)
        return refuse_graph(g, "as ONNX it would be %zu bytes; one file of protobuf holds 2 GiB",
                            *size);
    *bytes = arena_alloc(arena, *size + 1);
    onnx__model_proto__pack(&model, *bytes);
    return true;
}
