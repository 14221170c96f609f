"""Golden records: recorded games that must go the same way again, with each move's effects."""

from __future__ import annotations

import io
import re
import shlex
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import replace
from hashlib import sha256

from rulesdsl.engine.run import DEFAULT_ENGINE
from rulesdsl.engine.run.interface import PlayError
from rulesdsl.engine.run.rng import Rng
from rulesdsl.language.diagnostics import Diagnostic, RulesError, Source, Span
from rulesdsl.language.model.names import short_name
from rulesdsl.language.read.find import GOLDEN_SUFFIX, places_of
from rulesdsl.play.bots import RandomBot
from rulesdsl.play.events import GainLog, Turns, describe
from rulesdsl.play.game import CHANCE, Game, State, load
from rulesdsl.play.moves import IllegalMove, Move
from rulesdsl.play.records import Header, Record, RecordedMove, Recorder, Then, read_record
from rulesdsl.play.scenario import outcome
from rulesdsl.play.scenario.expect import InvariantWatch
from rulesdsl.play.scenario.steps import NOBODY, offered, step_text

MOVES = 10_000
"""The number of random moves after which a game is given up."""

_DIGITS = 16
_UNTOLD = ("scores: ", "known to ", "running ", "generator: ")
"""Prefixes of lines that repeat other facts, or that nobody at a table sees.

The digest includes them.
"""


class Aftermath:
    """The effects of the moves of a state; call `then` after each move."""

    def __init__(self, state: State) -> None:
        self._state = state
        self._scores = state.scores()
        self._canonical = state.canonical()

    def then(self) -> Then:
        """Return the effects of the last move."""
        before, canonical = facts(self._canonical), self._state.canonical()
        now, scores = facts(canonical), self._changed()
        gone, new = sorted((before - now).elements()), sorted((now - before).elements())
        changes = (*(f"-{fact}" for fact in gone), *(f"+{fact}" for fact in new))
        self._canonical, self._scores = canonical, self._state.scores()
        return Then(scores, changes, _digest(canonical))

    def is_as(self, expected: Then) -> bool:
        """Return whether the last move had these effects, and if so turn to the next move.

        Changes need not be compared, since they follow from the position.
        """
        canonical = self._state.canonical()
        if _digest(canonical) != expected.state or self._changed() != expected.scores:
            return False
        self._canonical, self._scores = canonical, self._state.scores()
        return True

    def _changed(self) -> dict[str, int]:
        scores = self._state.scores()
        return {each: points for each, points in scores.items() if points != self._scores[each]}


def _digest(canonical: str) -> str:
    return sha256(canonical.encode()).hexdigest()[:_DIGITS]


def facts(canonical: str, untold: tuple[str, ...] = _UNTOLD) -> Counter[str]:
    """Count the facts in a canonical text, the items of its lists one by one.

    The first line names the mover and is left out, as are lines that begin with an `untold` prefix.
    """
    found = Counter[str]()
    for line in canonical.splitlines()[1:]:
        if line.startswith(untold):
            continue
        head, colon, rest = line.partition(": ")
        found.update(f"{head}{colon}{item}" for item in rest.split(", "))
    return found


_MOVE = re.compile(r'"move": "[^"]*"(, "args": \{[^}]*\})?')
_ROOT = re.compile(r'"root": "[^"]*"')


class Golden:
    """A golden record with its name and its place in a file."""

    def __init__(self, record: Record, paths: Sequence[str], engine: str) -> None:
        source = record.span.source
        file = source.name.replace("\\", "/").rpartition("/")[2]
        self.name = record.header.name or file.removesuffix(GOLDEN_SUFFIX)
        self.span = _part(record.span, _ROOT)
        self.record = record
        self._paths = (*places_of(source.name), *paths)
        self._engine = engine

    def game(self) -> Game:
        """Load the game that the record is played with; raises RulesError if that fails."""
        head = self.record.header
        return load(head.root, head.expansions, head.settings, self._engine, paths=self._paths)

    def run(self) -> outcome.Outcome:
        """Play the record back; the finding is the first difference."""
        try:
            game = self.game()
        except RulesError as error:
            here = self.span
            found = [
                outcome.FailedExpectation(replace(each, span=each.span or here))
                for each in error.diagnostics
            ]
            return outcome.Outcome(self.name, self.span, tuple(found))
        difference = _difference(self.record, game)
        findings = () if difference is None else (outcome.FailedExpectation(difference),)
        return outcome.Outcome(self.name, self.span, findings, tuple(r.id for r in game.rulesets))


def read_golden(source: Source, paths: Sequence[str] = (), engine: str = DEFAULT_ENGINE) -> Golden:
    """Return the golden record in `source`.

    Rulesets are looked up beside it, then in `paths` and the usual places. Raises RulesError if it
    is not a record.
    """
    return Golden(read_record(source), paths, engine)


def _difference(record: Record, game: Game) -> Diagnostic | None:
    head = record.header
    try:
        state = game.start(head.players, head.seed)
    except ValueError as error:
        return _differs(str(error), _part(record.span, _ROOT))
    except PlayError as error:
        return _differs(f"the game does not begin: {error.message}", _part(record.span, _ROOT))
    return _Replay(record, state).difference()


def _differs(message: str, span: Span | None, *help: str) -> Diagnostic:
    return Diagnostic("golden-differs", message, span, help=tuple(each for each in help if each))


class _Replay:
    def __init__(self, record: Record, state: State) -> None:
        self._record = record
        self._state = state
        self._turns = Turns()
        self._aftermath = Aftermath(state)
        self._played = 0
        self._watch = InvariantWatch(state, scene=False)

    def difference(self) -> Diagnostic | None:
        if broken := self._broken(self._record.span, "at the start"):
            return broken
        for entry in self._record.entries:
            if (found := self._step(entry)) is not None:
                return found
        return self._end()

    def _step(self, entry: RecordedMove) -> Diagnostic | None:
        state, turn = self._state, self._turns.number
        move = recorded_move(state, entry)
        if move is None:
            return _not_offered(state, entry, turn)
        if entry.offered not in (None, len(state.moves())):
            return _others_offered(state, entry, turn)
        self._turns.before(state)
        try:
            state.play(move)
        except PlayError as error:
            message = f"turn {turn} differs: {_told(entry)} fails: {error.message}"
            return _differs(message, _move(entry))
        self._turns.after(state)
        self._played += 1
        when = f"after {_told(entry)} of {entry.by} in turn {turn}"
        if broken := self._broken(_move(entry), when):
            return broken
        if entry.then is None or self._aftermath.is_as(entry.then):
            return None
        return self._otherwise(entry, entry.then, turn)

    def _broken(self, span: Span, when: str) -> Diagnostic | None:
        self._watch.look(self._state, span, when)
        return next((each.diagnostic for each in self._watch.found), None)

    def _otherwise(self, entry: RecordedMove, expected: Then, turn: int) -> Diagnostic:
        found, help = self._aftermath.then(), list[str]()
        old = self._before().scores()
        if expected.scores != found.scores:
            wanted, there = {**old, **expected.scores}, {**old, **found.scores}
            help.append(outcome.of_mappings(wanted, there))
            help += [f"found: {gain}" for gain in _gains(self._before(), entry)]
        if expected.changes != found.changes:
            help.append(outcome.of_sets(expected.changes, found.changes))
        if expected.scores != found.scores:
            what = "other points are awarded"
        elif help:
            what = "components are in other places"
        else:
            what = "something that is not visible on the table differs"
            help.append("what players know, what is queued, or the next outcome of chance")
        message = f"turn {turn} differs: after {_told(entry)} of {entry.by} {what}"
        return _differs(message, _move(entry), *help)

    def _before(self) -> State:
        head, game = self._record.header, self._state.game
        state = game.start(head.players, head.seed)
        for entry in self._record.entries[: self._played - 1]:
            state.play(state.recorded(entry.move, entry.args))
        return state

    def _end(self) -> Diagnostic | None:
        """Return the difference that remains when all moves are played."""
        record, state = self._record, self._state
        if record.cut is not None:
            return _differs("the record is cut off in the middle of a line", record.cut)
        if record.result is None:
            message = "the record has no last line with the result of the game"
            return _differs(message, record.span, _accept(record))
        if state.mover is not None:
            message = f"the game is not over after the last move: it is {state.mover}'s decision"
            return _differs(message, record.result_span, f"legal moves: {offered(state)}")
        scores = state.scores()
        if dict(record.result) != scores:
            table = outcome.of_mappings(record.result, scores)
            return _differs("the game ends with other points", record.result_span, table)
        if record.winners != state.winners:
            row = ("winners", ", ".join(record.winners), ", ".join(state.winners))
            table = outcome.side_by_side([row])
            return _differs("the game ends with other winners", record.result_span, table)
        golden = record.header.name is not None or record.span.source.name.endswith(GOLDEN_SUFFIX)
        if not golden or record.digest == _digest_before(record.result_span):
            return None
        message = "the digest in the last line is not that of the lines before"
        if record.digest is None:
            message = "the last line has no digest of the lines before"
        return _differs(message, record.result_span, _accept(record))


def _accept(record: Record) -> str:
    """Return how to write a record anew, if it is right as it is played."""
    return f"to write it anew: rulesdsl test {shlex.quote(record.span.source.name)} --update"


def _digest_before(end: Span | None) -> str:
    """Return the digest of the lines before the last one, whatever ends them."""
    text = "" if end is None else end.source.text[: end.start].removeprefix("\ufeff")
    return _digest("\n".join(line.strip() for line in text.split("\n") if line.strip()))


def _move(entry: RecordedMove) -> Span:
    return _part(entry.span, _MOVE)


def _part(line: Span, what: re.Pattern[str]) -> Span:
    """Return the part of a line that a pattern finds, or all of it."""
    found = what.search(line.text)
    if found is None:
        return line
    return line.source.span(line.start + found.start(), line.start + found.end())


def _told(entry: RecordedMove) -> str:
    """Return the move of a line as scenarios write it."""
    return f"`{step_text(entry.move, list(entry.args.values()))}`"


def _not_offered(state: State, entry: RecordedMove, turn: int) -> Diagnostic:
    begin = f"turn {turn} differs"
    if state.mover is None:
        return _differs(f"{begin}: the game is over before {_told(entry)}", _move(entry))
    there = f"legal moves: {offered(state)}"
    if state.mover != entry.by:
        asked = short_name(entry.move).rpartition(".")[0] or entry.move
        rows = [("mover", entry.by, state.mover), ("asked", asked, state.asked or NOBODY)]
        table = outcome.side_by_side(rows)
        return _differs(f"{begin}: another player is asked", _move(entry), table, there)
    message = f"{begin}: {_told(entry)} is not legal for {entry.by}"
    return _differs(message, _move(entry), there)


def _others_offered(state: State, entry: RecordedMove, turn: int) -> Diagnostic:
    rows = [("moves", str(entry.offered), str(len(state.moves())))]
    message = f"turn {turn} differs: {entry.by} has other legal moves"
    table = outcome.side_by_side(rows)
    return _differs(message, _move(entry), table, f"legal moves: {offered(state)}")


def _gains(before: State, entry: RecordedMove) -> Iterator[str]:
    log = GainLog(before)
    before.listen(log.hear)
    before.play(before.recorded(entry.move, entry.args))
    for gain in log.take():
        yield f"{gain.player} {describe(gain, before.game, 'en')}"


def golden_text(record: Record, game: Game, name: str | None = None) -> str:
    """Return the golden record of the game in `record` as `game` plays it.

    The record may have been made with another game. From the first move of the record that is not
    legal, and after its last one, all players play at random up to the end of the game. `name` is
    the new name of the record, by default the old one. Raises PlayError if a rule fails, and
    ValueError if the game is not for that number of players or does not end.
    """
    header = record.header
    state = game.start(header.players, header.seed)
    file = io.StringIO()
    named = replace(Header.of(game, header.players, header.seed), name=name or header.name)
    recorder, aftermath = Recorder(file, named), Aftermath(state)
    source = _Moves(record, state)
    while (move := source.next()) is not None:
        by, offered = state.mover, len(state.moves())
        assert by is not None, "where there is a move somebody moves"
        state.play(move)
        recorder.move(by, move, offered=offered, then=aftermath.then().fields())
    recorder.result(state, digest=_digest(file.getvalue().strip()))
    return file.getvalue()


class _Moves:
    """The moves of a record as long as they are legal, and random ones from then on."""

    def __init__(self, record: Record, state: State) -> None:
        self._entries = iter(record.entries)
        self._state = state
        self._seed = record.header.seed or 0
        self._bots: dict[str, RandomBot] | None = None
        self._random = 0

    def next(self) -> Move | None:
        """Return the next move, None at the end; raises ValueError if that does not come."""
        if self._state.mover is None:
            return None
        if self._bots is None:
            entry = next(self._entries, None)
            if entry and (found := recorded_move(self._state, entry)) is not None:
                return found
            seats = enumerate(self._state.players)
            self._bots = {colour: RandomBot(self._seed, seat) for seat, colour in seats}
            self._luck = Rng.seeded(self._seed, 1 + len(self._bots))
        self._random += 1
        if self._random > MOVES:
            raise ValueError(f"the game does not end in {MOVES} random moves")
        if self._state.mover == CHANCE:
            moves = self._state.moves()
            return moves[self._luck.weighted([each.weight for each in moves])]
        return self._bots[self._state.mover].decide(self._state)


def recorded_move(state: State, entry: RecordedMove) -> Move | None:
    """Return the move in a line of a record, None if it is not legal for the player who made it."""
    if state.mover != entry.by:
        return None
    try:
        return state.recorded(entry.move, entry.args)
    except IllegalMove:
        return None
