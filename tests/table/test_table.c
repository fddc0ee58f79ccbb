/* The pattern table, entry by entry: the smallest graph of each is taken by it, and what is emitted for it computes what
 * the reference evaluator computes.
 *
 *   test_table [--rewrite] [--golden] [--row NAME] [--seed SEED] FILE
 *
 * FILE holds the smallest graphs after merge-composite; --rewrite writes it. --golden: nothing is built. The entries are
 * those of the table itself: one that nobody knows how to make is a failure. */
#include "table.h"

#include "../../gen/graph/columns.h"
#include "../../gen/machine/machine.h"
#include "../../gen/ops/ops.h"
#include "../../gen/text/text_ir.h"
#include "../../passes/composite/composite.h"
#include "../../passes/pass.h"
#include "../pipeline/trial.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

typedef struct Test {
    Arena *arena;
    PatternTable *table;
    Appended *appended; /* every alternative of what can be appended */
    size_t n_appended, cap_appended;
    bool *shown; /* by those: its graph is in the golden already */
    const char *only;
    uint64_t seed;
    uint32_t passed, failed;
    Text golden;
} Test;

static bool fail(Test *t, const AnchorRow *row, const Pattern *anchor, const char *what,
                 const char *why)
{
    fprintf(stderr, "%s (%s)%s%s: %s\n", row->name, op_info(anchor->op)->name, *what ? " + " : "",
            what, why);
    t->failed++;
    return false;
}

static void list_appended(Test *t)
{
    for (size_t i = 0; i < t->table->n_appends; i++) {
        const AppendRow *row = &t->table->append[i];
        const Pattern **list;
        size_t n = alternatives(t->arena, row->pattern, &list);
        for (size_t k = 0; k < n; k++)
            for (Spread s = 0; s < (row->kind == APPEND_BINARY ? SPREADS : 1); s++) {
                t->appended = arena_grow(t->arena, t->appended, t->n_appended, &t->cap_appended,
                                         sizeof *t->appended);
                t->appended[t->n_appended++] = (Appended){row->kind, list[k], s};
            }
    }
    t->shown = ARENA_ARRAY(t->arena, bool, t->n_appended);
}

static bool takes(const AnchorRow *row, const Appended *a)
{
    const bool sums = row->what == ANCHOR_SUMS;
    switch (a->kind) {
    case APPEND_BIAS:
        return sums || row->what == ANCHOR_LAYER;
    case APPEND_SCALE:
    case APPEND_QUANTIZE:
        return sums;
    case APPEND_CAST:
    case APPEND_ELTWISE: /* sums are floats already, and leave functions to C */
        return !(sums && (a->kind == APPEND_CAST || op_has(a->pattern->op, TRAIT_FUNCTION))) &&
               (row->takes & asked_of(a));
    default:
        return (row->takes & asked_of(a)) != 0;
    }
}

/* "Sub($arg:post_operand, %) scalar" */
static const char *name_of(Test *t, const Appended *a)
{
    static const char *const spreads[] = {"scalar", "channel", "full"};
    size_t n = strcspn(a->pattern->at, "|");
    while (n && a->pattern->at[n - 1] == ' ')
        n--;
    return arena_printf(t->arena, "%s: %.*s%s%s", append_kind_names[a->kind], (int)n,
                        a->pattern->at, a->kind == APPEND_BINARY ? ", " : "",
                        a->kind == APPEND_BINARY ? spreads[a->spread] : "");
}

static Maker new_maker(Arena *arena, Diag *diag, uint64_t seed)
{
    Maker m = {.g = graph_new(arena, diag, "table", "entry"), .state = seed * 977 + 13};
    for (int i = 0; i < 4; i++)
        below(&m, 2);
    return m;
}

/* --- the smallest graphs ----------------------------------------------------------------------- */

/* Whether sums of bytes have a scale and a bias already where this is appended. */
static bool is_scaled(const AnchorRow *row, const Appended *a)
{
    return row->what == ANCHOR_SUMS && a->kind != APPEND_SCALE && a->kind != APPEND_BIAS;
}

/* Is the composite what the entry says? */
static const char *judge(Arena *arena, const Graph *g, const AnchorRow *row, const Appended *a,
                         NodeId root)
{
    static const enum PostOpKind kinds[] = {
        [APPEND_ELTWISE] = POST_ELTWISE, [APPEND_LINEAR] = POST_ELTWISE,
        [APPEND_SUM] = POST_SUM,         [APPEND_BINARY] = POST_BINARY,
        [APPEND_PRELU] = POST_PRELU,     [APPEND_DEPTHWISE] = POST_DEPTHWISE,
        [APPEND_SCALE] = POST_SCALE,     [APPEND_QUANTIZE] = POST_QUANTIZE,
    };
    const Columns *col = g->columns;
    if (col->composite[root.i] == NO_ROW)
        return "no composite has taken it";
    const Composite *c = &col->composites[col->composite[root.i]];
    const uint32_t scaled = is_scaled(row, a);
    const uint32_t own = pattern_min_nodes(row->pattern) +
                         (row->what == ANCHOR_SUMS ? 1 + 2 * scaled : 0); /* Cast, scale, bias */
    if (strcmp(c->pattern, row->name) != 0)
        return arena_printf(arena, "'%s' has taken it", c->pattern);
    if (c->n_nodes != own + 1 || c->root.i != root.i)
        return "the composite has other nodes";
    if (a->kind == APPEND_BIAS)
        return has_value(c->bias) && c->n_post == 0 ? NULL : "it is not the bias";
    if (a->kind == APPEND_CAST)
        return c->n_post == 0 ? NULL : "it is not a change of type";
    if (c->n_post != 1 + scaled || c->post[scaled].kind != kinds[a->kind] ||
        c->post[scaled].linear != (a->kind == APPEND_LINEAR))
        return "another row of the table has appended it";
    return NULL;
}

/* One entry, alone in a graph: its composite, or none where the anchor does not take it. */
static void try_smallest(Test *t, const AnchorRow *row, const Pattern *anchor, size_t k,
                         bool *anchor_shown)
{
    const Appended *a = &t->appended[k];
    Arena *arena = arena_new();
    Diag diag = {.arena = arena};
    const PassOptions options = {.threads = 1};
    Maker m = new_maker(arena, &diag, 1);
    const char *name = name_of(t, a), *why;
    if (a->kind == APPEND_DEPTHWISE && !takes(row, a)) {
        arena_free(arena);
        return;
    }
    ValueId y =
        a->kind == APPEND_DEPTHWISE
            ? make_pointwise(&m, 0)
            : make_anchor(&m, row, anchor, make_source(&m, anchor, false), is_scaled(row, a));
    if (has_value(y) && (has_value(y = make_appended(&m, row, a, y, false)))) {
        graph_add_output(m.g, "y", y);
        if (run_passes(m.g, NULL, &options, "merge-composite", NULL, NULL, NULL, NULL)) {
            NodeId root = value_at(m.g, m.g->outputs[0].value)->def;
            why = judge(arena, m.g, row, a, root);
            bool alone = m.g->columns->composite[root.i] == NO_ROW;
            bool other = a->kind == APPEND_SUM || a->kind == APPEND_BIAS; /* may be a binary one */
            if (takes(row, a) && why)
                fail(t, row, anchor, name, why);
            else if (!takes(row, a) && !other && !alone && !why)
                fail(t, row, anchor, name, "it is appended, though the anchor does not take it");
            else
                t->passed++;
            if (takes(row, a) && !why) {
                const Composite *c = &m.g->columns->composites[m.g->columns->composite[root.i]];
                text_printf(&t->golden, "// %s, %s: %s\n", op_info(anchor->op)->name, name,
                            composite_signature(arena, m.g, c));
                if (!*anchor_shown || !t->shown[k])
                    print_text_ir_elided(m.g, &t->golden);
                *anchor_shown = t->shown[k] = true;
            }
        }
    }
    if (diag.message)
        fail(t, row, anchor, name, diag.message);
    arena_free(arena);
}

static void compare_golden(Test *t, const char *path, bool rewrite)
{
    char *data = NULL;
    size_t size = 0;
    Diag diag = {.arena = t->arena};
    if (rewrite) {
        FILE *f = fopen(path, "w");
        if (!f || fwrite(t->golden.data, 1, t->golden.size, f) != t->golden.size || fclose(f)) {
            fprintf(stderr, "%s cannot be written\n", path);
            exit(2);
        }
        return;
    }
    bool same = read_file(t->arena, path, &data, &size, &diag) && size == t->golden.size &&
                memcmp(data, t->golden.data, size) == 0;
    t->passed += same;
    t->failed += !same;
    if (!same)
        fprintf(stderr,
                "%s is not what the passes make now; --rewrite, and look at the difference\n",
                path);
}

/* --- numbers ------------------------------------------------------------------------------------- */

/* What oneDNN takes a CPU's second cache for. */
static size_t cache_bytes(void)
{
    long size = sysconf(_SC_LEVEL2_CACHE_SIZE);
    return size > 0 ? (size_t)size : (size_t)1 << 20;
}

/* Two convolutions that are quicker one after the other: what is between them fits the cache. And some transposed convolutions,
 * whose post-ops oneDNN applies by reference code. */
static bool is_better_apart(const Graph *g, const Composite *c)
{
    if (node_at(g, c->anchor)->op == OP_ConvTranspose)
        return true;
    return c->n_post && c->post[0].kind == POST_DEPTHWISE &&
           type_bytes(type_of(g, node_at(g, c->anchor)->out[0])) <= 2 * cache_bytes();
}

/* Every composite is one step of oneDNN: nothing was given back to C or taken apart. For SSE4.1 oneDNN has little but reference code, and
 * for AVX2 some convolutions by gemm, which take fewer post-ops, so that only the numbers tell there. */
static bool taken_whole(const Program *p, Diag *diag)
{
    if (p->lanes < AVX512_LANES)
        return true;
    const Columns *col = p->graph->columns;
    uint32_t appended = 0;
    for (uint32_t i = 0; i < col->n_composites; i++) {
        const Composite *c = &col->composites[i];
        bool whole = false;
        for (uint32_t k = 0; k < p->n_steps && !whole; k++)
            whole =
                p->steps[k].target == TARGET_DNNL &&
                ((p->steps[k].nodes == c->nodes && p->steps[k].n_nodes == c->n_nodes) ||
                 (p->steps[k].node.i == c->anchor.i && is_better_apart(p->graph, c))) &&
                (strcmp(c->pattern, "dnnl.inner_product") != 0 ||
                 p->steps[k].dnnl->kind == KIND_INNER_PRODUCT); /* they have three to five rows */
        if (!whole)
            return refuse(diag, "oneDNN has no fast code for %s",
                          composite_signature(diag->arena, p->graph, c));
        appended += c->n_nodes > 1;
    }
    return appended >= p->graph->n_outputs ||
           refuse(diag, "%u of %u entries went to C", p->graph->n_outputs - appended,
                  p->graph->n_outputs);
}

/* The same, and there are as many as spellings. */
static bool attention_whole(const Program *p, Diag *diag)
{
    uint32_t steps = 0, wanted = 0;
    for (uint32_t k = 0; k < p->n_steps; k++)
        steps += p->steps[k].dnnl && p->steps[k].dnnl->kind == KIND_ATTENTION;
    for (size_t k = 0; k < attention_spellings(); k++)
        wanted += attention_fits(k);
    return steps == wanted ||
           refuse(diag, "%u of %u attentions are one step of oneDNN", steps, wanted);
}

static bool sum_norm_whole(const Program *p, Diag *diag)
{
    uint32_t steps = 0, wanted = 0;
    for (uint32_t k = 0; k < p->n_steps; k++)
        steps += p->steps[k].n_nodes > 1 && p->steps[k].target == TARGET_C &&
                 (node_at(p->graph, p->steps[k].node)->op == OP_LayerNormalization ||
                  node_at(p->graph, p->steps[k].node)->op == OP_RMSNormalization);
    for (size_t k = 0; k < sum_norm_spellings(); k++)
        wanted += sum_norm_fits(k);
    return steps == wanted ||
           refuse(diag, "%u of %u sums with their norm are one step", steps, wanted);
}

/* All entries of an anchor side by side. */
static void try_numbers(Test *t, const AnchorRow *row, const Pattern *anchor, int conv)
{
    Arena *arena = arena_new();
    Diag diag = {.arena = arena};
    const Trial trial = {.dir = "build/tests/table/work",
                         .conv = conv,
                         .dnnl_conv = true,
                         .threads = 1,
                         .seed = t->seed,
                         .passes = "merge-composite,annotate-target,merge-regions,partition",
                         .check = taken_whole};
    Maker m = new_maker(arena, &diag, t->seed);
    ValueId x = make_source(&m, anchor, true);
    for (size_t k = 0; k < t->n_appended && !diag.message; k++) {
        const Appended *a = &t->appended[k];
        if (!takes(row, a) || a->kind == APPEND_CAST) /* the numbers of bf16: test_pipeline */
            continue;
        bool bias =
            row->what == ANCHOR_SUMS || (row->what == ANCHOR_LAYER && a->kind != APPEND_BIAS &&
                                         chance(&m, 2) && anchor->op != OP_MatMul);
        ValueId y = a->kind == APPEND_DEPTHWISE ? make_pointwise(&m, cache_bytes())
                                                : make_anchor(&m, row, anchor, x, bias);
        if (has_value(y))
            y = make_appended(&m, row, a, y, true);
        if (has_value(y) &&
            a->kind == APPEND_SUM) /* an output of the model is never over its summand */
            y = op1(&m, OP_CumSum, y,
                    (Attr[]){ATTR_I("axis", 0), ATTR_I("exclusive", 0), ATTR_I("reverse", 0),
                             ATTR_END});
        if (has_value(y))
            graph_add_output(m.g, arena_printf(arena, "y%zu", k), y);
        if (a->kind == APPEND_DEPTHWISE) /* and one that has to become two steps */
            graph_add_output(m.g, arena_printf(arena, "apart%zu", k),
                             make_appended(&m, row, a, make_pointwise(&m, 0), true));
    }
    const char *why = diag.message ? diag.message : try_graph(arena, m.g, &trial);
    if (why)
        fail(t, row, anchor, "its entries", why);
    else
        t->passed++;
    arena_free(arena);
}

/* --- spellings ---------------------------------------------------------------------------------- */

static const char *attention_row(size_t k)
{
    (void)k;
    return "dnnl.attention";
}

/* Rows that have spellings instead of post-ops. */
static const struct Spelled {
    AnchorKind what;
    size_t (*count)(void);
    const char *(*name)(size_t k), *(*row)(size_t k);
    bool (*fits)(size_t k);
    ValueId (*make)(Maker *m, size_t k);
    bool (*whole)(const Program *p, Diag *diag);
} spelled[] = {
    {ANCHOR_ATTENTION, attention_spellings, attention_name, attention_row, attention_fits,
     make_spelled_attention, attention_whole},
    {ANCHOR_SUM_NORM, sum_norm_spellings, sum_norm_name, sum_norm_row, sum_norm_fits,
     make_spelled_sum_norm, sum_norm_whole},
};

/* One spelling alone: taken as a whole, or not at all. */
static void try_spelling(Test *t, const AnchorRow *row, const Pattern *anchor,
                         const struct Spelled *s, size_t k)
{
    Arena *arena = arena_new();
    Diag diag = {.arena = arena};
    const PassOptions options = {.threads = 1};
    Maker m = new_maker(arena, &diag, 1);
    graph_add_output(m.g, "y", s->make(&m, k));
    if (run_passes(m.g, NULL, &options, "merge-composite", NULL, NULL, NULL, NULL)) {
        const Columns *col = m.g->columns;
        uint32_t taken = 0;
        for (uint32_t i = 0; i < col->n_composites; i++)
            taken += strcmp(col->composites[i].pattern, row->name) == 0;
        if (taken != s->fits(k))
            fail(t, row, anchor, s->name(k), taken ? "it is taken" : "it is not taken");
        else
            t->passed++;
        text_printf(&t->golden, "// %s, %s\n", row->name, s->name(k));
        print_text_ir_elided(m.g, &t->golden);
    }
    if (diag.message)
        fail(t, row, anchor, s->name(k), diag.message);
    arena_free(arena);
}

/* All spellings side by side: each is one step. Those that only look like it are right all the same. */
static void try_spellings(Test *t, const AnchorRow *row, const Pattern *anchor,
                          const struct Spelled *s, bool fit, int threads, bool target_c)
{
    Arena *arena = arena_new();
    Diag diag = {.arena = arena};
    const Trial trial = {.dir = "build/tests/table/work",
                         .threads = threads,
                         .share_all = true,
                         .target_c = target_c,
                         .seed = t->seed,
                         .passes = "merge-composite,annotate-target,merge-regions,partition",
                         .check = fit ? s->whole : NULL};
    Maker m = new_maker(arena, &diag, t->seed);
    for (size_t k = 0; k < s->count(); k++)
        if (s->fits(k) == fit)
            graph_add_output(m.g, arena_printf(arena, "y%zu", k), s->make(&m, k));
    const char *why = diag.message ? diag.message : try_graph(arena, m.g, &trial);
    if (why)
        fail(t, row, anchor, fit ? "its spellings" : "what looks like it", why);
    else
        t->passed++;
    arena_free(arena);
}

static void try_spelled_row(Test *t, const AnchorRow *row, const Pattern *anchor,
                            const struct Spelled *s, bool build)
{
    uint32_t n = 0;
    for (size_t k = 0; k < s->count(); k++)
        if (!strcmp(s->row(k), row->name)) {
            try_spelling(t, row, anchor, s, k);
            n += s->fits(k);
        }
    if (!n)
        fail(t, row, anchor, "", "nobody has spelled it");
    if (!build || strcmp(s->row(0), row->name))
        return; /* the numbers of all rows of a kind come with those of the first */
    for (int threads = 1; threads <= 2; threads++)
        try_spellings(t, row, anchor, s, true, threads, false);
    try_spellings(t, row, anchor, s, false, 1, false);
    if (s->what == ANCHOR_SUM_NORM)
        try_spellings(t, row, anchor, s, true, 1, true);
}

static void try_row(Test *t, const AnchorRow *row, bool build)
{
    const Pattern **anchors;
    size_t n = alternatives(t->arena, row->pattern, &anchors);
    for (size_t k = 0; k < COUNT_OF(spelled); k++)
        if (spelled[k].what == row->what) {
            try_spelled_row(t, row, anchors[0], &spelled[k], build);
            return;
        }
    for (size_t i = 0; i < n; i++) {
        bool shown = false;
        for (size_t k = 0; k < t->n_appended; k++)
            try_smallest(t, row, anchors[i], k, &shown);
        if (build)
            try_numbers(t, row, anchors[i], CONV_WHERE_FASTER);
        for (int algorithm = CONV_INDIRECT; build && algorithm <= CONV_WINOGRAD_4_IN_C; algorithm++)
            if (strcmp(row->name, "dnnl.conv2d") == 0)
                try_numbers(t, row, anchors[i], algorithm);
    }
}

int main(int argc, char **argv)
{
    Test t = {.arena = arena_new(), .seed = 1};
    const char *path = NULL;
    bool rewrite = false, build = true;
    for (int i = 1; i < argc; i++) {
        if (strcmp(argv[i], "--rewrite") == 0)
            rewrite = true;
        else if (strcmp(argv[i], "--golden") == 0)
            build = false;
        else if (strcmp(argv[i], "--row") == 0 && i + 1 < argc)
            t.only = argv[++i];
        else if (strcmp(argv[i], "--seed") == 0 && i + 1 < argc)
            t.seed = strtoull(argv[++i], NULL, 10);
        else
            path = argv[i];
    }
    if (!path) {
        fprintf(stderr, "test_table [--rewrite] [--golden] [--row NAME] [--seed SEED] FILE\n");
        return 2;
    }
    t.golden = text_new(t.arena);
    t.table = pattern_table_new(t.arena);
    list_appended(&t);
    for (size_t i = 0; i < t.table->n_anchors; i++)
        if (!t.only || strcmp(t.only, t.table->anchor[i].name) == 0)
            try_row(&t, &t.table->anchor[i], build);
    if (!t.only)
        compare_golden(&t, path, rewrite);
    printf("%u passed, %u failed, 0 skipped\n", t.passed, t.failed);
    arena_free(t.arena);
    return t.failed != 0;
}
