/* The pattern table and files of patterns: what is refused and where, that what is printed is read
 * back, and that a user's rows come first. */
#include "../../gen/ops/ops.h"
#include "../../gen/text/text_ir.h"
#include "../../passes/pass.h"
#include "../../passes/pattern/pattern.h"
#include "../../passes/pattern/table.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* Reads text as a file called "p"; returns the refusal without the folder, NULL: none. */
static const char *read_text(Arena *arena, const char *text, size_t size, PatternTable *table)
{
    char path[] = "/tmp/dnnlc-patterns-XXXXXX";
    int fd = mkstemp(path);
    assert_true(fd >= 0);
    assert_int_equal(write(fd, text, size), size);
    close(fd);
    Diag diag = {.arena = arena};
    bool good = pattern_file_read(arena, &diag, path, table);
    unlink(path);
    assert_int_equal(good, diag.message == NULL);
    if (good)
        return NULL;
    assert_int_equal(strncmp(diag.message, path, strlen(path)), 0);
    return diag.message + strlen(path) + 1;
}

static const struct Refusal {
    const char *text, *message;
} refusals[] = {
    /* malformed */
    {"apend eltwise: Relu(%);", "1:1: anchor, append or spelled is expected"},
    {"// a comment\n\nappend eltwise Relu(%);", "3:16: ':' is expected"},
    {"append eltwise: Relu(%)", "1:24: ';' is expected"},
    {"append eltwise: Relu(%;", "1:23: ')' is expected"},
    {"append eltwise:\n  Rellu(%);", "2:3: there is no operator 'Rellu'"},
    {"append some: Relu(%);",
     "1:8: bias, eltwise, linear, sum, binary, prelu, cast or depthwise is expected"},
    {"append cast: Relu(%);", "1:14: what changes the type is Cast(%)"},
    {"append binary: Add(%, $arg:post_operands);", "1:28: there is no predicate 'post_operands'"},
    {"append eltwise: Clip(%){min=x};", "1:29: a number is expected"},
    {"append eltwise: Elu(%){alpha=1;", "1:31: '}' is expected"},
    {"anchor conv channel 1 layer: Conv($src, $w)!anchor;", "1:8: '\"' is expected"},
    {"anchor \"a b\" channel 1 layer: Conv($src, $w)!anchor;",
     "1:9: a name of letters, digits, dots and underscores is expected"},
    {"anchor \"\" channel 1 layer: Conv($src, $w)!anchor;",
     "1:9: a name of 1 to 64 characters is expected"},
    {"anchor \"a\" channel 1 lair: Conv($src, $w)!anchor;",
     "1:22: plain, layer, attention, sum_norm or sums is expected"},
    {"append eltwise: Relu(%){a=1,b=1,c=1,d=1,e=1};", "1:41: too many attributes"},
    {"append eltwise: Relu(%){a=[1,2,3,4,5,6,7,8,9]};", "1:44: too many numbers"},
    {"append eltwise: Relu($x:f32,f32,f32,f32,f32);", "1:41: too many predicates"},
    {"spelled Relu: product(2, $a, $b, $c, $d, $e, $f, $g);", "1:50: too many factors"},
    {"spelled Swish alpha=1 alpha=2: Exp(Exp($x));", "1:23: an attribute is given twice"},
    {"spelled LayerNormalization epsilon=1 by layer_norm: Exp(Exp($x));",
     "1:41: a builder takes no attributes"},
    {"anchor \"a\" channel 12 layer: Conv($src, $w)!anchor;",
     "1:20: a dimension is expected, or -1 for the last one"},
    {"spelled Swish alpha=1 beta=2: Exp(Exp($x));", "1:23: the operator has no such attribute"},
    {"spelled Swish: Exp(Exp($x));", "1:9: attribute 'alpha' of the operator is missing"},
    {"spelled Swish alpha=#a: Exp(Exp($x));", "1:25: not every match has a 'a'"},
    {"spelled Add: Exp(Exp($x));", "1:9: the operator must have one input and one output"},
    {"spelled Relu by magic: Exp(Exp($x));", "1:17: there is no such builder"},
    {"spelled Relu by layer_norm: Exp(Exp($x));", "1:17: the builder makes another operator"},
    {"spelled Relu: Exp(Exp($y));", "1:15: not every match has a 'x'"},
    {"spelled Relu: Exp(Exp($x)) | Exp(Tanh($y));", "1:15: not every match has a 'x'"},
    {"spelled Relu: chain(65, Exp(%), Tanh($x));", "1:21: a whole number up to 64 is expected"},
    {"spelled Relu: product($x, $y);", "1:23: a number is expected"},
    {"spelled Relu: product(2);", "1:24: a factor is expected"},
    {"spelled Relu: product(2, $x, _);", "1:30: _ is an operand only: it can match nothing"},
    {"spelled Relu: product(#x, $x);", "1:27: the name stands for a value and for a number"},
    {"spelled Swish alpha=#b: product(#a, $x);", "1:25: not every match has a 'b'"},
    /* can match nothing */
    {"append eltwise: Relu(%, $a);", "1:17: the operator has fewer inputs: it can match nothing"},
    {"append binary: Add($arg:post_operand);",
     "1:16: the operator has more inputs: it can match nothing"},
    {"append eltwise: Relu.1(%);", "1:17: the operator has fewer outputs: it can match nothing"},
    {"append eltwise: Relu(%){alpha=1};",
     "1:17: the operator has no such attribute: it can match nothing"},
    {"spelled Relu: Exp(Exp($x:rank3,rank4));",
     "1:23: no value fulfils these predicates together: it can match nothing"},
    {"spelled Relu: Add($x:rank3, Exp($x:rank4));",
     "1:33: no value fulfils the predicates of both places"},
    {"spelled Relu: Add($x, Exp($y=Exp($y)));",
     "1:27: the value would be made from itself: it can match nothing"},
    {"spelled Relu: Add($x, Exp(%));", "1:27: % stands for nothing here"},
    {"spelled Relu: Add($x, _);", "1:23: the operand is never absent: it can match nothing"},
    {"spelled Relu: Add(Exp($x), $y:const=Exp($z));",
     "1:28: a constant is made by no node: it can match nothing"},
    {"spelled Relu: Add(Mul($x, $a), Mul($x, #a));",
     "1:40: the name stands for a value and for a number"},
    {"spelled Relu: Elu(Exp($x)){alpha=1, alpha=1};", "1:15: an attribute is asked for twice"},
    {"spelled Relu: Exp(?Relu(...));", "1:20: without it nothing is left"},
    {"spelled Relu: Add(Add(Add(Add(Add(Add(Add(Add(Add(Add(Add(Add(Add(Add(Add(Add(Add(Add(Add(Add(Add(Add(Add(Add(Add($x, $a), $b), $c), $d), $e), $f), $g), $h), $i), $j), $k), $l), $m), $n), $o), $p), $q), $r), $s), $t), $u), $v), $w), $aa), $ab);",
     "1:234: the pattern has too many names"},
    /* matches without any node */
    {"spelled Relu: $x;", "1:15: it can match without any node"},
    {"spelled Relu: ?Exp($x);", "1:16: it can match without any node"},
    {"spelled Relu: Exp(Exp($x)) | $x;", "1:15: it can match without any node"},
    {"spelled Relu: Tanh(chain(2, $y, Exp($x)));", "1:20: a step of the chain takes no node"},
    {"append eltwise: %;", "1:17: it can match without any node"},
    /* matches what it makes */
    {"spelled Exp: Exp($x);", "1:14: what it makes is matched again: it would never end"},
    {"spelled Neg: product(-1, $x);", "1:14: what it makes is matched again: it would never end"},
    {"spelled Exp: Tanh($x);\nspelled Tanh: Exp($x);",
     "1:14: what it makes is matched again: it would never end"},
    {"spelled Tanh: ?Neg(Tanh($x));", "1:16: what it makes is matched again: it would never end"},
    {"spelled ReduceMean axes=1: AveragePool($x);",
     "1:20: only attributes that are floats can be given"},
    /* nothing that oneDNN could compute */
    {"append eltwise: Erf(%);",
     "1:17: an eltwise post-op is one node that reads %, of an operator oneDNN has as one"},
    {"append eltwise: Relu(Relu(%));",
     "1:17: an eltwise post-op is one node that reads %, of an operator oneDNN has as one"},
    {"append linear: Div(#a, %);",
     "1:16: a linear post-op adds, subtracts, multiplies or divides % and a #number"},
    {"append prelu: PRelu(%, $arg:f32,const);",
     "1:15: a PRelu post-op is PRelu(%, $arg:f32,const,per_channel)"},
    {"append eltwise: ?Relu(Exp(%));", "1:18: a post-op is one node"},
    {"append sum: Add(%, $arg:full);", "1:13: a sum is Add(%, $arg:full,overwritable)"},
    {"append bias: Add(%, $arg:per_channel);", "1:14: a bias is Add(%, $arg:const,per_channel)"},
    {"append eltwise: Pow(#a, %);",
     "1:17: an eltwise post-op is one node that reads %, of an operator oneDNN has as one"},
    {"anchor \"a\" channel 1 plain takes eltwise, sum: MaxPool($src)!anchor;",
     "1:41: a word is expected"},
    {"anchor \"a\" channel 1 plain takes bias: MaxPool($src)!anchor;",
     "1:34: relu, eltwise, sum, scalar, channel, full, prelu, cast, depthwise or ':' is expected"},
    {"append depthwise: Conv(%, $arg:f32,const, [$bias:f32,const]);",
     "1:19: a depthwise post-op is Conv(%, $arg:f32,const,depthwise, [$bias:f32,const])"},
    {"append binary: Mod(%, $arg:post_operand);",
     "1:16: a binary post-op is one node of Add, Sub, Mul, Div, Max or Min that reads % and "
     "$arg:post_operand"},
    {"anchor \"a\" channel 1 plain: Relu(Exp($src))!anchor;",
     "1:29: an anchor is one node, marked !anchor, that reads $src; a layer is a Conv, "
     "ConvTranspose, MatMul or Gemm; an attention a MatMul of what a "
     "Softmax makes of another MatMul; a sum_norm a LayerNormalization or "
     "RMSNormalization of what another node makes"},
    {"anchor \"a\" channel 1 attention: MatMul($q, $k)!anchor;",
     "1:33: an anchor is one node, marked !anchor, that reads $src; a layer is a Conv, "
     "ConvTranspose, MatMul or Gemm; an attention a MatMul of what a "
     "Softmax makes of another MatMul; a sum_norm a LayerNormalization or "
     "RMSNormalization of what another node makes"},
    {"anchor \"a\" channel 1 sum_norm: LayerNormalization($x, $scale)!anchor;",
     "1:32: an anchor is one node, marked !anchor, that reads $src; a layer is a Conv, "
     "ConvTranspose, MatMul or Gemm; an attention a MatMul of what a "
     "Softmax makes of another MatMul; a sum_norm a LayerNormalization or "
     "RMSNormalization of what another node makes"},
    {"anchor \"a\" channel 1 layer: Relu($src)!anchor;",
     "1:29: an anchor is one node, marked !anchor, that reads $src; a layer is a Conv, "
     "ConvTranspose, MatMul or Gemm; an attention a MatMul of what a "
     "Softmax makes of another MatMul; a sum_norm a LayerNormalization or "
     "RMSNormalization of what another node makes"},
};

static void test_refusals(void **state)
{
    (void)state;
    for (size_t i = 0; i < COUNT_OF(refusals); i++) {
        Arena *arena = arena_new();
        const struct Refusal *r = &refusals[i];
        const char *got = read_text(arena, r->text, strlen(r->text), pattern_table_new(arena));
        if (!got || strcmp(got, r->message) != 0)
            fail_msg("%s\ngives:  %s\nwanted: %s", r->text, got ? got : "no refusal", r->message);
        arena_free(arena);
    }
}

static void test_nul(void **state)
{
    (void)state;
    Arena *arena = arena_new();
    assert_string_equal(read_text(arena, "\n//\0x", 5, pattern_table_new(arena)), "2:3: a NUL");
    arena_free(arena);
}

/* Deep nesting ends in a refusal, not in the stack. */
static void test_deep(void **state)
{
    (void)state;
    enum { N = 200000 };
    Arena *arena = arena_new();
    char *text = arena_alloc(arena, N + 64);
    strcpy(text, "spelled Relu: ");
    memset(text + strlen(text), '(', N);
    const char *why = read_text(arena, text, strlen(text), pattern_table_new(arena));
    assert_non_null(why);
    assert_non_null(strstr(why, "it is nested too deep"));
    arena_free(arena);
}

/* Any prefix and any damaged byte of the built-in table is read or refused. */
static void test_damage(void **state)
{
    (void)state;
    Arena *arena = arena_new();
    Text t = text_new(arena);
    print_patterns(pattern_table_new(arena), &t);
    for (size_t i = 0; i < t.size; i += 23) {
        Arena *scratch = arena_new();
        char *copy = arena_strndup(scratch, t.data, t.size);
        read_text(scratch, copy, i, pattern_table_new(scratch));
        copy[i] = "(){}[]$#%|?!:;,=\"0aZ_"[i % 21];
        read_text(scratch, copy, t.size, pattern_table_new(scratch));
        arena_free(scratch);
    }
    arena_free(arena);
}

/* The built-in rows obey the same rules, and printing them and reading that gives them again. */
static void test_built_in(void **state)
{
    (void)state;
    Arena *arena = arena_new();
    PatternTable *table = pattern_table_new(arena), *twice = pattern_table_new(arena);
    Text once = text_new(arena), again = text_new(arena);
    print_patterns(table, &once);
    const char *why = read_text(arena, once.data, once.size, twice);
    if (why)
        fail_msg("%s", why);
    assert_int_equal(twice->n_anchors, 2 * table->n_anchors);
    assert_int_equal(twice->n_appends, 2 * table->n_appends);
    assert_int_equal(twice->n_spelled, 2 * table->n_spelled);
    twice->n_anchors /= 2;
    twice->n_appends /= 2;
    twice->n_spelled /= 2;
    print_patterns(twice, &again);
    assert_string_equal(once.data, again.data);
    arena_free(arena);
}

static const char *run_with(Arena *arena, const char *patterns, const char *passes,
                            const char *body)
{
    Diag diag = {.arena = arena};
    PatternTable *table = pattern_table_new(arena);
    const char *why = read_text(arena, patterns, strlen(patterns), table);
    if (why)
        fail_msg("%s", why);
    const PassOptions options = {.threads = 1, .patterns = table};
    Graph *g = parse_text_ir(arena, &diag, "test", body, strlen(body));
    if (!g || !run_passes(g, NULL, &options, passes, NULL, NULL, NULL, NULL))
        fail_msg("%s", diag.message);
    Text t = text_new(arena);
    print_text_ir(g, &t);
    return t.data;
}

/* A spelling of one's own, an anchor, and a row that forbids nothing but comes first. */
static void test_user_rows(void **state)
{
    (void)state;
    Arena *arena = arena_new();
    static const char graph[] = "graph \"t\" { input %x: f32[1,3,4,4] %a = Softsign(%x) "
                                "%r = Mul(%x, %a) output \"r\" = %r }";
    const char *out =
        run_with(arena, "spelled HardSwish: Mul($x, Softsign($x));", "match-spelled", graph);
    assert_non_null(strstr(out, "HardSwish(%x)"));
    out = run_with(arena, "", "match-spelled", graph);
    assert_null(strstr(out, "HardSwish(%x)"));
    static const char softmax[] = "graph \"t\" { input %x: f32[2,8] %a = Softmax(%x) {axis=1, "
                                  "axis_end=2} %r = Relu(%a) output \"r\" = %r }";
    out = run_with(arena, "anchor \"my.softmax\" channel -1 plain: Softmax($src:f32)!anchor;",
                   "merge-composite", softmax);
    assert_non_null(strstr(out, "\"my.softmax\""));
    arena_free(arena);
}

/* What a feature of the language does in a user's file: whether Softsign takes the place of the whole body. */
static const struct Feature {
    const char *pattern, *body;
    bool matches;
} features[] = {
    /* a number: exact, within a tolerance, the same one twice */
    {"Mul($x, 2.5)", "%r = Mul(%x, %k25)", true},
    {"Mul($x, 2.5)", "%r = Mul(%x, %k251)", false},
    {"Mul($x, 2.5~0.01)", "%r = Mul(%x, %k251)", true},
    {"Mul($x, 2.5~0.001)", "%r = Mul(%x, %k251)", false},
    {"Div(Mul($x, #c), #c)", "%m = Mul(%x, %k25) %r = Div(%m, %k25)", true},
    {"Div(Mul($x, #c), #c)", "%m = Mul(%x, %k25) %r = Div(%m, %k251)", false},
    /* attributes: number, list, text, presence */
    {"Elu($x){alpha=0.5}", "%r = Elu(%x) {alpha=0.5}", true},
    {"Elu($x){alpha=0.5}", "%r = Elu(%x) {alpha=0.25}", false},
    {"Elu($x){alpha=$}", "%r = Elu(%x) {alpha=0.25}", true},
    {"Transpose($x){perm=[0,1]}", "%r = Transpose(%x) {perm=[0,1]}", true},
    {"Pad($x){mode=\"edge\"}", "%r = Pad(%x) {mode=\"edge\", pads=[0,0,0,0]}", true},
    {"Pad($x){mode=\"edge\"}", "%r = Pad(%x) {mode=\"reflect\", pads=[0,0,0,0]}", false},
    /* types and shapes */
    {"Exp($x:f32)", "%r = Exp(%x)", true},
    {"Exp($x:rank3)", "%r = Exp(%x)", false},
    {"Mul($x, $y:const,scalar)", "%r = Mul(%x, %k25)", true},
    {"Mul($x, $y:const,scalar)", "%r = Mul(%x, %row)", false},
    {"Mul($x, $y:full)", "%r = Mul(%x, %y)", true},
    {"Mul($x:full, $y:full)", "%r = Mul(%x, %row)", false},
    /* operands in either order, the same value in two places, branches that join */
    {"Add($x, Exp($x))", "%e = Exp(%x) %r = Add(%e, %x)", true},
    {"Sub($x, Exp($x))", "%e = Exp(%x) %r = Sub(%e, %x)", false},
    {"Add($x, Exp($x))", "%e = Exp(%y) %r = Add(%e, %x)", false},
    {"Mul($e=Exp($x), Tanh($e))", "%e = Exp(%x) %t = Tanh(%e) %r = Mul(%t, %e)", true},
    {"Mul($e=Exp($x), Tanh($e))", "%e = Exp(%x) %f = Exp(%y) %t = Tanh(%f) %r = Mul(%t, %e)",
     false},
    {"Mul($e=Exp($x), Tanh($e))", "%e = Exp(%x) %t = Tanh(%e) %r = Mul(%t, %e) output \"e\" = %e",
     false},
    /* one output of several */
    {"Exp(Split.1($x))", "%a, %b = Split(%x) {axis=0, split=[0,2]} %r = Exp(%b)", true},
    {"Exp(Split($x))", "%a, %b = Split(%x) {axis=0, split=[0,2]} %r = Exp(%b)", false},
    /* optional, alternatives, up to so many times */
    {"Sqrt(?Abs(Exp($x)))", "%e = Exp(%x) %r = Sqrt(%e)", true},
    {"Sqrt(?Abs(Exp($x)))", "%e = Exp(%x) %a = Abs(%e) %r = Sqrt(%a)", true},
    {"Sqrt(?Abs(Exp($x)))", "%e = Exp(%x) %a = Tanh(%e) %r = Sqrt(%a)", false},
    {"Sqrt(Exp($x) | Tanh($x))", "%e = Tanh(%x) %r = Sqrt(%e)", true},
    {"Sqrt(Exp($x) | Tanh($x))", "%e = Abs(%x) %r = Sqrt(%e)", false},
    {"Sqrt(chain(2, Exp(%) | Abs(%), Tanh($x)))", "%t = Tanh(%x) %r = Sqrt(%t)", true},
    {"Sqrt(chain(2, Exp(%) | Abs(%), Tanh($x)))",
     "%t = Tanh(%x) %e = Exp(%t) %a = Abs(%e) %r = Sqrt(%a)", true},
    {"Sqrt(chain(2, Exp(%) | Abs(%), Tanh($x)))",
     "%t = Tanh(%x) %e = Exp(%t) %a = Abs(%e) %f = Exp(%a) %r = Sqrt(%f)", false},
    {"product(2.5, $x, Exp($x))", "%e = Exp(%x) %m = Mul(%e, %k25) %r = Mul(%m, %x)", true},
    {"product(2.5, $x, Exp($x))", "%e = Exp(%x) %m = Mul(%e, %k251) %r = Mul(%m, %x)", false},
};

static void test_features(void **state)
{
    (void)state;
    for (size_t i = 0; i < COUNT_OF(features); i++) {
        Arena *arena = arena_new();
        const struct Feature *f = &features[i];
        const char *body = arena_printf(arena,
                                        "graph \"t\" { input %%x: f32[2,3] input %%y: f32[2,3] "
                                        "const %%k25: f32[] = [2.5] const %%k251: f32[1] = [2.51] "
                                        "const %%row: f32[3] = [1, 2, 3] %s output \"r\" = %%r }",
                                        f->body);
        const char *out = run_with(arena, arena_printf(arena, "spelled Softsign: %s;", f->pattern),
                                   "match-spelled", body);
        if (!!strstr(out, "= Softsign(%x)") != f->matches)
            fail_msg("%s\non %s\ngives %s", f->pattern, f->body, out);
        arena_free(arena);
    }
}

/* How operands are spread is asked where there is a result to spread over: of what is appended. */
static void test_broadcasts(void **state)
{
    (void)state;
    static const struct Spread {
        const char *takes, *operand;
        bool matches;
    } spreads[] = {
        {"scalar", "%one", true},    {"channel", "%channel", true}, {"full", "%full", true},
        {"channel", "%full", false}, {"full", "%channel", false},   {"scalar", "%channel", false},
        {"full", "%row", false},     {"channel", "%row", false},
    };
    for (size_t i = 0; i < COUNT_OF(spreads); i++) {
        Arena *arena = arena_new();
        const struct Spread *s = &spreads[i];
        const char *out = run_with(
            arena,
            arena_printf(arena,
                         "anchor \"my.pool\" channel 1 plain takes %s: MaxPool($src)!anchor;",
                         s->takes),
            "merge-composite",
            arena_printf(
                arena,
                "graph \"t\" { input %%x: f32[1,4,5,5] input %%one: f32[1] input %%channel: "
                "f32[4,1,1] input %%full: f32[1,4,5,5] input %%row: f32[5,1] "
                "%%p = MaxPool(%%x) {kernel_shape=[1,1], strides=[1,1], pads=[0,0,0,0], "
                "dilations=[1,1]} %%r = Mul(%s, %%p) output \"r\" = %%r }",
                s->operand));
        if (!!strstr(out, "composite 0 \"my.pool\"") != s->matches)
            fail_msg("%s, takes %s: %s", s->operand, s->takes, out);
        arena_free(arena);
    }
}

static uint32_t next(uint64_t *state, uint32_t below)
{
    *state = *state * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
    return (uint32_t)(*state >> 33) % below;
}

/* Bytes replaced, and pieces of the text left out, repeated or put elsewhere. */
static void mutate(char *text, size_t size, uint64_t *state)
{
    for (uint32_t k = 1 + next(state, 3); k > 0; k--) {
        size_t from = next(state, (uint32_t)size), to = next(state, (uint32_t)size);
        size_t longest = size - (from > to ? from : to);
        size_t n = next(state, 40) % (longest + 1);
        if (next(state, 2))
            memmove(text + to, text + from, n);
        else
            text[from] = "(){}[]$#%|?!:;,=~.\"0a-Z_\n "[next(state, 26)];
    }
}

/* A table that was accepted is also used. */
static void use(Arena *arena, PatternTable *table)
{
    static const char body[] =
        "graph \"t\" { input %x: f32[1,4,5,5] const %w: f32[4,4,1,1] = random(seed=1, scale=1) "
        "const %three: f32[] = [3] const %six: f32[] = [6] "
        "%c = Conv(%x, %w) {dilations=[1,1], group=1, pads=[0,0,0,0], strides=[1,1]} "
        "%s = Add(%c, %x) %a = Add(%s, %three) %k = Clip(%a) {min=0, max=6} %m = Mul(%s, %k) "
        "%d = Div(%m, %six) %p = MaxPool(%d) {kernel_shape=[1,1], strides=[1,1], pads=[0,0,0,0], "
        "dilations=[1,1]} %q = Relu(%p) output \"q\" = %q }";
    Diag diag = {.arena = arena};
    const PassOptions options = {.threads = 1, .patterns = table};
    Graph *g = parse_text_ir(arena, &diag, "test", body, strlen(body));
    if (!g ||
        !run_passes(g, NULL, &options, "match-spelled,merge-composite", NULL, NULL, NULL, NULL))
        assert_non_null(diag.message);
}

/* Any damage to the built-in table is read or refused with its place, and what is read can be used. */
static void test_mutations(void **state)
{
    (void)state;
    enum { TIMES = 1500 };
    Arena *arena = arena_new();
    Text t = text_new(arena);
    print_patterns(pattern_table_new(arena), &t);
    for (uint64_t seed = 1; seed <= TIMES; seed++) {
        Arena *scratch = arena_new();
        uint64_t random = seed;
        char *copy = arena_strndup(scratch, t.data, t.size);
        PatternTable *table = pattern_table_new(scratch);
        mutate(copy, t.size, &random);
        const char *why = read_text(scratch, copy, t.size, table);
        size_t line, column;
        if (why && sscanf(why, "%zu:%zu: ", &line, &column) != 2)
            fail_msg("seed %llu: no place in %s", (unsigned long long)seed, why);
        if (!why)
            use(scratch, table);
        arena_free(scratch);
    }
    arena_free(arena);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_refusals),  cmocka_unit_test(test_nul),
        cmocka_unit_test(test_deep),      cmocka_unit_test(test_damage),
        cmocka_unit_test(test_built_in),  cmocka_unit_test(test_user_rows),
        cmocka_unit_test(test_features),  cmocka_unit_test(test_broadcasts),
        cmocka_unit_test(test_mutations),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
