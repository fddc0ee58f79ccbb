# Sourced by run: --batch-file, and files on the standard input and output. SPDX-License-Identifier: Apache-2.0
batch=$PWD/$work

# row ROWS: the graph of a classifier that takes so many pictures of 64 points.
row() {
    cat <<END
graph "row" {
  input %x: f32[$1,64]
  const %w: f32[64,10] = random(seed=1, scale=0.5)
  %a = MatMul(%x, %w)
  %y = Softmax(%a) {axis=1, axis_end=2}
  output "y" = %y
}
END
}
row 1 >"$work/row.ir"
row 1000 >"$work/rows.ir"
# Two inputs, of which one has no rows of its own, and two outputs, of which one is a sum of everything.
cat >"$work/two.ir" <<'END'
graph "two" {
  input %x: f32[1,8]
  input %scale: f32[8]
  %a = Mul(%x, %scale)
  %b = ReduceSum(%a) {axes=[0,1], keepdims=0}
  output "a=b" = %a
  output "sum" = %b
}
END
# Large rows, of which little or much comes back.
cat >"$work/mean.ir" <<'END'
graph "mean" {
  input %x: f32[1,65536]
  %y = ReduceMean(%x) {axes=[1], keepdims=1}
  output "y" = %y
}
END
cat >"$work/wide.ir" <<'END'
graph "wide" {
  input %x: f32[1,1]
  const %w: f32[1,65536] = random(seed=1, scale=1)
  %y = Mul(%x, %w)
  output "y" = %y
}
END

data_of() { tail -c +129 "$1"; }

made() { # NAME GRAPH OPTION...
    name=$1 graph=$2
    shift 2
    "$dnnlc" "$work/$graph.ir" -o "$work/$name" --name m --threads 1 "$@" && builds "$name"
}

# says WHY COMMAND...: one line, status 1, and no file is left behind, whole or in part.
says() { refuses_with 1 "$@"; }
usage() { refuses_with 2 "$@"; }
refuses_with() {
    status=$1 why=$2
    shift 2
    rm -rf "$work/left"
    mkdir "$work/left"
    "$@" >"$work/out.txt" 2>"$work/said" </dev/null
    got=$?
    cat "$work/said"
    [ $got = "$status" ] && [ "$(wc -l <"$work/said")" = 1 ] && grep -F -e "$why" "$work/said" && [ -z "$(ls -A "$work/left")" ]
}

# The files of all rows at once, which a program for so many rows made, or takes apart.
agrees_with_all_rows() { # TARGET
    m=$work/row-$1/m rows=$work/rows-$1/m
    made "row-$1" row --target "$1" && made "rows-$1" rows --target "$1" || return 1
    rm -rf "$work/case" && mkdir "$work/case"
    "$rows" --random 7 --output-dir "$work/case" || return 1
    # inputs that are not all alike: what another program gives
    mv "$work/case/output_0.npy" "$work/first.npy"
    npy_header '<f4' '1000, 64' >"$work/case/input_0.npy"
    for k in 1 2 3 4 5 6 7; do data_of "$work/first.npy"; done | head -c 256000 >>"$work/case/input_0.npy"
    "$m" --batch-file "$work/case/input_0.npy" "$work/case/output_0.npy" | grep '^1000 rows in' &&
        "$rows" --check "$work/case" --rtol 1e-5 && ! ls "$work"/case/*.tmp
}
# However many threads there are, and through pipes: the same bytes; a row of its own, too.
same_bytes() { # TARGET
    m=$work/row-$1/m in=$work/case/input_0.npy out=$work/case/output_0.npy
    for threads in 1 2 5; do
        "$m" --batch-file "$in" "$work/again.npy" --threads $threads && cmp "$work/again.npy" "$out" || return 1
    done
    "$m" --batch-file - - <"$in" >"$work/again.npy" && cmp "$work/again.npy" "$out" || return 1
    # shellcheck disable=SC2002 # a pipe is meant
    cat "$in" | "$m" --batch-file - - --threads 3 | cat >"$work/again.npy" && cmp "$work/again.npy" "$out" || return 1
    cp "$in" "$work/inout.npy" && "$m" --batch-file "$work/inout.npy" "$work/inout.npy" && cmp "$work/inout.npy" "$out" || return 1
    for k in 0 123 999; do
        { npy_header '<f4' '1, 64' && data_of "$in" | tail -c +$((k * 256 + 1)) | head -c 256; } >"$work/one.npy"
        "$m" --input - --output - <"$work/one.npy" >"$work/said.npy" && data_of "$work/said.npy" >"$work/said.data" &&
            data_of "$out" | tail -c +$((k * 40 + 1)) | head -c 40 | cmp - "$work/said.data" || return 1
        "$m" --input "$work/one.npy" --output y="$work/file.npy" && cmp "$work/file.npy" "$work/said.npy" || return 1
    done
}
# Whole inputs one after the other: outputs are as well. The data is the same.
whole_inputs() {
    { npy_header '<f4' '1000, 1, 64' && data_of "$work/case/input_0.npy"; } >"$work/whole.npy"
    "$work/row-c/m" --batch-file "$work/whole.npy" "$work/outs.npy" && head -c 128 "$work/outs.npy" | grep -a "'shape': (1000, 1, 10)" &&
        data_of "$work/outs.npy" >"$work/outs.data" && data_of "$work/case/output_0.npy" | cmp - "$work/outs.data"
}
no_rows() {
    npy_header '<f4' '0, 64' >"$work/none.npy"
    "$work/row-c/m" --batch-file "$work/none.npy" "$work/nothing.npy" && head -c 128 "$work/nothing.npy" | grep -a "'shape': (0, 10)" &&
        [ "$(wc -c <"$work/nothing.npy")" = 128 ]
}
# Big-endian rows are what they say.
other_order() {
    { npy_header '>f4' '1000, 64' && data_of "$work/case/input_0.npy" | 
        python3 -c 'import array, sys; a = array.array("I", sys.stdin.buffer.read()); a.byteswap(); sys.stdout.buffer.write(a)'; } >"$work/big.npy"
    "$work/row-c/m" --batch-file "$work/big.npy" "$work/again.npy" && cmp "$work/again.npy" "$work/case/output_0.npy"
}
# One after the other on the standard input, in the model's order; outputs likewise.
several_on_standard_input() {
    { npy_header '<f4' '1, 8' && data_of "$work/case/input_0.npy" | head -c 32; } >"$work/x.npy"
    { npy_header '<f4' '8,' && data_of "$work/case/output_0.npy" | head -c 32; } >"$work/scale.npy"
    two=$work/two/m
    "$two" --input "$work/x.npy" --input "$work/scale.npy" --output-dir "$work/by_file" &&
        cat "$work/x.npy" "$work/scale.npy" | "$two" --input - --input - --output - --output - >"$work/both.npy" &&
        cat "$work/by_file/output_0.npy" "$work/by_file/output_1.npy" | cmp - "$work/both.npy" &&
        "$two" --input scale=- --input "$work/x.npy" --output sum=- <"$work/scale.npy" | cmp - "$work/by_file/output_1.npy"
}

# Each part is a whole file; behind each other they are all rows.
parts() { # N
    rm -f "$work"/part-*
    for k in $(seq "$1"); do
        "$m" --batch-file "$in" "$work/part-$k.npy" --shard "$k/$1" && "$m" --batch-file - - --shard "$k/$1" <"$in" | cmp - "$work/part-$k.npy" &&
            cat "$in" | "$m" --batch-file - - --shard "$k/$1" | cmp - "$work/part-$k.npy" || return 1
    done
    for k in $(seq "$1"); do
        wc -c <"$work/part-$k.npy"
    done | sort -u >"$work/sizes"
    [ $(($(tail -n 1 "$work/sizes") - $(head -n 1 "$work/sizes"))) -le 40 ] && [ "$(wc -l <"$work/sizes")" -le 2 ] || return 1
    for k in $(seq "$1"); do
        data_of "$work/part-$k.npy"
    done >"$work/parts.data"
    data_of "$work/case/output_0.npy" | cmp - "$work/parts.data"
}
empty_part() {
    { npy_header '<f4' '2, 64' && data_of "$in" | head -c 512; } >"$work/few.npy"
    "$m" --batch-file "$work/few.npy" "$work/third.npy" --shard 3/3 && head -c 128 "$work/third.npy" | grep -a "'shape': (0, 10)"
}

# Far more than there is memory for: a file without blocks on the disk, and a pipe.
larger_than_memory() {
    npy_header '<f4' '1500, 65536' >"$work/sparse.npy" && truncate -s $((128 + 1500 * 262144)) "$work/sparse.npy" || return 1
    (ulimit -v 200000 && "$work/mean/m" --batch-file "$work/sparse.npy" "$work/means.npy" --threads 2) || return 1
    rm "$work/sparse.npy"
    [ "$(wc -c <"$work/means.npy")" = $((128 + 4 * 1500)) ] || return 1
    [ "$( (ulimit -v 200000 && "$work/wide/m" --batch-file "$work/means.npy" - --threads 2) | wc -c)" = $((128 + 1500 * 262144)) ]
}
# The input loses its end while the output's reader lets the program wait.
cut_short() {
    cp "$work/means.npy" "$work/cut.npy"
    { "$work/wide/m" --batch-file "$work/cut.npy" - --threads 2 2>"$work/said"; echo $? >"$work/status"; } |
        { head -c 1000 >/dev/null && truncate -s 1000 "$work/cut.npy" && cat >/dev/null; }
    cat "$work/said"
    [ "$(cat "$work/status")" = 1 ] && grep 'cut.npy: ends after 872 of 6000 bytes of data; 21[0-9] of 1500 rows were written to standard output' "$work/said"
}
# Nobody reads on: one line says how far it came.
broken_pipe() { # ARGUMENT...
    { "$@" 2>"$work/said"; echo $? >"$work/status"; } | head -c 1000 >/dev/null
    cat "$work/said"
    [ "$(cat "$work/status")" = 1 ] && [ "$(wc -l <"$work/said")" = 1 ] && grep 'standard output: Broken pipe' "$work/said"
}
full_disk() { # a limit of the file's size is as good as a full disk
    (ulimit -f 8 && says "File too large" "$work/row-c/m" --batch-file "$work/case/input_0.npy" "$work/left/out.npy")
}
# It waits for rows that do not come; what is there of the output is removed.
stopped() { # SIGNAL
    rm -rf "$work/left" && mkdir "$work/left" && mkfifo "$work/left/in" || return 1
    "$work/row-c/m" --batch-file "$work/left/in" "$work/left/out.npy" --threads 2 &
    process=$!
    exec 7>"$work/left/in"
    head -c 2000 "$work/case/input_0.npy" >&7
    for _ in $(seq 100); do
        ls "$work"/left/*.tmp && break
        sleep 0.1
    done
    ls "$work"/left/*.tmp && kill -s "$1" $process
    wait $process
    got=$?
    exec 7>&-
    [ $got -gt 128 ] && [ "$(ls "$work/left")" = in ]
}
# A terminal sees how far it is; nothing else does.
bar() {
    npy_header '<f4' '10000, 65536' >"$work/left.npy" && truncate -s $((128 + 10000 * 262144)) "$work/left.npy" || return 1
    script -qec "timeout 30 '$batch/mean/m' --batch-file '$batch/left.npy' '$batch/bar.npy' --threads 1" /dev/null >"$work/out" 2>&1 </dev/null
    rm "$work/left.npy"
    tr '\r' '\n' <"$work/out" | grep -a '^\[[#.]*\] *[0-9]* %, [0-9]* of 10000 rows, [0-9.]* rows/s, [0-9]* s left'
}

# Three threads share the files of one job: no data race, into a file and into a pipe.
races() {
    (
        cd "$work/row-c" && for file in *.c m_weights.S; do
            gcc -std=c17 -D_GNU_SOURCE -g -fsanitize=thread -c "$file" -o "${file%.*}.race.o" || exit 1
        done
        gcc -fsanitize=thread ./*.race.o -lm -lpthread -o races
    ) && export TSAN_OPTIONS=halt_on_error=1 && "$work/row-c/races" --batch-file "$in" "$work/alone.npy" --threads 1 &&
        "$work/row-c/races" --batch-file "$in" "$work/again.npy" --threads 3 && cmp "$work/again.npy" "$work/alone.npy" &&
        "$work/row-c/races" --batch-file "$in" - --threads 3 | cmp - "$work/alone.npy"
}

for target in c dnnl; do
    check "the rows of a file are those of a program for all of them, $target" agrees_with_all_rows $target
    check "any number of threads, files and pipes: the same bytes, $target" same_bytes $target
done
m=$work/row-c/m in=$work/case/input_0.npy
check "three threads, under ThreadSanitizer" races
check "whole inputs are stacked along a new dimension" whole_inputs
check "no rows" no_rows
check "one part" parts 1
check "seven parts" parts 7
check "more parts than rows" empty_part
for shard in 0/4 5/4; do
    check "--shard $shard" says "--shard $shard: there are shards 1 to 4" "$m" --batch-file "$in" "$work/left/out.npy" --shard $shard
done
for shard in 4 1/0 a/4 1/b 1/ /4 1/4/2 -1/4; do
    check "--shard $shard" usage "--shard $shard: not K/N, shard K of N" "$m" --batch-file "$in" "$work/left/out.npy" --shard $shard
done
check "--shard alone" usage "--shard is for --batch-file only" "$m" --random 1 --shard 1/2
check "rows in the other order of bytes" other_order
check "two: builds" made two two --target c
check "several files on the standard input and output" several_on_standard_input
check "mean: builds" made mean mean --target c
check "wide: builds" made wide wide --target c
check "files that are larger than memory" larger_than_memory
check "an input that is cut short meanwhile" cut_short
check "a bar on a terminal" bar
check "a signal leaves nothing behind" stopped TERM
check "Ctrl-C leaves nothing behind" stopped HUP

# Models for four rows at a time, @ in these graphs: rows that do not depend on each other, and rows that do or may.
graph() { # NAME NODE...: of an input x and an output y
    {
        echo "graph \"$1\" {"
        shift
        echo '  input %x: f32[@,2,6,6]'
        printf '  %s\n' "$@" '  output "y" = %y' '}'
    } >"$work/$1.graph"
}
weights='const %w: f32[72,5] = random(seed=1, scale=0.3)' flat='%f = Reshape(%x) {shape=[@,72]}'
graph conv 'const %k: f32[3,2,3,3] = random(seed=1, scale=0.3)' '%c = Conv(%x, %k) {dilations=[1,1], group=1, pads=[1,1,1,1], strides=[1,1]}' '%r = Relu(%c)' \
    '%m = ReduceMean(%r) {axes=[2,3], keepdims=0}' '%y = Softmax(%m) {axis=1, axis_end=2}'
graph attention '%a = Reshape(%x) {shape=[@,12,6]}' '%t = Transpose(%a) {perm=[0,2,1]}' '%p = MatMul(%a, %t)' '%s = Softmax(%p) {axis=2, axis_end=3}' '%y = MatMul(%s, %a)'
graph moved "$weights" 'const %b: f32[5] = random(seed=2, scale=1)' 'const %i: i64[2] = [5,1]' 'const %v: f32[5,3] = random(seed=4, scale=1)' \
    '%s, %t = Split(%x) {axis=1, split=[1,1]}' '%c = Mul(%s, %t)' '%d = Concat(%c, %x) {axis=1}' '%g = Gather(%d, %i) {axis=2}' \
    '%h = Slice(%g) {starts=[0,1,1,0], steps=[1,1,1,1], sizes=[@,2,1,6]}' '%m = ReduceMax(%h) {axes=[1,2,3], keepdims=0}' "$flat" \
    '%p = Gemm(%f, %w, %b) {alpha=1.0, beta=1.0, transA=0, transB=0}' '%n = Reshape(%m) {shape=[@,1]}' '%q = Add(%p, %n)' '%y = MatMul(%q, %v)'
graph softmax "$flat" '%y = Softmax(%f) {axis=0, axis_end=2}'
graph mean '%m = ReduceMean(%x) {axes=[0], keepdims=1}' '%y = Sub(%x, %m)'
graph gram "$flat" '%t = Transpose(%f) {perm=[1,0]}' '%y = MatMul(%f, %t)'
graph turned '%a = Transpose(%x) {perm=[1,0,2,3]}' '%y = Reshape(%a) {shape=[@,2,6,6]}'
graph places "$flat" 'const %p: f32[@,72] = random(seed=3, scale=1)' '%y = Add(%f, %p)'
graph backwards '%y = Slice(%x) {starts=[3,0,0,0], steps=[-1,1,1,1], sizes=[@,2,6,6]}'
graph summed '%y = CumSum(%x) {axis=0, exclusive=0, reverse=0}'
graph weighted '%f = Reshape(%x) {shape=[@,2,36]}' '%k = Reshape(%x) {shape=[@,2,6,6]}' '%y = Conv(%x, %k) {dilations=[1,1], group=1, pads=[1,1,1,1], strides=[1,1]}'
graph one_scale '%a, %b, %c = DynamicQuantizeLinear(%x)' '%y = DequantizeLinear(%a, %b, %c) {axis=1}'
of_size() { # NAME ROWS TARGET
    sed "s/@/$2/g" "$work/$1.graph" >"$work/$1-$2.ir" && rm -rf "$work/$1-$2" && made "$1-$2" "$1-$2" --target "$3"
}
# Ten rows, by fours and one by one, and in three parts: the same but for the last digits.
fours() { # NAME TARGET
    of_size "$1" 4 "$2" && of_size "$1" 1 "$2" && "$work/$1-4/m" --info | grep -x 'rows  *4, which do not depend on each other' &&
        ! "$work/$1-1/m" --info | grep '^rows' || return 1
    { npy_header '<f4' '10, 2, 6, 6' && data_of "$in" | head -c 2880; } >"$work/ten.npy"
    rm -rf "$work/four" && mkdir "$work/four" && "$work/$1-1/m" --batch-file "$work/ten.npy" "$work/four/output_0.npy" &&
        "$work/$1-4/m" --batch-file "$work/ten.npy" "$work/four/by_four.npy" --threads 2 && close_to "$work/four/output_0.npy" "$work/four/by_four.npy" || return 1
    for k in 1 2 3; do
        "$work/$1-4/m" --batch-file "$work/ten.npy" "$work/four/part-$k.npy" --shard $k/3 || return 1
    done
    samples/batch/join-npy "$work/four/joined.npy" "$work"/four/part-[123].npy && close_to "$work/four/output_0.npy" "$work/four/joined.npy"
}
close_to() { # A B: .npy files of one type and shape, whose floats are next to each other
    python3 - "$1" "$2" <<'END'
import array, sys
a, b = (open(path, "rb").read() for path in sys.argv[1:])
assert a[:128] == b[:128], (a[:128], b[:128])
a, b = (array.array("f", data[128:]) for data in (a, b))
assert a and max(map(abs, a)) > 0.01 and all(abs(x - y) <= 1e-5 + 1e-4 * abs(x) for x, y in zip(a, b)), "they differ"
END
}
# Nothing is said of its rows.
together() { # NAME
    sed 's/@/4/g' "$work/$1.graph" >"$work/$1-4.ir" && "$dnnlc" "$work/$1-4.ir" -o "$work/$1-4" --name m --target c && ! grep rows_apart "$work/$1-4/m_main.c"
}
# Rows of a file are refused then; whole inputs are not.
whole_fours() {
    builds softmax-4 || return 1
    { npy_header '<f4' '8, 2, 6, 6' && data_of "$in" | head -c 2304; } >"$work/eight.npy"
    { npy_header '<f4' '2, 4, 2, 6, 6' && data_of "$in" | head -c 2304; } >"$work/pair.npy"
    says "is 4 in the model, whose rows may depend on each other: stack whole inputs, f32[N,4,2,6,6]" "$work/softmax-4/m" --batch-file "$work/eight.npy" "$work/left/out.npy" &&
        "$work/softmax-4/m" --batch-file "$work/pair.npy" "$work/pairs.npy" && head -c 128 "$work/pairs.npy" | grep -a "'shape': (2, 4, 72)"
}
for name in conv attention moved; do
    check "four rows at a time, $name" fours $name c
done
check "four rows at a time, conv, oneDNN" fours conv dnnl
for name in softmax mean gram turned places backwards summed weighted one_scale; do
    check "rows that may depend on each other, $name" together $name
done
check "rows that may depend on each other are refused" whole_fours
cat >"$work/beside.ir" <<'END'
graph "beside" {
  input %x: f32[4,2]
  input %z: f32[4,2]
  %y = Mul(%x, %z)
  output "y" = %y
}
END
check "two inputs of four rows: builds" made beside beside --target c
npy '<f4' '4, 2' 32 "$work/z.npy"
check "an input that is the same for each four rows" says "input 'z' is the same for each run, of which one takes 4 rows of input 'x': it needs a stacked file, too, or all others whole inputs" \
    "$work/beside/m" --input z="$work/z.npy" --batch-file x="$work/z.npy" y="$work/left/out.npy"
check "a program's text says that rows are apart" eval "'$dnnlc' '$work/beside.ir' --target c --emit text --stop-after plan-memory >'$work/beside.text' &&
    '$dnnlc' '$work/beside.text' -o '$work/again' --name m && grep 'rows_apart = 1' '$work/again/m_main.c'"

# Of several sizes the first one that a file fits.
sizes() {
    "$dnnlc" $digits/digits.onnx --shape image=1x1x28x28,4x1x28x28 --target c -o "$work/several" --name m && builds several || return 1
    { npy_header '<f4' '12, 1, 28, 28' && head -c $((12 * 3136)) /dev/zero; } >"$work/images.npy"
    { npy_header '<f4' '3, 4, 1, 28, 28' && head -c $((12 * 3136)) /dev/zero; } >"$work/groups.npy"
    "$work/several/m" --batch-file "$work/images.npy" "$work/labels.npy" && head -c 128 "$work/labels.npy" | grep -a "'shape': (12, 10)" &&
        "$work/several/m" --batch-file - "$work/labels.npy" <"$work/groups.npy" && head -c 128 "$work/labels.npy" | grep -a "'shape': (3, 4, 10)"
}
# Of two variants one has rows of its own, the other takes their mean away: nothing is said of either's rows.
cat >"$work/centred.ir" <<'END'
graph "centred" {
  variant "rows" 2
  variant "rows" 4
  input %x2: f32[2,2] name="x"
  input %x4: f32[4,2] name="x"
  %m = ReduceMean(%x2) {axes=[0], keepdims=1}
  %y2 = Sub(%x2, %m)
  %y4 = Relu(%x4)
  output "y" = %y2
  output "y" = %y4
}
END
# Rows that do not depend on each other go to a variant for several of them at a time, five to one for four as well, and give what the one for one row gives.
rows_of_sizes() {
    "$work/several/m" --info | grep '^rows ' >"$work/said"
    cat "$work/said"
    [ "$(cat "$work/said")" = "rows            4, which do not depend on each other" ] || return 1
    { npy_header '<f4' '5, 1, 28, 28' && python3 -c 'import array, sys; array.array("f", (k * k % 97 / 97 for k in range(5 * 784))).tofile(sys.stdout.buffer)'; } >"$work/five.npy"
    "$work/several/m" --batch-file "$work/five.npy" "$work/by_one.npy" --variant image_0=1 &&
        "$work/several/m" --batch-file "$work/five.npy" "$work/by_four.npy" --variant image_0=4 && close_to "$work/by_one.npy" "$work/by_four.npy"
}
# Each row is the first run of a context: so many steps, and the same rows give the same.
first_runs() {
    "$dnnlc" tests/emitted/stateful.ir -o "$work/states" --name m --target c && builds states || return 1
    { npy_header '<f4' '4, 1, 16, 12, 12' && for _ in 1 2 3 4; do data_of "$in" | head -c 9216; done; } >"$work/steps.npy"
    "$work/states/m" --batch-file x="$work/steps.npy" next_steps="$work/counted.npy" y="$work/y.npy" --threads 1 &&
        head -c 128 "$work/counted.npy" | grep -a "'<i8'.*'shape': (4,)" && [ "$(data_of "$work/counted.npy" | od -An -v -td8 | xargs)" = "1 1 1 1" ] &&
        [ "$(data_of "$work/y.npy" | od -An -v -w64 -tx4 | sort -u | wc -l)" = 1 ] || return 1
    # states of each row in a file of their own
    { npy_header '<i8' '4,' && for k in 1 3 5 7; do printf "\\00$k\\0\\0\\0\\0\\0\\0\\0"; done; } >"$work/begun.npy"
    "$work/states/m" --batch-file x="$work/steps.npy" steps="$work/begun.npy" next_steps="$work/counted.npy" --threads 2 &&
        [ "$(data_of "$work/counted.npy" | od -An -v -td8 | xargs)" = "2 4 6 8" ]
}
cat >"$work/found.ir" <<'END'
graph "found" {
  input %mask: f32[6]
  %found: i64[1,6], %n: i64[] = NonZero(%mask)
  output "found" = %found
  output "found_count" = %n counts "found" along 1
}
END
npy '<f4' '3, 2, 6, 4' 576 "$work/bounded.npy"
npy '<f4' '3, 6' 72 "$work/masks.npy"
check "variants" sizes
check "rows of a variant for several of them" rows_of_sizes
check "rows of variants that depend on each other: builds" made centred centred --target c
npy '<f4' '8, 2' 64 "$work/eight_by_two.npy"
check "rows of variants that depend on each other" says "is 2 in the model, whose rows may depend on each other" "$work/centred/m" --variant rows=2 \
    --batch-file "$work/eight_by_two.npy" "$work/left/out.npy"
check "a file that fits no variant" says "stacked for the model it is" "$work/several/m" --batch-file "$in" "$work/left/out.npy"
check "no such variant" says "--variant 5: there are" "$work/several/m" --variant 5 --batch-file "$work/images.npy" "$work/left/out.npy"
check "a variant by what comes on the standard input" says "standard input is read once, and --variant has to say for which variant" "$work/several/m" --input -
check "states" first_runs
check "a dimension with a bound: builds" eval "'$dnnlc' tests/emitted/bounded.ir -o '$work/bounded' --name m --target c --threads 1 && builds bounded"
check "a dimension with a bound" says "input 'x' has as many rows as each run says" "$work/bounded/m" --input past="$work/x.npy" --batch-file x="$work/bounded.npy" y="$work/left/out.npy"
check "rows that depend on data: builds" made found found --target c
check "rows that depend on data" says "output 'found' has as many rows as the data say, others for each run" "$work/found/m" --batch-file "$work/masks.npy" "$work/left/out.npy"
{ printf '\223NUMPY\002\000\377\377\377\177' && head -c 1000 /dev/zero; } >"$work/long.npy"
check "a header without an end" says "a .npy header of 2147483659 bytes" "$m" --batch-file "$work/long.npy" "$work/left/out.npy"

head -c 200000 "$in" >"$work/partial.npy"
{ cat "$in" && echo; } >"$work/more.npy"
npy '<f4' '1000, 63' 252000 "$work/shape.npy"
npy '<f8' '1000, 64' 512000 "$work/type.npy"
npy '<f4' '64,' 256 "$work/rank.npy"
{ npy_header '<f4' '1000, 64' True && data_of "$in"; } >"$work/fortran.npy"
from() { cat "$1" | "$m" --batch-file - "$work/left/out.npy"; }
check "a partial last row" says "takes 256000 bytes of data, the file has 199872" "$m" --batch-file "$work/partial.npy" "$work/left/out.npy"
check "more than its rows" says "the file has 256001" "$m" --batch-file "$work/more.npy" "$work/left/out.npy"
check "a partial last row in a pipe" says "standard input: ends after 199872 of 256000 bytes of data" from "$work/partial.npy"
check "more than its rows in a pipe" says "standard input: more stands behind the 256000 bytes of data" from "$work/more.npy"
check "another shape" says "is f32[1000,63], stacked for the model it is f32[N,64] or f32[N,1,64]" "$m" --batch-file "$work/shape.npy" "$work/left/out.npy"
check "another type" says "is f64[1000,64], stacked" "$m" --batch-file "$work/type.npy" "$work/left/out.npy"
check "too few dimensions" says "is f32[64], stacked" "$m" --batch-file "$work/rank.npy" "$work/left/out.npy"
check "another order of elements" says "is in Fortran's order, in which no row is in one piece; numpy.ascontiguousarray() makes C's order" "$m" --batch-file "$work/fortran.npy" "$work/left/out.npy"
printf '\223NUMPY\001\000\000\000header' >"$work/headless.npy"
check "no header" says "headless.npy: a .npy header of 10 bytes" "$m" --batch-file "$work/headless.npy" "$work/left/out.npy"
check "no .npy file" says "not a .npy file" "$m" --batch-file "$work/row.ir" "$work/left/out.npy"
check "nothing on the standard input" says "standard input: not a .npy file" "$m" --batch-file - "$work/left/out.npy"
check "a folder" says "Is a directory" "$m" --batch-file "$work" "$work/left/out.npy"
check "no such input" says "nowhere.npy: No such file" "$m" --batch-file "$work/nowhere.npy" "$work/left/out.npy"
check "an output that cannot be made" says "No such file or directory" "$m" --batch-file "$in" "$work/nowhere/out.npy"
check "a full disk" full_disk
check "a full device" says "/dev/full: No space left on device" "$m" --batch-file "$in" /dev/full
check "a pipe that nobody reads, rows" broken_pipe "$work/wide/m" --batch-file "$work/means.npy" -
check "a pipe that nobody reads, how many" grep -E '; [0-9]+ of 1500 rows were written to standard output$' "$work/said"
check "a pipe that nobody reads, an output" broken_pipe "$work/wide/m" --random 1 --output -
check "all rows in one run" eval "'$work/rows-c/m' --batch-file '$in' '$work/again.npy' && close_to '$work/again.npy' '$work/case/output_0.npy'"
check "an output without rows" says "output 'sum' is f32[], without a leading dimension of 1 as input 'x' has: stack whole inputs, f32[N,1,8]" \
    "$work/two/m" --input scale="$work/scale.npy" --batch-file x="$work/x.npy" sum="$work/left/out.npy"
check "one file" usage "--batch-file wants two files" "$m" --batch-file "$in"
check "two inputs without names" usage "--batch-file with two files is for one input and one output, here are 2 and 2: give INPUT=FILE" "$work/two/m" --batch-file "$in" "$work/left/out.npy"
check "--batch-file and --bench" usage "--batch-file and --bench cannot be combined" "$m" --batch-file "$in" "$work/left/out.npy" --bench 1
check "--output and --output-dir" usage "--output and --output-dir cannot be combined" "$m" --random 1 --output "$work/left/y.npy" --output-dir "$work/left"
check "an output too many" usage "is one output too many, the model has 1" "$m" --random 1 --output "$work/left/y.npy" --output "$work/left/z.npy"
check "an output of no name" usage "no output is called 'z'" "$m" --random 1 --output z="$work/left/y.npy"
more() { cat "$work/one.npy" "$work/one.npy" | "$m" --input -; }
check "an input too many on the standard input" says "standard input: more stands behind the last input" more
short() { head -c 200 "$work/one.npy" | "$m" --input - --output "$work/left/y.npy"; }
check "half an input on the standard input" says "input 'x': standard input: ends after 72 of 256 bytes of data" short
huge() { npy_header '<f4' '1000000000, 1000000000' | "$m" --input -; }
check "an input larger than memory" says "standard input: no memory for 4000000000000000128 bytes" huge
