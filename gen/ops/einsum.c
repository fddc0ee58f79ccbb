/* Reads Einsum's equation. */
#include "einsum.h"

#include <inttypes.h>
#include <string.h>

const char *einsum_term(const Node *n, uint32_t k)
{
    const char *p = attr_string(n, "equation", "");
    for (; k > 0 && *p; k--)
        p += strcspn(p, ",") + 1;
    return p;
}

/* Reads the letters of one operand at p; NULL after a refusal. */
static const char *read_term(const Graph *g, const Node *n, uint32_t k, const char *p, Einsum *e)
{
    const TensorType *t = in_type(g, n, k);
    size_t len = strspn(p, "abcdefghijklmnopqrstuvwxyz");
    if (len != (size_t)t->rank) {
        refuse_node(g, n, "the equation has %zu letters for operand %" PRIu32 " of shape %s", len,
                    k, shape_text(g, t));
        return NULL;
    }
    for (size_t d = 0; d < len; d++) {
        int64_t *size = &e->size[p[d] - 'a'];
        if (*size < 0)
            *size = t->dims[d];
        if (*size != t->dims[d]) {
            refuse_node(g, n, "'%c' is %" PRId64 " and, in operand %" PRIu32 ", %" PRId64, p[d],
                        *size, k, t->dims[d]);
            return NULL;
        }
    }
    return p + len;
}

static bool read_dst(const Graph *g, const Node *n, const char *p, Einsum *e)
{
    bool in_dst[EINSUM_LETTERS] = {false};
    size_t len = strspn(p, "abcdefghijklmnopqrstuvwxyz");
    if (p[len])
        return refuse_node(g, n, "the equation has '%c' in its result", p[len]);
    if (len > MAX_RANK)
        return refuse_node(g, n, "the result has %zu dimensions; at most %d are supported", len,
                           MAX_RANK);
    for (size_t d = 0; d < len; d++) {
        int letter = p[d] - 'a';
        if (e->size[letter] < 0 || in_dst[letter])
            return refuse_node(g, n, "'%c' in the result is %s", p[d],
                               in_dst[letter] ? "there twice" : "in no operand");
        in_dst[letter] = true;
    }
    e->dst = p;
    e->dst_rank = (int)len;
    for (int k = 0; k < EINSUM_LETTERS; k++)
        if (e->size[k] >= 0 && !in_dst[k])
            e->summed[e->n_summed++] = k;
    return true;
}

bool einsum_parse(const Graph *g, const Node *n, Einsum *e)
{
    const char *p = attr_string(n, "equation", "");
    *e = (Einsum){0};
    for (int k = 0; k < EINSUM_LETTERS; k++)
        e->size[k] = -1;
    for (uint32_t k = 0; k < n->n_in; k++) {
        p = read_term(g, n, k, p, e);
        if (!p)
            return false;
        if (k + 1 < n->n_in && *p++ != ',')
            return refuse_node(g, n, "the equation does not have %" PRIu32 " operands", n->n_in);
    }
    if (strncmp(p, "->", 2) != 0)
        return refuse_node(g, n, "the equation has '%.8s' where '->' is expected", p);
    return read_dst(g, n, p + 2, e);
}
