/* --cc: another compiler than gcc, of another CPU. */
#include "compiler.h"

#include "../dnnl/plan.h"
#include "../tune/process.h"

#include <stdlib.h>
#include <string.h>

enum { LEAST_VERSION = 8 }; /* of gcc and clang: C17 */

/* "aarch64-linux-gnu-ar" of "aarch64-linux-gnu-gcc" or "…-gcc-12"; "ar" of what is called otherwise. */
static const char *archiver(Arena *arena, const char *cc)
{
    const char *end = NULL;
    for (const char *at = cc; (at = strstr(at, "-gcc")); at++)
        if (!strchr(at, '/'))
            end = at;
    return end ? arena_printf(arena, "%.*s-ar", (int)(end - cc), cc) : "ar";
}

/* "aarch64-linux-gnu-gcc", "…-gcc-12". */
static bool compiles_for(const char *cc, const char *host)
{
    const char *name = base_name(cc);
    const size_t n = strlen(host);
    return !strncmp(name, host, n) && !strncmp(name + n, "-gcc", strlen("-gcc"));
}

bool fits_compiler(Arena *arena, Diag *diag, const Options *o, const char *isa)
{
    const char *host = onednn_isa_host(isa);
    if (!host && o->cc)
        return refuse(
            diag,
            "%s: --cc %s: with oneDNN that is aarch64-linux-gnu-gcc, for --isa sve_256 or sve_512; "
            "for other CPUs and compilers there is --target c",
            o->model, o->cc);
    if (host && !(o->cc && compiles_for(o->cc, host)))
        return refuse(diag, "%s: --isa %s is of another CPU: it takes --cc %s", o->model, isa,
                      arena_printf(arena, "%s-gcc", host));
    return !host || !o->tune ||
           refuse(diag, "%s: --tune measures on this CPU, and --isa %s is of another one", o->model,
                  isa);
}

bool ask_compiler(Diag *diag, const char *model, const char *cc, EmitOptions *options)
{
    const char *const version[] = {cc, "-dumpversion", NULL}, *const start[] = {
                                                                  cc, "-print-file-name=rcrt1.o",
                                                                  NULL};
    Text said = text_new(diag->arena), file = text_new(diag->arena);
    if (!run_command(version, NULL, &said) || !atoi(said.data))
        return refuse(diag, "%s: --cc %s: there is no compiler of this name", model, cc);
    if (atoi(said.data) < LEAST_VERSION)
        return refuse(diag,
                      "%s: --cc %s is version %.*s: what is emitted takes gcc or clang from %d on",
                      model, cc, (int)strcspn(said.data, "\n"), said.data, LEAST_VERSION);
    options->cc = cc;
    options->ar = archiver(diag->arena, cc);
    /* Its libc has what static executables begin with that are loaded anywhere. */
    options->no_pie = !run_command(start, NULL, &file) || !strchr(file.data, '/');
    return true;
}
