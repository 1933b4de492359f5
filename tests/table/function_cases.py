"""Expressions with scalar functions, searching, sets, order, number systems, linear equations and text.

Most are products of a primitive, argument types and argument shapes; what differs from primitive to primitive is
said in tables here. A case is (group, expression, expected), expected None where the model says.
"""
from arguments import ANGLES, CIRCLES, COMPLEX, LEFT, POSITIVE, RIGHT, SHAPES, SMALL, TYPES, hidden, mirrored, shaped

SCALAR_MONADIC = "+-×÷*⍟⌈⌊|!○~"
SCALAR_DYADIC = "+-×÷*⍟⌈⌊|!○∧∨⍲⍱<≤=≥>≠"
MIXED = (("bool", "int"), ("int", "double"), ("double", "bool"), ("char", "int"))


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


def scalar_axes():
    """Scalar functions along axes of the argument of higher rank."""
    pairs = (("2 3⍴", "2⍴", "1"), ("2 3⍴", "3⍴", "2"), ("2 3 2⍴", "3⍴", "2"), ("2 3 2⍴", "2 2⍴", "1 3"),
             ("2 3 2⍴", "3 2⍴", "2 3"), ("1 2 1 3⍴", "2 3⍴", "2 4"), ("2 0⍴", "2⍴", "1"), ("2 3⍴", "3⍴", "1"),
             ("2 3⍴", "2⍴", "3"), ("2 3 2⍴", "2⍴", "1 3"), ("2 3⍴", "2 3⍴", "1 2"), ("2 3⍴", "1⍴", "2"))
    for f in SCALAR_DYADIC:
        left, right = sides(f)
        for kind in ("bool",) if f in "⍲⍱" else TYPES:
            for high, low, axes in pairs if f in "-=" else pairs[2:4]:
                one, other = left[kind]["vector"], right[kind]["vector"]
                group, hide = "dyad %s %s axis" % (f, kind), shaped if low == "1⍴" else hidden
                if kind != "char" or f == "=" or (high, low, axes) in pairs[:4]:
                    yield group, "%s%s[%s]%s" % (hide(low + one), f, axes, hide(high + other)), None
                    yield group, "%s%s[%s]%s" % (hide(high + one), f, axes, hide(low + other)), None


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
    for left, right in (("0⍴'a'", "1 2 3"), ("2 0⍴'a'", "2 3⍴⍳6"), ("⍳0", "'abc'"), ("1⍴'a'", "1 2 3"), ("3 0⍴1", "2 2⍴'ab'")):
        yield mirrored("⍷", hidden(left), hidden(right), "char-int", "empty")


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
    for left in ("5 ¯3 2", "¯2 7 7 1", "3 0 ¯4", "¯10", "0.5 2.5", "¯1.5 2", "2.5 ¯3 0.5", "2 2⍴¯3 5 2 7", "⍪0.5 ¯1.25 2.5", "1 3 2.5"):
        for right in ("1", "¯7", "3 ¯1 4 0 5", "2 3⍴⍳6", "2.25 ¯0.75"):
            yield mirrored("⊤", hidden(left), hidden(right), "double" if "." in left + right else "int", "radices")
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


def complex_numbers():
    right, left = COMPLEX["right"], COMPLEX["left"]
    for shape in SHAPES:
        x, y = hidden(right[shape]), hidden(left[shape])
        for f in "+-×*|○⌈⌊!" + ("~" if shape != "empty" else ""):
            yield "mono %s complex %s" % (f, shape), f + (x.replace("¯3", "¯3.5") if f == "!" else x), None
        for f in "÷⍟":
            yield "mono %s complex %s" % (f, shape), f + y, None
        for f in "+-×*=≠|" + ("!" if shape in ("scalar", "cube", "empty") else "") + ("<≤≥>∧∨⍲⍱⌈⌊" if shape != "empty" else ""):
            yield "dyad %s complex %s" % (f, shape), y + f + x, None
        for f in "÷⍟":
            yield "dyad %s complex %s" % (f, shape), x.replace(" 0 ", " 5 ") + f + y, None
        for k in ("1", "2", "3", "5", "6", "7", "¯1", "¯2", "¯3", "¯5", "¯6", "9", "10", "11", "¯9", "¯10", "¯11", "¯12"):
            away = left[shape].replace("0J1", "0.25J1").replace("0J¯1", "0.5J0.5").replace("2 0", "2J3 0")  # from branch cuts
            yield "dyad ○ complex %s" % shape, k + "○" + hidden(away), None
        for f in "⍴,⍪⌽⊖⍉↑⊃⌷≢≡⊢⊣∊":
            yield "mono %s complex %s" % (f, shape), f + x, None
        if shape in ("scalar", "vector", "empty"):
            yield "mono ∪ complex " + shape, "∪" + x, None
        for f in ",⍪":
            yield mirrored(f, y, x, "complex", shape)
            yield mirrored(f, hidden(RIGHT["int"][shape]), x, "complex", shape)
        for f in "⌽⊖":
            yield mirrored(f, hidden("1"), x, "complex", shape)
        for f in "≡≢":
            yield mirrored(f, x, x, "complex", shape)
            yield mirrored(f, x, y, "complex", shape)
        yield mirrored("⍴", shaped("2 4"), x, "complex", shape)
        yield mirrored("∊", x, y, "complex", shape)
        yield mirrored("⍳", hidden(left["vector"]), x, "complex", shape)
        for f in "+×":
            for slash in "/⌿\\⍀":
                yield "op %s %s complex %s" % (slash, f, shape), f + slash + x, None
        yield "op / - complex " + shape, "-/" + x, None
        yield "op ∘. complex " + shape, y + "∘.×" + x, None
        yield "op ¨ complex " + shape, "{⍵×0J1}¨" + x, None
    for shape, count in (("vector", "2"), ("vector", "¯7"), ("matrix", "1 ¯2"), ("cube", "1 3 1"), ("empty", "2")):
        for f in "↑↓":
            yield mirrored(f, shaped(count), hidden(right[shape]), "complex", shape)
    for text in ("%s[2]", "%s[5 1]", "1 0 1 1 0/%s", "1 0 2 1 0 1/%s", "1 1 0 1 1 1\\%s", "%s~3", "%s∪1J2 7", "%s∩0J0 3", "(0@2)%s", "(+/⍤0)%s"):
        yield "index complex vector", text % hidden(right["vector"]), None
    yield "op . complex matrix", hidden("2 3⍴1J1 2 0J¯1") + "+.×" + hidden("3 2⍴2J1 1 0J3"), None
    yield "op . complex vector", hidden("1J1 2") + "+.×" + hidden("2J1 0J3"), None
    for statement in ("(+z)≡(9○z)-0J1×11○z", "∧/,1E¯9>|z-(10○z)×¯12○12○z", "∧/,1E¯9>|z-*⍟z", "∧/,1E¯9>|z-(z*0.5)*2", 
                      "∧/,1E¯9>|1-((1○z)*2)+(2○z)*2"):
        for x in ("3J4", "1J2 2J¯1 ¯3J0.5", "2 2⍴1J1 0J2 2 ¯1J¯1"):
            yield "identity complex", statement.replace("z", hidden(x)), "1"


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
