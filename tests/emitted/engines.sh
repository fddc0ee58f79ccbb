# Sourced by run: samples/batch, large jobs under GNU parallel, Slurm and Spark. SPDX-License-Identifier: Apache-2.0
samples=samples/batch
cat >"$work/row.ir" <<'END'
graph "row" {
  input %x: f32[1,16]
  const %w: f32[16,4] = random(seed=1, scale=0.5)
  %y = MatMul(%x, %w)
  output "y" = %y
}
END
# A file of 101 rows that are not alike.
cat >"$work/rows.ir" <<'END'
graph "rows" {
  input %x: f32[101,16]
  %y = Neg(%x)
  output "y" = %y
}
END
prepared() {
    "$dnnlc" "$work/rows.ir" -o "$work/rows" --name m --target c && builds rows && "$work/rows/m" --random 3 --output "$work/in put.npy" &&
        "$dnnlc" "$work/row.ir" -o "$work/row" --name m --target c && builds row && "$program" --batch-file "$in" "$work/whole.npy"
}
program=$work/row/m in="$work/in put.npy"

# What an engine made is what one process makes, and nothing else is left.
same() { # FILE
    cmp "$1" "$work/whole.npy" && ! ls "$1".*
}
joins() {
    for k in 1 2 3; do
        "$program" --batch-file "$in" "$work/part-$k.npy" --shard $k/3 || return 1
    done
    $samples/join-npy "$work/joined.npy" "$work"/part-[123].npy && same "$work/joined.npy"
}
# refused_join WHY FILE...
refused_join() {
    why=$1
    shift
    rm -f "$work/no.npy"
    $samples/join-npy "$work/no.npy" "$@" 2>"$work/said" && return 1
    cat "$work/said"
    [ "$(wc -l <"$work/said")" = 1 ] && grep -F "$why" "$work/said" && ! ls "$work"/no.npy*
}
by_parallel() { # PARTS
    $samples/parallel.sh "$program" "$in" "$work/parallel.npy" "$1" && same "$work/parallel.npy"
}
# The second part cannot be written: there is no whole, and the status says so.
failed_part() { # COMMAND...: the name of its output is $work/failed/out.npy
    rm -rf "$work/failed"
    mkdir -p "$work/failed/out.npy.part-2.npy"
    ! "$@" && [ ! -e "$work/failed/out.npy" ]
}
lines() {
    seq 3 | $samples/shard.sh "$program" "$in" "$work/lines.npy" 3 >"$work/said" &&
        for k in 1 2 3; do echo "$work/lines.npy.part-$k.npy"; done | cmp - "$work/said" &&
        $samples/join-npy "$work/lines.npy" "$work"/lines.npy.part-[123].npy && rm "$work"/lines.npy.part-* && same "$work/lines.npy"
}

# How each script is called.
says_how() {
    for usage in "usage: parallel.sh PROGRAM IN.npy OUT.npy PARTS" "usage: shard.sh PROGRAM IN.npy OUT.npy PARTS <NUMBERS" "usage: slurm.sh PROGRAM IN.npy OUT.npy PARTS [OPTION OF SBATCH]..."; do
        script=${usage#usage: }
        refused 2 "$samples/${script%% *}" && said "$usage" || return 1
    done
}

# Debian has no Spark: what stands in for it does what pipe is said to, a process for each part of the numbers that gets them as lines.
mkdir -p "$work/pyspark"
: >"$work/pyspark/__init__.py"
cat >"$work/pyspark/sql.py" <<'END'
import shlex, subprocess
class Numbers:
    def __init__(self, parts): self.parts = parts
    def map(self, f): return Numbers([[f(n) for n in part] for part in self.parts])
    def pipe(self, command, checkCode=False):
        made = []
        for part in self.parts:
            run = subprocess.run(shlex.split(command), input="".join(n + "\n" for n in part), stdout=subprocess.PIPE, text=True, check=checkCode)
            made.append(run.stdout.splitlines())
        return Numbers(made)
    def collect(self): return [n for part in self.parts for n in part]
class Context:
    def parallelize(self, numbers, n): return Numbers([list(numbers)[k::n] for k in range(n)])
    def stop(self): pass
class Builder:
    def appName(self, name): return self
    def getOrCreate(self): return type("Session", (), {"sparkContext": Context()})
class SparkSession:
    builder = Builder()
END
spark() { PYTHONPATH="$work" PYTHONDONTWRITEBYTECODE=1 python3 $samples/spark.py "$program" "$in" "$1" "$2"; }
by_spark() { spark "$work/spark.npy" 4 && same "$work/spark.npy"; }

# A cluster of this machine alone, in a folder of its own.
start_slurm() {
    slurm=$(mktemp -d)
    mkdir "$slurm/state" "$slurm/spool"
    (umask 077 && head -c 1024 /dev/urandom >"$slurm/key") || return 1
    host=$(hostname -s) port=$((20000 + $$ % 20000))
    cat >"$slurm/slurm.conf" <<END
ClusterName=one
SlurmctldHost=$host(127.0.0.1)
SlurmctldPort=$port
SlurmdPort=$((port + 1))
AuthType=auth/munge
AuthInfo=socket=$slurm/munge
SlurmUser=root
StateSaveLocation=$slurm/state
SlurmdSpoolDir=$slurm/spool
SlurmctldPidFile=$slurm/slurmctld.pid
SlurmdPidFile=$slurm/slurmd.pid
ProctrackType=proctrack/linuxproc
TaskPlugin=task/none
ReturnToService=2
SelectType=select/cons_tres
SelectTypeParameters=CR_Core
JobAcctGatherType=jobacct_gather/none
AccountingStorageType=accounting_storage/none
SchedulerParameters=sched_interval=1,batch_sched_delay=0
NodeName=$host NodeAddr=127.0.0.1 CPUs=$(nproc) State=UNKNOWN
PartitionName=all Nodes=$host Default=YES MaxTime=10 State=UP
END
    export SLURM_CONF="$slurm/slurm.conf"
    munged --foreground --force --key-file="$slurm/key" --socket="$slurm/munge" --pid-file="$slurm/munged.pid" --log-file="$slurm/munged.log" \
        --seed-file="$slurm/seed" >"$slurm/munged" 2>&1 &
    processes=$!
    wait_until test -S "$slurm/munge" || return 1
    slurmctld -D >"$slurm/slurmctld" 2>&1 &
    processes="$processes $!"
    slurmd -D -N "$host" >"$slurm/slurmd" 2>&1 &
    processes="$processes $!"
    wait_until node_is_idle
}
wait_until() { # COMMAND...: for a minute at most
    for _ in $(seq 300); do
        "$@" && return
        sleep 0.2
    done
    return 1
}
node_is_idle() { [ "$(sinfo -h -o %T 2>/dev/null)" = idle ]; }
stop_slurm() {
    # shellcheck disable=SC2086 # a list of processes
    kill $processes 2>/dev/null
    # shellcheck disable=SC2086
    wait $processes 2>/dev/null
    rm -rf "$slurm"
}
ended() { [ -z "$(squeue -h -j "$1" 2>/dev/null)" ]; }
by_slurm() {
    job=$($samples/slurm.sh "$program" "$in" "$PWD/$work/slurm.npy" 3 --output="$PWD/$work/slurm-%A_%a.log") || return 1
    wait_until ended "$job"
    cat "$work"/slurm-*.log
    same "$work/slurm.npy"
}
# The job that joins is never run.
slurm_fails() {
    job=$($samples/slurm.sh "$program" "$in" "$PWD/$1" 2 --output=/dev/null) || return 1
    wait_until ended "$job"
    [ -e "$1" ]
}

check "a program and a file for it" prepared
check "parts are joined" joins
check "how the scripts are called" says_how
head -c 200 "$work/part-1.npy" >"$work/short.npy"
check "a part that is too short" refused_join "72 bytes of data, 544 by its shape" "$work/short.npy"
check "a part of another shape" refused_join "the first part is <f4 (34, 4)" "$work/part-1.npy" "$in"
check "a part that is no .npy file" refused_join "not a .npy file" "$work/row.ir"
check "a part that is missing" refused_join "No such file" "$work/part-1.npy" "$work/part-9.npy"
check "numbers of parts as lines" lines
check "a part that fails, as a line" failed_part sh -c 'seq 3 | "$@"' sh $samples/shard.sh "$program" "$in" "$work/failed/out.npy" 3
if parallel --version 2>/dev/null | grep -q '^GNU parallel'; then
    check "GNU parallel, four parts" by_parallel 4
    check "GNU parallel, two at a time" env JOBS=2 THREADS=1 $samples/parallel.sh "$program" "$in" "$work/two at once.npy" 5
    check "GNU parallel, two at a time: the same" same "$work/two at once.npy"
    check "GNU parallel, a part that fails" failed_part $samples/parallel.sh "$program" "$in" "$work/failed/out.npy" 3
else
    skip "GNU parallel is not installed"
fi
check "Spark's pipe" by_spark
check "Spark's pipe, a part that fails" failed_part spark "$work/failed/out.npy" 3
if ! command -v slurmctld >/dev/null || ! command -v slurmd >/dev/null || ! command -v sbatch >/dev/null || ! command -v munged >/dev/null; then
    skip "Slurm is not installed: slurmctld, slurmd, slurm-client, munge"
elif [ "$(id -u)" != 0 ]; then
    skip "Slurm: only root can start slurmd"
else
    if start_slurm >"$work/log" 2>&1; then
        check "a Slurm job array" by_slurm
        check "a Slurm job array, a part that fails" failed_part slurm_fails "$work/failed/out.npy"
    else
        cat "$slurm/slurmctld" "$slurm/slurmd" 2>/dev/null | tail -n 5
        skip "Slurm: a cluster of this machine alone cannot be started"
    fi
    stop_slurm
fi
