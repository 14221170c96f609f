"""Tracebacks and profiles of printed code name the rules."""

from __future__ import annotations

import cProfile
import pstats
import traceback
from collections.abc import Callable

import pytest

from rulesdsl.engines.python.compiling import compile_program
from rulesdsl.engines.python.program import CompiledProgram, SourcePlace, faulting, place_of
from rulesdsl.ir.evaluate import Stopped, evaluate, new_tables
from rulesdsl.model import ir
from rulesdsl.runtime.faults import Fault
from tests.engines.printed.placed import at, placed, rules

BASE, MORE = rules("games/base.rules"), rules("games/more/more.rules")
PROGRAM = placed(
    """\
entries play, core_play
state fuel[1] from -100 to 100 = 5
state cell[4] from 0 to 3

function look(i: int) -> int:
    return cell[i]

function value_first(i: int) -> int:
    local found: int
    found = 1
    if i > 0:
        found = look(i)
    return found // (i - 1)

function play(i: int) -> int:
    local n: int, sum: int
    sum = 0
    for n in range(0, 3):
        spend 2
        sum = sum + value_first(i + n)
        cell[3] = sum
        if i == 2:
            trap 27
    return sum

function core_play(i: int) -> int:
    cell[0] = 0
    if i < 0:
        trap 24
    return play(i) + look(i)
""",
    {
        "value_first": [at(BASE, line) for line in (7, 8, 9, 10, 11)],
        # What was inlined from other rules, and from none.
        "play": [
            *(at(BASE, line) for line in (20, 21, 22)),
            at(MORE, 3),
            at(BASE, 24),
            None,
            at(MORE, 5),
            at(MORE, 6),
            at(BASE, 26),
        ],
        "core_play": [None, None, at(MORE, 12), at(MORE, 13), None],
    },
)


def ending(
    program: ir.Program, entry: str, argument: int, *, fuel: int
) -> tuple[Fault, list[tuple[str, int, str]]]:
    """The fault that a call ends in, and the frames of printed code."""
    compiled = compile_program(program)
    tables = compiled.new_tables()
    tables["fuel"] = [fuel]
    with pytest.raises(Fault) as caught:
        faulting(compiled.make(tables)[entry])(argument)
    frames = traceback.extract_tb(caught.value.__traceback__)
    own = [(f.filename, f.lineno or 0, f.name) for f in frames if not f.filename.endswith(".py")]
    return caught.value, own


def line(compiled: CompiledProgram, text: str) -> int:
    """The line of the printed source that holds a text."""
    (found,) = [n for n, row in enumerate(compiled.source.split("\n"), 1) if text in row]
    return found


def test_a_traceback_shows_the_lines_of_the_rules() -> None:
    fault, frames = ending(PROGRAM, "play", 1, fuel=50)
    assert fault.code == 5
    assert frames == [
        ("games/base.rules", 24, "play"),
        ("games/base.rules", 11, "value_first"),
    ]
    place = place_of(fault.__traceback__)
    assert place == SourcePlace("games/base.rules", 11, 5)
    assert place.span(BASE) == at(BASE, 11)


def test_in_the_core_it_shows_the_line_as_it_is_printed() -> None:
    fault, frames = ending(PROGRAM, "core_play", 4, fuel=50)
    compiled = compile_program(PROGRAM)
    assert fault.code == 3
    assert frames == [
        ("<runtime>", line(compiled, "return play(i) + look(i)"), "core_play"),
        ("games/base.rules", 24, "play"),
        ("games/base.rules", 10, "value_first"),
        ("<runtime>", line(compiled, "return cell["), "look"),
    ]
    assert place_of(fault.__traceback__) == SourcePlace("games/base.rules", 10, 5)


def test_what_comes_from_another_file_is_shown_at_its_functions_rule() -> None:
    fault, frames = ending(PROGRAM, "play", 0, fuel=1)
    assert fault.code == 1
    assert frames == [("games/base.rules", 20, "play")]
    place = place_of(fault.__traceback__)
    assert place == SourcePlace("games/more/more.rules", 3, 5)
    assert str(place) == "games/more/more.rules:3:5"
    assert place.span(MORE) == at(MORE, 3)


def test_rules_inside_of_the_core_have_their_places() -> None:
    fault, frames = ending(PROGRAM, "core_play", -1, fuel=50)
    assert fault.code == 24
    printed = line(compile_program(PROGRAM), "raise Fault(24)")
    assert frames == [("<runtime>", printed, "core_play")]
    assert place_of(fault.__traceback__) == SourcePlace("games/more/more.rules", 13, 5)


def test_without_a_rule_there_is_no_place() -> None:
    def fails() -> None:
        raise Fault(3)

    with pytest.raises(Fault) as caught:
        fails()
    assert place_of(caught.value.__traceback__) is None
    assert place_of(None) is None


@pytest.mark.parametrize("fuel", range(8))
@pytest.mark.parametrize("entry", ["play", "core_play"])
@pytest.mark.parametrize("argument", range(-3, 6))
def test_places_are_those_of_the_evaluator(entry: str, argument: int, fuel: int) -> None:
    tables = new_tables(PROGRAM)
    tables["fuel"][0] = fuel
    with pytest.raises(Stopped) as stopped:
        evaluate(PROGRAM, tables, entry, argument)
    fault, _ = ending(PROGRAM, entry, argument, fuel=fuel)
    assert fault.code == stopped.value.code
    span = stopped.value.span
    place = SourcePlace(span.source.name, span.line, span.column) if span else None
    assert place_of(fault.__traceback__) == place


def test_a_profile_names_the_rules() -> None:
    compiled = compile_program(PROGRAM)
    entries = compiled.make(compiled.new_tables())
    profile = cProfile.Profile()
    call: Callable[[], object] = lambda: faulting(entries["play"])(1)  # noqa: E731
    with profile, pytest.raises(Fault):
        call()
    names = set(pstats.Stats(profile).stats)  # type: ignore[attr-defined]
    assert ("games/base.rules", 20, "play") in names
    assert ("games/base.rules", 7, "value_first") in names
    look = line(compiled, "def look")
    assert ("<runtime>", look, "look") in names
