/* The driver: the internal header, init/run/fini, and the executable's table. */
#include "../base/template.h"
#include "../dnnl/plan.h"
#include "../explain/explain.h"
#include "../kernel/plan.h"
#include "../program/amount.h"
#include "../program/loops.h"
#include "emit.h"

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

Bindings *driver_bindings(const Emit *e)
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
    Bindings *b = driver_bindings(e);
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
    Bindings *b = driver_bindings(e);
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
    bind(b, "rows_apart", "%d",
         e->o->origin.rows_apart &&
             type_of(g, g->inputs[(size_t)variant * n_in].value)->dims[0] > 1);
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
        bind(layer, "implementation", "%s", c_safe_text(e->arena, explain_implementation(e->p, s)));
        const StepAmount amount = step_amount(e->p, s);
        bind_int(layer, "operations", amount.operations);
        bind_int(layer, "read", amount.read);
        bind_int(layer, "written", amount.written);
    }
}

static void emit_main(Emit *e)
{
    Bindings *b = driver_bindings(e);
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
    bind(b, "debug", "%d", e->o->debug);
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
