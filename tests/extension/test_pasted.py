"""Every line that a finding offers to paste is pasted, and the finding is gone.

The games are those of other tests that have such findings, and some more below.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
import yaml

from rulesdsl import RulesError, load
from rulesdsl.language.diagnostics import Diagnostic
from rulesdsl.language.diagnostics.allow import not_allowed
from rulesdsl.language.diagnostics.report import Fix
from tests.extension.test_extension import FOLDER, write
from tests.renaming import test_pairs
from tests.small_games import write_only

Files = dict[str, str]
HEAD = "ruleset: {id}\nedition: 1\nversion: 1.0.0\n"
MORE = yaml.safe_load(Path(__file__).with_name("pasted.yaml").read_text(encoding="utf-8"))
MISTAKES = yaml.safe_load((FOLDER / "mistakes.yaml").read_text(encoding="utf-8"))
OFFERING = {
    "hooks-meet",
    "last-option",
    "new-kind",
    "order-of-names",
    "previous-ambiguous",
    "replacement-clash",
    "ruleset-conflict",
    "value-clash",
    "wrong-order",
}
"""The kinds of findings that offer lines."""

SEEN, RAN = set[str](), list[str]()


def extending(case: dict[str, Any], folder: Path) -> tuple[str, list[str], Files]:
    """The root, the expansions and the files of rulesets on top of `fair`."""
    on = write(folder, case)
    texts = {each.name: each.read_text(encoding="utf-8") for each in folder.iterdir()}
    return "fair.yaml", on, texts


def pair(case: dict[str, Any]) -> tuple[str, list[str], Files]:
    return "host.yaml", ["ants", "bees"], test_pairs.files(case)


def check(folder: Path, root: str, on: list[str], files: Files) -> list[Diagnostic]:
    write_only(folder, files)
    try:
        return not_allowed(load(folder / root, on, engine="python").report).sorted()
    except RulesError as error:
        return list(error.diagnostics)


def pasted(finding: Diagnostic, files: Files) -> Iterator[tuple[str, Files]]:
    """Each line that is offered, and the files with it in a place that the finding names."""
    lead = ""
    for line in finding.help:
        if not line.startswith("    "):
            lead = line
            continue
        if re.fullmatch(r" +with .*:", line):  # The line below it is pasted with it.
            continue
        assert "…" not in line or "say what holds" in lead or "return …" in line, line
        if "…" in line:
            continue
        if isinstance(line, Fix):
            span = line.span or finding.span
            assert span is not None
            name = Path(span.source.name).name
            text = files[name]
            yield line, {**files, name: text[: span.start] + line.text + text[span.end :]}
        elif below := re.search(r"below `with (.*?):` in (?:the rules of )?`?(\w+)", lead):
            yield line, added(files, below[2], f"with {below[1]}:\n    {line.strip()}\n")
        elif own := re.search(r"in (?:the rules of )?`?(\w+)`?:| in `(\w+)`", lead):
            yield line, added(files, own[1] or own[2], f"{line.strip()}\n")
        if parties := re.search(r"`interaction: (\[.*?\])`", lead):
            text = f"{HEAD.format(id='between')}interaction: {parties[1]}\n"
            rules = "" if line.strip().startswith("extend:") else f"{line.strip()}\n"
            text += "rules: between.rules\n" if rules else f"{line.strip()}\n"
            yield line, {**files, "between.yaml": text, "between.rules": rules}


def added(files: Files, ruleset: str, text: str) -> Files:
    """The files with a text at the end of the rules of a ruleset, which may have none."""
    name, manifest = f"{ruleset}.rules", files[f"{ruleset}.yaml"]
    if name not in files:
        manifest = f"rules: {name}\n{manifest}"
    return {**files, f"{ruleset}.yaml": manifest, name: files.get(name, "") + text}


def said(found: list[Diagnostic]) -> set[tuple[str, str]]:
    return {(each.slug, each.message) for each in found if each.slug != "unused"}


def all_gone(game: tuple[str, list[str], Files], folder: Path) -> list[str]:
    """The lines that do not settle their findings, or cause others."""
    root, on, files = game
    found, wrong = check(folder, root, on, files), []
    RAN.append(root)
    for finding in found:
        offered = list(pasted(finding, files))
        if any(line.startswith("    ") for line in finding.help if "scenario" not in line):
            SEEN.add(finding.slug)
        for line, new in offered:
            left = said(check(folder, root, on, new))
            if left - (said(found) - said([finding])):
                wrong.append(f"{line}: {left}")
    return wrong


@pytest.mark.parametrize("case", test_pairs.CASES, ids=lambda case: case["name"])
def test_pairs_of_strangers(case: dict[str, Any], one_folder: Path) -> None:
    assert all_gone(pair(case), one_folder) == []


@pytest.mark.parametrize("case", [*MISTAKES, *MORE], ids=lambda case: case["name"])
def test_rulesets_on_top_of_a_game(case: dict[str, Any], one_folder: Path) -> None:
    assert all_gone(extending(case, one_folder), one_folder) == []


def test_every_kind_that_offers_lines_is_tried() -> None:
    """If all games were checked, not only some that were asked for."""
    whole = len(RAN) == len(test_pairs.CASES) + len(MISTAKES) + len(MORE)
    assert not whole or SEEN >= OFFERING
