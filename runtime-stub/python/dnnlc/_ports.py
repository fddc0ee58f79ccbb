"""Inputs and outputs: their types and shapes, and whether an array is what a model takes."""

from __future__ import annotations

from typing import Any, NamedTuple, Sequence, Tuple

import numpy

# By ONNX's numbers. numpy has no bfloat16: its bytes are those of uint16.
BFLOAT16 = 16
DTYPES = {
    1: "float32",
    2: "uint8",
    3: "int8",
    4: "uint16",
    5: "int16",
    6: "int32",
    7: "int64",
    9: "bool",
    10: "float16",
    11: "float64",
    12: "uint32",
    13: "uint64",
    BFLOAT16: "uint16",
}


class Port(NamedTuple):
    """An input or output: its name in the model, its type, and a shape for each variant. `bounds` has the axes along which an array may have
    fewer elements than the shape says, and in outputs those along which a run says how many there are."""

    name: str
    dtype: numpy.dtype
    shapes: Tuple[Tuple[int, ...], ...]
    bounds: Tuple[int, ...] = ()
    is_bfloat16: bool = False

    @property
    def shape(self) -> Tuple[int, ...]:
        """Of the first variant."""
        return self.shapes[0]


def _is_array(value: Any) -> bool:
    return isinstance(value, numpy.ndarray) or hasattr(value, "__array__")


def _from_numbers(port: Port, value: Any) -> numpy.ndarray:
    """Of numbers and lists of them, which have no type of their own: whatever keeps their values, floats but for rounding."""
    array = numpy.asarray(value)
    if array.dtype.kind not in "biuf" or (array.dtype.kind == "f" and port.dtype.kind != "f"):
        raise TypeError(f"input '{port.name}' takes {type_name(port)}, not {array.dtype}")
    with numpy.errstate(all="ignore"):
        made = array.astype(port.dtype)
    if port.dtype.kind != "f" and not numpy.array_equal(made, array):
        raise ValueError(f"input '{port.name}' takes {type_name(port)}, which does not have all of these numbers")
    return made


def _from_strings(port: Port, array: numpy.ndarray, width: int) -> numpy.ndarray:
    """Strings are rows of bytes, padded with zeros."""
    if array.dtype.itemsize > width:
        raise ValueError(
            f"input '{port.name}' takes strings of at most {width} bytes, not {array.dtype.itemsize}"
        )
    padded = numpy.ascontiguousarray(array, dtype=f"S{width}").reshape(array.shape)
    return padded.reshape(*padded.shape, 1).view(numpy.uint8)


def type_name(port: Port) -> str:
    return "bfloat16 (as uint16)" if port.is_bfloat16 else str(port.dtype)


def as_array(port: Port, value: Any) -> numpy.ndarray:
    """The same numbers as an array of the port's type: the caller's own, where it is one. Arrays of another type are refused, as a conversion
    may lose something and takes time."""
    if port.is_bfloat16 and not _is_array(value):
        raise TypeError(f"input '{port.name}' takes an array of {type_name(port)}")
    if not _is_array(value):
        return _from_numbers(port, value)
    array = numpy.asarray(value)
    if array.dtype.kind == "S" and port.dtype == numpy.uint8 and port.shape:
        return _from_strings(port, array, port.shape[-1])
    if port.is_bfloat16 and array.dtype.name == "bfloat16":
        array = array.view(numpy.uint16)
    if array.dtype.newbyteorder("=") != port.dtype:
        raise TypeError(f"input '{port.name}' takes {type_name(port)}, not {array.dtype}")
    return array


def fits(shape: Sequence[int], most: Sequence[int], bounds: Sequence[int]) -> bool:
    """Whether an array of a shape is one of shape `most`, but for less along axes of `bounds`."""
    return len(shape) == len(most) and all(
        n == m or (n < m and axis in bounds) for axis, (n, m) in enumerate(zip(shape, most))
    )


def _strides(shape: Sequence[int], size: int) -> Tuple[int, ...]:
    strides = []
    for n in reversed(shape):
        strides.append(size)
        size *= n
    return tuple(reversed(strides))


def in_place(array: numpy.ndarray, shape: Tuple[int, ...]) -> numpy.ndarray:
    """The array itself, if its elements stand where those of a dense one of the shape do, which may be larger; otherwise a copy that is so."""
    wanted = _strides(shape, array.itemsize)
    stands = all(n <= 1 or is_ == w for n, is_, w in zip(array.shape, array.strides, wanted))
    if array.size == 0 or (stands and array.flags.aligned and array.dtype.isnative):
        return array
    copy = numpy.empty(shape, array.dtype.newbyteorder("="))
    copy[tuple(slice(n) for n in array.shape)] = array
    return copy
