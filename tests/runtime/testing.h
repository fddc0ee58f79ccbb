/* What the tests of the runtime share: cmocka, exact-size copies, and files in a scratch folder. */
#pragma once

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "dnnlc_tensor.h"

enum { WHY = 1024 };

/* Every ONNX code that is supported. */
static const int all_dtypes[] = {1, 2, 3, 4, 5, 6, 7, 9, 10, 11, 12, 13, 16};
enum { N_ALL_DTYPES = sizeof all_dtypes / sizeof *all_dtypes };

typedef bool parse_fn(const void *, size_t, struct dnnlc_array *, char *, size_t);

/* Parses from a copy of exactly `size` bytes, so that the sanitizer sees a read past the end. A
 * refusal has to come with a reason of one line. */
static inline bool parse_exact(parse_fn *parse, const void *bytes, size_t size,
                               struct dnnlc_array *array, char *why)
{
    void *copy = malloc(size);
    assert_true(copy || size == 0);
    if (size)
        memcpy(copy, bytes, size);
    why[0] = 0;
    bool done = parse(copy, size, array, why, WHY);
    free(copy);
    if (done) {
        assert_string_equal(why, "");
        assert_non_null(array->data);
    } else {
        assert_true(why[0] != 0);
        assert_null(strchr(why, '\n'));
    }
    return done;
}

/* Parses every truncation and every file with one bit flipped; none may crash or leak. */
static inline void parse_damaged(parse_fn *parse, const void *bytes, size_t size)
{
    char why[WHY];
    struct dnnlc_array array;
    for (size_t length = 0; length < size; length++)
        if (parse_exact(parse, bytes, length, &array, why))
            dnnlc_array_free(&array);
    unsigned char *flipped = malloc(size);
    assert_non_null(flipped);
    memcpy(flipped, bytes, size);
    for (size_t bit = 0; bit < size * 8; bit++) {
        flipped[bit / 8] ^= (unsigned char)(1u << bit % 8);
        if (parse_exact(parse, flipped, size, &array, why))
            dnnlc_array_free(&array);
        flipped[bit / 8] ^= (unsigned char)(1u << bit % 8);
    }
    free(flipped);
}

/* An array whose bytes count up: every element differs from its neighbours. */
static inline struct dnnlc_array counting_array(int dtype, int rank, const int64_t *dims)
{
    char why[WHY];
    struct dnnlc_array array;
    assert_true(dnnlc_array_describe(&array, dtype, rank, dims, why, sizeof why));
    assert_true(dnnlc_array_alloc(&array, why, sizeof why));
    for (size_t i = 0; i < array.bytes; i++)
        ((unsigned char *)array.data)[i] = (unsigned char)(dtype == DNNLC_BOOL ? i & 1 : i);
    return array;
}

static inline void assert_same_array(const struct dnnlc_array *a, const struct dnnlc_array *b)
{
    assert_int_equal(a->dtype, b->dtype);
    assert_true(dnnlc_same_shape(a->rank, a->dims, b));
    assert_int_equal(a->count, b->count);
    assert_int_equal(a->bytes, b->bytes);
    assert_memory_equal(a->data, b->data, a->bytes);
}

static inline void write_file(const char *path, const void *bytes, size_t size)
{
    FILE *file = fopen(path, "wb");
    assert_non_null(file);
    assert_int_equal(fwrite(bytes, 1, size, file), size);
    assert_int_equal(fclose(file), 0);
}

#define assert_contains(text, part)                                                                \
    do {                                                                                           \
        if (!strstr(text, part))                                                                   \
            fail_msg("'%s' is not in '%s'", part, text);                                           \
    } while (0)
