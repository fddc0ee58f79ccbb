# Sourced by tests/cli/run: --depfile names every file that was read, with names that Ninja understands.

odd="$work/a \$b #c:d"
mkdir -p "$odd"
printf 'graph "g" {\n input %%x: f32[2,2]\n %%y = Relu(%%x)\n output "y" = %%y\n}\n' >"$odd/small.ir"
"$dnnlc" --list-patterns >"$odd/patterns"
ends "depfile" 0 "$dnnlc" "$odd/small.ir" --patterns "$odd/patterns" --target c -o "$odd/out" --depfile "$work/rule.d"
printf 'rule touch\n  command = touch $out\n  depfile = rule.d\nbuild %s/out/build.ninja: touch\n' \
    "$(printf %s "$odd" | sed 's/[$ :]/$&/g')" >"$work/build.ninja"
ends "depfile is read by Ninja" 0 ninja -C "$work" -d explain
for file in small.ir patterns; do
    ends "after the compilation nothing is to do" 0 ninja -n -C "$work"
    says "after the compilation nothing is to do" out "no work to do"
    touch -d '2 seconds' "$odd/$file"
    ends "when $file changes" 0 ninja -n -C "$work"
    says "when $file changes" out "[1/1] touch"
    touch -d '1 hour ago' "$odd/$file"
done

ends "depfile without a folder" 1 "$dnnlc" "$work/small.ir" --emit text --depfile "$work/rule.d"
says "depfile without a folder" err "--depfile is for what is written into a folder, and --emit writes none"
broken="$work/$(printf 'a\nb').ir"
cp "$work/small.ir" "$broken"
ends "depfile with a line break in a name" 1 "$dnnlc" "$broken" --target c -o "$work/broken" --depfile "$work/rule.d"
says "depfile with a line break in a name" err "--depfile: a file's name has a line break, which a rule cannot have:"
