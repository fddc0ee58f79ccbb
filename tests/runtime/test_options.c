/* The command line: values, combinations, and which file goes to which input. */
#include "testing.h"

#include "dnnlc_options.h"
#include "fake_model.h"

enum { MAX_ARGUMENTS = 16 };

/* Splits a command line at its spaces and parses it; the strings live in `line`. */
static bool parse(char *line, struct dnnlc_options *options, char *why)
{
    char *argv[MAX_ARGUMENTS] = {"fake"};
    int argc = 1;
    for (char *word = strtok(line, " "); word; word = strtok(NULL, " "))
        argv[argc++] = word;
    return dnnlc_options_parse(options, argc, argv, &fake_model, why, WHY);
}

static void accepted(void **state)
{
    (void)state;
    static const char *const lines[] = {
        "--random 0 --threads 4096 --output-dir /tmp/x",
        "--random 18446744073709551615",
        "--check d --rtol 0 --atol .5 --output-dir o",
        "--bench 1",
        "--input - --input - --output - --output n",
        "--input b.npy --batch-file x=a.npy y=-",
        "--batch-file x=a.npy x=m=b.npy y=c.npy --shard 3/3 --threads 64",
        "--bench 10 --json --threads 1",
        "--bench 10 --instances 1024 --threads 2",
        "--bench 10 --random 3 --input a.npy",
        "--profile --input a.npy --input b.npy",
        "--profile",
        "--info",
        "--info --help",
        "--random 3 --dump-layers d --output-dir o --threads 2",
    };
    for (size_t i = 0; i < sizeof lines / sizeof *lines; i++) {
        char line[256], why[WHY];
        struct dnnlc_options options;
        strcpy(line, lines[i]);
        if (!parse(line, &options, why))
            fail_msg("%s: %s", lines[i], why);
        dnnlc_options_free(&options);
    }
}

static void refused(void **state)
{
    (void)state;
    static const struct {
        const char *line, *reason;
    } cases[] = {
        {"", "missing inputs 'x' f32[1,3], 'x=m' i64[]: give"},
        {"--input a.npy", "missing input 'x=m' i64[]: give --input FILE for each, or --random SEED"},
        {"--bench 5 --input a.npy", "missing input 'x=m'"},
        {"--output-dir d", "missing inputs"},
        {"--threads 2", "missing inputs"},
        {"a.npy", "unexpected argument 'a.npy'; inputs are given with --input"},
        {"--frobnicate", "unknown option '--frobnicate'"},
        {"-x", "unknown option '-x'"},
        {"--threads=2", "unknown option '--threads=2'; did you mean '--threads'?"},
        {"--batch-fiel a b", "unknown option '--batch-fiel'; did you mean '--batch-file'?"},
        {"--prof", "unknown option '--prof'; did you mean '--profile'?"},
        {"--ratol 1", "unknown option '--ratol'; did you mean '--rtol'?"},
        {"--jsno", "unknown option '--jsno'; did you mean '--json'?"},
        {"--info --info", "--info is given twice"},
        {"--random", "--random wants a value: --random SEED"},
        {"--input --random 1", "--input wants a value"},
        {"--random -1", "--random -1: not a whole number from 0 to 2^64 - 1"},
        {"--random 1x", "not a whole number"},
        {"--random 0x1", "not a whole number"},
        {"--random 18446744073709551616", "not a whole number"},
        {"--random 1 --threads 0", "--threads 0: not a whole number from 1 to 4096"},
        {"--random 1 --threads 4097", "not a whole number"},
        {"--bench 0", "--bench 0: not a whole number from 1 to 10000000"},
        {"--bench 1e3", "--bench 1e3: not"},
        {"--bench 1 --instances 0", "--instances 0: not a whole number from 1 to 1024"},
        {"--bench 1 --instances 1025", "--instances 1025: not"},
        {"--bench 1 --instances two", "--instances two: not"},
        {"--bench 1 --instances", "--instances wants a value: --instances N"},
        {"--profile --instances 2", "--instances is for --bench only"},
        {"--check d --rtol -1", "--rtol -1: not a number >= 0"},
        {"--check d --rtol nan", "--rtol nan"},
        {"--check d --rtol inf", "--rtol inf"},
        {"--check d --rtol 1e999", "--rtol 1e999"},
        {"--check d --atol 1e-3x", "--atol 1e-3x"},
        {"--random 1 --rtol 1", "--rtol is for --check only"},
        {"--profile --atol 1", "--atol is for --check only"},
        {"--random 1 --json", "--json is for --bench and --profile only"},
        {"--check d --random 1", "cannot be combined"},
        {"--check d --input a.npy", "--input and --check cannot be combined"},
        {"--check d --bench 1", "cannot be combined"},
        {"--bench 1 --trace a.json", "--trace is for --profile only"},
        {"--bench 1 --no-peak", "--no-peak is for --profile only"},
        {"--profile --trace", "--trace wants a value: --trace FILE"},
        {"--profile --bench 1", "--bench and --profile cannot be combined"},
        {"--random 1 --dump-layers", "--dump-layers wants a value: --dump-layers DIR"},
        {"--dump-layers d --bench 1", "--dump-layers and --bench cannot be combined"},
        {"--check d --dump-layers e", "--dump-layers and --check cannot be combined"},
        {"--info --random 1", "cannot be combined"},
        {"--info --threads 1", "cannot be combined"},
        {"--bench 1 --output-dir d", "cannot be combined"},
        {"--input a --input b --input c", "'c' is one input too many, the model has 2"},
        {"--input x=a --input x=b", "input 'x' is given twice"},
        {"--random 1 --input q=a.npy", "no input is called 'q' (--info lists them)"},
        {"--random 1 --output q=a.npy", "no output is called 'q'"},
        {"--random 1 --output a --output b --output c",
         "'c' is one output too many, the model has 2"},
        {"--random 1 --output y=a --output y=b", "output 'y' is given twice"},
        {"--batch-file", "--batch-file wants a value: --batch-file IN OUT"},
        {"--batch-file a",
         "--batch-file wants two files, or INPUT=FILE ... OUTPUT=FILE ..."},
        {"--batch-file a b c", "--batch-file wants two files"},
        {"--batch-file a b",
         "--batch-file with two files is for one input and one output, here are 2 and 2"},
        {"--input x=c --batch-file a b", "is for one input and one output, here are 1 and 2"},
        {"--batch-file x=a y=b", "--batch-file: input 'x=m' has no file; one that is the same for all rows is given with "
         "--input"},
        {"--batch-file x=a x=m=a b",
         "--batch-file: 'b' begins with the name of no input or output (--info lists them)"},
        {"--input b --input c --batch-file x=a y=d", "'c' is one input too many"},
        {"--input x=b --input c --batch-file x=a y=d", "input 'x' is given twice"},
        {"--input a --input b --batch-file y=c", "--batch-file: no input has a file"},
        {"--input x=m=b --batch-file x=a", "--batch-file: no output has a file"},
        {"--batch-file x=- x=m=- y=a", "--batch-file: '-' is there twice"},
        {"--input x=m=b --batch-file x=a y=c n?=c", "begins with the name of no input"},
        {"--batch-file x=a y=b --random 1", "--batch-file and --random cannot be combined"},
        {"--batch-file x=a y=b --output-dir d", "cannot be combined"},
        {"--batch-file x=a x=m=b y=c --shard 1/0", "--shard 1/0: not K/N, shard K of N"},
        {"--random 1 --shard 1/2", "--shard is for --batch-file only"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        char line[256], why[WHY] = "";
        struct dnnlc_options options;
        strcpy(line, cases[i].line);
        if (parse(line, &options, why))
            fail_msg("accepted: %s", cases[i].line);
        assert_contains(why, cases[i].reason);
        dnnlc_options_free(&options);
    }
}

static void values(void **state)
{
    (void)state;
    char line[] = "--check dir --rtol 0.25 --atol 1e-7 --threads 3", why[WHY];
    struct dnnlc_options options;
    assert_true(parse(line, &options, why));
    assert_string_equal(options.check_dir, "dir");
    assert_true(options.rtol == 0.25 && options.atol == 1e-7);
    assert_int_equal(options.threads, 3);
    assert_true(dnnlc_given(&options, DNNLC_CHECK) && !dnnlc_given(&options, DNNLC_BENCH));
    dnnlc_options_free(&options);

    char defaults[] = "--bench 12";
    assert_true(parse(defaults, &options, why));
    assert_true(options.rtol == 1e-3 && options.atol == 1e-5);
    assert_int_equal(options.seed, 1);
    assert_int_equal(options.threads, 0);
    assert_int_equal(options.runs, 12);
    dnnlc_options_free(&options);
}

/* Input 0 is called "x", input 1 "x=m". */
static void inputs_by_name_and_order(void **state)
{
    (void)state;
    static const struct {
        const char *line, *first, *second;
    } cases[] = {
        {"--input a.npy --input b.npy", "a.npy", "b.npy"},
        {"--input x=m=b.npy --input a.npy", "a.npy", "b.npy"},
        {"--input b.npy --input x=a.npy", "a.npy", "b.npy"},
        {"--input x=m=b=c.npy --input x=a", "a", "b=c.npy"},
        {"--random 1 --input x=m", "m", NULL},
        {"--random 1 --input x=m=", NULL, ""},
        {"--random 1 --input x=n=b.npy", "n=b.npy", NULL},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        char line[256], why[WHY];
        struct dnnlc_options options;
        const char *const expected[] = {cases[i].first, cases[i].second};
        strcpy(line, cases[i].line);
        assert_true(parse(line, &options, why));
        for (int k = 0; k < 2; k++)
            if (expected[k])
                assert_string_equal(options.input_files[k], expected[k]);
            else
                assert_null(options.input_files[k]);
        dnnlc_options_free(&options);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(accepted),
        cmocka_unit_test(refused),
        cmocka_unit_test(values),
        cmocka_unit_test(inputs_by_name_and_order),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
