/* ONNX's TensorProto, and SequenceProto and OptionalProto of tensors, as in the input_K.pb and
 * output_K.pb of ONNX's test data, from memory.
 *
 * Reads the protobuf wire format directly: raw_data, or the typed field that belongs to the element
 * type, packed or not. Unknown fields are skipped.
 */
#ifndef DNNLC_RUNTIME_PB_H
#define DNNLC_RUNTIME_PB_H

#include "dnnlc_tensor.h"

/* Parses a whole TensorProto into *array, which the caller frees. Nothing is allocated before the
 * shape has been checked against the elements that are there. Refuses external data, segments,
 * strings, other messages (sequences, optionals) and values that the element type cannot hold. */
bool dnnlc_pb_parse(const void *bytes, size_t size, struct dnnlc_array *array, char *why,
                    size_t why_size);

/* Adds the tensor to the list, or all those of a SequenceProto or OptionalProto, which may be none:
 * tensor k of one called NAME is called NAME_k. */
bool dnnlc_pb_parse_all(const void *bytes, size_t size, struct dnnlc_arrays *list, char *why,
                        size_t why_size);

#endif
