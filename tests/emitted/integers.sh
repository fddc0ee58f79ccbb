# Sourced by run: --no-float, quantised models in integers alone. SPDX-License-Identifier: Apache-2.0
integers=tests/emitted/integers.ir
ninja --quiet build/graphs/keywords.ir build/graphs/keywords_static.ir || exit 1

# Any bytes: an .npy file.
bytes_npy() { # TYPE SHAPE COUNT FILE
    {
        npy_header "$1" "$2"
        # shellcheck disable=SC2059 # escapes are meant to be read
        printf "$(awk -v n="$3" 'BEGIN { for (s = n; n--; ) { s = s * 16807 % 2147483647; printf "\\%03o", int(s / 4096) % 256 } }')"
    } >"$4"
}
bytes_npy '|u1' '1, 8, 17, 13' 1768 "$work/x.npy"
bytes_npy '|i1' '1, 8, 17, 13' 1768 "$work/y.npy"
bytes_npy '|u1' '1, 60' 60 "$work/v.npy"
bytes_npy '|i1' '6, 40' 240 "$work/rows.npy"
bytes_npy '|u1' '1, 8, 1, 1' 8 "$work/gate.npy"

# Names and numbers: "OUTPUT ELEMENTS OTHER LARGEST", how many bytes are other ones than with floats, and by how many steps at most.
differences() { # MODEL
    rm -rf "$work/float" "$work/whole"
    { compile float "$1" --target c && compile whole "$1" --target c --no-float && builds float && builds whole; } >&2 || return 1
    for folder in float whole; do
        mkdir -p "$work/$folder/out"
        # shellcheck disable=SC2046 # words
        "$work/$folder/m" $(sed -n "/^  \"inputs\"/,/^  \\]/s,.*\"name\": \"\([^\"]*\)\".*,--input \1=$work/\1.npy,p" "$work/whole/m.json") \
            --output-dir "$work/$folder/out" >/dev/null || return 1
    done
    k=0
    for name in $(sed -n '/"outputs"/,/\]$/s/.*"name": "\([^"]*\)".*/\1/p' "$work/whole/m.json"); do
        whole=$work/whole/out/output_$k.npy
        bytes=$(wc -c <"$whole")
        cmp -l "$work/float/out/output_$k.npy" "$whole" | awk -v name="$name" -v bytes="$bytes" '
            function octal(s) { return substr(s, length(s) - 2, 1) * 64 + substr(s, length(s) - 1, 1) * 8 + substr(s, length(s), 1) }
            { d = octal("000" $2) - octal("000" $3); d = d < 0 ? -d : d; d = d > 128 ? 256 - d : d; most = d > most ? d : most }
            END { print name, bytes - 128, NR, most + 0 }'
        k=$((k + 1))
    done
    [ $k -gt 0 ]
}

# What is rounded once is the same byte; the rest at most one step off, where a fourth is halfway and in what is looked up one in eight at most, else one
# in a thousand.
as_floats() { # OUTPUTS MODEL
    differences "$2" >"$work/differences" || return 1
    cat "$work/differences"
    [ "$(wc -l <"$work/differences")" = "$1" ] &&
        awk '($1 ~ /^same_/ && $3) || $4 > 1 || $3 > $2 / ($1 ~ /^(tied|log_)/ ? 8 : 1000) { bad++ } END { exit bad > 0 }' "$work/differences"
}

# No instruction for floats, no function of libgcc or libm for them, in any object of the library.
no_floats_in() { # FOLDER OBJDUMP
    "$2" -dr "$1"/net_*.o >"$work/code" && [ -s "$work/code" ] || return 1
    ! grep -E '__aeabi_[fd]|__aeabi_u?[il]2[fd]|\<v[a-z]+\.f(16|32|64)|\<vcvt|\<(rintf?|expf?|nearbyintf?|sqrtf?)\>' "$work/code"
}

# The same bytes on every core as on the host, whatever instructions for bytes it has; a small device has room; and no more stack is used than what
# is said, but for main and what it prints.
on_devices() {
    boards='mps2-an385 mps2-an386 mps2-an500 mps3-an547'
    for model in $integers build/graphs/keywords_static.ir; do
        SAME=1 BOARDS=$boards OUT=$work/devices samples/firmware/measure.sh "$model" --no-float >"$work/table" || return 1
        cat "$work/table"
        [ "$(grep -c 'as the host$' "$work/table")" = 4 ] || return 1
        for board in $boards; do
            no_floats_in "$work/devices/$board" arm-none-eabi-objdump || return 1
        done
    done
    awk '/^Cortex/ && ($2 > 131072 || $3 > 65536) { bad++ }
        /^Cortex/ { used = $0; sub(/.*\(/, "", used); sub(/trace\).*\(/, "", used); bad += used + 0 > $4 + 256 || used + 0 < 64 }
        END { exit bad > 0 }' "$work/table"
}

norms_on_device() {
    SAME=1 BOARDS=mps2-an385 OUT=$work/devices samples/firmware/measure.sh tests/emitted/integers_norms.ir --no-float >"$work/table" || return 1
    cat "$work/table"
    grep 'as the host$' "$work/table" && no_floats_in "$work/devices/mps2-an385" arm-none-eabi-objdump
}

no_float_text() {
    ! cat "$work"/whole/m_kernels*.[ch] "$work"/whole/m_c_*.c "$work"/whole/m_dnnl.[ch] "$work"/whole/m_helpers.h | grep -v '^ \*' | grep -E '\<(float|double|rintf|expf)\>'
}

check "--no-float: the bytes of floats, or their neighbours" as_floats 24 $integers
check "--no-float: no float in the code" no_float_text
check "--no-float: layers that others stand for" as_floats 26 tests/emitted/integers_layers.ir
check "--no-float: no float in their code" no_float_text
check "--no-float: norms whose scale depends on data" as_floats 8 tests/emitted/integers_norms.ir
check "--no-float: no float in theirs" no_float_text
check "--no-float: the passes change nothing" sh -c "'$dnnlc' build/graphs/keywords_static.ir --target c --no-float --verify -o '$work/verified'"
check "--no-float: clean code" compiles_with gcc whole
if command -v arm-none-eabi-gcc >/dev/null && command -v qemu-system-arm >/dev/null; then
    check "--no-float on Cortex-M3, M4F, M7 and M55" on_devices
    check "--no-float: norms on Cortex-M3" norms_on_device
else
    skip "--no-float on devices: no gcc-arm-none-eabi or qemu-system-arm"
fi

cat >"$work/leaves.ir" <<'END'
graph "leaves" {
  input %x: u8[1,4]
  const %s: f32[] = [0.1]
  %f = DequantizeLinear(%x, %s) {axis=0}
  %y = CumSum(%f) {axis=1, exclusive=0, reverse=0}
  %q = QuantizeLinear(%y, %s) {axis=0, to=u8}
  output "q" = %q
}
END
refuses() { # MESSAGE MODEL OPTION...
    message=$1
    shift
    ! "$dnnlc" "$@" -o "$work/refused" 2>"$work/said" && grep -qF -- "$message" "$work/said"
}
check "--no-float is for portable C" refuses '--no-float is for --target c' build/graphs/keywords_static.ir --no-float
check "--no-float refuses a model in floats" refuses "input 'features' is f32 and not quantised at once, with one scale: --no-float takes bytes" \
    build/graphs/keywords.ir --target c --no-float
check "--no-float refuses a node in floats" refuses '(CumSum): computes with floats, which --no-float rules out' "$work/leaves.ir" --target c --no-float

# A layer whose state stays in floats: the compiler says which one, and why.
recurrent() { # LAYER GATES CALL
    cat >"$work/$1.ir" <<END
graph "$1" {
  input %x: u8[4,1,8]
  const %s: f32[] = [0.1]
  const %w: f32[1,$2,8] = random(seed=8, scale=0.5)
  const %r: f32[1,$2,4] = random(seed=9, scale=0.5)
  %f = DequantizeLinear(%x, %s) {axis=0}
  $3
  %q = QuantizeLinear(%y, %s) {axis=0, to=u8}
  output "q" = %q
}
END
    refuses "($1): computes with floats, which --no-float rules out: its state has no scale from one step to the next" "$work/$1.ir" --target c --no-float
}
check "--no-float refuses an LSTM" recurrent LSTM 16 '%y, _, _ = LSTM(%f, %w, %r) {activation_alpha=[0.0,0.0,0.0], activation_beta=[0.0,0.0,0.0], activations="Sigmoid,Tanh,Tanh", clip=0.0, direction="forward", hidden_size=4, input_forget=0, layout=0}'
check "--no-float refuses a GRU" recurrent GRU 12 '%y, _ = GRU(%f, %w, %r) {activation_alpha=[0.0,0.0], activation_beta=[0.0,0.0], activations="Sigmoid,Tanh", clip=0.0, direction="forward", hidden_size=4, layout=0, linear_before_reset=0}'
check "--no-float refuses an RNN" recurrent RNN 4 '%y, _ = RNN(%f, %w, %r) {activation_alpha=[0.0], activation_beta=[0.0], activations="Tanh", clip=0.0, direction="forward", hidden_size=4, layout=0}'
