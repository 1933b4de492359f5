#!/usr/bin/env bash
# Versions of a computation that are chosen by size when a program runs (backend/lower/segmented.c): all of them give
# what sequential C gives. The device is said to be a small or a large one, whose work-items read together or not, so
# that each version runs at small sizes.
#
#   tests/versions.sh
set -u
. "$(dirname "$0")/lib.sh"
cd "$root" || exit 2
folder=$(mktemp -d "$TEST_FOLDER/versions.XXXXXX")

# values ROWS COLUMNS: a matrix, and a vector of its columns' number, as values of core.
values() {
    awk -v rows="$1" -v columns="$2" 'BEGIN {
        if (rows * columns == 0) printf "empty([%d][%d]i64)", rows, columns
        for (i = 0; rows * columns > 0 && i < rows; i++) {
            printf i ? ", [" : "[["
            for (j = 0; j < columns; j++) printf "%s%d", j ? ", " : "", (i * 7919 + j * 104729 + i * j) % 23 - 11
            printf "]"
        }
        printf "%s", (rows * columns > 0 ? "]\n[" : "\n[")
        for (j = 0; j < columns; j++) printf "%s%d", j ? ", " : "", j * j % 7 - 3
        print "]"
    }'
}

# check PROGRAM SIZES...: sizes are ROWSxCOLUMNS.
check() {
    local program=$1 size items lanes
    shift
    for backend in c opencl; do
        "$TAILOR" build -b $backend "tests/versions/$program.core" -o "$folder/$backend" 2>"$folder/errors" || {
            not_ok "versions/$program is built ($backend)" "$folder/errors"
            return
        }
    done
    for size in "$@"; do
        values "${size%x*}" "${size#*x}" >"$folder/values"
        "$folder/c" <"$folder/values" >"$folder/expected" 2>"$folder/errors" || {
            not_ok "versions/$program $size runs (c)" "$folder/errors"
            continue
        }
        for items in 64 3000 100000; do
            for lanes in 1 32; do
                TAILOR_WORK_ITEMS=$items TAILOR_LANES=$lanes "$folder/opencl" <"$folder/values" >"$folder/actual" 2>&1
                compare "versions/$program $size with $items work-items, $lanes together" "$folder/expected" "$folder/actual"
            done
        done
    done
}

check reductions 3x5 1x5000 2x2500 40x300 300x9 5x70 33x32 0x4 4x0 700x2 1x1
check scans 3x5 1x5000 2x2500 40x300 300x9 5x70 33x32 0x4 4x0 700x2 1x1 2x33000
check strips 3x5 1x1 2x2 2x3 2x4 3x8 5x17 0x4 4x0 9x33 1x70
