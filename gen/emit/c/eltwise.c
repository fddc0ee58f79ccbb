/* Elementwise kernels: one node, or a fused group of nodes, as one loop nest. Values inside a group are locals. */
#include "expr.h"
#include "loops.h"
#include "ops.h"

#include <string.h>

typedef struct Eltwise {
    CKernel *k;
    const Step *s;
    Loops *loops;      /* operands: the inputs of the step, then its outputs */
    const char **name; /* by input of the step: the local that holds its element */
    bool *scalar;      /* by input: the same element everywhere, loaded before the loops */
    const char **made; /* by node of the group: the local that holds its result */
    Text before, body;
} Eltwise;

static const Buffer *buffer_at(const Eltwise *e, BufferId id)
{
    return &e->k->program->buffers[id];
}

/* The value that input i of the step is read for. The buffer's own may be another: constants of equal contents
 * share one. */
static ValueId input_value(const Eltwise *e, uint32_t i)
{
    const Graph *g = e->k->g;
    const Columns *c = g->columns;
    if (e->s->n_nodes == 1)
        return node_in(node_at(g, e->s->node), i);
    if (c && c->composite && c->composite[e->s->node.i] != NO_ROW)
        return c->composites[c->composite[e->s->node.i]].args[i];
    return buffer_at(e, e->s->in[i])->value;
}

/* --- the loop nest ---------------------------------------------------------------------------------------------------- */

/* Strides of a buffer along the dimensions of `shape`, to which it broadcasts. */
static void broadcast_strides(const Buffer *b, const TensorType *shape, int64_t *strides)
{
    int64_t own[MAX_RANK];
    layout_strides(&b->layout, &b->type, own);
    for (int d = 0; d < shape->rank; d++) {
        int at = d - (shape->rank - b->type.rank);
        strides[d] = at < 0 || b->type.dims[at] == 1 ? 0 : own[at];
    }
}

/* A blocked dimension becomes two: the blocks and, innermost, what is inside. An operand that is not blocked walks a block of its
 * own stride. Accepted only where no block is partial. */
static void add_dims(Loops *l, const TensorType *shape, const Layout *layout,
                     int64_t (*strides)[MAX_RANK], const bool *blocked)
{
    int64_t at[l->n ? l->n : 1];
    for (int d = 0; d < shape->rank; d++) {
        bool split = layout->block && d == layout->block_dim;
        for (int o = 0; o < l->n; o++)
            at[o] = split && !blocked[o] ? strides[o][d] * layout->block : strides[o][d];
        loops_dim(l, split ? shape->dims[d] / layout->block : shape->dims[d], at);
    }
    if (!layout->block)
        return;
    for (int o = 0; o < l->n; o++)
        at[o] = blocked[o] ? 1 : strides[o][layout->block_dim];
    loops_dim(l, layout->block, at);
}

static Loops *make_loops(const Eltwise *e, const Buffer *dst)
{
    const Step *s = e->s;
    uint32_t n = s->n_in + s->n_out;
    Arena *arena = e->k->arena;
    Loops *l = loops_new(arena, (int)n);
    int64_t(*strides)[MAX_RANK] = arena_alloc_array(arena, n, sizeof *strides);
    bool *blocked = ARENA_ARRAY(arena, bool, n);
    for (uint32_t i = 0; i < n; i++) {
        BufferId id = i < s->n_in ? s->in[i] : s->out[i - s->n_in];
        if (id == NO_BUFFER)
            continue;
        broadcast_strides(buffer_at(e, id), &dst->type, strides[i]);
        blocked[i] = buffer_at(e, id)->layout.block > 0;
    }
    add_dims(l, &dst->type, &dst->layout, strides, blocked);
    loops_sort(l, (int)s->n_in);
    loops_coalesce(l);
    return l;
}

/* --- the body ----------------------------------------------------------------------------------------------------------- */

static bool is_read(const Eltwise *e, uint32_t i)
{
    const Graph *g = e->k->g;
    ValueId v = input_value(e, i);
    for (uint32_t j = 0; j < i; j++)
        if (e->s->in[j] != NO_BUFFER && same_value(input_value(e, j), v))
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
            return arena_printf(e->k->arena, "dst%u", o);
    return arena_printf(e->k->arena, "src%u", i);
}

static int body_indent(const Eltwise *e)
{
    return 4 + 4 * e->loops->rank;
}

static void declare(const Eltwise *e, Text *t, int indent, DType type, const char *name,
                    const char *value)
{
    c_put_assign(t, indent, arena_printf(e->k->arena, "const %s %s", c_compute_type(type), name),
                 value);
}

static void load_input(Eltwise *e, uint32_t i)
{
    CKernel *k = e->k;
    DType t = buffer_at(e, e->s->in[i])->type.dtype;
    const char *from = source(e, i);
    if (*from == 'd' || !is_read(e, i))
        text_printf(&e->before, "    (void)src%u;\n", i);
    if (!is_read(e, i))
        return;
    e->scalar[i] = is_scalar(e, i);
    const char *element =
        arena_printf(k->arena, "%s[%s]", from, loops_index(e->loops, (int)i, 0, e->loops->rank));
    element = t == DT_BOOL ? arena_printf(k->arena, "%s != 0", element) : c_load(k, t, element);
    declare(e, e->scalar[i] ? &e->before : &e->body, e->scalar[i] ? 4 : body_indent(e), t,
            e->name[i], element);
}

/* The local that holds a value: a result of the group, or an input. */
static const char *local(const Eltwise *e, ValueId v)
{
    for (uint32_t j = 0; j < e->s->n_nodes; j++)
        if (e->made[j] && same_value(node_at(e->k->g, e->s->nodes[j])->out[0], v))
            return e->made[j];
    for (uint32_t i = 0; i < e->s->n_in; i++)
        if (e->s->in[i] != NO_BUFFER && same_value(input_value(e, i), v))
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

static void store_output(Eltwise *e, uint32_t o)
{
    CKernel *k = e->k;
    const Buffer *b = buffer_at(e, e->s->out[o]);
    const char *value = NULL;
    if (e->s->n_nodes == 1)
        value = node_expr(e, k->node);
    else
        value = local(e, b->value);
    if (dtype_size(b->type.dtype) == 2 && dtype_is_float(b->type.dtype) && strlen(value) > 2) {
        declare(e, &e->body, body_indent(e), b->type.dtype, "r", value);
        value = "r";
    }
    const char *index = loops_index(e->loops, (int)(e->s->n_in + o), 0, e->loops->rank);
    c_put_assign(&e->body, body_indent(e), arena_printf(k->arena, "dst%u[%s]", o, index),
                 c_store(k, b->type.dtype, value));
}

static void write_nodes(Eltwise *e)
{
    CKernel *k = e->k;
    for (uint32_t j = 0; j < e->s->n_nodes; j++) {
        const Node *n = node_at(k->g, e->s->nodes[j]);
        c_put_made(k, &e->body, body_indent(e), n, j, c_rounded(k, j, node_expr(e, n)));
        e->made[j] = arena_printf(k->arena, "t%u", j);
    }
}

static void write_body(Eltwise *e)
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

static void name_inputs(Eltwise *e)
{
    static const char *const xyz[] = {"x", "y", "z"};
    bool few = e->s->n_nodes == 1 && e->s->n_in <= 3;
    for (uint32_t i = 0; i < e->s->n_in; i++)
        e->name[i] = few ? xyz[i] : arena_printf(e->k->arena, "a%u", i);
}

static const Buffer *first_output(const Eltwise *e)
{
    for (uint32_t o = 0; o < e->s->n_out; o++)
        if (e->s->out[o] != NO_BUFFER)
            return buffer_at(e, e->s->out[o]);
    bug("%s has no output", e->k->fn);
}

static int statements(const char *s)
{
    int n = 0;
    while ((s = strchr(s, ';')))
        s++, n++;
    return n;
}

static void write_empty(Eltwise *e)
{
    Text *out = e->k->out;
    text_puts(out, "    /* no elements */\n");
    for (uint32_t i = 0; i < e->s->n_in; i++)
        if (e->s->in[i] != NO_BUFFER)
            text_printf(out, "    (void)src%u;\n", i);
    for (uint32_t o = 0; o < e->s->n_out; o++)
        if (e->s->out[o] != NO_BUFFER)
            text_printf(out, "    (void)dst%u;\n", o);
}

/* An operand in whose place a result stands is read by the iteration that overwrites it. */
static bool walks_alike(const Eltwise *e)
{
    for (uint32_t i = 0; i < e->s->n_in; i++)
        for (uint32_t o = 0; o < e->s->n_out; o++)
            for (int d = 0; d < e->loops->rank && c_overlaps(e->k, i, o); d++)
                if (e->loops->stride[i][d] != e->loops->stride[e->s->n_in + o][d])
                    return false;
    return true;
}

/* A function is five. */
static double operations_of(const Eltwise *e)
{
    double each = e->s->n_in + e->s->n_out, n = 1;
    for (uint32_t i = 0; i < e->s->n_nodes; i++)
        each += op_has(node_at(e->k->g, e->s->nodes[i])->op, TRAIT_FUNCTION) ? 5 : 1;
    for (int d = 0; d < e->loops->rank; d++)
        n *= (double)e->loops->dims[d];
    return n * each;
}

bool emit_c_eltwise(CKernel *k)
{
    Arena *arena = k->arena;
    Eltwise e = {.k = k, .s = k->step};
    e.name = ARENA_ARRAY(arena, const char *, e.s->n_in + 1);
    e.scalar = ARENA_ARRAY(arena, bool, e.s->n_in + 1);
    e.made = ARENA_ARRAY(arena, const char *, e.s->n_nodes);
    text_init(&e.before, arena);
    text_init(&e.body, arena);
    e.loops = make_loops(&e, first_output(&e));
    if (walks_alike(&e) && c_share(k, e.loops->rank ? e.loops->dims[0] : 0, operations_of(&e)))
        e.loops->shared = 0;
    text_printf(k->out, "%s{\n", c_signature(k));
    if (e.loops->empty) {
        write_empty(&e);
    } else {
        name_inputs(&e);
        write_body(&e);
        text_append(k->out, e.before.data, e.before.size);
        bool braces = statements(e.body.data) > 1;
        loops_open(k->out, e.loops, 0, e.loops->rank, 4, braces);
        text_append(k->out, e.body.data, e.body.size);
        if (braces)
            loops_close(k->out, e.loops, 0, e.loops->rank, 4);
    }
    text_puts(k->out, "}\n");
    return true;
}

bool emit_c_cast(CKernel *k)
{
    return emit_c_eltwise(k);
}

bool emit_c_where(CKernel *k)
{
    return emit_c_eltwise(k);
}

bool emit_c_sum(CKernel *k)
{
    return emit_c_eltwise(k);
}
