/* NAME.hpp: the API in C++, a thin class around that in C. */
#include "../base/template.h"
#include "emit.h"

static void bind_shapes(const Graph *g, Bindings *row, const Port *ports, uint32_t i, uint32_t each)
{
    const uint32_t variants = graph_by_count(g) ? 1 : g->variants.n;
    bind(row, "suffix", variants > 1 ? "[]" : "");
    bind(row, "open", variants > 1 ? "{" : "");
    bind(row, "close", variants > 1 ? "}" : "");
    for (uint32_t k = 0; k < variants; k++) {
        const TensorType *t = type_of(g, ports[k * each + i].value);
        Bindings *shape = bind_row(row, "shapes");
        bind_int(shape, "rank", t->rank);
        for (int d = 0; d < t->rank; d++)
            bind_int(bind_row(shape, "dims"), "dim", t->dims[d]);
        if (!t->rank)
            bind(bind_row(shape, "dims"), "dim", "0");
        bind(shape, "size", "%zu", type_bytes(t) / dtype_size(t->dtype));
    }
}

/* What a run reads or writes. Memory for a bounded dimension may end where its rows do, and is not checked. */
static void bind_tensors(const Emit *e, Bindings *b, bool in)
{
    const Graph *g = e->p->graph;
    const Port *ports = in ? g->inputs : g->outputs;
    const char *list = in ? "in_tensors" : "out_tensors", *where = in ? "in" : "out";
    const uint32_t each = in ? inputs_each(g) : outputs_each(g);
    const bool selectable = g->variants.n > 1 && !graph_by_count(g);
    bind_list(b, list, "");
    for (uint32_t i = 0; i < each; i++) {
        const char *member = in ? e->in_names[i] : e->out_names[i];
        if (ports[i].state)
            continue;
        Bindings *row = bind_row(b, list);
        bind(row, "type", "%s", dtype_c(type_of(g, ports[i].value)->dtype));
        bind(row, "member", "%s", member);
        bind(row, "about", "%s '%s'", type_text(e->arena, type_of(g, ports[i].value)),
             c_safe_text(e->arena, ports[i].name));
        bind_shapes(g, row, ports, i, each);
        if (in && ports[i].n_counts)
            continue;
        Bindings *check = bind_row(b, "checked");
        bind(check, "what", "%s.%s", where, member);
        bind(check, "shape", "%sput::%s%s", where, member, selectable ? "[k]" : "");
    }
    bind(b, in ? "no_in" : "no_out", "%d", are_states(ports, each));
}

void emit_cpp(Emit *e)
{
    const Graph *g = e->p->graph;
    Bindings *b = bindings_new(e->arena, NULL);
    bind(b, "banner", "%s", e->names.banner);
    bind(b, "name", "%s", e->names.name);
    bind(b, "upper", "%s", e->names.upper);
    bind(b, "has_fallback", "%d", e->has_fallback);
    bind(b, "selectable", "%d", g->variants.n > 1 && !graph_by_count(g));
    bind_list(b, "checked", "");
    bind_tensors(e, b, true);
    bind_tensors(e, b, false);
    emit_rendered(e, b, "driver/model.hpp", ".hpp");
}
