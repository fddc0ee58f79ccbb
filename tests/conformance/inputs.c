/* inputs MODEL.onnx: the names of the model's inputs, one a line, in order; initializers are not inputs. Which
 * input_K.pb of a test belongs to a name follows from it. */
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

int main(int argc, char **argv)
{
    size_t size = 0;
    unsigned char *data = argc == 2 ? read_all(argv[1], &size) : NULL;
    Onnx__ModelProto *model = data ? onnx__model_proto__unpack(NULL, size, data) : NULL;
    if (!model || !model->graph)
        return 1;
    for (size_t i = 0; i < model->graph->n_input; i++)
        if (!is_initializer(model->graph, model->graph->input[i]->name))
            puts(model->graph->input[i]->name);
    onnx__model_proto__free_unpacked(model, NULL);
    free(data);
    return 0;
}
