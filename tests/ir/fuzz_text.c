/* Damages text IR and reads it: whatever comes out, the parser, the verifier and the printers
 * may not crash. fuzz_text ROUNDS FILE.ir… Each round changes some bytes, or swaps in a piece of
 * another place. */
#include "../../gen/text/text_ir.h"
#include "../../passes/pass.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static uint64_t random_state = 1;

static size_t below(size_t n)
{
    random_state = random_state * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
    return (size_t)(random_state >> 33) % n;
}

static void damage(char *text, size_t size)
{
    static const char bytes[] = "{}[]()%\"@#=,:-_.0123456789einfx \n\\\xff";
    for (size_t n = 1 + below(4); n > 0; n--) {
        if (below(3)) {
            text[below(size)] = bytes[below(sizeof bytes)];
        } else {
            size_t from = below(size), to = below(size), length = below(24);
            if (from + length <= size && to + length <= size)
                memmove(text + to, text + from, length);
        }
    }
}

/* Returns whether the damaged text was accepted. What is accepted goes through the passes as
 * well, but for the evaluator's: a damaged shape may be a long computation. */
static bool try_text(const char *text, size_t size)
{
    Arena *arena = arena_new();
    Diag diag = {.arena = arena};
    Graph *g = parse_text_ir(arena, &diag, "fuzz", text, size);
    if (g) {
        PassOptions options = {.threads = 1};
        Text out = text_new(arena);
        print_text_ir(g, &out);
        print_dot(g, &out);
        run_passes(g, NULL, &options,
                   "simplify,match-spelled,fold-scale-axis,merge-composite,annotate-target,"
                   "fuse-eltwise,merge-regions,partition",
                   NULL, NULL, NULL, NULL);
    } else if (!diag.message) {
        fprintf(stderr, "refused without a reason\n");
        abort();
    }
    arena_free(arena);
    return g != NULL;
}

int main(int argc, char **argv)
{
    long rounds = argc > 1 ? strtol(argv[1], NULL, 10) : 0, accepted = 0;
    for (int i = 2; i < argc; i++) {
        Arena *arena = arena_new();
        Diag diag = {.arena = arena};
        char *text;
        size_t size;
        if (!read_file(arena, argv[i], &text, &size, &diag) || size == 0)
            return fprintf(stderr, "%s\n", diag.message), 1;
        char *copy = arena_alloc(arena, size);
        for (long k = 0; k < rounds; k++) {
            memcpy(copy, text, size);
            damage(copy, size);
            accepted += try_text(copy, k % 5 ? size : below(size));
        }
        arena_free(arena);
    }
    printf("%ld damaged texts, %ld of them accepted\n1 passed, 0 failed, 0 skipped\n",
           rounds * (argc - 2), accepted);
    return 0;
}
