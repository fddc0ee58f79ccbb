/* One encoder block of a transformer (Vaswani and others, 2017) with normalisation after each sum, as in
 * BERT: self-attention, then two layers with GELU between. */
#include "net_bytes.h"

#include <math.h>
#include <stdio.h>

struct value net_linear(struct net *net, struct value x, int features)
{
    int in = x.dims[x.rank - 1];
    if (net->bytes != FLOATS) {
        struct value shape = x;
        shape.dims[x.rank - 1] = features;
        return net_on_bytes(net, "MatMul", "", x, sqrt(3.0 / in), (int[]){in, features}, shape, 1);
    }
    struct value weights = net_random(net, sqrt(3.0 / in), 2, (int[]){in, features});
    struct value bias = net_random(net, 0.1, 1, &features);
    return net_add(net, net_matmul(net, x, weights), bias);
}

/* [1, tokens, width] to [1, heads, tokens, head], or with perm {0, 2, 3, 1} its transpose. */
static struct value split_heads(struct net *net, struct value x, int heads, const int *perm)
{
    x = net_reshape(net, x, 4, (int[]){1, x.dims[1], heads, x.dims[2] / heads});
    return net_transpose(net, x, perm);
}

static struct value attention(struct net *net, struct value x, int heads)
{
    const int tokens = x.dims[1], width = x.dims[2];
    const int rows[] = {0, 2, 1, 3}, columns[] = {0, 2, 3, 1}, one = 1;
    struct value q = split_heads(net, net_linear(net, x, width), heads, rows);
    struct value k = split_heads(net, net_linear(net, x, width), heads, columns);
    struct value v = split_heads(net, net_linear(net, x, width), heads, rows);
    struct value scores = net_matmul(net, q, k), scaled = scores;
    struct value root = {.id = ++net->values, .rank = 1, .dims = {one}};
    scaled.id = ++net->values;
    printf("  const %%v%d: f32[1] = [%.6f]\n", root.id, 1 / sqrt(width / heads));
    printf("  %%v%d = Mul(%%v%d, %%v%d) name=\"scale\"\n", scaled.id, scores.id, root.id);
    struct value p = net_unary(net, "Softmax", scaled, "{axis=3, axis_end=4}");
    struct value y = net_transpose(net, net_matmul(net, p, v), rows);
    return net_linear(net, net_reshape(net, y, 3, (int[]){1, tokens, width}), width);
}

struct value net_encoder(struct net *net, struct value x, int heads)
{
    const int width = x.dims[2];
    x = net_layer_norm(net, net_add(net, attention(net, x, heads), x));
    struct value y = net_unary(net, "Gelu", net_linear(net, x, 4 * width), "");
    return net_layer_norm(net, net_add(net, net_linear(net, y, width), x));
}

/* 6 heads over 128 tokens of 384 numbers. */
void encoder_block(void)
{
    struct net net;
    net_begin(&net, "encoder_block");
    struct value x = net_input(&net, "tokens", 3, (int[]){1, 128, 384});
    net_end(net_encoder(&net, x, 6), "encoded");
}
