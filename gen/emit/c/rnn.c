/* Portable C for LSTM, GRU and RNN: the products with the inputs of all steps at once, then an inline step function for each
 * direction, and the loops over steps and sequences. */
#include "../../ops/rnn.h"
#include "../../kernel/layers.h"
#include "nn.h"

#include <string.h>

typedef struct RnnKernel {
    CKernel *k;
    RnnShape s;
    DType type;
    bool half, cells, bias, peephole;
    bool transpose;     /* the weights must be transposed at run time */
    const char *prefix; /* of the functions of the current direction */
} RnnKernel;

/* What they make of v, in the language of templates. */
static const char *const act_results[] = {
    [RNN_AFFINE] = "$alpha$ * v + $beta$",
    [RNN_ELU] = "v < 0 ? $alpha$ * $F$(expm1)(v) : v",
    [RNN_HARD_SIGMOID] = "$F$(fmax)($zero$, $F$(fmin)($one$, $alpha$ * v + $beta$))",
    [RNN_LEAKY_RELU] = "v < 0 ? $alpha$ * v : v",
    [RNN_RELU] = "v < 0 ? 0 : v",
    [RNN_SCALED_TANH] = "$alpha$ * $F$(tanh)($beta$ * v)",
    [RNN_SIGMOID] = "$F$(sigmoid)(v)",
    [RNN_SOFTPLUS] = "(v > 0 ? v : 0) + $F$(log1p)($F$(exp)(v > 0 ? -v : v))",
    [RNN_SOFTSIGN] = "v / (1 + $F$(fabs)(v))",
    [RNN_TANH] = "$F$(tanh)(v)",
    [RNN_THRESHOLDED_RELU] = "v > $alpha$ ? v : 0",
};

/* The function of that name, of the layer's type. */
static const char *math_fn(const void *user, Arena *arena, const char *const *name, size_t n)
{
    const RnnKernel *r = user;
    (void)arena, (void)n;
    return nn_math(r->k, r->type, *name);
}

static void emit_act(RnnKernel *r, const RnnAct *a, char letter)
{
    CKernel *k = r->k;
    Bindings *b = bindings_new(k->arena, NULL);
    bind(b, "A_x", "%s", c_compute_type(r->type));
    bind(b, "prefix", "%s", r->prefix);
    bind(b, "letter", "%c", letter);
    bind_int(b, "clips", r->s.clip > 0 && letter != 'h'); /* an LSTM's cell is not clipped */
    bind(b, "lo", "%s", nn_const(k, r->type, -r->s.clip));
    bind(b, "hi", "%s", nn_const(k, r->type, r->s.clip));
    bind(b, "alpha", "%s", nn_const(k, r->type, a->alpha));
    bind(b, "beta", "%s", nn_const(k, r->type, a->beta));
    bind(b, "zero", "%s", nn_const(k, r->type, 0));
    bind(b, "one", "%s", nn_const(k, r->type, 1));
    bind_fn(b, "F", math_fn, r);
    bind_macro(b, "result", "v",
               a->kind == RNN_SIGMOID && r->type == DT_F64 ? "1 / (1 + exp(-v))"
                                                           : act_results[a->kind]);
    nn_render(k, "c/rnn_act.c", b);
}

/* Where what is of direction d begins, if each has `size` elements: nothing, " + size", or " + d * size" where d is the index of a loop over both. */
enum { BOTH = -1 };
static const char *of_direction(RnnKernel *r, int d, const char *size)
{
    Arena *m = r->k->arena;
    return d == BOTH ? arena_printf(m, " + d * %s", size) : d ? arena_printf(m, " + %s", size) : "";
}

/* Where the bias of direction d begins: the input's, or the state's behind it. */
static const char *bias_begins(RnnKernel *r, int d, bool of_state)
{
    Arena *m = r->k->arena;
    const long long gates = (long long)(r->s.gates * r->s.hidden), at = (2 * d + of_state) * gates;
    if (d != BOTH)
        return at ? arena_printf(m, " + %lld", at) : "";
    return of_state ? arena_printf(m, " + d * %lld + %lld", 2 * gates, gates)
                    : arena_printf(m, " + d * %lld", 2 * gates);
}

static const char *bias_at(RnnKernel *r, int d, bool of_state)
{
    return nn_load(r->k, r->type,
                   arena_printf(r->k->arena, "bias[j%s]", bias_begins(r, d, of_state)));
}

/* What the sums begin with: biases, and the products with X where they are made already. A GRU keeps the state's bias apart. */
static const char *first_sum(RnnKernel *r, int d)
{
    Arena *m = r->k->arena;
    const char *sum = "";
    if (r->s.projected)
        sum = nn_load(r->k, r->type,
                      arena_printf(m, "src_layer[m * INPUT + j%s]", of_direction(r, d, "GATES")));
    if (!r->bias)
        return *sum ? sum : "0";
    if (*sum)
        sum = arena_printf(m, "%s + ", sum);
    sum = arena_printf(m, "%s%s", sum, bias_at(r, d, false));
    if (r->k->node->op == OP_GRU)
        return sum;
    return arena_printf(m, "%s + %s", sum, bias_at(r, d, true));
}

static const char *peep_at(RnnKernel *r, const char *index)
{
    if (!r->peephole)
        return "";
    const char *p = nn_load(r->k, r->type, arena_printf(r->k->arena, "p[%s]", index));
    return arena_printf(r->k->arena, " + %s * c[j]", p);
}

/* What fills no vector of a loop of 16 units and one of 8 behind it, a compiler computes one unit after the other, each in the time of a vector:
 * from three on, the last units of an LSTM are copied to where zeros fill a vector up. Fewer than 13 fit shorter vectors. */
static void bind_rest(RnnKernel *r, Bindings *b)
{
    enum { LEAST = 8, SHORT = 12, FEW = 2 };
    const int64_t rest = r->s.hidden % (2 * LEAST), lanes = rest > LEAST ? 2 * LEAST : LEAST;
    const bool ragged = r->k->program->lanes >= LEAST && !r->peephole && r->type == DT_F32 &&
                        r->s.hidden > SHORT && rest % LEAST > FEW;
    bind_int(b, "ragged", ragged);
    bind_int(b, "whole", !ragged);
    bind(b, "sums", r->peephole ? "sum, p" : "sum");
    bind(b, "parts", "part");
    bind_int(b, "rest", rest);
    bind_int(b, "lanes", lanes);
}

static void bind_step(RnnKernel *r, Bindings *b)
{
    Arena *m = r->k->arena;
    long long h = (long long)r->s.hidden;
    if (r->k->node->op == OP_GRU) {
        bool linear = r->s.linear_before_reset;
        bind(b, "bias_h", "%s", r->bias ? nn_load(r->k, r->type, "b[j]") : "0");
        bind_int(b, "resets", !linear);
        bind(b, "state_columns", linear ? "GATES" : "2 * HIDDEN");
        bind(b, "reset_n", linear ? "sum[HIDDEN + j] * n" : "n");
    }
    if (r->k->node->op == OP_LSTM) {
        bind_rest(r, b);
        const char *peep_f = peep_at(r, arena_printf(m, "j + %lld", 2 * h));
        bind_int(b, "quantised", r->s.quantised_state);
        bind(b, "peep_i", "%s", peep_at(r, "j"));
        bind(b, "peep_o", "%s", peep_at(r, arena_printf(m, "j + %lld", h)));
        bind(b, "forget", "%s", "1 - i");
        if (!r->s.input_forget)
            bind(b, "forget", "%s_f(sum[2 * pitch + j]%s)", r->prefix, peep_f);
    }
}

static void emit_step(RnnKernel *r, int d)
{
    enum { ONE_VECTOR = 16 };
    CKernel *k = r->k;
    for (int i = 0; i < r->s.n_acts; i++)
        emit_act(r, &r->s.act[d][i], "fgh"[i]);
    Bindings *b = nn_bindings(k);
    bind(b, "step", "%s", d ? "back" : "step");
    bind_int(b, "has_bias", r->bias);
    bind_int(b, "peephole", r->peephole);
    bind(b, "T_x", "%s", dtype_c(r->type));
    bind(b, "prefix", "%s", r->prefix);
    bind(b, "A_x", "%s", c_compute_type(r->type));
    bind_int(b, "hidden", r->s.hidden);
    /* gcc makes scalars of a loop that it unrolls whole: those of one vector are not unrolled */
    bind(b, "pragma", "%s", r->s.hidden <= ONE_VECTOR ? "NET_LANES" : "NET_VECTORS");
    bind_step(r, b);
    nn_render(k,
              k->node->op == OP_LSTM  ? "c/lstm_step.c"
              : k->node->op == OP_GRU ? "c/gru_step.c"
                                      : "c/rnn_step.c",
              b);
}

static const char *initial(RnnKernel *r, uint32_t input, int d)
{
    Arena *m = r->k->arena;
    if (!nn_has_in(r->k, input))
        return "0";
    const char *at =
        arena_printf(m, "%s[j%s]", r->k->input[input], of_direction(r, d, "BATCH * HIDDEN"));
    return nn_load(r->k, r->type, at);
}

/* What both templates of a layer read of direction d. */
static void bind_starts(RnnKernel *r, Bindings *b, int d)
{
    Arena *m = r->k->arena;
    bind(b, "bias", "%s", first_sum(r, d));
    bind(b, "first_h", "%s", initial(r, RNN_H0, d));
    bind(b, "first_c", "%s", r->cells ? initial(r, RNN_C0, d) : "");
    bind(b, "peephole", "%s",
         r->peephole ? arena_printf(m, "weights_peephole%s", of_direction(r, d, "3 * HIDDEN"))
                     : "");
    if (r->k->node->op == OP_GRU)
        bind(b, "bias_of_state", "bias%s", bias_begins(r, d, true));
}

static void bind_direction(RnnKernel *r, Bindings *b, int d)
{
    CKernel *k = r->k;
    Arena *m = k->arena;
    bind(b, "what", r->s.reverse[d] ? "from the end" : "from the start");
    bind_int(b, "direction", d);
    bind(b, "w", d ? "weights_layer + GATES * INPUT" : "weights_layer");
    bind(b, "r", d ? "weights_iter + GATES * HIDDEN" : "weights_iter");
    bind_starts(r, b, d);
    const char *length = nn_has_in(k, RNN_LENS) ? "length" : "STEPS";
    bind(b, "time", "%s", r->s.reverse[d] ? arena_printf(m, "%s - 1 - i", length) : "i");
    bind(b, "step", "%s", d ? "back" : "step");
}

static void emit_layer(RnnKernel *r)
{
    CKernel *k = r->k;
    Bindings *b = nn_bindings(k);
    bool gru = k->node->op == OP_GRU, lengths = nn_has_in(k, RNN_LENS);
    nn_type(r->k, b, "x", r->type);
    bind_int(b, "steps", r->s.steps);
    bind_int(b, "batch", r->s.batch);
    bind_int(b, "input", r->s.input);
    bind_int(b, "hidden", r->s.hidden);
    bind_int(b, "gates", r->s.gates * r->s.hidden);
    bind_int(b, "directions", r->s.directions);
    bind_int(b, "cells", r->cells);
    bind_int(b, "from_h", gru);
    bind_int(b, "bias_h", gru && r->bias);
    bind(b, "step_h", r->s.batch == 1 ? "h" : "h + b * HIDDEN");
    bind(b, "step_c", r->s.batch == 1 ? "c" : "c + b * HIDDEN");
    bind(b, "step_from_h", r->s.batch == 1 ? "from_h" : "from_h + b * GATES");
    bind_int(b, "widen", r->half);
    bind_int(b, "transpose", r->transpose);
    bind_int(b, "product", !r->s.projected);
    bind_int(b, "by_steps", r->s.projected);
    bind(b, "rows", r->s.projected ? lengths ? "1" : "BATCH" : "STEPS * BATCH");
    bind(b, "sum", r->s.projected ? "sums" : "sums + (t * BATCH + b) * GATES");
    bind(b, "widened", "%s", nn_load(k, r->type, "src_layer[j]"));
    bind(b, "x", r->half ? "wide" : "src_layer");
    const char *own = r->cells ? "c + BATCH * HIDDEN"
                      : gru    ? "from_h + BATCH * GATES"
                               : "h + BATCH * HIDDEN";
    bind(b, "own_end", "%s", own);
    bind(b, "transposed", r->s.projected ? "r = %s" : "w = %s, *restrict r = w + INPUT * GATES",
         r->half ? "wide + STEPS * BATCH * INPUT" : own);
    bind_int(b, "lengths", lengths);
    bind(b, "sequences", lengths ? "1" : "BATCH");
    bind(b, "length",
         "sequence_lens[b] < 0 ? 0 : sequence_lens[b] < STEPS ? sequence_lens[b] : STEPS");
    bind_int(b, "has_y", nn_has_out(k, 0));
    bind_int(b, "has_h", nn_has_out(k, 1));
    bind_int(b, "has_c", nn_has_out(k, 2));
    if (k->plan->variant == C_rnn_both) {
        bind_int(b, "has_own", r->cells || gru);
        bind(b, "own", r->cells ? "c" : "from_h");
        bind(b, "what", r->cells ? "its cells" : gru ? "Rh + b" : "nothing else");
        bind(b, "size", r->cells ? "HIDDEN" : gru ? "GATES" : "0");
        bind(b, "sum", r->s.projected ? "sums" : "sums + t * BATCH * GATES");
        bind_starts(r, b, BOTH);
        nn_render(k, "c/rnn_both.c", b);
        return;
    }
    for (int d = 0; d < r->s.directions; d++)
        bind_direction(r, bind_row(b, "direction_rows"), d);
    nn_render(k, "c/rnn.c", b);
}

/* How many rows go together, of which the last ones may be fewer: sums that are too few wait for each other. The most of those that take the least time. */
static int64_t rows_together(int64_t rows, int64_t least, int64_t most)
{
    int64_t best = 0, best_time = INT64_MAX;
    for (int64_t n = least; n <= most; n++) {
        const int64_t rest = rows % n, time = rows - rest + (rest && rest < least ? least : rest);
        if (time <= best_time) {
            best = n;
            best_time = time;
        }
    }
    return best < rows ? best : rows;
}

/* Eight vectors of sums keep two multiplying units busy that take four cycles for a product; there are registers for twelve. */
static void emit_product_by_panels(RnnKernel *r, Bindings *b)
{
    enum { ENOUGH = 8, ALL = 12 };
    const int64_t lanes = r->k->program->lanes, vectors = RNN_PANEL / lanes,
                  many = rows_together(r->s.batch, ENOUGH / vectors, ALL / vectors),
                  rest = r->s.batch % many;
    bind_int(b, "width", RNN_PANEL);
    bind_int(b, "lanes", lanes);
    bind_int(b, "bytes", lanes * (int64_t)sizeof(float));
    bind_int(b, "many", many);
    bind_int(b, "rest", rest > 1 ? rest : 0);
    nn_render(r->k, "c/rnn_panels.c", b);
}

/* The functions that all directions share. */
static void emit_products(RnnKernel *r)
{
    CKernel *k = r->k;
    Bindings *b = nn_bindings(k);
    nn_type(r->k, b, "x", r->type);
    bind_int(b, "gates", r->s.gates * r->s.hidden);
    if (k->plan->variant == C_rnn_panels) {
        emit_product_by_panels(r, b);
        return;
    }
    nn_render(k, "c/rnn_product.c", b);
    if (r->transpose)
        nn_render(k, "c/rnn_transpose.c", b);
}

void emit_c_recurrent(CKernel *k)
{
    RnnKernel r = {.k = k, .type = nn_in(k, RNN_X)->dtype, .cells = k->node->op == OP_LSTM};
    if (!rnn_shape(k->g, k->node, nn_in(k, RNN_X), nn_in(k, RNN_R), &r.s))
        bug("a recurrent layer whose activations are not known");
    r.half = is_half(r.type);
    r.bias = nn_has_in(k, RNN_B);
    r.peephole = r.cells && nn_has_in(k, RNN_P);
    r.transpose = k->plan->variant == C_rnn_transposing;
    emit_products(&r);
    for (int d = 0; d < (k->plan->variant == C_rnn_both ? 1 : r.s.directions); d++) {
        r.prefix = arena_printf(k->arena, "%s_%s", k->fn, d ? "back" : "act");
        emit_step(&r, d);
    }
    emit_layer(&r);
}
