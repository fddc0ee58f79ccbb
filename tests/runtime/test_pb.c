/* TensorProto files: every encoding, written by hand; ONNX's own test data; and damaged ones. */
#define _POSIX_C_SOURCE 200809L
#include "testing.h"

#include "dnnlc_file.h"
#include "dnnlc_pb.h"

#include <glob.h>
#include <math.h>

/* A message under construction. */
struct message {
    unsigned char bytes[1024];
    size_t size;
};

static void put_varint(struct message *m, uint64_t value)
{
    for (; value > 127; value >>= 7)
        m->bytes[m->size++] = (unsigned char)(value | 128);
    m->bytes[m->size++] = (unsigned char)value;
}

static void put_number(struct message *m, unsigned field, uint64_t value)
{
    put_varint(m, field << 3);
    put_varint(m, value);
}

static void put_bytes(struct message *m, unsigned field, const void *bytes, size_t size)
{
    put_varint(m, field << 3 | 2);
    put_varint(m, size);
    memcpy(m->bytes + m->size, bytes, size);
    m->size += size;
}

static void put_fixed(struct message *m, unsigned field, const void *bytes, size_t size)
{
    put_varint(m, field << 3 | (size == 4 ? 5 : 1));
    memcpy(m->bytes + m->size, bytes, size);
    m->size += size;
}

static void put_packed(struct message *m, unsigned field, const uint64_t *values, size_t count)
{
    struct message packed = {.size = 0};
    for (size_t i = 0; i < count; i++)
        put_varint(&packed, values[i]);
    put_bytes(m, field, packed.bytes, packed.size);
}

static struct message start(int dtype, int64_t dim)
{
    struct message m = {.size = 0};
    put_number(&m, 1, (uint64_t)dim);
    put_number(&m, 2, (uint64_t)dtype);
    return m;
}

/* Parses a message that has to be right, and damages it, too. */
static struct dnnlc_array parsed(const struct message *m)
{
    char why[WHY];
    struct dnnlc_array array;
    if (!parse_exact(dnnlc_pb_parse, m->bytes, m->size, &array, why))
        fail_msg("refused: %s", why);
    parse_damaged(dnnlc_pb_parse, m->bytes, m->size);
    return array;
}

static void refused(const struct message *m, const char *reason)
{
    char why[WHY];
    struct dnnlc_array array;
    assert_false(parse_exact(dnnlc_pb_parse, m->bytes, m->size, &array, why));
    assert_contains(why, reason);
}

static void expect(const struct message *m, int dtype, const double *values, size_t count)
{
    struct dnnlc_array array = parsed(m);
    assert_int_equal(array.dtype, dtype);
    assert_int_equal(array.count, count);
    for (size_t i = 0; i < count; i++)
        assert_true(dnnlc_array_element(&array, i) == values[i]);
    dnnlc_array_free(&array);
}

static void raw_data(void **state)
{
    (void)state;
    static const int64_t dims[] = {2};
    for (int i = 0; i < N_ALL_DTYPES; i++) {
        struct dnnlc_array array = counting_array(all_dtypes[i], 1, dims), back;
        struct message m = start(all_dtypes[i], 2);
        put_bytes(&m, 9, array.data, array.bytes);
        back = parsed(&m);
        assert_same_array(&array, &back);
        assert_null(back.name);
        dnnlc_array_free(&array);
        dnnlc_array_free(&back);
    }
}

/* Of types without a name here the codes are read: with the shape where each has a byte. */
static void codes(void **state)
{
    (void)state;
    static const unsigned char bytes[] = {0x38, 0xc0, 0x07};
    static const struct {
        int dtype;
        int64_t dim;
        const char *reason;
    } cases[] = {{17, 3, NULL},
                 {24, 3, NULL},
                 {22, 5, NULL},
                 {23, 6, NULL},
                 {25, 12, NULL},
                 {26, 9, NULL},
                 {22, 7, "u8[4] takes 4 bytes"},
                 {17, 4, "u8[4] takes 4 bytes"},
                 {27, 3, "not supported"}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct message m = start(cases[i].dtype, cases[i].dim);
        put_bytes(&m, 9, bytes, sizeof bytes);
        if (cases[i].reason) {
            refused(&m, cases[i].reason);
            continue;
        }
        expect(&m, DNNLC_U8, (const double[]){0x38, 0xc0, 0x07}, 3);
        m = start(cases[i].dtype, cases[i].dim);
        put_packed(&m, 5, (const uint64_t[]){0x38, 0xc0, 0x07}, 3);
        expect(&m, DNNLC_U8, (const double[]){0x38, 0xc0, 0x07}, 3);
    }
}

/* A packed shape, the data before it, a name, and fields that are not ours. */
static void any_order(void **state)
{
    (void)state;
    static const uint64_t dims[] = {1, 2};
    static const float values[] = {1.5f, -2};
    struct message m = {.size = 0};
    put_bytes(&m, 12, "a comment", 9);
    put_bytes(&m, 9, values, sizeof values);
    put_bytes(&m, 8, "data_0", 6);
    put_number(&m, 14, 0);
    put_number(&m, 2, 1);
    put_packed(&m, 1, dims, 2);
    put_fixed(&m, 77, values, 8);
    put_fixed(&m, 78, values, 4);
    put_number(&m, 100000, UINT64_MAX);
    struct dnnlc_array array = parsed(&m);
    assert_string_equal(array.name, "data_0");
    assert_int_equal(array.rank, 2);
    assert_memory_equal(array.data, values, sizeof values);
    dnnlc_array_free(&array);
}

static void float_data(void **state)
{
    (void)state;
    static const float values[] = {1.5f, -2, 3};
    static const double expected[] = {1.5, -2, 3};
    struct message packed = start(DNNLC_F32, 3), mixed = start(DNNLC_F32, 3);
    put_bytes(&packed, 4, values, sizeof values);
    expect(&packed, DNNLC_F32, expected, 3);
    put_fixed(&mixed, 4, &values[0], 4);
    put_bytes(&mixed, 4, &values[1], 8);
    expect(&mixed, DNNLC_F32, expected, 3);
}

static void double_data(void **state)
{
    (void)state;
    static const double values[] = {1.5, -2e300};
    struct message packed = start(DNNLC_F64, 2), single = start(DNNLC_F64, 2);
    put_bytes(&packed, 10, values, sizeof values);
    expect(&packed, DNNLC_F64, values, 2);
    put_fixed(&single, 10, &values[0], 8);
    put_fixed(&single, 10, &values[1], 8);
    expect(&single, DNNLC_F64, values, 2);
}

/* All types that live in int32_data, at both ends of their range. */
static void int32_data(void **state)
{
    (void)state;
    static const struct {
        int dtype;
        int64_t least, most;
        double least_value, most_value;
    } cases[] = {{DNNLC_I32, INT32_MIN, INT32_MAX, INT32_MIN, INT32_MAX},
                 {DNNLC_I16, -32768, 32767, -32768, 32767},
                 {DNNLC_U16, 0, 65535, 0, 65535},
                 {DNNLC_I8, -128, 127, -128, 127},
                 {DNNLC_U8, 0, 255, 0, 255},
                 {DNNLC_BOOL, 0, 1, 0, 1},
                 {DNNLC_F16, 0x3c00, 0xc000, 1, -2},
                 {DNNLC_BF16, 0x3f80, 0xc000, 1, -2}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        const uint64_t ends[] = {(uint64_t)cases[i].least, (uint64_t)cases[i].most};
        const double values[] = {cases[i].least_value, cases[i].most_value};
        struct message packed = start(cases[i].dtype, 2), single = start(cases[i].dtype, 2);
        put_packed(&packed, 5, ends, 2);
        expect(&packed, cases[i].dtype, values, 2);
        put_number(&single, 5, ends[0]);
        put_number(&single, 5, ends[1]);
        expect(&single, cases[i].dtype, values, 2);
    }
}

static void out_of_range(void **state)
{
    (void)state;
    static const struct {
        int dtype;
        unsigned field;
        int64_t value;
    } cases[] = {{DNNLC_U8, 5, 256},    {DNNLC_U8, 5, -1},     {DNNLC_I8, 5, 128},
                 {DNNLC_I8, 5, -129},   {DNNLC_U16, 5, 65536}, {DNNLC_I16, 5, 32768},
                 {DNNLC_F16, 5, 65536}, {DNNLC_BF16, 5, -1},   {DNNLC_U32, 11, INT64_C(1) << 32}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct message m = start(cases[i].dtype, 1);
        put_number(&m, cases[i].field, (uint64_t)cases[i].value);
        refused(&m, "element 0 does not fit the element type");
    }
}

static void wide_integers(void **state)
{
    (void)state;
    static const uint64_t signed_ones[] = {UINT64_MAX, 5}, ones[] = {UINT64_MAX, 5};
    struct message i64 = start(DNNLC_I64, 2), u64 = start(DNNLC_U64, 2), u32 = start(DNNLC_U32, 1);
    put_packed(&i64, 7, signed_ones, 2);
    expect(&i64, DNNLC_I64, (const double[]){-1, 5}, 2);
    put_packed(&u64, 11, ones, 2);
    expect(&u64, DNNLC_U64, (const double[]){0x1p64, 5}, 2);
    put_number(&u32, 11, UINT32_MAX);
    expect(&u32, DNNLC_U32, (const double[]){UINT32_MAX}, 1);
}

static void scalars_and_empty(void **state)
{
    (void)state;
    struct message scalar = {.size = 0}, empty = start(DNNLC_F32, 0);
    put_number(&scalar, 2, DNNLC_I64);
    put_number(&scalar, 7, 9);
    expect(&scalar, DNNLC_I64, (const double[]){9}, 1);
    expect(&empty, DNNLC_F32, NULL, 0);
    put_bytes(&empty, 9, "", 0);
    expect(&empty, DNNLC_F32, NULL, 0);
}

/* As many bytes as the longest has, and wider ones. */
static void strings(void **state)
{
    (void)state;
    char why[64];
    struct message m = start(8, 3), none = start(8, 0);
    put_bytes(&m, 6, "ab", 2);
    put_bytes(&m, 6, "", 0);
    put_bytes(&m, 6, "c", 1);
    expect(&m, DNNLC_U8, (const double[]){'a', 'b', 0, 0, 'c', 0}, 6);
    expect(&none, DNNLC_U8, NULL, 0);
    struct dnnlc_array array = parsed(&m);
    assert_true(array.text && array.rank == 2);
    assert_true(dnnlc_array_widen(&array, 4, why, sizeof why));
    assert_int_equal(array.bytes, 12);
    assert_memory_equal(array.data, "ab\0\0\0\0\0\0c\0\0\0", 12);
    assert_true(dnnlc_array_widen(&array, 3, why, sizeof why));
    assert_int_equal(array.bytes, 12);
    dnnlc_array_free(&array);
}

static void refusals(void **state)
{
    (void)state;
    struct message m = start(DNNLC_F32, 2);
    refused(&m, "takes 2 elements, the file has 0: damaged, or not a tensor");
    put_bytes(&m, 9, "1234567", 7);
    refused(&m, "takes 8 bytes of data, the file has 7");
    m = start(DNNLC_F32, -1);
    refused(&m, "dimension 0 is -1");
    m = start(DNNLC_F32, INT64_MAX);
    refused(&m, "too many elements");
    m = start(8, 1);
    put_bytes(&m, 6, "text", 4);
    put_bytes(&m, 6, "s", 1);
    refused(&m, "takes 1 elements, the file has 2");
    m = start(8, 1);
    put_bytes(&m, 6, "te\0xt", 5);
    refused(&m, "a string holds a zero byte");
    m = start(8, 1);
    put_bytes(&m, 6, "text", 4);
    put_bytes(&m, 9, "1234", 4);
    refused(&m, "strings are not in raw_data");
    m = start(8, (int64_t)1 << 40);
    refused(&m, "its strings take 1099511627776 bytes");
    m = start(DNNLC_U8, 1);
    put_bytes(&m, 6, "t", 1);
    refused(&m, "u8[1] has its data in field 6, which is another type's");
    m = start(14, 1);
    refused(&m, "type 14");
    m = start(DNNLC_F32, 1);
    put_number(&m, 14, 1);
    refused(&m, "the tensor's data is in another file");
    m = start(DNNLC_F32, 1);
    put_bytes(&m, 13, "", 0);
    refused(&m, "the tensor's data is in another file");
    m = start(DNNLC_F32, 1);
    put_bytes(&m, 3, "", 0);
    refused(&m, "a segment of a tensor, a sequence or an optional");
    m = start(DNNLC_F32, 1);
    put_number(&m, 5, 1);
    refused(&m, "field 5, which is another type's");
    m = start(DNNLC_I32, 1);
    put_number(&m, 5, 1);
    put_bytes(&m, 9, "1234", 4);
    refused(&m, "field 5 and in raw_data");
    m = start(DNNLC_F32, 1);
    put_number(&m, 4, 1);
    refused(&m, "not a TensorProto: field 4 has the wrong wire type");
    m = start(DNNLC_F32, 1);
    for (int i = 0; i < DNNLC_MAX_RANK; i++)
        put_number(&m, 1, 1);
    refused(&m, "13 dimensions, more than 12: damaged, or not a tensor");
    m = (struct message){.size = 0};
    refused(&m, "not a TensorProto: it has no data_type");
}

static void malformed(void **state)
{
    (void)state;
    static const struct {
        const char *bytes, *reason;
        size_t size;
    } cases[] = {
        {"\x10", "malformed protobuf: a number is cut off or too long", 1},
        {"\x80", "malformed protobuf: a field's key is cut off", 1},
        {"\x10\xff\xff\xff\xff\xff\xff\xff\xff\xff\x02", "a number is cut off or too long", 11},
        {"\x10\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff\x01", "a number is cut off or too long", 12},
        {"\x4a\xff\xff\xff\xff\xff\xff\xff\xff\xff\x01", "malformed protobuf: a length goes past the end", 11},
        {"\x4a\x05\x01", "malformed protobuf: a length goes past the end", 3},
        {"\x0a\x01\xff", "malformed protobuf: a packed field is cut off", 3},
        {"\x22\x03\x01\x02\x03", "malformed protobuf: a packed field is cut off", 5},
        {"\x9b\x06", "malformed protobuf: wire type 3", 2},
        {"\x9f\x06", "wire type 7", 2},
        {"\x02\x00", "malformed protobuf: field number 0", 2},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct message m = {.size = cases[i].size};
        memcpy(m.bytes, cases[i].bytes, cases[i].size);
        refused(&m, cases[i].reason);
    }
}

/* The sum of all elements in place of a list, so that damaged lists can be read as damaged tensors are. */
static bool parse_sum(const void *bytes, size_t size, struct dnnlc_array *array, char *why,
                      size_t why_size)
{
    struct dnnlc_arrays list = {0};
    double sum = 0;
    if (!dnnlc_pb_parse_all(bytes, size, &list, why, why_size)) {
        assert_int_equal(list.count, 0);
        return false;
    }
    for (size_t k = 0; k < list.count; k++)
        for (size_t i = 0; i < list.arrays[k].count; i++)
            sum += dnnlc_array_element(&list.arrays[k], i);
    const float rounded = (float)sum;
    dnnlc_arrays_free(&list, 0);
    if (!dnnlc_array_describe(array, DNNLC_F32, 0, NULL, why, why_size) ||
        !dnnlc_array_alloc(array, why, why_size))
        return false;
    memcpy(array->data, &rounded, sizeof rounded);
    return true;
}

/* A sequence of [1] and [2, 3], which may be in an optional. */
static struct message two_tensors(const char *name)
{
    static const float values[] = {1, 2, 3};
    struct message m = {.size = 0};
    if (name)
        put_bytes(&m, 1, name, strlen(name));
    put_number(&m, 2, 1);
    for (int k = 0; k < 2; k++) {
        struct message tensor = start(DNNLC_F32, 1 + k);
        put_bytes(&tensor, 9, values + k, (size_t)(1 + k) * sizeof *values);
        put_bytes(&m, 3, tensor.bytes, tensor.size);
    }
    return m;
}

static void lists_are(const struct message *m, size_t count, double sum, const char *last)
{
    char why[WHY];
    struct dnnlc_arrays list = {0};
    struct dnnlc_array array;
    if (!dnnlc_pb_parse_all(m->bytes, m->size, &list, why, sizeof why))
        fail_msg("refused: %s", why);
    assert_int_equal(list.count, count);
    if (last)
        assert_string_equal(list.arrays[count - 1].name, last);
    else if (count)
        assert_null(list.arrays[count - 1].name);
    dnnlc_arrays_free(&list, 0);
    assert_true(parse_exact(parse_sum, m->bytes, m->size, &array, why));
    assert_true(dnnlc_array_element(&array, 0) == sum);
    dnnlc_array_free(&array);
    parse_damaged(parse_sum, m->bytes, m->size);
}

static void sequences_and_optionals(void **state)
{
    (void)state;
    struct message m = two_tensors("seq"), optional = {.size = 0}, deep = {.size = 0};
    struct dnnlc_array array;
    char why[WHY];
    lists_are(&m, 2, 6, "seq_1");
    put_bytes(&optional, 1, "opt", 3);
    put_number(&optional, 2, 3);
    put_bytes(&optional, 5, m.bytes, m.size);
    lists_are(&optional, 2, 6, "opt_1");
    put_number(&deep, 2, 3);
    put_bytes(&deep, 5, optional.bytes, optional.size);
    assert_false(parse_exact(parse_sum, deep.bytes, deep.size, &array, why));
    assert_contains(why, "a sequence of sequences");
    m = two_tensors(NULL);
    lists_are(&m, 2, 6, NULL);
    m.size = 2; /* nothing but the kind */
    lists_are(&m, 0, 0, NULL);
    m = start(DNNLC_F32, 1);
    put_bytes(&m, 9, "\0\0\0\x40", 4);
    lists_are(&m, 1, 2, NULL);
    m = two_tensors("seq");
    put_bytes(&m, 3, "\x10\x0e", 2); /* complex numbers */
    assert_false(parse_exact(parse_sum, m.bytes, m.size, &array, why));
    assert_contains(why, "type 14");
}

/* Every file that says it is one tensor is read; the small ones are damaged as well. Files of
 * sequences and complex numbers are refused with that as the reason. */
static void onnx_test_data(void **state)
{
    static const char *const reasons[] = {"tensors, not one", "data_type", "type 14",
                                          "type 15",          "wire type", "not a tensor"};
    char pattern[1024], why[WHY];
    glob_t found;
    size_t read = 0, small = 0;
    snprintf(pattern, sizeof pattern, "%s/*/*/test_data_set_0/*.pb", (const char *)*state);
    if (glob(pattern, 0, NULL, &found) != 0)
        skip();
    for (size_t i = 0; i < found.gl_pathc; i++) {
        struct dnnlc_array array;
        struct dnnlc_bytes bytes;
        const char *path = found.gl_pathv[i];
        if (dnnlc_array_read(path, &array, why, sizeof why)) {
            read++;
            dnnlc_array_free(&array);
        } else {
            size_t k = 0;
            while (k < sizeof reasons / sizeof *reasons && !strstr(why, reasons[k]))
                k++;
            if (k == sizeof reasons / sizeof *reasons)
                fail_msg("%s", why);
        }
        assert_true(dnnlc_file_read(path, &bytes, why, sizeof why));
        if (bytes.size <= 128 && small++ < 100)
            parse_damaged(dnnlc_pb_parse, bytes.data, bytes.size);
        free(bytes.data);
    }
    print_message("%zu of %zu files are tensors\n", read, found.gl_pathc);
    assert_true(read > found.gl_pathc * 9 / 10);
    globfree(&found);
}

int main(int argc, char **argv)
{
    char here[] = ".", *folder = argc > 1 ? argv[1] : here;
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(raw_data),
        cmocka_unit_test(codes),
        cmocka_unit_test(any_order),
        cmocka_unit_test(float_data),
        cmocka_unit_test(double_data),
        cmocka_unit_test(int32_data),
        cmocka_unit_test(out_of_range),
        cmocka_unit_test(wide_integers),
        cmocka_unit_test(scalars_and_empty),
        cmocka_unit_test(strings),
        cmocka_unit_test(refusals),
        cmocka_unit_test(malformed),
        cmocka_unit_test(sequences_and_optionals),
        cmocka_unit_test_prestate(onnx_test_data, folder),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
