/* ResNet-50 v1.5: He, Zhang, Ren and Sun, "Deep Residual Learning for Image Recognition", 2015, with the
 * stride in the 3x3 convolution of a block instead of its first 1x1. Batch normalisation is unfolded, as
 * in a model exported from training. */
#include "net.h"

static struct value conv_bn(struct net *net, struct value x, int channels, struct window w,
                            double gain)
{
    return net_batch_norm(net, net_conv(net, x, channels, w, 1, 0), gain);
}

/* 1x1 to `width` channels, 3x3, 1x1 to four times as many; the shortcut is a 1x1 where shapes change. */
static struct value bottleneck(struct net *net, struct value x, int width, int stride)
{
    const struct window one = {1, 1, 0}, three = {3, stride, 1}, shortcut = {1, stride, 0};
    struct value y = net_unary(net, "Relu", conv_bn(net, x, width, one, 1), "");
    y = net_unary(net, "Relu", conv_bn(net, y, width, three, 1), "");
    y = conv_bn(net, y, 4 * width, one, 0.3);
    if (stride != 1 || x.dims[1] != 4 * width)
        x = conv_bn(net, x, 4 * width, shortcut, 0.7);
    return net_unary(net, "Relu", net_add(net, y, x), "");
}

void resnet50(void)
{
    static const int blocks[] = {3, 4, 6, 3};
    struct net net;
    net_begin(&net, "resnet50");
    struct value x = net_input(&net, "image", 4, (int[]){1, 3, 224, 224});
    x = conv_bn(&net, x, 64, (struct window){7, 2, 3}, 1);
    x = net_unary(&net, "Relu", x, "");
    x = net_max_pool(&net, x, (struct window){3, 2, 1});
    for (int stage = 0; stage < 4; stage++)
        for (int i = 0; i < blocks[stage]; i++)
            x = bottleneck(&net, x, 64 << stage, stage > 0 && i == 0 ? 2 : 1);
    x = net_global_average_pool(&net, x);
    x = net_dense(&net, net_reshape(&net, x, 2, (int[]){1, 2048}), 1000);
    net_end(net_unary(&net, "Softmax", x, "{axis=1, axis_end=2}"), "probability");
}
