/* An emitted model beside ONNX Runtime in one process, in the place of the executable's dnnlc_main.c. SPDX-License-Identifier: Apache-2.0
 *
 *   NAME MODEL.onnx STEPS [INPUT=NUMBER | INPUT=LOW:HIGH]...
 *
 * Every variant runs STEPS times on pseudo-random inputs, integers being 0 and 1, or NUMBER, or from LOW to HIGH - 1, and its outputs are compared with ONNX
 * Runtime's, element by element, within RTOL and ATOL as --check does. Where the model's first dimensions are 1 and the variant's n, ONNX Runtime
 * runs n times on a part each. States are fed back to ONNX Runtime by hand, and another context, with other inputs, runs in between.
 *
 * Exit status: 0 all agree, 1 not, with a line that says where. */
#include "dnnlc_check.h"
#include "dnnlc_main.h"

#include <onnxruntime_c_api.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MAX_PORTS = 64, CONTEXTS = 2 };
static const double RTOL = 1e-3, ATOL = 1e-4; /* as run-models */

typedef struct Runtime {
    const OrtApi *api;
    OrtSession *session;
    OrtMemoryInfo *memory;
    size_t n_inputs, n_outputs;
    char *input[MAX_PORTS], *output[MAX_PORTS];
    int64_t first[MAX_PORTS]; /* dimension of the input; not positive: open */
} Runtime;

/* A context and the arrays that go in and came out. */
typedef struct Context {
    const struct dnnlc_model *model;
    void *context;
    struct dnnlc_array in[MAX_PORTS], out[MAX_PORTS], expected[MAX_PORTS];
} Context;

static const OrtApi *api;

static void fail(const char *what, const char *why)
{
    printf("%s: %s\n", what, why);
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

static void make_arrays(struct dnnlc_array *to, const struct dnnlc_tensor *tensors, size_t n)
{
    char why[256];
    for (size_t i = 0; i < n; i++) {
        const struct dnnlc_tensor *t = &tensors[i];
        if (!dnnlc_array_describe(&to[i], t->dtype, t->rank, t->dims, why, sizeof why) ||
            !dnnlc_array_alloc(&to[i], why, sizeof why))
            fail(t->name, why);
        memset(to[i].data, 0, to[i].bytes);
    }
}

static void *aligned(size_t bytes)
{
    return aligned_alloc(64, (bytes / 64 + 1) * 64);
}

static Context new_context(const struct dnnlc_model *m)
{
    Context c = {.model = m, .context = aligned(m->context_size)};
    memset(c.context, 0, m->context_size);
    if (m->init(c.context, aligned(m->workspace_size), m->workspace_size, NULL, 0, NULL, 0, 1,
                m->variant))
        fail("init", m->error(c.context));
    make_arrays(c.in, m->inputs, m->n_inputs);
    make_arrays(c.out, m->outputs, m->n_outputs);
    make_arrays(c.expected, m->outputs, m->n_outputs);
    return c;
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

static void fill_inputs(Context *c, uint64_t *seed, char **given)
{
    for (size_t i = 0; i < c->model->n_inputs; i++) {
        int64_t low, high;
        range_of(c->model->inputs[i].name, given, &low, &high);
        if (!dnnlc_state_of(c->model, i))
            fill(&c->in[i], seed, low, high);
    }
}

/* Part `part` of `parts` of all inputs; its outputs become that part of what is expected. */
static void run_part(const Runtime *r, Context *c, size_t part, size_t parts)
{
    OrtValue *in[MAX_PORTS] = {0}, *out[MAX_PORTS] = {0};
    for (size_t i = 0; i < r->n_inputs; i++) {
        const struct dnnlc_array *a = &c->in[input_called(c->model, r->input[i])];
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
    const struct dnnlc_array *a = &c->in[input_called(c->model, r->input[0])];
    return a->rank && r->first[0] > 0 ? (size_t)(a->dims[0] / r->first[0]) : 1;
}

static void compare(const Context *c, int step)
{
    for (size_t i = 0; i < c->model->n_outputs; i++) {
        const struct dnnlc_difference d = dnnlc_compare(&c->out[i], &c->expected[i], RTOL, ATOL);
        if (!d.failed)
            continue;
        printf("%s, run %d: %zu elements of '%s' differ, worst [%zu]: %g, reference %g\n",
               c->model->called ? c->model->called : "", step, d.failed, c->model->outputs[i].name,
               d.worst, dnnlc_array_element(&c->out[i], d.worst),
               dnnlc_array_element(&c->expected[i], d.worst));
        exit(1);
    }
}

static void run_both(const Runtime *r, Context *c, int step)
{
    const struct dnnlc_model *m = c->model;
    const void *in[MAX_PORTS];
    void *out[MAX_PORTS];
    const size_t parts = parts_of(r, c);
    for (size_t i = 0; i < m->n_inputs; i++)
        in[i] = c->in[i].data;
    for (size_t i = 0; i < m->n_outputs; i++)
        out[i] = c->out[i].data;
    if (m->run(c->context, in, out))
        fail("run", m->error(c->context));
    for (size_t k = 0; k < m->n_states;
         k++) /* what the output was to be stands where the next run reads it */
        memcpy(c->out[m->states[k].output].data, m->state(c->context, (unsigned)k),
               c->out[m->states[k].output].bytes);
    for (size_t k = 0; k < parts; k++)
        run_part(r, c, k, parts);
    compare(c, step);
    for (size_t k = 0; k < m->n_states; k++)
        memcpy(c->in[m->states[k].input].data, c->expected[m->states[k].output].data,
               c->in[m->states[k].input].bytes);
}

int dnnlc_main(int argc, char **argv, const struct dnnlc_model *model)
{
    if (argc < 3 || model->n_inputs > MAX_PORTS || model->n_outputs > MAX_PORTS)
        fail("usage", "NAME MODEL.onnx STEPS [INPUT=NUMBER | INPUT=LOW:HIGH]...");
    const Runtime r = open_runtime(argv[1]);
    for (unsigned v = 0; v < model->n_variants; v++) {
        Context c[CONTEXTS];
        uint64_t seed = 1;
        for (int k = 0; k < CONTEXTS; k++)
            c[k] = new_context(&model[v]);
        for (int step = 0; step < atoi(argv[2]); step++)
            for (int k = 0; k < CONTEXTS; k++) {
                fill_inputs(&c[k], &seed, argv + 3);
                run_both(&r, &c[k], step);
            }
        for (int k = 0; k < CONTEXTS; k++)
            model->fini(c[k].context);
    }
    return 0;
}
