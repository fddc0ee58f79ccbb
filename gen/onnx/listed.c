/* The model's inputs as it lists them, and how many tensors each is.
 *
 * A sequence is as many inputs of the graph as it has tensors, NAME_0, NAME_1, …: those that --shape and --bind name. An optional is one, or
 * none if it is said to be absent. */
#include "../../runtime-stub/dnnlc_file.h"
#include "../base/narrow.h"
#include "inputs.h"

#include <errno.h>
#include <stdlib.h>

static bool read_dims(Inputs *s, const Onnx__TensorShapeProto *shape, Input *in)
{
    if (shape->n_dim > MAX_RANK)
        return refuse_graph(s->g, "input '%s': rank %zu is more than %d", in->name, shape->n_dim,
                            MAX_RANK);
    in->rank = (int)shape->n_dim;
    for (int d = 0; d < in->rank; d++) {
        const Onnx__TensorShapeProto__Dimension *dim = shape->dim[d];
        in->dims[d] = (Dim){.value = -1};
        if (dim->value_case == ONNX__TENSOR_SHAPE_PROTO__DIMENSION__VALUE_DIM_VALUE &&
            dim->dim_value >= 0)
            in->dims[d].value = dim->dim_value;
        if (dim->value_case == ONNX__TENSOR_SHAPE_PROTO__DIMENSION__VALUE_DIM_PARAM &&
            *dim->dim_param)
            in->dims[d].symbol = dim->dim_param;
    }
    return true;
}

bool parse_dim(const char **text, int64_t *value)
{
    char *end;
    if (**text < '0' || **text > '9')
        return false;
    errno = 0;
    *value = strtoll(*text, &end, 10);
    *text = end;
    return errno == 0;
}

bool parse_bound(const char **text, int64_t *value, bool *bounded)
{
    *bounded = !strncmp(*text, "..", 2);
    *text += *bounded ? 2 : 0;
    return parse_dim(text, value) && (!*bounded || *value > 0);
}

const Onnx__TypeProto__Tensor *onnx_port_type(const Onnx__ValueInfoProto *info, PortKind *kind)
{
    const Onnx__TypeProto *type = info->type;
    *kind = (PortKind){0};
    if (type && type->value_case == ONNX__TYPE_PROTO__VALUE_OPTIONAL_TYPE) {
        kind->is_optional = true;
        type = type->optional_type->elem_type;
    }
    if (type && type->value_case == ONNX__TYPE_PROTO__VALUE_SEQUENCE_TYPE) {
        kind->is_sequence = true;
        type = type->sequence_type->elem_type;
    }
    return type && type->value_case == ONNX__TYPE_PROTO__VALUE_TENSOR_TYPE ? type->tensor_type
                                                                           : NULL;
}

static bool add_input(Inputs *s, const Listed *l, const char *name)
{
    Input in = {.name = name, .dtype = DT_U8, .is_element = l->kind.is_sequence, .rank = -1};
    for (size_t i = 0; i < s->n_inputs; i++)
        if (!strcmp(s->inputs[i].name, name))
            return refuse_graph(s->g, "input '%s' is listed twice", name);
    in.narrow = narrow_type(l->type->elem_type) ? l->type->elem_type : 0;
    if (l->type->elem_type == DT_STRING)
        in.dtype = DT_STRING;
    else if (!in.narrow && !onnx_dtype(s->im, l->type->elem_type,
                                       arena_printf(s->g->arena, "input '%s'", name), &in.dtype))
        return false;
    if (l->type->shape && !read_dims(s, l->type->shape, &in))
        return false;
    ARENA_PUSH(s->g->arena, s->inputs, s->n_inputs, s->cap_inputs, in);
    return true;
}

const char *option_of(const Listed *l, const char *option, int64_t *element)
{
    const size_t n = strlen(l->name);
    const char *rest = option + n;
    *element = -1;
    if (strncmp(option, l->name, n))
        return NULL;
    if (l->kind.is_sequence && *rest == '_' && (++rest, !parse_dim(&rest, element)))
        return NULL;
    return *rest == '=' ? rest + 1 : NULL;
}

static bool count_bound(Inputs *s, Listed *l, const char *file)
{
    struct dnnlc_arrays list = {0};
    char why[512];
    if (typed_numbers(file)) {
        l->n = 1;
        l->is_absent = false;
        return true;
    }
    if (!dnnlc_arrays_read(file, &list, why, sizeof why))
        return refuse_graph(s->g, "--bind %s: %s", l->name, why);
    note_read(s->g->arena, s->g->diag, file);
    l->n = l->kind.is_sequence ? list.count : list.count > 0;
    l->is_absent = l->kind.is_optional && list.count == 0;
    dnnlc_arrays_free(&list, 0);
    return true;
}

/* How many tensors it has, by the options, of which each that names one counts. */
static bool count_tensors(Inputs *s, Listed *l)
{
    const ImportOptions *o = s->im->options;
    bool said = false;
    int64_t element;
    for (size_t i = 0; i < o->n_shapes + o->n_binds; i++) {
        const bool binds = i >= o->n_shapes;
        const char *rest = option_of(l, binds ? o->binds[i - o->n_shapes] : o->shapes[i], &element);
        if (!rest)
            continue;
        said = true;
        if (element >= (int64_t)l->n)
            l->n = (size_t)element + 1;
        else if (binds && element < 0 && !count_bound(s, l, rest))
            return false;
        else if (!binds && !strcmp(rest, "absent"))
            l->is_absent = l->kind.is_optional;
    }
    if (l->is_absent)
        l->n = 0;
    const char *absent =
        l->kind.is_optional ? arena_printf(s->g->arena, ", --shape %s=absent", l->name) : "";
    if (!said && l->kind.is_sequence)
        return refuse_graph(s->g,
                            "input '%s' is a sequence, whose tensors have to be known; give the "
                            "shape of each with --shape %s_0=AxB --shape %s_1=AxB; without any, "
                            "--shape %s=empty%s",
                            l->name, l->name, l->name, l->name, absent);
    if (!said && l->kind.is_optional && s->im->options->notes)
        text_printf(s->im->options->notes,
                    "note: input '%s' is optional and taken to be given; otherwise%s\n", l->name,
                    absent + 1);
    return true;
}

static bool list_input(Inputs *s, const Onnx__ValueInfoProto *info, Listed *l)
{
    *l = (Listed){.name = info->name, .first = s->n_inputs};
    l->type = onnx_port_type(info, &l->kind);
    if (!*l->name)
        return refuse_graph(s->g, "an input has no name");
    if (!info->type || info->type->value_case == ONNX__TYPE_PROTO__VALUE__NOT_SET)
        return refuse_graph(s->g, "input '%s' has no type", l->name);
    if (!l->type)
        return refuse_graph(s->g, "input '%s': maps and sequences of sequences are not supported",
                            l->name);
    l->n = !l->kind.is_sequence;
    if ((l->kind.is_optional || l->kind.is_sequence) && !count_tensors(s, l))
        return false;
    if (s->n_inputs + l->n > MAX_INPUTS)
        return refuse_graph(s->g, "input '%s' has too many tensors", l->name);
    for (size_t k = 0; k < l->n; k++)
        if (!add_input(s, l,
                       !l->kind.is_sequence ? l->name
                                            : arena_printf(s->g->arena, "%s_%zu", l->name, k)))
            return false;
    return true;
}

bool list_inputs(Inputs *s, const Onnx__GraphProto *graph, const Scope *scope)
{
    size_t n = 0;
    for (size_t i = 0; i < graph->n_input; i++)
        n += !scope_has(scope, graph->input[i]->name);
    if (n > MAX_INPUTS)
        return refuse_graph(s->g, "the model has too many inputs");
    s->listed = ARENA_ARRAY(s->g->arena, Listed, n + 1);
    for (size_t i = 0; i < graph->n_input; i++) {
        if (scope_has(scope, graph->input[i]->name))
            continue;
        if (!list_input(s, graph->input[i], &s->listed[s->n_listed]))
            return false;
        s->n_listed++;
    }
    return true;
}
