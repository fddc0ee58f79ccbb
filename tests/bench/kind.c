/* What kind of network a graph is, by its operators: the first of these that holds.
 *
 *   quantised dynamic  it quantises as it runs: DynamicQuantizeLinear, ConvInteger or MatMulInteger
 *   quantised static   QuantizeLinear, DequantizeLinear or an operator QLinear…
 *   recurrent          LSTM, GRU or RNN
 *   transformer        a matrix product of what a Softmax has made
 *   detection          convolutions with several outputs, or with Resize, Upsample, ConvTranspose, TopK, NonMaxSuppression or GridSample:
 *                      networks that find or draw something in an image
 *   audio              convolutions, and no input of rank 4: signals and sequences
 *   f32 CNN            other convolutions
 *   tabular            everything else: trees, dense layers, look-ups */
#include "bench.h"

#include <ctype.h>
#include <string.h>

const char *const kind_names[N_KINDS] = {
    "quantised dynamic", "quantised static", "recurrent", "transformer", "detection", "audio",
    "f32 CNN",           "tabular",
};

enum { HEAD = 2000, MAX_SOFTMAX = 256, NAME_SIZE = 200 };

struct traits {
    bool dynamic, bytes, recurrent, attention, convolution, map, image;
    int outputs;
    char softmax[MAX_SOFTMAX]
                [NAME_SIZE]; /* results of Softmax, with "%" before and ")" or "," left out */
    int n_softmax;
};

static bool is_any(const char *op, const char *const *names)
{
    for (; *names; names++)
        if (!strcmp(op, *names))
            return true;
    return false;
}

/* Is one of the arguments the result of a Softmax? */
static bool takes_softmax(const struct traits *t, const char *arguments)
{
    for (int i = 0; i < t->n_softmax; i++) {
        const char *at = strstr(arguments, t->softmax[i]);
        const char next = at ? at[strlen(t->softmax[i])] : 'x';
        if (next == ',' || next == ')')
            return true;
    }
    return false;
}

/* The line's first name, as long as results stand there: "  %name: type = Op(". */
static void keep_softmax(struct traits *t, const char *line)
{
    size_t length = line[3] == '"' ? 2 + strcspn(line + 4, "\"") : strcspn(line + 2, ": ,");
    length += line[3] == '"';
    if (t->n_softmax < MAX_SOFTMAX && length < NAME_SIZE)
        snprintf(t->softmax[t->n_softmax++], NAME_SIZE, "%.*s", (int)length, line + 2);
}

static void read_node(struct traits *t, const char *line)
{
    static const char *const dynamic[] = {"DynamicQuantizeLinear", "ConvInteger", "MatMulInteger",
                                          NULL};
    static const char *const bytes[] = {"QuantizeLinear", "DequantizeLinear", NULL};
    static const char *const recurrent[] = {"LSTM", "GRU", "RNN", NULL};
    static const char *const maps[] = {
        "Resize", "Upsample", "ConvTranspose", "TopK", "NonMaxSuppression", "GridSample", NULL};
    char op[64];
    const char *at = strstr(line, " = ");
    if (!at || sscanf(at, " = %63[A-Za-z0-9_.]", op) != 1)
        return;
    t->dynamic |= is_any(op, dynamic);
    t->bytes |= is_any(op, bytes) || !strncmp(op, "QLinear", 7);
    t->recurrent |= is_any(op, recurrent);
    t->map |= is_any(op, maps);
    t->convolution |= !strcmp(op, "Conv") || !strcmp(op, "ConvTranspose");
    t->attention |= !strcmp(op, "MatMul") && takes_softmax(t, at);
    if (!strcmp(op, "Softmax") ||
        ((!strcmp(op, "Reshape") || !strcmp(op, "Cast")) && takes_softmax(t, at)))
        keep_softmax(t, line);
}

/* "  input %x: f32[1,3,224,224]": images have four dimensions. */
static bool is_image(const char *line)
{
    const char *at = strchr(line, '[');
    int commas = 0;
    for (; at && *at != ']' && *at; at++)
        commas += *at == ',';
    return commas == 3;
}

static void read_line(struct traits *t, const char *line)
{
    if (!strncmp(line, "  %", 3))
        read_node(t, line);
    else if (!strncmp(line, "  input ", 8))
        t->image |= is_image(line);
    t->outputs += !strncmp(line, "  output ", 9);
}

int kind_of(const char *path)
{
    static struct traits t;
    char head[HEAD];
    FILE *file = fopen(path, "r");
    t = (struct traits){0};
    while (file && fgets(head, sizeof head, file)) {
        const bool whole = strchr(head, '\n') != NULL;
        read_line(&t, head);
        for (int c = 0; !whole && c != '\n' && c != EOF;) /* numbers of a constant */
            c = getc(file);
    }
    if (file)
        fclose(file);
    const bool holds[N_KINDS] = {t.dynamic,
                                 t.bytes,
                                 t.recurrent,
                                 t.attention,
                                 t.convolution && (t.map || t.outputs > 1),
                                 t.convolution && !t.image,
                                 t.convolution,
                                 true};
    int kind = 0;
    while (!holds[kind])
        kind++;
    return kind;
}
