/* Reads an ONNX model into a graph in the normalised form of ops.def, whatever its opset.
 *
 * The folder onnx: in comes a model file, out goes a graph; and in export.h the other way round. */
#pragma once

#include "../graph/ir.h"

typedef struct ImportOptions {
    const char *const *dims; /* "SYMBOL=N"; "*=N" sets every symbol not named */
    size_t n_dims;
    const char *const *shapes; /* "INPUT=AxBxC"; "INPUT=scalar" for rank 0 */
    size_t n_shapes;
    const char *const *
        binds; /* "INPUT=FILE": a .npy or .pb file, or numbers "1,3", freezes an input to a constant */
    size_t n_binds;
    int64_t max_trips; /* of a loop whose results have a row for each iteration; 0: not said */
    int64_t
        part; /* > 1: of dimensions with a bound the capacity is this part of it; the inputs stay as they are */
    struct Refusals *
        refusals; /* refusals.h; not NULL: the import goes on behind a node that is refused, to find all of them, before it fails */
    Text *notes;  /* lines such as "note: input 'x': batch dimension 'N' left open; set to 1" */
} ImportOptions;

/* The graph of the model at `path`, in `arena`; NULL after a refusal. All dimensions are concrete afterwards, and
 * shape arithmetic is evaluated: what a Shape node and its like feed has become constants. */
Graph *import_onnx(Arena *arena, Diag *diag, const char *path, const ImportOptions *options);
/* The same of a file that the caller has mapped, and which constants of the graph may be parts of; `path` is where it is from. */
Graph *import_onnx_bytes(Arena *arena, Diag *diag, const char *path, MappedFile file,
                         const ImportOptions *options);
