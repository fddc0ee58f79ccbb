/* The targets: see fuzz.h. */
#include "fuzz.h"

#include "../../gen/cli/options.h"
#include "../../gen/dnnl/plan.h"
#include "../../gen/machine/machine.h"
#include "../../gen/onnx/import.h"
#include "../../gen/onnx/refusals.h"
#include "../../gen/onnx/survey.h"
#include "../../gen/program/text.h"
#include "../../gen/report/page_data.h"
#include "../../gen/text/text_ir.h"
#include "../../passes/pass.h"
#include "../../passes/pattern/table.h"
#include "../../runtime-stub/dnnlc_npy.h"
#include "../../runtime-stub/dnnlc_options.h"
#include "../../runtime-stub/dnnlc_pb.h"
#include "../runtime/fake_model.h"
#include "model.h"

#include <cjson/cJSON.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

/* --- what holds for all of them ------------------------------------------------------------------------------------------ */

static void expect_reason(bool ok, const Diag *diag)
{
    if (!ok && (!diag->message || !*diag->message))
        bug("refused without a reason");
}

/* A file in memory that has just these bytes, and a name. */
static const char *file_of(Arena *arena, const uint8_t *data, size_t size)
{
    static int fd = -1;
    if (fd < 0)
        fd = memfd_create("fuzz", MFD_CLOEXEC);
    if (fd < 0 || ftruncate(fd, 0) || pwrite(fd, data, size, 0) != (ssize_t)size)
        bug("the file in memory cannot be written");
    return arena_printf(arena, "/proc/self/fd/%d", fd);
}

static bool same_text(const Text *a, const Text *b)
{
    return a->size == b->size && !memcmp(a->data, b->data, a->size);
}

/* --- graphs and programs ------------------------------------------------------------------------------------------------- */

/* Whether there is something to emit, and it could be. */
static bool emit(const Program *p, EmittedCode *code)
{
    enum { MOST_BYTES = 64 << 20 };
    const EmitOptions options = {
        .dir = "fuzz",
        .origin = {.name = "net",
                   .model = p->origin.model,
                   .command = "",
                   .model_hash = "",
                   .isa = p->origin.isa ? p->origin.isa : "any",
                   .threads = p->origin.threads > 0 ? p->origin.threads : 1,
                   .dnnl = p->origin.dnnl},
        .weights = WEIGHTS_C,
        .code = code};
    if (!p->placed || p->workspace_bytes >= MOST_BYTES || p->weights_bytes >= MOST_BYTES)
        return false;
    const bool ok = emit_folder(p, &options);
    expect_reason(ok, p->graph->diag);
    return ok;
}

/* To portable C. The checkers behind each pass abort where one has broken something. */
static bool compile(Graph *g, Program *p)
{
    *p = (Program){
        .graph = g, .arena = g->arena, .origin = {.name = "net", .threads = 1, .isa = "any"}};
    const Machine machine = machine_of_isa("sse41");
    const PassOptions options = {
        .target_c = true, .threads = 1, .machine = &machine, .isa = "sse41"};
    const bool ok = run_passes(g, p, &options, NULL, NULL, NULL, NULL, NULL);
    expect_reason(ok, g->diag);
    return ok;
}

static void compile_and_emit(Graph *g)
{
    Program p;
    if (compile(g, &p))
        emit(&p, NULL);
}

/* An import that goes on behind what is refused, to find all of it, ends as well. */
static void inspect_refused(Arena *arena, MappedFile file, const ImportOptions *options)
{
    Survey s;
    Diag diag = {.arena = arena}, none = {.arena = arena};
    Refusals all = {.arena = arena};
    ImportOptions with = *options;
    with.refusals = &all;
    Graph *g = import_onnx_bytes(arena, &diag, "fuzz.onnx", file, &with);
    expect_reason(g, &diag);
    survey_onnx(arena, &none, "fuzz.onnx", file, options, &s);
}

static void run_onnx(Arena *arena, const uint8_t *data, size_t size)
{
    static const char *const dims[] = {"*=2"};
    Diag diag = {.arena = arena};
    Text notes = text_new(arena);
    const ImportOptions options = {.dims = dims, .n_dims = 1, .notes = &notes};
    Graph *g = import_onnx_bytes(arena, &diag, "fuzz.onnx",
                                 (MappedFile){.data = data, .size = size}, &options);
    expect_reason(g, &diag);
    if (g)
        compile_and_emit(g);
    else
        inspect_refused(arena, (MappedFile){.data = data, .size = size}, &options);
}

/* What was read, printed; print -> parse -> print is the identity. */
static Text printed(const Graph *g, const Program *p)
{
    Text t = text_new(g->arena);
    if (p->lowered)
        print_program_text(p, &t);
    else
        print_text_ir(g, &t);
    return t;
}

static void run_text(Arena *arena, const uint8_t *data, size_t size)
{
    Diag diag = {.arena = arena}, again = {.arena = arena};
    Program p = {0}, q = {0};
    Graph *g = parse_program_text(arena, &diag, "fuzz.ir", (const char *)data, size, &p);
    expect_reason(g, &diag);
    if (!g)
        return;
    const Text text = printed(g, &p);
    const Graph *h = parse_program_text(arena, &again, "printed.ir", text.data, text.size, &q);
    if (!h)
        bug("what was printed is refused: %s", again.message);
    const Text other = printed(h, &q);
    if (!same_text(&text, &other))
        bug("what was printed reads back as something else");
    Text dot = text_new(arena);
    print_dot(g, &dot);
    if (p.lowered)
        emit(&p, NULL);
    else
        compile_and_emit(g);
}

/* --- files beside the model ------------------------------------------------------------------------------------------------ */

static void run_patterns(Arena *arena, const uint8_t *data, size_t size)
{
    Diag diag = {.arena = arena};
    PatternTable *table = pattern_table_new(arena);
    Text t = text_new(arena);
    const bool ok = pattern_file_read(arena, &diag, file_of(arena, data, size), table);
    expect_reason(ok, &diag);
    if (ok)
        print_patterns(table, &t);
}

static void run_machine(Arena *arena, const uint8_t *data, size_t size)
{
    Diag diag = {.arena = arena};
    Machine m, n;
    Text t = text_new(arena), u = text_new(arena);
    const bool ok = machine_read(arena, &diag, file_of(arena, data, size), &m);
    expect_reason(ok, &diag);
    if (!ok)
        return;
    machine_print(&m, &t);
    if (!machine_read(arena, &diag, file_of(arena, (const uint8_t *)t.data, t.size), &n))
        bug("what was printed is refused: %s", diag.message);
    machine_print(&n, &u);
    if (!same_text(&t, &u))
        bug("what was printed reads back as another machine");
}

static void run_answers(Arena *arena, const uint8_t *data, size_t size)
{
    Diag diag = {.arena = arena};
    DnnlEngine *engine = NULL;
    const bool ok = onednn_engine_replay(arena, &diag, file_of(arena, data, size), &engine);
    expect_reason(ok, &diag);
    onednn_engine_close(engine);
}

typedef bool ParseFn(const void *bytes, size_t size, struct dnnlc_array *array, char *why,
                     size_t why_size);

static bool parse_array(ParseFn *parse, const uint8_t *data, size_t size, struct dnnlc_array *array)
{
    char why[160] = "";
    volatile double sum = 0;
    const bool ok = parse(data, size, array, why, sizeof why);
    if (!ok && (!*why || strchr(why, '\n')))
        bug("refused without a line: '%s'", why);
    for (size_t i = 0; ok && i < array->count; i++)
        sum = sum + dnnlc_array_element(array, i);
    return ok;
}

static void run_pb(Arena *arena, const uint8_t *data, size_t size)
{
    (void)arena;
    char why[160] = "";
    struct dnnlc_array array = {0};
    struct dnnlc_arrays list = {0};
    parse_array(dnnlc_pb_parse, data, size, &array);
    if (!dnnlc_pb_parse_all(data, size, &list, why, sizeof why) && (!*why || list.count))
        bug("a list is refused without a line, or read in part: '%s'", why);
    dnnlc_arrays_free(&list, 0);
    dnnlc_array_free(&array);
}

static void run_npy(Arena *arena, const uint8_t *data, size_t size)
{
    struct dnnlc_array array = {0}, again = {0};
    char header[DNNLC_NPY_HEADER_MAX];
    if (parse_array(dnnlc_npy_parse, data, size, &array)) {
        const size_t n = dnnlc_npy_header(&array, header);
        uint8_t *file = arena_alloc(arena, n + array.bytes);
        memcpy(file, header, n);
        memcpy(file + n, array.data, array.bytes);
        if (!parse_array(dnnlc_npy_parse, file, n + array.bytes, &again) ||
            again.bytes != array.bytes || memcmp(again.data, array.data, array.bytes) != 0)
            bug("what was written reads back as something else");
    }
    dnnlc_array_free(&array);
    dnnlc_array_free(&again);
}

/* --- files about a program that has run ------------------------------------------------------------------------------------ */

/* The program that the seeds are of: compiled by the first run, read again by the others. */
static void read_measured(Arena *arena, Diag *diag, Program *p)
{
    static char *known, hash[65];
    char *text;
    size_t size;
    if (!known) {
        if (!read_file(arena, "tests/fuzz/measured.ir", &text, &size, diag))
            bug("%s", diag->message);
        sha256_hex(text, size, hash);
        Graph *g = parse_program_text(arena, diag, "measured.ir", text, size, p);
        if (!g || !compile(g, p))
            bug("%s", diag->message);
        known = strdup(printed(g, p).data);
    }
    *p = (Program){0};
    if (!parse_program_text(arena, diag, "measured.text", known, strlen(known), p))
        bug("%s", diag->message);
    p->origin.model_hash = hash;
}

/* What the page of --report shows of such a file is JSON, whatever stands in it. */
static void show_measured(const Program *p, const Profile *profile, const LayerErrors *errors)
{
    const Machine machine = machine_of_isa("sse41");
    EmittedCode code = {0};
    Text json = text_new(p->arena);
    if (!emit(p, &code))
        bug("the program that was measured is not emitted");
    text_puts(&json, "{");
    page_data(&(ReportFacts){p, &machine, &code, profile, errors}, &json);
    text_puts(&json, "}");
    cJSON *root = cJSON_ParseWithLengthOpts(json.data, json.size + 1, NULL, true);
    if (!root)
        bug("the page would have something else than JSON");
    cJSON_Delete(root);
}

static void run_measured(Arena *arena, const uint8_t *data, size_t size, bool is_profile)
{
    Diag diag = {.arena = arena};
    Program p = {0};
    Profile profile;
    LayerErrors errors;
    read_measured(arena, &diag, &p);
    const char *path = file_of(arena, data, size);
    const bool ok = is_profile ? profile_read(&p, path, &diag, &profile)
                               : errors_read(&p, path, &diag, &errors);
    expect_reason(ok, &diag);
    if (ok)
        show_measured(&p, is_profile ? &profile : NULL, is_profile ? NULL : &errors);
}

static void run_profile(Arena *arena, const uint8_t *data, size_t size)
{
    run_measured(arena, data, size, true);
}

static void run_verification(Arena *arena, const uint8_t *data, size_t size)
{
    run_measured(arena, data, size, false);
}

/* --- the command line ------------------------------------------------------------------------------------------------------ */

enum { MAX_WORDS = 64 };

/* A line for each word. */
static int words_of(Arena *arena, const uint8_t *data, size_t size, char *words[MAX_WORDS + 1])
{
    int n = 0;
    char *rest = arena_strndup(arena, (const char *)data, size);
    words[n++] = "dnnlc";
    for (char *end; rest && n < MAX_WORDS; rest = end) {
        end = strchr(rest, '\n');
        if (end)
            *end++ = 0;
        words[n++] = rest;
    }
    words[n] = NULL;
    return n;
}

/* The compiler's; shapes and symbols are given to a model that has both. No file is opened: --bind is left out. */
static void run_options(Arena *arena, const uint8_t *data, size_t size)
{
    char *words[MAX_WORDS + 1], why[160] = "";
    Options o;
    struct dnnlc_options runtime = {0};
    Diag diag = {.arena = arena};
    const int n = words_of(arena, data, size, words);
    if (!dnnlc_options_parse(&runtime, n, words, &fake_model, why, sizeof why) && !*why)
        bug("refused without a reason");
    dnnlc_options_free(&runtime);
    if (!parse_options(arena, n, words, &o) || !o.model)
        return;
    uint8_t *bytes;
    const size_t model_size = small_model(arena, &bytes);
    const ImportOptions options = {
        .dims = o.dims, .n_dims = o.n_dims, .shapes = o.shapes, .n_shapes = o.n_shapes};
    Graph *g = import_onnx_bytes(arena, &diag, "small.onnx",
                                 (MappedFile){.data = bytes, .size = model_size}, &options);
    expect_reason(g, &diag);
}

const FuzzTarget fuzz_targets[] = {
    {"onnx", run_onnx, mutate_onnx},       {"text", run_text, mutate_text},
    {"program", run_text, mutate_text},    {"patterns", run_patterns, mutate_text},
    {"machine", run_machine, mutate_text}, {"answers", run_answers, mutate_text},
    {"profile", run_profile, mutate_text}, {"verification", run_verification, mutate_text},
    {"options", run_options, mutate_text}, {"npy", run_npy, mutate_bytes},
    {"pb", run_pb, mutate_bytes},          {0},
};

const FuzzTarget *fuzz_target(const char *name)
{
    for (const FuzzTarget *t = fuzz_targets; t->name; t++)
        if (name && !strcmp(t->name, name))
            return t;
    fprintf(stderr, "%s: no such target; there are:", name ? name : "FUZZ_TARGET is not set");
    for (const FuzzTarget *t = fuzz_targets; t->name; t++)
        fprintf(stderr, " %s", t->name);
    fputs("\n", stderr);
    return NULL;
}
