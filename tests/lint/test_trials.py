"""What never happens in random games, and what stops them."""

from __future__ import annotations

import shlex
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import pytest

from rulesdsl.author.lint import trials
from rulesdsl.author.lint.trials import record, shrunk, subjects
from rulesdsl.cli.main import main
from rulesdsl.cli.trials import Failures, command
from rulesdsl.engine.build.stages import build
from rulesdsl.engine.run import ENGINES, engine_of
from rulesdsl.engine.run.rng import Rng
from rulesdsl.language.diagnostics import Diagnostic, Report
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
    seen = seen_in(main, expansions, games, settings)
    faults = Failures(None, []).findings(seen.faults.values(), complete=True)
    return (*seen.refused, *faults, *seen.missed())


def played(table: trials.TrialGame) -> trials.GameResults:
    (seen,), stop = trials.play_tables([table])
    assert stop is None
    return seen


def seen_in(
    main: str,
    expansions: Sequence[str] = (),
    games: int = 2,
    settings: Mapping[str, Any] | None = None,
) -> trials.GameResults:
    seen = trials.GameResults()
    for table in trials.tables(main, expansions, settings or {}, (), games, 0):
        seen.add(played(table))
    return seen


def told(diagnostics: Sequence[Diagnostic]) -> list[str]:
    return [
        f"{each.slug} {each.span.line}: {each.message.removesuffix(' in 2 random games')}"
        for each in diagnostics
        if each.span
    ]


def test_what_never_happens_is_told_once_and_at_its_place(write: Path) -> None:
    assert told(found(extending(write, NEVER))) == [
        "never-ran 1: `idle` was never computed",
        "never-ran 2: `asks` was never computed",
        "never-ran 3: `rest` never ran",
        "never-ran 5: this veto on `build.pass` never applied",
        "never-offered 6: `build.stay` was never possible",
        "never-offered 7: `sleep` was never asked",
        "never-given 10: no points were awarded for `prize`",
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
    assert [table.number for table in tables] == list(range(40))
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


def test_a_rule_that_fails_is_one_error_with_a_command_that_shows_it(
    write: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    settings = "settings: {deep: {default: false}}\n"
    rules = "after pay(t) when settings.deep: active.score -= 100\n"
    seen = seen_in(extending(write, rules, settings), games=6)
    (fault,) = seen.faults.values()
    assert fault.games > 1
    words = shlex.split(command(fault))
    assert words[:2] == ["rulesdsl", "run"]
    assert main(words[1:]) == 1
    again = capsys.readouterr()
    assert again.err.startswith(f"error[play-error]: {fault.finding.message}")
    # The hook has run where it failed.
    assert seen.missed() == ()


def test_a_failing_game_is_shrunk_to_a_record_that_shows_the_failure(
    write: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    rules = "after pay(t):\n    active.score += 1\n    if active.score > 4: active.score -= 100\n"
    seen = seen_in(extending(write, rules), games=2)
    (fault,) = seen.faults.values()
    short = shrunk(fault)
    assert len(short.moves) < len(fault.moves)
    file = write / "failure.jsonl"
    file.write_text(record(short))
    assert main(["replay", str(file)]) == 1
    assert fault.finding.message in capsys.readouterr().err


def sitting_of(table: trials.TrialGame) -> trials.Sitting:
    return trials._sitting(trials._loaded(table), table)


def test_the_values_of_a_setting_take_turns(write: Path) -> None:
    settings = "settings: {deep: {default: 1, range: [1, 5]}, wide: {default: false}}\n"
    main = extending(write, "after pay(t): active.score += settings.deep\n", settings)
    sittings = [sitting_of(table) for table in trials.tables(main, [], {}, (), 6, 0)]
    values = [dict(each.settings).get("more.deep", 1) for each in sittings]
    assert values[0] == 1
    assert sorted(values[1:]) == [1, 2, 3, 4, 5]


def test_many_games_have_more_choices_of_settings() -> None:
    many = trials.tables(HAMLETS, ["wells"], {}, (), 400, 0)
    assert len({table.game for table in many}) == 400 // trials.SHARED


def test_every_engine_notes_the_same_rules(write: Path) -> None:
    checked = build(extending(write, NEVER), report=Report())
    assert checked is not None
    position, luck, moves = engine_of("python").trial(checked, 2).start(5), Rng.seeded(1), []
    while weights := position.outlook.weights:
        moves.append(luck.weighted(list(weights)))
        position.play(moves[-1])
    wanted = {
        sign[1:]
        for each in subjects(checked, frozenset(("hamlets", "more")))
        for sign in each.signs
        if sign[0] == "ran"
    }
    told = {name: engine_of(name).trial(checked, 2).told(5, moves) for name in ENGINES}
    playout, ran = told["python"]
    assert ran & wanted
    assert all((each, places & wanted) == (playout, ran & wanted) for each, places in told.values())


def test_games_share_drawn_settings_and_some_players_are_greedy() -> None:
    tables = trials.tables(HAMLETS, ["wells"], {}, (), 60, 3)
    sittings = [sitting_of(table) for table in tables]
    first = [sitting for table, sitting in zip(tables, sittings, strict=True) if not table.draw]
    assert all(sitting.settings == () for sitting in first)
    assert len({sitting.settings for sitting in sittings}) > 3
    # Making a game takes longer than playing it.
    assert len({table.game for table in tables}) == 2 * trials.DRAWS
    given = {
        (table.game, sitting.settings) for table, sitting in zip(tables, sittings, strict=True)
    }
    assert len(given) == 2 * trials.DRAWS
    assert {"greedy", "random"} == {bot for sitting in sittings for bot in sitting.bots}
    assert {sitting.players for sitting in sittings} == {2, 3, 4}


def test_a_fault_of_the_program_is_told(write: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def fails(*_: object) -> None:
        raise KeyError("never mind")

    monkeypatch.setattr(trials, "trial_of", fails)
    main = extending(write, NEVER)
    (fault,) = (each for each in found(main, games=1) if each.slug == "games-stopped")
    assert fault.message == "a fault of this program stopped a game: KeyError: 'never mind'"


def test_why_expansions_cannot_be_played_is_told() -> None:
    (table,) = trials.tables(HAMLETS, ["spoilt"], {}, (), 1, 0)
    seen = played(table)
    assert seen.games == 0
    assert [each.slug for each in seen.refused] == ["unknown-name", "unknown-attribute"]


def test_games_are_the_same_in_several_processes(write: Path) -> None:
    main = extending(write, NEVER)
    tables = trials.tables(main, [], {}, (), trials.FEW + 1, 0)
    here, there = trials.GameResults(), trials.GameResults()
    for table in tables:
        here.add(played(table))
    for each in trials.play(tables):
        there.add(each)
    assert (here.games, set(here.subjects)) == (there.games, set(there.subjects))
    assert here.signs == there.signs


def test_a_game_that_takes_too_long_is_ended(write: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(trials, "MOVES", 3)
    rules = "before finish(): first(players).score += 1\nafter pay(t): active.score += 0\n"
    assert told(found(extending(write, rules))) == []
