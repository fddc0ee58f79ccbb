#define _POSIX_C_SOURCE 200809L
#include "dnnlc_session.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

double dnnlc_now_ms(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec * 1e3 + (double)t.tv_nsec * 1e-6;
}

static bool describe(struct dnnlc_array *array, const struct dnnlc_tensor *tensor, char *why,
                     size_t why_size)
{
    char reason[128];
    if (!dnnlc_array_describe(array, tensor->dtype, tensor->rank, tensor->dims, reason,
                              sizeof reason))
        return dnnlc_fail(why, why_size, "'%s': %s", tensor->name, reason);
    return array->bytes == tensor->bytes ||
           dnnlc_fail(why, why_size, "'%s': %zu bytes in the model's table, %zu by its shape",
                      tensor->name, tensor->bytes, array->bytes);
}

bool dnnlc_session_open(struct dnnlc_session *session, const struct dnnlc_model *model, char *why,
                        size_t why_size)
{
    *session = (struct dnnlc_session){.model = model};
    session->inputs = calloc(model->n_inputs + 1, sizeof *session->inputs);
    session->outputs = calloc(model->n_outputs + 1, sizeof *session->outputs);
    session->in = calloc(model->n_inputs + model->n_dimensions + 1, sizeof *session->in);
    session->rows = malloc((model->n_dimensions + 1) * sizeof *session->rows);
    session->out = calloc(model->n_outputs + 1, sizeof *session->out);
    if (!session->inputs || !session->outputs || !session->in || !session->out || !session->rows)
        return dnnlc_fail(why, why_size, "no memory for the tables of inputs and outputs");
    for (size_t d = 0; d < model->n_dimensions; d++)
        session->rows[d] = -1;
    for (size_t i = 0; i < model->n_inputs; i++)
        if (!describe(&session->inputs[i], &model->inputs[i], why, why_size))
            return false;
    for (size_t i = 0; i < model->n_outputs; i++) {
        struct dnnlc_array *output = &session->outputs[i];
        if (!describe(output, &model->outputs[i], why, why_size) ||
            !dnnlc_array_alloc(output, why, why_size))
            return false;
        /* All ones is NaN, -1 or the largest: an element that run() leaves alone will show. */
        memset(output->data, 0xff, output->bytes);
        session->out[i] = output->data;
    }
    return true;
}

/* The path of `file` in the executable's folder, to be freed; NULL if that cannot be found. */
static char *beside_executable(const char *file)
{
    enum { PATH_SIZE = 4096 };
    char *path = malloc(PATH_SIZE + strlen(file) + 1);
    ssize_t length = path ? readlink("/proc/self/exe", path, PATH_SIZE) : -1;
    if (length <= 0 || length == PATH_SIZE) {
        free(path);
        return NULL;
    }
    while (length > 0 && path[length - 1] != '/')
        length--;
    strcpy(path + length, file);
    return path;
}

static bool map_weights(struct dnnlc_session *session, char *why, size_t why_size)
{
    const struct dnnlc_model *model = session->model;
    if (!model->weights_file || model->weights_size == 0 || session->weights.data)
        return true;
    char *beside = beside_executable(model->weights_file);
    const char *path = model->weights_file;
    bool found = true;
    if (beside && access(beside, F_OK) == 0)
        path = beside;
    else if (access(path, F_OK) != 0)
        found = dnnlc_fail(why, why_size,
                           "%s: not beside the executable, and not in the current folder", path);
    bool done = found && dnnlc_file_map(path, &session->weights, why, why_size);
    if (done && session->weights.size != model->weights_size)
        done = dnnlc_fail(why, why_size, "%s: %zu bytes, the model wants %zu", path,
                          session->weights.size, model->weights_size);
    free(beside);
    return done;
}

static bool allocate(void **memory, size_t size, size_t align, const char *what, char *why,
                     size_t why_size)
{
    *memory = dnnlc_alloc_aligned(size, align);
    return *memory || dnnlc_fail(why, why_size, "no memory for the %s: %zu bytes", what, size);
}

/* The context's own words for a failure, with the layer where there is one. */
static bool fail_context(const struct dnnlc_session *session, const char *doing, int status,
                         char *why, size_t why_size)
{
    const char *layer = session->model->error_layer(session->context);
    const char *error = session->model->error(session->context);
    if (!error || !*error)
        return dnnlc_fail(why, why_size, "%s failed with status %d", doing, status);
    if (!layer || !*layer)
        return dnnlc_fail(why, why_size, "%s failed: %s", doing, error);
    return dnnlc_fail(why, why_size, "%s failed in layer '%s': %s", doing, layer, error);
}

static int init(struct dnnlc_session *session, int threads)
{
    const struct dnnlc_model *model = session->model;
    memset(session->context, 0, model->context_size);
    return model->init(session->context, session->workspace, model->workspace_size,
                       session->weights.data, session->weights.size, session->fallback,
                       session->fallback_size, threads, model->variant);
}

/* On the CPU that the model was compiled for init needs no fallback buffer, and asking for its size takes as long as
 * half an init: so it is asked for only when init fails without. */
bool dnnlc_session_start(struct dnnlc_session *session, int threads, char *why, size_t why_size)
{
    const struct dnnlc_model *model = session->model;
    if (model->threads > 0 && threads > model->threads)
        return dnnlc_fail(why, why_size, "%d threads, the model was compiled for at most %d",
                          threads, model->threads);
    if (!map_weights(session, why, why_size) ||
        !allocate(&session->workspace, model->workspace_size, model->workspace_align, "workspace",
                  why, why_size) ||
        !allocate(&session->context, model->context_size, DNNLC_ALIGN, "context", why, why_size))
        return false;
    for (size_t i = 0; i < model->n_inputs; i++)
        session->in[i] = session->inputs[i].data;
    int status = init(session, threads);
    session->fallback_size = status != 0 && model->fallback_size ? model->fallback_size() : 0;
    if (session->fallback_size > 0) {
        if (!allocate(&session->fallback, session->fallback_size, DNNLC_ALIGN, "reordered weights",
                      why, why_size))
            return false;
        status = init(session, threads);
    }
    session->started = status == 0;
    if (session->started)
        dnnlc_session_set_states(session);
    return session->started || fail_context(session, "init", status, why, why_size);
}

void dnnlc_session_set_states(struct dnnlc_session *session)
{
    const struct dnnlc_model *model = session->model;
    if (model->n_states > 0)
        model->reset(session->context);
    for (size_t k = 0; k < model->n_states; k++) {
        const size_t i = model->states[k].input;
        if (i >= model->n_inputs) { /* how many rows other states have */
            const int64_t rows = session->rows[i - model->n_inputs];
            memcpy(model->state(session->context, (unsigned)k), rows < 0 ? &(int64_t){0} : &rows,
                   sizeof rows);
        } else if (session->inputs[i].data)
            memcpy(model->state(session->context, (unsigned)k), session->inputs[i].data,
                   session->inputs[i].bytes);
    }
}

const struct dnnlc_bound *dnnlc_bound_of(const struct dnnlc_model *model, size_t i, int axis)
{
    for (size_t k = 0; k < model->n_bounds; k++)
        if (model->bounds[k].input == i && model->bounds[k].axis == axis)
            return &model->bounds[k];
    return NULL;
}

bool dnnlc_session_run(struct dnnlc_session *session, char *why, size_t why_size)
{
    for (size_t k = 0; k < session->model->n_bounds; k++) {
        const struct dnnlc_bound *bound = &session->model->bounds[k];
        int64_t *rows = &session->rows[bound->dimension];
        if (dnnlc_state_of(session->model, session->model->n_inputs + bound->dimension))
            continue; /* the context counts them */
        if (*rows < 0)
            *rows = bound->most;
        session->in[session->model->n_inputs + bound->dimension] = rows;
    }
    int status = session->model->run(session->context, session->in, session->out);
    session->ran = status == 0;
    session->trimmed = false;
    return session->ran || fail_context(session, "run", status, why, why_size);
}

bool dnnlc_session_selftest(struct dnnlc_session *session, char *why, size_t why_size)
{
    const struct dnnlc_model *model = session->model;
    size_t output = 0;
    void *memory = NULL;
    if (!model->selftest)
        return dnnlc_fail(why, why_size, "--selftest: the model was compiled without it");
    if (!allocate(&memory, model->selftest_size, DNNLC_ALIGN, "self-test", why, why_size))
        return false;
    const int status = model->selftest(session->context, memory, model->selftest_size, &output);
    free(memory);
    if (status == DNNLC_MISMATCH)
        return dnnlc_fail(why, why_size,
                          "--selftest: output '%s' is not what the model gave when it was compiled",
                          model->outputs[output].name);
    if (status == 0)
        printf("selftest: %s%sall outputs agree with the reference (%zu)\n",
               model->n_variants > 1 ? model->called : "", model->n_variants > 1 ? ": " : "",
               model->n_outputs);
    return status == 0 || fail_context(session, "selftest", status, why, why_size);
}

const struct dnnlc_count *dnnlc_count_of(const struct dnnlc_model *model, size_t k, int axis)
{
    for (size_t i = 0; i < model->n_counts; i++)
        if (model->counts[i].output == k && model->counts[i].axis == axis)
            return &model->counts[i];
    return NULL;
}

/* Keeps the first `rows` of `capacity` along the axis. */
static void cut(struct dnnlc_array *array, int axis, int64_t capacity, int64_t rows)
{
    size_t outer = 1, row = dnnlc_dtype_of(array->dtype)->size;
    for (int d = 0; d < axis; d++)
        outer *= (size_t)array->dims[d];
    for (int d = axis + 1; d < array->rank; d++)
        row *= (size_t)array->dims[d];
    const size_t before = row * (size_t)capacity, after = row * (size_t)rows;
    for (size_t o = 1; after > 0 && o < outer; o++)
        memmove((char *)array->data + o * after, (const char *)array->data + o * before, after);
    array->dims[axis] = rows;
    array->bytes = outer * after;
    array->count = array->bytes / dnnlc_dtype_of(array->dtype)->size;
}

bool dnnlc_session_trim(struct dnnlc_session *session, char *why, size_t why_size)
{
    const struct dnnlc_model *model = session->model;
    for (size_t o = 0; !session->trimmed && o < model->n_outputs; o++) /* of the run before */
        memcpy(session->outputs[o].dims, model->outputs[o].dims, sizeof session->outputs[o].dims);
    for (size_t k = 0; !session->trimmed && k < model->n_states; k++) {
        const size_t o = model->states[k].output;
        memcpy(session->outputs[o].data, model->state(session->context, (unsigned)k),
               model->outputs[o].bytes);
    }
    for (size_t k = 0; !session->trimmed && k < model->n_states; k++) {
        const size_t o = model->states[k].output;
        const struct dnnlc_bound *bound = NULL;
        for (int d = 0; d < model->outputs[o].rank && !bound; d++)
            bound = dnnlc_bound_of(model, model->states[k].input, d);
        if (!bound || dnnlc_count_of(model, o, bound->axis))
            continue;
        int64_t rows;
        memcpy(&rows,
               session->outputs[dnnlc_state_of(model, model->n_inputs + bound->dimension)->output]
                   .data,
               sizeof rows);
        cut(&session->outputs[o], bound->axis, model->outputs[o].dims[bound->axis], rows);
    }
    for (size_t i = 0; !session->trimmed && i < model->n_counts; i++) {
        const struct dnnlc_count *count = &model->counts[i];
        struct dnnlc_array *output = &session->outputs[count->output];
        const int64_t capacity = model->outputs[count->output].dims[count->axis];
        int64_t rows;
        memcpy(&rows, session->outputs[count->count].data, sizeof rows);
        if (rows < 0 || rows > capacity)
            return dnnlc_fail(why, why_size, "output '%s' has capacity for %lld rows, not %lld",
                              model->outputs[count->output].name, (long long)capacity,
                              (long long)rows);
        cut(output, count->axis, capacity, rows);
    }
    session->trimmed = true;
    return true;
}

bool dnnlc_folder_make(const char *dir, char *why, size_t why_size)
{
    struct stat status;
    if (mkdir(dir, 0777) == 0)
        return true;
    if (errno == EEXIST && stat(dir, &status) == 0 && S_ISDIR(status.st_mode))
        return true;
    return dnnlc_fail(why, why_size, "%s: %s", dir,
                      errno == EEXIST ? "not a folder" : strerror(errno));
}

bool dnnlc_outputs_write(struct dnnlc_session *session, const char *dir, char *why, size_t why_size)
{
    size_t size = strlen(dir) + 40;
    char *path = malloc(size);
    bool done = path || dnnlc_fail(why, why_size, "%s: no memory for a path", dir);
    done = done && dnnlc_session_trim(session, why, why_size);
    for (size_t k = 0; done && k < dnnlc_model_outputs(session->model); k++) {
        snprintf(path, size, "%s/output_%zu.npy", dir, k);
        done = dnnlc_array_write(path, &session->outputs[k], why, why_size);
    }
    free(path);
    return done;
}

bool dnnlc_outputs_write_named(struct dnnlc_session *session, const char *const *files, char *why,
                               size_t why_size)
{
    bool done = dnnlc_session_trim(session, why, why_size);
    for (size_t k = 0; done && k < dnnlc_model_outputs(session->model); k++)
        done = !files[k] || dnnlc_array_write(files[k], &session->outputs[k], why, why_size);
    return done;
}

void dnnlc_session_close(struct dnnlc_session *session)
{
    if (session->started)
        session->model->fini(session->context);
    for (size_t i = 0; session->inputs && i < session->model->n_inputs; i++)
        dnnlc_array_free(&session->inputs[i]);
    for (size_t i = 0; session->outputs && i < session->model->n_outputs; i++)
        dnnlc_array_free(&session->outputs[i]);
    if (session->weights.data)
        munmap(session->weights.data, session->weights.size);
    free(session->inputs);
    free(session->outputs);
    free(session->in);
    free(session->rows);
    free(session->out);
    free(session->workspace);
    free(session->context);
    free(session->fallback);
    *session = (struct dnnlc_session){0};
}

bool dnnlc_session_open_beside(struct dnnlc_session *session, const struct dnnlc_session *first,
                               int threads, char *why, size_t why_size)
{
    const struct dnnlc_model *model = first->model;
    if (!dnnlc_session_open(session, model, why, why_size))
        return false;
    for (size_t i = 0; i < model->n_inputs; i++)
        session->inputs[i].data = first->inputs[i].data;
    memcpy(session->rows, first->rows, model->n_dimensions * sizeof *first->rows);
    session->weights = first->weights;
    return dnnlc_session_start(session, threads, why, why_size);
}

void dnnlc_session_close_beside(struct dnnlc_session *session, const struct dnnlc_session *first)
{
    for (size_t i = 0; session->inputs && i < first->model->n_inputs; i++)
        if (session->inputs[i].data == first->inputs[i].data)
            session->inputs[i].data = NULL;
    session->weights = (struct dnnlc_bytes){0};
    dnnlc_session_close(session);
}
