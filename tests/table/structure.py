"""Structural, searching and numeric functions of the reference model.

Each takes (left or None, right, axis or None, index origin) and gives an Array; most say in one line what APL
says. They are slow on purpose: lookups compare with everything, sorting is Python's with a key.
"""
import random
from decimal import ROUND_HALF_UP, Decimal
from fractions import Fraction
from functools import cmp_to_key, reduce
from math import floor as floor_of, prod
import scalar as scalars
from arrays import (Array, along, axis_back, axis_first, fail, generate, indices, integers, is_char, item_of,
                    join_cells, permute, ravel, scalar, vector, whole)


def axis_of(axis, rank, origin, fallback):
    if axis is None:
        return fallback
    if axis.count != 1 or axis.char or axis.items[0] != int(axis.items[0]):
        fail("AXIS")
    k = int(axis.items[0]) - origin
    if not 0 <= k < rank:
        fail("AXIS")
    return k


def only_vector(array):
    if array.rank > 1:
        fail("RANK")
    return ravel(array)


def shape_of(a, w, axis, origin):
    if a is None:
        return vector(w.shape, False)
    shape = integers(only_vector(a))
    if any(n < 0 for n in shape):
        fail("DOMAIN")
    count = prod(shape)
    source = w.items or [w.fill]
    return w.like(shape, [source[i % len(source)] for i in range(count)])


def fraction(axis):
    return axis is not None and axis.count == 1 and axis.items[0] != int(axis.items[0])


def comma(a, w, axis, origin, first=False):
    if a is None:
        if first:
            return w.like((w.shape[0] if w.rank else 1, prod(w.shape[1:])), w.items)
        if axis is None:
            return ravel(w)
        if fraction(axis):
            k = floor_of(axis.items[0]) + 1 - origin
            return w.like(w.shape[:k] + (1,) + w.shape[k:], w.items)
        axes = [k - origin for k in integers(axis)]
        if not axes:
            return w.like(w.shape + (1,), w.items)
        if axes != list(range(axes[0], axes[0] + len(axes))) or axes[0] < 0 or axes[-1] >= w.rank:
            fail("AXIS")
        joined = prod(w.shape[k] for k in axes)
        return w.like(w.shape[:axes[0]] + (joined,) + w.shape[axes[-1] + 1:], w.items)
    if a.count and w.count and is_char(a.items[0]) != is_char(w.items[0]):
        fail("DOMAIN")
    if fraction(axis):
        k = floor_of(axis.items[0]) + 1 - origin
        shape = a.shape if a.rank else w.shape
        if a.rank and w.rank and a.shape != w.shape:
            fail("RANK" if a.rank != w.rank else "LENGTH")
        both = [x if x.rank else shape_of(vector(shape), x, None, 1) for x in (a, w)]
        return axis_back(join_cells(both, (2,)), k)
    rank = max(a.rank, w.rank, 1)
    k = axis_of(axis, rank, origin, 0 if first else rank - 1)
    frame = a if a.rank == rank else w

    def parts(x):
        if x.rank == 0:
            shape = frame.shape[:k] + (1,) + frame.shape[k + 1:] if frame.rank else (1,)
            x = shape_of(vector(shape), x, None, 1)
        elif x.rank == rank - 1:
            x = x.like(x.shape[:k] + (1,) + x.shape[k:], x.items)
        elif x.rank != rank:
            fail("RANK")
        return axis_first(x, k)
    left, right = parts(a), parts(w)
    if left.shape[1:] != right.shape[1:]:
        fail("LENGTH")
    char = left.char if left.count else right.char
    joined = Array((left.shape[0] + right.shape[0],) + left.shape[1:], left.items + right.items, char)
    return axis_back(joined, k)


def comma_first(a, w, axis, origin):
    return comma(a, w, axis, origin, True)


def reverse(a, w, axis, origin, first=False):
    k = axis_of(axis, w.rank, origin, 0 if first else w.rank - 1)
    if a is None:
        return w if w.rank == 0 else along(w, k, lambda items: items[::-1])
    amounts = integers(a)
    if w.rank == 0:
        if a.count != 1:
            fail("RANK")
        return w
    if a.count == 1:
        return along(w, k, lambda items: turn(items, amounts[0]))
    if a.rank == 1 and w.rank == 1:
        fail("LENGTH")
    if a.rank != w.rank - 1:
        fail("RANK")
    if a.shape != w.shape[:k] + w.shape[k + 1:]:
        fail("LENGTH")

    def item_at(index):
        amount = amounts[place(index[:k] + index[k + 1:], a.shape)]
        return w.at(index[:k] + ((index[k] + amount) % w.shape[k],) + index[k + 1:])
    return generate(w, w.shape, item_at)


def place(index, shape):
    return reduce(lambda so_far, i_n: so_far * i_n[1] + i_n[0], zip(index, shape), 0)


def turn(items, amount):
    amount = amount % len(items) if items else 0
    return items[amount:] + items[:amount]


def reverse_first(a, w, axis, origin):
    return reverse(a, w, axis, origin, True)


def transpose(a, w, axis, origin):
    if a is None:
        return permute(w, list(range(w.rank))[::-1])
    to = [k - origin for k in integers(only_vector(a))]
    if len(to) != w.rank:
        fail("LENGTH")
    rank = max(to) + 1 if to else 0
    if min(to, default=0) < 0 or set(to) != set(range(rank)):
        fail("DOMAIN")
    shape = [min(n for n, t in zip(w.shape, to) if t == axis) for axis in range(rank)]
    return generate(w, shape, lambda index: w.at([index[t] for t in to]))


def take_or_drop(a, w, axis, origin, change):
    counts = integers(only_vector(a))
    if w.rank == 0:
        w = w.like((1,) * len(counts), w.items)
    if axis is not None:
        axes = [k - origin for k in integers(axis)]
        if any(not 0 <= k < w.rank for k in axes) or len(set(axes)) != len(axes):
            fail("AXIS")
    else:
        axes = range(w.rank)
    if len(counts) != len(axes):
        fail("LENGTH")
    for k, n in zip(axes, counts):
        w = along(w, k, lambda items: change(items, n, w.fill))
    return w


def taken(items, n, filler):
    missing = [filler] * (abs(n) - len(items))
    return items[:n] + missing if n >= 0 else missing + items[max(0, len(items) + n):]


def dropped(items, n, filler):
    return items[n:] if n >= 0 else items[:max(0, len(items) + n)]


def up(a, w, axis, origin):
    if a is not None:
        return take_or_drop(a, w, axis, origin, taken)
    cells = w.scalar_items()
    rank = max(cell.rank for cell in cells) if cells else 0
    cells = [cell.like((1,) * (rank - cell.rank) + cell.shape, cell.items) for cell in cells]
    shape = [max(cell.shape[i] for cell in cells) for i in range(rank)]
    cells = [take_or_drop(vector(shape), cell, None, 1, taken) if rank else cell for cell in cells]
    return join_cells(cells, w.shape)


def down(a, w, axis, origin):
    if a is not None:
        return take_or_drop(a, w, axis, origin, dropped)
    if w.rank == 0:
        return w
    k = axis_of(axis, w.rank, origin, w.rank - 1)
    w = permute(w, [i for i in range(w.rank) if i != k] + [k])
    n = w.shape[-1]
    return Array(w.shape[:-1], [item_of(vector(w.items[i * n:(i + 1) * n], w.char))
                                for i in range(prod(w.shape[:-1]))], w.char)


def disclose(a, w, axis, origin):
    if a is None:
        first = w.items[0] if w.items else w.fill
        return first if isinstance(first, Array) else scalar(first)
    for step in ravel(a).items:
        path = integers(ravel(step)) if isinstance(step, Array) else [whole(step)]
        if len(path) != w.rank:
            fail("RANK")
        w = index(w, [scalar(k) for k in path], origin)
        if w.items and isinstance(w.items[0], Array):
            w = w.items[0]
    return w


def partition(a, w, axis, origin):
    """Parts along an axis, one for each 1 of a; n-1 empty ones before that of an n."""
    if w.rank == 0 or a.rank > 1:
        fail("RANK")
    k = axis_of(axis, w.rank, origin, w.rank - 1)
    starts = integers(a)
    if a.rank == 0:
        starts = starts * w.shape[k]
    if len(starts) != w.shape[k]:
        fail("LENGTH")
    if any(n < 0 for n in starts):
        fail("DOMAIN")
    parts = []
    for i, n in enumerate(starts):
        end = next((j for j in range(i + 1, len(starts)) if starts[j]), len(starts))
        parts += [(i, i)] * (n - 1) + [(i, end)] * (n > 0)
    every = [list(range(n)) for n in w.shape]
    return vector([index(w, [vector(range(*part), False) if j == k else vector(places, False)
                             for j, places in enumerate(every)], 0) for part in parts], False)


def enclose(a, w, axis, origin):
    if a is not None:
        return partition(a, w, axis, origin)
    return w if w.rank == 0 else Array((), [w])


def index(array, positions, origin):
    """array[i;j;...]; None is an elided position."""
    if len(positions) != array.rank:
        fail("RANK")
    chosen = []
    for p, n in zip(positions, array.shape):
        if p is None:
            p = vector([k + origin for k in range(n)], False)
        numbers = [k - origin for k in integers(p)]
        if any(not 0 <= k < n for k in numbers):
            fail("INDEX")
        chosen.append((p.shape, numbers))
    shape = sum((s for s, _ in chosen), ())
    items = [array.at([numbers[i] for (_, numbers), i in zip(chosen, which)])
             for which in indices([len(numbers) for _, numbers in chosen])]
    return array.like(shape, items)


def squish(a, w, axis, origin):
    if a is None:
        return w
    steps = only_vector(a).scalar_items()
    axes = list(range(len(steps))) if axis is None else [k - origin for k in integers(axis)]
    if len(steps) != len(axes) or len(steps) > w.rank:
        fail("LENGTH" if axis is not None else "RANK")
    if any(not 0 <= k < w.rank for k in axes):
        fail("AXIS")
    positions = [None] * w.rank
    for k, step in zip(axes, steps):
        positions[k] = step
    return index(w, positions, origin)


def tally(a, w, axis, origin):
    if a is None:
        return scalar(w.shape[0] if w.rank else 1)
    return scalar(1 - match(a, w, axis, origin).items[0])


def depth(w):
    if w.rank == 0 and not isinstance(w.items[0], Array):
        return 0
    return 1 + max((depth(item) for item in w.items if isinstance(item, Array)), default=0)


def same(x, y):
    if isinstance(x, Array) and isinstance(y, Array):
        empty_alike = x.items or x.char == y.char
        return x.shape == y.shape and empty_alike and all(map(same, x.items, y.items))
    return isinstance(x, str) == isinstance(y, str) and x == y


def match(a, w, axis, origin):
    return scalar(depth(w) if a is None else int(same(a, w)))


def iota(a, w, axis, origin):
    if a is None:
        if w.char:
            fail("DOMAIN")
        if w.rank > 1:
            fail("RANK")
        if w.count != 1:
            lengths = integers(w)
            if any(n < 0 for n in lengths):
                fail("DOMAIN")
            return Array(lengths, [vector([k + origin for k in place], False) for place in indices(lengths)], False)
        n = whole(w.items[0])
        if n < 0:
            fail("DOMAIN")
        return vector(range(origin, origin + n), False)
    if a.rank != 1:
        fail("RANK")
    found = [next((i for i, y in enumerate(a.items) if same(x, y)), a.count) for x in w.items]
    return Array(w.shape, [i + origin for i in found], False)


def epsilon(a, w, axis, origin):
    if a is None:
        return vector([leaf for item in w.items for leaf in
                       (epsilon(None, item, None, 1).items if isinstance(item, Array) else [item])], w.char)
    return Array(a.shape, [int(any(same(x, y) for y in w.items)) for x in a.items], False)


def before(x, y):
    """Order of arrays of one shape, by their first difference."""
    for i, j in zip(x, y):
        if i != j:
            return -1 if i < j else 1
    return 0


def grade(a, w, origin, sense):
    if a is not None:
        if not w.char or not a.char:
            fail("DOMAIN")
        if a.rank != 1:
            fail("RANK")
        w = iota(a, w, None, 1)
    if w.rank == 0:
        fail("RANK")
    rows = [cell.items for cell in w.cells()]
    order = sorted(range(len(rows)), key=cmp_to_key(lambda i, j: sense * before(rows[i], rows[j])))
    return vector([i + origin for i in order], False)


def grade_up(a, w, axis, origin):
    return grade(a, w, origin, 1)


def grade_down(a, w, axis, origin):
    return grade(a, w, origin, -1)


def kinds_agree(a, w):
    if a.count and w.count and a.char != w.char:
        fail("DOMAIN")


def union(a, w, axis, origin):
    right = only_vector(w).items
    if a is None:
        return vector([x for i, x in enumerate(right) if x not in right[:i]], w.char)
    left = only_vector(a).items
    kinds_agree(a, w)
    return vector(left + [x for x in right if x not in left], a.char if left else w.char)


def intersection(a, w, axis, origin):
    if a is None:
        fail("SYNTAX")
    only_vector(w)
    return vector([x for x in only_vector(a).items if x in w.items], a.char)


def without(a, w, axis, origin):
    return vector([x for x in only_vector(a).items if x not in w.items], a.char)


def where(a, w, axis, origin):
    if a is not None:
        keys = only_vector(a).items
        kinds_agree(a, w)
        if any(x > y for x, y in zip(keys, keys[1:])):
            fail("DOMAIN")
        return Array(w.shape, [sum(key <= x for key in keys) + origin - 1 for x in w.items], False)
    if w.rank > 1 and any(isinstance(x, float) for x in w.items):
        fail("RANK")
    counts = integers(w)
    if any(n < 0 for n in counts):
        fail("DOMAIN")
    if w.rank > 1:
        places = [place for place, n in zip(indices(w.shape), counts) for _ in range(n)]
        return vector([vector([k + origin for k in place], False) for place in places], False)
    return vector([i + origin for i, n in enumerate(counts) for _ in range(n)], False)


def find(a, w, axis, origin):
    if a is None:
        fail("SYNTAX")
    if a.rank > w.rank:
        fail("RANK")
    a = a.like((1,) * (w.rank - a.rank) + a.shape, a.items)

    def begins(start):
        inside = all(s + m <= n for s, m, n in zip(start, a.shape, w.shape))
        return int(inside and all(same(a.at(i), w.at([s + k for s, k in zip(start, i)]))
                                  for i in indices(a.shape)))
    return Array(w.shape, [begins(start) for start in indices(w.shape)], False)


def numbers_only(*arrays):
    if any(array.char for array in arrays):
        fail("DOMAIN")


def decode(a, w, axis, origin):
    if a is None:
        fail("SYNTAX")
    numbers_only(a, w)
    if a.rank <= 1 and a.count == 1:
        a = Array((w.shape[0] if w.rank else 1,), a.items * (w.shape[0] if w.rank else 1))
    if w.rank <= 1 and w.count == 1:
        w = Array((a.shape[-1],), w.items * a.shape[-1])
    if a.rank > 1 and a.shape[-1] == 1:
        a = Array(a.shape[:-1] + (w.shape[0],), [x for x in a.items for _ in range(w.shape[0])])
    if w.rank > 1 and w.shape[0] == 1:
        w = Array((a.shape[-1],) + w.shape[1:], w.items * a.shape[-1])
    if a.rank == 0 or w.rank == 0 or a.shape[-1] != w.shape[0]:
        fail("LENGTH")
    n, columns = w.shape[0], prod(w.shape[1:])
    items = []
    for row in range(prod(a.shape[:-1])):
        radix = a.items[row * n:(row + 1) * n]
        for column in range(columns):
            value = 0
            for k in range(n):
                value = value * radix[k] + w.items[k * columns + column]
            items.append(value)
    return Array(a.shape[:-1] + w.shape[1:], items, False)


def encode(a, w, axis, origin):
    if a is None:
        fail("SYNTAX")
    numbers_only(a, w)

    def digits(radix, value):
        result = []
        for r in radix[::-1]:
            result.insert(0, scalars.residue(r, value))
            value = 0 if r == 0 else scalars.divide(value - result[0], r)
            value = int(value) if value == int(value) else value
        return result
    columns = prod(a.shape[1:])
    result = Array(a.shape + w.shape, [0] * (a.count * w.count), False)
    for c in range(columns):
        for i, value in enumerate(w.items):
            for k, digit in enumerate(digits(a.items[c::columns], value)):
                result.items[(k * columns + c) * w.count + i] = digit
    return result


def exact(array):
    return [Fraction(x) for x in array.items]


def solve(rows):
    """Gauss-Jordan on rows [A|B] of fractions: the rows of B when A has become the identity."""
    n = len(rows)
    for k in range(n):
        pivot = next((r for r in range(k, n) if rows[r][k] != 0), None)
        if pivot is None:
            fail("DOMAIN")
        rows[k], rows[pivot] = rows[pivot], rows[k]
        rows[k] = [x / rows[k][k] for x in rows[k]]
        for r in range(n):
            if r != k:
                rows[r] = [x - rows[r][k] * y for x, y in zip(rows[r], rows[k])]
    return [row[n:] for row in rows]


def domino(a, w, axis, origin):
    """By the normal equations, exactly: x with (⍉w)+.×w+.×x equal to (⍉w)+.×a."""
    if w.rank > 2 or (a and a.rank > 2):
        fail("RANK")
    numbers_only(w, *([a] if a else []))
    n, m = (w.shape + (1, 1))[:2] if w.rank else (1, 1)
    if n < m:
        fail("LENGTH")
    matrix = [exact(w)[i * m:(i + 1) * m] for i in range(n)]
    if a is None:
        columns, right = n, [[Fraction(i == j) for j in range(n)] for i in range(n)]
        tail = (n,) if w.rank else ()
    else:
        columns = a.shape[1] if a.rank == 2 else 1
        if (a.shape[0] if a.rank else 1) != n:
            fail("LENGTH")
        right = [exact(a)[i * columns:(i + 1) * columns] for i in range(n)]
        tail = a.shape[1:]
    rows = [[sum(matrix[r][i] * matrix[r][j] for r in range(n)) for j in range(m)] +
            [sum(matrix[r][i] * right[r][j] for r in range(n)) for j in range(columns)] for i in range(m)]
    items = [float(x) for row in solve(rows) for x in row]
    return Array(w.shape[1:] + tail, items, False)


def replicate(a, w, k):
    counts = integers(only_vector(a))
    if w.rank == 0:
        w = ravel(w)
    n = w.shape[k]
    if len(counts) == 1:
        counts = counts * n
    elif n == 1:
        w = along(w, k, lambda items: items * len(counts))
    elif len(counts) != n:
        fail("LENGTH")
    return along(w, k, lambda items: [x if c > 0 else w.fill for x, c in zip(items, counts)
                                      for _ in range(abs(c))])


def expand(a, w, k):
    counts = integers(only_vector(a))
    taking = sum(c > 0 for c in counts)
    if w.rank == 0:
        w = ravel(w)
    if w.shape[k] == 1:
        w = along(w, k, lambda items: items * taking)
    if w.shape[k] != taking:
        fail("LENGTH")

    def expanded(items):
        source, result = iter(items), []
        for c in counts:
            result += [next(source)] * c if c > 0 else [w.fill] * max(1, -c)
        return result
    return along(w, k, expanded)


def format_items(a, w, axis, origin):
    """Numbers as text: columns as wide as their widest item, or fields of given widths and decimals."""
    if w.char:
        return w if a is None else fail("DOMAIN")
    rows, columns = prod(w.shape[:-1]), w.shape[-1] if w.rank else 1
    if a is None:
        texts = [(str(x) if isinstance(x, int) else "%.10g" % x).replace("-", "¯") for x in w.items]
        widths = [max((len(texts[k]) for k in range(c, len(texts), columns)), default=0) + (c > 0)
                  for c in range(columns)]
    else:
        width, decimals = integers(a)
        unit = Decimal(1).scaleb(-decimals)
        texts = [str(Decimal(x).quantize(unit, ROUND_HALF_UP)).replace("-", "¯") for x in w.items]
        widths = [width] * columns
    lines = ["".join(texts[r * columns + c].rjust(widths[c]) for c in range(columns)) for r in range(rows)]
    return Array(w.shape[:-1] + (sum(widths),), "".join(lines), True)


def roll(a, w, axis, origin):
    """Any numbers; rows of the tables say what holds for all."""
    if a is not None:
        if a.rank > 1 or w.rank > 1:
            fail("RANK")
        if a.count != 1 or w.count != 1:
            fail("LENGTH")
    numbers_only(w, *([a] if a else []))
    if a is not None:
        n, m = whole(a.items[0]), whole(w.items[0])
        if not 0 <= n <= m:
            fail("DOMAIN")
        return vector(random.sample(range(origin, origin + m), n), False)
    if any(n < 0 for n in integers(w)):
        fail("DOMAIN")
    return Array(w.shape, [random.randrange(n) + origin if n else random.random() for n in integers(w)], False)


def nonce(a, w, axis, origin):
    fail("NONCE")


FUNCTIONS = {
    "⍴": shape_of, ",": comma, "⍪": comma_first, "⌽": reverse, "⊖": reverse_first, "⍉": transpose, "↑": up,
    "↓": down, "⊃": disclose, "⊂": enclose, "⌷": squish, "≢": tally, "≡": match, "⍳": iota, "∊": epsilon,
    "⍋": grade_up, "⍒": grade_down, "∪": union, "∩": intersection, "⍸": where, "⍷": find, "⊥": decode,
    "⊤": encode, "⌹": domino, "⍕": format_items, "⍎": nonce, "?": roll,
    "⊢": lambda a, w, axis, origin: w, "⊣": lambda a, w, axis, origin: w if a is None else a,
}
