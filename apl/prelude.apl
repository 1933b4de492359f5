⍝ The prelude: what is written in APL rather than in the compiler. It is part of the binary, and each
⍝ definition is read when a program first needs it: a name at the start of a line, then ←, and a dfn or a
⍝ function. Names that begin with ∆ are the compiler's own. Errors inside are reported at the call in the
⍝ user's program.

⍝ ---- operators ------------------------------------------------------------------------------------

⍝ ⍺∘.f⍵: both arguments in the shape (⍴⍺),⍴⍵, then item by item. ⍺ is repeated for every item of ⍵, so
⍝ its own axes come last in the reshape and are rotated to the front.
∆outer ← {
  axes ← (⍴⍴⍺)⌽⍳(⍴⍴⍺)+⍴⍴⍵
  (axes⍉((⍴⍵),⍴⍺)⍴⍺) ⍺⍺¨ ((⍴⍺),⍴⍵)⍴⍵
}

⍝ ⍺ f.g ⍵: both arguments in the shape (¯1↓⍴⍺),(1↓⍴⍵),common axis; g item by item, f along the last.
∆inner ← {
  rows ← ¯1↓⍴⍺ ⋄ columns ← 1↓⍴⍵
  k ← ≢rows ⋄ m ← ≢columns
  left ← ((k+⍳m),(⍳k),k+m+1)⍉(columns,⍴⍺)⍴⍺
  right ← ((⍳k),(k+m+1),k+⍳m)⍉(rows,⍴⍵)⍴⍵
  ⍺⍺/left ⍵⍵¨ right
}

⍝ ⍺ f/⍵ for many items, or where only run time knows ⍺. Reversed windows are those of the reversed items, in
⍝ reverse order: f is in one place only, so that chains of such functions do not double.
∆windows ← {
  f ← ⍺⍺ ⋄ size ← ⍺⌈-⍺
  turn ← {⍺<0:⌽⍵ ⋄ ⍵}
  values ← ⍺ turn ⍵
  ⍺ turn({f/size↑⍵↓values}⍤0)¯1+⍳1+(≢⍵)-size
}

⍝ The same of functions that are associative and commutative, with identity element ⍵⍵, in O(1) for each item: a window
⍝ is the end of a block as long as it is and the beginning of the next one, and all ends, and all beginnings, of blocks
⍝ are scans.
∆longWindows ← {
  f ← ⍺⍺ ⋄ none ← ⍵⍵ ⋄ size ← 1⌈⍺⌈-⍺
  size<32: ⍺(⍺⍺ ∆windows)⍵
  windows ← 1+(≢⍵)-size
  blocks ← (windows+size-1)⎕INT64DIV size
  rows ← ((blocks+1)size)⍴((blocks+1)×size)↑⍵
  windows↑,(¯1↓[1]rows){(⌽f\⌽⍺)f size↑none,f\⍵}⍤1⊢1↓[1]rows
}
⍝ Of sums of whole numbers: differences of sums from the first item on, which may wrap as these do.
∆sumWindows ← {size ← ⍺⌈-⍺ ⋄ sums ← 0,+\⍵ ⋄ (size↓sums)-(-size)↓sums}

⍝ ⍺ f⌸⍵: f of each key ⍺ and of its values, a slice of ⍵ that begins where ⍵⍵ says.
∆key ← {
  f ← ⍺⍺ ⋄ values ← ⍵ ⋄ starts ← ⍵⍵
  ends ← (1↓starts),1+≢⍵
  ⍺({⍺ f(ends[⍵]-starts[⍵])↑[1](starts[⍵]-1)↓[1]values}⍤¯1 0)⍳≢starts
}
⍝ The same of a function that asks of its group only how many there are: ⍵⍵.
∆keyCounted ← {
  f ← ⍺⍺ ⋄ counts ← ⍵⍵
  ⍺({⍺ f(0⌈counts[⍵])⍴0}⍤¯1 0)⍳≢counts
}
⍝ The same of one that asks for folds alone: f of the number of each key's group in place of its values.
∆keyFolded ← {f ← ⍺⍺ ⋄ ⍺({⍺ f ⍵}⍤¯1 0)⍳≢⍵⍵}
⍝ What functions find for groups of ⍵ that begin at ⍺, of all groups behind each other: ⍋, ⍒, and where each item is
⍝ found first.
∆groupUp ← {⍺∆groupOrder⍋⍵}
∆groupDown ← {⍺∆groupOrder⍒⍵}
∆groupOrder ← {
  group ← +\⍺∆groupMarks≢⍵
  (⍵[⍋group[⍵]])-(⍺-1)[group]
}
∆groupFirsts ← {
  marks ← ⍺∆groupMarks≢⍵ ⋄ group ← +\marks ⋄ up ← ⍋⍵
  order ← up[⍋group[up]]
  sorted ← ⍵[order]
  ((marks∨sorted≠¯1⌽sorted)∆firstsOf order)-(⍺-1)[group]
}
∆groupMarks ← {m ← ⍵⍴0 ⋄ m[⍺] ← 1 ⋄ m}
⍝ Positions in a group ⍵, as nobody has to check them.
∆inGroup ← {1+(¯1+≢⍵)⌊0⌈⍺-1}
⍝ First places ⍺ of ⍵, in which nan is found nowhere.
∆notOfNans ← {⍺+(⍵≠⍵)×1+(≢⍵)-⍺}
⍝ Keys in an order in which equal ones are neighbours, those that come first in ⍵ first; where another one begins in that
⍝ order, and where it comes first in ⍵. Nan equals nothing.
∆keyOrder ← {order ← ⍋⍵ ⋄ (∆marks ⍵[order])∆firstBefore order}
∆keyOrderParts ← {order ← ∆orderParts ⍵ ⋄ (∆marks ⍵[order])∆firstBefore order}
∆keyOrderRows ← {
  rows ← ∆rows ⍵ ⋄ order ← ∆gradeRowsUp rows ⋄ sorted ← rows[order;]
  ((≢⍵)↑1,∨/(1 0↓sorted)≠¯1 0↓sorted)∆firstBefore order
}
⍝ The same of keys that the order ⍵ sorts, where ⍺ marks where another one begins: the groups of equal ones are moved as
⍝ wholes, which are fewer to be sorted than keys.
∆firstBefore ← {
  n ← ≢⍵ ⋄ begins ← ⍺/⍳n ⋄ firsts ← ⍺/⍵
  groups ← ⍋firsts
  lengths ← (((1↓begins),n+1)-begins)[groups]
  starts ← 1+(+\lengths)-lengths
  moves ← begins[groups]-starts
  group ← 1⌈(≢groups)⌊+\starts ∆groupMarks n
  ⍵[1⌈n⌊(⍳n)+moves[group]] starts (firsts[groups])
}
⍝ Where each key comes first, and how often it is there.
∆keyCounts ← {(order starts firsts) ← ∆keyOrder ⍵ ⋄ firsts(((1↓starts),1+≢⍵)-starts)}
∆keyCountsClose ← {
  n ← ≢⍵ ⋄ span ← ∆span ⍵
  ~n ∆isClose span: ⍺⍺ ⍵
  size ← 1⌈span ⋄ places ← size ∆places ⍵
  counts ← size⍴0 ⋄ counts[places] +← 1
  firsts ← ((⍳n)=(size ∆firstAt places)[places])/⍳n
  firsts(counts[places[firsts]])
}
⍝ Where each key comes first, which of these keys each key is, and how often it is there.
∆keyNumbers ← {
  n ← ≢⍵ ⋄ first ← ⍵⍳⍵
  firsts ← (first=⍳n)/⍳n
  ranks ← n⍴1 ⋄ ranks[firsts] ← ⍳≢firsts
  numbers ← ranks[first]
  counts ← (≢firsts)⍴0 ⋄ counts[numbers] +← 1
  firsts numbers counts
}
∆keyCountsFound ← {(firsts numbers counts) ← ∆keyNumbers ⍵ ⋄ firsts counts}

⍝ Whole numbers that are close to each other have places in a table, one for each number from the least to the greatest: their
⍝ span, which is not positive where it wraps. ⍺ is how large the table is, or may be.
∆span ← {1+(⌈/⍵)-⌊/⍵}
∆isClose ← {(⍵≥1)∧⍵≤⍺}
⍝ The largest table that is worth its memory for ⍵ items, up to ⍺ numbers an item, or one in tables above 128 MB: how
⍝ much dearer it is to do without, by sorting, or by sorting and a binary search each, says ⍺.
∆room ← {⍵⌈16777216⌊⍺×⍵}
∆places ← {1⌈⍺⌊1+⍵-⌊/⍵}
⍝ Which of ⍵ is the first at each place.
∆firstAt ← {n ← ≢⍵ ⋄ table ← ⍺⍴1+n ⋄ table[⍵] ⌊← ⍳n ⋄ table}
⍝ Each item's first place.
∆firstPlaces ← {size ← 1⌈∆span ⍵ ⋄ places ← size ∆places ⍵ ⋄ (size ∆firstAt places)[places]}
⍝ Where in sorted items another one begins.
∆marks ← {(≢⍵)↑1,(1↓⍵)≠¯1↓⍵}
⍝ Each item's first place, of the order ⍵ that sorts them, in which ⍺ marks where equal ones begin.
∆firstsOf ← {
  n ← ≢⍵ ⋄ firsts ← n⍴0
  firsts[⍵] ← ⍵[⌈\⍺×⍳n]
  firsts
}

⍝ ⌺: the first items of windows, every ⍺th of ⍵; and how many items of windows that begin at ⍵ are fill, before
⍝ the array, or after it (negative). ⍺ is the size of a window, that of the border, that of the array.
∆starts ← {1+⍺×¯1+⍳(⍵+⍺-1)⎕INT64DIV ⍺}
∆padding ← {
  (size border length) ← ⍺
  before ← 0⌈1+border-⍵
  before-(before=0)×0⌈⍵+size-1+border+length
}

⍝ ---- functions ------------------------------------------------------------------------------------

⍝ ⍺≡⍵ of arrays of one rank and kind.
∆match ← {
  ∧/(⍴⍺)=⍴⍵: ∧/,⍺=⍵
  0
}

⍝ ⍺⍳⍵ and ⍺∊⍵ where one side is short, by comparing everything with everything: keys that differ have numbers
⍝ above all of those that do not.
∆indexof ← {n←≢⍺ ⋄ (n+1)⌊⌊/(n×⍵∘.≠⍺)+((⍴⍵),n)⍴⍳n}
∆member ← {∨/⍺∘.=,⍵}

⍝ ⍺⍳⍵ of many, where ⍺⍺ says what comes before and ⍵⍵ sorts by that: each item's first place among the
⍝ sorted keys.
∆search ← {
  n ← ≢⍺
  n=0: (⍴⍵)⍴1
  order ← ⍵⍵ ⍺
  keys ← ⍺[order] ⋄ comes ← ⍺⍺
  {
    item ← ⍵
    place ← {
      low ← ⍵[1] ⋄ high ← ⍵[2]
      low≥high:low
      middle ← ⌊(low+high)÷2
      keys[middle]comes item:∇(middle+1)high
      ∇low middle
    }1(n+1)
    place>n:n+1
    keys[place]=item:order[place]
    n+1
  }¨⍵
}

⍝ ⍵⍳⍵ of many, where ⍺⍺ sorts; nan equals nothing.
∆searchOwn ← {
  n ← ≢⍵ ⋄ order ← ⍺⍺ ⍵
  firsts ← (∆marks ⍵[order])∆firstsOf order
  firsts+(⍵≠⍵)×n+1-firsts
}

⍝ The same of whole numbers: by a table where they are close, and elsewhere as ⍺⍺ does it.
∆searchClose ← {
  low ← ⌊/⍺ ⋄ span ← ∆span ⍺
  ~(16 ∆room(≢⍺)+≢,⍵)∆isClose span: ⍺ ⍺⍺ ⍵
  size ← 1⌈span
  found ← (size ∆firstAt size ∆places ⍺)[1⌈size⌊1+⍵-low]
  found+((⍵<low)∨⍵>⌈/⍺)×(1+≢⍺)-found
}
∆searchOwnClose ← {
  (8 ∆room≢⍵)∆isClose ∆span ⍵: ∆firstPlaces ⍵
  ⍺⍺ ⍵
}
∆searchInts ← {⍺(<∆search ∆order)⍵}
∆searchOwnInts ← {∆order ∆searchOwn ⍵}

⍝ The same one after the other, by hashing with open addressing. The table has a power of two of slots, at least two a key, and in
⍝ each the place of a key, or one above all places; ⍺⍺ takes a key to the slot in which it is looked for first, from 0 on.
∆searchHashed ← {
  table ← ⊃⍺⍺ ∆hashed ⍺ ⋄ slot ← ⍺⍺ ∆slot ⍺
  {table[table slot ⍵]}¨⍵
}
∆searchOwnHashed ← {firsts ← 2⊃⍺⍺ ∆hashed ⍵ ⋄ firsts}
⍝ The table of keys, and the first place of each.
∆hashed ← {
  n ← ≢⍵ ⋄ keys ← ⍵ ⋄ slot ← ⍺⍺ ∆slot ⍵
  enter ← {
    (table firsts i) ← ⍵
    at ← table slot keys[i]
    first ← i⌊table[at]
    table[at] ← first ⋄ firsts[i] ← first
    table firsts(i+1)
  }
  (table firsts i) ← (enter⍣n)((1 ⎕INT64SHL ∆slotBits n)⍴n+1)(n⍴0)1
  table firsts
}
∆slotBits ← {1+⌈2⍟1⌈⍵}
⍝ The slot of table ⍺, from 1 on, in which key ⍵ is, or where it is to go. ⍵⍵ are the keys.
∆slot ← {
  table ← ⍺ ⋄ key ← ⍵ ⋄ keys ← ⍵⍵ ⋄ n ← ≢⍵⍵
  {
    place ← table[1+⍵]
    place>n: 1+⍵
    key=keys[place]: 1+⍵
    ∇(¯1+≢table)⎕INT64AND 1+⍵
  }(∆slotBits n)⍺⍺ key
}
⍝ ⍺ bits that all bits of ⍵ have a part in: products with odd numbers mix upwards.
∆hash64 ← {x ← ⍵×¯7046029254386353131 ⋄ (¯4658895280553007687×x ⎕INT64XOR x ⎕INT64SHR 32)⎕INT64SHR 64-⍺}
∆hash32 ← {x ← ⍵×¯1640531535 ⋄ (¯2048144789×x ⎕INT64XOR x ⎕INT64SHR 15)⎕INT64SHR 32-⍺}
∆searchHashed64 ← {⍺(∆hash64 ∆searchHashed)⍵}
∆searchOwnHashed64 ← {∆hash64 ∆searchOwnHashed ⍵}
⍝ In 32 bits there is no power of two for more keys than this.
∆searchHashed32 ← {
  536870912<≢⍺: ⍺ ∆searchInts ⍵
  ⍺(∆hash32 ∆searchHashed)⍵
}
∆searchOwnHashed32 ← {
  536870912<≢⍵: ∆searchOwnInts ⍵
  ∆hash32 ∆searchOwnHashed ⍵
}

⍝ An order of doubles in which nan, which is not even equal to itself, has a place: after all others.
∆less ← {(⍺<⍵)∨(⍵≠⍵)∧⍺=⍺}

⍝ ⍺?⍵: ⍺ different numbers of ⍳⍵, by sorting random keys.
∆deal ← {⍺↑⍋?⍵⍴0}

⍝ ⍺⌽⍵ with an amount for each vector along the last axis: a view of each, which fuses.
∆rotate ← {⍺({⍺⌽⍵}⍤0 1)⍵}

⍝ ---- sets and searching --------------------------------------------------------------------------------

∆unique ← {(((⍳≢⍵)=⍵⍳⍵)∨⍵≠⍵)/⍵}
∆uniqueSorted ← {order ← ⍋⍵ ⋄ m ← (≢⍵)⍴0 ⋄ m[(∆marks ⍵[order])/order] ← 1 ⋄ m/⍵}
⍝ The same of items ⍺ with whole numbers ⍵.
∆uniqueClose ← {
  (2 ∆room≢⍵)∆isClose ∆span ⍵: ((⍳≢⍵)=∆firstPlaces ⍵)/⍺
  ⍺ ⍺⍺ ⍵
}
∆uniqueInts ← {∆uniqueSorted ⍺}
∆uniqueFound ← {((⍳≢⍵)=⍵⍳⍵)/⍺}
∆union ← {⍺,(~⍵∊⍺)/⍵}
∆intersection ← {(⍺∊⍵)/⍺}
∆without ← {(~⍺∊⍵)/⍺}
∆where ← {⍵/⍳≢⍵}
⍝ (x@g)⍵, (f@g)⍵ and x(f@g)⍵ of a scalar x and a scalar function f: item by item, ⍺ is what g says.
∆put ← {x ← ⍺⍺ ⋄ ⍺{⍺:x ⋄ ⍵}¨⍵}
∆putOf ← {f ← ⍺⍺ ⋄ ⍺{⍺:f ⍵ ⋄ ⍵}¨⍵}
∆putWith ← {f ← ⍺⍺ ⋄ x ← ⍵⍵ ⋄ ⍺{⍺:x f ⍵ ⋄ ⍵}¨⍵}
∆truths ← {(⍵=0)∨⍵=1}
⍝ The greatest item that is not good; where all are, a number less than any. Codes of what has no order: ∆decoded.
∆most ← {(good none least nan) ← ⍺ ⋄ ⌈/,good{⍺:none ⋄ ⍵⌈least}¨⍵}
∆mostReal ← {(good none least nan) ← ⍺ ⋄ ⌈/,good{⍺:none ⋄ ⍵≠⍵:nan ⋄ ⍵⌈least}¨⍵}
∆decoded ← {(good none least nan) ← ⍺ ⋄ ⍵=nan:0÷0 ⋄ ⍵=least:⍟0 ⋄ ⍵}

⍝ After how many items the first one comes that is less than the one before; where there is none, all.
∆descent ← {
  falls ← ~(1↓⍵)≥¯1↓⍵
  (≢⍵)⌊⌊/(⍳≢falls)+(~falls)×≢⍵
}
⍝ How many of the ascending keys ⍺ are not above each item of ⍵: every step halves the rest.
∆interval ← {
  keys ← ⍺ ⋄ values ← ⍵ ⋄ n ← ≢⍺
  steps ← ⌈2⍟1+n
  narrow ← {
    below ← ⍵[1] ⋄ step ← ⍵[2]
    next ← below+step
    ok ← (next≤n)∧values≥keys[1⌈n⌊next]
    (below+step×ok)(⌊step÷2)
  }
  n=0: (⍴values)⍴0
  ⊃(narrow⍣steps)((⍴values)⍴0)(⌊2*steps-1)
}

⍝ Where the pattern ⍺ begins in ⍵, both vectors.
∆findInList ← {
  n ← ≢⍵ ⋄ size ← ≢⍺
  fits ← (⍳n)≤1+n-size
  fits∧∧/((1⌈n)↑⍵)[(1⌈n)⌊(¯1+⍳n)∘.+⍳size]=(n,size)⍴⍺
}
⍝ The same of arrays of one rank: an index into the ravel for every item of a window.
∆find ← {
  shape ← ⍴⍵ ⋄ size ← ⍴⍺
  strides ← ⌽¯1↓×\1,⌽shape
  places ← shape⊤¯1+⍳×/shape
  offsets ← size⊤¯1+⍳×/size
  fits ← ∧⌿places≤(⍴places)⍴⍉(⌽⍴places)⍴shape-size
  starts ← fits×strides+.×places
  shape⍴fits∧∧/((1⌈≢,⍵)↑,⍵)[1+(¯1+1⌈≢,⍵)⌊starts∘.+strides+.×offsets]=((⍴starts),×/size)⍴,⍺
}

⍝ Each item behind a 1: padded by zeros, what is shorter comes first.
∆marked ← {,⍉(2,≢⍵)⍴((≢⍵)⍴1),⍵}

⍝ The major cells of ⍵ as rows.
∆rows ← {((≢⍵),×/1↓⍴⍵)⍴⍵}
⍝ Stable order of rows, where ⍺⍺ grades a column: by the last one first; of many columns by the first ones, more and more
⍝ of them, until rows that are equal there are the same.
∆gradeRows ← {
  rows ← ⍵ ⋄ grade ← ⍺⍺ ⋄ n ← ⊃¯1↑⍴⍵
  step ← {(order k) ← ⍵ ⋄ (order[grade rows[order;k]])(k-1)}
  by ← {⊃(step⍣⍵)(⍳≢rows)⍵}
  n≤4: by n
  further ← {k ← n⌊2⌈4×⊃⍵ ⋄ k(by k)}
  done ← {
    (k order) ← ⍺ ⋄ x ← rows[¯1↓order;] ⋄ y ← rows[1↓order;]
    same ← (x=y)∨(x≠x)∧y≠y
    (k≥n)∨~∨/(∧/same∨(⍴same)⍴k<⍳n)∧∨/~same
  }
  2⊃(further⍣done)0(⍳≢⍵)
}
∆gradeRowsUp ← {⍋∆gradeRows ⍵}
∆gradeRowsDown ← {⍒∆gradeRows ⍵}

⍝ ---- number systems -----------------------------------------------------------------------------------

⍝ A single radix is that of all digits.
∆radices ← {((≢⍺)+(1=≢⍺)×¯1+≢⍵)⍴⍺}
⍝ A single radix for all digits of each row of ⍵; a single digit for all radices.
∆widened ← {1=⊃⌽⍴⍵:(≢⍺)/⍵ ⋄ ⍵}
∆heightened ← {(⊃⌽⍴⍺)⌿⍵}
⍝ Each digit weighs the product of the radices to its right.
∆decode ← {(⌽(-(⍳⍴⍴⍺)=⍴⍴⍺)↓×\1,⌽⍺)+.×⍵}

⍝ Radix 0 takes all that is left: dividing by 0 gives 0, and 0|x is x. Where a weight exceeds what an int
⍝ holds, the quotient is 0, or ¯1 of a negative number.
∆encode ← {
  ∧/,0≤⍺: ⍺ ∆encodeAtOnce ⍵
  ⍺(⎕INT64DIV ∆encodeInTurn)⍵
}
⍝ Ints that have wrapped are less than half of what they should be.
∆encodeAtOnce ← {weights ← ,∆weights ⍺ ⋄ ⍺(weights ∆encodeBy(weights<,0.75×∆weights 1.0×⍺))⍵}
⍝ ⍺⍺: what the digits weigh; ⍵⍵: whether that exceeds what an int holds.
∆encodeBy ← {
  radix ← ,⍺ ⋄ weights ← ⍺⍺ ⋄ beyond ← ⍵⍵
  ((⍴⍺),⍴⍵)⍴(⍳≢radix)∘.{
    quotient ← (⍵ ⎕INT64DIV weights[⍺])×~beyond[⍺]
    radix[⍺]|quotient-beyond[⍺]×⍵<0
  }⍵
}
⍝ Of weights that are known not to.
∆encodeNear ← {
  radix ← ,⍺ ⋄ weights ← ⍺⍺
  ((⍴⍺),⍴⍵)⍴(⍳≢radix)∘.{radix[⍺]|⍵ ⎕INT64DIV weights[⍺]}⍵
}
⍝ The last digit keeps the fraction.
∆encodeReals ← {
  ∧/,∆counts ∆upper ⍺: ⍺ ∆encodeRealsAtOnce ⍵
  ⍺({⍺÷⍵+⍵=0}∆encodeInTurn)⍵
}
∆encodeRealsAtOnce ← {⍺((,∆weights ⍺)∆encodeRealsBy)⍵}
∆encodeRealsBy ← {
  radix ← ,⍺ ⋄ weights ← ⍺⍺ ⋄ last ← (≢radix)-×/1↓⍴⍺
  ((⍴⍺),⍴⍵)⍴(⍳≢radix)∘.{
    weight ← weights[⍺]
    whole ← (⍵-weight|⍵)÷weight+weight=0
    ⍺>last: radix[⍺]|⍵+0.0
    radix[⍺]|whole
  }⍵
}
⍝ All but the last radices; whether these count: a quotient of a floor by them is the floor of the quotient.
∆upper ← {(-(⍳⍴⍴⍵)=1)↓⍵}
∆counts ← {(0≤⍵)∧⍵=⌊⍵}
⍝ One digit after the other, of what those below it leave, by the quotient ⍺⍺: for radices that are negative or no whole
⍝ numbers.
∆encodeInTurn ← {
  quotient ← ⍺⍺ ⋄ columns ← ⍉((≢⍺),×/1↓⍴⍺)⍴⍺
  digits ← {
    radix ← ⍺ ⋄ n ← ≢⍺
    step ← {
      out ← ⍵[1] ⋄ rest ← ⍵[2] ⋄ k ← ⍵[3]
      digit ← radix[k]|rest
      out[k] ← digit
      out ((rest-digit)quotient radix[k]) (k-1)
    }
    ⊃(step⍣n)(n⍴⍵) ⍵ n
  }
  each ← {radix ← ⍺ ⋄ ({radix digits ⍵}⍤0)⍵}
  ((⍴⍺),⍴⍵)⍴2 3 1⍉columns(each⍤1),⍵
}
⍝ What a digit weighs: the product of the radices below it.
∆weights ← {(⍴⍵)⍴⊖×⍀⊖(((⍳⍴⍴⍵)=1)↓⍵)⍪1}

⍝ ---- complex numbers ----------------------------------------------------------------------------------

⍝ Of complex scalars, in terms of parts (9○ 11○), magnitude and angle (12○). Principal values are those of
⍝ P. Penfield (Principal values and branch cuts in complex APL, 1981), as in ISO 13751: a cut belongs to the
⍝ side that comes first counter-clockwise around the branch point. Inverse functions are computed as W. Kahan
⍝ does (Branch cuts for complex elementary functions, 1987), without cancellation, but with only one zero.
∆J ← {⍺+¯11○⍵}
∆direction ← {size ← |⍵ ⋄ size=0:0J0 ⋄ ⍵÷size}
∆ln ← {(⍟|⍵)∆J 12○⍵}
∆log ← {(⍟⍵)÷⍟⍺}
⍝ (s,y÷2×s) is the root of (x,y) where x≥0, (|y)÷2×s and ±s otherwise: s×s is the mean of |x and the magnitude.
∆root ← {
  x ← 9○⍵ ⋄ y ← 11○⍵
  s ← (0.5×(|x)+|⍵)*0.5
  s=0:0J0
  x≥0:s ∆J y÷2×s
  ((|y)÷2×s)∆J s×1-2×y<0
}
∆power ← {
  n ← 9○⍵
  (0=11○⍵)∧(64≥|n)∧0=1|n:⍺*⌊n
  0≠|⍺:*⍵×⍟⍺
  n>0:0J0
  0J0÷0J0
}
⍝ E. E. McDonnell's floor (Complex floor, 1973): the Gaussian integer at the lower left corner of the square
⍝ that ⍵ is in, or the next one to the right or above, where the sum of the fractions is 1 or more.
∆floor ← {
  x ← 9○⍵ ⋄ y ← 11○⍵
  p ← 1|x ⋄ q ← 1|y
  corner ← (x-p)∆J y-q
  (p=0)∨(q=0)∨1>p+q:corner
  p≥q:corner+1
  corner+0J1
}
∆residue ← {0=|⍺:⍵ ⋄ ⍵-⍺×⌊⍵÷⍺}

∆sin ← {x ← 9○⍵ ⋄ y ← 11○⍵ ⋄ ((1○x)×6○y)∆J(2○x)×5○y}
∆cos ← {x ← 9○⍵ ⋄ y ← 11○⍵ ⋄ ((2○x)×6○y)∆J-(1○x)×5○y}
∆tan ← {
  t ← 3○9○⍵ ⋄ u ← 7○11○⍵
  n ← 1+t×t×u×u
  ((t×1-u×u)÷n)∆J(u×1+t×t)÷n
}
∆sinh ← {x ← 9○⍵ ⋄ y ← 11○⍵ ⋄ ((5○x)×2○y)∆J(6○x)×1○y}
∆cosh ← {x ← 9○⍵ ⋄ y ← 11○⍵ ⋄ ((6○x)×2○y)∆J(5○x)×1○y}
∆tanh ← {¯11○-3○¯11○⍵}
∆rootBelow ← {(1-⍵×⍵)*0.5}
∆rootAbove ← {(1+⍵×⍵)*0.5}
∆rootBeyond ← {(-1+⍵×⍵)*0.5}
∆inverseRoot ← {⍵=¯1:0J0 ⋄ (⍵+1)×((⍵-1)÷⍵+1)*0.5}
∆arcsin ← {
  r ← (1-⍵)*0.5 ⋄ s ← (1+⍵)*0.5
  (12○(9○r×s)∆J 9○⍵)∆J ¯5○11○s×+r
}
∆arccos ← {
  r ← (1-⍵)*0.5 ⋄ s ← (1+⍵)*0.5
  (2×12○(9○s)∆J 9○r)∆J ¯5○11○r×+s
}
∆arccosh ← {
  r ← (⍵-1)*0.5 ⋄ s ← (⍵+1)*0.5
  (¯5○9○s×+r)∆J 2×12○(9○s)∆J 11○r
}
∆arcsinh ← {¯11○-¯1○¯11○⍵}
∆arctanh ← {
  x ← 9○⍵ ⋄ y ← 11○⍵
  (0.5×¯7○2×x÷1+(x×x)+y×y)∆J 0.5×(12○1+⍵)-12○1-⍵
}
∆arctan ← {¯11○-¯7○¯11○⍵}

⍝ ⍟!⍵ but for multiples of 0J2×○1, by C. Lanczos' sum (A precision approximation of the gamma function, 1964) with P.
⍝ Godfrey's coefficients for g = 607÷128. Left of ¯0.5 by reflection: !z is (○z)÷(1○○z)×!-z; far from the real axis
⍝ one of the sine's exponentials is nothing beside the other, which may overflow.
∆lanczos ← {
  terms ← 57.156235665862923517 ¯59.597960355475491248 14.136097974741747174 ¯0.49191381609762019978
  terms ← terms,3.3994649984811888699E¯5 4.6523628927048575665E¯5 ¯9.8374475304879564677E¯5
  terms ← terms,1.5808870322491248884E¯4 ¯2.1026444172410488319E¯4 2.1743961811521264320E¯4
  terms ← terms,¯1.6431810653676389022E¯4 8.4418223983852743293E¯5 ¯2.6190838401581408670E¯5
  terms ← terms,3.6899182659531622704E¯6
  t ← ⍵+5.2421875
  (⍟0.99999999999999709182++/terms÷⍵+⍳14)+(0.5×⍟○2)+((⍵+0.5)×⍟t)-t
}
∆lnFactorial ← {
  (9○⍵)≥¯0.5:∆lanczos ⍵
  y ← 11○⍵ ⋄ whole ← ⌊0.5+9○⍵
  sine ← {
    100>|y:⍟(1-2×2|whole)×∆sin○⍵-whole
    ((○|y)-⍟2)∆J(×y)×○0.5-9○⍵
  }⍵
  (⍟○⍵)-sine+∆lanczos-⍵
}
∆factorial ← {0=11○⍵:(!9○⍵)∆J 0 ⋄ *∆lnFactorial ⍵}
∆binomial ← {
  belowZero ← {(0=11○⍵)∧(0>9○⍵)∧0=1|9○⍵}
  (0=11○⍺)∧0=11○⍵:((9○⍺)!9○⍵)∆J 0
  (belowZero ⍺)∨belowZero ⍵-⍺:0J0
  belowZero ⍵:0J0÷0J0
  *(∆lnFactorial ⍵)-(∆lnFactorial ⍺)+∆lnFactorial ⍵-⍺
}

⍝ ⍺⊤⍵ of complex numbers and a list ⍺: each digit is the residue of the quotient that those below it leave.
∆encodeComplex ← {
  radix ← ⍺+0J0 ⋄ n ← ≢⍺
  digits ← {
    step ← {
      out ← ⍵[1] ⋄ rest ← ⍵[2] ⋄ k ← ⍵[3]
      r ← radix[k]
      quotient ← {r=0:0J0 ⋄ ⌊⍵÷r}rest
      out[k] ← rest-r×quotient
      out quotient (k-1)
    }
    ⊃(step⍣n)(n⍴0J0) ⍵ n
  }
  ((1+⍳⍴⍴⍵),1)⍉(digits⍤0)⍵+0J0
}

⍝ For searching: complex numbers lexicographically.
∆lessParts ← {
  (9○⍺)∆less 9○⍵:1
  (9○⍵)∆less 9○⍺:0
  (11○⍺)∆less 11○⍵
}
∆order ← {⍋⍵}
∆orderParts ← {second ← ⍋11○⍵ ⋄ second[⍋(9○⍵)[second]]}

⍝ ---- linear equations ------------------------------------------------------------------------------------

∆identity ← {(⍳⍵)∘.=⍳⍵}

⍝ The x that makes ⍺-⍵+.×x least, of matrices: Householder reflections of both, side by side, make ⍵
⍝ triangular, column by column, and then the rows give x from the last to the first.
∆reflect ← {
  rows ← ⍳≢⍵ ⋄ n ← (⍴⍵)[2]
  reflect ← {
    m ← ⍵[1] ⋄ k ← ⍵[2]
    x ← m[;k]×rows≥k
    v ← x+(rows=k)×((+/9○x×+x)*0.5)×(×x[k])+x[k]=0
    length ← +/9○v×+v
    scale ← (length>0)×2÷length+length=0
    (m-v∘.×scale×(+v)+.×m)(k+1)
  }
  ⊃(reflect⍣n)(⍵,⍺) 1
}
⍝ The first of ⍺ columns that depends on those before; ⍺+1 where none does.
∆dependent ← {
  diagonal ← |1 1⍉(⍺,⍺)↑⍵
  regular ← diagonal>1E¯13×⌈/0,diagonal
  (⍺+1)⌊⌊/(⍳⍺)+⍺×regular
}
∆solve ← {
  n ← ⍺ ⋄ r ← (n,n)↑⍵ ⋄ q ← (n,(⍴⍵)[2]-n)↑(0,n)↓⍵
  back ← {
    x ← ⍵[1] ⋄ k ← ⍵[2]
    x[k;] ← (q[k;]-r[k;]+.×x)÷r[k;k]
    x(k-1)
  }
  ⊃(back⍣n)((⍴q)⍴0.0) n
}

⍝ ---- expand ---------------------------------------------------------------------------------------------

⍝ How many items ⍵ takes: one for each positive count.
∆taken ← {+/⍵>0}
⍝ How many there are of ⍵ to take ⍺ from: a single item extends.
∆extended ← {⍵+(⍵=1)×⍺-⍵}
⍝ For each item of the result of ⍺\, its place among ⍵ items followed by a fill element.
∆expand ← {
  places ← (⍺>0)∆expandTruths ⍵
  (1⌈|⍺+(⍺<0)∧⍺=-⍺)/places      ⍝ the least int has no magnitude: one less is large enough
}
⍝ The same where ⍺ says whether each item of the result is one of them.
∆expandTruths ← {(1+⍵)-⍺×1+⍵-1⌈⍵⌊+\⍺}

⍝ ---- fields of ⍕ ----------------------------------------------------------------------------------------

⍝ How many widths and decimals ⍵ stands for, where it is right for ⍺ columns.
∆fieldCount ← {(≢⍵)∊1 2: ≢⍵ ⋄ 2×⍺}
∆goodFields ← {~(1000<|⍵)∨(⍵<0)∧(1<≢⍵)∧1=2|⍳≢⍵}

⍝ ---- names of older programs ------------------------------------------------------------------------

ReadCSVDouble ← ⎕ReadDoubleVecFile
ReadCSVInt ← ⎕ReadIntVecFile
and ← ⎕INT32AND
xor ← ⎕INT32XOR
sll ← ⎕INT32SHL
srl ← ⎕INT32SHR
testBit ← {0≠⍵ ⎕INT32AND 1 ⎕INT32SHL ⍺-1}
now ← ⎕NOW
bench ← {                              ⍝ f 0, and milliseconds a call, of ⍵ calls one after the other
  f ← ⍺⍺
  start ← ⎕NOW 0
  result ← ({f 0×⍵}⍣⍵)0
  result,((⎕NOW 1)-start)÷⍵
}
