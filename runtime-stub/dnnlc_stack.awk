# How deep the stack of an emitted library can be: awk -v name=NAME -f dnnlc_stack.awk *.ci, of what gcc (from 10 on) writes with
# -fcallgraph-info=su for each of the library's files. Prints a line each for NAME_init, NAME_run and, where there is one, NAME_selftest:
#
#     NAME_run: 312 + (trace) expf memcpy
#
# the bytes of the deepest path through the graph of calls, and what is called besides that was not compiled so: functions of libm, libc
# and libgcc, and whatever function NAME_set_trace was given. Exit status 1, with what and where: recursion, a call through a pointer other
# than that of NAME_trace, a frame whose size is not known when compiling (a VLA, alloca), no such function.
# SPDX-License-Identifier: Apache-2.0
function part(line, key) {
    return match(line, key ": \"[^\"]*\"") ? substr(line, RSTART + length(key) + 3, RLENGTH - length(key) - 4) : ""
}
function fail(what) {
    print "dnnlc_stack.awk: " what > "/dev/stderr"
    failed = 1
    exit 1
}
# A name without what gcc says before it, the file of a static function, and behind it, which copy of the function it is.
function plain(title) {
    sub(/^.*:/, "", title)
    sub(/\..*/, "", title)
    return title
}
# Below a function, or below the copies for several CPUs that stand for it.
function depth(title, path,    i, n, copy, most, below) {
    if (title in frame)
        return below_frame(title, path)
    if (!(plain(title) in copies)) {
        outside[title] = 1
        return 0
    }
    n = split(copies[plain(title)], copy, "\n")
    for (i = 2; i <= n; i++) {
        below = below_frame(copy[i], path)
        most = below > most ? below : most
    }
    return most
}
function below_frame(title, path,    i, n, called, below, most) {
    path = path (path == "" ? "" : ", ") plain(title)
    if (title in open)
        fail(plain(title) " calls itself: " path)
    if (title in known)
        return known[title]
    if (title in dynamic)
        fail(plain(title) " has a frame of no constant size: " path)
    open[title] = 1
    n = split(calls[title], called, "\n")
    for (i = 2; i <= n; i++) {
        if (called[i] == "__indirect_call") {
            if (plain(title) != name "_trace")
                fail(plain(title) " calls through a pointer at " where[title, i] ": " path)
            outside["(trace)"] = 1
            continue
        }
        below = depth(called[i], path)
        most = below > most ? below : most
    }
    delete open[title]
    return known[title] = frame[title] + most
}
function report(root,    list, bytes, function_name) {
    split("", outside)
    split("", known)
    bytes = depth(root, "")
    for (function_name in outside)
        list = sorted(list, function_name)
    print root ": " bytes (list == "" ? "" : " +" list)
}
# The list with one more word, in alphabetical order, whatever the order of awk's arrays is.
function sorted(list, word,    i, n, words, done, result) {
    n = split(list, words, " ")
    for (i = 1; i <= n; i++) {
        if (!done && word < words[i]) {
            result = result " " word
            done = 1
        }
        result = result " " words[i]
    }
    return done ? result : result " " word
}
/^node:/ && /bytes \(/ {
    title = part($0, "title")
    label = part($0, "label")
    if (label ~ /\(dynamic\)|[1-9][0-9]* dynamic objects/)
        dynamic[title] = 1
    match(label, /[0-9]+ bytes \(/)
    frame[title] = substr(label, RSTART, RLENGTH) + 0
    if (plain(title) != title && title !~ /\.resolver$/) # the loader calls those, before
        copies[plain(title)] = copies[plain(title)] "\n" title
}
/^edge:/ {
    from = part($0, "sourcename")
    calls[from] = calls[from] "\n" part($0, "targetname")
    where[from, split(calls[from], called, "\n")] = part($0, "label")
}
END {
    if (failed)
        exit 1
    if (!((name "_init") in frame) || !((name "_run") in frame))
        fail("there is no function " name ((name "_init") in frame ? "_run" : "_init"))
    report(name "_init")
    report(name "_run")
    if ((name "_selftest") in frame)
        report(name "_selftest")
}
