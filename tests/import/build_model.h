/* Builds small models, sound and unsound ones, and writes them to files. */
#pragma once

#include "../../gen/graph/ir.h"
#include "onnx.pb-c.h"

typedef struct Build {
    Arena *arena;
    Onnx__ModelProto model;
    Onnx__GraphProto *graph; /* what is being added to */
} Build;

Build *build_new(Arena *arena, int64_t opset);
Onnx__GraphProto *
build_graph(Build *b); /* a further, inner graph; set b->graph to it to add to it */
/* dims: "1,3,N,?" with a symbol, and ? for nothing; "" for a scalar; NULL for no shape. */
void build_input(Build *b, const char *name, int elem_type, const char *dims);
void build_output(Build *b, const char *name, int elem_type, const char *dims);
/* Makes a port, such as b->graph->input[0], a sequence of what it is, or an optional. */
void build_sequence_of(Build *b, Onnx__ValueInfoProto *port);
void build_optional_of(Build *b, Onnx__ValueInfoProto *port);
/* names: "a b c"; "-" stands for an absent one */
Onnx__NodeProto *build_node(Build *b, const char *op, const char *inputs, const char *outputs);
Onnx__AttributeProto *build_attr(Build *b, Onnx__NodeProto *n, const char *name, int type);
void build_attr_int(Build *b, Onnx__NodeProto *n, const char *name, int64_t v);
void build_attr_ints(Build *b, Onnx__NodeProto *n, const char *name, const int64_t *v,
                     size_t count);
void build_attr_graph(Build *b, Onnx__NodeProto *n, const char *name, Onnx__GraphProto *g);
/* dims: "2,3" */
Onnx__TensorProto *build_tensor(Build *b, const char *name, DType dtype, const char *dims,
                                const void *data);
Onnx__TensorProto *build_init(Build *b, const char *name, DType dtype, const char *dims,
                              const void *data);
void build_external(Build *b, Onnx__TensorProto *t, const char *location, const char *offset,
                    const char *length);
Onnx__FunctionProto *build_function(Build *b, const char *domain, const char *name,
                                    const char *inputs, const char *outputs);
/* Moves the nodes of b->graph into the function. */
void build_body(Build *b, Onnx__FunctionProto *f, Onnx__GraphProto *nodes);
size_t build_pack(Build *b, uint8_t **bytes);
void build_write(Build *b, const char *path);
