/* Templates: C files that compile. Text between the line `//@begin` and the end of the file is copied; what stands
 * before it (the licence line and sample bindings, so that the file compiles by itself) is not.
 *
 *     $name$                    is replaced by the binding of `name`. An unbound name is an error with file and line.
 *     //@if name  … //@else … //@end      keeps the lines if the binding of `name` is not empty and not "0".
 *     //@for name … //@end      repeats the lines for each row of the list `name`; a row has bindings of its own.
 *                               A list that nobody added a row to is empty.
 *
 * A value of several lines is indented like the line it stands in. A line that holds one placeholder and nothing else
 * takes a value that ends in a newline or not; if the value is empty the line goes away.
 *
 * Directives stand alone on their line and leave nothing behind. The sample bindings are macros or declarations that
 * make `$name$` (an identifier to gcc and clang) mean something: `#define $dims$ {1, 2}`. */
#ifndef DNNLC_TEMPLATE_H
#define DNNLC_TEMPLATE_H

#include "base.h"

typedef struct Bindings Bindings;
Bindings *bindings_new(Arena *arena, const Bindings *outer); /* names not found are looked up in `outer` (may be NULL) */
void bind(Bindings *b, const char *name, const char *fmt, ...) PRINTF_LIKE(3, 4);
void bind_int(Bindings *b, const char *name, int64_t value);
Bindings *bind_row(Bindings *b, const char *list); /* adds a row to a list and returns it */

/* Renders templates/PATH (which is built into the compiler). A missing template, an unbound name or an unmatched
 * directive is our mistake: bug(). */
void render(Text *out, const char *path, const Bindings *b);
/* The same on given text; `path` is for messages. */
void render_text(Text *out, const char *path, const char *text, const Bindings *b);
/* A built-in file (templates/ or runtime-stub/) as it is; NULL if there is none. */
const char *bundled_file(const char *path, size_t *size);

#endif
