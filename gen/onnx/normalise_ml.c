/* Classical models (domain ai.onnx.ml): scaling, linear models, look-ups. Trees have a file of their own. */
#include "../base/quote.h"
#include "ml.h"
#include "table.h"

#include <math.h>

ValueId const_floats(OnnxNode *c, const double *v, int rank, const int64_t *dims)
{
    const TensorType type = type_make(DT_F32, rank, dims);
    if (failed(c) || !type_valid(&type) || !onnx_claim(c->im, type_bytes(&type)))
        return NO_VALUE;
    const size_t n = (size_t)type_count(&type);
    float *data = ARENA_ARRAY(c->arena, float, n + 1);
    for (size_t i = 0; i < n; i++)
        data[i] = (float)v[i];
    return emit_const(c, type, data);
}

/* The inverse of the normal distribution, as ONNX Runtime approximates it. */
static ValueId probit(OnnxNode *c, ValueId v)
{
    const double a = 0.147, pi = 3.14159;
    ValueId one = const_scalar(c, DT_F32, 1), zero = const_scalar(c, DT_F32, 0);
    ValueId x = sub(c, mul(c, const_scalar(c, DT_F32, 2), v), one);
    ValueId sign =
        emit(c, OP_Where, IN(emit(c, OP_Less, IN(x, zero), NULL), const_scalar(c, DT_F32, -1), one),
             NULL);
    ValueId log = emit(c, OP_Log, IN(mul(c, sub(c, one, x), add(c, one, x))), NULL);
    ValueId half =
        add(c, const_scalar(c, DT_F32, 2 / (pi * a)), mul(c, const_scalar(c, DT_F32, 0.5), log));
    ValueId root =
        emit(c, OP_Sqrt,
             IN(sub(c, mul(c, half, half), mul(c, const_scalar(c, DT_F32, 1 / a), log))), NULL);
    ValueId inverse = mul(c, sign, emit(c, OP_Sqrt, IN(sub(c, root, half)), NULL));
    return mul(c, const_scalar(c, DT_F32, 1.41421356), inverse);
}

/* Softmax over the scores that are not 0; the others stay next to it. */
static ValueId softmax_zero(OnnxNode *c, ValueId v)
{
    const int64_t last[] = {type_of(c->g, v)->rank - 1};
    ValueId most = reduce(c, OP_ReduceMax, v, last, 1, true);
    ValueId is =
        emit(c, OP_Greater, IN(emit(c, OP_Abs, IN(v), NULL), const_scalar(c, DT_F32, 1e-7)), NULL);
    ValueId e = emit(c, OP_Exp, IN(sub(c, v, most)), NULL);
    ValueId sum =
        reduce(c, OP_ReduceSum, emit(c, OP_Where, IN(is, e, const_scalar(c, DT_F32, 0)), NULL),
               last, 1, true);
    ValueId small = mul(c, v, emit(c, OP_Exp, IN(emit(c, OP_Neg, IN(most), NULL)), NULL));
    return divide(c, emit(c, OP_Where, IN(is, e, small), NULL), sum);
}

static ValueId transformed(OnnxNode *c, ValueId v, const char *name)
{
    if (failed(c) || !strcmp(name, "NONE"))
        return v;
    if (!strcmp(name, "LOGISTIC"))
        return emit(c, OP_Sigmoid, IN(v), NULL);
    if (!strcmp(name, "PROBIT"))
        return probit(c, v);
    if (!strcmp(name, "SOFTMAX_ZERO"))
        return softmax_zero(c, v);
    const int last = type_of(c->g, v)->rank - 1;
    if (!strcmp(name, "SOFTMAX"))
        return emit(c, OP_Softmax, IN(v),
                    ATTRS(ATTR_I("axis", last), ATTR_I("axis_end", last + 1)));
    return refuse_value(c, "post_transform '%s' is not supported", name);
}

ValueId post_transform(OnnxNode *c, ValueId v)
{
    return transformed(c, v, get_string(c, "post_transform", "NONE"));
}

ValueId transformed_targets(OnnxNode *c, ValueId v)
{
    const char *const names[] = {"NONE", "SOFTMAX", "LOGISTIC", "SOFTMAX_ZERO", "PROBIT"};
    const Onnx__AttributeProto *a = onnx_attr(c, "post_transform");
    const char *name = "NONE";
    if (a && a->has_i && !a->has_s)
        name = a->i >= 0 && a->i < (int64_t)COUNT_OF(names) ? names[a->i] : "?";
    else
        name = get_string(c, "post_transform", "NONE");
    const bool single = value_type(c, v).dims[1] == 1;
    if (single && strcmp(name, "NONE") && strcmp(name, "PROBIT"))
        return refuse_value(c, "post_transform of one target is not supported");
    return transformed(c, v, name);
}

/* Input k as [rows, features] of floats. */
ValueId feature_rows(OnnxNode *c, uint32_t k)
{
    const TensorType t = *type_in(c, k);
    ValueId v = cast(c, in_at(c, k), DT_F32);
    if (t.rank == 1)
        return reshape(c, v, 2, (int64_t[]){1, t.dims[0]});
    if (t.rank != 2 && ok(c))
        refuse_onnx(c, "its input %s is not rows of features", type_text(c->arena, &t));
    return v;
}

bool finish_label(OnnxNode *c, ValueId index, int64_t classes)
{
    size_t n;
    const int64_t *labels = get_ints(c, "classlabels_int64s", &n);
    if (failed(c) || !wants(c, 0))
        return ok(c);
    if (!labels)
        labels = get_ints(c, "classlabels_ints", &n);
    const bool strings = !labels && (labels = get_strings(c, "classlabels_strings", &n));
    if (!labels)
        return refuse_onnx(c, "it has no labels");
    if ((int64_t)n != classes)
        return refuse_onnx(c, "has %zu labels for %lld classes", n, (long long)classes);
    ValueId all = emit_const(c, type_make(strings ? DT_STRING : DT_I64, 1, &classes),
                             arena_copy(c->arena, labels, n * sizeof *labels));
    return finish(c, 0, OP_Gather, IN(all, index), ATTRS(ATTR_I("axis", 0)));
}

ValueId best_class(OnnxNode *c, ValueId scores)
{
    return emit(c, OP_ArgMax, IN(scores),
                ATTRS(ATTR_I("axis", 1), ATTR_I("keepdims", 0), ATTR_I("select_last_index", 0)));
}

/* X · coefficientsᵀ + intercepts: [rows, targets] */
static ValueId linear(OnnxNode *c, int64_t targets)
{
    size_t n, n_intercepts;
    const double *w = get_floats(c, "coefficients", &n);
    const double *b = get_floats(c, "intercepts", &n_intercepts);
    ValueId x = feature_rows(c, 0);
    const int64_t features = value_type(c, x).dims[1];
    if (!w || targets < 1 || (int64_t)n / targets != features || (int64_t)n % targets ||
        (b && (int64_t)n_intercepts != targets))
        return refuse_value(c, "%zu coefficients do not belong to %lld features and %lld targets",
                            n, (long long)features, (long long)targets);
    ValueId bias = b ? const_floats(c, b, 1, (int64_t[]){targets}) : NO_VALUE;
    return emit(
        c, OP_Gemm, IN(x, const_floats(c, w, 2, (int64_t[]){targets, features}), bias),
        ATTRS(ATTR_F("alpha", 1), ATTR_F("beta", 1), ATTR_I("transA", 0), ATTR_I("transB", 1)));
}

bool norm_linear_regressor(OnnxNode *c)
{
    return alias(c, 0, post_transform(c, linear(c, get_int(c, "targets", 1))));
}

/* One score stands for two classes: the second one's. */
bool norm_linear_classifier(OnnxNode *c)
{
    size_t classes = 0, labels = 0, n;
    const Onnx__AttributeProto *strings = onnx_attr(c, "classlabels_strings");
    get_floats(c, "intercepts", &classes);
    get_floats(c, "coefficients", &n);
    get_ints(c, "classlabels_ints", &labels);
    labels = labels ? labels : strings ? strings->n_strings : 0;
    const int64_t features = value_type(c, feature_rows(c, 0)).dims[1];
    if (classes == 0 && features > 0)
        classes = n / (size_t)features;
    ValueId s = linear(c, (int64_t)classes);
    if (classes != 1)
        return finish_label(c, best_class(c, s), (int64_t)classes) &&
               alias(c, 1, post_transform(c, s));
    if (labels != 2)
        return refuse_onnx(c, "has one score for %zu classes", labels);
    const bool logistic = !strcmp(get_string(c, "post_transform", "NONE"), "LOGISTIC");
    ValueId positive = emit(c, OP_Greater, IN(s, const_scalar(c, DT_F32, 0)), NULL);
    positive = squeeze(c, cast(c, positive, DT_I64), 1);
    if (!logistic && strcmp(get_string(c, "post_transform", "NONE"), "NONE"))
        return refuse_onnx(c, "this post_transform of one score is not supported");
    s = logistic ? emit(c, OP_Sigmoid, IN(s), NULL) : s;
    ValueId other = sub(c, const_scalar(c, DT_F32, 1), s);
    return finish_label(c, positive, 2) &&
           alias(c, 1, emit(c, OP_Concat, IN(other, s), ATTRS(ATTR_I("axis", 1))));
}

/* A list of one number, or of one for each feature; NO_VALUE where there is none. */
static ValueId per_feature(OnnxNode *c, const char *name, int64_t features)
{
    size_t n;
    const double *v = get_floats(c, name, &n);
    if (failed(c) || !v || n == 0)
        return NO_VALUE;
    if (n != 1 && (int64_t)n != features)
        return refuse_value(c, "%s has %zu numbers for %lld features", name, n,
                            (long long)features);
    return const_floats(c, v, 1, (int64_t[]){(int64_t)n});
}

bool norm_scaler(OnnxNode *c)
{
    const TensorType t = *type_in(c, 0);
    const int64_t features = t.rank ? t.dims[t.rank - 1] : 1;
    ValueId offset = per_feature(c, "offset", features), scale = per_feature(c, "scale", features);
    ValueId v = cast(c, in_at(c, 0), DT_F32);
    v = has_value(offset) ? sub(c, v, offset) : v;
    return alias(c, 0, has_value(scale) ? mul(c, v, scale) : v);
}

/* Rows divided by their norm, except where that is 0. */
bool norm_normalizer(OnnxNode *c)
{
    const char *norm = get_string(c, "norm", "MAX");
    const Op op = !strcmp(norm, "L1")   ? OP_ReduceL1
                  : !strcmp(norm, "L2") ? OP_ReduceL2
                                        : OP_ReduceMax;
    if (op == OP_ReduceMax && strcmp(norm, "MAX"))
        return refuse_onnx(c, "norm '%s' is unknown", norm);
    ValueId x = feature_rows(c, 0);
    ValueId d = reduce(c, op, x, (int64_t[]){1}, 1, true), zero = const_scalar(c, DT_F32, 0);
    ValueId is_zero = emit(c, OP_Equal, IN(d, zero), NULL);
    d = emit(c, OP_Where, IN(is_zero, const_scalar(c, DT_F32, 1), d), NULL);
    return alias(c, 0, divide(c, x, d));
}

bool norm_binarizer(OnnxNode *c)
{
    const DType type = type_in(c, 0)->dtype;
    ValueId threshold = const_scalar(c, type, get_float(c, "threshold", 0));
    return alias(c, 0, cast(c, emit(c, OP_Greater, IN(in_at(c, 0), threshold), NULL), type));
}

/* Puts numbers in the place of what is missing: one value, or NaN. */
bool norm_imputer(OnnxNode *c)
{
    const TensorType t = *type_in(c, 0);
    const double missing = get_float(c, "replaced_value_float", 0);
    if (!dtype_is_float(t.dtype) || t.rank < 1)
        return refuse_onnx(c, "it is supported for floats only");
    ValueId with = per_feature(c, "imputed_value_floats", t.dims[t.rank - 1]);
    if (failed(c) || !has_value(with))
        return refuse_onnx(c, "imputed_value_floats is missing");
    ValueId hole = isnan(missing) ? emit(c, OP_IsNaN, IN(in_at(c, 0)), NULL)
                                  : emit(c, OP_Equal,
                                         IN(in_at(c, 0), const_scalar(c, t.dtype, missing)), NULL);
    return finish(c, 0, OP_Where, IN(hole, cast(c, with, t.dtype), in_at(c, 0)), NULL);
}

/* Columns Y of X; a list of features counts as one row. */
bool norm_array_feature_extractor(OnnxNode *c)
{
    const TensorType t = *type_in(c, 0), at = *type_in(c, 1);
    ValueId x = t.rank == 1 ? unsqueeze(c, in_at(c, 0), 0) : in_at(c, 0);
    if (failed(c) || t.rank < 1 || type_count(&at) < 1)
        return refuse_onnx(c, "its inputs do not belong together");
    ValueId index = reshape(c, in_at(c, 1), 1, (int64_t[]){type_count(&at)});
    return finish(c, 0, OP_Gather, IN(x, index),
                  ATTRS(ATTR_I("axis", t.rank == 1 ? 1 : t.rank - 1)));
}

/* Each input's features, all dimensions but the first, are cut to as many as `inputdimensions` says, or filled up with zeros. */
bool norm_feature_vectorizer(OnnxNode *c)
{
    size_t n, n_in = 0;
    const int64_t *sizes = get_ints(c, "inputdimensions", &n);
    ValueId *in = ARENA_ARRAY(c->arena, ValueId, 2 * (size_t)c->n_in);
    if (sizes && n != c->n_in)
        return refuse_onnx(c, "has %zu inputdimensions for %u inputs", n, c->n_in);
    for (uint32_t k = 0; k < c->n_in && ok(c); k++) {
        TensorType t = *type_in(c, k);
        for (; t.rank > 2; t.rank--)
            t.dims[1] *= t.dims[t.rank - 1];
        ValueId v = t.rank == type_in(c, k)->rank
                        ? feature_rows(c, k)
                        : reshape(c, cast(c, in_at(c, k), DT_F32), 2, t.dims);
        t = failed(c) ? t : value_type(c, v);
        const int64_t more = sizes ? sizes[k] - t.dims[1] : 0;
        in[n_in++] = more < 0 ? slice_axis(c, v, 1, 0, sizes[k]) : v;
        t.dims[1] = more;
        if (more > 0)
            in[n_in++] = filled(c, t, const_scalar(c, DT_F32, 0));
    }
    return finish(c, 0, OP_Concat, in, n_in, ATTRS(ATTR_I("axis", 1)));
}

/* Where x is the k-th key: [x…, keys] */
static ValueId matches(OnnxNode *c, ValueId x, ValueId keys)
{
    return dtype_of(c, x) == DT_STRING
               ? strings_equal(c, x, keys, true)
               : emit(c, OP_Equal, IN(unsqueeze(c, x, value_type(c, x).rank), keys), NULL);
}

bool norm_one_hot_encoder(OnnxNode *c)
{
    size_t n;
    const int64_t *keys =
        has_strings(c, 0) ? get_strings(c, "cats_strings", &n) : get_ints(c, "cats_int64s", &n);
    if (!keys)
        return refuse_onnx(c, "it has no categories of its input's type");
    if (!get_int(c, "zeros", 1))
        return refuse_onnx(c, "zeros = 0 is not supported");
    const DType type = has_strings(c, 0) ? DT_STRING : DT_I64;
    ValueId all = emit_const(c, type_make(type, 1, (int64_t[]){(int64_t)n}), keys),
            x = type == DT_STRING ? in_at(c, 0) : cast(c, in_at(c, 0), DT_I64);
    return alias(c, 0, cast(c, matches(c, x, all), DT_F32));
}

/* --- look-ups: LabelEncoder and CategoryMapper ---------------------------------------------------------------------- */

/* `count` integers from 0 on. */
static ValueId first_integers(OnnxNode *c, size_t count)
{
    int64_t *v = ARENA_ARRAY(c->arena, int64_t, count + 1);
    for (size_t i = 0; i < count; i++)
        v[i] = (int64_t)i;
    return const_ints(c, v, count);
}

/* A list that is an attribute of one of several types: WHAT_strings, _int64s, _floats or _tensor. NO_VALUE: none of them is there. */
static ValueId list_of(OnnxNode *c, const char *what)
{
    size_t n;
    const char *const name = arena_printf(c->arena, "%s_", what);
    const Onnx__AttributeProto *tensor = onnx_attr(c, arena_printf(c->arena, "%stensor", name));
    const int64_t *strings = get_strings(c, arena_printf(c->arena, "%sstrings", name), &n);
    if (strings)
        return emit_const(c, type_make(DT_STRING, 1, (int64_t[]){(int64_t)n}), strings);
    const int64_t *ints = get_ints(c, arena_printf(c->arena, "%sint64s", name), &n);
    if (ints)
        return const_ints(c, ints, n);
    const double *floats = get_floats(c, arena_printf(c->arena, "%sfloats", name), &n);
    if (floats)
        return const_floats(c, floats, 1, (int64_t[]){(int64_t)n});
    Tensor t;
    if (failed(c) || !tensor || !tensor->t || !onnx_tensor(c->im, tensor->t, where_of(c), &t))
        return NO_VALUE;
    return emit_const(c, t.type, t.data);
}

/* What is given for a key that is not there, of this type. */
static ValueId missing_value(OnnxNode *c, DType type)
{
    const Onnx__AttributeProto *tensor = onnx_attr(c, "default_tensor");
    Tensor t;
    if (tensor && tensor->t) {
        if (!onnx_tensor(c->im, tensor->t, where_of(c), &t))
            return NO_VALUE;
        if (t.type.dtype != type || type_count(&t.type) != 1)
            return refuse_value(c, "default_tensor is not one value of the values' type");
        return emit_const(c, type_make(type, 0, NULL), t.data);
    }
    return type == DT_STRING      ? string_scalar(c, "default_string", "_Unused")
           : dtype_is_float(type) ? const_scalar(c, type, get_float(c, "default_float", -0.0))
                                  : const_integer(c, type, get_int(c, "default_int64", -1));
}

/* The value of the first key that is the element, for each of the input. */
static bool look_up(OnnxNode *c, ValueId keys, ValueId values)
{
    enum { COMPARED_MAX = 1 << 26 };
    const TensorType x = *type_in(c, 0), of = value_type(c, keys);
    const double n = (double)type_count(&of);
    if (failed(c) || !has_value(keys) || !has_value(values) || of.dtype != x.dtype)
        return refuse_onnx(c, "it has no keys of its input's type, or no values");
    if (n < 1 || n != (double)type_count(type_of(c->g, values)) || of.rank != 1 ||
        type_of(c->g, values)->rank != 1)
        return refuse_onnx(c, "its %.0f keys and their values do not belong together", n);
    if (n * (double)type_count(&x) > COMPARED_MAX)
        return refuse_onnx(c, "%.0f keys are too many for %s", n, type_text(c->arena, &x));
    for (int64_t i = 0; dtype_is_float(of.dtype) && i < of.dims[0]; i++)
        if (isnan(elem_f64(of.dtype, value_at(c->g, keys)->data, (size_t)i)))
            return refuse_onnx(c, "a key that is not a number is not supported");
    ValueId is = cast(c, matches(c, in_at(c, 0), keys), DT_U8);
    ValueId at =
        emit(c, OP_ArgMax, IN(is),
             ATTRS(ATTR_I("axis", x.rank), ATTR_I("keepdims", 0), ATTR_I("select_last_index", 0)));
    ValueId any = cast(c, reduce(c, OP_ReduceMax, is, (int64_t[]){x.rank}, 1, false), DT_BOOL);
    ValueId found = emit(c, OP_Gather, IN(values, at), ATTRS(ATTR_I("axis", 0)));
    return finish(c, 0, OP_Where, IN(any, found, missing_value(c, dtype_of(c, values))), NULL);
}

/* Before opset 2 of the domain: between strings and their places in a list. */
bool norm_label_encoder(OnnxNode *c)
{
    const ValueId classes = list_of(c, "classes");
    if (!has_value(classes))
        return ok(c) && look_up(c, list_of(c, "keys"), list_of(c, "values"));
    const ValueId places = first_integers(c, (size_t)type_count(type_of(c->g, classes)));
    return has_strings(c, 0) ? look_up(c, classes, places) : look_up(c, places, classes);
}

bool norm_category_mapper(OnnxNode *c)
{
    size_t n;
    const int64_t *ints = get_ints(c, "cats_int64s", &n);
    if (!ints || !has_attr(c, "cats_strings"))
        return refuse_onnx(c, "its categories are missing");
    const ValueId numbers = const_ints(c, ints, n), strings = list_of(c, "cats");
    return has_strings(c, 0) ? look_up(c, strings, numbers) : look_up(c, numbers, strings);
}

/* The classes of a ZipMap: n of them, and the first ones as text. */
static const char *classes_text(OnnxNode *c, size_t *n)
{
    enum { SAID = 8 };
    Text t = text_new(c->arena);
    const bool strings = has_attr(c, "classlabels_strings");
    const int64_t *labels =
        strings ? get_strings(c, "classlabels_strings", n) : get_ints(c, "classlabels_int64s", n);
    for (size_t i = 0; labels && i < *n && i < SAID; i++)
        if (strings)
            text_printf(&t, "%s'%.40s'", i ? ", " : "",
                        c_safe_text(c->arena, string_text(c->im, labels[i])));
        else
            text_printf(&t, "%s%lld", i ? ", " : "", (long long)labels[i]);
    text_puts(&t, *n > SAID ? ", ..." : "");
    return t.data;
}

/* A map for each row, from classes to scores. Their keys are always the same: the scores alone are an array. */
bool norm_zip_map(OnnxNode *c)
{
    size_t n;
    const char *classes = classes_text(c, &n);
    const ValueId scores = feature_rows(c, 0);
    if (failed(c))
        return false;
    if (n != (size_t)type_of(c->g, scores)->dims[1])
        return refuse_onnx(c, "has %zu labels for %lld scores", n,
                           (long long)type_of(c->g, scores)->dims[1]);
    if (c->im->options->notes)
        text_printf(c->im->options->notes,
                    "note: output '%s' is a sequence of maps in the model; here %s, a column for "
                    "each class: %s\n",
                    c->p->output[0], type_text(c->arena, type_of(c->g, scores)), classes);
    return alias(c, 0, scores);
}
