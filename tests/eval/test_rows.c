/* Operators whose number of rows depends on data: what counts stands first, the rest is 0. */
#include "eval_check.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

/* Two that overlap by 1/3, one far away, one that is the first with its corners swapped. */
#define BOXES "f32[1,4,4] 0 0 1 1  0 0.5 1 1.5  5 5 6 6  1 1 0 0"

static void boxes_by_corners(void **state)
{
    (void)state;
    check_eval("NonMaxSuppression", BOXES "; f32[1,1,4] 0.5 0.9 0.1 0.6; _; f32[] 0.5",
               "center_point_box=0 limit=4", "i64[4,3] 0 0 1  0 0 3  0 0 2  0 0 0; i64[] 3");
    check_eval("NonMaxSuppression", BOXES "; f32[1,1,4] 0.5 0.9 0.1 0.6; _; f32[] 0.3",
               "center_point_box=0 limit=4", "i64[4,3] 0 0 1  0 0 2; i64[] 2");
    check_eval("NonMaxSuppression", BOXES "; f32[1,1,4] 0.5 0.9 0.1 0.6; _; f32[1] 0.5; f32[1] 0.5",
               "center_point_box=0 limit=4", "i64[4,3] 0 0 1  0 0 3; i64[] 2");
    /* No threshold of scores: negative ones count; NaN never does. Without one of overlaps nothing may overlap. */
    check_eval("NonMaxSuppression", BOXES "; f32[1,1,4] -1 nan -3 -inf",
               "center_point_box=0 limit=4", "i64[4,3] 0 0 0  0 0 2; i64[] 2");
}

static void limits_and_order(void **state)
{
    (void)state;
    /* Of equal scores the first box is the better one; -0 and 0 are equal. */
    check_eval("NonMaxSuppression", BOXES "; f32[1,1,4] 0 -0 0 0; _; f32[] 1",
               "center_point_box=0 limit=3", "i64[3,3] 0 0 0  0 0 1  0 0 2; i64[] 3");
    check_eval("NonMaxSuppression", BOXES "; f32[1,1,4] 0 0 0 0; i64[1] 2; f32[] 1",
               "center_point_box=0 limit=3", "i64[3,3] 0 0 0  0 0 1; i64[] 2");
    check_eval("NonMaxSuppression", BOXES "; f32[1,1,4] 0 0 0 0; i64[] -5; f32[] 1",
               "center_point_box=0 limit=3", "i64[3,3]; i64[] 0");
    /* By batch, then by class. */
    check_eval(
        "NonMaxSuppression",
        "f32[2,2,4] 0 0 1 1 0 0 1 1  0 0 1 1 3 3 4 4; f32[2,2,2] 1 2 3 4 5 6 7 8; _; f32[] 0.5",
        "center_point_box=0 limit=2", "i64[8,3] 0 0 1  0 1 1  1 0 1  1 0 0  1 1 1  1 1 0; i64[] 6");
}

static void boxes_by_centers(void **state)
{
    (void)state;
    check_eval("NonMaxSuppression",
               "f32[1,3,4] 1 1 2 2  1.5 1 2 2  9 9 0 0; f32[1,1,3] 3 2 1; _; f32[] 0.5",
               "center_point_box=1 limit=3", "i64[3,3] 0 0 0  0 0 2; i64[] 2");
}

static void non_zero(void **state)
{
    (void)state;
    check_eval("NonZero", "f32[2,3] 0 1 -0 nan 0 2", "", "i64[2,6] 0 1 1 0 0 0  1 0 2; i64[] 3");
    check_eval("NonZero", "bool[4] 0 1 1 0", "", "i64[1,4] 1 2; i64[] 2");
    check_eval("NonZero", "i64[1,1,2] 0 0", "", "i64[3,2]; i64[] 0");
}

static void unique(void **state)
{
    (void)state;
    check_eval("Unique", "i32[6] 3 1 3 -2 1 3", "axis=0 sorted=1",
               "i64[6] 3 1 0; i64[6] 2 1 2 0 1 2; i64[6] 1 2 3; i64[] 3");
    check_eval("Unique", "i32[6] 3 1 3 -2 1 3", "axis=0 sorted=0",
               "i64[6] 0 1 3; i64[6] 0 1 0 2 1 0; i64[6] 3 2 1; i64[] 3");
    check_eval("Unique", "f32[2,3] 1 0 1  2 5 2", "axis=1 sorted=1",
               "i64[3] 1 0; i64[3] 1 0 1; i64[3] 1 2; i64[] 2");
    check_eval("Unique", "f32[4] nan 1 nan -0", "axis=0 sorted=1",
               "i64[4] 3 1 0; i64[4] 2 1 2 0; i64[4] 1 1 2; i64[] 3");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(boxes_by_corners), cmocka_unit_test(limits_and_order),
        cmocka_unit_test(boxes_by_centers), cmocka_unit_test(non_zero),
        cmocka_unit_test(unique),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
