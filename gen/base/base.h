/* What every file of the compiler may use: arena, overflow-checked sizes, the two ways to fail.
 *
 * The folder base: in comes nothing of the compiler, out go memory, text, refusals, element types, files, names, hashes and templates for
 * all of it. */
#pragma once

#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define DNNLC_VERSION "0.1.0"

#define COUNT_OF(a) (sizeof(a) / sizeof *(a))
#define PRINTF_LIKE(fmt, args) __attribute__((format(printf, fmt, args)))

/* An arena owns everything allocated from it until arena_free. Memory is zeroed and 64-byte aligned when
 * it is 64 bytes or more, 16-byte aligned otherwise. Running out of memory ends the process with a message
 * and status 1 (there is nothing half-written to clean: output is written last, by rename). */
typedef struct Arena Arena;
Arena *arena_new(void);
void arena_free(Arena *arena);
void *arena_alloc(Arena *arena, size_t bytes);
void *arena_copy(Arena *arena, const void *src, size_t bytes);
/* What arena_alloc gave for so many bytes is not needed any more. ARENA_LARGE bytes and more go back to the system, and reading there ends the process; of a
 * file that is mapped, the pages take no memory until they are read again; smaller memory stays. */
enum { ARENA_LARGE = 1 << 20 };
void arena_release(Arena *arena, const void *data, size_t bytes);
/* Copies it to another place, and releases each part as soon as it is copied. */
void arena_move(Arena *arena, void *to, const void *data, size_t bytes);
/* Memory of mmap() that is unmapped by arena_free. */
void arena_adopt(Arena *arena, void *mapped, size_t bytes);
char *arena_strdup(Arena *arena, const char *s);
char *arena_strndup(Arena *arena, const char *s, size_t n);
char *arena_upper(Arena *arena, const char *s); /* in capitals */
/* A letter, digit or underscore; how many of them a text begins with. */
bool is_word_char(char c);
size_t word_length(const char *s);
bool has_suffix(const char *s, const char *suffix);
char *arena_printf(Arena *arena, const char *fmt, ...) PRINTF_LIKE(2, 3);
char *arena_vprintf(Arena *arena, const char *fmt, va_list args);
#define ARENA_NEW(arena, T) ((T *)arena_alloc((arena), sizeof(T)))
#define ARENA_ARRAY(arena, T, n) ((T *)arena_alloc_array((arena), (n), sizeof(T)))
void *arena_alloc_array(Arena *arena, size_t n, size_t size);
/* Makes room for one more element in an arena array that has *cap elements of `size` bytes and n in use.
 * Returns the array, moved if it grew. */
void *arena_grow(Arena *arena, void *array, size_t n, size_t *cap, size_t size);
/* Appends an element to an arena array of n, which has place for cap; it may move. */
#define ARENA_PUSH(arena, array, n, cap, ...)                                                      \
    ((array) = arena_grow((arena), (array), (n), &(cap), sizeof *(array)),                         \
     (array)[(n)++] = __VA_ARGS__)

/* The most that all arenas together may hold, in bytes; 0: as much as there is. More ends the process as running out of memory does. */
void memory_limit(size_t bytes, bool fixed);
/* Raises the limit, unless it is fixed, by what may be taken for so many bytes of a model: 16 times as much, since four bits can become a float that is packed
 * for several algorithms. */
void memory_allow(size_t model_bytes);
/* And by constants that a model has others made of, such as one number in a large shape: by twice their size (themselves and packed), but never by more
 * than 1 GiB, since a small file can ask for any number of them. */
void memory_allow_made(size_t bytes);

/* The next multiple of a cache line, which is where buffers begin. */
static inline size_t align_up(size_t bytes)
{
    enum { LINE = 64 };
    return (bytes + LINE - 1) / LINE * LINE;
}

/* The numbers 0 to n - 1, those with smaller keys first, equal ones in their order; all keys are below `keys`. */
uint32_t *order_by_key(Arena *arena, const uint32_t *key, uint32_t n, uint32_t keys);

/* Overflow-checked arithmetic: false when the result does not fit. */
bool mul_i64(int64_t a, int64_t b, int64_t *r);
/* a / b, rounded up; both are positive. */
static inline int64_t divide_up(int64_t a, int64_t b)
{
    return (a + b - 1) / b;
}
/* The next multiple of b; both are positive. */
static inline int64_t round_up(int64_t a, int64_t b)
{
    return divide_up(a, b) * b;
}
bool add_i64(int64_t a, int64_t b, int64_t *r);

/* The user's mistake: the first refusal is kept, later ones are ignored. refuse() always returns false, so
 * that a function can `return refuse(diag, ...)`. The message has no newline and starts in lower case. */
typedef struct Diag {
    Arena *arena;
    const char *message; /* NULL until something is refused */
    const char **read;   /* the files that were opened for reading, each once */
    size_t n_read, cap_read;
} Diag;
#define refuse(diag, ...) refuse_at(diag, NULL, __VA_ARGS__)
/* The same, with "PLACE: " in front. */
bool refuse_at(Diag *diag, const char *place, const char *fmt, ...) PRINTF_LIKE(3, 4);
/* "path:line:column: what", for the place `at` in a file's text. */
bool refuse_at_place(Diag *diag, const char *path, const char *text, const char *at,
                     const char *what);

/* Our mistake: prints what was violated and aborts. */
_Noreturn void bug(const char *fmt, ...) PRINTF_LIKE(1, 2);

/* A growing text buffer in an arena; always NUL-terminated. */
typedef struct Text {
    Arena *arena;
    char *data;
    size_t size, cap;
} Text;
Text text_new(Arena *arena); /* "" */
void text_printf(Text *t, const char *fmt, ...) PRINTF_LIKE(2, 3);
void text_append(Text *t, const char *data, size_t n);
void text_puts(Text *t, const char *s);

/* Whole files. read_file: refuses directories and what cannot be read; the data has a NUL after it that is
 * not counted. write_file_if_changed: writes by temporary file and rename, leaves an equal file untouched. */
bool read_file(Arena *arena, const char *path, char **data, size_t *size, Diag *diag);
/* Makes the path one of diag->read: what the two readers here do, and what opens a file for reading without them. */
void note_read(Arena *arena, Diag *diag, const char *path);
/* A regular file's contents as memory, without a copy, for as long as the arena is there; not NUL-terminated. */
typedef struct MappedFile {
    const uint8_t *data; /* NULL if it is empty */
    size_t size;
    bool mapped; /* by map_file */
} MappedFile;
bool map_file(Arena *arena, const char *path, MappedFile *file, Diag *diag);
/* Bytes of the file that are not needed for now: they take no memory until they are read again. */
void rest_file(const MappedFile *file, const void *bytes, size_t n);
/* The regular file at `path`, seen from the folder `dir` (AT_FDCWD: the current one), has just these bytes. */
bool file_has_content(int dir, const char *path, const void *data, size_t size);
bool write_file_if_changed(const char *path, const void *data, size_t size, Diag *diag);

/* A stable 64-bit FNV-1a hash, and the FIPS 180-4 SHA-256 as 64 hex digits (for the manifest). */
uint64_t hash64(const void *data, size_t size, uint64_t seed);
void sha256_hex(const void *data, size_t size, char hex[65]);

/* Ends of lines in a text. */
size_t count_lines(const char *text);
