/* Rows of text in both directions: the same calls print a row, or read it. So what a row looks like is written down once.
 *
 * When a row is read, what it becomes is a row of zeros before. After a refusal the rest of the text counts as empty (Lex), so that nobody needs to
 * ask after each step whether it went well; form_failed() says it in the end, and where a number is used at once. */
#pragma once

#include "parse.h"

typedef struct Form {
    Parser *in;     /* what it is read from; NULL: it is printed */
    const Graph *g; /* whose values have names */
    Text *out;
    bool elide, explain; /* large constants are left out; what is for reading only is not */
} Form;

typedef void FormFn(Form *f, void *item);

/* What of a row is read by. */
static inline Lex *form_lex(Form *f)
{
    return &f->in->l;
}
bool form_failed(const Form *f); /* never where it is printed */
/* Words and punctuation, with the white space that is printed around them. */
void form_text(Form *f, const char *text);
/* The same where `is_there`; whether it is. */
bool form_if(Form *f, bool is_there, const char *text);
/* Whether something that begins so follows; nothing is printed or read. */
bool form_peek(Form *f, bool is_there, char first);
/* A text in quotes behind `label`, left out where it is NULL. */
void form_label(Form *f, const char *label, const char **s);
void form_quoted(Form *f, const char **s);
void form_word(Form *f, const char **word);
/* One of the words of a list that ends with NULL. */
void form_choice(Form *f, const char *const *words, const char *what, unsigned *choice);
void form_size(Form *f, size_t most, size_t *n);
void form_int(Form *f, int64_t least, int64_t most, int64_t *n);
void form_row(Form *f, uint32_t *row); /* a number below NO_ROW */
/* Rows are numbered: this has to be row i. */
void form_row_is(Form *f, const char *what, uint32_t i);
void form_float(Form *f, DType precision, double *v);
void form_dtype(Form *f, DType *t);
void form_type(Form *f, TensorType *t);
void form_layout(Form *f, Layout *l);
void form_target(Form *f, Target *t);
void form_data(Form *f, const TensorType *t, const void **data);
void form_value(Form *f, ValueId *v);   /* "%x", or "_" where there is none */
void form_node(Form *f, NodeId *id);    /* by the first of its outputs that is wanted */
void form_present(Form *f, ValueId *v); /* a value that is there */
/* "(a, b)": a list is a pointer to its items, of `size` bytes each, and their number. */
void form_list(Form *f, void *list, uint32_t *n, size_t size, FormFn *item);
void form_values(Form *f, const ValueId **list, uint32_t *n); /* that are there */
void form_nodes(Form *f, const NodeId **list, uint32_t *n);

/* rows.c: a graph and its columns; print.c: one of its nodes. */
void form_graph(Form *f);
void print_node(Form *p, uint32_t i);
