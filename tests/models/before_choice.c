/* before_choice MODEL.onnx TEST_DATA_DIR DIR [DNNLC OPTION]...: what can be said of a model whose outputs near-ties decide.
 *
 * Where a network chooses by its numbers (TopK, ArgMax, NonMaxSuppression), two that are nearly equal may change places by any
 * rounding, and all that follows is that of another choice. What it chooses by is stable, but for what its own quantisations make of a last bit:
 * that is measured. Writes the model with the values that it first chooses by as its outputs, DIR/model.ir, what the evaluator makes of
 * them, DIR/test/output_K.npy, and in DIR/limits a line for each: by how much, as a root of the mean square relative to the value's own, they
 * differ at most when the inputs change by 2^-22 of themselves. Options are --dim S=N. */
#include "../../gen/eval/eval.h"
#include "../../gen/onnx/import.h"
#include "../../gen/text/text_ir.h"
#include "../../runtime-stub/dnnlc_file.h"
#include "../../runtime-stub/dnnlc_npy.h"

#include <math.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

enum { CHANGES = 4, OPTIONS_MAX = 64 };

static bool chooses(Op op)
{
    return op == OP_TopK || op == OP_ArgMax || op == OP_ArgMin || op == OP_NonMaxSuppression;
}

/* Outputs become what nodes choose by that is not itself made of a choice. */
static bool cut(Graph *g)
{
    bool *chosen = ARENA_ARRAY(g->arena, bool, g->n_values + 1),
         *is_output = ARENA_ARRAY(g->arena, bool, g->n_values + 1);
    Port *outputs = ARENA_ARRAY(g->arena, Port, g->n_nodes + 1);
    uint32_t n = 0;
    for (uint32_t i = 0; i < g->n_nodes; i++) {
        const Node *node = &g->nodes[i];
        bool after = false;
        for (uint32_t k = 0; k < node->n_in; k++)
            after = after || (has_value(node->in[k]) && chosen[node->in[k].i]);
        const ValueId by = node_in(node, 0);
        if (chooses(node->op) && !after && def_of(g, by) && !is_output[by.i]) {
            outputs[n++] = (Port){.name = arena_printf(g->arena, "choice_%u", n), .value = by};
            is_output[by.i] = true;
        }
        for (uint32_t k = 0; k < node->n_out && (after || chooses(node->op)); k++)
            if (has_value(node->out[k]))
                chosen[node->out[k].i] = true;
    }
    g->outputs = outputs;
    g->n_outputs = n;
    return n > 0 || refuse(g->diag, "the model chooses nothing");
}

static bool read_inputs(Graph *g, const char *folder, Tensor *in)
{
    for (uint32_t i = 0; i < g->n_inputs; i++) {
        struct dnnlc_array a = {0};
        char why[512];
        if (!dnnlc_array_read(arena_printf(g->arena, "%s/input_%u.npy", folder, i), &a, why,
                              sizeof why))
            return refuse(g->diag, "%s", why);
        in[i].type = type_make((DType)a.dtype, a.rank, a.dims);
        in[i].data = arena_copy(g->arena, a.data, a.bytes);
        dnnlc_array_free(&a);
        if (!type_equal(&in[i].type, type_of(g, g->inputs[i].value)))
            return refuse(g->diag, "input %u has another type", i);
    }
    return true;
}

static bool write_output(Graph *g, const char *path, const Tensor *t)
{
    struct dnnlc_array array;
    char head[DNNLC_NPY_HEADER_MAX], why[200];
    if (!dnnlc_array_describe(&array, (int)t->type.dtype, t->type.rank, t->type.dims, why,
                              sizeof why))
        return refuse(g->diag, "%s", why);
    const size_t size = dnnlc_npy_header(&array, head);
    char *bytes = arena_alloc(g->arena, size + array.bytes);
    memcpy(bytes, head, size);
    memcpy(bytes + size, t->data, array.bytes);
    return write_file_if_changed(path, bytes, size + array.bytes, g->diag);
}

/* Half of the elements, by splitmix64, up by 2^-22 of themselves, the others down. */
static void change(Graph *g, const Tensor *in, Tensor *changed, uint64_t seed)
{
    for (uint32_t i = 0; i < g->n_inputs; i++) {
        changed[i] = in[i];
        if (in[i].type.dtype != DT_F32)
            continue;
        const size_t n = (size_t)type_count(&in[i].type);
        float *data = arena_copy(g->arena, in[i].data, n * sizeof *data);
        for (size_t k = 0; k < n; k++) {
            uint64_t x = (seed << 32) + k * 0x9e3779b97f4a7c15u;
            x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9u;
            data[k] *= (x >> 40 & 1 ? 1 + 0x1p-22f : 1 - 0x1p-22f);
        }
        changed[i].data = data;
    }
}

static double difference(const Tensor *a, const Tensor *ref)
{
    const size_t n = (size_t)type_count(&ref->type);
    double squares = 0, all = 0;
    for (size_t i = 0; i < n; i++) {
        const double r = elem_f64(ref->type.dtype, ref->data, i),
                     d = elem_f64(a->type.dtype, a->data, i) - r;
        squares += d * d;
        all += r * r;
    }
    return all > 0 ? sqrt(squares / all) : 0;
}

static bool measure(Graph *g, const Tensor *in, const Tensor *out, double *limit)
{
    Tensor *changed = ARENA_ARRAY(g->arena, Tensor, g->n_inputs + 1),
           *result = ARENA_ARRAY(g->arena, Tensor, g->n_outputs);
    for (uint64_t seed = 1; seed <= CHANGES; seed++) {
        change(g, in, changed, seed);
        if (!eval_graph(g, changed, result, g->arena))
            return false;
        for (uint32_t k = 0; k < g->n_outputs; k++)
            limit[k] = fmax(limit[k], difference(&result[k], &out[k]));
    }
    return true;
}

static bool write_all(Graph *g, const char *dir, const Tensor *out, const double *limit)
{
    Text limits = text_new(g->arena), model = text_new(g->arena);
    mkdir(dir, 0777);
    mkdir(arena_printf(g->arena, "%s/test", dir), 0777);
    for (uint32_t k = 0; k < g->n_outputs; k++) {
        text_printf(&limits, "%.3g\n", limit[k]);
        if (!write_output(g, arena_printf(g->arena, "%s/test/output_%u.npy", dir, k), &out[k]))
            return false;
    }
    print_text_ir(g, &model);
    return write_file_if_changed(arena_printf(g->arena, "%s/limits", dir), limits.data, limits.size,
                                 g->diag) &&
           write_file_if_changed(arena_printf(g->arena, "%s/model.ir", dir), model.data, model.size,
                                 g->diag);
}

static bool run(Arena *arena, Diag *diag, char **argv, const ImportOptions *options)
{
    Graph *g = import_onnx(arena, diag, argv[1], options);
    if (!g || !cut(g))
        return false;
    Tensor *in = ARENA_ARRAY(arena, Tensor, g->n_inputs + 1),
           *out = ARENA_ARRAY(arena, Tensor, g->n_outputs);
    double *limit = ARENA_ARRAY(arena, double, g->n_outputs);
    return read_inputs(g, argv[2], in) && eval_graph(g, in, out, arena) &&
           measure(g, in, out, limit) && write_all(g, argv[3], out, limit);
}

int main(int argc, char **argv)
{
    const char *dims[OPTIONS_MAX];
    ImportOptions options = {.dims = dims};
    if (argc < 4 || argc % 2 || argc > OPTIONS_MAX)
        return fputs("usage: see the head of tests/models/before_choice.c\n", stderr), 2;
    for (int i = 4; i < argc; i += 2) {
        if (strcmp(argv[i], "--dim"))
            return fprintf(stderr, "before_choice: %s is not known\n", argv[i]), 2;
        dims[options.n_dims++] = argv[i + 1];
    }
    Arena *arena = arena_new();
    Diag diag = {.arena = arena};
    const bool ok = run(arena, &diag, argv, &options);
    if (!ok)
        fprintf(stderr, "before_choice: %s\n", diag.message);
    arena_free(arena);
    return !ok;
}
