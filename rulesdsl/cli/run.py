"""`rulesdsl run` and `rulesdsl replay`: play a game, or replay a recorded one."""

from __future__ import annotations

import os
import shlex
from argparse import Namespace
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import replace
from datetime import date
from pathlib import Path
from random import SystemRandom

from rulesdsl.base.records import dataclass
from rulesdsl.cli import listing, loading
from rulesdsl.cli.console import (
    CLEAN,
    Console,
    bad_argument,
    exit_code,
    output_failed,
    output_to,
    refusing,
)
from rulesdsl.cli.narration import HUMAN, RECORDED, Start
from rulesdsl.cli.prompt import Prompt
from rulesdsl.cli.session import PastMove, Save, TerminalSession
from rulesdsl.cli.words import Words, saying
from rulesdsl.engine.run import DEFAULT_ENGINE
from rulesdsl.engine.run.rng import Rng
from rulesdsl.language.diagnostics import Diagnostic, Severity
from rulesdsl.language.diagnostics.report import did_you_mean
from rulesdsl.play import Game, OutOfTime, PlayError, State
from rulesdsl.play.bots import Bot, bot_maker
from rulesdsl.play.events import Say, Step, Watch, exactly, opening, played
from rulesdsl.play.records import (
    LAST,
    Header,
    Record,
    RecordedMove,
    Recorder,
    is_fair,
    is_saved,
    made_folder,
    new_path,
)

DEFAULT_SEED = 0
SEEDS = 1_000_000_000
"""The seeds of games that people play are below this."""
DEFAULT_BOT = "random"
_REMEMBERED = 8
"""The moves before it that a game that goes on shows."""
RIVAL = "greedy"
"""The bot that plays against people."""


@dataclass(frozen=True)
class RunningGame:
    """A game that is ready to be continued, with the record it continues, if any."""

    game: Game
    state: State
    watch: Watch
    seed: int
    record: Record | None = None
    steps: Sequence[Step] = ()
    """The moves of a game that goes on."""
    starts: Sequence[tuple[State, Watch]] = ()
    """The positions before each of its moves, and now."""

    @property
    def entries(self) -> Sequence[RecordedMove]:
        """The moves of the record that goes on."""
        return self.record.entries if self.record is not None else ()


def command(arguments: Namespace, console: Console) -> int:
    """Play a game to its end, or until a person quits."""
    bots_only = arguments.bots or arguments.watched or arguments.json or arguments.quiet
    arguments.watched = bool(arguments.watched or arguments.board or arguments.names)
    new = arguments.resume is None
    asked = bool(arguments.human) or (console.asks and not bots_only)
    arguments.person = new and asked and not loading.parts(arguments.human)
    table = _fresh(arguments, console) if new else _resumed(arguments, console)
    humans = _humans(arguments, table)
    names = _bot_names(arguments, table, humans)
    text = loading.words(table.game, arguments.lang, console)
    seats = {colour: names.get(colour, HUMAN) for colour in table.state.players}
    file = _file(arguments, table, humans)
    try:
        recorder = _recorder(arguments, file, table, seats if humans else {})
        told = loading.teller(arguments, text, console, humans)
        begins = () if table.entries else opening(table.state)
        told.start(Start(table.state, seats, table.seed, table.steps[-_REMEMBERED:], begins))
        if humans:
            page = loading.game_command("page", arguments) if new else "rulesdsl page GAME"
            you = text.players(humans)
            console.prose((text.texts("begin", players=you, page=page), "help"))
        bots = _bots(names, table, table.entries)
        drawn, board = loading.painter(text, console), loading.shows_board(arguments, console)
        prompt = Prompt(console, text, drawn, board, console.input, len(humans), arguments.names)
        session = TerminalSession(table.state, table.watch, bots, told, prompt, file, recorder)
        session.plies.extend(_plies(names, table, file))
        ended: bool | BaseException
        try:
            ended = session.play()
        except (KeyboardInterrupt, OutOfTime, PlayError) as stop:
            ended = stop
        _keep(session, ended, arguments, humans, text, console)
    except BaseException:
        file.abandon()
        raise
    with output_to(f"the record `{file.name}`"):
        file.close()
    if new and not (humans or arguments.watched or arguments.json or arguments.quiet):
        ways = [loading.game_command(each, arguments) for each in ("run", "page")]
        for line in text.texts("next", run=ways[0], page=ways[1]).splitlines():
            console.say((line, "help"))
    return CLEAN


def _keep(
    session: TerminalSession,
    ended: bool | BaseException,
    arguments: Namespace,
    humans: list[str],
    text: Words,
    console: Console,
) -> None:
    """Make sure that the moves of people are not lost, and say how to go on or look again.

    `ended` says whether the game is over, or what has stopped it, which is raised again.
    """
    name = session.file.name
    saved = name is not None and is_saved(name)
    by = {ply.by for ply in session.plies}
    moved = bool(by if arguments.resume is not None else by & set(humans))
    if isinstance(ended, BaseException):
        console.say()
    if ended is True:
        if humans and name is not None:
            command = shlex.join(["rulesdsl", "replay", LAST if saved else name])
            console.say(text.texts("kept", file=name, command=command))
    elif saved and not moved:
        os.unlink(name or "")
    elif name is not None or moved:
        _name_record(session.file, arguments, humans, text, console)
    if isinstance(ended, BaseException):
        raise ended


def _name_record(
    file: loading.RecordFile, arguments: Namespace, humans: list[str], text: Words, console: Console
) -> None:
    """Name the file of the record; one in memory is saved to a file if a person has played."""
    name = file.name
    if name is None and humans:
        with output_to("the record", "name a file with --record"):
            name = file.save(Path())
    if name is not None:
        resume = ["rulesdsl", "run", "--resume", name]
        if is_saved(name):
            resume[-1] = LAST
        else:
            folders = loading.game_folders(arguments)
            resume += [word for path in folders for word in ("--path", path)]
        if arguments.engine != DEFAULT_ENGINE:
            resume += ["--engine", arguments.engine]
        console.say(text.texts("saved", file=name, command=shlex.join(resume)))


def _fresh(arguments: Namespace, console: Console) -> RunningGame:
    if arguments.ruleset is None:
        raise bad_argument("no ruleset is given", "try: rulesdsl run base")
    game = loading.load_game(arguments, console, arguments.engine)
    seed = arguments.seed
    if seed is None:
        people = arguments.human or arguments.person
        seed = SystemRandom().randrange(SEEDS) if people else DEFAULT_SEED
    with refusing():
        state = game.start(arguments.players, seed)
    return RunningGame(game, state, Watch(state, _say(arguments, game)), seed)


def _say(arguments: Namespace, game: Game) -> Say:
    """Return what says moves: in words, or with `--names` as records write them."""
    return exactly if arguments.names else saying(Words(game, arguments.lang))


def _resumed(arguments: Namespace, console: Console) -> RunningGame:
    if arguments.resume == loading.STDIN:
        raise bad_argument("--resume needs a file, because it appends to it")
    given = arguments.resume
    arguments.resume = loading.read_only_record(given)
    record, game = loading.recorded(arguments.resume, arguments, console)
    console.show(game.warnings)
    if record.header.seed is None:
        raise bad_argument("the record has no seed, so its chance moves cannot be drawn")
    steps = list[Step]()
    starts: list[tuple[State, Watch]] = []
    for now in played(record, game, _say(arguments, game)):
        state, watch = now.state, now.watch
        steps.extend([now.step] if now.step is not None else [])
        before = state.clone()
        starts.append((before, watch.copy(before)))
    if state.mover is None:
        again = shlex.join(["rulesdsl", "replay", given])
        raise bad_argument("the recorded game is over", f"to see it again: {again}")
    return RunningGame(game, state, watch, record.header.seed, record, steps, starts)


def _humans(arguments: Namespace, table: RunningGame) -> list[str]:
    """Return the colours that people play: those that are named, or those of the record."""
    players = table.state.players
    humans = list(dict.fromkeys(loading.parts(arguments.human)))
    for colour in humans:
        if colour not in players:
            near = did_you_mean(colour, players)
            if colour in table.game.colours:
                near = _for_more(table.game, table.game.colours.index(colour) + 1)
            message = f"there is no player `{colour}`; the players are {', '.join(players)}"
            raise bad_argument(message, *near)
    if arguments.person:
        return [players[0]]
    if humans or arguments.json or arguments.quiet or table.record is None:
        return humans
    return [colour for colour in players if table.record.header.seats.get(colour) == HUMAN]


def _for_more(game: Game, least: int) -> tuple[str, ...]:
    """Return help on how so many play, if the game allows that."""
    counts = [count for count in game.players if count >= least]
    return (f"for more players: --players {counts[0]}",) if counts else ()


def _bot_names(arguments: Namespace, table: RunningGame, humans: Collection[str]) -> dict[str, str]:
    """Return the bot of each colour: one for all, one for each, or those of the record."""
    colours = [colour for colour in table.state.players if colour not in humans]
    usual = RIVAL if humans else DEFAULT_BOT
    names = loading.parts(arguments.bots)
    if not names:
        seats = table.record.header.seats if table.record is not None else {}
        return {colour: _known_bot(seats.get(colour), usual) for colour in colours}
    loading.check_bots(names, bot_maker)
    if len(names) == 1:
        names *= len(colours)
    if len(names) != len(colours):
        more = _for_more(table.game, len(names) + len(humans))
        raise bad_argument(f"{len(names)} bots are named, but {len(colours)} are needed", *more)
    return dict(zip(colours, names, strict=True))


def _known_bot(name: str | None, usual: str) -> str:
    """Return the bot of a record, which a stranger may have written, or the usual one."""
    try:
        bot_maker(name or "")
    except ValueError:
        return usual
    return name or usual


def _plies(
    names: Mapping[str, str], table: RunningGame, file: loading.RecordFile
) -> Iterator[PastMove]:
    """Yield the moves of a game that goes on, so that they can be taken back."""
    for number, (entry, step) in enumerate(zip(table.entries, table.steps, strict=True)):
        (state, watch), (after, _) = table.starts[number : number + 2]
        fair = is_fair(state.position.shown(), after.position.shown())
        save = None
        if entry.by not in names:
            bots = _bots(names, table, table.entries[:number])
            save = Save(state, watch, bots, file.start_of(entry.span))
        yield PastMove(step, fair, entry.taken_back, save)


def _bots(
    names: Mapping[str, str], table: RunningGame, entries: Sequence[RecordedMove]
) -> dict[str, Bot]:
    """Return the bots; after entries of a record, with the random numbers at which they were."""
    seats = {colour: seat for seat, colour in enumerate(table.state.players)}
    bots = {colour: bot_maker(name)(table.seed, seats[colour]) for colour, name in names.items()}
    for entry in entries:
        if entry.by in bots and entry.stream is not None:
            bots[entry.by].rng = Rng.read(entry.stream)
    return bots


def _file(arguments: Namespace, table: RunningGame, humans: Collection[str]) -> loading.RecordFile:
    """Return the record of the game: in the file that is named, for people among saved games.

    Games of bots, and of a user without a folder for data, are in memory only.
    """
    name = arguments.record
    try:
        if table.record is not None:
            return loading.RecordFile.resume(arguments.resume, table.record)
        if name is None and humans and (folder := made_folder()) is not None:
            root = table.game.checked.game.roles.ruleset
            name = os.fspath(new_path(folder, root, date.today()))
        return loading.RecordFile(name)
    except (OSError, ValueError) as error:
        raise output_failed(f"the record `{name or arguments.resume}`", error) from None


def _recorder(
    arguments: Namespace, file: loading.RecordFile, table: RunningGame, seats: Mapping[str, str]
) -> Recorder:
    """Return the recorder, which continues a record or starts a new one with a header."""
    if table.record is not None:
        return Recorder(file, None)
    header = Header.of(table.game, len(table.state.players), table.seed)
    saved = file.name is not None and is_saved(file.name)
    paths = loading.saved_folders(arguments) if saved else ()
    with output_to(f"the record `{file.name}`"):
        return Recorder(file, replace(header, seats=seats, paths=paths))


def replay(arguments: Namespace, console: Console) -> int:
    """Replay a record, or list the saved games; `PROBLEMS` says that the record is cut off."""
    if arguments.record is None:
        return listing.games(arguments, console)
    arguments.watched = True
    arguments.record = loading.read_only_record(arguments.record)
    record, game = loading.recorded(arguments.record, arguments, console)
    text = loading.words(game, arguments.lang, console)
    told = loading.teller(arguments, text, console)
    for now in played(record, game, _say(arguments, game)):
        if now.step is None:
            seats = dict.fromkeys(now.state.players, RECORDED)
            told.start(Start(now.state, seats, record.header.seed, (), opening(now.state)))
        else:
            told.moved(now.step, now.state)
    told.end(now.state, now.watch.points, record.agreed)
    cut = _cut(record, now.state, arguments.record)
    console.show(cut)
    return exit_code(cut)


def _cut(record: Record, state: State, name: str) -> list[Diagnostic]:
    if record.result is not None:
        return []
    last = record.cut or (record.entries[-1].span if record.entries else record.span)
    if record.cut is not None:
        message = "the record is cut off in the middle of a line"
    elif state.mover is None:
        message = "the record ends without the result of the game"
    else:
        message = "the record ends before the game does"
    left = record.cut is None and HUMAN in record.header.seats.values()
    file = "FILE" if name == loading.STDIN else shlex.quote(name)
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
            severity=Severity.NOTE if left else Severity.WARNING,
        )
    ]
