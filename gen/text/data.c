/* Contents of constants in text IR. */
#include "data.h"

#include "../base/random.h"

#include <math.h>
#include <string.h>

/* The documented generator: element i of a tensor filled by random(seed, scale). */
static double random_element(uint64_t seed, double scale, size_t i)
{
    return scale * (2 * random_fraction(seed, i) - 1);
}

/* Doubles outside the integer's range are brought inside first: the conversion would be undefined.
 */
static int64_t clamped(double v)
{
    if (isnan(v))
        return 0;
    return v >= 0x1p62 ? INT64_C(1) << 62 : v <= -0x1p62 ? -(INT64_C(1) << 62) : (int64_t)v;
}

void fill_random(const TensorType *t, void *data, uint64_t seed, double scale)
{
    size_t n = (size_t)type_count(t);
    for (size_t i = 0; i < n; i++) {
        if (dtype_is_float(t->dtype))
            elem_set_f64(t->dtype, data, i, random_element(seed, scale, i));
        else if (t->dtype == DT_BOOL)
            elem_set_i64(t->dtype, data, i, random_element(seed, 1, i) < 0);
        else
            elem_set_i64(t->dtype, data, i, clamped(random_element(seed, scale, i)));
    }
}

static bool set_element(Lex *l, const TensorType *t, void *data, size_t i, const LexNumber *n)
{
    if (dtype_is_float(t->dtype))
        elem_set_f64(t->dtype, data, i, n->f);
    else if (n->is_int)
        elem_set_i64(t->dtype, data, i, n->i);
    else
        return lex_refuse(l, "an integer is expected in a constant of type %s",
                          dtype_name(t->dtype));
    return true;
}

static bool parse_list(Lex *l, const TensorType *t, void **data)
{
    size_t n = (size_t)type_count(t);
    /* An element takes a character at least, so that the text bounds the memory. */
    if (n > (size_t)(l->end - l->p))
        return lex_refuse(l, "%zu elements are expected", n);
    *data = arena_alloc(l->arena, type_bytes(t));
    for (size_t i = 0; i < n; i++) {
        LexNumber number;
        if ((i && !lex_expect(l, ',')) || !lex_number(l, &number) ||
            !set_element(l, t, *data, i, &number))
            return false;
    }
    return lex_expect(l, ']');
}

static bool allocate(Lex *l, const TensorType *t, size_t *budget, void **data)
{
    if (type_bytes(t) > *budget)
        return lex_refuse(l, "the generated constants of this text are too large");
    *budget -= type_bytes(t);
    *data = arena_alloc(l->arena, type_bytes(t));
    return true;
}

static bool parse_splat(Lex *l, const TensorType *t, size_t *budget, void **data)
{
    LexNumber number;
    if (!lex_expect(l, '(') || !lex_number(l, &number) || !lex_expect(l, ')') ||
        !allocate(l, t, budget, data))
        return false;
    size_t n = (size_t)type_count(t), size = dtype_size(t->dtype);
    if (n == 0)
        return true;
    if (!set_element(l, t, *data, 0, &number))
        return false;
    for (size_t i = 1; i < n; i++)
        memcpy((char *)*data + i * size, *data, size);
    return true;
}

static bool parse_random(Lex *l, const TensorType *t, size_t *budget, void **data)
{
    int64_t seed;
    LexNumber scale;
    if (!lex_expect(l, '(') || !lex_expect_word(l, "seed") || !lex_expect(l, '=') ||
        !lex_int(l, &seed) || !lex_expect(l, ',') || !lex_expect_word(l, "scale") ||
        !lex_expect(l, '=') || !lex_number(l, &scale) || !lex_expect(l, ')') ||
        !allocate(l, t, budget, data))
        return false;
    fill_random(t, *data, (uint64_t)seed, scale.f);
    return true;
}

bool parse_data(Lex *l, const TensorType *t, size_t *budget, const void **data)
{
    void *d = NULL;
    bool good;
    if (lex_accept(l, '['))
        good = parse_list(l, t, &d);
    else if (lex_accept_word(l, "splat"))
        good = parse_splat(l, t, budget, &d);
    else if (lex_accept_word(l, "random"))
        good = parse_random(l, t, budget, &d);
    else if (lex_accept_word(l, "elided"))
        good = lex_refuse(l, "the contents of this constant were elided when it was printed");
    else if (!lex_expect_word(l, "hex"))
        good = false;
    else if (type_bytes(t) > (size_t)(l->end - l->p))
        good = lex_refuse(l, "%zu bytes are expected", type_bytes(t));
    else {
        d = arena_alloc(l->arena, type_bytes(t));
        good = lex_hex(l, d, type_bytes(t));
    }
    *data = d;
    return good;
}
