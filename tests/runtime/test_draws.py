"""What may come out of zones and dice, and which moves are one: as in the plain world."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from rulesdsl.engine.lower.tables.encoding import most_segments
from rulesdsl.engine.run.rng import Rng
from rulesdsl.engine.run.words.world import Place
from rulesdsl.engine.runtime import draws, faults, heap, likeness, tables
from rulesdsl.engine.runtime import rng as generator
from rulesdsl.language.model.types import FACE, PIECE, ZONE
from rulesdsl.language.model.values import Face, Feature, Piece, Segment, Value, Zone, order_key
from tests.oracle import chance
from tests.oracle.evaluate import StateKey
from tests.oracle.likeness import Likeness
from tests.oracle.table import PlainTable
from tests.runtime.handmade import lay_out
from tests.runtime.player import Player
from tests.runtime.test_heap import made
from tests.runtime.twins import GAMES, Twins, game_of

PAIRS = [(name, players) for name, counts in GAMES.items() for players in counts]
SEEDS = st.integers(0, 10**6)
ROOM = 500
"""How many numbers `moves` holds here."""


class Moment:
    """A random position in which some pieces are named, and some have a state of their own."""

    def __init__(self, name: str, players: int, seed: int, steps: int) -> None:
        self.twins = Twins(name, players)
        self.rng = Rng.seeded(seed)
        player = Player(self.twins, self.rng)
        for _ in range(steps):
            player.step()
        tables.top[0] = -1
        tables.asked_seat[0] = 0
        tables.moves[:] = [0] * ROOM
        pieces = self.twins.world.box.pieces
        self.named = [p for p in pieces if seed % 3 == 0 and self.rng.below(12) == 0]
        self.stated = {p: self.rng.below(2) for p in pieces if seed % 2 and self.rng.below(8) == 0}
        tables.rng[:] = self.rng.state

    def likeness(self) -> Likeness:
        states: dict[StateKey, Value] = {
            ("state", piece, ()): value for piece, value in self.stated.items()
        }
        return Likeness(self.twins.world, states, self.named, seat=0)

    def numbers(self, place: Place) -> tuple[int, int]:
        return self.twins.worlds.number(place), self.twins.worlds.spot(place)

    @contextmanager
    def hooks(self) -> Iterator[None]:
        """The runtime knows the same names and states."""

        def mark_states() -> None:
            for piece in self.named:
                likeness.name_piece(piece.index)

        def same_states(a: int, b: int) -> bool:
            return self.stated.get(Piece(a)) == self.stated.get(Piece(b))

        with pytest.MonkeyPatch.context() as patch:
            patch.setattr(likeness, "mark_states", mark_states)
            patch.setattr(likeness, "same_states", same_states)
            patch.setattr(draws, "stateful", lambda: -1 if self.stated else 0)
            yield

    def rows(self) -> list[tuple[Value, int]]:
        """The outcomes that were offered, with their weights."""
        assert tables.move_width[0] == 2
        flat = tables.moves[: 2 * tables.move_count[0]]
        return list(zip(map(Piece, flat[1::2]), flat[::2], strict=True))


def take_drawn(moment: Moment, zone: Zone) -> Piece:
    """The plain world takes from a zone."""
    world, key = moment.twins.world, moment.likeness().key
    found = chance.take_outcomes(world, zone, key)
    weights = [weight for _, weight in found]
    index = moment.rng.weighted(weights) if len(found) > 1 else 0
    chance.take(world, zone, found[index][0], key)
    return found[index][0]


def encoded(moment: Moment, zone: Zone) -> int:
    return moment.twins.encoding.encode(zone, ZONE)


@pytest.mark.parametrize(("name", "players"), PAIRS)
@settings(max_examples=8)
@given(seed=SEEDS)
def test_the_same_pieces_may_come_out_and_come_out(name: str, players: int, seed: int) -> None:
    moment = Moment(name, players, seed, steps=25)
    world = moment.twins.world
    with moment.hooks():
        for zone in [zone for zone in world.box.zones for _ in range(3)]:
            number = encoded(moment, zone)
            if not world.zones[zone]:
                with pytest.raises(faults.Fault) as fault:
                    draws.draw(draws.TAKE, number)
                assert fault.value.code == faults.EMPTY
                continue
            offered = chance.take_outcomes(world, zone, moment.likeness().key)
            assert draws.take_open(number) == len(offered)
            draws.offer(draws.TAKE, number)
            assert moment.rows() == offered
            check_taking(moment, zone, offered)
            moment.twins.compare()
            assert tuple(tables.rng) == moment.rng.state


def check_taking(moment: Moment, zone: Zone, offered: list[tuple[Piece, int]]) -> None:
    """Take a piece, drawn or chosen, with both."""
    number, key = encoded(moment, zone), moment.likeness().key
    tables.resolves[0] = moment.rng.below(2)
    tables.rng[:] = moment.rng.state
    if tables.resolves[0] == 1 or len(offered) == 1:
        wanted = take_drawn(moment, zone)
        assert draws.draw(draws.TAKE, number) == wanted.index
        return
    assert draws.draw(draws.TAKE, number) == draws.OFFERED
    chosen = offered[moment.rng.below(len(offered))][0]
    tables.rng[:] = moment.rng.state
    chance.take(moment.twins.world, zone, chosen, key)
    draws.resolve(draws.TAKE, number, chosen.index)


def test_all_pieces_come_out_one_by_one() -> None:
    moment = Moment("rulesets/base.yaml", 2, 1, steps=0)
    moment.stated.clear()
    world = moment.twins.world
    zone = max(world.zones, key=lambda zone: len(world.zones[zone]))
    count = len(world.zones[zone])
    with moment.hooks():
        for _ in range(count):
            wanted = take_drawn(moment, zone)
            assert draws.take_drawn(encoded(moment, zone)) == wanted.index
        moment.twins.compare()
    assert count > 50
    assert not world.zones[zone]


def test_what_is_no_outcome_is_not_taken() -> None:
    moment = Moment("plain", 2, 1, steps=0)
    world = moment.twins.world
    zone = max(world.zones, key=lambda zone: len(world.zones[zone]))
    leads = {piece for piece, _ in chance.take_outcomes(world, zone, lambda piece: None)}
    other = next(piece for piece in world.zones[zone] if piece not in leads)
    with pytest.raises(faults.Fault) as fault:
        draws.resolve(draws.TAKE, encoded(moment, zone), other.index)
    assert fault.value.code == faults.ELSEWHERE
    for absent in (-1, tables.ZONES[0]):
        with pytest.raises(faults.Fault) as fault:
            draws.take_open(absent)
        assert fault.value.code == faults.ABSENT


def test_like_pieces_need_not_lie_side_by_side() -> None:
    moment = Moment("plain", 2, 1, steps=0)
    world = moment.twins.world
    tables.LIKE_RUNS[0] = 0
    moment.stated.clear()
    with moment.hooks():
        for zone, inside in world.zones.items():
            for _ in inside:
                tables.rng[:] = moment.rng.state
                wanted = take_drawn(moment, zone)
                assert draws.take_drawn(encoded(moment, zone)) == wanted.index
    moment.twins.compare()


def quiet(name: str = "plain") -> tuple[Moment, PlainTable]:
    """Everything where it begins, nothing named, no states; and all there is by name."""
    moment = Moment(name, 2, 1, steps=0)
    moment.stated.clear()
    return moment, PlainTable(moment.twins.world)


def take_all(moment: Moment, zone: Zone, times: int) -> None:
    """Take so often with both, comparing each time."""
    with moment.hooks():
        for _ in range(times):
            wanted = take_drawn(moment, zone)
            assert draws.take_drawn(encoded(moment, zone)) == wanted.index
            moment.twins.compare()


def test_what_was_shown_in_a_shuffled_zone_stays_until_it_is_the_last() -> None:
    moment, names = quiet()
    stack = names.read("stack")
    for tile in ("cap#1", "bend#1", "cap#2", "ends#1", "bend#2", "cap#3"):
        moment.twins.do("move", names.read(tile), stack)
    moment.twins.do("shuffle", stack)
    for tile in ("bend#1", "cap#1"):
        moment.twins.do("reveal", names.read(tile))
    take_all(moment, stack, 6)


def test_copies_that_could_not_be_exchanged_can_be_after_one_was_taken() -> None:
    moment, names = quiet()
    for step in ("shuffle pile", "reveal sun#1", "move sun#1 chest[red]", "shuffle chest[red]",
                 "move sun#1 pile", "reveal sun#2", "move sun#2 chest[blue]"):  # fmt: skip
        effect, *words = step.split()
        moment.twins.do(effect, *(names.read(word) for word in words))
    world = moment.twins.world
    sun, other = names.read("sun#1"), names.read("sun#3")
    assert world.known[sun] == world.known[other]
    assert world.pools[sun] != world.pools[other]
    with moment.hooks():
        chance.take(world, names.read("pile"), sun, moment.likeness().key)
        draws.take_piece(encoded(moment, names.read("pile")), sun.index)
    assert world.pools[sun] == world.pools[other]
    moment.twins.compare()


# --- dice ----------------------------------------------------------------------------------------


def test_dice_show_one_of_their_faces() -> None:
    twins = Twins("plain", 2)
    world = twins.world
    drawn = Rng.seeded(5)
    tables.rng[:] = drawn.state
    for die in [die for die in world.faces for _ in range(4)]:
        kind = world.box.piece(die).kind
        count = len(world.box.kind(die).faces)
        faces = [twins.encoding.encode(Face(kind, index), FACE) for index in range(count)]
        assert draws.roll_open(die.index) == count
        tables.resolves[0] = 0
        assert draws.draw(draws.ROLL, die.index) == (draws.OFFERED if count > 1 else faces[0])
        draws.offer(draws.ROLL, die.index)
        assert tables.moves[: 2 * count] == [n for face in faces for n in (1, face)]
        assert (tables.move_width[0], tables.move_count[0]) == (2, count)
        draws.resolve(draws.ROLL, die.index, faces[-1])
        assert tables.face[die.index] == count - 1
        tables.resolves[0] = 1
        wanted = drawn.below(count) if count > 1 else 0
        assert draws.draw(draws.ROLL, die.index) == faces[wanted]
        assert tables.face[die.index] == wanted
    assert tuple(tables.rng) == drawn.state


def test_a_die_that_nobody_plays_is_not_rolled() -> None:
    twins = Twins("plain", 2)
    die = next(iter(twins.world.faces)).index
    tables.piece_in[die] = 0
    try:
        with pytest.raises(faults.Fault) as fault:
            draws.draw(draws.ROLL, die)
    finally:
        tables.piece_in[die] = 1
    assert fault.value.code == faults.ABSENT


def test_a_bound_is_drawn_only_where_it_matters() -> None:
    lay_out({"pieces": 1})
    tables.rng[:] = (1, 2, 3, 4)
    assert generator.below(1) == 0
    assert tuple(tables.rng) != (1, 2, 3, 4)


# --- moves ---------------------------------------------------------------------------------------

ARGUMENTS = ("plain", "piece", "segment", "feature", "optional piece", "optional segment")


def argument(moment: Moment, kind: str) -> Any:
    """A random argument of a move."""
    rng, box = moment.rng, moment.twins.world.box
    if kind == "plain":
        return rng.below(2)
    if kind.startswith("optional") and rng.below(3) == 0:
        return None
    pieces = [p for p in box.pieces if most_segments(box.kind(p)) or "piece" in kind]
    common = [p for p in pieces if rng.below(3) == 0] or pieces
    piece = common[rng.below(min(4, len(common)))]
    if "piece" in kind:
        return piece
    segment = Segment(piece.index, rng.below(min(2, most_segments(box.kind(piece)))))
    return Feature(segment) if kind == "feature" else segment


@pytest.mark.parametrize(("name", "players"), PAIRS)
@settings(max_examples=12)
@given(seed=SEEDS, kinds=st.lists(st.sampled_from(ARGUMENTS), min_size=1, max_size=3))
def test_the_same_moves_are_one(name: str, players: int, seed: int, kinds: list[str]) -> None:
    if not any(most_segments(kind) for kind in game_of(name).game.kinds):
        kinds = [kind if "e" not in kind[:2] and kind != "feature" else "piece" for kind in kinds]
        kinds = ["piece" if "segment" in kind else kind for kind in kinds]
    moment = Moment(name, players, seed, steps=30)
    encoding = moment.twins.encoding
    width = 1 + len(kinds)
    count = 60 // width - 1
    asked = [tuple(argument(moment, kind) for kind in kinds) for _ in range(count)]
    like, shapes = moment.likeness(), set[object]()
    asked = sorted(dict.fromkeys(asked), key=order_key)
    wanted = []
    for move in sorted(asked, key=lambda move: like.order(move, moment.numbers)):
        shape = like.shape(move)
        if shape not in shapes:
            shapes.add(shape)
            wanted.append(move)

    def row(move: tuple[Value, ...]) -> list[int]:
        return [7, *(encoding.encode(value, PIECE) for value in move)]

    codes = {"plain": 0, "piece": likeness.PIECE, "optional piece": likeness.PIECE}
    packed = sum(codes.get(kind, likeness.PART) << 2 * at for at, kind in enumerate(kinds))
    tables.moves[:] = [-5] * ROOM
    tables.moves[width : width * (len(asked) + 1)] = [n for move in asked for n in row(move)]
    with moment.hooks():
        left = likeness.fuse(1, width, len(asked), packed)
    found = [tables.moves[width * at : width * (at + 1)] for at in range(left + 1)]
    assert found == [[-5] * width, *(row(move) for move in wanted)]
    assert tables.heap_top[0] == 0


@pytest.mark.parametrize("seed", [20, 21])
def test_pieces_are_alike_where_the_plain_world_says_so(seed: int) -> None:
    moment = Moment("plain", 2, seed, steps=60)
    names = PlainTable(moment.twins.world)
    for step in ("coin#1; free (50, 50)", "coin#2; free (51, 50)", "coin#3; free (50, 50)",
                 "cap#1; stack", "cap#2; stack", "bend#1; shelf", "bend#2; shelf"):  # fmt: skip
        moment.twins.do("move", *(names.read(word) for word in step.split("; ")))
    pieces = moment.twins.world.box.pieces
    sort = moment.likeness().sort
    with moment.hooks():
        likeness.mark_named(True)
        for a in pieces:
            for b in pieces:
                assert likeness.alike(a.index, b.index) == (sort(a) == sort(b))


# --- names ---------------------------------------------------------------------------------------


def test_frames_name_what_their_slots_hold(monkeypatch: pytest.MonkeyPatch) -> None:
    lay_out(
        {
            "pieces": 20,
            "segments": 40,
            "stack": 30,
            "store": 99,
            "heap": 99,
            "points": 2,
            "lives": 7,
        },
        live_first=[0, 6, 7],
        live_slot=[2, 3, 4, 5, 6, 8, 2],
        live_what=[0, 1, 2, 3, 4, 5, 0],
        segment_piece=[n // 2 for n in range(40)],
    )
    for name in ("mark_states", "mark_queue"):
        monkeypatch.setattr(likeness, name, lambda: None)

    def keep_all(*sets: tuple[int, list[int]]) -> None:
        for slot, items in sets:
            heap.save(slot, made(items))

    tables.stack[0:2] = [1, -1]
    tables.stack[2] = -1
    tables.stack[4:6] = [0, 0]
    tables.stack[6:8] = [1, 5]
    keep_all((8, [2, 3]), (9, [8, 9, 10]), (10, [11, 12, 13]), (12, [28, 30, 33]))
    tables.stack[11] = 1
    tables.stack[13] = 2
    tables.top[0] = 4
    likeness.mark_named(True)
    assert sorted(named()) == [1, 2, 3, 4, 5, 12, 13, 16]
    tables.top[0] = -1
    likeness.mark_named(True)
    assert named() == []


def test_hooks_name_what_states_and_calls_name(monkeypatch: pytest.MonkeyPatch) -> None:
    lay_out(
        {"pieces": 20, "segments": 40, "stack": 30, "store": 99, "heap": 99},
        segment_piece=[n // 2 for n in range(40)],
    )

    def mark_states() -> None:
        for piece in (3, -1, 3):
            likeness.name_piece(piece)
        for segment in (17, -1):
            likeness.name_segment(segment)

    def mark_queue() -> None:
        for piece in (4, 6):
            likeness.name_piece(piece)
        for segment in (10, 11):
            likeness.name_segment(segment)

    monkeypatch.setattr(likeness, "mark_states", mark_states)
    monkeypatch.setattr(likeness, "mark_queue", mark_queue)
    tables.top[0] = -1
    likeness.mark_named(True)
    assert sorted(named()) == [3, 4, 5, 6, 8]


def named() -> list[int]:
    found = tables.named_pieces[: tables.named_count[0]]
    marked = [p for p, stamp in enumerate(tables.named) if stamp == tables.named_now[0]]
    assert sorted(found) == marked
    return found
