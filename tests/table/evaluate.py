"""Reads and evaluates an APL expression of the table: names, numbers, strings, strands, brackets, operators,
trains and dfns with guards, right to left.

    evaluate("+/2 3⍴⍳6").items    ->  [6, 15]

The marks « » ‹ › around arguments (see `make`) are parentheses here.
"""
import re
from math import prod
import scalar as scalars
import structure
from arrays import (Array, along, axis_first, fail, indices, item_of, join_cells, ravel, scalar, vector)

TOKEN = re.compile(r"\s*(?:(?P<number>¯?(?:\d+\.?\d*|\.\d+)(?:E¯?\d+)?(?:J¯?\d+\.?\d*)?|¯?∞)|(?P<string>'(?:[^']|'')*')|"
                   r"(?P<name>⎕?[A-Za-z][A-Za-z0-9]*|⍺|⍵|⍬)|(?P<other>∘\.|.))")
MONADIC_OPERATORS = "¨⍨⌸"
DYADIC_OPERATORS = ".∘⍤⍥⍣@⌺"
SLASHES = "/⌿\\⍀"


class Function:
    """call(left or None, right, axis or None); `glyph` where it is a primitive, for identity elements."""

    def __init__(self, call, glyph=None, axis=None):
        self.call, self.glyph, self.axis = call, glyph, axis

    def __call__(self, a, w):
        return self.call(a, w, self.axis)


def tokens(text):
    result, at = [], 0
    text = text.rstrip()
    while at < len(text):
        m = TOKEN.match(text, at)
        at = m.end()
        result.append((m.lastgroup, m.group(m.lastgroup)))
    return result


def number(text):
    text = text.replace("¯", "-")
    if "∞" in text:
        return float(text.replace("∞", "inf"))
    if "J" in text:
        return complex(*(float(part) for part in text.split("J")))
    value = float(text)
    return int(text) if re.fullmatch(r"-?\d+", text) else value


class Evaluator:
    def __init__(self, origin=1):
        self.origin = origin

    # ---- syntax: nested lists of (kind, what) ----------------------------------------------------

    def parse(self, text):
        self.stream = tokens(text) + [("end", "")]
        self.position = 0
        return self.statements("end")

    def statements(self, closing):
        """Lists of items, separated by ⋄ (or ; in brackets), up to the closing token."""
        result, items = [], []
        closers = {"«": "»", "‹": "›", "(": ")"}
        while True:
            kind, what = self.stream[self.position]
            self.position += 1
            if what == closing or kind == closing:
                return result + [items]
            if what in closers:
                items.append(("group", self.statements(closers[what])[0]))
            elif what == "[":
                items.append(("brackets", self.statements("]")))
            elif what == "{":
                items.append(("dfn", self.statements("}")))
            elif what in "⋄;" and kind == "other":
                result.append(items)
                items = []
            else:
                items.append((kind, what))

    # ---- evaluation ------------------------------------------------------------------------------

    def run(self, statements, names):
        for items in statements:
            if ("other", ":") in items:
                at = items.index(("other", ":"))
                if self.value(items[:at], names).items[0] == 1:
                    return self.value(items[at + 1:], names)
                continue
            if len(items) > 1 and items[1] == ("other", "←"):
                names[items[0][1]] = self.meaning(items[2:], names)
                continue
            return self.value(items, names)
        fail("VALUE")

    def value(self, items, names):
        result = self.meaning(items, names)
        if isinstance(result, Function):
            fail("SYNTAX")
        return result

    def meaning(self, items, names):
        """Of a list of items: operators are bound from the left, then functions applied from the right."""
        items = self.bound(self.stranded(items, names), names)
        if isinstance(items[-1], Function):
            return self.train(items)
        result = items.pop()
        while items:
            f = items.pop()
            if not isinstance(f, Function):
                fail("SYNTAX")
            left = items.pop() if items and isinstance(items[-1], Array) else None
            result = f(left, result)
        return result

    def atom(self, kind, what, names):
        """An Array, a Function, or the glyph of an operator."""
        if kind == "number":
            return scalar(number(what))
        if kind == "string":
            text = what[1:-1].replace("''", "'")
            return scalar(text) if len(text) == 1 else vector(text, True)
        if kind == "group":
            return self.meaning(what, names)
        if kind == "dfn":
            return Function(lambda a, w, axis: self.call(what, names, a, w))
        if what == "⍬":
            return vector([], False)
        if kind == "name":
            return names[what]
        return what if what in MONADIC_OPERATORS + DYADIC_OPERATORS + SLASHES + "∘." else self.primitive(what)

    def call(self, statements, names, a, w):
        inner = dict(names)
        inner["⍵"] = w
        if a is not None:
            inner["⍺"] = a
        return self.run(statements, inner)

    def primitive(self, glyph):
        def apply(a, w, axis):
            if glyph == "~" and a is not None:
                return structure.without(a, w, axis, self.origin)
            if a is None and glyph in scalars.MONADIC:
                return scalars.monadic(glyph, w)
            if a is not None and glyph in scalars.DYADIC:
                return scalars.dyadic(glyph, a, w) if axis is None else scalars.along(glyph, a, w, axis, self.origin)
            if glyph not in structure.FUNCTIONS:
                fail("SYNTAX")
            return structure.FUNCTIONS[glyph](a, w, axis, self.origin)
        return Function(apply, glyph)

    def stranded(self, items, names):
        """Atoms, with neighbouring arrays joined and brackets applied."""
        result, strand = [], []

        def close():
            if len(strand) == 1:
                result.append(strand[0])
            elif strand:
                items = [item_of(x) for x in strand]
                if any(isinstance(x, complex) for x in items):  # numbers of one list are of one type
                    items = [complex(x) if isinstance(x, (int, float)) else x for x in items]
                result.append(vector(items, all(x.char for x in strand)))
            strand.clear()
        for kind, what in items:
            if kind == "brackets":
                places = [self.value(place, names) if place else None for place in what]
                if strand:
                    strand[-1] = structure.index(strand[-1], places, self.origin)
                else:
                    result.append(("axis", places[0]))
                continue
            thing = self.atom(kind, what, names)
            if isinstance(thing, Array):
                strand.append(thing)
            else:
                close()
                result.append(thing)
        close()
        return result

    def bound(self, atoms, names):
        result, at = [], 0

        def axis_after():
            nonlocal at
            if at < len(atoms) and isinstance(atoms[at], tuple):
                at += 1
                return atoms[at - 1][1]
            return None

        def one():
            nonlocal at
            thing = atoms[at]
            at += 1
            if thing == "∘.":
                return self.outer(one())
            return self.slash(thing, None, None) if isinstance(thing, str) and thing in SLASHES else thing
        while at < len(atoms):
            thing = atoms[at]
            at += 1
            if isinstance(thing, tuple):
                f = result.pop()
                result.append(Function(f.call, f.glyph, thing[1]))
            elif isinstance(thing, (Array, Function)):
                result.append(thing)
            elif thing == "∘.":
                result.append(self.outer(one()))
            elif thing in SLASHES:
                f = result.pop() if result and isinstance(result[-1], Function) else None
                result.append(self.slash(thing, f, axis_after()))
            elif thing in MONADIC_OPERATORS:
                result.append(self.monadic_operator(thing, result.pop()))
            else:
                result.append(self.dyadic_operator(thing, result.pop(), one()))
        return result

    def train(self, tines):
        tines = list(tines)
        result = tines.pop()
        while tines:
            middle = tines.pop()
            if not tines:
                return self.atop(middle, result)
            left, right = tines.pop(), result
            result = self.fork(left, middle, right)
        return result

    @staticmethod
    def atop(f, g):
        return Function(lambda a, w, axis: f(None, g(a, w)))

    @staticmethod
    def fork(f, g, h):
        return Function(lambda a, w, axis: g(f(a, w) if isinstance(f, Function) else f, h(a, w)))

    # ---- operators -------------------------------------------------------------------------------

    def slash(self, glyph, f, given):
        """f/ f\\ and their kind; without f replicate and expand."""
        first = glyph in "⌿⍀"

        def apply(a, w, axis):
            k = structure.axis_of(axis if axis is not None else given, w.rank, self.origin,
                                  0 if first or not w.rank else w.rank - 1)
            if f is None:
                if a is None:
                    fail("SYNTAX")
                return (structure.replicate if glyph in "/⌿" else structure.expand)(a, w, k)
            if glyph in "/⌿":
                return self.reduce(f, w, k) if a is None else self.windows(f, a, w, k)
            if w.rank == 0:
                return w
            return along(w, k, lambda items: [self.fold(f, items[:i + 1], w) for i in range(len(items))])
        return Function(apply)

    def fold(self, f, items, w):
        if not items:
            identity = scalars.IDENTITY.get(f.glyph)
            return identity if identity is not None else fail("DOMAIN")
        cells = w.like((len(items),), items).scalar_items()
        result = cells.pop()
        while cells:
            result = f(cells.pop(), result)
        return item_of(result)

    def reduce(self, f, w, k):
        if w.rank == 0:
            return w
        moved = axis_first(w, k)
        rest = prod(moved.shape[1:])
        items = [self.fold(f, moved.items[c::rest], w) for c in range(rest)]
        return Array(moved.shape[1:], items, w.char if not items else None)

    def windows(self, f, a, w, k):
        size = structure.whole(a.items[0])
        n = w.shape[k]
        if abs(size) > n + 1:
            fail("LENGTH")

        def change(items):
            parts = [items[i:i + abs(size)] for i in range(n - abs(size) + 1)]
            return [self.fold(f, part[::-1] if size < 0 else part, w) for part in parts]
        return along(w, k, change)

    def outer(self, f):
        def apply(a, w, axis):
            return Array(a.shape + w.shape, [item_of(f(x, y)) for x in a.scalar_items()
                                             for y in w.scalar_items()], None if a.count * w.count else False)
        return Function(apply)

    def each(self, f):
        def apply(a, w, axis):
            if a is None:
                return Array(w.shape, [item_of(f(None, x)) for x in w.scalar_items()])
            shape = scalars.extended_shape(a, w)
            left, right = a.scalar_items(), w.scalar_items()
            left = left * prod(shape) if a.count == 1 else left
            right = right * prod(shape) if w.count == 1 else right
            return Array(shape, [item_of(f(x, y)) for x, y in zip(left, right)])
        return Function(apply)

    def key(self, f):
        def apply(a, w, axis):
            keys, values = (w, None) if a is None else (a, w)
            if values is not None and values.shape[0] != keys.shape[0]:
                fail("LENGTH")
            distinct = structure.union(None, keys, None, 1)
            results = []
            for key in distinct.items:
                at = [i for i, x in enumerate(keys.items) if x == key]
                group = vector([i + self.origin for i in at]) if values is None else \
                    join_cells([values.cells()[i] for i in at], (len(at),))
                results.append(f(scalar(key), group))
            return join_cells(results, (len(results),))
        return Function(apply)

    def monadic_operator(self, glyph, f):
        if glyph == "¨":
            return self.each(f)
        if glyph == "⌸":
            return self.key(f)
        if isinstance(f, Array):
            return Function(lambda a, w, axis: f)
        return Function(lambda a, w, axis: f(w, w) if a is None else f(w, a))

    def inner(self, f, g):
        def apply(a, w, axis):
            if a.rank == 0 and w.rank == 0:
                return self.reduce(f, ravel(g(a, w)), 0)
            n = a.shape[-1] if a.rank and a.count != 1 else w.shape[0] if w.rank else 1
            left = a if a.rank and a.count != 1 else Array(a.shape[:-1] + (n,), a.items * n, a.char)
            right = w if w.rank and (w.count != 1 or n == 1) else Array((n,), w.items * n, w.char)
            if left.shape[-1] != right.shape[0]:
                fail("LENGTH")
            columns = prod(right.shape[1:])
            items = [self.reduce(f, g(vector(left.items[r * n:(r + 1) * n], a.char),
                                      vector(right.items[c::columns], w.char)), 0).items[0]
                     for r in range(prod(left.shape[:-1])) for c in range(columns)]
            return Array(left.shape[:-1] + right.shape[1:], items, None if items else False)
        return Function(apply)

    def compose(self, f, g):
        if isinstance(f, Array):
            return Function(lambda a, w, axis: g(f, w))
        if isinstance(g, Array):
            return Function(lambda a, w, axis: f(w, g))
        return Function(lambda a, w, axis: f(a, g(None, w)))

    def rank(self, f, k):
        ranks = [structure.whole(x) for x in ravel(k).items]
        monadic, left, right = (ranks * 3)[:3] if len(ranks) == 1 else \
            (ranks[1], *ranks) if len(ranks) == 2 else ranks

        def cells(x, r):
            r = max(0, x.rank + r) if r < 0 else min(r, x.rank)
            frame, cell = x.shape[:x.rank - r], x.shape[x.rank - r:]
            size = prod(cell)
            return frame, [x.like(cell, x.items[i * size:(i + 1) * size]) for i in range(prod(frame))]

        def apply(a, w, axis):
            if a is None:
                frame, parts = cells(w, monadic)
                return join_cells([f(None, x) for x in parts], frame)
            a_frame, a_cells = cells(a, left)
            frame, w_cells = cells(w, right)
            if a_frame and frame and a_frame != frame:
                fail("LENGTH" if len(a_frame) == len(frame) else "RANK")
            a_cells = a_cells if a_frame else a_cells * len(w_cells)
            w_cells = w_cells if frame else w_cells * len(a_cells)
            return join_cells([f(x, y) for x, y in zip(a_cells, w_cells)], frame or a_frame)
        return Function(apply)

    def over(self, f, g):
        return Function(lambda a, w, axis: f(None if a is None else g(None, a), g(None, w)))

    def power(self, f, g):
        def apply(a, w, axis):
            if isinstance(g, Array):
                for _ in range(structure.whole(g.items[0])):
                    w = f(a, w)
                return w
            while True:
                new = f(a, w)
                if g(new, w).items[0] == 1:
                    return new
                w = new
        return Function(apply)

    def at(self, f, where):
        def apply(a, w, axis):
            if isinstance(where, Function):
                mask = where(None, w)
                places = [i for i, b in enumerate(mask.items) if b]
                parts = vector([w.items[i] for i in places], w.char)
                size, tail = 1, ()
            else:
                places = [i - self.origin for i in structure.integers(ravel(where))]
                size, tail = prod(w.shape[1:]), w.shape[1:]
                if any(not 0 <= i < w.shape[0] for i in places):
                    fail("INDEX")
                parts = join_cells([w.cells()[i] for i in places], (len(places),)) if places else \
                    w.like((0,) + tail, [])
            new = f if isinstance(f, Array) else f(a, parts)
            new = new.items * (len(places) * size) if new.count == 1 else new.items
            items = list(w.items)
            for n, i in enumerate(places):
                items[i * size:(i + 1) * size] = new[n * size:(n + 1) * size]
            return Array(w.shape, items)
        return Function(apply)

    def stencil(self, f, sizes):
        sizes = structure.integers(ravel(sizes))

        def apply(a, w, axis):
            def window(centre):
                items = []
                for offset in indices(sizes):
                    at = [c + o - n // 2 for c, o, n in zip(centre, offset, sizes)]
                    inside = all(0 <= i < n for i, n in zip(at, w.shape))
                    items.append(w.at(at) if inside else w.fill)
                return w.like(sizes, items)
            return join_cells([f(None, window(centre)) for centre in indices(w.shape)], w.shape)
        return Function(apply)

    def dyadic_operator(self, glyph, f, g):
        if glyph == ".":
            return self.inner(f, g)
        if glyph == "∘":
            return self.compose(f, g)
        if glyph == "⍤":
            return self.rank(f, g) if isinstance(g, Array) else \
                Function(lambda a, w, axis: f(None, g(a, w)))
        if glyph == "⍥":
            return self.over(f, g)
        if glyph == "⍣":
            return self.power(f, g)
        return self.at(f, g) if glyph == "@" else self.stencil(f, g)


def evaluate(text, origin=1):
    evaluator = Evaluator(origin)
    return evaluator.run(evaluator.parse(text), {})
