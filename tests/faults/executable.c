/* Linked into an emitted executable: one call of those that can fail does so. The linker puts these functions in the place of the C
 * library's (--wrap), also for the C++ library and oneDNN. SPDX-License-Identifier: Apache-2.0
 *
 *   INJECT_CALL    alloc (malloc and its like), map (mmap, mprotect), open, fstat, read, write, close, rename, mkdir: which kind
 *   INJECT_AT      which of its calls, from 1 on; 0: none
 *   INJECT_COUNT   a file that gets the number of calls when the process ends
 */
#define _GNU_SOURCE
#include "wrap.h"

#include <errno.h>
#include <fcntl.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

static long calls, fails_at;
static const char *kind;

/* The process may end without what exit does. */
static __attribute__((destructor)) void tell_count(void)
{
    const char *path = getenv("INJECT_COUNT");
    const long n = calls;
    kind = NULL;
    FILE *f = path ? fopen(path, "w") : NULL;
    if (f && (fprintf(f, "%ld\n", n) < 0 || fclose(f)))
        abort();
}

static __attribute__((constructor)) void choose(void)
{
    const char *at = getenv("INJECT_AT");
    kind = getenv("INJECT_CALL");
    fails_at = at ? atol(at) : 0;
    if (at_quick_exit(tell_count))
        abort();
}

static bool fails(const char *call, int error)
{
    if (!kind || in_openmp || strcmp(kind, call) != 0 || ++calls != fails_at)
        return false;
    errno = error;
    return true;
}

WRAP(void *, malloc, size_t size)
{
    return fails("alloc", ENOMEM) ? NULL : __real_malloc(size);
}

WRAP(void *, calloc, size_t n, size_t size)
{
    return fails("alloc", ENOMEM) ? NULL : __real_calloc(n, size);
}

WRAP(void *, realloc, void *old, size_t size)
{
    return fails("alloc", ENOMEM) ? NULL : __real_realloc(old, size);
}

WRAP(void *, aligned_alloc, size_t align, size_t size)
{
    return fails("alloc", ENOMEM) ? NULL : __real_aligned_alloc(align, size);
}

WRAP(int, posix_memalign, void **p, size_t align, size_t size)
{
    return fails("alloc", ENOMEM) ? ENOMEM : __real_posix_memalign(p, align, size);
}

WRAP(void *, mmap, void *at, size_t size, int access, int flags, int fd, off_t offset)
{
    return fails("map", ENOMEM) ? MAP_FAILED : __real_mmap(at, size, access, flags, fd, offset);
}

WRAP(int, mprotect, void *p, size_t size, int access)
{
    return fails("map", ENOMEM) ? -1 : __real_mprotect(p, size, access);
}

WRAP(int, open, const char *path, int flags, ...)
{
    va_list more;
    va_start(more, flags);
    const mode_t mode = flags & O_CREAT ? va_arg(more, mode_t) : 0;
    va_end(more);
    return fails("open", EMFILE) ? -1 : __real_open(path, flags, mode);
}

WRAP(int, fstat, int fd, struct stat *status)
{
    return fails("fstat", EIO) ? -1 : __real_fstat(fd, status);
}

WRAP(ssize_t, read, int fd, void *data, size_t n)
{
    return fails("read", EIO) ? -1 : __real_read(fd, data, n);
}

WRAP(ssize_t, write, int fd, const void *data, size_t n)
{
    return fd > 2 && fails("write", ENOSPC) ? -1 : __real_write(fd, data, n);
}

WRAP(int, close, int fd)
{
    const bool failed = fails("close", EIO);
    const int status = __real_close(fd);
    if (failed)
        errno = EIO;
    return failed ? -1 : status;
}

WRAP(int, rename, const char *from, const char *to)
{
    return fails("rename", ENOSPC) ? -1 : __real_rename(from, to);
}

WRAP(int, mkdir, const char *path, mode_t mode)
{
    return fails("mkdir", ENOSPC) ? -1 : __real_mkdir(path, mode);
}
