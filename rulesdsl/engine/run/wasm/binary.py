"""The part of the binary format of WebAssembly that programs need.

Source: WebAssembly Core Specification, "Binary Format",
https://webassembly.github.io/spec/core/binary/.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from enum import IntEnum

MAGIC = b"\0asm\1\0\0\0"
PAGE = 65536
"""The number of bytes of a page of memory."""


class Type(IntEnum):
    """The types of values; `NOTHING` is that of blocks without a result."""

    I32 = 0x7F
    I64 = 0x7E
    NOTHING = 0x40


class Op(IntEnum):
    """The opcodes of instructions, with the names of the specification."""

    UNREACHABLE = 0x00
    BLOCK = 0x02
    LOOP = 0x03
    IF = 0x04
    ELSE = 0x05
    END = 0x0B
    BR = 0x0C
    BR_IF = 0x0D
    RETURN = 0x0F
    CALL = 0x10
    DROP = 0x1A
    SELECT = 0x1B
    LOCAL_GET = 0x20
    LOCAL_SET = 0x21
    LOCAL_TEE = 0x22
    GLOBAL_GET = 0x23
    GLOBAL_SET = 0x24
    I64_LOAD = 0x29
    I64_LOAD8_S = 0x30
    I64_LOAD8_U = 0x31
    I64_LOAD16_S = 0x32
    I64_LOAD16_U = 0x33
    I64_LOAD32_S = 0x34
    I64_LOAD32_U = 0x35
    I64_STORE = 0x37
    I64_STORE8 = 0x3C
    I64_STORE16 = 0x3D
    I64_STORE32 = 0x3E
    I32_CONST = 0x41
    I64_CONST = 0x42
    I32_EQZ = 0x45
    I64_EQZ = 0x50
    I64_EQ = 0x51
    I64_NE = 0x52
    I64_LT_S = 0x53
    I64_GT_S = 0x55
    I64_LE_S = 0x57
    I64_GE_S = 0x59
    I64_GT_U = 0x56
    I64_GE_U = 0x5A
    I32_ADD = 0x6A
    I32_AND = 0x71
    I32_SHL = 0x74
    I64_ADD = 0x7C
    I64_SUB = 0x7D
    I64_MUL = 0x7E
    I64_DIV_S = 0x7F
    I64_REM_S = 0x81
    I64_AND = 0x83
    I64_OR = 0x84
    I64_XOR = 0x85
    I64_SHL = 0x86
    I64_SHR_S = 0x87
    I32_WRAP_I64 = 0xA7
    I64_EXTEND_I32_U = 0xAD


MEMORY_SIZE = bytes((0x3F, 0))
"""The instruction that pushes the number of pages of the memory."""

MEMORY_COPY = bytes((0xFC, 10, 0, 0))
"""The instruction that copies bytes of the memory; its operands are target, source and length."""


def unsigned(number: int) -> bytes:
    """Return a non-negative number as LEB128."""
    found = bytearray()
    while number > 0x7F:
        found.append(number & 0x7F | 0x80)
        number >>= 7
    found.append(number)
    return bytes(found)


def signed(number: int) -> bytes:
    """Return a signed number as LEB128."""
    found = bytearray()
    while not -0x40 <= number < 0x40:
        found.append(number & 0x7F | 0x80)
        number >>= 7
    found.append(number & 0x7F)
    return bytes(found)


def vector(items: Sequence[bytes]) -> bytes:
    """Return the number of items, followed by the items."""
    return unsigned(len(items)) + b"".join(items)


def sized(content: bytes) -> bytes:
    """Return the length of the content, followed by the content."""
    return unsigned(len(content)) + content


def text(word: str) -> bytes:
    """Return a name as its length and its bytes in UTF-8."""
    return sized(word.encode())


def section(number: int, content: bytes) -> bytes:
    """Return a section of a module."""
    return bytes((number,)) + sized(content)


def signature(params: Iterable[Type], results: Iterable[Type]) -> bytes:
    """Return the type of a function."""
    return b"\x60" + vector([bytes((t,)) for t in params]) + vector([bytes((t,)) for t in results])


def names_section(functions: Mapping[int, str]) -> bytes:
    """Return the section with the names of functions, for profilers and tracebacks."""
    named = vector([unsigned(number) + text(name) for number, name in functions.items()])
    return section(0, text("name") + bytes((1,)) + sized(named))
