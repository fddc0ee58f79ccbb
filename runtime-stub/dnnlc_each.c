#ifndef _GNU_SOURCE
#define _GNU_SOURCE /* strverscmp */
#endif
#include "dnnlc_each.h"

#include "dnnlc_inputs.h"
#include "dnnlc_report.h"

#include <glob.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

/* Numbers in names count as such: 9 comes before 10. */
static int compare_names(const void *a, const void *b)
{
    return strverscmp(*(char *const *)a, *(char *const *)b);
}

/* The inputs that each run takes from the folder or file: those that neither are states nor were given. */
static size_t count_open(const struct dnnlc_session *session, const struct dnnlc_options *options,
                         size_t *first)
{
    size_t n = 0;
    for (size_t i = session->model->n_inputs; i-- > 0;)
        if (!options->input_files[i] && !dnnlc_state_of(session->model, i)) {
            *first = i;
            n++;
        }
    return n;
}

static bool take_folder(struct dnnlc_session *session, const struct dnnlc_options *options,
                        const char *dir, char *why, size_t why_size)
{
    struct dnnlc_arrays list = {0};
    size_t files, next = 0, first = 0;
    const size_t n = count_open(session, options, &first);
    bool done = dnnlc_folder_read(dir, "input", &list, &files, why, why_size);
    if (done && list.count != n)
        done = dnnlc_fail(why, why_size, "%s: %zu input%s, a run takes %zu", dir, list.count,
                          list.count == 1 ? "" : "s", n);
    for (size_t i = 0; done && i < session->model->n_inputs; i++)
        if (!options->input_files[i] && !dnnlc_state_of(session->model, i))
            done = dnnlc_input_set(session, i, &list.arrays[next++], dir, why, why_size);
    dnnlc_arrays_free(&list, 0);
    return done;
}

static bool take_file(struct dnnlc_session *session, const struct dnnlc_options *options,
                      const char *path, char *why, size_t why_size)
{
    struct dnnlc_array read = {0};
    size_t first = 0;
    const size_t n = count_open(session, options, &first);
    if (n != 1)
        return dnnlc_fail(why, why_size,
                          "%s: a file is one input, and a run takes %zu: folders with input_0.npy, "
                          "... give as many",
                          path, n);
    return dnnlc_input_read(session->model, first, path, &read, why, why_size) &&
           dnnlc_input_set(session, first, &read, path, why, why_size);
}

static bool run_one(struct dnnlc_session *session, const struct dnnlc_options *options,
                    const char *path, char *why, size_t why_size)
{
    struct stat status;
    const bool folder = stat(path, &status) == 0 && S_ISDIR(status.st_mode);
    for (size_t d = 0; d < session->model->n_dimensions; d++)
        if (!options->input_files[session->model->n_inputs + d] &&
            !dnnlc_state_of(session->model, session->model->n_inputs + d))
            session->rows[d] = -1;
    if (!(folder ? take_folder : take_file)(session, options, path, why, why_size))
        return false;
    if (dnnlc_given(options, DNNLC_RESET))
        dnnlc_session_set_states(session);
    return dnnlc_session_run(session, why, why_size) && dnnlc_session_trim(session, why, why_size);
}

static void print_one(const struct dnnlc_session *session, const char *path)
{
    dnnlc_print(path);
    puts(":");
    for (size_t k = 0; k < dnnlc_model_outputs(session->model); k++)
        dnnlc_print_summary(&session->model->outputs[k], &session->outputs[k]);
}

/* DIR/0, DIR/1, ...: the names of the inputs may be alike, or lead elsewhere. */
static bool write_one(struct dnnlc_session *session, const char *dir, size_t k, char *why,
                      size_t why_size)
{
    const size_t size = strlen(dir) + 32;
    char *path = malloc(size);
    if (!path)
        return dnnlc_fail(why, why_size, "%s: no memory for a path", dir);
    snprintf(path, size, "%s/%zu", dir, k);
    const bool done =
        dnnlc_folder_make(path, why, why_size) && dnnlc_outputs_write(session, path, why, why_size);
    free(path);
    return done;
}

bool dnnlc_each(struct dnnlc_session *session, const struct dnnlc_options *options, char *why,
                size_t why_size)
{
    glob_t found = {0};
    const char *dir = options->output_dir;
    if (glob(options->each, GLOB_NOSORT, NULL, &found) != 0)
        return dnnlc_fail(why, why_size, "--each %s: there is no such file", options->each);
    qsort(found.gl_pathv, found.gl_pathc, sizeof *found.gl_pathv, compare_names);
    bool done = dnnlc_session_start(session, options->threads, why, why_size);
    for (size_t k = 0; done && k < found.gl_pathc; k++) {
        done = run_one(session, options, found.gl_pathv[k], why, why_size);
        if (done && dir)
            done = write_one(session, dir, k, why, why_size);
        else if (done)
            print_one(session, found.gl_pathv[k]);
    }
    globfree(&found);
    return done;
}
