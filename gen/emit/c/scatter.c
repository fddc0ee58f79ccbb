/* Operators that place elements by index. An index outside writes nothing: clamped, it would overwrite somebody else's element. */
#include "../../eval/elem.h"
#include "copy.h"
#include "expr.h"
#include "nn.h"
#include "ops.h"

#include <string.h>

/* What an element x becomes by an update y. */
static const char *combined(CKernel *k, const char *reduction)
{
    const char op = !strcmp(reduction, "add")   ? '+'
                    : !strcmp(reduction, "mul") ? '*'
                    : !strcmp(reduction, "max") ? '>'
                                                : '<';
    return c_combine(k->arena, c_out(k, 0)->type.dtype, op, "x", "y");
}

/* dst starts as a copy of the data; what updates do to it. */
static Bindings *scatter_bindings(CKernel *k)
{
    const char *reduction = attr_string(k->node, "reduction", "none");
    const DType t = c_out(k, 0)->type.dtype;
    const bool replaces = !strcmp(reduction, "none");
    Bindings *b = nn_bindings(k);
    nn_type_in(k, b, "x", t, c_compute_type(t));
    bind_int(b, "in_place", c_in_place(k->program, k->step, 0, 0));
    bind(b, "bytes", "%zu", type_bytes(&c_out(k, 0)->type));
    bind_int(b, "replaces", replaces);
    bind(b, "combined", "%s", replaces ? "" : combined(k, reduction));
    return b;
}

/* No element is overwritten. */
static void write_copy(CKernel *k)
{
    Bindings *b = nn_bindings(k);
    const char *const unused[] = {"src", "indices", "updates"};
    const bool in_place = c_in_place(k->program, k->step, 0, 0);
    bind_items(b, "no_elements", "operand", unused + !in_place, 3 - !in_place);
    if (in_place)
        bind(bind_row(b, "in_place"), "operand", "dst");
    else
        c_bind_whole(k, b);
    nn_render(k, "c/copy.c", b);
}

void emit_c_scatter_elements(CKernel *k)
{
    const TensorType *data = &c_in(k, 0)->type, *indices = &c_in(k, 1)->type;
    int64_t axis = attr_int(k->node, "axis", 0), is[MAX_RANK], ds[MAX_RANK];
    Layout plain = layout_plain(data->rank);
    if (type_count(indices) == 0) {
        write_copy(k);
        return;
    }
    layout_strides(&plain, indices, is);
    layout_strides(&plain, data, ds);
    int64_t along = ds[axis];
    ds[axis] = 0;
    Loops *l = loops_new(k->arena, 2);
    for (int d = 0; d < data->rank; d++)
        loops_dim(l, indices->dims[d], (int64_t[]){is[d], ds[d]});
    loops_coalesce(l);
    Bindings *b = scatter_bindings(k);
    loops_bind(b, "dims", l, 0, l->rank);
    bind(b, "update", "%s", loops_index(l, 0, "updates", 0, l->rank));
    const char *rest = loops_index(l, 1, "dst", 0, l->rank);
    bind(b, "rest", strcmp(rest, "0") ? "%s + " : "", rest);
    bind_int(b, "size", data->dims[axis]);
    bind_int(b, "along", along);
    nn_render(k, "c/scatter_elements.c", b);
}

void emit_c_scatter_nd(CKernel *k)
{
    const TensorType *data = &c_in(k, 0)->type, *indices = &c_in(k, 1)->type;
    int64_t length = indices->dims[indices->rank - 1];
    Around c = around(data, 0, length);
    if (type_count(indices) == 0 || c.inner == 0) {
        write_copy(k);
        return;
    }
    Bindings *b = scatter_bindings(k);
    for (int64_t d = 0; d < length; d++)
        bind_int(bind_row(b, "bounds"), "bound", data->dims[d]);
    bind_int(b, "length", length);
    bind_int(b, "tuples", type_count(indices) / length);
    bind_int(b, "inner", c.inner);
    nn_render(k, "c/scatter_nd.c", b);
}
