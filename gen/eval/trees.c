/* Trees: one row and one tree after the other. */
#include "../ops/trees.h"
#include "elem.h"

static bool is_member(const Forest *f, int64_t first, double x)
{
    for (double member; member = forest_number(f, f->members, first), member == member; first++)
        if (member == x)
            return true;
    return false;
}

static bool holds(const Forest *f, int64_t i, double x)
{
    const double split = forest_number(f, f->splits, i);
    if (x != x && f->node[i].missing)
        return true;
    switch ((TreeMode)f->node[i].mode) {
    case TREE_LEQ:
        return x <= split;
    case TREE_LT:
        return x < split;
    case TREE_GTE:
        return x >= split;
    case TREE_GT:
        return x > split;
    case TREE_EQ:
        return x == split;
    case TREE_NEQ:
        return x != split;
    case TREE_MEMBER:
        return is_member(f, f->node[i].first, x);
    default:
        bug("a leaf has no condition");
    }
}

/* Takes the weights of a leaf into the results of a row; `seen`: which of them have one. */
static void aggregate(const Forest *f, const TreeNode *leaf, double *result, bool *seen)
{
    for (int64_t k = leaf->first; k < (int64_t)leaf->first + leaf->feature; k++) {
        const double w = forest_number(f, f->weights, k);
        double *r = &result[f->targets[k]];
        bool *s = &seen[f->targets[k]];
        if (f->aggregate == 'S')
            *r += w;
        else if (!*s || (f->aggregate == 'N' ? w < *r : w > *r))
            *r = w;
        *s = true;
    }
}

bool eval_tree_ensemble(Eval *e)
{
    const Forest f = forest_of(e->g, e->node);
    double *result = ARENA_ARRAY(e->scratch, double, (size_t)f.n_targets);
    bool *seen = ARENA_ARRAY(e->scratch, bool, (size_t)f.n_targets);
    for (int64_t r = 0; r < f.rows; r++) {
        memset(result, 0, (size_t)f.n_targets * sizeof *result);
        memset(seen, 0, (size_t)f.n_targets * sizeof *seen);
        for (int64_t t = 0; t < f.n_roots; t++) {
            int64_t i = f.roots[t];
            while (f.node[i].mode != TREE_LEAF) {
                const size_t at = (size_t)(r * f.features + f.node[i].feature);
                i = f.node[i].child + holds(&f, i, elem_f64(f.dtype, e->in[TREE_X]->data, at));
            }
            aggregate(&f, &f.node[i], result, seen);
        }
        store_f64(f.dtype, e->out[0]->data, (size_t)(r * f.n_targets), result, (size_t)f.n_targets);
    }
    return true;
}
