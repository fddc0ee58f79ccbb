/* Shared parts of the import's tests. */
#include "testing.h"

#include "../../gen/eval/eval.h"
#include "../../gen/ops/ops.h"

#include <ftw.h>
#include <math.h>

int fixture_begin(void **state)
{
    Fixture *f = calloc(1, sizeof *f);
    f->arena = arena_new();
    strcpy(f->folder, "/tmp/dnnlc-import-XXXXXX");
    assert_non_null(mkdtemp(f->folder));
    f->path = arena_printf(f->arena, "%s/model.onnx", f->folder);
    *state = f;
    return 0;
}

static int remove_one(const char *path, const struct stat *st, int kind, struct FTW *ftw)
{
    (void)st;
    (void)kind;
    (void)ftw;
    return remove(path);
}

int fixture_end(void **state)
{
    Fixture *f = *state;
    nftw(f->folder, remove_one, 8, FTW_DEPTH | FTW_PHYS);
    arena_free(f->arena);
    free(f);
    return 0;
}

void write_bytes(Fixture *f, const char *name, const void *data, size_t size)
{
    FILE *file = fopen(arena_printf(f->arena, "%s/%s", f->folder, name), "wb");
    assert_non_null(file);
    assert_int_equal(fwrite(data, 1, size, file), size);
    assert_int_equal(fclose(file), 0);
}

Graph *import_built(Fixture *f, Build *b, ImportOptions *options)
{
    ImportOptions none = {0};
    build_write(b, f->path);
    f->diag = (Diag){.arena = f->arena};
    f->notes = text_new(f->arena);
    options = options ? options : &none;
    options->notes = &f->notes;
    return import_onnx(f->arena, &f->diag, f->path, options);
}

void expect_refused(Fixture *f, Build *b, ImportOptions *options, const char *text)
{
    Graph *g = import_built(f, b, options);
    if (g)
        fail_msg("imported, but should be refused: %s", text);
    assert_non_null(f->diag.message);
    if (!strstr(f->diag.message, text))
        fail_msg("refused with '%s', not '%s'", f->diag.message, text);
    assert_non_null(strstr(f->diag.message, f->path));
    assert_null(strchr(f->diag.message, '\n'));
}

Graph *expect_type(Fixture *f, Build *b, ImportOptions *options, const char *type)
{
    Graph *g = import_built(f, b, options);
    if (!g)
        fail_msg("refused: %s", f->diag.message);
    assert_string_equal(type_text(f->arena, type_of(g, g->outputs[0].value)), type);
    return g;
}

void expect_values(Fixture *f, Graph *g, const double *values, size_t count)
{
    Tensor *in = ARENA_ARRAY(f->arena, Tensor, g->n_inputs + 1);
    Tensor *out = ARENA_ARRAY(f->arena, Tensor, g->n_outputs + 1);
    for (uint32_t i = 0; i < g->n_inputs; i++) {
        in[i].type = *type_of(g, g->inputs[i].value);
        in[i].data = arena_alloc(f->arena, type_bytes(&in[i].type) + 1);
        for (int64_t k = 0; k < type_count(&in[i].type); k++)
            elem_set_f64(in[i].type.dtype, in[i].data, (size_t)k, (double)(k + 1));
    }
    if (!eval_graph(g, in, out, f->arena))
        fail_msg("evaluation refused: %s", f->diag.message);
    assert_int_equal(type_count(&out[0].type), count);
    for (size_t k = 0; k < count; k++) {
        double got = elem_f64(out[0].type.dtype, out[0].data, k);
        if (!(fabs(got - values[k]) <= 1e-5 * (1 + fabs(values[k]))))
            fail_msg("element %zu is %g, not %g", k, got, values[k]);
    }
}

const char *last_op(const Graph *g)
{
    return g->n_nodes ? op_info(g->nodes[g->n_nodes - 1].op)->name : "";
}
