/* Style transfer (Johnson and others, 2016) with instance normalisation, at half of its widths: 9x9 convolutions of a large picture at both ends,
 * residual blocks between. It is enlarged as exporters of sub-pixel layers write it, by convolutions whose columns, and then rows, are
 * interleaved, and by a transposed convolution of stride 2. */
#include "net.h"

static struct value mirrored(struct net *net, struct value x, int n)
{
    const char *pads = n == 4 ? "{mode=\"reflect\", pads=[0,0,4,4,0,0,4,4]}"
                              : "{mode=\"reflect\", pads=[0,0,1,1,0,0,1,1]}";
    const int dims[] = {1, x.dims[1], x.dims[2] + 2 * n, x.dims[3] + 2 * n};
    return net_node(net, "Pad", pads, 4, dims, 1, &x);
}

static struct value layer(struct net *net, struct value x, int channels, int kernel, int stride)
{
    x = mirrored(net, x, kernel / 2);
    return net_instance_norm(net,
                             net_conv(net, x, channels, (struct window){kernel, stride, 0}, 1, 1));
}

static struct value residual(struct net *net, struct value x)
{
    const int n = x.dims[1];
    struct value y = net_relu(net, layer(net, x, n, 3, 1));
    return net_add(net, layer(net, y, n, 3, 1), x);
}

/* Two images become one: elements, or rows, of the one and of the other by turns. */
static struct value interleaved(struct net *net, struct value a, struct value b, int axis)
{
    int dims[] = {1, a.dims[1], a.dims[2], a.dims[3], 1}, both[] = {1, a.dims[1], 0, 0, 0};
    struct value in[] = {a, b};
    if (axis == 3) {
        dims[3] = 1;
        dims[4] = a.dims[3];
    }
    for (int i = 0; i < 2; i++)
        in[i] = net_node(net, "Reshape",
                         axis == 3 ? "{shape=[1,16,64,1,128]}" : "{shape=[1,16,64,64,1]}", 5, dims,
                         1, &in[i]);
    for (int d = 2; d < 5; d++)
        both[d] = dims[d] * (d == axis ? 2 : 1);
    const struct value y =
        net_node(net, "Concat", axis == 3 ? "{axis=3}" : "{axis=4}", 5, both, 2, in);
    return net_reshape(
        net, y, 4,
        (int[]){1, a.dims[1], a.dims[2] * (axis == 3 ? 2 : 1), a.dims[3] * (axis == 4 ? 2 : 1)});
}

static struct value enlarged(struct net *net, struct value x, int channels)
{
    struct value row[2];
    for (int y = 0; y < 2; y++) {
        struct value part[2];
        for (int i = 0; i < 2; i++)
            part[i] = net_conv(net, x, channels, (struct window){3, 1, 1}, 1, 1);
        row[y] = interleaved(net, part[0], part[1], 4);
    }
    return interleaved(net, row[0], row[1], 3);
}

void style(enum bytes bytes)
{
    const struct window twice = {4, 2, 1};
    struct net net;
    net_begin(&net, "style");
    net.bytes = bytes;
    struct value x = net_input(&net, "picture", 4, (int[]){1, 3, 256, 256});
    x = net_relu(&net, layer(&net, x, 16, 9, 1));
    x = net_relu(&net, layer(&net, x, 32, 3, 2));
    x = net_relu(&net, layer(&net, x, 64, 3, 2));
    x = residual(&net, residual(&net, x));
    x = net_relu(&net, net_instance_norm(&net, enlarged(&net, x, 16)));
    x = net_relu(&net, net_instance_norm(&net, net_conv_transpose(&net, x, 16, twice)));
    x = mirrored(&net, x, 4);
    net_end(net_conv(&net, x, 3, (struct window){9, 1, 0}, 1, 1), "styled");
}
