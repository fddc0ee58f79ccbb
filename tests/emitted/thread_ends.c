/* A model runs for the first time in a thread that ends, later in another one, and the process ends as ever: nothing that is kept between
 * runs belongs to a thread. SPDX-License-Identifier: Apache-2.0 */
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "m_dnnl.h"

static m_context ctx;
static float x[64 * 512], z[2][64 * 512];

static void *run(void *result)
{
    const m_inputs in = {.x = x};
    const m_outputs out = {.z = result};
    return m_run(&ctx, &in, &out) == M_OK ? result : NULL;
}

int main(void)
{
    const m_config config = {.workspace = aligned_alloc(64, (M_WORKSPACE_SIZE + 63) / 64 * 64),
                             .workspace_size = M_WORKSPACE_SIZE,
                             .fallback = aligned_alloc(64, (m_fallback_size() + 64) / 64 * 64),
                             .fallback_size = m_fallback_size()};
    for (size_t i = 0; i < sizeof x / sizeof *x; i++)
        x[i] = (float)(i % 7) - 3;
    if (m_init(&ctx, &config) != M_OK) {
        puts(m_error(&ctx));
        return 2;
    }
    for (int i = 0; i < 2; i++) {
        pthread_t thread;
        void *ran;
        if (pthread_create(&thread, NULL, run, z[i]) || pthread_join(thread, &ran) || !ran)
            return 3;
    }
    m_fini(&ctx);
    free(config.workspace);
    free(config.fallback);
    return memcmp(z[0], z[1], sizeof *z) != 0;
}
