"""The scenarios of a ruleset notice when one of its rules is broken.

`mutants/NAME.yaml` lists changes of the shipped rulesets of which each must fail a scenario of
`rulesets/NAME.test.yaml`: in the file `in`, the text `change`, which occurs once, becomes `to`.
What manifests say twice, `totals` and `sides`, is taken out of that file: the checker would notice
first.
"""

from __future__ import annotations

import re
import shutil
from pathlib import Path

import pytest
import yaml

from rulesdsl import load
from rulesdsl.language.diagnostics import Source
from rulesdsl.play.scenario import read_scenarios

RULESETS = Path(__file__).parents[2] / "rulesets"
FILES = sorted((Path(__file__).parent / "mutants").glob("*.yaml"))
Mutant = dict[str, str]
MUTANTS: list[tuple[str, Mutant]] = [
    (file.stem, mutant) for file in FILES for mutant in yaml.safe_load(file.read_text("utf-8"))
]


def named(mutant: Mutant) -> str:
    return f"{mutant['in']}: {mutant['change'].strip()} -> {mutant['to'].strip()}"


def changed(mutant: Mutant) -> str:
    """The text of the file that the mutant changes, afterwards."""
    text = (RULESETS / mutant["in"]).read_text(encoding="utf-8")
    assert text.count(mutant["change"]) == 1, named(mutant)
    return text.replace(mutant["change"], mutant["to"])


def once(manifest: str) -> str:
    """A manifest without what it says a second time."""
    return re.sub(r", sides: \[[^]]*\]", "", re.sub(r"(?m)^totals:\n(?: .*\n)+", "", manifest))


def broken(mutant: Mutant, folder: Path) -> None:
    """The rulesets, with one change, in a folder of their own."""
    shutil.copytree(RULESETS, folder, dirs_exist_ok=True)
    text = changed(mutant)
    text = once(text) if mutant["in"].endswith(".yaml") else text
    (folder / mutant["in"]).write_text(text, encoding="utf-8")


def test_the_changes_fit_the_rulesets() -> None:
    for name, mutant in MUTANTS:
        assert (RULESETS / f"{name}.test.yaml").is_file()
        assert changed(mutant) != (RULESETS / mutant["in"]).read_text(encoding="utf-8")


def test_what_is_said_twice_is_found() -> None:
    base = (RULESETS / "base.yaml").read_text(encoding="utf-8")
    said, left = yaml.safe_load(base), yaml.safe_load(once(base))
    assert said.pop("totals")
    for tile in said["tiles"]:
        assert tile.pop("sides")
    assert left == said


@pytest.mark.long
@pytest.mark.parametrize(
    ("name", "mutant"), [pytest.param(*each, id=f"{each[0]}: {named(each[1])}") for each in MUTANTS]
)
def test_a_broken_rule_fails_a_scenario(
    name: str, mutant: Mutant, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    broken(mutant, tmp_path)
    monkeypatch.setattr("rulesdsl.language.read.files.shipped", lambda _: tmp_path)
    file = tmp_path / f"{name}.test.yaml"
    source = Source(str(file), file.read_text(encoding="utf-8"))
    game = yaml.safe_load(source.text)
    load(tmp_path / f"{game['scenarios']}.yaml", expansions=game.get("with", []))
    scenarios = read_scenarios(source, engine="python")
    assert not all(scenario.run().passed for scenario in scenarios)
