/* NAME_selftest.c: the model on inputs of a generator, and what the reference evaluator made of them before the first pass. Large outputs are stored as means
 * of blocks, and the first element of each. */
#include "../../runtime-stub/dnnlc_selftest.h"
#include "../base/template.h"
#include "../ops/ops.h"
#include "emit.h"

#include <math.h>

enum { MAX_BLOCKS = 64 };

/* What an element may be off, as --check has it: relative to itself, and anywhere in the output. */
typedef struct Allowed {
    double relative, anywhere;
} Allowed;

/* Roundings to the steps of a scale, or to 8 bits, may go the other way, and others behind them. */
static bool is_coarse(const Emit *e)
{
    const Graph *g = e->p->graph;
    bool coarse = e->o->origin.bf16;
    for (uint32_t i = 0; i < g->n_nodes && !coarse; i++)
        coarse = op_has(g->nodes[i].op, TRAIT_QUANTISES);
    return coarse;
}

static double largest_finite(const Tensor *t)
{
    double largest = 0;
    for (int64_t i = 0, n = type_count(&t->type); i < n; i++) {
        const double x = fabs(elem_f64(t->type.dtype, t->data, (size_t)i));
        largest = isfinite(x) && x > largest ? x : largest;
    }
    return largest;
}

/* Integers of 32 and 64 bits are counts, indices and labels; smaller ones may be steps. */
static Allowed allowed_for(const Tensor *t, bool coarse)
{
    const DType type = t->type.dtype;
    const double share = 0.1, rtol = 1e-3, atol = 1e-5, largest = largest_finite(t);
    const bool is_float = dtype_is_float(type);
    if (!is_float && (!coarse || type == DT_BOOL || dtype_size(type) > 2))
        return (Allowed){0};
    if (!is_float)
        return (Allowed){.anywhere = fmax(1, share * largest)};
    if (coarse || type == DT_BF16)
        return (Allowed){.anywhere = share * largest + atol};
    return (Allowed){.relative = type == DT_F16 ? 2 * rtol : rtol,
                     .anywhere = atol * fmax(1, largest)};
}

/* In as many digits as it takes: all of them where no difference is allowed. */
static const char *number_text(Arena *arena, double v, bool exact)
{
    return isnan(v)   ? "NAN"
           : isinf(v) ? v > 0 ? "INFINITY" : "-INFINITY"
                      : arena_printf(arena, exact ? "%.17g" : "%.9g", v);
}

static void bind_golden(const Emit *e, Bindings *output, double value, double size, Allowed a,
                        const char *about)
{
    Bindings *b = bind_row(output, "goldens");
    const double allowed = isfinite(size) ? a.anywhere + a.relative * size : 0;
    bind(b, "value", "%s", number_text(e->arena, value, !(allowed > 0)));
    bind(b, "allowed", "%.3g", allowed);
    bind(b, "about", "%s", about);
}

/* Which elements of an output count. */
typedef struct Rows {
    int64_t row, capacity, n;
} Rows;

static bool counts(Rows rows, int64_t i)
{
    return !rows.row || i / rows.row % rows.capacity < rows.n;
}

/* As the emitted self-test cuts an output. */
static int64_t block_start(int64_t count, int64_t blocks, int64_t b)
{
    return (int64_t)dnnlc_block_start((size_t)count, (size_t)blocks, (size_t)b);
}

static void bind_goldens(const Emit *e, Bindings *output, const Tensor *t, Rows rows,
                         int64_t blocks, Allowed a)
{
    const int64_t count = type_count(&t->type);
    for (int64_t b = 0; b < blocks; b++) {
        const int64_t from = block_start(count, blocks, b), to = block_start(count, blocks, b + 1);
        double sum = 0, size = 0, n = 0;
        for (int64_t i = from; i < to; i++) {
            if (!counts(rows, i))
                continue;
            const double x = elem_f64(t->type.dtype, t->data, (size_t)i);
            sum += x;
            size += fabs(x);
            n++;
        }
        bind_golden(e, output, n > 0 ? sum / n : 0, n > 0 ? size / n : 0, a,
                    arena_printf(e->arena, to - from > 1 ? "mean of %lld to %lld" : "%lld",
                                 (long long)from, (long long)to - 1));
    }
    for (int64_t b = 0; b < blocks && blocks < count; b++) {
        const int64_t i = block_start(count, blocks, b);
        const double x = elem_f64(t->type.dtype, t->data, (size_t)i);
        bind_golden(e, output, x, fabs(x), a, arena_printf(e->arena, "%lld", (long long)i));
    }
}

/* A tensor in the memory of the self-test, which it makes larger. */
static Bindings *bind_place(Emit *e, Bindings *b, const char *list, const TensorType *t,
                            const char *member, bool state)
{
    Bindings *row = bind_row(b, list);
    bind_int(row, "dtype", t->dtype);
    bind_int(row, "count", type_count(t));
    bind(row, "at", "%zu", e->selftest_bytes);
    bind(row, "member", "%s", member);
    bind_int(row, "is_state", state);
    e->selftest_bytes += align_up(type_bytes(t));
    return row;
}

static void bind_output(Emit *e, Bindings *b, uint32_t k, bool coarse)
{
    const Port *port = &e->p->graph->outputs[k];
    const Tensor *t = &e->o->origin.golden[k];
    const int64_t count = type_count(&t->type), blocks = count < MAX_BLOCKS ? count : MAX_BLOCKS;
    Bindings *row = bind_place(e, b, "outputs", &t->type, e->out_names[k], port->state);
    Rows rows = {0};
    if (port->count && count) {
        rows = (Rows){.row = 1,
                      .capacity = t->type.dims[port->axis],
                      .n = elem_i64(DT_I64, e->o->origin.golden[port->count].data, 0)};
        for (int d = port->axis + 1; d < t->type.rank; d++)
            rows.row *= t->type.dims[d];
    }
    bind_int(row, "index", k);
    bind_int(row, "blocks", blocks);
    bind(row, "golden", blocks ? "golden_%u" : "NULL", k);
    bind_int(row, "rows_in", rows.row ? port->count + 1 : 0);
    bind_int(row, "row", rows.row);
    bind_int(row, "capacity", rows.capacity);
    bind(row, "about", "%s", e->out_names[k]);
    bind_goldens(e, row, t, rows, blocks, allowed_for(t, coarse));
}

/* A state is set to the input before the run, and read after it as the output that comes now. */
static void bind_state(const Emit *e, Bindings *b, const Port *output, size_t input_at)
{
    Bindings *row = bind_row(b, "states");
    bind(row, "number", "%s_STATE_%s", e->names.upper, e->in_names[output->state - 1]);
    bind(row, "in_at", "%zu", input_at);
    bind(row, "out_at", "%zu", e->selftest_bytes);
    bind(row, "bytes", "%zu", type_bytes(type_of(e->p->graph, output->value)));
}

void emit_selftest(Emit *e)
{
    const Graph *g = e->p->graph;
    Bindings *b = bindings_new(e->arena, NULL);
    const bool coarse = is_coarse(e);
    if (!e->o->origin.golden)
        return;
    bind(b, "banner", "%s", e->names.banner);
    bind(b, "name", "%s", e->names.name);
    bind(b, "upper", "%s", e->names.upper);
    bind(b, "header", "\"%s_dnnl.h\"", e->names.name);
    bind(b, "selftest_header", "\"dnnlc_selftest.h\"");
    bind_int(b, "n_inputs", g->n_inputs);
    size_t *const at = ARENA_ARRAY(e->arena, size_t, (size_t)g->n_inputs + 1);
    for (uint32_t k = 0; k < g->n_inputs; k++) {
        const Port *port = &g->inputs[k];
        at[k] = e->selftest_bytes;
        bind_place(e, b, "inputs", type_of(g, port->value), e->in_names[k], port->state);
    }
    bind_list(b, "states", "");
    for (uint32_t k = 0; k < g->n_outputs; k++) {
        const Port *port = &g->outputs[k];
        if (port->state)
            bind_state(e, b, port, at[port->state - 1]);
        bind_output(e, b, k, coarse);
    }
    bind(b, "no_inputs", "%d", are_states(g->inputs, g->n_inputs));
    bind(b, "no_outputs", "%d", are_states(g->outputs, g->n_outputs));
    Text t = text_new(e->arena);
    render(&t, "driver/selftest.c", b);
    emit_add_c(e, arena_printf(e->arena, "%s_selftest.c", e->names.name), &t);
}
