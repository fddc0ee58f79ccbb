/* What the import's tests share: a folder for files, and checks on what an import gave. */
#pragma once

#include "../../gen/onnx/import.h"
#include "build_model.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

typedef struct Fixture {
    Arena *arena;
    char folder[64];
    const char *path; /* of the model */
    Diag diag;        /* of the last import */
    Text notes;
} Fixture;

int fixture_begin(void **state);
int fixture_end(void **state);

/* Writes the model and imports it; options may be NULL. */
Graph *import_built(Fixture *f, Build *b, ImportOptions *options);
/* The import must be refused, by one line that names the file and holds `text`. */
void expect_refused(Fixture *f, Build *b, ImportOptions *options, const char *text);
/* The import must succeed, and output 0 have this type, such as "f32[1,3]". */
Graph *expect_type(Fixture *f, Build *b, ImportOptions *options, const char *type);
/* As floats, the graph being evaluated on inputs 1, 2, 3, …; count must match. */
void expect_values(Fixture *f, Graph *g, const double *values, size_t count);
/* The only node's op, or the last one's. */
const char *last_op(const Graph *g);
void write_bytes(Fixture *f, const char *name, const void *data, size_t size);
