#define _POSIX_C_SOURCE 200809L
/* .npy files: written and read back, as NumPy writes them, and damaged. */
#include "testing.h"

#include "dnnlc_file.h"
#include "dnnlc_npy.h"

#include <errno.h>
#include <sys/stat.h>
#include <unistd.h>

/* The bytes of a whole file for an array, to be freed. */
static char *file_of(const struct dnnlc_array *array, size_t *size)
{
    char header[DNNLC_NPY_HEADER_MAX];
    size_t length = dnnlc_npy_header(array, header);
    assert_int_equal(length % 64, 0);
    char *bytes = malloc(length + array->bytes);
    assert_non_null(bytes);
    memcpy(bytes, header, length);
    memcpy(bytes + length, array->data, array->bytes);
    *size = length + array->bytes;
    return bytes;
}

/* A file of a given version with this dictionary and these data. */
static size_t compose(unsigned char *file, int version, const char *dictionary, const void *data,
                      size_t size)
{
    size_t length = strlen(dictionary), start = version == 1 ? 10 : 12;
    memset(file, 0, start);
    memcpy(file, "\x93NUMPY", 6);
    file[6] = (unsigned char)version;
    file[8] = (unsigned char)(length & 255);
    file[9] = (unsigned char)(length >> 8);
    memcpy(file + start, dictionary, length);
    memcpy(file + start + length, data, size);
    return start + length + size;
}

static bool read_composed(int version, const char *dictionary, const void *data, size_t size,
                          struct dnnlc_array *array, char *why)
{
    unsigned char file[4096];
    size_t length = compose(file, version, dictionary, data, size);
    return parse_exact(dnnlc_npy_parse, file, length, array, why);
}

static void strings(void **state)
{
    (void)state;
    struct dnnlc_array array;
    char why[WHY];
    assert_true(read_composed(1, "{'descr':'|S3','fortran_order':False,'shape':(2,)}", "ab\0cde", 6,
                              &array, why));
    assert_true(array.text && array.dtype == DNNLC_U8 && array.rank == 2 && array.dims[1] == 3);
    assert_memory_equal(array.data, "ab\0cde", 6);
    dnnlc_array_free(&array);
}

static void round_trip(void **state)
{
    (void)state;
    static const int64_t dims[] = {2, 3, 1, 2};
    char why[WHY];
    for (int i = 0; i < N_ALL_DTYPES; i++)
        for (int rank = 0; rank <= 4; rank++) {
            struct dnnlc_array array = counting_array(all_dtypes[i], rank, dims), back;
            size_t size;
            char *bytes = file_of(&array, &size);
            assert_true(parse_exact(dnnlc_npy_parse, bytes, size, &back, why));
            assert_same_array(&array, &back);
            dnnlc_array_free(&array);
            dnnlc_array_free(&back);
            free(bytes);
        }
}

static void widest_header_fits(void **state)
{
    (void)state;
    struct dnnlc_array array = {.dtype = DNNLC_BF16, .rank = DNNLC_MAX_RANK};
    char header[DNNLC_NPY_HEADER_MAX];
    for (int d = 0; d < DNNLC_MAX_RANK; d++)
        array.dims[d] = INT64_MAX;
    assert_true(dnnlc_npy_header(&array, header) <= sizeof header);
}

static void empty_arrays(void **state)
{
    (void)state;
    static const int64_t dims[] = {3, 0, 5};
    char why[WHY];
    struct dnnlc_array array = counting_array(DNNLC_F32, 3, dims), back;
    size_t size;
    char *bytes = file_of(&array, &size);
    assert_true(parse_exact(dnnlc_npy_parse, bytes, size, &back, why));
    assert_same_array(&array, &back);
    dnnlc_array_free(&array);
    dnnlc_array_free(&back);
    free(bytes);
}

/* The exact text of numpy.save for a vector of three floats. */
static void header_is_numpys(void **state)
{
    (void)state;
    static const int64_t dims[] = {3};
    struct dnnlc_array array = counting_array(DNNLC_F32, 1, dims);
    char header[DNNLC_NPY_HEADER_MAX];
    assert_int_equal(dnnlc_npy_header(&array, header), 128);
    assert_memory_equal(header, "\x93NUMPY\x01\x00\x76\x00", 10);
    assert_memory_equal(header + 10, "{'descr': '<f4', 'fortran_order': False, 'shape': (3,), } ",
                        58);
    assert_int_equal(header[127], '\n');
    dnnlc_array_free(&array);
}

static void versions_and_spellings(void **state)
{
    (void)state;
    static const char *const same[] = {
        "{'descr': '<i2', 'fortran_order': False, 'shape': (2, 2), }  \n",
        "{\"shape\":(2,2),\"descr\":\"=i2\",\"fortran_order\":False}",
        " { 'fortran_order' : False , 'shape' : ( 2L , 2L , ) , 'descr' : 'i2' } \n"};
    static const int16_t data[] = {1, 2, 3, -4};
    for (int version = 1; version <= 3; version++)
        for (size_t i = 0; i < sizeof same / sizeof *same; i++) {
            char why[WHY];
            struct dnnlc_array array;
            assert_true(read_composed(version, same[i], data, sizeof data, &array, why));
            assert_int_equal(array.dtype, DNNLC_I16);
            assert_int_equal(array.rank, 2);
            assert_memory_equal(array.data, data, sizeof data);
            dnnlc_array_free(&array);
        }
}

/* The columns of a 2x3 matrix, then a 2x3x2 array against its formula. */
static void fortran_order(void **state)
{
    (void)state;
    static const uint8_t columns[] = {1, 4, 2, 5, 3, 6}, rows[] = {1, 2, 3, 4, 5, 6};
    char why[WHY];
    struct dnnlc_array array;
    assert_true(read_composed(1, "{'descr':'|u1','fortran_order':True,'shape':(2,3)}", columns, 6,
                              &array, why));
    assert_memory_equal(array.data, rows, 6);
    dnnlc_array_free(&array);

    int32_t cube[12];
    for (int i = 0; i < 12; i++)
        cube[i] = i;
    assert_true(read_composed(1, "{'descr':'<i4','fortran_order':True,'shape':(2,3,2)}", cube,
                              sizeof cube, &array, why));
    for (int a = 0; a < 2; a++)
        for (int b = 0; b < 3; b++)
            for (int c = 0; c < 2; c++)
                assert_true(dnnlc_array_element(&array, (size_t)((a * 3 + b) * 2 + c)) ==
                            a + 2 * b + 6 * c);
    dnnlc_array_free(&array);
}

static void other_byte_order(void **state)
{
    (void)state;
    static const unsigned char big[] = {0x3f, 0x80, 0, 0, 0xc0, 0, 0, 0};
    char why[WHY];
    struct dnnlc_array array;
    assert_true(read_composed(1, "{'descr':'>f4','fortran_order':False,'shape':(2,)}", big, 8,
                              &array, why));
    assert_true(dnnlc_array_element(&array, 0) == 1.0);
    assert_true(dnnlc_array_element(&array, 1) == -2.0);
    dnnlc_array_free(&array);
}

static void bfloat16_and_bool(void **state)
{
    (void)state;
    static const unsigned char one[] = {0x80, 0x3f}, flags[] = {0, 1, 2, 255};
    char why[WHY];
    struct dnnlc_array array;
    assert_true(
        read_composed(1, "{'descr':'|V2','fortran_order':False,'shape':()}", one, 2, &array, why));
    assert_int_equal(array.dtype, DNNLC_BF16);
    assert_true(dnnlc_array_element(&array, 0) == 1.0);
    dnnlc_array_free(&array);
    assert_true(read_composed(1, "{'descr':'|b1','fortran_order':False,'shape':(4,)}", flags, 4,
                              &array, why));
    assert_memory_equal(array.data, "\0\1\1\1", 4);
    dnnlc_array_free(&array);
}

static void refusals(void **state)
{
    (void)state;
    static const struct {
        const char *dictionary, *reason;
    } cases[] = {
        {"{'descr':'<f4','fortran_order':False,'shape':(3,)}", "takes 12 bytes"},
        {"{'descr':'<f4','fortran_order':False,'shape':(1,)}", "takes 4 bytes"},
        {"{'descr':'<f4','fortran_order':False,'shape':(4294967296,4294967296)}", "too many"},
        {"{'descr':'<f4','fortran_order':False,'shape':(99999999999999999999,)}", "malformed .npy header: a dimension is too large"},
        {"{'descr':'<f4','fortran_order':False,'shape':(-1,)}", "a dimension is not a number"},
        {"{'descr':'<f4','fortran_order':False,'shape':(2)}", "the shape is not a tuple"},
        {"{'descr':'<f4','fortran_order':False,'shape':(,)}", "a dimension is not a number"},
        {"{'descr':'<f4','fortran_order':False,'shape':(1,1", "the shape does not end"},
        {"{'descr':'<f4','fortran_order':False,'shape':(1,1,1,1,1,1,1,1,1,1,1,1,2)}",
         "more than 12 dimensions"},
        {"{'descr':'<f4','fortran_order':False}", "descr, fortran_order or shape is missing"},
        {"{'descr':'<f4','fortran_order':0,'shape':(2,)}", "fortran_order is not True or False"},
        {"{'descr':'<f4','descr':'<f4','fortran_order':False,'shape':(2,)}", "a key comes twice"},
        {"{'descr':'<f4','fortran_order':False,'shape':(2,),'x':1}", "a key other than descr, fortran_order and shape"},
        {"{'descr':'<f4','fortran_order':False,'shape':(2,)} x", "text after the dictionary"},
        {"{'descr':'<c8','fortran_order':False,'shape':(1,)}", "'c8' is not supported"},
        {"{'descr':'|O','fortran_order':False,'shape':(1,)}", "'O' is not supported"},
        {"{'descr':'<U4','fortran_order':False,'shape':(1,)}", "'U4' is not supported"},
        {"{'descr':'|S0','fortran_order':False,'shape':(1,)}", "strings of an odd size"},
        {"{'descr':'|Sx','fortran_order':False,'shape':(1,)}", "strings of an odd size"},
        {"{'descr':'|S99999999999','fortran_order':False,'shape':(1,)}", "strings of an odd size"},
        {"{'descr':'|S2','fortran_order':True,'shape':(2,)}", "strings in Fortran's order, or of 1 dimensions"},
        {"{'descr':'|S2','fortran_order':False,'shape':(1,1,1,1,1,1,1,1,1,1,1,1)}",
         "of 12 dimensions"},
        {"{'descr':'|S2147483646','fortran_order':False,'shape':(9223372036854775807,)}",
         "too many elements"},
        {"{'descr':[('a','<f4')],'fortran_order':False,'shape':(2,)}", "structured .npy types are not supported"},
        {"{'descr':'','fortran_order':False,'shape':(2,)}", "'' is not supported"},
        {"{'descr", "a string does not end"},
        {"", "it is not a dictionary"},
        {"{", "a string is missing"},
        {"{'descr' 1", "a ':' is missing"},
        {"{'descr':'<f4' 'shape':()", "the dictionary does not end"},
    };
    static const char data[8] = {0};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        char why[WHY];
        struct dnnlc_array array;
        assert_false(read_composed(1, cases[i].dictionary, data, sizeof data, &array, why));
        assert_contains(why, cases[i].reason);
    }
}

static void bad_preambles(void **state)
{
    (void)state;
    static const char v4[] = "\x93NUMPY\x04\x00\x02\x00{}", zip[] = "PK\x03\x04 an .npz file";
    static const unsigned char long_header[] = "\x93NUMPY\x02\x00\xff\xff\xff\xff{}";
    char why[WHY];
    struct dnnlc_array array;
    assert_false(parse_exact(dnnlc_npy_parse, v4, sizeof v4, &array, why));
    assert_contains(why, "version 4");
    assert_false(parse_exact(dnnlc_npy_parse, zip, sizeof zip, &array, why));
    assert_contains(why, "not a .npy file");
    assert_false(parse_exact(dnnlc_npy_parse, long_header, sizeof long_header, &array, why));
    assert_contains(why, "the .npy header is truncated");
}

static void damaged_files(void **state)
{
    (void)state;
    static const int64_t dims[] = {2, 3};
    static const uint8_t columns[] = {1, 4, 2, 5, 3, 6};
    for (int i = 0; i < N_ALL_DTYPES; i++) {
        struct dnnlc_array array = counting_array(all_dtypes[i], 2, dims);
        size_t size;
        char *bytes = file_of(&array, &size), why[WHY];
        for (size_t length = 0; length < size; length++)
            assert_false(parse_exact(dnnlc_npy_parse, bytes, length, &array, why));
        parse_damaged(dnnlc_npy_parse, bytes, size);
        dnnlc_array_free(&array);
        free(bytes);
    }
    unsigned char file[256];
    size_t size =
        compose(file, 2, "{'descr':'|u1','fortran_order':True,'shape':(2,3)}", columns, 6);
    parse_damaged(dnnlc_npy_parse, file, size);
}

static void files(void **state)
{
    const char *dir = *state;
    char path[512], why[WHY], found[WHY];
    static const int64_t dims[] = {2, 5};
    struct dnnlc_array array = counting_array(DNNLC_I64, 2, dims), back;
    snprintf(path, sizeof path, "%s/a.npy", dir);
    write_file(path, "old", 3);
    assert_true(dnnlc_array_write(path, &array, why, sizeof why));
    assert_true(dnnlc_array_read(path, &back, why, sizeof why));
    assert_same_array(&array, &back);
    dnnlc_array_free(&back);
    assert_int_equal(unlink(path), 0);

    /* A folder in the way: nothing may be left beside it. */
    assert_int_equal(mkdir(path, 0777), 0);
    assert_false(dnnlc_array_write(path, &array, why, sizeof why));
    assert_contains(why, path);
    assert_false(dnnlc_array_read(path, &back, why, sizeof why));
    assert_contains(why, "not a regular file");
    assert_int_equal(rmdir(path), 0);

    snprintf(path, sizeof path, "%s/none/a.npy", dir);
    assert_false(dnnlc_array_write(path, &array, why, sizeof why));
    assert_false(dnnlc_array_read(path, &back, why, sizeof why));
    snprintf(found, sizeof found, "%s: %s", path, strerror(ENOENT));
    assert_string_equal(why, found);
    assert_false(dnnlc_array_read("a.txt", &back, why, sizeof why));
    assert_contains(why, "a.txt: neither a .npy nor a .pb file, by its name");
    dnnlc_array_free(&array);
}

static int make_folder(void **state)
{
    static char dir[] = "/tmp/dnnlc-npy-XXXXXX";
    *state = mkdtemp(dir);
    return *state ? 0 : -1;
}

/* Fails if a test left a file behind. */
static int remove_folder(void **state)
{
    return rmdir(*state);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(strings),
        cmocka_unit_test(round_trip),
        cmocka_unit_test(widest_header_fits),
        cmocka_unit_test(empty_arrays),
        cmocka_unit_test(header_is_numpys),
        cmocka_unit_test(versions_and_spellings),
        cmocka_unit_test(fortran_order),
        cmocka_unit_test(other_byte_order),
        cmocka_unit_test(bfloat16_and_bool),
        cmocka_unit_test(refusals),
        cmocka_unit_test(bad_preambles),
        cmocka_unit_test(damaged_files),
        cmocka_unit_test_setup_teardown(files, make_folder, remove_folder),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
