#!/usr/bin/env bash
# Example programs, each at the small size of its line `⍝ test: --n=1000`, on every backend: the output
# must be that of its `⍝ gives:` lines, or else the interpreter's; doubles may differ by 1e-9, relatively.
# A line `⍝ input: SCRIPT` names what makes the program's input files. Where tests are in oclgrind, the kernels of GPUs are
# there (oclgrind.sh), and those of processors here.
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
    local options=(-b "$2" --verify-each --prove-races)
    [ "$2" != opencl ] || options+=("$plain_host")
    # shellcheck disable=SC2046
    "$TAILOR" run "${options[@]}" "$1" -- $(header test "$1") \
        >"$3.raw" 2>"$3.errors" </dev/null
    local code=$?
    strip_blanks <"$3.raw" >"$3"
    return $code
}

# test_backend BACKEND WORDS: of the example in $file.
test_backend() {
    if ! run_example "$file" "$1" "$folder/$1"; then
        not_ok "$name ($2)" "$folder/$1.errors"
        return
    fi
    [ -s "$folder/expected" ] || cp "$folder/$1" "$folder/expected"
    compare "$name ($2)" "$folder/expected" "$folder/$1" 1e-9
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
        [ "$backend" = opencl ] && off_device || test_backend "$backend" "$backend"
        [ "$backend" != opencl ] || TAILOR_KERNELS=cpu test_backend opencl 'opencl on processors'
    done
    rm -rf "$folder"
}

[ $# -gt 0 ] || set -- apl-examples/*.apl
for file in "$@"; do
    test_example "$file"
done
