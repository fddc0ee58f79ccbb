/* What layouts cost: copies, and primitives in another order than the best. Without --tune from bytes and from what oneDNN says of
 * its implementation for the ISA planned for; with it measured, and known from then on. */
#include "../dnnl/describe.h"
#include "../kernel/plan.h"
#include "../ops/macs.h"
#include "../tune/tune.h"
#include "choose.h"

#include <math.h>
#include <string.h>

static DnnlMemory *add_activation(DnnlPrimitive *p, Arena *arena, int arg, const TensorType *t,
                                  const Layout *layout)
{
    DnnlMemory *m = &p->memory[p->n_memory++];
    *m = (DnnlMemory){.arg = arg,
                      .name = arg == ARG_SRC ? "src" : "dst",
                      .buffer = NO_BUFFER,
                      .blob = NO_BUFFER,
                      .dtype = t->dtype,
                      .rank = t->rank,
                      .form = layout ? FORM_TAG : FORM_ANY,
                      .tag = layout ? layout_tag(arena, layout) : NULL};
    memcpy(m->dims, t->dims, sizeof m->dims);
    return m;
}

static Layout order_of(int rank, bool last)
{
    return last ? layout_nxc(rank) : layout_plain(rank);
}

/* The time of a primitive with nothing in it but shapes, known from before or measured now. */
static bool tuned_ns(Lowering *l, const char *what, const DnnlPrimitive *p, double *ns)
{
    Text key = text_new(l->arena);
    text_puts(&key, what);
    for (uint32_t i = 0; i < p->n_memory; i++) {
        const DnnlMemory *m = &p->memory[i];
        text_printf(&key, " %s %s %s", m->name, dtype_name(m->dtype), m->tag ? m->tag : "packed");
        for (int d = 0; d < m->rank; d++)
            text_printf(&key, "%c%lld", d ? 'x' : ' ', (long long)m->dims[d]);
    }
    for (int i = 0; i < p->spatial; i++)
        text_printf(&key, " %lld/%lld+%lld:%lld+%lld", (long long)p->kernel[i],
                    (long long)p->strides[i], (long long)p->dilates[i], (long long)p->pad_l[i],
                    (long long)p->pad_r[i]);
    if (tune_find(l->options.tune, key.data, ns))
        return true;
    if (!tune_may_measure(l->options.tune) ||
        !onednn_time(l->engine, p, machine_weights(&l->machine, INFINITY).spread, ns))
        return false;
    tune_add(l->options.tune, key.data, ns);
    return true;
}

static bool is_moved_by_c(const Lowering *l, const TensorType *t, const Layout *from,
                          const Layout *to)
{
    const Buffer src = {.type = *t, .layout = *from}, dst = {.type = *t, .layout = *to};
    return c_moves_squares(l->p, &dst, &src);
}

double reorder_ns(Lowering *l, ValueId v, const Layout *from, const Layout *to)
{
    const TensorType *t = type_of(l->g, v);
    double ns;
    if (!lower_can_reorder(l, v))
        return INFINITY;
    DnnlPrimitive p = {.kind = KIND_REORDER, .memory = (DnnlMemory[2]){{0}}};
    add_activation(&p, l->arena, ARG_SRC, t, from);
    add_activation(&p, l->arena, ARG_DST, t, to);
    if (l->options.tune && !is_moved_by_c(l, t, from, to) && tuned_ns(l, "reorder", &p, &ns))
        return fmax(
            ns,
            l->machine
                .reorder_call_ns); /* in a network a call takes longer than in a loop of it alone */
    return machine_reorder_ns(&l->machine, (double)type_bytes(t));
}

/* With --tune it is not compared with measured reorders by estimation alone: C moves a tensor as quickly as oneDNN. */
double kernel_ns(Lowering *l, ValueId v, bool crosses)
{
    const int rank = type_of(l->g, v)->rank;
    const double bytes = (double)type_bytes(type_of(l->g, v));
    const double ns =
        l->machine.kernel_call_ns + bytes / l->machine.kernel_copy_rate * (crosses ? 1.5 : 1);
    const Layout plain = layout_plain(rank), last = order_of(rank, true);
    return l->options.tune && rank > 2 ? fmin(ns, reorder_ns(l, v, &plain, &last)) : ns;
}

/* --- convolutions ----------------------------------------------------------------------------------------------------- */

/* The node as a primitive with packed weights and nothing else; layout NULL: oneDNN is to choose. */
static DnnlPrimitive *bare_conv(Lowering *l, const Node *n, const bool *last)
{
    const TensorType *src = type_of(l->g, n->in[0]), *dst = type_of(l->g, n->out[0]);
    Describe d = {.l = l, .p = ARENA_NEW(l->arena, DnnlPrimitive), .n = n, .result = n->out[0]};
    const Layout in = order_of(src->rank, last && *last), out = order_of(dst->rank, last && *last);
    d.p->kind = KIND_CONVOLUTION;
    d.p->memory = ARENA_ARRAY(l->arena, DnnlMemory, 3);
    if (!describe_window(&d))
        return NULL;
    add_activation(d.p, l->arena, ARG_SRC, src, last ? &in : NULL);
    if (!describe_conv_weights(&d, n->in[1], NULL, false))
        return NULL;
    add_activation(d.p, l->arena, ARG_DST, dst, last ? &out : NULL);
    describe_lay_down(d.p);
    return d.p;
}

/* Of the best implementation's time, from the name of another one: the reference code visits every element by its layout's formula;
 * jit_uni_ncsp is a channels-last one between two reorders of its own; gemm copies windows first, and works on one group at a time.
 * Measured on one thread, AVX2: gemm takes 1.0 to 1.8 of the channels-last kernels' time on the convolutions of ResNet-50, 1.8 to 2.9
 * on small ones, 11 on depthwise ones. */
static double class_factor(const Node *n, const char *impl)
{
    const bool groups = attr_int(n, "group", 1) > 1;
    return !impl || !strncmp(impl, "ref", 3) || strstr(impl, "ncsp") ? INFINITY
           : strstr(impl, "gemm")                                    ? (groups ? 10 : 3)
                                                                     : 1;
}

/* Behind gemm a post-op is a call for each element: 5 ns for a Relu, 10 and more for the next or for a function (Zen 3). */
static double estimated_ns(Lowering *l, const Node *n, uint32_t n_post, const char *impl)
{
    static const double post_op_ns = 5;
    const double best = (double)node_macs(l->g, n) / l->machine.conv_macs;
    const double results = (double)type_count(type_of(l->g, n->out[0]));
    const bool gemm = impl && strstr(impl, "gemm");
    return best * class_factor(n, impl) +
           (gemm ? l->machine.call_ns + n_post * results * post_op_ns : 0);
}

/* Whether it is what oneDNN answers to format_tag::any. */
static bool is_preferred(Lowering *l, const Node *n, bool last)
{
    DnnlChoice choice[3];
    DnnlPrimitive *any = bare_conv(l, n, NULL);
    if (!any || !onednn_query(l->engine, l->arena, any, choice))
        return true;
    const DnnlChoice *dst = &choice[any->n_memory - 1];
    return last ? dst->is_last : dst->is_plain;
}

void conv_extra_ns(Lowering *l, const Node *n, uint32_t n_post, double *ns)
{
    DnnlPrimitive *p[2];
    for (int last = 0; last < 2; last++) {
        const bool order = last;
        DnnlChoice choice[3];
        p[last] = bare_conv(l, n, &order);
        ns[last] = p[last] && onednn_query(l->engine, l->arena, p[last], choice)
                       ? estimated_ns(l, n, n_post, p[last]->impl)
                       : INFINITY;
    }
    double measured[2];
    bool tune = l->options.tune && isfinite(ns[0]) && isfinite(ns[1]);
    for (int round = 1; tune && round <= TUNE_ROUNDS; round++) {
        tune_round(l->options.tune, round);
        for (int last = 0; last < 2; last++)
            tune = tune && tuned_ns(l, "convolution for layout", p[last], &measured[last]);
    }
    if (l->options.tune)
        tune_round(l->options.tune, 1);
    for (int last = 0; last < 2; last++)
        if (tune)
            ns[last] = measured[last];
        else if (!is_preferred(l, n, last))
            ns[last] *= 1.05;
    const double best = fmin(ns[0], ns[1]);
    ns[0] -= best;
    ns[1] -= best;
}
