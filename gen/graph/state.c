/* States: inputs that the context keeps, and which outputs they become. */
#include "../base/nearest.h"
#include "ir.h"

#include <ctype.h>
#include <string.h>

/* Whether one of them has rows of which only some count, or says how many. */
static bool is_counted(const Graph *g, uint32_t in, uint32_t out)
{
    return g->outputs[out].n_counts || graph_is_count(g, out) || g->inputs[in].n_counts ||
           graph_bound(g, in) >= 0;
}

/* Whether the output may be the rows of the input and more: both have one count, and nothing but the capacity differs. */
static bool has_more_rows(const Graph *g, uint32_t in, uint32_t out)
{
    const Port *from = &g->inputs[in], *to = &g->outputs[out];
    const int axis = from->counts[0].axis;
    TensorType t = *type_of(g, from->value);
    const TensorType *longer = type_of(g, to->value);
    if (from->n_counts != 1 || to->n_counts != 1 || axis != to->counts[0].axis ||
        longer->rank != t.rank || longer->dims[axis] <= t.dims[axis])
        return false;
    t.dims[axis] = longer->dims[axis];
    return type_equal(&t, longer);
}

static bool may_keep(const Graph *g, uint32_t in, uint32_t out)
{
    const Port *from = &g->inputs[in], *to = &g->outputs[out];
    return !from->state && !to->state &&
           (is_counted(g, in, out) ? has_more_rows(g, in, out)
                                   : type_equal(type_of(g, from->value), type_of(g, to->value)));
}

static void pair_up(Graph *g, uint32_t in, uint32_t out)
{
    g->inputs[in].state = out + 1;
    g->outputs[out].state = in + 1;
}

bool graph_keep_state(Graph *g, uint32_t in, uint32_t out)
{
    if (g->inputs[in].state || g->outputs[out].state ||
        !type_equal(type_of(g, g->inputs[in].value), type_of(g, g->outputs[out].value)))
        return false;
    pair_up(g, in, out);
    return true;
}

bool graph_is_appended(const Graph *g, uint32_t in)
{
    const Port *p = &g->inputs[in];
    const Node *n = p->state ? def_of(g, g->outputs[p->state - 1].value) : NULL;
    return n && n->op == OP_WriteRows && n->in[0].i == p->value.i;
}

size_t graph_state_bytes(const Graph *g, uint32_t n, bool appended)
{
    size_t bytes = 0;
    for (uint32_t i = 0; i < n && i < inputs_each(g); i++) /* the others have the same ones */
        if (g->inputs[i].state && graph_is_appended(g, i) == appended)
            bytes += align_up(type_bytes(type_of(g, g->inputs[i].value)));
    return bytes;
}

size_t graph_state_places(const Graph *g)
{
    return 2 * graph_state_bytes(g, g->n_inputs, false) + graph_state_bytes(g, g->n_inputs, true);
}

/* The number of the port that is called so; n: there is none. */
static uint32_t find_port(const Port *ports, uint32_t n, const char *name, size_t length)
{
    uint32_t i = 0;
    while (i < n && (strlen(ports[i].name) != length || strncmp(ports[i].name, name, length) != 0))
        i++;
    return i;
}

static bool refuse_pair(const Graph *g, const char *pair, uint32_t in, uint32_t out)
{
    const Port *from = &g->inputs[in], *to = &g->outputs[out];
    const char *is = type_text(g->arena, type_of(g, to->value));
    if (is_counted(g, in, out))
        return refuse_graph(g, "--state %s: how many rows output '%s' has depends on data", pair,
                            to->name);
    if (from->state || to->state)
        return refuse_graph(g, "--state %s: %s '%s' is in another pair", pair,
                            from->state ? "input" : "output", from->state ? from->name : to->name);
    return refuse_graph(g, "--state %s: output '%s' is %s, input '%s' %s", pair, to->name, is,
                        from->name, type_text(g->arena, type_of(g, from->value)));
}

/* Names may have an equals sign in them: the first one that stands between two names counts. */
static bool keep_pair(Graph *g, const char *pair)
{
    bool is_output = false;
    const size_t first = strcspn(pair, "=");
    for (const char *at = strchr(pair, '='); at; at = strchr(at + 1, '=')) {
        const uint32_t out = find_port(g->outputs, outputs_each(g), pair, (size_t)(at - pair));
        const uint32_t in = find_port(g->inputs, inputs_each(g), at + 1, strlen(at + 1));
        is_output |= out < outputs_each(g);
        if (out >= outputs_each(g) || in >= inputs_each(g))
            continue;
        if (!may_keep(g, in, out))
            return refuse_pair(g, pair, in, out);
        pair_up(g, in, out);
        return true;
    }
    Nearest nearest = nearest_to(g->arena, is_output ? pair + first + (pair[first] != 0)
                                                     : arena_strndup(g->arena, pair, first));
    const Port *ports = is_output ? g->inputs : g->outputs;
    for (uint32_t i = 0; i < (is_output ? inputs_each(g) : outputs_each(g)); i++)
        nearest_try(&nearest, ports[i].name, strlen(ports[i].name));
    return refuse_graph(g, "--state %s: the model has no such %s%s", pair,
                        is_output ? "input" : "output", did_you_mean(&nearest));
}

/* --- pairs by their names ------------------------------------------------------------------------------------------ */

/* What a name says: its words in lower case without those for before and after, one space behind each, and which of these there are. */
typedef struct Said {
    const char *words;
    bool before, after, in, out, kept;
} Said;

static bool is_one_of(const char *word, const char *const *words)
{
    for (; *words; words++)
        if (!strcmp(word, *words))
            return true;
    return false;
}

/* The length of the word that begins at `at`: letters of one case, a capital before small ones, or digits. */
static size_t length_of_word(const char *at)
{
    size_t n = 1;
    const bool digit = isdigit((unsigned char)*at);
    while (digit ? isdigit((unsigned char)at[n])
                 : isalpha((unsigned char)at[n]) &&
                       !(islower((unsigned char)at[n - 1]) && isupper((unsigned char)at[n])))
        n++;
    return n;
}

static Said said_by(Arena *arena, const char *name)
{
    static const char *const
        before[] = {"past", "prev", "previous", "last", "old", NULL},
        *const after[] = {"present", "new", "next", "updated", NULL},
        *const in[] = {"in", "input", NULL}, *const out[] = {"out", "output", "n", NULL},
        *const kept[] = {"state", "states", "hidden", "h",   "c",   "cell", "cache",  "caches",
                         "mem",   "memory", "kv",     "rnn", "gru", "lstm", "buffer", NULL};
    Text words = text_new(arena);
    Said said = {0};
    while (*name) {
        if (!isalnum((unsigned char)*name)) {
            name++;
            continue;
        }
        const size_t n = length_of_word(name);
        char *word = arena_strndup(arena, name, n);
        for (size_t i = 0; i < n; i++)
            word[i] = (char)tolower((unsigned char)word[i]);
        name += n;
        bool *said_so = is_one_of(word, before)  ? &said.before
                        : is_one_of(word, after) ? &said.after
                        : is_one_of(word, in)    ? &said.in
                        : is_one_of(word, out)   ? &said.out
                                                 : NULL;
        said.kept |= is_one_of(word, kept);
        if (said_so)
            *said_so = true;
        else
            text_printf(&words, "%s ", word);
        /* past_key_values.0.key becomes present.0.key */
        if (said_so && !strncmp(name, "_key_values", strlen("_key_values")))
            name += strlen("_key_values");
    }
    said.words = words.data ? words.data : "";
    return said;
}

/* Whether the names say that the input is, in the next run, what the output is in this one: h and hn, h0 and hn, past.0 and present.0,
 * old_x and new_x; of in and out, and of nothing but an n, only where another word says that something is kept. */
static bool say_the_same(Arena *arena, const char *in, const char *out)
{
    const size_t n = strlen(in);
    if (n && in[n - 1] == '0' && !strncmp(in, out, n - 1) && !strcmp(out + n - 1, "n"))
        return true;
    if (!strncmp(in, out, n) && (!strcmp(out + n, "n") || !strcmp(out + n, "N")))
        return true;
    const Said a = said_by(arena, in), b = said_by(arena, out);
    if (a.after || a.out || b.before || b.in || strcmp(a.words, b.words) != 0)
        return false;
    return a.before || b.after || ((a.in || b.out) && a.kept && b.kept);
}

static bool may_pair(const Graph *g, Arena *arena, uint32_t in, uint32_t out)
{
    return may_keep(g, in, out) && say_the_same(arena, g->inputs[in].name, g->outputs[out].name);
}

/* The only output for the input, if it is the only input for that; n_outputs otherwise. */
static uint32_t only_partner(const Graph *g, Arena *arena, uint32_t in)
{
    uint32_t found = outputs_each(g);
    for (uint32_t out = 0; out < outputs_each(g); out++) {
        if (!may_pair(g, arena, in, out))
            continue;
        if (found < outputs_each(g))
            return outputs_each(g);
        found = out;
    }
    for (uint32_t i = 0; found < outputs_each(g) && i < inputs_each(g); i++)
        if (i != in && may_pair(g, arena, i, found))
            return outputs_each(g);
    return found;
}

static bool keep_by_name(Graph *g, Text *notes)
{
    Arena *arena = arena_new();
    uint32_t *partner = ARENA_ARRAY(g->arena, uint32_t, (size_t)inputs_each(g) + 1);
    bool any = false;
    for (uint32_t i = 0; i < inputs_each(g); i++)
        partner[i] = only_partner(g, arena, i);
    for (uint32_t i = 0; i < inputs_each(g); i++)
        if (partner[i] < outputs_each(g) && may_keep(g, i, partner[i])) {
            pair_up(g, i, partner[i]);
            text_printf(notes, "dnnlc: --state %s=%s (%s)\n", g->outputs[partner[i]].name,
                        g->inputs[i].name, type_text(g->arena, type_of(g, g->inputs[i].value)));
            any = true;
        }
    arena_free(arena);
    return any || refuse_graph(g, "--state auto: no output is called like the next value of an "
                                  "input of its type; --state OUTPUT=INPUT names a pair");
}

/* --- rows that become more ----------------------------------------------------------------------------------------- */

/* Whether two counts are one: the same value, or computed alike. */
static bool same_count(const Graph *g, ValueId a, ValueId b)
{
    const Value *x = value_at(g, a), *y = value_at(g, b);
    const Node *m = def_of(g, a), *n = def_of(g, b);
    if (a.i == b.i)
        return true;
    if (x->data && y->data)
        return type_equal(&x->type, &y->type) && !memcmp(x->data, y->data, type_bytes(&x->type));
    if (!m || !n || m->op != n->op || m->n_in != n->n_in || m->n_attr || n->n_attr ||
        m->n_out != 1 || n->n_out != 1)
        return false;
    for (uint32_t k = 0; k < m->n_in; k++)
        if (!has_value(m->in[k]) || !has_value(n->in[k]) || !same_count(g, m->in[k], n->in[k]))
            return false;
    return true;
}

/* The input gets the capacity of the output. What reads it must not mind: TakeRows, or nothing but what writes the new rows. */
static bool make_longer(Rewrite *rw, const Uses *uses, uint32_t in)
{
    const Graph *g = rw->g;
    const Port *from = &g->inputs[in];
    if (graph_append(rw, uses, in))
        return true;
    for (uint32_t i = 0; i < rw->n_nodes; i++)
        for (uint32_t k = 0; k < g->nodes[i].n_in; k++)
            if (g->nodes[i].in[k].i == from->value.i && (g->nodes[i].op != OP_TakeRows || k))
                return refuse_node(g, &g->nodes[i],
                                   "reads all rows of '%s', which is a state with some that count",
                                   from->name);
    value_at(g, from->value)->type = *type_of(g, g->outputs[from->state - 1].value);
    return true;
}

/* The number of rows is a state, too: what the first of the outputs has, and the others have the same, whose outputs for it go. */
static bool keep_count(Graph *g, uint32_t in, bool *gone)
{
    const uint32_t by = g->inputs[in].counts[0].by;
    Port *to = &g->outputs[g->inputs[in].state - 1], *count = &g->inputs[by];
    if (!count->state) {
        count->most = graph_bound(g, by);
        pair_up(g, by, to->counts[0].by);
        return true;
    }
    const Port *first = &g->outputs[count->state - 1];
    if (!same_count(g, first->value, g->outputs[to->counts[0].by].value))
        return refuse_graph(g, "--state %s=%s: it has not as many rows as '%s' says", to->name,
                            g->inputs[in].name, first->name);
    gone[to->counts[0].by] = true;
    to->n_counts = 0;
    return true;
}

static void remove_outputs(Graph *g, const bool *gone)
{
    uint32_t n = 0;
    for (uint32_t o = 0; o < g->n_outputs; o++) {
        if (gone[o])
            continue;
        for (uint32_t k = 0; k < n; k++) /* ports before o are in their new places */
            for (uint32_t i = 0; i < g->outputs[k].n_counts; i++)
                if (g->outputs[k].counts[i].by == o)
                    g->outputs[k].counts[i].by = n;
        if (g->outputs[o].state)
            g->inputs[g->outputs[o].state - 1].state = n + 1;
        g->outputs[n++] = g->outputs[o];
    }
    g->n_outputs = n;
}

/* Nodes that nobody uses read nothing. */
static void drop_unused(Graph *g)
{
    Rewrite rw = rewrite_begin(g);
    graph_apply(&rw);
}

static bool all_are_states(const Graph *g)
{
    for (uint32_t i = 0; i < g->n_inputs; i++) {
        const Port *p = &g->inputs[i];
        for (uint32_t k = 0; k < p->n_counts && !p->state; k++)
            if (g->inputs[p->counts[k].by].state && !graph_is_sum(g, i, p->counts[k].axis))
                return refuse_graph(g,
                                    "input '%s' has as many rows as states, '%s', and is none: "
                                    "--state has to name it as well",
                                    p->name, g->inputs[p->counts[k].by].name);
    }
    return true;
}

/* States that have more rows after each run, of inputs with a bounded dimension. */
static bool keep_rows(Graph *g)
{
    bool *gone = ARENA_ARRAY(g->arena, bool, (size_t)g->n_outputs + 1), any = false;
    for (uint32_t i = 0; i < g->n_inputs; i++) {
        const Port *p = &g->inputs[i];
        if (p->state && p->n_counts && g->variants.n > 1)
            return refuse_graph(g,
                                "--state %s=%s: it has a bounded dimension, and the model "
                                "several variants",
                                g->outputs[p->state - 1].name, p->name);
        any |= p->state && p->n_counts;
    }
    if (!any)
        return true;
    drop_unused(g);
    const Uses uses = graph_uses(g, g->arena);
    Rewrite rw = rewrite_begin(g);
    for (uint32_t i = 0; i < g->n_inputs; i++)
        if (g->inputs[i].state && g->inputs[i].n_counts &&
            (!keep_count(g, i, gone) || !make_longer(&rw, &uses, i)))
            return false;
    remove_outputs(g, gone);
    graph_apply(&rw);
    return all_are_states(g);
}

/* What the first variant keeps, the others keep in the same place. */
bool graph_keep_in_all(Graph *g)
{
    const uint32_t n_in = inputs_each(g), n_out = outputs_each(g);
    for (uint32_t i = n_in; i < g->n_inputs; i++) {
        const Port *first = &g->inputs[i % n_in];
        const uint32_t out = i / n_in * n_out + first->state - 1;
        if (!first->state)
            continue;
        if (!type_equal(type_of(g, first->value), type_of(g, g->inputs[i].value)) ||
            !graph_keep_state(g, i, out))
            return refuse_graph(g, "--state %s=%s: variants have it in several sizes",
                                g->outputs[out].name, first->name);
    }
    return true;
}

bool graph_keep_states(Graph *g, const char *const *pairs, size_t n, Text *notes)
{
    bool by_name = false;
    for (size_t i = 0; i < n; i++)
        if (!strcmp(pairs[i], "auto"))
            by_name = true;
        else if (!keep_pair(g, pairs[i]))
            return false;
    return (!by_name || keep_by_name(g, notes)) && keep_rows(g);
}
