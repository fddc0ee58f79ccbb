/* Names, numbers, types and contents of constants, as text IR has them. */
#include "write.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum {
    LIST_MAX = 16,    /* elements printed one by one */
    ELIDE_BYTES = 256 /* more than this is elided, when asked for */
};

static bool reads_back(const char *s, DType precision, double v)
{
    if (precision == DT_F64)
        return strtod(s, NULL) == v;
    return strtof(s, NULL) == (float)v;
}

void write_float(Text *out, DType precision, double v)
{
    if (isnan(v) || isinf(v)) {
        text_puts(out, isnan(v) ? "nan" : v < 0 ? "-inf" : "inf");
        return;
    }
    char s[40];
    for (int digits = 1; digits <= 17; digits++) {
        snprintf(s, sizeof s, "%.*g", digits, v);
        if (reads_back(s, precision, v))
            break;
    }
    text_puts(out, s);
    if (!strpbrk(s, ".e"))
        text_puts(out, ".0");
}

void write_escaped(Text *out, const char *s, bool in_code)
{
    for (const unsigned char *p = (const unsigned char *)s; *p; p++) {
        if (*p == '"' || *p == '\\')
            text_printf(out, "\\%c", *p);
        else if (*p >= 0x20 && *p < 0x7f)
            text_append(out, (const char *)p, 1);
        else if (in_code)
            text_printf(out, "\\x%02x", *p);
        else
            text_puts(out, "?");
    }
}

void write_quoted(Text *out, const char *s)
{
    text_puts(out, "\"");
    write_escaped(out, s, true);
    text_puts(out, "\"");
}

void write_labelled(Text *out, const char *label, const char *s)
{
    if (!s)
        return;
    text_puts(out, label);
    write_quoted(out, s);
}

void write_layout(Text *out, const Layout *l)
{
    text_puts(out, l->rank ? layout_tag(out->arena, l) : "-");
}

static bool plain_name(const char *s)
{
    static const char ok[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_.";
    return *s && strcmp(s, "_") != 0 && s[strspn(s, ok)] == 0;
}

void write_name(Text *out, const char *name)
{
    text_puts(out, "%");
    if (plain_name(name))
        text_puts(out, name);
    else
        write_quoted(out, name);
}

void write_value(Text *out, const Graph *g, ValueId v)
{
    if (has_value(v))
        write_name(out, value_at(g, v)->name);
    else
        text_puts(out, "_");
}

void write_type(Text *out, const TensorType *t)
{
    text_puts(out, type_text(out->arena, t));
}

static void print_element(Text *out, DType t, const void *data, size_t i)
{
    if (dtype_is_float(t))
        write_float(out, t, elem_f64(t, data, i));
    else if (t == DT_U64)
        text_printf(out, "%" PRIu64, (uint64_t)elem_i64(t, data, i));
    else
        text_printf(out, "%" PRId64, elem_i64(t, data, i));
}

/* NaNs carry bits that the word "nan" loses; a bool may hold more than 0 and 1. */
static bool survives_text(DType t, const void *data, size_t i)
{
    if (dtype_is_float(t))
        return !isnan(elem_f64(t, data, i));
    return t != DT_BOOL || ((const unsigned char *)data)[i] <= 1;
}

static bool all_alike(const void *data, size_t n, size_t size)
{
    return n > 1 && memcmp(data, (const char *)data + size, (n - 1) * size) == 0;
}

static void write_hex(Text *out, const unsigned char *data, size_t n)
{
    static const char digits[] = "0123456789abcdef";
    char chunk[512];
    text_puts(out, "hex\"");
    for (size_t i = 0; i < n;) {
        size_t k = 0;
        for (; i < n && k < sizeof chunk; i++) {
            chunk[k++] = digits[data[i] >> 4];
            chunk[k++] = digits[data[i] & 15];
        }
        text_append(out, chunk, k);
    }
    text_puts(out, "\"");
}

void write_data(Text *out, const TensorType *t, const void *data, bool elide)
{
    size_t n = (size_t)type_count(t), size = dtype_size(t->dtype);
    bool text = true;
    if (n > LIST_MAX && all_alike(data, n, size) && survives_text(t->dtype, data, 0)) {
        text_puts(out, "splat(");
        print_element(out, t->dtype, data, 0);
        text_puts(out, ")");
        return;
    }
    for (size_t i = 0; i < n && i < LIST_MAX; i++)
        text = text && survives_text(t->dtype, data, i);
    if (n > LIST_MAX || !text) {
        if (elide && n * size > ELIDE_BYTES)
            text_printf(out, "elided(%zu, 0x%016" PRIx64 ")", n * size, hash64(data, n * size, 0));
        else
            write_hex(out, data, n * size);
        return;
    }
    text_puts(out, "[");
    for (size_t i = 0; i < n; i++) {
        if (i)
            text_puts(out, ", ");
        print_element(out, t->dtype, data, i);
    }
    text_puts(out, "]");
}
