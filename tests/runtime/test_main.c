/* dnnlc_main from command line to exit status, with the models of fake_model.c. Each test works in
 * a folder of its own; each run is a child process whose output is collected. */
#define _XOPEN_SOURCE 700
#include "testing.h"

#include "dnnlc_dump.h"
#include "dnnlc_file.h"
#include "failing_alloc.h"
#include "fake_model.h"

#include <ftw.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

enum { MAX_ARGUMENTS = 16, TEXT = 8192 };

struct result {
    int status;
    char out[TEXT], err[TEXT];
};

/* The allocation, and the thread, that the next runs make fail; -1: none. */
static long failing = -1, failing_thread = -1;

static void read_text(const char *path, char text[TEXT])
{
    FILE *file = fopen(path, "r");
    assert_non_null(file);
    text[fread(text, 1, TEXT - 1, file)] = 0;
    fclose(file);
}

/* Runs the model with the words of `line`. */
static struct result run(const struct dnnlc_model *model, const char *line)
{
    struct result r;
    char copy[512], *argv[MAX_ARGUMENTS] = {"fake"};
    int argc = 1, status;
    strcpy(copy, line);
    for (char *word = strtok(copy, " "); word; word = strtok(NULL, " "))
        argv[argc++] = word;
    fflush(NULL);
    pid_t child = fork();
    assert_true(child >= 0);
    if (child == 0) {
        if (!freopen("stdout.txt", "w", stdout) || !freopen("stderr.txt", "w", stderr))
            _exit(99);
        fail_allocation(failing);
        fail_thread(failing_thread);
        exit(dnnlc_main(argc, argv, model));
    }
    assert_int_equal(waitpid(child, &status, 0), child);
    assert_true(WIFEXITED(status));
    r.status = WEXITSTATUS(status);
    read_text("stdout.txt", r.out);
    read_text("stderr.txt", r.err);
    return r;
}

static void expect(const struct dnnlc_model *model, const char *line, int status, const char *out)
{
    struct result r = run(model, line);
    if (r.status != status)
        fail_msg("'%s' gave %d, not %d: %s%s", line, r.status, status, r.err, r.out);
    if (status == 0)
        assert_string_equal(r.err, "");
    else
        assert_ptr_equal(strchr(r.err, '\n'), r.err + strlen(r.err) - 1); /* one line */
    assert_contains(status == 0 ? r.out : r.err, out);
}

static void save(const char *path, int dtype, int rank, const int64_t *dims, const void *data)
{
    char why[WHY];
    struct dnnlc_array array = counting_array(dtype, rank, dims);
    memcpy(array.data, data, array.bytes);
    if (!dnnlc_array_write(path, &array, why, sizeof why))
        fail_msg("%s", why);
    dnnlc_array_free(&array);
}

static void save_x(const char *path, float a, float b, float c)
{
    save(path, DNNLC_F32, 2, (const int64_t[]){1, 3}, (const float[]){a, b, c});
}

static void save_i64(const char *path, int64_t value)
{
    save(path, DNNLC_I64, 0, NULL, &value);
}

/* The folder "set" with test data that the model agrees with. */
static void save_test_data(void)
{
    mkdir("set", 0777);
    save_x("set/input_0.npy", 1, 2, 3);
    save_i64("set/input_1.npy", 5);
    save_x("set/output_0.npy", 2, 4, 6);
    save_i64("set/output_1.npy", -5);
}

static void output_is(const char *path, const char *values)
{
    char why[WHY], text[256] = "";
    struct dnnlc_array array;
    if (!dnnlc_array_read(path, &array, why, sizeof why))
        fail_msg("%s", why);
    for (size_t i = 0; i < array.count; i++)
        snprintf(text + strlen(text), sizeof text - strlen(text), "%s%g", i ? " " : "",
                 dnnlc_array_element(&array, i));
    assert_string_equal(text, values);
    dnnlc_array_free(&array);
}

static void runs_on_files(void **state)
{
    (void)state;
    save_x("a.npy", 1, -2, 3.5f);
    save_i64("m.npy", 42);
    expect(&fake_model, "--input a.npy --input m.npy", 0,
           "'y' f32[1,3]: min -4 max 7 mean 1.66667 argmax 2 values 2 -4 7\n"
           "'n?' i64[]: min -42 max -42 mean -42 values -42\n");
    expect(&fake_model, "--input x=m=m.npy --input x=a.npy --output-dir out", 0, "");
    output_is("out/output_0.npy", "2 -4 7");
    output_is("out/output_1.npy", "-42");
    expect(&fake_model, "--input a.npy --input m.npy --output-dir out --threads 4", 0, "");
    assert_int_equal(access("out/output_2.npy", F_OK), -1);
}

static void refuses_inputs(void **state)
{
    (void)state;
    save_x("a.npy", 1, 2, 3);
    save("wide.npy", DNNLC_F64, 3, (const int64_t[]){1, 1, 2}, (const double[]){1, 2});
    save("flat.npy", DNNLC_F32, 1, (const int64_t[]){3}, (const float[]){1, 2, 3});
    write_file("junk.npy", "junk", 4);
    write_file("junk.pb", "\x10", 1);
    expect(&fake_model, "--random 1 --input wide.npy", 1,
           "fake: input 'x': wide.npy is f64[1,1,2], the model wants f32[1,3]\n");
    expect(&fake_model, "--random 1 --input flat.npy", 1, "flat.npy is f32[3], the model wants");
    expect(&fake_model, "--random 1 --input x=m=a.npy", 1, "input 'x=m': a.npy is f32[1,3]");
    expect(&fake_model, "--random 1 --input none.npy", 1, "fake: input 'x': none.npy: No such");
    expect(&fake_model, "--random 1 --input junk.npy", 1, "junk.npy: not a .npy file\n");
    expect(&fake_model, "--random 1 --input junk.pb", 1, "junk.pb: malformed protobuf");
    expect(&fake_model, "--random 1 --input stdout.txt", 1, "neither a .npy nor a .pb file");
    expect(&fake_model, "--random 1 --input x=.", 1, "neither");
}

static void reports_usage(void **state)
{
    (void)state;
    expect(&fake_model, "", 2, "fake: missing inputs 'x' f32[1,3], 'x=m' i64[]: give --input FILE for each, or "
           "--random SEED (see --help)\n");
    expect(&fake_model, "--input", 2, "--input wants a value");
    expect(&fake_model, "--help", 0, "usage: fake [--input FILE | --input INPUT=FILE]");
    expect(&fake_constant, "--input a.npy", 2, "'a.npy' is one input too many, the model has 0");
}

static void reports_failures(void **state)
{
    (void)state;
    write_file("file", "", 0);
    expect(&fake_bad_init, "--random 1", 1,
           "fake: init failed in layer 'conv?1': not on this CPU\n");
    expect(&fake_bad_run, "--random 1", 1, "fake: run failed with status 4\n");
    expect(&fake_bad_run, "--bench 3", 1, "run failed");
    expect(&fake_bad_run, "--profile", 1, "run failed");
    expect(&fake_bad_run, "--random 1 --output-dir out", 1, "run failed");
    assert_int_equal(access("out/output_0.npy", F_OK), -1);
    expect(&fake_bad_table, "", 1, "'y': 13 bytes in the model's table, 12 by its shape");
    expect(&fake_model, "--random 1 --threads 5", 1,
           "5 threads, the model was compiled for at most 4");
    expect(&fake_model, "--selftest", 1, "--selftest: the model was compiled without it");
    expect(&fake_bad_count, "--random 5", 1, "output 'y' has capacity for 3 rows, not -1");
    expect(&fake_model, "--random 1 --output-dir file", 1, "fake: file: not a folder");
    expect(&fake_model, "--random 1 --output-dir none/out", 1, "fake: none/out: No such");
    assert_int_equal(mkdir("out/output_1.npy", 0777), 0);
    expect(&fake_model, "--random 1 --output-dir out", 1, "fake: out/output_1.npy: ");
}

static void model_without_inputs(void **state)
{
    (void)state;
    expect(&fake_constant, "", 0, "'z' u8[]: min 7 max 7 mean 7 values 7\n");
    expect(&fake_constant, "--bench 2", 0, "runs        2\n");
}

/* Computed apart from this program, from the generator's definition. */
static void random_inputs(void **state)
{
    (void)state;
    expect(&fake_model, "--random 1 --output-dir one", 0, "");
    expect(&fake_model, "--random 1 --output-dir same", 0, "");
    expect(&fake_model, "--random 5 --output-dir five", 0, "");
    output_is("one/output_0.npy", "-0.59373 -1.06883 0.321691");
    output_is("same/output_0.npy", "-0.59373 -1.06883 0.321691");
    output_is("five/output_0.npy", "0.360311 -0.320822 0.595069");
    output_is("one/output_1.npy", "0");
    output_is("five/output_1.npy", "-1");
}

static void check_agrees(void **state)
{
    (void)state;
    save_test_data();
    expect(&fake_model, "--check set", 0, "output_0 'y' f32[1,3]: agrees exactly\n");
    save_x("set/output_0.npy", 2, 4, 6.005f);
    expect(&fake_model, "--check set", 0, "worst difference 0.005");
    expect(&fake_model, "--check set --rtol 1e-4 --output-dir out", 1,
           "fake: set: 1 of 2 outputs disagree with the reference\n");
    output_is("out/output_0.npy", "2 4 6");
    struct result r = run(&fake_model, "--check set --rtol 1e-4");
    assert_contains(r.out, "DISAGREES in 1 of 3 elements");
    assert_contains(r.out, "at [0,2]: 6, reference 6.005");
    save_i64("set/output_1.npy", -6);
    expect(&fake_model, "--check set --rtol 0", 1, "2 of 2 outputs disagree");
}

static void check_wants_all_files(void **state)
{
    (void)state;
    save_test_data();
    expect(&fake_model, "--check none", 1, "none: No such file or directory");
    expect(&fake_model, "--check set/output_1.npy", 1, "set/output_1.npy: not a folder");
    save_i64("set/output_2.npy", 0);
    expect(&fake_model, "--check set", 1, "set: has output_2, the model has 2 outputs");
    remove("set/output_2.npy");
    remove("set/output_1.npy");
    expect(&fake_model, "--check set", 1, "set: neither output_1.pb nor .npy, for output 'n?'");
    save_x("set/output_1.npy", 1, 2, 3);
    expect(&fake_model, "--check set", 1,
           "output 'n?': set/output_1 is f32[1,3], the model gives i64[]");
    remove("set/input_1.npy");
    expect(&fake_model, "--check set", 1, "set: neither input_1.pb nor .npy, for input 'x=m'");
    write_file("set/input_1.pb", "junk", 4);
    expect(&fake_model, "--check set", 1, "set/input_1.pb: ");
}

/* Three inputs in the folder, one of which was bound when the model was compiled. */
static void check_finds_inputs_by_name(void **state)
{
    (void)state;
    static const char bound[] = "\x10\x07\x38\x01\x42\x01q";
    static const char x[] =
        "\x08\x01\x08\x03\x10\x01\x42\x01x\x22\x0c\0\0\x80\x3f\0\0\0\x40\0\0@\x40";
    static const char m[] = "\x10\x07\x38\x05\x42\x03x=m";
    save_test_data();
    remove("set/input_0.npy");
    remove("set/input_1.npy");
    write_file("set/input_0.pb", bound, sizeof bound - 1);
    write_file("set/input_1.pb", m, sizeof m - 1);
    write_file("set/input_2.pb", x, sizeof x - 1);
    expect(&fake_model, "--check set", 0, "output_0 'y' f32[1,3]: agrees exactly\n");
}

/* A sequence has as many ports as tensors, in its place; an optional, here by the name of one of several inputs, one or none. */
static void check_takes_lists_apart(void **state)
{
    (void)state;
    static const char both[] =
        "\x0a\x01l\x10\x01"
        "\x1a\x14\x08\x01\x08\x03\x10\x01\x22\x0c\0\0\x80\x3f\0\0\0\x40\0\0@\x40"
        "\x1a\x04\x10\x07\x38\x05";
    static const char none[] = "\x0a\x01l\x10\x01",
                      count[] = "\x0a\x03x=m\x10\x01\x1a\x04\x10\x07\x38\x05";
    static const char x[] =
        "\x08\x01\x08\x03\x10\x01\x42\x01x\x22\x0c\0\0\x80\x3f\0\0\0\x40\0\0@\x40";
    static const char extra[] = "\x10\x07\x38\x05";
    save_test_data();
    remove("set/input_0.npy");
    remove("set/input_1.npy");
    write_file("set/input_0.pb", none, sizeof none - 1);
    write_file("set/input_1.pb", both, sizeof both - 1);
    expect(&fake_model, "--check set", 0, "output_0 'y' f32[1,3]: agrees exactly\n");
    write_file("set/input_0.pb", count, sizeof count - 1);
    write_file("set/input_1.pb", extra, sizeof extra - 1);
    write_file("set/input_2.pb", x, sizeof x - 1);
    expect(&fake_model, "--check set", 0, "output_0 'y' f32[1,3]: agrees exactly\n");
    write_file("set/input_1.pb", both, sizeof both - 1);
    remove("set/input_2.pb");
    expect(&fake_model, "--check set", 1, "set/input_0 is ");
    remove("set/input_0.pb");
    remove("set/input_1.pb");
    save_test_data();
    write_file("set/output_0.pb", both, sizeof both - 1);
    expect(&fake_model, "--check set", 1, "set: has output_1, the model has 2 outputs");
    remove("set/output_1.npy");
    expect(&fake_model, "--check set", 1, "set: 2 of 2 outputs disagree");
}

static void bench(void **state)
{
    (void)state;
    static const char *const keys[] = {"init_ms",
                                       "first_run_ms",
                                       "median_ms",
                                       "p10_ms",
                                       "p90_ms",
                                       "min_ms",
                                       "runs\": 7",
                                       "threads\": 4",
                                       "instances\": 1",
                                       "runs_per_s",
                                       "workspace_bytes\": 1000",
                                       "peak_rss_kb"};
    struct result r = run(&fake_model, "--bench 7 --json");
    assert_int_equal(r.status, 0);
    for (size_t i = 0; i < sizeof keys / sizeof *keys; i++) {
        char key[64];
        snprintf(key, sizeof key, ", \"%s", keys[i]);
        assert_contains(r.out, key);
    }
    assert_int_equal(r.out[0], '{');
    assert_string_equal(r.out + strlen(r.out) - 2, "}\n");
    expect(&fake_model, "--bench 1 --threads 2", 0, "threads     2\n");
}

/* Contexts in threads of their own: as many runs by each, on one thread unless more are asked for. */
static void instances(void **state)
{
    (void)state;
    const char *text = "runs        15\nthreads     1\ninstances   3\nruns/s      ";
    expect(&fake_model, "--bench 5 --instances 3", 0, text);
    expect(&fake_model, "--bench 5 --instances 1", 0,
           "runs        5\nthreads     1\ninstances   1\n");
    expect(&fake_model, "--bench 5 --instances 2 --threads 2", 0, "threads     2\ninstances   2\n");
    expect(&fake_model, "--bench 5 --instances 2 --threads 5", 1,
           "5 threads, the model was compiled");
    expect(&fake_bad_run, "--bench 5 --instances 2", 1, "run failed");
    failing_thread = 1;
    expect(&fake_model, "--bench 5 --instances 3", 1, "--instances: no thread 2 of 3: ");
    expect(&fake_model, "--profile --threads 2", 1, "no thread 2 of 2 to measure the peak with: ");
    save("rows.npy", DNNLC_F32, 3, (const int64_t[]){2, 1, 3}, (const float[]){1, 2, 3, 4, 5, 6});
    save_i64("m.npy", 5);
    failing_thread = 0;
    expect(&fake_model, "--input x=m=m.npy --batch-file x=rows.npy y=y.npy --threads 2", 1,
           "--threads: no thread 2 of 2: ");
    failing_thread = -1;
    expect(&fake_bad_count, "--input x=m=m.npy --batch-file x=rows.npy y=y.npy", 1,
           "output 'y' has as many rows as the data say, others for each run: no file can have "
           "them stacked, --each writes one for each run");
    expect(&fake_bounded, "--input x=m=m.npy --batch-file x=rows.npy y=y.npy", 1,
           "input 'x' has as many rows as each run says, and a stacked file as many in each of its "
           "own: --each runs files of different sizes");
    expect(fake_variants, "--input x=- --input x=m=m.npy", 1,
           "input 'x': standard input is read once, and --variant has to say for which variant");
}

static void profile_and_info(void **state)
{
    (void)state;
    expect(&fake_model, "--profile", 0, "  double  Mul  f32[1,3] by 2  C \"two\"\n");
    expect(&fake_model, "--profile --threads 2", 0,
           "peak of this CPU, measured just now on 2 threads: ");
    expect(&fake_model, "--profile --random 3", 0, "total, mean of 1000 runs\n");
    expect(&fake_model, "--profile --json", 0, "{\"runs\": 1000, \"least_ms\": 0.0");
    expect(&fake_model, "--profile --json", 0, "\n {\"layer\": 1, \"least_ms\": 0.0");
    expect(&fake_model, "--profile --json", 0, "\"model_sha256\": \"abc\"");
    expect(&fake_model, "--profile --json", 0,
           "\"implementation\": \"C \\\"two\\\"\", \"operations\": 3, \"read_bytes\": 12, "
           "\"written_bytes\": 12, \"gflops\": ");
    expect(&fake_model, "--profile --no-peak --threads 2 --json", 0, "\"threads\": 2, \"layers\": [\n");
    expect(&fake_model, "--profile --no-peak", 0, "  GFLOP/s     GB/s  layer  op  ");
    assert_null(strstr(run(&fake_model, "--profile --no-peak").out, "peak"));
    assert_null(strstr(run(&fake_model, "--profile --no-peak --json").out, "peak"));
    expect(&fake_model, "--profile --trace trace.json", 0, "peak of this CPU");
    char trace[TEXT];
    read_text("trace.json", trace);
    assert_contains(trace, "{\"displayTimeUnit\": \"ns\", \"otherData\": {\"model\": \"fake\", "
                           "\"model_sha256\": \"abc\"}, \"traceEvents\": [\n"
                           " {\"ph\": \"X\", \"pid\": 1, \"tid\": 1, \"ts\": 0.000, \"dur\": ");
    assert_contains(trace, ", \"name\": \"negate\", \"cat\": \"Neg\", \"args\": {\"layer\": 1, ");
    expect(&fake_model, "--profile --trace missing/trace.json", 1,
           "missing/trace.json: No such file or directory");
    expect(&fake_model, "--profile --trace /dev/full", 1,
           "/dev/full: No space left on device"); /* and is no file then */
    struct stat status;
    assert_true(stat("/dev/full", &status) == 0 && S_ISCHR(status.st_mode));
    expect(&fake_model, "--info", 0, "input     1     'x=m' i64[], 8 bytes\n");
    expect(&fake_model, "--info", 0, "layer     1     negate  Neg  fake_c_0\n");
    expect(&fake_model_with_file, "--info", 0, "weights         4 bytes, fake_weights.bin\n");
}

static int remove_one(const char *path, const struct stat *status, int type, struct FTW *walk)
{
    (void)status, (void)type, (void)walk;
    return remove(path);
}

/* u8[1,6,2] in blocks of four channels, of which the second is filled by half; and a layer that no run reaches. */
static const struct dnnlc_made made[] = {
    {.layer = 0,
     .section = DNNLC_IN_WORKSPACE,
     .offset = 4,
     .dtype = 2,
     .rank = 3,
     .dims = {1, 6, 2},
     .strides = {16, 8, 4},
     .block_dim = 1,
     .block = 4,
     .file = "0000_blocks.npy",
     .line = "{\"layer\": 0}"},
    {.layer = 1,
     .section = DNNLC_IN_OUTPUT,
     .port = 1,
     .dtype = 7,
     .block = 1,
     .file = "0001_negate.npy",
     .line = "{\"layer\": 1}"},
    {.layer = 2, .dtype = 1, .block = 1, .file = "0002_none.npy", .line = "{\"layer\": 2}"},
};
static const struct dnnlc_debug debug = {.head = "{\"fake\": 1", .made = made, .n_made = 3};

static int dump_layers(struct dnnlc_session *session, const char *dir, char *why, size_t why_size)
{
    return dnnlc_dump_layers(session, &debug, dir, why, why_size);
}

static void layers_are_dumped(void **state)
{
    (void)state;
    struct dnnlc_model fake_debug = fake_blocks;
    fake_debug.dump_layers = dump_layers;
    char index[TEXT];
    save_x("a.npy", 1, -2, 3.5f);
    save_i64("m.npy", 42);
    expect(&fake_debug, "--input a.npy --input m.npy --dump-layers d", 0, "values -42\n");
    output_is("d/0000_blocks.npy", "0 4 1 5 2 6 3 7 8 12 9 13");
    output_is("d/0001_negate.npy", "-42");
    output_is("d/input_0.npy", "1 -2 3.5");
    output_is("d/input_1.npy", "42");
    output_is("d/output_0.npy", "2 -4 7");
    assert_int_equal(access("d/0002_none.npy", F_OK), -1);
    read_text("d/index.json", index);
    assert_string_equal(index,
                        "{\"fake\": 1, \"layers\": [\n {\"layer\": 0},\n {\"layer\": 1}\n]}\n");
    expect(&fake_debug, "--random 1 --dump-layers d", 1,
           "fake: d: exists already; --dump-layers makes a new folder\n");
    expect(&fake_debug, "--random 1 --dump-layers d/index.json/e", 1,
           "fake: d/index.json/e: Not a directory\n");
    expect(&fake_debug, "--random 1 --dump-layers missing/e", 1,
           "fake: missing/e: No such file or directory\n");
    expect(&fake_model, "--random 1 --dump-layers e", 1,
           "fake: --dump-layers: the model was compiled without --debug\n");
    assert_int_equal(access("e", F_OK), -1);
    failing = 0;
    bool table = false;
    for (struct result r; (r = run(&fake_debug, "--random 1 --dump-layers e")).status; failing++) {
        assert_contains(r.err, "no memory");
        table |= strstr(r.err, "no memory for a table of ") != NULL;
        assert_int_not_equal(access("e/index.json", F_OK), 0);
        assert_true(failing < 100);
        nftw("e", remove_one, 8, FTW_DEPTH | FTW_PHYS);
    }
    assert_true(failing > 8);
    assert_true(table);
    failing = -1;
}

static void weights_in_a_file(void **state)
{
    (void)state;
    static const float factor[] = {3, 4};
    save_x("a.npy", 1, 2, 3);
    expect(&fake_model_with_file, "--random 1", 1, "fake_weights.bin: not beside the executable, and not in the current folder");
    write_file("fake_weights.bin", factor, 4);
    expect(&fake_model_with_file, "--random 1 --input a.npy", 0, "values 3 6 9\n");
    write_file("fake_weights.bin", factor, 8);
    expect(&fake_model_with_file, "--random 1", 1, "fake_weights.bin: 8 bytes, the model wants 4");
    write_file("fake_weights.bin", factor, 0);
    expect(&fake_model_with_file, "--random 1", 1, "fake_weights.bin: the file is empty");
}

/* Rows are whole inputs here: m is a scalar. Three of them, in one thread or several. */
static void stacked_rows(void **state)
{
    (void)state;
    const float x[] = {1, 2, 3, 4, 5, 6, 7, 8, 9};
    const int64_t m[] = {10, 20, 30};
    save("rows_x.npy", DNNLC_F32, 3, (const int64_t[]){3, 1, 3}, x);
    save("rows_m.npy", DNNLC_I64, 1, (const int64_t[]){3}, m);
    save_i64("m.npy", 10);
    const char *line = "--batch-file x=rows_x.npy x=m=rows_m.npy y=rows_y.npy --threads 2";
    expect(&fake_model, line, 0, "3 rows in");
    output_is("rows_y.npy", "2 4 6 8 10 12 14 16 18");
    write_file("fake_weights.bin", &(float){3}, sizeof(float));
    expect(&fake_model_with_file, line, 0, "3 rows in");
    output_is("rows_y.npy", "3 6 9 12 15 18 21 24 27");
    expect(&fake_model, "--input x=m=m.npy --batch-file x=rows_x.npy y=rows_y.npy --shard 2/2", 0,
           "1 rows");
    output_is("rows_y.npy", "14 16 18");
    expect(&fake_bad_run, line, 1, "run failed with status 4");
    expect(&fake_bad_init, line, 1, "init failed in layer 'conv?1': not on this CPU");
    save("rows_m.npy", DNNLC_I64, 1, (const int64_t[]){2}, m);
    expect(&fake_model, line, 1, "inputs 'x' and 'x=m' have 3 and 2 rows");
    save("rows_x.npy", DNNLC_F32, 2, (const int64_t[]){3, 3}, x);
    expect(&fake_model, line, 1,
           "inputs 'x' and 'x=m': one is stacked along a new dimension, the other along its own");
}

static void full_disk(void **state)
{
    (void)state;
    if (access("/dev/full", W_OK) != 0)
        skip();
    pid_t child = fork();
    if (child == 0) {
        char *argv[] = {"fake", "--info"};
        if (!freopen("/dev/full", "w", stdout) || !freopen("stderr.txt", "w", stderr))
            _exit(99);
        const int done = dnnlc_main(2, argv, &fake_model);
        fflush(stderr);
        _exit(done);
    }
    int status;
    waitpid(child, &status, 0);
    assert_int_equal(WEXITSTATUS(status), 1);
    char said[TEXT];
    read_text("stderr.txt", said);
    assert_contains(said, "fake: cannot write to standard output: No space left on device");
}

/* All that was said of allocations that failed. */
static char complaints[1 << 16];

/* Makes each allocation of a run fail once, which has to be reported in one line. */
static void fail_each_allocation(const struct dnnlc_model *model, const char *line)
{
    struct result r;
    for (failing = 0; (r = run(model, line)).status != 0; failing++) {
        assert_in_range(r.status, 1, 2);
        assert_contains(r.err, "no memory");
        assert_ptr_equal(strchr(r.err, '\n'), r.err + strlen(r.err) - 1);
        if (!strstr(complaints, r.err))
            strncat(complaints, r.err, sizeof complaints - strlen(complaints) - 1);
        assert_true(failing < 100);
    }
    assert_true(failing > 5);
    failing = -1;
}

static void allocations_fail(void **state)
{
    (void)state;
    static const char m[] = "\x10\x07\x38\x05\x42\x03x=m";
    save_test_data();
    write_file("m.pb", m, sizeof m - 1);
    fail_each_allocation(&fake_model, "--check set");
    fail_each_allocation(&fake_model, "--input set/input_0.npy --input m.pb --output-dir out");
    fail_each_allocation(&fake_model, "--bench 2");
    fail_each_allocation(&fake_model, "--bench 2 --instances 3");
    save("rows.npy", DNNLC_F32, 3, (const int64_t[]){2, 1, 3}, (const float[]){1, 2, 3, 4, 5, 6});
    fail_each_allocation(&fake_model,
                         "--input x=m=m.pb --batch-file x=rows.npy y=y.npy --threads 1");
    fail_each_allocation(&fake_model,
                         "--input x=m=m.pb --batch-file x=rows.npy y=y.npy --threads 2");
    fail_each_allocation(&fake_model, "--profile");
    fail_each_allocation(&fake_model, "--profile --trace trace.json");
    mkdir("each", 0777);
    save_x("each/input_0.npy", 1, 2, 3);
    save_i64("each/input_1.npy", 5);
    fail_each_allocation(&fake_model, "--each each --output-dir out");
    fail_each_allocation(fake_variants, "--check set");
    static const char *const each[] = {"no memory for the times of 2 runs",
                                       "no memory for rows of the stacked files",
                                       "rows.npy: no memory for its header",
                                       "no memory for the times of 2 layers",
                                       "no memory for the table of inputs",
                                       "no memory for the tables of inputs and outputs",
                                       "no memory for the options",
                                       "no memory for the tensor's name",
                                       "no memory to measure the peak with: ",
                                       "no memory to measure the peak of ",
                                       "no memory for a list of tensors",
                                       "out: no memory for a path",
                                       "set: no memory for a path"};
    for (size_t i = 0; i < sizeof each / sizeof *each; i++)
        assert_contains(complaints, each[i]);
}

static int enter_folder(void **state)
{
    char dir[] = "/tmp/dnnlc-main-XXXXXX";
    if (!mkdtemp(dir) || chdir(dir) != 0)
        return -1;
    *state = strdup(dir);
    return *state ? 0 : -1;
}

static int leave_folder(void **state)
{
    int status = chdir("/") || nftw(*state, remove_one, 8, FTW_DEPTH | FTW_PHYS);
    free(*state);
    return status;
}

#define IN_FOLDER(test) cmocka_unit_test_setup_teardown(test, enter_folder, leave_folder)

int main(void)
{
    const struct CMUnitTest tests[] = {
        IN_FOLDER(runs_on_files),
        IN_FOLDER(refuses_inputs),
        IN_FOLDER(reports_usage),
        IN_FOLDER(reports_failures),
        IN_FOLDER(model_without_inputs),
        IN_FOLDER(random_inputs),
        IN_FOLDER(check_agrees),
        IN_FOLDER(check_wants_all_files),
        IN_FOLDER(check_finds_inputs_by_name),
        IN_FOLDER(check_takes_lists_apart),
        IN_FOLDER(bench),
        IN_FOLDER(instances),
        IN_FOLDER(profile_and_info),
        IN_FOLDER(layers_are_dumped),
        IN_FOLDER(weights_in_a_file),
        IN_FOLDER(stacked_rows),
        IN_FOLDER(full_disk),
        IN_FOLDER(allocations_fail),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
