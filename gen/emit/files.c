/* Weights and manifest of an emitted model. */
#include "../../runtime-stub/dnnlc_hash.h"
#include "../dnnl/plan.h"
#include "../explain/explain.h"
#include "../ops/ops.h"
#include "../program/amount.h"
#include "emit.h"

#include <string.h>

/* Another constant is stored from the same memory, so that it may not be moved. */
static bool is_shared(const Program *p, uint32_t i)
{
    const uintptr_t from = (uintptr_t)p->buffers[i].data, to = from + p->buffers[i].bytes;
    for (uint32_t k = 0; k < p->n_buffers; k++) {
        const Buffer *b = &p->buffers[k];
        if (k != i && b->kind == BUFFER_CONST && b->base == NO_BUFFER &&
            (uintptr_t)b->data >= from && (uintptr_t)b->data < to)
            return true;
    }
    return false;
}

/* To its place, from which the program and the graph read it from now on: it is never in memory twice. */
static void move_large(const Emit *e, const void *data, size_t bytes, unsigned char *to)
{
    const Program *p = e->p;
    arena_move(e->arena, to, data, bytes);
    for (uint32_t k = 0; k < p->n_buffers; k++)
        if (p->buffers[k].data == data)
            p->buffers[k].data = to;
    for (uint32_t v = 0; v < p->graph->n_values; v++)
        if (p->graph->values[v].data == data)
            p->graph->values[v].data = to;
}

const unsigned char *emit_weights_image(const Emit *e)
{
    const Program *p = e->p;
    unsigned char *image =
        (unsigned char *)arena_alloc(e->arena, DNNLC_WEIGHTS_HEAD + p->weights_bytes) +
        DNNLC_WEIGHTS_HEAD;
    for (uint32_t i = 0; i < p->n_buffers; i++) {
        const Buffer *b = &p->buffers[i];
        if (b->kind != BUFFER_CONST || b->base != NO_BUFFER || !b->bytes)
            continue;
        if (b->bytes < ARENA_LARGE || is_shared(p, i))
            memcpy(image + b->offset, b->data, b->bytes);
        else
            move_large(e, b->data, b->bytes, image + b->offset);
    }
    return image;
}

static void emit_weights_c(Emit *e, const unsigned char *image)
{
    static const char hex[] = "0123456789abcdef";
    const char *name = e->names.name, *upper = e->names.upper;
    size_t n = e->p->weights_bytes;
    Text t = text_new(e->arena);
    text_printf(
        &t,
        "%s\n#ifndef %s_WEIGHTS_SECTION\n#define %s_WEIGHTS_SECTION \".rodata.%s_weights\"\n#endif\n"
        "#if defined __GNUC__ && defined __ELF__\n#define PLACED __attribute__((aligned(64), "
        "section(%s_WEIGHTS_SECTION)))\n#elif defined __GNUC__\n#define PLACED "
        "__attribute__((aligned(64)))\n#else\n#define PLACED _Alignas(64)\n#endif\n\n"
        "extern const unsigned char %s_weights[%zu];\nPLACED const unsigned char %s_weights[%zu] = {",
        e->names.banner, upper, upper, name, upper, name, n, name, n);
    char *lines = arena_alloc(e->arena, n * 6 + (n + 15) / 16 * 4);
    size_t at = 0;
    for (size_t i = 0; i < n; i++) {
        const char *gap = i % 16 ? " " : "\n    ";
        memcpy(lines + at, gap, strlen(gap));
        at += strlen(gap);
        lines[at++] = '0';
        lines[at++] = 'x';
        lines[at++] = hex[image[i] >> 4];
        lines[at++] = hex[image[i] & 15];
        lines[at++] = ',';
    }
    text_append(&t, lines, at);
    text_puts(&t, "\n};\n");
    emit_add(e, arena_printf(e->arena, "%s_weights.c", name), t.data, t.size);
}

/* Linkers hold a section at a time, so that many weights are several. */
static void emit_weights_s(Emit *e)
{
    const char *name = e->names.name;
    const size_t bytes = e->p->weights_bytes;
    Text t = text_new(e->arena);
    text_printf(
        &t,
        "%s\n#ifdef %s_WEIGHTS_SECTION\n#define SECTION(name) %s_WEIGHTS_SECTION\n#else\n"
        "#define SECTION(name) name\n#endif\n"
        "    .section SECTION(\".rodata.%s_weights\"), \"a\", %%progbits\n    .balign 64\n    .globl "
        "%s_weights\n    .type %s_weights, %%object\n    .size %s_weights, %zu\n"
        "%s_weights:\n",
        e->names.banner, e->names.upper, e->names.upper, name, name, name, name, bytes, name);
    if (bytes <= WEIGHTS_PART)
        text_printf(&t, "    .incbin \"%s_weights.bin\"\n", name);
    for (size_t at = 0; bytes > WEIGHTS_PART && at < bytes; at += WEIGHTS_PART) {
        const size_t part = at / WEIGHTS_PART, left = bytes - at;
        if (part)
            text_printf(
                &t,
                "    .section SECTION(\".rodata.%s_weights.%03zu\"), \"a\", %%progbits\n    .balign 64\n"
                "    .globl %s_weights_%zu\n%s_weights_%zu:\n",
                name, part, name, part, name, part);
        text_printf(&t, "    .incbin \"%s_weights.bin\", %zu, %zu\n", name, at,
                    left < WEIGHTS_PART ? left : (size_t)WEIGHTS_PART);
    }
    text_puts(&t, "\n    .section .note.GNU-stack, \"\", %progbits\n");
    emit_add(e, arena_printf(e->arena, "%s_weights.S", name), t.data, t.size);
}

void emit_weights(Emit *e)
{
    const char *name = e->names.name;
    const unsigned char *image = e->weights;
    if (e->o->weights == WEIGHTS_C) {
        emit_weights_c(e, image);
        return;
    }
    const size_t head = e->o->weights == WEIGHTS_FILE ? DNNLC_WEIGHTS_HEAD : 0;
    if (head)
        put_weights_head(e);
    emit_add(e, arena_printf(e->arena, "%s_weights.bin", name), image - head, weights_size(e));
    if (head)
        return;
    emit_weights_s(e);
}

/* --- manifest ----------------------------------------------------------------------------------------------------- */

static void json_ports(const Emit *e, Text *t, const char *key, const Port *ports,
                       const char **members, uint32_t n)
{
    const uint32_t plans = graph_by_count(e->p->graph) ? e->p->graph->variants.n : 1;
    n /= plans; /* whose ports are the same */
    text_printf(t, "  \"%s\": [", key);
    for (uint32_t i = 0; i < n; i++) {
        const TensorType *type = type_of(e->p->graph, ports[i].value);
        text_printf(t, "%s\n    {\"name\": ", i ? "," : "");
        json_string(t, ports[i].name);
        text_printf(t, ", \"member\": \"%s\", \"dtype\": \"%s\", \"shape\": [", members[i],
                    dtype_name(type->dtype));
        for (int d = 0; d < type->rank; d++)
            text_printf(t, "%s%lld", d ? ", " : "", (long long)type->dims[d]);
        text_printf(t, "], \"bytes\": %zu", type_bytes(type));
        for (uint32_t k = 0; k < ports[i].n_counts; k++) {
            const RowCount c = ports[i].counts[k];
            if (ports[i].n_counts == 1)
                text_printf(t, ", \"counted_axis\": %d, \"count\": ", c.axis);
            else
                text_printf(t, "%s{\"axis\": %d, \"count\": ", k ? ", " : ", \"counts\": [",
                            c.axis);
            json_string(t, ports[c.by].name);
            text_puts(t, ports[i].n_counts == 1 ? "" : k + 1 < ports[i].n_counts ? "}" : "}]");
        }
        if (ports[i].state)
            text_puts(t, ", \"state\": true");
        if (ports[i].scale != 0)
            text_printf(t, ", \"steps\": \"%s\"", port_steps(e->arena, &ports[i]));
        if (e->p->graph->variants.n > plans)
            text_printf(t, ", \"variant\": %u", i / (n / e->p->graph->variants.n));
        text_puts(t, "}");
    }
    text_puts(t, "\n  ],\n");
}

/* By each run to a state's output, because it is an input, a constant or another output; of rows that do not stay where they are, all. */
static size_t copied_bytes(const Program *p, uint32_t output)
{
    size_t bytes = 0;
    for (uint32_t i = 0; i < p->n_copies; i++)
        if (p->buffers[p->copies[i].to].port == output)
            bytes += p->buffers[p->copies[i].to].bytes;
    const uint32_t in = p->graph->outputs[output].state - 1;
    if (p->graph->inputs[in].n_counts && !graph_is_appended(p->graph, in))
        bytes += type_bytes(type_of(p->graph, p->graph->inputs[in].value));
    return bytes;
}

/* What the context keeps. */
static void json_states(const Program *p, Text *t)
{
    const Graph *g = p->graph;
    const char *separator = "";
    text_puts(t, "  \"states\": [");
    for (uint32_t i = 0; i < g->n_inputs; i++) {
        if (!g->inputs[i].state)
            continue;
        text_printf(t, "%s\n    {\"input\": ", separator);
        json_string(t, g->inputs[i].name);
        text_puts(t, ", \"output\": ");
        json_string(t, g->outputs[g->inputs[i].state - 1].name);
        text_printf(t, ", \"copied_bytes\": %zu}", copied_bytes(p, g->inputs[i].state - 1));
        separator = ",";
    }
    text_puts(t, "],\n");
}

static void json_layer(const Emit *e, Text *t, const Step *s, uint32_t index)
{
    const Graph *g = e->p->graph;
    text_printf(t, "%s\n    {\"layer\": %u, \"label\": \"%s\", \"unit\": \"%s\", \"nodes\": [",
                index ? "," : "", index, s->label, unit_name(e, s->region));
    for (uint32_t i = 0; i < s->n_nodes; i++) {
        const Node *n = node_at(g, s->nodes[i]);
        text_printf(t, "%s{\"op\": \"%s\", \"name\": ", i ? ", " : "", op_info(n->op)->name);
        json_string(t, n->name);
        text_puts(t, "}");
    }
    const Buffer *out = s->n_out && s->out[0] != NO_BUFFER ? &e->p->buffers[s->out[0]] : NULL;
    text_printf(t, "], \"makes\": \"%s\", \"macs\": %lld",
                out ? type_text(e->arena, &out->type) : "", (long long)step_amount(e->p, s).macs);
    if (s->dnnl && s->dnnl->attention && !is_attention_in_c(s->dnnl))
        text_puts(t, ", \"primitives\": 3");
    if (s->dnnl)
        text_printf(t, ", \"implementation\": \"%s\", \"scratch_bytes\": %zu", s->dnnl->impl,
                    s->dnnl->scratch_bytes);
    explain_layer_json(e->p, s, t);
    text_puts(t, "}");
}

static size_t count_text(const EmitFile *file, const char *text)
{
    const size_t length = strlen(text);
    const char *s = file->data, *end = s + file->size;
    size_t n = 0;
    for (; (size_t)(end - s) >= length && (s = memchr(s, *text, (size_t)(end - s))); s++)
        n += (size_t)(end - s) >= length && !memcmp(s, text, length);
    return n;
}

/* Without those for the preprocessor. */
static size_t count_code_lines(const EmitFile *file)
{
    return count_text(file, "\n") - count_text(file, "\n#");
}

/* Lines of a file of kernels, and of what it includes for each of them. */
static size_t count_kernel_lines(const Emit *e, const EmitFile *file)
{
    const char *declarations = arena_printf(e->arena, "%s_kernels.h", e->names.name);
    const char *helpers = arena_printf(e->arena, "%s_helpers.h", e->names.name);
    size_t lines = count_code_lines(file);
    for (size_t i = 0; i < e->n_files; i++) {
        const char *include = arena_printf(e->arena, "#include \"%s\"", e->files[i].name);
        const size_t times = count_text(file, include);
        if (times && strcmp(e->files[i].name, declarations) && strcmp(e->files[i].name, helpers))
            lines += times * count_code_lines(&e->files[i]);
    }
    return lines;
}

/* Processor seconds that gcc takes for a file made for the model, by a plane through what was measured: lines of kernels, which are
 * compiled for two kinds of CPU; elsewhere lines, and functions that are put into others: transformations, tiles of products by their sizes. */
static double compile_seconds(const Emit *e, const EmitFile *file)
{
    const char *kernels = arena_printf(e->arena, "%s_kernels_", e->names.name);
    if (!strncmp(file->name, "dnnlc_", 6))
        return 0;
    if (!strncmp(file->name, kernels, strlen(kernels)))
        return 5.4e-4 * (double)count_kernel_lines(e, file);
    return 7.4e-5 * (double)count_text(file, "\n") +
           0.113 * (double)count_text(file, "\nNET_INLINE ") +
           0.016 * (double)count_text(file, "\nNET_PANEL ");
}

/* What building the folder is expected to cost: the C files and their lines, and processor seconds of gcc and the linker (AMD EPYC,
 * Zen 4, with nothing else running): within 20 % for nine of ten models. The executable's own files are the same for all, and so is
 * linking but for oneDNN. */
static void json_build(const Emit *e, Text *t)
{
    size_t files = 0, lines = 0;
    double seconds = (e->o->origin.dnnl ? 1.54 : 0.9) + 7.5e-9 * (double)e->p->weights_bytes;
    for (size_t i = 0; i < e->n_files; i++) {
        const char *dot = strrchr(e->files[i].name, '.');
        if (!dot || strcmp(dot, ".c"))
            continue;
        files++;
        lines += count_text(&e->files[i], "\n");
        seconds += compile_seconds(e, &e->files[i]);
    }
    text_printf(t, "  \"build\": {\"c_files\": %zu, \"c_lines\": %zu, \"cpu_seconds\": %.1f,\n",
                files, lines, seconds);
    emit_build_json(e, t);
}

const char *emit_manifest(Emit *e)
{
    const Graph *g = e->p->graph;
    Text t = text_new(e->arena);
    text_printf(&t,
                "{\n  \"name\": \"%s\",\n  \"dnnlc\": \"%s\",\n  \"model_sha256\": \"%s\",\n  "
                "\"target\": \"%s\",\n  \"isa\": \"%s\",\n  \"denormals\": \"%s\",\n",
                e->names.name, DNNLC_VERSION, e->o->origin.model_hash,
                e->o->origin.dnnl ? "dnnl" : "c", e->o->origin.isa,
                e->o->origin.keep_denormals ? "keep" : "flush");
    if (e->o->origin.machine)
        text_printf(&t, "  \"machine_sha256\": \"%s\",\n", e->o->origin.machine);
    if (e->o->origin.dnnl)
        text_printf(&t, "  \"onednn\": \"%s\",\n", ONEDNN_VERSION_TEXT);
    text_printf(&t,
                "  \"threads\": %d,\n  \"workspace_bytes\": %zu,\n  \"workspace_align\": 64,\n  "
                "\"weights_bytes\": %zu,\n",
                e->o->origin.threads, e->p->workspace_bytes, e->p->weights_bytes);
    linked_json(e, &t);
    json_build(e, &t);
    explain_program_json(e->p, &t);
    json_ports(e, &t, "inputs", g->inputs, e->in_names, g->n_inputs);
    json_ports(e, &t, "outputs", g->outputs, e->out_names, g->n_outputs);
    json_states(e->p, &t);
    explain_json(g, &t);
    text_puts(&t, "  \"layers\": [");
    for (uint32_t i = 0; i < e->p->n_steps; i++)
        json_layer(e, &t, &e->p->steps[i], i);
    text_puts(&t, "\n  ]\n}\n");
    emit_add(e, arena_printf(e->arena, "%s.json", e->names.name), t.data, t.size);
    return t.data;
}
