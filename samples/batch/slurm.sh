#!/bin/sh
# slurm.sh PROGRAM IN.npy OUT.npy PARTS [OPTION OF SBATCH]...: submits a job array with a task for each part, and a job that joins the parts when
# all tasks have succeeded; prints that job's number. SPDX-License-Identifier: Apache-2.0
set -eu
[ $# -ge 4 ] || { echo "usage: slurm.sh PROGRAM IN.npy OUT.npy PARTS [OPTION OF SBATCH]..." >&2; exit 2; }
here=$(cd "$(dirname "$0")" && pwd) program=$1 in=$2 out=$3 parts=$4
shift 4
array=$(sbatch --parsable --array="1-$parts" "$@" "$here/array.sbatch" "$program" "$in" "$out")
array=${array%%;*} # with a cluster's name behind it where there are several

# Slurm copies a script to the node before it runs it, so the job is told where join-npy is.
sbatch --parsable --dependency="afterok:$array" --kill-on-invalid-dep=yes --job-name=join "$@" "$here/join.sbatch" "$here/join-npy" "$out" "$parts"
