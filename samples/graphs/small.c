/* Networks of which one inference takes microseconds: a policy of one row, a word that wakes a device, the decoder of digits. */
#include "net.h"

#include <math.h>
#include <stdio.h>

/* Layers of one row, which only stream their weights. */
void mlp_row(enum bytes bytes)
{
    struct net net;
    net_begin(&net, "mlp_row");
    net.bytes = bytes;
    struct value x = net_input(&net, "state", 2, (int[]){1, 64});
    for (int i = 0; i < 3; i++)
        x = net_unary(&net, "Elu", net_dense(&net, x, 1024), "{alpha=1.0}");
    net_end(net_dense(&net, x, 16), "action");
}

/* A recurrent layer over 30 steps of 40 features (as in "Hey Snips", Coucke and others, 2019), then two classes. */
void wake_word(enum bytes bytes)
{
    enum { STEPS = 30, FEATURES = 40, HIDDEN = 32 };
    struct net net;
    net_begin(&net, "wake_word");
    net.bytes = bytes;
    const struct value x = net_input(&net, "frames", 3, (int[]){STEPS, 1, FEATURES}),
                       w = net_random(&net, 1 / sqrt(HIDDEN), 3, (int[]){1, 3 * HIDDEN, FEATURES}),
                       r = net_random(&net, 1 / sqrt(HIDDEN), 3, (int[]){1, 3 * HIDDEN, HIDDEN}),
                       b = net_random(&net, 0.1, 2, (int[]){1, 6 * HIDDEN});
    struct value last = {.id = ++net.values + 1, .rank = 3, .dims = {1, 1, HIDDEN}};
    printf(
        "  %%v%d, %%v%d = GRU(%%v%d, %%v%d, %%v%d, %%v%d) {activation_alpha=[0.0,0.0], activation_beta=[0.0,0.0], activations=\"Sigmoid,Tanh\", "
        "direction=\"forward\", hidden_size=%d, linear_before_reset=1} name=\"gru\"\n",
        net.values, last.id, x.id, w.id, r.id, b.id, HIDDEN);
    net.values++;
    last = net_dense(&net, net_reshape(&net, last, 2, (int[]){1, HIDDEN}), 2);
    net_end(net_unary(&net, "Softmax", last, "{axis=1, axis_end=2}"), "said");
}

/* What draws digits of 28x28 from 20 numbers: transposed convolutions of stride 2 on small images, the last one to one channel. */
void digit_decoder(enum bytes bytes)
{
    const struct window twice = {4, 2, 1};
    struct net net;
    net_begin(&net, "digit_decoder");
    net.bytes = bytes;
    struct value x = net_input(&net, "code", 2, (int[]){1, 20});
    x = net_relu(&net, net_dense(&net, x, 64 * 7 * 7));
    x = net_reshape(&net, x, 4, (int[]){1, 64, 7, 7});
    x = net_relu(&net, net_conv_transpose(&net, x, 32, twice));
    x = net_conv_transpose(&net, x, 1, twice);
    net_end(net_unary(&net, "Sigmoid", x, ""), "digit");
}
