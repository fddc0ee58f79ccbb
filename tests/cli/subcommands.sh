# Sourced by tests/cli/run: the first word is a subcommand, and each takes its own options.

ends "help lists subcommands" 0 "$dnnlc" --help
says "help lists subcommands" out "inspect MODEL"
for subject in "Options:" "Sizes, inputs and states:" "Planning:" "Reports and checks:" "Others:"; do
    says "help has subjects" out "$subject"
done
count "help has a line for an option where it is read by a program" "$(grep -cE '^ {4}' "$work/out")"
ends "a subcommand's help" 0 "$dnnlc" inspect --help
says "a subcommand's help" out "dnnlc inspect MODEL [options]"
says "a subcommand's help" out "--dim SYMBOL=N"
count "a subcommand's help has only its own options" "$(grep -c -e '--force' "$work/out")"
ends "an option of another subcommand" 2 "$dnnlc" inspect "$work/small.ir" --force
says "an option of another subcommand" err "--force: dnnlc inspect takes no such option; see dnnlc inspect --help"
ends "a subcommand without a model" 2 "$dnnlc" inspect
says "a subcommand without a model" err "dnnlc: no model given; see dnnlc inspect --help"

# The word is a subcommand only where it comes first, and a file by a path.
cp "$work/small.ir" "$work/inspect"
ends "a model that is called like a subcommand" 0 sh -c "cd '$work' && '$dnnlc' ./inspect --target c -o '$work/folder'"
[ -e "$work/folder/build.ninja" ]
count "a model that is called like a subcommand is compiled" $?
ends "a subcommand's name as the second word" 0 sh -c "cd '$work' && '$dnnlc' --target c inspect -o '$work/folder'"

ends "inspect says inputs and outputs" 0 "$dnnlc" inspect "$work/small.ir"
says "inspect says inputs and outputs" out "f32[2,2]"
