"""The package as it is shipped: a wheel, and what it knows of dnnlc_main.h and the compiler's version."""

import importlib.util
import os
import subprocess
import sys

import dnnlc
from dnnlc import _table
from support import CACHE, DIGITS, TOP, Case, compile, path

PACKAGE = os.path.join(TOP, "runtime-stub", "python")


class Package(Case):
    def test_tables_are_those_of_the_header(self):
        subprocess.run([sys.executable, os.path.join(TOP, "tests", "python", "tables.py")], check=True)

    def test_version(self):
        said = subprocess.run([os.environ["DNNLC"], "--version"], check=True, capture_output=True, text=True).stdout
        self.assertTrue(said.startswith(f"dnnlc {dnnlc.__version__}, "))

    def test_another_version_of_the_tables(self):
        net = compile(DIGITS)
        self.addCleanup(setattr, _table, "VERSION", _table.VERSION)
        _table.VERSION += 1
        self.refuses(dnnlc.Error, "written by another version of dnnlc than this package is for", dnnlc.load, net.info["path"])

    def test_wheel(self):
        for module in ("pip", "setuptools", "wheel"):
            if not importlib.util.find_spec(module):
                self.skipTest(f"the wheel, as {module} is not installed")
        source, wheels, target = path("source"), path("wheels"), path("target")
        subprocess.run(["cp", "-r", PACKAGE, source], check=True)  # builds leave files there
        alone = {k: v for k, v in os.environ.items() if k != "PYTHONPATH"}
        pip = [sys.executable, "-m", "pip", "--quiet", "--disable-pip-version-check", "--no-cache-dir"]
        offline = ["--no-index", "--no-deps"]
        for words in (
            ["wheel", "--no-build-isolation", *offline, "-w", wheels, source],
            ["install", *offline, "--target", target, os.path.join(wheels, f"dnnlc-{dnnlc.__version__}-py3-none-any.whl")],
        ):
            subprocess.run([*pip, *words], check=True, env=alone, stderr=subprocess.STDOUT, stdout=subprocess.PIPE)
        self.assertTrue(os.path.exists(os.path.join(target, "dnnlc", "py.typed")))
        script = (
            "import sys, numpy, dnnlc; assert dnnlc.__file__.startswith(sys.argv[1]);"
            "print(dnnlc.compile(sys.argv[2], target='c', cache=sys.argv[3])(numpy.zeros((1, 1, 28, 28), 'f4')).shape)"
        )
        ran = subprocess.run(
            [sys.executable, "-c", script, target, DIGITS, CACHE], env={**alone, "PYTHONPATH": target},
            check=True, capture_output=True, text=True,
        )  # fmt: skip
        self.assertEqual(ran.stdout, "(1, 10)\n")
