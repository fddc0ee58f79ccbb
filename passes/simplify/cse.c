/* simplify: equal constants become one, equal nodes become one. The first in order stays, so the
 * result does not depend on the hash. */
#include "simplify.h"

#include "../../gen/ops/ops.h"
#include "../common/util.h"

#include <string.h>

enum { SAMPLE_BYTES = 4096 }; /* of a constant that enter its hash */

typedef struct Table {
    uint32_t *slots; /* row + 1 */
    uint64_t *hashes;
    size_t mask;
} Table;

static Table table_new(Arena *arena, size_t rows)
{
    size_t cap = 64;
    while (cap < rows * 2)
        cap *= 2;
    return (Table){ARENA_ARRAY(arena, uint32_t, cap), ARENA_ARRAY(arena, uint64_t, cap), cap - 1};
}

typedef bool EqualFn(const Graph *g, const Rewrite *rw, uint32_t a, uint32_t b);

/* The row equal to `row` that came first; `row` itself if there was none. */
static uint32_t first_equal(Table *t, const Graph *g, const Rewrite *rw, uint64_t hash,
                            uint32_t row, EqualFn *equal)
{
    size_t i = hash & t->mask;
    for (; t->slots[i]; i = (i + 1) & t->mask)
        if (t->hashes[i] == hash && equal(g, rw, t->slots[i] - 1, row))
            return t->slots[i] - 1;
    t->slots[i] = row + 1;
    t->hashes[i] = hash;
    return row;
}

static uint64_t hash_type(const TensorType *t, uint64_t h)
{
    int32_t head[2] = {t->dtype, t->rank};
    h = hash64(head, sizeof head, h);
    return hash64(t->dims, (size_t)t->rank * sizeof *t->dims, h);
}

static bool equal_constants(const Graph *g, const Rewrite *rw, uint32_t a, uint32_t b)
{
    (void)rw;
    const Value *x = &g->values[a], *y = &g->values[b];
    return type_equal(&x->type, &y->type) &&
           (x->data == y->data || memcmp(x->data, y->data, type_bytes(&x->type)) == 0);
}

uint32_t share_constants(Graph *g, Rewrite *rw)
{
    Arena *scratch = arena_new();
    Table t = table_new(scratch, g->n_values);
    uint32_t count = 0;
    for (uint32_t i = 0; i < g->n_values; i++) {
        const Value *v = &g->values[i];
        size_t bytes = type_bytes(&v->type);
        if (v->kind != VALUE_CONST || bytes == 0)
            continue;
        uint64_t h = hash_type(&v->type, 0);
        h = hash64(v->data, bytes < SAMPLE_BYTES ? bytes : SAMPLE_BYTES, h);
        uint32_t first = first_equal(&t, g, rw, h, i, equal_constants);
        if (first != i) {
            rewrite_replace(rw, (ValueId){i}, (ValueId){first});
            count++;
        }
    }
    arena_free(scratch);
    return count;
}

/* Input k as it is compared: resolved, operands of a commutative op in order of their ids. */
static ValueId key_in(const Rewrite *rw, const Node *n, uint32_t k)
{
    ValueId v = resolved_in(rw, n, k);
    if (!op_has(n->op, TRAIT_COMMUTES))
        return v;
    ValueId other = resolved_in(rw, n, 1 - k);
    return (k == 0) == (v.i < other.i) ? v : other;
}

static uint64_t hash_attr(const Attr *a, uint64_t h)
{
    h = hash64(a->name, strlen(a->name), h + (uint64_t)a->kind);
    switch (a->kind) {
    case ATTR_INT:
        return hash64(&a->i, sizeof a->i, h);
    case ATTR_FLOAT:
        return hash64(&a->f, sizeof a->f, h);
    case ATTR_STRING:
        return hash64(a->s, strlen(a->s), h);
    case ATTR_INTS:
        return hash64(a->ints, a->n * sizeof *a->ints, h);
    case ATTR_FLOATS:
        return hash64(a->floats, a->n * sizeof *a->floats, h);
    }
    return h;
}

static bool equal_attr(const Attr *a, const Attr *b)
{
    if (a->kind != b->kind || a->n != b->n || strcmp(a->name, b->name) != 0)
        return false;
    switch (a->kind) {
    case ATTR_INT:
        return a->i == b->i;
    case ATTR_FLOAT:
        return memcmp(&a->f, &b->f, sizeof a->f) == 0;
    case ATTR_STRING:
        return strcmp(a->s, b->s) == 0;
    case ATTR_INTS:
        return a->n == 0 || memcmp(a->ints, b->ints, a->n * sizeof *a->ints) == 0;
    case ATTR_FLOATS:
        return a->n == 0 || memcmp(a->floats, b->floats, a->n * sizeof *a->floats) == 0;
    }
    return false;
}

static uint64_t hash_node(const Rewrite *rw, const Node *n)
{
    uint32_t head[3] = {(uint32_t)n->op, n->n_in, n->n_out};
    uint64_t h = hash64(head, sizeof head, 0);
    for (uint32_t k = 0; k < n->n_in; k++) {
        ValueId v = key_in(rw, n, k);
        h = hash64(&v.i, sizeof v.i, h);
    }
    for (uint32_t k = 0; k < n->n_attr; k++)
        h = hash_attr(&n->attr[k], h);
    return h;
}

/* b can be replaced by a: all that b makes, a makes too. */
static bool equal_nodes(const Graph *g, const Rewrite *rw, uint32_t ia, uint32_t ib)
{
    const Node *a = &g->nodes[ia], *b = &g->nodes[ib];
    if (a->op != b->op || op_has(a->op, TRAIT_LOOP) || a->n_in != b->n_in || a->n_out != b->n_out || a->n_attr != b->n_attr)
        return false;
    for (uint32_t k = 0; k < a->n_in; k++)
        if (!same_value(key_in(rw, a, k), key_in(rw, b, k)))
            return false;
    for (uint32_t k = 0; k < a->n_out; k++)
        if (has_value(b->out[k]) && !has_value(a->out[k]))
            return false;
    for (uint32_t k = 0; k < a->n_attr; k++)
        if (!equal_attr(&a->attr[k], &b->attr[k]))
            return false;
    return true;
}

uint32_t share_nodes(Graph *g, Rewrite *rw)
{
    Arena *scratch = arena_new();
    Table t = table_new(scratch, g->n_nodes);
    const uint32_t *variant = graph_node_variants(g, scratch);
    uint32_t count = 0;
    for (uint32_t i = 0; i < g->n_nodes; i++) {
        const Node *n = &g->nodes[i];
        uint32_t first = first_equal(&t, g, rw, hash_node(rw, n), i, equal_nodes);
        if (first == i || variant[first] != variant[i]) /* which run by themselves */
            continue;
        for (uint32_t k = 0; k < n->n_out; k++)
            if (has_value(n->out[k]))
                rewrite_replace(rw, n->out[k], g->nodes[first].out[k]);
        count++;
    }
    arena_free(scratch);
    return count;
}
