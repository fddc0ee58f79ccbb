/* Models from a few calls; everything lives in the arena. */
#include "build_model.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define APPEND(b, list, n, item) ((list) = append((b)->arena, (list), &(n), (item)))

static void *append(Arena *arena, void *list, size_t *n, void *item)
{
    void **copy = ARENA_ARRAY(arena, void *, *n + 1);
    if (*n)
        memcpy(copy, list, *n * sizeof *copy);
    copy[(*n)++] = item;
    return copy;
}

static void add_opset(Build *b, const char *domain, int64_t version)
{
    Onnx__OperatorSetIdProto *o = ARENA_NEW(b->arena, Onnx__OperatorSetIdProto);
    onnx__operator_set_id_proto__init(o);
    o->domain = arena_strdup(b->arena, domain);
    o->has_version = true;
    o->version = version;
    APPEND(b, b->model.opset_import, b->model.n_opset_import, o);
}

Onnx__GraphProto *build_graph(Build *b)
{
    Onnx__GraphProto *g = ARENA_NEW(b->arena, Onnx__GraphProto);
    onnx__graph_proto__init(g);
    g->name = arena_strdup(b->arena, "g");
    return g;
}

Build *build_new(Arena *arena, int64_t opset)
{
    Build *b = ARENA_NEW(arena, Build);
    b->arena = arena;
    onnx__model_proto__init(&b->model);
    b->model.has_ir_version = true;
    b->model.ir_version = 8;
    add_opset(b, "", opset);
    add_opset(b, "com.microsoft", 1);
    add_opset(b, "local", 1);
    b->graph = b->model.graph = build_graph(b);
    return b;
}

static Onnx__TensorShapeProto *shape_of(Build *b, const char *dims)
{
    Onnx__TensorShapeProto *s = ARENA_NEW(b->arena, Onnx__TensorShapeProto);
    onnx__tensor_shape_proto__init(s);
    char *rest, *copy = arena_strdup(b->arena, dims);
    for (char *at = strtok_r(copy, ",", &rest); at; at = strtok_r(NULL, ",", &rest)) {
        Onnx__TensorShapeProto__Dimension *d =
            ARENA_NEW(b->arena, Onnx__TensorShapeProto__Dimension);
        onnx__tensor_shape_proto__dimension__init(d);
        if ((*at >= '0' && *at <= '9') || *at == '-') {
            d->value_case = ONNX__TENSOR_SHAPE_PROTO__DIMENSION__VALUE_DIM_VALUE;
            d->dim_value = atoll(at);
        } else if (*at != '?') {
            d->value_case = ONNX__TENSOR_SHAPE_PROTO__DIMENSION__VALUE_DIM_PARAM;
            d->dim_param = at;
        }
        APPEND(b, s->dim, s->n_dim, d);
    }
    return s;
}

static Onnx__ValueInfoProto *info_of(Build *b, const char *name, int elem_type, const char *dims)
{
    Onnx__ValueInfoProto *v = ARENA_NEW(b->arena, Onnx__ValueInfoProto);
    onnx__value_info_proto__init(v);
    v->name = arena_strdup(b->arena, name);
    if (elem_type < 0)
        return v; /* no type at all */
    v->type = ARENA_NEW(b->arena, Onnx__TypeProto);
    onnx__type_proto__init(v->type);
    v->type->value_case = ONNX__TYPE_PROTO__VALUE_TENSOR_TYPE;
    v->type->tensor_type = ARENA_NEW(b->arena, Onnx__TypeProto__Tensor);
    onnx__type_proto__tensor__init(v->type->tensor_type);
    v->type->tensor_type->has_elem_type = true;
    v->type->tensor_type->elem_type = elem_type;
    v->type->tensor_type->shape = dims ? shape_of(b, dims) : NULL;
    return v;
}

void build_input(Build *b, const char *name, int elem_type, const char *dims)
{
    APPEND(b, b->graph->input, b->graph->n_input, info_of(b, name, elem_type, dims));
}

void build_output(Build *b, const char *name, int elem_type, const char *dims)
{
    APPEND(b, b->graph->output, b->graph->n_output, info_of(b, name, elem_type, dims));
}

static Onnx__TypeProto *wrapped(Build *b, Onnx__ValueInfoProto *port,
                                Onnx__TypeProto__ValueCase value_case)
{
    Onnx__TypeProto *inner = port->type;
    port->type = ARENA_NEW(b->arena, Onnx__TypeProto);
    onnx__type_proto__init(port->type);
    port->type->value_case = value_case;
    return inner;
}

void build_sequence_of(Build *b, Onnx__ValueInfoProto *port)
{
    Onnx__TypeProto *inner = wrapped(b, port, ONNX__TYPE_PROTO__VALUE_SEQUENCE_TYPE);
    port->type->sequence_type = ARENA_NEW(b->arena, Onnx__TypeProto__Sequence);
    onnx__type_proto__sequence__init(port->type->sequence_type);
    port->type->sequence_type->elem_type = inner;
}

void build_optional_of(Build *b, Onnx__ValueInfoProto *port)
{
    Onnx__TypeProto *inner = wrapped(b, port, ONNX__TYPE_PROTO__VALUE_OPTIONAL_TYPE);
    port->type->optional_type = ARENA_NEW(b->arena, Onnx__TypeProto__Optional);
    onnx__type_proto__optional__init(port->type->optional_type);
    port->type->optional_type->elem_type = inner;
}

static char **names_of(Build *b, const char *text, size_t *n)
{
    char **names = NULL, *rest, *copy = arena_strdup(b->arena, text);
    *n = 0;
    for (char *at = strtok_r(copy, " ", &rest); at; at = strtok_r(NULL, " ", &rest))
        names = append(b->arena, names, n, strcmp(at, "-") ? at : arena_strdup(b->arena, ""));
    return names;
}

Onnx__NodeProto *build_node(Build *b, const char *op, const char *inputs, const char *outputs)
{
    Onnx__NodeProto *n = ARENA_NEW(b->arena, Onnx__NodeProto);
    onnx__node_proto__init(n);
    const char *colon = strchr(op, ':');
    n->op_type = arena_strdup(b->arena, colon ? colon + 1 : op);
    n->domain = colon ? arena_strndup(b->arena, op, (size_t)(colon - op)) : NULL;
    n->input = names_of(b, inputs, &n->n_input);
    n->output = names_of(b, outputs, &n->n_output);
    n->name = arena_printf(b->arena, "n%zu", b->graph->n_node);
    APPEND(b, b->graph->node, b->graph->n_node, n);
    return n;
}

Onnx__AttributeProto *build_attr(Build *b, Onnx__NodeProto *n, const char *name, int type)
{
    Onnx__AttributeProto *a = ARENA_NEW(b->arena, Onnx__AttributeProto);
    onnx__attribute_proto__init(a);
    a->name = arena_strdup(b->arena, name);
    a->has_type = true;
    a->type = (Onnx__AttributeProto__AttributeType)type;
    APPEND(b, n->attribute, n->n_attribute, a);
    return a;
}

void build_attr_int(Build *b, Onnx__NodeProto *n, const char *name, int64_t v)
{
    Onnx__AttributeProto *a = build_attr(b, n, name, ONNX__ATTRIBUTE_PROTO__ATTRIBUTE_TYPE__INT);
    a->has_i = true;
    a->i = v;
}

void build_attr_ints(Build *b, Onnx__NodeProto *n, const char *name, const int64_t *v, size_t count)
{
    Onnx__AttributeProto *a = build_attr(b, n, name, ONNX__ATTRIBUTE_PROTO__ATTRIBUTE_TYPE__INTS);
    a->ints = arena_copy(b->arena, v, count * sizeof *v);
    a->n_ints = count;
}

void build_attr_graph(Build *b, Onnx__NodeProto *n, const char *name, Onnx__GraphProto *g)
{
    build_attr(b, n, name, ONNX__ATTRIBUTE_PROTO__ATTRIBUTE_TYPE__GRAPH)->g = g;
}

Onnx__TensorProto *build_tensor(Build *b, const char *name, DType dtype, const char *dims,
                                const void *data)
{
    Onnx__TensorProto *t = ARENA_NEW(b->arena, Onnx__TensorProto);
    onnx__tensor_proto__init(t);
    char *rest, *copy = arena_strdup(b->arena, dims);
    size_t count = 1;
    t->name = arena_strdup(b->arena, name);
    t->has_data_type = true;
    t->data_type = (int32_t)dtype;
    t->dims = ARENA_ARRAY(b->arena, int64_t, 64);
    for (char *at = strtok_r(copy, ",", &rest); at; at = strtok_r(NULL, ",", &rest)) {
        t->dims[t->n_dims++] = atoll(at);
        count *= (size_t)atoll(at);
    }
    if (!data)
        return t;
    t->has_raw_data = true;
    t->raw_data.len = count * dtype_size(dtype);
    t->raw_data.data = arena_copy(b->arena, data, t->raw_data.len);
    return t;
}

Onnx__TensorProto *build_init(Build *b, const char *name, DType dtype, const char *dims,
                              const void *data)
{
    Onnx__TensorProto *t = build_tensor(b, name, dtype, dims, data);
    APPEND(b, b->graph->initializer, b->graph->n_initializer, t);
    return t;
}

static void add_entry(Build *b, Onnx__TensorProto *t, const char *key, const char *value)
{
    Onnx__StringStringEntryProto *e = ARENA_NEW(b->arena, Onnx__StringStringEntryProto);
    onnx__string_string_entry_proto__init(e);
    e->key = arena_strdup(b->arena, key);
    e->value = arena_strdup(b->arena, value);
    APPEND(b, t->external_data, t->n_external_data, e);
}

void build_external(Build *b, Onnx__TensorProto *t, const char *location, const char *offset,
                    const char *length)
{
    t->has_data_location = true;
    t->data_location = ONNX__TENSOR_PROTO__DATA_LOCATION__EXTERNAL;
    if (location)
        add_entry(b, t, "location", location);
    if (offset)
        add_entry(b, t, "offset", offset);
    if (length)
        add_entry(b, t, "length", length);
}

Onnx__FunctionProto *build_function(Build *b, const char *domain, const char *name,
                                    const char *inputs, const char *outputs)
{
    Onnx__FunctionProto *f = ARENA_NEW(b->arena, Onnx__FunctionProto);
    onnx__function_proto__init(f);
    f->name = arena_strdup(b->arena, name);
    f->domain = arena_strdup(b->arena, domain);
    f->input = names_of(b, inputs, &f->n_input);
    f->output = names_of(b, outputs, &f->n_output);
    APPEND(b, b->model.functions, b->model.n_functions, f);
    return f;
}

void build_body(Build *b, Onnx__FunctionProto *f, Onnx__GraphProto *nodes)
{
    (void)b;
    f->node = nodes->node;
    f->n_node = nodes->n_node;
    nodes->node = NULL;
    nodes->n_node = 0;
}

size_t build_pack(Build *b, uint8_t **bytes)
{
    size_t size = onnx__model_proto__get_packed_size(&b->model);
    *bytes = arena_alloc(b->arena, size + 1);
    return onnx__model_proto__pack(&b->model, *bytes);
}

void build_write(Build *b, const char *path)
{
    uint8_t *bytes;
    size_t size = build_pack(b, &bytes);
    FILE *f = fopen(path, "wb");
    if (!f || fwrite(bytes, 1, size, f) != size || fclose(f))
        abort();
}
