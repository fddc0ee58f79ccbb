/* The ten reductions. Where the elements of a group are neighbours in memory, a group is summed in LANES partial sums (and long rows in
 * pieces, so that errors do not build up); where the results are neighbours, a piece of the results at a time. Both vectorise without
 * reordering floating-point arithmetic behind the compiler's back. */
#include "copy.h"
#include "expr.h"
#include "ops.h"

#include <inttypes.h>
#include <math.h>
#include <string.h>

enum {
    LANES = 32, /* partial results of a row */
    ROW = 4096, /* elements after which these are added up */
    PIECE = 64, /* results at a time */
    SHORT =
        24, /* groups up to this are shorter than the vectors of results, and made together wherever they lie */
    LONG = 1024, /* a group of results-at-a-time that is longer sums in double */
};

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
    int indent;
} Reduce;

/* --- arithmetic ------------------------------------------------------------------------------------------------------ */

static bool is_order(Op op)
{
    return op == OP_ReduceMax || op == OP_ReduceMin;
}

static void choose_accumulator(Reduce *r, bool pieces)
{
    bool logs = r->op == OP_ReduceL2 || r->op == OP_ReduceLogSum || r->op == OP_ReduceLogSumExp;
    bool is_float = dtype_is_float(r->src);
    r->real = is_float || logs;
    r->f64 = r->src == DT_F64 || (!is_float && logs) ||
             (pieces && r->group > LONG && is_float && !is_order(r->op));
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

/* What element "x" (of the accumulator's type) adds to `acc`; NULL pass: the usual one. LogSumExp's second pass knows the maximum. */
static const char *update(const Reduce *r, const char *acc, const char *shift)
{
    Arena *arena = r->k->arena;
    switch (r->op) {
    case OP_ReduceL1:
        if (r->real)
            return arena_printf(arena, "%s + %s(x)", acc, r->f64 ? "fabs" : "fabsf");
        return arena_printf(arena, "%s + x", acc);
    case OP_ReduceL2:
    case OP_ReduceSumSquare:
        return arena_printf(arena, "%s + x * x", acc);
    case OP_ReduceProd:
        return arena_printf(arena, "%s * x", acc);
    case OP_ReduceMax:
        return arena_printf(arena, r->real ? "x != x || x > %s ? x : %s" : "x > %s ? x : %s", acc,
                            acc);
    case OP_ReduceMin:
        return arena_printf(arena, r->real ? "x != x || x < %s ? x : %s" : "x < %s ? x : %s", acc,
                            acc);
    case OP_ReduceLogSumExp:
        if (!shift)
            return arena_printf(arena, "x != x || x > %s ? x : %s", acc, acc);
        if (!r->f64)
            c_need(r->k, CH_EXP);
        return arena_printf(arena, "%s + %s(x - %s)", acc, r->f64 ? "exp" : "dnnlc_expf", shift);
    default:
        return arena_printf(arena, "%s + x", acc);
    }
}

/* Two partial results as one. */
static const char *merged(const Reduce *r, const char *a, const char *b, bool maximum)
{
    bool max = maximum || r->op == OP_ReduceMax;
    if (max || r->op == OP_ReduceMin)
        return c_combine(r->k->arena, r->real ? (r->f64 ? DT_F64 : DT_F32) : r->src,
                         max ? '>' : '<', a, b);
    return arena_printf(r->k->arena, "%s %c %s", a, r->op == OP_ReduceProd ? '*' : '+', b);
}

/* Element `at` of src as the accumulator's type. */
static const char *element(const Reduce *r, const char *at)
{
    CKernel *k = r->k;
    const char *x = c_load(k, r->src, at);
    if (r->src == DT_BOOL)
        return arena_printf(k->arena, "%s != 0", x);
    return strcmp(r->acc, c_compute_type(r->src)) ? arena_printf(k->arena, "(%s)%s", r->acc, x) : x;
}

/* "const ACC x = …;" of the element at `at`; the absolute value already, if it is an integer's. */
static void put_element(const Reduce *r, int indent, const char *at)
{
    Text *o = r->k->out;
    Arena *arena = r->k->arena;
    const char *x = arena_printf(arena, "const %s x", r->acc),
               *e = arena_printf(arena, "src0[%s]", at);
    if (r->op == OP_ReduceL1 && dtype_is_signed_int(r->src)) {
        c_put_assign(o, indent, arena_printf(arena, "const %s v", dtype_c(r->src)), e);
        c_put_assign(o, indent, x,
                     arena_printf(arena, "v < 0 ? 0 - (%s)v : (%s)v", r->acc, r->acc));
        return;
    }
    c_put_assign(o, indent, x, element(r, e));
}

/* What is stored, from the accumulator. */
static const char *finished(const Reduce *r, const char *acc, const char *shift)
{
    CKernel *k = r->k;
    const char *v = acc, *f = r->f64 ? "" : "f";
    if (r->op == OP_ReduceL2)
        v = arena_printf(k->arena, "sqrt%s(%s)", f, acc);
    else if (r->op == OP_ReduceLogSum)
        v = arena_printf(k->arena, "log%s(%s)", f, acc);
    else if (r->op == OP_ReduceLogSumExp)
        v = arena_printf(k->arena, "%s + log%s(%s)", shift, f, acc);
    else if (r->op == OP_ReduceMean)
        v = arena_printf(k->arena,
                         dtype_is_signed_int(r->src) ? "(int64_t)%s / %" PRId64 : "%s / %" PRId64,
                         acc, r->group);
    if (r->real && !dtype_is_float(r->src))
        return c_real_to_int(k, DT_F64, r->src, "v");
    if (r->f64 && r->src != DT_F64)
        v = arena_printf(k->arena, "(float)(%s)", v);
    else if (!r->real && strcmp(r->acc, dtype_c(r->src)))
        v = arena_printf(k->arena, "(%s)(%s)", dtype_c(r->src), v);
    return c_store(k, r->src, v);
}

/* The real result of an integer reduction is named "v" first. */
static void put_result(const Reduce *r, int indent, const char *at, const char *acc,
                       const char *shift)
{
    Arena *arena = r->k->arena;
    if (r->real && !dtype_is_float(r->src)) {
        const char *v = r->op == OP_ReduceL2 ? arena_printf(arena, "sqrt(%s)", acc)
                        : r->op == OP_ReduceLogSum
                            ? arena_printf(arena, "log(%s)", acc)
                            : arena_printf(arena, "%s + log(%s)", shift, acc);
        c_put_assign(r->k->out, indent, "const double v", v);
    }
    c_put_assign(r->k->out, indent, arena_printf(arena, "dst0[%s]", at), finished(r, acc, shift));
}

/* --- groups whose elements are neighbours ------------------------------------------------------------------------------ */

static const char *join(Arena *arena, const char *a, const char *b)
{
    if (!strcmp(a, "0"))
        return b;
    return strcmp(b, "0") ? arena_printf(arena, "%s + %s", a, b) : a;
}

/* One row into `total`; short ones element by element. */
static void put_row(const Reduce *r, int indent, int64_t n, int64_t stride, const char *base,
                    const char *shift)
{
    CKernel *k = r->k;
    Text *o = k->out;
    const char *first = !shift && r->op == OP_ReduceLogSumExp ? "" : NULL;
    bool maximum = first != NULL;
    const char *at = stride == 1 ? "i" : arena_printf(k->arena, "i * %" PRId64, stride);
    if (n < 2 * LANES || stride != 1) {
        text_printf(o, "%*sfor (size_t i = 0; i < %" PRId64 "; i++) {\n", indent, "", n);
        put_element(r, indent + 4, join(k->arena, base, at));
        c_put_assign(o, indent + 4, "total", update(r, "total", shift));
        text_printf(o, "%*s}\n", indent, "");
        return;
    }
    bool pieces = n > ROW;
    const char *end = pieces ? "end" : arena_printf(k->arena, "%" PRId64, n);
    if (pieces) {
        text_printf(o, "%*sfor (size_t b = 0; b < %" PRId64 "; b += %d) {\n", indent, "", n, ROW);
        indent += 4;
        if (n % ROW)
            text_printf(o, "%*sconst size_t end = b + %d < %" PRId64 " ? b + %d : %" PRId64 ";\n",
                        indent, "", ROW, n, ROW, n);
        else
            text_printf(o, "%*sconst size_t end = b + %d;\n", indent, "", ROW);
    } else {
        text_printf(o, "%*s{\n", indent, "");
        indent += 4;
    }
    const char *init = maximum ? "-INFINITY" : initial(r);
    text_printf(o, "%*s%s acc[%d];\n%*ssize_t i = %s;\n", indent, "", r->acc, LANES, indent, "",
                pieces ? "b" : "0");
    text_printf(o, "%*sfor (size_t j = 0; j < %d; j++)\n%*sacc[j] = %s;\n", indent, "", LANES,
                indent + 4, "", init);
    text_printf(o, "%*sfor (; i + %d <= %s; i += %d)\n%*sfor (size_t j = 0; j < %d; j++) {\n",
                indent, "", LANES, end, LANES, indent + 4, "", LANES);
    put_element(r, indent + 8, join(k->arena, base, "i + j"));
    c_put_assign(o, indent + 8, "acc[j]", update(r, "acc[j]", shift));
    text_printf(o, "%*s}\n", indent + 4, "");
    if (n % LANES) {
        text_printf(o, "%*sfor (; i < %s; i++) {\n", indent, "", end);
        put_element(r, indent + 4, join(k->arena, base, "i"));
        c_put_assign(o, indent + 4, "acc[0]", update(r, "acc[0]", shift));
        text_printf(o, "%*s}\n", indent, "");
    }
    text_printf(o, "%*sfor (size_t n = %d; n > 0; n /= 2)\n%*sfor (size_t j = 0; j < n; j++)\n",
                indent, "", LANES / 2, indent + 4, "");
    c_put_assign(o, indent + 8, "acc[j]", merged(r, "acc[j]", "acc[j + n]", maximum));
    c_put_assign(o, indent, "total", merged(r, "total", "acc[0]", maximum));
    text_printf(o, "%*s}\n", indent - 4, "");
}

/* One pass over the group of a result, into a fresh `total`. */
static void put_pass(const Reduce *r, int indent, const char *shift)
{
    Loops *l = r->l;
    int last = l->rank - 1;
    bool maximum = r->op == OP_ReduceLogSumExp && !shift;
    text_printf(r->k->out, "%*s%s total = %s;\n", indent, "", r->acc,
                maximum ? "-INFINITY" : initial(r));
    const char *kept = loops_index(l, 1, 0, r->kept);
    if (last < r->kept) {
        put_row(r, indent, 1, 1, kept, shift);
        return;
    }
    int inner = loops_open(r->k->out, l, r->kept, last, indent, true);
    put_row(r, inner, l->dims[last], l->stride[1][last],
            join(r->k->arena, kept, r->kept < last ? loops_index(l, 1, r->kept, last) : "0"),
            shift);
    loops_close(r->k->out, l, r->kept, last, indent);
}

static void reduce_rows(const Reduce *r)
{
    Text *o = r->k->out;
    const char *shift = NULL;
    int indent = loops_open(o, r->l, 0, r->kept, 4, true);
    if (r->op == OP_ReduceLogSumExp) {
        text_printf(o, "%*s%s max;\n%*s{\n", indent, "", r->acc, indent, "");
        put_pass(r, indent + 4, NULL);
        text_printf(o, "%*smax = %s(total) < INFINITY ? total : 0;\n%*s}\n", indent + 4, "",
                    r->f64 ? "fabs" : "fabsf", indent, "");
        shift = "max";
    }
    put_pass(r, indent, shift);
    put_result(r, indent, loops_index(r->l, 0, 0, r->kept), "total", shift);
    loops_close(o, r->l, 0, r->kept, 4);
}

/* --- results that are neighbours ------------------------------------------------------------------------------------------ */

static const char *strided(Arena *arena, const char *index, int64_t stride)
{
    return stride == 1 ? index : arena_printf(arena, "(%s) * %" PRId64, index, stride);
}

static void put_piece_pass(const Reduce *r, int indent, const char *acc, const char *init,
                           const char *src, const char *shift)
{
    Text *o = r->k->out;
    Arena *arena = r->k->arena;
    text_printf(o, "%*sfor (size_t j = 0; j < n; j++)\n%*s%s[j] = %s;\n", indent, "", indent + 4,
                "", acc, init);
    int inner = loops_open(o, r->l, r->kept, r->l->rank, indent, false);
    text_printf(o, "%*sfor (size_t j = 0; j < n; j++) {\n", inner, "");
    put_element(r, inner + 4, src);
    const char *name = arena_printf(arena, "%s[j]", acc);
    c_put_assign(o, inner + 4, name, update(r, name, shift));
    text_printf(o, "%*s}\n", inner, "");
}

static void reduce_pieces(const Reduce *r)
{
    Loops *l = r->l;
    Arena *arena = r->k->arena;
    Text *o = r->k->out;
    int c = r->kept - 1, indent = loops_open(o, l, 0, c, 4, false);
    int64_t n = l->dims[c];
    const char *shift = NULL,
               *outer = join(arena, loops_index(l, 1, 0, c),
                             r->kept < l->rank ? loops_index(l, 1, r->kept, l->rank) : "0");
    if (c > 0)
        outer = join(arena, loops_index(l, 1, 0, c),
                     r->kept < l->rank ? loops_index(l, 1, r->kept, l->rank) : "0");
    else
        outer = loops_index(l, 1, r->kept, l->rank);
    const char *src = join(arena, outer, strided(arena, "c + j", l->stride[1][c]));
    const char *dst =
        join(arena, loops_index(l, 0, 0, c), strided(arena, "c + j", l->stride[0][c]));
    text_printf(o, "%*sfor (size_t c = 0; c < %" PRId64 "; c += %d) {\n", indent, "", n, PIECE);
    indent += 4;
    if (n % PIECE == 0)
        text_printf(o, "%*sconst size_t n = %d;\n", indent, "", PIECE);
    else if (n < PIECE)
        text_printf(o, "%*sconst size_t n = %" PRId64 ";\n", indent, "", n);
    else
        text_printf(o, "%*sconst size_t n = %" PRId64 " - c < %d ? %" PRId64 " - c : %d;\n", indent,
                    "", n, PIECE, n, PIECE);
    text_printf(o, "%*s%s acc[%d];\n", indent, "", r->acc, PIECE);
    if (r->op == OP_ReduceLogSumExp) {
        text_printf(o, "%*s%s max[%d];\n", indent, "", r->acc, PIECE);
        put_piece_pass(r, indent, "max", "-INFINITY", src, NULL);
        text_printf(
            o,
            "%*sfor (size_t j = 0; j < n; j++)\n%*smax[j] = %s(max[j]) < INFINITY ? max[j] : 0;\n",
            indent, "", indent + 4, "", r->f64 ? "fabs" : "fabsf");
        shift = "max[j]";
    }
    put_piece_pass(r, indent, "acc", initial(r), src, shift);
    text_printf(o, "%*sfor (size_t j = 0; j < n; j++) {\n", indent, "");
    put_result(r, indent + 4, dst, "acc[j]", shift);
    text_printf(o, "%*s}\n%*s}\n", indent, "", indent - 4, "");
}

/* --- the loops ----------------------------------------------------------------------------------------------------------- */

/* Kept dimensions first, otherwise in their order; the neighbouring ones merged. */
static void make_loops(Reduce *r)
{
    CKernel *k = r->k;
    const Buffer *src = c_in(k, 0), *dst = c_out(k, 0);
    int64_t from[MAX_RANK], to[MAX_RANK];
    bool gone[MAX_RANK] = {false};
    size_t n;
    const int64_t *axes = attr_ints(k->node, "axes", &n);
    layout_strides(&src->layout, &src->type, from);
    layout_strides(&dst->layout, &dst->type, to);
    for (size_t i = 0; i < n; i++)
        gone[axes[i]] = true;
    Loops *all = loops_new(k->arena, 2);
    r->group = 1;
    for (int d = 0, at = 0; d < src->type.rank; d++) {
        loops_dim(all, src->type.dims[d], (int64_t[]){gone[d] ? 0 : to[at], from[d]});
        at += !gone[d] || dst->type.rank == src->type.rank;
        r->group *= gone[d] ? src->type.dims[d] : 1;
    }
    r->l = loops_new(k->arena, 2);
    loops_sort(all, 1);
    loops_coalesce(all);
    for (int pass = 0; pass < 2; pass++) {
        for (int d = 0; d < all->rank; d++)
            if ((all->stride[0][d] == 0) == (pass == 1))
                loops_dim(r->l, all->dims[d], (int64_t[]){all->stride[0][d], all->stride[1][d]});
        if (pass == 0)
            r->kept = r->l->rank;
    }
}

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
    text_printf(r->k->out,
                "    (void)src0;\n    for (size_t i = 0; i < %" PRId64
                "; i++)\n        dst0[i] = %s;\n",
                type_count(&c_out(r->k, 0)->type), value);
}

bool emit_c_reduce(CKernel *k)
{
    Reduce r = {.k = k, .op = k->node->op, .src = c_in(k, 0)->type.dtype};
    if (type_count(&c_out(k, 0)->type) == 0) {
        text_printf(k->out, "%s{\n", c_signature(k));
        return emit_c_nothing(k);
    }
    make_loops(&r);
    bool pieces = r.kept > 0 && (r.kept == r.l->rank || r.group <= SHORT ||
                                 r.l->stride[1][r.kept - 1] < r.l->stride[1][r.l->rank - 1]);
    /* with pieces the last kept dimension is cut, so that there must be one outside */
    if (r.kept > pieces && r.group > 0 &&
        c_share(k, r.l->dims[0], 1.5 * (double)type_count(&c_in(k, 0)->type)))
        r.l->shared = 0;
    text_printf(k->out, "%s{\n", c_signature(k));
    choose_accumulator(&r, pieces);
    if (r.group == 0)
        write_neutral(&r);
    else if (pieces)
        reduce_pieces(&r);
    else
        reduce_rows(&r);
    text_puts(k->out, "}\n");
    return true;
}
