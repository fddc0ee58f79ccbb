/* ai.onnx.preview.training: one step of an optimiser, which is arithmetic, the gradients being inputs. Each operator takes the learning rate, the number
 * of updates so far, and as many tensors of each group as there are parameters: these, their gradients, and what the method keeps. */
#include "table.h"

typedef struct Step {
    OnnxNode *c;
    DType dtype;        /* of the parameter that is updated */
    ValueId rate, done; /* learning rate and updates, scalars of that type */
} Step;

static ValueId number(const Step *s, double v)
{
    return const_scalar(s->c, s->dtype, v);
}

static ValueId scaled(const Step *s, ValueId v, double by)
{
    return mul(s->c, v, number(s, by));
}

/* The gradient of the loss and of norm_coefficient / 2 * x^2. */
static ValueId regularised(const Step *s, const ValueId *in)
{
    return add(s->c, scaled(s, in[0], get_float(s->c, "norm_coefficient", 0)), in[1]);
}

static ValueId after_the_first(const Step *s, ValueId v, ValueId first)
{
    const ValueId later = emit(s->c, OP_Greater, IN(s->done, number(s, 0)), NULL);
    return emit(s->c, OP_Where, IN(later, v, first), NULL);
}

static ValueId square_root(const Step *s, ValueId v)
{
    return emit(s->c, OP_Sqrt, &v, 1, NULL);
}

/* x, gradient, sum of squares */
static void adagrad(const Step *s, const ValueId *in, ValueId *out)
{
    OnnxNode *c = s->c;
    const ValueId decay = scaled(s, s->done, get_float(c, "decay_factor", 0)),
                  g = regularised(s, in), rate = divide(c, s->rate, add(c, decay, number(s, 1)));
    out[1] = add(c, in[2], mul(c, g, g));
    const ValueId root = add(c, square_root(s, out[1]), number(s, get_float(c, "epsilon", 1e-6)));
    out[0] = sub(c, in[0], divide(c, mul(c, rate, g), root));
}

/* x, gradient, momentum */
static void momentum(const Step *s, const ValueId *in, ValueId *out)
{
    OnnxNode *c = s->c;
    const double alpha = get_float(c, "alpha", 0);
    const char *mode = get_string(c, "mode", "standard");
    const bool nesterov = !strcmp(mode, "nesterov");
    const ValueId g = regularised(s, in),
                  beta = after_the_first(s, number(s, get_float(c, "beta", 0)), number(s, 1));
    if (!nesterov && strcmp(mode, "standard"))
        refuse_onnx(c, "mode '%s' is not defined", mode);
    out[1] = add(c, scaled(s, in[2], alpha), mul(c, beta, g));
    const ValueId by = nesterov ? add(c, g, scaled(s, out[1], alpha)) : out[1];
    out[0] = sub(c, in[0], mul(c, s->rate, by));
}

/* x, gradient, averages of gradients and of their squares */
static void adam(const Step *s, const ValueId *in, ValueId *out)
{
    OnnxNode *c = s->c;
    const double mix[2] = {get_float(c, "alpha", 0.9), get_float(c, "beta", 0.999)};
    const ValueId g = regularised(s, in);
    ValueId lacks[2]; /* what the averages lack of the whole, since they began at 0 */
    for (int k = 0; k < 2; k++) {
        const ValueId power = emit(c, OP_Pow, IN(number(s, mix[k]), s->done), NULL);
        lacks[k] = sub(c, number(s, 1), power);
        out[1 + k] =
            add(c, scaled(s, in[2 + k], mix[k]), scaled(s, k ? mul(c, g, g) : g, 1 - mix[k]));
    }
    const ValueId full = divide(c, mul(c, s->rate, square_root(s, lacks[1])), lacks[0]),
                  rate = after_the_first(s, full, s->rate),
                  root = add(c, square_root(s, out[2]), number(s, get_float(c, "epsilon", 1e-6)));
    out[0] = sub(c, in[0], divide(c, mul(c, rate, out[1]), root));
    out[0] = scaled(s, out[0], 1 - get_float(c, "norm_coefficient_post", 0));
}

static bool update(OnnxNode *c, uint32_t groups,
                   void (*method)(const Step *, const ValueId *, ValueId *))
{
    enum { MOST_GROUPS = 4 };
    const uint32_t n = (c->n_in - 2) / groups;
    ValueId in[MOST_GROUPS], out[MOST_GROUPS];
    if ((c->n_in - 2) % groups || c->n_out > (groups - 1) * n || type_count(type_in(c, 0)) != 1 ||
        type_count(type_in(c, 1)) != 1)
        return refuse_onnx(c, "its inputs are not a rate, a number and groups of tensors");
    const ValueId rate = reshape(c, in_at(c, 0), 0, NULL), done = reshape(c, in_at(c, 1), 0, NULL);
    for (uint32_t i = 0; i < n && ok(c); i++) {
        for (uint32_t k = 0; k < groups; k++) {
            in[k] = in_at(c, 2 + k * n + i);
            if (!has_value(in[k]) || !type_equal(type_of(c->g, in[k]), type_of(c->g, in[0])))
                return refuse_onnx(c, "the tensors of parameter %u differ in type", i);
        }
        const DType dtype = dtype_of(c, in[0]);
        const Step step = {c, dtype, cast(c, rate, dtype), cast(c, done, dtype)};
        method(&step, in, out);
        for (uint32_t k = 0; k + 1 < groups; k++)
            if (k * n + i < c->n_out)
                alias(c, k * n + i, out[k]);
    }
    return ok(c);
}

bool norm_adagrad(OnnxNode *c)
{
    return update(c, 3, adagrad);
}

bool norm_adam(OnnxNode *c)
{
    return update(c, 4, adam);
}

bool norm_momentum(OnnxNode *c)
{
    return update(c, 3, momentum);
}
