"""What never happens in random games, and what stops them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import pytest

from rulesdsl.audit import trials
from rulesdsl.diagnostics import Diagnostic
from tests.cli.conftest import HAMLETS, RULESETS

NEVER = """\
value idle() -> int: 1
value asks(n: int) -> int: idle() if n > 5 else 0
action rest(n: int) when n > 99: active.score += idle()
before rest(n): active.score += 1
forbid build.pass when active.score > 5000
option build.stay when active.score > 5000: rest(1)
choice sleep(p: player) by p:
    option deeply: p.score += 1
    option not_at_all
action prize(p: player, n: int): p.score += n
after pay(t):
    prize(active, min(0, count(tiles)))
    if active.score > 5000: sleep(active)
    if active.score > 5000: rest(idle())
"""


@pytest.fixture
def write(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("RULESDSL_CACHE", str(tmp_path / "cache"))
    return tmp_path


def extending(folder: Path, rules: str, more: str = "", name: str = "more") -> str:
    """A ruleset that extends the small game."""
    for each in ("hamlets.yaml", "hamlets.rules"):
        (folder / each).write_bytes((RULESETS / each).read_bytes())
    head = f"ruleset: {name}\nedition: 1\nversion: 1.0.0\nrequires: [hamlets]\n"
    (folder / f"{name}.yaml").write_text(f"{head}rules: {name}.rules\n{more}")
    (folder / f"{name}.rules").write_text(rules)
    return str(folder / f"{name}.yaml")


def found(
    main: str,
    expansions: Sequence[str] = (),
    games: int = 2,
    settings: Mapping[str, Any] | None = None,
) -> tuple[Diagnostic, ...]:
    seen = trials.Seen()
    for table in trials.tables(main, expansions, settings or {}, (), games, 0):
        seen.add(trials.play_table(table))
    return seen.findings()


def told(diagnostics: Sequence[Diagnostic]) -> list[str]:
    return [
        f"{each.slug} {each.span.line}: {each.message.removesuffix(' in 2 random games')}"
        for each in diagnostics
        if each.span
    ]


def test_what_never_happens_is_told_once_and_at_its_place(write: Path) -> None:
    assert told(found(extending(write, NEVER))) == [
        "never-ran 1: nobody asked for `idle`",
        "never-ran 2: nobody asked for `asks`",
        "never-ran 3: `rest` never ran",
        "never-ran 5: this veto on `build.pass` never applied",
        "never-offered 6: `build.stay` was never possible",
        "never-offered 7: nobody was asked for `sleep`",
        "never-given 10: no points were given for `prize`",
    ]


def test_nothing_is_told_of_what_is_required_only(write: Path) -> None:
    main = extending(write, "after pay(t): active.score += 1\n")
    (write / "hamlets.rules").write_text(
        (write / "hamlets.rules").read_text() + "value spare() -> int: 1\n"
    )
    assert told(found(main)) == []
    assert [each.slug for each in found(str(write / "hamlets.yaml"))] == ["never-ran"]


def test_settings_are_drawn_unless_they_are_given(write: Path) -> None:
    settings = "settings: {deep: {default: false}}\n"
    main = extending(write, "after pay(t) when settings.deep: active.score += 1\n", settings)
    assert [each.slug for each in found(main, games=1)] == ["never-ran"]
    assert found(main, games=4) == ()
    assert [each.slug for each in found(main, games=4, settings={"deep": False})] == ["never-ran"]


def test_expansions_are_played_together_and_alone() -> None:
    tables = trials.tables(HAMLETS, ["wells", "mills"], {}, (), 40, 7)
    assert {table.expansions for table in tables} == {
        ("wells", "mills"),
        ("wells",),
        ("mills",),
        (),
    }
    assert sorted(number for table in tables for number in table.games) == list(range(40))
    extends = trials.tables(HAMLETS, [], {}, (), 1, 0)
    assert [table.expansions for table in extends] == [("mills", "spoilt", "wells")]


def test_points_are_told_where_their_reason_is_named(write: Path) -> None:
    more = "enums: {reason: [tolls, taxes]}\n"
    rules = (
        "action pay_for(p: player, r: reason, n: int): p.score += n\n"
        "after pay(t):\n    pay_for(active, tolls, 1)\n    pay_for(active, taxes, 0)\n"
    )
    (one,) = found(extending(write, rules, more))
    assert one.span is not None
    assert (one.slug, one.span.text) == ("never-given", "taxes")
    assert "`reason.taxes`" in one.message


def test_a_rule_that_fails_is_an_error_with_its_game(write: Path) -> None:
    rules = "after pay(t): active.score -= 100\n"
    faults = [each for each in found(extending(write, rules)) if each.slug == "play-error"]
    assert len(faults) == 2
    assert faults[0].span is not None
    assert faults[0].severity.value == "error"
    assert faults[0].help == (
        "in random game 0 of seed 0: 2 players, with hamlets, more; hamlets.houses=4",
    )


def test_a_fault_of_the_program_is_told(write: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def fails(*_: object) -> None:
        raise KeyError("never mind")

    monkeypatch.setattr(trials, "_to_the_end", fails)
    main = extending(write, NEVER)
    (fault,) = (each for each in found(main, games=1) if each.slug == "games-stopped")
    assert fault.message == "a fault of this program stopped a game: KeyError: 'never mind'"


def test_why_expansions_cannot_be_played_is_told() -> None:
    (table,) = trials.tables(HAMLETS, ["spoilt"], {}, (), 1, 0)
    seen = trials.play_table(table)
    assert seen.games == 0
    assert [each.slug for each in seen.findings()] == ["unknown-name", "unknown-attribute"]


def test_games_are_the_same_in_several_processes(write: Path) -> None:
    main = extending(write, NEVER)
    tables = trials.tables(main, [], {}, (), trials.FEW + 1, 0)
    here, there = trials.Seen(), trials.play(tables)
    for table in tables:
        here.add(trials.play_table(table))
    assert (here.games, list(here.subjects)) == (there.games, list(there.subjects))
    assert here.signs == there.signs


def test_a_game_that_takes_too_long_is_ended(write: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(trials, "MOVES", 3)
    rules = "before finish(): first(players).score += 1\nafter pay(t): active.score += 0\n"
    assert told(found(extending(write, rules))) == []
