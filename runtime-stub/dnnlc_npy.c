#include "dnnlc_npy.h"

#include <stdio.h>
#include <string.h>

/* The header is a Python dictionary: {'descr': '<f4', 'fortran_order': False, 'shape': (1, 3), } */
struct header {
    const struct dnnlc_dtype *type;
    bool swapped, fortran;
    int rank;
    int64_t dims[DNNLC_MAX_RANK];
    int64_t width; /* of strings, in bytes; 0: numbers */
};

struct scanner {
    const char *at, *end;
    char *why;
    size_t why_size;
};

static void skip_space(struct scanner *s)
{
    while (s->at < s->end && (*s->at == ' ' || *s->at == '\n' || *s->at == '\t' || *s->at == '\r'))
        s->at++;
}

/* Takes `text` if it comes next, after any space. */
static bool take(struct scanner *s, const char *text)
{
    skip_space(s);
    size_t length = strlen(text);
    if ((size_t)(s->end - s->at) < length || memcmp(s->at, text, length) != 0)
        return false;
    s->at += length;
    return true;
}

static bool malformed(const struct scanner *s, const char *what)
{
    return dnnlc_fail(s->why, s->why_size, "malformed .npy header: %s", what);
}

/* A quoted string without escapes, which is all that the keys and supported types need. */
static bool scan_string(struct scanner *s, const char **text, size_t *length)
{
    skip_space(s);
    if (s->at == s->end || (*s->at != '\'' && *s->at != '"'))
        return malformed(s, "a string is missing");
    const char *close = memchr(s->at + 1, *s->at, (size_t)(s->end - s->at) - 1);
    if (!close)
        return malformed(s, "a string does not end");
    *text = s->at + 1;
    *length = (size_t)(close - *text);
    s->at = close + 1;
    return true;
}

/* Strings, 'S8': of so many bytes, padded with zeros. */
static bool scan_width(const struct scanner *s, struct header *h, const char *text, size_t length)
{
    h->type = dnnlc_dtype_of(DNNLC_U8);
    for (size_t i = 0; i < length && text[i] >= '0' && text[i] <= '9' && h->width < INT32_MAX; i++)
        h->width = h->width * 10 + (text[i] - '0');
    return (h->width > 0 && h->width < INT32_MAX) || malformed(s, "strings of an odd size");
}

static bool scan_descr(struct scanner *s, struct header *h)
{
    const char *text;
    size_t length;
    if (take(s, "["))
        return dnnlc_fail(s->why, s->why_size, "structured .npy types are not supported");
    if (!scan_string(s, &text, &length))
        return false;
    if (length > 0 && strchr("<>|=", *text)) {
        h->swapped = *text == '>';
        text++, length--;
    }
    if (length > 1 && *text == 'S')
        return scan_width(s, h, text + 1, length - 1);
    h->type = dnnlc_dtype_of_npy(text, length);
    if (!h->type)
        return dnnlc_fail(s->why, s->why_size, ".npy type '%.*s' is not supported",
                          length < 32 ? (int)length : 32, text);
    return true;
}

static bool scan_fortran(struct scanner *s, struct header *h)
{
    h->fortran = take(s, "True");
    return h->fortran || take(s, "False") || malformed(s, "fortran_order is not True or False");
}

static bool scan_dimension(struct scanner *s, int64_t *value)
{
    skip_space(s);
    if (s->at == s->end || *s->at < '0' || *s->at > '9')
        return malformed(s, "a dimension is not a number");
    for (*value = 0; s->at < s->end && *s->at >= '0' && *s->at <= '9'; s->at++) {
        int digit = *s->at - '0';
        if (*value > (INT64_MAX - digit) / 10)
            return malformed(s, "a dimension is too large");
        *value = *value * 10 + digit;
    }
    take(s, "L"); /* as Python 2 wrote them */
    return true;
}

static bool scan_shape(struct scanner *s, struct header *h)
{
    if (!take(s, "("))
        return malformed(s, "the shape is not a tuple");
    for (h->rank = 0; !take(s, ")"); h->rank++) {
        if (h->rank == DNNLC_MAX_RANK)
            return dnnlc_fail(s->why, s->why_size, "more than %d dimensions", DNNLC_MAX_RANK);
        if (!scan_dimension(s, &h->dims[h->rank]))
            return false;
        if (take(s, ","))
            continue;
        if (h->rank == 0)
            return malformed(s, "the shape is not a tuple");
        h->rank++;
        if (take(s, ")"))
            break;
        return malformed(s, "the shape does not end");
    }
    return true;
}

static bool scan_entry(struct scanner *s, struct header *h, unsigned *seen)
{
    static const struct {
        const char *key;
        bool (*scan)(struct scanner *, struct header *);
    } entries[] = {{"descr", scan_descr}, {"fortran_order", scan_fortran}, {"shape", scan_shape}};
    const char *text;
    size_t length;
    if (!scan_string(s, &text, &length))
        return false;
    if (!take(s, ":"))
        return malformed(s, "a ':' is missing");
    for (unsigned i = 0; i < 3; i++)
        if (strlen(entries[i].key) == length && !memcmp(entries[i].key, text, length)) {
            if (*seen & 1u << i)
                return malformed(s, "a key comes twice");
            *seen |= 1u << i;
            return entries[i].scan(s, h);
        }
    return malformed(s, "a key other than descr, fortran_order and shape");
}

static bool scan_header(struct scanner *s, struct header *h)
{
    unsigned seen = 0;
    if (!take(s, "{"))
        return malformed(s, "it is not a dictionary");
    while (!take(s, "}")) {
        if (!scan_entry(s, h, &seen))
            return false;
        if (take(s, ","))
            continue;
        if (take(s, "}"))
            break;
        return malformed(s, "the dictionary does not end");
    }
    if (seen != 7)
        return malformed(s, "descr, fortran_order or shape is missing");
    skip_space(s);
    return s->at == s->end || malformed(s, "text after the dictionary");
}

bool dnnlc_npy_data_at(const void *first, size_t size, size_t *data, char *why, size_t why_size)
{
    const unsigned char *bytes = first;
    if (size < 10 || memcmp(bytes, "\x93NUMPY", 6) != 0)
        return dnnlc_fail(why, why_size, "not a .npy file");
    const unsigned major = bytes[6];
    if (major < 1 || major > 3)
        return dnnlc_fail(why, why_size, ".npy version %u is not supported", major);
    *data = major == 1 ? 10 : 12;
    if (size < *data)
        return dnnlc_fail(why, why_size, "the .npy header is truncated");
    *data += bytes[8] | (size_t)bytes[9] << 8;
    if (major > 1)
        *data += (size_t)bytes[10] << 16 | (size_t)bytes[11] << 24;
    return true;
}

void dnnlc_npy_swap(void *data, size_t count, size_t size)
{
    for (unsigned char *element = data; count-- > 0; element += size)
        for (size_t i = 0; i < size / 2; i++) {
            unsigned char byte = element[i];
            element[i] = element[size - 1 - i];
            element[size - 1 - i] = byte;
        }
}

/* src: column-major, dst: row-major, both of array's shape. Walks dst in order; `from` is the
 * element of src that belongs at the multi-index `at`. */
static void transpose(const struct dnnlc_array *array, const unsigned char *src, size_t size)
{
    size_t stride[DNNLC_MAX_RANK], at[DNNLC_MAX_RANK] = {0}, from = 0, step = 1;
    for (int d = 0; d < array->rank; d++) {
        stride[d] = step;
        step *= (size_t)array->dims[d];
    }
    unsigned char *dst = array->data;
    for (size_t i = 0; i < array->count; i++) {
        memcpy(dst + i * size, src + from * size, size);
        for (int d = array->rank - 1; d >= 0; d--) {
            from += stride[d];
            if (++at[d] < (size_t)array->dims[d])
                break;
            from -= stride[d] * (size_t)array->dims[d];
            at[d] = 0;
        }
    }
}

bool dnnlc_npy_describe(const void *bytes, size_t size, struct dnnlc_npy *npy, char *why,
                        size_t why_size)
{
    size_t data = 0;
    if (!dnnlc_npy_data_at(bytes, size, &data, why, why_size))
        return false;
    if (data > size)
        return dnnlc_fail(why, why_size, "the .npy header is truncated");
    const unsigned char *text = bytes;
    const size_t start = text[6] == 1 ? 10 : 12;
    struct scanner s = {(const char *)bytes + start, (const char *)bytes + data, why, why_size};
    struct header h = {0};
    if (!scan_header(&s, &h))
        return false;
    if (h.width && (h.fortran || h.rank == DNNLC_MAX_RANK))
        return dnnlc_fail(why, why_size, "strings in Fortran's order, or of %d dimensions", h.rank);
    if (h.width)
        h.dims[h.rank++] = h.width;
    *npy = (struct dnnlc_npy){.data = data, .element = h.type->size, .swapped = h.swapped};
    npy->fortran = h.fortran && h.rank > 1;
    if (!dnnlc_array_describe(&npy->array, h.type->code, h.rank, h.dims, why, why_size))
        return false;
    npy->array.text = h.width > 0;
    return true;
}

bool dnnlc_npy_holds(const struct dnnlc_npy *npy, size_t bytes, char *why, size_t why_size)
{
    const struct dnnlc_array *array = &npy->array;
    char shape[DNNLC_SHAPE_TEXT];
    return bytes == array->bytes ||
           dnnlc_fail(why, why_size, "%s takes %zu bytes of data, the file has %zu",
                      dnnlc_shape_text(shape, array->dtype, array->rank, array->dims), array->bytes,
                      bytes);
}

bool dnnlc_npy_parse(const void *bytes, size_t size, struct dnnlc_array *array, char *why,
                     size_t why_size)
{
    struct dnnlc_npy npy;
    if (!dnnlc_npy_describe(bytes, size, &npy, why, why_size) ||
        !dnnlc_npy_holds(&npy, size - npy.data, why, why_size))
        return false;
    struct dnnlc_array read = npy.array;
    if (!dnnlc_array_alloc(&read, why, why_size))
        return false;

    const unsigned char *src = (const unsigned char *)bytes + npy.data;
    if (npy.fortran)
        transpose(&read, src, npy.element);
    else
        memcpy(read.data, src, read.bytes);
    if (npy.swapped)
        dnnlc_npy_swap(read.data, read.count, npy.element);
    dnnlc_array_normalise(&read);
    *array = read;
    return true;
}

size_t dnnlc_npy_header(const struct dnnlc_array *array, char header[DNNLC_NPY_HEADER_MAX])
{
    char dims[DNNLC_SHAPE_TEXT] = "";
    int at = 0;
    for (int d = 0; d < array->rank; d++)
        at += snprintf(dims + at, sizeof dims - (size_t)at, "%s%lld", d ? ", " : "",
                       (long long)array->dims[d]);
    char *text = header + 10;
    size_t length =
        (size_t)snprintf(text, DNNLC_NPY_HEADER_MAX - 10,
                         "{'descr': '%s', 'fortran_order': False, 'shape': (%s%s), }",
                         dnnlc_dtype_of(array->dtype)->npy, dims, array->rank == 1 ? "," : "");
    size_t total = (10 + length + 1 + 63) / 64 * 64;
    memset(text + length, ' ', total - 10 - length);
    header[total - 1] = '\n';
    memcpy(header, "\x93NUMPY\x01", 8); /* the literal's terminator is the minor version, 0 */
    header[8] = (char)((total - 10) & 255);
    header[9] = (char)((total - 10) >> 8);
    return total;
}
