/* Signal processing: windows and filter banks are constants, Fourier transforms products with a constant matrix. */
#include "table.h"

#include <math.h>

enum {
    MAX_WINDOW = 1 << 24, /* elements */
    MAX_MATRIX = 1 << 24,
};

static bool output_type(OnnxNode *c, DType *dtype)
{
    return onnx_dtype(c->im, get_int(c, "output_datatype", DT_F32), where_of(c), dtype);
}

/* Hann, Hamming and Blackman: a0 - a1 cos + a2 cos of the double angle. */
bool norm_window_function(OnnxNode *c)
{
    static const struct {
        const char *name;
        double a0, a1, a2;
    } windows[] = {{"HannWindow", 0.5, 0.5, 0},
                   {"HammingWindow", 25.0 / 46, 1 - 25.0 / 46, 0},
                   {"BlackmanWindow", 0.42, 0.5, 0.08}};
    DType dtype;
    size_t w = 0;
    const int64_t size = known_int(c, 0, "size");
    if (!output_type(c, &dtype))
        return false;
    if (failed(c) || size < 0 || size > MAX_WINDOW)
        return refuse_onnx(c, "size %lld is invalid", (long long)size);
    while (strcmp(windows[w].name, c->p->op_type))
        if (++w == COUNT_OF(windows))
            bug("unknown window %s", c->p->op_type);
    if (!onnx_claim(c->im, (size_t)size * dtype_size(dtype)))
        return false;
    void *data = arena_alloc(c->arena, (size_t)size * dtype_size(dtype) + 1);
    double period = (double)(get_int(c, "periodic", 1) ? size : size - 1);
    for (int64_t i = 0; i < size; i++) {
        double x = 2 * M_PI * (double)i / (period > 0 ? period : 1);
        elem_set_f64(dtype, data, (size_t)i,
                     windows[w].a0 - windows[w].a1 * cos(x) + windows[w].a2 * cos(2 * x));
    }
    return alias(c, 0, emit_const(c, type_make(dtype, 1, &size), data));
}

/* A matrix of zeros that is to be filled; NULL after refusing. */
static void *new_matrix(OnnxNode *c, TensorType *type, DType dtype, int64_t rows, int64_t columns)
{
    *type = (TensorType){.dtype = dtype, .rank = 2, .dims = {rows, columns}};
    if (columns < 1 || rows > MAX_MATRIX / columns)
        refuse_onnx(c, "its matrix of %lld by %lld elements is too large", (long long)rows,
                    (long long)columns);
    if (failed(c) || !onnx_claim(c->im, type_bytes(type)))
        return NULL;
    return arena_alloc(c->arena, type_bytes(type) + 1);
}

/* v [..., n, parts] times [n·parts, size·width]: [..., size, width] */
static ValueId times_matrix(OnnxNode *c, ValueId v, ValueId matrix, int64_t size, int64_t width)
{
    if (failed(c))
        return NO_VALUE;
    TensorType t = *type_of(c->g, v);
    const int r = t.rank;
    t.dims[r - 2] *= t.dims[r - 1];
    v = emit(c, OP_MatMul, IN(reshape(c, v, r - 1, t.dims), matrix), NULL);
    t.dims[r - 2] = size;
    t.dims[r - 1] = width;
    return reshape(c, v, r, t.dims);
}

/* Transforms the dimension next to last, n numbers of one part, or real and imaginary, into k frequencies. */
static ValueId transform(OnnxNode *c, ValueId v, int64_t k, bool inverse)
{
    const TensorType t = value_type(c, v);
    TensorType type;
    if (failed(c))
        return NO_VALUE;
    const int64_t n = t.dims[t.rank - 2], parts = t.dims[t.rank - 1];
    void *data = new_matrix(c, &type, t.dtype, n * parts, k * 2);
    for (int64_t i = 0; data && i < n; i++)
        for (int64_t f = 0; f < k; f++) {
            double angle = 2 * M_PI * (double)((i * f) % n) / (double)n * (inverse ? 1 : -1);
            double re = cos(angle) / (inverse ? (double)n : 1);
            double im = sin(angle) / (inverse ? (double)n : 1);
            size_t at = (size_t)(i * parts * k * 2 + f * 2);
            elem_set_f64(t.dtype, data, at, re);
            elem_set_f64(t.dtype, data, at + 1, im);
            if (parts == 2) {
                elem_set_f64(t.dtype, data, at + (size_t)k * 2, -im);
                elem_set_f64(t.dtype, data, at + (size_t)k * 2 + 1, re);
            }
        }
    return times_matrix(c, v, emit_const(c, type, data), k, 2);
}

/* Cut or padded with zeros to n elements along an axis. */
static ValueId fit(OnnxNode *c, ValueId v, int axis, int64_t n)
{
    const TensorType t = *type_of(c->g, v);
    int64_t pads[2 * MAX_RANK] = {0};
    if (t.dims[axis] >= n)
        return t.dims[axis] == n ? v : slice_axis(c, v, axis, 0, n);
    pads[t.rank + axis] = n - t.dims[axis];
    return emit(c, OP_Pad, IN(v),
                ATTRS(ATTR_S("mode", "constant"), ATTR_F("value", 0),
                      ATTR_IS("pads", pads, 2 * (size_t)t.rank)));
}

/* The inverse of a transform of which only the first half is there, since the signal was real: [..., n / 2 + 1, parts] -> [..., n, 1]. Every
 * frequency but the first, and the last of an even n, stands for two. */
static ValueId real_inverse(OnnxNode *c, ValueId v, int64_t n)
{
    const TensorType t = value_type(c, v);
    TensorType type;
    if (failed(c))
        return NO_VALUE;
    const int64_t bins = n / 2 + 1, parts = t.dims[t.rank - 1];
    void *data = new_matrix(c, &type, t.dtype, bins * parts, n);
    for (int64_t f = 0; data && f < bins; f++)
        for (int64_t i = 0; i < n; i++) {
            const double angle = 2 * M_PI * (double)((i * f) % n) / (double)n;
            const double times = (f == 0 || 2 * f == n ? 1 : 2) / (double)n;
            elem_set_f64(t.dtype, data, (size_t)(f * parts * n + i), times * cos(angle));
            if (parts == 2)
                elem_set_f64(t.dtype, data, (size_t)((f * 2 + 1) * n + i), -times * sin(angle));
        }
    return times_matrix(c, v, emit_const(c, type, data), n, 1);
}

bool norm_dft(OnnxNode *c)
{
    int64_t length;
    if (!need_inputs(c, 1, c->opset < 20 ? 2 : 3))
        return false;
    TensorType t = *type_in(c, 0);
    const int64_t given = c->opset < 20  ? get_int(c, "axis", 1)
                          : has_in(c, 2) ? known_int(c, 2, "axis")
                                         : -2;
    int axis = fix_axis(c, given, t.rank);
    if (failed(c) || axis == t.rank - 1 || t.dims[t.rank - 1] < 1 || t.dims[t.rank - 1] > 2)
        return refuse_onnx(c, "its input must be [..., 1] or [..., 2]");
    const bool onesided = get_int(c, "onesided", 0) != 0, inverse = get_int(c, "inverse", 0) != 0;
    length = onesided && inverse ? 2 * (t.dims[axis] - 1) : t.dims[axis];
    if (has_in(c, 1))
        length = known_int(c, 1, "dft_length");
    if (length < 1 || length > MAX_MATRIX)
        return refuse_onnx(c, "dft_length %lld is invalid", (long long)length);
    int64_t perm[MAX_RANK];
    for (int d = 0; d < t.rank; d++)
        perm[d] = d;
    perm[axis] = t.rank - 2; /* swapping two axes is its own inverse */
    perm[t.rank - 2] = axis;
    bool moved = axis != t.rank - 2;
    ValueId v = fit(c, in_at(c, 0), axis, onesided && inverse ? length / 2 + 1 : length);
    v = moved ? transpose(c, v, perm) : v;
    v = onesided && inverse ? real_inverse(c, v, length)
                            : transform(c, v, onesided ? length / 2 + 1 : length, inverse);
    return alias(c, 0, moved ? transpose(c, v, perm) : v);
}

/* Positions of each frame's samples: [frames, length]. */
static ValueId frame_index(OnnxNode *c, int64_t frames, int64_t step, int64_t length)
{
    if (!onnx_claim(c->im, (size_t)(frames * length) * sizeof(int64_t)))
        return NO_VALUE;
    int64_t *index = ARENA_ARRAY(c->arena, int64_t, (size_t)(frames * length));
    for (int64_t f = 0; f < frames; f++)
        for (int64_t i = 0; i < length; i++)
            index[f * length + i] = f * step + i;
    return emit_const(c, type_make(DT_I64, 2, (int64_t[]){frames, length}), index);
}

bool norm_stft(OnnxNode *c)
{
    const int64_t step = known_int(c, 1, "frame_step");
    int64_t length = has_in(c, 3) ? known_int(c, 3, "frame_length") : 0;
    TensorType t = *type_in(c, 0);
    if (has_in(c, 2) && type_in(c, 2)->rank == 1)
        length = type_in(c, 2)->dims[0];
    if (t.rank != 2 && (t.rank != 3 || t.dims[2] < 1 || t.dims[2] > 2))
        return refuse_onnx(c, "its signal must be [batch, length, 1 or 2]");
    if (step < 1 || length < 1 || length > t.dims[1])
        return refuse_onnx(c, "frame_step or frame_length is invalid");
    int64_t frames = (t.dims[1] - length) / step + 1;
    if (frames > MAX_MATRIX / length)
        return refuse_onnx(c, "has too many frames");
    ValueId v = t.rank == 2 ? unsqueeze(c, in_at(c, 0), 2) : in_at(c, 0);
    v = emit(c, OP_Gather, IN(v, frame_index(c, frames, step, length)), ATTRS(ATTR_I("axis", 1)));
    if (has_in(c, 2))
        v = mul(c, v, reshape(c, in_at(c, 2), 2, (int64_t[]){length, 1}));
    return alias(c, 0, transform(c, v, get_int(c, "onesided", 1) ? length / 2 + 1 : length, false));
}

/* The triangular filters of one mel bin, whose edges are spectrogram bins. */
static void fill_mel_bin(DType dtype, void *data, int64_t bins, int64_t mels, int64_t mel,
                         const int64_t *edge)
{
    int64_t low = edge[mel], centre = edge[mel + 1], high = edge[mel + 2];
    if (low == centre && centre >= 0 && centre < bins)
        elem_set_f64(dtype, data, (size_t)(centre * mels + mel), 1);
    for (int64_t j = low < 0 ? 0 : low; low != centre && j <= centre && j < bins; j++)
        elem_set_f64(dtype, data, (size_t)(j * mels + mel),
                     (double)(j - low) / (double)(centre - low));
    for (int64_t j = centre < 0 ? 0 : centre; j < high && j < bins; j++)
        elem_set_f64(dtype, data, (size_t)(j * mels + mel),
                     (double)(high - j) / (double)(high - centre));
}

bool norm_mel_weights(OnnxNode *c)
{
    const int64_t mels = known_int(c, 0, "num_mel_bins"), length = known_int(c, 1, "dft_length"),
                  rate = known_int(c, 2, "sample_rate");
    const double low = known_float(c, 3, "lower_edge_hertz"),
                 high = known_float(c, 4, "upper_edge_hertz");
    DType dtype;
    if (!output_type(c, &dtype))
        return false;
    if (failed(c) || mels < 1 || length < 1 || rate < 1 || mels > 65536 || length > 65536 ||
        !(low >= 0) || !(high >= low) || high > 1e9)
        return refuse_onnx(c, "its inputs are out of range");
    int64_t bins = length / 2 + 1, *edge = ARENA_ARRAY(c->arena, int64_t, (size_t)mels + 2);
    double low_mel = 2595 * log10(1 + low / 700), high_mel = 2595 * log10(1 + high / 700);
    double mel_step = (high_mel - low_mel) / (double)(mels + 2);
    for (int64_t i = 0; i < mels + 2; i++) {
        double hertz = 700 * (pow(10, ((double)i * mel_step + low_mel) / 2595) - 1);
        edge[i] = (int64_t)floor((double)(length + 1) * hertz / (double)rate);
    }
    TensorType type = type_make(dtype, 2, (int64_t[]){bins, mels});
    if (type_count(&type) > MAX_MATRIX)
        return refuse_onnx(c, "is too large");
    if (!onnx_claim(c->im, type_bytes(&type)))
        return false;
    void *data = arena_alloc(c->arena, type_bytes(&type) + 1);
    for (int64_t mel = 0; mel < mels; mel++)
        fill_mel_bin(dtype, data, bins, mels, mel, edge);
    return alias(c, 0, emit_const(c, type, data));
}
