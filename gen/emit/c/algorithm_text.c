/* Texts that several kernels have, as files, and the kernels that include them: see emit/c/algorithms.h. */
#include "algorithm_parts.h"

#include <string.h>

/* Without blank lines in front and behind. */
static const char *without_blank_ends(Arena *arena, const char *s)
{
    static const char blank[] = "\n\001"; /* tests/structure marks lines */
    s += strspn(s, blank);
    size_t n = strlen(s);
    while (n && strchr(blank, s[n - 1]))
        n--;
    return arena_strndup(arena, s, n);
}

/* The text with the values of sizes and with functions called `before`_tile`after`. */
static void put_named(Text *out, const char *text, size_t size, const char *before,
                      const char *after)
{
    for (const char *s = text, *end = text + size; s < end;) {
        if (strncmp(s, KERNEL, sizeof KERNEL - 1)) {
            if (*s == NAME || *s == TEXT)
                s = strchr(s, VALUE);
            else if (*s != VALUE_END)
                text_append(out, s, 1);
            s++;
            continue;
        }
        s += sizeof KERNEL - 1;
        size_t n = word_length(s);
        text_printf(out, "%s%.*s%s", before, (int)n, s, after);
        s += n;
    }
}

static const char *named(Arena *arena, const char *text, const char *function)
{
    Text t = text_new(arena);
    put_named(&t, text, strlen(text), function, "");
    return t.data;
}

/* What the functions are called behind the kernel's name, each once: "_tile". */
static void bind_names(Arena *arena, const char *text, Bindings *b)
{
    const char **seen = NULL;
    size_t n_seen = 0, cap = 0;
    for (const char *s = text; (s = strstr(s, KERNEL));) {
        s += sizeof KERNEL - 1;
        size_t n = word_length(s), i = 0;
        const char *name = arena_strndup(arena, s, n);
        while (i < n_seen && strcmp(seen[i], name))
            i++;
        if (i < n_seen)
            continue;
        ARENA_PUSH(arena, seen, n_seen, cap, name);
        bind(bind_row(b, "names"), "part", "%s", name);
    }
}

/* The value of a macro, in lines of at most 100 columns. */
static const char *definition(Arena *arena, const char *name, const char *value)
{
    enum { MOST = 98, INDENT = 4 };
    Text text = text_new(arena), out = text_new(arena);
    put_named(&text, value, strlen(value), "KERNEL(", ")");
    size_t column = strlen("#define  ") + strlen(name);
    if (column + text.size <= MOST + 2)
        return text.data;
    for (const char *s = text.data, *end; *s; s = end) {
        end = strstr(s, ", ");
        end = end ? end + strlen(", ") : s + strlen(s);
        const size_t n = (size_t)(end - s);
        if (s == text.data || column + n > MOST) {
            text_printf(&out, "%*s\\\n%*s", (int)(MOST + 1 - column), "", INDENT, "");
            column = INDENT;
        }
        text_append(&out, s, n);
        column += n;
    }
    return out.data;
}

/* The values of macros for numbers, or for texts, in which functions are KERNEL(_epilogue). */
static void bind_values(const Algorithms *a, const Part *p, bool texts, Bindings *b)
{
    const Algorithm *f = &a->found[p->algorithm];
    for (size_t s = 0; s < p->n_sizes; s++)
        if (p->sizes[s].is_text == texts && is_new_macro(f, s)) {
            Bindings *size = bind_row(b, "sizes");
            bind(size, "size", "%s", f->name[s]);
            bind(size, "value", "%s", definition(a->arena, f->name[s], p->sizes[s].value));
        }
}

static void emit_variant(const Algorithms *a, const Part *p, Bindings *b, Text *out)
{
    bind(b, "file", "\"%s\"", a->found[p->algorithm].file);
    bind_int(b, "uses", (int64_t)p->uses);
    bind_values(a, p, true, b);
    render(out, "c/variant.h", b);
}

void emit_algorithm(const Algorithms *a, size_t i, const char *banner, Text *out)
{
    const Part *p = &a->parts[a->files[i].part];
    const Algorithm *f = &a->found[p->algorithm];
    Bindings *b = bindings_new(a->arena, NULL);
    bind(b, "banner", "%s", banner);
    if (a->files[i].is_variant) {
        emit_variant(a, p, b, out);
        return;
    }
    Text functions = text_new(a->arena);
    size_t size = 0;
    for (const char *s = p->key; *s; s++)
        if (*s != SIZE)
            text_append(&functions, s, 1);
        else {
            text_puts(&functions, f->varies[size] ? f->name[size] : p->sizes[size].value);
            size++;
        }
    bind_int(b, "uses", (int64_t)f->uses);
    bind_names(a->arena, functions.data, b);
    bind(b, "functions", "%s",
         without_blank_ends(a->arena, named(a->arena, functions.data, "kernel")));
    for (size_t s = 0; s < p->n_sizes; s++)
        if (is_new_macro(f, s))
            bind(bind_row(b, "sizes"), "size", "%s", f->name[s]);
    render(out, "c/algorithm.h", b);
}

static void bind_include(const Algorithms *a, const Part *p, Bindings *part)
{
    const char *variant = a->parts[p->variant].file;
    bind(part, "file", "\"%s\"", variant ? variant : a->found[p->algorithm].file);
    bind_int(part, "functions", 0);
    bind_values(a, p, false, part);
    if (!variant)
        bind_values(a, p, true, part);
}

void emit_kernel_parts(const Algorithms *a, uint32_t kernel, const char *function, Text *out)
{
    Bindings *b = bindings_new(a->arena, NULL);
    bool included = false, later = false;
    bind(b, "kernel", "%s", function);
    for (size_t i = 0; i < a->n_parts; i++) {
        const Part *p = &a->parts[i];
        if (p->kernel != kernel)
            continue;
        Bindings *part = bind_row(b, "parts");
        bind_int(part, "later", later);
        later = true;
        if (a->found[p->algorithm].file) {
            bind_include(a, p, part);
            included = true;
        } else {
            const char *functions = without_blank_ends(a->arena, p->text);
            bind_int(part, "file", 0);
            bind(part, "functions", "%s", named(a->arena, functions, function));
        }
    }
    bind_int(b, "included", included);
    render(out, "c/parts.c", b);
}
