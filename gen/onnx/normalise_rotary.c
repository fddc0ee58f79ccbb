/* Rotary embedding: ONNX's and ONNX Runtime's, which differ in the order of their inputs. */
#include "attend.h"
#include "dependent_rows.h"
#include "table.h"

/* Rows of a cache, [batch, 1, rows, half] to go with [batch, heads, rows, half]. */
static ValueId cache_rows(OnnxNode *c, ValueId cache, ValueId positions, const TensorType *x,
                          int64_t half)
{
    if (has_value(positions))
        cache = emit(c, OP_Gather, IN(cache, positions), ATTRS(ATTR_I("axis", 0)));
    const TensorType t = value_type(c, cache);
    if (t.rank != 3 || t.dims[2] != half || t.dims[1] != x->dims[2] ||
        (t.dims[0] != x->dims[0] && t.dims[0] != 1))
        return refuse_value(c, "rows of the caches, %s, do not belong to %s",
                            type_text(c->arena, &t), type_text(c->arena, x));
    return cast(c, reshape(c, cache, 4, (int64_t[]){t.dims[0], 1, t.dims[1], half}), x->dtype);
}

/* One of the two numbers that are rotated together: those of the first or second half, or every other one. */
static ValueId half_of(OnnxNode *c, ValueId x, int64_t half, bool interleaved, int64_t i)
{
    if (!interleaved)
        return slice_axis(c, x, 3, i * half, half);
    TensorType t = value_type(c, x);
    x = reshape(c, x, 5, (int64_t[]){t.dims[0], t.dims[1], t.dims[2], half, 2});
    return squeeze(c, slice_axis(c, x, 4, i, 1), 4);
}

static ValueId join(OnnxNode *c, ValueId a, ValueId b, bool interleaved)
{
    TensorType t = value_type(c, a);
    if (interleaved) {
        a = unsqueeze(c, a, 4);
        b = unsqueeze(c, b, 4);
    }
    ValueId v = emit(c, OP_Concat, IN(a, b), ATTRS(ATTR_I("axis", interleaved ? 4 : 3)));
    return reshape(c, v, 4, (int64_t[]){t.dims[0], t.dims[1], t.dims[2], 2 * t.dims[3]});
}

static ValueId rotate(OnnxNode *c, ValueId x, ValueId cos, ValueId sin, int64_t rotated,
                      bool interleaved)
{
    const TensorType t = value_type(c, x);
    const int64_t half = rotated / 2;
    ValueId part = rotated < t.dims[3] ? slice_axis(c, x, 3, 0, rotated) : x;
    ValueId a = half_of(c, part, half, interleaved, 0), b = half_of(c, part, half, interleaved, 1);
    ValueId real = sub(c, mul(c, cos, a), mul(c, sin, b)),
            imaginary = add(c, mul(c, sin, a), mul(c, cos, b));
    ValueId y = join(c, real, imaginary, interleaved);
    if (rotated == t.dims[3])
        return y;
    ValueId rest = slice_axis(c, x, 3, rotated, t.dims[3] - rotated);
    return emit(c, OP_Concat, IN(y, rest), ATTRS(ATTR_I("axis", 3)));
}

ValueId rotate_heads(OnnxNode *c, ValueId x, ValueId cos, ValueId sin, ValueId positions,
                     int64_t rotated, bool interleaved)
{
    const TensorType t = value_type(c, x);
    if (rotated < 2 || rotated % 2 || rotated > t.dims[3])
        return refuse_value(c, "%lld of %lld numbers cannot be rotated in pairs",
                            (long long)rotated, (long long)t.dims[3]);
    return rotate(c, x, cache_rows(c, cos, positions, &t, rotated / 2),
                  cache_rows(c, sin, positions, &t, rotated / 2), rotated, interleaved);
}

static bool rotary(OnnxNode *c, int64_t heads, ValueId cos, ValueId sin, ValueId positions)
{
    ValueId x = in_at(c, 0);
    const int rank = type_in(c, 0)->rank;
    if (rank == 3)
        x = split_heads(c, x, heads);
    if (failed(c) || (rank != 3 && rank != 4))
        return refuse_onnx(c, "its input has neither three nor four dimensions");
    const TensorType t = *type_of(c->g, x);
    int64_t rotated = get_int(c, "rotary_embedding_dim", 0);
    ValueId y = rotate_heads(c, x, cos, sin, positions, rotated ? rotated : t.dims[3],
                             get_int(c, "interleaved", 0) != 0);
    return alias(c, 0, rank == 3 ? join_heads(c, y) : y);
}

/* X, cos_cache, sin_cache, position_ids; without these the caches have a row for each position of each sequence. */
bool norm_rotary(OnnxNode *c)
{
    if (type_in(c, 0)->rank == 3 && get_int(c, "num_heads", 0) < 1)
        return refuse_onnx(c, "attribute num_heads is missing");
    return rotary(c, get_int(c, "num_heads", 0), in_at(c, 1), in_at(c, 2), in_at(c, 3));
}

ValueId positions_from(OnnxNode *c, ValueId first, int64_t rows)
{
    ValueId count = reshape(c, count_up(c, rows), 2, (int64_t[]){1, rows});
    const TensorType t = value_type(c, first);
    const int64_t n = type_count(&t);
    return add(c, count, cast(c, reshape(c, first, 2, (int64_t[]){n, 1}), DT_I64));
}

/* com.microsoft: X, position_ids, cos_cache, sin_cache. Without num_heads the caches say how wide a head is. */
bool norm_microsoft_rotary(OnnxNode *c)
{
    const TensorType x = *type_in(c, 0), at = *type_in(c, 1), cos = *type_in(c, 2);
    if (get_int(c, "is_packed_batching", 0) || get_float(c, "scale", 1) != 1)
        return refuse_onnx(c, "packed batches and a scale are not supported");
    if (failed(c) || cos.rank != 2 || (x.rank != 3 && x.rank != 4) || cos.dims[1] < 1)
        return refuse_onnx(c, "its inputs do not belong together");
    int64_t heads = get_int(c, "num_heads", 0);
    if (!heads && x.rank == 3)
        heads = x.dims[2] / (2 * cos.dims[1]);
    ValueId positions = in_at(c, 1);
    if (type_count(&at) == 1 && at.rank == 1) /* where the sequence begins */
        positions = positions_from(c, positions, x.dims[x.rank - 2]);
    return rotary(c, heads, in_at(c, 2), in_at(c, 3), positions);
}
