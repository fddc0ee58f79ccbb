/* The stand-alone executable's main program, driven by a table that describes the compiled model.
 *
 * The emitted NAME_main.c defines one constant `struct dnnlc_model` and calls dnnlc_main(). Unlike
 * the emitted library, this part allocates memory, reads and writes files, and prints.
 */
#ifndef DNNLC_RUNTIME_MAIN_H
#define DNNLC_RUNTIME_MAIN_H

#include <stddef.h>
#include <stdint.h>

/* Raised when a table below changes; emitted code checks that it was written for this one. python/dnnlc/_table.py has the same
 * members and the same version. */
#define DNNLC_MAIN_VERSION 12

/* An input or output: dense, row-major. `bytes` is the size of all its elements. */
struct dnnlc_tensor {
    const char *name; /* the ONNX name, as it is in the model */
    int dtype;        /* ONNX TensorProto.DataType */
    int rank;
    int64_t dims[12];
    size_t bytes;
};

/* A step of run(): what set_trace's `layer` counts. */
struct dnnlc_layer {
    const char *name;           /* the ONNX node's name */
    const char *op;             /* the op or composite */
    const char *detail;         /* shapes, layouts, post-ops: for people */
    const char *subgraph;       /* the function it is part of */
    const char *implementation; /* of oneDNN, or the kernel of C */
    int64_t operations;         /* on numbers, two for a multiply-add; of one execution … */
    int64_t read, written;      /* … as are bytes of operands, weights and results */
};

/* An output whose number of rows depends on data has capacity for all there can be; outputs[count], one i64, says how many of them, along
 * `axis`, count. */
struct dnnlc_count {
    size_t output;
    int axis;
    size_t count;
};

/* An input has as many rows along `axis` as run() is told by in[n_inputs + dimension], one i64, at most `most`: what stands behind them is not read. Where
 * several entries are about the same axis, or its shape says more than `most`, it has the sum of all: as many less than its shape says as they are together
 * less than they may be. */
struct dnnlc_bound {
    size_t input;
    int axis;
    size_t dimension;
    int64_t most;
};

/* An input that the context keeps: run() takes no pointer for it, nor for the output that it becomes. */
struct dnnlc_state {
    size_t input, output;
};

enum { DNNLC_MISMATCH = -1 };

/* init()'s `variant` for all of them at once, of which select() chooses. */
#define DNNLC_ALL_VARIANTS UINT32_MAX

struct dnnlc_session;

struct dnnlc_model {
    const char *name, *compiler_version, *onednn_version, *isa, *model_hash, *target;
    const char *linked;    /* the instruction sets whose implementations are linked; NULL: all */
    const char *precision; /* what it computes in: "f32", or "bf16" where that was asked for */
    const char *called;    /* of several variants: "batch=4 seq=64" */
    unsigned variant;      /* its number, which init takes */
    unsigned n_variants;   /* this one's and those of the tables behind it; 1: it is the only one */
    const struct dnnlc_tensor *inputs, *outputs;
    size_t n_inputs, n_outputs;
    const struct dnnlc_layer *layers;
    size_t n_layers;
    size_t workspace_size, workspace_align, context_size, weights_size; /* bytes */
    const char *weights_file;      /* NULL: embedded; else looked up beside the executable */
    int threads;                   /* the most it was compiled for */
    size_t (*fallback_size)(void); /* NULL: init never needs a fallback buffer */
    /* weights: NULL and 0 for the embedded ones. threads: 0 for as many as compiled for. */
    int (*init)(void *ctx, void *workspace, size_t workspace_size, const void *weights,
                size_t weights_size, void *fallback, size_t fallback_size, int threads,
                unsigned variant);
    int (*select)(void *ctx, unsigned variant); /* NULL: there is one variant */
    int (*run)(void *ctx, const void *const *in, void *const *out);
    void (*fini)(void *ctx);
    const char *(*error)(const void *ctx), *(*error_layer)(const void *ctx);
    void (*set_trace)(void *ctx, void (*fn)(void *user, unsigned layer), void *user);
    const struct dnnlc_count *counts; /* in the order of the outputs they belong to … */
    size_t
        n_counts; /* … and each stands behind the model's own outputs, which are n_outputs - n_counts */
    const struct dnnlc_bound *bounds;
    size_t n_bounds, n_dimensions; /* the names of these stand behind the inputs' */
    const struct dnnlc_state *states;
    size_t n_states;
    void *(*state)(const void *ctx, unsigned k); /* where inputs[states[k].input] stands */
    void (*reset)(void *ctx);                    /* all states become 0 */
    size_t selftest_size; /* bytes, 64-byte aligned, that it wants as memory */
    /* NULL: compiled without --selftest. DNNLC_MISMATCH: outputs[*output] is not as it was. */
    int (*selftest)(void *ctx, void *memory, size_t size, size_t *output);
    /* NULL: compiled without --debug. dnnlc_dump.h; 0 after a failure. */
    int (*dump_layers)(struct dnnlc_session *session, const char *dir, char *why, size_t why_size);
    /* The first dimension of all inputs and outputs is a batch, of which row K of the outputs depends on row K of the inputs alone. 0: that is not known,
     * or it is 1. */
    int rows_apart;
};

/* The state that an input is; NULL: it is none. */
static inline const struct dnnlc_state *dnnlc_state_of(const struct dnnlc_model *model,
                                                       size_t input)
{
    for (size_t k = 0; k < model->n_states; k++)
        if (model->states[k].input == input)
            return &model->states[k];
    return NULL;
}

/* The model's own outputs: behind them stand the counts of their rows. */
static inline size_t dnnlc_model_outputs(const struct dnnlc_model *model)
{
    return model->n_outputs - model->n_counts;
}

/* `model` is the first of model->n_variants tables, of which the inputs' shapes choose one. Returns the exit status: 0 done, 1 failed or refused, 2 bad usage; with one line on stderr for 1
 * and 2. The model's functions return 0 for success. */
int dnnlc_main(int argc, char **argv, const struct dnnlc_model *model);

#endif
