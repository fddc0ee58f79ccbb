/* The program that answers for the oneDNN that it is linked with, for a compiler that runs on another CPU: see dnnl/remote.h. Its argument is the number
 * of threads that a run may use. */
#include "library.h"
#include "remote.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static void take(void *data, size_t size)
{
    if (size && fread(data, size, 1, stdin) != 1)
        exit(feof(stdin) ? 0 : 1);
}

static void give(const void *data, size_t size)
{
    if (size && fwrite(data, size, 1, stdout) != 1)
        exit(1);
}

static void *get_rows(Arena *arena, size_t n, size_t size)
{
    void *rows = arena_alloc(arena, n * size + 1);
    take(rows, n * size);
    return rows;
}

static void get_question(Arena *arena, DnnlPrimitive *p)
{
    take(p, sizeof *p);
    p->memory = get_rows(arena, p->n_memory, sizeof *p->memory);
    p->post = get_rows(arena, p->n_post, sizeof *p->post);
    for (uint32_t i = 0; i < p->n_memory; i++) {
        DnnlMemory *m = &p->memory[i];
        if (m->form == FORM_TAG)
            m->tag = get_rows(arena, (size_t)m->rank, 1);
        if (m->given)
            m->given = get_rows(arena, m->given_size, 1);
    }
}

static void put_answer(const DnnlPrimitive *p, bool has, const DnnlChoice *choices)
{
    const RemoteAnswer a = {has, has ? strlen(p->impl) : 0, p->scratch_bytes};
    give(&a, sizeof a);
    give(p->impl, a.impl_size);
    for (uint32_t i = 0; has && i < p->n_memory; i++) {
        give(&choices[i], sizeof choices[i]);
        give(choices[i].blob, choices[i].blob_size);
    }
    fflush(stdout);
}

int main(int argc, char **argv)
{
    static const RemoteGreeting greeting = REMOTE_GREETING;
    LibraryEngine e = {.e = {.isa = "", .threads = argc > 1 ? atoi(argv[1]) : 0}};
    if (e.e.threads < 1 || dnnl_engine_create(&e.engine, dnnl_cpu, 0) != dnnl_success)
        return 2;
    give(&greeting, sizeof greeting);
    fflush(stdout);
    for (;;) {
        DnnlPrimitive p;
        Arena *arena = arena_new();
        get_question(arena, &p);
        DnnlChoice *choices = ARENA_ARRAY(arena, DnnlChoice, p.n_memory);
        const bool has = library_query(&e.e, arena, &p, choices);
        put_answer(&p, has, choices);
        arena_free(arena);
    }
}
