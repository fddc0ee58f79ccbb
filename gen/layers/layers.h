/* What a built program's layers make, beside what the reference evaluator makes of their operands.
 *
 * The folder layers: in come a program and the files of its executable's --dump-layers; out goes how far each layer and output is off, for people and as JSON. */
#pragma once

#include "../program/made.h"
#include "bound.h"
#include "difference.h"

typedef enum CheckState {
    CHECK_NOT_RUN, /* no file: a branch that was not taken */
    CHECK_IN_LOOP, /* of the last iteration: only compared with the whole */
    CHECK_COMPARED,
    CHECK_UNKNOWN, /* behind a layer so far off that the evaluator refuses what it has made */
} CheckState;
const char *check_state_word(CheckState state); /* "not run", "in a loop", … */

typedef struct Checked {
    double bound;       /* for the largest difference */
    bool beyond, often; /* often: no element is, but more than half are off by a step */
    Difference own;
} Checked;

/* Of a tensor that a layer makes. */
typedef struct LayerCheck {
    const Made *made;
    CheckState state;
    Tensor got;
    LayerBound by;
    Checked
        layer; /* of the layer's own: what the evaluator makes of the operands that the program has computed */
    bool has_all;
    Difference in_all; /* from what the evaluator makes of the inputs, after the passes */
} LayerCheck;

typedef struct OutputCheck {
    const char *name;
    uint32_t variant, port; /* its number among the outputs of all variants */
    Checked model;          /* beside the model as it was read */
    Checked runtime; /* beside another runtime, where there is one; and the evaluator beside that */
    Checked runtime_evaluated;
    Checked passes; /* what the passes have made of it: the evaluator on both graphs */
    bool
        probed; /* beyond the fixed bound while no layer is: it was looked at what the model makes of such errors */
    double
        moved; /* so far the output moves, as a part of its largest element, when the evaluator's layers have errors as the program's */
} OutputCheck;

typedef struct LayersCheck {
    const Program *p;
    Arena *arena;
    const char *file, *program; /* the model's; the folder that was built */
    const char *about;          /* of what inputs: "random inputs of seed 1" */
    const char *const *dirs; /* by variant: the folder of its --dump-layers; NULL: it did not run */
    const char **runs;       /* by variant: "batch=4", "rows=3"; "" where there is one size */
    LayerCheck *layers;
    OutputCheck *outputs;
    uint32_t n_layers, n_outputs;
    const Tensor
        *runtime; /* outputs of another runtime, as many as the graph has; NULL: there is none */
    const LayerCheck *culprit; /* the first beyond its bound; NULL: none */
} LayersCheck;

/* dumped.c: files of the folders of --dump-layers; false after a refusal, also where an index is not one of this program. Inputs and outputs of all variants:
 * 0 of those that did not run. */
bool dumped_read(LayersCheck *c, const char *name, Tensor **inputs, Tensor **outputs, Diag *diag);
/* Which variant has run there. */
bool dumped_variant(const Program *p, const char *dir, const char *program, uint32_t *variant,
                    Diag *diag);
/* A file that holds a tensor of this type. */
bool dumped_tensor(Arena *arena, const char *path, const TensorType *type, Tensor *t, Diag *diag);
/* Outputs of a variant, of the shapes of `own`, that somebody else has written there. */
bool dumped_outputs(const LayersCheck *c, uint32_t variant, const char *dir, const Tensor *own,
                    Tensor *outputs, Diag *diag);
/* The variant that a layer is part of. */
uint32_t layer_variant(const LayersCheck *c, const LayerCheck *l);
/* compare.c: fills all rows. `model` is the graph as it was read, without a pass. */
bool layers_compare(LayersCheck *c, const Graph *model, const Tensor *inputs,
                    const Tensor *outputs);
bool layers_agree(const LayersCheck *c);
/* say.c; json.c: of n of the same program, as one. */
void layers_table(const LayersCheck *c, int width, bool colour, Text *out);
void layers_json(const LayersCheck *checks, size_t n, Text *out);
