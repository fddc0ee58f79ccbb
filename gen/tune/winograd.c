/* --tune: a convolution or product as oneDNN's, by Winograd's method and in C, measured here or known from before. */
#include "dnnl_time.h"
#include "tune.h"

/* The primitive with its activations packed: parts of wider tensors are as quick, or else are packed in a step of their own. Functions that come last are
 * left out, since the time of other algorithms is without them. */
static DnnlPrimitive packed(Arena *arena, const DnnlPrimitive *p)
{
    DnnlPrimitive copy = *p;
    while (copy.n_post > 0 && copy.post[copy.n_post - 1].kind == DNNL_POST_ELTWISE)
        copy.n_post--;
    copy.memory = arena_copy(arena, p->memory, p->n_memory * sizeof *p->memory);
    for (uint32_t i = 0; i < p->n_memory; i++)
        if (copy.memory[i].form == FORM_STRIDES) {
            const Layout last = layout_nxc(copy.memory[i].rank);
            copy.memory[i].form = FORM_TAG;
            copy.memory[i].tag = layout_tag(arena, &last);
        }
    return copy;
}

/* All that the time of a convolution or product depends on, its values excepted. */
static const char *direct_key(const Lowering *l, const DnnlPrimitive *p)
{
    Text t = text_new(l->arena);
    text_printf(&t, "%s, weights %s",
                p->kind == KIND_MATMUL          ? "matmul"
                : p->kind == KIND_INNER_PRODUCT ? "inner product"
                                                : "convolution",
                l->weights.name);
    for (uint32_t i = 0; i < p->n_memory; i++) {
        const DnnlMemory *m = &p->memory[i];
        text_printf(&t, " %s %s", m->name, dtype_name(m->dtype));
        for (int d = 0; d < m->rank; d++)
            text_printf(&t, "%c%lld", d ? 'x' : ' ', (long long)m->dims[d]);
    }
    text_printf(&t, " pad %lld %lld %lld %lld", (long long)p->pad_l[0], (long long)p->pad_l[1],
                (long long)p->pad_r[0], (long long)p->pad_r[1]);
    for (uint32_t i = 0; i < p->n_post; i++)
        text_printf(&t, " post %d %s", (int)p->post[i].kind,
                    p->post[i].alg ? onednn_alg_name(p->post[i].alg) : "");
    return t.data;
}

static const char *block_key(Arena *arena, const DnnlWinograd *w, const char *what)
{
    return arena_printf(
        arena, "Winograd F(%lld, %lld) %s %lldx%lldx%lld planes %lld %lld of %lldx%lld sets %lld",
        (long long)w->tile, (long long)w->window, what, (long long)w->block, (long long)w->channels,
        (long long)w->outputs, (long long)w->src_plane, (long long)w->dst_plane, (long long)w->rows,
        (long long)w->columns, (long long)w->sets);
}

/* A time that has been measured is known from now on. */
static bool keep(Tune *tune, const char *key, bool measured, double *ns)
{
    if (measured)
        tune_add(tune, key, ns);
    return measured;
}

static bool known_primitive(const Lowering *l, const char *key, const DnnlPrimitive *p,
                            size_t spread, double *ns)
{
    Tune *tune = l->options.tune;
    return tune_find(tune, key, ns) ||
           keep(tune, key, tune_may_measure(tune) && onednn_time(l->engine, p, spread, ns), ns);
}

static bool known_transforms(Tune *tune, const char *key, const DnnlWinograd *w, double *ns)
{
    return tune_find(tune, key, ns) ||
           keep(tune, key, tune_may_measure(tune) && winograd_time_transforms(w, ns), ns);
}

bool direct_measure(const Lowering *l, const DnnlPrimitive *p, double *ns)
{
    DnnlPrimitive copy = packed(l->arena, p);
    return known_primitive(l, direct_key(l, &copy), &copy, l->weights.spread, ns);
}

/* All blocks of columns on one thread. */
static bool known_panels(const Lowering *l, const DnnlIndirect *w, const MachineWeights *from,
                         double *ns)
{
    const Panel *p = &w->panel;
    const char *key = arena_printf(
        l->arena, "panel %lldx%lldx%lld%s of %lldx%lld%s pieces %lldx%lld, weights %s",
        (long long)w->pixels, (long long)(w->taps * w->channels), (long long)w->outputs,
        w->band < w->pixels ? arena_printf(l->arena, " by %lld", (long long)w->band) : "",
        (long long)p->rows, (long long)panel_width(p), p->beside ? " side by side" : "",
        (long long)w->taps_at_once, (long long)w->channels_at_once, from->name);
    Tune *tune = l->options.tune;
    return tune_find(tune, key, ns) ||
           keep(tune, key, tune_may_measure(tune) && panel_time(w, from->spread, ns), ns);
}

bool indirect_measure(const Lowering *l, const DnnlIndirect *w, double *ns)
{
    const Panel *p = &w->panel;
    if (!known_panels(l, w, &l->weights, ns))
        return false;
    *ns *= indirect_pair_cost(w) * (double)((p->blocks + w->threads - 1) / w->threads) /
           (double)p->blocks;
    return true;
}

/* The products of a block: as if each plane were a tap of one product. Transformed weights are too large for L2 in any case. */
static bool known_products(const Lowering *l, const DnnlWinograd *w, double *ns)
{
    const MachineWeights outside = machine_weights(&l->machine, l->machine.l2_bytes),
                         *from = l->weights.spread ? &l->weights : &outside;
    if (w->matmul)
        return known_primitive(
            l, block_key(l->arena, w, arena_printf(l->arena, "product, weights %s,", from->name)),
            w->matmul, from->spread, ns);
    const DnnlIndirect all = {.channels = w->channels,
                              .outputs = w->outputs,
                              .taps = w->planes,
                              .pixels = w->block,
                              .band = w->block,
                              .taps_at_once = 1,
                              .channels_at_once = w->channels_at_once,
                              .threads = 1,
                              .panel = w->panel};
    if (!known_panels(l, &all, from, ns))
        return false;
    *ns /= w->sets > 1 ? 1 : (double)w->threads;
    return true;
}

bool winograd_measure(const Lowering *l, const DnnlWinograd *w, double *ns)
{
    double product, transforms;
    if (!known_products(l, w, &product) ||
        !known_transforms(l->options.tune, block_key(l->arena, w, "transformations"), w,
                          &transforms))
        return false;
    double rounds = (double)((w->blocks + w->sets - 1) / w->sets);
    double sharing = w->sets > 1 ? 1 : (double)w->threads; /* threads at one block's tiles */
    *ns = rounds * (product + transforms / sharing);
    return true;
}
