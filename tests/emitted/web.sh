# Sourced by tests/emitted/run: samples/web serves its page and answers; a browser draws on it. SPDX-License-Identifier: Apache-2.0

# The program on a free port: $url and $server, its process.
starts() {
    build/samples/web/web 0 >"$work/said" 2>&1 &
    server=$!
    for _ in $(seq 100); do
        url=$(sed -n 's/^\(http:.*\/\) .*/\1/p' "$work/said")
        [ -z "$url" ] || return 0
        sleep 0.1
    done
    return 1
}

# status STATUS TEXT CURL'S ARGUMENTS: the program answers with that status and says so.
status() {
    want=$1 text=$2
    shift 2
    got=$(curl -s -m 20 -o "$work/body" -w '%{http_code}' "$@") || return 1
    cat "$work/body"
    [ "$got" = "$want" ] || { echo "status $got, not $want"; return 1; }
    grep -aqF -- "$text" "$work/body"
}

pgm() { printf 'P5 %s %s 255\n' "$1" "$2"; head -c $(($1 * $2)) /dev/zero | tr '\0' '\377'; }

# What the sample pictures are, four at a time over and over: connections do not get into each other's way.
answers_many() {
    for round in 1 2 3; do
        printf '%s\n' $digits/pictures/*.pgm |
            xargs -P 4 -I PICTURE sh -c 'printf "%s %s\n" "$(basename "$1")" "$(curl -s -m 20 --data-binary "@$1" "$2"digit)"' - PICTURE "$url" |
            sort >"$work/answers$round"
    done
    cat "$work/answers1"
    cmp "$work/answers1" "$work/answers2" && cmp "$work/answers1" "$work/answers3" &&
        [ "$(grep -c '^\([0-9]\)_.*{"digit":\1,"probabilities":\[' "$work/answers1")" = "$(ls $digits/pictures/*.pgm | wc -l)" ]
}

refuses_bad_requests() {
    pgm 28 28 >"$work/blank.pgm"
    printf 'P5 28 28 255\n1234' >"$work/short.pgm"
    printf 'P5 0 28 255\n1234' >"$work/none.pgm"
    printf 'P5 99999 99999 255\n1234' >"$work/huge.pgm"
    pgm 800 400 >"$work/large.pgm"
    status 200 'Draw a digit' "$url" &&
        status 400 'one grey only' --data-binary "@$work/blank.pgm" "${url}digit" &&
        status 400 'the file is cut short or a grey value is out of range' --data-binary "@$work/short.pgm" "${url}digit" &&
        status 400 'zero or too large' --data-binary "@$work/none.pgm" "${url}digit" &&
        status 400 'zero or too large' --data-binary "@$work/huge.pgm" "${url}digit" &&
        status 400 'not a PGM picture' --data-binary "@/bin/sh" "${url}digit" &&
        status 400 'not a PGM picture' --data-binary '' "${url}digit" &&
        status 413 'the picture is too large' -H Expect: --data-binary "@$work/large.pgm" "${url}digit" &&
        status 413 'too large' -H Expect: -H 'Transfer-Encoding: chunked' --data-binary "@$work/large.pgm" "${url}digit" &&
        status 404 'there are GET / and POST /digit' "${url}../../etc/passwd" &&
        status 404 'there are GET / and POST /digit' --path-as-is "${url}../../etc/passwd" &&
        status 404 'there are GET /' "${url}digit" && status 404 'there are GET /' -X PUT --data-binary x "$url" &&
        status 200 '{"digit":3,' --data-binary @$digits/pictures/3_serif.pgm "${url}digit"
}

# Nobody else is asked to listen: another address of this machine gets no connection.
listens_to_this_machine_only() { ! curl -s -m 5 "$(echo "$url" | sed 's/127.0.0.1/127.0.0.2/')"; }

bad_usage() {
    for arguments in 70000 x -1 '8080 more'; do
        # shellcheck disable=SC2086 # words
        refused 2 build/samples/web/web $arguments && said 'usage: web [PORT]   8080, on 127.0.0.1; port 0 is a free one' || return 1
    done
    refused 1 build/samples/web/web "$(echo "$url" | sed 's/.*:\([0-9]*\).*/\1/')" && said 'web: port ' && said ' cannot be listened on'
}

ends() {
    for _ in $(seq 100); do
        kill -0 "$server" 2>/dev/null || break
        sleep 0.1
    done
    wait "$server" && [ "$(tail -n 1 "$work/said")" = stopped ]
}

if pkg-config --exists libmicrohttpd && command -v curl >/dev/null; then
    check "samples/web is built" ninja -f samples/web/build.ninja
    check "samples/web starts on a free port" starts
    check "samples/web answers four at a time" answers_many
    check "samples/web refuses bad requests and goes on" refuses_bad_requests
    check "samples/web listens to this machine only" listens_to_this_machine_only
    check "samples/web says how it is called" bad_usage
    if command -v chromium >/dev/null && command -v python3 >/dev/null; then
        check "samples/web's page in a browser" timeout 100 python3 tests/emitted/web.py "$url" "$server" "$work"
    else
        skip "samples/web's page: no chromium or python3"
    fi
    kill -s INT "$server" 2>/dev/null
    check "samples/web ends cleanly" ends
else
    skip "samples/web: no libmicrohttpd-dev or curl"
fi
