#include "bisect_say.h"

#include "../base/line.h"
#include "../base/quote.h"
#include "../ops/ops.h"

#include <math.h>

static const char *part(Arena *arena, double difference)
{
    return isinf(difference) ? "infinite"
           : difference > 0  ? arena_printf(arena, "%.1e", difference)
                             : "equal";
}

/* JSON has no infinity. */
static const char *finite_or_null(Arena *arena, double x)
{
    return isfinite(x) ? arena_printf(arena, "%.9g", x) : "null";
}

void bisect_say_begin(Bisect *b)
{
    if (!b->json) {
        text_printf(b->out, "%-20s %10s %10s\n", "pass", "change", "in all");
        return;
    }
    text_puts(b->out, "{\"schema\": 1, \"file\": ");
    json_string(b->out, b->file);
    text_printf(b->out, ", \"model_sha256\": \"%s\", \"inputs\": ", b->hash);
    json_string(b->out, b->about);
    text_puts(b->out, ", \"passes\": [");
}

void bisect_say_pass(Bisect *b, const char *pass, double change, double in_all)
{
    if (b->json)
        text_printf(b->out, "%s\n {\"pass\": \"%s\", \"change\": %s, \"in_all\": %s}",
                    b->n_passes ? "," : "", pass, finite_or_null(b->arena, change),
                    finite_or_null(b->arena, in_all));
    else
        text_printf(b->out, "%-20s %10s %10s\n", pass, part(b->arena, change),
                    part(b->arena, in_all));
    b->n_passes++;
}

static void say_value(Bisect *b, const OtherValue *value)
{
    if (value->node)
        line_printf(b->out, b->width, 2,
                    "the first value that is another: '%s' %s of %s '%s', by %s of "
                    "its largest element",
                    value->name, type_text(b->arena, value->type), op_info(value->node->op)->name,
                    value->node->name, part(b->arena, value->change));
    else
        line_words(b->out, b->width, 2,
                   "all values that were there before are what they were: it is in what the pass "
                   "has made");
}

static void culprit_json(Bisect *b, const Graph *g, const char *pass, const double *changes,
                         const OtherValue *value)
{
    Text *t = b->out;
    text_printf(t, "\n], \"culprit\": \"%s\", \"why\": \"changes an output\", \"outputs\": [",
                pass);
    for (uint32_t k = 0; k < g->n_outputs; k++) {
        text_puts(t, k ? ",\n {\"name\": " : "\n {\"name\": ");
        json_string(t, g->outputs[k].name);
        text_printf(t, ", \"change\": %s, \"bound\": %s}", finite_or_null(b->arena, changes[k]),
                    finite_or_null(b->arena, b->bounds[k]));
    }
    text_puts(t, "\n], \"value\": ");
    if (!value->node) {
        text_puts(t, "null}\n");
        return;
    }
    text_puts(t, "{\"name\": ");
    json_string(t, value->name);
    text_printf(t,
                ", \"type\": \"%s\", \"op\": \"%s\", \"node\": ", type_text(b->arena, value->type),
                op_info(value->node->op)->name);
    json_string(t, value->node->name);
    text_printf(t, ", \"change\": %s}}\n", finite_or_null(b->arena, value->change));
}

void bisect_say_culprit(Bisect *b, const Graph *g, const char *pass, const double *changes,
                        const OtherValue *value)
{
    if (b->json) {
        culprit_json(b, g, pass, changes, value);
        return;
    }
    text_puts(b->out, "\n");
    line_printf(b->out, b->width, 0,
                "pass '%s' is the first that changes an output beyond its bound", pass);
    for (uint32_t k = 0; k < g->n_outputs; k++)
        if (changes[k] > 0)
            line_printf(b->out, b->width, 2, "output '%s': %s of its largest element, bound %.1e",
                        g->outputs[k].name, part(b->arena, changes[k]), b->bounds[k]);
        else
            line_printf(b->out, b->width, 2, "output '%s': equal", g->outputs[k].name);
    say_value(b, value);
}

void bisect_json_end(Text *out, const char *pass, const char *why)
{
    text_puts(out, "\n], \"culprit\": ");
    if (why && *pass)
        json_string(out, pass);
    else
        text_puts(out, "null");
    text_puts(out, ", \"why\": ");
    if (why)
        json_string(out, why);
    else
        text_puts(out, "null");
    text_puts(out, ", \"outputs\": [], \"value\": null}\n");
}
