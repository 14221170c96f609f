"""The rulesets in `rulesets/more` are clean and play, alone and together."""

from __future__ import annotations

import pytest

from rulesdsl import load
from tests.cli.conftest import Cli
from tests.rulesets.shipped import FOLDER
from tests.rulesets.test_labels import LANGUAGES, named

MORE = sorted(path.stem for path in (FOLDER / "more").glob("*.rules"))
ALONE = {"abbey_and_mayor", "princess_and_dragon", "tower"}


@pytest.mark.parametrize(
    "names",
    [
        ",".join(MORE),
        *(pytest.param(name, marks=[] if name in ALONE else pytest.mark.long) for name in MORE),
    ],
)
def test_they_are_checked_and_played(cli: Cli, names: str) -> None:
    found = cli("check", "base", "--with", names)
    assert "base: no problems" in found.out, found.out


def test_they_are_labelled() -> None:
    checked = load("base", MORE).checked
    for language in LANGUAGES:
        assert named(checked) <= set(checked.game.labels[language])
