/* Recurrent layers: activations with their parameters written out, layout 1 brought to layout 0 by transposes. */
#include "../ops/rnn.h"
#include "table.h"

typedef struct Cell {
    int directions;
    const char *direction;
    size_t n; /* activations, of all directions together */
    const char *names;
    double alpha[8], beta[8];
} Cell;

/* The default activations of one direction. */
static size_t defaults_of(Op op, const char *const **names)
{
    static const char *const lstm[] = {"Sigmoid", "Tanh", "Tanh"},
                             *const gru[] = {"Sigmoid", "Tanh"}, *const rnn[] = {"Tanh"};
    *names = op == OP_LSTM ? lstm : op == OP_GRU ? gru : rnn;
    return op == OP_LSTM ? 3 : op == OP_GRU ? 2 : 1;
}

/* Parameters are listed in the order of the activations that take them. */
static bool read_activations(OnnxNode *c, Cell *cell)
{
    const Onnx__AttributeProto *given = onnx_attr(c, "activations");
    const char *const *usual;
    size_t each = defaults_of(c->row->op, &usual), n_alpha, n_beta, alphas = 0, betas = 0;
    const double *alpha = get_floats(c, "activation_alpha", &n_alpha);
    const double *beta = get_floats(c, "activation_beta", &n_beta);
    Text t = text_new(c->arena);
    cell->n = each * (size_t)cell->directions;
    if (given && given->n_strings && given->n_strings != cell->n)
        return refuse_onnx(c, "has %zu activations, %zu are needed", given->n_strings, cell->n);
    bool one_each = n_alpha == cell->n && n_beta == cell->n;
    for (size_t i = 0; i < cell->n; i++) {
        bool own = given && given->n_strings;
        const char *name = own ? (const char *)given->strings[i].data : usual[i % each];
        size_t length = own ? given->strings[i].len : strlen(name);
        RnnAct act;
        if (!length || !rnn_find_act(name, length, &act))
            return refuse_onnx(c, "activation %zu is unknown", i);
        const int params = rnn_acts[act.kind].params;
        if (one_each)
            alphas = betas = i;
        cell->alpha[i] = params > 0 && alphas < n_alpha ? alpha[alphas++] : act.alpha;
        cell->beta[i] = params > 1 && betas < n_beta ? beta[betas++] : act.beta;
        text_printf(&t, "%s%s", i ? "," : "", rnn_acts[act.kind].name);
    }
    cell->names = t.data;
    return ok(c);
}

/* Layout 1 puts the batch first: X [batch, seq, …], states [batch, directions, hidden]. */
static ValueId from_layout(OnnxNode *c, ValueId v, bool batch_first)
{
    static const int64_t swap[] = {1, 0, 2};
    if (!batch_first || !has_value(v) || failed(c))
        return v;
    if (type_of(c->g, v)->rank != 3)
        return refuse_value(c, "an input has the wrong rank");
    return transpose(c, v, swap);
}

static bool finish_layout(OnnxNode *c, const ValueId *out, uint32_t n)
{
    static const int64_t sequence[] = {2, 0, 1, 3}, state[] = {1, 0, 2};
    for (uint32_t k = 0; k < n; k++)
        if (wants(c, k) &&
            !finish(c, k, OP_Transpose, IN(out[k]),
                    ATTRS(k ? ATTR_IS("perm", state, 3) : ATTR_IS("perm", sequence, 4))))
            return false;
    return true;
}

/* The layer with these inputs, in layout 0 already. */
static bool finish_rnn(OnnxNode *c, const ValueId *in, bool batch_first, bool quantised)
{
    Cell cell = {0};
    Op op = c->row->op;
    uint32_t n_in = op == OP_LSTM ? 8 : 6, n_out = op == OP_LSTM ? 3 : 2;
    ValueId out[3];
    cell.direction = get_string(c, "direction", "forward");
    cell.directions = strcmp(cell.direction, "bidirectional") ? 1 : 2;
    if (!read_activations(c, &cell))
        return false;
    int64_t hidden = type_of(c->g, in[2])->dims[2];
    Attr attrs[12] = {ATTR_S("direction", cell.direction),
                      ATTR_S("activations", cell.names),
                      ATTR_I("hidden_size", get_int(c, "hidden_size", hidden)),
                      ATTR_FS("activation_alpha", cell.alpha, cell.n),
                      ATTR_FS("activation_beta", cell.beta, cell.n),
                      ATTR_F("clip", get_float(c, "clip", 0)),
                      ATTR_I("layout", 0)};
    size_t n = 7;
    if (op == OP_LSTM)
        attrs[n++] = ATTR_I("input_forget", get_int(c, "input_forget", 0) != 0);
    if (op == OP_GRU)
        attrs[n++] = ATTR_I("linear_before_reset", get_int(c, "linear_before_reset", 0) != 0);
    if (quantised)
        attrs[n++] = ATTR_I("quantised_state", 1);
    attrs[n] = ATTR_END;
    if (!batch_first)
        return finish_all(c, n_out < c->n_out ? n_out : c->n_out, op, in, n_in, attrs);
    return emit_all(c, n_out, op, in, n_in, attrs, out) && finish_layout(c, out, n_out);
}

bool norm_rnn(OnnxNode *c)
{
    bool batch_first = get_int(c, "layout", 0) != 0;
    uint32_t max_in = c->row->op == OP_LSTM ? 8 : 6;
    ValueId in[8];
    for (uint32_t k = 0; k < max_in; k++)
        in[k] = from_layout(c, in_at(c, k), batch_first && (k == 0 || k == 5 || k == 6));
    return finish_rnn(c, in, batch_first, false);
}

/* Weights of bytes, [directions, depth, gates], as floats in LSTM's order, [directions, gates, depth]. One scale for each
 * direction, or for each gate of each. */
static ValueId float_weights(OnnxNode *c, uint32_t k, uint32_t scale_at, uint32_t zero_at)
{
    const TensorType w = *type_in(c, k), s = *type_in(c, scale_at), z = *type_in(c, zero_at);
    bool by_gate = s.rank == 2 && s.dims[1] == w.dims[2];
    if (w.rank != 3 || s.rank < 1 || s.rank > 2 || s.dims[0] != w.dims[0] ||
        (s.rank == 2 && !by_gate) || type_count(&z) != type_count(&s) || z.dtype != w.dtype)
        return refuse_value(c, "weights %s, scales %s and zero points %s do not belong together",
                            type_text(c->arena, &w), type_text(c->arena, &s),
                            type_text(c->arena, &z));
    const int64_t each[] = {w.dims[0], 1, by_gate ? w.dims[2] : 1};
    ValueId zero = reshape(c, in_at(c, zero_at), 3, each);
    ValueId v = sub(c, cast(c, in_at(c, k), DT_F32), cast(c, zero, DT_F32));
    v = mul(c, v, reshape(c, in_at(c, scale_at), 3, each));
    return transpose(c, v, (int64_t[]){0, 2, 1});
}

/* An LSTM whose products are of bytes: X is quantised as a whole, the state before each step. Inputs: those of LSTM, then
 * scale and zero point of W and of R. */
bool norm_dynamic_quantize_lstm(OnnxNode *c)
{
    ValueId in[8], x[3];
    size_t n = 0;
    for (uint32_t k = 8; k < 12; k++)
        if (!has_in(c, k))
            return refuse_onnx(c, "input %u is missing", k);
    const TensorType t = *type_in(c, 0);
    const int64_t *lengths = has_in(c, 4) ? known_ints(c, 4, "sequence_lens", &n) : NULL;
    for (size_t i = 0; i < n; i++)
        if (t.rank != 3 || lengths[i] != t.dims[0])
            return refuse_onnx(c, "sequence_lens is not supported");
    if (!emit_all(c, 3, OP_DynamicQuantizeLinear, IN(in_at(c, 0)), NULL, x))
        return false;
    for (uint32_t k = 0; k < 8; k++)
        in[k] = k == 4 ? NO_VALUE : in_at(c, k);
    in[0] = emit(c, OP_DequantizeLinear, IN(x[0], x[1], x[2]), ATTRS(ATTR_I("axis", 0)));
    in[1] = float_weights(c, 1, 8, 9);
    in[2] = float_weights(c, 2, 10, 11);
    return finish_rnn(c, in, false, true);
}
