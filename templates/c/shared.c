/* Apache-2.0. A kernel whose outermost loop is shared between threads: each takes a part of it. */
#include <stddef.h>
static void sample_part(const float *src0, float *dst0, const size_t from, const size_t to)
{
    *dst0 = *src0 + from + to;
}
#define $fn$ sample
#define $fn$_part sample_part
#define $params$(x) x
#define $args$(x) src0, x
#define $param$ const float *src0, float *dst0
#define $arg$ dst0
#define $parts$ 2
#define $all$ 8
//@begin

/* The same, shared between threads. */
void $fn$($params$($param$))
{
    enum { PARTS = $parts$, ALL = $all$ };
#ifdef _OPENMP
#pragma omp parallel for schedule(static)
#endif
    for (size_t part = 0; part < PARTS; part++)
        $fn$_part($args$($arg$), part * ALL / PARTS, (part + 1) * ALL / PARTS);
}
