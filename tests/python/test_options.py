"""The arguments of compile(): an ONNX model with open dimensions becomes one of a size, of several, or bounded; and what is exported."""

import os
import shutil
import subprocess

import numpy

import dnnlc
import onnx_bytes
from support import Case, compile, path

STRICT = "-Wall -Wextra -Wpedantic -Wconversion -Wsign-conversion -Wshadow -Wfloat-equal -Wcast-align -Werror".split()
X = numpy.arange(12, dtype=numpy.float32).reshape(4, 3)


def add(weights=(1, 2, 3)):
    """x + w, where x is f32[batch,3]."""
    return onnx_bytes.model("Add", "batch", weights)


class Options(Case):
    def test_one_size(self):
        net = compile(add(), dims={"batch": 4})
        self.assertEqual(net.inputs[0].shape, (4, 3))
        self.assertEqual(net.info["name"], "net")
        self.same(net(X), X + numpy.array([1, 2, 3], "f4"))
        self.assertEqual(compile(add()).inputs[0].shape, (1, 3))
        self.assertEqual(compile(add(), shapes={"x": (2, 3)}).inputs[0].shape, (2, 3))

    def test_several_sizes(self):
        for net in (compile(add(), dims={"batch": [1, 4]}), compile(add(), shapes={"x": [(1, 3), (4, 3)]})):
            self.assertEqual(len(net.variants), 2)
            for x in (X, X[:1], X):
                self.same(net(x), x + numpy.array([1, 2, 3], "f4"))
            self.refuses(ValueError, "input 'x' takes the shape [1, 3] or [4, 3], not [2, 3]", net, X[:2])

    def test_a_bound(self):
        for net in (compile(add(), dims={"batch": "..4"}), compile(add(), shapes={"x": ("..4", 3)})):
            for n in (4, 1, 0, 3):
                self.same(net(X[:n]), X[:n] + numpy.array([1, 2, 3], "f4"))

    def test_a_state(self):
        net = compile(add(), dims={"batch": 1}, states={"y": "x"})
        self.assertEqual((net.inputs, net.outputs), ((), ()))
        for _ in range(3):
            self.assertEqual(net(), ())
        self.assertEqual(net.states()["x"].tolist(), [[3, 6, 9]])

    def test_object_with_bytes(self):
        class Proto:
            def SerializeToString(self):
                return add()

        self.assertEqual(compile(Proto()).inputs[0].shape, (1, 3))
        self.refuses(TypeError, "", compile, 7)
        self.refuses(dnnlc.CompileError, "model.onnx", compile, b"nothing")

    def test_debug(self):
        self.same(compile(add(), dims={"batch": 4}, options=["--debug"])(X), X + numpy.array([1, 2, 3], "f4"))


class Shared(Case):
    def test_one_function_is_shown(self):
        """Nothing of another oneDNN or C++ library in the process is used, be it strong or weak."""
        for target in ("c", "dnnl"):
            net = dnnlc.compile(os.path.join("samples", "digits", "digits.onnx"), target=target)
            said = subprocess.run(["nm", "-D", net.info["path"]], check=True, capture_output=True, text=True).stdout
            symbols = [line.split()[-2:] for line in said.splitlines()]
            self.assertEqual([name for kind, name in symbols if kind not in "Uw"], ["net_model"])
            elsewhere = [name for kind, name in symbols if kind in "Uw" and not name.startswith(("__", "_ITM_"))]
            self.assertEqual([name for name in elsewhere if "@" not in name or "dnnl" in name or name.startswith("_Z")], [])

    def test_no_warnings(self):
        for compiler in ("gcc", "clang"):
            if not shutil.which(compiler):
                self.skipTest(f"{compiler} is not installed")
            for name, model_file in (("variants", "sizes.ir"), ("states", "decoder.ir")):
                folder = path(f"strict-{name}")
                command = [os.environ["DNNLC"], os.path.join("tests", "emitted", model_file), "-q", "-o", folder, "--name", "m", "--target", "c"]
                subprocess.run(command, check=True)
                words = [compiler, "-std=c99", "-DDNNLC_SHARED", "-fPIC", "-fvisibility=hidden", *STRICT]
                subprocess.run([*words, "-c", os.path.join(folder, "m_main.c"), "-o", path("object.o")], check=True)
