# Sourced by run: a library compiled with --selftest knows whether it computes what it did when it was compiled. SPDX-License-Identifier: Apache-2.0

# With weights in which every byte of a part in the middle has another bit: the linker puts them in anew.
damage_weights() { # FOLDER
    weights=$work/$1/m_weights.bin
    size=$(stat -c %s "$weights")
    { head -c $((size / 2)) "$weights" && tail -c +$((size / 2 + 1)) "$weights" | head -c 4096 | tr '\000-\377' '\100-\177\000-\077\300-\377\200-\277' &&
        tail -c +$((size / 2 + 4097)) "$weights"; } >"$work/damaged.bin"
    [ "$(stat -c %s "$work/damaged.bin")" = "$size" ] && ! cmp -s "$weights" "$work/damaged.bin" && mv "$work/damaged.bin" "$weights"
}

says_one_line() { [ "$(wc -l <"$work/said")" = 1 ] && grep "$1" "$work/said"; }
agrees() { "$work/$1/m" --selftest >"$work/said" 2>&1 && says_one_line '^selftest: all outputs agree with the reference'; }
differs() {
    "$work/$1/m" --selftest >"$work/said" 2>&1 && return 1
    says_one_line "output '.*' is not what the model gave when it was compiled"
}

# selftest NAME MODEL OPTION...
selftest() {
    name=$1 model=$2
    shift 2
    check "$name: compiles with a self-test" compile "$name" "$model" --selftest "$@"
    case $model in
    $digits/*) check "$name: builds" builds "$name" ;;
    *) check "$name: builds" hastily builds "$name" ;;
    esac
    check "$name: agrees" agrees "$name"
}

for target in dnnl c; do
    selftest digits-$target $digits/digits.onnx --target $target
    check "digits-$target: gcc" compiles_with gcc digits-$target
    check "digits-$target: clang" compiles_with clang digits-$target
    check "digits-$target: the header as C++11" header_as g++ -std=c++11 c++ digits-$target
    check "digits-$target: what the objects call" objects_keep_rules digits-$target
    check "digits-$target: twice the same bytes" twice_the_same $digits/digits.onnx --target $target --selftest
    check "digits-$target: its weights are damaged" damage_weights digits-$target
    check "digits-$target: builds again" builds digits-$target
    check "digits-$target: differs" differs digits-$target
    selftest names-$target tests/emitted/names.ir --target $target
    selftest detector-$target tests/pipeline/detector.ir --target $target # means of integers, with and without a count
    selftest file-$target $digits/digits.onnx --target $target --weights file
    for case in node/test_qlinearconv node/test_lstm_defaults node/test_constant node/test_cast_FLOAT_to_FLOAT16 \
        node/test_nonzero_example node/test_unique_sorted_without_axis; do # data-dependent rows
        [ ! -d $data/$case ] || selftest "$(basename $case)-$target" $data/$case/model.onnx --target $target
    done
done
# A quantised model whose bytes are whole numbers in floats on CPUs without instructions for bytes: steps may go the other way all the same.
ninja --quiet build/graphs/lprnet_static.ir || exit 1
selftest steps build/graphs/lprnet_static.ir --isa avx2 --full
if "$dnnlc" $digits/digits.onnx -o "$work/bf16" --name m --precision bf16 --selftest >"$work/log" 2>&1; then
    check "bf16: builds" builds bf16
    check "bf16: agrees" agrees bf16
else
    skip "bf16: $(head -1 "$work/log")"
fi
without_selftest() {
    compile without $digits/digits.onnx --target c && builds without && ! "$work/without/m" --selftest 2>"$work/said" &&
        says_one_line 'compiled without it' && ! grep -i selftest "$work"/without/m_dnnl.[ch]
}
check "without --selftest there is none" without_selftest
