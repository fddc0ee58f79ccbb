# Sourced by run: dnnlc verify says which layer of a built program is wrong, and of a right one that none is. SPDX-License-Identifier: Apache-2.0
# With debugging information a compiler cache takes the folder for a part of what it knows a file by: the same file would be compiled in each.
CCACHE_NOHASHDIR=1
export CCACHE_NOHASHDIR
TMPDIR=$PWD/$work
export TMPDIR

# The folder is built once, and edited later.
debuggable() { # FOLDER MODEL OPTION...
    folder=$1 from=$2
    shift 2
    compile "$folder" "$from" --debug --threads 1 "$@"
}
verified() { # FOLDER MODEL ARGUMENT...: all is within its bounds
    folder=$1 from=$2
    shift 2
    "$dnnlc" verify "$from" --name m --threads 1 --program "$work/$folder" "$@" >"$work/said" && cat "$work/said" &&
        grep -qx 'all layers and outputs are within their bounds' "$work/said"
}
# convicted FOLDER MODEL LAYER ARGUMENT...: that layer is said to be wrong, in text and as JSON, with its statistics; the status is 1.
convicted() {
    folder=$1 from=$2 layer=$3
    shift 3
    ! "$dnnlc" verify "$from" --name m --threads 1 --program "$work/$folder" "$@" >"$work/said" 2>&1 || return 1
    cat "$work/said"
    grep "^layer [0-9]*, $layer, is the first beyond its bound$" "$work/said" && grep "^> *[0-9]* $layer " "$work/said" &&
        grep '^  largest difference [0-9.e+-]*, bound [0-9.e+-]*, at \[' "$work/said" && tr -s ' \n' ' ' <"$work/said" | grep 'root of the mean square [0-9.e+-]*; signal to noise [0-9-]* dB; [0-9]* of [0-9]* elements differ' &&
        grep '^  by .*: ' "$work/said" || return 1
    ! "$dnnlc" verify "$from" --name m --threads 1 --program "$work/$folder" "$@" --json >"$work/said.json" || return 1
    python3 -m json.tool "$work/said.json" >"$work/read" && grep '^    "agrees": false,$' "$work/read" &&
        grep "^    \"culprit\": $(sed -n "s/^layer \([0-9]*\), $layer, is the first.*/\1/p" "$work/said"),$" "$work/read"
}
# Where the bias of a layer is expected, the kernel is given the weights instead.
wrong_bias() { # FOLDER LAYER
    before=$(cat "$work/$1"/m_c_0.c)
    sed -i "/^ *m_$2(/s/\(weights_at(m, \)\([0-9]*\)\(), weights_at(m, \)[0-9]*)/\1\2\3\2)/" "$work/$1/m_c_0.c" &&
        [ "$before" != "$(cat "$work/$1"/m_c_0.c)" ]
}
# A line of what is done to the results of a layer of oneDNN's target, by Winograd's method.
twice_the_bias() { # FOLDER LAYER
    before=$(cat "$work/$1"/m_dnnl_0.c)
    sed -i "/^NET_INLINE void put_$2(/,/^}/s/v += bias\[c\]/v += 2 * bias[c]/" "$work/$1/m_dnnl_0.c" &&
        [ "$before" != "$(cat "$work/$1"/m_dnnl_0.c)" ]
}
fits_narrow() { # FOLDER
    COLUMNS=50 "$dnnlc" verify $digits/digits.onnx --name m --threads 1 --target c --program "$work/$1" >"$work/said"
    LC_ALL=C.UTF-8 awk 'length > 50 { print; bad = 1 } END { exit bad }' "$work/said" && grep '^layer .*error *bound$' "$work/said"
}
compares_not() { # MODEL WHAT OPTION...
    from=$1 what=$2
    shift 2
    refused 1 "$dnnlc" "$from" --target c --verify=onnxruntime --onnxruntime true "$@" && grep -e "$what" "$work/said.err"
}
refused_with() { # STATUS PATTERN: of the two outputs
    "$dnnlc" verify "$work/twice.ir" --name m --target c --threads 1 --program "$work/twice" >"$work/said"
    [ $? = "$1" ] && tr -s ' \n' ' ' <"$work/said" | grep "$2"
}
refuses() { # WHAT ARGUMENT...
    what=$1
    shift
    refused 1 "$dnnlc" verify "$@" && grep -e "$what" "$work/said.err"
}

check "digits-c: compiles" debuggable c $digits/digits.onnx --target c
check "digits-c: agrees" verified c $digits/digits.onnx --target c
check "digits-c: agrees on a picture" verified c $digits/digits.onnx --target c --input $digits/test_data_set_0/input_0.pb
check "of what inputs" sh -c "tr -s ' \n' ' ' <'$work/said' | grep -q 'reference evaluator, inputs of 1 file layer'"
check "digits-c: in a narrow terminal" fits_narrow c
# Another runtime. For the sample's script modules stand in that run the program itself on the same files, or, wrongly, on others.
mkdir -p "$work/modules" "$work/runtime"
cat >"$work/modules/numpy.py" <<'END'
def load(path):
    return path
def save(path, value):
    open(path, "wb").write(value)
END
cat >"$work/modules/onnxruntime.py" <<'END'
import os, subprocess, tempfile
class InferenceSession:
    def __init__(self, model, providers):
        assert os.path.exists(model) and providers == ["CPUExecutionProvider"]
    def run(self, wanted, inputs):
        assert wanted == ["probabilities"] and list(inputs) == ["image"]
        with tempfile.TemporaryDirectory() as made:
            what = ["--random", "99"] if "WRONGLY" in os.environ else ["--input", "image=" + inputs["image"]]
            subprocess.run([os.environ["STANDS_IN"], *what, "--output-dir", made], check=True)
            return [open(os.path.join(made, "output_0.npy"), "rb").read()]
END
beside() { # STATUS PROGRAM ARGUMENT...
    status=$1 program=$2
    shift 2
    "$dnnlc" verify $digits/digits.onnx --name m --target c --threads 1 --program "$work/c" --onnxruntime "$program" "$@" >"$work/said" 2>&1
    [ $? = "$status" ] && cat "$work/said"
}
STANDS_IN=$PWD/$work/c/m PYTHONPATH=$PWD/$work/modules
export STANDS_IN PYTHONPATH
check "beside another runtime" beside 0 samples/onnxruntime/run.py
check "it computes the same" grep -x '  ONNX Runtime: equal, the evaluator beside it.*' "$work/said"
check "as JSON" sh -c "'$dnnlc' verify $digits/digits.onnx --name m --target c --threads 1 --program '$work/c' --onnxruntime samples/onnxruntime/run.py --json | python3 -m json.tool | grep -A 3 '\"onnxruntime\": {' | grep '\"beyond\": false'"
# What only moves elements has to give the same ones, where their number depends on data as well.
cat >"$work/counted.ir" <<'END'
graph "counted" {
  input %x: f32[4,8]
  input %more: f32[2,8]
  input %mask: f32[4]
  %some = Relu(%mask)
  %at, %count = NonZero(%some)
  %first = TakeRows(%x, %count) {axis=0, size=4}
  %both = AppendRows(%first, %more, %count) {axis=0}
  %third = WriteRows(%both, %more, %count) {axis=0}
  output "first" = %first
  output "both" = %both
  output "third" = %third
}
END
moves_exactly() {
    debuggable counted "$work/counted.ir" --target c && verified counted "$work/counted.ir" --target c &&
        [ "$(grep -cE '^ +[0-9]+ (take|append|write)rows_[0-9]+ +equal +equal' "$work/said")" = 3 ]
}
check "rows that depend on data are moved as they are" moves_exactly
# A layer that is two products and a Softmax may be off by what all three make.
cat >"$work/attends.ir" <<'END'
graph "attends" {
  input %q: f32[1,2,100,16]
  input %k: f32[1,2,16,100]
  input %v: f32[1,2,100,16]
  %logits = MatMul(%q, %k)
  %weights = Softmax(%logits) {axis=3, axis_end=4}
  %y = MatMul(%weights, %v)
  output "y" = %y
}
END
sums_add_up() {
    debuggable attends "$work/attends.ir" --target dnnl && verified attends "$work/attends.ir" --target dnnl &&
        grep -E '^ +0 attention_0 +[0-9.e-]+ +4\.4e-05' "$work/said"
}
check "sums behind one another" sums_add_up
export WRONGLY=1
check "it computes something else" beside 1 samples/onnxruntime/run.py
check "which is said" sh -c "tr -s ' \n' ' ' <'$work/said' | grep 'ONNX Runtime: off by [0-9.e+-]* of the largest element, beyond the bound, the evaluator beside it off by [0-9.e+-]* of the largest element, beyond the bound'"
unset WRONGLY
check "a runtime that fails" beside 1 false
check "why" grep -x 'dnnlc: --onnxruntime false: it failed: (it said nothing)' "$work/said"
check "a runtime that is not there" beside 1 ./nothing
check "why not" grep -x 'dnnlc: --onnxruntime ./nothing: it failed: ./nothing: cannot be started' "$work/said"
check "a runtime that writes nothing" beside 1 true
check "what is missing" grep 'other_0/output_0.npy: No such file' "$work/said"
# As an option of a compilation: named, by the environment, and Python's, for which the modules above stand.
compares() { # STATUS ARGUMENT...
    status=$1
    shift
    "$dnnlc" $digits/digits.onnx --name m --target c -o "$work/beside" "$@" >"$work/said" 2>&1
    [ $? = "$status" ] && cat "$work/said"
}
near="^verify: output 'probabilities': ONNX Runtime's is off by [0-9.]*e-0[6-9] of its largest element$"
check "--verify=onnxruntime: Python's" compares 0 --verify=onnxruntime
check "how near it is" grep "$near" "$work/said"
check "the passes are compared as well" grep "^verify: output 'probabilities': largest relative difference" "$work/said"
check "--verify=onnxruntime: a program" compares 0 --verify=onnxruntime --onnxruntime samples/onnxruntime/run.py
check "how near it is" grep "$near" "$work/said"
check "--verify=onnxruntime: the environment's" env DNNLC_ONNXRUNTIME=samples/onnxruntime/run.py "$dnnlc" $digits/digits.onnx --target c --verify=onnxruntime --emit text
check "--verify=onnxruntime: it computes something else" env WRONGLY=1 "$(command -v sh)" -c "! '$dnnlc' $digits/digits.onnx --target c --verify=onnxruntime --emit text >'$work/text' 2>'$work/said'"
check "which is said" grep "^dnnlc: $digits/digits.onnx: ONNX Runtime computes output 'probabilities' otherwise, by [0-9.e-]* of its largest element$" "$work/said"
check "--verify=onnxruntime: a program that fails" compares 1 --verify=onnxruntime --onnxruntime false
check "why" grep -x 'dnnlc: --onnxruntime false: it failed: (it said nothing)' "$work/said"
mkdir -p "$work/no-modules"
echo 'raise ImportError("not here")' >"$work/no-modules/numpy.py"
check "--verify=onnxruntime: none is there" env PYTHONPATH="$PWD/$work/no-modules" sh -c "! '$dnnlc' $digits/digits.onnx --target c --verify=onnxruntime -o '$work/beside' 2>'$work/said'"
check "what can be done" grep -x "dnnlc: --verify=onnxruntime: there is no ONNX Runtime: name a program by --onnxruntime or DNNLC_ONNXRUNTIME, or install Python's numpy and onnxruntime: ImportError: not here" "$work/said"
check "--verify=onnxruntime: bounds" compares_not tests/emitted/bounded.ir "bounded.ir: ONNX Runtime is given no bounded dimensions: give each one number"
check "--verify=onnxruntime: bytes" compares_not tests/layers/int8.ir "onnxruntime: the model's inputs and outputs are no bytes, as those of --no-float are" --no-float -q
check "--verify=: another word" refused 2 "$dnnlc" $digits/digits.onnx --verify=openvino
check "which there is" grep -e '--verify=openvino: must be one of onnxruntime; see dnnlc --help' "$work/said.err"
check "a program that nobody asks" refused 2 "$dnnlc" $digits/digits.onnx --onnxruntime true
check "who would" grep -e '--onnxruntime: only --verify=onnxruntime asks it' "$work/said.err"
check "a runtime for bytes" refuses "onnxruntime: the model's inputs and outputs are no bytes, as those of --no-float are" tests/layers/int8.ir --target c --no-float --onnxruntime true
if [ -x "${DNNLC_ORT-}" ]; then
    # Its runner calls the files in_K.npy and out_K.npy.
    cat >"$work/runtime/run" <<'END'
#!/bin/sh
for file in "$2"/input_*.npy; do cp "$file" "${0%/*}/in_${file##*/input_}" || exit 1; done
"$DNNLC_ORT" "$1" --indir "${0%/*}" --out "$3" || exit 1
for file in "$3"/out_*.npy; do mv "$file" "$3/output_${file##*/out_}" || exit 1; done
END
    chmod +x "$work/runtime/run"
    check "beside ONNX Runtime itself" beside 0 "$work/runtime/run"
    check "--verify=onnxruntime: itself" compares 0 --verify=onnxruntime --onnxruntime "$work/runtime/run"
    check "how near it is" grep "$near" "$work/said"
else
    skip "beside ONNX Runtime itself: DNNLC_ORT names no runner"
fi

check "digits-c: one line of a layer is edited" wrong_bias c conv_4
check "digits-c: the layer is found" convicted c $digits/digits.onnx conv_4 --target c --random 3
check "digits-c: what comes of it" sh -c "tr -s ' \n' ' ' <'$work/said' | grep '; what the passes have left computes it as the model does'"
check "digits-c: in a narrow terminal, with a culprit" fits_narrow c
check "its nodes and its file" sh -c "tr -s ' \n' ' ' <'$work/said' | grep -q \"computes Conv 'net.block.conv1.Conv', Relu 'net.block.Relu'; by C conv_flat makes '/net/block/Relu_output_0' f32.1,24,14,14., in memory as abcd; the file of it: 0004_conv_4.npy\""
check "digits-c: a line that does not compile" sed -i 's/workspace_at(m, CONV_4_DST)/& &/' "$work/c/m_c_0.c"
check "it cannot be built" refuses "what is emitted could not be built here by ninja: " $digits/digits.onnx --name m --threads 1 --target c --program "$work/c"

check "digits-dnnl: compiles" debuggable dnnl $digits/digits.onnx
check "digits-dnnl: agrees" hastily verified dnnl $digits/digits.onnx
if [ "$(native_isa)" = sse41 ] || [ "$(native_isa)" = avx ] || ! grep -q put_conv_4 "$work/dnnl/m_dnnl_0.c"; then
    skip "digits-dnnl: conv_4 has no results that are stored by C on this CPU"
else
    check "digits-dnnl: one line of a layer is edited" twice_the_bias dnnl conv_4
    check "digits-dnnl: the layer is found" hastily convicted dnnl $digits/digits.onnx conv_4
fi

check "bytes-c: compiles" debuggable bytes tests/layers/int8.ir --target c
check "bytes-c: agrees" hastily verified bytes tests/layers/int8.ir --target c
check "errors are in steps" grep ' 1 step ' "$work/said"
check "bytes-c: one line of a layer is edited" wrong_bias bytes conv_5
check "bytes-c: the layer is found" hastily convicted bytes tests/layers/int8.ir conv_5 --target c
check "in steps" grep '^  its results have steps of ' "$work/said"

# Several sizes in one program: each runs, or that which files choose.
sizes='-q --shape image=1x1x28x28,2x1x28x28' STANDS_IN=$PWD/$work/sizes/m
said_of() { # PATTERN COUNT: so many lines
    [ "$(grep -c "$1" "$work/said")" = "$2" ] || { cat "$work/said"; return 1; }
}
# shellcheck disable=SC2086
{
    check "two sizes: compiles" debuggable sizes $digits/digits.onnx --target c $sizes
    check "two sizes: agrees" hastily verified sizes $digits/digits.onnx --target c $sizes
    check "which each is" sh -c "tr -s ' \n' ' ' <'$work/said' | grep ' 26 layers .* image_0=2 0 conv_0 .* image_0=1 13 conv_13 .* of image_0=1: off by .* of image_0=2: off by '"
    check "two sizes: beside another runtime" hastily verified sizes $digits/digits.onnx --target c $sizes --onnxruntime samples/onnxruntime/run.py
    check "for each" said_of '^  ONNX Runtime: equal' 2
    check "two sizes: --verify=onnxruntime" compares 0 $sizes --verify=onnxruntime
    check "for each" said_of "'probabilities' of image_0=[12]: ONNX Runtime's is off by" 2
    check "two sizes: a file is for one" hastily verified sizes $digits/digits.onnx --target c $sizes --input $digits/test_data_set_0/input_0.pb
    check "that alone is shown" said_of 'image_0=2' 0
    check "two sizes: one line of a layer is edited" wrong_bias sizes conv_13
    check "two sizes: the layer is found" hastily convicted sizes $digits/digits.onnx conv_13 --target c $sizes
    check "in JSON as well" grep '"run": "image_0=1"' "$work/said.json"
}
# Bounded dimensions, with plans for fewer rows, and states that grow: as many as there can be, and fewer.
bounded() { # COUNT PATTERN ARGUMENT...
    count=$1 pattern=$2
    shift 2
    "$dnnlc" verify "$@" --target c --threads 1 >"$work/said" 2>"$work/said.err" && said_of "$pattern" "$count" && tail -n 1 "$work/said" | grep 'within their bounds$'
}
check "bounds" hastily bounded 2 '^rows=6 kept=6$\|^rows=3 kept=3$' tests/emitted/bounded.ir --max-variants 1
check "bounds, with plans for fewer" hastily bounded 6 '^image_0=[123468]$' $digits/digits.onnx --shape image=..8x1x28x28
check "a bound and a file" hastily bounded 1 '^image_0=[0-9]*$' $digits/digits.onnx --shape image=..4x1x28x28 --input $digits/test_data_set_0/input_0.pb
check "states that grow" hastily bounded 2 '^past=[02]$' tests/emitted/decoder.ir --state auto

# A product in which roundings make other whole numbers: where they go the other way, the model makes as much of them, which is said. An output that is
# wrong otherwise, and no layer's, is another matter.
for target in c dnnl; do
    check "roundings that a model makes much of, $target" "$dnnlc" verify tests/layers/rounding.ir --target $target --threads 1
done
printf 'graph "twice" {\n input %%x: f32[2,200]\n %%y = Exp(%%x)\n output "a" = %%y\n output "b" = %%y\n}\n' >"$work/twice.ir"
check "an output that is copied: compiles" debuggable twice "$work/twice.ir" --target c
check "an output that is copied: agrees" verified twice "$work/twice.ir" --target c
check "an output that is copied: it is not" sed -i '/memcpy(m->out\[1\], m->out\[0\]/d' "$work/twice/m_dnnl.c"
check "an output that is copied: it is found" refused_with 1 "output 'b': off by infinite of its largest element, bound 1.0e-03; errors like those of the layers move it by [0-9.e-]* only"
check "in JSON" sh -c "'$dnnlc' verify '$work/twice.ir' --name m --target c --threads 1 --program '$work/twice' --json | grep '\"name\": \"b\".*\"beyond\": true.*\"moved_by_errors\": [0-9.e-]*,'"

# Loops, whose layers are compared with the whole; states; rows that data count; names of any kind; outputs with fewer rows than there is room for.
for name in emitted/names pipeline/loops pipeline/detector emitted/stateful; do
    check "$name: agrees" hastily sh -c "'$dnnlc' verify tests/$name.ir --target c >'$work/said' && tail -n 1 '$work/said' | grep 'within their bounds$'"
done

check "a model in a folder that is compiled without --debug" refuses "none: no m_debug.c is there: compile the model with --debug, and say its --name" $digits/digits.onnx --name m --target c --program "$work/none"
check "a folder of other options" refuses "is compiled to: another model, other options or another version of dnnlc$" $digits/digits.onnx --name m --target c --threads 1 --program "$work/bytes"
check "a runtime for bounds" refuses "ONNX Runtime is given no bounded dimensions: give each one number" tests/emitted/bounded.ir --target c --onnxruntime true
check "an input that is none" refuses "nothing.npy: No such file" $digits/digits.onnx --target c --name m --threads 1 --random 1 --input nothing.npy --program "$work/bytes"
"$dnnlc" $digits/digits.onnx --target c --threads 1 --emit text --stop-after plan-memory >"$work/program.ir"
check "a program" refuses "is a program: verify compares with the model it was made of" "$work/program.ir"
check "an option without its value" refused 2 "$dnnlc" verify $digits/digits.onnx --input
sed -i 's/\.dims = {1, 24, 7, 7}/.dims = {1, 24, 7, 6}/' "$work/dnnl/m_debug.c"
check "a table that is edited" refuses "npy: is no f32\[1,24,7,7\], as the program makes one there" $digits/digits.onnx --name m --threads 1 --program "$work/dnnl"

for name in kws-micro-qdq; do
    shared=${DNNLC_MODELS-none}/$name
    if [ -e "$shared/model.onnx" ]; then
        # shellcheck disable=SC2046 # words
        check "$name: agrees" "$dnnlc" verify "$shared/model.onnx" --threads 1 $(cat "$shared/flags" 2>/dev/null)
    else
        skip "$name: DNNLC_MODELS has no such model"
    fi
done
check "--verify: a step of what is quantised" sh -c "'$dnnlc' tests/emitted/a_step.ir --verify --emit text >'$work/text'"
