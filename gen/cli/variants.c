/* The combinations of several values of --dim and --shape, the first option's last value last. */
#include "variants.h"

#include <stdlib.h>
#include <string.h>

typedef struct Values {
    const char *key;    /* "batch=" */
    size_t key_length;  /* with the equals sign */
    const char **value; /* each as text */
    uint32_t n;
    bool is_shape;
} Values;

/* "batch=1,4" has two values. */
static Values values_of(Arena *arena, const char *pair, bool is_shape)
{
    Values v = {
        .key = pair, .key_length = (size_t)(strchr(pair, '=') - pair) + 1, .is_shape = is_shape};
    size_t n = 0, cap = 0;
    for (const char *at = pair + v.key_length;; at++) {
        const size_t length = strcspn(at, ",");
        ARENA_PUSH(arena, v.value, n, cap, arena_strndup(arena, at, length));
        at += length;
        if (!*at)
            break;
    }
    v.n = (uint32_t)n;
    return v;
}

/* The size of axis `axis` of "4x64", -1: there is none. */
static int64_t axis_size(const char *shape, int axis)
{
    for (; axis > 0; axis--) {
        shape = strchr(shape, 'x');
        if (!shape)
            return -1;
        shape++;
    }
    return strtoll(shape, NULL, 10);
}

static bool axis_differs(const Values *v, int axis)
{
    for (uint32_t k = 1; k < v->n; k++)
        if (axis_size(v->value[k], axis) != axis_size(v->value[0], axis))
            return true;
    return false;
}

/* The names of what an option's values differ in. */
static void add_dims(Arena *arena, Combinations *c, const Values *v, size_t *cap)
{
    const char *key = arena_strndup(arena, v->key, v->key_length - 1);
    size_t n = c->n_dims;
    for (int axis = 0; axis < (v->is_shape ? MAX_RANK : 1); axis++)
        if (!v->is_shape || axis_differs(v, axis))
            ARENA_PUSH(arena, c->dims, n, *cap,
                       v->is_shape ? arena_printf(arena, "%s_%d", key, axis) : key);
    c->n_dims = (uint32_t)n;
}

static int64_t *add_sizes(int64_t *to, const Values *v, uint32_t chosen)
{
    for (int axis = 0; axis < (v->is_shape ? MAX_RANK : 1); axis++)
        if (!v->is_shape || axis_differs(v, axis))
            *to++ = axis_size(v->value[chosen], axis);
    return to;
}

bool combine_options(Arena *arena, Diag *diag, const Options *o, Combinations *c)
{
    const size_t n_lists = o->n_dims + o->n_shapes;
    const uint32_t most = o->max_variants ? (uint32_t)o->max_variants : 16;
    Values *lists = ARENA_ARRAY(arena, Values, n_lists + 1);
    size_t cap = 0;
    *c = (Combinations){.n = 1};
    for (size_t i = 0; i < n_lists; i++) {
        const bool is_shape = i >= o->n_dims;
        lists[i] = values_of(arena, is_shape ? o->shapes[i - o->n_dims] : o->dims[i], is_shape);
        if (lists[i].n == 1)
            continue;
        if (strstr(lists[i].key, ".."))
            return refuse(diag, "%s: a bound goes with no other values", lists[i].key);
        if (!strncmp(lists[i].key, "*=", 2))
            return refuse(diag, "--dim %s: a dimension with several values has to be named",
                          lists[i].key);
        if (lists[i].n > most / c->n)
            return refuse(diag, "%s: more than %u variants; --max-variants N allows more",
                          lists[i].key, most);
        c->n *= lists[i].n;
        add_dims(arena, c, &lists[i], &cap);
    }
    c->sizes = ARENA_ARRAY(arena, int64_t, (size_t)c->n * c->n_dims + 1);
    c->options = ARENA_ARRAY(arena, Options, c->n);
    for (uint32_t k = 0; k < c->n; k++) {
        int64_t *sizes = c->sizes + (size_t)k * c->n_dims;
        uint32_t left = k, run = c->n;
        const char **pairs = ARENA_ARRAY(arena, const char *, n_lists + 1);
        for (size_t i = 0; i < n_lists; i++) {
            const Values *v = &lists[i];
            run /= v->n;
            const uint32_t chosen = left / run;
            left %= run;
            pairs[i] = v->n == 1 ? v->key
                                 : arena_printf(arena, "%.*s%s", (int)v->key_length, v->key,
                                                v->value[chosen]);
            if (v->n > 1)
                sizes = add_sizes(sizes, v, chosen);
        }
        c->options[k] = *o;
        c->options[k].dims = pairs;
        c->options[k].shapes = pairs + o->n_dims;
    }
    return true;
}
