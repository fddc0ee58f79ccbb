#define _POSIX_C_SOURCE 200809L
#include "dnnlc_batch.h"

#include "dnnlc_inputs.h"
#include "dnnlc_meter.h"
#include "dnnlc_session.h"
#include "dnnlc_stream.h"
#include "dnnlc_threads.h"

#include <limits.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

enum { WHY_SIZE = 1024 };

/* What all workers share. Those of a row's bytes are 0 for inputs and outputs without a file. */
struct batch {
    const struct dnnlc_model *model;
    const struct dnnlc_options *options;
    struct dnnlc_session
        first; /* worker 0's; the others read the inputs that are the same for each run, and weights, there */
    struct dnnlc_source *sources;
    struct dnnlc_sink *sinks;
    size_t *row_in, *row_out; /* bytes */
    struct dnnlc_stack stack;
    int64_t begin, end, piece; /* rows: of this shard, and what a worker takes at a time */

    pthread_mutex_t mutex; /* of what follows and of pipes */
    pthread_cond_t changed;
    int64_t next; /* the first row that nobody has taken */
    int64_t turn; /* … and that pipes do not have */
    int64_t done; /* how many are written */
    bool failed;
    struct dnnlc_meter meter;
    char why[WHY_SIZE]; /* the first failure */
};

struct worker {
    struct batch *batch;
    struct dnnlc_session session;
    pthread_t thread;
    void **in, **out; /* a piece of each file's rows */
    int64_t row, rows;
    char why[WHY_SIZE];
};

static bool no_memory(char *why, size_t why_size)
{
    return dnnlc_fail(why, why_size, "no memory for rows of the stacked files");
}

/* --- a worker ------------------------------------------------------------------------------------------------------- */

/* Buffers of a piece, and of the inputs that change with each run. */
static bool prepare(struct worker *w, char *why, size_t why_size)
{
    const struct batch *b = w->batch;
    const struct dnnlc_model *model = b->model;
    const size_t rows = (size_t)b->piece;
    w->in = calloc(model->n_inputs + 1, sizeof *w->in);
    w->out = calloc(model->n_outputs + 1, sizeof *w->out);
    if (!w->in || !w->out)
        return no_memory(why, why_size);
    for (size_t i = 0; i < model->n_inputs; i++) {
        if (!b->sources[i].name)
            continue;
        struct dnnlc_array *input = &w->session.inputs[i];
        w->in[i] = malloc(rows * b->row_in[i] + 1);
        input->data = NULL; /* not the first worker's */
        if (!w->in[i] || !dnnlc_array_alloc(input, why, why_size))
            return no_memory(why, why_size);
        w->session.in[i] = input->data;
    }
    for (size_t k = 0; k < model->n_outputs; k++) {
        if (!b->sinks[k].name)
            continue;
        w->out[k] = malloc(rows * b->row_out[k] + 1);
        if (!w->out[k])
            return no_memory(why, why_size);
    }
    return true;
}

/* Of a thread that holds the mutex. */
static void give_up_locked(struct batch *b, const char *why)
{
    if (!b->failed)
        memcpy(b->why, why, WHY_SIZE);
    b->failed = true;
    pthread_cond_broadcast(&b->changed);
}

static void give_up(struct batch *b, const char *why)
{
    pthread_mutex_lock(&b->mutex);
    give_up_locked(b, why);
    pthread_mutex_unlock(&b->mutex);
}

static bool read_all(struct worker *w, bool placed)
{
    struct batch *b = w->batch;
    for (size_t i = 0; i < b->model->n_inputs; i++) {
        const size_t row = b->row_in[i];
        if (b->sources[i].name && placed == b->sources[i].placed &&
            !dnnlc_source_read(&b->sources[i], (size_t)w->row * row, w->in[i],
                               (size_t)w->rows * row, w->why, WHY_SIZE))
            return false;
    }
    return true;
}

/* Reads the next rows, if there are any: those of pipes in their order. A pipe that ends too early is told of before another worker can read
 * there, who would find nothing and say that it ended even earlier. */
static bool take(struct worker *w, bool *done)
{
    struct batch *b = w->batch;
    pthread_mutex_lock(&b->mutex);
    w->row = b->next;
    w->rows = b->failed ? 0 : b->end - b->next < b->piece ? b->end - b->next : b->piece;
    b->next += w->rows;
    *done = w->rows == 0 || read_all(w, false);
    if (!*done)
        give_up_locked(b, w->why);
    pthread_mutex_unlock(&b->mutex);
    *done = *done && (w->rows == 0 || read_all(w, true));
    return *done && w->rows > 0;
}

/* The rows from `row` on that a run takes. Where there are fewer, the last run has one of them several times. */
static void fill_inputs(const struct worker *w, size_t row, size_t rows)
{
    const struct batch *b = w->batch;
    for (size_t i = 0; i < b->model->n_inputs; i++) {
        const size_t size = b->row_in[i];
        char *to = w->session.inputs[i].data;
        if (!b->sources[i].name)
            continue;
        memcpy(to, (const char *)w->in[i] + row * size, rows * size);
        for (size_t r = rows; r < (size_t)b->stack.per_run; r++)
            memcpy(to + r * size, to, size);
    }
}

static void keep_outputs(const struct worker *w, size_t row, size_t rows)
{
    const struct batch *b = w->batch;
    for (size_t k = 0; k < b->model->n_outputs; k++)
        if (b->sinks[k].name)
            memcpy((char *)w->out[k] + row * b->row_out[k], w->session.outputs[k].data,
                   rows * b->row_out[k]);
}

/* Each run begins as the first one would. */
static bool compute(struct worker *w)
{
    const struct batch *b = w->batch;
    const size_t rows = (size_t)w->rows, per_run = (size_t)b->stack.per_run;
    for (size_t row = 0; row < rows; row += per_run) {
        const size_t n = rows - row < per_run ? rows - row : per_run;
        fill_inputs(w, row, n);
        if (b->model->n_states > 0)
            dnnlc_session_set_states(&w->session);
        if (!dnnlc_session_run(&w->session, w->why, WHY_SIZE) ||
            !dnnlc_session_trim(&w->session, w->why, WHY_SIZE))
            return false;
        keep_outputs(w, row, n);
    }
    return true;
}

/* Whether the rows before these are in the pipes. */
static bool wait_for_turn(struct worker *w)
{
    struct batch *b = w->batch;
    pthread_mutex_lock(&b->mutex);
    while (b->turn != w->row && !b->failed)
        pthread_cond_wait(&b->changed, &b->mutex);
    const bool mine = !b->failed;
    pthread_mutex_unlock(&b->mutex);
    return mine;
}

static bool put_all(struct worker *w, bool pipes)
{
    const struct batch *b = w->batch;
    for (size_t k = 0; k < b->model->n_outputs; k++) {
        const size_t row = b->row_out[k];
        if (b->sinks[k].name && pipes == !b->sinks[k].temporary &&
            !dnnlc_sink_write(&b->sinks[k], (size_t)(w->row - b->begin) * row, w->out[k],
                              (size_t)w->rows * row, w->why, WHY_SIZE))
            return false;
    }
    return true;
}

static bool has_pipe(const struct batch *b)
{
    for (size_t k = 0; k < b->model->n_outputs; k++)
        if (b->sinks[k].name && !b->sinks[k].temporary)
            return true;
    return false;
}

/* Files take rows as they come, pipes in their order. */
static bool put(struct worker *w)
{
    struct batch *b = w->batch;
    const bool piped = has_pipe(b);
    if (!put_all(w, false) || (piped && wait_for_turn(w) && !put_all(w, true)))
        return false;
    pthread_mutex_lock(&b->mutex);
    b->done += w->rows;
    if (piped) {
        b->turn = w->row + w->rows;
        pthread_cond_broadcast(&b->changed);
    }
    dnnlc_meter_show(&b->meter, b->done, b->end - b->begin);
    pthread_mutex_unlock(&b->mutex);
    return true;
}

static void *work(void *user)
{
    struct worker *w = user;
    struct batch *b = w->batch;
    bool done = true;
    while (take(w, &done))
        if (!compute(w) || !put(w)) {
            done = false;
            break;
        }
    if (!done)
        give_up(b, w->why);
    return NULL;
}

static void *start_beside(void *user)
{
    struct worker *w = user;
    if (dnnlc_session_open_beside(&w->session, &w->batch->first, 1, w->why, WHY_SIZE) &&
        prepare(w, w->why, WHY_SIZE))
        return work(w);
    give_up(w->batch, w->why);
    return NULL;
}

/* --- all workers ---------------------------------------------------------------------------------------------------- */

static void free_worker(struct worker *w, size_t number)
{
    const struct dnnlc_model *model = w->batch->model;
    for (size_t i = 0; w->in && i < model->n_inputs; i++)
        free(w->in[i]);
    for (size_t k = 0; w->out && k < model->n_outputs; k++)
        free(w->out[k]);
    free(w->in);
    free(w->out);
    if (number > 0)
        dnnlc_session_close_beside(&w->session, &w->batch->first);
}

static bool run_workers(struct batch *b, struct worker *workers, size_t n, char *why,
                        size_t why_size)
{
    size_t started = 1;
    int failed = 0;
    for (size_t k = 0; k < n; k++)
        workers[k].batch = b;
    workers[0].session = b->first; /* the same tables and memory */
    if (!prepare(&workers[0], why, why_size))
        return false;
    for (; started < n && !failed; started += !failed)
        failed = pthread_create(&workers[started].thread, NULL, start_beside, &workers[started]);
    if (failed) {
        dnnlc_fail(workers[0].why, WHY_SIZE, "--threads: no thread %zu of %zu: %s", started + 1, n,
                   strerror(failed));
        give_up(b, workers[0].why);
    }
    work(&workers[0]);
    for (size_t k = 1; k < started; k++)
        pthread_join(workers[k].thread, NULL);
    return !b->failed || dnnlc_fail(why, why_size, "%s", b->why);
}

/* As many threads as there are processors, or were asked for, and pieces. Pieces stay in the second cache, and there are enough of them that no
 * thread waits long for another one's last. */
static size_t choose_pieces(struct batch *b)
{
    enum { BYTES = 128 << 10, EACH = 16 };
    const int64_t rows = b->end - b->begin, per_run = b->stack.per_run;
    const int64_t threads =
        b->options->threads ? b->options->threads : dnnlc_usable_threads(INT_MAX);
    size_t in = 1, out = 1;
    for (size_t i = 0; i < b->model->n_inputs; i++)
        in += b->row_in[i];
    for (size_t k = 0; k < b->model->n_outputs; k++)
        out += b->row_out[k];
    const size_t row = in > out ? in : out;
    const int64_t small = (int64_t)(BYTES / row), even = rows / (threads * EACH);
    const int64_t least = small < even ? small : even;
    b->piece = (least / per_run + (least % per_run > 0 || least == 0)) * per_run;
    const int64_t pieces = (rows + b->piece - 1) / b->piece;
    return (size_t)(pieces < threads ? pieces > 0 ? pieces : 1 : threads);
}

static bool compute_all(struct batch *b, char *why, size_t why_size)
{
    const size_t n = choose_pieces(b);
    struct worker *workers = calloc(n, sizeof *workers);
    if (!workers)
        return no_memory(why, why_size);
    b->meter = dnnlc_meter_begin();
    bool done = run_workers(b, workers, n, why, why_size);
    dnnlc_meter_clear(&b->meter);
    for (size_t k = 0; k < n && workers[k].batch; k++)
        free_worker(&workers[k], k);
    free(workers);
    for (size_t i = 0; done && i < b->model->n_inputs; i++)
        done = !b->sources[i].name || dnnlc_source_end(&b->sources[i], why, why_size);
    return done;
}

/* --- before and after ----------------------------------------------------------------------------------------------- */

static bool open_sources(struct batch *b, char *why, size_t why_size)
{
    for (size_t i = 0; i < b->model->n_inputs; i++) {
        const char *path = b->options->batch_inputs[i];
        if (path && !dnnlc_source_open(&b->sources[i], path, why, why_size))
            return false;
    }
    return true;
}

static bool fits(struct batch *b, const struct dnnlc_model *model, char *why, size_t why_size)
{
    b->stack = dnnlc_stack_begin(model);
    for (size_t i = 0; i < model->n_inputs; i++)
        if (b->sources[i].name && !dnnlc_stack_input(&b->stack, model, i, b->sources[i].name,
                                                     &b->sources[i].npy.array, why, why_size))
            return false;
    for (size_t i = 0; i < model->n_inputs; i++)
        if (!b->sources[i].name && !dnnlc_state_of(model, i) &&
            !dnnlc_stack_fixed(&b->stack, model, i, why, why_size))
            return false;
    return true;
}

/* The variant that is asked for, or the first that the files fit; of one variant, that says what does not. */
static bool choose(struct batch *b, char *why, size_t why_size)
{
    const struct dnnlc_model *models = b->model;
    if (b->options->variant)
        b->model = dnnlc_choose_variant(models, b->options, why, why_size);
    for (unsigned k = 0; !b->options->variant && k + 1 < models->n_variants; k++)
        if (fits(b, b->model, why, 0))
            return true;
        else
            b->model = &models[k + 1];
    return b->model && fits(b, b->model, why, why_size);
}

static bool open_sinks(struct batch *b, char *why, size_t why_size)
{
    dnnlc_sinks_guard(b->sinks, b->model->n_outputs);
    for (size_t k = 0; k < dnnlc_model_outputs(b->model); k++) {
        const char *path = b->options->batch_outputs[k];
        struct dnnlc_array file;
        if (!path)
            continue;
        if (!dnnlc_stack_output(&b->stack, b->model, k, b->end - b->begin, &file, why, why_size) ||
            !dnnlc_sink_open(&b->sinks[k], path, k, &file, why, why_size))
            return false;
        b->row_out[k] = b->model->outputs[k].bytes / (size_t)b->stack.per_run;
    }
    return true;
}

static bool start(struct batch *b, char *why, size_t why_size)
{
    const struct dnnlc_model *model = b->model;
    if (!dnnlc_session_open(&b->first, model, why, why_size) ||
        !dnnlc_inputs_load(&b->first, b->options, why, why_size) ||
        !dnnlc_session_start(&b->first, 1, why, why_size))
        return false;
    dnnlc_shard_rows(b->options->shard, b->stack.rows, &b->begin, &b->end);
    b->next = b->begin;
    b->turn = b->begin;
    for (size_t i = 0; i < model->n_inputs; i++) {
        if (!b->sources[i].name)
            continue;
        b->row_in[i] = model->inputs[i].bytes / (size_t)b->stack.per_run;
        if (!dnnlc_source_skip(&b->sources[i], (size_t)b->begin * b->row_in[i], why, why_size))
            return false;
    }
    return open_sinks(b, why, why_size);
}

static bool finish(struct batch *b, double begin, char *why, size_t why_size)
{
    const int64_t rows = b->end - b->begin;
    bool quiet = false;
    for (size_t k = 0; k < b->model->n_outputs; k++) {
        if (b->sinks[k].name && !dnnlc_sink_finish(&b->sinks[k], why, why_size))
            return false;
        quiet = quiet || (b->sinks[k].name && strcmp(b->sinks[k].path, "-") == 0);
    }
    const double seconds = (dnnlc_now_ms() - begin) / 1e3;
    if (!quiet)
        printf("%lld rows in %.3f s, %.6g rows/s\n", (long long)rows, seconds,
               seconds > 0 ? (double)rows / seconds : 0);
    return true;
}

/* What a pipe has got cannot be taken back: the message says how much that is. */
static void tell_pipes(const struct batch *b, char *why, size_t why_size)
{
    const size_t at = strlen(why);
    for (size_t k = 0; k < b->model->n_outputs; k++) {
        const struct dnnlc_sink *sink = &b->sinks[k];
        if (sink->name && !sink->temporary && sink->header > 0 && at < why_size) {
            dnnlc_fail(why + at, why_size - at, "; %zu of %lld rows were written to %s",
                       (sink->sent - sink->header) / (b->row_out[k] ? b->row_out[k] : 1),
                       (long long)(b->end - b->begin), sink->name);
            return;
        }
    }
}

static bool shard_is_there(struct dnnlc_shard shard, char *why, size_t why_size)
{
    return (shard.number >= 1 && shard.number <= shard.of) || shard.of == 0 ||
           dnnlc_fail(why, why_size, "--shard %lld/%lld: there are shards 1 to %lld",
                      (long long)shard.number, (long long)shard.of, (long long)shard.of);
}

bool dnnlc_batch(const struct dnnlc_model *model, const struct dnnlc_options *options, char *why,
                 size_t why_size)
{
    const size_t n_in = model->n_inputs, n_out = model->n_outputs;
    const double begin = dnnlc_now_ms();
    struct batch b = {.model = model,
                      .options = options,
                      .mutex = PTHREAD_MUTEX_INITIALIZER,
                      .changed = PTHREAD_COND_INITIALIZER};
    b.sources = calloc(n_in + 1, sizeof *b.sources);
    b.sinks = calloc(n_out + 1, sizeof *b.sinks);
    b.row_in = calloc(n_in + 1, sizeof *b.row_in);
    b.row_out = calloc(n_out + 1, sizeof *b.row_out);
    bool done = b.sources && b.sinks && b.row_in && b.row_out;
    if (!done)
        no_memory(why, why_size);
    done = done && shard_is_there(options->shard, why, why_size) &&
           open_sources(&b, why, why_size) && choose(&b, why, why_size);
    done = done && start(&b, why, why_size) && compute_all(&b, why, why_size) &&
           finish(&b, begin, why, why_size);
    if (!done && b.model && b.sinks && b.row_out && why_size > 0)
        tell_pipes(&b, why, why_size);
    for (size_t i = 0; b.sources && i < n_in; i++)
        dnnlc_source_close(&b.sources[i]);
    for (size_t k = 0; b.sinks && k < n_out; k++)
        dnnlc_sink_drop(&b.sinks[k]);
    dnnlc_sinks_guard(NULL, 0);
    dnnlc_session_close(&b.first);
    free(b.sources);
    free(b.sinks);
    free(b.row_in);
    free(b.row_out);
    return done;
}
