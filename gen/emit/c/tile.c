/* Writes the register-blocked product that matrix products and convolutions share. */
#include "tile.h"

#include "algorithms.h"

#include <inttypes.h>
#include <string.h>

/* How the step of an operand along an index is called: "A_ROW", "B_K", "ADDEND_ROW". */
static const char *step_name(Arena *arena, const char *operand, const char *index)
{
    return arena_upper(arena, arena_printf(arena, "%s_%s", operand,
                                           *index == 'k'   ? "k"
                                           : *index == 'j' ? "column"
                                                           : "row"));
}

/* "r * A_ROW", "r" or "0" */
static const char *steps(Arena *arena, const char *operand, const char *index, int64_t step)
{
    return step > 1 ? arena_printf(arena, "%s * %s", index, step_name(arena, operand, index))
                    : nn_times(arena, index, step);
}

/* Whose steps from row to row an operand takes. */
static const char *row_of(const Tile *t, const TileOperand *o)
{
    return o->row == t->dst_row && o >= t->operand + t->n_own ? "dst" : o->name;
}

/* The operands of the result and then dst, as parameters, or as arguments for the row `i` or the column `j`. */
static const char *operands(CKernel *k, const Tile *t, const char *name, char index)
{
    const TileOperand dst = {.type = t->type_dst, .name = "dst", .row = t->dst_row, .column = 1};
    Arena *a = k->arena;
    Text out = text_new(a);
    for (int n = 0; n <= t->n_operands; n++) {
        const TileOperand *o = n < t->n_operands ? &t->operand[n] : &dst;
        const int64_t step = index == 'i' ? o->row : index == 'j' ? o->column : 0;
        const char *at = index == 'i' ? steps(a, row_of(t, o), "i", step) : nn_times(a, "j", step);
        text_puts(&out, n ? ", " : "");
        if (!index)
            text_printf(&out, "%s%s *restrict %s", o == &dst ? "" : "const ", o->type, o->name);
        else
            text_printf(&out, step ? "&%s[%s]" : "%s", o->name, at);
    }
    return c_part(a, name, out.data);
}

static void bind_head(CKernel *k, const Tile *t, const char *function, Bindings *b)
{
    const bool product = !strcmp(function, "product"), tile = !strcmp(function, "tile");
    Arena *a = k->arena;
    const char *items[] = {
        arena_printf(a, "const %s *restrict a", t->type_a),
        arena_printf(a, "const %s *restrict b", t->packed && !product ? t->type_panel : t->type_b),
        operands(k, t, "OPERANDS", 0),
        tile                   ? "const size_t rows"
        : product && t->packed ? arena_printf(a, "%s *restrict panel", t->type_panel)
                               : "",
        "const size_t columns",
    };
    const char *list = arena_printf(a, "%s_params", function);
    for (size_t i = 0; i < COUNT_OF(items); i++)
        if (*items[i])
            bind(bind_row(b, list), "param", "%s", items[i]);
}

void c_bind_tile_call(const Tile *t, Bindings *bindings, const char *call, const char *a,
                      const char *b, const char *const *operands, const char *dst,
                      const char *columns)
{
    const char *items[TILE_OPERANDS_MAX + 6];
    size_t n = 0;
    items[n++] = a;
    items[n++] = b;
    for (int i = 0; i < t->n_operands; i++)
        items[n++] = operands[i];
    items[n++] = dst;
    if (t->packed)
        items[n++] = "scratch";
    items[n++] = columns;
    bind_items(bindings, call, "arg", items, n);
}

/* The same with steps that `row` has from row to row. */
static const char *element_at(CKernel *k, const char *name, const char *row, const char *i,
                              int64_t i_step, const char *j, int64_t j_step)
{
    Arena *a = k->arena;
    if (i_step == 0)
        return arena_printf(a, "%s[%s]", name, steps(a, name, j, j_step));
    const char *at = steps(a, row, i, i_step);
    return j_step ? arena_printf(a, "%s[%s + %s]", name, at, steps(a, name, j, j_step))
                  : arena_printf(a, "%s[%s]", name, at);
}

const char *c_tile_element(CKernel *k, const char *name, const char *i, int64_t i_step,
                           const char *j, int64_t j_step)
{
    return element_at(k, name, name, i, i_step, j, j_step);
}

const char *c_tile_result(CKernel *k, Tile *t, DType type, const char *value,
                          bool channels_are_rows)
{
    const EpilogueOperands epilogue = k->plan->epilogue;
    const char *element[EPILOGUE_OPERANDS_MAX];
    t->n_own = t->n_operands;
    if (!nn_has_epilogue(k))
        return nn_store(k, type, value);
    for (uint32_t i = 0; i < epilogue.n; i++) {
        const bool channel = epilogue.operand[i].spread == EPILOGUE_CHANNEL,
                   full = epilogue.operand[i].spread == EPILOGUE_FULL;
        TileOperand *o = &t->operand[t->n_operands++];
        *o = (TileOperand){.type = dtype_c(type_of(k->g, epilogue.operand[i].value)->dtype),
                           .name = k->input[k->node->n_in + i],
                           .row = full ? t->dst_row : channel && channels_are_rows,
                           .column = full || (channel && !channels_are_rows)};
        element[i] = !o->row && !o->column ? arena_printf(k->arena, "%s[0]", o->name)
                     : !o->column
                         ? arena_printf(k->arena, "%s[r]", o->name)
                         : element_at(k, o->name, row_of(t, o), "r", o->row, "j", o->column);
    }
    bool half = type == DT_F16 || type == DT_BF16;
    return nn_epilogue_call(k, half ? value : nn_store(k, type, value), element);
}

void c_tile_epilogue_arguments(CKernel *k, const Tile *t, const char **argument,
                               const char *element, const char *channel)
{
    const EpilogueOperands epilogue = k->plan->epilogue;
    for (uint32_t i = 0; i < epilogue.n; i++) {
        const char *at = epilogue.operand[i].spread == EPILOGUE_FULL      ? element
                         : epilogue.operand[i].spread == EPILOGUE_CHANNEL ? channel
                                                                          : NULL;
        argument[t->n_own + (int)i] =
            at ? arena_printf(k->arena, "%s + %s", k->input[k->node->n_in + i], at)
               : k->input[k->node->n_in + i];
    }
}

/* "NAME = 12" as an enumerator of the list. */
static void bind_size(CKernel *k, Bindings *b, const char *list, const char *name, int64_t size)
{
    (void)k;
    bind(bind_row(b, list), "size", "%s = %" PRId64, name, size);
}

/* The same for a step that an index is multiplied by; returns whether there is one. */
static bool bind_step(CKernel *k, Bindings *b, const char *list, const char *operand,
                      const char *index, int64_t step)
{
    if (step <= 1)
        return false;
    bind(bind_row(b, list), "step", "%s = %" PRId64, step_name(k->arena, operand, index), step);
    return true;
}

/* The steps from one row to the next; returns whether there are any. */
static bool bind_row_steps(CKernel *k, const Tile *t, Bindings *b, const char *list)
{
    bool any = bind_step(k, b, list, "a", "r", t->a_row);
    any |= bind_step(k, b, list, "dst", "r", t->dst_row);
    for (int o = 0; o < t->n_operands; o++)
        if (row_of(t, &t->operand[o]) == t->operand[o].name)
            any |= bind_step(k, b, list, t->operand[o].name, "r", t->operand[o].row);
    return any;
}

/* What the functions have enumerators for. */
static void bind_sizes(CKernel *k, const Tile *t, Bindings *b)
{
    const int64_t rows = k->plan->rows;
    bind_size(k, b, "product_sizes", "COLUMNS", k->plan->columns);
    bind_size(k, b, "tile_sizes", "K", t->k);
    bind_size(k, b, "tile_sizes", "ROWS", rows);
    bind_size(k, b, "tile_sizes", "COLUMNS", k->plan->columns);
    bind_size(k, b, "rows_sizes", "M", t->m);
    bind_size(k, b, "rows_sizes", "ROWS", rows);
    bool any = bind_step(k, b, "tile_steps", "a", "k", t->a_k);
    any |= bind_step(k, b, "tile_steps", "b", "k", t->packed ? k->plan->columns : t->b_k);
    any |= bind_step(k, b, "tile_steps", "b", "j", t->packed ? 1 : t->b_column);
    any |= bind_row_steps(k, t, b, "tile_steps");
    bind_int(b, "tile_has_steps", any);
    bind_int(b, "rows_has_steps", bind_row_steps(k, t, b, "rows_steps"));
}

static void bind_pack(CKernel *k, const Tile *t, Bindings *b)
{
    Arena *a = k->arena;
    bind(b, "packed", "%s", t->packed ? t->packed : "");
    bind(b, "panel", t->packed ? "panel" : "b + j");
    if (!t->packed)
        return;
    const char *items[] = {arena_printf(a, "const %s *restrict b", t->type_b),
                           arena_printf(a, "%s *restrict panel", t->type_panel),
                           "const size_t columns"};
    bind(b, "columns", t->b_column > 1 ? "b + j * B_COLUMN" : "b + j");
    bind_size(k, b, "pack_sizes", "K", t->k);
    bind_size(k, b, "pack_sizes", "COLUMNS", k->plan->columns);
    if (t->b_k > 1)
        bind_size(k, b, "pack_sizes", "B_K", t->b_k);
    if (t->b_column > 1) {
        bind_size(k, b, "pack_sizes", "B_COLUMN", t->b_column);
        bind_size(k, b, "product_sizes", "B_COLUMN", t->b_column);
    }
    bind_items(b, "pack_params", "param", items, 3);
}

void c_emit_tile(CKernel *k, const Tile *t)
{
    Bindings *b = nn_bindings(k);
    bind_head(k, t, "tile", b);
    bind_head(k, t, "rows", b);
    bind_head(k, t, "product", b);
    bind(b, "A_sum", "%s", t->type_sum);
    bind(b, "a", "%s", t->a);
    bind(b, "b", "%s", t->b);
    bind(b, "value", "%s", t->value ? t->value : "");
    bind(b, "dst", "%s", c_tile_element(k, "dst", "r", t->dst_row, "j", 1));
    bind(b, "result", "%s", c_part(k->arena, "STORED", t->result));
    bind(b, "a_rows", "a + %s", steps(k->arena, "a", "i", t->a_row));
    bind(b, "row", "%s", operands(k, t, "ROW", 'i'));
    bind(b, "column", "%s", operands(k, t, "COLUMN", 'j'));
    bind_sizes(k, t, b);
    bind_pack(k, t, b);
    nn_render(k, "c/tile.c", b);
}
