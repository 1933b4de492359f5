"""Scalar functions of the reference model, item by item, from their definitions.

Integers are exact here; the table stays below 2*63. Division by 0 is IEEE's: 1÷0 is infinite.
"""
import cmath
import math
from fractions import Fraction
from sys import float_info
from arrays import Array, fail, indices, whole


def real(x):
    return fail("DOMAIN") if isinstance(x, complex) else x


def sign(x):
    if isinstance(x, complex):
        return 0 if x == 0 else x / abs(x)
    return (x > 0) - (x < 0)


def divide(x, y):
    if isinstance(x, complex) or isinstance(y, complex):
        return complex(math.nan, math.nan) if y == 0 else x / y
    if y == 0:
        if x == 0 or x != x:
            return math.nan
        return math.copysign(math.inf, real(x) * math.copysign(1.0, real(y)))
    return x / y


def power(x, y):
    if isinstance(x, complex) or isinstance(y, complex):
        return complex(x) ** y
    if x == 0 and y < 0:
        return math.inf
    if x < 0 and y != int(y):
        return math.nan
    return float(x) ** y


def logarithm(x):
    if isinstance(x, complex):
        return cmath.log(x)
    if x == 0:
        return -math.inf
    return math.log(x) if x > 0 else math.nan


def complex_floor(x):
    """McDonnell's: the corner of the unit square below, or one step on along the nearer side."""
    a, b = math.floor(x.real), math.floor(x.imag)
    u, v = x.real - a, x.imag - b
    if u + v < 1:
        return complex(a, b)
    return complex(a + 1, b) if u >= v else complex(a, b + 1)


def floor(x):
    return complex_floor(x) if isinstance(x, complex) else math.floor(x)


def ceiling(x):
    return -complex_floor(-x) if isinstance(x, complex) else math.ceil(x)


def residue(x, y):
    if x == 0:
        return y
    if isinstance(x, complex) or isinstance(y, complex):
        return y - x * complex_floor(complex(y / x))
    if isinstance(x, int) and isinstance(y, int):
        return y - x * (y // x)
    rest = math.fmod(y, x)
    return rest + x if rest and (rest < 0) != (x < 0) else rest


def complex_factorial(z):
    """Stirling's series, where the recurrence z! = (z+1)! / (z+1) has made the real part large."""
    if z.imag == 0:
        return complex(factorial(z.real))
    z, log = z + 1, 0
    while z.real < 40:
        z, log = z + 1, log - cmath.log(z)
    terms = (1 / 12, -1 / 360, 1 / 1260, -1 / 1680, 1 / 1188)
    series = sum(term / z ** (2 * i + 1) for i, term in enumerate(terms))
    return cmath.exp(log + (z - 0.5) * cmath.log(z) - z + 0.5 * math.log(2 * math.pi) + series)


def factorial(x):
    if isinstance(x, complex):
        return complex_factorial(x)
    if isinstance(x, int) and x >= 0:
        return math.factorial(x)
    if x == int(x) and x < 0:
        return math.inf
    return math.gamma(x + 1)


def binomial(x, y):
    if isinstance(x, complex) or isinstance(y, complex):
        x, y = complex(x), complex(y)
        if x.imag == 0 and y.imag == 0:
            return complex(binomial(x.real, y.real))
        for z in (x, y - x):
            if z.imag == 0 and z.real < 0 and z.real == int(z.real):
                return 0j
    if isinstance(x, int) and isinstance(y, int) and y >= 0:
        return math.comb(y, x) if x >= 0 else 0
    return factorial(y) / (factorial(x) * factorial(y - x))


def gcd(x, y):
    if isinstance(x, complex) or isinstance(y, complex):
        fail("DOMAIN")
    """The greatest number that divides both into whole numbers."""
    a, b = Fraction(real(x)), Fraction(real(y))
    result = Fraction(math.gcd(a.numerator * b.denominator, b.numerator * a.denominator),
                      a.denominator * b.denominator)
    return int(result) if isinstance(x, int) and isinstance(y, int) else float(result)


def lcm(x, y):
    if isinstance(x, complex) or isinstance(y, complex):
        fail("DOMAIN")
    if x == 0 or y == 0:
        return 0
    result = Fraction(real(x)) * Fraction(real(y)) / Fraction(gcd(x, y))
    return int(result) if isinstance(x, int) and isinstance(y, int) else float(result)


CIRCLE = {
    0: lambda x: cmath.sqrt(1 - x * x), 1: cmath.sin, 2: cmath.cos, 3: cmath.tan,
    4: lambda x: cmath.sqrt(1 + x * x), 5: cmath.sinh, 6: cmath.cosh, 7: cmath.tanh,
    -1: cmath.asin, -2: cmath.acos, -3: cmath.atan, -4: lambda x: cmath.sqrt(x * x - 1),
    -5: cmath.asinh, -6: cmath.acosh, -7: cmath.atanh,
    8: lambda x: cmath.sqrt(-1 - x * x), -8: lambda x: -cmath.sqrt(-1 - x * x),
    9: lambda x: x.real, -9: lambda x: x, 10: abs, -10: lambda x: x.conjugate(),
    11: lambda x: x.imag, -11: lambda x: x * 1j, 12: cmath.phase, -12: lambda x: cmath.exp(x * 1j),
}


def circle(k, x):
    result = complex(CIRCLE[whole(k)](complex(x)))
    if isinstance(x, complex):
        return result
    if abs(result.imag) > 1e-15:
        return math.nan
    return result.real


def truth(x):
    if isinstance(x, complex):
        fail("DOMAIN")
    if x not in (0, 1):
        fail("DOMAIN")
    return int(real(x))


def boolean(f):
    return lambda x, y: int(f(truth(x), truth(y)))


def ordered(f):
    return lambda x, y: int(f(real(x), real(y)))


MONADIC = {
    "+": lambda x: x.conjugate(), "-": lambda x: -x, "×": sign, "÷": lambda x: divide(1, x),
    "*": lambda x: cmath.exp(x) if isinstance(x, complex) else math.exp(x), "⍟": logarithm,
    "⌈": ceiling, "⌊": floor, "|": abs, "!": factorial, "○": lambda x: math.pi * x,
    "~": lambda x: 1 - truth(x),
}
DYADIC = {
    "+": lambda x, y: x + y, "-": lambda x, y: x - y, "×": lambda x, y: x * y, "÷": divide,
    "*": power, "⍟": lambda x, y: divide(logarithm(y), logarithm(x)),
    "⌈": lambda x, y: max(real(x), real(y)), "⌊": lambda x, y: min(real(x), real(y)),
    "|": residue, "!": binomial, "○": circle,
    "∧": lcm, "∨": gcd, "⍲": boolean(lambda x, y: not (x and y)), "⍱": boolean(lambda x, y: not (x or y)),
    "<": ordered(lambda x, y: x < y), "≤": ordered(lambda x, y: x <= y),
    "≥": ordered(lambda x, y: x >= y), ">": ordered(lambda x, y: x > y),
    "=": lambda x, y: int(x == y), "≠": lambda x, y: int(x != y),
}
IDENTITY = {
    "+": 0, "-": 0, "×": 1, "÷": 1, "*": 1, "!": 1, "|": 0, "⌈": -float_info.max, "⌊": float_info.max, "∧": 1, "∨": 0,
    "<": 0, "≤": 1, "=": 1, "≥": 1, ">": 0, "≠": 0,
}


def monadic(glyph, array):
    if array.char:
        fail("DOMAIN")
    return Array(array.shape, [deep_monadic(glyph, item) for item in array.items])


def deep_monadic(glyph, item):
    return monadic(glyph, item) if isinstance(item, Array) else MONADIC[glyph](item)


def apply_dyadic(glyph, x, y):
    if isinstance(x, Array) or isinstance(y, Array):
        return dyadic(glyph, x if isinstance(x, Array) else Array((), [x]),
                      y if isinstance(y, Array) else Array((), [y]))
    return DYADIC[glyph](x, y)


def extended_shape(a, b):
    """One item goes with all items of the other; of two such arrays the one of higher rank gives the shape."""
    if a.count == 1 and b.count == 1:
        return a.shape if a.rank > b.rank else b.shape
    if a.count == 1:
        return b.shape
    if b.count == 1:
        return a.shape
    if a.rank != b.rank:
        fail("RANK")
    if a.shape != b.shape:
        fail("LENGTH")
    return a.shape


def dyadic(glyph, a, b):
    if glyph not in "=≠" and (a.char or b.char) and not (a.char and b.char and glyph in "<≤≥>"):
        fail("DOMAIN")
    shape = extended_shape(a, b)
    count = math.prod(shape)
    left = a.items * count if a.count == 1 else a.items
    right = b.items * count if b.count == 1 else b.items
    items = []
    for x, y in zip(left[:count], right[:count]):
        if isinstance(x, str) and isinstance(y, str):
            items.append(apply_dyadic(glyph, ord(x), ord(y)))
        elif isinstance(x, str) or isinstance(y, str):
            items.append(int((x == y) == (glyph == "=")))
        else:
            items.append(apply_dyadic(glyph, x, y))
    return Array(shape, items, False)


def along(glyph, a, w, axis, origin):
    """The argument of lower rank has the axes of the other one that are named."""
    low, high = (a, w) if a.rank < w.rank else (w, a)
    axes = [k - origin for k in axis.items]
    if any(k not in range(high.rank) for k in axes) or len(set(axes)) < len(axes):
        fail("AXIS")
    if low.rank == 0 or low.shape == (1,):
        return dyadic(glyph, a, w)
    if len(axes) != low.rank:
        fail("RANK")
    if any(high.shape[k] != n for k, n in zip(axes, low.shape)):
        fail("LENGTH")
    spread = Array(high.shape, [low.at([at[k] for k in axes]) for at in indices(high.shape)], low.char)
    return dyadic(glyph, spread, w) if low is a else dyadic(glyph, a, spread)
