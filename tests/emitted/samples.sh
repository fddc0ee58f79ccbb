# Sourced by tests/emitted/run: what is in samples/ runs. SPDX-License-Identifier: Apache-2.0

# The first character of a picture's name is the right answer.
reads_pictures() {
    ninja -f samples/digits/build.ninja || return 1
    build/samples/digits/digits $digits/pictures/*.pgm >"$work/answers" || return 1
    cat "$work/answers"
    sed -n 's/^.*\/\([0-9]\)_[^ ]*: \([0-9]\).*/\1 \2/p' "$work/answers" >"$work/pairs"
    [ "$(wc -l <"$work/pairs")" = "$(ls $digits/pictures/*.pgm | wc -l)" ] || return 1
    awk '$1 != $2 { wrong++ } END { exit wrong > 0 }' "$work/pairs" &&
        refused 2 build/samples/digits/digits --frobnicate && said "digits: unknown option --frobnicate (try --help)"
}

embeds() {
    ninja -f samples/embed/build.ninja &&
        build/samples/embed/embed $digits/pictures/3_serif.pgm $digits/pictures/7_pen.pgm &&
        refused 2 build/samples/embed/embed && said "usage: embed PICTURE.pgm PICTURE.pgm"
}

# The program that measure.sh runs, on the host, with too little memory in three ways.
lacks_memory() {
    compile small $digits/digits.onnx --target c --weights c && builds small || return 1
    least=0 enough=1000000
    while [ $((enough - least)) -gt 1 ]; do # between them is what it needs
        half=$(((least + enough) / 2))
        if measured_with $half >/dev/null; then enough=$half; else least=$half; fi
    done
    measured_with $enough | grep instructions && measured_with $least | grep -x "memory: outputs failed" && measured_with $((least - 200)) | grep -x "memory: inputs failed" &&
        measured_with 1000 | grep -x "memory: the model's size failed"
}
measured_with() { # BYTES
    gcc -std=c17 -I"$work/small" -DMEASURE_MEMORY="$1" "$work/small/m_main.c" samples/firmware/measure.c samples/firmware/host.c "$work/small/libm.a" -lm -o "$work/measure" && "$work/measure"
}

# What the programs and scripts beside the firmware say when they are called otherwise.
says_how() {
    programs=build/samples/firmware/digits-mps2-an386-c
    refused 2 $programs/compare && said "usage: compare DEVICE HOST TOLERANCE" &&
        refused 2 $programs/to_array && said "usage: to_array PICTURE.pgm... > pictures.h" &&
        ! $programs/to_array README.md >"$work/pictures.h" 2>"$work/said.err" && said "to_array: README.md: not a PGM picture" &&
        ! BOARDS=microbit samples/firmware/measure.sh $digits/digits.onnx >"$work/measured" 2>"$work/said.err" && said "measure.sh: BOARDS: microbit is not one of mps2-an385, mps2-an386, mps2-an500, mps3-an547"
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
check "samples/firmware/measure.c says what it lacks memory for" lacks_memory
ninja --quiet build/graphs/keywords_static.ir || exit 1
if command -v arm-none-eabi-gcc >/dev/null && command -v qemu-system-arm >/dev/null; then
    for board in mps2-an385 mps2-an386; do
        check "samples/firmware on $board" env BOARD=$board samples/firmware/run.sh
    done
    for board in mps2-an385 mps2-an386; do
        check "samples/firmware, key words in integers on $board" env MODEL=keywords BOARD=$board samples/firmware/run.sh
    done
    check "samples/firmware/measure.sh counts" counts_instructions
    check "samples/firmware says how it is called" says_how
    check "samples/firmware, weights by .incbin" env WEIGHTS=embed samples/firmware/run.sh
else
    skip "samples/firmware: no gcc-arm-none-eabi or qemu-system-arm"
fi
