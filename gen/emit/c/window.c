/* Bindings for templates with sliding windows. */
#include "window.h"

#include <stdio.h>

void c_bind_window(Bindings *b, const Window *w)
{
    static const char *const axis[] = {"W", "H", "D"};
    char name[8];
    for (int i = 0; i < 3; i++) {
        int d = w->n - 1 - i;
        const struct {
            const char *prefix;
            int64_t value;
        } rows[] = {{"", d < 0 ? 1 : w->src[d]},        {"K", d < 0 ? 1 : w->kernel[d]},
                    {"S", d < 0 ? 1 : w->stride[d]},    {"L", d < 0 ? 1 : w->dilation[d]},
                    {"P", d < 0 ? 0 : w->pad_begin[d]}, {"O", d < 0 ? 1 : w->dst[d]}};
        for (size_t k = 0; k < COUNT_OF(rows); k++) {
            snprintf(name, sizeof name, "%s%s", rows[k].prefix, axis[i]);
            bind_int(b, name, rows[k].value);
        }
    }
}
