/* How long the products of a convolution in C take, by tiles like the emitted ones. Where some tiles have a row less than others, all are timed with it, and what
 * that computes in vain is taken off. */
#include "dnnl_time.h"

#include <stdlib.h>

#if defined(__clang__)
#define UNROLL _Pragma("unroll")
#else
#define UNROLL _Pragma("GCC unroll 9")
#endif
#define INLINE static inline __attribute__((always_inline))

enum { MAX_ROWS = 9, MAX_VECTORS = 8, MAX_LINES = 4 };

typedef struct Run {
    const struct Kind *kind;
    const DnnlIndirect *w;
    const float *weights;
    size_t floats, copies, copy; /* of the weights; runs take one after the other */
    float *src, *sums;
} Run;

/* A tile's share of one piece of weights, `alone` vectors of which stand together in each of its panels: `depth` products for each sum. */
#define TILE(NAME, VECTOR, LANES)                                                                  \
    typedef float VECTOR __attribute__((vector_size(LANES * 4), aligned(4), may_alias));           \
    INLINE void NAME(int rows, int vectors, int alone, const float *a, size_t row, const float *b, \
                     size_t apart, float *sums, int64_t depth, const char *ahead, size_t step,     \
                     int64_t lines)                                                                \
    {                                                                                              \
        VECTOR s[MAX_ROWS][MAX_VECTORS];                                                           \
        UNROLL for (int i = 0; i < rows; i++) UNROLL for (int j = 0; j < vectors; j++) s[i][j] =   \
            *(const VECTOR *)(sums + (i * vectors + j) * LANES);                                   \
        for (int64_t k = 0; k < depth; k++, a++, b += alone * LANES, ahead += step) {              \
            UNROLL for (int j = 0; j < vectors / alone; j++)                                       \
            {                                                                                      \
                const char *panel = ahead + (size_t)j * apart * sizeof *b;                         \
                UNROLL for (int i = 0; i < MAX_LINES; i++) if (i < lines)                          \
                    __builtin_prefetch(panel + i * 64, 0, 2);                                      \
            }                                                                                      \
            UNROLL for (int i = 0; i < rows; i++) UNROLL for (int j = 0; j < vectors; j++)         \
                s[i][j] += a[(size_t)i * row] *                                                    \
                           *(const VECTOR *)(b + (size_t)(j / alone) * apart + j % alone * LANES); \
        }                                                                                          \
        UNROLL for (int i = 0; i < rows; i++) UNROLL for (int j = 0; j < vectors; j++) *           \
            (VECTOR *)(sums + (i * vectors + j) * LANES) = s[i][j];                                \
    }

TILE(tile_16, Vector16, 16)
TILE(tile_8, Vector8, 8)

/* One block of columns, piece by piece. The source is as if the window had one tap only: what is read of it is in L2 in any case. */
INLINE void run_block(const Run *r, const float *b, int lanes, int rows, int vectors, int alone)
{
    const DnnlIndirect *w = r->w;
    const int64_t width = lanes * vectors, piece = w->taps_at_once * w->channels_at_once;
    const size_t apart = (size_t)(w->taps * w->channels * lanes * alone),
                 step = (size_t)w->panel.step;
    const char *following = (const char *)(b + w->taps * w->channels * width);
    for (int64_t left = w->taps * w->channels; left > 0; left -= piece) {
        const int64_t depth = left < piece ? left : piece;
        const char *ahead = left > piece ? (const char *)(b + depth * lanes * alone) : following;
        for (int64_t i = 0; i < w->panel.tiles; i++, ahead += depth * w->panel.step) {
            const float *a = r->src + i * rows * w->channels;
            float *sums = r->sums + i * rows * width;
            if (lanes == 16)
                tile_16(rows, vectors, alone, a, (size_t)w->channels, b, apart, sums, depth, ahead,
                        step, w->panel.lines);
            else
                tile_8(rows, vectors, alone, a, (size_t)w->channels, b, apart, sums, depth, ahead,
                       step, w->panel.lines);
        }
        b += depth * lanes * alone;
    }
}

INLINE void run_all(const Run *r, int lanes, int rows, int vectors, int alone)
{
    const DnnlIndirect *w = r->w;
    const float *b = r->weights + r->copy * r->floats;
    for (int64_t i = 0; i < w->panel.blocks; i++, b += w->taps * w->channels * lanes * vectors)
        run_block(r, b, lanes, rows, vectors, alone);
}

#define RUN(LANES, VECTORS, ALONE, ROWS)                                                           \
    CLONES static void run_##LANES##_##VECTORS##_##ALONE##_##ROWS(const Run *r)                    \
    {                                                                                              \
        run_all(r, LANES, ROWS, VECTORS, ALONE);                                                   \
    }
#define KIND(LANES, VECTORS, ALONE, ROWS)                                                          \
    {LANES, VECTORS, ALONE, ROWS, run_##LANES##_##VECTORS##_##ALONE##_##ROWS},
#define UP_TO_2(DO, LANES, VECTORS, ALONE) DO(LANES, VECTORS, ALONE, 1) DO(LANES, VECTORS, ALONE, 2)
#define UP_TO_3(DO, LANES, VECTORS, ALONE)                                                         \
    UP_TO_2(DO, LANES, VECTORS, ALONE) DO(LANES, VECTORS, ALONE, 3)
#define UP_TO_4(DO, LANES, VECTORS)                                                                \
    UP_TO_3(DO, LANES, VECTORS, VECTORS) DO(LANES, VECTORS, VECTORS, 4)
#define UP_TO_6(DO, LANES, VECTORS)                                                                \
    UP_TO_4(DO, LANES, VECTORS)                                                                    \
    DO(LANES, VECTORS, VECTORS, 5) DO(LANES, VECTORS, VECTORS, 6)
#define UP_TO_7(DO, LANES, VECTORS) UP_TO_6(DO, LANES, VECTORS) DO(LANES, VECTORS, VECTORS, 7)
#define UP_TO_9(DO, LANES, VECTORS)                                                                \
    UP_TO_7(DO, LANES, VECTORS)                                                                    \
    DO(LANES, VECTORS, VECTORS, 8) DO(LANES, VECTORS, VECTORS, 9)
/* The tiles of panel.c. */
#define ALL(DO)                                                                                    \
    UP_TO_7(DO, 16, 4)                                                                             \
    UP_TO_9(DO, 16, 3)                                                                             \
    UP_TO_9(DO, 16, 2)                                                                             \
    UP_TO_9(DO, 16, 1)                                                                             \
    UP_TO_6(DO, 8, 2)                                                                              \
    UP_TO_4(DO, 8, 3)                                                                              \
    UP_TO_9(DO, 8, 1)                                                                              \
    UP_TO_2(DO, 8, 4, 4) DO(8, 8, 2, 1) UP_TO_3(DO, 8, 4, 2) UP_TO_3(DO, 8, 4, 1)                  \
        UP_TO_3(DO, 8, 3, 1) DO(8, 3, 1, 4)
ALL(RUN)

static const struct Kind {
    int lanes, vectors, alone, rows;
    void (*run)(const Run *r);
} kinds[] = {ALL(KIND)};

static const struct Kind *kind_of(const Panel *p)
{
    for (size_t i = 0; i < COUNT_OF(kinds); i++)
        if (kinds[i].lanes == p->lanes && kinds[i].vectors == p->vectors &&
            kinds[i].alone == p->vectors / (p->beside + 1) && kinds[i].rows == p->rows)
            return &kinds[i];
    return NULL;
}

static void run_next(void *data)
{
    Run *r = data;
    r->kind->run(r);
    r->copy = (r->copy + 1) % r->copies;
}

bool panel_time(const DnnlIndirect *w, size_t spread, double *ns)
{
    const size_t rows = (size_t)(w->panel.tiles * MAX_ROWS), width = (size_t)panel_width(&w->panel);
    Run r = {.w = w,
             .kind = kind_of(&w->panel),
             .floats = panel_floats(&w->panel, w->taps * w->channels)};
    r.copies = spread / 4 / r.floats + 1;
    float *weights = filled_floats(r.copies * r.floats);
    r.weights = weights;
    r.src = filled_floats((rows + 1) * (size_t)w->channels + (size_t)w->panel.depth);
    r.sums = filled_floats(rows * width);
    bool ok = weights && r.src && r.sums && r.kind;
    if (ok)
        *ns = shortest_ns(run_next, &r, true) * (double)w->pixels /
              (double)(w->panel.tiles * w->panel.rows);
    free(weights);
    free(r.src);
    free(r.sums);
    return ok;
}
