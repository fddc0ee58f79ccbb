# Sourced by tests/emitted/run: bad models and bad tensors are refused in one line. SPDX-License-Identifier: Apache-2.0

bad=$work/bad
mkdir -p $bad/folder
head -c 5000 $digits/digits.onnx >$bad/truncated.onnx
head -c 60000 $digits/digits.onnx >$bad/truncated_later.onnx
head -c 4096 /bin/sh >$bad/garbage.onnx
: >$bad/empty.onnx
: >$bad/empty.ir
echo 'graph 1 2 3 {' >$bad/garbage.ir
printf '\n\377\377\377\377\377\377\377\377\377\001' >$bad/huge_length.onnx
printf 'graph "g" {\n input %%x: f32[2,2]\n %%y = ReduceL1(%%x) {axes=[], keepdims=1}\n output "y" = %%y\n}\n' >$bad/no_axis.ir
# A graph in an attribute of a node of a graph in an attribute …, 3,000 times.
LC_ALL=C awk 'function wrap(tag, s,  n, l) {
        for (n = length(s); n > 127; n = int(n / 128)) l = l sprintf("%c", 128 + n % 128)
        return tag l sprintf("%c", n) s
    }
    BEGIN {
        s = wrap("\022", "g")
        for (i = 0; i < 3000; i++) s = wrap("\012", wrap("*", wrap("2", s)))
        printf "%s", "\010\007" wrap(":", s)
    }' >$bad/deep.onnx

check "a missing model" refused_model 1 $bad/missing.onnx
check "a folder as a model" refused_model 1 $bad/folder
for file in truncated.onnx truncated_later.onnx garbage.onnx empty.onnx empty.ir garbage.ir huge_length.onnx deep.onnx; do
    check "the model $file" refused_model 1 $bad/$file
done
# Nobody writes into these: a compiler that opened them as files would wait for ever.
mkfifo $bad/pipe.onnx $bad/pipe.patterns
check "a FIFO as a model" refused_model 1 $bad/pipe.onnx
check "a FIFO as patterns" refused_model 1 $digits/digits.onnx --patterns $bad/pipe.patterns
check "a line break in a path stays on one line" refused_model 1 "$bad/no
such.onnx"
check "a terminal's commands in a path stay out of it" sh -c "! '$dnnlc' \"\$(printf 'a\\302\\233b\\033c\\342\\200\\256')\" 2>'$work/said.err' && grep -qx 'dnnlc: a?b?c?: .*' '$work/said.err'"
check "the runtime's own name" refused_model 2 $digits/digits.onnx --name dnnlc
check "a name like the runtime's files" refused_model 2 $digits/digits.onnx --name dnnlc_main
# A model that is called like the runtime gets another name by itself.
cp $digits/digits.onnx $bad/dnnlc.onnx
check "a model that is called like the runtime" sh -c "'$dnnlc' $bad/dnnlc.onnx --target c -o '$work/renamed' >/dev/null && [ -e '$work/renamed/n_dnnlc_main.c' ]"
check "no model" refused_model 2
check "an unknown option" refused_model 2 $digits/digits.onnx --colour
check "a bad target" refused_model 2 $digits/digits.onnx --target gpu
check "a bad name" refused_model 2 $digits/digits.onnx --name 'a b'
check "an unknown ISA" refused_model 1 $digits/digits.onnx --isa z80
check "an unknown ISA in portable C" refused_model 1 $digits/digits.onnx --isa z80 --target c
check "bf16 in portable C" refused_model 1 $digits/digits.onnx --precision bf16 --target c
check "bf16 where it would be emulated" refused_model 1 $digits/digits.onnx --precision bf16 --isa avx2
check "an unknown precision" refused_model 2 $digits/digits.onnx --precision f16
check "an unknown pass" refused_model 1 $digits/digits.onnx --passes no-such-pass
check "an unknown pass to stop after" refused_model 1 $digits/digits.onnx --stop-after no-such-pass
check "a pass to stop after that does not run" refused_model 1 $digits/digits.onnx --passes simplify --stop-after partition
check "a pass to print after that does not run" refused_model 1 $digits/digits.onnx --passes simplify --print-after partition
check "passes in an order that cannot be" refused_model 1 $digits/digits.onnx --passes annotate-target
check "a dimension that is not there" refused_model 1 $digits/digits.onnx --dim nothing=1
check "a dimension without a value" refused_model 2 $digits/digits.onnx --dim batch=
check "a dimension without a name" refused_model 2 $digits/digits.onnx --dim =1
check "two shapes of an input" refused_model 2 $digits/digits.onnx --shape image=1x1x28x28 --shape image=2x1x28x28
said_twice() { "$dnnlc" $digits/digits.onnx --shape image=1x1x28x28 --shape image=1x1x28x28 --dim '*=1' --dim '*=1' --emit text >"$work/out"; }
check "the same said twice is no mistake" said_twice
check "a shape that is none" refused_model 1 $digits/digits.onnx --shape image=1xx28x28
check "no value for the last option" refused 2 "$dnnlc" $digits/digits.onnx --name
check "two models" refused_model 2 $digits/digits.onnx $digits/digits.onnx
check "no thread at all" refused_model 2 $digits/digits.onnx --threads 0
check "an unknown form to print" refused_model 2 $digits/digits.onnx --emit html
check "two things on standard output" refused_model 2 $digits/digits.onnx --emit onnx --explain
check "text before a model" refused_model 2 $digits/digits.onnx --emit onnx --print-after all
says_forms() { refused_model 2 $digits/digits.onnx --emit html | grep -qF 'must be one of text|onnx|dot'; }
check "the forms there are" says_forms
# script gives the compiler a terminal to write to.
no_bytes() { script -qec "$dnnlc $digits/digits.onnx --emit onnx" /dev/null </dev/null | grep -q -- '--emit onnx writes bytes, which a terminal does not show: send them to a file'; }
check "a model on a terminal" no_bytes
check "a model that ONNX has no form for" refused_model 1 "$bad/no_axis.ir" --passes '' --emit onnx
check "weights that are part of the code cannot be replaced" refused_model 2 $digits/digits.onnx --replace-weights
check "what it says" grep "replace-weights: only --weights file has weights outside of the code" "$work/said.err"
check "a folder without a name" refused 2 "$dnnlc" $digits/digits.onnx -o ''
check "patterns that are not there" refused_model 1 $digits/digits.onnx --patterns $bad/missing
printf 'anchor dnnl.mine Conv\n  colour red\n' >$bad/colour.patterns
says_where() { refused_model 1 $digits/digits.onnx --patterns $bad/colour.patterns | grep -q 'colour.patterns:[0-9]*:[0-9]*: '; }
check "patterns with a mistake, and where it is" says_where
check "an input that is not there" refused_model 1 $digits/digits.onnx --shape nothing=1x2
check "a shape that does not fit" refused_model 1 $digits/digits.onnx --shape image=1x28x28
check "a bound file that is missing" refused_model 1 $digits/digits.onnx --bind image=$bad/missing.npy
check "the output folder is a file" refused 1 "$dnnlc" $digits/digits.onnx -o $bad/empty.ir

# What is said, a line each: STATUS | ARGUMENTS | MESSAGE.
printf 'oneDNN 1.0, isa sse41, threads 1\n' >$bad/other.answers
"$dnnlc" $digits/digits.onnx --target c --stop-after plan-memory --emit text >$bad/program.ir
bytes() { printf "$2" >"$bad/$1.onnx"; }
bytes number '\010\200'
bytes long_number '\010\377\377\377\377\377\377\377\377\377\377\001'
bytes fixed '\015\001'
bytes length ':\177'
bytes type '\012\000'
bytes wire '\177\000'
bytes field '\000\000'
bytes no_graph '\010\007'
bytes nul '\022\001\000'
bytes twice ':\000:\000'
printf 'graph "g" {\n input %%x: f32[4]\n %%y = Exp(%%x)\n output "y" = %%y\n}\n' >$bad/exp.ir
echo 'spelled Relu: Exp($x);' >$bad/wrong.patterns
printf '#!/bin/sh\necho 4.8.5\n' >"$bad/old-gcc"
chmod +x "$bad/old-gcc"

says() { # STATUS MESSAGE ARGUMENT...
    want=$1 message=$2
    shift 2
    refused_model "$want" "$@" && grep -qF -- "$message" "$work/said.err"
}
while read -r line; do
    status=${line%% | *} message=${line##* | }
    arguments=${line#* | }
    set -f # --dim *=1
    check "$message" says "$status" "$message" $(eval "echo '${arguments% | *}'" | sed "s|\$model|$digits/digits.onnx|g; s|\$bad|$bad|g")
    set +f
done <<'END'
2 | $model --shape image=1x1x28x28 --shape image=2x1x28x28 | is given twice, with different values
2 | $model --threads 0 | a number from 1 to
2 | $model --target gpu | must be one of dnnl|c
2 | $model --name 1b | a C identifier is wanted
2 | $model --name dnnlc | the files beside the model's are called so
2 | $model $model | one model at a time
2 | --explain | no model given
2 | $model --machine | --machine needs FILE where there is a model
2 | $model --emit onnx --explain | writes to standard output as well
1 | $model --isa z80 | not known; choose native or one of
1 | $model --target c --engine $bad/empty.ir | --target c asks no engine
1 | $model --precision bf16 --target c | --precision bf16 is for oneDNN: --target c would emulate bf16, which is slower than f32
1 | $model --cc gcc | --cc gcc: with oneDNN that is aarch64-linux-gnu-gcc, for --isa sve_256 or sve_512; for other CPUs and compilers there is --target c
1 | $model --cc aarch64-linux-gnu-gcc --isa avx2 | for other CPUs and compilers there is --target c
1 | $model --isa sve_256 | is of another CPU: it takes --cc aarch64-linux-gnu-gcc
1 | $model --isa avx2,sve_256 | an executable for AArch64 is linked for all of its instruction sets: name the one to plan for
1 | $model --isa sve_256 --cc aarch64-linux-gnu-gcc --tune | --tune measures on this CPU, and --isa
1 | --measure-machine --isa sve_256 | --measure-machine measures this CPU, and --isa
1 | $model --target c --cc no-such-gcc | --cc no-such-gcc: there is no compiler of this name
1 | $model --target c --cc $bad/old-gcc | is version 4.8.5: what is emitted takes gcc or clang from 8 on
1 | $model --precision bf16 --isa avx2 | --precision bf16 needs a CPU with AVX512_BF16, AMX or AVX_NE_CONVERT, and --isa
1 | $model --engine $bad/empty.ir | this is no file of --record-engine
1 | $model --engine $bad/other.answers | , and this compiler plans for
1 | $model --shape image=1xx28x28 | is not a shape such as 1x3x224x224
1 | $model --dim nothing=1 | the model has no dimension 'nothing'
1 | $model --passes lower --print-after simplify | this pass is not among those that run
1 | $model --passes simplify,lower --target c | --passes simplify,lower: to emit a program it needs what 'plan-memory' makes
1 | $bad/exp.ir --patterns $bad/wrong.patterns --verify --target c | the passes changed output 'y' by 0.863 of its largest element
1 | $model --passes simplify,lower,simplify | works on the graph, of which there is a program already
1 | $bad/program.ir --threads 2 | a program is compiled already, with 'dnnlc digits.onnx --target c'; what can be chosen is -o, --name, --weights and --full
1 | $bad/exp.ir --dim n=1 --target c | exp.ir: --dim is for ONNX files; a text holds the sizes and constants of its graph
1 | $bad/exp.ir --shape x=1x2 --target c | exp.ir: --shape is for ONNX files; a text holds the sizes and constants of its graph
1 | $bad/exp.ir --bind x=1 --target c | exp.ir: --bind is for ONNX files; a text holds the sizes and constants of its graph
1 | $bad/empty.onnx | is empty
1 | $bad/number.onnx | the file ends within a number
1 | $bad/long_number.onnx | a number is longer than 64 bits
1 | $bad/length.onnx | a length goes past the end of the file
1 | $bad/type.onnx | a field has the wrong wire type
1 | $bad/wire.onnx | a field has an unknown wire type
1 | $bad/field.onnx | a field has an invalid number
1 | $bad/no_graph.onnx | it has no graph
1 | $bad/nul.onnx | a string holds a NUL character
1 | $bad/twice.onnx | a part that must be single comes twice
END

# oneDNN of another CPU is asked by a program beside the compiler, in an emulator.
rm -rf $bad/alone
mkdir -p $bad/alone $bad/tools
cp "$dnnlc" $bad/alone/dnnlc
printf '#!/bin/sh\n' >$bad/tools/qemu-aarch64 # which says nothing
chmod +x $bad/tools/qemu-aarch64
asks() { # MESSAGE, with emulators where PATH has been set to
    refused 1 env PATH="$emulators" $bad/alone/dnnlc $digits/digits.onnx --cc aarch64-linux-gnu-gcc --isa sve_256 -o "$work/none" && grep -F "$1" "$work/said.err"
}
emulators=$bad/tools
check "the program that asks another CPU's oneDNN is not there" asks "which is not there: runtime-stub/get-onednn --host aarch64-linux-gnu and then ninja build/dnnlc-aarch64-linux-gnu make it"
cp /bin/true $bad/alone/dnnlc-aarch64-linux-gnu
check "it does not answer" asks "does not answer, or is of another version"
emulators=$bad/folder
check "there is no emulator" asks "cannot be run, which oneDNN is asked with"
check "the folder is a file" sh -c "! '$dnnlc' $digits/digits.onnx -o $bad/empty.ir 2>&1 | grep -v 'exists and is not a folder'"

check "digits: builds" digits_built
program=$work/digits/m
npy '<f4' '1, 1, 28, 28' 3136 $bad/good.npy
npy '<f4' '1, 1, 28, 27' 3024 $bad/shape.npy
npy '<f8' '1, 1, 28, 28' 6272 $bad/type.npy
npy '<f4' '1, 1, 28, 28' 3135 $bad/short.npy
npy '<f4' '1, 1, 28, -28' 3136 $bad/negative.npy
npy '<f4' '4611686018427387904, 4611686018427387904' 64 $bad/overflow.npy
head -c 20 $bad/good.npy >$bad/header.npy
cp $bad/garbage.onnx $bad/garbage.npy
head -c 100 $digits/test_data_set_0/input_0.pb >$bad/short.pb
cp $bad/garbage.onnx $bad/garbage.pb
check "a good .npy" $program --input $bad/good.npy
for file in shape.npy type.npy short.npy negative.npy overflow.npy header.npy garbage.npy short.pb garbage.pb missing.npy; do
    check "the input $file" refused 1 $program --input $bad/$file
done
check "an input of an unknown name" refused 2 $program --input picture=$bad/good.npy
check "an input given twice" refused 2 $program --input image=$bad/good.npy --input image=$bad/good.npy
check "one input too many" refused 2 $program --input $bad/good.npy --input $bad/good.npy
check "no input" refused 2 $program
check "an input without a file" refused 2 $program --input ''
check "no runs" refused 2 $program --random 1 --bench 0
check "--json without --bench" refused 2 $program --random 1 --json
check "--rtol without --check" refused 2 $program --random 1 --rtol 1
check "a tolerance below zero" refused 2 $program --check $digits/test_data_set_0 --rtol -1
check "--check and --bench" refused 2 $program --check $digits/test_data_set_0 --bench 1
check "a seed that is no number" refused 2 $program --random x
check "more threads than it was compiled for" refused 1 $program --random 1 --threads 4096
check "an option given twice" refused 2 $program --random 1 --random 1
check "an unknown option of the executable" refused 2 $program --colour
check "a test folder that is missing" refused 1 $program --check $bad/nowhere
check "a test folder that is a file" refused 1 $program --check $bad/good.npy
check "a test folder without inputs" refused 1 $program --check $bad/folder
check "an output folder without a name" refused 2 $program --random 1 --output-dir ''
check "an output folder that cannot be made" refused 1 $program --random 1 --output-dir $bad/empty.ir/x

# At run time an error code and a reason: what the caller of the library may get wrong.
refuses_config() { # TARGET OPTION...
    target=$1
    shift
    rm -rf "$work/config"
    compile config $digits/digits.onnx --target "$target" "$@" && ninja -j "$jobs" -C "$work/config" libm.a || return 1
    libraries=-lm
    [ "$target" = c ] || libraries="-L$onednn/lib -ldnnl -lstdc++ -lgomp -lm -ldl -lpthread"
    # shellcheck disable=SC2086 # words
    gcc -std=c17 -D_GNU_SOURCE $strict -O1 -I"$work/config" tests/emitted/bad_config.c "$work/config/libm.a" $libraries -o "$work/config/refuses" || return 1
    if grep -q incbin "$work"/config/m_weights.S; then "$work/config/refuses"; else "$work/config/refuses" "$work/config/m_weights.bin"; fi
}
for target in c dnnl; do
    check "what init refuses, $target" refuses_config $target --weights file
    check "what init refuses with embedded weights, $target" refuses_config $target
done
check "what init refuses of variants" refuses_config c --shape image=1x1x28x28,2x1x28x28
