/* The elementwise rows of ops.def as functions: their text is compiled for double (all floats) and for
 * int64 (bool and integers). Rows for floats only are refused for integers by the shape functions; here they
 * merely compile. */
#include "eltwise.h"

#include <math.h>

#define A(name) (a->name)
#define K(constant) (constant)

#define CASE(nm, ...)                                                                              \
    case OP_##nm:                                                                                  \
        for (size_t i = 0; i < count; i++) {                                                       \
            const NUMBER x = xs[i], y = ys[i];                                                     \
            (void)x, (void)y;                                                                      \
            r[i] = (NUMBER)(__VA_ARGS__);                                                          \
        }                                                                                          \
        break;

#define NUMBER double
#define F(function) function
void compute_f64(Op op, const ParamsF64 *a, const double *xs, const double *ys, double *r,
                 size_t count)
{
    switch (op) {
#define OP_EXPR(nm, types, ...) types(nm, __VA_ARGS__)
#define BOTH(nm, ...) CASE(nm, __VA_ARGS__)
#define INTEGERS(nm, ...)
#include "../ops/ops.def"
    default:
        bug("%s is not an elementwise op for floats", op_info(op)->name);
    }
}
#undef NUMBER
#undef F
#undef BOTH
#undef INTEGERS

/* Stands for the functions of math.h, which no expression that takes integers calls. */
static _Noreturn double not_for_integers(double x, ...)
{
    bug("a function of floats applied to the integer %g", x);
}

#define NUMBER int64_t
#define F(function) not_for_integers
void compute_i64(Op op, const ParamsI64 *a, const int64_t *xs, const int64_t *ys, int64_t *r,
                 size_t count)
{
    switch (op) {
#define OP_EXPR(nm, types, ...) CASE(nm, __VA_ARGS__)
#include "../ops/ops.def"
    default:
        bug("%s is not an elementwise op", op_info(op)->name);
    }
}
