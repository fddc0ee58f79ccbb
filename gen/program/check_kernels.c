/* What kernels of C rely on besides the types of their operands: layouts that they work on, and scratch memory as much as they use. */
#include "../kernel/kernel.h"
#include "checker.h"
#include "fields.h"

static Layout layout_at(const Checker *c, BufferId b)
{
    return b == NO_BUFFER ? layout_plain(0) : at(c, b)->layout;
}

/* Where dimensions of size 1 stand makes no difference. */
static bool is_layout(const Checker *c, BufferId b, const Layout *want)
{
    const Layout have = layout_at(c, b);
    return layout_same_bytes(&have, want, &at(c, b)->type);
}

/* As row-major, or with the channels last, where it is that, so that kernels recognise it. A tensor may be both. */
static Layout well_known(const Checker *c, BufferId b, bool last)
{
    const Layout have = layout_at(c, b);
    const Layout known = last && have.rank > 2 ? layout_nxc(have.rank) : layout_plain(have.rank);
    return b != NO_BUFFER && is_layout(c, b, &known) ? known : have;
}

static bool wants_constant(const Checker *c, const Step *s, const Node *n, uint32_t k,
                           Layout *layout)
{
    const Layout src = layout_at(c, s->in[0]),
                 dst = n->n_out ? layout_at(c, s->out[0]) : layout_plain(0);
    return s->in[k] != NO_BUFFER &&
           c_wants_constant(c->p->graph, n, c->p->lanes, &src, &dst, k, layout);
}

static bool is_in_panels(const Checker *c, const Step *s, const Node *n, uint32_t k)
{
    const Layout have = layout_at(c, s->in[k]);
    if (k != 1 || !have.block || !s->c || !c_takes_panels(c->p->graph, n))
        return false;
    const Layout panels = c_panels(c->p->graph, n, have.block);
    return layout_equal(&have, &panels) &&
           (s->c->variant == C_matmul_rows || s->c->variant == C_matmul_dots);
}

/* `last`: tensors that are row-major as well as channels last are taken for the latter. */
static bool accepts(const Checker *c, const Step *s, const Node *n, bool last)
{
    Layout *in = ARENA_ARRAY(c->arena, Layout, n->n_in + 1);
    Layout *out = ARENA_ARRAY(c->arena, Layout, n->n_out + 1);
    Layout wanted;
    for (uint32_t k = 0; k < n->n_in; k++) {
        in[k] = well_known(c, s->in[k], last);
        if (k && (wants_constant(c, s, n, k, &wanted) || is_in_panels(c, s, n, k)))
            in[k] = layout_plain(in[k].rank);
    }
    for (uint32_t k = 0; k < n->n_out; k++)
        out[k] = well_known(c, s->out[k], last);
    return c_accepts_layouts(c->p->graph, n, in, out);
}

static bool check_layouts(const Checker *c, const Step *s, const Node *n)
{
    Layout wanted;
    for (uint32_t k = 1; k < n->n_in; k++)
        if (wants_constant(c, s, n, k, &wanted) && !is_layout(c, s->in[k], &wanted))
            return wrong(c, "%s: constant b%u is not in the layout that its kernel reads", s->label,
                         s->in[k]);
    return accepts(c, s, n, false) || accepts(c, s, n, true) ||
           wrong(c, "%s: its kernel does not work on these layouts", s->label);
}

/* What is free to choose in a plan is within its bounds, all else is what follows. */
bool check_plan(const Checker *c, const Step *s)
{
    Step planned = *s;
    if (!s->c && !c_plan(c->p, &planned))
        return wrong(c, "%s: there is no kernel for its nodes together", s->label);
    if (!s->c)
        return !planned.c || wrong(c, "%s: the plan of its kernel is missing", s->label);
    CPlan plan = *s->c;
    if (!c_complete_plan(c->p, s, &plan))
        return wrong(c, "%s: %s is no way to compute it, or has numbers out of range", s->label,
                     c_variant_names[plan.variant]);
    const Field *differs = fields_differ(&plan_fields, s->c, &plan);
    if (differs)
        return wrong(c, "%s: '%s' is not what the rest of its plan makes it", s->label,
                     differs->name);
    const size_t given = s->scratch_part           ? s->scratch_part
                         : s->scratch == NO_BUFFER ? 0
                                                   : at(c, s->scratch)->bytes;
    return plan.scratch_bytes <= given ||
           wrong(c, "%s: %zu bytes of scratch memory, %zu are needed", s->label, given,
                 plan.scratch_bytes);
}

bool check_kernel(const Checker *c, const Step *s)
{
    const Node *n = node_at(c->p->graph, s->node);
    const char *why;
    if (!c_target_supports(c->p->graph, n, &why))
        return wrong(c, "%s: %s", s->label, why);
    return check_layouts(c, s, n);
}

/* Operands of the result's shape lie as it does; others are walked by their strides, which are dense. */
bool check_loop(const Checker *c, const Step *s)
{
    const Buffer *out = at(c, s->out[0]);
    const Layout dense = layout_dense(&out->layout);
    for (uint32_t k = 0; k < s->n_in; k++) {
        const Buffer *in = s->in[k] == NO_BUFFER ? NULL : at(c, s->in[k]);
        if (!in || !same_shape(&in->type, &out->type))
            continue;
        const Layout have = layout_dense(&in->layout);
        if (!layout_same_bytes(&have, &dense, &out->type))
            return wrong(c, "%s: b%u does not lie as its result does", s->label, s->in[k]);
    }
    return true;
}
