/* Helpers, signatures and literals of the portable C target. */
#include "helpers.h"

#include "../../base/template.h"
#include "../unit.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

static const struct HelperRow {
    const char *file;
    CHelper needs;
} helper_rows[] = {
#define HELPER(id, file, needs) {"c/" #file ".c", needs},
#include "helpers.def"
};

void c_helpers_need(CHelpers *helpers, CHelper helper)
{
    helpers->need[helper] = true;
    if (helper_rows[helper].needs != CH_COUNT)
        c_helpers_need(helpers, helper_rows[helper].needs);
}

void c_need(CKernel *k, CHelper helper)
{
    c_helpers_need(k->helpers, helper);
}

void emit_c_helpers(Text *out, Arena *arena, const CHelpers *helpers)
{
    const Bindings *none = bindings_new(arena, NULL);
    for (int i = 0; i < CH_COUNT; i++)
        if (helpers->need[i])
            put_part(out, helper_rows[i].file, none);
}

/* --- signatures --------------------------------------------------------------------------------------------------- */

bool c_in_place(const Program *p, const Step *s, uint32_t i, uint32_t o)
{
    int64_t distance;
    return s->in[i] != NO_BUFFER && s->out[o] != NO_BUFFER &&
           buffer_distance(p, s->in[i], s->out[o], &distance) && !distance;
}

static bool shares_memory(const CKernel *k, BufferId b, const BufferId *others, uint32_t n)
{
    for (uint32_t i = 0; i < n; i++)
        if (c_overlap(k->program, b, others[i]))
            return true;
    return k->node && k->node->op == OP_WriteRows; /* a state's place */
}

size_t c_parameters(const CKernel *k, const char **items)
{
    const Step *s = k->step;
    size_t n = 0;
    for (uint32_t i = 0; i < s->n_in; i++)
        if (s->in[i] != NO_BUFFER) {
            bool shared = shares_memory(k, s->in[i], s->out, s->n_out);
            items[n++] = arena_printf(k->arena, "const %s *%s%s",
                                      dtype_c(k->program->buffers[s->in[i]].type.dtype),
                                      shared ? "" : "restrict ", k->input[i]);
        }
    for (uint32_t o = 0; o < s->n_out; o++)
        if (s->out[o] != NO_BUFFER) {
            bool shared = shares_memory(k, s->out[o], s->in, s->n_in);
            items[n++] = arena_printf(k->arena, "%s *%s%s",
                                      dtype_c(k->program->buffers[s->out[o]].type.dtype),
                                      shared ? "" : "restrict ", k->output[o]);
        }
    if (s->scratch != NO_BUFFER)
        items[n++] = "void *restrict scratch";
    return n;
}

const char *c_signature(const CKernel *k)
{
    const char **items = ARENA_ARRAY(k->arena, const char *, k->step->n_in + k->step->n_out + 3);
    size_t n = c_parameters(k, items);
    if (k->shared) {
        items[n++] = "const size_t from";
        items[n++] = "const size_t to";
    }
    Text t = text_new(k->arena);
    text_printf(&t, KERNEL_CLONES "%svoid %s%s(", k->shared ? "static " : KERNEL_STATIC, k->fn,
                k->shared ? "_part" : KERNEL_BODY);
    for (size_t i = 0; i < n; i++)
        text_printf(&t, "%s%s", i ? ", " : "", items[i]);
    text_puts(&t, ")\n");
    return t.data;
}

/* --- literals and element types ----------------------------------------------------------------------------------- */

const char *c_float_literal(Arena *arena, DType t, double v)
{
    bool f64 = t == DT_F64;
    if (!f64)
        v = (float)v;
    if (isnan(v))
        return "NAN";
    if (isinf(v))
        return v > 0 ? "INFINITY" : "(-INFINITY)";
    char *s = arena_printf(arena, "%.*g", f64 ? 17 : 9, fabs(v));
    for (int digits = 1; digits < (f64 ? 17 : 9); digits++) { /* the shortest that reads back */
        char *shorter = arena_printf(arena, "%.*g", digits, fabs(v));
        if (f64 ? strtod(shorter, NULL) == fabs(v) : strtof(shorter, NULL) == (float)fabs(v)) {
            s = shorter;
            break;
        }
    }
    const char *point = strpbrk(s, ".e") ? "" : ".0", *suffix = f64 ? "" : "f";
    return arena_printf(arena, signbit(v) ? "(-%s%s%s)" : "%s%s%s", s, point, suffix);
}

const char *c_int_literal(Arena *arena, DType t, int64_t v)
{
    if (t == DT_U64)
        return arena_printf(arena, "UINT64_C(%" PRIu64 ")", (uint64_t)v);
    if (v == INT64_MIN)
        return "INT64_MIN";
    if (t == DT_U32)
        return arena_printf(arena, "%" PRId64 "u", v);
    if (v == INT32_MIN)
        return "INT32_MIN";
    if (v >= INT32_MIN && v <= INT32_MAX)
        return v < 0 ? arena_printf(arena, "(%" PRId64 ")", v) : arena_printf(arena, "%" PRId64, v);
    return v < 0 ? arena_printf(arena, "(-INT64_C(%" PRIu64 "))", -(uint64_t)v)
                 : arena_printf(arena, "INT64_C(%" PRId64 ")", v);
}

const char *c_compute_type(DType t)
{
    return t == DT_F16 || t == DT_BF16 ? "float" : dtype_c(t);
}

static const char *converted(CKernel *k, DType t, const char *expr, const char *f16,
                             const char *bf16)
{
    if (t != DT_F16 && t != DT_BF16)
        return expr;
    c_need(k, t == DT_F16 ? CH_F16 : CH_BF16);
    return arena_printf(k->arena, "%s(%s)", t == DT_F16 ? f16 : bf16, expr);
}

const char *c_load(CKernel *k, DType t, const char *expr)
{
    return converted(k, t, expr, "dnnlc_f16_to_f32", "dnnlc_bf16_to_f32");
}

const char *c_store(CKernel *k, DType t, const char *expr)
{
    return converted(k, t, expr, "dnnlc_f32_to_f16", "dnnlc_f32_to_bf16");
}
