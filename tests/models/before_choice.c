/* before_choice MODEL.onnx TEST_DATA_DIR DIR [DNNLC OPTION]...: what can be said of a model whose outputs near-ties decide.
 *
 * Where a network chooses by its numbers (TopK, ArgMax, NonMaxSuppression), two that are nearly equal may change places by any
 * rounding, and all that follows is that of another choice. What it chooses by is stable, but for what its own quantisations make of a last bit:
 * that is measured. Writes the model with the values that it first chooses by as its outputs, DIR/model.ir, what the evaluator makes of
 * them, DIR/test/output_K.npy, and in DIR/limits a line for each: by how much, as a root of the mean square relative to the value's own, they
 * differ at most when the inputs change by 2^-22 of themselves. Options are --dim S=N. */
#include "../../gen/onnx/import.h"
#include "../../gen/text/text_ir.h"
#include "../../runtime-stub/dnnlc_npy.h"
#include "../pipeline/stability.h"

#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

enum { OPTIONS_MAX = 64 };

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
           own_differences(g, in, out, limit) && write_all(g, argv[3], out, limit);
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
