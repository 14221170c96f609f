"""The progress of commands that do many things is shown on terminals, on standard error."""

from __future__ import annotations

import io
import re
from collections.abc import Iterator

import pytest

from rulesdsl.author.lint.trials import GameResults, tables
from rulesdsl.base.deadline import OutOfTime
from rulesdsl.cli import trials
from rulesdsl.cli.console import Console, progress_bar
from tests.cli.conftest import HAMLETS


class Terminal(io.StringIO):
    """A stream somebody looks at."""

    def isatty(self) -> bool:
        return True


def console(err: io.StringIO) -> Console:
    return Console(io.StringIO(), io.StringIO(), err)


@pytest.mark.parametrize(("stream", "shows"), [(Terminal, True), (io.StringIO, False)])
def test_what_is_done_of_how_much(stream: type[io.StringIO], shows: bool) -> None:
    err = stream()
    with progress_bar(console(err), 7, "mutants") as show:
        show(0)
        show(5)
    assert ("mutants" in err.getvalue() and "5/7" in err.getvalue()) is shows
    assert shows or not err.getvalue()


def test_a_bar_is_away_while_something_else_is_written() -> None:
    err = Terminal()
    with progress_bar(console(err), 1, "subsets") as show:
        show(3, 9)
        with show.aside():
            err.write("a finding")
        show(4, 9)
    before, after = err.getvalue().split("a finding")
    assert before.endswith("\x1b[2K") or "3/9" in before
    assert "4/9" in after


@pytest.mark.parametrize("late", [False, True])
def test_check_shows_how_many_games_are_over(late: bool, monkeypatch: pytest.MonkeyPatch) -> None:
    given = tables(HAMLETS, ["wells"], {}, (), 3, 0)

    def play(wanted: object) -> Iterator[GameResults]:
        assert wanted == given
        yield GameResults(games=1)
        yield GameResults(games=1)
        if late:
            raise OutOfTime(1)
        yield GameResults(games=1)

    monkeypatch.setattr(trials, "play", play)
    err = Terminal()
    seen, stop = trials.played(given, console(err))
    assert isinstance(stop, OutOfTime) is late
    assert seen.games == 3 - late
    assert "games" in err.getvalue()
    assert re.findall(r"\d/3", err.getvalue())[-1] == f"{seen.games}/3"
