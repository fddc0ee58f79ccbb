#define _POSIX_C_SOURCE 200809L
#include "dnnlc_assign.h"

#include <string.h>
#include <unistd.h>

/* The tensor whose name, followed by '=', begins `text`: the longest if several do; -1 if none. */
static int find_named(const struct dnnlc_tensor *tensors, size_t n, const char *text)
{
    int found = -1;
    size_t longest = 0;
    for (size_t i = 0; i < n; i++) {
        const size_t length = strlen(tensors[i].name);
        if (!strncmp(text, tensors[i].name, length) && text[length] == '=' &&
            (found < 0 || length > longest)) {
            found = (int)i;
            longest = length;
        }
    }
    return found;
}

/* What begins with the name of one of n inputs or outputs goes there. */
static bool assign_named(struct dnnlc_words *given, const char *kind,
                         const struct dnnlc_tensor *tensors, size_t n, const char **files,
                         char *why, size_t why_size)
{
    for (size_t i = 0; i < given->count; i++) {
        const int k = given->words[i] ? find_named(tensors, n, given->words[i]) : -1;
        if (k < 0)
            continue;
        if (files[k])
            return dnnlc_fail(why, why_size, "%s '%s' is given twice", kind, tensors[k].name);
        files[k] = given->words[i] + strlen(tensors[k].name) + 1;
        given->words[i] = NULL;
    }
    return true;
}

/* What looks like a name that there is not. */
static bool refuse_name(const char *kind, const char *word, char *why, size_t why_size)
{
    const char *equals = strchr(word, '=');
    return equals && access(word, F_OK) != 0 &&
           !dnnlc_fail(why, why_size, "no %s is called '%.*s' (--info lists them)", kind,
                       (int)(equals - word), word);
}

static bool assign_inputs(struct dnnlc_options *options, const struct dnnlc_model *model,
                          struct dnnlc_words *given, char *why, size_t why_size)
{
    size_t next = 0, own = 0;
    for (size_t k = 0; k < model->n_inputs; k++)
        own += !dnnlc_state_of(model, k);
    for (size_t i = 0; i < given->count; i++) {
        const char *file = given->words[i];
        if (!file)
            continue;
        if (refuse_name("input", file, why, why_size))
            return false;
        while (next < model->n_inputs &&
               (options->input_files[next] || options->batch_inputs[next] ||
                dnnlc_state_of(model, next)))
            next++;
        if (next == model->n_inputs)
            return dnnlc_fail(why, why_size, "'%s' is one input too many, the model has %zu%s",
                              file, own,
                              model->n_states ? " and states, which go by their names" : "");
        options->input_files[next] = file;
    }
    return true;
}

static bool assign_outputs(struct dnnlc_options *options, const struct dnnlc_model *model,
                           struct dnnlc_words *given, char *why, size_t why_size)
{
    const size_t n = dnnlc_model_outputs(model);
    size_t next = 0;
    for (size_t i = 0; i < given->count; i++) {
        const char *file = given->words[i];
        if (!file)
            continue;
        if (refuse_name("output", file, why, why_size))
            return false;
        while (next < n && options->output_files[next])
            next++;
        if (next == n)
            return dnnlc_fail(why, why_size, "'%s' is one output too many, the model has %zu", file,
                              n);
        options->output_files[next] = file;
    }
    return true;
}

/* --- --batch-file --------------------------------------------------------------------------------------------------- */

/* IN OUT, where one input and one output are left. */
static bool assign_pair(const struct dnnlc_options *options, const struct dnnlc_model *model,
                        const struct dnnlc_words *stacked, char *why, size_t why_size)
{
    size_t in = 0, n_in = 0;
    for (size_t i = model->n_inputs; i-- > 0;)
        if (!options->input_files[i] && !dnnlc_state_of(model, i)) {
            in = i;
            n_in++;
        }
    const size_t n_out = dnnlc_model_outputs(model);
    if (stacked->count != 2)
        return dnnlc_fail(why, why_size,
                          "--batch-file wants two files, or INPUT=FILE ... OUTPUT=FILE ...");
    if (n_in != 1 || n_out != 1)
        return dnnlc_fail(why, why_size,
                          "--batch-file with two files is for one input and one output, here are "
                          "%zu and %zu: give INPUT=FILE ... OUTPUT=FILE ...",
                          n_in, n_out);
    options->batch_inputs[in] = stacked->words[0];
    options->batch_outputs[0] = stacked->words[1];
    return true;
}

/* Where all values have names. */
static bool check_named(const struct dnnlc_options *options, const struct dnnlc_model *model,
                        const struct dnnlc_words *stacked, char *why, size_t why_size)
{
    size_t in = 0, out = 0;
    for (size_t i = 0; i < stacked->count; i++)
        if (stacked->words[i])
            return dnnlc_fail(why, why_size,
                              "--batch-file: '%s' begins with the name of no input or output "
                              "(--info lists them)",
                              stacked->words[i]);
    for (size_t i = 0; i < model->n_inputs; i++) {
        if (options->batch_inputs[i] && options->input_files[i])
            return dnnlc_fail(why, why_size, "input '%s' is given twice", model->inputs[i].name);
        if (!options->batch_inputs[i] && !options->input_files[i] && !dnnlc_state_of(model, i))
            return dnnlc_fail(why, why_size,
                              "--batch-file: input '%s' has no file; one that is the same for all "
                              "rows is given with --input",
                              model->inputs[i].name);
        in += options->batch_inputs[i] != NULL;
    }
    for (size_t k = 0; k < dnnlc_model_outputs(model); k++)
        out += options->batch_outputs[k] != NULL;
    return (in > 0 && out > 0) ||
           dnnlc_fail(why, why_size, "--batch-file: no %s has a file", in ? "output" : "input");
}

/* Two rows cannot come from, or go to, one place. */
static bool check_places(const char **files, size_t n, bool only_standard, char *why,
                         size_t why_size)
{
    for (size_t i = 0; i < n; i++)
        for (size_t k = i + 1; k < n; k++)
            if (files[i] && files[k] && !strcmp(files[i], files[k]) &&
                (!only_standard || !strcmp(files[i], "-")))
                return dnnlc_fail(why, why_size, "--batch-file: '%s' is there twice", files[i]);
    return true;
}

static bool assign_stacked(struct dnnlc_options *options, const struct dnnlc_model *model,
                           struct dnnlc_words *stacked, bool named, char *why, size_t why_size)
{
    return (named ? check_named : assign_pair)(options, model, stacked, why, why_size) &&
           check_places(options->batch_inputs, model->n_inputs, true, why, why_size) &&
           check_places(options->batch_outputs, model->n_outputs, false, why, why_size);
}

bool dnnlc_assign_files(struct dnnlc_options *options, const struct dnnlc_model *model,
                        struct dnnlc_words *inputs, struct dnnlc_words *outputs,
                        struct dnnlc_words *stacked, char *why, size_t why_size)
{
    const size_t n_in = model->n_inputs, n_out = dnnlc_model_outputs(model);
    bool named = false;
    if (!assign_named(inputs, "input", model->inputs, n_in + model->n_dimensions,
                      options->input_files, why, why_size) ||
        !assign_named(outputs, "output", model->outputs, n_out, options->output_files, why,
                      why_size) ||
        !assign_named(stacked, "input", model->inputs, n_in, options->batch_inputs, why,
                      why_size) ||
        !assign_named(stacked, "output", model->outputs, n_out, options->batch_outputs, why,
                      why_size))
        return false;
    for (size_t i = 0; i < stacked->count; i++)
        named = named || !stacked->words[i];
    return assign_inputs(options, model, inputs, why, why_size) &&
           assign_outputs(options, model, outputs, why, why_size) &&
           (!dnnlc_given(options, DNNLC_BATCH_FILE) ||
            assign_stacked(options, model, stacked, named, why, why_size));
}
