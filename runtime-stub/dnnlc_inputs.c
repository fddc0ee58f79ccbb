#define _POSIX_C_SOURCE 200809L
#include "dnnlc_inputs.h"

#include "dnnlc_stream.h"
#include "dnnlc_values.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

bool dnnlc_fits(struct dnnlc_array *array, const struct dnnlc_tensor *tensor, const char *kind,
                const char *source, char *why, size_t why_size)
{
    char is[DNNLC_SHAPE_TEXT], wants[DNNLC_SHAPE_TEXT];
    if (array->dtype == DNNLC_U16 && tensor->dtype == DNNLC_BF16)
        array->dtype = DNNLC_BF16;
    if (array->text && array->rank == tensor->rank && tensor->dtype == DNNLC_U8 &&
        !dnnlc_array_widen(array, tensor->dims[array->rank - 1], why, why_size))
        return false;
    if (array->dtype == tensor->dtype && dnnlc_same_shape(tensor->rank, tensor->dims, array))
        return true;
    dnnlc_shape_text(is, array->dtype, array->rank, array->dims);
    dnnlc_shape_text(wants, tensor->dtype, tensor->rank, tensor->dims);
    return dnnlc_fail(why, why_size, "%s '%s': %s is %s, the model %s %s", kind, tensor->name,
                      source, is, strcmp(kind, "input") ? "gives" : "wants", wants);
}

/* Input i has n rows along an axis with bounds: one dimension that is not known yet follows from them. */
static bool learn_rows(struct dnnlc_session *session, size_t i, int axis, int64_t n,
                       const char *source, char *why, size_t why_size)
{
    const struct dnnlc_model *model = session->model;
    const struct dnnlc_tensor *tensor = &model->inputs[i];
    const struct dnnlc_bound *open = NULL;
    int64_t rows = tensor->dims[axis]; /* of what is known */
    size_t n_open = 0;
    for (const struct dnnlc_bound *b = model->bounds; b < model->bounds + model->n_bounds; b++) {
        const int64_t known = session->rows[b->dimension];
        if (b->input != i || b->axis != axis)
            continue;
        if (dnnlc_state_of(model, i))
            rows = b->most; /* there is place for the rows of the next run, too */
        else if (dnnlc_state_of(model, model->n_inputs + b->dimension))
            return true; /* the context knows */
        rows -= known < 0 ? b->most : b->most - known;
        open = known < 0 ? b : open;
        n_open += known < 0;
    }
    if (n_open == 0 ? n == rows || n == tensor->dims[axis] : n_open == 1 && n >= rows) {
        if (n_open == 1)
            session->rows[open->dimension] = n - rows;
        return true;
    }
    if (n_open < 2)
        return dnnlc_fail(why, why_size, "input '%s': %s has %lld rows, not %lld%s", tensor->name,
                          source, (long long)n, (long long)rows, n_open ? " or more" : "");
    return dnnlc_fail(why, why_size,
                      "input '%s': %s has %lld rows, which several dimensions are together; give "
                      "one as --input %s=N",
                      tensor->name, source, (long long)n,
                      model->inputs[model->n_inputs + open->dimension].name);
}

/* There are `most` along the axis: what no run may read is NaN, or all bits; of a state 0, as after a reset. */
static bool widen(struct dnnlc_array *read, int axis, int64_t most, int fill, char *why,
                  size_t why_size)
{
    struct dnnlc_array all = {0};
    int64_t dims[DNNLC_MAX_RANK];
    memcpy(dims, read->dims, (size_t)read->rank * sizeof *dims);
    dims[axis] = most;
    if (!dnnlc_array_describe(&all, read->dtype, read->rank, dims, why, why_size) ||
        !dnnlc_array_alloc(&all, why, why_size))
        return false;
    memset(all.data, fill, all.bytes);
    size_t outer = 1;
    for (int d = 0; d < axis; d++)
        outer *= (size_t)dims[d];
    for (size_t o = 0; read->bytes > 0 && o < outer; o++)
        memcpy((char *)all.data + o * (all.bytes / outer),
               (const char *)read->data + o * (read->bytes / outer), read->bytes / outer);
    dnnlc_array_free(read);
    *read = all;
    return true;
}

/* An input with fewer rows than there can be gets a place for all of them. */
static bool spread(struct dnnlc_session *session, size_t i, struct dnnlc_array *read,
                   const char *source, char *why, size_t why_size)
{
    const struct dnnlc_tensor *tensor = &session->model->inputs[i];
    const int fill = dnnlc_state_of(session->model, i) ? 0 : 0xff;
    for (int d = 0; d < tensor->rank && read->rank == tensor->rank; d++) {
        if (!dnnlc_bound_of(session->model, i, d) || read->dims[d] > tensor->dims[d])
            continue;
        if (!learn_rows(session, i, d, read->dims[d], source, why, why_size) ||
            (read->dims[d] < tensor->dims[d] &&
             !widen(read, d, tensor->dims[d], fill, why, why_size)))
            return false;
    }
    return true;
}

bool dnnlc_input_set(struct dnnlc_session *session, size_t i, struct dnnlc_array *read,
                     const char *source, char *why, size_t why_size)
{
    if (!spread(session, i, read, source, why, why_size) ||
        !dnnlc_fits(read, &session->model->inputs[i], "input", source, why, why_size)) {
        dnnlc_array_free(read);
        return false;
    }
    dnnlc_array_free(&session->inputs[i]);
    session->inputs[i] = *read;
    session->in[i] = read->data;
    *read = (struct dnnlc_array){0};
    return true;
}

bool dnnlc_input_read(const struct dnnlc_model *model, size_t i, const char *file,
                      struct dnnlc_array *read, char *why, size_t why_size)
{
    char reason[1024];
    return dnnlc_array_read(file, read, reason, sizeof reason) ||
           dnnlc_fail(why, why_size, "input '%s': %s", model->inputs[i].name, reason);
}

bool dnnlc_inputs_load(struct dnnlc_session *session, const struct dnnlc_options *options,
                       char *why, size_t why_size)
{
    for (size_t d = 0; d < session->model->n_dimensions; d++) {
        const char *text = options->input_files[session->model->n_inputs + d];
        char *end = NULL;
        if (!text)
            continue;
        session->rows[d] = strtoll(text, &end, 10);
        if (end == text || *end || session->rows[d] < 0)
            return dnnlc_fail(why, why_size, "%s=%s: a number of rows is wanted",
                              session->model->inputs[session->model->n_inputs + d].name, text);
    }
    bool standard = false;
    for (size_t i = 0; i < session->model->n_inputs; i++) {
        const char *file = options->input_files[i];
        struct dnnlc_array read = {0};
        if (options->batch_inputs[i] ||
            (!file && (options->each || dnnlc_state_of(session->model, i))))
            continue; /* it comes with each run, or begins as 0 */
        if (!file) {
            if (!dnnlc_array_alloc(&session->inputs[i], why, why_size))
                return false;
            dnnlc_random_fill(&session->inputs[i], options->seed, i);
            continue;
        }
        const bool is_standard = strcmp(file, "-") == 0;
        standard = standard || is_standard;
        if (!dnnlc_input_read(session->model, i, file, &read, why, why_size) ||
            !dnnlc_input_set(session, i, &read, is_standard ? "standard input" : file, why,
                             why_size))
            return false;
    }
    return !standard || dnnlc_stdin_end(why, why_size);
}

/* Adds the tensors of dir/KIND_K.pb or, failing that, dir/KIND_K.npy. *found is false, and the result true, if there is neither. */
static bool read_file(const char *dir, const char *kind, size_t k, struct dnnlc_arrays *list,
                      bool *found, char *why, size_t why_size)
{
    static const char *const suffixes[] = {"pb", "npy"};
    const size_t size = strlen(dir) + strlen(kind) + 32, first = list->count;
    char *path = malloc(size);
    if (!path)
        return dnnlc_fail(why, why_size, "%s: no memory for a path", dir);
    *found = false;
    for (int i = 0; i < 2 && !*found; i++) {
        snprintf(path, size, "%s/%s_%zu.%s", dir, kind, k, suffixes[i]);
        *found = access(path, F_OK) == 0;
    }
    bool done = !*found || dnnlc_arrays_read(path, list, why, why_size);
    for (size_t i = first; i < list->count; i++)
        list->arrays[i].file = k;
    free(path);
    return done;
}

bool dnnlc_folder_read(const char *dir, const char *kind, struct dnnlc_arrays *list, size_t *files,
                       char *why, size_t why_size)
{
    bool found = true;
    for (*files = 0; found; *files += found)
        if (!read_file(dir, kind, *files, list, &found, why, why_size))
            return false;
    return true;
}

/* An optional's tensor has its name; in the file it cannot be told from that of a sequence of one. */
static size_t find_by_name(const struct dnnlc_arrays *folder, const char *name)
{
    const size_t length = strlen(name);
    for (int as_optional = 0; as_optional < 2; as_optional++)
        for (size_t k = 0; k < folder->count; k++) {
            const char *is = folder->arrays[k].name;
            if (is && !strncmp(is, name, length) && !strcmp(is + length, as_optional ? "_0" : ""))
                return k;
        }
    return folder->count;
}

/* Whether each of the model's inputs is named in the folder; names differ within a model. */
static bool all_named(const struct dnnlc_arrays *folder, const struct dnnlc_model *model)
{
    for (size_t i = 0; i < model->n_inputs; i++)
        if (find_by_name(folder, model->inputs[i].name) == folder->count)
            return false;
    return true;
}

static bool assign_folder(struct dnnlc_session *session, const struct dnnlc_arrays *folder,
                          size_t files, const char *dir, char *why, size_t why_size)
{
    const struct dnnlc_model *model = session->model;
    if (folder->count < model->n_inputs)
        return dnnlc_fail(why, why_size, "%s: neither input_%zu.pb nor .npy, for input '%s'", dir,
                          files, model->inputs[folder->count].name);
    bool by_name = folder->count > model->n_inputs && all_named(folder, model);
    for (size_t i = 0; i < model->n_inputs; i++) {
        size_t k = by_name ? find_by_name(folder, model->inputs[i].name) : i;
        char source[512];
        snprintf(source, sizeof source, "%s/input_%zu", dir, folder->arrays[k].file);
        if (!dnnlc_input_set(session, i, &folder->arrays[k], source, why, why_size))
            return false;
    }
    return true;
}

bool dnnlc_inputs_load_folder(struct dnnlc_session *session, const char *dir, char *why,
                              size_t why_size)
{
    struct dnnlc_arrays folder = {0};
    size_t files;
    struct stat status;
    if (stat(dir, &status) != 0)
        return dnnlc_fail(why, why_size, "%s: %s", dir, strerror(errno));
    if (!S_ISDIR(status.st_mode))
        return dnnlc_fail(why, why_size, "%s: not a folder", dir);
    bool done = dnnlc_folder_read(dir, "input", &folder, &files, why, why_size) &&
                assign_folder(session, &folder, files, dir, why, why_size);
    dnnlc_arrays_free(&folder, 0);
    return done;
}

/* --- which variant ------------------------------------------------------------------------------------------------- */

static bool takes(const struct dnnlc_model *model, const struct dnnlc_array *given)
{
    for (size_t i = 0; i < model->n_inputs; i++) {
        struct dnnlc_tensor t = model->inputs[i];
        for (int d = 0; d < t.rank && given[i].rank == t.rank; d++)
            if (dnnlc_bound_of(model, i, d) && given[i].dims[d] < t.dims[d])
                t.dims[d] = given[i].dims[d];
        if (given[i].data && !dnnlc_same_shape(t.rank, t.dims, &given[i]))
            return false;
    }
    return true;
}

/* "batch=1", "batch=4" */
static const char *list_variants(const struct dnnlc_model *model, char *text, size_t size)
{
    size_t at = 0;
    *text = 0;
    for (size_t k = 0; k < model->n_variants && at < size; k++)
        at += (size_t)snprintf(text + at, size - at, "%s'%s'", k ? ", " : "", model[k].called);
    return text;
}

static const struct dnnlc_model *find_fitting(const struct dnnlc_model *model,
                                              const struct dnnlc_array *given, char *why,
                                              size_t why_size)
{
    char shape[DNNLC_SHAPE_TEXT], text[1024];
    for (size_t k = 0; k < model->n_variants; k++)
        if (takes(&model[k], given))
            return &model[k];
    for (size_t i = 0; i < model->n_inputs; i++)
        if (given[i].data) {
            dnnlc_shape_text(shape, given[i].dtype, given[i].rank, given[i].dims);
            dnnlc_fail(why, why_size,
                       "input '%s' is %s, and of the variants %s none takes all inputs",
                       model->inputs[i].name, shape, list_variants(model, text, sizeof text));
            break;
        }
    return NULL;
}

static bool read_given(const struct dnnlc_model *model, const struct dnnlc_options *options,
                       struct dnnlc_arrays *folder, struct dnnlc_array *given, char *why,
                       size_t why_size)
{
    size_t files;
    if (options->check_dir &&
        !dnnlc_folder_read(options->check_dir, "input", folder, &files, why, why_size))
        return false;
    for (size_t i = 0; i < model->n_inputs; i++) {
        const char *file = options->input_files[i];
        if (folder->count == model->n_inputs) {
            given[i] = folder->arrays[i];
            folder->arrays[i] = (struct dnnlc_array){0};
        } else if (file && !strcmp(file, "-")) {
            return dnnlc_fail(why, why_size,
                              "input '%s': standard input is read once, and --variant has to say "
                              "for which variant",
                              model->inputs[i].name);
        } else if (file && !dnnlc_input_read(model, i, file, &given[i], why, why_size)) {
            return false;
        }
    }
    return true;
}

const struct dnnlc_model *dnnlc_choose_variant(const struct dnnlc_model *model,
                                               const struct dnnlc_options *options, char *why,
                                               size_t why_size)
{
    char text[1024];
    if (model->n_variants < 2)
        return model;
    for (size_t k = 0; options->variant && k < model->n_variants; k++)
        if (!strcmp(options->variant, model[k].called))
            return &model[k];
    if (options->variant) {
        dnnlc_fail(why, why_size, "--variant %s: there are %s", options->variant,
                   list_variants(model, text, sizeof text));
        return NULL;
    }
    struct dnnlc_arrays folder = {0};
    struct dnnlc_array *given = calloc(model->n_inputs + 1, sizeof *given);
    const struct dnnlc_model *chosen = NULL;
    if (!given)
        dnnlc_fail(why, why_size, "no memory for the table of inputs");
    else if (read_given(model, options, &folder, given, why, why_size))
        chosen = find_fitting(model, given, why, why_size);
    for (size_t i = 0; given && i < model->n_inputs; i++)
        dnnlc_array_free(&given[i]);
    dnnlc_arrays_free(&folder, 0);
    free(given);
    return chosen;
}
