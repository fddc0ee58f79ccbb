/* The checker of programs says what is wrong: a program of three kernels is damaged by hand in one way after the other. (That it finds damages that give
 * wrong numbers in random programs: tests/pipeline/test_verify.c.) */
#include "../../gen/program/program.h"
#include "../../gen/text/text_ir.h"
#include "../../passes/pass.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

#include <string.h>

/* conv_0, softmax_1 and matmul_2; all that is computed has one type. */
static const char model[] =
    "graph \"t\" { input %x: f32[1,5,9,7] const %w: f32[5,5,1,1] = splat(0.5) "
    "const %v: f32[7,7] = splat(0.5) "
    "%c = Conv(%x, %w) {dilations=[1,1], group=1, pads=[0,0,0,0], strides=[1,1]} "
    "%s = Softmax(%c) {axis=3, axis_end=4} %m = MatMul(%s, %v) output \"y\" = %m }";

static BufferId at(const Program *p, const char *name, BufferKind kind)
{
    for (BufferId b = p->n_buffers; b-- > 0;)
        if (p->buffers[b].kind == kind && has_value(p->buffers[b].value) &&
            !strcmp(value_at(p->graph, p->buffers[b].value)->name, name))
            return b;
    fail_msg("no buffer of %s", name);
    return NO_BUFFER;
}

static Buffer *made(Program *p)
{
    return &p->buffers[at(p, "c", BUFFER_ARENA)];
}

static Buffer *weights(Program *p)
{
    return &p->buffers[at(p, "w", BUFFER_CONST)];
}

static Buffer *result(Program *p)
{
    return &p->buffers[at(p, "m", BUFFER_OUTPUT)];
}

/* The steps that the input is said to be used by. */
static void read_by(Program *p, uint32_t first, uint32_t last)
{
    Buffer *x = &p->buffers[at(p, "x", BUFFER_INPUT)];
    x->first = first;
    x->last = last;
}

/* --- buffers ---------------------------------------------------------------------------------------------------------- */

static void other_rank(Program *p)
{
    made(p)->layout.rank = 3;
}

static void no_order(Program *p)
{
    made(p)->layout.order[0] = made(p)->layout.order[1];
}

static void narrow_rows(Program *p)
{
    made(p)->layout.pitch = 3;
}

static void other_size(Program *p)
{
    made(p)->bytes += 4;
}

static void no_value(Program *p)
{
    made(p)->value.i = 99;
}

static void part_of_constant(Program *p)
{
    weights(p)->layout.pitch = 8;
}

static void part_of_later(Program *p)
{
    made(p)->base = at(p, "s", BUFFER_ARENA);
}

static void short_constant(Program *p)
{
    weights(p)->bytes = 4;
}

static void copy_of_nothing(Program *p)
{
    static BufferCopy copy = {99, 99};
    p->copies = &copy;
    p->n_copies = 1;
}

static void copy_inside(Program *p)
{
    static BufferCopy copy;
    copy.from = copy.to = at(p, "x", BUFFER_INPUT);
    read_by(p, 0, p->n_steps);
    p->copies = &copy;
    p->n_copies = 1;
}

/* --- steps ------------------------------------------------------------------------------------------------------------ */

static void other_node(Program *p)
{
    p->steps[0].node = p->steps[1].node;
}

static void no_copy(Program *p)
{
    p->steps[2].n_nodes = 0;
}

static void no_scratch(Program *p)
{
    p->steps[0].scratch_part = 64;
}

static void little_scratch(Program *p)
{
    p->steps[0].scratch = at(p, "s", BUFFER_ARENA);
    p->steps[0].scratch_part = 1 << 20;
}

static void no_identifier(Program *p)
{
    p->steps[0].label = "a b";
}

static void other_target(Program *p)
{
    p->steps[0].target = TARGET_DNNL;
}

static void no_units(Program *p)
{
    p->unit_start[0] = 1;
}

static void other_unit(Program *p)
{
    static Region regions[2];
    static uint32_t starts[3];
    regions[0] = regions[1] = p->regions[0];
    starts[1] = starts[2] = p->n_steps;
    p->regions = regions;
    p->unit_start = starts;
    p->n_regions = 2;
    p->steps[2].region = 1;
}

/* --- the way of the data ---------------------------------------------------------------------------------------------- */

static void write_to_input(Program *p)
{
    p->buffers[p->steps[1].out[0]].first = 2;
    p->steps[1].out[0] = at(p, "x", BUFFER_INPUT);
    read_by(p, 0, 1);
}

static void write_result_twice(Program *p)
{
    p->steps[0].out[0] = p->steps[1].in[0] = (BufferId)(result(p) - p->buffers);
    p->buffers[result(p)->base].first = 0;
}

static void write_operand(Program *p)
{
    p->steps[2].out[0] = p->steps[2].in[0];
}

static void read_unwritten(Program *p)
{
    const Step first = p->steps[0];
    p->steps[0] = p->steps[1];
    p->steps[1] = first;
    p->buffers[p->steps[0].out[0]].first = 0;
    read_by(p, 1, 1);
}

static void read_overwritten(Program *p)
{
    p->buffers[p->steps[1].out[0]].base = p->steps[0].out[0];
    p->steps[1].in[0] = p->steps[0].in[0];
    p->steps[2].in[0] = p->steps[0].out[0];
    made(p)->last = 2;
    read_by(p, 0, 1);
}

static void copy_overwritten(Program *p)
{
    static BufferCopy copy;
    copy.from = p->steps[0].out[0];
    copy.to = result(p)->base;
    p->buffers[p->steps[1].out[0]].base = copy.from;
    p->steps[1].in[0] = p->steps[0].in[0];
    read_by(p, 0, 1);
    made(p)->last = p->n_steps;
    p->copies = &copy;
    p->n_copies = 1;
}

static const struct Damage {
    void (*damage)(Program *p);
    const char *what; /* a part of what is said */
} damages[] = {
    {other_rank, "the layout has another rank than the type"},
    {no_order, "the layout is not an order of its dimensions"},
    {narrow_rows, "its rows are not 3 elements apart"},
    {other_size, "has 1264 bytes, its layout needs 1260"},
    {no_value, "there is no value 99"},
    {part_of_constant, "a constant is no part of a wider tensor"},
    {part_of_later, "is a part of a later one"},
    {short_constant, "is shorter than its layout"},
    {copy_of_nothing, "copy 0 is of a buffer that there is not"},
    {copy_inside, "copy 0 does not fill an output"},
    {other_node, "conv_0: its node is none of those that it computes"},
    {no_copy, "matmul_2 is no copy of one buffer"},
    {no_scratch, "conv_0: its scratch memory is missing"},
    {little_scratch, "conv_0: its scratch memory is not enough for 1 threads"},
    {no_identifier, "a step's label is no identifier"},
    {other_target, "conv_0 is in a unit of the other target"},
    {no_units, "the units do not hold all steps"},
    {other_unit, "matmul_2 is not in the unit that it stands in"},
    {write_to_input, "softmax_1 writes to an input or a constant"},
    {write_result_twice, "writes over a result of the model"},
    {write_operand, "matmul_2 reads buffer 4 while it writes buffer 4 in the same place"},
    {read_unwritten, "softmax_1 reads buffer 3 before it is written"},
    {copy_overwritten, "the copies at the end"},
    {read_overwritten, "matmul_2 reads buffer 3, of which bytes were overwritten by buffer 4"},
};

static void test_damages(void **state)
{
    (void)state;
    int missed = 0;
    for (size_t i = 0; i < COUNT_OF(damages); i++) {
        Arena *arena = arena_new();
        Diag diag = {.arena = arena};
        const PassOptions options = {.target_c = true, .threads = 1};
        Graph *g = parse_text_ir(arena, &diag, "test", model, strlen(model));
        Program p = {.graph = g, .arena = arena};
        if (!g || !run_passes(g, &p, &options, NULL, NULL, "plan-memory", NULL, NULL) ||
            !verify_program(&p))
            fail_msg("%s", diag.message);
        damages[i].damage(&p);
        if (verify_program(&p))
            diag.message = "nothing";
        if (!strstr(diag.message, damages[i].what)) {
            print_error("damage %zu\ngives:  %s\nwanted: %s\n", i, diag.message, damages[i].what);
            missed++;
        }
        arena_free(arena);
    }
    assert_int_equal(missed, 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_damages)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
