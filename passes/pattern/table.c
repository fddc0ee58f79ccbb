/* The built-in patterns, and how all of them are printed. */
#include "table.h"

#include "../../gen/dnnl/plan.h"
#include "../../gen/ops/ops.h"

#include <string.h>

static const AnchorRow anchor_rows[] = {
#define ANCHOR(name, channel, what, takes, pattern)                                                \
    {name, channel, ANCHOR_##what, takes, pattern, NULL},
#include "patterns.def"
};

static const AppendRow append_rows[] = {
#define APPEND(kind, pattern) {APPEND_##kind, pattern, NULL},
#include "patterns.def"
};

static const SpelledRow spelled_rows[] = {
#define SPELLED(op, attrs, builder, pattern) {OP_##op, attrs, builder, pattern, NULL},
#include "spelled.def"
};

/* "eltwise(…)" is a pattern for each operator that is such an algorithm of oneDNN's, by the column `dnnl` of ops.def; so is "binary(…)". */
static const char *for_each_algorithm(Arena *arena, const char *text)
{
    const Primitive of = !strncmp(text, "eltwise(", 8)  ? PRIMITIVE_eltwise
                         : !strncmp(text, "binary(", 7) ? PRIMITIVE_binary
                                                        : PRIMITIVE_none;
    Text all = text_new(arena);
    for (int op = 0; op < OP_COUNT && of != PRIMITIVE_none; op++)
        if (onednn_ops[op].primitive == of)
            text_printf(&all, "%s%s%s", all.size ? " | " : "", op_info((Op)op)->name,
                        strchr(text, '('));
    return all.size ? all.data : text;
}

PatternTable *pattern_table_new(Arena *arena)
{
    PatternTable *t = ARENA_NEW(arena, PatternTable);
    t->anchor = arena_copy(arena, anchor_rows, sizeof anchor_rows);
    t->append = arena_copy(arena, append_rows, sizeof append_rows);
    t->spelled = arena_copy(arena, spelled_rows, sizeof spelled_rows);
    t->n_anchors = COUNT_OF(anchor_rows);
    t->n_appends = COUNT_OF(append_rows);
    t->n_spelled = COUNT_OF(spelled_rows);
    for (size_t i = 0; i < t->n_anchors; i++)
        t->anchor[i].pattern = pattern_parse(arena, t->anchor[i].text);
    for (size_t i = 0; i < t->n_appends; i++) {
        t->append[i].text = for_each_algorithm(arena, t->append[i].text);
        t->append[i].pattern = pattern_parse(arena, t->append[i].text);
    }
    for (size_t i = 0; i < t->n_spelled; i++)
        t->spelled[i].pattern = pattern_parse(arena, t->spelled[i].text);
    return t;
}

const char *const anchor_kind_names[] = {
    [ANCHOR_PLAIN] = "plain",       [ANCHOR_LAYER] = "layer", [ANCHOR_ATTENTION] = "attention",
    [ANCHOR_SUM_NORM] = "sum_norm", [ANCHOR_SUMS] = "sums",   [ANCHOR_SUMS + 1] = NULL,
};

const char *const append_kind_names[] = {
    [APPEND_BIAS] = "bias",         [APPEND_ELTWISE] = "eltwise",     [APPEND_LINEAR] = "linear",
    [APPEND_SUM] = "sum",           [APPEND_BINARY] = "binary",       [APPEND_PRELU] = "prelu",
    [APPEND_CAST] = "cast",         [APPEND_DEPTHWISE] = "depthwise", [APPEND_SCALE] = "scale",
    [APPEND_QUANTIZE] = "quantize", [APPEND_QUANTIZE + 1] = NULL,
};

const char *const takes_names[] = {"relu", "eltwise", "sum",  "scalar",    "channel",
                                   "full", "prelu",   "cast", "depthwise", NULL};

static void print_takes(Text *out, unsigned takes)
{
    text_puts(out, " takes");
    for (size_t k = 0; takes_names[k]; k++)
        if (takes & 1u << k)
            text_printf(out, " %s", takes_names[k]);
}

/* Alternatives of the first level each on a line. */
static void print_text(Text *out, const char *text)
{
    int depth = 0;
    text_puts(out, ":\n    ");
    for (const char *p = text; *p; p++) {
        depth += (*p == '(') - (*p == ')');
        if (*p == '|' && depth == 0)
            text_puts(out, "\n    ");
        if (*p != ' ' || p[1] != '|' || depth > 0)
            text_append(out, p, 1);
    }
    text_puts(out, ";\n");
}

static void print_predicates(Text *out)
{
    const char *help, *name;
    text_puts(out, "// Predicates of values:\n");
    for (size_t k = 0; (name = predicate_row(k, &help)); k++)
        text_printf(out, "//   %-14s %s\n", name, help);
}

void print_patterns(const PatternTable *t, Text *out)
{
    text_puts(
        out,
        "// The patterns of dnnlc, as --patterns FILE takes them. The first row that fits takes "
        "a node.\n"
        "//   $x any value; $x:const,full one that fulfils predicates; $x=P one made by P; #c a "
        "constant of\n"
        "//   one element; 0.5 or 0.5~0.01 one with this value; Op(a, [b], ...) a node, b may be "
        "absent;\n"
        "//   Op.1 its second output; {k=1, l=[1,2], m=\"s\", p=$} attributes; !name names a "
        "node; ?Op(a) this\n"
        "//   or a; a | b; chain(N, s, p) up to N times s on top of p; _ absent; % what is "
        "below.\n");
    print_predicates(out);
    text_puts(out,
              "\n// What a composite begins with, and which post-ops oneDNN's fast code takes: "
              "eltwise (relu: only\n// that, and by itself), sum, prelu, "
              "binary with one number, one per\n// channel, or the full shape.\n");
    for (size_t i = 0; i < t->n_anchors; i++) {
        const AnchorRow *row = &t->anchor[i];
        text_printf(out, "anchor \"%s\" channel %d %s", row->name, row->channel,
                    anchor_kind_names[row->what]);
        if (row->takes)
            print_takes(out, row->takes);
        print_text(out, row->text);
    }
    text_puts(out, "\n// What is appended to it: % is the value so far.\n");
    for (size_t i = 0; i < t->n_appends; i++) {
        text_printf(out, "append %s", append_kind_names[t->append[i].kind]);
        print_text(out, t->append[i].text);
    }
    text_puts(out, "\n// Functions spelled out in smaller operators.\n");
    for (size_t i = 0; i < t->n_spelled; i++) {
        const SpelledRow *row = &t->spelled[i];
        text_printf(out, "spelled %s%s%s%s%s", op_info(row->op)->name, *row->attrs ? " " : "",
                    row->attrs, row->builder ? " by " : "", row->builder ? row->builder : "");
        print_text(out, row->text);
    }
}
