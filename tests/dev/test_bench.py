"""What is seen of rulesets after each change."""

from __future__ import annotations

from pathlib import Path

import pytest

from rulesdsl.dev.hand import Hand, Outdated, ReplayChanges, ReplayedPosition, changes
from rulesdsl.dev.loop import Bench, CheckedRulesets, Reached, TriedScenarios
from rulesdsl.diagnostics import Source
from rulesdsl.play import load
from rulesdsl.play.bots import RandomBot
from rulesdsl.play.records import Header, Record, Recorder, read_record
from tests.dev.conftest import bench_of, change

SCORE = "p.score += n"


def checked(bench: Bench) -> CheckedRulesets:
    view = next(iter(bench.look()))
    assert isinstance(view, CheckedRulesets)
    return view


def tried(bench: Bench) -> list[TriedScenarios]:
    return [view for view in bench.look() if isinstance(view, TriedScenarios)]


def reached(bench: Bench) -> Reached:
    *_, view = bench.look()
    assert isinstance(view, Reached)
    return view


def position(bench: Bench) -> ReplayedPosition:
    found = reached(bench).position
    assert found is not None
    return found


def difference(bench: Bench) -> ReplayChanges:
    """What is not as it was when it was last looked at."""
    view = reached(bench)
    assert view.before is not None
    assert view.position is not None
    return changes(view.before, view.position)


# --- what is checked, and when -------------------------------------------------------------------


def test_all_is_seen_in_order(bench: Bench) -> None:
    assert [type(view) for view in bench.look()] == [CheckedRulesets, TriedScenarios, Reached]


def test_nothing_is_played_that_cannot_be(bench: Bench, folder: Path) -> None:
    change(folder / "hamlets.rules", SCORE, "p.score += m")
    (view,) = bench.look()
    assert isinstance(view, CheckedRulesets)
    assert [found.slug for found in view.findings] == ["unknown-name"]
    change(folder / "hamlets.rules", "p.score += m", SCORE)
    assert not checked(bench).findings


@pytest.mark.parametrize("name", ["hamlets.yaml", "hamlets.rules", "hamlets.test.yaml"])
def test_every_file_counts(bench: Bench, folder: Path, name: str) -> None:
    list(bench.look())
    assert not bench.changed()
    text = (folder / name).read_text()
    (folder / name).write_text(f"{text}# more\n")
    assert bench.changed()
    list(bench.look())
    assert not bench.changed()
    (folder / name).unlink()
    assert bench.changed()


def test_a_file_that_comes_counts_and_one_beside_it_does_not(folder: Path) -> None:
    (folder / "hamlets.rules").rename(folder / "later.rules")
    bench = bench_of(Hand(None, 0, 2))
    assert [found.slug for found in checked(bench).findings] == ["file-missing"]
    (folder / ".hamlets.rules.swp").write_text("x")
    (folder / "hamlets.rules~").write_text("x")
    assert not bench.changed()
    (folder / "later.rules").rename(folder / "hamlets.rules")
    assert bench.changed()
    assert not checked(bench).findings


def test_a_required_ruleset_counts(folder: Path) -> None:
    bench = bench_of(Hand(None, 0, 2), "wells.yaml")
    list(bench.look())
    change(folder / "hamlets.rules", SCORE, "p.score += n + 1")
    assert bench.changed()
    assert str(folder) in bench.folders


# --- scenarios -----------------------------------------------------------------------------------


def test_a_scenario_that_does_not_hold_is_told(bench: Bench, folder: Path) -> None:
    (before,) = tried(bench)
    assert [outcome.passed for outcome in before.outcomes] == [True]
    change(folder / "hamlets.yaml", "default: 4", "default: 5")
    (after,) = tried(bench)
    assert [outcome.passed for outcome in after.outcomes] == [False]


def test_scenarios_that_cannot_be_read_are_told(bench: Bench, folder: Path) -> None:
    (folder / "hamlets.test.yaml").write_text("scenarios: [")
    (view,) = tried(bench)
    assert view.findings


def test_of_a_folder_all_scenarios_are_tried(folder: Path) -> None:
    for name in ("wells.rules", "wells.yaml"):
        (folder / name).unlink()
    (folder / "more.test.yaml").write_text((folder / "hamlets.test.yaml").read_text())
    (folder / "hamlets.yaml").rename(folder / "ruleset.yaml")
    bench = bench_of(Hand(None, 0, 2), str(folder))
    assert [Path(view.file).name for view in tried(bench)] == [
        "hamlets.test.yaml",
        "more.test.yaml",
    ]


# --- the game at hand ----------------------------------------------------------------------------


def test_the_game_comes_to_the_same_position(bench: Bench, folder: Path) -> None:
    first = position(bench)
    assert first.turn == 6
    change(folder / "hamlets.rules", SCORE, f"{SCORE}  # more")
    again = reached(bench)
    assert again.position is not None
    assert again.position.text == first.text
    assert changes(first, again.position).none


def test_points_that_are_others_are_told_from_the_first_move_on(bench: Bench, folder: Path) -> None:
    before = position(bench)
    gains = [step for step in before.steps if step.gains]
    assert gains, "the game has points"
    change(folder / "hamlets.rules", SCORE, "p.score += n + 1")
    found = difference(bench)
    assert found.first is not None
    assert found.first.step.number == gains[0].number
    assert found.first.now[0].amount == found.first.before[0].amount + 1
    assert found.scores
    assert (found.new, found.gone, found.elsewhere) == ((), (), False)


def test_moves_that_are_offered_no_longer_are_told(folder: Path) -> None:
    bench = bench_of(Hand(None, 0, 0))
    list(bench.look())
    option = "        place(t, spot)\n"
    change(folder / "hamlets.rules", option, f"{option}    option wait\n")
    assert difference(bench).new == ("lay.wait",)
    change(folder / "hamlets.rules", "    option wait\n", "")
    found = difference(bench)
    assert (found.new, found.gone) == ((), ("lay.wait",))


def test_what_lies_elsewhere_is_told(folder: Path) -> None:
    bench = bench_of(Hand(None, 0, 0))
    list(bench.look())
    change(folder / "hamlets.yaml", "default: 4", "default: 5")
    found = difference(bench)
    assert found == ReplayChanges({}, None, (), (), True)


def test_bots_go_on_from_a_move_that_does_not_go(bench: Bench, folder: Path) -> None:
    first = position(bench)
    put = next(step for step in first.steps if step.choice == "build" and step.move.args)
    guard = "s is village and free(s)"
    change(folder / "hamlets.rules", guard, f"{guard} and count(bag) < 0")
    change(folder / "hamlets.rules", "    option pass", "    option pass\n    option stay")
    found = position(bench)
    assert found.stop is not None
    assert found.stop.number == put.number
    assert found.stop.turn == put.turn
    assert "put" in str(found.stop.move)
    assert found.turn == 6
    assert found.anew == len(found.steps) - put.number + 1
    again = position(bench)
    assert again.text == found.text, "the others are kept, too"
    change(folder / "hamlets.rules", f"{guard} and count(bag) < 0", guard)
    assert position(bench).stop is None


def test_a_rule_that_fails_while_playing_is_told(bench: Bench, folder: Path) -> None:
    before = position(bench)
    failing = next(step for step in before.steps if step.gains)
    change(folder / "hamlets.rules", SCORE, "p.score += n - 9000")
    found = position(bench)
    assert found.stop is not None
    assert found.stop.number == failing.number
    assert found.stop.span is not None


def test_a_game_that_does_not_begin_is_told(folder: Path) -> None:
    change(folder / "hamlets.rules", "the(t in box)", "the(t in bag)")
    view = reached(bench_of(Hand(None, 0, 2)))
    assert view.position is None
    assert "does not begin" in view.findings[0].message
    view = reached(bench_of(Hand(9, 0, 2)))
    assert [found.slug for found in view.findings] == ["bad-argument"]


class Lines(list[str]):
    """A record that is written in memory."""

    def write(self, text: str) -> None:
        self.append(text)

    def flush(self) -> None: ...


def recorded(moves: int) -> Record:
    """The record of so many moves of a game of the current folder."""
    game, lines = load("hamlets.yaml", engine="reference"), Lines()
    state = game.start(2, 3)
    recorder = Recorder(lines, Header.of(game, 2, 3))
    bots = {colour: RandomBot(3, seat) for seat, colour in enumerate(state.players)}
    for _ in range(moves):
        assert state.mover is not None
        mover, move = state.mover, bots[state.mover].decide(state)
        state.play(move)
        recorder.move(mover, move)
    return read_record(Source("game.jsonl", "".join(lines)))


def test_a_record_is_played_to_its_end_or_to_a_turn(folder: Path) -> None:
    record = recorded(8)
    assert len(position(bench_of(Hand(2, 3, None, record))).steps) == 8
    assert position(bench_of(Hand(2, 3, 2, record))).turn == 2


def test_a_record_stays_before_the_move_that_does_not_go(folder: Path) -> None:
    record = recorded(8)
    bench = bench_of(Hand(2, 3, None, record))
    list(bench.look())
    put = next(number for number, e in enumerate(record.entries) if e.move == "build.put")
    guard = "s is village and free(s)"
    change(folder / "hamlets.rules", guard, f"{guard} and count(bag) < 0")
    change(folder / "hamlets.rules", "    option pass", "    option pass\n    option stay")
    found = position(bench)
    assert found.stop is not None
    assert (found.stop.number, len(found.steps), found.anew) == (put + 1, put, 0)


def test_a_look_is_left_off_when_something_changes(bench: Bench) -> None:
    with pytest.raises(Outdated):
        list(bench.look(lambda: True))
