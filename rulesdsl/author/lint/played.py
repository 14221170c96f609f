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
from itertools import islice
from math import inf
from typing import TypeVar

from rulesdsl.author.lint.invariants import broken, proved, title, watched
from rulesdsl.base.cache import Cache, entry_name
from rulesdsl.base.records import dataclass
from rulesdsl.engine.build import Memory, build, remembering
from rulesdsl.engine.run import DEFAULT_ENGINE, READY_ENGINE, engine_of, playable
from rulesdsl.engine.run.interface import PlayError, Position, Trial
from rulesdsl.engine.run.playouts import seeds_of
from rulesdsl.engine.run.python.watching import WatchedGame
from rulesdsl.engine.run.rng import Rng
from rulesdsl.language.diagnostics import Diagnostic, Label, Report, RulesError, Severity, Span
from rulesdsl.language.model import checked as tree
from rulesdsl.language.model.game import LinkedGame, Ruleset
from rulesdsl.play import CHANCE, Game, Move, State, load

GAMES = 100
"""The number of games, unless another is asked for."""

POSITIONS = 5
"""The number of positions to compare for each game; comparing takes longer than playing."""

CHOICES = 4
"""The number of choices of settings with which versions are compared, with the given one."""

MOVES = 600
"""The number of moves after which a game is given up."""

PART = 50
"""The number of moves that are played without looking at the work in between."""

PARTS = range(0, MOVES, PART)
"""The numbers of the first moves of the parts of a game."""

WORK = 200_000_000
"""The steps after which no further game begins or goes on: the same on every engine and machine.

The engine that compiles takes some ten seconds for them.
"""

FURTHER_CHOICES = 1
"""The number of other choices of settings with which games are played; building them takes time."""

FURTHER = 2_000_000
"""The steps of the games with another number of players, or other settings."""

SHOWING = 60_000_000
"""The steps to look for fewer moves that lead to a fault."""

BRIEFLY = 20_000_000
"""The steps to look for fewer moves while somebody waits."""

FEW = 20
"""The number of games for a file of scenarios with invariants."""

SLOWER = 50
"""The factor for steps of the engine that starts at once."""

SOON = 120_000
"""The steps that the engine that starts at once plays, before the one that compiles goes on."""

MOVE, COMPARED, NAMED = 50, 5_000, 1_000
"""The steps that a move, a position that is compared, and each legal move there count as."""

FAILED, ENDLESS = 20_000, 10_000_000
"""The steps that a move that fails counts as: its reason is found by the engine that explains."""

TRIES = 40
"""The number of other games to try, to show a fault with fewer moves."""

LABELS = 4
"""The number of rules that are shown with a fault."""

ORDERS = frozenset({"hooks-meet", "order-of-names", "value-clash"})
"""Findings that say already that names matter."""

_MEMBERS = re.compile(r"(?<=\{)[^{}]*(?=\})")


@dataclass(frozen=True)
class PlayedGames:
    """The random games of a check.

    Of `games` with these numbers of `players` and other `choices` of settings, so many `ended`, and
    `compared` were also played under the other order of names; `wanted` were to be played. The
    fault or the difference that stopped them is the `finding`. Of the invariants, so many are
    `proved`, and so many only `watched` in the games.
    """

    games: int = 0
    compared: int = 0
    finding: Diagnostic | None = None
    ended: int = 0
    wanted: int = 0
    players: tuple[int, ...] = ()
    choices: int = 0
    proved: int = 0
    watched: int = 0


class _WorkDone(Exception):
    """The end of the steps for games."""


class _Work:
    """The steps that are left for games."""

    def __init__(self, left: float) -> None:
        self.left = left

    def spend(self, steps: int) -> None:
        """Take steps away; raises `_WorkDone` if they were more than are left."""
        self.left -= steps
        if self.left < 0:
            raise _WorkDone


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
        with remembering(Memory(proved=True)):
            other = other_order(game, main, expansions, settings, paths)
            more = _other_settings(game, main, expansions, settings, paths)
            return random_games(game.checked, other, games, more)

    found: PlayedGames = Cache.of_user().load_or_make(
        entry_name("played", key, "pickle"), make, pickle.dumps, pickle.loads
    )
    return found


Orders = tuple[tree.Checked, tree.Checked | None]
"""A game, and the same game under the other order of names if that has to make no difference."""


def _other_settings(
    game: Game,
    main: str,
    expansions: Sequence[str],
    settings: Mapping[str, int | bool | str],
    paths: Sequence[str],
) -> Iterator[Orders]:
    """Yield a game that was loaded with these arguments under other choices of settings."""
    free = {
        name: (False, [value for value in each.values if value != each.chosen])
        for each in game.checked.game.settings
        if (name := each.key.replace("/", ".")) not in settings
    }
    for chosen in choices(free)[:FURTHER_CHOICES]:
        with suppress(RulesError):
            every = {**settings, **chosen}
            other = load(main, expansions, every, READY_ENGINE, paths=paths)
            yield other.checked, other_order(other, main, expansions, every, paths)


def choices(free: Mapping[str, tuple[bool, Sequence[_Value]]]) -> list[dict[str, _Value]]:
    """Return choices of settings in which their other values take turns.

    All are changed, then every second one, and those that `always` are.
    """
    tried = list[dict[str, _Value]]()
    for number in range(1, CHOICES):
        chosen = dict[str, _Value]()
        for at, (name, (always, values)) in enumerate(sorted(free.items())):
            if not values:
                continue
            if number == 1:
                chosen[name] = values[-1]
            elif always or len(free) == 1:
                chosen[name] = values[(number - 2) * len(values) // 2]
            elif at % 2 == number % 2:
                chosen[name] = values[0]
        if chosen and chosen not in tried:
            tried.append(chosen)
    return tried


_Value = TypeVar("_Value")


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
    return bool(_strangers(game.game)) and not any(each.slug in ORDERS for each in found)


def _strangers(game: LinkedGame) -> list[Ruleset]:
    every = game.rulesets
    return [one for one in every if any(game.strangers(one.id, other.id) for other in every)]


def random_games(
    one: tree.Checked, two: tree.Checked | None, games: int, more: Iterable[Orders] = ()
) -> PlayedGames:
    """Play so many games, and compare some of them with those of `two`, if it is given.

    Further numbers of players, and `more` games, take turns first, for `FURTHER` steps each at
    most. All invariants are watched. No game begins or goes on after `WORK` steps.
    """
    numbers = sorted(one.game.numbers, key=lambda number: (number < 2, number))[:games]
    chosen, rounds = iter(more), list[tuple[int, Orders]]()
    for number in numbers[1:]:
        rounds.append((number, next(chosen, (one, two))))
    for at, each in enumerate(islice(chosen, games - len(numbers))):
        several = each[0].game.numbers
        rounds.append((several[at % len(several)], each))
    known, work = proved(one), _Work(WORK)
    played = PlayedGames(
        wanted=games,
        players=tuple(sorted(numbers)),
        choices=sum(each[0] is not one for _, each in rounds),
        proved=len(known),
        watched=len(one.invariants) - len(known),
    )
    for players, each in rounds:
        work.left -= FURTHER
        orders = _orders(players, *each, _Work(FURTHER))
        played = _played(orders, range(games // (len(rounds) + 1)), played)
        if played.finding is not None:
            break
    else:
        orders = _orders(numbers[0], one, two, work)
        played = _played(orders, range(games - played.games), played)
        if played.finding is None and played.games and not played.ended:
            played = replace(played, finding=_endless(orders[0], played.games))
    span = played.finding.span if played.finding else None
    wrong = sum(each.key in known and _is_in(span, each) for each in one.invariants)
    return replace(played, proved=played.proved - wrong, watched=played.watched + wrong)


def _is_in(span: Span | None, invariant: tree.Invariant) -> bool:
    """Return whether a place is in an invariant, which then did not hold when the game began."""
    whole = invariant.span.to(invariant.holds.span)
    if span is None or span.source.name != whole.source.name:
        return False
    return whole.start <= span.start < whole.end


def _played(orders: Sequence[_Order], games: range, played: PlayedGames) -> PlayedGames:
    """Play games, and compare some under both orders; return all that were played."""
    done = ended = compared = over = 0
    finding = None
    try:
        if len(orders) > 1:
            for compared, over in _compared(orders, games):  # noqa: B007
                pass
        for game in games:
            ended += orders[0].play_out(game)
            done += 1
    except _WorkDone:
        pass
    except _Fault as fault:
        done += 1
        finding = _finding(fault, orders, SHOWING)
    return replace(
        played,
        games=played.games + max(done, compared),
        compared=played.compared + compared,
        ended=played.ended + (over if done < compared else ended),
        finding=finding,
    )


def _endless(order: _Order, games: int) -> Diagnostic | None:
    """Return the finding that no game reaches its end; None if one does that goes on longer."""
    checked, work = order.plain, order.work
    state, limit = order.start(), checked.game.roles.limit
    work.left = inf
    order.draw(state, 0, range(0, MOVES, PART))
    span = _goes_on(state.position, checked)
    work.left = WORK
    with suppress(_WorkDone):
        try:
            order.draw(state, 0, range(MOVES, 2 * limit, PART))
        except PlayError as error:
            message = f"{error.message}, in a random game of more than {MOVES} moves"
            return Diagnostic(error.slug, message, error.span)
        if not state.cut_short and state.mover is None:
            return None
    many = "the random game does not" if games == 1 else f"none of {games} random games does"
    return Diagnostic(
        "no-steps-left",
        f"{many} end within {MOVES} moves, and one that goes on does not end by itself",
        span,
        help=("each pass must come closer to the end, whatever players choose",),
        severity=Severity.WARNING,
    )


def _goes_on(position: Position, checked: tree.Checked) -> Span:
    """Return the place of the outermost loop that a game runs in, or of the action of the game."""
    rules = (*checked.actions.values(), *checked.choices.values())
    loops = [each for each in tree.walk(rules) if isinstance(each, tree.While)]
    for frame in reversed(position.frames()):
        file, start, _ = frame.point.called or ("", 0, 0)
        for loop in loops:
            if loop.span.source.name == file and loop.span.start <= start < loop.span.end:
                return loop.span
    return checked.actions[checked.play].span


def _compared(orders: Sequence[_Order], games: range) -> Iterator[tuple[int, int]]:
    """Compare games, and yield after each position how many are done, and how many of them ended.

    Raises `_Fault`.
    """
    positions = ended = 0
    for done, game in enumerate(games):
        if positions >= len(games) * POSITIONS:
            return
        table = _Table(orders)
        for _ in table.positions(Rng.seeded(game), MOVES):
            positions += 1
            yield done, ended
        ended += table.is_over
        yield done + 1, ended


def played_briefly(game: tree.Checked) -> PlayedGames:
    """Play a few games, and do not cache the result."""
    return random_games(game, None, FEW)


def comparison(
    one: tree.Checked, two: tree.Checked | None, players: int
) -> Iterator[Diagnostic | None]:
    """Compare random games under two orders of names: yield None after each position.

    Without a second order the invariants alone are watched. The finding comes last, if there is
    one.
    """
    orders = _orders(players, one, two)
    try:
        for _ in _compared(orders, range(GAMES)):
            yield None
    except _WorkDone:
        return
    except _Fault as fault:
        yield _finding(fault, orders, BRIEFLY)


def failing_game(checked: tree.Checked, players: int, seed: int) -> Diagnostic | None:
    """Return the finding for a random game of a seed; None if no rule fails in it."""
    orders, luck = _orders(players, checked, None), Rng.seeded(seed)
    try:
        game = _Table(orders)
        while len(game.moves) < MOVES and game.compared():
            game.pick(luck.weighted(list(game.states[0].position.outlook.weights)))
    except _WorkDone:
        return None
    except _Fault as fault:
        return _finding(fault, orders, BRIEFLY)
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
    orders = [_Order(each, players, _Work(inf), engine) for each in versions]
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
            fault = _shortest(orders, found, SHOWING)
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
    with suppress(PlayError):
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
    players: int, one: tree.Checked, two: tree.Checked | None, work: _Work | None = None
) -> list[_Order]:
    """Return a game under one or both orders of names, with all invariants watched."""
    work = work or _Work(WORK)
    games = (each for each in (one, two) if each is not None)
    return [_Order(each, players, work, invariants=each.invariants) for each in games]


class _Order:
    """A game under one order of names, prepared for a few plays, and the work that is left for it.

    In `checked`, `invariants` are `watched`; in `plain` none are. Without an `engine` the one that
    starts at once plays, and after some steps the one that compiles.
    """

    def __init__(
        self,
        plain: tree.Checked,
        players: int,
        work: _Work,
        engine: str = "",
        invariants: Sequence[tree.Invariant] = (),
    ) -> None:
        self.plain, self.players, self.work = plain, players, work
        self.checked = watched(plain, invariants)
        self._soon = 0 if engine else SOON
        self._never: PlayError | None = None  # the failure before the first decision
        self._play_by(engine or READY_ENGINE)

    def _play_by(self, engine: str) -> None:
        self._game = Game(self.checked, engine)
        self._trial: Trial = engine_of(engine).trial(self.checked, self.players)

    def start(self) -> State:
        """Return a new game in which chance is offered as moves; raises PlayError."""
        if self._never is not None:
            raise self._never
        if self._soon < 0:
            self._soon = 0
            self._play_by(playable(DEFAULT_ENGINE)[0])
        try:
            return State(self._game, self._trial.start(None))
        except PlayError as error:
            self._never = error
            raise

    def counted(self, state: State, play: Callable[[], _Result]) -> _Result:
        """Play moves in a state and count the steps; raises PlayError and `_WorkDone`."""
        before = state.position.spent
        try:
            played = play()
        except PlayError as error:
            self._lose(ENDLESS if error.slug == "no-steps-left" else FAILED)
            raise
        self._lose(state.position.spent - before + MOVE)
        self.work.spend(0)
        return played

    def _lose(self, steps: int) -> None:
        if self._soon:
            self._soon = max(0, self._soon - steps) or -1
            steps *= SLOWER
        self.work.left -= steps

    def play_out(self, seed: int) -> bool:
        """Play the random game of a seed, and return whether it ended; raises `_Fault`."""
        try:
            state = self.start()
            self.draw(state, seed)
        except PlayError:
            self.work.left = inf  # this is the last game
            _Table([self]).play_out(seed)  # move by move, to know the moves
            raise
        return not state.position.outlook.weights

    def draw(self, state: State, seed: int, moves: range = PARTS) -> int:
        """Play the random moves of a seed with these numbers, and return how many there were.

        Raises PlayError.
        """
        played = 0
        for at in moves:
            luck = seed + (at << 32)
            part = self.counted(state, partial(state.position.playout, PART, luck))
            self.work.spend(part * MOVE)
            played += part
            if part < PART:
                break
        return played

    def result(self, seed: int) -> tuple[object, ...]:
        """Return the number of moves of a random game, the winners and the points.

        Raises PlayError.
        """
        state = self.start()
        return self.draw(state, seed), state.winners, state.scores()


def named(move: str) -> str:
    """Return the name of a move with sorted members of sets, which come by their rulesets."""
    return _MEMBERS.sub(lambda found: ", ".join(sorted(found[0].split(", "))), move)


_Result = TypeVar("_Result")


class _Table:
    """One game, played in the same way under one or both orders of names; `moves` so far.

    Moves are called by their names, sorted.
    """

    def __init__(self, orders: Sequence[_Order]) -> None:
        self.orders = orders
        self.moves: list[str] = []
        self._legal: list[dict[str, Move]] = []
        self.states: list[State] = self._each([order.start for order in orders])

    @property
    def is_over(self) -> bool:
        """Whether the game had ended when it was compared last."""
        return not self._legal[0]

    def play(self, luck: Rng, most: int, first: Sequence[str] = ()) -> None:
        """Play up to `most` moves: the `first` ones as long as they are legal, then random ones.

        Raises `_Fault`.
        """
        for _ in self.positions(luck, most, first):
            pass

    def positions(self, luck: Rng, most: int, first: Sequence[str] = ()) -> Iterator[None]:
        """Play as `play` does, and yield at each position."""
        while len(self.moves) < most:
            legal = self.compared()
            yield
            if not legal:
                return
            at = len(self.moves)
            wanted = at < len(first) and first[at] in legal
            self.step(first[at] if wanted else legal[luck.below(len(legal))])
        self.compared()
        yield

    def play_out(self, seed: int) -> None:
        """Play the moves of the first order's random game of a seed; raises `_Fault`."""
        for at in PARTS:
            luck = Rng.seeded(seed + (at << 32))
            for _ in range(PART):
                if not self.compared():
                    return
                self.pick(luck.weighted(list(self.states[0].position.outlook.weights)))

    def compared(self) -> Sequence[str]:
        """Return the names of the legal moves, sorted; raises `_Fault` if the games differ."""
        self._legal = [{named(str(move)): move for move in state.moves()} for state in self.states]
        self.orders[0].work.spend(COMPARED + NAMED * len(self._legal[0]))
        if len(self.states) == 1:
            return sorted(self._legal[0])
        seen = [_seen(state, each) for state, each in zip(self.states, self._legal, strict=True)]
        for name, *values in zip(_SEEN, *seen, strict=True):
            if values[0] != values[-1]:
                shown = " and ".join(f"`{_short(each)}`" for each in _apart(values[0], values[-1]))
                raise _Fault(self.moves, None, f"{name}: {shown}", alike=False)
        return sorted(self._legal[0])

    def pick(self, index: int) -> None:
        """Play candidate `index` of the first order; raises `_Fault`."""
        self.step(named(str(self.states[0].moves()[index])))

    def step(self, move: str) -> None:
        """Play a move that was legal when the games were compared; raises `_Fault`."""
        self.moves.append(move)
        self._each(
            [
                partial(order.counted, state, partial(state.play, legal[move]))
                for order, state, legal in zip(self.orders, self.states, self._legal, strict=True)
            ]
        )

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


def _shortest(orders: Sequence[_Order], fault: _Fault, steps: int) -> _Fault:
    """Return the same fault in the shortest game that is found in so many steps."""
    left, orders[0].work.left = orders[0].work.left, steps
    table = partial(_Table, orders[:1] if fault.alike else orders)
    with suppress(_WorkDone):
        for shorter in _shorter(table, fault):
            fault = shorter
    orders[0].work.left = left
    return fault


def _shorter(table: Callable[[], _Table], fault: _Fault) -> Iterator[_Fault]:
    """Yield the same fault in shorter and shorter games.

    Games go on at random from a position of the shortest one known, or leave out some of its moves:
    half, a quarter, … and at last one.
    """
    luck = Rng.seeded(0)
    for _ in range(TRIES):
        if fault.moves:
            kept = fault.moves[: luck.below(len(fault.moves))]
            if found := _again(table, fault, kept, luck):
                fault = found
                yield fault
    size = len(fault.moves) // 2
    while size:
        at = 0
        while at < len(fault.moves):
            kept = fault.moves[:at] + fault.moves[at + size :]
            if found := _again(table, fault, kept, luck):
                fault = found
                yield fault
            else:
                at += size
        size //= 2


def _again(
    table: Callable[[], _Table], fault: _Fault, first: Sequence[str], luck: Rng
) -> _Fault | None:
    """Return the same fault in a game of fewer moves that begins with some, if it has it."""
    try:
        table().play(luck, len(fault.moves) - 1, first)
    except _Fault as found:
        if found.key == fault.key:
            return found
    return None


def _finding(found: _Fault, orders: Sequence[_Order], steps: int) -> Diagnostic:
    """Return a fault as an error with the rules that met and a scenario that leads to it.

    So many steps are spent to look for fewer moves.
    """
    order = orders[0]
    fault = _shortest(orders, found, steps)
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

    with suppress(PlayError):
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
    except PlayError:
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
    lines = [f"scenarios: {root}", "edition: 1", f"with: [{', '.join(others)}]", "tests:"]
    chosen = {s.key.replace("/", "."): s.chosen for s in game.settings if s.chosen != s.default}
    if chosen:
        lines.insert(3, f"settings: {chosen}")
    lines += ["  - name: random moves", f"    players: {order.players}"]
    lines += (
        ["    moves:", *(f"      - '{move}'" for move in fault.moves)]
        if fault.moves
        else ["    moves: []"]
    )
    if invariant is not None:
        written = " ".join(invariant.holds.span.text.split())
        return [*lines, f'    expect: {{holds: ["{written}"]}}']
    points = dict.fromkeys(game.roles.colours[: order.players], 0)
    with suppress(PlayError):  # the last move fails if it does so under both orders
        for state in _replayed(order.start(), fault.moves[: len(fault.moves) - fault.alike]):
            points = state.scores()
    scores = ", ".join(f"{colour}: {each}" for colour, each in points.items())
    return [*lines, f"    expect: {{scores: {{{scores}}}}}"]
