"""Declarations of the tables, used both to run the runtime as it is and to read it into the IR."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from rulesdsl.language.model.tables import Role, Table

ANY_LOW, ANY_HIGH = "-9223372036854775808", "9223372036854775807"
"""The bounds of tables that hold any number, so that nothing has to be checked."""


class DeclaredTable(list[int]):
    """A table of numbers, as a list that is filled in place.

    `size`, `low` and `high` are sums and products of dimensions and numbers, as in `"segments *
    4"`. `name` is that of its variable in `runtime.tables`. `column` is the datum of which a table
    of the state is part, by which it is known what rules touch.
    """

    def __init__(self, role: Role, size: str, low: str, high: str, column: str = "") -> None:
        super().__init__()
        self.name = ""
        self.role = role
        self.size = size
        self.low = low
        self.high = high
        self.column = column


def const(
    size: str, low: str = "-2147483648", high: str = "2147483647", *, column: str = ""
) -> DeclaredTable:
    """Return a table that `lower` fills and nothing changes.

    One that says where a column is in tables of the machine belongs to that column.
    """
    return DeclaredTable("const", size, low, high, column)


def state(size: str, low: str, high: str, *, column: str) -> DeclaredTable:
    """Return a table that is part of the state of the game, and of a column."""
    return DeclaredTable("state", size, low, high, column)


def per_row(size: str, low: str = ANY_LOW, high: str = ANY_HIGH) -> DeclaredTable:
    """Return a table that every row has beside its state."""
    return DeclaredTable("beside", size, low, high)


def scratch(size: str, low: str = ANY_LOW, high: str = ANY_HIGH) -> DeclaredTable:
    """Return a table whose contents mean nothing between two calls from outside."""
    return DeclaredTable("scratch", size, low, high)


def measure(expression: str, dimensions: Mapping[str, int]) -> int:
    """Return the value of a size or bound for the dimensions of a game.

    The expression is a sum of terms joined by `+` and `-`, each a product of names and numbers.
    """
    total = 0
    for part in expression.replace("- ", "+ -").split("+"):
        product = 1
        for factor in part.split("*"):
            word = factor.strip()
            sign, name = (-1, word[1:]) if word.startswith("-") else (1, word)
            product *= sign * (dimensions[name] if name in dimensions else int(name))
        total += product
    return total


def make_tables(
    tables: Mapping[str, DeclaredTable],
    dimensions: Mapping[str, int],
    values: Mapping[str, Sequence[int]],
) -> dict[str, Table]:
    """Return the tables of the runtime, with the sizes that follow from these dimensions.

    Each const table has the given values, and their range for its bounds. All others begin with
    zeros.
    """
    found = {}
    for name, table in tables.items():
        size, low, high = (
            measure(text, dimensions) for text in (table.size, table.low, table.high)
        )
        entries: tuple[int, ...] = ()
        if table.role == "const":
            entries = tuple(values[name])
            if len(entries) != size:
                raise ValueError(f"{name} has {len(entries)} values, not {size}")
            if entries and not low <= min(entries) <= max(entries) <= high:
                raise ValueError(f"{name} has values outside of {low}..{high}")
            low, high = min(entries, default=low), max(entries, default=high)
        else:
            # Even an empty table begins with zeros, so its bounds contain 0.
            low, high = min(low, 0), max(high, 0)
        found[name] = Table(name, table.role, size, low, high, entries)
    return found
