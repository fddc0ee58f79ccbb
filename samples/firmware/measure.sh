#!/bin/sh
# measure.sh MODEL [OPTION...]: a table of what a model costs on microcontrollers, compiled with --target c and these options: flash, RAM,
# stack and instructions of one inference, counted by qemu's virtual clock, so that they are the same each time. Each device's outputs are
# compared with the host's. SPDX-License-Identifier: Apache-2.0
#
#   DNNLC    the compiler                             (default build/dnnlc of this repository)
#   BOARDS   of mps2-an385 (Cortex-M3), mps2-an386 (Cortex-M4F), mps2-an500 (Cortex-M7), mps3-an547 (Cortex-M55)
#            (default: the first two)
#   OPTIMIZE gcc's level for all of the library       (default -O2)
#   SAME     1: other outputs than the host's are a failure (default: said in the table)
#   LAYERS   1: the instructions of each layer, too
#   OUT      where to build                           (default: a folder that is removed again)
#
# flash: code, tables, weights, and what of libc, libm and libgcc the library calls. RAM: workspace, context and stack. stack: below
# NAME_run, by dnnlc_stack.awk; what is deeper by calls of libm is in what the run itself used, in brackets.
#
# Needs gcc-arm-none-eabi, libnewlib-arm-none-eabi and qemu-system-arm.
set -eu

here=$(CDPATH='' cd -- "$(dirname -- "$0")" && pwd)
root=$here/../..
optimize=${OPTIMIZE:--O2}

die() {
    echo "measure.sh: $*" >&2
    exit 1
}

[ $# -gt 0 ] || die "usage: measure.sh MODEL [OPTION...]"
for tool in arm-none-eabi-gcc arm-none-eabi-size qemu-system-arm cc; do
    command -v "$tool" >/dev/null || die "$tool is not installed"
done
export CCACHE_DISABLE=1 # it does not keep the graphs of calls
if [ -z "${OUT:-}" ]; then
    OUT=$(mktemp -d)
    trap 'rm -rf "$OUT"' EXIT
fi
mkdir -p "$OUT"
rm -rf "$OUT/emitted"
"${DNNLC:-$root/build/dnnlc}" "$@" -o "$OUT/emitted" --name net --target c --weights c >"$OUT/log" 2>&1 || {
    cat "$OUT/log" >&2
    exit 1
}
warnings='-std=c17 -ffp-contract=off -Wall -Wextra -Wpedantic -Werror'
set -- "$OUT/emitted/net_dnnl.c" "$OUT/emitted/net_weights.c"
for unit in "$OUT"/emitted/net_c_[0-9]*.c "$OUT"/emitted/net_kernels_[0-9]*.c; do
    [ ! -e "$unit" ] || set -- "$@" "$unit"
done
# A small board's linker script, with the memory of a large one: what does not fit shall be measured, too.
sed 's/LENGTH = [0-9]*K/LENGTH = 4M/; s/STACK_SIZE = 8K/STACK_SIZE = 64K/' "$here/flash.ld" >"$OUT/large.ld"
# shellcheck disable=SC2086 # the flags are meant to be split
cc -O2 $warnings -I"$OUT/emitted" -I"$here" "$OUT/emitted/net_main.c" "$here/measure.c" "$here/host.c" "$@" \
    -DMEASURE_MEMORY=3000000 -lm -o "$OUT/host"
"$OUT/host" | grep -v '^#' >"$OUT/host.txt"

# The board's core and clock, and how much of its RAM the program may have.
use_board() {
    clock=25 memory=3000000 limits=
    case $1 in
    mps2-an385) core=Cortex-M3 cpu='-mcpu=cortex-m3 -mthumb -mfloat-abi=soft' ;;
    mps2-an386) core=Cortex-M4F cpu='-mcpu=cortex-m4 -mthumb -mfloat-abi=hard -mfpu=fpv4-sp-d16' ;;
    mps2-an500) core=Cortex-M7 cpu='-mcpu=cortex-m7 -mthumb -mfloat-abi=hard -mfpu=fpv5-d16' ;;
    mps3-an547)
        core=Cortex-M55 cpu='-mcpu=cortex-m55 -mthumb -mfloat-abi=hard' clock=32 memory=300000
        limits='s/LENGTH = 4M/LENGTH = 512K/'
        ;;
    *) die "BOARDS: $1 is not one of mps2-an385, mps2-an386, mps2-an500, mps3-an547" ;;
    esac
    sed "$limits" "$OUT/large.ld" >"$OUT/board.ld"
}

compile() {
    dir=$OUT/$board
    rm -rf "$dir"
    mkdir -p "$dir"
    for unit in "$@"; do
        # shellcheck disable=SC2086
        arm-none-eabi-gcc $cpu $optimize $warnings -ffunction-sections -fdata-sections -fcallgraph-info=su -I"$OUT/emitted" \
            -c "$unit" -o "$dir/$(basename "$unit" .c).o"
    done
    # The library alone, as its caller links it; then the program that runs it.
    # shellcheck disable=SC2086
    arm-none-eabi-gcc $cpu -nostartfiles -Wl,--gc-sections,-e,net_run,-u,net_init,-u,net_fini,-u,net_error "$dir"/*.o \
        --specs=nosys.specs -lm -Wl,--no-warnings -o "$dir/library.elf" 2>"$dir/link.log" || {
        cat "$dir/link.log" >&2
        exit 1
    }
    # shellcheck disable=SC2086
    arm-none-eabi-gcc $cpu -O2 $warnings -ffunction-sections -I"$OUT/emitted" -I"$here" -DCLOCK_MHZ="$clock" \
        -DMEASURE_MEMORY="$memory" "$OUT/emitted/net_main.c" "$here/measure.c" "$here/startup.c" "$here/semihost.c" "$dir"/*.o \
        -nostartfiles -Wl,--gc-sections -T "$OUT/board.ld" -Wl,-z,noexecstack -lm -o "$dir/run.elf"
}

run_on_board() {
    timeout 600 qemu-system-arm -M "$board" -icount shift=0 -nographic -monitor none -serial none \
        -chardev stdio,id=out,signal=off -semihosting-config enable=on,target=native,chardev=out \
        -kernel "$dir/run.elf" </dev/null >"$dir/said.txt" || {
        cat "$dir/said.txt" >&2
        die "the firmware failed on $board"
    }
    grep -v '^#' "$dir/said.txt" >"$dir/outputs.txt" || :
}

number() {
    sed -n "s/$2/\\1/p" "$1"
}

status=0
printf '%-10s %9s %9s %-28s %12s  %s\n' core flash RAM 'stack (run)' instructions outputs
for board in ${BOARDS:-mps2-an385 mps2-an386}; do
    use_board "$board"
    compile "$@"
    run_on_board
    flash=$(arm-none-eabi-size -A "$dir/library.elf" | awk '$1 ~ /^\.(text|rodata|ARM\.exidx|data)/ { n += $2 } END { print n }')
    awk -v name=net -f "$OUT/emitted/dnnlc_stack.awk" "$dir"/*.ci >"$dir/stack.txt" || exit 1
    stack=$(number "$dir/stack.txt" 'net_run: \(.*\)')
    deep=$(number "$dir/said.txt" '^# stack used: \([0-9]*\) .*')
    workspace=$(number "$OUT/emitted/net_dnnl.h" '^#define NET_WORKSPACE_SIZE ((size_t)\([0-9]*\))')
    count=$(number "$dir/said.txt" '^# instructions: \([0-9]*\)')
    same='as the host'
    cmp -s "$dir/outputs.txt" "$OUT/host.txt" || {
        same='other bits than the host'
        status=${SAME:-0}
    }
    printf '%-10s %9d %9d %-28s %12d  %s\n' "$core" "$flash" $((workspace + 64 + ${stack%% *})) "$stack ($deep)" "$count" "$same"
    [ -z "${LAYERS:-}" ] || sed -n 's/^# \([0-9]* .*\)/    \1/p' "$dir/said.txt"
done
exit "$status"
