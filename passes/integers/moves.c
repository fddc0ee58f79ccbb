/* What keeps the steps of bytes: the same elements elsewhere, the largest or smallest of some, and a border of one number. */
#include "integers.h"

#include <math.h>
#include <string.h>

/* Its attributes make numbers that its operand need not hold: a border of one number, or a mean of neighbours. */
static bool makes_numbers(const Node *n)
{
    const char *mode = attr_string(n, "mode", "");
    return !strcmp(mode, "constant") || !strcmp(mode, "linear") || !strcmp(mode, "cubic") ||
           !strcmp(attr_string(n, "coordinate_transformation_mode", ""), "tf_crop_and_resize");
}

bool keeps_steps(const Node *n)
{
    return only_moves(n) || (op_has(n->op, TRAIT_KEEPS_STEPS) && !makes_numbers(n));
}

ValueId add_moved(const Integers *m, const Node *n, ValueId x, uint32_t out)
{
    ValueId *in = ARENA_ARRAY(m->g->arena, ValueId, n->n_in);
    in[0] = x;
    for (uint32_t k = 1; k < n->n_in; k++)
        in[k] = arg(m, n, k);
    const NodeId id = graph_add_node(m->g, n->op, "", n->model_index, in, n->n_in, n->n_out, NULL,
                                     n->attr, n->n_attr);
    return node_at(m->g, id)->out[out];
}

ValueId moved_bytes(const Integers *m, ValueId v, Step8 *s)
{
    ValueId x;
    const Node *at = def_of(m->g, v);
    if (!at)
        return NO_VALUE;
    if (bytes_of(m, v, &x, s))
        return x;
    if (!keeps_steps(at))
        return NO_VALUE;
    const Node n = *at; /* what follows adds nodes */
    x = moved_bytes(m, n.in[0], s);
    return has_value(x) ? add_moved(m, &n, x, value_at(m->g, v)->def_out) : x;
}

ValueId padded(const Integers *m, const Node *pad, ValueId x, const Step8 *dst)
{
    Attr *attrs = ARENA_ARRAY(m->g->arena, Attr, (size_t)pad->n_attr + 2);
    const float steps = (float)attr_float(pad, "value", 0) / (float)dst->scale;
    const double low = (double)dtype_lowest(dst->type), high = (double)dtype_highest(dst->type);
    uint32_t n = 0;
    for (uint32_t k = 0; k < pad->n_attr; k++)
        if (strcmp(pad->attr[k].name, "value") != 0)
            attrs[n++] = pad->attr[k];
    attrs[n++] =
        ATTR_F("value", fmin(fmax(nearbyint((double)steps) + (double)dst->zero, low), high));
    attrs[n] = ATTR_END;
    return graph_op(m->g, OP_Pad, pad, &x, 1, attrs);
}
