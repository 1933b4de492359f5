"""Expressions with arrays of rank 4 to 7, and empty ones of these ranks."""
from arguments import hidden, shaped

SHAPES = {"rank 4": "2 3 1 2", "rank 5": "2 1 2 1 3", "rank 6": "1 2 1 2 1 2", "rank 7": "1 2 1 2 1 1 2",
          "empty 4": "2 0 3 1", "empty 5": "0 2 1 0 3", "empty 7": "1 2 0 1 2 1 2"}
ITEMS = {"bool": "1 0 1 1 0", "int": "3 ¯1 4 0 5 ¯8 7", "double": "0.5 ¯1.25 3.75 2.5 10.125", "char": "'llamas'"}


def arrays(kinds=ITEMS):
    for kind in kinds:
        for shape, extents in SHAPES.items():
            yield kind, shape, extents.split(), "%s⍴%s" % (extents, ITEMS[kind])


def monadic():
    for kind, shape, extents, x in arrays():
        for f in "⍴,⍪⌽⊖⍉⊃⌷≢≡⊢⊣∊⍋⍒" + ("" if kind == "char" else "+-×|⌊⌈") + ("~" if kind == "bool" else ""):
            yield "mono %s %s %s" % (f, kind, shape), f + hidden(x), None
        yield "mono ⊂ %s %s" % (kind, shape), "⊃⊂" + hidden(x), None
        for axis in range(1, len(extents) + 1):
            yield "mono ⌽ %s %s" % (kind, shape), "⌽[%d]%s" % (axis, hidden(x)), None
        yield "mono , %s %s" % (kind, shape), ",[2 3]" + hidden(x), None
        yield "mono , %s %s" % (kind, shape), ",[1.5]" + hidden(x), None


def dyadic():
    for kind, shape, extents, x in arrays():
        rank, y = len(extents), hidden(x)
        group = lambda f: "dyad %s %s %s" % (f, kind, shape)
        for text in ("%s=%s", "%s,%s", "%s⍪%s", "%s≡%s", "%s≢%s", "%s∊%s", "%s⍷%s", "%s,[2.5]%s", "%s,[2]%s"):
            yield group(text[2]), text % (y, y), None
        yield group(","), "%s,%s" % (y, hidden(ITEMS[kind].split()[0] if kind != "char" else "'x'")), None
        cell = hidden(" ".join(extents[1:]) + "⍴" + ITEMS[kind])
        yield group("⍪"), "%s⍪%s" % (cell, y), None
        yield group(","), "%s,%s" % (y, hidden(" ".join(extents[:-1]) + "⍴" + ITEMS[kind])), None
        for f in "⌽⊖":
            yield group(f), "1%s%s" % (f, y), None
            yield group(f), "¯1%s[3]%s" % (f, y), None
        amounts = extents[:1] + extents[2:]
        yield group("⌽"), "%s⌽[2]%s" % (hidden(" ".join(amounts) + "⍴0 1 ¯1 2"), y), None
        turned = " ".join(str(k) for k in range(rank, 0, -1))
        folded = " ".join(str(k) for k in ([2, 1, 2, 1, 2, 1, 2][:rank]))
        for axes in (turned, folded, " ".join(["1"] * rank)):
            yield group("⍉"), "(%s)⍉%s" % (axes, y), None
        for f in "↑↓":
            yield group(f), "%s%s%s" % (shaped(" ".join(["1", "¯1", "0", "2", "1", "1", "¯3"][:rank])), f, y), None
            yield group(f), "1 ¯1%s[2 4]%s" % (f, y), None
        yield group("⍴"), "%s⍴%s" % (shaped("2 1 2 1 2"), y), None
        yield group("⌷"), "1 1⌷[1 4]%s" % hidden("2 1 2 2⍴" + ITEMS[kind]), None
        if "0" not in extents:
            yield "index " + kind + " " + shape, y + "[" + ";".join(["1", "", "1 1", ""] + [""] * (rank - 4)) + "]", None
            yield "index " + kind + " " + shape, y + "[" + ";".join([""] * (rank - 1) + ["1"]) + "]", None
            yield "index " + kind + " " + shape, y + "[" + ";".join(["1"] * rank) + "]", None
        for axis in range(1, rank + 1):
            count = int(extents[axis - 1])
            counts = " ".join(["2", "0", "1"][:count]) if count else "⍳0"
            bits = " ".join((["1", "0"] * count)) if count else "0 0"
            yield group("/"), "%s/[%d]%s" % (hidden(counts if count != 1 else "1⍴2"), axis, y), None
            yield group("\\"), "%s\\[%d]%s" % (hidden(bits), axis, y), None


def numbers():
    for kind, shape, extents, x in arrays(("bool", "int", "double")):
        y, rank = hidden(x), len(extents)
        for f in "+-×⌈≤":
            yield "dyad %s %s %s" % (f, kind, shape), "%s%s%s" % (y, f, hidden("5")), None
            yield "dyad %s %s %s" % (f, kind, shape), "%s%s%s" % (y, f, y), None
        yield "dyad + %s %s" % (kind, shape), "%s+[2 4]%s" % (hidden(extents[1] + " " + extents[3] + "⍴10 20 30"), y), None
        for axis in range(1, rank + 1):
            for f in ("+", "-", "×") + (("∧", "=") if kind == "bool" else ()):
                yield "op / %s %s" % (f, shape), "%s/[%d]%s" % (f, axis, y), None
                yield "op \\ %s %s" % (f, shape), "%s\\[%d]%s" % (f, axis, y), None
            if int(extents[axis - 1]) > 1:
                yield "op / + windows", "2+/[%d]%s" % (axis, y), None
        yield "op ∘. + %s" % shape, "%s∘.+%s" % (hidden("10 20"), y), None
        yield "op . +.× %s" % shape, "%s+.×%s" % (y, hidden(extents[-1] + " 2⍴1 2 3")), None
        yield "op . +.× %s" % shape, "%s+.×%s" % (hidden("2 " + extents[0] + "⍴1 2 3"), y), None
        yield "dyad ⊥ %s %s" % (kind, shape), "2⊥" + y, None
        yield "dyad ⍸ %s %s" % (kind, shape), "%s⍸%s" % (hidden("¯3 0 4"), y), None
        yield "dyad ⍳ %s %s" % (kind, shape), "%s⍳%s" % (hidden("4 0 2.5"), y), None
        yield "op ¨ %s %s" % (kind, shape), "{⍵×2}¨" + y, None
        for k in () if "0" in extents else ("0", "1", "2", "3", "¯1"):
            yield "op ⍤ %s %s" % (kind, shape), "(%s⍤%s)%s" % ("-" if k == "0" else "⌽", k, y), None
            if k != "0":
                yield "op ⍤ %s %s" % (kind, shape), "(+/⍤%s)%s" % (k, y), None
        if "0" not in extents:
            yield "op ⍤ %s %s" % (kind, shape), "%s(+⍤1)%s" % (hidden(extents[-1] + "⍴10 20 30"), y), None
        yield "op @ %s %s" % (kind, shape), "(0@(=∘0))" + y, None
        if "0" not in extents:
            yield "op @ %s %s" % (kind, shape), "(-@1)" + y, None
    yield from encodes()


def encodes():
    for shape, extents in SHAPES.items():
        x = hidden(extents + "⍴⍳9")
        yield "dyad ⊤ int %s" % shape, "2 3⊤" + x, None
        yield "identity radix", "(5 5⊥5 5⊤%s)≡%s" % (x, x), "1"


# Statements that hold for every array x.
IDENTITIES = (
    ("⌽⌽x", "x"), ("⊖⊖x", "x"), ("⍉⍉x", "x"), ("(⍴x)⍴,x", "x"), ("1⌽¯1⌽x", "x"), ("2⌽[3]¯2⌽[3]x", "x"), ("⍴⍉x", "⌽⍴x"),
    ("≢,x", "×/⍴x"), ("⊖x", "⍉⌽⍉x"), ("x∊x", "(⍴x)⍴1"), ("x=x", "(⍴x)⍴1"), ("⌽[2]x", "2 1 3 4⍉⌽[1]2 1 3 4⍉x"),
    ("(1↑[2]x),[2]1↓[2]x", "x"), ("(¯1↓[3]x),[3]¯1↑[3]x", "x"), ("(⌽⍤2)x", "⌽x"), ("(⊖⍤¯1)x", "⌽[2]x"), ("(⍴x)⍴⌽⌽,x", "x"),
)


def identities():
    for kind, shape, extents, x in arrays():
        if len(extents) == 4:
            for left, right in IDENTITIES:
                if "0" in extents and ("↑" in left or "⍤" in left): # the model does not look for fill cells
                    continue
                both = "(%s)≡%s" % (left, right)
                yield "identity " + shape, both.replace("x", hidden(x)), "1"


def high_ranks():
    for cases in (monadic, dyadic, numbers, identities):
        yield from cases()
