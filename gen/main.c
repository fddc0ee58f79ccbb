/* dnnlc: the command. */
#include "../passes/pattern/table.h"
#include "base/utf8.h"
#include "cli/machines.h"
#include "cli/subcommands.h"
#include "dnnl/engine.h"

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
    else if (!(o.list_patterns                 ? list_patterns(arena, &diag, &o)
               : o.print_machine               ? print_this_machine(arena, &diag, &o)
               : !split_isas(arena, &diag, &o) ? false
               : o.measure_machine             ? measure_this_machine(arena, &diag, &o)
                                               : o.subcommand->run(arena, &diag, &o))) {
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
