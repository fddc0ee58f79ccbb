/* fold-constant: evaluates nodes whose inputs are all constants, with the reference evaluator.
 *
 * Needs nothing, kills all columns. Results stay unfolded when they would be larger than RESULT_MAX, when all results together would
 * exceed MADE_MAX and eight times the constants that there are, or take longer than WORK_MAX, or when an Expand or Tile blows up a small
 * constant that only elementwise nodes read: those broadcast it anyway. */
#include "pass.h"

#include "../gen/ops/ops.h"
#include "../gen/ops/work.h"
#include "common/fold.h"
#include "common/util.h"

enum {
    ENLARGE_MIN_BYTES = 1 << 20, /* a smaller result is never too large */
    ENLARGE_FACTOR = 16
};
static const size_t RESULT_MAX = (size_t)1 << 30, MADE_MAX = (size_t)1 << 30;
static const double WORK_MAX = 4e9; /* steps of the reference evaluator, all nodes together */

typedef struct Fold {
    Graph *g;
    Rewrite rw;
    Uses uses;
    size_t total, most; /* bytes of results */
    double work;
    uint32_t n_folded;
} Fold;

/* Bytes of results that may be made: widened weights are several times those of the file. */
static size_t most_bytes(const Graph *g)
{
    enum { FACTOR = 8 };
    size_t sum = MADE_MAX / FACTOR;
    for (uint32_t i = 0; i < g->n_values; i++)
        if (g->values[i].data)
            sum += type_bytes(&g->values[i].type);
    return sum > SIZE_MAX / FACTOR ? SIZE_MAX : sum * FACTOR;
}

static bool only_eltwise_users(const Fold *f, ValueId v)
{
    if (f->uses.is_output[v.i])
        return false;
    for (uint32_t u = f->uses.start[v.i]; u < f->uses.start[v.i + 1]; u++)
        if (op_info(node_at(f->g, f->uses.node[u])->op)->class != CLASS_ELTWISE)
            return false;
    return true;
}

static bool enlarges(const Fold *f, const Node *n)
{
    if (n->op != OP_Expand && n->op != OP_Tile)
        return false;
    size_t from = type_bytes(type_of(f->g, n->in[0])), to = type_bytes(type_of(f->g, n->out[0]));
    return to > ENLARGE_MIN_BYTES && to / ENLARGE_FACTOR > from && only_eltwise_users(f, n->out[0]);
}

static bool inputs_constant(const Fold *f, const Node *n)
{
    for (uint32_t k = 0; k < n->n_in; k++)
        if (has_value(n->in[k]) && !is_const(f->g, resolved(&f->rw, n->in[k])))
            return false;
    return true;
}

static bool affordable(Fold *f, const Node *n)
{
    size_t bytes = 0;
    for (uint32_t k = 0; k < n->n_out; k++) {
        if (!has_value(n->out[k]))
            continue;
        size_t b = type_bytes(type_of(f->g, n->out[k]));
        if (b > RESULT_MAX)
            return false;
        bytes += b;
    }
    const double work = eval_work(f->g, n);
    if (bytes > f->most - f->total || work > WORK_MAX - f->work || enlarges(f, n))
        return false;
    f->total += bytes;
    memory_allow_made(bytes);
    f->work += work;
    return true;
}

static bool fold_node(Fold *f, uint32_t i, Arena *scratch)
{
    const Node n = f->g->nodes[i];
    if (!op_info(n.op)->eval || op_has(n.op, TRAIT_LOOP) || !inputs_constant(f, &n) ||
        !affordable(f, &n))
        return true;
    ValueId *in = ARENA_ARRAY(scratch, ValueId, n.n_in + 1),
            *out = ARENA_ARRAY(scratch, ValueId, n.n_out);
    for (uint32_t k = 0; k < n.n_in; k++)
        in[k] = has_value(n.in[k]) ? resolved(&f->rw, n.in[k]) : NO_VALUE;
    if (!evaluate_constants(f->g, &n, in, NULL, out))
        return false;
    for (uint32_t k = 0; k < n.n_out; k++)
        if (has_value(out[k]))
            rewrite_replace(&f->rw, n.out[k], out[k]);
    f->n_folded++;
    return true;
}

/* Values whose contents the import already worked out. */
static void fold_known(Fold *f)
{
    uint32_t n = f->g->n_values;
    for (uint32_t i = 0; i < n; i++) {
        Value v = f->g->values[i];
        if (v.kind == VALUE_NODE && v.data)
            rewrite_replace(&f->rw, (ValueId){i}, graph_add_const(f->g, v.name, v.type, v.data));
    }
}

bool pass_fold_constant(Graph *g, const PassOptions *options, const char **report)
{
    (void)options;
    Fold f = {
        .g = g, .rw = rewrite_begin(g), .uses = graph_uses(g, g->arena), .most = most_bytes(g)};
    uint32_t n = g->n_nodes;
    fold_known(&f);
    for (uint32_t i = 0; i < n; i++) {
        Arena *scratch = arena_new();
        bool good = fold_node(&f, i, scratch);
        arena_free(scratch);
        if (!good)
            return false;
    }
    graph_apply(&f.rw);
    *report = arena_printf(g->arena, "folded %u of %u nodes", f.n_folded, n);
    return true;
}
