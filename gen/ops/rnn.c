/* Attributes of the recurrent layers. */
#include "rnn.h"

#include <string.h>
#include <strings.h>

const RnnActInfo rnn_acts[RNN_ACTS] = {
    [RNN_AFFINE] = {"Affine", OP_COUNT, 1, 0, 2},
    [RNN_ELU] = {"Elu", OP_Elu, 1, 0, 1},
    [RNN_HARD_SIGMOID] = {"HardSigmoid", OP_HardSigmoid, 0.2, 0.5, 2},
    [RNN_LEAKY_RELU] = {"LeakyRelu", OP_LeakyRelu, 0.01, 0, 1},
    [RNN_RELU] = {"Relu", OP_Relu, 0, 0, 0},
    [RNN_SCALED_TANH] = {"ScaledTanh", OP_COUNT, 1, 1, 2},
    [RNN_SIGMOID] = {"Sigmoid", OP_Sigmoid, 0, 0, 0},
    [RNN_SOFTPLUS] = {"Softplus", OP_Softplus, 0, 0, 0},
    [RNN_SOFTSIGN] = {"Softsign", OP_Softsign, 0, 0, 0},
    [RNN_TANH] = {"Tanh", OP_Tanh, 0, 0, 0},
    [RNN_THRESHOLDED_RELU] = {"ThresholdedRelu", OP_ThresholdedRelu, 1, 0, 1},
};

bool rnn_find_act(const char *name, size_t n, RnnAct *act)
{
    for (size_t i = 0; i < RNN_ACTS; i++)
        if (strlen(rnn_acts[i].name) == n && !strncasecmp(rnn_acts[i].name, name, n)) {
            *act = (RnnAct){(RnnActKind)i, rnn_acts[i].alpha, rnn_acts[i].beta};
            return true;
        }
    return false;
}

static bool parse_acts(const Graph *g, const Node *n, RnnShape *s)
{
    const char *list = attr_string(n, "activations", "");
    size_t n_alpha, n_beta;
    const double *alpha = attr_floats(n, "activation_alpha", &n_alpha);
    const double *beta = attr_floats(n, "activation_beta", &n_beta);
    const size_t wanted = (size_t)(s->n_acts * s->directions);
    size_t named = *list != 0;
    for (const char *p = list; *p; p++)
        named += *p == ',';
    if (named != wanted)
        return refuse_node(g, n, "%zu activations are named, %zu are needed", named, wanted);
    for (size_t i = 0; i < wanted; i++) {
        size_t length = strcspn(list, ",");
        RnnAct *act = &s->act[i / (size_t)s->n_acts][i % (size_t)s->n_acts];
        if (!rnn_find_act(list, length, act))
            return refuse_node(g, n, "activation '%.*s' is not supported",
                               (int)(length < 40 ? length : 40), list);
        if (alpha && i < n_alpha)
            act->alpha = alpha[i];
        if (beta && i < n_beta)
            act->beta = beta[i];
        list += length + (list[length] == ',');
    }
    return true;
}

bool rnn_shape(const Graph *g, const Node *n, const TensorType *x, const TensorType *r, RnnShape *s)
{
    const char *direction = attr_string(n, "direction", "forward");
    *s = (RnnShape){.steps = x->dims[0],
                    .batch = x->dims[1],
                    .input = x->dims[2],
                    .hidden = r->dims[2],
                    .directions = (int)r->dims[0],
                    .gates = n->op == OP_LSTM  ? 4
                             : n->op == OP_GRU ? 3
                                               : 1,
                    .n_acts = n->op == OP_LSTM  ? 3
                              : n->op == OP_GRU ? 2
                                                : 1,
                    .clip = attr_float(n, "clip", 0),
                    .linear_before_reset = attr_int(n, "linear_before_reset", 0),
                    .input_forget = attr_int(n, "input_forget", 0),
                    .projected = attr_int(n, "projected", 0),
                    .quantised_state = attr_int(n, "quantised_state", 0)};
    s->reverse[0] = !strcmp(direction, "reverse");
    s->reverse[1] = true;
    return parse_acts(g, n, s);
}

bool rnn_goes_both_ways(const RnnShape *s)
{
    for (int i = 0; i < s->n_acts; i++) {
        const RnnAct *a = &s->act[0][i], *b = &s->act[1][i];
        if (a->kind != b->kind || a->alpha != b->alpha || a->beta != b->beta)
            return false;
    }
    return s->directions == 2 && !s->reverse[0] && s->reverse[1];
}
