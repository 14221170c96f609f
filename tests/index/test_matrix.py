"""The matrix: each kind of answer, and what is proved again after a change."""

from __future__ import annotations

from itertools import combinations
from pathlib import Path

import pytest

from rulesdsl.author.index import Shelf
from rulesdsl.author.index.matrix import GameMatrix, cover
from tests.index.conftest import add


def judged(folder: Path, known: GameMatrix | None = None, games: int = 2) -> GameMatrix:
    kept = {on: (key, known.answer(on)) for on, key in known.keys.items()} if known else {}
    return Shelf(str(folder)).matrices({"hamlets": kept}, games=games, jobs=1)["hamlets"]


def test_each_pair_has_its_answer_and_only_what_changed_is_proved_again(shelf: Path) -> None:
    made = judged(shelf)
    assert made.ids == ("east", "north", "south", "torn", "west")
    assert {on: answer.verdict for on, answer in made.sets.items()} == {
        ("east", "north"): "clean",
        ("east", "south"): "refused",
        ("east", "torn"): "broken",
        ("east", "west"): "undecided",
        ("north", "south"): "clean",
        ("north", "torn"): "broken",
        ("north", "west"): "clean",
        ("south", "torn"): "broken",
        ("south", "west"): "settled",
        ("torn", "west"): "broken",
    }
    assert made.sets["south", "west"].by == "peace"
    assert made.sets["east", "south"].said == "the sun <b>rises</b> once"
    (finding,) = made.sets["east", "west"].findings
    files = [finding["place"]["file"], *(label["file"] for label in finding["labels"])]
    assert {Path(name).name for name in files} >= {"east.rules", "west.rules"}
    assert made.alone["torn"].findings[0]["slug"] == "unknown-name"

    again = judged(shelf, made)
    assert again.sets == made.sets
    alone = 1 + len(made.ids)
    assert again.checked == alone

    add(shelf, "east", "", "before turn(): active.score += 1\n")
    changed = judged(shelf, again)
    assert changed.sets["east", "west"].verdict == "clean"
    # Only pairs with the changed expansion are proved, at most once each alone and once shared.
    assert 0 < changed.checked - alone <= 4
    assert judged(shelf).sets == changed.sets


def test_three_are_listed_if_the_third_changes_the_answer(shelf: Path) -> None:
    head = "ruleset: truce\nedition: 1\nversion: 1.0.0\nrules: truce.rules\n"
    manifest = head + "interaction: [east, north, west]\n"
    (shelf / "truce.yaml").write_text(manifest, encoding="utf-8")
    order = "order east.turn before west.turn\n"
    (shelf / "truce.rules").write_text(order, encoding="utf-8")
    made = judged(shelf, games=0)
    larger = {on: answer for on, answer in made.sets.items() if len(on) > 2}
    assert set(larger) == {("east", "north", "west")}
    answer = larger["east", "north", "west"]
    assert (answer.verdict, answer.by) == ("settled", "truce")
    assert judged(shelf, made, games=0).sets == made.sets


def test_three_are_listed_if_their_finding_shows_one_of_them(shelf: Path) -> None:
    with (shelf / "hamlets.yaml").open("a", encoding="utf-8") as file:
        file.write("enums: {mood: [calm]}\n")
    for id, mood in (("east", "glad"), ("west", "sad")):
        add(shelf, id, f"extend: {{hamlets/mood: [{mood}]}}\n", "# none\n")
    add(
        shelf,
        "north",
        "",
        """\
state game.felt: int 0..99 = 0
state game.moods[mood]: int 0..9 = 1
before turn():
    for m in mood:
        moods[m] = felt mod 9
        felt = (2 * felt + moods[m]) mod 99
""",
    )
    made = judged(shelf)
    larger = {on: answer for on, answer in made.sets.items() if len(on) > 2}
    assert set(larger) == {("east", "north", "west")}
    (finding,) = larger["east", "north", "west"].findings
    assert finding["slug"] == "order-of-names"
    pairs = combinations(("east", "north", "west"), 2)
    assert {made.sets[pair].verdict for pair in pairs} == {"clean"}
    assert judged(shelf, made).sets == made.sets


def test_pairs_share_games_that_contain_nothing_bad() -> None:
    ids = [f"x{number:02}" for number in range(30)]
    bad = [frozenset(("x00", "x01")), frozenset(("x02", "x03", "x04"))]
    due = {on for on in combinations(ids, 2) if not bad[0].issuperset(on)}
    for most in (2, 3, 24):
        groups = list(cover(due, bad, lambda on: "x09" not in on or "x10" not in on, most))
        assert all(len(on) <= most and not any(map(set(on).issuperset, bad)) for on in groups)
        covered = {pair for on in groups for pair in combinations(on, 2)}
        assert covered >= due
        assert not covered - due
    assert len(groups) < 12


@pytest.mark.parametrize(
    ("rules", "slug"),
    [
        ("before turn(): nothing_of_the_kind()\n", "unknown-name"),
        ("before turn(): active.score = 0 - 1\n", "range"),
    ],
    ids=["found by the check", "found by playing"],
)
def test_a_game_with_errors_of_its_own_breaks_everything(
    shelf: Path, rules: str, slug: str
) -> None:
    with (shelf / "hamlets.rules").open("a", encoding="utf-8") as file:
        file.write(rules)
    made = judged(shelf)
    assert {finding["slug"] for finding in made.alone["hamlets"].findings} == {slug}
    assert {each.verdict for each in (*made.alone.values(), *made.sets.values())} == {"broken"}
    assert len(made.sets) == 10
    assert made.checked == 1


def test_an_expansion_that_fails_by_itself_is_not_tried_with_others(shelf: Path) -> None:
    add(shelf, "west", "", "before turn(): active.score = 0 - 1\n")
    made = judged(shelf)
    (finding,) = made.alone["west"].findings
    assert finding["slug"] == "range"
    assert {each.verdict for on, each in made.sets.items() if "west" in on} == {"broken"}
    again = judged(shelf, made)
    assert (again.alone, again.sets, again.played) == (made.alone, made.sets, 0)
