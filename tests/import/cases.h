/* Models of one operator, and what they give. */
#pragma once

#include "testing.h"

enum { FLOAT = DT_F32, INT64 = DT_I64, U8 = DT_U8 };

typedef struct Case {
    Fixture *f;
    Build *b;
    Onnx__NodeProto *n;
} Case;

/* x of the given shape -> op(inputs) -> y */
static inline Case one_op(void **state, int64_t opset, const char *dims, const char *op,
                          const char *inputs)
{
    Case c = {.f = *state};
    c.b = build_new(c.f->arena, opset);
    build_input(c.b, "x", FLOAT, dims);
    c.n = build_node(c.b, op, inputs, "y");
    build_output(c.b, "y", 0, NULL);
    return c;
}

static inline void ints(Case *c, const char *name, const int64_t *v, size_t n)
{
    build_attr_ints(c->b, c->n, name, v, n);
}
#define INTS(c, name, ...)                                                                         \
    ints(c, name, (const int64_t[]){__VA_ARGS__}, COUNT_OF(((const int64_t[]){__VA_ARGS__})))

static inline void text(Case *c, const char *name, const char *value)
{
    Onnx__AttributeProto *a =
        build_attr(c->b, c->n, name, ONNX__ATTRIBUTE_PROTO__ATTRIBUTE_TYPE__STRING);
    a->has_s = true;
    a->s.len = strlen(value);
    a->s.data = (uint8_t *)arena_strdup(c->f->arena, value);
}

static inline void number(Case *c, const char *name, float value)
{
    Onnx__AttributeProto *a =
        build_attr(c->b, c->n, name, ONNX__ATTRIBUTE_PROTO__ATTRIBUTE_TYPE__FLOAT);
    a->has_f = true;
    a->f = value;
}

static inline void floats(Case *c, const char *name, const float *v, size_t n)
{
    Onnx__AttributeProto *a =
        build_attr(c->b, c->n, name, ONNX__ATTRIBUTE_PROTO__ATTRIBUTE_TYPE__FLOATS);
    a->floats = arena_copy(c->f->arena, v, n * sizeof *v);
    a->n_floats = n;
}

static inline void string_list(Case *c, const char *name, const char *const *v, size_t n)
{
    Onnx__AttributeProto *a =
        build_attr(c->b, c->n, name, ONNX__ATTRIBUTE_PROTO__ATTRIBUTE_TYPE__STRINGS);
    a->strings = arena_alloc(c->f->arena, n * sizeof *a->strings);
    a->n_strings = n;
    for (size_t i = 0; i < n; i++) {
        a->strings[i].len = strlen(v[i]);
        a->strings[i].data = (uint8_t *)arena_strdup(c->f->arena, v[i]);
    }
}

static inline void init_f32(Case *c, const char *name, const char *dims, const float *v)
{
    build_init(c->b, name, DT_F32, dims, v);
}
#define F32(c, name, dims, ...) init_f32(c, name, dims, (const float[]){__VA_ARGS__})
#define I64(c, name, dims, ...)                                                                    \
    build_init((c)->b, name, DT_I64, dims, (const int64_t[]){__VA_ARGS__})

static inline void gives(Case *c, const char *type, const double *values, size_t n)
{
    expect_values(c->f, expect_type(c->f, c->b, NULL, type), values, n);
}
#define GIVES(c, type, ...)                                                                        \
    gives(c, type, (const double[]){__VA_ARGS__}, COUNT_OF(((const double[]){__VA_ARGS__})))
#define BYTES(c, name, dtype, dims, ...)                                                           \
    build_init((c)->b, name, dtype, dims, (const uint8_t[]){__VA_ARGS__})
