#!/usr/bin/env bash
# The command that measures (bench/run): its options, its numbers, and what is made of numbers. That all versions of
# the programs agree are tests of their own (`bench/run --check`).
set -u
. "$(dirname "$0")/lib.sh"
cd "$root" || exit 2
folder=$(mktemp -d "$TEST_FOLDER/benchmarks.XXXXXX")

# exits NAME CODE COMMAND...: with this code, and what it says holds the last line of standard input.
exits() {
    local name=$1 wanted=$2 code
    shift 2
    "$@" >"$folder/out" 2>&1
    code=$?
    if [ $code -eq "$wanted" ] && grep -qF -e "$(cat)" "$folder/out"; then
        ok "$name"
    else
        echo "exit code $code" >>"$folder/out"
        not_ok "$name" "$folder/out"
    fi
}
exits 'bench/run: an unknown option' 2 bench/run --fast <<<"unknown option '--fast'"
exits 'bench/run: an unknown program' 2 bench/run --programs=integral,none <<<"no program 'none'"
exits 'bench/run: an unknown backend' 2 bench/run --backends=cuda <<<"no backend 'cuda'"
exits 'bench/run: no number' 2 bench/run --runs=many <<<'--runs is a number'
exits 'bench/run: help' 0 bench/run --help <<<'--sizes=SIZES'
exits 'bench/table: no file' 2 bench/table <<<'usage: bench/table'

# Times 1 to 5 out of order, and 2 and 4; two other versions; CUDA.
{
    echo '# date: 2026-01-02T03:04:05Z'
    echo '# sizes: full'
    for time in 5 1 4 2 3; do echo "life hand-c 1 1 $time - -"; done
    for time in 4 2; do echo "life tailor-c 1 1 $time - -"; done
    echo 'life hand-opencl 1 1 1.5 102 -'
    echo 'life hand-opencl profile 1 99 102 0.25'
    echo 'life tailor-opencl 1 1 6 204 -'
    echo 'dot cuda 1 1 0.5 - -'
    echo 'dot tailor-opencl 1 1 0.25 1 -'
    echo '# problem: dot tailor-c: fails'
} >"$folder/numbers"
cat >"$folder/expected" <<END
life hand-c 3.000000 - - 5 2.000000 4.000000
life tailor-c 3.000000 - - 2 2.500000 3.500000
life hand-opencl 1.500000 102 0.250000 1 1.500000 1.500000
life tailor-opencl 6.000000 204 - 1 6.000000 6.000000
dot cuda 0.500000 - - 1 0.500000 0.500000
dot tailor-opencl 0.250000 1 - 1 0.250000 0.250000
END
bench/medians "$folder/numbers" >"$folder/actual"
compare 'bench/medians' "$folder/expected" "$folder/actual"

bench/table "$folder/numbers" | sed 's/  */ /g; s/ $//' | grep '^life\|^dot\|^geo\|^problem\|^sizes' >"$folder/actual"
cat >"$folder/expected" <<END
sizes: full
life 3 3 1.00 1.5 102 0.25 6 204 - 0.25
geometric mean 1.00 0.25
dot 0.5 0.25 1 - 2.00
geometric mean 2.00
problem: dot tailor-c: fails
END
compare 'bench/table' "$folder/expected" "$folder/actual"

bench/plot "$folder/numbers" | grep -o '>[0-9.]*</text>\|>life<\|>dot<' | tr -d '\n' >"$folder/actual"
case $(cat "$folder/actual") in
*'>1.00</text>>0.25</text>>life<>2.00</text>>dot<') ok 'bench/plot' ;;
*) not_ok 'bench/plot' "$folder/actual" ;;
esac

# All of it once.
case " ${BACKENDS:-c opencl} " in
*' c '*)
    bench/run --programs=easter --backends=c --sizes=small --runs=4 --rounds=2 --warm-up=1 --output="$folder/outcome" \
        >"$folder/out" 2>&1
    if [ "$(grep -c '^easter hand-c [12] [12] [0-9.]* - -$' "$folder/outcome/numbers.txt")" = 4 ] &&
        [ "$(grep -c '^easter tailor-c [12] [12] [0-9.]* - -$' "$folder/outcome/numbers.txt")" = 4 ] &&
        grep -q '^easter  *[0-9.]* *[0-9.]* *[0-9.]* ' "$folder/outcome/table.txt" &&
        grep -q '</svg>' "$folder/outcome/ratios.svg"; then
        ok 'bench/run measures'
    else
        not_ok 'bench/run measures' "$folder/out" "$folder/outcome/numbers.txt"
    fi
    ;;
esac
rm -rf "$folder"
