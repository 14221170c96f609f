"""What has changed between two positions that the game at hand came to."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from rulesdsl.dev.hand import Position
from rulesdsl.play.watch import Gain, Step


@dataclass(frozen=True)
class First:
    """The first move that does not give what it gave: what only it gave before, and what only it
    gives now."""

    step: Step
    before: tuple[Gain, ...]
    now: tuple[Gain, ...]


@dataclass(frozen=True)
class Changes:
    """`scores` by colour, before and now, where they differ; `first` is the first move that does
    not give what it gave; `new` and `gone` are the moves that are offered now
    and were not, and the other way; `elsewhere`: something else is not as it was."""

    scores: Mapping[str, tuple[int | None, int | None]]
    first: First | None
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


def _first(before: Position, now: Position) -> First | None:
    """The first move, played in both, that gave something else."""
    for was, step in zip(before.steps, now.steps, strict=False):
        if (was.by, was.move) != (step.by, step.move):
            return None
        lost, got = _without(was.gains, step.gains), _without(step.gains, was.gains)
        if lost or got:
            return First(step, lost, got)
    return None


def _without(these: Sequence[Gain], those: Sequence[Gain]) -> tuple[Gain, ...]:
    """`these` without as many of each as there are in `those`."""
    left = [_points(gain) for gain in those]
    found = []
    for gain in these:
        if _points(gain) in left:
            left.remove(_points(gain))
        else:
            found.append(gain)
    return tuple(found)


def _points(gain: Gain) -> tuple[str, int, str, str | None]:
    return gain.player, gain.amount, gain.source, gain.subject
