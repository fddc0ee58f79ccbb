/* make_bombs FOLDER: small models that ask for much, one for each operator whose result or work can be large although its operands are small. All operands
 * are constants, so that what can be computed at compile time is tempting. */
#include "../import/build_model.h"

#include <stdio.h>

enum { OPSET = 18, M = 1 << 20 };

static Build *b;
static const char *folder;

static void begin(void)
{
    Arena *arena = arena_new();
    b = build_new(arena, OPSET);
}

/* The model's output is the value y. */
static void end(const char *name, int type)
{
    build_output(b, "y", type, NULL);
    build_write(b, arena_printf(b->arena, "%s/%s.onnx", folder, name));
    arena_free(b->arena);
}

static void ints(const char *name, const char *dims, const int64_t *v)
{
    build_init(b, name, DT_I64, dims, v);
}
#define INT(name, v) ints((name), "", &(const int64_t){v})
#define INTS(name, dims, ...) ints((name), (dims), (const int64_t[]){__VA_ARGS__})

/* A constant of any size that takes no bytes in the file. */
static void filled(const char *name, DType type, const char *rank, const int64_t *dims)
{
    static const int64_t zero[1];
    const char *shape = arena_printf(b->arena, "%s_shape", name);
    ints(shape, rank, dims);
    Onnx__NodeProto *n = build_node(b, "ConstantOfShape", shape, name);
    build_attr(b, n, "value", ONNX__ATTRIBUTE_PROTO__ATTRIBUTE_TYPE__TENSOR)->t =
        build_tensor(b, "v", type, "1", zero);
}
#define FILLED(name, type, rank, ...) filled((name), (type), (rank), (const int64_t[]){__VA_ARGS__})

static void operand_makers(void)
{
    begin();
    INT("a", 0), INT("e", INT64_C(1) << 40), INT("d", 1);
    build_node(b, "Range", "a e d", "y");
    end("range", DT_I64);
    begin();
    FILLED("y", DT_F32, "2", M, M);
    end("constant_of_shape", DT_F32);
    begin();
    FILLED("i", DT_I64, "1", M);
    INT("depth", 1 << 24), INTS("v", "2", 0, 1);
    build_node(b, "OneHot", "i depth v", "y");
    end("one_hot", DT_I64);
    begin();
    INTS("x", "1", 1), INTS("r", "1", INT64_C(1) << 40);
    build_node(b, "Tile", "x r", "y");
    end("tile", DT_I64);
    begin();
    INTS("x", "1", 1), INTS("s", "2", M, M);
    build_node(b, "Expand", "x s", "y");
    end("expand", DT_I64);
    begin();
    INTS("x", "1,1", 1), INTS("p", "4", 0, 0, M, M);
    build_node(b, "Pad", "x p", "y");
    end("pad", DT_I64);
    begin();
    FILLED("x", DT_F32, "2", 1 << 17, 1 << 17);
    build_node(b, "EyeLike", "x", "y");
    end("eye_like", DT_F32);
    begin();
    INT("size", INT64_C(1) << 40);
    build_node(b, "HannWindow", "size", "y");
    end("hann_window", DT_F32);
    begin();
    build_attr_ints(b, build_node(b, "RandomUniform", "", "y"), "shape", (const int64_t[]){M, M},
                    2);
    end("random_uniform", DT_F32);
    begin();
    FILLED("t", DT_F32, "3", 1, 2, 3);
    INTS("size", "4", 1, 1, 1 << 16, 1 << 16);
    build_node(b, "AffineGrid", "t size", "y");
    end("affine_grid", DT_F32);
}

static void movers(void)
{
    static const float scales[] = {1, 1, 1e5f, 1e5f};
    begin();
    FILLED("x", DT_F32, "4", 1, 1, 8, 8);
    build_init(b, "s", DT_F32, "4", scales);
    build_node(b, "Resize", "x - s", "y");
    end("resize", DT_F32);
    begin();
    FILLED("x", DT_F32, "2", 1024, 1024);
    FILLED("i", DT_I64, "1", 1 << 26);
    build_node(b, "Gather", "x i", "y");
    end("gather", DT_F32);
    begin();
    FILLED("x", DT_F32, "1", M);
    INT("one", 1);
    build_node(b, "SplitToSequence", "x one", "s");
    build_node(b, "ConcatFromSequence", "s", "y");
    end("split_to_sequence", DT_F32);
    begin();
    FILLED("v0", DT_F32, "1", 64);
    for (int i = 0; i < 40; i++) {
        const char *v = arena_printf(b->arena, "v%d v%d", i, i);
        build_attr_int(
            b, build_node(b, "Concat", v, i == 39 ? "y" : arena_printf(b->arena, "v%d", i + 1)),
            "axis", 0);
    }
    end("concat_doubled", DT_F32);
    begin();
    FILLED("x", DT_F32, "4", 1, 1, 2, 2);
    FILLED("i", DT_I64, "4", 1, 1, 2, 2);
    INTS("s", "4", 1, 1, 1 << 16, 1 << 16);
    Onnx__NodeProto *n = build_node(b, "MaxUnpool", "x i s", "y");
    build_attr_ints(b, n, "kernel_shape", (const int64_t[]){2, 2}, 2);
    end("max_unpool", DT_F32);
    begin();
    FILLED("x", DT_F32, "3", 1, 1 << 12, 1 << 12);
    INTS("size", "2", 1 << 13, 1 << 13), INTS("block", "2", 64, 64);
    build_attr_ints(b, build_node(b, "Col2Im", "x size block", "y"), "strides",
                    (const int64_t[]){129, 129}, 2);
    end("col2im", DT_F32);
}

static void workers(void)
{
    begin();
    FILLED("x", DT_F32, "3", 1 << 17, 1, 64);
    FILLED("w", DT_F32, "3", 1, 1024, 64);
    FILLED("r", DT_F32, "3", 1, 1024, 256);
    build_attr_int(b, build_node(b, "LSTM", "x w r", "y"), "hidden_size", 256);
    end("lstm", DT_F32);
    begin();
    FILLED("boxes", DT_F32, "3", 1, 20000, 4);
    FILLED("scores", DT_F32, "3", 1, 80, 20000);
    INT("most", 20000);
    build_node(b, "NonMaxSuppression", "boxes scores most", "y");
    end("nms", DT_I64);
    begin();
    FILLED("x", DT_F32, "1", 1 << 26);
    build_node(b, "Unique", "x", "y");
    end("unique", DT_F32);
    begin();
    FILLED("x", DT_F32, "4", 1, 16, 512, 512);
    FILLED("rois", DT_F32, "2", 100000, 4);
    FILLED("i", DT_I64, "1", 100000);
    Onnx__NodeProto *roi = build_node(b, "RoiAlign", "x rois i", "y");
    build_attr_int(b, roi, "output_height", 1000), build_attr_int(b, roi, "output_width", 1000);
    end("roi_align", DT_F32);
    begin();
    FILLED("x", DT_F32, "3", 1, 1 << 22, 1);
    build_node(b, "DFT", "x", "y");
    end("dft", DT_F32);
    begin();
    FILLED("x", DT_F32, "4", 1, 16, 2048, 2048);
    FILLED("g", DT_F32, "4", 1, 4096, 4096, 2);
    build_node(b, "GridSample", "x g", "y");
    end("grid_sample", DT_F32);
    begin();
    FILLED("x", DT_F32, "2", 4096, 4096);
    build_node(b, "Det", "x", "y");
    end("det", DT_F32);
}

/* A body that adds one to its state; there is no condition. */
static void loop(const char *name, int64_t trips)
{
    begin();
    Onnx__GraphProto *outer = b->graph, *body = build_graph(b);
    b->graph = body;
    build_input(b, "i", DT_I64, ""), build_input(b, "go", DT_BOOL, ""),
        build_input(b, "s", DT_I64, "");
    build_node(b, "Add", "s i", "t");
    build_node(b, "Identity", "go", "on");
    build_output(b, "on", DT_BOOL, ""), build_output(b, "t", DT_I64, ""),
        build_output(b, "t", DT_I64, "");
    b->graph = outer;
    INT("trips", trips), INT("zero", 0);
    build_attr_graph(b, build_node(b, "Loop", "trips - zero", "last y"), "body", body);
    end(name, DT_I64);
}

int main(int argc, char **argv)
{
    if (argc != 2)
        return 2;
    folder = argv[1];
    operand_makers();
    movers();
    workers();
    loop("loop_endless", INT64_MAX);
    loop("loop_long", 1 << 16);
    return 0;
}
