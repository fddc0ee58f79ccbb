/* Portable C for sums of rows with a norm behind, the rows of tables among them: each row is gathered, added up and normalised
 * while it is in registers and the first cache. */
#include "../../composite/sum_norm.h"
#include "nn.h"
#include "ops.h"

#include <inttypes.h>
#include <string.h>

/* The name of the parameter that an argument of the composite is handed over in. */
static const char *source(const CKernel *k, ValueId v)
{
    const Composite *c = composite_of(k->g, k->step->node);
    for (uint32_t i = 0; i < c->n_args; i++)
        if (same_value(c->args[i], v))
            return k->input[i];
    bug("%s reads a value that is no argument of it", k->fn);
}

/* Which place of the term stands at a place of the result: "row", "row % 128", "0". */
static const char *place(const CKernel *k, const SumNorm *s, const SumTerm *t)
{
    return nn_broadcast_index(k->arena, &t->places, &s->places, 0, "row");
}

/* The row of `from` that the term is at: an expression that can be multiplied. */
static const char *row_of(CKernel *k, const SumNorm *s, const SumTerm *t)
{
    const char *at = place(k, s, t);
    if (!has_value(t->index))
        return strchr(at, '+') ? arena_printf(k->arena, "(%s)", at) : at;
    c_need(k, CH_INDEX);
    return arena_printf(k->arena, "dnnlc_index(%s[%s], %" PRId64 ")", source(k, t->index), at,
                        type_of(k->g, t->from)->dims[0]);
}

/* The row that a term reads, "const float *restrict t0 = src + row % 128 * SIZE;", or the one number that stands in all of its columns;
 * and what it adds to a column. */
static void bind_term(CKernel *k, Bindings *b, const SumNorm *s, uint32_t i)
{
    const SumTerm *t = &s->term[i];
    const bool is_row = t->width == s->size && s->size > 1;
    const char *row = row_of(k, s, t), *from = source(k, t->from);
    const char *name = arena_printf(k->arena, "t%" PRIu32, i);
    Bindings *read = bind_row(b, is_row ? "row_terms" : "number_terms");
    bind(read, is_row ? "t" : "y", "%s", name);
    if (!is_row)
        bind(read, "element", "%s[%s]", from, row);
    else if (!strcmp(row, "0"))
        bind(read, "address", "%s", from);
    else
        bind(read, "address", "%s + %s * SIZE", from, row);
    const char *factor =
        t->factor != 1 ? arena_printf(k->arena, "%s * ", nn_const(k, DT_F32, t->factor)) : "";
    bind_macro(bind_row(b, "terms"), "term", "column",
               arena_printf(k->arena, is_row ? "%s%s[$column$]" : "%s%s", factor, name));
}

void emit_c_sum_norm(CKernel *k)
{
    const SumNorm *s = c_sum_norm_of(k->g, k->step);
    const bool centred = k->node->op == OP_LayerNormalization;
    Bindings *b = nn_bindings(k);
    nn_type(k, b, "x", DT_F32);
    bind_list(b, "terms", " + ");
    for (uint32_t i = 0; i < s->n_terms; i++)
        bind_term(k, b, s, i);
    bind_int(b, "centred", centred);
    bind_int(b, "rows", s->rows);
    bind(b, "epsilon", "%s", nn_const(k, DT_F32, attr_float(k->node, "epsilon", 1e-5)));
    bind(b, "variance", centred ? "%s_square_sum(dst_row, mean)" : "sum", k->fn);
    bind(b, "taken", centred ? "x" : "x * x");
    bind(b, "difference", centred ? "(dst_row[i] - mean)" : "dst_row[i]");
    bind(b, "scale", "%s", source(k, s->scale));
    bind(b, "shift", has_value(s->shift) ? " + %s[i]" : "%s",
         has_value(s->shift) ? source(k, s->shift) : "");
    nn_share(k, b, false, "ROWS");
    if (centred)
        c_norm_square_sum(k, b, s->size);
    else
        nn_bind_folds(b, k->plan->lanes);
    bind_int(b, "size", s->size);
    bind_int(b, "full", s->size - s->size % k->plan->lanes);
    bind_int(b, "lanes", k->plan->lanes);
    nn_render(k, "c/sum_norm.c", b);
}
