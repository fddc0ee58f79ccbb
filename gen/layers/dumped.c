/* What --dump-layers has written. The index names the same layers in the same order as the program, but for those that did not run. */
#include "../../runtime-stub/dnnlc_file.h"
#include "layers.h"

#include <string.h>

/* The file as a tensor of `type`, or with fewer rows along its dimensions where that is allowed. */
static bool read_tensor(Arena *arena, const char *path, const TensorType *type, bool fewer,
                        Tensor *t, Diag *diag)
{
    char why[1024];
    struct dnnlc_array array;
    if (!dnnlc_array_read(path, &array, why, sizeof why))
        return refuse(diag, "%s", why);
    bool fits = array.dtype == (int)type->dtype && array.rank == type->rank;
    for (int k = 0; fits && k < type->rank; k++)
        fits = fewer ? array.dims[k] <= type->dims[k] : array.dims[k] == type->dims[k];
    if (fits) {
        *t = (Tensor){.type = *type, .data = arena_copy(arena, array.data, array.bytes)};
        memcpy(t->type.dims, array.dims, sizeof *array.dims * (size_t)array.rank);
    }
    dnnlc_array_free(&array);
    return fits || refuse(diag, "%s: is no %s, as the program makes one there", path,
                          type_text(arena, type));
}

bool dumped_tensor(Arena *arena, const char *path, const TensorType *type, Tensor *t, Diag *diag)
{
    return read_tensor(arena, path, type, false, t, diag);
}

static bool other_program(const LayersCheck *c, Diag *diag)
{
    return refuse(diag,
                  "%s: its layers are not those that '%s' is compiled to: another model, other "
                  "options or another version of dnnlc",
                  c->program, c->file);
}

/* Which rows of the table have a line. */
static bool read_index(LayersCheck *c, const char *path, const char *name, Diag *diag)
{
    char *text;
    size_t size;
    const char *head = made_head(c->arena, c->p, name);
    if (!read_file(c->arena, path, &text, &size, diag))
        return false;
    const size_t n = strlen(head);
    uint32_t i = 0;
    char *rest, *line = strtok_r(text, "\n", &rest);
    if (!line || strncmp(line, head, n) != 0 || strcmp(line + n, ", \"layers\": [") != 0)
        return other_program(c, diag);
    while ((line = strtok_r(NULL, "\n", &rest)) && *line == ' ') {
        char *comma = line + strlen(line) - 1;
        if (*comma == ',')
            *comma = 0;
        while (i < c->n_layers &&
               strcmp(line + 1, made_json(c->arena, c->p, c->layers[i].made)) != 0)
            i++;
        if (i == c->n_layers)
            return other_program(c, diag);
        c->layers[i++].state = CHECK_UNKNOWN;
    }
    return true;
}

static bool read_ports(LayersCheck *c, const char *dir, const char *prefix, const Port *ports,
                       uint32_t n, bool fewer, Tensor **tensors, Diag *diag)
{
    *tensors = ARENA_ARRAY(c->arena, Tensor, n + 1);
    for (uint32_t k = 0; k < n; k++)
        if (!read_tensor(c->arena, arena_printf(c->arena, "%s/%s_%u.npy", dir, prefix, k),
                         type_of(c->p->graph, ports[k].value), fewer, &(*tensors)[k], diag))
            return false;
    return true;
}

bool dumped_read(LayersCheck *c, const char *dir, const char *name, Tensor **inputs,
                 Tensor **outputs, Diag *diag)
{
    const Graph *g = c->p->graph;
    Made *made = program_made(c->p, c->arena, &c->n_layers);
    c->layers = ARENA_ARRAY(c->arena, LayerCheck, c->n_layers + 1);
    for (uint32_t i = 0; i < c->n_layers; i++)
        c->layers[i] = (LayerCheck){.made = &made[i]};
    if (!read_index(c, arena_printf(c->arena, "%s/index.json", dir), name, diag) ||
        !read_ports(c, dir, "input", g->inputs, g->n_inputs, false, inputs, diag) ||
        !read_ports(c, dir, "output", g->outputs, made_outputs(g), true, outputs, diag))
        return false;
    for (uint32_t i = 0; i < c->n_layers; i++)
        if (c->layers[i].state != CHECK_NOT_RUN &&
            !read_tensor(c->arena, arena_printf(c->arena, "%s/%s", dir, made[i].file),
                         &c->p->buffers[made[i].buffer].type, false, &c->layers[i].got, diag))
            return false;
    return true;
}

bool dumped_outputs(const LayersCheck *c, const char *dir, const Tensor *own,
                    const Tensor **outputs, Diag *diag)
{
    const uint32_t n = made_outputs(c->p->graph);
    Tensor *all = ARENA_ARRAY(c->arena, Tensor, n + 1);
    *outputs = all;
    for (uint32_t k = 0; k < n; k++)
        if (!dumped_tensor(c->arena, arena_printf(c->arena, "%s/output_%u.npy", dir, k),
                           &own[k].type, &all[k], diag))
            return false;
    return true;
}
