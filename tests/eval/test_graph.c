/* Whole graphs: ports, constants, outputs that nobody wants. */
#include "../../gen/eval/eval.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>

#include <cmocka.h>

typedef struct Fixture {
    Arena *arena;
    Diag *diag;
    Graph *g;
} Fixture;

static Fixture begin(void)
{
    Fixture f = {.arena = arena_new()};
    f.diag = ARENA_NEW(f.arena, Diag);
    f.diag->arena = f.arena;
    f.g = graph_new(f.arena, f.diag, "test", "test");
    return f;
}

static Tensor vector(float *data, int64_t n)
{
    return (Tensor){type_make(DT_F32, 1, &n), data};
}

/* z = (x + c) * y; outputs z, x itself, the constant itself, z again. */
static void ports(void **state)
{
    (void)state;
    Fixture f = begin();
    float c[] = {1, 2}, x[] = {3, 4}, y[] = {10, 100};
    Tensor inputs[] = {vector(x, 2), vector(y, 2)}, outputs[4];
    ValueId vx = graph_add_input(f.g, "x", inputs[0].type);
    ValueId vy = graph_add_input(f.g, "y", inputs[1].type);
    ValueId vc = graph_add_const(f.g, "c", inputs[0].type, c);
    ValueId sum = graph_op(f.g, OP_Add, NULL, (ValueId[]){vx, vc}, 2, &ATTR_END);
    ValueId z = graph_op(f.g, OP_Mul, NULL, (ValueId[]){sum, vy}, 2, &ATTR_END);
    const ValueId results[] = {z, vx, vc, z};
    for (size_t k = 0; k < COUNT_OF(results); k++)
        graph_add_output(f.g, "out", results[k]);
    assert_true(eval_graph(f.g, inputs, outputs, f.arena));
    const float want[4][2] = {{40, 600}, {3, 4}, {1, 2}, {40, 600}};
    for (size_t k = 0; k < COUNT_OF(want); k++)
        assert_memory_equal(outputs[k].data, want[k], sizeof want[k]);
    arena_free(f.arena);
}

static void unwanted_outputs(void **state)
{
    (void)state;
    for (int kept = 0; kept < 2; kept++) {
        Fixture f = begin();
        float x[] = {3, 5, 4};
        Tensor input = vector(x, 3), output;
        ValueId vx = graph_add_input(f.g, "x", input.type);
        const char *const names[2] = {kept == 0 ? "values" : "", kept == 1 ? "indices" : ""};
        const Attr attrs[] = {ATTR_I("axis", 0), ATTR_I("k", 2), ATTR_I("largest", 1),
                              ATTR_I("sorted", 1)};
        NodeId n = graph_add_node(f.g, OP_TopK, "top", 0, &vx, 1, 2, names, attrs, 4);
        assert_false(has_value(node_at(f.g, n)->out[!kept]));
        graph_add_output(f.g, "out", node_at(f.g, n)->out[kept]);
        assert_true(eval_graph(f.g, &input, &output, f.arena));
        if (kept == 0)
            assert_memory_equal(output.data, ((float[]){5, 4}), 2 * sizeof(float));
        else
            assert_memory_equal(output.data, ((int64_t[]){1, 2}), 2 * sizeof(int64_t));
        arena_free(f.arena);
    }
}

static void refusals(void **state)
{
    (void)state;
    Fixture f = begin();
    float x[] = {3, 4};
    int64_t at[] = {7};
    Tensor input = vector(x, 2), output;
    ValueId vx = graph_add_input(f.g, "x", input.type);
    ValueId vi = graph_add_const(f.g, "i", type_make(DT_I64, 1, (int64_t[]){1}), at);
    ValueId vu = graph_add_const(f.g, "u", type_make(DT_F32, 1, (int64_t[]){1}), x);
    const Attr attrs[] = {ATTR_I("axis", 0), ATTR_S("reduction", "none"), ATTR_END};
    ValueId z = graph_op(f.g, OP_ScatterElements, NULL, (ValueId[]){vx, vi, vu}, 3, attrs);
    graph_add_output(f.g, "out", z);
    assert_false(eval_graph(f.g, &input, &output, f.arena));
    assert_non_null(strstr(f.diag->message, "index 7 is outside a dimension of 2"));
    f.diag->message = NULL;
    input.type.dims[0] = 1;
    assert_false(eval_graph(f.g, &input, &output, f.arena));
    assert_string_equal(f.diag->message, "test: input 'x' is f32[1], not f32[2]");
    arena_free(f.arena);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(ports),
        cmocka_unit_test(unwanted_outputs),
        cmocka_unit_test(refusals),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
