"""Many expansions are checked by parts, which finds what checking every subset finds."""

from __future__ import annotations

from pathlib import Path
from random import Random
from time import monotonic

import pytest

from rulesdsl.engine.build.combinations import Subsets
from rulesdsl.language.diagnostics.render import render
from tools.strangers.drawing import host, manifest, rules

MARKET = host("market")
HOST, RULES = MARKET["manifest"], MARKET["rules"]
COPIES = "extend: {{host/coin: [{{copies: 2, worth: {worth}}}]}}"
NAMES = ("ants", "bees", "cats", "dogs", "elks")


def write(folder: Path, files: dict[str, str]) -> Path:
    for name, text in files.items():
        (folder / name).write_text(text)
    return folder / "host.yaml"


def head(name: str, *more: str) -> str:
    lines = (f"ruleset: {name}", "edition: 1", "version: 1.0.0", "requires: [host]", *more)
    return "".join(f"{line}\n" for line in (*lines, f"rules: {name}.rules"))


def family(made: dict[str, str], host: str = RULES) -> dict[str, str]:
    """The files of the host with expansions that have these rules and the same tokens."""
    files = {"host.yaml": HOST, "host.rules": host}
    for name, text in made.items():
        files[f"{name}.yaml"], files[f"{name}.rules"] = head(name), text
    return files


def first(found: Subsets) -> dict[str, int]:
    """Each finding with the number of expansions of the first game that has it.

    The host declares more than it uses.
    """
    seen: dict[str, int] = {}
    for each in found:
        for finding in each.findings:
            if finding.slug != "unused":
                seen.setdefault(render([finding]), len(each.expansions))
    return seen


def same(folder: Path, files: dict[str, str]) -> tuple[dict[str, int], Subsets]:
    """Assert that both ways find the same; return the findings, and the way by parts."""
    main = write(folder, files)
    parts = Subsets(main, jobs=1, every=0)
    found = first(parts)
    assert found == first(Subsets(main, jobs=1, every=10_000))
    assert not parts.left
    return found, parts


@pytest.mark.parametrize("seed", range(12))
def test_drawn_families(seed: int, tmp_path: Path) -> None:
    luck = Random(seed)
    files = {"host.yaml": HOST, "host.rules": RULES}
    for name in NAMES[: luck.choice((3, 4, 4, 5))]:
        text = rules(MARKET, luck, name)
        files[f"{name}.yaml"] = manifest(MARKET, luck, name, text).replace("house: true\n", "")
        files[f"{name}.rules"] = text
    same(tmp_path, files)


SPARSE = (
    "after turn(p): p.score += {n}\n",
    "after close(p): p.{own} += 1\n",
    "before gain(p, n): p.{own} += n\n",
    "before gain(p, n): day += {n}\n",
    "after buy(p): p.score += p.{own}\n",
    "after close(p): buy(p)\n",
    "after close(p): p.purse = {n}\n",
    "after close(p): for x in bag: p.{own} = x.worth\n",
    "after close(p): for x in hand[p]: p.{own} += x.worth\n",
    "after touch(x): day += {n}\n",
    "after touch(x): first(players).{own} = day\n",
    "around buy(p):\n    proceed\n    p.score += {n}\n",
    "instead close(p) when p.{own} > {n}: p.score += 0\n",
    "option trade.{own} when p.{own} > 3: p.score += 1\n",
    "forbid trade.pass when p.purse > {n}\n",
    "refine fee(p, n) when p.{own} > {n}: previous + 1\n",
    "always for q in players where q.{own} > {n}: q.{own} -= 4\n",
)
LOOP = (
    RULES.replace("    day += 1\n", "    for x in bag: touch(x)\n")
    + "action touch(x: token): nothing\n"
)


@pytest.mark.parametrize("seed", range(12))
def test_drawn_families_of_which_few_are_linked(seed: int, tmp_path: Path) -> None:
    same(tmp_path, sparse(seed, 5))


def sparse(seed: int, count: int) -> dict[str, str]:
    """The files of expansions with one or two rules each, most of which add up."""
    luck = Random(seed)
    files = {"host.yaml": HOST, "host.rules": luck.choice((RULES, LOOP, LOOP))}
    for number in range(count):
        name = f"e{number}"
        more = f"tokens: [{{id: {name}_gem, count: 2, in: bag, worth: {number}}}]"
        files[f"{name}.yaml"] = head(name, *luck.choice(((), (more,), (more,))))
        if luck.random() < 0.2:
            files[f"{name}.yaml"] += COPIES.format(worth=number + 5) + "\n"
        rules = "".join(luck.sample(SPARSE, luck.choice((1, 1, 2))))
        if files["host.rules"] is RULES:
            rules = "".join(line for line in rules.splitlines(True) if "touch" not in line)
        own = f"state player.{name}: int -1000000..1000000 = 0\n{rules}"
        files[f"{name}.rules"] = own.replace("{own}", name).replace("{n}", str(luck.randrange(4)))
    return files


def independent(count: int) -> dict[str, str]:
    """The files of expansions that hook the same action, score, and have components."""
    files = {"host.yaml": HOST, "host.rules": RULES}
    for number in range(count):
        name = f"e{number:02}"
        files[f"{name}.yaml"] = head(
            name, f"tokens: [{{id: {name}_gem, count: 2, in: box, worth: {number % 3}}}]"
        )
        files[f"{name}.rules"] = (
            f"state player.{name}: int 0..1000000 = 0\n"
            f"after close(p):\n    p.{name} += 1\n    p.score += 2\n"
            f"option trade.{name} when p.{name} > 3: p.score += 1\n"
        )
    return files


def test_twenty_independent_expansions(tmp_path: Path) -> None:
    found = Subsets(write(tmp_path, independent(20)))
    start = monotonic()
    assert set(first(found).values()) == set()
    assert monotonic() - start < 30
    assert not found.left
    assert (found.of, found.checked) == (2**20, 1 + 20 + 190 + 1)


CHAIN = {
    "ants": "after close(p): buy(p)",
    "bees": "after buy(p): gain(p, 1)",
    "cats": "after gain(p, n): day += 1",
    "dogs": "after close(p): p.score += day",
}


def test_a_conflict_that_only_four_make(tmp_path: Path) -> None:
    """Ants call what bees hook, bees call what cats hook, cats write what dogs read."""
    host = RULES.replace("    day += 1\n", "    p.purse += 0\n")
    found, _ = same(tmp_path, family(CHAIN | {"elks": "after turn(p): p.few += 1"}, host))
    assert 4 in found.values()


def test_a_conflict_that_only_three_make(tmp_path: Path) -> None:
    files = independent(8)
    files["e01.rules"] += "after close(p): buy(p)\n"
    files["e04.rules"] += "after buy(p): day += 2\n"
    files["e07.rules"] += "after close(p): p.score += day\n"
    found, parts = same(tmp_path, files)
    assert 3 in found.values()
    assert parts.checked < 200


def test_copies_that_are_enough_for_two(tmp_path: Path) -> None:
    files = independent(5)
    for number in range(4):
        files[f"e{number:02}.yaml"] += COPIES.format(worth=number + 5) + "\n"
    found, _ = same(tmp_path, files)
    assert 3 in found.values()


def test_too_many_that_are_linked(tmp_path: Path) -> None:
    files = independent(12)
    for number in range(12):
        files[f"e{number:02}.rules"] += "after close(p): p.purse = 2 * p.purse + 1\n"
    found = Subsets(write(tmp_path, files))
    assert set(first(found).values()) == {2}
    assert found.left == [(tuple(f"e{number:02}" for number in range(12)), 3)]


def test_a_broken_one_does_not_stop_the_others(tmp_path: Path) -> None:
    files = independent(6)
    files["e03.rules"] += "after close(p): p.missing += 1\n"
    found, _ = same(tmp_path, files)
    assert set(found.values()) == {1}
