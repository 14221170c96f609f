"""Random games: the plain world, read from the tables, answers as the program does."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from rulesdsl.engine.run.interface import Candidate, Decision, PlayError
from rulesdsl.engine.run.position import LoweredPosition
from rulesdsl.engine.run.python.games import ENGINE as python
from rulesdsl.engine.run.rng import Rng
from rulesdsl.engine.run.words.box import Absent
from rulesdsl.engine.runtime import faults
from rulesdsl.language.model.checked import (
    CallBuiltin,
    CallValue,
    Checked,
    Expr,
    Local,
    OptionDef,
    walk,
)
from rulesdsl.language.model.types import (
    BOOL,
    CELL,
    FACE,
    FEATURE,
    GRID,
    KIND,
    PIECE,
    PIECE_CLASSES,
    PLACEMENT,
    PLAYER,
    SEGMENT,
    SPACE,
    ZONE,
    EnumType,
    IntType,
    NamedType,
    OptionalType,
    SetType,
    Type,
)
from rulesdsl.language.model.values import (
    EnumMember,
    Face,
    Kind,
    Player,
    Value,
    as_set,
)
from tests.oracle import board
from tests.oracle.drawing import Drawing, Nothing
from tests.oracle.effects import EFFECTS, perform
from tests.oracle.evaluate import Context, Scope, body_result, each
from tests.oracle.likeness import Likeness
from tests.oracle.world import World
from tests.runtime.worlds import Worlds
from tests.small_games import built

Values = tuple[Value, ...]
Question = tuple[Expr, list[tuple[str, Type]]]
"""An expression, and its locals with their types."""

ROOT = Path(__file__).parents[2]
GAMES = (
    *("rulesets/base.yaml", "rulesets/inns_and_cathedrals.yaml", "rulesets/robbers.yaml"),
    *("rulesets/traders_and_builders.yaml", "rulesets/hills_and_sheep.yaml"),
    *("rulesets/card_game.yaml", "rulesets/dice_game.yaml"),
    *("tests/games/mosaic.yaml", "tests/games/stones.yaml", "tests/games/vault.yaml"),
    *("tests/games/deltas.yaml", "tests/games/shards.yaml"),
    *("tests/games/draughts.yaml", "tests/games/fireworks.yaml", "tests/games/hive.yaml"),
    *("tests/games/peaks.yaml", "tests/games/piles.yaml"),
)
REST = [
    f"tests/games/{path.stem}.yaml"
    for path in sorted((ROOT / "tests" / "games").glob("*.yaml"))
    if "\ngame:" in path.read_text(encoding="utf-8")
    and path.stem != "spans"  # the plain board has no layers
    and f"tests/games/{path.name}" not in GAMES
]
DECISIONS = 80
ASKED = 6
"""How many random questions are asked after every move."""


class Moment:
    """A position, and the plain world that its tables hold."""

    def __init__(
        self, position: LoweredPosition, worlds: Worlds, questions: list[Question], rng: Rng
    ) -> None:
        self.position, self.worlds, self.rng = position, worlds, rng
        self.questions = questions
        self.checked = position.checked
        self.world = worlds.read(position.tables)
        self.context = Context(self.checked, self.world, dict(position.initial_states()))
        self.context.states = dict(position.changed_states())

    def compare(self, expression: Expr, values: dict[str, Value]) -> bool:
        """Both give the same for an expression, or both fail; gives whether they have a value."""
        self.context.fuel, self.context.depth = faults.STEPS, 0
        expected = outcome(lambda: self.context.evaluate(expression, Scope(dict(values))))
        found = outcome(lambda: self.position.evaluate(expression, values))
        assert found == expected, (expression.span.text, values)
        return not isinstance(expected, PlayError)

    def ask(self) -> int:
        """Ask random questions; gives how many had an answer."""
        answered = 0
        for _ in range(ASKED):
            expression, params = self.questions[self.rng.below(len(self.questions))]
            pools = {name: self.pool(type_) for name, type_ in params}
            if all(pools.values()):
                given = {name: pool[self.rng.below(len(pool))] for name, pool in pools.items()}
                answered += self.compare(expression, given)
        return answered

    def pool(self, type_: Type) -> list[Value]:
        """Values of a type, those on the table most often."""
        world, box = self.world, self.world.box
        match type_:
            case OptionalType(item):
                return [None, *self.pool(item)]
            case SetType(item):
                items = self.pool(item)
                some = [items[self.rng.below(len(items))] for _ in range(3)] if items else []
                return [(), as_set(some), as_set(some[:1])]
            case IntType(low, high):
                return [n for n in (-1, 0, 1, 2, 3, 5) if low <= n <= high]
            case EnumType(name):
                return [EnumMember(name, index) for index in range(len(box.enums[name]))]
        laid = world.laid()
        segments = [each for piece in laid for each in board.segments(world, piece)]
        dice = [box.piece(piece).kind for piece in world.faces]
        pools: dict[Type, list[Value]] = {
            BOOL: [False, True],
            PLAYER: [Player(seat) for seat in range(box.players)],
            KIND: [Kind(index) for index in range(len(box.game.kinds))],
            SEGMENT: [*segments],
            FEATURE: [*board.features_of(world, segments)],
            CELL: [*board.occupied(world)],
            PLACEMENT: [*laid.values()],
            FACE: [Face(kind, 0) for kind in dice],
            ZONE: [*box.zones],
            GRID: [*box.grids],
            SPACE: [*box.spaces],
            PIECE: [*(laid or box.pieces)],
        }
        for cls in PIECE_CLASSES:
            every = box.classes[cls]
            pools[NamedType(cls)] = [*([each for each in every if each in laid] or every)]
        return pools[type_]

    def compare_features(self) -> None:
        laid = [each for piece in self.world.laid() for each in board.segments(self.world, piece)]
        features = board.features_of(self.world, laid)
        assert self.position.features() == tuple(
            (feature, board.feature_segments(self.world, feature)) for feature in features
        )

    def disturb(self) -> None:
        """Do a random effect with both, on copies."""
        effect = sorted(EFFECTS)[self.rng.below(len(EFFECTS))]
        try:
            given = Drawing.of(self.world, self.rng).given(effect)
        except Nothing:
            return
        plain, copy = self.world.clone(), self.position.clone()
        expected = outcome(lambda: perform(plain, effect, given))
        found = outcome(lambda: copy.lowered.apply(copy.machine, effect, given))
        assert (found is None) == (expected is None), (effect, given)
        if found is None:
            now = self.worlds.read(copy.tables)
            for name in ("places", "zones", "faces", "known", "face_down", "shuffled"):
                assert getattr(now, name) == getattr(plain, name), (name, effect, given)
            assert (now.links, now.unlinks) == (plain.links, plain.unlinks)

    def open(self, option: OptionDef, decision: Decision) -> set[Values]:
        """The arguments of all open moves of an option, also of those that are alike."""
        context, found = self.context, set[Values]()
        context.fuel, known = faults.STEPS, dict(decision.arguments)
        names = [name for binder in option.binders for name in binder.names]
        scope = Scope(dict(known))

        def consider() -> bool:
            own = tuple(scope.locals[name] for name in names)
            if context.holds(option.guard, scope) and not self.closed(option, scope, known, own):
                found.add(own)
            return False

        each(context, option.binders, scope, consider)
        return found

    def closed(self, option: OptionDef, scope: Scope, known: dict[str, Value], own: Values) -> bool:
        """Does a veto or a precondition close a move whose guard holds?"""
        context = self.context
        for forbid in option.forbids:
            given = dict(zip(forbid.params, own, strict=True)) if forbid.params else {}
            if context.holds(forbid.guard, Scope(known | given)):
                return True
        call = option.precondition
        if call is None:
            return False
        given_on = [context.evaluate(argument, scope) for argument in call.arguments]
        for rule in self.checked.actions[call.action].requires:
            inner = Scope(dict(zip(rule.params, given_on, strict=True)))
            if context.holds(rule.guard, inner) and not body_result(context, rule, inner):
                return True
        return False

    def compare_moves(self, decision: Decision) -> None:
        """The moves of a choice are open; of open moves that are alike at least one is offered."""
        choice = self.checked.choices[decision.choice]
        like = Likeness(self.world, {}, seat=decision.seat)
        opened = {
            (option.name, given)
            for option in choice.options
            for given in self.open(option, decision)
        }
        offered = {(each.name, values_of(each)) for each in decision.candidates}
        assert offered <= opened
        shapes = {(name, like.shape(given)) for name, given in offered}
        assert {(name, like.shape(given)) for name, given in opened} == shapes


def values_of(candidate: Candidate) -> tuple[Value, ...]:
    return tuple(value for _, value in candidate.arguments)


def outcome(call: Callable[[], object]) -> object:
    """What a call gives, or an error, all of which are the same."""
    try:
        return call()
    except (PlayError, Absent, faults.Fault):
        return FAILED


FAILED = object()


def questions_of(checked: Checked) -> list[Question]:
    """Calls of all values, and of every builtin that rules call, with their locals."""
    found: dict[object, Question] = {}
    for key, value in checked.values.items():
        params = [(param.name, param.type) for param in value.params]
        given = tuple(Local(value.span, type_, name) for name, type_ in params)
        found[key] = CallValue(value.span, value.type, key, given), params
    rules = (*checked.values.values(), *checked.actions.values(), *checked.choices.values())
    for node in walk(rules):
        if isinstance(node, CallBuiltin):
            kinds = tuple(each.type for each in node.arguments)
            params = [(f"given{at}", type_) for at, type_ in enumerate(kinds)]
            given = tuple(Local(node.span, type_, name) for name, type_ in params)
            call = CallBuiltin(node.span, node.type, node.function, given)
            found.setdefault((node.function, kinds, node.type), (call, params))
    return list(found.values())


@pytest.mark.parametrize("seed", [0, *(pytest.param(n, marks=pytest.mark.long) for n in (1, 2))])
@pytest.mark.parametrize(
    "name", [*GAMES, *(pytest.param(name, marks=pytest.mark.long) for name in REST)]
)
def test_the_program_answers_in_games_as_the_plain_world_does(name: str, seed: int) -> None:
    checked = built(ROOT / name)
    players = max(checked.game.numbers)
    position, rng = python.start(checked, players, seed), Rng.seeded(seed)
    worlds = Worlds(position.plan.encoding, World(checked.game, players))
    questions, answered = questions_of(checked), 0
    for _ in range(DECISIONS):
        moment = Moment(position, worlds, questions, rng)
        answered += moment.ask()
        moment.disturb()
        moment.compare_features()
        if position.decision is None:
            break
        if position.decision.seat is not None:
            moment.compare_moves(position.decision)
        position.play(rng.below(len(position.decision.candidates)))
    assert answered
