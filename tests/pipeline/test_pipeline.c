/* The property: what is emitted computes what the reference evaluator computes. Random graphs through the whole compiler,
 * for both targets.
 *
 *   test_pipeline [--check] [--bf16] [--channels-last] [--target c|dnnl] [--dir DIR] [--shrink] [FIRST [COUNT] | --ir FILE…]
 *
 * --bf16: with --precision bf16, for oneDNN, where this CPU has it. --check: only up to the checker of programs, nothing is
 * built. --channels-last: every graph, and not only some, rewritten as one with its channels last. --ir: these graphs instead of random ones. --shrink: a graph that fails is made smaller and printed. */
#include "../../gen/dnnl/plan.h"
#include "../../gen/text/text_ir.h"
#include "../layouts/channels_last.h"
#include "../passes/random_quantised.h"
#include "maker.h"
#include "trial.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { DEFAULT_COUNT = 60 };

typedef struct Options {
    const char *dir, *target;
    char **ir; /* the files after --ir; NULL: random graphs */
    int n_ir;
    bool check, shrink, bf16, last;
    uint64_t first, count;
} Options;

static Graph *load(Arena *arena, Diag *diag, const char *path)
{
    char *data;
    size_t size;
    if (!read_file(arena, path, &data, &size, diag))
        return NULL;
    return parse_text_ir(arena, diag, path, data, size);
}

/* Graph `seed`, counted from 1: of the files or of the random ones. */
static bool try_one(const Options *o, uint64_t seed, bool target_c)
{
    static const int algorithms[] = {CONV_WINOGRAD_4, CONV_WHERE_FASTER, CONV_INDIRECT,
                                     CONV_WINOGRAD_2, CONV_WINOGRAD_4_IN_C};
    const char *file = o->ir ? o->ir[seed - 1] : NULL;
    /* Winograd's method would round where all is exact. */
    const bool quantised = !file && !o->bf16 && seed % 5 == 3;
    Arena *arena = arena_new();
    Diag diag = {.arena = arena};
    const Trial trial = {.dir = o->dir,
                         .target_c = target_c,
                         .conv = quantised ? CONV_WHERE_FASTER
                                           : algorithms[seed % COUNT_OF(algorithms)],
                         .check_only = o->check,
                         .bf16 = o->bf16,
                         .threads = seed % 5 == 0 ? 2 : 1,
                         .share_all = seed % 10 == 0,
                         .seed = seed};
    Graph *g = file        ? load(arena, &diag, file)
               : quantised ? quantised_graph(arena, &diag, seed / 5)
                           : pipeline_graph(arena, &diag, seed);
    if (g && (o->last || (!file && seed % 7 == 2)))
        g = with_channels_last(arena, &diag, g);
    const char *why = g ? try_graph(arena, g, &trial) : diag.message;
    if (why)
        fprintf(stderr, "%s, target %s: %s\n",
                file ? file : arena_printf(arena, "seed %llu", (unsigned long long)seed),
                target_c ? "c" : "dnnl", why);
    if (why && g && o->shrink) {
        Text t = text_new(arena);
        print_text_ir(shrink(arena, g, try_graph, &trial, why), &t);
        fprintf(stderr, "%s", t.data);
    }
    arena_free(arena);
    return !why;
}

static bool parse(int argc, char **argv, Options *o)
{
    int numbers = 0;
    *o = (Options){.dir = "build/tests/pipeline/work", .first = 1, .count = DEFAULT_COUNT};
    for (int i = 1; i < argc; i++) {
        if (!strcmp(argv[i], "--check"))
            o->check = true;
        else if (!strcmp(argv[i], "--bf16"))
            o->bf16 = true;
        else if (!strcmp(argv[i], "--channels-last"))
            o->last = true;
        else if (!strcmp(argv[i], "--shrink"))
            o->shrink = true;
        else if (!strcmp(argv[i], "--dir") && i + 1 < argc)
            o->dir = argv[++i];
        else if (!strcmp(argv[i], "--target") && i + 1 < argc)
            o->target = argv[++i];
        else if (!strcmp(argv[i], "--ir") && i + 1 < argc) {
            o->ir = &argv[i + 1];
            o->n_ir = argc - i - 1;
            o->first = 1;
            o->count = (uint64_t)o->n_ir;
            break;
        } else if (argv[i][0] != '-' && numbers < 2)
            *(numbers++ ? &o->count : &o->first) = strtoull(argv[i], NULL, 10);
        else
            return false;
    }
    return true;
}

static bool cpu_has_bf16(void)
{
    Arena *arena = arena_new();
    Diag diag = {.arena = arena};
    DnnlEngine *engine = NULL;
    bool has = onednn_engine_open(arena, &diag, NULL, 1, &engine) && onednn_engine_has_bf16(engine);
    onednn_engine_close(engine);
    arena_free(arena);
    return has;
}

int main(int argc, char **argv)
{
    Options o;
    uint64_t failed = 0, tried = 0;
    if (!parse(argc, argv, &o)) {
        fprintf(
            stderr,
            "usage: %s [--check] [--bf16] [--channels-last] [--shrink] [--target T] [--dir DIR] "
            "[FIRST [COUNT] | --ir FILE...]\n",
            argv[0]);
        return 2;
    }
    if (o.bf16 && !cpu_has_bf16()) {
        printf("this CPU computes no bf16: not tried\n0 passed, 0 failed, %llu skipped\n",
               (unsigned long long)o.count);
        return 0;
    }
    for (uint64_t seed = o.first; seed < o.first + o.count; seed++)
        for (int c = 0; c < 2; c++) {
            if ((o.target && strcmp(o.target, c ? "c" : "dnnl") != 0) || (o.bf16 && c))
                continue;
            tried++;
            failed += !try_one(&o, seed, c);
        }
    printf("%llu passed, %llu failed, 0 skipped\n", (unsigned long long)(tried - failed),
           (unsigned long long)failed);
    return failed != 0;
}
