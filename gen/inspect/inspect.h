/* What dnnlc inspect says of a model.
 *
 * The folder inspect: in come a model's own words, its graph, refusals and program, as far as there are any; out goes a table for a terminal, or JSON. */
#pragma once

#include "../machine/machine.h"
#include "../onnx/refusals.h"
#include "../onnx/survey.h"
#include "../program/program.h"

/* What became of the nodes of an operator; a node is in one place, the first of these that a part of it has. */
typedef enum Fate {
    FATE_DNNL, /* a primitive of oneDNN computes it, or a part of it */
    FATE_C,    /* a kernel of C does */
    FATE_VIEW, /* only another view of memory: no step */
    FATE_FOLDED, /* nothing is left of it: done while compiling, merged into another node, or not needed */
    FATE_REFUSED,  /* dnnlc refuses it */
    FATE_UNJUDGED, /* nobody can say: its inputs come from refused nodes, or sizes are open */
    N_FATES
} Fate;
extern const char *const fate_words[N_FATES]; /* as JSON has them */

typedef struct OperatorFates {
    uint32_t nodes[N_FATES];
} OperatorFates;

enum { INSPECT_EXAMPLE = 8 }; /* stands for every size that is open */

typedef struct Inspection {
    Arena *arena;
    const char *file, *hash;
    bool onnx;              /* not text */
    bool was_program;       /* text, of a program */
    Survey survey;          /* of text: made of its graph */
    const Graph *graph;     /* NULL: it was refused before there was one */
    const Program *program; /* NULL: it was not planned */
    const Program *example; /* with INSPECT_EXAMPLE for open sizes; NULL: refused, or none are */
    Refusals refusals;      /* none: the model would be compiled */
    OperatorFates *fates;   /* by operator of the survey */
    Machine machine;
    const char *isa; /* planned for; "any" for portable C */
    int threads;
    bool target_c;
    int64_t macs; /* of the first variant, or of the example; -1: not known */
} Inspection;

/* survey_graph.c. The same of a graph: there are no symbols and no versions. Nodes get their positions as numbers. */
void survey_graph(Graph *g, Survey *out);
/* fates.c. */
int64_t graph_macs(const Graph *g);
void judge_operators(Inspection *in);
/* operators.c. docs/operators.md: ONNX's operators, and what each becomes. */
void list_operators(Arena *arena, Text *out);
/* table.c, json.c. `width`: characters of a line of the terminal; colour: it shows some. */
void inspect_table(const Inspection *in, int width, bool colour, Text *out);
void inspect_json(const Inspection *in, Text *out);
