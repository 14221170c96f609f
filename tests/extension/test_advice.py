"""What findings advise to paste is pasted, and mends what was found."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from rulesdsl.language.diagnostics import Diagnostic
from tests.extension.test_extension import Case, findings, write

SALT = "refine price(p, w) when w == salt: 10\n"
BLOCKS = "after sell(p, w): p.score = 2 * p.score\n"
CASES: dict[str, tuple[str, str]] = {
    "plain guards": (SALT, "refine price(p, w) when p.score > 3: 20\n"),
    "no guard": (SALT, "refine price(p, w): 20\n"),
    "neither has a guard": ("refine price(p, w): 3\n", "refine price(p, w): 20\n"),
    "alternatives": (SALT, "refine price(p, w) when p.score > 3 or w == cloth: 20\n"),
    "a choice of two": (SALT, "refine price(p, w) when p.score > 3 if w == salt else true: 20\n"),
    "comments": (
        SALT,
        "refine price(p, w) when p.score > 3 and  # rich\n        (w == salt or  # or not\n"
        "        p.score > 9): 20\n",
    ),
    "other names for the parameters": (SALT, "refine price(w, p) when w.score > 3: 20\n"),
    "a local called like a parameter": (
        SALT,
        "refine price(q, w) when any(p in players where p != q): 20\n",
    ),
    "an attribute called like a parameter": (
        "refine price(score, w) when w == salt: 10\n",
        "refine price(p, w) when p.score > 3: 20\n",
    ),
}


def paste(folder: Path, case: Case, finding: Diagnostic, line: str) -> list[str]:
    """What is found with a line in the places that `finding` names: in a new ruleset, or below
    `with` in the rules of a party; and once its fix is applied."""
    advice = " ".join(finding.help)
    parties = re.search(r"`interaction: (\[[a-z_, ]+\])`", advice)
    assert parties is not None, advice
    meeting = {"manifest": f"interaction: {parties[1]}\n", "rules": line + "\n"}
    fixed = [{**case["rulesets"], "meeting": meeting}]
    for head, ruleset in re.findall(r"below `(with \w+:)` in (?:the rules|those) of (\w+)", advice):
        own = case["rulesets"][ruleset]
        rules = f"{own['rules']}{head}\n    {line}\n"
        fixed.append({**case["rulesets"], ruleset: {**own, "rules": rules}})
    assert len(fixed) == 3
    fixed += [
        {
            **case["rulesets"],
            (name := Path(span.source.name).stem): {
                **case["rulesets"][name],
                "rules": span.source.text[: span.start] + text + span.source.text[span.end :],
            },
        }
        for span, text in finding.fixes
        if line in text
    ]
    assert len(fixed) == 4
    places = [folder / str(number) for number in range(len(fixed))]
    found: list[str] = []
    for place, rulesets in zip(places, fixed, strict=True):
        place.mkdir(exist_ok=True)
        new: Case = {**case, "rulesets": rulesets}
        found += (each.slug for each in findings(place, new, write(place, new)))
    return found


@pytest.mark.parametrize("number", [1, 2, 3])
@pytest.mark.parametrize("name", sorted(CASES))
def test_every_line_that_is_offered_settles_a_clash(name: str, number: int, tmp_path: Path) -> None:
    east, west = CASES[name]
    case: Case = {"rulesets": {"east": {"rules": east}, "west": {"rules": west}}}
    (clash,) = findings(tmp_path, case, write(tmp_path, case))
    assert clash.slug == "value-clash"
    _, *lines = clash.help
    assert len(lines) == 3
    assert "…" not in "".join(lines)
    assert paste(tmp_path, case, clash, lines[number - 1].strip()) == []


def test_an_order_names_a_value_as_each_ruleset_does(tmp_path: Path) -> None:
    own = "value price() -> int: 1\nafter sell(p, w): note(price())\n"
    east, west = own + SALT.replace("price", "fair.price"), SALT.replace("10", "previous + 2")
    case: Case = {"rulesets": {"east": {"rules": east}, "west": {"rules": west}}}
    (clash,) = findings(tmp_path, case, write(tmp_path, case))
    first, second = (line.strip() for line in clash.help[1:3])
    assert first == (
        "order east.fair.price before west.price  "
        "# first east, then west: `previous` in west is what east gives"
    )
    assert second == (
        "order west.price before east.fair.price  # if both apply, only that of east counts"
    )
    for line in (first, second):
        assert paste(tmp_path, case, clash, line) == []


@pytest.mark.parametrize("number", [0, 1, 2])
def test_an_order_or_independence_settles_hooks_that_meet(number: int, tmp_path: Path) -> None:
    case: Case = {"rulesets": {"east": {"rules": BLOCKS}, "west": {"rules": BLOCKS}}}
    (meet,) = findings(tmp_path, case, write(tmp_path, case))
    assert meet.slug == "hooks-meet"
    assert paste(tmp_path, case, meet, meet.help[1 + number].strip()) == []


@pytest.mark.parametrize("number", [0, 1])
def test_previous_in_a_ruleset_settles_which_is_meant(number: int, tmp_path: Path) -> None:
    east, west = {"rules": SALT}, {"rules": SALT.replace("10", "20")}
    meeting = {"manifest": "interaction: [east, west]\n", "rules": SALT.replace("10", "previous")}
    case: Case = {"rulesets": {"east": east, "west": west, "east_west": meeting}}
    (found,) = findings(tmp_path, case, write(tmp_path, case))
    assert found.slug == "previous-ambiguous"
    order = found.help[3 + number].strip()
    ordered = {**meeting, "rules": f"{meeting['rules']}{order}\n"}
    fixed: Case = {"rulesets": {**case["rulesets"], "east_west": ordered}}
    assert findings(tmp_path, fixed, write(tmp_path, fixed)) == []
    advice = found.help[number].removeprefix("write `").removesuffix("`")
    meeting["rules"] = SALT.replace("10", advice)
    assert findings(tmp_path, case, write(tmp_path, case)) == []


def test_lines_about_a_new_kind_settle_it(tmp_path: Path) -> None:
    lakes = {"manifest": "features: {lake: {shape: inside}}\n", "rules": "after lay(t): note(1)\n"}
    case: Case = {"rulesets": {"lakes": lakes}}
    (found,) = findings(tmp_path, case, write(tmp_path, case))
    assert found.slug == "new-kind"
    fixed: Case = {"rulesets": {"lakes": {**lakes, "rules": found.help[1].strip() + "\n"}}}
    assert findings(tmp_path, fixed, write(tmp_path, fixed)) == []


def test_a_line_for_a_last_option_settles_it(tmp_path: Path) -> None:
    east = (
        "choice pray(p: player) by p repeat:\n"
        "    option kneel(w in ware, q in players where q != p or w == salt): kneel(q)\n"
        "after lay(t): pray(active)\n"
        "action kneel(p: player): note(1)\n"
    )
    west = {"manifest": "requires: [fair, east]\n", "rules": "require kneel(p): p.score < 9\n"}
    case: Case = {"rulesets": {"east": {"rules": east}, "west": west}}
    (found,) = findings(tmp_path, case, write(tmp_path, case))
    assert found.slug == "last-option"
    west["rules"] += found.help[1].strip() + "\n"
    assert findings(tmp_path, case, write(tmp_path, case)) == []
