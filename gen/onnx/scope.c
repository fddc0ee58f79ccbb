/* Names of the model while it is imported: what each stands for, innermost graph first. Initialisers become
 * constants when they are first used, so that those nobody uses cost nothing. */
#include "../base/names.h"
#include "node.h"

typedef struct Entry {
    const char *name;
    Item item;
    const Onnx__TensorProto *tensor; /* not yet made a constant */
    const Onnx__SparseTensorProto *sparse;
} Entry;

struct Scope {
    Arena *arena;
    Scope *outer;
    NameMap names; /* rows of entries, from 1 */
    Entry *entries;
    uint32_t n;
    size_t cap;
};

Scope *scope_new(Arena *arena, Scope *outer)
{
    Scope *s = ARENA_NEW(arena, Scope);
    *s = (Scope){.arena = arena, .outer = outer, .names = name_map_new(arena)};
    return s;
}

bool scope_has(const Scope *s, const char *name)
{
    return name_map_find(&s->names, name) > 0;
}

static void define(Scope *s, Entry e)
{
    ARENA_PUSH(s->arena, s->entries, s->n, s->cap, e);
    name_map_put(&s->names, e.name, s->n);
}

bool scope_define(Scope *s, const char *name, Item item)
{
    if (scope_has(s, name))
        return false;
    define(s, (Entry){.name = name, .item = item});
    return true;
}

static void define_tensor(Scope *s, Entry e)
{
    if (*e.name)
        define(s, e);
}

void scope_define_tensors(Scope *s, const Onnx__GraphProto *graph)
{
    for (size_t i = 0; i < graph->n_initializer; i++)
        define_tensor(
            s, (Entry){.name = graph->initializer[i]->name, .tensor = graph->initializer[i]});
    for (size_t i = 0; i < graph->n_sparse_initializer; i++) {
        const Onnx__SparseTensorProto *sparse = graph->sparse_initializer[i];
        if (sparse->values)
            define_tensor(s, (Entry){.name = sparse->values->name, .sparse = sparse});
    }
}

static bool make_initialiser(Import *im, Entry *e)
{
    Tensor t = {0};
    const char *where = arena_printf(im->g->arena, "initialiser '%s'", e->name);
    if (!(e->tensor ? onnx_tensor(im, e->tensor, where, &t)
                    : onnx_sparse_tensor(im, e->sparse, where, &t)))
        return false;
    e->item = (Item){.kind = ITEM_VALUE, .value = graph_add_const(im->g, e->name, t.type, t.data)};
    if (e->tensor)
        onnx_narrow_note(im, e->item.value, e->tensor->data_type);
    e->tensor = NULL;
    e->sparse = NULL;
    return true;
}

bool onnx_lookup(Import *im, Scope *scope, const char *name, Item *item)
{
    for (Scope *s = scope; s; s = s->outer) {
        const uint32_t row = name_map_find(&s->names, name);
        if (!row)
            continue;
        Entry *e = &s->entries[row - 1];
        if ((e->tensor || e->sparse) && !make_initialiser(im, e))
            return false;
        if (e->item.kind == ITEM_UNKNOWN)
            return onnx_meet_unknown(im);
        *item = e->item;
        return true;
    }
    *item = (Item){0};
    return false;
}
