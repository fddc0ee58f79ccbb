/* Portable C for TreeEnsemble. Several walks go side by side, since each step of one waits for memory: those of several rows down one
 * tree, or, where there are few rows, those of one row down several trees. A leaf is its own child, so that no walk has to be
 * asked whether it has ended. docs/measurements.md has figures. */
#include "../../ops/trees.h"
#include "nn.h"

#include <inttypes.h>

static void bind_conditions(const TreeForm *p, const Forest *f, Bindings *b)
{
    static const char *const compare[] = {"v <= node->with.split", "v < node->with.split",
                                          "v >= node->with.split", "v > node->with.split",
                                          "v <= node->with.split && v >= node->with.split"};
    bind_int(b, "masked", p->masked);
    bind_int(b, "plain", !p->masked);
    const bool members = p->masked && f->n_members > 0;
    bind_int(b, "members", members);
    bind(b, "condition", "%s", compare[p->masked ? TREE_LT : p->mode]);
    bind_int(b, "mask_bits", p->feature_bits);
    bind_int(b, "child_bits", p->feature_bits + (p->masked ? TREE_MASK_BITS : 0));
    bind(b, "feature_mask", "0x%" PRIx64, (UINT64_C(1) << p->feature_bits) - 1);
    bind(b, "link", p->wide ? "uint64_t" : "uint32_t");
    bind_int(b, "replaced", p->replaced);
    bind(b, "replacement", p->mode == TREE_LEQ || p->mode == TREE_LT ? "-INFINITY" : "INFINITY");
}

static void bind_leaves(const TreeForm *p, char type, Bindings *b)
{
    bind_int(b, "value", p->leaves == LEAF_VALUE);
    bind_int(b, "one", p->leaves == LEAF_ONE);
    bind_int(b, "dense", p->leaves == LEAF_DENSE);
    bind_int(b, "list", p->leaves == LEAF_LIST);
    bind(b, "start", type == 'S' ? "0" : type == 'N' ? "INFINITY" : "-INFINITY");
    bind(b, "taken", type == 'S' ? "x + y" : type == 'N' ? "y < x ? y : x" : "y > x ? y : x");
    bind_int(b, "extreme", type != 'S');
}

/* The functions of the kernel, with the tables that this one has as parameters, and their calls. */
static void bind_calls(CKernel *k, const TreeForm *p, const Forest *f, Bindings *b)
{
    Arena *a = k->arena;
    const char *T = dtype_c(f->dtype);
    const bool members = p->masked && f->n_members > 0;
    const size_t sets = members, tables = p->leaves == LEAF_VALUE   ? 0
                                          : p->leaves == LEAF_DENSE ? 1
                                                                    : 2;
    const char *node = arena_printf(a, "const struct %s_node *node", k->fn);
    const char *row = arena_printf(a, "const %s *row", T), *x = arena_printf(a, "const %s *x", T);
    const char *set = arena_printf(a, "const %s *members", T);
    const char *weights = arena_printf(a, "const %s *weights", T);
    const char *nodes = arena_printf(a, "%ss", node), *dst = arena_printf(a, "%s *dst", T);
    bind_items(b, "next_params", "param", (const char *[]){nodes, "size_t at", row, set}, 3 + sets);
    bind_items(b, "walk_params", "param",
               (const char *[]){nodes, x, "uint32_t depth", "size_t *at", set}, 4 + sets);
    bind_items(b, "leaf_params", "param",
               (const char *[]){node, dst, weights, "const uint32_t *targets"}, 2 + tables);
    bind_items(b, "walk_rows", "arg",
               (const char *[]){"nodes", "x + r * PITCH", "roots[ROOTS + t]", "at", "members"},
               4 + sets);
    bind_items(b, "walk_trees", "arg",
               (const char *[]){"nodes", "x", "roots[ROOTS + t / LANES]", "at", "members"},
               4 + sets);
    bind_items(
        b, "leaf_rows", "arg",
        (const char *[]){"nodes + at[i]", "dst_rows + (r + i) * TARGETS", "weights", "targets"},
        2 + tables);
    bind_items(b, "leaf_trees", "arg",
               (const char *[]){"nodes + at[i]", "dst_rows", "weights", "targets"}, 2 + tables);
}

/* The walks that go side by side, each with where its row begins. */
static void bind_walks(CKernel *k, const TreeForm *p, const Forest *f, Bindings *b)
{
    const bool members = p->masked && f->n_members > 0;
    for (int64_t lane = 0; lane < k->plan->lanes; lane++) {
        Bindings *walk = bind_row(b, "walks");
        const char *row = p->by_rows && lane > 0
                              ? arena_printf(k->arena, "x + %" PRId64, lane * k->plan->pitch)
                              : "x";
        bind_int(walk, "lane", lane);
        bind(walk, "next", "%s_next(nodes, at%" PRId64 ", %s%s)", k->fn, lane, row,
             members ? ", members" : "");
    }
    bind_int(b, "steady", p->steady);
    bind_int(b, "restless", !p->steady);
    bind_int(b, "by_rows", p->by_rows);
    bind_int(b, "by_trees", !p->by_rows);
}

void emit_c_tree_ensemble(CKernel *k)
{
    const CPlan *plan = k->plan;
    const Forest f = forest_of(k->g, k->node);
    Bindings *b = nn_bindings(k);
    bind_conditions(&plan->trees, &f, b);
    bind_leaves(&plan->trees, f.aggregate, b);
    bind(b, "T", "%s", dtype_c(f.dtype));
    bind_int(b, "rows", f.rows);
    bind_int(b, "features", f.features);
    bind_int(b, "pitch", plan->pitch);
    bind_int(b, "block", plan->at_once);
    bind_int(b, "trees", f.n_roots);
    bind_int(b, "roots", (f.n_roots + plan->lanes - 1) / plan->lanes * plan->lanes);
    bind_int(b, "targets", f.n_targets);
    bind_int(b, "lanes", plan->lanes);
    bind_walks(k, &plan->trees, &f, b);
    bind_calls(k, &plan->trees, &f, b);
    nn_share(k, b, false, "BLOCKS");
    bind_int(b, "blocks", plan->blocks);
    nn_render(k, "c/trees.c", b);
}
