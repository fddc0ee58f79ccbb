# Sourced by tests/cli/run: what the scripts that set up say when something is missing or fails. They run in a copy of what they need, with stand-ins for the
# commands that would install, fetch or build.

tools=$work/tools stubs=$work/stubs copy=$work/copy
mkdir -p "$tools" "$stubs" "$copy/runtime-stub" "$copy/samples" "$copy/firmware/samples/firmware"
# All commands but those that a fresh machine lacks.
ln -s /usr/bin/* "$tools" 2>/dev/null
rm -f "$tools/sudo" "$tools/apt-get" "$tools"/aarch64-linux-gnu-* "$tools/qemu-system-arm"
cp bootstrap "$copy"
cp runtime-stub/get-onednn "$copy/runtime-stub/real"
cp samples/firmware/run.sh samples/firmware/measure.sh samples/firmware/flash.ld "$copy/firmware/samples/firmware"
stub() { # NAME LINE...
    name=$1
    shift
    printf '%s\n' '#!/bin/sh' "$@" >"$stubs/$name"
    chmod +x "$stubs/$name"
}
# set_up NAME STATUS TEXT COMMAND...: the command fails so and says that, in a home of its own.
set_up() {
    name=$1 status=$2 text=$3
    shift 3
    ends "$name" "$status" env -i "HOME=$work/home" "PATH=$stubs:$tools" "$@"
    says "$name" err "$text"
}
mkdir -p "$work/home"

set_up "bootstrap: a folder that is not there" 1 "bootstrap: --onednn none: no such folder" "$copy/bootstrap" --onednn none
set_up "bootstrap: a folder that is not there, in one word" 1 "bootstrap: --onednn=none: no such folder" "$copy/bootstrap" --onednn=none
set_up "bootstrap: an unknown word" 2 "bootstrap: frobnicate is not known" "$copy/bootstrap" frobnicate
stub dpkg-query 'exit 1'
set_up "bootstrap without apt-get" 1 "bootstrap: these Debian packages are wanted, and there is no apt-get: ninja-build gcc" "$copy/bootstrap"
stub apt-get 'exit 1'
stub id 'echo 1000'
set_up "bootstrap without root" 1 "bootstrap: installing packages needs root: run as root 'apt-get install ninja-build gcc" "$copy/bootstrap"
stub id 'echo 0'
set_up "bootstrap without lists of packages" 1 "bootstrap: apt-get update failed" "$copy/bootstrap"
stub apt-get '[ "$1" = update ]'
set_up "bootstrap without packages" 1 "bootstrap: apt-get install failed; all of it is in build/apt.log" "$copy/bootstrap"
stub dpkg-query 'printf installed'
stub ninja 'exit 1'
printf '#!/bin/sh\nexit 0\n' >"$copy/samples/first-answer"
printf '#!/bin/sh\nexit 1\n' >"$copy/runtime-stub/get-onednn"
chmod +x "$copy/samples/first-answer" "$copy/runtime-stub/get-onednn"
stub ninja 'exit 0'
set_up "bootstrap: oneDNN is not built" 1 "bootstrap: oneDNN could not be built; all that was said is in build/onednn.log. The same command goes on where it stopped" "$copy/bootstrap" demo
printf '#!/bin/sh\nexit 0\n' >"$copy/runtime-stub/get-onednn"
stub ninja 'exit 1'
set_up "bootstrap: no test is built" 1 "bootstrap: the build failed before a test ran" "$copy/bootstrap" test

get=$copy/runtime-stub/real
set_up "get-onednn for another host" 1 "get-onednn: --host riscv64-linux-gnu: it is built for aarch64-linux-gnu only" "$get" --host riscv64-linux-gnu
set_up "get-onednn without a compiler for it" 1 "get-onednn: --host aarch64-linux-gnu: there is no aarch64-linux-gnu-gcc (Debian's package g++-aarch64-linux-gnu)" "$get" --host aarch64-linux-gnu
set_up "get-onednn: a folder that is not there" 1 "get-onednn: none: no such folder" "$get" none
set_up "get-onednn: a folder without oneDNN" 1 "get-onednn: $copy: needs include/oneapi/dnnl of oneDNN 3.7 or later (3.x) and lib/libdnnl.a" "$get" "$copy"
stub df 'printf "Filesystem 1024-blocks Used Available\n/ 1 1 5120\n"'
set_up "get-onednn on a small disk" 1 "has 5 MB left; building oneDNN needs 400 MB there" "$get"
stub df 'printf "Filesystem 1024-blocks Used Available\n/ 1 1 999999\n"'
stub apt-get 'exit 0'
set_up "get-onednn without a mirror" 1 "get-onednn: apt names no Debian mirror to take the source package from" "$get"
stub apt-get '[ "$1" = indextargets ] && echo http://mirror.example/debian/'
set_up "get-onednn: the list cannot be read" 1 "get-onednn: reading Debian's list of source packages failed; all of its messages are in " "$get"
stub apt-get '[ "$1" = indextargets ] && echo http://mirror.example/debian/ || { echo "No space left on device"; exit 1; }'
set_up "get-onednn on a full disk" 1 " is on is full: building oneDNN needs 400 MB there" "$get"
set -- "$work"/home/.cache/dnnlc/*.build
mkdir -p "$1/src/src" "$1/obj"
touch "$1/src/src/units.list" "$1/src/LICENSE" "$1/src/THIRD-PARTY-PROGRAMS"
stub cmake 'exit 0'
stub ninja 'exit 0'
set_up "get-onednn: nothing is built" 1 "get-onednn: the build left no usable library in $1/out" "$get"

set_up "a compiler without graphs of calls" 1 "dnnlc_stack.sh: false does not write graphs of calls (-fcallgraph-info=su), as gcc does from version 10 on; DNNLC_CC names another compiler" DNNLC_CC=false \
    sh runtime-stub/dnnlc_stack.sh net gcc ''

ends "make_graphs without a name" 2 build/graphs/make_graphs
says "make_graphs without a name" err "usage: make_graphs NAME >NAME.ir, where NAME is one of these, those with a star also with _dynamic or _static behind it"

# A compiler and a board that do nothing: what they should have made is a program that says one word.
run=$copy/firmware/samples/firmware/run.sh measure=$copy/firmware/samples/firmware/measure.sh
set_up "run.sh: another board" 1 "run.sh: BOARD=microbit is not one of mps2-an385, mps2-an386, mps2-an500" BOARD=microbit "$run"
set_up "run.sh: another model" 1 "run.sh: MODEL=resnet is neither digits nor keywords" MODEL=resnet "$run"
set_up "run.sh: weights elsewhere" 1 "run.sh: WEIGHTS=file is neither c nor embed" WEIGHTS=file "$run"
set_up "measure.sh without a model" 1 "measure.sh: usage: measure.sh MODEL [OPTION...]" "$measure"
stub arm-none-eabi-gcc 'while [ $# -gt 1 ]; do [ "$1" != -o ] || { printf "#!/bin/sh\necho host\n" >"$2" && chmod +x "$2"; }; shift; done'
cp "$stubs/arm-none-eabi-gcc" "$stubs/cc"
stub arm-none-eabi-size 'exit 0'
set_up "run.sh without qemu" 1 "run.sh: qemu-system-arm is not installed" "$run"
set_up "measure.sh without qemu" 1 "measure.sh: qemu-system-arm is not installed" "$measure" net.onnx
stub qemu-system-arm 'echo board'
set_up "run.sh without the model" 1 "keywords_static.ir; ninja graphs makes it" MODEL=keywords "$run"
mkdir -p "$work/emitted"
set_up "run.sh: another answer" 1 "run.sh: the device's bytes are not the host's" MODEL=keywords EMITTED="$work/emitted" OUT="$work/firmware" "$run"
stub qemu-system-arm 'exit 1'
set_up "run.sh: no answer" 1 "run.sh: the firmware failed" EMITTED="$work/emitted" OUT="$work/firmware" "$run"
set_up "measure.sh: no answer" 1 "measure.sh: the firmware failed on mps2-an385" DNNLC=true OUT="$work/firmware" "$measure" net.onnx
