"""Moves as programs and people see and write them, compared by value and never as text."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import field
from functools import lru_cache
from itertools import permutations, product

from rulesdsl.base.records import dataclass
from rulesdsl.engine.run.interface import Candidate, Decision
from rulesdsl.language.diagnostics import Diagnostic, RulesError
from rulesdsl.language.model.checked import OptionDef
from rulesdsl.language.model.game import Declaration
from rulesdsl.language.model.geometry import drawn_shape, port_words, rotate, turned
from rulesdsl.language.model.names import option_names
from rulesdsl.language.model.values import (
    Cell,
    Face,
    Feature,
    Grid,
    Kind,
    Piece,
    Placement,
    Segment,
    Space,
    Value,
    Zone,
)
from rulesdsl.play.names import MEMORY, Place, Plain, PlainForms, Spot, UnknownPiece


class IllegalMove(ValueError):
    """An error for a move that is not legal; the message gives the reason and the legal moves."""


@dataclass(frozen=True)
class Move:
    """A legal move; `move[name]` is the argument of that name.

    Moves are equal on every engine; weight and secret do not take part in equality.
    """

    name: str
    """`choice.option` (the option's key if the choice has several of that name), `take` or `roll`.
    """
    args: Mapping[str, Plain] = field(default_factory=dict)
    """The arguments by name, in their order."""
    weight: int = field(default=1, compare=False)
    """The weight of an outcome of chance among those offered; 1 for choices."""
    secret: frozenset[str] = field(default=frozenset(), compare=False)
    """The names of arguments that only those who know them may see."""

    def __getitem__(self, name: str) -> Plain:
        """Return the argument `name`; raises KeyError if there is none."""
        return self.args[name]

    def __hash__(self) -> int:
        return hash((self.name, tuple(self.args.items())))

    def named_in(self, candidate: Candidate) -> Candidate:
        """Return the candidate of this move without the pieces of which it names only the place."""
        given = zip(self.args.values(), candidate.arguments, strict=True)
        known = tuple(own for plain, own in given if not isinstance(plain, UnknownPiece))
        return candidate._replace(arguments=known)

    @property
    def texts(self) -> dict[str, str]:
        """The arguments by name in order, as text."""
        return {name: text(value) for name, value in self.args.items()}

    def __str__(self) -> str:
        inside = ", ".join(f"{name}={shown}" for name, shown in self.texts.items())
        return f"{self.name}({inside})" if inside else self.name


def number_of(move: Move, moves: Sequence[Move]) -> int:
    """Return the number of a move in a list; raises ValueError if it is not there."""
    # It usually is one of the list, and moves take long to compare.
    found = next((number for number, each in enumerate(moves) if each is move), None)
    return moves.index(move) if found is None else found


def text(value: Plain) -> str:
    """Return a plain value as text, with booleans and none as the language writes them."""
    if value is None:
        return "none"
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, tuple) and not hasattr(value, "_fields"):
        return "{" + ", ".join(text(item) for item in value) + "}"
    return str(value)


def public_moves(decision: Decision, names: PlainForms) -> tuple[Move, ...]:
    """Return the candidates of a decision as moves, in the same order.

    Where two different values of one argument share a short form, both are written in full.
    """
    short, shared = _short_forms(decision, names)

    def form(name: str, value: Value) -> Plain:
        found = short[id(value)]
        return names.full(value) if shared and (name, _shown(found)) in shared else found

    return tuple(
        Move(
            candidate.name,
            {name: form(name, value) for name, value in candidate.arguments},
            candidate.weight,
            candidate.secret,
        )
        for candidate in decision.candidates
    )


def _short_forms(
    decision: Decision, names: PlainForms
) -> tuple[dict[int, Plain], set[tuple[str, Plain]]]:
    """Return the short form of every argument by the `id` of its value, and the ambiguous forms.

    The key is the `id` because comparing values takes longer than naming them. A form is ambiguous
    if several values of one argument share it.
    """
    short: dict[int, Plain] = {}
    first: dict[tuple[str, Plain], Value] = {}
    shared = set[tuple[str, Plain]]()
    for candidate in decision.candidates:
        for name, value in candidate.arguments:
            if id(value) not in short:
                short[id(value)] = names.short(value)
            named = name, _shown(short[id(value)])
            other = first.setdefault(named, value)
            if other is not value and other != value:
                shared.add(named)
    return short, shared


def _shown(form: Plain) -> Plain:
    """Return what the text of a form shows: of a place not its grid."""
    return form[:-1] if isinstance(form, (Place, Spot)) else form


ANYTHING = ("*", "_", "?")
"""Placeholders for any argument."""

SPOT = re.compile(
    r"(?:((?:\w+/)?\w[\w-]*(?:\[[\w/-]+\])?)(?=\())?"
    r"\(?(-?\d{1,9}), *(-?\d{1,9})(?:, *(-?\d{1,9}))?\)?"
)
"""A cell or placement, with or without the name of its grid; numbers of games are not longer."""

SEGMENT = re.compile(
    r"(?:(?P<ruleset>\w+)/)?(?P<kind>[\w-]+)"
    r"@(?P<ports>I|[NESWLCRrc0-9.]*?[NESWLCR])(?P<twin>\d*)"
    r"(?:\((?P<x>-?\d{1,9}), *(?P<y>-?\d{1,9})\)|#(?P<copy>\d{1,9}))?"
)

_RULESET = re.compile(r"\b(\w+/)")
_CALLED = re.compile(r"([\w.]+)\((.*)\)")
_NAMED = re.compile(r"(\w+)=(.+)")
_PORT = re.compile(r"(r\d+c\d+)?\.?([NS][EW]|[NESW])([LCR]?)(?:\.|\Z)")
_OPENING, _CLOSING = "([{", ")]}"

Sides = Mapping[str, frozenset[str]]
"""Lanes by side."""


# --- moves ---------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Wanted:
    """A written move: the name of its option, arguments in order, and arguments by name."""

    name: str
    ordered: tuple[str, ...]
    named: Mapping[str, object]

    def argument(self, place: int, name: str) -> object:
        """Return the value that is given for an argument; None if any value fits."""
        found = self.named.get(name)
        if found is None and place < len(self.ordered):
            found = self.ordered[place]
        return None if isinstance(found, str) and found in ANYTHING else found

    def __str__(self) -> str:
        return " ".join([self.name, *self.ordered, *(f"{k}={v}" for k, v in self.named.items())])


def wanted(line: str) -> Wanted:
    """Parse a move as scenarios, records or programs write it.

    Those are `put house village@N`, a line of a record, and `build.put(k=house, s=village@N)`.
    Raises RulesError for a line that begins with `{` and is not the line of a move.
    """
    line = line.strip()
    if line.startswith("{"):
        return _recorded(line)
    called = _CALLED.fullmatch(line)
    name, *arguments = [called[1], *_arguments(called[2])] if called else split(line, " ") or [""]
    named = {found[1]: found[2] for each in arguments if (found := _NAMED.fullmatch(each))}
    ordered = tuple(each for each in arguments if not _NAMED.fullmatch(each))
    return Wanted(name, ordered, named)


def _arguments(given: str) -> list[str]:
    """Split arguments at commas.

    No positional argument follows a named one, so `spot=-7,0,90` is a single argument.
    """
    found: list[str] = []
    for part in split(given, ","):
        if found and _NAMED.fullmatch(found[-1]) and not _NAMED.fullmatch(part):
            found[-1] += f",{part}"
        else:
            found.append(part)
    return found


def split(line: str, at: str) -> list[str]:
    """Split a line at a character outside of brackets, without empty parts."""
    parts, depth = [""], 0
    for character in line:
        depth += (character in _OPENING) - (character in _CLOSING)
        if depth <= 0 and (character == at or (at == " " and character.isspace())):
            parts.append("")
        else:
            parts[-1] += character
    return [part.strip() for part in parts if part.strip()]


def _recorded(line: str) -> Wanted:
    try:
        match json.loads(line):
            case {"move": str(name), "args": dict(arguments)}:
                return Wanted(name, (), {key: str(value) for key, value in arguments.items()})
    except (ValueError, RecursionError):
        pass
    message = "this is not a line of a record with a move"
    raise RulesError([Diagnostic("bad-argument", message, help=("write the move in words",))])


def meant(
    wanted: Wanted,
    moves: Sequence[Move],
    candidates: Sequence[Candidate],
    options: Mapping[str, OptionDef],
    names: PlainForms,
) -> list[Move]:
    """List the moves that `wanted` may mean.

    These are the moves with exactly its words, or if there are none, those with its values.
    `candidates` are the moves with their values, `options` the options of the choice by key.
    """
    called = [
        (move, candidate)
        for move, candidate in zip(moves, candidates, strict=True)
        if wanted.name in option_names(candidate.option)
    ]
    exact = [move for move, _ in called if _is_exactly(wanted, move)]
    if exact:
        return exact
    return [move for move, each in called if _is(wanted, each, options.get(each.option), names)]


def orders(
    arguments: Sequence[tuple[str, Value]], option: OptionDef | None
) -> Iterator[tuple[Value, ...]]:
    """Yield the arguments in every order that means the same: both orders of a pair."""
    values = [value for _, value in arguments]
    sizes = [len(binder.names) for binder in option.binders] if option else [1] * len(values)
    starts = [sum(sizes[:number]) for number in range(len(sizes))]
    groups = [values[start : start + size] for start, size in zip(starts, sizes, strict=True)]
    for ordered in product(*map(permutations, groups)):
        yield tuple(value for group in ordered for value in group)


def _is_exactly(wanted: Wanted, move: Move) -> bool:
    texts = move.texts
    if len(wanted.ordered) > len(texts) or not wanted.named.keys() <= texts.keys():
        return False
    given: list[tuple[object, str]] = [*zip(wanted.ordered, texts.values(), strict=False)]
    given += [(each, texts[key]) for key, each in wanted.named.items()]
    return all(each == own for each, own in given)


def _is(wanted: Wanted, candidate: Candidate, option: OptionDef | None, names: PlainForms) -> bool:
    keys = [name for name, _ in candidate.arguments]
    if len(wanted.ordered) > len(keys) or not wanted.named.keys() <= set(keys):
        return False
    given = [wanted.argument(place, name) for place, name in enumerate(keys)]
    return any(
        all(
            each is None or means(each, value, names)
            for each, value in zip(given, order, strict=True)
        )
        for order in orders(candidate.arguments, option)
    )


# --- values --------------------------------------------------------------------------------------


def means(given: object, value: Value, names: PlainForms) -> bool:
    """Return whether a written value means this value.

    It may be any of its names, its plain form, or for a place its first numbers.
    """
    if not isinstance(given, str):
        return _same(given, names.short(value))
    if (unknown := names.unknown(value)) is not None:
        return given == unknown
    match value:
        case Segment():
            return is_segment(given, value, names)
        case Feature(segment):
            features = (segments for _, segments in names.position.features())
            connected = next((each for each in features if segment in each), (segment,))
            return any(is_segment(given, each, names) for each in connected)
        case Piece():
            return _is_piece(given, value, names)
        case Cell():
            return _is_spot(given, value, None, names)
        case Placement(cell, rotation):
            return _is_spot(given, cell, names.game.degrees * rotation, names)
        case Kind(index):
            kind = names.game.kinds[index]
            return _without(given, kind) == kind.text
        case Face(index, _):
            kind, face = names.game.kinds[index], str(names.short(value))
            return _without(given, kind) in (face, f"{kind.text}:{face}")
        case Zone() | Grid() | Space():
            return _is_place(given.replace(" ", ""), value, names)
        case tuple():
            return _is_set(given, value, names)
        case _:
            return _is_name(given.replace(" ", ""), text(names.short(value)))


def _is_name(given: str, own: str) -> bool:
    """Return whether a text is a name, from which the rulesets in it may be left out."""
    if "/" not in own or given == own:
        return given == own
    ends = {0}
    for at, part in enumerate(_RULESET.split(own)):
        left_out = ends if at % 2 else set()
        ends = {end + len(part) for end in ends if given.startswith(part, end)} | left_out
    return len(given) in ends


def _same(given: object, own: Plain) -> bool:
    if isinstance(own, bool) or isinstance(given, bool):
        return own is given
    if isinstance(own, tuple) and isinstance(given, tuple | list):
        return 0 < len(given) <= len(own) and tuple(given) == own[: len(given)]
    return own == given


def _without(given: str, declared: Declaration) -> str:
    """Return a name without its ruleset, which may always be written."""
    return given.removeprefix(f"{declared.ruleset}/")


def _is_place(given: str, place: Zone | Grid | Space, names: PlainForms) -> bool:
    """Return whether a text is the name of a place, with or without its ruleset."""
    game = names.game
    declared = (
        game.zones[place.zone]
        if isinstance(place, Zone)
        else game.grids[place.grid]
        if isinstance(place, Grid)
        else game.tracks[place.track]
    )
    return _is_name(_without(given, declared), _without(str(names.short(place)), declared))


def _is_spot(given: str, cell: Cell, rotation: int | None, names: PlainForms) -> bool:
    found = SPOT.fullmatch(given)
    if found is None or (found[1] and not _is_place(found[1], Grid(cell.grid, cell.owner), names)):
        return False
    numbers = [int(each) for each in found.groups()[1:] if each is not None]
    own = [cell.x, cell.y] if rotation is None else [cell.x, cell.y, rotation]
    return numbers == own[: len(numbers)]


def _is_piece(given: str, piece: Piece, names: PlainForms) -> bool:
    """Return whether a text names a piece: its name, and if need be its place or its number."""
    kind = names.kind(piece)
    given, own = _without(given, kind), _without(str(names.short(piece)), kind)
    if not given.startswith(own):
        return False
    rest = given[len(own) :]
    faces = [f":{face.name}" for face in kind.faces]
    if rest in faces and names.hides(names.position.place_of(piece)):
        # Records from before name the face that the die last showed.
        return True
    if rest.startswith(":"):
        return means(rest[1:], names.position.place_of(piece), names)
    return rest in ("", f"#{names.game.pieces[piece.index].copy}")


def _is_set(given: str, values: tuple[Value, ...], names: PlainForms) -> bool:
    if not (given.startswith("{") and given.endswith("}")):
        return False
    left = list(values)
    for part in split(given[1:-1], ","):
        found = next((each for each in left if means(part, each, names)), None)
        if found is None:
            return False
        left.remove(found)
    return not left


# --- segments ------------------------------------------------------------------------------------


def is_segment(given: str, segment: Segment, names: PlainForms) -> bool:
    """Return whether a text names a segment, as its piece lies.

    Ports may be in any order, and the cell of the piece may be left out.
    """
    found, outline = SEGMENT.fullmatch(given), names.outline(Piece(segment.piece))
    if found is None or outline is None:
        return False
    own = outline.segments[segment.index]
    ruleset, _, kind = own.kind.rpartition("/")
    if found["kind"] != kind or found["ruleset"] not in (None, ruleset):
        return False
    laid = names.position.placement_of(Piece(segment.piece))
    if found["copy"] and (laid or int(found["copy"]) != names.game.pieces[segment.piece].copy):
        return False
    if found["x"] and (
        laid is None or found["x"] + "," + found["y"] != f"{laid.cell.x},{laid.cell.y}"
    ):
        return False
    name = names.segment(segment).rpartition("@")[2]
    if not own.ports:
        return found["ports"] == "I" and name.endswith(found["twin"])
    rotation = laid.rotation if laid else 0
    ports = [rotate(port, rotation, outline.size) for port in own.ports]
    drawn = port_words(ports, drawn_shape(ports), turned(outline.size, rotation))
    held, shown, wanted = sides(name), sides(".".join(drawn)), sides(found["ports"])
    return (
        not found["twin"]
        and wanted.keys() == held.keys()
        and all(lanes in (held[side], shown[side]) for side, lanes in wanted.items())
    )


@lru_cache(MEMORY)
def sides(ports: str) -> Sides:
    """Return the lanes by side in the text of ports; nothing if it is not the text of ports."""
    found: dict[str, frozenset[str]] = {}
    at = 0
    while at < len(ports):
        word = _PORT.match(ports, at)
        if word is None:
            return {}
        side = f"{word[1] or ''}{word[2]}"
        found[side] = found.get(side, frozenset()) | {word[3]}
        at = word.end()
    return found
