"""Declarations of tables, with which the runtime runs as it is and is read into the IR."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from rulesdsl.model.table import Role

ANY_LOW, ANY_HIGH = "-9223372036854775808", "9223372036854775807"
"""The bounds of tables that hold any number: nothing has to be checked then."""


class Table(list[int]):
    """A table that lives: `size`, `low` and `high` are sums and products of dimensions and
    numbers, as in `"segments * 4"`. `name` is that of the variable in `core.tables`."""

    def __init__(self, role: Role, size: str, low: str, high: str) -> None:
        super().__init__()
        self.name = ""
        self.role = role
        self.size = size
        self.low = low
        self.high = high


def const(size: str, low: str = "-2147483648", high: str = "2147483647") -> Table:
    """Return a table that `lower` fills and nothing changes."""
    return Table("const", size, low, high)


def state(size: str, low: str, high: str) -> Table:
    """Return a table that is part of the game."""
    return Table("state", size, low, high)


def scratch(size: str, low: str = ANY_LOW, high: str = ANY_HIGH) -> Table:
    """Return a table that means nothing between two calls from outside."""
    return Table("scratch", size, low, high)


def measure(expression: str, dimensions: Mapping[str, int]) -> int:
    """What a size or bound is for the dimensions of a game: terms joined by `+` and `-`, each a
    product of names and numbers."""
    total = 0
    for part in expression.replace("- ", "+ -").split("+"):
        product = 1
        for factor in part.split("*"):
            word = factor.strip()
            sign, name = (-1, word[1:]) if word.startswith("-") else (1, word)
            product *= sign * (dimensions[name] if name in dimensions else int(name))
        total += product
    return total


def allocate(
    tables: Mapping[str, Table],
    dimensions: Mapping[str, int],
    values: Mapping[str, Sequence[int]],
) -> None:
    """Give every table its size for a game, in place: const tables the values given, all others
    zeros."""
    for name, table in tables.items():
        size = measure(table.size, dimensions)
        table[:] = values[name] if table.role == "const" else [0] * size
        if len(table) != size:
            raise ValueError(f"{name} has {len(table)} values, not {size}")
