/* Random operators that have a seed: what they give is a constant. Element i is made from output i + 1 of splitmix64 (two for normal numbers, by Box and
 * Muller) started at the bits of the seed, an f32; its upper 53 bits are a fraction from 0 to 1. Without a seed they are refused: nothing
 * that is emitted is random. */
#include "../base/random.h"
#include "table.h"

#include <math.h>

static double normal(uint64_t seed, uint64_t i)
{
    const double turn = 6.283185307179586476925;
    return sqrt(-2 * log(1 - random_fraction(seed, 2 * i))) *
           cos(turn * random_fraction(seed, 2 * i + 1));
}

static bool seed_of(OnnxNode *c, uint64_t *seed)
{
    const float given = (float)get_float(c, "seed", 0);
    uint32_t bits;
    memcpy(&bits, &given, sizeof bits);
    *seed = bits;
    return has_attr(c, "seed") ||
           refuse_onnx(c,
                       "is not supported without the attribute seed: its result would be random");
}

/* Numbers of the type: uniform from low to high, or normal with mean `low` and deviation `high`. */
static ValueId numbers(OnnxNode *c, TensorType t, bool is_normal, double low, double high)
{
    uint64_t seed;
    if (failed(c) || !seed_of(c, &seed))
        return NO_VALUE;
    if (!dtype_is_float(t.dtype) || !type_valid(&t) || type_count(&t) > MAKE_MAX)
        return refuse_value(c, "%s cannot be made here", type_text(c->arena, &t));
    if (!onnx_claim(c->im, type_bytes(&t)))
        return NO_VALUE;
    void *data = arena_alloc(c->arena, type_bytes(&t) + 1);
    for (uint64_t i = 0; i < (uint64_t)type_count(&t); i++)
        elem_set_f64(t.dtype, data, (size_t)i,
                     is_normal ? low + high * normal(seed, i)
                               : low + (high - low) * random_fraction(seed, i));
    return emit_const(c, t, data);
}

/* RandomNormal, RandomUniform, and these like input 0. */
bool norm_random(OnnxNode *c)
{
    const bool like = c->n_in == 1, is_normal = !strncmp(c->p->op_type, "RandomNormal", 12);
    TensorType t = {.dtype = DT_F32};
    DType dtype = like && dtype_is_float(type_in(c, 0)->dtype) ? type_in(c, 0)->dtype : DT_F32;
    if (has_attr(c, "dtype") &&
        !onnx_dtype(c->im, get_int(c, "dtype", DT_F32), where_of(c), &dtype))
        return false;
    if (like) {
        t = *type_in(c, 0);
        t.dtype = dtype;
    } else {
        size_t n;
        const int64_t *shape = get_ints(c, "shape", &n);
        if (!shape || n > MAX_RANK)
            return refuse_onnx(c, "attribute shape is missing or too long");
        t = type_make(dtype, (int)n, shape);
    }
    return alias(c, 0,
                 is_normal ? numbers(c, t, true, get_float(c, "mean", 0), get_float(c, "scale", 1))
                           : numbers(c, t, false, get_float(c, "low", 0), get_float(c, "high", 1)));
}

/* 1 with the probability that the input says, for each element. */
bool norm_bernoulli(OnnxNode *c)
{
    TensorType t = *type_in(c, 0);
    DType to;
    if (!onnx_dtype(c->im, get_int(c, "dtype", t.dtype), where_of(c), &to))
        return false;
    ValueId drawn = numbers(c, t, false, 0, 1);
    return alias(c, 0, cast(c, emit(c, OP_Less, IN(drawn, in_at(c, 0)), NULL), to));
}

/* Indices of classes, drawn with the probabilities whose logarithms are the input's rows, which need not add up to 1: how many of the sums of
 * the first 1, 2, … probabilities are no more than a random part of the whole. In f64, in which that part is always less than the whole. */
bool norm_multinomial(OnnxNode *c)
{
    enum { COMPARED_MAX = 1 << 26 };
    const TensorType t = *type_in(c, 0);
    const int64_t samples = get_int(c, "sample_size", 1), classes[] = {1}, sums[] = {2};
    DType to;
    if (!onnx_dtype(c->im, get_int(c, "dtype", DT_I32), where_of(c), &to))
        return false;
    if (t.rank != 2 || !dtype_is_float(t.dtype) || (to != DT_I32 && to != DT_I64) || samples < 1 ||
        (double)samples * (double)type_count(&t) > COMPARED_MAX || t.dims[1] < 1)
        return refuse_onnx(c, "%lld samples of %s are not supported", (long long)samples,
                           type_text(c->arena, &t));
    ValueId v = cast(c, in_at(c, 0), DT_F64);
    v = emit(c, OP_Exp, IN(sub(c, v, reduce(c, OP_ReduceMax, v, classes, 1, true))), NULL);
    v = emit(c, OP_CumSum, IN(v),
             ATTRS(ATTR_I("axis", 1), ATTR_I("exclusive", 0), ATTR_I("reverse", 0)));
    ValueId drawn = numbers(c, type_make(DT_F64, 2, (int64_t[]){t.dims[0], samples}), false, 0, 1);
    drawn = mul(c, drawn, slice_axis(c, v, 1, t.dims[1] - 1, 1));
    ValueId below = emit(c, OP_LessOrEqual, IN(unsqueeze(c, v, 1), unsqueeze(c, drawn, 2)), NULL);
    return alias(c, 0, reduce(c, OP_ReduceSum, cast(c, below, to), sums, 1, false));
}
