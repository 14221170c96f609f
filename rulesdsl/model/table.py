"""Tables of programs: all that is left of a program's data where it is played."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Literal

Role = Literal["const", "state", "scratch"]
"""`const` tables never change, `state` tables are the game at one moment, `scratch` tables mean
nothing between two calls from outside."""


@dataclass(frozen=True)
class Table:
    """`size` integers, each from `low` to `high`. `values` are those of a const table (its length
    is `size`), and what a state or scratch table begins with: empty for zeros, or as many as
    `size`."""

    name: str
    role: Role
    size: int
    low: int
    high: int
    values: tuple[int, ...] = ()
    doc: str = field(default="", compare=False)
