/* Convolutions and dense layers on bytes: see enum bytes in net.h. */
#ifndef SAMPLES_GRAPHS_NET_BYTES_H
#define SAMPLES_GRAPHS_NET_BYTES_H

#include "net.h"

/* The layer `op` of x and weights of this shape, uniform in [-scale, scale), which stand on bytes: "Conv" with these attributes, or "MatMul".
 * `shape`: the result's, a convolution's of rank 4, a product's of less. bias: whether each channel, or feature, has one. */
struct value net_on_bytes(struct net *net, const char *op, const char *attributes, struct value x,
                          double scale, const int *weights, struct value shape, int bias);

/* x rounded to bytes and back, with the scale that all activations have, if the net says STATIC; else x. */
struct value net_through_bytes(struct net *net, struct value x);

#endif
