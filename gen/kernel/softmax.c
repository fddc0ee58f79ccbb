/* How C computes softmax, its logarithm and Hardmax. */
#include "../machine/machine.h"
#include "kernel.h"
#include "layers.h"
#include "plan.h"

SoftmaxShape softmax_shape(const Graph *g, const Node *n)
{
    const TensorType *t = type_of(g, n->in[0]);
    const int axis = (int)attr_int(n, "axis", t->rank - 1),
              end = (int)attr_int(n, "axis_end", axis + 1);
    return (SoftmaxShape){dims_product(t, 0, axis), dims_product(t, axis, end),
                          dims_product(t, end, t->rank)};
}

/* Elements taken at a time: what a vector of 4, 8, 16 takes, in tenths of nanoseconds. The last one of a row may take some that the one in
 * front of it has taken. Measured with AVX-512, and with AVX2 on a Zen 3. */
static int64_t lanes_for(int64_t size, int machine_lanes)
{
    static const int wide[] = {43, 50, 63}, narrow[] = {43, 47, 94};
    enum { LEAST = 4 };
    const int *takes = machine_lanes == AVX2_LANES ? narrow : wide;
    int64_t best = LEAST, least = INT64_MAX;
    for (size_t i = 0; i < COUNT_OF(wide); i++) {
        const int64_t lanes = (int64_t)LEAST << i;
        const int64_t cost = divide_up(size, lanes) * takes[i];
        if (size >= lanes && cost < least) {
            best = lanes;
            least = cost;
        }
    }
    return best;
}

bool fit_hardmax(CStep *k)
{
    return k->n->op == OP_Hardmax;
}

/* Rows of more than one and a half or two vectors are: docs/measurements.md. */
static bool quicker_along(int64_t size, int machine_lanes)
{
    return size > (machine_lanes == AVX2_LANES ? 16 : 22) && machine_lanes >= AVX2_LANES;
}

/* Blocks of rows that are transposed on the stack. In blocks of 16, and with clang of 32, compilers unroll the loops before they look for
 * vectors. */
bool fit_softmax_across(CStep *k)
{
    enum { WIDTH = 64, LEAST_WIDTH = 32, LEAST_ROWS = 16 };
    const SoftmaxShape s = softmax_shape(k->g, k->n);
    const bool wide = type_of(k->g, k->n->in[0])->dtype == DT_F64;
    const int64_t most = s.size ? C_STACK_BYTES / (s.size * (wide ? 8 : 4)) : 0;
    k->iterations = s.outer;
    k->operations = 5 * (double)(s.outer * s.size);
    return !quicker_along(s.size, k->p->lanes) && k->n->op != OP_Hardmax && s.inner == 1 &&
           s.outer >= LEAST_ROWS && most >= LEAST_WIDTH &&
           c_free_number(&k->plan->width, most < WIDTH ? LEAST_WIDTH : WIDTH, most);
}

bool fit_softmax_rows(CStep *k)
{
    const SoftmaxShape s = softmax_shape(k->g, k->n);
    k->iterations = s.outer;
    k->operations = 10 * (double)(s.outer * s.size);
    return k->n->op != OP_Hardmax && s.inner == 1 &&
           c_free_lanes(k->plan, lanes_for(s.size, k->p->lanes));
}

/* `width` neighbouring vectors side by side. */
bool fit_softmax_planes(CStep *k)
{
    enum { MOST = 1024 };
    const SoftmaxShape s = softmax_shape(k->g, k->n);
    const bool wide = type_of(k->g, k->n->in[0])->dtype == DT_F64;
    k->iterations = s.outer;
    k->operations = 10 * (double)(s.outer * s.size * s.inner);
    return k->n->op != OP_Hardmax && s.inner > 1 &&
           c_free_number(&k->plan->width, wide ? 128 : 256, MOST);
}
