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

skip() {
    skipped=$((skipped + 1))
    echo "skipped: $*"
}

finish() {
    echo "$passed passed, $failed failed, $skipped skipped"
    [ $failed = 0 ]
    exit
}
