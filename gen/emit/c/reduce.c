/* Prints the ten reductions: kernel/reduce.c. */
#include "../../kernel/layers.h"
#include "copy.h"
#include "expr.h"
#include "nn.h"
#include "ops.h"

#include <inttypes.h>
#include <math.h>
#include <string.h>

typedef struct Reduce {
    CKernel *k;
    Op op;
    DType src;       /* the element type */
    const char *acc; /* the type of the accumulators */
    bool real;       /* they are floating point */
    bool f64;        /* … double */
    Loops *l;        /* operands dst, src; the kept dimensions stand before the reduced ones */
    int kept;
    int64_t group;
    Bindings *b;
} Reduce;

/* --- arithmetic ------------------------------------------------------------------------------------------------------ */

static bool is_order(Op op)
{
    return op == OP_ReduceMax || op == OP_ReduceMin;
}

static void choose_accumulator(Reduce *r)
{
    bool logs = r->op == OP_ReduceL2 || r->op == OP_ReduceLogSum || r->op == OP_ReduceLogSumExp;
    bool is_float = dtype_is_float(r->src);
    r->real = is_float || logs;
    r->f64 = r->src == DT_F64 || (!is_float && logs) || r->k->plan->in_double;
    if (r->real)
        r->acc = r->f64 ? "double" : "float";
    else if (is_order(r->op))
        r->acc = dtype_c(r->src);
    else if (r->op == OP_ReduceMean)
        r->acc = "uint64_t";
    else
        r->acc = dtype_size(r->src) == 8 ? "uint64_t" : "uint32_t";
}

static const char *initial(const Reduce *r)
{
    DType t = r->src;
    int bits = (int)dtype_size(t) * 8;
    uint64_t all = UINT64_MAX >> (64 - bits);
    if (!is_order(r->op))
        return r->op == OP_ReduceProd ? "1" : "0";
    if (r->real)
        return r->op == OP_ReduceMax ? "-INFINITY" : "INFINITY";
    if (t == DT_BOOL)
        return r->op == OP_ReduceMax ? "0" : "1";
    if (dtype_is_signed_int(t))
        return c_int_literal(
            r->k->arena, t, r->op == OP_ReduceMax ? -(int64_t)(all >> 1) - 1 : (int64_t)(all >> 1));
    return r->op == OP_ReduceMax ? "0" : c_int_literal(r->k->arena, t, (int64_t)all);
}

/* What element x, of the accumulator's type, makes of `acc`. */
static const char *update(const Reduce *r)
{
    switch (r->op) {
    case OP_ReduceL1:
        return !r->real ? "$acc$ + x" : r->f64 ? "$acc$ + fabs(x)" : "$acc$ + fabsf(x)";
    case OP_ReduceL2:
    case OP_ReduceSumSquare:
        return "$acc$ + x * x";
    case OP_ReduceProd:
        return "$acc$ * x";
    case OP_ReduceMax:
        return r->real ? "isnan(x) || x > $acc$ ? x : $acc$" : "x > $acc$ ? x : $acc$";
    case OP_ReduceMin:
        return r->real ? "isnan(x) || x < $acc$ ? x : $acc$" : "x < $acc$ ? x : $acc$";
    case OP_ReduceLogSumExp:
        return r->f64 ? "$acc$ + exp(x - $max$)" : "$acc$ + dnnlc_expf(x - $max$)";
    default:
        return "$acc$ + x";
    }
}

/* Two partial results as one. */
static const char *merge(const Reduce *r)
{
    if (is_order(r->op))
        return c_combine(r->k->arena, r->real ? (r->f64 ? DT_F64 : DT_F32) : r->src,
                         r->op == OP_ReduceMax ? '>' : '<', "$a$", "$b$");
    return r->op == OP_ReduceProd ? "$a$ * $b$" : "$a$ + $b$";
}

/* The result, from the accumulator. */
static const char *result(const Reduce *r)
{
    switch (r->op) {
    case OP_ReduceL2:
        return r->f64 ? "sqrt($acc$)" : "sqrtf($acc$)";
    case OP_ReduceLogSum:
        return r->f64 ? "log($acc$)" : "logf($acc$)";
    case OP_ReduceLogSumExp:
        return r->f64 ? "$max$ + log($acc$)" : "$max$ + logf($acc$)";
    case OP_ReduceMean:
        return arena_printf(r->k->arena,
                            dtype_is_signed_int(r->src) ? "(int64_t)$acc$ / %" PRId64
                                                        : "$acc$ / %" PRId64,
                            r->group);
    default:
        return "$acc$";
    }
}

/* One pass over the elements; LogSumExp makes another one before it, for the maximum. `at` picks one of several accumulators. */
static void bind_passes(const Reduce *r, const char *acc, const char *at)
{
    Bindings *b = r->b, *pass;
    if (r->op == OP_ReduceLogSumExp) {
        if (!r->f64)
            c_need(r->k, CH_EXP);
        pass = bind_row(b, "passes");
        bind(pass, "is_max", "1");
        bind(pass, "total", "max");
        bind(pass, "acc", *at ? "max" : "maxima");
        bind(pass, "initial", "-INFINITY");
        bind_macro(pass, "update", "acc", "isnan(x) || x > $acc$ ? x : $acc$");
        bind_macro(pass, "merge", "a, b",
                   c_combine(r->k->arena, r->f64 ? DT_F64 : DT_F32, '>', "$a$", "$b$"));
        bind_macro(pass, "finite", "acc",
                   r->f64 ? "fabs($acc$) < INFINITY ? $acc$ : 0"
                          : "fabsf($acc$) < INFINITY ? $acc$ : 0");
    }
    pass = bind_row(b, "passes");
    bind(pass, "is_max", "0");
    bind(pass, "total", "total");
    bind(pass, "acc", "%s", acc);
    bind(pass, "initial", "%s", initial(r));
    bind_macro(pass, "update", "acc", update(r));
    bind_macro(pass, "merge", "a, b", merge(r));
    bind(b, "max", "max%s", at);
}

/* The absolute value of a signed integer is taken where it is read; the real result of an integer reduction becomes one again. */
static void bind_elements(const Reduce *r)
{
    const bool magnitude = r->op == OP_ReduceL1 && dtype_is_signed_int(r->src);
    nn_type_in(r->k, r->b, "x", r->src, r->acc);
    bind_macro(r->b, "load", "element",
               magnitude ? "$element$ < 0 ? 0 - ($A_x$)$element$ : ($A_x$)$element$"
                         : "$ld_x$($element$)");
    bind_macro(r->b, "value", "acc", result(r));
    bind_int(r->b, "is_integer", r->real && !dtype_is_float(r->src));
    if (r->real && !dtype_is_float(r->src))
        bind_macro(r->b, "to_integer", "v", c_real_to_int(r->k, DT_F64, r->src, "$v$"));
}

/* --- groups whose elements are neighbours ------------------------------------------------------------------------------ */

/* Long rows in partial results, and very long ones in pieces. */
static void bind_row_loops(const Reduce *r, int64_t n, int64_t stride)
{
    const int64_t lanes = r->k->plan->lanes, piece = r->k->plan->summed;
    Bindings *b = r->b;
    bind_int(b, "n", n);
    bind_int(b, "stride", stride);
    bind_int(b, "partial", lanes > 1);
    bind_int(b, "in_pieces", piece);
    bind_int(b, "lanes", lanes);
    bind_int(b, "half", lanes / 2);
    bind_int(b, "row", piece);
    bind_int(b, "rest", n % lanes);
    bind_list(b, "pieces", "");
    if (piece) {
        bind_row(b, "pieces");
        bind(b, "first", "b");
        bind(b, "last", "end");
        bind(b, "whole", "end - end %% %" PRId64, lanes);
        bind(b, "piece_end",
             n % piece ? "b + %" PRId64 " < %" PRId64 " ? b + %" PRId64 " : %" PRId64
                       : "b + %" PRId64,
             piece, n, piece, n);
    } else {
        bind(b, "first", "0");
        bind_int(b, "last", n);
        bind_int(b, "whole", n - n % lanes);
    }
}

static const char *join(Arena *arena, const char *a, const char *b)
{
    if (!strcmp(a, "0"))
        return b;
    return strcmp(b, "0") ? arena_printf(arena, "%s + %s", a, b) : a;
}

static void reduce_rows(const Reduce *r)
{
    const Loops *l = r->l;
    const int last = l->rank > r->kept ? l->rank - 1 : l->rank; /* the dimension of rows, if any */
    loops_bind(r->b, "kept", l, 0, r->kept);
    loops_bind(r->b, "reduced", l, r->kept, last);
    bind_row_loops(r, last < l->rank ? l->dims[last] : 1, last < l->rank ? l->stride[1][last] : 1);
    bind(r->b, "base", "%s",
         join(r->k->arena, loops_index(l, 1, 0, r->kept),
              r->kept < last ? loops_index(l, 1, r->kept, last) : "0"));
    bind(r->b, "at_dst", "%s", loops_index(l, 0, 0, r->kept));
    bind_passes(r, "acc", "");
    nn_render(r->k, "c/reduce_rows.c", r->b);
}

/* --- results that are neighbours ------------------------------------------------------------------------------------------ */

static const char *strided(Arena *arena, const char *index, int64_t stride)
{
    return stride == 1 ? index : arena_printf(arena, "(%s) * %" PRId64, index, stride);
}

/* Element c + j of operand o along the last kept dimension, `c`. */
static const char *in_piece(const Reduce *r, int o, int c, const char *reduced)
{
    Arena *arena = r->k->arena;
    const char *outer = join(arena, c > 0 ? loops_index(r->l, o, 0, c) : "0", reduced);
    return join(arena, outer, strided(arena, "c + j", r->l->stride[o][c]));
}

static void reduce_columns(const Reduce *r)
{
    const Loops *l = r->l;
    const int c = r->kept - 1;
    const int64_t n = l->dims[c], width = r->k->plan->width;
    loops_bind(r->b, "kept", l, 0, c);
    loops_bind(r->b, "reduced", l, r->kept, l->rank);
    bind_int(r->b, "size", n);
    bind_int(r->b, "piece", width);
    if (n % width == 0 || n < width)
        bind_int(r->b, "n", n < width ? n : width);
    else
        bind(r->b, "n", "%" PRId64 " - c < %" PRId64 " ? %" PRId64 " - c : %" PRId64, n, width, n,
             width);
    bind(r->b, "at_src", "%s",
         in_piece(r, 1, c, r->kept < l->rank ? loops_index(l, 1, r->kept, l->rank) : "0"));
    bind(r->b, "at_dst", "%s", in_piece(r, 0, c, "0"));
    bind_passes(r, "acc", "[j]");
    nn_render(r->k, "c/reduce_columns.c", r->b);
}

/* --- all of them ------------------------------------------------------------------------------------------------------- */

/* Nothing to reduce: every result is what reduces nothing. */
static void write_neutral(const Reduce *r)
{
    DType t = r->src;
    double v = r->op == OP_ReduceProd                                    ? 1
               : r->op == OP_ReduceLogSum || r->op == OP_ReduceLogSumExp ? -INFINITY
               : r->op == OP_ReduceMean && dtype_is_float(t)             ? NAN
                                                                         : 0;
    const char *value = is_order(r->op) && t != DT_F16 && t != DT_BF16
                            ? initial(r)
                            : c_element_literal(r->k->arena, t,
                                                r->op == OP_ReduceMax   ? -INFINITY
                                                : r->op == OP_ReduceMin ? INFINITY
                                                                        : v);
    bind(bind_row(r->b, "unused"), "operand", "src0");
    bind_int(r->b, "size", type_count(&c_out(r->k, 0)->type));
    bind(r->b, "value", "%s", value);
    nn_render(r->k, "c/fill.c", r->b);
}

bool emit_c_reduce(CKernel *k)
{
    Reduce r = {.k = k, .op = k->node->op, .src = c_in(k, 0)->type.dtype};
    if (nn_emit_empty(k))
        return true;
    const ReduceLoops loops = reduce_loops_of(k->program, k->step);
    r.l = loops.loops;
    r.kept = loops.kept;
    r.group = loops.group;
    r.l->shared = k->shared ? 0 : -1;
    r.b = nn_bindings(k);
    choose_accumulator(&r);
    if (k->plan->variant == C_reduce_none) {
        write_neutral(&r);
        return true;
    }
    bind_elements(&r);
    if (k->plan->variant == C_reduce_columns)
        reduce_columns(&r);
    else
        reduce_rows(&r);
    return true;
}
