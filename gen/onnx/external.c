/* Tensors stored in files beside the model. The location comes from the model, which nobody vouches for: it must
 * stay inside the model's folder, also after symbolic links. */
#include "node.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

typedef struct ExternalFile {
    struct ExternalFile *next;
    const char *location;
    const char *fault; /* NULL: none; why nothing can be read of it, for all that name it */
    const uint8_t *data;
    size_t size, charged; /* bytes; how many of them initialisers have taken */
} ExternalFile;

typedef struct Request {
    Import *im;
    const char *where, *location;
    uint64_t offset, length;
    bool has_length;
} Request;

static bool refuse_external(const Request *r, const char *why)
{
    return refuse_graph(r->im->g, "%s: external file '%s' %s", r->where, r->location, why);
}

static bool parse_number(const char *text, uint64_t *value)
{
    *value = 0;
    if (!*text)
        return false;
    for (; *text; text++)
        if (*text < '0' || *text > '9' || __builtin_mul_overflow(*value, 10, value) ||
            __builtin_add_overflow(*value, (uint64_t)(*text - '0'), value))
            return false;
    return true;
}

static bool is_printable(const char *text)
{
    for (; *text; text++)
        if ((unsigned char)*text < 0x20 || *text == 0x7f)
            return false;
    return true;
}

static bool read_request(Import *im, const Onnx__TensorProto *t, const char *where, Request *r)
{
    *r = (Request){.im = im, .where = where, .location = ""};
    for (size_t i = 0; i < t->n_external_data; i++) {
        const char *key = t->external_data[i]->key, *value = t->external_data[i]->value;
        if (!strcmp(key, "location") && !is_printable(value))
            return refuse_external(r, "has a control character in its name");
        if (!strcmp(key, "location"))
            r->location = value;
        if (!strcmp(key, "offset") && !parse_number(value, &r->offset))
            return refuse_external(r, "has an invalid offset");
        if (!strcmp(key, "length") && !parse_number(value, &r->length))
            return refuse_external(r, "has an invalid length");
        r->has_length |= !strcmp(key, "length");
    }
    return true;
}

/* What is wrong with the file as a whole. */
static const char *fault_of(const Request *r, const char *why)
{
    return arena_printf(r->im->g->arena, "external file '%s' %s; %s is the first to name it",
                        r->location, why, r->where);
}

/* Relative, no ".." and, with all links resolved, inside the folder. NULL, or the fault. */
static const char *resolve(const Request *r, char path[PATH_MAX])
{
    char folder[PATH_MAX];
    Arena *arena = r->im->g->arena;
    const char *slash = strrchr(r->im->path, '/');
    const char *parent = !slash ? "."
                         : slash == r->im->path
                             ? "/"
                             : arena_strndup(arena, r->im->path, (size_t)(slash - r->im->path));
    if (!*r->location)
        return fault_of(r, "has no location");
    for (const char *part = r->location; part; part = strchr(part, '/')) {
        part += part > r->location || *part == '/';
        if (!strncmp(part, "..", 2) && (part[2] == '/' || part[2] == 0))
            return fault_of(r, "is outside the model's folder");
    }
    if (*r->location == '/' || strchr(r->location, '\\'))
        return fault_of(r, "is not a path relative to the model");
    if (!realpath(parent, folder) ||
        !realpath(arena_printf(arena, "%s/%s", parent, r->location), path))
        return fault_of(r, errno == ENOENT ? "does not exist" : "cannot be read");
    size_t n = strlen(folder);
    if (n > 1 && (strncmp(path, folder, n) || path[n] != '/'))
        return fault_of(r, "is outside the model's folder");
    return NULL;
}

/* Maps the whole file; it stays mapped, as constants point into it. NULL, or the fault. */
static const char *map_external(const Request *r, const char *path, ExternalFile *f)
{
    struct stat st;
    int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
    if (fd < 0)
        return fault_of(r, "cannot be read");
    if (fstat(fd, &st) || !S_ISREG(st.st_mode)) {
        close(fd);
        return fault_of(r, "is not a regular file");
    }
    note_read(r->im->g->arena, r->im->g->diag, path);
    f->size = (size_t)st.st_size;
    void *data = f->size ? mmap(NULL, f->size, PROT_READ, MAP_PRIVATE, fd, 0) : NULL;
    close(fd);
    if (data == MAP_FAILED)
        return fault_of(r, "cannot be mapped");
    if (data)
        arena_adopt(r->im->g->arena, data, f->size);
    f->data = data;
    return NULL;
}

static ExternalFile *open_external(const Request *r)
{
    char path[PATH_MAX];
    Import *im = r->im;
    for (ExternalFile *f = im->files; f; f = f->next)
        if (!strcmp(f->location, r->location))
            return f;
    ExternalFile *f = ARENA_NEW(im->g->arena, ExternalFile);
    *f = (ExternalFile){.next = im->files, .location = r->location, .fault = resolve(r, path)};
    if (!f->fault)
        f->fault = map_external(r, path, f);
    im->files = f;
    return f;
}

/* Each byte of a file may be read once; after that it is as if it were made up: a short model can point to one range many times. */
static bool charge(Import *im, ExternalFile *f, size_t bytes)
{
    if (bytes > f->size - f->charged)
        return onnx_claim(im, bytes);
    f->charged += bytes;
    memory_allow(bytes);
    return true;
}

bool onnx_external(Import *im, const Onnx__TensorProto *t, const char *where, size_t bytes,
                   const void **data)
{
    enum { ALIGN = 64 };
    Request r;
    if (!read_request(im, t, where, &r))
        return false;
    ExternalFile *f = open_external(&r);
    if (f->fault)
        return refuse_graph(im->g, "%s", f->fault);
    if (r.has_length && r.length != bytes)
        return refuse_external(&r, "has another length than the tensor's shape asks for");
    if (r.offset > f->size || bytes > f->size - r.offset)
        return refuse_external(&r, "is too short");
    *data = f->data + r.offset;
    if (!charge(im, f, bytes))
        return false;
    if (bytes == 0 || (uintptr_t)*data % ALIGN)
        *data = arena_copy(im->g->arena, bytes ? *data : "", bytes ? bytes : 1);
    return true;
}
