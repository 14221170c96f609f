"""What has changed between two positions that the game at hand came to."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from rulesdsl.dev.hand import Position
from rulesdsl.play.gains import Gain
from rulesdsl.play.watch import Step


@dataclass(frozen=True)
class Changes:
    """`scores` by colour, before and now, where they differ; `first` is the first move that does
    not give what it gave, with what that was; `new` and `gone` are the moves that are offered now
    and were not, and the other way; `elsewhere`: something else is not as it was."""

    scores: Mapping[str, tuple[int | None, int | None]]
    first: tuple[Step, tuple[Gain, ...]] | None
    new: tuple[str, ...]
    gone: tuple[str, ...]
    elsewhere: bool

    @property
    def none(self) -> bool:
        """Whether all is as it was."""
        return not (self.scores or self.first or self.new or self.gone or self.elsewhere)


def changes(before: Position, now: Position) -> Changes:
    """What is not as it was."""
    was, are = before.state.scores(), now.state.scores()
    colours = dict.fromkeys([*was, *are])
    scores = {c: (was.get(c), are.get(c)) for c in colours if was.get(c) != are.get(c)}
    offered = [dict.fromkeys(map(str, each.state.moves())) for each in (before, now)]
    new = tuple(move for move in offered[1] if move not in offered[0])
    gone = tuple(move for move in offered[0] if move not in offered[1])
    first = _first(before, now)
    said = bool(scores or first or new or gone)
    return Changes(scores, first, new, gone, not said and before.text != now.text)


def _first(before: Position, now: Position) -> tuple[Step, tuple[Gain, ...]] | None:
    """The first move, played in both, that gave something else, and what it gave before."""
    for was, step in zip(before.steps, now.steps, strict=False):
        if (was.by, was.move) != (step.by, step.move):
            return None
        if _points(was) != _points(step):
            return step, was.gains
    return None


def _points(step: Step) -> list[tuple[str, int, str]]:
    return [(gain.player, gain.amount, gain.source) for gain in step.gains]
