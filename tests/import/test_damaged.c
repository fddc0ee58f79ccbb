/* Damaged files: a model cut off at every 97th byte, and with bytes changed. The import may refuse or, where the
 * damage does not matter, take the model; it must not crash, and a refusal must be one line that names the file.
 * Takes folders of ONNX's test data as arguments; without any, a model built here is damaged alone. */
#include "testing.h"

#include <glob.h>

enum { MUTATIONS = 300, MAX_SIZE = 1 << 20 };

static char **folders;

static void import_bytes(Fixture *f, const uint8_t *bytes, size_t size, size_t *refused)
{
    static const char *const dims[] = {"*=2"};
    Arena *arena = arena_new();
    Diag diag = {.arena = arena};
    write_bytes(f, "model.onnx", bytes, size);
    const Graph *g =
        import_onnx(arena, &diag, f->path, &(ImportOptions){.dims = dims, .n_dims = 1});
    if (!g) {
        assert_non_null(diag.message);
        assert_non_null(strstr(diag.message, f->path));
        assert_null(strchr(diag.message, '\n'));
        ++*refused;
    }
    arena_free(arena);
}

static void damage(Fixture *f, const uint8_t *bytes, size_t size)
{
    uint8_t *copy = arena_alloc(f->arena, size + 1);
    uint64_t seed = 88172645463325252u;
    size_t refused = 0, cuts = 0;
    for (size_t cut = 0; cut < size; cut += 97, cuts++)
        import_bytes(f, bytes, cut, &refused);
    assert_true(refused + 4 > cuts); /* what follows the graph may be missed */
    for (int i = 0; i < MUTATIONS; i++) {
        memcpy(copy, bytes, size);
        for (int k = 0; k <= i % 4; k++) {
            seed ^= seed << 13;
            seed ^= seed >> 7;
            seed ^= seed << 17;
            copy[seed % size] = (uint8_t)(seed >> 32);
        }
        import_bytes(f, copy, size, &refused);
    }
}

static void built_model(void **state)
{
    static const float weights[27] = {1, 2, 3};
    Fixture *f = *state;
    Build *b = build_new(f->arena, 13);
    uint8_t *bytes;
    build_input(b, "x", DT_F32, "N,3,8,8");
    build_init(b, "w", DT_F32, "1,3,3,3", weights);
    build_attr_ints(b, build_node(b, "Conv", "x w", "c"), "pads", (int64_t[]){1, 1, 1, 1}, 4);
    build_node(b, "Shape", "c", "s");
    build_node(b, "Reshape", "c s", "r");
    build_attr_int(b, build_node(b, "Softmax", "r", "y"), "axis", 1);
    build_output(b, "y", DT_F32, "N,1,8,8");
    size_t size = build_pack(b, &bytes);
    damage(f, bytes, size);
}

static void conformance_models(void **state)
{
    Fixture *f = *state;
    for (char **folder = folders; *folder; folder++) {
        glob_t found;
        if (glob(arena_printf(f->arena, "%s/model.onnx", *folder), 0, NULL, &found))
            continue; /* the test data is not installed */
        for (size_t i = 0; i < found.gl_pathc; i++) {
            Diag diag = {.arena = f->arena};
            char *bytes;
            size_t size;
            assert_true(read_file(f->arena, found.gl_pathv[i], &bytes, &size, &diag));
            if (size && size <= MAX_SIZE)
                damage(f, (const uint8_t *)bytes, size);
        }
        globfree(&found);
    }
}

int main(int argc, char **argv)
{
#define TEST(fn) cmocka_unit_test_setup_teardown(fn, fixture_begin, fixture_end)
    (void)argc;
    folders = argv + 1;
    const struct CMUnitTest tests[] = {TEST(built_model), TEST(conformance_models)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
