# Sourced by run: states, which a context keeps from one run to the next. SPDX-License-Identifier: Apache-2.0
states=tests/emitted/stateful.ir
sed 's/ next "[a-z]*"$//' $states >"$work/plain.ir"
cat >"$work/rows.ir" <<'END'
graph "rows" {
  input %mask: f32[6]
  input %kept: i64[1,6]
  %found: i64[1,6], %n: i64[] = NonZero(%mask)
  output "found" = %found
  output "found_count" = %n counts "found" along 1
}
END
pairs='--state next_map=map --state next_h=h --state next_steps=steps --state next_a=a --state next_b=b'

fed_back_by_hand() { # TARGET
    "$dnnlc" $states -o "$work/m-$1" --name m --target "$1" --threads 1 && builds "m-$1" || return 1
    "$dnnlc" "$work/plain.ir" -o "$work/p-$1" --name p --target "$1" --threads 1 && builds "p-$1" || return 1
    libraries=-lm
    [ "$1" = c ] || libraries="-L$onednn/lib -ldnnl -lstdc++ -lgomp -lm -ldl -lpthread"
    # shellcheck disable=SC2086 # words
    gcc -std=c17 -D_GNU_SOURCE $strict -O1 -I"$work/m-$1" -I"$work/p-$1" tests/emitted/states.c \
        "$work/m-$1/libm.a" "$work/p-$1/libp.a" $libraries -o "$work/states-$1" && "$work/states-$1"
}

# The command line says what the text says; what a file calls a pair twice is one.
same_by_option() {
    # shellcheck disable=SC2086
    "$dnnlc" "$work/plain.ir" $pairs --emit text >"$work/by_option" && "$dnnlc" $states --emit text >"$work/by_text" &&
        cmp "$work/by_option" "$work/by_text" &&
        "$dnnlc" "$work/plain.ir" --state next_a=a --state next_b=b --state auto --emit text >"$work/auto" 2>"$work/notes" &&
        cmp "$work/auto" "$work/by_text" && [ "$(wc -l <"$work/notes")" = 3 ] && grep -x 'dnnlc: --state next_h=h (f32\[1,16\])' "$work/notes"
}

# A program's text keeps them, too, and what is emitted of it is the same.
same_by_program() {
    "$dnnlc" $states --emit text --stop-after plan-memory --name m --target c --threads 1 >"$work/program.ir" &&
        "$dnnlc" "$work/program.ir" -o "$work/again" && diff "$work/again/m_dnnl.h" "$work/m-c/m_dnnl.h" &&
        grep -c '"copied_bytes": 0' "$work/again/m.json" && grep '"input": "b", "output": "next_b", "copied_bytes": 12' "$work/again/m.json"
}

# In turn, all through one context; or each as if it were the first.
each_in_turn() { # FOLDER
    m=$work/$1/m
    rm -rf "$work/in" "$work/out" "$work/alone"
    mkdir "$work/in"
    for k in 2 9 10; do
        "$work/p-c/p" --random $k --output-dir "$work/alone" && cp "$work/alone/output_1.npy" "$work/in/$k.npy" || return 1 # f32[1,16,12,12]
    done
    "$m" --each "$work/in/*.npy" >"$work/said" && [ "$(grep -c "^$work/in/.*:$" "$work/said")" = 3 ] &&
        grep "'next_steps' i64\[\]: .* values 3" "$work/said" && sed -n '/^build/p' "$work/said" | tail -1 | grep '/10.npy:$' || return 1
    "$m" --each "$work/in/*.npy" --reset | grep "'next_steps'" | grep -v 'values 1' && return 1
    "$m" --each "$work/in/*.npy" --output-dir "$work/out" && ls "$work"/out/0/output_0.npy "$work"/out/2/output_5.npy || return 1
    # the same by hand: what a run leaves is what the next one is given
    given=
    for k in 2 9 10; do
        # shellcheck disable=SC2086
        "$m" --input "x=$work/in/$k.npy" $given --output-dir "$work/by_hand" || return 1
        rm -rf "$work/left" && mv "$work/by_hand" "$work/left"
        given="--input map=$work/left/output_1.npy --input h=$work/left/output_2.npy --input steps=$work/left/output_3.npy \
            --input a=$work/left/output_4.npy --input b=$work/left/output_5.npy"
    done
    diff -r "$work/left" "$work/out/2" || return 1
    # folders with as many inputs as a run takes
    mkdir "$work/in/a" "$work/in/b" && cp "$work/in/2.npy" "$work/in/a/input_0.npy" && cp "$work/in/9.npy" "$work/in/b/input_0.npy" &&
        "$m" --each "$work/in/[ab]" | grep "'next_steps' i64\[\]: .* values 2"
}

# refuses STATUS WHY COMMAND...: in one line.
refuses() {
    status=$1 why=$2
    shift 2
    "$@" >"$work/out.txt" 2>"$work/said"
    [ $? = "$status" ] && [ "$(wc -l <"$work/said")" = 1 ] && grep -F -e "$why" "$work/said"
}
pair() { refuses 1 "$2" "$dnnlc" "$work/plain.ir" --target c -o "$work/no" --state "$1"; }

for target in c dnnl; do
    check "a thousand steps with states are those that are fed back by hand, $target" fed_back_by_hand $target
    check "--each goes on with the states, $target" each_in_turn m-$target
    check "--selftest with states, $target" eval "'$dnnlc' $states --selftest -o '$work/s-$target' --name s --target $target && builds s-$target && '$work/s-$target/s' --selftest"
done
check "--state and text say the same, 'auto' finds names" same_by_option
check "a program's text has the states" same_by_program
check "--info lists states" eval "'$work/m-c/m' --info | grep \"^state     4     'b', then 'next_b'$\""
check "a folder with too many inputs is refused" eval "cp '$work/in/2.npy' '$work/in/a/input_1.npy' && refuses 1 'a run takes 1' '$work/m-c/m' --each '$work/in/a'"
check "no file fits" refuses 1 "there is no such file" "$work/m-c/m" --each "$work/in/*.pb"
check "--reset without --each" refuses 2 "--reset is for --each only" "$work/m-c/m" --reset --random 1
check "a file for one input of several" refuses 1 "a file is one input, and a run takes 6: folders with input_0.npy, ... give as many" "$work/p-c/p" --each "$work/in/2.npy"
check "an input too many" refuses 2 "the model has 1 and states, which go by their names" "$work/m-c/m" --input "$work/in/2.npy" --input "$work/in/2.npy"
check "another type" pair next_h=map "--state next_h=map: output 'next_h' is f32[1,16], input 'map' f32[1,16,12,12]"
check "no such output" pair nothing=map "the model has no such output"
check "no such input" pair next_map=nothing "the model has no such input"
check "an input in two pairs" refuses 1 "input 'a' is in another pair" "$dnnlc" "$work/plain.ir" --target c -o "$work/no" --state next_a=a --state next_b=a
check "an output in two pairs" refuses 2 "is given twice" "$dnnlc" "$work/plain.ir" --target c -o "$work/no" --state next_a=a --state next_a=b
check "no pair at all" refuses 2 "OUTPUT=INPUT is wanted" "$dnnlc" "$work/plain.ir" --state next_a
check "no names that fit" refuses 1 "--state auto: no output is called like the next value of an input of its type; --state OUTPUT=INPUT names a pair" "$dnnlc" tests/emitted/residual.ir --target c -o "$work/no" --state auto
check "data-dependent rows" refuses 1 "how many rows output 'found' has depends on data" "$dnnlc" "$work/rows.ir" --target c -o "$work/no" --state found=kept
check "a program has its states already" refuses 1 "a program is compiled already" "$dnnlc" "$work/program.ir" -o "$work/no" --state next_a=a
