/* --cc: another compiler than gcc, of another CPU. */
#include "compiler.h"

#include "../dnnl/plan.h"
#include "../tune/process.h"

#include <stdlib.h>
#include <string.h>

enum { LEAST_VERSION = 8 }; /* of gcc and clang: C17 */

/* "aarch64-linux-gnu-ar" of "aarch64-linux-gnu-gcc" or "…-gcc-12", with or without flags behind it; "ar" of what is called otherwise. */
static const char *archiver(Arena *arena, const char *words)
{
    const char *end = NULL, *cc = arena_printf(arena, "%.*s", (int)strcspn(words, " "), words);
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

/* The words of --cc, which may have flags behind the compiler's name, and `more`. */
static const char *const *words_of(Arena *arena, const char *cc, const char *const more[])
{
    const size_t most = strlen(cc) / 2 + 6;
    const char **words = arena_alloc_array(arena, most, sizeof *words);
    size_t n = 0;
    for (size_t length; *(cc += strspn(cc, " ")); cc += length) {
        length = strcspn(cc, " ");
        words[n++] = arena_printf(arena, "%.*s", (int)length, cc);
    }
    for (; n > 0 && *more; more++)
        words[n++] = *more;
    words[n] = NULL;
    return words;
}

static bool compiler_says(Text *out, const char *cc, const char *const question[])
{
    const char *const *words = words_of(out->arena, cc, question);
    return words[0] && run_command(words, NULL, out);
}

bool ask_compiler(Diag *diag, const char *model, const char *cc, EmitOptions *options)
{
    const char *const version[] = {"-dumpversion", NULL};
    const char *const predefined[] = {"-dM", "-E", "-x", "c", "/dev/null", NULL};
    const char *const start[] = {"-print-file-name=rcrt1.o", NULL};
    Text said = text_new(diag->arena), macros = said, file = said;
    if (!compiler_says(&said, cc, version) || !atoi(said.data))
        return refuse(diag, "%s: --cc %s: there is no compiler of this name", model, cc);
    if (atoi(said.data) < LEAST_VERSION)
        return refuse(diag,
                      "%s: --cc %s is version %.*s: what is emitted takes gcc or clang from %d on",
                      model, cc, (int)strcspn(said.data, "\n"), said.data, LEAST_VERSION);
    options->cc = cc;
    if (!compiler_says(&macros, cc, predefined))
        return refuse(diag, "%s: --cc %s: the compiler does not take these flags", model, cc);
    /* Compilers for systems with processes and files say which one it is. */
    options->bare =
        !strstr(macros.data, "#define __unix__ ") && !strstr(macros.data, "#define __APPLE__ ");
    options->ar = archiver(diag->arena, cc);
    /* Its libc has what static executables begin with that are loaded anywhere. */
    options->no_pie = !compiler_says(&file, cc, start) || !strchr(file.data, '/');
    return true;
}
