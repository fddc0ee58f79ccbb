/* Rows of text in both directions: see form.h. */
#include "form.h"

#include "data.h"
#include "write.h"

#include <inttypes.h>
#include <string.h>

bool form_failed(const Form *f)
{
    return f->in && f->in->l.refused;
}

/* Reads words and punctuation; false if the first of them is not there, unless it has to be. */
static bool read_text(Lex *l, const char *text, bool expected)
{
    static const char letters[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_";
    for (text += strspn(text, " \n"); *text; text += strspn(text, " \n")) {
        const size_t letters_in = strspn(text, letters), n = letters_in ? letters_in : 1;
        const char *token = arena_strndup(l->arena, text, n);
        if (letters_in ? !lex_accept_word(l, token) : !lex_accept(l, *token))
            return expected && lex_refuse(l, "'%s' is expected here", token);
        expected = true;
        text += n;
    }
    return true;
}

void form_text(Form *f, const char *text)
{
    if (f->in)
        read_text(form_lex(f), text, true);
    else
        text_puts(f->out, text);
}

bool form_if(Form *f, bool is_there, const char *text)
{
    if (f->in)
        return read_text(form_lex(f), text, false);
    if (is_there)
        text_puts(f->out, text);
    return is_there;
}

bool form_peek(Form *f, bool is_there, char first)
{
    return f->in ? lex_peek(form_lex(f), first) : is_there;
}

void form_quoted(Form *f, const char **s)
{
    if (f->in)
        lex_string(form_lex(f), s);
    else
        write_quoted(f->out, *s);
}

void form_label(Form *f, const char *label, const char **s)
{
    const bool is_bare = !label[strspn(label, " ")];
    if (is_bare ? form_peek(f, *s != NULL, '"') : form_if(f, *s != NULL, label)) {
        form_text(f, is_bare ? label : "");
        form_quoted(f, s);
    }
}

void form_word(Form *f, const char **word)
{
    if (f->in)
        lex_word(form_lex(f), word);
    else
        text_puts(f->out, *word);
}

void form_choice(Form *f, const char *const *words, const char *what, unsigned *choice)
{
    const char *word;
    if (!f->in) {
        text_puts(f->out, words[*choice]);
        return;
    }
    *choice = 0;
    if (!lex_word(form_lex(f), &word))
        return;
    while (words[*choice] && strcmp(words[*choice], word) != 0)
        ++*choice;
    if (words[*choice])
        return;
    lex_refuse(form_lex(f), "'%s' is no %s", word, what);
    *choice = 0;
}

void form_size(Form *f, size_t most, size_t *n)
{
    int64_t i = 0;
    if (!f->in)
        text_printf(f->out, "%zu", *n);
    else if (lex_int(form_lex(f), &i) && (i < 0 || (size_t)i > most))
        lex_refuse(form_lex(f), "a number from 0 to %zu is expected", most);
    else
        *n = (size_t)i;
}

void form_int(Form *f, int64_t least, int64_t most, int64_t *n)
{
    if (!f->in)
        text_printf(f->out, "%" PRId64, *n);
    else if (lex_int(form_lex(f), n) && (*n < least || *n > most))
        lex_refuse(form_lex(f), "a number from %" PRId64 " to %" PRId64 " is expected", least,
                   most);
}

void form_row(Form *f, uint32_t *row)
{
    size_t n = *row;
    form_size(f, NO_ROW - 1, &n);
    *row = (uint32_t)n;
}

void form_row_is(Form *f, const char *what, uint32_t i)
{
    uint32_t row = i;
    form_row(f, &row);
    if (row != i)
        lex_refuse(form_lex(f), "%s %u is expected here", what, i);
}

void form_float(Form *f, DType precision, double *v)
{
    LexNumber n = {.f = *v};
    if (f->in)
        lex_number(form_lex(f), &n);
    else
        write_float(f->out, precision, *v);
    *v = n.f;
}

void form_dtype(Form *f, DType *t)
{
    const char *word = f->in ? NULL : dtype_name(*t);
    form_word(f, &word);
    if (f->in && word && !dtype_from_name(word, t))
        lex_refuse(form_lex(f), "'%s' is no element type", word);
}

void form_type(Form *f, TensorType *t)
{
    if (f->in)
        parse_type(f->in, t);
    else
        write_type(f->out, t);
}

void form_layout(Form *f, Layout *l)
{
    if (f->in)
        parse_layout(form_lex(f), l);
    else
        write_layout(f->out, l);
}

void form_target(Form *f, Target *t)
{
    static const char *const words[] = {[TARGET_C] = "c", [TARGET_DNNL] = "dnnl", NULL};
    unsigned target = *t;
    form_choice(f, words, "target", &target);
    *t = (Target)target;
}

void form_data(Form *f, const TensorType *t, const void **data)
{
    if (f->in)
        parse_data(form_lex(f), t, &f->in->budget, data);
    else
        write_data(f->out, t, *data, f->elide);
}

void form_value(Form *f, ValueId *v)
{
    if (f->in)
        parse_value(f->in, v);
    else
        write_value(f->out, f->g, *v);
}

void form_present(Form *f, ValueId *v)
{
    form_value(f, v);
    if (f->in && !has_value(*v))
        lex_refuse(form_lex(f), "a value cannot be absent here");
}

static ValueId name_of(const Graph *g, NodeId id)
{
    const Node *n = node_at(g, id);
    uint32_t k = 0;
    while (k + 1 < n->n_out && !has_value(n->out[k]))
        k++;
    return n->out[k];
}

void form_node(Form *f, NodeId *id)
{
    ValueId v = f->in ? NO_VALUE : name_of(f->g, *id);
    form_value(f, &v);
    const Node *def = has_value(v) ? def_of(f->g, v) : NULL;
    if (def)
        *id = value_at(f->g, v)->def;
    else if (f->in)
        lex_refuse(form_lex(f), "a value that a node makes is expected");
}

void form_list(Form *f, void *list, uint32_t *n, size_t size, FormFn *item)
{
    char *items;
    size_t cap = 0;
    memcpy(&items, list, sizeof items);
    form_text(f, "(");
    for (uint32_t i = 0; f->in ? lex_more(form_lex(f), ')', i) : i < *n; i++) {
        if (f->in) {
            items = arena_grow(form_lex(f)->arena, items, i, &cap, size);
            *n = i + 1;
        } else
            text_puts(f->out, i ? ", " : "");
        item(f, items + i * size);
    }
    if (!f->in)
        text_puts(f->out, ")");
    memcpy(list, &items, sizeof items);
}

static void present_item(Form *f, void *item)
{
    form_present(f, item);
}

static void node_item(Form *f, void *item)
{
    form_node(f, item);
}

void form_values(Form *f, const ValueId **list, uint32_t *n)
{
    form_list(f, list, n, sizeof **list, present_item);
}

void form_nodes(Form *f, const NodeId **list, uint32_t *n)
{
    form_list(f, list, n, sizeof **list, node_item);
}
