"""How everybody stands, in a few words."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator

from rulesdsl.cli.console import Styled
from rulesdsl.cli.words import Words
from rulesdsl.model.values import Piece, Zone
from rulesdsl.play import State


def standing(state: State, words: Words) -> Iterator[str]:
    """For each player points and how much is in the zones of that player; and how much is left
    where nobody sees what is there."""
    game, place_of = state.game.checked.game, state.position.place_of
    counts = Counter(
        place
        for index, piece in enumerate(game.pieces)
        if (piece.seat is None or piece.seat < len(state.players))
        and isinstance(place := place_of(Piece(index)), Zone)
    )
    zones = list(enumerate(game.zones))
    for seat, (colour, score) in enumerate(state.scores().items()):
        own = [
            f"{words.label(zone.key)} {counts[Zone(number, seat)]}"
            for number, zone in zones
            if zone.per == "player"
        ]
        yield ", ".join([f"{words.player(colour)} {score}", *own])
    for number, zone in zones:
        if zone.per is None and zone.visible == "none":
            yield f"{words.label(zone.key)} {counts[Zone(number, 0)]}"


def in_lines(words: Iterable[str], width: int | None, gap: str = "   ") -> list[Styled]:
    """Words with gaps between them, in lines of at most `width` columns where they fit (None: any);
    no word is broken."""
    lines: list[str] = []
    for word in words:
        if lines and (width is None or len(lines[-1] + gap + word) <= width):
            lines[-1] += gap + word
        else:
            lines.append(word)
    return [[line] for line in lines]
