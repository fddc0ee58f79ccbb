/* A network for 68 landmarks of a face: depthwise separable convolutions (Howard and others, "MobileNets", 2017) at width 0.5 on 112x112, as
 * training with weight decay leaves it. Of every 16 filters of a 1x1 convolution five have subnormal weights, and one has weights so small
 * that subnormal numbers come up on the way. They change nothing that can be seen in a result and can take most of the time. */
#include "net.h"

static const double decayed[16] = {1,     1, 1e-39, 1, 1, 1e-40, 1, 1e-22,
                                   1e-39, 1, 1,     1, 1, 1e-41, 1, 1e-39};

static struct value separable(struct net *net, struct value x, int channels, int stride)
{
    x = net_conv(net, x, x.dims[1], (struct window){3, stride, 1}, x.dims[1], 0);
    x = net_unary(net, "Relu", x, "");
    return net_unary(net, "Relu", net_scaled_conv(net, x, channels, decayed, 16), "");
}

void landmarks(void)
{
    static const struct {
        int channels, stride;
    } rows[] = {{32, 1},  {64, 2},  {64, 1},  {128, 2}, {128, 1}, {256, 2},
                {256, 1}, {256, 1}, {256, 1}, {512, 2}, {512, 1}};
    struct net net;
    net_begin(&net, "landmarks");
    struct value x = net_input(&net, "face", 4, (int[]){1, 3, 112, 112});
    x = net_unary(&net, "Relu", net_conv(&net, x, 16, (struct window){3, 2, 1}, 1, 1), "");
    for (unsigned r = 0; r < sizeof rows / sizeof *rows; r++)
        x = separable(&net, x, rows[r].channels, rows[r].stride);
    x = net_global_average_pool(&net, x);
    x = net_dense(&net, net_reshape(&net, x, 2, (int[]){1, 512}), 136);
    net_end(x, "points");
}
