/* Weights quantised in blocks: ONNX's scales for blocks, and ONNX Runtime's products with such weights (domain com.microsoft),
 * of which floats are made when the model is compiled. */
#include "blocks.h"
#include "table.h"

#include <math.h>

static bool blocks_fit(OnnxNode *c, const TensorType *x, const TensorType *p, int axis,
                       int64_t block)
{
    bool fits = block > 0 && p->rank == x->rank && x->rank < MAX_RANK;
    for (int d = 0; fits && d < x->rank; d++)
        fits =
            p->dims[d] == (d == axis ? x->dims[d] / block + (x->dims[d] % block != 0) : x->dims[d]);
    return fits || refuse_onnx(c, "scales or zero points %s do not belong to blocks of %lld in %s",
                               type_text(c->arena, p), (long long)block, type_text(c->arena, x));
}

ValueId over_elements(OnnxNode *c, const TensorType *x, ValueId p, int axis, int64_t block)
{
    if (failed(c))
        return NO_VALUE;
    TensorType t = *type_of(c->g, p);
    if (!blocks_fit(c, x, &t, axis, block))
        return NO_VALUE;
    int64_t dims[MAX_RANK];
    memcpy(dims, t.dims, ((size_t)axis + 1) * sizeof *dims);
    dims[axis + 1] = block;
    memcpy(dims + axis + 2, t.dims + axis + 1, (size_t)(t.rank - axis - 1) * sizeof *dims);
    if (!mul_i64(t.dims[axis], block, &t.dims[axis]) || !type_valid(&t))
        return refuse_value(c, "block_size %lld is too large", (long long)block);
    p = expand(c, unsqueeze(c, p, axis + 1), t.rank + 1, dims);
    p = reshape(c, p, t.rank, t.dims);
    return t.dims[axis] == x->dims[axis] ? p : slice_axis(c, p, axis, 0, x->dims[axis]);
}

ValueId dequantize_blocks(OnnxNode *c, ValueId x, ValueId scale, ValueId zero, int axis,
                          int64_t block)
{
    const TensorType t = value_type(c, x);
    const DType to = dtype_of(c, scale);
    scale = cast(c, over_elements(c, &t, scale, axis, block), DT_F32);
    ValueId v = cast(c, x, DT_F32);
    if (has_value(zero))
        v = sub(c, v, cast(c, over_elements(c, &t, zero, axis, block), DT_F32));
    return cast(c, mul(c, v, scale), to);
}

ValueId quantize_blocks(OnnxNode *c, int axis, int64_t block, DType to)
{
    const TensorType t = *type_in(c, 0);
    ValueId scale = cast(c, over_elements(c, &t, in_at(c, 1), axis, block), DT_F32);
    ValueId v = emit(c, OP_Round, IN(divide(c, cast(c, in_at(c, 0), DT_F32), scale)), NULL);
    if (has_in(c, 2))
        v = add(c, v, cast(c, over_elements(c, &t, in_at(c, 2), axis, block), DT_F32));
    if (dtype_is_float(to) || to == DT_BOOL || dtype_size(to) > 2)
        return refuse_value(c, "quantising blocks to %s is not supported", dtype_name(to));
    const double low = (double)dtype_lowest(to), high = (double)dtype_highest(to);
    return cast(c, emit(c, OP_Clip, IN(v), ATTRS(ATTR_F("min", low), ATTR_F("max", high))), to);
}

/* --- com.microsoft -------------------------------------------------------------------------------------------------- */

/* Numbers of `bits` bits, low ones first; each row of `columns` begins with a byte of its own. */
static ValueId unpacked(OnnxNode *c, const uint8_t *packed, int64_t rows, int64_t columns, int bits)
{
    const TensorType type = {.dtype = DT_U8, .rank = 2, .dims = {rows, columns}};
    if (!type_valid(&type) || !onnx_claim(c->im, type_bytes(&type)))
        return NO_VALUE;
    const int64_t each = 8 / bits, pitch = (columns + each - 1) / each;
    uint8_t *out = arena_alloc(c->arena, type_bytes(&type) + 1);
    for (int64_t r = 0; r < rows; r++)
        for (int64_t k = 0; k < columns; k++)
            out[r * columns + k] =
                (uint8_t)(packed[r * pitch + k / each] >> (k % each * bits) & ((1 << bits) - 1));
    return emit_const(c, type, out);
}

typedef struct NBits {
    int64_t rows, depth, block, blocks; /* of the weights: N, K, block_size, blocks of a row */
    int bits;
} NBits;

static bool read_nbits(OnnxNode *c, NBits *b)
{
    *b = (NBits){.rows = get_int(c, "N", 0),
                 .depth = get_int(c, "K", 0),
                 .block = get_int(c, "block_size", 0),
                 .bits = (int)get_int(c, "bits", 4)};
    if ((b->bits != 2 && b->bits != 4 && b->bits != 8) || b->rows < 1 || b->depth < 1 ||
        b->block < 16 || b->block % 16 || b->block > 1 << 20)
        return refuse_onnx(c, "N, K, block_size or bits is invalid");
    b->blocks = b->depth / b->block + (b->depth % b->block != 0);
    const TensorType *w = type_in(c, 1);
    int64_t bytes;
    if (!mul_i64(b->rows, b->blocks, &bytes) || !mul_i64(bytes, b->block / 8 * b->bits, &bytes) ||
        w->dtype != DT_U8 || type_count(w) != bytes)
        return refuse_onnx(c, "weights %s do not belong to N, K and block_size",
                           type_text(c->arena, w));
    return known(c, 1) || refuse_onnx(c, "its weights are computed from the model's inputs");
}

/* [N, blocks]: packed like the weights, or of the scales' type; 2^(bits - 1) where there is none. */
static ValueId nbits_zero(OnnxNode *c, const NBits *b)
{
    const int64_t each = 8 / b->bits, pitch = (b->blocks + each - 1) / each;
    if (!has_in(c, 3))
        return expand(c, const_scalar(c, DT_U8, 1 << (b->bits - 1)), 2,
                      (int64_t[]){b->rows, b->blocks});
    const TensorType t = *type_in(c, 3);
    if (t.dtype != DT_U8)
        return reshape(c, in_at(c, 3), 2, (int64_t[]){b->rows, b->blocks});
    if (type_count(&t) != b->rows * pitch || !known(c, 3))
        return refuse_value(c, "zero points %s are not supported", type_text(c->arena, &t));
    return unpacked(c, value_at(c->g, in_at(c, 3))->data, b->rows, b->blocks, b->bits);
}

/* A, B, scales, zero_points, g_idx, bias: A · dequantised(B)ᵀ [+ bias]. */
bool norm_matmul_nbits(OnnxNode *c)
{
    NBits b;
    if (!read_nbits(c, &b))
        return false;
    if (has_in(c, 4))
        return refuse_onnx(c, "g_idx is not supported");
    if (type_count(type_in(c, 2)) != b.rows * b.blocks)
        return refuse_onnx(c, "scales %s do not belong to the weights",
                           type_text(c->arena, type_in(c, 2)));
    const DType type = type_in(c, 0)->dtype;
    ValueId w = unpacked(c, value_at(c->g, in_at(c, 1))->data, b.rows, b.blocks * b.block, b.bits);
    if (b.blocks * b.block != b.depth)
        w = slice_axis(c, w, 1, 0, b.depth);
    ValueId scale = reshape(c, cast(c, in_at(c, 2), DT_F32), 2, (int64_t[]){b.rows, b.blocks});
    w = dequantize_blocks(c, w, scale, nbits_zero(c, &b), 1, b.block);
    w = transpose(c, w, (int64_t[]){1, 0});
    ValueId v = emit(c, OP_MatMul, IN(cast(c, in_at(c, 0), DT_F32), w), NULL);
    if (has_in(c, 5))
        v = add(c, v, cast(c, in_at(c, 5), DT_F32));
    return alias(c, 0, cast(c, v, type));
}

/* data, indices, scales, zero_points: rows of a table that is quantised along its last axis. */
bool norm_gather_block_quantized(OnnxNode *c)
{
    const int rank = type_in(c, 0)->rank;
    const int64_t block = get_int(c, "block_size", 128), bits = get_int(c, "bits", 4);
    const TensorType t = *type_in(c, 0), s = *type_in(c, 2);
    const bool packed = t.dtype == DT_U8 && !onnx_narrow_of(c->im, in_at(c, 0)) && bits < 8;
    const int gather = get_axis(c, "gather_axis", 0, rank),
              quantise = get_axis(c, "quantize_axis", 1, rank);
    if (rank != 2 || gather != 0 || quantise != 1 || s.rank != 2 || (bits != 4 && bits != 8))
        return refuse_onnx(c, "only rows of a matrix, quantised along them, are supported");
    ValueId data = in_at(c, 0), zero = in_at(c, 3);
    int64_t columns = t.dims[1];
    if (packed) {
        if (!known(c, 0) || (has_value(zero) && !known(c, 3)))
            return refuse_onnx(c, "its table is computed from the model's inputs");
        columns *= 8 / bits;
        data = unpacked(c, value_at(c->g, data)->data, t.dims[0], columns, (int)bits);
        if (has_value(zero)) {
            if (type_in(c, 3)->dtype != DT_U8 || type_in(c, 3)->rank != 2 ||
                type_in(c, 3)->dims[0] != s.dims[0] ||
                type_in(c, 3)->dims[1] != (s.dims[1] + 1) / 2)
                return refuse_onnx(c, "its zero points do not belong to its scales");
            zero = unpacked(c, value_at(c->g, zero)->data, s.dims[0], s.dims[1], (int)bits);
        }
    }
    const Attr *axis = ATTRS(ATTR_I("axis", 0));
    ValueId x = emit(c, OP_Gather, IN(data, in_at(c, 1)), axis);
    ValueId scale = emit(c, OP_Gather, IN(in_at(c, 2), in_at(c, 1)), axis);
    if (has_value(zero))
        zero = emit(c, OP_Gather, IN(zero, in_at(c, 1)), axis);
    const TensorType t_scale = value_type(c, scale);
    if (!has_value(zero) && t.dtype == DT_U8 && !onnx_narrow_of(c->im, in_at(c, 0)))
        zero = expand(c, const_scalar(c, DT_U8, 1 << (bits - 1)), t_scale.rank, t_scale.dims);
    return alias(c, 0, dequantize_blocks(c, x, scale, zero, type_of(c->g, x)->rank - 1, block));
}
