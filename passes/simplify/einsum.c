/* simplify: an Einsum of two operands that is a product of matrices becomes a MatMul between Transposes and Reshapes, so that all that is known
 * of products applies to it; one without a sum becomes a Mul. Diagonals, sums over one operand alone, and long sums, which C adds in
 * doubles, stay as they are. */
#include "simplify.h"

#include "../../gen/ops/einsum.h"
#include "../common/fold.h"
#include "../common/util.h"

#include <string.h>

enum {
    LONGEST_SUM = 4096,
    /* rows or columns that are left to a product where some letters become more products */
    LEAST_SIDE = 16
};

/* Letters of a product: those of `batch` number the products, `left` its rows, `right` its columns, `sum` is added up. */
typedef struct Product {
    Einsum e;
    char batch[EINSUM_LETTERS + 1], left[EINSUM_LETTERS + 1], right[EINSUM_LETTERS + 1],
        sum[EINSUM_LETTERS + 1];
    const char *term[2]; /* of the operand with the rows, and of that with the columns */
    int rank[2];
} Product;

static void append(char *letters, char letter)
{
    const size_t n = strlen(letters);
    letters[n] = letter;
    letters[n + 1] = 0;
}

static int64_t size_of(const Product *p, char letter)
{
    return p->e.size[letter - 'a'];
}

static int64_t sizes_of(const Product *p, const char *letters)
{
    int64_t size = 1;
    for (; *letters; letters++)
        size *= size_of(p, *letters);
    return size;
}

static bool is_in(const Product *p, int side, char letter)
{
    return memchr(p->term[side], letter, (size_t)p->rank[side]) != NULL;
}

static bool has_diagonal(const Product *p, int side)
{
    for (int d = 1; d < p->rank[side]; d++)
        if (memchr(p->term[side], p->term[side][d], (size_t)d))
            return true;
    return false;
}

/* The letters' roles; false where there are others. */
static bool read_roles(Product *p)
{
    for (int i = 0; i < p->e.n_summed; i++) {
        const char letter = (char)('a' + p->e.summed[i]);
        if (!is_in(p, 0, letter) || !is_in(p, 1, letter))
            return false;
        append(p->sum, letter);
    }
    for (int d = 0; d < p->e.dst_rank; d++) {
        const char letter = p->e.dst[d];
        const bool both = is_in(p, 0, letter) && is_in(p, 1, letter);
        append(both ? p->batch : is_in(p, 0, letter) ? p->left : p->right, letter);
    }
    return true;
}

/* Rows that stand before a letter of the batch in the result number products as well, where enough of the others are left; so do columns
 * that stand before rows. The result is then in its order. */
static void more_products(const Product *p, char *side, const char *before, char *batch)
{
    int64_t left = sizes_of(p, side);
    for (int d = 0; d < p->e.dst_rank; d++) {
        const char letter = p->e.dst[d];
        char *at = strchr(side, letter);
        const size_t behind = strcspn(p->e.dst + d, before);
        if (!at || behind >= (size_t)(p->e.dst_rank - d) ||
            (size_of(p, letter) > 1 && left / size_of(p, letter) < LEAST_SIDE))
            continue;
        left /= size_of(p, letter);
        memmove(at, at + 1, strlen(at));
        append(batch, letter);
    }
}

static void sort_batch(Product *p)
{
    char batch[EINSUM_LETTERS + 1] = "";
    char before[2 * EINSUM_LETTERS + 1];
    strcpy(before, p->batch);
    more_products(p, p->left, before, p->batch);
    strcpy(before, p->batch);
    strcat(before, p->left);
    more_products(p, p->right, before, p->batch);
    for (int d = 0; d < p->e.dst_rank; d++)
        if (strchr(p->batch, p->e.dst[d]))
            append(batch, p->e.dst[d]);
    strcpy(p->batch, batch);
}

static bool read_product(const Graph *g, const Node *n, Product *p)
{
    if (n->n_in != 2 || !dtype_is_float(type_of(g, n->out[0])->dtype) ||
        !einsum_parse(g, n, &p->e) || type_count(type_of(g, n->out[0])) == 0)
        return false;
    /* The columns come from the operand that has the last letter of the result. */
    const char last = p->e.dst_rank ? p->e.dst[p->e.dst_rank - 1] : 0;
    for (int side = 0; side < 2; side++) {
        p->term[side] = einsum_term(n, (uint32_t)side);
        p->rank[side] = type_of(g, n->in[side])->rank;
    }
    return !has_diagonal(p, 0) && !has_diagonal(p, 1) &&
           (!last || is_in(p, 0, last) || is_in(p, 1, last));
}

static void swap_sides(Product *p)
{
    const char *term = p->term[0];
    const int rank = p->rank[0];
    p->term[0] = p->term[1];
    p->rank[0] = p->rank[1];
    p->term[1] = term;
    p->rank[1] = rank;
}

static ValueId transposed(Simplify *s, const Node *n, ValueId x, const char *from, int rank,
                          const char *to)
{
    int64_t perm[MAX_RANK];
    bool moved = false;
    for (int d = 0; d < rank; d++) {
        perm[d] = (const char *)memchr(from, to[d], (size_t)rank) - from;
        moved |= perm[d] != d;
    }
    return moved ? folded(s->g, add_transpose(s->g, n, x, perm)) : x;
}

/* An operand with the batch's letters, each a dimension (of size 1 where it has none), and its two others, of many letters each. */
static ValueId matrices(Simplify *s, const Node *n, const Product *p, int side, ValueId x)
{
    char order[2 * EINSUM_LETTERS + 1] = "";
    TensorType t = *type_of(s->g, x);
    const char *rows = side ? p->sum : p->left, *columns = side ? p->right : p->sum;
    t.rank = 0;
    for (const char *c = p->batch; *c; c++) {
        const bool own = is_in(p, side, *c);
        t.dims[t.rank++] = own ? size_of(p, *c) : 1;
        if (own)
            append(order, *c);
    }
    t.dims[t.rank++] = sizes_of(p, rows);
    t.dims[t.rank++] = sizes_of(p, columns);
    strcat(order, rows);
    strcat(order, columns);
    x = transposed(s, n, x, p->term[side], p->rank[side], order);
    return folded(s->g, add_reshape(s->g, n, x, &t));
}

/* No sum: each operand in the order of the result. */
static ValueId elementwise(Simplify *s, const Node *n, const Product *p, uint32_t first)
{
    ValueId in[2];
    for (int side = 0; side < 2; side++) {
        char order[EINSUM_LETTERS + 1] = "";
        const ValueId x = arg(s, n, side ? 1 - first : first);
        TensorType t = *type_of(s->g, n->out[0]);
        for (int d = 0; d < p->e.dst_rank; d++) {
            if (is_in(p, side, p->e.dst[d]))
                append(order, p->e.dst[d]);
            else
                t.dims[d] = 1;
        }
        in[side ? 1 - first : first] =
            folded(s->g, add_reshape(s->g, n,
                                     transposed(s, n, x, p->term[side], p->rank[side], order), &t));
    }
    return add_binary(s->g, OP_Mul, n, in[0], in[1]);
}

ValueId simplify_einsum(Simplify *s, const Node *n)
{
    Product p = {0};
    if (!read_product(s->g, n, &p))
        return NO_VALUE;
    const char last = p.e.dst_rank ? p.e.dst[p.e.dst_rank - 1] : 0;
    const uint32_t first = last && !is_in(&p, 1, last); /* the operand that has the rows */
    if (first)
        swap_sides(&p);
    if (!read_roles(&p))
        return NO_VALUE;
    if (!*p.sum)
        return elementwise(s, n, &p, first);
    const int64_t sum = sizes_of(&p, p.sum);
    sort_batch(&p);
    if (sum < 1 || sum > LONGEST_SUM || strlen(p.batch) + 2 > MAX_RANK ||
        (sizes_of(&p, p.left) == 1 && sizes_of(&p, p.right) == 1))
        return NO_VALUE;
    const ValueId product = add_binary(s->g, OP_MatMul, n, matrices(s, n, &p, 0, arg(s, n, first)),
                                       matrices(s, n, &p, 1, arg(s, n, 1 - first)));
    char order[2 * EINSUM_LETTERS + 1];
    TensorType t = *type_of(s->g, n->out[0]);
    strcpy(order, p.batch);
    strcat(order, p.left);
    strcat(order, p.right);
    for (int d = 0; d < p.e.dst_rank; d++)
        t.dims[d] = size_of(&p, order[d]);
    return transposed(s, n, add_reshape(s->g, n, product, &t), order, p.e.dst_rank, p.e.dst);
}
