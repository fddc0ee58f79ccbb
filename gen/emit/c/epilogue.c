/* Epilogues of the portable C kernels: see emit/c/epilogue.h. */
#include "epilogue.h"

#include "../../kernel/layers.h"

#include "../../ops/ops.h"
#include "algorithms.h"
#include "expr.h"

#include <string.h>

bool nn_has_epilogue(const CKernel *k)
{
    return k->step->n_nodes > 1;
}

typedef struct Epilogue {
    CKernel *k;
    EpilogueOperands operands;
    Bindings *b;
    ValueId *known; /* values that have a local, and its name */
    const char **name;
    uint32_t n_known;
} Epilogue;

static void know(Epilogue *t, ValueId v, const char *name)
{
    t->known[t->n_known] = v;
    t->name[t->n_known++] = name;
}

static const char *literal(const Epilogue *t, ValueId v)
{
    const Value *value = value_at(t->k->g, v);
    DType type = value->type.dtype;
    return dtype_is_float(type) ? c_float_literal(t->k->arena, type, elem_f64(type, value->data, 0))
                                : c_int_literal(t->k->arena, type, elem_i64(type, value->data, 0));
}

static const char *local(Epilogue *t, ValueId v)
{
    Arena *a = t->k->arena;
    for (uint32_t i = 0; i < t->n_known; i++)
        if (same_value(t->known[i], v))
            return t->name[i];
    if (!c_is_literal(t->k->g, v))
        bug("%s: its epilogue reads a value that its step does not", t->k->fn);
    const char *name = arena_printf(a, "c%u", t->n_known);
    c_bind_local(t->b, type_of(t->k->g, v)->dtype, name, literal(t, v));
    know(t, v, name);
    return name;
}

static const char *node_value(Epilogue *t, const Node *n)
{
    const char **operands = ARENA_ARRAY(t->k->arena, const char *, n->n_in + 3);
    for (uint32_t i = 0; i < n->n_in; i++)
        operands[i] =
            has_value(n->in[i]) && !c_expr_ignores(t->k->g, n, i) ? local(t, n->in[i]) : "";
    return c_eltwise_expr(t->k, n, operands);
}

/* The last node's value is what is returned. */
static void put_return(Epilogue *t, const Node *n, uint32_t j)
{
    DType made = type_of(t->k->g, n->out[0])->dtype;
    const char *value = node_value(t, n);
    if (dtype_size(made) < 4 && made != DT_BOOL) { /* rounded, or cut, by name */
        c_bind_made(t->k, t->b, n, j, value);
        value = c_store(t->k, made, arena_printf(t->k->arena, "t%u", j));
    }
    bind(t->b, "result", "%s", value);
}

static void put_nodes(Epilogue *t)
{
    const Step *s = t->k->step;
    const uint32_t last = s->n_nodes - 1;
    for (uint32_t j = 0; j < last; j++) {
        const Node *n = node_at(t->k->g, s->nodes[j]);
        if (s->nodes[j].i == s->node.i)
            continue;
        c_bind_made(t->k, t->b, n, j, c_rounded(t->k, j, node_value(t, n)));
        know(t, n->out[0], arena_printf(t->k->arena, "t%u", j));
    }
    put_return(t, node_at(t->k->g, s->nodes[last]), last);
}

static uint32_t count_inputs(const Graph *g, const Step *s)
{
    uint32_t n = 0;
    for (uint32_t j = 0; j < s->n_nodes; j++)
        n += node_at(g, s->nodes[j])->n_in + 1;
    return n;
}

/* The operators of the epilogue, in their order: "Add, Relu". */
static const char *operators(const CKernel *k)
{
    enum { MOST = 6 };
    Text list = text_new(k->arena);
    uint32_t n = 0;
    for (uint32_t j = 0; j < k->step->n_nodes; j++) {
        const Node *node = node_at(k->g, k->step->nodes[j]);
        if (node != k->node && n++ < MOST)
            text_printf(&list, "%s%s", n > 1 ? ", " : "", op_info(node->op)->name);
    }
    if (n > MOST)
        text_printf(&list, " and %u more", n - MOST);
    return list.data;
}

static uint32_t index_of_anchor(const Step *s)
{
    uint32_t j = 0;
    while (s->nodes[j].i != s->node.i)
        j++;
    return j;
}

static void bind_parameter(const Epilogue *t, DType type, const char *name)
{
    Bindings *param = bind_row(t->b, "params");
    bind(param, "A_x", "%s", c_compute_type(type));
    bind(param, "param", "%s", name);
}

void c_emit_epilogue(CKernel *k)
{
    if (!nn_has_epilogue(k))
        return;
    const Step *s = k->step;
    Arena *a = k->arena;
    uint32_t most = count_inputs(k->g, s);
    Epilogue t = {.k = k, .operands = k->plan->epilogue, .b = nn_bindings(k)};
    t.known = ARENA_ARRAY(a, ValueId, most);
    t.name = ARENA_ARRAY(a, const char *, most);
    DType made = nn_out(k, 0)->dtype;
    bind_parameter(&t, made, "x");
    know(&t, k->node->out[0], "x");
    const char *rounded = is_half(made) /* every node rounds, fused or not */
                              ? c_load(k, made, c_store(k, made, "x"))
                              : c_rounded(k, index_of_anchor(s), "x");
    if (strcmp(rounded, "x")) {
        c_bind_local(t.b, made, "rounded", rounded);
        t.name[0] = "rounded";
    }
    for (uint32_t i = 0; i < t.operands.n; i++) {
        const char *name = k->input[k->node->n_in + i];
        bind_parameter(&t, type_of(k->g, t.operands.operand[i].value)->dtype, name);
        know(&t, t.operands.operand[i].value, name);
    }
    put_nodes(&t);
    DType stored = type_of(k->g, node_at(k->g, s->nodes[s->n_nodes - 1])->out[0])->dtype;
    bind(t.b, "T_stored", "%s", dtype_c(stored));
    bind(t.b, "operators", "%s", operators(k));
    nn_render(k, "c/epilogue.c", t.b);
}

const char *nn_epilogue_call(CKernel *k, const char *value, const char *const *operand)
{
    const EpilogueOperands operands = k->plan->epilogue;
    Text call = text_new(k->arena);
    text_printf(&call, "%s_epilogue(%s", k->fn, value);
    for (uint32_t i = 0; i < operands.n; i++) {
        DType t = type_of(k->g, operands.operand[i].value)->dtype;
        text_printf(&call, ", %s",
                    t == DT_BOOL ? arena_printf(k->arena, "%s != 0", operand[i])
                                 : c_load(k, t, operand[i]));
    }
    text_puts(&call, ")");
    return call.data;
}

const char *nn_result(CKernel *k, DType t, const char *value, const char *element,
                      const char *channel)
{
    if (!nn_has_epilogue(k))
        return nn_store(k, t, value);
    const EpilogueOperands operands = k->plan->epilogue;
    const char *operand[EPILOGUE_OPERANDS_MAX];
    for (uint32_t i = 0; i < operands.n; i++)
        operand[i] = arena_printf(k->arena, "%s[%s]", k->input[k->node->n_in + i],
                                  operands.operand[i].spread == EPILOGUE_FULL      ? element
                                  : operands.operand[i].spread == EPILOGUE_CHANNEL ? channel
                                                                                   : "0");
    return nn_epilogue_call(k, is_half(t) ? value : nn_store(k, t, value), operand);
}

/* What a template's function knows. */
typedef struct Result {
    CKernel *k;
    DType type;
} Result;

static const char *result_fn(const void *user, Arena *arena, const char *const *operand, size_t n)
{
    const Result *r = user;
    if (n != 3)
        bug("a result with %zu operands in a template", n);
    return c_part(arena, "STORED", nn_result(r->k, r->type, operand[0], operand[1], operand[2]));
}

void nn_bind_result(CKernel *k, Bindings *b, DType t)
{
    Result *r = ARENA_NEW(k->arena, Result);
    *r = (Result){k, t};
    bind_fn(b, "result", result_fn, r);
}
