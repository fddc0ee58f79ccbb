# Sourced by run: MISRA C:2012, as far as cppcheck's addon knows it. docs/misra.md lists the rules that are not kept; any other one that is violated is a
# failure, and so is a listed one that is kept. $work/counts has the number of places. SPDX-License-Identifier: Apache-2.0
cat >"$work/recurrent.ir" <<'END'
graph "recurrent" {
  input %x: f32[5,1,6]
  input %h: f32[1,1,4]
  input %c: f32[1,1,4]
  const %w: f32[1,16,6] = random(seed=8, scale=0.5)
  const %r: f32[1,16,4] = random(seed=9, scale=0.5)
  const %b: f32[1,32] = random(seed=10, scale=0.5)
  %y, %hn, %cn = LSTM(%x, %w, %r, %b, _, %h, %c) {activation_alpha=[0.0,0.0,0.0], activation_beta=[0.0,0.0,0.0], activations="Sigmoid,Tanh,Tanh", clip=0.0, direction="forward", hidden_size=4, input_forget=0, layout=0, projected=0}
  output "y" = %y
  output "hn" = %hn next "h"
  output "cn" = %cn next "c"
}
END
cat >"$work/trees.ir" <<'END'
graph "trees" {
  input %x: f32[7,6]
  const %nodes: i32[8,5] = [0,1,1,0,0, 6,2,3,1,1, 7,1,0,0,0, 7,2,0,0,1, 7,0,0,0,0, 5,3,6,0,0, 7,1,0,0,3, 7,1,0,0,2]
  const %splits: f32[8] = [0.5, 0.0, 0.0, 0.0, 0.0, 0.25, 0.0, 0.0]
  const %roots: i32[3] = [0, 5, 2]
  const %leaves: f32[4] = [1.0, 2.0, -3.0, 4.0]
  const %targets: i32[4] = [0, 1, 0, 1]
  const %sets: f32[4] = [nan, 0.25, 0.5, nan]
  %y = TreeEnsemble(%x, %nodes, %splits, %roots, %leaves, %targets, %sets) {aggregate_function="SUM", n_targets=2}
  output "y" = %y
}
END

# The rules that these files violate, one line for each place.
violations() { # FOLDER FILE...
    (cd "$work/$1" && shift && cppcheck --addon=misra --std=c99 --quiet -DDNNLC_NO_CLONES -D__GNUC__=12 "$@") 2>&1 |
        tee -a "$work/messages" | sed -n 's/.*\[misra-c2012-\([0-9.]*\)\]$/\1/p'
}

# Of the library: everything that is compiled for a device but its weights, of several models. Of the program: the executable's own files, of one.
library() {
    while read -r name model options; do
        # shellcheck disable=SC2086 # words
        compile "$name" "$model" --target c $options >&2 || return 1
        # shellcheck disable=SC2046
        violations "$name" $(cd "$work/$name" && ls m_dnnl.c m_c_*.c m_kernels_*.c)
    done <<END
digits $digits/digits.onnx
words build/graphs/keywords.ir
integers build/graphs/keywords_static.ir --no-float
recurrent $work/recurrent.ir
trees $work/trees.ir
END
}
program() {
    # shellcheck disable=SC2046
    violations digits $(cd "$work/digits" && ls dnnlc_*.c m_main.c)
}

# What the table of docs/misra.md says of column 3 or 4: | rule | kind | places in the library | in the program | reason |
listed() { # COLUMN
    sed -n 's/^| \([0-9][0-9]*\.[0-9]*\) |/&/p' docs/misra.md | awk -F '|' -v column="$1" '$(column + 1) + 0 > 0 { gsub(/ /, "", $2); print $2 }' | sort
}
agrees_with_list() { # library | program, COLUMN
    : >"$work/messages"
    $1 >"$work/$1.places" && [ -s "$work/$1.places" ] || { cat "$work/messages"; return 1; }
    sort "$work/$1.places" | uniq -c | awk -v scope="$1" '{ print scope, $2, $1 }' >>"$work/counts"
    sort -u "$work/$1.places" >"$work/$1.rules"
    listed "$2" >"$work/$1.listed"
    comm -23 "$work/$1.rules" "$work/$1.listed" | while read -r rule; do
        echo "rule $rule is violated and not in docs/misra.md:"
        grep -F "[misra-c2012-$rule]" "$work/messages" | head -n 3
    done
    comm -13 "$work/$1.rules" "$work/$1.listed" | sed 's/.*/rule & of docs\/misra.md is kept everywhere/'
    cmp "$work/$1.rules" "$work/$1.listed"
}

if command -v cppcheck >/dev/null; then
    ninja --quiet build/graphs/keywords.ir build/graphs/keywords_static.ir || exit 1
    : >"$work/counts"
    check "MISRA: the library" agrees_with_list library 3
    check "MISRA: the executable's own files" agrees_with_list program 4
else
    skip "MISRA C: no cppcheck"
fi
