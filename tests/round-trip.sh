#!/usr/bin/env bash
# TAIL as text: what `emit --to=tail` prints of a program reads back as the same program, with
# instance lists and without (when they are inferred), and what was read back runs as the program does.
#
#   tests/round-trip.sh FILE...
set -u
. "$(dirname "$0")/lib.sh"

emit() {
    "$TAILOR" emit --to=tail "$@"
}

# run PROGRAM OUTPUT: standard output and the exit code; data files are named relative to the folder.
run() {
    # shellcheck disable=SC2086
    "$TAILOR" run -b interp --verify-each "$1" -- $arguments >"$2" 2>"$2.errors" </dev/null
    echo "exit code $?" >>"$2"
}

# What the program's headers say: first backends, input, args and test.
read_headers() {
    local headers
    mapfile -t headers < <(with_comments "$1" | awk 'match($0, /^(⍝|--) [a-z]+: */) && !($2 in values) {
            values[$2] = substr($0, RLENGTH + 1) }
        END { print values["backends:"]; print values["input:"]; print values["args:"] values["test:"] }')
    only=${headers[0]} input=${headers[1]} arguments=${headers[2]}
}

test_round_trip() {
    local file=$1 name=round-trip/${1##*/} only input
    read_headers "$file"
    cd "$root" || return
    [ -z "$input" ] || "./$input" >/dev/null
    case $file in */tests/run/*) cd "${file%/*}" || return ;; esac
    if ! emit "$file" -o "$printed/full.tail" 2>"$printed/errors" ||
        ! emit "$printed/full.tail" -o "$printed/full-again.tail" 2>"$printed/errors" ||
        ! emit --no-instances "$file" -o "$printed/short.tail" 2>"$printed/errors" ||
        ! emit "$printed/short.tail" -o "$printed/inferred.tail" 2>"$printed/errors"; then
        not_ok "$name" "$printed/errors"
        return
    fi
    compare "$name: read back" "$printed/full.tail" "$printed/full-again.tail"
    compare "$name: instances inferred" "$printed/full.tail" "$printed/inferred.tail"
    case " ${only:-interp} " in *' interp '*)
        run "$file" "$printed/expected"
        run "$printed/full.tail" "$printed/actual"
        compare "$name: runs the same" "$printed/expected" "$printed/actual"
        ;;
    esac
}

printed=$(mktemp -d "$TEST_FOLDER/round-trip.XXXXXX")
for file in "$@"; do
    test_round_trip "$file"
done
rm -rf "$printed"
