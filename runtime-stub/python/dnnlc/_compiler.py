"""From a model to what runs it: by dnnlc and Ninja, or from the cache."""

from __future__ import annotations

import contextlib
import functools
import glob
import io
import logging
import os
import platform
import re
import shutil
import subprocess
import tempfile
import time
from typing import Any, Dict, List, Mapping, Optional, Sequence, Tuple, Union

import numpy

from ._cache import Cache, Read, hash_file, hash_words
from ._errors import CompileError
from ._library import Library
from ._net import Net

logger = logging.getLogger("dnnlc")

Size = Union[int, str]
NAME = "net"  # what is emitted is called so, whatever the model's file is
# Options that are the package's own, or with which nothing is built.
OWN = ("-o", "--name", "--depfile", "--target", "--threads", "--isa", "--precision", "--dim", "--shape", "--bind", "--state")
NOT_BUILT = (
    "--emit", "--stop-after", "--amalgamate", "--replace-weights", "--completion", "--help", "--version",
    "--list-patterns", "--list-operators", "--measure-machine", "--cc", "--no-pie",
)


def find_tool(tool: "Optional[str | os.PathLike[str]]" = None) -> str:
    """The compiler's path: `tool`, or $DNNLC, or dnnlc where commands are found."""
    for said in (tool and os.fspath(tool), os.environ.get("DNNLC")):
        if said:
            path = shutil.which(said)
            if not path:
                raise FileNotFoundError(f"{said}: there is no such compiler, or it cannot be run")
            return os.path.abspath(path)
    path = shutil.which("dnnlc")
    if not path:
        raise FileNotFoundError("dnnlc is not in PATH; $DNNLC or the argument `tool` can say where it is")
    return os.path.abspath(path)


# --- the command line -------------------------------------------------------------------------------------------------


def _sizes(value: Any) -> str:
    """4, "..512", or several: [1, 4]."""
    if isinstance(value, (int, str, numpy.integer)):
        return str(value)
    return ",".join(str(v) for v in value)


def _shapes(value: Any) -> str:
    """(1, 3, 224, 224), (1, "..128"), "absent", or a list of such shapes."""
    if isinstance(value, str):
        return value
    if isinstance(value, list) and value and not isinstance(value[0], (int, str, numpy.integer)):
        return ",".join(_shapes(shape) for shape in value)
    return "x".join(str(n) for n in value)


def _frozen(name: str, value: Any, made: str, number: int) -> Tuple[str, List[str]]:
    """An input that becomes a constant, as --bind has it, and what a key has of it: of a file its name, whose contents are looked at as
    those of all files that are read; of an array, which is written into a file, the contents."""
    if isinstance(value, (str, os.PathLike)):
        path = os.path.abspath(os.fspath(value))
        return f"{name}={path}", [name, path]
    path = os.path.join(made, f"{number}.npy")
    numpy.save(path, numpy.asarray(value), allow_pickle=False)
    return f"{name}={path}", [name, hash_file(path)]


def _check_options(options: Sequence[str]) -> None:
    if isinstance(options, str):
        raise TypeError("options is a list of words, not one string")
    for word in options:
        name = word.split("=")[0]
        if name in OWN:
            raise ValueError(f"options: {name} is not for here; compile() has an argument for it, or says it itself")
        if name in NOT_BUILT:
            raise ValueError(f"options: with {name} there is nothing that could be run")


def _line(
    dims: Optional[Mapping[str, Any]],
    shapes: Optional[Mapping[str, Any]],
    states: "Optional[bool | Mapping[str, str]]",
    target: str,
    options: Sequence[str],
) -> List[str]:
    _check_options(options)
    line = ["--target", target]
    for name, size in (dims or {}).items():
        line += ["--dim", f"{name}={_sizes(size)}"]
    for name, shape in (shapes or {}).items():
        line += ["--shape", f"{name}={_shapes(shape)}"]
    pairs = states.items() if isinstance(states, Mapping) else ()
    for output, name in pairs:
        line += ["--state", f"{output}={name}"]
    if states is True:
        line += ["--state", "auto"]
    return [*line, *options]


# --- what a result depends on -----------------------------------------------------------------------------------------


def _stamp(path: str) -> List[Any]:
    """A large file that is replaced, not edited."""
    path = os.path.realpath(path)
    try:
        status = os.stat(path)
    except OSError:
        return [path]
    return [path, status.st_size, status.st_mtime_ns, status.st_ino]


@functools.lru_cache(maxsize=None)
def _hash_tool(path: str, *_stamp_of_it: Any) -> str:
    return hash_file(path)


@functools.lru_cache(maxsize=None)
def _cpu() -> Tuple[str, ...]:
    """What --isa native and oneDNN's choices go by: the CPU and its caches, and how many there are."""
    wanted = ("vendor_id", "cpu family", "model", "model name", "stepping", "flags", "Features")
    words = [platform.machine(), str(os.cpu_count())]
    with contextlib.suppress(OSError), open("/proc/cpuinfo", encoding="utf-8", errors="replace") as file:
        for line in file.read().split("\n\n")[0].splitlines():
            if line.split("\t")[0].split(":")[0].strip() in wanted:
                words.append(line)
    for path in sorted(glob.glob("/sys/devices/system/cpu/cpu0/cache/index*/size")):
        with contextlib.suppress(OSError), open(path, encoding="utf-8") as file:
            words.append(file.read())
    return tuple(words)


def _onednn() -> str:
    """The library that the emitted build file links, found as it finds it."""
    base = os.environ.get("XDG_CACHE_HOME") or os.path.join(os.path.expanduser("~"), ".cache")
    folder = os.environ.get("DNNLC_ONEDNN") or os.path.join(base, "dnnlc", "onednn")
    packaged = "/usr/lib/dnnlc/onednn"
    if not os.environ.get("DNNLC_ONEDNN") and not os.path.exists(folder) and os.path.exists(packaged):
        folder = packaged
    return os.path.join(folder, "lib", "libdnnl.a")


def _surroundings(tool: str, target: str) -> Dict[str, Any]:
    tool_stamp = _stamp(tool)
    cc = shutil.which("gcc")
    prefixes = ("DNNLC_", "DNNL_", "ONEDNN_", "OMP_", "GOMP_")
    return {
        "tool": _hash_tool(*tool_stamp),
        "cpu": _cpu(),
        "cc": _stamp(cc) if cc else None,
        "onednn": _stamp(_onednn()) if target == "dnnl" else None,
        "environment": sorted(
            (k, v) for k, v in os.environ.items() if k.startswith(prefixes) and k != "DNNLC_PYTHON_CACHE_MIB"
        ),
    }


def _rule_names(text: str) -> List[str]:
    """The files behind the colon of a rule for Make."""
    words = re.findall(r"(?:\\[ #\\:]|\$\$|\\(?!\n)|[^\s\\])+", text.replace("\\\n", "\n"))
    names = [re.sub(r"\\([ #\\:])", r"\1", w).replace("$$", "$") for w in words]
    return names[1:]


# --- compilation ------------------------------------------------------------------------------------------------------


def _call(command: List[str], doing: str) -> str:
    """What a command says to standard error; an exception with the line that says why if it fails."""
    try:
        done = subprocess.run(command, stdin=subprocess.DEVNULL, capture_output=True, check=False)
    except OSError as error:
        raise CompileError(f"{doing}: {command[0]}: {error.strerror}") from error
    said, notes = (text.decode("utf-8", "replace") for text in (done.stdout, done.stderr))
    if done.returncode == 0:
        return notes
    lines = [line for line in (said + notes).splitlines() if line.strip()]
    errors = [line for line in lines if "error" in line] if doing == "build" else []
    line = (errors or lines[-1:] or [f"{command[0]} has ended with status {done.returncode}"])[0]
    raise CompileError(re.sub(r"^dnnlc: ", "", line), done.returncode, said + notes)


def _read_files(rule: str, model: str, made: str, began: float) -> List[Read]:
    """All that was read but for what the key has: the model itself, and files that were made for arguments."""
    with open(rule, encoding="utf-8", errors="surrogateescape") as file:
        names = _rule_names(file.read())
    model = os.path.realpath(model)
    own = os.path.realpath(made) + os.sep
    folder = None if model.startswith(own) else os.path.dirname(model)
    paths = [os.path.realpath(name) for name in names]
    changed = [path for path in paths if os.stat(path).st_mtime > began]
    if changed:
        raise CompileError(f"{changed[0]}: has changed while it was compiled")
    return [Read.of(path, folder) for path in paths if path != model and not path.startswith(own)]


def _make(
    command: List[str], cache: Cache, key: str, work: str, model: str, made: str, jobs: Optional[int]
) -> str:
    out, rule, began = os.path.join(work, "out"), os.path.join(work, "read.d"), time.time()
    notes = _call([*command, "-o", out, "--name", NAME, "--depfile", rule], "compile")
    for line in notes.splitlines():
        logger.info("%s", line)
    reads = _read_files(rule, model, made, began)
    _call(["ninja", "-C", out, *(["-j", str(jobs)] if jobs else []), f"lib{NAME}.so"], "build")
    files = [f"lib{NAME}.so"]
    if os.path.exists(os.path.join(out, f"{NAME}_weights.bin")) and not os.path.exists(os.path.join(out, f"{NAME}_weights.S")):
        files.append(f"{NAME}_weights.bin")  # --weights file: it is not part of the library
    return cache.put(key, out, files, reads, notes)


def _model_file(model: Any, work: str) -> Tuple[str, bool]:
    """A path, whatever the model was given as; and whether it is ours."""
    if hasattr(model, "SerializeToString"):
        model = model.SerializeToString()
    if isinstance(model, io.BytesIO):
        model = model.getvalue()
    if isinstance(model, (bytes, bytearray, memoryview)):
        path = os.path.join(work, "model.onnx")
        with open(path, "wb") as file:
            file.write(model)
        return path, True
    path = os.fspath(model)
    if isinstance(path, bytes):
        path = os.fsdecode(path)
    if not os.path.exists(path):
        raise FileNotFoundError(f"{path}: there is no such model")
    return path, False


def _word(path: str) -> str:
    """A path that is not taken for an option or a subcommand."""
    return path if os.sep in path or path.endswith(".onnx") and path[0] != "-" else os.path.join(".", path)


def compile(
    model: Any,
    *,
    dims: Optional[Mapping[str, "Size | Sequence[Size]"]] = None,
    shapes: Optional[Mapping[str, Any]] = None,
    bind: Optional[Mapping[str, Any]] = None,
    states: "Optional[bool | Mapping[str, str]]" = None,
    target: str = "dnnl",
    threads: Optional[int] = None,
    isa: Optional[str] = None,
    precision: Optional[str] = None,
    options: Sequence[str] = (),
    tool: "Optional[str | os.PathLike[str]]" = None,
    cache: "Optional[str | os.PathLike[str]]" = None,
    jobs: Optional[int] = None,
) -> Net:
    """Compiles an ONNX model, or takes what was compiled before from the cache, and returns it as something to call.

    model: a path, the bytes of a model, or what has SerializeToString(), as onnx.ModelProto does.
    dims: the model's symbolic dimensions: a number; several, [1, 4], for a variant with each; "..512" for at most so many.
    shapes: whole shapes of inputs by name: (1, 3, 224, 224), (1, "..128"), or a list of shapes.
    bind: inputs that become constants, by name: arrays, or .npy or .pb files.
    states: True, or outputs and the inputs that they become in the next run.
    target: "dnnl", by oneDNN, or "c", by C alone. threads, isa, precision: as dnnlc has them, and `options` are more words of its command line.
    tool: the compiler, else $DNNLC or dnnlc in PATH. cache: a folder, else $XDG_CACHE_HOME/dnnlc/python. jobs: how many files are compiled at once.

    CompileError has the line in which dnnlc refuses a model. Its notes go to the logger "dnnlc".
    """
    tool = find_tool(tool)
    store = Cache(os.fspath(cache) if cache is not None else None)
    with tempfile.TemporaryDirectory(prefix="dnnlc-") as made:
        path, is_bytes = _model_file(model, made)
        line = _line(dims, shapes, states, target, options)
        for option, value in (("--threads", threads), ("--isa", isa), ("--precision", precision)):
            line += [] if value is None else [option, str(value)]
        frozen = [_frozen(name, value, made, k) for k, (name, value) in enumerate((bind or {}).items())]
        key = hash_words(
            {
                "form": 1,
                "model": [hash_file(path), os.path.splitext(path)[1]],
                "line": line,
                "bind": [words for _, words in frozen],
                "folder": os.getcwd() if options else "",
                **_surroundings(tool, target),
            }
        )
        folder = None if is_bytes else os.path.dirname(os.path.realpath(path))
        entry = store.find(key, folder)
        if not entry:
            with store.making(key) as work:
                entry = store.find(key, folder)  # another process may have made it meanwhile
                if not entry:
                    bound = [word for argument, _ in frozen for word in ("--bind", argument)]
                    command = [tool, _word(path), *line, *bound]
                    entry = _make(command, store, key, work, path, made, jobs)
        name = NAME if is_bytes else os.path.splitext(os.path.basename(path))[0]
        return Net(Library(os.path.join(entry, f"lib{NAME}.so"), name))
