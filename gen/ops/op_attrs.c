/* Reads the attributes that ops.def says an operator has, and checks that a node obeys.
 *
 * The notation is name:kind[length]range(words)?. Kinds: i int, f float, s string, I ints, F floats, a an
 * axis (at least 0, below the rank of the first input), A sorted axes, P a permutation of the axes,
 * T an element type. The length of a list is in terms of r, the rank of the first input, or s,
 * which is r - 2. Ranges: `+` at least 1, `0` at least 0, `b` 0 or 1, each but the last with `w` where more than
 * 2^31 - 1 is a mistake; floats are finite without a `~`. The words are what a string may be, separated by |.
 * `?`: it may be missing. */
#include "ops.h"

#include <inttypes.h>
#include <math.h>
#include <string.h>

typedef struct Rule {
    const char *name;
    size_t name_size;
    char kind;
    int r_times, s_times; /* length of the list: r_times * r + s_times * (r - 2); both 0: any */
    char range;           /* + 0 b ~, or 0 for any */
    bool word;            /* at most 2^31 - 1 */
    bool optional;
    const char *words; /* words_size bytes; NULL: any string */
    size_t words_size;
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
        if (*p == '?') {
            rule->optional = true;
        } else if (*p == 'w') {
            rule->word = true;
        } else if (*p == '(') {
            rule->words = p + 1;
            rule->words_size = strcspn(rule->words, ")");
            p += rule->words_size + 1;
        } else {
            rule->range = *p;
        }
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

bool check_range(const Graph *g, const Node *n, const char *name, int64_t v, int64_t lo, int64_t hi)
{
    if (v >= lo && v <= hi)
        return true;
    if (hi == INT64_MAX)
        return refuse_node(g, n, "%s is %" PRId64 ", less than %" PRId64, name, v, lo);
    return refuse_node(g, n, "%s is %" PRId64 ", not in %" PRId64 " to %" PRId64, name, v, lo, hi);
}

static bool check_int(const Graph *g, const Node *n, const Rule *rule, const char *name, int64_t v,
                      int rank)
{
    const int64_t most = rule->word ? INT32_MAX : INT64_MAX;
    if (strchr("aAP", rule->kind))
        return check_range(g, n, name, v, 0, rank - 1);
    if (rule->kind == 'T' && (v < 1 || v > DT_BF16 || !dtype_supported((int)v)))
        return refuse_node(g, n, "%s is ONNX type %" PRId64 ", which is not supported", name, v);
    if (rule->range == 'b')
        return check_range(g, n, name, v, 0, 1);
    return !rule->range || check_range(g, n, name, v, rule->range == '+', most);
}

static bool check_list(const Graph *g, const Node *n, const Rule *rule, const Attr *a, int rank)
{
    const int64_t size = rule->kind == 'P'
                             ? rank
                             : (int64_t)rule->r_times * rank + (int64_t)rule->s_times * (rank - 2);
    const bool any = rule->kind != 'P' && !rule->r_times && !rule->s_times;
    unsigned seen = 0;
    if (!any && (int64_t)a->n != size)
        return refuse_node(g, n, "%s has %zu elements, not %" PRId64, a->name, a->n, size);
    for (size_t k = 0; k < a->n; k++) {
        if (a->kind == ATTR_FLOATS && !isfinite(a->floats[k]))
            return refuse_node(g, n, "element %zu of %s is not a finite number", k, a->name);
        if (a->kind == ATTR_FLOATS)
            continue;
        const int64_t v = a->ints[k];
        if (!check_int(g, n, rule, a->name, v, rank))
            return false;
        if (rule->kind == 'A' && k > 0 && v <= a->ints[k - 1])
            return refuse_node(g, n, "%s are not in ascending order: %" PRId64 " after %" PRId64,
                               a->name, v, a->ints[k - 1]);
        if (rule->kind == 'P' && (seen >> v & 1))
            return refuse_node(g, n, "%s names axis %" PRId64 " twice", a->name, v);
        if (rule->kind == 'P')
            seen |= 1u << v;
    }
    return true;
}

static bool check_word(const Graph *g, const Node *n, const Rule *rule, const Attr *a)
{
    const size_t size = strlen(a->s);
    const char *end = rule->words + rule->words_size;
    for (const char *word = rule->words; size > 0 && word < end;) {
        const size_t len = strcspn(word, "|)");
        if (len == size && !memcmp(word, a->s, len))
            return true;
        word += len + 1;
    }
    return refuse_node(g, n, "%s is '%.64s', not one of %.*s", a->name, a->s, (int)rule->words_size,
                       rule->words);
}

static bool check_rule(const Graph *g, const Node *n, const Rule *rule, int rank)
{
    static const char *const kinds[] = {[ATTR_INT] = "an integer",
                                        [ATTR_FLOAT] = "a float",
                                        [ATTR_STRING] = "a string",
                                        [ATTR_INTS] = "a list of integers",
                                        [ATTR_FLOATS] = "a list of floats"};
    const AttrKind kind = stored_kind(rule->kind);
    const Attr *a = NULL;
    for (uint32_t i = 0; i < n->n_attr; i++)
        if (strlen(n->attr[i].name) == rule->name_size &&
            memcmp(n->attr[i].name, rule->name, rule->name_size) == 0)
            a = &n->attr[i];
    if (!a)
        return rule->optional ||
               refuse_node(g, n, "attribute '%.*s' is missing", (int)rule->name_size, rule->name);
    if (a->kind != kind)
        return refuse_node(g, n, "attribute '%s' is not %s", a->name, kinds[kind]);
    if (kind == ATTR_INT)
        return check_int(g, n, rule, a->name, a->i, rank);
    if (kind == ATTR_FLOAT)
        return isfinite(a->f) || rule->range == '~' ||
               refuse_node(g, n, "%s is not a finite number", a->name);
    if (kind == ATTR_STRING)
        return !rule->words || check_word(g, n, rule, a);
    return check_list(g, n, rule, a, rank);
}

static bool check_arity(const Graph *g, const Node *n)
{
    const OpInfo *op = op_info(n->op);
    int present = 0;
    for (uint32_t k = 0; k < (uint32_t)op->min_in; k++)
        present += has_value(node_in(n, k));
    if (present < op->min_in)
        return refuse_node(g, n, "needs %d inputs, has %d", op->min_in, present);
    if (op->max_in >= 0 && n->n_in > (uint32_t)op->max_in)
        return refuse_node(g, n, "takes at most %d inputs, has %u", op->max_in, n->n_in);
    if (n->n_out < (uint32_t)op->min_out)
        return refuse_node(g, n, "has %u outputs, %d are needed", n->n_out, op->min_out);
    if (op->max_out >= 0 && n->n_out > (uint32_t)op->max_out)
        return refuse_node(g, n, "has at most %d outputs, not %u", op->max_out, n->n_out);
    for (uint32_t k = 0; k < n->n_in && op->max_in < 0; k++)
        if (!has_value(n->in[k]))
            return refuse_node(g, n, "input %u is missing", k);
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
            *attr = (OpAttr){.name = rule.name,
                             .size = rule.name_size,
                             .kind = stored_kind(rule.kind),
                             .optional = rule.optional,
                             .is_axis = rule.kind == 'a',
                             .is_flag = rule.range == 'b'};
            return true;
        }
    return false;
}

bool op_attr_named(Op op, const char *name, OpAttr *attr)
{
    for (size_t k = 0; op_attr(op, k, attr); k++)
        if (strlen(name) == attr->size && !memcmp(name, attr->name, attr->size))
            return true;
    return false;
}
