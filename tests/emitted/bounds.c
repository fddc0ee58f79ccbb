/* bounds: a model whose inputs have at most so many rows, at every number of them. Rows that are not there are NaN, and behind the last one memory ends: a run
 * that reads one shows. Numbers out of range are refused before anything is written. SPDX-License-Identifier: Apache-2.0 */
#include <math.h>
#include <sys/mman.h>

#include "check.h"
#include "m_dnnl.h"

enum { MOST = 6, WIDTH = 4, PAGE = 4096 };

/* Memory of so many floats, NaN all of them, behind which there is none. */
static float *guarded(int64_t n)
{
    char *page = mmap(NULL, 2 * PAGE, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    CHECK(page != MAP_FAILED && mprotect(page + PAGE, PAGE, PROT_NONE) == 0);
    memset(page, 0xff, PAGE);
    return (float *)(void *)(page + PAGE) - n;
}

static float value(int64_t batch, int64_t row, int64_t column)
{
    return (float)((batch * 7 + row * 3 + column * 5) % 11) / 11.0f - 0.4f;
}

static void fill(float *x, int64_t rows, int64_t batch)
{
    for (int64_t i = 0; i < rows; i++)
        for (int64_t j = 0; j < WIDTH; j++)
            x[i * WIDTH + j] = value(batch, i, j);
}

static float y[2 * MOST * WIDTH], first[2 * MOST * WIDTH], sum[2 * WIDTH],
    joined[(MOST + 1) * WIDTH];
static int64_t y_count, joined_count;

static m_status run(m_context *ctx, int64_t rows, int64_t kept)
{
    const int64_t there = rows < 0 || rows > MOST ? 0 : rows,
                  stay = kept < 0 || kept > MOST ? 0 : kept;
    float *x = guarded(MOST * WIDTH + there * WIDTH), *past = guarded(stay * WIDTH);
    fill(x, there, 0);
    fill(x + MOST * WIDTH, there, 1);
    fill(past, stay, 2);
    const m_inputs in = {.x = x, .past = past, .rows = &rows, .kept = &kept};
    const m_outputs out = {y, &y_count, sum, joined, &joined_count};
    return m_run(ctx, &in, &out);
}

/* The rows that count do not change with how many there are, and the sum is theirs. */
static void check_at(m_context *ctx, int64_t rows, int64_t kept)
{
    memset(y, 0xff, sizeof y);
    CHECK(run(ctx, rows, kept) == M_OK && y_count == rows && joined_count == kept + 1);
    for (int64_t b = 0; b < 2; b++)
        for (int64_t j = 0; j < WIDTH; j++) {
            double total = 0;
            for (int64_t i = 0; i < rows; i++) {
                const int64_t at = (b * MOST + i) * WIDTH + j;
                CHECK(fabsf(y[at] - first[at]) <= 1e-6f * first[at]);
                total += (double)y[at];
            }
            CHECK(fabs(total - (double)sum[b * WIDTH + j]) <= 1e-5 * (1 + total));
        }
    for (int64_t j = 0; j < WIDTH; j++) {
        for (int64_t i = 0; i < kept; i++)
            CHECK(fabsf(joined[i * WIDTH + j] - value(2, i, j)) <= 0.0f);
        CHECK(fabsf(joined[kept * WIDTH + j] - (float)(j + 1)) <= 0.0f);
    }
}

static void refused(m_context *ctx, int64_t rows, int64_t kept)
{
    static const float zero[2 * MOST * WIDTH];
    memset(y, 0, sizeof y);
    memset(joined, 0, sizeof joined);
    y_count = joined_count = 77;
    CHECK(run(ctx, rows, kept) == M_BAD_ARGUMENT && strstr(m_error(ctx), "is not from 0 to M_"));
    CHECK(!memcmp(y, zero, sizeof y) && !memcmp(joined, zero, sizeof joined) && y_count == 77 &&
          joined_count == 77);
}

int main(void)
{
    static m_context ctx;
    const m_config config = {.workspace = memory(M_WORKSPACE_SIZE),
                             .workspace_size = M_WORKSPACE_SIZE};
    CHECK(M_ROWS_MAX == MOST && M_KEPT_MAX == MOST);
    CHECK(m_init(&ctx, &config) == M_OK);
    CHECK(run(&ctx, MOST, 0) == M_OK);
    memcpy(first, y, sizeof y);
    CHECK(first[0] > 0 && first[0] < 100);
    for (int64_t rows = 0; rows <= MOST; rows++)
        for (int64_t kept = 0; kept <= MOST; kept++)
            check_at(&ctx, rows, kept);
    refused(&ctx, MOST + 1, 0);
    refused(&ctx, -1, 0);
    refused(&ctx, 0, MOST + 1);
    refused(&ctx, 0, INT64_MIN);
    m_fini(&ctx);
    free(config.workspace);
    return 0;
}
