/* Operators on strings, of which all is known when the model is compiled. */
#include "../eval/elem.h"
#include "regex.h"
#include "table.h"

#include <ctype.h>
#include <stdlib.h>
#include <strings.h>

static const char *text_at(OnnxNode *c, const int64_t *numbers, int64_t i)
{
    return string_text(c->im, numbers[i]);
}

/* The elements of output k are these. */
static bool finish_strings(OnnxNode *c, uint32_t k, int rank, const int64_t *dims,
                           const int64_t *numbers)
{
    return finish_const(c, k, type_make(DT_STRING, rank, dims), numbers);
}

bool norm_string_concat(OnnxNode *c)
{
    enum { ALIGNED = 64 }; /* what the arena may add */
    size_t n[2];
    const int64_t *x = known_strings(c, 0, &n[0]), *y = x ? known_strings(c, 1, &n[1]) : NULL;
    if (!y)
        return false;
    const TensorType a = *type_in(c, 0), b = *type_in(c, 1);
    /* the shape, and whether there is one: what an addition of such tensors has */
    TensorType whole =
        value_type(c, add(c, string_numbers(c, in_at(c, 0)), string_numbers(c, in_at(c, 1))));
    const int64_t count = type_count(&whole);
    if (failed(c) || !onnx_claim(c->im, (size_t)count * sizeof(int64_t)))
        return false;
    int64_t *out = ARENA_ARRAY(c->arena, int64_t, (size_t)count + 1);
    Walk in[2];
    walk_broadcast(&in[0], &a, &whole);
    walk_broadcast(&in[1], &b, &whole);
    for (int64_t i = 0; i < count; i++) {
        int64_t number[2];
        load_i64(DT_I64, x, &in[0], 1, &number[0]);
        load_i64(DT_I64, y, &in[1], 1, &number[1]);
        const char *first = string_text(c->im, number[0]), *second = string_text(c->im, number[1]);
        if (!onnx_claim(c->im, strlen(first) + strlen(second) + ALIGNED))
            return false;
        const char *both = arena_printf(c->arena, "%s%s", first, second);
        if (!string_number(c->im, both, strlen(both), &out[i]))
            return false;
    }
    return finish_strings(c, 0, whole.rank, whole.dims, out);
}

/* --- StringSplit -------------------------------------------------------------------------------------------------- */

typedef struct Splitter {
    const char *delimiter; /* "": any white space, as much as there is */
    int64_t most;          /* splits; negative: any number */
} Splitter;

/* The next part of *text, which goes on behind it; NULL where there is none. `done` says how many were taken off before. */
static const char *next_part(const Splitter *s, const char **text, int64_t done, size_t *n)
{
    const bool last = s->most >= 0 && done >= s->most, spaces = !*s->delimiter;
    const char *at = *text;
    if (!at)
        return NULL;
    while (spaces && isspace((unsigned char)*at))
        at++;
    const char *end = last     ? NULL
                      : spaces ? at + strcspn(at, " \t\n\v\f\r")
                               : strstr(at, s->delimiter);
    if (spaces && !*at)
        return NULL;
    *n = end ? (size_t)(end - at) : strlen(at);
    *text = !end || (spaces && !*end) ? NULL : end + (spaces ? 1 : strlen(s->delimiter));
    return at;
}

static int64_t count_parts(const Splitter *s, const char *text)
{
    size_t n;
    int64_t parts = 0;
    while (next_part(s, &text, parts, &n))
        parts++;
    return parts;
}

/* x: parts of each string, and how many these are. */
bool norm_string_split(OnnxNode *c)
{
    size_t n;
    const int64_t *x = known_strings(c, 0, &n);
    const Onnx__AttributeProto *delimiter = onnx_attr(c, "delimiter");
    const Splitter s = {delimiter ? arena_strndup(c->arena,
                                                  delimiter->s.len ? (char *)delimiter->s.data : "",
                                                  delimiter->s.len)
                                  : "",
                        get_int(c, "maxsplit", -1)};
    if (failed(c))
        return false;
    TensorType t = *type_in(c, 0);
    int64_t most = 0, *counts = ARENA_ARRAY(c->arena, int64_t, n + 1), empty, all;
    for (size_t i = 0; i < n; i++) {
        counts[i] = count_parts(&s, text_at(c, x, (int64_t)i));
        most = counts[i] > most ? counts[i] : most;
    }
    if (t.rank == MAX_RANK || !mul_i64((int64_t)n, most, &all) || all > MAKE_MAX)
        return refuse_onnx(c, "its result has too many dimensions or strings");
    if (!string_number(c->im, "", 0, &empty) || !onnx_claim(c->im, (size_t)all * sizeof empty))
        return false;
    int64_t *out = ARENA_ARRAY(c->arena, int64_t, (size_t)all + 1);
    for (int64_t i = 0; i < all; i++)
        out[i] = empty;
    for (size_t i = 0; i < n; i++) {
        const char *text = text_at(c, x, (int64_t)i), *part;
        size_t length;
        for (int64_t k = 0; (part = next_part(&s, &text, k, &length)); k++)
            if (!string_number(c->im, part, length, &out[(int64_t)i * most + k]))
                return false;
    }
    if (!finish_const(c, 1, type_make(DT_I64, t.rank, t.dims), counts))
        return false;
    t.dims[t.rank] = most;
    return finish_strings(c, 0, t.rank + 1, t.dims, out);
}

/* --- StringNormalizer --------------------------------------------------------------------------------------------- */

/* 'L' or 'U'. Other letters than those of ASCII would need tables of a locale. */
static bool change_case(OnnxNode *c, char to, const char **text)
{
    char *changed = arena_strdup(c->arena, *text);
    for (char *at = changed; to && *at; at++) {
        if ((unsigned char)*at >= 0x80)
            return refuse_onnx(c, "the case of letters beyond ASCII is not supported");
        *at = (char)(to == 'L' ? tolower(*at) : toupper(*at));
    }
    *text = changed;
    return true;
}

static bool is_stopword(OnnxNode *c, const char *text, const int64_t *words, size_t n, bool exact)
{
    for (size_t i = 0; i < n; i++)
        if (!(exact ? strcmp : strcasecmp)(text, text_at(c, words, (int64_t)i)))
            return true;
    return false;
}

/* A row of strings: without some words, in one case; one empty string where nothing is left. */
bool norm_string_normalizer(OnnxNode *c)
{
    enum { COMPARED_MAX = 1 << 26 };
    size_t n, n_words;
    const int64_t *x = known_strings(c, 0, &n), *words = get_strings(c, "stopwords", &n_words);
    const char *action = get_string(c, "case_change_action", "NONE");
    const bool exact = get_int(c, "is_case_sensitive", 0) != 0;
    const char to = !strcmp(action, "LOWER") ? 'L' : !strcmp(action, "UPPER") ? 'U' : 0;
    if (failed(c))
        return false;
    if (!to && strcmp(action, "NONE"))
        return refuse_onnx(c, "case_change_action '%s' is invalid", action);
    TensorType t = *type_in(c, 0);
    if (t.rank < 1 || t.rank > 2 || (t.rank == 2 && t.dims[0] != 1))
        return refuse_onnx(c, "its input %s is not one row", type_text(c->arena, &t));
    if ((double)n * (double)n_words > COMPARED_MAX)
        return refuse_onnx(c, "%zu words to leave out of %zu are too many", n_words, n);
    int64_t *out = ARENA_ARRAY(c->arena, int64_t, n + 1), left = 0;
    for (size_t i = 0; i < n; i++) {
        const char *text = text_at(c, x, (int64_t)i);
        if (is_stopword(c, text, words, n_words, exact))
            continue;
        if (!change_case(c, to, &text) || !string_number(c->im, text, strlen(text), &out[left++]))
            return false;
    }
    if (left == 0 && !string_number(c->im, "", 0, &out[left++]))
        return false;
    t.dims[t.rank - 1] = left;
    return finish_strings(c, 0, t.rank, t.dims, out);
}

/* --- others -------------------------------------------------------------------------------------------------------- */

bool norm_regex_full_match(OnnxNode *c)
{
    enum { WORK_MAX = 1 << 28 }; /* steps of the pattern, each for each character */
    size_t n;
    const int64_t *x = known_strings(c, 0, &n);
    const Onnx__AttributeProto *a = onnx_attr(c, "pattern");
    if (failed(c))
        return false;
    const char *why = "there is none";
    const Regex *regex =
        a ? regex_new(c->arena,
                      arena_strndup(c->arena, a->s.len ? (char *)a->s.data : "", a->s.len), &why)
          : NULL;
    if (!regex)
        return refuse_onnx(c, "its pattern is not supported: %s", why);
    bool *out = ARENA_ARRAY(c->arena, bool, n + 1);
    double work = 0;
    for (size_t i = 0; i < n && work <= WORK_MAX; i++) {
        work += (double)regex_size(regex) * (double)(strlen(text_at(c, x, (int64_t)i)) + 1);
        if (work <= WORK_MAX)
            out[i] = regex_matches(regex, text_at(c, x, (int64_t)i));
    }
    if (work > WORK_MAX)
        return refuse_onnx(c, "its pattern and strings are too long");
    const TensorType t = *type_in(c, 0);
    return finish_const(c, 0, type_make(DT_BOOL, t.rank, t.dims), out);
}

/* Numbers as strings. */
bool norm_cast_strings(OnnxNode *c, DType to)
{
    size_t n;
    const int64_t *x = known_strings(c, 0, &n);
    const TensorType t = type_make(to, type_in(c, 0)->rank, type_in(c, 0)->dims);
    if (!x || !onnx_claim(c->im, type_bytes(&t)))
        return false;
    void *out = arena_alloc(c->arena, type_bytes(&t) + 1);
    for (size_t i = 0; i < n; i++) {
        const char *text = text_at(c, x, (int64_t)i);
        char *end;
        const bool whole = !dtype_is_float(to);
        const int64_t integer = whole ? strtoll(text, &end, 10) : 0;
        const double number = whole ? 0 : strtod(text, &end);
        if (end == text || *end || to == DT_BOOL)
            return refuse_onnx(c, "a string is not a number of type %s", dtype_name(to));
        whole ? elem_set_i64(to, out, i, integer) : elem_set_f64(to, out, i, number);
    }
    return finish_const(c, 0, t, out);
}
