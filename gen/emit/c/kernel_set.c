/* Rendering, comparing and spreading the kernels of a program: see emit/c/kernel_set.h. */
#include "kernel_set.h"

#include "../../base/template.h"
#include "../../ops/macs.h"
#include "algorithms.h"
#include "helpers.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

typedef struct Kernel {
    const char *text;   /* all of its functions, with the placeholders of helpers.h */
    CTextStart *starts; /* … by template */
    size_t n_starts;
    const char *name;   /* of the function that units call */
    const char **param; /* declarations of its parameters */
    size_t n_params;
    CHelpers helpers; /* what it calls besides its own functions */
    bool shared;      /* its work is shared between threads */
    bool cloned;      /* compiled for several instruction sets */
    double ns;        /* of all its layers in one run, by estimation */
    uint32_t first;   /* the first step that it computes … */
    uint32_t uses;    /* … and how many there are */
    uint32_t file;
} Kernel;

struct KernelSet {
    const Program *p;
    const EmitNames *names;
    Kernel *kernels;
    size_t n, cap;
    uint32_t *of;      /* by step: the kernel; NO_ROW: oneDNN's */
    uint32_t *buckets; /* hashed by text; NO_ROW: free */
    size_t n_buckets;  /* a power of two */
    uint32_t n_files;
    Algorithms *algorithms;
};

/* --- what a kernel costs ------------------------------------------------------------------------------------------- */

/* Nanoseconds of a step on one thread, by a rough estimation that serves to compare steps with each other: elements that are read
 * and written, functions of them, multiply-accumulates (oneDNN's kernels make several times as many as those of C). */
static double step_ns(const Program *p, const Step *s)
{
    double elements = 0, macs = 0;
    for (uint32_t i = 0; i < s->n_in; i++)
        if (s->in[i] != NO_BUFFER)
            elements += (double)type_count(&p->buffers[s->in[i]].type);
    for (uint32_t o = 0; o < s->n_out; o++)
        if (s->out[o] != NO_BUFFER)
            elements += (double)type_count(&p->buffers[s->out[o]].type) * (1 + s->n_nodes);
    for (uint32_t i = 0; i < s->n_nodes; i++)
        macs += (double)node_macs(p->graph, node_at(p->graph, s->nodes[i]));
    return s->dnnl ? 0.03 * elements + 0.01 * macs : 0.1 * elements + 0.06 * macs;
}

/* --- kernels that are alike ------------------------------------------------------------------------------------------ */

static bool is_alike(const Kernel *a, const Kernel *b)
{
    if (a->shared != b->shared || a->n_params != b->n_params || strcmp(a->text, b->text))
        return false;
    for (size_t i = 0; i < a->n_params; i++)
        if (strcmp(a->param[i], b->param[i]))
            return false;
    return true;
}

/* Where a kernel alike stands in the table, or would. */
static uint32_t *find_bucket(KernelSet *set, const Kernel *k)
{
    size_t at = hash64(k->text, strlen(k->text), k->n_params) & (set->n_buckets - 1);
    while (set->buckets[at] != NO_ROW && !is_alike(&set->kernels[set->buckets[at]], k))
        at = (at + 1) & (set->n_buckets - 1);
    return &set->buckets[at];
}

static void render_step(KernelSet *set, uint32_t index, Kernel *kernel)
{
    const Program *p = set->p;
    const Step *s = &p->steps[index];
    Text text = text_new(p->arena);
    CKernel k = {.g = p->graph,
                 .program = p,
                 .step = s,
                 .plan = s->c,
                 .shared = s->c ? s->c->shared : 0,
                 .node = s->n_nodes ? node_at(p->graph, s->node) : NULL,
                 .arena = p->arena,
                 .fn = KERNEL_NAME,
                 .out = &text,
                 .helpers = &kernel->helpers};
    c_name_operands(&k);
    c_render_kernel(&k);
    kernel->param = ARENA_ARRAY(p->arena, const char *, s->n_in + s->n_out + 3);
    kernel->n_params = c_parameters(&k, kernel->param);
    kernel->text = text.data;
    kernel->starts = k.starts;
    kernel->n_starts = k.n_starts;
    kernel->shared = k.shared != 0;
}

static void add_step(KernelSet *set, uint32_t index)
{
    Arena *arena = set->p->arena;
    Kernel made = {.first = index};
    render_step(set, index, &made);
    uint32_t *bucket = find_bucket(set, &made);
    if (*bucket == NO_ROW) {
        made.name = arena_printf(arena, "%s_%s", set->names->name, set->p->steps[index].label);
        set->kernels = arena_grow(arena, set->kernels, set->n, &set->cap, sizeof *set->kernels);
        *bucket = (uint32_t)set->n;
        set->kernels[set->n++] = made;
    }
    Kernel *kernel = &set->kernels[*bucket];
    set->of[index] = *bucket;
    kernel->uses++;
    kernel->ns += step_ns(set->p, &set->p->steps[index]);
}

/* --- clones and files ------------------------------------------------------------------------------------------------ */

/* The least first; of equal ones the first. */
static int by_time(const void *a, const void *b)
{
    const Kernel *const *x = a, *const *y = b;
    if ((*x)->ns != (*y)->ns)
        return (*x)->ns < (*y)->ns ? -1 : 1;
    return *x < *y ? -1 : *x > *y;
}

/* Kernels are compiled for several kinds of CPU, except those that together take next to nothing of a run. */
static void choose_clones(KernelSet *set)
{
    Kernel **sorted = ARENA_ARRAY(set->p->arena, Kernel *, set->n + 1);
    double total = 0, left;
    for (uint32_t i = 0; i < set->p->n_steps; i++)
        total += step_ns(set->p, &set->p->steps[i]);
    left = total / 2000; /* without vectors a kernel may take twenty times as long */
    for (size_t i = 0; i < set->n; i++)
        sorted[i] = &set->kernels[i];
    qsort(sorted, set->n, sizeof *sorted, by_time);
    for (size_t i = 0; i < set->n; i++) {
        sorted[i]->cloned = sorted[i]->ns > left;
        left -= sorted[i]->ns;
    }
}

/* Kernels that differ in sizes are cloned if one of them is, so that they have one text. */
static void clone_alike(KernelSet *set)
{
    const char **key = ARENA_ARRAY(set->p->arena, const char *, set->n + 1);
    for (size_t i = 0; i < set->n; i++)
        key[i] = text_without_sizes(set->p->arena, set->kernels[i].text);
    for (size_t i = 0; i < set->n; i++)
        for (size_t j = 0; j < set->n && !set->kernels[i].cloned; j++)
            set->kernels[i].cloned = set->kernels[j].cloned && !strcmp(key[i], key[j]);
}

/* For how many kinds of CPU templates/c/clones.c has kernels compiled: that planned for, which has so many floats in a vector, and any
 * other; three where none was planned for. */
static size_t clone_count(int lanes)
{
    return lanes == 16 || lanes == 8 ? 2 : 3;
}

/* Of a kernel's text what the C compiler works on: names cost nothing. */
static size_t compile_cost(const KernelSet *set, const Kernel *k)
{
    size_t n = 0;
    for (const char *s = k->text; *s; s++, n++)
        if (*s == '$')
            s = strchr(s + 1, '$');
    return n * (k->cloned ? clone_count(set->p->lanes) : 1);
}

/* In order, so that a file holds what stands together in the model. */
static void choose_files(KernelSet *set)
{
    const size_t most = 48 << 10; /* about a second of gcc */
    size_t cost = 0, sum = 0;
    for (size_t i = 0; i < set->n; i++)
        cost += compile_cost(set, &set->kernels[i]);
    const size_t n = cost / most + 1;
    set->n_files = set->n ? (uint32_t)n : 0;
    for (size_t i = 0; i < set->n; i++) {
        set->kernels[i].file = (uint32_t)(sum * n / (cost ? cost : 1));
        sum += compile_cost(set, &set->kernels[i]);
    }
}

bool kernel_is_shared(const KernelSet *set, uint32_t step)
{
    return set->of[step] != NO_ROW && set->kernels[set->of[step]].shared;
}

uint32_t kernel_files(const KernelSet *set)
{
    return set->n_files;
}

/* --- text -------------------------------------------------------------------------------------------------------------- */

/* The operands of a step's kernel: what it reads, then what it writes. */
static BufferId *operands_of(const Program *p, uint32_t step, uint32_t *n_read, uint32_t *n)
{
    const Step *s = &p->steps[step];
    BufferId *ids = ARENA_ARRAY(p->arena, BufferId, s->n_in + s->n_out + 1);
    *n = 0;
    for (uint32_t i = 0; i < s->n_in; i++)
        if (s->in[i] != NO_BUFFER)
            ids[(*n)++] = s->in[i];
    *n_read = *n;
    for (uint32_t o = 0; o < s->n_out; o++)
        if (s->out[o] != NO_BUFFER)
            ids[(*n)++] = s->out[o];
    if (s->scratch != NO_BUFFER)
        ids[(*n)++] = s->scratch;
    return ids;
}

bool kernel_call_repeats(const KernelSet *set, uint32_t step, uint32_t period, uint32_t times)
{
    const Program *p = set->p;
    const uint32_t other = step + period * times;
    if (set->of[step] == NO_ROW || set->of[step] != set->of[other] || p->steps[step].n_guards ||
        p->steps[other].n_guards)
        return false;
    uint32_t n_read, n;
    const BufferId *first = operands_of(p, step, &n_read, &n),
                   *next = operands_of(p, step + period, &n_read, &n),
                   *last = operands_of(p, other, &n_read, &n);
    for (uint32_t i = 0; i < n; i++) {
        int64_t once, all;
        if (!buffer_distance(p, first[i], next[i], &once) ||
            !buffer_distance(p, first[i], last[i], &all) || all != once * (int64_t)times)
            return false;
    }
    return true;
}

const char *kernel_name(const KernelSet *set, uint32_t step)
{
    return set->kernels[set->of[step]].name;
}

void bind_kernel_call(const KernelSet *set, uint32_t index, uint32_t period, Places *places,
                      Bindings *call)
{
    const Program *p = set->p;
    uint32_t n_read, n;
    const BufferId *ids = operands_of(p, index, &n_read, &n),
                   *next = operands_of(p, index + period, &n_read, &n);
    bind_list(call, "args", ", ");
    for (uint32_t i = 0; i < n; i++) {
        int64_t step;
        buffer_distance(p, ids[i], next[i], &step);
        size_t offset;
        const char *place = places && buffer_root(p, ids[i], &offset)->kind == BUFFER_ARENA
                                ? place_of(places, ids[i])
                                : NULL;
        bind(bind_row(call, "args"), "arg", "%s",
             place ? workspace_expr(p->arena, place, step)
                   : buffer_expr_in_loop(p->arena, p, ids[i], i < n_read, step));
    }
    bind(call, "label", "%s", p->steps[index].label);
    bind(call, "title", "%s", step_title(p->arena, p, &p->steps[index]));
    bind(call, "kernel", "%s", set->kernels[set->of[index]].name);
    if (period)
        bind(call, "index", "%" PRIu32 " + %" PRIu32 " * (unsigned)i", index, period);
    else
        bind_int(call, "index", index);
}

void emit_kernel_header(const KernelSet *set, Text *out)
{
    Bindings *b = bindings_new(set->p->arena, NULL);
    bind(b, "banner", "%s", set->names->banner);
    bind(b, "kernels_guard", "%s_KERNELS_H", set->names->upper);
    bind(b, "internal", "\"%s_internal.h\"", set->names->name);
    for (size_t i = 0; i < set->n; i++) {
        const Kernel *k = &set->kernels[i];
        Bindings *row = bind_row(b, "kernels");
        bind(row, "kernel", "%s", k->name);
        bind_items(row, "params", "param", k->param, k->n_params);
    }
    render(out, "c/kernels.h", b);
}

/* The name behind the last blank or '*' of a declaration. */
static const char *declared_name(const char *param)
{
    const char *blank = strrchr(param, ' '), *star = strrchr(param, '*');
    return (star > blank ? star : blank) + 1;
}

/* Part of the kernel's text, in which what clones differ in is a placeholder, and stays one if it is the kernel's name. */
static const char *part_text(Arena *arena, const Kernel *k, size_t part)
{
    const size_t from = k->starts[part].from,
                 to = part + 1 < k->n_starts ? k->starts[part + 1].from : strlen(k->text);
    Text out = text_new(arena);
    Bindings *b = bindings_new(arena, NULL);
    bind(b, "kernel", KERNEL_NAME);
    bind(b, "clones", "%s", k->cloned ? "NET_KERNEL" : "");
    bind(b, "static", "%s", k->cloned ? "static " : "");
    bind(b, "body", "%s", k->cloned ? "_body" : "");
    render_text(&out, k->name,
                arena_printf(arena, "//@begin\n%.*s", (int)(to - from), k->text + from), b);
    return out.data;
}

/* The function around the kernel that units call. */
static const char *entry_text(Arena *arena, const Kernel *k)
{
    Text out = text_new(arena);
    Bindings *b = bindings_new(arena, NULL);
    bind(b, "kernel", KERNEL_NAME);
    bind_items(b, "params", "param", k->param, k->n_params);
    bind_list(b, "args", ", ");
    for (size_t i = 0; i < k->n_params; i++)
        bind(bind_row(b, "args"), "arg", "%s", declared_name(k->param[i]));
    render(&out, "c/entry.c", b);
    return out.data;
}

static void find_algorithms(KernelSet *set)
{
    Arena *arena = set->p->arena;
    set->algorithms = algorithms_new(arena);
    for (uint32_t i = 0; i < set->n; i++) {
        const Kernel *k = &set->kernels[i];
        for (size_t s = 0; s < k->n_starts; s++) {
            CText part = {k->starts[s].path, part_text(arena, k, s)};
            if (s + 1 == k->n_starts && k->cloned && !k->shared)
                part.text = arena_printf(arena, "%s%s", part.text, entry_text(arena, k));
            algorithms_add(set->algorithms, i, &part);
        }
    }
    algorithms_find(set->algorithms, set->names->name);
}

KernelSet *kernel_set_new(const Program *p, const EmitNames *names)
{
    KernelSet *set = ARENA_NEW(p->arena, KernelSet);
    *set = (KernelSet){.p = p, .names = names, .n_buckets = 64};
    while (set->n_buckets < 2 * (size_t)p->n_steps)
        set->n_buckets *= 2;
    set->buckets = ARENA_ARRAY(p->arena, uint32_t, set->n_buckets);
    memset(set->buckets, 0xff, set->n_buckets * sizeof *set->buckets);
    set->of = ARENA_ARRAY(p->arena, uint32_t, p->n_steps + 1);
    for (uint32_t i = 0; i < p->n_steps; i++) {
        set->of[i] = NO_ROW;
        if (!p->steps[i].dnnl)
            add_step(set, i);
    }
    choose_clones(set);
    clone_alike(set);
    choose_files(set);
    find_algorithms(set);
    return set;
}

static void put_kernel(const KernelSet *set, uint32_t index, Text *out)
{
    const Program *p = set->p;
    const Kernel *k = &set->kernels[index];
    Text functions = text_new(p->arena);
    emit_kernel_parts(set->algorithms, index, k->name, &functions);
    Bindings *b = bindings_new(p->arena, NULL);
    bind_step_comment(p->arena, b, p, &p->steps[k->first]);
    bind_more_layers(b, k->uses - 1);
    bind(b, "functions", "%s", functions.data);
    render(out, "c/kernel.c", b);
}

const Algorithms *kernel_algorithms(const KernelSet *set)
{
    return set->algorithms;
}

void emit_clones_head(Arena *arena, int lanes, Text *out)
{
    Bindings *b = bindings_new(arena, NULL);
    bind(b, "clang_clones", "%s",
         lanes == 16  ? "\"avx512f\", \"default\""
         : lanes == 8 ? "\"avx2\", \"default\""
                      : "\"avx512f\", \"avx2\", \"default\"");
    bind(b, "gcc_clones", "%s",
         lanes == 16  ? "\"arch=x86-64-v4\", \"default\""
         : lanes == 8 ? "\"arch=x86-64-v3\", \"default\""
                      : "\"arch=x86-64-v4\", \"arch=x86-64-v3\", \"default\"");
    render(out, "c/clones.c", b);
}

/* What the kernels of a file call, or those of all files. */
static const char *helpers_of(const KernelSet *set, uint32_t file, bool all)
{
    CHelpers helpers = {.need = {false}};
    for (size_t i = 0; i < set->n; i++)
        for (int h = 0; h < CH_COUNT && (all || set->kernels[i].file == file); h++)
            helpers.need[h] |= set->kernels[i].helpers.need[h];
    Text needed = text_new(set->p->arena);
    emit_c_helpers(&needed, set->p->arena, &helpers);
    return needed.data;
}

static const char *clones_head(const KernelSet *set)
{
    Text clones = text_new(set->p->arena);
    emit_clones_head(set->p->arena, set->p->lanes, &clones);
    return clones.data;
}

/* Integers alone call nothing of <math.h>. */
static bool needs_math(const Program *p)
{
    return p->lanes != 1;
}

void emit_kernel_helpers(const KernelSet *set, Text *out)
{
    Bindings *b = bindings_new(set->p->arena, NULL);
    bind(b, "banner", "%s", set->names->banner);
    bind(b, "math", "%d", needs_math(set->p));
    bind(b, "helpers_guard", "%s_HELPERS_H", set->names->upper);
    bind(b, "clones", "%s", clones_head(set));
    bind(b, "helpers", "%s", helpers_of(set, 0, true));
    render(out, "c/helpers.h", b);
}

void emit_kernel_file(const KernelSet *set, uint32_t file, Text *out)
{
    const bool own = set->n_files == 1;
    Text kernels = text_new(set->p->arena);
    for (uint32_t i = 0; i < set->n; i++)
        if (set->kernels[i].file == file)
            put_kernel(set, i, &kernels);
    Bindings *b = bindings_new(set->p->arena, NULL);
    bind(b, "banner", "%s", set->names->banner);
    bind(b, "header", "\"%s_kernels.h\"", set->names->name);
    bind(b, "helpers_file", own ? "0" : "\"%s_helpers.h\"", set->names->name);
    bind(b, "clones", "%s", own ? clones_head(set) : "");
    bind(b, "helpers", "%s", own ? helpers_of(set, file, false) : "");
    bind(b, "math", "%d", needs_math(set->p));
    bind(b, "kernels", "%s", kernels.data);
    render(out, "c/kernels.c", b);
}
