# Sourced by tests/emitted/run: what is in samples/ runs. SPDX-License-Identifier: Apache-2.0

# The first character of a picture's name is the right answer.
reads_pictures() {
    ninja -f samples/digits/build.ninja || return 1
    build/samples/digits/digits $digits/pictures/*.pgm >"$work/answers" || return 1
    cat "$work/answers"
    sed -n 's/^.*\/\([0-9]\)_[^ ]*: \([0-9]\).*/\1 \2/p' "$work/answers" >"$work/pairs"
    [ "$(wc -l <"$work/pairs")" = "$(ls $digits/pictures/*.pgm | wc -l)" ] || return 1
    awk '$1 != $2 { wrong++ } END { exit wrong > 0 }' "$work/pairs"
}

embeds() {
    ninja -f samples/embed/build.ninja &&
        build/samples/embed/embed $digits/pictures/3_serif.pgm $digits/pictures/7_pen.pgm
}

# The same count twice, and a bounded stack.
counts_instructions() {
    samples/firmware/measure.sh $digits/digits.onnx >"$work/measured" || return 1
    samples/firmware/measure.sh $digits/digits.onnx >"$work/again" || return 1
    cat "$work/measured"
    awk '$1 ~ /^Cortex/ && $2 > 100000 && $4 > 100 && $4 < 4096 { n++ } END { exit n != 2 }' "$work/measured" &&
        cmp "$work/measured" "$work/again"
}

check "samples/digits reads its pictures" reads_pictures
check "samples/embed runs two contexts" embeds
ninja --quiet build/graphs/keywords_static.ir || exit 1
if command -v arm-none-eabi-gcc >/dev/null && command -v qemu-system-arm >/dev/null; then
    for board in mps2-an385 mps2-an386; do
        check "samples/firmware on $board" env BOARD=$board samples/firmware/run.sh
    done
    for board in mps2-an385 mps2-an386; do
        check "samples/firmware, key words in integers on $board" env MODEL=keywords BOARD=$board samples/firmware/run.sh
    done
    check "samples/firmware/measure.sh counts" counts_instructions
    check "samples/firmware, weights by .incbin" env WEIGHTS=embed samples/firmware/run.sh
else
    skip "samples/firmware: no gcc-arm-none-eabi or qemu-system-arm"
fi
