/* The first failure of a context and its layer are kept, whatever fails later, until the next init.
 * SPDX-License-Identifier: Apache-2.0 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "m_internal.h"

static int wrong;

static void expect(const char *when, const char *got, const char *want)
{
    if (strcmp(got, want) == 0)
        return;
    printf("%s: \"%s\" instead of \"%s\"\n", when, got, want);
    wrong = 1;
}

int main(void)
{
    enum { ONEDNN_FAILED = 5 }; /* dnnl_runtime_error */
    static m_context ctx;
    const m_config small = {0};
    const m_config config = {.workspace = aligned_alloc(64, M_WORKSPACE_SIZE),
                             .workspace_size = M_WORKSPACE_SIZE};
    const m_inputs no_inputs = {0};
    const m_outputs no_outputs = {0};
    if (m_init(&ctx, &small) != M_BAD_ARGUMENT)
        return 2;
    expect("an init that fails", m_error(&ctx),
           "the workspace is missing or smaller than M_WORKSPACE_SIZE");
    if (!config.workspace || m_init(&ctx, &config) != M_OK)
        return 3;
    expect("the next init", m_error(&ctx), "");
    m_ran(&ctx, NULL, 0, ONEDNN_FAILED); /* as a primitive of the first layer does */
    static char layer[256];
    snprintf(layer, sizeof layer, "%s", m_error_layer(&ctx));
    expect("a failure in a layer", m_error(&ctx), "oneDNN failed");
    wrong |= !*layer;
    if (m_run(&ctx, &no_inputs, &no_outputs) != M_BAD_ARGUMENT)
        return 4;
    expect("a null pointer after it", m_error(&ctx), "oneDNN failed");
    expect("its layer", m_error_layer(&ctx), layer);
    m_fini(&ctx);
    if (m_init(&ctx, &config) != M_OK || m_run(&ctx, &no_inputs, &no_outputs) != M_BAD_ARGUMENT)
        return 5;
    expect("a null pointer after init", m_error(&ctx), "an input or output is a null pointer");
    expect("no layer", m_error_layer(&ctx), "");
    m_fini(&ctx);
    free(config.workspace);
    return wrong;
}
