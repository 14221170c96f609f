"""Whole games of the reference engine over the runtime, in which the plain world does the same."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from rulesdsl.engines.reference import board as boards
from rulesdsl.engines.reference import effects as reference_effects
from rulesdsl.engines.reference import evaluate, machine, position, statements
from rulesdsl.engines.reference.builtins import builtin_of
from rulesdsl.engines.reference.position import ReferencePosition, start
from rulesdsl.engines.reference.world import World

from rulesdsl.engines.rng import Rng
from rulesdsl.engines.words.box import Absent as BuiltinFault
from rulesdsl.model.checked import CallBuiltin
from rulesdsl.model.values import Piece, Segment, Zone
from tests.oracle import board, builtins, chance, effects
from tests.oracle.world import World as PlainWorld
from tests.runtime.worlds import Worlds
from tests.small_games import built

ROOT = Path(__file__).parents[2]
GAMES = (
    *("rulesets/base.yaml", "rulesets/inns_and_cathedrals.yaml", "rulesets/robbers.yaml"),
    *("rulesets/traders_and_builders.yaml", "rulesets/hills_and_sheep.yaml"),
    *("rulesets/card_game.yaml", "rulesets/dice_game.yaml"),
    *("tests/games/mosaic.yaml", "tests/games/stones.yaml", "tests/games/vault.yaml"),
    *("tests/games/deltas.yaml", "tests/games/shards.yaml"),
)
DECISIONS = 80


class Pair(World):
    """A world that compares everything it is asked and does with the plain world.

    `done` counts the builtins, and those that failed.
    """

    plain: PlainWorld
    done: Counter[tuple[str, bool]]

    def __init__(self, checked: Any, players: int) -> None:
        super().__init__(checked, players)
        self.plain = PlainWorld(checked.game, players)
        self.done = Counter()

    def clone(self) -> Pair:
        clone = super().clone()
        assert isinstance(clone, Pair)
        clone.plain = self.plain.clone()
        return clone

    def same(self, name: str, ours: Callable[[], Any], plain: Callable[[], Any]) -> Any:
        """Both give the same, or fail for the same reason; gives what they give."""
        found, expected = outcome(ours), outcome(plain)
        self.done[name, isinstance(found, BuiltinFault)] += 1
        if isinstance(found, BuiltinFault):
            assert isinstance(expected, BuiltinFault), (name, found, expected)
            assert found.message == expected.message
            raise found
        assert found == expected, name
        return found


def outcome(call: Callable[[], Any]) -> Any:
    try:
        return call()
    except BuiltinFault as fault:
        return fault


def compare(world: Pair) -> None:
    """Everything is where it is in the plain world."""
    found = Worlds(world.encoding, world.plain).read(world.tables())
    for name in ("places", "zones", "faces", "known", "face_down", "shuffled", "links", "unlinks"):
        assert getattr(found, name) == getattr(world.plain, name), name


@pytest.fixture
def paired() -> Iterator[None]:
    """Worlds of the reference engine are pairs; what is asked and done is compared."""
    boards._boards.clear()
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(position, "World", Pair)
        patch.setattr(evaluate, "builtin_of", _paired_builtin)
        _pair(patch, evaluate, "attribute", builtins.attribute)
        _pair(
            patch, evaluate, "pieces_in", lambda *given: tuple(sorted(builtins.pieces_in(*given)))
        )
        _pair(patch, evaluate, "feature_of", lambda world, f: board.feature_of(world, f.segment))
        _pair(patch, evaluate, "feature_kind", board.kind)
        _pair(patch, evaluate, "in_place", _in_place)
        for module in (statements, machine, position):
            _pair(patch, module, "perform", effects.perform)
        _pair(patch, reference_effects, "take", chance.take)
        _pair(patch, reference_effects, "take_outcomes", chance.take_outcomes)
        yield
    boards._boards.clear()


def _pair(patch: pytest.MonkeyPatch, module: Any, name: str, plain: Callable[..., Any]) -> None:
    ours = getattr(module, name)

    def both(world: Pair, *given: Any) -> Any:
        asked = f"{name} {given[0]}" if name == "perform" else name
        return world.same(asked, lambda: ours(world, *given), lambda: plain(world.plain, *given))

    patch.setattr(module, name, both)


def _pieces_in(world: PlainWorld, zone: Zone) -> tuple[Piece, ...]:
    return tuple(sorted(builtins.pieces_in(world, zone)))


def _in_place(world: PlainWorld, things: list[Any]) -> list[Any]:
    return sorted(things, key=lambda thing: board.in_place(world, thing))


def _paired_builtin(on: boards.BoundBoard, node: CallBuiltin) -> Callable[..., Any]:
    ours = builtin_of(on, node)

    def both(world: Pair, *given: Any) -> Any:
        return world.same(
            node.function,
            lambda: ours(world, *given),
            lambda: builtins.call(world.plain, node.function, given, node.type),
        )

    return both


def played(name: str, seed: int, decisions: int) -> ReferencePosition:
    """A random game, at its end or after so many decisions."""
    checked = built(ROOT / name)
    position, rng = start(checked, max(checked.game.numbers), seed), Rng.seeded(seed)
    for _ in range(decisions):
        if position.decision is None:
            break
        position.play(rng.below(len(position.decision.candidates)))
        world = position.runtime.world
        assert isinstance(world, Pair)
        compare(world)
    return position


@pytest.mark.parametrize("seed", [0, *(pytest.param(n, marks=pytest.mark.long) for n in (1, 2))])
@pytest.mark.parametrize("name", GAMES)
@pytest.mark.usefixtures("paired")
def test_the_runtime_does_in_games_what_the_plain_world_does(name: str, seed: int) -> None:
    position = played(name, seed, DECISIONS)
    world = position.runtime.world
    assert isinstance(world, Pair)
    assert sum(world.done.values()) > DECISIONS
    laid = [s for piece in world.plain.laid() for s in board.segments(world.plain, piece)]
    expected = board.features_of(world.plain, laid)
    assert world.features() == expected
    for feature in expected:
        assert world.segments(feature) == board.feature_segments(world.plain, feature)
    assert all(isinstance(segment, Segment) for segment in laid)
