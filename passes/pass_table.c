/* The pass table and the one function that runs it. A pass is named here and nowhere else: its file has one entry function. */
#include "../gen/base/nearest.h"
#include "../gen/base/progress.h"
#include "pass.h"

#include "../gen/program/text.h"
#include "../gen/text/text_ir.h"
#include "../gen/verify/verify.h"

#include <string.h>

PassFn pass_widen_half, pass_match_quantised, pass_in_integers, pass_fold_constant,
    pass_match_spelled, pass_fold_scale_axis, pass_merge_conv, pass_flush_denormals,
    pass_split_batch, pass_convert_precision, pass_merge_composite, pass_annotate_target,
    pass_fuse_eltwise, pass_merge_regions, pass_partition, pass_choose_layouts;
ProgramPassFn pass_lower, pass_plan_memory;

const PassInfo pass_table[] = {
    {"widen-half", "models in f16 compute in f32", .run = pass_widen_half},
    {"match-quantised",
     "dequantise, compute, quantise: on bytes where the CPU has instructions for that",
     .run = pass_match_quantised},
    {"in-integers", "a quantised model in integers alone (--no-float)", .run = pass_in_integers,
     .when = WITH_NO_FLOAT},
    {"fold-constant", "evaluate nodes whose inputs are constants", .run = pass_fold_constant},
    {"simplify", "identities, common subexpressions, dead code", .run = pass_simplify},
    {"match-spelled",
     "functions spelled out in smaller ops (GELU, HardSwish, layer norm, …) become one",
     .run = pass_match_spelled},
    {"fold-scale-axis", "batch norm and per-channel factors into the weights around them",
     .run = pass_fold_scale_axis},
    {"merge-conv", "a convolution and a 1x1 one behind it become one where that is less work",
     .run = pass_merge_conv},
    {"flush-denormals", "subnormal weights become 0 (not with --denormals keep)",
     .run = pass_flush_denormals},
    {"split-batch",
     "some images of a batch after the others, where the data of all leave the caches",
     .run = pass_split_batch},
    {"convert-precision",
     "bf16 for convolutions, products and what stands between them (--precision bf16)",
     .run = pass_convert_precision, .when = WITH_BF16},
    {"merge-composite",
     "match the pattern table: convolutions and matrix products with what follows them",
     .run = pass_merge_composite, .makes = COL_COMPOSITE},
    {"annotate-target", "mark what oneDNN takes; the rest goes to portable C",
     .run = pass_annotate_target, .needs = COL_COMPOSITE, .makes = COL_TARGET},
    {"fuse-eltwise",
     "elementwise nodes of the C target into single loops, or the kernel before them",
     .run = pass_fuse_eltwise, .needs = COL_COMPOSITE | COL_TARGET},
    {"merge-regions", "grow regions of one target", .run = pass_merge_regions, .needs = COL_TARGET,
     .makes = COL_REGION},
    {"partition", "one function per region: its inputs, outputs and constants",
     .run = pass_partition, .needs = COL_REGION},
    {"choose-layouts",
     "the order of the dimensions of every value in memory, for the whole graph at once",
     .run = pass_choose_layouts, .when = FOR_PROGRAM},
    {"lower", "the program: steps, each a oneDNN primitive or a kernel of C, over buffers",
     .run_program = pass_lower, .makes = PROGRAM, .when = FOR_PROGRAM},
    {"plan-memory", "places for all buffers: one arena for the whole model, and the weights",
     .run_program = pass_plan_memory, .needs = PROGRAM, .makes = PLACES, .when = FOR_PROGRAM},
    {0},
};

static const PassInfo *find_pass(const char *name, size_t size)
{
    for (const PassInfo *p = pass_table; p->name; p++)
        if (strlen(p->name) == size && memcmp(p->name, name, size) == 0)
            return p;
    return NULL;
}

static bool unknown_pass(Graph *g, const char *option, const char *name, size_t size)
{
    Nearest nearest = nearest_to(g->arena, arena_strndup(g->arena, name, size));
    for (const PassInfo *p = pass_table; p->name; p++)
        nearest_try(&nearest, p->name, strlen(p->name));
    return refuse(g->diag, "%s: there is no pass '%.*s'%s; dnnlc --help lists them", option,
                  (int)size, name, did_you_mean(&nearest));
}

/* What passes work on. */
typedef struct Work {
    Graph *g;
    Program *p; /* NULL: none is wanted */
    const PassOptions *options;
    const Ports *ports;
    Text *log, *printed;
} Work;

static unsigned present(const Work *w)
{
    const Columns *c = w->g->columns;
    return (c && c->composite ? COL_COMPOSITE : 0u) | (c && c->target ? COL_TARGET : 0u) |
           (c && c->region ? COL_REGION : 0u) | (w->p && w->p->lowered ? PROGRAM : 0u) |
           (w->p && w->p->placed ? PLACES : 0u);
}

/* The pass that would have made what is missing is named. */
static bool check_needs(const Work *w, const PassInfo *pass)
{
    unsigned missing = pass->needs & ~present(w);
    if (pass->run && w->p && w->p->lowered)
        return refuse_graph(
            w->g, "pass '%s' works on the graph, of which there is a program already", pass->name);
    if (!missing)
        return true;
    for (const PassInfo *p = pass_table; p->name; p++)
        if (p->makes & missing)
            return refuse_graph(w->g, "pass '%s' needs what '%s' makes: run that before it",
                                pass->name, p->name);
    bug("nothing makes what pass '%s' needs", pass->name);
}

static bool run_pass(const Work *w, const PassInfo *pass)
{
    const char *report = NULL;
    Graph *g = w->g;
    const PassWatch *watch = w->options->watch;
    if (!check_needs(w, pass) || (watch && !watch->begins(watch->user, g, pass->name)))
        return false;
    progress_begin(pass->name);
    const bool done = pass->run ? pass->run(g, w->options, &report)
                                : pass->run_program(g, w->p, w->options, &report);
    progress_end();
    if (!done) {
        if (!g->diag->message)
            bug("pass '%s' failed without a reason", pass->name);
        return false;
    }
    if (pass->makes & ~present(w))
        bug("pass '%s' did not make what it is for", pass->name);
    if (!(pass->run ? verify_graph(g) && ports_kept(g, w->ports) : verify_program(w->p))) {
        g->diag->message =
            arena_printf(g->diag->arena, "after pass '%s': %s", pass->name, g->diag->message);
        return false;
    }
    if (pass->run && pass->when != FOR_PROGRAM)
        g->verified = arena_printf(g->arena, "%s%s%s", g->verified ? g->verified : "",
                                   g->verified ? ", " : "", pass->name);
    if (w->log)
        text_printf(w->log, "%s: %s\n", pass->name, report ? report : "done");
    return !watch || watch->ended(watch->user, g, pass->name);
}

typedef struct PassList {
    const PassInfo **pass;
    size_t n, cap;
} PassList;

static void add_pass(Graph *g, PassList *list, const PassInfo *p)
{
    list->pass = arena_grow(g->arena, list->pass, list->n, &list->cap, sizeof(const PassInfo *));
    list->pass[list->n++] = p;
}

static bool names_program(const char *names)
{
    while (names && *names) {
        size_t n = strcspn(names, ",");
        const PassInfo *p = find_pass(names, n);
        if (p && p->when == FOR_PROGRAM)
            return true;
        names += n + (names[n] == ',');
    }
    return false;
}

bool wants_program(const char *list, const char *stop_after, bool emits_code)
{
    return names_program(list) || (stop_after ? names_program(stop_after) : emits_code);
}

static bool choose_passes(const Work *w, const char *names, PassList *list)
{
    const bool program = w->p && !names_program(names), lowered = w->p && w->p->lowered;
    for (const PassInfo *p = pass_table; !names && !lowered && p->name; p++)
        if (p->when == BY_DEFAULT || (p->when == WITH_BF16 && w->options->bf16) ||
            (p->when == WITH_NO_FLOAT && w->options->no_float))
            add_pass(w->g, list, p);
    while (names && *names) {
        size_t n = strcspn(names, ",");
        const PassInfo *p = find_pass(names, n);
        if (!p && n)
            return unknown_pass(w->g, "--passes", names, n);
        if (p && p->when == FOR_PROGRAM && !w->p)
            return refuse_graph(w->g, "pass '%s' is for a program, and none is wanted here",
                                p->name);
        if (p)
            add_pass(w->g, list, p);
        names += n + (names[n] == ',');
    }
    for (const PassInfo *p = pass_table; program && p->name; p++)
        if (p->when == FOR_PROGRAM && !(lowered && (p->run || p->makes & present(w))))
            add_pass(w->g, list, p);
    return true;
}

/* The argument of --print-after or --stop-after: a pass that runs. */
static bool check_name(Graph *g, const PassList *chosen, const char *option, const char *name)
{
    const PassInfo *pass = name ? find_pass(name, strlen(name)) : NULL;
    if (!name)
        return true;
    if (!pass)
        return unknown_pass(g, option, name, strlen(name));
    for (size_t i = 0; i < chosen->n; i++)
        if (chosen->pass[i] == pass)
            return true;
    return refuse(g->diag, "%s %s: this pass is not among those that run", option, name);
}

static void print_after_pass(const Work *w, const PassInfo *pass)
{
    text_printf(w->printed, "// after %s\n", pass->name);
    if (pass->run)
        print_text_ir_elided(w->g, w->printed);
    else
        print_program_elided(w->p, w->printed);
}

bool run_passes(Graph *g, Program *p, const PassOptions *options, const char *list,
                const char *print_after, const char *stop_after, Text *log, Text *printed)
{
    PassList chosen = {0};
    const Work w = {g, p, options, ports_of(g), log, printed};
    bool print_all = print_after && strcmp(print_after, "all") == 0;
    if (!choose_passes(&w, list, &chosen) ||
        (!print_all && !check_name(g, &chosen, "--print-after", print_after)) ||
        !check_name(g, &chosen, "--stop-after", stop_after))
        return false;
    for (size_t i = 0; i < chosen.n; i++) {
        const PassInfo *pass = chosen.pass[i];
        if (!run_pass(&w, pass))
            return false;
        if (printed && (print_all || (print_after && strcmp(print_after, pass->name) == 0)))
            print_after_pass(&w, pass);
        if (stop_after && strcmp(stop_after, pass->name) == 0)
            break;
    }
    return true;
}
