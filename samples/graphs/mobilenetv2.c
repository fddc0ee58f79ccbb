/* MobileNetV2, width 1.0: Sandler, Howard, Zhu, Zhmoginov and Chen, "Inverted Residuals and Linear
 * Bottlenecks", 2018, table 2. Batch normalisation is unfolded. */
#include "net.h"

static struct value conv_bn(struct net *net, struct value x, int channels, struct window w,
                            int group, double gain)
{
    return net_batch_norm(net, net_conv(net, x, channels, w, group, 0), gain);
}

static struct value relu6(struct net *net, struct value x)
{
    return net_unary(net, "Clip", x, "{max=6.0, min=0.0}");
}

/* 1x1 to `expansion` times the channels, depthwise 3x3, linear 1x1; added to x where shapes agree. */
static struct value inverted_residual(struct net *net, struct value x, int expansion, int channels,
                                      int stride)
{
    int hidden = x.dims[1] * expansion;
    int residual = stride == 1 && channels == x.dims[1];
    struct value y = x;
    if (expansion != 1)
        y = relu6(net, conv_bn(net, y, hidden, (struct window){1, 1, 0}, 1, 1));
    y = relu6(net, conv_bn(net, y, hidden, (struct window){3, stride, 1}, hidden, 1));
    y = conv_bn(net, y, channels, (struct window){1, 1, 0}, 1, residual ? 0.3 : 0.8);
    return residual ? net_add(net, x, y) : y;
}

void mobilenetv2(void)
{
    static const struct {
        int expansion, channels, repeats, stride;
    } rows[] = {{1, 16, 1, 1}, {6, 24, 2, 2},  {6, 32, 3, 2}, {6, 64, 4, 2},
                {6, 96, 3, 1}, {6, 160, 3, 2}, {6, 320, 1, 1}};
    struct net net;
    net_begin(&net, "mobilenetv2");
    struct value x = net_input(&net, "image", 4, (int[]){1, 3, 224, 224});
    x = relu6(&net, conv_bn(&net, x, 32, (struct window){3, 2, 1}, 1, 1));
    for (unsigned r = 0; r < sizeof rows / sizeof *rows; r++)
        for (int i = 0; i < rows[r].repeats; i++)
            x = inverted_residual(&net, x, rows[r].expansion, rows[r].channels,
                                  i == 0 ? rows[r].stride : 1);
    x = relu6(&net, conv_bn(&net, x, 1280, (struct window){1, 1, 0}, 1, 1));
    x = net_global_average_pool(&net, x);
    x = net_dense(&net, net_reshape(&net, x, 2, (int[]){1, 1280}), 1000);
    net_end(net_unary(&net, "Softmax", x, "{axis=1, axis_end=2}"), "probability");
}
