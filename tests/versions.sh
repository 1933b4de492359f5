#!/usr/bin/env bash
# Versions of a computation that are chosen by size when a program runs (backend/lower/segmented.c): all of them give
# what sequential C gives. The device is said to be a small or a large one, whose work-items read together or not, so
# that each version runs at small sizes.
#
#   tests/versions.sh
#
# Environment: VERSIONS (of so many combinations of sizes and devices one runs; 1).
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

# typed_values ROWS COLUMNS: matrices of f32, bool and f64, and after the first of them a vector of f32.
typed_values() {
    values "$1" "$2" >"$folder/integers"
    sed -E 's/i64/f32/; s/(-?[0-9]+)([],])/\1.0f32\2/g' "$folder/integers"
    sed -E 's/i64/bool/; s/-?[0-9]*[02468]([],])/true\1/g; s/-?[0-9]+([],])/false\1/g' "$folder/integers" | sed 1q
    sed -E 's/i64/f64/; s/(-?[0-9]+)([],])/\1.0\2/g' "$folder/integers" | sed 1q
}

# real_values ROWS COLUMNS: the same as values, of f64.
real_values() {
    values "$1" "$2" | sed -E 's/i64/f64/; /^empty/!s/(-?[0-9]+)([],])/\1.0\2/g'
}

number=0
# compare_versions NAME LANES...: what the programs $folder/c and $folder/opencl, run with $options, make of $folder/values.
compare_versions() {
    local name=$1 items lanes
    shift
    "$folder/c" $options <"$folder/values" >"$folder/expected" 2>"$folder/errors" || {
        not_ok "versions/$name runs (c)" "$folder/errors"
        return
    }
    for items in $several_items; do
        for lanes in "$@"; do
            number=$((number + 1))
            [ $((number % ${VERSIONS:-1})) -eq 0 ] || continue
            TAILOR_WORK_ITEMS=$items TAILOR_LANES=$lanes "$folder/opencl" $options <"$folder/values" >"$folder/actual" 2>&1
            compare "versions/$name with $items work-items, $lanes together" "$folder/expected" "$folder/actual"
        done
    done
}

# build_versions PROGRAM
build_versions() {
    local options=()
    for backend in c opencl; do
        [ $backend = c ] || options=("$plain_host")
        "$TAILOR" build -b $backend "${options[@]}" "tests/versions/$1.core" -o "$folder/$backend" 2>"$folder/errors" || {
            not_ok "versions/$1 is built ($backend)" "$folder/errors"
            return 1
        }
    done
}

# check PROGRAM SIZES...: sizes are ROWSxCOLUMNS.
check() {
    local program=$1 size options='' several_items='64 3000 100000'
    shift
    build_versions "$program" || return
    for size in "$@"; do
        values "${size%x*}" "${size#*x}" >"$folder/values"
        compare_versions "$program $size" 1 32
    done
}

# check_looking_back PROGRAM SIZES...: by work-groups that wait for others.
check_looking_back() {
    local program=$1 size options='' several_items=100000
    shift
    build_versions "$program" || return
    export TAILOR_SCAN=look-back
    for size in "$@"; do
        values "${size%x*}" "${size#*x}" >"$folder/values"
        compare_versions "$program, looking back $size" 32
    done
    unset TAILOR_SCAN
}

# check_entries MAKER PROGRAM "ENTRIES" SIZES...: with the MAKER's values, by work-items of which $lanes read together.
lanes=32
check_entries() {
    local maker=$1 program=$2 entries=$3 size entry options several_items='64 100000'
    shift 3
    build_versions "$program" || return
    for size in "$@"; do
        "$maker" "${size%x*}" "${size#*x}" >"$folder/values"
        for entry in $entries; do
            options=--entry=$entry
            compare_versions "$program $entry $size" "$lanes"
        done
    done
}

check reductions 3x5 1x5000 2x2500 40x300 300x9 5x70 33x32 0x4 4x0 700x2 1x1
check scans 3x5 1x5000 2x2500 40x300 300x9 5x70 33x32 0x4 4x0 700x2 1x1 2x33000 300x20 21x192 20x193 1100x2 500x7 257x8 5x1000 3x1024 3x1025
check scans_across 3x5 40x300 300x9 33x32 700x2 1x1 0x4 4x0 130x70 260x33
check scans_folded 3x5 2x2500 40x300 300x9 33x32 700x2 1x1 0x4 4x0
check_looking_back scans_folded 2x9000 3x1024 700x5 1100x20 257x40
check_looking_back scans 2x9000 3x1024 1x30000 700x5 5x70 0x1024
check_looking_back scans_across 6000x3 1100x20 600x67 257x40 300x1 2x9000 3x1030 0x4
check groups 3x5 1x64 3x65 2x300 40x512 5x1000 1030x70 2x2048 2x2049 2x4097 0x600 600x0
check_entries values group_loops "main counted total nested scanned between" 3x5 9x65 2x300 4100x9 2x2049 0x600 60x0
check_entries values group_loops "paths powers" 3x5 9x33 2x47 2x70 0x30
check turned 3x5 16x16 17x33 40x300 15x90 90x15 0x40 40x0 1x100
check strips 3x5 1x1 2x2 2x3 2x4 3x8 5x17 0x4 4x0 9x33 1x70
check_entries typed_values wide "main bits ordered tails" 1x5000 7x64 33x34
export TAILOR_KERNELS=gpu TAILOR_MATRIX_UNITS=1
check_entries real_values units "main around batches others special" 0x40 17x65 130x33
export TAILOR_MATRIX_UNITS=0
check_entries real_values units main 50x35
unset TAILOR_MATRIX_UNITS
check_entries values products "main scaled last batches reals" 0x4 17x65 50x35 100x33
unset TAILOR_KERNELS
lanes=1
check_entries values products "main scaled last batches reals" 0x4 9x20 17x65 70x33
