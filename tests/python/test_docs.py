"""What docs/python.md shows as typed says today what stands there."""

import doctest
import os
import shutil

from support import DIGITS, TOP, Case, path


class Docs(Case):
    def test_python_md(self):
        folder = path("docs", "samples", "digits")
        os.makedirs(folder)
        shutil.copy(DIGITS, folder)
        self.addCleanup(os.chdir, os.getcwd())
        os.chdir(path("docs"))
        failed, tried = doctest.testfile(os.path.join(TOP, "docs", "python.md"), module_relative=False)
        self.assertEqual(failed, 0)
        self.assertGreater(tried, 7)
