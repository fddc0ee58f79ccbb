/* The cache of measured times: lines "KEY<tab>NANOSECONDS" below a first line with the format's name. Anybody may have
 * written it: a line that does not look like one of ours is skipped, and dropped at the next write. */
#include "tune.h"
#include "../base/progress.h"

#include "../dnnl/words.h"

#if defined(__x86_64__)
#include <cpuid.h>
#endif
#include <errno.h>
#include <fcntl.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

static const char head[] = "dnnlc-tune 1\n";
enum { MAX_FILE = 8 << 20, MAX_KEY = 1000, MAX_ROWS = 20000 };

typedef struct Row {
    const char *key;
    uint64_t hash; /* so that most of the many rows of other machines need no comparison */
    double ns;
    int rounds; /* in which this process has measured it; 0: it was in the file */
    bool used;
} Row;

struct Tune {
    Arena *arena;
    const char *folder;  /* NULL: there is no home */
    const char *machine; /* what all keys of this process begin with */
    Text notes;
    double until;
    int round;
    Row *row;
    size_t n, cap;
};

static Row *find_time(const Tune *t, const char *key)
{
    const uint64_t hash = hash64(key, strlen(key), 0);
    for (size_t i = 0; i < t->n; i++)
        if (t->row[i].hash == hash && !strcmp(t->row[i].key, key))
            return &t->row[i];
    return NULL;
}

static void put(Tune *t, const char *key, double ns, int rounds)
{
    ARENA_PUSH(t->arena, t->row, t->n, t->cap,
               (Row){key, hash64(key, strlen(key), 0), ns, rounds, rounds > 0});
}

static bool key_is_good(const char *key, size_t size)
{
    for (size_t i = 0; i < size; i++)
        if (key[i] < ' ' || key[i] > '~')
            return false;
    return size > 0 && size <= MAX_KEY;
}

/* Digits and what else "%.6g" prints: no hexadecimal numbers, no infinity. */
static bool parse_time(const char *text, size_t size, double *ns)
{
    char copy[32], *end;
    if (size == 0 || size >= sizeof copy || strspn(text, "0123456789.e+-") < size)
        return false;
    memcpy(copy, text, size);
    copy[size] = 0;
    *ns = strtod(copy, &end);
    return *end == 0 && isfinite(*ns) && *ns > 0 && *ns < 1e15;
}

static void read_line(Tune *t, const char *line, size_t size)
{
    double ns;
    const char *tab = memchr(line, '\t', size);
    size_t key = tab ? (size_t)(tab - line) : 0;
    if (t->n >= MAX_ROWS || !key_is_good(line, key) || !parse_time(tab + 1, size - key - 1, &ns))
        return;
    const char *name = arena_strndup(t->arena, line, key);
    if (!find_time(t, name))
        put(t, name, ns, 0);
}

static const char *path_of(const Tune *t)
{
    return arena_printf(t->arena, "%s/tune", t->folder);
}

/* A pipe or device under that name is not opened for long: O_NONBLOCK, and then it is no regular file. */
static void read_rows(Tune *t)
{
    struct stat st;
    int fd = open(path_of(t), O_RDONLY | O_CLOEXEC | O_NONBLOCK);
    if (fd < 0)
        return;
    if (!fstat(fd, &st) && S_ISREG(st.st_mode) && st.st_size >= (off_t)(sizeof head - 1) &&
        st.st_size <= MAX_FILE) {
        size_t size = (size_t)st.st_size, got = 0;
        char *data = arena_alloc(t->arena, size + 1);
        for (ssize_t n; got < size && (n = read(fd, data + got, size - got)) > 0;)
            got += (size_t)n;
        if (got >= sizeof head - 1 && !memcmp(data, head, sizeof head - 1))
            for (char *line = data + sizeof head - 1, *end;
                 (end = memchr(line, '\n', (size_t)(data + got - line))); line = end + 1)
                read_line(t, line, (size_t)(end - line));
    }
    close(fd);
}

const char *tune_cpu(Arena *arena)
{
    char brand[49] = "";
#if defined(__x86_64__)
    unsigned r[12];
    bool known = true;
    for (unsigned i = 0; i < 3; i++)
        known = known &&
                __get_cpuid(0x80000002 + i, &r[4 * i], &r[4 * i + 1], &r[4 * i + 2], &r[4 * i + 3]);
    if (known)
        memcpy(brand, r, 48);
#endif
    for (char *c = brand; *c; c++)
        if (*c < ' ' || *c > '~')
            *c = '?';
    const char *start = brand + strspn(brand, " ");
    return *start ? arena_strdup(arena, start) : "unknown CPU";
}

const char *tune_folder(Arena *arena)
{
    const char *cache = getenv("XDG_CACHE_HOME"), *home = getenv("HOME");
    if (cache && *cache == '/') /* the specification: relative paths are to be ignored */
        return arena_printf(arena, "%s/dnnlc", cache);
    return home && *home ? arena_printf(arena, "%s/.cache/dnnlc", home) : NULL;
}

Tune *tune_open(Arena *arena, const char *isa, int threads)
{
    Tune *t = ARENA_NEW(arena, Tune);
    t->arena = arena;
    t->machine = arena_printf(arena, "oneDNN %s, %s, %s, %d threads", ONEDNN_VERSION_TEXT,
                              tune_cpu(arena), isa, threads);
    t->notes = text_new(arena);
    t->until = INFINITY;
    t->round = 1;
    t->folder = tune_folder(arena);
    if (t->folder)
        read_rows(t);
    return t;
}

static const char *full_key(const Tune *t, const char *key)
{
    return arena_printf(t->arena, "%s: %s", t->machine, key);
}

bool tune_find(const Tune *t, const char *key, double *ns)
{
    Row *row = find_time(t, full_key(t, key));
    if (!row || (row->rounds > 0 && row->rounds < t->round && tune_may_measure(t)))
        return false;
    row->used = true;
    *ns = row->ns;
    return true;
}

void tune_add(Tune *t, const char *key, double *ns)
{
    char text[32];
    progress_at(0, 0); /* a measurement is done */
    key = full_key(t, key);
    Row *row = find_time(t, key);
    snprintf(text, sizeof text, "%.6g", row && row->ns < *ns ? row->ns : *ns);
    *ns = strtod(text, NULL);
    if (row) {
        row->ns = *ns;
        row->rounds++;
    } else if (key_is_good(key, strlen(key)))
        put(t, key, *ns, 1);
}

void tune_round(Tune *t, int round)
{
    t->round = round;
}

void tune_until(Tune *t, double seconds)
{
    t->until = seconds;
}

bool tune_may_measure(const Tune *t)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec + (double)now.tv_nsec * 1e-9 < t->until;
}

void tune_count(const Tune *t, size_t *measured, size_t *found)
{
    *measured = *found = 0;
    for (size_t i = 0; i < t->n; i++) {
        *measured += t->row[i].rounds > 0;
        *found += t->row[i].used && t->row[i].rounds == 0;
    }
}

bool tune_make_folders(const char *path, Arena *arena)
{
    char *copy = arena_strdup(arena, path);
    for (char *c = copy + 1; *c; c++)
        if (*c == '/') {
            *c = 0;
            if (mkdir(copy, 0777) && errno != EEXIST)
                return false;
            *c = '/';
        }
    return !mkdir(copy, 0777) || errno == EEXIST;
}

bool tune_save(Tune *t, const char **why)
{
    bool added = false;
    for (size_t i = 0; i < t->n; i++)
        added = added || t->row[i].rounds > 0;
    if (!added)
        return true;
    *why = "there is no home folder";
    if (!t->folder)
        return false;
    read_rows(t); /* what others wrote since; equal keys stay as they are here */
    Diag diag = {.arena = t->arena};
    Text out = text_new(t->arena);
    text_puts(&out, head);
    for (size_t i = 0; i < t->n; i++)
        text_printf(&out, "%s\t%.6g\n", t->row[i].key, t->row[i].ns);
    if (tune_make_folders(t->folder, t->arena) &&
        write_file_if_changed(path_of(t), out.data, out.size, &diag))
        return true;
    *why = diag.message ? diag.message : strerror(errno);
    return false;
}

Text *tune_notes(Tune *t)
{
    return &t->notes;
}
