/* How C moves elements: copies between strided arrangements, gathers, padding. */
#include "../machine/machine.h"
#include "kernel.h"
#include "layers.h"
#include "plan.h"

enum {
    MOST_WIDTH = 256,
    LEAST_TILED = 8, /* fewer elements do not fill a vector */
};

/* --- copies ----------------------------------------------------------------------------------------------------------- */

/* Strides of the result and the source, in elements. */
typedef struct Strides {
    const TensorType *to_type, *from_type;
    int64_t to[MAX_RANK], from[MAX_RANK];
} Strides;

/* Dimension by dimension of the result. */
static void same_dims(const Node *n, const Strides *s, Loops *l)
{
    (void)n;
    for (int d = 0; d < s->to_type->rank; d++)
        loops_dim(l, s->to_type->dims[d], (int64_t[]){s->to[d], s->from[d]});
}

static void reshape_dims(const Node *n, const Strides *s, Loops *l)
{
    (void)n;
    loops_dim(l, type_count(s->to_type), (int64_t[]){1, 1});
}

static void transpose_dims(const Node *n, const Strides *s, Loops *l)
{
    size_t rank;
    const int64_t *perm = attr_ints(n, "perm", &rank);
    for (size_t d = 0; d < rank; d++)
        loops_dim(l, s->to_type->dims[d], (int64_t[]){s->to[d], s->from[perm[d]]});
}

static void expand_dims(const Node *n, const Strides *s, Loops *l)
{
    (void)n;
    for (int d = 0; d < s->to_type->rank; d++) {
        const int at = d - (s->to_type->rank - s->from_type->rank);
        const bool copied = at >= 0 && s->from_type->dims[at] != 1;
        loops_dim(l, s->to_type->dims[d], (int64_t[]){s->to[d], copied ? s->from[at] : 0});
    }
}

/* Each dimension becomes two: the repeats, along which the source stands still, and its own. */
static void tile_dims(const Node *n, const Strides *s, Loops *l)
{
    size_t rank;
    const int64_t *repeats = attr_ints(n, "repeats", &rank);
    for (size_t d = 0; d < rank; d++) {
        loops_dim(l, repeats[d], (int64_t[]){s->to[d] * s->from_type->dims[d], 0});
        loops_dim(l, s->from_type->dims[d], (int64_t[]){s->to[d], s->from[d]});
    }
}

static void slice_dims(const Node *n, const Strides *s, Loops *l)
{
    size_t rank;
    const int64_t *starts = attr_ints(n, "starts", &rank), *steps = attr_ints(n, "steps", &rank);
    for (size_t d = 0; d < rank; d++) {
        const int64_t size = s->to_type->dims[d];
        loops_dim(l, size, (int64_t[]){s->to[d], size > 1 ? s->from[d] * steps[d] : 0});
        l->offset[1] += size > 0 ? s->from[d] * starts[d] : 0;
    }
}

Loops *copy_loops_of(const Program *p, const Step *s)
{
    static void (*const dims[OP_COUNT])(const Node *n, const Strides *s, Loops *l) = {
        [OP_Reshape] = reshape_dims, [OP_Transpose] = transpose_dims, [OP_Expand] = expand_dims,
        [OP_Tile] = tile_dims,       [OP_Slice] = slice_dims,
    };
    const Buffer *to = &p->buffers[s->out[0]], *from = &p->buffers[s->in[0]];
    const Node *n = s->n_nodes ? node_at(p->graph, s->node) : NULL;
    Strides strides = {.to_type = &to->type, .from_type = &from->type};
    Loops *l = loops_new(p->arena, 2);
    layout_strides(&to->layout, &to->type, strides.to);
    layout_strides(&from->layout, &from->type, strides.from);
    (n ? dims[n->op] : same_dims)(n, &strides, l);
    return copy_simplified(l);
}

Loops *copy_simplified(Loops *l)
{
    loops_sort(l, 0);
    loops_coalesce(l);
    return l;
}

int copy_source_dim(const Loops *l)
{
    for (int d = 0; d < l->rank; d++)
        if (l->stride[1][d] == 1)
            return d;
    return -1;
}

/* Both run along the innermost dimension. */
static bool has_rows(const Loops *l)
{
    const int last = l->rank - 1;
    return l->rank > 0 && l->stride[0][last] == 1 && copy_source_dim(l) == last;
}

/* The source runs along another one than the result. */
static bool has_squares(const Loops *l)
{
    const int last = l->rank - 1, a = copy_source_dim(l);
    return l->rank > 0 && l->stride[0][last] == 1 && a >= 0 && a != last;
}

/* The source has the planes' elements side by side, as pixels have red, green and blue: compilers vectorise that for so many. */
static bool has_planes(const Loops *l)
{
    enum { MOST_PLANES = 4 };
    return has_squares(l) && l->dims[copy_source_dim(l)] <= MOST_PLANES;
}

static bool has_blocks(const Loops *l)
{
    return has_squares(l) && l->dims[copy_source_dim(l)] >= COPY_TILE &&
           l->dims[l->rank - 1] >= COPY_TILE && l->stride[1][l->rank - 1] > 0;
}

/* With AVX-512 a row of a square may be a whole line of the cache, which is written at once: where the tensor leaves L2, or the result's rows would take the same few places of a cache; not
 * where the source's would. us of f32[64,19200], [19200,64], [256,12544], [512,196], [65536,16] by squares of 8 and of 16 207 and 186, 239 and 160, 1563 and 1250, 24 and 15, 291 and 184; of
 * [4800,64], [196,32], [16,65536] 35 and 34, 0.53 and 0.60, 126 and 194 (Zen 4, one thread). */
static bool wants_lines(const Loops *l)
{
    enum { LARGE = 128 << 10, ALIKE = 256, SOURCE_ALIKE = 1024 }; /* elements */
    int64_t count = 1;
    for (int d = 0; d < l->rank; d++)
        count *= l->dims[d];
    return (count >= LARGE || l->stride[0][copy_source_dim(l)] % ALIKE == 0) &&
           l->stride[1][l->rank - 1] % SOURCE_ALIKE != 0;
}

/* Elements of four bytes fill halves of registers of AVX2, or all of AVX-512's, others those of SSE. */
int64_t copy_square(const Program *p, const Loops *l, DType t)
{
    enum { SSE_BYTES = 16 };
    const int64_t size = (int64_t)dtype_size(t);
    if (p->lanes < AVX2_LANES || size > 4 || !has_squares(l) || l->stride[1][l->rank - 1] <= 0)
        return 0;
    const int64_t rows = l->dims[copy_source_dim(l)], columns = l->dims[l->rank - 1],
                  least = rows < columns ? rows : columns,
                  side = size == 4 ? AVX2_LANES : SSE_BYTES / size;
    if (size == 4 && p->lanes == AVX512_LANES && least >= AVX512_LANES && wants_lines(l))
        return AVX512_LANES;
    return least >= side ? side : 0;
}

CVariant copy_variant(const Loops *l, DType t)
{
    const int last = l->rank - 1;
    if (has_rows(l) && l->dims[last] * (int64_t)dtype_size(t) >= COPY_ROW_BYTES)
        return C_copy_rows;
    if (has_planes(l) && l->dims[last] >= LEAST_TILED)
        return C_copy_planes;
    if (has_blocks(l))
        return C_copy_blocks;
    return has_squares(l) && l->dims[copy_source_dim(l)] >= LEAST_TILED &&
                   l->dims[last] >= LEAST_TILED
               ? C_copy_tiles
               : C_copy_elements;
}

/* Rows of squares are shared where they are long, else columns of them. */
int copy_shared_dim(const Loops *l, CVariant variant)
{
    enum { LONG = 256 };
    const bool tiled =
        variant == C_copy_tiles || variant == C_copy_blocks || variant == C_copy_squares;
    const bool moved = variant == C_copy_planes || (tiled && l->rank > 2);
    if (variant == C_copy_squares && l->rank == 2 && l->dims[copy_source_dim(l)] < LONG)
        return l->rank - 1;
    return moved && copy_source_dim(l) == 0 ? 1 : 0;
}

static DType moved_type(const CStep *k)
{
    return k->p->buffers[k->s->out[0]].type.dtype;
}

CVariant choose_copy(const CStep *k)
{
    const Loops *l = copy_loops_of(k->p, k->s);
    return copy_square(k->p, l, moved_type(k)) ? C_copy_squares : copy_variant(l, moved_type(k));
}

bool c_moves_squares(const Program *p, const Buffer *to, const Buffer *from)
{
    Strides s = {.to_type = &to->type, .from_type = &from->type};
    Loops *l = loops_new(p->arena, 2);
    if (to->layout.block || from->layout.block || !type_count(&to->type))
        return false;
    layout_strides(&to->layout, &to->type, s.to);
    layout_strides(&from->layout, &from->type, s.from);
    same_dims(NULL, &s, l);
    return copy_square(p, copy_simplified(l), to->type.dtype) != 0;
}

/* So many operations for one element, besides those for its bytes. The result may be where the source is. */
static void estimate(CStep *k, const Loops *l, double element)
{
    const bool in_place = c_overlap(k->p, k->s->in[0], k->s->out[0]);
    k->iterations = l->rank && !in_place ? l->dims[0] : 0;
    k->operations = element + 0.5 * (double)dtype_size(moved_type(k));
    for (int d = 0; d < l->rank; d++)
        k->operations *= (double)l->dims[d];
}

/* A memcpy for each row. */
bool fit_copy_rows(CStep *k)
{
    const Loops *l = copy_loops_of(k->p, k->s);
    estimate(k, l, 0);
    k->iterations = l->rank > 1 ? k->iterations : 0;
    return has_rows(l);
}

static void estimate_tiles(CStep *k, const Loops *l, double element)
{
    const int outer = copy_shared_dim(l, k->plan->variant);
    estimate(k, l, element);
    k->iterations = !k->iterations ? 0
                    : outer == copy_source_dim(l)
                        ? (l->dims[outer] + k->plan->width - 1) / k->plan->width
                        : l->dims[outer];
}

/* Squares of `width` elements of both dimensions, so that each cache line is used whole. */
bool fit_copy_tiles(CStep *k)
{
    const Loops *l = copy_loops_of(k->p, k->s);
    if (!has_squares(l) || !c_free_number(&k->plan->width, COPY_TILE, MOST_WIDTH))
        return false;
    estimate_tiles(k, l, 3);
    return true;
}

/* The rows of a block are interleaved by fours, twice, which transposes it and which compilers make shuffles of vectors of. One thread of an
 * AMD EPYC (Zen 4), such loops by themselves, f32[512,512], ms so and by tiles: gcc 12 with AVX-512 0.031, 0.17, with AVX2 0.054, 0.14, with
 * SSE 0.058, 0.14; clang 14 0.063, 0.12, 0.078, 0.059, 0.072, 0.080; a copy 0.022. */
bool fit_copy_blocks(CStep *k)
{
    const Loops *l = copy_loops_of(k->p, k->s);
    if (!has_blocks(l) || !c_free_number(&k->plan->width, COPY_TILE, COPY_TILE))
        return false;
    estimate_tiles(k, l, 0);
    return k->plan->width == COPY_TILE;
}

/* A strip of 64 elements of the source's rows, four lines of the cache, for all of the result's rows in it: the source is read as whole lines,
 * and the halves of the result's lines that are not written yet wait in L1. Rows of the result that lie multiples of 2 KiB apart would take the same few
 * places there. Squares of whole lines leave nothing that waits, and long rows are read in longer strips. */
static int64_t strip_of(const CStep *k, const Loops *l, int64_t square)
{
    enum { LINE_BYTES = 64, STRIP = 64, LONG_STRIP = 256, LONG = 2048 };
    enum { NARROW = 16, ALIKE = 2048 };
    const int64_t size = (int64_t)dtype_size(moved_type(k)), row = l->dims[copy_source_dim(l)];
    const bool lines = square * size == LINE_BYTES,
               alike = !lines && l->stride[0][copy_source_dim(l)] * size % ALIKE == 0;
    return alike ? NARROW : lines && row >= LONG ? LONG_STRIP : STRIP;
}

/* One thread of an AMD EPYC (Zen 3), AVX2, us so and by blocks, of oneDNN's reorder and of a copy as large: docs/measurements.md. */
bool fit_copy_squares(CStep *k)
{
    const Loops *l = copy_loops_of(k->p, k->s);
    const int64_t square = copy_square(k->p, l, moved_type(k));
    if (!square || !c_free_number(&k->plan->width, strip_of(k, l, square), MOST_WIDTH))
        return false;
    estimate_tiles(k, l, 0);
    if (k->iterations && copy_shared_dim(l, C_copy_squares) == l->rank - 1) {
        const int64_t columns = l->dims[l->rank - 1];
        k->iterations = divide_up(columns, square);
        if (columns % square && k->iterations < 2 * k->p->threads)
            k->iterations = 0; /* what is written twice, one thread writes */
    }
    return k->plan->width % square == 0;
}

/* The planes are the innermost loop, so that the source is read once. One thread of an AMD EPYC (Zen 4), f32[512,512,n] to [n,512,512], ms
 * so, plane by plane and by oneDNN's reorder: 2 planes 0.044, 0.066, 0.35; 3 0.065, 0.13, 0.36; 4 0.090, 0.22, 0.37, copies as large
 * 0.043, 0.065, 0.086. */
bool fit_copy_planes(CStep *k)
{
    const Loops *l = copy_loops_of(k->p, k->s);
    estimate(k, l, 0);
    if (!has_planes(l))
        return false;
    k->iterations = k->iterations ? l->dims[copy_shared_dim(l, C_copy_planes)] : 0;
    return true;
}

bool fit_copy_elements(CStep *k)
{
    estimate(k, copy_loops_of(k->p, k->s), 3);
    return true;
}

/* --- gathers ------------------------------------------------------------------------------------------------------------ */

bool fit_gather(CStep *k)
{
    const TensorType *data = type_of(k->g, k->n->in[0]);
    const int axis = (int)attr_int(k->n, "axis", 0);
    const int64_t outer = dims_product(data, 0, axis), n = type_count(type_of(k->g, k->n->in[1]));
    k->iterations = outer == 1 ? n : outer;
    k->operations = (double)(outer * n) * (10 + (double)dims_product(data, axis + 1, data->rank));
    return true;
}

Loops *gather_loops_of(const Graph *g, const Node *n, Arena *arena, int64_t *along)
{
    const TensorType *data = type_of(g, n->in[0]), *indices = type_of(g, n->in[1]);
    const int64_t axis = attr_int(n, "axis", 0);
    int64_t is[MAX_RANK], ds[MAX_RANK];
    const Layout plain = layout_plain(data->rank);
    layout_strides(&plain, indices, is);
    layout_strides(&plain, data, ds);
    *along = ds[axis];
    ds[axis] = 0;
    Loops *l = loops_new(arena, 2);
    for (int d = 0; d < data->rank; d++)
        loops_dim(l, indices->dims[d], (int64_t[]){is[d], ds[d]});
    loops_coalesce(l);
    return l;
}

bool fit_gather_elements(CStep *k)
{
    int64_t along;
    const Loops *l = gather_loops_of(k->g, k->n, k->p->arena, &along);
    k->iterations = l->rank ? l->dims[0] : 0;
    k->operations = 10 * (double)type_count(type_of(k->g, k->n->out[0]));
    return true;
}

/* --- padding ------------------------------------------------------------------------------------------------------------ */

PadLoops pad_loops_of(const Program *p, const Step *s)
{
    const Buffer *src = &p->buffers[s->in[0]], *dst = &p->buffers[s->out[0]];
    size_t n;
    const int64_t *pads = attr_ints(node_at(p->graph, s->node), "pads", &n);
    const int rank = src->type.rank;
    int64_t to[MAX_RANK], from[MAX_RANK];
    PadLoops m = {.l = loops_new(p->arena, 4)};
    layout_strides(&dst->layout, &dst->type, to);
    layout_strides(&src->layout, &src->type, from);
    for (int d = 0; d < rank; d++)
        if (dst->type.dims[d] != 1 || pads[d] || pads[rank + d])
            loops_dim(m.l, dst->type.dims[d], (int64_t[]){to[d], from[d], pads[d], pads[rank + d]});
    if (m.l->rank == 0)
        loops_dim(m.l, 1, (int64_t[]){0, 0, 0, 0});
    loops_sort(m.l, 0);
    for (int d = 0; d < m.l->rank; d++) {
        m.before[d] = m.l->stride[2][d];
        m.after[d] = m.l->stride[3][d];
    }
    return m;
}

bool fit_pad_mirrored(CStep *k)
{
    if (!pad_mirrors(k->n))
        return false;
    k->iterations = pad_loops_of(k->p, k->s).l->dims[0];
    k->operations = (double)type_count(type_of(k->g, k->n->out[0]));
    return true;
}
