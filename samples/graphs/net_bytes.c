#include "net_bytes.h"

#include <math.h>
#include <stdio.h>

/* Activations are taken to be within 4 of 0; u8 in the middle of which 0 stands. */
static const double activation_scale = 4.0 / 128;

static struct value number(struct net *net, const char *type, double value)
{
    char dims[16], text[32];
    snprintf(dims, sizeof dims, "%s[]", type);
    snprintf(text, sizeof text, value == floor(value) ? "[%.0f]" : "[%.9g]", value);
    return net_constant(net, dims, text);
}

static struct value random_of(struct net *net, const char *element, double scale, int rank,
                              const int *dims)
{
    char type[64], data[64];
    int at = snprintf(type, sizeof type, "%s[", element);
    for (int d = 0; d < rank; d++)
        at += snprintf(type + at, sizeof type - (size_t)at, d ? ",%d" : "%d", dims[d]);
    snprintf(type + at, sizeof type - (size_t)at, "]");
    snprintf(data, sizeof data, "random(seed=%d, scale=%.0f)", ++net->constants, scale);
    struct value v = net_constant(net, type, data);
    v.rank = rank;
    for (int d = 0; d < rank; d++)
        v.dims[d] = dims[d];
    return v;
}

struct value net_through_bytes(struct net *net, struct value x)
{
    if (net->bytes != STATIC)
        return x;
    const struct value scale = number(net, "f32", activation_scale), zero = number(net, "u8", 128);
    const struct value q = net_node(net, "QuantizeLinear", "{axis=1, to=u8}", x.rank, x.dims, 3,
                                    (struct value[]){x, scale, zero});
    return net_node(net, "DequantizeLinear", "{axis=1}", x.rank, x.dims, 3,
                    (struct value[]){q, scale, zero});
}

/* A constant of such integers as floats. */
static struct value as_floats(struct net *net, const char *element, struct value v, double scale)
{
    const struct value by = number(net, "f32", scale), zero = number(net, element, 0);
    return net_node(net, "DequantizeLinear", "{axis=1}", v.rank, v.dims, 3,
                    (struct value[]){v, by, zero});
}

/* Of a product the last dimension, of a convolution the second one. */
static int channels_of(struct value y)
{
    return y.dims[y.rank == 4 ? 1 : y.rank - 1];
}

static struct value add_bias(struct net *net, struct value y)
{
    const int dims[] = {channels_of(y), 1, 1};
    return net_add(net, y, net_random(net, 0.1, y.rank == 4 ? 3 : 1, dims));
}

static struct value fixed(struct net *net, const char *op, const char *attributes, struct value x,
                          double scale, struct value w, struct value shape, int bias)
{
    const int channels = channels_of(shape);
    struct value in[3] = {net_through_bytes(net, x), as_floats(net, "i8", w, scale), x};
    if (bias && shape.rank == 4) {
        const struct value b = random_of(net, "i32", 0.1 / scale / activation_scale, 1, &channels);
        in[2] = as_floats(net, "i32", b, scale * activation_scale);
    }
    const struct value y =
        net_node(net, op, attributes, shape.rank, shape.dims, bias && shape.rank == 4 ? 3 : 2, in);
    return bias && shape.rank != 4 ? add_bias(net, y) : y;
}

/* As quantisation at run time leaves it: DynamicQuantizeLinear has three results, which net_node does not write. */
static struct value at_run_time(struct net *net, const char *op, const char *attributes,
                                struct value x, double scale, struct value w, struct value shape,
                                int bias)
{
    struct value q = x, by = {.rank = 0}, zero = {.rank = 0};
    char name[32];
    q.id = ++net->values;
    by.id = ++net->values;
    zero.id = ++net->values;
    printf("  %%v%d, %%v%d, %%v%d = DynamicQuantizeLinear(%%v%d) name=\"quantize_%d\"\n", q.id,
           by.id, zero.id, x.id, q.id);
    snprintf(name, sizeof name, "%sInteger", op);
    struct value y = net_node(net, name, attributes, shape.rank, shape.dims, 4,
                              (struct value[]){q, w, zero, number(net, "i8", 0)});
    y = net_node(net, "Cast", "{to=f32}", shape.rank, shape.dims, 1, &y);
    y = net_mul(net, y, net_mul(net, by, number(net, "f32", scale)));
    return bias ? add_bias(net, y) : y;
}

struct value net_on_bytes(struct net *net, const char *op, const char *attributes, struct value x,
                          double scale, const int *weights, struct value shape, int bias)
{
    const struct value w = random_of(net, "i8", 127, shape.rank == 4 ? 4 : 2, weights);
    return (net->bytes == STATIC ? fixed : at_run_time)(net, op, attributes, x, scale / 127, w,
                                                        shape, bias);
}
