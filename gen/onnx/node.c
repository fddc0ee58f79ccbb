/* Reading a node of the model: attributes (through function calls) and inputs. */
#include "node.h"

#include <stdlib.h>

const char *where_of(OnnxNode *c)
{
    return arena_printf(c->arena, "node %u '%s' (%s)", c->index, c->p->name, c->p->op_type);
}

static const Onnx__AttributeProto *find_attr(const Onnx__NodeProto *p, const char *name)
{
    for (size_t i = 0; i < p->n_attribute; i++)
        if (!strcmp(p->attribute[i]->name, name))
            return p->attribute[i];
    return NULL;
}

/* In a function's body an attribute may stand for one of the call's, or for the default its function declares. */
const Onnx__AttributeProto *onnx_attr(OnnxNode *c, const char *name)
{
    const Onnx__AttributeProto *a = find_attr(c->p, name);
    for (const Frame *f = c->frame; a && *a->ref_attr_name; f = f->up) {
        if (!f || !f->call)
            return NULL;
        const char *wanted = a->ref_attr_name;
        a = find_attr(f->call, wanted);
        for (size_t i = 0; !a && i < f->n_defaults; i++)
            if (!strcmp(f->defaults[i]->name, wanted))
                return f->defaults[i];
    }
    return a;
}

bool has_attr(OnnxNode *c, const char *name)
{
    return onnx_attr(c, name) != NULL;
}

/* IR version 1 wrote no attribute types. */
static const Onnx__AttributeProto *typed(OnnxNode *c, const char *name,
                                         Onnx__AttributeProto__AttributeType type)
{
    const Onnx__AttributeProto *a = onnx_attr(c, name);
    if (!a || a->type == type || (!a->has_type && c->im->model->ir_version < 2))
        return a;
    refuse_onnx(c, "attribute '%s' has the wrong type", name);
    return NULL;
}

int64_t get_int(OnnxNode *c, const char *name, int64_t missing)
{
    const Onnx__AttributeProto *a = typed(c, name, ONNX__ATTRIBUTE_PROTO__ATTRIBUTE_TYPE__INT);
    return a ? a->i : missing;
}

double get_float(OnnxNode *c, const char *name, double missing)
{
    const Onnx__AttributeProto *a = typed(c, name, ONNX__ATTRIBUTE_PROTO__ATTRIBUTE_TYPE__FLOAT);
    return a ? (double)a->f : (double)(float)missing;
}

/* Text may end up in messages and in text IR. */
static const char *text_of(OnnxNode *c, const ProtobufCBinaryData *s)
{
    for (size_t i = 0; i < s->len; i++)
        if (s->data[i] < 0x20 || s->data[i] >= 0x7f) {
            refuse_onnx(c, "an attribute's text holds a character that is not printable");
            return "";
        }
    return arena_strndup(c->arena, s->len ? (const char *)s->data : "", s->len);
}

const char *get_string(OnnxNode *c, const char *name, const char *missing)
{
    const Onnx__AttributeProto *a = typed(c, name, ONNX__ATTRIBUTE_PROTO__ATTRIBUTE_TYPE__STRING);
    return a ? text_of(c, &a->s) : missing;
}

const int64_t *get_ints(OnnxNode *c, const char *name, size_t *n)
{
    const Onnx__AttributeProto *a = typed(c, name, ONNX__ATTRIBUTE_PROTO__ATTRIBUTE_TYPE__INTS);
    static const int64_t none[1] = {0};
    *n = a ? a->n_ints : 0;
    return !a ? NULL : a->n_ints ? a->ints : none;
}

const double *get_floats(OnnxNode *c, const char *name, size_t *n)
{
    const Onnx__AttributeProto *a = typed(c, name, ONNX__ATTRIBUTE_PROTO__ATTRIBUTE_TYPE__FLOATS);
    *n = a ? a->n_floats : 0;
    if (!a)
        return NULL;
    double *v = ARENA_ARRAY(c->arena, double, a->n_floats + 1);
    for (size_t i = 0; i < a->n_floats; i++)
        v[i] = (double)a->floats[i];
    return v;
}

const Onnx__GraphProto *get_graph(OnnxNode *c, const char *name)
{
    const Onnx__AttributeProto *a = typed(c, name, ONNX__ATTRIBUTE_PROTO__ATTRIBUTE_TYPE__GRAPH);
    if (ok(c) && (!a || !a->g))
        refuse_onnx(c, "attribute '%s' is missing", name);
    return failed(c) ? NULL : a->g;
}

int fix_axis(OnnxNode *c, int64_t axis, int rank)
{
    if (axis < -rank || axis >= rank) {
        refuse_onnx(c, "axis %lld is out of range for rank %d", (long long)axis, rank);
        return 0;
    }
    return (int)(axis < 0 ? axis + rank : axis);
}

size_t sorted_axes(OnnxNode *c, const int64_t *given, size_t n, int rank, int64_t *axes)
{
    bool in[MAX_RANK] = {0};
    size_t n_axes = 0;
    for (size_t i = 0; i < n; i++)
        if (rank || (given[i] != 0 && given[i] != -1)) /* a scalar's axis 0 is let pass */
            in[fix_axis(c, given[i], rank)] = true;
    for (int d = 0; d < rank; d++)
        if (in[d] || n == 0)
            axes[n_axes++] = d;
    return n_axes;
}

int get_axis(OnnxNode *c, const char *name, int64_t missing, int rank)
{
    return fix_axis(c, get_int(c, name, missing), rank);
}

static Attr read_attr(OnnxNode *c, const OpAttr *rule, const char *name, const char *missing)
{
    size_t n;
    int64_t v;
    const int64_t *ints;
    const char *word = arena_strndup(c->arena, missing, strcspn(missing, " "));
    switch (rule->kind) {
    case ATTR_INT:
        v = get_int(c, name, strtoll(missing, NULL, 10));
        v = rule->is_axis ? fix_axis(c, v, type_in(c, 0)->rank) : rule->is_flag ? v != 0 : v;
        return ATTR_I(name, v);
    case ATTR_FLOAT:
        return ATTR_F(name, get_float(c, name, strtod(missing, NULL)));
    case ATTR_STRING:
        return ATTR_S(name, get_string(c, name, word));
    case ATTR_INTS:
        ints = get_ints(c, name, &n);
        return ATTR_IS(name, ints, n);
    default:
        bug("attribute %s has no default", name);
    }
}

const Attr *read_attrs(OnnxNode *c, Op op, const char *list, const Attr *more)
{
    enum { MOST = 16 };
    Attr *attrs = ARENA_ARRAY(c->arena, Attr, MOST);
    size_t n = 0;
    while (more && more->name)
        attrs[n++] = *more++;
    for (OpAttr rule; *list; list += strspn(list, " ")) {
        const char *name = arena_strndup(c->arena, list, strcspn(list, "= "));
        if (!op_attr_named(op, name, &rule) || n + 1 == MOST)
            bug("%s: attribute %s", op_info(op)->name, name);
        list += strlen(name);
        const bool has_default = *list == '=';
        if (has_default || has_attr(c, name))
            attrs[n++] = read_attr(c, &rule, name, list + has_default);
        list += strcspn(list, " ");
    }
    return attrs;
}

ValueId in_at(OnnxNode *c, uint32_t k)
{
    if (!has_in(c, k))
        return NO_VALUE;
    if (c->in[k].kind == ITEM_VALUE)
        return c->in[k].value;
    return refuse_value(c, "input %u '%s' is %s, not a tensor", k, c->p->input[k],
                        c->in[k].kind == ITEM_LIST ? "a sequence" : "an empty optional");
}

const TensorType *type_in(OnnxNode *c, uint32_t k)
{
    return type_of(c->g, c->in[k].value);
}

bool need_inputs(OnnxNode *c, uint32_t min, uint32_t max)
{
    if (c->n_in > max)
        return refuse_onnx(c, "takes at most %u inputs, has %u", max, c->n_in);
    for (uint32_t k = 0; k < min; k++)
        if (!has_in(c, k))
            return refuse_onnx(c, "input %u is missing", k);
    for (uint32_t k = 0; k < c->n_in; k++)
        in_at(c, k);
    return ok(c);
}

bool known(OnnxNode *c, uint32_t k)
{
    return has_in(c, k) && c->in[k].kind == ITEM_VALUE && value_at(c->g, c->in[k].value)->data &&
           !has_dependent_rows(c->im, c->in[k].value);
}

/* Input k with its n elements, and room for as many of this size; NULL after refusing. */
static const Value *known_value(OnnxNode *c, uint32_t k, const char *what, size_t size, size_t *n,
                                void **room)
{
    *n = 0;
    if (!has_in(c, k))
        refuse_onnx(c, "input %u (%s) is missing", k, what);
    else if (has_value(in_at(c, k)) && !known(c, k))
        refuse_onnx(c, "input %u (%s) must be known at compile time; %s", k, what,
                    how_to_know(c, c->in[k].value));
    else if (has_strings(c, k))
        refuse_onnx(c, "input %u (%s) must hold numbers, not strings", k, what);
    if (failed(c))
        return NULL;
    const Value *v = value_at(c->g, c->in[k].value);
    *n = (size_t)type_count(&v->type);
    if (!onnx_claim(c->im, *n * size))
        return *n = 0, NULL;
    *room = arena_alloc(c->arena, (*n + 1) * size);
    return v;
}

const int64_t *known_ints(OnnxNode *c, uint32_t k, const char *what, size_t *n)
{
    void *room;
    const Value *v = known_value(c, k, what, sizeof(int64_t), n, &room);
    if (v && dtype_is_float(v->type.dtype))
        refuse_onnx(c, "input %u (%s) must hold integers", k, what);
    if (failed(c))
        return *n = 0, NULL;
    int64_t *ints = room;
    for (size_t i = 0; i < *n; i++)
        ints[i] = elem_i64(v->type.dtype, v->data, i);
    return ints;
}

const double *known_floats(OnnxNode *c, uint32_t k, const char *what, size_t *n)
{
    void *room;
    const Value *v = known_value(c, k, what, sizeof(double), n, &room);
    double *floats = v ? room : NULL;
    for (size_t i = 0; v && i < *n; i++)
        floats[i] = elem_f64(v->type.dtype, v->data, i);
    return floats;
}

static bool need_single(OnnxNode *c, uint32_t k, const char *what, size_t n)
{
    return ok(c) && (n == 1 || refuse_onnx(c, "input %u (%s) must be a single number", k, what));
}

int64_t known_int(OnnxNode *c, uint32_t k, const char *what)
{
    size_t n;
    const int64_t *v = known_ints(c, k, what, &n);
    return need_single(c, k, what, n) ? v[0] : 0;
}

double known_float(OnnxNode *c, uint32_t k, const char *what)
{
    size_t n;
    const double *v = known_floats(c, k, what, &n);
    return need_single(c, k, what, n) ? v[0] : 0;
}

const int64_t *ints_of(OnnxNode *c, const char *name, uint32_t k, size_t *n)
{
    *n = 0;
    if (has_attr(c, name))
        return get_ints(c, name, n);
    return has_in(c, k) ? known_ints(c, k, name, n) : NULL;
}
