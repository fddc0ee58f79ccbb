# The deepest stack below a function: awk -v root=NAME_run -f stack.awk *.ci, of what gcc writes with -fcallgraph-info=su. Prints the
# bytes, then what is called that was not compiled with it (libm, libc, whoever set a trace function). Exit status 1: recursion, a
# frame whose size is not known when compiling (a VLA, alloca), or no such function.
# SPDX-License-Identifier: Apache-2.0
function part(line, key) {
    return match(line, key ": \"[^\"]*\"") ? substr(line, RSTART + length(key) + 3, RLENGTH - length(key) - 4) : ""
}
function fail(what) {
    print "stack.awk: " what > "/dev/stderr"
    failed = 1
    exit 1
}
function depth(name,    i, n, called, below, most) {
    if (!(name in frame)) {
        outside[name] = 1
        return 0
    }
    if (name in known)
        return known[name]
    if (name in open)
        fail(name " calls itself")
    open[name] = 1
    n = split(calls[name], called, "\n")
    for (i = 1; i <= n; i++) {
        below = called[i] == "" ? 0 : depth(called[i])
        most = below > most ? below : most
    }
    delete open[name]
    return known[name] = frame[name] + most
}
/^node:/ && /bytes \(/ {
    name = part($0, "title")
    label = part($0, "label")
    if (label ~ /dynamic\)|dynamic,bounded|[1-9][0-9]* dynamic objects/)
        fail(name " has a frame of no constant size")
    match(label, /[0-9]+ bytes \(/)
    frame[name] = substr(label, RSTART, RLENGTH) + 0
}
/^edge:/ { calls[part($0, "sourcename")] = calls[part($0, "sourcename")] "\n" part($0, "targetname") }
END {
    if (failed)
        exit 1
    if (!(root in frame))
        fail("there is no function " root)
    printf "%d", depth(root)
    for (name in outside)
        list = list " " (name == "__indirect_call" ? "(trace)" : name)
    print (list ? " +" list : "")
}
