/* The driver: public and internal header, init/run/fini, and the executable's table. */
#include "../base/names.h"
#include "../base/template.h"
#include "../dnnl/plan.h"
#include "../dnnl/words.h"
#include "../kernel/plan.h"
#include "../ops/ops.h"
#include "../program/loops.h"
#include "emit.h"

#include <ctype.h>
#include <string.h>

static uint32_t slot_count(const Program *p)
{
    uint32_t n = p->n_slots;
    return n ? n : 1;
}

/* Do threads share the work of a layer? */
static bool runs_in_parallel(const Program *p)
{
    for (uint32_t i = 0; i < p->n_steps; i++) {
        const Step *s = &p->steps[i];
        if (s->dnnl ? !s->dnnl->one_thread : s->c && s->c->shared)
            return p->threads > 1;
    }
    return false;
}

static Bindings *common(const Emit *e)
{
    Bindings *b = bindings_new(e->arena, NULL);
    bind(b, "banner", "%s", e->names.banner);
    bind(b, "name", "%s", e->names.name);
    bind(b, "upper", "%s", e->names.upper);
    bind(b, "dnnl", "%d", e->o->origin.dnnl);
    bind(b, "has_fallback", "%d", e->has_fallback);
    bind(b, "embedded", "%d", e->o->weights != WEIGHTS_FILE);
    bind(b, "weights_in_file", "%d", e->o->weights == WEIGHTS_FILE);
    bind(b, "header", "\"%s_dnnl.h\"", e->names.name);
    bind(b, "internal", "\"%s_internal.h\"", e->names.name);
    bind_int(b, "threads", e->o->origin.threads);
    bind(b, "selftest", "%zu", e->selftest_bytes);
    bind_int(b, "n_primitives", e->p->n_primitives ? e->p->n_primitives : 1);
    bind_int(b, "n_slots", slot_count(e->p));
    return b;
}

void emit_rendered(Emit *e, const Bindings *b, const char *path, const char *suffix)
{
    Text t = text_new(e->arena);
    render(&t, path, b);
    emit_add_c(e, arena_printf(e->arena, "%s%s", e->names.name, suffix), &t);
}

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

static uint32_t count_bounds(const Graph *g)
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

/* Where a state stands: what a run reads, which it writes elsewhere (`next`), or what it appends to. */
static const char *state_place(const Emit *e, uint32_t input, const char *turn)
{
    const Graph *g = e->p->graph;
    const bool appended = graph_is_appended(g, input);
    return arena_printf(e->arena, "%s + %zu", appended ? "kept" : turn,
                        graph_state_bytes(g, input, appended));
}

/* The bounded dimensions, which are the last inputs. */
static void bind_bounds(const Emit *e, Bindings *b)
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

bool are_states(const Port *ports, uint32_t n)
{
    for (uint32_t i = 0; i < n; i++)
        if (!ports[i].state)
            return false;
    return true;
}

/* What stays in the context: a row each, in the order of the inputs. */
static void bind_states(const Emit *e, Bindings *b)
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

/* What the variants differ in, the sizes of each, and of its units the first and the end. */
static void bind_variants(const Emit *e, Bindings *b)
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

static void emit_header(Emit *e)
{
    Bindings *b = common(e);
    bind(b, "guard", "%s_DNNL_H", e->names.upper);
    bind(b, "aligned", e->has_fallback ? "   " : "");
    bind(b, "bad_argument", "null pointer, memory too small or misaligned%s, init without fini",
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
    bind_ports(e, b, true);
    bind_ports(e, b, false);
    emit_rendered(e, b, "driver/header.h", "_dnnl.h");
}

/* The loop that unit r is the first or the last of; NULL: none. */
static const StepLoop *loop_at(const Emit *e, const StepLoops *loops, uint32_t r)
{
    const uint32_t last = e->p->unit_start[r + 1] - 1;
    for (uint32_t i = 0; i < loops->n; i++)
        if (loops->loop[i].begin == last || loops->loop[i].end == last)
            return &loops->loop[i];
    return NULL;
}

/* Where a loop says whether an iteration follows. */
static BufferId going_on(const Emit *e, const StepLoop *loop)
{
    return e->p->steps[loop->end].out[LOOP_GOING_ON];
}

static bool may_be_full(const Emit *e, const StepLoop *loop)
{
    const Graph *g = e->p->graph;
    const Node *end = node_at(g, e->p->steps[loop->end].node);
    const int64_t capacity = attr_int(end, "capacity", 0),
                  *trips = value_at(g, end->in[LOOP_TRIPS])->data;
    return capacity && !(trips && *trips <= capacity);
}

static void bind_jump(const Emit *e, Bindings *unit, const StepLoop *loop)
{
    bind_int(unit, "jumps", loop != NULL);
    if (!loop)
        return;
    bind(unit, "going_on", "%zu", buffer_offset(e->p, going_on(e, loop)));
    bind_int(unit, "first", e->p->steps[loop->begin].region + 1);
    bind_int(unit, "end", e->p->steps[loop->end].region + 1);
}

/* The calls of portable C where there are loops: "net_c_0(m);", "while (…) {". */
static void bind_calls(const Emit *e, Bindings *b, const StepLoops *loops)
{
    const bool variants = e->p->graph->variants.n > 1;
    Text t = text_new(e->arena);
    int indent = 0;
    for (uint32_t r = 0; r < e->p->n_regions; r++) {
        const StepLoop *loop = loop_at(e, loops, r);
        const char *of =
            variants ? arena_printf(e->arena, "ctx->variant == %u", e->p->regions[r].variant)
                     : NULL;
        if (of)
            text_printf(&t, "%*sif (%s)\n    ", indent, "", of);
        text_printf(&t, "%*s%s(m);\n", indent, "", unit_name(e, r));
        if (!loop)
            continue;
        const char *flag = arena_printf(e->arena, "*(const uint8_t *)%s",
                                        buffer_expr(e->arena, e->p, going_on(e, loop), true));
        if (e->p->steps[loop->begin].region == r) {
            text_printf(&t, "%*swhile (%s%s%s == 1) {\n", indent, "", of ? of : "",
                        of ? " && " : "", flag);
            indent += 4;
            continue;
        }
        indent -= 4;
        text_printf(&t, "%*s}\n", indent, "");
        if (may_be_full(e, loop))
            text_printf(&t, "%*sfull = full || (%s%s%s == 2);\n", indent, "", of ? of : "",
                        of ? " && " : "", flag);
    }
    for (const char *s = t.data, *end; *s; s = end + 1) {
        end = strchr(s, '\n');
        bind(bind_row(b, "lines"), "line", "%.*s", (int)(end - s), s);
    }
}

static void bind_loops(const Emit *e, Bindings *b)
{
    const StepLoops loops = program_loops(e->p, e->arena);
    bool full = false;
    for (uint32_t i = 0; i < loops.n; i++)
        full = full || may_be_full(e, &loops.loop[i]);
    bind_int(b, "loops", loops.n != 0);
    bind_int(b, "may_be_full", full || (loops.n && e->o->origin.dnnl));
    bind_list(b, "lines", "");
    if (loops.n && !e->o->origin.dnnl)
        bind_calls(e, b, &loops);
}

static void bind_units(const Emit *e, Bindings *b)
{
    const StepLoops loops = program_loops(e->p, e->arena);
    for (uint32_t r = 0; r < e->p->n_regions; r++) {
        const uint32_t first = e->p->unit_start[r], end = e->p->unit_start[r + 1];
        Bindings *unit = bind_row(b, "units");
        bind(unit, "unit", "%s", unit_name(e, r));
        bind_int(unit, "is_onednn", e->p->regions[r].target == TARGET_DNNL);
        bind_int(unit, "variant", e->p->regions[r].variant);
        bind_jump(e, unit, loop_at(e, &loops, r));
        bind(unit, "layers", end - first > 1 ? "layers %u to %u" : "layer %u", first, end - 1);
    }
}

static void emit_internal(Emit *e)
{
    Bindings *b = common(e);
    bind(b, "internal_guard", "%s_INTERNAL_H", e->names.upper);
    bind_units(e, b);
    emit_rendered(e, b, "driver/internal.h", "_internal.h");
}

static const char *pointer_list(const Emit *e, bool in)
{
    const Graph *g = e->p->graph;
    uint32_t n = in ? g->n_inputs : g->n_outputs;
    Text t = text_new(e->arena);
    for (uint32_t i = 0; i < n; i++) {
        text_puts(&t, i ? ", " : "");
        if ((in ? g->inputs : g->outputs)[i].state) {
            const uint32_t input = (in ? i : g->outputs[i].state - 1) % inputs_each(g);
            text_puts(&t, state_place(e, input, in ? "now" : "next"));
        } else
            text_printf(&t, "%s->%s", in ? "in" : "out", in ? e->in_names[i] : e->out_names[i]);
    }
    return n ? t.data : "NULL";
}

static void bind_members(const Emit *e, Bindings *b)
{
    const Graph *g = e->p->graph;
    for (uint32_t i = 0; i < inputs_each(g); i++)
        if (!g->inputs[i].state && type_bytes(type_of(g, g->inputs[i].value)))
            bind(bind_row(b, "members"), "member", "in->%s", e->in_names[i]);
    for (uint32_t i = 0; i < outputs_each(g); i++)
        if (!g->outputs[i].state && type_bytes(type_of(g, g->outputs[i].value)))
            bind(bind_row(b, "members"), "member", "out->%s", e->out_names[i]);
}

/* What a run does: units, and copies of outputs that are inputs or constants. */
static void bind_runs(const Emit *e, Bindings *b)
{
    bool idle = e->p->n_regions == 0;
    bind_units(e, b);
    bind_loops(e, b);
    for (uint32_t i = 0; i < e->p->n_copies; i++) {
        const BufferCopy c = e->p->copies[i];
        if (!e->p->buffers[c.to].bytes)
            continue;
        Bindings *copy = bind_row(b, "copies");
        bind_int(copy, "variant", e->p->buffers[c.to].port / outputs_each(e->p->graph));
        bind(copy, "to", "%s", buffer_expr(e->arena, e->p, c.to, false));
        bind(copy, "from", "%s", buffer_expr(e->arena, e->p, c.from, true));
        bind(copy, "bytes", "%zu", e->p->buffers[c.to].bytes);
        idle = false;
    }
    bind(b, "idle", "%d", idle);
}

/* The sections behind the first that embedded weights stand in. */
static void bind_weights_parts(const Emit *e, Bindings *b)
{
    const bool embedded = e->o->weights == WEIGHTS_EMBED;
    bind(b, "in_parts", "%d", embedded && e->p->weights_bytes > WEIGHTS_PART);
    bind_int(b, "part_bytes", WEIGHTS_PART);
    for (size_t i = 1; embedded && i * WEIGHTS_PART < e->p->weights_bytes; i++)
        bind(bind_row(b, "parts"), "part", "%s_weights_%zu", e->names.name, i);
}

static void emit_init_run_fini(Emit *e)
{
    Bindings *b = common(e);
    bind_weights_parts(e, b);
    bind(b, "in", "%s", pointer_list(e, true));
    bind(b, "out", "%s", pointer_list(e, false));
    for (uint32_t i = 0; i < e->p->n_steps || i == 0; i++) {
        Bindings *layer = bind_row(b, "layers");
        bind_int(layer, "layer", i);
        bind(layer, "title", "%s",
             i < e->p->n_steps ? step_title(e->arena, e->p, &e->p->steps[i]) : "");
    }
    bind(b, "workspace_wanted", "%d", e->p->workspace_bytes != 0);
    bind_memory_map(e, b);
    bind_io_places(e, b);
    bind_members(e, b);
    bind_bounds(e, b);
    bind_states(e, b);
    bind_variants(e, b);
    bind_runs(e, b);
    bind(b, "runtime", "\"dnnlc_onednn.h\"");
    bind(b, "hash_header", "\"dnnlc_hash.h\"");
    bind(b, "flush", "%d", !e->o->origin.keep_denormals && e->p->n_regions);
    bind(b, "flush_threads", runs_in_parallel(e->p) ? "ctx->threads" : "1");
    bind(b, "denormals_header", "\"dnnlc_denormals.h\"");
    bind(b, "code_hash", "UINT64_C(0x%016llx)", (unsigned long long)e->code_hash);
    emit_rendered(e, b, "driver/driver.c", "_dnnl.c");
}

static void bind_tensor(const Emit *e, const Port *port, const char *member, uint32_t index,
                        Bindings *tensor)
{
    const TensorType *t = type_of(e->p->graph, port->value);
    bind(tensor, "member", "%s", member);
    bind_int(tensor, "index", index);
    bind_int(tensor, "is_state", port->state != 0);
    bind(tensor, "tensor", "%s", c_safe_text(e->arena, port->name));
    bind_int(tensor, "dtype", t->dtype);
    bind_int(tensor, "rank", t->rank);
    bind_list(tensor, "dims", ", ");
    for (int i = 0; i < t->rank; i++)
        bind_int(bind_row(tensor, "dims"), "dim", t->dims[i]);
    if (!t->rank)
        bind_int(bind_row(tensor, "dims"), "dim", 0);
    bind(tensor, "bytes", "%zu", type_bytes(t));
}

static const char *layer_detail(const Emit *e, const Step *s)
{
    Text t = text_new(e->arena);
    for (uint32_t i = 0; i < s->n_out; i++)
        if (s->out[i] != NO_BUFFER)
            text_printf(&t, "%s%s", i ? " " : "",
                        type_text(e->arena, &e->p->buffers[s->out[i]].type));
    return t.data;
}

/* A table of the executable for each variant, one where there are none. */
static void bind_model(const Emit *e, Bindings *b, uint32_t variant)
{
    const Graph *g = e->p->graph;
    const uint32_t n_in = inputs_each(g), n_out = outputs_each(g);
    bind_int(b, "k", variant);
    bind_list(b, "inputs", "");
    for (uint32_t i = 0; i < n_in; i++)
        bind_tensor(e, &g->inputs[variant * n_in + i], e->in_names[i], i, bind_row(b, "inputs"));
    for (uint32_t i = 0; i < n_out; i++)
        bind_tensor(e, &g->outputs[variant * n_out + i], e->out_names[i], i,
                    bind_row(b, "outputs"));
}

static void bind_tables(const Emit *e, Bindings *b)
{
    const Graph *g = e->p->graph;
    const Variants *v = &g->variants;
    for (uint32_t k = 0; k < (graph_by_count(g) ? 1 : v->n); k++) {
        Bindings *model = bind_row(b, "models");
        bind_model(e, model, k);
        bind(model, "suffix", v->n > 1 && !graph_by_count(g) ? "_%u" : "", k);
        bind(model, "called", "%s", c_safe_text(e->arena, graph_variant_text(e->p->graph, k)));
    }
    const uint32_t n_in = inputs_each(g), own = n_in - count_bounds(g);
    for (uint32_t i = 0; i < n_in; i++) {
        const Port *port = &g->inputs[i];
        bind_tensor(e, port, e->in_names[i], i, bind_row(b, "members_in"));
        for (uint32_t k = 0; k < port->n_counts; k++) {
            Bindings *bound = bind_row(b, "bounds");
            bind_int(bound, "index", i);
            bind_int(bound, "axis", port->counts[k].axis);
            bind_int(bound, "dimension", port->counts[k].by - own);
            bind_int(bound, "most", graph_bound(g, port->counts[k].by));
        }
    }
    for (uint32_t i = 0; i < outputs_each(g); i++) {
        bind_tensor(e, &g->outputs[i], e->out_names[i], i, bind_row(b, "members_out"));
        for (uint32_t k = 0; k < g->outputs[i].n_counts; k++) {
            Bindings *count = bind_row(b, "counts");
            bind_int(count, "index", i);
            bind_int(count, "axis", g->outputs[i].counts[k].axis);
            bind_int(count, "count", g->outputs[i].counts[k].by);
        }
    }
    for (uint32_t i = 0; i < e->p->n_steps; i++) {
        const Step *s = &e->p->steps[i];
        Bindings *layer = bind_row(b, "layers");
        bind(layer, "title", "%s", step_title(e->arena, e->p, s));
        bind(layer, "op", "%s", step_op_name(e->p, s));
        bind(layer, "detail", "%s", c_safe_text(e->arena, layer_detail(e, s)));
        bind(layer, "unit", "%s", unit_name(e, s->region));
    }
}

static void emit_main(Emit *e)
{
    Bindings *b = common(e);
    bind(b, "quoted_name", "\"%s\"", e->names.name);
    bind(b, "version", "\"%s\"", DNNLC_VERSION);
    bind(b, "onednn", "\"%s\"", e->o->origin.dnnl ? ONEDNN_VERSION_TEXT : "");
    bind(b, "isa", "\"%s\"", e->o->origin.isa);
    bind_linked(e, b);
    bind(b, "hash", "\"%s\"", e->o->origin.model_hash);
    bind(b, "target", "\"%s\"", e->o->origin.dnnl ? "dnnl" : "c");
    bind(b, "precision", "\"%s\"", e->o->origin.bf16 ? "bf16" : "f32");
    bind(b, "weights_file", "%s",
         e->o->weights == WEIGHTS_FILE ? arena_printf(e->arena, "\"%s_weights.bin\"", e->names.name)
                                       : "NULL");
    const Graph *g = e->p->graph;
    bind(b, "no_inputs", "%d", g->n_inputs == 0);
    bind(b, "no_layers", "%d", e->p->n_steps == 0);
    const uint32_t n_bounds = count_bounds(g);
    bind(b, "bounded", "%d", n_bounds > 0);
    bind_int(b, "n_models", graph_by_count(g) ? 1 : g->variants.n);
    bind_int(b, "n_dimensions", n_bounds);
    bind_int(b, "n_inputs", inputs_each(g) - n_bounds);
    bind_int(b, "n_outputs", outputs_each(g));
    bind_int(b, "layer_count", e->p->n_steps);
    bind(b, "counted", "%d", g->n_outputs > 0 && graph_is_count(g, g->n_outputs - 1));
    bind_states(e, b);
    bind_variants(e, b);
    bind_tables(e, b);
    bind(b, "runtime", "\"dnnlc_main.h\"");
    emit_rendered(e, b, "driver/main.c", "_main.c");
}

void emit_driver(Emit *e)
{
    emit_header(e);
    emit_internal(e);
    emit_init_run_fini(e);
    emit_main(e);
}
