/* What goes along one axis: ArgMax, ArgMin, TopK, CumSum. The tensor is [outer, axis, inner]. */
#include "../../base/template.h"
#include "../../eval/elem.h"
#include "../../kernel/layers.h"
#include "copy.h"
#include "nn.h"
#include "ops.h"

#include <inttypes.h>

static Around axis_cut(const CKernel *k)
{
    const int64_t axis = attr_int(k->node, "axis", 0);
    return around(&c_in(k, 0)->type, axis, axis + 1);
}

static Bindings *axis_bindings(CKernel *k)
{
    const Around c = axis_cut(k);
    Bindings *b = nn_bindings(k);
    nn_bind_size(k, b, "outer", c.outer);
    nn_bind_size(k, b, "axis", c.size);
    nn_bind_size(k, b, "inner", c.inner);
    bind_int(b, "piece", k->plan->width);
    return b;
}

static void emit_arg_rows(CKernel *k)
{
    const Around c = axis_cut(k);
    Bindings *b = nn_bindings(k);
    bind_int(b, "rows", c.outer);
    bind_int(b, "size", c.size);
    bind_int(b, "lanes", k->plan->lanes);
    bind(b, "better", k->node->op == OP_ArgMax ? ">" : "<");
    bind(b, "reaches", k->node->op == OP_ArgMax ? ">=" : "<=");
    nn_share(k, b, false, "ROWS");
    nn_render(k, "c/arg_rows.c", b);
}

void emit_c_arg(CKernel *k)
{
    if (k->plan->variant == C_arg_rows) {
        emit_arg_rows(k);
        return;
    }
    const bool last = attr_int(k->node, "select_last_index", 0) != 0;
    const char *op = k->node->op == OP_ArgMax ? (last ? ">=" : ">") : (last ? "<=" : "<");
    DType t = c_in(k, 0)->type.dtype;
    Bindings *b = axis_bindings(k);
    bind(b, "acc", "%s", c_compute_type(t));
    const Around c = axis_cut(k);
    const bool across = c.inner == 1 && k->plan->width > 1;
    bind_int(b, "rows", c.outer);
    bind_int(b, "size", c.size);
    const char *first = arena_printf(k->arena, "src[o * %" PRId64 " + c + j]", c.size * c.inner);
    const char *element =
        arena_printf(k->arena, "src[(o * %" PRId64 " + i) * %" PRId64 " + c + j]", c.size, c.inner);
    bind(b, "first", "%s", c_load(k, t, across ? "src[(c + j) * SIZE]" : first));
    bind(b, "element", "%s", c_load(k, t, across ? "src[(c + j) * SIZE + i]" : element));
    if (!dtype_is_float(t))
        bind(b, "better", "x %s best[j]", op);
    else if (!last) /* a NaN wins, the first one */
        bind(b, "better", "x %s best[j] || (isnan(x) && !isnan(best[j]))", op);
    else
        bind(b, "better", "x %s best[j] || isnan(x)", op);
    nn_share(k, b, false, "ROWS");
    nn_render(k, across ? "c/arg_across.c" : "c/arg.c", b);
}

void emit_c_cum_sum(CKernel *k)
{
    DType t = c_in(k, 0)->type.dtype;
    Bindings *b = axis_bindings(k);
    bool real = dtype_is_float(t);
    const char *acc = real ? "double" : "uint64_t", *x = c_load(k, t, "src[at + j]");
    bind(b, "acc", "%s", acc);
    bind(b, "element", t == DT_F64 || t == DT_U64 ? "%s" : real ? "(double)%s" : "(uint64_t)%s", x);
    bind(b, "result", "%s",
         c_store(k, t,
                 t == DT_F64 || t == DT_U64
                     ? "sum[j]"
                     : arena_printf(k->arena, "(%s)sum[j]", c_compute_type(t))));
    bind_int(b, "exclusive", attr_int(k->node, "exclusive", 0));
    bind_int(b, "first", k->node->op == OP_CumProd);
    bind(b, "add", "%s", k->node->op == OP_CumProd ? "*=" : "+=");
    if (attr_int(k->node, "reverse", 0))
        bind(b, "step", "%" PRId64 " - i", axis_cut(k).size - 1);
    else
        bind(b, "step", "i");
    nn_render(k, "c/cumsum.c", b);
}

void emit_c_top_k(CKernel *k)
{
    DType t = c_in(k, 0)->type.dtype;
    Bindings *b = axis_bindings(k);
    bool largest = attr_int(k->node, "largest", 1) != 0;
    nn_bind_size(k, b, "k", attr_int(k->node, "k", 0));
    bind(b, "type", "%s", dtype_c(t));
    bind(b, "acc", "%s", c_compute_type(t));
    bind(b, "load", "%s",
         c_load(k, t, arena_printf(k->arena, "row[i * %" PRId64 "]", axis_cut(k).inner)));
    bind_int(b, "contiguous", axis_cut(k).inner == 1);
    bind_int(b, "values", nn_has_out(k, 0));
    bind_int(b, "indices", nn_has_out(k, 1));
    const char *x = largest ? "x" : "y", *y = largest ? "y" : "x";
    if (dtype_is_float(t))
        bind(b, "order", "(%s > %s) - (%s < %s) + (isnan(%s) != 0) - (isnan(%s) != 0)", x, y, x, y,
             x, y);
    else
        bind(b, "order", "(%s > %s) - (%s < %s)", x, y, x, y);
    bind(b, "no_better", "%s", largest ? "<=" : ">=");
    bind(b, "turned", largest ? "bits" : "(uint32_t)~bits");
    bind_int(b, "room", top_k_room(attr_int(k->node, "k", 0)));
    bind_int(b, "block", TOP_K_BLOCK);
    if (axis_cut(k).inner == 1)
        nn_render(k, "c/topk_any.c", b);
    nn_render(k,
              k->plan->variant == C_top_k_few     ? "c/topk_few.c"
              : k->plan->variant == C_top_k_merge ? "c/topk_merge.c"
                                                  : "c/topk.c",
              b);
}

void emit_c_det(CKernel *k)
{
    const TensorType *src = &c_in(k, 0)->type;
    int64_t n = src->dims[src->rank - 1];
    Bindings *b = nn_bindings(k);
    bind_int(b, "count", type_count(&c_out(k, 0)->type));
    bind_int(b, "n", n);
    bind(b, "load", "%s",
         c_load(k, src->dtype, arena_printf(k->arena, "src[m * %" PRId64 " + i]", n * n)));
    bind(b, "result", "%s", c_store(k, src->dtype, src->dtype == DT_F64 ? "det" : "(float)det"));
    if (n > 0) {
        nn_render(k, "c/det.c", b);
        return;
    }
    for (uint32_t i = 0; i < 2; i++)
        bind(bind_row(b, "unused"), "operand", i ? "scratch" : "src");
    bind_int(b, "size", type_count(&c_out(k, 0)->type));
    bind(b, "value", "%s", c_element_literal(k->arena, src->dtype, 1));
    nn_render(k, "c/fill.c", b);
}
