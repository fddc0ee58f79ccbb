# The literals of C sources by which something is said, a line for each: FILE:LINE<tab>TEXT. Literals that follow one another are one text; PRId64 and its like are
# conversions as others are. Called with
#   all=1        every literal;
#   WORDS=RE     those in a call of a function of such a name, at any depth; of fprintf and fputs, if these write to stderr;
#   REASONS=RE   those that are returned, or assigned to what has such a name, as they are or formatted, if they have several words.
function say(text, at) { print FILENAME ":" at "\t" text }
# What a text stands in: the calls around it, and how the statement begins.
function told(    i) {
    for (i = depth; i > 0; i--)
        if (name[i] ~ WORDS) return 1
        else if (name[i] == "fprintf" || name[i] == "fputs") return 2
        else if (name[i] != "" && name[i] !~ /^(arena_printf|_)$/) break
    if (REASONS == "" || i > 0 || text !~ /[a-z] [a-z]/) return 0
    return first == "return" || assigned ~ REASONS
}
function end_text(    how) {
    if (text == "") return
    how = all ? 1 : told()
    if (how == 1) say(text, at)
    if (how == 2) { held[++n_held] = text; held_at[n_held] = at }
    text = ""
}
function end_statement(    i) {
    for (i = 1; i <= n_held; i++) if (to_stderr) say(held[i], held_at[i])
    n_held = to_stderr = 0
    first = assigned = word = ""
}
FNR == 1 { depth = n_held = to_stderr = open = comment = 0; text = first = assigned = word = "" }
{
    line = $0
    sub(/^[ \t]+/, "", line)
    if (!open && !comment && line ~ /^#/ && line !~ /^#define/) next
    for (i = 1; i <= length(line); i++) {
        c = substr(line, i, 1)
        if (open) {
            if (c == "\\") { i++; c = substr(line, i, 1); text = text (c == "n" || c == "t" ? " " : c) }
            else if (c == "\"") open = 0
            else text = text c
            continue
        }
        rest = substr(line, i, 2)
        if (comment) { if (rest == "*/") { comment = 0; i++ } continue }
        if (rest == "/*") { comment = 1; i++; continue }
        if (rest == "//") break
        if (c == "'") { i += substr(rest, 2, 1) == "\\" ? 3 : 2; continue }
        if (c == "\"") { open = 1; if (text == "") at = FNR; continue }
        if (c == " " || c == "\t" || c == "\\") continue
        if (c ~ /[A-Za-z_]/) {
            match(substr(line, i), /^[A-Za-z_][A-Za-z_0-9]*/)
            word = substr(line, i, RLENGTH)
            i += RLENGTH - 1
            if (word ~ /^PRI/) { text = text "d"; continue }
            end_text()
            if (first == "") first = word
            if (word == "stderr") to_stderr = 1
            continue
        }
        end_text()
        if (c == "(") { name[++depth] = word; word = "" }
        else if (c == ")") { if (depth > 0) depth--; word = "" }
        else if (c == "=" && !depth && substr(line, i + 1, 1) != "=" && substr(line, i - 1, 1) !~ /[!<>=]/) { assigned = word; word = "" }
        else if (c ~ /[;{}]/) { if (c != ";") depth = 0; if (!depth) end_statement() }
        else if (c !~ /[A-Za-z0-9_]/) word = ""
    }
    if (all && !open && line !~ /["\\]$|PRI[a-z0-9A-Z]*$/) end_text()
}
