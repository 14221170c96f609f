"""The page about Python: its code runs, and it lists every public member with its type."""

from __future__ import annotations

import inspect
import re
from pathlib import Path

import pytest

import rulesdsl
from rulesdsl.cli.main import main
from tests.play.test_api import asked

PAGE = (Path(__file__).parents[2] / "docs" / "reference" / "python.md").read_text(encoding="utf-8")
CODE = "\n".join(re.findall(r"^```python\n(.*?)^```$", PAGE, re.DOTALL | re.MULTILINE))
SECTIONS = dict(re.findall(r"^## `(\w+)`\n(.*?)(?=^## |\Z)", PAGE, re.DOTALL | re.MULTILINE))

# What the package itself needs of its objects; it may change at any time.
INTERNAL = {"Game": {"checked", "forms", "labels", "report"}, "State": {"position"}}


def test_its_code_runs(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    exec(compile(CODE, "python.md", "exec"), {"__name__": "page"})
    printed = capsys.readouterr().out.splitlines()
    *scores, move, error, help = printed
    assert len(scores) == 3
    assert all("'red': " in line for line in scores)
    assert move.endswith(
        "{'k': 'follower', 's': 'city@S(0,-1)'} red.follower#1 ('city1-road-straight#1',)"
    )
    assert error == "error[ruleset-missing]: no ruleset `rivr` was found"
    assert help.strip() == "= did you mean `river`?"
    assert main(["replay", "game.jsonl", "--quiet"]) == 0


def test_every_public_name_has_a_section() -> None:
    assert SECTIONS.keys() == {name for name in rulesdsl.__all__ if not name.startswith("_")}


@pytest.mark.parametrize("name", [n for n in SECTIONS if inspect.isclass(getattr(rulesdsl, n))])
def test_every_member_is_listed_with_its_type(name: str) -> None:
    cls = getattr(rulesdsl, name)
    bases = {each for base in cls.__mro__[1:] for each in vars(base)}
    members = {each for each in {*vars(cls), *cls.__annotations__} - bases if each[0] != "_"}
    rows = dict(re.findall(r"^\| `\.(\w+)(.*?)` \| .*[.\w;:] \|$", SECTIONS[name], re.MULTILINE))
    assert rows.keys() == members, name
    for member, kind in rows.items():
        assert re.match(r": \w|\(.*\) -> \w", kind), member


@pytest.mark.parametrize("thing", [asked(), asked().game, asked().moves()[0]])
def test_no_other_member_is_public(thing: object) -> None:
    name = type(thing).__name__
    found = {each for each in dir(thing) if not each.startswith("_")} - INTERNAL.get(name, set())
    assert found == set(re.findall(r"^\| `\.(\w+)", SECTIONS[name], re.MULTILINE))


def test_types_in_members_are_described() -> None:
    rows = " ".join(re.findall(r"^\| `\.(.*?)` \|", PAGE, re.MULTILINE))
    table = set(re.findall(r"^\| `(\w+)` \| `rulesdsl\.", PAGE, re.MULTILINE))
    foreign = {"Callable", "Iterator", "Mapping", "None", "Sequence"}
    assert set(re.findall(r"\b[A-Z]\w+", rows)) <= {*SECTIONS, *table, *foreign}
