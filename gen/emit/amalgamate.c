/* --amalgamate: the library as one C file.
 *
 * The files stand behind each other, and what they include of the folder before them: a header with a guard once, at the head, as what is
 * included of the system; another one, which is the text of a function for sizes that macros say, wherever it is included. What several files define
 * for themselves at file scope, a function or table of the same name in each, is called after the number of the file in all but the first; macros of a file end with it. */
#include "emit.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

/* A name that a file defines at file scope. */
typedef struct Definition {
    const char *name;
    size_t length;
    uint32_t file;
} Definition;

typedef struct Amalgam {
    Emit *e;
    bool *included; /* by file of the folder: its text is there */
    Text system, head;
    Text *bodies; /* by source */
    uint32_t n_bodies;
    Definition *defined;
    size_t n_defined, cap_defined;
} Amalgam;

/* --- files and what they include ------------------------------------------------------------------------------------ */

static uint32_t find_file(const Emit *e, const char *name, size_t length)
{
    for (uint32_t i = 0; i < e->n_files; i++)
        if (!strncmp(e->files[i].name, name, length) && !e->files[i].name[length])
            return i;
    bug("%.*s is included, and not in the folder", (int)length, name);
}

static bool has_guard(const char *text)
{
    const char *at = strstr(text, "#ifndef ");
    const size_t length = at ? strcspn(at + 8, "\n") : 0;
    const char *define = at ? at + 8 + length + 1 : NULL;
    return at && !strncmp(define, "#define ", 8) && !strncmp(define + 8, at + 8, length) &&
           length > 2 && !strncmp(at + 8 + length - 2, "_H", 2) && define[8 + length] == '\n';
}

/* Behind the comment that every file begins with. */
static const char *behind_banner(const char *text)
{
    const char *end = strncmp(text, "/*", 2) ? NULL : strstr(text, "*/\n");
    return end ? end + 3 : text;
}

static void expand(Amalgam *a, const char *text, Text *to);

/* A header's functions, of which not all are needed. */
static void put_head(Amalgam *a, const char *text)
{
    static const char words[] = "\nstatic inline ";
    for (const char *at; (at = strstr(text, words)); text = at + strlen(words)) {
        text_append(&a->head, text, (size_t)(at - text));
        text_puts(&a->head, "\nMAY_BE_UNUSED static inline ");
    }
    text_puts(&a->head, text);
}

static void include(Amalgam *a, const char *name, size_t length, Text *to)
{
    const uint32_t file = find_file(a->e, name, length);
    const char *text = a->e->files[file].data;
    if (!has_guard(text))
        expand(a, behind_banner(text), to);
    else if (!a->included[file]) {
        Text own = text_new(a->e->arena);
        a->included[file] = true;
        expand(a, behind_banner(text), &own);
        put_head(a, own.data);
    }
}

static void expand(Amalgam *a, const char *text, Text *to)
{
    int conditions = 0;
    for (const char *line = text, *next; *line; line = next) {
        const char *end = line + strcspn(line, "\n");
        next = *end ? end + 1 : end;
        conditions += !strncmp(line, "#if", 3) - !strncmp(line, "#endif", 6);
        if (!strncmp(line, "#include \"", 10)) {
            include(a, line + 10, strcspn(line + 10, "\""), to);
        } else if (!strncmp(line, "#include <", 10) && !conditions) {
            const char *include = arena_strndup(a->e->arena, line, (size_t)(next - line));
            if (!strstr(a->system.data, include))
                text_puts(&a->system, include);
        } else {
            text_append(to, line, (size_t)(next - line));
        }
    }
}

/* --- names ---------------------------------------------------------------------------------------------------------- */

static bool is_word(char c)
{
    return isalnum((unsigned char)c) || c == '_';
}

/* The end of what has no names in it: a comment, a literal, a number, or any other character. */
static const char *skip_token(const char *s)
{
    if (!strncmp(s, "/*", 2)) {
        const char *end = strstr(s, "*/");
        return end ? end + 2 : s + strlen(s);
    }
    if (*s == '"' || *s == '\'') {
        const char quote = *s++;
        while (*s && *s != quote)
            s += *s == '\\' && s[1] ? 2 : 1;
        return *s ? s + 1 : s;
    }
    if (isdigit((unsigned char)*s))
        while (is_word(*s) || *s == '.')
            s++;
    else
        s++;
    return s;
}

static const char *word_end(const char *s)
{
    while (is_word(*s))
        s++;
    return s;
}

static bool is_name(const char *s, size_t length)
{
    static const char *const words[] = {"enum", "struct", "union", "static", "const", "return"};
    for (size_t i = 0; i < COUNT_OF(words); i++)
        if (strlen(words[i]) == length && !strncmp(s, words[i], length))
            return false;
    return length && *s != '_';
}

static void define(Amalgam *a, uint32_t file, const char *name, size_t length)
{
    if (is_name(name, length))
        ARENA_PUSH(a->e->arena, a->defined, a->n_defined, a->cap_defined,
                   (Definition){name, length, file});
}

/* The end of a line for the preprocessor, with those that continue it. */
static const char *directive_end(const char *s)
{
    while (*s && (*s != '\n' || s[-1] == '\\'))
        s++;
    return s;
}

/* Finds what a file defines: the words before a bracket, an equals sign, a comma or a semicolon outside of all brackets, and enumerators. What is
 * declared extern is not its own. */
static void find_definitions(Amalgam *a, uint32_t file)
{
    int braces = 0, brackets = 0;
    bool is_extern = false, in_enum = false, starts = false;
    const char *last = NULL;
    size_t length = 0;
    for (const char *s = a->bodies[file].data, *next; *s; s = next) {
        if (*s == '#') {
            next = directive_end(s);
            continue;
        }
        if (isalpha((unsigned char)*s) || *s == '_') {
            next = word_end(s);
            is_extern =
                braces ? is_extern : is_extern || (next - s == 6 && !strncmp(s, "extern", 6));
            if (!braces && !brackets) {
                last = s;
                length = (size_t)(next - s);
            } else if (in_enum && starts && braces == 1)
                define(a, file, s, (size_t)(next - s));
            starts = false;
            continue;
        }
        next = skip_token(s);
        if (isspace((unsigned char)*s) || !strncmp(s, "/*", 2))
            continue;
        starts = *s == '{' || (*s == ',' && !brackets);
        if (!braces && !brackets && last && strchr("([=;,{", *s)) {
            if (!is_extern)
                define(a, file, last, length);
            in_enum = *s == '{' && length == 4 && !strncmp(last, "enum", 4);
            last = NULL;
        }
        is_extern = is_extern && (braces || brackets || *s != ';');
        braces += (*s == '{') - (*s == '}');
        brackets += (*s == '(' || *s == '[') - (*s == ')' || *s == ']');
    }
}

static int by_name(const void *x, const void *y)
{
    const Definition *a = x, *b = y;
    const size_t least = a->length < b->length ? a->length : b->length;
    const int order = strncmp(a->name, b->name, least);
    return order                    ? order
           : a->length != b->length ? (a->length < b->length ? -1 : 1)
           : a->file != b->file     ? (a->file < b->file ? -1 : 1)
                                    : 0;
}

/* Whether a name of this file is that of something else in one before it. */
static bool is_taken(const Amalgam *a, uint32_t file, const char *name, size_t length)
{
    const Definition wanted = {name, length, file};
    const Definition *found =
        a->n_defined ? bsearch(&wanted, a->defined, a->n_defined, sizeof wanted, by_name) : NULL;
    while (found && found > a->defined && found[-1].length == length &&
           !strncmp(found[-1].name, name, length)) {
        if (found[-1].file != file)
            return true;
        found--;
    }
    return false;
}

/* Writes a file's text with its names, and ends its macros. */
static void put_body(const Amalgam *a, uint32_t file, Text *out)
{
    Text ended = text_new(a->e->arena);
    for (const char *s = a->bodies[file].data, *next; *s; s = next) {
        const bool word = isalpha((unsigned char)*s) || *s == '_';
        next = word ? word_end(s) : skip_token(s);
        text_append(out, s, (size_t)(next - s));
        if (word && is_taken(a, file, s, (size_t)(next - s)))
            text_printf(out, "_in_%u", file);
        if (!strncmp(s, "#define ", 8)) {
            const char *undef =
                arena_printf(a->e->arena, "#undef %.*s\n", (int)(word_end(s + 8) - s - 8), s + 8);
            if (!strstr(ended.data, undef))
                text_puts(&ended, undef);
        }
    }
    text_puts(out, ended.data);
}

/* --- the folder ----------------------------------------------------------------------------------------------------- */

bool emit_is_of_model(const char *name)
{
    return has_suffix(name, ".c") && strncmp(name, "dnnlc_", 6) != 0;
}

/* A C file of the library. */
static bool is_source(const Emit *e, const char *name)
{
    return emit_is_of_model(name) &&
           strcmp(name, arena_printf(e->arena, "%s_main.c", e->names.name)) != 0;
}

/* What remains beside the one C file. */
static bool is_kept(const char *name)
{
    return has_suffix(name, "_dnnl.h") || has_suffix(name, ".hpp") || has_suffix(name, ".bin");
}

void emit_amalgamated(Emit *e)
{
    const char *header = arena_printf(e->arena, "%s_dnnl.h", e->names.name);
    Amalgam a = {.e = e,
                 .included = ARENA_ARRAY(e->arena, bool, e->n_files),
                 .bodies = ARENA_ARRAY(e->arena, Text, e->n_files),
                 .system = text_new(e->arena),
                 .head = text_new(e->arena)};
    Text out = text_new(e->arena);
    a.included[find_file(e, header, strlen(header))] = true;
    for (size_t i = 0; i < e->n_files; i++) {
        if (!is_source(e, e->files[i].name))
            continue;
        a.bodies[a.n_bodies] = text_new(e->arena);
        text_printf(&a.bodies[a.n_bodies], "\n/* --- %s --- */\n", e->files[i].name);
        expand(&a, behind_banner(e->files[i].data), &a.bodies[a.n_bodies++]);
        find_definitions(&a, a.n_bodies - 1);
    }
    qsort(a.defined, a.n_defined, sizeof *a.defined, by_name);
    text_printf(
        &out,
        "%s\n%s\n#include \"%s\"\n\n%s\n#ifdef __GNUC__\n#define MAY_BE_UNUSED __attribute__((unused))\n#else\n#define MAY_BE_UNUSED\n#endif\n",
        e->names.banner, emit_compile_note(e), header, a.system.data);
    text_puts(&out, a.head.data);
    for (uint32_t i = 0; i < a.n_bodies; i++)
        put_body(&a, i, &out);
    size_t n = 0;
    for (size_t i = 0; i < e->n_files; i++)
        if (is_kept(e->files[i].name))
            e->files[n++] = e->files[i];
    e->n_files = n;
    emit_add(e, arena_printf(e->arena, "%s.c", e->names.name), out.data, out.size);
}
