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
    const Columns *col = k->g->columns;
    const Composite *c = &col->composites[col->composite[k->step->node.i]];
    for (uint32_t i = 0; i < c->n_args; i++)
        if (same_value(c->args[i], v))
            return arena_printf(k->arena, "src%" PRIu32, i);
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

/* "const float *restrict t0 = src0 + row % 128 * SIZE;", or the one number that stands in all columns. */
static void declare_term(CKernel *k, Text *out, const SumNorm *s, uint32_t i)
{
    const SumTerm *t = &s->term[i];
    const char *row = row_of(k, s, t), *from = source(k, t->from);
    bool first = !strcmp(row, "0");
    if (t->width == s->size && s->size > 1)
        c_put_assign(out, 8, arena_printf(k->arena, "const float *restrict t%" PRIu32, i),
                     first ? from : arena_printf(k->arena, "%s + %s * SIZE", from, row));
    else
        c_put_assign(out, 8, arena_printf(k->arena, "const float t%" PRIu32, i),
                     arena_printf(k->arena, "%s[%s]", from, row));
}

static const char *sum_of_terms(CKernel *k, const SumNorm *s, const char *column)
{
    Text t;
    text_init(&t, k->arena);
    for (uint32_t i = 0; i < s->n_terms; i++) {
        bool row = s->term[i].width == s->size && s->size > 1;
        text_puts(&t, i ? " + " : "");
        if (s->term[i].factor != 1)
            text_printf(&t, "%s * ", nn_const(k, DT_F32, s->term[i].factor));
        text_printf(&t, "t%" PRIu32, i);
        if (row)
            text_printf(&t, "[%s]", column);
    }
    return t.data;
}

/* Lines without their first `indent` blanks: the template engine indents what it puts into a line itself. */
static const char *outdent(Arena *arena, int indent, const char *lines)
{
    Text out;
    text_init(&out, arena);
    for (const char *s = lines; *s;) {
        size_t line = strcspn(s, "\n") + 1;
        text_append(&out, s + indent, line - (size_t)indent);
        s += line;
    }
    return out.data;
}

/* An assignment for a template line that is a placeholder with that indentation. */
static const char *assignment(CKernel *k, int indent, const char *left, const char *right)
{
    Text t;
    text_init(&t, k->arena);
    c_put_assign(&t, indent, left, right);
    return outdent(k->arena, indent, t.data);
}

bool emit_c_sum_norm(CKernel *k)
{
    const Step *step = k->step;
    SumNorm s;
    const char *why;
    if (!sum_norm_read(k->g, step->nodes, step->n_nodes, step->node, &s, &why))
        bug("%s: %s", k->fn, why);
    const bool centred = s.norm->op == OP_LayerNormalization;
    Bindings *b = nn_bindings(k);
    nn_type(k, b, "x", DT_F32);
    Text operands;
    text_init(&operands, k->arena);
    for (uint32_t i = 0; i < s.n_terms; i++)
        declare_term(k, &operands, &s, i);
    const char *result = arena_printf(
        k->arena, centred ? "(dst[i] - mean) * inv_dev * %s[i]" : "dst[i] * inv_dev * %s[i]",
        source(k, s.scale));
    if (has_value(s.shift))
        result = arena_printf(k->arena, "%s + %s[i]", result, source(k, s.shift));
    bind_int(b, "centred", centred);
    bind_int(b, "rows", s.rows);
    bind(b, "epsilon", "%s", nn_const(k, DT_F32, attr_float(s.norm, "epsilon", 1e-5)));
    bind(b, "operands", "%s", outdent(k->arena, 8, operands.data));
    bind(b, "x_of_block", "%s", assignment(k, 16, "const float x", sum_of_terms(k, &s, "i + l")));
    bind(b, "x_of_rest", "%s", assignment(k, 12, "const float x", sum_of_terms(k, &s, "i")));
    bind(b, "variance", centred ? "%s_square_sum(dst, mean)" : "sum", k->fn);
    bind(b, "taken", centred ? "x" : "x * x");
    bind(b, "result", "%s", assignment(k, 12, "dst[i]", result));
    nn_share(k, b, false, "ROWS");
    if (centred)
        c_norm_square_sum(k, b, s.size);
    bind_int(b, "size", s.size);
    bind_int(b, "full", s.size - s.size % k->plan->lanes);
    bind_int(b, "lanes", k->plan->lanes);
    nn_render(k, "c/sum_norm.c", b);
    return true;
}
