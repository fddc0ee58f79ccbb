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

/* In this order: the sums of all steps, or of one, where products with the inputs are made already; the state; the cells of an LSTM or the state's products of a GRU; the
 * input where it must be widened. */
bool fit_rnn(CStep *k)
{
    const TensorType *x = type_of(k->g, k->n->in[RNN_X]), *r = type_of(k->g, k->n->in[RNN_R]);
    const size_t steps = (size_t)x->dims[0], batch = (size_t)x->dims[1], input = (size_t)x->dims[2],
                 gates = (size_t)r->dims[1], hidden = (size_t)r->dims[2];
    const size_t own = k->n->op == OP_LSTM ? hidden : k->n->op == OP_GRU ? gates : 0;
    const bool projected = !has_value(k->n->in[RNN_W]);
    size_t elements = (projected ? 1 : steps) * batch * gates + batch * (hidden + own);
    if (is_half(x->dtype))
        elements += steps * batch * input;
    k->plan->scratch_bytes = elements * (x->dtype == DT_F64 ? 8 : 4);
    return k->plan->variant != C_rnn || c_rnn_transposes_weights(k->g, k->n);
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
