/* Elementwise kernels: one node, or a fused group of nodes, as one loop nest. Values inside a group are locals. */
#include "../../kernel/layers.h"
#include "../../program/guard.h"
#include "expr.h"
#include "loops.h"
#include "nn.h"
#include "ops.h"

#include <string.h>

typedef struct Eltwise {
    CKernel *k;
    const Step *s;
    Loops *loops;      /* operands: the inputs of the step, then its outputs */
    const char **name; /* by input of the step: the local that holds its element */
    const char **made; /* by node of the group: the local that holds its result */
    Bindings *b;
} Eltwise;

static const Buffer *buffer_at(const Eltwise *e, BufferId id)
{
    return &e->k->program->buffers[id];
}

/* --- the body ----------------------------------------------------------------------------------------------------------- */

static bool is_read(const Eltwise *e, uint32_t i)
{
    const Graph *g = e->k->g;
    ValueId v = step_value_read(e->k->program, e->s, i);
    for (uint32_t j = 0; j < i; j++)
        if (e->s->in[j] != NO_BUFFER && same_value(step_value_read(e->k->program, e->s, j), v))
            return false; /* that one is read */
    for (uint32_t j = 0; j < e->s->n_nodes; j++) {
        const Node *n = node_at(g, e->s->nodes[j]);
        for (uint32_t in = 0; in < n->n_in; in++)
            if (same_value(n->in[in], v) && !c_expr_ignores(g, n, in))
                return true;
    }
    return false;
}

static bool is_scalar(const Eltwise *e, uint32_t i)
{
    for (int d = 0; d < e->loops->rank; d++)
        if (e->loops->stride[i][d])
            return false;
    return e->loops->rank > 0;
}

/* Where input i is read: from the output, if the kernel works in place. */
static const char *source(const Eltwise *e, uint32_t i)
{
    for (uint32_t o = 0; o < e->s->n_out; o++)
        if (c_in_place(e->k->program, e->s, i, o) &&
            buffer_at(e, e->s->in[i])->type.dtype == buffer_at(e, e->s->out[o])->type.dtype)
            return e->k->output[o];
    return e->k->input[i];
}

/* The local that holds a value: a result of the group, or an input. */
static const char *local(const Eltwise *e, ValueId v)
{
    for (uint32_t j = 0; j < e->s->n_nodes; j++)
        if (e->made[j] && same_value(node_at(e->k->g, e->s->nodes[j])->out[0], v))
            return e->made[j];
    for (uint32_t i = 0; i < e->s->n_in; i++)
        if (e->s->in[i] != NO_BUFFER && same_value(step_value_read(e->k->program, e->s, i), v))
            return e->name[i];
    bug("%s reads a value that its step does not", e->k->fn);
}

static const char *node_expr(const Eltwise *e, const Node *n)
{
    const char **operands = ARENA_ARRAY(e->k->arena, const char *, n->n_in + 3);
    for (uint32_t i = 0; i < n->n_in; i++)
        operands[i] = local(e, n->in[i]);
    return c_eltwise_expr(e->k, n, operands);
}

/* How often the nodes' expressions have a name in them. One with a condition counts twice: what is loaded under a condition hinders
 * vectors. */
static size_t count_uses(const Eltwise *e, const char *name)
{
    size_t uses = 0;
    for (uint32_t j = 0; j < e->s->n_nodes; j++) {
        const char *s = node_expr(e, node_at(e->k->g, e->s->nodes[j]));
        const size_t times = strpbrk(s, "?&|") ? 2 : 1;
        for (size_t word; *s; s += word ? word : 1) {
            word = word_length(s);
            if (word && word == strlen(name) && !strncmp(s, name, word))
                uses += times;
        }
    }
    return uses;
}

/* An element that is the same everywhere is loaded before the loops; one that is needed once stands where it is needed. */
static void load_input(const Eltwise *e, uint32_t i)
{
    const DType t = buffer_at(e, e->s->in[i])->type.dtype;
    const char *from = source(e, i);
    if (from != e->k->input[i] || !is_read(e, i))
        bind(bind_row(e->b, "unused"), "operand", "%s", e->k->input[i]);
    if (!is_read(e, i))
        return;
    const bool scalar = is_scalar(e, i);
    const char *index = loops_index(e->loops, (int)i, from, 0, e->loops->rank);
    if (!scalar && !strcmp(c_load(e->k, t, "x"), "x") && count_uses(e, e->name[i]) == 1) {
        e->name[i] = arena_printf(e->k->arena, "%s[%s]", from, index);
        return;
    }
    Bindings *load = bind_row(e->b, scalar ? "scalars" : "loads");
    nn_type_in(e->k, load, "x", t, c_compute_type(t));
    bind(load, scalar ? "scalar" : "input", "%s", e->name[i]);
    bind(load, "from", "%s", from);
    bind(load, "at_src", "%s", index);
}

static void store_output(const Eltwise *e, uint32_t o)
{
    CKernel *k = e->k;
    const Buffer *b = buffer_at(e, e->s->out[o]);
    const DType t = b->type.dtype;
    const char *value = e->s->n_nodes == 1 ? node_expr(e, k->node) : local(e, b->value);
    Bindings *result = bind_row(e->b, "results");
    nn_type_in(k, result, "x", t, c_compute_type(t));
    bind(result, "dst", "%s", k->output[o]);
    bind(result, "at_dst", "%s",
         loops_index(e->loops, (int)(e->s->n_in + o), k->output[o], 0, e->loops->rank));
    bind(result, "result", "%s", value);
    /* a conversion of more than a name */
    bind_int(result, "rounded", dtype_size(t) == 2 && dtype_is_float(t) && strlen(value) > 2);
}

static void write_nodes(const Eltwise *e)
{
    CKernel *k = e->k;
    for (uint32_t j = 0; j < e->s->n_nodes; j++) {
        const Node *n = node_at(k->g, e->s->nodes[j]);
        const char *value = node_expr(e, n);
        const DType t = type_of(k->g, n->out[0])->dtype;
        if (n->op == OP_Cast && (t == DT_F32 || t == DT_F64) && !strpbrk(value, " ["))
            e->made[j] = value; /* "(float)t2", which is as short as a name for it */
        else
            c_bind_made(k, e->b, n, j, c_rounded(k, j, value));
    }
}

static void write_body(const Eltwise *e)
{
    for (uint32_t i = 0; i < e->s->n_in; i++)
        if (e->s->in[i] != NO_BUFFER)
            load_input(e, i);
    if (e->s->n_nodes > 1)
        write_nodes(e);
    for (uint32_t o = 0; o < e->s->n_out; o++)
        if (e->s->out[o] != NO_BUFFER)
            store_output(e, o);
}

/* gcc unrolls a loop over few elements before it looks for vectors, which it then makes across such loops, by gathering. What is put in front of a loop keeps it from
 * that (templates/c/clones.c). Of 3, 5 or 7 elements it finds vectors all the same. */
static bool are_few_lanes(const Loops *l, uint32_t n_operands)
{
    const int last = l->rank - 1;
    if (l->rank < 2 || l->shared == last ||
        (l->dims[last] != 4 && l->dims[last] != 8 && l->dims[last] != 16))
        return false;
    for (uint32_t i = 0; i < n_operands; i++)
        if (l->stride[i][last] != 0 && l->stride[i][last] != 1)
            return false;
    return true;
}

static void name_locals(const Eltwise *e)
{
    static const char *const xyz[] = {"x", "y", "z"};
    bool few = e->s->n_nodes == 1 && e->s->n_in <= 3;
    for (uint32_t i = 0; i < e->s->n_in; i++)
        e->name[i] = few ? xyz[i] : arena_printf(e->k->arena, "a%u", i);
    for (uint32_t j = 0; j < e->s->n_nodes; j++)
        e->made[j] = arena_printf(e->k->arena, "t%u", j);
}

void emit_c_eltwise(CKernel *k)
{
    Arena *arena = k->arena;
    Eltwise e = {.k = k, .s = k->step};
    e.name = ARENA_ARRAY(arena, const char *, e.s->n_in + 1);
    e.made = ARENA_ARRAY(arena, const char *, e.s->n_nodes);
    e.loops = eltwise_loops_of(k->program, k->step);
    if (e.loops->empty) {
        nn_emit_nothing(k);
        return;
    }
    e.loops->shared = k->shared ? 0 : -1;
    e.b = nn_bindings(k);
    const bool lanes = are_few_lanes(e.loops, e.s->n_in + e.s->n_out);
    const int outer = e.loops->rank - lanes;
    bind_int(e.b, "lanes", lanes);
    loops_bind(e.b, "dims", e.loops, 0, outer);
    loops_bind(e.b, "last", e.loops, outer, e.loops->rank);
    name_locals(&e);
    write_body(&e);
    nn_render(k, "c/eltwise.c", e.b);
}
