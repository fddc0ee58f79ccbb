#include "runtime.h"

#include "../../runtime-stub/dnnlc_file.h"
#include "../base/template.h"
#include "../base/utf8.h"
#include "../program/made.h"
#include "../tune/process.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

/* Of a program that has failed: Python's reason stands there. */
static const char *last_line(Arena *arena, const Text *said)
{
    size_t n = said->size, from;
    while (n && said->data[n - 1] == '\n')
        n--;
    for (from = n; from && said->data[from - 1] != '\n';)
        from--;
    return utf8_one_line(arena, arena_strndup(arena, said->data + from, n - from));
}

static Runtime by_program(Arena *arena, const char *option, const char *program)
{
    const char **call = ARENA_ARRAY(arena, const char *, 2);
    call[0] = program;
    call[1] = NULL;
    return (Runtime){arena_printf(arena, "%s %s", option, program), call};
}

/* The script that samples/onnxruntime has is part of the compiler. */
static bool by_python(Arena *arena, Diag *diag, Runtime *r)
{
    static const char script[] = "samples/onnxruntime/run.py";
    const char *const asks[] = {"python3", "-c", "import numpy, onnxruntime", NULL};
    Text said = text_new(arena);
    if (!run_command(asks, NULL, &said))
        return refuse(diag,
                      "--verify=onnxruntime: there is no ONNX Runtime: name a program by "
                      "--onnxruntime or DNNLC_ONNXRUNTIME, or install Python's numpy and "
                      "onnxruntime: %s",
                      last_line(arena, &said));
    const char **call = ARENA_ARRAY(arena, const char *, 4);
    call[0] = "python3";
    call[1] = "-c";
    call[2] = bundled_file(script, NULL);
    call[3] = NULL;
    *r = (Runtime){"Python's onnxruntime", call};
    return true;
}

bool runtime_find(Arena *arena, Diag *diag, const char *program, Runtime *r)
{
    const char *set = getenv("DNNLC_ONNXRUNTIME");
    if (!program && (!set || !*set))
        return by_python(arena, diag, r);
    *r = program ? by_program(arena, "--onnxruntime", program)
                 : by_program(arena, "DNNLC_ONNXRUNTIME", set);
    return true;
}

bool runtime_run(Arena *arena, Diag *diag, const Runtime *r, const char *model, const char *in,
                 const char *out)
{
    Text said = text_new(arena);
    size_t n = 0;
    while (r->call[n])
        n++;
    const char **words = ARENA_ARRAY(arena, const char *, n + 4);
    memcpy(words, r->call, n * sizeof *words);
    words[n] = model;
    words[n + 1] = in;
    words[n + 2] = out;
    words[n + 3] = NULL;
    if (mkdir(out, 0777))
        return refuse(diag, "%s: %s", out, strerror(errno));
    return run_command(words, NULL, &said) ||
           refuse(diag, "%s: it failed: %s", r->named, end_of_output(&said));
}

static bool write_tensor(const char *path, const Tensor *t, char *why, size_t why_size)
{
    struct dnnlc_array array = {0};
    if (!dnnlc_array_describe(&array, (int)t->type.dtype, t->type.rank, t->type.dims, why,
                              why_size))
        return false;
    array.data = t->data;
    return dnnlc_array_write(path, &array, why, why_size);
}

bool runtime_give(const Program *p, const Tensor *inputs, const char *dir)
{
    char why[1024];
    Arena *arena = p->arena;
    Diag *diag = p->graph->diag;
    Text index = text_new(arena);
    text_printf(&index, "%s, \"layers\": []}\n", made_head(arena, p, p->origin.name));
    const struct dnnlc_bytes bytes = {index.data, index.size};
    if (mkdir(dir, 0777))
        return refuse(diag, "%s: %s", dir, strerror(errno));
    for (uint32_t k = 0; k < inputs_each(p->graph); k++)
        if (!write_tensor(arena_printf(arena, "%s/input_%u.npy", dir, k), &inputs[k], why,
                          sizeof why))
            return refuse(diag, "%s", why);
    return dnnlc_file_write(arena_printf(arena, "%s/index.json", dir), &bytes, why, sizeof why) ||
           refuse(diag, "%s", why);
}
