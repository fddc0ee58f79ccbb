/* Models and texts of graphs and programs, with the values of --dim, --shape, --bind and --state. */
#include "load.h"

#include "../base/utf8.h"
#include "../onnx/import.h"
#include "../program/text.h"
#include "../text/text_ir.h"
#include "variants.h"

#include <stdio.h>
#include <string.h>

/* Text IR is told by its suffix or by its first word. */
bool is_text_ir(const char *path, const char *data, size_t size)
{
    const char *dot = strrchr(path, '.');
    if (dot && (!strcmp(dot, ".ir") || !strcmp(dot, ".dnnlc")))
        return true;
    if (dot && !strcmp(dot, ".onnx"))
        return false;
    while (size && (*data == ' ' || *data == '\n' || *data == '\t'))
        data++, size--;
    return size > 6 && (!strncmp(data, "graph ", 6) || !strncmp(data, "//", 2));
}

static Graph *import(Arena *arena, Diag *diag, const Options *o, MappedFile file, int64_t part)
{
    Text notes = text_new(arena);
    const ImportOptions options = {.dims = o->dims,
                                   .n_dims = o->n_dims,
                                   .shapes = o->shapes,
                                   .n_shapes = o->n_shapes,
                                   .binds = o->binds,
                                   .n_binds = o->n_binds,
                                   .max_trips = o->max_trips,
                                   .part = part,
                                   .refusals = part ? NULL : o->refusals,
                                   .notes = part ? NULL : &notes};
    Graph *g = import_onnx_bytes(arena, diag, o->model, file, &options);
    if (!part && !o->quiet)
        fputs(notes.data, stderr);
    return g;
}

/* Of a model with bounds also plans for a half and a quarter of them, where those are as the whole one is: a run takes the smallest that has
 * room for its rows. */
static void add_smaller(Arena *arena, const Options *o, MappedFile file, Graph *g)
{
    enum { LEAST = 2 }; /* rows that a plan of its own is worth */
    const uint32_t n = g->n_inputs;
    Variants *v = &g->variants;
    int64_t least = INT64_MAX;
    size_t n_dims = 0, cap_dims = 0, n_sizes = 0, cap = 0;
    for (uint32_t i = 0; i < n; i++)
        if (graph_bound(g, i) >= 0) {
            ARENA_PUSH(arena, v->dims, n_dims, cap_dims, g->inputs[i].name);
            ARENA_PUSH(arena, v->sizes, n_sizes, cap, graph_bound(g, i));
            least = graph_bound(g, i) < least ? graph_bound(g, i) : least;
        }
    for (int64_t part = 2; part <= 4 && least / part >= LEAST; part *= 2) {
        Diag none = {0};
        memory_allow(file.size);
        Graph *other = o->max_variants && v->n >= (uint32_t)o->max_variants
                           ? NULL
                           : import(arena, &none, o, file, part);
        if (!other || !graph_add_smaller(g, other))
            break;
        for (size_t d = 0; d < n_dims; d++)
            ARENA_PUSH(arena, v->sizes, n_sizes, cap, (v->sizes[d] + part - 1) / part);
    }
    v->n_dims = v->n > 1 ? (uint32_t)n_dims : 0;
}

/* Pairs of --state. */
static bool keep_states(Graph *g, const Options *o)
{
    Text notes = text_new(g->arena);
    if (!graph_keep_states(g, o->states, o->n_states, &notes))
        return false;
    fputs(notes.data && !o->quiet ? notes.data : "", stderr);
    return true;
}

/* Whether states become longer: a plan for fewer rows would have them at other row pitches. */
static bool has_longer_states(const Graph *g)
{
    for (uint32_t i = 0; i < g->n_inputs; i++)
        if (g->inputs[i].state && g->inputs[i].n_counts)
            return true;
    return false;
}

/* A graph for each combination of sizes, side by side. */
static Graph *import_all(Arena *arena, Diag *diag, const Options *o, MappedFile file)
{
    Combinations c;
    if (!combine_options(arena, diag, o, &c))
        return NULL;
    Graph *g = import(arena, diag, &c.options[0], file, 0);
    if (!g || (o->n_states && !keep_states(g, o)))
        return NULL;
    for (uint32_t k = 1; k < c.n; k++) {
        memory_allow(file.size);
        const Graph *other = import(arena, diag, &c.options[k], file, 0);
        if (!other || !graph_add_variant(g, other))
            return NULL;
    }
    if (c.n > 1)
        g->variants = (Variants){c.n, c.n_dims, c.dims, c.sizes};
    else if (graph_has_bounds(g) && !has_longer_states(g))
        add_smaller(arena, &c.options[0], file, g);
    return graph_keep_in_all(g) ? g : NULL;
}

/* What is left to say of a graph that was read as text. */
static bool has_all_sizes(Diag *diag, const Options *o)
{
    const char *option = o->n_dims     ? "--dim"
                         : o->n_shapes ? "--shape"
                         : o->n_binds  ? "--bind"
                                       : NULL;
    return !option ||
           refuse(diag,
                  "%s: %s is for ONNX files; a text holds the sizes and constants of its graph",
                  o->model, option);
}

Graph *load_graph(Arena *arena, Diag *diag, const Options *o, char hash[65], Program *p)
{
    MappedFile file;
    if (!map_file(arena, o->model, &file, diag))
        return NULL;
    sha256_hex(file.data, file.size, hash);
    rest_file(&file, file.data, file.size);
    memory_allow(file.size);
    const char *text = (const char *)file.data;
    if (!is_text_ir(o->model, text, file.size))
        return import_all(arena, diag, o, file);
    Graph *g = parse_program_text(arena, diag, o->model, arena_strndup(arena, text, file.size),
                                  file.size, p);
    if (g && !p->lowered && !has_all_sizes(diag, o)) /* of a program go_on refuses them */
        return NULL;
    const bool keeps = g && o->n_states && !p->lowered; /* go_on refuses it of a program */
    return !keeps || (keep_states(g, o) && graph_keep_in_all(g)) ? g : NULL;
}
