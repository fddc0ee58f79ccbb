/* What a search answers: see question.h. */
#include "question.h"

#include "../base/quote.h"
#include "../ops/ops.h"

#include <string.h>

/* Nearer than that, or by less than so many nanoseconds, times within a program cannot tell alternatives apart. */
static const double better = 0.97, least_gain = 50;

/* Equal layers are asked about once, in all models. */
static const char *key_of(Arena *arena, const Graph *g, const Node *node, const char *what)
{
    Text key = text_new(arena);
    uint64_t attrs = 0;
    text_printf(&key, "choice of %s for %s", what, op_info(node->op)->name);
    for (uint32_t i = 0; i < node->n_in + node->n_out; i++) {
        const ValueId v = i < node->n_in ? node->in[i] : node->out[i - node->n_in];
        text_printf(&key, "%s %s", i == node->n_in ? " ->" : "",
                    has_value(v) ? type_text(arena, &value_at(g, v)->type) : "-");
    }
    for (uint32_t i = 0; i < node->n_attr; i++) {
        const Attr *a = &node->attr[i];
        attrs = hash64(a->name, strlen(a->name), attrs);
        attrs = hash64(&a->i, sizeof a->i, attrs);
        attrs = hash64(&a->f, sizeof a->f, attrs);
        if (a->kind == ATTR_STRING)
            attrs = hash64(a->s, strlen(a->s), attrs);
        if (a->kind == ATTR_INTS)
            attrs = hash64(a->ints, a->n * sizeof *a->ints, attrs);
    }
    text_printf(&key, " {%016llx}", (unsigned long long)attrs);
    return key.data;
}

static const char *time_key(const Search *s, const Answer *a, uint32_t i)
{
    return arena_printf(s->arena, "%s: %s", a->key, a->names[i]);
}

bool search_known(const Search *s, const Answer *a, uint32_t i, double *ns)
{
    return tune_find(s->tune, time_key(s, a, i), ns);
}

void search_learn(const Search *s, const Answer *a, uint32_t i, double ns)
{
    tune_add(s->tune, time_key(s, a, i), &ns);
}

static uint32_t quickest(const Search *s, const Answer *a)
{
    double usual, least, ns;
    uint32_t best = 0;
    if (!search_known(s, a, 0, &usual))
        return 0;
    least = usual * better < usual - least_gain ? usual * better : usual - least_gain;
    for (uint32_t i = 1; i < a->n; i++)
        if (search_known(s, a, i, &ns) && ns < least) {
            best = i;
            least = ns;
        }
    return best;
}

static void explore(const Search *s, Answer *a)
{
    double ns;
    for (size_t k = 0; k < s->n; k++)
        if (s->answers[k].node == a->node && s->answers[k].explored)
            return;
    for (uint32_t i = 1; i < a->n && !a->explored; i++)
        if (!search_known(s, a, i, &ns)) {
            a->explored = true;
            a->chosen = i;
        }
}

/* For --explain: what is not as usual. */
static void say(const Search *s, const Graph *g, const Node *node, const Answer *a)
{
    double usual = 0, ns = 0;
    const char *name = *node->name ? node->name : value_at(g, node->out[0])->name;
    if (!a->chosen || !s->says)
        return;
    search_known(s, a, 0, &usual);
    search_known(s, a, a->chosen, &ns);
    text_printf(tune_notes(s->tune), "searched: '%s' (%s): %s: %s, %.1f us, usual is %s, %.1f us\n",
                c_safe_text(s->arena, name), op_info(node->op)->name, a->what, a->names[a->chosen],
                ns / 1000, a->names[0], usual / 1000);
}

uint32_t search_ask(Search *s, const Graph *g, const Node *node, const char *what,
                    const char *const *names, uint32_t n)
{
    if (!s || n < 2)
        return 0;
    const Answer a = {.node = (uint32_t)(node - g->nodes),
                      .what = what,
                      .key = key_of(s->arena, g, node, what),
                      .names = arena_copy(s->arena, names, n * sizeof *names),
                      .n = n};
    for (size_t k = 0; k < s->n; k++)
        if (s->answers[k].node == a.node && !strcmp(s->answers[k].key, a.key))
            return s->answers[k].chosen < n ? s->answers[k].chosen : 0;
    ARENA_PUSH(s->arena, s->answers, s->n, s->cap, a);
    Answer *added = &s->answers[s->n - 1];
    added->chosen = quickest(s, added);
    if (s->explores)
        explore(s, added);
    say(s, g, node, added);
    return added->chosen;
}
