"""Narration of a game for people and programs."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from itertools import groupby, product
from typing import Any, Protocol

from rulesdsl.base.records import dataclass
from rulesdsl.cli.board import Painter
from rulesdsl.cli.console import Console, Styled, wrapped
from rulesdsl.cli.words import Words, written
from rulesdsl.engine.run.interface import Seen
from rulesdsl.language.diagnostics.report import inert_json
from rulesdsl.language.model.checked import StateDef
from rulesdsl.language.model.game import PER_PLAYER
from rulesdsl.language.model.values import Cell, Piece, Player, Segment, Space, Value
from rulesdsl.play import Game, Place, Plain, State
from rulesdsl.play.events import START, Event, Gain, Step
from rulesdsl.play.game import RulesetInfo
from rulesdsl.play.moves import text
from rulesdsl.play.table import (
    ZoneRow,
    filled,
    labelled,
    members,
    occupants,
    pieces,
    said_of,
    value_of,
)

HUMAN = "human"
RECORDED = "recorded"


@dataclass(frozen=True)
class Start:
    """A game that starts.

    `seats` has for every colour who plays it (a bot's name, `HUMAN` or `RECORDED`); `seed` is None
    if chance is in the record. `steps` are the last moves of a game that goes on, and `opening`
    what happened before the first decision of one that begins.
    """

    state: State
    seats: Mapping[str, str]
    seed: int | None
    steps: Sequence[Step] = ()
    opening: Sequence[Event] = ()


class Narrator(Protocol):
    """A narrator of a game for people or programs."""

    def start(self, start: Start) -> None: ...

    def moved(self, step: Step, state: State) -> None: ...

    def end(
        self, state: State, points: Mapping[tuple[str, str], int], agreed: bool = False
    ) -> None: ...


_COUNTED = frozenset({"figure", "token"})
"""Classes of pieces that are only counted if all are alike."""


def standing(
    state: State, words: Words, width: int | None, *, everyone: bool = False
) -> list[Styled]:
    """Return the status of a game in lines.

    It has the points of each player with the sizes of the player's zones, and the sizes of hidden
    zones; then the states of pieces on boards, the contents of zones and tracks, and the states
    that have a label, each on a line of its own. It shows what the player to move sees, or only
    what `everyone` sees.
    """
    table = _Table(state, words, everyone)
    lines = in_lines(table.counted(), width)
    for line in (*table.standing(), *table.zones(), *table.tracks(), *table.states()):
        lines += wrapped((line,), width)
    return lines


def unseen(state: State, words: Words, width: int | None) -> list[Styled]:
    """Return how many components the player to move does not know, and of which kinds, in lines.

    Everybody can work that out from the box and from what lies open.
    """
    seat = state.players.index(state.mover or state.players[0])
    # The name of the kind: that of a die would tell its face.
    hidden = [
        words.value(state.names.piece(piece.index, hidden=True))
        for piece in pieces(state)
        if state.position.unknown_at(piece, seat) is not None
    ]
    if not hidden:
        return []
    names = "; ".join(_grouped(hidden))
    return wrapped((words.texts("unseen", number=len(hidden), names=names),), width)


def texts_on(state: State, words: Words, width: int | None) -> list[Styled]:
    """Return the texts on the components that the player to move knows, in lines."""
    seat = state.players.index(state.mover or state.players[0])
    declared = state.game.checked.game
    known = {
        declared.pieces[piece.index].kind
        for piece in pieces(state)
        if state.position.unknown_at(piece, seat) is None
    }
    lines: list[Styled] = []
    for key in dict.fromkeys(declared.kinds[number].key for number in sorted(known)):
        if said := words.game.labels.said(key, words.language):
            lines += wrapped((f"{words.label(key)}: {said}",), width)
    return lines


class _Table:
    """A state as the player to move sees it, or everyone."""

    def __init__(self, state: State, words: Words, everyone: bool) -> None:
        self._state, self._words = state, words
        self._game = state.game.checked.game
        seat = state.players.index(state.mover or state.players[0])
        self._common = {row.zone: set(row.pieces) for row in filled(state)}
        self._zones = list(filled(state, None if everyone else seat))
        self._stands = {
            place: [self._short(piece) for piece in sorted(here)]
            for place, here in occupants(state).items()
        }

    def counted(self) -> Iterator[str]:
        """Yield players with their points, and the zones that are only counted."""
        scores = self._state.scores()
        for seat, colour in enumerate(self._state.players):
            own = [
                f"{self._title(row, 1)} {len(row.pieces)}"
                for row in self._zones
                if row.declared.seat(row.zone.index) == seat and not self._listed(row.pieces)
            ]
            points = f" {scores[colour]}" if scores else ""
            yield ", ".join([f"{self._words.player(colour)}{points}", *own])
        for row in self._zones:
            if not row.declared.per and not self._listed(row.pieces):
                yield f"{self._label(row)} {len(row.pieces)}"

    def standing(self) -> Iterator[str]:
        """Yield the pieces on boards that have a state with a label and a value."""
        for piece in pieces(self._state):
            place, said = self._state.position.place_of(piece), self._said(piece)
            if said and isinstance(place, Cell | Segment):
                yield f"{self._short(piece)} {self._short(place)}: {said}"

    def zones(self) -> Iterator[str]:
        """Yield the zones whose pieces are listed."""
        for row in self._zones:
            if row.declared.per[:1] not in ((), (PER_PLAYER,)) or self._listed(row.pieces):
                names = [self._name(row, piece) for piece in row.pieces]
                listed = names if row.declared.ordered else _grouped(names)
                yield f"{self._title(row)}: {', '.join(listed)}"

    def tracks(self) -> Iterator[str]:
        """Yield the occupants of the spaces of tracks."""
        labels, language = self._words.game.labels, self._words.language
        spaces = sorted(place for place in self._stands if isinstance(place, Space))
        for number, own in groupby(spaces, key=lambda space: space.track):
            key = self._game.tracks[number].key
            found = [
                f"{labels.find(f'{key}[{space.index}]', language) or space.index} "
                f"{', '.join(_grouped(self._stands[space]))}"
                for space in own
            ]
            yield f"{self._words.title(key, self._game.texts.tracks[number])}: {'; '.join(found)}"

    def states(self) -> Iterator[str]:
        """Yield the states of the game and of players that have a label and a value."""
        for declared in labelled(self._state.game.checked, "game", "player"):
            label = self._words.game.labels.find(declared.key, self._words.language)
            if label is None:
                continue
            for index in product(*(members(self._state, each).items() for each in declared.index)):
                named = ", ".join(self._words.value(name) for name, _ in index)
                if told := ", ".join(self._told(declared, [value for _, value in index])):
                    yield f"{label} ({named}): {told}" if named else f"{label}: {told}"

    def _told(self, declared: StateDef, index: Sequence[Value]) -> Iterator[str]:
        """Yield the values of a state that are not empty, or 0 at an index, for each owner."""
        for seat, colour in enumerate(self._state.players if declared.owner == "player" else [""]):
            value = value_of(self._state, declared, Player(seat) if colour else None, index)
            if value or (type(value) is int and not index):
                named = f"{self._words.player(colour)} " if colour else ""
                yield named + self._short(value)

    def _listed(self, pieces: tuple[Seen, ...]) -> bool:
        """Return whether pieces are listed, since they are not all alike."""
        if any(isinstance(piece, tuple) for piece in pieces):
            return True
        known = [piece for piece in pieces if isinstance(piece, Piece)]
        names = {self._state.names.short(piece) for piece in known}
        plain = all(self._state.names.kind(piece).cls in _COUNTED for piece in known)
        return len(names) > 1 or not plain

    def _title(self, row: ZoneRow, first: int = 0) -> str:
        """Return the label of a zone with its indices from the first one."""
        indices = map(self._short, row.declared.indices(row.zone.index)[first:])
        listed = ", ".join(indices)
        return f"{self._label(row)} ({listed})" if listed else self._label(row)

    def _label(self, row: ZoneRow) -> str:
        return self._words.title(row.declared.key, self._game.texts.zones[row.zone.zone])

    def _name(self, row: ZoneRow, piece: Seen) -> str:
        if not isinstance(piece, Piece):
            return f"? ({self._words.told(piece)})" if piece else "?"
        owner = row.declared.seat(row.zone.index)
        own = owner is not None and owner == self._game.pieces[piece.index].seat
        names = self._state.names
        name = self._words.value(names.kind_text(piece)) if own else self._short(piece)
        said = self._said(piece)
        name = f"{name} ({said})" if said else name
        shown = row.declared.visible not in ("all", "top") or piece in self._common[row.zone]
        return name if shown else self._words.texts("face-down", piece=name)

    def _said(self, piece: Piece) -> str:
        """Describe a piece by its states that have a label and a value."""
        return "; ".join(
            f"{self._words.label(key)}: {self._short(value)}"
            for key, value in said_of(self._state, piece)
        )

    def _short(self, value: Value) -> str:
        return self._words.value(self._state.names.short(value))


def _grouped(names: Iterable[str]) -> list[str]:
    """Return each name once, with the number of its occurrences."""
    counts: dict[str, int] = {}
    for name in names:
        counts[name] = counts.get(name, 0) + 1
    return [name if count == 1 else f"{name} x{count}" for name, count in counts.items()]


def in_lines(words: Iterable[str], width: int | None, gap: str = "   ") -> list[Styled]:
    """Return words with gaps between them, in lines of at most `width` columns (None: no limit).

    No word is broken, so longer words exceed the width.
    """
    lines: list[str] = []
    for word in words:
        if lines and (width is None or len(lines[-1] + gap + word) <= width):
            lines[-1] += gap + word
        else:
            lines.append(word)
    return [[line] for line in lines]


@dataclass
class TextNarrator:
    """Writes lines of text.

    With `board` the board is drawn after every turn, unless one of `humans` is to move, who then
    sees it anyway. Secret arguments in the moves of others are not shown to humans. `quiet` shows
    only the result.
    """

    console: Console
    words: Words
    painter: Painter
    board: bool
    quiet: bool
    humans: Collection[str] = ()
    _last: Place | None = None

    def start(self, start: Start) -> None:
        """Write the game, its players and its rulesets."""
        if self.quiet:
            return
        say, texts = self.console.say, self.words.texts
        game = start.state.game
        say((self.words.label(game.checked.game.roles.ruleset), "title"))
        seats = ", ".join(
            texts("seat", player=self.words.player(colour), who=self._who(who))
            for colour, who in start.seats.items()
        )
        seed = texts("chance-asked") if start.seed is None else start.seed
        say(texts("players", players=seats, seed=seed))
        for line in self._made_of(game):
            self.console.prose(line)
        seen = "; ".join(self.words.events(filter(self._may_see, start.opening)))
        if seen:
            self.console.prose((texts("opening", events=seen), "faint"), indent=2)
        say()
        for step in start.steps:
            self._write(step)
            self._last = step.laid or self._last

    def _who(self, who: str) -> str:
        """Return who plays a seat, in words."""
        texts = self.words.texts
        return texts(who) if who in (HUMAN, RECORDED) else texts("bot", bot=who)

    def _made_of(self, game: Game) -> list[str]:
        """Return the rulesets and settings in use."""
        texts = self.words.texts
        kinds: dict[str, list[RulesetInfo]] = {"rulesets": [], "interactions": [], "house": []}
        for info in game.rulesets:
            key = "interactions" if info.interaction else "house" if info.house else "rulesets"
            kinds[key].append(info)
        found = [
            texts(key, names=", ".join(f"{info.id} {info.version}" for info in infos))
            for key, infos in kinds.items()
            if infos
        ]
        if game.settings:
            chosen = (f"{name}={written(value)}" for name, value in game.settings.items())
            found.append(texts("settings", settings=", ".join(chosen)))
        return found

    def moved(self, step: Step, state: State) -> None:
        """Write a move, the reasons for its points, and the board when the turn is over."""
        if self.quiet:
            return
        self._write(step)
        self._last = step.laid or self._last
        if self.board and step.last and state.mover not in self.humans:
            drawn = self.painter.board(state, self._last)
            self.console.write([*drawn, []] if drawn else [])

    def _write(self, step: Step) -> None:
        for line in self.lines(step):
            self.console.prose(*line, indent=6)

    def lines(self, step: Step) -> list[Styled]:
        """Return a move and the reasons for its points."""
        hidden = len(self.humans) > 1 or (bool(self.humans) and step.by not in self.humans)
        about = self.words.about([value for _, value in step.about], step.by)
        secret = hidden and bool(step.move.secret)
        said = self.words.move(step.move, hidden) if secret else step.said
        found: list[Styled] = [
            [
                (f"{step.turn}. ", "faint"),
                (self.words.player(step.by), f"player {step.by}"),
                f"  {about}: " if about else "  ",
                said,
            ]
        ]
        for event in self.words.events(filter(self._may_see, step.events)):
            found.append(["    ", (event, "faint")])
        for gain in step.gains:
            player = (self.words.player(gain.player), f"player {gain.player}")
            found.append(["    ", player, " ", (self.words.gain(gain), "gain")])
        return found

    def _may_see(self, event: Event) -> bool:
        """Return whether everybody who sits at the screen may see an event."""
        return event.to is None or set(self.humans) <= set(event.to)

    def end(
        self, state: State, points: Mapping[tuple[str, str], int], agreed: bool = False
    ) -> None:
        """Write the points by player and source, and the winners if the game is over."""
        told = [[(self.words.texts("agreed"), "title")]] if agreed else []
        self.console.write([*self.result(state, points), *told])

    def result(self, state: State, points: Mapping[tuple[str, str], int]) -> list[Styled]:
        """Return the points by player and source, and the winners if the game is over."""
        found = self._table(state, points)
        if state.cut_short:
            limit = state.game.checked.game.roles.limit
            found.append([self.words.texts("cut-short", limit=limit)])
        if state.mover is None:
            found.append([(self._winners(state), "title")])
        return found

    def _table(self, state: State, points: Mapping[tuple[str, str], int]) -> list[Styled]:
        if not state.scores():
            return []
        found = sorted({source for _, source in points}, key=lambda s: (s != START, s))
        by_name = Counter[tuple[str, str]]()
        for (colour, source), amount in points.items():
            by_name[colour, self.words.source(source)] += amount
        sources = list(dict.fromkeys(map(self.words.source, found)))
        heads = ["", *sources, self.words.texts("total")]
        rows = [
            [
                self.words.player(colour),
                *(str(by_name[colour, source]) for source in sources),
                str(total),
            ]
            for colour, total in state.scores().items()
        ]
        widths = [max(map(len, column)) for column in zip(heads, *rows, strict=True)]
        if self.console.width is not None and sum(widths) + 2 * len(widths) > self.console.width:
            return self._listed(heads, rows)
        return [_cells(row, widths) for row in (heads, *rows)]

    def _listed(self, heads: list[str], rows: list[list[str]]) -> list[Styled]:
        """Return the table for a narrow terminal: a line for each number that is not 0."""
        found: list[Styled] = []
        for name, *numbers in rows:
            found.append([(name, "title")])
            for head, number in zip(heads[1:], numbers, strict=True):
                if number != "0" or head == heads[-1]:
                    found.append([f"  {number.rjust(4)} {head}"])
        return found

    def _winners(self, state: State) -> str:
        winners = state.winners
        if not winners:
            return self.words.texts("nobody")
        scores = {points for player, points in state.scores().items() if player in winners}
        names = self.words.players(winners)
        if len(scores) != 1:
            return self.words.texts("winners", players=names)
        key = "wins" if len(winners) == 1 else "tie"
        (points,) = scores
        return self.words.texts(key, count=points, players=names, points=points)


def _cells(row: list[str], widths: list[int]) -> Styled:
    """Return a row of the table: the name on the left, numbers on the right."""
    name = row[0].ljust(widths[0])
    return [
        name,
        *(f"  {cell.rjust(width)}" for cell, width in zip(row[1:], widths[1:], strict=True)),
    ]


@dataclass
class JsonNarrator:
    """Writes a `start`, a `move` for every move, and an `end`; with `quiet` only the `end`."""

    console: Console
    quiet: bool

    def start(self, start: Start) -> None:
        """Write the game, its players and its rulesets."""
        game = start.state.game
        seed = {} if start.seed is None else {"seed": start.seed}
        if not self.quiet:
            self._write(
                event="start",
                root=game.checked.game.roles.ruleset,
                rulesets=[
                    {
                        "id": info.id,
                        "version": info.version,
                        "digest": info.digest,
                        "interaction": info.interaction,
                        "house": info.house,
                    }
                    for info in game.rulesets
                ],
                settings=game.settings,
                players=dict(start.seats),
                **seed,
                events=[event.fields() for event in start.opening],
            )

    def moved(self, step: Step, state: State) -> None:
        """Write a move and the points it gave."""
        if not self.quiet:
            self._write(
                event="move",
                number=step.number,
                turn=step.turn,
                by=step.by,
                about=_texts(step.about),
                move=step.move.name,
                args=step.move.texts,
                events=step.noted,
                gains=[_gain(gain) for gain in step.gains],
                scores=state.scores(),
            )

    def end(
        self, state: State, points: Mapping[tuple[str, str], int], agreed: bool = False
    ) -> None:
        """Write the result; `over` is false for a game that was not played to its end."""
        sources: dict[str, dict[str, int]] = {colour: {} for colour in state.players}
        for (colour, source), amount in sorted(points.items()):
            sources[colour][source] = amount
        self._write(
            event="end",
            over=state.mover is None,
            cut_short=state.cut_short,
            scores=state.scores(),
            points=sources,
            winners=list(state.winners),
            **({"agreed": True} if agreed else {}),
        )

    def _write(self, **fields: Any) -> None:
        self.console.say(inert_json(fields))


def _texts(values: tuple[tuple[str, Plain], ...]) -> dict[str, str]:
    return {name: text(value) for name, value in values}


def _gain(gain: Gain) -> dict[str, Any]:
    return {
        "player": gain.player,
        "amount": gain.amount,
        "source": gain.source,
        "subject": gain.subject,
        "terms": [{"name": term.name, "value": term.value} for term in gain.terms],
    }
