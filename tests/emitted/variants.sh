# Sourced by run: variants, one artefact for several sizes. SPDX-License-Identifier: Apache-2.0
pictures() { echo "image=$(for n in "$@"; do printf '%sx1x28x28\n' "$n"; done | paste -sd ,)"; }

# model NAME TARGET N...
model() {
    name=$1 target=$2
    shift 2
    "$dnnlc" $digits/digits.onnx --shape "$(pictures "$@")" --target "$target" --threads 1 -o "$work/$name-$target" --name "$name" && builds "$name-$target"
}

as_alone() { # TARGET
    model v "$1" 1 4 6 && model a "$1" 1 && model b "$1" 4 || return 1
    libraries=-lm
    [ "$1" = c ] || libraries="-L$onednn/lib -ldnnl -lstdc++ -lgomp -lm -ldl -lpthread"
    # shellcheck disable=SC2086 # words
    gcc -std=c17 -D_GNU_SOURCE $strict -O1 -I"$work/v-$1" -I"$work/a-$1" -I"$work/b-$1" tests/emitted/variants.c \
        "$work/v-$1/libv.a" "$work/a-$1/liba.a" "$work/b-$1/libb.a" $libraries -o "$work/variants-$1" && "$work/variants-$1"
}

weights() { sed -n 's/^  "weights_bytes": \([0-9]*\),$/\1/p' "$work/$1/$2.json"; }

# Weights are stored once where two variants pack them alike: far less than three times those of one. Memory is the largest's.
shares() { # TARGET
    model s "$1" 6 || return 1
    memory() { sed -n 's/^  "workspace_bytes": \([0-9]*\),$/\1/p' "$work/$1/$2.json"; }
    [ $(($(weights "v-$1" v) * 100)) -le $(($(weights "s-$1" s) * 3 * 60)) ] && [ "$(memory "v-$1" v)" -le $(($(memory "s-$1" s) + 4096)) ]
}

# A layer for 1, 4 and 16 rows of 256 KiB of weights, and the first rows of a table of 32 KiB: both are stored once in portable C and by what is planned with AVX-512, and
# never three times.
packed_once() { # TARGET
    "$dnnlc" tests/emitted/packed.ir --target "$1" --threads 1 --selftest -o "$work/packed-$1" --name packed && builds "packed-$1" || return 1
    bytes=$(sed -n 's/^  "weights_bytes": \([0-9]*\),$/\1/p' "$work/packed-$1/packed.json")
    most=$((600 << 10))
    if [ "$1" = c ] || grep '"isa": "avx512' "$work/packed-$1/packed.json"; then most=$((300 << 10)); fi
    [ "$bytes" -le $most ]
}

# Few rows read panels of columns side by side, in C and in tiles (of 32 columns, planned with AVX2), as others have packed them: there are no more weights than these read, but
# for 5 % where the last panel is alone.
side_by_side() { # TARGET
    "$dnnlc" tests/emitted/panels.ir --target "$1" --isa avx2 --threads 1 --selftest --explain -o "$work/panels-$1" --name panels >"$work/explained" && builds "panels-$1" &&
        [ $(($(weights "panels-$1" panels) * 100)) -le $((4 * (96 * 512 + 131 * 400 + 203 * 336 + 64 * 24 + 336) * 105)) ] || return 1
    if [ "$1" = dnnl ]; then
        grep -c 'C, tiles of 2x32' "$work/explained" | grep -x 3 && grep -c 'first += 2 \* WIDTH' "$work/panels-$1"/panels_kernels_*.c | grep -x 3 || return 1
    fi
    "$work/panels-$1/panels" --selftest
}

# Convolutions by Winograd's method in one variant and direct in another: what both read of the weights is stored once. Of 3x3 taps, which are 9, and 36 planes of tiles of
# 4x4 or 16 of 2x2, four are the same; of a line's 3 taps and 6 planes two are. The others of the taps are only the direct one's.
taps_once() {
    "$dnnlc" tests/emitted/taps.ir --isa avx2 --threads 1 --selftest --explain -o "$work/taps" --name taps >"$work/explained" && builds taps && "$work/taps/taps" --selftest &&
        grep -c 'some planes are taps that another variant reads' "$work/explained" | grep -x 3 &&
        grep "^variants: .* constants, $((4 * (64 * 64 * 5 + 128 * 128 * 5 + 64 * 128))) of them beside those of size=8" "$work/explained" &&
        [ "$(weights taps taps)" = $((4 * (64 * 64 * (9 + 36 - 4) + 128 * 128 * (9 + 16 - 4) + 64 * 128 * (3 + 6 - 2)))) ]
}

# Planes are stored alike for few tiles and for many: the line of 7 reads what that of 20 does.
planes_once() {
    sed '/%c2:/s/3,2/1,7/' tests/emitted/taps.ir >"$work/planes.ir" && "$dnnlc" "$work/planes.ir" --isa avx2 --threads 1 --explain -o "$work/planes" --name planes >"$work/explained" &&
        grep -c 'Winograd F(1x4, 1x3) over C' "$work/explained" | grep -x 2 &&
        grep "^variants: .* constants, $((4 * (64 * 64 * 5 + 128 * 128 * 5))) of them beside those of size=8" "$work/explained"
}

# encoder BATCHxLENGTH...: a layer of a transformer whose products are narrower than oneDNN's widest kernel, with a table of positions for each image.
encoder() {
    echo 'graph "encoder" {'
    for size in "$@"; do echo "  variant \"batch\" ${size%x*}, \"length\" ${size#*x}"; done
    for size in "$@"; do echo "  input %x$size: f32[${size%x*},${size#*x},32] name=\"x\""; done
    seed=0
    for const in table:64,32 wq:32,32 wk:32,32 wv:32,32 wo:32,32 w1:32,44 w2:44,32 b1:44 scale:32 shift:32; do
        echo "  const %${const%:*}: f32[${const#*:}] = random(seed=$((seed += 1)), scale=0.2)"
    done
    for size in "$@"; do
        cat <<END
  %row$size = Slice(%table) {starts=[0,0], sizes=[${size#*x},32], steps=[1,1]}
  %positions$size = Expand(%row$size) {shape=[${size%x*},${size#*x},32]}
  %sum$size = Add(%x$size, %positions$size)
  %norm$size = LayerNormalization(%sum$size, %scale, %shift) {axis=2, epsilon=1e-05}
  %q$size = MatMul(%norm$size, %wq)
  %k$size = MatMul(%norm$size, %wk)
  %v$size = MatMul(%norm$size, %wv)
  %kt$size = Transpose(%k$size) {perm=[0,2,1]}
  %scores$size = MatMul(%q$size, %kt$size)
  %weights$size = Softmax(%scores$size) {axis=2, axis_end=3}
  %read$size = MatMul(%weights$size, %v$size)
  %projected$size = MatMul(%read$size, %wo)
  %inner$size = Add(%projected$size, %norm$size)
  %wide$size = MatMul(%inner$size, %w1)
  %biased$size = Add(%wide$size, %b1)
  %active$size = Relu(%biased$size)
  %narrow$size = MatMul(%active$size, %w2)
  %y$size = Add(%narrow$size, %inner$size)
END
    done
    for size in "$@"; do echo "  output \"y\" = %y$size"; done
    echo '}'
}

# All that the largest variant reads is all that there is, but for 5 %; and no more than that has when it is compiled alone, in whatever form. The numbers are the evaluator's.
encoder_shares() { # TARGET
    encoder 1x16 1x32 1x64 3x16 3x32 3x64 >"$work/encoder.ir" && encoder 3x64 >"$work/alone.ir" || return 1
    "$dnnlc" "$work/encoder.ir" --target "$1" --threads 1 --selftest --explain -o "$work/e-$1" --name e >"$work/explained" && builds "e-$1" &&
        "$dnnlc" "$work/alone.ir" --target "$1" --threads 1 -o "$work/l-$1" --name l && "$work/e-$1/e" --selftest || return 1
    own=$(sed -n 's/^variants: [0-9]* bytes of constants, \([0-9]*\) of them .*/\1/p' "$work/explained")
    # oneDNN's gemm of CPUs before AVX-512 reads rows and C its blocks: which is quicker goes by the size, by more than variants may lose.
    if grep -q 'gemm:jit:f32' "$work/explained"; then
        [ $(($(weights "e-$1" e) * 100)) -le $(($(weights "l-$1" l) * 110)) ]
    else
        [ "$((own * 20))" -le "$(weights "e-$1" e)" ] && [ $(($(weights "e-$1" e) * 100)) -le $(($(weights "l-$1" l) * 105)) ]
    fi
}

# Of one image in several lengths, the shortest of which has products that C's loops could take: with AVX2 all are in one form.
lengths_share() {
    encoder 1x16 1x32 1x64 >"$work/lengths.ir" && "$dnnlc" "$work/lengths.ir" --isa avx2 --threads 1 --explain -o "$work/lengths" --name l >"$work/explained" || return 1
    grep '^variants: .* constants, 0 of them beside those of batch=1 length=64' "$work/explained"
}

# One after the other, or the one that is named; where one's outputs are others, it says so.
tests_itself() { # FOLDER
    m=$work/$1/packed
    "$m" --selftest >"$work/said" && [ "$(sed -n 's/^selftest: \(rows=[0-9]*\): all outputs agree .*/\1/p' "$work/said" | paste -sd ' ')" = "rows=1 rows=4 rows=16" ] &&
        "$m" --selftest --variant rows=4 | grep -c '^selftest: rows=4: ' | grep -x 1 || return 1
    sed -i '/golden_2_0\[\]/,/}/s/{[^,]*,/{1e6,/' "$work/$1/packed_selftest.c" && builds "$1" || return 1
    refuses 1 "output 'y' is not what the model gave when it was compiled" "$m" --selftest && grep -c rows "$work/out.txt" | grep -x 2
}

chosen_by_shape() { # TARGET
    v=$work/v-$1/v
    "$v" --check $digits/test_data_set_0 && "$work/b-$1/b" --random 3 --output-dir "$work/four" || return 1
    "$v" --random 3 --variant image_0=4 --output-dir "$work/mine" || return 1
    cmp "$work/four/output_0.npy" "$work/mine/output_0.npy" || [ "$1" = dnnl ] || return 1 # other layouts sum otherwise
    "$v" --info | grep -c '^variant ' | grep -x 3 && "$v" --info | grep "'image' f32\[6,1,28,28\]" || return 1
    # an input of four pictures chooses the second
    npy '<f4' '4, 1, 28, 28' $((4 * 4 * 28 * 28)) "$work/x.npy"
    "$v" --input "$work/x.npy" | grep "'probabilities' f32\[4,10\]" || return 1
    sed 's/(4, 1,/(5, 1,/' "$work/x.npy" >"$work/y.npy" && head -c $((4 * 28 * 28)) /dev/zero >>"$work/y.npy"
    refuses 1 "input 'image' is f32[5,1,28,28], and of the variants 'image_0=1', 'image_0=4', 'image_0=6' none takes all inputs" "$v" --input "$work/y.npy" &&
        refuses 1 "--variant batch=4: there are 'image_0=1', 'image_0=4', 'image_0=6'" "$v" --random 1 --variant batch=4 &&
        refuses 2 "--variant 4: the model was compiled for one size" "$work/a-$1/a" --random 1 --variant 4
}

# A program's text has the variants, and what is emitted of it is the same.
as_text() { # TARGET GRAPH
    rm -rf "$work/direct" "$work/again"
    "$dnnlc" "tests/emitted/$2.ir" --target "$1" --threads 1 -o "$work/direct" --name m &&
        "$dnnlc" "tests/emitted/$2.ir" --target "$1" --threads 1 --name m --emit text --stop-after plan-memory >"$work/program.ir" &&
        "$dnnlc" "$work/program.ir" -o "$work/again" || return 1
    for file in "$work"/direct/m_*.[ch]; do
        grep -v '^ \* Command:\|Model SHA-256\|Written by' "$file" >"$work/left"
        grep -v '^ \* Command:\|Model SHA-256\|Written by' "$work/again/$(basename "$file")" | cmp - "$work/left" || return 1
    done
}

# refuses STATUS WHY COMMAND...: in one line.
refuses() {
    status=$1 why=$2
    shift 2
    "$@" >"$work/out.txt" 2>"$work/said"
    [ $? = "$status" ] && [ "$(grep -cv '^note: ' "$work/said")" = 1 ] && grep -F -e "$why" "$work/said"
}
asked() { # WHY OPTION...
    why=$1
    shift
    refuses 1 "$why" "$dnnlc" $digits/digits.onnx -o "$work/no" --target c "$@"
}
cat >"$work/grows.ir" <<'END'
graph "grows" {
  variant "n" 2
  variant "n" 3
  input %x: f32[2]
  input %x3: f32[3] name="x"
  %y = Tanh(%x)
  %y3 = Tanh(%x3)
  output "y" = %y
  output "y" = %y3
}
END

for target in c dnnl; do
    check "variants give what each gives alone, $target" as_alone $target
    check "variants share weights and memory, $target" shares $target
    check "what one variant has packed another one reads, $target" packed_once $target
    check "a transformer in batches and lengths has the weights of the largest, $target" encoder_shares $target
    check "--selftest knows outputs of all variants, $target" tests_itself packed-$target
    check "the executable goes by the shapes of its inputs, $target" chosen_by_shape $target
    check "the text of a program has variants, $target" as_text $target sizes
    check "the text of a program has constants in others, $target" as_text $target packed
done
# Planned with AVX2, so that every CPU that has it gives the same.
case $(native_isa) in
sse41 | avx) skip "taps of direct and Winograd convolutions, and panels side by side: this CPU has no AVX2" ;;
*)
    check "a direct convolution and one by Winograd's method share taps" taps_once
    check "Winograd convolutions of few tiles and of many share planes" planes_once
    check "a transformer in several lengths has one form of its weights" lengths_share
    for target in c dnnl; do check "few rows read panels side by side, $target" side_by_side $target; done
    ;;
esac
check "the text of a program has planes behind taps" as_text dnnl taps
check "a state of several sizes" refuses 1 "variants have it in several sizes" "$dnnlc" "$work/grows.ir" --target c -o "$work/no" --state y=x
check "a dimension without a name" asked "a dimension with several values has to be named" --dim '*=1,4'
check "more variants than are wanted" asked "more than 16 variants; --max-variants N allows more" --shape "$(pictures 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16 17)"
check "as many as --max-variants says" asked "more than 2 variants" --shape "$(pictures 1 2 3)" --max-variants 2
check "no export of several sizes" asked "--emit onnx writes one graph, and this model has one for each of 2 variants: give each option one value" --shape "$(pictures 1 2)" --emit onnx
