/* Integer arithmetic of the elementwise operators where C's would overflow, trap or compare wrongly. Values are
 * int64; the store that follows keeps the low bits, so wrapping modulo 2^64 wraps modulo 2^n. */
#include "eltwise.h"

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

#define EACH(...)                                                                                  \
    for (size_t i = 0; i < count; i++) {                                                           \
        const int64_t x = xs[i], y = ys[i];                                                        \
        (void)x, (void)y;                                                                          \
        r[i] = (__VA_ARGS__);                                                                      \
    }                                                                                              \
    return true

/* Order, sign and division of u64. */
static bool compute_unsigned(Op op, const ParamsI64 *a, const int64_t *xs, const int64_t *ys,
                             int64_t *r, size_t count)
{
#define U(v) ((uint64_t)(v))
    switch (op) {
    case OP_Abs:
    case OP_PRelu:
        EACH(x);
    case OP_Sign:
        EACH(x != 0);
    case OP_Clip:
        EACH(U(x) < U(a->min) ? a->min : U(x) > U(a->max) ? a->max : x);
    case OP_Max:
        EACH(U(x) > U(y) ? x : y);
    case OP_Min:
        EACH(U(x) < U(y) ? x : y);
    case OP_Greater:
        EACH(U(x) > U(y));
    case OP_GreaterOrEqual:
        EACH(U(x) >= U(y));
    case OP_Less:
        EACH(U(x) < U(y));
    case OP_LessOrEqual:
        EACH(U(x) <= U(y));
    case OP_Div:
        EACH(y ? wrap(U(x) / U(y)) : 0);
    case OP_Mod:
        EACH(y ? wrap(U(x) % U(y)) : 0);
    default:
        return false;
    }
#undef U
}

bool compute_integer(Op op, const ParamsI64 *a, DType t, DType y_type, const int64_t *xs,
                     const int64_t *ys, int64_t *r, size_t count)
{
    int bits = (int)dtype_size(t) * 8;
    if (t == DT_U64 && compute_unsigned(op, a, xs, ys, r, count))
        return true;
    switch (op) {
    case OP_Abs:
        EACH(x < 0 ? wrap(0 - (uint64_t)x) : x);
    case OP_Neg:
        EACH(wrap(0 - (uint64_t)x));
    case OP_Add:
        EACH(wrap((uint64_t)x + (uint64_t)y));
    case OP_Sub:
        EACH(wrap((uint64_t)x - (uint64_t)y));
    case OP_Mul:
        EACH(wrap((uint64_t)x * (uint64_t)y));
    case OP_PRelu:
        EACH(x < 0 ? wrap((uint64_t)x * (uint64_t)y) : x);
    case OP_Div:
        EACH(int_div(x, y));
    case OP_Mod:
        if (a->c_rem) {
            EACH(int_rem(x, y));
        }
        EACH(int_mod(x, y));
    case OP_Pow:
        EACH(y < 0 && y_type != DT_U64 ? (t == DT_U64 && x < 0 ? 0 : int_root(x, y))
                                       : int_pow(x, (uint64_t)y));
    case OP_BitShift:
        EACH(shift(x, y, a->left, bits));
    default:
        return false;
    }
}
