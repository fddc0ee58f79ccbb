/* Einsum by its definition, a piece of the result's last dimension at a time so that operands that run along it vectorise. */
#include "../../ops/einsum.h"
#include "copy.h"
#include "nn.h"
#include "ops.h"

/* Operand 0 is the result, then the inputs. The result's letters come first, then those summed over; a letter that stands twice
 * in a term walks the diagonal. */
static Loops *make_loops(CKernel *k, const Einsum *m)
{
    uint32_t n = k->node->n_in;
    Loops *l = loops_new(k->arena, (int)n + 1);
    int64_t(*strides)[EINSUM_LETTERS] = arena_alloc_array(k->arena, n + 1, sizeof *strides);
    for (uint32_t i = 0; i <= n; i++) {
        const TensorType *t = i ? &c_in(k, i - 1)->type : &c_out(k, 0)->type;
        const char *term = i ? einsum_term(k->node, i - 1) : m->dst;
        int64_t dense[MAX_RANK];
        Layout plain = layout_plain(t->rank);
        layout_strides(&plain, t, dense);
        for (int d = 0; d < t->rank; d++)
            strides[i][term[d] - 'a'] += dense[d];
    }
    int64_t *at = ARENA_ARRAY(k->arena, int64_t, n + 1);
    for (int d = 0; d < m->dst_rank + m->n_summed; d++) {
        int letter = d < m->dst_rank ? m->dst[d] - 'a' : m->summed[d - m->dst_rank];
        for (uint32_t i = 0; i <= n; i++)
            at[i] = strides[i][letter];
        loops_dim(l, m->size[letter], at);
    }
    return l;
}

/* Where the j-th of a piece of dimension p stands in operand o. */
static const char *at_piece(Arena *arena, const Loops *l, int o, int p)
{
    const char *index = loops_index(l, o, "src", 0, l->rank);
    const int64_t step = l->stride[o][p];
    return step ? arena_printf(arena, "%s + %s", index, nn_times(arena, "j", step)) : index;
}

/* A scalar gets a dimension of 1 to take pieces of. */
static Loops *with_piece(Arena *arena, const Loops *l)
{
    Loops *one = loops_new(arena, l->n);
    int64_t *at = ARENA_ARRAY(arena, int64_t, (size_t)l->n);
    loops_dim(one, 1, at);
    for (int d = 0; d < l->rank; d++) {
        for (int i = 0; i < l->n; i++)
            at[i] = l->stride[i][d];
        loops_dim(one, l->dims[d], at);
    }
    return one;
}

static void write_loops(CKernel *k, const Loops *l, int n_dst)
{
    const DType t = c_out(k, 0)->type.dtype;
    const int p = n_dst - 1;
    Bindings *b = nn_bindings(k);
    nn_type_in(k, b, "x", t,
               dtype_is_float(t)    ? c_compute_type(t)
               : dtype_size(t) == 8 ? "uint64_t"
                                    : "uint32_t");
    loops_bind(b, "outer", l, 0, p);
    loops_bind(b, "summed", l, n_dst, l->rank);
    bind(b, "p", "i%d", p);
    bind(b, "size", "%s", loops_size(l, p));
    bind_int(b, "piece", k->plan->width);
    const bool wide = k->plan->in_double;
    bind(b, "acc", "%s",
         wide                 ? "double"
         : dtype_is_float(t)  ? c_compute_type(t)
         : dtype_size(t) == 8 ? "uint64_t"
                              : "uint32_t");
    bind_macro(b, "narrowed", "v", wide ? "(float)$v$" : "$v$");
    bind_list(b, "factors", " * ");
    for (uint32_t i = 0; i < k->node->n_in; i++) {
        Bindings *factor = bind_row(b, "factors");
        bind_int(factor, "n", i);
        bind(factor, "at_src", "%s", at_piece(k->arena, l, (int)i + 1, p));
    }
    bind(b, "at_dst", "%s", loops_index(l, 0, "dst", 0, n_dst));
    nn_render(k, "c/einsum.c", b);
}

/* Sums of nothing. */
static void write_zeros(CKernel *k)
{
    Bindings *b = nn_bindings(k);
    for (uint32_t i = 0; i < k->step->n_in; i++)
        bind(bind_row(b, "unused"), "operand", "%s", k->input[i]);
    bind(b, "bytes", "%zu", type_bytes(&c_out(k, 0)->type));
    nn_render(k, "c/zeros.c", b);
}

void emit_c_einsum(CKernel *k)
{
    Einsum m;
    if (!einsum_parse(k->g, k->node, &m))
        bug("an equation that is not what it was");
    const Loops *l = make_loops(k, &m);
    if (l->empty)
        write_zeros(k);
    else if (m.dst_rank)
        write_loops(k, l, m.dst_rank);
    else
        write_loops(k, with_piece(k->arena, l), 1);
}
