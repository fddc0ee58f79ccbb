# Sourced by tests/cli/run: the manual page of dnnlc has its options, with their arguments, and no others; what checks that finds what is not so.
# That of emitted folders is compared by tests/cli/installed, which builds one.

page=docs/man/dnnlc.1
export PAGES=docs/man/dnnlc-emitted.7
helps=
for command in '' $("$dnnlc" --help | sed -n '/^Subcommands/,/^$/s/^  \([a-z-]*\) .*/\1/p'); do
    "$dnnlc" $command --help >"$work/help.$command"
    helps="$helps $work/help.$command"
    grep -q "^\.BI* \"*$command" $page || [ -z "$command" ]
    count "$page says nothing of dnnlc $command" $?
done
# shellcheck disable=SC2086 # a list of files
ends "the options of $page" 0 tests/cli/same-options $page $helps
for page in docs/man/*; do
    grep -q "^\.TH [^ ]* [1-8] \"\" \"dnnlc $("$dnnlc" --version | sed 's/dnnlc \([^,]*\),.*/\1/')\"" "$page"
    count "$page is of another version" $?
done

# The check itself, on pages that are wrong.
sed '/^\.BI \\-\\-threads/,/^\.TP/d' docs/man/dnnlc.1 >"$work/lacks.1"
ends "a page that lacks an option" 1 tests/cli/same-options "$work/lacks.1" $helps
says "a page that lacks an option" out "there is no paragraph for --threads N"
sed 's/^\.BI \\-\\-threads .*/.BI \\-\\-threads " COUNT"/' docs/man/dnnlc.1 >"$work/argument.1"
ends "a page with another argument" 1 tests/cli/same-options "$work/argument.1" $helps
says "a page with another argument" out "--help does not list --threads COUNT"
{ cat docs/man/dnnlc.1 && echo 'As does \-\-quickly.'; } >"$work/more.1"
ends "a page that mentions what is not there" 1 tests/cli/same-options "$work/more.1" $helps
says "a page that mentions what is not there" out "mentions --quickly, which is no option"

# Warnings of groff, or of man's own.
if command -v groff >/dev/null; then
    for page in docs/man/*; do
        ends "groff reads $page" 0 groff -Tutf8 -man -ww -z "$page"
        [ ! -s "$work/out" ] && [ ! -s "$work/err" ]
        status=$?
        [ $status = 0 ] || cat "$work/err"
        count "groff warns of $page" $status
    done
    printf '.TH X 1\n.SH NAME\nx \\(no such\n.XX\n' >"$work/bad.1"
    ends "groff warns of what is wrong" 0 groff -Tutf8 -man -ww -z "$work/bad.1"
    says "groff warns of what is wrong" err "warning"
else
    skip "warnings of manual pages, since groff is not installed"
fi
