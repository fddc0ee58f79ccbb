#!/bin/sh
# shard.sh PROGRAM IN.npy OUT.npy PARTS: reads numbers of parts, one a line, computes each, and prints the file that it wrote. For engines that
# hand lines to a program: Spark's pipe, Hadoop's streaming, xargs. SPDX-License-Identifier: Apache-2.0
set -eu
[ $# = 4 ] || { echo "usage: shard.sh PROGRAM IN.npy OUT.npy PARTS <NUMBERS" >&2; exit 2; }
while read -r part; do
    "$1" --batch-file "$2" "$3.part-$part.npy" --shard "$part/$4" ${THREADS:+--threads "$THREADS"} >&2 </dev/null
    echo "$3.part-$part.npy"
done
