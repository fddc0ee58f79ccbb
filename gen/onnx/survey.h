/* What a model's file says of itself, before anything is imported. */
#pragma once

#include "import.h"

/* An input or output as the file declares it: "f32[N,3,224,224]", with '?' for a dimension without a name. */
typedef struct SurveyPort {
    const char *name, *type;
} SurveyPort;

/* A dimension of inputs that is no number in the file. */
typedef struct SurveySymbol {
    const char *name;   /* NULL: it has none, and is of one input */
    const char *where;  /* "image[0], mask[0]": inputs and numbers of their dimensions */
    int64_t value;      /* by the options, or 1 for a leading one; -1: open */
    bool bounded;       /* it is at most so much */
    const char *source; /* what has set it: an option, or words; NULL: open */
    const char *option; /* to type, for the shell: "--dim N=" before a number, "--shape x=1xAxB" */
} SurveySymbol;

typedef struct SurveyOperator {
    const char *domain; /* "" is ONNX's own */
    const char *name;
    uint32_t nodes;  /* of the model's own graph */
    uint32_t inner;  /* in bodies of nodes, and in functions of the model */
    bool function;   /* of the model */
    const char *why; /* it is refused whatever its inputs are; NULL: it is not */
} SurveyOperator;

typedef struct SurveyOpset {
    const char *domain;
    int64_t version;
} SurveyOpset;

typedef struct Survey {
    int64_t ir_version; /* 0: it does not say */
    const char *producer, *producer_version, *graph;
    SurveyOpset *opsets;
    SurveyPort *inputs, *outputs;
    SurveySymbol *symbols;
    SurveyOperator *operators; /* in the order in which they come first */
    uint32_t *node_operator;   /* by node of the model's own graph: its row of operators */
    size_t n_opsets, n_inputs, n_outputs, n_symbols, n_operators, n_nodes;
    size_t cap_symbols, cap_operators;
    int64_t parameters;      /* elements of constants in the file */
    int64_t parameter_bytes; /* as it stores them */
} Survey;

/* False after a refusal: it is no model. What else is wrong with it is for the import to say. */
bool survey_onnx(Arena *arena, Diag *diag, const char *path, MappedFile file,
                 const ImportOptions *options, Survey *out);
