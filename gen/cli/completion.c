/* Completion for shells: scripts from templates/completion/, filled from the tables of options, subcommands, passes and instruction sets. */
#include "completion.h"

#include "../../passes/pass.h"
#include "../base/quote.h"
#include "../base/template.h"
#include "option_rows.h"

#include <string.h>

static void add_word(Text *words, const char *word, size_t n)
{
    text_puts(words, words->size ? " " : "");
    text_append(words, word, n);
}

static void add_isas(Text *words)
{
    static const char *const isas[] = {
        "native",
#define ISA(name, int8, bf16, tiles) #name,
#define AARCH64_ISA(name, registers) #name,
#include "../dnnl/isas.def"
    };
    for (size_t i = 0; i < COUNT_OF(isas); i++)
        add_word(words, isas[i], strlen(isas[i]));
}

/* The words that an option's value is made of; "" where they are not known. */
static const char *words_of(Arena *arena, const OptionRow *row)
{
    Text words = text_new(arena);
    if (row->value == ISAS)
        add_isas(&words);
    if (row->value == A_PASS_OR_ALL)
        text_puts(&words, "all");
    if (row->value == A_PASS || row->value == A_PASS_OR_ALL || row->value == PASSES)
        for (const PassInfo *p = pass_table; p->name; p++)
            add_word(&words, p->name, strlen(p->name));
    for (const char *c = row->choices; c && *c;) {
        const size_t n = strcspn(c, "|");
        add_word(&words, c, n);
        c += n + (c[n] == '|');
    }
    if (row->word)
        add_word(&words, row->word, strlen(row->word));
    return words.data;
}

static const char *quoted(Arena *arena, const char *text, const char *special)
{
    Text t = text_new(arena);
    shell_text(&t, text, special);
    return t.data;
}

static void bind_option(Bindings *b, Arena *arena, const OptionRow *row, const char *special)
{
    const char *words = words_of(arena, row);
    const bool is_letter = strlen(row->name) == strlen("-o");
    const bool has_value = row->kind != FLAG && !has_equals(row);
    bind(b, "name", "%s", row->name);
    bind(b, "dash", is_letter ? "-s" : "-l");
    bind(b, "word", "%s", row->name + strlen(is_letter ? "-" : "--"));
    bind(b, "help", "%s", quoted(arena, row->help, special));
    bind(b, "argument", "%s", row->argument ? quoted(arena, row->argument, special) : "");
    bind(b, "words", "%s", words);
    bind(b, "repeats", "%s", row->kind == LIST ? "*" : "");
    bind(b, "is_flag", "%d", row->kind == FLAG);
    bind(b, "is_timed", "%d", row->kind == TIMED);
    bind(b, "is_varied", "%d", row->kind == VARIED);
    bind(b, "is_file", "%d", row->value == A_FILE);
    bind(b, "may_be_bare", "%s", row->kind == MAYBE_PATH ? ":" : "");
    bind(b, "is_folder", "%d", row->value == A_FOLDER);
    bind(b, "is_command", "%d", row->value == A_COMMAND);
    bind(b, "is_pair", "%d", row->value == FILE_BEHIND_NAME);
    bind(b, "is_list", "%d", row->value == ISAS || row->value == PASSES);
    bind(b, "is_word", "%d", has_value && *words && row->value != ISAS && row->value != PASSES);
    bind(b, "is_open", "%d", has_value && row->value == ANYTHING && !*words);
}

static void bind_options(Bindings *b, Arena *arena, const Subcommand *subcommand,
                         const char *special)
{
    Text names = text_new(arena);
    for (size_t i = 0; i < n_option_rows; i++)
        if (!subcommand || takes_option(subcommand, &option_rows[i])) {
            bind_option(bind_row(b, "options"), arena, &option_rows[i], special);
            add_word(&names, option_rows[i].name, strlen(option_rows[i].name));
        }
    bind(b, "names", "%s", names.data);
}

void print_completion(Arena *arena, const char *shell, Text *out)
{
    static const struct {
        const char *shell, *template, *special;
    } scripts[] = {
        {"bash", "templates/completion/dnnlc.bash", ""},
        {"zsh", "templates/completion/dnnlc.zsh", "\\[]:"},
        {"fish", "templates/completion/dnnlc.fish", "\\"},
    };
    size_t k = 0;
    while (strcmp(scripts[k].shell, shell) != 0)
        k++;
    Bindings *b = bindings_new(arena, NULL);
    Text subcommand_names = text_new(arena);
    bind(b, "version", "%s", DNNLC_VERSION);
    bind_options(b, arena, NULL, scripts[k].special);
    for (const Subcommand *s = subcommands; s < subcommands + N_SUBCOMMANDS; s++) {
        Bindings *row = bind_row(b, "commands");
        bind(row, "command", "%s", s->name);
        bind(row, "command_help", "%s", quoted(arena, s->help, scripts[k].special));
        text_printf(&subcommand_names, "%s%s", *s->name ? " " : "", s->name);
        bind_options(row, arena, s, scripts[k].special);
    }
    bind(b, "subcommands", "%s", subcommand_names.data);
    render_at_signs(out, arena, scripts[k].template, b);
}
