/* models FOLDER COUNT EVERY MODEL...: COUNT mutations of each model are compiled to C, or refused in one line, in at most ten times the processor time and
 * memory of the model itself; each EVERYth of those that compile is also built for both targets and gives the evaluator's numbers (0: none is). MODEL is a
 * file, with what its folder's file `flags` says. FOLDER/log has a line for each mutation; what stands there is not tried again. FOLDER/failed keeps
 * mutations that fail. QUICK=SECONDS in the environment leaves out models that take longer themselves. Last line: the counts. */
#include "../pipeline/trial.h"
#include "fuzz.h"

#include "../../gen/eval/eval.h"
#include "../../gen/onnx/import.h"

#include <libgen.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

enum { MORE = 20000, MAX_WORDS = 32, TIMES = 10, MOST_SECONDS = 300, MOST_MEMORY_GB = 8 };
static const double more_seconds = 0.2,
                    more_kb = 50000; /* what starting and a loaded machine may take */

typedef enum Outcome { REFUSED, COMPILED, EQUAL, NOT_COMPARED, FAILED, OUTCOMES } Outcome;
static const char *const outcome_names[OUTCOMES] = {
    [REFUSED] = "refused",           [COMPILED] = "compiled", [EQUAL] = "equal",
    [NOT_COMPARED] = "not-compared", [FAILED] = "FAILED",
};

typedef struct Used {
    double seconds, kb;
} Used;

typedef struct Model {
    const char *path, *name, *inputs;
    char *words[MAX_WORDS]; /* of `flags` */
    size_t n_words;
    Used original;
    uint64_t done;
    size_t counts[OUTCOMES];
    double slowest, largest; /* in parts of the original's */
} Model;

typedef struct Session {
    Arena *arena;
    const char *folder;
    FILE *log;
    uint64_t count, every;
    double quick; /* 0: all models */
} Session;

/* --- the model ------------------------------------------------------------------------------------------------------------ */

static void read_flags(Session *s, Model *m, const char *folder)
{
    Diag diag = {.arena = s->arena};
    char *text, *rest;
    size_t size;
    const char *path = arena_printf(s->arena, "%s/flags", folder);
    if (access(path, R_OK) || !read_file(s->arena, path, &text, &size, &diag))
        return;
    for (char *word = strtok_r(text, " \n", &rest); word && m->n_words < MAX_WORDS;
         word = strtok_r(NULL, " \n", &rest))
        m->words[m->n_words++] = word;
}

static Model open_model(Session *s, const char *path)
{
    const char *folder = dirname(arena_strdup(s->arena, path));
    Model m = {.path = path, .inputs = arena_printf(s->arena, "%s/test_data_set_0", folder)};
    m.name = basename(arena_strdup(s->arena, folder));
    read_flags(s, &m, folder);
    return m;
}

/* What the log knows of the model. */
static void recall(const Session *s, Model *m)
{
    char name[256], outcome[32];
    unsigned long long seed;
    char line[4096];
    FILE *log = fopen(arena_printf(s->arena, "%s/log", s->folder), "r");
    while (log && fgets(line, sizeof line, log)) {
        Used parts;
        if (sscanf(line, "%255s %llu %31s %lf %lf", name, &seed, outcome, &parts.seconds,
                   &parts.kb) != 5 ||
            strcmp(name, m->name))
            continue;
        m->done = seed;
        m->slowest = parts.seconds > m->slowest ? parts.seconds : m->slowest;
        m->largest = parts.kb > m->largest ? parts.kb : m->largest;
        for (Outcome o = 0; o < OUTCOMES; o++)
            m->counts[o] += !strcmp(outcome, outcome_names[o]);
    }
    if (log)
        fclose(log);
}

/* --- one mutation ----------------------------------------------------------------------------------------------------------- */

static double seconds(struct timeval t)
{
    return (double)t.tv_sec + 1e-6 * (double)t.tv_usec;
}

/* The exit status of the compiler, or 128 and the signal that ended it; what it says is in FOLDER/said. */
static int compile(const Session *s, const Model *m, const char *path, Used *used)
{
    char *words[MAX_WORDS + 12] = {
        "build/dnnlc-c", (char *)(uintptr_t)path, "--target", "c", "--name", "m", "-o"};
    size_t n = 7;
    words[n++] = arena_printf(s->arena, "%s/out", s->folder);
    memcpy(words + n, m->words, m->n_words * sizeof *words);
    const struct rlimit time = {MOST_SECONDS, MOST_SECONDS};
    struct rusage usage;
    int status;
    const pid_t pid = fork();
    if (pid == 0) {
        if (!freopen(arena_printf(s->arena, "%s/said", s->folder), "w", stderr) || dup2(2, 1) < 0 ||
            setrlimit(RLIMIT_CPU, &time))
            _exit(126);
        execv(words[0], words);
        _exit(127);
    }
    if (pid < 0 || wait4(pid, &status, 0, &usage) < 0)
        abort();
    *used = (Used){seconds(usage.ru_utime) + seconds(usage.ru_stime), (double)usage.ru_maxrss};
    return WIFSIGNALED(status) ? 128 + WTERMSIG(status) : WEXITSTATUS(status);
}

/* Lines beside notes; the first of them. */
static size_t said(const Session *s, const char **first)
{
    Diag diag = {.arena = s->arena};
    char *text, *rest;
    size_t size, n = 0;
    *first = "nothing is said";
    if (!read_file(s->arena, arena_printf(s->arena, "%s/said", s->folder), &text, &size, &diag))
        return 0;
    for (char *line = strtok_r(text, "\n", &rest); line; line = strtok_r(NULL, "\n", &rest))
        if (strncmp(line, "note: ", 6) && n++ == 0)
            *first = line;
    return n;
}

static Graph *import(Session *s, const Model *m, Diag *diag, const char *path)
{
    const char *dims[MAX_WORDS], *shapes[MAX_WORDS];
    ImportOptions options = {.dims = dims, .shapes = shapes};
    for (size_t i = 0; i + 1 < m->n_words; i += 2)
        if (!strcmp(m->words[i], "--dim"))
            dims[options.n_dims++] = m->words[i + 1];
        else if (!strcmp(m->words[i], "--shape"))
            shapes[options.n_shapes++] = m->words[i + 1];
    return import_onnx(s->arena, diag, path, &options);
}

/* An infinite weight times what pads a source, 0, is NaN where it is multiplied and nothing where it is left out (docs/accuracy.md). Sums of squares of
 * what a very large one makes leave f32 or do not, depending on the order in which they are added up; the evaluator's do not. */
static bool is_moderate(const Graph *g)
{
    for (uint32_t v = 0; v < g->n_values; v++) {
        const Value *value = value_at(g, (ValueId){v});
        const size_t n =
            value->data && dtype_is_float(value->type.dtype) ? (size_t)type_count(&value->type) : 0;
        for (size_t i = 0; i < n; i++)
            if (!(fabs(elem_f64(value->type.dtype, value->data, i)) <= 0x1p48))
                return false;
    }
    return true;
}

/* Built and run for both targets. */
static Outcome compare(Session *s, const Model *m, const char *path, uint64_t seed,
                       const char **why)
{
    Diag diag = {.arena = s->arena};
    const Graph *g = import(s, m, &diag, path);
    if (!g)
        return *why = diag.message, FAILED;
    if (!is_moderate(g))
        return *why = "a constant is too large", NOT_COMPARED;
    for (int c = 1; c >= 0; c--) {
        const Trial trial = {.dir = arena_printf(s->arena, "%s/trial", s->folder),
                             .target_c = c,
                             .threads = 1,
                             .seed = seed,
                             .inputs = m->inputs};
        const char *wrong = g->n_outputs ? try_graph(s->arena, g, &trial) : NULL;
        if (!wrong)
            continue;
        *why = arena_printf(s->arena, "%s: %s", c ? "c" : "dnnl", wrong);
        /* The evaluator takes too long, or refuses what the inputs hold; oneDNN's target may refuse more. */
        const bool none = strstr(wrong, "signal 14") || strstr(wrong, "out of memory") ||
                          strstr(wrong, "error: reference: ") || (!c && strstr(wrong, "refused: "));
        return none ? NOT_COMPARED : FAILED;
    }
    return EQUAL;
}

static Outcome judge(Session *s, Model *m, const char *path, uint64_t seed, Used *parts,
                     const char **why)
{
    Used used;
    int status = compile(s, m, path, &used);
    const double most_seconds = TIMES * m->original.seconds + more_seconds,
                 most_kb = TIMES * m->original.kb + more_kb;
    if (used.seconds > most_seconds) /* once more: others may have been at work */
        status = compile(s, m, path, &used);
    *parts = (Used){used.seconds / m->original.seconds, used.kb / m->original.kb};
    const size_t lines = said(s, why);
    if (status > 1 || (status == 1 && lines != 1))
        return *why = arena_printf(s->arena, "status %d, %zu lines: %s", status, lines, *why),
               FAILED;
    if (used.seconds > most_seconds || used.kb > most_kb)
        return *why = arena_printf(s->arena, "%.2f s and %.0f KB, where %.2f and %.0f are allowed",
                                   used.seconds, used.kb, most_seconds, most_kb),
               FAILED;
    if (status == 1)
        return REFUSED;
    *why = "";
    const size_t compiled = m->counts[COMPILED] + m->counts[EQUAL] + m->counts[NOT_COMPARED];
    return s->every && (compiled + 1) % s->every == 0 ? compare(s, m, path, seed, why) : COMPILED;
}

static void try(Session *s, Model *m, const MappedFile *model, uint64_t seed)
{
    Session own = *s;
    own.arena = arena_new();
    Diag diag = {.arena = own.arena};
    uint8_t *data = arena_alloc(own.arena, 2 * model->size + MORE);
    const char *path = arena_printf(own.arena, "%s/mutation.onnx", s->folder), *why = "";
    memcpy(data, model->data, model->size);
    const size_t size = mutate_onnx(data, model->size, 2 * model->size + MORE, seed);
    if (!write_file_if_changed(path, data, size, &diag))
        abort();
    Used parts = {0, 0};
    const Outcome o = judge(&own, m, path, seed, &parts, &why);
    m->counts[o]++;
    m->done = seed;
    m->slowest = parts.seconds > m->slowest ? parts.seconds : m->slowest;
    m->largest = parts.kb > m->largest ? parts.kb : m->largest;
    fprintf(s->log, "%s %llu %s %.2f %.2f %s\n", m->name, (unsigned long long)seed,
            outcome_names[o], parts.seconds, parts.kb, why);
    fflush(s->log);
    if (o == FAILED) {
        printf("FAILED: %s, seed %llu: %s\n", m->name, (unsigned long long)seed, why);
        rename(path, arena_printf(own.arena, "%s/failed/%s.%llu.onnx", s->folder, m->name,
                                  (unsigned long long)seed));
    }
    arena_free(own.arena);
}

/* --- all of them ------------------------------------------------------------------------------------------------------------ */

static void try_model(Session *s, const char *path, size_t sums[OUTCOMES])
{
    Model m = open_model(s, path);
    const char *why;
    MappedFile file;
    Diag diag = {.arena = s->arena};
    const int status = compile(s, &m, path, &m.original);
    said(s, &why);
    if (status || !map_file(s->arena, path, &file, &diag)) {
        printf("%s: itself has status %d: %s\n", m.name, status, why);
        sums[FAILED]++;
        return;
    }
    if (s->quick > 0 && m.original.seconds > s->quick)
        return;
    recall(s, &m);
    for (uint64_t seed = m.done + 1; seed <= s->count; seed++)
        try(s, &m, &file, seed);
    printf("%s: %llu mutations: %zu refused, %zu compiled, of which %zu ran and %zu could not be "
           "compared; %zu failed; at most %.1f times the time, %.1f times the memory\n",
           m.name, (unsigned long long)m.done, m.counts[REFUSED],
           m.counts[COMPILED] + m.counts[EQUAL] + m.counts[NOT_COMPARED], m.counts[EQUAL],
           m.counts[NOT_COMPARED], m.counts[FAILED], m.slowest, m.largest);
    fflush(stdout);
    for (Outcome o = 0; o < OUTCOMES; o++)
        sums[o] += m.counts[o];
}

int main(int argc, char **argv)
{
    size_t sums[OUTCOMES] = {0};
    const struct rlimit memory = {(rlim_t)MOST_MEMORY_GB << 30, (rlim_t)MOST_MEMORY_GB << 30};
    if (argc < 4 || setrlimit(RLIMIT_AS, &memory))
        return 2;
    Session s = {.arena = arena_new(), .folder = argv[1]};
    s.count = strtoull(argv[2], NULL, 10);
    s.every = strtoull(argv[3], NULL, 10);
    s.quick = getenv("QUICK") ? atof(getenv("QUICK")) : 0;
    if (system(arena_printf(s.arena, "mkdir -p %s/failed", s.folder)))
        return 2;
    s.log = fopen(arena_printf(s.arena, "%s/log", s.folder), "a");
    if (!s.log)
        return 2;
    for (int i = 4; i < argc; i++)
        try_model(&s, argv[i], sums);
    fclose(s.log);
    printf("%zu passed, %zu failed, 0 skipped\n",
           sums[REFUSED] + sums[COMPILED] + sums[EQUAL] + sums[NOT_COMPARED], sums[FAILED]);
    arena_free(s.arena);
    return sums[FAILED] != 0;
}
