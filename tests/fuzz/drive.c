/* drive TARGET RUNS FOLDER: every file of the folder, then RUNS mutations of them, by a seed: the same on every machine. What is being tried stands in
 * build/tests/fuzz/TARGET.last, so that it is there after a crash. drive --mutate SEED IN OUT writes one mutation of a model. */
#include "fuzz.h"

#include <glob.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { MOST = 20000, SECONDS = 60, MOST_MUTATIONS = 4 };

typedef struct Seeds {
    Arena *arena;
    char **data;
    size_t *size, n;
} Seeds;

static bool read_seeds(Arena *arena, const char *folder, Seeds *s)
{
    glob_t found;
    Diag diag = {.arena = arena};
    if (glob(arena_printf(arena, "%s/*", folder), 0, NULL, &found))
        return fprintf(stderr, "%s: nothing is there\n", folder), false;
    *s = (Seeds){.arena = arena, .n = found.gl_pathc};
    s->data = ARENA_ARRAY(arena, char *, s->n);
    s->size = ARENA_ARRAY(arena, size_t, s->n);
    for (size_t i = 0; i < s->n; i++)
        if (!read_file(arena, found.gl_pathv[i], &s->data[i], &s->size[i], &diag))
            return fprintf(stderr, "%s\n", diag.message), false;
    globfree(&found);
    return true;
}

/* From memory that ends where the input does. */
static void try(const FuzzTarget *t, const uint8_t *data, size_t size, FILE *last)
{
    uint8_t *copy = malloc(size ? size : 1);
    if (!copy)
        abort();
    memcpy(copy, data, size);
    rewind(last);
    if (fwrite(data, 1, size, last) != size || fflush(last) || ftruncate(fileno(last), (off_t)size))
        abort();
    alarm(SECONDS);
    fuzz_run(t, copy, size);
    free(copy);
}

static void mutate(const FuzzTarget *t, const Seeds *s, uint64_t run, FILE *last)
{
    static uint8_t data[MOST];
    Dice d = {.seed = run};
    const size_t k = dice(&d, s->n);
    size_t size = s->size[k] < MOST ? s->size[k] : MOST;
    memcpy(data, s->data[k], size);
    for (size_t n = 1 + dice(&d, MOST_MUTATIONS); n > 0; n--)
        size = t->mutate(data, size, MOST, run * MOST_MUTATIONS + n);
    try(t, data, size, last);
}

/* Models of any size. */
static int write_mutation(uint64_t seed, const char *in, const char *out)
{
    Arena *arena = arena_new();
    Diag diag = {.arena = arena};
    char *text;
    size_t size;
    if (!read_file(arena, in, &text, &size, &diag))
        return fprintf(stderr, "%s\n", diag.message), 1;
    const size_t most = 2 * size + MOST; /* packed once more, a model may be larger */
    uint8_t *data = arena_alloc(arena, most);
    memcpy(data, text, size);
    size = mutate_onnx(data, size, most, seed);
    const bool ok = write_file_if_changed(out, data, size, &diag);
    arena_free(arena);
    return !ok;
}

int main(int argc, char **argv)
{
    if (argc == 5 && !strcmp(argv[1], "--mutate"))
        return write_mutation(strtoull(argv[2], NULL, 10), argv[3], argv[4]);
    const FuzzTarget *t = argc == 4 ? fuzz_target(argv[1]) : NULL;
    Arena *arena = arena_new();
    Seeds seeds;
    if (!t || !read_seeds(arena, argv[3], &seeds))
        return 2;
    FILE *last = fopen(arena_printf(arena, "build/tests/fuzz/%s.last", t->name), "wb");
    const uint64_t runs = strtoull(argv[2], NULL, 10);
    if (!last)
        return 2;
    for (size_t i = 0; i < seeds.n; i++)
        try(t, (const uint8_t *)seeds.data[i], seeds.size[i], last);
    for (uint64_t run = 0; run < runs; run++)
        mutate(t, &seeds, run, last);
    fclose(last);
    printf("%s: %zu files and %llu mutations of them\n1 passed, 0 failed, 0 skipped\n", t->name,
           seeds.n, (unsigned long long)runs);
    arena_free(arena);
    return 0;
}
