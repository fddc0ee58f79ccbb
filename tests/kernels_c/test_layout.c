/* Layouts: strides, sizes, tags, and which of them are the same bytes. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "../../gen/graph/layout.h"

static const int64_t nchw[] = {2, 20, 5, 7};

static void expect_strides(Layout l, const TensorType *t, int64_t a, int64_t b, int64_t c,
                           int64_t d)
{
    int64_t s[MAX_RANK];
    layout_strides(&l, t, s);
    assert_int_equal(s[0], a);
    assert_int_equal(s[1], b);
    assert_int_equal(s[2], c);
    assert_int_equal(s[3], d);
}

static void test_strides(void **state)
{
    (void)state;
    TensorType t = type_make(DT_F32, 4, nchw);
    expect_strides(layout_plain(4), &t, 700, 35, 7, 1);
    expect_strides(layout_nxc(4), &t, 700, 1, 140, 20);
    expect_strides(layout_nCxc(4, 16), &t, 1120, 560, 112, 16);
    expect_strides(layout_nCxc(4, 4), &t, 700, 140, 28, 4);
}

static void test_bytes_and_tags(void **state)
{
    (void)state;
    Arena *arena = arena_new();
    TensorType t = type_make(DT_F32, 4, nchw);
    Layout plain = layout_plain(4), nxc = layout_nxc(4), blocked = layout_nCxc(4, 16),
           scalar = layout_plain(0);
    assert_int_equal(layout_bytes(&plain, &t), 5600);
    assert_int_equal(layout_bytes(&nxc, &t), 5600);
    assert_int_equal(layout_bytes(&blocked, &t), 2 * 32 * 35 * 4);
    assert_string_equal(layout_tag(arena, &plain), "abcd");
    assert_string_equal(layout_tag(arena, &nxc), "acdb");
    assert_string_equal(layout_tag(arena, &blocked), "aBcd16b");
    assert_string_equal(layout_tag(arena, &scalar), "");
    arena_free(arena);
}

static void test_same(void **state)
{
    (void)state;
    Layout plain = layout_plain(4), nxc = layout_nxc(4), c16 = layout_nCxc(4, 16),
           c4 = layout_nCxc(4, 4);
    TensorType t = type_make(DT_F32, 4, nchw),
               column = type_make(DT_F32, 4, (int64_t[]){2, 20, 1, 1});
    TensorType one = type_make(DT_F32, 4, (int64_t[]){2, 1, 5, 7}),
               exact = type_make(DT_F32, 4, (int64_t[]){2, 16, 5, 7});
    assert_true(layout_is_plain(&plain) && !layout_is_plain(&nxc) && !layout_is_plain(&c4));
    assert_true(layout_equal(&nxc, &nxc) && !layout_equal(&nxc, &plain) &&
                !layout_equal(&c4, &c16));
    assert_false(layout_same_bytes(&plain, &nxc, &t));
    assert_true(layout_same_bytes(&plain, &nxc, &column));
    assert_true(layout_same_bytes(&plain, &c4, &column)); /* 20 is a multiple of 4 */
    assert_false(layout_same_bytes(&plain, &c16, &column));
    assert_true(layout_same_bytes(&plain, &nxc, &one));
    assert_false(layout_same_bytes(&plain, &c4, &one)); /* padded */
    assert_true(layout_same_bytes(&nxc, &c16, &exact)); /* one block */
    assert_false(layout_same_bytes(&nxc, &c4, &exact));
    Layout flat = layout_plain(2), swapped = layout_nxc(2);
    assert_true(layout_equal(&flat, &swapped));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_strides),
        cmocka_unit_test(test_bytes_and_tags),
        cmocka_unit_test(test_same),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
