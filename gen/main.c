/* dnnlc: the command. */
#include "../passes/pattern/table.h"
#include "base/progress.h"
#include "base/utf8.h"
#include "cli/completion.h"
#include "cli/machines.h"
#include "cli/subcommands.h"
#include "cli/terminal.h"
#include "dnnl/engine.h"
#include "inspect/inspect.h"

#include <signal.h>
#include <stdio.h>

static bool list_patterns(Arena *arena, Diag *diag, const Options *o)
{
    PatternTable *table = pattern_table_new(arena);
    Text t = text_new(arena);
    if (o->patterns && !pattern_file_read(arena, diag, o->patterns, table))
        return false;
    print_patterns(table, &t);
    fputs(t.data, stdout);
    return true;
}

static bool print_operators(Arena *arena)
{
    Text t = text_new(arena);
    list_operators(arena, &t);
    fputs(t.data, stdout);
    return true;
}

static bool print_shell_completion(Arena *arena, const char *shell)
{
    Text t = text_new(arena);
    print_completion(arena, shell, &t);
    fputs(t.data, stdout);
    return true;
}

/* False: exit status 1, after a refusal. */
static bool run(Arena *arena, Diag *diag, Options *o)
{
    enum { SECONDS_OF_SILENCE = 2 };
    if (!o->quiet && terminal_has_progress())
        progress_allow(SECONDS_OF_SILENCE);
    return o->list_patterns              ? list_patterns(arena, diag, o)
           : o->list_operators           ? print_operators(arena)
           : o->completion               ? print_shell_completion(arena, o->completion)
           : o->print_machine            ? print_this_machine(arena, diag, o)
           : !split_isas(arena, diag, o) ? false
           : o->measure_machine          ? measure_this_machine(arena, diag, o)
                                         : o->subcommand->run(arena, diag, o);
}

int main(int argc, char **argv)
{
    Arena *arena = arena_new();
    Diag diag = {.arena = arena};
    Options o;
    int status = 0;
    signal(SIGXFSZ, SIG_IGN); /* a file that grows too large is an error like others */
    if (!parse_options(arena, argc, argv, &o))
        status = 2;
    else if (o.help)
        print_help(arena, o.subcommand);
    else if (o.version)
        printf("dnnlc %s, %s\n", DNNLC_VERSION,
               library_is_there ? "oneDNN " ONEDNN_VERSION_TEXT : "without oneDNN");
    else if (!run(arena, &diag, &o)) {
        progress_clear();
        if (diag.message)
            fprintf(stderr, "dnnlc: %s\n", utf8_one_line(arena, diag.message));
        status = 1;
    }
    if (status == 0 && (fflush(stdout) || ferror(stdout))) {
        fputs("dnnlc: the output could not be written\n", stderr);
        status = 1;
    }
    arena_free(arena);
    return status;
}
