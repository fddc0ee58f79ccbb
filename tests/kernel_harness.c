/* See kernel_harness.h. */
#include "kernel_harness.h"

#include "../gen/base/template.h"
#include "../gen/emit/c/emit_c.h"
#include "../gen/emit/c/kernel_set.h"
#include "../gen/eval/eval.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum { PARTS = 3 }; /* that kernels are cut into, as for so many threads */

struct Harness {
    const char *name, *dir;
    Arena *arena;
    Diag diag;
    Graph *g;
    Program p;
    uint64_t seed;
    double rtol, atol;
    bool loose; /* tolerances are the first ones */
    int lanes; /* 0: not given */
    bool optimise;
    uint32_t n_files; /* of kernels */
    int failures;
    NodeId group[64];
    uint32_t n_group;
    bool grouping;
    /* by value id, grown with the graph */
    struct HarnessValue {
        BufferId buffer; /* NO_BUFFER: interior of a group */
        Tensor ref;
        double rtol, atol;
        bool loose;
    } * values;
    size_t n_values, cap_values;
    const CPlan *plans[64]; /* by step, of the first ones: NULL: as usual */
    uint32_t n_in, n_out;
    size_t weights;
};

Harness *harness_new(const char *name)
{
    Arena *arena = arena_new();
    Harness *h = ARENA_NEW(arena, Harness);
    *h = (Harness){
        .name = name, .arena = arena, .seed = 42, .rtol = 1e-5, .atol = 1e-6, .loose = true};
    h->diag.arena = arena;
    h->g = graph_new(arena, &h->diag, "test", name);
    h->p = (Program){.graph = h->g, .arena = arena, .n_regions = 1};
    h->p.regions = ARENA_NEW(arena, Region);
    return h;
}

Arena *harness_arena(Harness *h)
{
    return h->arena;
}

Graph *harness_graph(Harness *h)
{
    return h->g;
}

uint64_t harness_random(Harness *h)
{
    uint64_t z = h->seed += 0x9e3779b97f4a7c15; /* splitmix64, Steele, Lea and Flood 2014 */
    z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9;
    z = (z ^ z >> 27) * 0x94d049bb133111eb;
    return z ^ z >> 31;
}

int64_t harness_range(Harness *h, int64_t lo, int64_t hi)
{
    return lo + (int64_t)(harness_random(h) % (uint64_t)(hi - lo + 1));
}

static void fail(Harness *h, const char *what)
{
    fprintf(stderr, "%s: %s%s%s\n", h->name, what, h->diag.message ? ": " : "",
            h->diag.message ? h->diag.message : "");
    h->failures++;
    h->diag.message = NULL;
}

/* --- values
 * ----------------------------------------------------------------------------------------------------
 */

static struct HarnessValue *value_row(Harness *h, ValueId v)
{
    while (h->n_values <= v.i) {
        h->values = arena_grow(h->arena, h->values, h->n_values, &h->cap_values, sizeof *h->values);
        h->values[h->n_values++] = (struct HarnessValue){.buffer = NO_BUFFER};
    }
    return &h->values[v.i];
}

static BufferId add_buffer(Harness *h, Buffer b)
{
    Program *p = &h->p;
    p->buffers =
        arena_grow(h->arena, p->buffers, p->n_buffers, &p->cap_buffers, sizeof *p->buffers);
    b.base = NO_BUFFER;
    p->buffers[p->n_buffers] = b;
    return p->n_buffers++;
}

static Buffer value_buffer(Harness *h, ValueId v, BufferKind kind, uint32_t port)
{
    const TensorType *t = type_of(h->g, v);
    return (Buffer){.kind = kind,
                    .value = v,
                    .type = *t,
                    .layout = layout_plain(t->rank),
                    .bytes = type_bytes(t),
                    .port = port};
}

ValueId harness_data(Harness *h, TensorType type, const void *data)
{
    ValueId v = graph_add_input(h->g, NULL, type);
    struct HarnessValue *row = value_row(h, v);
    row->ref = (Tensor){type, arena_copy(h->arena, data, type_bytes(&type))};
    row->buffer = add_buffer(h, value_buffer(h, v, BUFFER_INPUT, h->n_in++));
    return v;
}

ValueId harness_const(Harness *h, TensorType type, const void *data)
{
    void *copy = arena_copy(h->arena, data, type_bytes(&type));
    ValueId v = graph_add_const(h->g, NULL, type, copy);
    struct HarnessValue *row = value_row(h, v);
    Buffer b = value_buffer(h, v, BUFFER_CONST, 0);
    b.offset = h->weights;
    b.data = copy;
    h->weights += (b.bytes + 63) / 64 * 64;
    row->ref = (Tensor){type, copy};
    row->buffer = add_buffer(h, b);
    return v;
}

ValueId harness_input(Harness *h, DType t, int rank, const int64_t *dims, double lo, double hi)
{
    TensorType type = type_make(t, rank, dims);
    void *data = arena_alloc(h->arena, type_bytes(&type) + 1);
    for (int64_t i = 0; i < type_count(&type); i++)
        if (dtype_is_float(t))
            elem_set_f64(t, data, (size_t)i,
                         lo + (hi - lo) * (double)(harness_random(h) >> 11) * 0x1p-53);
        else
            elem_set_i64(t, data, (size_t)i, harness_range(h, (int64_t)lo, (int64_t)hi));
    return harness_data(h, type, data);
}

void harness_tolerance(Harness *h, double rtol, double atol)
{
    h->rtol = rtol;
    h->atol = atol;
    h->loose = false;
}

void harness_lanes(Harness *h, int lanes)
{
    h->lanes = h->p.lanes = lanes;
}

void harness_optimise(Harness *h)
{
    h->optimise = true;
}

/* Element `flat` of a plain tensor stands at this index of the layout. */
static size_t layout_index(const Layout *l, const TensorType *t, int64_t flat)
{
    int64_t strides[MAX_RANK], index = 0;
    layout_strides(l, t, strides);
    for (int d = t->rank - 1; d >= 0; d--) {
        int64_t i = flat % t->dims[d];
        flat /= t->dims[d];
        index += l->block && d == l->block_dim ? i / l->block * strides[d] + i % l->block
                                               : i * strides[d];
    }
    return (size_t)index;
}

static void permute(const Buffer *b, const void *src, void *dst, bool to_plain)
{
    size_t size = dtype_size(b->type.dtype);
    for (int64_t i = 0; i < type_count(&b->type); i++) {
        size_t k = layout_index(&b->layout, &b->type, i);
        size_t from = to_plain ? k : (size_t)i, to = to_plain ? (size_t)i : k;
        memcpy((char *)dst + to * size, (const char *)src + from * size, size);
    }
}

void harness_layout(Harness *h, ValueId v, Layout layout)
{
    Buffer *b = &h->p.buffers[value_row(h, v)->buffer];
    b->layout = layout;
    b->bytes = layout_bytes(&layout, &b->type);
    if (b->kind != BUFFER_CONST)
        return;
    void *data = arena_alloc(h->arena, b->bytes);
    permute(b, b->data, data, false);
    b->data = data;
}

/* --- nodes and steps
 * -------------------------------------------------------------------------------------------- */

static bool evaluate(Harness *h, NodeId id)
{
    const Node *n = node_at(h->g, id);
    const Tensor **in = ARENA_ARRAY(h->arena, const Tensor *, n->n_in + 1);
    Tensor **out = ARENA_ARRAY(h->arena, Tensor *, n->n_out);
    for (uint32_t i = 0; i < n->n_in; i++)
        if (has_value(n->in[i])) /* a copy: the table moves when it grows */
            in[i] = arena_copy(h->arena, &value_row(h, n->in[i])->ref, sizeof(Tensor));
    for (uint32_t o = 0; o < n->n_out; o++)
        if (has_value(n->out[o])) {
            const TensorType *t = type_of(h->g, n->out[o]);
            out[o] = ARENA_NEW(h->arena, Tensor);
            *out[o] = (Tensor){*t, arena_alloc(h->arena, type_bytes(t) + 1)};
        }
    if (!op_info(n->op)->eval)
        return refuse_node(h->g, n, "no evaluator");
    if (!eval_node(h->g, n, in, out, h->arena))
        return false;
    for (uint32_t o = 0; o < n->n_out; o++)
        if (out[o]) {
            struct HarnessValue *row = value_row(h, n->out[o]);
            row->ref = *out[o];
            row->rtol = h->rtol, row->atol = h->atol, row->loose = h->loose;
        }
    return true;
}

static Step *new_step(Harness *h, NodeId id)
{
    Program *p = &h->p;
    p->steps = arena_grow(h->arena, p->steps, p->n_steps, &p->cap_steps, sizeof *p->steps);
    Step *s = &p->steps[p->n_steps++];
    *s = (Step){.target = TARGET_C, .node = id, .scratch = NO_BUFFER};
    s->label =
        arena_printf(h->arena, "%s_%" PRIu32, op_info(node_at(h->g, id)->op)->name, p->n_steps);
    return s;
}

static void add_output(Harness *h, Step *s, ValueId v)
{
    s->out[s->n_out] = NO_BUFFER;
    if (has_value(v)) {
        struct HarnessValue *row = value_row(h, v);
        row->buffer = s->out[s->n_out] =
            add_buffer(h, value_buffer(h, v, BUFFER_OUTPUT, h->n_out++));
    }
    s->n_out++;
}

/* A constant of its own, where the kernel wants one in another form. */
static BufferId operand(Harness *h, const Node *n, uint32_t k)
{
    Tensor packed;
    if (!has_value(n->in[k]))
        return NO_BUFFER;
    if (!c_packs_constant(h->g, n, k, h->arena, &packed))
        return value_row(h, n->in[k])->buffer;
    return packed.data ? value_row(h, harness_const(h, packed.type, packed.data))->buffer
                       : NO_BUFFER;
}

static void add_step(Harness *h, NodeId id)
{
    const Node *n = node_at(h->g, id);
    Step *s = new_step(h, id);
    s->nodes = arena_copy(h->arena, &id, sizeof id);
    s->n_nodes = 1;
    s->in = ARENA_ARRAY(h->arena, BufferId, n->n_in + 1);
    s->out = ARENA_ARRAY(h->arena, BufferId, n->n_out + 1);
    for (; s->n_in < n->n_in; s->n_in++)
        s->in[s->n_in] = operand(h, n, s->n_in);
    for (uint32_t o = 0; o < n->n_out; o++)
        add_output(h, s, n->out[o]);
}

/* Scratch memory for as many parts as there may be. */
static void plan_step(Harness *h, uint32_t index)
{
    Step *s = &h->p.steps[index];
    const CPlan *given = index < COUNT_OF(h->plans) ? h->plans[index] : NULL;
    s->rounds = true; /* as where something is quantised later */
    if (given)
        s->c = arena_copy(h->arena, given, sizeof *given);
    if (given ? !c_complete_plan(&h->p, s, s->c) : !c_plan(&h->p, s))
        fail(h, given ? c_variant_names[given->variant] : "no plan");
    size_t scratch = s->c ? s->c->scratch_bytes : 0;
    if (!scratch || s->scratch != NO_BUFFER)
        return;
    if (c_scratch_for_each(s->c, true)) {
        s->scratch_part = align_up(scratch);
        scratch = PARTS * s->scratch_part;
    }
    s->scratch =
        add_buffer(h, (Buffer){.kind = BUFFER_ARENA,
                               .value = NO_VALUE,
                               .bytes = scratch,
                               .offset = h->p.workspace_bytes,
                               .type = {.dtype = DT_U8, .rank = 1, .dims = {(int64_t)scratch}}});
    h->p.workspace_bytes += (scratch + 63) / 64 * 64;
}

void harness_plan(Harness *h, CPlan plan)
{
    h->plans[h->p.n_steps - 1] = arena_copy(h->arena, &plan, sizeof plan);
}

bool harness_fits(Harness *h, CPlan plan)
{
    return c_complete_plan(&h->p, &h->p.steps[h->p.n_steps - 1], &plan);
}

static uint32_t count_attrs(const Attr *attrs)
{
    uint32_t n = 0;
    while (attrs && attrs[n].name)
        n++;
    return n;
}

static NodeId add_node(Harness *h, NodeId id)
{
    const Node *n = node_at(h->g, id);
    const char *why;
    if (!evaluate(h, id)) {
        fail(h, "the evaluator refuses");
        return NO_NODE;
    }
    if (!c_target_supports(h->g, n, &why)) {
        refuse_node(h->g, n, "%s", why);
        fail(h, "the C target does not take it");
        return NO_NODE;
    }
    if (h->grouping && h->n_group < COUNT_OF(h->group))
        h->group[h->n_group++] = id;
    else
        add_step(h, id);
    return id;
}

NodeId harness_try_node(Harness *h, Op op, const ValueId *in, uint32_t n_in, uint32_t n_out,
                        const Attr *attrs)
{
    NodeId id = graph_add_node(h->g, op, op_info(op)->name, h->g->n_nodes, in, n_in, n_out, NULL,
                               attrs, count_attrs(attrs));
    if (id.i != NO_NODE.i)
        return add_node(h, id);
    h->diag.message = NULL;
    return NO_NODE;
}

NodeId harness_node(Harness *h, Op op, const ValueId *in, uint32_t n_in, uint32_t n_out,
                    const Attr *attrs)
{
    NodeId id = graph_add_node(h->g, op, op_info(op)->name, h->g->n_nodes, in, n_in, n_out, NULL,
                               attrs, count_attrs(attrs));
    if (id.i != NO_NODE.i)
        return add_node(h, id);
    fail(h, op_info(op)->name);
    return NO_NODE;
}

ValueId harness_out(Harness *h, NodeId id, uint32_t k)
{
    return node_at(h->g, id)->out[k];
}

void harness_begin_group(Harness *h)
{
    h->grouping = true;
    h->n_group = 0;
}

static void add_group_input(Harness *h, Step *s, ValueId v)
{
    BufferId b = value_row(h, v)->buffer;
    if (b == NO_BUFFER)
        return; /* made inside the group */
    for (uint32_t i = 0; i < s->n_in; i++)
        if (s->in[i] == b)
            return;
    s->in[s->n_in++] = b;
}

void harness_end_group(Harness *h)
{
    Step *s = new_step(h, h->group[h->n_group - 1]);
    s->nodes = arena_copy(h->arena, h->group, h->n_group * sizeof *h->group);
    s->n_nodes = h->n_group;
    s->in = ARENA_ARRAY(h->arena, BufferId, 3 * h->n_group);
    s->out = ARENA_ARRAY(h->arena, BufferId, 1);
    for (uint32_t i = 0; i < h->n_group; i++) {
        const Node *n = node_at(h->g, h->group[i]);
        for (uint32_t j = 0; j < n->n_in; j++)
            add_group_input(h, s, n->in[j]);
    }
    add_output(h, s, node_at(h->g, s->node)->out[0]);
    h->grouping = false;
}

/* Both become one buffer of the workspace; main() copies the input there and the result back. */
void harness_in_place(Harness *h, NodeId id, uint32_t k)
{
    struct HarnessValue *in = value_row(h, node_at(h->g, id)->in[k]);
    struct HarnessValue *out = value_row(h, harness_out(h, id, 0));
    h->p.buffers[in->buffer].kind = BUFFER_OUTPUT;
    h->p.buffers[in->buffer].port = h->p.buffers[out->buffer].port;
}

/* --- running
 * ------------------------------------------------------------------------------------------------------
 */

static void write_text(Harness *h, const char *file, const void *data, size_t size)
{
    if (!write_file_if_changed(arena_printf(h->arena, "%s/%s", h->dir, file), data, size, &h->diag))
        fail(h, file);
}

static void write_header(Harness *h)
{
    const char *n = h->name;
    const char *text = arena_printf(
        h->arena,
        "#ifndef INTERNAL_H\n#define INTERNAL_H\n#include <stddef.h>\n#define NET_TABLE\n"
        "struct %s_memory {\n    unsigned char *workspace;\n"
        "    const unsigned char *weights;\n    const void *const *in;\n"
        "    void *const *out;\n    void (*trace)(void *user, unsigned layer);\n"
        "    void *trace_user;\n};\n"
        "static inline void *workspace_at(const struct %s_memory *m, size_t at)\n"
        "{\n    return m->workspace + at;\n}\n"
        "static inline const void *weights_at(const struct %s_memory *m, size_t at)\n"
        "{\n    return m->weights + at;\n}\n"
        "void %s_trace(const struct %s_memory *m, unsigned layer);\n"
        "void %s_c_0(const struct %s_memory *m);\n#endif\n",
        n, n, n, n, n, n, n);
    write_text(h, arena_printf(h->arena, "%s_internal.h", n), text, strlen(text));
}

static const char main_head[] =
    "#define _ISOC11_SOURCE 1\n#include <stdio.h>\n#include <stdlib.h>\n#include <string.h>\n"
    "static void *load(const char *file, size_t n)\n{\n    FILE *f = fopen(file, \"rb\");\n"
    "    void *p = malloc(n ? n : 1);\n    if (!f || !p || fread(p, 1, n, f) != n)\n        "
    "exit(3);\n"
    "    fclose(f);\n    return p;\n}\n"
    "static void store(const char *file, const void *p, size_t n)\n{\n    FILE *f = fopen(file, "
    "\"wb\");\n"
    "    if (!f || fwrite(p, 1, n, f) != n || fclose(f))\n        exit(3);\n}\n"
    "static void *room(size_t n)\n{\n    void *p = malloc(n ? n : 1);\n    if (!p)\n        "
    "exit(3);\n"
    "    memset(p, 0xa5, n);\n    return p;\n}\n"
    "static void *aligned(size_t n)\n{\n    void *p = aligned_alloc(64, n + 64);\n    if (!p)\n    "
    "    exit(3);\n"
    "    memset(p, 0xa5, n);\n    return p;\n}\n";

/* The loads are told from the buffers: an input that works in place was given an output's port. */
static void write_main(Harness *h)
{
    Text t = text_new(h->arena);
    text_printf(&t,
                "#include \"%s_internal.h\"\n%s"
                "void %s_trace(const struct %s_memory *m, unsigned layer)\n{\n    (void)m;\n    "
                "(void)layer;\n}\n",
                h->name, main_head, h->name, h->name);
    text_printf(&t, "int main(void)\n{\n    const void *in[%u] = {0};\n    void *out[%u] = {0};\n",
                h->n_in + 1, h->n_out + 1);
    for (uint32_t i = 0; i < h->p.n_buffers; i++) {
        const Buffer *b = &h->p.buffers[i];
        bool input = has_value(b->value) && value_at(h->g, b->value)->kind == VALUE_INPUT;
        if (b->kind == BUFFER_INPUT)
            text_printf(&t, "    in[%u] = load(\"b%u.bin\", %zu);\n", b->port, i, b->bytes);
        else if (b->kind == BUFFER_OUTPUT && input)
            text_printf(&t, "    out[%u] = load(\"b%u.bin\", %zu);\n", b->port, i, b->bytes);
        else if (b->kind == BUFFER_OUTPUT)
            text_printf(&t, "    if (!out[%u])\n        out[%u] = room(%zu);\n", b->port, b->port,
                        b->bytes);
    }
    text_printf(&t, "    unsigned char *workspace = aligned(%zu), *weights = aligned(%zu);\n",
                h->p.workspace_bytes, (h->weights + 63) / 64 * 64);
    text_printf(&t,
                "    unsigned char *w = load(\"weights.bin\", %zu);\n    memcpy(weights, w, "
                "%zu);\n    free(w);\n",
                h->weights, h->weights);
    text_printf(&t,
                "    struct %s_memory m = {workspace, weights, in, out, 0, 0};\n    %s_c_0(&m);\n",
                h->name, h->name);
    for (uint32_t i = 0; i < h->p.n_buffers; i++) {
        const Buffer *b = &h->p.buffers[i];
        if (b->kind == BUFFER_OUTPUT && value_at(h->g, b->value)->kind == VALUE_NODE)
            text_printf(&t, "    store(\"b%u.bin\", out[%u], %zu);\n", i, b->port, b->bytes);
    }
    text_puts(&t, "    return 0;\n}\n");
    write_text(h, "main.c", t.data, t.size);
}

static void write_data(Harness *h)
{
    char *weights = arena_alloc(h->arena, h->weights + 1);
    for (uint32_t i = 0; i < h->p.n_buffers; i++) {
        const Buffer *b = &h->p.buffers[i];
        if (!has_value(b->value) || value_at(h->g, b->value)->kind == VALUE_NODE)
            continue;
        void *data = arena_alloc(h->arena, b->bytes + 1);
        permute(b, value_row(h, b->value)->ref.data, data, false);
        if (b->kind == BUFFER_CONST)
            memcpy(weights + b->offset, data, b->bytes);
        else
            write_text(h, arena_printf(h->arena, "b%u.bin", i), data, b->bytes);
    }
    write_text(h, "weights.bin", weights, h->weights);
}

static const char *describe(Harness *h, ValueId v)
{
    const Node *n = def_of(h->g, v);
    Text t = text_new(h->arena);
    text_printf(&t, "%s:", op_info(n->op)->name);
    for (uint32_t i = 0; i < n->n_in; i++)
        text_printf(&t, " %s",
                    has_value(n->in[i]) ? type_text(h->arena, type_of(h->g, n->in[i])) : "-");
    text_printf(&t, " -> %s (value %s)", type_text(h->arena, type_of(h->g, v)),
                value_at(h->g, v)->name);
    return t.data;
}

static double max_abs(const Tensor *t)
{
    double m = 1;
    for (int64_t i = 0; i < type_count(&t->type); i++) {
        double a = fabs(elem_f64(t->type.dtype, t->data, (size_t)i));
        m = a > m && !isinf(a) ? a : m;
    }
    return m;
}

static bool close_enough(double out, double ref, double rtol, double bound)
{
    if (isnan(ref) || isnan(out))
        return isnan(ref) && isnan(out);
    return out == ref || fabs(out - ref) <= bound + rtol * fabs(ref);
}

static void compare_floats(Harness *h, ValueId v, const void *out, const char *compiler)
{
    struct HarnessValue *row = value_row(h, v);
    DType t = row->ref.type.dtype;
    double more = row->loose ? (t == DT_F16 ? 2e-3 : t == DT_BF16 ? 2e-2 : 0) : 0;
    double bound = (row->atol + more) * max_abs(&row->ref);
    for (int64_t i = 0; i < type_count(&row->ref.type); i++) {
        double a = elem_f64(t, out, (size_t)i), b = elem_f64(t, row->ref.data, (size_t)i);
        if (close_enough(a, b, row->rtol + more, bound))
            continue;
        fail(h, arena_printf(h->arena, "%s: %s: element %" PRId64 " is %.9g, not %.9g", compiler,
                             describe(h, v), i, a, b));
        return;
    }
}

static void compare_ints(Harness *h, ValueId v, const void *out, const char *compiler)
{
    struct HarnessValue *row = value_row(h, v);
    double allowed = row->loose ? 0 : row->atol;
    for (int64_t i = 0; i < type_count(&row->ref.type); i++) {
        int64_t a = elem_i64(row->ref.type.dtype, out, (size_t)i),
                b = elem_i64(row->ref.type.dtype, row->ref.data, (size_t)i);
        if (a == b || fabs((double)a - (double)b) <= allowed)
            continue;
        fail(h, arena_printf(h->arena, "%s: %s: element %" PRId64 " is %" PRId64 ", not %" PRId64,
                             compiler, describe(h, v), i, a, b));
        return;
    }
}

static void compare_outputs(Harness *h, const char *compiler)
{
    for (uint32_t i = 0; i < h->p.n_buffers; i++) {
        const Buffer *b = &h->p.buffers[i];
        char *data;
        size_t size;
        if (b->kind != BUFFER_OUTPUT || value_at(h->g, b->value)->kind != VALUE_NODE)
            continue;
        if (!read_file(h->arena, arena_printf(h->arena, "%s/b%u.bin", h->dir, i), &data, &size,
                       &h->diag) ||
            size != b->bytes) {
            fail(h, "no output");
            return;
        }
        void *plain = arena_alloc(h->arena, size + 1);
        permute(b, data, plain, true);
        if (dtype_is_float(b->type.dtype))
            compare_floats(h, b->value, plain, compiler);
        else
            compare_ints(h, b->value, plain, compiler);
    }
}

static const char *env(const char *name, const char *missing)
{
    const char *s = getenv(name);
    return s && *s ? s : missing;
}

static void build_and_run(Harness *h, const char *cc, const char *flags)
{
    static const char warnings[] =
        "-std=c99 -Wall -Wextra -Wpedantic -Wconversion -Wsign-conversion -Wfloat-equal -Wshadow "
        "-Wcast-align -Werror";
    Text files; /* of an earlier emission there may be more */
    files = text_new(h->arena);
    for (uint32_t i = 0; i < h->n_files; i++)
        text_printf(&files, " %s_kernels_%" PRIu32 ".c", h->name, i);
    const char *command = arena_printf(h->arena, "cd %s && %s %s %s %s_c_0.c%s main.c -o run -lm",
                                       h->dir, cc, warnings, flags, h->name, files.data);
    if (system(command)) {
        fail(h, command);
        return;
    }
    if (system(arena_printf(h->arena, "cd %s && ASAN_OPTIONS=detect_leaks=0 ./run", h->dir))) {
        fail(h, arena_printf(h->arena, "%s: the unit failed", cc));
        return;
    }
    compare_outputs(h, cc);
}

static void write_emitted(Harness *h, const char *file, const Text *text)
{
    write_text(h, arena_printf(h->arena, "%s_%s", h->name, file), text->data, text->size);
}

/* What files of kernels include. */
static void write_included(Harness *h, const KernelSet *kernels)
{
    Text helpers = text_new(h->arena);
    emit_kernel_helpers(kernels, &helpers);
    write_emitted(h, "helpers.h", &helpers);
    const Algorithms *shared = kernel_algorithms(kernels);
    for (size_t i = 0; i < algorithms_count(shared); i++) {
        Text part = text_new(h->arena);
        emit_algorithm(shared, i, "/* A test. */\n", &part);
        write_text(h, algorithm_file(shared, i), part.data, part.size);
    }
}

static bool emit(Harness *h)
{
    Text unit, header;
    EmitNames names = {.name = h->name, .upper = "TEST", .banner = "/* A test. */\n", .threads = 1};
    unit = text_new(h->arena);
    header = text_new(h->arena);
    h->p.unit_start = ARENA_ARRAY(h->arena, uint32_t, 2);
    h->p.unit_start[1] = h->p.n_steps;
    for (uint32_t i = 0; i < h->p.n_steps; i++)
        plan_step(h, i);
    for (uint32_t i = 0; i < h->p.n_steps; i++) { /* behind all plans, which look at other steps */
        Step *s = &h->p.steps[i];
        double operations;
        if (s->c)
            s->c->shared = c_shareable(&h->p, s, &operations);
    }
    const KernelSet *kernels = kernel_set_new(&h->p, &names);
    if (!kernels) {
        fail(h, "kernel_set_new");
        return false;
    }
    Bindings *b = bindings_new(h->arena, NULL);
    bind_c_file(b, &names);
    Places *places = places_new(&h->p);
    bind_c_unit(&h->p, 0, &names, kernels, places, b);
    bind_places(places, b);
    render(&unit, "c/units.c", b);
    write_emitted(h, "c_0.c", &unit);
    emit_kernel_header(kernels, &header);
    write_emitted(h, "kernels.h", &header);
    write_included(h, kernels);
    h->n_files = kernel_files(kernels);
    for (uint32_t i = 0; i < h->n_files; i++) {
        Text file = text_new(h->arena);
        emit_kernel_file(kernels, i, &file);
        write_emitted(h, arena_printf(h->arena, "kernels_%u.c", i), &file);
    }
    return true;
}

int harness_run(Harness *h)
{
    char dir[] = "/tmp/dnnlc-kernels-XXXXXX";
    h->dir = mkdtemp(dir);
    if (!h->dir)
        bug("no temporary directory");
    if (emit(h)) {
        write_header(h);
        write_main(h);
        write_data(h);
        build_and_run(h, env("KERNEL_CC", "gcc"),
                      h->optimise ? "-O3 -ffp-contract=fast -fno-math-errno -fno-trapping-math"
                                  : "-O1 -DDNNLC_NO_CLONES");
        h->p.threads = PARTS; /* the same again, cut into parts wherever that is possible */
        h->p.lanes = h->lanes ? h->lanes : 16;
        /* Unoptimised, in a third of the time: what the sanitizers look for is not optimised away. */
        if (emit(h))
            build_and_run(h, env("KERNEL_CHECK_CC", "clang"),
                          "-O0 -g -fsanitize=address,undefined,float-cast-overflow "
                          "-fno-sanitize-recover=all -DDNNLC_NO_CLONES");
    }
    if (getenv("KERNEL_KEEP"))
        printf("%s: %s\n", h->name, h->dir);
    else if (system(arena_printf(h->arena, "rm -rf %s", h->dir)))
        fprintf(stderr, "%s stays behind\n", h->dir);
    int failures = h->failures;
    arena_free(h->arena);
    return failures;
}
