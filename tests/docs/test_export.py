"""The page about games as data: its example plays, and exports satisfy the schema."""

from __future__ import annotations

import json
import re
from pathlib import Path

import jsonschema
import pytest

from rulesdsl.language.read.files import shipped
from rulesdsl.show.page.plan import export
from tests.page.node import printed
from tests.rulesets.shipped import game
from tools.environment import ROOT

PAGE = (ROOT / "docs" / "reference" / "export.md").read_text(encoding="utf-8")


def test_the_example_plays(tmp_path: Path) -> None:
    (script,) = re.findall(r"^```js\n(.*?)^```$", PAGE, re.M | re.S)
    (tmp_path / "play.mjs").write_text(script, encoding="utf-8")
    (tmp_path / "base.json").write_text(json.dumps(export(game("base"), [2])), encoding="utf-8")
    *moves, result = printed("play.mjs", cwd=tmp_path).splitlines()
    assert all(re.fullmatch(r"(red|blue) \w+\.\w+( \w+=-?\d+)*", move) for move in moves)
    assert re.fullmatch(r"\d+ to \d+", result)


@pytest.mark.parametrize("name", ["base", "card_game", "dice_game"])
def test_an_export_satisfies_the_schema(name: str) -> None:
    schema = json.loads((shipped("schemas") / "plan.schema.json").read_text(encoding="utf-8"))
    jsonschema.Draft202012Validator.check_schema(schema)
    data = json.loads(json.dumps(export(game(name), [2])))
    jsonschema.Draft202012Validator(schema).validate(data)
    assert data == json.loads(json.dumps(export(game(name), [2])))
