"""Long runs of one thing at any place of a file: reading takes time that grows with its length."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path
from time import process_time

import pytest
import yaml

from rulesdsl.author.lint.checking import read_baseline
from rulesdsl.author.lsp.completion import place_at
from rulesdsl.author.lsp.workspace import tokens
from rulesdsl.engine.build.stages import build
from rulesdsl.language.diagnostics import Report, RulesError, Source
from rulesdsl.language.diagnostics.render import render
from rulesdsl.language.format import formatted
from rulesdsl.play.records import read_record
from tests.fuzz.drive import PILE, limited
from tests.scenarios import run_scenarios

TEXTS: dict[str, str] = yaml.safe_load(
    Path(__file__).with_name("growth.yaml").read_text(encoding="utf-8")
)
FILLS = (
    *" \t\n#-:,.'\"[](){}&*!|>%?\\_a10=@`",
    *("\r\n", "# a\n", "# a\r\n", "    # b\n", "a:\n", "a:\r\n", "- a\n", "- ", "a: ", " #", "# "),
    *("[a, ", "{a: ", "&a ", "f(", "a.", "1 + ", "not ", "-1", ":0", "x()\n", "    x()\n"),
    *("    x = =\n", "x = 1\n", "state player.x: int\n", "# allow: a\n", "settings.a ", "''", "a;"),
)


def read(folder: Path, kind: str, text: str) -> None:
    """Do with a text what commands and editors do with files of its kind."""
    for each in _readers(folder, kind, text):
        try:
            each()
        except RulesError as error:
            render(error.diagnostics)


def _readers(folder: Path, kind: str, text: str) -> Iterator[Callable[[], object]]:
    path = {"manifest": "a.yaml", "rules": "a.rules", "scenarios": "a.test.yaml"}.get(kind, "")
    source = Source(str(PILE.with_name(path or "a.json")), text)
    if kind in ("manifest", "rules"):
        plain = {f"a.{end}": TEXTS[of].replace("~", "") for end, of in ENDINGS.items()}
        for name, content in {**plain, path: text}.items():
            (folder / name).write_bytes(content.encode())
        yield lambda: render(_built(folder / "a.yaml"))
    if kind == "rules":
        yield lambda: tokens(text, [], True)
    if kind in ("manifest", "scenarios"):
        yield lambda: place_at(text, len(text) // 2)
    if kind == "scenarios":
        yield lambda: run_scenarios(source, engine="python")
    if path:
        yield lambda: formatted(text, path)
    if kind == "record":
        yield lambda: read_record(source)
    if kind == "baseline":
        yield lambda: read_baseline(source)


ENDINGS = {"yaml": "manifest", "rules": "rules"}


def _built(path: Path) -> Report:
    report = Report()
    build(path, report=report)
    return report


def slow(folder: Path, kind: str, length: int, seconds: float, every: int) -> Iterator[str]:
    """What takes longer, for every so many of the places at which something can stand."""
    parts = TEXTS[kind].split("~")
    for number, fill in enumerate(FILLS):
        for place in range(1 + number % every, len(parts), every):
            run = fill * (length // len(fill))
            text = "".join(parts[:place]) + run + "".join(parts[place:])
            began = process_time()
            try:
                with limited(int(10 * seconds)):
                    read(folder, kind, text)
            except TimeoutError:
                pass
            spent = process_time() - began
            if spent > seconds:
                yield f"{spent:.1f} s: {fill!r} after {''.join(parts[:place])[-20:]!r}"


@pytest.mark.parametrize("kind", TEXTS)
def test_a_long_run_takes_no_time(kind: str, tmp_path: Path) -> None:
    assert not list(slow(tmp_path, kind, 10_000, 1.5, 40))


@pytest.mark.long
@pytest.mark.parametrize("kind", TEXTS)
def test_longer_runs_take_time_in_proportion(kind: str, tmp_path: Path) -> None:
    assert not list(slow(tmp_path, kind, 200_000, 15, 1))


def test_many_findings_take_no_time(tmp_path: Path) -> None:
    text = TEXTS["rules"].replace("~", "") + "    nowhere()\n" * 2000
    began = process_time()
    with limited(60):
        read(tmp_path, "rules", text)
    assert process_time() - began < 15
