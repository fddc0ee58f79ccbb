/* The search: see search.h.
 *
 * A base is compiled by all that is known. A candidate differs from it in as many places as there are questions with an alternative that was not timed: each is
 * explored at once, since layers hardly matter to each other, and what each gains is the difference between the times of its layers in both programs.
 * What an alternative computes together with its neighbours it may compute apart from them, so that all nodes of steps that hold the node, in either
 * program, are taken together, with reorders beside them. When nothing is left to try, the best of all is the next base, which may ask other questions. */
#include "search.h"
#include "../base/progress.h"

#include "process.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

static const char *const plan_names[PLANS] = {"estimated", "measured", "searched",
                                              "measured and searched"};
static const char first_folder[] = "usual";
static const double worth = 0.99;         /* of a plan's time: nearer it is not worth another one */
static const double impossible = 1e14;    /* ns: of what could not be built or run */
static const double for_primitives = 0.3; /* of the time */
enum { ROUNDS = 3 };
static const double enough = 2; /* seconds for the runs of one candidate */

typedef struct Candidate {
    Arena *arena;
    Search search;
    const Program *p;
    const char *dir;
    double *ns; /* by step, least of all runs */
} Candidate;

typedef struct Run {
    Arena *arena;
    Diag *diag;
    Tune *tune;
    const SearchRequest *r;
    const char *folder;
    int base_plan;
    double begin, made,
        took; /* seconds; from making the last candidate, without measured primitives, to the end of its runs */
    unsigned tried;
} Run;

static double now(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + (double)t.tv_nsec * 1e-9;
}

/* Whether there is time for n more candidates. */
static bool has_time(const Run *run, double n)
{
    return now() - run->begin + n * run->took < run->r->seconds;
}

static const char *plan_key(Arena *arena, const SearchRequest *r, const char *what)
{
    return arena_printf(arena, "%s: %s", r->model, what);
}

/* --- candidates -------------------------------------------------------------------------------------------------------- */

static void drop(Candidate *c)
{
    if (c->arena)
        arena_free(c->arena);
    *c = (Candidate){0};
}

/* From "KEY": on. */
static bool read_number(const char *text, const char *key, double *number)
{
    const char *at = strstr(text, key);
    if (at)
        *number = strtod(at + strlen(key), NULL);
    return at != NULL;
}

static bool run_once(const Run *run, Candidate *c)
{
    const char *program = arena_printf(c->arena, "%s/%s", c->dir, run->r->name),
               *threads = arena_printf(c->arena, "%d", run->r->threads);
    const char *const words[] = {program,
                                 "--profile",
                                 "--no-peak",
                                 "--json",
                                 "--random",
                                 "1",
                                 run->r->threads ? "--threads" : NULL,
                                 threads,
                                 NULL};
    Text out = text_new(c->arena);
    double least, layer;
    if (!run_command(words, run->r->isa, &out))
        return false;
    for (const char *at = out.data; (at = strstr(at, "{\"layer\": ")); at++)
        if (read_number(at, "\"layer\": ", &layer) && read_number(at, "\"least_ms\": ", &least) &&
            layer < c->p->n_steps)
            c->ns[(size_t)layer] = fmin(c->ns[(size_t)layer], least * 1e6);
    return true;
}

static const char *option_text(const Run *run)
{
    return arena_printf(run->arena, "--tune=%ds", run->r->seconds);
}

/* Folders of programs begin as copies of the first one, so that only what differs is built. */
static void seed(const Run *run, const Candidate *c)
{
    const char *first = arena_printf(c->arena, "%s/%s", run->folder, first_folder);
    const char *const words[] = {"cp", "-Rp", first, c->dir, NULL};
    Text out = text_new(c->arena);
    if (access(c->dir, F_OK))
        run_command(words, NULL, &out);
}

/* Compiles and builds. False: it is refused, or cannot be had. */
static bool make(Run *run, Candidate *c, const char *dir, int plan, bool explores)
{
    *c = (Candidate){.arena = arena_new()};
    c->dir = arena_printf(c->arena, "%s/%s", run->folder, dir);
    c->search = (Search){.arena = c->arena, .tune = run->tune, .explores = explores};
    seed(run, c);
    tune_until(run->tune, run->begin + for_primitives * run->r->seconds);
    c->p = run->r->compile(run->r->user, c->arena, plan & PLAN_SEARCHED ? &c->search : NULL,
                           plan & PLAN_MEASURED, c->dir, run->diag);
    if (!c->p)
        return false;
    c->ns = ARENA_ARRAY(c->arena, double, (size_t)c->p->n_steps + 1);
    for (uint32_t i = 0; i < c->p->n_steps; i++)
        c->ns[i] = INFINITY;
    run->tried++;
    run->made = now();
    progress_at(now() - run->begin, run->r->seconds);
    return build_folder(run->diag, option_text(run), c->dir, run->r->name);
}

/* Runs both in turns, so that what else this machine does is part of both times. */
static bool compare(Run *run, Candidate *base, Candidate *other)
{
    const double begin = now();
    for (int i = 0; i < ROUNDS && (i == 0 || now() - begin < enough); i++)
        if ((base && !run_once(run, base)) || !run_once(run, other))
            return refuse_at(run->diag, option_text(run), "what is emitted could not be run here");
    run->took = now() - run->made;
    return true;
}

/* --- what a change gains --------------------------------------------------------------------------------------------- */

/* The step computes one of the nodes; or copies what one of them makes or reads. */
static bool is_part(const Candidate *c, const Step *s, const bool *inside)
{
    const Graph *g = c->p->graph;
    for (uint32_t i = 0; i < s->n_nodes; i++)
        if (inside[s->nodes[i].i])
            return true;
    const ValueId v = s->n_nodes || !s->n_in ? NO_VALUE : c->p->buffers[s->in[0]].value;
    const Node *made = has_value(v) ? def_of(g, v) : NULL;
    if (made && inside[made - g->nodes])
        return true;
    for (uint32_t n = 0; has_value(v) && n < g->n_nodes; n++)
        for (uint32_t k = 0; inside[n] && k < g->nodes[n].n_in; k++)
            if (same_value(g->nodes[n].in[k], v))
                return true;
    return false;
}

/* Adds the other nodes of such steps; whether there are some. */
static bool widen(const Candidate *c, bool *inside)
{
    bool more = false;
    for (uint32_t i = 0; i < c->p->n_steps; i++) {
        const Step *s = &c->p->steps[i];
        const bool part = s->n_nodes && is_part(c, s, inside);
        for (uint32_t k = 0; part && k < s->n_nodes; k++) {
            more = more || !inside[s->nodes[k].i];
            inside[s->nodes[k].i] = true;
        }
    }
    return more;
}

static double sum_of(const Candidate *c, const bool *inside)
{
    double ns = 0;
    for (uint32_t i = 0; i < c->p->n_steps; i++)
        if (isfinite(c->ns[i]) && is_part(c, &c->p->steps[i], inside))
            ns += c->ns[i];
    return ns;
}

/* Nodes that belong together in either program. False: one of them belongs to another change, too. */
static bool gather(const Candidate *base, const Candidate *c, uint32_t node, bool *inside,
                   bool *taken)
{
    const uint32_t n = c->p->graph->n_nodes;
    memset(inside, 0, n);
    inside[node] = true;
    while (widen(base, inside) | widen(c, inside))
        ;
    for (uint32_t i = 0; i < n; i++)
        if (inside[i] && taken[i])
            return false;
    for (uint32_t i = 0; i < n; i++)
        taken[i] = taken[i] || inside[i];
    return true;
}

/* Of all layers: steadier than that of whole runs where other programs run. */
static double whole(const Candidate *c)
{
    double ns = 1;
    for (uint32_t i = 0; i < c->p->n_steps; i++)
        ns += isfinite(c->ns[i]) ? c->ns[i] : 0;
    return ns;
}

static const Answer *same_question(const Candidate *c, const Answer *a)
{
    for (size_t i = 0; i < c->search.n; i++)
        if (c->search.answers[i].node == a->node && !strcmp(c->search.answers[i].key, a->key))
            return &c->search.answers[i];
    return NULL;
}

/* What equal layers gain on average is what the alternative gains: `gain` and `count` are by answer, those of the first with the same change. */
static size_t first_alike(const Candidate *c, size_t k)
{
    const Answer *a = &c->search.answers[k];
    for (size_t i = 0; i < k; i++) {
        const Answer *b = &c->search.answers[i];
        if (b->explored && b->chosen == a->chosen && !strcmp(b->key, a->key))
            return i;
    }
    return k;
}

/* The time of what the base has, where nothing is known of it: that of its layers. */
static double base_time(const Candidate *base, const Answer *a, double together)
{
    double ns;
    const Answer *b = same_question(base, a);
    if (b && search_known(&base->search, b, b->chosen, &ns))
        return ns;
    ns = fmax(together, 1);
    search_learn(&base->search, b ? b : a, b ? b->chosen : 0, ns);
    return ns;
}

static void learn(const Candidate *base, const Candidate *c)
{
    const size_t n = c->p->graph->n_nodes;
    bool *inside = ARENA_ARRAY(c->arena, bool, n + 1), *taken = ARENA_ARRAY(c->arena, bool, n + 1);
    double *gain = ARENA_ARRAY(c->arena, double, c->search.n + 1),
           *before = ARENA_ARRAY(c->arena, double, c->search.n + 1),
           *count = ARENA_ARRAY(c->arena, double, c->search.n + 1);
    for (size_t k = 0; k < c->search.n; k++) {
        const Answer *a = &c->search.answers[k];
        if (!a->explored || !gather(base, c, a->node, inside, taken))
            continue;
        const size_t first = first_alike(c, k);
        const double was = sum_of(base, inside);
        gain[first] += was - sum_of(c, inside);
        before[first] += was;
        count[first]++;
    }
    for (size_t k = 0; k < c->search.n; k++)
        if (count[k] > 0) {
            const Answer *a = &c->search.answers[k];
            const double was = base_time(base, a, before[k] / count[k]);
            search_learn(&c->search, a, a->chosen, fmax(was - gain[k] / count[k], 1));
        }
}

/* It could not be had with all of these changes at once. */
static void give_up(const Candidate *base, const Candidate *c)
{
    for (size_t k = 0; k < c->search.n; k++)
        if (c->search.answers[k].explored) {
            base_time(base, &c->search.answers[k], 1);
            search_learn(&c->search, &c->search.answers[k], c->search.answers[k].chosen,
                         impossible);
        }
}

static bool explores_something(const Candidate *c)
{
    for (size_t k = 0; k < c->search.n; k++)
        if (c->search.answers[k].explored)
            return true;
    return false;
}

/* --- the search -------------------------------------------------------------------------------------------------------- */

/* One candidate beside the base. False: nothing is left to be tried. */
static bool try_next(Run *run, Candidate *base)
{
    Candidate c;
    const bool made = make(run, &c, "candidate", run->base_plan | PLAN_SEARCHED, true),
               more = explores_something(&c);
    if (more && made && compare(run, base, &c))
        learn(base, &c);
    else if (more)
        give_up(base, &c);
    run->diag->message = NULL;
    drop(&c);
    return more;
}

/* The plan beside the usual one: its time as a whole. */
static bool time_plan(Run *run, Candidate *usual, int plan)
{
    Candidate c;
    bool good = make(run, &c, "candidate", plan, false) && compare(run, usual, &c);
    double ns = good ? whole(&c) : 0;
    if (good)
        tune_add(run->tune, plan_key(run->arena, run->r, plan_names[plan]), &ns);
    drop(&c);
    return good;
}

/* From the best that is known to the next best. False: there is nothing to be tried, or no time. */
static bool try_all(Run *run)
{
    Candidate base;
    bool any = false, good = make(run, &base, "base", run->base_plan | PLAN_SEARCHED, false) &&
                             compare(run, NULL, &base);
    while (good && has_time(run, 2) && try_next(run, &base))
        any = true;
    drop(&base);
    return any && has_time(run, 2);
}

static bool search(Run *run)
{
    Candidate usual;
    bool good = make(run, &usual, first_folder, 0, false) && compare(run, NULL, &usual);
    double measured = INFINITY;
    if (good && time_plan(run, &usual, PLAN_MEASURED))
        tune_find(run->tune, plan_key(run->arena, run->r, plan_names[PLAN_MEASURED]), &measured);
    run->base_plan = good && measured < worth * whole(&usual) ? PLAN_MEASURED : 0;
    run->diag->message = good ? NULL : run->diag->message;
    while (good && has_time(run, 2) && try_all(run))
        ;
    good = good && time_plan(run, &usual, run->base_plan | PLAN_SEARCHED);
    if (good) {
        double seconds = now() - run->begin, ns = whole(&usual);
        tune_add(run->tune, plan_key(run->arena, run->r, plan_names[0]), &ns);
        tune_add(run->tune, plan_key(run->arena, run->r, "done"), &seconds);
    }
    drop(&usual);
    return good;
}

static int best_plan(const Run *run)
{
    int best = 0;
    double usual = 0, least, ns;
    tune_find(run->tune, plan_key(run->arena, run->r, plan_names[0]), &usual);
    least = worth * usual;
    for (int i = 1; i < PLANS; i++)
        if (tune_find(run->tune, plan_key(run->arena, run->r, plan_names[i]), &ns) && ns < least) {
            best = i;
            least = ns;
        }
    if (!run->r->quiet)
        printf("--tune=%ds: the %s plan is taken, at %.3f of the estimated one's time\n",
               run->r->seconds, plan_names[best], best ? least / usual : 1);
    return best;
}

bool search_plan(Arena *arena, Diag *diag, Tune *tune, const SearchRequest *r, int *plan)
{
    Run run = {.arena = arena, .diag = diag, .tune = tune, .r = r, .begin = now()};
    double seconds;
    if (!tune_find(tune, plan_key(arena, r, "done"), &seconds)) {
        Folder folder;
        if (!make_folder(arena, diag, &folder))
            return false;
        run.folder = folder.path;
        progress_begin("--tune measures programs");
        const bool good = search(&run);
        progress_end();
        remove_folder(&folder);
        tune_until(tune, INFINITY);
        if (!good)
            return false;
        if (!r->quiet)
            printf("--tune=%ds: %u programs timed\n", r->seconds, run.tried);
    }
    *plan = best_plan(&run);
    return true;
}
