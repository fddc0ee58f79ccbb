/* Quotients by a scale that are then rounded to whole numbers and limited, as QuantizeLinear does it, without a division: x / s becomes
 * x * inverse + x * rest, one product and one fused multiply-add, where inverse + rest is 1 / s to twice the digits of an f32. Both are positive, so
 * that both forms, rounded, are functions of x that never fall; two of these are the same if each of their steps is at the same x, and there are no more
 * steps than whole numbers within the limits. All of them are looked at. */
#include "kernel.h"

#include <float.h>
#include <math.h>

enum { MOST_STEPS = 1 << 17 };

static const float least_scale = 0x1p-60f, most_scale = 0x1p60f;

/* As templates/c/quotient.c has it. */
static float by_product(float x, float s)
{
    const float nearest = 1.0f / s,
                inverse = fmaf(-nearest, s, 1.0f) < 0 ? nextafterf(nearest, 0) : nearest;
    return fmaf(x, inverse, x * (fmaf(-inverse, s, 1.0f) / s + FLT_MIN));
}

/* The least x that comes out above `whole` by division does so by products, and the x below it does not. */
static bool same_step(float s, double whole)
{
    float x = (float)((whole + 0.5) * (double)s);
    while ((double)rintf(x / s) > whole)
        x = nextafterf(x, -INFINITY);
    while ((double)rintf(x / s) <= whole)
        x = nextafterf(x, INFINITY);
    return (double)rintf(by_product(x, s)) > whole &&
           (double)rintf(by_product(nextafterf(x, -INFINITY), s)) <= whole;
}

bool c_quotient_is_product(double scale, double low, double high)
{
    if (!(scale >= (double)least_scale && scale <= (double)most_scale) || rint(low) != low ||
        rint(high) != high || !(fabs(low) + fabs(high) <= MOST_STEPS))
        return false;
    for (double whole = low; whole < high; whole++)
        if (!same_step((float)scale, whole))
            return false;
    return true;
}

bool c_limits_by_bits(double low, double high)
{
    return isfinite(low) && isfinite(high) && low <= high && high >= 0 && !signbit(high) &&
           (low < 0 || !signbit(low));
}
