"""What Python packages made by `tailor build --python` share: values to C and back, and errors.

A package holds a C library (`tailor build --lib`), this file as `_runtime.py`, and an `__init__.py` with a
function for each entry. Arrays are NumPy's. Nothing but NumPy and the library beside this file is needed.
"""
import ctypes
import operator
import os
import threading
import weakref

import numpy


# ---- errors ----------------------------------------------------------------------------------------

class AplError(Exception):
    """What went wrong in a call. `name` is APL's name for it; the text has the place in the program, the
    source line and a line that points at it."""
    name = "ERROR"


class LengthError(AplError, ValueError):
    """Extents that do not go together."""
    name = "LENGTH ERROR"


class RankError(AplError, ValueError):
    """An array with more or fewer axes than wanted."""
    name = "RANK ERROR"


class AplIndexError(AplError, IndexError):
    """An index beyond an array."""
    name = "INDEX ERROR"


class DomainError(AplError, ValueError):
    """A value that a function is not defined for."""
    name = "DOMAIN ERROR"


class LimitError(AplError):
    """Something too large for the program."""
    name = "LIMIT ERROR"


class CallError(AplError, ValueError):
    """A call without a value."""
    name = "VALUE ERROR"


class WorkspaceFull(AplError, MemoryError):
    """Memory ran out."""
    name = "WS FULL"


class DeviceError(AplError):
    """The OpenCL device cannot be used."""
    name = "DEVICE ERROR"


# By the status of a call.
_ERRORS = (None, LengthError, RankError, AplIndexError, DomainError, LimitError, CallError, WorkspaceFull,
           DeviceError, AplError)


# ---- values ----------------------------------------------------------------------------------------

_DTYPES = {"bool": numpy.dtype(numpy.bool_), "char": numpy.dtype(numpy.uint32),
           "i32": numpy.dtype(numpy.int32), "i64": numpy.dtype(numpy.int64),
           "f32": numpy.dtype(numpy.float32), "f64": numpy.dtype(numpy.float64)}
_C_TYPES = {"bool": ctypes.c_bool, "char": ctypes.c_uint32, "i32": ctypes.c_int32, "i64": ctypes.c_int64,
            "f32": ctypes.c_float, "f64": ctypes.c_double}


class Value:
    """A parameter or result: its name, the type of its elements, its rank."""

    def __init__(self, name, type, rank):
        self.name = name
        self.type = type
        self.rank = rank
        self.dtype = _DTYPES[type]
        self.c_type = _C_TYPES[type]

    def scalar(self, value):
        """A Python or NumPy number, bool or character as a C value."""
        if not isinstance(value, (int, float, str)) and numpy.ndim(value) > 0:
            raise RankError(f"RANK ERROR: {self.name} is a scalar, not an array of rank {numpy.ndim(value)}")
        if self.type == "char":
            if isinstance(value, str) and len(value) == 1:
                return ctypes.c_uint32(ord(value))
            raise TypeError(f"{self.name} is a string of one character, not {value!r}")
        if self.type == "bool":
            if isinstance(value, (bool, numpy.bool_)):
                return ctypes.c_bool(value)
            if isinstance(value, numpy.ndarray) and value.dtype == numpy.bool_:
                return ctypes.c_bool(bool(value))
            raise TypeError(f"{self.name} is a bool, not {value!r}")
        if self.type in ("i32", "i64"):
            whole = operator.index(value)
            limit = 1 << (8 * self.dtype.itemsize - 1)
            if not -limit <= whole < limit:
                raise DomainError(f"DOMAIN ERROR: {self.name}: {whole} does not fit into {self.dtype}")
            return self.c_type(whole)
        if isinstance(value, (str, bytes)):
            raise TypeError(f"{self.name} is a number, not {value!r}")
        return self.c_type(float(value))

    def array(self, value):
        """Anything like an array as row-major elements of the parameter's type. Only conversions that change
        no value are made: integers to wider ones or to reals, float32 to float64."""
        if self.type == "char":
            array = self._characters(value)
        else:
            array = numpy.asarray(value)
            if array.size > 0 and not numpy.can_cast(array.dtype, self.dtype, "safe"):
                raise TypeError(f"{self.name} is an array of {self.dtype}, not of {array.dtype}")
        if array.ndim != self.rank:
            raise RankError(f"RANK ERROR: {self.name} has rank {self.rank}, and an array of rank {array.ndim} "
                            "is given")
        return numpy.ascontiguousarray(array, self.dtype).reshape(array.shape)

    def _characters(self, value):
        """Strings: one is a vector, a list of strings of one length a matrix, and so on. An array of single
        characters may also have the rank itself."""
        if isinstance(value, str):
            return numpy.array([ord(character) for character in value], numpy.uint32)
        array = numpy.asarray(value)
        if array.size == 0 and array.dtype.kind != "U":
            return array.astype(numpy.uint32)
        if array.dtype == numpy.uint32:
            return array
        if array.dtype.kind != "U":
            raise TypeError(f"{self.name} has characters: strings, or an array of them; not {array.dtype}")
        width = array.dtype.itemsize // 4
        native = numpy.ascontiguousarray(array, array.dtype.newbyteorder("=")).reshape(array.shape)
        if width == 1 and array.ndim == self.rank:
            return native.view(numpy.uint32).reshape(array.shape)
        return native.view(numpy.uint32).reshape(array.shape + (width,))

    def python_scalar(self, value):
        return chr(value) if self.type == "char" else value

    def python_array(self, pointer, shape):
        """A copy of a result's elements; characters as a string, or an array of single ones."""
        array = numpy.empty(shape, self.dtype)
        if array.size > 0:
            ctypes.memmove(array.ctypes.data, pointer, array.nbytes)
        if self.type != "char":
            return array
        if self.rank == 1:
            return array.astype("<u4").tobytes().decode("utf-32-le")
        return array.view("U1").reshape(array.shape)


# ---- entries and contexts --------------------------------------------------------------------------

class Entry:
    """An entry of the library: parameters as (name, type, rank), results as (type, rank)."""

    def __init__(self, library, name, parameters, results):
        self.parameters = [Value(*parameter) for parameter in parameters]
        self.results = [Value("result", *result) for result in results]
        self.function = library.function(name, ctypes.c_int, None)

    def arguments(self, values):
        """The arguments of the C function; the second list keeps alive what they point at."""
        arguments, kept = [], []
        for parameter, value in zip(self.parameters, values):
            if parameter.rank == 0:
                arguments.append(parameter.scalar(value))
                continue
            array = parameter.array(value)
            kept.append(array)
            arguments.append(ctypes.c_void_p(array.ctypes.data))
            arguments.append((ctypes.c_int64 * parameter.rank)(*array.shape))
        return arguments, kept

    def places(self):
        """Where the results go: (place, shape) of each; shape is None for scalars."""
        return [(ctypes.c_void_p(), (ctypes.c_int64 * result.rank)()) if result.rank > 0
                else (result.c_type(), None) for result in self.results]


class _Options(ctypes.Structure):
    _fields_ = [("device", ctypes.c_char_p), ("seed", ctypes.c_int64), ("profile", ctypes.c_bool)]


class Library:
    """The C library beside a package's __init__.py."""

    def __init__(self, package, file, prefix):
        self.prefix = prefix
        self.c = ctypes.CDLL(os.path.join(os.path.dirname(os.path.abspath(package)), file))
        self.open = self.function("open", ctypes.c_void_p, [ctypes.POINTER(_Options)])
        self.close = self.function("close", None, [ctypes.c_void_p])
        self.error = self.function("error", ctypes.c_char_p, [ctypes.c_void_p])
        self.free = self.function("free", None, [ctypes.c_void_p])

    def function(self, name, result, arguments):
        function = getattr(self.c, f"{self.prefix}_{name}")
        function.restype = result
        function.argtypes = arguments
        return function


class Context:
    """A state of the library: its device, its memory, its random numbers. Calls in one context come one
    after the other, whichever threads make them; calls in several may run at the same time."""

    def __init__(self, library, device=None, seed=0, profile=False):
        options = _Options(None if device is None else str(device).encode(), seed, profile)
        self._library = library
        self._lock = threading.RLock()
        self._handle = library.open(ctypes.byref(options))
        if not self._handle:
            raise WorkspaceFull("WS FULL")
        self._closing = weakref.finalize(self, library.close, self._handle)

    def close(self):
        """Gives back what the context holds. Arrays that calls have given stay."""
        with self._lock:
            self._closing()
            self._handle = None

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.close()

    def _call(self, entry, *values):
        arguments, kept = entry.arguments(values)
        places = entry.places()
        for place, shape in places:
            arguments.append(ctypes.byref(place))
            if shape is not None:
                arguments.append(shape)
        with self._lock:
            if self._handle is None:
                raise CallError("VALUE ERROR: the context is closed")
            status = entry.function(ctypes.c_void_p(self._handle), *arguments)
            if status != 0:
                text = self._library.error(self._handle).decode("utf-8", "replace")
                raise _ERRORS[min(status, len(_ERRORS) - 1)](text)
        del kept
        results = tuple(self._take(result, *place) for result, place in zip(entry.results, places))
        return results[0] if len(results) == 1 else results or None

    def _take(self, result, place, shape):
        if shape is None:
            return result.python_scalar(place.value)
        try:
            return result.python_array(place, tuple(shape))
        finally:
            self._library.free(place)
