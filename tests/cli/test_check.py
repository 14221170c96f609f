"""`check`: all findings, what was loaded, and the exit code."""

from __future__ import annotations

import json
import os
import re
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from tests.cli.conftest import HAMLETS, RULESETS, Cli, heed_ctrl_c

PLAYED = "; played 100 random games with 2 to 4 players and 2 choices of settings\n"


def test_a_ruleset_without_problems(cli: Cli) -> None:
    result = cli("check", HAMLETS)
    assert (result.code, result.err) == (0, "")
    assert result.out == f"{HAMLETS}: no problems; with hamlets 1.0.0{PLAYED}"


@pytest.mark.parametrize(
    ("name", "invariants", "most"),
    [("base", "; 1 invariant proved, 3 watched", 5), ("hamlets", "", 4)],
    ids=["base", "hamlets"],
)
def test_an_id(cli: Cli, name: str, invariants: str, most: int) -> None:
    result = cli("check", name, "--path", str(RULESETS))
    told = f"{name}: no problems; with {name} 1.0.0{invariants}{PLAYED.replace('4', str(most))}"
    assert (result.code, result.out) == (0, told)


def test_what_was_loaded_is_said(cli: Cli) -> None:
    result = cli("check", HAMLETS, "--with", "wells,mills", "--with", "generous")
    assert result.out.removeprefix(f"{HAMLETS}: ") == (
        "no problems; with hamlets 1.0.0, generous 1.0.0 (house rules), mills 1.0.0, wells 1.1.0; "
        f"interactions wells_mills 2.0.0{PLAYED[:-1]} (19 under both orders of names)\n"
    )


def test_every_problem_is_shown(cli: Cli) -> None:
    spoilt = str(RULESETS / "spoilt.yaml")
    result = cli("check", spoilt)
    assert result.code == 1
    assert result.err == ""
    rules = str(RULESETS / "spoilt.rules")
    assert result.out == (
        f"error[unknown-name]: there is no value or action `cuont`\n"
        f"  --> {rules}:1:15\n"
        f" 1 | add bonus(f): cuont(bag)\n"
        f"   |               ^^^^^\n\n"
        f"error[unknown-attribute]: a feature has no `wel`\n"
        f"  --> {rules}:2:17\n"
        f" 2 | add bonus(f): f.wel\n"
        f"   |                 ^^^\n"
        f"   = did you mean `well`?\n\n"
        f"{spoilt}: 2 problems; with hamlets 1.0.0, spoilt 1.0.0\n"
    )


def test_a_folder_of_rulesets_and_each_finding_once(cli: Cli) -> None:
    result = cli("check", str(RULESETS), str(RULESETS / "spoilt.yaml"))
    assert result.code == 1
    assert result.out.count("error[") == 2
    names = [line.split(": ")[0] for line in result.out.splitlines() if "; with " in line]
    manifests = sorted(str(path) for path in RULESETS.glob("*.yaml"))
    assert names == manifests


def test_a_setting_is_checked(cli: Cli) -> None:
    assert cli("check", HAMLETS, "--set", "hamlets.houses=6").code == 0
    result = cli("check", HAMLETS, "--set", "houses=7")
    assert (result.code, "error[setting-value]" in result.out) == (2, True)


def test_windows_line_ends_and_a_byte_order_mark(cli: Cli, tmp_path: Path) -> None:
    for name in ("hamlets.yaml", "hamlets.rules"):
        data = (RULESETS / name).read_bytes().replace(b"\n", b"\r\n")
        (tmp_path / name).write_bytes(b"\xef\xbb\xbf" + data)
    shown = cli("check", "hamlets.yaml").out
    assert shown == f"hamlets.yaml: no problems; with hamlets 1.0.0{PLAYED}"


def test_a_ruleset_that_requires_itself(cli: Cli, tmp_path: Path) -> None:
    text = "ruleset: loop\nedition: 1\nversion: 1.0.0\nrequires: [loop]\n"
    (tmp_path / "loop.yaml").write_text(text)
    result = cli("check", "loop.yaml")
    assert result.code == 1
    assert result.out.startswith("error[ruleset-cycle]: `loop` requires itself\n")


def test_a_cache_that_cannot_be_read(
    cli: Cli, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "cache").write_text("a file, not a folder")
    monkeypatch.setenv("RULESDSL_CACHE", str(tmp_path / "cache"))
    assert cli("check", HAMLETS).code == 0


def test_a_folder_of_the_environment_that_is_not_there(
    cli: Cli, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("RULESDSL_PATH", "nowhere")
    result = cli("check", HAMLETS)
    assert result.out.startswith("warning[file-missing]: there is no folder `nowhere`\n")
    assert result.code == 1


def test_every_subset_of_the_expansions(cli: Cli) -> None:
    result = cli("check", HAMLETS, "--all-subsets", "--with", "wells,mills")
    assert (result.code, result.err) == (0, "")
    played = "played 400 random games with 4 sets of them"
    said = f"{HAMLETS}: 4 subsets of 2 expansions, no problems; mills, wells; {played}\n"
    assert result.out == said


def test_no_subset_is_played_on_request(cli: Cli) -> None:
    result = cli("check", HAMLETS, "--all-subsets", "--with", "wells,mills", "--no-play")
    assert result.out == f"{HAMLETS}: 4 subsets of 2 expansions, no problems; mills, wells\n"


def test_a_fault_of_two_expansions_is_found_by_playing(
    cli: Cli, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    own = {
        "host": "players: {min: 2, max: 2, colours: [red, blue]}\n"
        "game: {play: game, finish: finish, score: player.score}\n",
        "ants": "requires: [host]\n",
        "bees": "requires: [host]\n",
        "cats": "requires: [host]\n",
    }
    rules = {
        "host": """\
state player.score: int 0..9 = 0
action game():
    for p in players: ask(p)
    finish()
action finish(): end_game(players)
choice ask(p: player) by p:
    option yes: p.score += 3
    option no: p.score += 1
""",
        "ants": "after ask(p) when p.score == 3: p.score += 4\n",
        "bees": "after ask(p): p.score += 3\n",
        "cats": "after ask(p): nothing\n",
    }
    for id, keys in own.items():
        head = f"ruleset: {id}\nedition: 1\nversion: 1.0.0\n{keys}rules: {id}.rules\n"
        Path(f"{id}.yaml").write_text(head, encoding="utf-8")
        Path(f"{id}.rules").write_text(rules[id], encoding="utf-8")
    result = cli("check", "host.yaml", "--all-subsets", "--level", "all=off")
    assert result.code == 1
    assert result.out.startswith("with ants, bees")
    assert result.out.count("`host/player.score` holds int 0..9 and cannot become 10") == 1


def test_a_finding_is_shown_with_the_smallest_subset_that_has_it(cli: Cli) -> None:
    result = cli("check", HAMLETS, "--all-subsets")
    assert result.code == 1
    assert result.out.startswith("with spoilt:\nerror[unknown-name]: ")
    assert result.out.count("error[") == 2
    assert result.out.endswith(
        "8 subsets of 3 expansions, problems in 4 of them; mills, spoilt, wells; "
        "played 200 random games with 2 sets of them\n"
    )


def test_subsets_are_of_all_settings(cli: Cli) -> None:
    result = cli("check", HAMLETS, "--all-subsets", "--set", "houses=3")
    assert (result.code, result.out) == (2, "")
    assert "`--all-subsets` cannot be combined with `--set`" in result.err


def test_subsets_of_what_is_not_there(cli: Cli) -> None:
    result = cli("check", HAMLETS, "--all-subsets", "--with", "welsl")
    assert result.code == 2
    assert "no ruleset `welsl` was found" in result.out


def test_two_whole_games_are_one_problem(cli: Cli) -> None:
    games = str(RULESETS.parents[2] / "rulesets")
    result = cli("check", "dice_game", "--with", "card_game", "--path", games)
    assert result.code == 1
    assert result.out.count("error[") == result.out.count("are both complete games") == 1


# --- what becomes of findings --------------------------------------------------------------------

UNUSED = "value spare() -> int: 1\n"


@pytest.fixture
def spare(tmp_path: Path) -> Path:
    """A ruleset with one warning, that something is not used."""
    for name in ("hamlets.yaml", "hamlets.rules"):
        (tmp_path / name).write_bytes((RULESETS / name).read_bytes())
    rules = "rules: spare.rules\n"
    head = "ruleset: spare\nedition: 1\nversion: 1.0.0\nrequires: [hamlets]\n"
    (tmp_path / "spare.yaml").write_text(head + rules)
    (tmp_path / "spare.rules").write_text(UNUSED)
    return tmp_path / "spare.rules"


def test_a_comment_allows_a_warning(cli: Cli, spare: Path) -> None:
    assert cli("check", "spare.yaml").code == 1
    spare.write_text(f"# allow: unused\n{UNUSED}")
    result = cli("check", "spare.yaml")
    assert result.code == 0
    assert result.out == (
        f"spare.yaml: no problems; with hamlets 1.0.0, spare 1.0.0{PLAYED}"
        "not reported: 1 allowed, 0 in the baseline\n"
    )


def test_comments_in_manifests_and_scenarios(cli: Cli, spare: Path) -> None:
    manifest = spare.with_suffix(".yaml")
    manifest.write_text(
        manifest.read_text() + "attributes:\n  moss: {of: village, default: 0}  # allow: unused\n"
    )
    spare.write_text("# nothing\n")
    assert cli("check", "spare.yaml").code == 0
    scenarios = spare.with_name("spare.test.yaml")
    scenarios.write_text(
        "scenarios: spare  # allow: unused\nedition: 1\ntests: [{name: a, expect: {mover: x}}]\n"
    )
    result = cli("check", "spare.test.yaml")
    assert result.out.count("warning[allow-unused]") == 1


def test_levels(cli: Cli, spare: Path) -> None:
    for level, code in {"note": 0, "off": 0, "warning": 1, "error": 1}.items():
        for slug in ("unused", "all"):
            result = cli("check", "spare.yaml", "--level", f"{slug}={level}")
            assert (result.code, f"{level}[unused]" in result.out) == (code, level != "off")
    assert ": no problems, 1 note; " in cli("check", "spare.yaml", "--level", "all=note").out
    assert cli("check", "spare.yaml", "--level", "all=off,unused=warning").code == 1
    result = cli("check", "spare.yaml", "--level", "unused")
    assert (result.code, "not of the form slug=level" in result.err) == (2, True)


def test_a_baseline_is_written_and_then_kept_to(cli: Cli, spare: Path) -> None:
    result = cli("check", "spare.yaml", "--baseline", "known.json", "--write-baseline")
    assert (result.code, "known.json: 1 problem listed\n" in result.out) == (0, True)
    result = cli("check", "spare.yaml", "--baseline", "known.json")
    assert (result.code, "not reported: 0 allowed, 1 in the baseline" in result.out) == (0, True)
    spare.write_text("\n\n" + UNUSED + "value more() -> int: 2\n")
    result = cli("check", "spare.yaml", "--baseline", "known.json")
    assert (result.code, result.out.count("warning[")) == (1, 1)
    assert "`more` is never used" in result.out
    spare.write_text("value more() -> int: 2\n")
    result = cli("check", "spare.yaml", "--baseline", "known.json")
    assert "warning[baseline-unused]" in result.out
    assert "--> known.json:" in result.out
    assert cli("check", "spare.yaml", "--baseline", "nowhere.json").code == 2
    assert cli("check", "spare.yaml", "--write-baseline").code == 2


def test_formats(cli: Cli, spare: Path) -> None:
    spare.write_text(f"{UNUSED}value more() -> int: 2  # allow: unused\n")
    for name, part in {
        "json": '"slug": "unused"',
        "sarif": '"ruleId": "unused"',
        "github": "::warning file=spare.rules,line=1,endLine=1,col=7,",
        "junit": '<testcase name="unused 1:7" classname="spare.rules"',
    }.items():
        result = cli("check", "spare.yaml", "--format", name)
        assert (result.code, result.err, part in result.out) == (1, "", True)
        assert "no problems" not in result.out
    told = json.loads(cli("check", "spare.yaml", "--format", "json").out)
    assert [each.get("hidden") for each in told["findings"]] == [None, "allowed"]


def test_rules_stand_for_the_rulesets_that_use_them(cli: Cli, spare: Path) -> None:
    result = cli("check", "spare.rules", "spare.yaml", "./hamlets.rules")
    names = [line.split(": ")[0] for line in result.out.splitlines() if "; with " in line]
    assert names == ["spare.yaml", "./hamlets.yaml"]


def test_other_yaml_in_a_folder_is_left_alone(cli: Cli, spare: Path) -> None:
    spare.with_name(".pre-commit-config.yaml").write_text("repos: []\n")
    spare.with_name("site.yaml").write_text("pages: [one]\n")
    spare.with_name("broken.yaml").write_text("ruleset broken\nedition: 1\n")
    spare.write_text("# nothing\n")
    names = [line.split(": ")[0] for line in cli("check", ".").out.splitlines() if "; " in line]
    assert names == ["./broken.yaml", "./hamlets.yaml", "./spare.yaml"]


def test_a_folder_stands_for_its_scenarios_too(cli: Cli, spare: Path) -> None:
    spare.with_name("bad.test.yaml").write_text("scenarios: spare\nedition: 1\ntests: 5\n")
    result = cli("check", ".")
    assert "error[wrong-type]" in result.out
    assert "bad.test.yaml: 1 problem; scenarios\n" in result.out


def test_random_games_tell_what_never_happens(cli: Cli, spare: Path) -> None:
    spare.write_text("add bonus(f) when f.cells > 999: 1\n")
    assert cli("check", "spare.yaml").code == 0
    result = cli("check", "spare.yaml", "--play", "2")
    assert result.code == 1
    assert result.out.startswith(
        f"spare.yaml: no problems; with hamlets 1.0.0, spare 1.0.0{PLAYED}"
    )
    assert "warning[never-ran], likely: this rule of `bonus` never ran in 2 random games" in (
        result.out
    )
    assert result.out.endswith("spare.yaml: 1 problem in 2 random games with 1 set of expansions\n")
    spare.write_text("add bonus(f) when f.cells > 999: 1  # allow: never-ran\n")
    assert cli("check", "spare.yaml", "--play", "2").code == 0
    assert cli("check", "spare.yaml").code == 0
    assert cli("check", "spare.yaml", "--play", "0").code == 2


def test_ctrl_c_ends_the_check_of_all_subsets() -> None:
    """In a terminal it comes to all processes, in whatever they are just doing."""
    base = str(Path(__file__).parents[2] / "rulesets" / "base.yaml")
    checking = subprocess.Popen(
        [sys.executable, "-m", "rulesdsl", "check", base, "--all-subsets"],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        start_new_session=True,
        preexec_fn=heed_ctrl_c,
    )
    children = Path(f"/proc/{checking.pid}/task/{checking.pid}/children")
    while not children.read_text():
        assert checking.poll() is None
        time.sleep(0.02)
    time.sleep(0.5)
    os.killpg(checking.pid, signal.SIGINT)
    out, err = checking.communicate(timeout=60)
    assert out == ""
    assert re.fullmatch(r"note: stopped after \d+ subsets?\n", err)
    assert checking.returncode == 130
