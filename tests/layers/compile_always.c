/* compile_always MODEL.ir DIR THREADS ALGORITHM: compiles a model of text IR with every convolution that can be done by a certain algorithm
 * done so and every layer shared between the threads, whether that is faster or not, or as it is chosen (algorithm chosen), or to portable C
 * (algorithm c), and writes DIR/test with random inputs and what the reference evaluator computes from them. */
#include "../../gen/dnnl/engine.h"
#include "../../gen/emit/emit.h"
#include "../../gen/eval/eval.h"
#include "../../gen/layout/choose.h"
#include "../../gen/text/text_ir.h"
#include "../../passes/pass.h"
#include "../../runtime-stub/dnnlc_npy.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

/* Uniform in [-1, 1), by splitmix64. */
static void fill(float *data, size_t n, uint64_t seed)
{
    for (size_t i = 0; i < n; i++) {
        uint64_t x = (seed << 32) + i * 0x9e3779b97f4a7c15u;
        x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9u;
        x = (x ^ (x >> 27)) * 0x94d049bb133111ebu;
        data[i] = (float)((double)((x ^ (x >> 31)) >> 11) * 0x1p-52 - 1);
    }
}

static bool write_npy(Arena *arena, Diag *diag, const char *path, const Tensor *t)
{
    struct dnnlc_array array;
    char head[DNNLC_NPY_HEADER_MAX], why[200];
    if (!dnnlc_array_describe(&array, DNNLC_F32, t->type.rank, t->type.dims, why, sizeof why))
        return refuse(diag, "%s", why);
    size_t size = dnnlc_npy_header(&array, head);
    char *bytes = arena_alloc(arena, size + array.bytes);
    memcpy(bytes, head, size);
    memcpy(bytes + size, t->data, array.bytes);
    return write_file_if_changed(path, bytes, size + array.bytes, diag);
}

static bool write_test(Graph *g, const char *dir)
{
    Tensor *in = ARENA_ARRAY(g->arena, Tensor, g->n_inputs),
           *out = ARENA_ARRAY(g->arena, Tensor, g->n_outputs);
    for (uint32_t k = 0; k < g->n_inputs; k++) {
        in[k].type = *type_of(g, g->inputs[k].value);
        in[k].data = arena_alloc(g->arena, type_bytes(&in[k].type));
        fill(in[k].data, (size_t)type_count(&in[k].type), k + 1);
    }
    bool ok = eval_graph(g, in, out, g->arena);
    const char *test = arena_printf(g->arena, "%s/test", dir);
    mkdir(dir, 0777);
    mkdir(test, 0777);
    for (uint32_t k = 0; ok && k < g->n_inputs; k++)
        ok = write_npy(g->arena, g->diag, arena_printf(g->arena, "%s/input_%u.npy", test, k),
                       &in[k]);
    for (uint32_t k = 0; ok && k < g->n_outputs; k++)
        ok = write_npy(g->arena, g->diag, arena_printf(g->arena, "%s/output_%u.npy", test, k),
                       &out[k]);
    return ok;
}

/* LowerOptions.conv, or -1. */
static int algorithm_of(const char *name)
{
    static const struct {
        const char *name;
        int conv;
    } algorithms[] = {{"winograd_4", CONV_WINOGRAD_4},
                      {"winograd_2", CONV_WINOGRAD_2},
                      {"winograd_4_in_c", CONV_WINOGRAD_4_IN_C},
                      {"winograd_2_in_c", CONV_WINOGRAD_2_IN_C},
                      {"winograd_whole", CONV_WINOGRAD_WHOLE},
                      {"indirect", CONV_INDIRECT},
                      {"c", CONV_WHERE_FASTER},
                      {"chosen", CONV_WHERE_FASTER}};
    for (size_t i = 0; i < COUNT_OF(algorithms); i++)
        if (!strcmp(algorithms[i].name, name))
            return algorithms[i].conv;
    return -1;
}

static bool compile(Arena *arena, Diag *diag, const char *model, const char *dir, int threads,
                    const char *algorithm)
{
    char *data;
    size_t size;
    DnnlEngine *engine = NULL;
    const bool target_c = !strcmp(algorithm, "c");
    const Machine machine = machine_of_isa(library_isa());
    const PassOptions passes = {.threads = threads,
                                .target_c = target_c,
                                .machine = strcmp(algorithm, "chosen") ? NULL : &machine,
                                .int8 = !target_c && onednn_isa_has_int8(NULL)};
    const LowerOptions lowering = {.conv = algorithm_of(algorithm), .share_all = true};
    if (!read_file(arena, model, &data, &size, diag))
        return false;
    Graph *g = parse_text_ir(arena, diag, model, data, size);
    if (!g || !write_test(g, dir) || !run_passes(g, NULL, &passes, NULL, NULL, NULL, NULL, NULL) ||
        (!target_c && !onednn_engine_open(arena, diag, NULL, threads, &engine)))
        return false;
    Program *p = choose_and_lower(g, engine, &lowering);
    const EmitOptions emit = {.dir = dir,
                              .origin = {.name = "m",
                                         .command = "compile_always",
                                         .model_hash = "",
                                         .isa = engine ? onednn_engine_isa(engine) : "any",
                                         .threads = threads,
                                         .dnnl = !target_c}};
    bool ok = p && plan_memory(p) && emit_folder(p, &emit);
    onednn_engine_close(engine);
    return ok;
}

int main(int argc, char **argv)
{
    Arena *arena = arena_new();
    Diag diag = {.arena = arena};
    bool ok = argc == 5 && algorithm_of(argv[4]) >= 0 &&
              compile(arena, &diag, argv[1], argv[2], atoi(argv[3]), argv[4]);
    if (!ok)
        fprintf(stderr, "compile_always: %s\n", diag.message ? diag.message : "bad arguments");
    arena_free(arena);
    return !ok;
}
