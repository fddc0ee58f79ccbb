/* Portable C for PairwiseCoupling. */
#include "nn.h"

bool emit_c_pairwise_coupling(CKernel *k)
{
    if (nn_emit_empty(k))
        return true;
    Bindings *b = nn_bindings(k);
    bind_int(b, "rows", nn_in(k, 0)->dims[0]);
    bind_int(b, "classes", attr_int(k->node, "classes", 0));
    nn_render(k, "c/coupling.c", b);
    return true;
}
