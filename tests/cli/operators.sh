# Sourced by tests/cli/run: docs/operators.md is what the tables of the compiler say.

ends "the list of operators" 0 "$dnnlc" --list-operators
diff docs/operators.md "$work/out"
count "docs/operators.md is not what dnnlc --list-operators writes" $?
says "the list of operators" out '| `HardSwish` | any | itself | floats | eltwise hardswish | yes |'
says "an operator of a newer version" out '| `Resize` | from 11 | '
says "an operator that is refused" out '| `Gradient` | any | refused: derivatives are not taken | | | |'
