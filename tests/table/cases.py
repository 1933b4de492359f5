"""The expressions of the tables: (group, expression, expected), expected None where the model says.

Most are products of a primitive, argument types and argument shapes; what differs from primitive to primitive is
said in tables here.
"""
SHAPES = ("scalar", "vector", "matrix", "cube", "empty")
TYPES = ("bool", "int", "double", "char")

# Right arguments, and left arguments that go with them.
RIGHT = {
    "bool": {"scalar": "1", "vector": "1 0 1 1 0", "matrix": "2 3⍴1 0 0 1 1 0", "cube": "2 2 2⍴1 0 1 1 0",
             "empty": "0⍴1"},
    "int": {"scalar": "¯3", "vector": "3 ¯1 4 0 5", "matrix": "2 3⍴5 ¯2 0 7 3 ¯8", "cube": "2 2 2⍴6 ¯7 8 9 ¯2",
            "empty": "0⍴7"},
    "double": {"scalar": "2.5", "vector": "0.5 ¯1.25 3.75 2.5 10.125", "matrix": "2 3⍴1.5 ¯0.25 6.5 2.125 ¯3.5",
               "cube": "2 2 2⍴4.5 0.75 ¯2.25", "empty": "0⍴0.5"},
    "char": {"scalar": "'n'", "vector": "'llama'", "matrix": "2 3⍴'abcabd'", "cube": "2 2 2⍴'abcdefab'",
             "empty": "''"},
}
LEFT = {
    "bool": {"scalar": "0", "vector": "1 1 0 1 0", "matrix": "2 3⍴1 1 0 0 1", "cube": "2 2 2⍴0 1 1 0 1",
             "empty": "0⍴0"},
    "int": {"scalar": "4", "vector": "2 5 ¯4 1 5", "matrix": "2 3⍴3 2 ¯6 2 1 4", "cube": "2 2 2⍴5 3 ¯2",
            "empty": "⍳0"},
    "double": {"scalar": "1.5", "vector": "2.5 0.25 ¯1.5 4.75 0.5", "matrix": "2 3⍴0.5 2.75 3.25",
               "cube": "2 2 2⍴1.75 ¯2.5 8.5", "empty": "0⍴2.5"},
    "char": {"scalar": "'a'", "vector": "'lemon'", "matrix": "2 3⍴'abdxbc'", "cube": "2 2 2⍴'axcdxx'",
             "empty": "0⍴'x'"},
}
# Numbers that suit functions of a smaller domain.
POSITIVE = {
    "bool": {"scalar": "1", "vector": "1 0 1 1 0", "matrix": "2 3⍴1 0 0 1 1 0", "cube": "2 2 2⍴1 0 1 1 0",
             "empty": "0⍴1"},
    "int": {"scalar": "5", "vector": "3 1 4 2 5", "matrix": "2 3⍴5 2 1 7 3 8", "cube": "2 2 2⍴6 7 8 9 2",
            "empty": "0⍴7"},
    "double": {"scalar": "2.5", "vector": "0.5 1.25 3.75 2.5 6.125", "matrix": "2 3⍴1.5 0.25 6.5 2.125 3.5",
               "cube": "2 2 2⍴4.5 0.75 2.25", "empty": "0⍴0.5"},
    "char": RIGHT["char"],
}
SMALL = {
    "bool": POSITIVE["bool"],
    "int": {"scalar": "2", "vector": "2 1 2 3 2", "matrix": "2 3⍴2 3 4", "cube": "2 2 2⍴3 2", "empty": "⍳0"},
    "double": {"scalar": "1.5", "vector": "1.5 0.5 2.25 1.25 3.5", "matrix": "2 3⍴2.5 0.5 1.5", "cube": "2 2 2⍴1.5 2.5",
               "empty": "0⍴2.5"},
    "char": LEFT["char"],
}
CIRCLES = {
    "bool": SMALL["bool"],
    "int": {"scalar": "3", "vector": "1 ¯1 2 ¯3 0", "matrix": "2 3⍴5 6 7 ¯2 ¯5 ¯7", "cube": "2 2 2⍴4 3 1 2",
            "empty": "⍳0"},
    "double": {"scalar": "2.0", "vector": "1.0 2.0 3.0 5.0 6.0", "matrix": "2 3⍴7.0 1.0", "cube": "2 2 2⍴1.0",
               "empty": "0⍴2.0"},
    "char": LEFT["char"],
}
ANGLES = {
    "bool": POSITIVE["bool"],
    "int": {"scalar": "2", "vector": "1 ¯1 2 0 0", "matrix": "2 3⍴2 ¯1 0 1 3 0", "cube": "2 2 2⍴1 2 3", "empty": "0⍴7"},
    "double": {"scalar": "0.5", "vector": "0.25 ¯0.5 0.75 0.125 ¯0.25", "matrix": "2 3⍴0.5 0.25 0.75 ¯0.25",
               "cube": "2 2 2⍴0.5 1.25", "empty": "0⍴0.5"},
    "char": RIGHT["char"],
}
SCALAR_MONADIC = "+-×÷*⍟⌈⌊|!○~"
SCALAR_DYADIC = "+-×÷*⍟⌈⌊|!○∧∨⍲⍱<≤=≥>≠"
MIXED = (("bool", "int"), ("int", "double"), ("double", "bool"), ("char", "int"))


def hidden(text):
    return "«" + text + "»"


def shaped(text):
    """Hidden but for its shape."""
    return "‹" + text + "›"


def hidden_unless(plain, text):
    """Not hidden where the compiler has to know the extents to see what is meant."""
    return "(" + text + ")" if plain else hidden(text)


def monadic_scalar():
    for f in SCALAR_MONADIC:
        arguments = POSITIVE if f in "⍟!" else RIGHT
        for kind in TYPES:
            for shape in SHAPES:
                yield "mono %s %s %s" % (f, kind, shape), f + hidden(arguments[kind][shape]), None
        yield "mono %s int cube" % f, f + hidden("1 2 1 2 1 2 1⍴3 1 2 5"), None
        yield "mono %s double empty" % f, f + hidden("2 0 3⍴0.5"), None


def sides(f):
    if f in "⍟!*":
        return SMALL, POSITIVE
    return (CIRCLES, ANGLES) if f == "○" else (LEFT, RIGHT)


def dyadic_scalar():
    for f in SCALAR_DYADIC:
        left, right = sides(f)
        for a, b in tuple((kind, kind) for kind in TYPES) + MIXED:
            for shape in SHAPES:
                yield ("dyad %s %s %s" % (f, b if a == b else a + "-" + b, shape),
                       hidden(left[a][shape]) + f + hidden(right[b][shape]), None)
        kind = "bool" if f in "⍲⍱" else "int"
        for a, b in (("scalar", "vector"), ("vector", "scalar"), ("scalar", "cube"), ("matrix", "scalar"),
                     ("empty", "scalar"), ("scalar", "empty"), ("vector", "matrix"), ("vector", "empty"),
                     ("cube", "matrix")):
            mark = shaped if b == "matrix" else hidden
            yield ("dyad %s %s %s-%s" % (f, kind, a, b), mark(left[kind][a]) + f + mark(right[kind][b]), None)
        one, many = left[kind]["scalar"], right[kind]
        yield "dyad %s %s one-item" % (f, kind), hidden("1⍴" + one) + f + hidden(many["matrix"]), None
        yield "dyad %s %s one-item" % (f, kind), shaped("1 1 1⍴" + one) + f + hidden(many["vector"]), None
        yield "dyad %s %s one-item" % (f, kind), hidden("1 1⍴" + one) + f + hidden("1⍴" + many["scalar"]), None
        yield "dyad %s %s one-item" % (f, kind), hidden("⍬⍴" + one) + f + hidden("1⍴" + many["scalar"]), None
        yield "dyad %s %s one-item" % (f, kind), hidden(left[kind]["cube"]) + f + hidden("1⍴" + many["scalar"]), None
        yield ("dyad %s %s rank 7" % (f, kind), hidden("1 2 1 2 1 1 2⍴" + left[kind]["vector"]) + f +
               hidden("1 2 1 2 1 1 2⍴" + many["vector"]), None)
        yield "dyad %s %s lengths" % (f, kind), hidden("2 2⍴" + one) + f + hidden("2 3⍴" + many["scalar"]), None


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
                argument = hidden_unless(True, argument) if (f, kind, shape) == ("⍸", "char", "empty") else mark(argument)
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
            yield "mono ⍳ %s %s" % (kind, shape), "⍳" + shaped(RIGHT[kind][shape]), None
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


def mirrored(f, left, right, kind, what):
    return "dyad %s %s %s" % (f, kind, what), left + f + right, None


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
    yield mirrored("⊂", hidden("1 0 1"), hidden("⍳3"), "int", "vector")
    for k in TYPES:
        for shape in SHAPES:
            yield mirrored("⊂", hidden("1 0 1"), hidden(RIGHT[k][shape]), k, shape)


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


def searches():
    for kind in TYPES:
        keys = "3 ¯1 4 1 5 9 2 6 5 3 5 8 9 7 9 3 2 3 8 4" if kind == "int" else None
        for shape in SHAPES:
            yield mirrored("⍳", hidden(LEFT[kind]["vector"]), hidden(RIGHT[kind][shape]), kind, shape)
            yield mirrored("⍳", hidden(LEFT[kind]["empty"]), hidden(RIGHT[kind][shape]), kind, shape + " in nothing")
            yield mirrored("∊", hidden(LEFT[kind][shape]), hidden(RIGHT[kind][shape]), kind, shape)
            yield mirrored("∊", hidden(RIGHT[kind]["matrix"]), hidden(LEFT[kind][shape]), kind, "matrix-" + shape)
            yield mirrored("⍳", hidden(LEFT[kind][shape]), hidden(RIGHT[kind]["vector"]), kind, shape + "-vector")
            if keys:
                yield mirrored("⍳", hidden(keys), hidden(RIGHT[kind][shape]), kind, shape)
                yield mirrored("∊", hidden(RIGHT[kind][shape]), hidden(keys), kind, shape)
    many = "40⍴'the quick brown fox jumps over the lazy dog'"
    yield mirrored("⍳", hidden(many), hidden("2 9⍴'jumping zebras fox'"), "char", "matrix")
    yield mirrored("∊", hidden("'jumping zebras fox'"), hidden(many), "char", "vector")
    yield mirrored("⍳", hidden("0.5×30⍴7 3 9 2 8 4 11"), hidden("0.5×20⍴⍳12"), "double", "vector")
    for f in "⍳∊":
        for a, b in (("bool", "int"), ("int", "double"), ("char", "int"), ("int", "char"), ("double", "bool")):
            yield mirrored(f, hidden(LEFT[a]["vector"]), hidden(RIGHT[b]["vector"]), a + "-" + b, "vector")


def sets():
    for f in "∪∩~":
        for kind in TYPES:
            for shape in SHAPES:
                yield mirrored(f, hidden(LEFT[kind][shape]), hidden(RIGHT[kind][shape]), kind, shape)
                yield mirrored(f, hidden(RIGHT[kind]["vector"]), hidden(LEFT[kind][shape]), kind, "vector-" + shape)
                yield mirrored(f, hidden(LEFT[kind][shape]), hidden(RIGHT[kind]["vector"]), kind, shape + "-vector")
        for a, b in (("bool", "int"), ("int", "double"), ("char", "int")):
            yield mirrored(f, hidden(LEFT[a]["vector"]), hidden(RIGHT[b]["vector"]), a + "-" + b, "vector")
    long = "40⍴3 1 4 1 5 9 2 6"
    for f in "∪∩~":
        yield mirrored(f, hidden(long), hidden("30⍴9 7 3"), "int", "vector")
    yield "mono ∪ int vector", "∪" + hidden(long), None


def orders():
    for f in "⍋⍒":
        for kind in TYPES:
            for shape in SHAPES:
                alphabet = "'abcdefghijklmnop'" if kind == "char" else "⍳3"
                yield mirrored(f, hidden(alphabet), hidden(RIGHT[kind][shape]), kind, shape)
        yield mirrored(f, hidden("'ba'"), hidden("'abcabc'"), "char", "vector")
        for text in ("(100⍴3 1 4 1 5 9 2 6 5)", "(70⍴2.5 ¯1.5 0.25 7.5)", "50⍴'hello world'", "20 2⍴3 1 2 5 4 3 1",
                     "9 3⍴'abcab'", "3 2 2⍴4 1 3 2 5", "0 3⍴0", "3 0⍴0", "64⍴1 0 0 1 1", "1⍴7"):
            yield "mono %s int large" % f, f + hidden(text), None


def intervals():
    keys = {"bool": "0 1", "int": "¯3 0 4 6", "double": "¯1.5 0.25 2.5 7.5", "char": "'abm'"}
    for kind in TYPES:
        for shape in SHAPES:
            yield mirrored("⍸", hidden(keys[kind]), hidden(RIGHT[kind][shape]), kind, shape)
    yield mirrored("⍸", hidden("⍳0"), hidden("1 2"), "int", "empty keys")
    yield mirrored("⍸", hidden("2 2 2 5"), hidden("1 2 3 5 6"), "int", "vector")
    yield mirrored("⍸", hidden("3 1"), hidden("1 2"), "int", "errors")
    yield mirrored("⍸", hidden("5"), hidden("4 5 6"), "int", "scalar keys")
    yield "mono ⍸ int vector", "⍸" + hidden("0 3 1 0 2"), None
    yield "mono ⍸ int errors", "⍸" + hidden("0 ¯1 2"), None


def finds():
    for kind, pattern in (("bool", "1 0"), ("int", "¯1 4"), ("double", "3.75 2.5"), ("char", "'am'")):
        for shape in SHAPES:
            yield mirrored("⍷", hidden(pattern), hidden(RIGHT[kind][shape]), kind, shape)
            yield mirrored("⍷", hidden(RIGHT[kind]["scalar"]), hidden(RIGHT[kind][shape]), kind, shape)
            yield mirrored("⍷", hidden(RIGHT[kind]["empty"]), hidden(RIGHT[kind][shape]), kind, shape)
    yield mirrored("⍷", hidden("2 2⍴1 2 4 5"), hidden("3 3⍴⍳9"), "int", "matrix")
    yield mirrored("⍷", hidden("1 1 2⍴1 2"), hidden("2 2 2⍴1 2"), "int", "cube")
    yield mirrored("⍷", hidden("1 2"), hidden("4 4⍴1 2 3"), "int", "matrix")
    yield mirrored("⍷", hidden("3 1⍴'abc'"), hidden("3 3⍴'abcbcaca'"), "char", "matrix")
    yield mirrored("⍷", hidden("'ana'"), hidden("'bananas'"), "char", "vector")
    yield mirrored("⍷", hidden("⍳7"), hidden("⍳3"), "int", "vector")
    yield mirrored("⍷", hidden("1 2"), hidden("'abc'"), "int-char", "vector")


def number_systems():
    for left, right, kind, shape in (
            ("2", "1 0 1 1", "bool", "vector"), ("10", "5", "int", "scalar"), ("10", "1 2 3", "int", "vector"),
            ("24 60 60", "1 2 3", "int", "vector"), ("24 60 60", "3 2⍴⍳6", "int", "matrix"), ("2", "3 2 2⍴⍳12", "int", "cube"),
            ("2 3⍴10 10 10 2 2 2", "1 0 1", "int", "matrix-vector"), ("2 3⍴24 60 60 10 5 2", "3 2⍴⍳6", "int", "matrix"),
            ("2 2 3⍴⍳12", "1 2 3", "int", "cube-vector"), ("2 1⍴10 2", "1 0 1", "int", "matrix-vector"),
            ("10", "⍳0", "int", "empty"), ("0.5", "4 2 1", "double", "vector"), ("10", "1.5 2.5", "double", "vector"),
            ("2.5", "1.5", "double", "scalar"), ("2.5 1.5", "2 2⍴0.5 1.5", "double", "matrix"),
            ("0.5", "2 2 2⍴0.5 2.5", "double", "cube"), ("0.5", "0⍴0.5", "double", "empty"), ("1", "1", "bool", "scalar"),
            ("1", "2 2⍴1 0 1", "bool", "matrix"), ("1", "2 2 2⍴1 0 1", "bool", "cube"), ("2", "0⍴1", "bool", "empty"),
            ("1 2 3", "7", "int", "vector-scalar"), ("1⍴10", "1 2 3", "int", "one-item"), ("10 10", "1⍴3", "int", "one-item"),
            ("24 60", "1 2 3", "int", "errors"), ("10 10 10", "2 2⍴1", "int", "errors"), ("0 3 3", "1 2 2", "int", "vector")):
        yield mirrored("⊥", hidden(left), hidden(right), kind, shape)
    for left, right, kind, shape in (
            ("2 2 2 2", "11", "int", "scalar"), ("24 60 60", "3723 86399 5", "int", "vector"), ("10 10", "2 3⍴⍳6", "int", "matrix"),
            ("3 3", "2 2 2⍴⍳8", "int", "cube"), ("5 5", "⍳0", "int", "empty"), ("10", "37", "int", "scalar-scalar"),
            ("10", "37 42", "int", "scalar-vector"), ("1⍴10", "37 42", "int", "one-item"), ("0 10 10", "12345", "int", "scalar"),
            ("0 60", "¯75", "int", "scalar"), ("10 10", "¯7", "int", "scalar"), ("¯10 ¯10", "7", "int", "scalar"),
            ("0 1", "3.75 ¯3.75", "double", "vector"), ("10 10", "12.5", "double", "scalar"), ("2.5 2.5", "11.5", "double", "scalar"),
            ("10 10", "2 2⍴12.5 3.25", "double", "matrix"), ("10 10", "2 2 2⍴12.5 3.25", "double", "cube"),
            ("10 10", "0⍴0.5", "double", "empty"), ("2 2", "1", "bool", "scalar"), ("2 2", "1 0 1", "bool", "vector"),
            ("1 1", "2 2⍴1 0", "bool", "matrix"), ("2 2", "2 2 2⍴1 0", "bool", "cube"), ("2 2", "0⍴1", "bool", "empty"),
            ("3 2⍴24 2 60 2 60 2", "7", "int", "matrix-scalar"), ("3 2⍴24 2 60 2 60 2", "3723 5", "int", "matrix-vector"),
            ("2 2 2⍴10 8 16 2", "2 2⍴13 200 7 99", "int", "cube-matrix"), ("2 2⍴10 2.5", "7.5", "double", "matrix-scalar"),
            ("⍳0", "5", "int", "empty-scalar"), ("0 2⍴0", "5", "int", "empty-scalar"), ("0 0", "7", "int", "scalar")):
        yield mirrored("⊤", hidden(left), hidden(right), kind, shape)
    for f in "⊥⊤":
        for shape in SHAPES:
            yield mirrored(f, hidden("2 2"), hidden(RIGHT["char"][shape]), "char", shape)


def equations():
    square = "3 3⍴2 1 0 1 3 1 0 1 4"
    for kind, matrix in (("int", square), ("double", "2 2⍴0.5 1.5 2.5 0.25"), ("bool", "2 2⍴1 1 0 1")):
        yield "mono ⌹ %s matrix" % kind, "⌹" + hidden(matrix), None
    for kind, text in (("int", "4"), ("double", "0.5"), ("bool", "1")):
        yield "mono ⌹ %s scalar" % kind, "⌹" + hidden(text), None
        yield "mono ⌹ %s vector" % kind, "⌹" + hidden("3⍴" + text), None
        yield "mono ⌹ %s cube" % kind, "⌹" + hidden("2 2 2⍴" + text), None
        yield "mono ⌹ %s empty" % kind, "⌹" + hidden("0 0⍴" + text), None
        yield mirrored("⌹", hidden(text), hidden("2"), kind, "scalar")
        yield mirrored("⌹", hidden("1 2 3×" + text), hidden(square), kind, "vector")
        yield mirrored("⌹", hidden("3 2⍴1 2 3×" + text), hidden(square), kind, "matrix")
        yield mirrored("⌹", hidden("0⍴" + text), hidden("0 0⍴0"), kind, "empty")
        yield mirrored("⌹", hidden("2 2 2⍴" + text), hidden(square), kind, "cube")
    yield "mono ⌹ int matrix", "⌹" + hidden("3 2⍴1 2 3 4 5 7"), None
    yield "mono ⌹ int errors", "⌹" + hidden("2 3⍴⍳6"), None
    yield "mono ⌹ int errors", "⌹" + hidden("2 2⍴1 2 2 4"), None
    yield "mono ⌹ int errors", "⌹" + hidden("2 2⍴0"), None
    yield mirrored("⌹", hidden("1 2 4"), hidden("3 2⍴1 1 1 2 1 3"), "int", "least squares")
    yield mirrored("⌹", hidden("2 4 6"), hidden("1 2 3"), "int", "least squares")
    yield mirrored("⌹", hidden("1 2"), hidden(square), "int", "errors")
    for shape in SHAPES:
        yield "mono ⌹ char " + shape, "⌹" + hidden(RIGHT["char"][shape]), None
        yield mirrored("⌹", hidden("1 2 3"), hidden(RIGHT["char"][shape]), "char", shape)
    yield "mono ⌹ int identity", "∧/,1E¯9>|(∘.=⍨⍳3)-%s+.×⌹%s" % (hidden(square), hidden(square)), "1"
    yield "dyad ⌹ int identity", "∧/1E¯9>|1 2 3-%s+.×(1 2 3)⌹%s" % (hidden(square), hidden(square)), "1"


def deals():
    for n, m in ((5, 5), (3, 10), (0, 4), (1, 1), (20, 52)):
        yield "dyad ? int scalar", "{(%d=≢⍵)∧(%d≡≢∪⍵)∧∧/⍵∊⍳%d}%s?%s" % (n, n, m, hidden(str(n)), hidden(str(m))), "1"
    yield "dyad ? int scalar", "(⍳9)≡{⍵[⍋⍵]}9?%s" % hidden("9"), "1"
    for kind, text in (("bool", "1"), ("double", "3.0"), ("char", "'a'")):
        if kind != "char":
            yield "dyad ? %s scalar" % kind, "≢%s?%s" % (hidden(text), hidden(text)), None
        for shape in SHAPES:
            x = shaped(RIGHT[kind][shape])
            if kind == "char" or shape != "scalar":
                yield mirrored("?", hidden("1"), x, kind, shape)
    for shape in SHAPES[1:]:
        yield mirrored("?", hidden("1"), shaped(RIGHT["int"][shape]), "int", shape)
    for text in ("6?5", "¯1?5", "1.5?5", "'a'?5", "2?'a'"):
        left, right = text.split("?")
        yield mirrored("?", hidden(left), hidden(right), "int", "errors")


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


ASSOCIATIVE = "+×⌈⌊∧∨=≠"
ORDERED = "-÷|<≤≥>*!⍲⍱"


def reductions():
    for f in ASSOCIATIVE + ORDERED:
        kinds = ("bool",) if f in "⍲⍱" else ("bool", "int", "double")
        for kind in kinds:
            arguments = SMALL if f in "*!÷|" else RIGHT
            if f in "∧∨=≠" and kind == "double":
                continue
            if f in "!*" and kind == "double":
                continue
            for slash in "/⌿\\⍀":
                for shape in SHAPES:
                    plain = f in "⌈⌊" and shape == "empty"
                    yield ("op %s %s %s %s" % (slash, f, kind, shape),
                           f + slash + hidden_unless(plain, arguments[kind][shape]), None)
    for f in "+-×⌈∧=÷":
        for text in ("0 3⍴7", "3 0⍴7", "2 0 3⍴7", "0 3⍴0.5", "3 0⍴0=1", "1 3⍴4 5 6", "3 1⍴4 5 6", "1⍴9", "1 1⍴9"):
            for slash in "/⌿\\⍀":
                plain = f in "⌈⌊" and "0" in text.split("⍴")[0]
                yield "op %s %s edges" % (slash, f), f + slash + hidden_unless(plain, text), None
        for axis in ("1", "2", "3", "4", "0"):
            for slash in "/⌿\\⍀":
                yield "op %s %s axis" % (slash, f), "%s%s[%s]%s" % (f, slash, axis, hidden("2 3 2⍴2 1 3 1 4 5")), None
        yield "op / %s rank 7" % f, "%s/%s" % (f, hidden("1 2 1 2 1 1 3⍴2 1 3")), None
        yield "op ⍀ %s rank 7" % f, "%s⍀%s" % (f, hidden("2 1 1 2 1 1 2⍴2 1 3")), None
    for f in "+-×⌊≤":
        for n in ("2", "3", "¯2", "1", "5", "6", "7", "0", "¯3"):
            mark = "(%s)" % n if f + n == "⌊0" else shaped(n)
            yield "op / %s windows" % f, "%s %s/%s" % (mark, f, hidden("3 1 4 1 5")), None
        yield "op / %s windows" % f, "2 %s/%s" % (f, hidden("2 3⍴3 1 4 1 5 9")), None
        yield "op ⌿ %s windows" % f, "2 %s⌿%s" % (f, hidden("3 2⍴3 1 4 1 5 9")), None
        yield "op / %s windows" % f, "¯2 %s/[1]%s" % (f, hidden("3 2⍴3 1 4 1 5 9")), None
        yield "op / %s windows" % f, "2 %s/%s" % (f, hidden("0.5 2.5 1.5")), None
    yield "op / {} int vector", "{⍺+2×⍵}/" + hidden("3 1 4 1 5"), None
    yield "op \\ {} int vector", "{⍺+2×⍵}\\" + hidden("3 1 4 1 5"), None
    yield "op ⌿ {} int matrix", "{⍺-⍵}⌿" + hidden("2 3⍴⍳6"), None
    yield "op / {} int empty", "{⍺+⍵}/" + hidden("⍳0"), None
    yield "op / {} int one", "{⍺+⍵}/" + hidden("1⍴5"), None
    for slash in "/⌿\\⍀":
        for f in "+×⌈":
            yield "op %s %s char vector" % (slash, f), f + slash + hidden("'abc'"), None
    for slash in "/⌿":
        yield "op %s ⊣ char vector" % slash, "⊣" + slash + hidden("'abc'"), None
        yield "op %s ⊢ char matrix" % slash, "⊢" + slash + hidden("2 3⍴'abcdef'"), None


def eaches():
    for kind in TYPES:
        for shape in SHAPES:
            x = hidden(RIGHT[kind][shape])
            yield "op ¨ %s %s" % (kind, shape), "{⍵=%s}¨%s" % (LEFT[kind]["scalar"], x), None
            yield "op ¨ %s %s" % (kind, shape), "%s=¨%s" % (hidden(LEFT[kind][shape]), x), None
            yield "op ¨ %s %s" % (kind, shape), "%s≠¨%s" % (hidden(LEFT[kind]["scalar"]), x), None
            yield "op ∘. %s %s" % (kind, shape), "%s∘.=%s" % (hidden(LEFT[kind][shape]), x), None
            yield "op ∘. %s %s" % (kind, shape), "%s∘.=%s" % (hidden(LEFT[kind]["vector"]), x), None
            yield "op ∘. %s %s" % (kind, shape), "%s∘.≠%s" % (x, hidden(LEFT[kind]["vector"])), None
            yield "op ⍨ %s %s" % (kind, shape), "=⍨" + x, None
            yield "op ⍨ %s %s" % (kind, shape), "%s⊢⍨%s" % (hidden("5"), x), None
            yield "op ⍨ %s %s" % (kind, shape), "%s⍴⍨2 2" % x, None
            yield "op ∘ %s %s" % (kind, shape), "≢∘,%s" % x, None
            yield "op ∘ %s %s" % (kind, shape), "%s=∘⊢%s" % (hidden(LEFT[kind][shape]), x), None
            yield "op ∘ %s %s" % (kind, shape), "3∘⊢%s" % x, None
            yield "op ⍤ %s %s" % (kind, shape), "(⌽⍤1)%s" % x, None
            yield "op ⍤ %s %s" % (kind, shape), "(≢⍤0)%s" % x, None
            yield "op ⍤ %s %s" % (kind, shape), "(≢⍤,)%s" % x, None
            yield "op ⍥ %s %s" % (kind, shape), "%s=⍥⊢%s" % (hidden(LEFT[kind][shape]), x), None
            yield "op ⍥ %s %s" % (kind, shape), "(≢⍥,)%s" % x, None
            yield "op ⍣ %s %s" % (kind, shape), "(⌽⍣3)%s" % x, None
            yield "op ⍣ %s %s" % (kind, shape), "(⌽⍣0)%s" % x, None
            yield "op @ %s %s" % (kind, shape), "(%s@(=∘%s))%s" % (LEFT[kind]["scalar"], RIGHT[kind]["scalar"], x), None
    for f in "+-×⌈|":
        for a, b in (("2 3⍴⍳6", "⍳2"), ("⍳3", "2 2⍴⍳4"), ("⍳0", "⍳3"), ("5", "⍳3"), ("0.5 1.5", "2 2⍴⍳4")):
            yield "op ∘. %s shapes" % f, "%s∘.%s%s" % (hidden(a), f, hidden(b)), None
        for a, b in (("⍳3", "10"), ("10", "2 2⍴⍳4"), ("⍳3", "1⍴5"), ("⍳3", "⍳4"), ("2 3⍴⍳6", "3 2⍴⍳6")):
            yield "op ¨ %s shapes" % f, "%s%s¨%s" % (hidden(a), f, hidden(b)), None
    for f, g in (("+", "×"), ("∨", "∧"), ("∧", "="), ("⌊", "+"), ("-", "×"), ("⌈", "⌊"), ("+", "=")):
        for a, b in (("2 3⍴1 0 1", "3 2⍴0 1 1"), ("1 0 1", "3 2⍴0 1 1"), ("2 3⍴1 0 1", "1 1 0"), ("1 0 1", "1 1 1"),
                     ("1", "1 0 1"), ("1 0 1", "1"), ("2 0⍴1", "0 3⍴1"), ("2 2 3⍴1 1 0", "3 2⍴1 0 1"), ("2 3⍴1", "2 3⍴1"),
                     ("1", "0")):
            plain = f in "⌈⌊" and a == "2 0⍴1"
            yield "op . %s.%s bool" % (f, g), "%s%s.%s%s" % (hidden_unless(plain, a), f, g, hidden_unless(plain, b)), None
        if f not in "∨∧":
            for a, b in (("2 3⍴⍳6", "3 2⍴⍳6"), ("⍳3", "⍳3"), ("2 3⍴0.5 1.5", "3⍴2.5"), ("1 2 3⍴⍳6", "3 1 2⍴⍳6"), ("3 0⍴0", "0 2⍴0")):
                plain = f in "⌈⌊" and a == "3 0⍴0"
                yield "op . %s.%s int" % (f, g), "%s%s.%s%s" % (hidden_unless(plain, a), f, g, hidden_unless(plain, b)), None
    yield "op . ∧.= char", "%s∧.=%s" % (hidden("2 3⍴'abcabd'"), hidden("'abc'")), None
    yield "op . +.= char", "%s+.=%s" % (hidden("'banana'"), hidden("'bandit'")), None


def operators():
    for keys, values, kind in (("'abab'", "1 2 3 4", "char"), ("3 1 3 3 1", "2.5 1 0 4 5", "int"), ("1 0 1", "5 6 7", "bool"),
                               ("0.5 1.5 0.5", "1 2 3", "double"), ("⍳0", "⍳0", "int"), ("1⍴7", "1⍴3", "int")):
        for f in ("{+/⍵}", "{≢⍵}", "{⌈/⍵}"):
            if (values, f) != ("⍳0", "{⌈/⍵}"):
                yield "op ⌸ %s vector" % kind, "%s%s⌸%s" % (hidden(keys), f, hidden(values)), None
        yield "op ⌸ %s vector" % kind, "{≢⍵}⌸" + hidden(keys), None
        yield "op ⌸ %s vector" % kind, "{⌊/⍵}⌸" + hidden(keys) if keys != "⍳0" else "{≢⍵}⌸" + hidden(keys), None
    yield "op ⌸ int matrix", "%s{+⌿⍵}⌸%s" % (hidden("1 2 1"), hidden("3 2⍴⍳6")), None
    yield "op ⌸ char vector", "{⍺=⍺}⌸" + hidden("'mississippi'"), None
    yield "op ⌸ int errors", "%s{+/⍵}⌸%s" % (hidden("1 2 1"), hidden("⍳2")), None
    for text in ("(+/⍤1)%s", "(+/⍤2)%s", "(+⌿⍤¯1)%s", "(⌽⍤2)%s", "(⊖⍤2)%s", "(⍴⍤1)%s", "({⍵[1]}⍤1)%s", "(⍋⍤1)%s", "(≢⍤1)%s",
                 "(,⍤2)%s", "(⍉⍤2)%s", "(⊢⍤99)%s", "({2↑⍵}⍤1)%s", "(-⍤0)%s"):
        for kind, x in (("int", "2 3 2⍴⍳12"), ("double", "2 2 2⍴0.5 ¯2.5 1.5"), ("int", "3 0⍴7")):
            if x != "3 0⍴7" or "[1]" not in text:
                yield "op ⍤ %s cells" % kind, text % hidden(x), None
    for a, k, b in (("1 2 3", "1", "2 3⍴⍳6"), ("10 20", "0 1", "2 3⍴⍳6"), ("2 3⍴⍳6", "1", "2 3⍴6 5 4 3 2 1"), ("5", "0", "2 2⍴⍳4"),
                    ("1 2 3", "0 1", "2 3⍴⍳6"), ("2 3⍴⍳6", "¯1", "2 3⍴⍳6")):
        yield "op ⍤ int dyadic", "%s(+⍤%s)%s" % (hidden(a), k, hidden(b)), None
        yield "op ⍤ int dyadic", "%s(,⍤%s)%s" % (hidden(a), k, hidden(b)), None
    for text in ("({⍵×2}⍣%s)1", "({⍵+0.5}⍣%s)1.5", "({1⌽⍵}⍣%s)⍳4", "(2∘×⍣%s)3 4", "2(+⍣%s)5"):
        for n in ("0", "1", "5"):
            yield "op ⍣ int count", text % hidden(n), None
    yield "op ⍣ double until", "({0.5×⍵+2÷⍵}⍣=)1.5", None
    yield "op ⍣ int until", "({⌊⍵÷2}⍣=)" + hidden("1000"), None
    yield "op ⍣ int until", "({⍵+1}⍣{⍺>10})" + hidden("3"), None
    for text in ("(0@2 4)%s", "(10 20@2 4)%s", "(-@2 4)%s", "({⍵×10}@1)%s", "(0@(⍳0))%s", "(⌽@1 2 3)%s", "(0@(>∘3))%s", "(-@(2∘=))%s",
                 "(0@9)%s", "(7@2 2)%s"):
        yield "op @ int vector", text % hidden("⍳5"), None
        yield "op @ double vector", text % hidden("1.5 2 3 4.5 5"), None
    yield "op @ int matrix", "(0@1)" + hidden("2 3⍴⍳6"), None
    yield "op @ int matrix", "((2 3⍴9)@2 1)" + hidden("3 3⍴⍳9"), None
    yield "op @ int cube", "(-@2)" + hidden("2 2 2⍴⍳8"), None
    yield "op @ char vector", "('x'@2)" + hidden("'abc'"), None
    yield "op @ int empty", "(0@(⍳0))" + hidden("⍳0"), None
    for f in ("{+/,⍵}", "{⌈/,⍵}", "{(,⍵)[1]}", "{≢⍵}"):
        for w, x, kind in (("3 3", "3 4⍴⍳12", "int"), ("1 3", "3 4⍴⍳12", "int"), ("3", "3 1 4 1 5", "int"), ("5", "⍳3", "int"),
                           ("3", "0.5 1.5 2.5", "double"), ("1", "⍳3", "int"), ("3 1 1", "2 2 2⍴⍳8", "int"), ("3", "1 0 1 1", "bool")):
            yield "op ⌺ %s %s" % (kind, w), "(%s⌺%s)%s" % (f, w, hidden(x)), None
    yield "op ⌺ char 3", "({+/⍵='a'}⌺3)" + hidden("'banana'"), None
    for text in ("(+/÷≢)%s", "(⌈/-⌊/)%s", "(-⌊/)%s", "(2×⊢)%s", "(⌽≡⊢)%s", "3(+×-)%s", "1(⊢,⊣)%s", "(≢,⊢)%s"):
        for x in ("3 1 4 1 5", "2.5 1.5", "1 0 1", "1⍴4"):
            yield "train vector", text % hidden(x), None


# Statements that hold for every array x of these kinds, by the definitions of the functions.
IDENTITIES = (
    ("⌽⌽x", "x"), ("⊖⊖x", "x"), ("⍉⍉x", "x"), ("(⍴x)⍴,x", "x"), ("⊃⊂x", "x"), ("1⌽¯1⌽x", "x"), ("2⊖¯2⊖x", "x"),
    ("(⍴⍉x)", "⌽⍴x"), ("≢,x", "×/⍴x"), ("(⍴x)⍴⌽⌽,x", "x"), ("⊖x", "⍉⌽⍉x"), ("1⊖x", "⍉1⌽⍉x"), ("⍴⍴x", ",≢⍴x"), ("x∊x", "(⍴x)⍴1"),
    ("(⍴⌽x)", "⍴x"), ("x=x", "(⍴x)⍴1"), ("(,x)[⍳≢,x]", ",x"), ("x⍪x", "⍉(⍉x),⍉x"),
)
VECTORS = (
    ("(2↑x),2↓x", "x"), ("(¯2↓x),¯2↑x", "x"), ("x[⍋x][⍋⍋x]", "x"), ("(⍋⍋x)[⍋x]", "⍳≢x"),
    ("(∪x)∩x", "∪x"), ("x~x", "0⍴x"), ("∪x,x", "∪x"), ("x∪x", "x"), ("(x∊x)/x", "x"), 
    ("x[⍸x=⊃x]", "(x=⊃x)/x"), ("x⍳∪x", "⍸(⍳≢x)=x⍳x"), ("((≢x)⍴1)\\x", "x"), ("(x=x)/x", "x"), ("⍸(≢x)⍴1", "⍳≢x"),
    ("x⍷x", "(≢x)↑1"), ("⍋x[⍋x]", "⍳≢x"), ("⍒x[⍒x]", "⍳≢x"), ("2/x", ",x,[1.5]x"),
)
NUMBERS = (
    ("--x", "x"), ("x-x", "(⍴x)⍴0"), ("(×x)×|x", "x"), ("⌊x", "-⌈-x"), ("x⌈x", "x"), ("2|2×⌊x", "(⍴x)⍴0"), ("+/x", "x+.×(¯1↑⍴x)⍴1"),
    ("+⌿x", "⍉+/⍉x"), ("x+x", "2×x"), ("⌈/x", "-⌊/-x"), ("¯1↑+\\,x", "1⍴+/,x"),
    ("x∘.+0", "x"), ("(x⌈0)+x⌊0", "x"), ("(x>0)-x<0", "×x"), ("~x=0", "x≠0"),
)
RADIX = ("10 10 10", "2 3 4", "24 60 60", "7 7 7 7")


def identities():
    def state(group, left, right, x):
        both = "(%s)≡%s" % (left, right)
        return group, both.replace("x", x), "1"
    shapes = ("vector", "matrix", "cube")
    for kind in TYPES:
        for shape in SHAPES:
            x = hidden(RIGHT[kind][shape])
            for left, right in IDENTITIES:
                if shape == "scalar" and "⍪" in left:
                    continue
                yield state("identity " + shape, left, right, x)
        for x in (RIGHT[kind]["vector"], RIGHT[kind]["vector"] + "," + LEFT[kind]["vector"]):
            for left, right in VECTORS:
                yield state("identity vector", left, right, hidden(x))
    for kind in ("int", "double"):
        for shape in shapes:
            x = hidden(RIGHT[kind][shape])
            for left, right in NUMBERS:
                yield state("identity " + shape, left, right, x)
    for radix in RADIX:
        for x in ("0", "5", "19", "⍳20", "2 3⍴⍳6"):
            yield "identity radix", "(%s⊥%s⊤%s)≡%s" % (hidden(radix), hidden(radix), hidden(x), hidden(x)), "1"


def indexing():
    for kind in TYPES:
        v, m, c = (hidden(RIGHT[kind][shape]) for shape in ("vector", "matrix", "cube"))
        for text in ("%s[2]", "%s[5 1 1]", "%s[2 2⍴1 2 3 4]", "%s[⍳0]", "%s[6]", "%s[0]"):
            yield "index %s vector" % kind, text % v, None
        for text in ("%s[2;3]", "%s[1;]", "%s[;2]", "%s[2 1;]", "%s[;3 1]", "%s[2 1;3 1]", "%s[;]", "%s[;1 1 1 1]", "%s[2 2⍴1 2;3]", "%s[3;1]"):
            yield "index %s matrix" % kind, text % m, None
        for text in ("%s[1;2;1]", "%s[;;1]", "%s[2;;]", "%s[;1;]", "%s[2 1;1;]", "%s[1;2 1;2 1]", "%s[1;1;3]"):
            yield "index %s cube" % kind, text % c, None


def formats():
    numbers = {"bool": dict(RIGHT["bool"], empty="0⍴1"),
               "int": {"scalar": "¯35", "vector": "1 20 ¯3", "matrix": "2 3⍴1 20 ¯3 400 5 66", "cube": "2 2 2⍴⍳8", "empty": "⍳0"},
               "double": {"scalar": "2.5", "vector": "0.5 ¯1.25 3", "matrix": "2 3⍴0.5 1.5 2.5 3.5", "cube": "2 2 2⍴1.5 2.5",
                          "empty": "0⍴0.5"},
               "char": RIGHT["char"]}
    for kind in TYPES:
        for shape in SHAPES:
            x = hidden(numbers[kind][shape])
            yield "mono ⍕ %s %s" % (kind, shape), "⍕" + x, None
            yield mirrored("⍕", hidden("7 2"), x, kind, shape)
            yield mirrored("⍕", hidden("6 0"), x, kind, shape)
    yield "mono ⍕ double scalar", "⍕" + hidden("÷3"), None
    yield "mono ⍕ int scalar", "⍕" + hidden("1234567890123"), None


def executions():
    for kind in TYPES:
        for shape in SHAPES:
            yield "mono ⍎ %s %s" % (kind, shape), "⍎" + hidden(RIGHT[kind][shape]), None
            yield mirrored("⍎", hidden("1"), hidden(RIGHT[kind][shape]), kind, shape)


def all_cases():
    for cases in (monadic_scalar, dyadic_scalar, monadic_structural, reshapes, catenations, rotations, transposes, takes,
                  selections, comparisons, searches, sets, orders, intervals, finds, number_systems, equations, deals,
                  replications, reductions, eaches, operators, identities, indexing, formats, executions):
        yield from cases()


def origin_cases():
    """What depends on the index origin, with origin 0."""
    for kind in TYPES:
        v, m = hidden(RIGHT[kind]["vector"]), hidden(RIGHT[kind]["matrix"])
        for text in ("⍋%s", "⍒%s", "%s⍳%s", "%s[0]", "%s[4 0]", "%s[5]", "0⊃%s", "2⌷%s", "{⌊/⍵}⌸%s", "(0 1⌷2 2⍴%s)", "⍸%s=%s", "(⊂0 2)⌷%s"):
            yield "origin " + kind, text.replace("%s", v), None
        for text in ("%s[1;2]", "%s[;0]", "%s[1 0;]", "⌽[0]%s", "⌽[1]%s", "⊖[1]%s", "1⌽[0]%s", "0 1⍉%s", "1 0⍉%s", "0 0⍉%s", "%s,[0]%s",
                     "%s,[¯0.5]%s", "%s,[0.5]%s", "%s,[1.5]%s", "%s⍪[1]%s", "1↑[0]%s", "1↓[1]%s", ",[0 1]%s", "⍋%s", "1 0⌷%s",
                     "1⌷[1]%s", "0 1/[0]%s", "1 0 1/[1]%s", "1 0 1\\[0]%s", "⌽[2]%s", "1 2⍉%s"):
            yield "origin " + kind, text.replace("%s", m), None
    for text in ("⍳5", "⍳0", "+/[0]2 3⍴⍳6", "+/[1]2 3⍴⍳6", "+\\[0]2 3⍴⍳6", "2+/⍳5", "0 5 9⍸⍳10", "(0@1 3)⍳5", "(⍳3)∘.×⍳3",
                 "∧/(?50⍴6)∊⍳6", "(⍳9)≡{⍵[⍋⍵]}9?9", "⍸0 3 1", "'abc'⍳'cax'", "(⍳5)⍳3 7", "({⍵[0]}⍤1)2 3⍴⍳6", "?1", "+/[2]2 3⍴⍳6"):
        yield "origin int", text, None
