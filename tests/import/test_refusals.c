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

/* f32[2,3] is an input of the model, f32[2]=1,2 an initialiser, - is absent. Returns the name. */
static const char *operand(Build *b, Line *l, size_t k)
{
    if (take(l, '-'))
        return "-";
    DType dtype;
    const char *name = arena_printf(b->arena, "in%zu", k);
    if (!dtype_from_name(word(b->arena, l, "["), &dtype))
        fail_msg("refusals, line %zu: an element type is expected", l->number);
    want(l, '[');
    char *dims = word(b->arena, l, "]");
    want(l, ']');
    if (!take(l, '=')) {
        build_input(b, name, dtype, dims);
        return name;
    }
    TensorType t = {.dtype = dtype};
    for (char *d = dims; *d; d += *d == ',')
        t.dims[t.rank++] = strtoll(d, &d, 10);
    void *data = arena_alloc(b->arena, type_bytes(&t) + 8);
    fill(&t, data, word(b->arena, l, " )"));
    build_init(b, name, dtype, dims, data);
    return name;
}

/* Integers, or floats if one has a point. */
static void list(Case *c, Line *l, const char *name)
{
    int64_t whole[32];
    float real[32];
    size_t n = 0;
    char *numbers = word(c->f->arena, l, "]"), *rest = numbers;
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
    const char *name = word(c->f->arena, l, "=");
    want(l, '=');
    if (take(l, '[')) {
        list(c, l, name);
    } else if (take(l, '"')) {
        text(c, name, word(c->f->arena, l, "\""));
        want(l, '"');
    } else {
        const char *value = word(c->f->arena, l, " }");
        if (strchr(value, '.'))
            number(c, name, strtof(value, NULL));
        else
            build_attr_int(c->b, c->n, name, strtoll(value, NULL, 10));
    }
}

/* Whether the line is refused as it says; if not, what is said is printed. */
static bool refuses(Fixture *f, Line l)
{
    Case c = {.f = f};
    c.b = build_new(f->arena, strtoll(l.at, (char **)(uintptr_t)&l.at, 10));
    const char *op = word(f->arena, &l, "("), *inputs = "", *outputs = "y";
    want(&l, '(');
    for (size_t k = 0; !take(&l, ')'); k++, take(&l, ','))
        inputs = arena_printf(f->arena, "%s%s%s", inputs, k ? " " : "", operand(c.b, &l, k));
    for (int i = 1; take(&l, '+'); i++)
        outputs = arena_printf(f->arena, "%s y%d", outputs, i);
    c.n = build_node(c.b, op, inputs, outputs);
    for (size_t i = 0; i < c.n->n_output; i++)
        build_output(c.b, c.n->output[i], 0, NULL);
    if (take(&l, '{'))
        while (!take(&l, '}'))
            attribute(&c, &l);
    want(&l, ':');
    peek(&l);
    const Graph *g = import_built(f, c.b, NULL);
    const char *said = g ? "nothing" : f->diag.message;
    const bool good = strstr(said, l.at) && !strchr(said, '\n');
    if (!good)
        print_error("refusals, line %zu: %s, not %s\n", l.number, said, l.at);
    return good;
}

static void all_lines(void **state)
{
    (void)state;
    char buffer[1000];
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
