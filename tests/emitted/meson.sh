# Sourced by tests/emitted/run: emitted folders as Meson projects. SPDX-License-Identifier: Apache-2.0
pictures="$digits/pictures/3_serif.pgm $digits/pictures/7_pen.pgm"

# By itself: the executable computes, and what is installed is found by pkg-config.
folder_by_meson() { # TARGET WEIGHTS
    here=$PWD/$work/folder-$1
    rm -rf "$here" && compile "folder-$1" $digits/digits.onnx --target "$1" --weights "$2" &&
        meson setup "$here/meson" "$here" --prefix "$here/installed" --libdir lib && ninja -j "$jobs" -C "$here/meson" &&
        meson install -C "$here/meson" --no-rebuild || return 1
    [ "$2" != file ] || cp "$here/installed/share/m/m_weights.bin" "$here/installed/bin" || return 1
    "$here/installed/bin/m" --check $digits/test_data_set_0 || return 1
    cat >"$here/user.c" <<'END' || return 1
#include "m_dnnl.h"
int main(void)
{
    static m_context ctx;
    return m_init(&ctx, NULL) == M_BAD_ARGUMENT ? 0 : 1;
}
END
    # shellcheck disable=SC2046 # words
    gcc "$here/user.c" -o "$here/user" $(PKG_CONFIG_PATH=$here/installed/lib/pkgconfig pkg-config --cflags --libs m) && "$here/user"
}

# samples/embed with the model as a subproject: by its wrap file, and without one, by the folder's name. It is the library alone.
subproject() { # TARGET
    copy=$PWD/$work/samples-$1
    rm -rf "$copy" && mkdir "$copy" && cp -r samples/embed samples/digits "$copy" &&
        "$dnnlc" $digits/digits.onnx --name digits --threads 2 --target "$1" -o "$copy/embed/subprojects/digits" || return 1
    for way in wrap folder; do
        [ $way = wrap ] || rm "$copy/embed/subprojects/digits.wrap" || return 1
        # shellcheck disable=SC2086 # words
        meson setup "$copy/$way" "$copy/embed" "-Db_staticpic=$([ $way = wrap ] && echo true || echo false)" && ninja -j "$jobs" -C "$copy/$way" && "$copy/$way/embed" $pictures &&
            [ ! -e "$copy/$way/subprojects/digits/digits" ] || return 1
    done
}

# A model of calls alone has no file that is optimised in full.
calls_alone() {
    compile calls tests/emitted-goldens/dnnl_layer_norm.ir --target dnnl && ! grep 'm_[ck].*\.c' "$work/calls/meson.build" &&
        meson setup "$work/calls/meson" "$work/calls" >"$work/said" 2>&1 && ! grep WARNING "$work/said" && ninja -j "$jobs" -C "$work/calls/meson" &&
        "$work/calls/meson/m" --random 1
}

no_onednn() {
    ! meson setup "$work/no-onednn" "$work/folder-dnnl" -Donednn=/nowhere >"$work/said" && grep 'There is no oneDNN in /nowhere: -Dm:onednn=FOLDER' "$work/said"
}

if command -v meson >/dev/null && command -v pkg-config >/dev/null; then
    check "the folder with Meson, dnnl" hastily folder_by_meson dnnl embed
    check "the folder with Meson, c, weights in a file" folder_by_meson c file
    check "a model of calls alone with Meson" hastily calls_alone
    check "samples/embed with Meson, dnnl" hastily subproject dnnl
    check "samples/embed with Meson, c" hastily subproject c
    check "no oneDNN where it is looked for" no_onednn
else
    skip "Meson: no meson or pkg-config"
fi
