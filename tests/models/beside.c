/* An emitted model beside ONNX Runtime in one process, in the place of the executable's dnnlc_main.c. SPDX-License-Identifier: Apache-2.0
 *
 *   NAME MODEL.onnx STEPS [INPUT=NUMBER | INPUT=LOW:HIGH | DIMENSION=LEAST]...
 *
 * Every variant runs STEPS times on pseudo-random inputs, integers being 0 and 1, or NUMBER, or from LOW to HIGH - 1, and its outputs are compared with ONNX
 * Runtime's, element by element, within RTOL and ATOL as --check does. Where the model's first dimensions are 1 and the variant's n, ONNX Runtime
 * runs n times on a part each. States, also those that become longer, are fed back to ONNX Runtime by hand, and another context, with other inputs, runs in between.
 * A model with bounded dimensions runs at every size from LEAST (0) to the bound, all of them with all of the others, and back in the next step. ONNX Runtime
 * gets inputs of that size; the model's have all bits set behind their rows, as outputs and the workspace have before each run: NaN, -1. Behind the last element
 * that is there memory ends.
 *
 * Exit status: 0 all agree, 1 not, with a line that says where. */
#include "dnnlc_check.h"
#include "dnnlc_inputs.h"
#include "dnnlc_main.h"

#include <onnxruntime_c_api.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

enum { MAX_PORTS = 64, MAX_SIZES = 8, CONTEXTS = 2, PAGE = 4096 };
static const double RTOL = 1e-3, ATOL = 1e-4; /* as run-models */

typedef struct Runtime {
    const OrtApi *api;
    OrtSession *session;
    OrtMemoryInfo *memory;
    size_t n_inputs, n_outputs;
    char *input[MAX_PORTS], *output[MAX_PORTS];
    int64_t first[MAX_PORTS]; /* dimension of the input; not positive: open */
} Runtime;

/* A context with what goes in and comes out, and the same for ONNX Runtime: arrays of the size at hand. */
typedef struct Context {
    struct dnnlc_session session;
    struct dnnlc_array in[MAX_PORTS], expected[MAX_PORTS];
    void *pages[MAX_PORTS]; /* where the model reads inputs with a bound */
    size_t page_bytes[MAX_PORTS];
} Context;

static const OrtApi *api;
static char why[512]; /* what the executable's functions say where they fail */

static void fail(const char *what, const char *reason)
{
    printf("%s: %s\n", what, reason);
    exit(1);
}

static void must(OrtStatus *status)
{
    if (status)
        fail("ONNX Runtime", api->GetErrorMessage(status));
}

static Runtime open_runtime(const char *path)
{
    Runtime r = {0};
    OrtEnv *env;
    OrtSessionOptions *options;
    OrtAllocator *allocator;
    api = OrtGetApiBase()->GetApi(ORT_API_VERSION);
    must(api->CreateEnv(ORT_LOGGING_LEVEL_ERROR, "beside", &env));
    must(api->CreateSessionOptions(&options));
    must(api->SetIntraOpNumThreads(options, 1));
    must(api->CreateSession(env, path, options, &r.session));
    must(api->GetAllocatorWithDefaultOptions(&allocator));
    must(api->CreateCpuMemoryInfo(OrtDeviceAllocator, OrtMemTypeDefault, &r.memory));
    must(api->SessionGetInputCount(r.session, &r.n_inputs));
    must(api->SessionGetOutputCount(r.session, &r.n_outputs));
    for (size_t i = 0; i < r.n_inputs; i++) {
        OrtTypeInfo *type;
        const OrtTensorTypeAndShapeInfo *shape;
        size_t rank;
        int64_t dims[DNNLC_MAX_RANK] = {0};
        must(api->SessionGetInputName(r.session, i, allocator, &r.input[i]));
        must(api->SessionGetInputTypeInfo(r.session, i, &type));
        must(api->CastTypeInfoToTensorInfo(type, &shape));
        must(api->GetDimensionsCount(shape, &rank));
        must(api->GetDimensions(shape, dims, rank));
        r.first[i] = dims[0];
        api->ReleaseTypeInfo(type);
    }
    for (size_t i = 0; i < r.n_outputs; i++)
        must(api->SessionGetOutputName(r.session, i, allocator, &r.output[i]));
    return r;
}

static size_t input_called(const struct dnnlc_model *m, const char *name)
{
    size_t i = 0;
    while (i < m->n_inputs && strcmp(m->inputs[i].name, name) != 0)
        i++;
    if (i == m->n_inputs)
        fail(name, "no such input");
    return i;
}

/* An array for the tensor; all zero. */
static void make(struct dnnlc_array *a, const struct dnnlc_tensor *t)
{
    if (!dnnlc_array_describe(a, t->dtype, t->rank, t->dims, why, sizeof why) ||
        !dnnlc_array_alloc(a, why, sizeof why))
        fail(t->name, why);
    memset(a->data, 0, a->bytes);
}

/* How large bounded dimension d is, as a run is told or, by the rows of a state, as the context knows. */
static int64_t size_of(const Context *c, size_t d)
{
    const struct dnnlc_model *m = c->session.model;
    for (size_t k = 0; dnnlc_state_of(m, m->n_inputs + d) && k < m->n_bounds; k++)
        if (m->bounds[k].dimension == d && dnnlc_state_of(m, m->bounds[k].input))
            return c->in[m->bounds[k].input].dims[m->bounds[k].axis];
    return c->session.rows[d];
}

/* Input i as it is at these sizes; a state without a row. */
static struct dnnlc_tensor input_at(const Context *c, size_t i)
{
    const struct dnnlc_model *m = c->session.model;
    struct dnnlc_tensor t = m->inputs[i];
    for (size_t k = 0; k < m->n_bounds; k++) {
        const struct dnnlc_bound *b = &m->bounds[k];
        if (b->input == i && dnnlc_state_of(m, i))
            t.dims[b->axis] = 0;
        else if (b->input == i)
            t.dims[b->axis] -= b->most - size_of(c, b->dimension);
    }
    return t;
}

static void new_context(Context *c, const struct dnnlc_model *m)
{
    *c = (Context){0};
    if (!dnnlc_session_open(&c->session, m, why, sizeof why) ||
        !dnnlc_session_start(&c->session, 1, why, sizeof why))
        fail("start", why);
    for (size_t i = 0; i < m->n_inputs; i++) {
        const struct dnnlc_tensor t = input_at(c, i);
        if (dnnlc_state_of(m, i))
            make(&c->in[i], &t);
    }
}

static void unmap(Context *c, size_t i)
{
    if (c->pages[i])
        munmap(c->pages[i], c->page_bytes[i]);
    c->pages[i] = NULL;
}

static void close_context(Context *c)
{
    for (size_t i = 0; i < MAX_PORTS; i++) {
        unmap(c, i);
        dnnlc_array_free(&c->in[i]);
        dnnlc_array_free(&c->expected[i]);
    }
    dnnlc_session_close(&c->session);
}

/* Uniform in [-1, 1); integers from `low` to `high` - 1. */
static void fill(struct dnnlc_array *a, uint64_t *seed, int64_t low, int64_t high)
{
    const size_t size = a->count ? a->bytes / a->count : 0;
    for (size_t i = 0; i < a->count; i++) {
        *seed = *seed * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
        const uint32_t random = (uint32_t)(*seed >> 40); /* 24 bits */
        const float real = (float)random * 0x1p-23f - 1;
        const int64_t whole = low + (int64_t)random % (high - low);
        memcpy((char *)a->data + i * size, a->dtype == 1 ? (const void *)&real : &whole, size);
    }
}

/* The numbers that the command line has for integers of an input: one, or those from one up to another. */
static void range_of(const char *name, char **given, int64_t *low, int64_t *high)
{
    const size_t length = strlen(name);
    *low = 0;
    *high = 2;
    for (; *given; given++)
        if (!strncmp(*given, name, length) && (*given)[length] == '=') {
            char *end;
            *low = strtoll(*given + length + 1, &end, 10);
            *high = *end == ':' ? strtoll(end + 1, NULL, 10) : *low + 1;
        }
}

/* The model reads input i from memory that ends behind the last element that is there. */
static void guard(Context *c, size_t i)
{
    const struct dnnlc_array *a = &c->session.inputs[i], *is = &c->in[i];
    size_t size = a->bytes, there = 1;
    bool bounded = false;
    for (int d = 0; d < a->rank; d++) {
        bounded |= dnnlc_bound_of(c->session.model, i, d) != NULL;
        size /= (size_t)a->dims[d]; /* in the end of an element */
        there = (there - 1) * (size_t)a->dims[d] + (size_t)is->dims[d];
    }
    if (!bounded)
        return;
    there = is->count ? there * size : 0;
    const size_t end = (there / PAGE + 1) * PAGE;
    unmap(c, i);
    c->page_bytes[i] = end + PAGE;
    char *pages =
        mmap(NULL, end + PAGE, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (pages == MAP_FAILED || mprotect(pages + end, PAGE, PROT_NONE))
        fail("mmap", "no memory that ends");
    c->pages[i] = pages;
    c->session.in[i] = memcpy(pages + end - there, a->data, there);
}

/* Inputs of these sizes: ONNX Runtime's, and the model's, which has place for as many as there can be. */
static void fill_inputs(Context *c, uint64_t *seed, char **given, const int64_t *sizes)
{
    const struct dnnlc_model *m = c->session.model;
    memcpy(c->session.rows, sizes, m->n_dimensions * sizeof *sizes);
    for (size_t i = 0; i < m->n_inputs; i++) {
        int64_t low, high;
        struct dnnlc_array copy = {0};
        const struct dnnlc_tensor t = input_at(c, i);
        if (dnnlc_state_of(m, i))
            continue;
        dnnlc_array_free(&c->in[i]);
        make(&c->in[i], &t);
        range_of(m->inputs[i].name, given, &low, &high);
        fill(&c->in[i], seed, low, high);
        make(&copy, &t);
        if (copy.bytes > 0)
            memcpy(copy.data, c->in[i].data, copy.bytes);
        if (!dnnlc_input_set(&c->session, i, &copy, "", why, sizeof why))
            fail("input", why);
        guard(c, i);
    }
}

/* Part `part` of `parts` of all inputs; its outputs become that part of what is expected. */
static void run_part(const Runtime *r, Context *c, size_t part, size_t parts)
{
    OrtValue *in[MAX_PORTS] = {0}, *out[MAX_PORTS] = {0};
    for (size_t i = 0; i < r->n_inputs; i++) {
        const struct dnnlc_array *a = &c->in[input_called(c->session.model, r->input[i])];
        int64_t dims[DNNLC_MAX_RANK];
        memcpy(dims, a->dims, sizeof dims);
        dims[0] /= (int64_t)parts;
        must(api->CreateTensorWithDataAsOrtValue(
            r->memory, (char *)a->data + a->bytes / parts * part, a->bytes / parts, dims,
            (size_t)a->rank, (ONNXTensorElementDataType)a->dtype, &in[i]));
    }
    must(api->Run(r->session, NULL, (const char *const *)r->input, (const OrtValue *const *)in,
                  r->n_inputs, (const char *const *)r->output, r->n_outputs, out));
    for (size_t i = 0; i < r->n_outputs; i++) {
        void *data;
        size_t count;
        OrtTensorTypeAndShapeInfo *shape;
        struct dnnlc_array *a = &c->expected[i];
        must(api->GetTensorTypeAndShape(out[i], &shape));
        must(api->GetTensorShapeElementCount(shape, &count));
        if (count != a->count / parts)
            fail(r->output[i], "another number of elements");
        must(api->GetTensorMutableData(out[i], &data));
        memcpy((char *)a->data + a->bytes / parts * part, data, a->bytes / parts);
        api->ReleaseTensorTypeAndShapeInfo(shape);
        api->ReleaseValue(out[i]);
    }
    for (size_t i = 0; i < r->n_inputs; i++)
        api->ReleaseValue(in[i]);
}

/* How many runs of a model whose first dimensions are numbers the sizes at hand take. */
static size_t parts_of(const Runtime *r, const Context *c)
{
    const struct dnnlc_array *a = &c->in[input_called(c->session.model, r->input[0])];
    return a->rank && r->first[0] > 0 ? (size_t)(a->dims[0] / r->first[0]) : 1;
}

static void compare(const Context *c, int step)
{
    const struct dnnlc_model *m = c->session.model;
    for (size_t i = 0; i < dnnlc_model_outputs(m); i++) {
        const struct dnnlc_array *out = &c->session.outputs[i], *expected = &c->expected[i];
        const struct dnnlc_difference d = dnnlc_compare(out, expected, RTOL, ATOL);
        if (!d.failed)
            continue;
        printf("%s, run %d, ", m->called ? m->called : "", step);
        for (size_t k = 0; k < m->n_dimensions; k++)
            printf("%s=%lld, ", m->inputs[m->n_inputs + k].name, (long long)size_of(c, k));
        printf("%zu elements of '%s' differ, worst [%zu]: %g, reference %g\n", d.failed,
               m->outputs[i].name, d.worst, dnnlc_array_element(out, d.worst),
               dnnlc_array_element(expected, d.worst));
        exit(1);
    }
}

/* What nothing has been written to yet shows where it is read. A workspace with states is left as it is. */
static void poison(struct dnnlc_session *s)
{
    for (size_t i = 0; i < s->model->n_outputs; i++)
        memset(s->out[i], 0xff, s->model->outputs[i].bytes);
    if (s->model->n_states == 0)
        memset(s->workspace, 0xff, s->model->workspace_size);
}

/* A state may have become longer. */
static void feed_back(Context *c, size_t i, const struct dnnlc_array *next)
{
    struct dnnlc_tensor t = c->session.model->inputs[i];
    memcpy(t.dims, next->dims, sizeof t.dims);
    dnnlc_array_free(&c->in[i]);
    make(&c->in[i], &t);
    memcpy(c->in[i].data, next->data, next->bytes);
}

static void run_both(const Runtime *r, Context *c, int step)
{
    const struct dnnlc_model *m = c->session.model;
    const size_t parts = parts_of(r, c);
    poison(&c->session);
    if (!dnnlc_session_run(&c->session, why, sizeof why) ||
        !dnnlc_session_trim(&c->session, why, sizeof why))
        fail("run", why);
    for (size_t i = 0; i < dnnlc_model_outputs(m); i++) {
        struct dnnlc_tensor t = m->outputs[i];
        memcpy(t.dims, c->session.outputs[i].dims, sizeof t.dims);
        dnnlc_array_free(&c->expected[i]);
        make(&c->expected[i], &t);
    }
    for (size_t k = 0; k < parts; k++)
        run_part(r, c, k, parts);
    compare(c, step);
    for (size_t i = 0; i < m->n_inputs; i++)
        if (dnnlc_state_of(m, i))
            feed_back(c, i, &c->expected[dnnlc_state_of(m, i)->output]);
}

/* A bounded dimension, from its least size to its largest. */
typedef struct Range {
    int64_t least, most;
} Range;

/* Those of the model's bounded dimensions; a size that says nothing where the context knows how large one is. */
static size_t ranges_of(const struct dnnlc_model *m, char **given, Range ranges[MAX_SIZES])
{
    if (m->n_dimensions > MAX_SIZES)
        fail(m->inputs[m->n_inputs].name, "too many bounded dimensions");
    for (size_t d = 0; d < m->n_dimensions; d++) {
        int64_t high;
        ranges[d] = (Range){0, 0};
        if (dnnlc_state_of(m, m->n_inputs + d))
            continue;
        range_of(m->inputs[m->n_inputs + d].name, given, &ranges[d].least, &high);
        for (size_t k = 0; k < m->n_bounds; k++)
            if (m->bounds[k].dimension == d)
                ranges[d].most = m->bounds[k].most;
    }
    return m->n_dimensions;
}

static void run_variant(const Runtime *r, const struct dnnlc_model *m, int steps, char **given)
{
    Context c[CONTEXTS];
    Range ranges[MAX_SIZES];
    const size_t n = ranges_of(m, given, ranges);
    uint64_t seed = 1;
    int64_t all = 1;
    for (size_t d = 0; d < n; d++)
        all *= ranges[d].most - ranges[d].least + 1;
    for (int k = 0; k < CONTEXTS; k++)
        new_context(&c[k], m);
    for (int step = 0; step < steps; step++)
        for (int64_t i = 0; i < all; i++)
            for (int k = 0; k < CONTEXTS; k++) {
                int64_t sizes[MAX_SIZES], rest = step % 2 ? all - 1 - i : i;
                for (size_t d = 0; d < n; d++) {
                    const int64_t has = ranges[d].most - ranges[d].least + 1;
                    sizes[d] = ranges[d].least + rest % has;
                    rest /= has;
                }
                fill_inputs(&c[k], &seed, given, sizes);
                run_both(r, &c[k], step);
            }
    for (int k = 0; k < CONTEXTS; k++)
        close_context(&c[k]);
}

int dnnlc_main(int argc, char **argv, const struct dnnlc_model *model)
{
    if (argc < 3 || model->n_inputs > MAX_PORTS || model->n_outputs > MAX_PORTS)
        fail("usage", "NAME MODEL.onnx STEPS [INPUT=NUMBER | INPUT=LOW:HIGH | DIMENSION=LEAST]...");
    const Runtime r = open_runtime(argv[1]);
    for (unsigned v = 0; v < model->n_variants; v++)
        run_variant(&r, &model[v], atoi(argv[2]), argv + 3);
    return 0;
}
