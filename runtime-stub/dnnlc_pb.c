#include "dnnlc_pb.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Field numbers of TensorProto. */
enum {
    FIELD_DIMS = 1,
    FIELD_DATA_TYPE = 2,
    FIELD_SEGMENT = 3,
    FIELD_FLOAT_DATA = 4,
    FIELD_INT32_DATA = 5,
    FIELD_STRING_DATA = 6,
    FIELD_INT64_DATA = 7,
    FIELD_NAME = 8,
    FIELD_RAW_DATA = 9,
    FIELD_DOUBLE_DATA = 10,
    FIELD_UINT64_DATA = 11,
    FIELD_EXTERNAL_DATA = 13,
    FIELD_DATA_LOCATION = 14,
    N_FIELDS = 15
};

/* Those of SequenceProto and OptionalProto, which are the same as far as tensors go. */
enum { FIELD_OWN_NAME = 1, FIELD_KIND = 2, FIELD_TENSOR = 3, FIELD_SEQUENCE = 5 };
enum { STRING = 8 }; /* the data_type */

enum wire { WIRE_VARINT = 0, WIRE_FIXED64 = 1, WIRE_BYTES = 2, WIRE_FIXED32 = 5 };

struct cursor {
    const unsigned char *at, *end;
};

struct field {
    uint64_t number;
    enum wire wire;
    uint64_t value;      /* WIRE_VARINT, and the bits of the fixed ones */
    struct cursor bytes; /* WIRE_BYTES */
};

/* What the first walk over the message finds. */
struct message {
    int64_t dims[DNNLC_MAX_RANK]; /* the first ones; elements[FIELD_DIMS] counts all */
    uint64_t data_type;
    struct cursor raw, name;
    size_t elements[N_FIELDS]; /* of the repeated numbers, and strings, by field number */
    size_t longest;            /* of the strings, in bytes */
};

struct reasons {
    char *why;
    size_t why_size;
};

#define REFUSE(r, ...) dnnlc_fail((r)->why, (r)->why_size, __VA_ARGS__)

static bool read_varint(struct cursor *c, uint64_t *value)
{
    *value = 0;
    for (unsigned shift = 0; shift < 64 && c->at < c->end; shift += 7) {
        unsigned char byte = *c->at++;
        if (shift == 63 && byte > 1)
            return false;
        *value |= (uint64_t)(byte & 127) << shift;
        if (byte < 128)
            return true;
    }
    return false;
}

static bool read_fixed(struct cursor *c, unsigned size, uint64_t *value)
{
    if ((size_t)(c->end - c->at) < size)
        return false;
    *value = 0;
    memcpy(value, c->at, size);
    c->at += size;
    return true;
}

/* One element of a repeated number: a varint, or 4 or 8 bytes. */
static bool read_element(struct cursor *c, enum wire wire, uint64_t *value)
{
    if (wire == WIRE_VARINT)
        return read_varint(c, value);
    return read_fixed(c, wire == WIRE_FIXED32 ? 4 : 8, value);
}

static bool read_field(struct cursor *c, struct field *f, const struct reasons *r)
{
    uint64_t key, length;
    if (!read_varint(c, &key))
        return REFUSE(r, "malformed protobuf: a field's key is cut off");
    *f = (struct field){.number = key >> 3, .wire = (enum wire)(key & 7)};
    if (f->number == 0)
        return REFUSE(r, "malformed protobuf: field number 0");
    switch (f->wire) {
    case WIRE_VARINT:
    case WIRE_FIXED32:
    case WIRE_FIXED64:
        return read_element(c, f->wire, &f->value) ||
               REFUSE(r, "malformed protobuf: a number is cut off or too long");
    case WIRE_BYTES:
        if (!read_varint(c, &length) || length > (size_t)(c->end - c->at))
            return REFUSE(r, "malformed protobuf: a length goes past the end");
        f->bytes = (struct cursor){c->at, c->at + length};
        c->at += length;
        return true;
    }
    return REFUSE(r, "malformed protobuf: wire type %u", (unsigned)f->wire);
}

/* The wire type of a repeated number's elements; WIRE_BYTES for every other field. */
static enum wire element_wire(uint64_t number)
{
    switch (number) {
    case FIELD_DIMS:
    case FIELD_INT32_DATA:
    case FIELD_INT64_DATA:
    case FIELD_UINT64_DATA:
        return WIRE_VARINT;
    case FIELD_FLOAT_DATA:
        return WIRE_FIXED32;
    case FIELD_DOUBLE_DATA:
        return WIRE_FIXED64;
    default:
        return WIRE_BYTES;
    }
}

/* Starts reading the elements of a repeated number, which may be packed or single. */
struct elements {
    struct cursor packed;
    uint64_t single;
    enum wire wire;
    bool is_single;
};

static bool start_elements(const struct field *f, struct elements *e, const struct reasons *r)
{
    *e = (struct elements){.packed = f->bytes,
                           .single = f->value,
                           .wire = element_wire(f->number),
                           .is_single = f->wire != WIRE_BYTES};
    if (e->is_single && f->wire != e->wire)
        return REFUSE(r, "not a TensorProto: field %u has the wrong wire type",
                      (unsigned)f->number);
    return true;
}

static bool more_elements(const struct elements *e)
{
    return e->is_single || e->packed.at < e->packed.end;
}

static bool next_element(struct elements *e, uint64_t *value)
{
    if (!e->is_single)
        return read_element(&e->packed, e->wire, value);
    *value = e->single;
    e->is_single = false;
    return true;
}

static bool scan_numbers(const struct field *f, struct message *m, const struct reasons *r)
{
    struct elements e;
    uint64_t value;
    if (!start_elements(f, &e, r))
        return false;
    while (more_elements(&e)) {
        if (!next_element(&e, &value))
            return REFUSE(r, "malformed protobuf: a packed field is cut off");
        size_t at = m->elements[f->number]++;
        if (f->number == FIELD_DIMS && at < DNNLC_MAX_RANK)
            m->dims[at] = (int64_t)value;
    }
    return true;
}

static bool scan_field(const struct field *f, struct message *m, const struct reasons *r)
{
    if (f->number < N_FIELDS && element_wire(f->number) != WIRE_BYTES)
        return scan_numbers(f, m, r);
    enum wire wanted = WIRE_BYTES;
    if (f->number == FIELD_DATA_TYPE || f->number == FIELD_DATA_LOCATION)
        wanted = WIRE_VARINT;
    if (f->number < N_FIELDS && f->wire != wanted)
        return REFUSE(r, "not a TensorProto: field %u has the wrong wire type",
                      (unsigned)f->number);
    switch (f->number) {
    case FIELD_DATA_TYPE:
        m->data_type = f->value;
        return true;
    case FIELD_NAME:
        m->name = f->bytes;
        return true;
    case FIELD_RAW_DATA:
        m->raw = f->bytes;
        return true;
    case FIELD_SEGMENT:
        return REFUSE(r, "a segment of a tensor, a sequence or an optional");
    case FIELD_STRING_DATA: {
        m->elements[FIELD_STRING_DATA]++;
        size_t length = (size_t)(f->bytes.end - f->bytes.at);
        if (length && memchr(f->bytes.at, 0, length))
            return REFUSE(r, "a string holds a zero byte");
        m->longest = length > m->longest ? length : m->longest;
        return true;
    }
    case FIELD_EXTERNAL_DATA:
        return REFUSE(r, "the tensor's data is in another file");
    case FIELD_DATA_LOCATION:
        return f->value == 0 || REFUSE(r, "the tensor's data is in another file");
    default:
        return true;
    }
}

static bool scan_message(struct cursor c, struct message *m, const struct reasons *r)
{
    struct field f;
    *m = (struct message){0};
    while (c.at < c.end)
        if (!read_field(&c, &f, r) || !scan_field(&f, m, r))
            return false;
    if (m->data_type == 0)
        return REFUSE(r, "not a TensorProto: it has no data_type");
    if (m->data_type > INT16_MAX)
        return REFUSE(r, "element type %llu is not supported", (unsigned long long)m->data_type);
    if (m->elements[FIELD_DIMS] > DNNLC_MAX_RANK)
        return REFUSE(r, "%zu dimensions, more than %d: damaged, or not a tensor",
                      m->elements[FIELD_DIMS], DNNLC_MAX_RANK);
    return true;
}

/* The typed field that holds elements of a type (the comments of onnx.proto say which). */
static unsigned typed_field(int dtype)
{
    switch (dtype) {
    case DNNLC_F32:
        return FIELD_FLOAT_DATA;
    case DNNLC_F64:
        return FIELD_DOUBLE_DATA;
    case DNNLC_I64:
        return FIELD_INT64_DATA;
    case DNNLC_U32:
    case DNNLC_U64:
        return FIELD_UINT64_DATA;
    default:
        return FIELD_INT32_DATA;
    }
}

/* Brings a field's value into the element type's range; 16-bit floats come as their bits. */
static bool convert(const struct dnnlc_dtype *type, uint64_t *value)
{
    if (typed_field(type->code) == FIELD_INT32_DATA) {
        int32_t number = (int32_t)(uint32_t)*value;
        int bits = (int)type->size * 8;
        bool is_signed = type->kind == DNNLC_SIGNED;
        int64_t most = (INT64_C(1) << (is_signed ? bits - 1 : bits)) - 1;
        *value = (uint64_t)(uint32_t)number;
        if (type->kind == DNNLC_BOOLEAN) {
            *value = number != 0;
            return true;
        }
        return number <= most && number >= (is_signed ? -most - 1 : 0);
    }
    return type->code != DNNLC_U32 || *value <= UINT32_MAX;
}

/* The second walk: the lengths are known to be right, only the values can still be wrong. */
static bool fill_typed(struct cursor c, struct dnnlc_array *array, const struct reasons *r)
{
    const struct dnnlc_dtype *type = dnnlc_dtype_of(array->dtype);
    unsigned number = typed_field(array->dtype);
    unsigned char *dst = array->data;
    struct field f;
    while (c.at < c.end) {
        struct elements e;
        uint64_t value;
        if (!read_field(&c, &f, r))
            return false;
        if (f.number != number || !start_elements(&f, &e, r))
            continue;
        while (more_elements(&e) && next_element(&e, &value)) {
            if (!convert(type, &value))
                return REFUSE(r, "element %zu does not fit the element type %s",
                              (size_t)(dst - (unsigned char *)array->data) / type->size,
                              type->name);
            memcpy(dst, &value, type->size);
            dst += type->size;
        }
    }
    return true;
}

/* Exactly one of raw_data and the element type's own field may hold data, and all of it. */
static bool check_amount(const struct message *m, const struct dnnlc_array *array,
                         const struct reasons *r)
{
    char shape[DNNLC_SHAPE_TEXT];
    unsigned own = array->text ? FIELD_STRING_DATA : typed_field(array->dtype);
    size_t raw = (size_t)(m->raw.end - m->raw.at);
    size_t each = array->text ? (size_t)array->dims[array->rank - 1] : 1,
           count = array->count / each;
    if (array->text && raw)
        return REFUSE(r, "strings are not in raw_data");
    dnnlc_shape_text(shape, array->dtype, array->rank, array->dims);
    for (unsigned n = FIELD_FLOAT_DATA; n < N_FIELDS; n++)
        if (m->elements[n] && (n != own || raw))
            return REFUSE(r, "%s has its data in field %u%s", shape, n,
                          raw ? " and in raw_data" : ", which is another type's");
    if (raw ? raw != array->bytes : m->elements[own] != count)
        return REFUSE(r, "%s takes %zu %s, the file has %zu: damaged, or not a tensor", shape,
                      raw ? array->bytes : count, raw ? "bytes of data" : "elements",
                      raw ? raw : m->elements[own]);
    return true;
}

static bool copy_name(struct cursor name, struct dnnlc_array *array, const struct reasons *r)
{
    size_t length = (size_t)(name.end - name.at);
    if (length == 0)
        return true;
    array->name = malloc(length + 1);
    if (!array->name)
        return REFUSE(r, "no memory for the tensor's name");
    memcpy(array->name, name.at, length);
    array->name[length] = 0;
    return true;
}

/* Types of which this library knows the codes only: floats of eight bits, and types of four and two, are read as bytes. Where several
 * are packed into one, the array has no shape. Bits of a code; 0 for all other types. */
static unsigned code_bits(uint64_t data_type)
{
    enum { FLOAT8_FIRST = 17, FLOAT8_LAST = 20, FLOAT4 = 23, FLOAT8E8M0, UINT2, INT2 };
    if ((data_type >= FLOAT8_FIRST && data_type <= FLOAT8_LAST) || data_type == FLOAT8E8M0)
        return 8;
    if (data_type == UINT2 || data_type == INT2)
        return 2;
    return data_type > FLOAT8_LAST && data_type <= FLOAT4 ? 4 : 0;
}

/* A string takes as many bytes as the longest. */
static bool describe_strings(const struct message *m, struct dnnlc_array *array,
                             const struct reasons *r)
{
    enum { MOST_BYTES = 1 << 28 };
    const int rank = (int)m->elements[FIELD_DIMS];
    int64_t dims[DNNLC_MAX_RANK + 1];
    memcpy(dims, m->dims, sizeof m->dims);
    dims[rank] = m->longest ? (int64_t)m->longest : 1;
    if (!dnnlc_array_describe(array, DNNLC_U8, rank + 1, dims, r->why, r->why_size))
        return false;
    array->text = true;
    return array->bytes <= MOST_BYTES || REFUSE(r, "its strings take %zu bytes", array->bytes);
}

static void fill_strings(struct cursor c, struct dnnlc_array *array, const struct reasons *r)
{
    unsigned char *dst = array->data;
    struct field f;
    memset(dst, 0, array->bytes);
    while (c.at < c.end && read_field(&c, &f, r))
        if (f.number == FIELD_STRING_DATA) {
            memcpy(dst, f.bytes.at, (size_t)(f.bytes.end - f.bytes.at));
            dst += array->dims[array->rank - 1];
        }
}

static bool describe(const struct message *m, struct dnnlc_array *array, const struct reasons *r)
{
    if (m->data_type == STRING)
        return describe_strings(m, array, r);
    const unsigned bits = code_bits(m->data_type);
    const int rank = (int)m->elements[FIELD_DIMS], type = bits ? DNNLC_U8 : (int)m->data_type;
    if (!dnnlc_array_describe(array, type, rank, m->dims, r->why, r->why_size))
        return false;
    if (bits == 0 || bits == 8)
        return true;
    const size_t each = 8 / bits;
    const int64_t bytes = (int64_t)(array->count / each + (array->count % each != 0));
    return dnnlc_array_describe(array, DNNLC_U8, 1, &bytes, r->why, r->why_size);
}

bool dnnlc_pb_parse(const void *bytes, size_t size, struct dnnlc_array *array, char *why,
                    size_t why_size)
{
    const struct reasons r = {why, why_size};
    const struct cursor whole = {bytes, (const unsigned char *)bytes + size};
    struct message m;
    struct dnnlc_array read;
    if (!scan_message(whole, &m, &r) || !describe(&m, &read, &r) || !check_amount(&m, &read, &r) ||
        !dnnlc_array_alloc(&read, why, why_size))
        return false;

    size_t raw = (size_t)(m.raw.end - m.raw.at);
    if (raw)
        memcpy(read.data, m.raw.at, raw);
    if (read.text)
        fill_strings(whole, &read, &r);
    if (!copy_name(m.name, &read, &r) || (!raw && !read.text && !fill_typed(whole, &read, &r))) {
        dnnlc_array_free(&read);
        return false;
    }
    dnnlc_array_normalise(&read);
    *array = read;
    return true;
}

/* Whether it is a SequenceProto or OptionalProto with nothing but tensors, or a sequence of them. */
static bool is_container(struct cursor c, struct cursor *name)
{
    const struct reasons nobody_asks = {NULL, 0};
    bool has_kind = false;
    struct field f;
    while (c.at < c.end) {
        if (!read_field(&c, &f, &nobody_asks))
            return false;
        if (f.number == FIELD_OWN_NAME && f.wire == WIRE_BYTES)
            *name = f.bytes;
        else if (f.number == FIELD_KIND && f.wire == WIRE_VARINT)
            has_kind = true;
        else if (f.wire != WIRE_BYTES || (f.number != FIELD_TENSOR && f.number != FIELD_SEQUENCE))
            return false;
    }
    return has_kind;
}

/* Calls tensor k of what is called `name` NAME_k. */
static bool name_element(struct cursor name, size_t k, struct dnnlc_array *array,
                         const struct reasons *r)
{
    const size_t length = (size_t)(name.end - name.at), size = length + 24;
    free(array->name);
    array->name = NULL;
    if (length == 0)
        return true;
    array->name = malloc(size);
    if (!array->name)
        return REFUSE(r, "no memory for the tensor's name");
    memcpy(array->name, name.at, length);
    snprintf(array->name + length, size - length, "_%zu", k);
    return true;
}

/* Adds the tensors of a container, or of the sequence in an optional, to the list, where those of this file begin at `first`. */
static bool add_elements(struct cursor c, struct cursor name, bool outermost, size_t first,
                         struct dnnlc_arrays *list, const struct reasons *r)
{
    struct cursor inner_name = {0};
    struct field f;
    while (c.at < c.end) {
        struct dnnlc_array array;
        if (!read_field(&c, &f, r))
            return false;
        if (f.number == FIELD_SEQUENCE && !(outermost && is_container(f.bytes, &inner_name)
                                                ? add_elements(f.bytes, name, false, first, list, r)
                                                : REFUSE(r, "a sequence of sequences")))
            return false;
        if (f.number != FIELD_TENSOR)
            continue;
        if (!dnnlc_pb_parse(f.bytes.at, (size_t)(f.bytes.end - f.bytes.at), &array, r->why,
                            r->why_size))
            return false;
        if (!name_element(name, list->count - first, &array, r)) {
            dnnlc_array_free(&array);
            return false;
        }
        if (!dnnlc_arrays_add(list, &array, r->why, r->why_size))
            return false;
    }
    return true;
}

bool dnnlc_pb_parse_all(const void *bytes, size_t size, struct dnnlc_arrays *list, char *why,
                        size_t why_size)
{
    const struct cursor whole = {bytes, (const unsigned char *)bytes + size};
    const struct reasons r = {why, why_size};
    const size_t first = list->count;
    struct cursor name = {0};
    struct dnnlc_array array;
    const bool container = is_container(whole, &name); /* a tensor may look like one */
    if (dnnlc_pb_parse(bytes, size, &array, why, container ? 0 : why_size))
        return dnnlc_arrays_add(list, &array, why, why_size);
    if (container && add_elements(whole, name, true, first, list, &r))
        return true;
    dnnlc_arrays_free(list, first);
    return false;
}
