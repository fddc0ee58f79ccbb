/* Checks of protobuf's wire format before a message is unpacked. */
#pragma once

#include "../base/base.h"

#include <protobuf-c/protobuf-c.h>

/* protobuf-c sets no limits: it recurses as deep as the input says, and a two-byte message becomes a struct. This
 * walk refuses truncation, wrong wire types, nesting beyond WIRE_MAX_DEPTH, more than WIRE_MAX_ITEMS messages and
 * strings, singular messages that come twice, and names that are not printable UTF-8. On failure *why says what is wrong. */
enum { WIRE_MAX_DEPTH = 100, WIRE_MAX_ITEMS = 16 << 20 };
bool wire_check(const ProtobufCMessageDescriptor *type, const uint8_t *data, size_t size,
                const char **why);

/* Unpacks a checked message into `arena`, as protobuf-c would, but for two things: absent strings are "", and bytes stay where they are in
 * `data`, which has to outlive what is made of them. */
ProtobufCMessage *wire_unpack(Arena *arena, const ProtobufCMessageDescriptor *type,
                              const uint8_t *data, size_t size);

/* What is wrong with a name: it has to be UTF-8 without control characters. NULL: nothing. */
const char *wire_name(const char *name, size_t size);
