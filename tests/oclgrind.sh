#!/usr/bin/env bash
# Example programs at the small sizes of their lines `⍝ test:` under oclgrind, which looks at each access of each
# kernel: none out of bounds, none to what was never written, no misuse of OpenCL, the right output. Races between work-groups are
# reported of all but reductions and single-pass scans: there the last group reads what the others
# stored before a fence, which oclgrind does not follow. Minutes; not among `make check`.
#
#   tests/oclgrind.sh [FILE...]
set -u
. "$(dirname "$0")/lib.sh"
cd "$root" || exit 2

# What oclgrind says in OUTPUT, without races of kernels that count their groups.
findings() {
    awk '/^Read-write data race|^Write-write data race|^Invalid|^Uninitialized|^Oclgrind|^Work-group divergence|^OpenCL/ {
             if (text != "" && !counts) printf "%s", text
             text = ""; counts = 0; inside = 1 }
         inside { text = text $0 "\n"; if ($0 ~ /Kernel: +(reduce|scan|segments)_/ && text ~ /data race/) counts = 1 }
         /^$/ { inside = 0; if (text != "" && !counts) printf "%s", text; text = "" }
         END { if (text != "" && !counts) printf "%s", text }' "$1"
}

command -v oclgrind >/dev/null || { echo "there is no oclgrind" >&2; exit 2; }
[ $# -gt 0 ] || set -- apl-examples/*.apl
log=$(mktemp)
trap 'rm -f "$log" "$log".*' EXIT
for file; do
    name=oclgrind/$(basename "$file" .apl)
    script=$(header input "$file")
    [ -z "$script" ] || "./$script" >/dev/null
    # shellcheck disable=SC2046
    TAILOR_CACHE=$log.cache oclgrind --check-api --data-races --log "$log" \
        "$TAILOR" run -b opencl "$file" -- $(header test "$file") >"$log.out" 2>"$log.err" </dev/null
    code=$?
    findings "$log" >"$log.found"
    sed -n 's/^⍝ gives: \{0,1\}//p' "$file" | strip_blanks >"$log.expected"
    strip_blanks <"$log.out" >"$log.actual"
    if [ $code -ne 0 ]; then
        not_ok "$name" "$log.err"
    elif [ -s "$log.found" ]; then
        not_ok "$name" "$log.found"
    else
        [ -s "$log.expected" ] || cp "$log.actual" "$log.expected"
        compare "$name" "$log.expected" "$log.actual" 1e-9
    fi
    rm -rf "$log.cache"
done
