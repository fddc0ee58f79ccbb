/* The public header: types of inputs and outputs, counts, bounds, states and variants. */
#include "../base/names.h"
#include "emit.h"

#include <ctype.h>
#include <string.h>

/* Beside an output whose capacity may be larger than the number of its rows. */
static void bind_count(const Emit *e, Bindings *b, const Port *port, int axis, const char *member,
                       const char *decl)
{
    const long long capacity = (long long)type_of(e->p->graph, port->value)->dims[axis];
    Bindings *row = bind_row(b, "outputs");
    bind(row, "decl", "%s", decl);
    bind(row, "about", "valid rows of %s%s, at most %lld", member,
         axis || port->n_counts > 1 ? arena_printf(e->arena, " along dimension %d", axis) : "",
         capacity);
}

uint32_t count_bounds(const Graph *g)
{
    uint32_t n = 0;
    for (uint32_t i = 0; i < inputs_each(g); i++)
        n += graph_bound(g, i) >= 0;
    return n;
}

/* "NET_SEQ" of the input that says how large a dimension is. */
static const char *bound_name(const Emit *e, uint32_t i)
{
    char *name = arena_printf(e->arena, "%s_%s", e->names.upper, e->in_names[i]);
    for (char *at = name; *at; at++)
        *at = (char)toupper((unsigned char)*at);
    return name;
}

/* "f32[1|4|16,64]": of port i of each variant, which have n each. */
static const char *sizes_text(const Emit *e, const Port *ports, uint32_t i, uint32_t n)
{
    const Graph *g = e->p->graph;
    const TensorType *t = type_of(g, ports[i].value);
    Text text = text_new(e->arena);
    text_printf(&text, "%s[", dtype_name(t->dtype));
    for (int d = 0; d < t->rank; d++) {
        bool differs = false;
        for (uint32_t v = 1; v < g->variants.n; v++)
            differs |= type_of(g, ports[v * n + i].value)->dims[d] != t->dims[d];
        bool bounded = false;
        for (uint32_t k = 0; ports == g->inputs && k < ports[i].n_counts; k++)
            bounded |= ports[i].counts[k].axis == d;
        text_printf(&text, "%s%s%lld", d ? "," : "", bounded ? ".." : "", (long long)t->dims[d]);
        for (uint32_t v = 1; differs && v < g->variants.n; v++)
            text_printf(&text, "|%lld", (long long)type_of(g, ports[v * n + i].value)->dims[d]);
    }
    text_puts(&text, "]");
    return text.data;
}

const char *state_place(const Emit *e, uint32_t input, const char *turn)
{
    const Graph *g = e->p->graph;
    const bool appended = graph_is_appended(g, input);
    return arena_printf(e->arena, "%s + %zu", appended ? "kept" : turn,
                        graph_state_bytes(g, input, appended));
}

void bind_bounds(const Emit *e, Bindings *b)
{
    const Graph *g = e->p->graph;
    bind_list(b, "bounds", "");
    for (uint32_t i = 0; i < inputs_each(g); i++) {
        if (graph_bound(g, i) < 0)
            continue;
        Bindings *row = bind_row(b, "bounds");
        bind(row, "dimension", "%s", e->in_names[i]);
        if (g->inputs[i].state)
            bind(row, "rows", "*(const int64_t *)(const void *)(%s)", state_place(e, i, "now"));
        else
            bind(row, "rows", "*in->%s", e->in_names[i]);
        bind(row, "bound", "%s", bound_name(e, i));
        bind_int(row, "most", graph_bound(g, i));
    }
}

static void bind_ports(const Emit *e, Bindings *b, bool in)
{
    const Graph *g = e->p->graph;
    const Port *ports = in ? g->inputs : g->outputs;
    const uint32_t n = in ? inputs_each(g) : outputs_each(g);
    const char **decls = ARENA_ARRAY(e->arena, const char *, n + 1);
    int longest = 0; /* the comments behind them are aligned */
    for (uint32_t i = 0; i < n; i++) {
        decls[i] = arena_printf(e->arena, "%s%s *%s;", in ? "const " : "",
                                dtype_c(type_of(g, ports[i].value)->dtype),
                                in ? e->in_names[i] : e->out_names[i]);
        const int length = ports[i].state ? 0 : (int)strlen(decls[i]);
        longest = length > longest ? length : longest;
    }
    for (uint32_t i = 0; i < n; i++) {
        if (ports[i].state || (!in && graph_is_count(g, i)))
            continue;
        Bindings *row = bind_row(b, in ? "inputs" : "outputs");
        bind(row, "decl", "%-*s", longest, decls[i]);
        if (in && graph_bound(g, i) >= 0)
            bind(row, "about", "how large '%s' is, from 0 to %s_MAX",
                 c_safe_text(e->arena, ports[i].name), bound_name(e, i));
        else
            bind(row, "about", "%s '%s'%s%s", sizes_text(e, ports, i, n),
                 c_safe_text(e->arena, ports[i].name), ports[i].scale != 0 ? ": " : "",
                 port_steps(e->arena, &ports[i]));
        for (uint32_t k = 0; !in && k < ports[i].n_counts; k++)
            bind_count(e, b, &ports[i], ports[i].counts[k].axis, e->out_names[i],
                       arena_printf(e->arena, "%-*s", longest, decls[ports[i].counts[k].by]));
    }
}

/* Numbers for bytes that stand for floats, of inputs, and of outputs but for those that are states, as inputs are already. */
static void bind_steps(const Emit *e, Bindings *b, bool in)
{
    const Graph *g = e->p->graph;
    const Port *ports = in ? g->inputs : g->outputs;
    const uint32_t n = in ? inputs_each(g) : outputs_each(g);
    Names *taken = names_new(e->arena);
    if (in)
        bind_list(b, "steps", "");
    for (uint32_t i = 0; i < n; i++) {
        const char *member = in ? e->in_names[i] : e->out_names[i];
        if (ports[i].scale == 0 || (!in && ports[i].state))
            continue;
        Bindings *row = bind_row(b, "steps");
        const char *number = arena_printf(e->arena, "%.9g", (double)ports[i].scale);
        bind(row, "tensor", "%s_%s_%s", e->names.upper, in ? "IN" : "OUT",
             names_unique(taken, arena_upper(e->arena, member)));
        bind(row, "scale", "%s%sf", number, strpbrk(number, ".e") ? "" : ".0");
        bind_int(row, "zero_point", ports[i].zero_point);
    }
}

bool are_states(const Port *ports, uint32_t n)
{
    for (uint32_t i = 0; i < n; i++)
        if (!ports[i].state)
            return false;
    return true;
}

void bind_states(const Emit *e, Bindings *b)
{
    const Graph *g = e->p->graph;
    bind_list(b, "states", "");
    bind(b, "state_bytes", "%zu", graph_state_bytes(g, g->n_inputs, false));
    const size_t any_kept = graph_state_bytes(g, g->n_inputs, true);
    bind(b, "kept_bytes", "%zu", any_kept);
    bind(b, "states_end", any_kept ? "kept_at(ctx)" : "ctx->workspace + %s_WORKSPACE_SIZE",
         e->names.upper);
    for (uint32_t i = 0; i < inputs_each(g); i++) {
        const TensorType *t = type_of(g, g->inputs[i].value);
        if (!g->inputs[i].state)
            continue;
        Bindings *row = bind_row(b, "states");
        bind(row, "state", "%s_STATE_%s,", e->names.upper, e->in_names[i]);
        bind(row, "about", "%s '%s', then what output '%s' was", type_text(e->arena, t),
             c_safe_text(e->arena, g->inputs[i].name),
             c_safe_text(e->arena, g->outputs[g->inputs[i].state - 1].name));
        const bool kept = graph_is_appended(g, i);
        bind(row, "place_of_state", "%zu, %zu%s", graph_state_bytes(g, i, kept), type_bytes(t),
             kept       ? ", 1"
             : any_kept ? ", 0"
                        : "");
        bind_int(row, "index", i);
        bind_int(row, "output", g->inputs[i].state - 1);
        bind(row, "from", "%s", e->in_names[i]);
    }
}

void bind_variants(const Emit *e, Bindings *b)
{
    const Variants *v = &e->p->graph->variants;
    Names *taken = names_new(e->arena);
    bind_list(b, "extents", ", ");
    bind_list(b, "variants", "");
    bind_list(b, "same", " && ");
    for (uint32_t d = 0; v->n > 1 && d < v->n_dims; d++) {
        const char *dim = names_unique(taken, c_member(e->arena, v->dims[d], e->names.upper));
        bind(bind_row(b, "extents"), "extent", "%s", dim);
        bind(bind_row(b, "same"), "extent", "%s", dim);
    }
    for (uint32_t k = 0; v->n > 1 && k < v->n; k++) {
        Bindings *row = bind_row(b, "variants");
        bind_int(row, "k", k);
        uint32_t unit = 0;
        while (unit < e->p->n_regions && e->p->regions[unit].variant > k)
            unit++;
        bind_int(row, "first_unit", unit);
        while (unit < e->p->n_regions && e->p->regions[unit].variant == k)
            unit++;
        bind_int(row, "end_unit", unit);
        bind_list(row, "sizes", ", ");
        for (uint32_t d = 0; d < v->n_dims; d++) {
            const long long size = (long long)v->sizes[k * v->n_dims + d];
            bind(bind_row(row, "sizes"), "size", "%lld", size);
        }
        bind(row, "called", "%s", c_safe_text(e->arena, graph_variant_text(e->p->graph, k)));
    }
    const bool by_count = graph_by_count(e->p->graph);
    bind(b, "by_count", "%d", by_count);
    bind(b, "selectable", "%d", v->n > 1 && !by_count);
    bind_int(b, "n_variants", v->n);
    bind_list(b, "plans", "");
    for (uint32_t k = by_count ? v->n - 1 : 0; k > 0; k--) {
        Bindings *row = bind_row(b, "plans");
        bind_int(row, "k", k);
        bind_list(row, "fits", " && ");
        for (uint32_t d = 0; d < v->n_dims; d++) {
            Bindings *fit = bind_row(row, "fits");
            uint32_t i = 0;
            while (strcmp(e->p->graph->inputs[i].name, v->dims[d]) != 0)
                i++;
            bind(fit, "dimension", "%s", e->in_names[i]);
            bind_int(fit, "size", v->sizes[k * v->n_dims + d]);
        }
    }
}

/* Bytes of an input or output stand for floats. */
static bool has_steps(const Graph *g)
{
    bool found = false;
    for (uint32_t i = 0; i < g->n_inputs; i++)
        found |= g->inputs[i].scale != 0;
    for (uint32_t i = 0; i < g->n_outputs; i++)
        found |= g->outputs[i].scale != 0;
    return found;
}

void emit_header(Emit *e)
{
    Bindings *b = driver_bindings(e);
    bind(b, "guard", "%s_DNNL_H", e->names.upper);
    bind(b, "aligned", e->has_fallback ? "   " : "");
    bind(
        b, "bad_argument",
        "null pointer, memory too small or misaligned, weights of another size%s, init without fini",
        e->has_fallback ? ", too many threads" : "");
    bind(b, "workspace", "%zu", e->p->workspace_bytes);
    bind(b, "weights", "%zu", weights_size(e));
    const Graph *g = e->p->graph;
    bind(b, "no_inputs", "%d", are_states(g->inputs, inputs_each(g)));
    bind(b, "no_outputs", "%d", are_states(g->outputs, outputs_each(g)));
    bind(b, "none", "the model has no inputs%s", g->n_inputs ? " but its states" : "");
    bind_states(e, b);
    bind_variants(e, b);
    bind_bounds(e, b);
    bind(b, "bounded", "%d", count_bounds(g) > 0);
    bind_steps(e, b, true);
    bind_steps(e, b, false);
    bind(b, "stepped", "%d", has_steps(g));
    bind_ports(e, b, true);
    bind_ports(e, b, false);
    emit_rendered(e, b, "driver/header.h", "_dnnl.h");
}
