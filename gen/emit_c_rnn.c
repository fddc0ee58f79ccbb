/* Portable C for LSTM, GRU and RNN: an inline step function for each direction, and the loops over sequences. */
#include "emit_c_nn.h"
#include "rnn.h"

#include <string.h>

typedef struct RnnKernel {
    CKernel *k;
    RnnShape s;
    DType type;
    bool half, cells, bias, peephole;
    const char *prefix; /* of the functions of the current direction */
} RnnKernel;

static bool is_half(DType t)
{
    return t == DT_F16 || t == DT_BF16;
}

/* The state, the gates, the cells or nothing, and a step of the input where it must be widened. */
size_t c_scratch_rnn(const Graph *g, const Node *n)
{
    const TensorType *x = type_of(g, n->in[RNN_X]), *r = type_of(g, n->in[RNN_R]);
    size_t gates = n->op == OP_LSTM ? 4 : n->op == OP_GRU ? 3 : 1;
    size_t elements =
        (size_t)r->dims[2] * (2 + gates) + (is_half(x->dtype) ? (size_t)x->dims[2] : 0);
    return elements * (x->dtype == DT_F64 ? 8 : 4);
}

static const char *act_result(RnnKernel *r, const RnnAct *a)
{
    CKernel *k = r->k;
    Arena *m = k->arena;
    const char *alpha = nn_const(k, r->type, a->alpha), *beta = nn_const(k, r->type, a->beta);
    const char *zero = nn_const(k, r->type, 0), *one = nn_const(k, r->type, 1);
    switch (a->kind) {
    case RNN_AFFINE:
        return arena_printf(m, "%s * v + %s", alpha, beta);
    case RNN_ELU:
        return arena_printf(m, "v < 0 ? %s * %s(v) : v", alpha, nn_math(k, r->type, "expm1"));
    case RNN_HARD_SIGMOID: {
        const char *fmax = nn_math(k, r->type, "fmax"), *fmin = nn_math(k, r->type, "fmin");
        return arena_printf(m, "%s(%s, %s(%s, %s * v + %s))", fmax, zero, fmin, one, alpha, beta);
    }
    case RNN_LEAKY_RELU:
        return arena_printf(m, "v < 0 ? %s * v : v", alpha);
    case RNN_RELU:
        return "v < 0 ? 0 : v";
    case RNN_SCALED_TANH:
        return arena_printf(m, "%s * %s(%s * v)", alpha, nn_math(k, r->type, "tanh"), beta);
    case RNN_SIGMOID:
        if (r->type == DT_F64)
            return "1 / (1 + exp(-v))";
        c_need(k, CH_SIGMOID);
        return "dnnlc_sigmoidf(v)";
    case RNN_SOFTPLUS: {
        const char *exp = nn_math(k, r->type, "exp"), *log1p = nn_math(k, r->type, "log1p");
        return arena_printf(m, "(v > 0 ? v : 0) + %s(%s(v > 0 ? -v : v))", log1p, exp);
    }
    case RNN_SOFTSIGN:
        return arena_printf(m, "v / (1 + %s(v))", nn_math(k, r->type, "fabs"));
    case RNN_TANH:
        return arena_printf(m, "%s(v)", nn_math(k, r->type, "tanh"));
    case RNN_THRESHOLDED_RELU:
        return arena_printf(m, "v > %s ? v : 0", alpha);
    }
    bug("activation %d", (int)a->kind);
}

static void emit_act(RnnKernel *r, const RnnAct *a, char letter)
{
    CKernel *k = r->k;
    Bindings *b = bindings_new(k->arena, NULL);
    bind(b, "A_x", "%s", c_compute_type(r->type));
    bind(b, "prefix", "%s", r->prefix);
    bind(b, "letter", "%c", letter);
    bind(b, "clip", "%s", "");
    if (r->s.clip > 0) {
        const char *hi = nn_const(k, r->type, r->s.clip), *lo = nn_const(k, r->type, -r->s.clip);
        bind(b, "clip", "v = v < %s ? %s : v > %s ? %s : v;", lo, lo, hi, hi);
    }
    bind(b, "result", "%s", act_result(r, a));
    nn_render(k, "c/rnn_act.c", b);
}

static const char *bias_at(RnnKernel *r, const char *index)
{
    if (!r->bias)
        return "";
    const char *b = arena_printf(r->k->arena, "b[%s]", index);
    return arena_printf(r->k->arena, " + %s", nn_load(r->k, r->type, b));
}

static const char *peep_at(RnnKernel *r, const char *index)
{
    if (!r->peephole)
        return "";
    const char *p = nn_load(r->k, r->type, arena_printf(r->k->arena, "p[%s]", index));
    return arena_printf(r->k->arena, " + %s * c[j]", p);
}

static void bind_step(RnnKernel *r, Bindings *b)
{
    Arena *m = r->k->arena;
    long long all = (long long)(r->s.gates * r->s.hidden), h = (long long)r->s.hidden;
    bind(b, "plus_bias", "%s%s", bias_at(r, "j"), bias_at(r, arena_printf(m, "j + %lld", all)));
    if (r->k->node->op == OP_GRU) {
        bool linear = r->s.linear_before_reset;
        bind(b, "plus_bias_x", "%s", bias_at(r, "row"));
        bind(b, "plus_bias_h", "%s", bias_at(r, arena_printf(m, "row + %lld", all)));
        bind_int(b, "resets", !linear);
        bind(b, "state", linear ? "h" : "reset");
        bind(b, "from_state", linear ? "reset[j] * from_h" : "from_h");
    }
    if (r->k->node->op == OP_LSTM) {
        const char *peep_f = peep_at(r, arena_printf(m, "j + %lld", 2 * h));
        bind(b, "peep_i", "%s", peep_at(r, "j"));
        bind(b, "peep_o", "%s", peep_at(r, arena_printf(m, "j + %lld", h)));
        bind(b, "forget", "%s", "1 - i");
        if (!r->s.input_forget)
            bind(b, "forget", "%s_f(sum[2 * HIDDEN]%s)", r->prefix, peep_f);
    }
}

/* The parameters of a step function, or with `direction` >= 0 the arguments. */
static size_t step_items(RnnKernel *r, int direction, const char **items)
{
    Arena *m = r->k->arena;
    const RnnShape *s = &r->s;
    const char *type = dtype_c(r->type), *wide = c_compute_type(r->type);
    int64_t rows = s->gates * s->hidden;
    const struct {
        bool present;
        const char *name, *type;
        uint32_t input;
        int64_t size; /* of one direction; 0: a local array */
    } all[] = {{true, "w", type, RNN_W, rows * s->input},
               {true, "r", type, RNN_R, rows * s->hidden},
               {r->bias, "b", type, RNN_B, 2 * rows},
               {r->peephole, "p", type, RNN_P, 3 * s->hidden},
               {true, "x", wide, 0, 0}};
    size_t n = 0;
    for (size_t i = 0; i < COUNT_OF(all); i++) {
        if (!all[i].present)
            continue;
        const char *value = all[i].name;
        if (all[i].size && direction >= 0)
            value = direction
                        ? arena_printf(m, "src%u + %lld", all[i].input, (long long)all[i].size)
                        : arena_printf(m, "src%u", all[i].input);
        items[n++] =
            direction >= 0 ? value : arena_printf(m, "const %s *restrict %s", all[i].type, value);
    }
    static const char *const states[] = {"h", "c", "gate"};
    for (size_t i = 0; i < COUNT_OF(states); i++)
        if (i != 1 || r->cells)
            items[n++] =
                direction >= 0 ? states[i] : arena_printf(m, "%s *restrict %s", wide, states[i]);
    return n;
}

static void emit_step(RnnKernel *r, int d)
{
    CKernel *k = r->k;
    const char *items[10];
    size_t n = step_items(r, -1, items);
    for (int i = 0; i < r->s.n_acts; i++)
        emit_act(r, &r->s.act[d][i], "fgh"[i]);
    Bindings *b = nn_bindings(k);
    const char *head = nn_head(k, "void", d ? "back" : "step", items, n);
    bind(b, "step_head", "%s", head);
    bind(b, "prefix", "%s", r->prefix);
    bind(b, "A_x", "%s", c_compute_type(r->type));
    bind_int(b, "hidden", r->s.hidden);
    bind_int(b, "input", r->s.input);
    bind_step(r, b);
    nn_render(k,
              k->node->op == OP_LSTM  ? "c/lstm_step.c"
              : k->node->op == OP_GRU ? "c/gru_step.c"
                                      : "c/rnn_step.c",
              b);
}

static const char *initial(RnnKernel *r, uint32_t input)
{
    if (!nn_has_in(r->k, input))
        return "0";
    return nn_load(r->k, r->type, arena_printf(r->k->arena, "src%u[at + j]", input));
}

static void bind_direction(RnnKernel *r, Bindings *b, int d)
{
    CKernel *k = r->k;
    const char *items[10];
    size_t n = step_items(r, d, items);
    const char *function = arena_printf(k->arena, "%s_%s", k->fn, d ? "back" : "step");
    bind(b, "what", r->s.reverse[d] ? "from the end" : "from the start");
    bind_int(b, "direction", d);
    bind(b, "time", r->s.reverse[d] ? "length - 1 - i" : "i");
    bind(b, "call_step", "%s", nn_call(k->arena, 12, function, items, n));
}

static void emit_layer(RnnKernel *r)
{
    CKernel *k = r->k;
    Bindings *b = nn_bindings(k);
    const char *src = "src0[(t * BATCH + b) * INPUT + j]";
    nn_type(b, "x", r->type);
    bind_int(b, "steps", r->s.steps);
    bind_int(b, "batch", r->s.batch);
    bind_int(b, "input", r->s.input);
    bind_int(b, "hidden", r->s.hidden);
    bind_int(b, "gates", r->s.gates);
    bind_int(b, "directions", r->s.directions);
    bind_int(b, "cells", r->cells);
    bind_int(b, "widen", r->half);
    bind(b, "widened", "%s", nn_load(k, r->type, src));
    bind(b, "input_row", r->half ? "wide" : "src0 + (t * BATCH + b) * INPUT");
    bind_int(b, "lengths", nn_has_in(k, RNN_LENS));
    bind(b, "length",
         nn_has_in(k, RNN_LENS) ? "src4[b] < 0 ? 0 : src4[b] < STEPS ? src4[b] : STEPS" : "STEPS");
    bind(b, "first_h", "%s", initial(r, RNN_H0));
    bind(b, "first_c", "%s", r->cells ? initial(r, RNN_C0) : "");
    bind_int(b, "has_y", nn_has_out(k, 0));
    bind_int(b, "has_h", nn_has_out(k, 1));
    bind_int(b, "has_c", nn_has_out(k, 2));
    for (int d = 0; d < r->s.directions; d++)
        bind_direction(r, bind_row(b, "direction_rows"), d);
    nn_render(k, "c/rnn.c", b);
}

static bool emit(CKernel *k)
{
    if (nn_emit_empty(k))
        return true;
    RnnKernel r = {.k = k, .type = nn_in(k, RNN_X)->dtype, .cells = k->node->op == OP_LSTM};
    if (!rnn_shape(k->g, k->node, nn_in(k, RNN_X), nn_in(k, RNN_W), nn_in(k, RNN_R), &r.s))
        return false;
    r.half = is_half(r.type);
    r.bias = nn_has_in(k, RNN_B);
    r.peephole = r.cells && nn_has_in(k, RNN_P);
    Bindings *b = nn_bindings(k);
    const char *items[] = {arena_printf(k->arena, "const %s *restrict w", dtype_c(r.type)),
                           arena_printf(k->arena, "const %s *restrict v", c_compute_type(r.type)),
                           "const size_t n"};
    nn_type(b, "x", r.type);
    bind(b, "dot_head", "%s", nn_head(k, c_compute_type(r.type), "dot", items, 3));
    bind_int(b, "lanes", C_LANES);
    nn_render(k, "c/rnn_dot.c", b);
    for (int d = 0; d < r.s.directions; d++) {
        r.prefix = arena_printf(k->arena, "%s_%s", k->fn, d ? "back" : "act");
        emit_step(&r, d);
    }
    emit_layer(&r);
    return true;
}

bool emit_c_lstm(CKernel *k)
{
    return emit(k);
}

bool emit_c_gru(CKernel *k)
{
    return emit(k);
}

bool emit_c_rnn(CKernel *k)
{
    return emit(k);
}
