"""The tables of runtime-stub/python are those of dnnlc_main.h: each member stands where ctypes has it. Needs no numpy: tests/structure/run calls it."""

import ctypes
import importlib.util
import os
import subprocess

TOP = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
HEADER = os.path.join(TOP, "runtime-stub", "dnnlc_main.h")
SPEC = importlib.util.spec_from_file_location("_table", os.path.join(TOP, "runtime-stub", "python", "dnnlc", "_table.py"))
table = importlib.util.module_from_spec(SPEC)
SPEC.loader.exec_module(table)


def assertions():
    yield f'#include "{HEADER}"'
    yield f'_Static_assert(DNNLC_MAIN_VERSION == {table.VERSION}, "version");'
    yield f'_Static_assert(DNNLC_ALL_VARIANTS == {table.ALL_VARIANTS}, "variants");'
    for name in ("Tensor", "Layer", "Count", "Bound", "State", "Model"):
        structure = getattr(table, name)
        c = f"struct dnnlc_{name.lower()}"
        yield f'_Static_assert(sizeof({c}) == {ctypes.sizeof(structure)}, "{name}");'
        for member, _ in structure._fields_:
            at = getattr(structure, member)
            yield f'_Static_assert(offsetof({c}, {member}) == {at.offset}, "{name}.{member}");'
            yield f'_Static_assert(sizeof((({c} *)0)->{member}) == {at.size}, "{name}.{member}");'


code = "\n".join(assertions()) + "\n"
subprocess.run(["gcc", "-std=c17", "-fsyntax-only", "-x", "c", "-"], input=code, text=True, check=True)
