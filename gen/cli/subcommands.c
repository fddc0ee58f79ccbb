/* The table of subcommands. */
#include "subcommands.h"

#include "compile.h"
#include "inspect.h"

#include <string.h>

const Subcommand subcommands[] = {
    [COMPILE] = {"", "MODEL", "compile the model to C",
                 "Compiles an ONNX model (or text IR) to C that calls oneDNN, with a build.ninja "
                 "that makes a static\n"
                 "library and a static executable of it:  dnnlc model.onnx -o out && ninja -C out",
                 compile_command},
    [INSPECT] = {"inspect", "MODEL", "say what is in the model and what would become of it",
                 "Says what a model takes and gives. It writes no file.", inspect_command},
};

_Static_assert(COUNT_OF(subcommands) == N_SUBCOMMANDS, "a row for each");

const Subcommand *find_subcommand(const char *name)
{
    for (size_t i = 0; i < N_SUBCOMMANDS; i++)
        if (*subcommands[i].name && !strcmp(subcommands[i].name, name))
            return &subcommands[i];
    return NULL;
}
