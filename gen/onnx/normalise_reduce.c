/* Reductions along axes, softmax and einsum. */
#include "dependent_rows.h"
#include "table.h"

#include <ctype.h>

/* Over no axis: each element is what it would be as the only one that is added up. */
static bool reduce_nothing(OnnxNode *c)
{
    const ValueId x = in_at(c, 0);
    switch (c->row->op) {
    case OP_ReduceL1:
    case OP_ReduceL2:
        return finish(c, 0, OP_Abs, IN(x), NULL);
    case OP_ReduceLogSum:
        return finish(c, 0, OP_Log, IN(x), NULL);
    case OP_ReduceSumSquare:
        return finish(c, 0, OP_Mul, IN(x, x), NULL);
    default:
        return alias(c, 0, x);
    }
}

bool norm_reduce(OnnxNode *c)
{
    size_t n;
    int64_t axes[MAX_RANK];
    const int64_t *given = ints_of(c, "axes", 1, &n);
    if (ok(c) && n == 0 && get_int(c, "noop_with_empty_axes", 0))
        return reduce_nothing(c);
    n = sorted_axes(c, given, n, type_in(c, 0)->rank, axes);
    return finish(
        c, 0, c->row->op, IN(in_at(c, 0)),
        ATTRS(ATTR_IS("axes", axes, n), ATTR_I("keepdims", get_int(c, "keepdims", 1) == 1)));
}

static bool finish_top_k(OnnxNode *c, int axis, int64_t k)
{
    return finish_all(
        c, 2, OP_TopK, IN(in_at(c, 0)),
        read_attrs(c, OP_TopK, "largest=1 sorted=1", ATTRS(ATTR_I("axis", axis), ATTR_I("k", k))));
}

/* How many are asked for depends on data: the best ones come first, so that those count. */
static bool dependent_top_k(OnnxNode *c, int axis, Number k)
{
    const int64_t size = type_in(c, 0)->dims[axis];
    if (!finish_top_k(c, axis, k.most < size ? k.most : size))
        return false;
    for (uint32_t o = 0; o < 2; o++) {
        if (!wants(c, o))
            continue;
        const ValueId v = c->out[o].value;
        /* No more than there are. */
        const ValueId rows = rows_along(c->im, v, axis),
                      most = has_value(rows) ? rows : count_const(c, size);
        set_rows(c->im, v, (Rows){axis, count_op(c, OP_Min, k.value, most)});
    }
    return ok(c);
}

bool norm_top_k(OnnxNode *c)
{
    int64_t k = 0;
    size_t n;
    const Number *number = NULL;
    if (!need_inputs(c, 1, c->opset < 10 ? 1 : 2))
        return false;
    if (c->opset < 10)
        k = get_int(c, "k", 0);
    else if (!(number = input_numbers(c, 1, "K", &n)) || n != 1)
        return refuse_onnx(c, "input 1 (K) must be a single number");
    int axis = get_axis(c, "axis", -1, type_in(c, 0)->rank);
    if (ok(c) && number && has_value(number->value))
        return dependent_top_k(c, axis, *number);
    return finish_top_k(c, axis, number ? number->most : k);
}

bool norm_cum_sum(OnnxNode *c)
{
    int axis = fix_axis(c, known_int(c, 1, "axis"), type_in(c, 0)->rank);
    return finish(c, 0, c->row->op, IN(in_at(c, 0)),
                  read_attrs(c, c->row->op, "exclusive=0 reverse=0", ATTRS(ATTR_I("axis", axis))));
}

/* Before opset 13 all dimensions from axis on were taken together. */
bool norm_softmax(OnnxNode *c)
{
    int rank = type_in(c, 0)->rank;
    bool old = c->opset < 13;
    int64_t given = get_int(c, "axis", old ? 1 : -1);
    int axis = old && given == rank ? rank : fix_axis(c, given, rank);
    return finish(c, 0, c->row->op, IN(in_at(c, 0)),
                  ATTRS(ATTR_I("axis", axis), ATTR_I("axis_end", old ? rank : axis + 1)));
}

/* Einsum: the equation without blanks, with its output, the ellipsis written out, in lower-case letters. */
enum { MAX_TERMS = 64, LABELS = 256 };

typedef struct Equation {
    OnnxNode *c;
    size_t n_terms;
    char terms[MAX_TERMS + 1][MAX_RANK + 1]; /* the output's is last; '.' stands for the ellipsis */
    int ellipsis;                            /* rank of what it stands for */
    bool has_output;
} Equation;

static bool add_label(Equation *e, char **at, char ch)
{
    char *term = e->terms[e->n_terms - 1];
    if (*at - term >= MAX_RANK)
        return refuse_onnx(e->c, "a term of its equation is too long");
    *(*at)++ = ch;
    **at = 0;
    return true;
}

static bool parse_equation(Equation *e, const char *s)
{
    e->n_terms = 1;
    char *at = e->terms[0];
    for (; *s; s++) {
        if (*s == ' ')
            continue;
        bool arrow = s[0] == '-' && s[1] == '>', dots = !strncmp(s, "...", 3);
        if (*s == ',' || arrow) {
            if (e->has_output || e->n_terms >= MAX_TERMS)
                return refuse_onnx(e->c, "its equation is malformed");
            e->has_output = arrow;
            at = e->terms[e->n_terms++];
            s += arrow;
        } else if (dots ? strchr(e->terms[e->n_terms - 1], '.') != NULL
                        : !isalpha((unsigned char)*s)) {
            return refuse_onnx(e->c, "its equation is malformed");
        } else if (!add_label(e, &at, dots ? '.' : *s)) {
            return false;
        } else {
            s += dots ? 2 : 0;
        }
    }
    size_t n_in = e->n_terms - e->has_output;
    return n_in == e->c->n_in ||
           refuse_onnx(e->c, "its equation has %zu terms for %u inputs", n_in, e->c->n_in);
}

/* The output when none is written: the ellipsis, then every letter that comes once, in alphabetical order. */
static bool implicit_output(Equation *e)
{
    int count[LABELS] = {0};
    for (size_t i = 0; i < e->n_terms; i++)
        for (const char *p = e->terms[i]; *p; p++)
            count[(unsigned char)*p]++;
    char *at = e->terms[e->n_terms++];
    if (count['.'] && !add_label(e, &at, '.'))
        return false;
    for (int ch = 'A'; ch <= 'z'; ch++)
        if (isalpha(ch) && count[ch] == 1 && !add_label(e, &at, (char)ch))
            return false;
    return true;
}

static bool measure_ellipsis(Equation *e)
{
    for (uint32_t k = 0; k < e->c->n_in; k++) {
        int letters = (int)strlen(e->terms[k]), rank = type_in(e->c, k)->rank;
        bool dots = strchr(e->terms[k], '.') != NULL;
        int spare = rank - (letters - dots);
        if (spare < 0 || (!dots && spare))
            return refuse_onnx(e->c, "input %u has rank %d, its term '%s' another", k, rank,
                               e->terms[k]);
        e->ellipsis = spare > e->ellipsis ? spare : e->ellipsis;
    }
    return true;
}

/* Letters of the model and positions of the ellipsis get lower-case letters in order of appearance. */
typedef struct Letters {
    char of[LABELS];
    char dots[MAX_RANK];
    int n;
} Letters;

static char letter(Equation *e, Letters *l, char *slot)
{
    if (!*slot && l->n == 26)
        refuse_onnx(e->c, "its equation has more than 26 different dimensions");
    if (!*slot && ok(e->c))
        *slot = (char)('a' + l->n++);
    return *slot;
}

static void write_term(Equation *e, Letters *l, const char *term, int ellipsis, Text *t)
{
    for (; *term; term++) {
        if (*term != '.') {
            text_printf(t, "%c", letter(e, l, &l->of[(unsigned char)*term]));
            continue;
        }
        for (int d = e->ellipsis - ellipsis; d < e->ellipsis; d++)
            text_printf(t, "%c", letter(e, l, &l->dots[d]));
    }
}

/* Dimensions under the ellipsis broadcast; Einsum's letters do not: a 1 that must grow is expanded. */
static ValueId broadcast_ellipsis(Equation *e, uint32_t k, const int64_t *dims)
{
    const char *dots = strchr(e->terms[k], '.');
    TensorType t = *type_in(e->c, k);
    if (!dots)
        return in_at(e->c, k);
    int n = t.rank - ((int)strlen(e->terms[k]) - 1), at = (int)(dots - e->terms[k]);
    for (int d = 0; d < n; d++)
        t.dims[at + d] = dims[e->ellipsis - n + d];
    return expand(e->c, in_at(e->c, k), t.rank, t.dims);
}

static bool ellipsis_dims(Equation *e, int64_t *dims)
{
    for (int d = 0; d < e->ellipsis; d++)
        dims[d] = 1;
    for (uint32_t k = 0; k < e->c->n_in; k++) {
        const char *dots = strchr(e->terms[k], '.');
        const TensorType *t = type_in(e->c, k);
        int n = dots ? t->rank - ((int)strlen(e->terms[k]) - 1) : 0;
        for (int d = 0; d < n; d++) {
            int64_t *dim = &dims[e->ellipsis - n + d], have = t->dims[(dots - e->terms[k]) + d];
            if (*dim != have && *dim != 1 && have != 1)
                return refuse_onnx(e->c, "its inputs do not broadcast");
            *dim = *dim == 1 ? have : *dim;
        }
    }
    return true;
}

bool norm_einsum(OnnxNode *c)
{
    Equation e = {.c = c};
    Letters l = {0};
    int64_t dims[MAX_RANK];
    if (!parse_equation(&e, get_string(c, "equation", "")) ||
        (!e.has_output && !implicit_output(&e)) || !measure_ellipsis(&e) ||
        !ellipsis_dims(&e, dims))
        return false;
    ValueId *in = ARENA_ARRAY(c->arena, ValueId, c->n_in);
    Text t = text_new(c->arena);
    for (uint32_t k = 0; k < c->n_in; k++) {
        int letters = (int)strlen(e.terms[k]) - (strchr(e.terms[k], '.') != NULL);
        in[k] = broadcast_ellipsis(&e, k, dims);
        text_puts(&t, k ? "," : "");
        write_term(&e, &l, e.terms[k], type_in(c, k)->rank - letters, &t);
    }
    text_puts(&t, "->");
    write_term(&e, &l, e.terms[e.n_terms - 1], e.ellipsis, &t);
    return finish(c, 0, OP_Einsum, in, c->n_in, ATTRS(ATTR_S("equation", t.data)));
}
