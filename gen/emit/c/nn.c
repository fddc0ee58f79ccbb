/* What the portable-C emitters of the neural-network layers share: bindings, type conversions, index expressions. */
#include "nn.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

/* Markers stand in rendered text as one of these bytes and the element type as a letter from '@' on, followed by an
 * operand in parentheses. No template holds such bytes. */
enum { MARK_LOAD = 1, MARK_STORE = 2 };

Bindings *nn_bindings(CKernel *k)
{
    Bindings *b = bindings_new(k->arena, NULL);
    bind(b, "signature", "%s", c_signature(k));
    bind(b, "fn", "%s", k->fn);
    if (k->step->n_out && k->step->out[0] != NO_BUFFER)
        bind(b, "T_dst", "%s", dtype_c(k->program->buffers[k->step->out[0]].type.dtype));
    return b;
}

void nn_share(CKernel *k, Bindings *b, bool is_signed, const char *all, int64_t n,
              double operations)
{
    const bool shared = c_share(k, n, operations);
    const char *cast = is_signed ? "(ptrdiff_t)" : "";
    bind(b, "from", shared ? "%sfrom" : "0", cast);
    bind(b, "to", shared ? "%sto" : "%s", shared ? cast : all);
    bind(b, "signature", "%s", c_signature(k));
}

const char *nn_compute_type(DType t)
{
    return t == DT_I32 ? "uint32_t" : t == DT_I64 ? "uint64_t" : c_compute_type(t);
}

void nn_type(Bindings *b, const char *suffix, DType t)
{
    char name[40];
    snprintf(name, sizeof name, "T_%s", suffix);
    bind(b, name, "%s", dtype_c(t));
    snprintf(name, sizeof name, "A_%s", suffix);
    bind(b, name, "%s", nn_compute_type(t));
    snprintf(name, sizeof name, "ld_%s", suffix);
    bind(b, name, "%c%c", MARK_LOAD, '@' + (int)t);
    snprintf(name, sizeof name, "st_%s", suffix);
    bind(b, name, "%c%c", MARK_STORE, '@' + (int)t);
}

/* The operand starts at its '('; returns its length with both parentheses. */
static size_t operand_length(const char *s)
{
    int depth = 0;
    for (size_t i = 0; s[i]; i++) {
        depth += (s[i] == '(') - (s[i] == ')');
        if (depth == 0)
            return i + 1;
    }
    bug("unbalanced marker in a template");
}

static bool is_primary(const char *s)
{
    return !s[strcspn(s, " ?")];
}

static const char *converted(CKernel *k, char mark, DType t, const char *operand)
{
    if (t == DT_I32 || t == DT_I64) {
        const char *type = mark == MARK_LOAD ? nn_compute_type(t) : dtype_c(t);
        return arena_printf(k->arena, is_primary(operand) ? "(%s)%s" : "(%s)(%s)", type, operand);
    }
    return mark == MARK_LOAD ? c_load(k, t, operand) : c_store(k, t, operand);
}

const char *nn_load(CKernel *k, DType t, const char *element)
{
    return converted(k, MARK_LOAD, t, element);
}

const char *nn_store(CKernel *k, DType t, const char *value)
{
    return converted(k, MARK_STORE, t, value);
}

/* The markers in a piece of text. */
static const char *nn_expand(CKernel *k, const char *text)
{
    Text out;
    text_init(&out, k->arena);
    for (const char *s = text; *s;) {
        size_t plain = strcspn(s, "\001\002");
        text_append(&out, s, plain);
        s += plain;
        if (!*s)
            break;
        if (!s[1] || s[2] != '(')
            bug("a marker without an operand in a template");
        size_t n = operand_length(s + 2);
        const char *operand = nn_expand(k, arena_strndup(k->arena, s + 3, n - 2));
        text_puts(&out, converted(k, s[0], (DType)(s[1] - '@'), operand));
        s += 2 + n;
    }
    return out.data;
}

static void nn_render_to(CKernel *k, Text *out, const char *path, const Bindings *b)
{
    Text t;
    text_init(&t, k->arena);
    render(&t, path, b);
    text_puts(out, nn_folded(k->arena, nn_expand(k, t.data)));
}

void nn_render(CKernel *k, const char *path, const Bindings *b)
{
    nn_render_to(k, k->out, path, b);
}

bool nn_has_in(const CKernel *k, uint32_t i)
{
    return has_value(node_in(k->node, i));
}

bool nn_has_out(const CKernel *k, uint32_t i)
{
    return i < k->node->n_out && has_value(k->node->out[i]);
}

const TensorType *nn_in(const CKernel *k, uint32_t i)
{
    return type_of(k->g, k->node->in[i]);
}

const TensorType *nn_out(const CKernel *k, uint32_t i)
{
    return type_of(k->g, k->node->out[i]);
}

int64_t nn_product(const TensorType *t, int from, int to)
{
    int64_t n = 1;
    for (int d = from; d < to; d++)
        n *= t->dims[d];
    return n;
}

bool nn_emit_empty(CKernel *k)
{
    for (uint32_t o = 0; o < k->node->n_out; o++)
        if (nn_has_out(k, o) && type_count(nn_out(k, o)) > 0)
            return false;
    text_printf(k->out, "%s{\n", c_signature(k));
    for (uint32_t i = 0; i < k->step->n_in; i++)
        if (k->step->in[i] != NO_BUFFER)
            text_printf(k->out, "    (void)src%" PRIu32 ";\n", i);
    for (uint32_t o = 0; o < k->step->n_out; o++)
        if (k->step->out[o] != NO_BUFFER)
            text_printf(k->out, "    (void)dst%" PRIu32 ";\n", o);
    if (k->step->scratch != NO_BUFFER)
        text_puts(k->out, "    (void)scratch;\n");
    text_puts(k->out, "}\n");
    return true;
}

const char *nn_times(Arena *arena, const char *index, int64_t factor)
{
    return factor == 0   ? "0"
           : factor == 1 ? index
                         : arena_printf(arena, "%s * %" PRId64, index, factor);
}

const char *nn_plus(Arena *arena, const char *base, const char *index, int64_t factor)
{
    return factor == 0 ? base
                       : arena_printf(arena, "%s + %s", base, nn_times(arena, index, factor));
}

const char *nn_const(const CKernel *k, DType t, double v)
{
    return c_float_literal(k->arena, t, v);
}

const char *nn_math(CKernel *k, DType t, const char *name)
{
    static const struct {
        const char *name;
        CHelper helper;
    } helpers[] = {
        {"exp", CH_EXP},     {"exp_negative", CH_EXP_NEGATIVE},
        {"expm1", CH_EXPM1}, {"log", CH_LOG},
        {"log1p", CH_LOG1P}, {"tanh", CH_TANH},
    };
    if (t == DT_F64)
        return name;
    for (size_t i = 0; i < COUNT_OF(helpers); i++)
        if (!strcmp(helpers[i].name, name)) {
            c_need(k, helpers[i].helper);
            return arena_printf(k->arena, "dnnlc_%sf", name);
        }
    return arena_printf(k->arena, "%sf", name);
}

const char *nn_broadcast_index(Arena *arena, const TensorType *from, const TensorType *to,
                               int first, const char *index)
{
    const char *sum = "";
    int64_t inner = nn_product(to, first, to->rank), step = 1, outer = inner;
    if (nn_product(from, 0, from->rank) == 1)
        return "0";
    if (from->rank >= to->rank - first) { /* the same elements in the same order */
        bool dense = true;
        for (int d = 1; d <= to->rank - first; d++)
            dense = dense && from->dims[from->rank - d] == to->dims[to->rank - d];
        if (dense && nn_product(from, 0, from->rank) == inner)
            return index;
    }
    for (int d = first; d < to->rank; d++) { /* outermost first, as people write it */
        int f = d - (to->rank - from->rank);
        outer /= to->dims[d];
        if (f < 0 || from->dims[f] == 1)
            continue;
        step = nn_product(from, f + 1, from->rank);
        const char *at = outer == 1 ? index : arena_printf(arena, "%s / %" PRId64, index, outer);
        if (d > first)
            at = arena_printf(arena, "%s %% %" PRId64, at, to->dims[d]);
        sum = arena_printf(arena, "%s%s%s", sum, *sum ? " + " : "", nn_times(arena, at, step));
    }
    return *sum ? sum : "0";
}

const char *nn_head(CKernel *k, const char *type, const char *suffix, const char *const *items,
                    size_t n)
{
    Text head;
    text_init(&head, k->arena);
    c_put_list(&head, arena_printf(k->arena, "NET_INLINE %s %s_%s(", type, k->fn, suffix), items, n,
               ")");
    return head.data;
}

const char *nn_call(Arena *arena, const char *function, const char *const *items, size_t n)
{
    Text call;
    text_init(&call, arena);
    c_put_list(&call, arena_printf(arena, "%s(", function), items, n, ");\n");
    return call.data;
}

bool nn_is_zero(const Graph *g, ValueId v)
{
    if (!has_value(v) || !value_at(g, v)->data)
        return false;
    const Value *value = value_at(g, v);
    for (int64_t i = 0; i < type_count(&value->type); i++)
        if (elem_f64(value->type.dtype, value->data, (size_t)i) != 0)
            return false;
    return true;
}
