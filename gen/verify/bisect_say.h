/* What dnnlc bisect says, for people or as JSON. */
#pragma once

#include "bisect.h"

/* The first value that has its name and shape from before, and other contents; NULL as `node`: there is none. */
typedef struct OtherValue {
    const Node *node;
    const char *name;
    const TensorType *type;
    double change;
} OtherValue;

/* Above the passes. */
void bisect_say_begin(Bisect *b);
void bisect_say_pass(Bisect *b, const char *pass, double change, double in_all);
/* The pass that changes outputs: by how much each, and the value. */
void bisect_say_culprit(Bisect *b, const Graph *g, const char *pass, const double *changes,
                        const OtherValue *value);
/* The end of the object, where no pass was found by what it computes: `why` has the pass failed, and NULL says that none has. */
void bisect_json_end(Text *out, const char *pass, const char *why);
