/* What net_init refuses, by an error code and a reason, before it touches anything: a workspace or weights that are too small, misaligned, missing or
 * of another model or version, too many threads, no such variant. The model m; the argument is its file of weights, where it has one. */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "m_dnnl.h"

static _Alignas(64) unsigned char workspace[M_WORKSPACE_SIZE + 64];
static unsigned char *weights; /* with room for 64 bytes more */
static const m_config good = {.workspace = workspace, .workspace_size = M_WORKSPACE_SIZE};
static int wrong;

static void refused(int line, const m_config *config, const char *why)
{
    static m_context ctx;
    const m_inputs in = {0};
    const m_outputs out = {0};
    const m_status status = m_init(&ctx, config);
    if (status == M_BAD_ARGUMENT && strcmp(m_error(&ctx), why) == 0 &&
        m_run(&ctx, &in, &out) == M_BAD_ARGUMENT)
        return;
    printf("line %d: status %d, \"%s\" instead of \"%s\"\n", line, (int)status, m_error(&ctx), why);
    wrong = 1;
}

/* A member of a good configuration is another, after which it is refused. */
#define REFUSED(member, value, why)                                                                \
    do {                                                                                           \
        m_config config = good_one();                                                              \
        config.member = value;                                                                     \
        refused(__LINE__, &config, why);                                                           \
    } while (0)

static m_config good_one(void)
{
    m_config config = good;
    config.weights = weights;
    config.weights_size = weights ? M_WEIGHTS_SIZE : 0;
    return config;
}

static void of_the_workspace(void)
{
    static const char small[] = "the workspace is missing or smaller than M_WORKSPACE_SIZE";
    refused(__LINE__, NULL, "no configuration");
    REFUSED(workspace, NULL, small);
    REFUSED(workspace_size, M_WORKSPACE_SIZE - 1, small);
    REFUSED(workspace_size, 0, small);
    REFUSED(workspace, workspace + 1, "the workspace is not aligned to M_WORKSPACE_ALIGN");
    REFUSED(workspace, workspace + 32, "the workspace is not aligned to M_WORKSPACE_ALIGN");
}

/* One byte of the file is another, at the head or in what it holds. */
static void damaged(size_t at, const char *why)
{
    const m_config config = good_one();
    weights[at] ^= 16;
    refused((int)at, &config, why);
    weights[at] ^= 16;
}

static void of_the_weights(void)
{
#ifdef M_HAS_FALLBACK
    static const char misaligned[] = "the weights or the fallback buffer are not 64-byte aligned";
#else
    static const char misaligned[] = "the weights are not 64-byte aligned";
#endif
    static const char size[] = "the weights do not have M_WEIGHTS_SIZE bytes";
    REFUSED(weights_size, M_WEIGHTS_SIZE - 1, size);
    REFUSED(weights_size, M_WEIGHTS_SIZE + 1, size);
    REFUSED(weights_size, 0, size);
    REFUSED(weights, weights + 32, misaligned);
    REFUSED(weights, NULL,
            "this model was compiled with --weights file: config.weights must be set");
    damaged(0, "this is no file of weights, or one of another version of dnnlc");
    damaged(7, "this is no file of weights, or one of another version of dnnlc");
    damaged(8, "the weights are of another size than the model wants");
    damaged(16, "the weights are those of another model, or of other options");
    damaged(24, "the weights are damaged");
    damaged(M_WEIGHTS_SIZE - 1, "the weights are damaged");
}

static void read_weights(const char *path)
{
    FILE *file = fopen(path, "rb");
    weights = aligned_alloc(64, (M_WEIGHTS_SIZE + 127) / 64 * 64);
    if (!file || !weights || fread(weights, 1, M_WEIGHTS_SIZE, file) != M_WEIGHTS_SIZE)
        exit(2);
    fclose(file);
}

int main(int argc, char **argv)
{
    static m_context ctx;
    if (argc > 1)
        read_weights(argv[1]);
    of_the_workspace();
    if (weights)
        of_the_weights();
#ifdef M_HAS_FALLBACK
    REFUSED(threads, -1, "more threads than the model was compiled for");
    REFUSED(threads, 4096, "more threads than the model was compiled for");
    REFUSED(fallback, workspace + 1, "the weights or the fallback buffer are not 64-byte aligned");
#endif
#ifdef M_VARIANTS
    REFUSED(variant, -1, "there is no such variant");
    REFUSED(variant, M_VARIANTS + 1, "there is no such variant");
#endif
    const m_config config = good_one();
    if (m_init(&ctx, &config) != M_OK || m_init(NULL, &config) != M_BAD_ARGUMENT ||
        m_run(NULL, NULL, NULL) != M_BAD_ARGUMENT)
        wrong |= printf("what is right is refused, or what is none is not: %s\n", m_error(&ctx));
    m_fini(&ctx);
    free(weights);
    return wrong != 0;
}
