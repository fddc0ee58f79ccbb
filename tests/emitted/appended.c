/* appended: a decoder whose keys and values are states (M_), to which each run appends, computes what the same model does (P_) whose caller feeds back what it
 * gave. Nothing that counts moves; two contexts do not disturb each other; what does not fit is refused and changes nothing. With STACKED
 * both are one state. SPDX-License-Identifier: Apache-2.0 */
#include <math.h>

#include "check.h"
#include "m_dnnl.h"
#include "p_dnnl.h"

enum { HEADS = 2, WIDTH = 4, MOST = 5, ALL = MOST + 1, ROW = HEADS * WIDTH };

/* Keys, and values behind them. NaN where no row is. */
typedef struct fed {
    float kv[2][HEADS * MOST * WIDTH];
    int64_t rows;
} fed;

typedef struct given {
    float kv[2][HEADS * ALL * WIDTH], y[ROW];
    int64_t count[2];
} given;

#ifdef STACKED
enum { STATES = 2 };

static float *state(const m_context *ctx, int which, size_t *bytes)
{
    float *at = (float *)m_state(ctx, M_STATE_past_cache, bytes) + which * HEADS * ALL * WIDTH;
    if (bytes)
        *bytes /= 2;
    return at;
}

static p_status run_plain(p_context *plain, const float *x, const fed *f, given *to)
{
    to->count[1] = f->rows + 1;
    return p_run(plain, &(p_inputs){x, f->kv[0], &f->rows},
                 &(p_outputs){to->y, to->kv[0], &to->count[0]});
}
#else
enum { STATES = 3 };

static float *state(const m_context *ctx, int which, size_t *bytes)
{
    return m_state(ctx, which ? M_STATE_past_v : M_STATE_past_k, bytes);
}

static p_status run_plain(p_context *plain, const float *x, const fed *f, given *to)
{
    return p_run(plain, &(p_inputs){x, f->kv[0], f->kv[1], &f->rows},
                 &(p_outputs){to->y, to->kv[0], &to->count[0], to->kv[1], &to->count[1]});
}
#endif

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

static int same_rows(const m_context *ctx, const given *rows, int64_t n)
{
    for (int h = 0; h < 2 * HEADS; h++)
        if (memcmp(state(ctx, h / HEADS, NULL) + h % HEADS * ALL * WIDTH,
                   rows->kv[h / HEADS] + h % HEADS * ALL * WIDTH,
                   (size_t)n * WIDTH * sizeof(float)))
            return 0;
    return 1;
}

static int64_t count(const m_context *ctx)
{
    return *(const int64_t *)m_state(ctx, M_STATE_past, NULL);
}

static void step(m_context *ctx, p_context *plain, unsigned seed, fed *f)
{
    float x[ROW], y[ROW];
    given want;
    const void *const place = state(ctx, 0, NULL);
    fill(x, seed);
    const m_inputs in = {x};
    const m_outputs out = {y};
    CHECK(count(ctx) == f->rows);
    CHECK(m_run(ctx, &in, &out) == M_OK);
    CHECK(run_plain(plain, x, f, &want) == P_OK);
    for (int i = 0; i < ROW; i++)
        CHECK(fabsf(y[i] - want.y[i]) <= 1e-6f);
    CHECK(want.count[0] == f->rows + 1 && want.count[1] == want.count[0] &&
          count(ctx) == want.count[0]);
    CHECK(same_rows(ctx, &want, want.count[0]));
    CHECK(state(ctx, 0, NULL) == place);
    f->rows = want.count[0];
    for (int k = 0; k < 2; k++)
        spread(f->kv[k], MOST, want.kv[k], ALL, f->rows);
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
    memcpy(before, state(ctx, 1, &bytes), sizeof before);
    CHECK(bytes == sizeof before);
    const m_inputs in = {x};
    const m_outputs out = {y};
    CHECK(m_run(ctx, &in, &out) == M_BAD_ARGUMENT);
    CHECK(strstr(m_error(ctx), "past is not from 0 to M_PAST_MAX"));
    CHECK(!memcmp(before, state(ctx, 1, NULL), sizeof before));
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

/* Of states with some rows, on a context with others: the self-test leaves it as after a reset. */
static void test_itself(m_context *ctx, p_context *plain)
{
    size_t output = 0;
    void *const bytes = memory(M_SELFTEST_SIZE);
    fed f = {.rows = 0};
    CHECK(m_selftest(ctx, bytes, M_SELFTEST_SIZE, &output) == M_OK);
    step(ctx, plain, 300, &f);
    step(ctx, plain, 301, &f);
    CHECK(m_selftest(ctx, bytes, M_SELFTEST_SIZE, &output) == M_OK && count(ctx) == 0);
    free(bytes);
}

int main(void)
{
    static m_context a, b, c;
    static p_context plain;
    fed fed_a, fed_b, fed_c;
    const p_config config = {.workspace = memory(P_WORKSPACE_SIZE),
                             .workspace_size = P_WORKSPACE_SIZE};
    CHECK(p_init(&plain, &config) == P_OK);
    CHECK(M_PAST_MAX == MOST && (int)M_STATES == (int)STATES);
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
    CHECK(m_run(&b, &(m_inputs){fed_b.kv[0]}, &(m_outputs){fed_b.kv[0]}) == M_BAD_ARGUMENT);
    test_itself(&a, &plain);
    return 0;
}
