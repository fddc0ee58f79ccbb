# Sourced by tests/cli/run: colours, notes and summaries. script (of Debian's essential bsdutils) is the terminal.

escape=$(printf '\033')
on_terminal() { script -qec "$1" /dev/null >"$work/out" 2>&1 </dev/null; }

on_terminal "env -u NO_COLOR TERM=xterm '$dnnlc' inspect '$work/small.ir' --target c"
says "inspect has colours on a terminal" out "${escape}[1minputs"
for setting in "NO_COLOR=1 TERM=xterm" "TERM=dumb"; do
    on_terminal "env -u NO_COLOR $setting '$dnnlc' inspect '$work/small.ir' --target c"
    says "inspect with $setting" out "inputs"
    count "inspect has no colours with $setting" "$(grep -cF "$escape" "$work/out")"
done
ends "inspect into a file" 0 "$dnnlc" inspect "$work/small.ir" --target c
count "inspect has no colours in a file" "$(grep -cF "$escape" "$work/out")"

for command in "" inspect verify bisect; do
    on_terminal "COLUMNS=80 '$dnnlc' $command --help"
    tr -d '\r' <"$work/out" >"$work/help.txt" && mv "$work/help.txt" "$work/out"
    says "$command --help on a terminal" out "                           "
    fits "$command --help on a terminal" 80
done

# A state that is found by its name: a note, and a summary.
printf 'graph "g" {\n input %%x: f32[2,2]\n %%y = Relu(%%x)\n output "y" = %%y\n output "next_x" = %%y\n}\n' >"$work/notes.ir"
ends "a compilation" 0 "$dnnlc" "$work/notes.ir" --target c --state auto -o "$work/loud"
says "a compilation says what it wrote" out "build it with: ninja -C"
says "a compilation notes what it decided" err "next_x"
ends "a quiet compilation" 0 "$dnnlc" "$work/notes.ir" --target c --state auto -q -o "$work/still"
[ ! -s "$work/out" ] && [ ! -s "$work/err" ]
count "a quiet compilation says something" $?
diff -r "$work/loud" "$work/still" >/dev/null
count "a quiet compilation writes something else" $?
ends "a quiet refusal" 1 "$dnnlc" "$work/small.ir" --isa z80 --target c -q -o "$work/still"
says "a quiet refusal is said" err "--isa z80: not known"
ends "what is asked for is said quietly as well" 0 "$dnnlc" "$work/small.ir" --target c -q --emit text
says "what is asked for is said quietly as well" out "Relu"
