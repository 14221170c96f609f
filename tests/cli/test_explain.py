"""`rulesdsl explain`: pages, the list of them, and slugs that there are not."""

from __future__ import annotations

import io
import re
from argparse import Namespace
from pathlib import Path

import pytest

from rulesdsl.cli.check import command as check
from rulesdsl.cli.commands import parser
from rulesdsl.cli.console import Console
from rulesdsl.cli.new import NOTE, explain
from rulesdsl.language.diagnostics import SLUGS
from rulesdsl.language.diagnostics.slugs import page
from tests.cli.conftest import Cli

BELOW = "\n" + "".join(f"{line}\n" for line in NOTE)


@pytest.mark.parametrize("written", ["port-twice", "error[port-twice]", "[port-twice]:"])
def test_a_page_is_written_as_it_is(cli: Cli, written: str) -> None:
    result = cli("explain", written)
    assert (result.code, result.out, result.err) == (0, f"{page('port-twice')}{BELOW}", "")


def test_all_slugs_are_listed_with_a_line_each(cli: Cli) -> None:
    result = cli("explain")
    assert dict(re.split(" +", line, maxsplit=1) for line in result.out.splitlines()) == SLUGS
    assert max(map(len, result.out.splitlines())) <= 120


@pytest.mark.parametrize(
    ("written", "near"),
    [
        ("unknown-nam", "did you mean `unknown-name`, `unknown-key` or `unknown-attribute`?"),
        ("duplicate", "`duplicate-id`"),
        ("zzzz", "`rulesdsl explain` lists all kinds"),
        ("../slugs", "`rulesdsl explain` lists all kinds"),
        ("", "`rulesdsl explain` lists all kinds"),
    ],
)
def test_an_unknown_slug_is_told_with_near_ones(cli: Cli, written: str, near: str) -> None:
    result = cli("explain", written)
    assert (result.code, result.out) == (2, "")
    assert result.err.startswith(f"error[bad-argument]: there is no kind of finding `{written}`\n")
    assert near in result.err


@pytest.mark.parametrize("width", [40, 300, None])
def test_a_page_is_laid_out_on_a_terminal(width: int | None) -> None:
    out = io.StringIO()
    console = Console(io.StringIO(), out, io.StringIO(), terminal=True, width=width, colour=True)
    assert explain(Namespace(slug="port-twice"), console) == 0
    shown = re.sub(r"\x1b\[[0-9;]*m", "", out.getvalue()).split("\n", 1)[1]
    laid, _ = shown.split(NOTE[0])
    assert "\x1b[" in out.getvalue()
    assert "```" not in laid
    assert "##" not in laid
    assert max(map(len, laid.splitlines())) <= min(width or 100, 100)
    assert "village: [N-S, E]" in laid


@pytest.mark.parametrize("terminal", [True, False])
def test_check_says_how_to_read_more_to_people_only(terminal: bool, tmp_path: Path) -> None:
    (tmp_path / "game.yaml").write_text("ruleset: game\nedition: 1\nversion: 1.0.0\nruls: x\n")
    out, err = io.StringIO(), io.StringIO()
    console = Console(io.StringIO(), out, err, terminal=terminal)
    arguments = parser().parse_args(["check", str(tmp_path / "game.yaml")])
    assert check(arguments, console) == 1
    assert "unknown-key" in out.getvalue()
    assert err.getvalue() == "for details: rulesdsl explain unknown-key\n" * terminal
