/* Refusals of single nodes, a line each in the file `refusals`: its head says how they are written. */
#include "cases.h"

typedef struct Line {
    const char *at;
    size_t number;
} Line;

static char peek(Line *l)
{
    while (*l->at == ' ')
        l->at++;
    return *l->at;
}

static bool take(Line *l, char c)
{
    const bool there = peek(l) == c;
    l->at += there;
    return there;
}

static void want(Line *l, char c)
{
    if (!take(l, c))
        fail_msg("refusals, line %zu: '%c' is expected before '%s'", l->number, c, l->at);
}

/* Up to one of the characters. */
static char *word(Arena *arena, Line *l, const char *ends)
{
    peek(l);
    const size_t n = strcspn(l->at, ends);
    char *w = arena_strndup(arena, l->at, n);
    l->at += n;
    return w;
}

/* "1,2,3", of which the last one stands for all further ones. */
static void fill(TensorType *t, void *data, char *numbers)
{
    double v = 0;
    for (size_t i = 0, n = (size_t)type_count(t); i < n; i++) {
        if (*numbers) {
            v = strtod(numbers, &numbers);
            numbers += *numbers == ',';
        }
        if (dtype_is_float(t->dtype))
            elem_set_f64(t->dtype, data, i, v);
        else
            elem_set_i64(t->dtype, data, i, (int64_t)v);
    }
}

/* "a,b" */
static void fill_strings(Build *b, Onnx__TensorProto *t, char *words)
{
    t->n_string_data = 1;
    for (size_t i = 0; i < t->n_dims; i++)
        t->n_string_data *= (size_t)t->dims[i];
    t->string_data = ARENA_ARRAY(b->arena, ProtobufCBinaryData, t->n_string_data + 1);
    for (size_t i = 0; i < t->n_string_data; i++) {
        const size_t n = strcspn(words, ",");
        t->string_data[i] = (ProtobufCBinaryData){n, (uint8_t *)words};
        words += words[n] ? n + 1 : 0;
    }
}

/* What follows a = */
static Onnx__TensorProto *contents(Build *b, Line *l, const char *name, DType dtype,
                                   const char *dims)
{
    char *words = word(b->arena, l, " )}");
    if (dtype == DT_STRING) {
        Onnx__TensorProto *strings = build_tensor(b, name, dtype, dims, NULL);
        fill_strings(b, strings, words);
        return strings;
    }
    TensorType t = {.dtype = dtype};
    for (const char *d = dims; *d; d += *d == ',')
        t.dims[t.rank++] = strtoll(d, (char **)(uintptr_t)&d, 10);
    void *data = arena_alloc(b->arena, type_bytes(&t) + 8);
    fill(&t, data, words);
    return build_tensor(b, name, dtype, dims, data);
}

/* Of the dimension that a ? or ! follows as many as an input of bools says: its own, or one that all have in common. */
static const char *some_rows(Build *b, const char *name, DType dtype, char *dims)
{
    char *mark = strpbrk(dims, "?!"), *from = mark;
    int64_t axis = 0;
    const bool common = *mark == '!';
    memmove(mark, mark + 1, strlen(mark));
    while (from > dims && from[-1] != ',')
        from--;
    for (char *d = dims; d < from; d++)
        axis += *d == ',';
    const char *size = arena_strndup(b->arena, from, strcspn(from, ",")),
               *mask = common ? "some" : arena_printf(b->arena, "some_%s", name),
               *all = arena_printf(b->arena, "all_%s", name);
    bool there = false;
    for (size_t i = 0; i < b->graph->n_input; i++)
        there = there || !strcmp(b->graph->input[i]->name, mask);
    if (!there)
        build_input(b, mask, DT_BOOL, size);
    build_input(b, all, dtype, dims);
    build_attr_int(b, build_node(b, "Compress", arena_printf(b->arena, "%s %s", all, mask), name),
                   "axis", axis);
    return name;
}

static Onnx__NodeProto *node(Build *b, Line *l, const char *inputs, const char *outputs);

static DType type_before(Arena *arena, Line *l, char **dims)
{
    DType dtype;
    const char *type = word(arena, l, "[");
    if (!strcmp(type, "string"))
        dtype = DT_STRING;
    else if (!dtype_from_name(type, &dtype))
        fail_msg("refusals, line %zu: an element type is expected", l->number);
    want(l, '[');
    *dims = word(arena, l, "]");
    want(l, ']');
    return dtype;
}

/* As the head of the file says. Returns the name. */
static const char *operand(Build *b, Line *l, const char *name)
{
    char *dims;
    if (take(l, '-'))
        return "-";
    if (peek(l) >= 'A' && *l->at <= 'Z') {
        node(b, l, arena_printf(b->arena, "%s_", name), name);
        return name;
    }
    if (l->at[strcspn(l->at, "[,)")] != '[')
        return word(b->arena, l, ",)");
    const DType dtype = type_before(b->arena, l, &dims);
    if (take(l, '='))
        *build_init(b, name, dtype, "", NULL) = *contents(b, l, name, dtype, dims);
    else if (strpbrk(dims, "?!"))
        some_rows(b, name, dtype, dims);
    else
        build_input(b, name, dtype, dims);
    return name;
}

/* Operands up to a ), named after `name`; their names with spaces between. */
static const char *operands(Build *b, Line *l, const char *name)
{
    const char *all = "";
    for (size_t k = 0; !take(l, ')'); k++, take(l, ','))
        all = arena_printf(b->arena, "%s %s", all,
                           operand(b, l, arena_printf(b->arena, "%s%zu", name, k)));
    return all;
}

/* (INPUT, ...: OUTPUT, ...) */
static Onnx__GraphProto *body(Build *b, Line *l, const char *name)
{
    Onnx__GraphProto *outer = b->graph;
    b->graph = build_graph(b);
    char *inputs = word(b->arena, l, ":");
    want(l, ':');
    for (char *in = strtok(inputs, ", "); in; in = strtok(NULL, ", "))
        build_input(b, in, -1, NULL);
    char *outputs = arena_strdup(b->arena, operands(b, l, name));
    for (char *out = strtok(outputs, " "); out; out = strtok(NULL, " "))
        build_output(b, out, -1, NULL);
    Onnx__GraphProto *graph = b->graph;
    b->graph = outer;
    return graph;
}

/* "a", "b" */
static void strings(Case *c, Line *l, const char *name)
{
    const char *texts[8];
    size_t n = 0;
    for (; !take(l, ']') && n < COUNT_OF(texts); take(l, ',')) {
        want(l, '"');
        texts[n++] = *l->at == '"' ? "" : word(c->b->arena, l, "\"");
        want(l, '"');
    }
    string_list(c, name, texts, n);
}

/* Integers, or floats if one has a point. */
static void list(Case *c, Line *l, const char *name)
{
    int64_t whole[32];
    float real[32];
    size_t n = 0;
    if (peek(l) == '"') {
        strings(c, l, name);
        return;
    }
    char *numbers = word(c->b->arena, l, "]"), *rest = numbers;
    want(l, ']');
    for (; *rest && n < COUNT_OF(whole); n++) {
        whole[n] = strtoll(rest, NULL, 10);
        real[n] = strtof(rest, &rest);
        rest += *rest == ',';
    }
    if (strchr(numbers, '.'))
        floats(c, name, real, n);
    else
        build_attr_ints(c->b, c->n, name, whole, n);
}

static void attribute(Case *c, Line *l)
{
    const char *name = word(c->b->arena, l, "=");
    want(l, '=');
    if (take(l, '[')) {
        list(c, l, name);
    } else if (take(l, '(')) {
        build_attr_graph(c->b, c->n, name, body(c->b, l, name));
    } else if (take(l, '"')) {
        text(c, name, word(c->b->arena, l, "\""));
        want(l, '"');
    } else if (l->at[strcspn(l->at, "[ }")] == '[') {
        char *dims;
        const DType dtype = type_before(c->b->arena, l, &dims);
        want(l, '=');
        build_attr(c->b, c->n, name, ONNX__ATTRIBUTE_PROTO__ATTRIBUTE_TYPE__TENSOR)->t =
            contents(c->b, l, name, dtype, dims);
    } else {
        const char *value = word(c->b->arena, l, " }");
        if (strchr(value, '.'))
            number(c, name, strtof(value, NULL));
        else
            build_attr_int(c->b, c->n, name, strtoll(value, NULL, 10));
    }
}

/* OPERATOR(OPERAND, ...) +... {ATTRIBUTE=VALUE ...}; the names of operands and results begin like that. */
static Onnx__NodeProto *node(Build *b, Line *l, const char *inputs, const char *outputs)
{
    Fixture f = {.arena = b->arena};
    Case c = {.f = &f, .b = b};
    const char *op = word(b->arena, l, "("), *name = outputs;
    want(l, '(');
    inputs = operands(b, l, inputs);
    for (int i = 1; take(l, '+'); i++)
        outputs = arena_printf(b->arena, "%s %s%d", outputs, name, i);
    c.n = build_node(b, op, inputs, outputs);
    if (take(l, '{'))
        while (!take(l, '}'))
            attribute(&c, l);
    return c.n;
}

/* FILE: node N 'NAME' (OPERATOR): what is wrong; of what is about the model or an input, which a line has with the colon before it, FILE and that. */
static bool has_form(const char *said, const char *file, const char *wanted)
{
    const size_t n = strlen(file);
    if (strncmp(said, file, n))
        return false;
    return *wanted == ':' ? !strncmp(said + n, wanted, strlen(wanted))
                          : !strncmp(said + n, ": node ", 7) && strstr(said, "): ");
}

/* Whether the line is refused as it says; if not, what is said is printed. */
static bool refuses(Fixture *f, Line l)
{
    Build *b = build_new(f->arena, strtoll(l.at, (char **)(uintptr_t)&l.at, 10));
    peek(&l);
    const Onnx__NodeProto *n = node(b, &l, "in", "y");
    for (size_t i = 0; i < n->n_output; i++)
        build_output(b, n->output[i], 0, NULL);
    want(&l, ':');
    peek(&l);
    const Graph *g = import_built(f, b, NULL);
    const char *said = g ? "nothing" : f->diag.message;
    const bool good = strstr(said, l.at) && !strchr(said, '\n') && has_form(said, f->path, l.at);
    if (!good)
        print_error("refusals, line %zu: %s, not %s\n", l.number, said, l.at);
    return good;
}

static void all_lines(void **state)
{
    (void)state;
    char buffer[1500];
    FILE *file = fopen("tests/import/refusals", "r");
    size_t bad = 0;
    assert_non_null(file);
    for (size_t n = 1; fgets(buffer, sizeof buffer, file); n++) {
        buffer[strcspn(buffer, "\n")] = 0;
        if (*buffer == '#' || !*buffer)
            continue;
        void *fixture;
        fixture_begin(&fixture);
        bad += !refuses(fixture, (Line){buffer, n});
        fixture_end(&fixture);
    }
    fclose(file);
    assert_int_equal(bad, 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(all_lines)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
