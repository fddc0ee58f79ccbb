#include "difference.h"

#include <inttypes.h>
#include <math.h>
#include <string.h>

/* Neighbouring numbers of a float type are neighbouring integers, also across 0. */
static int64_t in_order(int64_t bits, int sign)
{
    const int64_t magnitude = bits & (((int64_t)1 << sign) - 1);
    return bits >> sign & 1 ? -magnitude : magnitude;
}

static int64_t place_of(DType t, const void *data, size_t i)
{
    uint64_t bits = 0;
    if (!dtype_is_float(t))
        return elem_i64(t, data, i);
    const size_t size = dtype_size(t);
    memcpy(&bits, (const char *)data + i * size, size);
    if (t != DT_F64)
        return in_order((int64_t)bits, (int)size * 8 - 1);
    const int64_t magnitude = (int64_t)(bits & INT64_MAX);
    return bits >> 63 ? -magnitude : magnitude;
}

static int class_of(int64_t a, int64_t b)
{
    uint64_t d = a > b ? (uint64_t)a - (uint64_t)b : (uint64_t)b - (uint64_t)a;
    int class = 0;
    for (; d && class < ULP_CLASSES - 1; d >>= 1)
        class ++;
    return class;
}

const char *ulp_class_text(Arena *arena, int class)
{
    const int64_t from = class ? (int64_t)1 << (class - 1) : 0;
    return class < 2 ? arena_printf(arena, "%d", class)
           : class == ULP_CLASSES - 1
               ? arena_printf(arena, "%" PRId64 " or more", from)
               : arena_printf(arena, "%" PRId64 "-%" PRId64, from, 2 * from - 1);
}

const char *index_text(Arena *arena, const TensorType *type, int64_t i)
{
    int64_t at[MAX_RANK];
    Text t = text_new(arena);
    for (int k = type->rank - 1; k >= 0; k--) {
        at[k] = i % type->dims[k];
        i /= type->dims[k];
    }
    text_puts(&t, "[");
    for (int k = 0; k < type->rank; k++)
        text_printf(&t, "%s%" PRId64, k ? "," : "", at[k]);
    text_puts(&t, "]");
    return t.data;
}

size_t element_in(const TensorType *whole, const TensorType *part, int64_t i)
{
    int64_t at = 0, stride = 1;
    for (int k = part->rank - 1; k >= 0; k--) {
        at += i % part->dims[k] * stride;
        i /= part->dims[k];
        stride *= whole->dims[k];
    }
    return (size_t)at;
}

typedef struct Sums {
    double signal, noise;
} Sums;

static void add_element(Difference *d, Sums *sums, int64_t i, double reference, double got,
                        double allowed)
{
    const bool alike = isfinite(reference) && isfinite(got);
    const double apart = alike ? fabs(reference - got)
                         : isnan(reference) == isnan(got) && (isnan(got) || reference == got)
                             ? 0
                             : INFINITY;
    if (isfinite(reference))
        d->largest = fmax(d->largest, fabs(reference));
    if (alike) {
        sums->signal += reference * reference;
        sums->noise += apart * apart;
        if (reference != 0)
            d->relative = fmax(d->relative, apart / fabs(reference));
    }
    d->different += apart > 0;
    d->off += apart > allowed;
    if (apart > d->absolute || d->at < 0) {
        d->absolute = apart;
        d->at = i;
        d->reference = reference;
        d->got = got;
    }
}

Difference difference_of(const Tensor *reference, const Tensor *got, double allowed)
{
    const DType type = got->type.dtype;
    Difference d = {.at = -1, .elements = type_count(&got->type)};
    Sums sums = {0, 0};
    for (int64_t i = 0; i < d.elements; i++) {
        const size_t at = element_in(&reference->type, &got->type, i);
        add_element(&d, &sums, i, elem_f64(type, reference->data, at),
                    elem_f64(type, got->data, (size_t)i), allowed);
        d.ulps[class_of(place_of(type, reference->data, at),
                        place_of(type, got->data, (size_t)i))]++;
    }
    d.rms = isinf(d.absolute) ? INFINITY : d.elements ? sqrt(sums.noise / (double)d.elements) : 0;
    d.signal_ratio = isinf(d.absolute) ? -INFINITY
                     : sums.noise > 0  ? 10 * log10(sums.signal / sums.noise)
                                       : INFINITY;
    return d;
}
