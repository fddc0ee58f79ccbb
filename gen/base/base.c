/* Arena, refusals, growing text. */
#include "base.h"

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

typedef struct Chunk {
    struct Chunk *next;
    size_t size, used;
    unsigned char *data;
    bool mapped;   /* by mmap, for itself: of ARENA_LARGE bytes or more */
    bool released; /* nothing may be read there any more */
} Chunk;

typedef struct Mapping {
    struct Mapping *next;
    void *data;
    size_t size;
} Mapping;

struct Arena {
    Chunk *chunks; /* the first one is being filled */
    Mapping *mappings;
};

enum { CHUNK_BYTES = 1 << 16, BIG_ALIGN = 64, SMALL_ALIGN = 16 };

static _Noreturn void out_of_memory(size_t bytes)
{
    fprintf(stderr, "dnnlc: out of memory (%zu more bytes wanted)\n", bytes);
    exit(1);
}

/* Of all arenas. */
static struct {
    size_t used, limit; /* bytes; limit 0: none */
    size_t made;        /* of the limit: what memory_allow_made has added */
    bool fixed;
} memory;

void memory_limit(size_t bytes, bool fixed)
{
    memory.limit = bytes;
    memory.fixed = fixed;
}

void memory_allow(size_t model_bytes)
{
    enum { FACTOR = 16 };
    size_t more;
    if (!memory.limit || memory.fixed)
        return;
    if (__builtin_mul_overflow(model_bytes, FACTOR, &more) ||
        __builtin_add_overflow(memory.limit, more, &memory.limit))
        memory.limit = SIZE_MAX;
}

void memory_allow_made(size_t bytes)
{
    const size_t most = (size_t)1 << 30, left = most - memory.made,
                 more = bytes < left / 2 ? 2 * bytes : left;
    if (!memory.limit || memory.fixed || more > SIZE_MAX - memory.limit)
        return;
    memory.made += more;
    memory.limit += more;
}

static void count_memory(size_t bytes)
{
    memory.used += bytes;
    if (!memory.limit || memory.used <= memory.limit)
        return;
    fprintf(stderr,
            "dnnlc: more than %zu MiB of memory are wanted, which is much for this model; "
            "--max-memory MIB sets another bound\n",
            memory.limit >> 20);
    exit(1);
}

Arena *arena_new(void)
{
    Arena *a = calloc(1, sizeof *a);
    if (!a)
        out_of_memory(sizeof *a);
    return a;
}

void arena_free(Arena *arena)
{
    if (!arena)
        return;
    for (const Mapping *m = arena->mappings; m; m = m->next)
        munmap(m->data, m->size);
    for (Chunk *c = arena->chunks, *next; c; c = next) {
        next = c->next;
        memory.used -= c->released ? 0 : c->size;
        if (c->mapped)
            munmap(c->data, c->size);
        free(c);
    }
    free(arena);
}

static Chunk *new_chunk(size_t bytes)
{
    const bool mapped = bytes >= ARENA_LARGE;
    size_t head = (sizeof(Chunk) + BIG_ALIGN - 1) / BIG_ALIGN * BIG_ALIGN;
    Chunk *c = calloc(1, head + (mapped ? 0 : bytes) + BIG_ALIGN);
    if (!c)
        out_of_memory(bytes);
    uintptr_t start = ((uintptr_t)c + head + BIG_ALIGN - 1) / BIG_ALIGN * BIG_ALIGN;
    c->data = (unsigned char *)start;
    c->size = bytes;
    c->mapped = mapped;
    if (mapped)
        c->data = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (c->data == MAP_FAILED)
        out_of_memory(bytes);
    return c;
}

/* Large requests get a chunk of their own, placed behind the one being filled. */
static Chunk *add_chunk(Arena *arena, size_t bytes)
{
    if (bytes > SIZE_MAX / 2)
        out_of_memory(bytes);
    count_memory(bytes);
    Chunk *c = new_chunk(bytes);
    if (arena->chunks && bytes > CHUNK_BYTES / 4) {
        c->next = arena->chunks->next;
        arena->chunks->next = c;
    } else {
        c->next = arena->chunks;
        arena->chunks = c;
    }
    return c;
}

void *arena_alloc(Arena *arena, size_t bytes)
{
    size_t align = bytes >= BIG_ALIGN ? BIG_ALIGN : SMALL_ALIGN;
    Chunk *c = arena->chunks;
    if (bytes > CHUNK_BYTES / 4) {
        c = add_chunk(arena, bytes);
        c->used = bytes;
        return c->data;
    }
    size_t at = c ? (c->used + align - 1) / align * align : 0;
    if (!c || at > c->size || c->size - at < bytes) {
        c = add_chunk(arena, CHUNK_BYTES);
        if (arena->chunks != c) { /* it was placed second: it is the one to fill now */
            arena->chunks->next = c->next;
            c->next = arena->chunks;
            arena->chunks = c;
        }
        at = 0;
    }
    c->used = at + bytes;
    return c->data + at;
}

/* The chunk that is for itself, and has these bytes at its beginning; NULL: there is none. */
static Chunk *chunk_of(const Arena *arena, const void *data, size_t bytes)
{
    Chunk *c = bytes >= ARENA_LARGE ? arena->chunks : NULL;
    while (c && !(c->mapped && c->data == data && !c->released))
        c = c->next;
    return c;
}

/* What stood in these pages is gone, and the addresses stay taken, so that no other memory is found where it was. */
static void give_up(Chunk *c, size_t at, size_t bytes)
{
    madvise(c->data + at, bytes, MADV_DONTNEED);
    mprotect(c->data + at, bytes, PROT_NONE);
}

void rest_file(const MappedFile *file, const void *bytes, size_t n)
{
    const uintptr_t page = (uintptr_t)sysconf(_SC_PAGESIZE), start = (uintptr_t)bytes;
    const uintptr_t from = (start + page - 1) / page * page, to = (start + n) / page * page;
    if (file->mapped && from < to)
        madvise((void *)from, to - from, MADV_DONTNEED);
}

static void rest(const Arena *arena, const void *data, size_t bytes)
{
    for (const Mapping *m = arena->mappings; m; m = m->next)
        if ((const char *)data >= (const char *)m->data &&
            (const char *)data < (const char *)m->data + m->size)
            rest_file(&(MappedFile){.mapped = true}, data, bytes);
}

void arena_release(Arena *arena, const void *data, size_t bytes)
{
    Chunk *c = chunk_of(arena, data, bytes);
    if (!c) {
        rest(arena, data, bytes);
        return;
    }
    give_up(c, 0, c->size);
    c->released = true;
    memory.used -= c->size;
}

void arena_move(Arena *arena, void *to, const void *data, size_t bytes)
{
    Chunk *c = chunk_of(arena, data, bytes);
    for (size_t at = 0, n; at < bytes; at += n) {
        const char *from = (const char *)data + at;
        n = bytes - at > ARENA_LARGE ? ARENA_LARGE : bytes - at;
        memcpy((char *)to + at, from, n);
        if (c)
            give_up(c, at, n);
        else
            rest(arena, from, n);
    }
    if (!c)
        return;
    c->released = true;
    memory.used -= c->size;
}

void arena_adopt(Arena *arena, void *mapped, size_t bytes)
{
    Mapping *m = ARENA_NEW(arena, Mapping);
    *m = (Mapping){arena->mappings, mapped, bytes};
    arena->mappings = m;
}

void *arena_alloc_array(Arena *arena, size_t n, size_t size)
{
    size_t bytes;
    if (__builtin_mul_overflow(n, size, &bytes))
        out_of_memory(SIZE_MAX);
    return arena_alloc(arena, bytes);
}

void *arena_copy(Arena *arena, const void *src, size_t bytes)
{
    void *dst = arena_alloc(arena, bytes);
    if (bytes)
        memcpy(dst, src, bytes);
    return dst;
}

char *arena_strndup(Arena *arena, const char *s, size_t n)
{
    char *copy = arena_alloc(arena, n + 1);
    memcpy(copy, s, n);
    return copy;
}

char *arena_strdup(Arena *arena, const char *s)
{
    return arena_strndup(arena, s, strlen(s));
}

char *arena_upper(Arena *arena, const char *s)
{
    char *upper = arena_strdup(arena, s);
    for (char *c = upper; *c; c++)
        *c = (char)toupper((unsigned char)*c);
    return upper;
}

bool is_word_char(char c)
{
    return isalnum((unsigned char)c) || c == '_';
}

size_t word_length(const char *s)
{
    size_t n = 0;
    while (is_word_char(s[n]))
        n++;
    return n;
}

bool has_suffix(const char *s, const char *suffix)
{
    const size_t n = strlen(s), k = strlen(suffix);
    return n >= k && !strcmp(s + n - k, suffix);
}

char *arena_vprintf(Arena *arena, const char *fmt, va_list args)
{
    va_list again;
    va_copy(again, args);
    int n = vsnprintf(NULL, 0, fmt, args);
    if (n < 0)
        bug("bad format '%s'", fmt);
    char *s = arena_alloc(arena, (size_t)n + 1);
    vsnprintf(s, (size_t)n + 1, fmt, again);
    va_end(again);
    return s;
}

char *arena_printf(Arena *arena, const char *fmt, ...)
{
    va_list args;
    va_start(args, fmt);
    char *s = arena_vprintf(arena, fmt, args);
    va_end(args);
    return s;
}

void *arena_grow(Arena *arena, void *array, size_t n, size_t *cap, size_t size)
{
    if (n < *cap)
        return array;
    size_t wanted = *cap ? *cap * 2 : 16;
    void *grown = arena_alloc_array(arena, wanted, size);
    if (n)
        memcpy(grown, array, n * size);
    *cap = wanted;
    return grown;
}

bool mul_i64(int64_t a, int64_t b, int64_t *r)
{
    return !__builtin_mul_overflow(a, b, r);
}

bool add_i64(int64_t a, int64_t b, int64_t *r)
{
    return !__builtin_add_overflow(a, b, r);
}

bool refuse_at(Diag *diag, const char *place, const char *fmt, ...)
{
    va_list args;
    va_start(args, fmt);
    if (!diag->message) {
        const char *text = arena_vprintf(diag->arena, fmt, args);
        diag->message = place ? arena_printf(diag->arena, "%s: %s", place, text) : text;
    }
    va_end(args);
    return false;
}

bool refuse_at_place(Diag *diag, const char *path, const char *text, const char *at,
                     const char *what)
{
    size_t line = 1;
    const char *start = text;
    for (const char *c = text; c < at; c++)
        if (*c == '\n') {
            line++;
            start = c + 1;
        }
    return refuse(diag, "%s:%zu:%zu: %s", path, line, (size_t)(at - start) + 1, what);
}

_Noreturn void bug(const char *fmt, ...)
{
    va_list args;
    va_start(args, fmt);
    fputs("dnnlc: internal error: ", stderr);
    vfprintf(stderr, fmt, args);
    fputs("\nThis is a bug in dnnlc; please report it with the model.\n", stderr);
    va_end(args);
    abort();
}

Text text_new(Arena *arena)
{
    return (Text){.arena = arena, .data = arena_strdup(arena, "")};
}

void text_append(Text *t, const char *data, size_t n)
{
    if (t->cap - t->size <= n) {
        size_t cap = t->cap ? t->cap : 256;
        while (cap - t->size <= n)
            cap *= 2;
        char *grown = arena_alloc(t->arena, cap);
        memcpy(grown, t->data, t->size);
        t->data = grown;
        t->cap = cap;
    }
    memcpy(t->data + t->size, data, n);
    t->size += n;
    t->data[t->size] = 0;
}

void text_puts(Text *t, const char *s)
{
    text_append(t, s, strlen(s));
}

void text_printf(Text *t, const char *fmt, ...)
{
    char small[512];
    va_list args, again;
    va_start(args, fmt);
    va_copy(again, args);
    int n = vsnprintf(small, sizeof small, fmt, args);
    if (n < 0)
        bug("bad format '%s'", fmt);
    if ((size_t)n < sizeof small)
        text_append(t, small, (size_t)n);
    else
        text_puts(t, arena_vprintf(t->arena, fmt, again));
    va_end(again);
    va_end(args);
}

size_t count_lines(const char *text)
{
    size_t n = 0;
    for (; (text = strchr(text, '\n')); text++)
        n++;
    return n;
}

uint32_t *order_by_key(Arena *arena, const uint32_t *key, uint32_t n, uint32_t keys)
{
    uint32_t *place = ARENA_ARRAY(arena, uint32_t, (size_t)keys + 1),
             *order = ARENA_ARRAY(arena, uint32_t, n);
    for (uint32_t i = 0; i < n; i++) {
        if (key[i] >= keys)
            bug("key %u of %u is %u", i, n, key[i]);
        place[key[i] + 1]++;
    }
    for (uint32_t k = 0; k < keys; k++)
        place[k + 1] += place[k];
    for (uint32_t i = 0; i < n; i++)
        order[place[key[i]]++] = i;
    return order;
}
