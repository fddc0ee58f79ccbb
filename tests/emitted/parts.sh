# The executable has the parts of oneDNN that its model can reach, and computes as one that has them all. Sourced by run.

onednn_parts() { nm "$onednn/lib/libdnnl.a" 2>/dev/null | sed -n 's/.* T \(dnnlc_part_[a-z0-9_]*\)$/-Wl,-u,\1/p'; }

# The same program with every part.
link_whole() { # FOLDER
    # shellcheck disable=SC2046 # words
    gcc "$work/$1"/m_main.o "$work/$1"/dnnlc_*.o "$work/$1/libm.a" -static-pie -s -Wl,--gc-sections $(onednn_parts) -o "$work/$1/whole" \
        -L"$onednn/lib" -ldnnl -lstdc++ -lgomp -lm -ldl -lpthread
}
smaller_than() { # FOLDER PERCENT
    [ $(($(stat -c %s "$work/$1/m") * 100)) -lt $(($(stat -c %s "$work/$1/whole") * $2)) ]
}

# Which primitives run, made how, by oneDNN's own account, without the last column, the time; or why none do.
account() { # FOLDER PROGRAM ISA
    ONEDNN_VERBOSE=1 ONEDNN_MAX_CPU_ISA=$3 "$work/$1/$2" --random 5 --threads 1 --output-dir "$work/$1/$2-outputs" \
        >"$work/$2-log" 2>"$work/$2-account"
    echo "status $?" >>"$work/$2-account"
    grep '^onednn_verbose,v1,primitive' "$work/$2-log" | sed 's/,[^,]*$//' >>"$work/$2-account"
}
same_account() { # FOLDER ISA
    rm -rf "$work/$1/m-outputs" "$work/$1/whole-outputs"
    mkdir "$work/$1/m-outputs" "$work/$1/whole-outputs"
    account "$1" m "$2"
    account "$1" whole "$2"
    diff "$work/m-account" "$work/whole-account" && diff -r "$work/$1/m-outputs" "$work/$1/whole-outputs" || return 1
    case $1-$2 in
    parts-f32-* | *-ALL) grep '^onednn_verbose' "$work/m-account" ;;
    *) grep -e '^onednn_verbose' -e 'no implementation for this CPU' "$work/m-account" ;; # bf16 and bytes may be refused
    esac
}

# Primitives that are made of others: a strided deconvolution is a convolution backwards.
cat >$work/parts.ir <<END
graph "parts" {
  input %x: f32[1,32,28,28]
  const %w1: f32[64,32,3,3] = random(seed=1, scale=0.1)
  const %w2: f32[64,1,3,3] = random(seed=2, scale=0.1)
  const %w3: f32[64,16,2,2] = random(seed=3, scale=0.1)
  %a = Conv(%x, %w1) {dilations=[2,2], group=1, pads=[2,2,2,2], strides=[2,2]}
  %b = Conv(%a, %w2) {dilations=[1,1], group=64, pads=[1,1,1,1], strides=[1,1]}
  %c = MaxPool(%b) {auto_pad="NOTSET", ceil_mode=0, dilations=[1,1], kernel_shape=[2,2], pads=[0,0,0,0], storage_order=0, strides=[2,2]}
  %y = ConvTranspose(%c, %w3) {dilations=[1,1], group=1, output_padding=[0,0], pads=[0,0,0,0], strides=[2,2]}
  output "y" = %y
}
END
promises_parts() { # FOLDER PERCENT MODEL OPTION...
    folder=$1 percent=$2
    shift 2
    check "$folder: compiles" compile "$folder" "$@"
    check "$folder: builds" builds "$folder"
    check "$folder: links with every part of oneDNN" link_whole "$folder"
    check "$folder: is smaller than $percent % of that" smaller_than "$folder" "$percent"
    for isa in SSE41 AVX2 AVX512_CORE ALL; do
        check "$folder: chooses and computes the same on $isa" same_account "$folder" $isa
    done
}
if [ -n "$(onednn_parts)" ]; then
    promises_parts parts-f32 50 $work/parts.ir
    promises_parts parts-int8 75 tests/layers/int8.ir
    if compile bf16-probe $digits/digits.onnx --precision bf16 >"$work/log" 2>&1; then
        promises_parts parts-bf16 55 $digits/digits.onnx --precision bf16
    fi
else
    skip "this oneDNN was not cut into parts"
fi

# Bad luck of the build of oneDNN, with tools that stand in for the system's: one line says what happened, and nothing looks built.
mkdir -p $work/tools
gets_onednn() { XDG_CACHE_HOME=$PWD/$work/no-onednn PATH=$PWD/$work/tools:$PATH runtime-stub/get-onednn; }
fails_with() { # PATTERN LINES: get-onednn says this last, in a report of so many lines
    ! gets_onednn >$work/get-out 2>$work/get-err || return 1
    cat $work/get-out $work/get-err
    tail -n 1 $work/get-err | grep -q "$1" && [ "$(wc -l <$work/get-err)" -le "$2" ] && [ ! -e $work/no-onednn/dnnlc/onednn ]
}
stand_in() { # TOOL COMMANDS
    printf '#!/bin/sh\n%s\n' "$2" >"$work/tools/$1"
    chmod +x "$work/tools/$1"
}
stand_in df "printf 'Filesystem 1024-blocks Used Available Capacity Mounted\\n/dev/disk 9 9 7168 100%% /\\n'"
check "get-onednn says in one line that the disk is too full to begin" fails_with 'has 7 MB left; building oneDNN needs' 1
rm $work/tools/df
stand_in apt-get '[ "$1" = indextargets ] && echo http://example.invalid/debian || { echo "E: no route to host"; exit 100; }'
check "get-onednn says which step failed and where its messages are" fails_with "list of source packages failed; .*/step.log" 2
stand_in apt-get '[ "$1" = indextargets ] && echo http://example.invalid/debian || { echo "write: No space left on device"; exit 100; }'
check "get-onednn says in one line that the disk became full" fails_with 'is full: building oneDNN needs' 1
