/* The command line: one table of options, from which parsing, --help and what shells complete are made. */
#include "options.h"

#include "../../passes/pass.h"
#include "../base/nearest.h"
#include "../base/utf8.h"
#include "option_rows.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define OF(id) (1u << (id))
#define AT(member) offsetof(Options, member)

const OptionRow option_rows[] = {
    {"-o", "DIR", "the folder to write into (default: the model's name)", TEXT, .at = AT(dir),
     .quiet = true, .of = OF(COMPILE), .value = A_FOLDER, .subject = "Options"},
    {"--force", NULL, "write into a folder whose build.ninja dnnlc has not written as well", FLAG,
     .at = AT(force), .quiet = true, .of = OF(COMPILE)},
    {"--name", "NAME", "prefix of everything emitted (default: from the model's file name)", TEXT,
     .at = AT(name)},
    {"--target", "dnnl|c", "call oneDNN (default), or portable C only", CHOICE, .at = AT(target_c),
     .choices = "dnnl|c"},
    {"--no-float", NULL,
     "a quantised model in integers alone, for a core without FPU; inputs and outputs are bytes (with --target c)",
     FLAG, .at = AT(no_float)},
    {"--cc", "COMPILER",
     "what the emitted build file calls, gcc or clang from 8 on (default: gcc); with oneDNN aarch64-linux-gnu-gcc, for --isa sve_256 or sve_512",
     TEXT, .at = AT(cc), .value = A_COMMAND},
    {"--isa", "ISA[,ISA...]",
     "plan and pack for native (default), avx2, avx512_core, ...; the executable is linked for all of these",
     TEXT, .at = AT(isa), .value = ISAS},
    {"--full", NULL,
     "link the executable with all implementations that oneDNN has for the model's kinds and types "
     "of layers, for any CPU",
     FLAG, .at = AT(full)},
    {"--threads", "N", "the most threads a run may use (default: as many as this machine has)",
     NUMBER, .at = AT(threads), .most = 4096},
    {"--max-memory", "MIB",
     "refuse models that take more memory to compile (default: by their size)", NUMBER,
     .at = AT(max_memory), .most = 1 << 24, .quiet = true},
    {"--max-time", "SECONDS", "refuse models that take longer to compile (default: none does)",
     NUMBER, .at = AT(max_time), .most = 1 << 24, .quiet = true},
    {"--dim", "SYMBOL=N[,N...]",
     "the value of a symbolic dimension; '*=N' for every one not named; several values make a "
     "variant for each; ..N: at most N, each run says how many",
     LIST, .at = AT(dims), .count_at = AT(n_dims), .subject = "Sizes, inputs and states"},
    {"--shape", "INPUT=AxB[,CxD...]",
     "the whole shape of an input, or several; Ax..N: at most N; INPUT_K=AxBxC of tensor K of a sequence, INPUT=empty of one "
     "without any; INPUT=absent leaves an optional out",
     LIST, .at = AT(shapes), .count_at = AT(n_shapes)},
    {"--max-variants", "N", "refuse more combinations of such values than that (default: 16)",
     NUMBER, .at = AT(max_variants), .most = 256, .quiet = true},
    {"--max-trips", "N",
     "the most iterations of a Loop where their number is data: so many rows have results with a row for each",
     NUMBER, .at = AT(max_trips), .most = 1 << 24},
    {"--bind", "INPUT=FILE|N[,N...]",
     "freeze an input to what a .npy or .pb file holds, or to numbers: shape=1,3,224,224; a file called so is ./1,3,224,224",
     LIST, .at = AT(binds), .count_at = AT(n_binds), .value = FILE_BEHIND_NAME},
    {"--state", "OUTPUT=INPUT",
     "keep an input in the context: the next run reads there what OUTPUT was in this one; 'auto' "
     "finds pairs by their names",
     LIST, .at = AT(states), .count_at = AT(n_states), .word = "auto"},
    {"--weights", "embed|c|file", "weights by .incbin (default), as a C array, or as a file to map",
     CHOICE, .at = AT(weights), .choices = "embed|c|file", .subject = "Weights"},
    {"--amalgamate", NULL,
     "the library as one C file and its header, weights as a C array or by --weights file", FLAG,
     .at = AT(amalgamate)},
    {"--replace-weights", NULL,
     "write only the file of weights, for the code that -o DIR holds: of a model that was trained anew",
     FLAG, .at = AT(replace_weights), .quiet = true, .of = OF(COMPILE)},
    {"--machine", "[FILE]",
     "plan for the machine described in FILE, or measured here (native); without MODEL, print that, or what is taken "
     "for ISA",
     MAYBE_PATH, .at = AT(machine), .value = A_FILE, .subject = "Planning"},
    {"--measure-machine", NULL, "measure this machine in a few seconds, for --machine native", FLAG,
     .at = AT(measure_machine), .of = OF(COMPILE)},
    {"--no-winograd", NULL, "compute convolutions directly, never by Winograd's method", FLAG,
     .at = AT(no_winograd)},
    {"--tune", "[=SECONDS]",
     "choose layouts, algorithms and sizes of blocks by measuring here; times are kept in a cache; with a time (60s), what else "
     "there is to choose is tried in whole programs as well",
     TIMED, .at = AT(tune), .count_at = AT(tune_seconds), .most = 86400, .of = OF(COMPILE)},
    {"--record-engine", "FILE", "write down what oneDNN answers, or add it to the file", TEXT,
     .at = AT(record_engine), .quiet = true, .of = OF(COMPILE), .value = A_FILE},
    {"--engine", "FILE",
     "plan by the answers in a file of --record-engine, for its ISA and threads, without oneDNN",
     PATH, .at = AT(engine), .value = A_FILE},
    {"--depfile", "FILE",
     "write a rule for Make and Ninja: which files were read, those that the model and options refer to among them",
     TEXT, .at = AT(depfile), .quiet = true, .of = OF(COMPILE), .value = A_FILE},
    {"--precision", "f32|bf16",
     "what f32 models are computed in: f32 (default), or bf16 where the CPU has it", CHOICE,
     .at = AT(bf16), .choices = "f32|bf16"},
    {"--denormals", "flush|keep",
     "read and make subnormal numbers as 0 (default), or keep them, which can be slow", CHOICE,
     .at = AT(keep_denormals), .choices = "flush|keep"},
    {"--passes", "A,B,...", "run these passes instead of the default ones", TEXT, .at = AT(passes),
     .value = PASSES, .subject = "Passes and patterns"},
    {"--patterns", "FILE", "patterns to try before the built-in ones", PATH, .at = AT(patterns),
     .value = A_FILE},
    {"--list-patterns", NULL, "print the patterns as --patterns takes them", FLAG,
     .at = AT(list_patterns), .of = OF(COMPILE)},
    {"--list-operators", NULL, "print which of ONNX's operators are known, and what computes them",
     FLAG, .at = AT(list_operators), .of = OF(COMPILE)},
    {"--print-after", "PASS|all", "print the graph or the program as text after a pass", TEXT,
     .at = AT(print_after), .quiet = true, .of = OF(COMPILE), .value = A_PASS_OR_ALL},
    {"--stop-after", "PASS", "stop after a pass; nothing is emitted but what --emit asks for", TEXT,
     .at = AT(stop_after), .quiet = true, .of = OF(COMPILE), .value = A_PASS},
    {"--emit", "text|onnx|dot",
     "write the graph to standard output and stop; text --stop-after plan-memory: the program",
     CHOICE, .at = AT(emit), .choices = "text|onnx|dot", .quiet = true, .of = OF(COMPILE)},
    {"--explain", NULL, "say for each node where it went and why, and which reorders are left",
     FLAG, .at = AT(explain), .quiet = true, .of = OF(COMPILE), .subject = "Reports and checks"},
    {"--report", "FILE.html",
     "write a page about the result as well: layers, where the time goes, memory, weights, decisions (docs/report.md)",
     TEXT, .at = AT(report), .quiet = true, .of = OF(COMPILE), .value = A_FILE},
    {"--profile-data", "FILE.json",
     "with --report: times as the executable's --profile --json wrote them, instead of estimates",
     TEXT, .at = AT(profile), .quiet = true, .of = OF(COMPILE), .value = A_FILE},
    {"--verify-data", "FILE.json",
     "with --report: the error of each layer, as dnnlc verify --json wrote it", TEXT,
     .at = AT(verified), .quiet = true, .of = OF(COMPILE), .value = A_FILE},
    {"--verify", "[=onnxruntime]",
     "compare the graph before and after the passes on random inputs; =onnxruntime: also with what ONNX Runtime makes of the model",
     VARIED, .at = AT(verify), .count_at = AT(beside), .choices = "onnxruntime", .of = OF(COMPILE)},
    {"--selftest", NULL,
     "put a self-test into the library: outputs for random inputs, by the reference evaluator",
     FLAG, .at = AT(selftest), .of = OF(COMPILE)},
    {"--debug", NULL,
     "the executable has --dump-layers, which writes what each layer makes, and debugging "
     "information",
     FLAG, .at = AT(debug), .of = OF(COMPILE)},
    {"--json", NULL,
     "write JSON instead of a table, as docs/inspect.md and docs/verify.md describe it", FLAG,
     .at = AT(json), .quiet = true, .of = OF(INSPECT) | OF(VERIFY) | OF(BISECT)},
    {"--input", "[INPUT=]FILE",
     "what the model is given, as for the emitted executable: .npy or .pb files", WORDS,
     .at = AT(inputs), .count_at = AT(n_inputs), .quiet = true, .of = OF(VERIFY) | OF(BISECT),
     .value = A_FILE},
    {"--random", "SEED",
     "random numbers for inputs without a file (default: seed 1 if there is no file)", TEXT,
     .at = AT(random), .quiet = true, .of = OF(VERIFY) | OF(BISECT)},
    {"--program", "DIR",
     "look at what stands there, compiled with --debug and by the same options, instead of compiling anew",
     TEXT, .at = AT(program), .quiet = true, .of = OF(VERIFY), .value = A_FOLDER},
    {"--onnxruntime", "PROGRAM",
     "compare with what ONNX Runtime computes as well: called as PROGRAM MODEL IN OUT (docs/verify.md)",
     TEXT, .at = AT(onnxruntime), .quiet = true, .of = OF(COMPILE) | OF(VERIFY), .value = A_FILE},
    {"-q", NULL, "say nothing but errors and what is asked for: no notes, no summary, no progress",
     FLAG, .at = AT(quiet), .quiet = true, .subject = "Others"},
    {"--completion", "bash|zsh|fish",
     "print what a shell has to know to complete the words of a line of dnnlc", CHOICE,
     .at = AT(completion), .choices = "bash|zsh|fish", .of = OF(COMPILE)},
    {"--help", NULL, "this text", FLAG, .at = AT(help)},
    {"--version", NULL, "the version of dnnlc and of the oneDNN it plans for", FLAG,
     .at = AT(version)},
};
const size_t n_option_rows = COUNT_OF(option_rows);

const char *option_subject(size_t row)
{
    while (row && !option_rows[row].subject)
        row--;
    return option_rows[row].subject;
}

bool takes_option(const Subcommand *subcommand, const OptionRow *row)
{
    return !row->of || row->of & OF(subcommand - subcommands);
}

static bool usage_error(const Options *o, const char *fmt, ...) PRINTF_LIKE(2, 3);
static bool usage_error(const Options *o, const char *fmt, ...)
{
    Arena *arena = arena_new();
    va_list args;
    va_start(args, fmt);
    const char *message = arena_vprintf(arena, fmt, args);
    va_end(args);
    fprintf(stderr, "dnnlc: %s; see %s --help\n", utf8_one_line(arena, message),
            subcommand_title(arena, o->subcommand));
    arena_free(arena);
    return false;
}

/* "--isa=avx2" is one word too few. */
static bool unknown_option(Arena *arena, const Options *o, const char *word)
{
    const size_t n = strcspn(word, "=");
    Nearest nearest = nearest_to(arena, arena_strndup(arena, word, n));
    for (size_t i = 0; i < n_option_rows; i++)
        if (takes_option(o->subcommand, &option_rows[i]))
            nearest_try(&nearest, option_rows[i].name, strlen(option_rows[i].name));
    if (nearest.best && !nearest.distance && word[n])
        return usage_error(o, "unknown option %s: a value is a word of its own, %s %s", word,
                           nearest.best, word + n + 1);
    return usage_error(o, "unknown option %s%s", word, did_you_mean(&nearest));
}

static bool bad_choice(Arena *arena, const Options *o, const OptionRow *row, const char *value)
{
    Nearest nearest = nearest_to(arena, value);
    nearest_try_list(&nearest, row->choices, '|');
    return usage_error(o, "%s%s%s: must be one of %s%s", row->name, has_equals(row) ? "=" : " ",
                       value, row->choices, did_you_mean(&nearest));
}

/* The first word of the line, where it is no subcommand. */
static const char *meant_subcommand(Arena *arena, const char *word)
{
    Nearest nearest = nearest_to(arena, word);
    for (const Subcommand *s = subcommands; s < subcommands + N_SUBCOMMANDS; s++)
        if (*s->name && find_subcommand(word) == NULL)
            nearest_try(&nearest, s->name, strlen(s->name));
    return did_you_mean(&nearest);
}

static const OptionRow *find_row(const char *name)
{
    for (size_t i = 0; i < n_option_rows; i++) {
        const size_t n = has_equals(&option_rows[i]) ? strcspn(name, "=") : strlen(name);
        if (strlen(option_rows[i].name) == n && !strncmp(option_rows[i].name, name, n))
            return &option_rows[i];
    }
    return NULL;
}

/* The index of `value` among "a|b|c", -1 if it is none of them. */
static int choice_index(const char *choices, const char *value)
{
    size_t n = strlen(value);
    int index = 0;
    for (const char *c = choices;; index++) {
        size_t len = strcspn(c, "|");
        if (len == n && !strncmp(c, value, n))
            return index;
        if (!c[len])
            return -1;
        c += len + 1;
    }
}

static void store_word(Arena *arena, Options *o, const OptionRow *row, const char *value)
{
    const char ***list = (const char ***)(void *)((char *)o + row->at);
    size_t *count = (size_t *)(void *)((char *)o + row->count_at);
    const char **grown = ARENA_ARRAY(arena, const char *, *count + 1);
    for (size_t i = 0; i < *count; i++)
        grown[i] = (*list)[i];
    grown[(*count)++] = value;
    *list = grown;
}

/* Adds "KEY=VALUE" to a list; a key has one value. */
static bool store_pair(Arena *arena, Options *o, const OptionRow *row, const char *value)
{
    const char **list = *(const char ***)(void *)((char *)o + row->at);
    const size_t n = *(size_t *)(void *)((char *)o + row->count_at);
    const bool is_word = row->word && !strcmp(value, row->word);
    const char *equals = is_word ? value + strlen(value) : strchr(value, '=');
    if (!is_word && (!equals || equals == value || !equals[1]))
        return usage_error(o, "%s %s: %s is wanted", row->name, value, row->argument);
    const size_t key = (size_t)(equals - value);
    for (size_t i = 0; i < n; i++) {
        if (!strcmp(list[i], value))
            return true; /* options of a file and of a script say the same */
        if (!strncmp(list[i], value, key + 1))
            return usage_error(o, "%s %.*s is given twice, with different values", row->name,
                               (int)key, value);
    }
    store_word(arena, o, row, value);
    return true;
}

/* "--tune", or "--tune=60s". */
static bool store_seconds(Options *o, const OptionRow *row, const char *word)
{
    const char *text = word + strlen(row->name);
    char *end;
    *(bool *)((char *)o + row->at) = true;
    if (!*text)
        return true;
    errno = 0;
    const long n = strtol(text + 1, &end, 10);
    if (errno || end == text + 1 || (*end && strcmp(end, "s")) || n < 1 || n > row->most)
        return usage_error(o, "%s: seconds from 1 to %ld are wanted, as in %s=60s", word, row->most,
                           row->name);
    *(int *)(void *)((char *)o + row->count_at) = (int)n;
    return true;
}

/* "--verify", or "--verify=onnxruntime". */
static bool store_varied(Arena *arena, Options *o, const OptionRow *row, const char *word)
{
    const char *text = word + strlen(row->name);
    *(bool *)((char *)o + row->at) = true;
    if (!*text)
        return true;
    *(bool *)((char *)o + row->count_at) = true;
    return choice_index(row->choices, text + 1) >= 0 || bad_choice(arena, o, row, text + 1);
}

static bool store(Arena *arena, Options *o, const OptionRow *row, char *value)
{
    char *place = (char *)o + row->at, *end;
    switch (row->kind) {
    case FLAG:
        *(bool *)place = true;
        return true;
    case TIMED:
        return store_seconds(o, row, value);
    case VARIED:
        return store_varied(arena, o, row, value);
    case MAYBE_PATH:
        o->print_machine = true;
        *(const char **)place = value;
        return true;
    case TEXT:
    case PATH:
        if (!*value && row->at != AT(passes)) /* no pass at all is a choice */
            return usage_error(o, "%s needs %s", row->name, row->argument);
        *(const char **)place = value;
        return true;
    case NUMBER: {
        errno = 0;
        long n = strtol(value, &end, 10);
        if (errno || end == value || *end || n < 1 || n > row->most)
            return usage_error(o, "%s %s: a number from 1 to %ld is wanted", row->name, value,
                               row->most);
        *(int *)place = (int)n;
        return true;
    }
    case CHOICE: {
        int index = choice_index(row->choices, value);
        if (index < 0)
            return bad_choice(arena, o, row, value);
        if (row->at == AT(weights))
            o->weights = (WeightsForm)index;
        else if (row->at == AT(emit) || row->at == AT(completion))
            *(const char **)place = value;
        else
            *(bool *)place = index == 1;
        return true;
    }
    case LIST:
        return store_pair(arena, o, row, value);
    case WORDS:
        store_word(arena, o, row, value);
        return true;
    }
    bug("option kind %d", (int)row->kind);
}

const char *base_name(const char *path)
{
    const char *slash = strrchr(path, '/');
    return slash && slash[1] ? slash + 1 : path;
}

/* What shaped the result, for the banner: no folder, and nothing that only says what to write where. */
static void note_command(Text *line, const OptionRow *row, const char *value)
{
    if (row && row->quiet)
        return;
    text_printf(line, " %s", !row ? "" : has_equals(row) ? value : row->name);
    if (!value || (row && has_equals(row)))
        return;
    const char *equals = row && row->at == AT(binds) ? strchr(value, '=') : NULL;
    const bool is_file = !row || equals || row->kind == PATH || row->kind == MAYBE_PATH;
    const char *file = equals ? equals + 1 : value;
    text_puts(line, row ? " " : "");
    text_append(line, value, (size_t)(file - value));
    text_puts(line, is_file ? base_name(file) : file);
}

/* What every emitted folder holds besides the model is called so: dnnlc_main.c, dnnlc_tensor_read(), ... */
static bool is_runtime_name(const char *name)
{
    return !strcmp(name, "dnnlc") || !strncmp(name, "dnnlc_", strlen("dnnlc_"));
}

static const char *default_name(Arena *arena, const char *model)
{
    char *name = arena_strdup(arena, base_name(model));
    char *dot = strrchr(name, '.');
    if (dot && dot != name)
        *dot = 0;
    const char *identifier = c_identifier(arena, name);
    return is_runtime_name(identifier) ? arena_printf(arena, "n_%s", identifier) : identifier;
}

static bool check_name(const Options *o, Arena *arena)
{
    if (strcmp(o->name, c_identifier(arena, o->name)) != 0)
        return usage_error(o, "--name %s: a C identifier is wanted", o->name);
    if (is_runtime_name(o->name))
        return usage_error(o, "--name %s: the files beside the model's are called so", o->name);
    return true;
}

bool parse_options(Arena *arena, int argc, char **argv, Options *o)
{
    Text line = text_new(arena), more = text_new(arena);
    text_puts(&line, "dnnlc");
    const Subcommand *named = argc > 1 ? find_subcommand(argv[1]) : NULL;
    *o = (Options){.subcommand = named ? named : &subcommands[COMPILE]};
    for (int i = named ? 2 : 1; i < argc; i++) {
        const OptionRow *row = argv[i][0] == '-' && argv[i][1] ? find_row(argv[i]) : NULL;
        if (!row && argv[i][0] == '-' && argv[i][1])
            return unknown_option(arena, o, argv[i]);
        if (row && !takes_option(o->subcommand, row))
            return usage_error(o, "%s: %s takes no such option", row->name,
                               subcommand_title(arena, o->subcommand));
        if (!row && o->model)
            return usage_error(o, "one model at a time: %s and %s%s", o->model, argv[i],
                               meant_subcommand(arena, argv[1]));
        if (!row)
            o->model = argv[i];
        if (!row && !*argv[i])
            return usage_error(o, "no model given");
        const bool bare =
            row && (row->kind == FLAG || has_equals(row) ||
                    (row->kind == MAYBE_PATH && (i + 1 == argc || argv[i + 1][0] == '-')));
        if (row && !bare && i + 1 == argc)
            return usage_error(o, "%s needs %s", row->name, row->argument);
        char *value = !row || has_equals(row) ? argv[i] : bare ? NULL : argv[++i];
        if (row && !store(arena, o, row, value))
            return false;
        note_command(&line, row, value);
        if (row)
            note_command(&more, row, value);
    }
    o->command = line.data;
    o->more = more.data;
    o->named = o->name != NULL;
    o->has_dir = o->dir != NULL;
    if (o->print_machine && !o->machine && o->model)
        return usage_error(o, "--machine needs FILE where there is a model");
    o->print_machine = o->print_machine && !o->model && !*o->subcommand->name;
    if (o->measure_machine && o->model)
        return usage_error(o, "--measure-machine takes no model");
    if (o->help || o->version || o->completion || o->list_patterns || o->list_operators ||
        o->print_machine || o->measure_machine)
        return true;
    if (!o->model)
        return usage_error(o, "no model given");
    if (o->emit && !strcmp(o->emit, "onnx") && (o->print_after || o->explain || o->verify))
        return usage_error(o, "--emit onnx: %s writes to standard output as well",
                           o->print_after ? "--print-after"
                           : o->explain   ? "--explain"
                                          : "--verify");
    if (o->amalgamate && strstr(o->more, " --weights embed"))
        return usage_error(
            o, "--amalgamate: --weights embed wants a file for the assembler; c or file");
    if (o->amalgamate && o->debug)
        return usage_error(o, "--debug: it is for the executable, and --amalgamate makes none");
    if (o->replace_weights && o->weights != WEIGHTS_FILE)
        return usage_error(
            o, "--replace-weights: only --weights file has weights outside of the code");
    if (o->report && (o->emit || o->stop_after || o->replace_weights))
        return usage_error(o, "--report: %s writes no program that a page could show",
                           o->emit         ? "--emit"
                           : o->stop_after ? "--stop-after"
                                           : "--replace-weights");
    if (o->profile && !o->report)
        return usage_error(o, "--profile-data: only the page of --report shows it");
    if (o->verified && !o->report)
        return usage_error(o, "--verify-data: only the page of --report shows it");
    if (o->onnxruntime && !*o->subcommand->name && !o->beside)
        return usage_error(o, "--onnxruntime: only --verify=onnxruntime asks it");
    if (!o->name)
        o->name = default_name(arena, o->model);
    if (!o->dir)
        o->dir = o->name;
    return check_name(o, arena);
}
