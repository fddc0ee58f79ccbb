/* Whole files: read, and written only where they change. */
#include "base.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static bool read_all(int fd, char *data, size_t size, size_t *got)
{
    for (*got = 0; *got < size;) {
        ssize_t n = read(fd, data + *got, size - *got);
        if (n < 0 && errno == EINTR)
            continue;
        if (n < 0)
            return false;
        if (n == 0)
            break;
        *got += (size_t)n;
    }
    return true;
}

bool read_file(Arena *arena, const char *path, char **data, size_t *size, Diag *diag)
{
    struct stat st;
    int fd = open(path, O_RDONLY | O_CLOEXEC);
    if (fd < 0)
        return refuse(diag, "%s: %s", path, strerror(errno));
    if (fstat(fd, &st) || !S_ISREG(st.st_mode)) {
        close(fd);
        return refuse(diag, "%s: not a regular file", path);
    }
    *data = arena_alloc(arena, (size_t)st.st_size + 1);
    bool ok = read_all(fd, *data, (size_t)st.st_size, size);
    int error = errno;
    close(fd);
    return ok ? true : refuse(diag, "%s: %s", path, strerror(error));
}

static bool same_content(const char *path, const void *data, size_t size)
{
    struct stat st;
    if (stat(path, &st) || !S_ISREG(st.st_mode) || (size_t)st.st_size != size)
        return false;
    FILE *f = fopen(path, "rb");
    if (!f)
        return false;
    const unsigned char *want = data;
    unsigned char have[8192];
    size_t at = 0, n;
    while ((n = fread(have, 1, sizeof have, f)) > 0 && at + n <= size &&
           !memcmp(have, want + at, n))
        at += n;
    fclose(f);
    return at == size;
}

bool write_file_if_changed(const char *path, const void *data, size_t size, Diag *diag)
{
    if (same_content(path, data, size))
        return true;
    char *temporary = arena_printf(diag->arena, "%s.%ld.tmp", path, (long)getpid());
    FILE *f = fopen(temporary, "wb");
    if (!f)
        return refuse(diag, "%s: %s", path, strerror(errno));
    bool ok = fwrite(data, 1, size, f) == size;
    ok = !fclose(f) && ok;
    if (ok && !rename(temporary, path))
        return true;
    int error = errno;
    remove(temporary);
    return refuse(diag, "%s: %s", path, strerror(error));
}
