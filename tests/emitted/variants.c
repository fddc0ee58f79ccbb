/* variants: a model for 1, 4 and 6 pictures (V_) gives what the model for as many alone does (A_: for one, B_: for four), and is looked up, chosen and refused
 * as its header says. SPDX-License-Identifier: Apache-2.0 */
#include <math.h>

#include "a_dnnl.h"
#include "b_dnnl.h"
#include "check.h"
#include "v_dnnl.h"

enum { PIXELS = 28 * 28, DIGITS = 10, MOST = 6 };

static float pictures[MOST * PIXELS], probabilities[MOST * DIGITS], wanted[MOST * DIGITS];

static void run(v_context *ctx, int variant)
{
    const v_inputs in = {pictures};
    const v_outputs out = {probabilities};
    memset(probabilities, 0x7f, sizeof probabilities);
    CHECK(v_select(ctx, variant) == V_OK);
    CHECK(v_run(ctx, &in, &out) == V_OK);
}

static void compare(int n)
{
    for (int i = 0; i < n * DIGITS; i++)
        CHECK(fabsf(probabilities[i] - wanted[i]) <= 1e-5f);
}

int main(void)
{
    static v_context all, one;
    static a_context a;
    static b_context b;
    void *workspace = memory(V_WORKSPACE_SIZE);
    v_config config = {.workspace = workspace, .workspace_size = V_WORKSPACE_SIZE};
    const a_config for_a = {.workspace = memory(A_WORKSPACE_SIZE),
                            .workspace_size = A_WORKSPACE_SIZE};
    const b_config for_b = {.workspace = memory(B_WORKSPACE_SIZE),
                            .workspace_size = B_WORKSPACE_SIZE};
    for (int i = 0; i < MOST * PIXELS; i++)
        pictures[i] = (float)(i * 37 % 101) / 101.0f;

    CHECK(V_VARIANTS == 3 && v_variants[0].image_0 == 1 && v_variants[1].image_0 == 4 &&
          v_variants[2].image_0 == 6);
    CHECK(v_find(1) == 0 && v_find(6) == 2 && v_find(2) == -1 && v_find(-1) == -1);
    CHECK(v_fit(1) == 0 && v_fit(2) == 1 && v_fit(5) == 2 && v_fit(7) == -1 && v_fit(0) == 0);

    CHECK(a_init(&a, &for_a) == A_OK && b_init(&b, &for_b) == B_OK &&
          v_init(&all, &config) == V_OK);
    CHECK(a_run(&a, &(a_inputs){pictures}, &(a_outputs){wanted}) == A_OK);
    run(&all, 0);
    compare(1);
    CHECK(b_run(&b, &(b_inputs){pictures}, &(b_outputs){wanted}) == B_OK);
    run(&all, 1);
    compare(4);
    for (int i = 4; i < 6; i++) /* one after the other: what the largest variant does at once */
        CHECK(a_run(&a, &(a_inputs){pictures + i * PIXELS}, &(a_outputs){wanted + i * DIGITS}) ==
              A_OK);
    run(&all, 2);
    compare(6);
    run(&all, 0);
    compare(1);
    CHECK(v_select(&all, 3) == V_BAD_ARGUMENT && v_select(&all, -1) == V_BAD_ARGUMENT &&
          v_select(NULL, 0) == V_BAD_ARGUMENT);
    v_fini(&all);
    CHECK(v_select(&all, 0) == V_BAD_ARGUMENT);

    config.variant = 2; /* the second alone */
    CHECK(v_init(&one, &config) == V_OK);
    CHECK(v_select(&one, 0) == V_BAD_ARGUMENT &&
          !strcmp(v_error(&one), "this variant was not prepared, or there is none of this number"));
    run(&one, 1);
    compare(4);
    v_fini(&one);
    config.variant = 4;
    CHECK(v_init(&one, &config) == V_BAD_ARGUMENT);
    config.variant = -1;
    CHECK(v_init(&one, &config) == V_BAD_ARGUMENT);
    return 0;
}
