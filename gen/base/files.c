/* Whole files: read, and written only where they change. */
#include "base.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
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

void note_read(Arena *arena, Diag *diag, const char *path)
{
    for (size_t i = 0; i < diag->n_read; i++)
        if (!strcmp(diag->read[i], path))
            return;
    ARENA_PUSH(arena, diag->read, diag->n_read, diag->cap_read, arena_strdup(arena, path));
}

/* A regular file for reading, and its size; -1 after a refusal. A FIFO must not make the compiler wait for a writer. */
static int open_regular(const char *path, size_t *size, Diag *diag)
{
    struct stat st;
    const int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
    if (fd < 0) {
        refuse(diag, "%s: %s", path, strerror(errno));
        return -1;
    }
    if (!fstat(fd, &st) && S_ISREG(st.st_mode)) {
        *size = (size_t)st.st_size;
        return fd;
    }
    refuse(diag, "%s: %s", path, S_ISDIR(st.st_mode) ? "is a directory" : "is not a regular file");
    close(fd);
    return -1;
}

bool read_file(Arena *arena, const char *path, char **data, size_t *size, Diag *diag)
{
    size_t most;
    const int fd = open_regular(path, &most, diag);
    if (fd < 0)
        return false;
    note_read(arena, diag, path);
    *data = arena_alloc(arena, most + 1);
    const bool ok = read_all(fd, *data, most, size);
    const int error = errno;
    close(fd);
    return ok ? true : refuse(diag, "%s: %s", path, strerror(error));
}

bool map_file(Arena *arena, const char *path, MappedFile *file, Diag *diag)
{
    *file = (MappedFile){0};
    const int fd = open_regular(path, &file->size, diag);
    if (fd < 0)
        return false;
    note_read(arena, diag, path);
    void *data = file->size ? mmap(NULL, file->size, PROT_READ, MAP_PRIVATE, fd, 0) : NULL;
    const int error = errno;
    close(fd);
    if (data == MAP_FAILED)
        return refuse(diag, "%s: cannot be mapped: %s", path, strerror(error));
    if (data)
        arena_adopt(arena, data, file->size);
    file->data = data;
    file->mapped = true;
    return true;
}

bool file_has_content(int dir, const char *path, const void *data, size_t size)
{
    struct stat st;
    unsigned char have[8192];
    const unsigned char *want = data;
    size_t at = 0;
    const int fd = openat(dir, path, O_RDONLY | O_NONBLOCK | O_CLOEXEC);
    if (fd < 0)
        return false;
    const bool same_size = !fstat(fd, &st) && S_ISREG(st.st_mode) && (size_t)st.st_size == size;
    for (ssize_t n; same_size && at < size && (n = read(fd, have, sizeof have)) > 0;
         at += (size_t)n)
        if ((size_t)n > size - at || memcmp(have, want + at, (size_t)n) != 0)
            break;
    close(fd);
    return same_size && at == size;
}

bool write_file_if_changed(const char *path, const void *data, size_t size, Diag *diag)
{
    if (file_has_content(AT_FDCWD, path, data, size))
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
