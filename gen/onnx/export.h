/* Writes a graph as an ONNX model. */
#pragma once

#include "../graph/ir.h"

/* One fixed version of ONNX's operators, and the version of the file format that came with it: the last one of whose operators ONNX
 * Runtime has all that we write (of 22 it lacks RoiAlign). */
enum { EXPORT_OPSET = 21, EXPORT_IR_VERSION = 10 };

/* The bytes of a ModelProto, in `arena`. What passes decided about a node (composite, region, target) is its doc_string. Constants
 * become initializers, inputs and outputs have the names of their ports, all other values keep theirs. False after a refusal. */
bool export_onnx(const Graph *g, Arena *arena, uint8_t **bytes, size_t *size);

/* Why the op has no form in ONNX; NULL: it has. */
const char *export_refuses(Op op);
