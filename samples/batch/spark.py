"""spark.py PROGRAM IN.npy OUT.npy PARTS: the parts of a stacked file as tasks of Spark.

Spark's pipe hands the number of each part, a line of text, to shard.sh on some machine, and what that prints, the file it wrote, comes back. A task
that fails is tried again by Spark, as often as spark.task.maxFailures says. SPDX-License-Identifier: Apache-2.0
"""

import os
import shlex
import subprocess
import sys

from pyspark.sql import SparkSession


def main():
    if len(sys.argv) != 5:
        sys.exit("usage: spark.py PROGRAM IN.npy OUT.npy PARTS")
    program, rows, out = (os.path.abspath(path) for path in sys.argv[1:4])
    parts = int(sys.argv[4])
    here = os.path.dirname(os.path.abspath(__file__))
    command = [os.path.join(here, "shard.sh"), program, rows, out, str(parts)]

    context = SparkSession.builder.appName("net").getOrCreate().sparkContext
    numbers = context.parallelize(range(1, parts + 1), parts)
    # checkCode: a program that fails fails the task, instead of giving it fewer lines.
    written = numbers.map(str).pipe(shlex.join(command), checkCode=True).collect()
    context.stop()

    expected = [f"{out}.part-{k}.npy" for k in range(1, parts + 1)]
    if sorted(written) != sorted(expected):
        sys.exit(f"spark.py: {len(written)} parts were written, not {parts}")
    subprocess.run([os.path.join(here, "join-npy"), out, *expected], check=True)
    for path in expected:
        os.remove(path)


if __name__ == "__main__":
    main()
