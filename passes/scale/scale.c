/* Factors along one axis: recognising, merging and applying them. */
#include "scale.h"

#include "../common/util.h"

#include <math.h>
#include <string.h>

bool const_scale(Folder *f, ValueId c, const TensorType *whole, Scale *s)
{
    if (!is_const(f->g, c) || !dtype_is_float(type_of(f->g, c)->dtype))
        return false;
    const Value *v = value_at(f->g, c);
    const TensorType *t = &v->type;
    *s = (Scale){.axis = -1, .n = 1};
    if (t->rank > whole->rank || type_count(t) == 0)
        return false;
    for (int i = 0; i < t->rank; i++) {
        if (t->dims[i] == 1)
            continue;
        if (s->axis >= 0)
            return false;
        s->axis = whole->rank - t->rank + i;
        s->n = t->dims[i];
    }
    if (s->axis >= 0 && whole->dims[s->axis] != s->n)
        return false;
    double *values = ARENA_ARRAY(f->scratch, double, (size_t)s->n);
    for (int64_t i = 0; i < s->n; i++) {
        values[i] = elem_f64(t->dtype, v->data, (size_t)i);
        if (!isfinite(values[i]))
            return false;
    }
    s->v = values;
    return true;
}

bool affine_node(Folder *f, const Node *n, ValueId *x, Scale *s)
{
    bool either = n->op == OP_Mul || n->op == OP_Add;
    if (!either && n->op != OP_Sub && n->op != OP_Div)
        return false;
    const TensorType *out = type_of(f->g, n->out[0]);
    for (uint32_t k = 0; k < (either ? 2u : 1u); k++) {
        *x = resolved_in(&f->rw, n, k);
        if (type_equal(type_of(f->g, *x), out) && !is_const(f->g, *x) &&
            const_scale(f, resolved_in(&f->rw, n, 1 - k), out, s))
            return true;
    }
    return false;
}

double scale_at(const Scale *s, int64_t i)
{
    return s->v[s->axis < 0 ? 0 : i];
}

bool non_negative(const Scale *s)
{
    for (int64_t i = 0; i < s->n; i++)
        if (!(s->v[i] >= 0))
            return false;
    return true;
}

Scale scale_slice(const Scale *s, int64_t begin, int64_t n)
{
    return s->axis < 0 ? *s : (Scale){s->axis, n, s->v + begin};
}

bool scale_merge(Folder *f, const Scale *a, const Scale *b, char op, Scale *out)
{
    if (a->axis >= 0 && b->axis >= 0 && (a->axis != b->axis || a->n != b->n))
        return false;
    *out = a->axis >= 0 ? *a : *b;
    double *v = ARENA_ARRAY(f->scratch, double, (size_t)out->n);
    for (int64_t i = 0; i < out->n; i++)
        v[i] = op == '*' ? scale_at(a, i) * scale_at(b, i) : scale_at(a, i) + scale_at(b, i);
    out->v = v;
    return true;
}

/* The constant that broadcasts to rank `rank` as s does. */
static ValueId scale_const(Folder *f, const char *name, DType dtype, int rank, const Scale *s)
{
    int64_t dims[MAX_RANK];
    for (int i = 0; i < rank; i++)
        dims[i] = i == s->axis ? s->n : 1;
    return make_const(f->g, name, dtype, s->axis < 0 ? 0 : rank, dims, s->v);
}

ValueId scale_node(Folder *f, Op op, const Node *like, ValueId x, const Scale *s)
{
    TensorType t = *type_of(f->g, x);
    ValueId c = scale_const(f, op == OP_Mul ? "scale" : "shift", t.dtype, t.rank, s);
    return graph_op(f->g, op, like, (ValueId[]){x, c}, 2, NULL);
}

ValueId scaled_const(Folder *f, ValueId c, int64_t inner, const Scale *s)
{
    Value v = *value_at(f->g, c);
    int64_t n = type_count(&v.type);
    void *data = arena_alloc(f->g->arena, type_bytes(&v.type));
    for (int64_t i = 0; i < n; i++)
        elem_set_f64(v.type.dtype, data, (size_t)i,
                     elem_f64(v.type.dtype, v.data, (size_t)i) * s->v[i / inner % s->n]);
    return graph_add_const(f->g, v.name, v.type, data);
}

/* The constant may have size 1 where s varies: it grows along that axis then. */
ValueId scaled_operand(Folder *f, ValueId c, int rank, const Scale *s)
{
    if (!is_const(f->g, c) || !dtype_is_float(type_of(f->g, c)->dtype) ||
        type_of(f->g, c)->rank > rank)
        return NO_VALUE;
    Value v = *value_at(f->g, c);
    TensorType t = v.type;
    if (s->axis >= 0) {
        t.rank = rank;
        for (int i = 0; i < rank; i++)
            t.dims[i] = i < rank - v.type.rank ? 1 : v.type.dims[i - rank + v.type.rank];
    }
    bool grows = s->axis >= 0 && t.dims[s->axis] == 1 && s->n > 1;
    int64_t inner = 1;
    for (int i = s->axis + 1; s->axis >= 0 && i < rank; i++)
        inner *= t.dims[i];
    if (grows)
        t.dims[s->axis] = s->n;
    int64_t n = type_count(&t);
    void *data = arena_alloc(f->g->arena, type_bytes(&t));
    for (int64_t i = 0; i < n; i++) {
        int64_t from = grows ? i / (inner * s->n) * inner + i % inner : i;
        elem_set_f64(t.dtype, data, (size_t)i,
                     elem_f64(t.dtype, v.data, (size_t)from) * scale_at(s, i / inner % s->n));
    }
    return graph_add_const(f->g, v.name, t, data);
}

/* Nodes of this round are known by their first output. */
static uint32_t node_index(const Folder *f, const Node *n)
{
    return value_at(f->g, n->out[0])->def.i;
}

bool is_fresh(const Folder *f, const Node *n)
{
    uint32_t i = node_index(f, n);
    return i < f->n_touched && !f->touched[i];
}

void touch(Folder *f, const Node *n)
{
    uint32_t i = node_index(f, n);
    if (i < f->n_touched)
        f->touched[i] = true;
}

/* --- where an axis goes ----------------------------------------------------------------------- */

static int64_t product(const TensorType *t, int n)
{
    int64_t p = 1;
    for (int i = 0; i < n; i++)
        p *= t->dims[i];
    return p;
}

/* A reshape keeps an axis if the same number of elements lies before it and it has the same
 * size. */
static bool reshaped_axis(const TensorType *from, const TensorType *to, const Scale *s, Scale *out)
{
    *out = *s;
    for (int i = 0; i < to->rank; i++) {
        out->axis = i;
        if (to->dims[i] == s->n && product(to, i) == product(from, s->axis))
            return true;
    }
    return false;
}

static bool in_list(const int64_t *list, size_t n, int64_t v)
{
    for (size_t i = 0; i < n; i++)
        if (list[i] == v)
            return true;
    return false;
}

/* The k-th axis that is not reduced, or the place of `axis` among them. */
static bool reduced_axis(const Node *n, int rank, bool below, const Scale *s, Scale *out)
{
    size_t count;
    const int64_t *axes = attr_ints(n, "axes", &count);
    *out = *s;
    if (attr_int(n, "keepdims", 1))
        return !in_list(axes, count, s->axis);
    int kept = 0;
    for (int i = 0; i < rank; i++) {
        if (in_list(axes, count, i))
            continue;
        if (below ? i == s->axis : kept == s->axis) {
            out->axis = below ? kept : i;
            return true;
        }
        kept++;
    }
    return false;
}

static bool unpadded_axis(const Node *n, int rank, int axis)
{
    const int64_t *pads = attr_ints(n, "pads", NULL);
    return pads[axis] == 0 && pads[axis + rank] == 0;
}

/* --- the roles: the column `scale` of ops.def ----------------------------------------------------- */

static bool always(const Node *n, bool positive)
{
    (void)n, (void)positive;
    return true;
}

static bool if_positive(const Node *n, bool positive)
{
    (void)n;
    return positive;
}

static bool max_pool(const Node *n, bool positive)
{
    return positive && (n->n_out == 1 || !has_value(n->out[1]));
}

static bool zero_pad(const Node *n, bool positive)
{
    (void)positive;
    return strcmp(attr_string(n, "mode", "constant"), "constant") != 0 ||
           attr_float(n, "value", 0) == 0;
}

static bool transposed(const Graph *g, const Node *n, bool below, const Scale *s, Scale *out)
{
    const int64_t *perm = attr_ints(n, "perm", NULL);
    *out = *s;
    if (!below)
        out->axis = (int)perm[s->axis];
    for (int i = 0; below && i < type_of(g, n->out[0])->rank; i++)
        if (perm[i] == s->axis)
            out->axis = i;
    return true;
}

static bool reshaped(const Graph *g, const Node *n, bool below, const Scale *s, Scale *out)
{
    const TensorType *src = type_of(g, n->in[0]), *dst = type_of(g, n->out[0]);
    return below ? reshaped_axis(src, dst, s, out) : reshaped_axis(dst, src, s, out);
}

static bool reduced(const Graph *g, const Node *n, bool below, const Scale *s, Scale *out)
{
    return reduced_axis(n, type_of(g, n->in[0])->rank, below, s, out);
}

static bool no_window(const Graph *g, const Node *n, bool below, const Scale *s, Scale *out)
{
    (void)g, (void)n, (void)below;
    *out = *s;
    return s->axis <= 1;
}

static bool unpadded(const Graph *g, const Node *n, bool below, const Scale *s, Scale *out)
{
    (void)below;
    *out = *s;
    return unpadded_axis(n, type_of(g, n->in[0])->rank, s->axis);
}

const ScaleRole scale_roles[OP_COUNT] = {
#define ROLE_none .kind = SCALE_STOPS
#define ROLE_any .kind = SCALE_PASSES, .commutes = always
#define ROLE_positive .kind = SCALE_PASSES, .commutes = if_positive
#define ROLE_max_pool .kind = SCALE_PASSES, .commutes = max_pool, .axis = no_window
#define ROLE_average_pool .kind = SCALE_PASSES, .commutes = always, .axis = no_window
#define ROLE_reduce .kind = SCALE_PASSES, .commutes = always, .axis = reduced
#define ROLE_transpose .kind = SCALE_PASSES, .commutes = always, .axis = transposed
#define ROLE_reshape .kind = SCALE_PASSES, .commutes = always, .axis = reshaped
#define ROLE_pad .kind = SCALE_PASSES, .commutes = zero_pad, .axis = unpadded
#define ROLE_sum .kind = SCALE_SUM, .form = form_affine
#define ROLE_difference .kind = SCALE_SUM, .form = form_inverse
#define ROLE_concat .kind = SCALE_CONCAT
#define ROLE_product .kind = SCALE_PRODUCT, .form = form_affine
#define ROLE_quotient .form = form_inverse
#define ROLE_layer .kind = SCALE_LAYER
#define ROLE_gemm .kind = SCALE_LAYER, .form = form_gemm
#define ROLE_batch_norm .form = form_batch_norm
#define OP_SCALE(nm, scale) [OP_##nm] = {ROLE_##scale},
#include "../../gen/ops/ops.def"
};

bool scale_axis(const Graph *g, const Node *n, bool below, const Scale *s, Scale *out)
{
    const ScaleRole *role = &scale_roles[n->op];
    *out = *s;
    return s->axis < 0 || !role->axis || role->axis(g, n, below, s, out);
}

bool commutes_with_scale(const Node *n, bool positive)
{
    return scale_roles[n->op].commutes && scale_roles[n->op].commutes(n, positive);
}
