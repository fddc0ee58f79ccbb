# Sourced by tests/emitted/run: pages that nobody may touch around workspace, weights, inputs and outputs. SPDX-License-Identifier: Apache-2.0

# In front of all of them and behind; and with 64 bytes of the workspace missing the program ends by a signal, so that the pages do stand there.
guarded() { # MODEL TARGET
    rm -rf "$work/guards"
    compile guards "$1" --target "$2" --weights file && ninja -j "$jobs" -C "$work/guards" libm.a || return 1
    # bytes KEY: those of all tensors of the manifest, separated by commas.
    bytes() { sed -n "/^  \"$1\"/,/^  \]/s/.*\"bytes\": \([0-9]*\).*/\1/p" "$work/guards/m.json" | paste -sd ,; }
    libraries=-lm
    [ "$2" = c ] || libraries="-L$onednn/lib -ldnnl -lstdc++ -lgomp -lm -ldl -lpthread"
    # shellcheck disable=SC2086 # words
    gcc -std=c17 -D_GNU_SOURCE $strict -O1 -I"$work/guards" "-DIN_BYTES=$(bytes inputs)" "-DOUT_BYTES=$(bytes outputs)" tests/emitted/guards.c \
        "$work/guards/libm.a" $libraries -o "$work/guards/guards" && "$work/guards/guards" "$work/guards/m_weights.bin" || return 1
    "$work/guards/guards" "$work/guards/m_weights.bin" short
    [ $? -gt 128 ]
}

for target in c dnnl; do
    for model in $digits/digits.onnx tests/layers/images.ir tests/layers/int8.ir; do
        check "$(basename "$model") between guard pages, $target" guarded "$model" $target
    done
done
