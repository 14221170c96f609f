"""Sessions of the studio: what the page asks, and what it is answered."""

from __future__ import annotations

from io import StringIO
from pathlib import Path

import pytest

from rulesdsl.author.studio import project
from rulesdsl.author.studio.project import FIELDS, VERSION, Data, Project
from rulesdsl.author.studio.session import Session
from rulesdsl.play import load
from rulesdsl.play.bots import RandomBot
from rulesdsl.play.records import Header, Recorder

MANIFEST = """\
ruleset: tower
edition: 1
version: 1.0.0
requires: [base]
rules: tower.rules
attributes: {tower: {of: city, default: false}}
tiles:
  - {id: tower-city, count: 2, city: [{at: N-E-S-W, tower: true}]}
labels: {en: {tower: 'The 🗼 tower'}}
"""
RULES = """\
# A tower 🗼 is worth more.
refine worth(f, p) when f is city and f.tower: previous + 2
"""
SCENARIOS = """\
scenarios: base
edition: 1
with: [tower]
tests:
  - name: a tower counts
    board: [{piece: tower-city, at: [0, 0]}]
    expect: {features: {'city@E.N.S.W(0,0)': ['worth(f, red) == 3']}}
  - name: it does not count twice
    board: [{piece: tower-city, at: [0, 0]}]
    expect: {features: {'city@E.N.S.W(0,0)': ['worth(f, red) == 5']}}
"""
FILES = {"tower.yaml": MANIFEST, "tower.rules": RULES, "tower.test.yaml": SCENARIOS}


def ask(session: Session, call: str, **fields: object) -> Data:
    answer = session.answer({"call": call, **fields})
    assert "error" not in answer, answer["error"]
    result: Data = answer["result"]
    return result


def tried(session: Session, file: str) -> list[Data]:
    """The outcomes of all scenarios of a file, which are asked for part by part."""
    outcomes: list[Data] = []
    while len(outcomes) < (found := ask(session, "test", file=file, first=len(outcomes)))["count"]:
        outcomes += found["outcomes"]
    return outcomes


def refusal(session: Session, call: str, **fields: object) -> str:
    return str(session.answer({"call": call, **fields})["error"])


@pytest.fixture
def session(tmp_path: Path) -> Session:
    for name, text in FILES.items():
        (tmp_path / name).write_text(text, encoding="utf-8")
    return Session(Project(str(tmp_path)), saves=True)


def units(text: str, word: str) -> int:
    """The place of a word as the page counts it."""
    return len(text[: text.index(word)].encode("utf-16-le")) // 2


def test_a_session_opens_with_the_files_of_its_folder(session: Session) -> None:
    found = ask(session, "open", version=VERSION)
    assert found["files"] == FILES
    assert found["manifests"] == ["tower.yaml"]
    assert found["scenarios"] == ["tower.test.yaml"]
    assert refusal(session, "open", version=VERSION + 1).startswith("the page speaks version 2")


def test_a_mistake_is_found_where_the_page_counts_with_its_fix(session: Session) -> None:
    wrong = RULES.replace("refine", "refin")
    found = ask(session, "change", file="tower.rules", text=wrong)
    (finding,) = found["findings"]["tower.rules"]
    assert finding["from"] == units(wrong, "refin")
    assert finding["severity"] == "error"
    (fix,) = finding["fixes"]
    (edit,) = fix["edits"]
    assert (edit["from"], edit["to"], edit["text"]) == (finding["from"], finding["to"], "refine")
    assert found["unsaved"] == ["tower.rules"]
    built = ask(session, "build", main="tower.yaml", players=2, **{"with": []})
    assert built["plan"] is None
    assert built["findings"][0]["slug"] == finding["slug"]
    assert ask(session, "change", file="tower.rules", text=RULES)["findings"]["tower.rules"] == []


def test_names_are_completed_explained_found_and_renamed(session: Session) -> None:
    at = units(RULES, "worth(f") + 1
    assert "worth(f: feature" in ask(session, "hover", file="tower.rules", at=at)["markdown"]
    declared = ask(session, "definition", file="tower.rules", at=at)
    assert (declared["file"], declared["title"]) == (None, "base.rules")
    assert declared["text"][declared["from"] : declared["to"]] == "worth"
    at = units(RULES, ".tower") + 1
    assert ask(session, "definition", file="tower.rules", at=at)["file"] == "tower.yaml"
    offered = ask(session, "complete", file="tower.rules", at=at + 3)
    assert offered["from"] == at
    assert "tower" in [each["label"] for each in offered["items"]]
    edits = ask(session, "rename", file="tower.rules", at=at, name="keep")["edits"]
    assert {name: len(each) for name, each in edits.items()} == {"tower.rules": 1, "tower.yaml": 2}
    outside = refusal(session, "rename", file="tower.rules", at=units(RULES, "worth(f"), name="x")
    assert "outside of the project" in outside
    key = ask(session, "hover", file="tower.yaml", at=MANIFEST.index("requires") + 2)
    assert key["from"] == MANIFEST.index("requires")


def test_texts_are_coloured_and_formatted(session: Session) -> None:
    tokens = ask(session, "colours", file="tower.rules")["tokens"]
    start = units(RULES, "refine")
    assert [start, start + len("refine"), "keyword", False] in tokens
    spaced = RULES.replace("previous + 2", "previous   +  2")
    ask(session, "change", file="tower.rules", text=spaced)
    assert ask(session, "format", file="tower.rules")["text"] == RULES
    ask(session, "change", file="tower.rules", text="refin")
    assert "errors" in refusal(session, "format", file="tower.rules")


def test_components_have_their_places(session: Session) -> None:
    (found,) = ask(session, "components", file="tower.yaml")["components"]
    assert (found["kind"], found["line"]) == ("tower/tower-city", 8)
    built = ask(session, "build", main="tower.yaml", players=2, **{"with": ["river"]})
    assert found["kind"] in [kind["key"] for kind in built["plan"]["kinds"]]
    assert [each["id"] for each in built["plan"]["rulesets"]] == ["base", "river", "tower"]


def test_what_the_rules_know_is_drawn_over_images(tmp_path: Path) -> None:
    image = (
        '<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 40 40"><path d="M0 0H40V40Z"/></svg>'
    )
    (tmp_path / "tower.svg").write_text(image, encoding="utf-8")
    text = f"{MANIFEST}draw: {{tower-city: {{image: tower.svg}}}}\n"
    for name, content in (FILES | {"tower.yaml": text}).items():
        (tmp_path / name).write_text(content, encoding="utf-8")
    session = Session(Project(str(tmp_path)), saves=True)
    assert ask(session, "over", kind="tower/tower-city") == {"drawn": []}, "before it is built"
    ask(session, "build", main="tower.yaml", players=2, **{"with": []})
    drawn = ask(session, "over", kind="tower/tower-city")["drawn"]
    assert [each[0] for each in drawn] == ["path", "circle", "text"]
    for kind in ("base/monastery", "base/follower", "none"):
        assert ask(session, "over", kind=kind) == {"drawn": []}


def test_after_a_change_the_game_is_the_one_of_a_new_session(
    session: Session, tmp_path: Path
) -> None:
    game = {"main": "tower.yaml", "players": 2, "with": ["river"]}
    changed = "\n" + RULES.replace("+ 2", "+ 4")
    ask(session, "build", **game)
    ask(session, "change", file="tower.rules", text=changed)
    (tmp_path / "tower.rules").write_text(changed, encoding="utf-8")
    fresh = Session(Project(str(tmp_path)), saves=True)
    assert ask(session, "build", **game) == ask(fresh, "build", **game)


def test_unsaved_texts_are_built_and_tried(session: Session) -> None:
    first = tried(session, "tower.test.yaml")
    assert [each["passed"] for each in first] == [True, False]
    assert first[1]["findings"][0]["file"] == "tower.test.yaml"
    assert first[1]["findings"][0]["fixes"]
    ask(session, "change", file="tower.rules", text=RULES.replace("+ 2", "+ 4"))
    then = tried(session, "tower.test.yaml")
    assert [each["passed"] for each in then] == [False, True]
    picture = ask(session, "board", file="tower.test.yaml", name="a tower counts")
    assert picture["picture"][0] == "svg"
    assert "no scenario" in refusal(session, "board", file="tower.test.yaml", name="x")


def test_a_position_becomes_a_scenario_and_is_explained(session: Session) -> None:
    ask(session, "build", main="tower.yaml", players=2, **{"with": []})
    record = recorded(session)
    added = ask(session, "scenario", file="tower.test.yaml", record=record, name="as played")
    assert added["text"].startswith(SCENARIOS)
    ask(session, "change", file="tower.test.yaml", text=added["text"])
    found = tried(session, "tower.test.yaml")[-1]
    assert (found["name"], found["passed"]) == ("as played", True)
    new = ask(session, "scenario", file="new.test.yaml", record=record, name="")
    assert new["text"].startswith("scenarios: base\n")
    why = ask(session, "why", record=record, number=-1, move="at 9,9,0")
    assert why["answers"]
    second = ask(session, "why", record=record, number=2, move="at 9,9,0")["answers"]
    assert second[0]["when"] != why["answers"][0]["when"]
    assert second[0]["lines"][0][0] == [second[0]["lines"][0][0][0], "note"]
    assert "no move 99" in refusal(session, "why", record=record, number=99, move="")


def recorded(session: Session) -> str:
    """The record of a game of some turns."""
    game = load(f"{session.project.folder}/tower.yaml", engine="python")
    state, out = game.start(2, 3), StringIO()
    recorder = Recorder(out, Header.of(game, 2, 3))
    bots = [RandomBot(3, seat) for seat in range(2)]
    for _ in range(12):
        mover = str(state.mover)
        move = bots[state.players.index(mover)].decide(state)
        recorder.move(mover, move)
        state.play(move)
    return out.getvalue()


def test_saved_files_keep_their_line_ends_and_those_of_others(
    session: Session, tmp_path: Path
) -> None:
    (tmp_path / "tower.rules").write_bytes(RULES.replace("\n", "\r\n").encode())
    session = Session(Project(str(tmp_path)), saves=True)
    ask(session, "change", file="tower.rules", text=RULES + "# more\n")
    ask(session, "change", file="sub/new.rules", text="# new\n")
    assert ask(session, "save")["saved"] == ["tower.rules", "sub/new.rules"]
    assert (tmp_path / "tower.rules").read_bytes().endswith(b"more\r\n")
    assert (tmp_path / "sub" / "new.rules").read_bytes() == b"# new\n"
    (tmp_path / "tower.rules").write_text("# theirs\n", encoding="utf-8")
    ask(session, "change", file="tower.rules", text=RULES)
    assert "has changed on disk" in refusal(session, "save")
    assert (tmp_path / "tower.rules").read_text(encoding="utf-8") == "# theirs\n"


@pytest.mark.parametrize(
    "name", ["../x.rules", "/etc/x.rules", "a/../../x.rules", "x.txt", ".x.yaml", "a\\x.rules", ""]
)
def test_nothing_outside_of_the_folder_is_named(name: str, session: Session) -> None:
    assert "not a valid name" in refusal(session, "change", file=name, text="")
    assert "no file" in refusal(session, "hover", file=name, at=0)


def test_a_link_out_of_the_folder_is_not_followed(session: Session, tmp_path: Path) -> None:
    other = tmp_path.parent / f"{tmp_path.name}-other"
    other.mkdir()
    (other / "theirs.rules").write_text("# theirs\n", encoding="utf-8")
    (tmp_path / "way").symlink_to(other)
    assert "not in the folder" in refusal(session, "change", file="way/theirs.rules", text="")
    opened = Session(Project(str(tmp_path)), saves=True)
    assert sorted(opened.project.texts) == sorted(FILES)


def test_a_file_of_another_program_is_not_written(session: Session, tmp_path: Path) -> None:
    for name in ("compose.yaml", "mkdocs.yml", "sub/values.yaml"):
        assert "neither a ruleset" in refusal(session, "change", file=name, text="image: x\n")
    ask(session, "change", file="tower.yaml", text="image: x\n")  # as while somebody writes
    assert "neither a ruleset" in refusal(session, "save")
    assert (tmp_path / "tower.yaml").read_text(encoding="utf-8") == MANIFEST
    ask(session, "change", file="tower.yaml", text=MANIFEST)
    ask(session, "change", file="new.yaml", text="ruleset: new\n")
    assert ask(session, "save")["saved"] == ["new.yaml"]


@pytest.mark.parametrize("outside", ["{}/secret.yaml", "../{}/secret.yaml", "secret", "./secret"])
def test_no_game_has_a_ruleset_that_a_request_names_by_its_path(
    outside: str, session: Session, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    other = tmp_path.parent / f"{tmp_path.name}-other"
    other.mkdir()
    monkeypatch.chdir(other)
    name = outside.format(other if outside.startswith("{") else other.name)
    request = {"main": "tower.yaml", "with": [name], "players": 2}
    before = ask(session, "build", **request)
    for folder in (other, other / "secret"):
        folder.mkdir(exist_ok=True)
        text = MANIFEST.replace("tower", "secret").replace("rules: secret.rules\n", "")
        (folder / "secret.yaml").write_text(text, encoding="utf-8")
    assert ask(session, "build", **request) == before
    assert before["plan"] is None
    (found,) = before["findings"]
    assert found["message"].startswith(f"no ruleset `{name}` was found")
    assert "no file" in refusal(session, "build", main=name, players=2, **{"with": []})


@pytest.mark.parametrize("call", [name for name, fields in FIELDS.items() if fields])
@pytest.mark.parametrize("char", ["\0", "\ud800"])
def test_what_no_text_holds_is_refused(call: str, char: str, session: Session) -> None:
    text = f"tower{char}.yaml"
    given = {int: 2, str: text, list: [text], dict: {text: ""}}
    fields = {name: given[kind] for name, kind in FIELDS[call].items()}
    if set(FIELDS[call].values()) != {int}:
        assert f"the character U+{ord(char):04X}" in refusal(session, call, **fields)


def test_an_unexpected_error_ends_nothing(
    session: Session, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    with monkeypatch.context() as patch:
        patch.setattr(session, "hover", lambda *_: dict[str, str]()["\x1b[2J"])
        assert "internal error" in refusal(session, "hover", file="tower.yaml", at=0)
    shown = capsys.readouterr().err
    assert "Traceback" in shown
    assert "KeyError" in shown
    assert "\x1b" not in shown
    assert ask(session, "hover", file="tower.rules", at=0) is None


def test_an_example_replaces_nothing_on_disk(session: Session, tmp_path: Path) -> None:
    assert "files of its own" in refusal(session, "load", files={"x.rules": ""})
    empty = tmp_path / "empty"
    empty.mkdir()
    scratch = Session(Project(str(empty)), saves=False)
    assert ask(scratch, "load", files=FILES)["manifests"] == ["tower.yaml"]
    assert all(not listed for listed in ask(scratch, "check")["findings"].values())
    assert "download" in refusal(scratch, "save")
    assert list(empty.iterdir()) == []


def test_a_project_has_a_limited_number_of_files(
    session: Session, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(project, "MOST_FILES", len(FILES))
    assert "3 files at most" in refusal(session, "change", file="more.rules", text="")
    (tmp_path / "more.rules").write_text(RULES, encoding="utf-8")
    assert Project(str(tmp_path)).problems == ["only the first 3 files are shown"]


@pytest.mark.parametrize("request_", [None, {}, {"call": "x"}, {"call": 1}, []])
def test_other_requests_are_refused(request_: object, session: Session) -> None:
    assert "error" in session.answer(request_)


@pytest.mark.parametrize("call", [name for name, fields in FIELDS.items() if fields])
def test_fields_of_other_types_are_refused(call: str, session: Session) -> None:
    assert "is not" in refusal(session, call, **dict.fromkeys(FIELDS[call], True))
    assert "is not" in refusal(session, call)
