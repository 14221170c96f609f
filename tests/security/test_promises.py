"""Every promise of SECURITY.md has a test that shows it, and the test is there."""

from __future__ import annotations

import re
from pathlib import Path

import yaml

from tests.architecture.sources import ROOT

SHOWN: dict[str, list[str]] = yaml.safe_load(
    Path(__file__).with_name("promises.yaml").read_text(encoding="utf-8")
)


def promises() -> list[str]:
    """The second cells of the table of promises."""
    text = (ROOT / "SECURITY.md").read_text(encoding="utf-8")
    table = text.split("## What is promised\n")[1].split("\n## ")[0]
    rows = [line for line in table.splitlines() if line.startswith("|")][2:]
    return [row.split("|")[2].strip() for row in rows]


def test_every_promise_names_the_tests_that_show_it() -> None:
    found = [[key for key in SHOWN if each.startswith(key)] for each in promises()]
    assert sorted(key for keys in found for key in keys) == sorted(SHOWN)
    assert all(len(keys) == 1 for keys in found)


def test_the_named_tests_are_there() -> None:
    for name in (each for names in SHOWN.values() for each in names):
        path, _, test = name.partition("::")
        assert re.search(rf"^def {test}\(", (ROOT / path).read_text(encoding="utf-8"), re.M), name
