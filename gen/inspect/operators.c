/* docs/operators.md, from the tables by which models are read and compiled. */
#include "inspect.h"

#include "../onnx/node.h"

#include <stdlib.h>

/* What of oneDNN computes an operator, by the column dnnl; NULL: nothing. */
static const char *const dnnl_words[OP_COUNT] = {
#define WORD_none NULL
#define WORD_primitive(p) #p
#define WORD_eltwise(algorithm, alpha, beta) "eltwise " #algorithm
#define WORD_binary(algorithm) "binary " #algorithm
#define WORD_reduction(algorithm) "reduction " #algorithm
#define OP_DNNL(nm, dnnl) [OP_##nm] = WORD_##dnnl,
#include "../ops/ops.def"
};

static int by_name(const void *a, const void *b)
{
    const OnnxRow *x = *(const OnnxRow *const *)a, *y = *(const OnnxRow *const *)b;
    const int domain = strcmp(x->domain, y->domain), name = strcmp(x->name, y->name);
    return domain ? domain : name ? name : x->since - y->since;
}

/* Element types of an elementwise operator; of others ONNX's, as far as a kernel has them. */
static const char *types_text(Arena *arena, Op op)
{
    static const struct {
        unsigned set;
        const char *word;
    } words[] = {{TYPES_FLOAT, "floats"}, {TYPES_SIGNED, "signed"}, {TYPES_UNSIGNED, "unsigned"},
                 {TYPES_BOOL, "bool"},    {TYPES_BYTE, "bytes"},    {TYPES_INDEX, "i32, i64"},
                 {TYPES_I32, "i32"}};
    Text t = text_new(arena);
    const OpInfo *info = op_info(op);
    if (info->class != CLASS_ELTWISE || !info->expr)
        return "";
    if (info->types == TYPES_ANY)
        return "all";
    for (size_t i = 0; i < COUNT_OF(words); i++)
        if (info->types & words[i].set)
            text_printf(&t, "%s%s", t.size ? ", " : "", words[i].word);
    return t.data;
}

static const char *versions_text(Arena *arena, const OnnxRow *row)
{
    return row->since && row->until ? arena_printf(arena, "%d to %d", row->since, row->until)
           : row->since             ? arena_printf(arena, "from %d", row->since)
           : row->until             ? arena_printf(arena, "up to %d", row->until)
                                    : "any";
}

static void put_row(Arena *arena, const OnnxRow *row, Text *out)
{
    const Op op = row->op;
    text_printf(out, "| `%s` | %s | ", row->name, versions_text(arena, row));
    if (!row->normalise)
        text_printf(out, "refused: %s | | | |\n", row->why);
    else if (!row->becomes_op)
        text_puts(out, "other operators, or is known while compiling | | | |\n");
    else
        text_printf(out, "%s%s%s | %s | %s | yes |\n",
                    strcmp(op_info(op)->name, row->name) ? "`" : "",
                    strcmp(op_info(op)->name, row->name) ? op_info(op)->name : "itself",
                    strcmp(op_info(op)->name, row->name) ? "`" : "", types_text(arena, op),
                    dnnl_words[op] ? dnnl_words[op] : "–");
}

static const char introduction[] =
    "# Operators\n\n"
    "Written by `dnnlc --list-operators`, from the tables by which models are read and compiled; a test "
    "compares this file with what it writes.\n\n"
    "- **Opsets** of the operator's domain in which it is known. What changed between versions is "
    "brought to one form when a model is read: constant inputs become attributes.\n"
    "- **Becomes**: the operator inside. One that becomes others is taken apart when the model is "
    "read, or needs no arithmetic in a run (`Constant`, `Shape`, `If` by a condition that is known).\n"
    "- **Element types** of elementwise operators; where nothing stands they are those that ONNX "
    "has, as far as the node's shapes and attributes are supported. A node that is not is refused "
    "by its name, and `dnnlc inspect` says so before.\n"
    "- **oneDNN**: the primitive and its algorithm, for the cases in which it computes what ONNX defines; "
    "`--explain` says of each node why it took it or not.\n"
    "- **C**: portable C computes it. Nodes whose inputs are all known are evaluated while "
    "compiling, whatever stands here.\n";

void list_operators(Arena *arena, Text *out)
{
    const OnnxRow **rows = NULL;
    size_t n = 0, cap = 0;
    const char *domain = NULL;
    for (const OnnxRow *row; (row = onnx_row_at(n));)
        ARENA_PUSH(arena, rows, n, cap, row);
    qsort(rows, n, sizeof(const OnnxRow *), by_name);
    text_puts(out, introduction);
    for (size_t i = 0; i < n; i++) {
        if (!domain || strcmp(domain, rows[i]->domain) != 0)
            text_printf(out,
                        "\n## %s\n\n| operator | opsets | becomes | element types | oneDNN | C "
                        "|\n|---|---|---|---|---|---|\n",
                        *rows[i]->domain ? rows[i]->domain : "ai.onnx");
        domain = rows[i]->domain;
        put_row(arena, rows[i], out);
    }
}
