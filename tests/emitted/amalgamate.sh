# Sourced by tests/emitted/run: the library as one C file. SPDX-License-Identifier: Apache-2.0

# Compiles without a warning, is the same twice, and computes what the library of the folder computes, to the bit.
amalgamated() { # MODEL TARGET OPTION...
    model=$1 target=$2
    shift 2
    rm -rf "${work:?}/one" "$work/again" "$work/many"
    for name in one again; do
        "$dnnlc" "$model" -o "$work/$name" --name m --target "$target" --threads 2 --amalgamate "$@" || return 1
    done
    diff -r "$work/one" "$work/again" && [ "$(ls "$work"/one/*.c)" = "$work/one/m.c" ] && [ ! -e "$work/one/build.ninja" ] || return 1
    compile many "$model" --target "$target" "$@" && builds many || return 1
    std=c17
    grep '^  "target": "c",' "$work/one/m.json" && std=c99
    for cc in clang gcc; do
        # shellcheck disable=SC2046,SC2086 # words
        $cc $strict $(sed -n 's/.*compiled with: cc \(.*\) -c m.c .*/\1/p' "$work/one/m.c" | sed "s,-I ONEDNN,-isystem $onednn,") -fPIE -c -o "$work/one/m.o" "$work/one/m.c" &&
            grep -- "-std=$std " "$work/one/m.c" || return 1
    done
    outputs many && cp -r "$work/many/outputs" "$work/one" && ar rcs "$work/one/libm.a" "$work/one/m.o" || return 1
    rm "$work/many/m" "$work/many/outputs"/* && (cd "$work/many" && ninja -t commands m) | tail -n 1 >"$work/link" &&
        cp "$work/one/libm.a" "$work/many/libm.a" && (cd "$work/many" && sh ../link) && outputs many &&
        diff -r "$work/many/outputs" "$work/one/outputs"
}

check "digits in one file, c" amalgamated $digits/digits.onnx c --selftest
check "digits in one file, dnnl" amalgamated $digits/digits.onnx dnnl --selftest
check "digits in one file, weights in another" amalgamated $digits/digits.onnx c --weights file
for graph in tests/pipeline/detector.ir tests/emitted/names.ir tests/emitted/stateful.ir; do
    check "$graph in one file" amalgamated $graph dnnl
done
check "variants in one file" amalgamated $digits/digits.onnx c --shape image=1x1x28x28,4x1x28x28
check "weights for the assembler" refused_model 2 $digits/digits.onnx --amalgamate --weights embed
check "what it says" grep "amalgamate: --weights embed wants a file for the assembler; c or file" "$work/said.err"
check "too many weights for an array" refused_model 1 tests/emitted/many_weights.ir --target c --amalgamate
check "it says what to do" grep 'MiB of weights are too many for a C array; --weights file leaves them out of it$' "$work/said.err"
mkdir "$work/built" && : >"$work/built/build.ninja"
check "a folder that is built" refused 1 "$dnnlc" $digits/digits.onnx --target c --amalgamate -o "$work/built"
check "it says why" grep "has a build.ninja; --amalgamate wants a folder that has none" "$work/said.err"
