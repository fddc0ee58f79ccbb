"""samples/python: from PyTorch, where it is there, and without."""

import importlib.util
import os
import re
import subprocess
import sys

from support import TOP, Case

SCRIPT = os.path.join(TOP, "samples", "python", "from_pytorch.py")


class Sample(Case):
    def run_script(self, **environment):
        ran = subprocess.run([sys.executable, SCRIPT], env={**os.environ, **environment}, capture_output=True, text=True, check=False)
        self.assertEqual(ran.returncode, 0, ran.stdout + ran.stderr)
        self.assertRegex(ran.stdout, r"dnnlc [0-9.]+ ms, ")
        return re.findall("batch ([0-9]+): the worst difference from ([A-Za-z ]+) is", ran.stdout)

    def test_with_pytorch(self):
        if not importlib.util.find_spec("torch"):
            self.skipTest("PyTorch is not installed")
        self.assertEqual(self.run_script(), [("1", "PyTorch"), ("8", "PyTorch")])

    def test_without_pytorch(self):
        self.assertEqual(self.run_script(WITHOUT_TORCH="1"), [("1", "portable C")])
