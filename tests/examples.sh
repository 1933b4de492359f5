#!/usr/bin/env bash
# Example programs, each at the small size of its line `⍝ test: --n=1000`, on every backend: the output
# must be that of its `⍝ gives:` lines, or else the interpreter's; doubles may differ by 1e-9, relatively.
# A line `⍝ input: SCRIPT` names what makes the program's input files.
#
#   tests/examples.sh [FILE...]
set -u
. "$(dirname "$0")/lib.sh"
cd "$root" || exit 2

make_input() {
    local script
    script=$(header input "$1")
    [ -z "$script" ] || "./$script"
}

# run_example FILE BACKEND OUTPUT-FILE
run_example() {
    # shellcheck disable=SC2046
    timeout "$TIME_LIMIT" "$TAILOR" run -b "$2" --verify-each "$1" -- $(header test "$1") \
        >"$3.raw" 2>"$3.errors" </dev/null
    local code=$?
    strip_blanks <"$3.raw" >"$3"
    return $code
}

test_example() {
    local file=$1 name=examples/$(basename "$1" .apl) folder backend
    folder=$(mktemp -d "$TEST_FOLDER/example.XXXXXX")
    if ! grep -q '^⍝ test:' "$file"; then
        not_ok "$name has no line '⍝ test: ARGUMENTS'"
        return
    fi
    if ! make_input "$file" >"$folder/log" 2>&1; then
        not_ok "$name: its input cannot be made" "$folder/log"
        return
    fi
    sed -n 's/^⍝ gives: \{0,1\}//p' "$file" | strip_blanks >"$folder/expected"
    for backend in ${BACKENDS:-interp c opencl}; do
        if ! run_example "$file" "$backend" "$folder/$backend"; then
            not_ok "$name ($backend)" "$folder/$backend.errors"
            continue
        fi
        [ -s "$folder/expected" ] || cp "$folder/$backend" "$folder/expected"
        compare "$name ($backend)" "$folder/expected" "$folder/$backend" 1e-9
    done
    rm -rf "$folder"
}

[ $# -gt 0 ] || set -- apl-examples/*.apl
for file in "$@"; do
    test_example "$file"
done
