/* Reads the little language of the tests, builds a graph of one node, evaluates it, compares. */
#include "eval_check.h"

#include "../../gen/eval/eval.h"
#include "../../gen/ops/ops.h"

#include <ctype.h>
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

enum { MAX_OPERANDS = 16, MAX_ATTRS = 16, MAX_LIST = 32 };

typedef struct Case {
    Arena *arena;
    Diag *diag;
    Graph *g;
    Node *node; /* NULL after a refusal */
} Case;

static const char *skip_blanks(const char *p)
{
    return p + strspn(p, " \n;");
}

/* "f32[2,3] 1 2 3": at most as many numbers as there are elements. */
static Tensor read_tensor(Arena *arena, const char **at)
{
    const char *p = skip_blanks(*at);
    Tensor t = {0};
    char *end, *name = arena_strndup(arena, p, strcspn(p, "["));
    if (!dtype_from_name(name, &t.type.dtype))
        fail_msg("type '%s' in '%s'", name, *at);
    for (p = strchr(p, '[') + 1; *p != ']'; p = end + (*end == ','))
        t.type.dims[t.type.rank++] = strtoll(p, &end, 10);
    t.data = arena_alloc(arena, type_bytes(&t.type) + 1);
    p++;
    for (size_t k = 0; k < (size_t)type_count(&t.type); k++) {
        p += strspn(p, " \n");
        if (!*p || *p == ';')
            break;
        if (dtype_is_float(t.type.dtype))
            elem_set_f64(t.type.dtype, t.data, k, strtod(p, &end));
        else if (t.type.dtype == DT_U64)
            elem_set_i64(DT_U64, t.data, k, (int64_t)strtoull(p, &end, 10));
        else
            elem_set_i64(t.type.dtype, t.data, k, strtoll(p, &end, 10));
        if (end == p)
            fail_msg("number '%s'", p);
        p = end;
    }
    p += strspn(p, " \n");
    if (*p && *p != ';')
        fail_msg("more elements than the type has: '%s'", p);
    *at = skip_blanks(p);
    return t;
}

static Attr read_list(Arena *arena, const char *name, const char **at)
{
    int64_t *ints = ARENA_ARRAY(arena, int64_t, MAX_LIST);
    double *floats = ARENA_ARRAY(arena, double, MAX_LIST);
    size_t n = 0, size = strcspn(*at, "]");
    bool real = memchr(*at, '.', size) != NULL;
    char *end;
    for (const char *p = *at + 1; *p != ']'; p = end + (*end == ','), n++) {
        assert_true(n < MAX_LIST);
        floats[n] = strtod(p, &end);
        ints[n] = real ? 0 : strtoll(p, &end, 10);
    }
    *at += size + 1;
    return real ? ATTR_FS(name, floats, n) : ATTR_IS(name, ints, n);
}

static Attr read_attr(Arena *arena, const char **at)
{
    const char *p = skip_blanks(*at);
    size_t size = strcspn(p, "=");
    const char *name = arena_strndup(arena, p, size);
    *at = p += size + 1;
    if (*p == '[')
        return read_list(arena, name, at);
    size = strcspn(p, " ");
    const char *value = arena_strndup(arena, p, size);
    *at = p + size;
    if (isalpha((unsigned char)value[0]) && strcmp(value, "inf") && strcmp(value, "nan"))
        return ATTR_S(name, value);
    if (strpbrk(value, ".n"))
        return ATTR_F(name, strtod(value, NULL));
    return ATTR_I(name, strtoll(value, NULL, 10));
}

static uint32_t read_operands(Case *c, const char *text, ValueId *in)
{
    uint32_t n = 0;
    for (const char *p = skip_blanks(text); *p; n++) {
        assert_true(n < MAX_OPERANDS);
        if (*p == '_') {
            in[n] = NO_VALUE;
            p = skip_blanks(p + 1);
            continue;
        }
        Tensor t = read_tensor(c->arena, &p);
        in[n] = graph_add_const(c->g, NULL, t.type, t.data);
    }
    return n;
}

static Case build(const char *op_name, const char *operands, const char *attr_text, uint32_t n_out)
{
    Case c = {.arena = arena_new()};
    c.diag = ARENA_NEW(c.arena, Diag);
    c.diag->arena = c.arena;
    c.g = graph_new(c.arena, c.diag, "test", "test");
    Op op;
    ValueId in[MAX_OPERANDS];
    Attr attrs[MAX_ATTRS];
    uint32_t n_in = read_operands(&c, operands, in), n_attr = 0;
    if (!op_from_name(op_name, &op))
        fail_msg("no operator is called '%s'", op_name);
    for (const char *p = skip_blanks(attr_text); *p; p = skip_blanks(p)) {
        assert_true(n_attr < MAX_ATTRS);
        attrs[n_attr++] = read_attr(c.arena, &p);
    }
    NodeId id = graph_add_node(c.g, op, "n", 0, in, n_in, n_out, NULL, attrs, n_attr);
    c.node = id.i == NO_NODE.i ? NULL : node_at(c.g, id);
    return c;
}

/* Absent results are not asked for. */
static bool evaluate(Case *c, Tensor *out)
{
    const Tensor *in[MAX_OPERANDS];
    Tensor operand[MAX_OPERANDS], *wanted[MAX_OPERANDS] = {0};
    for (uint32_t k = 0; k < c->node->n_in; k++) {
        in[k] = NULL;
        if (!has_value(c->node->in[k]))
            continue;
        const Value *v = value_at(c->g, c->node->in[k]);
        operand[k] = (Tensor){v->type, malloc(type_bytes(&v->type) + 1)};
        operand[k].data = realloc(operand[k].data, type_bytes(&v->type)); /* exactly its size */
        if (type_bytes(&v->type))
            memcpy(operand[k].data, v->data, type_bytes(&v->type));
        in[k] = &operand[k];
    }
    for (uint32_t k = 0; k < c->node->n_out; k++) {
        out[k].type = *type_of(c->g, c->node->out[k]);
        out[k].data = calloc(1, type_bytes(&out[k].type) ? type_bytes(&out[k].type) : 1);
        wanted[k] = &out[k];
    }
    Arena *scratch = arena_new();
    bool ok = eval_node(c->g, c->node, in, wanted, scratch);
    arena_free(scratch);
    for (uint32_t k = 0; k < c->node->n_in; k++)
        if (in[k])
            free(operand[k].data);
    return ok;
}

static uint32_t count_parts(const char *text)
{
    uint32_t n = 1;
    for (; *text; text++)
        n += *text == ';';
    return n;
}

static bool close_enough(DType t, double got, double want)
{
    double eps = t == DT_F64 ? 1e-13 : t == DT_F32 ? 1e-7 : t == DT_F16 ? 1e-3 : 8e-3;
    if (got == want || (got != got && want != want))
        return true;
    return fabs(got - want) <= eps * fmax(1e-30, fabs(want));
}

static void compare(const char *op, uint32_t k, const Tensor *got, const Tensor *want)
{
    Arena *a = arena_new();
    if (!type_equal(&got->type, &want->type))
        fail_msg("%s, result %u: type %s, not %s", op, k, type_text(a, &got->type),
                 type_text(a, &want->type));
    for (size_t i = 0; i < (size_t)type_count(&got->type); i++) {
        DType t = got->type.dtype;
        if (dtype_is_float(t)) {
            double x = elem_f64(t, got->data, i), y = elem_f64(t, want->data, i);
            if (!close_enough(t, x, y))
                fail_msg("%s, result %u, element %zu: %.17g, not %.17g", op, k, i, x, y);
        } else if (elem_i64(t, got->data, i) != elem_i64(t, want->data, i)) {
            fail_msg("%s, result %u, element %zu: %lld, not %lld", op, k, i,
                     (long long)elem_i64(t, got->data, i), (long long)elem_i64(t, want->data, i));
        }
    }
    arena_free(a);
}

void check_eval(const char *op, const char *operands, const char *attrs, const char *results)
{
    uint32_t n_out = count_parts(results);
    Case c = build(op, operands, attrs, n_out);
    Tensor out[MAX_OPERANDS];
    if (!c.node || !evaluate(&c, out))
        fail_msg("%s", c.diag->message);
    for (uint32_t k = 0; k < n_out; k++) {
        Tensor want = read_tensor(c.arena, &results);
        compare(op, k, &out[k], &want);
        free(out[k].data);
    }
    arena_free(c.arena);
}

void check_shape(const char *op, const char *operands, const char *attrs, const char *types)
{
    uint32_t n_out = count_parts(types);
    Case c = build(op, operands, attrs, n_out);
    if (!c.node)
        fail_msg("%s", c.diag->message);
    Text got = text_new(c.arena);
    for (uint32_t k = 0; k < n_out; k++)
        text_printf(&got, "%s%s", k ? "; " : "", type_text(c.arena, type_of(c.g, c.node->out[k])));
    assert_string_equal(got.data, types);
    arena_free(c.arena);
}

void check_refusal(const char *op, const char *operands, const char *attrs, const char *message)
{
    Case c = build(op, operands, attrs, 1);
    Tensor out[MAX_OPERANDS];
    if (c.node) {
        if (evaluate(&c, out))
            fail_msg("%s(%s) {%s} was not refused", op, operands, attrs);
        for (uint32_t k = 0; k < c.node->n_out; k++)
            free(out[k].data);
    }
    if (!c.diag->message || !strstr(c.diag->message, message))
        fail_msg("%s: the message is '%s', without '%s'", op,
                 c.diag->message ? c.diag->message : "(none)", message);
    arena_free(c.arena);
}
