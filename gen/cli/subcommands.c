/* The table of subcommands. */
#include "subcommands.h"

#include "bisect.h"
#include "compile.h"
#include "inspect.h"
#include "verify.h"

#include <string.h>

const Subcommand subcommands[] = {
    [COMPILE] = {"", "MODEL", "compile the model to C",
                 "Compiles an ONNX model (or text IR) to C that calls oneDNN, with a build.ninja\n"
                 "that makes a static library and a static executable of it:\n"
                 "  dnnlc model.onnx -o out && ninja -C out",
                 compile_command},
    [INSPECT] = {"inspect", "MODEL", "say what is in the model and what would become of it",
                 "Says what a model takes and gives, which dimensions are to be set, where its\n"
                 "operators would be computed, all that would be refused, and how much memory and\n"
                 "time it would take. It writes no file, and ends with 0 where the model would be\n"
                 "compiled.",
                 inspect_command},
    [VERIFY] = {"verify", "MODEL", "say which layer of the built program is wrong, if one is",
                "Compiles and builds the model, runs it, and compares what each layer makes with\n"
                "what the reference evaluator makes of the same operands. The first layer beyond\n"
                "its bound is described; it ends with 0 where none is and the outputs agree with\n"
                "the model as it was read, with 1 otherwise.",
                verify_command},
    [BISECT] = {"bisect", "MODEL", "say which pass is wrong, if one is",
                "Runs the passes, and the reference evaluator behind each of them. The first pass\n"
                "that changes an output beyond a bound, crashes or refuses is named; it ends with\n"
                "0 where none does, with 1 otherwise.",
                bisect_command},
};

_Static_assert(COUNT_OF(subcommands) == N_SUBCOMMANDS, "a row for each");

const char *subcommand_title(Arena *arena, const Subcommand *subcommand)
{
    return *subcommand->name ? arena_printf(arena, "dnnlc %s", subcommand->name) : "dnnlc";
}

const Subcommand *find_subcommand(const char *name)
{
    for (size_t i = 0; i < N_SUBCOMMANDS; i++)
        if (*subcommands[i].name && !strcmp(subcommands[i].name, name))
            return &subcommands[i];
    return NULL;
}
