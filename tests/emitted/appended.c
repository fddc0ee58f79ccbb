/* appended: a decoder whose keys and values are states (M_), to which each run appends, computes what the same model does (P_) whose caller feeds back what it
 * gave. Nothing that counts moves; two contexts do not disturb each other; what does not fit is refused and changes nothing. SPDX-License-Identifier: Apache-2.0 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "m_dnnl.h"
#include "p_dnnl.h"

enum { HEADS = 2, WIDTH = 4, MOST = 5, ALL = MOST + 1, ROW = HEADS * WIDTH };

#define CHECK(condition)                                                                           \
    do {                                                                                           \
        if (!(condition)) {                                                                        \
            fprintf(stderr, "line %d: %s\n", __LINE__, #condition);                                \
            exit(1);                                                                               \
        }                                                                                          \
    } while (0)

typedef struct fed {
    float k[HEADS * MOST * WIDTH], v[HEADS * MOST * WIDTH]; /* NaN where no row is */
    int64_t rows;
} fed;

static void *memory(size_t size)
{
    void *p = aligned_alloc(64, (size + 63) / 64 * 64);
    CHECK(p);
    memset(p, 0xff, size);
    return p;
}

static void begin(m_context *ctx, fed *f)
{
    const m_config config = {.workspace = memory(M_WORKSPACE_SIZE),
                             .workspace_size = M_WORKSPACE_SIZE};
    CHECK(m_init(ctx, &config) == M_OK);
    memset(f, 0xff, sizeof *f);
    f->rows = 0;
}

static void fill(float *x, unsigned seed)
{
    for (int i = 0; i < ROW; i++) {
        seed = seed * 1664525u + 1013904223u;
        x[i] = (float)(seed >> 8) / 16777216.0f - 0.5f;
    }
}

/* The rows of one head behind those of another at one capacity, to the other. */
static void spread(float *to, int most, const float *from, int all, int64_t rows)
{
    for (int h = 0; h < HEADS; h++)
        memcpy(to + h * most * WIDTH, from + h * all * WIDTH,
               (size_t)(rows < most ? rows : most) * WIDTH * sizeof *to);
}

static int same_rows(const m_context *ctx, unsigned state, const float *rows, int64_t n)
{
    const float *at = m_state(ctx, state, NULL);
    for (int h = 0; h < HEADS; h++)
        if (memcmp(at + h * ALL * WIDTH, rows + h * ALL * WIDTH, (size_t)n * WIDTH * sizeof *at))
            return 0;
    return 1;
}

static int64_t count(const m_context *ctx)
{
    return *(const int64_t *)m_state(ctx, M_STATE_past, NULL);
}

static void step(m_context *ctx, p_context *plain, unsigned seed, fed *f)
{
    float x[ROW], y[ROW], want[ROW], k[HEADS * ALL * WIDTH], v[HEADS * ALL * WIDTH];
    int64_t k_count, v_count;
    const void *const place = m_state(ctx, M_STATE_past_k, NULL);
    fill(x, seed);
    const m_inputs in = {x};
    const m_outputs out = {y};
    CHECK(count(ctx) == f->rows);
    CHECK(m_run(ctx, &in, &out) == M_OK);
    const p_inputs p_in = {x, f->k, f->v, &f->rows};
    const p_outputs p_out = {want, k, &k_count, v, &v_count};
    CHECK(p_run(plain, &p_in, &p_out) == P_OK);
    for (int i = 0; i < ROW; i++)
        CHECK(fabsf(y[i] - want[i]) <= 1e-6f);
    CHECK(k_count == f->rows + 1 && v_count == k_count && count(ctx) == k_count);
    CHECK(same_rows(ctx, M_STATE_past_k, k, k_count) && same_rows(ctx, M_STATE_past_v, v, v_count));
    CHECK(m_state(ctx, M_STATE_past_k, NULL) == place);
    f->rows = k_count;
    spread(f->k, MOST, k, ALL, k_count);
    spread(f->v, MOST, v, ALL, v_count);
}

/* When all is full a run is refused, and nothing has changed, not even outputs. */
static void refused(m_context *ctx)
{
    float x[ROW], y[ROW];
    unsigned char before[HEADS * ALL * WIDTH * sizeof(float)];
    size_t bytes = 0;
    fill(x, 1);
    memset(y, 0x7f, sizeof y);
    const float untouched = y[0];
    memcpy(before, m_state(ctx, M_STATE_past_v, &bytes), sizeof before);
    CHECK(bytes == sizeof before);
    const m_inputs in = {x};
    const m_outputs out = {y};
    CHECK(m_run(ctx, &in, &out) == M_BAD_ARGUMENT);
    CHECK(strstr(m_error(ctx), "past is not from 0 to M_PAST_MAX"));
    CHECK(!memcmp(before, m_state(ctx, M_STATE_past_v, NULL), sizeof before));
    CHECK(count(ctx) == ALL && !memcmp(&y[ROW - 1], &untouched, sizeof untouched));
}

/* A run without its output is refused; the next one is as if it had not been. */
static void fail_between(m_context *ctx)
{
    float x[ROW];
    const int64_t before = count(ctx);
    fill(x, 77);
    const m_inputs in = {x};
    const m_outputs out = {NULL};
    CHECK(m_run(ctx, &in, &out) == M_BAD_ARGUMENT && count(ctx) == before);
}

/* What is saved of one context goes on in another. */
static void move_to(m_context *from, m_context *to)
{
    for (unsigned s = 0; s < M_STATES; s++) {
        size_t bytes = 0;
        const void *const place = m_state(from, s, &bytes);
        memcpy(m_state(to, s, NULL), place, bytes);
    }
}

int main(void)
{
    static m_context a, b, c;
    static p_context plain;
    fed fed_a, fed_b, fed_c;
    const p_config config = {.workspace = memory(P_WORKSPACE_SIZE),
                             .workspace_size = P_WORKSPACE_SIZE};
    CHECK(p_init(&plain, &config) == P_OK);
    CHECK(M_PAST_MAX == MOST && M_STATES == 3);
    begin(&a, &fed_a);
    begin(&b, &fed_b);
    begin(&c, &fed_c);
    for (unsigned i = 0; i < ALL; i++) {
        step(&a, &plain, i, &fed_a);
        fail_between(&b);
        if (i < 3)
            step(&b, &plain, 100 + i, &fed_b);
    }
    refused(&a);
    move_to(&b, &c);
    fed_c = fed_b;
    step(&c, &plain, 50, &fed_c);
    m_reset(&a);
    memset(&fed_a, 0xff, sizeof fed_a);
    fed_a.rows = 0;
    for (unsigned i = 0; i < ALL; i++)
        step(&a, &plain, 200 + i, &fed_a);
    step(&b, &plain, 50, &fed_b);
    *(int64_t *)m_state(&b, M_STATE_past, NULL) = fed_b.rows = 2; /* two rows fewer */
    step(&b, &plain, 51, &fed_b);
    *(int64_t *)m_state(&b, M_STATE_past, NULL) = -1;
    CHECK(m_run(&b, &(m_inputs){fed_b.k}, &(m_outputs){fed_b.k}) == M_BAD_ARGUMENT);
    return 0;
}
