"""Calls the functions of the package `package`, rightly and wrongly."""
import threading

import numpy as np
import package


def check(condition, *shown):
    assert condition, shown


def raises(error, text, call, *values):
    try:
        result = call(*values)
    except error as e:
        assert text in str(e), (text, str(e))
        return e
    raise AssertionError(f"no {error.__name__}, but {result!r}")


# Values in: lists, other types, views, other byte orders; out: arrays, numbers, strings.
rows, columns, matrix = package.sums(2, [1, 2, 3, 4, 5])
check(rows.dtype == np.int64 and rows.tolist() == [3, 7], rows)
check(columns.tolist() == [4, 6] and matrix.shape == (2, 2) and matrix.tolist() == [[1, 2], [3, 4]], matrix)
check(package.sums(columns=2, numbers=np.arange(10, dtype=np.int8)[::2])[0].tolist() == [2, 10])
check(package.sums(np.int32(1), np.array([7], ">i4"))[2].tolist() == [[7]])
squares, total = package.squares(4)
check(squares.tolist() == [1, 4, 9, 16] and total == 30 and type(total) is int, total)
check(package.squares(0)[0].shape == (0,))
check(package.dot([1, 2], np.float32([0.5, 4])) == 8.5)
check(type(package.dot([], [])) is float)
positive, flag = package.positive([-1, 5, 0, 7])
check(positive.tolist() == [5, 7] and flag is True)
flags, number, real = package.pick([True, False], 41, 1.25)
check(flags.dtype == np.bool_ and flags.tolist() == [False, True] and number == 42 and real == 2.5)
reversed_text, table, _ = package.words("ab\N{GRINNING FACE}")
check(reversed_text == "\N{GRINNING FACE}ba" and table.tolist() == [["a", "b"], ["\N{GRINNING FACE}", "a"]])
check(package.words(np.array(list("xyz")))[0] == "zyx")
check(package.words("")[0] == "" and package.words("a\0")[0] == "\0a")

# What is wrong.
raises(package.AplIndexError, "fails.apl:5:5: INDEX ERROR: 4 of 3\n  ⎕ ← w[i]\n      ^^^^", package.fails, [6, 4, 5], 4)
check(package.fails([6, 4, 5], 2)[1].tolist() == [3, 2.5, 2])
check(raises(IndexError, "4 of 3", package.fails, [6, 4, 5], 4).name == "INDEX ERROR")
raises(package.RankError, "numbers has rank 1, and an array of rank 2 is given", package.sums, 2, [[1, 2]])
raises(package.RankError, "n is a scalar", package.squares, [1])
raises(TypeError, "numbers is an array of int64, not of float64", package.sums, 2, [1.5])
raises(TypeError, "'float' object cannot be interpreted as an integer", package.squares, 4.0)
raises(TypeError, "flags is an array of bool, not of int64", package.pick, [1, 0], 1, 1.0)
raises(TypeError, "x is a number, not '1'", package.pick, [True], 1, "1")
raises(TypeError, "text has characters", package.words, [1, 2])
raises(package.DomainError, "does not fit into int64", package.squares, 1 << 63)
raises(package.DomainError, "does not fit into int32", package.pick, [True], 1 << 31, 1.0)
raises(TypeError, "missing 1 required positional argument: 'numbers'", package.sums, 2)
check(issubclass(package.WorkspaceFull, MemoryError) and issubclass(package.LengthError, package.AplError))
check("squares (n : i64) : ([n]i64, i64)" in package.squares.__doc__)

# Contexts: random numbers of their own; closing; threads.
with package.Context() as a, package.Context(seed=4711) as b:
    first, second = a.words("text")[2], a.words("text")[2]
    check(first != second and b.words("text")[2] != first)
raises(package.CallError, "the context is closed", a.squares, 3)
with package.Context() as again:
    check(again.words("text")[2] == first)
for i in range(200):
    package.sums(2, [1, 2, 3, 4, 5])
wrong = []


def work(n):
    for _ in range(20):
        if package.squares(n)[1] != n * (n + 1) * (2 * n + 1) // 6:
            wrong.append(n)


threads = [threading.Thread(target=work, args=(n,)) for n in range(50, 54)]
for thread in threads:
    thread.start()
for thread in threads:
    thread.join()
check(wrong == [], wrong)
