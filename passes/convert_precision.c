/* convert-precision: computes in bf16 where that pays, with f32 accumulation, and in f32 elsewhere.
 *
 * Needs nothing, kills all columns; runs after the passes that fold constants into f32 weights. Inputs and outputs
 * of the model stay f32. Three kinds of nodes:
 *
 *   heavy    convolutions and products with enough arithmetic for what they move: bf16
 *   follows  nodes that lose no more than storing in bf16 does, or that only move elements: bf16 where all their operands
 *            are made in bf16 and what they make is read by a product in the end. Products with little arithmetic,
 *            such as depthwise convolutions, are such nodes, too
 *   f32      all others: softmax, norms over rows, reductions, recurrences, boxes, everything after the last heavy node
 *
 * A value that both kinds read has two forms, and one Cast leads from one to the other. What a node takes beside its
 * data (bias, slope, per-channel factors, the numbers of a batch norm) stays f32; weights are rounded here. */
#include "pass.h"

#include "../gen/dnnl/support.h"
#include "../gen/ops/macs.h"
#include "../gen/ops/ops.h"
#include "common/util.h"

#include <string.h>

typedef enum Role { ROLE_F32, ROLE_FOLLOWS, ROLE_HEAVY } Role;

/* Multiply-accumulates for each element read or written below which a product gains too little to be worth a Cast; and
 * to be worth two, where neither what it reads nor what it makes is bf16 otherwise. */
enum { HEAVY_MIN = 8, ALONE_MIN = 64 };

typedef struct Convert {
    Graph *g;
    Uses uses;
    Rewrite rw;
    Arena *scratch;
    bool *half;    /* by node: computed in bf16 */
    ValueId *bf16; /* by value: its bf16 form, NO_VALUE before there is one */
    uint32_t n_values, n_half, n_casts;
} Convert;

static bool is_depthwise(const Graph *g, const Node *n)
{
    int64_t group = attr_int(n, "group", 1);
    return group > 1 && group == type_of(g, n->in[0])->dims[1];
}

/* Of the weights only those that are not constants: the others are packed for the cache. */
static bool has_work(const Graph *g, const Node *n, int least)
{
    double moved = (double)type_count(type_of(g, n->in[0])) +
                   (double)type_count(type_of(g, n->out[0])) +
                   (is_const(g, n->in[1]) ? 0 : (double)type_count(type_of(g, n->in[1])));
    return (double)node_macs(g, n) >= least * moved;
}

/* oneDNN 3.7.2's bf16 convolution with AMX writes nothing where the source is one deep, the kernel deeper, and the channels are
 * an odd number below 17. */
static bool is_flat_in_3d(const Graph *g, const Node *n)
{
    const TensorType *src = type_of(g, n->in[0]), *weights = type_of(g, n->in[1]);
    return src->rank == 5 && src->dims[2] == 1 && weights->dims[2] > 1 && src->dims[1] % 2;
}

static Role role_of_product(const Machine *m, const Graph *g, const Node *n)
{
    const char *why;
    bool conv = op_info(n->op)->class == CLASS_CONV;
    if (!onednn_supports(g, n, &why) || onednn_too_small(m, g, n, &why) ||
        (conv && (!is_const(g, n->in[1]) || is_flat_in_3d(g, n))))
        return ROLE_F32;
    if (conv && is_depthwise(g, n))
        return ROLE_FOLLOWS;
    return has_work(g, n, HEAVY_MIN) ? ROLE_HEAVY : ROLE_FOLLOWS;
}

static Role role_of(const Machine *m, const Graph *g, const Node *n)
{
    const char *why;
    if (op_has(n->op, TRAIT_HALF_PRODUCT))
        return role_of_product(m, g, n);
    bool half = op_has(n->op, TRAIT_HALF) ||
                (op_has(n->op, TRAIT_HALF_PRIMITIVE) && onednn_supports(g, n, &why));
    return half ? ROLE_FOLLOWS : ROLE_F32;
}

static bool all_f32(const Graph *g, const Node *n)
{
    for (uint32_t k = 0; k < n->n_in + n->n_out; k++) {
        ValueId v = k < n->n_in ? n->in[k] : n->out[k - n->n_in];
        if (has_value(v) && type_of(g, v)->dtype != DT_F32)
            return false;
    }
    return n->n_in > 0 && n->n_out > 0;
}

/* Operands that stay f32 beside bf16 data, where they are constants: see shape_eltwise and shape_conv. */
static bool keeps_f32(const Graph *g, const Node *n, uint32_t k)
{
    if (k == 0 || !is_const(g, n->in[k]))
        return false;
    return op_has(n->op, TRAIT_HALF_PRODUCT) ? k == 2 : op_info(n->op)->max_in >= 0;
}

/* Every operand that is not a constant is made in bf16, and one is. The first one gives the result its type: a constant
 * there has to change places with the second. */
static bool follows(const Convert *c, const Node *n)
{
    uint32_t n_half = 0;
    for (uint32_t k = 0; k < n->n_in; k++) {
        if (!has_value(n->in[k]) || is_const(c->g, n->in[k]))
            continue;
        if (!def_of(c->g, n->in[k]) || !c->half[value_at(c->g, n->in[k])->def.i])
            return false;
        n_half++;
    }
    return n_half > 0 && (!is_const(c->g, n->in[0]) || op_info(n->op)->max_in < 0 ||
                          op_has(n->op, TRAIT_COMMUTES | TRAIT_NEARLY_COMMUTES));
}

/* A node that computes in bf16, or stays f32, reads v. */
static bool is_read_in(const Convert *c, ValueId v, bool bf16)
{
    for (uint32_t u = c->uses.start[v.i]; u < c->uses.start[v.i + 1]; u++)
        if (c->half[c->uses.node[u].i] == bf16)
            return true;
    return false;
}

static bool read_in_bf16(const Convert *c, const Node *n)
{
    for (uint32_t k = 0; k < n->n_out; k++)
        if (has_value(n->out[k]) && is_read_in(c, n->out[k], true))
            return true;
    return false;
}

static bool is_made_in_bf16(const Convert *c, ValueId v)
{
    return has_value(v) && def_of(c->g, v) && c->half[value_at(c->g, v)->def.i];
}

static bool reads_bf16(const Convert *c, const Node *n)
{
    for (uint32_t k = 0; k < n->n_in; k++)
        if (is_made_in_bf16(c, n->in[k]))
            return true;
    return false;
}

static bool stays_half(const Convert *c, const Node *n, Role role)
{
    if (role == ROLE_FOLLOWS)
        return op_has(n->op, TRAIT_HALF_PRODUCT) || read_in_bf16(c, n);
    return read_in_bf16(c, n) || reads_bf16(c, n) || has_work(c->g, n, ALONE_MIN);
}

static void choose(Convert *c, const Machine *m)
{
    Graph *g = c->g;
    Role *role = ARENA_ARRAY(c->scratch, Role, (size_t)g->n_nodes + 1);
    for (uint32_t i = 0; i < g->n_nodes; i++) {
        const Node *n = &g->nodes[i];
        role[i] = all_f32(g, n) ? role_of(m, g, n) : ROLE_F32;
        c->half[i] = role[i] == ROLE_HEAVY || (role[i] == ROLE_FOLLOWS && follows(c, n));
    }
    /* backwards: whoever reads a node has been decided on before it, so what is left has its operands still */
    for (uint32_t i = g->n_nodes; i-- > 0;) {
        c->half[i] = c->half[i] && stays_half(c, &g->nodes[i], role[i]);
        c->n_half += c->half[i];
    }
}

/* --- rebuilding -------------------------------------------------------------------------------------------------- */

static ValueId rounded_const(Convert *c, ValueId v)
{
    const Value *value = value_at(c->g, v);
    TensorType t = value->type;
    const float *from = value->data;
    size_t n = (size_t)type_count(&t);
    t.dtype = DT_BF16;
    uint16_t *data = arena_alloc(c->g->arena, type_bytes(&t) + 1);
    for (size_t i = 0; i < n; i++)
        data[i] = f32_to_bf16(from[i]);
    return graph_add_const(c->g, arena_printf(c->g->arena, "%s_bf16", value->name), t, data);
}

static ValueId cast(Convert *c, ValueId v, DType to)
{
    const Node *def = def_of(c->g, v);
    const Node like = {.op = OP_Cast,
                       .name = def ? def->name : "",
                       .model_index = def ? def->model_index : UINT32_MAX};
    c->n_casts++;
    return add_cast(c->g, &like, v, to);
}

/* The bf16 form of a value, made at the first call. */
static ValueId in_bf16(Convert *c, ValueId v)
{
    if (!has_value(c->bf16[v.i]))
        c->bf16[v.i] = is_const(c->g, v) ? rounded_const(c, v) : cast(c, v, DT_BF16);
    return c->bf16[v.i];
}

/* The same node over bf16 values; who still reads the f32 outputs gets them through a Cast. */
static bool convert(Convert *c, uint32_t i)
{
    Graph *g = c->g;
    Node n = g->nodes[i];
    ValueId *in = ARENA_ARRAY(c->scratch, ValueId, n.n_in);
    for (uint32_t k = 0; k < n.n_in; k++)
        in[k] = !has_value(n.in[k]) || keeps_f32(g, &n, k) ? n.in[k] : NO_VALUE;
    bool swap = op_info(n.op)->max_in >= 0 && is_const(g, n.in[0]);
    for (uint32_t k = 0; k < n.n_in; k++)
        if (has_value(n.in[k]) && !has_value(in[k]) && !(swap && k == 0))
            in[k] = in_bf16(c, n.in[k]);
    if (swap) {
        in[0] = in[1];
        in[1] = n.in[0];
    }
    const NodeId made = add_like(g, &n, in, n.attr, n.n_attr, "_bf16");
    if (made.i == NO_NODE.i)
        return false;
    for (uint32_t k = 0; k < n.n_out; k++)
        if (has_value(n.out[k]))
            c->bf16[n.out[k].i] = node_at(g, made)->out[k];
    return true;
}

static bool rebuild(Convert *c)
{
    Graph *g = c->g;
    uint32_t n_nodes = g->n_nodes;
    c->bf16 = ARENA_ARRAY(c->scratch, ValueId, (size_t)c->n_values + 1);
    memset(c->bf16, 0xff, ((size_t)c->n_values + 1) * sizeof *c->bf16);
    for (uint32_t i = 0; i < n_nodes; i++) {
        if (!c->half[i])
            continue;
        if (!convert(c, i))
            return false;
        Node n = g->nodes[i];
        for (uint32_t k = 0; k < n.n_out; k++)
            if (has_value(n.out[k]) &&
                (is_read_in(c, n.out[k], false) || c->uses.is_output[n.out[k].i]))
                rewrite_replace(&c->rw, n.out[k], cast(c, c->bf16[n.out[k].i], DT_F32));
    }
    return true;
}

bool pass_convert_precision(Graph *g, const PassOptions *options, const char **report)
{
    const Machine m = options->machine ? *options->machine : machine_of_isa(NULL);
    Arena *scratch = arena_new();
    Convert c = {.g = g,
                 .uses = graph_uses(g, scratch),
                 .rw = rewrite_begin(g),
                 .scratch = scratch,
                 .n_values = g->n_values};
    uint32_t n = g->n_nodes;
    c.half = ARENA_ARRAY(scratch, bool, (size_t)n + 1);
    choose(&c, &m);
    bool good = rebuild(&c);
    if (good && c.n_half)
        graph_apply(&c.rw);
    *report =
        arena_printf(g->arena, "%u of %u nodes compute in bf16, %u casts", c.n_half, n, c.n_casts);
    arena_free(scratch);
    return good;
}
