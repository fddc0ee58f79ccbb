# Sourced by tests/cli/run: what was meant by words that are mistyped.

hint() {
    ends "$1" "$2" "$dnnlc" $4
    says "$1" err "$3"
}
small=$work/small.ir
hint "an option" 2 "unknown option --tagret (did you mean '--target'?); see dnnlc --help" "$small --tagret c"
hint "an option of a subcommand" 2 "unknown option --jsn (did you mean '--json'?); see dnnlc inspect --help" "inspect $small --jsn"
hint "an option that another subcommand has" 2 "unknown option --jsn; see dnnlc --help" "$small --jsn"
hint "an option with its value in one word" 2 "unknown option --isa=avx2: a value is a word of its own, --isa avx2" "$small --isa=avx2"
hint "a word that is like none" 2 "unknown option --colour; see dnnlc --help" "$small --colour"
hint "a choice" 2 "--weights flie: must be one of embed|c|file (did you mean 'file'?)" "$small --weights flie"
hint "what is emitted" 2 "--emit txt: must be one of text|onnx|dot (did you mean 'text'?)" "$small --emit txt"
hint "a pass" 1 "--passes: there is no pass 'simplfy' (did you mean 'simplify'?)" "$small --passes simplfy --target c"
hint "an ISA" 1 "--isa avx512: not known (did you mean 'avx512_core'?)" "$small --isa avx512 --target c"
hint "a subcommand" 2 "one model at a time: inspct and $small (did you mean 'inspect'?)" "inspct $small"

# Names of the model: a symbol, inputs, states.
sed 's/image/imago/g' samples/digits/digits.onnx >"$work/imago.onnx"
hint "an input of --shape" 1 "--shape imgao=1x1x28x28: the model has no such input (did you mean 'imago'?)" "$work/imago.onnx --shape imgao=1x1x28x28"
hint "an input of --bind" 1 "the model has no such input (did you mean 'imago'?)" "$work/imago.onnx --bind image=1"
hint "an output of --state" 1 "the model has no such output (did you mean 'probabilities'?)" "$work/imago.onnx --target c --state probabilites=imago"
hint "an input of --state" 1 "the model has no such input (did you mean 'imago'?)" "$work/imago.onnx --target c --state probabilities=imag"
