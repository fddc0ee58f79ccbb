/* Runs the self-test of a model that was compiled with --selftest: whether this device computes what the compiler's evaluator does. */
#include "digits_dnnl.h"
#include "port.h"

static _Alignas(DIGITS_WORKSPACE_ALIGN) unsigned char workspace[DIGITS_WORKSPACE_SIZE];
static _Alignas(64) unsigned char tensors[DIGITS_SELFTEST_SIZE];

int main(void)
{
    static digits_context net;
    size_t output = 0;
    const digits_config config = {.workspace = workspace, .workspace_size = sizeof workspace};
    if (digits_init(&net, &config) != DIGITS_OK ||
        digits_selftest(&net, tensors, sizeof tensors, &output) != DIGITS_OK) {
        port_put("digits: the self-test failed. ");
        port_put(digits_error(&net));
        port_put("\n");
        return 1;
    }
    port_put("digits: the self-test passed\n");
    digits_fini(&net);
    return 0;
}
