/* The ops of ops.def, one row each: how each becomes ONNX's, in the version that export.h says. */
#include "export.h"
#include "exporter.h"

/* One node of the same name and with the same attributes. */
#define SAME(op) [OP_##op] = {.name = #op}
/* … of whose attributes some are inputs. */
#define INPUTS(op, list) [OP_##op] = {.name = #op, .inputs = (list)}
#define WRITTEN(op, fn) [OP_##op] = {.name = #op, .write = write_##fn}

const ExportRow export_table[OP_COUNT] = {
    /* elementwise, one operand */
    SAME(Abs),
    SAME(Acos),
    SAME(Acosh),
    SAME(Asin),
    SAME(Asinh),
    SAME(Atan),
    SAME(Atanh),
    SAME(BitwiseNot),
    SAME(Cast),
    SAME(Ceil),
    SAME(Celu),
    WRITTEN(Clip, clip),
    SAME(Cos),
    SAME(Cosh),
    SAME(Elu),
    SAME(Erf),
    SAME(Exp),
    SAME(Floor),
    WRITTEN(Gelu, gelu),
    WRITTEN(GeluTanh, gelu_tanh),
    SAME(HardSigmoid),
    SAME(HardSwish),
    SAME(IsInf),
    SAME(IsNaN),
    SAME(LeakyRelu),
    SAME(Log),
    SAME(Mish),
    SAME(Neg),
    SAME(Not),
    SAME(Reciprocal),
    SAME(Relu),
    SAME(Round),
    SAME(Selu),
    SAME(Shrink),
    SAME(Sigmoid),
    SAME(Sign),
    SAME(Sin),
    SAME(Sinh),
    SAME(Softplus),
    SAME(Softsign),
    SAME(Sqrt),
    WRITTEN(Swish, swish), /* Swish itself is opset 24's */
    SAME(Tan),
    SAME(Tanh),
    SAME(ThresholdedRelu),

    /* elementwise, more operands */
    SAME(Add),
    SAME(And),
    WRITTEN(BitShift, bit_shift),
    SAME(BitwiseAnd),
    SAME(BitwiseOr),
    SAME(BitwiseXor),
    SAME(Div),
    SAME(Equal),
    SAME(Greater),
    SAME(GreaterOrEqual),
    SAME(Less),
    SAME(LessOrEqual),
    SAME(Max),
    SAME(Min),
    SAME(Mod),
    SAME(Mul),
    SAME(Or),
    SAME(Pow),
    WRITTEN(PRelu, prelu),
    SAME(Sub),
    WRITTEN(Sum, sum),
    SAME(Where),
    SAME(Xor),

    /* moving elements */
    SAME(Concat),
    INPUTS(CumSum, "axis."),
    INPUTS(Expand, "shape"),
    SAME(Gather),
    SAME(GatherElements),
    SAME(GatherND),
    WRITTEN(OneHot, one_hot),
    WRITTEN(Pad, pad),
    INPUTS(Reshape, "shape"),
    SAME(ReverseSequence),
    SAME(ScatterElements),
    SAME(ScatterND),
    WRITTEN(Slice, slice),
    INPUTS(Split, "split"),
    INPUTS(Tile, "repeats"),
    INPUTS(TopK, "k"),
    SAME(Transpose),
    INPUTS(Trilu, "k."),

    /* rows whose number depends on data */
    WRITTEN(NonMaxSuppression, non_max_suppression),
    WRITTEN(NonZero, non_zero),
    WRITTEN(Unique, unique),

    /* along axes */
    SAME(ArgMax),
    SAME(ArgMin),
    WRITTEN(Hardmax, softmax),
    WRITTEN(LogSoftmax, softmax),
    WRITTEN(ReduceL1, reduce),
    WRITTEN(ReduceL2, reduce),
    WRITTEN(ReduceLogSum, reduce),
    WRITTEN(ReduceLogSumExp, reduce),
    WRITTEN(ReduceMax, reduce),
    WRITTEN(ReduceMean, reduce),
    WRITTEN(ReduceMin, reduce),
    WRITTEN(ReduceProd, reduce),
    WRITTEN(ReduceSum, reduce),
    WRITTEN(ReduceSumSquare, reduce),
    WRITTEN(Softmax, softmax),

    /* layers */
    WRITTEN(AveragePool, average_pool),
    SAME(BatchNormalization),
    SAME(Conv),
    SAME(ConvTranspose),
    SAME(Det),
    SAME(Einsum),
    SAME(Gemm),
    SAME(GridSample),
    SAME(GroupNormalization),
    WRITTEN(GRU, rnn),
    SAME(InstanceNormalization),
    SAME(LayerNormalization),
    SAME(LpNormalization),
    SAME(LpPool),
    SAME(LRN),
    WRITTEN(LSTM, rnn),
    SAME(MatMul),
    SAME(MaxPool),
    SAME(MaxRoiPool),
    WRITTEN(MaxUnpool, max_unpool),
    WRITTEN(Resize, resize),
    WRITTEN(RMSNormalization, rms_norm), /* an operator since opset 23 */
    WRITTEN(RNN, rnn),
    WRITTEN(RoiAlign, roi_align),

    /* quantisation */
    SAME(ConvInteger),
    WRITTEN(DequantizeLinear, dequantize),
    SAME(DynamicQuantizeLinear),
    SAME(MatMulInteger),
    SAME(QLinearConv),
    SAME(QLinearMatMul),
    WRITTEN(QuantizeLinear, quantize),
};

bool export_knows(Op op, const char **why)
{
    *why = export_table[op].why;
    return export_table[op].name || export_table[op].why;
}
