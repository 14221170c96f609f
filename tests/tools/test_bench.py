"""The tool that measures: how it takes turns, what it says, what it remembers."""

from __future__ import annotations

import io
import json
import re
import shutil
import sys
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest
from rich.console import Console

import rulesdsl
import tools.__main__ as tools_main
from tools.bench import clock, command, goals, history, parts, report, size, startup, tables
from tools.bench.building import build_anew
from tools.bench.goals import GOALS, Goal
from tools.bench.history import Before, Run
from tools.bench.measuring import Figure, Key, Reading, Results, Task, Unit, measure
from tools.bench.plan import QUICK, Effort, Plan
from tools.bench.playing import Setup
from tools.environment import ROOT

KEY = Key("games", "base", "wasm, playout", "games/s")


def figure(
    key: Key = KEY, median: float = 100.0, unit: Unit = Unit.RATE, spread: float = 0.0
) -> Figure:
    return Figure(key, unit, median, median, median, median / 10, spread)


def results(*figures: Figure) -> Results:
    return Results(figures, 0.1)


# --- taking turns --------------------------------------------------------------------------------


class Slow:
    """A clock for which the fixed work takes longer in every round."""

    def __init__(self) -> None:
        self.now = 0.0
        self.loop = 1.0

    def __call__(self) -> float:
        self.now += self.loop
        return self.now


def test_tasks_take_turns_and_each_value_is_put_in_the_loop_beside_it() -> None:
    done: list[tuple[str, int]] = []
    ticking = Slow()

    def task(name: str) -> Task:
        def run(number: int) -> Iterator[Reading]:
            done.append((name, number))
            ticking.loop = float(2**number)
            yield Reading("game", name, "time", 4.0 * 2**number, Unit.TIME)
            yield Reading("game", name, "rate", 4.0 / 2**number, Unit.RATE)
            yield Reading("game", name, "size", 7.0, Unit.BYTES)

        return Task(name, run)

    tasks = [("speed", task("a")), ("speed", task("b"))]
    found = measure(tasks, 3, ticking, lambda text: None)
    assert done == [(name, number) for number in range(3) for name in "ab"]
    assert [str(each.key) for each in found.figures[:3]] == [
        "speed: game, a, time",
        "speed: game, a, rate",
        "speed: game, a, size",
    ]
    times, rates, sizes = found.figures[3:]
    assert (times.median, times.low, times.high) == (8, 4, 16)
    # Nothing was slower than the fixed work beside it, so nothing was slow.
    assert (times.calibrated, times.spread) == (4, 0)
    assert (rates.calibrated, rates.spread) == (4, 0)
    assert (sizes.median, sizes.calibrated) == (7, 7)


@pytest.mark.parametrize(("unit", "there"), [(Unit.TIME, 6), (Unit.RATE, 1.5), (Unit.BYTES, 3)])
def test_a_figure_is_known_where_the_loop_takes_twice_as_long(unit: Unit, there: float) -> None:
    assert unit.seconds(unit.calibrated(3, loop=0.5), loop=1) == there


@pytest.mark.parametrize("name", list(clock.CLOCKS))
def test_the_fixed_work_is_the_same_and_takes_time(name: str) -> None:
    assert clock.calibrate(clock.CLOCKS[name]) > 0


# --- goals ---------------------------------------------------------------------------------------


def test_a_goal_is_reached_on_its_side_of_the_limit() -> None:
    least = Goal("speed", 100, ("games", "base"), least=True)
    most = Goal("size", 100, ("games", "base"))
    for median, reached in ((99.0, False), (100.0, True), (101.0, True)):
        assert least.reached(figure(median=median)) is reached
    for median, reached in ((99.0, True), (100.0, True), (101.0, False)):
        assert most.reached(figure(median=median)) is reached


def test_a_goal_may_be_how_many_times_another_figure() -> None:
    goal = Goal("size", 3, ("state", "large"), over=("state", "small"))
    large = figure(Key("state", "large", "wasm", "size"), 500, Unit.BYTES)
    small = figure(Key("state", "small", "wasm", "size"), 200, Unit.BYTES)
    ratio = goal.figure(results(small, large))
    assert ratio is not None
    assert (ratio.median, ratio.unit, goal.reached(ratio)) == (2.5, Unit.RATIO, True)
    assert goal.figure(results(large)) is goal.figure(results(small)) is None


def test_all_expansions_are_measured_under_the_name_of_their_goals() -> None:
    every, *others = command._others()
    assert every.name == goals.EVERYTHING
    assert {"card_game", "dice_game", "stones"} <= {setup.name for setup in others}
    assert every.engines(("wasm", "python")) == ["wasm"]


def test_what_was_not_measured_is_neither_reached_nor_missed() -> None:
    other = figure(replace(KEY, of="other"))
    assert GOALS[0].figure(results(other)) is None
    shown = _shown(results(other, figure(median=GOALS[0].limit - 1)))
    assert shown.count("not measured") == len(GOALS) - 1
    assert shown.count("not reached") == 1


def test_the_goal_for_a_large_ruleset_is_one_that_is_measured() -> None:
    assert size.made_up(Effort().tiles[-1]) == goals.LARGE


def test_the_page_has_every_goal_measurement_and_option(capsys: pytest.CaptureFixture[str]) -> None:
    page = (ROOT / "docs" / "background" / "performance.md").read_text(encoding="utf-8")
    assert [goal.text for goal in GOALS if f"| {goal.text} |" not in page] == []
    assert [name for name in command.MEASUREMENTS if f"| `{name}` |" not in page] == []
    with pytest.raises(SystemExit):
        command.main(["--help"])
    options = set(re.findall(r"--[a-z-]+", capsys.readouterr().out)) - {"--help"}
    assert "--compare" in options
    assert [option for option in sorted(options) if f"`{option}" not in page] == []


# --- what is shown -------------------------------------------------------------------------------


def _shown(found: Results, before: dict[str, Before] | None = None) -> str:
    text = io.StringIO()
    report.show(found, before, Console(file=text, width=200))
    return text.getvalue()


@pytest.mark.parametrize(
    ("value", "unit", "text"),
    [
        (1.5, Unit.TIME, "1.50 s"),
        (0.0123, Unit.TIME, "12.3 ms"),
        (4.5e-6, Unit.TIME, "4.50 µs"),
        (4.5e-8, Unit.TIME, "0.0450 µs"),
        (1234.5, Unit.RATE, "1,234"),
        (812, Unit.BYTES, "812 B"),
        (1.25, Unit.RATIO, "1.25"),
    ],
)
def test_amounts_are_short(value: float, unit: Unit, text: str) -> None:
    assert report.amount(value, unit) == text


@pytest.mark.parametrize(
    ("unit", "calibrated", "spread", "text"),
    [
        (Unit.RATE, 12.0, 0.0, "+20% better"),
        (Unit.RATE, 8.0, 0.0, "-20% worse"),
        (Unit.SPEEDUP, 12.0, 0.0, "+20% better"),
        (Unit.TIME, 12.0, 0.0, "+20% worse"),
        (Unit.BYTES, 8.0, 0.0, "-20% better"),
        (Unit.TIME, 12.0, 0.3, "+20%"),
    ],
)
def test_a_change_is_told_in_calibrated_units(
    unit: Unit, calibrated: float, spread: float, text: str
) -> None:
    now = Figure(KEY, unit, 1, 1, 1, calibrated, 0.0)
    assert report.change(now, Before("2026-01-01", "abc", 10.0, spread)) == text


def test_figures_are_shown_beside_those_from_before() -> None:
    now = figure(median=150.0)
    before = {str(KEY): Before("2026-01-01", "abc1234", 10.0, 0.0)}
    shown = _shown(results(now, figure(replace(KEY, by="else"))), before)
    assert "+50% better   2026-01-01 (abc1234)" in shown
    assert "new" in shown


# --- what is remembered --------------------------------------------------------------------------


def test_the_last_run_with_a_figure_is_compared_with(tmp_path: Path) -> None:
    file = tmp_path / "history.jsonl"
    other = replace(KEY, of="other")
    runs = [
        ("2026-01-01", False, figure(other, 50.0)),
        ("2026-01-02", False, figure(median=60.0, spread=0.25)),
        ("2026-01-03", True, figure(median=70.0)),
    ]
    assert history.last(file, quick=False) == {}
    for date, quick, measured in runs:
        history.append(file, history.entry(Run(date, "wall", quick, 3), results(measured)))
    found = history.last(file, quick=False)
    assert {(key, each.date, each.calibrated, each.spread) for key, each in found.items()} == {
        (str(other), "2026-01-01", 5.0, 0.0),
        (str(KEY), "2026-01-02", 6.0, 0.25),
    }


@pytest.mark.parametrize("line", ["{", "[]", '{"quick": false}', '{"quick": false, "figures": 1}'])
def test_a_history_that_is_damaged_is_told(line: str, tmp_path: Path) -> None:
    file = tmp_path / "history.jsonl"
    file.write_text(f'{{"quick": true}}\n{line}\n')
    with pytest.raises(SystemExit, match=r"history\.jsonl:2 is not the entry of a run"):
        history.last(file, quick=False)


# --- the command ---------------------------------------------------------------------------------


def test_what_follows_the_command_is_its_own(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "argv", ["tools", "bench", "--only", "games", "-h"])
    assert tools_main._parse() == ("bench", ["--only", "games", "-h"])


@pytest.mark.long
def test_the_studio_is_nearly_as_quick_on_a_busy_machine(tmp_path: Path) -> None:
    out = tmp_path / "run.json"
    arguments = ["--quick", "--rounds", "1", "--no-history", "--only", "studio"]
    assert command.main([*arguments, "--json", str(out)]) == 0
    figures = json.loads(out.read_text())["figures"]
    wanted = {
        (each.names[1], each.names[2]): each.limit for each in GOALS if each.names[0] == "studio"
    }
    assert len(wanted) == len(figures)
    for (of, what), limit in wanted.items():
        assert figures[f"studio: {of}, Chromium, {what}"][0] < 3 * limit


def test_goals_are_measured_shown_and_remembered(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(command, "QUICK", replace(QUICK, tiles=(8,)))
    monkeypatch.setattr(command, "_others", lambda: ())
    # A small game in the place of the base ruleset.
    small = command.FOLDERS[1] / "vault.yaml"
    monkeypatch.setattr(command, "BASE", Setup(Path(shutil.copy(small, tmp_path / "base.yaml"))))
    shutil.copy(small.with_suffix(".rules"), tmp_path)
    file = tmp_path / "history.jsonl"
    arguments = ["--quick", "--rounds", "1", "--date", "2026-01-01", "--history", str(file)]
    for name in (
        "games",
        "batches",
        "learning",
        "cores",
        "turns",
        "state",
        "startup",
        "size",
        "growth",
    ):
        arguments += ["--only", name]
    assert command.main([*arguments, "--json", str(tmp_path / "run.json")]) == 0
    shown = capsys.readouterr().out
    # The made-up ruleset is smaller here; there are no expansions, no studio and no tables.
    assert shown.count("not measured") == 13
    (line,) = file.read_text().splitlines()
    entry = json.loads(line)
    assert json.loads((tmp_path / "run.json").read_text()) == entry
    assert entry["date"] == "2026-01-01"
    ways = ("wasm, playout", "wasm, by moves", "python, by moves")
    for way in ways:
        median, low, high, calibrated, spread = entry["figures"][f"games: base, {way}, games/s"]
        assert 0 < low == median == high
        assert calibrated > 0
        assert spread == 0
    assert entry["figures"]["batches: base, wasm, batch, games/s"][0] > 100
    assert entry["figures"]["learning: base, wasm, batch, steps/s"][0] > 1000
    assert entry["figures"]["learning: base, wasm, PettingZoo, steps/s"][0] > 10
    assert entry["figures"]["cores: base, wasm, all cores, games/s"][0] > 0
    assert entry["figures"]["size: 8 tiles, 51 lines, check"][0] > 0
    for of in ("100 tiles", "10 kinds", "10 expansions"):
        assert 0 < entry["figures"][f"growth: {of}, wasm, turn"][0] < 0.001


def test_nothing_is_remembered_unless_wanted(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setattr(command, "MEASUREMENTS", {"games": lambda plan: []})
    file = tmp_path / "history.jsonl"
    assert command.main(["--no-history", "--history", str(file)]) == 0
    assert not file.exists()
    assert command.main(["--history", str(file)]) == 0
    assert len(file.read_text().splitlines()) == 1


def test_engines_that_play_different_games_are_not_compared(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    from tools.bench import games

    path = Path(command.FOLDERS[1] / "vault.yaml")
    plan = Plan(QUICK, clock.CLOCKS["wall"], ("wasm", "python"), Setup(path), (), tmp_path)
    assert len(games.tasks(plan)) == 4
    monkeypatch.setattr(games, "play_inside", lambda state, seed: 1)
    with pytest.raises(SystemExit, match="vault is not the same game for all"):
        games.tasks(plan)


def test_what_is_built_is_not_what_was_kept(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("RULESDSL_CACHE", str(tmp_path / "cache"))
    path = command.FOLDERS[1] / "vault.yaml"
    assert build_anew(path) is not build_anew(path)
    assert not list(tmp_path.rglob("*"))
    rulesdsl.load(path)
    assert list(tmp_path.rglob("*"))


def test_starts_are_timed_with_caches_of_their_own(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("RULESDSL_NO_CACHE", "1")
    plan = Plan(QUICK, clock.CLOCKS["wall"], (), command.BASE, (), tmp_path)
    found = startup._environment(plan, tmp_path / "cache")
    assert found["RULESDSL_CACHE"] == str(tmp_path / "cache")
    assert "RULESDSL_NO_CACHE" not in found


def test_two_servers_carry_as_many_moves_as_they_need_time_for() -> None:
    one = tables.Played([0.1] * 100, seconds=2, processor=0.4)
    two = tables.Played([0.1] * 200, seconds=2.5, processor=1.0)
    found = {(each.by, each.what): each.value for each in tables.shared("base", one, two)}
    assert found == {
        (tables.ONE, tables.WORK): 0.004,
        (tables.ONE, tables.RATE): 50,
        (tables.TWO, tables.WORK): 0.005,
        (tables.TWO, tables.RATE): 80,
        (tables.TWO, tables.CARRIED): 1.6,
        (tables.TWO, tables.FASTER): 1.6,
    }


@pytest.mark.long
def test_servers_are_measured_at_both_databases(tmp_path: Path) -> None:
    out = tmp_path / "run.json"
    arguments = ["--quick", "--rounds", "2", "--no-history", "--only", "tables"]
    assert command.main([*arguments, "--json", str(out)]) == 0
    figures = json.loads(out.read_text())["figures"]
    assert len(figures) == 4 + 6
    assert min(each[0] for name, each in figures.items() if tables.MEMORY not in name) > 0


# --- profiles ------------------------------------------------------------------------------------


def test_a_profile_counts_the_work_of_each_function() -> None:
    found = {part.name: part for part in parts.parts(command.BASE, games=2)}
    assert found["playout"].calls == 1
    assert found["can_place"].work > found["can_place"].calls > 50
    assert list(found.values()) == parts.parts(command.BASE, games=2)


def test_a_profile_needs_a_game(capsys: pytest.CaptureFixture[str]) -> None:
    assert command.main(["--profile", "marks"]) == 0
    assert "nodes a game" in capsys.readouterr().out
    with pytest.raises(SystemExit, match="no game `nothing`: choose one of base, "):
        command.main(["--profile", "nothing"])
