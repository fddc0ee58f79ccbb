# Sourced by run: `ninja stack` of portable C, and what it refuses. SPDX-License-Identifier: Apache-2.0
ninja --quiet build/graphs/keywords_static.ir || exit 1

# The three lines: bytes of init and run, which are not many, and once in the manifest; a second time the same; what dnnlc emits has none.
says_stack() { # FOLDER MODEL OPTION...
    folder=$1
    rm -rf "${work:?}/$1"
    compile "$@" --target c && cp "$work/$1/m.json" "$work/emitted.json" && ! grep stack_bytes "$work/emitted.json" || return 1
    for turn in 1 2; do
        ninja -C "$work/$folder" stack >"$work/said" && cat "$work/said" || return 1
        awk '/^m_init: [0-9]+/ && $2 < 1024 { n++ } /^m_run: [0-9]+/ && $2 >= 64 && $2 < 16384 { n++ } END { exit n != 2 }' "$work/said" || return 1
        grep "^  \"stack_bytes\": {\"m_init\": [0-9]*, \"m_run\": $(sed -n 's/^m_run: \([0-9]*\).*/\1/p' "$work/said"), .*\"besides\": \[.*\"compiler\": \"[^\"]*gcc[^\"]*\", \"flags\": \"-std=c99 [^\"]*\"},$" "$work/$folder/m.json" || return 1
        grep -v '^  "stack_bytes"' "$work/$folder/m.json" | cmp - "$work/emitted.json" || return 1
    done
    compile "$@" --target c && cmp "$work/$1/m.json" "$work/emitted.json"
}

# As a firmware's own build has it: for each core's compiler and flags, from anywhere.
of_firmware() { # FOLDER, after says_stack
    for flags in '-mcpu=cortex-m0 -Os' '-mcpu=cortex-m4 -mfloat-abi=hard -mfpu=fpv4-sp-d16 -O2'; do
        DNNLC_CC=arm-none-eabi-gcc DNNLC_CFLAGS="-mthumb $flags" ninja -C "$work/$1" stack >"$work/said" && cat "$work/said" &&
            grep "\"compiler\": \"arm-none-eabi-gcc.*\"flags\": \"-mthumb $flags\"" "$work/$1/m.json" || return 1
        awk '/^m_run: / && $2 > 0 && $2 < 4096 { n++ } END { exit n != 1 }' "$work/said" || return 1
    done
}

# All of the library, in one file too: no VLA, no alloca, and frames of at most so many bytes.
small_frames() { # BYTES MODEL OPTION...
    bytes=$1
    shift
    rm -rf "$work/frames"
    compile frames "$@" --target c && "$dnnlc" "$@" --target c --amalgamate --name m -o "$work/frames/one" || return 1
    for file in "$work"/frames/m_*.c "$work/frames/one/m.c"; do
        case $file in */m_main.c) continue ;; esac
        gcc -std=c99 -O2 -Wvla -Walloca "-Wstack-usage=$bytes" -Werror -fcallgraph-info=su -c "$file" -o "${file%.c}.o" || return 1
    done
    awk -v name=m -f "$work/frames/dnnlc_stack.awk" "$work/frames/one/m.ci"
}

# dnnlc_stack.awk of these functions: exit status 1, and one line that begins so.
refuses_stack() { # MESSAGE C
    printf 'struct m_memory { void (*trace)(void *, unsigned); void *to; };\nint m_init(int n);\nint m_run(struct m_memory *m, int n);\nint m_init(int n) { return n; }\n%s\n' "$2" >"$work/program.c"
    gcc -O0 -fcallgraph-info=su -c "$work/program.c" -o "$work/program.o" || return 1
    awk -v name=m -f runtime-stub/dnnlc_stack.awk "$work/program.ci" >/dev/null 2>"$work/said" && return 1
    cat "$work/said"
    [ "$(wc -l <"$work/said")" = 1 ] && grep -F "dnnlc_stack.awk: $1" "$work/said"
}

export CCACHE_DISABLE=1 # it does not keep graphs of calls
check "stack: digits" says_stack digits $digits/digits.onnx
check "stack: a state, a self-test" says_stack stateful tests/emitted/stateful.ir --selftest
check "stack: of the self-test as well" grep '^m_selftest: [0-9]' "$work/said"

check "stack: integers" says_stack integers build/graphs/keywords_static.ir --no-float
if command -v arm-none-eabi-gcc >/dev/null; then
    check "stack: integers on Cortex-M0 and M4F" of_firmware integers
else
    skip "stack of firmware: no gcc-arm-none-eabi"
fi
check "frames: digits" small_frames 4096 $digits/digits.onnx
check "frames: integers" small_frames 4096 tests/emitted/integers.ir --no-float
check "frames: residual" small_frames 4096 tests/emitted/residual.ir
check "frames: detector" small_frames 4096 tests/pipeline/detector.ir
check "stack: recursion" refuses_stack 'f calls itself: m_run, f, g, f' \
    'int f(int n); static int g(int n) { return f(n - 1); } int f(int n) { return n ? g(n) : 0; } int m_run(struct m_memory *m, int n) { (void)m; return f(n); }'
check "stack: a call through a pointer" refuses_stack "m_run calls through a pointer at $work/program.c:5:49: m_run" \
    'int m_run(struct m_memory *m, int n) { (void)n; m->trace(m->to, 1); return 0; }'
check "stack: a VLA" refuses_stack 'f has a frame of no constant size: m_run, f' \
    'static int f(int n) { volatile int a[n]; a[0] = n; return a[0]; } int m_run(struct m_memory *m, int n) { (void)m; return f(n); }'
check "stack: no run" refuses_stack 'there is no function m_run' ''
check "stack: a compiler that writes no graph of calls" sh -c "! DNNLC_CC=clang ninja -C '$work/digits' stack >'$work/said' && grep 'clang does not write graphs of calls (-fcallgraph-info=su), as gcc does from version 10 on' '$work/said'"
