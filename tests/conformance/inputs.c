/* inputs MODEL.onnx: the names of the model's inputs, one a line, in order; initializers are not inputs. Which
 * input_K.pb of a test belongs to a name follows from it.
 *
 * inputs MODEL.onnx FOLDER: what --shape has to say of sequences, of optionals and where dimensions are open, by the test data in the folder, one
 * option a line. */
#include "../../gen/onnx/node.h"
#include "../../runtime-stub/dnnlc_file.h"
#include "onnx.pb-c.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static unsigned char *read_all(const char *path, size_t *size)
{
    FILE *f = fopen(path, "rb");
    unsigned char *data = NULL;
    if (!f)
        return NULL;
    if (!fseek(f, 0, SEEK_END)) {
        *size = (size_t)ftell(f);
        rewind(f);
        data = malloc(*size + 1);
        if (data && fread(data, 1, *size, f) != *size) {
            free(data);
            data = NULL;
        }
    }
    fclose(f);
    return data;
}

static int is_initializer(const Onnx__GraphProto *g, const char *name)
{
    for (size_t i = 0; i < g->n_initializer; i++)
        if (!strcmp(g->initializer[i]->name, name))
            return 1;
    return 0;
}

static void print_shape(const struct dnnlc_array *array)
{
    for (int d = 0; d < array->rank; d++)
        printf("%s%lld", d ? "x" : "", (long long)array->dims[d]);
    puts(array->rank ? "" : "scalar");
}

static int print_options(const char *name, PortKind kind, const char *path)
{
    struct dnnlc_arrays list = {0};
    char why[512];
    if (!dnnlc_arrays_read(path, &list, why, sizeof why)) {
        fprintf(stderr, "%s\n", why);
        return 1;
    }
    if (list.count == 0)
        printf("%s=%s\n", name, kind.is_optional ? "absent" : "empty");
    for (size_t i = 0; i < list.count; i++) {
        printf("%s", name);
        if (kind.is_sequence)
            printf("_%zu", i);
        putchar('=');
        print_shape(&list.arrays[i]);
    }
    dnnlc_arrays_free(&list, 0);
    return 0;
}

/* Whether the model leaves dimensions of a tensor open. */
static bool is_open(const Onnx__TypeProto__Tensor *type)
{
    bool open = !type->shape;
    for (size_t d = 0; type->shape && d < type->shape->n_dim; d++)
        open |=
            type->shape->dim[d]->value_case != ONNX__TENSOR_SHAPE_PROTO__DIMENSION__VALUE_DIM_VALUE;
    return open;
}

/* Of input number k. */
static int print_input(const Onnx__ValueInfoProto *info, const char *folder, size_t k)
{
    PortKind kind;
    char path[4096];
    const Onnx__TypeProto__Tensor *type = onnx_port_type(info, &kind);
    if (!folder)
        return puts(info->name) < 0;
    if (!type || (!kind.is_optional && !kind.is_sequence && !is_open(type)))
        return 0;
    snprintf(path, sizeof path, "%s/input_%zu.pb", folder, k);
    return print_options(info->name, kind, path);
}

int main(int argc, char **argv)
{
    size_t size = 0, k = 0;
    unsigned char *data = argc > 1 ? read_all(argv[1], &size) : NULL;
    Onnx__ModelProto *model = data ? onnx__model_proto__unpack(NULL, size, data) : NULL;
    int status = !model || !model->graph;
    for (size_t i = 0; !status && i < model->graph->n_input; i++)
        if (!is_initializer(model->graph, model->graph->input[i]->name))
            status = print_input(model->graph->input[i], argc > 2 ? argv[2] : NULL, k++);
    if (model)
        onnx__model_proto__free_unpacked(model, NULL);
    free(data);
    return status;
}
