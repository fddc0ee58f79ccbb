/* The alternatives of a layer: in which candidates it takes its operands, in which it leaves its result, and what that costs more than the
 * quickest of them. */
#include "choosing.h"

#include "../dnnl/describe.h"
#include "../kernel/kernel.h"
#include "../lower/place.h"
#include "../ops/ops.h"
#include "choose.h"

#include <math.h>

/* Takes all operands as they come and leaves row-major results, until said otherwise. */
static Alternative *new_alternative(const Choosing *s, Layer *y, double ns)
{
    if (y->n_alternatives == MOST_ALTERNATIVES || !isfinite(ns))
        return NULL;
    Alternative *w = &y->alternative[y->n_alternatives++];
    *w = (Alternative){.in = ARENA_ARRAY(s->l->arena, unsigned, y->n_in + 1),
                       .out = ARENA_ARRAY(s->l->arena, uint32_t, y->n_out + 1),
                       .ns = ns};
    for (uint32_t k = 0; k < y->n_in; k++)
        w->in[k] = ALL;
    return w;
}

static uint32_t index_of(const Choosing *s, ValueId v, const Layout *layout)
{
    const unsigned set = candidates_as(s, v, layout);
    uint32_t i = 0;
    while (i < MOST_CANDIDATES && !(set >> i & 1))
        i++;
    return i;
}

/* The result in this layout; false if that is no candidate. */
static bool leaves(const Choosing *s, const Layer *y, Alternative *w, const Layout *layout)
{
    for (uint32_t k = 0; k < y->n_out; k++)
        if (is_free(s, y->out[k]) &&
            (w->out[k] = index_of(s, y->out[k], layout)) == MOST_CANDIDATES)
            return false;
    return true;
}

/* Operand 0 in one order and the result in another, and with it all operands of its shape; the others as they come. */
static void add_alternative(const Choosing *s, Layer *y, bool in_last, bool out_last, double ns)
{
    const int rank = type_of(s->g, y->n->in[0])->rank, out_rank = type_of(s->g, y->out[0])->rank;
    const Layout in = in_last && rank > 2 ? layout_nxc(rank) : layout_plain(rank),
                 out = out_last && out_rank > 2 ? layout_nxc(out_rank) : layout_plain(out_rank);
    Alternative *w = new_alternative(s, y, ns);
    if (!w)
        return;
    w->reads = in;
    for (uint32_t k = 0; k < y->n_in; k++)
        w->in[k] = !has_value(y->in[k])                ? ALL
                   : same_value(y->in[k], y->n->in[0]) ? candidates_in_order(s, y->in[k], &in)
                   : same_as_result(s, y, y->in[k])    ? candidates_in_order(s, y->in[k], &out)
                                                       : ALL;
    if (!leaves(s, y, w, &out))
        y->n_alternatives--;
}

/* Operands of the result's shape (or all) and the results in one order, whichever it is. */
static void add_alike(const Choosing *s, Layer *y, bool all)
{
    const Candidates *out = &s->value[y->out[0].i];
    for (uint32_t i = 0; i < out->n; i++) {
        Alternative *w = new_alternative(s, y, 0);
        bool fits = w && leaves(s, y, w, &out->at[i]);
        for (uint32_t k = 0; fits && k < y->n_in; k++) {
            if (all || same_as_result(s, y, y->in[k]))
                w->in[k] = candidates_in_order(s, y->in[k], &out->at[i]);
            fits = w->in[k] != 0;
        }
        if (w && !fits)
            y->n_alternatives--;
    }
}

/* A Reshape or Transpose: a view where the memory can stay as it is, otherwise a kernel. */
static void add_views(const Choosing *s, Layer *y)
{
    const Candidates *in = is_free(s, y->in[0]) ? &s->value[y->in[0].i] : NULL;
    const Candidates *out = is_free(s, y->out[0]) ? &s->value[y->out[0].i] : NULL;
    const Layout plain_in = layout_plain(type_of(s->g, y->in[0])->rank),
                 plain_out = layout_plain(type_of(s->g, y->out[0])->rank);
    for (uint32_t o = 0; o < (out ? out->n : 1); o++) {
        const Layout *want = out ? &out->at[o] : &plain_out;
        unsigned set = 0;
        for (uint32_t i = 0; i < (in ? in->n : 1); i++) {
            const Layout *have = in ? &in->at[i] : &plain_in;
            Layout after;
            if (view_forwards(s, y->n, have, &after) &&
                layout_same_bytes(&after, want, type_of(s->g, y->out[0])))
                set |= 1u << i;
        }
        Alternative *w = set ? new_alternative(s, y, 0) : NULL;
        if (w) {
            w->in[0] = set;
            w->out[0] = o;
            w->no_copy = y->n->op == OP_Transpose; /* a kernel does what a copy would */
        }
        w = y->n->op == OP_Transpose ? new_alternative(s, y, kernel_ns(s->l, y->out[0], false))
                                     : NULL;
        if (w) {
            w->out[0] = o;
            w->as_it_is = true;
        }
    }
}

/* Parts of the operand, or the operands parts of the result, in this layout: nothing needs to move. */
static bool is_in_place(const Choosing *s, const Layer *y, const Layout *layout)
{
    const ValueId whole = y->n->op == OP_Concat ? y->out[0] : y->in[0];
    const bool cuts = y->n->op == OP_Concat || y->n->op == OP_Split;
    const int axis = cuts                   ? (int)attr_int(y->n, "axis", 0)
                     : y->n->op == OP_Slice ? lower_slice_axis(s->g, y->n)
                                            : -1;
    Layout part;
    return axis >= 0 && lower_part_layout(s->l, layout, whole, axis, &part) &&
           (!part.pitch || lower_row_pitch_pays(s->l, y->n, layout));
}

static bool kernel_takes(const Choosing *s, const Layer *y, const Alternative *w,
                         const Layout *order)
{
    Layout *in = ARENA_ARRAY(s->l->arena, Layout, y->n_in + 1),
           *out = ARENA_ARRAY(s->l->arena, Layout, y->n_out + 1);
    for (uint32_t k = 0; k < y->n_in; k++) {
        const int rank = has_value(y->in[k]) ? type_of(s->g, y->in[k])->rank : 0;
        const bool ordered = is_free(s, y->in[k]) && rank == order->rank && w->in[k] != 1;
        in[k] = ordered ? *order : layout_plain(rank);
    }
    for (uint32_t k = 0; k < y->n_out; k++)
        out[k] = is_free(s, y->out[k])  ? s->value[y->out[k].i].at[w->out[k]]
                 : has_value(y->out[k]) ? layout_plain(type_of(s->g, y->out[k])->rank)
                                        : layout_plain(0);
    return c_accepts_layouts(s->g, y->n, in, out);
}

/* What the kernel for a single node says it can do: operands and results in one order, or, where it walks by strides, operands
 * as they come. */
static void add_kernel(const Choosing *s, Layer *y, const Layout *order)
{
    const bool moves = op_info(y->n->op)->class == CLASS_MOVE,
               eltwise = op_info(y->n->op)->class == CLASS_ELTWISE;
    Alternative *w = new_alternative(
        s, y, moves && !is_in_place(s, y, order) ? kernel_ns(s->l, result_of(y), false) : 0);
    bool fits = w && leaves(s, y, w, order);
    for (uint32_t k = 0; fits && k < y->n_in; k++) {
        const bool own = !is_free(s, y->in[k]) || type_of(s->g, y->in[k])->rank != order->rank ||
                         (eltwise && !same_as_result(s, y, y->in[k]));
        w->in[k] = own ? 1 : candidates_in_order(s, y->in[k], order);
        fits = w->in[k] != 0;
    }
    if (w && (!fits || !kernel_takes(s, y, w, order))) {
        y->n_alternatives--;
        return;
    }
    if (w && y->n_in)
        w->reads = *order;
    w = c_works_by_strides(y->n->op) ? new_alternative(s, y, kernel_ns(s->l, result_of(y), true))
                                     : NULL;
    if (w && !leaves(s, y, w, order))
        y->n_alternatives--;
    else if (w)
        w->as_it_is = true;
}

static void add_kernels(const Choosing *s, Layer *y)
{
    const ValueId of = is_free(s, result_of(y)) ? result_of(y) : y->in[0];
    if (y->c && c_can_fuse(s->g, y->n)) {
        add_alike(s, y, false);
    } else if (c_conv_last(s->g, y->n)) { /* chosen because of this kernel */
        add_alternative(s, y, c_conv_last(s->g, y->n) != CONV_LAST_IMAGE, true, 0);
        if (c_conv_last(s->g, y->n) == CONV_LAST_FEW)
            add_alternative(s, y, true, false, 0);
    } else if (!y->c) { /* with a epilogue: row-major */
        for (uint32_t i = 0; is_free(s, of) && i < s->value[of.i].n; i++)
            add_kernel(s, y, &s->value[of.i].at[i]);
    }
}

static void layouts_convs(const Choosing *s, Layer *y)
{
    double ns[2];
    conv_extra_ns(s->l, y->n, y->c ? y->c->n_post : 0, ns);
    add_alternative(s, y, true, true, ns[1]);
    if (!composite_has_depthwise(y->c))
        add_alternative(s, y, false, false, ns[0]);
    if (!y->n_alternatives)
        add_alternative(s, y, true, true, 0);
}

/* A product of rows that a Reshape within the composite makes takes them in any order: its weights are transposed. Matmul's other
 * operands may be transposed. */
static void layouts_product(const Choosing *s, Layer *y)
{
    const Layout plain = layout_plain(type_of(s->g, y->out[0])->rank),
                 out = onednn_product_layout(s->g, &s->l->uses, y->c, y->out[0]);
    const Value *b = value_at(s->g, y->n->in[1]);
    const bool rows = y->n->op != OP_MatMul || (b->kind == VALUE_CONST && b->type.rank == 2);
    Alternative *w = new_alternative(s, y, 0);
    if (!leaves(s, y, w, rows ? &plain : &out))
        leaves(s, y, w, &plain);
    for (uint32_t k = 0; k < y->n_in; k++) {
        const Candidates *c = has_value(y->in[k]) ? &s->value[y->in[k].i] : NULL;
        unsigned set = 1;
        for (uint32_t i = 1; c && i < c->n; i++)
            if (!rows && c->at[i].order[c->at[i].rank - 1] >= c->at[i].rank - 2)
                set |= 1u << i;
        w->in[k] = onednn_flattening(s->g, y->n, y->c) ? ALL : set;
    }
}

static void layouts_reorders(const Choosing *s, Layer *y)
{
    for (uint32_t i = 0; i < s->value[y->out[0].i].n; i++) {
        Alternative *w = new_alternative(s, y, 0);
        if (w)
            w->out[0] = i;
    }
}

/* The column `layouts` of primitives.def. */

static void layouts_alike(const Choosing *s, Layer *y)
{
    add_alike(s, y, false);
}

static void layouts_all_alike(const Choosing *s, Layer *y)
{
    add_alike(s, y, true);
}

static void layouts_channels(const Choosing *s, Layer *y)
{
    add_alternative(s, y, true, true, 0);
}

/* Row-major C computes it. */
static void layouts_windows(const Choosing *s, Layer *y)
{
    double ns[2] = {0, 0};
    const bool both = c_beside_onednn(s->l, y->n, y->c, ns);
    add_alternative(s, y, true, true, ns[1] - fmin(ns[0], ns[1]));
    if (both)
        add_alternative(s, y, false, false, ns[0] - fmin(ns[0], ns[1]));
}

static void layouts_reduction(const Choosing *s, Layer *y)
{
    add_alternative(s, y, false, false, 0);
    if (onednn_reduces_planes(s->g, y->n, y->c))
        add_alternative(s, y, true, false, 0);
}

typedef void LayoutsFn(const Choosing *s, Layer *y);

static LayoutsFn *const rows[PRIMITIVE_COUNT] = {
#define PRIMITIVE(name, supports, least, most, worth, bytes, small, describe, layouts)             \
    layouts_##layouts,
#include "../dnnl/primitives.def"
};

void find_alternatives(const Choosing *s, Layer *y)
{
    const bool moves = !y->c && op_info(y->n->op)->class == CLASS_MOVE && y->n->op != OP_Concat;
    if (!y->c && is_view_op(y->n))
        add_views(s, y);
    else if (s->g->columns->target[y->id.i] == TARGET_DNNL && !moves)
        rows[onednn_ops[y->n->op].primitive](s, y);
    else
        add_kernels(s, y);
    if (y->n_alternatives)
        return;
    Alternative *w = new_alternative(s, y, 0); /* row-major is always possible */
    for (uint32_t k = 0; k < y->n_in; k++)
        w->in[k] = 1;
}
