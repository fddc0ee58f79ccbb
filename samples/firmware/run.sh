#!/bin/sh
# Builds a model as firmware, runs it under qemu and on the host, and compares. Exit status 0: they
# agree.
#
#   MODEL    digits: pictures, in f32 (default); keywords: in integers alone (--no-float), of
#            build/graphs/keywords_static.ir, which `ninja graphs` makes
#   DNNLC    the compiler                    (default build/dnnlc of this repository)
#   EMITTED  a folder that already has the emitted C; then DNNLC is not run
#   WEIGHTS  c: const arrays, embed: .S with .incbin  (default c)
#   BOARD    mps2-an385: Cortex-M3 without FPU, mps2-an386: Cortex-M4F, mps2-an500: Cortex-M7
#            (default mps2-an386)
#   OUT      where to build                  (default build/samples/firmware of this repository)
#
# Needs gcc-arm-none-eabi, libnewlib-arm-none-eabi and qemu-system-arm.
set -eu

here=$(CDPATH='' cd -- "$(dirname -- "$0")" && pwd)
root=$here/../..
digits=$here/../digits
model=${MODEL:-digits}
weights=${WEIGHTS:-c}
board=${BOARD:-mps2-an386}
out=${OUT:-$root/build/samples/firmware}/$model-$board-$weights
emitted=${EMITTED:-$out/emitted}

# Neither side fuses multiply and add, so IEEE arithmetic gives both the same bits in every layer
# but the softmax: its expf comes from two libms (glibc, newlib), which may differ in the last
# place. That changes a probability by some 1e-7 at most. In integers alone all bytes are the same.
tolerance=1e-6
arithmetic='-O2 -std=c17 -ffp-contract=off -Wall -Wextra -Wpedantic -Werror'

die() {
    echo "run.sh: $*" >&2
    exit 1
}

case $board in
mps2-an385) cpu='-mcpu=cortex-m3 -mthumb -mfloat-abi=soft' ;;
mps2-an386) cpu='-mcpu=cortex-m4 -mthumb -mfloat-abi=hard -mfpu=fpv4-sp-d16' ;;
mps2-an500) cpu='-mcpu=cortex-m7 -mthumb -mfloat-abi=hard -mfpu=fpv5-d16' ;;
*) die "BOARD=$board is not one of mps2-an385, mps2-an386, mps2-an500" ;;
esac
case $model in
digits) program=classify.c source=$digits/digits.onnx options= ;;
keywords) program=spot.c source=$root/build/graphs/keywords_static.ir options=--no-float ;;
*) die "MODEL=$model is neither digits nor keywords" ;;
esac
case $weights in
c) suffix=c ;;
embed) suffix=S ;;
*) die "WEIGHTS=$weights is neither c nor embed" ;;
esac
for tool in arm-none-eabi-gcc arm-none-eabi-size qemu-system-arm cc; do
    command -v "$tool" >/dev/null || die "$tool is not installed"
done

mkdir -p "$out"
if [ -z "${EMITTED:-}" ]; then
    [ -e "$source" ] || die "there is no $source; ninja graphs makes it"
    "${DNNLC:-$root/build/dnnlc}" "$source" -o "$emitted" --name "$model" --target c \
        --weights "$weights" $options
fi

if [ "$model" = digits ]; then
    cc -O2 -std=c17 -Wall -Wextra -Wpedantic -Werror -I"$digits" \
        "$here/to_array.c" "$digits/picture.c" -lm -o "$out/to_array"
    cc -O2 -std=c17 -Wall -Wextra -Wpedantic -Werror "$here/compare.c" -lm -o "$out/compare"
    "$out/to_array" "$digits/pictures/3_serif.pgm" "$digits/pictures/7_pen.pgm" \
        "$digits/pictures/9_grey_on_grey.pgm" >"$out/pictures.h"
fi

# What the emitted build file puts into the library: everything but the stand-alone executable.
set -- "$here/$program" "$emitted/${model}_dnnl.c" "$emitted/${model}_weights.$suffix"
for unit in "$emitted/$model"_c_[0-9]*.c "$emitted/$model"_kernels_[0-9]*.c; do
    [ ! -e "$unit" ] || set -- "$@" "$unit"
done

# .incbin looks in the folders of -I.
# shellcheck disable=SC2086 # the flags are meant to be split
cc $arithmetic -I"$emitted" -I"$out" -I"$here" "$@" "$here/host.c" -lm -o "$out/host"
# shellcheck disable=SC2086
arm-none-eabi-gcc $cpu $arithmetic -ffunction-sections -fdata-sections -I"$emitted" -I"$out" \
    -I"$here" "$@" "$here/startup.c" "$here/semihost.c" -nostartfiles -Wl,--gc-sections \
    -T "$here/flash.ld" -Wl,-Map="$out/firmware.map" -Wl,--fatal-warnings -Wl,-z,noexecstack -lm \
    -o "$out/firmware.elf"

"$out/host" >"$out/host.txt"
timeout 120 qemu-system-arm -M "$board" -nographic -monitor none -serial none \
    -chardev stdio,id=out,signal=off -semihosting-config enable=on,target=native,chardev=out \
    -kernel "$out/firmware.elf" </dev/null >"$out/device.txt" || {
    cat "$out/device.txt"
    die "the firmware failed"
}

arm-none-eabi-size -A "$out/firmware.elf" | awk '
    $1 == ".weights" { weights = $2 }
    $1 ~ /^\.(text|weights|rodata|ARM\.exidx|data)$/ { flash += $2 }
    $1 ~ /^\.(data|bss|stack)$/ { ram += $2 }
    $1 == ".stack" { stack = $2 }
    END {
        printf "flash %d bytes, of which weights %d\n", flash, weights
        printf "RAM   %d bytes, of which stack %d\n", ram, stack
    }'
sed -n 's/^# //p' "$out/device.txt"
if [ "$model" = keywords ]; then
    grep -v '^#' "$out/device.txt" | tee "$out/results.txt"
    cmp "$out/results.txt" "$out/host.txt" || die "the device's bytes are not the host's"
    exit
fi
"$out/compare" "$out/device.txt" "$out/host.txt" "$tolerance"
