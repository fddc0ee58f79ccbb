# Sourced by tests/cli/run: what goes wrong around the model: memory, output, measured times.

printf 'graph "g" {\n input %%x: f32[64,64]\n const %%w: f32[64,64] = random(seed=1, scale=1)\n %%y = MatMul(%%x, %%w)\n output "y" = %%y\n}\n' >"$work/product.ir"
ends "too little memory" 1 "$dnnlc" samples/digits/digits.onnx --max-memory 1 --target c -o "$work/none"
says "too little memory" err "dnnlc: more than 1 MiB of memory are wanted, which is much for this model; --max-memory MIB sets another bound"
# How much the system has to leave depends on the machine: with some amount there is too little for the model.
for kib in $(seq 5000 500 20000); do
    (ulimit -v "$kib" && "${dnnlc%/*}/dnnlc-c" samples/digits/digits.onnx --target c -o "$work/none") 2>&1 | grep '^dnnlc: out of memory ([0-9]* more bytes wanted)$' && break
done >"$work/out"
says "no memory" out "dnnlc: out of memory ("
ends "help into a full disk" 1 sh -c '"$1" --help >/dev/full' sh "$dnnlc"
says "help into a full disk" err "dnnlc: the output could not be written"
ends "times without a home" 0 env -u HOME -u XDG_CACHE_HOME "$dnnlc" "$work/product.ir" --tune -o "$work/tuned"
says "times without a home" err "dnnlc: the measured times are not kept: there is no home folder"
ends "a report over a folder" 1 "$dnnlc" "$work/small.ir" --target c --report "$work" -o "$work/none"
says "a report over a folder" err "--report $work: is a directory"
ends "a search of variants" 1 "$dnnlc" samples/digits/digits.onnx --shape image=1x1x28x28,2x1x28x28 --tune=1s -o "$work/none"
says "a search of variants" err "--tune=SECONDS takes a model of one size, and this one has 2 variants"
