"""Turns, as games are told in: a run of moves of one player in which no choice is asked twice."""

from __future__ import annotations

import copy

from rulesdsl.play.game import State


class Turns:
    """Counts the turns of a state: call `before` and `after` around every move.

    `number` is the turn of the next move, from 1.
    """

    def __init__(self) -> None:
        self.number = 1
        self._asked: set[str] = set()
        self._by: str | None = None

    def copy(self) -> Turns:
        """Turns that are counted on from here by themselves."""
        other = copy.copy(self)
        other._asked = set(self._asked)
        return other

    def before(self, state: State) -> None:
        """A move is about to be played."""
        self._by = state.mover
        self._asked.add(state.asked or "")

    def after(self, state: State) -> bool:
        """The move was played; is the turn over?"""
        over = state.mover != self._by or state.asked in self._asked
        if over:
            self.number += 1
            self._asked.clear()
        return over
