/* Descriptions of machines as text: what is refused and where, that what is printed reads back as the same machine, and what a file
 * leaves out. */
#include "../../gen/machine/machine.h"
#include "../../gen/tune/measure.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* Reads text as a file; returns the refusal without its path, NULL: none. */
static const char *read_text(Arena *arena, const char *text, size_t size, Machine *m)
{
    char path[] = "/tmp/dnnlc-machine-XXXXXX";
    int fd = mkstemp(path);
    assert_true(fd >= 0);
    assert_int_equal(write(fd, text, size), size);
    close(fd);
    Diag diag = {.arena = arena};
    bool good = machine_read(arena, &diag, path, m);
    unlink(path);
    assert_int_equal(good, diag.message == NULL);
    if (good)
        return NULL;
    assert_int_equal(strncmp(diag.message, path, strlen(path)), 0);
    return diag.message + strlen(path) + 1;
}

static const char *print(Arena *arena, const Machine *m)
{
    Text t = text_new(arena);
    machine_print(m, &t);
    return t.data;
}

static const struct Refusal {
    const char *text, *message;
} refusals[] = {
    {"", "1:1: 'isa' and the name of an instruction set are expected first"},
    {"lanes 16\n", "1:1: 'isa' and the name of an instruction set are expected first"},
    {"// a comment\n\n  isax avx2",
     "3:3: 'isa' and the name of an instruction set are expected first"},
    {"isa", "1:4: the name of an instruction set is expected, as --isa takes it"},
    {"isa native", "1:5: the name of an instruction set is expected, as --isa takes it"},
    {"isa avx2 lanes 8", "1:10: the end of the line is expected"},
    {"isa avx2\nspeed 3\n", "2:1: a figure is expected: dnnlc --machine lists them"},
    {"isa avx2\n  = 3\n", "2:3: a figure is expected: dnnlc --machine lists them"},
    {"isa avx2\nisa avx2\n", "2:1: a figure is expected: dnnlc --machine lists them"},
    {"isa avx2\ncall_ns\n300\n", "2:8: a number is expected"},
    {"isa avx2\ncall_ns = 300\n", "2:9: a number is expected"},
    {"isa avx2\ncall_ns -3\n", "2:9: a number is expected"},
    {"isa avx2\ncall_ns nan\n", "2:9: a number is expected"},
    {"isa avx2\ncall_ns 0\n", "2:9: call_ns is a number from 1 to 1000000"},
    {"isa avx2\ncall_ns 1e999\n", "2:9: call_ns is a number from 1 to 1000000"},
    {"isa avx2\nlanes 4\n", "2:7: lanes are 0, 8 or 16"},
    {"isa avx2\ncall_ns 300 ns\n", "2:13: the end of the line is expected"},
    {"isa avx2\ncall_ns 300 / 2\n", "2:13: the end of the line is expected"},
    {"isa avx2\nl2_bytes 1048576\n\nl2_bytes 2097152\n", "4:1: l2_bytes is given twice"},
};

static void test_refusals(void **state)
{
    (void)state;
    for (size_t i = 0; i < COUNT_OF(refusals); i++) {
        Arena *arena = arena_new();
        Machine m;
        const char *got = read_text(arena, refusals[i].text, strlen(refusals[i].text), &m);
        if (!got || strcmp(got, refusals[i].message) != 0)
            fail_msg("%s\ngives %s\nnot   %s", refusals[i].text, got, refusals[i].message);
        arena_free(arena);
    }
}

static void test_bytes(void **state)
{
    (void)state;
    static const char nul[] = "isa avx2\ncall_ns 3\000\n";
    Arena *arena = arena_new();
    Diag diag = {.arena = arena};
    Machine m;
    assert_string_equal(read_text(arena, nul, sizeof nul - 1, &m), "2:10: a NUL");
    assert_false(machine_read(arena, &diag, "/nowhere/at/all", &m));
    assert_non_null(strstr(diag.message, "/nowhere/at/all"));
    arena_free(arena);
}

/* Print, read, print: the same text, whatever the figures are. */
static void test_identity(void **state)
{
    (void)state;
    static const char *const isas[] = {
        "sse41", "avx", "avx2", "avx2_vnni", "avx512_core_bf16", "avx10_1_512_amx_fp16"};
    for (size_t i = 0; i < COUNT_OF(isas); i++) {
        Arena *arena = arena_new();
        Machine m = machine_of_isa(isas[i]), again;
        m.peak_macs = 100.0 / 3;
        m.l2_bytes = 1 << 20;
        m.amx_byte_ns = 1.0 / 3000;
        const char *text = print(arena, &m);
        assert_null(read_text(arena, text, strlen(text), &again));
        assert_string_equal(print(arena, &again), text);
        assert_string_equal(again.isa, isas[i]);
        again.isa = m.isa;
        assert_non_null(again.hash);
        again.hash = m.hash;
        assert_memory_equal(&again, &m, sizeof m);
        arena_free(arena);
    }
}

/* What a file does not say is as for its instruction set. */
static void test_parts(void **state)
{
    (void)state;
    static const char text[] = "\n// a small one\nisa avx2 // and older\n\tl2_bytes 262144//\r\n";
    Arena *arena = arena_new();
    Machine m;
    assert_null(read_text(arena, text, strlen(text), &m));
    Machine expected = machine_of_isa("avx2");
    assert_true(m.l2_bytes == 262144 && expected.l2_bytes != m.l2_bytes);
    expected.l2_bytes = m.l2_bytes;
    expected.isa = m.isa;
    expected.hash = m.hash;
    assert_memory_equal(&m, &expected, sizeof m);
    arena_free(arena);
}

static void test_classes(void **state)
{
    (void)state;
    const Machine wide = machine_of_isa("avx512_core_vnni"), narrow = machine_of_isa("avx2_vnni_2"),
                  old = machine_of_isa("sse41"), none = machine_of_isa(NULL),
                  amx = machine_of_isa("avx512_core_amx");
    assert_int_equal(machine_lanes(&wide), 16);
    assert_int_equal(machine_lanes(&narrow), 8);
    assert_int_equal(machine_lanes(&old), 0);
    assert_int_equal(machine_lanes(&none), 0);
    assert_int_equal(machine_lanes(&amx), 16);
    assert_true(machine_same_class("avx10_1_512", "avx512_core"));
    assert_true(machine_same_class("avx", "sse41"));
    assert_false(machine_same_class("avx2", "avx"));
    assert_false(machine_same_class("avx512_core", "avx2"));
}

/* Times that say nothing leave all figures as they are; those that cannot be are said to be so. */
static void test_implausible(void **state)
{
    (void)state;
    static const double times[] = {NAN, 0, 1, 1e15};
    for (size_t i = 0; i < COUNT_OF(times); i++) {
        Arena *arena = arena_new();
        Text notes = text_new(arena);
        const Machine usual = machine_of_isa("avx2");
        Machine m = usual;
        double ns[MACHINE_PROBES];
        for (int k = 0; k < MACHINE_PROBES; k++)
            ns[k] = times[i];
        machine_conclude(&m, ns, 2, &notes);
        if (!isnan(times[i])) { /* everything is read as fast as the rest */
            assert_true(m.l3_rate == m.l2_rate && m.memory_rate == m.l2_rate);
            m.l3_bytes = usual.l3_bytes;
            m.l3_rate = m.memory_rate = usual.memory_rate;
        }
        assert_memory_equal(&m, &usual, sizeof m);
        assert_int_equal(isnan(times[i]), notes.size == 0);
        if (notes.size)
            assert_non_null(strstr(notes.data, "call_ns: "));
        arena_free(arena);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_refusals), cmocka_unit_test(test_bytes),
        cmocka_unit_test(test_identity), cmocka_unit_test(test_parts),
        cmocka_unit_test(test_classes),  cmocka_unit_test(test_implausible),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
