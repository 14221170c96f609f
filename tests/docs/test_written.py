"""The parts of pages that are written from the code are up to date: `python3 -m tools docs`."""

from __future__ import annotations

import re
import shlex
from pathlib import Path

import pytest

from rulesdsl.author.lsp.hover import AGGREGATES
from rulesdsl.cli.catalogue import COMMANDS
from rulesdsl.cli.commands import parser
from rulesdsl.language.diagnostics import RulesError
from tools import docs
from tools.docs import examples, pictures
from tools.docs.language import GRAMMAR
from tools.environment import ROOT

TEXTS = {page: page.read_text(encoding="utf-8") for page in sorted(docs.PAGES.rglob("*.md"))}
WRITTEN = [page for page, text in TEXTS.items() if docs.SECTION.search(text)]


@pytest.mark.parametrize("page", WRITTEN, ids=lambda page: Path(page).name)
def test_a_page_is_up_to_date(page: Path) -> None:
    assert docs.current(TEXTS[page]) == TEXTS[page], "run python3 -m tools docs"


def test_the_gallery_has_the_examples_of_all_pages() -> None:
    assert examples.FILE.read_text(encoding="utf-8") == examples.listed(), (
        "run python3 -m tools docs"
    )


def test_the_terminal_is_drawn_as_it_is() -> None:
    drawn = pictures.TERMINAL.read_text(encoding="utf-8")
    assert drawn == pictures.terminal(), "run python3 -m tools docs"


def test_the_sheets_are_drawn_as_they_are_printed() -> None:
    drawn = pictures.SHEETS.read_text(encoding="utf-8")
    assert drawn == pictures.sheets(), "run python3 -m tools docs"


def test_the_cheat_sheet_has_every_word_of_the_grammar_and_real_commands() -> None:
    page = (docs.PAGES / "cheat-sheet.md").read_text(encoding="utf-8")
    code = re.findall(r"`([^`]+)`", page)
    words = set(re.findall(r'"([a-z]+)"', GRAMMAR.read_text(encoding="utf-8"))) | AGGREGATES.keys()
    assert words - {word for each in code for word in re.findall(r"[a-z]+", each)} == set()
    commands = {row.name for row in COMMANDS}
    table = page.partition("| command |")[2]
    shown = re.findall(r"(?:^|\| )`([a-z]+) [^`]*`", table, re.MULTILINE)
    assert len(shown) > 10
    assert set(shown) <= commands


def test_every_command_on_every_page_can_be_parsed() -> None:
    """Pages show what can be typed: commands, options and arguments that there are."""
    texts = {**TEXTS, ROOT / "README.md": (ROOT / "README.md").read_text("utf-8")}
    count = 0
    for page, text in texts.items():
        if page.parent.name == "decisions":
            continue
        text = re.sub(r" *\\\n *", " ", text)
        for line in re.findall(r"(?m)^(?:    |\$ )(rulesdsl .*)$", text):
            words = shlex.split(re.split(r" [#<>|] |   ", line)[0])[1:]
            count += 1
            try:
                parsed = parser().parse_args(words)
                parsed.row.check(parsed)
            except (RulesError, SystemExit) as error:
                raise AssertionError(f"{page.name}: {line}") from error
    assert count > 100


def test_every_part_has_its_page() -> None:
    found = [name for text in TEXTS.values() for _, name, _ in docs.SECTION.findall(text)]
    assert sorted(found) == sorted(docs.PARTS)


def test_names_of_the_base_game_are_counted_by_use() -> None:
    rows = docs.PARTS["base-hooks"]().splitlines()
    assert any(row.startswith("| `worth(f, p): int` | value |") for row in rows)
    assert any(row.startswith("| `bonus(f, p): int` | value, `sum` |") for row in rows)
    assert all(row.count(" | ") == 3 for row in rows)
