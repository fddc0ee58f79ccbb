/* Texts that several kernels have: see emit/c/algorithms.h.
 *
 * A part is compared by its text without the values of its sizes, which are the numbers that enumerators stand for: `enum { C = 32 }`,
 * and those of c_size. Those that differ between kernels become KERNEL_C; any other number has to be the same. */
#include "algorithm_parts.h"

#include "../../graph/columns.h"

#include <inttypes.h>
#include <string.h>

Algorithms *algorithms_new(Arena *arena)
{
    Algorithms *a = ARENA_NEW(arena, Algorithms);
    *a = (Algorithms){.arena = arena};
    return a;
}

/* --- sizes ----------------------------------------------------------------------------------------------------------- */

const char *c_size(Arena *arena, const char *name, int64_t value)
{
    return value == 0 || value == 1 /* factors and summands that fold */
               ? arena_printf(arena, "%" PRId64, value)
               : arena_printf(arena, "%c%s%c%" PRId64 "%c", NAME, arena_upper(arena, name), VALUE,
                              value, VALUE_END);
}

const char *c_part(Arena *arena, const char *name, const char *text)
{
    return arena_printf(arena, "%c%s%c%s%c", TEXT, name, VALUE, text, VALUE_END);
}

/* The length of "NAME = 12" at `s`, if the value is all of the enumerator; and of what is before the value. */
static size_t enumerator_length(const char *s, size_t *before)
{
    size_t n = word_length(s);
    if (!n || strncmp(s + n, " = ", 3))
        return 0;
    *before = n += 3;
    while (isdigit((unsigned char)s[n]))
        n++;
    return n > *before && (s[n] == ',' || !strncmp(s + n, " }", 2)) ? n : 0;
}

/* Adds the next size, for whose value something stands in the key. */
static void add_size(Arena *arena, Part *p, Text *key, Size size)
{
    ARENA_PUSH(arena, p->sizes, p->n_sizes, p->cap_sizes, size);
    text_append(key, (const char[]){SIZE}, 1);
}

/* What follows "enum { " at `s` into the key; returns its end. */
static const char *find_enumerators(Arena *arena, Part *p, const char *s, Text *key)
{
    while (*s && *s != ';') {
        size_t before, n = enumerator_length(s, &before);
        if (n) {
            text_append(key, s, before);
            add_size(arena, p, key,
                     (Size){.name = arena_strndup(arena, s, before - 3),
                            .value = arena_strndup(arena, s + before, n - before)});
        } else {
            n = 1 + strcspn(s + 1, " ;");
            text_append(key, s, n);
        }
        s += n;
        for (; *s == ' ' || *s == ',' || *s == '\n'; s++)
            text_append(key, s, 1);
    }
    return s;
}

/* From the text the key and the sizes. */
static void find_sizes(Arena *arena, Part *p)
{
    static const char enumerators[] = "enum { ";
    Text key = text_new(arena);
    for (const char *s = p->text; *s;) {
        if (*s == NAME || *s == TEXT) {
            const char *value = strchr(s, VALUE), *end = strchr(s, VALUE_END);
            add_size(arena, p, &key,
                     (Size){.name = arena_strndup(arena, s + 1, (size_t)(value - s - 1)),
                            .value = arena_strndup(arena, value + 1, (size_t)(end - value - 1)),
                            .bare = *s == NAME,
                            .is_text = *s == TEXT});
            s = end + 1;
        } else if (!strncmp(s, enumerators, sizeof enumerators - 1)) {
            text_puts(&key, enumerators);
            s = find_enumerators(arena, p, s + sizeof enumerators - 1, &key);
        } else {
            text_append(&key, s++, 1);
        }
    }
    p->key = key.data;
}

const char *text_without_sizes(Arena *arena, const char *text)
{
    Part p = {.text = text};
    find_sizes(arena, &p);
    return p.key;
}

static void add_part(Algorithms *a, uint32_t kernel, const CText *part, const char *name)
{
    Part p = {.path = part->path,
              .text = part->text,
              .name = name,
              .kernel = kernel,
              .algorithm = NO_ROW};
    find_sizes(a->arena, &p);
    ARENA_PUSH(a->arena, a->parts, a->n_parts, a->cap_parts, p);
}

void algorithms_add(Algorithms *a, uint32_t kernel, const CText *part)
{
    const char *base = strrchr(part->path, '/') + 1;
    add_part(a, kernel, part, arena_strndup(a->arena, base, strcspn(base, ".")));
}

/* --- parts that are alike ---------------------------------------------------------------------------------------------- */

static uint32_t find_algorithm(Algorithms *a, uint32_t part)
{
    for (uint32_t i = 0; i < a->n_found; i++)
        if (!strcmp(a->parts[a->found[i].first].key, a->parts[part].key))
            return i;
    ARENA_PUSH(a->arena, a->found, a->n_found, a->cap_found,
               (Algorithm){.first = part,
                           .varies = ARENA_ARRAY(a->arena, bool, a->parts[part].n_sizes + 1)});
    return (uint32_t)a->n_found - 1;
}

/* Whether sizes i and j are the same number in every kernel. */
static bool go_together(const Algorithms *a, uint32_t algorithm, size_t i, size_t j)
{
    for (size_t p = 0; p < a->n_parts; p++)
        if (a->parts[p].algorithm == algorithm &&
            strcmp(a->parts[p].sizes[i].value, a->parts[p].sizes[j].value))
            return false;
    return true;
}

/* Sizes of one name in several functions are one macro, if they are one number, and bare ones of several names. */
static void name_sizes(Algorithms *a, uint32_t algorithm)
{
    Algorithm *f = &a->found[algorithm];
    const Part *p = &a->parts[f->first];
    f->name = ARENA_ARRAY(a->arena, const char *, p->n_sizes + 1);
    for (size_t i = 0; i < p->n_sizes; i++) {
        unsigned others = 0;
        for (size_t j = 0; j < i && !f->name[i]; j++) {
            const bool same = !strcmp(p->sizes[i].name, p->sizes[j].name);
            if (!f->varies[j] || !(same || (p->sizes[i].bare && p->sizes[j].bare)))
                continue;
            if (go_together(a, algorithm, i, j))
                f->name[i] = f->name[j];
            others += same;
        }
        if (!f->name[i])
            f->name[i] = others
                             ? arena_printf(a->arena, "KERNEL_%s_%u", p->sizes[i].name, others + 1)
                             : arena_printf(a->arena, "KERNEL_%s", p->sizes[i].name);
    }
}

bool is_new_macro(const Algorithm *f, size_t size)
{
    for (size_t j = 0; j < size; j++)
        if (f->varies[j] && !strcmp(f->name[j], f->name[size]))
            return false;
    return f->varies[size];
}

/* How many macros there are for numbers, or for texts. */
static size_t count_macros(const Algorithms *a, const Algorithm *f, bool texts)
{
    const Part *p = &a->parts[f->first];
    size_t n = 0;
    for (size_t i = 0; i < p->n_sizes; i++)
        n += p->sizes[i].is_text == texts && is_new_macro(f, i);
    return n;
}

/* In a file, which each kernel includes with definitions in front; those of texts that several kernels have stand in another.
 * Definitions are quicker read than code, and count half. */
static size_t lines_with_file(const Algorithms *a, const Algorithm *f)
{
    enum { HEAD = 6 }; /* lines of a file besides the text */
    const size_t numbers = count_macros(a, f, false), texts = count_macros(a, f, true);
    return f->uses + count_lines(a->parts[f->first].text) + HEAD + (f->uses + 1) * numbers / 2 +
           (texts ? f->variants * (texts + HEAD) / 2 : 0);
}

static size_t lines_without_file(const Algorithms *a, const Algorithm *f)
{
    return f->uses * count_lines(a->parts[f->first].text);
}

/* A file saves lines. */
static bool is_worth_file(const Algorithms *a, const Algorithm *f)
{
    return f->uses > 1 && lines_with_file(a, f) < lines_without_file(a, f);
}

static size_t lines_of_algorithm(const Algorithms *a, const Algorithm *f)
{
    return is_worth_file(a, f) ? lines_with_file(a, f) : lines_without_file(a, f);
}

static bool same_texts(const Part *p, const Part *q)
{
    for (size_t s = 0; s < p->n_sizes; s++)
        if (p->sizes[s].is_text && strcmp(p->sizes[s].value, q->sizes[s].value))
            return false;
    return true;
}

static void find_variant(Algorithms *a, uint32_t part)
{
    Part *p = &a->parts[part];
    uint32_t v = a->found[p->algorithm].first;
    while (a->parts[v].algorithm != p->algorithm || !same_texts(p, &a->parts[v]))
        v++;
    p->variant = v;
    a->parts[v].uses++;
    a->found[p->algorithm].variants += v == part;
}

static void group_parts(Algorithms *a)
{
    for (uint32_t i = 0; i < a->n_parts; i++) {
        Part *p = &a->parts[i];
        p->algorithm = find_algorithm(a, i);
        Algorithm *f = &a->found[p->algorithm];
        f->uses++;
        for (size_t s = 0; s < p->n_sizes; s++)
            f->varies[s] |= strcmp(p->sizes[s].value, a->parts[f->first].sizes[s].value) != 0;
        find_variant(a, i);
    }
    for (uint32_t i = 0; i < a->n_found; i++)
        name_sizes(a, i);
}

/* --- a first function that stands apart -------------------------------------------------------------------------------- */

/* Behind the first function of a text; NULL if there is nothing but that. */
static const char *first_function_end(const char *text)
{
    const char *end = strstr(text, "\n}");
    end = end ? strchr(end + 1, '\n') : NULL;
    return end && strstr(end, KERNEL) ? end + 1 : NULL;
}

/* "conv_gather" for $kernel$_gather of conv.c, "tile" for $kernel$_tile of tile.c. */
static const char *function_file(Arena *arena, const Part *p)
{
    const char *function = strstr(p->text, KERNEL) + sizeof KERNEL - 1;
    function += *function == '_';
    const size_t n = word_length(function);
    if (!n || (strlen(p->name) == n && !strncmp(p->name, function, n)))
        return p->name;
    return arena_printf(arena, "%s_%.*s", p->name, (int)n, function);
}

/* Adds a part as two, if there are two functions or more. */
static void add_apart(Algorithms *a, const Part *p)
{
    const char *rest = first_function_end(p->text);
    if (!rest) {
        add_part(a, p->kernel, &(CText){p->path, p->text}, p->name);
        return;
    }
    const char *first = arena_strndup(a->arena, p->text, (size_t)(rest - p->text));
    add_part(a, p->kernel, &(CText){p->path, first}, function_file(a->arena, p));
    add_part(a, p->kernel, &(CText){p->path, rest}, p->name);
}

/* How many lines there are of parts that are grouped. */
static size_t lines_of(const Algorithms *a)
{
    size_t lines = 0;
    for (size_t i = 0; i < a->n_found; i++)
        lines += lines_of_algorithm(a, &a->found[i]);
    return lines;
}

/* Whether the parts from a template have fewer lines with the first function of each in a file of its own. */
static bool is_better_apart(const Algorithms *a, const char *path)
{
    Algorithms whole = {.arena = a->arena}, apart = {.arena = a->arena};
    for (size_t i = 0; i < a->n_parts; i++) {
        const Part *p = &a->parts[i];
        if (strcmp(p->path, path))
            continue;
        add_part(&whole, p->kernel, &(CText){p->path, p->text}, p->name);
        add_apart(&apart, p);
    }
    group_parts(&whole);
    group_parts(&apart);
    return lines_of(&apart) < lines_of(&whole);
}

static void set_functions_apart(Algorithms *a)
{
    Algorithms all = {.arena = a->arena};
    const char **path = ARENA_ARRAY(a->arena, const char *, a->n_parts + 1);
    bool *apart = ARENA_ARRAY(a->arena, bool, a->n_parts + 1);
    size_t n_paths = 0;
    for (size_t i = 0; i < a->n_parts; i++) {
        const Part *p = &a->parts[i];
        size_t t = 0;
        while (t < n_paths && strcmp(path[t], p->path))
            t++;
        if (t == n_paths) {
            path[n_paths++] = p->path;
            apart[t] = is_better_apart(a, p->path);
        }
        if (apart[t])
            add_apart(&all, p);
        else
            add_part(&all, p->kernel, &(CText){p->path, p->text}, p->name);
    }
    *a = all;
}

/* "net_conv_1x1.h", "net_conv_1x1_2.h" */
static const char *add_file(Algorithms *a, const char *name, uint32_t part, bool is_variant)
{
    const char *base = a->parts[part].name, *file;
    unsigned others = 0;
    for (size_t i = 0; i < a->n_files; i++)
        others += !strcmp(a->parts[a->files[i].part].name, base);
    file = others ? arena_printf(a->arena, "%s_%s_%u.h", name, base, others + 1)
                  : arena_printf(a->arena, "%s_%s.h", name, base);
    ARENA_PUSH(a->arena, a->files, a->n_files, a->cap_files, (File){file, part, is_variant});
    return file;
}

void algorithms_find(Algorithms *a, const char *name)
{
    set_functions_apart(a);
    group_parts(a);
    for (uint32_t i = 0; i < a->n_found; i++)
        if (is_worth_file(a, &a->found[i]))
            a->found[i].file = add_file(a, name, a->found[i].first, false);
    for (uint32_t i = 0; i < a->n_parts; i++) {
        Part *p = &a->parts[i];
        const Algorithm *f = &a->found[p->algorithm];
        if (f->file && f->variants > 1 && p->uses > 1)
            p->file = add_file(a, name, i, true);
    }
}

size_t algorithms_count(const Algorithms *a)
{
    return a->n_files;
}

const char *algorithm_file(const Algorithms *a, size_t i)
{
    return a->files[i].name;
}
