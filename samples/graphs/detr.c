/* A detection transformer with deformable attention (Zhu and others, 2020; the queries as in RT-DETR, 2023), small: the best of 400 positions
 * become 100 queries, and each head of a query samples four points of its own between the pixels. */
#include "net.h"

#include <stdio.h>

enum { SIDE = 20, TOKENS = SIDE * SIDE, WIDTH = 128, HEADS = 4, HEAD = WIDTH / HEADS };
enum { QUERIES = 100, POINTS = 4, CLASSES = 20 };

static struct value backbone(struct net *net, struct value x)
{
    static const int channels[] = {16, 32, 64, WIDTH};
    for (int i = 0; i < 4; i++)
        x = net_relu(net, net_conv(net, x, channels[i], (struct window){3, 2, 1}, 1, 1));
    x = net_reshape(net, x, 3, (int[]){1, WIDTH, TOKENS});
    return net_transpose(net, x, (int[]){0, 2, 1});
}

/* The tokens whose best class has the largest scores. */
static struct value chosen(struct net *net, struct value memory)
{
    const struct value scores = net_linear(net, memory, CLASSES);
    struct value best = net_node(net, "ReduceMax", "{axes=[2], keepdims=0}", 2, (int[]){1, TOKENS},
                                 1, &scores),
                 at = best;
    at.id = ++net->values;
    at.dims[1] = QUERIES;
    printf("  %%v%d, %%v%d = TopK(%%v%d) {axis=1, k=%d, largest=1, sorted=1} name=\"best\"\n",
           ++net->values, at.id, best.id, QUERIES);
    at = net_reshape(net, at, 3, (int[]){1, QUERIES, 1});
    at = net_node(net, "Tile", "{repeats=[1,1,128]}", 3, (int[]){1, QUERIES, WIDTH}, 1, &at);
    return net_node(net, "GatherElements", "{axis=1}", 3, at.dims, 2, (struct value[]){memory, at});
}

/* [1, n, features] to [heads, features / heads, n], or, in the other order, [heads, n, features / heads]. */
static struct value by_head(struct net *net, struct value x, int features_first)
{
    const int n = x.dims[1], of_head = x.dims[2] / HEADS;
    x = net_reshape(net, x, 4, (int[]){1, n, HEADS, of_head});
    x = net_transpose(net, x, features_first ? (int[]){0, 2, 3, 1} : (int[]){0, 2, 1, 3});
    return net_reshape(net, x, 3, (int[]){HEADS, x.dims[2], x.dims[3]});
}

static struct value deformable(struct net *net, struct value query, struct value memory)
{
    struct value v = by_head(net, net_linear(net, memory, WIDTH), 1);
    v = net_reshape(net, v, 4, (int[]){HEADS, HEAD, SIDE, SIDE});
    struct value at = by_head(net, net_linear(net, query, HEADS * POINTS * 2), 0);
    at = net_reshape(net, at, 4, (int[]){HEADS, QUERIES, POINTS, 2});
    at = net_unary(net, "Tanh", at, "");
    struct value share = by_head(net, net_linear(net, query, HEADS * POINTS), 0);
    share = net_unary(net, "Softmax", share, "{axis=2, axis_end=3}");
    share = net_reshape(net, share, 4, (int[]){HEADS, 1, QUERIES, POINTS});
    struct value y =
        net_node(net, "GridSample", "{align_corners=0, mode=\"linear\", padding_mode=\"zeros\"}", 4,
                 (int[]){HEADS, HEAD, QUERIES, POINTS}, 2, (struct value[]){v, at});
    y = net_mul(net, y, share);
    y = net_node(net, "ReduceSum", "{axes=[3], keepdims=0}", 3, (int[]){HEADS, HEAD, QUERIES}, 1,
                 &y);
    y = net_reshape(net, y, 3, (int[]){1, WIDTH, QUERIES});
    return net_linear(net, net_transpose(net, y, (int[]){0, 2, 1}), WIDTH);
}

void detr(enum bytes bytes)
{
    struct net net;
    net_begin(&net, "detr");
    net.bytes = bytes;
    struct value x = net_input(&net, "picture", 4, (int[]){1, 3, 16 * SIDE, 16 * SIDE});
    const struct value memory = net_encoder(&net, backbone(&net, x), HEADS);
    x = chosen(&net, memory);
    for (int i = 0; i < 2; i++) {
        x = net_layer_norm(&net, net_add(&net, deformable(&net, x, memory), x));
        x = net_encoder(&net, x, HEADS);
    }
    struct value boxes = net_unary(&net, "Sigmoid", net_linear(&net, x, 4), "");
    struct value found = net_unary(&net, "Sigmoid", net_linear(&net, x, CLASSES), "");
    net_end(net_node(&net, "Concat", "{axis=2}", 3, (int[]){1, QUERIES, 4 + CLASSES}, 2,
                     (struct value[]){boxes, found}),
            "detections");
}
