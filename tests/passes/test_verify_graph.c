/* The checker of graphs finds what is wrong: a partitioned graph is damaged by hand in one way, and the checker has to say
 * so, in the words of that way. (What is wrong in programs: tests/pipeline/test_verify.c.) */
#include "../../gen/text/text_ir.h"
#include "../../gen/verify/verify.h"
#include "../../passes/pass.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

#include <string.h>

/* A residual summed in place, one that cannot be, a foreign node, three regions. */
static const char model[] =
    "graph \"t\" { input %x: f32[1,4,5,5] input %y: f32[1,4,5,5] "
    "const %w: f32[4,4,1,1] = random(seed=1, scale=0.5) "
    "%e = Conv(%x, %w) {dilations=[1,1], group=1, pads=[0,0,0,0], strides=[1,1]} "
    "%c = Conv(%e, %w) {dilations=[1,1], group=1, pads=[0,0,0,0], strides=[1,1]} "
    "%cr = Relu(%c) "
    "%d = Conv(%cr, %w) {dilations=[1,1], group=1, pads=[0,0,0,0], strides=[1,1]} "
    "%s = Add(%d, %e) "
    "%r = Relu(%s) "
    "%f = CumSum(%r) {axis=2, exclusive=0, reverse=0} "
    "%g = Conv(%f, %w) {dilations=[1,1], group=1, pads=[0,0,0,0], strides=[1,1]} "
    "%h = Add(%g, %y) "
    "output \"h\" = %h output \"r\" = %r }";

static ValueId value(const Graph *g, const char *name)
{
    for (uint32_t i = 0; i < g->n_values; i++)
        if (strcmp(g->values[i].name, name) == 0)
            return (ValueId){i};
    fail_msg("no value %s", name);
    return NO_VALUE;
}

static Node *maker(const Graph *g, const char *name)
{
    return def_of(g, value(g, name));
}

static Composite *composite(const Graph *g, const char *of)
{
    const Columns *c = g->columns;
    return &c->composites[c->composite[value_at(g, value(g, of))->def.i]];
}

static Region *region(const Graph *g, const char *of)
{
    const Columns *c = g->columns;
    return &c->regions[c->region[value_at(g, value(g, of))->def.i]];
}

/* --- one definition per value, before its readers --------------------------------------------------------------- */

static void define_twice(Graph *g)
{
    Value *f = value_at(g, value(g, "f"));
    maker(g, "f")->out[0] = value(g, "r");
    f->kind = VALUE_CONST;
    f->data = arena_alloc(g->arena, type_bytes(&f->type));
}

static void define_elsewhere(Graph *g)
{
    value_at(g, value(g, "f"))->def = value_at(g, value(g, "r"))->def;
}

static void read_too_early(Graph *g)
{
    maker(g, "c")->in[0] = value(g, "r");
}

static void read_nothing(Graph *g)
{
    maker(g, "c")->in[0] = (ValueId){g->n_values + 7};
}

static void name_twice(Graph *g)
{
    value_at(g, value(g, "f"))->name = "r";
}

static void change_type(Graph *g)
{
    value_at(g, value(g, "f"))->type.dims[2] = 4;
}

static void unbind_constant(Graph *g)
{
    value_at(g, value(g, "w"))->data = NULL;
}

static void unknown_type(Graph *g)
{
    value_at(g, value(g, "f"))->type.dtype = (DType)99;
}

static void make_nothing(Graph *g)
{
    Node *f = maker(g, "f");
    define_twice(g);
    f->out[0] = (ValueId){g->n_values + 7};
}

static void unsort_attributes(Graph *g)
{
    Attr *attr = (Attr *)maker(g, "c")->attr, first = attr[0];
    attr[0] = attr[1];
    attr[1] = first;
}

/* --- composites ------------------------------------------------------------------------------------------------- */

static void read_interior(Graph *g)
{
    maker(g, "f")->in[0] = value(g, "s");
}

static void show_interior(Graph *g)
{
    g->outputs[1].value = value(g, "s");
}

static void forget_argument(Graph *g)
{
    Composite *c = composite(g, "h");
    c->n_args--;
}

static void forget_node(Graph *g)
{
    composite(g, "h")->n_nodes--;
}

static void too_many_arguments(Graph *g)
{
    composite(g, "h")->n_args = 5000;
}

static void no_composites(Graph *g)
{
    g->columns->composite = NULL;
}

static PostOp *post_of(Graph *g, const char *name)
{
    return (PostOp *)&composite(g, name)->post[0];
}

static void sum_onto_input(Graph *g)
{
    post_of(g, "h")->kind = POST_SUM;
}

/* The convolution in between reads e as well, and nothing says that it runs before. */
static void sum_onto_read_later(Graph *g)
{
    maker(g, "f")->in[0] = value(g, "e");
}

static void sum_onto_own_source(Graph *g)
{
    maker(g, "d")->in[0] = value(g, "e");
    ValueId *args = (ValueId *)composite(g, "r")->args;
    args[0] = value(g, "e");
    args[2] = value(g, "cr");
}

/* g, and what reads r: one composite that waits for f, which waits for it. */
static void cycle_of_composites(Graph *g)
{
    Columns *c = g->columns;
    uint32_t r = value_at(g, value(g, "r"))->def.i, h = value_at(g, value(g, "h"))->def.i,
             gg = value_at(g, value(g, "g"))->def.i;
    Composite *a = composite(g, "r"), *b = composite(g, "h");
    uint32_t row = c->composite[r];
    NodeId *nodes = ARENA_ARRAY(g->arena, NodeId, a->n_nodes + b->n_nodes);
    ValueId *args = ARENA_ARRAY(g->arena, ValueId, a->n_args + b->n_args);
    memcpy(nodes, a->nodes, a->n_nodes * sizeof *nodes);
    memcpy(nodes + a->n_nodes, b->nodes, b->n_nodes * sizeof *nodes);
    memcpy(args, a->args, a->n_args * sizeof *args);
    args[a->n_args] = value(g, "f");
    args[a->n_args + 1] = value(g, "y");
    a->nodes = nodes;
    a->args = args;
    a->n_nodes += b->n_nodes;
    a->n_args += 2;
    c->composite[h] = c->composite[gg] = row;
    c->n_composites--; /* the last row is that of h */
    c->region[h] = c->region[gg] = c->region[r];
    g->n_outputs = 1;
    g->outputs[0].value = value(g, "r");
    c->n_regions = 0;
    c->region = NULL;
}

/* --- regions ---------------------------------------------------------------------------------------------------- */

static void cycle_of_regions(Graph *g)
{
    Columns *c = g->columns;
    uint32_t first = c->region[value_at(g, value(g, "e"))->def.i];
    c->region[value_at(g, value(g, "g"))->def.i] = first;
    c->region[value_at(g, value(g, "h"))->def.i] = first;
}

static void other_target(Graph *g)
{
    region(g, "f")->target = TARGET_DNNL;
}

static void forget_region_input(Graph *g)
{
    region(g, "f")->n_in--;
}

static void forget_region_constant(Graph *g)
{
    region(g, "h")->n_constants--;
}

static void forget_region_output(Graph *g)
{
    region(g, "e")->n_out--;
}

static void list_nothing(Graph *g)
{
    ((ValueId *)region(g, "f")->in)[0] = (ValueId){g->n_values + 7};
}

static void list_foreign_node(Graph *g)
{
    ((NodeId *)region(g, "f")->nodes)[0] = value_at(g, value(g, "e"))->def;
}

static void list_no_node(Graph *g)
{
    Region *f = region(g, "f");
    f->n_nodes = f->n_in = f->n_out = f->n_constants = 0;
}

static void empty_composite(Graph *g)
{
    composite(g, "r")->n_nodes = 0;
}

static void no_regions(Graph *g)
{
    g->columns->region = NULL;
}

/* --- ports ------------------------------------------------------------------------------------------------------ */

static void exchange_outputs(Graph *g)
{
    Port first = g->outputs[0];
    g->outputs[0] = g->outputs[1];
    g->outputs[1] = first;
}

static void exchange_inputs(Graph *g)
{
    Port first = g->inputs[0];
    g->inputs[0] = g->inputs[1];
    g->inputs[1] = first;
}

static void lose_output(Graph *g)
{
    g->n_outputs--;
}

static void rename_input(Graph *g)
{
    g->inputs[1].name = "z";
}

static void show_another_type(Graph *g)
{
    value_at(g, value(g, "y"))->type.dims[0] = 2;
}

static void input_twice(Graph *g)
{
    g->inputs[1].value = g->inputs[0].value;
}

static void input_a_constant(Graph *g)
{
    g->inputs[1].value = value(g, "w");
}

static void forget_input(Graph *g)
{
    g->n_inputs--;
}

static void state_of_nothing(Graph *g)
{
    g->inputs[0].state = 9;
}

static void next_of_nothing(Graph *g)
{
    g->outputs[0].state = 9;
}

static void count_by_floats(Graph *g)
{
    g->outputs[0].counts[0].by = 1;
    g->outputs[0].n_counts = 1;
}

static const struct Damage {
    void (*damage)(Graph *g);
    const char *what; /* a part of what is said */
} damages[] = {
    {define_twice, "output 'r' has two definitions"},
    {define_elsewhere, "value 'f' is not an output of its node"},
    {read_too_early, "reads 'r' before it is made"},
    {read_nothing, "reads a value that does not exist"},
    {name_twice, "two values are called 'r'"},
    {change_type, "output 'f' has type f32[1,4,4,5], inferred is f32[1,4,5,5]"},
    {unbind_constant, "constant 'w' has no contents"},
    {read_interior, "value 's' inside composite"},
    {show_interior, "value 's' inside composite"},
    {forget_argument, "the operand of post-op 0"},
    {forget_node, "does not list all of its nodes"},
    {sum_onto_input, "writes over 'y', which is not its own"},
    {sum_onto_read_later, "writes over 'e', which is read later"},
    {sum_onto_own_source, "writes over 'e', which is read later"},
    {cycle_of_composites, "the composites form a cycle"},
    {cycle_of_regions, "the regions form a cycle"},
    {other_target, "is in a region of another target"},
    {forget_region_input, "value 'r' is missing in the lists"},
    {forget_region_constant, "value 'w' is missing in the lists"},
    {forget_region_output, "value 'r' is missing in the lists"},
    {list_no_node, "a node is in the list of no region"},
    {empty_composite, "composite 2 is empty"},
    {exchange_outputs, "input or output 'h' has changed"},
    {exchange_inputs, "input or output 'x' has changed"},
    {lose_output, "inputs or outputs were lost"},
    {rename_input, "input or output 'y' has changed"},
    {show_another_type, "inferred is"},
    {input_twice, "input 'y' stands twice among the inputs"},
    {unknown_type, "value 'f' has a type that cannot be"},
    {make_nothing, "makes a value that does not exist"},
    {unsort_attributes, "attributes are not sorted"},
    {too_many_arguments, "has too many arguments"},
    {no_composites, "there are composites, but no column for them"},
    {no_regions, "there are regions, but no column for them"},
    {list_nothing, "lists a value that does not exist"},
    {list_foreign_node, "lists nodes that are not its own, in order"},
    {input_a_constant, "input 'y' is not an input value"},
    {forget_input, "value 'y' is an input without a port"},
    {state_of_nothing, "input 'x' is a state without a next value"},
    {next_of_nothing, "output 'h' is no state's next value"},
    {count_by_floats, "output 'h' is counted wrongly"},
};

static Graph *partitioned(Arena *arena, Diag *diag)
{
    const PassOptions options = {.threads = 1};
    Graph *g = parse_text_ir(arena, diag, "test", model, strlen(model));
    if (!g || !run_passes(g, NULL, &options, NULL, NULL, NULL, NULL, NULL))
        fail_msg("%s", diag->message);
    return g;
}

static void test_damages(void **state)
{
    (void)state;
    int missed = 0;
    for (size_t i = 0; i < COUNT_OF(damages); i++) {
        Arena *arena = arena_new();
        Diag diag = {.arena = arena};
        Graph *g = partitioned(arena, &diag);
        const Ports *ports = ports_of(g);
        assert_true(verify_graph(g) && ports_kept(g, ports));
        damages[i].damage(g);
        if (verify_graph(g) && ports_kept(g, ports))
            diag.message = "nothing";
        if (!strstr(diag.message, damages[i].what)) {
            print_error("damage %zu\ngives:  %s\nwanted: %s\n", i, diag.message, damages[i].what);
            missed++;
        }
        arena_free(arena);
    }
    assert_int_equal(missed, 0);
}

/* What the graph above is made for. */
static void test_model(void **state)
{
    (void)state;
    Arena *arena = arena_new();
    Diag diag = {.arena = arena};
    Graph *g = partitioned(arena, &diag);
    assert_int_equal(g->columns->n_regions, 3);
    assert_int_equal(composite(g, "r")->post[0].kind, POST_SUM);
    assert_int_equal(composite(g, "h")->post[0].kind, POST_BINARY);
    Text all = text_new(arena);
    for (const PassInfo *p = pass_table; p->name; p++)
        if (p->when == BY_DEFAULT)
            text_printf(&all, "%s%s", all.size ? ", " : "", p->name);
    assert_string_equal(g->verified, all.data);
    arena_free(arena);
}

/* A pass of programs where there is none. */
static void test_no_program(void **state)
{
    (void)state;
    Arena *arena = arena_new();
    Diag diag = {.arena = arena};
    const PassOptions options = {.target_c = true, .threads = 1};
    Graph *g = parse_text_ir(arena, &diag, "test", model, strlen(model));
    assert_false(run_passes(g, NULL, &options, "lower", NULL, NULL, NULL, NULL));
    assert_string_equal(diag.message,
                        "test: pass 'lower' is for a program, and none is wanted here");
    arena_free(arena);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_model),
        cmocka_unit_test(test_damages),
        cmocka_unit_test(test_no_program),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
