#include "net_bytes.h"

#include <math.h>
#include <stdio.h>

static void print_type(int rank, const int *dims)
{
    printf("f32[");
    for (int d = 0; d < rank; d++)
        printf(d ? ",%d" : "%d", dims[d]);
    printf("]");
}

static struct value fresh(struct net *net, int rank, const int *dims)
{
    struct value v = {.id = ++net->values, .rank = rank};
    for (int d = 0; d < rank; d++)
        v.dims[d] = dims[d];
    return v;
}

static struct value like(struct net *net, struct value x)
{
    return fresh(net, x.rank, x.dims);
}

void net_begin(struct net *net, const char *name)
{
    *net = (struct net){0};
    printf("graph \"%s\" {\n", name);
}

void net_end(struct value output, const char *name)
{
    printf("  output \"%s\" = %%v%d\n}\n", name, output.id);
}

struct value net_input(struct net *net, const char *name, int rank, const int *dims)
{
    struct value v = fresh(net, rank, dims);
    printf("  input %%v%d: ", v.id);
    print_type(rank, dims);
    printf(" name=\"%s\"\n", name);
    return v;
}

struct value net_random(struct net *net, double scale, int rank, const int *dims)
{
    struct value v = fresh(net, rank, dims);
    printf("  const %%v%d: ", v.id);
    print_type(rank, dims);
    printf(" = random(seed=%d, scale=%.6f)\n", ++net->constants, scale);
    return v;
}

/* A vector of positive numbers, from half to one and a half times `middle`, spelled out: `random` is
 * symmetric about 0. The numbers come from a linear congruential generator, the seed's upper bits. */
static struct value positive(struct net *net, double middle, int n)
{
    struct value v = fresh(net, 1, &n);
    uint32_t state = (uint32_t)++net->constants * 2654435761u;
    printf("  const %%v%d: f32[%d] = [", v.id, n);
    for (int i = 0; i < n; i++) {
        state = state * 1664525u + 1013904223u;
        printf(i ? ",%.3f" : "%.3f", middle * (0.5 + (double)(state >> 16) / 65536));
    }
    printf("]\n");
    return v;
}

/* With this name, before its number. */
static struct value named(struct net *net, const char *name, const char *op, const char *attributes,
                          int rank, const int *dims, int n, const struct value *in)
{
    struct value y = fresh(net, rank, dims);
    printf("  %%v%d = %s(", y.id, op);
    for (int i = 0; i < n; i++)
        printf(i ? ", %%v%d" : "%%v%d", in[i].id);
    printf(")%s%s name=\"%s_%d\"\n", *attributes ? " " : "", attributes, name, y.id);
    return y;
}

struct value net_node(struct net *net, const char *op, const char *attributes, int rank,
                      const int *dims, int n, const struct value *in)
{
    return named(net, op, op, attributes, rank, dims, n, in);
}

struct value net_constant(struct net *net, const char *type, const char *data)
{
    struct value v = fresh(net, 0, NULL);
    printf("  const %%v%d: %s = %s\n", v.id, type, data);
    return v;
}

struct value net_conv(struct net *net, struct value x, int channels, struct window w, int group,
                      int bias)
{
    const struct window2 both = {{w.kernel, w.kernel}, {w.stride, w.stride}, {w.pad, w.pad}};
    return net_conv2(net, x, channels, both, group, bias);
}

struct value net_conv2(struct net *net, struct value x, int channels, struct window2 w, int group,
                       int bias)
{
    const int shape[] = {channels, x.dims[1] / group, w.kernel[0], w.kernel[1]};
    const double scale = sqrt(6.0 / (shape[1] * shape[2] * shape[3]));
    struct value y = {.rank = 4, .dims = {1, channels}};
    char attributes[160];
    for (int d = 0; d < 2; d++)
        y.dims[2 + d] = (x.dims[2 + d] + 2 * w.pad[d] - w.kernel[d]) / w.stride[d] + 1;
    snprintf(attributes, sizeof attributes,
             "{dilations=[1,1], group=%d, pads=[%d,%d,%d,%d], strides=[%d,%d]}", group, w.pad[0],
             w.pad[1], w.pad[0], w.pad[1], w.stride[0], w.stride[1]);
    if (net->bytes != FLOATS)
        return net_on_bytes(net, "Conv", attributes, x, scale, shape, y, bias);
    struct value in[3] = {x, net_random(net, scale, 4, shape)};
    if (bias)
        in[2] = net_random(net, 0.1, 1, &channels);
    return named(net, "conv", "Conv", attributes, 4, y.dims, 2 + bias, in);
}

struct value net_conv_transpose(struct net *net, struct value x, int channels, struct window w)
{
    const int shape[] = {x.dims[1], channels, w.kernel, w.kernel};
    const int rows = (x.dims[2] - 1) * w.stride + w.kernel - 2 * w.pad,
              columns = (x.dims[3] - 1) * w.stride + w.kernel - 2 * w.pad;
    char attributes[160];
    snprintf(attributes, sizeof attributes,
             "{dilations=[1,1], group=1, output_padding=[0,0], pads=[%d,%d,%d,%d], "
             "strides=[%d,%d]}",
             w.pad, w.pad, w.pad, w.pad, w.stride, w.stride);
    const double taps = (double)w.kernel / w.stride;
    const struct value in[] = {x, net_random(net, sqrt(6.0 / (x.dims[1] * taps * taps)), 4, shape),
                               net_random(net, 0.1, 1, &channels)};
    return net_node(net, "ConvTranspose", attributes, 4, (int[]){1, channels, rows, columns}, 3,
                    in);
}

struct value net_scaled_conv(struct net *net, struct value x, int channels, const double *scale,
                             int n)
{
    int in = x.dims[1];
    struct value weights = net_random(net, sqrt(6.0 / in), 4, (int[]){channels, in, 1, 1});
    struct value factor = fresh(net, 4, (int[]){channels, 1, 1, 1});
    printf("  const %%v%d: f32[%d,1,1,1] = [", factor.id, channels);
    for (int i = 0; i < channels; i++)
        printf(i ? ",%g" : "%g", scale[i % n]);
    printf("]\n");
    struct value scaled = like(net, weights);
    printf("  %%v%d = Mul(%%v%d, %%v%d) name=\"scale_%d\"\n", scaled.id, weights.id, factor.id,
           scaled.id);
    struct value y = fresh(net, 4, (int[]){1, channels, x.dims[2], x.dims[3]});
    printf("  %%v%d = Conv(%%v%d, %%v%d) {dilations=[1,1], group=1, pads=[0,0,0,0], "
           "strides=[1,1]} name=\"conv_%d\"\n",
           y.id, x.id, scaled.id, y.id);
    return y;
}

struct value net_batch_norm(struct net *net, struct value x, double gain)
{
    int n = x.dims[1];
    struct value scale = positive(net, gain, n), shift = net_random(net, 0.1, 1, &n);
    struct value mean = net_random(net, 0.1, 1, &n), variance = positive(net, 1, n);
    struct value y = like(net, x);
    printf("  %%v%d = BatchNormalization(%%v%d, %%v%d, %%v%d, %%v%d, %%v%d) {epsilon=1e-05} "
           "name=\"bn_%d\"\n",
           y.id, x.id, scale.id, shift.id, mean.id, variance.id, y.id);
    return y;
}

static struct value pool(struct net *net, const char *op, struct value x, struct window w,
                         const char *more)
{
    struct value y = fresh(net, 4,
                           (int[]){1, x.dims[1], (x.dims[2] + 2 * w.pad - w.kernel) / w.stride + 1,
                                   (x.dims[3] + 2 * w.pad - w.kernel) / w.stride + 1});
    printf("  %%v%d = %s(%%v%d) {%sdilations=[1,1], kernel_shape=[%d,%d], pads=[%d,%d,%d,%d], "
           "strides=[%d,%d]} name=\"pool_%d\"\n",
           y.id, op, x.id, more, w.kernel, w.kernel, w.pad, w.pad, w.pad, w.pad, w.stride, w.stride,
           y.id);
    return y;
}

struct value net_max_pool(struct net *net, struct value x, struct window w)
{
    return pool(net, "MaxPool", x, w, "");
}

struct value net_average_pool(struct net *net, struct value x, struct window w)
{
    return pool(net, "AveragePool", x, w, "ceil_pads=[0,0], count_include_pad=0, ");
}

struct value net_global_average_pool(struct net *net, struct value x)
{
    return net_average_pool(net, x, (struct window){.kernel = x.dims[2], .stride = 1});
}

struct value net_concat_channels(struct net *net, struct value a, struct value b)
{
    struct value y = fresh(net, 4, (int[]){1, a.dims[1] + b.dims[1], a.dims[2], a.dims[3]});
    printf("  %%v%d = Concat(%%v%d, %%v%d) {axis=1} name=\"concat_%d\"\n", y.id, a.id, b.id, y.id);
    return y;
}

struct value net_dense(struct net *net, struct value x, int features)
{
    const int shape[] = {features, x.dims[1]}, transposed[] = {x.dims[1], features};
    const double scale = sqrt(6.0 / x.dims[1]);
    const struct value y = {.rank = 2, .dims = {x.dims[0], features}};
    if (net->bytes != FLOATS)
        return net_on_bytes(net, "MatMul", "", x, scale, transposed, y, 1);
    const struct value in[] = {x, net_random(net, scale, 2, shape),
                               net_random(net, 0.1, 1, &features)};
    return named(net, "dense", "Gemm", "{alpha=1.0, beta=1.0, transA=0, transB=1}", 2, y.dims, 3,
                 in);
}

struct value net_unary(struct net *net, const char *op, struct value x, const char *attributes)
{
    return net_node(net, op, attributes, x.rank, x.dims, 1, &x);
}

struct value net_add(struct net *net, struct value x, struct value y)
{
    return named(net, "add", "Add", "", x.rank, x.dims, 2, (struct value[]){x, y});
}

struct value net_mul(struct net *net, struct value x, struct value y)
{
    return net_node(net, "Mul", "", x.rank, x.dims, 2, (struct value[]){x, y});
}

struct value net_relu(struct net *net, struct value x)
{
    return net_unary(net, "Relu", x, "");
}

struct value net_prelu(struct net *net, struct value x)
{
    const struct value slope = net_random(net, 0.25, 3, (int[]){x.dims[1], 1, 1});
    return net_node(net, "PRelu", "", x.rank, x.dims, 2, (struct value[]){x, slope});
}

struct value net_instance_norm(struct net *net, struct value x)
{
    const int n = x.dims[1];
    const struct value scale = positive(net, 1, n), shift = net_random(net, 0.1, 1, &n);
    return net_node(net, "InstanceNormalization", "{epsilon=1e-05}", x.rank, x.dims, 3,
                    (struct value[]){x, scale, shift});
}

struct value net_reshape(struct net *net, struct value x, int rank, const int *dims)
{
    struct value y = fresh(net, rank, dims);
    printf("  %%v%d = Reshape(%%v%d) {shape=[", y.id, x.id);
    for (int d = 0; d < rank; d++)
        printf(d ? ",%d" : "%d", dims[d]);
    printf("]} name=\"reshape_%d\"\n", y.id);
    return y;
}

struct value net_transpose(struct net *net, struct value x, const int *perm)
{
    struct value y = like(net, x);
    printf("  %%v%d = Transpose(%%v%d) {perm=[", y.id, x.id);
    for (int d = 0; d < x.rank; d++) {
        y.dims[d] = x.dims[perm[d]];
        printf(d ? ",%d" : "%d", perm[d]);
    }
    printf("]} name=\"transpose_%d\"\n", y.id);
    return y;
}

struct value net_matmul(struct net *net, struct value x, struct value y)
{
    struct value z = like(net, x);
    z.dims[z.rank - 1] = y.dims[y.rank - 1];
    printf("  %%v%d = MatMul(%%v%d, %%v%d) name=\"matmul_%d\"\n", z.id, x.id, y.id, z.id);
    return z;
}

struct value net_layer_norm(struct net *net, struct value x)
{
    int axis = x.rank - 1, n = x.dims[axis];
    struct value scale = positive(net, 1, n), shift = net_random(net, 0.1, 1, &n);
    struct value y = like(net, x);
    printf("  %%v%d = LayerNormalization(%%v%d, %%v%d, %%v%d) {axis=%d, epsilon=1e-05} "
           "name=\"ln_%d\"\n",
           y.id, x.id, scale.id, shift.id, axis, y.id);
    return y;
}
