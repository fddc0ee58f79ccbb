/* Weights of less than a byte, scales for blocks, and ONNX Runtime's quantised layers. Inputs count 1, 2, 3, …; expectations are
 * worked out by hand. */
#include "cases.h"

enum { FLOAT8E4M3FN = 17, UINT4 = 21, INT4, FLOAT4E2M1, UINT2 = 25 };

/* An initialiser of a type that shares bytes. */
static void narrow(Case *c, const char *name, int type, const char *dims, const uint8_t *bytes,
                   size_t n)
{
    Onnx__TensorProto *t = build_init(c->b, name, DT_U8, dims, NULL);
    t->data_type = type;
    t->has_raw_data = true;
    t->raw_data.len = n;
    t->raw_data.data = arena_copy(c->f->arena, bytes, n);
}
#define NARROW(c, name, type, dims, ...)                                                           \
    narrow(c, name, type, dims, (const uint8_t[]){__VA_ARGS__},                                    \
           COUNT_OF(((const uint8_t[]){__VA_ARGS__})))

/* x + dequantised(q) */
static Case sum(void **state, const char *dims, const char *dequantize_inputs)
{
    Case c = one_op(state, 21, dims, "Add", "x w");
    c.n = build_node(c.b, "DequantizeLinear", dequantize_inputs, "w");
    return c;
}

static void narrow_types(void **state)
{
    Case c = sum(state, "3", "q s z");
    NARROW(&c, "q", INT4, "3", 0xf8, 0x07); /* -8, -1, 7, and four bits that are nothing */
    NARROW(&c, "z", INT4, "", 1);
    F32(&c, "s", "", 0.5f);
    GIVES(&c, "f32[3]", 1 - 4.5, 2 - 1, 3 + 3);
    c = sum(state, "5", "q s");
    NARROW(&c, "q", UINT2, "5", 0xe4, 0x01); /* 0, 1, 2, 3, 1 */
    F32(&c, "s", "", 1);
    GIVES(&c, "f32[5]", 1, 3, 5, 7, 6);
    c = sum(state, "4", "q s");
    NARROW(&c, "q", FLOAT8E4M3FN, "4", 0x38, 0xc0, 0x01, 0x7e); /* 1, -2, 2^-9, 448 */
    F32(&c, "s", "", 2);
    GIVES(&c, "f32[4]", 3, -2, 3 + 1 / 256.0, 900);
    c = sum(state, "4", "q s");
    NARROW(&c, "q", FLOAT4E2M1, "4", 0x91, 0x7c); /* 0.5, -0.5, -2, 6 */
    F32(&c, "s", "", 1);
    GIVES(&c, "f32[4]", 1.5, 1.5, 1, 10);
    c = sum(state, "3", "q s");
    NARROW(&c, "q", UINT4, "3", 0x11);
    F32(&c, "s", "", 1);
    expect_refused(c.f, c.b, NULL, "its shape asks for 2 bytes, there are 1");
}

/* Four bits saturate where four bits end. */
static void narrow_range(void **state)
{
    Case c = one_op(state, 21, "4", "DequantizeLinear", "q s z");
    build_node(c.b, "QuantizeLinear", "x s z", "q");
    NARROW(&c, "z", INT4, "", 0x03);
    F32(&c, "s", "", 0.5f);
    GIVES(&c, "f32[4]", 1, 2, 2, 2);
}

/* Ports are bytes, whose numbers are those of raw_data. The evaluator gives inputs 1, 2, 3, … */
static void narrow_ports(void **state)
{
    Case c = one_op(state, 25, "4", "QuantizeLinear", "x s");
    F32(&c, "s", "", 1);
    build_attr_int(c.b, c.n, "output_dtype", FLOAT8E4M3FN);
    c.b->graph->output[0]->type->tensor_type->elem_type = FLOAT8E4M3FN;
    GIVES(&c, "u8[4]", 0x38, 0x40, 0x44, 0x48);
    c = one_op(state, 25, "5", "Identity", "x"); /* bytes 1, 2, 3: 1, 0, 2, 0, 3 */
    c.b->graph->input[0]->type->tensor_type->elem_type = UINT4;
    c.b->graph->output[0]->type->tensor_type->elem_type = UINT4;
    GIVES(&c, "u8[3]", 1, 2, 3);
    c = one_op(state, 25, "2,3", "Transpose", "x");
    c.b->graph->input[0]->type->tensor_type->elem_type = INT4;
    c.b->graph->output[0]->type->tensor_type->elem_type = INT4;
    GIVES(&c, "u8[3]", 0x01, 0x30, 0x02);
    c = one_op(state, 25, "3", "CastLike", "x z");
    NARROW(&c, "z", FLOAT4E2M1, "", 0);
    c.b->graph->output[0]->type->tensor_type->elem_type = FLOAT4E2M1;
    GIVES(&c, "u8[2]", 0x42, 0x05);
    c = one_op(state, 25, "3", "Relu", "x");
    c.b->graph->output[0]->type->tensor_type->elem_type = INT4;
    expect_refused(c.f, c.b, NULL, "declared with element type of another kind, but is f32");
}

static void blocks(void **state)
{
    Case c = sum(state, "2,3", "q s z");
    BYTES(&c, "q", DT_U8, "2,3", 1, 2, 3, 4, 5, 6);
    F32(&c, "s", "2,2", 1, 10, 100, 1000); /* the last block of a row is of one element */
    BYTES(&c, "z", DT_U8, "2,2", 1, 2, 3, 4);
    build_attr_int(c.b, c.n, "block_size", 2);
    GIVES(&c, "f32[2,3]", 1, 3, 13, 104, 205, 2006);
    c.n->attribute[0]->i = 3;
    expect_refused(c.f, c.b, NULL, "do not belong to blocks of 3");
    c = one_op(state, 21, "4", "QuantizeLinear", "x s z");
    F32(&c, "s", "2", 0.5f, 0.01f);
    BYTES(&c, "z", DT_U8, "2", 3, 4);
    build_attr_int(c.b, c.n, "axis", 0);
    build_attr_int(c.b, c.n, "block_size", 2);
    GIVES(&c, "u8[4]", 5, 7, 255, 255);
    c = one_op(state, 21, "4", "QuantizeLinear", "x s"); /* 1, 2, 3, 4 by 2, 2, 0.5, 0.5 */
    F32(&c, "s", "2", 2, 0.5f);
    build_attr_int(c.b, c.n, "axis", 0);
    build_attr_int(c.b, c.n, "block_size", 2);
    build_attr_int(c.b, c.n, "output_dtype", FLOAT4E2M1);
    c.b->graph->output[0]->type->tensor_type->elem_type = FLOAT4E2M1;
    GIVES(&c, "u8[2]", 0x21, 0x77); /* 0.5, 1, and the largest, 6 */
    c.n->attribute[0]->i = 7;
    expect_refused(c.f, c.b, NULL, "axis 7 is out of range");
}

static void matmul_nbits(void **state)
{
    uint8_t q[2][8] = {{0x98, 0x88},
                       {0x88}}; /* one block of 16 for each of two columns: 8 is zero */
    for (int i = 0; i < 2; i++)
        for (int k = 1; k < 8; k++)
            q[i][k] = 0x88;
    Case c = one_op(state, 13, "1,3", "com.microsoft:MatMulNBits", "x q s - - b");
    build_init(c.b, "q", DT_U8, "2,1,8", q);
    F32(&c, "s", "2", 10, 1);
    F32(&c, "b", "2", 0.5f, 0.25f);
    build_attr_int(c.b, c.n, "K", 3);
    build_attr_int(c.b, c.n, "N", 2);
    build_attr_int(c.b, c.n, "block_size", 16);
    GIVES(&c, "f32[1,2]", 20.5, 0.25);
    c.n->attribute[0]->i = 300;
    expect_refused(c.f, c.b, NULL, "do not belong to N, K and block_size");
}

static void gather_blocks(void **state)
{
    Case c = one_op(state, 13, "2", "com.microsoft:GatherBlockQuantized", "q x s");
    c.b->graph->input[0]->type->tensor_type->elem_type = INT64;
    uint8_t q[3][16];
    memset(q, 0x88, sizeof q);
    q[1][0] = 0x79; /* 1, -1 */
    build_init(c.b, "q", DT_U8, "3,16", q);
    F32(&c, "s", "3,2", 1, 1, 10, 10, 1, 1);
    build_attr_int(c.b, c.n, "block_size", 16);
    double y[64] = {10, -10};
    expect_values(c.f, expect_type(c.f, c.b, NULL, "f32[2,32]"), y, 64);
}

/* Weights of zero: every gate is σ(0), every cell tanh(0). With a bias of the cell's gate, c = 0.5 tanh(1) after a step. */
static void quantised_lstm(void **state)
{
    Case c =
        one_op(state, 13, "1,1,2", "com.microsoft:DynamicQuantizeLSTM", "x w r b - - - - s z s z");
    uint8_t w[8] = {0};
    build_init(c.b, "w", DT_I8, "1,2,4", w);
    build_init(c.b, "r", DT_I8, "1,1,4", w);
    F32(&c, "b", "1,8", 0, 0, 0, 1, 0, 0, 0, 0);
    F32(&c, "s", "1", 1);
    BYTES(&c, "z", DT_I8, "1", 0);
    build_attr_int(c.b, c.n, "hidden_size", 1);
    GIVES(&c, "f32[1,1,1,1]", 0.5 * 0.36338999);
    assert_string_equal(last_op(expect_type(c.f, c.b, NULL, "f32[1,1,1,1]")), "LSTM");
    build_init(c.b, "lens", DT_I32, "1", (int32_t[]){0});
    c.n->input[4] = "lens";
    expect_refused(c.f, c.b, NULL, "sequence_lens is not supported");
}

/* One position attends to itself alone: the value projection, of (1, 2) - 1 by 2 · the identity at a scale of a half. */
static void quantised_attention(void **state)
{
    Case c = one_op(state, 13, "1", "com.microsoft:QAttention", "q w b s s - z");
    c.b->graph->n_input = 0;
    build_input(c.b, "q", U8, "1,1,2");
    uint8_t w[2][6] = {{0, 0, 0, 0, 4, 0}, {0, 0, 0, 0, 0, 4}};
    build_init(c.b, "w", DT_I8, "2,6", w);
    F32(&c, "b", "6", 0, 0, 0, 0, 10, 20);
    F32(&c, "s", "", 0.5f);
    BYTES(&c, "z", DT_U8, "", 1);
    build_attr_int(c.b, c.n, "num_heads", 1);
    GIVES(&c, "f32[1,1,2]", 10, 21);
}

/* Word 1 is (2, 6) and position 0 (0, 4) in bytes, halved; the norm of (1, 5) is (-1, 1). */
static void quantised_embedding(void **state)
{
    Case c = one_op(state, 13, "1,1", "com.microsoft:QEmbedLayerNormalization",
                    "x - w p - g b - h h - s s z z - z z");
    c.b->graph->input[0]->type->tensor_type->elem_type = DT_I32;
    BYTES(&c, "w", DT_U8, "2,2", 0, 0, 2, 6);
    BYTES(&c, "p", DT_U8, "3,2", 0, 4, 9, 9, 9, 9);
    BYTES(&c, "g", DT_U8, "2", 1, 2);
    BYTES(&c, "b", DT_U8, "2", 5, 6);
    BYTES(&c, "z", DT_U8, "", 0);
    F32(&c, "h", "", 0.5f);
    F32(&c, "s", "", 1);
    GIVES(&c, "f32[1,1,2]", 4, 8);
    c.n->input[8] = "";
    expect_refused(c.f, c.b, NULL, "a table, its scale or its zero point is missing");
}

static void channels_last(void **state)
{
    Case c = one_op(state, 13, "1", "com.microsoft:NhwcMaxPool", "q");
    c.b->graph->n_input = 0;
    build_input(c.b, "q", U8, "1,2,2,2"); /* pixels (1, 2), (3, 4) above (5, 6), (7, 8) */
    INTS(&c, "kernel_shape", 2, 1);
    GIVES(&c, "u8[1,1,2,2]", 5, 6, 7, 8);
    c = one_op(state, 13, "1", "com.microsoft:QLinearGlobalAveragePool", "q s z s z");
    c.b->graph->n_input = 0;
    build_input(c.b, "q", U8, "1,2,2,2");
    F32(&c, "s", "", 1);
    BYTES(&c, "z", DT_U8, "", 0);
    build_attr_int(c.b, c.n, "channels_last", 1);
    GIVES(&c, "u8[1,1,1,2]", 4, 5);
}

static void microsoft_matrices(void **state)
{
    Case c = one_op(state, 13, "2,1,2", "com.microsoft:FusedMatMul", "x k");
    F32(&c, "k", "1,2,1", 1, 10);
    build_attr_int(c.b, c.n, "transBatchA", 1);
    GIVES(&c, "f32[1,2,1]", 21, 43);
    c = one_op(state, 13, "2,2", "com.microsoft:CDist", "x k");
    F32(&c, "k", "1,2", 1, 1);
    text(&c, "metric", "euclidean");
    GIVES(&c, "f32[2,1]", 1, 3.60555128);
    c = one_op(state, 13, "1,2", "com.microsoft:FusedGemm", "x k");
    F32(&c, "k", "2,2", 1, -1, 1, -1);
    text(&c, "activation", "LeakyRelu");
    number(&c, "activation_alpha", 0.5f);
    GIVES(&c, "f32[1,2]", 3, -1.5);
    c = one_op(state, 13, "2", "com.microsoft:ExpandDims", "x k");
    I64(&c, "k", "", -1);
    GIVES(&c, "f32[2,1]", 1, 2);
}

/* q u8 counts 1, 2, 3, …; s is 1, h 0.5, f 0.01; z is 0, two 2. */
static Case bytes_op(void **state, const char *dims, const char *op, const char *inputs)
{
    Case c = one_op(state, 13, "1", op, inputs);
    c.b->graph->n_input = 0;
    build_input(c.b, "q", U8, dims);
    F32(&c, "s", "", 1);
    F32(&c, "h", "", 0.5f);
    F32(&c, "f", "", 0.01f);
    BYTES(&c, "z", DT_U8, "", 0);
    BYTES(&c, "two", DT_U8, "", 2);
    return c;
}

static void qlinear_layers(void **state)
{
    Case c = bytes_op(state, "3", "com.microsoft:QLinearLeakyRelu", "q s two h two");
    number(&c, "alpha", 0.5f);
    GIVES(&c, "u8[3]", 1, 2, 4);
    c = bytes_op(state, "3", "com.microsoft:QLinearSigmoid", "q s two f two");
    GIVES(&c, "u8[3]", 29, 52, 75);
    c = bytes_op(state, "1,2", "com.microsoft:QLinearSoftmax", "q s z f z");
    build_attr_int(c.b, c.n, "opset", 13);
    GIVES(&c, "u8[1,2]", 27, 73);
    c = bytes_op(state, "2", "com.microsoft:QLinearConcat", "s z q s z q h z");
    build_attr_int(c.b, c.n, "axis", 0);
    GIVES(&c, "u8[4]", 1, 2, 0, 1); /* 0.5 goes to the even neighbour */
    c = bytes_op(state, "2,2", "com.microsoft:QLinearReduceMean", "q s z s z");
    INTS(&c, "axes", 1);
    build_attr_int(c.b, c.n, "keepdims", 0);
    GIVES(&c, "u8[2]", 2, 4);
    c = bytes_op(state, "2", "com.microsoft:QLinearWhere", "c q s z q h z s z");
    BYTES(&c, "c", DT_BOOL, "2", 1, 0);
    GIVES(&c, "u8[2]", 1, 1);
    c = bytes_op(state, "2", "com.microsoft:QLinearConcat", "s z q s");
    build_attr_int(c.b, c.n, "axis", 0);
    expect_refused(c.f, c.b, NULL, "has 4 inputs");
    c = bytes_op(state, "2", "com.microsoft:QLinearSigmoid", "q s z - z");
    expect_refused(c.f, c.b, NULL, "input 3 is missing");
}

static void products_of_bytes(void **state)
{
    Case c = bytes_op(state, "1,2", "com.microsoft:MatMulIntegerToFloat", "q w s h");
    BYTES(&c, "w", DT_U8, "2,1", 3, 4);
    GIVES(&c, "f32[1,1]", 5.5);
    c = bytes_op(state, "1,2", "com.microsoft:MatMulIntegerToFloat", "q w s h - - b");
    BYTES(&c, "w", DT_U8, "2,1", 3, 4);
    F32(&c, "b", "1", 100);
    GIVES(&c, "f32[1,1]", 105.5);
    c = bytes_op(state, "1,2", "com.microsoft:MatMulIntegerToFloat", "a a2 s2 h2");
    BYTES(&c, "a", DT_U8, "1,2", 255, 255);
    BYTES(&c, "a2", DT_U8, "2,1", 255, 255);
    build_init(c.b, "s2", DT_F16, "", (const uint16_t[]){0x3800}); /* 1/2 */
    build_init(c.b, "h2", DT_F16, "", (const uint16_t[]){0x2c00}); /* 1/16 */
    GIVES(&c, "f16[1,1]", 4064); /* 130050 / 32: the product itself is beyond f16 */
    c = bytes_op(state, "1,2", "com.microsoft:QGemm", "q s z w h z i");
    BYTES(&c, "w", DT_U8, "2,1", 3, 4);
    build_init(c.b, "i", DT_I32, "1", (const int32_t[]){2});
    GIVES(&c, "f32[1,1]", 6.5);
    c = bytes_op(state, "1,2", "com.microsoft:QGemm", "q s z w h z - s z");
    BYTES(&c, "w", DT_U8, "1,2", 3, 5);
    build_attr_int(c.b, c.n, "transB", 1);
    GIVES(&c, "u8[1,1]", 6); /* 6.5 */
    c = one_op(state, 13, "1,3", "com.microsoft:DynamicQuantizeMatMul", "x w h");
    BYTES(&c, "w", DT_U8, "3,1", 1, 1, 2);
    F32(&c, "h", "", 0.5f);
    GIVES(&c, "f32[1,1]", 4.5); /* 85, 170 and 255 of 1/85 */
}

int main(void)
{
#define TEST(fn) cmocka_unit_test_setup_teardown(fn, fixture_begin, fixture_end)
    const struct CMUnitTest tests[] = {
        TEST(narrow_types),        TEST(narrow_range),
        TEST(narrow_ports),        TEST(blocks),
        TEST(matmul_nbits),        TEST(gather_blocks),
        TEST(quantised_lstm),      TEST(quantised_attention),
        TEST(quantised_embedding), TEST(channels_last),
        TEST(microsoft_matrices),  TEST(qlinear_layers),
        TEST(products_of_bytes),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
