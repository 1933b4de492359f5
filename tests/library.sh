#!/usr/bin/env bash
# Libraries (docs/library.md): built, called from C, C++ and Python, on the C backend and on OpenCL; what is refused;
# that nothing leaks, under valgrind and AddressSanitizer. What is not installed is said and left out.
set -u
. "$(dirname "$0")/lib.sh"

folder=$(mktemp -d "$TEST_FOLDER/library.XXXXXX")
cd "$folder" || exit 2
strict='-Wall -Wextra -Wpedantic -Werror'
# A sanitized tailor makes sanitized libraries, which need the sanitizer's runtime in the program.
sanitized=
if nm "$TAILOR" 2>/dev/null | grep -q __asan_init; then sanitized='-fsanitize=address,undefined'; fi

# check NAME COMMAND...: it succeeds, and says nothing on standard error.
check() {
    local name=library/$1
    shift
    if timeout "$TIME_LIMIT" "$@" >check.out 2>check.err && [ ! -s check.err ]; then
        ok "$name"
    else
        { echo "$*"; tail -n 30 check.out; tail -n 30 check.err; } >shown.txt
        not_ok "$name" shown.txt
    fi
}
# refused NAME CODE TEXT COMMAND...
refused() {
    local name=library/$1 code=$2 text=$3
    shift 3
    timeout "$TIME_LIMIT" "$@" >check.out 2>check.err
    if [ $? -eq "$code" ] && grep -qF -e "$text" check.err; then
        ok "$name"
    else
        { echo "$*"; echo "wanted: $text"; cat check.out check.err; } >shown.txt
        not_ok "$name" shown.txt
    fi
}
skip() {
    echo "library: skipped, $1 is not installed" >&2
}
# The blocks ```file NAME of the document, as files.
extract() {
    awk '/^```file / { name = $2; next } /^```/ { name = ""; next } name { print >name }' "$1"
}

extract "$root/docs/library.md"
cp "$root"/tests/library/* .
python=
for candidate in python3 /usr/bin/python3; do
    if [ -z "$python" ] && "$candidate" -c 'import numpy' 2>/dev/null; then python=$candidate; fi
done
preload=
if [ -n "$sanitized" ]; then # Clang has one that serves all of its sanitizers
    preload=$(${CC:-cc} -print-file-name=libclang_rt.asan-x86_64.so)
    [ -e "$preload" ] || preload=$(${CC:-cc} -print-file-name=libasan.so)
fi

many="sums.apl squares.tail dot.core words.apl fails.apl"
for backend in ${BACKENDS:-c opencl}; do
    [ "$backend" != interp ] || continue
    libraries=-lm
    [ "$backend" = c ] || libraries='-DFEW -lOpenCL -lm' # and fewer calls: a simulated device is slow

    # The document's example, as it says, with the shared library.
    check "$backend, build" "$TAILOR" build --lib -b "$backend" --verify-each spread.apl rows.core -o stats
    check "$backend, a caller in C" ${CC:-cc} -std=c11 $strict $sanitized main.c -L. -lstats "-Wl,-rpath,\$ORIGIN" \
        -o main
    check "$backend, the example runs" sh -c './main >main.out && diff main.out expected'

    # Several languages, and the caller that tries everything, with the archive.
    check "$backend, several files" "$TAILOR" build --lib -b "$backend" --verify-each $many -o many
    check "$backend, a caller of the archive" ${CC:-cc} -std=c11 $strict $sanitized -pthread calls.c libmany.a \
        $libraries -o calls
    check "$backend, calls" ./calls
    if [ -n "$python" ]; then
        check "$backend, a Python package" "$TAILOR" build --python -b "$backend" spread.apl rows.core -o stats
        check "$backend, the example in Python" env LD_PRELOAD="$preload" ASAN_OPTIONS=detect_leaks=0 \
            sh -c '"$0" main.py >py.out && diff py.out expected.py' "$python"
        check "$backend, a package of several" "$TAILOR" build --python -b "$backend" $many -o package
        check "$backend, calls from Python" env LD_PRELOAD="$preload" ASAN_OPTIONS=detect_leaks=0 "$python" calls.py
    else
        skip 'NumPy (python3-numpy)'
    fi
    rm -rf stats package
done

# C++, leaks, two libraries in one program.
if [ -f libmany.a ] && command -v c++ >/dev/null; then
    cp calls.c calls.cc
    "$TAILOR" build --lib -b c $many -o many && "$TAILOR" build --lib -b c spread.apl rows.core -o stats
    check 'a caller in C++' c++ -x c++ -std=c++11 $strict $sanitized -pthread calls.cc -x none libmany.a -lm -o calls-cc
    check 'calls from C++' ./calls-cc
    check 'two libraries in one program' ${CC:-cc} -std=c11 $strict $sanitized two.c libmany.a libstats.a -lm -o two
    check 'two libraries run' ./two
    if [ -n "$sanitized" ]; then
        :
    elif command -v valgrind >/dev/null; then
        # valgrind does not know all instructions of the newest processors
        check 'for any processor' "$TAILOR" build --lib -b c "--cc=${CC:-cc} -march=x86-64" $many -o plain
        sed 's/many/plain/g; s/MANY/PLAIN/g' calls.c >calls-few.c
        ${CC:-cc} -std=c11 -DFEW -pthread calls-few.c libplain.a -lm -o calls-few
        check 'nothing leaks' valgrind -q --leak-check=full --show-leak-kinds=all --error-exitcode=9 ./calls-few
    else
        skip valgrind
    fi
fi

# Only the header's names can be seen, and where a linker marks the ends of what it has placed.
visible=$(nm -D --defined-only libmany.so | awk '$3 !~ /^(many_.*|__bss_start|_edata|_end)$/ { print $3 }')
if [ -z "$visible" ]; then ok library/visible; else not_ok "library/visible: $visible"; fi

# What is refused when building.
mkdir -p other && cp sums.apl other/
printf '⎕←1\n' >open.apl
printf '⎕←(⎕ArgInt %sn%s 3)\n' "'" "'" >asks.apl
printf '{⎕←⎕ArgInt %sn%s 3 ⋄ ⍵}⍣2⊢1\n' "'" "'" >loop.apl
printf '⎕←1 2+1 2 3\n⎕←x\n' >wrong.apl
refused 'one name twice' 1 'there is an entry sums already, of sums.apl' "$TAILOR" build --lib sums.apl other/sums.apl -o l
refused 'a name that is taken' 1 'an entry cannot be called open' "$TAILOR" build --lib open.apl -o l
refused 'an argument inside a loop' 1 'loop.apl:1:4: NONCE ERROR: the program argument n' "$TAILOR" build --lib loop.apl
refused 'several files without a name' 2 'by -o NAME' "$TAILOR" build --lib asks.apl sums.apl
refused 'a package without a name' 2 'a Python package cannot be called my-stats' "$TAILOR" build --python asks.apl -o my-stats
refused 'a package called as a keyword' 2 'cannot be called class; -o NAME names it (class_, for' "$TAILOR" build --python asks.apl -o class
refused 'a library and a package' 2 'which one' "$TAILOR" build --lib --python asks.apl -o l
refused 'errors of two files, the first' 1 'wrong.apl:2:3: VALUE ERROR' "$TAILOR" build --lib wrong.apl loop.apl -o l
refused 'errors of two files, the second' 1 'loop.apl:1:4: NONCE ERROR' "$TAILOR" build --lib wrong.apl loop.apl -o l
refused 'several files, no library' 2 '(--lib and --python take several files)' "$TAILOR" build asks.apl sums.apl
if compgen -G 'libl*' >/dev/null || compgen -G '*.tmp-*' >/dev/null; then not_ok library/leftovers; else ok library/leftovers; fi
# Names that are no identifiers; a folder.
cp asks.apl 2-fold.apl
check 'a name that is no identifier' "$TAILOR" build --lib -b c 2-fold.apl -o other/
check 'its header' grep -q 'v2_fold_status v2_fold_v2_fold(v2_fold_context \*context,' other/2-fold.h
# Complex numbers are planes of real and imaginary parts, given or printed.
echo 'let x:[complex]1 = [1.0j2.0,3.0j-1.0,0.0j1.0] in (x,2.0)' >complex.tail
printf 'a←⎕ReadDoubleVecFile %sa%s\n⎕←a×0J1\n' "'" "'" >turned.apl
check 'complex values' "$TAILOR" build --lib -b c complex.tail turned.apl -o planes
cat >planes.c <<'END'
#include "planes.h"
#include <stddef.h>
int main(void)
{
    const double a[] = {5, 6};
    const int64_t shape[] = {2};
    double *z, two;
    int64_t z_shape[2];
    planes_context *context = planes_open(NULL);
    bool ok = planes_complex(context, &z, z_shape, &two) == PLANES_OK && z_shape[0] == 2 && z_shape[1] == 3 && z[1] == 3 &&
              z[3] == 2 && z[4] == -1 && two == 2;
    planes_free(z);
    ok = ok && planes_turned(context, a, shape, &z, z_shape) == PLANES_OK && z_shape[1] == 2 && z[0] == 0 && z[2] == 5;
    planes_free(z);
    planes_close(context);
    return ok ? 0 : 1;
}
END
check 'a caller of planes' ${CC:-cc} -std=c11 $strict $sanitized planes.c libplanes.a -lm -o planes-run
check 'planes' ./planes-run
# Names that C, C++ and Python keep for themselves, or that the header uses; the same name for several things.
cat >names.apl <<'END'
⎕←⎕ReadFile '../../größe.txt'
⎕←(⎕ReadIntVecFile 'x')+≢⎕ReadDoubleVecFile 'x'
⎕←(⎕ArgInt 'while' 3)+(⎕ArgInt 'result' 3)+(⎕ArgInt 'x_shape' 3)+(⎕ArgInt 'lambda' 3)+⎕ArgInt 'class' 3
⎕←(⎕ArgInt 'x' 3)+(⎕ArgInt 'x' 5)+⎕ArgDouble 'x' 5
END
check 'names' "$TAILOR" build --lib -b c names.apl
check 'names in C' ${CC:-cc} -std=c11 $strict -fsyntax-only -x c names.h
if command -v c++ >/dev/null; then check 'names in C++' c++ -std=c++11 $strict -fsyntax-only -x c++ names.h; fi
if [ -n "$python" ]; then
    check 'names, a package' "$TAILOR" build --python -b c names.apl
    check 'names in Python' env LD_PRELOAD="$preload" ASAN_OPTIONS=detect_leaks=0 "$python" -c \
        'import names; assert names.names("", [2.5], [1], 1, 2, 3, 4, 5, 6.0, 7)[2] == 15, names.names.__doc__'
fi
