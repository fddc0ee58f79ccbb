/* Reads the attributes that ops.def says an operator has, and checks that a node obeys.
 *
 * The notation is name:kind[length]range. Kinds: i int, f float, s string, I ints, F floats, a an
 * axis (at least 0, below the rank of the first input), A sorted axes, P a permutation of the axes,
 * T an element type. The length of a list is in terms of r, the rank of the first input, or s,
 * which is r - 2. Ranges: `+` at least 1, `0` at least 0, `b` 0 or 1. `?`: it may be missing. */
#include "ops.h"

#include <string.h>

typedef struct Rule {
    const char *name;
    size_t name_size;
    char kind;
    int r_times, s_times; /* length of the list: r_times * r + s_times * (r - 2); both 0: any */
    char range;           /* + 0 b, or 0 for any */
    bool optional;
} Rule;

/* Reads one rule and returns what follows, NULL at the end. */
static const char *next_rule(const char *p, Rule *rule)
{
    p += strspn(p, " ");
    if (!*p)
        return NULL;
    *rule = (Rule){.name = p, .name_size = strcspn(p, ":")};
    p += rule->name_size + 1;
    rule->kind = *p++;
    if (*p == '[') {
        int times = p[1] == '2' ? 2 : 1;
        p += times;
        *(*p == 'r' ? &rule->r_times : &rule->s_times) = times;
        p += 2;
    }
    for (; *p && *p != ' '; p++) {
        if (*p == '?')
            rule->optional = true;
        else
            rule->range = *p;
    }
    return p;
}

static AttrKind stored_kind(char kind)
{
    switch (kind) {
    case 'f':
        return ATTR_FLOAT;
    case 's':
        return ATTR_STRING;
    case 'F':
        return ATTR_FLOATS;
    case 'I':
    case 'A':
    case 'P':
        return ATTR_INTS;
    default:
        return ATTR_INT;
    }
}

static bool in_range(const Rule *rule, int64_t v, int rank)
{
    switch (rule->kind) {
    case 'a':
    case 'A':
    case 'P':
        return v >= 0 && v < rank;
    case 'T':
        return v >= 0 && v <= DT_BF16 && dtype_supported((int)v);
    default:
        return rule->range == '+'   ? v >= 1
               : rule->range == '0' ? v >= 0
               : rule->range == 'b' ? v == 0 || v == 1
                                    : true;
    }
}

static bool list_fits(const Rule *rule, const Attr *a, int rank)
{
    int64_t want = (int64_t)rule->r_times * rank + (int64_t)rule->s_times * (rank - 2);
    bool any = !rule->r_times && !rule->s_times;
    if (rule->kind == 'P' ? a->n != (size_t)rank : !any && (int64_t)a->n != want)
        return false;
    if (a->kind != ATTR_INTS)
        return true;
    unsigned seen = 0;
    for (size_t i = 0; i < a->n; i++) {
        if (!in_range(rule, a->ints[i], rank))
            return false;
        if (rule->kind == 'A' && i > 0 && a->ints[i] <= a->ints[i - 1])
            return false;
        if (rule->kind == 'P' && (seen >> a->ints[i] & 1))
            return false;
        if (rule->kind == 'P')
            seen |= 1u << a->ints[i];
    }
    return true;
}

static bool check_rule(const Graph *g, const Node *n, const Rule *rule, int rank)
{
    const Attr *a = NULL;
    for (uint32_t i = 0; i < n->n_attr; i++)
        if (strlen(n->attr[i].name) == rule->name_size &&
            memcmp(n->attr[i].name, rule->name, rule->name_size) == 0)
            a = &n->attr[i];
    const int size = (int)rule->name_size;
    if (!a && rule->optional)
        return true;
    if (!a)
        return refuse_node(g, n, "attribute '%.*s' is missing", size, rule->name);
    if (a->kind != stored_kind(rule->kind))
        return refuse_node(g, n, "attribute '%.*s' is of the wrong kind", size, rule->name);
    bool good = a->kind == ATTR_INT ? in_range(rule, a->i, rank) : list_fits(rule, a, rank);
    return good || refuse_node(g, n, "attribute '%.*s' is out of range or of the wrong length",
                               size, rule->name);
}

static bool check_arity(const Graph *g, const Node *n)
{
    const OpInfo *op = op_info(n->op);
    if (n->n_in < (uint32_t)op->min_in || (op->max_in >= 0 && n->n_in > (uint32_t)op->max_in))
        return refuse_node(g, n, "has %u inputs", n->n_in);
    if (n->n_out < (uint32_t)op->min_out || (op->max_out >= 0 && n->n_out > (uint32_t)op->max_out))
        return refuse_node(g, n, "has %u outputs", n->n_out);
    for (uint32_t k = 0; k < n->n_in; k++)
        if (!has_value(n->in[k]) && (k < (uint32_t)op->min_in || op->max_in < 0))
            return refuse_node(g, n, "input %u is needed", k);
    return true;
}

bool check_node_form(const Graph *g, const Node *n)
{
    if (!check_arity(g, n))
        return false;
    for (uint32_t i = 1; i < n->n_attr; i++)
        if (strcmp(n->attr[i - 1].name, n->attr[i].name) == 0)
            return refuse_node(g, n, "attribute '%s' is given twice", n->attr[i].name);
    int rank = has_value(node_in(n, 0)) ? type_of(g, n->in[0])->rank : 0;
    Rule rule;
    const char *p = op_info(n->op)->attrs;
    while (p && (p = next_rule(p, &rule)))
        if (!check_rule(g, n, &rule, rank))
            return false;
    return true;
}

bool op_attr(Op op, size_t k, OpAttr *attr)
{
    Rule rule;
    const char *p = op_info(op)->attrs;
    for (size_t i = 0; p && (p = next_rule(p, &rule)); i++)
        if (i == k) {
            *attr = (OpAttr){rule.name, rule.name_size, stored_kind(rule.kind), rule.optional};
            return true;
        }
    return false;
}
