/* Templates: C files that compile. Text between the line `//@begin` and the end of the file is copied; what stands
 * before it (the licence line and sample bindings, so that the file compiles by itself) is not.
 *
 *     $name$                    is replaced by the binding of `name`. An unbound name is an error with file and line.
 *     $name$(a, b)              where `name` is a function or a macro: by what that makes of the operands, in which
 *                               placeholders are replaced first. They end on the same line.
 *     $name$(text)              where `name` is a list: by the text for each row, with the list's separator between
 *                               them; nothing for an empty list.
 *     //@if name  … //@else … //@end      keeps the lines if the binding of `name` is not empty and not "0", or is a list
 *                               with rows.
 *     //@for name … //@end      repeats the lines for each row of the list `name`; a row has bindings of its own.
 *                               A list that nobody added a row to is empty.
 *     //@nest name              a nest of loops, one for each row of the list `name`, outermost first. The line below is
 *                               the line of a loop, rendered for each row; the others are the body of the innermost,
 *                               indented as if there were one loop. Without rows only the body is left.
 *
 * If the loop opens a block, the line before the `//@end` closes it. Of several loops the innermost opens it, and none does
 * if the body has become a single line:
 *
 *     //@nest dims
 *         for (size_t $i$ = $begin$; $i$ < $end$; $i$++) {
 *             const $A_x$ x = $ld_x$(src0[$at_src$]);
 *             dst0[$at_dst$] = $st_dst$(x * x);
 *         }
 *     //@end
 *
 * A value of several lines is indented like the line it stands in. A line that holds one placeholder and nothing else
 * takes a value that ends in a newline or not; if the value is empty the line goes away.
 *
 * Directives stand alone on their line and leave nothing behind. The sample bindings are macros or declarations that
 * make `$name$` (an identifier to gcc and clang) mean something: `#define $dims$ {1, 2}`, `#define $ld_x$(x) (x)`. */
#pragma once

#include "base.h"

typedef struct Bindings Bindings;
/* Names that are not found are looked up in `outer`, which may be NULL. */
Bindings *bindings_new(Arena *arena, const Bindings *outer);
void bind(Bindings *b, const char *name, const char *fmt, ...) PRINTF_LIKE(3, 4);
void bind_int(Bindings *b, const char *name, int64_t value);
Bindings *bind_row(Bindings *b, const char *list); /* adds a row to a list and returns it */
/* What stands between the rows of a list within a line, ", " if nothing was said; the list exists, and may stay empty. */
void bind_list(Bindings *b, const char *list, const char *separator);
/* A row of the list for each line of a text, its `line`. */
void bind_lines(Bindings *b, const char *list, const char *text);
/* A row of the list for each of n items, called `name` in it. */
void bind_items(Bindings *b, const char *list, const char *name, const char *const *items,
                size_t n);
/* A function in C: the value for n operands, which lives as long as the arena does. */
typedef const char *TemplateFn(const void *user, Arena *arena, const char *const *operand,
                               size_t n);
void bind_fn(Bindings *b, const char *name, TemplateFn *fn, const void *user);
/* A function as a text of this language, in which the operands are bound to `params`: "acc, x" and
 * "$x$ > $acc$ ? $x$ : $acc$". Other placeholders are looked up where the macro is used. */
void bind_macro(Bindings *b, const char *name, const char *params, const char *text);

/* Renders templates/PATH (which is built into the compiler). A missing template, an unbound name or an unmatched
 * directive is our mistake: bug(). */
void render(Text *out, const char *path, const Bindings *b);
/* The same on given text; `path` is for messages. */
void render_text(Text *out, const char *path, const char *text, const Bindings *b);
/* The same on a built-in file for Ninja or a shell, to which dollars mean something: placeholders are @name@ there. */
void render_at_signs(Text *out, Arena *arena, const char *path, const Bindings *b);
/* A built-in file (templates/ or runtime-stub/) as it is; NULL if there is none. */
const char *bundled_file(const char *path, size_t *size);
