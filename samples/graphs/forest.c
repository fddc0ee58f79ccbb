/* Trees over 32 features: a random forest that classifies, whose leaves have a share of every class, and a boosted one that adds up a number
 * of each tree. Most branches go on to the end. Splits and shares are `random`; where the branches go comes from a generator of its own. */
#include "net.h"

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

enum { FEATURES = 32 };

struct forest {
    const char *name;
    int trees, depth, targets; /* targets: of each leaf */
};

/* A row of the table of nodes: see TreeEnsemble in gen/ops/ops.def. */
struct node {
    int mode, feature, child, first;
};

static uint32_t draw(uint64_t *state, uint32_t n)
{
    *state = *state * 6364136223846793005 + 1442695040888963407; /* Knuth's MMIX */
    return (uint32_t)((*state >> 33) % n);
}

/* One tree level by level, the two children of a node side by side. Returns the end of the table. */
static int grow(const struct forest *f, struct node *nodes, int n, int *weights, uint64_t *state)
{
    enum { LEAF = 7 };
    int from = n, end = n + 1;
    for (int depth = 0; from < end; depth++) {
        n = end;
        for (; from < end; from++) {
            if (depth == f->depth || (depth > 3 && draw(state, 20) == 0)) {
                nodes[from] = (struct node){LEAF, f->targets, 0, *weights};
                *weights += f->targets;
            } else {
                nodes[from] = (struct node){0, (int)draw(state, FEATURES), n, 0};
                n += 2;
            }
        }
        end = n;
    }
    return n;
}

static void print_i32(int id, const char *dims, const int *v, int n)
{
    printf("  const %%v%d: i32[%s] = [", id, dims);
    for (int i = 0; i < n; i++)
        printf(i ? ", %d" : "%d", v[i]);
    printf("]\n");
}

static int print_nodes(struct net *net, const struct node *nodes, int n)
{
    printf("  const %%v%d: i32[%d,5] = [", ++net->values, n);
    for (int i = 0; i < n; i++)
        printf("%s%d, %d, %d, 0, %d", i ? ", " : "", nodes[i].mode, nodes[i].feature,
               nodes[i].child, nodes[i].first);
    printf("]\n");
    return net->values;
}

static void print_forest(const struct forest *f)
{
    const size_t most = (size_t)f->trees << (f->depth + 1);
    struct net net;
    struct node *nodes = malloc(most * sizeof *nodes);
    int *targets = malloc(most * (size_t)f->targets * sizeof *targets),
        *roots = malloc((size_t)f->trees * sizeof *roots), n = 0, weights = 0;
    uint64_t state = 1;
    char dims[16];
    if (!nodes || !targets || !roots)
        exit(1);
    for (int t = 0; t < f->trees; t++) {
        roots[t] = n;
        n = grow(f, nodes, n, &weights, &state);
    }
    for (int i = 0; i < weights; i++)
        targets[i] = i % f->targets;
    net_begin(&net, f->name);
    struct value x = net_input(&net, "features", 2, (int[]){1, FEATURES}), y = x;
    const int table = print_nodes(&net, nodes, n);
    const struct value splits = net_random(&net, 0.8, 1, &n);
    const struct value shares = net_random(&net, 0.1, 1, &weights);
    const int root_table = ++net.values, target_table = ++net.values;
    snprintf(dims, sizeof dims, "%d", f->trees);
    print_i32(root_table, dims, roots, f->trees);
    snprintf(dims, sizeof dims, "%d", weights);
    print_i32(target_table, dims, targets, weights);
    y.id = ++net.values;
    y.dims[1] = f->targets;
    printf("  %%v%d = TreeEnsemble(%%v%d, %%v%d, %%v%d, %%v%d, %%v%d, %%v%d) "
           "{aggregate_function=\"SUM\", n_targets=%d} name=\"forest\"\n",
           y.id, x.id, table, splits.id, root_table, shares.id, target_table, f->targets);
    net_end(f->targets > 1 ? net_unary(&net, "Softmax", y, "{axis=1, axis_end=2}") : y,
            f->targets > 1 ? "probabilities" : "value");
    free(nodes);
    free(targets);
    free(roots);
}

void forest(void)
{
    print_forest(&(struct forest){"forest", 200, 10, 8});
}

void boosted(void)
{
    print_forest(&(struct forest){"boosted", 500, 6, 1});
}
