# Sourced by run: portable C for other CPUs, built with Debian's cross compilers and run by qemu-user. SPDX-License-Identifier: Apache-2.0
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

for cpu in aarch64 riscv64; do
    if ! command -v $cpu-linux-gnu-gcc >/dev/null || ! command -v qemu-$cpu >/dev/null; then
        skip "portable C on $cpu: no gcc-$(echo $cpu | tr _ -)-linux-gnu or qemu-user"
        continue
    fi
    check "$cpu: digits" agrees $cpu
    check "$cpu: key words in integers alone, the host's bytes" same_bytes $cpu
    check "$cpu: key words in floats" knows_itself $cpu keywords build/graphs/keywords.ir
    for layers in conv_columns products rounding int8; do
        check "$cpu: tests/layers/$layers.ir" knows_itself $cpu $layers tests/layers/$layers.ir
    done
done
