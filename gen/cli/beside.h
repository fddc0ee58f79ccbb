/* dnnlc MODEL --verify=onnxruntime: what another runtime computes of the model file, beside what the passes have left. */
#pragma once

#include "../layers/runtime.h"
#include "options.h"

struct Verified; /* verify/run.h */

/* Whether the model can be given to the runtime; refused otherwise. */
bool beside_takes(const Graph *g, const Options *o);
/* Says for each output how far apart they are; refuses where that is more than `dnnlc verify` allows. */
bool beside_compare(const Program *p, const Options *o, const Runtime *r, const struct Verified *v,
                    Text *printed);
