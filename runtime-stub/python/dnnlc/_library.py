"""libNAME.so, and what it says of the model."""

from __future__ import annotations

import ctypes
import os
from typing import TYPE_CHECKING, List, Optional, Tuple

import numpy

from . import _table
from ._errors import Error
from ._memory import MappedFile
from ._ports import BFLOAT16, DTYPES, Port

if TYPE_CHECKING:
    from ._net import Net


def _text(of: Optional[bytes]) -> str:
    return (of or b"").decode("utf-8", "replace")


def _port(tables: List[_table.Model], output: bool, index: int, bounds: Tuple[int, ...]) -> Port:
    tensors = [(t.outputs if output else t.inputs)[index] for t in tables]
    first = tensors[0]
    shapes = tuple(tuple(t.dims[: t.rank]) for t in tensors)
    return Port(
        _text(first.name), numpy.dtype(DTYPES[first.dtype]), shapes, bounds, first.dtype == BFLOAT16
    )


def _make_unique(ports: List[Port]) -> None:
    """Characters that C's literals do not have are _ in the tables, so that names can be alike there."""
    taken = {port.name for port in ports}
    seen = set()
    for i, port in enumerate(ports):
        name, n = port.name, 1
        while name in seen or (n > 1 and name in taken):
            name, n = f"{port.name}_{n}", n + 1
        seen.add(name)
        ports[i] = port._replace(name=name)


class Library:
    """A compiled model, without anything that changes: contexts of it can be in many threads. It stays loaded as long as the process runs."""

    def __init__(self, path: str, name: Optional[str] = None) -> None:
        stem = os.path.basename(path)[3:-3]
        self.path = path
        handle = ctypes.CDLL(os.path.abspath(path))
        try:
            entry = handle[f"{stem}_model"]
        except AttributeError:
            raise Error(f"{path}: not a libNAME.so that dnnlc's build file has made") from None
        entry.restype = ctypes.POINTER(_table.Model)
        first = entry(_table.VERSION)
        if not first:
            raise Error(
                f"{path}: written by another version of dnnlc than this package is for (tables {_table.VERSION})"
            )
        self.tables = [first[k] for k in range(first[0].n_variants)]
        self.table = self.tables[0]
        self.name = name or _text(self.table.name)
        self._describe()
        self.weights: Optional[MappedFile] = None
        if self.table.weights_file and self.table.weights_size:
            folder = os.path.dirname(os.path.abspath(path))
            self.weights = MappedFile(os.path.join(folder, _text(self.table.weights_file)))

    def _describe(self) -> None:
        table = self.table
        self.bounds = [table.bounds[k] for k in range(table.n_bounds)]
        self.counts = [table.counts[k] for k in range(table.n_counts)]
        self.states = [table.states[k] for k in range(table.n_states)]
        self.dimensions = [_text(table.inputs[table.n_inputs + d].name) for d in range(table.n_dimensions)]
        # The model's own: behind the outputs stand the numbers of their rows.
        self.inputs = [
            _port(self.tables, False, i, tuple(sorted({b.axis for b in self.bounds if b.input == i})))
            for i in range(table.n_inputs)
        ]
        self.outputs = [
            _port(self.tables, True, i, tuple(c.axis for c in self.counts if c.output == i))
            for i in range(table.n_outputs)
        ]
        _make_unique(self.inputs)
        _make_unique(self.outputs)
        self.state_inputs = {s.input: k for k, s in enumerate(self.states)}
        self.state_outputs = {s.output: k for k, s in enumerate(self.states)}
        self.n_own_outputs = table.n_outputs - table.n_counts


def load(path: "os.PathLike[str] | str", *, threads: int = 0) -> "Net":
    """Runs what `ninja -C FOLDER libNAME.so` has built in a folder that dnnlc wrote. The file has to keep its name."""
    from ._net import Net

    return Net(Library(os.fspath(path)), threads=threads)
