#include "fake_model.h"

#include <string.h>

struct context {
    float factor;
    const char *error, *layer;
    unsigned char *workspace;
    void (*trace)(void *user, unsigned layer);
    void *user;
};

static size_t no_fallback(void)
{
    return 0;
}
static size_t some_fallback(void)
{
    return 100;
}

static int init(void *ctx, void *workspace, size_t workspace_size, const void *weights,
                size_t weights_size, void *fallback, size_t fallback_size, int threads,
                unsigned variant)
{
    struct context *c = ctx;
    *c = (struct context){.factor = 2, .error = "", .layer = "", .workspace = workspace};
    if (weights && weights_size == 4)
        memcpy(&c->factor, weights, 4);
    if ((uintptr_t)workspace % 128 || workspace_size != 1000 || threads > 4 || threads < 0 ||
        variant != 0 || (fallback_size && (!fallback || (uintptr_t)fallback % 64)))
        return 1;
    memset(workspace, 1, workspace_size);
    return 0;
}

static int bad_init(void *ctx, void *workspace, size_t workspace_size, const void *weights,
                    size_t weights_size, void *fallback, size_t fallback_size, int threads,
                    unsigned variant)
{
    struct context *c = ctx;
    init(ctx, workspace, workspace_size, weights, weights_size, fallback, fallback_size, threads,
         variant);
    c->error = "not on this CPU";
    c->layer = "conv\n1";
    return 3;
}

static int run(void *ctx, const void *const *in, void *const *out)
{
    struct context *c = ctx;
    const float *x = in[0];
    const int64_t *m = in[1];
    float *y = out[0];
    int64_t *n = out[1];
    for (int i = 0; i < 3; i++)
        y[i] = c->factor * x[i];
    if (c->trace)
        c->trace(c->user, 0);
    *n = -*m;
    if (c->trace)
        c->trace(c->user, 1);
    return 0;
}

/* Layer 0 writes numbers from 0 on into the workspace, as many as there are with the gaps; layer 1 is not run. */
static int run_blocks(void *ctx, const void *const *in, void *const *out)
{
    struct context *c = ctx;
    for (unsigned i = 0; i < 20; i++)
        c->workspace[4 + i] = (unsigned char)i;
    if (c->trace)
        c->trace(c->user, 0);
    return run(ctx, in, out);
}

static int run_constant(void *ctx, const void *const *in, void *const *out)
{
    (void)ctx, (void)in;
    *(uint8_t *)out[0] = 7;
    return 0;
}

static int bad_run(void *ctx, const void *const *in, void *const *out)
{
    (void)ctx, (void)in, (void)out;
    return 4;
}

static void fini(void *ctx)
{
    memset(ctx, 0xff, sizeof(struct context));
}
static const char *error(const void *ctx)
{
    return ((const struct context *)ctx)->error;
}
static const char *error_layer(const void *ctx)
{
    return ((const struct context *)ctx)->layer;
}

static void set_trace(void *ctx, void (*fn)(void *user, unsigned layer), void *user)
{
    struct context *c = ctx;
    c->trace = fn;
    c->user = user;
}

static const struct dnnlc_tensor inputs[] = {
    {.name = "x", .dtype = 1, .rank = 2, .dims = {1, 3}, .bytes = 12},
    {.name = "x=m", .dtype = 7, .rank = 0, .bytes = 8}};
static const struct dnnlc_tensor outputs[] = {
    {.name = "y", .dtype = 1, .rank = 2, .dims = {1, 3}, .bytes = 12},
    {.name = "n\n", .dtype = 7, .rank = 0, .bytes = 8}};
static const struct dnnlc_tensor bad_outputs[] = {
    {.name = "y", .dtype = 1, .rank = 2, .dims = {1, 3}, .bytes = 13}};
static const struct dnnlc_tensor constant_outputs[] = {{.name = "z", .dtype = 2, .bytes = 1}};
static const struct dnnlc_count bad_counts[] = {{.output = 0, .axis = 1, .count = 1}};
static const struct dnnlc_layer layers[] = {
    {"double", "Mul", "f32[1,3] by 2", "fake_c_0", "C \"two\"", 3, 12, 12},
    {"negate", "Neg", "", "fake_c_0", "C", 0, 12, 12}};

#define VARIANT                                                                                    \
    .name = "fake", .compiler_version = "0.1", .onednn_version = "3.7.2", .isa = "avx2",           \
    .model_hash = "abc", .target = "c", .layers = layers, .n_layers = 2, .workspace_size = 1000,   \
    .workspace_align = 128, .context_size = sizeof(struct context), .threads = 4, .fini = fini,    \
    .error = error, .error_layer = error_layer, .set_trace = set_trace
#define COMMON VARIANT, .n_variants = 1
#define TENSORS .inputs = inputs, .n_inputs = 2, .outputs = outputs, .n_outputs = 2

const struct dnnlc_model fake_model = {COMMON, TENSORS, .fallback_size = some_fallback,
                                       .init = init, .run = run};
const struct dnnlc_model fake_model_with_file = {COMMON,
                                                 TENSORS,
                                                 .fallback_size = NULL,
                                                 .init = init,
                                                 .run = run,
                                                 .weights_size = 4,
                                                 .weights_file = "fake_weights.bin"};
const struct dnnlc_model fake_constant = {COMMON,         .outputs = constant_outputs,
                                          .n_outputs = 1, .fallback_size = no_fallback,
                                          .init = init,   .run = run_constant};
const struct dnnlc_model fake_bad_init = {COMMON, TENSORS, .init = bad_init, .run = run};
const struct dnnlc_model fake_bad_run = {COMMON, TENSORS, .fallback_size = no_fallback,
                                         .init = init, .run = bad_run};
const struct dnnlc_model fake_bad_count = {COMMON,
                                           TENSORS,
                                           .fallback_size = no_fallback,
                                           .init = init,
                                           .run = run,
                                           .counts = bad_counts,
                                           .n_counts = 1};
static const struct dnnlc_bound bounds[] = {{.input = 0, .axis = 1, .most = 3}};
const struct dnnlc_model fake_bounded = {COMMON,        TENSORS,
                                         .init = init,  .fallback_size = no_fallback,
                                         .run = run,    .bounds = bounds,
                                         .n_bounds = 1};
#define OF_TWO                                                                                     \
    VARIANT, TENSORS, .fallback_size = no_fallback, .init = init, .run = run, .n_variants = 2
const struct dnnlc_model fake_variants[] = {{OF_TWO, .called = "one"}, {OF_TWO, .called = "two"}};
const struct dnnlc_model fake_bad_table = {COMMON,         .outputs = bad_outputs,
                                           .n_outputs = 1, .fallback_size = no_fallback,
                                           .init = init,   .run = run};
const struct dnnlc_model fake_blocks = {COMMON, TENSORS, .fallback_size = no_fallback, .init = init,
                                        .run = run_blocks};
