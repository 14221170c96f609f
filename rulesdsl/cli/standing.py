"""How everybody stands, and what lies on the table."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from itertools import product

from rulesdsl.cli.console import Styled
from rulesdsl.cli.words import Words
from rulesdsl.model.checked import Const, Expr, ReadState, StateDef
from rulesdsl.model.game import ZoneDef
from rulesdsl.model.types import NAMED, PIECE_CLASSES, PLAYER
from rulesdsl.model.values import EnumMember, Piece, Player, Space, Value, Zone
from rulesdsl.play import State
from rulesdsl.play.boards import instances, seen_by_all
from rulesdsl.play.indexes import members

_COUNTED = frozenset({"figure", "token"})
"""Pieces that are only counted where all are alike."""


def standing(
    state: State, words: Words, width: int | None, *, everyone: bool = False
) -> list[Styled]:
    """List for each player points and how much is in the zones of that player, and how much is left
    where nobody sees what is there; then what lies in zones and on tracks, and what states say that
    have a label, each in a line of its own: as the player who is asked sees it, or only what
    `everyone` sees."""
    table = _Table(state, words, everyone)
    lines = in_lines(table.counted(), width)
    for line in (*table.zones(), *table.tracks(), *table.states()):
        lines += in_lines(line.split(" "), width, " ")
    return lines


class _Table:
    """A state as the player who is asked sees it, or everyone."""

    def __init__(self, state: State, words: Words, everyone: bool) -> None:
        self._state, self._words = state, words
        self._game = state.game.checked.game
        self._texts = words.texts
        self._common = {
            zone: pieces
            for number, declared in enumerate(self._game.zones)
            for index in range(instances(state, declared.per))
            if (pieces := seen_by_all(state, zone := Zone(number, index)))
        }
        self._seen = self._common
        if not everyone:
            seat = state.players.index(state.mover or state.players[0])
            self._seen = {zone: state.position.seen(zone, seat) for zone in self._common}
        self._of_pieces = [
            (declared, label)
            for declared in state.game.checked.states.values()
            if declared.owner in PIECE_CLASSES and not declared.index
            if (label := words.game.labels.find(declared.key, words.language)) is not None
        ]

    def counted(self) -> Iterator[str]:
        """Players with their points, and the zones in which nothing is told apart."""
        for seat, (colour, score) in enumerate(self._state.scores().items()):
            own = [
                f"{self._words.label(declared.key)} {len(pieces)}"
                for zone, declared, pieces in self._all()
                if declared.per == "player" and zone.index == seat and not self._listed(pieces)
            ]
            yield ", ".join([f"{self._words.player(colour)} {score}", *own])
        for _, declared, pieces in self._all():
            if declared.per is None and not self._listed(pieces):
                yield f"{self._words.label(declared.key)} {len(pieces)}"

    def zones(self) -> Iterator[str]:
        """The zones in which pieces are told apart."""
        for zone, declared, pieces in self._all():
            if declared.per not in (None, "player") or self._listed(pieces):
                names = [self._name(zone, declared, piece) for piece in pieces]
                listed = names if declared.ordered else _grouped(names)
                yield f"{self._title(zone, declared)}: {', '.join(listed)}"

    def tracks(self) -> Iterator[str]:
        """What stands on the spaces of tracks."""
        position = self._state.position
        standing: dict[Space, list[str]] = {}
        for piece in self._pieces():
            place = position.place_of(piece)
            if isinstance(place, Space):
                name = self._words.value(self._state.names.short(piece))
                standing.setdefault(place, []).append(name)
        for number, track in enumerate(self._game.tracks):
            spaces = sorted(space for space in standing if space.track == number)
            found = [f"{space.index} {', '.join(_grouped(standing[space]))}" for space in spaces]
            if found:
                yield f"{self._words.label(track.key)}: {'; '.join(found)}"

    def states(self) -> Iterator[str]:
        """The states of the game and of players that have a label, unless they say nothing yet."""
        for state in self._state.game.checked.states.values():
            label = self._words.game.labels.find(state.key, self._words.language)
            if label is None or state.owner not in ("game", "player"):
                continue
            for index in product(*(members(self._state, each) for each in state.index)):
                named = ", ".join(map(self._words.value, index))
                if told := ", ".join(self._told(state, index)):
                    yield f"{label} ({named}): {told}" if named else f"{label}: {told}"

    def _told(self, state: StateDef, index: tuple[str, ...]) -> Iterator[str]:
        """What a state says, for each of its owners."""
        places = tuple(
            Const(state.span, type_, members(self._state, type_)[name])
            for name, type_ in zip(index, state.index, strict=True)
        )
        for seat, colour in enumerate(self._state.players if state.owner == "player" else [""]):
            owner: Expr | None = Const(state.span, PLAYER, Player(seat)) if colour else None
            if value := self._value(state, owner, places):
                yield f"{self._words.player(colour)} {value}" if colour else value

    def _all(self) -> Iterator[tuple[Zone, ZoneDef, tuple[Piece | None, ...]]]:
        for zone, pieces in self._seen.items():
            yield zone, self._game.zones[zone.zone], pieces

    def _listed(self, pieces: tuple[Piece | None, ...]) -> bool:
        """Is there anything to be told apart?"""
        known = [piece for piece in pieces if piece is not None]
        names = {self._state.names.short(piece) for piece in known}
        plain = all(self._state.names.kind(piece).cls in _COUNTED for piece in known)
        return len(names) > 1 or not plain

    def _title(self, zone: Zone, declared: ZoneDef) -> str:
        label = self._words.label(declared.key)
        if declared.per is None:
            return label
        index: Value = Player(zone.index)
        if declared.per != "player":
            index = EnumMember(declared.per, zone.index)
        return f"{label} ({self._words.value(self._state.names.short(index))})"

    def _name(self, zone: Zone, declared: ZoneDef, piece: Piece | None) -> str:
        if piece is None:
            return "?"
        own = declared.per == "player" and self._game.pieces[piece.index].seat == zone.index
        names = self._state.names
        name = self._words.value(names.kind(piece).text if own else names.short(piece))
        said = "; ".join(self._said(piece))
        name = f"{name} ({said})" if said else name
        shown = declared.visible != "all" or piece in self._common[zone]
        return name if shown else self._texts("face-down", piece=name)

    def _said(self, piece: Piece) -> Iterator[str]:
        """Describe a piece by its states that have a label, unless they say nothing yet."""
        for declared, label in self._of_pieces:
            if declared.owner == self._state.names.kind(piece).cls:
                owner = Const(declared.span, NAMED[declared.owner], piece)
                if value := self._value(declared, owner, ()):
                    yield f"{label}: {value}"

    def _value(self, declared: StateDef, owner: Expr | None, index: tuple[Expr, ...]) -> str | None:
        """Describe a state; None if it says nothing."""
        read = ReadState(declared.span, declared.type, declared.key, owner, index)
        value = self._state.position.evaluate(read, {})
        return self._words.value(self._state.names.short(value)) if value else None

    def _pieces(self) -> Iterator[Piece]:
        for index, piece in enumerate(self._game.pieces):
            if piece.seat is None or piece.seat < len(self._state.players):
                yield Piece(index)


def _grouped(names: Iterable[str]) -> list[str]:
    """Each name once, with how often it stands there."""
    counts: dict[str, int] = {}
    for name in names:
        counts[name] = counts.get(name, 0) + 1
    return [name if count == 1 else f"{name} x{count}" for name, count in counts.items()]


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
