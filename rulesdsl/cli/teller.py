"""Who tells what happens in a game."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Protocol

from rulesdsl.play import State
from rulesdsl.play.watch import Step

HUMAN = "human"
RECORDED = "recorded"


@dataclass(frozen=True)
class Start:
    """A game that begins: `seats` says for every colour who plays it (a bot's name, `HUMAN` or
    `RECORDED`), `seed` is None when chance stands in the record."""

    state: State
    seats: Mapping[str, str]
    seed: int | None


class Teller(Protocol):
    """Tells people or programs about a game."""

    def start(self, start: Start) -> None: ...

    def moved(self, step: Step, state: State) -> None: ...

    def end(self, state: State, points: Mapping[tuple[str, str], int]) -> None: ...
