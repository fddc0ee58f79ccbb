# Sourced by run: dimensions that are at most so much. SPDX-License-Identifier: Apache-2.0
bounded=tests/emitted/bounded.ir

at_every_number() { # TARGET
    "$dnnlc" $bounded -o "$work/m-$1" --name m --target "$1" --threads 1 && builds "m-$1" || return 1
    libraries=-lm
    [ "$1" = c ] || libraries="-L$onednn/lib -ldnnl -lstdc++ -lgomp -lm -ldl -lpthread"
    # shellcheck disable=SC2086 # words
    gcc -std=c17 -D_GNU_SOURCE $strict -O1 -I"$work/m-$1" tests/emitted/bounds.c "$work/m-$1/libm.a" $libraries -o "$work/bounds-$1" &&
        "$work/bounds-$1"
}

# What a file has fewer of than there can be; what comes out is written as it is there.
rows_of_files() {
    m=$work/m-c/m
    "$m" --random 1 --input rows=4 --input kept=2 --output-dir "$work/out" || return 1
    grep -a -q "'shape': (2, 4, 4)" "$work/out/output_0.npy" && grep -a -q "'shape': (3, 4)" "$work/out/output_2.npy" || return 1
    "$m" --input "$work/out/output_0.npy" --input "$work/out/output_2.npy" --output-dir "$work/again" &&
        grep -a -q "'shape': (2, 4, 4)" "$work/again/output_0.npy" && grep -a -q "'shape': (4, 4)" "$work/again/output_2.npy"
}

program_has_bounds() {
    "$dnnlc" $bounded --emit text >"$work/text.ir" && "$dnnlc" "$work/text.ir" --emit text | cmp - "$work/text.ir" &&
        "$dnnlc" $bounded --emit text --stop-after plan-memory --name m --target c --threads 1 >"$work/program.ir" &&
        "$dnnlc" "$work/program.ir" -o "$work/again-c" && diff "$work/again-c/m_dnnl.h" "$work/m-c/m_dnnl.h" &&
        grep '"name": "x", .*"counted_axis": 1, "count": "rows"' "$work/again-c/m.json"
}

# refuses STATUS WHY COMMAND...: in one line.
refuses() {
    status=$1 why=$2
    shift 2
    "$@" >"$work/out.txt" 2>"$work/said"
    [ $? = "$status" ] && [ "$(wc -l <"$work/said")" = 1 ] && grep -F -e "$why" "$work/said"
}
counted_wrongly() { # LINE
    sed "s/^  input %rows.*/$1/" $bounded >"$work/wrong.ir" && refuses 1 "it cannot count the rows of" "$dnnlc" "$work/wrong.ir"
}

for target in c dnnl; do
    check "every number of rows, none read that is not there, $target" at_every_number $target
done
check "the passes change nothing" eval "'$dnnlc' $bounded --verify --target c -o '$work/v'"
check "rows of files" rows_of_files
check "text and program have bounds" program_has_bounds
check "other numbers of rows" refuses 1 "has 4 rows, not 3" "$work/m-c/m" --input "$work/out/output_0.npy" --input "$work/out/output_2.npy" --input rows=3
check "more rows than there can be" refuses 1 "rows is not from 0 to M_ROWS_MAX" "$work/m-c/m" --random 1 --input rows=7
check "no number" refuses 1 "rows=many: a number of rows is wanted" "$work/m-c/m" --random 1 --input rows=many
check "a count along no axis" counted_wrongly '  input %rows: i64[] counts "x" along 3'
check "a count that is no number" counted_wrongly '  input %rows: i64[2] counts "x" along 1'
check "rows that do not go together" eval "sed 's/AppendRows(%past, %row,/AppendRows(%taken, %row,/' $bounded >'$work/wrong.ir' && refuses 1 'which does not go behind' '$dnnlc' '$work/wrong.ir'"

# Matrices with bounds for both dimensions, and rows that are the sum of two others and one more.
cat >"$work/axes.ir" <<'END'
graph "axes" {
  input %mask: f32[2,3,9]
  input %x: f32[3,2]
  input %past: f32[5]
  input %rows: i64[] counts "mask" along 1 counts "mask" along 2 counts "x" along 0
  input %kept: i64[] counts "mask" along 2 counts "past" along 0
  const %one: i64[] = [1]
  %both = Add(%rows, %kept)
  %columns = Add(%both, %one)
  %taken = TakeBlock(%mask, %rows, %columns) {axes=[1,2], sizes=[3,9]}
  %y = Exp(%taken)
  %rows_x = TakeRows(%x, %rows) {axis=0, size=3}
  %z = Exp(%rows_x)
  %rows_p = TakeRows(%past, %kept) {axis=0, size=5}
  %p = Exp(%rows_p)
  output "y" = %y
  output "z" = %z
  output "p" = %p
  output "y_count_1" = %rows counts "y" along 1
  output "y_count_2" = %columns counts "y" along 2
  output "z_count" = %rows counts "z" along 0
  output "p_count" = %kept counts "p" along 0
}
END
axes=$work/axes.ir
cat >"$work/sum.ir" <<'END'
graph "sum" {
  input %mask: f32[8]
  input %x: f32[3]
  input %past: f32[5]
  input %rows: i64[] counts "mask" along 0 counts "x" along 0 most 3
  input %kept: i64[] counts "mask" along 0 counts "past" along 0 most 5
  %all = Add(%rows, %kept)
  %y = TakeRows(%mask, %all) {axis=0, size=8}
  output "y" = %y
  output "y_count" = %all counts "y" along 0
}
END
axes_build() {
    "$dnnlc" "$axes" --emit text >"$work/axes.text" && "$dnnlc" "$work/axes.text" --emit text | cmp - "$work/axes.text" &&
        "$dnnlc" "$axes" -o "$work/axes" --name m --target c --selftest --verify >"$work/axes.said" && hastily builds axes && compiles_with gcc axes && "$work/axes/m" --selftest &&
        grep '"counts": \[{"axis": 1, "count": "rows"}, {"axis": 2, "count": "rows"}, {"axis": 2, "count": "kept"}\]' "$work/axes/m.json" &&
        grep 'f32\[2,..3,..9\]' "$work/axes/m_dnnl.h" && grep 'valid rows of y along dimension 2, at most 9' "$work/axes/m_dnnl.h"
}
# The files tell: 2 rows, and 2 + 4 + 1 columns. What comes out is given back.
axes_files() {
    m=$work/axes/m
    "$m" --random 1 --input rows=2 --input kept=4 --output-dir "$work/axes-1" && grep -a -q "'shape': (2, 2, 7)" "$work/axes-1/output_0.npy" &&
        "$m" --input x="$work/axes-1/output_1.npy" --input mask="$work/axes-1/output_0.npy" --input past="$work/axes-1/output_2.npy" --input kept=4 --output-dir "$work/axes-2" &&
        grep -a -q "'shape': (2, 2, 7)" "$work/axes-2/output_0.npy" && cp "$work/axes-1/output_0.npy" "$work/axes-2/input_0.npy" &&
        cp "$work/axes-1/output_1.npy" "$work/axes-2/input_1.npy" && cp "$work/axes-1/output_2.npy" "$work/axes-2/input_2.npy" && "$m" --check "$work/axes-2"
}
check "several bounds of an input" axes_build
check "files say how large several dimensions are" axes_files
check "a sum that is wrong" refuses 1 "has 7 rows, not 6" "$work/axes/m" --input mask="$work/axes-1/output_0.npy" --input rows=2 --input kept=3 --random 1
npy '<f4' '2, 3, 2' 48 "$work/short.npy" && npy '<f4' '7,' 28 "$work/seven.npy" && npy '<f4' '4,' 16 "$work/four.npy"
check "a sum that is too small" refuses 1 "has 2 rows, not 4 or more" "$work/axes/m" --input mask="$work/short.npy" --input rows=3 --random 1
check "only sums of several counts" eval "'$dnnlc' '$work/sum.ir' -o '$work/sum' --name m --target c && hastily builds sum && '$work/sum/m' --input mask='$work/seven.npy' --input past='$work/four.npy' --input rows=3 --random 1"
check "a sum of two that are not known" refuses 1 "rows, which several dimensions are together; give one as --input kept=N" "$work/sum/m" --input past="$work/four.npy" --input mask="$work/seven.npy" --random 1
# A loop with rows for 5 iterations that is to make 6.
cat >"$work/loop.ir" <<'END'
graph "loop" {
  input %x: f32[2,3]
  input %trips: i64[]
  const %yes: bool[] = [1]
  %go, %i, %v = LoopBegin(%trips, %yes, %x)
  %w = Softmax(%v) {axis=1, axis_end=2}
  %more, %n, %last, %rows = LoopEnd(%go, %i, %trips, %yes, %w, %w) {capacity=5, carried=1}
  output "y" = %last
  output "rows" = %rows
}
END
trips() { { npy_header '<i8' '' && printf "\\00$1\0\0\0\0\0\0\0"; } >"$work/trips$1.npy"; }
loop_builds() { compile loop "$work/loop.ir" --target c && hastily builds loop && "$work/loop/m" --random 1 --input trips="$work/trips5.npy"; }
trips 5 && trips 6
check "a loop with as many iterations as rows" loop_builds
check "a loop with more iterations than rows" refuses 1 "run failed: a loop makes more iterations than its results have rows" "$work/loop/m" --random 1 --input trips="$work/trips6.npy"
check "counts for other axes" eval "sed 's/{axes=\[1,2\], sizes=\[3,9\]}/{axes=[1], sizes=[3]}/' $axes >'$work/wrong.ir' && refuses 1 '2 counts for 1 axes and 1 sizes' '$dnnlc' '$work/wrong.ir'"
check "a dimension of an output that is counted twice" eval "sed 's/counts \"y\" along 2/counts \"y\" along 1/' $axes >'$work/wrong.ir' && refuses 1 'it cannot count the rows of' '$dnnlc' '$work/wrong.ir'"

# Plans for parts of the bound: what each computes is what a model for that size does. Attention over rows, of which x is given back to be the next one's input.
cat >"$work/rows.ir" <<'END'
graph "rows" {
  input %x: f32[2,16,4]
  const %w: f32[4,4] = random(seed=1, scale=0.5)
  %q = MatMul(%x, %w)
  %keys = Transpose(%q) {perm=[0,2,1]}
  %scores = MatMul(%x, %keys)
  %p = Softmax(%scores) {axis=2, axis_end=3}
  %y = MatMul(%p, %q)
  %mean = ReduceMean(%y) {axes=[1], keepdims=0}
  %same = Abs(%x)
  output "y" = %y
  output "same" = %same
  output "mean" = %mean
}
END
as_exact() { # TARGET
    "$dnnlc" "$work/rows.ir" --emit onnx >"$work/rows.onnx" &&
        "$dnnlc" "$work/rows.onnx" --shape x=2x..16x4 -o "$work/l-$1" --name m --target "$1" --threads 1 && builds "l-$1" &&
        grep -A1 '<= 4)' "$work/l-$1/m_dnnl.c" | grep 'return 2;' || return 1
    for n in 3 4 8 9 16; do
        "$dnnlc" "$work/rows.onnx" --shape "x=2x${n}x4" -o "$work/e-$n" --name e --target c && hastily builds "e-$n" &&
            "$work/e-$n/e" --random 1 --output-dir "$work/d-$n" && cp "$work/d-$n/output_1.npy" "$work/x.npy" &&
            "$work/e-$n/e" --input "$work/x.npy" --output-dir "$work/d-$n" && cp "$work/x.npy" "$work/d-$n/input_0.npy" &&
            "$work/l-$1/m" --check "$work/d-$n" || return 1
    done
}
# With one row, half and all of them. The plan for a quarter does not compute a half: the self-test says so.
knows_itself() { # MODEL TARGET OPTION...
    model=$1 target=$2
    shift 2
    "$dnnlc" "$model" --selftest -o "$work/t-$target" --name m --target "$target" --threads 1 "$@" && hastily builds "t-$target" && compiles_with gcc "t-$target" &&
        "$work/t-$target/m" --selftest | grep 'all outputs agree'
}
sees_wrong_plan() { # TARGET
    sed 's/<= 4)/<= 8)/' "$work/t-$1/m_dnnl.c" >"$work/wrong.c" && ! cmp -s "$work/wrong.c" "$work/t-$1/m_dnnl.c" &&
        mv "$work/wrong.c" "$work/t-$1/m_dnnl.c" && hastily builds "t-$1" && refuses 1 "is not what the model gave" "$work/t-$1/m" --selftest
}
plans_as_text() {
    "$dnnlc" "$work/rows.onnx" --shape x=2x..16x4 --emit text --stop-after simplify >"$work/l.ir" && [ "$(grep -c '^ *variant' "$work/l.ir")" = 3 ] &&
        "$dnnlc" "$work/l.ir" -o "$work/l-t" --name m --target c && diff "$work/l-t/m_main.c" "$work/l-c/m_main.c" | grep '^[<>]' | grep -vE 'Written by|SHA-256|Command|model_hash'
    [ $? = 1 ]
}
for target in c dnnl; do
    check "plans for parts of a bound compute what exact ones do, $target" as_exact $target
done
sed -e 's/^  const %w.*/  input %bias: f32[4]\n&/' -e 's/^  %product = .*/  %sums = MatMul(%taken, %w)\n  %product = Add(%sums, %bias)/' $bounded >"$work/early.ir"
for target in c dnnl; do
    check "self-test with two bounds, $target" knows_itself $bounded $target
    check "self-test with a count before other inputs, $target" knows_itself "$work/early.ir" $target
    check "self-test with plans for parts, $target" knows_itself "$work/rows.onnx" $target --shape x=2x..16x4
    check "self-test of the wrong plan, $target" sees_wrong_plan $target
done
check "plans are in the text" plans_as_text
check "one plan where no more are wanted" eval "'$dnnlc' '$work/rows.onnx' --shape x=2x..16x4 --max-variants 1 -o '$work/one' --name m --target c && ! grep choose_plan '$work/one/m_dnnl.c'"
check "a bound among several values" refuses 1 "a bound goes with no other values" "$dnnlc" "$work/rows.onnx" --shape x=2x..16x4,2x8x4 --target c -o "$work/no"
sed -e 's/^  output "joined" .*/&\n  output "longer" = %more\n  output "next" = %total/' -e 's/^  %longer.*/&\n  %more = Add(%longer, %one)\n  %total = Add(%sums, %sum)/' \
    -e 's/^  input %rows/  input %sums: f32[2,4]\n&/' $bounded >"$work/counts.ir"
check "a count is no state" refuses 1 "--state longer=kept: how many rows output 'longer' has depends on data" "$dnnlc" "$work/counts.ir" --state longer=kept --target c -o "$work/no"
check "states beside bounds" eval "'$dnnlc' '$work/counts.ir' --state next=sums --target c -o '$work/st' --name m --selftest && hastily builds st && '$work/st/m' --random 1 --input kept=3 && '$work/st/m' --selftest"
