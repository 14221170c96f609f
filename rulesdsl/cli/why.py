"""`rulesdsl why`: explain points, moves that are not legal, and values of rules."""

from __future__ import annotations

from argparse import Namespace
from collections.abc import Sequence

from rulesdsl.author.why.answer import Answer, fields, lines
from rulesdsl.author.why.played import LAST, Question, ask_record, ask_scenario
from rulesdsl.author.why.points import PointsQuestion, Valued
from rulesdsl.author.why.refused import RefusedQuestion
from rulesdsl.cli.console import CLEAN, Console, bad_argument, exit_code
from rulesdsl.cli.loading import read_only_record, read_source, recorded
from rulesdsl.language.diagnostics.report import inert_json
from rulesdsl.language.read.find import SCENARIO_SUFFIXES
from rulesdsl.play.events import describe, played
from rulesdsl.play.moves import wanted


def points(arguments: Namespace, console: Console) -> int:
    """Explain why points were given."""
    arguments.file = read_only_record(arguments.file)
    scenario = arguments.scenario is not None or arguments.file.endswith(SCENARIO_SUFFIXES)
    if arguments.turn is None and not scenario and not arguments.json:
        return _turns_with_points(arguments, console)
    question = PointsQuestion(arguments.of)
    code = _ask(arguments, console, question, played=True)
    return _tell(question.answers, arguments, console, "nobody got points", code)


def refused(arguments: Namespace, console: Console) -> int:
    """Explain why a move is not legal."""
    question = RefusedQuestion(wanted(" ".join(arguments.move)))
    code = _ask(arguments, console, question)
    return _tell(question.answers, arguments, console, "there is no answer", code)


def value(arguments: Namespace, console: Console) -> int:
    """Explain which rules made a value."""
    question = Valued(arguments.name, arguments.arguments)
    code = _ask(arguments, console, question)
    none = f"`{arguments.name}` was not computed"
    return _tell(question.answers, arguments, console, none, code)


def _ask(arguments: Namespace, console: Console, question: Question, played: bool = False) -> int:
    """Replay the game or scenario in question, and return the exit code.

    Findings about a scenario are shown, too.
    """
    arguments.file = read_only_record(arguments.file)
    if arguments.scenario is None and not arguments.file.endswith(SCENARIO_SUFFIXES):
        record, game = recorded(arguments.file, arguments, console)
        ask_record(record, game, _turn(arguments.turn), question, arguments.player, played)
        return CLEAN
    if arguments.turn is not None:
        raise bad_argument("`--turn` is for records: a scenario has only one position")
    name, paths = arguments.scenario, arguments.path
    source = read_source(arguments.file, console.input)
    findings = ask_scenario(source, name, paths, question, arguments.player)
    console.show(findings)
    return exit_code(findings)


def _turns_with_points(arguments: Namespace, console: Console) -> int:
    """List the turns of a record in which somebody got or lost points."""
    record, game = recorded(arguments.file, arguments, console)
    turns: dict[int, list[str]] = {}
    for now in played(record, game):
        for gain in now.step.gains if now.step is not None else ():
            if arguments.of in (None, gain.player) and now.step is not None:
                said = describe(gain, game, "en")
                turns.setdefault(now.step.turn, []).append(f"{gain.player} {said}")
    if arguments.of not in (None, *now.state.players):
        known = ", ".join(now.state.players)
        raise bad_argument(f"there is no player `{arguments.of}`; the players are {known}")
    for turn, reasons in turns.items():
        console.say((f"turn {turn}", "title"), "  ", "; ".join(reasons))
    console.say()
    console.say(("to see why: add --turn N" if turns else "nobody got points", "help"))
    return CLEAN


def _turn(given: str | None) -> int:
    if given == "last":
        return LAST
    if given is None:
        raise bad_argument(
            "no turn is given", "add --turn N, with a number that `rulesdsl replay` shows"
        )
    if not given.isdecimal() or int(given) < 1:
        raise bad_argument(f"`--turn {given}` is not a number from 1 on, or `last`")
    return int(given)


def _tell(
    found: Sequence[Answer], arguments: Namespace, console: Console, none: str, code: int
) -> int:
    when = ""
    for answer in found:
        if arguments.json:
            console.say(inert_json(fields(answer)))
            continue
        if answer.when != when:
            console.say((answer.when, "title"))
        when = answer.when
        text = [[(text, role) for role, text in line] for line in lines(answer)]
        console.write(text[:1] if arguments.brief else [*text, []])
    if not found and not arguments.json and code == CLEAN:
        console.say(none)
    return code
