/* One context of the model with the memory it needs: what a program that embeds the library would
 * allocate itself.
 *
 * open -> fill session.inputs -> start -> run... -> close. Close also what was not opened fully.
 */
#ifndef DNNLC_RUNTIME_SESSION_H
#define DNNLC_RUNTIME_SESSION_H

#include "dnnlc_file.h"
#include "dnnlc_main.h"

struct dnnlc_session {
    const struct dnnlc_model *model;
    struct dnnlc_array *inputs;  /* as in the model; their data is the caller's to provide */
    struct dnnlc_array *outputs; /* as in the model, allocated */
    const void **in;             /* the data of both, as run() takes them */
    void **out;
    int64_t *rows; /* of each bounded dimension; -1: as many as there can be */
    void *context, *workspace, *fallback;
    struct dnnlc_bytes weights; /* mapped; data is NULL when they are embedded */
    size_t fallback_size;
    bool started, ran; /* ran: outputs hold the results of a run */
    bool trimmed;      /* … and are cut to the rows that count */
};

/* Describes inputs and outputs and allocates the outputs. */
bool dnnlc_session_open(struct dnnlc_session *session, const struct dnnlc_model *model, char *why,
                        size_t why_size);
/* Allocates workspace, context and fallback, maps the weights file and calls the model's init. */
bool dnnlc_session_start(struct dnnlc_session *session, int threads, char *why, size_t why_size);
/* Another context of the same model, started: it reads the inputs that the first one has, and its weights. To be closed by the function
 * below, before the first one is. */
bool dnnlc_session_open_beside(struct dnnlc_session *session, const struct dnnlc_session *first,
                               int threads, char *why, size_t why_size);
void dnnlc_session_close_beside(struct dnnlc_session *session, const struct dnnlc_session *first);
/* The first bound of input i along an axis; NULL: there is none. */
const struct dnnlc_bound *dnnlc_bound_of(const struct dnnlc_model *model, size_t i, int axis);
/* Runs the model once, from session.inputs to session.outputs. */
bool dnnlc_session_run(struct dnnlc_session *session, char *why, size_t why_size);
/* Runs the model's self-test and prints that it has passed. */
bool dnnlc_session_selftest(struct dnnlc_session *session, char *why, size_t why_size);
/* Of a session that is started: states become what session.inputs holds for them, or 0 where that has no data. */
void dnnlc_session_set_states(struct dnnlc_session *session);
/* After a run: outputs that are states are what the context keeps now, and outputs whose number of rows depends on data keep the rows that count. */
bool dnnlc_session_trim(struct dnnlc_session *session, char *why, size_t why_size);
/* Makes a folder unless it is there. */
bool dnnlc_folder_make(const char *dir, char *why, size_t why_size);
/* After a run: writes output_0.npy, ... into the folder. */
bool dnnlc_outputs_write(struct dnnlc_session *session, const char *dir, char *why,
                         size_t why_size);
/* After a run: writes output k into files[k], where that is not NULL. */
bool dnnlc_outputs_write_named(struct dnnlc_session *session, const char *const *files, char *why,
                               size_t why_size);
/* The count of the rows of output k along an axis; NULL: all count. */
const struct dnnlc_count *dnnlc_count_of(const struct dnnlc_model *model, size_t k, int axis);
/* Calls the model's fini if it was started, and frees everything, the inputs' data included. */
void dnnlc_session_close(struct dnnlc_session *session);

/* Milliseconds of a clock that only goes forward. */
double dnnlc_now_ms(void);

#endif
