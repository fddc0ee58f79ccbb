/* A model: its file is checked and unpacked, then its graph is imported. */
#include "import.h"

#include "../base/narrow.h"
#include "node.h"
#include "wire.h"

enum {
    MAX_MADE_BYTES = 1 << 30,
    MAX_PORTS = 10000,
    MAX_NODES = 250000,         /* a billion-laughs nest of functions must end */
    MAX_UNROLLED_NODES = 10000, /* nodes of the graph that unrolled loops may make */
};

Onnx__ModelProto *onnx_unpack_model(Arena *arena, Diag *diag, const char *path, MappedFile file)
{
    const char *why;
    Onnx__ModelProto *model = NULL;
    if (file.size == 0)
        refuse(diag, "%s: is empty", path);
    else if (!wire_check(&onnx__model_proto__descriptor, file.data, file.size, &why))
        refuse(diag, "%s: is not a valid ONNX model: %s", path, why);
    else
        model = (Onnx__ModelProto *)wire_unpack(arena, &onnx__model_proto__descriptor, file.data,
                                                file.size);
    if (model && !model->graph) {
        refuse(diag, "%s: is not a valid ONNX model: it has no graph", path);
        return NULL;
    }
    return model;
}

bool onnx_claim(Import *im, size_t bytes)
{
    if (bytes > (size_t)im->bytes_left)
        return refuse_graph(im->g, "the constants it computes or repeats take more than %d MiB",
                            MAX_MADE_BYTES >> 20);
    im->bytes_left -= (int64_t)bytes;
    memory_allow_made(bytes);
    return true;
}

static bool check_opsets(Diag *diag, const char *path, const Onnx__ModelProto *model)
{
    for (size_t i = 0; i < model->n_opset_import; i++)
        if (model->opset_import[i]->version < 0)
            return refuse(diag, "%s: opset version %lld of domain '%s' is invalid", path,
                          (long long)model->opset_import[i]->version,
                          model->opset_import[i]->domain);
    return true;
}

/* Symbols may be anything. What is fixed ought to agree, but exporters that lost a dimension on the way are in use, and other runtimes
 * go on as well: what the nodes make counts. */
static bool check_output(const Import *im, const Onnx__ValueInfoProto *info, ValueId v)
{
    Graph *g = im->g;
    const TensorType *t = type_of(g, v);
    PortKind kind;
    const Onnx__TypeProto__Tensor *want = onnx_port_type(info, &kind);
    if (!info->type || info->type->value_case == ONNX__TYPE_PROTO__VALUE__NOT_SET)
        return true; /* only inputs must say what they are */
    if (!want && kind.is_sequence)
        return true; /* of maps, from a ZipMap */
    if (!want)
        return refuse_graph(g, "output '%s' is not a tensor", info->name);
    const NarrowType *narrow = narrow_type(want->elem_type);
    const int32_t type = narrow ? (int32_t)narrow->as : want->elem_type;
    if (type && type != (int32_t)t->dtype)
        return refuse_graph(g, "output '%s' is declared with element type %s, but is %s",
                            info->name,
                            dtype_supported(want->elem_type) ? dtype_name((DType)want->elem_type)
                                                             : "of another kind",
                            dtype_name(t->dtype));
    if (!want->shape)
        return true;
    bool same = want->shape->n_dim == (size_t)t->rank;
    for (size_t d = 0; same && d < want->shape->n_dim; d++) {
        const Onnx__TensorShapeProto__Dimension *dim = want->shape->dim[d];
        if (dim->value_case == ONNX__TENSOR_SHAPE_PROTO__DIMENSION__VALUE_DIM_VALUE &&
            !has_value(rows_along(im, v, (int)d)) && dim->dim_value > 0 &&
            dim->dim_value != t->dims[d])
            same = false;
    }
    if (!same && im->options->notes)
        text_printf(im->options->notes,
                    "note: output '%s' is %s, which contradicts its declared shape\n", info->name,
                    type_text(g->arena, t));
    return true;
}

static bool is_output(const Graph *g, const char *name)
{
    for (uint32_t i = 0; i < g->n_outputs; i++)
        if (!strcmp(g->outputs[i].name, name))
            return true;
    return false;
}

/* A name that no output has yet: one that is listed twice is two outputs. */
static const char *output_name(const Graph *g, const char *name)
{
    const char *given = name;
    for (uint32_t k = g->n_outputs; is_output(g, name); k++)
        name = arena_printf(g->arena, "%s_%u", given, k);
    return name;
}

/* What a port gives: bytes for a type that no value has. */
static ValueId port_value(Import *im, const Onnx__ValueInfoProto *info, ValueId v)
{
    PortKind kind;
    const Onnx__TypeProto__Tensor *want = onnx_port_type(info, &kind);
    OnnxNode c = onnx_port_node(im, info->name);
    if (type_of(im->g, v)->dtype == DT_STRING)
        return string_output(im, info->name, v);
    if (!want || !narrow_type(want->elem_type))
        return v;
    if (!has_dependent_rows(im, v))
        return narrow_to_codes(&c, v, want->elem_type);
    refuse_graph(im->g, "output '%s': data-dependent rows of %s are not supported", info->name,
                 narrow_type(want->elem_type)->name);
    return NO_VALUE;
}

static bool add_output(Import *im, const Onnx__ValueInfoProto *info, const char *name, ValueId v)
{
    if (im->g->n_outputs == MAX_PORTS)
        return refuse_graph(im->g, "the model has too many outputs");
    if (!check_output(im, info, v))
        return false;
    v = port_value(im, info, v);
    if (has_value(v))
        graph_add_output(im->g, output_name(im->g, name), v);
    return has_value(v);
}

/* A sequence is as many ports as it has tensors, NAME_0, NAME_1, …; an optional without an element is none. */
static bool add_outputs(Import *im, Scope *scope)
{
    Graph *g = im->g;
    const Onnx__GraphProto *graph = im->model->graph;
    for (size_t i = 0; i < graph->n_output; i++) {
        const Onnx__ValueInfoProto *info = graph->output[i];
        Item item;
        if (!onnx_lookup(im, scope, info->name, &item))
            return refuse_graph(g, "output '%s' is made by no node", info->name);
        if (item.kind == ITEM_VALUE && !add_output(im, info, info->name, item.value))
            return false;
        for (size_t k = 0; item.kind == ITEM_LIST && k < item.list->n; k++)
            if (!add_output(im, info, arena_printf(g->arena, "%s_%zu", info->name, k),
                            item.list->values[k]))
                return false;
    }
    return g->n_outputs > 0 ||
           refuse_graph(g, "its outputs are sequences and optionals without a tensor");
}

/* Behind the model's own outputs: NAME_count for each one whose number of rows depends on data, NAME_count_AXIS where those of several axes do. */
static bool add_counts(Import *im)
{
    Graph *g = im->g;
    for (uint32_t i = 0, n = g->n_outputs; i < n; i++) {
        const RowsList all = rows_of(im, g->outputs[i].value);
        for (int axis = 0; axis < MAX_RANK; axis++) {
            const ValueId count = rows_along(im, g->outputs[i].value, axis);
            const char *name = g->outputs[i].name;
            if (!has_value(count))
                continue;
            name = all.n == 1 ? arena_printf(g->arena, "%s_count", name)
                              : arena_printf(g->arena, "%s_count_%d", name, axis);
            graph_add_output(g, output_name(g, name), count);
            if (!graph_count_output(g, i, axis, g->n_outputs - 1))
                bug("output '%s' cannot have data-dependent rows", g->outputs[i].name);
        }
    }
    return true;
}

static bool import_graph(Import *im)
{
    const Onnx__GraphProto *graph = im->model->graph;
    Frame frame = {.opsets = im->model->opset_import, .n_opsets = im->model->n_opset_import};
    Scope *scope = scope_new(im->g->arena, NULL);
    const char **wanted = ARENA_ARRAY(im->g->arena, const char *, graph->n_output + 1);
    for (size_t i = 0; i < graph->n_output; i++)
        wanted[i] = graph->output[i]->name;
    if (graph->n_output == 0 || graph->n_output > MAX_PORTS)
        return refuse_graph(im->g, "the model has %s outputs", graph->n_output ? "too many" : "no");
    scope_define_tensors(scope, graph);
    const Refusals *r = im->options->refusals;
    return onnx_inputs(im, graph, scope) &&
           onnx_body(im, &frame, scope, graph->node, graph->n_node, wanted, graph->n_output,
                     UINT32_MAX) &&
           !(r && r->n) && add_outputs(im, scope) && add_counts(im) && (strings_end(im), true);
}

Graph *import_onnx(Arena *arena, Diag *diag, const char *path, const ImportOptions *options)
{
    MappedFile file;
    if (!map_file(arena, path, &file, diag))
        return NULL;
    return import_onnx_bytes(arena, diag, path, file, options);
}

/* Some models are none with one in the batch dimension, which a Squeeze removes, say. */
static const char *suggest_batch(const Import *im, Arena *arena)
{
    Diag other = {.arena = arena};
    ImportOptions two = *im->options;
    const char **dims = ARENA_ARRAY(arena, const char *, two.n_dims + 1);
    for (size_t i = 0; i < two.n_dims; i++)
        dims[i] = two.dims[i];
    dims[two.n_dims++] = "*=2";
    two.dims = dims;
    two.notes = NULL;
    two.refusals = NULL;
    return import_onnx_bytes(arena, &other, im->path, im->file, &two)
               ? "the batch dimension was left open: with 2 it can be imported, set it with --dim "
                 "'*=N'"
               : NULL;
}

/* The graph is not made. What refused it becomes a row of the refusals, where those are wanted, and the message in any case. */
static void end_refused(const Import *im, Diag *diag)
{
    Refusals *r = im->options->refusals;
    const char *hint = im->batch_left_open ? suggest_batch(im, diag->arena) : NULL;
    if (!diag->message && !(r && r->n))
        refuse(diag, "%s: cannot be imported", im->path);
    if (r && diag->message)
        refusals_take(r, diag, im->path, (Refusal){UINT32_MAX, "", "", NULL});
    if (r) {
        const Refusal *first = &r->rows[0];
        r->hint = hint;
        refuse(diag, "%s: %s%s%s", im->path, first->place, *first->place ? ": " : "", first->why);
    }
    if (hint)
        diag->message = arena_printf(diag->arena, "%s; %s", diag->message, hint);
}

Graph *import_onnx_bytes(Arena *arena, Diag *diag, const char *path, MappedFile file,
                         const ImportOptions *options)
{
    static const ImportOptions none = {0};
    Onnx__ModelProto *model = onnx_unpack_model(arena, diag, path, file);
    if (!model || !check_opsets(diag, path, model))
        return NULL;
    Import im = {.g = graph_new(arena, diag, path, model->graph->name),
                 .model = model,
                 .options = options ? options : &none,
                 .path = path,
                 .file = file,
                 .nodes_left = MAX_NODES,
                 .unrolled_left = MAX_UNROLLED_NODES,
                 .bytes_left = MAX_MADE_BYTES};
    if (!import_graph(&im)) {
        end_refused(&im, diag);
        return NULL;
    }
    Rewrite rw = rewrite_begin(im.g);
    graph_apply(&rw);
    return im.g;
}
