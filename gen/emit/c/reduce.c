/* Prints the ten reductions: kernel/reduce.c. */
#include "../../kernel/layers.h"
#include "copy.h"
#include "expr.h"
#include "nn.h"
#include "ops.h"

#include <inttypes.h>
#include <math.h>
#include <string.h>

/* The accumulators' arithmetic. */
typedef enum Numbers { OF_INTEGERS, IN_F32, IN_F64 } Numbers;

/* The column `step` of ops.def: what element x, of the accumulator's type, makes of `acc`, and how partial results are merged (c_combine). */
typedef struct Adding {
    double start;
    char merge;
    const char *update[3]; /* by Numbers */
    bool magnitude;        /* of the absolute values */
    bool of_exp;           /* of functions of the difference to the maximum */
} Adding;
#define ALIKE(text) text, text, text
static const Adding step_sum = {0, '+', .update = {ALIKE("$acc$ + x")}};
static const Adding step_abs = {
    0, '+', .update = {"$acc$ + x", "$acc$ + fabsf(x)", "$acc$ + fabs(x)"}, .magnitude = true};
static const Adding step_square = {0, '+', .update = {ALIKE("$acc$ + x * x")}};
static const Adding step_exp = {
    0, '+', .update = {[IN_F32] = "$acc$ + dnnlc_expf(x - $max$)", "$acc$ + exp(x - $max$)"},
    .of_exp = true};
static const Adding step_product = {1, '*', .update = {ALIKE("$acc$ * x")}};
#define LARGER "x > $acc$ ? x : $acc$"
#define SMALLER "x < $acc$ ? x : $acc$"
#define NAN_OR(order) "isnan(x) || " order
static const Adding step_max = {-INFINITY, '>', .update = {LARGER, NAN_OR(LARGER), NAN_OR(LARGER)}};
static const Adding step_min = {INFINITY, '<',
                                .update = {SMALLER, NAN_OR(SMALLER), NAN_OR(SMALLER)}};

/* The column `end`: what becomes of the accumulator. */
typedef struct Ending {
    const char *result[3]; /* without that of integers they are computed as floats */
    bool mean, log;
} Ending;
static const Ending end_total = {.result = {ALIKE("$acc$")}};
static const Ending end_mean = {.result = {ALIKE("$acc$ / $group$")}, .mean = true};
static const Ending end_root = {.result = {[IN_F32] = "sqrtf($acc$)", "sqrt($acc$)"}};
static const Ending end_log = {.result = {[IN_F32] = "logf($acc$)", "log($acc$)"}, .log = true};
static const Ending end_log_exp = {
    .result = {[IN_F32] = "$max$ + logf($acc$)", "$max$ + log($acc$)"}, .log = true};

static const struct {
    const Adding *add;
    const Ending *end;
} reductions[OP_COUNT] = {
#define OP_REDUCTION(nm, step, end) [OP_##nm] = {&step_##step, &end_##end},
#include "../../ops/ops.def"
};

typedef struct Reduce {
    CKernel *k;
    const Adding *add;
    const Ending *end;
    DType src;       /* the element type */
    const char *acc; /* the type of the accumulators */
    Numbers numbers; /* … and what these are */
    Loops *l;        /* operands dst, src; the kept dimensions stand before the reduced ones */
    int kept;
    Bindings *b;
} Reduce;

/* --- arithmetic ------------------------------------------------------------------------------------------------------ */

static bool is_order(const Reduce *r)
{
    return isinf(r->add->start);
}

static void choose_accumulator(Reduce *r)
{
    bool is_float = dtype_is_float(r->src), real = is_float || !r->end->result[OF_INTEGERS];
    bool f64 = r->src == DT_F64 || (!is_float && real) || r->k->plan->in_double;
    r->numbers = !real ? OF_INTEGERS : f64 ? IN_F64 : IN_F32;
    if (real)
        r->acc = f64 ? "double" : "float";
    else if (is_order(r))
        r->acc = dtype_c(r->src);
    else
        r->acc = dtype_size(r->src) == 8 || r->end->mean ? "uint64_t" : "uint32_t";
}

static const char *initial(const Reduce *r)
{
    DType t = r->src;
    const bool max = r->add->start < 0;
    int bits = (int)dtype_size(t) * 8;
    uint64_t all = UINT64_MAX >> (64 - bits);
    if (!is_order(r))
        return r->add->start > 0 ? "1" : "0";
    if (r->numbers != OF_INTEGERS)
        return max ? "-INFINITY" : "INFINITY";
    if (t == DT_BOOL)
        return max ? "0" : "1";
    if (dtype_is_signed_int(t))
        return c_int_literal(r->k->arena, t, max ? -(int64_t)(all >> 1) - 1 : (int64_t)(all >> 1));
    return max ? "0" : c_int_literal(r->k->arena, t, (int64_t)all);
}

/* How partial results of type t are merged. Maxima of lanes are those of elements that are not NaN, of which there are flags, and begin
 * with the last elements of a row, whole vectors or not. */
static void bind_order(const Reduce *r, Bindings *pass, DType t, char merge, bool flags)
{
    Arena *arena = r->k->arena;
    bind_int(pass, "is_order", merge == '>' || merge == '<');
    bind(pass, "nan_flag", "%s", !flags ? "0" : r->numbers == IN_F64 ? "int64_t" : "int32_t");
    bind_macro(pass, "lane", "acc",
               flags ? arena_printf(arena, "x %c $acc$ ? x : $acc$", merge) : "$update$($acc$)");
    bind_macro(pass, "merge", "a, b", c_combine(arena, flags ? DT_I32 : t, merge, "$a$", "$b$"));
    bind_macro(pass, "join", "a, b", c_combine(arena, t, merge, "$a$", "$b$"));
}

/* One pass over the elements; LogSumExp makes another one before it, for the maximum. `at` picks one of several accumulators. */
static void bind_passes(const Reduce *r, const char *acc, const char *at)
{
    Bindings *b = r->b, *pass;
    if (r->add->of_exp) {
        if (r->numbers == IN_F32)
            c_need(r->k, CH_EXP);
        pass = bind_row(b, "passes");
        bind(pass, "is_max", "1");
        bind(pass, "total", "max");
        bind(pass, "acc", *at ? "max" : "maxima");
        bind(pass, "initial", "-INFINITY");
        /* a NaN comes out of the sum */
        bind_macro(pass, "update", "acc", LARGER);
        bind_order(r, pass, DT_I32, '>', false);
        bind_macro(pass, "finite", "acc",
                   r->numbers == IN_F64 ? "fabs($acc$) < INFINITY ? $acc$ : 0"
                                        : "fabsf($acc$) < INFINITY ? $acc$ : 0");
    }
    pass = bind_row(b, "passes");
    bind(pass, "is_max", "0");
    bind(pass, "total", "total");
    bind(pass, "acc", "%s", acc);
    bind(pass, "initial", "%s", initial(r));
    bind_macro(pass, "update", "acc", r->add->update[r->numbers]);
    /* sums and products of integers are those of an unsigned type */
    const DType merged = is_order(r) && r->numbers == OF_INTEGERS ? r->src : DT_F32;
    bind_order(r, pass, merged, r->add->merge, is_order(r) && r->numbers != OF_INTEGERS);
    bind(b, "max", "max%s", at);
}

/* The absolute value of a signed integer is taken where it is read; the real result of an integer reduction becomes one again. */
static void bind_elements(const Reduce *r)
{
    const bool magnitude = r->add->magnitude && dtype_is_signed_int(r->src),
               is_integer = r->numbers != OF_INTEGERS && !dtype_is_float(r->src),
               is_signed = r->numbers == OF_INTEGERS && dtype_is_signed_int(r->src);
    nn_type_in(r->k, r->b, "x", r->src, r->acc);
    bind_macro(r->b, "load", "element",
               magnitude ? "$element$ < 0 ? 0 - ($A_x$)$element$ : ($A_x$)$element$"
                         : "$ld_x$($element$)");
    bind_macro(r->b, "value", "acc",
               is_signed && r->end->mean ? "(int64_t)$acc$ / $group$" : r->end->result[r->numbers]);
    bind_int(r->b, "is_integer", is_integer);
    if (is_integer)
        bind_macro(r->b, "to_integer", "v", c_real_to_int(r->k, DT_F64, r->src, "$v$"));
}

/* --- groups whose elements are neighbours ------------------------------------------------------------------------------ */

/* Long rows in partial results, and very long ones in pieces. */
static void bind_row_loops(const Reduce *r, int64_t n, int64_t stride)
{
    const int64_t lanes = r->k->plan->lanes, piece = r->k->plan->summed;
    Bindings *b = r->b;
    nn_bind_size(r->k, b, "n", n);
    nn_bind_size(r->k, b, "stride", stride);
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
        bind(b, "again", "end - %" PRId64, lanes);
        bind(b, "piece_end",
             n % piece ? "b + %" PRId64 " < %" PRId64 " ? b + %" PRId64 " : %" PRId64
                       : "b + %" PRId64,
             piece, n, piece, n);
    } else {
        bind(b, "first", "0");
        nn_bind_size(r->k, b, "last", n);
        nn_bind_size(r->k, b, "whole", n - n % lanes);
        nn_bind_size(r->k, b, "again", n - lanes);
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
         join(r->k->arena, loops_index(l, 1, "src", 0, r->kept),
              r->kept < last ? loops_index(l, 1, "src", r->kept, last) : "0"));
    bind(r->b, "at_dst", "%s", loops_index(l, 0, "dst", 0, r->kept));
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
    const char *outer =
        join(arena, c > 0 ? loops_index(r->l, o, o ? "src" : "dst", 0, c) : "0", reduced);
    return join(arena, outer, strided(arena, "c + j", r->l->stride[o][c]));
}

static void reduce_columns(const Reduce *r)
{
    const Loops *l = r->l;
    const int c = r->kept - 1;
    const int64_t n = l->dims[c], width = r->k->plan->width;
    loops_bind(r->b, "kept", l, 0, c);
    loops_bind(r->b, "reduced", l, r->kept, l->rank);
    nn_bind_size(r->k, r->b, "size", n);
    bind_int(r->b, "piece", width);
    bind_int(r->b, "lanes", n == 8 || n == 16); /* gcc would unroll their loops first */
    if (n % width == 0 || n < width)
        bind_int(r->b, "n", n < width ? n : width);
    else
        bind(r->b, "n", "%" PRId64 " - c < %" PRId64 " ? %" PRId64 " - c : %" PRId64, n, width, n,
             width);
    bind(r->b, "at_dst", "%s", in_piece(r, 0, c, "0"));
    /* what lies apart is gathered before it is added: the comparisons of a maximum are made in vectors then */
    const char *at_src =
        in_piece(r, 1, c, r->kept < l->rank ? loops_index(l, 1, "src", r->kept, l->rank) : "0");
    bind_int(r->b, "strided", l->stride[1][c] != 1);
    bind(r->b, "at_src", "%s", at_src);
    bind(r->b, "element", l->stride[1][c] != 1 ? "column[j]" : "src[%s]", at_src);
    bind_passes(r, "acc", "[j]");
    nn_render(r->k, "c/reduce_columns.c", r->b);
}

/* --- all of them ------------------------------------------------------------------------------------------------------- */

/* Nothing to reduce: every result is what reduces nothing. */
static void write_neutral(const Reduce *r)
{
    DType t = r->src;
    double v = r->end->log ? -INFINITY : r->end->mean && dtype_is_float(t) ? NAN : r->add->start;
    const char *value = is_order(r) && t != DT_F16 && t != DT_BF16
                            ? initial(r)
                            : c_element_literal(r->k->arena, t, v);
    bind(bind_row(r->b, "unused"), "operand", "src");
    bind_int(r->b, "size", type_count(&c_out(r->k, 0)->type));
    bind(r->b, "value", "%s", value);
    nn_render(r->k, "c/fill.c", r->b);
}

void emit_c_reduce(CKernel *k)
{
    Reduce r = {.k = k,
                .add = reductions[k->node->op].add,
                .end = reductions[k->node->op].end,
                .src = c_in(k, 0)->type.dtype};
    const ReduceLoops loops = reduce_loops_of(k->program, k->step);
    r.l = loops.loops;
    r.kept = loops.kept;
    r.l->shared = k->shared ? 0 : -1;
    r.b = nn_bindings(k);
    bind_int(r.b, "group", loops.group);
    choose_accumulator(&r);
    if (k->plan->variant == C_reduce_none) {
        write_neutral(&r);
        return;
    }
    bind_elements(&r);
    if (k->plan->variant == C_reduce_columns)
        reduce_columns(&r);
    else
        reduce_rows(&r);
}
