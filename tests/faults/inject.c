/* Loaded before the C library (LD_PRELOAD): lets one call of those by which memory and files are had and made fail, or a signal come instead.
 *
 *   INJECT_CALL   calloc, malloc, mmap, open, read, write, openat, mkdir, mkdirat, renameat, renameat2, close: which function
 *   INJECT_AT     which of its calls, from 1 on; 0: none
 *   INJECT        "fail" (default): the call returns an error; "term", "kill": the process gets SIGTERM, SIGKILL just before it
 *   INJECT_COUNT  a file that gets the number of calls when the process ends
 */
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

static long calls;

/* Whether this call of `name` has to fail, with `error`. */
static int injected(const char *name, int error)
{
    const char *call = getenv("INJECT_CALL"), *at = getenv("INJECT_AT"), *how = getenv("INJECT");
    if (!call || strcmp(call, name) != 0 || ++calls != (at ? atol(at) : 0))
        return 0;
    if (how && !strcmp(how, "term"))
        return raise(SIGTERM) != 0;
    if (how && !strcmp(how, "kill"))
        return raise(SIGKILL) != 0;
    errno = error;
    return 1;
}

static __attribute__((destructor)) void tell_count(void)
{
    const char *path = getenv("INJECT_COUNT");
    FILE *f = path ? fopen(path, "w") : NULL;
    if (f && (fprintf(f, "%ld\n", calls) < 0 || fclose(f)))
        abort();
}

/* The C library's function of this name. */
#define NEXT(type) (__extension__(type) dlsym(RTLD_NEXT, __func__))

ssize_t write(int fd, const void *data, size_t n)
{
    typedef ssize_t (*Fn)(int, const void *, size_t);
    return fd > 2 && injected(__func__, ENOSPC) ? -1 : NEXT(Fn)(fd, data, n);
}

int open(const char *path, int flags, ...)
{
    typedef int (*Fn)(const char *, int, mode_t);
    va_list more;
    va_start(more, flags);
    const mode_t mode = flags & O_CREAT ? va_arg(more, mode_t) : 0;
    va_end(more);
    return injected(__func__, EMFILE) ? -1 : NEXT(Fn)(path, flags, mode);
}

ssize_t read(int fd, void *data, size_t n)
{
    typedef ssize_t (*Fn)(int, void *, size_t);
    return injected(__func__, EIO) ? -1 : NEXT(Fn)(fd, data, n);
}

void *mmap(void *at, size_t n, int access, int flags, int fd, off_t offset)
{
    typedef void *(*Fn)(void *, size_t, int, int, int, off_t);
    return injected(__func__, ENOMEM) ? MAP_FAILED : NEXT(Fn)(at, n, access, flags, fd, offset);
}

/* dlsym() allocates: these go on by the C library's other names. */
void *__libc_calloc(size_t n, size_t size);
void *__libc_malloc(size_t size);

void *calloc(size_t n, size_t size)
{
    return injected(__func__, ENOMEM) ? NULL : __libc_calloc(n, size);
}

void *malloc(size_t size)
{
    return injected(__func__, ENOMEM) ? NULL : __libc_malloc(size);
}

int close(int fd)
{
    typedef int (*Fn)(int);
    const int fails = injected(__func__, EIO), status = NEXT(Fn)(fd);
    if (fails)
        errno = EIO;
    return fails ? -1 : status;
}

int openat(int dir, const char *path, int flags, ...)
{
    typedef int (*Fn)(int, const char *, int, mode_t);
    va_list more;
    va_start(more, flags);
    const mode_t mode = flags & O_CREAT ? va_arg(more, mode_t) : 0;
    va_end(more);
    return injected(__func__, EMFILE) ? -1 : NEXT(Fn)(dir, path, flags, mode);
}

int mkdir(const char *path, mode_t mode)
{
    typedef int (*Fn)(const char *, mode_t);
    return injected(__func__, ENOSPC) ? -1 : NEXT(Fn)(path, mode);
}

int mkdirat(int dir, const char *path, mode_t mode)
{
    typedef int (*Fn)(int, const char *, mode_t);
    return injected(__func__, ENOSPC) ? -1 : NEXT(Fn)(dir, path, mode);
}

int renameat(int from_dir, const char *from, int to_dir, const char *to)
{
    typedef int (*Fn)(int, const char *, int, const char *);
    return injected(__func__, EIO) ? -1 : NEXT(Fn)(from_dir, from, to_dir, to);
}

int renameat2(int from_dir, const char *from, int to_dir, const char *to, unsigned flags)
{
    typedef int (*Fn)(int, const char *, int, const char *, unsigned);
    return injected(__func__, EIO) ? -1 : NEXT(Fn)(from_dir, from, to_dir, to, flags);
}
