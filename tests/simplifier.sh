#!/usr/bin/env bash
# What the simplifier's text tests cannot say one by one:
# - every rule of core/simplify/rules.def is applied in one of tests/text/simplify/, fuse/, flatten/, in-place/ and in-turn/, as
#   --explain says;
# - after it, no assertion stands inside a loop or a function of a SOAC of the nine example programs, nor of the
#   papers' matrix multiplication.
#
#   tests/simplifier.sh
set -u
. "$(dirname "$0")/lib.sh"
cd "$root" || exit 2
folder=$(mktemp -d "$TEST_FOLDER/simplifier.XXXXXX")

# "   3  name [source]" lines of all text tests.
for file in tests/text/simplify/*.core tests/text/fuse/*.core tests/text/flatten/*.core tests/text/in-place/*.core tests/text/in-turn/*.core; do
    command=$(sed -n '1s/^-- run: *//p' "$file")
    # The command is a list of words.
    # shellcheck disable=SC2086
    "$TAILOR" $command --explain "$file" 2>&1 >/dev/null
done | sed -n 's/^ *[0-9][0-9]*  \(.*\) \[.*\]$/\1/p' | sort -u >"$folder/applied"
sed -n 's/^CORE_RULE([A-Z_]*, "\([^"]*\)".*/\1/p' core/simplify/rules.def >"$folder/rules"
while IFS= read -r rule; do
    if grep -qxF -e "$rule" "$folder/applied"; then
        ok "simplifier/$rule"
    else
        not_ok "simplifier/no test of the rule: $rule"
    fi
done <"$folder/rules"

# Prints the assertions inside loops and functions: braces after `do` and `->`; those after `then` and `else`
# are branches.
inner_assertions() {
    awk '{
        line = $0
        gsub(/"([^"\\]|\\.)*"/, "\"\"", line)
        count = split(line, part, /[{}]/)
        for (i = 1; i <= count; i++) {
            if (inside > 0 && part[i] ~ /= (<[^>]*> )?assert /) print
            at += length(part[i]) + 1
            brace = substr(line, at, 1)
            if (brace == "{") {
                repeats[++depth] = part[i] ~ /(do|->) $/
                inside += repeats[depth]
            } else if (brace == "}") {
                inside -= repeats[depth--]
            }
        }
        at = 0
    }' "$1"
}

check_inner() {
    local name=simplifier/no\ check\ inside\ $(basename "$1") core=$folder/program.core
    if ! "$TAILOR" emit --to=core -o "$core" "$1" 2>"$folder/errors" ||
        ! "$TAILOR" opt --passes=inline,simplify -o "$folder/simple.core" "$core" 2>"$folder/errors"; then
        not_ok "$name" "$folder/errors"
        return
    fi
    inner_assertions "$folder/simple.core" >"$folder/inner"
    if [ -s "$folder/inner" ]; then not_ok "$name" "$folder/inner"; else ok "$name"; fi
}

for program in integral signal life easter blackscholes sobol-pi hotspot mandelbrot-inside mandelbrot-outside; do
    check_inner "apl-examples/$program.apl"
done
check_inner tests/run/paper_matrix_multiplication.core

# The script would see one: a check of every element.
cat >"$folder/checked.core" <<'END'
entry fun main (n : i64, is : [n]i64, xs : [n]i64) : ([n]i64) =
  let (ys : [n]i64) = map n (is) (\(i : i64) -> {
    let (p : bool) = i < n
    let (c : cert) = assert p "INDEX ERROR" "{} of {}" (i, n)
    let (x : i64) = <c> xs[i]
    in (x)
  })
  in (ys)
END
"$TAILOR" opt --passes=inline,simplify -o "$folder/simple.core" "$folder/checked.core"
if [ -n "$(inner_assertions "$folder/simple.core")" ]; then
    ok 'simplifier/a check inside is seen'
else
    not_ok 'simplifier/a check inside is seen' "$folder/simple.core"
fi
