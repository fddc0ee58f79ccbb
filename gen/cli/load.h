/* From the model file to the graph as the command line wants it: its sizes, variants, bounds and states. */
#pragma once

#include "../program/program.h"
#include "options.h"

/* The graph; also its program, where the file holds one. `hash` becomes the SHA-256 of the file in hex, of the bytes that are read. NULL after a refusal. */
Graph *load_graph(Arena *arena, Diag *diag, const Options *o, char hash[65], Program *p);
/* Whether the file holds text IR, not ONNX. */
bool is_text_ir(const char *path, const char *data, size_t size);
