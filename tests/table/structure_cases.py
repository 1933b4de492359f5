"""Expressions with structural functions: shapes, joining, rotating, taking, selecting, replicating, indexing."""
from arguments import LEFT, POSITIVE, RIGHT, SHAPES, TYPES, hidden, hidden_unless, mirrored, shaped

# How a monadic primitive is shown, where its result is nested, or hidden shapes would hide the structure.
MONADIC = {
    "⊂": ("⊃⊂%s", hidden), "↓": ("↑↓%s", shaped), "↑": ("↑%s", hidden), "∊": ("∊%s", hidden),
}
STRUCTURAL_MONADIC = "⍴,⍪⌽⊖⍉↑↓⊃⊂⌷≢≡⊢⊣∊⍋⍒∪⍸"
ONLY_DYADIC = "∧∨⍲⍱<≤=≥>≠∩⍷⊥⊤"


def monadic_structural():
    for f in STRUCTURAL_MONADIC:
        form, mark = MONADIC.get(f, (f + "%s", hidden))
        for kind in TYPES:
            for shape in SHAPES:
                argument = (POSITIVE if f == "⍸" else RIGHT)[kind][shape]
                plain = f == "⍸" and (shape in ("matrix", "cube") or (kind, shape) == ("char", "empty"))
                argument = hidden_unless(True, argument) if plain else mark(argument)
                if f == "⍸" and shape in ("matrix", "cube"):
                    yield "mono ⍸ %s %s" % (kind, shape), "↑⍸" + argument, None
                    continue
                yield "mono %s %s %s" % (f, kind, shape), form % argument, None
        if f in "⍴,⍪⌽⊖⍉≢≡⊢⊣∊⌷":
            yield "mono %s int rank 7" % f, form % mark("1 2 1 2 1 1 2⍴⍳8"), None
            yield "mono %s int empty" % f, form % mark("2 0 3⍴7"), None
            yield "mono %s char empty" % f, form % mark("0 2⍴'x'"), None
            yield "mono %s int one-item" % f, form % mark("1 1⍴7"), None
    for f in ONLY_DYADIC:
        for kind in TYPES:
            yield "mono %s %s vector" % (f, kind), f + hidden(RIGHT[kind]["vector"]), None
    for kind in TYPES:
        for shape in SHAPES:
            one = shape not in ("vector", "empty")
            argument = shaped(RIGHT[kind][shape]) if one else hidden_unless(True, RIGHT[kind][shape])
            yield "mono ⍳ %s %s" % (kind, shape), ("⍳" if one else "∊⍳") + argument, None
    for text in ("2 3", "3 1 2", "1 1", "2 ¯1", "2 0"):
        yield "mono ⍳ int vector", "10⊥¨⍳(%s)" % text, None
    for text in ("0", "1", "5", "6.0", "1⍴4", "¯1", "2.5"):
        yield "mono ⍳ int scalar", "⍳" + shaped(text), None
    for k in (1, 2, 3):
        yield "mono ⌽ int axis", "⌽[%d]%s" % (k, hidden("2 3 2⍴⍳12")), None
        yield "mono ⊖ int axis", "⊖[%d]%s" % (k, hidden("2 3 2⍴⍳12")), None
        yield "mono ⌽ char axis", "⌽[%d]%s" % (k, hidden("2 2 2⍴'abcdefgh'")), None
    for text in ("[1 2]", "[2 3]", "[1 2 3]", "[1]", "[0.5]", "[1.5]", "[3.5]", "[⍬]", "[1 3]", "[4]"):
        yield "mono , int axis", ",%s%s" % (text, hidden("2 3 2⍴⍳12")), None
        yield "mono , char axis", ",%s%s" % (text, hidden("2 2 2⍴'abcdefgh'")), None
    for text in ("[1]", "[2]"):
        yield "mono ↓ int axis", "↑↓%s%s" % (text, shaped("2 3⍴⍳6")), None
    yield from ((("mono ⌽ int axis"), "⌽[%s]%s" % (k, hidden("2 3⍴⍳6")), None) for k in ("0", "3", "1.5"))
    for text, gives in (("?6 6⍴1", "1"), ("(?100⍴6)∊⍳6", "1"), ("0<?50⍴0", "1"), ("1>?50⍴0", "1")):
        yield "mono ? int vector", "∧/,1=" + text, gives
    for kind, shape, text in (("int", "scalar", "6"), ("int", "vector", "1 2 3"), ("int", "matrix", "2 3⍴4"),
                              ("int", "cube", "2 2 2⍴9"), ("int", "empty", "⍳0"), ("bool", "scalar", "1"),
                              ("bool", "vector", "1 1 1"), ("bool", "matrix", "2 2⍴1"), ("bool", "cube", "2 2 2⍴1"),
                              ("bool", "empty", "0⍴1"), ("double", "scalar", "6.0"), ("double", "vector", "2.0 5.0"),
                              ("double", "matrix", "2 2⍴3.0"), ("double", "cube", "2 2 2⍴9.0"),
                              ("double", "empty", "0⍴2.0")):
        x = hidden(text)
        yield "mono ? %s %s" % (kind, shape), "{∧/,(⍵≤%s)∧⍵≥1}?%s" % (x, x), "1"
        yield "mono ? %s %s" % (kind, shape), "(⍴?%s)≡⍴%s" % (x, x), "1"
    for shape in SHAPES:
        yield "mono ? char " + shape, "?" + hidden(RIGHT["char"][shape]), None
    yield "mono ? int scalar", "?" + hidden("¯2"), None
    yield "mono ? double scalar", "?" + hidden("2.5"), None


def reshapes():
    for kind in TYPES:
        for shape in SHAPES:
            source = hidden(RIGHT[kind][shape])
            for to in ("7", "2 3", "0", "2 0 2", "1 2 1 3", "⍬"):
                yield mirrored("⍴", shaped(to) if to != "⍬" else to, source, kind, shape)
    yield mirrored("⍴", shaped("1 2 1 2 1 1 2"), hidden("⍳3"), "int", "rank 7")
    yield mirrored("⍴", shaped("1⍴3"), hidden("'ab'"), "char", "one-item")
    for wrong in ("¯1", "2 ¯3", "1.5", "'a'", "2 2⍴2"):
        yield mirrored("⍴", shaped(wrong), hidden("⍳3"), "int", "errors")
    yield mirrored("⍴", shaped("2.0 2.0"), hidden("⍳3"), "double", "vector")
    yield mirrored("⍴", shaped("1 1"), hidden("⍳3"), "bool", "vector")


JOINED = (("scalar", "scalar"), ("scalar", "vector"), ("vector", "scalar"), ("vector", "vector"), ("matrix", "matrix"),
          ("scalar", "matrix"), ("matrix", "scalar"), ("cube", "cube"), ("cube", "scalar"), ("scalar", "cube"),
          ("empty", "empty"), ("vector", "empty"), ("empty", "vector"), ("scalar", "empty"), ("vector", "matrix"),
          ("matrix", "cube"), ("vector", "cube"))


def catenations():
    for f in ",⍪":
        for kind in TYPES:
            for a, b in JOINED:
                yield mirrored(f, hidden(LEFT[kind][a]), hidden(RIGHT[kind][b]), kind, a if a == b else a + "-" + b)
        for a, b in (("bool", "int"), ("int", "double"), ("double", "bool"), ("char", "int"), ("int", "char")):
            for shape in SHAPES:
                plain = "char" in (a, b) and shape == "empty"
                yield mirrored(f, hidden_unless(plain, LEFT[a][shape]), hidden_unless(plain, RIGHT[b][shape]), a + "-" + b, shape)
        for left, right, axes in (
                ("2 3⍴⍳6", "2 3⍴10×⍳6", "1 2 0.5 1.5 2.5"), ("⍳3", "4 5 6", "1 0.5 1.5"),
                ("7", "2 3⍴⍳6", "1 2 0.5 1.5"), ("2 3⍴⍳6", "9", "1 2 2.5"), ("7 8", "2 3⍴⍳6", "2 1"),
                ("7 8 9", "2 3⍴⍳6", "1 2"), ("2 3 2⍴⍳12", "2 3 2⍴-⍳12", "1 2 3 0.5 2.5"),
                ("2 2⍴⍳4", "2 3 2⍴⍳12", "2 1"), ("2 3⍴⍳6", "2 3 2⍴⍳12", "3"), ("3 2⍴⍳6", "2 3 2⍴⍳12", "1"),
                ("2 3⍴'abcdef'", "2 3⍴'ghijkl'", "1 2 0.5 1.5"), ("'x'", "2 3⍴'ghijkl'", "1 2 0.5"),
                ("⍳3", "⍳4", "1 0.5"), ("2 3⍴⍳6", "3 2⍴⍳6", "1 2 0.5"), ("⍳3", "⍳3", "2 0"),
                ("0 3⍴0", "2 3⍴⍳6", "1"), ("2 0⍴0", "2 3⍴⍳6", "2"), ("'abc'", "⍳3", "1 0.5")):
            for axis in axes.split():
                kind = "char" if "'" in left else "int"
                yield "dyad %s %s axis" % (f, kind), hidden(left) + f + "[" + axis + "]" + hidden(right), None


def rotations():
    for f in "⌽⊖":
        for kind in TYPES:
            for shape in SHAPES:
                for amount in ("1", "¯2", "0", "7"):
                    yield mirrored(f, hidden(amount), hidden(RIGHT[kind][shape]), kind, shape)
        yield mirrored(f, hidden("1⍴1"), hidden("⍳4"), "int", "one-item")
        yield mirrored(f, hidden("1 0 2" if f == "⊖" else "1 ¯1"), hidden("2 3⍴⍳6"), "int", "matrix")
        yield mirrored(f, hidden("2 2⍴0 1 2 ¯1"), hidden("2 2 2⍴⍳8"), "int", "cube")
        yield mirrored(f, hidden("2 2⍴0 1 2 ¯1"), hidden("2 2 2⍴'abcdefgh'"), "char", "cube")
        yield mirrored(f, hidden("1 2 3 4"), hidden("2 3⍴⍳6"), "int", "errors")
        yield mirrored(f, hidden("1 2"), hidden("2 2 2⍴⍳8"), "int", "errors")
        yield mirrored(f, hidden("1.5"), hidden("⍳4"), "double", "errors")
        yield mirrored(f, hidden("'a'"), hidden("⍳4"), "char", "errors")
        yield mirrored(f, hidden("1 2"), hidden("⍳4"), "int", "errors")
        for axis in ("1", "2", "3", "4"):
            yield "dyad %s int axis" % f, "%s%s[%s]%s" % (hidden("1"), f, axis, hidden("2 3 2⍴⍳12")), None
            yield "dyad %s char axis" % f, "%s%s[%s]%s" % (hidden("¯1"), f, axis, hidden("2 3 2⍴'abcdefghijkl'")), None
        yield "dyad %s int axis" % f, "%s%s[1]%s" % (hidden("0 1 ¯1"), f, hidden("2 3⍴⍳6")), None
        yield "dyad %s int axis" % f, "%s%s[2]%s" % (hidden("2 2⍴0 1 2 4"), f, hidden("2 3 2⍴⍳12")), None


def transposes():
    for kind in TYPES:
        for shape, lefts in (("scalar", ("⍬",)), ("vector", ("1", "1⍴1")), ("matrix", ("1 2", "2 1", "1 1")),
                             ("cube", ("1 2 3", "3 1 2", "2 1 1", "1 1 1", "1 2 1", "2 3 1", "1 1 2")),
                             ("empty", ("1⍴1",))):
            for left in lefts:
                yield mirrored("⍉", left if " " not in left else "(" + left + ")", hidden(RIGHT[kind][shape]), kind, shape)
    for left, right in (("1 3", "2 3⍴⍳6"), ("1 2 3", "2 3⍴⍳6"), ("0 1", "2 3⍴⍳6"), ("2 2", "2 3⍴⍳6"), ("1.5 2", "2 3⍴⍳6")):
        yield mirrored("⍉", "(" + left + ")", hidden(right), "int", "errors")
    yield mirrored("⍉", "(7 6 5 4 3 2 1)", hidden("1 2 1 2 1 1 3⍴⍳12"), "int", "rank 7")
    yield mirrored("⍉", "(2 1 2 1 2 1 2)", hidden("2 3 2 3 2 1 2⍴⍳144"), "int", "rank 7")


def takes():
    for f in "↑↓":
        for kind in TYPES:
            for shape, lefts in (("scalar", ("2", "¯3", "0", "2 2")), ("vector", ("2", "¯2", "0", "7", "¯7", "1⍴3")),
                                 ("matrix", ("1 2", "¯1 ¯2", "3 4", "0 2", "¯3 1")),
                                 ("cube", ("1 1 1", "¯1 2 0", "3 ¯3 1")), ("empty", ("2", "¯2", "0"))):
                for left in lefts:
                    yield mirrored(f, shaped(left), hidden(RIGHT[kind][shape]), kind, shape)
        for left, right in (("1 2", "⍳5"), ("1 2 3", "2 3⍴⍳6"), ("1.5", "⍳5"), ("'a'", "⍳5"), ("1 1⍴1", "⍳5")):
            yield mirrored(f, shaped(left), hidden(right), "int", "errors")
        for left, axis in (("1", "1"), ("2", "2"), ("¯1", "3"), ("¯2", "2"), ("4", "3"), ("1", "4"), ("2 1", "1 3"),
                           ("1 ¯2", "3 2")):
            for kind, right in (("int", "2 3 2⍴⍳12"), ("char", "2 3 2⍴'abcdefghijkl'")):
                yield "dyad %s %s axis" % (f, kind), "%s%s[%s]%s" % (shaped(left), f, axis, hidden(right)), None
        yield mirrored(f, shaped("1 1 1 2 1 1 ¯1"), hidden("1 2 1 2 1 1 2⍴⍳8"), "int", "rank 7")
        yield mirrored(f, shaped("2 2"), hidden("0 3⍴0"), "int", "empty")


def selections():
    for kind in TYPES:
        for shape, places in (("scalar", ("⍬",)), ("vector", ("1", "5", "6", "0", "1⍴3")), ("empty", ("1",))):
            for place in places:
                yield mirrored("⊃", place if place == "⍬" else shaped(place), hidden(RIGHT[kind][shape]), kind, shape)
        for shape, places in (("matrix", ("(⊂2 3)", "(⊂1 1)", "(⊂3 1)", "(⊂1)", "1", "2 3")), ("cube", ("(⊂2 1 2)", "(⊂1 1 3)", "2"))):
            for place in places:
                yield mirrored("⊃", place, hidden(RIGHT[kind][shape]), kind, shape)
        yield mirrored("⊃", "2", "%s %s" % (shaped(RIGHT[kind]["vector"]), shaped(RIGHT[kind]["matrix"])), kind, "tuple")
        yield mirrored("⊃", "1 3", "%s %s" % (shaped(RIGHT[kind]["vector"]), shaped(RIGHT[kind]["matrix"])), kind, "tuple")
        for shape, places in (("vector", ("2", "5", "7", "0")), ("matrix", ("2 3", "1 1", "3 1", "1 4", "2")),
                              ("cube", ("1 2 1", "2 2 2", "1 2 3", "2 1"))):
            for place in places:
                yield mirrored("⌷", shaped(place), hidden(RIGHT[kind][shape]), kind, shape)
        yield mirrored("⌷", "⍬", hidden(RIGHT[kind]["scalar"]), kind, "scalar")
        yield mirrored("⌷", shaped("1"), hidden(RIGHT[kind]["empty"]), kind, "empty")
        for left, right in (("(⊂1 2)", "matrix"), ("2(3 1)", "matrix"), ("(2 1)(3 1)", "matrix"),
                            ("(⊂3 1)", "vector"), ("1(2 1)(1 2)", "cube")):
            yield mirrored("⌷", left, hidden(RIGHT[kind][right]), kind, right)
        for left, axis in (("2", "1"), ("2", "2"), ("(⊂2 1)", "2"), ("1 2", "1 3"), ("2 1", "3 1"), ("1", "4")):
            yield ("dyad ⌷ %s axis" % kind, "%s⌷[%s]%s" % (left, axis, hidden(RIGHT[kind]["cube"])), None)
    for f in "⊢⊣":
        for kind in TYPES:
            for shape in SHAPES:
                yield mirrored(f, hidden(LEFT[kind][shape]), hidden(RIGHT["int"]["vector"]), kind, shape)
                yield mirrored(f, hidden("3"), hidden(RIGHT[kind][shape]), kind, shape)
    yield from partitions()


def partitions():
    lefts = {"vector": ("1 0 1 1 0", "0 1 0 0 1", "1", "2 0 1 0 0", "1 0 1", "1 0 ¯1 0 1"), "scalar": ("1",),
             "matrix": ("1 0 1", "0 1 1", "1", "1 0"), "cube": ("1 0", "0 1", "1"), "empty": ("⍳0",)}
    for kind in TYPES:
        for shape in SHAPES:
            for left in lefts[shape]:
                x = shaped(RIGHT[kind][shape]) if left == "1" else hidden(RIGHT[kind][shape])
                form = "%s(%s)⊂%s" if "¯" in left else "≢%s(%s)⊂%s" if shape == "empty" else "↑%s(%s)⊂%s"
                yield "dyad ⊂ %s %s" % (kind, shape), form % ("", left, x), None
        for axis in (1, 2, 3):
            yield "dyad ⊂ %s axis" % kind, "↑1 0⊂[%d]%s" % (axis, hidden(RIGHT[kind]["cube"])), None
    for left, right in (("'ab'", "1 2"), ("1.5 1", "1 2"), ("2 2⍴1", "1 2"), ("1 1 1", "1 2")):
        yield "dyad ⊂ int errors", "(%s)⊂%s" % (left, hidden(right)), None


def comparisons():
    for f in "≡≢":
        for a in TYPES:
            for shape in SHAPES:
                yield mirrored(f, hidden(LEFT[a][shape]), hidden(RIGHT[a][shape]), a, shape)
                yield mirrored(f, hidden(RIGHT[a][shape]), hidden(RIGHT[a][shape]), a, shape)
                yield mirrored(f, hidden(RIGHT[a][shape]), hidden(RIGHT[a]["vector"]), a, shape + "-vector")
        for left, right in (("1 0", "1.0 0.0"), ("1 2", "1.0 2.0"), ("'a'", "5"), ("''", "⍳0"), ("⍳0", "0⍴0.5"),
                            ("0 3⍴0", "3 0⍴0"), ("0 3⍴0", "0 3⍴1"), ("5", "1⍴5"), ("1 1⍴5", "5"), ("'a'", "1⍴'a'"),
                            ("⍳3", "⍳4"), ("2 3⍴⍳6", "3 2⍴⍳6"), ("'abc'", "97 98 99"), ("2 0⍴0", "2 0⍴' '")):
            yield mirrored(f, hidden(left), hidden(right), "int", "pairs")


def replications():
    for f in "/⌿\\⍀":
        for kind in TYPES:
            vector = hidden(RIGHT[kind]["vector"])
            if f in "/⌿":
                lefts = {"vector": ("1 0 1 1 0", "2 0 1 3 ¯1", "2", "0", "1⍴3", "¯2", "1 0 1"),
                         "scalar": ("3", "1 0 2", "⍳0"), "empty": ("⍳0", "2", "1 2"),
                         "matrix": (("1 0 1", "2 ¯1 1") if f == "/" else ("0 1", "2 ¯1")) + ("2", "1 1 1 1"),
                         "cube": ("1 0", "¯1 2", "3")}
            else:
                lefts = {"vector": ("1 0 1 1 0 1 1", "1 1 1 1 1", "2 1 ¯2 1 1 3", "1 0 1"), "scalar": ("1 0 1", "1"),
                         "empty": ("0 0", "⍳0", "1"),
                         "matrix": (("1 0 1 1",) if f == "\\" else ("0 1 1",)) + ("1 1 1 1", "2 0 1 ¯2 1" if f == "\\" else "2 ¯1 1"),
                         "cube": ("1 0 1", "2 ¯1 1")}
            for shape in SHAPES:
                for left in lefts[shape]:
                    yield mirrored(f, hidden(left), vector if shape == "vector" else hidden(RIGHT[kind][shape]), kind, shape)
        counts = "1 2" if f in "/⌿" else "1 0 1"
        for axis in ("1", "3", "4"):
            yield "dyad %s int axis" % f, "%s%s[%s]%s" % (hidden(counts), f, axis, hidden("2 3 2⍴⍳12")), None
            yield "dyad %s char axis" % f, "%s%s[%s]%s" % (hidden(counts), f, axis, hidden("2 3 2⍴'abcdefghijkl'")), None
        for left in ("'a'", "1.5", "2 2⍴1"):
            yield mirrored(f, hidden(left), hidden("⍳3"), "int", "errors")
        yield mirrored(f, hidden("1 0 1"), hidden("2 1⍴5 6"), "int", "one column")


def indexing():
    for kind in TYPES:
        v, m, c = (hidden(RIGHT[kind][shape]) for shape in ("vector", "matrix", "cube"))
        for text in ("%s[2]", "%s[5 1 1]", "%s[2 2⍴1 2 3 4]", "%s[⍳0]", "%s[6]", "%s[0]"):
            yield "index %s vector" % kind, text % v, None
        for text in ("%s[2;3]", "%s[1;]", "%s[;2]", "%s[2 1;]", "%s[;3 1]", "%s[2 1;3 1]", "%s[;]", "%s[;1 1 1 1]", "%s[2 2⍴1 2;3]", "%s[3;1]"):
            yield "index %s matrix" % kind, text % m, None
        for text in ("%s[1;2;1]", "%s[;;1]", "%s[2;;]", "%s[;1;]", "%s[2 1;1;]", "%s[1;2 1;2 1]", "%s[1;1;3]"):
            yield "index %s cube" % kind, text % c, None
