/* The tables of ONNX's operators: how each is brought to the form of ops.def, or why it is not. Those that have a row there of the same name are in
 * its column `import`; operators.def has the others. */
#include "table.h"

enum { SELF }; /* in place of how many inputs: its normaliser counts them itself */

/* Those of the names that ops.def has. */
static const OnnxRow same_name[OP_COUNT] = {
#define IMPORT_none .normalise = NULL
#define IMPORT_direct IMPORT_reads("")
#define IMPORT_reads(list) .normalise = norm_direct, .attrs = (list)
#define IMPORT_by(fn, least, most) .normalise = norm_##fn, .inputs = {least, most}
#define OP_IMPORT(nm, import)                                                                      \
    [OP_##nm] = {.domain = "",                                                                     \
                 .name = #nm,                                                                      \
                 .op = OP_##nm,                                                                    \
                 .becomes_op = true,                                                               \
                 .rows = ROWS_BY_RULE,                                                             \
                 IMPORT_##import},
#include "../ops/ops.def"
};

/* The others. */
static const OnnxRow others[] = {
#define ENTRY(nm, ...) {.domain = DOMAIN, .name = #nm, __VA_ARGS__},
#define READS(nm, to, list)                                                                        \
    ENTRY(nm, .normalise = norm_direct, .op = OP_##to, .becomes_op = true, .rows = ROWS_BY_RULE,   \
          .attrs = (list))
#define ROW(nm, fn, ...) ENTRY(nm, .normalise = norm_##fn, .inputs = {__VA_ARGS__})
#define ROW_OP(nm, to, fn, ...)                                                                    \
    ENTRY(nm, .normalise = norm_##fn, .op = OP_##to, .becomes_op = true, .rows = ROWS_BY_RULE,     \
          .inputs = {__VA_ARGS__})
#define TAKES_ROWS(nm, fn, ...)                                                                    \
    ENTRY(nm, .normalise = norm_##fn, .rows = ROWS_TAKEN, .inputs = {__VA_ARGS__})
#define VERSIONS(nm, fn, most, from, to)                                                           \
    ENTRY(nm, .normalise = norm_##fn, .inputs = {1, most}, .since = (from), .until = (to))
#define REFUSED(nm, reason) ENTRY(nm, .why = (reason))
#include "operators.def"
};

const OnnxRow *onnx_row(const char *domain, const char *name, int64_t opset)
{
    Op op;
    domain = strcmp(domain, "ai.onnx") ? domain : "";
    if (!*domain && op_from_name(name, &op) && same_name[op].normalise)
        return &same_name[op];
    for (size_t i = 0; i < COUNT_OF(others); i++) {
        const OnnxRow *row = &others[i];
        if (!strcmp(row->domain, domain) && !strcmp(row->name, name) && opset >= row->since &&
            (row->until == 0 || opset <= row->until))
            return row;
    }
    return NULL;
}

const OnnxRow *onnx_row_at(size_t i)
{
    for (Op op = 0; op < OP_COUNT; op++)
        if (same_name[op].normalise && i-- == 0)
            return &same_name[op];
    return i < COUNT_OF(others) ? &others[i] : NULL;
}
