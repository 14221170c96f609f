"""Records of games: one JSON object a line, written during the game and played back later.

The first line is the header, which names the game. Every further line is a move, with the argument
texts that identify it; the last is the result, unless the record was cut off. A golden record also
has the effects of every move, and a digest of all lines before the last one. The lines follow
`schemas/record.schema.json`.

Games of the user are saved automatically, in the data folder of the user.
"""

from __future__ import annotations

import json
import os
import shlex
from codecs import BOM_UTF8
from collections.abc import Collection, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field, replace
from datetime import date
from functools import partial
from itertools import count
from pathlib import Path
from typing import Any, NamedTuple, Protocol

from rulesdsl.base.cache import data_folder
from rulesdsl.engine.run.interface import PlayError, Revealed
from rulesdsl.language.diagnostics import Diagnostic, Report, RulesError, Source, Span
from rulesdsl.language.model.names import RulesetId
from rulesdsl.language.model.nodes import Mapping as MappingNode
from rulesdsl.language.model.nodes import Node, Scalar
from rulesdsl.language.model.nodes import Sequence as SequenceNode
from rulesdsl.language.read.schema import is_known, remember, validate
from rulesdsl.play.game import Game, State
from rulesdsl.play.moves import IllegalMove, Move

FORMAT = 1
MAX_NESTING = 20
"""The most levels of lists and objects in a line."""


@dataclass(frozen=True)
class Header:
    """The header of a record: the game and how it was started.

    `rulesets` are (id, version, digest), `interactions` the ids of those among them that are
    interactions. `seed` is None if chance moves are in the record. `name` is that of a golden
    record. `seats` tells who plays each colour, if people play, and `paths` in which folders a
    saved game finds its rulesets. `fields` and `read` convert to and from JSON.
    """

    root: str
    expansions: tuple[str, ...]
    settings: Mapping[str, int | bool | str]
    rulesets: tuple[tuple[str, str, str], ...]
    interactions: tuple[str, ...]
    players: int
    seed: int | None
    format: int = FORMAT
    name: str | None = None
    seats: Mapping[str, str] = field(default_factory=dict)
    paths: tuple[str, ...] = ()

    @staticmethod
    def of(game: Game, players: int, seed: int | None) -> Header:
        """Return the header for a game that is about to start."""
        root = game.checked.game.roles.ruleset
        return Header(
            root,
            tuple(r.id for r in game.rulesets if r.id != root and not r.interaction),
            game.settings,
            tuple((r.id, r.version, r.digest) for r in game.rulesets),
            tuple(r.id for r in game.rulesets if r.interaction),
            players,
            seed,
        )

    @staticmethod
    def read(data: Mapping[str, Any]) -> Header:
        """Return the header in a first line that satisfies the schema."""
        return Header(
            RulesetId(data["root"]),
            tuple(map(RulesetId, data["expansions"])),
            data["settings"],
            tuple((i, version, digest) for i, version, digest in data["rulesets"]),
            tuple(data["interactions"]),
            data["players"],
            data.get("seed"),
            name=data.get("name"),
            seats=data.get("seats", {}),
            paths=tuple(data.get("paths", ())),
        )

    def fields(self) -> dict[str, Any]:
        """Return the header as the object in the first line."""
        found: dict[str, Any] = {
            "record": self.format,
            "name": self.name,
            "root": self.root,
            "expansions": list(self.expansions),
            "settings": dict(self.settings),
            "rulesets": [list(entry) for entry in self.rulesets],
            "interactions": list(self.interactions),
            "players": self.players,
            "seed": self.seed,
            "seats": dict(self.seats) or None,
            "paths": list(self.paths) or None,
        }
        return {key: value for key, value in found.items() if value is not None}


@dataclass(frozen=True)
class Then:
    """The effects of a move, in a golden record.

    `scores` has the new points of the players whose points changed, `changes` the facts that no
    longer hold (`-zone: piece`) and those that are new (`+zone: piece`). `state` is the beginning
    of the SHA-256 (hex) of the canonical text.
    """

    scores: Mapping[str, int]
    changes: tuple[str, ...]
    state: str

    @staticmethod
    def read(data: Mapping[str, Any]) -> Then:
        """Return the effects in a line that satisfies the schema."""
        return Then(data.get("scores", {}), tuple(data.get("changes", ())), data["state"])

    def fields(self) -> dict[str, Any]:
        """Return the object for a line, without empty fields."""
        found = {"scores": dict(self.scores), "changes": list(self.changes), "state": self.state}
        return {key: value for key, value in found.items() if value}


@dataclass(frozen=True)
class RecordedMove:
    """A recorded move: who moved, the move's name, its arguments as text, and its line.

    In a golden record also the number of legal moves, and the effects of the move. `stream` is the
    state of the random numbers of the bot that moved, in a game that people play.
    `events` are the events that the record has, None if it has none for the move. `taken_back` says
    that moves were taken back before this one from which somebody may have gained.
    """

    by: str
    move: str
    args: Mapping[str, str]
    span: Span = field(compare=False)
    offered: int | None = None
    then: Then | None = None
    stream: str | None = None
    events: Sequence[Mapping[str, Any]] | None = None
    taken_back: bool = False


@dataclass(frozen=True)
class Record:
    """A record that was read.

    `result` holds the scores of a finished game, `winners` its winners, and `digest` what a golden
    record says of its lines; `cut` is the last line if the text stops in the middle of it. A game
    that the players `agreed` to end may go on after its moves.
    """

    header: Header
    span: Span
    entries: tuple[RecordedMove, ...]
    result: Mapping[str, int] | None
    result_span: Span | None
    cut: Span | None
    winners: tuple[str, ...] = ()
    digest: str | None = None
    agreed: bool = False


def with_paths(record: bytes, paths: Sequence[str]) -> bytes:
    """Return a valid record with these folders of its rulesets in its header, and no others."""
    first, end, rest = record.removeprefix(BOM_UTF8).lstrip().partition(b"\n")
    head = {key: value for key, value in json.loads(first).items() if key != "paths"}
    if paths:
        head["paths"] = list(paths)
    return json.dumps(head, ensure_ascii=False).encode() + end + rest


class Sink(Protocol):
    """The target that a record is written to, such as a text file."""

    def write(self, text: str, /) -> object: ...

    def flush(self) -> object: ...


class Recorder:
    """Writes a record to an open text file, each line as soon as it is known.

    Without a header it continues a record that has one. All methods raise OSError if the file
    cannot be written.
    """

    def __init__(self, file: Sink, header: Header | None) -> None:
        self._file = file
        if header is not None:
            self._write(header.fields())

    def move(self, mover: str, move: Move, **more: object) -> None:
        """Add a move, and more fields of its line."""
        self._write({"by": mover, "move": move.name, "args": move.texts, **more})

    def result(self, state: State, **more: object) -> None:
        """Add the end of the game, and more fields of its line."""
        self._write({"scores": state.scores(), "winners": list(state.winners), **more})

    def _write(self, line: Mapping[str, Any]) -> None:
        self._file.write(json.dumps(line, ensure_ascii=False, separators=(", ", ": ")) + "\n")
        self._file.flush()


def read_record(source: Source) -> Record:
    """Return the record in `source`; a last line that is incomplete is taken as cut off.

    Raises RulesError for anything that is not a record of this version (`record-syntax`,
    `record-version`, and findings of the schema).
    """
    lines = list(_lines(source))
    if not lines:
        raise _error("record-syntax", "the record is empty", source.span(0, 0))
    cut = None
    if not source.text.endswith("\n") and not _is_json(lines[-1]):
        cut = lines.pop()
    if not lines:
        raise _error("record-syntax", "the record is cut off in its first line", cut)
    parsed = [_object(span) for span in lines]
    _check_version(parsed[0], lines[0])
    _check_lines(parsed, lines)
    entries = tuple(
        _entry(data, span) for data, span in zip(parsed, lines, strict=True) if "move" in data
    )
    last = parsed[-1]
    ended = "scores" in last
    return Record(
        Header.read(parsed[0]),
        lines[0],
        entries,
        last["scores"] if ended else None,
        lines[-1] if ended else None,
        cut,
        tuple(last["winners"]) if ended else (),
        last.get("digest"),
        last.get("agreed", False),
    )


def read_move(source: Source) -> RecordedMove:
    """Return the move in the first line of `source`, which a `Recorder` has written.

    Nothing is checked: another line raises any error.
    """
    line = next(_lines(source))
    return _entry(_object(line), line)


def _entry(data: Mapping[str, Any], span: Span) -> RecordedMove:
    then = Then.read(data["then"]) if "then" in data else None
    return RecordedMove(
        data["by"],
        data["move"],
        data["args"],
        span,
        data.get("offered"),
        then,
        data.get("stream"),
        data.get("events"),
        data.get("taken_back", False),
    )


def check_origin(record: Record, game: Game, again: str = "") -> None:
    """Raise RulesError (`record-ruleset`) unless `game` is the one the record was made with.

    `again` is the command for the rulesets it was made with, if it is not `replay`.
    """
    made = {name: (version, digest) for name, version, digest in record.header.rulesets}
    here = {r.id: (r.version, r.digest) for r in game.rulesets}
    report, file = Report(), shlex.quote(record.span.source.name)
    put = f"play with the rulesets it was made with: {again or f'rulesdsl replay {file}'}"
    rest = () if again else (f"to see how far it goes with these: rulesdsl test {file}",)
    for name in sorted(made.keys() | here.keys()):
        if made.get(name) != here.get(name):
            report.error(
                "record-ruleset",
                f"`{name}` {_difference(made.get(name), here.get(name))}",
                record.span,
                help=(f"{put} --path FOLDER", *rest),
            )
    if not len(report) and dict(record.header.settings) != game.settings:
        report.error("record-ruleset", "the settings differ from those recorded", record.span)
    report.check()


def with_versions(error: RulesError, record: Record) -> RulesError:
    """Return an error about missing rulesets with the versions that a record was made with."""
    file = shlex.quote(record.span.source.name)

    def told(found: Diagnostic) -> Diagnostic:
        named = [
            f"the record was made with {_version(name, version, digest)}: "
            f"rulesdsl replay {file} --path FOLDER"
            for name, version, digest in record.header.rulesets
            if found.slug == "ruleset-missing" and f"`{name}`" in found.message
        ]
        return replace(found, help=tuple(named) or found.help)

    return RulesError(map(told, error.diagnostics))


def replay(record: Record, game: Game) -> Iterator[tuple[State, RecordedMove | None]]:
    """Play the record and yield the state at the start (with None) and after each entry.

    The state is one object that keeps changing. Raises RulesError (`record-move`) at the first move
    that is not legal, and at the end if the scores are not the recorded ones.
    """
    try:
        state = game.start(record.header.players, record.header.seed)
    except ValueError as error:
        raise _error("bad-value", str(error), record.span) from None
    except PlayError as error:
        raise _error(error.slug, f"the game does not begin: {error.message}", error.span) from None
    yield state, None
    for entry in record.entries:
        if state.mover != entry.by:
            turn = f"it is {state.mover or 'nobody'}'s turn"
            message = f"{entry.by} moves here in the record, but {turn}"
            raise _error("record-move", message, entry.span)
        try:
            state.play(state.recorded(entry.move, entry.args))
        except (IllegalMove, PlayError) as error:
            raise _error("record-move", str(error), entry.span) from None
        yield state, entry
    if record.result is not None and dict(record.result) != state.scores():
        raise _error(
            "record-move",
            f"the recorded scores are {_scores(record.result)}, but the replayed game has "
            f"{_scores(state.scores())}",
            record.result_span,
        )


def _lines(source: Source) -> Iterator[Span]:
    start = 1 if source.text.startswith("\ufeff") else 0
    while start < len(source.text):
        end = source.text.find("\n", start)
        end = len(source.text) if end < 0 else end
        if source.text[start:end].strip():
            yield source.span(start, end)
        start = end + 1


def _is_json(span: Span) -> bool:
    try:
        json.loads(span.text)
    except (ValueError, RecursionError):
        return False
    return True


def _object(span: Span) -> dict[str, Any]:
    try:
        data = json.loads(span.text, object_pairs_hook=partial(_unique, span))
    except (ValueError, RecursionError):
        help = () if span.start else ("`rulesdsl run GAME --record FILE` writes a record",)
        raise _error("record-syntax", "this line is not JSON", span, *help) from None
    if not isinstance(data, dict):
        raise _error("record-syntax", "this line is not a JSON object", span)
    return data


def _unique(span: Span, pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    """Return the object of these pairs; raises RulesError for a key that is given twice."""
    found = dict(pairs)
    if len(found) < len(pairs):
        raise _error("record-syntax", "this line has an object with the same key twice", span)
    return found


def _check_version(head: Mapping[str, Any], span: Span) -> None:
    if "record" not in head:
        raise _error("record-syntax", "the first line is not the header of a record", span)
    if head["record"] != FORMAT:
        raise _error(
            "record-version",
            f"the record has format {head['record']}; this program reads format {FORMAT}",
            span,
        )


def _check_lines(parsed: list[dict[str, Any]], lines: list[Span]) -> None:
    report, source = Report(), lines[0].source
    known = is_known(source, "record")
    for number, (data, span) in enumerate(zip(parsed, lines, strict=True)):
        if not known:
            validate(_node(data, span), "record", report)
        misplaced = ("record" in data) != (number == 0) or (
            "scores" in data and number != len(parsed) - 1
        )
        if misplaced:
            report.error("record-syntax", "this line is in the wrong place", span)
    report.check()
    if not known:
        remember(source, "record")


def _node(data: object, span: Span, levels: int = MAX_NESTING) -> Node:
    """Return JSON data as nodes that all have the span `span`."""
    if not levels:
        message = f"this line is nested more than {MAX_NESTING} levels deep"
        raise _error("record-syntax", message, span)
    if isinstance(data, dict):
        entries = tuple((Scalar(span, str(k)), _node(v, span, levels - 1)) for k, v in data.items())
        return MappingNode(span, entries)
    if isinstance(data, list):
        return SequenceNode(span, tuple(_node(item, span, levels - 1) for item in data))
    if isinstance(data, (str, int)):
        return Scalar(span, data)
    raise _error("record-syntax", "this line holds a value that records do not have", span)


def _difference(made: tuple[str, str] | None, here: tuple[str, str] | None) -> str:
    if made is None:
        return "is loaded, but was not when the record was made"
    then = _version("version", *made)
    if here is None:
        return f"was loaded when the record was made, with {then}, but is not now"
    if made[0] != here[0]:
        return f"is version {here[0]} here, the record was made with {then}"
    return f"has changed since the record was made with {then}; here its digest is {here[1][:12]}"


def _version(name: str, version: str, digest: str) -> str:
    return f"{name} {version} (digest {digest[:12]})"


def _scores(scores: Mapping[str, int]) -> str:
    return ", ".join(f"{colour} {points}" for colour, points in scores.items())


def _error(slug: str, message: str, span: Span | None, *help: str) -> RulesError:
    return RulesError([Diagnostic(slug, message, span, help=help)])


LAST = "last"
"""The name of the game that was played last."""
ENDING = ".jsonl"


def games_folder() -> Path | None:
    """Return the folder of saved games; None for a user without a home."""
    data = data_folder()
    return None if data is None else data / "games"


def made_folder() -> Path | None:
    """Return the folder of saved games, made if missing; None if nothing can be written there."""
    folder = games_folder()
    if folder is not None:
        with suppress(OSError):
            folder.mkdir(mode=0o700, parents=True, exist_ok=True)
    return folder if folder is not None and os.access(folder, os.W_OK) else None


def new_path(folder: Path, ruleset: str, day: date) -> Path:
    """Return the path for a new game, with the ruleset and the day in its name."""
    for number in count(1):
        path = folder / f"{ruleset}-{day.isoformat()}-{number}{ENDING}"
        if not os.path.lexists(path):
            return path
    raise AssertionError("numbers do not end")


def saved_games() -> list[Path]:
    """Return the records of all saved games, the one that was played last first."""
    folder = games_folder()
    if folder is None or not folder.is_dir():
        return []
    found = [(_played(path), path.name, path) for path in folder.glob(f"*{ENDING}")]
    return [path for _, _, path in sorted(found, reverse=True)]


def _played(path: Path) -> int:
    try:
        return path.stat().st_mtime_ns
    except OSError:
        return 0


def path_of(name: str) -> str:
    """Return the path of a record: a file, the name of a saved game, or `last`.

    A name that is none of these is returned as it is. Raises LookupError if there is no last game.
    """
    if os.path.exists(name):
        return name
    if name == LAST:
        games = saved_games()
        if not games:
            raise LookupError("no game has been saved yet")
        return os.fspath(games[0])
    folder = games_folder()
    if folder is not None and name and os.path.basename(name) == name:
        path = folder / (name if name.endswith(ENDING) else name + ENDING)
        if path.is_file():
            return os.fspath(path)
    return name


def is_saved(path: str) -> bool:
    """Return whether a record lies in the folder of saved games, where only this program writes."""
    folder = games_folder()
    if folder is None:
        return False
    try:
        return os.path.samefile(os.path.dirname(os.path.abspath(path)), folder)
    except OSError:
        return False


class Ply(Protocol):
    """A move that was played, and whether it was fair (see `is_fair`)."""

    @property
    def by(self) -> str: ...

    @property
    def fair(self) -> bool: ...


class Undo(NamedTuple):
    """The number of moves that stay, and whether nobody gains by it.

    A record marks the next move if somebody may.
    """

    to: int
    fair: bool


def is_fair(before: Revealed, after: Revealed) -> bool:
    """Return whether a move drew nothing by chance and showed nobody a piece."""
    seen = zip(before.known, after.known, strict=True)
    return before.generator == after.generator and not any(now & ~was for was, now in seen)


def undo(plies: Sequence[Ply], humans: Collection[str]) -> Undo | None:
    """Return how far people may go back now, None if nothing may be taken back.

    The last move may be, if a person made it and it was fair. A person who plays only against bots
    may take back any move of their own, with all that followed.
    """
    if plies and plies[-1].by in humans and plies[-1].fair:
        return Undo(len(plies) - 1, True)
    if len(humans) == 1:
        for at in reversed(range(len(plies))):
            if plies[at].by in humans:
                return Undo(at, False)
    return None
