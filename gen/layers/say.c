/* dnnlc verify for people: a line for each tensor that a layer makes, and what is to be known of the first that is wrong. */
#include "../base/line.h"
#include "../explain/explain.h"
#include "../ops/ops.h"
#include "layers.h"

#include <inttypes.h>
#include <math.h>
#include <string.h>

enum { NUMBER = 10, NAME_LEAST = 12 };

typedef struct Table {
    const LayersCheck *c;
    Arena *arena;
    Text *out;
    int width, name;
    const char *bold, *red, *plain; /* the terminal's commands, or "" */
} Table;

static const char *steps_text(Arena *arena, double steps)
{
    const char *n = arena_printf(arena, "%.3g", steps);
    return arena_printf(arena, "%s step%s", n, strcmp(n, "1") ? "s" : "");
}

/* As a part of the largest element; in steps where the result is rounded to some. */
static const char *part_text(Arena *arena, double absolute, const Difference *d, double step)
{
    return isinf(absolute) ? "infinite"
           : absolute == 0 ? "equal"
           : step > 0 && absolute >= step / 2
               ? steps_text(arena, absolute / step)
               : arena_printf(arena, "%.1e", absolute / (d->largest > 0 ? d->largest : 1));
}

static const char *error_text(Arena *arena, const Difference *d, double step)
{
    return part_text(arena, d->absolute, d, step);
}

static const char *ratio_text(Arena *arena, const Difference *d)
{
    return isinf(d->signal_ratio) ? d->signal_ratio > 0 ? "exact" : "-"
                                  : arena_printf(arena, "%.0f dB", round(d->signal_ratio) + 0.0);
}

/* Narrow terminals have only the error and its bound. */
static void put_row(const Table *t, const char *name, const char *error, const char *bound,
                    const char *ratio, const char *in_all)
{
    Text line = text_new(t->arena);
    line_cell(&line, line_cut(t->arena, name, t->name), t->name);
    text_printf(&line, " %*s %*s", NUMBER, error, NUMBER, bound);
    if (t->name + 4 * (NUMBER + 1) <= t->width)
        text_printf(&line, " %*s %*s", NUMBER, ratio, NUMBER, in_all);
    text_printf(t->out, "%s\n", line.data);
}

static void put_layer(const Table *t, const LayerCheck *l)
{
    const Step *s = &t->c->p->steps[l->made->step];
    const char *name =
        arena_printf(t->arena, l->layer.beyond ? ">%3u %s" : "%4u %s", l->made->step, s->label);
    const char *in_all = l->has_all ? error_text(t->arena, &l->in_all, l->by.step) : "";
    if (l->layer.beyond)
        text_puts(t->out, t->red);
    if (l->state == CHECK_COMPARED)
        put_row(t, name, error_text(t->arena, &l->layer.own, l->by.step),
                part_text(t->arena, l->layer.bound, &l->layer.own, l->by.step),
                ratio_text(t->arena, &l->layer.own), in_all);
    else
        put_row(t, name, check_state_word(l->state), "", "", in_all);
    if (l->layer.beyond)
        text_puts(t->out, t->plain);
}

static void put_statistics(const Table *t, const LayerCheck *l)
{
    const Difference *d = &l->layer.own;
    line_printf(t->out, t->width, 2,
                "largest difference %.6g, bound %.3g, at %s: %.9g, the evaluator has %.9g",
                d->absolute, l->layer.bound, index_text(t->arena, &l->got.type, d->at), d->got,
                d->reference);
    if (l->by.step > 0)
        line_printf(t->out, t->width, 2, "its results have steps of %.6g: it is %.3g of them",
                    l->by.step, d->absolute / l->by.step);
    line_printf(t->out, t->width, 2,
                "largest as a part of its element %.3g; root of the mean square %.3g; "
                "signal to noise %s; %" PRId64 " of %" PRId64 " elements differ",
                d->relative, d->rms, ratio_text(t->arena, d), d->different, d->elements);
    Text ulps = text_new(t->arena);
    text_printf(&ulps, "%s:",
                dtype_is_float(l->got.type.dtype) ? "by units in the last place" : "by steps");
    for (int i = 0; i < ULP_CLASSES; i++)
        if (d->ulps[i])
            text_printf(&ulps, " %s: %" PRId64 ",", ulp_class_text(t->arena, i), d->ulps[i]);
    ulps.data[--ulps.size] = 0;
    line_words(t->out, t->width, 2, ulps.data);
    if (l->layer.often)
        line_words(t->out, t->width, 2,
                   "each is within the bound, but so many are none that roundings make");
}

static void put_culprit(const Table *t, const LayerCheck *l)
{
    const Program *p = t->c->p;
    const Step *s = &p->steps[l->made->step];
    const Buffer *b = &p->buffers[l->made->buffer];
    text_printf(t->out, "\n%slayer %u, %s, is the first beyond its bound%s\n", t->bold,
                l->made->step, s->label, t->plain);
    put_statistics(t, l);
    Text nodes = text_new(t->arena);
    text_puts(&nodes, s->n_nodes ? "computes" : "copies");
    for (uint32_t i = 0; i < s->n_nodes; i++) {
        const Node *n = node_at(p->graph, s->nodes[i]);
        text_printf(&nodes, "%s %s '%s'", i ? "," : "", op_info(n->op)->name, n->name);
    }
    text_printf(&nodes, "; by %s", explain_implementation(p, s));
    line_words(t->out, t->width, 2, nodes.data);
    line_printf(t->out, t->width, 2, "makes '%s' %s, in memory as %s; the file of it: %s",
                value_at(p->graph, b->value)->name, type_text(t->arena, &b->type),
                layout_tag(t->arena, &b->layout), l->made->file);
}

/* How far from another runtime. */
static const char *beside_text(Arena *arena, const Checked *c)
{
    return c->own.absolute == 0
               ? "equal"
               : arena_printf(arena, "off by %s of the largest element%s",
                              error_text(arena, &c->own, 0), c->beyond ? ", beyond the bound" : "");
}

/* What is to be known of an output's error, beside how large it is. */
static const char *why_text(const Table *t, const OutputCheck *o)
{
    const char *by = o->moved > 0 ? arena_printf(t->arena, "%.1e", o->moved) : "nothing",
               *moved = o->probed
                            ? arena_printf(t->arena,
                                           "; errors like those of the layers move it by %s", by)
                            : "";
    return !o->model.beyond   ? moved
           : o->passes.beyond ? "; the passes have changed it: dnnlc bisect says which"
           : t->c->culprit    ? "; what the passes have left computes it as the model does"
           : o->probed        ? arena_printf(t->arena, "%s only", moved)
                              : "";
}

static void put_output(const Table *t, const OutputCheck *o)
{
    Text line = text_new(t->arena);
    const bool equal = o->model.own.absolute == 0;
    const char *run = t->c->runs[o->variant];
    text_printf(&line, "output '%s'%s%s: %s%s%s", o->name, *run ? " of " : "", run,
                equal ? "" : "off by ", error_text(t->arena, &o->model.own, 0),
                equal ? "" : " of its largest element");
    if (!equal)
        text_printf(&line, ", bound %s", part_text(t->arena, o->model.bound, &o->model.own, 0));
    text_puts(&line, why_text(t, o));
    line_words(t->out, t->width, 0, line.data);
    if (t->c->runtime)
        line_printf(t->out, t->width, 2, "ONNX Runtime: %s, the evaluator beside it %s",
                    beside_text(t->arena, &o->runtime),
                    beside_text(t->arena, &o->runtime_evaluated));
}

/* Of the column: what the longest name takes, if there is room. */
static int name_width(const LayersCheck *c, int room)
{
    int longest = NAME_LEAST;
    for (uint32_t i = 0; i < c->n_layers; i++) {
        const int n = 5 + line_characters(c->p->steps[c->layers[i].made->step].label);
        longest = n > longest ? n : longest;
    }
    return longest < room ? longest : room;
}

/* Above the first layer of each size stands which it is. */
static void put_layers(const Table *t)
{
    const LayersCheck *c = t->c;
    uint32_t at = NO_ROW;
    for (uint32_t i = 0; i < c->n_layers; i++) {
        const uint32_t variant = layer_variant(c, &c->layers[i]);
        if (!c->runs[variant])
            continue;
        if (variant != at && *c->runs[variant])
            line_words(t->out, t->width, 0, c->runs[variant]);
        at = variant;
        put_layer(t, &c->layers[i]);
    }
}

void layers_table(const LayersCheck *c, int width, bool colour, Text *out)
{
    Table t = {c,
               out->arena,
               out,
               width,
               NAME_LEAST,
               colour ? "\033[1m" : "",
               colour ? "\033[31m" : "",
               colour ? "\033[0m" : ""};
    t.name = name_width(c, width - 4 * (NUMBER + 1) >= NAME_LEAST ? width - 4 * (NUMBER + 1)
                                                                  : width - 2 * (NUMBER + 1));
    text_puts(out, out->size ? "\n" : "");
    line_words(out, width, 0,
               arena_printf(out->arena, "%s: %u layers beside the reference evaluator, %s", c->file,
                            c->p->n_steps, c->about));
    text_puts(out, t.bold);
    put_row(&t, "layer", "error", "bound", "signal", "in all");
    text_puts(out, t.plain);
    put_layers(&t);
    if (c->culprit)
        put_culprit(&t, c->culprit);
    text_puts(out, "\n");
    for (uint32_t k = 0; k < c->n_outputs; k++)
        put_output(&t, &c->outputs[k]);
}
