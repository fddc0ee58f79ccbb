/* SqueezeNet 1.1: Iandola and others, 2016, in the version with a 3x3 first convolution and earlier
 * pooling. The two halves of a fire module meet in a concatenation. */
#include "net.h"

static struct value conv_relu(struct net *net, struct value x, int channels, struct window w)
{
    return net_unary(net, "Relu", net_conv(net, x, channels, w, 1, 1), "");
}

static struct value fire(struct net *net, struct value x, int squeeze, int expand)
{
    x = conv_relu(net, x, squeeze, (struct window){1, 1, 0});
    struct value one = conv_relu(net, x, expand, (struct window){1, 1, 0});
    return net_concat_channels(net, one, conv_relu(net, x, expand, (struct window){3, 1, 1}));
}

void squeezenet(void)
{
    static const int squeeze[] = {16, 32, 48, 64};
    const struct window half = {3, 2, 0};
    struct net net;
    net_begin(&net, "squeezenet");
    struct value x = net_input(&net, "image", 4, (int[]){1, 3, 224, 224});
    x = conv_relu(&net, x, 64, half);
    for (int i = 0; i < 4; i++) {
        if (i < 3)
            x = net_max_pool(&net, x, half);
        for (int k = 0; k < 2; k++)
            x = fire(&net, x, squeeze[i], 4 * squeeze[i]);
    }
    x = net_global_average_pool(&net, conv_relu(&net, x, 1000, (struct window){1, 1, 0}));
    x = net_reshape(&net, x, 2, (int[]){1, 1000});
    net_end(net_unary(&net, "Softmax", x, "{axis=1, axis_end=2}"), "probability");
}
