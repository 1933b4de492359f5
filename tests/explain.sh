#!/usr/bin/env bash
# `tailor explain`: what it says of small programs, worked out by hand, and that it has something to say of every
# example. Numbers in names of kernels are left out, and what the work-groups of a reduction do among themselves:
# these are the compiler's business and change with it.
set -u
. "$(dirname "$0")/lib.sh"
cd "$root" || exit 2
folder=$(mktemp -d "$TEST_FOLDER/explain.XXXXXX")

# explains NAME: the program is in NAME.apl, the expectation on standard input.
explains() {
    cat >"$folder/expected"
    (cd "$folder" && "$TAILOR" explain --verify-each "$1.apl") >"$folder/raw" 2>"$folder/errors" || {
        not_ok "explain/$1" "$folder/errors"
        return
    }
    sed -e 's/  (\([a-z_]*\)_[0-9]*\(_steps\)\{0,1\})$/  (\1\2)/' -e '/ a work-item$/d' -e '/between work-groups$/d' "$folder/raw" |
        strip_blanks >"$folder/actual"
    compare "explain/$1" "$folder/expected" "$folder/actual"
}

# ---- fused ---------------------------------------------------------------------------------------
# One redomap over ⍳n, which reads no memory.
cat >"$folder/sum.apl" <<'END'
n ← ⎕ArgInt 'n' 10
⎕ ← +/2×⍳n
END
explains sum <<'END'
sum.apl

Fused
  1 map, 1 reduction
        2  ⎕ ← +/2×⍳n
                ^ ^
    row by row                2:8 → 2:6

Kernels: 1; proven to have no race
  1  reduction over n  (reduce_v)
        2  ⎕ ← +/2×⍳n
           reads   nothing
END

# The sums of neighbours are computed by their three readers: 3 × 3 elements of the matrix, whose vector is read
# cyclically and may be empty.
cat >"$folder/area.apl" <<'END'
n ← ⎕ArgInt 'n' 10
a ← (n n)⍴⎕ReadIntVecFile 'a.txt'
row ← (¯1⌽a)+a+1⌽a
⎕ ← (¯1⊖row)+row+1⊖row
END
explains area <<'END'
area.apl

Fused
  4 maps
        3  row ← (¯1⌽a)+a+1⌽a
                       ^ ^
        4  ⎕ ← (¯1⊖row)+row+1⊖row
                       ^   ^
    row by row                4:17 → 4:13
    computed where it is read 3:13 → 4:13, 3:15 → 3:13

Kernels: 2; all proven to have no race
  where not (≢v ≥ n × n):
    1  copy over n × n  (copy_a)
          2  a ← (n n)⍴⎕ReadIntVecFile 'a.txt'
             reads   v  i64  0 to 1  0 to 8 B  a row
             writes  a  i64  1       8 B       a row
             copies  a cyclic reshape of v: it is stored where its array is too short: a view that divides, read again and again
  2  map over n × n  (map_v)
        3  row ← (¯1⌽a)+a+1⌽a
        4  ⎕ ← (¯1⊖row)+row+1⊖row
           reads   a  i64  9  72 B  a row
           writes  v  i64  1  8 B   a row

Not fused
  2:10  ⍴  copy  →  4:13  +  map
      it is stored where its array is too short: a view that divides, read again and again
END

# No row is kept: the filter is a condition in the sum.
cat >"$folder/kept.apl" <<'END'
v ← ⎕ReadIntVecFile 'v.txt'
⎕ ← +/(v>0)/v
END
explains kept <<'END'
kept.apl

Fused
  1 map, 1 reduction, 1 filter
        2  ⎕ ← +/(v>0)/v
                ^  ^  ^
    row by row                2:9 → 2:6
    without keeping rows      2:12 → 2:6

Kernels: 1; proven to have no race
  1  reduction over ≢v  (reduce_v)
        2  ⎕ ← +/(v>0)/v
           reads   v  i64  1       8 B       a row
END

# The largest sum of a beginning: it is taken where the sums are, and these are not stored.
cat >"$folder/prefix.apl" <<'END'
v ← ⎕ReadIntVecFile 'v.txt'
⎕ ← ⌈/2×+\v
END
explains prefix <<'END'
prefix.apl

Fused
  1 map, 1 reduction, 1 scan
        2  ⎕ ← ⌈/2×+\v
                ^ ^ ^
    row by row                2:8 → 2:6
    in the kernel of its rows 2:10 → 2:6

Kernels: 4; all proven to have no race
  where the device looks back:
    1  scan over ≢v  (scan_v)
          2  ⎕ ← ⌈/2×+\v
             reads   v  i64  1       8 B       a row
  where not (the device looks back):
    2  scan over ≢v  (scan_v)
          2  ⎕ ← ⌈/2×+\v
             reads   v  i64  1       8 B       a row
    3  scan, sums of its groups  (scan_groups_v)
          2  ⎕ ← ⌈/2×+\v
    4  scan, sums carried on over ≢v  (scan_carry_v)
          2  ⎕ ← ⌈/2×+\v
                     v       i64  1       8 B       a row
END

# ---- not fused -----------------------------------------------------------------------------------
# The mean is needed before the first difference from it can be taken.
cat >"$folder/spread.apl" <<'END'
v ← ⎕ReadDoubleVecFile 'v.txt'
m ← (+/v)÷≢v
⎕ ← +/|v-m
END
explains spread <<'END'
spread.apl

Fused
  2 maps, 1 reduction
        3  ⎕ ← +/|v-m
                ^^ ^
    row by row                3:7 → 3:6, 3:9 → 3:7

Kernels: 2; all proven to have no race
  1  reduction over ≢v  (reduce_v)
        2  m ← (+/v)÷≢v
           reads   v  f64  1       8 B       a row
  2  reduction over ≢v  (reduce_v)
        2  m ← (+/v)÷≢v
        3  ⎕ ← +/|v-m
           reads   x   f64  1       8 B       a work-group
                   v   f64  1       8 B       a row

Not fused
  2:7  /  reduce  →  3:6  /  reduce
      not row by row: a scalar has to run between them
      not where it is read: the finished reduction is needed
END

# exp, sin, conversion, + 1 of the index, and one for good measure: 20 + 20 + 3 operations, at six places.
cat >"$folder/dear.apl" <<'END'
n ← ⎕ArgInt 'n' 10
a ← *1○⍳n
⎕ ← +/a×(1⌽a)×(2⌽a)×(3⌽a)×(4⌽a)×5⌽a
END
explains dear <<'END'
dear.apl

Fused
  2 maps
        2  a ← *1○⍳n
               ^ ^
    row by row                2:7 → 2:5

  5 maps, 1 reduction
        3  ⎕ ← +/a×(1⌽a)×(2⌽a)×(3⌽a)×(4⌽a)×5⌽a
                ^ ^     ^     ^     ^     ^
    row by row                3:8 → 3:6, 3:14 → 3:8, 3:20 → 3:14, 3:26 → 3:20,
                              3:32 → 3:26

Kernels: 2; all proven to have no race
  1  map over n  (map_a)
        2  a ← *1○⍳n
           reads   nothing
           writes  a        f64  1  8 B  a row
  2  reduction over n  (reduce_v)
        3  ⎕ ← +/a×(1⌽a)×(2⌽a)×(3⌽a)×(4⌽a)×5⌽a
           reads   a  f64  6       48 B      a row

Not fused
  2:5  *  map  →  3:6  /  reduce
      not row by row: it is read through a view (rotate), at other rows than the one at work
      not where it is read: 6 readers would each compute it: 43 operations an element
END

# An index may be wrong, and then has to be told even where nobody reads the element.
cat >"$folder/failing.apl" <<'END'
i ← ⎕ReadIntVecFile 'i.txt'
b ← (3×⍳5)[i]
⎕ ← b+1⌽b
END
explains failing <<'END'
failing.apl

Fused
  nothing

Kernels: 2; all proven to have no race
  1  map over ≢i  (map_b)
        2  b ← (3×⍳5)[i]
           reads   i  i64  1  8 B  a row
           writes  b  i64  1  8 B  a row
  2  map over ≢i  (map_v)
        3  ⎕ ← b+1⌽b
           reads   b  i64  2  16 B  a row
           writes  v  i64  1  8 B   a row

Not fused
  2:5  (3×⍳5)[i]  map  →  3:6  +  map
      not row by row: it is read through a view (rotate), at other rows than the one at work
      not where it is read: a check in it has to be made for every element, read or not
END

# ---- loops ---------------------------------------------------------------------------------------
cat >"$folder/loop.apl" <<'END'
n ← ⎕ArgInt 'n' 10
k ← ⎕ArgInt 'k' 5
⎕ ← {0.5×⍵+1⌽⍵}⍣k⊢⍳n
END
explains loop <<'END'
loop.apl

Fused
  2 maps
        3  ⎕ ← {0.5×⍵+1⌽⍵}⍣k⊢⍳n
                   ^ ^
    row by row                3:11 → 3:9

Kernels: 3, 1 of them in a loop of the host; all proven to have no race
  1  map over n  (map_v)
        3  ⎕ ← {0.5×⍵+1⌽⍵}⍣k⊢⍳n
           reads   nothing
           writes  v        f64  1  8 B  a row
  in a loop of the host, 1 or k iterations:
        3  ⎕ ← {0.5×⍵+1⌽⍵}⍣k⊢⍳n
    2  map over n  (map_t)
          3  ⎕ ← {0.5×⍵+1⌽⍵}⍣k⊢⍳n
             reads   v  f64  2  16 B  a row
             writes  t  f64  1  8 B   a row
  where the steps stay on the device:
    3  map over n  (map_t_steps)
          3  ⎕ ← {0.5×⍵+1⌽⍵}⍣k⊢⍳n
             reads   v  f64  2  16 B  a row
             writes  t  f64  1  8 B   a row
END

# A tail call that the device ends, or the host: it does not wait in each step. The kernel that finds the greatest change
# also decides.
cat >"$folder/until.apl" <<'END'
n ← ⎕ArgInt 'n' 100
halve ← {0.5×⍵+1⌽⍵}
until ← {⍺≥100: ⍵ ⋄ w←halve ⍵ ⋄ 1e¯6>⌈/|w-⍵: w ⋄ (⍺+1)∇ w}
⎕ ← 0 until ⍳n
END
explains until <<'END'
until.apl

Fused
  4 maps, 1 reduction
        2  halve ← {0.5×⍵+1⌽⍵}
                       ^ ^
        3  until ← {⍺≥100: ⍵ ⋄ w←halve ⍵ ⋄ 1e¯6>⌈/|w-⍵: w ⋄ (⍺+1)∇ w}
                                                 ^^ ^
    row by row                3:40 → 3:39, 3:42 → 3:40, 2:13 → 3:42, 2:15 → 2:13

Kernels: 3, 1 of them in a loop of the host; all proven to have no race
  1  map over n  (map_v)
        4  ⎕ ← 0 until ⍳n
           reads   nothing
           writes  v        f64  1  8 B  a row
  2  copy over 0  (copy_v)
        4  ⎕ ← 0 until ⍳n
           reads   nothing
           writes  v        f64  1  8 B  a row
           copies  a replicate: it is needed as a whole: as the state of a loop
  in a loop that the device ends, the host running ahead:
        4  ⎕ ← 0 until ⍳n
    where not (the loop ends):
      3  reduction over n  (reduce_v)
            2  halve ← {0.5×⍵+1⌽⍵}
            3  until ← {⍺≥100: ⍵ ⋄ w←halve ⍵ ⋄ 1e¯6>⌈/|w-⍵: w ⋄ (⍺+1)∇ w}
               reads   v      f64  2       16 B      a row
               writes  w      f64  1       8 B       a row
END

# Branches in a loop, between which the device chooses: the kernel that finds the greatest says which is taken, the maps of both are
# one kernel.
cat >"$folder/either.apl" <<'END'
n ← ⎕ArgInt 'n' 100
step ← {m←⌈/⍵ ⋄ m>9: ⍵÷+/⍵ ⋄ ⍵×1.5}
⎕ ← step⍣20⊢÷⍳n
END
explains either <<'END'
either.apl

Fused
  nothing

Kernels: 4, 3 of them in a loop of the host; all proven to have no race
  1  map over n  (map_v)
        3  ⎕ ← step⍣20⊢÷⍳n
           reads   nothing
           writes  v        f64  1  8 B  a row
  in a loop of the host, 20 iterations:
        3  ⎕ ← step⍣20⊢÷⍳n
    2  reduction over n  (reduce_m)
          2  step ← {m←⌈/⍵ ⋄ m>9: ⍵÷+/⍵ ⋄ ⍵×1.5}
             reads   v  f64  1       8 B       a row
             says which branch is taken
    3  reduction over n  (reduce_v)
          2  step ← {m←⌈/⍵ ⋄ m>9: ⍵÷+/⍵ ⋄ ⍵×1.5}
             reads   v  f64  1       8 B       a row
             does nothing unless its branch is taken
    4  map over n  (map_t)
          2  step ← {m←⌈/⍵ ⋄ m>9: ⍵÷+/⍵ ⋄ ⍵×1.5}
             reads   x  f64  0 to 1  0 to 8 B  a row
                     v  f64  0 to 1  0 to 8 B  a row
             writes  t  f64  0 to 1  0 to 8 B  a row

Not fused
  2:25  /  reduce  →  2:23  ÷  map
      the finished reduction is needed
END

# ---- versions ------------------------------------------------------------------------------------
# Sums of rows have versions, which sizes and the device choose among; each says when it is.
cat >"$folder/rows.apl" <<'END'
n ← ⎕ArgInt 'n' 10
m ← ⎕ArgInt 'm' 10
⎕ ← +/(n m)⍴⎕ReadDoubleVecFile 'a.txt'
END
(cd "$folder" && "$TAILOR" explain rows.apl) >"$folder/actual" 2>&1
if grep -q '^  where .*m ≤ [0-9]*:$' "$folder/actual" && grep -q '^  where not (.*):$' "$folder/actual" &&
    grep -q 'map over n ' "$folder/actual" && grep -q 'reductions or scans of rows' "$folder/actual"; then
    ok 'explain/versions'
else
    not_ok 'explain/versions' "$folder/actual"
fi
"$TAILOR" explain tests/text/flatten/distribute.core >"$folder/actual" 2>&1
if grep -q '^ *[1-9][0-9]* × map distributed over its function$' "$folder/actual"; then
    ok 'explain/what was flattened'
else
    not_ok 'explain/what was flattened' "$folder/actual"
fi

# ---- conditions ----------------------------------------------------------------------------------
# What the host asks is said in names of the source: a comparison of numbers that it knows, or the guard itself. What is
# written has a name of its own where what is read has the same.
cat >"$folder/guards.apl" <<'END'
v ← ⎕ReadIntVecFile 'v.txt'
n ← ⎕ArgInt 'n' 4
⎕ ← {(2×n)>3: 1+⍵ ⋄ 0=2|n: 2+⍵ ⋄ 9<⌈/⍵: 3+⍵ ⋄ 4+⍵} v
⎕ ← v+⌽v
END
(cd "$folder" && "$TAILOR" explain guards.apl) 2>"$folder/errors" | sed -n '/^Kernels/,/^Not/p' |
    grep -E '^ *(where|reads  *v|writes  *v)' | sed 's/^ *//' >"$folder/actual"
cat >"$folder/expected" <<'END'
where n × 2 > 3:
reads   v  i64  1  8 B  a row
where not (n × 2 > 3):
where 0=2|n:
reads   v  i64  1  8 B  a row
where not (0=2|n):
reads   v  i64  1       8 B       a row
where 9<⌈/⍵:
reads   v  i64  1  8 B  a row
where not (9<⌈/⍵):
reads   v  i64  1  8 B  a row
reads   v   i64  2  16 B  a row
writes  v'  i64  1  8 B   a row
END
compare explain/guards "$folder/expected" "$folder/actual"

# ---- other languages, standard input, --output --------------------------------------------------
# What a core program places is left as it is.
cat >"$folder/placed.core" <<'END'
entry fun main () : () =
  let (n : i64) = argument i64 "n" 10
  let (is : [n]i64) = iota n
  let (a : [n]i64) = map @grid n (is) (\(i : i64) -> { let (j : i64) = i * i in (j) })
  let (b : [n]i64) = map n (a) (\(x : i64) -> { let (y : i64) = x + 1 in (y) })
  let () = print b
  in ()
END
(cd "$folder" && "$TAILOR" explain placed.core) >"$folder/actual" 2>&1
if grep -q 'the program says at which level' "$folder/actual" && grep -q '^Kernels: 2' "$folder/actual"; then
    ok 'explain/a core program'
else
    not_ok 'explain/a core program' "$folder/actual"
fi

# Functions that stay have kernels and boxes of their own.
cat >"$folder/calls.core" <<'END'
fun twice (n_1 : i64, xs_2 : [n_1]i64) : ([n_1]i64) =
  let (ys_3 : [n_1]i64) = map n_1 (xs_2) (\(x_4 : i64) -> {
    let (y_5 : i64) = x_4 * 2
    in (y_5)
  })
  in (ys_3)

entry fun main (n_6 : i64, xs_7 : [n_6]i64) : ([n_6]i64) =
  let (ys_8 : [n_6]i64) = twice(n_6, xs_7)
  let (zs_9 : [n_6]i64) = twice(n_6, ys_8)
  in (zs_9)
END
"$TAILOR" explain --keep-calls "$folder/calls.core" >"$folder/actual" 2>&1
"$TAILOR" explain --keep-calls --dot "$folder/calls.core" >>"$folder/actual" 2>&1
if grep -q '^Kernels: 1;' "$folder/actual" && grep -q '^  function twice$' "$folder/actual" &&
    grep -q 'label="function twice"' "$folder/actual"; then
    ok explain/functions
else
    not_ok explain/functions "$folder/actual"
fi
"$TAILOR" emit --to=tail "$folder/sum.apl" >"$folder/sum.tail"
"$TAILOR" explain "$folder/sum.tail" >"$folder/actual" 2>&1
if grep -q '1 map, 1 reduction' "$folder/actual"; then
    ok 'explain/a TAIL program'
else
    not_ok 'explain/a TAIL program' "$folder/actual"
fi
"$TAILOR" explain -o "$folder/written" - <"$folder/sum.apl" >"$folder/actual" 2>&1
if [ ! -s "$folder/actual" ] && grep -q '^standard input$' "$folder/written"; then
    ok 'explain/standard input to a file'
else
    not_ok 'explain/standard input to a file' "$folder/actual" "$folder/written"
fi

# Life's cells are computed in strips, and so are the sines of samples and points that share bits; elements without
# neighbours are not.
for line in life:'map over n × n, in strips of 4 a work-item' signal:'reduction over n, in strips of 16 a work-item' \
    sobol-pi:'reduction over n, in strips of 16 a work-item' \
    life:'reads   v  bool  5  5 B  a row' hotspot:'map over n × n' blackscholes:'reduction over n'; do
    name=${line%%:*}
    "$TAILOR" explain "apl-examples/$name.apl" >"$folder/actual" 2>&1
    if grep -qE "^ *([0-9]+  )?${line#*:}(  \(|\$)" "$folder/actual"; then
        ok "explain/strips of $name: ${line#*:}"
    else
        not_ok "explain/strips of $name: ${line#*:}" "$folder/actual"
    fi
done

# A length that is one of two, which is computed without a branch: n for a state's first length, as for the later one.
cat >"$folder/two.apl" <<'END'
m ← ⎕ArgInt 'm' 3
x ← ⎕ReadIntVecFile 'x.txt'
step ← {(a b) ← ⍵ ⋄ s ← (+/x)⌈+/⍤1⊢x∘.×a+b ⋄ (m⍴s) (m⍴s)}
⎕ ← (step⍣2)(m↑x) (m↑x)
END
"$TAILOR" explain "$folder/two.apl" >"$folder/actual" 2>&1
if grep -qE '^ +v +i64 +1 × \(n or n_[0-9]+\) +8 × \(n or n_[0-9]+\) B +a row$' "$folder/actual"; then
    ok 'explain/one length of two'
else
    not_ok 'explain/one length of two' "$folder/actual"
fi

# ---- graphs --------------------------------------------------------------------------------------
(cd "$folder" && "$TAILOR" explain --dot sum.apl) >"$folder/actual" 2>&1
cat >"$folder/expected" <<'END'
digraph "sum" {
  compound=true
  node [shape=box, style=rounded, fontname="monospace"]
  edge [fontname="monospace"]
  subgraph cluster_0 {
    label="before fusion"
    b1 [label="map\n2:8  ×"]
    b2 [label="reduce\n2:6  /"]
    b3 [label="print\n2:1  ⎕"]
  }
  b1 -> b2
  b2 -> b3 [style=dashed]
  subgraph cluster_1 {
    label="after fusion"
    a1 [label="reduce\n2:6  /"]
    a2 [label="print\n2:1  ⎕"]
  }
  a1 -> a2 [style=dashed]
}
END
compare 'explain/--dot' "$folder/expected" "$folder/actual"

# --svg hands the graph to `dot`, whichever that is; where there is none, or it fails, no file is left.
mkdir -p "$folder/with" "$folder/without" "$folder/failing"
printf '#!/bin/sh\n[ "$1" = -Tsvg ] && echo "<svg>" && grep -c subgraph\n' >"$folder/with/dot"
printf '#!/bin/sh\nexit 3\n' >"$folder/failing/dot"
chmod +x "$folder/with/dot" "$folder/failing/dot"
PATH=$folder/with:$PATH "$TAILOR" explain --svg -o "$folder/sum.svg" "$folder/sum.apl" >"$folder/errors" 2>&1
if [ "$(cat "$folder/sum.svg")" = '<svg>
2' ]; then
    ok 'explain/--svg'
else
    not_ok 'explain/--svg' "$folder/errors" "$folder/sum.svg"
fi
for kind in without failing; do
    if PATH=$folder/$kind "$TAILOR" explain --svg -o "$folder/none.svg" "$folder/sum.apl" >"$folder/errors" 2>&1 ||
        [ -e "$folder/none.svg" ] || compgen -G "$folder/none.svg.tmp-*" >/dev/null ||
        ! grep -q "^tailor: .*'dot'" "$folder/errors"; then
        not_ok "explain/--svg $kind dot" "$folder/errors"
    else
        ok "explain/--svg $kind dot"
    fi
done

# ---- tiles ---------------------------------------------------------------------------------------
# Which kernels of tests/versions/NAME.core are in tiles, and how often each of their rows reads and writes: with tiles of
# 128 by 64, an element of the first matrix once for 64 of them, one of the second once for 128.
in_tiles() {
    cat >"$folder/expected"
    "$TAILOR" explain --verify-each "tests/versions/$1.core" >"$folder/raw" 2>&1
    awk '/ in tiles of / { inside = 1; sub(/^ *[0-9]+  reductions of rows /, ""); sub(/  \(.*/, ""); print; next }
         /^ *[0-9]+  |^ *where |^ *entry / { if ($0 !~ /\\/) inside = 0 }
         inside && / a row$/ { sub(/^ *(reads|writes)? */, ""); sub(/ *[0-9]+ (× [^ ]+ (÷ [0-9]+ )?)?B *a row$/, ""); print }' \
        "$folder/raw" | sed 's/  */ /g' >"$folder/actual"
    compare "explain/$1" "$folder/expected" "$folder/actual"
}
in_tiles tiles <<'END'
over n × m, in tiles of 64 × 32 in local memory
a f32 1 × p ÷ 32
b f32 1 × p ÷ 64
x f32 1 × pieces
over n × m, in tiles of 128 × 128 in local memory
a f32 1 × p ÷ 128
b f32 1 × p ÷ 128
t f32 1
over n × m, in tiles of 64 × 32 in local memory
a f32 1 × p ÷ 32
b f32 1 × p ÷ 64
t f32 1
over z × n × m, in tiles of 64 × 32 in local memory, by matrix units
a f64 1 × p ÷ 32
b f64 1 × p ÷ 64
x f64 1 × pieces
over z × n × m, in tiles of 64 × 32 in local memory
a f64 1 × p ÷ 32
b f64 1 × p ÷ 64
x f64 1 × pieces
over z × n × m, in tiles of 128 × 128 in local memory, by matrix units
a f64 1 × p ÷ 128
b f64 1 × p ÷ 128
t f64 1
over z × n × m, in tiles of 64 × 64 in local memory, by matrix units
a f64 1 × p ÷ 64
b f64 1 × p ÷ 64
t f64 1
over z × n × m, in tiles of 128 × 64 in local memory
a f64 1 × p ÷ 64
b f64 1 × p ÷ 128
t f64 1
over z × n × m, in tiles of 64 × 32 in local memory, by matrix units
a f64 1 × p ÷ 32
b f64 1 × p ÷ 64
t f64 1
over z × n × m, in tiles of 64 × 32 in local memory
a f64 1 × p ÷ 32
b f64 1 × p ÷ 64
t f64 1
over n × m, in tiles of 64 × 32 in local memory
a f64 1 × p ÷ 32
b f64 1 × p ÷ 64
w f64 1 × p ÷ 2048
x f64 1 × pieces
over n × m, in tiles of 128 × 64 in local memory
a f64 1 × p ÷ 64
b f64 1 × p ÷ 128
w f64 1 × p ÷ 8192
t f64 1
over n × m, in tiles of 64 × 32 in local memory
a f64 1 × p ÷ 32
b f64 1 × p ÷ 64
w f64 1 × p ÷ 2048
t f64 1
over n × n, in tiles of 64 × 32 in local memory
a i64 1 × n ÷ 32
a i64 1 × n ÷ 64
x i64 1 × pieces
over n × n, in tiles of 128 × 64 in local memory
a i64 1 × n ÷ 64
a i64 1 × n ÷ 128
t i64 1
over n × n, in tiles of 64 × 32 in local memory
a i64 1 × n ÷ 32
a i64 1 × n ÷ 64
t i64 1
END
in_tiles untiled </dev/null

# ---- every reason --------------------------------------------------------------------------------
# Each text of core/fuse/reasons.def is the reason of some pair: the program, where the two stand, what they are, and the
# text as it is there.
cp tests/text/fuse/stream-*-not.core tests/text/fuse/stages-not.core tests/text/fuse/overwritten-not.core tests/text/fuse/flat-not.core tests/text/fuse/own-rows.core \
    tests/run/{at_mask,assign_accumulates,branches_accept,kept_places,folds_in_parts,lang_nested_positions,by_rows,few_reductions}.apl \
    tests/run/{find_twice,nested_scans_folded,filter_reduced,branch_widths,lang_axis,lang_lookup,product_computed}.apl \
    tests/run/{core_stream_fused,core_reduce_rows}.core "$folder"

# The neutral element of an operator that only a work-item can apply.
cat >"$folder/neutral.core" <<'END'
entry fun main (n : i64, xs : [n][2]i64) : ([2]i64) =
  let (js : [2]i64) = iota 2
  let (first : [2]i64) = map 2 (js) (\(x : i64) -> { let (y : i64) = n + x let (z : i64) = y * y in (z) })
  let (t : [2]i64) = reduce n (xs) (\(a : [2]i64, b : [2]i64) -> {
    let (a0 : i64) = a[0]
    let (c : [2]i64) = map 2 (js) (\(j : i64) -> {
      let (k : i64) = 1 - j
      let (x : i64) = a[j]
      let (y : i64) = b[k]
      let (z : i64) = x * y
      let (w : i64) = z + a0
      in (w)
    })
    in (c)
  }) (first)
  in (t)
END
# Sums of a hundred arrays, the first sixty of which are a result, too.
{
    printf 'entry fun main (n : i64'
    printf ', x%d : [n]i64' $(seq 100)
    printf ') : ([n]i64, [n]i64) =\n  let (s1 : [n]i64) = map n (x1) (\\(x : i64) -> { let (y : i64) = x * x in (y) })\n'
    for i in $(seq 2 100); do
        printf '  let (s%d : [n]i64) = map n (s%d, x%d) ' "$i" $((i - 1)) "$i"
        printf '(\\(x : i64, y : i64) -> { let (z : i64) = x + y in (z) })\n'
    done
    printf '  in (s60, s100)\n'
} >"$folder/hundred.core"
# A pass of a sort, what makes its elements, and what takes them.
cat >"$folder/digits.core" <<'END'
entry fun main (n : i64, xs : [n]i64) : ([n]i64) =
  let (us : [n]i64) = map n (xs) (\(x : i64) -> { let (u : i64) = x * 3 in (u) })
  let (vs : [n]i64) = digit_sort 1 us
  let (ws : [n]i64) = map n (vs) (\(v : i64) -> { let (w : i64) = v + 1 in (w) })
  in (ws)
END
# Flags that others read, too, and that lie turned; rows that are made of three others, turned.
cat >"$folder/filtered.apl" <<'END'
v←⎕ReadIntVecFile 'v.txt'
k←3×v
⎕←(v>0)/k ⋄ ⎕←k
⎕←(1⌽v>0)/v
END
cat >"$folder/turned.apl" <<'END'
v←⎕ReadIntVecFile 'v.txt'
u←⎕ReadIntVecFile 'u.txt'
w←⎕ReadIntVecFile 'w.txt'
⎕←{(⍵>0)/⍵}⌽u×v+w
END
# Three scans of one vector.
cat >"$folder/scans.apl" <<'END'
v←⎕ReadIntVecFile 'v.txt'
⎕←+/((+\v)×⌈\v)-⌊\v
END
cat >"$folder/filters.apl" <<'END'
v←⎕ReadIntVecFile 'v.txt'
⎕←((v>0)/v),(v≤0)/v
END
# An array that is read turned before an element of it is replaced.
cat >"$folder/replaced.apl" <<'END'
v←⎕ReadIntVecFile 'v.txt'
m←3×v
⎕←(⌽m)+v
m[2]←9
⎕←m
END
# Seventy views of views, each of which is a catenation.
{
    printf "v←⎕ReadIntVecFile 'v.txt'\nx←2×v\n"
    printf 'x←%d,⌽x\n' $(seq 70)
    printf '⎕←+/x×⌽x\n⎕←v+⌽x\n'
} >"$folder/views.apl"
# A sum beside a scan that nothing else takes.
cat >"$folder/beside.apl" <<'END'
v←⎕ReadDoubleVecFile 'v.txt'
⎕←+\v
⎕←+/(⌽v)×3⌽v
END
# A sum of what is timed.
cat >"$folder/timed.apl" <<'END'
v←⎕ReadIntVecFile 'v.txt'
⎕←+/({1+2×⍵}⎕BENCH 5)v
END
# Rows that are folded twice, whose sums are needed in between; the same of groups.
cat >"$folder/nests.apl" <<'END'
n←⎕ArgInt 'n' 1000
m←(n,n)⍴(⍳n×n)÷7
⎕←{w←⍵-(+/⍵)÷n ⋄ w÷⌈/w}⍤1⊢m
⎕←{(+/⍵),⌈/+\⍵}⍤1⊢⌊m
k←1+7|⍳n×n
⎕←k{s←+/⍵ ⋄ +/(⍵-s)*2}⌸,m
END

: >"$folder/reasons"
while IFS=';' read -r program from to reason; do
    [ -e "$folder/$program.left" ] ||
        (cd "$folder" && "$TAILOR" explain "$program" 2>&1) | sed -n '/^Not fused/,$p' >"$folder/$program.left"
    # The pair's line, and the two behind it at most.
    if awk -v from="  $from " -v to="  $to " -v reason="$reason" '
        /^  [^ ]/ { inside = index($0, from) == 1 && index($0, to); next }
        inside && (i = index($0, reason)) && i + length(reason) == length($0) + 1 { found = 1 }
        END { exit !found }' "$folder/$program.left"; then
        ok "explain/$program: $reason"
    else
        not_ok "explain/$program, $from and $to: $reason" "$folder/$program.left"
    fi
    printf '%s\n' "$reason" >>"$folder/reasons"
done <<'END'
beside.apl;2:4;3:9;not one, though both read v: a kernel that scans has nothing else to do
digits.core;2:3;3:3;where a row goes is known when all digits are counted
digits.core;3:3;4:3;where a row goes is known when all digits are counted
hundred.core;95:3;101:3;one kernel of both would be too large
filters.apl;2:18;2:9;not one, though both read v: each filter is a scan of its own, but for filters that keep the same rows
scans.apl;2:13;2:8;not one, though both read v: a work-group that has more sums of each row has fewer rows, and waits more often
neutral.core;3:3;4:3;it is needed as a whole: as a neutral element
views.apl;8:5;73:4;too many maps and views would be computed inside each other (budget)
views.apl;8:5;73:4;it is read through a view (catenate), at other rows than the one at work
lang_lookup.apl;7:2;5:2;the maps inside them do not fit each other
assign_accumulates.apl;92:9;87:11;other rows are read than the one at work
views.apl;8:5;74:4;a check has to run between them
stream-map-not.core;49:3;51:3;an update has to run between them
timed.apl;2:13;2:4;the clock is read between them
stages-not.core;4:3;11:3;checks and effects keep their order
assign_accumulates.apl;5:9;14:1;one of them stands in a loop, branch or function of its own
stream-red-not.core;26:3;30:3;an element of a scan needs all before it
stream-red-not.core;6:3;12:3;the finished reduction is needed
overwritten-not.core;5:3;9:3;what it reads is written in place before the reader has run
filter_reduced.apl;3:10;3:4;how many rows a filter keeps, and where they go, is known when it is done
assign_accumulates.apl;92:9;5:9;where a row goes is known when it is computed
branch_widths.apl;7:14;8:5;a loop makes it
stream-red-not.core;48:3;54:3;a parallel stream and a sequential one stay two
core_stream_fused.core;25:3;46:3;a stream whose accumulators are arrays has fewer chunks
stream-map-not.core;66:3;67:3;there is too much work in it for the few work-items of a stream
stream-red-not.core;34:3;44:3;a chunk's fold would need memory that grows with the chunk
stream-red-not.core;34:3;44:3;a stream makes it in chunks
by_rows.apl;18:9;19:5;it is stored where its array is too short: a view that divides, read again and again
assign_accumulates.apl;14:1;14:1;it is a copy, to be written in place or because the program asks for it
stream-map-not.core;58:3;59:3;the program says at which level or in which space it is made
flat-not.core;6:3;10:3;it is needed as a whole: as a result
kept_places.apl;15:1;41:1;it is needed as a whole: to be printed, formatted or written
filtered.apl;3:5;3:8;a filter goes over it, and it is dear, or others read it, too
filtered.apl;3:5;4:10;a filter goes over it through a view (rotate)
turned.apl;4:6;4:9;a filter goes over it, and would read again, for each row that it keeps, what is read by position
folds_in_parts.apl;7:10;9:18;not one, though both read m: their widths differ
folds_in_parts.apl;32:5;12:4;its folds are for many work-items each, which they are not where other parts are beside it
replaced.apl;2:4;3:7;it is needed as a whole: elements of it are replaced
assign_accumulates.apl;92:9;87:11;it is needed as a whole: as the state of a loop
branches_accept.apl;23:48;23:61;it is needed as a whole: as the result of a branch
core_reduce_rows.core;5:3;26:3;it is needed as a whole: as a row of a result
by_rows.apl;18:14;19:5;it is needed as a whole: as an operand that is no view
lang_axis.apl;50:6;50:1;its rows are not made element by element
stream-map-not.core;31:3;37:3;a check in it has to be made for every element, read or not
find_twice.apl;16:16;9:15;it would be computed again and again: 95 operations an element, in a loop
own-rows.core;18:3;27:3;its sums are stored: work-items share the rows that they are of
product_computed.apl;13:7;5:7;each of its elements would do again what its row does once
nests.apl;4:6;3:21;the finished reduction is needed
nests.apl;3:21;3:19;it is made together with a reduction or a scan
nests.apl;4:6;4:6;not one, though both read positions: one kernel of rows reduces or scans
nests.apl;6:8;6:14;each of them is done for all rows at once
nested_scans_folded.apl;4:7;4:7;what is folded has parallelism of its own, and is done for all rows at once
hundred.core;95:3;101:3;2 readers would each compute it: 471 operations an element
END

# Views that are stored all the same: what is copied, why, and why what makes it does not store it so.
{
    printf 'f0←{1+⍵×⍵}\n'
    for i in $(seq 20); do printf 'f%d←{(f%d ⌽⍵)+f%d 1⌽⍵}\n' "$i" $((i - 1)) $((i - 1)); done
    printf "⎕←f20 ⍳⎕ArgInt 'n' 4\n"
} >"$folder/stay.apl"
cat >"$folder/copies.apl" <<'END'
n←⎕ArgInt 'n' 6
w←+\2×⍳n
⎕←⌽w
⎕←w
⎕←(2×n)⍴×\1+⍳n
⎕←(+\⍳n),⌽⍳n
⎕←{1⌽(2|⍵)/⍵}⍣2⊢⍳n
⎕←{⌽+\⍵}⍣3⊢⌽+\5×⍳n
⎕←0,(⌈\⍳n),⌊\1+⍳n
c←(+\3×⍳n),(0=2|⍳n)/⍳n
⎕←c
END
while IFS=';' read -r program what why other; do
    [ -e "$folder/$program.copies" ] ||
        (cd "$folder" && "$TAILOR" explain "$program" 2>&1) | awk '
            $1 == "copies" { if (line) print line; line = $0 }
            /^ *not made so: / { line = line ";" $0 }
            END { print line }' | sed 's/^ *copies *//; s/; *not made so: /;/' >"$folder/$program.copies"
    if grep -qxF "$what: $why${other:+;$other}" "$folder/$program.copies"; then
        ok "explain/$program: $what: $why"
    else
        not_ok "explain/$program, copies $what: $why" "$folder/$program.copies"
    fi
    printf '%s\n' "$why" ${other:+"$other"} >>"$folder/reasons"
done <<'END'
copies.apl;a reverse of w;it is needed as a whole: to be printed, formatted or written;it is read as it is made, too
copies.apl;a cyclic reshape of v;it is needed as a whole: to be printed, formatted or written;what makes it does not store its rows through a cyclic reshape
copies.apl;a rotate of v;it is needed as a whole: as the state of a loop;how many rows a filter keeps, and where they go, is known when it is done
copies.apl;a reverse of v;it is needed as a whole: as the state of a loop;only results of bodies, and what is printed, are made as their views have them
copies.apl;a reverse of a slice of a range of numbers;it is part of an array whose other parts are made in their places;
copies.apl;a catenate of v;it is needed as a whole: to be printed, formatted or written;how large it is, is only known when it is made
views.apl;a reverse of a catenate of v;one read of it goes through so many views that it is dear;it is there before: a parameter, a literal, or read from a file
stay.apl;a rotate of v;it is needed as a whole: as an argument of a function;it is there before: a parameter, a literal, or read from a file
END

sed -n 's/^CORE_REASON([A-Z]*, "\(..*\)")$/\1/p' core/fuse/reasons.def >"$folder/texts"
while IFS= read -r text; do
    pattern="\(not one, though both read [^ ]*: \)*"$(sed -e 's/{a between}/an* .*/' -e 's/{[a-z]*}/.*/g' <<<"$text")
    if grep -qx -e "$pattern" "$folder/reasons"; then
        ok "explain/an expectation has the reason: $text"
    else
        not_ok "explain/no expectation has the reason: $text"
    fi
done <"$folder/texts"

# ---- waits ---------------------------------------------------------------------------------------
# waits PROGRAM LINE...: where the steps of the program's loop are done.
waits() {
    local program=$1
    shift
    printf 'n ← ⎕ArgInt %sn%s 100\n⎕ ← +/%s⊢⍳n\n' "'" "'" "$program" >"$folder/waits.apl"
    printf '%s\n' "$@" >"$folder/expected"
    "$TAILOR" explain "$folder/waits.apl" 2>&1 | sed -n 's/^ *in a loop/in a loop/p' >"$folder/actual"
    compare "explain/waits $program" "$folder/expected" "$folder/actual"
}

# Views of what a filter keeps, and vectors that may be extended: the host knows how many rows there may be, or asks.
runs='in a loop of the host, 7 iterations:' asks='in a loop of the host, 7 iterations; in each the host waits for'
waits '{w←(0≠5|⍵)/⍵ ⋄ 101|3+(2⌽w)-0,¯1↓⌽w}⍣7' "$runs" "$asks 1 value of the device:"
waits '{w←(0≠5|⍵)/⍵ ⋄ 101|w+(0≠5|⌽⍵)/⍵}⍣7' "$runs" "$asks 2 values of the device:"
waits '{w←(0≠5|⍵)/⍵ ⋄ 1+w[2×⍳⌊0.5×≢w]}⍣7' "$runs" "$asks 1 value of the device:"
# Until as many rows are kept as there were the device says so; until nothing changes, the host asks: that takes kernels.
waits '{(⍵≥⌊(+/⍵)÷1⌈≢⍵)/⌽⍵}⍣{(≢⍺)=≢⍵}' 'in a loop that the device ends, the host running ahead:' \
    'in a loop of the host, as long as a condition holds; in each the host waits for 1 value of the device:'
waits '{(⍵≥⌊(+/⍵)÷1⌈≢⍵)/⍵}⍣≡' 'in a loop that the device ends, the host running ahead:' \
    'in a loop of the host, as long as a condition holds; in each the host waits for 1 value of the device:'
waits '{(⍵≥⌊(+/⍵)÷1⌈≢⍵)/⌽⍵}⍣≡' \
    'in a loop of the host, as long as a condition holds; in each the host waits for up to 2 values of the device:'
# What the host would write in the device's memory, or check, is left to the device: an element, an array's copy, a place.
ahead='in a loop that the device ends, the host running ahead:'
waits '{b←⍵ ⋄ c←(b+1⌽b)÷2 ⋄ c[1]←0 ⋄ c}⍣{0.001>⌈/|⍺-⍵}' "$ahead"
waits '{d←⍵ ⋄ d[⌽⍳n]⌊←1+d[⍳n] ⋄ d}⍣≡' "$ahead"
waits '{{(b h i)←⍵ ⋄ c←b+1 ⋄ h[i]←+/c ⋄ 999<⌈/c: h ⋄ ∇ c h (i+1)}⍵ (0×⍵) 1}' "$ahead"
# Two filters that split an array keep as many rows as it has.
waits '{p←0=2|⍵ ⋄ 101|1+3×(p/⍵),(~p)/⍵}⍣7' "$runs" "$asks 2 values of the device:"
# A number of the rows before, also where each row of a scan is a kernel of its own.
waits ',{+\⍵+⍵[1;1]}⍣7⊢(9 n)⍴' "$runs" 'in a loop of the host, 9 iterations:'
# A replication may be of any length.
waits '{(3|⍵)/⍵+1}⍣7' "$asks 1 value of the device:"

# ---- every example -------------------------------------------------------------------------------
# Every kernel is proven to have no race.
number=0
for file in apl-examples/*.apl; do
    # Under sanitizers one of eight.
    [ "${RUN_C:-1}" -eq 1 ] || [ $((number++ % 8)) -eq 0 ] || continue
    program=$(basename "$file" .apl)
    name="explain/$program"
    if "$TAILOR" explain "$file" >"$folder/actual" 2>"$folder/errors" &&
        ! grep -q '^ *races   ' "$folder/actual" &&
        kernels=$("$TAILOR" emit --to=kernels "$file" | grep -cE '^ *(grid|group) ') &&
        grep -q "^Kernels: $kernels\b" "$folder/actual" && ! grep -qE '(over|×) \?' "$folder/actual" &&
        "$TAILOR" explain --dot "$file" >"$folder/graph" 2>"$folder/errors" &&
        [ "$(grep -c '{$' "$folder/graph")" = "$(grep -c '^ *}$' "$folder/graph")" ]; then
        ok "$name"
    else
        not_ok "$name" "$folder/errors" "$folder/actual"
    fi
    # Graphviz draws a box for each node, and reports nothing.
    command -v dot >/dev/null || continue
    if "$TAILOR" explain --svg "$file" >"$folder/drawn.svg" 2>"$folder/errors" && [ ! -s "$folder/errors" ] &&
        [ "$(grep -c 'class="node"' "$folder/drawn.svg")" = "$(grep -cE '^ *[ab][0-9]+ \[label=' "$folder/graph")" ] &&
        [ "$(tail -n 1 "$folder/drawn.svg")" = '</svg>' ]; then
        ok "$name --svg"
    else
        not_ok "$name --svg" "$folder/errors" "$folder/graph"
    fi
done
