# A graph before and after partition, of its text after that pass: on the left its nodes, on the right the same in their composites and regions.
/^  input/ { name = $2; sub(/:.*/, "", name); row[name] = ++n; title[n] = "input " name }
/^  %/ {
    name = $1
    sub(/:.*/, "", name)
    operands = $0
    sub(/^.* = [A-Za-z]*\(/, "", operands)
    sub(/\).*/, "", operands)
    op = $0
    sub(/^.* = /, "", op)
    sub(/\(.*/, "", op)
    row[name] = ++n
    title[n] = op
    region[n] = match($0, /@region=[0-9]+/) ? substr($0, RSTART + 8, RLENGTH - 8) : ""
    composite[n] = match($0, /@composite=[0-9]+/) ? substr($0, RSTART + 11, RLENGTH - 11) : ""
    k = split(operands, o, ", ")
    for (i = 1; i <= k; i++) if (o[i] in row) { from[++edges] = row[o[i]]; to[edges] = n }
}
/^  composite/ { split($0, word, "\""); called[$2] = word[2] }
/^  region/ { target[$2] = $3 }
/^  output/ { row["out"] = ++n; title[n] = "output"; from[++edges] = row[$4]; to[edges] = n }
function top(i) { return 14 + 46 * i }
# The nodes with arrows between them, those of one target in its colour, or all alike.
function nodes(x, coloured,    i) {
    for (i = 1; i <= n; i++) {
        svg_box(x, top(i), 120, 26, coloured && region[i] != "" ? target[region[i]] : "plain")
        svg_text(x + 60, top(i) + 17, "middle", "", title[i])
    }
    for (i = 1; i <= edges; i++)
        if (to[i] == from[i] + 1) svg_arrow(x + 60, top(from[i]) + 26, x + 60, top(to[i]) - 1)
        else svg_around(x + 120, top(from[i]) + 13, top(to[i]) + 13, 26)
}
# A frame around rows that have one number, with its name beside it.
function frames(numbers, x, width, pad, class, named,    i, k) {
    for (i = 1; i <= n; i = k) {
        for (k = i + 1; k <= n && numbers[k] == numbers[i]; k++) ;
        if (numbers[i] == "") continue
        svg_box(x, top(i) - pad, width, top(k - 1) - top(i) + 26 + 2 * pad, class)
        if (named) svg_text(x + width + 8, top(i) + 16, "start", "small", "region " numbers[i] ", " (target[numbers[i]] == "c" ? "C" : "oneDNN"))
        else if (numbers[i] in called) svg_text(x - 20, top(i) + 16, "end", "small", called[numbers[i]])
    }
}
END {
    svg_begin(700, top(n) + 46, "A graph before and after partition")
    svg_text(120, 34, "middle", "strong", "before")
    svg_text(470, 34, "middle", "strong", "after")
    nodes(60, 0)
    frames(region, 388, 184, 9, "group", 1)
    frames(composite, 402, 136, 5, "plain", 0)
    nodes(410, 1)
    svg_end()
}
