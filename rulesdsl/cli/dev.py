"""`rulesdsl dev`: watch a ruleset and show the effect of every change."""

from __future__ import annotations

import os
import shutil
from argparse import Namespace
from collections.abc import Iterable, Iterator, Mapping, Sequence

from rulesdsl.cli import sheet as sheets
from rulesdsl.cli.arguments import DEV_SEED, DEV_TURNS
from rulesdsl.cli.console import CLEAN, Console, Styled, bad_argument, package_missing, rendered
from rulesdsl.cli.loading import STDIN, painter, parts, read_source, record_path, settings, words
from rulesdsl.cli.narration import standing
from rulesdsl.cli.words import Words
from rulesdsl.dev import loop
from rulesdsl.dev.hand import BlockedMove, Hand, ReplayChanges, ReplayedPosition, changes
from rulesdsl.diagnostics import Diagnostic
from rulesdsl.interrupts import INTERRUPTS
from rulesdsl.play import Game
from rulesdsl.play.records import Record, read_record
from rulesdsl.play.watch import Gain
from rulesdsl.read.load import ids_of

_MOST = 3
"""The most new or lost moves that are named."""

_LEAST_BOARD = 8
"""The fewest lines in which a board is worth drawing."""


class DevScreen:
    """Shows views one below the other as they come.

    A terminal is cleared for each look. At its end the screen is arranged: findings and failed
    tests, then the status of everything and the changes as its last lines, and above them the part
    of the board around the last piece that fits. While there are errors it is that of the last
    position.
    """

    def __init__(self, console: Console, arguments: Namespace) -> None:
        self._console, self._arguments = console, arguments
        self._words: Words | None = None
        self._reached_last: ReplayedPosition | None = None
        self._findings: list[Styled] = []
        self._status: list[Styled] = []

    def show(self, view: loop.View | None) -> None:
        """Show a view; None before the first of each look."""
        match view:
            case None:
                self._console.clear()
                self._findings, self._status = [], []
            case loop.CheckedRulesets():
                self._checked(view)
            case loop.TriedScenarios():
                self._tried(view)
            case loop.Reached():
                self._reached(view)

    def _find(self, found: Iterable[Diagnostic]) -> None:
        """Write diagnostics."""
        lines = [line for each in found for line in rendered(each)]
        self._findings += lines
        self._console.write(lines)

    def _say(self, *lines: Styled) -> None:
        """Write lines about the status."""
        self._status += lines
        self._console.write(lines)

    def _checked(self, view: loop.CheckedRulesets) -> None:
        self._find(view.findings)
        made = "" if view.game is None else f"; {_made_of(view.game)}"
        count = _number(len(view.findings), "problem") if view.findings else "no problems"
        style = "gain" if not view.findings else "error" if view.game is None else "warning"
        self._say([f"{self._arguments.ruleset}: ", (count, style), made, _time(view.seconds)])
        if view.game is None:
            self._end(None)
        elif self._words is None:
            self._words = words(view.game, self._arguments.lang, self._console)
        else:
            self._words = Words(view.game, self._arguments.lang)

    def _tried(self, view: loop.TriedScenarios) -> None:
        failed = [each for each in view.outcomes if not each.passed]
        for each in failed:
            place = f"{each.span.source.name}:{each.span.line}"
            line: Styled = [("failed", "error"), f": {each.name} ({place})"]
            self._findings.append(line)
            self._console.write([line])
            self._find(each.findings)
        self._find(view.findings)
        count = f"{len(view.outcomes) - len(failed)} passed, {len(failed)} failed"
        style = "error" if failed or view.findings else "gain"
        told = "not read" if view.findings else count
        self._say([f"{view.file}: ", (told, style), _time(view.seconds)])

    def _reached(self, view: loop.Reached) -> None:
        assert self._words is not None, "what is played was checked"
        self._find(view.findings)
        if view.position is not None:
            self._say(*_at(view.position, self._words, view.seconds))
            self._stopped(view.position)
            if view.before is not None:
                changed = changes(view.before, view.position)
                self._say(*_changed(changed, self._words))
        self._end(view.position)

    def _stopped(self, position: ReplayedPosition) -> None:
        stop = position.stop
        if stop is None:
            return
        if stop.span is not None:
            self._find([Diagnostic(stop.slug, _no_longer(stop), stop.span)])
        else:
            self._say([("error", "error"), f": {_no_longer(stop)}"])
        after = f"{_number(position.anew, 'other move')} played from there" if position.anew else ""
        self._say([f"  {after or 'this is the position before it'}"])

    def _end(self, position: ReplayedPosition | None) -> None:
        """Write the status of the game, and arrange the screen of a terminal."""
        size = shutil.get_terminal_size((80, 24))
        text = self._words
        stands = list[Styled]()
        if position is not None and text is not None:
            stands = standing(position.state, text, self._console.width)
        if not self._console.clear():
            self._console.write(stands)
            return
        waits: Styled = [("waiting for a change; Ctrl-C ends", "faint")]
        below = [*self._findings, *stands, *self._status, waits]
        used = sum(max(1, -(-len(sheets.text_of(line)) // size.columns)) for line in below)
        self._reached_last = position or self._reached_last
        board = list[Styled]()
        if self._reached_last is not None:
            board = self._board(self._reached_last, size.columns, size.lines - used - 1)
        self._console.write([*board, *below])

    def _board(self, position: ReplayedPosition, width: int, height: int) -> list[Styled]:
        """Return the part of the board around the last piece that fits."""
        text = Words(position.state.game, self._arguments.lang)
        planes, legend = painter(text, self._console).planes(position.state, {}, {})
        if not planes or height < _LEAST_BOARD:
            return []
        last = position.last
        names = [plane.name for plane in planes]
        here = last is not None and last.grid in names
        sheet = sheets.Sheet(
            "",
            planes=planes,
            plane=names.index(last.grid) if last is not None and here else 0,
            focus=sheets.middle(last) if last is not None and here else None,
            legend=legend,
        )
        return sheets.board_of(sheet, width, height)


def _made_of(game: Game) -> str:
    return ", ".join(f"{info.id} {info.version}" for info in game.rulesets)


def _at(position: ReplayedPosition, text: Words, seconds: float) -> Iterator[Styled]:
    """Yield the line about the position of the replayed game, and the decision there."""
    turn = text.texts("turn", turn=position.turn)
    moves = _number(len(position.steps), "move")
    state = position.state
    if state.mover is None:
        names = " and ".join(map(text.player, state.winners)) or "nobody"
        asked = f"the game is over; {names} {'win' if len(state.winners) > 1 else 'wins'}"
    else:
        choice = text.label(state.asked or "").replace("_", " ")
        asked = f"{text.player(state.mover)} is asked: {choice}"
    yield [(f"{turn}", "title"), f", after {moves}; {asked}", _time(seconds)]


def _no_longer(stop: BlockedMove) -> str:
    return (
        f"move {stop.number}, in turn {stop.turn}, is no longer legal: {stop.move}: {stop.message}"
    )


def _changed(found: ReplayChanges, text: Words) -> Iterator[Styled]:
    """Yield the differences from the last position."""
    if found.none:
        yield [("as before", "gain")]
        return
    points = ", ".join(
        f"{text.player(colour)} {_points(was)} -> {_points(now)}"
        for colour, (was, now) in found.scores.items()
    )
    yield [("changed", "warning"), f": {points or 'no points'}"]
    if found.first is not None:
        step = found.first.step
        move = f"{text.player(step.by)} {text.move(step.move)}"
        yield [f"  from move {step.number} on, in turn {step.turn}: {move}"]
        yield [f"    before: {_gains(found.first.before, text)}"]
        yield [f"    now:    {_gains(found.first.now, text)}"]
    for word, moves in (("now legal", found.new), ("no longer legal", found.gone)):
        if moves:
            more = f" and {len(moves) - _MOST} more" if len(moves) > _MOST else ""
            yield [f"  {word}: {', '.join(moves[:_MOST])}{more}"]
    if found.elsewhere:
        yield ["  the legal moves are the same: places of components or a state differ"]


def _gains(gains: Sequence[Gain], text: Words) -> str:
    told = (f"{text.player(gain.player)} {text.gain(gain)}" for gain in gains)
    return "; ".join(told) or "no points"


def _points(points: int | None) -> str:
    return "-" if points is None else str(points)


def _number(count: int, what: str) -> str:
    return f"{count} {what}{'s' * (count != 1)}"


def _time(seconds: float) -> tuple[str, str]:
    return f"  ({1000 * seconds:.0f} ms)", "faint"


def command(arguments: Namespace, console: Console) -> int:
    """Look, and look again after every change, until Ctrl-C."""
    try:
        from rulesdsl.dev.loop import FolderWatcher
    except ImportError:
        raise package_missing("`rulesdsl dev`", "watchfiles", "watch") from None
    record = _record(arguments, console)
    bench = loop.Bench(_asked(arguments, record), _hand(arguments, record))
    screen = DevScreen(console, arguments)
    with FolderWatcher() as watcher:
        try:
            loop.follow(bench, watcher, screen.show)
        except KeyboardInterrupt:
            if not INTERRUPTS.forgive():
                raise
            console.say()
    return CLEAN


def _record(arguments: Namespace, console: Console) -> Record | None:
    if STDIN in (arguments.ruleset, arguments.game):
        raise bad_argument("`dev` watches files and cannot read standard input")
    if arguments.game is None:
        return None
    given = {"--players": arguments.players, "--seed": arguments.seed}
    if fixed := [name for name, value in given.items() if value is not None]:
        raise bad_argument(
            f"the record of --game determines the game: leave out {', '.join(fixed)}"
        )
    arguments.game = record_path(arguments.game)
    return read_record(read_source(arguments.game, console.input))


def _asked(arguments: Namespace, record: Record | None) -> loop.BenchTask:
    """Return the task; for a record it includes everything its game was made of."""
    expansions: list[str] = parts(arguments.expansions)
    chosen: Mapping[str, int | bool | str] = settings(arguments.set)
    paths: list[str] = arguments.path
    if record is not None:
        own = ids_of([arguments.ruleset, *expansions])
        made = (record.header.root, *record.header.expansions)
        expansions = [*expansions, *(name for name in made if name not in own)]
        chosen = {**record.header.settings, **chosen}
        paths = [*paths, os.path.dirname(arguments.game) or os.curdir]
    engine, seconds = arguments.engine, arguments.each
    return loop.BenchTask(arguments.ruleset, expansions, chosen, paths, engine, seconds)


def _hand(arguments: Namespace, record: Record | None) -> Hand:
    if arguments.turn is not None and arguments.turn < 0:
        raise bad_argument(f"there is no turn {arguments.turn}")
    if record is not None:
        return Hand(record.header.players, record.header.seed, arguments.turn, record)
    turns = DEV_TURNS if arguments.turn is None else arguments.turn
    seed = DEV_SEED if arguments.seed is None else arguments.seed
    return Hand(arguments.players, seed, turns)
