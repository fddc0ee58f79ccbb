# Sourced by tests/emitted/run: samples that draw PNG files, what they count as right, and what is on the files. SPDX-License-Identifier: Apache-2.0

is_png() { file "$1" | grep "PNG image data, $2 x $3, 8-bit/color RGB"; } # FILE WIDTH HEIGHT

# How many pixels of a colour a file has.
pixels() { "$work/colours" "$1" "$2"; }

reads_png() { # OPTION...
    # shellcheck disable=SC2046,SC2086 # words
    gcc -std=c17 $strict -O1 "$@" -Isamples/canvas tests/emitted/colours.c samples/canvas/canvas.c -o "$work/colours" $(pkg-config --cflags --libs libpng)
}

# Cut short anywhere, or with one byte that is another: a picture or a line that says why not, and no access outside of it.
survives_damage() {
    picture=samples/detector/pictures/sheet_2.png
    reads_png -fsanitize=address,undefined -fno-sanitize-recover=all || return 1
    size=$(stat -c %s $picture)
    # The same with a width of 2^18 in its header, whose sum of bits is right: gzip ends with it, least byte first.
    { head -c 16 $picture && printf '\0\4\0\0' && tail -c +21 $picture | head -c 9; } >"$work/wide.png"
    { cat "$work/wide.png" && tail -c +13 "$work/wide.png" | gzip -c | tail -c 8 | od -An -to1 -N4 | awk '{ printf "\\%s\\%s\\%s\\%s", $4, $3, $2, $1 }' | xargs -0 printf &&
        tail -c +34 $picture; } >"$work/damaged.png"
    refused 1 "$work/colours" "$work/damaged.png" 0 && said "the picture has no pixels or too many" || return 1
    for k in $(seq 40); do
        head -c $((size * k / 41)) $picture >"$work/damaged.png"
        refused 1 "$work/colours" "$work/damaged.png" 0 || return 1
        cp $picture "$work/damaged.png"
        # The first ones in the header, whose width and height then may be anything.
        printf "\\$(printf %o $((k * 6 + 1)))" | dd of="$work/damaged.png" bs=1 seek=$((k < 20 ? 12 + k : size * k / 41)) conv=notrunc status=none
        "$work/colours" "$work/damaged.png" 0 >"$work/said" 2>&1 || [ $? = 1 ] && [ "$(wc -l <"$work/said")" = 1 ] || { cat "$work/said"; return 1; }
    done
}

draws_digits() {
    ninja -f samples/digits/build.ninja build/samples/digits/sheet && reads_png || return 1
    sheet=build/samples/digits/sheet
    $sheet "$work/sheet.png" $digits/pictures/*.pgm | grep ': 17 of 17 pictures are right' && is_png "$work/sheet.png" 1120 680 || return 1
    # A frame of 4 pixels around 120 x 120 for each, green; red where the name says another digit. A full bar is 90 x 8.
    [ "$(pixels "$work/sheet.png" 2e9e4f)" = $((17 * (120 * 120 - 112 * 112))) ] && [ "$(pixels "$work/sheet.png" d0352b)" = 0 ] || return 1
    [ "$(pixels "$work/sheet.png" 1f5fb0)" -gt $((17 * 90 * 8 * 9 / 10)) ] || return 1
    cp $digits/pictures/3_serif.pgm "$work/4_three.pgm"
    $sheet "$work/sheet.png" "$work/4_three.pgm" | grep ': 0 of 1 pictures' && [ "$(pixels "$work/sheet.png" d0352b)" = $((120 * 120 - 112 * 112)) ] || return 1
    refused 2 $sheet "$work/sheet.png" && said "usage: sheet OUTPUT.png PICTURE.pgm... (names begin with the digit)" && refused 1 $sheet "$work/sheet.png" README.md && refused 1 $sheet "$work/none/sheet.png" $digits/pictures/3_serif.pgm && said "the picture cannot be written"
}

detects() {
    ninja -f samples/detector/build.ninja || return 1
    detector=build/samples/detector/detector pictures=samples/detector/pictures
    mkdir -p "$work/boxes"
    $detector --truth $pictures/truth.txt "$work/boxes" $pictures/*.png >"$work/found" || return 1
    cat "$work/found"
    there=$(grep -c '^sheet' $pictures/truth.txt)
    right=$(sed -n 's/^\([0-9]*\) of .*/\1/p' "$work/found") wrong=$(sed -n 's/.* found, \([0-9]*\) found .*/\1/p' "$work/found")
    tail -n 1 "$work/found" | grep " of $there digits" && [ $((100 * right)) -ge $((95 * there)) ] && [ "$wrong" -le 2 ] || return 1
    # The list says as many as the sum does, and each that is right has a green frame.
    [ "$(grep -c '^  [0-9] ' "$work/found")" = $((right + wrong)) ] && [ "$(grep -c 'no such digit' "$work/found")" = "$wrong" ] || return 1
    for name in $(cd $pictures && echo *.png); do
        is_png "$work/boxes/$name" 640 480 && [ "$(pixels "$work/boxes/$name" 1d8f3f)" -gt 1000 ] || return 1
    done
    # Where digits have other names or places nothing is right, and all that is not found is red.
    sed 's/^\(sheet[^ ]*\) \([0-9]\)/\1 1\2/' $pictures/truth.txt >"$work/names.txt"
    awk '/^sheet/ { $3 += 500; $5 += 500 } { print }' $pictures/truth.txt >"$work/places.txt"
    for other in names places; do
        $detector --truth "$work/$other.txt" "$work/boxes" $pictures/sheet_1.png | tail -n 1 | grep '^0 of ' && [ "$(pixels "$work/boxes/sheet_1.png" 1d8f3f)" = 0 ] || return 1
    done
    $detector --truth "$work/names.txt" "$work/boxes" $pictures/sheet_1.png && [ "$(pixels "$work/boxes/sheet_1.png" d0202a)" -gt 500 ] || return 1
    # A picture of twice the size has the same digits.
    "$work/colours" $pictures/sheet_1.png 0 "$work/sheet_1.png" && $detector "$work/boxes" $pictures/sheet_1.png "$work/sheet_1.png" >"$work/two" || return 1
    grep '^  ' "$work/two" | cut -c1-3 >"$work/both"
    half=$(($(wc -l <"$work/both") / 2))
    [ "$(head -n $half "$work/both" | sort)" = "$(tail -n +$((half + 1)) "$work/both" | sort)" ] || return 1
    refused 1 $detector "$work/boxes" README.md && refused 1 $detector "$work/none" $pictures/sheet_1.png &&
        refused 1 $detector --truth "$work/none" "$work/boxes" $pictures/sheet_1.png && said "sheet_1.png: the file of --truth cannot be read"
}

segments() {
    ninja -f samples/segmenter/build.ninja || return 1
    segmenter=build/samples/segmenter/segmenter pictures=samples/segmenter/pictures
    for k in 1 2 3 4 5 6; do
        $segmenter "$work/shapes_$k.png" $pictures/shapes_$k.png $pictures/truth_$k.png >"$work/found" || return 1
        cat "$work/found"
        is_png "$work/shapes_$k.png" 1488 408 || return 1
        # 19 of 20 pixels are right, and of each class there is; what is not is red on the drawing, 9 pixels for each.
        set -- $(sed -n 's/^ *\([0-9]*\) of 20480 pixels are right.*/\1/p' "$work/found")
        [ "$1" -ge 19456 ] && [ "$(pixels "$work/shapes_$k.png" ff1020)" = $((9 * (20480 - $1))) ] || return 1
        # The drawing has as many pixels of a class as the list says.
        for class in disc:2f7fd0 box:e39b18 triangle:2a9d60; do
            found=$(awk -v name=${class%:*} '$1 == name { print $4 }' "$work/found")
            [ "$found" -gt 0 ] && [ "$(pixels "$work/shapes_$k.png" ${class#*:})" -ge $((9 * found)) ] || return 1
        done
    done
    # The answers to another picture are not this one's; nor is it what another size shows.
    $segmenter "$work/other.png" $pictures/shapes_1.png $pictures/truth_2.png >"$work/found" || return 1
    [ "$(sed -n 's/^ *\([0-9]*\) of 20480 .*/\1/p' "$work/found")" -lt 18000 ] || return 1
    "$work/colours" $pictures/shapes_1.png 0 "$work/twice.png" && $segmenter "$work/one.png" $pictures/shapes_1.png | tail -n 4 >"$work/first" &&
        $segmenter "$work/two.png" "$work/twice.png" | tail -n 4 | diff "$work/first" - && cmp "$work/one.png" "$work/two.png" || return 1
    refused 2 $segmenter "$work/one.png" && said "usage: segmenter OUTPUT.png PICTURE.png [CLASSES.png]" && refused 1 $segmenter "$work/one.png" README.md && refused 1 $segmenter "$work/none/one.png" $pictures/shapes_1.png &&
        refused 1 $segmenter "$work/one.png" $pictures/shapes_1.png samples/detector/pictures/sheet_1.png && said "the picture of classes is not of the network's size" && refused 1 $segmenter "$work/one.png" $pictures/shapes_1.png $pictures/shapes_2.png && said "the picture of classes has a grey value that is none"
}

if pkg-config --exists libpng; then
    check "samples/digits draws what it reads" draws_digits
    check "damaged PNG files are refused" survives_damage
    check "the tool that looks at pictures" reads_png
    check "samples/detector finds digits" detects
    check "samples/segmenter knows what pixels belong to" segments
else
    skip "samples that draw: no libpng-dev"
fi
