/* merge-regions: puts composites and nodes of one target together into regions.
 *
 * Needs targets, makes the region column. Regions are numbered in the order in which they run. A
 * region takes all that is ready (everything it reads is made in earlier regions or in this one)
 * and of its target, until nothing more is; then the other target's turn comes. So edges lead
 * from lower to higher numbers only: the quotient graph has no cycle by construction, a diamond
 * through the other target is cut where it has to be, and every region is as large as the order
 * of targets allows. Which target begins is decided by counting the regions either way. The
 * verifier checks the quotient graph again. */
#include "common/atoms.h"
#include "common/util.h"
#include "pass.h"

#include "../gen/ops/ops.h"

typedef struct Plan {
    const Graph *g;
    const Atoms *atoms;
    uint32_t *start, *after; /* the edges of atoms, reversed */
    uint32_t *waiting;       /* by atom: how many it waits for */
    uint32_t *region;        /* by atom */
    uint32_t *variant;       /* by atom */
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

static Plan plan_regions(const Graph *g, const Atoms *atoms, Target first, Arena *scratch)
{
    Plan p = {.g = g, .atoms = atoms};
    uint32_t n = atoms->n;
    p.waiting = ARENA_ARRAY(scratch, uint32_t, n);
    p.region = ARENA_ARRAY(scratch, uint32_t, n);
    p.targets = ARENA_ARRAY(scratch, Target, (size_t)n + 1);
    p.queue[0] = ARENA_ARRAY(scratch, uint32_t, n);
    p.queue[1] = ARENA_ARRAY(scratch, uint32_t, n);
    p.variant = ARENA_ARRAY(scratch, uint32_t, n);
    const uint32_t *variant = graph_node_variants(g, scratch);
    for (uint32_t a = 0; a < n; a++)
        p.variant[a] = variant[atoms->root[a].i];
    reverse_edges(&p, scratch);
    for (uint32_t a = 0; a < n; a++)
        p.waiting[a] = atoms->start[a + 1] - atoms->start[a];
    for (uint32_t v = g->variants.n;
         v-- >
         0;) /* no region has nodes of two; the last, most often the largest, is planned first */
        plan_variant(&p, v, first);
    return p;
}

/* A region of the same target follows after the next one; something in it reads what the next one
 * makes, or it would be ready earlier. */
static void explain_ends(const Plan *p, Region *regions)
{
    const Graph *g = p->g;
    for (uint32_t a = 0; a < p->atoms->n; a++) {
        uint32_t r = p->region[a];
        for (uint32_t e = p->atoms->start[a]; e < p->atoms->start[a + 1]; e++) {
            uint32_t b = p->atoms->before[e];
            if (r < 2 || regions[r - 2].why_ended || p->region[b] != r - 1)
                continue;
            NodeId id = p->atoms->anchor[b];
            const char *reason = g->columns->reason[id.i];
            regions[r - 2].why_ended = arena_printf(
                g->arena, "'%s' (%s) comes between: %s", node_label(g, node_at(g, id)),
                op_info(node_at(g, id)->op)->name, reason ? reason : "of the other target");
        }
    }
    for (uint32_t r = 0; r < p->n_regions; r++)
        if (!regions[r].why_ended)
            regions[r].why_ended = "nothing more of its target follows";
}

bool pass_merge_regions(Graph *g, const PassOptions *options, const char **report)
{
    (void)options;
    Arena *scratch = arena_new();
    Columns *c = g->columns;
    Atoms atoms = find_atoms(g, scratch);
    Plan plan = plan_regions(g, &atoms, TARGET_DNNL, scratch);
    Plan other = plan_regions(g, &atoms, TARGET_C, scratch);
    if (other.n_regions < plan.n_regions)
        plan = other;
    c->n_regions = plan.n_regions;
    c->regions = ARENA_ARRAY(g->arena, Region, (size_t)plan.n_regions + 1);
    c->region = ARENA_ARRAY(g->arena, uint32_t, (size_t)g->n_nodes + 1);
    for (uint32_t r = 0; r < plan.n_regions; r++)
        c->regions[r].target = plan.targets[r];
    explain_ends(&plan, c->regions);
    for (uint32_t i = 0; i < g->n_nodes; i++)
        c->region[i] = plan.region[atoms.of_node[i]];
    *report = arena_printf(g->arena, "%u regions", c->n_regions);
    arena_free(scratch);
    return true;
}
