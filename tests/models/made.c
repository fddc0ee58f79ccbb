/* Models made for run-beside, of what no shared model has.  SPDX-License-Identifier: Apache-2.0
 *
 *   made NAME FILE.onnx */
#include "../import/build_model.h"

#include <stdio.h>
#include <string.h>

static void axis(Build *b, Onnx__NodeProto *n, int64_t v)
{
    build_attr_int(b, n, "axis", v);
}

static void swap_last(Build *b, const char *from, const char *to)
{
    static const int64_t order[] = {0, 2, 1};
    build_attr_ints(b, build_node(b, "Transpose", from, to), "perm", order, 3);
}

static void outputs(Build *b, const char *const *names, size_t n)
{
    for (size_t i = 0; i < n; i++)
        build_output(b, names[i], DT_F32, NULL);
}

/* New rows attend to those of before and to themselves, by a mask with two bounded dimensions, of which one is a sum. */
static void masked_cache(Build *b)
{
    static const char *const out[] = {"mixed", "p", "all", "scale"};
    build_input(b, "x", DT_F32, "2,n,4");
    build_input(b, "past", DT_F32, "2,w,4");
    build_input(b, "mask", DT_F32, "n,w + n");
    build_input(b, "bias", DT_F32, "n + 1");
    axis(b, build_node(b, "Concat", "past x", "all"), 1);
    swap_last(b, "all", "keys");
    build_node(b, "MatMul", "x keys", "scores");
    build_node(b, "Add", "scores mask", "masked");
    axis(b, build_node(b, "Softmax", "masked", "p"), -1);
    build_node(b, "MatMul", "p all", "mixed");
    build_node(b, "Exp", "bias", "scale");
    outputs(b, out, COUNT_OF(out));
}

/* Two dimensions in all that keeps matrices. */
static void matrices(Build *b)
{
    static const int64_t both[] = {1, 2};
    static const char *const out[] = {"square_n", "square_w", "rows", "columns", "longer",
                                      "wider",    "mean",     "max",  "sums",    "halves_0"};
    build_input(b, "a", DT_F32, "2,n,w");
    build_input(b, "u", DT_F32, "2,w,n");
    swap_last(b, "u", "t");
    build_node(b, "Mul", "a t", "product");
    build_node(b, "MatMul", "a u", "square_n");
    build_node(b, "MatMul", "u a", "square_w");
    axis(b, build_node(b, "Softmax", "product", "rows"), 2);
    axis(b, build_node(b, "Softmax", "product", "columns"), 1);
    axis(b, build_node(b, "Concat", "a t", "longer"), 1);
    axis(b, build_node(b, "Concat", "a square_n", "wider"), 2);
    build_attr_ints(b, build_node(b, "ReduceMean", "product", "mean"), "axes", both, 2);
    build_attr_ints(b, build_node(b, "ReduceMax", "product", "max"), "axes", both, 1);
    build_attr_ints(b, build_node(b, "ReduceL1", "product", "sums"), "axes", both + 1, 1);
    axis(b, build_node(b, "Split", "rows", "halves_0 halves_1"), 0);
    outputs(b, out, COUNT_OF(out));
}

/* A decoder as it is exported: a mask of 0 and 1 with a column for each row of before and now, made large and negative where nothing may be looked at, and the
 * cache that becomes longer. */
static void decoder(Build *b)
{
    static const float weights[] = {0.5f,  -0.25f, 1,      0.75f,  -1,    0.125f, 0.5f, 0.25f,
                                    -0.5f, 1,      0.375f, -0.75f, 0.25f, 0.5f,   -1,   0.625f};
    static const float one[] = {1}, low[] = {-1000};
    static const int64_t middle[] = {1};
    static const char *const out[] = {"hidden", "present"};
    build_init(b, "weights", DT_F32, "4,4", weights);
    build_init(b, "one", DT_F32, "", one);
    build_init(b, "low", DT_F32, "", low);
    build_init(b, "middle", DT_I64, "1", middle);
    build_input(b, "x", DT_F32, "2,seq,4");
    build_input(b, "mask", DT_I64, "2,past+seq");
    build_input(b, "past_rows", DT_F32, "2,past,4");
    axis(b, build_node(b, "Concat", "past_rows x", "present"), 1);
    build_node(b, "MatMul", "x weights", "q");
    swap_last(b, "present", "keys");
    build_node(b, "MatMul", "q keys", "scores");
    build_attr_int(b, build_node(b, "Cast", "mask", "seen"), "to", DT_F32);
    build_node(b, "Sub", "one seen", "unseen");
    build_node(b, "Mul", "unseen low", "bias");
    build_node(b, "Unsqueeze", "bias middle", "bias_3");
    build_node(b, "Add", "scores bias_3", "masked");
    axis(b, build_node(b, "Softmax", "masked", "p"), -1);
    build_node(b, "MatMul", "p present", "mixed");
    build_node(b, "MatMul", "mixed weights", "hidden");
    outputs(b, out, COUNT_OF(out));
}

/* Products by all rows of a batch, behind one another, and heads that want them apart again. */
static void flattened(Build *b)
{
    static const float weights[] = {0.5f,  -0.25f, 1,      0.75f,  -1,    0.125f, 0.5f, 0.25f,
                                    -0.5f, 1,      0.375f, -0.75f, 0.25f, 0.5f,   -1,   0.625f};
    static const int64_t by_rows[] = {-1, 4}, by_head[] = {3, -1, 2, 2}, by_batch[] = {3, -1, 4},
                         to_heads[] = {0, 2, 1, 3}, to_keys[] = {0, 2, 3, 1};
    static const char *const out[] = {"y", "rows_2", "last"};
    build_init(b, "weights", DT_F32, "4,4", weights);
    build_init(b, "by_rows", DT_I64, "2", by_rows);
    build_init(b, "by_head", DT_I64, "4", by_head);
    build_init(b, "by_batch", DT_I64, "3", by_batch);
    build_input(b, "x", DT_F32, "3,n,4");
    build_node(b, "Reshape", "x by_rows", "rows");
    build_node(b, "MatMul", "rows weights", "product");
    build_node(b, "Relu", "product", "positive");
    build_node(b, "Reshape", "positive by_head", "heads");
    build_attr_ints(b, build_node(b, "Transpose", "heads", "q"), "perm", to_heads, 4);
    build_attr_ints(b, build_node(b, "Transpose", "heads", "k"), "perm", to_keys, 4);
    build_node(b, "MatMul", "q k", "scores");
    axis(b, build_node(b, "Softmax", "scores", "p"), -1);
    build_node(b, "MatMul", "p q", "mixed");
    build_attr_ints(b, build_node(b, "Transpose", "mixed", "together"), "perm", to_heads, 4);
    build_node(b, "Reshape", "together by_rows", "rows_2");
    build_node(b, "Gemm", "rows_2 weights", "product_2");
    build_node(b, "Add", "product_2 rows", "sum");
    build_node(b, "Reshape", "sum by_batch", "y");
    axis(b, build_node(b, "Softmax", "sum", "last"), 0);
    outputs(b, out, COUNT_OF(out));
}

int main(int argc, char **argv)
{
    static const struct {
        const char *name;
        void (*make)(Build *b);
    } models[] = {{"masked_cache", masked_cache},
                  {"matrices", matrices},
                  {"decoder", decoder},
                  {"flattened", flattened}};
    Arena *arena = arena_new();
    Build *b = build_new(arena, 13);
    size_t i = 0;
    while (i < COUNT_OF(models) && (argc != 3 || strcmp(models[i].name, argv[1]) != 0))
        i++;
    if (i == COUNT_OF(models)) {
        fprintf(stderr, "usage: made NAME FILE.onnx\n");
        return 2;
    }
    models[i].make(b);
    build_write(b, argv[2]);
    arena_free(arena);
    return 0;
}
