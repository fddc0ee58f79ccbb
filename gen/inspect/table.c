/* dnnlc inspect for people: lines that fit the terminal, but for options, which are there to be typed. */
#include "inspect.h"

#include "../base/line.h"
#include "../base/utf8.h"
#include "../explain/estimate.h"

#include <inttypes.h>
#include <string.h>

typedef struct Table {
    const Inspection *in;
    Arena *arena;
    Text *out;
    int width;
    const char *bold, *red, *plain; /* the terminal's commands, or "" */
} Table;

enum { NUMBER_WIDTH = 8, LEAST_NAME = 12 };

/* --- lines ---------------------------------------------------------------------------------------------------------- */

static const char *cut(const Table *t, const char *text, int most)
{
    return line_cut(t->arena, text, most);
}

static void put_cell(const Table *t, const char *text, int width)
{
    line_cell(t->out, text, width);
}

static void put_words(const Table *t, int indent, const char *text)
{
    line_words(t->out, t->width, indent, text);
}

static void put_head(const Table *t, const char *text)
{
    text_printf(t->out, "%s%s%s\n", t->bold, text, t->plain);
}

/* "4.09 G" */
static const char *scaled(Arena *arena, double n)
{
    static const char *const units[] = {"", " k", " M", " G", " T", " P"};
    size_t unit = 0;
    for (; n >= 1000 && unit + 1 < COUNT_OF(units); n /= 1000)
        unit++;
    return arena_printf(arena, unit == 0 ? "%.0f%s" : "%.3g%s", n, units[unit]);
}

/* "97.5 MiB" */
static const char *bytes_text(Arena *arena, double n)
{
    static const char *const units[] = {"bytes", "KiB", "MiB", "GiB", "TiB", "PiB"};
    size_t unit = 0;
    for (; n >= 1024 && unit + 1 < COUNT_OF(units); n /= 1024)
        unit++;
    return arena_printf(arena, unit == 0 ? "%.0f %s" : "%.1f %s", n, units[unit]);
}

/* --- what the model says -------------------------------------------------------------------------------------------- */

static void put_model(const Table *t)
{
    const Inspection *in = t->in;
    const Survey *s = &in->survey;
    Text line = text_new(t->arena);
    text_printf(&line, "%s:", in->file);
    for (size_t i = 0; i < s->n_opsets; i++)
        text_printf(&line, "%s opset %" PRId64 "%s%s", i ? "," : "", s->opsets[i].version,
                    strcmp(s->opsets[i].domain, "ai.onnx") ? " of " : "",
                    strcmp(s->opsets[i].domain, "ai.onnx") ? s->opsets[i].domain : "");
    if (s->ir_version)
        text_printf(&line, ", IR version %" PRId64, s->ir_version);
    if (*s->producer)
        text_printf(&line, ", by %s %s", s->producer, s->producer_version);
    if (!in->onnx)
        text_puts(&line, in->was_program ? " a program in text" : " a graph in text");
    put_words(t, 0, line.data);
}

static void put_ports(const Table *t, const char *head, const SurveyPort *ports, size_t n)
{
    int names = LEAST_NAME;
    for (size_t i = 0; i < n; i++)
        names = line_characters(ports[i].name) > names ? line_characters(ports[i].name) : names;
    names = names > t->width / 2 ? t->width / 2 : names;
    put_head(t, head);
    for (size_t i = 0; i < n; i++) {
        text_puts(t->out, "  ");
        put_cell(t, cut(t, ports[i].name, names), names + 2);
        text_printf(t->out, "%s\n", cut(t, ports[i].type, t->width - names - 4));
    }
}

/* An option is one line, however long it is: it is there to be copied. */
static void put_symbols(const Table *t)
{
    const Survey *s = &t->in->survey;
    if (s->n_symbols)
        put_head(t, "dimensions to set");
    for (size_t i = 0; i < s->n_symbols; i++) {
        const SurveySymbol *symbol = &s->symbols[i];
        Text now = text_new(t->arena);
        if (symbol->value < 0)
            text_puts(&now, "open");
        else
            text_printf(&now, "%s%" PRId64 " by %s", symbol->bounded ? "at most " : "",
                        symbol->value, symbol->source);
        text_printf(t->out, "  %s%s%s\n", symbol->value < 0 ? t->red : "",
                    utf8_one_line(t->arena, symbol->option), t->plain);
        put_words(t, 6, arena_printf(t->arena, "%s; in %s", now.data, symbol->where));
    }
}

static void put_amounts(const Table *t)
{
    const Survey *s = &t->in->survey;
    put_words(t, 0,
              arena_printf(t->arena, "parameters: %s (%s); multiply-adds: %s%s",
                           scaled(t->arena, (double)s->parameters),
                           bytes_text(t->arena, (double)s->parameter_bytes),
                           t->in->macs < 0 ? "known when all sizes are, and no node is refused"
                                           : scaled(t->arena, (double)t->in->macs),
                           t->in->example ? " by the example below" : ""));
}

/* --- operators ------------------------------------------------------------------------------------------------------ */

static const char *const heads[N_FATES] = {"oneDNN", "C", "view", "folded", "refused", "open"};

static bool has_fate(const Inspection *in, Fate f)
{
    for (size_t i = 0; i < in->survey.n_operators; i++)
        if (in->fates[i].nodes[f])
            return true;
    return false;
}

static bool has_inner(const Survey *s)
{
    for (size_t i = 0; i < s->n_operators; i++)
        if (s->operators[i].inner)
            return true;
    return false;
}

static void put_number(const Table *t, uint32_t n)
{
    if (n)
        text_printf(t->out, "%*u", NUMBER_WIDTH, n);
    else
        text_printf(t->out, "%*s", NUMBER_WIDTH, "-");
}

static const char *operator_text(const Table *t, const SurveyOperator *op)
{
    return arena_printf(t->arena, "%s%s%s%s", op->domain, *op->domain ? "." : "", op->name,
                        op->function ? " (a function)" : "");
}

static void put_operators(const Table *t)
{
    const Survey *s = &t->in->survey;
    const bool inner = has_inner(s);
    int columns = 1 + inner, names = LEAST_NAME;
    for (int f = 0; f < N_FATES; f++)
        columns += has_fate(t->in, (Fate)f);
    const int room = t->width - 2 - columns * NUMBER_WIDTH;
    for (size_t i = 0; i < s->n_operators; i++)
        names = line_characters(operator_text(t, &s->operators[i])) > names
                    ? line_characters(operator_text(t, &s->operators[i]))
                    : names;
    names = names < room ? names : room < LEAST_NAME ? LEAST_NAME : room;
    text_puts(t->out, t->bold);
    put_cell(t, "operators", names + 2);
    text_printf(t->out, "%*s", NUMBER_WIDTH, "nodes");
    for (int f = 0; f < N_FATES; f++)
        if (has_fate(t->in, (Fate)f))
            text_printf(t->out, "%*s", NUMBER_WIDTH, heads[f]);
    text_printf(t->out, "%*s%s\n", inner ? NUMBER_WIDTH : 0, inner ? "inside" : "", t->plain);
    for (size_t i = 0; i < s->n_operators; i++) {
        const SurveyOperator *op = &s->operators[i];
        const char *red = op->why || t->in->fates[i].nodes[FATE_REFUSED] ? t->red : "";
        text_printf(t->out, "  %s", red);
        put_cell(t, cut(t, operator_text(t, op), names), names);
        put_number(t, op->nodes);
        for (int f = 0; f < N_FATES; f++)
            if (has_fate(t->in, (Fate)f))
                put_number(t, t->in->fates[i].nodes[f]);
        if (inner)
            put_number(t, op->inner);
        text_printf(t->out, "%s\n", *red ? t->plain : "");
    }
    if (has_fate(t->in, FATE_VIEW) || has_fate(t->in, FATE_FOLDED))
        put_words(t, 2,
                  "view: no step, only another look at memory; folded: done while compiling, "
                  "merged into another node, or not needed");
    if (has_fate(t->in, FATE_UNJUDGED))
        put_words(t, 2,
                  "open: not judged, since sizes or nodes before them are not known or the model "
                  "is refused before they are looked at");
    if (inner)
        put_words(t, 2,
                  "inside: nodes of bodies and functions, which are where the node around them is");
}

/* --- the end -------------------------------------------------------------------------------------------------------- */

/* Nodes that are refused for the same reason are one entry, which names the first of them. */
static void put_refusals(const Table *t)
{
    enum { MOST_NAMED = 5 };
    const Refusals *r = &t->in->refusals;
    bool *said = ARENA_ARRAY(t->arena, bool, (size_t)r->n + 1);
    text_printf(t->out, "%s%srefused%s\n", t->bold, t->red, t->plain);
    for (uint32_t i = 0; i < r->n; i++) {
        Text places = text_new(t->arena);
        uint32_t n = 0;
        for (uint32_t k = i; k < r->n; k++) {
            if (said[k] || strcmp(r->rows[i].why, r->rows[k].why) != 0)
                continue;
            said[k] = true;
            if (n++ < MOST_NAMED && *r->rows[k].place)
                text_printf(&places, "%s%s", places.size ? ", " : "", r->rows[k].place);
        }
        if (!n)
            continue;
        if (n > MOST_NAMED)
            text_printf(&places, " and %u more", n - MOST_NAMED);
        put_words(
            t, 2,
            arena_printf(t->arena, "%s%s%s", places.data, places.size ? ": " : "", r->rows[i].why));
    }
    if (r->hint)
        put_words(t, 2, r->hint);
}

static const char *time_text(Arena *arena, double ns)
{
    return ns < 1e6 ? arena_printf(arena, "%.3g us", ns / 1e3)
                    : arena_printf(arena, "%.3g ms", ns / 1e6);
}

static void put_plan(const Table *t)
{
    const Inspection *in = t->in;
    const Program *p = in->program;
    Text line = text_new(t->arena);
    put_head(t, "would be compiled");
    text_printf(&line, "for %s, %d thread%s: ",
                in->target_c ? "portable C" : arena_printf(t->arena, "oneDNN on %s", in->isa),
                in->threads, in->threads == 1 ? "" : "s");
    if (p->graph->variants.n > 1)
        text_printf(&line, "%u variants, ", p->graph->variants.n);
    text_printf(&line, "%u layer%s, workspace %s, weights %s", p->n_steps,
                p->n_steps == 1 ? "" : "s", bytes_text(t->arena, (double)p->workspace_bytes),
                bytes_text(t->arena, (double)p->weights_bytes));
    put_words(t, 2, line.data);
    put_words(t, 2,
              arena_printf(t->arena, "a run%s: some %s, estimated from the machine's figures",
                           p->graph->variants.n > 1 ? " of the first" : "",
                           time_text(t->arena, estimate_variant_ns(p, &in->machine, 0))));
}

void inspect_table(const Inspection *in, int width, bool colour, Text *out)
{
    const Table t = {in,
                     in->arena,
                     out,
                     width,
                     colour ? "\033[1m" : "",
                     colour ? "\033[31m" : "",
                     colour ? "\033[0m" : ""};
    put_model(&t);
    put_ports(&t, "inputs", in->survey.inputs, in->survey.n_inputs);
    put_ports(&t, "outputs", in->survey.outputs, in->survey.n_outputs);
    put_symbols(&t);
    put_amounts(&t);
    put_operators(&t);
    if (in->refusals.n)
        put_refusals(&t);
    else if (in->program && in->program->placed)
        put_plan(&t);
}
