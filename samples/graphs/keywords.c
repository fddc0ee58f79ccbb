/* Key words in a second of sound: DS-CNN, the small one of "Hello Edge: Keyword Spotting on Microcontrollers" (Zhang and others, 2017). Each
 * layer's result is rounded to bytes in the form that is quantised, the mean and the classes, too, so that nothing is left in floats. */
#include "net_bytes.h"

static struct value layer(struct net *net, struct value x, struct window2 w, int group)
{
    return net_relu(net, net_conv2(net, x, 64, w, group, 1));
}

void keywords(enum bytes bytes)
{
    const struct window2 first = {{10, 4}, {2, 2}, {4, 1}}, depthwise = {{3, 3}, {1, 1}, {1, 1}},
                         pointwise = {{1, 1}, {1, 1}, {0, 0}};
    struct net net;
    net_begin(&net, "keywords");
    net.bytes = bytes;
    struct value x = net_input(&net, "features", 4, (int[]){1, 1, 49, 10});
    x = layer(&net, x, first, 1);
    for (int i = 0; i < 4; i++)
        x = layer(&net, layer(&net, x, depthwise, 64), pointwise, 1);
    x = net_through_bytes(&net, x);
    x = net_node(
        &net, "AveragePool",
        "{ceil_pads=[0,0], count_include_pad=0, dilations=[1,1], kernel_shape=[24,5], pads=[0,0,0,0], strides=[1,1]}",
        4, (int[]){1, 64, 1, 1}, 1, &x);
    x = net_reshape(&net, net_through_bytes(&net, x), 2, (int[]){1, 64});
    x = net_unary(&net, "Softmax", net_through_bytes(&net, net_dense(&net, x, 12)),
                  "{axis=1, axis_end=2}");
    net_end(net_through_bytes(&net, x), "words");
}
