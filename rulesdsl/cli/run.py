"""`rulesdsl run` and `rulesdsl replay`: play a game, or replay a recorded one."""

from __future__ import annotations

import copy
import shlex
from argparse import Namespace
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from rulesdsl.cli.console import CLEAN, PROBLEMS, Console, bad_argument, output_failed
from rulesdsl.cli.loading import (
    STDIN,
    RecordFile,
    folders_of,
    game_of,
    painter,
    parts,
    read_source,
    settings,
    shows_board,
    teller,
    words,
)
from rulesdsl.cli.narration import HUMAN, RECORDED, Narrator, Start
from rulesdsl.cli.prompt import Command, Prompt
from rulesdsl.cli.words import Words
from rulesdsl.diagnostics import Diagnostic, Severity
from rulesdsl.diagnostics.wording import did_you_mean
from rulesdsl.engines import DEFAULT_ENGINE, READY_ENGINE
from rulesdsl.play import Game, Move, OutOfTime, Place, PlayError, State, load
from rulesdsl.play.bots import BOTS, Bot, bot_maker
from rulesdsl.play.records import Header, Record, Recorder, read_record
from rulesdsl.play.watch import Watch, played


@dataclass(frozen=True)
class Save:
    """A snapshot of everything that a move changes."""

    state: State
    watch: Watch
    bots: Mapping[str, Bot]
    record: int


@dataclass
class Session:
    """A game in progress.

    `bots` play for their colours; people play for all others, through `prompt`.
    """

    state: State
    watch: Watch
    bots: Mapping[str, Bot]
    teller: Narrator
    prompt: Prompt
    file: RecordFile
    recorder: Recorder

    def play(self) -> bool:
        """Play on; return True at the end of the game, False if a person has quit.

        Raises RulesError if the record cannot be written, and PlayError if a rule fails.
        """
        saves: list[Save] = []
        fresh, last = True, None
        while (mover := self.state.mover) is not None:
            bot = self.bots.get(mover)
            if bot is not None:
                move = bot.decide(self.state)
                last = self._play(move) or last
                fresh = True
                continue
            answer = self.prompt.ask(self.state, last, fresh)
            match answer:
                case Move():
                    saves.append(self._save())
                    last = self._play(answer) or last
                    fresh = self.state.mover != mover
                case Command.UNDO if saves:
                    self._restore(saves.pop())
                    self.prompt.say("undone")
                    fresh = True
                case Command.UNDO:
                    self.prompt.say("nothing-to-undo")
                case _:
                    return False
        self._record_result()
        self.teller.end(self.state, self.watch.points)
        return True

    def _play(self, move: Move) -> Place | None:
        """Play, record and show a move; return the cell on which it laid a piece."""
        self.watch.before()
        by = self.state.mover
        assert by is not None, "the game is not over"
        self.state.play(move)
        try:
            self.recorder.move(by, move)
        except OSError as error:
            raise self._unwritten(error) from None
        step = self.watch.after(move)
        self.teller.moved(step, self.state)
        return step.laid

    def _record_result(self) -> None:
        try:
            self.recorder.result(self.state)
        except OSError as error:
            raise self._unwritten(error) from None

    def _unwritten(self, error: OSError) -> Exception:
        return output_failed(
            f"the record `{self.file.name}`",
            error,
            "the moves recorded so far are kept and can be replayed",
        )

    def _save(self) -> Save:
        state = self.state.clone()
        return Save(
            state,
            self.watch.copy(state),
            copy.deepcopy(self.bots),
            self.file.mark(),
        )

    def _restore(self, save: Save) -> None:
        try:
            self.file.cut(save.record)
        except OSError as error:
            raise self._unwritten(error) from None
        self.state, self.watch = save.state, save.watch
        self.bots = save.bots


DEFAULT_SEED = 0
DEFAULT_BOT = "random"


@dataclass(frozen=True)
class RunningGame:
    """A game that is ready to be continued, with the record it continues, if any."""

    game: Game
    state: State
    watch: Watch
    seed: int
    record: Record | None = None


def command(arguments: Namespace, console: Console) -> int:
    """Play a game to its end, or until a person quits."""
    table = _resumed(arguments, console) if arguments.resume is not None else _fresh(arguments)
    console.show(table.game.report)
    humans = _humans(arguments, table.state.players)
    names = _bot_names(arguments, [c for c in table.state.players if c not in humans])
    text = words(table.game, arguments.lang, console)
    file = _file(arguments, table)
    try:
        recorder = _recorder(file, table)
        told = teller(arguments, text, console, humans)
        seats = {colour: names.get(colour, HUMAN) for colour in table.state.players}
        told.start(Start(table.state, seats, table.seed))
        session = Session(
            table.state,
            table.watch,
            _bots(names, table),
            told,
            Prompt(
                console,
                text,
                painter(text, console),
                shows_board(arguments, console),
                console.input,
            ),
            file,
            recorder,
        )
        _play(session, arguments, humans, text, console)
    except BaseException:
        file.abandon()
        raise
    try:
        file.close()
    except OSError as error:
        raise output_failed(f"the record `{file.name}`", error) from None
    return CLEAN


def _play(
    session: Session, arguments: Namespace, humans: list[str], text: Words, console: Console
) -> None:
    """Play on, and make sure that the moves of people are not lost."""
    over = False
    try:
        over = session.play()
    except (KeyboardInterrupt, OutOfTime, PlayError):
        console.say()
        _keep(session.file, arguments, humans, text, console)
        raise
    if not over:
        _keep(session.file, arguments, humans, text, console)


def _keep(
    file: RecordFile, arguments: Namespace, humans: list[str], text: Words, console: Console
) -> None:
    """Name the file of the record; one in memory is saved to a file if a person has played."""
    name = file.name
    if name is None and humans:
        try:
            name = file.save(Path())
        except OSError as error:
            raise output_failed("the record", error, "name a file with --record") from None
    if name is not None:
        resume = ["rulesdsl", "run", "--resume", name]
        resume += [word for human in humans for word in ("--human", human)]
        named = [arguments.ruleset or "", *parts(arguments.expansions)]
        found = folders_of(named, arguments.path)
        resume += [word for path in found for word in ("--path", path)]
        if arguments.engine is not None:
            resume += ["--engine", arguments.engine]
        console.say(text.texts("saved", file=name, command=shlex.join(resume)))


def _engine(arguments: Namespace) -> str:
    """Return the engine to play on if none is asked for.

    Bots that think play many games before each move and need a fast engine. Otherwise it is the one
    that starts instantly, since compiling takes longer than a game.
    """
    if arguments.engine is not None:
        return str(arguments.engine)
    thinking = set(parts(arguments.bots)) - {DEFAULT_BOT}
    return DEFAULT_ENGINE if thinking else READY_ENGINE


def _fresh(arguments: Namespace) -> RunningGame:
    """Return a new game."""
    if arguments.ruleset is None:
        raise bad_argument("no ruleset is given", "try: rulesdsl run base")
    chosen = settings(arguments.set)
    expansions = parts(arguments.expansions)
    game = load(arguments.ruleset, expansions, chosen, _engine(arguments), paths=arguments.path)
    seed = DEFAULT_SEED if arguments.seed is None else arguments.seed
    try:
        state = game.start(arguments.players, seed)
    except ValueError as error:
        raise bad_argument(str(error)) from None
    return RunningGame(game, state, Watch(state), seed)


def _resumed(arguments: Namespace, console: Console) -> RunningGame:
    """Return the game of a record at the point where it stopped."""
    fixed = {
        "a ruleset": arguments.ruleset,
        "--with": arguments.expansions,
        "--set": arguments.set,
        "--players": arguments.players,
        "--seed": arguments.seed,
        "--record": arguments.record,
    }
    given = [name for name, value in fixed.items() if value not in (None, [])]
    if given:
        raise bad_argument(
            f"the record of --resume determines the game: leave out {', '.join(given)}"
        )
    if arguments.resume == STDIN:
        raise bad_argument("--resume needs a file, because it appends to it")
    record = read_record(read_source(arguments.resume, console.input))
    if record.header.seed is None:
        raise bad_argument("the record has no seed, so its chance moves cannot be drawn")
    game = game_of(record, arguments.resume, arguments.path, _engine(arguments))
    *_, (state, watch, _) = played(record, game)
    if state.mover is None:
        raise bad_argument("the recorded game is over", "to see it: rulesdsl replay")
    return RunningGame(game, state, watch, record.header.seed, record)


def _humans(arguments: Namespace, players: tuple[str, ...]) -> list[str]:
    """Return the colours that people play."""
    humans = list(dict.fromkeys(parts(arguments.human)))
    for colour in humans:
        if colour not in players:
            raise bad_argument(
                f"there is no player `{colour}`; the players are {', '.join(players)}",
                *did_you_mean(colour, players),
            )
    if humans and arguments.json:
        raise bad_argument("--json and --human cannot be combined: leave out one of them")
    return humans


def _bot_names(arguments: Namespace, colours: list[str]) -> dict[str, str]:
    """Return the bot of each colour: one for all, or one for each."""
    names = parts(arguments.bots) or [DEFAULT_BOT]
    for name in names:
        try:
            bot_maker(name)
        except ValueError as error:
            kind = name.partition(":")[0]
            raise bad_argument(
                str(error), *(() if kind in BOTS else did_you_mean(kind, BOTS))
            ) from None
    if len(names) == 1:
        names *= len(colours)
    if len(names) != len(colours):
        raise bad_argument(f"{len(names)} bots are named, but {len(colours)} are needed")
    return dict(zip(colours, names, strict=True))


def _bots(names: Mapping[str, str], table: RunningGame) -> dict[str, Bot]:
    seats = {colour: seat for seat, colour in enumerate(table.state.players)}
    return {colour: bot_maker(name)(table.seed, seats[colour]) for colour, name in names.items()}


def _file(arguments: Namespace, table: RunningGame) -> RecordFile:
    """Return the record of the game: in a file, or in memory only."""
    try:
        if table.record is not None:
            return RecordFile.resume(arguments.resume, table.record)
        return RecordFile(arguments.record)
    except (OSError, ValueError) as error:
        name = arguments.record or arguments.resume
        raise output_failed(f"the record `{name}`", error) from None


def _recorder(file: RecordFile, table: RunningGame) -> Recorder:
    """Return the recorder, which continues a record or starts a new one with a header."""
    if table.record is not None:
        return Recorder(file, None)
    try:
        return Recorder(file, Header.of(table.game, len(table.state.players), table.seed))
    except OSError as error:
        raise output_failed(f"the record `{file.name}`", error) from None


def replay(arguments: Namespace, console: Console) -> int:
    """Replay a record; return `PROBLEMS` if it stops before the end of the game."""
    record = read_record(read_source(arguments.record, console.input))
    game = game_of(record, arguments.record, arguments.path, arguments.engine)
    text = words(game, arguments.lang, console)
    told = teller(arguments, text, console)
    for now in played(record, game):
        if now.step is None:
            seats = dict.fromkeys(now.state.players, RECORDED)
            told.start(Start(now.state, seats, record.header.seed))
        else:
            told.moved(now.step, now.state)
    told.end(now.state, now.watch.points)
    cut = _cut(record, now.state, arguments.record)
    console.show(cut)
    return PROBLEMS if cut else CLEAN


def _cut(record: Record, state: State, name: str) -> list[Diagnostic]:
    """Return the warning about a record without the result of the game."""
    if record.result is not None:
        return []
    last = record.cut or (record.entries[-1].span if record.entries else record.span)
    if record.cut is not None:
        message = "the record is cut off in the middle of a line"
    elif state.mover is None:
        message = "the record ends without the result of the game"
    else:
        message = "the record ends before the game does"
    file = "FILE" if name == STDIN else shlex.quote(name)
    help = (
        (f"to continue the game: rulesdsl run --resume {file}",) if state.mover is not None else ()
    )
    return [
        Diagnostic(
            "record-cut",
            message,
            last,
            f"{len(record.entries)} moves are played back",
            help=help,
            severity=Severity.WARNING,
        )
    ]
