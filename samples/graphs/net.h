/* Writes text IR layer by layer, and knows the shapes on the way.
 *
 * Weights are `random(seed, scale)`: uniform in [-scale, scale), whose variance is scale^2 / 3. With
 * scale = sqrt(6 / fan in), He initialisation, activations keep their size through ReLU, so that nothing
 * overflows or dies out however deep the network. */
#ifndef SAMPLES_GRAPHS_NET_H
#define SAMPLES_GRAPHS_NET_H

#include <stdint.h>

/* A value of the graph: its number, which is its name, and its shape. Images are [1, C, H, W]. */
struct value {
    int id;
    int rank;
    int dims[4];
};

/* What convolutions and dense layers compute on: floats; bytes that are quantised as the model runs, with the range that the values have
 * then (ConvInteger, MatMulInteger); or bytes between QuantizeLinear and DequantizeLinear, with constant scales. */
enum bytes { FLOATS, DYNAMIC, STATIC };

/* Numbers values and seeds from 1. Every constant gets the next seed. */
struct net {
    int values;
    int constants;
    enum bytes bytes;
};

struct window {
    int kernel, stride, pad;
};

/* One whose height and width differ. */
struct window2 {
    int kernel[2], stride[2], pad[2];
};

void net_begin(struct net *net, const char *name);
void net_end(struct value output, const char *name);

struct value net_input(struct net *net, const char *name, int rank, const int *dims);
struct value net_random(struct net *net, double scale, int rank, const int *dims);

/* Any operator with one result, of this shape; attributes as in text IR, or "". */
struct value net_node(struct net *net, const char *op, const char *attributes, int rank,
                      const int *dims, int n, const struct value *in);
/* A constant of any type and any contents, in text IR. */
struct value net_constant(struct net *net, const char *type, const char *data);

/* Convolution with square kernel; `bias` is 0 or 1. */
struct value net_conv(struct net *net, struct value x, int channels, struct window w, int group,
                      int bias);
/* With any kernel, on bytes if the net says so. No bias, as where a normalisation follows, unless `bias`. */
struct value net_conv2(struct net *net, struct value x, int channels, struct window2 w, int group,
                       int bias);
/* A transposed convolution with square kernel and a bias. */
struct value net_conv_transpose(struct net *net, struct value x, int channels, struct window w);
/* 1x1 convolution; the weights of filter i are multiplied by scale[i % n]. */
struct value net_scaled_conv(struct net *net, struct value x, int channels, const double *scale,
                             int n);
/* Unfolded batch normalisation. gamma is about `gain`: less than 1 at the end of a residual branch, so
 * that sums over many blocks stay small. */
struct value net_batch_norm(struct net *net, struct value x, double gain);
struct value net_max_pool(struct net *net, struct value x, struct window w);
struct value net_average_pool(struct net *net, struct value x, struct window w);
struct value net_global_average_pool(struct net *net, struct value x);
struct value net_concat_channels(struct net *net, struct value a, struct value b);
/* x has rank 2, and so has the result: x times weights, plus a bias. On bytes if the net says so. */
struct value net_dense(struct net *net, struct value x, int features);

/* An op of one or two operands whose result has the shape of x; attributes as in text IR, or "". */
struct value net_unary(struct net *net, const char *op, struct value x, const char *attributes);
struct value net_add(struct net *net, struct value x, struct value y);
struct value net_mul(struct net *net, struct value x, struct value y);
struct value net_relu(struct net *net, struct value x);
/* A slope below 0 for each channel. */
struct value net_prelu(struct net *net, struct value x);
/* Each plane less its mean, by its deviation; scaled and shifted by channel. */
struct value net_instance_norm(struct net *net, struct value x);
struct value net_reshape(struct net *net, struct value x, int rank, const int *dims);
struct value net_transpose(struct net *net, struct value x, const int *perm);
/* Products of the last two dimensions. */
struct value net_matmul(struct net *net, struct value x, struct value y);
struct value net_layer_norm(struct net *net, struct value x);
/* An encoder block over x, [1, tokens, width]; encoder_block.c. */
struct value net_encoder(struct net *net, struct value x, int heads);
/* x, whose last dimension is the inputs, times a matrix, plus a bias; encoder_block.c. */
struct value net_linear(struct net *net, struct value x, int features);

void lenet5(void);
void resnet50(void);
void mobilenetv2(void);
void squeezenet(void);
void landmarks(void);
void encoder_block(void);
void forest(void);
void boosted(void);
void style(enum bytes bytes);
void lprnet(enum bytes bytes);
void mobilefacenet(enum bytes bytes);
void detr(enum bytes bytes);
void mlp_row(enum bytes bytes);
void wake_word(enum bytes bytes);
void digit_decoder(enum bytes bytes);
void keywords(enum bytes bytes);

#endif
