/* Letters of a number plate (Zherzdev and Gruzdev, "LPRNet", 2018): 1x1, 3x1, 1x3 and 1x1 convolutions on small images of odd sizes, pools
 * that also take every second or fourth channel, and parts of all stages that are normalised by their power and joined. */
#include "net.h"

#include <stdio.h>

static struct value normalised(struct net *net, struct value x)
{
    return net_relu(net, net->bytes == FLOATS ? net_batch_norm(net, x, 1) : x);
}

static struct value conv(struct net *net, struct value x, int channels, int height, int width,
                         int pad)
{
    const struct window2 w = {{height, width}, {1, 1}, {pad * (height / 2), pad * (width / 2)}};
    return net_conv2(net, x, channels, w, 1, net->bytes != FLOATS);
}

static struct value block(struct net *net, struct value x, int channels)
{
    x = net_relu(net, conv(net, x, channels / 4, 1, 1, 0));
    x = net_relu(net, conv(net, x, channels / 4, 3, 1, 1));
    x = net_relu(net, conv(net, x, channels / 4, 1, 3, 1));
    return normalised(net, conv(net, x, channels, 1, 1, 0));
}

/* Every `step`-th channel, and of those maxima of 3x3 pixels; `stride` along the width. */
static struct value pooled(struct net *net, struct value x, int step, int stride)
{
    char text[160];
    const int dims[] = {1, x.dims[1] / step, x.dims[2], x.dims[3]},
              small[] = {1, dims[1], x.dims[2] - 2, (x.dims[3] - 3) / stride + 1};
    snprintf(text, sizeof text, "{starts=[0,0,0,0], steps=[1,%d,1,1], sizes=[1,%d,%d,%d]}", step,
             dims[1], dims[2], dims[3]);
    if (step > 1)
        x = net_node(net, "Slice", text, 4, dims, 1, &x);
    snprintf(text, sizeof text,
             "{dilations=[1,1], kernel_shape=[3,3], pads=[0,0,0,0], strides=[1,%d]}", stride);
    return net_node(net, "MaxPool", text, 4, small, 1, &x);
}

/* Over the mean of its squares, at the size of the last stage. */
static struct value context(struct net *net, struct value x, int height, int width)
{
    char text[160];
    const int dims[] = {1, x.dims[1], height ? height : x.dims[2], width};
    const int stride[] = {x.dims[2] / dims[2], x.dims[3] / width},
              kernel[] = {x.dims[2] - (dims[2] - 1) * stride[0],
                          x.dims[3] - (width - 1) * stride[1]};
    snprintf(text, sizeof text,
             "{ceil_pads=[0,0], count_include_pad=0, dilations=[1,1], kernel_shape=[%d,%d], "
             "pads=[0,0,0,0], strides=[%d,%d]}",
             kernel[0], kernel[1], stride[0], stride[1]);
    if (height)
        x = net_node(net, "AveragePool", text, 4, dims, 1, &x);
    const struct value mean =
        net_node(net, "ReduceMean", "{axes=[0,1,2,3], keepdims=1}", 4, (int[]){1, 1, 1, 1}, 1,
                 (struct value[]){net_mul(net, x, x)});
    return net_node(net, "Div", "", 4, x.dims, 2, (struct value[]){x, mean});
}

void lprnet(enum bytes bytes)
{
    enum { LETTERS = 68, HEIGHT = 4, WIDTH = 18 };
    struct net net;
    struct value stage[4], all[4];
    net_begin(&net, "lprnet");
    net.bytes = bytes;
    struct value x = net_input(&net, "plate", 4, (int[]){1, 3, 24, 94});
    stage[0] = x = normalised(&net, conv(&net, x, 64, 3, 3, 0));
    x = pooled(&net, x, 1, 1);
    stage[1] = x = block(&net, x, 128);
    x = pooled(&net, x, 2, 2);
    x = block(&net, x, 256);
    stage[2] = x = block(&net, x, 256);
    x = pooled(&net, x, 4, 2);
    x = normalised(&net, conv(&net, x, 256, 1, 4, 0));
    stage[3] = x = normalised(&net, conv(&net, x, LETTERS, 13, 1, 0));
    int channels = 0;
    for (int i = 0; i < 4; i++) {
        all[i] = context(&net, stage[i], i < 3 ? HEIGHT : 0, WIDTH);
        channels += all[i].dims[1];
    }
    x = net_node(&net, "Concat", "{axis=1}", 4, (int[]){1, channels, HEIGHT, WIDTH}, 4, all);
    x = conv(&net, x, LETTERS, 1, 1, 0);
    x = net_node(&net, "ReduceMean", "{axes=[2], keepdims=0}", 3, (int[]){1, LETTERS, WIDTH}, 1,
                 &x);
    net_end(x, "letters");
}
