#define _POSIX_C_SOURCE 200809L
#include "dnnlc_dump.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

struct dump {
    struct dnnlc_session *session;
    const struct dnnlc_debug *debug;
    const char *dir;
    enum { NOT_RUN, PENDING, WRITTEN } * state; /* by row of the table */
    char *path;                                 /* of the file that is being written */
    size_t path_size;
    char *why;
    size_t why_size;
    bool failed, ended; /* ended: the run is over */
};

/* The state that an output is; model->n_states: none. */
static size_t state_of_output(const struct dnnlc_model *model, size_t output)
{
    size_t k = 0;
    while (k < model->n_states && model->states[k].output != output)
        k++;
    return k;
}

/* Where a row's section begins; NULL: during a run nobody can say, but behind it. */
static const unsigned char *begin_of(const struct dump *d, const struct dnnlc_made *row)
{
    const struct dnnlc_session *s = d->session;
    const struct dnnlc_model *model = s->model;
    if (row->section == DNNLC_IN_WORKSPACE)
        return s->workspace;
    const struct dnnlc_state *in =
        row->section == DNNLC_IN_INPUT ? dnnlc_state_of(model, row->port) : NULL;
    const size_t state = row->section == DNNLC_IN_OUTPUT ? state_of_output(model, row->port)
                         : in                            ? (size_t)(in - model->states)
                                                         : model->n_states;
    if (state < model->n_states)
        return d->ended ? model->state(s->context, (unsigned)state) : NULL;
    return row->section == DNNLC_IN_INPUT ? s->in[row->port] : s->out[row->port];
}

/* In the order of the elements, whatever theirs in memory is. */
static void gather(const struct dnnlc_made *row, const unsigned char *from,
                   struct dnnlc_array *array)
{
    const size_t size = dnnlc_dtype_of(row->dtype)->size;
    int64_t at[DNNLC_MAX_RANK] = {0};
    unsigned char *to = array->data;
    for (size_t i = 0; i < array->count; i++, to += size) {
        int64_t offset = 0;
        for (int k = 0; k < row->rank; k++)
            offset += k == row->block_dim && row->block > 1
                          ? at[k] / row->block * row->strides[k] + at[k] % row->block
                          : at[k] * row->strides[k];
        memcpy(to, from + (size_t)offset * size, size);
        for (int k = row->rank - 1; k >= 0 && ++at[k] == row->dims[k]; k--)
            at[k] = 0;
    }
}

static bool write_row(struct dump *d, size_t i, const unsigned char *begin)
{
    const struct dnnlc_made *row = &d->debug->made[i];
    struct dnnlc_array array = {0};
    if (!dnnlc_array_describe(&array, row->dtype, row->rank, row->dims, d->why, d->why_size) ||
        !dnnlc_array_alloc(&array, d->why, d->why_size))
        return false;
    gather(row, begin + row->offset, &array);
    snprintf(d->path, d->path_size, "%s/%s", d->dir, row->file);
    const bool done = dnnlc_array_write(d->path, &array, d->why, d->why_size);
    dnnlc_array_free(&array);
    d->state[i] = WRITTEN;
    return done;
}

/* Rows of `layer`. A failure is said when the run is over. */
static void write_layer(void *user, unsigned layer)
{
    struct dump *d = user;
    for (size_t i = 0; i < d->debug->n_made && !d->failed; i++) {
        if (d->debug->made[i].layer != layer)
            continue;
        const unsigned char *begin = begin_of(d, &d->debug->made[i]);
        if (begin)
            d->failed = !write_row(d, i, begin);
        else
            d->state[i] = PENDING;
    }
}

/* States, which the context has exchanged by now. */
static bool write_states(struct dump *d)
{
    d->ended = true;
    for (size_t i = 0; i < d->debug->n_made; i++)
        if (d->state[i] == PENDING && !write_row(d, i, begin_of(d, &d->debug->made[i])))
            return false;
    return true;
}

/* What the run has read: the model's inputs, of which states are 0 unless they were given, and behind them the rows of bounded dimensions. */
static bool write_input(struct dump *d, size_t k)
{
    const struct dnnlc_session *s = d->session;
    const size_t n = s->model->n_inputs;
    struct dnnlc_array zeros = {0};
    const struct dnnlc_array *input = k < n ? &s->inputs[k] : NULL;
    bool done = true;
    if (!input || !input->data) {
        done =
            dnnlc_array_describe(&zeros, input ? input->dtype : DNNLC_I64, input ? input->rank : 0,
                                 input ? input->dims : NULL, d->why, d->why_size) &&
            dnnlc_array_alloc(&zeros, d->why, d->why_size);
        if (done)
            memset(zeros.data, 0, zeros.bytes);
        if (done && !input && s->rows[k - n] > 0)
            memcpy(zeros.data, &s->rows[k - n], zeros.bytes);
        input = &zeros;
    }
    snprintf(d->path, d->path_size, "%s/input_%zu.npy", d->dir, k);
    done = done && dnnlc_array_write(d->path, input, d->why, d->why_size);
    dnnlc_array_free(&zeros);
    return done;
}

static bool write_inputs(struct dump *d)
{
    const struct dnnlc_model *model = d->session->model;
    for (size_t k = 0; k < model->n_inputs + model->n_dimensions; k++)
        if (!write_input(d, k))
            return false;
    return true;
}

static bool write_index(const struct dump *d)
{
    const char *separator = "";
    snprintf(d->path, d->path_size, "%s/index.json", d->dir);
    FILE *file = fopen(d->path, "w");
    if (!file)
        return dnnlc_fail(d->why, d->why_size, "%s: %s", d->path, strerror(errno));
    fprintf(file, "%s, \"layers\": [", d->debug->head);
    for (size_t i = 0; i < d->debug->n_made; i++)
        if (d->state[i] == WRITTEN) {
            fprintf(file, "%s\n %s", separator, d->debug->made[i].line);
            separator = ",";
        }
    fputs("\n]}\n", file);
    const bool written = !ferror(file);
    return (fclose(file) == 0 && written) ||
           dnnlc_fail(d->why, d->why_size, "%s: %s", d->path, strerror(errno));
}

static bool write_all(struct dump *d)
{
    const struct dnnlc_session *s = d->session;
    s->model->set_trace(s->context, write_layer, d);
    const bool ran = dnnlc_session_run(d->session, d->why, d->why_size);
    s->model->set_trace(s->context, NULL, NULL);
    return ran && !d->failed && write_states(d) && write_inputs(d) &&
           dnnlc_outputs_write(d->session, d->dir, d->why, d->why_size) && write_index(d);
}

/* A new one: files of another model, or of a run before, would stand among its own. */
static bool make_folder(const char *dir, char *why, size_t why_size)
{
    if (mkdir(dir, 0777) == 0)
        return true;
    return dnnlc_fail(why, why_size, "%s: %s", dir,
                      errno == EEXIST ? "exists already; --dump-layers makes a new folder"
                                      : strerror(errno));
}

int dnnlc_dump_layers(struct dnnlc_session *session, const struct dnnlc_debug *debug,
                      const char *dir, char *why, size_t why_size)
{
    struct dump d = {.session = session,
                     .debug = debug,
                     .dir = dir,
                     .path_size = strlen(dir) + 40,
                     .why = why,
                     .why_size = why_size};
    for (size_t i = 0; i < debug->n_made; i++)
        if (strlen(dir) + strlen(debug->made[i].file) + 2 > d.path_size)
            d.path_size = strlen(dir) + strlen(debug->made[i].file) + 2;
    d.state = calloc(debug->n_made + 1, sizeof *d.state);
    d.path = malloc(d.path_size);
    bool done = d.state && d.path;
    if (!done)
        dnnlc_fail(why, why_size, "no memory for a table of %zu values", debug->n_made);
    done = done && make_folder(dir, why, why_size) && write_all(&d);
    free(d.state);
    free(d.path);
    return done;
}
