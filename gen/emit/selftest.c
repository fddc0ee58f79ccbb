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

/* Which elements of an output count: of `capacity` rows of `row` elements the first n. */
typedef struct Rows {
    int64_t row, capacity, n;
} Rows;

typedef struct RowsAlong {
    Rows at[MAX_COUNTS];
    uint32_t n;
} RowsAlong;

static bool counts(const RowsAlong *rows, int64_t i)
{
    for (const Rows *r = rows->at; r < rows->at + rows->n; r++)
        if (i / r->row % r->capacity >= r->n)
            return false;
    return true;
}

/* As the emitted self-test cuts an output. */
static int64_t block_start(int64_t count, int64_t blocks, int64_t b)
{
    return (int64_t)dnnlc_block_start((size_t)count, (size_t)blocks, (size_t)b);
}

static void bind_goldens(const Emit *e, Bindings *output, const Tensor *t, const RowsAlong *rows,
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

/* A tensor in the memory of the self-test, behind the first `*bytes`. */
static Bindings *bind_place(Bindings *b, const char *list, const TensorType *t, size_t *bytes)
{
    Bindings *row = bind_row(b, list);
    bind_int(row, "dtype", t->dtype);
    bind_int(row, "count", type_count(t));
    bind(row, "at", "%zu", *bytes);
    *bytes += align_up(type_bytes(t));
    return row;
}

/* Output k of the variant whose first one is `first`; of `golden`, what all outputs are. */
static void bind_output(const Emit *e, Bindings *b, const Tensor *golden, uint32_t first,
                        uint32_t k, uint32_t model, bool coarse, size_t *bytes)
{
    const Port *port = &e->p->graph->outputs[first + k];
    const Tensor *t = &golden[first + k];
    const int64_t count = type_count(&t->type), blocks = count < MAX_BLOCKS ? count : MAX_BLOCKS;
    Bindings *row = bind_place(b, "outputs", &t->type, bytes);
    RowsAlong rows = {.n = count ? port->n_counts : 0};
    bind_list(row, "counted", ", ");
    for (uint32_t i = 0; i < rows.n || i == 0; i++) { /* at least a row of zeros */
        Bindings *counted = bind_row(row, "counted");
        const RowCount c = port->counts[i];
        if (rows.n > 0)
            rows.at[i] = (Rows){.row = dims_product(&t->type, c.axis + 1, t->type.rank),
                                .capacity = t->type.dims[c.axis],
                                .n = elem_i64(DT_I64, golden[c.by].data, 0)};
        bind_int(counted, "rows_in", rows.n ? c.by - first + 1 : 0);
        bind_int(counted, "row", rows.at[i].row);
        bind_int(counted, "capacity", rows.at[i].capacity);
    }
    bind_int(row, "blocks", blocks);
    if (blocks)
        bind(row, "golden", "golden_%u_%u", model, k);
    else
        bind(row, "golden", "NULL");
    bind(row, "about", "%s", e->out_names[k]);
    bind_goldens(e, row, t, &rows, blocks, allowed_for(t, coarse));
}

/* A state is set to the input before the run, and read after it as the output that comes now. */
static void bind_state(const Emit *e, Bindings *b, uint32_t output)
{
    const Port *port = &e->p->graph->outputs[output];
    Bindings *row = bind_row(b, "states");
    bind(row, "number", "%s_STATE_%s", e->names.upper, e->in_names[port->state - 1]);
    bind_int(row, "input", port->state - 1);
    bind_int(row, "output", output);
    bind(row, "bytes", "%zu", type_bytes(type_of(e->p->graph, port->value)));
}

static void bind_members(Bindings *b, const char *list, const Port *ports, uint32_t n,
                         const char *const *names)
{
    for (uint32_t k = 0; k < n; k++) {
        Bindings *row = bind_row(b, list);
        bind_int(row, "index", k);
        bind(row, "member", "%s", names[k]);
        bind_int(row, "is_state", ports[k].state);
    }
}

/* Inputs and outputs of a variant, or of a number of rows, of which the first variant has all; the memory is that of the largest. */
static void bind_tensors(Emit *e, Bindings *b, uint32_t model, bool bounded)
{
    const Graph *g = e->p->graph;
    const uint32_t n_in = inputs_each(g), n_out = outputs_each(g), variant = bounded ? 0 : model;
    const Tensor *golden = e->o->origin.golden + (bounded ? model * g->n_outputs : 0);
    const bool coarse = e->o->origin.coarse;
    size_t bytes = 0;
    bind_int(b, "model", model);
    for (uint32_t k = 0; k < n_in; k++)
        bind_place(b, "inputs", type_of(g, g->inputs[variant * n_in + k].value), &bytes);
    for (uint32_t k = 0; k < n_out; k++)
        bind_output(e, b, golden, variant * n_out, k, model, coarse, &bytes);
    e->selftest_bytes = bytes > e->selftest_bytes ? bytes : e->selftest_bytes;
}

void emit_selftest(Emit *e)
{
    const Graph *g = e->p->graph;
    const uint32_t n_in = inputs_each(g), n_out = outputs_each(g);
    const bool bounded = graph_has_bounds(g);
    Bindings *b = bindings_new(e->arena, NULL);
    if (!e->o->origin.golden)
        return;
    bind(b, "banner", "%s", e->names.banner);
    bind(b, "name", "%s", e->names.name);
    bind(b, "upper", "%s", e->names.upper);
    bind(b, "internal", "\"%s_internal.h\"", e->names.name);
    bind(b, "selftest_header", "\"dnnlc_selftest.h\"");
    bind_int(b, "n_inputs", n_in);
    bind_int(b, "n_outputs", n_out);
    bind(b, "which", "%s", g->variants.n > 1 ? "ctx->variant" : "0");
    bind_int(b, "bounded", bounded);
    for (uint32_t k = 0; k < (bounded ? (uint32_t)DNNLC_TESTED_ROWS : g->variants.n); k++)
        bind_tensors(e, bind_row(b, "models"), k, bounded);
    bind_list(b, "bounds", "");
    for (uint32_t k = 0; k < n_in; k++)
        if (graph_bound(g, k) >= 0) {
            Bindings *row = bind_row(b, "bounds");
            bind_int(row, "index", k);
            bind_int(row, "most", graph_bound(g, k));
        }
    bind_members(b, "members_in", g->inputs, n_in, e->in_names);
    bind_members(b, "members_out", g->outputs, n_out, e->out_names);
    bind_list(b, "states", "");
    for (uint32_t k = 0; k < n_out; k++)
        if (g->outputs[k].state)
            bind_state(e, b, k);
    bind(b, "no_inputs", "%d", are_states(g->inputs, n_in));
    bind(b, "no_outputs", "%d", are_states(g->outputs, n_out));
    Text t = text_new(e->arena);
    render(&t, "driver/selftest.c", b);
    emit_add_c(e, arena_printf(e->arena, "%s_selftest.c", e->names.name), &t);
}
