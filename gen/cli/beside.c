#include "beside.h"

#include "../layers/layers.h"
#include "../tune/process.h"
#include "../verify/run.h"

#include <math.h>

bool beside_takes(const Graph *g, const Options *o)
{
    if (o->no_float)
        return refuse(g->diag,
                      "--onnxruntime: the model's inputs and outputs are no bytes, as those of "
                      "--no-float are");
    return !graph_has_bounds(g) ||
           refuse_graph(g, "ONNX Runtime is given no bounded dimensions: give each one number");
}

/* An output with as many rows as count: those stand first along the axis, and the evaluator has made all that there is room for. */
static Tensor counted_rows(const Graph *g, uint32_t output, const Tensor *made)
{
    const Port *port = &g->outputs[output];
    Tensor t = made[output];
    for (uint32_t k = 0; k < port->n_counts; k++) {
        const int64_t rows = *(const int64_t *)made[port->counts[k].by].data;
        t.type.dims[port->counts[k].axis] = rows;
    }
    return t;
}

static bool compare_output(const Program *p, uint32_t output, const Tensor *runtime,
                           const Tensor *made, Text *printed)
{
    const Graph *g = p->graph;
    const char *variant = graph_variant_text(g, output / outputs_each(g));
    const LayerBound by = output_bound(p, runtime->type.dtype);
    const Difference d = difference_of(made, runtime, 0);
    const double part = d.absolute / (d.largest > 0 ? d.largest : 1);
    text_printf(printed,
                "verify: output '%s'%s%s: ONNX Runtime's is off by %.3g of its largest "
                "element\n",
                g->outputs[output].name, *variant ? " of " : "", variant, part);
    return d.absolute <= by.relative * d.largest + by.absolute ||
           refuse_graph(
               g, "ONNX Runtime computes output '%s'%s%s otherwise, by %.3g of its largest element",
               g->outputs[output].name, *variant ? " of " : "", variant, part);
}

static bool compare_variant(const Program *p, const Options *o, const Runtime *r, const Verified *v,
                            uint32_t variant, const char *dir, Text *printed)
{
    const Graph *g = p->graph;
    Arena *arena = p->arena;
    const char *in = arena_printf(arena, "%s/in_%u", dir, variant),
               *out = arena_printf(arena, "%s/out_%u", dir, variant);
    if (!runtime_give(p, v->inputs + variant * inputs_each(g), in) ||
        !runtime_run(arena, g->diag, r, o->model, in, out))
        return false;
    for (uint32_t k = 0; k < made_outputs(g); k++) {
        const uint32_t output = variant * outputs_each(g) + k;
        const Tensor counted = counted_rows(g, output, v->after);
        Tensor runtime;
        if (!dumped_tensor(arena, arena_printf(arena, "%s/output_%u.npy", out, k), &counted.type,
                           &runtime, g->diag) ||
            !compare_output(p, output, &runtime, &v->after[output], printed))
            return false;
    }
    return true;
}

bool beside_compare(const Program *p, const Options *o, const Runtime *r, const Verified *v,
                    Text *printed)
{
    Folder folder;
    if (!make_folder(p->arena, p->graph->diag, &folder))
        return false;
    bool agree = true;
    for (uint32_t variant = 0; agree && variant < p->graph->variants.n; variant++)
        agree = compare_variant(p, o, r, v, variant, folder.path, printed);
    remove_folder(&folder);
    return agree;
}
