"""Sets packed into a non-negative int64: one bit an element."""

from typing import Any

import numba
import numpy as np
from llvmlite import ir
from numba.extending import intrinsic

from envs.core.jit import kernel


@intrinsic  # type: ignore[untyped-decorator]  # numba is untyped
def _trailing_zeros(typing_context: Any, bits: Any) -> Any:
    def codegen(context: Any, builder: Any, signature: Any, args: Any) -> Any:
        return builder.cttz(args[0], ir.Constant(ir.IntType(1), 1))

    return numba.types.int64(numba.types.int64), codegen


@intrinsic  # type: ignore[untyped-decorator]  # numba is untyped
def _set_bits(typing_context: Any, bits: Any) -> Any:
    def codegen(context: Any, builder: Any, signature: Any, args: Any) -> Any:
        return builder.ctpop(args[0])

    return numba.types.int64(numba.types.int64), codegen


@intrinsic  # type: ignore[untyped-decorator]  # numba is untyped
def _store_word(typing_context: Any, out: Any, at: Any, word: Any) -> Any:
    def codegen(context: Any, builder: Any, signature: Any, args: Any) -> None:
        array = context.make_array(signature.args[0])(context, builder, args[0])
        place = builder.gep(array.data, [args[1]])
        builder.store(args[2], builder.bitcast(place, ir.IntType(64).as_pointer()), align=1)

    return numba.types.void(out, numba.types.int64, numba.types.int64), codegen


@intrinsic  # type: ignore[untyped-decorator]  # numba is untyped
def _load_word(typing_context: Any, source: Any, at: Any) -> Any:
    def codegen(context: Any, builder: Any, signature: Any, args: Any) -> Any:
        array = context.make_array(signature.args[0])(context, builder, args[0])
        place = builder.gep(array.data, [args[1]])
        word = builder.load(builder.bitcast(place, ir.IntType(64).as_pointer()))
        word.align = 1
        return word

    return numba.types.int64(source, numba.types.int64), codegen


if numba.config.DISABLE_JIT:

    def lowest(bits: int) -> int:
        """Index of the lowest set bit of `bits`, which must not be 0."""
        return (int(bits) & -int(bits)).bit_length() - 1

    def popcount(bits: int) -> int:
        """Number of set bits."""
        return int(bits).bit_count()

    def store_word(out: Any, at: int, word: int) -> None:
        """Write the eight bytes of `word` to the int8 array `out` from place `at` on."""
        out[at : at + 8].view(np.int64)[0] = word

    def load_word(source: Any, at: int) -> int:
        """The eight bytes of the int8 array `source` from place `at` on, as one integer."""
        return int(source[at : at + 8].view(np.int64)[0])

else:

    @kernel
    def lowest(bits: int) -> int:
        """Index of the lowest set bit of `bits`, which must not be 0."""
        return _trailing_zeros(bits)

    @kernel
    def popcount(bits: int) -> int:
        """Number of set bits."""
        return _set_bits(bits)

    @kernel
    def store_word(out: Any, at: int, word: int) -> None:
        """Write the eight bytes of `word` to the int8 array `out` from place `at` on."""
        _store_word(out, at, word)

    @kernel
    def load_word(source: Any, at: int) -> int:
        """The eight bytes of the int8 array `source` from place `at` on, as one integer."""
        return _load_word(source, at)


@kernel(inline=True)
def mark(out: Any, first: int, bits: int) -> None:
    """Write 1 at `first + element` for every element of a set."""
    while bits:
        out[first + lowest(bits)] = 1
        bits &= bits - 1
