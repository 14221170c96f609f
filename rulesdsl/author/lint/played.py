"""Random games of a game without errors, to find what the proofs have missed.

Unrelated rulesets are ordered by their names, which must not matter. So games are also played under
the opposite order, move by move, and everything that players see is compared.
"""

from __future__ import annotations

import pickle
import re
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import replace
from functools import partial
from typing import Protocol, TypeVar, runtime_checkable

from rulesdsl.author.lint.invariants import broken, proved, title, watched
from rulesdsl.base.cache import Cache, entry_name
from rulesdsl.base.deadline import Deadline, OutOfTime, active, check, under
from rulesdsl.base.records import dataclass
from rulesdsl.engine.build import build
from rulesdsl.engine.run import DEFAULT_ENGINE, READY_ENGINE, engine_of, playable
from rulesdsl.engine.run.interface import PlayError, Trial
from rulesdsl.engine.run.playouts import play_out, seeds_of
from rulesdsl.engine.run.python.watching import WatchedGame
from rulesdsl.engine.run.rng import Rng
from rulesdsl.language.diagnostics import Diagnostic, Label, Report, Span
from rulesdsl.language.model import checked as tree
from rulesdsl.language.model.game import LinkedGame, Ruleset
from rulesdsl.play import CHANCE, Game, Move, State

GAMES = 100
"""The number of games, unless another is asked for."""

POSITIONS = 15
"""The number of positions to compare for each game; comparing takes longer than playing."""

MOVES = 600
"""The number of moves after which a game is given up."""

SECONDS = 10
"""The number of seconds after which no further game begins or goes on."""

FEW, SOON = 20, 1
"""So few games are first tried with the engine that starts at once, for so many seconds."""

BRIEFLY = 3
"""The number of seconds to look for fewer moves while somebody waits."""

SLOWER = 20
"""Of so many games one is played where the fast engine cannot be loaded."""

TRIES = 40
"""The number of other games to try, to show a fault with fewer moves."""

EVERY = 300
"""The number of the shortest games that are all tried."""

LABELS = 4
"""The number of rules that are shown with a fault."""

ORDERS = frozenset({"hooks-meet", "order-of-names", "value-clash"})
"""Findings that say already that names matter."""

_MEMBERS = re.compile(r"(?<=\{)[^{}]*(?=\})")
_EITHER = re.compile(r"^[^\w\n]*independent\b", re.M)


@dataclass(frozen=True)
class PlayedGames:
    """The random games of a check.

    Of `games`, `compared` were also played under the other order of names. `finding` is the fault
    or the difference that stopped them. They are not `complete` if they took too long. Of the
    invariants, so many are `proved`, and so many were `watched` in the games. `soon` says that the
    engine that starts at once has played them.
    """

    games: int = 0
    compared: int = 0
    finding: Diagnostic | None = None
    complete: bool = True
    proved: int = 0
    watched: int = 0
    soon: bool = False


class _Fault(Exception):
    """The error for a game that fails, or that differs under the other order of names.

    `error` is the failure of a rule, None if both games go on; `alike` says that both failed.
    """

    def __init__(
        self, moves: Sequence[str], error: PlayError | None, why: str, alike: bool
    ) -> None:
        super().__init__(why)
        self.moves, self.error, self.why, self.alike = tuple(moves), error, why, alike

    @property
    def key(self) -> object:
        """The key that is equal for the same fault in other games."""
        if self.error is None or not self.alike:
            return "differs"
        span = self.error.span
        return self.error.slug, (span.source.name, span.start) if span else self.error.message


def play(
    game: Game,
    main: str,
    expansions: Sequence[str],
    settings: Mapping[str, int | bool | str],
    paths: Sequence[str],
    games: int,
) -> PlayedGames:
    """Play random games of a game that was loaded with these arguments.

    The result of the same rulesets is cached.
    """
    sources = [each.manifest.span.source.name for each in game.checked.game.rulesets]
    key = repr((game.digest, games, sources)).encode()

    def make() -> PlayedGames:
        other = other_order(game, main, expansions, settings, paths)
        return random_games(game.checked, other, games)

    found: PlayedGames = Cache.of_user().load_or_make(
        entry_name("played", key, "pickle"),
        make,
        lambda played: pickle.dumps(played) if played.complete else None,
        pickle.loads,
    )
    return found


def other_order(
    game: Game,
    main: str,
    expansions: Sequence[str],
    settings: Mapping[str, int | bool | str],
    paths: Sequence[str],
) -> tree.Checked | None:
    """Return a game that was loaded with these arguments under the opposite order of names.

    It is None if there is no other order, or it may make a difference.
    """
    if not has_other_order(game.checked, game.report):
        return None
    return build(main, expansions, settings, paths=paths, report=Report(), backwards=True)


def has_other_order(game: tree.Checked, found: Iterable[Diagnostic]) -> bool:
    """Return whether another order of names is possible, and has to make no difference.

    `found` are the findings of the game.
    """
    if not _strangers(game.game):
        return False
    texts = (ruleset.rules.text for ruleset in game.game.rulesets if ruleset.rules is not None)
    return not any(each.slug in ORDERS for each in found) and not any(map(_EITHER.search, texts))


def _strangers(game: LinkedGame) -> list[Ruleset]:
    every = game.rulesets
    return [one for one in every if any(game.strangers(one.id, other.id) for other in every)]


def random_games(
    one: tree.Checked, two: tree.Checked | None, games: int, *, soon: bool = True
) -> PlayedGames:
    """Play so many games, and compare some of them with those of `two`, if it is given.

    The invariants that are not proved are watched. The games stop after `SECONDS`; raises OutOfTime
    if a deadline of the caller passes before. `FEW` games are played by the engine that starts at
    once, if that is `soon` done: the moves are the same.
    """
    if soon and games <= FEW:
        found = _played(one, two, games, READY_ENGINE, SOON)
        if found.complete:
            return replace(found, soon=True)
    engine, missing = playable(DEFAULT_ENGINE)
    return _played(one, two, -(-games // SLOWER) if missing else games, engine, SECONDS)


def _played(
    one: tree.Checked, two: tree.Checked | None, games: int, engine: str, seconds: float
) -> PlayedGames:
    """Play games with an engine for at most so many seconds."""
    numbers = one.game.numbers
    players = next((number for number in numbers if number > 1), numbers[-1])
    orders = _orders(players, engine, one, two)
    seen = len(orders[0].watched)
    known = len(one.invariants) - seen, seen
    played = compared = 0
    try:
        with under(Deadline(seconds)):
            if two is not None:
                for compared in _compared(orders, games):  # noqa: B007
                    pass
            while played < games:
                orders[played % len(orders)].play_out(played)
                played += 1
    except OutOfTime:
        check(active())  # a deadline of the caller
    except _Fault as fault:
        with under(Deadline(SECONDS)):
            found = _finding(_shortest(orders, fault), orders)
        return PlayedGames(max(played, compared) + 1, compared, found, True, *known)
    return PlayedGames(max(played, compared), compared, None, played == games, *known)


def _compared(orders: Sequence[_Order], games: int) -> Iterator[int]:
    """Compare games, and yield after each position how many are done; raises `_Fault`."""
    positions = 0
    for game in range(games):
        if positions >= games * POSITIONS:
            return
        for _ in _Table(orders).positions(Rng.seeded(game), MOVES):
            positions += 1
            yield game
        yield game + 1


def played_briefly(game: tree.Checked) -> PlayedGames:
    """Play up to `FEW` games for about a second, and do not cache the result."""
    return _played(game, None, FEW, READY_ENGINE, SOON)


def comparison(
    one: tree.Checked, two: tree.Checked | None, players: int
) -> Iterator[Diagnostic | None]:
    """Compare random games under two orders of names: yield None after each position.

    Without a second order the invariants alone are watched. The finding comes last, if there is
    one.
    """
    orders = _orders(players, READY_ENGINE, one, two)
    try:
        for _ in _compared(orders, GAMES):
            yield None
    except _Fault as fault:
        with under(Deadline(BRIEFLY)):
            shortest = _shortest(orders, fault)
        yield _finding(shortest, orders)


def failing_game(checked: tree.Checked, players: int, seed: int) -> Diagnostic | None:
    """Return the finding for a random game of a seed; None if no rule fails in it."""
    (order,) = _orders(players, READY_ENGINE, checked)
    try:
        order.play_out(seed)
    except _Fault as fault:
        with under(Deadline(BRIEFLY)):
            fault = _shortest([order], fault)
        return _finding(fault, [order])
    return None


@dataclass(frozen=True)
class GamesDiffer:
    """The shortest game that was found after which two versions of a game differ.

    `why` says in what. `scenario` leads there, and `holds` in the `new` (second) version only, or
    in the `old` one only if a rule fails in the new one. `ran` are those of some rules that ran in
    the last move, in either version, or before it if none did.
    """

    why: str
    moves: tuple[str, ...]
    scenario: tuple[str, ...]
    holds: str
    ran: tuple[Span, ...]


def versions_differ(
    versions: Sequence[tree.Checked],
    players: int,
    games: Iterable[int],
    whole: Collection[int],
    seed: int,
    engine: str,
    rules: Iterable[Span] = (),
) -> GamesDiffer | None:
    """Compare random games with these numbers of a seed in two versions, position by position.

    Of the `whole` games, only `TRIES` that end differently are compared in this way. Both versions
    play the same moves. A game in which a rule fails in both says nothing. No invariant is watched:
    one that is broken in a version is no difference.
    """
    known = frozenset(each.key for version in versions for each in version.invariants)
    orders = [_Order(each, players, engine, known) for each in versions]
    left = TRIES
    for game in (*games, *whole):
        luck, fast = seeds_of(seed, game)[1], game in whole
        if fast and not (left and _end_apart(orders, luck)):
            continue
        left -= fast
        try:
            if fast:
                _Table(orders).play_out(luck)
            else:
                _Table(orders).play(Rng.seeded(luck), MOVES)
        except _Fault as found:
            if found.alike:
                continue
            with under(Deadline(SECONDS)):
                fault = _shortest(orders, found)
            wanted = {(each.source.name, each.start): each for each in rules}
            met = [each for order in orders for each in _met(order, fault.moves, wanted)]
            last = [each.span for each in met if not each.text] or [each.span for each in met]
            ran = [wanted[each.source.name, each.start] for each in last]
            why, holds = fault.why, "new"
            if fault.error is None:
                scenario = list(_of_version(orders, fault))
            else:
                why = f"a rule that fails: {fault.error.message}"
                holds = "old"
                with suppress(PlayError):
                    list(_replayed(orders[1].start(), fault.moves))
                    holds = "new"
                scenario = _scenario(orders[holds == "new"], fault)
            return GamesDiffer(why, fault.moves, tuple(scenario), holds, tuple(ran))
    return None


def _end_apart(orders: Sequence[_Order], seed: int) -> bool:
    """Return whether a random game ends differently under two orders, or may fail."""
    try:
        ends = [order.result(seed) for order in orders]
    except PlayError:
        return True
    return ends[0] != ends[1]


def _of_version(orders: Sequence[_Order], fault: _Fault) -> Iterator[str]:
    """Yield the lines of a scenario that holds in the second version only."""
    *lines, expected = _scenario(orders[1], fault)
    with suppress(OutOfTime, PlayError):
        states = [[*_replayed(order.start(), fault.moves)][-1] for order in orders]
        seen = [_seen(s, {named(str(move)): move for move in s.moves()}) for s in states]
        (mover, asked, moves, *_, winners), old = seen[1], seen[0]
        if mover != old[0]:
            expected = f"    expect: {{mover: {mover or 'nobody'}}}"
        elif asked != old[1]:
            expected = f"    expect: {{asked: {asked}}}"
        elif moves != old[2]:
            fresh, gone = (sorted({*a} - {*b}) for a, b in ((moves, old[2]), (old[2], moves)))
            key, shown = ("legal", fresh) if fresh else ("illegal", gone)
            expected = f"    expect: {{{key}: ['{shown[0]}']}}"
        elif winners != old[4]:
            expected = f"    expect: {{winners: [{', '.join(winners)}]}}"
    yield from lines
    yield expected


def _replayed(state: State, moves: Sequence[str]) -> Iterator[State]:
    """Yield a position before each of these moves, as it is played, and at the end.

    Raises PlayError.
    """
    yield state
    for name in moves:
        state.play(next(move for move in state.moves() if named(str(move)) == name))
        yield state


def _orders(
    players: int, engine: str, one: tree.Checked, two: tree.Checked | None = None
) -> list[_Order]:
    """Return a game under one or both orders of names, which prove the same."""
    known = proved(one)
    return [_Order(each, players, engine, known) for each in (one, two) if each is not None]


class _Order:
    """A game under one order of names, prepared for a few plays.

    In `checked`, the invariants that are not `proved` (keys) are `watched`; in `plain` none are.
    """

    def __init__(
        self, plain: tree.Checked, players: int, engine: str, proved: frozenset[str]
    ) -> None:
        self.plain, self.players = plain, players
        self.watched = [each for each in plain.invariants if each.key not in proved]
        self.checked = watched(plain, self.watched)
        self._game = Game(self.checked, engine)
        self._trial: Trial = engine_of(engine).trial(self.checked, players)

    def start(self) -> State:
        """Return a new game in which chance is offered as moves; raises PlayError."""
        return State(self._game, self._trial.start(None))

    def play_out(self, seed: int) -> None:
        """Play a random game of a seed; raises `_Fault`."""
        try:
            self.result(seed)
        except PlayError:
            _Table([self]).play_out(seed)  # move by move, to name the moves
            raise

    def result(self, seed: int) -> tuple[object, ...]:
        """Return the number of moves of a random game, the winners and the points.

        Raises PlayError.
        """
        state = self.start()
        if isinstance(state.position, Fast):
            moves = state.position.playout(MOVES, seed)
        else:
            moves = play_out(state.position, MOVES, Rng.seeded(seed))
        return moves, state.winners, state.scores()


@runtime_checkable
class Fast(Protocol):
    """A position whose engine plays whole games by itself."""

    def playout(self, limit: int, seed: int) -> int:
        """Play random moves; raises PlayError."""


def named(move: str) -> str:
    """Return the name of a move with sorted members of sets, which come by their rulesets."""
    return _MEMBERS.sub(lambda found: ", ".join(sorted(found[0].split(", "))), move)


_Result = TypeVar("_Result")


class _Table:
    """One game, played in the same way under one or both orders of names; `moves` so far."""

    def __init__(self, orders: Sequence[_Order]) -> None:
        self.moves: list[str] = []
        self._legal: list[dict[str, Move]] = []
        self.states = self._each([order.start for order in orders])

    def play(self, luck: Rng, most: int, first: Sequence[str] = ()) -> None:
        """Play up to `most` moves: the `first` ones as long as they are legal, then random ones.

        Raises `_Fault`.
        """
        for _ in self.positions(luck, most, first):
            pass

    def positions(self, luck: Rng, most: int, first: Sequence[str] = ()) -> Iterator[None]:
        """Play as `play` does, and yield at each position."""
        while len(self.moves) < most:
            names = self.compared()
            yield
            if not names:
                return
            at = len(self.moves)
            wanted = first[at] if at < len(first) and first[at] in names else None
            self.step(wanted or names[luck.below(len(names))])
        self.compared()
        yield

    def play_out(self, seed: int) -> None:
        """Play the moves of the first order's random game of a seed; raises `_Fault`."""
        luck, state = Rng.seeded(seed), self.states[0]
        while len(self.moves) < MOVES and self.compared():
            index = luck.weighted(list(state.position.outlook.weights))
            self.step(named(str(state.moves()[index])))

    def compared(self) -> list[str]:
        """Return the names of the legal moves, sorted; raises `_Fault` if the games differ."""
        self._legal = [{named(str(move)): move for move in state.moves()} for state in self.states]
        seen = [_seen(state, each) for state, each in zip(self.states, self._legal, strict=True)]
        for name, *values in zip(_SEEN, *seen, strict=True):
            if values[0] != values[-1]:
                shown = " and ".join(f"`{_short(each)}`" for each in _apart(values[0], values[-1]))
                raise _Fault(self.moves, None, f"{name}: {shown}", alike=False)
        return sorted(self._legal[0])

    def step(self, name: str) -> None:
        """Play a move that was legal when the games were compared; raises `_Fault`."""
        self.moves.append(name)
        pairs = zip(self.states, self._legal, strict=True)
        self._each([partial(state.play, legal[name]) for state, legal in pairs])

    def _each(self, calls: Sequence[Callable[[], _Result]]) -> list[_Result]:
        results, errors = list[_Result](), list[PlayError]()
        for call in calls:
            try:
                results.append(call())
            except PlayError as error:
                errors.append(error)
        if errors:
            why = f"only under one order: {errors[0].message}"
            raise _Fault(self.moves, errors[0], why, alike=not results)
        return results


_SEEN = ("the player who decides", "what is asked", "the moves", "the points", "the winners")


_Seen = tuple[str | None, str | None, list[str], Mapping[str, int] | None, tuple[str, ...]]


def _seen(state: State, legal: Mapping[str, Move]) -> _Seen:
    """Return everything that is compared between two games.

    Nobody decides by the points while chance does, so they may differ then.
    """
    points = None if state.mover == CHANCE else state.scores()
    return state.mover, state.asked, sorted(legal), points, state.winners


def _apart(one: object, other: object) -> tuple[object, object]:
    """Return two values; of lists, what only one of them has."""
    if isinstance(one, list) and isinstance(other, list):
        return [each for each in one if each not in other], [e for e in other if e not in one]
    return one, other


def _short(value: object) -> str:
    text = ", ".join(map(str, value)) or "none" if isinstance(value, list | tuple) else str(value)
    return text if len(text) <= 100 else f"{text[:99]}…"


def _shortest(orders: Sequence[_Order], fault: _Fault) -> _Fault:
    with suppress(OutOfTime):
        for shorter in _shorter(orders if not fault.alike else orders[:1], fault):
            fault = shorter
    return fault


def _shorter(orders: Sequence[_Order], fault: _Fault) -> Iterator[_Fault]:
    """Yield the same fault in shorter and shorter games.

    Games go on at random from a position of the shortest one known, or leave out one of its moves.
    At last all games are tried that are shorter, if they are few.
    """
    luck = Rng.seeded(0)
    for number in range(2 * TRIES):
        if not fault.moves:
            return
        at = luck.below(len(fault.moves))
        kept = fault.moves[:at] if number < TRIES else fault.moves[:at] + fault.moves[at + 1 :]
        try:
            _Table(orders).play(luck, len(fault.moves) - 1, kept)
        except _Fault as found:
            if found.key == fault.key:
                fault = found
                yield found
    yield from _fewest(orders, fault)


def _fewest(orders: Sequence[_Order], fault: _Fault) -> Iterator[_Fault]:
    """Yield the same fault in the game of the fewest moves, if that is one of the first `EVERY`."""
    games, left = [()] if fault.moves else list[tuple[str, ...]](), EVERY
    for moves in games:
        table = _Table(orders)
        try:
            table.play(Rng.seeded(0), len(moves), moves)
        except _Fault as found:
            if found.key == fault.key:
                yield found
                return
            continue
        left -= 1
        if not left or len(moves) + 1 >= len(fault.moves):
            return
        games += [(*moves, name) for name in table.compared()]


def _finding(fault: _Fault, orders: Sequence[_Order]) -> Diagnostic:
    """Return a fault as an error with the rules that met and a scenario that leads to it."""
    order = orders[0]
    labels = tuple(_met(order, fault.moves))[:LABELS]
    failed = fault.error if fault.alike else None
    invariant = None if failed is None else broken(order.plain, failed)
    help = ("this scenario leads to it:", *_scenario(order, fault, invariant))
    if invariant is not None:
        message = f"`{title(invariant)}` does not hold in a random game"
        help = (*_values(order, fault, invariant), *help)
        return Diagnostic("broken-invariant", message, invariant.span, labels=labels, help=help)
    if failed is not None:
        labels = tuple(label for label in labels if label.span != failed.span)
        message = f"{failed.message}, in a random game"
        return Diagnostic(failed.slug, message, failed.span, labels=labels, help=help)
    named = " and ".join(f"`{each.id}`" for each in _strangers(order.checked.game))
    return Diagnostic(
        "order-of-names",
        f"a random game depends on the order of {named}, which only their names decide",
        labels[0].span if labels else order.checked.game.roles.span,
        labels=labels[1:],
        help=(f"with the names in the opposite order, this differs: {fault.why}", *help),
    )


def _values(order: _Order, fault: _Fault, invariant: tree.Invariant) -> list[str]:
    """Return the values in an invariant that does not hold after some moves."""
    from rulesdsl.play.scenario.expect import why_not  # takes longer to import than to play

    with suppress(OutOfTime, PlayError):
        begun = Game(order.plain, READY_ENGINE).start(order.players, None)
        *_, state = _replayed(begun, fault.moves)
        return list(why_not(state, invariant.holds))
    return []


def _met(
    order: _Order, moves: Sequence[str], wanted: Collection[tuple[str, int]] = ()
) -> Iterator[Label]:
    """Yield the rules of rulesets with strangers that ran in the last of these moves.

    If files and places are `wanted`, yield the rules that begin there instead, options also if they
    may be offered then, and at last those that ran `earlier` only.
    """
    game = order.checked.game
    owners = {each.rules.name: each.id for each in _strangers(game) if each.rules is not None}
    ran, earlier = dict[tuple[str, int], Label](), dict[tuple[str, int], Label]()

    def watch(node: tree.Node, _: bool) -> None:
        place = node.span.source.name, node.span.start
        if wanted and place in wanted:
            ran.setdefault(place, Label(node.span, ""))
        elif not wanted and isinstance(node, _RULES) and place[0] in owners:
            ran.setdefault(place, Label(node.span, f"of `{owners[place[0]]}`"))

    try:
        watched = WatchedGame(order.checked, order.players, watch)
        state = State(Game(order.checked, READY_ENGINE), watched.start(None))
        for number, _ in enumerate(_replayed(state, moves)):
            # While chance decides, points may differ.
            if number < len(moves) and (not wanted or state.mover != CHANCE):
                earlier |= ran
                ran.clear()
        decision = state.position.decision
        choice = order.checked.choices.get(decision.choice) if wanted and decision else None
        for option in choice.options if choice else ():
            for node in (option, *option.forbids):
                watch(node, True)
    except (OutOfTime, PlayError):
        pass  # the last move fails
    yield from (ran[place] for place in sorted(ran))
    if wanted:
        yield from (
            Label(earlier[at].span, "earlier") for at in sorted(earlier.keys() - ran.keys())
        )


_RULES = tree.Hook | tree.Rule | tree.OptionDef | tree.Forbid | tree.AlwaysDef


def _scenario(order: _Order, fault: _Fault, invariant: tree.Invariant | None = None) -> list[str]:
    """Return the lines of a scenario that plays these moves, and expects the invariant to hold."""
    game = order.checked.game
    root = game.roles.ruleset
    others = [r.id for r in game.rulesets if r.id != root and not r.interaction]
    moves = ", ".join(f"'{move}'" for move in fault.moves)
    lines = [f"scenarios: {root}", "edition: 1", f"with: [{', '.join(others)}]", "tests:"]
    chosen = {s.key.replace("/", "."): s.chosen for s in game.settings if s.chosen != s.default}
    if chosen:
        lines.insert(3, f"settings: {chosen}")
    lines += ["  - name: random moves", f"    players: {order.players}", f"    moves: [{moves}]"]
    if invariant is not None:
        written = " ".join(invariant.holds.span.text.split())
        return [*lines, f'    expect: {{holds: ["{written}"]}}']
    points = dict.fromkeys(game.roles.colours[: order.players], 0)
    with suppress(OutOfTime, PlayError):  # the last move may fail
        for state in _replayed(order.start(), fault.moves):
            points = state.scores()
    scores = ", ".join(f"{colour}: {each}" for colour, each in points.items())
    return [*lines, f"    expect: {{scores: {{{scores}}}}}"]
