#!/usr/bin/env bash
# Kernels of example programs, and of lines of APL, after fusion: how many there are, and how many of them stand in
# loops of the host, so that they run again and again. More of them are more passes over memory.
#
#   tests/fusion.sh
set -u
. "$(dirname "$0")/lib.sh"
cd "$root" || exit 2
folder=$(mktemp -d "$TEST_FOLDER/fusion.XXXXXX")

# A kernel at the top level of `emit --to=kernels` runs once, an indented one in a loop, or in a branch.
check_kernels() {
    local name="fusion/$1 has $2 kernels, $3 of them in a loop or branch"
    "$TAILOR" emit --to=kernels "apl-examples/$1.apl" >"$folder/kernels" 2>"$folder/errors" || {
        not_ok "$name" "$folder/errors"
        return
    }
    if [ "$(grep -cE '^ *(grid|group) ' "$folder/kernels")" = "$2" ] &&
        [ "$(grep -cE '^ +(grid|group) ' "$folder/kernels")" = "$3" ]; then
        ok "$name"
    else
        grep -E '^ *(grid|group|for|while) ' "$folder/kernels" >"$folder/found"
        not_ok "$name" "$folder/found"
    fi
}

# A kernel that has versions counts once for each: rows that a work-item folds alone or a group together count two, a scan
# that looks back or not four, a filter one more where its rows are written apart. A grade counts 13: two for few
# elements, eleven for a sort of many by digits, most of them versions of what its loop does; of rows one more is for
# rows that are a tile, or a work-item's, each.
#
# Life's two outside of the loop make the board and count it; a step of a loop is one kernel, and where all steps can stay
# on the device, another one for all; what a file of too few numbers would need, Sobol's
# directions and the power of HotSpot, is stored in a branch.
#
# bodies           places, masses and speeds at first; a step in one kernel, of which there are two versions; sums of speeds,
#                  and momentum, of few numbers in one reduction, or by versions
# convolve         the picture, which is read eleven times; one reduction for both windows
# downsample       one reduction for the picture and two numbers of it; the windows are reduced where these are not stored; what
#                  compares peaks has a version for as many peaks as there is to compare with
# fft              the signal and its complex form; a map a step, forth and back; a filter of two vectors
# histogram        the dice; sums of rows, of few throws in one reduction with their sum
# inverse          m; each of two systems solved by loops of reductions and maps; the product by m in 19 versions
# lattice          the wave; what the places begin with, and that where the loop has it; a step, once for all steps on the device; what is
#                  left
# median           two grades; v and numbers are one kernel; s and sorted are not stored
# moving-average   the wave with its noise; one reduction for both sums
# nearest          the points, and the distances; the nest in three ways: few elements, rows by themselves where all would be too many,
#                  or a grade of all rows and a reduction
# primes           the sieve; whether a number is struck, and the scatter of its multiples in the loop; a filter
# queens           the first boards; in the loop a fold of rows, a filter of boards by it, and the copy of their rows
# segment-sum      a scan, which is stored for the next one shifts it; a reduction by an operator of four numbers
# sudoku           the grid; one reduction for what is right, and one for what is wrong: all three ways to look at it
# words            six grades (a key takes two, of the keys and of each one's first place), and what goes before and after
#                  them: each key filters where its groups begin, and marks where they go; three grades only where numbers
#                  are not close to each other, beside the tables for those that are
while read -r program all inside; do
    check_kernels "$program" "$all" "$inside"
done <<END
integral 1 0
signal 1 0
life 4 2
easter 1 0
blackscholes 1 0
sobol-pi 2 1
hotspot 5 3
mandelbrot-outside 1 0
mandelbrot-inside 1 0
mandelbrot-picture 1 0
floyd 4 2
bodies 12 8
gradients 6 3
heat 5 2
lattice 6 2
nearest 23 22
life-one-line 6 4
convolve 2 0
downsample 12 6
fft 11 6
histogram 5 4
inverse 43 35
median 31 29
moving-average 2 0
primes 8 6
queens 8 7
segment-sum 10 8
sudoku 3 0
words 181 174
END

# No example is left out.
for file in apl-examples/*.apl; do
    program=$(basename "$file" .apl)
    if grep -qE "^$program [0-9]+ [0-9]+\$" tests/fusion.sh; then
        ok "fusion/the kernels of $program are counted"
    else
        not_ok "fusion/the kernels of $program are counted"
    fi
done

# v is a vector of integers, d one of reals. A scan counts four: it is in one pass or in three; so does a filter, which
# is a scan that writes rows.
while IFS=' ' read -r count line; do
    printf "v←⎕ReadIntVecFile 'v.txt' ⋄ d←⎕ReadDoubleVecFile 'd.txt'\n%s\n" "$line" >"$folder/line.apl"
    "$TAILOR" emit --to=kernels "$folder/line.apl" >"$folder/kernels" 2>"$folder/errors"
    if [ "$(grep -cE '^ *(grid|group) ' "$folder/kernels")" = "$count" ]; then
        ok "fusion/$line has $count kernels"
    else
        cat "$folder/errors" "$folder/kernels" >"$folder/found"
        not_ok "fusion/$line has $count kernels" "$folder/found"
    fi
done <<'END'
1 w←v×v ⋄ w[1]←0 ⋄ ⎕←+/w
1 u←((≢d),≢d)⍴d ⋄ u[1+⍳(≢d)-2;1+⍳(≢d)-2]←(¯2 ¯1↓0 1↓u)+2 1↓0 ¯1↓u ⋄ ⎕←+/,u
1 u←((≢d),≢d)⍴d ⋄ (1 1↓¯1 ¯1↓u)←0 ⋄ ⎕←+/,u
2 ⎕←⌈/(d-1)×(d+1)÷+/d
14 x←○⍳≢v ⋄ ⎕←+/(1↓x)×¯1↓x ⋄ ⎕←+/(2↓x)×¯2↓x ⋄ ⎕←+/(3↓x)×¯3↓x ⋄ ⎕←+/(4↓x)×¯4↓x ⋄ ⎕←+/(5↓x)×¯5↓x ⋄ ⎕←+/(6↓x)×¯6↓x ⋄ ⎕←+/(7↓x)×¯7↓x ⋄ ⎕←+/(8↓x)×¯8↓x ⋄ ⎕←+/(9↓x)×¯9↓x ⋄ ⎕←+/(10↓x)×¯10↓x ⋄ ⎕←+/(11↓x)×¯11↓x ⋄ ⎕←+/(12↓x)×¯12↓x ⋄ ⎕←+/(13↓x)×¯13↓x ⋄ ⎕←+/(14↓x)×¯14↓x
1 ⎕←⌈/,m+.×m←3 3⍴d
2 ⎕←⌈/,m+.×m←30 30⍴d
15 ⎕←⌈/,m+.×m←((≢v),≢v)⍴d
28 h←0⌈((≢d)64⍴d)+.×64 64⍴d ⋄ ⎕←h+.×64 10⍴d ⋄ ⎕←(⍉h)+.×(≢d)10⍴d
1 ⎕←⌈/16+/⍳≢v
2 ⎕←⌈/16+/1○⍳≢v
1 ⎕←+/(v>0)/v
1 ⎕←⌈/(v>0)/v×v
1 ⎕←(+/w)÷≢w←(d>0.5)/d
1 ⎕←+/(w>1)/w←(v>0)/v
1 ⎕←⌈/(2|v)/v×v
1 ⎕←+/⍸v>0
1 ⎕←(3×≢v)⍴1+v
3 ⎕←(+/m),⌈/m←((⌊(≢d)÷7),≢v)⍴d
3 ⎕←(+/m),1+⌈/m←((⌊(≢d)÷7),≢v)⍴d
3 ⎕←(+/m),[0.5]1+⌈/m←((⌊(≢d)÷7),≢v)⍴d
1 ⎕←⌈/,⍉2×((⌊(≢d)÷7),≢v)⍴d
20 ⎕←⌈/,⍉+\m←((⌊(≢d)÷7),≢v)⍴d
5 ⎕←⌽1+0,+\v
5 ⎕←⌽1+0,⌽+\v
5 +/⎕←7,+\v
5 ⎕←(⌽7,+\v)×v,1
4 ⎕←+/(⌽7,+\v)×v,1
5 ⎕←(7,+\v)×v,1
5 ⎕←(2⌽7,+\v)×v,1
5 ⎕←(0,v)×⌽0,+\⌽v
5 ⎕←(⌽1++\v),0
3 ⎕←(1++/m),[1.5]2×⌈/m←((⌊(≢d)÷7),≢v)⍴d
20 ⎕←⌈/,+\m←((⌊(≢d)÷7),≢v)⍴d
20 ⎕←⌈/⌈/+\m←((⌊(≢d)÷7),≢v)⍴d
15 ⎕←2×,+\m←((⌊(≢d)÷7),≢v)⍴d
15 ⎕←2×+\m←((⌊(≢d)÷7),≢v)⍴d
1 ⎕←+/,+\m←((⌊(≢d)÷7),7)⍴d
4 ⎕←(d>0.5)/d
4 ⎕←(v>0)/v×v
8 ⎕←(v>3)/v ⋄ ⎕←(v≤3)/v
13 ⎕←((v<5)/v),((v=5)/v),(v>5)/v
8 ⎕←(v>3)/v⊣⎕←+\v>3
4 b←v>3 ⋄ ⎕←b/v ⋄ ⎕←⍸b
4 b←v>3 ⋄ ⎕←+/b ⋄ ⎕←b/v
4 b←v>3 ⋄ k←+/b ⋄ ⎕←b/v×v ⋄ ⎕←k
4 b←v>3 ⋄ ⎕←(⍸b)×b/v
1 ⎕←+/+/m×m←((⌊(≢d)÷7),7)⍴d
1 ⎕←⌊/⌊⌿m←((⌊(≢d)÷7),7)⍴d
1 ⎕←∧/∧/0<((⌊(≢d)÷7),7)⍴d
1 ⎕←+/+/+/((⌊(≢d)÷77),11 7)⍴d
5 ⎕←(v>0)/v×v ⋄ ⎕←⌽⍳≢v
4 ⎕←2×(v>0)/v
2 ⎕←+/(w-(+/w)÷≢w)*2⊣w←(v>0)/v
2 ⎕←{(+/⍵),⌈/⍵}⍤1⊢((≢v),≢d)⍴d
2 ⎕←{(+/⍵),(⌈/⍵),(⌊/⍵),+/⍵×⍵}⍤1⊢((≢v),≢d)⍴d
3 w←1○((≢d)3)⍴⍳3×≢d ⋄ ⎕←{(*-(⍵-d)*2)+.×w}⍤0⊢v
1 k←⎕ArgInt 'k' 9 ⋄ ⎕←(+/k↑v)÷⌈/k↑d
1 k←⎕ArgInt 'k' 9 ⋄ ⎕←(⌈/k↑v),+/2×k↑d
2 k←⎕ArgInt 'k' 9 ⋄ ⎕←(⌈/k↑v)⊣⎕←+/2×k↑d
4 ⎕←+\v
4 ⎕←2×+\v
4 ⎕←(+\v)÷⍳≢v
4 ⎕←(+\v)>3
4 ⎕←⌈/+\v
4 ⎕←+/v×+\v
4 ⎕←(+\v×v)÷v×v
4 ⎕←⌈/(+\d)-⌊\d
4 ⎕←+/(3<+\v)/v
8 ⎕←+\2×+\v
4 ⎕←(v>3)/+\v
4 ⎕←(v>3)/2×+\v
8 ⎕←(3<+\v)/v
5 ⎕←w÷⌈/w←+\d
5 ⎕←w-⌽w←+\v
1 ⎕←+/(2/v)×⌽2/v
1 ⎕←⌈/(≢v)/v
2 ⎕←+/,(1○v)∘.×2○v
1 ⎕←+/sp<1⌽sp←(10|v)∊3 7
4 ⎕←⌈/,(+/im)÷3⊣im←((≢v)3,≢v)⍴d
2 ⎕←⌊/g-⌽g←((≢v)3⍴d)+.×0.3 0.6 0.1
2 ⎕←⌊/g-⌽g←(?(≢v)3⍴0)+.×0.3 0.6 0.1
1 ⎕←⌽2×v
1 ⎕←(2×v),d
4 ⎕←2⌽+\v
4 ⎕←2↓2⌽+\v
5 ⎕←((≢v)+3)↑2⌽+\v
5 ⎕←1+0,+\v
5 ⎕←+/⎕←1+0,+\v
4 ⎕←(2×+\v),v
4 ⎕←(2×+\v),1+v
4 ⎕←1+3×2⌽+\v
4 ⎕←+/(5|⍳≢v)×2⌽+\7|⍳≢v
4 ⎕←{⌽7|1+3×+\⍵}⍣4⊢v
4 ⎕←{7|(5|⍵)+2⌽+\⍵}⍣4⊢v
4 ⎕←2⌽1+3×+\v
4 ⎕←⌽(v>0)/v×v
5 ⎕←(v>0)\d
4 ⎕←(1⌽v>0)/v
4 ⎕←⍸1⌽v>0
4 ⎕←⍸(v>0),v<5
4 ⎕←(1,(1↓v)≠¯1↓v)/v
4 ⎕←((≢v)↑d>0)/v
4 ⎕←(v>0)/1⌽v×v
4 ⎕←{(⍵>0)/⍵}⌽1+v
4 ⎕←{(⍵>0)/⍵}(1+v),2×v
4 ⎕←+/w←+\v ⋄ ⎕←2↓w
2 ⎕←⌈/,{+/,⍵}⌺3 3⊢((≢v),≢v)⍴1○v
2 ⎕←({(1+⍵),⍵}⍤2)((≢v),(≢d),≢v)⍴d
2 ⎕←({(1+⍵)⍪⍵}⍤2)((≢v),(≢d),≢v)⍴d
2 ⎕←({⌽(1+⍵),⍵}⍤2)((≢v),(≢d),≢v)⍴d
2 ⎕←({(1+⍵),⍵}⍤1)((≢v),(≢d),≢v)⍴d
1 ⎕←2⌿1+((≢v),≢v)⍴d
1 ⎕←2⌿⍉1+v∘.×⌽v
1 ⎕←3⌿1+((≢v),(≢d),≢v)⍴d
1 ⎕←2⌿1○v∘.×v
2 n←⎕ArgInt 'n' 3 ⋄ ⎕←{m←⍵ ⋄ m[n 2;]←m[2 n;] ⋄ m}⍣5⊢v∘.×v
2 n←⎕ArgInt 'n' 3 ⋄ ⎕←{m←⍵ ⋄ m[;n 2]←m[;2 n] ⋄ m}⍣5⊢v∘.×v
2 n←⎕ArgInt 'n' 1 ⋄ ⎕←⌽{n>0:1+⍵ ⋄ 2×⍵}v
2 n←⎕ArgInt 'n' 1 ⋄ ⎕←1⌽{n>0:1+⍵ ⋄ 2×⍵}v
2 n←⎕ArgInt 'n' 1 ⋄ ⎕←3↑{n>0:1+⍵ ⋄ 2×⍵}v
2 n←⎕ArgInt 'n' 1 ⋄ ⎕←⍉{n>0:1+⍵ ⋄ 2×⍵}v∘.×⌽v
2 n←⎕ArgInt 'n' 1 ⋄ ⎕←{⌽{n>0:1+⍵ ⋄ 2×⍵}⍵}⍣3⊢v
5 n←⎕ArgInt 'n' 1 ⋄ ⎕←⌽{n>0:+\⍵ ⋄ 2×⍵}v
END

# What functions ask of groups as a whole is found for all groups at once: three hundred of them take no more kernels than ten.
for line in '⎕←+/k{⍵[⍋⍵][⌈0.5×≢⍵]}⌸v' '⎕←+/k{≢∪⍵}⌸v' '⎕←+/k{+/⍋⍒⍵}⌸v'; do
    printf "n←⎕ArgInt 'n' 3000\nk←n|7919×⍳3000\nv←101|7×⍳3000\n%s\n" "$line" >"$folder/groups.apl"
    for groups in 10 300; do
        "$TAILOR" run -b opencl "$folder/groups.apl" -- --repeat=1 "--n=$groups" 2>&1 |
            sed -n 's/.* \([0-9]*\) kernels$/\1/p' >"$folder/count$groups"
    done
    few=$(cat "$folder/count10") many=$(cat "$folder/count300")
    if [ "${few:-0}" -gt 0 ] && [ "${many:-1000}" -lt $((few + 100)) ]; then
        ok "fusion/$line takes as many kernels for many groups"
    else
        not_ok "fusion/$line takes as many kernels for many groups" "$folder/count300"
    fi
done

# check_form FILE NAME FORM WANTED PATTERN ALSO: what is printed of the file, of $folder, in that form has the pattern, or, as WANTED
# is `no`, has it not; and, to be what is meant, it has the other.
check_form() {
    local found=no
    "$TAILOR" emit "--to=$3" "$folder/$1" >"$folder/kernels" 2>"$folder/errors"
    grep -q -e "$5" "$folder/kernels" && found=yes
    if [ "$found" = "$4" ] && grep -q -e "$6" "$folder/kernels"; then
        ok "fusion/$2"
    else
        cat "$folder/$1" "$folder/errors" "$folder/kernels" >"$folder/found"
        not_ok "fusion/$2" "$folder/found"
    fi
}

# Of a product of matrices a part is computed alone, if that is all that is read of it.
while IFS=' ' read -r whole line; do
    printf "m←2 ⎕ReadNpyDouble 'm.npy'\n%s\n" "$line" >"$folder/line.apl"
    check_form line.apl "$line computes the whole product: $whole" kernels "$whole" ' group tiles_' print
done <<'END'
no ⎕←+/1 1⍉m+.×⍉m
no ⎕←(m+.×⍉m)[3;]
no ⎕←+/(m+.×⍉m)[;2]
no ⎕←2 2↑m+.×⍉m
no ⎕←(m+.×⍉m)[⍳3;5]
yes ⎕←+/+/m+.×⍉m
yes ⎕←⌈/p[1;]×p[;1]⊣p←m+.×⍉m
yes ⎕←⌈/⌈/p÷⍉p←m+.×⍉m
yes ⎕←+/(,p)[1+(≢,p)|⍳1000000]⊣p←m+.×⍉m
yes ⎕←({⍵+p[1+(≢p)|⌊⍵;1]}⍣1000)2⊣p←m+.×⍉m
yes ⎕←({⍵+⌈/p[1+(≢p)|⌊⍵;⍳2]}⍣1000)2⊣p←m+.×⍉m
END

# Strips of elements that share the bits of their index: a fold over rows b of ds of what is given here, for each i < n.
# The numbers that are shifted may begin anywhere; all else has to be as core/locality/bits.c says.
while IFS=';' read -r strips operator rows operand; do
    cat >"$folder/bits.core" <<END
entry main (n : i64, c : i64, m : i64, ds : [30]i64) =
  reduce (+) 0 (map (\\i -> reduce $operator (map (\\(b, d) -> $operand) (zip (iota $rows) (split $rows ds).0))) (iota n))
END
    check_form bits.core "strips: $strips, for $operator of $operand" kernels "$strips" ' var strips_' ' group reduce_'
done <<'END'
yes;(^) 0;30;d * (((i + 1) >>> b) & 1)
yes;(+) 0;30;d * ((i >>> b) & 3)
yes;(*) 1;30;d + ((c + i - 5) >> b)
yes;max (-9223372036854775808);30;d - ((i - 77 + c) >>> b)
yes;(&) (-1);7;d ^ ((i >>> b) & 1) ^ m
no;(\x y -> x - y) 0;30;d * ((i >>> b) & 1)
no;(+) 1;30;d * ((i >>> b) & 1)
no;(+) 0;4;d * ((i >>> b) & 1)
no;(+) 0;30;d * ((i >>> (b + 1)) & 1)
no;(+) 0;30;d * ((b >>> i) & 1)
no;(+) 0;30;d * ((i * 3 >>> b) & 1)
no;(+) 0;30;d * ((5 - i >>> b) & 1)
no;(+) 0;30;d * ((i >>> b) & i)
no;(+) 0;30;d * ((i >>> b) ^ (i + c >>> b))
END

# Rows of a matrix that a work-item reads two elements of at a time (the last of which is named in the text).
while IFS= read -r line; do
    printf "m←2 ⎕ReadNpyDouble 'm.npy' ⋄ v←1 ⎕ReadNpyDouble 'v.npy'\n%s\n" "$line" >"$folder/line.apl"
    check_form line.apl "$line reads two at a time" kernels yes '  -- 2 of 2$' print
done <<'END'
⎕←m+.×v
⎕←+/m
⎕←⌈/|m
⎕←(+/m×m)*0.5
⎕←m⌈.-v
⎕←+/m+.×v
END

# The least reals of rows are found in eight lanes on processors, but not where a row has fewer: the nearest of some centres.
while IFS=' ' read -r wanted columns; do
    printf "n←⎕ArgInt 'n' 9\nc←÷n+(%s,2)⍴⍳n\np←(n,2)⍴÷⍳2×n\nd←2×p+.×⍉c\na←d=⍤1 0⊢⌊/d\n⎕←(⍉a)+.×p\n" "$columns" >"$folder/line.apl"
    check_form line.apl "the least of $columns reals in lanes: $wanted" opencl "$wanted" _lanes_ _on_processor
done <<'END'
yes 8
no 7
END

# A fused program is as far as fusion comes: fused again it stays as it is.
for file in apl-examples/*.apl tests/run/rotate.apl tests/run/transpose.apl tests/run/take_drop.apl tests/run/views.apl; do
    name="fusion/$(basename "$file") stays as it is when it is fused again"
    if "$TAILOR" opt --passes=inline,limits,simplify,fuse -o "$folder/once.core" "$file" 2>"$folder/errors" &&
        "$TAILOR" opt --passes=fuse --explain -o "$folder/twice.core" "$folder/once.core" >"$folder/found" 2>&1 &&
        ! grep -qE '^ *[0-9]+ .*\[(L0 [78]|PLDI 4|REDO)' "$folder/found"; then
        ok "$name"
    else
        not_ok "$name" "$folder/errors" "$folder/found"
    fi
done
