/* Integer arithmetic of the elementwise operators where C's would overflow, trap or compare wrongly. Values are
 * int64; the store that follows keeps the low bits, so wrapping modulo 2^64 wraps modulo 2^n. */
#include "eltwise.h"

#include <math.h>

static int64_t wrap(uint64_t v)
{
    return (int64_t)v;
}

/* Truncates; x / 0 is 0, and INT64_MIN / -1 wraps. */
static int64_t int_div(int64_t x, int64_t y)
{
    if (y == 0)
        return 0;
    return y == -1 ? wrap(0 - (uint64_t)x) : x / y;
}

/* The sign of the dividend; x mod 0 is 0. */
static int64_t int_rem(int64_t x, int64_t y)
{
    return y == 0 || y == -1 ? 0 : x % y;
}

/* The sign of the divisor. */
static int64_t int_mod(int64_t x, int64_t y)
{
    int64_t r = int_rem(x, y);
    return r != 0 && (r < 0) != (y < 0) ? r + y : r;
}

static int64_t int_pow(int64_t x, uint64_t y)
{
    uint64_t r = 1;
    for (uint64_t square = (uint64_t)x; y > 0; y >>= 1, square *= square)
        if (y & 1)
            r *= square;
    return wrap(r);
}

/* x to the power of a negative y: a fraction, truncated. */
static int64_t int_root(int64_t x, int64_t y)
{
    if (x == 1)
        return 1;
    return x == -1 ? (y & 1 ? -1 : 1) : 0;
}

static int64_t shift(int64_t x, int64_t y, bool left, int bits)
{
    if ((uint64_t)y >= (uint64_t)bits)
        return 0;
    return left ? wrap((uint64_t)x << y) : wrap((uint64_t)x >> y);
}

/* The product of two f32 is exact as a double. */
static int64_t requantized(int64_t x, int64_t bits)
{
    const int64_t fraction = bits & 0x7fffff, exponent = bits >> 23 & 0xff;
    const double scale = ldexp((double)(fraction | 0x800000), (int)exponent - 150);
    const double r = rint((double)(float)((double)(float)x * scale));
    return r >= INT32_MAX ? INT32_MAX : r <= INT32_MIN ? INT32_MIN : (int64_t)r;
}

static bool is_less(DType t, int64_t x, int64_t y)
{
    return t == DT_U64 ? (uint64_t)x < (uint64_t)y : x < y;
}

static int64_t quotient(DType t, int64_t x, int64_t y)
{
    return t != DT_U64 ? int_div(x, y) : y ? wrap((uint64_t)x / (uint64_t)y) : 0;
}

/* The largest whole number whose square is not more than x; 0 of what is negative. */
static int64_t root(DType t, int64_t x)
{
    uint64_t r = 0;
    if (t != DT_U64 && x < 0)
        return 0;
    for (uint64_t bit = UINT64_C(1) << 31; bit; bit >>= 1)
        if ((r | bit) * (r | bit) <= (uint64_t)x)
            r |= bit;
    return wrap(r);
}

static int64_t modulo(DType t, bool c_rem, int64_t x, int64_t y)
{
    if (t == DT_U64)
        return y ? wrap((uint64_t)x % (uint64_t)y) : 0;
    return c_rem ? int_rem(x, y) : int_mod(x, y);
}

static int64_t power(DType t, DType y_type, int64_t x, int64_t y)
{
    if (y >= 0 || y_type == DT_U64)
        return int_pow(x, (uint64_t)y);
    return t == DT_U64 && x < 0 ? 0 : int_root(x, y);
}

/* --- the column `integers` of ops.def: operands and result of type t -------------------------------------------------- */

typedef void IntegerFn(const ParamsI64 *a, DType t, DType y_type, const int64_t *xs,
                       const int64_t *ys, int64_t *r, size_t count);

#define U(v) ((uint64_t)(v))
#define INTEGER(name, expression)                                                                  \
    static void integer_##name(const ParamsI64 *a, DType t, DType y_type, const int64_t *xs,       \
                               const int64_t *ys, int64_t *r, size_t count)                        \
    {                                                                                              \
        (void)a, (void)t, (void)y_type;                                                            \
        for (size_t i = 0; i < count; i++) {                                                       \
            const int64_t x = xs[i], y = ys[i];                                                    \
            (void)y;                                                                               \
            r[i] = (expression);                                                                   \
        }                                                                                          \
    }

INTEGER(abs, is_less(t, x, 0) ? wrap(0 - U(x)) : x)
INTEGER(neg, wrap(0 - U(x)))
INTEGER(sign, is_less(t, x, 0) ? -1 : x != 0)
INTEGER(clip, is_less(t, x, a->min) ? a->min : is_less(t, a->max, x) ? a->max : x)
INTEGER(add, wrap(U(x) + U(y)))
INTEGER(sub, wrap(U(x) - U(y)))
INTEGER(mul, wrap(U(x) * U(y)))
INTEGER(prelu, is_less(t, x, 0) ? wrap(U(x) * U(y)) : x)
INTEGER(div, quotient(t, x, y))
INTEGER(mod, modulo(t, a->c_rem, x, y))
INTEGER(pow, power(t, y_type, x, y))
INTEGER(requantize, requantized(x, y))
INTEGER(root, root(t, x))
INTEGER(shift, shift(x, y, a->left, (int)dtype_size(t) * 8))
INTEGER(max, is_less(t, y, x) ? x : y)
INTEGER(min, is_less(t, x, y) ? x : y)
INTEGER(gt, is_less(t, y, x))
INTEGER(ge, !is_less(t, x, y))
INTEGER(lt, is_less(t, x, y))
INTEGER(le, !is_less(t, y, x))

static IntegerFn *const functions[OP_COUNT] = {
#define integer_none NULL
#define integer_plain NULL
#define OP_INTEGERS(nm, integers) [OP_##nm] = integer_##integers,
#include "../ops/ops.def"
};

bool compute_integer(Op op, const ParamsI64 *a, DType t, DType y_type, const int64_t *xs,
                     const int64_t *ys, int64_t *r, size_t count)
{
    if (!functions[op])
        return false;
    functions[op](a, t, y_type, xs, ys, r, count);
    return true;
}
