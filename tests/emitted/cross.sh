# Sourced by run: portable C for other CPUs, and oneDNN of AArch64, built with Debian's cross compilers and run by qemu-user. SPDX-License-Identifier: Apache-2.0
ninja --quiet build/graphs/keywords.ir build/graphs/keywords_static.ir || exit 1

# The library's own outputs, computed by the compiler's evaluator, are those of the other CPU, too.
knows_itself() { # CPU NAME MODEL
    "$dnnlc" "$3" -o "$work/$1-$2" --name m --target c --cc "$1-linux-gnu-gcc" --selftest && builds "$1-$2" &&
        file_is "$1" "$work/$1-$2/m" && "qemu-$1" "$work/$1-$2/m" --selftest
}

file_is() { # CPU PROGRAM
    "$1-linux-gnu-readelf" -h "$2" | grep -i 'machine:.*'"$(echo "$1" | sed 's/riscv64/risc-v/')"
}

# Digits as PyTorch computed it.
agrees() { # CPU
    compile "$1-digits" $digits/digits.onnx --target c --cc "$1-linux-gnu-gcc" && builds "$1-digits" &&
        "qemu-$1" "$work/$1-digits/m" --check $digits/test_data_set_0
}

# Integers alone: the host's bytes.
same_bytes() { # CPU
    for cc in gcc "$1-linux-gnu-gcc"; do
        compile "$1-on-$cc" build/graphs/keywords_static.ir --target c --no-float --cc "$cc" && builds "$1-on-$cc" || return 1
        mkdir -p "$work/$1-on-$cc/out"
    done
    "$work/$1-on-gcc/m" --random 1 --output-dir "$work/$1-on-gcc/out" &&
        "qemu-$1" "$work/$1-on-$1-linux-gnu-gcc/m" --random 1 --output-dir "$work/$1-on-$1-linux-gnu-gcc/out" &&
        cmp "$work/$1-on-gcc/out/output_0.npy" "$work/$1-on-$1-linux-gnu-gcc/out/output_0.npy"
}

# Debian recommends the C library of the other CPU beside its compiler, and does not ask for it.
can_build() { # CPU
    echo 'int main(void) { return 0; }' | "$1-linux-gnu-gcc" -include stdio.h -static -xc - -o "$work/empty-$1" 2>/dev/null && "qemu-$1" "$work/empty-$1" 2>/dev/null
}

for cpu in aarch64 riscv64; do
    if ! can_build $cpu; then
        skip "portable C on $cpu: no gcc-$cpu-linux-gnu with its C library, or no qemu-user"
        continue
    fi
    check "$cpu: digits" agrees $cpu
    check "$cpu: key words in integers alone, the host's bytes" same_bytes $cpu
    check "$cpu: key words in floats" knows_itself $cpu keywords build/graphs/keywords.ir
    for layers in conv_columns products rounding int8; do
        check "$cpu: tests/layers/$layers.ir" knows_itself $cpu $layers tests/layers/$layers.ir
    done
done

# Planned for SVE of 256 bits by what the other CPU's oneDNN answers; weights are packed here. Where registers have another length, or there are none, init
# asks oneDNN again and packs them anew.
plans_generated_code() { compile sve-digits $digits/digits.onnx --cc aarch64-linux-gnu-gcc --isa sve_256 --explain | grep 'brgconv:sve_256'; }
runs_on() { # CPU
    file_is aarch64 "$work/sve-digits/m" && qemu-aarch64 -cpu "$1" "$work/sve-digits/m" --check $digits/test_data_set_0
}
# The same bytes again; and from a file of answers, of which the emulator is not asked.
records() {
    compile sve-again $digits/digits.onnx --cc aarch64-linux-gnu-gcc --isa sve_256 --record-engine "$work/sve.answers" &&
        diff -r -x '*.o' -x '*.a' -x '*.log' -x '.ninja*' -x m "$work/sve-again" "$work/sve-digits" &&
        "$dnnlc" $digits/digits.onnx -o "$work/sve-replayed" --name m --cc aarch64-linux-gnu-gcc --engine "$work/sve.answers" &&
        cmp "$work/sve-replayed/m_weights.bin" "$work/sve-digits/m_weights.bin" && diff -I 'Command: ' "$work/sve-replayed/m_dnnl_0.c" "$work/sve-digits/m_dnnl_0.c"
}
tests_itself() { # NAME MODEL ISA CPU
    "$dnnlc" "$2" -o "$work/sve-$1" --name m --cc aarch64-linux-gnu-gcc --isa "$3" --selftest && builds "sve-$1" &&
        qemu-aarch64 -cpu "$4" "$work/sve-$1/m" --selftest
}
# One that is gone after its greeting.
ends_early() {
    mkdir -p "$work/tools"
    printf '#!/bin/sh\nexec %s "$@" </dev/null\n' "$(command -v qemu-aarch64)" >"$work/tools/qemu-aarch64"
    chmod +x "$work/tools/qemu-aarch64"
    PATH=$PWD/$work/tools:$PATH refused_model 1 $digits/digits.onnx --cc aarch64-linux-gnu-gcc --isa sve_256 && grep -F 'it has ended before it answered' "$work/said.err"
}

if ! can_build aarch64; then
    skip "oneDNN on aarch64: no gcc-aarch64-linux-gnu with its C library, or no qemu-user"
elif [ ! -e "${XDG_CACHE_HOME:-$HOME/.cache}/dnnlc/onednn-aarch64-linux-gnu" ]; then
    skip "oneDNN on aarch64: it is not there; runtime-stub/get-onednn --host aarch64-linux-gnu builds it"
else
    ninja --quiet build/dnnlc-aarch64-linux-gnu build/graphs/squeezenet.ir || exit 1
    check "aarch64: oneDNN's generated code is planned for digits" plans_generated_code
    check "aarch64: digits with oneDNN build" builds sve-digits
    for cpu in max,sve-max-vq=2 max,sve-max-vq=4 max,sve=off; do
        check "aarch64: digits with oneDNN on $cpu" runs_on $cpu
    done
    check "aarch64: the same bytes, also from recorded answers" records
    check "aarch64: the program that asks ends" ends_early
    check "aarch64: an LSTM with oneDNN" tests_itself lstm tests/emitted-goldens/dnnl_lstm.ir sve_256 max,sve-max-vq=2
    check "aarch64: SqueezeNet with oneDNN" tests_itself squeezenet build/graphs/squeezenet.ir sve_512 max,sve-max-vq=4
fi
