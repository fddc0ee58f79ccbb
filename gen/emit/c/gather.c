/* Operators that pick elements by index. Indices are data and not trusted: dnnlc_index clamps them. */
#include "../../eval/elem.h"
#include "../../kernel/layers.h"
#include "copy.h"
#include "nn.h"
#include "ops.h"

#include <inttypes.h>
#include <string.h>

/* Rows of n elements are copied from `from` to `to`, counted in rows. */
static void bind_rows(Bindings *b, const char *to, const char *from, int64_t n)
{
    bind_int(b, "single", n == 1);
    bind_int(b, "inner", n);
    bind(b, "to", "%s", to);
    bind(b, "from", "%s", from);
    bind(b, "to_row", strchr(to, ' ') ? "(%s)" : "%s", to);
    bind(b, "from_row", strchr(from, ' ') ? "(%s)" : "%s", from);
}

/* A loop as a row of a list for `//@nest`, between threads if it is shared. */
static void bind_loop(Bindings *b, const char *list, const char *i, bool shared, int64_t n)
{
    Bindings *loop = bind_row(b, list);
    bind(loop, "i", "%s", i);
    bind(loop, "begin", shared ? "from" : "0");
    if (shared)
        bind(loop, "end", "to");
    else
        bind_int(loop, "end", n);
}

void emit_c_gather(CKernel *k)
{
    int64_t axis = attr_int(k->node, "axis", 0);
    Around c = around(&c_in(k, 0)->type, axis, axis + 1);
    int64_t n = type_count(&c_in(k, 1)->type);
    const bool many = c.outer > 1;
    c_need(k, CH_INDEX);
    Bindings *b = nn_bindings(k);
    if (many)
        bind_loop(b, "loops", "i", k->shared, c.outer);
    bind_loop(b, "loops", "j", k->shared && !many, n);
    bind_int(b, "size", c.size);
    bind_rows(b, many ? arena_printf(k->arena, "i * %" PRId64 " + j", n) : "j",
              many ? arena_printf(k->arena, "i * %" PRId64 " + at", c.size) : "at", c.inner);
    nn_render(k, "c/gather.c", b);
}

void emit_c_gather_elements(CKernel *k)
{
    const TensorType *data = &c_in(k, 0)->type;
    const int64_t axis = attr_int(k->node, "axis", 0);
    int64_t along;
    Loops *l = gather_loops_of(k->g, k->node, k->arena, &along);
    l->shared = k->shared ? 0 : -1;
    c_need(k, CH_INDEX);
    Bindings *b = nn_bindings(k);
    loops_bind(b, "dims", l, 0, l->rank);
    bind(b, "at", "%s", loops_index(l, 0, "dst", 0, l->rank));
    bind(b, "rest", "%s", loops_index(l, 1, "src", 0, l->rank));
    bind_int(b, "size", data->dims[axis]);
    bind_int(b, "along", along);
    nn_render(k, "c/gather_elements.c", b);
}

void emit_c_gather_nd(CKernel *k)
{
    const TensorType *data = &c_in(k, 0)->type, *indices = &c_in(k, 1)->type;
    int batch = (int)attr_int(k->node, "batch_dims", 0);
    int64_t length = indices->dims[indices->rank - 1];
    Around c = around(data, batch, batch + length);
    c_need(k, CH_INDEX);
    Bindings *b = nn_bindings(k);
    int64_t tuples = type_count(indices) / length / c.outer, step = c.size;
    bind_int(b, "batches", c.outer);
    bind_int(b, "tuples", tuples); /* of each batch */
    bind_int(b, "length", length);
    bind_int(b, "size", c.size);
    bind(b, "T_index", "%s", dtype_c(indices->dtype));
    bind_list(b, "coordinates", " + ");
    for (int d = 0; d < length; d++) {
        Bindings *coordinate = bind_row(b, "coordinates");
        step /= data->dims[batch + d];
        bind_int(coordinate, "d", d);
        bind_int(coordinate, "bound", data->dims[batch + d]);
        bind_int(coordinate, "step", step);
    }
    bind_rows(b, arena_printf(k->arena, "b * %" PRId64 " + i", tuples), "at", c.inner);
    nn_render(k, "c/gather_nd.c", b);
}

/* --- one_hot, reverse_sequence ----------------------------------------------------------------------------------------- */

void emit_c_one_hot(CKernel *k)
{
    const DType t = c_in(k, 0)->type.dtype;
    const int64_t axis = attr_int(k->node, "axis", 0);
    const Around c = around(&c_out(k, 0)->type, axis, axis + 1);
    Bindings *b = nn_bindings(k);
    nn_type_in(k, b, "x", t, c_compute_type(t));
    bind_int(b, "real", dtype_is_float(t));
    const char *limit = t == DT_F64 ? "0x1p62" : "0x1p62f";
    if (dtype_is_float(t))
        bind(b, "index", "v >= -%s && v < %s ? (int64_t)v : -1 - (int64_t)DEPTH", limit, limit);
    else
        bind(b, "index", "(int64_t)indices[i * INNER + j]");
    bind_int(b, "outer", c.outer);
    bind_int(b, "depth", c.size);
    bind_int(b, "inner", c.inner);
    nn_render(k, "c/one_hot.c", b);
}

/* The two axes, whichever comes first, cut the tensor into [outer, first, middle, second, inner]. */
void emit_c_reverse_sequence(CKernel *k)
{
    const TensorType *t = &c_in(k, 0)->type;
    int64_t batch = attr_int(k->node, "batch_axis", 1), time = attr_int(k->node, "time_axis", 0);
    const bool batch_first = batch < time;
    int64_t first = batch_first ? batch : time, second = batch_first ? time : batch;
    Around x = around(t, first, first + 1), y = around(t, second, second + 1);
    const int64_t middle = x.inner / (y.size * y.inner);
    Bindings *b = nn_bindings(k);
    bind_int(b, "outer", x.outer);
    bind_int(b, "first", x.size);
    bind_int(b, "middle", middle);
    bind_int(b, "second", y.size);
    bind_int(b, "steps", t->dims[time]);
    bind(b, "sequence", batch_first ? "i" : "j");
    bind(b, "step", batch_first ? "j" : "i");
    bind_rows(b,
              arena_printf(k->arena, "((o * %" PRId64 " + i) * %" PRId64 " + m) * %" PRId64 " + j",
                           x.size, middle, y.size),
              arena_printf(k->arena,
                           "((o * %" PRId64 " + %s) * %" PRId64 " + m) * %" PRId64 " + %s", x.size,
                           batch_first ? "i" : "t", middle, y.size, batch_first ? "t" : "j"),
              y.inner);
    nn_render(k, "c/reverse_sequence.c", b);
}
