/* Lowering: see lower/lower.h.
 *
 * Nodes are taken region by region. Each becomes a step; a node whose composite is not finished yet waits for its root;
 * a Reshape becomes a view where the bytes stay where they are. Every value has one primary buffer, written by its
 * producer in the layout that suits it; who wants another layout gets a copy through a reorder step that all its kind share.
 *
 * Layouts: oneDNN's forward primitives are at their best with the channels last (measured on AVX2 and AVX-512: never
 * slower than blocked ones, and every other kernel can read them), so there are two: row-major and channels-last. */
#include "lower.h"
#include "../base/progress.h"

#include "../kernel/kernel.h"
#include "../kernel/plan.h"
#include "../ops/ops.h"
#include "../program/guard.h"
#include "../program/step.h"
#include "place.h"

#include "../../passes/common/util.h"

#include <string.h>

static bool is_elementwise(const Lowering *l, NodeId id, const Composite *c)
{
    uint32_t n = c ? c->n_nodes : 1;
    const NodeId *nodes = c ? c->nodes : &id;
    for (uint32_t i = 0; i < n; i++)
        if (!c_can_fuse(l->g, node_at(l->g, nodes[i])))
            return false;
    return true;
}

/* Some full operand is a part of a wider tensor, or the result will be. oneDNN's elementwise primitives have only reference
 * code for that. */
static bool touches_parts(const Lowering *l, NodeId id, const Composite *c)
{
    const Node *n = node_at(l->g, id);
    ValueId out = n->out[0];
    const ValueId *in = c ? c->args : n->in;
    for (uint32_t k = 0; k < (c ? c->n_args : n->n_in); k++)
        if (same_shape(type_of(l->g, in[k]), type_of(l->g, out)) &&
            lower_actual_layout(l, in[k]).pitch)
            return true;
    return has_destination(l, out) && l->dest[out.i].layout.pitch;
}

/* An elementwise composite for C, where the numbers of oneDNN's post-ops are operands as well. */
static const Composite *as_loop(Lowering *l, NodeId id)
{
    const uint32_t row = l->g->columns->composite[id.i];
    collect_args(l->g, &l->g->columns->composites[row], row);
    return &l->g->columns->composites[row];
}

/* Nearest elements, copied from one wider tensor to another: C does so without making it dense before and behind. */
static bool is_resize_of_parts(const Lowering *l, const Node *n)
{
    return n->op == OP_Resize && !strcmp(attr_string(n, "mode", "nearest"), "nearest") &&
           has_destination(l, n->out[0]) && l->dest[n->out[0].i].layout.pitch;
}

/* A pool, Resize or reduction for which row-major source and result were chosen, in which C is quicker. */
static bool is_quick_by_rows(const Lowering *l, const Node *n)
{
    const Layout reads = lower_reads(l, n->out[0]), leaves = lower_leaves(l, n->out[0]),
                 in = layout_plain(reads.rank), out = layout_plain(leaves.rank);
    return l->choice &&
           (n->op == OP_MaxPool || n->op == OP_AveragePool || n->op == OP_Resize ||
            (onednn_ops[n->op].primitive == PRIMITIVE_reduction &&
             (double)type_count(type_of(l->g, n->in[0])) < l->machine.small_reduction)) &&
           layout_equal(&reads, &in) && layout_equal(&leaves, &out);
}

/* A pool with its channels last at both ends, which C computes in 0.5 to 0.9 of oneDNN's time. */
static bool is_quick_by_pixels(const Lowering *l, const Node *n)
{
    const Layout reads = lower_reads(l, n->out[0]), leaves = lower_leaves(l, n->out[0]),
                 last = layout_nxc(reads.rank);
    return l->choice && op_info(n->op)->class == CLASS_POOL && machine_lanes(&l->machine) > 0 &&
           layout_equal(&reads, &last) && layout_equal(&leaves, &last) && c_pools_last(l->g, n);
}

static bool lower_node(Lowering *l, NodeId id)
{
    const Node *n = node_at(l->g, id);
    const Composite *c = composite_of(l->g, id);
    const Columns *columns = l->g->columns;
    l->why = NULL;
    bool dnnl = l->engine && columns->target && columns->target[id.i] == TARGET_DNNL;
    if (c && c->root.i != id.i)
        return true;
    if (c && c->kind == COMPOSITE_SUM_NORM)
        return lower_sum_norm(l, c);
    if (op_has(n->op, TRAIT_LOOP)) {
        lower_loop_ends(l, id);
        return true;
    }
    if (!c && n->op == OP_Reshape) {
        lower_view(l, n);
        return true;
    }
    if (!c &&
        ((n->op == OP_Concat && concat_in_place(l, n)) ||
         (n->op == OP_Split && split_is_views(l, n)) || (n->op == OP_Slice && slice_is_view(l, n))))
        return true;
    if (!c && n->op == OP_Transpose && lower_transpose_is_view(l, n)) {
        lower_transpose_view(l, n);
        return true;
    }
    if (dnnl && is_elementwise(l, id, c) && touches_parts(l, id, c)) {
        l->why = "an operand or the result is a part of a wider tensor, for which oneDNN has only "
                 "slow code";
        return c ? lower_c_group(l, as_loop(l, id)) : lower_c_node(l, id);
    }
    if (dnnl && !c && is_resize_of_parts(l, n)) {
        l->why = "the result is a part of a wider tensor, where oneDNN does not write";
        return lower_c_node(l, id);
    }
    if (dnnl && (!c || c->n_nodes == 1) && is_quick_by_rows(l, n)) {
        l->why = "C reads rows as they lie";
        return lower_c_node(l, id);
    }
    if (dnnl && (!c || c->n_nodes == 1) && is_quick_by_pixels(l, n)) {
        l->why = "C starts no primitive for each pixel";
        return lower_c_node(l, id);
    }
    if (dnnl && lower_dnnl(l, id, c))
        return true;
    if (dnnl && c)
        return lower_parts(l, c);
    return c ? lower_c_group(l, c) : lower_c_node(l, id);
}

/* Nodes in the order in which they are lowered: by region, and in each as in the graph. */
static const uint32_t *schedule(const Graph *g, const Loops *loops, Arena *arena)
{
    const Columns *c = g->columns;
    const uint32_t *region = c->region ? c->region : ARENA_ARRAY(arena, uint32_t, g->n_nodes);
    const uint32_t *order = order_by_key(arena, region, g->n_nodes, c->region ? c->n_regions : 1);
    return lower_loops_together(loops, arena, order, g->n_nodes);
}

static void find_last_uses(Lowering *l, const uint32_t *order)
{
    const Graph *g = l->g;
    for (uint32_t i = 0; i < g->n_nodes; i++)
        l->position[order[i]] = i;
    for (uint32_t i = 0; i < g->n_nodes; i++) {
        const Composite *c = composite_of(l->g, (NodeId){i});
        if (c)
            l->position[i] = l->position[c->root.i];
    }
    for (uint32_t k = 0; k < g->n_outputs; k++)
        l->last_use[g->outputs[k].value.i] = NO_ROW;
    /* backwards, so that the last use of a view is known before that of what it is a view of */
    for (uint32_t i = g->n_nodes; i-- > 0;) {
        const Node *n = &g->nodes[i];
        uint32_t at = l->position[i];
        for (uint32_t k = 0; op_may_be_view(n->op) && k < n->n_out; k++)
            if (has_value(n->out[k]) && l->last_use[n->out[k].i] > at)
                at = l->last_use[n->out[k].i];
        for (uint32_t k = 0; k < n->n_in; k++) {
            const uint32_t last = has_value(n->in[k]) ? lower_loops_last_use(l, n->in[k], at) : 0;
            if (has_value(n->in[k]) && l->last_use[n->in[k].i] < last)
                l->last_use[n->in[k].i] = last;
        }
    }
}

static void add_inputs(Lowering *l)
{
    const Graph *g = l->g;
    for (uint32_t i = 0; i < g->n_inputs; i++) {
        ValueId v = g->inputs[i].value;
        const TensorType *t = type_of(g, v);
        l->primary[v.i] = lower_new_buffer(l, (Buffer){.kind = BUFFER_INPUT,
                                                       .value = v,
                                                       .type = *t,
                                                       .layout = layout_plain(t->rank),
                                                       .bytes = type_bytes(t),
                                                       .port = i,
                                                       .base = NO_BUFFER});
    }
}

static bool is_copied_from(const Lowering *l, BufferId port)
{
    for (uint32_t i = 0; i < l->p->n_copies; i++)
        if (root_buffer(l->p, l->p->copies[i].from, NULL) == port)
            return true;
    return false;
}

/* A reader has had a copy made there. */
static bool has_copy_at(const Lowering *l, ValueId v, BufferId port)
{
    for (size_t i = 0; i < l->n_copies; i++)
        if (same_value(l->copies[i].value, v) &&
            root_buffer(l->p, l->copies[i].buffer, NULL) == port)
            return true;
    return false;
}

static void finish_output(Lowering *l, BufferId b, const TensorType *t, BufferId port)
{
    Program *p = l->p;
    Layout plain = layout_plain(t->rank);
    bool reorder = !layout_same_bytes(&p->buffers[b].layout, &plain, t);
    BufferId to = port;
    if (reorder && is_copied_from(l, port)) /* copies come after all steps */
        to = lower_arena_buffer(l, NO_VALUE, *t, plain, type_bytes(t));
    if (reorder)
        lower_add_reorder(l, b, to);
    if (reorder && to == port)
        return;
    ARENA_PUSH(p->arena, p->copies, p->n_copies, p->cap_copies,
               (BufferCopy){reorder ? to : b, port});
}

/* Outputs that no step wrote where they belong: inputs, constants, values shown twice, channels-last results. First those that are
 * in the memory of another output, which may be the next to be written. */
static void finish_outputs(Lowering *l, uint32_t variant)
{
    const Graph *g = l->g;
    const uint32_t first = variant * outputs_each(g);
    for (int pass = 0; pass < 2; pass++)
        for (uint32_t i = first; i < first + outputs_each(g); i++) {
            ValueId v = g->outputs[i].value;
            BufferId b = lower_primary(l, v);
            bool in_port = l->p->buffers[root_buffer(l->p, b, NULL)].kind == BUFFER_OUTPUT;
            if (in_port == (pass == 0) &&
                !(is_at_destination(l, v) && l->dest[v.i].buffer == l->port_buffer[i]) &&
                !has_copy_at(l, v, l->port_buffer[i]))
                finish_output(l, b, type_of(g, v), l->port_buffer[i]);
        }
}

static const char *label_of(const Lowering *l, const Step *s, uint32_t index)
{
    if (!s->n_nodes)
        return arena_printf(l->arena, "reorder_%u", index);
    char *text = arena_printf(l->arena, "%s_%u", step_op_name(l->p, s), index);
    for (char *c = text; *c; c++)
        *c = *c >= 'A' && *c <= 'Z' ? (char)(*c - 'A' + 'a') : *c;
    return text;
}

/* Kernels that only move elements or map each by itself, and pools and convolutions that C computes because it is quicker at them. */
static bool is_glue(const Lowering *l, const Step *s)
{
    for (uint32_t i = 0; i < s->n_nodes; i++) {
        const Node *n = node_at(l->g, s->nodes[i]);
        const OpClass class = op_info(n->op)->class;
        if (class != CLASS_MOVE && class != CLASS_POOL && !c_can_fuse(l->g, n) &&
            n->op != OP_Resize && c_conv_last(l->g, n) == CONV_LAST_NONE)
            return false;
    }
    return true;
}

/* The next step of the oneDNN target before `end`, if all before it from step i on are glue; otherwise i. */
static uint32_t skip_glue(const Lowering *l, uint32_t i, uint32_t end)
{
    uint32_t j = i;
    while (j < end && l->p->steps[j].target == TARGET_C && is_glue(l, &l->p->steps[j]))
        j++;
    return j < end && l->p->steps[j].target == TARGET_DNNL ? j : i;
}

/* Why the unit before ends at step s, the first of a unit of the other target. */
static const char *why_ended(const Lowering *l, const Step *s, Target unit)
{
    if (!s->n_nodes)
        return "a reorder of oneDNN follows";
    const Node *n = node_at(l->g, s->node);
    const char *name =
        arena_printf(l->arena, "'%s' (%s)", node_label(l->g, n), op_info(n->op)->name);
    if (unit == TARGET_DNNL)
        return arena_printf(l->arena, "%s is oneDNN's", name);
    return is_glue(l, s)
               ? arena_printf(l->arena, "no primitive of oneDNN follows on %s before C computes",
                              name)
               : arena_printf(l->arena, "%s is computed in C", name);
}

/* Step i is one end of a loop, and with that the last of its unit: the driver looks whether an iteration follows. */
static bool ends_loop(const Lowering *l, uint32_t i)
{
    const Step *s = &l->p->steps[i];
    return s->n_nodes == 1 && op_has(node_at(l->g, s->node)->op, TRAIT_LOOP);
}

/* The first step behind i that cannot be in one unit with it, at most `end`. */
static uint32_t unit_limit(const Lowering *l, uint32_t i, uint32_t end)
{
    while (i < end && !ends_loop(l, i))
        i++;
    return i < end ? i + 1 : end;
}

/* Steps of one target that stand together become one unit. One of oneDNN does not end where C kernels only hand elements on
 * to its next primitive. Variants stand one after the other, the last first; first_step: of each in this order, and behind them. */
static void find_units(Lowering *l, const uint32_t *first_step)
{
    Program *p = l->p;
    p->regions = ARENA_ARRAY(p->arena, Region, p->n_steps + 1);
    p->unit_start = ARENA_ARRAY(p->arena, uint32_t, p->n_steps + 1);
    uint32_t inside = 0; /* steps before this one stay in the unit */
    uint32_t turn = 0;
    for (uint32_t i = 0; i < p->n_steps; i++) {
        Step *s = &p->steps[i];
        const uint32_t before = turn;
        while (i == first_step[turn + 1])
            turn++;
        const bool loop = i && ends_loop(l, i - 1), begins = i == 0 || turn != before || loop;
        bool after_c = i && p->regions[p->n_regions - 1].target == TARGET_C;
        if (i >= inside && s->target == TARGET_C && (begins || !after_c))
            inside = skip_glue(l, i, unit_limit(l, i, first_step[turn + 1]));
        Target unit = i < inside ? TARGET_DNNL : s->target;
        if (begins || unit != p->regions[p->n_regions - 1].target) {
            if (i)
                p->regions[p->n_regions - 1].why_ended = loop     ? "a loop begins or ends"
                                                         : begins ? "it is the end of a variant"
                                                                  : why_ended(l, s, unit);
            p->unit_start[p->n_regions] = i;
            p->regions[p->n_regions++] =
                (Region){.target = unit, .variant = l->g->variants.n - 1 - turn};
        }
        s->region = p->n_regions - 1;
        s->label = label_of(l, s, i);
    }
    onednn_number_steps(p);
    p->unit_start[p->n_regions] = p->n_steps;
    if (p->n_regions)
        p->regions[p->n_regions - 1].why_ended = "it is the end of the model";
}

/* So that they are still there when the model runs again. */
static MachineWeights weights_of(const Graph *g, const Machine *m)
{
    size_t bytes = 0;
    for (uint32_t v = 0; v < g->n_values; v++)
        if (g->values[v].kind == VALUE_CONST)
            bytes += type_bytes(&g->values[v].type);
    return machine_weights(m, (double)bytes);
}

Lowering lower_begin(Graph *g, Program *p, DnnlEngine *engine, const LowerOptions *options)
{
    Lowering l = {.g = g, .p = p, .arena = g->arena, .engine = engine, .options = *options};
    l.machine = options->machine ? *options->machine
                                 : machine_of_isa(engine ? onednn_engine_isa(engine) : NULL);
    l.primary = ARENA_ARRAY(g->arena, BufferId, g->n_values);
    l.position = ARENA_ARRAY(g->arena, uint32_t, g->n_nodes);
    l.last_use = ARENA_ARRAY(g->arena, uint32_t, g->n_values);
    l.dest = ARENA_ARRAY(g->arena, Dest, g->n_values);
    l.port_buffer = ARENA_ARRAY(g->arena, BufferId, g->n_outputs);
    l.uses = graph_uses(g, g->arena);
    l.loops = graph_loops(g, g->arena);
    l.copies_before = ARENA_ARRAY(g->arena, size_t, (size_t)l.loops.n + 1);
    l.weights = weights_of(g, &l.machine);
    memset(l.primary, 0xff, g->n_values * sizeof *l.primary);
    return l;
}

/* Kernels of C are planned again when all steps are there, and may look at constants: the tables of a forest. */
static bool c_reads(const Lowering *l, uint32_t value)
{
    for (uint32_t i = l->uses.start[value]; i < l->uses.start[value + 1]; i++)
        for (uint32_t k = 0; k < l->p->n_steps; k++) {
            const Step *s = &l->p->steps[k];
            for (uint32_t j = 0; s->target == TARGET_C && j < s->n_nodes; j++)
                if (s->nodes[j].i == l->uses.node[i].i)
                    return true;
        }
    return false;
}

void lower_release_read(Lowering *l, const DnnlPrimitive *packing)
{
    for (uint32_t v = 0; v < l->g->n_values; v++) {
        Value *value = &l->g->values[v];
        const void *data = value->data;
        const size_t bytes = type_bytes(&value->type);
        bool kept = value->kind != VALUE_CONST || l->last_use[v] != l->now || bytes < ARENA_LARGE;
        for (uint32_t i = 0; !kept && packing && i < packing->n_memory; i++)
            kept = (uintptr_t)packing->memory[i].data - (uintptr_t)data < bytes;
        if (kept || c_reads(l, v))
            continue;
        value->data = NULL;
        lower_release(l, data, bytes);
        value->data = data;
    }
}

/* All of its nodes are lowered. */
static void end_variant(Lowering *l, uint32_t *turn, uint32_t *first_step)
{
    finish_outputs(l, l->g->variants.n - 1 - *turn);
    first_step[++*turn] = l->p->n_steps;
}

static bool lower_all(Lowering *l)
{
    Graph *g = l->g;
    Program *p = l->p;
    p->lanes = l->engine ? machine_lanes(&l->machine) : l->options.no_float ? 1 : 0;
    const uint32_t *order = schedule(g, &l->loops, g->arena);
    l->choice = g->columns->layouts;
    p->layouts = l->choice ? l->choice->said : NULL;
    assign_destinations(l);
    find_last_uses(l, order);
    add_inputs(l);
    const uint32_t *variants = graph_node_variants(g, g->arena);
    uint32_t *first_step = ARENA_ARRAY(g->arena, uint32_t, (size_t)g->variants.n + 1);
    uint32_t turn = 0;
    for (uint32_t i = 0; i < g->n_nodes; i++) {
        while (variants[order[i]] < g->variants.n - 1 - turn)
            end_variant(l, &turn, first_step);
        l->now = l->position[order[i]];
        progress_at(i, g->n_nodes);
        if (!lower_node(l, (NodeId){order[i]}))
            return false;
        const bool lowered = i == l->now; /* the first nodes of a composite wait for its root */
        if (l->options.frees && lowered)
            lower_release_read(l, NULL);
    }
    while (turn < g->variants.n)
        end_variant(l, &turn, first_step);
    if (g->variants.n > 1)
        lower_share_constants(p);
    find_units(l, first_step);
    lower_choose_threads(l);
    guard_steps(p);
    lower_mark_rounding(p);
    p->lowered = true;
    return true;
}

static void empty(Program *p, const Graph *g, const LowerOptions *options)
{
    *p = (Program){.graph = g, .arena = p->arena, .origin = p->origin, .search = options->search};
}

/* The constants that were packed for it. */
static void release_program(Lowering *l)
{
    Program *p = l->p;
    while (p->n_buffers) {
        const Buffer b = p->buffers[--p->n_buffers];
        if (b.kind == BUFFER_CONST)
            lower_release(l, b.data, b.bytes);
    }
}

bool lower_program(Graph *g, Program *p, DnnlEngine *engine, const LowerOptions *options)
{
    const bool several = g->variants.n > 1 && engine;
    p->arena = g->arena;
    empty(p, g, options);
    Lowering l = lower_begin(g, p, engine, options);
    l.options.frees = options->frees && !several;
    if (!lower_all(&l))
        return false;
    if (!several || !lower_share_forms(&l))
        return true;
    release_program(&l);
    empty(p, g, options);
    Lowering again = lower_begin(g, p, engine, options);
    again.decided = l.forms;
    again.n_decided = l.n_forms;
    return lower_all(&again);
}
