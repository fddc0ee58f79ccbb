/* What the portable-C emitters of the neural-network layers share: bindings, type conversions, index expressions. */
#include "nn.h"
#include "algorithms.h"
#include "expr.h"

#include <inttypes.h>
#include <string.h>

Bindings *nn_bindings(CKernel *k)
{
    Bindings *b = bindings_new(k->arena, NULL);
    bind(b, "signature", "%s", c_signature(k));
    bind(b, "fn", "%s", k->fn);
    if (k->step->n_out && k->step->out[0] != NO_BUFFER)
        bind(b, "T_dst", "%s", dtype_c(k->program->buffers[k->step->out[0]].type.dtype));
    return b;
}

void nn_bind_size(CKernel *k, Bindings *b, const char *name, int64_t value)
{
    bind(b, name, "%s", c_size(k->arena, name, value));
}

void nn_share(CKernel *k, Bindings *b, bool is_signed, const char *all)
{
    const char *cast = is_signed ? "(ptrdiff_t)" : "";
    bind(b, "from", k->shared ? "%sfrom" : "0", cast);
    bind(b, "to", k->shared ? "%sto" : "%s", k->shared ? cast : all);
}

const char *nn_compute_type(DType t)
{
    return t == DT_I32 ? "uint32_t" : t == DT_I64 ? "uint64_t" : c_compute_type(t);
}

static bool is_primary(const char *s)
{
    return !s[strcspn(s, " ?")];
}

/* Integers of 32 and 64 bits compute in their unsigned types. */
static const char *cast(CKernel *k, const char *type, const char *operand)
{
    return arena_printf(k->arena, is_primary(operand) ? "(%s)%s" : "(%s)(%s)", type, operand);
}

const char *nn_load(CKernel *k, DType t, const char *element)
{
    return t == DT_I32 || t == DT_I64 ? cast(k, nn_compute_type(t), element)
                                      : c_load(k, t, element);
}

const char *nn_store(CKernel *k, DType t, const char *value)
{
    return t == DT_I32 || t == DT_I64 ? cast(k, dtype_c(t), value) : c_store(k, t, value);
}

/* What the functions of templates know. */
typedef struct Element {
    CKernel *k;
    DType type;
    const char *computed; /* the type it computes in */
    bool converts;        /* … which is another one than c_load gives */
} Element;

static const char *load_fn(const void *user, Arena *arena, const char *const *operand, size_t n)
{
    const Element *e = user;
    if (n != 1)
        bug("a load of %zu operands in a template", n);
    const char *x = c_load(e->k, e->type, *operand);
    if (e->type == DT_BOOL)
        return arena_printf(arena, "%s != 0", x);
    return e->converts ? cast(e->k, e->computed, x) : x;
}

static const char *store_fn(const void *user, Arena *arena, const char *const *operand, size_t n)
{
    const Element *e = user;
    (void)arena;
    if (n != 1)
        bug("a store of %zu operands in a template", n);
    return c_store(e->k, e->type,
                   e->converts ? cast(e->k, c_compute_type(e->type), *operand) : *operand);
}

void nn_type_in(CKernel *k, Bindings *b, const char *suffix, DType t, const char *computed)
{
    Element *e = ARENA_NEW(k->arena, Element);
    *e = (Element){k, t, computed, strcmp(computed, c_compute_type(t)) != 0};
    bind(b, arena_printf(k->arena, "T_%s", suffix), "%s", dtype_c(t));
    bind(b, arena_printf(k->arena, "A_%s", suffix), "%s", computed);
    bind_fn(b, arena_printf(k->arena, "ld_%s", suffix), load_fn, e);
    bind_fn(b, arena_printf(k->arena, "st_%s", suffix), store_fn, e);
}

void nn_type(CKernel *k, Bindings *b, const char *suffix, DType t)
{
    nn_type_in(k, b, suffix, t, nn_compute_type(t));
}

void c_begin_part(CKernel *k, const char *path)
{
    k->starts = arena_grow(k->arena, k->starts, k->n_starts, &k->cap_starts, sizeof *k->starts);
    k->starts[k->n_starts++] = (CTextStart){path, k->out->size};
}

void nn_render(CKernel *k, const char *path, const Bindings *b)
{
    c_begin_part(k, path);
    Text t = text_new(k->arena);
    render(&t, path, b);
    text_puts(k->out, nn_folded(k->arena, t.data));
}

bool nn_has_in(const CKernel *k, uint32_t i)
{
    return has_value(node_in(k->node, i));
}

bool nn_has_out(const CKernel *k, uint32_t i)
{
    return i < k->node->n_out && has_value(k->node->out[i]);
}

const TensorType *nn_in(const CKernel *k, uint32_t i)
{
    return type_of(k->g, k->node->in[i]);
}

const TensorType *nn_out(const CKernel *k, uint32_t i)
{
    return type_of(k->g, k->node->out[i]);
}

void nn_bind_operands(const CKernel *k, Bindings *b)
{
    const char **names = ARENA_ARRAY(k->arena, const char *, k->step->n_in + k->step->n_out + 1);
    const size_t n = c_operand_names(k, names);
    bind_items(b, "operands", "operand", names, n);
    if (k->step->scratch != NO_BUFFER)
        bind(bind_row(b, "operands"), "operand", "scratch");
}

void nn_emit_nothing(CKernel *k)
{
    Bindings *b = nn_bindings(k);
    nn_bind_operands(k, b);
    nn_render(k, "c/nothing.c", b);
}

bool nn_is_empty(const CKernel *k)
{
    for (uint32_t o = 0; o < k->node->n_out; o++)
        if (nn_has_out(k, o) && type_count(nn_out(k, o)) > 0)
            return false;
    return true;
}

const char *nn_times(Arena *arena, const char *index, int64_t factor)
{
    return factor == 0   ? "0"
           : factor == 1 ? index
                         : arena_printf(arena, "%s * %" PRId64, index, factor);
}

const char *nn_plus(Arena *arena, const char *base, const char *index, int64_t factor)
{
    return factor == 0 ? base
                       : arena_printf(arena, "%s + %s", base, nn_times(arena, index, factor));
}

const char *nn_matrix_offset(Arena *arena, const MatMulShape *s, const int64_t *step, int64_t size,
                             const char *index)
{
    const char *sum = "";
    int64_t inner = s->batch;
    for (int d = 0; d < s->rank; d++) {
        inner /= s->dims[d];
        if (step[d] == 0 || s->dims[d] == 1)
            continue;
        const char *at = inner == 1 ? index : arena_printf(arena, "%s / %" PRId64, index, inner);
        if (d > 0)
            at = arena_printf(arena, "%s %% %" PRId64, at, s->dims[d]);
        sum = arena_printf(arena, "%s%s%s", sum, *sum ? " + " : "",
                           nn_times(arena, at, step[d] * size));
    }
    return *sum ? sum : "0";
}

const char *nn_const(const CKernel *k, DType t, double v)
{
    return c_float_literal(k->arena, t, v);
}

const char *nn_math(CKernel *k, DType t, const char *name)
{
    return t == DT_F64 ? name : c_function(k, name, "f");
}

const char *nn_broadcast_index(Arena *arena, const TensorType *from, const TensorType *to,
                               int first, const char *index)
{
    const char *sum = "";
    int64_t inner = dims_product(to, first, to->rank), step = 1, outer = inner;
    if (dims_product(from, 0, from->rank) == 1)
        return "0";
    if (from->rank >= to->rank - first) { /* the same elements in the same order */
        bool dense = true;
        for (int d = 1; d <= to->rank - first; d++)
            dense = dense && from->dims[from->rank - d] == to->dims[to->rank - d];
        if (dense && dims_product(from, 0, from->rank) == inner)
            return index;
    }
    for (int d = first; d < to->rank; d++) { /* outermost first, as people write it */
        int f = d - (to->rank - from->rank);
        outer /= to->dims[d];
        if (f < 0 || from->dims[f] == 1)
            continue;
        step = dims_product(from, f + 1, from->rank);
        const char *at = outer == 1 ? index : arena_printf(arena, "%s / %" PRId64, index, outer);
        if (d > first)
            at = arena_printf(arena, "%s %% %" PRId64, at, to->dims[d]);
        sum = arena_printf(arena, "%s%s%s", sum, *sum ? " + " : "", nn_times(arena, at, step));
    }
    return *sum ? sum : "0";
}

void nn_bind_folds(Bindings *b, int64_t lanes)
{
    enum { WIDE = 16 }; /* more than a vector of AVX2 */
    bind_list(b, "folds", "");
    for (int64_t half = lanes / 2; half > 0; half /= 2) {
        Bindings *row = bind_row(b, "folds");
        bind_int(row, "half", half);
        bind(row, "unroll", half >= WIDE ? "NET_VECTORS" : "NET_LANES");
    }
}
