"""Calls of exported functions.

The public call of `wasmtime` looks up the types of a function and boxes every value, which takes 25
µs. The call itself takes less than one, and `_unchecked` makes it directly. It uses private names,
so the public call is the fallback if anything is missing or different there.
"""

from __future__ import annotations

from collections.abc import Callable
from ctypes import POINTER, addressof, c_size_t, c_void_p, cast
from typing import Any

import wasmtime

Call = Callable[..., int | None]
"""A function that calls an exported one with ints (or bools) and returns its result as an int.

Raises wasmtime.Trap.
"""


def caller(store: wasmtime.Store, function: wasmtime.Func) -> Call:
    """Return a function that calls an exported function, for one thread at a time."""
    try:
        return _unchecked(store, function)
    except (ImportError, AttributeError, TypeError):
        return public(store, function)


def public(store: wasmtime.Store, function: wasmtime.Func) -> Call:
    """Return a function like `caller` does, but with public names only."""

    def call(*arguments: int) -> int | None:
        given: int | None = function(store, *arguments)
        return given

    return call


def _unchecked(store: wasmtime.Store, function: wasmtime.Func) -> Call:
    from wasmtime import _ffi as ffi

    kind = function.type(store)
    wide = [param == wasmtime.ValType.i64() for param in kind.params]
    gives = [result == wasmtime.ValType.i64() for result in kind.results]
    values: Any = (ffi.wasmtime_val_raw_t * max(len(wide), len(gives), 1))()
    trap = c_void_p()
    enter = ffi.dll["wasmtime_func_call_unchecked"]
    enter.argtypes = (c_void_p, c_void_p, c_void_p, c_size_t, c_void_p)
    enter.restype = c_void_p
    context = cast(store._context(), c_void_p).value
    parameters = context, addressof(function._func), addressof(values), len(values), addressof(trap)
    as_error, as_trap = wasmtime.WasmtimeError._from_ptr, wasmtime.Trap._from_ptr

    def call(*arguments: int) -> int | None:
        for value, argument, is_wide in zip(values, arguments, wide, strict=False):
            if is_wide:
                value.i64 = argument
            else:
                value.i32 = argument
        error = enter(*parameters)
        if error:
            raise as_error(cast(error, POINTER(ffi.wasmtime_error_t)))
        if trap.value:
            address, trap.value = trap.value, None
            raise as_trap(cast(address, POINTER(ffi.wasm_trap_t)))
        if not gives:
            return None
        given: int = values[0].i64 if gives[0] else values[0].i32
        return given

    return call
