"""Expressions with operators, and identities that hold for every array of a kind."""
from arguments import LEFT, RIGHT, SHAPES, SMALL, TYPES, hidden, hidden_unless, shaped

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
