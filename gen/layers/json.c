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

static const char *state_word(CheckState state)
{
    return state == CHECK_NOT_RUN    ? "not run"
           : state == CHECK_IN_LOOP  ? "in a loop"
           : state == CHECK_COMPARED ? "compared"
                                     : "unknown";
}

static void put_layer(const LayersCheck *c, const LayerCheck *l, Text *t)
{
    const Step *s = &c->p->steps[l->made->step];
    text_printf(t, "{\"layer\": %u, \"label\": \"%s\", \"value\": ", l->made->step, s->label);
    json_string(t, value_at(c->p->graph, c->p->buffers[l->made->buffer].value)->name);
    text_printf(t, ", \"state\": \"%s\"", state_word(l->state));
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

void layers_json(const LayersCheck *c, Text *t)
{
    text_puts(t, "{\"schema\": 1, \"file\": ");
    json_string(t, c->file);
    text_printf(t, ", \"model_sha256\": \"%s\", \"inputs\": ", c->p->origin.model_hash);
    json_string(t, c->about);
    text_printf(t, ", \"agrees\": %s, \"culprit\": ", layers_agree(c) ? "true" : "false");
    text_printf(t, c->culprit ? "%u" : "null", c->culprit ? c->culprit->made->step : 0);
    text_printf(t, ", \"n_layers\": %u, \"layers\": [", c->p->n_steps);
    for (uint32_t i = 0; i < c->n_layers; i++) {
        text_puts(t, i ? ",\n " : "\n ");
        put_layer(c, &c->layers[i], t);
    }
    text_puts(t, "\n], \"outputs\": [");
    for (uint32_t k = 0; k < c->n_outputs; k++) {
        text_puts(t, k ? ",\n {\"name\": " : "\n {\"name\": ");
        json_string(t, c->outputs[k].name);
        put_checked(t, &c->outputs[k].model);
        if (c->runtime) {
            text_puts(t, ", \"onnxruntime\": {\"name\": \"program\"");
            put_checked(t, &c->outputs[k].runtime);
            text_puts(t, "}, \"onnxruntime_evaluator\": {\"name\": \"evaluator\"");
            put_checked(t, &c->outputs[k].runtime_evaluated);
            text_puts(t, "}");
        }
        text_printf(t, ", \"passes_changed_it\": %s}",
                    c->outputs[k].passes.beyond ? "true" : "false");
    }
    text_puts(t, "\n]}\n");
}
