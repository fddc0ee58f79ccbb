/* dnnlc verify --json: docs/verify.md describes it. */
#include "../base/quote.h"
#include "../ops/ops.h"
#include "layers.h"

#include <inttypes.h>
#include <math.h>

/* JSON has neither infinities nor NaN. */
static void put_number(Text *t, const char *key, double x)
{
    if (isfinite(x))
        text_printf(t, ", \"%s\": %.9g", key, x);
    else
        text_printf(t, ", \"%s\": null", key);
}

static void put_difference(Text *t, const Difference *d)
{
    text_printf(t, "{\"elements\": %" PRId64 ", \"different\": %" PRId64, d->elements,
                d->different);
    put_number(t, "absolute", d->absolute);
    put_number(t, "largest", d->largest);
    put_number(t, "relative", d->relative);
    put_number(t, "rms", d->rms);
    put_number(t, "signal_ratio_db", d->signal_ratio);
    text_printf(t, ", \"at\": %" PRId64, d->at);
    put_number(t, "reference", d->reference);
    put_number(t, "got", d->got);
    text_puts(t, ", \"ulps\": [");
    for (int i = 0; i < ULP_CLASSES; i++)
        text_printf(t, "%s%" PRId64, i ? ", " : "", d->ulps[i]);
    text_puts(t, "]}");
}

static void put_checked(Text *t, const Checked *c)
{
    text_printf(t, ", \"beyond\": %s", c->beyond ? "true" : "false");
    put_number(t, "bound", c->bound);
    text_puts(t, ", \"error\": ");
    put_difference(t, &c->own);
}

/* Of which size, where there are several. */
static void put_run(const LayersCheck *c, uint32_t variant, Text *t)
{
    if (!*c->runs[variant])
        return;
    text_puts(t, ", \"run\": ");
    json_string(t, c->runs[variant]);
}

static void put_layer(const LayersCheck *c, const LayerCheck *l, Text *t)
{
    const Step *s = &c->p->steps[l->made->step];
    text_printf(t, "{\"layer\": %u, \"label\": \"%s\", \"value\": ", l->made->step, s->label);
    json_string(t, value_at(c->p->graph, c->p->buffers[l->made->buffer].value)->name);
    text_printf(t, ", \"state\": \"%s\"", check_state_word(l->state));
    put_run(c, layer_variant(c, l), t);
    if (l->state == CHECK_COMPARED) {
        put_number(t, "step", l->by.step);
        put_checked(t, &l->layer);
    }
    if (l->has_all) {
        text_puts(t, ", \"in_all\": ");
        put_difference(t, &l->in_all);
    }
    text_puts(t, "}");
}

static void put_output(const LayersCheck *c, const OutputCheck *o, Text *t)
{
    text_puts(t, "{\"name\": ");
    json_string(t, o->name);
    put_run(c, o->variant, t);
    put_checked(t, &o->model);
    if (c->runtime) {
        text_puts(t, ", \"onnxruntime\": {\"name\": \"program\"");
        put_checked(t, &o->runtime);
        text_puts(t, "}, \"onnxruntime_evaluator\": {\"name\": \"evaluator\"");
        put_checked(t, &o->runtime_evaluated);
        text_puts(t, "}");
    }
    if (o->probed)
        put_number(t, "moved_by_errors", o->moved);
    text_printf(t, ", \"passes_changed_it\": %s}", o->passes.beyond ? "true" : "false");
}

void layers_json(const LayersCheck *checks, size_t n, Text *t)
{
    const LayersCheck *culprit = NULL;
    const char *separator = "\n ";
    bool agree = true;
    for (size_t r = n; r-- > 0;) {
        culprit = checks[r].culprit ? &checks[r] : culprit;
        agree = agree && layers_agree(&checks[r]);
    }
    text_puts(t, "{\"schema\": 1, \"file\": ");
    json_string(t, checks->file);
    text_printf(t, ", \"model_sha256\": \"%s\", \"inputs\": ", checks->p->origin.model_hash);
    json_string(t, checks->about);
    text_printf(t, ", \"agrees\": %s, \"culprit\": ", agree ? "true" : "false");
    text_printf(t, culprit ? "%u" : "null", culprit ? culprit->culprit->made->step : 0);
    text_printf(t, ", \"n_layers\": %u, \"layers\": [", checks->p->n_steps);
    for (size_t r = 0; r < n; r++)
        for (uint32_t i = 0; i < checks[r].n_layers; i++) {
            if (!checks[r].runs[layer_variant(&checks[r], &checks[r].layers[i])])
                continue;
            text_puts(t, separator);
            put_layer(&checks[r], &checks[r].layers[i], t);
            separator = ",\n ";
        }
    text_puts(t, "\n], \"outputs\": [");
    separator = "\n ";
    for (size_t r = 0; r < n; r++)
        for (uint32_t k = 0; k < checks[r].n_outputs; k++) {
            text_puts(t, separator);
            put_output(&checks[r], &checks[r].outputs[k], t);
            separator = ",\n ";
        }
    text_puts(t, "\n]}\n");
}
