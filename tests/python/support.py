"""What the tests of the Python package share: models that are compiled once, and the executables that they are compared with."""

import os
import subprocess
import unittest

import numpy

import dnnlc

TOP = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
WORK = os.environ["DNNLC_TEST_FOLDER"]
CACHE = os.path.join(WORK, "xdg", "dnnlc", "python")  # where it is by itself
DIGITS = os.path.join(TOP, "samples", "digits", "digits.onnx")


def path(*words):
    """Below the test's folder."""
    return os.path.join(WORK, *words)


def write(name, text):
    """A model as text."""
    os.makedirs(os.path.dirname(path(name)), exist_ok=True)
    with open(path(name), "w", encoding="utf-8") as file:
        file.write(text)
    return path(name)


def compile(model, **options):
    return dnnlc.compile(model, **{"target": "c", **options})


def emitted(model, *options, target="c"):
    """The executable of a model, built once for all tests that want it."""
    folder = path("emitted", "_".join([os.path.basename(model), target, *options]).replace("/", "_"))
    if not os.path.exists(os.path.join(folder, "m")):
        command = [os.environ["DNNLC"], model, "-q", "-o", folder, "--name", "m", "--target", target, *options]
        subprocess.run(command, check=True)
        subprocess.run(["ninja", "--quiet", "-C", folder, "m"], check=True, stdout=subprocess.DEVNULL)
    return os.path.join(folder, "m")


def run_emitted(program, inputs):
    """The outputs of an executable, for arrays by their names, read from its files."""
    words = []
    for k, (name, array) in enumerate(inputs.items()):
        numpy.save(path(f"in_{k}.npy"), array)
        words += ["--input", f"{name}={path(f'in_{k}.npy')}"]
    out = path("out")
    subprocess.run(["rm", "-rf", out], check=True)
    subprocess.run([program, *words, "--output-dir", out], check=True, stdout=subprocess.DEVNULL)
    names = sorted(os.listdir(out), key=lambda name: int(name[len("output_") : -len(".npy")]))
    return [numpy.load(os.path.join(out, name)) for name in names]


def random(shape, dtype="float32", seed=1):
    """Numbers of any type, the same ones each time."""
    made = numpy.random.default_rng(seed).normal(0, 2, shape)
    return (made > 0) if dtype == "bool" else numpy.abs(made * 20).astype(dtype) if numpy.dtype(dtype).kind == "u" else made.astype(dtype)


class Case(unittest.TestCase):
    def same(self, got, wanted):
        """The same type, shape and bits."""
        self.assertEqual(got.dtype, wanted.dtype)
        self.assertEqual(got.shape, wanted.shape)
        self.assertEqual(got.tobytes(), wanted.tobytes())

    def refuses(self, kind, words, call, *args, **named):
        """An exception of this kind, whose text has these words, in one line."""
        with self.assertRaises(kind) as caught:
            call(*args, **named)
        self.assertIn(words, str(caught.exception))
        self.assertNotIn("\n", str(caught.exception))
        return caught.exception
