/* What goes out: names, numbers, types and contents of constants, as text IR has them and lex.h and data.h read them. */
#pragma once

#include "../graph/layout.h"

/* The shortest decimal text that reads back as exactly this number, with a point or exponent in it;
 * inf, nan. */
void write_float(Text *out, DType precision, double v);
/* In double quotes, with escapes; printable ASCII only. */
/* Between quotes: quotes and backslashes escaped, and what is not printable as its code or as "?". */
void write_escaped(Text *out, const char *s, bool in_code);
void write_quoted(Text *out, const char *s);
/* The label and s in quotes; nothing where s is NULL. */
void write_labelled(Text *out, const char *label, const char *s);
void write_name(Text *out, const char *name);           /* "%x" */
void write_value(Text *out, const Graph *g, ValueId v); /* "%x", or "_" where there is none */
void write_type(Text *out, const TensorType *t);
void write_layout(Text *out, const Layout *l); /* "acdb", "-" without dimensions */
/* `elide`: large ones as elided(BYTES, HASH), for reading only. */
void write_data(Text *out, const TensorType *t, const void *data, bool elide);
