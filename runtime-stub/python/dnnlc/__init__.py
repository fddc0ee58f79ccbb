"""Compiles ONNX models to native code, and runs them on numpy arrays.

    import dnnlc
    net = dnnlc.compile("model.onnx", dims={"batch": 1})
    y = net(x)

What was compiled is kept in a cache, so that the second time takes no compiler. The chapter "Python" of dnnlc's book has more.
"""

from ._cache import clear_cache
from ._compiler import compile  # noqa: A004 (the module's own word for it)
from ._errors import CompileError, Error, RunError
from ._library import load
from ._net import Net
from ._ports import Port

__all__ = ["CompileError", "Error", "Net", "Port", "RunError", "clear_cache", "compile", "load"]
__version__ = "0.1.0"
