#include "errors.h"

#include "measured.h"

#include <math.h>

/* What differences are parts of: a step where the layer rounds to some, the largest element otherwise. */
static double unit_of(const Measured *m, const cJSON *difference, double step)
{
    const double largest = measured_number(m, difference, "largest");
    return step > 0 ? step : largest > 0 ? largest : 1;
}

/* A difference as a part of what is compared with; null in the file: infinite. */
static double part_of(const Measured *m, const cJSON *difference, double step)
{
    const double unit = unit_of(m, difference, step);
    if (cJSON_IsNull(cJSON_GetObjectItemCaseSensitive(difference, "absolute")))
        return INFINITY;
    return measured_number(m, difference, "absolute") / unit;
}

static LayerError error_of(const Measured *m, const cJSON *row)
{
    const cJSON *error = cJSON_GetObjectItemCaseSensitive(row, "error"),
                *in_all = cJSON_GetObjectItemCaseSensitive(row, "in_all");
    LayerError e = {.state = arena_strdup(m->p->arena, measured_string(row, "state")),
                    .in_all = -1};
    if (error) {
        e.step = measured_number(m, row, "step");
        e.error = part_of(m, error, e.step);
        e.bound = measured_number(m, row, "bound") / unit_of(m, error, e.step);
        e.beyond = cJSON_IsTrue(cJSON_GetObjectItemCaseSensitive(row, "beyond"));
    }
    if (in_all)
        e.in_all = part_of(m, in_all, e.step);
    return e;
}

static bool worse(const LayerError *a, const LayerError *b)
{
    return !b->state || (a->beyond && !b->beyond) ||
           (a->beyond == b->beyond && a->error > b->error);
}

static bool refuse_layers(const Measured *m)
{
    return refuse(m->diag, "%s: is the verification of another compilation: it has other layers",
                  m->path);
}

static bool read_row(const Measured *m, const cJSON *row, LayerErrors *errors)
{
    const double layer = measured_number(m, row, "layer");
    if (m->diag->message || !measured_string(row, "state") || !(layer < m->p->n_steps))
        return refuse_layers(m);
    LayerError *known = &errors->layers[(uint32_t)layer];
    if (!measured_is(m, row, "label", m->p->steps[(uint32_t)layer].label))
        return false;
    const LayerError e = error_of(m, row);
    if (worse(&e, known))
        *known = e;
    return m->diag->message == NULL;
}

static bool read_members(const Measured *m, const cJSON *root, LayerErrors *errors)
{
    const char *inputs = measured_string(root, "inputs");
    if (measured_number(m, root, "n_layers") != m->p->n_steps)
        return refuse_layers(m);
    *errors =
        (LayerErrors){.inputs = arena_strdup(m->p->arena, inputs ? inputs : ""),
                      .agrees = cJSON_IsTrue(cJSON_GetObjectItemCaseSensitive(root, "agrees")),
                      .layers = ARENA_ARRAY(m->p->arena, LayerError, m->p->n_steps + 1)};
    const cJSON *row = cJSON_GetObjectItemCaseSensitive(root, "layers")->child;
    for (; row; row = row->next)
        if (!read_row(m, row, errors))
            return false;
    return true;
}

bool errors_read(const Program *p, const char *path, Diag *diag, LayerErrors *errors)
{
    const Measured m = {p, path, "verification", "dnnlc verify --json", diag};
    cJSON *root = measured_read(&m);
    const bool ok = root && read_members(&m, root, errors);
    cJSON_Delete(root);
    return ok;
}
