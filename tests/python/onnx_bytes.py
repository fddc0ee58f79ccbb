"""ONNX models of one node, as bytes, without the package onnx."""

import struct


def field(number, data):
    """Of a protobuf message: bytes, or a number, both short."""
    if isinstance(data, int):
        return bytes([number << 3, data])
    return bytes([number << 3 | 2, len(data)]) + data


def model(op, rows, weights):
    """y = op(x, w): x has the shape [rows, n], where rows is a dimension's name, or [n] where it is None; w are numbers, or the file's name in
    which three of them stand."""
    n = 3 if isinstance(weights, str) else len(weights)
    if isinstance(weights, str):
        data = field(13, field(1, b"location") + field(2, weights.encode())) + field(14, 1)
    else:
        data = field(9, struct.pack(f"<{n}f", *weights))
    dims = (field(1, field(2, rows.encode())) if rows else b"") + field(1, field(1, n))
    of_port = field(2, field(1, field(1, 1) + field(2, dims)))
    node = field(1, b"x") + field(1, b"w") + field(2, b"y") + field(4, op.encode())
    graph = field(1, node) + field(2, b"g") + field(5, field(1, n) + field(2, 1) + field(8, b"w") + data)
    graph += field(11, field(1, b"x") + of_port) + field(12, field(1, b"y") + of_port)
    return field(1, 8) + field(7, graph) + field(8, field(2, 17))
