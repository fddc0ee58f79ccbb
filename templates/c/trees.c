/* Apache-2.0. Rows of features down many trees, several walks side by side. */
#include <math.h>
#include <stddef.h>
#include <stdint.h>
#define NET_INLINE static inline
#define $signature$ void f(const float *restrict src, const uint8_t *restrict tree_nodes, \
                           const uint32_t *restrict roots, const float *restrict weights, \
                           const uint32_t *restrict targets, const float *restrict members, \
                           float *restrict dst, void *restrict scratch)
#define $fn$_node f_node
#define $fn$_copy f_copy
#define $fn$_add f_add
#define $fn$_is_member f_is_member
#define $T$ float
#define $link$ uint32_t
#define $condition$ v <= node->with.split
#define $feature_mask$ 0xff
#define $mask_bits$ 8
#define $child_bits$ 13
#define $replacement$ -INFINITY
#define $fn$_next f_next
#define $next_params$(x) const struct f_node *nodes, size_t at, const float *row, const float *members
#define $next$ f_next(nodes, at$lane$, x, members)
#define $fn$_walk f_walk
#define $walk_params$(item) const struct f_node *nodes, const float *x, uint32_t depth, size_t *at, const float *members
#define $walk_rows$(item) nodes, x + r * PITCH, roots[ROOTS + t], at, members
#define $walk_trees$(item) nodes, x, roots[ROOTS + t / LANES], at, members
#define $fn$_add_leaf f_add_leaf
#define $leaf_params$(x) const struct f_node *node, float *dst, const float *weights, const uint32_t *targets
#define $leaf_rows$(x) nodes + at[i], dst_rows + (r + i) * TARGETS, weights, targets
#define $leaf_trees$(x) nodes + at[i], dst_rows, weights, targets
#define $start$ 0
#define $taken$ x + y
#define $rows$ 100
#define $features$ 7
#define $pitch$ 15
#define $block$ 16
#define $blocks$ 7
#define $trees$ 10
#define $roots$ 16
#define $targets$ 3
#define $lanes$ 8
#define $lane$ 0
#define $from$ 0
#define $to$ BLOCKS
//@begin
/* A node compares the feature in the low bits of `link` with `with.split`. It goes on at the node in the
 * high bits if its condition does not hold, and at the one behind that if it does. A leaf goes on
 * at itself, since nothing holds for its feature, a NaN. */
struct $fn$_node {
    union {
        $T$ split;
        uint32_t leaf;
    } with;
    $link$ link;
};

//@if members
/* Sets end with a NaN. */
static unsigned $fn$_is_member(const $T$ *member, $T$ v)
{
    while (*member < v || *member > v)
        member++;
    return *member <= v;
}

//@end
//@if masked
/* In the middle bits of `link`: for what is less than `with.split`, greater, equal and NaN, whether the
 * condition holds; and whether it is a set instead. */
//@end
NET_INLINE size_t $fn$_next($next_params$($param$))
{
    const struct $fn$_node *const node = nodes + at;
    const $T$ v = row[node->link & $feature_mask$];
    const size_t child = (size_t)(node->link >> $child_bits$);
//@if masked
    const unsigned mask = (unsigned)(node->link >> $mask_bits$);
//@if members
    if (mask >> 4 & 1)
        return child + (isnan(v) ? mask >> 3 & 1 : $fn$_is_member(members + node->with.leaf, v));
//@end
    const int relation = 2 * (v >= node->with.split) - (v > node->with.split) + 3 * (isnan(v) != 0);
    return child + (mask >> relation & 1);
//@end
//@if plain
    return child + ($condition$);
//@end
}

/* Walks from `at` to leaves. */
NET_INLINE void $fn$_walk($walk_params$($param$))
{
//@for walks
    size_t at$lane$ = at[$lane$];
//@end
//@if steady
    for (; depth > 0; depth--) {
//@for walks
        at$lane$ = $next$;
//@end
    }
//@end
//@if restless
    for (size_t moved = depth; moved;) {
        for (size_t step = 0; step < 3; step++) {
//@for walks
            at$lane$ = $next$;
//@end
        }
        moved = 0;
//@for walks
        const size_t from$lane$ = at$lane$;
        at$lane$ = $next$;
        moved |= at$lane$ ^ from$lane$;
//@end
    }
//@end
//@for walks
    at[$lane$] = at$lane$;
//@end
}

/* A row of features, and a NaN for the leaves. */
NET_INLINE void $fn$_copy(const $T$ *src, $T$ *row)
{
    enum { FEATURES = $features$, PITCH = $pitch$ };
    for (size_t i = 0; i < FEATURES; i++)
        row[i] = src[i];
//@if replaced
    /* Once more, for nodes whose condition holds for NaN. */
    for (size_t i = 0; i < FEATURES; i++)
        row[FEATURES + i] = isnan(src[i]) ? $replacement$ : src[i];
//@end
    row[PITCH - 1] = NAN;
}

NET_INLINE void $fn$_add($T$ *dst, $T$ y)
{
    const $T$ x = *dst;
    *dst = $taken$;
}

NET_INLINE void $fn$_add_leaf($leaf_params$($param$))
{
//@if value
    $fn$_add(dst, node->with.split);
//@end
//@if one
    $fn$_add(dst + targets[node->with.leaf], weights[node->with.leaf]);
//@end
//@if dense
    enum { TARGETS = $targets$ };
    for (size_t i = 0; i < TARGETS; i++)
        $fn$_add(dst + i, weights[(size_t)node->with.leaf * TARGETS + i]);
//@end
//@if list
    size_t i = node->with.leaf;
    for (; !(targets[i] >> 31); i++)
        $fn$_add(dst + targets[i], weights[i]);
    $fn$_add(dst + (targets[i] & 0x7fffffff), weights[i]);
//@end
}

$signature$
{
    enum { ROWS = $rows$, FEATURES = $features$, PITCH = $pitch$, TARGETS = $targets$ };
    enum { BLOCK = $block$, BLOCKS = $blocks$, TREES = $trees$, ROOTS = $roots$, LANES = $lanes$ };
    const struct $fn$_node *const nodes = (const void *)tree_nodes;
    $T$ *const x = scratch;
    size_t at[LANES];
    for (size_t block = $from$; block < $to$; block++) {
        const size_t first = block * BLOCK, rows = ROWS - first < BLOCK ? ROWS - first : BLOCK;
        $T$ *const dst_rows = dst + first * TARGETS;
        for (size_t i = 0; i < rows * TARGETS; i++)
            dst_rows[i] = $start$;
//@if by_rows
        for (size_t r = 0; r < rows; r++)
            $fn$_copy(src + (first + r) * FEATURES, x + r * PITCH);
        for (size_t r = rows; r % LANES; r++)
            $fn$_copy(src + first * FEATURES, x + r * PITCH);
        for (size_t t = 0; t < TREES; t++)
            for (size_t r = 0; r < rows; r += LANES) {
                for (size_t i = 0; i < LANES; i++)
                    at[i] = roots[t];
                $fn$_walk($walk_rows$($arg$));
                for (size_t i = 0; i < LANES && r + i < rows; i++)
                    $fn$_add_leaf($leaf_rows$($arg$));
            }
//@end
//@if by_trees
        $fn$_copy(src + first * FEATURES, x);
        for (size_t t = 0; t < TREES; t += LANES) {
            for (size_t i = 0; i < LANES; i++)
                at[i] = roots[t + i];
            $fn$_walk($walk_trees$($arg$));
            for (size_t i = 0; i < LANES && t + i < TREES; i++)
                $fn$_add_leaf($leaf_trees$($arg$));
        }
//@end
//@if extreme
        for (size_t i = 0; i < rows * TARGETS; i++)
            dst_rows[i] = isinf(dst_rows[i]) ? 0 : dst_rows[i];
//@end
    }
}
