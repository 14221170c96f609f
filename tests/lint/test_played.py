"""Random games find what fails, and what depends on names, without any proof."""

from __future__ import annotations

import re
import time
from pathlib import Path

import pytest

from rulesdsl.author.lint import played
from rulesdsl.author.lint.played import PlayedGames, random_games
from rulesdsl.cli.main import main
from rulesdsl.engine.build import build
from rulesdsl.language.diagnostics import Report, Severity
from rulesdsl.language.model.checked import Checked

HEAD = """\
ruleset: host
edition: 1
version: 1.0.0
players: {min: 2, max: 2, colours: [red, blue]}
game: {play: game, finish: finish, score: player.score}
rules: host.rules
"""
RULES = """\
state player.score: int = 0
action game():
    for p in players: turn(p)
    finish()
action finish(): end_game(players)
"""


def family(
    folder: Path,
    host: str,
    ants: str = "",
    bees: str = "",
    *,
    manifest: str = "",
    has: tuple[str, str] = ("", ""),
) -> Path:
    """Write a host with two expansions; return its manifest."""
    (folder / "host.yaml").write_text(HEAD + manifest)
    (folder / "host.rules").write_text(RULES + host)
    for name, rules, more in (("ants", ants, has[0]), ("bees", bees, has[1])):
        head = f"ruleset: {name}\nedition: 1\nversion: 1.0.0\nrequires: [host]\n"
        (folder / f"{name}.yaml").write_text(f"{head}rules: {name}.rules\n{more}")
        (folder / f"{name}.rules").write_text(rules or f"state game.{name}_own: int = 0\n")
    return folder / "host.yaml"


def both(main: Path) -> tuple[Checked, Checked]:
    """The game with both expansions, under both orders of names."""
    made = [
        build(main, ["ants", "bees"], report=Report(), backwards=backwards)
        for backwards in (False, True)
    ]
    assert made[0] is not None
    assert made[1] is not None
    return made[0], made[1]


def found(main: Path) -> PlayedGames:
    return random_games(*both(main), 100)


ONE = """\
action price(p: player) -> int: return 3
action turn(p: player):
    let n = price(p)
    p.score += n
"""
LAST = "after turn(p): p.score = {n}\n"
DIFFERENT: dict[str, dict[str, object]] = {
    "results of arounds": {
        "host": ONE,
        "ants": "around price(p):\n    let n = proceed\n    return n + 1\n",
        "bees": "around price(p):\n    let n = proceed\n    return n * 2\n",
    },
    "hooks that write": {
        "host": "action turn(p: player): nothing\n",
        "ants": LAST.format(n=1),
        "bees": LAST.format(n=2),
    },
    "a range": {
        "host": "state game.few: int 0..2 = 2\naction turn(p: player): p.score += few\n",
        "ants": "after turn(p): few += 1 - 3\n",
        "bees": "after turn(p): few += 2\n",
    },
    "dice in a hidden zone": {
        "host": "action turn(p: player): p.score += count(d in dice where d.face is b)\n",
        "manifest": "zones: {cup: {holds: die, initial: true}}\n"
        "dice: [{id: cube, faces: [{id: a}, {id: b}]}]\n",
        "ants": "after turn(p): for d in dice where d is cube: move(d, vault)\n",
        "bees": "after turn(p): for d in dice: turn_to(d, cube.b)\n",
        "has": ("zones: {vault: {holds: die, visible: none}}\n", ""),
    },
    "unordered pairs": {
        "host": "action turn(p: player):\n"
        "    p.score += sum(x.worth - y.worth for {x, y} in tokens)\n",
        "manifest": "zones: {bag: {holds: token}}\nattributes: {worth: {of: token, default: 1}}\n",
        "has": (
            "tokens: [{id: at, count: 1, in: bag, worth: 2}]\n",
            "tokens: [{id: bt, count: 1, in: bag, worth: 5}]\n",
        ),
    },
}


@pytest.mark.parametrize("kind", DIFFERENT)
def test_what_depends_on_names_is_played(kind: str, tmp_path: Path) -> None:
    result = found(family(tmp_path, **DIFFERENT[kind]))  # type: ignore[arg-type]
    assert result.finding is not None
    assert result.finding.slug == "order-of-names"
    assert "`ants` and `bees`" in result.finding.message


def test_what_does_not_depend_on_names(tmp_path: Path) -> None:
    rules = "after turn(p): p.score += {n}\n"
    host = "action turn(p: player): nothing\n"
    result = found(family(tmp_path, host, rules.format(n=1), rules.format(n=2)))
    assert result == PlayedGames(100, 100, ended=100, wanted=100, players=(2,))


def test_members_of_sets_have_the_order_of_rulesets(tmp_path: Path) -> None:
    host = """\
action turn(p: player): pick(p)
choice pick(p: player) by p:
    option these(s in subsets(bag)): for x in s: move(x, box)
"""
    manifest = "zones: {bag: {holds: token, initial: true}, box: {holds: token}}\n"
    has = "tokens: [{id: one}]\n", "tokens: [{id: two}, {id: zero}]\n"
    result = found(family(tmp_path, host, manifest=manifest, has=has))
    assert result == PlayedGames(100, 100, ended=100, wanted=100, players=(2,))


ASK = "choice ask(p: player) by p:\n    option a: nothing\n    option b: nothing\n"
CHOICE = """\
action turn(p: player):
    for i in 1..9: ask(p)
choice ask(p: player) by p:
    option yes: p.score += 1
    option no: nothing
"""


def fault(tmp_path: Path, capsys: pytest.CaptureFixture[str], ants: str, bees: str) -> str:
    """The output of `check` for a game in which both expansions meet."""
    host = family(tmp_path, CHOICE, ants, bees)
    for name in ("ants", "bees"):
        assert main(["check", str(host), "--with", name]) == 0, capsys.readouterr().out
    capsys.readouterr()
    assert main(["check", str(host), "--with", "ants,bees"]) == 1
    return capsys.readouterr().out


def test_vetoes_that_close_every_option(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    ants, bees = "forbid ask.yes when p.score == 1\n", "forbid ask.no when p.score == 1\n"
    out = fault(tmp_path, capsys, ants, bees)
    assert "error[stuck-choice]: no option of `host/ask` is open, in a random game" in out
    assert "of `ants`" in out
    assert "of `bees`" in out
    assert "moves:\n   =       - 'ask.yes'\n   =     expect" in out, out


def test_the_scenario_of_a_fault_is_one(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    ants = "forbid ask.yes when p.score == 2\n"
    out = fault(tmp_path, capsys, ants, "forbid ask.no when p.score == 2\n")
    out = out[out.index("error[stuck-choice]") :]
    lines = [line.removeprefix("   = ") for line in out.splitlines() if line.startswith("   = ")]
    text = "\n".join(lines[1:]) + "\n"
    (tmp_path / "meet.test.yaml").write_text(text)
    capsys.readouterr()
    assert main(["test", str(tmp_path / "meet.test.yaml")]) == 1
    assert "no option of `host/ask` is open" in capsys.readouterr().out


def test_a_fault_of_one_ruleset_alone(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    rules = "state player.few: int 0..4 = 0\n" + CHOICE.replace("p.score += 1", "p.few += 1")
    assert main(["check", str(family(tmp_path, rules))]) == 1
    out = capsys.readouterr().out
    assert "error[play-error]: " in out
    assert out.count("- 'ask.yes'") == 5, out


def test_the_second_check_reads_the_result(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("RULESDSL_CACHE", str(tmp_path / "cache"))
    monkeypatch.delenv("RULESDSL_NO_CACHE", raising=False)
    path = str(family(tmp_path, CHOICE))
    assert main(["check", path]) == 0
    first = capsys.readouterr().out
    assert "no problems; with host 1.0.0; played 100 random games" in first
    monkeypatch.setattr(played, "random_games", None)
    assert main(["check", path]) == 0
    assert capsys.readouterr().out == first


def test_no_play_and_fewer_games(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = str(family(tmp_path, CHOICE))
    assert main(["check", path, "--no-play"]) == 0
    assert "random game" not in capsys.readouterr().out
    assert main(["check", path, "--games", "7"]) == 0
    assert "played 7 random games" in capsys.readouterr().out
    assert main(["check", path, "--games", "0"]) == 2


def test_what_authors_call_independent_may_differ(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    host = "action turn(p: player): nothing\n"
    bees = LAST.format(n=2) + "with ants:\n    independent ants.turn, bees.turn\n"
    path = str(family(tmp_path, host, LAST.format(n=1), bees))
    assert main(["check", path, "--with", "ants,bees"]) == 0
    assert (
        "played 100 random games with 2 players (100 under both orders of names)\n"
        in capsys.readouterr().out
    )


def test_hooks_that_are_not_independent_are_compared(tmp_path: Path) -> None:
    host = "action turn(p: player): nothing\naction close(p: player): nothing\n"
    ants = "after turn(p): p.score = 1\nafter close(p): nothing\n"
    bees = ants.replace("1", "2") + "with ants:\n    independent ants.close, bees.close\n"
    result = found(family(tmp_path, host + "after turn(p): close(p)\n", ants, bees))
    assert result.finding is not None
    assert result.finding.slug == "order-of-names"


WAITS = """\
action turn(p: player):
    for k in 1..{asked}: ask(p)
choice ask(p: player) by p:
    option a: wait(p)
    option b: wait(p)
action wait(p: player):
    for i in 1..100:
        for j in 1..900: p.score = 1
"""


def test_games_stop_after_the_same_work_on_every_machine(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(played, "WORK", 2000000)
    path, clock = str(family(tmp_path, WAITS.format(asked=4))), time.monotonic
    seen = set()
    for slower in (1, 1000):
        monkeypatch.setattr(time, "monotonic", lambda slower=slower: clock() * slower)
        code = main(["check", path])
        seen.add((code, capsys.readouterr().out))
    assert len(seen) == 1
    ((code, out),) = seen
    assert code == 0
    assert re.search(r"played \d of 100 random games with 2 players\n", out), out


def test_games_that_reach_no_end_are_a_finding(tmp_path: Path) -> None:
    rules = "action turn(p: player):\n    while p.score < 9: ask(p)\n" + ASK
    finding = found(family(tmp_path, rules)).finding
    assert finding is not None
    assert (finding.slug, finding.severity) == ("no-steps-left", Severity.WARNING)
    assert finding.span is not None
    assert finding.span.text.startswith("while p.score < 9")


def test_games_that_fail_only_later_are_a_finding(tmp_path: Path) -> None:
    rules = "action turn(p: player):\n    while true: ask(p)\n" + ASK
    finding = found(family(tmp_path, rules.replace("nothing", "p.score += 2000000"))).finding
    assert finding is not None
    assert finding.slug == "play-error"
    assert "more than 600 moves" in finding.message


def test_a_game_that_never_begins_is_a_finding(tmp_path: Path) -> None:
    rules = "action turn(p: player):\n    while true: p.score = 1\n"
    result = found(family(tmp_path, rules))
    assert result.finding is not None
    assert result.finding.slug == "no-steps-left"
    assert "    moves: []" in result.finding.help


@pytest.mark.parametrize("hidden", ["count(players) == 3", "settings.long"])
def test_every_number_of_players_and_choice_of_settings(
    hidden: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    rules = (
        f"state player.few: int 0..2 = 2\naction turn(p: player):\n    if {hidden}: p.few += 1\n"
    )
    path = family(tmp_path, rules, manifest="settings: {long: {default: false}}\n")
    path.write_text(path.read_text().replace("max: 2", "max: 3").replace("blue]", "blue, green]"))
    assert main(["check", str(path)]) == 1
    out = capsys.readouterr().out
    assert "in a random game" in out
    assert "players: 3" in out or "long" in hidden
    assert "settings: {'host.long'" in out or "long" not in hidden


def test_shipped_rulesets_play_alike() -> None:
    on = ["inns_and_cathedrals", "river"]
    made = [build("base", on, report=Report(), backwards=each) for each in (False, True)]
    assert made[0] is not None
    result = random_games(made[0], made[1], 20)
    assert result.finding is None
    assert result.compared > 0
