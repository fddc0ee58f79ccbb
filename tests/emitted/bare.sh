# Sourced by tests/emitted/run: emitted folders in builds for a machine without an operating system, by CMake, Meson and --cc. Each program tests
# itself on a Cortex-M4 under qemu. SPDX-License-Identifier: Apache-2.0
firmware=$PWD/samples/firmware
core='-mcpu=cortex-m4 -mthumb -mfloat-abi=hard -mfpu=fpv4-sp-d16'

passes_on_board() { # PROGRAM
    timeout 300 qemu-system-arm -M mps2-an386 -nographic -monitor none -serial none -chardev stdio,id=out,signal=off \
        -semihosting-config enable=on,target=native,chardev=out -kernel "$1" </dev/null >"$work/said" || return 1
    grep -x 'digits: the self-test passed' "$work/said"
}

# Addresses are fixed, and nothing is called that such a machine does not have.
is_bare() { # LIBRARY
    arm-none-eabi-nm "$1" >"$work/symbols" && grep ' T digits_run$' "$work/symbols" &&
        ! grep -E ' U (_GLOBAL_OFFSET_TABLE_|__stack_chk_.*|.*_chk|pthread_.*)$' "$work/symbols"
}

by_cmake() { # OPTIMIZE
    rm -rf "$work/firmware"
    cmake -G Ninja -S "$firmware" -B "$work/firmware" --toolchain "$firmware/cortex-m4.cmake" -Ddnnlc_DIR="$PWD/runtime-stub/cmake" \
        -DDNNLC_COMPILER="$(realpath "$dnnlc")" -DDNNLC_OPTIMIZE="$1" && cmake --build "$work/firmware" &&
        is_bare "$work/firmware/digits.dnnlc/cmake/libdigits.a" && passes_on_board "$work/firmware/selftest" &&
        grep -e "FLAGS.* $1\$" "$work/firmware/digits.dnnlc/cmake/build.ninja"
}

emits() { # FOLDER OPTION...
    folder=$1
    shift
    rm -rf "${work:?}/$folder" && "$dnnlc" $digits/digits.onnx --name digits --target c --selftest -o "$work/$folder" "$@"
}

# By itself the folder is the library alone.
folder_by_cmake() {
    emits bare && cmake -G Ninja -S "$work/bare" -B "$work/bare/cmake" --toolchain "$firmware/cortex-m4.cmake" && cmake --build "$work/bare/cmake" &&
        is_bare "$work/bare/cmake/libdigits.a" && [ ! -e "$work/bare/cmake/digits" ]
}

# shellcheck disable=SC2086 # words
links() { # LIBRARY FOLDER
    arm-none-eabi-gcc $core -O2 -I"$2" -I"$firmware" "$firmware/selftest.c" "$firmware/startup.c" "$firmware/semihost.c" "$1" -nostartfiles \
        -Wl,--gc-sections,-z,noexecstack -T "$firmware/flash.ld" -lm -o "$work/linked"
}

by_meson() {
    emits bare && {
        printf '%s\n' '[binaries]' "c = 'arm-none-eabi-gcc'" "ar = 'arm-none-eabi-ar'" "strip = 'arm-none-eabi-strip'" '[built-in options]'
        echo "c_args = '$core'.split()" | sed "s/'\\(.*\\)'.split()/['\\1']/; s/ -/', '-/g"
        printf '%s\n' "c_link_args = ['--specs=nosys.specs']" '[host_machine]' "system = 'none'" "cpu_family = 'arm'" "cpu = 'cortex-m4'" "endian = 'little'"
    } >"$work/cross.txt" && meson setup "$work/bare/meson" "$work/bare" --cross-file "$work/cross.txt" && ninja -j "$jobs" -C "$work/bare/meson" &&
        [ ! -e "$work/bare/meson/digits" ] && is_bare "$work/bare/meson/libdigits.a" && links "$work/bare/meson/libdigits.a" "$work/bare" && passes_on_board "$work/linked"
}

by_cc() {
    emits bare --cc "arm-none-eabi-gcc $core" && ninja -j "$jobs" -C "$work/bare" && is_bare "$work/bare/libdigits.a" && [ ! -e "$work/bare/digits" ] &&
        links "$work/bare/libdigits.a" "$work/bare" && passes_on_board "$work/linked" && ninja -C "$work/bare" stack | grep '^digits_run: [0-9]*'
}

if command -v arm-none-eabi-gcc >/dev/null && command -v qemu-system-arm >/dev/null; then
    check "--cc of a machine without an operating system" by_cc
    check "flags behind the compiler's name that it does not know" refused_model 1 $digits/digits.onnx --target c --cc 'arm-none-eabi-gcc --nonsense'
    check "what it says" grep -F -e '--cc arm-none-eabi-gcc --nonsense: the compiler does not take these flags' "$work/said.err"
    if command -v cmake >/dev/null; then
        check "samples/firmware with CMake" by_cmake -O3
        check "samples/firmware with CMake, for size" by_cmake -Os
        check "the folder with CMake and a tool chain without an operating system" folder_by_cmake
    else
        skip "firmware with CMake: no cmake"
    fi
    if command -v meson >/dev/null; then
        check "the folder with Meson and a cross file without an operating system" by_meson
    else
        skip "firmware with Meson: no meson"
    fi
else
    skip "firmware in other builds: no gcc-arm-none-eabi or qemu-system-arm"
fi
