# Sourced by the scripts in this folder: named checks, counted. SPDX-License-Identifier: Apache-2.0
passed=0 failed=0 skipped=0

# check NAME COMMAND...: passes if the command does; what it said is shown if it does not.
check() {
    what=$1
    shift
    if "$@" >"$work/log" 2>&1; then
        passed=$((passed + 1))
    else
        failed=$((failed + 1))
        echo "FAILED: $what"
        tail -n 15 "$work/log" | cut -c1-300 | sed 's/^/    /'
    fi
}

# refused STATUS COMMAND...: that status, one line on standard error, nothing on standard output.
refused() {
    want=$1
    shift
    "$@" >"$work/said.out" 2>"$work/said.err" </dev/null
    status=$?
    cat "$work/said.err"
    [ "$status" = "$want" ] || { echo "status $status, not $want"; return 1; }
    [ "$(wc -l <"$work/said.err")" = 1 ] || { echo "not one line"; return 1; }
    [ ! -s "$work/said.out" ] || { echo "it also wrote to standard output"; return 1; }
}

# What was refused last said these words.
said() { grep -qF -- "$1" "$work/said.err" || { echo "does not say '$1'"; return 1; }; }

# No folder appears, neither a new one nor one half written.
refused_model() { # STATUS ARGUMENT...
    status=$1
    shift
    rm -rf "$work/none"
    refused "$status" "$dnnlc" "$@" -o "$work/none" && [ ! -e "$work/none" ]
}

# npy_header TYPE SHAPE [True]: what stands before the data of a .npy file; True: which is in Fortran's order.
npy_header() {
    printf '\223NUMPY\001\000v\000'
    printf '%-117s\n' "{'descr': '$1', 'fortran_order': ${3:-False}, 'shape': ($2), }"
}
# The same and zeros.
npy() { # TYPE SHAPE BYTES FILE
    { npy_header "$1" "$2" && head -c "$3" /dev/zero; } >"$4"
}

skip() {
    skipped=$((skipped + 1))
    echo "skipped: $*"
}

finish() {
    echo "$passed passed, $failed failed, $skipped skipped"
    [ $failed = 0 ]
    exit
}

# What oneDNN plans for here: the CPU's instruction set, or what oneDNN is limited to.
native_isa() { "$dnnlc" --machine | sed -n 's/^isa *\([a-z0-9_]*\).*/\1/p'; }
