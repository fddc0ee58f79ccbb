/* Operators whose kernel is a template and nothing else: rows of TEMPLATE_ROW in ops.def. What such a template may name:
 *
 *     $src_count$, $dst_count$, $src_dim1$ …   sizes of operands and results
 *     $T_src$, $A_src$, $ld_src$(x), $st_dst$(x) …   element types, as stored and as computed (nn_type)
 *     $outer$, $size$, $inner$     dimensions of the first input before, at and after the attribute axis, where there is one
 *     $attr_NAME$                  an attribute that is one number; a float as a constant of the type that the first input computes in
 *     $math$(sqrt)                 the function of math.h, or a helper, for that type */
#include "nn.h"
#include "ops.h"

static void bind_operand(CKernel *k, Bindings *b, const char *name, const TensorType *t)
{
    nn_type(k, b, name, t->dtype);
    bind_int(b, arena_printf(k->arena, "%s_count", name), type_count(t));
    for (int d = 0; d < t->rank; d++)
        bind_int(b, arena_printf(k->arena, "%s_dim%d", name, d), t->dims[d]);
}

static void bind_attributes(CKernel *k, Bindings *b)
{
    OpAttr attr;
    for (size_t i = 0; op_attr(k->node->op, i, &attr); i++) {
        const char *name = arena_strndup(k->arena, attr.name, attr.size),
                   *bound = arena_printf(k->arena, "attr_%s", name);
        if (attr.kind == ATTR_INT)
            bind_int(b, bound, attr_int(k->node, name, 0));
        else if (attr.kind == ATTR_FLOAT)
            bind(b, bound, "%s", nn_const(k, nn_in(k, 0)->dtype, attr_float(k->node, name, 0)));
    }
    if (node_attr(k->node, "axis")) {
        const TensorType *t = nn_in(k, 0);
        const int axis = (int)attr_int(k->node, "axis", 0);
        bind_int(b, "outer", dims_product(t, 0, axis));
        bind_int(b, "size", t->dims[axis]);
        bind_int(b, "inner", dims_product(t, axis + 1, t->rank));
    }
}

static const char *math(const void *user, Arena *arena, const char *const *operand, size_t n)
{
    CKernel *k = *(CKernel *const *)user;
    (void)arena;
    if (n != 1)
        bug("$math$ of %zu names in a template", n);
    return nn_math(k, nn_in(k, 0)->dtype, *operand);
}

void c_emit_by_template(CKernel *k, const char *path)
{
    Bindings *b = nn_bindings(k);
    for (uint32_t i = 0; i < k->node->n_in; i++)
        if (nn_has_in(k, i))
            bind_operand(k, b, k->input[i], nn_in(k, i));
    for (uint32_t o = 0; o < k->node->n_out; o++)
        if (nn_has_out(k, o))
            bind_operand(k, b, k->output[o], nn_out(k, o));
    bind_attributes(k, b);
    bind_fn(b, "math", math, arena_copy(k->arena, &k, sizeof(CKernel *)));
    nn_render(k, path, b);
}
