/* How many threads a program has, and which of its kernels of C they share. A region costs a microsecond or two, and what a thread reads or
 * writes costs more where another one had it before, so a kernel goes with those beside it: between two layers that threads share it is
 * shared sooner than by itself. What oneDNN takes is settled by now. */
#include "../dnnl/plan.h"
#include "../kernel/plan.h"
#include "../tune/question.h"
#include "lower.h"

/* Steps before and behind one whose operands may still be in the caches. */
enum { NEAR = 32, ROUNDS = 8 };

/* Products fetch ahead, and hardly wait for what comes from another core. */
static const double waits = 0.25;

typedef struct ThreadStep {
    int64_t iterations; /* that threads can share: of a kernel of C */
    double ns;          /* on one thread, of those */
    bool shared;
} ThreadStep;

/* `reader` reads what `writer` has written. */
typedef struct Edge {
    uint32_t writer, reader;
    double bytes; /* for which it waits */
} Edge;

typedef struct Sharing {
    const Lowering *l;
    const Program *p;
    ThreadStep *step;
    Edge *edge;      /* by reader */
    uint32_t *first; /* n_steps + 1: of a step */
    bool *was;
} Sharing;

static bool primitive_is_shared(const DnnlPrimitive *d)
{
    return d->winograd    ? d->winograd->threads > 1
           : d->attention ? d->attention->threads > 1
                          : !d->one_thread;
}

static double read_bytes(const Program *p, const Step *reader, const Step *writer)
{
    double bytes = 0;
    for (uint32_t o = 0; o < writer->n_out; o++)
        for (uint32_t i = 0; i < reader->n_in; i++)
            if (c_overlap(p, reader->in[i], writer->out[o]))
                bytes += (double)p->buffers[reader->in[i]].bytes;
    return reader->dnnl ? waits * bytes : bytes;
}

static void find_edges(Sharing *t)
{
    const Program *p = t->p;
    uint32_t n = 0;
    t->edge = ARENA_ARRAY(t->l->arena, Edge, (size_t)p->n_steps * NEAR);
    t->first = ARENA_ARRAY(t->l->arena, uint32_t, (size_t)p->n_steps + 1);
    for (uint32_t i = 0; i < p->n_steps; i++) {
        for (uint32_t j = i > NEAR ? i - NEAR : 0; j < i; j++) {
            const double bytes = read_bytes(p, &p->steps[i], &p->steps[j]);
            if (bytes > 0)
                t->edge[n++] = (Edge){j, i, bytes};
        }
        t->first[i + 1] = n;
    }
}

/* Nanoseconds of steps `from` to `end` - 1, and of waiting for what one thread, or several, have written there for several, or one. */
static double range_ns(const Sharing *t, uint32_t from, uint32_t end)
{
    const Machine *m = &t->l->machine;
    const uint32_t last = t->p->n_steps - end < NEAR ? t->p->n_steps : end + NEAR;
    double ns = 0;
    for (uint32_t i = from; i < end; i++)
        ns += t->step[i].shared ? t->step[i].ns / t->p->threads + m->region_ns : t->step[i].ns;
    for (const Edge *e = t->edge + t->first[from]; e < t->edge + t->first[last]; e++)
        if ((e->reader < end || (e->writer >= from && e->writer < end)) &&
            t->step[e->reader].shared != t->step[e->writer].shared)
            ns += e->bytes / m->neighbour_rate;
    return ns;
}

/* The kernels of a range, all shared or none, if that is quicker. */
static bool turn(Sharing *t, uint32_t from, uint32_t end, bool shared)
{
    const double before = range_ns(t, from, end);
    bool any = false;
    for (uint32_t i = from; i < end; i++) {
        t->was[i] = t->step[i].shared;
        any = any || (t->step[i].iterations && t->was[i] != shared);
        t->step[i].shared = t->step[i].iterations ? shared : t->was[i];
    }
    if (any && range_ns(t, from, end) < before)
        return true;
    for (uint32_t i = from; i < end; i++)
        t->step[i].shared = t->was[i];
    return false;
}

/* Kernels that follow one another, together, and then each by itself. */
static bool improve(Sharing *t)
{
    bool better = false;
    for (uint32_t i = 0, end; i < t->p->n_steps; i = end) {
        for (end = i; end < t->p->n_steps && end - i < NEAR && t->step[end].iterations; end++)
            ;
        end += end == i;
        better = turn(t, i, end, false) || turn(t, i, end, true) || better;
    }
    for (uint32_t i = 0; i < t->p->n_steps; i++)
        better = turn(t, i, i + 1, !t->step[i].shared) || better;
    return better;
}

static bool is_shared(const Lowering *l, const Step *s, bool usual)
{
    static const char *const names[] = {"one thread", "all threads", "one thread"};
    const Node *n = s->n_nodes ? node_at(l->g, s->node) : NULL;
    return (n && search_ask(l->p->search, l->g, n, "threads", names + usual, 2)) != usual;
}

static void share_kernels(Lowering *l)
{
    Program *p = l->p;
    Sharing t = {.l = l, .p = p};
    t.step = ARENA_ARRAY(l->arena, ThreadStep, p->n_steps);
    t.was = ARENA_ARRAY(l->arena, bool, p->n_steps);
    for (uint32_t i = 0; i < p->n_steps; i++) {
        const Step *s = &p->steps[i];
        double operations = 0;
        if (s->c)
            t.step[i].iterations = c_shareable(p, s, &operations);
        t.step[i].ns = l->machine.loop_ns * operations;
        t.step[i].shared = s->dnnl ? primitive_is_shared(s->dnnl) : t.step[i].iterations > 0;
    }
    if (p->threads == 1)
        return;
    find_edges(&t);
    for (int round = 0; round < ROUNDS && !l->options.share_all && improve(&t); round++)
        ;
    for (uint32_t i = 0; i < p->n_steps; i++)
        if (t.step[i].iterations && is_shared(l, &p->steps[i], t.step[i].shared))
            p->steps[i].c->shared = t.step[i].iterations;
}

/* The OpenMP runtime comes with oneDNN. */
void lower_choose_threads(Lowering *l)
{
    l->p->threads = 1;
    for (uint32_t r = 0; r < l->p->n_regions; r++)
        if (l->p->regions[r].target == TARGET_DNNL)
            l->p->threads = onednn_engine_threads(l->engine);
    for (uint32_t i = 0; i < l->p->n_steps; i++) {
        const Step *s = &l->p->steps[i];
        if (!s->scratch_part)
            continue;
        Buffer *b = &l->p->buffers[s->scratch]; /* it was for as many as there might be */
        b->bytes = (size_t)l->p->threads * s->scratch_part;
        b->type.dims[0] = (int64_t)b->bytes;
    }
    share_kernels(l);
}
