/* Buffers, steps and units of a program, each by itself: types, layouts, sizes, and that every number which names a row names one. */
#include "../base/names.h"
#include "../kernel/kernel.h"
#include "../ops/trees.h"
#include "checker.h"

#include <string.h>

static bool check_layout(const Checker *c, BufferId id)
{
    const Buffer *b = at(c, id);
    const Layout *l = &b->layout;
    bool seen[MAX_RANK] = {false};
    int64_t rows = 1, elements;
    if (!type_valid(&b->type) || l->rank != b->type.rank)
        return wrong(c, "buffer %u: the layout has another rank than the type", id);
    if (l->block && (b->kind != BUFFER_CONST || l->block < 0 || l->block_dim < 0 ||
                     l->block_dim >= l->rank || l->pitch))
        return wrong(c, "buffer %u: no layout of constants with blocks", id);
    for (int d = 0; d < l->rank; d++) {
        int8_t dim = l->order[d];
        if (dim < 0 || dim >= l->rank || seen[dim])
            return wrong(c, "buffer %u: the layout is not an order of its dimensions", id);
        seen[dim] = true;
    }
    for (int d = 0; d + 1 < l->rank; d++)
        if (!mul_i64(rows, b->type.dims[l->order[d]], &rows))
            return wrong(c, "buffer %u is too large", id);
    if (l->pitch && (l->rank == 0 || l->pitch < b->type.dims[l->order[l->rank - 1]] ||
                     !mul_i64(rows, l->pitch, &elements) || elements > INT64_C(1) << 44))
        return wrong(c, "buffer %u: its rows are not %lld elements apart", id, (long long)l->pitch);
    return b->kind == BUFFER_CONST || b->bytes == layout_bytes(l, &b->type) ||
           wrong(c, "buffer %u has %zu bytes, its layout needs %zu", id, b->bytes,
                 layout_bytes(l, &b->type));
}

static bool check_port(const Checker *c, BufferId id)
{
    const Buffer *b = at(c, id);
    const Graph *g = c->p->graph;
    const bool in = b->kind == BUFFER_INPUT;
    if (b->port >= (in ? g->n_inputs : g->n_outputs))
        return wrong(c, "buffer %u: there is no port %u", id, b->port);
    const Port *port = in ? &g->inputs[b->port] : &g->outputs[b->port];
    const TensorType *type = type_of(g, port->value);
    const Layout plain = layout_plain(type->rank);
    if (b->bytes != type_bytes(type))
        return wrong(c, "buffer %u has another size than '%s'", id, port->name);
    return (type_equal(&b->type, type) && layout_same_bytes(&b->layout, &plain, type)) ||
           wrong(c, "buffer %u is no row-major tensor of the type of '%s'", id, port->name);
}

static bool check_buffer(const Checker *c, BufferId id)
{
    const Buffer *b = at(c, id);
    if (has_value(b->value) && b->value.i >= c->p->graph->n_values)
        return wrong(c, "buffer %u: there is no value %u", id, b->value.i);
    if (!check_layout(c, id))
        return false;
    if (b->kind == BUFFER_CONST && b->layout.pitch)
        return wrong(c, "buffer %u: a constant is no part of a wider tensor", id);
    if (b->base == NO_BUFFER && b->kind == BUFFER_CONST && !b->data && b->bytes)
        return wrong(c, "buffer %u: a constant without contents", id);
    if (b->base == NO_BUFFER)
        return b->kind == BUFFER_CONST || b->kind == BUFFER_ARENA || check_port(c, id);
    if (b->base >= id)
        return wrong(c, "buffer %u is a part of a later one", id);
    const Buffer *base = at(c, b->base);
    return (b->kind == base->kind && b->base_offset <= base->bytes &&
            b->bytes <= base->bytes - b->base_offset) ||
           wrong(c, "buffer %u is no part of buffer %u", id, b->base);
}

/* --- steps --------------------------------------------------------------------------------------------------------- */

static bool is_row(const Checker *c, BufferId b)
{
    return b == NO_BUFFER || b < c->p->n_buffers;
}

static bool check_references(const Checker *c, const Step *s)
{
    bool ok = is_row(c, s->scratch);
    for (uint32_t k = 0; k < s->n_in; k++)
        ok = ok && is_row(c, s->in[k]);
    for (uint32_t k = 0; k < s->n_out; k++)
        ok = ok && is_row(c, s->out[k]);
    for (uint32_t k = 0; k < s->n_guards; k++)
        ok = ok && s->guards[k].condition < c->p->n_buffers &&
             at(c, s->guards[k].condition)->type.dtype == DT_BOOL &&
             type_count(&at(c, s->guards[k].condition)->type) == 1;
    if (!ok)
        return wrong(c, "%s uses a buffer that there is not", s->label);
    for (uint32_t k = 0; k < s->n_nodes; k++)
        ok = ok && s->nodes[k].i < c->p->graph->n_nodes;
    if (!ok || (s->n_nodes && !covers_node(s->nodes, s->n_nodes, s->node)))
        return wrong(c, "%s: its node is none of those that it computes", s->label);
    return true;
}

/* A kernel in C knows the shapes of its node, not those of the buffers. */
static bool check_types(const Checker *c, const Step *s)
{
    const Node *n = node_at(c->p->graph, s->node);
    if (s->n_in < n->n_in || s->n_out < n->n_out)
        return wrong(c, "%s has fewer operands than its node", s->label);
    for (uint32_t k = 0; k < n->n_in + n->n_out; k++) {
        bool in = k < n->n_in;
        ValueId v = in ? n->in[k] : n->out[k - n->n_in];
        BufferId b = in ? s->in[k] : s->out[k - n->n_in];
        if (n->op == OP_TreeEnsemble && in && k > TREE_X)
            continue; /* tables in a form of the kernel's own */
        if (has_value(v) != (b != NO_BUFFER))
            return wrong(c, "%s: an operand without a buffer", s->label);
        if (has_value(v) && !type_equal(type_of(c->p->graph, v), &at(c, b)->type))
            return wrong(c, "%s: buffer %u does not have the type of '%s'", s->label, b,
                         value_at(c->p->graph, v)->name);
    }
    return true;
}

/* Operand k of the step is of the type of this value. */
static bool is_like(const Checker *c, const Step *s, uint32_t k, ValueId v)
{
    return k < s->n_in && has_value(v) == (s->in[k] != NO_BUFFER) &&
           (!has_value(v) || type_equal(type_of(c->p->graph, v), &at(c, s->in[k])->type));
}

/* A loop stores what its nodes make, by the values of the buffers that it writes. */
static bool makes_results(const Checker *c, const Step *s)
{
    for (uint32_t o = 0; o < s->n_out; o++) {
        bool made = s->out[o] == NO_BUFFER;
        for (uint32_t k = 0; k < s->n_nodes && !made; k++)
            made = same_value(node_at(c->p->graph, s->nodes[k])->out[0], at(c, s->out[o])->value);
        if (!made)
            return false;
    }
    return true;
}

/* The step computes all of its composite; of two convolutions in one perhaps the second, with what is behind it. */
static bool covers_group(const Step *s, const Composite *group)
{
    const uint32_t first = composite_has_depthwise(group) && s->n_nodes < group->n_nodes
                               ? group->n_nodes - s->n_nodes
                               : 0;
    bool ok = first + s->n_nodes == group->n_nodes && (!first || s->nodes[0].i == s->node.i);
    for (uint32_t k = 0; ok && k < s->n_nodes; k++)
        ok = s->nodes[k].i == group->nodes[first + k].i;
    return ok;
}

/* A loop over elementwise nodes reads the arguments of its composite, in their order; a kernel with an epilogue its anchor's operands,
 * then those of the epilogue. */
static bool check_group(const Checker *c, const Step *s)
{
    const Graph *g = c->p->graph;
    const Composite *group = composite_of(c->p->graph, s->node);
    const Node *n = node_at(g, s->node);
    bool ok = group != NULL;
    EpilogueOperands rest = {.n = 0};
    const bool sum = c_sum_norm_of(g, s), loop = sum || c_is_fused_group(g, s);
    if (ok && loop) {
        ok = s->n_in == group->n_args;
        for (uint32_t k = 0; ok && k < s->n_in; k++)
            ok = is_like(c, s, k, group->args[k]);
        ok = ok && (sum || makes_results(c, s));
    } else if (ok) {
        ok = c_epilogue_operands(g, s->node, s->nodes, s->n_nodes, &rest) &&
             s->n_in == n->n_in + rest.n;
        for (uint32_t k = 0; ok && k < s->n_in; k++)
            ok = is_like(c, s, k, k < n->n_in ? n->in[k] : rest.operand[k - n->n_in].value);
    }
    ok = ok && covers_group(s, group);
    if (!ok || s->n_out < n->n_out || s->out[0] == NO_BUFFER ||
        !type_equal(type_of(g, node_at(g, group->root)->out[0]), &at(c, s->out[0])->type))
        return wrong(c, "%s does not have the operands and the result of its composite", s->label);
    return loop ? check_loop(c, s) : check_kernel(c, s);
}

/* Kernels in C read constants as their layout says; what oneDNN has packed may have any size. */
static bool check_constants_read(const Checker *c, const Step *s)
{
    for (uint32_t k = 0; k < s->n_in; k++) {
        const Buffer *b = s->in[k] == NO_BUFFER ? NULL : at(c, s->in[k]);
        if (b && b->kind == BUFFER_CONST && b->bytes < layout_bytes(&b->layout, &b->type))
            return wrong(c, "%s: constant %u is shorter than its layout", s->label, s->in[k]);
    }
    return true;
}

/* A copy from one layout to another. */
static bool check_reorder(const Checker *c, const Step *s)
{
    return (s->n_in == 1 && s->n_out == 1 && s->in[0] != NO_BUFFER && s->out[0] != NO_BUFFER &&
            type_equal(&at(c, s->in[0])->type, &at(c, s->out[0])->type)) ||
           wrong(c, "%s is no copy of one buffer", s->label);
}

static bool check_scratch(const Checker *c, const Step *s)
{
    if (s->scratch == NO_BUFFER)
        return !s->scratch_part || wrong(c, "%s: its scratch memory is missing", s->label);
    const Buffer *b = at(c, s->scratch);
    if (b->kind != BUFFER_ARENA || b->base != NO_BUFFER)
        return wrong(c, "%s: its scratch memory is not its own", s->label);
    return s->scratch_part <= b->bytes / (size_t)c->p->threads ||
           wrong(c, "%s: its scratch memory is not enough for %d threads", s->label, c->p->threads);
}

static bool check_label(const Checker *c, const Step *s)
{
    return is_identifier(s->label) || wrong(c, "a step's label is no identifier");
}

static bool check_step_row(const Checker *c, const Step *s)
{
    if (!check_label(c, s) || !check_references(c, s))
        return false;
    if (s->region >= c->p->n_regions ||
        (s->target == TARGET_DNNL && c->p->regions[s->region].target != TARGET_DNNL) ||
        (s->target == TARGET_DNNL) != (s->dnnl != NULL))
        return wrong(c, "%s is in a unit of the other target", s->label);
    if (!check_scratch(c, s))
        return false;
    if (s->dnnl)
        return check_primitive(c, s);
    if (!check_constants_read(c, s))
        return false;
    return (s->n_nodes == 0   ? check_reorder(c, s)
            : s->n_nodes == 1 ? check_types(c, s) && check_kernel(c, s)
                              : check_group(c, s)) &&
           check_plan(c, s);
}

/* --- units --------------------------------------------------------------------------------------------------------- */

static bool check_units(const Checker *c)
{
    const Program *p = c->p;
    bool ok = p->unit_start[0] == 0 && p->unit_start[p->n_regions] == p->n_steps;
    for (uint32_t u = 0; u < p->n_regions; u++)
        ok = ok && p->unit_start[u] <= p->unit_start[u + 1];
    if (!ok)
        return wrong(c, "the units do not hold all steps");
    for (uint32_t u = 0; u < p->n_regions; u++) {
        for (uint32_t i = p->unit_start[u]; i < p->unit_start[u + 1]; i++)
            if (p->steps[i].region != u)
                return wrong(c, "%s is not in the unit that it stands in", p->steps[i].label);
    }
    return true;
}

static bool check_copies(const Checker *c)
{
    for (uint32_t i = 0; i < c->p->n_copies; i++)
        if (c->p->copies[i].from >= c->p->n_buffers || c->p->copies[i].to >= c->p->n_buffers)
            return wrong(c, "copy %u is of a buffer that there is not", i);
    return true;
}

/* What a unit computes is its variant's. */
static bool check_variants(const Checker *c)
{
    const Program *p = c->p;
    const uint32_t *variant = graph_node_variants(p->graph, c->arena);
    for (uint32_t i = 0; i < p->n_steps; i++)
        for (uint32_t k = 0; k < p->steps[i].n_nodes; k++)
            if (variant[p->steps[i].nodes[k].i] != p->regions[p->steps[i].region].variant)
                return wrong(c, "%s is in a unit of another variant", p->steps[i].label);
    return true;
}

static bool check_labels(const Checker *c)
{
    Names *names = names_new(c->arena);
    for (uint32_t i = 0; i < c->p->n_steps; i++)
        if (strcmp(names_unique(names, c->p->steps[i].label), c->p->steps[i].label) != 0)
            return wrong(c, "two steps are called %s", c->p->steps[i].label);
    return true;
}

bool check_rows(Checker *c)
{
    const Program *p = c->p;
    if (p->threads < 1)
        return wrong(c, "it is for no thread");
    for (BufferId i = 0; i < p->n_buffers; i++)
        if (!check_buffer(c, i))
            return false;
    if (!check_units(c) || !check_copies(c))
        return false;
    for (uint32_t i = 0; i < p->n_steps; i++)
        if (!check_step_row(c, &p->steps[i]))
            return false;
    return check_variants(c) && check_labels(c);
}
