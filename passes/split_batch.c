/* split-batch: layers whose data would leave the second cache are computed for some images of a batch after the others.
 *
 * A layer of eight images writes eight times what one image takes before the next layer reads it; a chain of layers for one image at a time
 * finds most of it in L2, and needs less memory. The price are calls, and weights, which each part of the batch reads again. So large images
 * with few weights, at the beginning of most networks, are taken one by one or in small groups, and small ones with many weights all together.
 *
 *     y = f(x), z = g(y)  becomes  y0 = f(Slice(x, 0)), z0 = g(y0), y1 = f(Slice(x, 1)), …, z = Concat(z0, z1, …)
 *
 * Slices and Concats along the first dimension move no byte: lowering makes views and places of them. Needs nothing, kills all columns. Run it
 * when the graph is as small as it gets: what comes out has each node many times, and every pass behind it works on all of them.
 *
 * A batch is the first dimension of an input of the model, or of a variant of it. The number of parts is chosen for each node, from a model of
 * the time that data, weights and calls take, so that the whole chain takes the least: neighbours with other numbers read what was made in all
 * parts. */
#include "pass.h"

#include "../gen/machine/machine.h"
#include "../gen/ops/macs.h"
#include "../gen/ops/ops.h"
#include "common/images.h"
#include "common/util.h"

#include <math.h>
#include <string.h>

enum {
    CHOICES = 5, /* 1, 2, 4, 8 or 16 parts */
    MOST_PARTS = 1 << (CHOICES - 1),
    MOST_NODES = 1 << 12, /* that are added for a chain */
};

static const double worth = 0.02; /* of the time of a chain: what it has to gain */

typedef struct Split {
    Rewrite rw;
    Uses uses;
    Machine m;
    double weights_rate, call_ns, kernel_ns;
    uint32_t n_nodes, n_values; /* of the graph as it was */
    uint8_t *choice;            /* by node: 1 << that many parts */
    uint8_t *parts;             /* by value: into how many it is cut; 0: it is not */
    ValueId (*part)[MOST_PARTS];
    uint32_t chains, nodes; /* for the report */
} Split;

/* The size of a variant's batch: the first dimension of its input that is the largest. 1: there is none. */
static int64_t batch_of(const Graph *g, uint32_t variant)
{
    const uint32_t each = inputs_each(g);
    int64_t images = 1;
    size_t most = 0;
    for (uint32_t i = variant * each; i < (variant + 1) * each; i++) {
        const TensorType *t = type_of(g, g->inputs[i].value);
        if (t->rank > 1 && type_bytes(t) > most) {
            most = type_bytes(t);
            images = t->dims[0];
        }
    }
    return images;
}

/* --- into how many parts ------------------------------------------------------------------------------------------------ */

/* A view, or a function that becomes part of the layer before it. */
static bool is_free(const Graph *g, const Node *n)
{
    uint32_t operands = 0;
    for (uint32_t i = 0; i < n->n_in; i++)
        operands += has_value(n->in[i]) && !is_const(g, n->in[i]);
    return n->op == OP_Reshape || n->op == OP_Slice || n->op == OP_Concat ||
           (op_info(n->op)->class == CLASS_ELTWISE && operands == 1);
}

/* What a node reads and writes that is no constant; and the constants. */
static double bytes_of(const Graph *g, const Node *n, double *weights)
{
    double bytes = bytes_made(g, n);
    *weights = 0;
    for (uint32_t i = 0; i < n->n_in; i++)
        if (has_value(n->in[i]))
            *(is_const(g, n->in[i]) ? weights : &bytes) += (double)type_bytes(type_of(g, n->in[i]));
    return bytes;
}

/* Nanoseconds a byte, of a layer's data of that size: a part of them is still in L2. What no last cache holds is read before it is written. */
static double byte_ns(const Machine *m, double bytes)
{
    enum { LAST = 8 }; /* caches of that size */
    const double kept = machine_kept_bytes(m), near = bytes <= kept ? 1 : kept / bytes,
                 rate = bytes > LAST * m->l2_bytes ? m->memory_rate / 2 : m->memory_rate;
    return near / m->l2_rate + (1 - near) / rate;
}

static double node_ns(const Split *s, const Node *n, uint32_t choice)
{
    const Graph *g = s->rw.g;
    double weights, bytes = bytes_of(g, n, &weights);
    const double parts = (double)(1u << choice);
    if (is_free(g, n))
        return 0;
    return bytes * byte_ns(&s->m, bytes / parts) +
           parts * (weights / s->weights_rate + (node_macs(g, n) ? s->call_ns : s->kernel_ns));
}

/* What a node reads comes from all parts of another chain. What follows element by element stays with the layer before it, whose epilogue it may
 * become. */
static double change_ns(const Split *s, const Node *n, bool splits)
{
    double weights;
    const double bytes = bytes_of(s->rw.g, n, &weights);
    return splits && op_info(n->op)->class == CLASS_ELTWISE ? INFINITY
                                                            : bytes * byte_ns(&s->m, bytes);
}

/* The choices that take the least time together, each depending on that of the node before: dynamic programming. Layers of other batches keep theirs. */
static void choose_parts(Split *s, int64_t images, Arena *scratch)
{
    const Graph *g = s->rw.g;
    uint8_t(*from)[CHOICES] = arena_alloc(scratch, (size_t)s->n_nodes * sizeof *from + 1);
    double least[CHOICES] = {0, INFINITY, INFINITY, INFINITY, INFINITY};
    for (uint32_t i = 0; i < s->n_nodes; i++) {
        const Node *n = &g->nodes[i];
        const bool can = computes_images(g, n, images);
        const double change = change_ns(s, n, can);
        double next[CHOICES];
        for (uint32_t c = 0; c < CHOICES; c++) {
            from[i][c] = (uint8_t)c;
            next[c] = least[c];
            for (uint32_t k = 0; k < CHOICES; k++)
                if (least[k] + change < next[c]) {
                    next[c] = least[k] + change;
                    from[i][c] = (uint8_t)k;
                }
            next[c] += c && (!can || images % (1 << c)) ? INFINITY : node_ns(s, n, c);
        }
        memcpy(least, next, sizeof least);
    }
    uint32_t best = 0;
    for (uint32_t c = 1; c < CHOICES; c++)
        best = least[c] < least[best] ? c : best;
    for (uint32_t i = s->n_nodes; i-- > 0; best = from[i][best])
        if (best)
            s->choice[i] = (uint8_t)best;
}

/* Once for each batch that variants have. */
static void choose_all_parts(Split *s, Arena *scratch)
{
    const Graph *g = s->rw.g;
    for (uint32_t variant = 0; variant < g->variants.n; variant++) {
        const int64_t images = batch_of(g, variant);
        bool chosen = images == 1;
        for (uint32_t before = 0; before < variant; before++)
            chosen = chosen || batch_of(g, before) == images;
        if (!chosen)
            choose_parts(s, images, scratch);
    }
}

static bool is_worth_it(const Split *s, uint32_t from, uint32_t to)
{
    double whole = 0, split = 0, macs = 0;
    for (uint32_t i = from; i < to; i++) {
        const Node *n = &s->rw.g->nodes[i];
        whole += node_ns(s, n, 0);
        split += node_ns(s, n, s->choice[i]);
        macs += (double)node_macs(s->rw.g, n);
    }
    return whole - split > worth * (whole + macs / s->m.conv_macs) &&
           (to - from) << s->choice[from] <= MOST_NODES;
}

/* --- the chain for each part -------------------------------------------------------------------------------------------- */

static ValueId part_of(Split *s, const Node *like, ValueId v, uint32_t parts, uint32_t k)
{
    Graph *g = s->rw.g;
    if (!has_value(v) || is_const(g, v))
        return v;
    const int64_t each = type_of(g, v)->dims[0] / parts;
    if (s->parts[v.i] != parts) {
        for (uint32_t i = 0; i < parts; i++)
            s->part[v.i][i] = add_slice(g, like, v, 0, each * i, each);
        s->parts[v.i] = (uint8_t)parts;
    }
    return s->part[v.i][k];
}

static void add_part(Split *s, uint32_t node, uint32_t parts, uint32_t k)
{
    Graph *g = s->rw.g;
    const Node n = g->nodes[node];
    const char *name = images_attr(&n);
    ValueId *in = ARENA_ARRAY(g->arena, ValueId, n.n_in);
    Attr *attr = arena_copy(g->arena, n.attr, n.n_attr * sizeof *attr);
    for (uint32_t i = 0; i < n.n_in; i++)
        in[i] = part_of(s, &n, n.in[i], parts, k);
    for (uint32_t i = 0; name && i < n.n_attr; i++)
        if (!strcmp(attr[i].name, name)) {
            int64_t *sizes = arena_copy(g->arena, attr[i].ints, attr[i].n * sizeof *sizes);
            sizes[0] /= parts;
            attr[i].ints = sizes;
        }
    const NodeId made = add_like(g, &n, in, attr, n.n_attr, arena_printf(g->arena, "_part%u", k));
    s->part[n.out[0].i][k] = node_at(g, made)->out[0];
}

static bool is_read_outside(const Split *s, ValueId v, uint32_t from, uint32_t to)
{
    for (uint32_t u = s->uses.start[v.i]; u < s->uses.start[v.i + 1]; u++)
        if (s->uses.node[u].i < from || s->uses.node[u].i >= to)
            return true;
    return s->uses.is_output[v.i];
}

static void split_chain(Split *s, uint32_t from, uint32_t to)
{
    Graph *g = s->rw.g;
    const uint32_t parts = 1u << s->choice[from];
    for (uint32_t i = from; i < to; i++)
        s->parts[g->nodes[i].out[0].i] = (uint8_t)parts;
    for (uint32_t k = 0; k < parts; k++)
        for (uint32_t i = from; i < to; i++)
            add_part(s, i, parts, k);
    for (uint32_t i = from; i < to; i++) {
        const Node n = g->nodes[i];
        if (is_read_outside(s, n.out[0], from, to))
            rewrite_replace(&s->rw, n.out[0], add_concat(g, &n, s->part[n.out[0].i], parts, 0));
    }
    s->chains++;
    s->nodes += to - from;
}

static Split split_begin(Graph *g, const PassOptions *options, Arena *scratch)
{
    Split s = {.rw = rewrite_begin(g),
               .uses = graph_uses(g, scratch),
               .m = options->machine ? *options->machine : machine_of_isa(options->isa),
               .n_nodes = g->n_nodes,
               .n_values = g->n_values};
    const double region = options->threads > 1 ? s.m.region_ns : 0;
    double weights = 0;
    for (uint32_t i = 0; i < g->n_values; i++)
        if (is_const(g, (ValueId){i}))
            weights += (double)type_bytes(&g->values[i].type);
    s.weights_rate = machine_weights(&s.m, weights).rate;
    s.call_ns = s.m.call_ns + region;
    s.kernel_ns = s.m.kernel_call_ns + region;
    s.choice = ARENA_ARRAY(scratch, uint8_t, s.n_nodes + 1);
    s.parts = ARENA_ARRAY(scratch, uint8_t, s.n_values + 1);
    s.part = arena_alloc(scratch, (size_t)(s.n_values + 1) * sizeof *s.part);
    return s;
}

bool pass_split_batch(Graph *g, const PassOptions *options, const char **report)
{
    Arena *scratch = arena_new();
    Split s = split_begin(g, options, scratch);
    if (!options->target_c)
        choose_all_parts(&s, scratch);
    for (uint32_t i = 0, end; i < s.n_nodes; i = end) {
        for (end = i + 1; end < s.n_nodes && s.choice[end] == s.choice[i];)
            end++;
        if (s.choice[i] && is_worth_it(&s, i, end))
            split_chain(&s, i, end);
    }
    graph_apply(&s.rw);
    *report = arena_printf(g->arena, "%u nodes in %u chains compute parts of the batch", s.nodes,
                           s.chains);
    arena_free(scratch);
    return !g->diag->message;
}
