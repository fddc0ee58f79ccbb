# Sourced by tests/emitted/run: samples/esp-idf and samples/zephyr, whose tool chains are not there. Stand-ins for the functions that they call, in
# frameworks/, configure and compile them with the host's compiler, and the programs run. SPDX-License-Identifier: Apache-2.0
stand_ins=$PWD/tests/emitted/frameworks
copied=$PWD/$work/samples
mkdir -p "$copied" && cp -r samples/digits samples/esp-idf samples/zephyr "$copied"

# The commands of a README begin with the compiler's: it is that line which is typed.
emits_as_said() { # FOLDER
    line=$(sed -n 's/^    dnnlc //p' "$copied/$1/README.md")
    rm -rf "$copied/$1"/*/model "$copied/$1"/*/*/model
    # shellcheck disable=SC2086 # words
    (compiler=$(realpath "$dnnlc") && cd "$copied/$1" && "$compiler" $line) || return 1
}

reads_seven() { "$@" | grep -x 'digits: 7, [0-9]* per cent'; }

esp_idf() {
    emits_as_said esp-idf && mkdir -p "$work/idf/tools/cmake" && cp -r "$stand_ins/idf/." "$work/idf/tools/cmake" || return 1
    for where in bss EXTERNAL; do
        IDF_PATH=$PWD/$work/idf cmake -S "$copied/esp-idf" -B "$work/esp-$where" -G Ninja "-DCMAKE_C_FLAGS=-D$where" &&
            cmake --build "$work/esp-$where" && reads_seven "$work/esp-$where/digits.elf" || return 1
    done
    objdump -h "$work/esp-EXTERNAL/digits.elf" | grep '\.ext_ram\.bss' && ! objdump -h "$work/esp-bss/digits.elf" | grep '\.ext_ram\.bss'
}

zephyr() { # SECTION
    emits_as_said zephyr && printf 'CONFIG_DIGITS_WEIGHTS_SECTION=%s\n' "$1" >>"$copied/zephyr/prj.conf" || return 1
    rm -rf "$work/zephyr"
    cmake -S "$copied/zephyr" -B "$work/zephyr" -G Ninja -DZephyr_DIR="$stand_ins/zephyr" && cmake --build "$work/zephyr" &&
        reads_seven "$work/zephyr/app" && objdump -h "$work/zephyr/modules/digits/libdigits.a" | grep " $1 "
}

# What a Kconfig file may have: entries at the margin, their attributes and help behind a tab or four blanks; what is opened is closed.
kconfig() { # FILE
    awk '
        function bad(why) { print FILENAME ":" NR ": " why; wrong = 1 }
        /^[ \t]*(#|$)/ { next }
        /^[^ \t]/ { help = 0 }
        help { next }
        /^(menu|choice|if)( |$)/ { open[++depth] = $1; next }
        /^end(menu|choice|if)$/ { if (open[depth--] != substr($1, 4)) bad($1 " closes nothing"); next }
        /^(config|menuconfig) [A-Z][A-Z0-9_]*$/ { entries++; typed[entries] = 0; next }
        /^(\t|    )(bool|int|hex|string)( ".*")?$/ { typed[entries] = 1; next }
        /^(\t|    )(default|depends on|select|imply|range|prompt) [^ ]/ { next }
        /^(\t|    )help$/ { help = 1; next }
        { bad("not understood: " $0) }
        END {
            if (depth > 0 || !entries) bad("not closed, or empty")
            for (i = 1; i <= entries; i++) if (!typed[i]) bad("an entry without a type")
            exit wrong
        }' "$1"
}
misspelt_kconfig() {
    sed 's/bool/boole/' samples/zephyr/digits/Kconfig >"$work/misspelt" && ! kconfig "$work/misspelt" || return 1
    sed '/^endif/d' samples/zephyr/digits/Kconfig >"$work/misspelt" && ! kconfig "$work/misspelt"
}

# A YAML file holds this value under this key, of a list of keys from the outside in.
yaml() { # FILE VALUE KEY...
    perl -MCPAN::Meta::YAML -e 'my ($file, $value, @keys) = @ARGV; my $at = CPAN::Meta::YAML->read($file) or die CPAN::Meta::YAML->errstr;
        $at = $at->[0]; $at = $at->{$_} for @keys; print "$at\n"; exit($at ne $value)' "$@"
}
yaml_files() {
    yaml samples/zephyr/digits/zephyr/module.yml digits name && yaml samples/zephyr/digits/zephyr/module.yml . build cmake &&
        yaml samples/zephyr/digits/zephyr/module.yml Kconfig build kconfig &&
        yaml samples/esp-idf/components/digits/idf_component.yml '>=5.0' dependencies idf version
}

if command -v cmake >/dev/null; then
    check "samples/esp-idf with stand-ins for ESP-IDF" esp_idf
    check "samples/zephyr with stand-ins for Zephyr" zephyr .rodata.digits_weights
    check "samples/zephyr, weights in another section" zephyr .flash.mine
else
    skip "samples/esp-idf, samples/zephyr: no cmake"
fi
for file in samples/esp-idf/components/digits/Kconfig samples/zephyr/digits/Kconfig; do
    check "$file" kconfig $file
done
check "a Kconfig file with a mistake" misspelt_kconfig
if perl -MCPAN::Meta::YAML -e 1 2>/dev/null; then
    check "YAML files of samples/esp-idf and samples/zephyr" yaml_files
else
    skip "YAML files of samples: no perl with CPAN::Meta::YAML"
fi
