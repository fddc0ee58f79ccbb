/* Implementations of oneDNN that the executable does without: those for one kind of CPU, but for what was planned. oneDNN finds them
 * through lists of functions, and the linker, which cannot know what is asked for, would take all of them. A file for it,
 * NAME_absent.ld, gives the names of those functions to one of the executable that refuses, so that they are not linked, nor the
 * generators of code that only they reach. What computes on every CPU stays: it is what another CPU is served by.
 *
 * The names are in templates/driver/symbols.txt. */
#include "../base/template.h"
#include "../dnnl/plan.h"
#include "../ops/macs.h"
#include "emit.h"

#include <stdlib.h>
#include <string.h>

/* Among the bits of an instruction set of oneDNN's: vectors of 32 and 64 bytes, AVX2; and all of avx512_core, which what computes in
 * f32 makes use of. The others are for other types. */
enum { BIT_YMM = 1 << 5, BIT_ZMM = 1 << 6, BIT_AVX2 = 1 << 9, BITS_F32 = 880, MAX_ISAS = 32 };

typedef struct Isas {
    uint32_t mask[MAX_ISAS];
    size_t n;
} Isas;

/* A line of symbols.txt; "" where there are fewer words. */
typedef struct Line {
    const char *word[4];
} Line;

struct Linked {
    Line *line; /* symbols.txt */
    size_t n_lines;
    const char *names;   /* "avx512_core, avx2": the instruction sets of --isa */
    const char *limit;   /* the largest that oneDNN may use */
    Isas asked, also;    /* by --isa; the same without the first */
    Isas used;           /* with those that planned implementations are for */
    const char *planned; /* the parts of their names, algorithms, types, each between two ends of lines */
    bool is_large;       /* reference code would take seconds */
};

/* The symbol that a line is about is its last word, but in lines that name another one behind it. */
static const char *symbol_of(const Line *line)
{
    const char *const *word = line->word;
    const bool of_two = !strcmp(word[0], "same");
    return *word[3] && !of_two ? word[3] : *word[2] ? word[2] : word[1];
}

static void read_symbols(Arena *arena, Linked *l)
{
    size_t size;
    const char *data = bundled_file("templates/driver/symbols.txt", &size);
    if (!data)
        bug("symbols.txt is not built in");
    char *c = arena_strndup(arena, data, size);
    l->line = arena_alloc(arena, count_lines(c) * sizeof *l->line);
    while (*c) {
        Line *line = &l->line[l->n_lines++];
        *line = (Line){{"", "", "", ""}};
        for (size_t i = 0, more = true; more; i++) {
            const size_t n = strcspn(c, " \n");
            line->word[i] = c;
            more = c[n] == ' ';
            c[n] = '\0';
            c += n + 1;
        }
    }
}

static uint32_t number(const char *word)
{
    return (uint32_t)strtoul(word, NULL, 10);
}

/* 0: not known. */
static uint32_t mask_of(const Linked *l, const char *isa)
{
    for (const Line *line = l->line; line < l->line + l->n_lines; line++)
        if (!strcmp(line->word[0], "isa") && !strcmp(line->word[1], isa))
            return number(line->word[2]);
    return 0;
}

static bool has_all(uint32_t mask, uint32_t of)
{
    return !(of & ~mask);
}

static uint32_t vectors_of(uint32_t mask)
{
    return mask & BIT_ZMM ? BIT_ZMM : mask & BIT_YMM;
}

/* An implementation for `mask` is for one of these: it has no instructions besides, and as long vectors. */
static bool serves(const Isas *isas, uint32_t mask)
{
    for (size_t i = 0; i < isas->n; i++)
        if (has_all(isas->mask[i], mask) && vectors_of(isas->mask[i]) == vectors_of(mask))
            return true;
    return false;
}

static void add_isa(Isas *isas, uint32_t mask)
{
    if (isas->n < MAX_ISAS)
        isas->mask[isas->n++] = mask;
}

static void add_algorithm(Text *planned, Algorithm alg)
{
    if (alg != ALG_NONE)
        text_printf(planned, "%s\n", onednn_alg_name(alg));
}

/* "conv:any+brg_conv_fwd:avx2" are four parts. What is called "jit" is something else in each kind; convolutions have it as it is, also
 * inside others. A convolution with another one as a post-op is computed as two on CPUs where nothing does both at once. */
static void add_planned(void *user, const DnnlPrimitive *p)
{
    const char *c = p->impl ? p->impl : "", *kind = onednn_kind_names[p->kind];
    add_algorithm(user, p->alg);
    for (uint32_t i = 0; i < p->n_post; i++)
        add_algorithm(user, p->post[i].alg);
    for (uint32_t i = 0; i < p->n_memory; i++)
        text_printf(user, "%s\n", dtype_name(p->memory[i].dtype));
    if (!strncmp(c, "jit:", 4) && !strstr(kind, "convolution")) {
        text_printf(user, "jit.%s\n", kind);
        c += 4;
    }
    for (; *c; c++)
        text_append(user, *c == ':' || *c == '+' ? "\n" : c, 1);
    text_puts(user, p->kind == KIND_CONVOLUTION_DEPTHWISE ? "\nref_fused_convolution\n" : "\n");
}

/* A family may end with a star for any end, or an exclamation mark: it is then what large models have on other CPUs. */
static bool is_planned(Arena *arena, const Linked *l, const char *family)
{
    const size_t n = strcspn(family, "*!");
    return (family[n] == '!' && l->is_large) ||
           strstr(l->planned,
                  arena_printf(arena, "\n%.*s%s", (int)n, family, family[n] == '*' ? "" : "\n"));
}

/* The same of any of several, with commas between them. */
static bool is_any_planned(Arena *arena, const Linked *l, const char *names)
{
    for (; *names; names += *names == ',') {
        const size_t n = strcspn(names, ",");
        if (is_planned(arena, l, arena_strndup(arena, names, n)))
            return true;
        names += n;
    }
    return false;
}

/* Multiplications of the layers that are oneDNN's. */
static double multiplications(const Program *p)
{
    double macs = 0;
    for (uint32_t i = 0; i < p->n_steps; i++)
        for (uint32_t k = 0; p->steps[i].dnnl && k < p->steps[i].n_nodes; k++)
            macs += (double)node_macs(p->graph, node_at(p->graph, p->steps[i].nodes[k]));
    return macs;
}

/* What the layers compute with besides f32. */
typedef struct Types {
    bool bytes, others;
} Types;

static void find_types(void *user, const DnnlPrimitive *p)
{
    Types *types = user;
    const DnnlMemory *weights = onednn_memory_of(p, ARG_WEIGHTS);
    types->bytes |= weights && weights->dtype == DT_I8;
    for (uint32_t i = 0; i < p->n_memory; i++)
        types->others |= p->memory[i].dtype != DT_F32;
}

/* One CPU more that the plan has to serve. */
static bool add_asked(Emit *e, Linked *l, const char *isa)
{
    Diag *diag = e->p->graph->diag;
    Types types = {0};
    visit_primitives(e->p, find_types, &types);
    if (types.bytes && !onednn_isa_has_int8(isa))
        return refuse(diag, "--isa %s: the model computes products of bytes, which saturate on it",
                      isa);
    if (e->o->origin.bf16 && !onednn_isa_has_bf16(isa))
        return refuse(diag, "--isa %s: it has no products of bf16, which --precision bf16 asks for",
                      isa);
    const uint32_t mask = mask_of(l, isa) & (types.others ? UINT32_MAX : BITS_F32);
    add_isa(&l->asked, mask);
    add_isa(&l->also, mask);
    l->names = arena_printf(e->arena, "%s, %s", l->names, isa);
    return true;
}

/* The smallest instruction set that has all of these. */
static bool choose_limit(Emit *e, Linked *l)
{
    uint32_t all = 0, least = UINT32_MAX;
    for (size_t i = 0; i < l->asked.n; i++)
        all |= l->asked.mask[i];
    for (const Line *line = l->line; line < l->line + l->n_lines; line++) {
        const char *const *word = line->word;
        const uint32_t mask = number(word[2]);
        if (strcmp(word[0], "isa") || !has_all(mask, all) || mask >= least)
            continue;
        least = mask;
        l->limit = word[1];
    }
    return l->limit ||
           refuse(e->p->graph->diag,
                  "--isa %s: no instruction set has all of these, and oneDNN is limited to one",
                  l->names);
}

bool choose_linked(Emit *e)
{
    Text planned = text_new(e->arena);
    Linked *l = ARENA_NEW(e->arena, Linked);
    if (e->o->full || !e->o->origin.dnnl)
        return true;
    *l = (Linked){.names = e->o->origin.isa, .is_large = multiplications(e->p) > 1e7};
    read_symbols(e->arena, l);
    const uint32_t own = mask_of(l, l->names);
    if (!own)
        return true;
    text_puts(&planned, "\n");
    visit_primitives(e->p, add_planned, &planned);
    l->planned = planned.data;
    add_isa(&l->asked, own);
    for (const char *at = e->o->also; at && *at;) {
        const size_t n = strcspn(at, ",");
        if (!add_asked(e, l, arena_strndup(e->arena, at, n)))
            return false;
        at += n + (at[n] == ',');
    }
    l->used = l->asked;
    for (const Line *line = l->line; line < l->line + l->n_lines; line++)
        if (!strcmp(line->word[0], "isa") && is_planned(e->arena, l, line->word[1]))
            add_isa(&l->used, number(line->word[2]));
    e->linked = l;
    return choose_limit(e, l);
}

/* What is for several instruction sets: before AVX2 most is computed by that. */
static bool common_stays(Arena *arena, const Linked *l, const char *family)
{
    bool wanted = is_planned(arena, l, family);
    for (size_t i = 0; i < l->also.n; i++)
        wanted |= !(l->also.mask[i] & BIT_AVX2);
    return wanted;
}

/* Whether what a line names stays. */
static bool stays(Arena *arena, const Linked *l, uint32_t limit, const Line *line)
{
    const char *const *word = line->word, *kind = word[0];
    const uint32_t mask = number(word[2]);
    if (!strcmp(kind, "part") || (!strcmp(kind, "entry") && !mask))
        return common_stays(arena, l, word[1]);
    if (!strcmp(kind, "entry"))
        return serves(&l->also, mask) || (is_planned(arena, l, word[1]) && serves(&l->used, mask));
    if (!strcmp(kind, "kernel"))
        return has_all(limit, number(word[1]));
    /* What is for other instruction sets than those goes with the kernels that call it. */
    if (!strcmp(kind, "function"))
        return !has_all(limit, mask) || is_any_planned(arena, l, word[1]);
    if (!strcmp(kind, "backward"))
        return !has_all(limit, number(word[1]));
    if (!strcmp(kind, "same"))
        return !common_stays(arena, l, word[1]);
    for (size_t i = 0; i < l->used.n && !strcmp(kind, "ymm"); i++)
        if (vectors_of(l->used.mask[i]) == BIT_YMM)
            return true;
    return false;
}

/* What is called instead: the iterator over a list goes on; nothing is printed; another function does the same; what oneDNN, limited
 * as it is, never reaches ends in an exception, which its C functions return as a status. */
static const char *instead_of(const Line *line)
{
    const char *const *word = line->word, *kind = word[0];
    return !strcmp(kind, "same")                               ? word[3]
           : !strcmp(kind, "entry") || !strcmp(word[1], "gemm") ? "dnnlc_refuses"
           : !strcmp(kind, "quiet")                             ? "dnnlc_says_nothing"
                                                                : "_ZSt16__throw_bad_castv";
}

void emit_absent(Emit *e)
{
    const Linked *l = e->linked;
    if (!l)
        return;
    Text t = text_new(e->arena);
    text_puts(&t, e->names.banner);
    text_printf(&t,
                "/* For the linker: functions of oneDNN %s that the executable does without. It is "
                "planned for %s; implementations\n * that no layer was planned with and that are "
                "not for every CPU are refused, and not linked. */\n",
                ONEDNN_VERSION_TEXT, l->names);
    const uint32_t limit = mask_of(l, l->limit);
    for (const Line *line = l->line; line < l->line + l->n_lines; line++) {
        if (strcmp(line->word[0], "isa") && !stays(e->arena, l, limit, line))
            text_printf(&t, "%s = %s;\n", symbol_of(line), instead_of(line));
    }
    emit_add(e, arena_printf(e->arena, "%s_absent.ld", e->names.name), t.data, t.size);
}

void bind_linked(const Emit *e, Bindings *b)
{
    const Linked *l = e->linked;
    bind(b, "is_cut", "%d", l != NULL);
    bind(b, "linked", "%s", l ? arena_printf(e->arena, "\"%s\"", l->names) : "NULL");
    if (!l)
        return;
    bind(b, "limit", "dnnl_cpu_isa_%s", l->limit);
    const uint32_t limit = mask_of(l, l->limit);
    for (const Line *line = l->line; line < l->line + l->n_lines; line++)
        if (!strcmp(line->word[0], "isa") && has_all(limit, number(line->word[2])))
            bind(bind_row(b, "lower"), "lower", "\"%s\"", line->word[1]);
}

/* Which instruction sets have no implementation any more, and which implementations nothing was planned with. */
void linked_json(const Emit *e, Text *t)
{
    const Linked *l = e->linked;
    if (!e->o->origin.dnnl)
        return;
    text_printf(t, "  \"linked\": \"%s\",\n  \"left_out\": [", l ? l->names : "everything");
    const char *gap = "", *last = "";
    for (const Line *line = l ? l->line : NULL; line && line < l->line + l->n_lines; line++) {
        const char *const *word = line->word;
        const bool isa = !strcmp(word[0], "isa") && !serves(&l->used, number(word[2]));
        const bool family = !strcmp(word[0], "entry") && !l->also.n &&
                            strncmp(last, word[1], strcspn(word[1], "!")) &&
                            !is_planned(e->arena, l, word[1]);
        if (!isa && !family)
            continue;
        text_printf(t, "%s\"%.*s\"", gap, (int)strcspn(word[1], "!"), word[1]);
        gap = ", ";
        last = word[1];
    }
    text_printf(t, "%s],\n", l ? ", \"ONEDNN_VERBOSE\"" : "");
}
