/* Support vector machines (ai.onnx.ml): products of rows and support vectors, a function of them, and products with coefficients.
 * Rounding aside they compute what ONNX Runtime does, whose voting and shapes ONNX leaves open. */
#include "ml.h"
#include "table.h"

typedef struct Machine {
    ValueId x; /* [rows, features] */
    int64_t features, n_vectors;
    const double *vectors, *coefficients, *rho;
    size_t n_coefficients, n_rho;
    const char *kernel;
    double gamma, coef0, degree;
} Machine;

static bool read_machine(OnnxNode *c, Machine *m, int64_t n_vectors)
{
    size_t n_params, n;
    const double *params = get_floats(c, "kernel_params", &n_params);
    *m = (Machine){.n_vectors = n_vectors, .kernel = get_string(c, "kernel_type", "LINEAR")};
    m->vectors = get_floats(c, "support_vectors", &n);
    m->coefficients = get_floats(c, "coefficients", &m->n_coefficients);
    m->rho = get_floats(c, "rho", &m->n_rho);
    if (!need_inputs(c, 1, 1))
        return false;
    m->x = feature_rows(c, 0);
    m->features = value_type(c, m->x).dims[1];
    if (m->n_coefficients == 0 || m->n_rho == 0)
        return refuse_onnx(c, "has no coefficients or no rho");
    if (n_params >= 3) {
        m->gamma = params[0];
        m->coef0 = params[1];
        m->degree = params[2];
    } else if (n_params) {
        return refuse_onnx(c, "has %zu kernel_params", n_params);
    }
    if (n_vectors && (m->features < 1 || n % (size_t)m->features ||
                      n / (size_t)m->features != (size_t)n_vectors))
        return refuse_onnx(c, "%zu numbers are not %lld support vectors of %lld features", n,
                           (long long)n_vectors, (long long)m->features);
    return true;
}

/* alpha * a * bᵀ + bias, where b [n, depth] is constant. */
static ValueId product(OnnxNode *c, ValueId a, const double *b, int64_t n, int64_t depth,
                       double alpha, ValueId bias)
{
    ValueId weights = const_floats(c, b, 2, (int64_t[]){n, depth});
    return emit(c, OP_Gemm, IN(a, weights, bias),
                ATTRS(ATTR_F("alpha", (double)(float)alpha), ATTR_F("beta", 1), ATTR_I("transA", 0),
                      ATTR_I("transB", 1)));
}

/* exp(-gamma * |x - v|²) as a product. What both are measured from is the middle of the support vectors, so that next to nothing is
 * lost where large numbers differ little. */
static ValueId radial(OnnxNode *c, const Machine *m)
{
    const size_t n = (size_t)m->n_vectors, f = (size_t)m->features;
    double *middle = ARENA_ARRAY(c->arena, double, f), *v = ARENA_ARRAY(c->arena, double, n *f);
    double *square = ARENA_ARRAY(c->arena, double, n);
    for (size_t i = 0; i < n * f; i++)
        middle[i % f] += m->vectors[i] / (double)n;
    for (size_t i = 0; i < f; i++)
        middle[i] = (double)(float)middle[i];
    for (size_t i = 0; i < n * f; i++) {
        v[i] = (double)(float)(m->vectors[i] - middle[i % f]);
        square[i / f] -= m->gamma * v[i] * v[i];
    }
    ValueId x = sub(c, m->x, const_floats(c, middle, 1, &m->features));
    ValueId own = reduce(c, OP_ReduceSumSquare, x, (int64_t[]){1}, 1, true);
    ValueId sums = product(c, x, v, m->n_vectors, m->features, 2 * m->gamma,
                           const_floats(c, square, 1, &m->n_vectors));
    sums = sub(c, sums, mul(c, own, const_scalar(c, DT_F32, m->gamma)));
    if (m->gamma >= 0)
        sums = emit(c, OP_Min, IN(sums, const_scalar(c, DT_F32, 0)), NULL);
    return emit(c, OP_Exp, IN(sums), NULL);
}

/* [rows, support vectors] */
static ValueId kernel_matrix(OnnxNode *c, const Machine *m)
{
    if (failed(c) || !strcmp(m->kernel, "RBF"))
        return radial(c, m);
    const bool is_linear = !strcmp(m->kernel, "LINEAR"), poly = !strcmp(m->kernel, "POLY");
    if (!is_linear && !poly && strcmp(m->kernel, "SIGMOID"))
        return refuse_value(c, "kernel_type '%s' is unknown", m->kernel);
    const int64_t one = 1;
    ValueId v = product(c, m->x, m->vectors, m->n_vectors, m->features, is_linear ? 1 : m->gamma,
                        is_linear ? NO_VALUE : const_floats(c, &m->coef0, 1, &one));
    if (is_linear)
        return v;
    if (!poly)
        return emit(c, OP_Tanh, IN(v), NULL);
    if (m->degree == 2 || m->degree == 3)
        return m->degree == 2 ? mul(c, v, v) : mul(c, mul(c, v, v), v);
    return emit(c, OP_Pow, IN(v, const_scalar(c, DT_F32, m->degree)), NULL);
}

bool norm_svm_regressor(OnnxNode *c)
{
    Machine m;
    const int64_t n = get_int(c, "n_supports", 0), one = 1;
    if (failed(c) || n < 0)
        return refuse_onnx(c, "has %lld support vectors", (long long)n);
    if (!read_machine(c, &m, n))
        return false;
    const int64_t depth = n ? n : m.features;
    if (m.n_coefficients != (size_t)depth)
        return refuse_onnx(c, "has %zu coefficients for %lld %s", m.n_coefficients,
                           (long long)depth, n ? "support vectors" : "features");
    if (strcmp(get_string(c, "post_transform", "NONE"), "NONE"))
        return refuse_onnx(c, "post_transform of one target is not supported");
    ValueId v = product(c, n ? kernel_matrix(c, &m) : m.x, m.coefficients, 1, depth, 1,
                        const_floats(c, m.rho, 1, &one));
    if (get_int(c, "one_class", 0) && ok(c))
        v = emit(c, OP_Where,
                 IN(emit(c, OP_Greater, IN(v, const_scalar(c, DT_F32, 0)), NULL),
                    const_scalar(c, DT_F32, 1), const_scalar(c, DT_F32, -1)),
                 NULL);
    return alias(c, 0, v);
}

/* --- classes against each other -------------------------------------------------------------------------------------- */

/* Which vectors are each class's, and the two classes of each pair. */
typedef struct Pairs {
    int64_t classes, n;
    const int64_t *size;   /* support vectors of each class */
    int64_t *start;        /* … and the first of them */
    int64_t *first, *last; /* classes of each pair */
} Pairs;

static bool read_pairs(OnnxNode *c, Pairs *p, int64_t *n_vectors)
{
    size_t n;
    p->size = get_ints(c, "vectors_per_class", &n);
    p->classes = (int64_t)n;
    p->n = p->classes * (p->classes - 1) / 2;
    *n_vectors = 0;
    if (failed(c) || n < 2 || n > 4096)
        return refuse_onnx(c, "has %zu classes, which is not supported", n);
    if (!onnx_claim(c->im, (size_t)p->n * 2 * sizeof(int64_t)))
        return false;
    p->start = ARENA_ARRAY(c->arena, int64_t, n);
    p->first = ARENA_ARRAY(c->arena, int64_t, (size_t)p->n);
    p->last = ARENA_ARRAY(c->arena, int64_t, (size_t)p->n);
    for (size_t i = 0; i < n; i++) {
        p->start[i] = *n_vectors;
        if (p->size[i] < 0 || p->size[i] > INT32_MAX)
            return refuse_onnx(c, "a class has %lld support vectors", (long long)p->size[i]);
        *n_vectors += p->size[i];
    }
    int64_t k = 0;
    for (int64_t i = 0; i < p->classes; i++)
        for (int64_t j = i + 1; j < p->classes; j++, k++) {
            p->first[k] = i;
            p->last[k] = j;
        }
    return true;
}

/* [rows, pairs]: above 0 where the first class of a pair is likelier. Coefficients are [classes - 1, vectors]: those of a class's own
 * vectors against each other class. */
static ValueId pair_scores(OnnxNode *c, const Machine *m, const Pairs *p)
{
    const int64_t n = m->n_vectors;
    int64_t size;
    if ((int64_t)m->n_coefficients < (p->classes - 1) * n || (int64_t)m->n_rho < p->n)
        return refuse_value(c, "has too few coefficients or rho for %lld classes",
                            (long long)p->classes);
    if (!mul_i64(p->n, n, &size) || !onnx_claim(c->im, (size_t)size * sizeof(double)))
        return NO_VALUE;
    double *w = ARENA_ARRAY(c->arena, double, (size_t)size);
    for (int64_t k = 0; k < p->n; k++) {
        const int64_t i = p->first[k], j = p->last[k];
        for (int64_t v = p->start[i]; v < p->start[i] + p->size[i]; v++)
            w[k * n + v] = m->coefficients[(j - 1) * n + v];
        for (int64_t v = p->start[j]; v < p->start[j] + p->size[j]; v++)
            w[k * n + v] = m->coefficients[i * n + v];
    }
    return product(c, kernel_matrix(c, m), w, p->n, n, 1, const_floats(c, m->rho, 1, &p->n));
}

/* The class that wins most pairs, the first of several. */
static ValueId winner(OnnxNode *c, const Pairs *p, ValueId scores)
{
    if (!onnx_claim(c->im, (size_t)(p->n * p->classes) * sizeof(double)))
        return NO_VALUE;
    double *won = ARENA_ARRAY(c->arena, double, (size_t)(p->n * p->classes));
    double *votes = ARENA_ARRAY(c->arena, double, (size_t)p->classes);
    for (int64_t k = 0; k < p->n; k++) {
        won[p->first[k] * p->n + k] = 1;
        won[p->last[k] * p->n + k] = -1;
        votes[p->last[k]]++;
    }
    ValueId first =
        cast(c, emit(c, OP_Greater, IN(scores, const_scalar(c, DT_F32, 0)), NULL), DT_F32);
    return best_class(
        c, product(c, first, won, p->classes, p->n, 1, const_floats(c, votes, 1, &p->classes)));
}

/* What is known of each class from what is known of each pair. */
static ValueId coupled(OnnxNode *c, const Pairs *p, ValueId scores)
{
    size_t n_a, n_b;
    const double least = (double)1e-7f;
    const double *a = get_floats(c, "prob_a", &n_a), *b = get_floats(c, "prob_b", &n_b);
    if (failed(c) || (int64_t)n_a < p->n || n_a != n_b)
        return refuse_value(c, "prob_a and prob_b are not one number for each pair of classes");
    ValueId v = add(c, mul(c, scores, const_floats(c, a, 1, &p->n)), const_floats(c, b, 1, &p->n));
    v = emit(c, OP_Sigmoid, IN(emit(c, OP_Neg, IN(v), NULL)), NULL);
    v = emit(c, OP_Clip, IN(v), ATTRS(ATTR_F("max", (double)(1 - 1e-7f)), ATTR_F("min", least)));
    return emit(c, OP_PairwiseCoupling, IN(v), ATTRS(ATTR_I("classes", p->classes)));
}

static bool is_set(OnnxNode *c, const char *name)
{
    size_t n;
    get_floats(c, name, &n);
    return n > 0;
}

/* Two classes have one score, the first one's; the other result depends on post_transform as in ONNX Runtime. */
static bool finish_pair(OnnxNode *c, ValueId score)
{
    const char *post = get_string(c, "post_transform", "NONE");
    const bool logistic = !strcmp(post, "LOGISTIC");
    if (failed(c) || !strcmp(post, "PROBIT"))
        return refuse_onnx(c, "this post_transform of one score is not supported");
    ValueId other = logistic || !strcmp(post, "NONE") ? emit(c, OP_Neg, IN(score), NULL)
                                                      : sub(c, const_scalar(c, DT_F32, 1), score);
    ValueId both = emit(c, OP_Concat, IN(other, score), ATTRS(ATTR_I("axis", 1)));
    return alias(c, 1, logistic ? emit(c, OP_Sigmoid, IN(both), NULL) : both);
}

static bool classify_by_vectors(OnnxNode *c)
{
    Machine m;
    Pairs p;
    int64_t n_vectors;
    if (!read_pairs(c, &p, &n_vectors))
        return false;
    if (n_vectors < 1)
        return refuse_onnx(c, "has no support vectors");
    if (!read_machine(c, &m, n_vectors))
        return false;
    ValueId scores = pair_scores(c, &m, &p);
    if (failed(c) || !finish_label(c, winner(c, &p, scores), p.classes))
        return false;
    if (is_set(c, "prob_a"))
        return alias(c, 1, post_transform(c, coupled(c, &p, scores)));
    if (p.classes > 2)
        return alias(c, 1, post_transform(c, scores));
    return finish_pair(c, scores);
}

/* Without support vectors: coefficients for each class, and one rho. Of two classes the second one is it where any score is high. */
static bool classify_linear(OnnxNode *c, int64_t classes)
{
    Machine m;
    if (!read_machine(c, &m, 0))
        return false;
    if (classes < 1 || (int64_t)m.n_coefficients / classes != m.features ||
        (int64_t)m.n_coefficients % classes)
        return refuse_onnx(c, "%zu coefficients do not belong to %lld features and %lld classes",
                           m.n_coefficients, (long long)m.features, (long long)classes);
    const int64_t one = 1;
    bool positive = true;
    for (size_t i = 0; i < m.n_coefficients; i++)
        positive = positive && m.coefficients[i] >= 0;
    ValueId scores =
        product(c, m.x, m.coefficients, classes, m.features, 1, const_floats(c, m.rho, 1, &one));
    ValueId label = best_class(c, scores);
    if (classes == 2 && !is_set(c, "prob_a")) {
        ValueId most = reduce(c, OP_ReduceMax, scores, (int64_t[]){1}, 1, false);
        ValueId high = emit(c, positive ? OP_GreaterOrEqual : OP_Greater,
                            IN(most, const_scalar(c, DT_F32, positive ? 0.5 : 0)), NULL);
        label = emit(c, OP_Where, IN(high, const_scalar(c, DT_I64, 1), label), NULL);
    }
    return finish_label(c, label, classes) && alias(c, 1, post_transform(c, scores));
}

bool norm_svm_classifier(OnnxNode *c)
{
    size_t vectors, labels;
    const Onnx__AttributeProto *strings = onnx_attr(c, "classlabels_strings");
    get_ints(c, "vectors_per_class", &vectors);
    get_ints(c, "classlabels_ints", &labels);
    if (failed(c))
        return false;
    return vectors ? classify_by_vectors(c)
                   : classify_linear(c, (int64_t)(labels    ? labels
                                                  : strings ? strings->n_strings
                                                            : 0));
}
