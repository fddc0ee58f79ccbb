/* Reads a model's own words: ports, open dimensions, operators, parameters. */
#include "survey.h"

#include "../base/names.h"
#include "../base/narrow.h"
#include "../base/quote.h"
#include "inputs.h"

typedef struct Surveyor {
    Arena *arena;
    Import *im;
    Survey *s;
    NameMap operators; /* of "DOMAIN NAME": the row, from 1 */
} Surveyor;

/* --- ports -------------------------------------------------------------------------------------------------------- */

static const char *element_name(int32_t type)
{
    const NarrowType *narrow = narrow_type(type);
    return narrow                  ? narrow->name
           : type == DT_STRING     ? "string"
           : dtype_supported(type) ? dtype_name((DType)type)
                                   : "?";
}

static const char *tensor_text(Arena *arena, const Onnx__TypeProto__Tensor *t)
{
    Text text = text_new(arena);
    text_printf(&text, "%s[", element_name(t->elem_type));
    for (size_t d = 0; t->shape && d < t->shape->n_dim; d++) {
        const Onnx__TensorShapeProto__Dimension *dim = t->shape->dim[d];
        text_puts(&text, d ? "," : "");
        if (dim->value_case == ONNX__TENSOR_SHAPE_PROTO__DIMENSION__VALUE_DIM_VALUE)
            text_printf(&text, "%lld", (long long)dim->dim_value);
        else if (dim->value_case == ONNX__TENSOR_SHAPE_PROTO__DIMENSION__VALUE_DIM_PARAM &&
                 *dim->dim_param)
            text_puts(&text, dim->dim_param);
        else
            text_puts(&text, "?");
    }
    text_puts(&text, t->shape ? "]" : "...]");
    return text.data;
}

static SurveyPort port_of(Arena *arena, const Onnx__ValueInfoProto *info)
{
    PortKind kind;
    const Onnx__TypeProto__Tensor *t = onnx_port_type(info, &kind);
    const bool typed = info->type && info->type->value_case != ONNX__TYPE_PROTO__VALUE__NOT_SET;
    return (SurveyPort){info->name,
                        arena_printf(arena, "%s%s%s", kind.is_optional ? "optional " : "",
                                     kind.is_sequence ? "sequence of " : "",
                                     t       ? tensor_text(arena, t)
                                     : typed ? "another type"
                                             : "not said")};
}

/* --- dimensions that are to be set ---------------------------------------------------------------------------------- */

static SurveySymbol *symbol_called(Surveyor *v, const char *name)
{
    for (size_t i = 0; i < v->s->n_symbols; i++)
        if (v->s->symbols[i].name && !strcmp(v->s->symbols[i].name, name))
            return &v->s->symbols[i];
    return NULL;
}

/* "x=1x3xAxB": what the file says, and letters. */
static const char *shape_option(Arena *arena, const Input *declared)
{
    Text t = text_new(arena);
    char letter = 'A';
    text_printf(&t, "%s=", declared->name);
    for (int d = 0; d < declared->rank; d++)
        if (declared->dims[d].value >= 0)
            text_printf(&t, "%s%lld", d ? "x" : "", (long long)declared->dims[d].value);
        else
            text_printf(&t, "%s%c", d ? "x" : "", letter++);
    return arena_printf(arena, "--shape %s",
                        shell_word(arena, declared->rank < 0
                                              ? arena_printf(arena, "%s=AxB", declared->name)
                                              : t.data));
}

/* Who has said what the dimension is: the leading one is 1 where nobody has. */
static const char *source_of(const Inputs *inputs, const Dim *declared, const Dim *dim, int d)
{
    const Symbol *symbol = declared->symbol ? find_symbol(inputs, declared->symbol) : NULL;
    if (dim->value < 0)
        return NULL;
    if (symbol)
        return symbol->source;
    if (declared->symbol && strpbrk(declared->symbol, "+*"))
        return "what it is made of";
    for (size_t i = 0; i < inputs->im->options->n_dims; i++)
        if (!strncmp(inputs->im->options->dims[i], "*=", 2))
            return arena_printf(inputs->g->arena, "--dim %s", inputs->im->options->dims[i]);
    return d == 0 && inputs->im->batch_left_open ? "the batch dimension" : "an option";
}

static void add_dimension(Surveyor *v, const Inputs *inputs, const Input *declared, const Input *in,
                          int d)
{
    const Dim *dim = &in->dims[d];
    const char *name = declared->dims[d].symbol;
    SurveySymbol *old = name ? symbol_called(v, name) : NULL;
    const char *where = arena_printf(v->arena, "%s[%d]", in->name, d);
    if (old) {
        old->where = arena_printf(v->arena, "%s, %s", old->where, where);
        return;
    }
    const char *option =
        name ? arena_printf(v->arena, "--dim %s",
                            shell_word(v->arena, arena_printf(v->arena, "%s=N", name)))
             : shape_option(v->arena, declared);
    ARENA_PUSH(v->arena, v->s->symbols, v->s->n_symbols, v->s->cap_symbols,
               (SurveySymbol){name, where, dim->value, dim->bounded,
                              source_of(inputs, &declared->dims[d], dim, d), option});
}

/* What the options make of the dimensions. Where they are wrong, the import says so. */
static void survey_dimensions(Surveyor *v, const Onnx__GraphProto *graph)
{
    Inputs inputs = {.im = v->im, .g = v->im->g};
    Scope *scope = scope_new(v->arena, NULL);
    scope_define_tensors(scope, graph);
    if (!list_inputs(&inputs, graph, scope))
        return;
    Input *declared = ARENA_ARRAY(v->arena, Input, inputs.n_inputs + 1);
    for (size_t i = 0; i < inputs.n_inputs; i++)
        declared[i] = inputs.inputs[i];
    apply_input_options(&inputs);
    for (size_t i = 0; i < inputs.n_inputs; i++) {
        const Input *in = &inputs.inputs[i];
        if (declared[i].rank < 0)
            ARENA_PUSH(v->arena, v->s->symbols, v->s->n_symbols, v->s->cap_symbols,
                       (SurveySymbol){NULL, in->name, in->rank < 0 ? -1 : in->rank, false,
                                      in->rank < 0 ? NULL : "an option",
                                      shape_option(v->arena, &declared[i])});
        for (int d = 0; d < declared[i].rank; d++)
            if (declared[i].dims[d].value < 0)
                add_dimension(v, &inputs, &declared[i], in, d);
    }
    v->im->g->diag->message = NULL;
}

/* --- operators and parameters --------------------------------------------------------------------------------------- */

static void add_parameters(Survey *s, const Onnx__TensorProto *t)
{
    const NarrowType *narrow = narrow_type(t->data_type);
    int64_t n = 1, bits, bytes;
    for (size_t d = 0; d < t->n_dims; d++)
        if (t->dims[d] < 0 || !mul_i64(n, t->dims[d], &n))
            return; /* the import refuses it */
    const int64_t each = narrow ? narrow->bits
                         : dtype_supported(t->data_type)
                             ? 8 * (int64_t)dtype_size((DType)t->data_type)
                             : 0;
    if (!mul_i64(n, each, &bits) || !add_i64(s->parameters, n, &n) ||
        !add_i64(s->parameter_bytes, bits / 8 + (bits % 8 > 0), &bytes))
        return;
    s->parameters = n;
    s->parameter_bytes = bytes;
}

/* Why dnnlc refuses it whatever its inputs are; NULL: it does not. */
static const char *refused_always(Surveyor *v, const Frame *frame, const Onnx__NodeProto *p,
                                  bool *function)
{
    Diag *diag = v->im->g->diag;
    OnnxNode c = {.im = v->im, .g = v->im->g, .arena = v->arena, .p = p, .frame = frame};
    Refusals one = {.arena = v->arena};
    const bool found = onnx_find_operator(&c);
    *function = found && !c.row;
    if (found)
        return NULL;
    refusals_take(&one, diag, v->im->g->file, (Refusal){0, "", where_of(&c), NULL});
    return one.rows[0].why;
}

static uint32_t operator_of(Surveyor *v, const Frame *frame, const Onnx__NodeProto *p)
{
    Survey *s = v->s;
    const char *domain = strcmp(p->domain, "ai.onnx") ? p->domain : "";
    const char *key = arena_printf(v->arena, "%s %s", domain, p->op_type);
    uint32_t row = name_map_find(&v->operators, key);
    if (!row) {
        bool function;
        const char *why = refused_always(v, frame, p, &function);
        ARENA_PUSH(v->arena, s->operators, s->n_operators, s->cap_operators,
                   (SurveyOperator){domain, p->op_type, 0, 0, function, why});
        row = (uint32_t)s->n_operators;
        name_map_put(&v->operators, key, row);
    }
    return row - 1;
}

static void survey_inner(Surveyor *v, const Frame *frame, const Onnx__GraphProto *graph);

/* What a node holds: bodies, and the tensor of a Constant. */
static void survey_attributes(Surveyor *v, const Frame *frame, const Onnx__NodeProto *p)
{
    for (size_t k = 0; k < p->n_attribute; k++) {
        if (p->attribute[k]->g)
            survey_inner(v, frame, p->attribute[k]->g);
        if (p->attribute[k]->t && !strcmp(p->op_type, "Constant"))
            add_parameters(v->s, p->attribute[k]->t);
    }
}

static void survey_initialisers(Surveyor *v, const Onnx__GraphProto *graph)
{
    for (size_t i = 0; i < graph->n_initializer; i++)
        add_parameters(v->s, graph->initializer[i]);
    for (size_t i = 0; i < graph->n_sparse_initializer; i++)
        if (graph->sparse_initializer[i]->values)
            add_parameters(v->s, graph->sparse_initializer[i]->values);
}

static void survey_nodes(Surveyor *v, const Frame *frame, Onnx__NodeProto *const *nodes, size_t n)
{
    for (size_t i = 0; i < n; i++) {
        v->s->operators[operator_of(v, frame, nodes[i])].inner++;
        survey_attributes(v, frame, nodes[i]);
    }
}

static void survey_inner(Surveyor *v, const Frame *frame, const Onnx__GraphProto *graph)
{
    survey_initialisers(v, graph);
    survey_nodes(v, frame, graph->node, graph->n_node);
}

static void survey_operators(Surveyor *v, const Onnx__ModelProto *model)
{
    const Onnx__GraphProto *graph = model->graph;
    const Frame frame = {.opsets = model->opset_import, .n_opsets = model->n_opset_import};
    Survey *s = v->s;
    s->n_nodes = graph->n_node;
    s->node_operator = ARENA_ARRAY(v->arena, uint32_t, graph->n_node + 1);
    survey_initialisers(v, graph);
    for (size_t i = 0; i < graph->n_node; i++) {
        s->node_operator[i] = operator_of(v, &frame, graph->node[i]);
        s->operators[s->node_operator[i]].nodes++;
        survey_attributes(v, &frame, graph->node[i]);
    }
    for (size_t i = 0; i < model->n_functions; i++) {
        const Onnx__FunctionProto *f = model->functions[i];
        const Frame inner = {.opsets = f->n_opset_import ? f->opset_import : model->opset_import,
                             .n_opsets =
                                 f->n_opset_import ? f->n_opset_import : model->n_opset_import};
        survey_nodes(v, &inner, f->node, f->n_node);
    }
}

bool survey_onnx(Arena *arena, Diag *diag, const char *path, MappedFile file,
                 const ImportOptions *options, Survey *out)
{
    Diag quiet = {.arena = arena};
    const Onnx__ModelProto *model = onnx_unpack_model(arena, diag, path, file);
    if (!model)
        return false;
    Import im = {.g = graph_new(arena, &quiet, path, model->graph->name),
                 .model = model,
                 .options = options,
                 .path = path,
                 .file = file,
                 .bytes_left = INT64_MAX};
    Surveyor v = {.arena = arena, .im = &im, .s = out, .operators = name_map_new(arena)};
    const Onnx__GraphProto *graph = model->graph;
    *out = (Survey){.ir_version = model->ir_version,
                    .producer = model->producer_name,
                    .producer_version = model->producer_version,
                    .graph = graph->name,
                    .opsets = ARENA_ARRAY(arena, SurveyOpset, model->n_opset_import + 1),
                    .inputs = ARENA_ARRAY(arena, SurveyPort, graph->n_input + 1),
                    .outputs = ARENA_ARRAY(arena, SurveyPort, graph->n_output + 1)};
    Scope *scope = scope_new(arena, NULL);
    scope_define_tensors(scope, graph);
    for (size_t i = 0; i < model->n_opset_import; i++)
        out->opsets[out->n_opsets++] = (SurveyOpset){
            *model->opset_import[i]->domain ? model->opset_import[i]->domain : "ai.onnx",
            model->opset_import[i]->version};
    for (size_t i = 0; i < graph->n_input; i++)
        if (!scope_has(scope, graph->input[i]->name))
            out->inputs[out->n_inputs++] = port_of(arena, graph->input[i]);
    for (size_t i = 0; i < graph->n_output; i++)
        out->outputs[out->n_outputs++] = port_of(arena, graph->output[i]);
    survey_dimensions(&v, graph);
    survey_operators(&v, model);
    return true;
}
