/* eval_onnx MODEL.onnx TEST_DATA_DIR [--dim S=N]… [--shape I=AxB]… [--bind I=FILE]… [--auto-bind] [--auto-shape]
 *
 * Imports a model, runs the reference evaluator on input_K and compares with output_K (.pb or .npy). --auto-bind
 * binds inputs that the import says must be known at compile time to the test's own files; --auto-shape gives every
 * input the shape of its file, as sequences and optionals have always. Exit status: 0 all
 * outputs agree, 1 refused, 2 bad usage or unreadable test data, 3 an output is wrong. One line tells which. */
#include "../../gen/eval/eval.h"
#include "../../gen/onnx/node.h"
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

/* An input of the model that is no initialiser: input_K counts these. */
typedef struct Given {
    const char *name;
    bool is_optional, is_sequence;
} Given;

static size_t model_inputs(Arena *arena, const char *path, Given **inputs)
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
    *inputs = ARENA_ARRAY(arena, Given, m->graph->n_input + 1);
    for (size_t i = 0; i < m->graph->n_input; i++) {
        const Onnx__ValueInfoProto *info = m->graph->input[i];
        bool is_const = false;
        PortKind kind;
        for (size_t k = 0; k < m->graph->n_initializer; k++)
            is_const |= !strcmp(m->graph->initializer[k]->name, info->name);
        onnx_port_type(info, &kind);
        if (!is_const)
            (*inputs)[n++] = (Given){info->name, kind.is_optional, kind.is_sequence};
    }
    return n;
}

/* Binds the next input that makes sense after a refusal; false if nothing is left to try. */
static bool bind_more(Arena *arena, Options *o, const Given *inputs, size_t n, const char *message)
{
    if (!strstr(message, "known at compile time"))
        return false;
    for (int pass = 0; pass < 2; pass++)
        for (size_t k = n; k-- > 0;) {
            const char *file = data_file(arena, o->folder, "input", k);
            const char *option = file ? arena_printf(arena, "%s=%s", inputs[k].name, file) : NULL;
            bool done = !option;
            for (size_t i = 0; i < o->import.n_binds; i++)
                done = done || !strcmp(o->binds[i], option);
            bool named = strstr(message, arena_printf(arena, "--bind %s=", inputs[k].name)) != NULL;
            if (!done && (named || pass) && o->import.n_binds < MAX_OPTIONS) {
                o->binds[o->import.n_binds++] = option;
                return true;
            }
        }
    return false;
}

/* The tensors of a file, as many as there is space for; false if it cannot be read. Strings are bytes, whose number is not part of a shape. */
static bool read_tensors(Arena *arena, const char *path, bool shapes, Tensor **tensors, size_t *n,
                         char *why, size_t why_size)
{
    struct dnnlc_arrays list = {0};
    if (!dnnlc_arrays_read(path, &list, why, why_size))
        return false;
    *n = list.count;
    *tensors = ARENA_ARRAY(arena, Tensor, *n + 1);
    for (size_t i = 0; i < *n; i++) {
        struct dnnlc_array *a = &list.arrays[i];
        dnnlc_array_normalise(a);
        a->rank -= shapes && a->text;
        (*tensors)[i].type = type_make((DType)a->dtype, a->rank, a->dims);
        (*tensors)[i].data = arena_alloc(arena, a->bytes + 1);
        memcpy((*tensors)[i].data, a->data, a->bytes);
    }
    dnnlc_arrays_free(&list, 0);
    return true;
}

/* The suite's files call bf16 by the type of its bits; strings, as wide as the file's longest, are padded. */
static Tensor as_type(Arena *arena, Tensor t, const TensorType *like)
{
    const int last = t.type.rank - 1;
    if (t.type.dtype == DT_U16 && like->dtype == DT_BF16)
        t.type.dtype = DT_BF16;
    if (t.type.dtype != DT_U8 || last < 0 || like->rank - 1 != last ||
        t.type.dims[last] >= like->dims[last])
        return t;
    Tensor wide = t;
    const size_t from = (size_t)t.type.dims[last], to = (size_t)like->dims[last];
    wide.type.dims[last] = like->dims[last];
    wide.data = arena_alloc(arena, type_bytes(&wide.type) + 1);
    for (int64_t i = 0; i < dims_product(&t.type, 0, last); i++)
        memcpy((char *)wide.data + (size_t)i * to, (const char *)t.data + (size_t)i * from, from);
    return wide;
}

/* The data of an input of the graph, which is one of those of the model, or NAME_k of a sequence called NAME. */
static bool read_input(Arena *arena, const Options *o, const Given *inputs, size_t n,
                       const char *port, Tensor *t, char *why, size_t why_size)
{
    for (size_t k = 0; k < n; k++) {
        const size_t length = strlen(inputs[k].name);
        const char *path = data_file(arena, o->folder, "input", k), *rest = port + length;
        Tensor *tensors;
        size_t n_tensors, at;
        if (!path || strncmp(port, inputs[k].name, length) ||
            (inputs[k].is_sequence ? *rest != '_' : *rest))
            continue;
        if (!read_tensors(arena, path, false, &tensors, &n_tensors, why, why_size))
            return false;
        at = *rest ? strtoul(rest + 1, NULL, 10) : 0;
        if (at < n_tensors) {
            *t = tensors[at];
            return true;
        }
    }
    snprintf(why, why_size, "no file");
    return false;
}

/* As the executable's --check: |out - ref| <= atol · max(1, max |ref|) + rtol · |ref|; NaN agrees with NaN only. */
static bool agrees(double out, double ref, double atol, double rtol)
{
    if (isnan(out) || isnan(ref))
        return isnan(out) && isnan(ref);
    return out == ref || fabs(out - ref) <= atol + rtol * fabs(ref);
}

static void add_shape(Arena *arena, Options *o, const char *name, const TensorType *type)
{
    Text shape = text_new(arena);
    text_printf(&shape, "%s=%s", name, type->rank ? "" : "scalar");
    for (int d = 0; d < type->rank; d++)
        text_printf(&shape, "%s%lld", d ? "x" : "", (long long)type->dims[d]);
    if (o->import.n_shapes < MAX_OPTIONS)
        o->shapes[o->import.n_shapes++] = shape.data;
}

/* Gives every sequence and optional, or every other input, the shapes of its file. */
static void shapes_from_files(Arena *arena, Options *o, const Given *inputs, size_t n, bool lists)
{
    char why[512];
    for (size_t k = 0; k < n; k++) {
        const Given *in = &inputs[k];
        const char *file = data_file(arena, o->folder, "input", k);
        Tensor *t;
        size_t n_tensors;
        if (lists != (in->is_optional || in->is_sequence) || !file ||
            !read_tensors(arena, file, true, &t, &n_tensors, why, sizeof why))
            continue;
        for (size_t i = 0; i < n_tensors; i++)
            add_shape(arena, o,
                      in->is_sequence ? arena_printf(arena, "%s_%zu", in->name, i) : in->name,
                      &t[i].type);
        if (n_tensors == 0 && o->import.n_shapes < MAX_OPTIONS)
            o->shapes[o->import.n_shapes++] =
                arena_printf(arena, "%s=%s", in->name, in->is_optional ? "absent" : "empty");
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

/* Of an output with capacity the rows that count along an axis. */
static void keep_counted(Arena *arena, Tensor *out, int axis, int64_t rows)
{
    const TensorType *t = &out->type;
    const size_t size = dtype_size(t->dtype) * (size_t)dims_product(t, axis + 1, t->rank),
                 all = size * (size_t)t->dims[axis], kept = size * (size_t)rows;
    Tensor cut = {.type = *t};
    cut.type.dims[axis] = rows;
    cut.data = arena_alloc(arena, type_bytes(&cut.type) + 1);
    for (int64_t k = 0; kept && k < dims_product(t, 0, axis); k++)
        memcpy((char *)cut.data + (size_t)k * kept, (const char *)out->data + (size_t)k * all,
               kept);
    *out = cut;
}

static int compare_all(const Options *o, const Graph *g, Tensor *out, Arena *arena)
{
    char why[512];
    uint32_t done = 0;
    const char *path;
    for (size_t k = 0; (path = data_file(arena, o->folder, "output", k)); k++) {
        Tensor *refs;
        size_t n;
        if (!read_tensors(arena, path, false, &refs, &n, why, sizeof why)) {
            printf("no data for output %u: %s\n", done, why);
            return USAGE;
        }
        for (size_t i = 0; i < n && done < g->n_outputs; i++, done++) {
            for (uint32_t k = 0; k < g->outputs[done].n_counts; k++) {
                const RowCount c = g->outputs[done].counts[k];
                keep_counted(arena, &out[done], c.axis, *(const int64_t *)out[c.by].data);
            }
            const Tensor ref = as_type(arena, refs[i], &out[done].type);
            const int status = compare(o, done, &out[done], &ref, arena);
            if (status)
                return status;
        }
    }
    if (done == g->n_outputs || graph_is_count(g, done)) /* counts stand behind */
        return PASSED;
    printf("no data for output %u: no file\n", done);
    return USAGE;
}

static int run(const Options *o, Graph *g, const Given *inputs, size_t n, Arena *arena)
{
    char why[512];
    Uses uses = graph_uses(g, arena);
    Tensor *in = ARENA_ARRAY(arena, Tensor, g->n_inputs + 1);
    Tensor *out = ARENA_ARRAY(arena, Tensor, g->n_outputs + 1);
    for (uint32_t i = 0; i < g->n_inputs; i++) {
        const ValueId v = g->inputs[i].value;
        if (!read_input(arena, o, inputs, n, g->inputs[i].name, &in[i], why, sizeof why)) {
            printf("no data for input '%s': %s\n", g->inputs[i].name, why);
            return USAGE;
        }
        in[i] = as_type(arena, in[i], type_of(g, v));
        if (!use_count(&uses, v) && !uses.is_output[v.i])
            in[i] = (Tensor){*type_of(g, v), in[i].data}; /* nobody looks */
    }
    if (!eval_graph(g, in, out, arena)) {
        printf("refused: evaluation: %s\n", g->diag->message);
        return REFUSED;
    }
    const int status = compare_all(o, g, out, arena);
    if (status == PASSED)
        printf("passed: %u nodes%s\n", g->n_nodes, o->import.n_binds ? ", inputs bound" : "");
    return status;
}

int main(int argc, char **argv)
{
    Options o;
    if (!read_options(argc, argv, &o)) {
        fprintf(stderr, "usage: eval_onnx MODEL TEST_DATA_DIR [options]\n");
        return USAGE;
    }
    Arena *arena = arena_new();
    Given *inputs = NULL;
    size_t n = model_inputs(arena, o.model, &inputs), n_lists;
    int status;
    shapes_from_files(arena, &o, inputs, n, true);
    n_lists = o.import.n_shapes;
    if (o.auto_shape)
        shapes_from_files(arena, &o, inputs, n, false);
    for (;;) {
        Diag diag = {.arena = arena};
        Graph *g = import_onnx(arena, &diag, o.model, &o.import);
        if (g) {
            status = run(&o, g, inputs, n, arena);
            break;
        }
        if (o.auto_shape &&
            strstr(diag.message, "--shape ")) { /* a file of another rank than declared */
            o.auto_shape = false;
            o.import.n_shapes = n_lists;
            continue;
        }
        if (!o.auto_bind || !bind_more(arena, &o, inputs, n, diag.message)) {
            printf("refused: %s\n", diag.message);
            status = REFUSED;
            break;
        }
    }
    arena_free(arena);
    return status;
}
