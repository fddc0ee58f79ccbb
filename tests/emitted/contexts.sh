# Contexts in threads, and many runs: under ThreadSanitizer what portable C does (one thread for each context: OpenMP's barriers are unknown to it), and the
# bits of what both targets compute. CONTEXT_RUNS for each of eight contexts of oneDNN, ten times as many of C: 1,000, or a million by hand. Sourced by run.
runs=${CONTEXT_RUNS:-1000}
contexts() { # FOLDER RUNS FLAG... -- LIBRARY...
    folder=$1 n=$2
    shift 2
    # shellcheck disable=SC2086 # words
    gcc -std=c17 -D_GNU_SOURCE $strict -O1 -g -I"$work/$folder" tests/emitted/contexts.c "$@" -o "$work/$folder/contexts" &&
        "$work/$folder/contexts" "$n"
}
under_thread_sanitizer() {
    # shellcheck disable=SC2046 # words
    TSAN_OPTIONS=halt_on_error=1 contexts races $((runs / 10)) -fsanitize=thread \
        $(ls "$work"/races/m_*.c | grep -v m_main) "$work/races/m_weights.S" -Wa,-I"$work/races" -lm -lpthread
}

check "digits to C for one thread" compile races $digits/digits.onnx --target c --threads 1
check "eight contexts in eight threads, under ThreadSanitizer" under_thread_sanitizer
check "the same C as it is shipped" builds races
check "eight contexts of it: equal bits, no growth" contexts races $((runs * 10)) "$work/races/libm.a" -lm -lpthread
check "digits for oneDNN" compile threads $digits/digits.onnx --threads 1
check "… builds" builds threads
check "eight contexts of oneDNN: equal bits, no growth" contexts threads $((runs)) "$work/threads/libm.a" \
    -L"$onednn/lib" -ldnnl -lstdc++ -lgomp -lm -ldl -lpthread
for folder in races threads; do
    check "the executable measures two contexts at a time ($folder)" \
        eval "'$work/$folder/m' --bench 5 --instances 2 --json | grep -q '\"runs\": 10, \"threads\": 1, \"instances\": 2, \"runs_per_s\": [0-9]'"
done
