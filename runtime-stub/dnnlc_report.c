#include "dnnlc_report.h"

#include "dnnlc_values.h"

#include <math.h>
#include <stdbool.h>
#include <stdio.h>

void dnnlc_print(const char *text)
{
    for (const char *c = text; c && *c; c++)
        putchar((unsigned char)*c < 32 || *c == 127 ? '?' : *c);
}

static void print_named(const char *name, int dtype, int rank, const int64_t *dims)
{
    char shape[DNNLC_SHAPE_TEXT];
    putchar('\'');
    dnnlc_print(name);
    printf("' %s", dnnlc_shape_text(shape, dtype, rank, dims));
}

void dnnlc_print_tensor(const struct dnnlc_tensor *tensor)
{
    print_named(tensor->name, tensor->dtype, tensor->rank, tensor->dims);
}

void dnnlc_put_json(FILE *to, const char *text)
{
    putc('"', to);
    for (const char *c = text ? text : ""; *c; c++) {
        if (*c == '"' || *c == '\\')
            fprintf(to, "\\%c", *c);
        else if ((unsigned char)*c < 32)
            fprintf(to, "\\u%04x", (unsigned)*c);
        else
            putc(*c, to);
    }
    putc('"', to);
}

void dnnlc_print_json(const char *text)
{
    dnnlc_put_json(stdout, text);
}

/* The position of the first of the largest elements, infinity among them. */
static size_t argmax(const struct dnnlc_array *array)
{
    size_t at = 0;
    double best = -INFINITY;
    for (size_t i = 0; i < array->count; i++) {
        const double value = dnnlc_array_element(array, i);
        if (value > best) {
            best = value;
            at = i;
        }
    }
    return at;
}

/* A vector has all its elements along one dimension. */
static bool is_vector(const struct dnnlc_array *array)
{
    for (int d = 0; d < array->rank; d++)
        if (array->dims[d] > 1)
            return (size_t)array->dims[d] == array->count;
    return false;
}

void dnnlc_print_summary(const struct dnnlc_tensor *tensor, const struct dnnlc_array *array)
{
    enum { SHOWN = 6 };
    const struct dnnlc_summary s = dnnlc_summarise(array);
    print_named(tensor->name, array->dtype, array->rank, array->dims);
    putchar(':');
    if (s.finite)
        printf(" min %.6g max %.6g mean %.6g", s.least, s.largest, s.sum / (double)s.finite);
    if (s.nans)
        printf(" nan %zu", s.nans);
    if (s.finite + s.nans < array->count)
        printf(" inf %zu", array->count - s.finite - s.nans);
    if (is_vector(array) && s.nans < array->count)
        printf(" argmax %zu", argmax(array));
    printf(" values");
    for (size_t i = 0; i < array->count && i < SHOWN; i++)
        printf(" %.6g", dnnlc_array_element(array, i));
    puts(array->count > SHOWN ? " ..." : array->count == 0 ? " (none)" : "");
}

/* A line "label: text", unless there is no text. */
static void print_line(const char *label, const char *text)
{
    if (!text || !*text)
        return;
    printf("%-16s", label);
    dnnlc_print(text);
    putchar('\n');
}

static void print_tensors(const char *label, const struct dnnlc_tensor *tensors, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        printf("%-10s%-6zu", label, i);
        dnnlc_print_tensor(&tensors[i]);
        printf(", %zu bytes\n", tensors[i].bytes);
    }
}

static void print_counts(const struct dnnlc_model *model)
{
    for (size_t i = 0; i < model->n_counts; i++) {
        const struct dnnlc_count *count = &model->counts[i];
        printf("%-16s'", "counted");
        dnnlc_print(model->outputs[count->output].name);
        printf("' along axis %d by '", count->axis);
        dnnlc_print(model->outputs[count->count].name);
        puts("'");
    }
}

static void print_states(const struct dnnlc_model *model)
{
    for (size_t i = 0; i < model->n_states; i++) {
        printf("%-10s%-6zu'", "state", i);
        dnnlc_print(model->inputs[model->states[i].input].name);
        fputs("', then '", stdout);
        dnnlc_print(model->outputs[model->states[i].output].name);
        puts("'");
    }
}

static void print_layers(const struct dnnlc_model *model)
{
    for (size_t i = 0; i < model->n_layers; i++) {
        const struct dnnlc_layer *layer = &model->layers[i];
        printf("%-10s%-6zu", "layer", i);
        dnnlc_print(layer->name);
        const char *const rest[] = {layer->op, layer->detail, layer->subgraph};
        for (int k = 0; k < 3; k++)
            if (rest[k] && *rest[k]) {
                fputs("  ", stdout);
                dnnlc_print(rest[k]);
            }
        putchar('\n');
    }
}

void dnnlc_print_info(const struct dnnlc_model *model)
{
    print_line("model", model->name);
    print_line("model hash", model->model_hash);
    print_line("compiler", model->compiler_version);
    print_line("target", model->target);
    print_line("ISA", model->isa);
    if (model->onednn_version && *model->onednn_version)
        print_line("linked for", model->linked ? model->linked : "any");
    print_line("precision", model->precision);
    print_line("oneDNN", model->onednn_version);
    printf("%-16s%d\n", "threads", model->threads);
    for (unsigned k = 0; k < model->n_variants; k++) {
        if (model->n_variants > 1)
            print_line("variant", model[k].called);
        print_tensors("input", model[k].inputs, model->n_inputs);
        print_tensors("output", model[k].outputs, model->n_outputs);
        if (model[k].rows_apart)
            printf("%-16s%lld, which do not depend on each other\n", "rows",
                   (long long)model[k].inputs[0].dims[0]);
    }
    print_counts(model);
    print_states(model);
    printf("%-16s%zu bytes, %zu-byte aligned\n", "workspace", model->workspace_size,
           model->workspace_align);
    printf("%-16s%zu bytes\n", "context", model->context_size);
    printf("%-16s%zu bytes, ", "weights", model->weights_size);
    dnnlc_print(model->weights_file ? model->weights_file : "embedded");
    printf("\n%-16s%zu bytes\n", "fallback", model->fallback_size ? model->fallback_size() : 0);
    print_layers(model);
}
