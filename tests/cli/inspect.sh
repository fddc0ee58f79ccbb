# Sourced by tests/cli/run: what dnnlc inspect says.

digits=samples/digits/digits.onnx

# fits NAME WIDTH: no line of the last output is longer, but for options to type.
fits() {
    LC_ALL=C.UTF-8 awk -v width="$2" 'length > width && !/^  --/ { print; bad = 1 } END { exit bad }' "$work/out"
    count "$1: a line is longer than $2 characters" $?
}

# member NAME PATH VALUE: what CMake's parser reads in the last output, which it has to take as JSON.
member() {
    cat >"$work/json.cmake" <<END
file(READ "$work/out" all)
string(JSON value ERROR_VARIABLE error GET "\${all}" $2)
if(error)
  message(FATAL_ERROR "\${error}")
elseif(NOT value STREQUAL [==[$3]==])
  message(FATAL_ERROR "$2 is \${value}")
endif()
END
    cmake -P "$work/json.cmake" >"$work/json.out" 2>&1
    status=$?
    [ $status = 0 ] || cat "$work/json.out"
    count "$1: $2 is not $3" $status
}

ends "inspect a model" 0 "$dnnlc" inspect $digits --target c
says "inspect a model" out "samples/digits/digits.onnx: opset 13, IR version 7, by pytorch 1.13.0"
says "inspect a model" out "  image         f32[1,1,28,28]"
says "inspect a model" out "parameters: 27.3 k (106.6 KiB); multiply-adds: 2.33 M"
says "inspect a model" out "  BatchNormalization       7       -       -       7"
says "inspect a model" out "for portable C, 1 thread:"
fits "inspect a model" 80
ends "inspect in a narrow terminal" 0 env COLUMNS=50 "$dnnlc" inspect $digits --target c
fits "inspect in a narrow terminal" 50
ends "inspect writes no file" 0 sh -c "mkdir -p '$work/empty' && cp $digits '$work/empty/' && cd '$work/empty' && '$dnnlc' inspect digits.onnx --target c >/dev/null && [ \"\$(ls)\" = digits.onnx ]"
ends "inspect in JSON" 0 "$dnnlc" inspect $digits --target c --json
member "inspect in JSON" "schema" 1
member "inspect in JSON" "opsets 0 version" 13
member "inspect in JSON" "compiles" ON
member "inspect in JSON" "operators 1 name" BatchNormalization
member "inspect in JSON" "operators 1 folded" 7
member "inspect in JSON" "compiled_inputs 0 dims 3" 28

# Two operators that nobody knows; what is behind the first is not judged, and the second is refused for all that.
sed 's/MaxPool/MaxPaul/g; s/Softmax/Saftmax/g' $digits >"$work/unknown.onnx"
ends "inspect a model that is refused" 1 "$dnnlc" inspect "$work/unknown.onnx" --target c
says "inspect says all refusals" out "(MaxPaul)"
says "inspect says all refusals" out "(Saftmax)"
says "inspect says what is not judged" out "open: not judged"
fits "inspect a model that is refused" 80
ends "inspect a model that is refused, in JSON" 1 "$dnnlc" inspect "$work/unknown.onnx" --target c --json
member "inspect a model that is refused, in JSON" "compiles" OFF
member "inspect a model that is refused, in JSON" "refusals 0 operator" MaxPaul
member "inspect a model that is refused, in JSON" "refusals 3 operator" Saftmax
ends "what inspect says first is what a compilation says" 1 "$dnnlc" "$work/unknown.onnx" --target c -o "$work/none"
says "what inspect says first is what a compilation says" err "(MaxPaul): dnnlc does not know this operator of domain 'ai.onnx', opset 13"

# Refused behind the import.
ends "inspect with options that do not go together" 1 "$dnnlc" inspect $digits --target c --precision bf16
says "inspect with options that do not go together" err "--precision bf16 is for oneDNN"
ends "inspect a model that a pass refuses" 1 "$dnnlc" inspect $digits --target c --no-float
says "inspect a model that a pass refuses" out "refused"

# Names of all kinds stay names.
sed 's/probabilities/<\/script>"\\n'"'"'/g; s/Flatten/Fl"\\>en/g' $digits >"$work/names.onnx"
ends "inspect hostile names" 1 "$dnnlc" inspect "$work/names.onnx" --target c --json
member "inspect hostile names" "outputs 0 name" "</script>\"\\n'"
member "inspect hostile names" "refusals 0 operator" 'Fl"\>en'
ends "inspect hostile names" 1 "$dnnlc" inspect "$work/names.onnx" --target c
fits "inspect hostile names" 80

ends "inspect what is no model" 1 "$dnnlc" inspect "$work/out"
ends "inspect a missing model" 1 "$dnnlc" inspect "$work/missing.onnx"
says "inspect a missing model" err "missing.onnx"
ends "inspect with a wrong dimension" 1 "$dnnlc" inspect $digits --dim nothing=1
says "inspect with a wrong dimension" out "the model has no dimension 'nothing'"
# Sizes that are open: what is to be set, and what an example says of the nodes. In the file a dimension of 5 is field 1 of its message, a
# number; here it becomes field 2, a symbol without letters.
printf 'graph "g" {\n input %%x: f32[3,5]\n %%y = Softmax(%%x) {axis=1, axis_end=2}\n output "y" = %%y\n}\n' >"$work/open.ir"
"$dnnlc" "$work/open.ir" --target c --emit onnx | LC_ALL=C sed 's/\x02\x08\x05/\x02\x12\x00/g' >"$work/open.onnx"
ends "inspect without a model" 2 "$dnnlc" inspect --machine
says "inspect without a model" err "no model given; see dnnlc inspect --help"
ends "inspect with an unknown ISA" 1 "$dnnlc" inspect $digits --isa z80
says "inspect with an unknown ISA" err "--isa z80: not known"
ends "inspect several sizes" 0 "$dnnlc" inspect "$work/open.onnx" --target c --shape x=3x7,3x9
says "inspect several sizes" out "2 variants, 2 layers"
says "inspect several sizes" out "a run of the first"
ends "inspect a bound" 0 "$dnnlc" inspect "$work/open.onnx" --target c --shape x=3x..7
says "inspect a bound" out "at most 7 by"
ends "inspect by recorded answers" 0 "$dnnlc" inspect tests/explain/image.ir --engine tests/explain/answers
says "inspect by recorded answers" out "for oneDNN on avx2, 1 thread"
ends "inspect a graph in text" 0 "$dnnlc" inspect tests/explain/image.ir --target c
says "inspect a graph in text" out "a graph in text"
says "inspect a graph in text" out "  Conv "
"$dnnlc" tests/explain/image.ir --target c --emit text --stop-after plan-memory >"$work/program.ir"
ends "inspect a program in text" 0 "$dnnlc" inspect "$work/program.ir"
says "inspect a program in text" out "a program in text"
says "inspect a program in text" out "for portable C"

ends "inspect open sizes" 1 "$dnnlc" inspect "$work/open.onnx" --target c
says "inspect open sizes" out "  x             f32[3,?]"
says "inspect open sizes" out "--shape x=3xA"
says "inspect open sizes" out "open; in x[1]"
says "inspect open sizes" out "with 8 for every size that is open, as an example, it would be compiled"
# Operators are counted as the example has them: none is left open.
says "inspect open sizes" out "  Softmax            1       1"
ends "inspect open sizes in JSON" 1 "$dnnlc" inspect "$work/open.onnx" --target c --json
member "inspect open sizes in JSON" "dimensions 0 option" "--shape x=3xA"
member "inspect open sizes in JSON" "dimensions 0 value" ""
member "inspect open sizes in JSON" "example" 8
member "inspect open sizes in JSON" "operators 0 c" 1
member "inspect open sizes in JSON" "layers" ""
ends "inspect sizes that are set" 0 "$dnnlc" inspect "$work/open.onnx" --target c --shape x=3x7
says "inspect sizes that are set" out "7 by an option"
sed 's/Softmax/Saftmax/' "$work/open.onnx" >"$work/worse.onnx"
ends "inspect open sizes and more" 1 "$dnnlc" inspect "$work/worse.onnx" --target c
says "inspect open sizes and more" out "(Saftmax): dnnlc does not know this operator"
says "inspect open sizes and more" out "what is refused besides"
ends "inspect open sizes that the planner refuses" 1 "$dnnlc" inspect "$work/open.onnx" --target c --no-float
says "inspect open sizes that the planner refuses" out "what is refused besides"
says "inspect open sizes that the planner refuses" out "is f32 and not quantised at once"
