#define _DEFAULT_SOURCE
#include "dnnlc_tensor.h"

#include <limits.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#ifdef __GLIBC__
#include <malloc.h>
#endif

/* Clearing a page of 2 MiB takes as long as clearing and mapping some 100 small ones: what has WORTH_HUGE bytes or more gets such
 * pages, also for the last part of several. */
enum { HUGE_PAGE = 2 << 20, WORTH_HUGE = 512 << 10 };

static const struct dnnlc_dtype dtypes[] = {
    {DNNLC_F32, "f32", "<f4", 4, DNNLC_FLOATING},   {DNNLC_U8, "u8", "|u1", 1, DNNLC_UNSIGNED},
    {DNNLC_I8, "i8", "|i1", 1, DNNLC_SIGNED},       {DNNLC_U16, "u16", "<u2", 2, DNNLC_UNSIGNED},
    {DNNLC_I16, "i16", "<i2", 2, DNNLC_SIGNED},     {DNNLC_I32, "i32", "<i4", 4, DNNLC_SIGNED},
    {DNNLC_I64, "i64", "<i8", 8, DNNLC_SIGNED},     {DNNLC_BOOL, "bool", "|b1", 1, DNNLC_BOOLEAN},
    {DNNLC_F16, "f16", "<f2", 2, DNNLC_FLOATING},   {DNNLC_F64, "f64", "<f8", 8, DNNLC_FLOATING},
    {DNNLC_U32, "u32", "<u4", 4, DNNLC_UNSIGNED},   {DNNLC_U64, "u64", "<u8", 8, DNNLC_UNSIGNED},
    {DNNLC_BF16, "bf16", "<V2", 2, DNNLC_FLOATING},
};

enum { N_DTYPES = sizeof dtypes / sizeof *dtypes };

const struct dnnlc_dtype *dnnlc_dtype_of(int code)
{
    for (int i = 0; i < N_DTYPES; i++)
        if (dtypes[i].code == code)
            return &dtypes[i];
    return NULL;
}

const struct dnnlc_dtype *dnnlc_dtype_of_npy(const char *text, size_t length)
{
    for (int i = 0; i < N_DTYPES; i++)
        if (strlen(dtypes[i].npy + 1) == length && !memcmp(dtypes[i].npy + 1, text, length))
            return &dtypes[i];
    return NULL;
}

bool dnnlc_array_describe(struct dnnlc_array *array, int dtype, int rank, const int64_t *dims,
                          char *why, size_t why_size)
{
    const struct dnnlc_dtype *type = dnnlc_dtype_of(dtype);
    if (!type)
        return dnnlc_fail(why, why_size, "element type %d is not supported", dtype);
    if (rank < 0 || rank > DNNLC_MAX_RANK)
        return dnnlc_fail(why, why_size, "%d dimensions, at most %d are supported", rank,
                          DNNLC_MAX_RANK);

    /* The product of the non-zero dimensions must fit, too: strides are computed from them. */
    const uint64_t most = PTRDIFF_MAX / type->size - DNNLC_ALIGN;
    uint64_t product = 1;
    bool empty = false;
    for (int d = 0; d < rank; d++) {
        if (dims[d] < 0)
            return dnnlc_fail(why, why_size, "dimension %d is %lld", d, (long long)dims[d]);
        if (dims[d] == 0)
            empty = true;
        else if (product > most / (uint64_t)dims[d])
            return dnnlc_fail(why, why_size, "the shape has too many elements");
        else
            product *= (uint64_t)dims[d];
    }
    *array = (struct dnnlc_array){.dtype = dtype, .rank = rank, .count = empty ? 0 : product};
    array->bytes = array->count * type->size;
    for (int d = 0; d < rank; d++)
        array->dims[d] = dims[d];
    return true;
}

/* Asks for huge pages, where the system has them, for what is used as a whole. */
static void advise_huge(void *memory, size_t bytes)
{
#ifdef MADV_HUGEPAGE
    madvise(memory, (bytes + HUGE_PAGE - WORTH_HUGE) / HUGE_PAGE * HUGE_PAGE, MADV_HUGEPAGE);
#else
    (void)memory;
    (void)bytes;
#endif
}

static void *alloc_huge(size_t bytes)
{
    void *memory = aligned_alloc(HUGE_PAGE, (bytes + HUGE_PAGE - 1) / HUGE_PAGE * HUGE_PAGE);
    if (memory)
        advise_huge(memory, bytes);
    return memory;
}

size_t dnnlc_heap_part(size_t bytes)
{
    return bytes < HUGE_PAGE ? bytes : 0;
}

/* The heap grows by moving its end. Here that goes to shortly before a multiple of huge pages, and where the heap continues behind it
 * it does so with all of `bytes` at once; what the first allocation writes stands before the huge pages, which would otherwise begin
 * with a small one. The heap is never given back, and what is smaller than a huge page always comes from it. */
void dnnlc_heap_expect(size_t bytes)
{
#if defined(__GLIBC__) && !defined(__SANITIZE_ADDRESS__) && !defined(__SANITIZE_THREAD__)
    const size_t most = (size_t)1 << 30, before = WORTH_HUGE, first = before / 2;
    const size_t size = (bytes + HUGE_PAGE - 1) / HUGE_PAGE * HUGE_PAGE;
    char *end = sbrk(0);
    if (bytes < WORTH_HUGE || bytes > most || end == (char *)-1)
        return;
    const size_t gap = HUGE_PAGE - ((uintptr_t)end + before) % HUGE_PAGE;
    if (sbrk((intptr_t)gap) != end)
        return;
    mallopt(M_MMAP_THRESHOLD, HUGE_PAGE);
    mallopt(M_TRIM_THRESHOLD, INT_MAX);
    mallopt(M_TOP_PAD, (int)(size + before));
    void *volatile begin = malloc(first);
    free(begin);
    mallopt(M_TOP_PAD, WORTH_HUGE);
    char *huge = end + gap + before;
    if ((char *)sbrk(0) >= huge + size)
        advise_huge(huge, size);
#else
    (void)bytes;
#endif
}

void *dnnlc_alloc_aligned(size_t bytes, size_t align)
{
    if (align < DNNLC_ALIGN)
        align = DNNLC_ALIGN;
    if (bytes > SIZE_MAX - align || bytes > SIZE_MAX - HUGE_PAGE)
        return NULL;
    if (bytes >= HUGE_PAGE && align <= HUGE_PAGE)
        return alloc_huge(bytes);
    size_t rounded = (bytes + align - 1) / align * align;
    return aligned_alloc(align, rounded ? rounded : align);
}

bool dnnlc_array_alloc(struct dnnlc_array *array, char *why, size_t why_size)
{
    array->data = dnnlc_alloc_aligned(array->bytes, DNNLC_ALIGN);
    if (!array->data)
        return dnnlc_fail(why, why_size, "no memory for %zu bytes", array->bytes);
    return true;
}

void dnnlc_array_free(struct dnnlc_array *array)
{
    free(array->data);
    free(array->name);
    *array = (struct dnnlc_array){0};
}

bool dnnlc_arrays_add(struct dnnlc_arrays *list, struct dnnlc_array *array, char *why,
                      size_t why_size)
{
    const size_t n = list->count;
    if ((n & (n - 1)) == 0) { /* there is space for the next power of two */
        struct dnnlc_array *grown = realloc(list->arrays, (n ? 2 * n : 1) * sizeof *grown);
        if (!grown) {
            dnnlc_array_free(array);
            return dnnlc_fail(why, why_size, "no memory for a list of tensors");
        }
        list->arrays = grown;
    }
    list->arrays[list->count++] = *array;
    return true;
}

void dnnlc_arrays_free(struct dnnlc_arrays *list, size_t first)
{
    while (list->count > first)
        dnnlc_array_free(&list->arrays[--list->count]);
    if (first > 0)
        return;
    free(list->arrays);
    list->arrays = NULL;
}

double dnnlc_array_element(const struct dnnlc_array *array, size_t i)
{
    return dnnlc_element(array->dtype, array->data, i);
}

void dnnlc_array_normalise(struct dnnlc_array *array)
{
    if (array->dtype != DNNLC_BOOL)
        return;
    uint8_t *values = array->data;
    for (size_t i = 0; i < array->count; i++)
        values[i] = values[i] != 0;
}

bool dnnlc_array_widen(struct dnnlc_array *array, int64_t width, char *why, size_t why_size)
{
    struct dnnlc_array wide;
    const int last = array->rank - 1;
    if (!array->text || array->dims[last] >= width)
        return true;
    int64_t dims[DNNLC_MAX_RANK];
    memcpy(dims, array->dims, sizeof dims);
    dims[last] = width;
    if (!dnnlc_array_describe(&wide, array->dtype, array->rank, dims, why, why_size) ||
        !dnnlc_array_alloc(&wide, why, why_size))
        return false;
    memset(wide.data, 0, wide.bytes);
    const size_t narrow = (size_t)array->dims[last];
    for (size_t i = 0; i < array->count / narrow; i++)
        memcpy((char *)wide.data + i * (size_t)width, (char *)array->data + i * narrow, narrow);
    wide.text = true;
    wide.name = array->name;
    wide.file = array->file;
    free(array->data);
    *array = wide;
    return true;
}

bool dnnlc_same_shape(int rank, const int64_t *dims, const struct dnnlc_array *array)
{
    if (rank != array->rank)
        return false;
    for (int d = 0; d < rank; d++)
        if (dims[d] != array->dims[d])
            return false;
    return true;
}

const char *dnnlc_shape_text(char *text, int dtype, int rank, const int64_t *dims)
{
    const struct dnnlc_dtype *type = dnnlc_dtype_of(dtype);
    int at = snprintf(text, DNNLC_SHAPE_TEXT, "%s[", type ? type->name : "?");
    for (int d = 0; d < rank && d < DNNLC_MAX_RANK; d++)
        at += snprintf(text + at, (size_t)(DNNLC_SHAPE_TEXT - at), "%s%lld", d ? "," : "",
                       (long long)dims[d]);
    snprintf(text + at, (size_t)(DNNLC_SHAPE_TEXT - at), "]");
    return text;
}

char *dnnlc_printable(char *text)
{
    for (char *c = text; *c; c++)
        if ((unsigned char)*c < 32 || *c == 127)
            *c = '?';
    return text;
}

bool dnnlc_fail(char *why, size_t why_size, const char *format, ...)
{
    if (why_size == 0)
        return false;
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(why, why_size, format, arguments);
    va_end(arguments);
    dnnlc_printable(why);
    return false;
}
