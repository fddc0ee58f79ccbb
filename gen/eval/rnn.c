/* Reference LSTM, GRU and RNN, one step of one sequence at a time. */
#include "../ops/rnn.h"
#include "eltwise.h"
#include "nn.h"

#include <math.h>
#include <string.h>

typedef struct Rnn {
    Eval *e;
    void (*step)(struct Rnn *r, const double *x);
    RnnShape s;
    const RnnAct *act;                  /* of the current direction */
    const double *w, *r, *b, *peephole; /* of the current direction; b and peephole may be NULL */
    double *h, *c;                      /* state of the current sequence, [hidden] */
    double *gate;                       /* [gates][hidden]: sums, then activations */
    double *reset;                      /* GRU: [hidden] */
    int64_t first;                      /* projected: where the current direction's sums begin */
} Rnn;

static double activate(const RnnAct *a, double clip, double x)
{
    if (clip > 0)
        x = fmax(-clip, fmin(clip, x));
    if (a->kind == RNN_AFFINE)
        return a->alpha * x + a->beta;
    if (a->kind == RNN_SCALED_TANH)
        return a->alpha * tanh(a->beta * x);
    double y;
    compute_f64(rnn_acts[a->kind].op, &(ParamsF64){.alpha = a->alpha, .beta = a->beta}, &x, &x, &y,
                1);
    return y;
}

static double dot(const double *a, const double *b, int64_t n)
{
    double sum = 0;
    for (int64_t i = 0; i < n; i++)
        sum += a[i] * b[i];
    return sum;
}

/* Row j of the gates' weights applied to the input, with its bias; and the same for the hidden
 * state. */
static double input_sum(const Rnn *r, const double *x, int64_t j)
{
    double sum = r->s.projected ? x[r->first + j] : dot(r->w + j * r->s.input, x, r->s.input);
    return sum + (r->b ? r->b[j] : 0);
}

static double hidden_sum(const Rnn *r, const double *h, int64_t j)
{
    int64_t all = r->s.gates * r->s.hidden;
    return dot(r->r + j * r->s.hidden, h, r->s.hidden) + (r->b ? r->b[all + j] : 0);
}

static void rnn_step(Rnn *r, const double *x)
{
    for (int64_t j = 0; j < r->s.hidden; j++)
        r->gate[j] = input_sum(r, x, j) + hidden_sum(r, r->h, j);
    for (int64_t j = 0; j < r->s.hidden; j++)
        r->h[j] = activate(&r->act[0], r->s.clip, r->gate[j]);
}

/* Gates in ONNX's order: update z, reset r, hidden h. */
static void gru_step(Rnn *r, const double *x)
{
    int64_t n = r->s.hidden;
    double *z = r->gate, *reset = r->gate + n, *candidate = r->gate + 2 * n;
    for (int64_t j = 0; j < 2 * n; j++)
        r->gate[j] = activate(&r->act[0], r->s.clip, input_sum(r, x, j) + hidden_sum(r, r->h, j));
    for (int64_t j = 0; j < n; j++)
        r->reset[j] = reset[j] * r->h[j];
    for (int64_t j = 0; j < n; j++) {
        double hidden = r->s.linear_before_reset ? reset[j] * hidden_sum(r, r->h, 2 * n + j)
                                                 : hidden_sum(r, r->reset, 2 * n + j);
        candidate[j] = activate(&r->act[1], r->s.clip, input_sum(r, x, 2 * n + j) + hidden);
    }
    for (int64_t j = 0; j < n; j++)
        r->h[j] = (1 - z[j]) * candidate[j] + z[j] * r->h[j];
}

/* Gates in ONNX's order: input i, output o, forget f, cell c; peepholes i, o, f. */
static void lstm_step(Rnn *r, const double *x)
{
    int64_t n = r->s.hidden;
    const double *p = r->peephole;
    for (int64_t j = 0; j < 4 * n; j++)
        r->gate[j] = input_sum(r, x, j) + hidden_sum(r, r->h, j);
    for (int64_t j = 0; j < n; j++) {
        double i = r->gate[j], o = r->gate[n + j], f = r->gate[2 * n + j];
        i = activate(&r->act[0], r->s.clip, i + (p ? p[j] * r->c[j] : 0));
        f = activate(&r->act[0], r->s.clip, f + (p ? p[2 * n + j] * r->c[j] : 0));
        if (r->s.input_forget)
            f = 1 - i;
        double cell = activate(&r->act[1], r->s.clip, r->gate[3 * n + j]);
        r->c[j] = f * r->c[j] + i * cell;
        o = activate(&r->act[0], r->s.clip, o + (p ? p[n + j] * r->c[j] : 0));
        /* clip is for the gates' sums: other runtimes take the cell as it is, too */
        r->h[j] = o * activate(&r->act[2], 0, r->c[j]);
    }
}

static bool sequence_length(const Rnn *r, int64_t b, int64_t *length)
{
    const Tensor *lens = eval_in(r->e, RNN_LENS);
    *length = lens ? elem_i64(lens->type.dtype, lens->data, (size_t)b) : r->s.steps;
    if (*length < 0 || *length > r->s.steps)
        return refuse_node(r->e->g, r->e->node, "sequence length %lld is outside 0..%lld",
                           (long long)*length, (long long)r->s.steps);
    return true;
}

/* Step i of sequence b in direction d; the states and outputs are those of the whole layer. */
static bool run_step(Rnn *r, int d, int64_t i, int64_t b, const double *x, double *h, double *c,
                     double *y)
{
    const RnnShape *s = &r->s;
    int64_t length, row = d * s->batch + b;
    if (!sequence_length(r, b, &length))
        return false;
    if (i >= length)
        return true;
    int64_t t = s->reverse[d] ? length - 1 - i : i;
    r->h = h + row * s->hidden;
    r->c = c + row * s->hidden;
    r->step(r, x + (t * s->batch + b) * s->input);
    memcpy(y + ((t * s->directions + d) * s->batch + b) * s->hidden, r->h,
           (size_t)s->hidden * sizeof *r->h);
    return true;
}

/* What DequantizeLinear makes of DynamicQuantizeLinear's bytes. */
static void quantise_state(double *h, int64_t n)
{
    double zero;
    const float scale = dynamic_quantise(h, n, &zero);
    for (int64_t i = 0; i < n; i++)
        h[i] = (double)((float)(h[i] - zero) * scale);
}

static const double *slice(const double *all, int64_t index, int64_t size)
{
    return all ? all + index * size : NULL;
}

static bool run(Eval *e, void (*step)(Rnn *r, const double *x))
{
    Rnn r = {.e = e, .step = step};
    RnnShape *s = &r.s;
    if (!rnn_shape(e->g, e->node, &e->in[0]->type, &e->in[2]->type, s))
        return false;
    bool lstm = e->node->op == OP_LSTM;
    int64_t states = s->directions * s->batch * s->hidden, rows = s->gates * s->hidden;
    const double *x = eval_wide(e, RNN_X), *w = eval_wide(e, RNN_W), *rec = eval_wide(e, RNN_R);
    const double *b = eval_wide(e, RNN_B), *p = lstm ? eval_wide(e, RNN_P) : NULL;
    double *h = eval_wide(e, RNN_H0), *c = lstm ? eval_wide(e, RNN_C0) : NULL;
    double *y = eval_zeros(e, s->steps * states);
    h = h ? h : eval_zeros(e, states);
    c = c ? c : eval_zeros(e, states);
    r.gate = eval_zeros(e, rows);
    r.reset = eval_zeros(e, s->hidden);
    for (int d = 0; d < s->directions; d++) {
        r.act = s->act[d];
        r.first = d * rows;
        r.w = slice(w, d, rows * s->input);
        r.r = slice(rec, d, rows * s->hidden);
        r.b = slice(b, d, 2 * rows);
        r.peephole = slice(p, d, 3 * s->hidden);
        for (int64_t i = 0; i < s->steps; i++) {
            if (s->quantised_state)
                quantise_state(h + d * s->batch * s->hidden, s->batch * s->hidden);
            for (int64_t j = 0; j < s->batch; j++)
                if (!run_step(&r, d, i, j, x, h, c, y))
                    return false;
        }
    }
    eval_store(e, 0, y);
    eval_store(e, 1, h);
    eval_store(e, 2, c);
    return true;
}

bool eval_lstm(Eval *e)
{
    return run(e, lstm_step);
}

bool eval_gru(Eval *e)
{
    return run(e, gru_step);
}

bool eval_rnn(Eval *e)
{
    return run(e, rnn_step);
}
