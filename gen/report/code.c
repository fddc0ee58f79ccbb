/* Cuts emitted files into what stands between blank lines outside of bodies, which the emitter writes around each function with its comment
 * and its tables. See code.h. */
#include "code.h"

#include <stdlib.h>
#include <string.h>

enum { MOST_BYTES = 2 << 20 }; /* in a page; later functions are only said where they stand */

typedef struct Cutter {
    CodeTexts *found;
    CodeText **sorted; /* by name */
    size_t bytes;
    const char *file;
} Cutter;

static int by_name(const void *a, const void *b)
{
    const CodeText *const *x = a, *const *y = b;
    return strcmp((*x)->name, (*y)->name);
}

static CodeText *find_name(const Cutter *c, const char *name)
{
    const CodeText key = {.name = name}, *at = &key;
    CodeText **hit = bsearch(&at, c->sorted, c->found->n, sizeof *c->sorted, by_name);
    return hit ? *hit : NULL;
}

/* The code whose name the word begins with, up to an underscore. */
static CodeText *find_beginning(const Cutter *c, char *word)
{
    CodeText *found = find_name(c, word);
    for (char *cut; !found && (cut = strrchr(word, '_')); found = find_name(c, word))
        *cut = 0;
    return found;
}

/* The code that a line outside of a body defines something of: "net_gemm_1_body" is of net_gemm_1, "run_conv_3" of conv_3. */
static CodeText *find_owner(const Cutter *c, Arena *arena, const char *line, size_t n)
{
    for (size_t i = 0; i < n;) {
        const size_t length = word_length(line + i);
        if (!length) {
            i++;
            continue;
        }
        const char *behind = memchr(line + i, '_', length);
        CodeText *owner = find_beginning(c, arena_strndup(arena, line + i, length));
        if (!owner && behind)
            owner = find_beginning(
                c, arena_strndup(arena, behind + 1,
                                 length - (size_t)(behind + 1 - line - (ptrdiff_t)i)));
        if (owner)
            return owner;
        i += length;
    }
    return NULL;
}

static void take_piece(Cutter *c, CodeText *owner, const char *piece, size_t n, size_t line)
{
    if (!owner || (owner->file && strcmp(owner->file, c->file) != 0))
        return;
    if (!owner->file) {
        owner->file = c->file;
        owner->line = line;
    }
    if (c->bytes + n > MOST_BYTES)
        return;
    c->bytes += n;
    text_puts(&owner->text, owner->text.size ? "\n" : "");
    text_append(&owner->text, piece, n);
}

static bool begins_piece(const char *line)
{
    return *line == '/' || *line == '#' || is_word_char(*line);
}

/* Kernels that include an algorithm stand between these lines (templates/c/), blank lines and all. */
static const char kernel_begins[] = "#define KERNEL(", kernel_ends[] = "#undef KERNEL\n";

static bool line_is(const char *at, const char *end, const char *start)
{
    const size_t n = strlen(start);
    return (size_t)(end - at) >= n && !memcmp(at, start, n);
}

/* A body begins in a line that ends in '{' and ends in one that begins with '}'. */
static void cut_file(Cutter *c, Arena *arena, const EmitFile *file)
{
    const char *at = file->data, *end = at + file->size, *piece = NULL;
    bool in_body = false, in_comment = false, in_kernel = false;
    CodeText *owner = NULL;
    size_t first = 0;
    for (size_t number = 1; at < end; number++) {
        const char *newline = memchr(at, '\n', (size_t)(end - at));
        const char *next = newline ? newline + 1 : end;
        const size_t n = (size_t)((newline ? newline : end) - at);
        in_kernel = in_kernel ? !line_is(at, end, kernel_ends) : line_is(at, end, kernel_begins);
        if (n == 0 && !in_body && !in_comment && !in_kernel) {
            if (piece)
                take_piece(c, owner, piece, (size_t)(at - piece), first);
            piece = NULL;
        } else if (!piece && begins_piece(at)) {
            piece = at;
            first = number;
            owner = NULL;
        }
        if (!in_body && !in_comment && !owner && (is_word_char(*at) || in_kernel))
            owner = find_owner(c, arena, at, n);
        if (!in_body && n >= 2 && (in_comment || !memcmp(at, "/*", 2)))
            in_comment = memcmp(at + n - 2, "*/", 2) != 0;
        if (!in_comment && n > 0)
            in_body = in_body ? *at != '}' : at[n - 1] == '{' && *at != ' ';
        at = next;
    }
    if (piece)
        take_piece(c, owner, piece, (size_t)(end - piece), first);
}

static CodeTexts distinct_names(const Program *p, const EmittedCode *emitted)
{
    Arena *arena = p->arena;
    CodeTexts found = {ARENA_ARRAY(arena, CodeText, p->n_steps + 1), 0,
                       ARENA_ARRAY(arena, uint32_t, p->n_steps + 1)};
    CodeText **all = ARENA_ARRAY(arena, CodeText *, p->n_steps + 1);
    CodeText *each = ARENA_ARRAY(arena, CodeText, p->n_steps + 1);
    for (uint32_t i = 0; i < p->n_steps; i++) {
        each[i] = (CodeText){.name = emitted->function[i], .line = i};
        all[i] = &each[i];
    }
    qsort(all, p->n_steps, sizeof *all, by_name);
    for (uint32_t i = 0; i < p->n_steps; i++) {
        if (!i || strcmp(all[i]->name, all[i - 1]->name) != 0)
            found.code[found.n++] = (CodeText){.name = all[i]->name, .text = text_new(arena)};
        found.of[all[i]->line] = found.n - 1;
    }
    return found;
}

CodeTexts find_code(const Program *p, const EmittedCode *emitted)
{
    CodeTexts found = distinct_names(p, emitted);
    Cutter c = {.found = &found, .sorted = ARENA_ARRAY(p->arena, CodeText *, found.n + 1)};
    for (uint32_t i = 0; i < found.n; i++)
        c.sorted[i] = &found.code[i];
    for (size_t i = 0; i < emitted->n; i++) {
        c.file = emitted->files[i].name;
        if (emit_is_of_model(c.file))
            cut_file(&c, p->arena, &emitted->files[i]);
    }
    return found;
}
