"""Arrays of the reference model: a shape and items in row-major order.

An item is a number (int, float, complex), a character (a str of length 1) or, in nested arrays, an Array.
`char` says what fills the array and what it holds when it is empty: a blank or 0. Axes count from 0 here;
APL's index origin is the business of those who call.
"""
from itertools import product
from math import prod


class AplError(Exception):
    """An APL error; its text is the error's name."""


def fail(name):
    raise AplError(name + " ERROR")


class Array:
    def __init__(self, shape, items, char=None):
        self.shape = tuple(shape)
        self.items = list(items)
        assert len(self.items) == prod(self.shape)
        if char is None:
            char = bool(self.items) and is_char(self.items[0])
        self.char = char

    @property
    def rank(self):
        return len(self.shape)

    @property
    def count(self):
        return len(self.items)

    @property
    def fill(self):
        return " " if self.char else 0

    def at(self, index):
        place = 0
        for i, n in zip(index, self.shape):
            assert 0 <= i < n
            place = place * n + i
        return self.items[place]

    def like(self, shape, items):
        """An array with the same fill."""
        return Array(shape, items, self.char)

    def cells(self):
        """The major cells."""
        size = prod(self.shape[1:])
        return [self.like(self.shape[1:], self.items[k * size:(k + 1) * size])
                for k in range(self.shape[0])]

    def scalar_items(self):
        return [scalar(item) if not isinstance(item, Array) else item for item in self.items]


def is_char(item):
    return item.char if isinstance(item, Array) else isinstance(item, str)


def is_number(item):
    return isinstance(item, (int, float, complex))


def indices(shape):
    return product(*(range(n) for n in shape))


def scalar(item):
    return Array((), [item])


def vector(items, char=None):
    items = list(items)
    return Array((len(items),), items, char)


def generate(array, shape, item_at):
    """An array with `array`'s fill and the items item_at(index)."""
    return array.like(shape, [item_at(index) for index in indices(shape)])


def ravel(array):
    return array.like((array.count,), array.items)


def whole(item):
    """The int that a number is, or a DOMAIN ERROR."""
    if isinstance(item, complex) and item.imag == 0:
        item = item.real
    if isinstance(item, float) and item.is_integer():
        return int(item)
    if not isinstance(item, int):
        fail("DOMAIN")
    return item


def integers(array):
    if array.char and array.count:
        fail("DOMAIN")
    return [whole(item) for item in array.items]


def item_of(array):
    """What stands for an array as an item of another."""
    if array.rank == 0:
        return array.items[0]
    return array


def join_cells(cells, outer):
    """Arrays of one shape, side by side along new leading axes `outer`."""
    shape = cells[0].shape if cells else ()
    for cell in cells:
        if cell.shape != shape:
            fail("LENGTH")
    return Array(tuple(outer) + shape, [item for cell in cells for item in cell.items],
                 cells[0].char if cells else False)


def permute(array, axes):
    """The array whose axis i is the old one axes[i]."""
    shape = tuple(array.shape[a] for a in axes)

    def item_at(index):
        old = [0] * array.rank
        for i, a in zip(index, axes):
            old[a] = i
        return array.at(old)
    return generate(array, shape, item_at)


def axis_first(array, axis):
    return permute(array, [axis] + [a for a in range(array.rank) if a != axis])


def axis_back(array, axis):
    """The first axis becomes axis `axis`."""
    axes = list(range(1, array.rank))
    axes.insert(axis, 0)
    return permute(array, axes)


def along(array, axis, change):
    """Each vector along `axis` replaced by change(its items): lists of one length."""
    if array.rank == 0:
        array = array.like((1,), array.items)
    moved = axis_first(array, axis)
    rest = prod(moved.shape[1:])
    columns = [change(moved.items[k::rest]) for k in range(rest)]
    length = len(columns[0]) if columns else len(change([array.fill] * moved.shape[0]))
    items = [column[i] for i in range(length) for column in columns]
    return axis_back(moved.like((length,) + moved.shape[1:], items), axis)
