#!/bin/sh
# parallel.sh PROGRAM IN.npy OUT.npy PARTS: the parts of a stacked file under GNU parallel, one at a time on this machine, since each uses all
# processors; JOBS=N runs so many at once. Options of parallel's own, such as --sshlogin, go into PARALLEL. SPDX-License-Identifier: Apache-2.0
set -eu
[ $# = 4 ] || { echo "usage: parallel.sh PROGRAM IN.npy OUT.npy PARTS" >&2; exit 2; }
here=$(dirname "$0") program=$1 in=$2 out=$3 parts=$4

# A part that failed ends the job.
seq "$parts" | parallel --jobs "${JOBS:-1}" --quote --halt soon,fail=1 \
    "$program" --batch-file "$in" "$out.part-{}.npy" --shard "{}/$parts" ${THREADS:+--threads "$THREADS"}

# shellcheck disable=SC2046 # a list of numbers
set -- $(seq "$parts")
for k; do
    shift
    set -- "$@" "$out.part-$k.npy"
done
"$here/join-npy" "$out" "$@"
rm "$@"
