# Sourced by tests/emitted/run: other CPUs than this one, and --precision bf16. SPDX-License-Identifier: Apache-2.0

# Packed for one kind of CPU, run on another: what init finds different is reordered into the fallback buffer.
runs_elsewhere() { # ISA
    rm -rf "$work/isa"
    compile isa $digits/digits.onnx --isa "$1" && builds isa && checks_out isa $digits/test_data_set_0
}
# --precision bf16: what every folder promises, the same inputs and outputs, other numbers within what is allowed, and
# plain words where the CPU would have to emulate it.
promises_bf16() {
    check "bf16: compiles" compile bf16 $digits/digits.onnx --precision bf16
    check "bf16: gcc" compiles_with gcc bf16
    check "bf16: clang" compiles_with clang bf16
    check "bf16: what the objects call" objects_keep_rules bf16
    check "bf16: twice the same bytes" twice_the_same $digits/digits.onnx --precision bf16
    check "bf16: inputs and outputs are f32" same_tensors
    check "bf16: builds" builds bf16
    check "bf16: agrees as a whole" checks_out bf16 $digits/test_data_set_0
    check "bf16: differs element by element" differs
    check "bf16: one thread, two threads" same_with_threads bf16
    check "bf16: runs where it has to be emulated" emulates
    check "bf16: refused on AVX2 when running" refuses_avx2
    check "bf16: refused in the same words whatever the threads" fails_the_same AVX2
}
same_tensors() {
    sed -n '/_inputs {/,/_outputs;/p' "$work/bf16/m_dnnl.h" >"$work/tensors"
    sed -n '/_inputs {/,/_outputs;/p' "$work/digits/m_dnnl.h" | diff - "$work/tensors" && [ -s "$work/tensors" ]
}
differs() { "$work/bf16/m" --check $digits/test_data_set_0 --rtol 0 --atol 1e-7 | grep DISAGREES; }
emulates() { ONEDNN_MAX_CPU_ISA=AVX512_CORE checks_out bf16 $digits/test_data_set_0; }
refuses_avx2() {
    ! ONEDNN_MAX_CPU_ISA=AVX2 checks_out bf16 $digits/test_data_set_0 >"$work/elsewhere" 2>&1 &&
        grep "no implementation for this CPU" "$work/elsewhere"
}

has_isa() { ! compile isa-probe $digits/digits.onnx --isa "$1" 2>&1 | grep 'this CPU does not have it'; }
runs_as() { ONEDNN_MAX_CPU_ISA=$1 checks_out digits $digits/test_data_set_0; }

check "digits: builds" digits_built
for isa in sse41 avx2 avx512_core avx512_core_vnni; do
    if has_isa $isa >"$work/log"; then
        check "digits packed for $isa runs here" runs_elsewhere $isa
    else
        skip "this CPU has no $isa"
    fi
done
for isa in SSE41 AVX AVX2 AVX2_VNNI AVX512_CORE; do
    check "digits packed here runs as on $isa" runs_as $isa
done
if compile bf16-probe $digits/digits.onnx --precision bf16 >"$work/log" 2>&1; then
    promises_bf16
else
    skip "this CPU computes no bf16"
fi
