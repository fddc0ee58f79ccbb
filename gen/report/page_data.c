/* Facts of the program as JSON, for the page's scripts. See page_data.h. */
#include "page_data.h"

#include "../base/quote.h"
#include "../dnnl/plan.h"
#include "../explain/estimate.h"
#include "../explain/explain.h"
#include "../ops/ops.h"
#include "../program/amount.h"
#include "../program/step.h"
#include "drawing.h"

#include <math.h>
#include <string.h>

/* In pixels, for the font that page.css has in boxes. */
enum { LEAST_WIDTH = 84, MOST_WIDTH = 208, LETTER_WIDTH = 7, MARGIN = 22 };

static const char *place_words[] = {[BUFFER_INPUT] = "input",
                                    [BUFFER_OUTPUT] = "output",
                                    [BUFFER_CONST] = "weights",
                                    [BUFFER_ARENA] = "workspace"};

typedef struct BoxText {
    const char *kind, *title, *type;
    uint32_t index;
} BoxText;

/* --- drawing --------------------------------------------------------------------------------------------------------- */

/* "Conv, Add, Relu": the operators of the nodes. */
static const char *title_of(const Program *p, const Step *s)
{
    enum { MOST = 3 };
    Text t = text_new(p->arena);
    if (s->n_nodes < 2)
        return step_op_name(p, s);
    for (uint32_t i = 0; i < s->n_nodes && i < MOST; i++)
        text_printf(&t, "%s%s", i ? ", " : "", op_info(node_at(p->graph, s->nodes[i])->op)->name);
    if (s->n_nodes > MOST)
        text_printf(&t, " +%u", s->n_nodes - MOST);
    return t.data;
}

static BoxText port_box(const Program *p, const char *kind, const Port *ports, uint32_t i)
{
    return (BoxText){kind, ports[i].name, type_text(p->arena, type_of(p->graph, ports[i].value)),
                     i};
}

static BoxText step_box(const Program *p, uint32_t i)
{
    const Step *s = &p->steps[i];
    const bool makes = s->n_out && s->out[0] != NO_BUFFER;
    return (BoxText){"layer", title_of(p, s),
                     makes ? type_text(p->arena, &p->buffers[s->out[0]].type) : "", i};
}

static BoxText *box_texts(const Program *p, uint32_t *n)
{
    const Graph *g = p->graph;
    BoxText *box =
        ARENA_ARRAY(p->arena, BoxText, (size_t)g->n_inputs + p->n_steps + g->n_outputs + 1);
    *n = 0;
    for (uint32_t i = 0; i < g->n_inputs; i++)
        box[(*n)++] = port_box(p, "input", g->inputs, i);
    for (uint32_t i = 0; i < p->n_steps; i++)
        box[(*n)++] = step_box(p, i);
    for (uint32_t i = 0; i < g->n_outputs; i++)
        box[(*n)++] = port_box(p, "output", g->outputs, i);
    return box;
}

/* Letters of a title or a type; the page cuts off what is longer than the box. */
static int width_of(const BoxText *box)
{
    size_t letters = strlen(box->title);
    letters = strlen(box->type) > letters ? strlen(box->type) : letters;
    letters = letters > MOST_WIDTH ? MOST_WIDTH : letters;
    const int width = (int)letters * LETTER_WIDTH + MARGIN;
    return width < LEAST_WIDTH ? LEAST_WIDTH : width > MOST_WIDTH ? MOST_WIDTH : width;
}

static void print_drawing(const Program *p, Text *out)
{
    uint32_t n;
    const BoxText *box = box_texts(p, &n);
    int *widths = ARENA_ARRAY(p->arena, int, n + 1);
    for (uint32_t i = 0; i < n; i++)
        widths[i] = width_of(&box[i]);
    const Edges edges = find_edges(p);
    const Drawing d = draw_layered(p->arena, n, widths, &edges);
    text_printf(out,
                "\"drawing\": {\"width\": %d, \"height\": %d, \"box_height\": %d,\n\"boxes\": [",
                d.width, d.height, BOX_HEIGHT);
    for (uint32_t i = 0; i < n; i++) {
        text_printf(
            out, "%s\n{\"kind\": \"%s\", \"index\": %u, \"x\": %d, \"y\": %d, \"width\": %d, ",
            i ? "," : "", box[i].kind, box[i].index, d.middle[i].x, d.middle[i].y, widths[i]);
        text_puts(out, "\"title\": ");
        json_string(out, box[i].title);
        text_printf(out, ", \"type\": \"%s\"}", box[i].type);
    }
    text_puts(out, "],\n\"lines\": [");
    for (size_t i = 0; i < edges.n; i++) {
        const Edge *e = &edges.edge[i];
        text_printf(out, "%s\n{\"from\": %u, \"to\": %u, \"bytes\": %zu, \"points\": [",
                    i ? "," : "", e->from, e->to, p->buffers[e->buffer].bytes);
        for (uint32_t k = 0; k < d.line[i].n; k++)
            text_printf(out, "%s[%d,%d]", k ? "," : "", d.line[i].point[k].x, d.line[i].point[k].y);
        text_puts(out, "]}");
    }
    text_puts(out, "]},\n");
}

/* --- memory ---------------------------------------------------------------------------------------------------------- */

static bool is_shown(const Buffer *b)
{
    return b->base == NO_BUFFER && b->bytes > 0 &&
           (b->kind == BUFFER_CONST || (b->kind == BUFFER_ARENA && b->first != UINT32_MAX));
}

/* Numbers of the buffers that are shown; NO_ROW for others. */
static uint32_t *number_buffers(const Program *p)
{
    uint32_t *number = ARENA_ARRAY(p->arena, uint32_t, p->n_buffers + 1), n = 0;
    for (uint32_t i = 0; i < p->n_buffers; i++)
        number[i] = is_shown(&p->buffers[i]) ? n++ : NO_ROW;
    return number;
}

static const char *value_name(const Program *p, const Buffer *b)
{
    return has_value(b->value) ? value_at(p->graph, b->value)->name : "";
}

/* The next row from *k on with a constant that oneDNN has packed; NULL: there is none left. */
static const DnnlMemory *next_packed(const Step *s, uint32_t *k)
{
    const DnnlPrimitive *d = s->dnnl ? onednn_core(s->dnnl) : NULL;
    for (; d && *k < d->n_memory; ++*k)
        if (d->memory[*k].form == FORM_ANY && d->memory[*k].buffer != NO_BUFFER)
            return &d->memory[(*k)++];
    return NULL;
}

/* By buffer: what constants are called that oneDNN's primitives read and the model has no name for. */
static const char **name_packed(const Program *p)
{
    const char **name = ARENA_ARRAY(p->arena, const char *, p->n_buffers + 1);
    for (uint32_t i = 0; i < p->n_steps; i++) {
        const Step *s = &p->steps[i];
        const DnnlMemory *m;
        for (uint32_t k = 0; (m = next_packed(s, &k));) {
            name[m->buffer] = arena_printf(p->arena, "%s of %s, packed", m->name, s->label);
            if (m->blob != NO_BUFFER)
                name[m->blob] =
                    arena_printf(p->arena, "how %s of %s are packed", m->name, s->label);
        }
    }
    return name;
}

static void print_buffers(const Program *p, Text *out)
{
    const char **packed = name_packed(p), *separator = "";
    text_puts(out, "\"buffers\": [");
    for (uint32_t i = 0; i < p->n_buffers; i++) {
        const Buffer *b = &p->buffers[i];
        if (!is_shown(b))
            continue;
        text_printf(out, "%s\n{\"place\": \"%s\", \"offset\": %zu, \"bytes\": %zu, ", separator,
                    place_words[b->kind], b->offset, b->bytes);
        if (b->kind == BUFFER_ARENA) /* copies to outputs are made behind the last step */
            text_printf(out, "\"first\": %u, \"last\": %u, ", b->first,
                        b->last < p->n_steps ? b->last
                        : p->n_steps         ? p->n_steps - 1
                                             : 0);
        text_puts(out, "\"name\": ");
        json_string(out, packed[i] ? packed[i] : value_name(p, b));
        text_puts(out, "}");
        separator = ",";
    }
    text_puts(out, "],\n");
}

/* --- layers ---------------------------------------------------------------------------------------------------------- */

static void print_operand(const Program *p, BufferId id, const uint32_t *number, bool first,
                          Text *out)
{
    const Buffer *b = &p->buffers[id];
    const BufferId root = root_buffer(p, id, NULL);
    text_printf(out, "%s{\"type\": \"%s\", \"layout\": \"%s\", \"place\": \"%s\", \"bytes\": %zu, ",
                first ? "" : ", ", type_text(p->arena, &b->type), layout_tag(p->arena, &b->layout),
                place_words[p->buffers[root].kind], b->bytes);
    if (number[root] != NO_ROW)
        text_printf(out, "\"buffer\": %u, ", number[root]);
    text_puts(out, "\"name\": ");
    json_string(out, value_name(p, b));
    text_puts(out, "}");
}

static void print_operands(const Program *p, const char *key, const BufferId *ids, uint32_t n,
                           const uint32_t *number, Text *out)
{
    bool first = true;
    text_printf(out, ",\n \"%s\": [", key);
    for (uint32_t i = 0; i < n; i++) {
        if (ids[i] == NO_BUFFER)
            continue;
        print_operand(p, ids[i], number, first, out);
        first = false;
    }
    text_puts(out, "]");
}

/* Constants that stand in the primitive alone: numbers of their buffers. */
static void print_packed(const Step *s, const uint32_t *number, Text *out)
{
    const char *separator = "";
    text_puts(out, ", \"packed\": [");
    const DnnlMemory *m;
    for (uint32_t k = 0; (m = next_packed(s, &k));) {
        if (number[m->buffer] == NO_ROW)
            continue;
        text_printf(out, "%s%u", separator, number[m->buffer]);
        if (m->blob != NO_BUFFER && number[m->blob] != NO_ROW)
            text_printf(out, ", %u", number[m->blob]);
        separator = ", ";
    }
    text_puts(out, "]");
}

static void print_anchors(const Step *s, const uint32_t *anchor, Text *out)
{
    const char *separator = "";
    text_puts(out, ", \"anchors\": [");
    for (uint32_t i = 0; i < s->n_nodes; i++) {
        if (anchor[s->nodes[i].i] == NO_ROW)
            continue;
        text_printf(out, "%s%u", separator, anchor[s->nodes[i].i]);
        separator = ", ";
    }
    text_puts(out, "]");
}

static void print_layer(const ReportFacts *f, const CodeTexts *code, uint32_t i,
                        const uint32_t *number, const uint32_t *anchor, Text *out)
{
    const Program *p = f->p;
    const Step *s = &p->steps[i];
    const StepAmount a = step_amount(p, s);
    text_printf(out, "%s\n{\"op\": \"%s\", \"target\": \"%s\", \"implementation\": ", i ? "," : "",
                step_op_name(p, s), target_word(s->target));
    json_string(out, explain_implementation(p, s));
    text_printf(out,
                ", \"estimate_ms\": %.6f, \"operations\": %lld, \"read\": %lld, \"written\": %lld, "
                "\"code\": %u",
                estimate_step_ns(p, f->machine, s) / 1e6, (long long)a.operations,
                (long long)a.read, (long long)a.written, code->of[i]);
    if (s->scratch != NO_BUFFER && number[root_buffer(p, s->scratch, NULL)] != NO_ROW)
        text_printf(out, ", \"scratch\": %u", number[root_buffer(p, s->scratch, NULL)]);
    if (s->n_guards)
        text_printf(out, ", \"guards\": %u", s->n_guards);
    print_anchors(s, anchor, out);
    print_packed(s, number, out);
    print_operands(p, "reads", s->in, s->n_in, number, out);
    print_operands(p, "writes", s->out, s->n_out, number, out);
    text_puts(out, "}");
}

static void print_code(const CodeTexts *code, Text *out)
{
    text_puts(out, "\"code\": [");
    for (uint32_t i = 0; i < code->n; i++) {
        const CodeText *c = &code->code[i];
        text_printf(out, "%s\n{\"name\": \"%s\", \"file\": \"%s\", \"line\": %zu, \"text\": ",
                    i ? "," : "", c->name, c->file ? c->file : "", c->line);
        json_string(out, c->text.data);
        text_puts(out, "}");
    }
    text_puts(out, "],\n");
}

/* --- times ----------------------------------------------------------------------------------------------------------- */

/* What the CPU can do: as it was measured, or else by the figures that are planned by. */
static void print_cpu(const ReportFacts *f, Text *out)
{
    const Profile *profile = f->profile;
    const double each =
        2 * f->machine->peak_macs * (f->p->origin.threads ? f->p->origin.threads : 1);
    text_printf(out, "\"cpu\": {\"gflops\": %.6g, \"gbytes_per_s\": %.6g},\n",
                profile ? profile->peak_gflops : each,
                profile ? profile->memory_gbytes_per_s : f->machine->memory_rate);
}

static void print_profile(const Program *p, const Profile *profile, Text *out)
{
    if (!profile) {
        text_puts(out, "\"profile\": null,\n");
        return;
    }
    text_printf(out,
                "\"profile\": {\"runs\": %.0f, \"threads\": %.0f, \"mean_ms\": %.6f, \"least_ms\": "
                "%.6f, \"layers\": [",
                profile->runs, profile->threads, profile->mean_ms, profile->least_ms);
    for (uint32_t i = 0; i < p->n_steps; i++) {
        const LayerTime *t = &profile->layers[i];
        text_printf(out,
                    "%s\n{\"mean_ms\": %.6f, \"least_ms\": %.6f, \"executions\": %.6g, "
                    "\"peak_share\": %.6g}",
                    i ? "," : "", t->mean_ms, t->least_ms, t->executions, t->peak_share);
    }
    text_puts(out, "]},\n");
}

/* -1: infinite. */
static double finite_or_less(double x)
{
    return isfinite(x) ? x : -1;
}

static void print_errors(const Program *p, const LayerErrors *errors, Text *out)
{
    if (!errors) {
        text_puts(out, "\"errors\": null\n");
        return;
    }
    text_printf(out,
                "\"errors\": {\"agrees\": %s, \"inputs\": ", errors->agrees ? "true" : "false");
    json_string(out, errors->inputs);
    text_puts(out, ", \"layers\": [");
    for (uint32_t i = 0; i < p->n_steps; i++) {
        const LayerError *e = &errors->layers[i];
        text_printf(out, "%s\n{\"state\": ", i ? "," : "");
        json_string(out, e->state ? e->state : "");
        text_printf(
            out, ", \"beyond\": %s, \"steps\": %s, \"error\": %.6g, \"bound\": %.6g, \"in_all\": ",
            e->beyond ? "true" : "false", e->step > 0 ? "true" : "false", finite_or_less(e->error),
            finite_or_less(e->bound));
        text_printf(out, e->in_all < 0 ? "null}" : "%.6g}", finite_or_less(e->in_all));
    }
    text_puts(out, "]}\n");
}

void page_data(const ReportFacts *facts, Text *out)
{
    const Program *p = facts->p;
    const uint32_t *number = number_buffers(p), *anchor = explain_anchor_numbers(p->graph);
    const CodeTexts code = find_code(p, facts->code);
    text_printf(out, "\"variants\": %u,\n", p->graph->variants.n > 1 ? p->graph->variants.n : 1);
    print_drawing(p, out);
    print_buffers(p, out);
    text_puts(out, "\"layers\": [");
    for (uint32_t i = 0; i < p->n_steps; i++)
        print_layer(facts, &code, i, number, anchor, out);
    text_puts(out, "],\n");
    print_code(&code, out);
    print_cpu(facts, out);
    print_profile(p, facts->profile, out);
    print_errors(p, facts->errors, out);
}
