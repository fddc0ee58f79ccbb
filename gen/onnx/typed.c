/* --bind INPUT=1,3,224: numbers that are typed instead of a file. */
#include "inputs.h"

#include <errno.h>
#include <stdlib.h>

size_t typed_numbers(const char *text)
{
    for (size_t n = 1;; n++) {
        char *end;
        (void)strtod(text, &end);
        if (!strspn(text, "+-.0123456789") || end == text || (*end && *end != ','))
            return 0;
        if (!*end)
            return n;
        text = end + 1;
    }
}

bool bind_numbers(Inputs *s, Input *in, const char *text, size_t n, const char *source)
{
    const DType t = in->dtype;
    if (in->narrow || t == DT_STRING)
        return refuse_graph(s->g, "%s: the elements of '%s' are read from a file only", source,
                            in->name);
    void *data = arena_alloc(s->g->arena, n * dtype_size(t));
    for (size_t i = 0; i < n; i++, text += strcspn(text, ",") + 1) {
        char *end;
        errno = 0;
        const int64_t integer = strtoll(text, &end, 10);
        if (dtype_is_float(t))
            elem_set_f64(t, data, i, strtod(text, NULL));
        else if ((!*end || *end == ',') && !errno && integer >= dtype_lowest(t) &&
                 (integer < 0 || (uint64_t)integer <= (uint64_t)dtype_highest(t)))
            elem_set_i64(t, data, i, integer);
        else
            return refuse_graph(s->g, "%s: '%.*s' is no %s", source, (int)strcspn(text, ","), text,
                                dtype_name(t));
    }
    in->bound = data;
    in->bound_bytes = n * dtype_size(t);
    return true;
}
