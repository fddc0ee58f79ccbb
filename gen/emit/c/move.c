/* Operators that copy boxes of elements: the ones whose source index is affine in the destination's. Strides come from the
 * buffers, so that any unblocked layout will do. */
#include "copy.h"
#include "nn.h"
#include "ops.h"

/* --- concat and split: boxes at a position along one axis -------------------------------------------------------- */

static void emit_parts(CKernel *k, const char *whole)
{
    Bindings *b = nn_bindings(k);
    const bool together = k->plan->variant == C_parts_rows;
    (together ? c_bind_part_rows : c_bind_parts)(k, b);
    if (!together && !k->plan->n_parts)
        bind(bind_row(b, "in_place"), "operand", "%s", whole);
    nn_render(k, "c/copy.c", b);
}

void emit_c_concat(CKernel *k)
{
    emit_parts(k, "dst");
}

void emit_c_split(CKernel *k)
{
    emit_parts(k, "src");
}

/* --- trilu --------------------------------------------------------------------------------------------------------- */

void emit_c_trilu(CKernel *k)
{
    const TensorType *t = &c_out(k, 0)->type;
    int64_t rows = t->dims[t->rank - 2], columns = t->dims[t->rank - 1],
            shift = attr_int(k->node, "k", 0);
    Bindings *b = nn_bindings(k);
    bind_int(b, "planes", type_count(t) / (rows * columns));
    bind_int(b, "rows", rows);
    bind_int(b, "columns", columns);
    bind(b, "side", attr_int(k->node, "upper", 1) ? ">=" : "<=");
    bind_int(b, "diagonal", /* beyond that nothing changes */
             shift < -rows     ? -rows
             : shift > columns ? columns
                               : shift);
    nn_render(k, "c/trilu.c", b);
}
