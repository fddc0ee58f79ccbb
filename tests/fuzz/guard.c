/* Lets a target run in this process again and again: the linker's --wrap leads what would end the process, write files or print here. */
#include "fuzz.h"

#include "../../gen/emit/folder.h"

#include <setjmp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MAX_ARENAS = 64, MEMORY = 512 << 20 };

static jmp_buf end_of_run;
static bool running;
static Arena *arenas[MAX_ARENAS];

Arena *__real_arena_new(void);
void __real_arena_free(Arena *arena);
_Noreturn void __real_exit(int status);
int __real_fprintf(FILE *f, const char *fmt, ...);

Arena *__wrap_arena_new(void)
{
    Arena *a = __real_arena_new();
    for (size_t i = 0; running; i++) {
        if (i == MAX_ARENAS)
            abort();
        if (!arenas[i]) {
            arenas[i] = a;
            break;
        }
    }
    return a;
}

void __wrap_arena_free(Arena *arena)
{
    for (size_t i = 0; i < MAX_ARENAS; i++)
        if (arenas[i] == arena)
            arenas[i] = NULL;
    __real_arena_free(arena);
}

/* Out of memory, or more than is allowed. */
_Noreturn void __wrap_exit(int status)
{
    if (running && status == 1)
        longjmp(end_of_run, 1);
    __real_exit(status);
}

/* What is refused about options is printed at once. */
int __wrap_fprintf(FILE *f, const char *fmt, ...)
{
    va_list args;
    if (running && f == stderr)
        return 0;
    va_start(args, fmt);
    const int n = vfprintf(f, fmt, args);
    va_end(args);
    return n;
}

/* Files are looked at, and written nowhere. */
bool __wrap_write_folder(const char *dir, const EmitFile *files, size_t n, bool force, Diag *diag)
{
    (void)dir, (void)force, (void)diag;
    for (size_t i = 0; i < n; i++) {
        hash64(files[i].data, files[i].size, 0);
        if (!*files[i].name || strpbrk(files[i].name, "/\n \"'$"))
            bug("a file called '%s' is emitted", files[i].name);
    }
    return true;
}

void fuzz_run(const FuzzTarget *target, const uint8_t *data, size_t size)
{
    memory_limit(MEMORY, true);
    running = true;
    if (!setjmp(end_of_run))
        target->run(arena_new(), data, size);
    running = false;
    for (size_t i = 0; i < MAX_ARENAS; i++)
        if (arenas[i])
            arena_free(arenas[i]);
}
