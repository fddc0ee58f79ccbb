/* How C computes LSTM, GRU and RNN. */
#include "../ops/rnn.h"
#include "../machine/machine.h"
#include "kernel.h"
#include "layers.h"
#include "plan.h"

bool c_rnn_transposes_weights(const Graph *g, const Node *n)
{
    return !is_half(type_of(g, n->in[RNN_X])->dtype) &&
           (!has_value(n->in[RNN_W]) || value_at(g, n->in[RNN_W])->kind == VALUE_CONST) &&
           value_at(g, n->in[RNN_R])->kind == VALUE_CONST;
}

/* A GRU whose state is reset first multiplies each sequence by itself, and so does a layer of sequences of different lengths. Models of several sizes keep weights that all of
 * them read alike. */
bool c_rnn_takes_panels(const Graph *g, const Node *n, int lanes)
{
    enum { SEQUENCES_MIN = 4 };
    const TensorType *x = type_of(g, n->in[RNN_X]), *r = type_of(g, n->in[RNN_R]);
    return lanes >= AVX2_LANES && c_rnn_transposes_weights(g, n) && x->dtype == DT_F32 &&
           g->variants.n == 1 && x->dims[1] >= SEQUENCES_MIN && r->dims[1] % RNN_PANEL == 0 &&
           !has_value(node_in(n, RNN_LENS)) &&
           (n->op != OP_GRU || attr_int(n, "linear_before_reset", 0));
}

/* In this order, of a direction at a time: the sums of all steps, or of one, where products with the inputs are made already; the state; the cells of an LSTM or the state's
 * products of a GRU; the input where it must be widened. */
static size_t elements_of(const CStep *k)
{
    const TensorType *x = type_of(k->g, k->n->in[RNN_X]), *r = type_of(k->g, k->n->in[RNN_R]);
    const size_t steps = (size_t)x->dims[0], batch = (size_t)x->dims[1], input = (size_t)x->dims[2],
                 gates = (size_t)r->dims[1], hidden = (size_t)r->dims[2];
    const size_t own = k->n->op == OP_LSTM ? hidden : k->n->op == OP_GRU ? gates : 0;
    const bool projected = !has_value(k->n->in[RNN_W]);
    const size_t elements = (projected ? 1 : steps) * batch * gates + batch * (hidden + own);
    return is_half(x->dtype) ? elements + steps * batch * input : elements;
}

static size_t element_bytes(const CStep *k)
{
    return type_of(k->g, k->n->in[RNN_X])->dtype == DT_F64 ? 8 : 4;
}

bool fit_rnn(CStep *k)
{
    k->plan->scratch_bytes = elements_of(k) * element_bytes(k);
    return k->plan->variant != C_rnn || c_rnn_transposes_weights(k->g, k->n);
}

/* A step of few units is a chain of operations that wait for each other, and two such chains do not take twice as long. GRUs and LSTMs of 4 to 16 units take 0.56 to 0.85 of the time,
 * of 24 1.02, of 48 1.07 to 1.18 (Zen 4, AVX-512, 40 steps of one sequence). */
bool fit_rnn_both(CStep *k)
{
    enum { SEQUENCES = 2, WEIGHTS = 8 << 10 }; /* bytes */
    const TensorType *x = type_of(k->g, k->n->in[RNN_X]), *r = type_of(k->g, k->n->in[RNN_R]);
    RnnShape s;
    if (k->p->lanes < AVX2_LANES || has_value(node_in(k->n, RNN_LENS)) ||
        !c_rnn_transposes_weights(k->g, k->n) || !rnn_shape(k->g, k->n, x, r, &s) ||
        !rnn_goes_both_ways(&s) || s.batch > SEQUENCES || type_bytes(r) > WEIGHTS)
        return false;
    k->plan->scratch_bytes = 2 * elements_of(k) * element_bytes(k);
    return true;
}

bool fit_rnn_panels(CStep *k)
{
    return c_rnn_takes_panels(k->g, k->n, k->p->lanes) && fit_rnn(k);
}

/* The weights behind that. */
bool fit_rnn_transposing(CStep *k)
{
    const TensorType *x = type_of(k->g, k->n->in[RNN_X]), *r = type_of(k->g, k->n->in[RNN_R]);
    if (c_rnn_transposes_weights(k->g, k->n) || !fit_rnn(k))
        return false;
    const int64_t rows = (has_value(k->n->in[RNN_W]) ? x->dims[2] : 0) + r->dims[2];
    k->plan->scratch_bytes += (size_t)(rows * r->dims[1]) * (x->dtype == DT_F64 ? 8 : 4);
    return true;
}
