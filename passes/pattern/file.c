/* Reads a user's patterns. The file is checked as a whole when it is read: what is wrong in it is
 * refused with its place, so that passes may rely on every row. */
#include "file.h"

#include "../../gen/dnnl/plan.h"
#include "../../gen/ops/ops.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

/* Without comments, and with single blanks. */
static const char *single_line(Arena *arena, const char *p, const char *end)
{
    char *line = arena_strndup(arena, p, (size_t)(end - p)), *to = line;
    for (PatternReader r = {.p = p}; pattern_skip(&r) < end; p = ++r.p) {
        if (r.p > p)
            *to++ = ' ';
        *to++ = *r.p;
    }
    *to = 0;
    return line;
}

const Pattern *pattern_file_pattern(PatternFile *f, bool hole, const char **text)
{
    PatternReader *r = &f->r;
    PatternError error;
    pattern_expect(r, ":");
    const char *start = pattern_skip(r);
    const Pattern *pattern = pattern_read(r);
    if (!r->error.what && !pattern_check(pattern, hole, &error))
        pattern_wrong(r, error.what, error.at);
    if (r->error.what)
        return NULL;
    *text = single_line(r->arena, start, r->p);
    pattern_expect(r, ";");
    return r->error.what ? NULL : pattern;
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

static bool is_marked(const Pattern *op)
{
    return !op->optional && op->node_name && strcmp(op->node_name, "anchor") == 0;
}

static bool visit_anchor(const Pattern *op, void *data)
{
    const AnchorRow *row = data;
    bool has_bias =
        op->op == OP_Conv || op->op == OP_ConvTranspose || op->op == OP_MatMul || op->op == OP_Gemm;
    if (row->what == ANCHOR_LAYER && !has_bias)
        return false;
    if (row->what == ANCHOR_ATTENTION)
        return op->op == OP_MatMul && pattern_min_nodes(op) >= 3 && is_marked(op);
    if (row->what == ANCHOR_SUM_NORM)
        return (op->op == OP_LayerNormalization || op->op == OP_RMSNormalization) &&
               pattern_min_nodes(op) >= 2 && is_marked(op);
    for (uint32_t i = 0; i < op->n_args; i++)
        if ((pattern_min_nodes(op->arg[i]) || op->arg[i]->kind == PAT_CHAIN) &&
            !(i == 0 && is_flattening(op)))
            return false;
    return is_marked(op) && pattern_binds(op, "src");
}

/* Without a list it takes whatever a convolution does; an attention and a sum with a norm take nothing. */
static unsigned read_takes(PatternReader *r, AnchorKind what)
{
    unsigned takes = 0;
    if (what == ANCHOR_ATTENTION || what == ANCHOR_SUM_NORM)
        return 0;
    if (!pattern_accept(r, "takes"))
        return TAKES_ALL;
    for (const char *at; *(at = pattern_skip(r)) && *at != ':';) {
        const int bit = pattern_choice(r, takes_names);
        if (bit >= 0)
            takes |= 1u << bit;
        else if (*pattern_word(r))
            pattern_wrong(r,
                          "relu, eltwise, sum, scalar, channel, full, prelu, cast, depthwise or "
                          "':' is expected",
                          at);
    }
    return takes;
}

static const char *read_name(PatternReader *r)
{
    pattern_expect(r, "\"");
    const size_t n = strcspn(r->p, "\"\n");
    const char *name = arena_strndup(r->arena, r->p, n);
    for (const char *c = name; *c; c++)
        if (!isalnum((unsigned char)*c) && *c != '_' && *c != '.')
            pattern_wrong(r, "a name of letters, digits, dots and underscores is expected", r->p);
    if (n == 0 || n > 64)
        pattern_wrong(r, "a name of 1 to 64 characters is expected", r->p);
    r->p += r->error.what ? 0 : n;
    pattern_expect(r, "\"");
    return name;
}

static int read_channel(PatternReader *r)
{
    char *end;
    pattern_expect(r, "channel");
    long channel = strtol(pattern_skip(r), &end, 10);
    if (end == r->p || channel < -1 || channel >= MAX_RANK)
        pattern_wrong(r, "a dimension is expected, or -1 for the last one", r->p);
    else
        r->p = end;
    return (int)channel;
}

static void take_anchor(PatternFile *f)
{
    PatternReader *r = &f->r;
    AnchorRow row = {.name = read_name(r)};
    row.channel = read_channel(r);
    const int what = pattern_choice(r, anchor_kind_names);
    if (what < 0)
        pattern_wrong(r, "plain, layer, attention, sum_norm or sums is expected", r->p);
    row.what = what < 0 ? ANCHOR_PLAIN : (AnchorKind)what;
    row.takes = read_takes(r, row.what);
    row.pattern = pattern_file_pattern(f, false, &row.text);
    if (row.pattern && !pattern_roots(row.pattern, visit_anchor, &row))
        pattern_wrong(r,
                      "an anchor is one node, marked !anchor, that reads $src; a layer is a "
                      "Conv, ConvTranspose, MatMul or Gemm; an attention a MatMul of what a "
                      "Softmax makes of another MatMul; a sum_norm a LayerNormalization or "
                      "RMSNormalization of what another node makes",
                      row.pattern->at);
    ARENA_PUSH(r->arena, f->table->anchor, f->table->n_anchors, f->cap_anchors, row);
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
    case APPEND_SCALE:
        c->what = "a scale is Mul(%, $arg:f32,scalar) or Mul(%, $arg:f32,per_channel)";
        return op->op == OP_Mul && has_operands(op, false) && has_predicate(op, "f32") &&
               (has_predicate(op, "scalar") || has_predicate(op, "per_channel"));
    case APPEND_QUANTIZE:
        c->what = "what quantises is QuantizeLinear(%, #scale, [#zero])";
        return op->op == OP_QuantizeLinear && is_hole(op->arg[0]) && op->n_args == 3 &&
               op->may_miss[2] && op->arg[1]->kind == PAT_NUMBER && op->arg[2]->kind == PAT_NUMBER;
    }
    return false;
}

static bool visit_append(const Pattern *op, void *data)
{
    AppendCheck *c = data;
    c->at = op;
    return !op->optional && fits_kind(op, c);
}

static void take_append(PatternFile *f)
{
    PatternReader *r = &f->r;
    const int kind = pattern_choice(r, append_kind_names);
    if (kind < 0)
        pattern_wrong(r, "bias, eltwise, linear, sum, binary, prelu, cast or depthwise is expected",
                      r->p);
    AppendRow row = {.kind = kind < 0 ? APPEND_BIAS : (AppendKind)kind};
    row.pattern = pattern_file_pattern(f, true, &row.text);
    AppendCheck c = {.kind = row.kind, .at = row.pattern, .what = "a post-op is one node"};
    if (row.pattern && !pattern_roots(row.pattern, visit_append, &c))
        pattern_wrong(r, c.what, c.at->at);
    ARENA_PUSH(r->arena, f->table->append, f->table->n_appends, f->cap_appends, row);
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

static void add_rows(Arena *arena, const PatternTable *t, PatternTable *to)
{
    to->anchor =
        joined(arena, t->anchor, t->n_anchors, to->anchor, to->n_anchors, sizeof *t->anchor);
    to->append =
        joined(arena, t->append, t->n_appends, to->append, to->n_appends, sizeof *t->append);
    to->spelled =
        joined(arena, t->spelled, t->n_spelled, to->spelled, to->n_spelled, sizeof *t->spelled);
    to->n_anchors += t->n_anchors;
    to->n_appends += t->n_appends;
    to->n_spelled += t->n_spelled;
}

bool pattern_file_read(Arena *arena, Diag *diag, const char *path, PatternTable *table)
{
    PatternTable own = {0};
    PatternFile f = {.r = {.arena = arena}, .table = &own};
    PatternReader *r = &f.r;
    char *text;
    size_t size;
    if (!read_file(arena, path, &text, &size, diag))
        return false;
    r->p = text;
    if (strlen(text) != size)
        pattern_wrong(r, "a NUL", text + strlen(text));
    while (*pattern_skip(r))
        if (pattern_accept(r, "anchor"))
            take_anchor(&f);
        else if (pattern_accept(r, "append"))
            take_append(&f);
        else if (pattern_accept(r, "spelled"))
            pattern_file_spelled(&f);
        else
            pattern_wrong(r, "anchor, append or spelled is expected", r->p);
    if (!r->error.what) {
        add_rows(arena, &own, table);
        f.table = table;
        pattern_file_ends(&f, own.n_spelled);
    }
    return !r->error.what || refuse_at_place(diag, path, text, r->error.at, r->error.what);
}
