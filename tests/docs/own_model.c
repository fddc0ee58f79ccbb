/* own_model MODEL.onnx: writes a small network such as somebody brings along, with an open batch dimension, and prints the probabilities that docs/get-started.md's
 * program has to print for its image, by loops over the network's definition that know nothing of the compiler. */
#include "../import/build_model.h"

#include <math.h>
#include <stdio.h>

enum { SIDE = 8, CHANNELS = 4, CLASSES = 3, TAPS = 9 };

/* Weights between -1/2 and 1/2 that do not repeat. */
static void fill(float *to, int count, int step)
{
    for (int i = 0; i < count; i++)
        to[i] = (float)(i * step % 19) / 19.0f - 0.5f;
}

static void write_model(const char *path, const float *taps, const float *bias, const float *dense,
                        const float *offset)
{
    Arena *arena = arena_new();
    Build *b = build_new(arena, 17);
    build_input(b, "image", ONNX__TENSOR_PROTO__DATA_TYPE__FLOAT, "batch,1,8,8");
    build_output(b, "probabilities", ONNX__TENSOR_PROTO__DATA_TYPE__FLOAT, "batch,3");
    build_init(b, "taps", DT_F32, "4,1,3,3", taps);
    build_init(b, "bias", DT_F32, "4", bias);
    build_init(b, "dense", DT_F32, "3,4", dense);
    build_init(b, "offset", DT_F32, "3", offset);
    const int64_t pads[] = {1, 1, 1, 1};
    build_attr_ints(b, build_node(b, "Conv", "image taps bias", "conv"), "pads", pads, 4);
    build_node(b, "Relu", "conv", "relu");
    build_node(b, "GlobalAveragePool", "relu", "mean");
    build_node(b, "Flatten", "mean", "flat");
    build_attr_int(b, build_node(b, "Gemm", "flat dense offset", "scores"), "transB", 1);
    build_attr_int(b, build_node(b, "Softmax", "scores", "probabilities"), "axis", 1);
    build_write(b, path);
    arena_free(arena);
}

static double mean_of(const float *image, const float *taps, double bias)
{
    double sum = 0;
    for (int y = 0; y < SIDE; y++)
        for (int x = 0; x < SIDE; x++) {
            double v = bias;
            for (int t = 0; t < TAPS; t++) {
                int row = y + t / 3 - 1, column = x + t % 3 - 1;
                if (row >= 0 && row < SIDE && column >= 0 && column < SIDE)
                    v += (double)taps[t] * (double)image[row * SIDE + column];
            }
            sum += v > 0 ? v : 0;
        }
    return sum / (SIDE * SIDE);
}

int main(int argc, char **argv)
{
    if (argc != 2) {
        fprintf(stderr, "usage: own_model MODEL.onnx\n");
        return 2;
    }
    float taps[CHANNELS * TAPS], bias[CHANNELS], dense[CLASSES * CHANNELS], offset[CLASSES];
    fill(taps, CHANNELS * TAPS, 7);
    fill(bias, CHANNELS, 5);
    fill(dense, CLASSES * CHANNELS, 11);
    fill(offset, CLASSES, 3);
    for (int i = 0; i < CLASSES * CHANNELS; i++)
        dense[i] *= 8; /* so that the classes differ clearly */
    write_model(argv[1], taps, bias, dense, offset);

    float image[SIDE * SIDE];
    for (int i = 0; i < SIDE * SIDE; i++)
        image[i] = (float)(i % SIDE) / SIDE;
    double p[CLASSES], sum = 0;
    for (int c = 0; c < CLASSES; c++) {
        p[c] = (double)offset[c];
        for (int k = 0; k < CHANNELS; k++)
            p[c] += (double)dense[c * CHANNELS + k] *
                    mean_of(image, taps + k * TAPS, (double)bias[k]);
        sum += exp(p[c]);
    }
    for (int c = 0; c < CLASSES; c++)
        printf("class %d: %.4f\n", c, exp(p[c]) / sum);
    return 0;
}
