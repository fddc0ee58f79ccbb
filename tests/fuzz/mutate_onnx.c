/* Mutations of models that are still models: a node gets another operator, operand or attribute, comes twice or not at all; tensors and inputs get
 * other shapes, types and contents. A seventh of the mutations changes bytes instead. */
#include "fuzz.h"

#include "../../gen/onnx/wire.h"
#include "../../gen/ops/ops.h"
#include "onnx.pb-c.h"

#include <math.h>
#include <string.h>

typedef struct Mutation {
    Dice dice;
    Arena *arena;
    Onnx__ModelProto *model;
    Onnx__GraphProto *graph; /* of the model or of one of its nodes */
} Mutation;

/* A random one of `n` pointers, NULL of none. */
#define PICK(m, array, n) ((n) ? (array)[dice(&(m)->dice, (n))] : NULL)

/* --- choosing ------------------------------------------------------------------------------------------------------------- */

/* The model's graph or, now and then, one inside of it. */
static Onnx__GraphProto *pick_graph(Mutation *m)
{
    Onnx__GraphProto *g = m->model->graph;
    for (int tries = 0; tries < 4; tries++) {
        const Onnx__NodeProto *n = PICK(m, g->node, g->n_node);
        const Onnx__AttributeProto *a = n ? PICK(m, n->attribute, n->n_attribute) : NULL;
        if (a && a->g)
            g = a->g;
    }
    return g;
}

static char *pick_name(Mutation *m)
{
    static char none[] = "";
    const Onnx__GraphProto *g = dice(&m->dice, 4) ? m->graph : m->model->graph;
    const Onnx__NodeProto *n = PICK(m, g->node, g->n_node);
    const Onnx__TensorProto *t = PICK(m, g->initializer, g->n_initializer);
    const Onnx__ValueInfoProto *in = PICK(m, g->input, g->n_input);
    switch (dice(&m->dice, 8)) {
    case 0:
        return in ? in->name : none;
    case 1:
    case 2:
        return t ? t->name : none;
    case 3:
        return none;
    default:
        return n && n->n_output ? n->output[dice(&m->dice, n->n_output)] : none;
    }
}

static int32_t pick_type(Mutation *m)
{
    return (int32_t)(dice(&m->dice, 8) ? 1 + dice(&m->dice, 23) : dice(&m->dice, 1000));
}

static double pick_float(Mutation *m)
{
    static const double numbers[] = {0,        -0.0,      1,   -1,   0.5, 1e-30, 1e30,
                                     INFINITY, -INFINITY, NAN, 1e-5, 3,   255};
    return numbers[dice(&m->dice, COUNT_OF(numbers))];
}

/* A shape that is small as a rule. */
static int64_t pick_dim(Mutation *m)
{
    return dice(&m->dice, 6) ? (int64_t)dice(&m->dice, 9) : dice_number(&m->dice);
}

/* --- arrays of messages ----------------------------------------------------------------------------------------------------- */

/* The array with place for one more; all are arrays of pointers. */
static void *grown(Mutation *m, const void *array, size_t n, size_t size)
{
    char *copy = arena_alloc_array(m->arena, n + 1, size);
    if (n)
        memcpy(copy, array, n * size);
    return copy;
}

static void drop(void *array, size_t *n, size_t at, size_t size)
{
    char *place = (char *)array + at * size;
    memmove(place, place + size, (--*n - at) * size);
}

/* --- nodes ----------------------------------------------------------------------------------------------------------------- */

/* Another one of its kind that takes as many operands, so that what comes out is often a model; or any. */
static const char *pick_operator(Mutation *m, const Onnx__NodeProto *n)
{
    enum { TRIES = 40 };
    Op own;
    const bool known = op_from_name(n->op_type, &own);
    for (int tries = 0; known && tries < TRIES; tries++) {
        const OpInfo *info = op_info((Op)dice(&m->dice, OP_COUNT));
        const int operands = (int)n->n_input;
        if (info->class == op_info(own)->class && operands >= info->min_in &&
            (info->max_in < 0 || operands <= info->max_in))
            return info->name;
    }
    return op_info((Op)dice(&m->dice, OP_COUNT))->name;
}

static void change_operator(Mutation *m, Onnx__NodeProto *n)
{
    const Onnx__NodeProto *other = PICK(m, m->graph->node, m->graph->n_node);
    if (dice(&m->dice, 4))
        n->op_type = (char *)(uintptr_t)pick_operator(m, n);
    else if (other)
        n->op_type = other->op_type;
}

static void change_operands(Mutation *m, Onnx__NodeProto *n)
{
    const size_t at = n->n_input ? dice(&m->dice, n->n_input) : 0;
    switch (dice(&m->dice, 5)) {
    case 0:
        n->input = grown(m, n->input, n->n_input, sizeof *n->input);
        n->input[n->n_input++] = pick_name(m);
        break;
    case 1:
        if (n->n_input)
            drop(n->input, &n->n_input, at, sizeof *n->input);
        break;
    default:
        if (n->n_input)
            n->input[at] = pick_name(m);
    }
}

static void change_outputs(Mutation *m, Onnx__NodeProto *n)
{
    if (!dice(&m->dice, 3) && n->n_output > 1) {
        drop(n->output, &n->n_output, dice(&m->dice, n->n_output), sizeof *n->output);
        return;
    }
    n->output = grown(m, n->output, n->n_output, sizeof *n->output);
    n->output[n->n_output++] =
        dice(&m->dice, 2) ? arena_printf(m->arena, "more_%zu", dice(&m->dice, 100)) : pick_name(m);
}

static void change_nodes(Mutation *m)
{
    Onnx__GraphProto *g = m->graph;
    const size_t at = dice(&m->dice, g->n_node), other = dice(&m->dice, g->n_node);
    Onnx__NodeProto *node = g->node[at];
    switch (dice(&m->dice, 3)) {
    case 0:
        g->node[at] = g->node[other];
        g->node[other] = node;
        break;
    case 1:
        drop(g->node, &g->n_node, at, sizeof *g->node);
        break;
    default: { /* the same node once more, behind itself or elsewhere; its readers may get its results */
        Onnx__NodeProto *copy = arena_copy(m->arena, node, sizeof *node);
        copy->output = arena_copy(m->arena, node->output, node->n_output * sizeof *node->output);
        for (size_t i = 0; i < copy->n_output; i++)
            copy->output[i] =
                arena_printf(m->arena, "%s_again%zu", copy->output[i], dice(&m->dice, 10));
        if (copy->n_input && copy->n_output && node->n_output && dice(&m->dice, 2)) {
            copy->input = arena_copy(m->arena, node->input, node->n_input * sizeof *node->input);
            copy->input[0] = node->output[0];
            if (g->n_output)
                g->output[dice(&m->dice, g->n_output)]->name = copy->output[0];
        }
        g->node = grown(m, g->node, g->n_node, sizeof *g->node);
        g->node[g->n_node++] = copy;
    }
    }
}

/* --- attributes -------------------------------------------------------------------------------------------------------------- */

static void change_ints(Mutation *m, Onnx__AttributeProto *a)
{
    const size_t at = a->n_ints ? dice(&m->dice, a->n_ints) : 0, what = dice(&m->dice, 5);
    if (what == 0 || !a->n_ints) {
        a->ints = grown(m, a->ints, a->n_ints, sizeof *a->ints);
        a->ints[a->n_ints++] = dice_number(&m->dice);
    } else if (what == 1) {
        drop(a->ints, &a->n_ints, at, sizeof *a->ints);
    } else {
        a->ints[at] = what == 2 ? dice_number(&m->dice) : pick_dim(m);
    }
}

static void change_text(Mutation *m, Onnx__AttributeProto *a)
{
    static const char *const words[] = {
        "",          "NOTSET",  "SAME_UPPER", "VALID",         "linear",
        "cubic",     "reflect", "edge",       "wrap",          "half_pixel",
        "ceil",      "floor",   "forward",    "reverse",       "bidirectional",
        "ab,bc->ac", "...i->",  "add",        "mean",          "nearest",
        "DCR",       "CRD",     "none",       "align_corners", "round_prefer_floor"};
    const char *word = words[dice(&m->dice, COUNT_OF(words))];
    a->has_s = 1;
    a->s.data = (uint8_t *)(uintptr_t)word;
    a->s.len = strlen(word);
}

static void change_tensor(Mutation *m, Onnx__TensorProto *t);

static void change_attribute(Mutation *m, Onnx__AttributeProto *a)
{
    if (a->has_i)
        a->i = dice_number(&m->dice);
    if (a->has_f)
        a->f = (float)pick_float(m);
    if (a->n_ints || a->type == ONNX__ATTRIBUTE_PROTO__ATTRIBUTE_TYPE__INTS)
        change_ints(m, a);
    if (a->has_s)
        change_text(m, a);
    if (a->n_floats)
        a->floats[dice(&m->dice, a->n_floats)] = (float)pick_float(m);
    if (a->t)
        change_tensor(m, a->t);
}

static void change_attributes(Mutation *m, Onnx__NodeProto *n)
{
    const Onnx__NodeProto *from = PICK(m, m->graph->node, m->graph->n_node);
    const size_t at = n->n_attribute ? dice(&m->dice, n->n_attribute) : 0;
    switch (dice(&m->dice, 6)) {
    case 0: /* another node's */
        if (from && from->n_attribute) {
            n->attribute = grown(m, n->attribute, n->n_attribute, sizeof *n->attribute);
            n->attribute[n->n_attribute++] = PICK(m, from->attribute, from->n_attribute);
        }
        break;
    case 1:
        if (n->n_attribute)
            drop(n->attribute, &n->n_attribute, at, sizeof *n->attribute);
        break;
    default:
        if (n->n_attribute)
            change_attribute(m, n->attribute[at]);
    }
}

/* --- tensors and types --------------------------------------------------------------------------------------------------------- */

static void change_contents(Mutation *m, Onnx__TensorProto *t)
{
    const int64_t number = dice_number(&m->dice);
    const float real = (float)pick_float(m);
    const bool is_float = t->data_type == ONNX__TENSOR_PROTO__DATA_TYPE__FLOAT;
    const size_t width = t->data_type == ONNX__TENSOR_PROTO__DATA_TYPE__INT64 ? 8 : 4;
    if (t->n_int64_data)
        t->int64_data[dice(&m->dice, t->n_int64_data)] = number;
    if (t->n_int32_data)
        t->int32_data[dice(&m->dice, t->n_int32_data)] = (int32_t)number;
    if (t->n_float_data)
        t->float_data[dice(&m->dice, t->n_float_data)] = real;
    if (t->raw_data.len >= width) {
        uint8_t *data = arena_copy(m->arena, t->raw_data.data, t->raw_data.len);
        const size_t at = dice(&m->dice, t->raw_data.len / width) * width;
        memcpy(data + at, is_float ? (const void *)&real : (const void *)&number, width);
        t->raw_data.data = data;
    }
}

/* A shape of as many elements as another one may have: two dimensions are exchanged, or a 1 comes or goes. */
static void reshape(Mutation *m, Onnx__TensorProto *t)
{
    const size_t a = t->n_dims ? dice(&m->dice, t->n_dims) : 0,
                 b = t->n_dims ? dice(&m->dice, t->n_dims) : 0;
    if (t->n_dims && dice(&m->dice, 2)) {
        const int64_t dim = t->dims[a];
        t->dims[a] = t->dims[b];
        t->dims[b] = dim;
    } else if (t->n_dims && t->dims[a] == 1) {
        drop(t->dims, &t->n_dims, a, sizeof *t->dims);
    } else {
        t->dims = grown(m, t->dims, t->n_dims, sizeof *t->dims);
        t->dims[t->n_dims++] = 1;
    }
}

static void change_tensor(Mutation *m, Onnx__TensorProto *t)
{
    switch (dice(&m->dice, 6)) {
    case 0:
        if (t->n_dims)
            t->dims[dice(&m->dice, t->n_dims)] = pick_dim(m);
        break;
    case 1:
        t->data_type = pick_type(m);
        break;
    case 2:
        reshape(m, t);
        break;
    default:
        change_contents(m, t);
    }
}

static void change_port(Mutation *m, const Onnx__ValueInfoProto *port)
{
    Onnx__TypeProto *type = port->type;
    if (!type || type->value_case != ONNX__TYPE_PROTO__VALUE_TENSOR_TYPE)
        return;
    Onnx__TensorShapeProto *shape = type->tensor_type->shape;
    if (!dice(&m->dice, 4) || !shape) {
        type->tensor_type->elem_type = pick_type(m);
        return;
    }
    if (!shape->n_dim || !dice(&m->dice, 4)) {
        Onnx__TensorShapeProto__Dimension *dim =
            ARENA_NEW(m->arena, Onnx__TensorShapeProto__Dimension);
        onnx__tensor_shape_proto__dimension__init(dim);
        shape->dim = grown(m, shape->dim, shape->n_dim, sizeof *shape->dim);
        shape->dim[shape->n_dim++] = dim;
    } else if (!dice(&m->dice, 4)) {
        drop(shape->dim, &shape->n_dim, dice(&m->dice, shape->n_dim), sizeof *shape->dim);
        return;
    }
    Onnx__TensorShapeProto__Dimension *dim = PICK(m, shape->dim, shape->n_dim);
    dim->value_case = ONNX__TENSOR_SHAPE_PROTO__DIMENSION__VALUE_DIM_VALUE;
    dim->dim_value = pick_dim(m);
}

/* --- the whole ------------------------------------------------------------------------------------------------------------------ */

static void change(Mutation *m)
{
    Onnx__GraphProto *g = m->graph = pick_graph(m);
    Onnx__NodeProto *n = PICK(m, g->node, g->n_node);
    const size_t what = dice(&m->dice, 16);
    if (what < 2 && n)
        change_operator(m, n);
    else if (what < 4 && n)
        change_operands(m, n);
    else if (what < 8 && n)
        change_attributes(m, n);
    else if (what == 8 && n)
        change_nodes(m);
    else if (what == 9 && n)
        change_outputs(m, n);
    else if (what < 12 && g->n_initializer)
        change_tensor(m, PICK(m, g->initializer, g->n_initializer));
    else if (what < 14 && g->n_input)
        change_port(m, PICK(m, g->input, g->n_input));
    else if (what == 14 && g->n_output)
        PICK(m, g->output, g->n_output)->name = pick_name(m);
    else if (m->model->n_opset_import)
        m->model->opset_import[dice(&m->dice, m->model->n_opset_import)]->version =
            (int64_t)dice(&m->dice, 25);
}

size_t mutate_onnx(uint8_t *data, size_t size, size_t most, uint64_t seed)
{
    enum { BYTES_EVERY = 7 };
    const char *why;
    Mutation m = {.dice = {.seed = seed}, .arena = arena_new()};
    if (dice(&m.dice, BYTES_EVERY) && size &&
        wire_check(&onnx__model_proto__descriptor, data, size, &why))
        m.model =
            (Onnx__ModelProto *)wire_unpack(m.arena, &onnx__model_proto__descriptor, data, size);
    size_t n = 0;
    if (m.model && m.model->graph) {
        for (size_t k = dice(&m.dice, 2) ? 1 : 2 + dice(&m.dice, 2); k > 0; k--)
            change(&m);
        n = onnx__model_proto__get_packed_size(m.model);
    }
    if (n && n <= most) {
        uint8_t *packed = arena_alloc(m.arena, n);
        onnx__model_proto__pack(m.model, packed);
        memcpy(data, packed, n);
    } else {
        n = mutate_bytes(data, size, most, seed);
    }
    arena_free(m.arena);
    return n;
}
