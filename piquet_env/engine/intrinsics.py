"""What the engine asks of the processor: operations on bits, bare addresses, and bits as bytes.

Each is a plain Python function, and beside it what the compiler puts in its place.
"""

# pyright: reportCallIssue=false
# (numba gives each intrinsic its typing context, which the calls do not show)

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import llvmlite.binding
import numba
import numpy as np
from llvmlite import ir
from numba import types
from numba.extending import intrinsic, models, overload, register_model
from numpy.typing import NDArray

# numba makes the attributes of its `config` when it is imported, and has no type hints: hence the "type: ignore" below.
CACHE_LINE = 64  # bytes
CHECKS = bool(numba.config.BOUNDSCHECK)  # type: ignore[attr-defined]

# ------------------------------------------------------------------ bits of an int64


@intrinsic
def _ctpop(typing_context, value):
    def codegen(context, builder, signature, arguments):
        return builder.ctpop(arguments[0])

    return types.int64(types.int64), codegen


@intrinsic
def _cttz(typing_context, value):
    def codegen(context, builder, signature, arguments):
        return builder.cttz(arguments[0], context.get_constant(types.boolean, False))

    return types.int64(types.int64), codegen


@intrinsic
def _pdep(typing_context, bits, mask):
    def codegen(context, builder, signature, arguments):
        word = ir.IntType(64)
        function = builder.module.declare_intrinsic("llvm.x86.bmi.pdep.64", (), ir.FunctionType(word, [word, word]))
        return builder.call(function, arguments)

    return types.int64(types.int64, types.int64), codegen


def _has_fast_pdep() -> bool:
    """Whether the processor compiled for has BMI2 in hardware: Intel's since 2013, AMD's since 2020."""
    if numba.config.CPU_NAME or numba.config.CPU_FEATURES:  # type: ignore[attr-defined]
        return False  # not for this machine's processor
    if llvmlite.binding.get_host_cpu_name() in ("bdver4", "znver1", "znver2"):  # these take hundreds of cycles
        return False
    return bool(llvmlite.binding.get_host_cpu_features().get("bmi2", False))


def popcount(bits: int) -> int:
    """How many bits are set."""
    return int(bits).bit_count()


def lowest_bit(bits: int) -> int:
    """The index of the lowest set bit; `bits` must not be 0."""
    bits = int(bits)
    return (bits & -bits).bit_length() - 1


def nth_bit(bits: int, n: int) -> int:
    """The index of the n-th set bit, from 0; `bits` must have more than n."""
    return _nth_bit_by_loop(bits, n)


@overload(popcount)
def _compiled_popcount(bits):
    return lambda bits: _ctpop(bits)


@overload(lowest_bit)
def _compiled_lowest_bit(bits):
    return lambda bits: _cttz(bits)


@overload(nth_bit)
def _compiled_nth_bit(bits, n):
    # The loop ends where the processor cannot guess, which costs more than all else that choosing an action takes.
    if _has_fast_pdep():
        return lambda bits, n: _cttz(_pdep(1 << n, bits))
    return _nth_bit_by_loop


def _nth_bit_by_loop(bits, n):
    for _ in range(n):
        bits &= bits - 1
    return lowest_bit(bits)


# ------------------------------------------------------------------ arrays as addresses


def pointer(array: NDArray[Any]) -> NDArray[Any]:
    """An array that was handed to a compiled function, from there on as its address alone.

    For an array is seven numbers to hand on, and a count of references to keep up in every function that it passes
    through: most of the time that playing took. The caller must keep the array alive, so never one that was made in
    the same function. In plain Python, where bounds are checked (NUMBA_BOUNDSCHECK), and if it is not contiguous or not
    to be written to, it stays the array.
    """
    return array


def row_of(matrix: NDArray[Any], i: int) -> NDArray[Any]:
    """`pointer(matrix[i])`."""
    return matrix[i]


def streamed_row_of(matrix: NDArray[np.int8], i: int) -> NDArray[np.int8]:
    """`row_of` a matrix that will not be read soon: `put_64` and `copy_streamed` write past the cache.

    The rows must begin at multiples of 64 bytes (`can_stream`), and what is written is there for other threads
    after a `fence`.
    """
    return matrix[i]


def can_stream(matrix: NDArray[np.int8]) -> bool:
    """Whether every row of a C-contiguous matrix begins at a multiple of 64 bytes."""
    return matrix.ctypes.data % CACHE_LINE == 0 and matrix.shape[-1] * matrix.itemsize % CACHE_LINE == 0


def fence() -> None:
    """What was written before is seen by whoever sees what is written after."""


class _Streamed(types.CPointer):
    def __init__(self, dtype: types.Type):
        super().__init__(dtype)
        self.name = f"streamed {dtype}*"


register_model(_Streamed)(models.PointerModel)


def _address(kind: type[types.CPointer]) -> Callable[..., Any]:
    @intrinsic
    def address(typing_context, array, start):
        def codegen(context, builder, signature, arguments):
            return builder.gep(_data(context, builder, signature.args[0], arguments[0]), [arguments[1]])

        return kind(array.dtype)(array, types.int64), codegen

    return address


_ordinary, _streamed = _address(types.CPointer), _address(_Streamed)


@intrinsic
def _fence(typing_context):
    def codegen(context, builder, signature, arguments):
        builder.fence("seq_cst")
        return context.get_dummy_value()

    return types.void(), codegen


def _data(context: Any, builder: ir.IRBuilder, kind: types.Type, value: ir.Value) -> ir.Value:
    """The address of an array's first element, or a pointer as it is."""
    return context.make_array(kind)(context, builder, value).data if isinstance(kind, types.Array) else value


@overload(pointer)
def _compiled_pointer(array):
    if isinstance(array, types.CPointer) or not _may_be_bare(array):
        return lambda array: array
    return lambda array: _ordinary(array, 0)


def _may_be_bare(array: types.Array) -> bool:
    """Of an array its address says all: where it lies is one piece, and it may be written to."""
    return not CHECKS and array.layout == "C" and array.mutable


def _compiled_row(address: Callable[..., Any]) -> Callable[..., Any]:
    def compiled_row(matrix, i):
        if _may_be_bare(matrix):
            return lambda matrix, i: address(matrix, i * matrix.shape[1])
        return lambda matrix, i: matrix[i]

    return compiled_row


overload(row_of)(_compiled_row(_ordinary))
overload(streamed_row_of)(_compiled_row(_streamed))
overload(fence)(lambda: lambda: _fence())


def copy_streamed(target: NDArray[np.int64], source: NDArray[np.int64], count: int) -> None:
    """Write so many numbers, a multiple of 8, into a `streamed_row_of`, past the cache."""
    target[:count] = source[:count]


@intrinsic
def _copy_line(typing_context, target, source, start):
    def codegen(context, builder, signature, arguments):
        line = ir.VectorType(ir.IntType(64), 8).as_pointer()
        to, of = (builder.bitcast(builder.gep(place, [arguments[2]]), line) for place in arguments[:2])
        _past_the_cache(builder, builder.store(builder.load(of, align=8), to, align=CACHE_LINE))
        return context.get_dummy_value()

    return types.void(target, source, types.int64), codegen


def _past_the_cache(builder: ir.IRBuilder, stored: ir.Instruction) -> None:
    stored.set_metadata("nontemporal", builder.module.add_metadata([ir.IntType(32)(1)]))


@overload(copy_streamed)
def _compiled_copy_streamed(target, source, count):
    if isinstance(target, _Streamed) and isinstance(source, types.CPointer):
        return _copy_by_lines
    return _copy_slice


def _copy_by_lines(target, source, count):
    for start in range(0, count, 8):
        _copy_line(target, source, start)


def _copy_slice(target, source, count):
    target[:count] = source[:count]


# ------------------------------------------------------------------ bits as bytes


def _put(width: int) -> Callable[..., None]:
    def put(vector: NDArray[np.int8 | np.int64], k: int, bits: int) -> None:
        if vector.dtype == np.int8:
            as_bytes = np.array([bits], np.int64).view(np.uint8)[: width // 8]
            vector[64 * k : 64 * k + width] = np.unpackbits(as_bytes, bitorder="little")
        else:
            vector[k] = bits

    @intrinsic
    def spread(typing_context, vector, start, bits):
        def codegen(context, builder, signature, arguments):
            booleans, small = ir.VectorType(ir.IntType(1), width), ir.VectorType(ir.IntType(8), width)
            value = builder.bitcast(builder.trunc(arguments[2], ir.IntType(width)), booleans)
            data = _data(context, builder, signature.args[0], arguments[0])
            place = builder.bitcast(builder.gep(data, [arguments[1]]), small.as_pointer())
            is_streamed = isinstance(signature.args[0], _Streamed) and width == CACHE_LINE
            stored = builder.store(builder.zext(value, small), place, align=CACHE_LINE if is_streamed else 1)
            if is_streamed:
                _past_the_cache(builder, stored)
            return context.get_dummy_value()

        return types.void(vector, types.int64, types.int64), codegen

    @overload(put)
    def compiled_put(vector, k, bits):
        if isinstance(vector, types.Array) and not (vector.layout == "C" and vector.mutable):
            return None
        if vector.dtype == types.int8:
            return lambda vector, k, bits: spread(vector, 64 * k, bits)
        return _put_packed if vector.dtype == types.int64 else None

    return put


def _put_packed(vector, k, bits):
    vector[k] = bits


# put_64(vector, k, bits) writes word k of a vector of bits: into int8 as 64 bytes of 0 or 1, lowest bit first (with
# AVX-512 that is one instruction), into int64 as it is. put_16 and put_8 are for a last word with fewer bits.
put_64, put_16, put_8 = _put(64), _put(16), _put(8)
