/* Rows whose number depends on data. A value that has some has room for all there can be, those that count stand first, and a scalar
 * counts them; this table says of which values that is so. What stands behind them is never looked at. */
#include "node.h"

typedef struct Counted {
    Rows *rows; /* by value id */
    size_t n, cap;
} Counted;

Rows rows_of(const Import *im, ValueId v)
{
    const Counted *t = im->counted;
    return t && v.i < t->n ? t->rows[v.i] : (Rows){.count = NO_VALUE};
}

void set_rows(Import *im, ValueId v, Rows rows)
{
    if (!im->counted)
        im->counted = ARENA_NEW(im->g->arena, Counted);
    Counted *t = im->counted;
    while (t->n <= v.i) {
        t->rows = arena_grow(im->g->arena, t->rows, t->n, &t->cap, sizeof *t->rows);
        t->rows[t->n++] = (Rows){.count = NO_VALUE};
    }
    t->rows[v.i] = rows;
}

static bool refuse_counted(OnnxNode *c, const char *why)
{
    return refuse_onnx(c, "an operand has a number of rows that depends on data: %s", why);
}

bool check_counted(OnnxNode *c)
{
    for (uint32_t k = 0; k < c->n_in; k++)
        if (c->in[k].kind == ITEM_VALUE && is_counted(c->im, c->in[k].value) &&
            strcmp(c->p->op_type, "Identity"))
            return refuse_counted(c, "that is not supported here");
    return true;
}

bool count_results(OnnxNode *c, Op op, ValueId *in, size_t n_in, const Attr *attrs, Rows *out)
{
    (void)op, (void)attrs, (void)out;
    for (size_t k = 0; k < n_in; k++)
        if (is_counted(c->im, in[k]))
            return refuse_counted(c, "that is not supported here");
    return true;
}
