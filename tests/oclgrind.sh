#!/usr/bin/env bash
# Example programs at the small sizes of their lines `⍝ test:` under oclgrind, which looks at each access of each
# kernel: none out of bounds, no misuse of OpenCL, the right output. Races within a
# work-group are reported of all kernels, those between work-groups of all but reductions and single-pass scans: there the
# last group reads what the others stored before a fence, which oclgrind does not follow.
#
#   tests/oclgrind.sh [FILE]    without one: what is left out of oclgrind's findings is no more than that
set -u
. "$(dirname "$0")/lib.sh"
cd "$root" || exit 2

# What oclgrind says in OUTPUT, without races of kernels that count their groups, where two groups meet in global memory:
# work-items of one group, and local memory, are looked at there, too.
findings() {
    awk 'function flush() { if (text != "" && !(counts && between)) printf "%s", text; text = group = ""; counts = between = 0 }
         /^Read-write data race|^Write-write data race|^Invalid|^Oclgrind|^Work-group divergence|^OpenCL/ {
             flush(); inside = 1; global = / data race at global memory/ }
         /^[^ \t]/ && text != "" && !/^[A-Z][a-z]+-write|^Invalid|^Oclgrind|^Work-group|^OpenCL/ { inside = 0 }
         inside { text = text $0 "\n"; if ($0 ~ /Kernel: +(reduce|scan|segments)_/) counts = global }
         inside && match($0, /Group\([0-9,]*\)/) {
             own = substr($0, RSTART, RLENGTH); if (group != "" && own != group) between = 1; group = own }
         END { flush() }' "$1"
}

# It would see races of one group, and sees none but them.
example() {
    printf 'Read-write data race at %s memory address 0x1\n\tKernel: reduce_v_1\n\t\n' "$1"
    printf '\tFirst entity:  Global(1,0,0) Local(1,0,0) Group(%d,0,0)\n\t  load\n\t\n\tSecond entity: Global(2,0,0) Local(2,0,0) Group(%d,0,0)\n\t  store\n\n' "$2" "$3"
}

command -v oclgrind >/dev/null || { echo "there is no oclgrind" >&2; exit 2; }
log=$(mktemp)
trap 'rm -f "$log" "$log".*' EXIT
file=${1:-}
if [ -z "$file" ]; then
    { example global 0 1; example global 3 3; example local 2 2; example global 4 7; } >"$log"
    if [ "$(findings "$log" | grep -oE 'Group\([0-9]' | uniq | tr -d '\n')" = 'Group(3Group(2' ]; then
        ok 'oclgrind/races within a group are seen'
    else
        findings "$log" >"$log.found"
        not_ok 'oclgrind/races within a group are seen' "$log.found"
    fi
    exit
fi
name=oclgrind/$(basename "$file" .apl)
script=$(header input "$file")
[ -z "$script" ] || "./$script" >/dev/null
# shellcheck disable=SC2046
TAILOR_CACHE=$log.cache oclgrind --check-api --data-races --log "$log" \
    "$TAILOR" run -b opencl "$plain_host" "$file" -- $(header test "$file") >"$log.out" 2>"$log.err" </dev/null
code=$?
findings "$log" >"$log.found"
sed -n 's/^⍝ gives: \{0,1\}//p' "$file" | strip_blanks >"$log.expected"
strip_blanks <"$log.out" >"$log.actual"
if [ $code -ne 0 ]; then
    not_ok "$name" "$log.err"
elif [ -s "$log.found" ]; then
    not_ok "$name" "$log.found"
else
    # shellcheck disable=SC2046
    [ -s "$log.expected" ] || "$TAILOR" run -b interp "$file" -- $(header test "$file") 2>&1 </dev/null | strip_blanks >"$log.expected"
    compare "$name" "$log.expected" "$log.actual" 1e-9
fi
rm -rf "$log.cache"
