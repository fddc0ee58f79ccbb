/* What pools and Resize take in C, row-major, and with the channels last, by oneDNN or, pools of few taps, in C; in operations of a loop: set by what ten
 * pools and three Resizes took on Zen 3 with AVX2, and others with their channels last on Zen 4 (docs/measurements.md). */
#include "../kernel/kernel.h"
#include "../ops/ops.h"
#include "../ops/window.h"
#include "choose.h"

#include <math.h>
#include <string.h>

static double count_of(const Graph *g, ValueId v)
{
    return (double)type_count(type_of(g, v));
}

/* Results that oneDNN makes, its vectors filled up. */
static double filled(const Lowering *l, ValueId v)
{
    const double lanes = machine_lanes(&l->machine), channels = (double)type_of(l->g, v)->dims[1];
    return count_of(l->g, v) / channels * lanes * ceil(channels / lanes);
}

/* C reads each row under a result once, and the columns of what that gives, which it has to take apart where windows do not move by one
 * element; oneDNN has a multiply-add for each tap, C with the channels last a load. */
static bool pool_ns(const Lowering *l, const Node *n, double *ns)
{
    const Window w = window_of(n, type_of(l->g, n->in[0]), type_of(l->g, n->out[0]), NULL);
    const int last = w.n - 1;
    const double results = count_of(l->g, n->out[0]), width = (double)w.kernel[last],
                 taps = (double)(w.kernel_size / w.kernel[last]) +
                        (w.stride[last] > 1 ? 2 * width : width);
    bool global;
    if (!c_pools_quickly(l->g, n, machine_lanes(&l->machine), &global))
        return false;
    ns[0] =
        count_of(l->g, n->in[0]) + (global ? count_of(l->g, n->in[0]) : results * (1 + 0.4 * taps));
    ns[1] =
        (c_pools_last(l->g, n) ? 0.3 * (double)(w.kernel_size + 2) : 0.65 * (double)w.kernel_size) *
        filled(l, n->out[0]);
    return true;
}

/* oneDNN starts anew for each pixel. */
static bool resize_ns(const Lowering *l, const Node *n, double *ns)
{
    const Machine *m = &l->machine;
    const TensorType *src = type_of(l->g, n->in[0]), *dst = type_of(l->g, n->out[0]);
    const bool nearest = !strcmp(attr_string(n, "mode", "nearest"), "nearest");
    const double results = count_of(l->g, n->out[0]), pixels = results / (double)dst->dims[1],
                 rows = results / (double)dst->dims[dst->rank - 1],
                 blended = rows * (double)src->dims[src->rank - 1] * (1 << (dst->rank - 3));
    ns[0] = nearest ? 2 * results : 16 * results + 0.5 * blended;
    ns[1] = pixels * m->row_ns * 0.7 / m->loop_ns + (nearest ? 0.5 : 1.5) * filled(l, n->out[0]);
    return dst->dims[1] > 0 && dst->rank >= 3 && src->dtype == DT_F32;
}

bool c_beside_onednn(const Lowering *l, const Node *n, const Composite *c, double *ns)
{
    const char *why;
    if ((c && c->n_nodes > 1) || machine_lanes(&l->machine) == 0 ||
        !c_target_supports(l->g, n, &why) || !(n->op == OP_Resize ? resize_ns : pool_ns)(l, n, ns))
        return false;
    ns[0] = l->machine.kernel_call_ns + l->machine.loop_ns * ns[0];
    ns[1] = l->machine.call_ns + l->machine.loop_ns * ns[1];
    return true;
}
