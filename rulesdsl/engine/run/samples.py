"""Samples of positions over the tables of the runtime: hidden information is drawn at random.

Hidden pieces of one class and owner that were mixed with each other exchange places. Orientation,
the players who know a piece and what players were told go with the place, and its states go with
the piece. A piece comes only to places of which what the player was told is so of it. Pieces with
segments on a grid are visible and stay. The faces of hidden dice are drawn by their counts.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import reduce
from operator import and_

from rulesdsl.engine.run.interface import Revealed, ToldAnswer
from rulesdsl.engine.run.rng import Rng
from rulesdsl.engine.runtime.tables import LAID, NOWHERE, ON_CELL, UNSEEN
from rulesdsl.language.model.flow import Answers
from rulesdsl.language.model.tables import Tables

TRIES = 64
"""The number of draws of a sample: one in which the pending decision cannot be is drawn anew.

If there is none in which it can be, everything stays where it is.
"""

_WITH_PLACE = ("place", "spot", "known", "face_down", "shuffled")
"""The columns of a piece that depend on its place."""


def shown(tables: Tables, generator: Iterable[int]) -> Revealed:
    """Return the state of the generator, and who knows which piece by the tables of a position."""
    places = zip(tables["place"], tables["known"], strict=True)
    known = [-1 if at == NOWHERE else known for at, known in places]
    return Revealed(tuple(generator), (*known, *tables["told"]))


def told(
    tables: Tables, answers: Mapping[str, Answers], piece: int, seat: int
) -> tuple[ToldAnswer, ...]:
    """Return what a player was told of a piece, see `Position.told`.

    If the value of an attribute is known, other values are left out.
    """
    return told_answers(tables, answers, piece, heard(tables, piece, seat))


def told_answers(
    tables: Tables, answers: Mapping[str, Answers], piece: int, bits: int
) -> tuple[ToldAnswer, ...]:
    """Return answers about a piece, from their bits."""
    so = bits & tables["piece_answers"][piece]
    found = []
    for key, each in answers.items() if bits else ():
        own = so & each.mask or bits & each.mask
        for at, value in enumerate(each.values):
            if own >> each.first + at & 1:
                found.append(ToldAnswer(key, value, bool(so & each.mask)))
    return tuple(found)


def heard(tables: Tables, piece: int, seat: int) -> int:
    """Return the answers that a player was told about a piece that is hidden from this player."""
    if not tables["ANSWERS"][0] or tables["place"][piece] == NOWHERE:
        return 0
    known = tables["known"][piece] >> seat & 1
    return 0 if known else tables["told"][piece * tables["PLAYERS"][0] + seat]


def heard_by_all(tables: Tables, piece: int) -> int:
    """Return the answers that all players who do not know a piece were told about it."""
    everybody = range(tables["PLAYERS"][0])
    unknowing = [seat for seat in everybody if not tables["known"][piece] >> seat & 1]
    return reduce(and_, (heard(tables, piece, seat) for seat in unknowing)) if unknowing else 0


def unknown_at(tables: Tables, piece: int, seat: int) -> int | None:
    """Return the position of a piece that a player does not know, see `Position.unknown_at`."""
    place = tables["place"][piece]
    if place == NOWHERE or tables["known"][piece] >> seat & 1:
        return None
    if not (0 <= place < tables["ZONES"][0] and tables["zone_keeps"][place]):
        return 0
    return 1 + listed(tables, place).index(piece)


def differs(tables: Tables, seat: int) -> bool:
    """Return whether samples for a player can differ from each other."""
    spot = spots(tables, seat)
    return any(
        len(set(map(spot, group))) > 1 or any(len(set(_faces(tables, each))) > 1 for each in group)
        for group in hidden(tables, seat)
    )


def draw(
    tables: Tables, seat: int, rng: Rng, groups: Sequence[list[int]] | None = None
) -> dict[int, int]:
    """Return the piece that takes the place of each hidden one, drawn at random.

    Positions that look the same to `seat` give the same samples. `groups` are those of `hidden`, if
    they are known.
    """
    becomes: dict[int, int] = {}
    spot, answers = spots(tables, seat), tables["ANSWERS"][0]
    for group in hidden(tables, seat) if groups is None else groups:
        # Sorted by place, so that the hidden arrangement does not influence the result.
        places = sorted(group, key=spot)
        asked = places if answers else ()
        told = {piece: bits for piece in asked if (bits := heard(tables, piece, seat))}
        chosen = fitting(tables, told, group, rng) if told else {}
        left = set(group).difference(chosen.values())
        free = [piece for piece in places if piece not in told]
        becomes.update(chosen)
        becomes.update(zip(free, rng.shuffled(sorted(left)), strict=True))
    return becomes


def fitting(
    tables: Tables, told: Mapping[int, int], group: Sequence[int], rng: Rng
) -> dict[int, int]:
    """Return pieces of a group for the places of those of which a player was told something.

    All choices are equally likely, unless so few fit that they have to be searched for.
    """
    so = tables["piece_answers"]
    fits = {
        old: [new for new in group if not (so[new] ^ so[old]) & bits] for old, bits in told.items()
    }
    for _ in range(TRIES):
        chosen = {old: pieces[rng.below(len(pieces))] for old, pieces in fits.items()}
        if len(set(chosen.values())) == len(chosen):
            return chosen
    at = dict[int, int]()
    mixed = {old: rng.shuffled(pieces) for old, pieces in fits.items()}
    for old in mixed:
        _find_room(old, mixed, at, set())
    return {old: new for new, old in at.items()}


def _find_room(
    old: int, fits: Mapping[int, Sequence[int]], at: dict[int, int], tried: set[int]
) -> bool:
    """Give a place a piece that fits, and other places other pieces if that needs them.

    `at` has the place of each piece that is chosen, and `tried` those that were tried.
    """
    for new in fits[old]:
        if new not in tried:
            tried.add(new)
            if new not in at or _find_room(at[new], fits, at, tried):
                at[new] = old
                return True
    return False


def exchange(tables: Tables, becomes: dict[int, int], rng: Rng) -> bool:
    """Give every piece the place of another one, by a permutation, and draw the faces of dice.

    Returns whether derived tables must be made again with `rebuild`.
    """
    _move(tables, becomes)
    for piece in sorted(becomes) if any(tables["kind_faces"]) else ():
        if faces := _faces(tables, piece):
            tables["face"][piece] = faces[rng.below(len(faces))]
    first, place = tables["ZONES"][0] + tables["SPACES"][0], tables["place"]
    return max(map(place.__getitem__, becomes), default=-1) >= first


def _faces(tables: Tables, piece: int) -> list[int]:
    """Return the faces that a hidden die may show where it is, each as often as it has it.

    It shows the first one in a zone that nobody sees. There are none for a piece without faces.
    """
    place, kind = tables["place"][piece], tables["piece_kind"][piece]
    first, count = tables["kind_face"][kind], tables["kind_faces"][kind]
    if count and 0 <= place < tables["ZONES"][0] and tables["zone_visible"][place] == UNSEEN:
        return [0]
    return [face for face in range(count) for _ in range(tables["face_count"][first + face])]


def hidden(tables: Tables, seat: int) -> list[list[int]]:
    """Return groups of pieces that a player cannot tell apart."""
    columns = zip(tables["piece_in"], tables["known"], tables["place"], strict=True)
    unseen = [
        piece
        for piece, (there, known, place) in enumerate(columns)
        if there and not known >> seat & 1 and place != NOWHERE and place != LAID
    ]
    pool, cls, owner = tables["pool"], tables["piece_class"], tables["piece_seat"]
    groups: dict[tuple[int, int, int], list[int]] = {}
    for piece in unseen:
        groups.setdefault((pool[piece], cls[piece], owner[piece]), []).append(piece)
    return list(groups.values())


def spots(tables: Tables, seat: int) -> Callable[[int], tuple[int, ...]]:
    """Return a function that gives the spot of a piece.

    A spot is the place of a piece and everything that depends on it, without the identity of the
    piece, except for what the player was told of it.
    """
    players = tables["PLAYERS"][0] if tables["ANSWERS"][0] else 0
    place, at, known, down, shuffled = (tables[name] for name in _WITH_PLACE)
    order = [0] * len(shuffled)
    for zone, keeps in enumerate(tables["zone_keeps"]):
        for number, piece in enumerate(listed(tables, zone) if keeps else ()):
            order[piece] = 0 if shuffled[piece] else number
    for pile in _piles(tables):
        for number, piece in enumerate(pile):
            order[piece] = number
    found = list(zip(place, at, order, known, down, shuffled, strict=True))

    def spot(piece: int) -> tuple[int, ...]:
        told = tables["told"][piece * players : (piece + 1) * players]
        so = tables["piece_answers"][piece] & heard(tables, piece, seat)
        return *found[piece], so, *told

    return spot if players else found.__getitem__


def level(tables: Tables, piece: int) -> int:
    """Return the number of pieces below one on a cell that keeps order."""
    found = 0
    while tables["place"][piece] == ON_CELL and (piece := tables["piece_before"][piece]) >= 0:
        found += 1
    return found


def _piles(tables: Tables) -> list[list[int]]:
    """Return the pieces on each cell from the lowest one up; alone where cells keep no order."""
    found, places = list[list[int]](), tables["place"]
    before, after = tables["piece_before"], tables["piece_next"]
    for piece, place in enumerate(places if ON_CELL in places else ()):
        if place == ON_CELL and before[piece] < 0:
            pile = [piece]
            while (above := after[pile[-1]]) >= 0:
                pile.append(above)
            found.append(pile)
    return found


def listed(tables: Tables, place: int) -> list[int]:
    """Return the pieces at a place, in the order of its list."""
    found, after = [], tables["piece_next"]
    piece = tables["head"][place]
    while piece >= 0:
        found.append(piece)
        piece = after[piece]
    return found


def _move(tables: Tables, becomes: dict[int, int]) -> None:
    """Give every piece the place of another one, by a permutation."""
    places = {tables["place"][piece] for piece in becomes}
    lists = {at: listed(tables, at) for at in sorted(places) if at >= 0}
    piles = _piles(tables) if ON_CELL in places else []
    changed = {old: new for old, new in becomes.items() if old != new}
    for name in _WITH_PLACE if changed else ():
        table = tables[name]
        before = {new: table[old] for old, new in changed.items()}
        for piece, value in before.items():
            table[piece] = value
    if tables["ANSWERS"][0]:
        players, told = tables["PLAYERS"][0], tables["told"]
        rows = {new: told[old * players : (old + 1) * players] for old, new in changed.items()}
        for piece, row in rows.items():
            told[piece * players : (piece + 1) * players] = row
    shuffled, keeps, zones = tables["shuffled"], tables["zone_keeps"], tables["ZONES"][0]
    for at, pieces in lists.items():
        now = [becomes.get(piece, piece) for piece in pieces]
        ordered = at < zones and keeps[at]
        loose = iter(sorted(piece for piece in now if not ordered or shuffled[piece]))
        order = [next(loose) if not ordered or shuffled[piece] else piece for piece in now]
        if order != pieces:
            tables["head"][at], tables["tail"][at] = order[0], order[-1]
            _chain(tables, order)
    for pile in piles:
        _chain(tables, [becomes.get(piece, piece) for piece in pile])


def _chain(tables: Tables, order: list[int]) -> None:
    """Link pieces with those before and after them."""
    before, after, last = tables["piece_before"], tables["piece_next"], -1
    for piece in order:
        before[piece] = last
        if last >= 0:
            after[last] = piece
        last = piece
    after[last] = -1
