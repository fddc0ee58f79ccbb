/* Shapes and activations of LSTM, GRU and RNN, for the evaluator and the emitter. */
#pragma once

#include "../graph/ir.h"

typedef enum RnnActKind {
    RNN_AFFINE,
    RNN_ELU,
    RNN_HARD_SIGMOID,
    RNN_LEAKY_RELU,
    RNN_RELU,
    RNN_SCALED_TANH,
    RNN_SIGMOID,
    RNN_SOFTPLUS,
    RNN_SOFTSIGN,
    RNN_TANH,
    RNN_THRESHOLDED_RELU,
    RNN_ACTS
} RnnActKind;

typedef struct RnnActInfo {
    const char *name;
    Op op;              /* neither Affine nor ScaledTanh is one */
    double alpha, beta; /* ONNX's defaults */
    int params;         /* 1: has an alpha; 2: and a beta */
} RnnActInfo;
extern const RnnActInfo rnn_acts[RNN_ACTS];

typedef struct RnnAct {
    RnnActKind kind;
    double alpha, beta;
} RnnAct;

typedef struct RnnShape {
    int64_t steps, batch, input, hidden;
    int directions, gates;
    bool reverse[2];  /* by direction */
    int n_acts;       /* per direction */
    RnnAct act[2][3]; /* by direction */
    double clip;      /* 0: none */
    bool linear_before_reset, input_forget;
    bool projected; /* X is its product with W; input is the size of one step of it */
    bool
        quantised_state; /* before each step the state takes the values of u8, over all sequences */
} RnnShape;

/* Inputs by their place in the node; sequence_lens and initial_h are common to the three. */
enum RnnInput { RNN_X, RNN_W, RNN_R, RNN_B, RNN_LENS, RNN_H0, RNN_C0, RNN_P };

/* The activation of this name, n bytes in any case of letters, with ONNX's parameters; false: there is none. */
bool rnn_find_act(const char *name, size_t n, RnnAct *act);
/* False after refusing an activation that is not known. */
bool rnn_shape(const Graph *g, const Node *n, const TensorType *x, const TensorType *r,
               RnnShape *s);
/* Whether it goes from the start and from the end, by the same functions. */
bool rnn_goes_both_ways(const RnnShape *s);
