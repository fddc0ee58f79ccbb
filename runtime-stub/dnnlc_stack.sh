#!/bin/sh
# dnnlc_stack.sh NAME COMPILER FLAGS [-O1 | -O3 | FILE.c]...: how deep the stack of a library in portable C can be, by dnnlc_stack.awk. The
# target `stack` of build.ninja calls it. Files are compiled once more, into a folder that is removed again, at the level that stands before
# them. Prints a line for each function of the API that computes, and writes it into the manifest NAME.json as `stack_bytes`, with the
# compiler and its flags. Another compiler and other flags than those of build.ninja, as a build of your own has them:
#
#     DNNLC_CC=arm-none-eabi-gcc DNNLC_CFLAGS='-mcpu=cortex-m4 -mthumb -Os' ninja stack
#
# SPDX-License-Identifier: Apache-2.0
set -eu
name=$1 cc=${DNNLC_CC:-$2} flags=${DNNLC_CFLAGS:-$3} own=${DNNLC_CFLAGS+yes}
shift 3
here=$(dirname -- "$0")
export CCACHE_DISABLE=1 LC_ALL=C # a cache does not keep graphs of calls
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
trap 'exit 1' HUP INT TERM

: >"$work/empty.c"
# shellcheck disable=SC2086 # flags are words
$cc $flags -fcallgraph-info=su -c "$work/empty.c" -o "$work/empty.o" 2>"$work/said" || {
    cat "$work/said" >&2
    echo "dnnlc_stack.sh: $cc does not write graphs of calls (-fcallgraph-info=su), as gcc does from version 10 on; DNNLC_CC names another compiler" >&2
    exit 1
}
level=
for word; do
    case $word in
    -O*)
        [ "$own" ] || level=$word
        continue
        ;;
    esac
    # shellcheck disable=SC2086
    $cc $level $flags -fcallgraph-info=su -c "$here/$word" -o "$work/${word%.c}.o"
done
awk -v name="$name" -f "$here/dnnlc_stack.awk" "$work"/*.ci | tee "$work/stack"
[ -s "$work/stack" ] || exit 1

# {"NAME_init": 64, "NAME_run": 312, "besides": ["expf"], "compiler": "…", "flags": "…"} behind the bytes of the workspace.
compiler=$($cc --version | head -n 1)
awk -v compiler="$compiler" -v flags="$flags" '
    function quoted(s) {
        gsub(/[\\"]/, "\\\\&", s)
        return "\"" s "\""
    }
    FNR == NR {
        list = list quoted(substr($1, 1, length($1) - 1)) ": " $2 ", "
        for (i = 4; i <= NF; i++)
            if (!($i in seen)) {
                seen[$i] = 1
                besides = besides (besides == "" ? "" : ", ") quoted($i)
            }
        next
    }
    /^  "stack_bytes": / { next }
    { print }
    /^  "workspace_bytes": / {
        print "  \"stack_bytes\": {" list "\"besides\": [" besides "], \"compiler\": " quoted(compiler) ", \"flags\": " quoted(flags) "},"
    }' "$work/stack" "$here/$name.json" >"$here/$name.json.new"
mv "$here/$name.json.new" "$here/$name.json"
