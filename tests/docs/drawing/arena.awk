# The arena over time, of a program's text: each buffer from the step that writes it to the last that reads it, at its place.
/^  memory/ { sub(/.*workspace=/, ""); workspace = $1 + 0 }
/^  buffer b[0-9]+ arena/ && / at [0-9]+ live / {
    type = $0
    sub(/^.*: /, "", type)
    bytes = type ~ /^u8/ ? 1 : 4
    sub(/^[a-z0-9]*\[/, "", type)
    sub(/\].*/, "", type)
    k = split(type, dim, ",")
    for (i = 1; i <= k; i++) bytes *= dim[i]
    size[++n] = bytes
    scratch[n] = / _: u8/
    for (i = 1; i <= NF; i++) {
        if ($i == "at") at[n] = $(i + 1)
        if ($i == "live") { first[n] = $(i + 1); last[n] = $(i + 3) }
    }
    shape[n] = type
    gsub(/,/, "×", shape[n])
}
/^    step/ { step[steps++] = $2 }
function y_of(offset) { return 40 + 300 * (1 - offset / workspace) }
END {
    wide = 58
    svg_begin(96 + wide * steps, 420, "The arena over time")
    svg_text(16, 26, "start", "strong", sprintf("%.1f KiB, a buffer from the step that writes it to the last that reads it", workspace / 1024))
    svg_box(72, 40, wide * steps, 300, "plain")
    for (i = 0; i < steps; i++) {
        printf "<path d=\"M%g 40V344\" class=\"line\" stroke-opacity=\"0.25\"/>\n", 72 + wide * i
        printf "<text transform=\"translate(%g 354) rotate(40)\" class=\"small\">%s</text>\n", 72 + wide * i + wide / 2 - 8, svg_quoted(step[i])
    }
    for (k = 0; k <= 4; k++) svg_text(66, y_of(workspace * k / 4) + 4, "end", "small", sprintf("%.0f KiB", workspace * k / 4096))
    for (i = 1; i <= n; i++) {
        x = 72 + wide * first[i] + 2
        height = y_of(at[i]) - y_of(at[i] + size[i])
        width = wide * (last[i] - first[i] + 1) - 4
        printf "<rect x=\"%g\" y=\"%.1f\" width=\"%g\" height=\"%.1f\" rx=\"2\" class=\"%s\"/>\n", x, y_of(at[i] + size[i]), width, height < 2 ? 2 : height, scratch[i] ? "c" : "dnnl"
        if (height > 14 && width > 90) svg_text(x + width / 2, y_of(at[i]) - height / 2 + 4, "middle", "small", shape[i])
        else if (height > 14 && scratch[i]) svg_text(x + width / 2, y_of(at[i]) - height / 2 + 4, "middle", "small", "scratch")
    }
    svg_end()
}
