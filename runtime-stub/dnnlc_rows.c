#include "dnnlc_rows.h"

#include "dnnlc_session.h"

#include <stdio.h>
#include <string.h>

struct dnnlc_stack dnnlc_stack_begin(const struct dnnlc_model *model)
{
    return (struct dnnlc_stack){.per_run = 1, .first = model->n_inputs};
}

static bool same_dims(const int64_t *a, const int64_t *b, int n)
{
    for (int d = 0; d < n; d++)
        if (a[d] != b[d])
            return false;
    return true;
}

/* "f32[N,3,224,224]": of a tensor's dimensions those from `from` on. */
static const char *stacked_text(char text[DNNLC_SHAPE_TEXT], const struct dnnlc_tensor *t, int from)
{
    const struct dnnlc_dtype *type = dnnlc_dtype_of(t->dtype);
    int at = snprintf(text, DNNLC_SHAPE_TEXT, "%s[N", type ? type->name : "?");
    for (int d = from; d < t->rank; d++)
        at += snprintf(text + at, (size_t)(DNNLC_SHAPE_TEXT - at), ",%lld", (long long)t->dims[d]);
    snprintf(text + at, (size_t)(DNNLC_SHAPE_TEXT - at), "]");
    return text;
}

static bool fail_shape(const struct dnnlc_tensor *t, bool apart, const char *name,
                       const struct dnnlc_array *file, char *why, size_t why_size)
{
    char is[DNNLC_SHAPE_TEXT], whole[DNNLC_SHAPE_TEXT], rows[DNNLC_SHAPE_TEXT];
    dnnlc_shape_text(is, file->dtype, file->rank, file->dims);
    const bool leading = t->rank > 0 && (t->dims[0] == 1 || apart);
    return dnnlc_fail(why, why_size, "input '%s': %s is %s, stacked for the model it is %s%s%s",
                      t->name, name, is, leading ? stacked_text(rows, t, 1) : "",
                      leading ? " or " : "", stacked_text(whole, t, 0));
}

bool dnnlc_stack_input(struct dnnlc_stack *stack, const struct dnnlc_model *model, size_t i,
                       const char *name, struct dnnlc_array *file, char *why, size_t why_size)
{
    const struct dnnlc_tensor *t = &model->inputs[i];
    char text[DNNLC_SHAPE_TEXT];
    if (file->dtype == DNNLC_U16 && t->dtype == DNNLC_BF16)
        file->dtype = DNNLC_BF16;
    const bool whole = file->rank == t->rank + 1 && same_dims(file->dims + 1, t->dims, t->rank);
    const bool leading =
        t->rank > 0 && file->rank == t->rank && same_dims(file->dims + 1, t->dims + 1, t->rank - 1);
    if (file->dtype != t->dtype || !(whole || leading))
        return fail_shape(t, model->rows_apart != 0, name, file, why, why_size);
    for (size_t k = 0; k < model->n_bounds; k++)
        if (model->bounds[k].input == i)
            return dnnlc_fail(why, why_size,
                              "input '%s' has as many rows as each run says, and a stacked file as "
                              "many in each of its own: --each runs files of different sizes",
                              t->name);
    if (leading && t->dims[0] != 1 && !model->rows_apart)
        return dnnlc_fail(why, why_size,
                          "input '%s': %s has rows along a dimension that is %lld in the model, "
                          "whose rows may depend on each other: stack whole inputs, %s",
                          t->name, name, (long long)t->dims[0], stacked_text(text, t, 0));
    if (stack->first == model->n_inputs) {
        *stack = (struct dnnlc_stack){whole, file->dims[0], whole ? 1 : t->dims[0], i};
        return true;
    }
    const char *first = model->inputs[stack->first].name;
    if (whole != stack->whole)
        return dnnlc_fail(why, why_size,
                          "inputs '%s' and '%s': one is stacked along a new dimension, the other "
                          "along its own",
                          first, t->name);
    return file->dims[0] == stack->rows ||
           dnnlc_fail(why, why_size, "inputs '%s' and '%s' have %lld and %lld rows", first, t->name,
                      (long long)stack->rows, (long long)file->dims[0]);
}

bool dnnlc_stack_fixed(const struct dnnlc_stack *stack, const struct dnnlc_model *model, size_t i,
                       char *why, size_t why_size)
{
    return stack->per_run == 1 ||
           dnnlc_fail(why, why_size,
                      "input '%s' is the same for each run, of which one takes %lld rows of input "
                      "'%s': it needs a stacked file, too, or all others whole inputs",
                      model->inputs[i].name, (long long)stack->per_run,
                      model->inputs[stack->first].name);
}

bool dnnlc_stack_output(const struct dnnlc_stack *stack, const struct dnnlc_model *model, size_t k,
                        int64_t rows, struct dnnlc_array *file, char *why, size_t why_size)
{
    const struct dnnlc_tensor *t = &model->outputs[k];
    char is[DNNLC_SHAPE_TEXT], reason[128];
    int64_t dims[DNNLC_MAX_RANK + 1] = {rows};
    for (int d = 0; d < t->rank; d++)
        if (dnnlc_count_of(model, k, d))
            return dnnlc_fail(why, why_size,
                              "output '%s' has as many rows as the data say, others for each run: "
                              "no file can have them stacked, --each writes one for each run",
                              t->name);
    if (!stack->whole && (t->rank == 0 || t->dims[0] != stack->per_run))
        return dnnlc_fail(
            why, why_size,
            "output '%s' is %s, without a leading dimension of %lld as input '%s' "
            "has: stack whole inputs, %s",
            t->name, dnnlc_shape_text(is, t->dtype, t->rank, t->dims), (long long)stack->per_run,
            model->inputs[stack->first].name,
            stacked_text((char[DNNLC_SHAPE_TEXT]){0}, &model->inputs[stack->first], 0));
    const int from = stack->whole ? 0 : 1;
    memcpy(dims + 1, t->dims + from, (size_t)(t->rank - from) * sizeof *dims);
    return dnnlc_array_describe(file, t->dtype, t->rank - from + 1, dims, reason, sizeof reason) ||
           dnnlc_fail(why, why_size, "output '%s': %s", t->name, reason);
}

void dnnlc_shard_rows(struct dnnlc_shard shard, int64_t rows, int64_t *first, int64_t *end)
{
    *first = 0;
    *end = rows;
    if (shard.of == 0)
        return;
    const int64_t size = rows / shard.of, more = rows % shard.of, before = shard.number - 1;
    *first = before * size + (before < more ? before : more);
    *end = *first + size + (before < more);
}
