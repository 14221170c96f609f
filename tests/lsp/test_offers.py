"""What is offered to be written, also where the file cannot be read as it is."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
import yaml

from rulesdsl.author.lsp.completion import place_at, told_of_key
from rulesdsl.author.lsp.workspace import Workspace
from rulesdsl.language.read.schema import load
from tests.errors.test_mistakes import FILES, replaced

CASES = yaml.safe_load((Path(__file__).parent / "offers.yaml").read_text(encoding="utf-8"))


OTHER = {
    "other.yaml": "ruleset: other\nedition: 1\nversion: 1.0.0\nrequires: [game]\n"
    "rules: other.rules\n",
    "other.rules": "state player.cheers: int\nbefore turn(): cheer()\n"
    "action cheer(): active.cheers += 1\n",
}
"""A stranger of `more`."""


@pytest.fixture(scope="module")
def studio(tmp_path_factory: pytest.TempPathFactory) -> Workspace:
    studio, folder = Workspace(), tmp_path_factory.mktemp("rulesets").resolve()
    for name, text in (FILES | OTHER).items():
        studio.open(str(folder / name), text)
    return studio


def path(studio: Workspace, name: str) -> str:
    return next(each for each in studio.opened if Path(each).name == name)


@pytest.mark.parametrize("case", CASES, ids=[case["write"] for case in CASES])
def test_it_is_offered(case: dict[str, Any], studio: Workspace) -> None:
    name = case.get("file", "more.rules")
    wanted = case.get("for")
    write = case["write"]
    text = replaced(FILES[name], wanted, write) if wanted else f"{FILES[name]}\n{write}\n"
    offset = text.index(write) + write.index("|")
    file = path(studio, name)
    studio.open(file, text[:offset] + text[offset + 1 :])
    try:
        start, items = studio.complete(file, offset)
    finally:
        studio.open(file, FILES[name])
    labels = [item.label for item in items]
    assert start <= offset
    assert labels[: len(case.get("first", ()))] == case.get("first", [])
    assert set(case.get("offers", ())) <= set(labels)
    assert not set(case.get("lacks", ())) & set(labels)


def test_the_keys_of_scenarios_are_offered(studio: Workspace) -> None:
    file = str(Path(path(studio, "more.rules")).with_name("more.test.yaml"))
    text = "scenarios: game\nedition: 1\ntests:\n  - name: one\n    "
    studio.open(file, text)
    try:
        _, items = studio.complete(file, len(text))
    finally:
        studio.close(file)
    labels = {item.label for item in items}
    assert {"moment", "board", "put", "links", "unlinks", "state", "finish", "expect"} <= labels
    assert "name" not in labels


@pytest.mark.parametrize("name", sorted(FILES))
def test_any_beginning_of_a_file_is_borne(name: str, studio: Workspace) -> None:
    """Whatever has been typed so far, there is an answer."""
    file, text = path(studio, name), FILES[name]
    try:
        for end in range(0, len(text), 199):
            studio.open(file, text[:end])
            studio.complete(file, end)
            studio.own(file).index.at(file, end)
    finally:
        studio.open(file, text)


def test_every_place_of_a_manifest_is_found() -> None:
    text = FILES["more.yaml"]
    for end in range(len(text)):
        place = place_at(text, end)
        assert place.start <= end
        assert text[place.start : end] == "" or not text[place.start : end].isspace()


@pytest.mark.parametrize(
    ("before", "told"),
    [
        ("\nfeat", "The kinds of segments that lie on tiles"),
        ("bag:  {hol", "A class of components, or a list of classes."),
        ("tiles:\n  - {id: square, cou", "A number from 0 to 10000"),
        ("tiles:\n  - {id: square, count: 1, vil", None),
        ("path: {length: 10, lo", "after the last space comes the first"),
        ("edition: 1\nver", "three numbers separated by points"),
        ("village: [{at: N-E", None),
    ],
)
def test_a_key_is_told_of(before: str, told: str | None) -> None:
    text = FILES["game.yaml"]
    found = told_of_key(load("ruleset"), text, text.index(before) + len(before))
    if told is None:
        assert found is None
    else:
        assert found is not None
        assert told in found[2]
        assert f"**{text[found[0] : found[1]]}**" in found[2]
