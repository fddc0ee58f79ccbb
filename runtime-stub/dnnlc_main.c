#define _POSIX_C_SOURCE 200809L
#include "dnnlc_main.h"

#include "dnnlc_batch.h"
#include "dnnlc_bench.h"
#include "dnnlc_check.h"
#include "dnnlc_each.h"
#include "dnnlc_inputs.h"
#include "dnnlc_profile.h"
#include "dnnlc_report.h"
#include "dnnlc_stream.h"
#include "dnnlc_threads.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

enum { EXIT_DONE = 0, EXIT_FAILED = 1, EXIT_USAGE = 2, WHY_SIZE = 5120 };

static bool dump_layers(struct dnnlc_session *session, const char *dir, char *why, size_t why_size)
{
    if (!session->model->dump_layers)
        return dnnlc_fail(why, why_size, "--dump-layers: the model was compiled without --debug");
    return session->model->dump_layers(session, dir, why, why_size);
}

static bool run_once(struct dnnlc_session *session, const struct dnnlc_options *options, char *why,
                     size_t why_size)
{
    if (!dnnlc_session_start(session, options->threads, why, why_size) ||
        !(options->dump_dir ? dump_layers(session, options->dump_dir, why, why_size)
                            : dnnlc_session_run(session, why, why_size)) ||
        !dnnlc_session_trim(session, why, why_size))
        return false;
    if (dnnlc_given(options, DNNLC_OUTPUT))
        return dnnlc_outputs_write_named(session, options->output_files, why, why_size);
    if (!options->output_dir)
        for (size_t k = 0; k < dnnlc_model_outputs(session->model); k++)
            dnnlc_print_summary(&session->model->outputs[k], &session->outputs[k]);
    return true;
}

/* The chosen variant of an open session; all of them, one after the other, where none was named. */
static bool test_variants(struct dnnlc_session *session, const struct dnnlc_model *model,
                          const struct dnnlc_options *options, char *why, size_t why_size)
{
    for (unsigned k = 0;; k++) {
        if (!dnnlc_session_start(session, options->threads, why, why_size) ||
            !dnnlc_session_selftest(session, why, why_size))
            return false;
        if (options->variant || k + 1 == model->n_variants)
            return true;
        dnnlc_session_close(session);
        if (!dnnlc_session_open(session, &model[k + 1], why, why_size))
            return false;
    }
}

/* What a session allocates. oneDNN's objects of a layer take 30 to 70 KB. */
static size_t expected_heap(const struct dnnlc_model *model)
{
    const size_t layer = 32 << 10;
    size_t bytes = dnnlc_heap_part(model->workspace_size) + dnnlc_heap_part(model->context_size);
    for (size_t i = 0; i < model->n_inputs; i++)
        bytes += dnnlc_heap_part(model->inputs[i].bytes);
    for (size_t i = 0; i < model->n_outputs; i++)
        bytes += dnnlc_heap_part(model->outputs[i].bytes);
    return bytes + (model->onednn_version && *model->onednn_version ? layer * model->n_layers : 0);
}

/* What is left to do after --help and --info: everything that runs the model. */
static bool run_model(struct dnnlc_session *session, const struct dnnlc_options *options, char *why,
                      size_t why_size)
{
    const char *dir = options->output_dir;
    if (dnnlc_given(options, DNNLC_BATCH_FILE))
        return dnnlc_batch(session->model, options, why, why_size);
    const struct dnnlc_model *model = dnnlc_choose_variant(session->model, options, why, why_size);
    if (model)
        dnnlc_heap_expect(expected_heap(model));
    if (!model || !dnnlc_session_open(session, model, why, why_size) ||
        (dir && !dnnlc_folder_make(dir, why, why_size)))
        return false;
    if (options->instances < 2)
        dnnlc_threads_spread(options->threads ? options->threads : model->threads);
    bool done;
    if (dnnlc_given(options, DNNLC_SELFTEST))
        done = test_variants(session, model, options, why, why_size);
    else if (dnnlc_given(options, DNNLC_CHECK))
        done = dnnlc_check(session, options, why, why_size);
    else if (!dnnlc_inputs_load(session, options, why, why_size))
        return false;
    else if (options->each)
        done = dnnlc_each(session, options, why, why_size);
    else if (dnnlc_given(options, DNNLC_BENCH))
        done = dnnlc_bench(session, options, why, why_size);
    else if (dnnlc_given(options, DNNLC_PROFILE))
        done = dnnlc_profile(session, options, why, why_size);
    else
        done = run_once(session, options, why, why_size);
    /* Also where --check disagrees: that is when people want to look at them. */
    if (dir && session->ran && !options->each)
        done = dnnlc_outputs_write(session, dir, why, done ? why_size : 0) && done;
    return done;
}

/* Whatever was printed has to have arrived: a full disk is a failure. */
static bool flush_output(char *why, size_t why_size)
{
    return (fflush(stdout) == 0 && !ferror(stdout)) ||
           dnnlc_fail(why, why_size, "cannot write to standard output: %s", strerror(errno));
}

/* The process ends as it is: the system takes back its memory at once, oneDNN's objects one by one take a fifteenth of the start of a small
 * model. What looks for memory that is lost sees all given back. */
static int end_process(struct dnnlc_session *session, struct dnnlc_options *options, int status)
{
#if !defined(__SANITIZE_ADDRESS__) && !defined(__SANITIZE_THREAD__)
    quick_exit(status);
#endif
    dnnlc_session_close(session);
    dnnlc_options_free(options);
    return status;
}

int dnnlc_main(int argc, char **argv, const struct dnnlc_model *model)
{
    char why[WHY_SIZE];
    struct dnnlc_options options;
    struct dnnlc_session session = {.model = model};
    int status = EXIT_DONE;
    if (!dnnlc_options_parse(&options, argc, argv, model, why, sizeof why)) {
        fprintf(stderr, "%s: %s (see --help)\n", model->name, why);
        dnnlc_options_free(&options);
        return EXIT_USAGE;
    }
    bool done = true;
    if (dnnlc_given(&options, DNNLC_HELP))
        dnnlc_options_help(model, stdout);
    else if (dnnlc_given(&options, DNNLC_INFO))
        dnnlc_print_info(model);
    else
        done = run_model(&session, &options, why, sizeof why);
    done = flush_output(why, done ? sizeof why : 0) && done; /* the first failure is kept */
    if (!done) {
        fprintf(stderr, "%s: %s\n", model->name, why);
        status = EXIT_FAILED;
    }
    return end_process(&session, &options, status);
}
