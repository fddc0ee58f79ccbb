/* oneDNN's primitives by themselves: arguments that lie within their buffers, and texts that are nothing but names, because they
 * become code. */
#include "../dnnl/plan.h"
#include "checker.h"

#include <string.h>

/* The last element that an argument reaches, in elements from its start; false beyond what can be. */
static bool reach(const DnnlMemory *m, int64_t *reached)
{
    int64_t last = 0, step = 1, product;
    for (int i = m->rank - 1; i >= 0; i--) {
        int d = m->form == FORM_TAG ? m->tag[i] - 'a' : i;
        if (!mul_i64(m->dims[d] - 1, m->form == FORM_TAG ? step : m->strides[d], &product) ||
            !add_i64(last, product, &last) || !mul_i64(step, m->dims[d], &step))
            return false;
    }
    *reached = last + 1;
    return last >= 0 && last < INT64_C(1) << 44;
}

static bool is_argument(const Step *s, BufferId b)
{
    for (uint32_t k = 0; k < s->n_in; k++)
        if (s->in[k] == b)
            return true;
    return s->n_out == 1 && s->out[0] == b;
}

/* "abdc": each dimension once. */
static bool is_tag(const char *tag, int rank)
{
    unsigned seen = 0;
    if (!tag || strlen(tag) != (size_t)rank)
        return false;
    for (int i = 0; i < rank; i++) {
        if (tag[i] < 'a' || tag[i] >= 'a' + rank || seen & 1u << (tag[i] - 'a'))
            return false;
        seen |= 1u << (tag[i] - 'a');
    }
    return true;
}

static bool check_memory(const Checker *c, const Step *s, const DnnlMemory *m)
{
    bool ok = is_identifier(m->name) && onednn_arg_name(c->arena, m->arg) && m->rank >= 0 &&
              m->rank <= MAX_RANK;
    for (int d = 0; ok && d < m->rank; d++)
        ok = m->dims[d] >= 0 && m->strides[d] >= 0;
    return (ok && (m->form != FORM_TAG || is_tag(m->tag, m->rank))) ||
           wrong(c, "%s: an argument without a name, a tag or dimensions", s->label);
}

/* Packed constants are as large as oneDNN said; all others reach as far as their strides. */
static bool check_place_of(const Checker *c, const Step *s, const DnnlMemory *m)
{
    int64_t reached;
    if (m->buffer == NO_BUFFER)
        return true;
    if (m->buffer >= c->p->n_buffers ||
        (m->form == FORM_ANY &&
         (m->blob >= c->p->n_buffers || at(c, m->blob)->kind != BUFFER_CONST ||
          at(c, m->buffer)->kind != BUFFER_CONST)))
        return wrong(c, "%s: argument %s is in a buffer that there is not", s->label, m->name);
    if (m->form == FORM_ANY)
        return true;
    const bool dst = m->arg == ARG_DST;
    if (dst ? s->n_out != 1 || s->out[0] != m->buffer
            : !is_argument(s, m->buffer) && at(c, m->buffer)->kind != BUFFER_CONST)
        return wrong(c, "%s: argument %s is in no list of the step", s->label, m->name);
    return (reach(m, &reached) &&
            (size_t)reached * dtype_size(m->dtype) <= at(c, m->buffer)->bytes) ||
           wrong(c, "%s: argument %s reaches beyond buffer %u", s->label, m->name, m->buffer);
}

/* "brgconv_1x1:avx512_core" */
static bool is_implementation(const char *s)
{
    static const char ok[] =
        "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_:;,.+-()<>= ";
    return s && s[strspn(s, ok)] == 0;
}

/* What belongs to a kind is there, and nothing else is. */
static bool check_kind(const Checker *c, const Step *s, const DnnlPrimitive *d)
{
    return ((d->kind == KIND_WINOGRAD) == (d->winograd != NULL) &&
            (d->kind == KIND_INDIRECT) == (d->indirect != NULL) &&
            (d->kind == KIND_WITH_EPILOGUE) == (d->epilogue != NULL) &&
            (d->kind == KIND_ATTENTION) == (d->attention != NULL) && d->spatial >= 0 &&
            d->spatial <= MAX_SPATIAL) ||
           wrong(c, "%s: what its kind of primitive needs is missing", s->label);
}

/* The words of primitives.def, as the arguments without which a kind is nothing; 0: not one of these. */
#define SRC ARG_SRC
#define SRC_1 ARG_SRC_1
#define WEIGHTS ARG_WEIGHTS
#define DST ARG_DST
#define BETWEEN ARG_DST
enum {
    BIAS,
    SOURCES = 0,
    WINDOW = 0,
    ALG = 0,
    ALPHA = 0,
    BETA = 0,
    K = 0,
    AXIS = 0,
    SIZE = 0,
    FLAGS = 0,
    NONE = 0
};
enum { MOST_WORDS = 8 };

static const struct {
    bool
        in_c; /* emitted C reads and writes the arguments itself, so that they have to have buffers */
    int arg[MOST_WORDS];
} needed[KIND_COUNT] = {
#define KIND(id, name, function, ...) [KIND_##id] = {false, {__VA_ARGS__}},
#define COMPOSITE(id, name, ...) [KIND_##id] = {true, {__VA_ARGS__}},
#include "../dnnl/primitives.def"
};

static bool has_argument(const DnnlPrimitive *d, int arg)
{
    const DnnlMemory *m = onednn_memory_of(d, arg);
    return m && (!needed[d->kind].in_c || m->buffer != NO_BUFFER);
}

static bool check_arguments(const Checker *c, const Step *s, const DnnlPrimitive *d)
{
    bool ok = true;
    for (int i = 0; i < MOST_WORDS; i++)
        ok = ok && (!needed[d->kind].arg[i] || has_argument(d, needed[d->kind].arg[i]));
    if (!ok || (d->winograd && !d->winograd->matmul && !has_argument(d, ARG_WEIGHTS)))
        return wrong(c, "%s: an argument of its kind is missing", s->label);
    for (uint32_t i = 0; i < d->n_memory; i++) {
        const int attribute = onednn_attribute_of(&d->memory[i]);
        if (attribute && !onednn_memory_of(d, d->memory[i].arg & ~attribute))
            return wrong(c, "%s: %s belong to no argument", s->label, d->memory[i].name);
    }
    return true;
}

/* A primitive, or one inside of it. */
static bool check_one(const Checker *c, const Step *s, const DnnlPrimitive *d)
{
    if (!is_implementation(d->impl))
        return wrong(c, "%s: oneDNN's implementation has no name", s->label);
    if (!check_kind(c, s, d) || !check_arguments(c, s, d))
        return false;
    for (uint32_t i = 0; i < d->n_memory; i++)
        if (!check_memory(c, s, &d->memory[i]) || !check_place_of(c, s, &d->memory[i]))
            return false;
    for (uint32_t i = 0; i < d->n_post; i++)
        if (d->post[i].kind != DNNL_POST_ELTWISE && d->post[i].kind != DNNL_POST_SUM &&
            d->post[i].memory >= d->n_memory)
            return wrong(c, "%s: a post-op without its operand", s->label);
    return true;
}

/* Heads are where an argument is, and within its buffer from their first element on. */
static bool check_heads(const Checker *c, const Step *s, const DnnlPrimitive *d, const DnnlHeads *h)
{
    const DnnlMemory *m = h->memory < d->n_memory ? &d->memory[h->memory] : NULL;
    int64_t reached = 0;
    bool ok = m && m->buffer < c->p->n_buffers && m->rank == HEAD_RANK && m->form == FORM_STRIDES &&
              !memcmp(m->dims, h->dims, sizeof h->dims) &&
              !memcmp(m->strides, h->strides, sizeof h->strides) && reach(m, &reached);
    const int64_t size = ok ? (int64_t)(at(c, m->buffer)->bytes / dtype_size(m->dtype)) : 0;
    return (ok && h->offset >= 0 && h->offset <= size && reached <= size - h->offset) ||
           wrong(c, "%s: a head of the attention is beyond its argument", s->label);
}

static bool check_attention(const Checker *c, const Step *s, const DnnlPrimitive *d)
{
    const DnnlAttention *a = d->attention;
    const DnnlHeads *const heads[] = {&a->query, &a->key, &a->value, &a->dst};
    for (size_t i = 0; i < COUNT_OF(heads); i++)
        if (!check_heads(c, s, d, heads[i]))
            return false;
    for (uint32_t i = 0; i < a->n_ops; i++)
        if (a->op[i].kind != SCORE_SCALE && !check_heads(c, s, d, &a->mask[i]))
            return false;
    return true;
}

static bool check_inside(const Checker *c, const Step *s, const DnnlPrimitive *d)
{
    if (d->winograd && d->winograd->matmul && !check_one(c, s, d->winograd->matmul))
        return false;
    if (d->epilogue && (!d->epilogue->head || !check_one(c, s, d->epilogue->head)))
        return wrong(c, "%s: what its loop in C follows on is missing", s->label);
    for (int k = 0; d->attention && !is_attention_in_c(d) && k < 3; k++)
        if (!d->attention->part[k] || !check_one(c, s, d->attention->part[k]))
            return wrong(c, "%s: a primitive of the attention is missing", s->label);
    return !d->attention || check_attention(c, s, d);
}

/* Tables in front of weights tell emitted C where to read. */
static const char *wrong_tables(const Checker *c, const DnnlPrimitive *d)
{
    const Buffer *weights = at(c, onednn_memory_of(d, ARG_WEIGHTS)->buffer);
    return weights->kind == BUFFER_CONST
               ? mixed_wrong_tables(d->indirect, weights->data, weights->bytes)
               : "its weights are not constant";
}

/* What emitted C computes with. */
static bool check_numbers(const Checker *c, const Step *s, const DnnlPrimitive *d)
{
    const char *why = d->winograd            ? winograd_wrong_numbers(d, c->p->threads)
                      : d->indirect          ? indirect_wrong_numbers(d, c->p->threads)
                      : is_attention_in_c(d) ? attention_wrong_numbers(d, c->p->threads)
                                             : NULL;
    if (!why && d->indirect && d->indirect->fours)
        why = wrong_tables(c, d);
    return !why || wrong(c, "%s: %s", s->label, why);
}

/* Arguments of a step are in buffers; those of a primitive within it may be in scratch memory. */
bool check_primitive(const Checker *c, const Step *s)
{
    const DnnlPrimitive *d = s->dnnl;
    if (!check_one(c, s, d) || !check_inside(c, s, d) || !check_numbers(c, s, d))
        return false;
    const DnnlPrimitive *core = onednn_core((DnnlPrimitive *)d);
    for (uint32_t i = 0; i < core->n_memory; i++)
        if (core->memory[i].buffer == NO_BUFFER && (core == d || s->scratch == NO_BUFFER))
            return wrong(c, "%s: argument %s has no buffer", s->label, core->memory[i].name);
    const size_t scratch = s->scratch == NO_BUFFER ? 0 : at(c, s->scratch)->bytes;
    return d->scratch_bytes <= scratch ||
           wrong(c, "%s: %zu bytes of scratch memory, %zu are needed", s->label, scratch,
                 d->scratch_bytes);
}
