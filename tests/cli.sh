#!/usr/bin/env bash
# The command line: what each command prints and how it ends, above all on bad input. Every mistake is one
# clear message and a non-zero exit code, and leaves no file behind.
set -u
. "$(dirname "$0")/lib.sh"

folder=$(mktemp -d "$TEST_FOLDER/cli.XXXXXX")
cd "$folder" || exit 2

# check NAME CODE OUTPUT-PATTERN ERRORS-PATTERN COMMAND...: extended regular expressions, each of which must
# match somewhere; an empty one wants an empty stream, '*' takes anything.
matches() {
    case $1 in
    '') [ ! -s "$2" ] ;;
    '*') true ;;
    *) grep -qE -e "$1" "$2" ;;
    esac
}
check() {
    local name=cli/$1 code=$2 output=$3 errors=$4 actual
    shift 4
    timeout "$TIME_LIMIT" "$@" >out.txt 2>err.txt </dev/null
    actual=$?
    if [ "$actual" -eq "$code" ] && matches "$output" out.txt && matches "$errors" err.txt; then
        ok "$name"
    else
        {
            echo "$*"
            echo "exit code $actual, expected $code"
            echo "standard output: (expected: $output)"
            head -n 8 out.txt
            echo "standard error: (expected: $errors)"
            head -n 8 err.txt
        } >shown.txt
        not_ok "$name" shown.txt
    fi
}
# As check, with a program given as text and `tailor check`; the message is one place with one name.
bad_program() {
    printf '%b' "$2" >bad.apl
    check "$1" 1 '' "$3" "$TAILOR" check bad.apl
}
# left_behind NAME FILE: no such file, nor a temporary one beside it.
nothing_left() {
    if [ -e "$2" ] || compgen -G "$2.tmp-*" >/dev/null; then
        not_ok "cli/$1"
    else
        ok "cli/$1"
    fi
}

printf '⎕←+/⍳10\n' >sum.apl
printf '⎕←(13⍴10)⊤2147483647\n' >digits.apl
printf "n←⎕ArgInt 'n' 10\\n⎕←(13⍴n)⊤2147483647\\n" >digits_n.apl
printf "n←⎕ArgInt 'n' 3\n⎕←⍳n\n" >argument.apl
printf '⎕←1 2 3+4 5\n' >length.apl
printf "⎕←⎕ArgDouble 'x' 0.5\n" >real.apl

# ---- help, version, usage -------------------------------------------------------------------------
check 'help' 0 'Usage: .*COMMAND' '' "$TAILOR" --help
check 'version' 0 '^tailor [0-9]' '' "$TAILOR" --version
for command in run build emit check explain opt compare; do
    check "$command --help" 0 "Usage: tailor $command .*FILE" '' "$TAILOR" $command --help
    check "$command without a file" 2 '' 'which FILE' "$TAILOR" $command
    check "$command with an unknown option" 2 '' "unrecognized option" "$TAILOR" $command --nonsense sum.apl
done
# completes EXPECTED WORD...: the completion of the last of these words, as bash splits them, is what is expected.
completes() {
    local expected=$1
    shift
    check "completion of $*" 0 "^$expected\$" '' bash -c '. "$1"; shift; COMP_WORDS=("$@") COMP_CWORD=$(($# - 1))
        _tailor; echo "${COMPREPLY[*]}"' - "$root/driver/completion.bash" "$@"
}
completes 'run build emit check explain opt compare devices --help --version' tailor ''
completes 'explain' tailor ex
completes '--backend=' tailor run --back
completes 'opencl c interp' tailor run --backend =
completes 'opencl c' tailor build -b ''
completes 'tokens tree tail' tailor emit --to = t
completes 'sum.apl' tailor run su
completes 'sum.apl' tailor run --output = su
check 'devices --help' 0 'Usage: tailor devices' '' "$TAILOR" devices --help
check 'no command' 2 '' 'which COMMAND' "$TAILOR"
check 'unknown command' 2 '' "unknown command 'frobnicate'" "$TAILOR" frobnicate
check 'a file for a command' 2 '' 'tailor run FILE' "$TAILOR" sum.apl
check 'unknown backend' 2 '' "unknown backend 'cuda'" "$TAILOR" run -b cuda sum.apl
check 'unknown form' 2 '' "unknown form 'wasm'" "$TAILOR" emit --to=wasm sum.apl
check 'emit without a form' 2 '' '\-\-to=FORM' "$TAILOR" emit sum.apl
check 'unknown pass' 2 '' "no pass is called 'magic'.*to-core" "$TAILOR" check --dump-after=magic sum.apl
check 'a width that is not one' 2 '' '\-\-int is 32 or 64' "$TAILOR" check --int=16 sum.apl
check 'two files' 2 '' 'one argument too many' "$TAILOR" check sum.apl sum.apl
check 'unknown language' 2 '' "unknown language 'j': apl, tail or core" "$TAILOR" check --language=j sum.apl
check 'interp cannot build' 2 '' 'can only run' "$TAILOR" build -b interp sum.apl

printf '≢v←⎕ReadIntVecFile "huge.txt"\n' >read.apl
truncate -s 1T huge.txt 2>/dev/null || rm -f huge.txt # a sparse file, where the file system has them

# ---- the commands ---------------------------------------------------------------------------------
for backend in ${BACKENDS:-interp c opencl}; do
    check "run -b $backend" 0 '^55$' '' "$TAILOR" run -b "$backend" sum.apl
    check "run -b $backend, a failing check" 1 '' '^length.apl:1:[0-9]+: LENGTH ERROR: 3 and 2$' \
        "$TAILOR" run -b "$backend" length.apl
    check "run -b $backend --int=32 --real=32" 0 '^55$' '' \
        "$TAILOR" run -b "$backend" --int=32 --real=32 sum.apl
    check "run -b $backend --int=32, digits that weigh more" 0 '^0 0 0 2 1 4 7 4 8 3 6 4 7$' '' \
        "$TAILOR" run -b "$backend" --int=32 digits.apl
    check "run -b $backend --int=32, digits in radices of run time" 0 '^0 0 0 2 1 4 7 4 8 3 6 4 7$' '' \
        "$TAILOR" run -b "$backend" --int=32 digits_n.apl
    check "run -b $backend --int=32 with an argument that fits" 0 '^1 2$' '' \
        "$TAILOR" run -b "$backend" --int=32 argument.apl -- --n=2
    check "run -b $backend --int=32 with an argument beyond 32 bits" 2 '' "--n: '3000000000' is too large" \
        "$TAILOR" run -b "$backend" --int=32 argument.apl -- --n=3000000000
    check "run -b $backend --real=32 with an argument beyond 32 bits" 2 '' "--x: '1e50' is too large" \
        "$TAILOR" run -b "$backend" --real=32 real.apl -- --x=1e50
    check "program argument ($backend)" 0 '^1 2 3 4 5$' '' "$TAILOR" run -b "$backend" argument.apl n=5
    check "program argument after -- ($backend)" 0 '^1 2$' '' "$TAILOR" run -b "$backend" argument.apl -- --n=2
    check "program argument's default ($backend)" 0 '^1 2 3$' '' "$TAILOR" run -b "$backend" argument.apl
    check "unknown program argument ($backend)" 2 '' 'm' "$TAILOR" run -b "$backend" argument.apl m=5
    [ -s huge.txt ] && check "a file that memory has no room for ($backend)" 1 '' \
        '^read.apl:1:4: WS FULL: huge.txt: 1099511627776 bytes$' "$TAILOR" run -b "$backend" read.apl
    check "program argument that is no number ($backend)" 2 '' 'n' "$TAILOR" run -b "$backend" argument.apl n=x
done
check 'standard input' 0 '^55$' '' bash -c '"$TAILOR" run -b interp - <sum.apl'
printf '⎕←5+×/1 2 5 5\n' >again.apl
check 'first run is built' 0 '^55$' '-o .*cache/run-' "$TAILOR" run --verbose -b c again.apl
check 'second run from the cache' 0 '^55$' 'built before' "$TAILOR" run --verbose -b c again.apl
run_own() { env TAILOR_CACHE="$folder/own-cache" "$TAILOR" run -b c "$1"; }
export -f run_own
export folder
check 'run with a cache of its own' 0 '^55$' '' bash -c 'run_own sum.apl'
for damage in 'truncate -s 0' 'cp again.apl'; do
    check "a cached program that is damaged is built again ($damage)" 0 '^55$' '' \
        bash -c '$1 own-cache/run-* && run_own sum.apl' - "$damage"
done
touch -d '2 hours ago' own-cache/run-0.tmp-left own-cache/run-0.tmp-left.c
touch own-cache/run-0.tmp-busy
check 'a build beside what is left of others' 0 '^55$' '' bash -c 'run_own again.apl'
check 'old files of builds go' 0 '^run-0.tmp-busy$' '' bash -c 'ls own-cache | grep tmp'
check 'run without a cache' 0 '^55$' '' env TAILOR_CACHE=/proc/none "$TAILOR" run -b c sum.apl
check 'build' 0 '' '' "$TAILOR" build -b c sum.apl -o sum
check 'built program' 0 '^55$' '' ./sum
check 'build without -o' 0 '' '' "$TAILOR" build -b c argument.apl
check "built program's argument" 0 '^1 2 3 4$' '' ./argument --n=4
check "built program's help" 0 '\-\-n' '' ./argument --help
check 'check' 0 '' '' "$TAILOR" check sum.apl
for form in tokens tree tail core kernels c opencl; do
    check "emit --to=$form" 0 '.' '' "$TAILOR" emit --to=$form sum.apl
done
check 'emit -o' 0 '' '' "$TAILOR" emit --to=c -o sum.c sum.apl
check 'emitted C' 0 'int main' '' cat sum.c
check '--dump-after' 0 '' '^---- after elaborate' "$TAILOR" check --dump-after=elaborate sum.apl
check '--stats' 0 '' 'TAIL [1-9].*core [1-9].*kernels [1-9]' "$TAILOR" check --stats sum.apl
check 'several errors a file' 1 '' 'bad.apl:3' bash -c 'printf "a←1+)\nb←2\nc←3+]\n" >bad.apl; exec "$TAILOR" check bad.apl'
"$TAILOR" emit --to=core sum.apl -o sum.core
check 'run a .core file' 0 '^55$' '' "$TAILOR" run -b interp sum.core
check 'check a .core file' 0 '' '' "$TAILOR" check sum.core
"$TAILOR" emit --to=tail sum.apl -o sum.tail
check 'run a .tail file' 0 '^55$' '' "$TAILOR" run -b interp sum.tail
check 'check a .tail file' 0 '' '' "$TAILOR" check sum.tail
check 'a .tail file as C' 0 'int main' '' "$TAILOR" emit --to=c sum.tail
check 'a .tail file has no tokens' 1 '' 'sum.tail: a TAIL program has no tokens or tree' "$TAILOR" emit --to=tokens sum.tail
check 'build a .tail file' 0 '' '' "$TAILOR" build -b c sum.tail -o tail-sum
check 'built from TAIL' 0 '^55$' '' ./tail-sum
for kind in apl tail core; do
    check "standard input in $kind" 0 '^55$' '' bash -c "\"$TAILOR\" run -b interp --language=$kind - <sum.$kind"
    cp sum.$kind sum-$kind.txt
    check "a file of another name in $kind" 0 '' '' "$TAILOR" check --language=$kind sum-$kind.txt
done
check 'standard input in TAIL, with errors' 1 '' '^-:1:6: VALUE ERROR' \
    bash -c 'echo "addi(x,1)" | "$TAILOR" check --language=tail -'
# A byte order mark at the beginning is no part of a program, and no column.
for kind in apl tail core; do
    { printf '\357\273\277'; cat sum.$kind; } >marked.$kind
    check "a byte order mark in a .$kind file" 0 '^55$' '' "$TAILOR" run -b interp marked.$kind
done
printf '\357\273\277⎕←1 2+1 2 3\n' >marked.apl
check 'columns after a byte order mark' 1 '' '^marked.apl:1:6: LENGTH ERROR' "$TAILOR" check marked.apl
mkdir folder
check 'build into a folder' 0 '' '' "$TAILOR" build -b c sum.tail -o folder
check 'built in a folder' 0 '^55$' '' ./folder/sum
check 'build into a folder that is not there' 1 '' 'nowhere/sum: No such file or directory' \
    "$TAILOR" build -b c sum.tail -o nowhere/

# Names that begin with - are files all the same.
cp argument.apl ./-dash.apl
check 'build to a name with a dash' 0 '^55$' '' bash -c '"$TAILOR" build -b c sum.apl -o -x && ./-x'
check 'build a file with a dash' 0 '^1 2 3$' '' bash -c '"$TAILOR" build -b c -- -dash.apl && ./-dash'
for words in n=2 --n=2 '-- --n=2'; do
    check "run a file with a dash, $words" 0 '^1 2$' '' bash -c '"$TAILOR" run -b c -- -dash.apl $1' - "$words"
done
check 'after the second -- words are as they are' 2 '' "unexpected argument 'n=2'" \
    "$TAILOR" run -b c -- -dash.apl -- n=2
case " ${BACKENDS:-interp c opencl} " in
*' opencl '*) check 'compare a file with a dash' 0 equal '' "$TAILOR" compare -- -dash.apl -- --n=2 ;;
esac
# What is emitted says how it is compiled.
for form in c opencl; do
    for kind in apl tail core; do
        "$TAILOR" emit --to=$form sum.$kind -o emitted.c
        command=$(sed -n '2s/^ *\(.*\) \*\/$/\1/p' emitted.c)
        command=${command//FILE.c/emitted.c -o emitted}
        command=${command//-I DIR/-I $build/include}
        command=${command//-L DIR/-L $build/lib}
        nm "$TAILOR" | grep -q __asan_init && command="$command -fsanitize=address,undefined"
        check "emitted $form compiles as it says ($kind)" 0 '' '' bash -c "$command"
        [ "$form" = opencl ] || check "emitted $form runs ($kind)" 0 '^55$' '' ./emitted
    done
done

cat >call.core <<'END'
fun half (n_1 : i64) : (i64) =
  let (m_2 : i64) = n_1 / 2
  in (m_2)
entry fun main () : () =
  let (a_3 : i64) = half(10)
  let () = print a_3
  in ()
END
for backend in ${BACKENDS:-interp c opencl}; do
    check "a .core file with a call ($backend)" 0 '^5$' '' "$TAILOR" run -b "$backend" call.core
done
check 'opt' 0 'entry fun main' '' "$TAILOR" opt --passes=inline call.core
check 'opt --run' 0 '^5$' '' "$TAILOR" opt --passes=inline,simplify --run call.core
check 'opt without passes' 2 '' '\-\-passes' "$TAILOR" opt call.core
check 'opt with an unknown pass' 2 '' "called 'magic'" "$TAILOR" opt --passes=magic call.core

# ---- compare --------------------------------------------------------------------------------------
case " ${BACKENDS:-interp c opencl} " in *' opencl '*)
    check 'compare' 0 '^interp, c, opencl: equal \(1 line, exit code 0\)$' '' "$TAILOR" compare sum.apl
    check 'compare, TAIL with an argument' 0 'equal \(1 line, exit code 0\)$' '' \
        bash -c '"$TAILOR" emit --to=tail argument.apl | "$TAILOR" compare --language=tail - n=2'
    printf "v←4 5 6\n⎕←v\n⎕←v[⎕ArgInt 'n' 4]\n" >beyond.apl
    check 'compare, a program that fails' 0 'equal \(1 line, exit code 1\)' '' "$TAILOR" compare beyond.apl
    check 'compare, what they say' 0 '^beyond.apl:3:[0-9]+: INDEX ERROR: 4 of 3$' '' "$TAILOR" compare beyond.apl
    printf '⎕←+/÷⍳100000\n' >sums.apl
    check 'compare, sums in another order' 0 'equal' '' "$TAILOR" compare sums.apl
    # A C compiler that changes what it is given makes a backend that is wrong.
    cat >cc-other <<'END'
#!/bin/sh
for word; do last=$file; case $word in *.c) file=$word ;; esac; done
sed 's/tl_print(stdout, TL_I64/putchar(55); tl_print(stdout, TL_I64/' "$file" >"$file.other.c"
cp "$file.other.c" "$file"
exec cc "$@"
END
    chmod +x cc-other
    printf '⎕←⍳3\n⎕←+/⍳10\n' >two.apl
    check 'compare, a difference' 1 '^c differs from interp in line 1 of standard output:$' '' \
        "$TAILOR" compare --cc=./cc-other two.apl
    check 'compare, where' 1 '^  interp: 1 2 3$' '' "$TAILOR" compare --cc=./cc-other two.apl
    check 'compare, against what' 1 '^  c     : 71 2 3$' '' "$TAILOR" compare --cc=./cc-other two.apl
    ;;
esac
check 'compare, a program with errors' 1 '' '^bad.apl:3' "$TAILOR" compare bad.apl
check 'compare, a tolerance that is none' 2 '' '\-\-tolerance is a number' "$TAILOR" compare --tolerance=2 sum.apl

# ---- entries --------------------------------------------------------------------------------------
cat >entries.core <<'END'
entry fun dot [n_1] (xs_2 : [n_1]f64, ys_3 : [n_1]f64) : (f64, [n_1]f64) =
  let (ps_4 : [n_1]f64) = map n_1 (xs_2, ys_3) (\(x_5 : f64, y_6 : f64) -> { let (z_7 : f64) = x_5 * y_6 in (z_7) })
  let (s_8 : f64) = reduce n_1 (ps_4) (\(a_9 : f64, b_10 : f64) -> { let (c_11 : f64) = a_9 + b_10 in (c_11) }) (0.0)
  in (s_8, ps_4)
entry fun double (k_12 : i64) : (i64) =
  let (l_13 : i64) = k_12 * 2
  in (l_13)
END
cat >again.core <<'END'
entry again (xs : *[m]f64) (ys : [m]f64) : ([m]f64, f64) =
  let first = assert (xs[0] == 1.0) 7.0
  let zs = xs with [0] = first
  in (zs, reduce (+) 0.0 ys)
END
for backend in ${BACKENDS:-interp c opencl}; do
    check "each run begins with the values that were given ($backend)" 0 '^7\.0$' 'run 2 of 2' \
        "$TAILOR" run -b "$backend" --entry=again again.core '[1, 2]' '[3, 4]' -- --repeat=2
    check "an entry's values ($backend)" 0 '^32\.0$' '' \
        "$TAILOR" run -b "$backend" --entry=dot entries.core '[1, 2, 3]' '[4, 5, 6]'
    check "a negative value ($backend)" 0 '^-14$' '' "$TAILOR" run -b "$backend" entries.core --entry double -- -7
    check "values from standard input ($backend)" 0 '^\[4\.0, 10\.0\]$' '' \
        bash -c 'echo "[1, 2] [4, 5]" | "$TAILOR" run -b "$1" --entry=dot entries.core' - "$backend"
    check "no entry chosen ($backend)" 2 '' 'dot \(xs : \[n\]f64, ys : \[n\]f64\) : \(f64, \[n\]f64\)' \
        "$TAILOR" run -b "$backend" entries.core
    check "no such entry ($backend)" 2 '' "there is no entry 'nosuch'" \
        "$TAILOR" run -b "$backend" --entry=nosuch entries.core
    check "a value is missing ($backend)" 2 '' \
        'no value for ys : \[n\]f64; dot \(xs .*\) : .* takes 2 values, and 1 was given' \
        "$TAILOR" run -b "$backend" --entry=dot entries.core '[1, 2]'
    check "a value too many ($backend)" 2 '' "unexpected argument '4': double \(k : i64\) : \(i64\) takes 1 value$" \
        "$TAILOR" run -b "$backend" --entry=double entries.core 3 4
    check "a wrong value ($backend)" 1 '' "^entries: DOMAIN ERROR: k : i64 \(character 1\): '2\.5' is a real" \
        "$TAILOR" run -b "$backend" --entry=double entries.core 2.5
    check "results to .npy files ($backend)" 0 '' '' \
        "$TAILOR" run -b "$backend" --entry=dot -o "dot-$backend.npy" entries.core '[1, 2]' '[4, 5]'
    check "those read again ($backend)" 0 '^\[16\.0, 100\.0\]$' '' \
        "$TAILOR" run -b "$backend" --entry=dot entries.core "@dot-$backend.2.npy" "@dot-$backend.2.npy"
    check "a result to one .npy file ($backend)" 0 '' '' \
        "$TAILOR" run -b "$backend" --entry=double --output="double-$backend" entries.core 21
    check "that read again ($backend)" 0 '^84$' '' \
        "$TAILOR" run -b "$backend" --entry=double entries.core "@double-$backend.npy"
    check "results to a folder that is not there ($backend)" 1 '' 'DOMAIN ERROR: none/x.npy: No such file' \
        "$TAILOR" run -b "$backend" --entry=double --output=none/x.npy entries.core 21
    check "results to a full device ($backend)" 1 '' 'No space left' \
        bash -c '"$TAILOR" run -b "$1" --entry=double entries.core 21 >/dev/full' - "$backend"
    check "an APL program takes no values ($backend)" 2 '' "unexpected argument '5'" \
        "$TAILOR" run -b "$backend" sum.apl -- 5
done
check 'values after an APL program' 2 '' "'5' is one argument too many" "$TAILOR" run sum.apl 5
check 'build with entries' 0 '' '' "$TAILOR" build -b c entries.core -o entries
check "its help" 0 '^  double \(k : i64\) : \(i64\)$' '' ./entries --help
check "its entry" 0 '^6$' '' ./entries --entry double 3
check "its values after --" 0 '^-6$' '' ./entries --entry double -- -3
check "its negative value" 0 '^-6$' '' ./entries --entry double -3
check 'an entry needs a name' 2 '' "\-\-entry needs a value" ./entries --entry
check 'check with entries' 0 '' '' "$TAILOR" check entries.core
for form in core kernels c opencl; do
    check "emit --to=$form with entries" 0 'double' '' "$TAILOR" emit --to=$form entries.core
done
check 'opt --run with values' 0 '^42$' '' "$TAILOR" opt --passes=simplify --run --entry=double entries.core 21
head -n 4 entries.core | sed 's/^entry //' >library.core
check 'check without an entry' 0 '' '' "$TAILOR" check library.core
check 'emit without an entry' 0 'int main' '' "$TAILOR" emit --to=c library.core
check 'build without an entry' 1 '' 'library.core: the program has no entry' "$TAILOR" build -b c library.core -o library
for backend in ${BACKENDS:-interp c opencl}; do
    check "run without an entry ($backend)" 1 '' 'library.core: the program has no entry' \
        "$TAILOR" run -b "$backend" library.core
done
printf 'entry fun main [n_1] (x_2 : i64) : (i64) =\n  in (x_2)\n' >size.core
check 'a size that nothing tells' 1 '' "size.core:1:[0-9]+: TYPE ERROR: n_1 stands in brackets, but is no parameter's size" \
    "$TAILOR" check size.core
printf 'entry fun main (c_1 : cert) : (cert) =\n  in (c_1)\n' >cert.core
check 'a certificate from outside' 1 '' "TYPE ERROR: c_1: an entry takes no certificates" \
    "$TAILOR" check cert.core

# ---- files ----------------------------------------------------------------------------------------
check 'no such file' 1 '' '^tailor: nosuch.apl: No such file or directory$' "$TAILOR" run nosuch.apl
check 'a folder' 1 '' 'Is a directory' "$TAILOR" run .
check 'no such .tail file' 1 '' 'No such file' "$TAILOR" run program.tail
: >empty.apl
check 'empty file' 1 '' '^empty.apl:1:1: SYNTAX ERROR: the file has no statements$' "$TAILOR" run -b c empty.apl
check 'empty file to check' 1 '' 'no statements' "$TAILOR" check empty.apl
printf '⍝ nothing but a comment' >comment.apl
check 'comment only' 1 '' 'no statements' "$TAILOR" emit --to=c comment.apl
check 'empty standard input' 1 '' '^-:1:1: SYNTAX ERROR: the file has no statements$' "$TAILOR" run -
printf "⎕←⎕ReadIntVecFile 'nosuch.txt'\n" >read.apl
for backend in ${BACKENDS:-interp c opencl}; do
    check "missing data file ($backend)" 1 '' 'read.apl:1:[0-9]+: DOMAIN ERROR: .*nosuch.txt' \
        "$TAILOR" run -b "$backend" read.apl
done
check 'unwritable output' 1 '' 'No such file or directory' "$TAILOR" emit --to=c -o none/out.c sum.apl
check 'unwritable executable' 1 '' 'No such file or directory' "$TAILOR" build -b c -o none/out sum.apl
check 'output is a folder' 1 '' 'Is a directory' "$TAILOR" emit --to=c -o . sum.apl
check 'output would replace the program' 1 '' 'would replace' "$TAILOR" build -b c sum.apl -o sum.apl
check 'a program without end' 1 '' '^tailor: /dev/zero: LIMIT ERROR: larger than 256 MiB$' "$TAILOR" check /dev/zero
check 'full standard output' 1 '' 'No space left' bash -c '"$TAILOR" emit --to=c sum.apl >/dev/full'
for line in --help --version 'compare sum.apl' 'compare --help'; do
    check "full standard output of $line" 1 '' 'tailor: standard output: No space left' \
        bash -c '"$TAILOR" $1 >/dev/full' - "$line"
done
check 'full device' 1 '' 'No space left' "$TAILOR" emit --to=c -o /dev/full sum.apl
check 'C compiler that is not there' 1 '' "cannot run the C compiler 'nosuch-cc'" \
    "$TAILOR" build -b c --cc=nosuch-cc -o broken sum.apl
nothing_left 'nothing left of it' broken
check 'C compiler that fails' 1 '' 'failed' "$TAILOR" build -b c --cc=false -o broken sum.apl
nothing_left 'nothing left of that either' broken
check 'error in a program that is built' 1 '' 'SYNTAX ERROR' \
    bash -c 'printf "1+)\n" >bad.apl; exec "$TAILOR" build -b c -o broken bad.apl'
nothing_left 'no output of a program in error' broken

# ---- bad programs ---------------------------------------------------------------------------------
bad_program 'bytes that are not UTF-8' 'a←\0377\0376\n' '^bad.apl:1:[0-9]+: .*UTF-8'
bad_program 'a NUL byte' 'a←1\0000+2\n' '^bad.apl:1:'
bad_program 'unclosed dfn' 'f←{⍵+1\n' '^bad.apl:[12]:[0-9]+: SYNTAX ERROR'
bad_program 'unclosed string' "a←'abc\n" '^bad.apl:1:[0-9]+: SYNTAX ERROR'
bad_program 'lone )' ')\n' '^bad.apl:1:1: SYNTAX ERROR'
bad_program 'name without value' '⎕←x+1\n' '^bad.apl:1:3: VALUE ERROR'
bad_program 'name used before it has a value' '⎕←x\nx←1\n' '^bad.apl:1:3: VALUE ERROR'
bad_program 'a rank that cannot be inferred' "v←⎕ReadIntVecFile 'x'\n⎕←v⍴1\n" '^bad.apl:2:[0-9]+: RANK ERROR'
nested() {
    head -c "$1" /dev/zero | tr '\0' "$2"
}
{ nested 100000 '(' && echo 1; } >bad.apl
check '100,000 nested parentheses, open' 1 '' '^bad.apl:1:' "$TAILOR" check bad.apl
{ nested 100000 '(' && printf 1 && nested 100000 ')' && echo; } >bad.apl
check '100,000 nested parentheses' 1 '' '^bad.apl:1:[0-9]+: LIMIT ERROR' "$TAILOR" check bad.apl
{ nested 100000 '{' && printf 1 && nested 100000 '}' && echo; } >bad.apl
check '100,000 nested braces' 1 '' '^bad.apl:1:[0-9]+: LIMIT ERROR' "$TAILOR" check bad.apl
{ nested 100000 '-' && echo 1; } >bad.apl
check '100,000 functions in a row' 1 '' '^bad.apl:1:[0-9]+: LIMIT ERROR' "$TAILOR" check bad.apl
{ printf 'f←{' && for ((i = 0; i < 1100; i++)); do printf '⍵=%d:%d ⋄ ' $i $i; done && echo "0}" && echo "⎕←f ⎕ArgInt 'n' 3"; } >bad.apl
check '1,100 guards in a row' 1 '' '^bad.apl:[12]:[0-9]+: LIMIT ERROR' "$TAILOR" check bad.apl
{ nested 200000 "'" | sed "s/''/'a' /g" && echo; } >strings.apl
check '100,000 strings in a line take no time' 0 '' '' timeout 10 "$TAILOR" check strings.apl
{ printf 'fun f (x_1 : '; nested 5000 '@' | sed 's/@/[3]/g'; printf 'i64) : (i64) =\n  in (1)\n'; } >bad.core
check 'a rank of 5000' 1 '' '^bad.core:1:[0-9]+: LIMIT ERROR: a rank of 5000' "$TAILOR" check bad.core
printf 'prSclD(addd(1e999,-inf))\n' >bad.tail
check 'a double that is too large' 1 '' '^bad.tail:1:13: LIMIT ERROR: 1e999 is too large' "$TAILOR" check bad.tail
{ echo 'x←1 2' && for ((i = 0; i < 40; i++)); do echo 'x←x,x'; done && echo '⎕←≢x'; } >doubled.apl
check 'a known list that is doubled 40 times' 0 2199023255552L '' timeout 10 "$TAILOR" emit --to=c doubled.apl
{ printf 'f←{(v k)←⍵ ⋄ v←(v>k)/v' && for ((i = 0; i < 40; i++)); do printf ' ⋄ v←v,v'; done && echo ' ⋄ v (k+1)}' && echo '⎕←≢⊃(f⍣2) (⍳3) 5'; } >doubles.apl
check 'rows of a loop that are doubled 40 times in a step' 0 'kernel' '' timeout 10 "$TAILOR" emit --to=opencl doubles.apl
{ nested 900 '(' && printf 1 && nested 900 ')' && echo; } >deep.apl
check '900 nested parentheses are fine' 0 '^1$' '' "$TAILOR" run -b interp deep.apl

# 2,000 statements, some of which sort: what each round of the simplifier knows is forgotten, so that
# memory does not grow with their number.
{
    echo 'x←⍳1000'
    for ((i = 0; i < 2000; i++)); do
        case $((i % 25)) in
        0) echo "a$i←($((i + 3))|x×7)[⍋$((i + 3))|x×7]" ;;
        5) echo "a$i←∪8|x×$i" ;;
        1 | 6) echo "a$i←+/a$((i - 1))×$i" ;;
        *) echo "a$i←a$((i - 1))+$((i % 7))" ;;
        esac
    done
    for ((i = 4; i < 2000; i += 25)); do echo "⎕←a$i+a$((i + 20))"; done
} >long.apl
nm "$TAILOR" | grep -q __asan_init && memory=unlimited || memory=800000
check 'a program of 2,000 lines in 800 megabytes' 0 '' '' \
    bash -c "ulimit -v $memory; '$TAILOR' emit --to=c long.apl >/dev/null"

# ---- devices --------------------------------------------------------------------------------------
case " ${BACKENDS:-opencl} " in *opencl*)
    check 'devices' 0 '^\*? *[0-9]' '' "$TAILOR" devices
    check 'unknown device' 1 '' 'nosuch' "$TAILOR" run --device=nosuch sum.apl
    mkdir none-here
    check 'no OpenCL device' 1 '' 'no OpenCL device' env OCL_ICD_VENDORS="$folder/none-here" "$TAILOR" run sum.apl
    # Steps take their memory from the steps before, and the host waits for none of them: the sum and s stay on the device.
    cat >steps.apl <<'END'
v ← ÷⍳1000
step ← {(x s)←⍵ ⋄ w←x×s+v ⋄ ((w+⌽w) (s÷1++/w))}
⎕ ← 0<⊃⌽(step⍣(⎕ArgInt 'steps' 5)) v 1.5
END
    for steps in 5 50; do
        "$TAILOR" run --profile steps.apl -- --steps=$steps 2>&1 >/dev/null |
            grep -E '^(memory of|from) the device' >traffic.$steps
    done
    check 'traffic does not depend on the number of steps' 0 'memory of' '' \
        bash -c 'cmp traffic.5 traffic.50 && cat traffic.50'
    check 'no OpenCL device to list' 1 '' 'no OpenCL device' env OCL_ICD_VENDORS="$folder/none-here" "$TAILOR" devices
    ;;
esac

rm -rf "$folder"
