"""A model that can be run: a context of the library, with the memory that it works in."""

from __future__ import annotations

import ctypes
import threading
import weakref
from typing import Any, Dict, List, Mapping, Optional, Tuple

import numpy

from . import _ports, _rows, _table
from ._errors import RunError
from ._library import Library
from ._memory import Memory
from ._ports import Port


def _failure(table: _table.Model, context: int, doing: str, status: int) -> RunError:
    reason = (table.error(context) or b"").decode("utf-8", "replace")
    layer = (table.error_layer(context) or b"").decode("utf-8", "replace")
    return RunError(reason or f"{doing} failed with status {status}", layer)


class _Context:
    """What `init` has prepared, until `fini`."""

    def __init__(self, library: Library, threads: int) -> None:
        table = library.table
        self.table = table
        self.context = Memory(table.context_size)
        self.workspace = Memory(table.workspace_size)
        self.fallback: Optional[Memory] = None
        self.weights = library.weights
        status = self._init(threads)
        # On the CPU that it was compiled for, a model needs no memory for weights in another form; elsewhere it says how much.
        if status and table.fallback_size:
            size = table.fallback_size()
            if size:
                self.fallback = Memory(size)
                ctypes.memset(self.context.address, 0, table.context_size)
                status = self._init(threads)
        if status:
            raise _failure(table, self.context.address, "init", status)
        self.is_open = True

    def _init(self, threads: int) -> int:
        weights, fallback = self.weights, self.fallback
        return self.table.init(
            self.context.address,
            self.workspace.address,
            self.table.workspace_size,
            weights.address if weights else None,
            weights.size if weights else 0,
            fallback.address if fallback else None,
            fallback.size if fallback else 0,
            threads,
            _table.ALL_VARIANTS if self.table.n_variants > 1 else 0,
        )

    def close(self) -> None:
        if self.is_open:
            self.is_open = False
            self.table.fini(self.context.address)


class Net:
    """A compiled model. Calling it runs it:

        y = net(x)                        # inputs in the model's order, or by name: net(image=x)
        outputs = net.run({"image": x})   # names to arrays, also where a name is no word of Python's

    One output is an array, several are a tuple in the model's order. A call in one thread waits for those in others; `clone` makes a net of the
    same model, with states and memory of its own, which runs beside this one. `close`, or a `with` block, gives the memory back early.
    """

    def __init__(self, library: Library, *, threads: int = 0) -> None:
        table = library.table
        if threads < 0 or (table.threads > 0 and threads > table.threads):
            raise ValueError(
                f"threads: {threads}, the model was compiled for at most {table.threads}"
            )
        self._library = library
        self._threads = threads
        self._lock = threading.Lock()
        self._context = _Context(library, threads)
        self._finalizer = weakref.finalize(self, self._context.close)
        self._given = [i for i in range(table.n_inputs) if i not in library.state_inputs]
        self._made = [k for k in range(library.n_own_outputs) if k not in library.state_outputs]
        self._index = {library.inputs[i].name: i for i in self._given}
        self._out_index = {library.outputs[k].name: k for k in self._made}
        self._counting = _rows.by_dimension(library)
        self._said = [d for i, d in enumerate(library.dimensions) if i not in self._counting]
        self._in = (ctypes.c_void_p * (table.n_inputs + table.n_dimensions + 1))()
        self._out = (ctypes.c_void_p * (table.n_outputs + 1))()
        self._variant = 0

    # --- what it is ---------------------------------------------------------------------------------------------------

    @property
    def inputs(self) -> Tuple[Port, ...]:
        """What a run is given, in the model's order."""
        return tuple(self._library.inputs[i] for i in self._given)

    @property
    def outputs(self) -> Tuple[Port, ...]:
        """What a run makes, in the model's order."""
        return tuple(self._library.outputs[k] for k in self._made)

    @property
    def variants(self) -> Tuple[str, ...]:
        """What each variant was called when the model was compiled for several sizes: "batch=4"."""
        tables = self._library.tables
        return tuple((t.called or b"").decode() for t in tables) if len(tables) > 1 else ()

    @property
    def info(self) -> Dict[str, Any]:
        """What is known of the compiled model: where it is, what it was compiled for, the bytes it takes."""
        table, library = self._library.table, self._library
        texts = ("model_hash", "compiler_version", "onednn_version", "target", "isa", "precision")
        known: Dict[str, Any] = {"name": library.name, "path": library.path}
        known.update((key, (getattr(table, key) or b"").decode()) for key in texts)
        numbers = ("threads", "workspace_size", "weights_size", "n_layers")
        known.update((key, getattr(table, key)) for key in numbers)
        return known

    def __repr__(self) -> str:
        def ports(of: Tuple[Port, ...]) -> str:
            return ", ".join(f"{p.name}: {_ports.type_name(p)}{list(p.shape)}" for p in of)

        closed = "" if self._context.is_open else ", closed"
        return f"<dnnlc.Net {self._library.name}: ({ports(self.inputs)}) -> ({ports(self.outputs)}){closed}>"

    # --- runs ---------------------------------------------------------------------------------------------------------

    def __call__(self, *args: Any, **named: Any) -> Any:
        """Runs the model on arrays in its order, or by their names, and returns its output, or a tuple of them."""
        if len(args) > len(self._given):
            raise TypeError(f"{len(args)} inputs, the model takes {len(self._given)}")
        given = {self._library.inputs[i].name: a for i, a in zip(self._given, args)}
        twice = given.keys() & named.keys()
        if twice:
            raise TypeError(f"input '{min(twice)}' is given twice")
        made = list(self.run({**given, **named}).values())
        return made[0] if len(made) == 1 else tuple(made)

    def run(
        self, inputs: Mapping[str, Any], out: Optional[Mapping[str, numpy.ndarray]] = None
    ) -> Dict[str, numpy.ndarray]:
        """Runs the model on arrays by their names and returns its outputs by theirs. The number of rows of a bounded dimension follows from
        the arrays; where it does not, it is an input by the dimension's name. Outputs are new arrays, or those of `out`, which are
        dense, of the output's type and shape, and no inputs."""
        said = {name: int(value) for name, value in inputs.items() if name in self._said}
        arrays = self._arrays({name: v for name, v in inputs.items() if name not in said})
        variant = self._choose(arrays)
        with self._lock:
            self._check_open()
            rows = _rows.solve(self._library, arrays, said, self._kept_rows())
            table = self._library.tables[variant]
            kept = self._bind_inputs(table, arrays, rows)
            results = self._bind_outputs(table, kept, out or {})
            self._run(variant)
            return {
                self._library.outputs[k].name: self._trim(k, results) for k in self._made
            }

    def _arrays(self, inputs: Mapping[str, Any]) -> Dict[int, numpy.ndarray]:
        for name in inputs:
            if name not in self._index:
                known = ", ".join(f"'{n}'" for n in [*self._index, *self._said])
                raise TypeError(f"there is no input '{name}'; the model takes {known}")
        for name in self._index:
            if name not in inputs:
                raise TypeError(f"input '{name}' is missing")
        return {
            self._index[name]: _ports.as_array(self._library.inputs[self._index[name]], value)
            for name, value in inputs.items()
        }

    def _choose(self, arrays: Mapping[int, numpy.ndarray]) -> int:
        """The first variant that takes arrays of these shapes."""
        ports = self._library.inputs
        for k in range(len(self._library.tables)):
            if all(_ports.fits(a.shape, ports[i].shapes[k], ports[i].bounds) for i, a in arrays.items()):
                return k
        for i, array in arrays.items():
            if not any(_ports.fits(array.shape, s, ports[i].bounds) for s in ports[i].shapes):
                wanted = " or ".join(
                    str(list(s)) for s in dict.fromkeys(ports[i].shapes)
                )
                most = ", or less along axis " + ", ".join(map(str, ports[i].bounds)) if ports[i].bounds else ""
                raise ValueError(
                    f"input '{ports[i].name}' takes the shape {wanted}{most}, not {list(array.shape)}"
                )
        raise ValueError(f"none of the variants {', '.join(self.variants)} takes inputs of these shapes together")

    def _kept_rows(self) -> Dict[int, int]:
        return {d: int(self._state_memory(k, numpy.dtype("int64"), ())) for d, k in self._counting.items()}

    def _bind_inputs(
        self, table: _table.Model, arrays: Mapping[int, numpy.ndarray], rows: List[int]
    ) -> List[numpy.ndarray]:
        kept = []
        for i, array in arrays.items():
            shape = tuple(table.inputs[i].dims[: table.inputs[i].rank])
            kept.append(_ports.in_place(array, shape))
            self._in[i] = kept[-1].ctypes.data
        told = numpy.array(rows, numpy.int64)
        for d in range(table.n_dimensions):
            if d not in self._counting:
                self._in[table.n_inputs + d] = told.ctypes.data + d * told.itemsize
        return kept + [told]

    def _bind_outputs(
        self, table: _table.Model, inputs: List[numpy.ndarray], out: Mapping[str, numpy.ndarray]
    ) -> Dict[int, numpy.ndarray]:
        for name in out:
            if name not in self._out_index:
                raise TypeError(f"there is no output '{name}'")
        results = {}
        for k in range(table.n_outputs):
            if k in self._library.state_outputs:
                continue
            port = self._library.outputs[k]
            shape = tuple(table.outputs[k].dims[: table.outputs[k].rank])
            array = out.get(port.name) if k in self._made else None
            if array is None:
                array = numpy.empty(shape, port.dtype)
            elif not _is_place(array, port, shape) or any(
                numpy.may_share_memory(array, other) for other in [*inputs, *results.values()]
            ):
                raise ValueError(
                    f"out: '{port.name}' is written into a dense array of {_ports.type_name(port)} and shape {list(shape)} "
                    "that shares no memory with others"
                )
            results[k] = array
            self._out[k] = array.ctypes.data
        return results

    def _run(self, variant: int) -> None:
        table, context = self._library.table, self._context.context.address
        if variant != self._variant:
            status = table.select(context, variant)
            if status:
                raise _failure(table, context, "select", status)
            self._variant = variant
        status = table.run(context, self._in, self._out)
        if status:
            raise _failure(table, context, "run", status)

    def _trim(self, output: int, results: Mapping[int, numpy.ndarray]) -> numpy.ndarray:
        """The rows that count."""
        array = results[output]
        for count in self._library.counts:
            if count.output == output:
                n = int(results[count.count].reshape(()))
                array = array[(slice(None),) * count.axis + (slice(n),)]
        return array

    # --- states -------------------------------------------------------------------------------------------------------

    def reset(self) -> None:
        """Sets all states to 0, as they are in a new net."""
        with self._lock:
            self._check_open()
            if self._library.states:
                self._library.table.reset(self._context.context.address)

    def states(self) -> Dict[str, numpy.ndarray]:
        """Copies of what the next run reads, by the names of the inputs that they were; of states that grow, the rows that are there."""
        with self._lock:
            self._check_open()
            return {
                self._library.inputs[i].name: self._state(i, k)[self._state_rows(i)].copy()
                for i, k in self._library.state_inputs.items()
                if i < self._library.table.n_inputs
            }

    def set_states(self, states: Mapping[str, Any]) -> None:
        """Has the next run read these, as `states` returned them or other arrays of that shape. States that are not named stay as they are."""
        ports = {p.name: i for i, p in enumerate(self._library.inputs) if i in self._library.state_inputs}
        for name in states:
            if name not in ports:
                raise TypeError(f"there is no state '{name}'")
        arrays = {ports[n]: _ports.as_array(self._library.inputs[ports[n]], v) for n, v in states.items()}
        with self._lock:
            self._check_open()
            rows = self._new_rows(arrays)
            for i, array in arrays.items():
                memory = self._state(i, self._library.state_inputs[i])
                memory[tuple(slice(n) for n in array.shape)] = array
            for k, n in rows.items():
                self._state_memory(k, numpy.dtype("int64"), ())[...] = n

    def _new_rows(self, arrays: Mapping[int, numpy.ndarray]) -> Dict[int, int]:
        """The number of rows that go with them, by the numbers of the states that say so; all that share a dimension have as many."""
        rows: Dict[int, int] = {}
        for i, array in arrays.items():
            port, shape = self._library.inputs[i], self._state_shape(i)
            if not _ports.fits(array.shape, shape, port.bounds):
                raise ValueError(f"state '{port.name}' has the shape {list(shape)}, not {list(array.shape)}")
            for bound in self._library.bounds:
                if bound.input != i:
                    continue
                n = array.shape[bound.axis]
                k = self._counting[bound.dimension]
                if n > bound.most or rows.setdefault(k, n) != n:
                    raise ValueError(
                        f"state '{port.name}' has {n} rows: at most {bound.most}, and as many as the others that share "
                        f"'{self._library.dimensions[bound.dimension]}'"
                    )
        for k, n in rows.items():
            self._refuse_torn(arrays, k, n)
        return rows

    def _refuse_torn(self, arrays: Mapping[int, numpy.ndarray], k: int, n: int) -> None:
        """States that stay must not get another number of rows from those that are set."""
        if n == int(self._state_memory(k, numpy.dtype("int64"), ())):
            return
        for bound in self._library.bounds:
            is_state = bound.input in self._library.state_inputs
            if is_state and self._counting.get(bound.dimension) == k and bound.input not in arrays:
                raise ValueError(
                    f"state '{self._library.inputs[bound.input].name}' has another number of rows than {n}: set it as well"
                )

    def _state_shape(self, i: int) -> Tuple[int, ...]:
        tensor = self._library.table.inputs[i]
        return tuple(tensor.dims[: tensor.rank])

    def _state_rows(self, i: int) -> Tuple[slice, ...]:
        rows = list(self._state_shape(i))
        kept = self._kept_rows()
        for bound in self._library.bounds:
            if bound.input == i:
                rows[bound.axis] = kept[bound.dimension]
        return tuple(slice(n) for n in rows)

    def _state(self, i: int, k: int) -> numpy.ndarray:
        return self._state_memory(k, self._library.inputs[i].dtype, self._state_shape(i))

    def _state_memory(self, k: int, dtype: numpy.dtype, shape: Tuple[int, ...]) -> numpy.ndarray:
        """Where a state stands, until the next run."""
        size = int(numpy.prod(shape, dtype=numpy.int64)) * dtype.itemsize
        address = self._library.table.state(self._context.context.address, k)
        if not size:
            return numpy.empty(shape, dtype)
        memory = (ctypes.c_char * size).from_address(address)
        return numpy.frombuffer(memory, dtype).reshape(shape)

    # --- its life -----------------------------------------------------------------------------------------------------

    def clone(self, *, threads: Optional[int] = None) -> "Net":
        """A net of the same model and weights, with memory and states of its own: one for each thread."""
        return Net(self._library, threads=self._threads if threads is None else threads)

    def _check_open(self) -> None:
        if not self._context.is_open:
            raise ValueError("the net is closed")

    def close(self) -> None:
        """Gives back what the net holds. It cannot be run any more."""
        with self._lock:
            self._finalizer()
            self._context.workspace = self._context.fallback = None  # type: ignore[assignment]

    def __enter__(self) -> "Net":
        return self

    def __exit__(self, *_: object) -> None:
        self.close()


def _is_place(array: Any, port: Port, shape: Tuple[int, ...]) -> bool:
    return (
        isinstance(array, numpy.ndarray)
        and array.dtype == port.dtype
        and array.shape == shape
        and array.flags.c_contiguous
        and array.flags.aligned
        and array.flags.writeable
    )
