/* TreeEnsemble: conditions, missing values, sets, aggregation; tables that are damaged. */
#include "eval_check.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include <cmocka.h>

/* One branch, of which 1 comes out where its condition holds and 10 where it does not. */
#define STUMP(node)                                                                                \
    "i32[3,5] " node " 7 1 0 0 0  7 1 0 0 1; f32[3] 2; i32[1] 0; f32[2] 10 1; i32[2] 0 0"
#define X "f32[4,1] 1 2 3 nan; "
#define SUM "n_targets=1 aggregate_function=SUM"

static void conditions(void **state)
{
    static const char *const results[] = {"1 1 10 10",  "1 10 10 10", "10 1 1 10",
                                          "10 10 1 10", "10 1 10 10", "1 10 1 1"};
    (void)state;
    for (int mode = 0; mode < 6; mode++)
        for (int missing = 0; missing < 2; missing++) {
            char operands[200], result[60];
            snprintf(operands, sizeof operands, X STUMP("%d 0 1 %d 0"), mode, missing);
            snprintf(result, sizeof result, "f32[4,1] %.*s %s", mode == 5 ? 6 : 7, results[mode],
                     missing || mode == 5 ? "1" : "10");
            check_eval("TreeEnsemble", operands, SUM, result);
        }
}

static void sets(void **state)
{
    (void)state;
    check_eval("TreeEnsemble", X STUMP("6 0 1 0 1") "; f32[4] nan 3 1 nan", SUM,
               "f32[4,1] 1 10 1 10");
    check_eval("TreeEnsemble", X STUMP("6 0 1 1 0") "; f32[4] nan 3 1 nan", SUM,
               "f32[4,1] 10 10 10 1");
}

/* A leaf of two weights, one of none, and one that stands for two trees. */
#define FOREST                                                                                     \
    "f32[2,1] 0 9; i32[4,5] 0 0 1 0 0  7 0 0 0 0  7 2 0 0 0  7 1 0 0 2; f32[4] 5; "                \
    "i32[3] 0 3 3; f32[3] 4 -1 3; i32[3] 0 1 0"

static void aggregates(void **state)
{
    (void)state;
    check_eval("TreeEnsemble", FOREST, "n_targets=3 aggregate_function=SUM",
               "f32[2,3] 10 -1 0  6 0 0");
    check_eval("TreeEnsemble", FOREST, "n_targets=3 aggregate_function=MIN",
               "f32[2,3] 3 -1 0  3 0 0");
    check_eval("TreeEnsemble", FOREST, "n_targets=3 aggregate_function=MAX",
               "f32[2,3] 4 -1 0  3 0 0");
}

static void damage(void **state)
{
    (void)state;
    check_refusal("TreeEnsemble", X STUMP("0 0 0 0 0"), SUM, "children of node 0");
    check_refusal("TreeEnsemble", X STUMP("0 0 2 0 0"), SUM, "children of node 0");
    check_refusal("TreeEnsemble", X STUMP("0 1 1 0 0"), SUM, "feature 1 does not exist");
    check_refusal("TreeEnsemble", X STUMP("0 -1 1 0 0"), SUM, "feature -1 does not exist");
    check_refusal("TreeEnsemble", X STUMP("6 0 1 0 0"), SUM, "set of node 0");
    check_refusal("TreeEnsemble", X STUMP("6 0 1 0 0") "; f32[1] 1", SUM, "does not end");
    check_refusal("TreeEnsemble", X STUMP("8 0 1 0 0"), SUM, "mode that does not exist");
    check_refusal("TreeEnsemble", X STUMP("7 3 0 0 0"), SUM, "leaf 0");
    check_refusal("TreeEnsemble", X STUMP("7 2147483647 0 0 2147483647"), SUM, "leaf 0");
    check_refusal("TreeEnsemble", X "i32[1,5] 7 1; f32[1]; i32[1] 1; f32[1]; i32[1]", SUM,
                  "root of tree 0");
    check_refusal("TreeEnsemble", X "i32[1,5] 7 1; f32[1]; i32[1]; f32[1]; i32[1] 1", SUM,
                  "target 1 does not exist");
    check_refusal("TreeEnsemble", X "i32[1,5] 7 1; f32[1]; i32[1]; f32[1] inf; i32[1]",
                  "n_targets=1 aggregate_function=MIN", "weight 0 is not finite");
    check_refusal("TreeEnsemble", X "i32[1,4] 7 1; f32[1]; i32[1]; f32[1]; i32[1]", SUM,
                  "nodes of shape [1,4] are no table");
    check_refusal("TreeEnsemble", X "i32[1,5] 7 1; f64[1]; i32[1]; f32[1]; i32[1]", SUM, "splits");
    check_refusal("TreeEnsemble", "f16[1,1]; i32[1,5] 7 1; f16[1]; i32[1]; f16[1]; i32[1]", SUM,
                  "X is of type f16");
}

/* No step is made where all classes are about as likely. */
static void coupling(void **state)
{
    (void)state;
    check_eval("PairwiseCoupling", "f32[2,1] 0.499 0.501", "classes=2", "f32[2,2] 0.5 0.5 0.5 0.5");
    check_eval("PairwiseCoupling", "f32[1,3] 0.5 0.5 0.5", "classes=3",
               "f32[1,3] 0.33333333 0.33333333 0.33333333");
    check_refusal("PairwiseCoupling", "f32[1,2]", "classes=3",
                  "src of shape [1,2] has no number for each pair of 3 classes");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(conditions), cmocka_unit_test(sets),     cmocka_unit_test(aggregates),
        cmocka_unit_test(damage),     cmocka_unit_test(coupling),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
