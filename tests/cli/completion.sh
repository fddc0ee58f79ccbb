# Sourced by tests/cli/run: what shells complete. bash and fish are asked, of zsh it is seen what it is told; a shell that is not installed is skipped.

mkdir "$work/completion" "$work/completion/folder" "$work/completion/my figures"
for file in net.onnx 'my net.onnx' graph.ir notes.txt; do
    : >"$work/completion/$file"
done
for shell in bash zsh fish; do
    ends "completion for $shell" 0 "$dnnlc" --completion $shell
    cp "$work/out" "$work/completion.$shell"
done
ends "completion for a shell that is not known" 2 "$dnnlc" --completion tcsh
says "completion for a shell that is not known" err "--completion tcsh: must be one of bash|zsh|fish"
ends "completion is of dnnlc alone" 2 "$dnnlc" inspect --completion bash
says "completion is of dnnlc alone" err "--completion: dnnlc inspect takes no such option"

# What COMPREPLY has when the last of these words is completed, a line each, sorted.
bash_completes() {
    (cd "$work/completion" && bash -c '
        . ../completion.bash || exit 1
        COMP_WORDS=("$@")
        COMP_CWORD=$(($# - 1))
        _dnnlc
        printf "%s\n" "${COMPREPLY[@]}"' bash "$@") 2>&1 | LC_ALL=C sort
}

# completes WANTED WORD...: of a line with these words bash completes the last one so; WANTED has spaces where lines end.
completes() {
    wanted=$1
    shift
    found=$(bash_completes "$@" | tr '\n' ' ' | sed 's/ $//')
    [ "$found" = "$wanted" ]
    count "bash completes '$*': '$found' instead of '$wanted'" $?
}

# A line of fish, in the same folder; without its descriptions.
fish_completes() {
    wanted=$1
    found=$(cd "$work/completion" && HOME=$work XDG_CONFIG_HOME=$work/config XDG_DATA_HOME=$work/data fish -N -c '
        source ../completion.fish
        complete -C $argv[1]' "$2" 2>&1 | cut -f 1 | LC_ALL=C sort | tr '\n' ' ' | sed 's/ $//')
    [ "$found" = "$wanted" ]
    count "fish completes '$2': '$found' instead of '$wanted'" $?
}

options_of() { "$dnnlc" "$@" --help | sed -n 's/^  \(--*[a-z][a-z-]*\).*/\1/p' | LC_ALL=C sort | tr '\n' ' ' | sed 's/ $//'; }

completes "$(options_of)" dnnlc -
completes "$(options_of inspect)" dnnlc inspect -
completes "--target" dnnlc net.onnx --ta
completes "--max-memory --max-time --max-trips --max-variants" dnnlc --max-
completes "--json" dnnlc inspect --j
completes "" dnnlc --j
completes "c dnnl" dnnlc --target ''
completes "file" dnnlc net.onnx --weights f
completes "folder my figures" dnnlc net.onnx -o ''
completes "avx2_vnni avx2_vnni_2" dnnlc --isa avx2_
completes "avx2,sse41" dnnlc --isa avx2,ss
completes "lower,plan-memory" dnnlc net.onnx --passes lower,pl
completes "all" dnnlc --print-after al
completes "auto" dnnlc --state a
completes "" dnnlc --threads ''
completes "" dnnlc --dim batch = ''
completes "notes.txt" dnnlc net.onnx --bind x = no
completes "folder graph.ir my figures my net.onnx net.onnx notes.txt" dnnlc net.onnx --bind x =
completes "graph.ir" dnnlc g
completes "inspect" dnnlc insp
completes "folder graph.ir my figures my net.onnx net.onnx" dnnlc -q ''
completes "folder graph.ir my figures my net.onnx net.onnx" dnnlc inspect ''
completes "net.onnx" dnnlc net
completes "net.onnx notes.txt" dnnlc --machine n

# A name is text, whatever stands in it.
hostile='$(touch ran) `touch ran`; touch ran.onnx'
mkdir "$work/hostile"
: >"$work/hostile/$hostile"
completes "../hostile/$hostile" dnnlc ../hostile/
count "bash runs what the name of a file says" "$(find "$work" -name ran | wc -l)"

if command -v fish >/dev/null; then
    ends "fish reads its script" 0 fish -N -n "$work/completion.fish"
    fish_completes "--target" "dnnlc net.onnx --ta"
    fish_completes "c dnnl" "dnnlc --target "
    fish_completes "--json" "dnnlc inspect --j"
    fish_completes "" "dnnlc --j"
    fish_completes "lower,plan-memory" "dnnlc net.onnx --passes lower,pl"
    fish_completes "folder/ my figures/" "dnnlc net.onnx -o "
    fish_completes "x=notes.txt" "dnnlc net.onnx --bind x=no"
    fish_completes "inspect" "dnnlc insp"
    fish_completes "../hostile/$hostile" "dnnlc ../hostile/"
    count "fish runs what the name of a file says" "$(find "$work" -name ran | wc -l)"
else
    skip "completion in fish, which is not installed"
fi
if command -v zsh >/dev/null; then
    ends "zsh reads its script" 0 zsh -f -n "$work/completion.zsh"
    count "zsh would complete another command" $((1 - $(sed -n 1p "$work/completion.zsh" | grep -cx '#compdef dnnlc')))
    # What the script hands to zsh's _arguments, for a line of this many words.
    zsh_offers() {
        zsh -f -c '_arguments() { print -rl -- "$@"; }; script=$1; shift; words=("$@") CURRENT=$#; . $script' zsh "$work/completion.zsh" "$@" >"$work/out" 2>"$work/err"
    }
    for command in '' inspect; do
        zsh_offers dnnlc ${command:+$command} ''
        sed -n 's/^\*\{0,1\}\(--*[a-z][a-z-]*\).*/\1/p' "$work/out" | LC_ALL=C sort | tr '\n' ' ' | sed 's/ $//' >"$work/offered"
        [ "$(cat "$work/offered")" = "$(options_of $command)" ]
        count "zsh offers other options of dnnlc $command: $(cat "$work/offered" "$work/err")" $?
    done
    zsh_offers dnnlc ''
    says "a folder in zsh" out "-o[the folder to write into (default\\: the model's name)]:DIR:_files -/"
    says "a choice in zsh" out "]:embed|c|file:(embed c file)"
    says "what may be said again in zsh" out "*--dim[the value of a symbolic dimension; '*=N' for every one not named;"
    says "a value that may be left out in zsh" out "]::\[FILE\]:_files"
    says "a first word in zsh" out "1:model:_dnnlc_first"
else
    skip "completion in zsh, which is not installed"
fi
