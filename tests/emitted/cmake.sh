# Sourced by tests/emitted/run: emitted folders as CMake projects, with pkg-config, and dnnlc_add_model(). SPDX-License-Identifier: Apache-2.0
package=$PWD/runtime-stub/cmake
pictures="$digits/pictures/3_serif.pgm $digits/pictures/7_pen.pgm"
make_project() { # FOLDER BUILD OPTION...
    source=$1 build=$2
    shift 2
    cmake -S "$source" -B "$build" "$@" && cmake --build "$build" -j "$jobs"
}

# The library and the executable, installed and used from where they are: by find_package(), by pkg-config, and from the folder of build.ninja.
folder_by_cmake() { # TARGET WEIGHTS GENERATOR
    here=$PWD/$work/folder-$1
    rm -rf "$here" && compile "folder-$1" $digits/digits.onnx --target "$1" --weights "$2" &&
        make_project "$here" "$here/cmake" -G "$3" -DCMAKE_INSTALL_PREFIX="$here/installed" && cmake --install "$here/cmake" || return 1
    [ "$2" != file ] || cp "$here/installed/share/m/m_weights.bin" "$here/installed/bin" || return 1
    "$here/installed/bin/m" --check $digits/test_data_set_0 || return 1
    mkdir "$here/user" && cat >"$here/user/CMakeLists.txt" <<'END' || return 1
cmake_minimum_required(VERSION 3.16)
project(user C)
find_package(m REQUIRED)
add_executable(user user.c)
target_link_libraries(user dnnlc::m)
END
    cat >"$here/user/user.c" <<'END' || return 1
#include "m_dnnl.h"
int main(void)
{
    static m_context ctx;
    return m_init(&ctx, NULL) == M_BAD_ARGUMENT ? 0 : 1;
}
END
    make_project "$here/user" "$here/user/build" -DCMAKE_PREFIX_PATH="$here/installed" && "$here/user/build/user" || return 1
    sed -i 's/find_package(m REQUIRED)/add_subdirectory(.. m)/' "$here/user/CMakeLists.txt"
    make_project "$here/user" "$here/user/inside" && "$here/user/inside/user" && [ ! -e "$here/user/inside/m/m" ] || return 1
    builds "folder-$1" || return 1
    for place in "$here" "$here/installed/lib/pkgconfig"; do
        # shellcheck disable=SC2046 # words
        gcc "$here/user/user.c" -o "$here/user/with_pc" $(PKG_CONFIG_PATH=$place pkg-config --define-variable=onednn="$onednn" --cflags --libs m) &&
            "$here/user/with_pc" || return 1
    done
}

# The files that the manifest lists are those that build.ninja compiles, and all there are.
lists_files() { # TARGET
    sed -n '/^    "library"/,/^    "program"/p' "$work/folder-$1/m.json" | grep -o '[a-z0-9_]*\.[cS]"' | tr -d '"' | sort >"$work/listed"
    (cd "$work/folder-$1" && ls -- *.c *.S 2>/dev/null) | sort | diff - "$work/listed" || return 1
    sed -n 's/^build .*: cc \([^ ]*\).*/\1/p' "$work/folder-$1/build.ninja" | sort | diff - "$work/listed"
}

# What is refused while CMake configures, and says so.
refuses() { # WORDS LINE...
    words=$1
    shift
    rm -rf "$work/refused" && mkdir "$work/refused" || return 1
    printf '%s\n' 'cmake_minimum_required(VERSION 3.16)' 'project(refused C)' 'find_package(dnnlc 0.1 REQUIRED)' "$@" >"$work/refused/CMakeLists.txt"
    ! cmake -S "$work/refused" -B "$work/refused/build" -Ddnnlc_DIR="$package" >"$work/said" 2>&1 &&
        tr -s '\n ' '  ' <"$work/said" | grep -F "$words"
}

# Two models in one program: compiled when the program is built; again when the model, the options or the compiler change, and not otherwise.
models_of_a_project() { # GENERATOR
    project=$PWD/$work/project
    rm -rf "$project" && mkdir "$project" && cp $digits/digits.onnx "$project/one.onnx" && cp tests/emitted/residual.ir "$project/two.ir" &&
        cp "$dnnlc" "$project/dnnlc" || return 1
    cat >"$project/CMakeLists.txt" <<'END'
cmake_minimum_required(VERSION 3.16)
project(several C)
find_package(dnnlc 0.1 REQUIRED)
dnnlc_add_model(one one.onnx)
dnnlc_add_model(number-two two.ir NAME two TARGET c ISA avx2 THREADS 1 WEIGHTS c OPTIONS --denormals keep)
add_executable(several several.c)
target_link_libraries(several one number-two)
END
    cat >"$project/several.c" <<'END'
#include "one_dnnl.h"
#include "two_dnnl.h"
int main(void)
{
    static one_context one;
    static two_context two;
    return one_init(&one, NULL) != ONE_BAD_ARGUMENT || two_init(&two, NULL) != TWO_BAD_ARGUMENT;
}
END
    make_project "$project" "$project/build" -G "$1" -Ddnnlc_DIR="$package" -DDNNLC_COMPILER="$project/dnnlc" &&
        "$project/build/several" && rebuilds "" || return 1
    sleep 1 # where the clock of files is coarse
    touch "$project/one.onnx" && rebuilds one && rebuilds "" || return 1
    sed -i 's/ISA avx2/ISA sse41/' "$project/CMakeLists.txt" && rebuilds number-two && rebuilds "" &&
        grep -- '--isa sse41 --threads 1 --weights c --denormals keep' "$project/build/number-two.dnnlc/two_dnnl.h" || return 1
    sleep 1
    touch "$project/dnnlc" && rebuilds "number-two one" && rebuilds "" && "$project/build/several"
}

rebuilds() { # TARGETS: of which models the compiler is called by another build
    cmake --build "$project/build" >"$work/said" || return 1
    [ "$(sed -n 's/.*dnnlc \([a-z-]*\)$/\1/p' "$work/said" | sort | paste -sd ' ')" = "$1" ] || { cat "$work/said"; return 1; }
}

samples_by_cmake() { # TARGET
    rm -rf "$work/embed" && make_project samples/embed "$work/embed" -Ddnnlc_DIR="$package" -DTARGET="$1" &&
        # shellcheck disable=SC2086 # words
        "$work/embed/embed" $pictures
}

# Both models agree on what each picture is, and a picture that is none is an error of the program.
votes() {
    rm -rf "$work/cpp" && make_project samples/cpp "$work/cpp" -Ddnnlc_DIR="$package" && "$work/cpp/vote" $digits/pictures/*.pgm >"$work/votes" &&
        refused 2 "$work/cpp/vote" && said "usage: vote PICTURE.pgm..." &&
        awk -F '[/:_]' '{ if ($0 !~ "/" substr($NF, 2) "_[^/]*$") wrong = 1 } END { exit wrong || !NR }' "$work/votes" &&
        ! "$work/cpp/vote" samples/cpp/vote.cpp 2>"$work/said" && grep '^vote: samples/cpp/vote.cpp: ' "$work/said"
}

# From where `ninja install` leaves it, with nothing of the checkout.
installed_package() {
    prefix=$PWD/$work/prefix
    DESTDIR='' PREFIX=$prefix ninja install && "$prefix/bin/dnnlc" --version | grep "$(sed -n 's/set(PACKAGE_VERSION \(.*\))/\1/p' "$package/dnnlc-config-version.cmake")" &&
        make_project "$prefix/share/dnnlc/samples/embed" "$work/embed-installed" -DCMAKE_PREFIX_PATH="$prefix" &&
        grep "DNNLC_COMPILER:FILEPATH=$prefix/bin/dnnlc" "$work/embed-installed/CMakeCache.txt"
}

# From any folder, into a folder of a package.
installs_from_elsewhere() {
    checkout=$PWD
    rm -rf "$work/packaged"
    (cd / && DESTDIR="$checkout/$work/packaged" PREFIX=/usr ninja -C "$checkout" install) && "$work/packaged/usr/bin/dnnlc" --version &&
        [ -e "$work/packaged/usr/share/dnnlc/get-onednn" ] && [ -e "$work/packaged/usr/share/doc/dnnlc/LICENSE" ]
}

if command -v cmake >/dev/null && command -v pkg-config >/dev/null; then
    check "the folder with CMake and Ninja, dnnl" hastily folder_by_cmake dnnl embed Ninja
    check "the folder with CMake and Make, c, weights in a file" folder_by_cmake c file "Unix Makefiles"
    check "the manifest lists the files, dnnl" lists_files dnnl
    check "the manifest lists the files, c" lists_files c
    check "no oneDNN where it is looked for" sh -c "cmake -S '$work/folder-dnnl' -B '$work/no-onednn' -DDNNLC_ONEDNN=/nowhere 2>&1 | grep 'There is no oneDNN in /nowhere'"
    check "several models of a project, Ninja" hastily models_of_a_project Ninja
    check "several models of a project, Make" hastily models_of_a_project "Unix Makefiles"
    check "samples/embed with CMake, dnnl" hastily samples_by_cmake dnnl
    check "samples/embed with CMake, c" hastily samples_by_cmake c
    check "samples/cpp: two models in several threads" hastily votes
    check "the installed package" hastily installed_package
    check "installed from another folder" installs_from_elsewhere
    check "a model that is not there" refuses "dnnlc_add_model(x): there is no" "dnnlc_add_model(x none.onnx)"
    check "an unknown word" refuses "dnnlc_add_model(x): unknown: DIM" "dnnlc_add_model(x CMakeLists.txt DIM n=1)"
    check "a word without a value" refuses "dnnlc_add_model(x): nothing follows ISA" "dnnlc_add_model(x CMakeLists.txt ISA)"
    check "a later version" refuses 'compatible with requested version "9"' "find_package(dnnlc 9 REQUIRED)"
else
    skip "CMake: no cmake or pkg-config"
fi
