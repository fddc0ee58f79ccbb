/* Einsum by its definition, a piece of the result's last dimension at a time so that operands that run along it vectorise. */
#include "../../ops/einsum.h"
#include "copy.h"
#include "expr.h"
#include "ops.h"

#include <inttypes.h>
#include <string.h>

enum { PIECE = 64 };

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

/* "const float a0 = …;" for an element of each operand; gives their product. `p` is the dimension that is taken in pieces. */
static const char *put_factors(CKernel *k, const Loops *l, int p, int indent, const char *acc)
{
    DType t = c_out(k, 0)->type.dtype;
    const char *all = NULL;
    for (uint32_t i = 0; i < k->node->n_in; i++) {
        const char *index = loops_index(l, (int)i + 1, 0, l->rank);
        int64_t step = l->stride[i + 1][p];
        if (step)
            index = arena_printf(k->arena, step == 1 ? "%s + j" : "%s + j * %" PRId64, index, step);
        const char *x = c_load(k, t, arena_printf(k->arena, "src%" PRIu32 "[%s]", i, index));
        c_put_assign(k->out, indent, arena_printf(k->arena, "const %s a%" PRIu32, acc, i),
                     strcmp(acc, c_compute_type(t)) ? arena_printf(k->arena, "(%s)%s", acc, x) : x);
        all = all ? arena_printf(k->arena, "%s * a%" PRIu32, all, i) : "a0";
    }
    return all;
}

static void write_loops(CKernel *k, Loops *l, int p, int n_dst)
{
    Text *o = k->out;
    DType t = c_out(k, 0)->type.dtype;
    const char *acc = dtype_is_float(t)    ? c_compute_type(t)
                      : dtype_size(t) == 8 ? "uint64_t"
                                           : "uint32_t";
    int64_t size = l->dims[p];
    int indent = loops_open(o, l, 0, p, 4, false);
    const char *i = arena_printf(k->arena, "i%d", p);
    text_printf(o, "%*sfor (size_t %s = 0; %s < %" PRId64 "; %s += %d) {\n", indent, "", i, i, size,
                i, PIECE);
    indent += 4;
    text_printf(o, "%*sconst size_t n = %" PRId64 " - %s < %d ? %" PRId64 " - %s : %d;\n", indent,
                "", size, i, PIECE, size, i, PIECE);
    text_printf(o, "%*s%s acc[%d] = {0};\n", indent, "", acc, PIECE);
    int inner = loops_open(o, l, n_dst, l->rank, indent, false);
    text_printf(o, "%*sfor (size_t j = 0; j < n; j++) {\n", inner, "");
    const char *product = put_factors(k, l, p, inner + 4, acc);
    text_printf(o, "%*sacc[j] += %s;\n%*s}\n", inner + 4, "", product, inner, "");
    text_printf(o, "%*sfor (size_t j = 0; j < n; j++)\n", indent, "");
    const char *value = dtype_is_float(t) ? c_store(k, t, "acc[j]")
                                          : arena_printf(k->arena, "(%s)acc[j]", dtype_c(t));
    c_put_assign(o, indent + 4, arena_printf(k->arena, "dst0[%s + j]", loops_index(l, 0, 0, n_dst)),
                 value);
    text_printf(o, "%*s}\n", indent - 4, "");
}

bool emit_c_einsum(CKernel *k)
{
    Einsum m;
    if (!einsum_parse(k->g, k->node, &m))
        return false;
    text_printf(k->out, "%s{\n", c_signature(k));
    if (type_count(&c_out(k, 0)->type) == 0)
        return emit_c_nothing(k);
    Loops *l = make_loops(k, &m);
    if (l->empty) { /* sums of nothing */
        text_printf(k->out, "    memset(dst0, 0, %zu);\n", type_bytes(&c_out(k, 0)->type));
        for (uint32_t i = 0; i < k->step->n_in; i++)
            text_printf(k->out, "    (void)src%" PRIu32 ";\n", i);
        text_puts(k->out, "}\n");
        return true;
    }
    int n_dst = m.dst_rank;
    if (n_dst == 0) { /* a scalar: a dimension of 1 to take pieces of */
        Loops *one = loops_new(k->arena, l->n);
        loops_dim(one, 1, ARENA_ARRAY(k->arena, int64_t, (size_t)l->n));
        int64_t *at = ARENA_ARRAY(k->arena, int64_t, (size_t)l->n);
        for (int d = 0; d < l->rank; d++) {
            for (int i = 0; i < l->n; i++)
                at[i] = l->stride[i][d];
            loops_dim(one, l->dims[d], at);
        }
        l = one;
        n_dst = 1;
    }
    write_loops(k, l, n_dst - 1, n_dst);
    text_puts(k->out, "}\n");
    return true;
}
