"""`rulesdsl test --record`: make a scenario or a golden record of a recorded game."""

from __future__ import annotations

import os
from argparse import Namespace

from rulesdsl.cli.console import Console
from rulesdsl.cli.output import write_output
from rulesdsl.cli.problems import CLEAN, bad_argument, output_failed
from rulesdsl.cli.recording import STDIN, read_source
from rulesdsl.diagnostics import Source
from rulesdsl.diagnostics.visible import inert, visible
from rulesdsl.play import Game, PlayError, load
from rulesdsl.play.golden import golden_text
from rulesdsl.play.records import Record, read_record
from rulesdsl.play.scenario.retell import NotRetold
from rulesdsl.play.scenario.write import Written, scenario_of
from rulesdsl.read.find import GOLDEN_SUFFIX, SCENARIO_SUFFIXES, places_of
from rulesdsl.suite.keep import OtherGame, added_to, new_file


def record(arguments: Namespace, console: Console) -> int:
    """Make a test of a recorded game, and write it where `--to` says or to standard output."""
    source = read_source(arguments.record, console.input)
    told = read_record(source)
    game = _game(told, source, arguments)
    to = arguments.to
    if to is not None and to.endswith(GOLDEN_SUFFIX):
        if arguments.turn is not None:
            raise bad_argument("a golden record is of a whole game: leave out --turn")
        _save(to, _golden(told, game, arguments.name), console)
        return CLEAN
    if to is not None and not to.endswith(SCENARIO_SUFFIXES):
        raise bad_argument(
            f"`{to}` does not say what it should hold",
            "a file of scenarios ends in `.test.yaml`, a golden record in `.game.jsonl`",
        )
    _scenario(told, game, arguments, console)
    return CLEAN


def _game(told: Record, source: Source, arguments: Namespace) -> Game:
    """The game of a record with the rulesets as they are now, with which what is made must hold."""
    head = told.header
    beside = [] if arguments.record == STDIN else places_of(source.name)
    paths = [*beside, *arguments.path]
    return load(head.root, head.expansions, head.settings, arguments.engine, paths=paths)


def _golden(told: Record, game: Game, name: str | None) -> str:
    try:
        return golden_text(told, game, name)
    except (PlayError, ValueError) as error:
        raise bad_argument(f"the recorded game cannot be played: {error}") from None


def _scenario(told: Record, game: Game, arguments: Namespace, console: Console) -> None:
    file = inert(visible(os.path.basename(arguments.record)))
    try:
        written = scenario_of(told, game, arguments.turn, arguments.name)
    except NotRetold as error:
        raise bad_argument(str(error)) from None
    remark = f"turn {written.turn} of {'a record' if file == STDIN else file}"
    if arguments.to is None:
        console.document(new_file(game, written.test, remark))
    else:
        _save(arguments.to, _with(arguments.to, game, written, remark, console), console)
    if written.fallback:
        console.tell(
            ("note", "note"),
            f": all moves before turn {written.turn} are played: {written.fallback}",
        )


def _with(to: str, game: Game, written: Written, remark: str, console: Console) -> str:
    """The file with the scenario, at the end of what is there."""
    try:
        os.stat(to)  # no file that is there is taken for a new one, even if it cannot be looked at
    except FileNotFoundError:
        return new_file(game, written.test, remark)
    except (OSError, ValueError) as error:
        raise output_failed(f"`{to}`", error) from None
    source = read_source(to, console.input)
    try:
        return added_to(source, game, written.test, remark)
    except OtherGame as error:
        raise bad_argument(f"the scenario does not fit into `{to}`: {error}") from None


def _save(to: str, text: str, console: Console) -> None:
    there = os.path.exists(to)
    write_output(to, text.encode())
    console.say(("changed" if there else "made", "gain"), f" {to}")
    console.say(f"to try it: rulesdsl test {to}")
