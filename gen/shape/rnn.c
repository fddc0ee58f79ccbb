/* Shapes of the recurrent layers. With D directions, S steps, B sequences, I inputs and H hidden
 * units: X [S,B,I], W [D,gates*H,I], R [D,gates*H,H], B [D,2*gates*H], sequence_lens [B], initial_h
 * and initial_c [D,B,H], P [D,3*H]; Y [S,D,B,H], Y_h and Y_c [D,B,H]. */
#include "../ops/rnn.h"
#include "shape.h"

#include <string.h>

typedef struct Recurrent {
    int64_t directions, steps, batch, inputs, hidden;
} Recurrent;

static bool recurrent_attrs(const Graph *g, const Node *n, int64_t activations, Recurrent *r)
{
    const double clip = attr_float(n, "clip", 0);
    if (!check_range(g, n, "layout", attr_int(n, "layout", 0), 0, 0))
        return false;
    if (clip < 0)
        return refuse_node(g, n, "clip is %g, less than 0", clip);
    r->hidden = attr_int(n, "hidden_size", 0);
    r->directions = strcmp(attr_string(n, "direction", ""), "bidirectional") ? 1 : 2;
    size_t count = (size_t)(activations * r->directions);
    return need_floats(g, n, "activation_alpha", count) &&
           need_floats(g, n, "activation_beta", count);
}

static bool recurrent_inputs(const Graph *g, const Node *n, int64_t gates, Recurrent *r)
{
    if (!check_kind(g, n, 0, "X", TYPES_FLOAT) || !check_rank(g, n, 0, "X", 3, 3))
        return false;
    const TensorType *x = in_type(g, n, 0);
    r->steps = x->dims[0];
    r->batch = x->dims[1];
    r->inputs = x->dims[2];
    const bool projected = attr_int(n, "projected", 0) != 0;
    int64_t rows = gates * r->hidden; /* hidden < 2^31 */
    static const char *const what[] = {"X",         "W",         "R", "B", "sequence_lens",
                                       "initial_h", "initial_c", "P"};
    int64_t w[] = {r->directions, rows, r->inputs}, rec[] = {r->directions, rows, r->hidden};
    int64_t b[] = {r->directions, rows * 2}, state[] = {r->directions, r->batch, r->hidden};
    int64_t p[] = {r->directions, r->hidden * 3};
    int64_t sums[] = {r->steps, r->batch, r->directions * rows};
    if (!in_type(g, n, 2) || (in_type(g, n, 1) == NULL) != projected)
        return refuse_node(g, n, "input %d is %s", in_type(g, n, 2) ? 1 : 2,
                           in_type(g, n, 2) && projected ? "there beside projected" : "missing");
    if (projected && !check_dims(g, n, 0, what[0], 3, sums))
        return false;
    for (uint32_t k = 1; k < COUNT_OF(what); k++)
        if (!check_dtype(g, n, k, what[k], k == 4 ? DT_I32 : x->dtype))
            return false;
    return check_dims(g, n, 1, what[1], 3, w) && check_dims(g, n, 2, what[2], 3, rec) &&
           check_dims(g, n, 3, what[3], 2, b) && check_dims(g, n, 4, what[4], 1, &r->batch) &&
           check_dims(g, n, 5, what[5], 3, state) && check_dims(g, n, 6, what[6], 3, state) &&
           check_dims(g, n, 7, what[7], 2, p);
}

static bool recurrent(const Graph *g, const Node *n, int64_t gates, int64_t activations,
                      TensorType *out)
{
    Recurrent r;
    RnnShape s; /* reads the names of activations */
    if (!recurrent_attrs(g, n, activations, &r) || !recurrent_inputs(g, n, gates, &r) ||
        !rnn_shape(g, n, in_type(g, n, RNN_X), in_type(g, n, RNN_R), &s))
        return false;
    DType dtype = in_type(g, n, 0)->dtype;
    int64_t y[] = {r.steps, r.directions, r.batch, r.hidden};
    if (!set_type(g, n, &out[0], dtype, 4, y))
        return false;
    for (uint32_t k = 1; k < n->n_out; k++)
        if (!set_type(g, n, &out[k], dtype, 3, y + 1))
            return false;
    return true;
}

/* Sequences that end early would leave the others' steps: a state is quantised as a whole. */
static bool quantised_state(const Graph *g, const Node *n)
{
    if (attr_int(n, "quantised_state", 0) &&
        (in_type(g, n, 4) || in_type(g, n, 0)->dtype != DT_F32))
        return refuse_node(g, n, "a quantised state is f32, without sequence_lens");
    return true;
}

bool shape_lstm(Graph *g, const Node *n, TensorType *out)
{
    return quantised_state(g, n) && recurrent(g, n, 4, 3, out);
}

bool shape_gru(Graph *g, const Node *n, TensorType *out)
{
    return recurrent(g, n, 3, 2, out);
}

bool shape_rnn(Graph *g, const Node *n, TensorType *out)
{
    return recurrent(g, n, 1, 1, out);
}
