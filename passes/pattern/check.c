/* What can be told of a pattern by itself: that it never matches, what it binds, how many nodes it
 * takes. Patterns are small, so everything walks the whole tree. */
#include "pattern.h"

#include "../../gen/ops/ops.h"

#include <string.h>

typedef struct Check {
    PatternError *error;
    const Pattern *values[MATCH_BINDINGS]; /* by name, the first place */
    uint32_t n_values;
    int frames; /* chains around */
    bool hole;
} Check;

static bool wrong(Check *c, const Pattern *p, const char *what)
{
    *c->error = (PatternError){what, p->at};
    return false;
}

bool pattern_binds(const Pattern *p, const char *name)
{
    switch (p->kind) {
    case PAT_VALUE:
        return strcmp(p->name, name) == 0 || (p->inner && pattern_binds(p->inner, name));
    case PAT_NUMBER:
        return p->name && strcmp(p->name, name) == 0;
    case PAT_OR:
        return pattern_binds(p->arg[0], name) && pattern_binds(p->arg[1], name);
    case PAT_CHAIN:
        return pattern_binds(p->inner, name);
    case PAT_PRODUCT:
        for (uint32_t i = 0; i < p->n_args; i++)
            if (pattern_binds(p->arg[i], name))
                return true;
        return p->name && strcmp(p->name, name) == 0;
    case PAT_OP:
        for (uint32_t i = 0; i < (p->optional && p->n_args ? 1 : p->n_args); i++)
            if (!p->may_miss[i] && pattern_binds(p->arg[i], name))
                return true;
        return !p->optional && p->node_name && strcmp(p->node_name, name) == 0;
    default:
        return false;
    }
}

uint32_t pattern_min_nodes(const Pattern *p)
{
    uint32_t a, b, most = 0;
    switch (p->kind) {
    case PAT_VALUE:
        return p->inner ? pattern_min_nodes(p->inner) : 0;
    case PAT_OR:
        a = pattern_min_nodes(p->arg[0]);
        b = pattern_min_nodes(p->arg[1]);
        return a < b ? a : b;
    case PAT_CHAIN:
        return pattern_min_nodes(p->inner);
    case PAT_PRODUCT:
    case PAT_OP:
        if (p->optional)
            return p->n_args ? pattern_min_nodes(p->arg[0]) : 0;
        /* two operands may be the same nodes */
        for (uint32_t i = 0; i < p->n_args; i++) {
            a = p->may_miss[i] ? 0 : pattern_min_nodes(p->arg[i]);
            most = a > most ? a : most;
        }
        return most + 1;
    default:
        return 0;
    }
}

bool pattern_roots(const Pattern *p, PatternVisit *visit, void *data)
{
    switch (p->kind) {
    case PAT_OR:
        return pattern_roots(p->arg[0], visit, data) && pattern_roots(p->arg[1], visit, data);
    case PAT_OP:
        return visit(p, data) && (!p->optional || pattern_roots(p->arg[0], visit, data));
    default:
        return false;
    }
}

bool pattern_matches_alone(const Pattern *p, Op op)
{
    switch (p->kind) {
    case PAT_OR:
        return pattern_matches_alone(p->arg[0], op) || pattern_matches_alone(p->arg[1], op);
    case PAT_CHAIN: /* without a step */
        return pattern_matches_alone(p->inner, op);
    case PAT_VALUE:
        return p->inner && pattern_matches_alone(p->inner, op);
    case PAT_PRODUCT:
        for (uint32_t i = 0; i < p->n_args; i++)
            if (pattern_min_nodes(p->arg[i]) > 0)
                return false;
        return op == OP_Mul || op == OP_Div || op == OP_Neg || op == OP_Pow;
    case PAT_OP:
        if (p->optional && p->n_args && pattern_matches_alone(p->arg[0], op))
            return true;
        for (uint32_t i = 0; i < p->n_args; i++)
            if (!p->may_miss[i] && pattern_min_nodes(p->arg[i]) > 0)
                return false;
        return p->op == op;
    default:
        return false;
    }
}

/* --- contradictions ---------------------------------------------------------------------------- */

bool pattern_has_predicate(const Pattern *p, const char *name)
{
    for (uint32_t i = 0; i < p->n_predicates; i++)
        if (strcmp(p->predicate_name[i], name) == 0)
            return true;
    return false;
}

/* Predicates that no value has both of. */
static bool contradict(const Pattern *a, const Pattern *b)
{
    static const char *const pairs[][2] = {
        {"rank3", "rank4"},
        {"rank3", "rank5"},
        {"rank4", "rank5"},
        {"const", "overwritable"},
    };
    for (size_t i = 0; i < COUNT_OF(pairs); i++)
        if ((pattern_has_predicate(a, pairs[i][0]) && pattern_has_predicate(b, pairs[i][1])) ||
            (pattern_has_predicate(a, pairs[i][1]) && pattern_has_predicate(b, pairs[i][0])))
            return true;
    return false;
}

static bool mentions(const Pattern *p, const char *name)
{
    if (p->kind == PAT_VALUE && strcmp(p->name, name) == 0)
        return true;
    for (uint32_t i = 0; i < PATTERN_ARGS && p->arg[i]; i++)
        if (mentions(p->arg[i], name))
            return true;
    return p->inner && mentions(p->inner, name);
}

static bool note_name(Check *c, const Pattern *p)
{
    for (uint32_t i = 0; i < c->n_values; i++) {
        const Pattern *other = c->values[i];
        if (strcmp(other->name, p->name) != 0)
            continue;
        if ((other->kind == PAT_VALUE) != (p->kind == PAT_VALUE))
            return wrong(c, p, "the name stands for a value and for a number");
        return true;
    }
    if (c->n_values == COUNT_OF(c->values))
        return wrong(c, p, "the pattern has too many names");
    c->values[c->n_values++] = p;
    return true;
}

static bool check(Check *c, const Pattern *p);

static bool check_value(Check *c, const Pattern *p)
{
    if (contradict(p, p))
        return wrong(c, p, "no value fulfils these predicates together: it can match nothing");
    if (!note_name(c, p))
        return false;
    if (!p->inner)
        return true;
    if (mentions(p->inner, p->name))
        return wrong(c, p, "the value would be made from itself: it can match nothing");
    if (pattern_has_predicate(p, "const"))
        return wrong(c, p, "a constant is made by no node: it can match nothing");
    return check(c, p->inner);
}

static bool check_attrs(Check *c, const Pattern *p)
{
    OpAttr attr;
    for (uint32_t i = 0; i < p->n_attrs; i++) {
        if (!op_attr_named(p->op, p->attr[i].name, &attr))
            return wrong(c, p, "the operator has no such attribute: it can match nothing");
        for (uint32_t k = 0; k < i; k++)
            if (strcmp(p->attr[k].name, p->attr[i].name) == 0)
                return wrong(c, p, "an attribute is asked for twice");
    }
    return true;
}

static bool check_op(Check *c, const Pattern *p)
{
    const OpInfo *op = op_info(p->op);
    if (op->max_in >= 0 && p->n_args > (uint32_t)op->max_in)
        return wrong(c, p, "the operator has fewer inputs: it can match nothing");
    if (p->n_args < (uint32_t)op->min_in && !p->more_inputs)
        return wrong(c, p, "the operator has more inputs: it can match nothing");
    if (op->max_out >= 0 && p->out >= (uint32_t)op->max_out)
        return wrong(c, p, "the operator has fewer outputs: it can match nothing");
    if (p->optional && (p->n_args == 0 || p->may_miss[0]))
        return wrong(c, p, "without it nothing is left");
    for (uint32_t i = 0; i < p->n_args; i++) {
        bool absent = p->arg[i]->kind == PAT_ABSENT;
        if (absent && i < (uint32_t)op->min_in)
            return wrong(c, p->arg[i], "the operand is never absent: it can match nothing");
        if (!absent && !check(c, p->arg[i]))
            return false;
    }
    return check_attrs(c, p);
}

static bool check_chain(Check *c, const Pattern *p)
{
    if (pattern_min_nodes(p->arg[0]) == 0)
        return wrong(c, p, "a step of the chain takes no node");
    c->frames++;
    bool good = check(c, p->arg[0]);
    c->frames--;
    return good && check(c, p->inner);
}

static bool check_product(Check *c, const Pattern *p)
{
    if (p->name && !note_name(c, p))
        return false;
    for (uint32_t i = 0; i < p->n_args; i++)
        if (!check(c, p->arg[i]))
            return false;
    return true;
}

static bool check(Check *c, const Pattern *p)
{
    switch (p->kind) {
    case PAT_VALUE:
        return check_value(c, p);
    case PAT_NUMBER:
        return !p->name || note_name(c, p);
    case PAT_OP:
        return check_op(c, p);
    case PAT_OR:
        return check(c, p->arg[0]) && check(c, p->arg[1]);
    case PAT_CHAIN:
        return check_chain(c, p);
    case PAT_PRODUCT:
        return check_product(c, p);
    case PAT_HOLE:
        return c->frames || c->hole || wrong(c, p, "% stands for nothing here");
    case PAT_ABSENT:
        return wrong(c, p, "_ is an operand only: it can match nothing");
    }
    return false;
}

/* The same name in two places of one alternative has to fulfil the predicates of both. */
static bool check_places(Check *c, const Pattern *p, const Pattern *root)
{
    if (p->kind == PAT_VALUE && p->n_predicates) {
        for (uint32_t i = 0; i < c->n_values; i++)
            if (strcmp(c->values[i]->name, p->name) == 0 && c->values[i] != p &&
                contradict(c->values[i], p) && root->kind != PAT_OR)
                return wrong(c, p, "no value fulfils the predicates of both places");
    }
    for (uint32_t i = 0; i < PATTERN_ARGS && p->arg[i]; i++)
        if (!check_places(c, p->arg[i], root))
            return false;
    return !p->inner || check_places(c, p->inner, root);
}

bool pattern_check(const Pattern *p, bool hole, PatternError *error)
{
    Check c = {.error = error, .hole = hole};
    if (pattern_min_nodes(p) == 0)
        return wrong(&c, p, "it can match without any node");
    return check(&c, p) && check_places(&c, p, p);
}
