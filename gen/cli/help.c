/* --help: made of the tables of options, subcommands and passes. */
#include "../../passes/pass.h"
#include "option_rows.h"

#include <stdio.h>

static void print_options(Arena *arena, const Subcommand *subcommand)
{
    puts("\nOptions:");
    for (size_t i = 0; i < n_option_rows; i++) {
        const char *head =
            arena_printf(arena, has_equals(&option_rows[i]) ? "%s%s" : "%s %s", option_rows[i].name,
                         option_rows[i].argument ? option_rows[i].argument : "");
        if (takes_option(subcommand, &option_rows[i]))
            printf("  %-24s %s\n", head, option_rows[i].help);
    }
}

static void print_subcommands(Arena *arena)
{
    puts("\nSubcommands (dnnlc SUBCOMMAND --help says more; a model file of such a name is "
         "./NAME):");
    for (const Subcommand *s = subcommands; s < subcommands + N_SUBCOMMANDS; s++)
        if (*s->name)
            printf("  %-24s %s\n", arena_printf(arena, "%s %s", s->name, s->argument), s->help);
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
        printf("  %-20s %c %s\n", p->name, p->when != WITH_BF16 ? '*' : ' ', p->help);
    puts("\nExit status: 0 done, 1 the model or the request is refused, 2 bad usage.");
}
