"""Runs the tests of files and counts them as the other suites do."""

import importlib.util
import os
import sys
import unittest

suite = unittest.TestSuite()
for path in sys.argv[1:]:
    spec = importlib.util.spec_from_file_location(os.path.basename(path)[:-3], path)
    module = importlib.util.module_from_spec(spec)
    sys.modules[spec.name] = module
    spec.loader.exec_module(module)
    suite.addTests(unittest.defaultTestLoader.loadTestsFromModule(module))
result = unittest.TextTestRunner(verbosity=1, buffer=True).run(suite)
failed = len(result.failures) + len(result.errors) + len(result.unexpectedSuccesses)
for test, why in result.skipped:
    print(f"skipped: {test.id()}: {why}")
print(f"{result.testsRun - failed - len(result.skipped)} passed, {failed} failed, {len(result.skipped)} skipped", flush=True)
sys.exit(failed > 0)
