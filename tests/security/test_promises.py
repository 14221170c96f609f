"""Every sentence of SECURITY.md that promises something has a test, and the test is there."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import yaml

from tests.architecture.sources import ROOT

TEXT = (ROOT / "SECURITY.md").read_text(encoding="utf-8")
DATA: dict[str, Any] = yaml.safe_load(
    Path(__file__).with_name("promises.yaml").read_text(encoding="utf-8")
)
SHOWN: dict[str, list[str]] = DATA["shown"]


def sentences() -> list[str]:
    """The sentences, and the rows of tables, of the sections that may promise something."""
    found: list[str] = []
    for section in re.split(r"^#+ ", TEXT, flags=re.M)[1:]:
        title, _, body = section.partition("\n")
        if title in DATA["sections"]:
            continue
        for block in re.split(r"\n\n|\n(?=\||- )", body.strip()):
            text = " ".join(block.removeprefix("- ").split())
            if set(text) <= set("|- "):
                found.pop()  # the head of the table
            elif text.startswith("|"):
                found.append(text)
            else:
                found += re.split(r"(?<=[.!?]) (?=[A-Z`])", text)
    return found


def test_every_promise_names_the_tests_that_show_it() -> None:
    keys = [*SHOWN, *DATA["describes"]]
    of_sentence = {text: [key for key in keys if key in text] for text in sentences()}
    assert {text: found for text, found in of_sentence.items() if len(found) != 1} == {}
    assert sorted(key for found in of_sentence.values() for key in found) == sorted(keys)
    assert all(SHOWN.values())


def test_the_named_tests_are_there() -> None:
    for name in (each for names in SHOWN.values() for each in names):
        path, _, test = name.partition("::")
        assert re.search(rf"^def {test}\(", (ROOT / path).read_text(encoding="utf-8"), re.M), name
    for path in re.findall(r"`((?:tests|tools|rulesdsl)/[\w/.-]+)`", TEXT):
        assert (ROOT / path).exists(), path
