"""The full screen: what it shows in terminals of any size, and what keys do."""

from __future__ import annotations

import os
import sys
from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path

import pexpect
import pyte
import pytest
from hypothesis import given
from hypothesis import strategies as some

from rulesdsl.cli.board import PLAIN, Painter, TerminalStyle
from rulesdsl.cli.console import Styled
from rulesdsl.cli.question import PromptQuestion
from rulesdsl.cli.sheet import Sheet, compose, text_of
from rulesdsl.cli.words import Words
from rulesdsl.play import Game, load
from rulesdsl.play.saved import saved_games
from tests.cli.conftest import HAMLETS, RULESETS, Cli, heed_ctrl_c

SIZES = some.tuples(some.integers(20, 160), some.integers(10, 60))


@pytest.fixture(scope="module")
def base() -> Game:
    return load("base", engine="reference")


def _sheet(game: Game, moves: int) -> tuple[Sheet, PromptQuestion]:
    """Return the sheet of a game after some moves, with the question that is asked."""
    state = game.start(2, 3)
    for _ in range(moves):
        state.play(state.moves()[0])
    words = Words(game, "en")
    kinds = game.checked.game.feature_kinds
    question = PromptQuestion.of(state, words)
    planes, legend = Painter(TerminalStyle.of(kinds, PLAIN), words).planes(
        state, question.cells, {}
    )
    log: list[list[Styled]] = [[[f"move {number}"]] for number in range(9)]
    texts = tuple(question.shown())
    sheet = Sheet("game", ("Red 1   Blue 2",), planes, 0, None, legend, texts=texts, log=log)
    return sheet, question


@given(SIZES)
def test_a_sheet_fills_every_terminal_exactly(base: Game, size: tuple[int, int]) -> None:
    sheet, _ = _sheet(base, 20)
    lines = compose(sheet, *size)
    assert len(lines) == size[1]
    assert {len(text_of(line)) for line in lines} == {size[0]}


@pytest.mark.parametrize("size", [(80, 24), (40, 20), (200, 50)])
@pytest.mark.parametrize("moves", [20, 21])
def test_every_option_and_the_last_move_can_be_seen(
    base: Game, size: tuple[int, int], moves: int
) -> None:
    sheet, question = _sheet(base, moves)
    for number in range(len(question.answers)):
        lines = compose(replace(sheet, chosen=number), *size)
        assert any(piece[1] == "chosen" for line in lines for piece in line)
        shown = "\n".join(map(text_of, lines))
        assert f"{number + 1:>3} " in shown
        assert "move 8" in shown
        assert "Red 1   Blue 2" in shown


class Person:
    """A person before a terminal."""

    def __init__(self, child: pexpect.spawn[str], columns: int, rows: int) -> None:
        self.child = child
        self.screen = pyte.Screen(columns, rows)
        self.stream = pyte.Stream(self.screen)

    @property
    def seen(self) -> str:
        return "\n".join(line.rstrip() for line in self.screen.display)

    def wait(self, until: Callable[[str], bool] | str) -> str:
        """Read until the screen shows a text, and return the screen."""
        done = until if callable(until) else lambda seen: until in seen
        for _ in range(300):
            if done(self.seen):
                return self.seen
            try:
                self.stream.feed(self.child.read_nonblocking(65536, timeout=0.2))
            except pexpect.TIMEOUT:
                continue
            except pexpect.EOF:
                break
        assert done(self.seen), self.seen
        return self.seen

    def press(self, keys: str) -> None:
        self.child.send(keys)


@pytest.fixture
def person(tmp_path: Path) -> Iterator[Callable[..., Person]]:
    children: list[pexpect.spawn[str]] = []

    def sit_down(*arguments: str, columns: int = 80, rows: int = 24) -> Person:
        environment = {**os.environ, "RULESDSL_PATH": str(RULESETS), "TERM": "xterm-256color"}
        child: pexpect.spawn[str] = pexpect.spawn(
            sys.executable,
            ["-m", "rulesdsl", *arguments],
            cwd=tmp_path,
            env=environment,
            encoding="utf-8",
            dimensions=(rows, columns),
            preexec_fn=heed_ctrl_c,
        )
        children.append(child)
        return Person(child, columns, rows)

    yield sit_down
    for child in children:
        child.close(force=True)


RED = ("run", HAMLETS, "--human", "red", "--bots", "random", "--seed", "0")
DOWN, ENTER, ESCAPE = "\x1b[B", "\r", "\x1b"


def test_a_game_on_one_screen(person: Callable[..., Person]) -> None:
    red = person(*RED)
    seen = red.wait("Where does it go?")
    assert "Hamlets · seed 0" in seen
    assert "Red 0, home 4   Blue 0, home 4   bag 10" in seen
    assert "  1 (0,-1)" in seen
    red.press(DOWN + ENTER)
    assert "  1 lay it at (-1,0)" in red.wait("lay it at (-1,0) turned 90")
    red.press("b" + ENTER)
    red.wait("4 (0,1)")
    red.press("0,1" + ENTER + ENTER)
    red.wait("1. Red  corner: lay it at (0,1)")
    red.wait("build nothing")
    red.press("hint" + ENTER)
    red.wait("→")
    red.press("u" + ENTER)
    assert "1. Red  corner: lay it at (0,1)" not in red.wait("taken back")
    red.press("zz" + ENTER)
    red.wait("there is no option `zz`")
    red.press("?" + ENTER)
    red.wait("Enter goes on")
    red.press(ESCAPE)
    red.wait("4 (0,1)")
    red.press("1" + ENTER + "1" + ENTER)
    red.wait("build nothing")
    red.press("q" + ENTER)
    red.child.expect("rulesdsl run --resume last")
    red.child.expect(pexpect.EOF)
    red.child.wait()
    assert red.child.exitstatus == 0


def test_ctrl_c_saves_and_leaves_the_screen(person: Callable[..., Person]) -> None:
    red = person(*RED)
    red.wait("Where does it go?")
    red.press("1" + ENTER + "1" + ENTER)
    red.wait("build nothing")
    red.press("\x03")
    red.child.expect(r"\x1b\[\?1049l")
    red.child.expect("rulesdsl run --resume last")
    red.child.expect(pexpect.EOF)
    red.child.wait()
    assert red.child.exitstatus == 130
    assert '"move": "lay.at"' in saved_games()[0].read_text()


def test_hands_leave_the_screen_before_the_next_person_looks(person: Callable[..., Person]) -> None:
    vault = str(RULESETS.parents[1] / "games" / "vault.yaml")
    both = person("run", vault, "--human", "red,blue", "--seed", "0")
    seen = both.wait("press Enter when nobody else looks")
    assert "hand (red)" not in seen
    both.press(ENTER)
    both.wait("hand (red)")
    both.press("q" + ENTER)
    both.child.expect(pexpect.EOF)


def test_the_result_stays_when_the_screen_is_left(person: Callable[..., Person], cli: Cli) -> None:
    game = str(RULESETS.parents[1] / "games" / "vault.yaml")
    red = person("run", game, "--human", "red", "--bots", "random", "--seed", "0")
    red.press(ENTER * 60)
    red.child.expect("the game is saved in .*; see it again with: rulesdsl replay last")
    red.child.expect(pexpect.EOF)
    red.child.wait()
    assert red.child.exitstatus == 0
