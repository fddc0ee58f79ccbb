"""What is kept: when a model is compiled again and when not; what becomes of damage; several processes; what is refused."""

import io
import logging
import os
import re
import shutil
import subprocess
import sys
import threading

import numpy

import dnnlc
from dnnlc import _cache, _compiler
import onnx_bytes
from support import DIGITS, TOP, Case, path, write

RELU = 'graph "g" {\n input %x: f32[3]\n %y = Relu(%x)\n output "y" = %y\n}\n'
X = numpy.array([-1, 2, -3], numpy.float32)


class Cache(Case):
    def setUp(self):
        self.folder = path("own", self.id())
        self.calls = []
        original = _compiler._make

        def counting(*args):
            self.calls.append(args[0])
            return original(*args)

        _compiler._make = counting
        self.addCleanup(setattr, _compiler, "_make", original)

    def compile(self, model, **options):
        """How many times the compiler ran, and the net."""
        before = len(self.calls)
        net = dnnlc.compile(model, **{"target": "c", "cache": self.folder, **options})
        return len(self.calls) - before, net

    def entries(self):
        return [name for name in os.listdir(self.folder) if not name.startswith("lock-")]

    def test_hits_and_misses(self):
        model = write("hits/relu.ir", RELU)
        self.assertEqual(self.compile(model)[0], 1)
        self.assertEqual(self.compile(model)[0], 0)
        shutil.copytree(path("hits"), path("moved"))
        self.assertEqual(self.compile(path("moved", "relu.ir"))[0], 0)
        self.assertEqual(self.compile(model, options=["--denormals", "keep"])[0], 1)
        write("hits/relu.ir", RELU.replace("Relu", "Neg"))
        n, net = self.compile(model)
        self.assertEqual((n, net(X).tolist()), (1, [1, -2, 3]))
        os.environ["ONEDNN_SOMETHING"] = "1"
        self.addCleanup(os.environ.pop, "ONEDNN_SOMETHING")
        self.assertEqual(self.compile(model)[0], 1)
        self.assertEqual(len(self.entries()), 4)
        dnnlc.clear_cache(self.folder)
        self.assertEqual(self.entries(), [])
        self.assertEqual(net(X).tolist(), [1, -2, 3])

    def test_files_that_options_name(self):
        model = write("named/relu.ir", RELU)
        patterns = write("named/patterns", "")
        options = {"options": ["--patterns", patterns]}
        self.assertEqual([self.compile(model, **options)[0] for _ in range(2)], [1, 0])
        write("named/patterns", "\n")
        self.assertEqual([self.compile(model, **options)[0] for _ in range(2)], [1, 0])

    def test_external_data(self):
        """Models whose main files are alike, with weights beside them."""
        answers = []
        for name, byte in (("a", 0x3F), ("b", 0x40)):
            folder = path("external", name)
            os.makedirs(folder)
            with open(os.path.join(folder, "model.onnx"), "wb") as file:
                file.write(onnx_bytes.model("Add", None, "weights"))
            with open(os.path.join(folder, "weights"), "wb") as file:
                file.write(bytes([0, 0, 0x80, byte]) * 3)
            for expected in (1, 0):
                n, net = self.compile(os.path.join(folder, "model.onnx"))
                self.assertEqual(n, expected)
            answers.append(net(numpy.ones(3, "f4")).tolist())
        self.assertEqual(answers, [[2, 2, 2], [5, 5, 5]])
        self.assertEqual(self.compile(path("external", "a", "model.onnx"))[0], 0)

    def test_bytes_and_bound_arrays(self):
        with open(DIGITS, "rb") as file:
            model = file.read()
        image = numpy.zeros((1, 1, 28, 28), numpy.float32)
        n, net = self.compile(io.BytesIO(model), bind={"image": image})
        again, _ = self.compile(bytearray(model), bind={"image": image.copy()})
        self.assertEqual((n, again), (1, 0))
        self.assertEqual(net.inputs, ())
        self.assertEqual(net().shape, (1, 10))
        numpy.save(path("image.npy"), image)
        self.assertEqual([self.compile(model, bind={"image": path("image.npy")})[0] for _ in range(2)], [1, 0])
        numpy.save(path("image.npy"), image + 1)
        self.assertEqual(self.compile(model, bind={"image": path("image.npy")})[0], 1)

    def test_damage(self):
        model = write("damage/relu.ir", RELU)
        net = self.compile(model)[1]
        library = net.info["path"]
        record = os.path.join(os.path.dirname(library), _cache.RECORD)
        for file, damage in (
            (library, lambda data: data[:-100]),
            (library, lambda data: data[:5000] + bytes([data[5000] ^ 1]) + data[5001:]),
            (record, lambda data: data[:20]),
            (record, lambda data: b"[]"),
            (record, None),
            (library, None),
        ):
            if damage is None:
                os.remove(file)
            else:
                with open(file, "rb") as old:
                    data = damage(old.read())
                os.remove(file)  # what is loaded stays
                with open(file, "wb") as new:
                    new.write(data)
            n, net = self.compile(model)
            self.assertEqual((n, net(X).tolist()), (1, [0, 2, 0]))
            self.assertEqual(self.compile(model)[0], 0)
        self.assertEqual(len(self.entries()), 1)

    def test_the_oldest_go(self):
        os.environ["DNNLC_PYTHON_CACHE_MIB"] = "0"
        self.addCleanup(os.environ.pop, "DNNLC_PYTHON_CACHE_MIB")
        nets = [self.compile(write(f"old/{n}.ir", RELU.replace("[3]", f"[{n}]")))[1] for n in (3, 4)]
        self.assertEqual(len(self.entries()), 1)
        self.assertEqual(self.compile(path("old/4.ir"))[0], 0)
        self.assertEqual(nets[0](X).tolist(), [0, 2, 0])

    def test_several_processes(self):
        model = write("several/relu.ir", RELU)
        script = (
            "import sys, dnnlc; from dnnlc import _compiler; make = _compiler._make\n"
            "_compiler._make = lambda *args: (print('made'), make(*args))[1]\n"
            "print(dnnlc.compile(sys.argv[1], target='c', cache=sys.argv[2])([-1, 2, -3]).tolist())"
        )
        command = [sys.executable, "-c", script, model, self.folder]
        running = [subprocess.Popen(command, stdout=subprocess.PIPE, text=True) for _ in range(4)]
        said = [process.communicate()[0] for process in running]
        self.assertEqual("".join(sorted("".join(said).splitlines(True))), "[0.0, 2.0, 0.0]\n" * 4 + "made\n")
        self.assertEqual(len(self.entries()), 1)

    def test_several_threads(self):
        model = write("threads/relu.ir", RELU)
        made = []
        running = [threading.Thread(target=lambda: made.append(self.compile(model)[1](X).tolist())) for _ in range(4)]
        for thread in running:
            thread.start()
        for thread in running:
            thread.join()
        self.assertEqual((made, len(self.calls)), ([[0, 2, 0]] * 4, 1))

    def test_what_is_refused(self):
        model = write("refused/relu.ir", RELU)
        broken = write("refused/broken.ir", RELU.replace("Relu", "Rely"))
        error = self.refuses(dnnlc.CompileError, "broken.ir:3:", self.compile, broken)
        self.assertEqual(error.status, 1)
        error = self.refuses(dnnlc.CompileError, "--isa", self.compile, model, isa="none")
        self.assertEqual(self.entries(), [])
        self.assertEqual(self.refuses(dnnlc.CompileError, "--passez", self.compile, model, options=["--passez"]).status, 2)
        self.refuses(ValueError, "options: --name is not for here", self.compile, model, options=["--name=x"])
        self.refuses(ValueError, "options: with --emit there is nothing that could be run", self.compile, model, options=["--emit", "dot"])
        self.refuses(TypeError, "options is a list of words", self.compile, model, options="--no-winograd")
        self.refuses(FileNotFoundError, "none.onnx: there is no such model", self.compile, "none.onnx")
        self.refuses(FileNotFoundError, "/none: there is no such compiler", self.compile, model, tool="/none")
        tool = write("refused/tool", "#!/bin/sh\nexit 3\n")
        os.chmod(tool, 0o755)
        self.assertEqual(self.refuses(dnnlc.CompileError, "has ended with status 3", self.compile, model, tool=tool).status, 3)

    def test_the_build_fails(self):
        """A C compiler that refuses says so in its own words; a Ninja that is not there is missed by name."""
        model = write("builds/relu.ir", RELU)
        folder = path("builds", "bin")
        os.makedirs(folder)
        gcc = write("builds/bin/gcc", "#!/bin/sh\necho \"model.c:1: error: it does not like this\" >&2\nexit 1\n")
        os.chmod(gcc, 0o755)
        before = os.environ["PATH"]
        self.addCleanup(os.environ.__setitem__, "PATH", before)
        os.environ["PATH"] = folder + os.pathsep + before
        error = self.refuses(dnnlc.CompileError, "model.c:1: error: it does not like this", self.compile, model)
        self.assertIn("FAILED", error.output)
        os.environ["PATH"] = folder
        self.refuses(dnnlc.CompileError, "build: ninja: No such file", self.compile, model)
        os.environ.pop("DNNLC")
        self.addCleanup(os.environ.__setitem__, "DNNLC", os.path.join(TOP, "build", "dnnlc"))
        self.refuses(FileNotFoundError, "dnnlc is not in PATH", self.compile, model)

    def test_notes(self):
        with self.assertLogs("dnnlc", logging.INFO) as logs:
            self.compile(os.path.join(TOP, "tests", "emitted", "decoder.ir"), states=True)
        self.assertTrue(re.search("past_k", "".join(logs.output)))

    def test_a_model_that_changes_meanwhile(self):
        model, patterns = write("changing/relu.ir", RELU), write("changing/patterns", "")
        original = _compiler._call

        def slow(command, doing):
            said = original(command, doing)
            os.utime(patterns, (2**31, 2**31))
            return said

        _compiler._call = slow
        self.addCleanup(setattr, _compiler, "_call", original)
        self.refuses(dnnlc.CompileError, "patterns: has changed while it was compiled", self.compile, model, options=["--patterns", patterns])
        self.assertEqual(self.entries(), [])
