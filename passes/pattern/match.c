/* The matcher: a list of goals (this value has to match that pattern), solved one after the
 * other, with backtracking where a pattern leaves a choice. What was bound on a way that failed
 * is taken back. */
#include "pattern.h"

#include "../../gen/ops/ops.h"
#include "../common/util.h"

#include <math.h>
#include <string.h>

/* Goals looked at in one match: bounds what backtracking may cost; and how many of them on one
 * way: bounds the stack. */
enum { FUEL = 20000, DEPTH = 4000 };
static const double TOLERANCE = 1e-5;

typedef struct Goal {
    const Pattern *pattern;
    ValueId value;
    int times; /* CHAIN: how many steps are still allowed */
    const struct Frame *frame;
    const struct Goal *next;
    const struct Factors *factors; /* PRODUCT: what is left to do; NULL: all */
} Goal;

/* The state of a product: values still to be looked at, factors nothing has matched yet. */
typedef struct Factors {
    struct Todo {
        ValueId value;
        bool inverse;
        const struct Todo *next;
    } const *todo;
    uint32_t left;   /* bit i: arg[i] */
    uint32_t nodes;  /* that were taken apart */
    double constant; /* of the constants met */
} Factors;

enum { SPARE_FACTORS = 4 }; /* nodes of a product beside those its factors need */

/* What % stands for while a step of a chain is matched: the rest of the chain. */
typedef struct Frame {
    const Pattern *chain;
    int times;
    const struct Frame *outer;
} Frame;

static bool op_commutes(Op op)
{
    return op_has(op, TRAIT_COMMUTES | TRAIT_NEARLY_COMMUTES);
}

bool match_covers(const Match *m, NodeId n)
{
    for (uint32_t i = 0; i < m->n_nodes; i++)
        if (m->node[i].i == n.i)
            return true;
    return false;
}

static const Binding *find_binding(const Match *m, const char *name)
{
    for (uint32_t i = 0; i < m->n_bind; i++)
        if (strcmp(m->bind[i].name, name) == 0)
            return &m->bind[i];
    return NULL;
}

ValueId matched_value(const Match *m, const char *name)
{
    const Binding *b = find_binding(m, name);
    return b ? b->value : NO_VALUE;
}

double matched_number(const Match *m, const char *name)
{
    const Binding *b = find_binding(m, name);
    return b ? b->number : NAN;
}

NodeId matched_node(const Match *m, const char *name)
{
    const Binding *b = find_binding(m, name);
    return b ? b->node : NO_NODE;
}

static Binding *bind_name(Match *m, const char *name)
{
    if (m->n_bind == MATCH_BINDINGS)
        bug("a pattern with more than %d names", MATCH_BINDINGS);
    m->bind[m->n_bind] = (Binding){.name = name, .value = NO_VALUE, .number = NAN, .node = NO_NODE};
    return &m->bind[m->n_bind++];
}

static bool fail(Match *m, const char *why)
{
    if (!m->why || m->n_nodes + m->n_bind >= m->why_depth) {
        m->why = why;
        m->why_depth = m->n_nodes + m->n_bind;
    }
    return false;
}

/* Of the other order of operands: of interest only if nothing else is known. */
static bool fail_weakly(Match *m, const char *why)
{
    return m->why ? false : fail(m, why);
}

static bool near(double a, double b, double tolerance)
{
    return fabs(a - b) <= tolerance * fmax(fabs(b), 1e-30) || a == b;
}

static bool solve(Match *m, const Goal *goal);

/* One of several ways: what was bound on it is taken back if it fails. */
static bool attempt(Match *m, const Goal *goal)
{
    const uint32_t n_bind = m->n_bind, n_nodes = m->n_nodes;
    if (solve(m, goal))
        return true;
    m->n_bind = n_bind;
    m->n_nodes = n_nodes;
    return false;
}

/* No value inside is used outside. */
static bool closed(Match *m)
{
    for (uint32_t i = 0; i < m->n_nodes; i++) {
        const Node *n = node_at(m->g, m->node[i]);
        for (uint32_t k = 0; k < n->n_out; k++) {
            ValueId v = n->out[k];
            if (!has_value(v) || same_value(v, m->root))
                continue;
            if (m->uses->is_output[v.i])
                return fail(m, "a value inside is an output of the model");
            for (uint32_t u = m->uses->start[v.i]; u < m->uses->start[v.i + 1]; u++)
                if (!match_covers(m, m->uses->node[u]))
                    return fail(m, "a value inside is used outside");
        }
    }
    return true;
}

static bool solve_number(Match *m, const Goal *goal)
{
    const Pattern *p = goal->pattern;
    double x;
    if (!scalar_value(m->g, goal->value, &x))
        return fail(m, "an operand is not a constant of one element");
    if (!p->name)
        return near(x, p->number, p->tolerance > 0 ? p->tolerance : TOLERANCE)
                   ? solve(m, goal->next)
                   : fail(m, "a constant has another value");
    const Binding *b = find_binding(m, p->name);
    if (b)
        return near(x, b->number, TOLERANCE) ? solve(m, goal->next)
                                             : fail(m, "two constants differ");
    bind_name(m, p->name)->number = x;
    return solve(m, goal->next);
}

static bool solve_value(Match *m, const Goal *goal)
{
    const Pattern *p = goal->pattern;
    if (!has_value(goal->value))
        return fail(m, "an operand is absent");
    const Binding *b = find_binding(m, p->name);
    if (b && !same_value(b->value, goal->value))
        return fail(m, "two places have different values");
    for (uint32_t i = 0; i < p->n_predicates; i++)
        if (!p->predicate[i](m, goal->value))
            return fail(m, p->predicate_name[i]);
    if (!b)
        bind_name(m, p->name)->value = goal->value;
    if (!p->inner)
        return solve(m, goal->next);
    Goal inner = {p->inner, goal->value, 0, goal->frame, goal->next, NULL};
    return solve(m, &inner);
}

static bool list_fits(const Attr *a, const PatternAttr *want)
{
    if ((a->kind != ATTR_INTS && a->kind != ATTR_FLOATS) || a->n != want->n)
        return false;
    for (size_t i = 0; i < a->n; i++)
        if (a->kind == ATTR_INTS ? (double)a->ints[i] != want->number[i]
                                 : !near(a->floats[i], want->number[i], TOLERANCE))
            return false;
    return true;
}

static bool attr_fits(const Node *n, const PatternAttr *want)
{
    const Attr *a = node_attr(n, want->name);
    if (!a || want->any)
        return a != NULL;
    if (want->text)
        return a->kind == ATTR_STRING && strcmp(a->s, want->text) == 0;
    if (want->list)
        return list_fits(a, want);
    if (a->kind == ATTR_INT)
        return (double)a->i == want->number[0];
    return a->kind == ATTR_FLOAT && near(a->f, want->number[0], TOLERANCE);
}

/* The operands from k on, in the order of the node or, swapped, of a commutative one. */
static bool solve_operands(Match *m, const Goal *goal, const Node *n, uint32_t k, bool swapped,
                           const Goal *next)
{
    const Pattern *p = goal->pattern;
    if (k == 0)
        return solve(m, next);
    k--;
    ValueId v = node_in(n, swapped ? 1 - k : k);
    if (!has_value(v) && (p->may_miss[k] || p->arg[k]->kind == PAT_ABSENT))
        return solve_operands(m, goal, n, k, swapped, next);
    if (!has_value(v))
        return fail(m, "an operand is absent");
    Goal operand = {p->arg[k], v, 0, goal->frame, next, NULL};
    return solve_operands(m, goal, n, k, swapped, &operand);
}

static bool enter_node(Match *m, const Goal *goal, NodeId id)
{
    const Pattern *p = goal->pattern;
    const Node *n = node_at(m->g, id);
    if (n->op != p->op)
        return fail(m, "the operator is another one");
    if (value_at(m->g, goal->value)->def_out != p->out)
        return fail(m, "it is another output of the node");
    if (n->n_in > p->n_args && !p->more_inputs)
        return fail(m, "the node has more inputs");
    for (uint32_t i = 0; i < p->n_attrs; i++)
        if (!attr_fits(n, &p->attr[i]))
            return fail(m, p->attr[i].name);
    if (!match_covers(m, id)) {
        if (m->n_nodes == MATCH_NODES)
            return fail(m, "it has too many nodes");
        m->node[m->n_nodes++] = id;
    }
    if (p->node_name)
        bind_name(m, p->node_name)->node = id;
    return true;
}

static bool solve_op(Match *m, const Goal *goal)
{
    const Pattern *p = goal->pattern;
    uint32_t n_bind = m->n_bind, n_nodes = m->n_nodes;
    if (has_value(goal->value) && def_of(m->g, goal->value)) {
        NodeId id = value_at(m->g, goal->value)->def;
        const Node *n = node_at(m->g, id);
        bool two_ways = p->n_args == 2 && op_commutes(p->op);
        for (int swapped = 0; swapped <= two_ways; swapped++) {
            if (enter_node(m, goal, id) &&
                solve_operands(m, goal, n, p->n_args, swapped, goal->next))
                return true;
            m->n_bind = n_bind;
            m->n_nodes = n_nodes;
        }
    } else {
        fail(m, "a node is expected, not an input or constant");
    }
    if (!p->optional)
        return false;
    Goal without = {p->arg[0], goal->value, 0, goal->frame, goal->next, NULL};
    return solve(m, &without);
}

static bool solve_or(Match *m, const Goal *goal)
{
    Goal first = *goal, second = *goal;
    first.pattern = goal->pattern->arg[0];
    second.pattern = goal->pattern->arg[1];
    return attempt(m, &first) || attempt(m, &second);
}

static bool solve_chain(Match *m, const Goal *goal)
{
    const Pattern *p = goal->pattern;
    const Frame frame = {p, goal->times - 1, goal->frame};
    Goal step = {p->arg[0], goal->value, 0, &frame, goal->next, NULL};
    Goal bottom = {p->inner, goal->value, 0, goal->frame, goal->next, NULL};
    return (goal->times > 0 && attempt(m, &step)) || solve(m, &bottom);
}

static bool solve_hole(Match *m, const Goal *goal)
{
    if (goal->frame) {
        Goal rest = {goal->frame->chain, goal->value, goal->frame->times,
                     goal->frame->outer, goal->next,  NULL};
        return solve_chain(m, &rest);
    }
    return same_value(goal->value, m->hole) ? solve(m, goal->next)
                                            : fail_weakly(m, "the operand is another value");
}

/* --- products --------------------------------------------------------------------------------- */

static bool exponent(const Match *m, const Node *n, double *e)
{
    return n->op == OP_Pow && scalar_value(m->g, n->in[1], e) && *e >= 2 && *e <= 4 &&
           *e == floor(*e);
}

/* Could taking v apart give a factor made by `op`? */
static bool has_factor(const Match *m, ValueId v, Op op, uint32_t nodes)
{
    const Node *n = has_value(v) ? def_of(m->g, v) : NULL;
    if (!n || n->op == op || nodes == 0)
        return n && n->op == op;
    if (n->op != OP_Mul && n->op != OP_Div && n->op != OP_Neg && n->op != OP_Pow)
        return false;
    return has_factor(m, n->in[0], op, nodes - 1) ||
           (n->op == OP_Mul && has_factor(m, n->in[1], op, nodes - 1));
}

static bool solve_factors(Match *m, const Goal *goal, const Factors *f)
{
    Goal all = *goal;
    all.factors = f;
    return solve(m, &all);
}

static bool product_done(Match *m, const Goal *goal, const Factors *f)
{
    const Pattern *p = goal->pattern;
    if (f->left)
        return fail(m, "the product has fewer factors");
    const Binding *b = p->name ? find_binding(m, p->name) : NULL;
    double want = b ? b->number : p->number;
    if (p->name && !b)
        bind_name(m, p->name)->number = f->constant;
    else if (!near(f->constant, want, p->tolerance > 0 ? p->tolerance : TOLERANCE))
        return fail(m, "the constant factor has another value");
    return solve(m, goal->next);
}

/* The node's operands take its place. */
static bool take_apart(Match *m, const Goal *goal, Factors f, NodeId id, const struct Todo *rest)
{
    const Node *n = node_at(m->g, id);
    double e = 1, c;
    bool quotient = n->op == OP_Div && scalar_value(m->g, n->in[1], &c);
    if ((n->op != OP_Mul && n->op != OP_Neg && !quotient && !exponent(m, n, &e)) ||
        f.nodes == goal->pattern->n_args + SPARE_FACTORS || m->n_nodes == MATCH_NODES)
        return fail(m, "it is no factor");
    if (!match_covers(m, id))
        m->node[m->n_nodes++] = id;
    f.nodes++;
    if (n->op == OP_Neg)
        f.constant = -f.constant;
    struct Todo todo[4] = {{n->in[0], false, rest}};
    int last = 0;
    for (; last + 1 < (int)e; last++)
        todo[last + 1] = (struct Todo){n->in[0], false, &todo[last]};
    if (n->op == OP_Mul || quotient) {
        todo[1] = (struct Todo){n->in[1], quotient, &todo[0]};
        last = 1;
    }
    f.todo = &todo[last];
    return solve_factors(m, goal, &f);
}

static bool solve_product(Match *m, const Goal *goal)
{
    const Pattern *p = goal->pattern;
    const struct Todo whole = {goal->value, false, NULL};
    Factors f = {&whole, (1u << p->n_args) - 1, 0, 1};
    double c;
    if (goal->factors)
        f = *goal->factors;
    for (uint32_t i = 0; i < p->n_args && !goal->factors; i++)
        if (p->arg[i]->kind == PAT_OP && !p->arg[i]->optional &&
            !has_factor(m, goal->value, p->arg[i]->op, p->n_args + SPARE_FACTORS))
            return fail(m, "a factor is missing");
    if (!f.todo)
        return product_done(m, goal, &f);
    const struct Todo *first = f.todo;
    f.todo = first->next;
    if (scalar_value(m->g, first->value, &c)) {
        f.constant = first->inverse ? f.constant / c : f.constant * c;
        return solve_factors(m, goal, &f);
    }
    for (uint32_t i = 0; i < p->n_args && f.nodes; i++) {
        if (!(f.left >> i & 1))
            continue;
        Factors less = f;
        less.left &= ~(1u << i);
        Goal rest = *goal;
        rest.factors = &less;
        Goal factor = {p->arg[i], first->value, 0, goal->frame, &rest, NULL};
        if (attempt(m, &factor))
            return true;
    }
    if (!has_value(first->value) || !def_of(m->g, first->value))
        return fail(m, "it is no factor");
    return take_apart(m, goal, f, value_at(m->g, first->value)->def, first->next);
}

static bool solve_kind(Match *m, const Goal *goal)
{
    switch (goal->pattern->kind) {
    case PAT_VALUE:
        return solve_value(m, goal);
    case PAT_NUMBER:
        return solve_number(m, goal);
    case PAT_OP:
        return solve_op(m, goal);
    case PAT_OR:
        return solve_or(m, goal);
    case PAT_CHAIN: {
        Goal all = *goal;
        all.times = goal->pattern->times;
        return solve_chain(m, &all);
    }
    case PAT_PRODUCT:
        return solve_product(m, goal);
    case PAT_HOLE:
        return solve_hole(m, goal);
    case PAT_ABSENT:
        return fail(m, "an operand is present");
    }
    return false;
}

static bool solve(Match *m, const Goal *goal)
{
    if (!goal)
        return closed(m);
    if (m->fuel == 0 || m->depth == DEPTH) {
        m->why_depth = 0; /* whatever else failed, this ended the search */
        return fail(m, "it takes too long");
    }
    m->fuel--;
    m->depth++;
    bool good = solve_kind(m, goal);
    m->depth--;
    return good;
}

bool match_value(Match *m, const Pattern *p, ValueId root)
{
    m->root = root;
    m->n_bind = m->n_nodes = m->why_depth = m->depth = 0;
    m->why = NULL;
    m->fuel = FUEL;
    Goal goal = {.pattern = p, .value = root};
    return solve(m, &goal);
}
