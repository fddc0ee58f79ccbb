/* dnnlc inspect --json: docs/inspect.md describes its members. */
#include "inspect.h"

#include "../base/quote.h"
#include "../explain/estimate.h"

#include <inttypes.h>

static void member(Text *out, const char *name, const char *value)
{
    text_printf(out, "\"%s\": ", name);
    if (value)
        json_string(out, value);
    else
        text_puts(out, "null");
}

static void number(Text *out, const char *name, int64_t value, bool known)
{
    text_printf(out, "\"%s\": ", name);
    if (known)
        text_printf(out, "%" PRId64, value);
    else
        text_puts(out, "null");
}

/* "[" or ",", and the beginning of a line. */
static void begin_row(Text *out, size_t i)
{
    text_puts(out, i ? ",\n    {" : "\n    {");
}

static void begin_rows(Text *out, const char *name)
{
    text_printf(out, "  \"%s\": [", name);
}

static void end_rows(Text *out, size_t n)
{
    text_puts(out, n ? "\n  ],\n" : "],\n");
}

static void declared_ports(Text *out, const char *name, const SurveyPort *ports, size_t n)
{
    begin_rows(out, name);
    for (size_t i = 0; i < n; i++) {
        begin_row(out, i);
        member(out, "name", ports[i].name);
        text_puts(out, ", ");
        member(out, "type", ports[i].type);
        text_puts(out, "}");
    }
    end_rows(out, n);
}

static void compiled_ports(Text *out, const Graph *g, const char *name, const Port *ports,
                           uint32_t n)
{
    begin_rows(out, name);
    for (uint32_t i = 0; i < n; i++) {
        const TensorType *t = type_of(g, ports[i].value);
        begin_row(out, i);
        member(out, "name", ports[i].name);
        text_puts(out, ", ");
        member(out, "element", dtype_name(t->dtype));
        text_puts(out, ", \"dims\": [");
        for (int d = 0; d < t->rank; d++)
            text_printf(out, "%s%" PRId64, d ? ", " : "", t->dims[d]);
        text_puts(out, "]}");
    }
    end_rows(out, n);
}

static void symbols(Text *out, const Survey *s)
{
    begin_rows(out, "dimensions");
    for (size_t i = 0; i < s->n_symbols; i++) {
        const SurveySymbol *symbol = &s->symbols[i];
        begin_row(out, i);
        member(out, "symbol", symbol->name);
        text_puts(out, ", ");
        member(out, "where", symbol->where);
        text_puts(out, ", ");
        number(out, "value", symbol->value, symbol->value >= 0);
        text_printf(out, ", \"bounded\": %s, ", symbol->bounded ? "true" : "false");
        member(out, "set_by", symbol->source);
        text_puts(out, ", ");
        member(out, "option", symbol->option);
        text_puts(out, "}");
    }
    end_rows(out, s->n_symbols);
}

static void operators(Text *out, const Inspection *in)
{
    const Survey *s = &in->survey;
    begin_rows(out, "operators");
    for (size_t i = 0; i < s->n_operators; i++) {
        const SurveyOperator *op = &s->operators[i];
        begin_row(out, i);
        member(out, "domain", *op->domain || !in->onnx ? op->domain : "ai.onnx");
        text_puts(out, ", ");
        member(out, "name", op->name);
        text_printf(out, ", \"function\": %s, \"nodes\": %u, \"inner_nodes\": %u",
                    op->function ? "true" : "false", op->nodes, op->inner);
        for (int k = 0; k < N_FATES; k++)
            text_printf(out, ", \"%s\": %u", fate_words[k], in->fates[i].nodes[k]);
        text_puts(out, ", ");
        member(out, "why", op->why);
        text_puts(out, "}");
    }
    end_rows(out, s->n_operators);
}

static void refusals(Text *out, const Refusals *r)
{
    begin_rows(out, "refusals");
    for (uint32_t i = 0; i < r->n; i++) {
        begin_row(out, i);
        number(out, "node", r->rows[i].index, r->rows[i].index != UINT32_MAX);
        text_puts(out, ", ");
        member(out, "place", r->rows[i].place);
        text_puts(out, ", ");
        member(out, "operator", r->rows[i].op);
        text_puts(out, ", ");
        member(out, "why", r->rows[i].why);
        text_puts(out, "}");
    }
    end_rows(out, r->n);
    text_puts(out, "  ");
    member(out, "hint", r->hint);
    text_puts(out, ",\n");
}

static void plan(Text *out, const Inspection *in)
{
    const Program *p = in->program && in->program->placed ? in->program : NULL;
    const Graph *g = in->graph;
    if (g) {
        compiled_ports(out, g, "compiled_inputs", g->inputs, inputs_each(g));
        compiled_ports(out, g, "compiled_outputs", g->outputs, outputs_each(g));
    }
    text_puts(out, "  ");
    number(out, "example", INSPECT_EXAMPLE, in->example);
    text_puts(out, ",\n  ");
    number(out, "macs", in->macs, in->macs >= 0);
    text_printf(out, ",\n  \"variants\": %u,\n  ", g ? g->variants.n : 1);
    member(out, "target", in->target_c ? "c" : "dnnl");
    text_puts(out, ",\n  ");
    member(out, "isa", in->isa);
    text_printf(out, ",\n  \"threads\": %d,\n  ", in->threads);
    number(out, "layers", p ? p->n_steps : 0, p);
    text_puts(out, ",\n  ");
    number(out, "workspace_bytes", p ? (int64_t)p->workspace_bytes : 0, p);
    text_puts(out, ",\n  ");
    number(out, "weights_bytes", p ? (int64_t)p->weights_bytes : 0, p);
    text_puts(out, ",\n  \"estimated_ms\": ");
    if (p)
        text_printf(out, "%.4f", estimate_variant_ns(p, &in->machine, 0) / 1e6);
    else
        text_puts(out, "null");
}

void inspect_json(const Inspection *in, Text *out)
{
    const Survey *s = &in->survey;
    text_puts(out, "{\n  \"schema\": 1,\n  ");
    member(out, "model", in->file);
    text_puts(out, ",\n  ");
    member(out, "sha256", in->hash);
    text_puts(out, ",\n  ");
    member(out, "graph", s->graph);
    text_puts(out, ",\n  ");
    number(out, "ir_version", s->ir_version, s->ir_version > 0);
    text_puts(out, ",\n  ");
    member(out, "producer", s->producer);
    text_puts(out, ",\n  ");
    member(out, "producer_version", s->producer_version);
    text_puts(out, ",\n");
    begin_rows(out, "opsets");
    for (size_t i = 0; i < s->n_opsets; i++) {
        begin_row(out, i);
        member(out, "domain", s->opsets[i].domain);
        text_printf(out, ", \"version\": %" PRId64 "}", s->opsets[i].version);
    }
    end_rows(out, s->n_opsets);
    declared_ports(out, "inputs", s->inputs, s->n_inputs);
    declared_ports(out, "outputs", s->outputs, s->n_outputs);
    symbols(out, s);
    text_printf(out, "  \"parameters\": %" PRId64 ",\n  \"parameter_bytes\": %" PRId64 ",\n",
                s->parameters, s->parameter_bytes);
    operators(out, in);
    text_printf(out, "  \"compiles\": %s,\n", in->refusals.n ? "false" : "true");
    refusals(out, &in->refusals);
    plan(out, in);
    text_puts(out, "\n}\n");
}
