/* eval_onnx MODEL.onnx TEST_DATA_DIR [--dim S=N]… [--shape I=AxB]… [--bind I=FILE]… [--auto-bind] [--auto-shape]
 *
 * Imports a model, runs the reference evaluator on input_K and compares with output_K (.pb or .npy). --auto-bind
 * binds inputs that the import says must be known at compile time to the test's own files; --auto-shape gives every
 * input the shape of its file. Exit status: 0 all
 * outputs agree, 1 refused, 2 bad usage or unreadable test data, 3 an output is wrong. One line tells which. */
#include "../../gen/eval/eval.h"
#include "../../gen/onnx/import.h"
#include "../../gen/onnx/wire.h"
#include "../../runtime-stub/dnnlc_file.h"
#include "onnx.pb-c.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { PASSED, REFUSED, USAGE, WRONG, MAX_OPTIONS = 4096 };

typedef struct Options {
    const char *model, *folder;
    const char *dims[MAX_OPTIONS], *shapes[MAX_OPTIONS], *binds[MAX_OPTIONS];
    ImportOptions import;
    bool auto_bind, auto_shape;
    double rtol, atol;
} Options;

static const char *data_file(Arena *arena, const char *folder, const char *kind, size_t k)
{
    static const char *const suffix[] = {"pb", "npy"};
    for (size_t i = 0; i < COUNT_OF(suffix); i++) {
        const char *path = arena_printf(arena, "%s/%s_%zu.%s", folder, kind, k, suffix[i]);
        if (!access(path, R_OK))
            return path;
    }
    return NULL;
}

static bool add_option(Options *o, const char *name, const char *value)
{
    const char **list = !strcmp(name, "--dim")     ? o->dims
                        : !strcmp(name, "--shape") ? o->shapes
                        : !strcmp(name, "--bind")  ? o->binds
                                                   : NULL;
    size_t *n = list == o->dims     ? &o->import.n_dims
                : list == o->shapes ? &o->import.n_shapes
                                    : &o->import.n_binds;
    if (!strcmp(name, "--rtol") || !strcmp(name, "--atol")) {
        *(name[2] == 'r' ? &o->rtol : &o->atol) = atof(value);
        return true;
    }
    if (!list || *n == MAX_OPTIONS)
        return false;
    list[(*n)++] = value;
    return true;
}

static bool read_options(int argc, char **argv, Options *o)
{
    *o = (Options){.rtol = 1e-3, .atol = 1e-5};
    for (int i = 1; i < argc; i++) {
        if (!strcmp(argv[i], "--auto-bind"))
            o->auto_bind = true;
        else if (!strcmp(argv[i], "--auto-shape"))
            o->auto_shape = true;
        else if (argv[i][0] == '-') {
            if (i + 1 == argc || !add_option(o, argv[i], argv[i + 1]))
                return false;
            i++;
        } else if (!o->model)
            o->model = argv[i];
        else if (!o->folder)
            o->folder = argv[i];
        else
            return false;
    }
    o->import.dims = o->dims;
    o->import.shapes = o->shapes;
    o->import.binds = o->binds;
    return o->folder != NULL;
}

/* Names of the model's inputs in order, without those that are initialisers: input_K counts these. */
static size_t input_names(Arena *arena, const char *path, const char ***names)
{
    Diag diag = {.arena = arena};
    char *data;
    size_t size, n = 0;
    const char *why;
    if (!read_file(arena, path, &data, &size, &diag) ||
        !wire_check(&onnx__model_proto__descriptor, (const uint8_t *)data, size, &why))
        return 0;
    Onnx__ModelProto *m = (Onnx__ModelProto *)wire_unpack(arena, &onnx__model_proto__descriptor,
                                                          (const uint8_t *)data, size);
    if (!m || !m->graph)
        return 0;
    *names = ARENA_ARRAY(arena, const char *, m->graph->n_input + 1);
    for (size_t i = 0; i < m->graph->n_input; i++) {
        bool is_const = false;
        for (size_t k = 0; k < m->graph->n_initializer; k++)
            is_const |= !strcmp(m->graph->initializer[k]->name, m->graph->input[i]->name);
        if (!is_const)
            (*names)[n++] = m->graph->input[i]->name;
    }
    return n;
}

/* Binds the next input that makes sense after a refusal; false if nothing is left to try. */
static bool bind_more(Arena *arena, Options *o, const char *const *names, size_t n,
                      const char *message)
{
    if (!strstr(message, "known at compile time"))
        return false;
    for (int pass = 0; pass < 2; pass++)
        for (size_t k = n; k-- > 0;) {
            const char *file = data_file(arena, o->folder, "input", k);
            const char *option = file ? arena_printf(arena, "%s=%s", names[k], file) : NULL;
            bool done = !option;
            for (size_t i = 0; i < o->import.n_binds; i++)
                done = done || !strcmp(o->binds[i], option);
            bool named = strstr(message, arena_printf(arena, "--bind %s=", names[k])) != NULL;
            if (!done && (named || pass) && o->import.n_binds < MAX_OPTIONS) {
                o->binds[o->import.n_binds++] = option;
                return true;
            }
        }
    return false;
}

static size_t position_of(const char *const *names, size_t n, const char *name)
{
    size_t k = 0;
    while (k < n && strcmp(names[k], name))
        k++;
    return k;
}

static bool read_tensor(Arena *arena, const char *path, DType like, Tensor *t, char *why,
                        size_t why_size)
{
    struct dnnlc_array a = {0};
    if (!dnnlc_array_read(path, &a, why, why_size))
        return false;
    dnnlc_array_normalise(&a);
    if (a.dtype == DNNLC_U16 && like == DT_BF16)
        a.dtype = DNNLC_BF16; /* the suite's files call bf16 by the type of its bits */
    t->type = type_make((DType)a.dtype, a.rank, a.dims);
    t->data = arena_alloc(arena, a.bytes + 1);
    memcpy(t->data, a.data, a.bytes);
    dnnlc_array_free(&a);
    return true;
}

/* As the executable's --check: |out - ref| <= atol · max(1, max |ref|) + rtol · |ref|; NaN agrees with NaN only. */
static bool agrees(double out, double ref, double atol, double rtol)
{
    if (isnan(out) || isnan(ref))
        return isnan(out) && isnan(ref);
    return out == ref || fabs(out - ref) <= atol + rtol * fabs(ref);
}

/* Gives every input the shape of its file. */
static void shapes_from_files(Arena *arena, Options *o, const char *const *names, size_t n)
{
    char why[512];
    for (size_t k = 0; k < n && o->import.n_shapes < MAX_OPTIONS; k++) {
        const char *file = data_file(arena, o->folder, "input", k);
        Tensor t;
        if (!file || !read_tensor(arena, file, DT_NONE, &t, why, sizeof why))
            continue;
        Text shape = text_new(arena);
        text_printf(&shape, "%s=%s", names[k], t.type.rank ? "" : "scalar");
        for (int d = 0; d < t.type.rank; d++)
            text_printf(&shape, "%s%lld", d ? "x" : "", (long long)t.type.dims[d]);
        o->shapes[o->import.n_shapes++] = shape.data;
    }
}

static int compare(const Options *o, size_t k, const Tensor *out, const Tensor *ref, Arena *arena)
{
    size_t n = (size_t)type_count(&ref->type), failed = 0, first = 0;
    double largest = 1, rtol = o->rtol;
    if (ref->type.dtype == DT_BF16 && rtol < 1.0 / 128)
        rtol = 1.0 / 128; /* the suite truncates where IEEE rounds */
    if (!type_equal(&out->type, &ref->type)) {
        printf("wrong: output %zu is %s, not %s\n", k, type_text(arena, &out->type),
               type_text(arena, &ref->type));
        return WRONG;
    }
    for (size_t i = 0; i < n; i++) {
        double r = fabs(elem_f64(ref->type.dtype, ref->data, i));
        largest = isfinite(r) && r > largest ? r : largest;
    }
    for (size_t i = n; i-- > 0;)
        if (!agrees(elem_f64(out->type.dtype, out->data, i),
                    elem_f64(ref->type.dtype, ref->data, i), o->atol * largest, rtol)) {
            failed++;
            first = i;
        }
    if (failed)
        printf("wrong: output %zu: %zu of %zu elements differ; element %zu is %.9g, not %.9g\n", k,
               failed, n, first, elem_f64(out->type.dtype, out->data, first),
               elem_f64(ref->type.dtype, ref->data, first));
    return failed ? WRONG : PASSED;
}

/* Of an output with capacity the rows that count. */
static void keep_counted(Arena *arena, const Graph *g, uint32_t i, Tensor *out)
{
    const Port *port = &g->outputs[i];
    if (!port->count)
        return;
    const int64_t rows = *(const int64_t *)out[port->count].data;
    const TensorType *t = &out[i].type;
    const size_t size = dtype_size(t->dtype) * (size_t)dims_product(t, port->axis + 1, t->rank),
                 all = size * (size_t)t->dims[port->axis], kept = size * (size_t)rows;
    Tensor cut = {.type = *t};
    cut.type.dims[port->axis] = rows;
    cut.data = arena_alloc(arena, type_bytes(&cut.type) + 1);
    for (int64_t k = 0; kept && k < dims_product(t, 0, port->axis); k++)
        memcpy((char *)cut.data + (size_t)k * kept, (const char *)out[i].data + (size_t)k * all,
               kept);
    out[i] = cut;
}

static bool is_count(const Graph *g, uint32_t output)
{
    for (uint32_t i = 0; i < g->n_outputs; i++)
        if (g->outputs[i].count && g->outputs[i].count == output)
            return true;
    return false;
}

static int run(const Options *o, Graph *g, const char *const *names, size_t n, Arena *arena)
{
    char why[512];
    Uses uses = graph_uses(g, arena);
    Tensor *in = ARENA_ARRAY(arena, Tensor, g->n_inputs + 1);
    Tensor *out = ARENA_ARRAY(arena, Tensor, g->n_outputs + 1), ref;
    for (uint32_t i = 0; i < g->n_inputs; i++) {
        const char *path =
            data_file(arena, o->folder, "input", position_of(names, n, g->inputs[i].name));
        if (!path || !read_tensor(arena, path, type_of(g, g->inputs[i].value)->dtype, &in[i], why,
                                  sizeof why)) {
            printf("no data for input '%s': %s\n", g->inputs[i].name, path ? why : "no file");
            return USAGE;
        }
        if (!use_count(&uses, g->inputs[i].value) && !uses.is_output[g->inputs[i].value.i])
            in[i] = (Tensor){*type_of(g, g->inputs[i].value), in[i].data}; /* nobody looks */
    }
    if (!eval_graph(g, in, out, arena)) {
        printf("refused: evaluation: %s\n", g->diag->message);
        return REFUSED;
    }
    for (uint32_t i = 0; i < g->n_outputs && !is_count(g, i); i++) { /* counts stand behind */
        const char *path = data_file(arena, o->folder, "output", i);
        keep_counted(arena, g, i, out);
        if (!path || !read_tensor(arena, path, out[i].type.dtype, &ref, why, sizeof why)) {
            printf("no data for output %u: %s\n", i, path ? why : "no file");
            return USAGE;
        }
        int status = compare(o, i, &out[i], &ref, arena);
        if (status)
            return status;
    }
    printf("passed: %u nodes%s\n", g->n_nodes, o->import.n_binds ? ", inputs bound" : "");
    return PASSED;
}

int main(int argc, char **argv)
{
    Options o;
    if (!read_options(argc, argv, &o)) {
        fprintf(stderr, "usage: eval_onnx MODEL TEST_DATA_DIR [options]\n");
        return USAGE;
    }
    Arena *arena = arena_new();
    const char **names = NULL;
    size_t n = input_names(arena, o.model, &names);
    int status;
    if (o.auto_shape)
        shapes_from_files(arena, &o, names, n);
    for (;;) {
        Diag diag = {.arena = arena};
        Graph *g = import_onnx(arena, &diag, o.model, &o.import);
        if (g) {
            status = run(&o, g, names, n, arena);
            break;
        }
        if (o.auto_shape &&
            strstr(diag.message, "--shape ")) { /* a file of another rank than declared */
            o.auto_shape = false;
            o.import.n_shapes = 0;
            continue;
        }
        if (!o.auto_bind || !bind_more(arena, &o, names, n, diag.message)) {
            printf("refused: %s\n", diag.message);
            status = REFUSED;
            break;
        }
    }
    arena_free(arena);
    return status;
}
