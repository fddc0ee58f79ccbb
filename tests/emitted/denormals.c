/* A run takes subnormal numbers for 0, on every thread, or keeps them, as the model was compiled; the caller's own state is as before.
 * SPDX-License-Identifier: Apache-2.0 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "m_dnnl.h"

enum { COUNT = 32 * 64 * 64 };

static float x[COUNT], y[COUNT], read_result[COUNT], made[COUNT], sum[COUNT];

static size_t subnormals(const float *v)
{
    size_t n = 0;
    for (size_t i = 0; i < COUNT; i++)
        n += fpclassify(v[i]) == FP_SUBNORMAL;
    return n;
}

static size_t zeros(const float *v)
{
    size_t n = 0;
    for (size_t i = 0; i < COUNT; i++)
        n += fpclassify(v[i]) == FP_ZERO;
    return n;
}

/* denormals flush|keep */
int main(int argc, char **argv)
{
    const int keep = argc == 2 && !strcmp(argv[1], "keep");
    static m_context ctx;
    const m_config config = {.workspace = aligned_alloc(64, (M_WORKSPACE_SIZE + 63) / 64 * 64),
                             .workspace_size = M_WORKSPACE_SIZE};
    const m_inputs in = {.x = x, .y = y};
    const m_outputs out = {.read = read_result, .made = made, .sum = sum};
    for (size_t i = 0; i < COUNT; i++) {
        x[i] = 1e-39f; /* subnormal */
        y[i] = 1e-10f; /* its fourth power is */
    }
    if (!config.workspace || m_init(&ctx, &config) != M_OK || m_run(&ctx, &in, &out) != M_OK)
        return 2;
    const size_t wanted = keep ? COUNT : 0;
    const size_t got[] = {subnormals(read_result), subnormals(made), subnormals(sum)};
    const size_t nothing = zeros(read_result) + zeros(made) + zeros(sum);
    printf("subnormal: %zu read, %zu made, %zu summed, of %d each; %zu are 0\n", got[0], got[1],
           got[2], COUNT, nothing);
    int wrong = nothing != (keep ? 0 : 3 * (size_t)COUNT);
    for (int i = 0; i < 3; i++)
        wrong |= got[i] != wanted;
    volatile float least = 1e-39f;
    volatile float half = least * 0.5f; /* the caller's arithmetic still has them */
    wrong |= !(half > 0);
    m_fini(&ctx);
    free(config.workspace);
    return wrong;
}
