/* make_models NAME FILE: writes a generated model, seeded, whose emitted C tests/bench/build-times builds: what is large not by the
 * size of its tensors, but because the same layers, or similar ones, are there many times. Text IR, except for the forest. */
#include "make_models.h"

#include "../../samples/graphs/net.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

/* --- transformers ------------------------------------------------------------------------------------- */

static void transformer(const char *name, int layers)
{
    struct net net;
    net_begin(&net, name);
    struct value x = net_input(&net, "tokens", 3, (int[]){1, 64, 128});
    for (int i = 0; i < layers; i++)
        x = net_encoder(&net, x, 4);
    net_end(x, "encoded");
}

static void transformer_1(void)
{
    transformer("transformer_1", 1);
}

static void transformer_24(void)
{
    transformer("transformer_24", 24);
}

/* --- a recurrent layer, step by step ------------------------------------------------------------------ */

enum { STEPS = 100, FEATURES = 40, HIDDEN = 64 };

/* What exporters that unroll loops write: three gates, each a product with the step's input and one with the state. */
struct gate {
    struct value input, state, input_bias, state_bias;
};

static struct gate new_gate(struct net *net)
{
    struct gate g;
    g.input = net_random(net, 1 / sqrt(HIDDEN), 2, (int[]){FEATURES, HIDDEN});
    g.state = net_random(net, 1 / sqrt(HIDDEN), 2, (int[]){HIDDEN, HIDDEN});
    g.input_bias = net_random(net, 1 / sqrt(HIDDEN), 1, (int[]){HIDDEN});
    g.state_bias = net_random(net, 1 / sqrt(HIDDEN), 1, (int[]){HIDDEN});
    return g;
}

static struct value two_operands(struct net *net, const char *op, struct value a, struct value b)
{
    struct value y = a;
    y.id = ++net->values;
    printf("  %%v%d = %s(%%v%d, %%v%d)\n", y.id, op, a.id, b.id);
    return y;
}

static struct value of_input(struct net *net, const struct gate *g, struct value x)
{
    return net_add(net, net_matmul(net, x, g->input), g->input_bias);
}

static struct value of_state(struct net *net, const struct gate *g, struct value h)
{
    return net_add(net, net_matmul(net, h, g->state), g->state_bias);
}

static struct value step_of(struct net *net, struct value sequence, int step)
{
    struct value x = {.id = ++net->values, .rank = 2, .dims = {1, FEATURES}};
    printf("  %%v%d = Slice(%%v%d) {starts=[%d,0], steps=[1,1], sizes=[1,%d]}\n", x.id, sequence.id,
           step, FEATURES);
    return x;
}

static void gru_unrolled(void)
{
    struct net net;
    net_begin(&net, "gru_unrolled");
    struct value sequence = net_input(&net, "sequence", 2, (int[]){STEPS, FEATURES});
    struct value h = net_input(&net, "state", 2, (int[]){1, HIDDEN});
    const struct gate reset = new_gate(&net), update = new_gate(&net), new = new_gate(&net);
    for (int i = 0; i < STEPS; i++) {
        struct value x = step_of(&net, sequence, i);
        struct value r = net_add(&net, of_input(&net, &reset, x), of_state(&net, &reset, h));
        r = net_unary(&net, "Sigmoid", r, "");
        struct value z = net_add(&net, of_input(&net, &update, x), of_state(&net, &update, h));
        z = net_unary(&net, "Sigmoid", z, "");
        struct value n = two_operands(&net, "Mul", r, of_state(&net, &new, h));
        n = net_unary(&net, "Tanh", net_add(&net, of_input(&net, &new, x), n), "");
        /* h = n + z * (h - n) */
        h = net_add(&net, n, two_operands(&net, "Mul", z, two_operands(&net, "Sub", h, n)));
    }
    net_end(h, "last");
}

/* --- a UNet ------------------------------------------------------------------------------------------- */

enum { LEVELS = 5 };

static struct value conv_relu(struct net *net, struct value x, int channels)
{
    x = net_conv(net, x, channels, (struct window){3, 1, 1}, 1, 1);
    return net_unary(net, "Relu", x, "");
}

static struct value twice_as_large(struct net *net, struct value x)
{
    struct value y = x;
    y.id = ++net->values;
    y.dims[2] *= 2;
    y.dims[3] *= 2;
    printf(
        "  %%v%d = Resize(%%v%d) {coordinate_transformation_mode=\"half_pixel\", mode=\"linear\", "
        "scales=[1.0,1.0,2.0,2.0], sizes=[1,%d,%d,%d]}\n",
        y.id, x.id, y.dims[1], y.dims[2], y.dims[3]);
    return y;
}

/* Thirty convolutions, no two of the same shape: 17 on the way down, 12 on the way up, one for the classes. */
static void unet_30(void)
{
    static const int depth[LEVELS] = {3, 3, 3, 4, 4};
    struct value skipped[LEVELS];
    struct net net;
    net_begin(&net, "unet_30");
    struct value x = net_input(&net, "image", 4, (int[]){1, 3, 96, 96});
    for (int level = 0; level < LEVELS; level++) {
        for (int i = 0; i < depth[level]; i++)
            x = conv_relu(&net, x, 16 * (level + 1) + 8 * i);
        skipped[level] = x;
        if (level + 1 < LEVELS)
            x = net_max_pool(&net, x, (struct window){2, 2, 0});
    }
    for (int level = LEVELS - 2; level >= 0; level--) {
        x = net_concat_channels(&net, twice_as_large(&net, x), skipped[level]);
        for (int i = 0; i < 3; i++)
            x = conv_relu(&net, x, 16 * (level + 1) + 8 * (2 - i));
    }
    net_end(net_conv(&net, x, 5, (struct window){1, 1, 0}, 1, 1), "classes");
}

/* --- the table ---------------------------------------------------------------------------------------- */

static const struct {
    const char *name;
    void (*print)(void);
} graphs[] = {{"transformer_1", transformer_1},
              {"transformer_24", transformer_24},
              {"gru_unrolled", gru_unrolled},
              {"unet_30", unet_30},
              {"forest_spelled", forest_spelled}};

int main(int argc, char **argv)
{
    if (argc == 3 && !strcmp(argv[1], "forest"))
        return write_forest(argv[2]);
    for (size_t i = 0; i < sizeof graphs / sizeof *graphs; i++)
        if (argc == 3 && !strcmp(argv[1], graphs[i].name)) {
            if (!freopen(argv[2], "w", stdout))
                break;
            graphs[i].print();
            return fclose(stdout) != 0;
        }
    fputs("usage: make_models NAME FILE, where NAME is forest or one of\n", stderr);
    for (size_t i = 0; i < sizeof graphs / sizeof *graphs; i++)
        fprintf(stderr, "  %s\n", graphs[i].name);
    return 2;
}
