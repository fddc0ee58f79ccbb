/* states: a model with states (M_) computes in a thousand steps what the same model does (P_) whose caller feeds back what it gave. Two contexts do not
 * disturb each other, states can be saved, set and reset, and a run that fails leaves them alone. SPDX-License-Identifier: Apache-2.0 */
#include "check.h"
#include "m_dnnl.h"
#include "p_dnnl.h"

enum { MAP = 16 * 12 * 12, H = 16, STEPS = 1000 };

typedef struct fed {
    float map[MAP], h[H], a[3], b[3];
    int64_t steps;
} fed;

static void begin(m_context *ctx)
{
    const m_config config = {.workspace = memory(M_WORKSPACE_SIZE),
                             .workspace_size = M_WORKSPACE_SIZE};
    CHECK(m_init(ctx, &config) == M_OK);
}

static void fill(float *x, unsigned seed)
{
    for (int i = 0; i < MAP; i++) {
        seed = seed * 1664525u + 1013904223u;
        x[i] = (float)(seed >> 8) / 16777216.0f - 0.5f;
    }
}

static void feed_back(p_context *ctx, const float *x, fed *state, float *y)
{
    static fed next;
    const p_inputs in = {x, state->map, state->h, &state->steps, state->a, state->b};
    const p_outputs out = {y, next.map, next.h, &next.steps, next.a, next.b};
    CHECK(p_run(ctx, &in, &out) == P_OK);
    *state = next;
}

static int holds(const m_context *ctx, const fed *f)
{
    return !memcmp(m_state(ctx, M_STATE_map, NULL), f->map, sizeof f->map) &&
           !memcmp(m_state(ctx, M_STATE_h, NULL), f->h, sizeof f->h) &&
           !memcmp(m_state(ctx, M_STATE_steps, NULL), &f->steps, sizeof f->steps) &&
           !memcmp(m_state(ctx, M_STATE_a, NULL), f->a, sizeof f->a) &&
           !memcmp(m_state(ctx, M_STATE_b, NULL), f->b, sizeof f->b);
}

static void step(m_context *ctx, p_context *plain, unsigned seed, fed *f)
{
    static float x[MAP];
    float y[H], want[H];
    fill(x, seed);
    const m_inputs in = {x};
    const m_outputs out = {y};
    CHECK(m_run(ctx, &in, &out) == M_OK);
    feed_back(plain, x, f, want);
    CHECK(!memcmp(y, want, sizeof y) && holds(ctx, f));
}

static void check_places(m_context *ctx)
{
    size_t bytes = 0;
    CHECK(m_state(ctx, M_STATE_map, &bytes) && bytes == MAP * sizeof(float));
    CHECK(m_state(ctx, M_STATE_steps, &bytes) && bytes == sizeof(int64_t));
    CHECK(M_STATES == 5 && !m_state(ctx, M_STATES, &bytes) && !m_state(NULL, 0, &bytes));
    for (unsigned k = 0; k < M_STATES; k++)
        CHECK((uintptr_t)m_state(ctx, k, NULL) % 64 == 0);
}

int main(void)
{
    static m_context one, two;
    static p_context plain;
    static fed f, g, zero, saved;
    const p_config config = {.workspace = memory(P_WORKSPACE_SIZE),
                             .workspace_size = P_WORKSPACE_SIZE};
    const m_outputs nowhere = {NULL};
    static const float x[MAP];
    const m_inputs in = {x};
    begin(&one);
    begin(&two);
    CHECK(p_init(&plain, &config) == P_OK);
    CHECK(holds(&one, &zero) && holds(&two, &zero));
    check_places(&one);
    for (unsigned i = 0; i < STEPS; i++) {
        step(&one, &plain, i, &f);
        step(&two, &plain, 77 * i + 1, &g);
    }
    CHECK(f.steps == STEPS && memcmp(f.map, g.map, sizeof f.map) != 0);
    CHECK(m_run(&one, &in, &nowhere) == M_BAD_ARGUMENT && holds(&one, &f));
    saved = f;
    step(&one, &plain, 5, &f);
    memcpy(m_state(&one, M_STATE_map, NULL), saved.map, sizeof saved.map);
    memcpy(m_state(&one, M_STATE_h, NULL), saved.h, sizeof saved.h);
    memcpy(m_state(&one, M_STATE_steps, NULL), &saved.steps, sizeof saved.steps);
    memcpy(m_state(&one, M_STATE_a, NULL), saved.a, sizeof saved.a);
    memcpy(m_state(&one, M_STATE_b, NULL), saved.b, sizeof saved.b);
    step(&one, &plain, 6, &saved);
    m_reset(&one);
    CHECK(holds(&one, &zero) && holds(&two, &g));
    f = zero;
    step(&one, &plain, 7, &f);
    m_fini(&one);
    CHECK(!m_state(&one, 0, NULL));
    m_reset(&one);
    m_reset(NULL);
    return 0;
}
