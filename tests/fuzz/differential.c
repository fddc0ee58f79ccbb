/* differential FOLDER FIRST COUNT [c|dnnl]: mutations of the folder's models, by seed; each that compiles is built, for oneDNN if any of it is computed there,
 * and gives the evaluator's numbers. What differs stays beside the scratch folder as SEED.onnx. */
#include "fuzz.h"

#include "../../gen/onnx/import.h"
#include "../../gen/ops/ops.h"
#include "../pipeline/trial.h"

#include <glob.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>

enum { MOST = 20000, ELEMENTS = 1 << 20 };

#define FOLDER "build/tests/fuzz/differing"

/* What the evaluator can do in a moment. */
static bool is_small(const Graph *g)
{
    int64_t all = 0;
    for (uint32_t v = 0; v < g->n_values; v++) {
        const TensorType *t = type_of(g, (ValueId){v});
        all += type_valid(t) ? type_count(t) : 0;
    }
    return all < ELEMENTS;
}

typedef struct Files {
    glob_t found;
    signed char *primitives; /* of each file: whether oneDNN computes any of it; 0: not known yet */
} Files;

/* The file itself, or a mutation of it. */
static Graph *import(Arena *arena, Diag *diag, const char *path, const uint64_t *seed,
                     uint8_t **data, size_t *size)
{
    static const char *const dims[] = {"*=2"};
    const ImportOptions options = {.dims = dims, .n_dims = 1};
    char *text;
    if (!read_file(arena, path, &text, size, diag))
        return NULL;
    *data = arena_alloc(arena, *size + MOST);
    memcpy(*data, text, *size);
    if (seed)
        *size = mutate_onnx(*data, *size, *size + MOST, *seed);
    return import_onnx_bytes(arena, diag, path, (MappedFile){.data = *data, .size = *size},
                             &options);
}

/* Where scales are no powers of two, a sum that is a step and a half in decimals is rounded by its last bits: one step of a quantisation is allowed. */
static bool is_one_step(const Graph *g, const char *why)
{
    long got, want;
    bool quantises = false;
    const char *numbers = strstr(why, "] is ");
    for (uint32_t i = 0; i < g->n_nodes; i++)
        quantises |= op_has(g->nodes[i].op, TRAIT_QUANTISES);
    return quantises && numbers && sscanf(numbers, "] is %ld, not %ld", &got, &want) == 2 &&
           labs(got - want) == 1;
}

/* What oneDNN's Relu and MaxPool make of NaN is the other operand (docs/accuracy.md). */
static bool is_nan_for_onednn(const char *why, bool target_c)
{
    return !target_c && (strstr(why, ", not nan") || strstr(why, ", not -nan"));
}

/* Where no primitive of oneDNN is, the other target has emitted the same C. */
static bool has_primitive(const Program *p, Diag *diag)
{
    for (uint32_t i = 0; i < p->n_steps; i++)
        if (p->steps[i].target == TARGET_DNNL)
            return true;
    return refuse(diag, "no primitive");
}

static Trial trial_of(Arena *arena, bool target_c, uint64_t seed)
{
    return (Trial){.dir = arena_printf(arena, FOLDER "/%ld", (long)getpid()),
                   .target_c = target_c,
                   .threads = 1,
                   .dnnl_conv = true,
                   .check = target_c ? NULL : has_primitive,
                   .seed = seed};
}

static bool has_primitives(Files *files, size_t k)
{
    if (!files->primitives[k]) {
        Arena *arena = arena_new();
        Diag diag = {.arena = arena};
        uint8_t *data;
        size_t size;
        const Graph *g = import(arena, &diag, files->found.gl_pathv[k], NULL, &data, &size);
        Trial trial = trial_of(arena, false, 0);
        trial.check_only = true;
        files->primitives[k] = g && !try_graph(arena, g, &trial) ? 1 : -1;
        arena_free(arena);
    }
    return files->primitives[k] > 0;
}

/* For oneDNN, one of those that it computes something of, if a few attempts find one. */
static const char *pick_file(Files *files, uint64_t seed, bool target_c)
{
    enum { TRIES = 40 };
    Dice d = {.seed = seed};
    size_t k = dice(&d, files->found.gl_pathc);
    for (int i = 0; i < TRIES && !target_c && !has_primitives(files, k); i++)
        k = dice(&d, files->found.gl_pathc);
    return files->found.gl_pathv[k];
}

/* NULL, or how it failed; *compiled says whether there was something to compare. */
static const char *try_seed(Arena *arena, Files *files, uint64_t seed, bool target_c,
                            bool *compiled)
{
    Diag diag = {.arena = arena};
    const char *path = pick_file(files, seed, target_c);
    uint8_t *data;
    size_t size;
    const Trial trial = trial_of(arena, target_c, seed);
    const Graph *g = import(arena, &diag, path, &seed, &data, &size);
    *compiled = false;
    if (!g || !is_small(g) || g->n_outputs == 0)
        return NULL;
    const char *why = try_graph(arena, g, &trial);
    if (why && (strstr(why, "refused: ") || strstr(why, "error: reference: ")))
        return NULL; /* the second: by the evaluator, for what random inputs hold, such as an index out of range */
    *compiled = true;
    if (why && is_nan_for_onednn(why, target_c))
        return *compiled = false, NULL;
    if (why && is_one_step(g, why))
        why = NULL;
    if (why)
        write_file_if_changed(arena_printf(arena, FOLDER "/%llu.onnx", (unsigned long long)seed),
                              data, size, &diag);
    return why ? arena_printf(arena, "%s: %s", path, why) : NULL;
}

int main(int argc, char **argv)
{
    const struct rlimit memory = {(rlim_t)4 << 30, (rlim_t)4 << 30};
    Files files = {0};
    if (argc < 4 || glob(argv[1], 0, NULL, &files.found) || setrlimit(RLIMIT_AS, &memory))
        return 2;
    const uint64_t first = strtoull(argv[2], NULL, 10), count = strtoull(argv[3], NULL, 10);
    int passed = 0, failed = 0;
    Arena *all = arena_new();
    files.primitives = ARENA_ARRAY(all, signed char, files.found.gl_pathc);
    if (system("mkdir -p " FOLDER) || setvbuf(stdout, NULL, _IOLBF, BUFSIZ))
        return 2;
    for (uint64_t seed = first; seed < first + count; seed++)
        for (int c = 0; c < 2; c++) {
            if (argc > 4 && (strcmp(argv[4], "c") == 0) != c)
                continue;
            Arena *arena = arena_new();
            bool compiled;
            const char *why = try_seed(arena, &files, seed, c, &compiled);
            passed += compiled && !why;
            failed += why != NULL;
            if (why)
                printf("FAILED: seed %llu, target %s: %s\n", (unsigned long long)seed,
                       c ? "c" : "dnnl", why);
            arena_free(arena);
        }
    arena_free(all);
    printf("%d passed, %d failed, 0 skipped\n", passed, failed);
    return failed != 0;
}
