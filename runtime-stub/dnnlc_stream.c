#define _XOPEN_SOURCE 700
#include "dnnlc_stream.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static bool is_standard(const char *path)
{
    return strcmp(path, "-") == 0;
}

static bool fail_errno(const char *name, char *why, size_t why_size)
{
    return dnnlc_fail(why, why_size, "%s: %s", name, strerror(errno));
}

/* --- reading --------------------------------------------------------------------------------------------- */

/* Reads until there are `size` bytes, or no more. */
static bool read_some(struct dnnlc_source *source, void *data, size_t size, size_t *got, char *why,
                      size_t why_size)
{
    for (*got = 0; *got < size;) {
        const size_t most = size - *got < SSIZE_MAX ? size - *got : SSIZE_MAX;
        const ssize_t n = read(source->fd, (char *)data + *got, most);
        if (n == 0)
            break;
        if (n < 0 && errno != EINTR)
            return fail_errno(source->name, why, why_size);
        *got += n > 0 ? (size_t)n : 0;
    }
    return true;
}

/* The size of what a regular file has from here on; false: it is none. */
static bool know_size(const struct dnnlc_source *source, size_t *size)
{
    struct stat status;
    const off_t at = lseek(source->fd, 0, SEEK_CUR);
    if (fstat(source->fd, &status) != 0 || !S_ISREG(status.st_mode) || at < 0)
        return false;
    *size = status.st_size > at ? (size_t)(status.st_size - at) : 0;
    return true;
}

/* Reads and parses what stands before the data, and leaves it, malloc'ed, in *header. */
static bool read_header(struct dnnlc_source *source, unsigned char **header, char *why,
                        size_t why_size)
{
    enum { MOST = 1 << 20 };
    unsigned char first[DNNLC_NPY_FIRST];
    char reason[512];
    size_t got, data, rest, size;
    if (!read_some(source, first, sizeof first, &got, why, why_size))
        return false;
    if (!dnnlc_npy_data_at(first, got, &data, reason, sizeof reason))
        return dnnlc_fail(why, why_size, "%s: %s", source->name, reason);
    if (data > MOST || data < sizeof first)
        return dnnlc_fail(why, why_size, "%s: a .npy header of %zu bytes", source->name, data);
    *header = malloc(data);
    if (!*header)
        return dnnlc_fail(why, why_size, "%s: no memory for its header", source->name);
    memcpy(*header, first, sizeof first);
    if (!read_some(source, *header + sizeof first, data - sizeof first, &rest, why, why_size))
        return false;
    if (!dnnlc_npy_describe(*header, got + rest, &source->npy, reason, sizeof reason) ||
        (source->is_alone && know_size(source, &size) &&
         !dnnlc_npy_holds(&source->npy, size, reason, sizeof reason)))
        return dnnlc_fail(why, why_size, "%s: %s", source->name, reason);
    source->left = source->npy.array.bytes;
    return true;
}

bool dnnlc_source_open(struct dnnlc_source *source, const char *path, char *why, size_t why_size)
{
    const bool standard = is_standard(path);
    *source = (struct dnnlc_source){.name = standard ? "standard input" : path};
    source->fd = standard ? STDIN_FILENO : open(path, O_RDONLY | O_CLOEXEC);
    if (source->fd < 0)
        return fail_errno(path, why, why_size);
    source->is_open = !standard;
    source->is_alone = true;
    unsigned char *header = NULL;
    size_t size;
    const bool done = read_header(source, &header, why, why_size);
    source->placed = done && !standard && know_size(source, &size);
    free(header);
    if (!done)
        return false;
    return !source->npy.fortran ||
           dnnlc_fail(why, why_size,
                      "%s: is in Fortran's order, in which no row is in one piece; "
                      "numpy.ascontiguousarray() makes C's order",
                      source->name);
}

/* What the data lacks. */
static bool fail_short(const struct dnnlc_source *source, size_t size, char *why, size_t why_size)
{
    return dnnlc_fail(why, why_size, "%s: ends after %zu of %zu bytes of data", source->name, size,
                      source->npy.array.bytes);
}

/* The same of a file that nobody else moves about in: where `at` of the data is. */
static bool read_placed(const struct dnnlc_source *source, size_t at, void *data, size_t bytes,
                        char *why, size_t why_size)
{
    for (size_t got = 0; got < bytes;) {
        const size_t most = bytes - got < SSIZE_MAX ? bytes - got : SSIZE_MAX;
        const ssize_t n =
            pread(source->fd, (char *)data + got, most, (off_t)(source->npy.data + at + got));
        if (n == 0)
            return fail_short(source, at + got, why, why_size);
        if (n < 0 && errno != EINTR)
            return fail_errno(source->name, why, why_size);
        got += n > 0 ? (size_t)n : 0;
    }
    return true;
}

static bool read_next(struct dnnlc_source *source, void *data, size_t bytes, char *why,
                      size_t why_size)
{
    size_t got;
    if (!read_some(source, data, bytes, &got, why, why_size))
        return false;
    if (got < bytes)
        return fail_short(source, source->npy.array.bytes - source->left + got, why, why_size);
    source->left -= bytes;
    return true;
}

bool dnnlc_source_read(struct dnnlc_source *source, size_t at, void *data, size_t bytes, char *why,
                       size_t why_size)
{
    if (!(source->placed ? read_placed(source, at, data, bytes, why, why_size)
                         : read_next(source, data, bytes, why, why_size)))
        return false;
    if (source->npy.swapped)
        dnnlc_npy_swap(data, bytes / source->npy.element, source->npy.element);
    struct dnnlc_array piece = {
        .dtype = source->npy.array.dtype, .count = bytes, .bytes = bytes, .data = data};
    dnnlc_array_normalise(&piece);
    return true;
}

static const struct dnnlc_source standard_input = {.name = "standard input", .fd = STDIN_FILENO};

bool dnnlc_stdin_array(struct dnnlc_array *array, char *why, size_t why_size)
{
    struct dnnlc_source source = standard_input;
    unsigned char *header = NULL, *all = NULL;
    char reason[512];
    size_t got = 0;
    bool done = read_header(&source, &header, why, why_size);
    const size_t before = source.npy.data, size = done ? before + source.left : 0;
    if (done && !(all = realloc(header, size)))
        done = dnnlc_fail(why, why_size, "%s: no memory for %zu bytes", source.name, size);
    done = done && read_some(&source, all + before, source.left, &got, why, why_size);
    if (done && got < source.left)
        done = fail_short(&source, got, why, why_size);
    if (done && !dnnlc_npy_parse(all, size, array, reason, sizeof reason))
        done = dnnlc_fail(why, why_size, "%s: %s", source.name, reason);
    free(all ? all : header);
    return done;
}

bool dnnlc_stdin_end(char *why, size_t why_size)
{
    struct dnnlc_source source = standard_input;
    char behind;
    size_t got;
    return read_some(&source, &behind, 1, &got, why, why_size) &&
           (got == 0 ||
            dnnlc_fail(why, why_size, "%s: more stands behind the last input", source.name));
}

bool dnnlc_source_skip(struct dnnlc_source *source, size_t bytes, char *why, size_t why_size)
{
    enum { PIECE = 1 << 14 };
    char piece[PIECE];
    size_t size, got;
    if (know_size(source, &size) && size >= bytes && bytes <= LONG_MAX &&
        lseek(source->fd, (off_t)bytes, SEEK_CUR) >= 0) {
        source->left -= bytes;
        return true;
    }
    for (; bytes > 0; bytes -= got, source->left -= got) {
        if (!read_some(source, piece, bytes < PIECE ? bytes : PIECE, &got, why, why_size))
            return false;
        if (got == 0)
            return fail_short(source, source->npy.array.bytes - source->left, why, why_size);
    }
    return true;
}

bool dnnlc_source_end(struct dnnlc_source *source, char *why, size_t why_size)
{
    char behind;
    size_t got;
    return dnnlc_source_skip(source, source->left, why, why_size) &&
           read_some(source, &behind, 1, &got, why, why_size) &&
           (got == 0 || dnnlc_fail(why, why_size, "%s: more stands behind the %zu bytes of data",
                                   source->name, source->npy.array.bytes));
}

void dnnlc_source_close(struct dnnlc_source *source)
{
    if (source->is_open)
        close(source->fd);
    source->is_open = false;
}

/* --- writing --------------------------------------------------------------------------------------------- */

/* A device or a pipe is written to, not replaced by a file. */
static bool is_special(const char *path)
{
    struct stat status;
    return stat(path, &status) == 0 && !S_ISREG(status.st_mode);
}

bool dnnlc_new_open(const char *path, size_t number, int *fd, char **temporary, char *why,
                    size_t why_size)
{
    const size_t size = strlen(path) + 48;
    *temporary = NULL;
    if (is_special(path)) {
        *fd = open(path, O_WRONLY | O_CLOEXEC);
        return *fd >= 0 || fail_errno(path, why, why_size);
    }
    char *name = malloc(size);
    if (!name)
        return dnnlc_fail(why, why_size, "%s: no memory", path);
    snprintf(name, size, "%s.%ld.%zu.tmp", path, (long)getpid(), number);
    unlink(name); /* left by a process of the same number that was killed */
    *fd = open(name, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
    if (*fd >= 0) {
        *temporary = name;
        return true;
    }
    fail_errno(path, why, why_size);
    free(name);
    return false;
}

bool dnnlc_sink_open(struct dnnlc_sink *sink, const char *path, size_t number,
                     const struct dnnlc_array *array, char *why, size_t why_size)
{
    char header[DNNLC_NPY_HEADER_MAX];
    *sink = (struct dnnlc_sink){.path = path, .fd = -1};
    signal(SIGPIPE, SIG_IGN); /* what cannot be written any more … */
    signal(SIGXFSZ, SIG_IGN); /* … or is too large for a limit, write() says */
    sink->name = path;
    if (is_standard(path)) {
        sink->name = "standard output";
        sink->fd = STDOUT_FILENO;
    } else if (!dnnlc_new_open(path, number, &sink->fd, &sink->temporary, why, why_size)) {
        return false;
    } else {
        sink->is_open = true;
    }
    const size_t length = dnnlc_npy_header(array, header);
    if (!dnnlc_sink_write(sink, 0, header, length, why, why_size))
        return false;
    sink->header = length;
    return true;
}

bool dnnlc_sink_write(struct dnnlc_sink *sink, size_t at, const void *data, size_t bytes, char *why,
                      size_t why_size)
{
    const bool placed = sink->temporary != NULL;
    const char *from = data;
    for (at += sink->header; bytes > 0;) {
        const size_t most = bytes < SSIZE_MAX ? bytes : SSIZE_MAX;
        const ssize_t put =
            placed ? pwrite(sink->fd, from, most, (off_t)at) : write(sink->fd, from, most);
        if (put < 0 && errno == EINTR)
            continue;
        if (put < 0)
            return fail_errno(sink->name, why, why_size);
        from += put;
        at += (size_t)put;
        bytes -= (size_t)put;
        if (!placed) /* by one thread at a time */
            sink->sent += (size_t)put;
    }
    return true;
}

bool dnnlc_stdout_array(const struct dnnlc_array *array, char *why, size_t why_size)
{
    struct dnnlc_sink sink;
    char reason[512];
    return (dnnlc_sink_open(&sink, "-", 0, array, reason, sizeof reason) &&
            dnnlc_sink_write(&sink, 0, array->data, array->bytes, reason, sizeof reason)) ||
           dnnlc_fail(why, why_size, "%s, after %zu bytes of data", reason,
                      sink.sent - sink.header);
}

bool dnnlc_sink_finish(struct dnnlc_sink *sink, char *why, size_t why_size)
{
    const bool closes = sink->is_open;
    sink->is_open = false;
    if (closes && close(sink->fd) != 0)
        return fail_errno(sink->name, why, why_size);
    if (!sink->temporary)
        return true;
    if (rename(sink->temporary, sink->path) != 0)
        return fail_errno(sink->name, why, why_size);
    char *temporary = sink->temporary;
    sink->temporary = NULL; /* a signal may come */
    free(temporary);
    return true;
}

void dnnlc_sink_drop(struct dnnlc_sink *sink)
{
    char *temporary = sink->temporary;
    if (sink->is_open)
        close(sink->fd);
    sink->is_open = false;
    if (temporary)
        unlink(temporary);
    sink->temporary = NULL;
    free(temporary);
}

/* There is one process: what its handler of signals looks at. */
static struct {
    struct dnnlc_sink *volatile sinks;
    volatile size_t count;
} guarded;

static void remove_and_end(int signal_number)
{
    for (size_t k = 0; k < guarded.count; k++)
        if (guarded.sinks[k].temporary)
            unlink(guarded.sinks[k].temporary);
    signal(signal_number, SIG_DFL);
    raise(signal_number);
}

void dnnlc_sinks_guard(struct dnnlc_sink *sinks, size_t count)
{
    static const int ends[] = {SIGHUP, SIGINT, SIGTERM};
    guarded.count = 0;
    guarded.sinks = sinks;
    guarded.count = count;
    for (size_t k = 0; k < sizeof ends / sizeof *ends; k++) {
        struct sigaction was;
        const struct sigaction ours = {.sa_handler = count ? remove_and_end : SIG_DFL};
        if (sigaction(ends[k], NULL, &was) == 0 && was.sa_handler != SIG_IGN)
            sigaction(ends[k], &ours, NULL);
    }
}
