# Sourced by run: states that each run appends rows to. SPDX-License-Identifier: Apache-2.0
decoder=tests/emitted/decoder.ir
pairs='--state present_k=past_k --state present_v=past_v'

fed_back_by_hand() { # TARGET GRAPH LETTERS OPTION...
    target=$1 graph=$2 m=$3-m-$1 p=$3-p-$1
    shift 3
    "$dnnlc" $graph --state auto --selftest -o "$work/$m" --name m --target "$target" --threads 1 && builds "$m" || return 1
    "$dnnlc" $graph -o "$work/$p" --name p --target "$target" --threads 1 && builds "$p" || return 1
    libraries=-lm
    [ "$target" = c ] || libraries="-L$onednn/lib -ldnnl -lstdc++ -lgomp -lm -ldl -lpthread"
    # shellcheck disable=SC2086
    gcc -std=c17 -D_GNU_SOURCE $strict -O1 "$@" -I"$work/$m" -I"$work/$p" tests/emitted/appended.c \
        "$work/$m/libm.a" "$work/$p/libp.a" $libraries -o "$work/appended-$target" && "$work/appended-$target" && ! grep '"copied_bytes": [1-9]' "$work/$m/m.json"
}

# Text and program keep what is a state, what it may be, and where; the names say it as well as the options do.
as_text() {
    # shellcheck disable=SC2086
    "$dnnlc" $decoder $pairs --emit text >"$work/text.ir" && grep 'along 2 most 5$' "$work/text.ir" && "$dnnlc" "$work/text.ir" --emit text | cmp - "$work/text.ir" &&
        [ "$(grep -c ' = WriteRows(%past_' "$work/text.ir")" = 2 ] && "$dnnlc" $decoder --state auto --emit text 2>"$work/notes" | cmp - "$work/text.ir" &&
        "$dnnlc" $decoder $pairs -o "$work/direct" --name m --target c --threads 1 && "$dnnlc" $decoder $pairs --emit text --stop-after plan-memory --name m --target c --threads 1 >"$work/program.ir" &&
        "$dnnlc" "$work/program.ir" -o "$work/again" && diff "$work/again/m_dnnl.h" "$work/direct/m_dnnl.h" && [ "$(grep -c '"copied_bytes": 0' "$work/again/m.json")" = 3 ]
}

# What one process leaves the next goes on with, and both are as one.
files_go_on() {
    m=$work/two-m-c/m
    rm -rf "$work/in" "$work/one" && mkdir "$work/in"
    for k in 1 2 3; do
        "$work/two-p-c/p" --random $k --input past=0 --output-dir "$work/x" && cp "$work/x/output_0.npy" "$work/in/$k.npy" || return 1
    done
    "$m" --each "$work/in/*.npy" --output-dir "$work/one" || return 1
    grep -a "'shape': (1, 2, 3, 4)" "$work/one/2/output_1.npy" && grep -a "'shape': (1, 2, 3, 4)" "$work/one/2/output_2.npy" || return 1
    "$m" --input "$work/in/1.npy" --output-dir "$work/a" &&
        "$m" --input "$work/in/2.npy" --input "past_k=$work/a/output_1.npy" --input "past_v=$work/a/output_2.npy" --output-dir "$work/b" &&
        "$m" --input "$work/in/3.npy" --input "past_k=$work/b/output_1.npy" --input "past_v=$work/b/output_2.npy" --output-dir "$work/c" &&
        diff -r "$work/c" "$work/one/2" || return 1
    "$m" --each "$work/in/*.npy" --reset --output-dir "$work/one" && grep -a "'shape': (1, 2, 1, 4)" "$work/one/2/output_2.npy" && "$m" --random 1 --input past=4 --bench 20
}

# as_by_hand GRAPH BYTES INPUT=N...: three steps with states, of which each run copies so many bytes, are those to which inputs are given what output N was.
as_by_hand() {
    graph=$1 bytes=$2
    rm -rf "$work/two"
    shift 2
    "$dnnlc" "$graph" --state auto --target c -o "$work/kept" --name m --force && builds kept && "$dnnlc" "$graph" --verify --state auto --target c -o "$work/v" --force &&
        [ "$(grep -c "\"copied_bytes\": $bytes[,}]" "$work/kept/m.json")" -ge $# ] && "$dnnlc" "$graph" --target c -o "$work/plain" --name m --force && builds plain &&
        "$work/kept/m" --each "$work/in/*.npy" --output-dir "$work/two" || return 1
    given=
    for k in 1 2 3; do
        # shellcheck disable=SC2086
        "$work/plain/m" --input "x=$work/in/$k.npy" ${given:---random 1 --input past=0} --output-dir "$work/by_hand" || return 1
        rm -rf "$work/left" && mv "$work/by_hand" "$work/left"
        given=
        for state; do given="$given --input ${state%=*}=$work/left/output_${state#*=}.npy"; done
    done
    diff -r "$work/left" "$work/two/2"
}

# A state whose rows something else reads, too, is copied: where keys are read by another node, and where the output is more than the rows.
with_copies() {
    sed -e 's/^  %now = .*/&\n  %most = ReduceMax(%before_k) {axes=[2], keepdims=0}/' -e 's/^  output "y".*/&\n  output "most" = %most/' \
        -e 's/^  output "present_v" = .*/  output "present_v" = %more_v/' -e 's/^  %y = .*/&\n  %more_v = Abs(%values)/' $decoder >"$work/copied.ir" &&
        as_by_hand "$work/copied.ir" 192 past_k=2 past_v=3
}

# moved BYTES NODE...: a state of five rows, of which `before` count, and a graph between it and `out` that appends x to it by these nodes.
moved() {
    bytes=$1
    shift
    {
        printf 'graph "moved" {\n  input %%x: f32[1,2,1,4]\n  input %%past_cache: f32[1,5,8]\n  input %%past: i64[] counts "past_cache" along 1\n'
        printf '  const %%one: i64[] = [1]\n  const %%second: i64[1] = [1]\n  const %%first: i64[1] = [0]\n'
        printf '  %%now = Add(%%past, %%one)\n  %%before = TakeRows(%%past_cache, %%past) {axis=1, size=5}\n'
        printf '  %s\n' "$@"
        printf '  %%sum = ReduceSum(%%some) {axes=[0,1], keepdims=0}\n  output "y" = %%sum\n  output "present_cache" = %%out\n  output "count" = %%now counts "present_cache" along 1\n}\n'
    } >"$work/moved.ir"
    as_by_hand "$work/moved.ir" "$bytes" past_cache=1
}

# refuses STATUS WHY COMMAND...: in one line.
refuses() {
    status=$1 why=$2
    shift 2
    "$@" >"$work/out.txt" 2>"$work/said"
    [ $? = "$status" ] && [ "$(wc -l <"$work/said")" = 1 ] && grep -F -e "$why" "$work/said"
}

for target in c dnnl; do
    check "steps up to the bound are those that are fed back by hand, $target" fed_back_by_hand $target $decoder two
    check "the same with keys and values in one state, keys transposed, $target" fed_back_by_hand $target tests/emitted/stacked.ir one -DSTACKED
done
check "text, program and names" as_text
for compiler in gcc clang; do
    check "no warnings, $compiler" compiles_with $compiler two-m-c
done
check "files go on, --each and --reset" files_go_on
check "rows that are read otherwise are copied" with_copies
heads='%apart = Reshape(%before) {shape=[1,5,2,4]}' x_row='%row = Reshape(%x) {shape=[1,1,8]}'
halves='%left, %right = Split(%before) {axis=2, split=[4,4]}' x_halves='%x_left, %x_right = Split(%row) {axis=2, split=[4,4]}'
left='%left_all = AppendRows(%left, %x_left, %past) {axis=1}' right='%right_all = AppendRows(%right, %x_right, %past) {axis=1}'
some='%some = Sigmoid(%left_all)'
check "heads that are taken apart, transposed, and put together again" moved 0 "$heads" '%first_heads = Transpose(%apart) {perm=[0,2,1,3]}' \
    '%all = AppendRows(%first_heads, %x, %past) {axis=2}' '%zeros = Mul(%all, %all)' '%some = Slice(%zeros) {starts=[0,0,0,0], steps=[1,1,1,1], sizes=[1,2,1,4]}' \
    '%rows_first = Transpose(%all) {perm=[0,2,1,3]}' '%out = Reshape(%rows_first) {shape=[1,6,8]}'
check "halves" moved 0 "$halves" "$x_row" "$x_halves" "$left" "$right" "$some" '%out = Concat(%left_all, %right_all) {axis=2}'
check "every second element" moved 0 "$x_row" '%apart = Reshape(%before) {shape=[1,5,4,2]}' '%even = Gather(%apart, %first) {axis=3}' '%odd = Gather(%apart, %second) {axis=3}' \
    '%x_apart = Reshape(%row) {shape=[1,1,4,2]}' '%x_even, %x_odd = Split(%x_apart) {axis=3, split=[1,1]}' '%even_all = AppendRows(%even, %x_even, %past) {axis=1}' \
    '%odd_all = AppendRows(%odd, %x_odd, %past) {axis=1}' '%some = Abs(%even_all)' '%both = Concat(%even_all, %odd_all) {axis=3}' '%out = Reshape(%both) {shape=[1,6,8]}'
check "halves that change places are copied" moved 192 "$halves" "$x_row" "$x_halves" "$left" "$right" "$some" '%out = Concat(%right_all, %left_all) {axis=2}'
check "one half twice is copied" moved 192 "$halves" "$x_row" "$x_halves" "$left" "$right" "$some" '%out = Concat(%left_all, %left_all) {axis=2}'
check "a half that is read without its new rows is copied" moved 192 "$halves" "$x_row" "$x_halves" "$left" "$right" '%some = Sigmoid(%right)' '%out = Concat(%left_all, %right_all) {axis=2}'
check "new rows that are computed of others are copied" moved 192 "$halves" "$x_row" "$x_halves" "$left" '%last = Slice(%left_all) {starts=[0,0,0], steps=[1,1,1], sizes=[1,1,4]}' \
    '%right_all = AppendRows(%right, %last, %past) {axis=1}' "$some" '%out = Concat(%left_all, %right_all) {axis=2}'
check "a column that is exchanged with rows is copied" moved 192 "$halves" "$x_row" "$x_halves" "$left" "$right" "$some" '%other = Concat(%left_all, %right_all) {axis=2}' \
    '%mixed = Slice(%other) {starts=[0,0,7], steps=[1,1,-1], sizes=[1,6,8]}' '%out = Abs(%mixed)'
# shellcheck disable=SC2086
check "the passes change nothing" "$dnnlc" $decoder $pairs --verify --target c -o "$work/v"
# shellcheck disable=SC2086
check "a self-test that finds what has changed" eval "sed -i '/golden_2_0\[\]/,/}/s/{[^,]*,/{1e6,/' '$work/one-m-c/m_selftest.c' && '$work/one-m-c/m' --selftest && builds one-m-c && refuses 1 \"output 'y' is not what the model gave\" '$work/one-m-c/m' --selftest"
check "more than fits" refuses 1 "past is not from 0 to M_PAST_MAX" "$work/two-m-c/m" --random 1 --input past=6
check "only one of two with the same rows" refuses 1 "input 'past_v' has as many rows as states, 'past', and is none: --state has to name it as well" "$dnnlc" $decoder --state present_k=past_k --target c -o "$work/no"
check "other rows than the first has" eval "sed -e 's/%now counts .present_v/%other counts \"present_v/' -e 's/^  %now .*/&\n  %other = Add(%now, %one)/' $decoder >'$work/other.ir' && refuses 1 'it has not as many rows as' '$dnnlc' '$work/other.ir' $pairs --target c -o '$work/no'"
check "rows that are all read" eval "sed 's/TakeRows(%past_v, %past) {axis=2, size=5}/Abs(%past_v)/' $decoder >'$work/all.ir' && refuses 1 \"reads all rows of 'past_v', which is a state with some that count\" '$dnnlc' '$work/all.ir' $pairs --target c -o '$work/no'"
check "written over while it is read" eval "sed 's/^  output \"y\".*/&\n  output \"z\" = %past_k/' '$work/text.ir' >'$work/wrong.ir' && refuses 1 'is a state that is written over while it is read' '$dnnlc' '$work/wrong.ir' --target c -o '$work/no'"
check "rows that do not go there" eval "sed 's/WriteRows(%past_k, %k,/WriteRows(%past_k, %wk,/' '$work/text.ir' >'$work/wrong.ir' && refuses 1 'which does not go into' '$dnnlc' '$work/wrong.ir' --target c -o '$work/no'"
check "a program that reads it again" eval "sed -e 's/in(b6, b11, b7)/in(b5, b11, b7)/' -e '/input 1 %past_k/s/live 2 to 2/live 2 to 3/' '$work/program.ir' >'$work/wrong.ir' && refuses 1 'is written over before it is read' '$dnnlc' '$work/wrong.ir' -o '$work/no'"

# As ONNX writes it: a Concat. There is one plan, and one place.
cat >"$work/cache.ir" <<'END'
graph "cache" {
  input %x: f32[2,1,4]
  input %past: f32[2,8,4]
  const %w: f32[4,4] = random(seed=1, scale=0.5)
  %new = MatMul(%x, %w)
  %present = Concat(%past, %new) {axis=1}
  %columns = Transpose(%present) {perm=[0,2,1]}
  %scores = MatMul(%x, %columns)
  %p = Softmax(%scores) {axis=2, axis_end=3}
  %y = MatMul(%p, %present)
  output "y" = %y
  output "present" = %present
}
END
of_onnx() {
    "$dnnlc" "$work/cache.ir" --emit onnx >"$work/cache.onnx" &&
        "$dnnlc" "$work/cache.onnx" --shape past=2x..8x4 --state auto --target c -o "$work/cache" --name m && builds cache &&
        [ "$(grep -c '"copied_bytes": 0' "$work/cache/m.json")" = 2 ] && ! grep choose_plan "$work/cache/m_dnnl.c" || return 1
    # what models of these sizes give is what it gives: one for two rows makes three
    for n in 2 3; do
        "$dnnlc" "$work/cache.onnx" --shape "past=2x${n}x4" --target c -o "$work/exact-$n" --name e && builds "exact-$n" || return 1
    done
    mkdir -p "$work/case" && "$work/exact-2/e" --random 3 --output-dir "$work/was" && cp "$work/was/output_0.npy" "$work/case/input_0.npy" &&
        cp "$work/was/output_1.npy" "$work/case/input_1.npy" &&
        "$work/exact-3/e" --input "$work/case/input_0.npy" --input "$work/case/input_1.npy" --output-dir "$work/case" && "$work/cache/m" --check "$work/case"
}
check "a Concat of a model in ONNX" of_onnx
variants_are_refused() {
    "$dnnlc" "$work/cache.onnx" --shape past=2x..8x4 --emit text --stop-after simplify >"$work/plans.ir" && [ "$(grep -c '^ *variant' "$work/plans.ir")" = 3 ] &&
        refuses 1 "it has a bounded dimension, and the model several variants" "$dnnlc" "$work/plans.ir" --state present=past --target c -o "$work/no"
}
check "plans for parts of the bound are there already" variants_are_refused
