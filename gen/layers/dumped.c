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

uint32_t layer_variant(const LayersCheck *c, const LayerCheck *l)
{
    return c->p->regions[c->p->steps[l->made->step].region].variant;
}

/* The next of an index's lines about layers, as made_json() writes it; NULL behind the last. */
static const char *next_line(char **rest)
{
    char *line = strtok_r(NULL, "\n", rest);
    if (!line || *line != ' ')
        return NULL;
    char *last = line + strlen(line) - 1;
    if (*last == ',')
        *last = 0;
    return line + 1;
}

/* Which rows of the table have a line. */
static bool read_index(LayersCheck *c, uint32_t variant, const char *name, Diag *diag)
{
    char *text;
    size_t size;
    const char *head = made_head(c->arena, c->p, name);
    if (!read_file(c->arena, arena_printf(c->arena, "%s/index.json", c->dirs[variant]), &text,
                   &size, diag))
        return false;
    const size_t n = strlen(head);
    uint32_t i = 0;
    char *rest;
    const char *line = strtok_r(text, "\n", &rest);
    if (!line || strncmp(line, head, n) != 0 || strcmp(line + n, ", \"layers\": [") != 0)
        return other_program(c, diag);
    while ((line = next_line(&rest))) {
        while (i < c->n_layers && strcmp(line, made_json(c->arena, c->p, c->layers[i].made)) != 0)
            i++;
        if (i == c->n_layers || layer_variant(c, &c->layers[i]) != variant)
            return other_program(c, diag);
        c->layers[i++].state = CHECK_UNKNOWN;
    }
    return true;
}

bool dumped_variant(const Program *p, const char *dir, const char *program, uint32_t *variant,
                    Diag *diag)
{
    char *text, *rest;
    size_t size;
    LayersCheck c = {.p = p, .arena = p->arena, .file = p->graph->file, .program = program};
    const Made *made = program_made(p, p->arena, &c.n_layers);
    if (!read_file(c.arena, arena_printf(c.arena, "%s/index.json", dir), &text, &size, diag))
        return false;
    strtok_r(text, "\n", &rest);
    const char *line = next_line(&rest);
    for (uint32_t i = 0; line && i < c.n_layers; i++)
        if (!strcmp(line, made_json(c.arena, p, &made[i]))) {
            *variant = layer_variant(&c, &(LayerCheck){.made = &made[i]});
            return true;
        }
    return other_program(&c, diag);
}

static Tensor zeros(Arena *arena, const TensorType *type)
{
    return (Tensor){*type, memset(arena_alloc(arena, type_bytes(type) + 1), 0, type_bytes(type))};
}

/* The rows that a plan for fewer reads. */
static Tensor first_rows(Arena *arena, const Tensor *all, const TensorType *type)
{
    Tensor t = zeros(arena, type);
    const size_t size = dtype_size(type->dtype);
    for (int64_t i = 0, n = type_count(type); i < n; i++)
        memcpy((char *)t.data + (size_t)i * size,
               (const char *)all->data + element_in(&all->type, type, i) * size, size);
    return t;
}

/* A file has what the caller gives: rows for the largest plan. */
static bool read_inputs(const LayersCheck *c, uint32_t variant, Tensor *inputs, Diag *diag)
{
    const Graph *g = c->p->graph;
    const Port *ports = g->inputs + variant * inputs_each(g);
    const Port *given = graph_by_count(g) ? g->inputs : ports;
    for (uint32_t k = 0; k < inputs_each(g); k++) {
        const TensorType *type = type_of(g, ports[k].value);
        Tensor all;
        if (!dumped_tensor(c->arena, arena_printf(c->arena, "%s/input_%u.npy", c->dirs[variant], k),
                           type_of(g, given[k].value), &all, diag))
            return false;
        inputs[k] = given == ports ? all : first_rows(c->arena, &all, type);
    }
    return true;
}

static bool read_outputs(const LayersCheck *c, uint32_t variant, Tensor *outputs, Diag *diag)
{
    const Graph *g = c->p->graph;
    const Port *ports = g->outputs + variant * outputs_each(g);
    for (uint32_t k = 0; k < made_outputs(g); k++)
        if (!read_tensor(c->arena, arena_printf(c->arena, "%s/output_%u.npy", c->dirs[variant], k),
                         type_of(g, ports[k].value), true, &outputs[k], diag))
            return false;
    return true;
}

/* What the run is called in the table: its size, or its numbers of rows. */
static const char *run_text(const LayersCheck *c, uint32_t variant, const Tensor *inputs)
{
    const Graph *g = c->p->graph;
    Text t = text_new(c->arena);
    if (!graph_has_bounds(g))
        return graph_variant_text(g, variant);
    for (uint32_t k = 0; k < inputs_each(g); k++)
        if (graph_bound(g, k) >= 0)
            text_printf(&t, "%s%s=%lld", t.size ? " " : "", g->inputs[k].name,
                        (long long)*(const int64_t *)inputs[k].data);
    return t.data;
}

static bool read_variant(LayersCheck *c, uint32_t variant, const char *name, Tensor *inputs,
                         Tensor *outputs, Diag *diag)
{
    if (!read_index(c, variant, name, diag) || !read_inputs(c, variant, inputs, diag) ||
        !read_outputs(c, variant, outputs, diag))
        return false;
    c->runs[variant] = run_text(c, variant, inputs);
    for (uint32_t i = 0; i < c->n_layers; i++) {
        LayerCheck *l = &c->layers[i];
        if (l->state != CHECK_NOT_RUN && layer_variant(c, l) == variant &&
            !dumped_tensor(c->arena,
                           arena_printf(c->arena, "%s/%s", c->dirs[variant], l->made->file),
                           &c->p->buffers[l->made->buffer].type, &l->got, diag))
            return false;
    }
    return true;
}

bool dumped_read(LayersCheck *c, const char *name, Tensor **inputs, Tensor **outputs, Diag *diag)
{
    const Graph *g = c->p->graph;
    const Made *made = program_made(c->p, c->arena, &c->n_layers);
    c->layers = ARENA_ARRAY(c->arena, LayerCheck, c->n_layers + 1);
    c->runs = ARENA_ARRAY(c->arena, const char *, g->variants.n);
    *inputs = ARENA_ARRAY(c->arena, Tensor, g->n_inputs + 1);
    *outputs = ARENA_ARRAY(c->arena, Tensor, g->n_outputs + 1);
    for (uint32_t i = 0; i < c->n_layers; i++)
        c->layers[i] = (LayerCheck){.made = &made[i]};
    for (uint32_t k = 0; k < g->n_inputs; k++)
        (*inputs)[k] = zeros(c->arena, type_of(g, g->inputs[k].value));
    for (uint32_t v = 0; v < g->variants.n; v++)
        if (c->dirs[v] && !read_variant(c, v, name, *inputs + v * inputs_each(g),
                                        *outputs + v * outputs_each(g), diag))
            return false;
    return true;
}

bool dumped_outputs(const LayersCheck *c, uint32_t variant, const char *dir, const Tensor *own,
                    Tensor *outputs, Diag *diag)
{
    const Graph *g = c->p->graph;
    const uint32_t first = variant * outputs_each(g);
    for (uint32_t k = 0; k < made_outputs(g); k++)
        if (!dumped_tensor(c->arena, arena_printf(c->arena, "%s/output_%u.npy", dir, k),
                           &own[first + k].type, &outputs[first + k], diag))
            return false;
    return true;
}
