# Sourced by tests/emitted/run: choosing by measuring, with a cache of times. SPDX-License-Identifier: Apache-2.0

# --tune: times come from the cache where it has them, whatever they are, and the choice from the times. A cache that is
# damaged, or no file at all, counts as empty.
tuned_rows=21
tune() { # FOLDER [GRAPH]: what was planned for the convolution or product, in $work/plan
    rm -rf "${work:?}/$1"
    XDG_CACHE_HOME=$PWD/$work/cache compile "$1" "$work/${2:-tuned}.ir" --tune --explain --threads 1 >"$work/notes" &&
        grep 'measured: .*(\(Conv\|MatMul\))' "$work/notes" && grep -h 'Planned for' "$work/$1"/m_dnnl_*.c >"$work/plan"
}
# Convolutions go by the layout that all algorithms can be had in: with the channels last.
set_times() { # PATTERN NANOSECONDS
    sed -i "/$1/s/\t.*/\t$2/; /for layout src f32 abcd/s/\t.*/\t1000000000/" "$work/cache/dnnlc/tune"
}
# How many times are kept: of the convolution in two layouts, of product, product in C and transformations of three sizes of blocks for two
# sizes of tiles, of a reorder each way; less those that this CPU's kernels leave out.
rows() { echo $(($(wc -l <"$work/cache/dnnlc/tune") - 1)); }
tuned_is_kept() {
    rm -rf "$work/cache" && mkdir -p "$work/cache" && tune tuned-a && cp "$work/notes" "$work/notes-a" &&
        tuned_rows=$(rows) && [ "$tuned_rows" -ge 16 ] &&
        tune tuned-b && diff -r "$work/tuned-a" "$work/tuned-b" && grep "tune: $tuned_rows times measured, 0 from" "$work/notes-a" &&
        grep "tune: 0 times measured, $tuned_rows from" "$work/notes" &&
        grep '^measured' "$work/notes-a" >"$work/measured-a" && grep '^measured' "$work/notes" | diff "$work/measured-a" -
}
tuned_by_the_cache() {
    set_times 'convolution' 1000 && set_times 'Winograd' 1000000 && tune tuned-a && ! grep Winograd "$work/plan" &&
        set_times 'Winograd' 10 && tune tuned-a && grep Winograd "$work/plan" && grep -h '\.block = 196' "$work"/tuned-a/m_dnnl_*.c &&
        set_times 'Winograd .* 49x' 1 && tune tuned-a && grep -h '\.block = 49' "$work"/tuned-a/m_dnnl_*.c
}
tuned_to_c() {
    rm -rf "$work/cache" && mkdir -p "$work/cache" && tune tuned-c tuned_few &&
        set_times 'convolution' 1000000 && set_times 'panel' 1000 && tune tuned-c tuned_few && grep 'C, tiles' "$work/plan" &&
        set_times 'panel' 100000000 && tune tuned-c tuned_few && ! grep 'C, tiles' "$work/plan"
}
tuned_products() { # three algorithms, one of which is made quick at a time
    rm -rf "$work/cache" && mkdir -p "$work/cache" && tune tuned-p tuned_product && grep 'tune: 3 times measured' "$work/notes" || return 1
    for algorithm in matmul 'inner product' panel; do
        set_times 'weights' 1000000 && set_times "$algorithm.*weights" 1000 && tune tuned-p tuned_product || return 1
        grep "(MatMul): .*: \(C\|$algorithm\)\$" "$work/notes" && grep -c 'C, tiles' "$work/plan" >"$work/count"
        [ "$(cat "$work/count")" = "$([ "$algorithm" = panel ] && echo 1 || echo 0)" ] || return 1
    done
    grep 'dnnlc_inner_product(' "$work/tuned-p"/m_dnnl_*.c && return 1
    set_times 'weights' 1000000 && set_times 'inner product.*weights' 1000 && tune tuned-p tuned_product &&
        grep -q 'dnnlc_inner_product(' "$work/tuned-p"/m_dnnl_*.c
}
tuned_without_functions() { # behind a product: C is timed without them, too
    rm -rf "$work/cache" && mkdir -p "$work/cache" && tune tuned-f tuned_gelu && grep '^oneDNN.*: matmul' "$work/cache/dnnlc/tune" &&
        ! grep ' post ' "$work/cache/dnnlc/tune"
}
tuned_from_damage() {
    for damage in 'dnnlc-tune 1\n: x\t-1\n\t5\nconvolution\tnan\n\001\t1\nno tab\nhalf' 'another file' ''; do
        # shellcheck disable=SC2059 # a format with escapes
        printf "$damage" >"$work/cache/dnnlc/tune" && tune tuned-a && [ "$(wc -l <"$work/cache/dnnlc/tune")" = $((tuned_rows + 1)) ] || return 1
    done
    rm "$work/cache/dnnlc/tune" && mkfifo "$work/cache/dnnlc/tune" && tune tuned-a
    rm -rf "$work/cache" && : >"$work/cache" && tune tuned-a # no folder can be made: measured, not kept
}

# --tune=SECONDS: what was found is found again, without another program, and with the same bytes; the times decide, whatever they are.
temporary=temporary
search() { # FOLDER OPTION...
    folder=$1
    shift
    rm -rf "${work:?}/$folder"
    mkdir -p "$work/temporary"
    TMPDIR=$PWD/$work/$temporary DNNLC_ONEDNN=$onednn XDG_CACHE_HOME=$PWD/$work/cache compile "$folder" "$work/searched.ir" --tune=60s \
        --explain --threads 1 "$@" >"$work/notes" 2>&1
}
set_choice() { # PATTERN NANOSECONDS
    sed -i "/$1\t/s/\t.*/\t$2/" "$work/cache/dnnlc/tune" && grep -q "$1	$2\$" "$work/cache/dnnlc/tune"
}
searched_is_kept() { # OPTION...
    rm -rf "$work/cache" && mkdir -p "$work/cache" && search searched-a "$@" && grep '^--tune=60s: [0-9]* programs timed$' "$work/notes" &&
        grep -c 'choice of .* for MatMul' "$work/cache/dnnlc/tune" && search searched-b "$@" && ! grep 'programs timed' "$work/notes" &&
        diff -r "$work/searched-a" "$work/searched-b" && ! ls "$work"/temporary/*
}
# Where other programs ran meanwhile the plan of --tune may have been the quicker one to begin with.
searched_by_the_cache() {
    sed -i -e '/program [^:]*: measured\t/d' -e 's/: measured and searched\t/: searched\t/' "$work/cache/dnnlc/tune" && set_choice 'program [^:]*: searched' 1 &&
        for variant in matmul_rows matmul_packed; do
            set_choice 'choice of .*' 1000000 && set_choice "kernel for MatMul.*: $variant" 1000 && search searched-c --target c &&
                grep "searched plan is taken" "$work/notes" && grep "^searched: 'm' (MatMul): kernel: $variant" "$work/notes" || return 1
        done &&
        set_choice 'program [^:]*: searched' 1000000000 && search searched-c --target c && grep 'estimated plan is taken' "$work/notes" &&
        ! grep '^searched' "$work/notes"
}
searched_in_vain() { # WHAT IS SAID, PROGRAMS...: only these can be called; a file is a program itself
    said=$1
    shift
    rm -rf "$work/cache" "$work/bin" && mkdir -p "$work/cache" "$work/bin" &&
        for program in rm cp cat chmod "$@"; do ln -s "$(realpath "$(command -v "$program")")" "$work/bin/${program##*/}" || return 1; done
    ! (
        dnnlc=$(realpath "$dnnlc")
        PATH=$PWD/$work/bin
        search searched-d --target c
    ) && grep "^dnnlc: $said" "$work/notes" && [ ! -e "$work/searched-d" ]
}
searched_without_folder() {
    ! (
        temporary=nowhere
        search searched-f --target c
    ) && grep "^dnnlc: $PWD/$work/nowhere: no temporary folder can be made there: " "$work/notes"
}
searched_without_cache() {
    rm -rf "$work/cache" && : >"$work/cache" && search searched-e --target c && grep '^dnnlc: the measured times are not kept: ' "$work/notes"
}
no_time() { # WORD
    "$dnnlc" "$work/searched.ir" "$1" -o "$work/no-time" 2>"$work/notes"
    [ $? = 2 ] && grep "^dnnlc: $1: seconds from 1 to 86400 are wanted, as in --tune=60s" "$work/notes"
}
several_sizes() {
    ! "$dnnlc" samples/digits/digits.onnx --dim '*=1,2' --tune=60s -o "$work/no-time" 2>"$work/notes" && grep 'takes a model of one size' "$work/notes"
}

for_avx2() {
    rm -rf "$work/cache" "$work/tuned-i" && mkdir -p "$work/cache" && XDG_CACHE_HOME=$PWD/$work/cache compile tuned-i "$work/tuned_product.ir" --tune --isa avx2 --threads 1 &&
        search searched-i --isa avx2
}

cat >$work/searched.ir <<END
graph "searched" {
  input %a: f32[24,40]
  input %b: f32[40,32]
  %m = MatMul(%a, %b)
  %y = Relu(%m)
  output "y" = %y
}
END
cat >$work/tuned.ir <<END
graph "tuned" {
  input %x: f32[1,32,56,56]
  const %w: f32[32,32,3,3] = random(seed=1, scale=0.2)
  %c = Conv(%x, %w) {dilations=[1,1], group=1, pads=[1,1,1,1], strides=[1,1]}
  %y = Relu(%c)
  output "y" = %y
}
END
cat >$work/tuned_few.ir <<END
graph "tuned" {
  input %x: f32[1,32,14,14]
  const %w: f32[64,32,3,3] = random(seed=1, scale=0.2)
  %y = Conv(%x, %w) {dilations=[1,1], group=1, pads=[1,1,1,1], strides=[2,2]}
  output "y" = %y
}
END
cat >$work/tuned_product.ir <<END
graph "tuned" {
  input %x: f32[16,64]
  const %w: f32[64,256] = random(seed=1, scale=0.2)
  %y = MatMul(%x, %w)
  output "y" = %y
}
END
sed 's/%y = MatMul\(.*\)/%m = MatMul\1\n  %y = Gelu(%m) {approximate="none"}/' $work/tuned_product.ir >$work/tuned_gelu.ir
for word in --tune=0s --tune=x --tune= --tune=60m --tune=99999999999; do
    check "$word" no_time "$word"
done
check "a search in the C target is kept and gives the same bytes" searched_is_kept --target c
check "a search goes by the cache" searched_by_the_cache
check "a search without ninja" searched_in_vain '--tune=60s: what is emitted could not be built here by ninja: ninja: cannot be started'
check "a search without a compiler" searched_in_vain '--tune=60s: what is emitted could not be built here by ninja: ' ninja sh
mkdir -p $work/fails
printf '#!/bin/sh\ncat >"$2/m" <<END\n#!/bin/sh\nexit 1\nEND\nchmod +x "$2/m"\n' >$work/fails/ninja
chmod +x $work/fails/ninja
check "a search for another CPU" searched_in_vain '--tune=60s: what is emitted could not be run here' $work/fails/ninja sh
check "a search without a temporary folder" searched_without_folder
check "a search without a cache" searched_without_cache
if [ -d "$onednn" ]; then
    check "a search is kept and gives the same bytes" searched_is_kept
fi
# Before AVX2 there is one algorithm for most layers, and nothing to choose.
has_algorithms() {
    case ${ONEDNN_MAX_CPU_ISA:-} in
    SSE41 | AVX) return 1 ;;
    esac
    grep -q ' avx2 ' /proc/cpuinfo
}
if has_algorithms; then
    check "tuning is kept and gives the same bytes" tuned_is_kept
    check "tuning goes by the cache" tuned_by_the_cache
    check "tuning takes a convolution in C" tuned_to_c
    check "tuning chooses among the algorithms of a product" tuned_products
    check "tuning leaves out what follows a product" tuned_without_functions
    check "tuning with a damaged cache" tuned_from_damage
    if [ -z "${ONEDNN_MAX_CPU_ISA:-}" ] && [ -d "$onednn" ]; then
        check "tuning for an instruction set" for_avx2
    fi
else
    skipped=$((skipped + 6))
    echo "skipped: choosing by measuring, on a CPU before AVX2"
fi
