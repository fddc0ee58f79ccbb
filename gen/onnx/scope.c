/* Names of the model while it is imported: what each stands for, innermost graph first. Initialisers become
 * constants when they are first used, so that those nobody uses cost nothing. */
#include "node.h"

typedef struct Entry {
    const char *name; /* NULL: free */
    Item item;
    const Onnx__TensorProto *tensor; /* not yet made a constant */
    const Onnx__SparseTensorProto *sparse;
} Entry;

struct Scope {
    Arena *arena;
    Scope *outer;
    Entry *entries;
    size_t n, cap; /* cap is a power of two */
};

Scope *scope_new(Arena *arena, Scope *outer)
{
    Scope *s = ARENA_NEW(arena, Scope);
    s->arena = arena;
    s->outer = outer;
    s->cap = 16;
    s->entries = ARENA_ARRAY(arena, Entry, s->cap);
    return s;
}

static Entry *find(Entry *entries, size_t cap, const char *name)
{
    size_t i = hash64(name, strlen(name), 0) & (cap - 1);
    while (entries[i].name && strcmp(entries[i].name, name))
        i = (i + 1) & (cap - 1);
    return &entries[i];
}

static Entry *make(Scope *s, const char *name)
{
    if (2 * (s->n + 1) > s->cap) {
        Entry *entries = ARENA_ARRAY(s->arena, Entry, s->cap * 2);
        for (size_t i = 0; i < s->cap; i++)
            if (s->entries[i].name)
                *find(entries, s->cap * 2, s->entries[i].name) = s->entries[i];
        s->entries = entries;
        s->cap *= 2;
    }
    Entry *e = find(s->entries, s->cap, name);
    if (!e->name)
        s->n++;
    return e;
}

bool scope_has(const Scope *s, const char *name)
{
    return find(s->entries, s->cap, name)->name != NULL;
}

bool scope_define(Scope *s, const char *name, Item item)
{
    if (find(s->entries, s->cap, name)->name)
        return false;
    *make(s, name) = (Entry){.name = name, .item = item};
    return true;
}

void scope_define_tensor(Scope *s, const char *name, const Onnx__TensorProto *tensor,
                         const Onnx__SparseTensorProto *sparse)
{
    *make(s, name) = (Entry){.name = name, .tensor = tensor, .sparse = sparse};
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
        Entry *e = find(s->entries, s->cap, name);
        if (!e->name)
            continue;
        if ((e->tensor || e->sparse) && !make_initialiser(im, e))
            return false;
        *item = e->item;
        return true;
    }
    *item = (Item){0};
    return false;
}
