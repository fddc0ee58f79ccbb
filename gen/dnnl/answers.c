/* The file of answers. A line that begins with a word is a question, those that are indented are its answer:
 *
 *     oneDNN 3.7.2, isa avx2, threads 1
 *     matmul; src@1 f32[4,8] ab; weights@33 f32[8,16] any; dst@17 f32[4,16] ab
 *       brg_matmul:avx2, scratch 0
 *       row 1: 512 bytes, strides 1x8, blocks 8b, descriptor 02000000…
 *
 * A primitive without an implementation has the answer "none". A descriptor is oneDNN's, in hexadecimal digits with the length of runs of zeros in
 * brackets. A layout without strides is one that only oneDNN can fill. */
#include "answers.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char head_form[] = "oneDNN %s, isa %s, threads %d\n";

static void put_numbers(Text *t, const char *before, const int64_t *v, int n)
{
    text_puts(t, before);
    for (int i = 0; i < n; i++)
        text_printf(t, "%s%lld", i ? "x" : "", (long long)v[i]);
}

static void put_memory(Text *t, const DnnlMemory *m)
{
    text_printf(t, "; %s@%d %s[", m->name, m->arg, dtype_name(m->dtype));
    for (int d = 0; d < m->rank; d++)
        text_printf(t, "%s%lld", d ? "," : "", (long long)m->dims[d]);
    text_puts(t, "]");
    if (m->form == FORM_STRIDES)
        put_numbers(t, " strides ", m->strides, m->rank);
    else if (m->form == FORM_ANY && m->given)
        text_printf(t, " %016" PRIx64, hash64(m->given, m->given_size, 0));
    else if (m->form == FORM_ANY && m->columns)
        text_printf(t, " blocks of %lld columns", (long long)m->columns);
    else
        text_printf(t, " %s", m->form == FORM_ANY ? "any" : m->tag);
}

static void put_post_op(Text *t, const DnnlPostOp *op)
{
    switch (op->kind) {
    case DNNL_POST_SUM:
        text_puts(t, "; + sum");
        return;
    case DNNL_POST_ELTWISE:
        text_printf(t, "; + %s %.9g %.9g", onednn_alg_name(op->alg), (double)op->alpha,
                    (double)op->beta);
        return;
    case DNNL_POST_BINARY:
        text_printf(t, "; + %s row %u", onednn_alg_name(op->alg), op->memory);
        return;
    case DNNL_POST_PRELU:
        text_printf(t, "; + prelu mask %d", op->mask);
        return;
    case DNNL_POST_DEPTHWISE:
        text_printf(t, "; + depthwise stride %d", op->stride);
    }
}

const char *answers_question(Arena *arena, const DnnlPrimitive *p)
{
    Text t = text_new(arena);
    text_puts(&t, onednn_kind_names[p->kind]);
    if (p->alg != ALG_NONE)
        text_printf(&t, " %s", onednn_alg_name(p->alg));
    if (p->one_thread)
        text_puts(&t, " on one thread");
    for (uint32_t i = 0; i < p->n_memory; i++)
        put_memory(&t, &p->memory[i]);
    if (p->spatial) {
        put_numbers(&t, "; window ", p->kernel, p->spatial);
        put_numbers(&t, " strides ", p->strides, p->spatial);
        put_numbers(&t, " dilates ", p->dilates, p->spatial);
        put_numbers(&t, " padding ", p->pad_l, p->spatial);
        put_numbers(&t, " ", p->pad_r, p->spatial);
    }
    if (p->axis || p->size || p->flags)
        text_printf(&t, "; axis %d size %lld flags %u", p->axis, (long long)p->size, p->flags);
    if (p->alpha != 0 || p->beta != 0 || p->k != 0)
        text_printf(&t, "; alpha %.9g beta %.9g k %.9g", (double)p->alpha, (double)p->beta,
                    (double)p->k);
    for (uint32_t i = 0; i < p->n_post; i++)
        put_post_op(&t, &p->post[i]);
    return t.data;
}

Answer *answers_find(const Answers *a, const char *primitive)
{
    for (size_t i = 0; i < a->n; i++)
        if (!strcmp(a->rows[i].primitive, primitive))
            return &a->rows[i];
    return NULL;
}

Answer *answers_add(Answers *a, const char *primitive)
{
    a->rows = arena_grow(a->arena, a->rows, a->n, &a->cap, sizeof *a->rows);
    a->rows[a->n] = (Answer){.primitive = arena_strdup(a->arena, primitive)};
    return &a->rows[a->n++];
}

static void put_bytes(Text *t, const unsigned char *data, size_t n)
{
    for (size_t i = 0; i < n;) {
        size_t run = 0;
        while (i + run < n && !data[i + run])
            run++;
        if (run > 1)
            text_printf(t, "(%zu)", run);
        else
            text_printf(t, "%02x", data[i]);
        i += run > 1 ? run : 1;
    }
}

static void put_choice(Text *t, uint32_t row, const DnnlChoice *c)
{
    text_printf(t, "  row %u: %zu bytes", row, c->bytes);
    if (c->rank)
        put_numbers(t, ", strides ", c->strides, c->rank);
    for (int i = 0; i < c->n_blocks; i++)
        text_printf(t, "%s%d%c", i ? " " : ", blocks ", c->block[i], 'a' + c->block_dim[i]);
    text_printf(t, "%s%s, descriptor ", c->is_plain ? ", plain" : "", c->is_last ? ", last" : "");
    put_bytes(t, c->blob, c->blob_size);
    text_puts(t, "\n");
}

static int by_question(const void *a, const void *b)
{
    return strcmp(((const Answer *)a)->primitive, ((const Answer *)b)->primitive);
}

bool answers_write(Answers *a, Diag *diag, const char *path)
{
    Text t = text_new(a->arena);
    text_printf(&t, head_form, ONEDNN_VERSION_TEXT, a->isa, a->threads);
    if (a->n)
        qsort(a->rows, a->n, sizeof *a->rows, by_question);
    for (size_t i = 0; i < a->n; i++) {
        const Answer *row = &a->rows[i];
        text_printf(&t, "%s\n", row->primitive);
        if (!row->impl)
            text_puts(&t, "  none\n");
        else
            text_printf(&t, "  %s, scratch %zu\n", row->impl, row->scratch_bytes);
        for (uint32_t k = 0; k < row->n_choices; k++)
            put_choice(&t, row->choice[k].row, &row->choice[k].choice);
    }
    return write_file_if_changed(path, t.data, t.size, diag);
}

/* Skips `word` at *s. */
static bool accept(const char **s, const char *word)
{
    const size_t n = strlen(word);
    if (strncmp(*s, word, n) != 0)
        return false;
    *s += n;
    return true;
}

static bool number(const char **s, int64_t least, int64_t most, int64_t *n)
{
    char *end;
    *n = strtoll(*s, &end, 10);
    const bool ok = end != *s && *n >= least && *n <= most;
    *s = end;
    return ok;
}

static int digit(char c)
{
    return c >= '0' && c <= '9' ? c - '0' : c >= 'a' && c <= 'f' ? c - 'a' + 10 : -1;
}

static const int64_t most_bytes = (int64_t)1 << 40; /* of weights */
enum { MOST_DESCRIPTOR = 4096 };                    /* bytes; 3.7.2 has less than 1,000 */

static bool read_bytes(const char *s, unsigned char *data, size_t *n)
{
    int64_t run;
    for (*n = 0; *s;) {
        if (accept(&s, "(")) {
            if (!number(&s, 1, MOST_DESCRIPTOR - (int64_t)*n, &run) || !accept(&s, ")"))
                return false;
            *n += (size_t)run;
        } else {
            if (*n == MOST_DESCRIPTOR || digit(s[0]) < 0 || digit(s[1]) < 0)
                return false;
            data[(*n)++] = (unsigned char)(16 * digit(s[0]) + digit(s[1]));
            s += 2;
        }
    }
    return *n > 0;
}

static bool read_blocks(const char **s, DnnlChoice *c)
{
    int64_t n;
    do {
        if (c->n_blocks == MAX_RANK || !number(s, 2, 4096, &n) || **s < 'a' || **s >= 'a' + c->rank)
            return false;
        c->block[c->n_blocks] = (int)n;
        c->block_dim[c->n_blocks++] = *(*s)++ - 'a';
    } while (accept(s, " "));
    return true;
}

static bool read_choice(Arena *arena, const char *s, Answer *row)
{
    int64_t n, bytes;
    unsigned char data[MOST_DESCRIPTOR] = {0};
    if (row->n_choices == COUNT_OF(row->choice) || !accept(&s, "row ") ||
        !number(&s, 0, UINT32_MAX, &n) || !accept(&s, ": ") || !number(&s, 1, most_bytes, &bytes) ||
        !accept(&s, " bytes"))
        return false;
    DnnlChoice c = {.bytes = (size_t)bytes};
    if (accept(&s, ", strides "))
        do
            if (c.rank == MAX_RANK || !number(&s, 0, most_bytes, &c.strides[c.rank++]))
                return false;
        while (accept(&s, "x"));
    if (accept(&s, ", blocks ") && !read_blocks(&s, &c))
        return false;
    c.is_plain = accept(&s, ", plain");
    c.is_last = accept(&s, ", last");
    if (!accept(&s, ", descriptor ") || !read_bytes(s, data, &c.blob_size))
        return false;
    c.blob = arena_copy(arena, data, c.blob_size);
    row->choice[row->n_choices].row = (uint32_t)n;
    row->choice[row->n_choices++].choice = c;
    return true;
}

/* A line of an answer, without its indentation. */
static bool read_answer(Answers *a, char *line)
{
    Answer *row = a->n ? &a->rows[a->n - 1] : NULL;
    char *scratch = strstr(line, ", scratch ");
    int64_t n;
    if (!row)
        return false;
    if (!strncmp(line, "row ", 4))
        return read_choice(a->arena, line, row);
    if (!strcmp(line, "none"))
        return true;
    if (!scratch)
        return false;
    const char *s = scratch + strlen(", scratch ");
    row->impl = arena_strndup(a->arena, line, (size_t)(scratch - line));
    if (!number(&s, 0, INT64_MAX, &n) || *s)
        return false;
    row->scratch_bytes = (size_t)n;
    return true;
}

static bool read_head(Answers *a, Diag *diag, const char *path, const char *line)
{
    char version[16], isa[32];
    if (sscanf(line, "oneDNN %15[^,], isa %31[^,], threads %d", version, isa, &a->threads) != 3 ||
        a->threads < 1)
        return refuse(diag, "%s: this is no file of --record-engine", path);
    a->isa = arena_strdup(a->arena, isa);
    return !strcmp(version, ONEDNN_VERSION_TEXT) ||
           refuse(diag, "%s: of oneDNN %s, and this compiler plans for %s", path, version,
                  ONEDNN_VERSION_TEXT);
}

bool answers_read(Answers *a, Diag *diag, const char *path)
{
    char *data, *rest;
    size_t size;
    if (!read_file(a->arena, path, &data, &size, diag))
        return false;
    char *line = strtok_r(data, "\n", &rest);
    if (!read_head(a, diag, path, line ? line : ""))
        return false;
    for (size_t at = 2; (line = strtok_r(NULL, "\n", &rest)); at++)
        if (strncmp(line, "  ", 2) != 0)
            answers_add(a, line);
        else if (!read_answer(a, line + 2))
            return refuse(diag, "%s:%zu: this is no answer: %s", path, at, line);
    return true;
}
