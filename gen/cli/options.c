/* The command line: one table of options, from which parsing and --help are made. */
#include "options.h"

#include "../base/utf8.h"

#include "../../passes/pass.h"

#include <ctype.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef enum OptionKind { FLAG, TEXT, MAYBE_TEXT, LIST, NUMBER, CHOICE } OptionKind;

typedef struct OptionRow {
    const char *name, *argument, *help;
    OptionKind kind;
    size_t at;           /* offset in Options */
    size_t count_at;     /* LIST: offset of the count; NUMBER: the largest */
    const char *choices; /* CHOICE: "a|b|c"; its index is stored */
} OptionRow;

#define AT(member) offsetof(Options, member)

static const OptionRow rows[] = {
    {"-o", "DIR", "the folder to write into (default: the model's name)", TEXT, AT(dir), 0, NULL},
    {"--force", NULL, "write into a folder whose build.ninja dnnlc has not written as well", FLAG,
     AT(force), 0, NULL},
    {"--name", "NAME", "prefix of everything emitted (default: from the model's file name)", TEXT,
     AT(name), 0, NULL},
    {"--target", "dnnl|c", "call oneDNN (default), or portable C only", CHOICE, AT(target_c), 0,
     "dnnl|c"},
    {"--isa", "ISA", "plan and pack for native (default), avx2, avx512_core, ...", TEXT, AT(isa), 0,
     NULL},
    {"--threads", "N", "the most threads a run may use (default: as many as this machine has)",
     NUMBER, AT(threads), 4096, NULL},
    {"--max-memory", "MIB",
     "refuse models that take more memory to compile (default: by their size)", NUMBER,
     AT(max_memory), 1 << 24, NULL},
    {"--max-time", "SECONDS", "refuse models that take longer to compile (default: none does)",
     NUMBER, AT(max_time), 1 << 24, NULL},
    {"--dim", "SYMBOL=N", "the value of a symbolic dimension; '*=N' for every one not named", LIST,
     AT(dims), AT(n_dims), NULL},
    {"--shape", "INPUT=AxBxC", "the whole shape of an input", LIST, AT(shapes), AT(n_shapes), NULL},
    {"--bind", "INPUT=FILE", "freeze an input to the tensor in a .npy or .pb file", LIST, AT(binds),
     AT(n_binds), NULL},
    {"--weights", "embed|c|file", "weights by .incbin (default), as a C array, or as a file to map",
     CHOICE, AT(weights), 0, "embed|c|file"},
    {"--machine", "[FILE]",
     "plan for the machine described in FILE; without MODEL, print that, or what is taken for ISA",
     MAYBE_TEXT, AT(machine), 0, NULL},
    {"--no-winograd", NULL, "compute 3x3 convolutions directly, never by Winograd's method", FLAG,
     AT(no_winograd), 0, NULL},
    {"--tune", NULL,
     "choose layouts, algorithms and sizes of blocks by measuring here; times are kept in a cache",
     FLAG, AT(tune), 0, NULL},
    {"--record-engine", "FILE", "write down what oneDNN answers, or add it to the file", TEXT,
     AT(record_engine), 0, NULL},
    {"--engine", "FILE",
     "plan by the answers in a file of --record-engine, for its ISA and threads, without oneDNN",
     TEXT, AT(engine), 0, NULL},
    {"--precision", "f32|bf16",
     "what f32 models are computed in: f32 (default), or bf16 where the CPU has it", CHOICE,
     AT(bf16), 0, "f32|bf16"},
    {"--passes", "A,B,...", "run these passes instead of the default ones", TEXT, AT(passes), 0,
     NULL},
    {"--patterns", "FILE", "patterns to try before the built-in ones", TEXT, AT(patterns), 0, NULL},
    {"--list-patterns", NULL, "print the patterns as --patterns takes them", FLAG,
     AT(list_patterns), 0, NULL},
    {"--print-after", "PASS|all", "print the graph or the program as text after a pass", TEXT,
     AT(print_after), 0, NULL},
    {"--stop-after", "PASS", "stop after a pass; nothing is emitted but what --emit asks for", TEXT,
     AT(stop_after), 0, NULL},
    {"--emit", "text|onnx|dot",
     "write the graph to standard output and stop; text --stop-after plan-memory: the program",
     TEXT, AT(emit), 0, NULL},
    {"--explain", NULL, "say for each node where it went and why, and which reorders are left",
     FLAG, AT(explain), 0, NULL},
    {"--verify", NULL, "compare the graph before and after the passes on random inputs", FLAG,
     AT(verify), 0, NULL},
    {"--help", NULL, "this text", FLAG, AT(help), 0, NULL},
    {"--version", NULL, "the version of dnnlc and of the oneDNN it plans for", FLAG, AT(version), 0,
     NULL},
};

static bool usage_error(const char *fmt, ...) PRINTF_LIKE(1, 2);
static bool usage_error(const char *fmt, ...)
{
    Arena *arena = arena_new();
    va_list args;
    va_start(args, fmt);
    const char *message = arena_vprintf(arena, fmt, args);
    va_end(args);
    fprintf(stderr, "dnnlc: %s; see dnnlc --help\n", utf8_one_line(arena, message));
    arena_free(arena);
    return false;
}

static const OptionRow *find_row(const char *name)
{
    for (size_t i = 0; i < COUNT_OF(rows); i++)
        if (!strcmp(rows[i].name, name))
            return &rows[i];
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

/* Adds "KEY=VALUE" to a list; a key has one value. */
static bool store_pair(Arena *arena, Options *o, const OptionRow *row, const char *value)
{
    const char ***list = (const char ***)(void *)((char *)o + row->at);
    size_t *count = (size_t *)(void *)((char *)o + row->count_at);
    const char *equals = strchr(value, '=');
    if (!equals || equals == value || !equals[1])
        return usage_error("%s %s: %s is wanted", row->name, value, row->argument);
    const size_t key = (size_t)(equals - value);
    const char **grown = ARENA_ARRAY(arena, const char *, *count + 1);
    for (size_t i = 0; i < *count; i++) {
        grown[i] = (*list)[i];
        if (!strcmp(grown[i], value))
            return true; /* options of a file and of a script say the same */
        if (!strncmp(grown[i], value, key + 1))
            return usage_error("%s %.*s is given twice, with different values", row->name, (int)key,
                               value);
    }
    grown[(*count)++] = value;
    *list = grown;
    return true;
}

static bool store(Arena *arena, Options *o, const OptionRow *row, char *value)
{
    char *place = (char *)o + row->at, *end;
    switch (row->kind) {
    case FLAG:
        *(bool *)place = true;
        return true;
    case MAYBE_TEXT:
        o->print_machine = true;
        *(const char **)place = value;
        return true;
    case TEXT:
        if (!*value && row->at != AT(passes)) /* no pass at all is a choice */
            return usage_error("%s needs %s", row->name, row->argument);
        *(const char **)place = value;
        return true;
    case NUMBER: {
        errno = 0;
        long n = strtol(value, &end, 10);
        if (errno || end == value || *end || n < 1 || n > (long)row->count_at)
            return usage_error("%s %s: a number from 1 to %zu is wanted", row->name, value,
                               row->count_at);
        *(int *)place = (int)n;
        return true;
    }
    case CHOICE: {
        int index = choice_index(row->choices, value);
        if (index < 0)
            return usage_error("%s %s: must be one of %s", row->name, value, row->choices);
        if (row->at == AT(target_c) || row->at == AT(bf16))
            *(bool *)place = index == 1;
        else
            o->weights = (WeightsForm)index;
        return true;
    }
    case LIST:
        return store_pair(arena, o, row, value);
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
    if (row && (!strcmp(row->name, "-o") || !strcmp(row->name, "--force") ||
                !strcmp(row->name, "--max-memory") || !strcmp(row->name, "--max-time") ||
                !strcmp(row->name, "--explain") || !strcmp(row->name, "--print-after") ||
                !strcmp(row->name, "--stop-after") || !strcmp(row->name, "--emit") ||
                !strcmp(row->name, "--record-engine")))
        return;
    text_puts(line, " ");
    if (row)
        text_puts(line, row->name);
    if (value) {
        const char *equals = row && row->at == AT(binds) ? strchr(value, '=') : NULL;
        bool is_file =
            row && (row->at == AT(patterns) || row->at == AT(engine) || row->at == AT(machine));
        text_puts(line, row ? " " : "");
        if (equals) {
            text_append(line, value, (size_t)(equals - value) + 1);
            value = equals + 1;
        }
        text_puts(line, row && !equals && !is_file ? value : base_name(value));
    }
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
        return usage_error("--name %s: a C identifier is wanted", o->name);
    if (is_runtime_name(o->name))
        return usage_error("--name %s: the files beside the model's are called so", o->name);
    return true;
}

bool parse_options(Arena *arena, int argc, char **argv, Options *o)
{
    Text line = text_new(arena), more = text_new(arena);
    text_puts(&line, "dnnlc");
    *o = (Options){0};
    for (int i = 1; i < argc; i++) {
        const OptionRow *row = argv[i][0] == '-' && argv[i][1] ? find_row(argv[i]) : NULL;
        if (!row && argv[i][0] == '-' && argv[i][1])
            return usage_error("unknown option %s", argv[i]);
        if (!row && o->model)
            return usage_error("one model at a time: %s and %s", o->model, argv[i]);
        if (!row)
            o->model = argv[i];
        if (!row && !*argv[i])
            return usage_error("no model given");
        const bool bare = row && (row->kind == FLAG || (row->kind == MAYBE_TEXT &&
                                                        (i + 1 == argc || argv[i + 1][0] == '-')));
        if (row && !bare && i + 1 == argc)
            return usage_error("%s needs %s", row->name, row->argument);
        char *value = !row ? argv[i] : bare ? NULL : argv[++i];
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
        return usage_error("--machine needs FILE where there is a model");
    o->print_machine = o->print_machine && !o->model;
    if (o->help || o->version || o->list_patterns || o->print_machine)
        return true;
    if (!o->model)
        return usage_error("no model given");
    if (o->emit && strcmp(o->emit, "text") && strcmp(o->emit, "onnx") && strcmp(o->emit, "dot"))
        return usage_error("--emit %s: must be text, onnx or dot", o->emit);
    if (o->emit && !strcmp(o->emit, "onnx") && (o->print_after || o->explain || o->verify))
        return usage_error("--emit onnx: %s writes to standard output as well",
                           o->print_after ? "--print-after"
                           : o->explain   ? "--explain"
                                          : "--verify");
    if (!o->name)
        o->name = default_name(arena, o->model);
    if (!o->dir)
        o->dir = o->name;
    return check_name(o, arena);
}

void print_help(Arena *arena)
{
    puts("dnnlc MODEL [options]\n"
         "Compiles an ONNX model (or text IR) to C that calls oneDNN, with a build.ninja that "
         "makes a static\n"
         "library and a static executable of it:  dnnlc model.onnx -o out && ninja -C "
         "out\n\nOptions:");
    for (size_t i = 0; i < COUNT_OF(rows); i++) {
        const char *head =
            arena_printf(arena, "%s %s", rows[i].name, rows[i].argument ? rows[i].argument : "");
        printf("  %-24s %s\n", head, rows[i].help);
    }
    puts("\nPasses, in their default order (* by default):");
    for (const PassInfo *p = pass_table; p->name; p++)
        printf("  %-20s %c %s\n", p->name, p->when != WITH_BF16 ? '*' : ' ', p->help);
    puts("\nExit status: 0 done, 1 the model or the request is refused, 2 bad usage.");
}
