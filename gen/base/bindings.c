/* Bindings of templates: see template.h. */
#include "bindings.h"

#include <inttypes.h>
#include <string.h>

Bindings *bindings_new(Arena *arena, const Bindings *outer)
{
    Bindings *b = ARENA_NEW(arena, Bindings);
    b->arena = arena;
    b->outer = outer;
    return b;
}

static Binding *find_own(const Bindings *b, const char *name, size_t n)
{
    for (Binding *e = b->first; e; e = e->next)
        if (!strncmp(e->name, name, n) && !e->name[n])
            return e;
    return NULL;
}

const Binding *binding_find(const Bindings *b, const char *name, size_t n)
{
    for (; b; b = b->outer) {
        const Binding *e = find_own(b, name, n);
        if (e)
            return e;
    }
    return NULL;
}

/* Bound before or not, but not as something else. */
static Binding *own_entry(Bindings *b, const char *name, BindingKind kind)
{
    Binding *e = find_own(b, name, strlen(name));
    if (!e) {
        e = ARENA_NEW(b->arena, Binding);
        *e = (Binding){.next = b->first, .name = arena_strdup(b->arena, name), .kind = kind};
        b->first = e;
    }
    if (e->kind != kind)
        bug("template binding '%s' is bound as two different things", name);
    return e;
}

void bind(Bindings *b, const char *name, const char *fmt, ...)
{
    va_list args;
    va_start(args, fmt);
    own_entry(b, name, BINDING_TEXT)->text = arena_vprintf(b->arena, fmt, args);
    va_end(args);
}

void bind_int(Bindings *b, const char *name, int64_t value)
{
    bind(b, name, "%" PRId64, value);
}

void bind_list(Bindings *b, const char *list, const char *separator)
{
    own_entry(b, list, BINDING_LIST)->separator = arena_strdup(b->arena, separator);
}

void bind_fn(Bindings *b, const char *name, TemplateFn *fn, const void *user)
{
    Binding *e = own_entry(b, name, BINDING_FUNCTION);
    e->fn = fn;
    e->user = user;
}

void bind_macro(Bindings *b, const char *name, const char *params, const char *text)
{
    Binding *e = own_entry(b, name, BINDING_MACRO);
    char *rest = arena_strdup(b->arena, params);
    e->text = arena_strdup(b->arena, text);
    e->n_params = 0;
    for (char *param; (param = strtok_r(rest, ", ", &rest));) {
        if (e->n_params == BINDING_OPERANDS)
            bug("template macro '%s' has too many parameters", name);
        e->params[e->n_params++] = param;
    }
}

Bindings *bind_row(Bindings *b, const char *list)
{
    Binding *e = own_entry(b, list, BINDING_LIST);
    e->rows = arena_grow(b->arena, e->rows, e->n_rows, &e->cap_rows, sizeof *e->rows);
    return e->rows[e->n_rows++] = bindings_new(b->arena, b);
}

void bind_lines(Bindings *b, const char *list, const char *text)
{
    for (const char *end; (end = strchr(text, '\n')); text = end + 1)
        bind(bind_row(b, list), "line", "%.*s", (int)(end - text), text);
}

void bind_items(Bindings *b, const char *list, const char *name, const char *const *items, size_t n)
{
    bind_list(b, list, ", ");
    for (size_t i = 0; i < n; i++)
        bind(bind_row(b, list), name, "%s", items[i]);
}
