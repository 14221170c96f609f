"""Games for the tests of lowered positions."""

from __future__ import annotations

from functools import cache
from pathlib import Path

from rulesdsl import load
from rulesdsl.language.model.checked import Checked

ROOT = Path(__file__).parents[3]
GAMES = {
    "base": ROOT / "rulesets" / "base.yaml",
    **{name: ROOT / "tests" / "games" / f"{name}.yaml" for name in ("mosaic", "stones", "vault")},
}


@cache
def game(name: str) -> Checked:
    return load(GAMES[name]).checked
