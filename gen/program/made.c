#include "made.h"

#include "../base/quote.h"
#include "../ops/ops.h"
#include "step.h"

Made *program_made(const Program *p, Arena *arena, uint32_t *n)
{
    Made *made = NULL;
    size_t count = 0, cap = 0;
    for (uint32_t i = 0; i < p->n_steps; i++) {
        const Step *s = &p->steps[i];
        for (uint32_t k = 0; k < s->n_out; k++) {
            const Buffer *b = s->out[k] == NO_BUFFER ? NULL : &p->buffers[s->out[k]];
            if (!b || !has_value(b->value) || !type_bytes(&b->type))
                continue;
            const char *more = k ? arena_printf(arena, "_out%u", k) : "";
            ARENA_PUSH(
                arena, made, count, cap,
                (Made){i, s->out[k], arena_printf(arena, "%04u_%s%s.npy", i, s->label, more)});
        }
    }
    *n = (uint32_t)count;
    return made;
}

const char *made_json(Arena *arena, const Program *p, const Made *m)
{
    const Step *s = &p->steps[m->step];
    const Buffer *b = &p->buffers[m->buffer];
    Text t = text_new(arena);
    text_printf(&t, "{\"layer\": %u, \"label\": \"%s\", \"op\": \"%s\", \"nodes\": [", m->step,
                s->label, step_op_name(p, s));
    for (uint32_t i = 0; i < s->n_nodes; i++) {
        const Node *n = node_at(p->graph, s->nodes[i]);
        text_printf(&t, "%s{\"op\": \"%s\", \"name\": ", i ? ", " : "", op_info(n->op)->name);
        json_string(&t, n->name);
        text_puts(&t, "}");
    }
    text_puts(&t, "], \"value\": ");
    json_string(&t, value_at(p->graph, b->value)->name);
    text_printf(&t, ", \"type\": \"%s\", \"layout\": \"%s\", \"file\": \"%s\"}",
                type_text(arena, &b->type), layout_tag(arena, &b->layout), m->file);
    return t.data;
}

static void put_ports(Text *t, const char *key, const char *prefix, const Port *ports, uint32_t n)
{
    text_printf(t, ", \"%s\": [", key);
    for (uint32_t k = 0; k < n; k++) {
        text_puts(t, k ? ", {\"name\": " : "{\"name\": ");
        json_string(t, ports[k].name);
        text_printf(t, ", \"file\": \"%s_%u.npy\"}", prefix, k);
    }
    text_puts(t, "]");
}

uint32_t made_outputs(const Graph *g)
{
    uint32_t n = outputs_each(g);
    while (n && graph_is_count(g, n - 1))
        n--;
    return n;
}

const char *made_head(Arena *arena, const Program *p, const char *name)
{
    const Graph *g = p->graph;
    Text t = text_new(arena);
    text_printf(&t, "{\"format\": \"dnnlc layers 1\", \"model\": \"%s\", \"model_sha256\": \"%s\"",
                name, p->origin.model_hash ? p->origin.model_hash : "");
    put_ports(&t, "inputs", "input", g->inputs, inputs_each(g));
    put_ports(&t, "outputs", "output", g->outputs, made_outputs(g));
    return t.data;
}
