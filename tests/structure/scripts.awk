# What scripts and build files say when they fail, a line for each: FILE:LINE<tab>TEXT: what stands in quotes behind die, fail, message(FATAL_ERROR, error( or
# abort(), or in a line that ends with >&2. Of what the shell or CMake puts in, $name, $(command) or ${name}, there remains %s.
function say(text) {
    gsub(/\$\{[^}]*\}|\$\([^)]*\)|\$[A-Za-z_0-9*#@?]+/, "%s", text)
    gsub(/\\n/, " ", text)
    print FILENAME ":" FNR "\t" text
}
/^[ \t]*#/ { next }
match($0, /(^|[^a-z_])(die|fail|error|abort|FATAL_ERROR)[ (]*("[^"]*"|'[^']*')/) {
    text = substr($0, RSTART, RLENGTH)
    sub(/^[^"']*["']/, "", text)
    text = substr(text, 1, length(text) - 1)
    say(text)
    next
}
/>&2/ && match($0, /(echo|printf '%s\\n'|say) "[^"]*"/) {
    text = substr($0, RSTART, RLENGTH)
    sub(/^[^"]*"/, "", text)
    sub(/"$/, "", text)
    say(text)
}
