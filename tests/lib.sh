# Shared by the test scripts; sourced by them. A test script prints `ok NAME` or `not ok NAME` for each
# check, the latter followed by indented lines that show what is wrong.

export LC_ALL=C.UTF-8
root=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)
build=${BUILD:-build}
case $build in /*) ;; *) build=$root/$build ;; esac
TAILOR=${TAILOR:-$build/bin/tailor}
export TAILOR
# Folder for this run's files: run-tests makes one for all scripts; a script run alone makes its own.
if [ -z "${TEST_FOLDER:-}" ]; then
    TEST_FOLDER=$(mktemp -d)
    trap 'rm -rf "$TEST_FOLDER"' EXIT
fi
export TEST_FOLDER
export TAILOR_CACHE=$TEST_FOLDER/cache
# Processors run the kernels that GPUs get, unless a test asks for those of their own.
# Compiling kernels is most of what tests on a processor do. A GPU's compiler is quick, and optimises as it does for users.
[ -n "${TAILOR_DEVICE:-}" ] || export TAILOR_OPENCL_OPTIONS=${TAILOR_OPENCL_OPTIONS--cl-opt-disable}
export TAILOR_KERNELS=${TAILOR_KERNELS:-gpu}
# What is linked is small, and gold starts faster. PoCL links every kernel with the libraries of C programs, which takes
# longer than the rest of the linking; the program that loads the kernels has them already.
export COMPILER_PATH=$TEST_FOLDER/linker
if [ ! -x "$COMPILER_PATH/ld" ]; then
    mkdir -p "$COMPILER_PATH"
    cat >"$COMPILER_PATH/ld" <<END
#!/bin/sh
case " \$* " in
*asan*) exec $(command -v ld) "\$@" ;; # whose symbols gold warns of
*/tempfile_*.so.o\ *)
    for word; do
        shift
        case \$word in -l* | --as-needed | --no-as-needed) ;; *) set -- "\$@" "\$word" ;; esac
    done
    ;;
esac
exec $(command -v ld.gold || command -v ld) "\$@"
END
    chmod +x "$COMPILER_PATH/ld"
fi
# How programs are compiled where what C compilers do best is not what is tested, host programs for one: by TCC, where it is
# there, which takes a tenth of the time and reads C as it is written. It cannot link what has _Thread_local, so that it
# links with the shared runtime.
plain_cc="${CC:-cc} -O0" # and where the folder's name has blanks
[[ $build == *[[:blank:]]* ]] || [ ! -e "$build/tests/lib/libtailor_opencl.so" ] || ! command -v tcc >/dev/null ||
    plain_cc="tcc -L$build/tests/lib -Wl,-rpath=$build/tests/lib"
plain_host="--cc=$plain_cc"
# Oclgrind as OpenCL: it starts ten times as fast as PoCL, which reads a library of 9 MB first, and looks at each call and
# each access of each kernel. What takes long on a processor takes longer there.
oclgrind_library=$(ls /usr/lib/oclgrind/liboclgrind-rt-icd.so /usr/lib/*/oclgrind/liboclgrind-rt-icd.so 2>/dev/null | head -n 1)
# off_device: whether tests that need no device are in oclgrind.
off_device() {
    [ "${ON_DEVICE:-1}" -gt 1 ] && [ -n "$oclgrind_library" ]
}
# in_oclgrind LOG [FORM]: OpenCL programs run there from now on; what it finds is in LOG.
in_oclgrind() {
    if [ ! -e "$TEST_FOLDER/oclgrind" ]; then # at once: others may read it
        mkdir -p "$TEST_FOLDER/oclgrind.$BASHPID"
        echo "$oclgrind_library" >"$TEST_FOLDER/oclgrind.$BASHPID/oclgrind.icd"
        mv -T "$TEST_FOLDER/oclgrind.$BASHPID" "$TEST_FOLDER/oclgrind" 2>/dev/null
    fi
    export OCL_ICD_VENDORS=$TEST_FOLDER/oclgrind OCLGRIND_CHECK_API=1 OCLGRIND_LOG=$1
    # As much memory as it can have, and for a work-group what every device gives; where scans look back, what GPUs do.
    export OCLGRIND_GLOBAL_MEM_SIZE=2147483648 OCLGRIND_LOCAL_MEM_SIZE=32768
    case ${2:-} in *look-back*) OCLGRIND_LOCAL_MEM_SIZE=49152 ;; esac
}
export LSAN_OPTIONS=suppressions=$root/tests/leaks.supp:print_suppressions=0
# So many seconds of a processor may each process take. (`timeout` is two processes more for each that is tested.)
export TIME_LIMIT=${TIME_LIMIT:-300}
ulimit -S -t "$TIME_LIMIT"

ok() {
    echo "ok $1"
}
# not_ok NAME [FILE...]: the files are shown.
not_ok() {
    echo "not ok $1"
    shift
    [ $# -eq 0 ] || head -n 40 "$@" | sed 's/^/    /'
}
# same_text A B: whether these files hold the same; only what has no zeros can be. It starts no process.
same_text() {
    local a b
    [ -f "$1" ] && [ -f "$2" ] && ! IFS= read -r -d '' a <"$1" && ! IFS= read -r -d '' b <"$2" && [ "$a" = "$b" ]
}
# compare NAME EXPECTED ACTUAL [TOLERANCE]: files; with a tolerance numbers may differ by that much,
# relatively.
compare() {
    local problem=$TEST_FOLDER/problem.$BASHPID
    if same_text "$2" "$3" || diff -u --label expected --label actual "$2" "$3" >"$problem"; then
        ok "$1"
    elif [ -n "${4:-}" ] && awk -v tolerance="$4" -f "$root/tests/numbers-agree.awk" "$2" "$3" >"$problem"; then
        ok "$1"
    else
        not_ok "$1" "$problem"
    fi
}
# The file; one-line comments of a TAIL file, `(* text *)`, as core writes them, `-- text`.
with_comments() {
    case $1 in
    *.tail) sed 's/^ *(\*\(.*[^ ]\) *\*)$/--\1/' "$1" ;;
    *) cat "$1" ;;
    esac
}
# The values of header lines `⍝ KEY: value` of an APL file, `-- KEY: value` of a core file, `(* KEY: value *)`
# of a TAIL file, and the first.
headers() {
    with_comments "$2" | sed -n "s/^\(⍝\|--\) $1: *//p"
}
header() {
    headers "$1" "$2" | head -n 1
}
strip_blanks() {
    sed 's/[[:space:]]*$//'
}
