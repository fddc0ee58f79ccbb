/* The sizes of the model's inputs, and which of them are constants: what --dim, --shape and --bind say.
 *
 * A dimension is a number, a symbol or nothing. Symbols get values from --dim, from the shapes given by --shape and
 * of bound files, then from --dim '*=N'; a leading one still open becomes 1. What is open then is refused, all at once. */
#include "../../runtime-stub/dnnlc_file.h"
#include "../base/narrow.h"
#include "../base/nearest.h"
#include "../base/quote.h"
#include "inputs.h"

const Symbol *find_symbol(const Inputs *s, const char *name)
{
    for (size_t i = 0; i < s->n_symbols; i++)
        if (!strcmp(s->symbols[i].name, name))
            return &s->symbols[i];
    return NULL;
}

static bool set_symbol(Inputs *s, const char *name, int64_t value, bool bounded, const char *source)
{
    const Symbol *old = find_symbol(s, name);
    if (old && (old->value != value || old->bounded != bounded))
        return refuse_graph(s->g, "dimension '%s' is %s%lld by %s and %s%lld by %s", name,
                            old->bounded ? "at most " : "", (long long)old->value, old->source,
                            bounded ? "at most " : "", (long long)value, source);
    if (old)
        return true;
    ARENA_PUSH(s->g->arena, s->symbols, s->n_symbols, s->cap_symbols,
               (Symbol){name, value, bounded, source});
    return true;
}

/* "NAME=REST" where NAME is a listed input, or one of the tensors of a sequence: the first of them, and how many they are. */
static bool split_option(const Inputs *s, const char *option, const char **rest, Input **in,
                         size_t *n)
{
    int64_t element;
    for (const Listed *l = s->listed; l < s->listed + s->n_listed; l++) {
        *rest = option_of(l, option, &element);
        *n = element < 0 ? l->n : (size_t)element < l->n;
        *in = *n ? s->inputs + l->first + (element < 0 ? 0 : element) : NULL;
        if (*rest)
            return true;
    }
    return false;
}

/* A model says how many images it takes at once although all its nodes take any number: what is asked for holds, and nodes that are
 * not so are refused by their names. */
static bool change_fixed(Inputs *s, const Input *in, int d, int64_t wanted, const char *source)
{
    const long long is = (long long)in->dims[d].value;
    if (strncmp(source, "--shape", strlen("--shape")) != 0)
        return refuse_graph(s->g, "%s: dimension %d of input '%s' is fixed to %lld", source, d,
                            in->name, is);
    if (s->im->options->notes)
        text_printf(s->im->options->notes,
                    "note: input '%s': dimension %d is %lld in the model, %lld by --shape\n",
                    in->name, d, is, (long long)wanted);
    return true;
}

/* The shape an option gives an input: symbols get values. bounded: NULL, or by dimension whether it is at most so much. */
static bool set_shape(Inputs *s, Input *in, int rank, const int64_t *dims, const bool *bounded,
                      const char *source)
{
    if (in->dtype == DT_STRING && !in->bound && in->rank >= 0 && rank == in->rank + 1 &&
        dims[rank - 1] > 0)
        in->width = dims[--rank];
    if (in->rank >= 0 && in->rank != rank)
        return refuse_graph(s->g, "%s: input '%s' has rank %d, not %d", source, in->name, in->rank,
                            rank);
    for (int d = 0; d < rank; d++) {
        Dim *dim = &in->dims[d];
        if (in->rank >= 0 && dim->value >= 0 && dim->value != dims[d] &&
            !change_fixed(s, in, d, dims[d], source))
            return false;
        if (in->rank >= 0 && dim->symbol && !in->is_element &&
            !set_symbol(s, dim->symbol, dims[d], bounded && bounded[d], source))
            return false;
        dim->value = dims[d];
        dim->bounded = bounded && bounded[d];
    }
    in->rank = rank;
    return true;
}

/* --shape or --bind of an input that is not there, or of none. */
static bool refuse_input(const Inputs *s, const char *source, const char *option, const char *form)
{
    const char *equals = strchr(option, '=');
    if (!equals)
        return refuse_graph(s->g, "%s: must be %s", source, form);
    Nearest nearest =
        nearest_to(s->g->arena, arena_strndup(s->g->arena, option, (size_t)(equals - option)));
    for (const Listed *l = s->listed; l < s->listed + s->n_listed; l++)
        nearest_try(&nearest, l->name, strlen(l->name));
    return refuse_graph(s->g, "%s: the model has no such input%s", source, did_you_mean(&nearest));
}

static bool apply_shape(Inputs *s, const char *option)
{
    const char *source = arena_printf(s->g->arena, "--shape %s", option);
    const char *text;
    size_t n;
    Input *in;
    int64_t dims[MAX_RANK];
    bool bounded[MAX_RANK];
    int rank = 0;
    if (!split_option(s, option, &text, &in, &n))
        return refuse_input(s, source, option, "INPUT=AxBxC");
    if (n == 0 && (!strcmp(text, "absent") || !strcmp(text, "empty")))
        return true;
    if (n != 1)
        return refuse_graph(s->g, "%s: the input is %zu tensors, not one", source, n);
    if (!strcmp(text, "scalar"))
        return set_shape(s, in, 0, dims, NULL, source);
    do {
        if (rank == MAX_RANK || !parse_bound(&text, &dims[rank], &bounded[rank]))
            return refuse_graph(s->g, "%s: is not a shape such as 1x3x224x224", source);
        rank++;
    } while (*text++ == 'x');
    if (text[-1])
        return refuse_graph(s->g, "%s: is not a shape such as 1x3x224x224", source);
    return set_shape(s, in, rank, dims, bounded, source);
}

/* Bytes become the numbers of strings. */
static bool bind_strings(Inputs *s, Input *in, struct dnnlc_array *array)
{
    const size_t width = (size_t)array->dims[--array->rank], n = array->bytes / width;
    int64_t *numbers = ARENA_ARRAY(s->g->arena, int64_t, n + 1);
    in->bound = numbers;
    array->dtype = DT_STRING;
    return string_rows(s->im, array->data, n, width, numbers);
}

static bool bind_input(Inputs *s, Input *in, struct dnnlc_array *array, const char *source)
{
    in->bound = arena_copy(s->g->arena, array->data, array->bytes);
    in->bound_bytes = array->bytes;
    if (array->text && !bind_strings(s, in, array))
        return false;
    if (array->dtype != (int)in->dtype)
        return refuse_graph(s->g, "%s: the file holds %s, the input takes %s", source,
                            dtype_name((DType)array->dtype), dtype_name(in->dtype));
    const bool has_shape = !in->narrow || narrow_type(in->narrow)->bits == 8;
    return !has_shape || set_shape(s, in, array->rank, array->dims, NULL, source);
}

static bool apply_bind(Inputs *s, const char *option)
{
    const char *source = arena_printf(s->g->arena, "--bind %s", option);
    const char *file;
    char why[512];
    size_t n;
    Input *in;
    struct dnnlc_arrays list = {0};
    if (!split_option(s, option, &file, &in, &n))
        return refuse_input(s, source, option, "INPUT=FILE or INPUT=NUMBER[,NUMBER...]");
    const size_t typed = n == 1 ? typed_numbers(file) : 0;
    if (typed) {
        int64_t dims[MAX_RANK];
        const int rank = typed > 1 ? 1 : in->rank > 0 ? in->rank : 0;
        for (int d = 0; d < rank; d++)
            dims[d] = (int64_t)typed;
        return bind_numbers(s, in, file, typed, source) &&
               set_shape(s, in, rank, dims, NULL, source);
    }
    if (!dnnlc_arrays_read(file, &list, why, sizeof why))
        return refuse_graph(s->g, "--bind %.*s: %s", (int)(file - option) - 1, option, why);
    note_read(s->g->arena, s->g->diag, file);
    bool fits = list.count == n || refuse_graph(s->g, "%s: the file holds %zu tensors, not %zu",
                                                source, list.count, n);
    for (size_t i = 0; fits && i < n; i++) {
        dnnlc_array_normalise(&list.arrays[i]);
        fits = bind_input(s, &in[i], &list.arrays[i], source);
    }
    dnnlc_arrays_free(&list, 0);
    return fits;
}

/* Whether a dimension is called so, or is a sum or product with it. */
static bool mentions(const char *dim, const char *symbol)
{
    const size_t size = strlen(symbol);
    if (!strcmp(dim, symbol))
        return true;
    for (size_t n = strcspn(dim, "+*"); *dim; n = strcspn(dim, "+*")) {
        const size_t from = strspn(dim, " ");
        size_t to = n;
        while (to > from && dim[to - 1] == ' ')
            to--;
        if (to - from == size && !memcmp(dim + from, symbol, size))
            return true;
        dim += n + (dim[n] != 0);
    }
    return false;
}

static bool names_symbol(const Onnx__ValueInfoProto *info, const char *symbol)
{
    PortKind kind;
    const Onnx__TypeProto__Tensor *type = onnx_port_type(info, &kind);
    const Onnx__TensorShapeProto *shape = type ? type->shape : NULL;
    if (!shape)
        return false;
    for (size_t d = 0; d < shape->n_dim; d++)
        if (shape->dim[d]->value_case == ONNX__TENSOR_SHAPE_PROTO__DIMENSION__VALUE_DIM_PARAM &&
            mentions(shape->dim[d]->dim_param, symbol))
            return true;
    return false;
}

static bool model_has_symbol(const Inputs *s, const char *symbol)
{
    const Onnx__GraphProto *graph = s->im->model->graph;
    for (size_t i = 0; i < graph->n_input; i++)
        if (names_symbol(graph->input[i], symbol))
            return true;
    for (size_t i = 0; i < graph->n_output; i++)
        if (names_symbol(graph->output[i], symbol))
            return true;
    return false;
}

/* The symbol of inputs that is nearest to what was typed. */
static const char *meant_symbol(const Inputs *s, const char *typed)
{
    Nearest nearest = nearest_to(s->g->arena, typed);
    for (size_t i = 0; i < s->n_inputs; i++)
        for (int d = 0; d < s->inputs[i].rank; d++)
            if (s->inputs[i].dims[d].symbol)
                nearest_try(&nearest, s->inputs[i].dims[d].symbol,
                            strlen(s->inputs[i].dims[d].symbol));
    return did_you_mean(&nearest);
}

/* *star gets the value of "*=N". */
static bool apply_dim(Inputs *s, const char *option, int64_t *star)
{
    const char *source = arena_printf(s->g->arena, "--dim %s", option);
    const char *at = strrchr(option, '=');
    int64_t value;
    bool bounded;
    const char *text = at ? at + 1 : "";
    if (!at || at == option || !parse_bound(&text, &value, &bounded) || *text)
        return refuse_graph(s->g, "%s: must be SYMBOL=N", source);
    const char *name = arena_strndup(s->g->arena, option, (size_t)(at - option));
    if (!strcmp(name, "*") && bounded)
        return refuse_graph(s->g, "%s: a dimension with a bound has to be named", source);
    if (!strcmp(name, "*")) {
        if (*star >= 0 && *star != value)
            return refuse_graph(s->g, "%s: '*' is given twice", source);
        *star = value;
        return true;
    }
    if (!model_has_symbol(s, name))
        return refuse_graph(s->g, "%s: the model has no dimension '%s'%s", source, name,
                            meant_symbol(s, name));
    return set_symbol(s, name, value, bounded, source);
}

/* --- dimensions that are sums of others ------------------------------------------------------------------------------ */

/* A number, or what a symbol stands for. False: that is not known. */
static bool factor_of(const Inputs *s, const char *text, size_t n, int64_t star, Symbol *factor)
{
    while (n && *text == ' ')
        text++, n--;
    while (n && text[n - 1] == ' ')
        n--;
    const char *end = text;
    *factor = (Symbol){.name = arena_strndup(s->g->arena, text, n)};
    if (parse_dim(&end, &factor->value))
        return end == text + n;
    const Symbol *known = find_symbol(s, factor->name);
    if (known)
        *factor = *known;
    else
        factor->value = model_has_symbol(s, factor->name) ? star : -1;
    return factor->value >= 0;
}

/* "past + seq", "past + 1", "2*batch" where the parts are known: what has a bound may be added. The dimension stays as it is otherwise. */
static void sum_symbols(const Inputs *s, Dim *dim, int64_t star)
{
    Dim sum = {.symbol = dim->symbol};
    for (const char *at = dim->symbol; *at;) {
        int64_t product = 1;
        const size_t term = strcspn(at, "+");
        for (const char *end = at + term; at < end;) {
            Symbol factor;
            const size_t all = (size_t)(end - at), n = strcspn(at, "*+");
            if (!factor_of(s, at, n, star, &factor) || product > (INT64_C(1) << 31) ||
                factor.value > (INT64_C(1) << 31))
                return;
            if (factor.bounded && (n != term || sum.n_sum == MAX_COUNTS))
                return;
            if (factor.bounded)
                sum.sum[sum.n_sum++] = factor.name;
            product *= factor.value;
            at += n + (n < all);
        }
        sum.value += product;
        at += *at == '+';
    }
    sum.bounded = sum.n_sum > 0;
    if (strpbrk(dim->symbol, "+*"))
        *dim = sum;
}

static void fill_from_symbols(Inputs *s, int64_t star)
{
    for (size_t i = 0; i < s->n_inputs; i++)
        for (int d = 0; d < s->inputs[i].rank; d++) {
            Dim *dim = &s->inputs[i].dims[d];
            const Symbol *symbol = dim->symbol ? find_symbol(s, dim->symbol) : NULL;
            if (dim->value < 0 && dim->symbol && !symbol)
                sum_symbols(s, dim, star);
            if (dim->value < 0)
                dim->value = symbol ? symbol->value : star;
            dim->bounded |= symbol && symbol->bounded;
        }
}

/* Says so once for each symbol, and for all the inputs without any. */
static void note_batch(Inputs *s, size_t i)
{
    const char *symbol = s->inputs[i].dims[0].symbol;
    size_t more = 0;
    for (size_t k = 0; k < s->n_inputs && !symbol; k++) {
        const Dim *dim = &s->inputs[k].dims[0];
        more += k != i && s->inputs[k].rank > 0 && !dim->symbol && dim->value < 0;
    }
    text_printf(s->im->options->notes, "note: input '%s': batch dimension%s%s%s left open",
                s->inputs[i].name, symbol ? " '" : "", symbol ? symbol : "", symbol ? "'" : "");
    if (more)
        text_printf(s->im->options->notes, ", as in %zu more", more);
    text_puts(s->im->options->notes, "; set to 1\n");
}

static bool open_batch_is_one(Inputs *s)
{
    bool unnamed = false;
    for (size_t i = 0; i < s->n_inputs; i++) {
        Dim *dim = &s->inputs[i].dims[0];
        if (s->inputs[i].rank < 1 || dim->value >= 0)
            continue;
        const char *symbol = dim->symbol;
        if (s->im->options->notes && !(symbol ? find_symbol(s, symbol) != NULL : unnamed))
            note_batch(s, i);
        unnamed |= !symbol;
        s->im->batch_left_open = true;
        dim->value = 1;
        if (symbol && !set_symbol(s, symbol, 1, false, "the batch dimension"))
            return false;
    }
    fill_from_symbols(s, -1);
    return true;
}

/* "1xAxBx3": numbers where they are known, letters where they are not. */
static const char *shape_example(Arena *arena, const Input *in)
{
    Text t = text_new(arena);
    char letter = 'A';
    for (int d = 0; d < in->rank; d++)
        if (in->dims[d].value >= 0)
            text_printf(&t, "%s%lld", d ? "x" : "", (long long)in->dims[d].value);
        else
            text_printf(&t, "%s%c", d ? "x" : "", letter++);
    return in->rank < 0 ? "AxB" : t.data;
}

static void describe(Text *t, const Input *in)
{
    text_printf(t, "input '%s' [", in->name);
    for (int d = 0; d < in->rank; d++) {
        text_puts(t, d ? ", " : "");
        if (in->dims[d].symbol)
            text_puts(t, in->dims[d].symbol);
        else if (in->dims[d].value >= 0)
            text_printf(t, "%lld", (long long)in->dims[d].value);
        else
            text_puts(t, "?");
    }
    text_puts(t, "]");
}

/* How many inputs from `first` on, before `end`, have an open dimension called so. */
static size_t count_open(const Inputs *s, size_t first, size_t end, const char *symbol)
{
    size_t n = 0;
    for (size_t i = first; i < end; i++) {
        bool has = false;
        for (int d = 0; d < s->inputs[i].rank; d++) {
            const Dim *dim = &s->inputs[i].dims[d];
            has |= dim->value < 0 && dim->symbol && !strcmp(dim->symbol, symbol);
        }
        n += has;
    }
    return n;
}

/* A symbol is named once, for all inputs that have it. */
static void list_open(Inputs *s, Text *t, size_t i)
{
    const Input *in = &s->inputs[i];
    Arena *arena = s->g->arena;
    const char *example = shape_example(arena, in);
    Text open = text_new(arena), set = text_new(arena);
    size_t n = 0, more = 0;
    bool named = true;
    for (int d = 0; d < in->rank; d++) {
        const char *symbol = in->dims[d].symbol;
        if (in->dims[d].value >= 0 || (symbol && count_open(s, 0, i, symbol)))
            continue;
        if (symbol) {
            text_printf(&open, "%s'%s'", n++ ? ", " : "", symbol);
            text_printf(&set, " --dim %s", shell_word(arena, arena_printf(arena, "%s=N", symbol)));
            more += count_open(s, i + 1, s->n_inputs, symbol);
        } else {
            text_printf(&open, "%s%d", n++ ? ", " : "", d);
        }
        named &= symbol != NULL;
    }
    if (n == 0 && in->rank >= 0)
        return;
    text_puts(t, t->size ? "; " : "");
    if (in->rank < 0) {
        text_printf(t, "input '%s': its shape is open; set it with --shape %s=%s", in->name,
                    in->name, example);
        return;
    }
    describe(t, in);
    text_printf(t, n == 1 ? ": dimension %s is open" : ": dimensions %s are open", open.data);
    if (n == 1 && more)
        text_printf(t, ", as in %zu more", more);
    text_printf(t, "; set %s with%s", n == 1 ? "it" : "them", named ? set.data : "");
    if (!named || !more)
        text_printf(t, "%s --shape %s=%s", named ? " or" : "", in->name, example);
}

static bool refuse_open(Inputs *s)
{
    enum { ENOUGH = 2000 }; /* characters */
    Text t = text_new(s->g->arena);
    for (size_t i = 0; i < s->n_inputs && t.size < ENOUGH; i++)
        list_open(s, &t, i);
    s->im->batch_left_open &= t.size == 0;
    return t.size == 0 || refuse_graph(s->g, "%s", t.data);
}

bool apply_input_options(Inputs *s)
{
    const ImportOptions *o = s->im->options;
    int64_t star = -1;
    for (size_t i = 0; i < o->n_dims; i++)
        if (!apply_dim(s, o->dims[i], &star))
            return false;
    for (size_t i = 0; i < o->n_shapes; i++)
        if (!apply_shape(s, o->shapes[i]))
            return false;
    for (size_t i = 0; i < o->n_binds; i++)
        if (!apply_bind(s, o->binds[i]))
            return false;
    fill_from_symbols(s, star);
    return open_batch_is_one(s) && refuse_open(s);
}
