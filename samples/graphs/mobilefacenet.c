/* MobileFaceNet (Chen and others, 2018): inverted residuals with PReLU, a depthwise convolution over the whole of the last image, and an
 * embedding of length 1. */
#include "net.h"

static struct value normalised(struct net *net, struct value x)
{
    return net->bytes == FLOATS ? net_batch_norm(net, x, 1) : x;
}

static struct value conv(struct net *net, struct value x, int channels, struct window w, int group)
{
    return normalised(net, net_conv(net, x, channels, w, group, net->bytes != FLOATS));
}

static struct value bottleneck(struct net *net, struct value x, int channels, int stride, int grown)
{
    const struct window one = {1, 1, 0}, three = {3, stride, 1};
    struct value y = net_prelu(net, conv(net, x, grown, one, 1));
    y = conv(net, net_prelu(net, conv(net, y, grown, three, grown)), channels, one, 1);
    return stride == 1 && channels == x.dims[1] ? net_add(net, y, x) : y;
}

void mobilefacenet(enum bytes bytes)
{
    static const struct {
        int grown, channels, n, stride;
    } rows[] = {
        {128, 64, 5, 2}, {256, 128, 1, 2}, {256, 128, 6, 1}, {512, 128, 1, 2}, {256, 128, 2, 1}};
    struct net net;
    net_begin(&net, "mobilefacenet");
    net.bytes = bytes;
    struct value x = net_input(&net, "face", 4, (int[]){1, 3, 112, 112});
    x = net_prelu(&net, conv(&net, x, 64, (struct window){3, 2, 1}, 1));
    x = net_prelu(&net, conv(&net, x, 64, (struct window){3, 1, 1}, 64));
    for (unsigned r = 0; r < sizeof rows / sizeof *rows; r++)
        for (int i = 0; i < rows[r].n; i++)
            x = bottleneck(&net, x, rows[r].channels, i ? 1 : rows[r].stride, rows[r].grown);
    x = net_prelu(&net, conv(&net, x, 512, (struct window){1, 1, 0}, 1));
    x = conv(&net, x, 512, (struct window){7, 1, 0}, 512);
    x = conv(&net, x, 128, (struct window){1, 1, 0}, 1);
    x = net_reshape(&net, x, 2, (int[]){1, 128});
    net_end(net_unary(&net, "LpNormalization", x, "{axis=1, p=2}"), "embedding");
}
