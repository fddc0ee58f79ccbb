/* Which algorithm a layer has where a model has variants: weights are stored once for all that have the same one.
 *
 * In a first lowering a variant takes what one before it has for the same weights, if that is hardly slower, and all that could be taken is noted. Where
 * weights are stored in several forms then, lower/forms.c decides which layers give way, and the model is lowered again. */
#include "algorithm.h"

#include <math.h>
#include <string.h>

static const LayerForms *decided(const Describe *d)
{
    for (size_t i = 0; i < d->l->n_decided; i++)
        if (d->l->decided[i].node == d->s->node.i)
            return &d->l->decided[i];
    return NULL;
}

static int64_t width_of(const LayerAlgorithm *a)
{
    return a->indirect ? panel_packed_width(&a->indirect->panel) : 0;
}

/* Pairs of whole numbers hold no taps as floats. */
static LayerForm form_of(const LayerAlgorithm *a)
{
    const DnnlIndirect *direct = a->indirect;
    const DnnlWinograd *w = a->winograd;
    LayerForm form = {.algorithm = a->name, .width = width_of(a), .ns = a->ns};
    if (direct && !direct->pairs && (direct->taps == 3 || direct->taps == 9)) {
        form.holds = HOLDS_TAPS;
        form.common =
            (double)winograd_taps_shared(direct->taps == 3 ? 1 : 2) / (double)direct->taps;
    }
    if (w && w->panel.blocks && winograd_holds_taps(w)) {
        form.holds = HOLDS_PLANES;
        form.common = (double)winograd_taps_shared(w->tile) / (double)w->planes;
    }
    return form;
}

/* Products in C in other blocks, by estimation. */
static void add_widths(const Lowering *l, const DnnlIndirect *w, const LayerAlgorithm *a,
                       LayerForms *f)
{
    LayerForm form = form_of(a);
    Panel all[MAX_PANELS];
    const PanelProduct product = indirect_product(w);
    const uint32_t n = panel_list(&l->machine, &product, all);
    for (uint32_t i = 0; i < n && f->n < MOST_FORMS; i++)
        if (panel_packed_width(&all[i]) != panel_packed_width(&w->panel) &&
            panel_is_best_of_width(all, n, i)) {
            form.width = panel_packed_width(&all[i]);
            form.ns = indirect_ns_in(l, w, &all[i]);
            f->form[f->n++] = form;
        }
}

/* Of several attempts at a node the last one counts. */
static void note_forms(const Describe *d, const LayerAlgorithm *algorithm, uint32_t n,
                       const LayerAlgorithm *taken, double best_ns, uint64_t hash)
{
    Lowering *l = d->l;
    LayerForms f = {.node = d->s->node.i, .hash = hash, .best_ns = best_ns};
    for (uint32_t i = 0; i < n; i++) {
        if (algorithm[i].refused)
            continue;
        if (&algorithm[i] == taken)
            f.taken = f.n;
        f.form[f.n++] = form_of(&algorithm[i]);
    }
    for (uint32_t i = 0; i < n && !l->options.tune; i++)
        if (algorithm[i].indirect)
            add_widths(l, algorithm[i].indirect, &algorithm[i], &f);
    if (l->n_forms && l->forms[l->n_forms - 1].node == f.node)
        l->n_forms--;
    ARENA_PUSH(l->arena, l->forms, l->n_forms, l->cap_forms, f);
}

/* That of an earlier variant, if it takes hardly longer. */
static LayerAlgorithm *chosen_before(const Lowering *l, LayerAlgorithm *algorithm, uint32_t n,
                                     const LayerAlgorithm *best, uint64_t hash)
{
    for (size_t k = 0; k < l->n_chosen; k++)
        for (uint32_t i = 0; l->chosen[k].hash == hash && i < n; i++)
            if (!algorithm[i].refused && !strcmp(algorithm[i].name, l->chosen[k].algorithm) &&
                algorithm[i].ns < PANEL_SHARED_COST * best->ns)
                return &algorithm[i];
    return NULL;
}

LayerAlgorithm *variants_choose(Describe *d, LayerAlgorithm *algorithm, uint32_t n,
                                LayerAlgorithm *best)
{
    Lowering *l = d->l;
    const uint64_t hash = onednn_weights_hash(onednn_memory_of(d->p, ARG_WEIGHTS));
    const LayerForms *f = decided(d);
    const LayerForm *form = f ? &f->form[f->taken] : NULL;
    LayerAlgorithm *taken = form ? NULL : chosen_before(l, algorithm, n, best, hash);
    for (uint32_t i = 0; form && i < n; i++)
        if (!algorithm[i].refused && !strcmp(algorithm[i].name, form->algorithm))
            taken = &algorithm[i];
    if (!form)
        note_forms(d, algorithm, n, taken ? taken : best, best->ns, hash);
    if (form || !taken)
        ARENA_PUSH(l->arena, l->chosen, l->n_chosen, l->cap_chosen,
                   (Chosen){hash, (taken ? taken : best)->name, width_of(taken ? taken : best)});
    return taken ? taken : best;
}

int64_t describe_packed_width(const Lowering *l, const DnnlMemory *weights)
{
    const uint64_t hash = l->n_chosen ? onednn_weights_hash(weights) : 0;
    for (size_t k = 0; k < l->n_chosen; k++)
        if (l->chosen[k].hash == hash && l->chosen[k].width)
            return l->chosen[k].width;
    return 0;
}

Panel variants_panel(const Describe *d, const DnnlIndirect *w, const DnnlMemory *weights)
{
    const LayerForms *f = decided(d);
    const int64_t width = f ? f->form[f->taken].width : 0;
    const PanelProduct product = indirect_product(w);
    return panel_choose(&d->l->machine, &product,
                        width ? width : describe_packed_width(d->l, weights),
                        width ? INFINITY : PANEL_SHARED_COST);
}

int64_t variants_taps_width(const Describe *d)
{
    const LayerForms *f = decided(d);
    return f ? f->taps_width : 0;
}

const char *variants_say_why(const Describe *d)
{
    const LayerForms *f = decided(d);
    const DnnlWinograd *w = d->p->winograd;
    const char *why = w && w->taps ? "; some planes are taps that another variant reads" : "";
    return f && f->gives_way
               ? arena_printf(d->l->arena,
                              "; in the form that another variant stores, for %.1f %% "
                              "of the time of this one by estimation%s",
                              100 * f->lost, why)
               : why;
}
