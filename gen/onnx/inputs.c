/* The model's inputs as values of the graph: what the file declares, of the sizes that options say (input_options.c). An input with a
 * bounded dimension gets a count, an input of its own behind the model's. */
#include "inputs.h"
#include "../base/narrow.h"
#include "dependent_rows.h"

/* The numbers that the bytes of a port stand for. */
static ValueId decoded(Inputs *s, const Input *in, const TensorType *type)
{
    const TensorType port = narrow_port(in->narrow, type);
    OnnxNode c = onnx_port_node(s->im, in->name);
    if (in->bound && in->bound_bytes != type_bytes(&port)) {
        refuse_graph(s->g, "--bind %s: the file has %zu bytes, the input takes %zu", in->name,
                     in->bound_bytes, type_bytes(&port));
        return NO_VALUE;
    }
    ValueId v = in->bound ? graph_add_const(s->g, in->name, port, in->bound)
                          : graph_add_input(s->g, in->name, port);
    return narrow_from_codes(&c, v, in->narrow, type);
}

/* Strings that a run is given. */
static ValueId unbound_strings(Inputs *s, const Input *in, const TensorType *type)
{
    enum { USUAL_WIDTH = 64 };
    if (!in->width && s->im->options->notes)
        text_printf(s->im->options->notes,
                    "note: input '%s': each string has %d bytes; a dimension more in --shape says "
                    "how many\n",
                    in->name, USUAL_WIDTH);
    return string_input(s->im, in->name, type, in->width ? in->width : USUAL_WIDTH);
}

/* The number of the count called so, which at first stands before the model's inputs; where an input is called so, _count is added. */
static uint32_t count_called(Inputs *s, const char *name, int64_t most, bool alone)
{
    uint32_t i = 0;
    for (size_t k = 0; k < s->n_inputs; k++)
        if (!strcmp(s->inputs[k].name, name)) {
            name = arena_printf(s->g->arena, "%s_count", name);
            k = 0;
        }
    while (i < s->n_counts && strcmp(s->counts[i].name, name) != 0)
        i++;
    if (i < s->n_counts)
        s->counts[i].alone |= alone;
    else
        ARENA_PUSH(s->g->arena, s->counts, s->n_counts, s->cap_counts,
                   (DimCount){name, most, alone});
    return i;
}

/* The counts of dimension d, which inputs with the same symbols share. */
static uint32_t counts_of(Inputs *s, const Input *in, int d, uint32_t counts[MAX_COUNTS])
{
    const Dim *dim = &in->dims[d];
    const char *name = dim->symbol ? dim->symbol : arena_printf(s->g->arena, "%s_%d", in->name, d);
    if (!dim->bounded)
        return 0;
    for (uint32_t i = 0; i < dim->n_sum; i++)
        counts[i] = count_called(s, dim->sum[i], find_symbol(s, dim->sum[i])->value, false);
    if (dim->n_sum)
        return dim->n_sum;
    counts[0] = count_called(s, name, dim->value, true);
    return 1;
}

/* The capacity that is planned for. */
static int64_t smaller(const Inputs *s, int64_t bound)
{
    const int64_t part = s->im->options->part ? s->im->options->part : 1;
    return (bound + part - 1) / part;
}

/* How many rows there are along dimension d of input `port`, and what is planned for. */
static Number bounded_rows(Inputs *s, OnnxNode *c, const Input *in, int d, uint32_t port)
{
    uint32_t counts[MAX_COUNTS];
    const uint32_t n = counts_of(s, in, d, counts);
    Number rows = {in->dims[d].value, s->g->inputs[counts[0]].value};
    for (uint32_t i = 0; i < n; i++) {
        const DimCount *count = &s->counts[counts[i]];
        rows.most -= count->most;
        if (i > 0)
            rows.value = count_sum(c, rows.value, s->g->inputs[counts[i]].value);
        /* place_counts makes numbers of ports of them */
        s->g->inputs[port].counts[s->g->inputs[port].n_counts++] = (RowCount){d, counts[i]};
    }
    rows.value = count_plus(c, rows.value, rows.most);
    for (uint32_t i = 0; i < n; i++)
        rows.most += smaller(s, s->counts[counts[i]].most);
    return rows;
}

/* An input of which only the rows that count are read, and which is zeros behind them. */
static ValueId bounded_value(Inputs *s, const Input *in, const TensorType *type)
{
    OnnxNode c = onnx_port_node(s->im, in->name);
    const uint32_t port = s->g->n_inputs;
    ValueId take[1 + MAX_COUNTS] = {graph_add_input(s->g, in->name, *type)};
    int64_t axes[MAX_COUNTS], sizes[MAX_COUNTS];
    uint32_t n = 0;
    for (int d = 0; d < in->rank; d++) {
        if (!in->dims[d].bounded)
            continue;
        const Number rows = bounded_rows(s, &c, in, d, port);
        axes[n] = d;
        sizes[n++] = rows.most;
        take[n] = rows.value;
    }
    counting_off(&c, true);
    const ValueId taken = n == 1
                              ? emit(&c, OP_TakeRows, IN(take[0], take[1]),
                                     ATTRS(ATTR_I("axis", axes[0]), ATTR_I("size", sizes[0])))
                              : emit(&c, OP_TakeBlock, take, 1 + n,
                                     ATTRS(ATTR_IS("axes", axes, n), ATTR_IS("sizes", sizes, n)));
    counting_off(&c, false);
    for (uint32_t i = 0; i < n && has_value(taken); i++)
        set_rows(s->im, taken, (Rows){(int)axes[i], take[1 + i]});
    return taken;
}

static bool is_bounded(const Input *in)
{
    int d = 0;
    while (d < in->rank && !in->dims[d].bounded)
        d++;
    return d < in->rank;
}

static bool add_counts(Inputs *s)
{
    for (size_t i = 0; i < s->n_inputs; i++) {
        const Input *in = &s->inputs[i];
        uint32_t n = 0, counts[MAX_COUNTS];
        if (is_bounded(in) && (in->bound || in->narrow || in->dtype == DT_STRING))
            return refuse_graph(s->g,
                                "input '%s' cannot have a bound: its elements are no numbers of a "
                                "whole byte, or known",
                                in->name);
        for (int d = 0; d < in->rank; d++)
            n += counts_of(s, in, d, counts);
        if (n > MAX_COUNTS)
            return refuse_graph(s->g, "input '%s': %u bounds are more than %d", in->name, n,
                                MAX_COUNTS);
    }
    for (uint32_t i = 0; i < s->n_counts; i++) {
        const DimCount *count = &s->counts[i];
        const ValueId v = graph_add_input(s->g, count->name, type_make(DT_I64, 0, NULL));
        s->g->inputs[i].most = count->alone ? 0 : count->most;
        set_bound(s->im, v, smaller(s, count->most));
    }
    return true;
}

/* Counts go behind the model's own inputs. */
static void place_counts(Inputs *s)
{
    const uint32_t n = s->g->n_inputs - s->n_counts;
    Port *ports = ARENA_ARRAY(s->g->arena, Port, (size_t)s->g->n_inputs + 1);
    memcpy(ports, s->g->inputs + s->n_counts, n * sizeof *ports);
    memcpy(ports + n, s->g->inputs, s->n_counts * sizeof *ports);
    for (uint32_t i = 0; i < n; i++)
        for (uint32_t k = 0; k < ports[i].n_counts; k++)
            ports[i].counts[k].by += n;
    s->g->inputs = ports;
}

static ValueId input_value(Inputs *s, const Input *in)
{
    TensorType type = {.dtype = in->dtype, .rank = in->rank};
    for (int d = 0; d < in->rank; d++)
        type.dims[d] = in->dims[d].value;
    if (!type_valid(&type)) {
        refuse_graph(s->g, "input '%s' is too large", in->name);
        return NO_VALUE;
    }
    if (in->dtype == DT_STRING && !in->bound)
        return unbound_strings(s, in, &type);
    if (in->narrow)
        type.dtype = narrow_type(in->narrow)->as;
    if (is_bounded(in))
        return bounded_value(s, in, &type);
    return in->narrow  ? decoded(s, in, &type)
           : in->bound ? graph_add_const(s->g, in->name, type, in->bound)
                       : graph_add_input(s->g, in->name, type);
}

static bool define_inputs(Inputs *s, Scope *scope)
{
    for (const Listed *l = s->listed; l < s->listed + s->n_listed; l++) {
        ValueId *values = ARENA_ARRAY(s->g->arena, ValueId, l->n + 1);
        for (size_t k = 0; k < l->n; k++) {
            values[k] = input_value(s, &s->inputs[l->first + k]);
            if (!has_value(values[k]))
                return false;
        }
        Item item = {.kind = ITEM_VALUE, .value = values[0]};
        if (l->is_absent)
            item.kind = ITEM_EMPTY_OPTIONAL;
        else if (l->kind.is_sequence)
            item = onnx_list(s->g->arena, values, l->n);
        if (!scope_define(scope, l->name, item))
            return refuse_graph(s->g, "input '%s' is listed twice", l->name);
    }
    return true;
}

bool onnx_inputs(Import *im, const Onnx__GraphProto *graph, Scope *scope)
{
    Inputs s = {.im = im, .g = im->g};
    if (!list_inputs(&s, graph, scope))
        return false;
    if (!apply_input_options(&s) || !add_counts(&s) || !define_inputs(&s, scope))
        return false;
    if (s.n_counts)
        place_counts(&s);
    return true;
}
