/* Convolutions of stride 1 in emitted C that go along the lines of an image (templates/c/conv_flat.c): row-major source and result,
 * vectors along the width whatever it is. Best where there are few channels. */
#pragma once

#include "../eval/nn.h"
#include "../machine/machine.h"

typedef struct ConvFlat {
    int64_t
        pitch; /* floats from one row to the next: the width and zeros that both neighbours share */
    int64_t at_once,
        chunks; /* rows of the result whose sources are in scratch memory together; how often that is */
    int64_t slack; /* floats behind the last row that are read */
    int64_t line;  /* floats of a filter's sums */
} ConvFlat;

enum { CONV_FLAT_FILTERS = 8, CONV_FLAT_COLUMNS = 64 }; /* of a tile, at most */

/* Filters and columns of a tile, for CPUs with `lanes` floats in a register (16; otherwise 8). */
typedef struct FlatTile {
    int64_t filters, columns;
} FlatTile;
FlatTile conv_flat_tile(int64_t filters, int lanes);
/* Bytes of scratch memory for each thread; slack and line become those of such tiles. */
size_t conv_flat_scratch(const ConvShape *s, ConvFlat *flat, FlatTile tile);

/* The kernel computes this: a Conv in f32, one group, strides of 1, at most two dimensions. `at_once`: as many lines, 0: as many as are
 * best. */
bool conv_flat_plan(const Graph *g, const Node *n, ConvShape *s, ConvFlat *flat, int64_t at_once);

/* The shape of a convolution that is computed with the channels last: two spatial dimensions. */
ConvShape conv_shape_last(const Graph *g, const Node *n);
/* Convolutions of an image, row-major, whose result has its channels last (templates/c/conv_image.c): pixels of the result and filters that are
 * computed together, and floats of a vector of these. No pixels: windows are too wide. */
typedef struct ImageTile {
    int64_t pixels, filters, lanes;
} ImageTile;
ImageTile conv_image_tile(const ConvShape *s, int lanes);
/* Bytes on the stack for so many pixels. */
int64_t conv_image_stack(const ConvShape *s, int64_t pixels);
/* Depthwise convolutions with the channels last (templates/c/conv_depthwise_tiles.c): neighbours in a line and channels of a block of sums, channels
 * that are computed together at the border of an image, and those of a strip of it. No pixels: channels do not fill vectors. */
typedef struct DepthwiseTile {
    int64_t pixels, channels, lanes, block;
} DepthwiseTile;
DepthwiseTile conv_depthwise_tile(const ConvShape *s, int lanes);
int64_t conv_depthwise_single(int64_t channels, int64_t lanes);
/* Convolutions of groups of a few channels, with the channels last (templates/c/conv_group_tiles.c): neighbours in a line, filters of a strip of the image, and those
 * that are computed together at its border. No pixels: groups do not fill vectors. */
typedef struct GroupTile {
    int64_t pixels, block, single;
} GroupTile;
GroupTile conv_group_tile(const ConvShape *s);
/* A ConvTranspose that is computed with the channels last, in vectors of filters; and it is quicker than oneDNN's primitive then. */
bool conv_transpose_vectors(const Graph *g, const Node *n);
bool conv_transpose_pays(const Graph *g, const Node *n);
/* Depthwise ones and those of groups: by the machine's figures quicker than oneDNN's primitive. */
bool conv_tiles_pay(const Graph *g, const Node *n, const Machine *m);
/* By estimation quicker than a reorder and oneDNN's primitive, where the source is row-major. */
bool conv_image_pays(const Graph *g, const Node *n, const Machine *m);

/* As a kernel of C counts them: near the peak, an operation of a loop takes as long as so many multiply-adds for each lane. */
double conv_flat_operations(const ConvShape *s, const ConvFlat *flat, int lanes);
/* By estimation quicker than oneDNN's primitive, with what the neighbours' layouts cost. Never on a machine without lanes. */
bool conv_flat_pays(const Graph *g, const Node *n, const Machine *m);
