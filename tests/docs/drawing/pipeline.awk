# The way of a model, of passes/pass_table.c: the passes in their order, in three groups by what they make.
/^const PassInfo pass_table/ { inside = 1; next }
/^};/ { inside = 0 }
inside && /^    \{"/ { split($0, word, "\""); name[++n] = word[2] }
inside && /makes = COL_|run_program/ && !first[kind = /run_program/ ? 3 : 2] { first[kind] = n }
function stage(x, title, under) {
    svg_box(x, 24, 118, 46, "plain")
    svg_text(x + 59, 44, "middle", "strong", title)
    svg_text(x + 59, 60, "middle", "small", under)
}
function step(x, s) {
    svg_arrow(x, 47, x + 62, 47)
    svg_text(x + 30, 40, "middle", "small", s)
}
# The passes from `from` to `to`, below where they stand in the way.
function passes(x, from, to, title,    i) {
    svg_box(x, 104, 178, 30 + 17 * (to - from + 1), "group")
    svg_text(x + 89, 122, "middle", "strong", title)
    for (i = from; i <= to; i++) svg_text(x + 89, 142 + 17 * (i - from), "middle", "small", name[i])
}
END {
    if (!first[2] || !first[3]) exit 1
    most = first[2] - 1
    svg_begin(894, 152 + 17 * most, "The way of a model through the compiler")
    stage(16, "model.onnx", "or text")
    step(137, "import")
    stage(202, "graph", "text, ONNX, DOT")
    step(323, "passes")
    stage(388, "graph, columns", "text")
    step(509, "lower")
    stage(574, "program", "text")
    step(695, "emit")
    stage(760, "C, weights", "ninja makes the rest")
    passes(172, 1, first[2] - 1, "the graph is rewritten")
    passes(358, first[2], first[3] - 1, "columns are filled")
    passes(544, first[3], n, "the program is made")
    svg_arrow(261, 102, 261, 76)
    svg_arrow(447, 102, 447, 76)
    svg_arrow(633, 102, 633, 76)
    svg_end()
}
