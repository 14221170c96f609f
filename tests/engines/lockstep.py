"""Two engines play the same random game, and whatever they say of it has to be the same.

The first one is believed: when they differ, the game so far is given as a scenario for
`rulesdsl test` that expects what the first one says.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from functools import partial
from itertools import zip_longest
from typing import Any, Protocol, TypeVar

import yaml

from rulesdsl import Game, State
from rulesdsl.engine.run.interface import Candidate, Change, Decision, PlayError, Position
from rulesdsl.engine.run.rng import Rng
from rulesdsl.language.model.checked import CallValue, Checked
from rulesdsl.language.model.values import Value
from rulesdsl.play.records import Header
from rulesdsl.play.scenario.steps import as_step
from tests.engines.disturbances import Disturbances

Found = TypeVar("Found")

MOVES = 1_000
"""The stream of a seed that moves are drawn from: not one of a game or a bot."""


class Engine(Protocol):
    """What plays: a module or an object with these functions."""

    def start(self, checked: Checked, players: int, seed: int | None) -> Position: ...

    def from_bytes(self, checked: Checked, data: bytes) -> Position: ...


@dataclass(frozen=True)
class Mix:
    """How often in a hundred decisions something beside playing on is done; `tries` is how many
    moves a greedy choice looks at, `most` after how many decisions a game is given up."""

    greedy: int = 10
    tries: int = 4
    cloned: int = 10
    saved: int = 5
    sampled: int = 5
    listened: int = 5
    finished: int = 5
    looked: int = 10
    disturbed: int = 5
    most: int = 100_000


class Differs(AssertionError):
    """The engines differ. `scenario` is the game so far as a file of scenarios."""

    def __init__(self, text: str, scenario: str) -> None:
        super().__init__(f"{text}\n\n{scenario}")
        self.scenario = scenario


def lockstep(
    one: Engine,
    other: Engine,
    game: Game,
    players: int,
    seed: int,
    *,
    offered: bool = False,
    mix: Mix | None = None,
) -> int:
    """Play one random game on both; gives how many decisions it had. With `offered`, there is no
    generator and chance moves are drawn like others, by their weights. Raises Differs."""
    return _Pair(one, other, game, players, seed, offered, mix or Mix()).play()


@dataclass
class _Pair:
    one: Engine
    other: Engine
    game: Game
    players: int
    seed: int
    offered: bool
    mix: Mix
    moves: list[str] = field(default_factory=list)
    stuck: bool = False
    """Does every move fail that could be played?"""
    finished: bool = False
    """Was the game ended where it stands?"""
    elsewhere: str = ""
    """Where it is being played after these moves, if that is not the game."""

    def play(self) -> int:
        self.drawn = Rng.seeded(self.seed, MOVES)
        checked, seed = self.game.checked, None if self.offered else self.seed
        started = self._both(
            "start",
            lambda: self.one.start(checked, self.players, seed),
            lambda: self.other.start(checked, self.players, seed),
        )
        if started is None:
            return 0
        self.a, self.b = started
        decisions = 0
        while decisions < self.mix.most:
            self._same("the decision", lambda position: position.decision)
            self._same("the position", lambda position: position.canonical())
            self._aside()
            if self.a.decision is None:
                self._look()
                return decisions
            decisions += 1
            self._move(self._choose(self.a.decision))
            if self.stuck:
                return decisions
        return decisions

    # --- playing -------------------------------------------------------------------------------

    def _choose(self, decision: Decision) -> int:
        """Mostly any move is as likely as the others, chance as its weights say."""
        weights = [candidate.weight for candidate in decision.candidates]
        if decision.seat is None or not self._now_and_then(self.mix.greedy):
            return self.drawn.weighted(weights)
        tried = [self.drawn.below(len(weights)) for _ in range(self.mix.tries)]
        return max(tried, key=lambda index: self._gain(index, decision.seat or 0))

    def _gain(self, index: int, seat: int) -> int:
        """What a player's score is after a move; a move that fails is as bad as can be."""
        copy = self.a.clone()
        try:
            copy.play(index)
        except PlayError:
            return -(2**31)
        return copy.scores()[seat]

    def _move(self, index: int) -> None:
        """Play a move on both; one that fails on both changes nothing, and another is tried."""
        decision = self.a.decision
        assert decision is not None
        moves = State(self.game, self.a).moves()
        before = self.a.canonical()
        for further in range(len(moves)):
            which = (index + further) % len(moves)
            step = as_step(moves[which])
            kept = self._note(step)
            if self._both(step, self._playing(self.a, which), self._playing(self.b, which)):
                return
            self._same("the position after a move that failed", lambda p: p.canonical())
            assert self.a.canonical() == before
            self.moves[:], self.elsewhere = kept
        self.stuck = True

    def _note(self, step: str) -> tuple[list[str], str]:
        """Note a move where it is played; gives what was noted before."""
        kept = list(self.moves), self.elsewhere
        if self.elsewhere:
            self.elsewhere += f", {step}"
        else:
            self.moves.append(step)
        return kept

    def _playing(self, position: Position, which: int) -> Callable[[], None]:
        return lambda: position.play(which)

    # --- beside the game -----------------------------------------------------------------------

    def _now_and_then(self, often: int) -> bool:
        return self.drawn.below(100) < often

    def _aside(self) -> None:
        """What is done beside playing on, on copies, which leave the game as it is."""
        if self._now_and_then(self.mix.looked):
            self._look()
        if self._now_and_then(self.mix.saved):
            self._save()
        if self._now_and_then(self.mix.cloned):
            self._on_copies("a copy", self._play_some)
        if self._now_and_then(self.mix.listened):
            self._on_copies("a copy that is listened to", self._listen)
        if self._now_and_then(self.mix.sampled):
            self._sample(self.drawn.below(self.players), self.drawn.word())
        if self._now_and_then(self.mix.disturbed):
            self._elsewhere("disturbed", lambda p: p.clone(), self._disturb)
        if self._now_and_then(self.mix.finished):
            self._on_copies("a copy", self._finish)

    def _look(self) -> None:
        """Everything else that can be asked of a position."""
        self._same("the scores", lambda position: position.scores())
        self._same("the winners", lambda position: position.winners)
        self._same("what is laid", lambda position: position.laid())
        self._same("the features", lambda position: position.features())
        for key, value in self.game.checked.values.items():
            if not value.params:
                call = CallValue(value.span, value.type, key, ())
                self._both(f"`{key}`", partial(_value, call, self.a), partial(_value, call, self.b))
        for seat in range(self.players):
            self._same(f"the view of seat {seat}", partial(_view, seat))

    def _save(self) -> None:
        """Go on with what was saved and loaded again."""
        checked = self.game.checked
        loaded = (
            self.one.from_bytes(checked, self.a.to_bytes()),
            self.other.from_bytes(checked, self.b.to_bytes()),
        )
        for before, after in zip((self.a, self.b), loaded, strict=True):
            assert after.to_bytes() == before.to_bytes()
        self.a, self.b = loaded
        self._same("the decision after loading", lambda position: position.decision)
        self._same("the position after loading", lambda position: position.canonical())

    def _on_copies(
        self,
        what: str,
        act: Callable[[], None],
        copied: Callable[[Position], Position] = lambda position: position.clone(),
    ) -> None:
        """Do something to copies; the positions themselves stay as they are."""
        kept, moves = (self.a, self.b), list(self.moves)
        before = self.a.canonical()
        self.a, self.b = copied(self.a), copied(self.b)
        self._same(what, lambda position: position.canonical())
        act()
        self.a, self.b = kept
        self.moves[:], self.stuck = moves, False
        self._same(f"the position after {what} has gone on", lambda p: p.canonical())
        assert self.a.canonical() == before

    def _sample(self, seat: int, seed: int) -> None:
        """Go on in what a player may believe."""
        where = f"in a sample for seat {seat} from {seed}"
        self._elsewhere(where, lambda p: p.sample(seat, seed), self._play_some)

    def _elsewhere(
        self, where: str, copied: Callable[[Position], Position], act: Callable[[], None]
    ) -> None:
        """Go on where no scenario can tell of it."""
        self.elsewhere = where
        self._on_copies(f"a copy {where}", act, copied)
        self.elsewhere = ""

    def _disturb(self) -> None:
        """Change something from outside the rules, and play on."""
        change = Disturbances(self.game.checked, self.players, self.drawn)
        for _ in range(1 + self.drawn.below(4)):
            what, act = change.draw(self.a)
            self.elsewhere += f", {what}"
            before = self.a.canonical()
            if self._both(what, partial(act, self.a), partial(act, self.b)) is None:
                assert self.a.canonical() == before
            self._same("the decision after that", lambda position: position.decision)
            self._same("the position after that", lambda position: position.canonical())
        self._play_some()

    def _play_some(self) -> None:
        for _ in range(1 + self.drawn.below(3)):
            decision = self.a.decision
            if decision is None or self.stuck:
                return
            self._move(self.drawn.below(len(decision.candidates)))
            self._same("the decision of a copy", lambda position: position.decision)
            self._same("a copy", lambda position: position.canonical())

    def _listen(self) -> None:
        heard: tuple[list[Change], list[Change]] = [], []
        self.a.listener, self.b.listener = heard[0].append, heard[1].append
        self._play_some()
        for number, (told, found) in enumerate(zip_longest(*heard)):
            self._equal(f"change {number}", told, found)

    def _finish(self) -> None:
        self.finished = True
        if self._both("finish", lambda: self.a.finish(), lambda: self.b.finish()) is not None:
            self._same("the decision after finish", lambda position: position.decision)
            self._same("the position after finish", lambda position: position.canonical())
        self.finished = False

    # --- comparing -----------------------------------------------------------------------------

    def _both(
        self, what: str, one: Callable[[], Found], other: Callable[[], Found]
    ) -> tuple[Found, Found] | None:
        """Do the same on both; None if both fail, which they have to do alike."""
        found, first = _tried(one)
        also, second = _tried(other)
        self._equal(f"what comes of `{what}`", first, second)
        if first is not None:
            return None
        assert found is not None
        assert also is not None
        if not hasattr(found[0], "canonical"):
            self._equal(f"what `{what}` gives", found[0], also[0])
        return found[0], also[0]

    def _same(self, what: str, ask: Callable[[Position], object]) -> None:
        self._equal(what, ask(self.a), ask(self.b))

    def _equal(self, what: str, told: object, found: object) -> None:
        if told != found:
            where = f"a game of {self.players} players, seed {self.seed}"
            after = ", ".join([f"after {len(self.moves)} moves", self.elsewhere]).rstrip(", ")
            text = f"{what} differs in {where}, {after}\n{_difference(told, found)}"
            raise Differs(text, self._scenario())

    def _scenario(self) -> str:
        """The game so far, and what the first engine says of it."""
        header = Header.of(self.game, self.players, None if self.offered else self.seed)
        test: dict[str, Any] = {"name": f"lock-step of seed {self.seed}", "players": self.players}
        if not self.offered:
            test["seed"] = self.seed
        test["moves"] = self.moves
        if self.finished:
            test["finish"] = True
        test["expect"] = self._expected()
        head = {"scenarios": header.root, "edition": 1}
        more = {"with": list(header.expansions), "settings": dict(header.settings)}
        document = {**head, **{k: v for k, v in more.items() if v}, "tests": [test]}
        text: str = yaml.safe_dump(document, sort_keys=False, allow_unicode=True, width=90)
        return text

    def _expected(self) -> dict[str, Any]:
        """What the first engine says after the moves, played anew; of a move that fails, how."""
        seed = None if self.offered else self.seed
        state = State(self.game, self.one.start(self.game.checked, self.players, seed))
        try:
            for step in self.moves:
                state.play(next(move for move in state.moves() if as_step(move) == step))
            if self.finished:
                state.finish()
        except PlayError as error:
            return {"fails": error.message}
        expected: dict[str, Any] = {"mover": state.mover or "nobody", "scores": state.scores()}
        if state.asked:
            expected["asked"] = state.asked
        return expected


def _view(seat: int, position: Position) -> str:
    return position.view(seat)


def _value(call: CallValue, position: Position) -> Value:
    return position.evaluate(call, {})


def _tried(
    act: Callable[[], Found],
) -> tuple[tuple[Found] | None, tuple[str, str, str] | None]:
    """What came of it, or how it failed."""
    try:
        return (act(),), None
    except PlayError as error:
        return None, (error.slug, error.message, str(error.span))


def _difference(told: object, found: object) -> str:
    """The first thing that differs, from both sides."""
    match told, found:
        case str(), str():
            return _first(told.splitlines(), found.splitlines())
        case Decision(), Decision():
            heads = [
                [f"{d.choice} of seat {d.seat} with {d.arguments}", *map(_candidate, d.candidates)]
                for d in (told, found)
            ]
            return _first(*heads)
        case tuple(), tuple():
            return _first([str(item) for item in told], [str(item) for item in found])
    return _first([str(told)], [str(found)])


def _candidate(candidate: Candidate) -> str:
    given = ", ".join(f"{name}={value}" for name, value in candidate.arguments)
    secret = f" secret {sorted(candidate.secret)}" if candidate.secret else ""
    return f"{candidate.option}({given}) x {candidate.weight}{secret}"


def _first(told: list[str], found: list[str]) -> str:
    for number, (one, other) in enumerate(zip_longest(told, found)):
        if one != other:
            return f"  line {number + 1}\n  one:   {one}\n  other: {other}"
    return "  they look the same"
