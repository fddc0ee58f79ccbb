/* --help: made of the tables of options, subcommands and passes. */
#include "../../passes/pass.h"
#include "../base/line.h"
#include "option_rows.h"
#include "terminal.h"

#include <stdio.h>
#include <string.h>
#include <unistd.h>

enum { COLUMN = 27 /* where the help of a word begins */ };

/* A word and its help: on a terminal in two columns as wide as it is, otherwise a line, for who searches in it. */
static void print_row(Arena *arena, const char *word, const char *help)
{
    Text t = text_new(arena);
    if (!isatty(STDOUT_FILENO)) {
        printf("  %-*s %s\n", COLUMN - 3, word, help);
        return;
    }
    line_words(&t, terminal_width(), COLUMN, help);
    if (strlen(word) > COLUMN - 3)
        printf("  %s\n%s", word, t.data);
    else
        printf("  %-*s %s", COLUMN - 3, word, t.data + COLUMN);
}

static void print_options(Arena *arena, const Subcommand *subcommand)
{
    const char *subject = NULL; /* of the row before, as far as it is printed */
    for (size_t i = 0; i < n_option_rows; i++) {
        const OptionRow *row = &option_rows[i];
        if (!takes_option(subcommand, row))
            continue;
        if (!subject || strcmp(subject, option_subject(i)) != 0)
            printf("\n%s:\n", option_subject(i));
        subject = option_subject(i);
        print_row(arena,
                  arena_printf(arena, has_equals(row) ? "%s%s" : "%s %s", row->name,
                               row->argument ? row->argument : ""),
                  row->help);
    }
}

static void print_subcommands(Arena *arena)
{
    puts("\nSubcommands (dnnlc SUBCOMMAND --help says more; a model of that name is ./NAME):");
    for (const Subcommand *s = subcommands; s < subcommands + N_SUBCOMMANDS; s++)
        if (*s->name)
            print_row(arena, arena_printf(arena, "%s %s", s->name, s->argument), s->help);
}

void print_help(Arena *arena, const Subcommand *subcommand)
{
    printf("%s %s [options]\n%s\n", subcommand_title(arena, subcommand), subcommand->argument,
           subcommand->about);
    if (!*subcommand->name)
        print_subcommands(arena);
    print_options(arena, subcommand);
    if (!*subcommand->name)
        puts("\nPasses, in their default order (* by default):");
    for (const PassInfo *p = pass_table; !*subcommand->name && p->name; p++)
        print_row(arena, arena_printf(arena, "%-22s %c", p->name, p->when != WITH_BF16 ? '*' : ' '),
                  p->help);
    puts("\nExit status: 0 done, 1 the model or the request is refused, 2 bad usage.");
}
