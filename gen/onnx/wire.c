/* The walk over the wire format that goes before unpacking; see onnx/wire.h. */
#include "wire.h"

#include "../base/utf8.h"

#include <string.h>

typedef struct Wire {
    const char *why;
    size_t items; /* messages and strings so far */
} Wire;

typedef struct Span {
    const uint8_t *at, *end;
} Span;

enum { WIRE_VARINT = 0, WIRE_64 = 1, WIRE_BYTES = 2, WIRE_32 = 5 };

static bool fail(Wire *w, const char *why)
{
    if (!w->why)
        w->why = why;
    return false;
}

static bool read_varint(Wire *w, Span *s, uint64_t *value)
{
    *value = 0;
    for (unsigned shift = 0; shift < 64; shift += 7) {
        if (s->at == s->end)
            return fail(w, "the file ends within a number");
        uint8_t byte = *s->at++;
        if (shift == 63 && byte > 1)
            break;
        *value |= (uint64_t)(byte & 127) << shift;
        if (byte < 128)
            return true;
    }
    return fail(w, "a number is longer than 64 bits");
}

static bool skip(Wire *w, Span *s, size_t n)
{
    if ((size_t)(s->end - s->at) < n)
        return fail(w, "the file ends within a number");
    s->at += n;
    return true;
}

static bool read_span(Wire *w, Span *s, Span *inner)
{
    uint64_t length;
    if (!read_varint(w, s, &length))
        return false;
    if (length > (uint64_t)(s->end - s->at))
        return fail(w, "a length goes past the end of the file");
    *inner = (Span){s->at, s->at + length};
    s->at += length;
    return true;
}

/* Fields whose text may hold anything printable or not, because nothing names something by it. */
static bool is_prose(const ProtobufCFieldDescriptor *f)
{
    static const char *const prose[] = {"doc_string", "value", "producer_name", "producer_version",
                                        "denotation"};
    for (size_t i = 0; i < COUNT_OF(prose); i++)
        if (!strcmp(f->name, prose[i]))
            return true;
    return false;
}

const char *wire_name(const char *name, size_t size)
{
    for (size_t length; size > 0; name += length, size -= length) {
        uint32_t character;
        length = utf8_decode(name, size, &character);
        if (length == 0)
            return "a name is not valid UTF-8";
        if (utf8_is_control(character))
            return "a name holds a control character";
    }
    return NULL;
}

static bool check_string(Wire *w, const ProtobufCFieldDescriptor *f, Span s)
{
    if (memchr(s.at, 0, (size_t)(s.end - s.at)))
        return fail(w, "a string holds a NUL character");
    const char *why = is_prose(f) ? NULL : wire_name((const char *)s.at, (size_t)(s.end - s.at));
    return !why || fail(w, why);
}

/* The wire type of one element of a field. */
static unsigned wire_type(ProtobufCType type)
{
    switch (type) {
    case PROTOBUF_C_TYPE_STRING:
    case PROTOBUF_C_TYPE_BYTES:
    case PROTOBUF_C_TYPE_MESSAGE:
        return WIRE_BYTES;
    case PROTOBUF_C_TYPE_FLOAT:
    case PROTOBUF_C_TYPE_FIXED32:
    case PROTOBUF_C_TYPE_SFIXED32:
        return WIRE_32;
    case PROTOBUF_C_TYPE_DOUBLE:
    case PROTOBUF_C_TYPE_FIXED64:
    case PROTOBUF_C_TYPE_SFIXED64:
        return WIRE_64;
    default:
        return WIRE_VARINT;
    }
}

static bool check_packed(Wire *w, unsigned wire, Span s)
{
    uint64_t value;
    size_t size = wire == WIRE_32 ? 4 : 8;
    if (wire != WIRE_VARINT)
        return (size_t)(s.end - s.at) % size == 0 ||
               fail(w, "a packed array has an incomplete element");
    while (s.at < s.end)
        if (!read_varint(w, &s, &value))
            return false;
    return true;
}

static bool check_message(Wire *w, const ProtobufCMessageDescriptor *type, Span s, int depth);

static bool check_bytes(Wire *w, const ProtobufCFieldDescriptor *f, Span s, int depth)
{
    unsigned wire = wire_type(f->type);
    if (f->type == PROTOBUF_C_TYPE_MESSAGE)
        return check_message(w, f->descriptor, s, depth + 1);
    if (f->type == PROTOBUF_C_TYPE_STRING)
        return check_string(w, f, s);
    if (wire == WIRE_BYTES)
        return true;
    return f->label == PROTOBUF_C_LABEL_REPEATED ? check_packed(w, wire, s)
                                                 : fail(w, "a field has the wrong wire type");
}

static bool check_scalar(Wire *w, const ProtobufCFieldDescriptor *f, unsigned wire, Span *s)
{
    uint64_t value;
    if (f && wire != wire_type(f->type))
        return fail(w, "a field has the wrong wire type");
    if (wire == WIRE_VARINT)
        return read_varint(w, s, &value);
    if (wire == WIRE_32 || wire == WIRE_64)
        return skip(w, s, wire == WIRE_32 ? 4 : 8);
    return fail(w, "a field has an unknown wire type");
}

/* Whether a singular message field comes a second time: protobuf would merge the two; no writer does that. */
static bool seen_twice(const ProtobufCMessageDescriptor *type, const ProtobufCFieldDescriptor *f,
                       uint64_t *seen)
{
    if (f->label == PROTOBUF_C_LABEL_REPEATED || f->type != PROTOBUF_C_TYPE_MESSAGE)
        return false;
    uint64_t bit = (uint64_t)1 << ((size_t)(f - type->fields) & 63);
    bool twice = (*seen & bit) != 0;
    *seen |= bit;
    return twice;
}

static bool check_message(Wire *w, const ProtobufCMessageDescriptor *type, Span s, int depth)
{
    uint64_t key, seen = 0;
    if (depth > WIRE_MAX_DEPTH)
        return fail(w, "messages are nested too deep");
    while (s.at < s.end) {
        if (!read_varint(w, &s, &key))
            return false;
        uint64_t tag = key >> 3;
        unsigned wire = key & 7;
        if (tag == 0 || tag > 0x1fffffff)
            return fail(w, "a field has an invalid number");
        const ProtobufCFieldDescriptor *f =
            protobuf_c_message_descriptor_get_field(type, (unsigned)tag);
        if (wire != WIRE_BYTES) {
            if (!check_scalar(w, f, wire, &s))
                return false;
            continue;
        }
        Span inner;
        if (!read_span(w, &s, &inner))
            return false;
        if (f && seen_twice(type, f, &seen))
            return fail(w, "a part that must be single comes twice");
        if (++w->items > WIRE_MAX_ITEMS)
            return fail(w, "it has too many parts");
        if (f && !check_bytes(w, f, inner, depth))
            return false;
    }
    return true;
}

bool wire_check(const ProtobufCMessageDescriptor *type, const uint8_t *data, size_t size,
                const char **why)
{
    Wire w = {0};
    bool ok = check_message(&w, type, (Span){data, data + size}, 0);
    *why = w.why;
    return ok;
}

/* --- unpacking ------------------------------------------------------------------------------------------------------------ */

/* protobuf-c would copy every tensor; bytes stay where they are here. What wire_check has found sound needs no further checks. */

static unsigned get_key(Span *s, unsigned *wire)
{
    uint64_t key;
    read_varint(&(Wire){0}, s, &key);
    *wire = key & 7;
    return (unsigned)(key >> 3);
}

/* The contents of the field behind its key: without the length that goes before them. */
static Span get_contents(Span *s, unsigned wire)
{
    uint64_t value;
    Span contents = *s;
    if (wire == WIRE_BYTES) {
        read_span(&(Wire){0}, s, &contents);
        return contents;
    }
    if (wire == WIRE_VARINT)
        read_varint(&(Wire){0}, s, &value);
    else
        s->at += wire == WIRE_32 ? 4 : 8;
    contents.end = s->at;
    return contents;
}

static size_t element_size(ProtobufCType type)
{
    switch (type) {
    case PROTOBUF_C_TYPE_BYTES:
        return sizeof(ProtobufCBinaryData);
    case PROTOBUF_C_TYPE_STRING:
    case PROTOBUF_C_TYPE_MESSAGE:
        return sizeof(void *);
    case PROTOBUF_C_TYPE_INT64:
    case PROTOBUF_C_TYPE_UINT64:
    case PROTOBUF_C_TYPE_DOUBLE:
        return 8;
    case PROTOBUF_C_TYPE_INT32:
    case PROTOBUF_C_TYPE_ENUM:
    case PROTOBUF_C_TYPE_FLOAT:
        return 4;
    default:
        bug("onnx.proto has no fields of protobuf-c's type %d", (int)type);
    }
}

/* How many elements of a repeated field there are in it. */
static size_t count_elements(const ProtobufCFieldDescriptor *f, unsigned wire, Span s)
{
    size_t n = 0;
    const unsigned own = wire_type(f->type);
    if (own == wire) /* not packed */
        return 1;
    if (own != WIRE_VARINT)
        return (size_t)(s.end - s.at) / element_size(f->type);
    for (; s.at < s.end; s.at++)
        n += *s.at < 128;
    return n;
}

static ProtobufCMessage *unpack(Arena *arena, const ProtobufCMessageDescriptor *type, Span s);

/* One element, from the beginning of *s. */
static void get_element(Arena *arena, const ProtobufCFieldDescriptor *f, Span *s, void *to)
{
    const size_t size = element_size(f->type), n = (size_t)(s->end - s->at);
    uint64_t value;
    if (f->type == PROTOBUF_C_TYPE_MESSAGE) {
        *(ProtobufCMessage **)to = unpack(arena, f->descriptor, *s);
    } else if (f->type == PROTOBUF_C_TYPE_STRING) {
        *(char **)to = arena_strndup(arena, (const char *)s->at, n);
    } else if (f->type == PROTOBUF_C_TYPE_BYTES) {
        *(ProtobufCBinaryData *)to = (ProtobufCBinaryData){n, (uint8_t *)(uintptr_t)s->at};
    } else if (wire_type(f->type) == WIRE_VARINT) {
        read_varint(&(Wire){0}, s, &value);
        memcpy(to, &value, size);
    } else {
        memcpy(to, s->at, size);
        s->at += size;
    }
}

static void get_field(Arena *arena, const ProtobufCFieldDescriptor *f, unsigned wire, Span s,
                      char *message)
{
    void *quantifier = message + f->quantifier_offset;
    char *member = message + f->offset;
    if (f->label == PROTOBUF_C_LABEL_REPEATED) {
        size_t *n = quantifier;
        for (size_t left = count_elements(f, wire, s); left > 0; left--, ++*n)
            get_element(arena, f, &s, *(char **)(void *)member + *n * element_size(f->type));
        return;
    }
    get_element(arena, f, &s, member);
    if (f->flags & PROTOBUF_C_FIELD_FLAG_ONEOF)
        *(uint32_t *)quantifier = f->id;
    else if (f->quantifier_offset)
        *(protobuf_c_boolean *)quantifier = 1;
}

/* Kept as protobuf-c does, with the length that goes before the contents. */
static void keep_unknown(ProtobufCMessage *m, unsigned tag, unsigned wire, Span s)
{
    m->unknown_fields[m->n_unknown_fields++] = (ProtobufCMessageUnknownField){
        tag, (ProtobufCWireType)wire, (size_t)(s.end - s.at), (uint8_t *)(uintptr_t)s.at};
}

/* Absent strings are empty, or the import would have to ask everywhere. */
static void begin_message(const ProtobufCMessageDescriptor *type, ProtobufCMessage *m)
{
    static char empty[] = "";
    type->message_init(m);
    for (unsigned i = 0; i < type->n_fields; i++) {
        const ProtobufCFieldDescriptor *f = &type->fields[i];
        if (f->type == PROTOBUF_C_TYPE_STRING && f->label != PROTOBUF_C_LABEL_REPEATED &&
            !(f->flags & PROTOBUF_C_FIELD_FLAG_ONEOF))
            *(char **)(void *)((char *)m + f->offset) = empty;
    }
}

/* Repeated fields are counted first. */
static void make_arrays(Arena *arena, ProtobufCMessage *m, Span s)
{
    enum { MAX_FIELDS = 64 };
    size_t n[MAX_FIELDS] = {0}, unknown = 0;
    const ProtobufCMessageDescriptor *type = m->descriptor;
    if (type->n_fields > MAX_FIELDS)
        bug("%s has %u fields", type->name, type->n_fields);
    for (unsigned wire; s.at < s.end;) {
        const unsigned tag = get_key(&s, &wire);
        const ProtobufCFieldDescriptor *f = protobuf_c_message_descriptor_get_field(type, tag);
        const Span contents = get_contents(&s, wire);
        if (f && f->label == PROTOBUF_C_LABEL_REPEATED)
            n[f - type->fields] += count_elements(f, wire, contents);
        unknown += !f;
    }
    m->unknown_fields = ARENA_ARRAY(arena, ProtobufCMessageUnknownField, unknown);
    for (unsigned i = 0; i < type->n_fields; i++)
        if (n[i])
            *(void **)(void *)((char *)m + type->fields[i].offset) =
                arena_alloc_array(arena, n[i], element_size(type->fields[i].type));
}

static ProtobufCMessage *unpack(Arena *arena, const ProtobufCMessageDescriptor *type, Span s)
{
    ProtobufCMessage *m = arena_alloc(arena, type->sizeof_message);
    begin_message(type, m);
    make_arrays(arena, m, s);
    for (unsigned wire; s.at < s.end;) {
        const unsigned tag = get_key(&s, &wire);
        const ProtobufCFieldDescriptor *f = protobuf_c_message_descriptor_get_field(type, tag);
        const uint8_t *start = s.at;
        const Span contents = get_contents(&s, wire);
        if (f)
            get_field(arena, f, wire, contents, (char *)m);
        else
            keep_unknown(m, tag, wire, (Span){start, s.at});
    }
    return m;
}

ProtobufCMessage *wire_unpack(Arena *arena, const ProtobufCMessageDescriptor *type,
                              const uint8_t *data, size_t size)
{
    return unpack(arena, type, (Span){data, data + size});
}
