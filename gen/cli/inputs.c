/* The executable's own functions read the files, by a table of the model like that of an executable, but without anything to run. */
#include "inputs.h"

#include "../../runtime-stub/dnnlc_assign.h"
#include "../../runtime-stub/dnnlc_inputs.h"
#include "../verify/run.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

bool seed_of(Diag *diag, const Options *o, uint64_t *seed)
{
    char *end;
    errno = 0;
    *seed = o->random ? strtoull(o->random, &end, 10) : 1;
    return !o->random || (!errno && *end == 0 && *o->random >= '0' && *o->random <= '9') ||
           refuse(diag, "--random %s: not a whole number from 0 to 2^64 - 1", o->random);
}

const char *inputs_text(Arena *arena, const Options *o)
{
    const char *seed = arena_printf(arena, "random inputs of seed %s", o->random ? o->random : "1");
    if (!o->n_inputs)
        return seed;
    return arena_printf(arena, "inputs of %zu file%s%s%s", o->n_inputs, o->n_inputs > 1 ? "s" : "",
                        o->random ? ", others " : "", o->random ? seed : "");
}

/* --- the table ---------------------------------------------------------------------------------------------------------- */

static struct dnnlc_tensor tensor_of(const Graph *g, const Port *port)
{
    const TensorType *type = type_of(g, port->value);
    struct dnnlc_tensor t = {.name = port->name,
                             .dtype = (int)type->dtype,
                             .rank = type->rank,
                             .bytes = type_bytes(type)};
    memcpy(t.dims, type->dims, (size_t)type->rank * sizeof *t.dims);
    return t;
}

/* Dimensions with a bound are the last inputs. */
static struct dnnlc_model model_table(const Graph *g, uint32_t variant, Arena *arena)
{
    const uint32_t n = inputs_each(g);
    const Port *ports = g->inputs + variant * n;
    struct dnnlc_tensor *tensors = ARENA_ARRAY(arena, struct dnnlc_tensor, n + 1);
    struct dnnlc_bound *bounds = ARENA_ARRAY(arena, struct dnnlc_bound, n * MAX_COUNTS + 1);
    struct dnnlc_state *states = ARENA_ARRAY(arena, struct dnnlc_state, n + 1);
    struct dnnlc_model m = {.name = g->name,
                            .called = graph_variant_text(g, variant),
                            .variant = variant,
                            .inputs = tensors,
                            .bounds = bounds,
                            .states = states};
    for (uint32_t i = 0; i < n; i++) {
        tensors[i] = tensor_of(g, &ports[i]);
        m.n_dimensions += graph_bound(g, i) >= 0;
        if (ports[i].state)
            states[m.n_states++].input = i;
    }
    m.n_inputs = n - m.n_dimensions;
    for (uint32_t i = 0; i < m.n_inputs; i++)
        for (uint32_t k = 0; k < ports[i].n_counts; k++) {
            const uint32_t by = ports[i].counts[k].by % n;
            bounds[m.n_bounds++] = (struct dnnlc_bound){.input = i,
                                                        .axis = ports[i].counts[k].axis,
                                                        .dimension = by - m.n_inputs,
                                                        .most = graph_bound(g, by)};
        }
    return m;
}

/* Of plans for fewer rows there is one model, the largest. */
static struct dnnlc_model *tables_of(const Graph *g, Arena *arena)
{
    const uint32_t n = graph_by_count(g) ? 1 : g->variants.n;
    struct dnnlc_model *models = ARENA_ARRAY(arena, struct dnnlc_model, n);
    for (uint32_t v = 0; v < n; v++) {
        models[v] = model_table(g, v, arena);
        models[v].n_variants = n - v;
    }
    return models;
}

/* --- the files ---------------------------------------------------------------------------------------------------------- */

/* Inputs of one variant; what the context would begin with, where nothing is given for a state. */
static void take_inputs(const struct dnnlc_session *s, Arena *arena, Tensor *inputs)
{
    const struct dnnlc_model *m = s->model;
    for (size_t i = 0; i < m->n_inputs; i++)
        if (s->inputs[i].data)
            inputs[i].data = arena_copy(arena, s->inputs[i].data, s->inputs[i].bytes);
        else
            memset(inputs[i].data, 0, s->inputs[i].bytes);
    for (size_t d = 0; d < m->n_dimensions; d++)
        *(int64_t *)inputs[m->n_inputs + d].data =
            dnnlc_state_of(m, m->n_inputs + d) && s->rows[d] < 0 ? 0 : s->rows[d];
    for (size_t k = 0; k < m->n_bounds; k++) {
        int64_t *rows = inputs[m->n_inputs + m->bounds[k].dimension].data;
        *rows = *rows < 0 ? m->bounds[k].most : *rows;
    }
}

static bool load_files(const struct dnnlc_model *models, struct dnnlc_options *options,
                       struct dnnlc_words *words, Arena *arena, Tensor *inputs, char *why,
                       size_t why_size)
{
    struct dnnlc_words none = {0}, stacked = {0};
    struct dnnlc_session session = {0};
    if (!dnnlc_assign_files(options, models, words, &none, &stacked, why, why_size))
        return false;
    const struct dnnlc_model *chosen = dnnlc_choose_variant(models, options, why, why_size);
    if (!chosen)
        return false;
    const bool done = dnnlc_session_open(&session, chosen, why, why_size) &&
                      dnnlc_inputs_load(&session, options, why, why_size);
    if (done)
        take_inputs(&session, arena,
                    inputs + chosen->variant * (chosen->n_inputs + chosen->n_dimensions));
    dnnlc_session_close(&session);
    return done;
}

Tensor *inputs_given(const Graph *g, const Options *o, uint64_t seed)
{
    char why[1024];
    Arena *arena = g->arena;
    Tensor *inputs = random_inputs(g, seed);
    if (!o->n_inputs)
        return inputs;
    const char **files = ARENA_ARRAY(arena, const char *, 2 * (inputs_each(g) + 1));
    struct dnnlc_options options = {
        .input_files = files, .batch_inputs = files + inputs_each(g) + 1, .seed = seed};
    struct dnnlc_words words = {arena_copy(arena, o->inputs, o->n_inputs * sizeof *o->inputs),
                                o->n_inputs};
    if (load_files(tables_of(g, arena), &options, &words, arena, inputs, why, sizeof why))
        return inputs;
    refuse(g->diag, "%s: %s", g->file, why);
    return NULL;
}
