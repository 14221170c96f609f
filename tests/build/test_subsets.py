"""Every subset of expansions is found, and what is wrong with it."""

from __future__ import annotations

from itertools import permutations
from pathlib import Path

import pytest

from rulesdsl.author.lint.trials import sets_of
from rulesdsl.engine.build.combinations import Subset, Subsets, check_absent
from rulesdsl.engine.build.stages import build
from rulesdsl.language.diagnostics import Report
from rulesdsl.language.diagnostics.render import render
from rulesdsl.language.read.load import load_rulesets

GLADE = """\
ruleset: glade
edition: 1
version: 1.0.0
rules: glade.rules
players: {min: 1, max: 2, colours: [red, blue]}
game: {play: game, finish: finish, score: player.score}
attributes: {worth: {of: tile, default: 1}}
zones: {bag: {holds: tile, initial: true}}
tiles: [{id: corner, count: 3}]
"""
GLADE_RULES = """\
state player.score: int 0..999
value prize() -> int: 1
action game():
    first(players).score += prize() + sum(t.worth for t in tiles)
    finish()
action finish(): end_game(players)
"""


def manifest(name: str, *more: str) -> str:
    lines = (f"ruleset: {name}", "edition: 1", "version: 1.0.0", f"rules: {name}.rules", *more)
    return "".join(f"{line}\n" for line in lines)


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """Two strangers whose rules clash, one that builds on the first, and a house rule."""
    rules = {
        "glade": (GLADE, GLADE_RULES),
        "amber": (manifest("amber", "requires: [glade]"), "refine prize(): 2\n"),
        "birch": (manifest("birch", "requires: [glade]"), "refine prize(): 3\n"),
        "cedar": (manifest("cedar", "requires: [amber]"), "refine prize(): 4\n"),
        "house": (manifest("house", "house: true", "requires: [glade]"), "refine prize(): 5\n"),
    }
    for name, (head, text) in rules.items():
        (tmp_path / f"{name}.yaml").write_text(head)
        (tmp_path / f"{name}.rules").write_text(text)
    return tmp_path


def meeting(folder: Path, *parties: str) -> None:
    """Say what the prize is when these parties meet."""
    name = "_".join(parties)
    head = manifest(name, f"interaction: [{', '.join(parties)}]")
    (folder / f"{name}.yaml").write_text(head)
    (folder / f"{name}.rules").write_text("refine prize(): 6\n")


def slugs(found: Subset) -> list[str]:
    return [finding.slug for finding in found.findings]


def shown(found: Subset) -> tuple[tuple[str, ...], str]:
    return found.expansions, render(found.findings)


def test_all_that_extends_it_is_found_and_its_clashes_with_the_smallest_subset(
    folder: Path,
) -> None:
    found = [(each.expansions, slugs(each)) for each in Subsets(folder / "glade.yaml")]
    assert found == [
        ((), []),
        (("amber",), []),
        (("birch",), []),
        (("amber", "birch"), ["value-clash"]),
        (("amber", "cedar"), []),
        (("amber", "birch", "cedar"), ["value-clash", "value-clash"]),
    ]


def test_interactions_are_on_when_their_parties_are(folder: Path) -> None:
    meeting(folder, "amber", "birch")
    found = {each.expansions: slugs(each) for each in Subsets(folder / "glade.yaml")}
    assert found["amber", "birch"] == []
    assert found["amber", "birch", "cedar"] == ["value-clash", "value-clash"]
    meeting(folder, "amber_birch", "cedar")
    assert not any(each.findings for each in Subsets(folder / "glade.yaml"))


def test_an_interaction_that_is_named_comes_with_its_parties(folder: Path) -> None:
    meeting(folder, "amber", "birch")
    names = ["amber", "amber_birch", "birch"]
    found = {each.expansions: slugs(each) for each in Subsets(folder / "glade.yaml", names)}
    assert found == {(): [], ("amber",): [], ("birch",): [], tuple(names): []}
    found = {each.expansions: slugs(each) for each in Subsets(folder / "glade.yaml", names[1:2])}
    assert found == {(): [], ("amber_birch",): []}


def test_an_interaction_among_house_rules_only_if_it_is_named(folder: Path) -> None:
    head = manifest("pact", "house: true", "interaction: [amber, birch]")
    (folder / "pact.yaml").write_text(head)
    (folder / "pact.rules").write_text("refine prize(): 6\n")
    names = ["amber", "birch", "pact"]
    found = {each.expansions: slugs(each) for each in Subsets(folder / "glade.yaml", names)}
    assert found["amber", "birch"] == ["value-clash"]
    assert found["amber", "birch", "pact"] == []


def test_subsets_that_a_ruleset_refuses_are_left_out(folder: Path) -> None:
    refusal = "refuse: [{with: amber, because: one prize is enough}]"
    (folder / "birch.yaml").write_text(manifest("birch", "requires: [glade]", refusal))
    every = Subsets(folder / "glade.yaml")
    assert [(each.expansions, slugs(each)) for each in every] == [
        ((), []),
        (("amber",), []),
        (("birch",), []),
        (("amber", "cedar"), []),
    ]
    assert (every.checked, every.of) == (4, 4)
    (note,) = every.refused
    assert note.message == "`birch` is not played together with `amber`: one prize is enough"
    many = Subsets(folder / "glade.yaml", every=1)
    assert {each.expansions for each in many} == {(), ("amber",), ("birch",), ("amber", "cedar")}
    sets = sets_of(str(folder / "glade.yaml"), [], ())
    assert ("amber", "cedar") in sets
    assert ("birch",) in sets
    assert not any({"amber", "birch"} <= {*on} or {"cedar", "birch"} <= {*on} for on in sets)
    assert (
        check_absent(
            folder / "birch.yaml",
            [],
            {},
            rulesets=load_rulesets(folder / "birch.yaml", report=Report()),
            found=(),
        )
        == ()
    )
    (folder / "birch.yaml").write_text(
        manifest("birch", "requires: [glade]", refusal.replace("amber", "ambre"))
    )
    rulesets = load_rulesets(folder / "birch.yaml", report=Report())
    (found,) = check_absent(folder / "birch.yaml", [], {}, rulesets=rulesets, found=())
    assert (found.slug, found.help) == ("ruleset-missing", ("did you mean `amber`?",))
    subsets = Subsets(folder / "glade.yaml", ["amber", "birch"])
    told = [each.expansions for each in subsets if "ruleset-missing" in slugs(each)]
    assert told == [("birch",), ("amber", "birch")]


def test_what_is_required_comes_with_what_is_named(folder: Path) -> None:
    found = [(each.expansions, slugs(each)) for each in Subsets(folder / "glade.yaml", ["cedar"])]
    assert found == [((), []), (("cedar",), [])]


def test_house_rules_only_if_they_are_named(folder: Path) -> None:
    names = ["amber", "birch", "house"]
    found = {each.expansions: slugs(each) for each in Subsets(folder / "glade.yaml", names)}
    assert found["amber", "birch", "house"] == []
    assert found["amber", "birch"] == ["value-clash"]


def test_the_order_in_which_they_are_named_does_not_matter(folder: Path) -> None:
    orders = permutations(["amber", "birch", "cedar"])
    found = {str([shown(each) for each in Subsets(folder / "glade.yaml", o)]) for o in orders}
    assert len(found) == 1


def test_it_is_what_every_game_alone_would_say(folder: Path) -> None:
    (folder / "birch.yaml").write_text(
        manifest("birch", "requires: [glade]", "extend: {glade/corner: [{copies: 2, worth: 2}]}")
    )
    (folder / "amber.yaml").write_text(
        manifest("amber", "requires: [glade]", "extend: {glade/corner: [{copies: 2, worth: 3}]}")
    )
    for each in Subsets(folder / "glade.yaml"):
        report = Report()
        build(folder / "glade.yaml", each.expansions, report=report)
        assert shown(each) == (each.expansions, render(report.sorted()))


def test_several_processes_find_the_same(folder: Path) -> None:
    for name in ("elm", "fir", "gorse"):
        (folder / f"{name}.yaml").write_text(manifest(name, "requires: [glade]"))
        (folder / f"{name}.rules").write_text(f"value {name}() -> int: prize()\n")
    alone = [shown(each) for each in Subsets(folder / "glade.yaml", jobs=1)]
    assert len(alone) == 48
    assert [shown(each) for each in Subsets(folder / "glade.yaml", jobs=2)] == alone


def test_files_that_cannot_be_read_are_one_subset(folder: Path) -> None:
    (folder / "birch.rules").write_text("refine prize(: 3\n")
    (found,) = Subsets(folder / "glade.yaml")
    assert found.expansions == ("amber", "birch", "cedar")
    assert slugs(found) == ["bad-syntax"]


def test_what_cannot_be_read_does_not_hide_what_is_wrong_elsewhere(folder: Path) -> None:
    (folder / "amber.rules").write_text("refine prize( 2\n")
    (folder / "birch.rules").write_text("refine prize(): true\n")
    (one,) = Subsets(folder / "glade.yaml", jobs=1)
    assert {"bad-syntax", "type-mismatch"} <= {each.slug for each in one.findings}
