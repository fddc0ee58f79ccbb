#define _POSIX_C_SOURCE 200809L
#include "dnnlc_file.h"

#include "dnnlc_npy.h"
#include "dnnlc_pb.h"
#include "dnnlc_stream.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

static bool fail_errno(const char *path, char *why, size_t why_size)
{
    return dnnlc_fail(why, why_size, "%s: %s", path, strerror(errno));
}

/* Opens a regular file and finds its size; O_NONBLOCK keeps a FIFO from blocking before it is
 * refused. Returns a descriptor, or -1. */
static int open_regular(const char *path, size_t *size, char *why, size_t why_size)
{
    struct stat status;
    int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
    if (fd < 0 || fstat(fd, &status) != 0) {
        fail_errno(path, why, why_size);
    } else if (!S_ISREG(status.st_mode)) {
        dnnlc_fail(why, why_size, "%s: not a regular file", path);
    } else {
        *size = (size_t)status.st_size;
        return fd;
    }
    if (fd >= 0)
        close(fd);
    return -1;
}

static bool read_all(int fd, char *data, size_t size)
{
    while (size > 0) {
        ssize_t got = read(fd, data, size);
        if (got < 0 && errno == EINTR)
            continue;
        if (got <= 0) {
            if (got == 0)
                errno = EIO; /* the file shrank while it was read */
            return false;
        }
        data += got;
        size -= (size_t)got;
    }
    return true;
}

bool dnnlc_file_read(const char *path, struct dnnlc_bytes *bytes, char *why, size_t why_size)
{
    size_t size;
    int fd = open_regular(path, &size, why, why_size);
    if (fd < 0)
        return false;
    char *data = malloc(size ? size : 1);
    bool done = data && read_all(fd, data, size);
    if (!data)
        dnnlc_fail(why, why_size, "%s: no memory for %zu bytes", path, size);
    else if (!done)
        fail_errno(path, why, why_size);
    close(fd);
    if (done)
        *bytes = (struct dnnlc_bytes){data, size};
    else
        free(data);
    return done;
}

bool dnnlc_file_map(const char *path, struct dnnlc_bytes *bytes, char *why, size_t why_size)
{
    size_t size;
    int fd = open_regular(path, &size, why, why_size);
    if (fd < 0)
        return false;
    void *data = size ? mmap(NULL, size, PROT_READ, MAP_PRIVATE, fd, 0) : MAP_FAILED;
    if (size == 0)
        dnnlc_fail(why, why_size, "%s: the file is empty", path);
    else if (data == MAP_FAILED)
        fail_errno(path, why, why_size);
    else
        *bytes = (struct dnnlc_bytes){data, size};
    close(fd);
    return data != MAP_FAILED;
}

static bool has_suffix(const char *path, const char *suffix)
{
    size_t length = strlen(path), tail = strlen(suffix);
    return length > tail && strcmp(path + length - tail, suffix) == 0;
}

bool dnnlc_arrays_read(const char *path, struct dnnlc_arrays *list, char *why, size_t why_size)
{
    struct dnnlc_array array;
    char reason[256];
    bool npy = has_suffix(path, ".npy");
    struct dnnlc_bytes file;
    if (strcmp(path, "-") == 0)
        return dnnlc_stdin_array(&array, why, why_size) &&
               dnnlc_arrays_add(list, &array, why, why_size);
    if (!npy && !has_suffix(path, ".pb"))
        return dnnlc_fail(why, why_size, "%s: neither a .npy nor a .pb file, by its name", path);
    if (!dnnlc_file_read(path, &file, why, why_size))
        return false;
    bool done = npy ? dnnlc_npy_parse(file.data, file.size, &array, reason, sizeof reason) &&
                          dnnlc_arrays_add(list, &array, reason, sizeof reason)
                    : dnnlc_pb_parse_all(file.data, file.size, list, reason, sizeof reason);
    free(file.data);
    return done || dnnlc_fail(why, why_size, "%s: %s", path, reason);
}

bool dnnlc_array_read(const char *path, struct dnnlc_array *array, char *why, size_t why_size)
{
    struct dnnlc_arrays read = {0};
    bool done = dnnlc_arrays_read(path, &read, why, why_size);
    if (done && read.count != 1)
        done = dnnlc_fail(why, why_size, "%s: holds %zu tensors, not one", path, read.count);
    if (done) {
        *array = read.arrays[0];
        read.arrays[0] = (struct dnnlc_array){0};
    }
    dnnlc_arrays_free(&read, 0);
    return done;
}

static bool write_all(int fd, const char *data, size_t size)
{
    while (size > 0) {
        ssize_t put = write(fd, data, size);
        if (put < 0 && errno == EINTR)
            continue;
        if (put < 0)
            return false;
        data += put;
        size -= (size_t)put;
    }
    return true;
}

/* Two parts, one behind the other. Leaves errno as the first failure set it. */
static bool write_parts(int fd, const struct dnnlc_bytes parts[2])
{
    bool done =
        write_all(fd, parts[0].data, parts[0].size) && write_all(fd, parts[1].data, parts[1].size);
    int error = errno;
    if (close(fd) != 0 && done) {
        error = errno;
        done = false;
    }
    errno = error;
    return done;
}

static bool replace(const char *path, const struct dnnlc_bytes parts[2], char *why, size_t why_size)
{
    char *temporary;
    int fd;
    if (!dnnlc_new_open(path, 0, &fd, &temporary, why, why_size))
        return false;
    bool done = write_parts(fd, parts) && (!temporary || rename(temporary, path) == 0);
    if (!done)
        fail_errno(path, why, why_size);
    if (!done && temporary)
        unlink(temporary);
    free(temporary);
    return done;
}

bool dnnlc_file_write(const char *path, const struct dnnlc_bytes *bytes, char *why, size_t why_size)
{
    const struct dnnlc_bytes parts[2] = {*bytes, {NULL, 0}};
    return replace(path, parts, why, why_size);
}

bool dnnlc_array_write(const char *path, const struct dnnlc_array *array, char *why,
                       size_t why_size)
{
    if (strcmp(path, "-") == 0)
        return dnnlc_stdout_array(array, why, why_size);
    char header[DNNLC_NPY_HEADER_MAX];
    const struct dnnlc_bytes parts[2] = {{header, dnnlc_npy_header(array, header)},
                                         {array->data, array->bytes}};
    return replace(path, parts, why, why_size);
}
