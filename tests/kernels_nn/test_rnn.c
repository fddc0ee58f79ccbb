/* Recurrent layers: directions, lengths, states, peepholes, every activation. */
#include "nn.h"

#include "../../gen/ops/rnn.h"

typedef struct RnnCase {
    Op op;
    DType type;
    const char *direction, *activations;
    int64_t steps, batch, input, hidden;
    bool bias, lengths, state, peephole;
    double clip;
    int64_t linear, coupled, quantised;
    bool projected;
} RnnCase;

static const RnnCase cases[] = {
    {OP_LSTM, DT_F32, "forward", "Sigmoid,Tanh,Tanh", 5, 2, 7, 20, true, false, false, false, 0, 0,
     0, 0, false},
    {OP_LSTM, DT_F32, "bidirectional", "Sigmoid,Tanh,Tanh,Sigmoid,Tanh,Tanh", 5, 3, 33, 17, true,
     true, true, true, 0, 0, 0, 0, false},
    {OP_LSTM, DT_F64, "reverse", "HardSigmoid,Softsign,Relu", 4, 2, 3, 4, false, true, true, false,
     0.5, 0, 1, 0, false},
    {OP_LSTM, DT_F16, "reverse", "Sigmoid,Tanh,Tanh", 4, 2, 3, 4, true, false, true, true, 0, 0, 0,
     0, false},
    {OP_LSTM, DT_F32, "bidirectional", "Sigmoid,Tanh,Tanh,Sigmoid,Tanh,Tanh", 5, 3, 4, 8, true,
     false, true, false, 0, 0, 0, 1, false},
    {OP_LSTM, DT_F32, "bidirectional", "Sigmoid,Tanh,Tanh,HardSigmoid,Softsign,Relu", 4, 3, 5, 31,
     true, true, true, false, 0.5, 0, 0, 0, false},
    {OP_LSTM, DT_F32, "forward", "Sigmoid,Tanh,Tanh", 4, 1, 5, 14, true, false, true, false, 0, 0,
     1, 0, false},
    {OP_GRU, DT_F32, "forward", "Sigmoid,Tanh", 5, 2, 7, 20, true, false, false, false, 0, 0, 0, 0,
     false},
    {OP_GRU, DT_F32, "bidirectional", "Sigmoid,Tanh,HardSigmoid,Softsign", 5, 3, 4, 6, true, true,
     true, false, 0, 1, 0, 0, false},
    {OP_GRU, DT_BF16, "reverse", "Sigmoid,Tanh", 3, 2, 4, 6, false, false, true, false, 0, 1, 0, 0,
     false},
    {OP_GRU, DT_F64, "reverse", "Sigmoid,ScaledTanh", 3, 2, 4, 6, false, true, false, false, 0.7, 0,
     0, 0, false},
    {OP_RNN, DT_F32, "forward", "Tanh", 5, 2, 7, 20, true, false, false, false, 0, 0, 0, 0, false},
    {OP_RNN, DT_F32, "bidirectional", "Affine,LeakyRelu", 3, 2, 7, 5, true, true, true, false, 0, 0,
     0, 0, false},
    {OP_RNN, DT_F32, "bidirectional", "Elu,ThresholdedRelu", 3, 2, 7, 5, true, false, true, false,
     0, 0, 0, 0, false},
    {OP_RNN, DT_F32, "bidirectional", "Softplus,Relu", 3, 2, 7, 5, true, false, false, false, 3, 0,
     0, 0, false},
    {OP_RNN, DT_F64, "bidirectional", "Elu,Softplus", 3, 1, 2, 5, false, false, false, false, 0, 0,
     0, 0, false},
    {OP_LSTM, DT_F32, "bidirectional", "Sigmoid,Tanh,Tanh,Sigmoid,Tanh,Tanh", 5, 3, 33, 17, true,
     true, true, true, 0, 0, 0, 0, true},
    {OP_GRU, DT_F32, "reverse", "Sigmoid,Tanh", 5, 2, 7, 20, false, false, true, false, 0, 1, 0, 0,
     true},
    {OP_RNN, DT_F32, "bidirectional", "Tanh,Tanh", 4, 1, 7, 20, true, false, false, false, 0, 0, 0,
     0, true},
};

/* Weights, as they come at run time or as a constant in the layout that the layer wants. */
static ValueId weights(Harness *h, DType type, bool constant, int64_t dirs, int64_t rows,
                       int64_t columns)
{
    return constant ? random_const(h, 3, DIMS(dirs, rows, columns), 400, 0.001F)
                    : INPUT(h, type, -0.4, 0.4, dirs, rows, columns);
}

/* lanes: 0: the weights come at run time. */
static void rnn(Harness *h, const RnnCase *c, int lanes)
{
    int64_t dirs = c->direction[0] == 'b' ? 2 : 1, n = c->hidden;
    int64_t gates = c->op == OP_LSTM ? 4 : c->op == OP_GRU ? 3 : 1;
    uint32_t n_in = c->op == OP_LSTM ? 8 : 6;
    static const double alpha[6] = {0.2, 0.5, 0.3, 0.2, 0.6, 0.7},
                        beta[6] = {0.5, 0.5, 0.4, 0.5, 0.5, 0.5};
    size_t acts = (size_t)dirs * (c->op == OP_LSTM ? 3 : c->op == OP_GRU ? 2 : 1);
    ValueId in[8] = {INPUT(h, c->type, -1, 1, c->steps, c->batch, c->input),
                     weights(h, c->type, lanes != 0, dirs, gates * n, c->input),
                     weights(h, c->type, lanes != 0, dirs, gates * n, n)};
    for (uint32_t i = 3; i < 8; i++)
        in[i] = NO_VALUE;
    if (c->projected) {
        in[0] = INPUT(h, c->type, -1, 1, c->steps, c->batch, dirs * gates * n);
        in[1] = NO_VALUE;
    }
    if (c->bias)
        in[3] = INPUT(h, c->type, -0.4, 0.4, dirs, 2 * gates * n);
    if (c->lengths)
        in[4] = INPUT(h, DT_I32, 1, c->steps, c->batch);
    if (c->state)
        in[5] = INPUT(h, c->type, -0.4, 0.4, dirs, c->batch, n);
    if (c->state && c->op == OP_LSTM)
        in[6] = INPUT(h, c->type, -1.5, 1.5, dirs, c->batch, n); /* beyond clip */
    if (c->peephole)
        in[7] = INPUT(h, c->type, -0.4, 0.4, dirs, 3 * n);
    const NodeId id = harness_node(
        h, c->op, in, n_in, c->op == OP_LSTM ? 3 : 2,
        ATTRS(ATTR_FS("activation_alpha", alpha, acts), ATTR_FS("activation_beta", beta, acts),
              ATTR_S("activations", c->activations), ATTR_F("clip", c->clip),
              ATTR_S("direction", c->direction), ATTR_I("hidden_size", n),
              ATTR_I("input_forget", c->coupled), ATTR_I("layout", 0),
              ATTR_I("linear_before_reset", c->linear),
              c->quantised   ? ATTR_I("quantised_state", 1)
              : c->projected ? ATTR_I("projected", 1)
                             : ATTR_END));
    if (!lanes)
        return;
    const Graph *g = harness_graph(h);
    assert_int_equal(c_rnn_takes_panels(g, node_at(g, id), lanes),
                     lanes >= 8 && c->batch >= 4 && gates * n % RNN_PANEL == 0 && !c->lengths);
    for (uint32_t k = RNN_W; k <= RNN_R; k++) {
        const Layout plain = layout_plain(3);
        Layout layout;
        if (!has_value(in[k]))
            continue;
        assert_true(c_wants_constant(g, node_at(g, id), lanes, &plain, &plain, k, &layout));
        harness_layout(h, in[k], layout);
    }
}

static void test_rnn(void **state)
{
    (void)state;
    Harness *h = harness_new("rnn");
    for (size_t i = 0; i < COUNT_OF(cases); i++)
        rnn(h, &cases[i], 0);
    assert_int_equal(harness_run(h), 0);
}

/* By constant weights: for few sequences a row per input, for more in panels, whether or not their number is one of whole tiles. */
static void test_constant_weights(void **state)
{
    static const int lanes[] = {4, 8, 16};
    static const RnnCase models[] = {
        {OP_LSTM, DT_F32, "bidirectional", "Sigmoid,Tanh,Tanh,Sigmoid,Tanh,Tanh", 3, 0, 5, 12, true,
         false, true, true, 0, 0, 0, 0, false},
        {OP_LSTM, DT_F32, "forward", "Sigmoid,Tanh,Tanh", 3, 0, 16, 21, true, false, false, false,
         0, 0, 0, 0, false},
        {OP_LSTM, DT_F32, "reverse", "Sigmoid,Tanh,Tanh", 3, 0, 7, 24, true, true, false, false, 0,
         0, 0, 0, false},
        {OP_GRU, DT_F32, "bidirectional", "Sigmoid,Tanh,Sigmoid,Tanh", 3, 0, 9, 16, true, false,
         true, false, 0, 1, 0, 0, false},
        {OP_GRU, DT_F32, "forward", "Sigmoid,Tanh", 3, 0, 9, 32, true, false, false, false, 0, 1, 0,
         0, true},
        {OP_RNN, DT_F32, "bidirectional", "Tanh,Tanh", 3, 0, 3, 16, false, false, true, false, 0, 0,
         0, 0, false},
        /* in turns, or, by other functions backwards or lengths, one after the other */
        {OP_LSTM, DT_F32, "bidirectional", "Sigmoid,Tanh,Tanh,Sigmoid,Tanh,Tanh", 5, 0, 4, 7, false,
         false, false, false, 0.5, 0, 1, 0, false},
        {OP_LSTM, DT_F32, "bidirectional", "Sigmoid,Tanh,Tanh,Sigmoid,Tanh,Tanh", 5, 0, 4, 9, true,
         false, true, false, 0, 0, 0, 1, false},
        {OP_LSTM, DT_F32, "bidirectional", "Sigmoid,Tanh,Tanh,Sigmoid,Tanh,Tanh", 4, 0, 4, 5, true,
         true, true, false, 0, 0, 0, 0, false},
        {OP_GRU, DT_F32, "bidirectional", "Sigmoid,Tanh,Sigmoid,Tanh", 4, 0, 6, 4, true, false,
         false, false, 0, 0, 0, 0, true},
        {OP_GRU, DT_F32, "bidirectional", "Sigmoid,Tanh,Sigmoid,Softsign", 4, 0, 6, 4, true, false,
         false, false, 0, 0, 0, 0, false},
        {OP_RNN, DT_F32, "bidirectional", "Elu,Elu", 4, 0, 3, 6, true, false, false, false, 0, 0, 0,
         0, true},
    };
    static const int64_t batches[] = {1, 2, 4, 5, 8, 11, 19};
    (void)state;
    for (size_t k = 0; k < COUNT_OF(lanes); k++) {
        Harness *h = harness_new("rnn_constant");
        harness_lanes(h, lanes[k]);
        for (size_t i = 0; i < COUNT_OF(models); i++)
            for (size_t j = 0; j < COUNT_OF(batches); j++) {
                RnnCase c = models[i];
                c.batch = batches[j];
                rnn(h, &c, lanes[k]);
            }
        assert_int_equal(harness_run(h), 0);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_rnn),
                                       cmocka_unit_test(test_constant_weights)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
