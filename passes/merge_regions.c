/* merge-regions: puts composites and nodes of one target together into regions.
 *
 * Needs targets, makes the region column. Regions are numbered in the order in which they run. A
 * region takes all that is ready (everything it reads is made in earlier regions or in this one)
 * and of its target, until nothing more is; then the other target's turn comes. So edges lead
 * from lower to higher numbers only: the quotient graph has no cycle by construction, a diamond
 * through the other target is cut where it has to be, and every region is as large as the order
 * of targets allows. Which target begins is decided by counting the regions either way. The
 * verifier checks the quotient graph again.
 *
 * Such regions compute what is independent side by side: the same layer of all parts of a batch that split-batch has cut, where layers of both
 * targets take turns in each part. What a layer makes has left the cache then before the next one reads it. So bytes that are read when that
 * many others have been made are counted, and if the order of the graph has clearly fewer of them, its runs of one target are the regions. */
#include "common/atoms.h"
#include "common/util.h"
#include "pass.h"

#include "../gen/machine/machine.h"
#include "../gen/ops/ops.h"

/* Of the bytes that large regions read from outside of the cache. */
static const double clearly = 0.9;

typedef struct Plan {
    const Graph *g;
    const Atoms *atoms;      /* these five are the same in all plans of a graph */
    uint32_t *start, *after; /* the edges of atoms, reversed */
    uint32_t *variant;       /* by atom */
    uint32_t *waiting;       /* by atom: how many it waits for */
    uint32_t *region;        /* by atom */
    uint32_t *queue[2];      /* ready atoms, by target */
    uint32_t n_queue[2], done[2];
    Target *targets; /* by region */
    uint32_t n_regions;
} Plan;

static Target target_of(const Plan *p, uint32_t atom)
{
    return p->g->columns->target[p->atoms->anchor[atom].i];
}

static void reverse_edges(Plan *p, Arena *scratch)
{
    const Atoms *a = p->atoms;
    p->start = ARENA_ARRAY(scratch, uint32_t, (size_t)a->n + 1);
    p->after = ARENA_ARRAY(scratch, uint32_t, a->start[a->n]);
    uint32_t *cursor = ARENA_ARRAY(scratch, uint32_t, a->n);
    for (uint32_t e = 0; e < a->start[a->n]; e++)
        p->start[a->before[e] + 1]++;
    for (uint32_t i = 0; i < a->n; i++) {
        cursor[i] = p->start[i];
        p->start[i + 1] += p->start[i];
    }
    for (uint32_t i = 0; i < a->n; i++)
        for (uint32_t e = a->start[i]; e < a->start[i + 1]; e++)
            p->after[cursor[a->before[e]]++] = i;
}

static void make_ready(Plan *p, uint32_t atom)
{
    Target t = target_of(p, atom);
    p->queue[t][p->n_queue[t]++] = atom;
}

static void take_ready(Plan *p, Target t)
{
    p->targets[p->n_regions] = t;
    while (p->done[t] < p->n_queue[t]) {
        uint32_t atom = p->queue[t][p->done[t]++];
        p->region[atom] = p->n_regions;
        for (uint32_t e = p->start[atom]; e < p->start[atom + 1]; e++)
            if (--p->waiting[p->after[e]] == 0)
                make_ready(p, p->after[e]);
    }
    p->n_regions++;
}

static void plan_variant(Plan *p, uint32_t v, Target first)
{
    uint32_t left = 0;
    for (uint32_t a = 0; a < p->atoms->n; a++) {
        if (p->variant[a] != v)
            continue;
        left++;
        if (p->waiting[a] == 0)
            make_ready(p, a);
    }
    left += p->done[0] + p->done[1];
    for (Target t = first; p->done[0] + p->done[1] < left;
         t = t == TARGET_C ? TARGET_DNNL : TARGET_C) {
        if (p->done[t] == p->n_queue[t] && p->done[!t] == p->n_queue[!t])
            bug("merge-regions: nothing is ready");
        if (p->done[t] < p->n_queue[t])
            take_ready(p, t);
    }
}

/* All that stands together in the order of the graph and is of one target. */
static void plan_variant_in_order(Plan *p, uint32_t v)
{
    bool begins = true;
    for (uint32_t a = 0; a < p->atoms->n; a++) {
        if (p->variant[a] != v)
            continue;
        if (begins || p->targets[p->n_regions - 1] != target_of(p, a))
            p->targets[p->n_regions++] = target_of(p, a);
        p->region[a] = p->n_regions - 1;
        begins = false;
    }
}

typedef enum RegionOrder { DNNL_FIRST, C_FIRST, AS_IN_GRAPH } RegionOrder;

/* What all plans of a graph share. */
static Plan plan_begin(const Graph *g, const Atoms *atoms, Arena *scratch)
{
    Plan p = {.g = g, .atoms = atoms, .variant = ARENA_ARRAY(scratch, uint32_t, atoms->n)};
    const uint32_t *variant = graph_node_variants(g, scratch);
    for (uint32_t a = 0; a < atoms->n; a++)
        p.variant[a] = variant[atoms->root[a].i];
    reverse_edges(&p, scratch);
    return p;
}

static Plan plan_regions(Plan p, RegionOrder order, Arena *scratch)
{
    const Atoms *atoms = p.atoms;
    uint32_t n = atoms->n;
    p.waiting = ARENA_ARRAY(scratch, uint32_t, n);
    p.region = ARENA_ARRAY(scratch, uint32_t, n);
    p.targets = ARENA_ARRAY(scratch, Target, (size_t)n + 1);
    p.queue[0] = ARENA_ARRAY(scratch, uint32_t, n);
    p.queue[1] = ARENA_ARRAY(scratch, uint32_t, n);
    for (uint32_t a = 0; a < n; a++)
        p.waiting[a] = atoms->start[a + 1] - atoms->start[a];
    /* no region has nodes of two variants; the last, most often the largest, is planned first */
    for (uint32_t v = p.g->variants.n; v-- > 0;)
        if (order == AS_IN_GRAPH)
            plan_variant_in_order(&p, v);
        else
            plan_variant(&p, v, order == DNNL_FIRST ? TARGET_DNNL : TARGET_C);
    return p;
}

/* Bytes that an atom reads when more than `kept` others have been made since they were. */
static double far_bytes(const Plan *p, double kept, Arena *scratch)
{
    const Atoms *a = p->atoms;
    const uint32_t *order = order_by_key(scratch, p->region, a->n, p->n_regions);
    double *bytes = ARENA_ARRAY(scratch, double, a->n), /* by atom: what it makes */
        *made = ARENA_ARRAY(scratch, double, a->n),     /* by atom: all bytes until it has run */
        far = 0, now = 0;
    for (uint32_t i = 0; i < a->n; i++) {
        const uint32_t atom = order[i];
        const Node *n = node_at(p->g, a->root[atom]);
        for (uint32_t e = a->start[atom]; e < a->start[atom + 1]; e++)
            far += now - made[a->before[e]] > kept ? bytes[a->before[e]] : 0;
        bytes[atom] = op_may_be_view(n->op) ? 0 : bytes_made(p->g, n);
        now += bytes[atom];
        made[atom] = now;
    }
    return far;
}

static const char *reason_of(const Graph *g, NodeId id, const char *why)
{
    return arena_printf(g->arena, "'%s' (%s) %s", node_label(g, node_at(g, id)),
                        op_info(node_at(g, id)->op)->name, why);
}

/* A region of the same target follows after the next one; something in it reads what the next one
 * makes, or it would be ready earlier. Not so in the order of the graph, where it may only be left for later. */
static void explain_ends(const Plan *p, Region *regions, Arena *scratch)
{
    const Graph *g = p->g;
    uint32_t *last = ARENA_ARRAY(scratch, uint32_t, p->n_regions); /* by region: its last atom */
    for (uint32_t a = 0; a < p->atoms->n; a++) {
        uint32_t r = p->region[a];
        last[r] = a;
        for (uint32_t e = p->atoms->start[a]; e < p->atoms->start[a + 1]; e++) {
            uint32_t b = p->atoms->before[e];
            if (r < 2 || regions[r - 2].why_ended || p->region[b] != r - 1)
                continue;
            NodeId id = p->atoms->anchor[b];
            const char *reason = g->columns->reason[id.i];
            regions[r - 2].why_ended =
                reason_of(g, id,
                          arena_printf(scratch, "comes between: %s",
                                       reason ? reason : "of the other target"));
        }
    }
    for (uint32_t r = 0; r < p->n_regions; r++) {
        const bool later = r + 2 < p->n_regions && p->variant[last[r + 2]] == p->variant[last[r]];
        if (!regions[r].why_ended)
            regions[r].why_ended =
                later ? reason_of(g, p->atoms->anchor[last[r + 1]],
                                  "is computed first, while what it reads is in the cache")
                      : "nothing more of its target follows";
    }
}

bool pass_merge_regions(Graph *g, const PassOptions *options, const char **report)
{
    const Machine m = options->machine ? *options->machine : machine_of_isa(options->isa);
    const double kept = machine_kept_bytes(&m);
    Arena *scratch = arena_new();
    Columns *c = g->columns;
    Atoms atoms = find_atoms(g, scratch);
    const Plan begun = plan_begin(g, &atoms, scratch);
    Plan plan = plan_regions(begun, DNNL_FIRST, scratch),
         other = plan_regions(begun, C_FIRST, scratch),
         in_order = plan_regions(begun, AS_IN_GRAPH, scratch);
    if (other.n_regions < plan.n_regions)
        plan = other;
    if (far_bytes(&in_order, kept, scratch) < clearly * far_bytes(&plan, kept, scratch))
        plan = in_order;
    c->n_regions = plan.n_regions;
    c->regions = ARENA_ARRAY(g->arena, Region, (size_t)plan.n_regions + 1);
    c->region = ARENA_ARRAY(g->arena, uint32_t, (size_t)g->n_nodes + 1);
    for (uint32_t r = 0; r < plan.n_regions; r++)
        c->regions[r].target = plan.targets[r];
    explain_ends(&plan, c->regions, scratch);
    for (uint32_t i = 0; i < g->n_nodes; i++)
        c->region[i] = plan.region[atoms.of_node[i]];
    *report = arena_printf(g->arena, "%u regions", c->n_regions);
    arena_free(scratch);
    return true;
}
