/* The verbs of the export: nodes, attributes and constants of the model being written. */
#include "exporter.h"

#include "../ops/ops.h"

#include <math.h>
#include <string.h>

const TensorType *export_in(const ExportNode *e, uint32_t k)
{
    return type_of(e->x->g, e->n->in[k]);
}

const TensorType *export_out(const ExportNode *e, uint32_t k)
{
    return type_of(e->x->g, e->n->out[k]);
}

char *kept(const char *s)
{
    return (char *)(uintptr_t)s;
}

static char **name_list(Arena *arena, const char *const *names, size_t *n)
{
    while (*n && !*names[*n - 1])
        --*n;
    char **list = ARENA_ARRAY(arena, char *, *n + 1);
    for (size_t i = 0; i < *n; i++)
        list[i] = kept(names[i]);
    return list;
}

enum { MADE_ATTRS = 16 }; /* of a node, at most, beside its own */

Proto *put_node(ExportNode *e, const char *op, const char *const *in, size_t n_in,
                const char *const *out, size_t n_out)
{
    Onnx__GraphProto *graph = e->x->graph;
    Proto *p = ARENA_NEW(e->arena, Proto);
    onnx__node_proto__init(p);
    p->op_type = kept(op);
    p->name = *e->name ? kept(names_unique(e->x->node_names, e->name)) : NULL;
    p->doc_string = kept(e->doc);
    p->input = name_list(e->arena, in, &n_in);
    p->n_input = n_in;
    p->output = name_list(e->arena, out, &n_out);
    p->n_output = n_out;
    p->attribute = ARENA_ARRAY(e->arena, Onnx__AttributeProto *, (size_t)e->n->n_attr + MADE_ATTRS);
    ARENA_PUSH(e->arena, graph->node, graph->n_node, e->x->cap_nodes, p);
    return p;
}

const char *fresh(ExportNode *e, const char *what)
{
    const char *base = "value";
    for (uint32_t k = 0; k < e->n->n_out; k++)
        if (has_value(e->n->out[k])) {
            base = e->x->name[e->n->out[k].i];
            break;
        }
    return names_unique(e->x->names, arena_printf(e->arena, "%s_%s", base, what));
}

const char *put(ExportNode *e, const char *op, const char *const *in, size_t n_in)
{
    const char *out = fresh(e, op);
    put_node(e, op, in, n_in, &out, 1);
    return out;
}

const char *put_cast(ExportNode *e, const char *v, DType to, const char *out)
{
    out = out ? out : fresh(e, dtype_name(to));
    put_value(e, put_node(e, "Cast", &v, 1, &out, 1), ATTR_I("to", to));
    return out;
}

/* put_node has made room for those of the node and a few more. */
static Onnx__AttributeProto *new_attr(ExportNode *e, Proto *p, const char *name,
                                      Onnx__AttributeProto__AttributeType type)
{
    Onnx__AttributeProto *a = ARENA_NEW(e->arena, Onnx__AttributeProto);
    onnx__attribute_proto__init(a);
    a->name = kept(name);
    a->has_type = true;
    a->type = type;
    if (p->n_attribute == (size_t)e->n->n_attr + MADE_ATTRS)
        bug("too many attributes");
    p->attribute[p->n_attribute++] = a;
    return a;
}

static float *floats(Arena *arena, const double *v, size_t n)
{
    float *f = ARENA_ARRAY(arena, float, n + 1);
    for (size_t i = 0; i < n; i++)
        f[i] = (float)v[i];
    return f;
}

static ProtobufCBinaryData string_data(const char *s, size_t n)
{
    return (ProtobufCBinaryData){.len = n, .data = (uint8_t *)kept(s)};
}

void put_value(ExportNode *e, Proto *p, Attr v)
{
    static const Onnx__AttributeProto__AttributeType types[] = {
        [ATTR_INT] = ONNX__ATTRIBUTE_PROTO__ATTRIBUTE_TYPE__INT,
        [ATTR_FLOAT] = ONNX__ATTRIBUTE_PROTO__ATTRIBUTE_TYPE__FLOAT,
        [ATTR_STRING] = ONNX__ATTRIBUTE_PROTO__ATTRIBUTE_TYPE__STRING,
        [ATTR_INTS] = ONNX__ATTRIBUTE_PROTO__ATTRIBUTE_TYPE__INTS,
        [ATTR_FLOATS] = ONNX__ATTRIBUTE_PROTO__ATTRIBUTE_TYPE__FLOATS};
    Onnx__AttributeProto *a = new_attr(e, p, v.name, types[v.kind]);
    a->has_i = v.kind == ATTR_INT;
    a->i = v.i;
    a->has_f = v.kind == ATTR_FLOAT;
    a->f = (float)v.f;
    a->has_s = v.kind == ATTR_STRING;
    if (v.kind == ATTR_STRING)
        a->s = string_data(v.s, strlen(v.s));
    if (v.kind == ATTR_INTS) {
        a->ints = arena_copy(e->arena, v.ints, v.n * sizeof *v.ints);
        a->n_ints = v.n;
    }
    if (v.kind == ATTR_FLOATS) {
        a->floats = floats(e->arena, v.floats, v.n);
        a->n_floats = v.n;
    }
}

void put_tensor(ExportNode *e, Proto *p, const char *name, const TensorType *t, const void *data)
{
    Onnx__AttributeProto *a = new_attr(e, p, name, ONNX__ATTRIBUTE_PROTO__ATTRIBUTE_TYPE__TENSOR);
    a->t = tensor_proto(e->arena, NULL, t, data);
}

char *put_domain(ExportNode *e, const char *domain, int64_t version)
{
    e->x->domain = domain;
    e->x->domain_version = version;
    return kept(domain);
}

void put_strings(ExportNode *e, Proto *p, const char *name, const char *list)
{
    Onnx__AttributeProto *a = new_attr(e, p, name, ONNX__ATTRIBUTE_PROTO__ATTRIBUTE_TYPE__STRINGS);
    a->strings = ARENA_ARRAY(e->arena, ProtobufCBinaryData, strlen(list) + 1);
    for (;; list++) {
        const size_t n = strcspn(list, ",");
        a->strings[a->n_strings++] = string_data(list, n);
        list += n;
        if (!*list)
            return;
    }
}

/* ONNX's attributes are single; that matters to what is computed in double only. */
static bool single(const ExportNode *e, const Attr *a)
{
    const bool is_double = e->n->n_in && has_value(e->n->in[0]) && export_in(e, 0)->dtype == DT_F64;
    const double *v = a->kind == ATTR_FLOAT ? &a->f : a->floats;
    for (size_t i = 0; i < (a->kind == ATTR_FLOAT ? 1 : a->n); i++)
        if ((is_double && (double)(float)v[i] != v[i]) ||
            (isfinite(v[i]) && !isfinite((float)v[i])))
            return refuse_export(e, "its attribute %s is no number in single precision", a->name);
    return true;
}

static bool put_own(ExportNode *e, Proto *p, const Attr *a)
{
    put_value(e, p, *a);
    return (a->kind != ATTR_FLOAT && a->kind != ATTR_FLOATS) || single(e, a);
}

bool put_attr(ExportNode *e, Proto *p, const char *name)
{
    const Attr *a = node_attr(e->n, name);
    return !a || put_own(e, p, a);
}

/* "shape", or "k." for a scalar. */
static bool listed(const char *list, const char *name)
{
    const size_t n = strlen(name);
    for (const char *at = list; at && *at; at += strspn(at, " ")) {
        const size_t length = strcspn(at, " .");
        if (length == n && !memcmp(at, name, n))
            return true;
        at += strcspn(at, " ");
    }
    return false;
}

/* Dilations of 1 say nothing, and ONNX Runtime makes nodes of pools that do not have them. */
static bool is_dense(const Attr *a)
{
    bool dense = !strcmp(a->name, "dilations");
    for (size_t i = 0; dense && i < a->n; i++)
        dense = a->ints[i] == 1;
    return dense;
}

bool put_attrs(ExportNode *e, Proto *p, const char *without)
{
    for (uint32_t i = 0; i < e->n->n_attr; i++) {
        const Attr *a = &e->n->attr[i];
        if (!listed(without, a->name) && !is_dense(a) && !put_own(e, p, a))
            return false;
    }
    return true;
}

const char *const_of(ExportNode *e, const char *what, const TensorType *t, const void *data)
{
    const char *name = fresh(e, what);
    add_initializer(e->x, name, t, arena_copy(e->arena, data, type_bytes(t)));
    return name;
}

const char *const_list(ExportNode *e, const char *what, const int64_t *v, size_t n)
{
    const TensorType t = {.dtype = DT_I64, .rank = 1, .dims = {(int64_t)n}};
    return const_of(e, what, &t, v);
}

const char *const_int(ExportNode *e, const char *what, int64_t v)
{
    return const_of(e, what, &(TensorType){.dtype = DT_I64}, &v);
}

const char *const_single(ExportNode *e, const char *what, DType dtype, double v)
{
    int64_t element = 0;
    if (dtype_is_float(dtype))
        elem_set_f64(dtype, &element, 0, v);
    else
        elem_set_i64(dtype, &element, 0, (int64_t)v);
    return const_of(e, what, &(TensorType){.dtype = dtype}, &element);
}

const char *const_reals(ExportNode *e, const char *what, const double *v, size_t n)
{
    const TensorType t = {.dtype = DT_F32, .rank = 1, .dims = {(int64_t)n}};
    return const_of(e, what, &t, floats(e->arena, v, n));
}

static const char *attr_input(ExportNode *e, const char *name, bool scalar)
{
    const Attr *a = node_attr(e->n, name);
    if (a->kind == ATTR_INTS)
        return const_list(e, name, a->ints, a->n);
    return scalar ? const_int(e, name, a->i) : const_list(e, name, &a->i, 1);
}

bool write_plain(ExportNode *e)
{
    enum { MOST = 4 };
    const char **in = ARENA_ARRAY(e->arena, const char *, (size_t)e->n->n_in + MOST);
    size_t n_in = e->n->n_in;
    memcpy(in, e->in, n_in * sizeof *in);
    for (const char *at = e->row->inputs; at && *at; at += strspn(at, " ")) {
        const size_t n = strcspn(at, " .");
        in[n_in++] = attr_input(e, arena_strndup(e->arena, at, n), at[n] == '.');
        at += n + strcspn(at + n, " ");
    }
    Proto *p = put_node(e, op_info(e->n->op)->name, in, n_in, e->out, e->n->n_out);
    if (e->n->op == OP_Reshape && type_count(export_out(e, 0)) == 0)
        put_value(e, p, ATTR_I("allowzero", 1)); /* a 0 is a size, not that of the source */
    return put_attrs(e, p, e->row->inputs);
}
