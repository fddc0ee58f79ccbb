# Sourced by run: --debug, and what the executable's --dump-layers writes then. SPDX-License-Identifier: Apache-2.0

# With debugging information a compiler cache takes the folder for a part of what it knows a file by: the same file would be compiled in each.
CCACHE_NOHASHDIR=1
export CCACHE_NOHASHDIR

dumped() { # FOLDER ARGUMENT...: into FOLDER/layers
    folder=$work/$1
    shift
    rm -rf "$folder/layers" && "$folder/m" "$@" --dump-layers "$folder/layers" && [ -s "$folder/layers/index.json" ]
}

# The index is JSON, has the layers of the manifest, and names the files that are there: besides the index, inputs and outputs one for each of its lines.
index_is_whole() { # FOLDER
    index=$work/$1/layers/index.json
    python3 -m json.tool "$index" >"$work/read" || return 1
    layers=$(grep -c '^ {"layer": ' "$index")
    [ "$layers" -ge "$(grep -c '^ *{"layer": [0-9]*, "label"' "$work/$1/m.json")" ] || return 1
    for file in $(grep -o '"file": "[^"]*"' "$index" | cut -d '"' -f 4); do
        echo "$file" | grep -E '^[a-z0-9_]+\.npy$' && [ -s "$work/$1/layers/$file" ] || return 1
    done
    [ "$(ls "$work/$1/layers" | wc -l)" = $((1 + $(grep -o '"file": "' "$index" | wc -l))) ]
}

# A value that two layers make, one in each of two layouts, is the same file twice; at least so many are.
reordered_alike() { # FOLDER COUNT
    same=0
    sed -n 's/.*"value": \(".*"\), "type": .*"layout": "\([^"]*\)", "file": "\(.*\)"}.*/\3 \2 \1/p' "$work/$1/layers/index.json" | sort -k 3 >"$work/values"
    while read -r file layout value; do
        if [ "$value" = "${before-}" ]; then
            [ "$layout" != "$as" ] && cmp "$work/$1/layers/$file" "$work/$1/layers/$other" || return 1
            same=$((same + 1))
        fi
        before=$value other=$file as=$layout
    done <"$work/values"
    [ $same -ge "$2" ]
}

last_is_output() { # FOLDER
    last=$(sed -n 's/^ {.*"file": "\(.*\)"}.*/\1/p' "$work/$1/layers/index.json" | tail -n 1)
    cmp "$work/$1/layers/$last" "$work/$1/layers/output_0.npy" && [ "$last" != output_0.npy ]
}
same_as_without() { # FOLDER
    "$work/$1/m" --random 7 --threads 1 --output-dir "$work/$1/outputs" && diff "$work/$1/outputs/output_0.npy" "$work/$1/layers/output_0.npy"
}
# What other folders do not have.
own_files_compile() ( # FOLDER
    cd "$work/$1" || exit 1
    for cc in gcc clang; do
        # shellcheck disable=SC2086 # words
        $cc -std=c17 $strict -fsyntax-only m_debug.c && $cc -std=c17 $strict -fsyntax-only dnnlc_dump.c && $cc -std=c17 -D_GNU_SOURCE $strict -isystem "$onednn/include" -fsyntax-only m_main.c || exit 1
    done
)
has_symbols() { nm "$work/$1/m" | grep ' T main$' && readelf -SW "$work/$1/m" | grep debug_info; }

for target in dnnl c; do
    check "digits-$target: compiles" compile digits-$target $digits/digits.onnx --target $target --debug
    check "digits-$target: gcc and clang" own_files_compile digits-$target
    check "digits-$target: builds" builds digits-$target
    check "digits-$target: has debugging information" has_symbols digits-$target
    check "digits-$target: layers" dumped digits-$target --random 7 --threads 1
    check "digits-$target: the index" index_is_whole digits-$target
    check "digits-$target: the last layer makes the output" last_is_output digits-$target
    check "digits-$target: the outputs are those of another run" same_as_without digits-$target
    check "digits-$target: exists already" refused 1 "$work/digits-$target/m" --random 7 --dump-layers "$work/digits-$target/layers"
    check "digits-$target: what it says" grep "layers: exists already; --dump-layers makes a new folder$" "$work/said.err"
done
check "twice the same bytes" twice_the_same $digits/digits.onnx --debug
check "digits-dnnl: what is reordered" reordered_alike digits-dnnl 1
# Names that are no identifiers; states, which grow; counts; variants, of which one runs.
for model in emitted/names emitted/stateful emitted/bounded; do
    name=${model#*/}
    check "$name: compiles" compile "$name" tests/$model.ir --target c --debug
    check "$name: builds" hastily builds "$name"
    check "$name: layers" dumped "$name" --random 1
    check "$name: the index" index_is_whole "$name"
done
check "variants: compiles" compile variants $digits/digits.onnx --target c --debug --shape image=1x1x28x28,4x1x28x28
check "variants: builds" hastily builds variants
check "variants: layers" dumped variants --random 7 --variant image_0=4
check "variants: its inputs" grep -a "'shape': (4, 1, 28, 28)" "$work/variants/layers/input_0.npy"
check "variants: its layers" grep -c 'f32\[4,' "$work/variants/layers/index.json"
check "one file of C has no executable" refused_model 2 $digits/digits.onnx --amalgamate --debug
check "what it says" grep "debug: it is for the executable, and --amalgamate makes none" "$work/said.err"
without_debug() { compile without $digits/digits.onnx --target c && hastily builds without && ! grep -l dump "$work"/without/m_*.[ch] && [ ! -e "$work/without/dnnlc_dump.c" ]; }
check "without --debug there is none" without_debug
check "without --debug it is refused" refused 1 "$work/without/m" --random 7 --dump-layers "$work/none"
check "what it says" grep "dump-layers: the model was compiled without --debug$" "$work/said.err"
