"""What came of games, column by column: small to send and to keep, and quick to add up."""

from __future__ import annotations

from array import array
from collections.abc import Iterable, Sequence

from rulesdsl.run.engine import Playout

Columns = dict[str, "array[int]"]
"""Columns by name: those of `COUNTED`, `over`, `winners` (a mask of seats), `score.SEAT`, and
`gain.SOURCE.SEAT` in the order of sources."""

COUNTED = ("moves", "decisions", "options", "leads")


def names(players: int, sources: Sequence[str]) -> tuple[str, ...]:
    """The names of all columns."""
    seats = range(players)
    return (
        *COUNTED,
        "over",
        "winners",
        *(score(seat) for seat in seats),
        *(gain(source, seat) for source in sources for seat in seats),
    )


def score(seat: int) -> str:
    """The name of the column of a seat's points."""
    return f"score.{seat}"


def gain(source: str, seat: int) -> str:
    """The name of the column of a seat's points from a source."""
    return f"gain.{source}.{seat}"


def columns_of(games: Iterable[Playout], players: int, sources: Sequence[str]) -> Columns:
    """The columns of games."""
    rows = [
        (
            *(game.moves, game.decisions, game.options, game.leads, game.over),
            sum(1 << seat for seat in game.winners),
            *game.scores,
            *(points for gained in game.gains for points in gained),
        )
        for game in games
    ]
    found = names(players, sources)
    turned = zip(*rows, strict=True) if rows else ((),) * len(found)
    return {name: array("q", column) for name, column in zip(found, turned, strict=True)}
