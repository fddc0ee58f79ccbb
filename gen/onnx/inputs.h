/* What the files that read the model's inputs share. */
#pragma once

#include "node.h"

enum { MAX_INPUTS = 10000 };

typedef struct Dim {
    int64_t value;      /* -1: open */
    const char *symbol; /* NULL: none */
    bool bounded;       /* it is at most so much */
    /* Where the symbol is a sum of others ("past + 1"), of which some have bounds: those. */
    const char *sum[MAX_COUNTS];
    uint32_t n_sum;
} Dim;

typedef struct Input {
    const char *name;
    DType dtype;
    int64_t narrow; /* a type whose codes are bytes there: see onnx/narrow.c; 0: none */
    bool
        is_element; /* of a sequence, whose other tensors may differ from it in what symbols stand for */
    int rank;       /* -1: not declared */
    Dim dims[MAX_RANK];
    int64_t width;     /* of strings: bytes of each; 0: not said */
    const void *bound; /* contents, after --bind */
    size_t bound_bytes;
} Input;

/* An input as the model lists it: any number of tensors. */
typedef struct Listed {
    const char *name;
    const Onnx__TypeProto__Tensor *type;
    PortKind kind;
    bool is_absent;  /* an optional, by --shape NAME=absent or a bound file without a tensor */
    size_t first, n; /* its inputs */
} Listed;

typedef struct Symbol {
    const char *name;
    int64_t value;
    bool bounded;
    const char *source; /* the option that said so, for messages */
} Symbol;

/* How large a dimension with a bound is. */
typedef struct DimCount {
    const char *name;
    int64_t most;
    bool alone; /* an input has so many rows; otherwise only sums with others */
} DimCount;

typedef struct Inputs {
    Import *im;
    Graph *g;
    Listed *listed;
    size_t n_listed;
    Input *inputs;
    size_t n_inputs, cap_inputs;
    Symbol *symbols;
    size_t n_symbols, cap_symbols;
    DimCount *counts;
    uint32_t n_counts;
    size_t cap_counts;
} Inputs;

/* onnx/listed.c: those inputs of the graph that are no initialisers, each as many as it has tensors. */
bool list_inputs(Inputs *s, const Onnx__GraphProto *graph, const Scope *scope);
/* The rest of "NAME=REST" or, into *element, of "NAME_12=REST" where NAME is a sequence; NULL: it is of another input. */
const char *option_of(const Listed *l, const char *option, int64_t *element);
/* onnx/typed.c: how many numbers it is, "1,3,224"; 0: it is a file. And the same as contents of an input, whose shape is still to be set. */
size_t typed_numbers(const char *text);
bool bind_numbers(Inputs *s, Input *in, const char *text, size_t n, const char *source);
/* Reads digits, and moves *text behind them. */
bool parse_dim(const char **text, int64_t *value);
/* Or "..64": at most so much. */
bool parse_bound(const char **text, int64_t *value, bool *bounded);
/* onnx/input_options.c: gives all dimensions their numbers, inputs that are bound their contents; refuses what is still open. */
bool apply_input_options(Inputs *s);
/* What a symbol of a dimension stands for; NULL: nothing yet. */
const Symbol *find_symbol(const Inputs *s, const char *name);
