/* Which layers of variants give way, so that weights are stored in fewer forms.
 *
 * After a first lowering it is known which constants are stored because of which layers. A move gives the layers that alone read one of them the form that
 * another variant's layer has for the same weights. It is made where no variant loses more than a part of its time by all moves together, what the first lowering
 * took of that included; the one that saves most bytes for the time lost comes first. Times are estimates. A step under a condition counts half, but
 * what it loses counts in full: of two branches a run takes one.
 *
 * What stays apart may still have something in common: the outermost planes of Winograd's method are taps of the window (dnnl/winograd_weights.c). So
 * planes are stored behind the taps that another variant reads, where there are both, and only those that are none of them. */
#include "lower.h"

#include "../dnnl/plan.h"
#include "../program/step.h"

#include <stdlib.h>
#include <string.h>

static const double most_lost = 0.03; /* of a variant's time */

typedef struct Layer {
    LayerForms *f;
    uint32_t variant;
    BufferId stored; /* its weights */
} Layer;

typedef struct Forms {
    Lowering *l;
    Layer *layer; /* those by the same weights side by side */
    uint32_t n;
    double *time, *left; /* by variant: nanoseconds, and those that may still be lost */
    bool *others;        /* by buffer: another step reads it */
} Forms;

/* Layers from `first` to before `end`, by the same weights; those whose weights are `from` take the form of `like`. */
typedef struct Move {
    uint32_t first, end, like;
    BufferId from;
    double worth; /* bytes for a part of the time; 0: there is none */
} Move;

static const LayerForm *taken(const LayerForms *f)
{
    return &f->form[f->taken];
}

static double lost(const LayerForms *f, const LayerForm *form)
{
    return form->ns > f->best_ns ? form->ns - f->best_ns : 0;
}

static BufferId weights_of(const Program *p, const Step *s)
{
    const DnnlMemory *m = s->dnnl ? onednn_memory_of(onednn_core(s->dnnl), ARG_WEIGHTS) : NULL;
    return m && m->buffer != NO_BUFFER ? root_buffer(p, m->buffer, NULL) : NO_BUFFER;
}

/* At least; kernels of C by what they move. */
static double step_ns(const Lowering *l, const Step *s)
{
    const Program *p = l->p;
    double bytes = 0;
    if (s->dnnl)
        return onednn_ns(l, onednn_core(s->dnnl));
    for (uint32_t k = 0; k < s->n_in + s->n_out; k++) {
        const BufferId b = k < s->n_in ? s->in[k] : s->out[k - s->n_in];
        bytes += b == NO_BUFFER ? 0 : (double)p->buffers[b].bytes;
    }
    return l->machine.kernel_call_ns + bytes / l->machine.l2_rate;
}

static void note_readers(Forms *f, const Step *s)
{
    const Program *p = f->l->p;
    const DnnlPrimitive *d = s->dnnl ? onednn_core(s->dnnl) : NULL;
    for (uint32_t k = 0; k < s->n_in; k++)
        if (s->in[k] != NO_BUFFER)
            f->others[root_buffer(p, s->in[k], NULL)] = true;
    for (uint32_t k = 0; d && k < d->n_memory; k++)
        if (d->memory[k].buffer != NO_BUFFER)
            f->others[root_buffer(p, d->memory[k].buffer, NULL)] = true;
}

static int by_weights(const void *a, const void *b)
{
    const Layer *x = a, *y = b;
    return x->f->hash != y->f->hash ? (x->f->hash < y->f->hash ? -1 : 1)
                                    : (x->f->node > y->f->node) - (x->f->node < y->f->node);
}

static Forms find_layers(Lowering *l, Arena *scratch)
{
    const Program *p = l->p;
    const uint32_t variants = l->g->variants.n;
    Forms f = {.l = l,
               .layer = ARENA_ARRAY(scratch, Layer, l->n_forms + 1),
               .time = ARENA_ARRAY(scratch, double, variants),
               .left = ARENA_ARRAY(scratch, double, variants),
               .others = ARENA_ARRAY(scratch, bool, p->n_buffers + 1)};
    LayerForms **of = ARENA_ARRAY(scratch, LayerForms *, l->g->n_nodes + 1);
    for (size_t i = 0; i < l->n_forms; i++)
        of[l->forms[i].node] = &l->forms[i];
    for (uint32_t i = 0; i < p->n_steps; i++) {
        const Step *s = &p->steps[i];
        const uint32_t variant = p->regions[s->region].variant;
        LayerForms *forms = s->n_nodes && s->dnnl ? of[s->node.i] : NULL;
        const BufferId stored = weights_of(p, s);
        f.time[variant] += (forms ? forms->best_ns : step_ns(l, s)) / (double)(1U << s->n_guards);
        if (!forms || stored == NO_BUFFER) {
            note_readers(&f, s);
            continue;
        }
        f.left[variant] -= lost(forms, taken(forms));
        f.layer[f.n++] = (Layer){forms, variant, stored};
    }
    for (uint32_t v = 0; v < variants; v++)
        f.left[v] += most_lost * f.time[v];
    qsort(f.layer, f.n, sizeof *f.layer, by_weights);
    return f;
}

/* The layer's own form that is the same as that one; NULL: it has none. */
static const LayerForm *same_form(const LayerForms *f, const LayerForm *form)
{
    for (uint32_t i = 0; i < f->n; i++)
        if (f->form[i].width == form->width && !strcmp(f->form[i].algorithm, form->algorithm))
            return &f->form[i];
    return NULL;
}

/* Bytes that are not stored any more: without those that the other form would have had in common. */
static double saved(const Forms *f, const LayerForm *from, BufferId stored, const LayerForm *to)
{
    const bool share =
        from->holds + to->holds == HOLDS_TAPS + HOLDS_PLANES && from->holds && to->holds;
    return (double)f->l->p->buffers[stored].bytes * (share ? 1 - from->common : 1);
}

static double move_worth(const Forms *f, const Move *m, double *more)
{
    const LayerForm *form = taken(f->layer[m->like].f), *from = NULL;
    const uint32_t variants = f->l->g->variants.n;
    double part = 1e-6; /* of their times, so that what loses nothing goes by its bytes */
    memset(more, 0, variants * sizeof *more);
    for (uint32_t i = m->first; i < m->end; i++) {
        const Layer *y = &f->layer[i];
        const LayerForm *own = same_form(y->f, form);
        if (y->stored == m->from && (!own || own == taken(y->f)))
            return 0;
        if (y->stored != m->from)
            continue;
        from = taken(y->f);
        more[y->variant] += lost(y->f, own) - lost(y->f, from);
    }
    for (uint32_t v = 0; v < variants; v++) {
        if (more[v] > 0 && more[v] > f->left[v])
            return 0;
        part += more[v] > 0 ? more[v] / f->time[v] : 0;
    }
    return saved(f, from, m->from, form) / part;
}

/* Behind the layers by the same weights as the first one. */
static uint32_t end_of_group(const Forms *f, uint32_t first)
{
    uint32_t end = first;
    while (end < f->n && f->layer[end].f->hash == f->layer[first].f->hash)
        end++;
    return end;
}

static Move best_move(const Forms *f, double *more)
{
    Move best = {.worth = 0};
    for (uint32_t first = 0, end; first < f->n; first = end) {
        end = end_of_group(f, first);
        for (uint32_t i = first; i < end; i++)
            for (uint32_t k = first; k < end; k++) {
                Move m = {first, end, k, f->layer[i].stored, 0};
                if (m.from == f->layer[k].stored || f->others[m.from])
                    continue;
                m.worth = move_worth(f, &m, more);
                if (m.worth > best.worth)
                    best = m;
            }
    }
    return best;
}

static void make_move(Forms *f, const Move *m, double *more)
{
    const LayerForm form = *taken(f->layer[m->like].f);
    const BufferId to = f->layer[m->like].stored;
    move_worth(f, m, more);
    for (uint32_t v = 0; v < f->l->g->variants.n; v++)
        f->left[v] -= more[v];
    for (uint32_t i = m->first; i < m->end; i++) {
        Layer *y = &f->layer[i];
        if (y->stored != m->from)
            continue;
        y->f->taken = (uint32_t)(same_form(y->f, &form) - y->f->form);
        y->f->gives_way = true;
        y->f->lost = lost(y->f, taken(y->f)) / f->time[y->variant];
        y->stored = to;
    }
}

/* Of layers from `first` to before `end`, those by one of Winograd's methods get the taps that another layer reads. */
static bool share_taps(const Forms *f, uint32_t first, uint32_t end)
{
    const LayerForm *taps = NULL, *planes = NULL;
    for (uint32_t i = first; i < end; i++) {
        const LayerForm *form = taken(f->layer[i].f);
        if (form->holds == HOLDS_TAPS && !taps)
            taps = form;
        if (form->holds == HOLDS_PLANES && !planes)
            planes = form;
    }
    for (uint32_t i = first; taps && planes && i < end; i++)
        if (!strcmp(taken(f->layer[i].f)->algorithm, planes->algorithm))
            f->layer[i].f->taps_width = taps->width;
    return taps && planes;
}

bool lower_share_forms(Lowering *l)
{
    Arena *scratch = arena_new();
    Forms f = find_layers(l, scratch);
    double *more = ARENA_ARRAY(scratch, double, l->g->variants.n);
    uint32_t changes = 0;
    for (Move m = best_move(&f, more); m.worth > 0; m = best_move(&f, more)) {
        make_move(&f, &m, more);
        changes++;
    }
    for (uint32_t first = 0, end; first < f.n; first = end) {
        end = end_of_group(&f, first);
        changes += share_taps(&f, first, end);
    }
    arena_free(scratch);
    return changes > 0;
}
