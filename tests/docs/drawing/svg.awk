# What the pictures of docs/pictures/ consist of, for the other files here. Pictures have a ground of their own, so that their text can be read on light and dark pages.
function svg_begin(width, height, title) {
    printf "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 %d %d\" width=\"%d\" height=\"%d\" role=\"img\">\n", width, height, width, height
    printf "<title>%s</title>\n", svg_quoted(title)
    print "<style>"
    print "text { font: 13px sans-serif; fill: #1b1f24; }"
    print ".small { font-size: 11px; }"
    print ".strong { font-weight: bold; }"
    print ".ground { fill: #fcfcfd; stroke: #d0d7de; }"
    print ".plain { fill: #ffffff; stroke: #57606a; }"
    print ".dnnl { fill: #dbeafe; stroke: #1d4ed8; }"
    print ".c { fill: #fef3c7; stroke: #b45309; }"
    print ".group { fill: #f1f3f5; stroke: #57606a; stroke-dasharray: 5 3; }"
    print ".line { fill: none; stroke: #57606a; stroke-width: 1.2; }"
    print "</style>"
    print "<defs><marker id=\"head\" viewBox=\"0 0 8 8\" refX=\"7\" refY=\"4\" markerWidth=\"8\" markerHeight=\"8\" orient=\"auto\"><path d=\"M0 0L8 4L0 8z\" fill=\"#57606a\"/></marker></defs>"
    svg_box(0.5, 0.5, width - 1, height - 1, "ground")
}
function svg_end() { print "</svg>" }
function svg_quoted(s) {
    gsub(/&/, "\\&amp;", s)
    gsub(/</, "\\&lt;", s)
    gsub(/>/, "\\&gt;", s)
    gsub(/"/, "\\&quot;", s)
    return s
}
function svg_box(x, y, width, height, class) {
    printf "<rect x=\"%g\" y=\"%g\" width=\"%g\" height=\"%g\" rx=\"4\" class=\"%s\"/>\n", x, y, width, height, class
}
# anchor: start, middle or end.
function svg_text(x, y, anchor, class, s) {
    printf "<text x=\"%g\" y=\"%g\" text-anchor=\"%s\"%s>%s</text>\n", x, y, anchor, class == "" ? "" : " class=\"" class "\"", svg_quoted(s)
}
function svg_arrow(x1, y1, x2, y2) { printf "<path d=\"M%g %gL%g %g\" class=\"line\" marker-end=\"url(#head)\"/>\n", x1, y1, x2, y2 }
# Down on the right side, around what is between.
function svg_around(x, y1, y2, out) {
    printf "<path d=\"M%g %gC%g %g %g %g %g %g\" class=\"line\" marker-end=\"url(#head)\"/>\n", x, y1, x + out, y1, x + out, y2, x + 3, y2
}
