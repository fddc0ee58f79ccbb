/* The matcher by itself: patterns on small graphs. */
#include "../../gen/text/text_ir.h"
#include "../../passes/pattern/match.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

#include <stdio.h>
#include <string.h>

typedef struct Fixture {
    Arena *arena;
    Diag diag;
    Graph *g;
    Uses uses;
    Match m;
} Fixture;

/* A graph over inputs x, y (f32[2,3]), z (f32[3]) and constants k2 = 2, k3 = 3; `body` makes
 * value %r, the output. */
static Fixture graph(const char *body)
{
    Fixture f = {.arena = arena_new()};
    f.diag.arena = f.arena;
    char *text =
        arena_printf(f.arena,
                     "graph \"t\" { input %%x: f32[2,3] input %%y: f32[2,3] input %%z: f32[3] "
                     "const %%k2: f32[] = [2] const %%k3: f32[1] = [3] "
                     "const %%k2b: f32[] = [2] %s output \"r\" = %%r }",
                     body);
    f.g = parse_text_ir(f.arena, &f.diag, "test", text, strlen(text));
    if (!f.g)
        fail_msg("%s", f.diag.message);
    f.uses = graph_uses(f.g, f.arena);
    return f;
}

static ValueId value(const Fixture *f, const char *name)
{
    for (uint32_t i = 0; i < f->g->n_values; i++)
        if (strcmp(f->g->values[i].name, name) == 0)
            return (ValueId){i};
    fail_msg("no value %s", name);
    return NO_VALUE;
}

static bool matches_at(Fixture *f, const char *pattern, const char *root)
{
    f->m = (Match){.g = f->g, .uses = &f->uses, .hole = NO_VALUE};
    return match_value(&f->m, pattern_parse(f->arena, pattern), value(f, root));
}

static bool matches(const char *pattern, const char *body)
{
    Fixture f = graph(body);
    bool result = matches_at(&f, pattern, "r");
    arena_free(f.arena);
    return result;
}

/* The pattern does not match, for this reason. */
static void fails(const char *pattern, const char *body, const char *why)
{
    Fixture f = graph(body);
    if (matches_at(&f, pattern, "r") || !f.m.why || strcmp(f.m.why, why) != 0)
        fail_msg("%s on %s: %s, not %s", pattern, body, f.m.why ? f.m.why : "no reason", why);
    arena_free(f.arena);
}

static void test_operands(void **state)
{
    (void)state;
    assert_true(matches("Add($a, $b)", "%r = Add(%x, %y)"));
    assert_true(matches("Add($a, $a)", "%r = Add(%x, %x)"));
    fails("Add($a, $a)", "%r = Add(%x, %y)", "two places have different values");
    assert_true(matches("Add(Exp($a), $b)", "%e = Exp(%x) %r = Add(%y, %e)"));
    fails("Sub(Exp($a), $b)", "%e = Exp(%x) %r = Sub(%y, %e)",
          "a node is expected, not an input or constant");
    assert_true(matches("Add($a, Exp($a))", "%e = Exp(%x) %r = Add(%e, %x)"));
    assert_false(matches("Add($a, Exp($a))", "%e = Exp(%y) %r = Add(%e, %x)"));
}

/* The pattern wants a node; the graph has an input, a constant or another output of a node. */
static void test_not_a_node(void **state)
{
    (void)state;
    static const char split[] = "%a: f32[1,3], %b: f32[1,3] = Split(%x) {axis=0, split=[1,1]} ";
    char body[256];
    fails("Neg(Exp($a))", "%r = Neg(%x)", "a node is expected, not an input or constant");
    fails("Neg(Exp($a))", "%t = Tanh(%x) %r = Neg(%t)", "the operator is another one");
    fails(
        "Conv($a, $b)",
        "input %i: f32[1,1,3] const %w: f32[1,1,1] = [1] const %b: f32[1] = [1] %r = Conv(%i, %w, %b) {dilations=[1], group=1, pads=[0,0], strides=[1]}",
        "the node has more inputs");
    fails(
        "Conv($a, $b, $c)",
        "input %i: f32[1,1,3] const %w: f32[1,1,1] = [1] %r = Conv(%i, %w) {dilations=[1], group=1, pads=[0,0], strides=[1]}",
        "an operand is absent");
    fails(
        "Conv($a, $b, _)",
        "input %i: f32[1,1,3] const %w: f32[1,1,1] = [1] const %b: f32[1] = [1] %r = Conv(%i, %w, %b) {dilations=[1], group=1, pads=[0,0], strides=[1]}",
        "an operand is present");
    assert_false(matches("Add(Exp($a), $b)", "%r = Add(%x, %k2)"));
    snprintf(body, sizeof body, "%s%%r = Add(%%a, %%b)", split);
    assert_true(matches("Add(Split($s), Split.1($s))", body));
    snprintf(body, sizeof body, "%s%%r = Add(%%b, %%b)", split);
    fails("Add(Split($s), $b)", body, "it is another output of the node");
    assert_true(matches("Add(Split.1($s), $b)", body));
}

static void test_numbers(void **state)
{
    (void)state;
    assert_true(matches("Mul($a, 2)", "%r = Mul(%k2, %x)"));
    assert_true(matches("Mul($a, 3)", "%r = Mul(%x, %k3)"));
    fails("Div($a, 2.001)", "%r = Div(%x, %k2)", "a constant has another value");
    fails("Mul($a, 2)", "%r = Mul(%x, %z)", "an operand is not a constant of one element");
    assert_true(matches("Div(Mul($a, #c), #c)", "%m = Mul(%x, %k2) %r = Div(%m, %k2b)"));
    fails("Div(Mul($a, #c), #c)", "%m = Mul(%x, %k2) %r = Div(%m, %k3)", "two constants differ");
}

static void test_attributes(void **state)
{
    (void)state;
    assert_true(matches("Elu($a){alpha=0.5}", "%r = Elu(%x) {alpha=0.5}"));
    assert_false(matches("Elu($a){alpha=0.25}", "%r = Elu(%x) {alpha=0.5}"));
    assert_false(matches("Relu($a){alpha=0.5}", "%r = Relu(%x)"));
    assert_false(matches("Relu($a){alpha=$}", "%r = Relu(%x)"));
    assert_true(matches("Elu($a){alpha=$}", "%r = Elu(%x) {alpha=0.5}"));
    assert_true(matches("Pad($a){mode=\"edge\"}", "%r = Pad(%x) {mode=\"edge\", pads=[0,1,0,0]}"));
    assert_false(matches("Pad($a){mode=\"wrap\"}", "%r = Pad(%x) {mode=\"edge\", pads=[0,1,0,0]}"));
    assert_false(matches("Pad($a){mode=1}", "%r = Pad(%x) {mode=\"edge\", pads=[0,1,0,0]}"));
}

/* Four optional parts, one inside the other: all sixteen combinations. */
static void test_optional(void **state)
{
    (void)state;
    static const char *const ops[] = {"Exp", "Tanh", "Abs", "Erf"};
    for (unsigned set = 0; set < 16; set++) {
        char body[256] = "%v = Neg(%x) ", line[64];
        const char *last = "v";
        for (unsigned k = 0; k < 4; k++) {
            if (!(set >> k & 1))
                continue;
            snprintf(line, sizeof line, "%%v%u = %s(%%%s) ", k, ops[k], last);
            strcat(body, line);
            last = (const char *[]){"v0", "v1", "v2", "v3"}[k];
        }
        snprintf(line, sizeof line, "%%r = Sqrt(%%%s)", last);
        strcat(body, line);
        assert_true(matches("Sqrt(?Erf(?Abs(?Tanh(?Exp(Neg($a))))))", body));
        assert_int_equal(matches("Sqrt(?Erf(?Abs(?Tanh(Exp(Neg($a))))))", body), set & 1);
    }
}

static void test_alternatives(void **state)
{
    (void)state;
    static const char pattern[] = "(Add((Exp($a) | (Tanh($a) | Abs($b))), $c) | Mul($c, $c))";
    assert_true(matches(pattern, "%e = Exp(%x) %r = Add(%e, %y)"));
    assert_true(matches(pattern, "%e = Tanh(%x) %r = Add(%y, %e)"));
    assert_true(matches(pattern, "%e = Abs(%x) %r = Add(%y, %e)"));
    assert_true(matches(pattern, "%r = Mul(%y, %y)"));
    assert_false(matches(pattern, "%e = Erf(%x) %r = Add(%y, %e)"));
}

/* What one way bound must not be seen on the next. */
static void test_backtracking(void **state)
{
    (void)state;
    static const char pattern[] = "Sub(Add($a, $b), Exp($a))";
    assert_true(matches(pattern, "%s = Add(%y, %x) %e = Exp(%x) %r = Sub(%s, %e)"));
    assert_true(matches(pattern, "%s = Add(%x, %y) %e = Exp(%x) %r = Sub(%s, %e)"));
    assert_true(
        matches("(Sub(Add($a, $b), $c) | Sub($b, $a))", "%s = Mul(%x, %y) %r = Sub(%s, %x)"));
}

/* A value inside that is read outside, or is an output, refuses the match; one that is read
 * twice inside does not. */
static void test_interior(void **state)
{
    (void)state;
    fails("Neg(Exp($a))", "%e = Exp(%x) %r = Neg(%e) %o = Abs(%e)",
          "a value inside is used outside");
    fails("Neg(Exp($a))", "%e = Exp(%x) %r = Neg(%e) output \"e\" = %e",
          "a value inside is an output of the model");
    assert_true(matches("Mul($e=Exp($a), $e)", "%e = Exp(%x) %r = Mul(%e, %e)"));
    assert_true(matches("Mul($e=Exp($a), Neg($e))", "%e = Exp(%x) %n = Neg(%e) %r = Mul(%n, %e)"));
}

static void test_chain(void **state)
{
    (void)state;
    static const char pattern[] = "chain(3, (Exp(%) | Add(%, $arg)), Neg($a))";
    assert_true(matches(pattern, "%r = Neg(%x)"));
    assert_true(matches(pattern, "%n = Neg(%x) %e = Exp(%n) %r = Add(%y, %e)"));
    assert_true(matches(pattern, "%n = Neg(%x) %e = Exp(%n) %f = Exp(%e) %r = Exp(%f)"));
    assert_false(
        matches(pattern, "%n = Neg(%x) %e = Exp(%n) %f = Exp(%e) %h = Exp(%f) %r = Exp(%h)"));
    assert_false(matches(pattern, "%e = Exp(%x) %r = Exp(%e)"));
}

static void test_bindings(void **state)
{
    (void)state;
    Fixture f = graph("%e = Exp(%x) %m = Mul(%e, %k3) %r = Add(%m, %y)");
    assert_true(matches_at(&f, "Add(Mul(Exp($a)!exp, #c), $b:f32,full)", "r"));
    assert_int_equal(matched_value(&f.m, "a").i, value(&f, "x").i);
    assert_int_equal(matched_value(&f.m, "b").i, value(&f, "y").i);
    assert_int_equal(matched_node(&f.m, "exp").i, value_at(f.g, value(&f, "e"))->def.i);
    assert_true(matched_number(&f.m, "c") == 3);
    assert_false(has_value(matched_value(&f.m, "nothing")));
    assert_int_equal(f.m.n_nodes, 3);
    assert_false(matches_at(&f, "Add(Mul(Exp($a:const), #c), $b)", "r"));
    assert_string_equal(f.m.why, "const");
    arena_free(f.arena);
}

/* Deep alternatives that all fail take a bounded number of steps. */
static void test_fuel(void **state)
{
    (void)state;
    char body[2048] = "%v0 = Add(%x, %x) ", line[64];
    for (int i = 1; i < 24; i++) {
        snprintf(line, sizeof line, "%%v%d = Add(%%v%d, %%v%d) ", i, i - 1, i - 1);
        strcat(body, line);
    }
    strcat(body, "%r = Neg(%v23)");
    fails("Neg(chain(30, Add(%, %), Exp($a)))", body, "it takes too long");
}

/* Products, whose factors come in any order. */
static void test_products(void **state)
{
    (void)state;
    static const char pattern[] = "product(0.5, $a, Exp($b))";
    fails(pattern, "%r = Exp(%x)", "it is no factor");
    fails(pattern, "%r = Mul(%x, %y)", "a factor is missing");
    fails(pattern, "%e = Exp(%x) %r = Mul(%e, %k2)", "the product has fewer factors");
    fails(pattern, "%e = Exp(%x) %m = Mul(%e, %y) %r = Mul(%m, %k2)",
          "the constant factor has another value");
    fails("product(2, Exp($a), Tanh($b))",
          "%e = Exp(%x) %t = Tanh(%x) %m = Mul(%e, %t) %n = Mul(%m, %y) %r = Mul(%n, %k2)",
          "it is no factor");
}

/* No match has more than so many nodes. */
static void test_long_chain(void **state)
{
    (void)state;
    enum { LONG = 140 };
    char body[LONG * 24] = "%v0 = Neg(%x) ", line[32];
    for (int i = 1; i < LONG; i++) {
        snprintf(line, sizeof line, "%%v%d = Neg(%%v%d) ", i, i - 1);
        strcat(body, line);
    }
    strcat(body, "%r = Neg(%v139)");
    fails("chain(64, Neg(Neg(Neg(%))), Exp($a))", body, "it has too many nodes");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_operands),     cmocka_unit_test(test_not_a_node),
        cmocka_unit_test(test_numbers),      cmocka_unit_test(test_attributes),
        cmocka_unit_test(test_optional),     cmocka_unit_test(test_alternatives),
        cmocka_unit_test(test_backtracking), cmocka_unit_test(test_interior),
        cmocka_unit_test(test_chain),        cmocka_unit_test(test_bindings),
        cmocka_unit_test(test_fuel),         cmocka_unit_test(test_products),
        cmocka_unit_test(test_long_chain),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
