"""Pairs of expansions whose game would depend on their names, and pairs that look like it."""

from __future__ import annotations

from pathlib import Path
from shutil import rmtree
from typing import Any

import pytest
import yaml

from tools.strangers.drawing import host as game_of
from tools.strangers.measuring import loaded
from tools.strangers.renaming import Differs

CASES = yaml.safe_load(Path(__file__).with_name("pairs.yaml").read_text(encoding="utf-8"))
GOODS = "attributes:", "enums: {good: [wine]}\nattributes:\n  good: {of: token, default: wine}"


def files(case: dict[str, Any]) -> dict[str, str]:
    """The manifests and rules of the host and both expansions."""
    game = game_of(case.get("host", "market"))
    host, rules = game["manifest"], game["rules"]
    for old, new in case.get("manifest", {}).items():
        assert old in host
        host = host.replace(old, new)
    if "enum" in case:
        host = host.replace(*GOODS)
    close = "".join(f"    {line}\n" for line in case.get("close", "").splitlines())
    rules = rules.replace("    day += 1\n", f"    day += 1\n{close}")
    if "steps" in case:
        rules = rules.replace("action gain(", "step action gain(")
        rules = rules.replace("action buy(", "step action buy(")
    if "purse" in case:
        rules = rules.replace("purse: int -1000000..1000000 = 3", f"purse: {case['purse']} = 0")
    made = {"host.yaml": host, "host.rules": f"{rules}{case.get('rules', '')}\n"}
    for name, worth in (("ants", 2), ("bees", 3)):
        head = f"ruleset: {name}\nedition: 1\nversion: 1.0.0\nrequires: [host]\n"
        if name in case:
            head += f"rules: {name}.rules\n"
            made[f"{name}.rules"] = f"{case[name]}\n"
        if "gems" in case:
            head += f"tokens: [{{id: {name}_gem, count: 2, in: {case['gems']}, worth: {worth}}}]\n"
        if "enum" in case:
            head += f"extend: {{host/good: [{name}]}}\n"
            head += f"tokens: [{{id: {name}_gem, count: 2, in: bag, good: {name}}}]\n"
        made[f"{name}.yaml"] = f"{head}{case.get(f'{name}_has', '')}\n"
    return made


def differs(pair: Any, games: int) -> bool:
    """Whether one of some games differs under the other names."""
    try:
        for seed in range(games):
            pair.play(2, seed, 200)
    except Differs:
        return True
    return False


@pytest.mark.parametrize("case", CASES, ids=lambda case: case["name"])
def test_pairs(case: dict[str, Any], one_folder: Path) -> None:
    for last in one_folder.iterdir():
        rmtree(last)
    pair, found = loaded(one_folder, files(case))
    if pair is None:
        assert found == case.get("refused")
        return
    assert found == case.get("finds", [])
    if "depends" in case:
        assert differs(pair, 40), "a game shows the difference"
    if not found:
        assert not differs(pair, 5)
