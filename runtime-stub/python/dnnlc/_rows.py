"""Bounded dimensions: how many rows each has in a run, from the arrays that are given."""

from __future__ import annotations

from typing import Dict, List, Mapping, Optional, Tuple

import numpy

from ._library import Library


def _equation(
    library: Library, index: int, axis: int, known: List[Optional[int]]
) -> Tuple[int, List[int]]:
    """Rows of an input along an axis are a number and the dimensions that are not known yet."""
    rows = library.table.inputs[index].dims[axis]
    unknown = []
    for bound in library.bounds:
        if bound.input != index or bound.axis != axis:
            continue
        value = known[bound.dimension]
        rows -= bound.most - (value or 0)
        if value is None:
            unknown.append(bound.dimension)
    return rows, unknown


def solve(
    library: Library,
    arrays: Mapping[int, numpy.ndarray],
    said: Mapping[str, int],
    kept: Mapping[int, int],
) -> List[int]:
    """How large each dimension is: as it was said, as the states have it (`kept`), as follows from the shapes, or else as large as it may be."""
    known: List[Optional[int]] = [None] * len(library.dimensions)
    for dimension, value in kept.items():
        known[dimension] = value
    for name, value in said.items():
        known[library.dimensions.index(name)] = value
    open_ = [(i, axis) for i in arrays for axis in library.inputs[i].bounds]
    while open_:
        left = []
        for index, axis in open_:
            n = arrays[index].shape[axis]
            rows, unknown = _equation(library, index, axis, known)
            if len(unknown) > 1:
                left.append((index, axis))
            elif unknown:
                if n < rows:
                    raise _wrong(library, index, n, f"{rows} or more")
                known[unknown[0]] = n - rows
            elif n not in (rows, library.table.inputs[index].dims[axis]):
                raise _wrong(library, index, n, str(rows))
        if len(left) == len(open_):
            index, axis = left[0]
            names = " and ".join(
                library.dimensions[d] for d in _equation(library, index, axis, known)[1]
            )
            raise ValueError(
                f"input '{library.inputs[index].name}': its rows are {names} together; give one of them by name"
            )
        open_ = left
    most = {b.dimension: b.most for b in library.bounds}
    return [most.get(d, 0) if rows is None else rows for d, rows in enumerate(known)]


def _wrong(library: Library, index: int, n: int, wanted: str) -> ValueError:
    return ValueError(f"input '{library.inputs[index].name}' has {n} rows, not {wanted}")


def by_dimension(library: Library) -> Dict[int, int]:
    """States that are the number of rows of other states: dimension and number of the state."""
    n = library.table.n_inputs
    return {s.input - n: k for k, s in enumerate(library.states) if s.input >= n}
