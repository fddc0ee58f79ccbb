/* Reads a user's patterns. The file is checked as a whole when it is read: what is wrong in it is
 * refused with its place, so that passes may rely on every row. */
#include "file.h"

#include "pattern.h"

#include "../../gen/dnnl/plan.h"
#include "../../gen/ops/ops.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

bool pattern_file_refuse(PatternFile *f, const char *at, const char *what)
{
    return refuse_at_place(f->diag, f->path, f->text, at, what);
}

bool pattern_file_next_is(const PatternFile *f, const char *w)
{
    size_t n = strlen(w);
    return strncmp(f->p, w, n) == 0 &&
           !(isalnum((unsigned char)w[0]) && (isalnum((unsigned char)f->p[n]) || f->p[n] == '_'));
}

bool pattern_file_accept(PatternFile *f, const char *w)
{
    f->p = pattern_skip(f->p);
    if (!pattern_file_next_is(f, w))
        return false;
    f->p += strlen(w);
    return true;
}

bool pattern_file_expect(PatternFile *f, const char *w)
{
    return pattern_file_accept(f, w) ||
           pattern_file_refuse(f, f->p, arena_printf(f->arena, "'%s' is expected", w));
}

const char *pattern_file_word(PatternFile *f)
{
    f->p = pattern_skip(f->p);
    size_t n = 0;
    while (isalnum((unsigned char)f->p[n]) || f->p[n] == '_')
        n++;
    const char *w = arena_strndup(f->arena, f->p, n);
    if (n == 0)
        pattern_file_refuse(f, f->p, "a word is expected");
    f->p += n;
    return n ? w : NULL;
}

/* Without comments, and with single blanks. */
static const char *single_line(Arena *arena, const char *p, const char *end)
{
    char *line = arena_strndup(arena, p, (size_t)(end - p)), *to = line;
    while (p < end) {
        const char *next = pattern_skip(p);
        if (next >= end)
            break;
        if (next > p)
            *to++ = ' ';
        p = next;
        *to++ = *p++;
    }
    *to = 0;
    return line;
}

bool pattern_file_pattern(PatternFile *f, bool hole, const Pattern **pattern, const char **text)
{
    PatternError error;
    const char *end;
    if (!pattern_file_expect(f, ":"))
        return false;
    f->p = pattern_skip(f->p);
    *pattern = pattern_parse_prefix(f->arena, f->p, &end, &error);
    if (!*pattern || !pattern_check(*pattern, hole, &error))
        return pattern_file_refuse(f, error.at, error.what);
    *text = single_line(f->arena, f->p, end);
    f->p = end;
    return pattern_file_expect(f, ";");
}

/* --- anchors ----------------------------------------------------------------------------------- */

/* A product of rows that a Reshape has made. */
static bool is_flattening(const Pattern *op)
{
    const Pattern *rows = op->arg[0];
    return (op->op == OP_Gemm || op->op == OP_MatMul) && rows->kind == PAT_VALUE && rows->inner &&
           rows->inner->kind == PAT_OP && rows->inner->op == OP_Reshape && !rows->inner->optional &&
           pattern_min_nodes(rows->inner->arg[0]) == 0 && pattern_has_predicate(rows, "flattened");
}

static bool visit_anchor(const Pattern *op, void *data)
{
    const AnchorRow *row = data;
    bool has_bias =
        op->op == OP_Conv || op->op == OP_ConvTranspose || op->op == OP_MatMul || op->op == OP_Gemm;
    if (row->what == ANCHOR_LAYER && !has_bias)
        return false;
    if (row->what == ANCHOR_ATTENTION)
        return op->op == OP_MatMul && pattern_min_nodes(op) >= 3 && !op->optional &&
               op->node_name && strcmp(op->node_name, "anchor") == 0;
    if (row->what == ANCHOR_SUM_NORM)
        return (op->op == OP_LayerNormalization || op->op == OP_RMSNormalization) &&
               pattern_min_nodes(op) >= 2 && !op->optional && op->node_name &&
               strcmp(op->node_name, "anchor") == 0;
    for (uint32_t i = 0; i < op->n_args; i++)
        if ((pattern_min_nodes(op->arg[i]) || op->arg[i]->kind == PAT_CHAIN) &&
            !(i == 0 && is_flattening(op)))
            return false;
    return !op->optional && op->node_name && strcmp(op->node_name, "anchor") == 0 &&
           pattern_binds(op, "src");
}

/* Without a list it takes whatever a convolution does; an attention and a sum with a norm take nothing. */
static bool take_takes(PatternFile *f, AnchorKind what, unsigned *takes)
{
    const bool nothing = what == ANCHOR_ATTENTION || what == ANCHOR_SUM_NORM;
    *takes = nothing ? 0 : TAKES_ALL;
    if (nothing)
        return true;
    if (!pattern_file_accept(f, "takes"))
        return true;
    *takes = 0;
    while (*(f->p = pattern_skip(f->p)) != ':') {
        const char *at = f->p, *word = pattern_file_word(f);
        size_t bit = 0;
        while (word && takes_name(bit) && strcmp(takes_name(bit), word) != 0)
            bit++;
        if (!word || !takes_name(bit))
            return word && pattern_file_refuse(
                               f, at,
                               "relu, eltwise, sum, scalar, channel, full, prelu, cast, depthwise "
                               "or ':' is expected");
        *takes |= 1u << bit;
    }
    return true;
}

static bool take_anchor(PatternFile *f)
{
    PatternTable *t = f->table;
    AnchorRow row = {.what = ANCHOR_PLAIN};
    if (!pattern_file_expect(f, "\""))
        return false;
    size_t n = strcspn(f->p, "\"\n");
    row.name = arena_strndup(f->arena, f->p, n);
    for (const char *c = row.name; *c; c++)
        if (!isalnum((unsigned char)*c) && *c != '_' && *c != '.')
            return pattern_file_refuse(
                f, f->p, "a name of letters, digits, dots and underscores is expected");
    if (n == 0 || n > 64)
        return pattern_file_refuse(f, f->p, "a name of 1 to 64 characters is expected");
    f->p += n;
    if (!pattern_file_expect(f, "\"") || !pattern_file_expect(f, "channel"))
        return false;
    char *end;
    f->p = pattern_skip(f->p);
    const char *at = f->p;
    long channel = strtol(f->p, &end, 10);
    if (end == f->p || channel < -1 || channel >= MAX_RANK)
        return pattern_file_refuse(f, at, "a dimension is expected, or -1 for the last one");
    f->p = end;
    row.channel = (int)channel;
    if (pattern_file_accept(f, "layer"))
        row.what = ANCHOR_LAYER;
    else if (pattern_file_accept(f, "attention"))
        row.what = ANCHOR_ATTENTION;
    else if (pattern_file_accept(f, "sum_norm"))
        row.what = ANCHOR_SUM_NORM;
    else if (!pattern_file_expect(f, "plain"))
        return false;
    if (!take_takes(f, row.what, &row.takes))
        return false;
    at = pattern_skip(f->p);
    if (!pattern_file_pattern(f, false, &row.pattern, &row.text))
        return false;
    if (!pattern_roots(row.pattern, visit_anchor, &row))
        return pattern_file_refuse(
            f, row.pattern->at,
            "an anchor is one node, marked !anchor, that reads $src; a layer is a "
            "Conv, ConvTranspose, MatMul or Gemm; an attention a MatMul of what a "
            "Softmax makes of another MatMul; a sum_norm a LayerNormalization or "
            "RMSNormalization of what another node makes");
    ARENA_PUSH(f->arena, t->anchor, t->n_anchors, f->cap_anchors, row);
    return true;
}

/* --- what is appended -------------------------------------------------------------------------- */

static bool is_hole(const Pattern *p)
{
    return p->kind == PAT_HOLE;
}

/* Two operands, one of them % and the other one as wanted. */
static bool has_operands(const Pattern *op, bool number)
{
    if (op->n_args != 2 || is_hole(op->arg[0]) == is_hole(op->arg[1]))
        return false;
    const Pattern *other = op->arg[is_hole(op->arg[0])];
    return number ? other->kind == PAT_NUMBER
                  : other->kind == PAT_VALUE && !other->inner && strcmp(other->name, "arg") == 0;
}

static bool has_predicate(const Pattern *op, const char *name)
{
    return pattern_has_predicate(op->arg[is_hole(op->arg[0])], name);
}

/* A constant of floats under this name. */
static bool is_operand(const Pattern *p, const char *name)
{
    return p->kind == PAT_VALUE && !p->inner && strcmp(p->name, name) == 0 &&
           pattern_has_predicate(p, "const") && pattern_has_predicate(p, "f32");
}

typedef struct AppendCheck {
    AppendKind kind;
    const Pattern *at;
    const char *what;
} AppendCheck;

/* Mul(%, %), Pow(%, #number), Div(#number, %): powers, which oneDNN counts among the eltwise functions. */
static bool is_power(const Pattern *op)
{
    if (op->op == OP_Mul)
        return op->n_args == 2 && is_hole(op->arg[0]) && is_hole(op->arg[1]);
    return (op->op == OP_Pow || op->op == OP_Div) && has_operands(op, true) &&
           is_hole(op->arg[0]) == (op->op == OP_Pow);
}

static bool fits_kind(const Pattern *op, AppendCheck *c)
{
    Algorithm alg;
    float alpha, beta;
    const Node bare = {.op = op->op};
    bool arithmetic = op->op == OP_Add || op->op == OP_Sub || op->op == OP_Mul || op->op == OP_Div;
    switch (c->kind) {
    case APPEND_ELTWISE:
        c->what = "an eltwise post-op is one node that reads %, of an operator oneDNN has as one";
        return is_power(op) || (op->n_args == 1 && is_hole(op->arg[0]) &&
                                onednn_eltwise_of(&bare, &alg, &alpha, &beta));
    case APPEND_LINEAR:
        c->what = "a linear post-op adds, subtracts, multiplies or divides % and a #number";
        return arithmetic && has_operands(op, true) && (op->op != OP_Div || is_hole(op->arg[0]));
    case APPEND_BIAS:
        c->what = "a bias is Add(%, $arg:const,per_channel)";
        return op->op == OP_Add && has_operands(op, false) && has_predicate(op, "per_channel") &&
               has_predicate(op, "const");
    case APPEND_SUM:
        c->what = "a sum is Add(%, $arg:full,overwritable)";
        return op->op == OP_Add && has_operands(op, false) && has_predicate(op, "full") &&
               has_predicate(op, "overwritable");
    case APPEND_BINARY:
        c->what = "a binary post-op is one node of Add, Sub, Mul, Div, Max or Min that reads % and "
                  "$arg:post_operand";
        return onednn_binary_of(op->op, &alg) && has_operands(op, false) &&
               has_predicate(op, "post_operand");
    case APPEND_PRELU:
        c->what = "a PRelu post-op is PRelu(%, $arg:f32,const,per_channel)";
        return op->op == OP_PRelu && has_operands(op, false) && is_hole(op->arg[0]) &&
               has_predicate(op, "per_channel") && has_predicate(op, "const") &&
               has_predicate(op, "f32");
    case APPEND_CAST:
        c->what = "what changes the type is Cast(%)";
        return op->op == OP_Cast && is_hole(op->arg[0]);
    case APPEND_DEPTHWISE:
        c->what = "a depthwise post-op is Conv(%, $arg:f32,const,depthwise, [$bias:f32,const])";
        return op->op == OP_Conv && is_hole(op->arg[0]) && op->n_args == 3 && op->may_miss[2] &&
               is_operand(op->arg[1], "arg") && pattern_has_predicate(op->arg[1], "depthwise") &&
               is_operand(op->arg[2], "bias");
    }
    return false;
}

static bool visit_append(const Pattern *op, void *data)
{
    AppendCheck *c = data;
    c->at = op;
    return !op->optional && fits_kind(op, c);
}

static bool take_append(PatternFile *f)
{
    PatternTable *t = f->table;
    AppendRow row;
    f->p = pattern_skip(f->p);
    const char *at = f->p, *kind = pattern_file_word(f);
    AppendCheck c = {.kind = APPEND_BIAS, .what = "a post-op is one node"};
    if (!kind)
        return false;
    while (c.kind <= APPEND_DEPTHWISE && strcmp(kind, append_kind_name(c.kind)) != 0)
        c.kind++;
    if (c.kind > APPEND_DEPTHWISE)
        return pattern_file_refuse(f, at,
                                   "bias, eltwise, linear, sum, binary, prelu, cast or depthwise "
                                   "is expected");
    row.kind = c.kind;
    if (!pattern_file_pattern(f, true, &row.pattern, &row.text))
        return false;
    c.at = row.pattern;
    if (!pattern_roots(row.pattern, visit_append, &c))
        return pattern_file_refuse(f, c.at->at, c.what);
    ARENA_PUSH(f->arena, t->append, t->n_appends, f->cap_appends, row);
    return true;
}

/* Those of the file first. */
static void *joined(Arena *arena, const void *a, size_t n_a, const void *b, size_t n_b, size_t size)
{
    char *all = arena_alloc_array(arena, n_a + n_b + 1, size);
    if (n_a)
        memcpy(all, a, n_a * size);
    if (n_b)
        memcpy(all + n_a * size, b, n_b * size);
    return all;
}

static bool add_rows(PatternFile *f, PatternTable *to)
{
    PatternTable *t = f->table;
    size_t own = t->n_spelled;
    to->anchor =
        joined(f->arena, t->anchor, t->n_anchors, to->anchor, to->n_anchors, sizeof *t->anchor);
    to->append =
        joined(f->arena, t->append, t->n_appends, to->append, to->n_appends, sizeof *t->append);
    to->spelled =
        joined(f->arena, t->spelled, t->n_spelled, to->spelled, to->n_spelled, sizeof *t->spelled);
    to->n_anchors += t->n_anchors;
    to->n_appends += t->n_appends;
    to->n_spelled += own;
    /* the built-in rows have no place in the file: a way round is laid to the file's last row */
    f->at = joined(f->arena, f->at, own, f->at, 0, sizeof *f->at);
    f->table = to;
    if (own == 0)
        return true;
    size_t all = to->n_spelled;
    const char **at = ARENA_ARRAY(f->arena, const char *, all);
    for (size_t i = 0; i < all; i++)
        at[i] = f->at[i < own ? i : own - 1];
    f->at = at;
    return pattern_file_ends(f);
}

bool pattern_file_read(Arena *arena, Diag *diag, const char *path, PatternTable *table)
{
    PatternFile f = {.arena = arena, .diag = diag, .path = path};
    char *text;
    size_t size;
    if (!read_file(arena, path, &text, &size, diag))
        return false;
    f.text = f.p = text;
    f.table = ARENA_NEW(arena, PatternTable);
    if (strlen(text) != size)
        return pattern_file_refuse(&f, text + strlen(text), "a NUL");
    for (f.p = pattern_skip(f.p); *f.p; f.p = pattern_skip(f.p)) {
        bool good = pattern_file_accept(&f, "anchor")   ? take_anchor(&f)
                    : pattern_file_accept(&f, "append") ? take_append(&f)
                    : pattern_file_accept(&f, "spelled")
                        ? pattern_file_spelled(&f)
                        : pattern_file_refuse(&f, f.p, "anchor, append or spelled is expected");
        if (!good)
            return false;
    }
    return add_rows(&f, table);
}
