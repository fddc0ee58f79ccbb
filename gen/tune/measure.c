/* Measuring the machine. See measure.h.
 *
 * A probe is something whose time says one figure, or two with another probe. All are run in several rounds, and of each the shortest
 * time counts: other programs only ever make one longer. What a time says is worked out by the model of time that the figure is for. */
#include "measure.h"
#include "../base/progress.h"

#include "dnnl_time.h"
#include "tune.h"

#include <ctype.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { ROUNDS = 3, MAX_CACHE = 64 << 20 /* bytes: a larger one is shared with many */ };

enum Shape { CONV, TILE, RELU, ROWS, REORDER, READ, CYCLES };
enum Probes {
    SMALLEST,
    CONV_1,
    CONV_2,
    CONV_3,
    SMALL_1,
    SMALL_2,
    SMALL_3,
    DEPTHWISE_1,
    DEPTHWISE_2,
    DEPTHWISE_3,
    TILES,
    LAYER,
    SHARED_LAYER,
    SHORT_ROWS,
    LONG_ROWS,
    SMALLEST_REORDER,
    NEAR_REORDER,
    FAR_REORDER,
    CLOCK,
    WEIGHTS_NEAR,
    WEIGHTS_L3,
    WEIGHTS_FAR,
    READ_L2,
    READ_CACHE
};

/* CONV, RELU and REORDER: [1, channels, size, size]; a convolution to `outputs` with kernel x kernel taps,
 * depthwise where outputs is 0. ROWS: a softmax of `size` rows of `channels`. TILE: `size` rows by [channels, outputs] in C. READ:
 * bytes; 0: by the caches. */
typedef struct Probe {
    enum Shape shape;
    int64_t channels, outputs, size, kernel;
    bool shared;   /* by all threads */
    size_t spread; /* of the weights, see onednn_time */
} Probe;

static const Probe probes[MACHINE_PROBES] = {
    [SMALLEST] = {CONV, 16, 16, 1, 1},
    [CONV_1] = {CONV, 64, 64, 56, 3},
    [CONV_2] = {CONV, 128, 128, 28, 3},
    [CONV_3] = {CONV, 256, 256, 14, 1},
    [SMALL_1] = {CONV, 32, 32, 14, 1},
    [SMALL_2] = {CONV, 64, 64, 7, 1},
    [SMALL_3] = {CONV, 32, 32, 8, 3},
    [DEPTHWISE_1] = {CONV, 64, 0, 56, 3},
    [DEPTHWISE_2] = {CONV, 192, 0, 28, 3},
    [DEPTHWISE_3] = {CONV, 384, 0, 14, 3},
    [TILES] = {TILE, 128, 64, 196, 1},
    [LAYER] = {RELU, 64, 0, 16, 0},
    [SHARED_LAYER] = {RELU, 64, 0, 16, 0, true},
    [SHORT_ROWS] = {ROWS, 16, 0, 256, 0},
    [LONG_ROWS] = {ROWS, 256, 0, 16, 0},
    [SMALLEST_REORDER] = {REORDER, 16, 0, 1, 0},
    [NEAR_REORDER] = {REORDER, 64, 0, 16, 0},
    [FAR_REORDER] = {REORDER, 64, 0, 56, 0},
    [CLOCK] = {CYCLES, 0, 0, 0, 0},
    [WEIGHTS_NEAR] = {CONV, 256, 256, 7, 1},
    [WEIGHTS_L3] = {CONV, 256, 256, 7, 1, .spread = 4 << 20},
    [WEIGHTS_FAR] = {CONV, 256, 256, 7, 1, .spread = 2 * MAX_CACHE},
    [READ_L2] = {READ, 0, 0, 0, 0},
    [READ_CACHE] = {READ, 0, 0, 4 << 20, 0},
    {READ, 0, 0, 8 << 20, 0},
    {READ, 0, 0, 16 << 20, 0},
    {READ, 0, 0, 32 << 20, 0},
    {READ, 0, 0, MAX_CACHE, 0},
};

/* --- what is timed ---------------------------------------------------------------------------------------------------- */

static DnnlMemory memory(int arg, const char *tag, int rank, const int64_t *dims)
{
    DnnlMemory m = {
        .arg = arg, .name = "", .buffer = NO_BUFFER, .blob = NO_BUFFER, .dtype = DT_F32};
    m.rank = rank;
    m.form = tag ? FORM_TAG : FORM_ANY;
    m.tag = tag;
    for (int64_t d = rank - 1, step = 1; d >= 0; step *= dims[d--]) {
        m.dims[d] = dims[d];
        m.strides[d] = step;
    }
    return m;
}

static bool time_conv(DnnlEngine *e, const Probe *p, double *ns)
{
    const int64_t groups = p->outputs ? 1 : p->channels, outputs = p->outputs ? p->outputs : groups;
    const int64_t src[] = {1, p->channels, p->size, p->size},
                  dst[] = {1, outputs, p->size, p->size},
                  weights[] = {groups, outputs / groups, p->channels / groups, p->kernel,
                               p->kernel},
                  pad = p->kernel / 2;
    DnnlMemory rows[] = {
        memory(ARG_SRC, "acdb", 4, src),
        memory(ARG_WEIGHTS, NULL, groups > 1 ? 5 : 4, weights + (groups == 1)),
        memory(ARG_DST, "acdb", 4, dst),
    };
    const DnnlPrimitive conv = {.kind = KIND_CONVOLUTION,
                                .memory = rows,
                                .n_memory = COUNT_OF(rows),
                                .spatial = 2,
                                .kernel = {p->kernel, p->kernel},
                                .strides = {1, 1},
                                .pad_l = {pad, pad},
                                .pad_r = {pad, pad},
                                .one_thread = true};
    return onednn_time(e, &conv, p->spread, ns);
}

static bool time_layer(DnnlEngine *e, const Probe *p, double *ns)
{
    const int64_t image[] = {1, p->channels, p->size, p->size}, rows[] = {p->size, p->channels};
    const bool is_rows = p->shape == ROWS;
    const char *to = is_rows ? "ab" : "acdb", *from = p->shape == REORDER ? "abcd" : to;
    const int rank = is_rows ? 2 : 4;
    DnnlMemory m[] = {memory(ARG_SRC, from, rank, is_rows ? rows : image),
                      memory(ARG_DST, to, rank, is_rows ? rows : image)};
    const DnnlPrimitive layer = {.kind = is_rows               ? KIND_SOFTMAX
                                         : p->shape == REORDER ? KIND_REORDER
                                                               : KIND_ELTWISE,
                                 .alg = is_rows ? ALG_softmax_accurate : ALG_eltwise_relu,
                                 .memory = m,
                                 .n_memory = COUNT_OF(m),
                                 .axis = 1,
                                 .one_thread = !p->shared};
    return onednn_time(e, &layer, 0, ns);
}

static bool time_tile(const Machine *m, const Probe *p, double *ns)
{
    DnnlIndirect w = {.channels = p->channels,
                      .outputs = p->outputs,
                      .taps = 1,
                      .pixels = p->size,
                      .taps_at_once = 1,
                      .threads = 1};
    w.panel = panel_choose(m, &(PanelProduct){1, w.pixels, w.outputs, PANEL_OF_FLOATS}, 0, 1);
    w.channels_at_once = w.channels < w.panel.depth ? w.channels : w.panel.depth;
    return w.panel.blocks && panel_time(&w, 0, ns);
}

typedef struct Floats {
    float *from, *to;
    size_t n;
} Floats;

typedef float Vector __attribute__((vector_size(64), may_alias));
enum { AT_ONCE = 8 };

CLONES static void read_all(void *data)
{
    const Floats *f = data;
    const Vector *v = (const Vector *)(const void *)f->from;
    Vector sum[AT_ONCE] = {{0}};
    for (size_t i = 0; i < f->n / 16; i += AT_ONCE)
        for (size_t k = 0; k < AT_ONCE; k++)
            sum[k] += v[i + k];
    memcpy(f->to, sum, sizeof sum);
}

static bool time_read(double bytes, double *ns)
{
    Floats f = {.n = (size_t)bytes / 512 * 128};
    f.from = filled_floats(f.n);
    f.to = filled_floats(AT_ONCE * 16);
    const bool good = f.from && f.to;
    if (good)
        *ns = shortest_ns(read_all, &f, true);
    free(f.from);
    free(f.to);
    return good;
}

enum { ADDITIONS = 1000 };

/* Additions that wait for each other: a cycle each. */
static void add_all(void *data)
{
    uint64_t x = *(uint64_t *)data;
    for (int i = 0; i < ADDITIONS; i++) {
        x += 3;
        __asm__ volatile("" : "+r"(x));
    }
    *(uint64_t *)data = x;
}

static double bytes_of(const Machine *m, const Probe *p)
{
    return p->size ? (double)p->size : machine_kept_bytes(m);
}

static bool time_probe(DnnlEngine *e, const Machine *m, const Probe *p, double *ns)
{
    uint64_t x = 0;
    switch (p->shape) {
    case CONV:
        return time_conv(e, p, ns);
    case TILE:
        return time_tile(m, p, ns);
    case READ:
        return time_read(bytes_of(m, p), ns);
    case CYCLES:
        *ns = shortest_ns(add_all, &x, true);
        return true;
    default:
        return time_layer(e, p, ns);
    }
}

/* --- what the times say ------------------------------------------------------------------------------------------------ */

typedef struct Measure {
    Machine *m;
    Text *notes;
    const double *ns; /* NAN: it could not be run */
} Measure;

static void settle(const Measure *s, const char *name, double *figure, double measured)
{
    static const double plausible = 10; /* times as much as the table says, or as little */
    char text[32];
    if (isnan(measured))
        return;
    if (!(measured >= *figure / plausible && measured <= *figure * plausible)) {
        text_printf(s->notes,
                    "%s: %.3g is measured, which is not plausible; the usual %.3g stays\n", name,
                    measured, *figure);
        return;
    }
    snprintf(text, sizeof text, measured < 1000 ? "%.3g" : "%.0f", measured);
    *figure = strtod(text, NULL);
}

#define SETTLE(figure, measured) settle(s, #figure, &s->m->figure, measured)

/* Multiply-adds a nanosecond of a convolution, the geometric mean of three; `call` and `exposed`: a call's time, and how much of that of
 * reading all operands from L2, are no part of it (dnnl/cost.c). */
static double conv_rate(const Measure *s, int first, double call, double exposed)
{
    double product = 1;
    for (int i = first; i < first + 3; i++) {
        const Probe *p = &probes[i];
        const double pixels = (double)(p->size * p->size),
                     outputs = (double)(p->outputs ? p->outputs : p->channels),
                     filters = (double)((p->outputs ? p->outputs : 1) * p->channels * p->kernel *
                                        p->kernel);
        const double bytes = 4 * (filters + pixels * (outputs + (double)p->channels));
        product *= pixels * filters / (s->ns[i] - call - exposed * bytes / s->m->l2_rate);
    }
    return cbrt(product);
}

static double read_rate(const Measure *s, int probe)
{
    return bytes_of(s->m, &probes[probe]) / s->ns[probe];
}

/* How fast a convolution reads weights that are elsewhere: by how much longer it takes. Where it does not wait for them at all, they are as good as
 * in L2. */
static double weights_rate(const Measure *s, int probe)
{
    const Probe *p = &probes[probe];
    const double bytes = (double)(4 * p->channels * p->outputs), near = bytes / s->m->l2_rate,
                 waits = s->ns[probe] - s->ns[WEIGHTS_NEAR];
    return bytes / (waits < near ? near : waits);
}

/* What a CPU calls its last cache many cores share, some of them other machines': it is taken to be as large as what is read at half of its rate. */
static void measure_caches(const Measure *s)
{
    Machine *m = s->m;
    SETTLE(l2_rate, read_rate(s, READ_L2));
    SETTLE(memory_rate, weights_rate(s, WEIGHTS_FAR));
    SETTLE(l3_rate, weights_rate(s, WEIGHTS_L3));
    for (int i = READ_CACHE; i < MACHINE_PROBES && read_rate(s, i) > read_rate(s, READ_CACHE) / 2;
         i++)
        m->l3_bytes = (double)probes[i].size;
}

static void measure_macs(const Measure *s)
{
    const Probe *tile = &probes[TILES];
    const Machine usual = *s->m;
    const double conv = conv_rate(s, CONV_1, 0, 0),
                 tiles = (double)(tile->size * tile->channels * tile->outputs) / s->ns[TILES];
    SETTLE(conv_macs, conv);
    SETTLE(peak_macs, fmax(tiles, conv));
    const double small = conv_rate(s, SMALL_1, s->ns[SMALLEST], 0.64);
    SETTLE(small_macs, small > s->m->peak_macs ? s->m->peak_macs : small);
    SETTLE(depthwise_macs, conv_rate(s, DEPTHWISE_1, s->ns[SMALLEST], 0));
    SETTLE(few_macs, usual.few_macs * s->m->peak_macs / usual.peak_macs);
}

/* A softmax takes a time for each row, and one for each element. */
static void measure_rows(const Measure *s)
{
    const Probe *few = &probes[LONG_ROWS], *many = &probes[SHORT_ROWS];
    const double elements = (double)(few->channels * few->size),
                 bytes_ns = 0.64 * 8 * elements / s->m->l2_rate;
    const double row = (s->ns[SHORT_ROWS] - s->ns[LONG_ROWS]) / (double)(many->size - few->size);
    SETTLE(row_ns, row);
    SETTLE(function_ns,
           (s->ns[LONG_ROWS] - s->ns[SMALLEST] - bytes_ns - (double)few->size * row) / elements);
}

static void measure_moves(const Measure *s)
{
    const Machine usual = *s->m;
    static const double table_far_rate = 10; /* of oneDNN's reorders */
    const double call = s->ns[SMALLEST_REORDER], near = 4 * 64 * 16 * 16, far = 4 * 64 * 56 * 56;
    const double far_rate = far / (s->ns[FAR_REORDER] - call);
    SETTLE(kernel_copy_rate, usual.kernel_copy_rate * far_rate / table_far_rate);
    if (machine_lanes(s->m) >= AVX2_LANES) /* C moves them, which goes with the clock */
        return;
    SETTLE(reorder_rate, near / (s->ns[NEAR_REORDER] - call));
    SETTLE(far_reorder_rate, far_rate);
}

/* Calls take longer in a network, where each is of another function, than any loop of one of them can show; they go with the clock. */
static void measure_clock(const Measure *s)
{
    static const double table_ghz = 3.5; /* of the CPU that the table's figures are of */
    const double clock = s->ns[CLOCK] / ADDITIONS * table_ghz;
    SETTLE(call_ns, s->m->call_ns * clock);
    SETTLE(reorder_call_ns, s->m->reorder_call_ns * clock);
    if (machine_lanes(s->m) >= AVX2_LANES) {
        SETTLE(reorder_rate, s->m->reorder_rate / clock);
        SETTLE(far_reorder_rate, s->m->far_reorder_rate / clock);
    }
    SETTLE(kernel_call_ns, s->m->kernel_call_ns * clock);
    SETTLE(loop_ns, s->m->loop_ns * clock);
    SETTLE(post_op_ns, s->m->post_op_ns * clock);
}

void machine_conclude(Machine *m, const double *ns, int threads, Text *notes)
{
    const Measure measure = {.m = m, .notes = notes, .ns = ns}, *s = &measure;
    measure_caches(s);
    measure_macs(s);
    measure_rows(s);
    measure_moves(s);
    measure_clock(s);
    if (threads > 1)
        SETTLE(region_ns, ns[SHARED_LAYER] - ns[LAYER] / threads);
}

void machine_measure(DnnlEngine *e, Machine *m, Text *notes)
{
    double ns[MACHINE_PROBES], once;
    const Measure measure = {.m = m, .notes = notes}, *s = &measure;
    const long l1 = sysconf(_SC_LEVEL1_DCACHE_SIZE), l2 = sysconf(_SC_LEVEL2_CACHE_SIZE);
    SETTLE(l1_bytes, l1 > 0 ? (double)l1 : NAN);
    SETTLE(l2_bytes, l2 > 0 ? (double)l2 : NAN);
    for (int i = 0; i < MACHINE_PROBES; i++)
        ns[i] = NAN;
    progress_begin("--measure-machine");
    for (int round = 0; round < ROUNDS; round++)
        for (int i = 0; i < MACHINE_PROBES; i++) {
            progress_at(round * MACHINE_PROBES + i, ROUNDS * MACHINE_PROBES);
            if (time_probe(e, m, &probes[i], &once))
                ns[i] = fmin(ns[i], once); /* the other one where one is NAN */
        }
    progress_end();
    machine_conclude(m, ns, onednn_engine_threads(e), notes);
}

const char *machine_measured_path(Arena *arena, const char *isa)
{
    const char *folder = tune_folder(arena);
    char *name = arena_printf(arena, "%s-%s", tune_cpu(arena), isa);
    for (char *c = name; *c; c++)
        *c = isalnum((unsigned char)*c) || *c == '_' ? *c : '-';
    return folder ? arena_printf(arena, "%s/machine/%s", folder, name) : NULL;
}
