"""Finding rulesets and what they need."""

from __future__ import annotations

import os
from collections.abc import Callable
from hashlib import sha256
from pathlib import Path

import pytest

from rulesdsl.language.diagnostics import Report, Severity
from rulesdsl.language.read.load import load_rulesets

Write = Callable[..., Path]


@pytest.fixture(autouse=True)
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Nothing but what a test writes is found; the current folder is `work`."""
    work = tmp_path / "work"
    for name in ("work", "user/rulesets", "shipped"):
        (tmp_path / name).mkdir(parents=True)
    monkeypatch.chdir(work)
    monkeypatch.delenv("RULESDSL_PATH", raising=False)
    monkeypatch.setattr("rulesdsl.language.read.files.data_folder", lambda: tmp_path / "user")
    monkeypatch.setattr("rulesdsl.language.read.files.shipped", lambda _: tmp_path / "shipped")
    return tmp_path


@pytest.fixture
def write(home: Path) -> Write:
    def make(path: str, more: str = "", id: str | None = None) -> Path:
        file = home / path
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(f"ruleset: {id or file.stem}\nedition: 1\nversion: 1.0.0\n{more}\n")
        return file

    return make


def load(main: str | Path, *expansions: str, paths: tuple[str, ...] = ()) -> list[str]:
    """The ids loaded, then the slugs of all findings."""
    report = Report()
    rulesets = load_rulesets(main, expansions, paths=paths, report=report)
    return [*(ruleset.id for ruleset in rulesets), *(f"!{found.slug}" for found in report)]


def test_by_path_id_and_folder(write: Write, home: Path) -> None:
    write("work/base.yaml")
    write("shipped/other.yaml")
    write("work/kit/kit.yaml")
    write("work/box/ruleset.yaml", id="boxed")
    assert load("base.yaml") == ["base"]
    assert load("./base.yaml") == ["base"]
    assert load(home / "work" / "base.yaml") == ["base"]
    assert load("other") == ["other"]
    assert load("kit/") == ["kit"]
    assert load("./kit") == ["kit"]
    assert load("kit") == ["kit"]
    assert load("box/") == ["boxed"]
    assert load(Path("kit")) == ["kit"]
    assert load("base.yaml", "other", "kit/kit.yaml") == ["base", "kit", "other"]


def test_every_place_is_searched(write: Write, home: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    write("work/a.yaml", "requires: [b, c, d, e, f]")
    write("work/b.yaml")
    write("given/c.yaml")
    write("variable/d/d.yaml")
    write("user/rulesets/e.yaml")
    write("shipped/f.yaml")
    monkeypatch.setenv("RULESDSL_PATH", os.pathsep.join(["", str(home / "variable")]))
    assert load("a.yaml", paths=("../given",)) == ["b", "c", "d", "e", "f", "a"]


def test_folders_that_are_not_there(write: Write, monkeypatch: pytest.MonkeyPatch) -> None:
    write("work/a.yaml")
    assert load("a.yaml", paths=("nowhere",)) == ["a", "!file-missing"]
    monkeypatch.setenv("RULESDSL_PATH", "nowhere")
    report = Report()
    load_rulesets("a.yaml", report=report)
    assert [(found.slug, found.severity) for found in report] == [
        ("file-missing", Severity.WARNING)
    ]


def test_order_is_what_is_required_first_then_by_name(write: Write) -> None:
    write("work/z.yaml")
    write("work/c.yaml", "requires: [z]")
    write("work/b.yaml", "requires: [c]")
    write("work/a.yaml", "requires: [z]")
    write("work/d.yaml")
    for first in ("a", "b", "d"):
        others = [name for name in "abd" if name != first]
        assert load(f"{first}.yaml", *others) == ["d", "z", "a", "c", "b"]


def test_missing_rulesets(write: Write) -> None:
    write("work/a.yaml", "requires: [bsae]")
    write("work/base.yaml")
    report = Report()
    load_rulesets("a.yaml", report=report)
    (found,) = report
    assert found.slug == "ruleset-missing"
    assert str(found.span) == "a.yaml:4:12"
    assert found.help == ("did you mean `base`?",)
    assert load("nothing") == ["!ruleset-missing"]
    assert load("") == ["!ruleset-missing"]
    assert load("nothing.yaml") == ["!file-missing"]
    assert load(".") == ["!ruleset-ambiguous"]
    assert load("a\0b.yaml") == ["!file-missing"]


def test_a_folder_with_one_ruleset_stands_for_it_whatever_its_manifest_is_called(
    write: Write,
) -> None:
    write("work/inner/odd.yaml")
    write("work/inner/odd.test.yaml", "scenarios: base")
    assert load("./inner") == ["odd"]
    (Path("inner") / "other.yaml").write_text("a: 1")
    assert load("./inner") == ["odd"]


def test_two_different_rulesets_with_one_id(write: Write) -> None:
    write("work/a.yaml", "requires: [b]")
    write("work/b.yaml")
    write("more/b.yaml", "house: true")
    report = Report()
    load_rulesets("a.yaml", paths=["../more"], report=report)
    (found,) = report
    assert found.slug == "ruleset-ambiguous"
    assert found.help[0] == "one is `b.yaml`"
    assert found.help[1].endswith("/more/b.yaml`")
    # What is named by path is not sought.
    assert load("a.yaml", "b.yaml", paths=("../more",)) == ["b", "a"]
    assert load("b.yaml", "../more/b.yaml") == ["b", "!ruleset-ambiguous"]


def test_an_own_ruleset_comes_before_a_shipped_one(write: Write) -> None:
    write("work/a.yaml", "requires: [b]")
    write("work/b.yaml")
    write("shipped/b.yaml", "house: true")
    assert load("a.yaml") == ["b", "a", "!ruleset-hidden"]
    assert load("b.yaml", "../shipped/b.yaml") == ["b", "!ruleset-ambiguous"]
    # Named by its path it is the one that is meant, and a copy is no other ruleset.
    assert load("a.yaml", "b.yaml") == ["b", "a"]
    write("work/b.yaml", "house: true")
    assert load("a.yaml") == ["b", "a"]


def test_hidden_duplicates_in_one_folder(write: Write) -> None:
    write("work/a.yaml", "requires: [b]")
    write("work/b.yaml")
    write("work/copy.yaml", "house: true", id="b")
    assert load("a.yaml") == ["a", "!ruleset-ambiguous"]


def test_an_id_and_a_folder_right_here(write: Write) -> None:
    write("work/b/b.yaml")
    write("shipped/b.yaml", "house: true")
    assert load("b") == ["!ruleset-ambiguous"]
    assert load("b/") == ["b"]


def test_the_same_file_twice_is_one(write: Write, home: Path) -> None:
    write("work/a.yaml", "requires: [b]")
    original = write("work/b.yaml", "rules: b.rules")
    original.with_suffix(".rules").write_text("x")
    (home / "linked").symlink_to(home / "work")
    assert load("a.yaml", "b", paths=("../linked", ".", str(home / "work"))) == ["b", "a"]
    # A copy with the same content is no other ruleset, one with other rules is.
    (home / "more").mkdir()
    (home / "more" / "b.yaml").write_bytes(original.read_bytes())
    (home / "more" / "b.rules").write_text("x")
    assert load("a.yaml", paths=("../more",)) == ["b", "a"]
    (home / "more" / "b.rules").write_text("y")
    assert load("a.yaml", paths=("../more",)) == ["a", "!ruleset-ambiguous"]


def test_a_folder_with_two_manifests(write: Write) -> None:
    write("work/kit/kit.yaml")
    write("work/kit/ruleset.yaml")
    assert load("kit/") == ["!ruleset-ambiguous"]


CYCLES = [
    ({"a": "a"}, "`a` requires itself", ["a.yaml:4:12"]),
    (
        {"a": "b", "b": "a"},
        "`a`, `b` require each other in a cycle",
        ["a.yaml:4:12", "b.yaml:4:12"],
    ),
    (
        {"x": "c", "c": "a", "a": "b", "b": "c"},
        "`a`, `b`, `c` require each other in a cycle",
        ["a.yaml:4:12", "b.yaml:4:12", "c.yaml:4:12"],
    ),
]


@pytest.mark.parametrize(("requires", "message", "places"), CYCLES)
def test_cycles(write: Write, requires: dict[str, str], message: str, places: list[str]) -> None:
    for id, needed in requires.items():
        write(f"work/{id}.yaml", f"requires: [{needed}]")
    report = Report()
    assert load_rulesets(f"{next(iter(requires))}.yaml", report=report) == []
    (found,) = report
    assert (found.slug, found.message) == ("ruleset-cycle", message)
    assert [str(span) for span in (found.span, *(label.span for label in found.labels))] == places


def test_interactions_load_when_all_parties_are_on(write: Write) -> None:
    write("work/a.yaml")
    write("work/b.yaml", "requires: [a]")
    write("shipped/c.yaml", "requires: [a]")
    write("work/b_c.yaml", "interaction: [b, c]\nrequires: [d]")
    write("work/d.yaml")
    write("shipped/b_c_d.yaml", "interaction: [d, c, b]")
    assert load("a.yaml", "b") == ["a", "b"]
    assert load("a.yaml", "b", "c") == ["a", "b", "c", "d", "b_c", "b_c_d"]
    # Named itself, it brings its parties.
    assert load("b_c.yaml") == ["a", "b", "c", "d", "b_c", "b_c_d"]


def test_an_interaction_of_several_meetings_loads_for_each(write: Write) -> None:
    write("work/a.yaml")
    for name in ("b", "c", "d"):
        write(f"work/{name}.yaml", "requires: [a]")
    write("work/m.yaml", "interaction: [[b, c], [b, d]]")
    assert load("a.yaml", "c", "d") == ["a", "c", "d"]
    assert load("a.yaml", "b", "d") == ["a", "b", "d", "m"]
    assert load("m.yaml") == ["a", "b", "c", "d", "m"]
    write("work/n.yaml", "interaction: [d, b]")
    assert load("a.yaml", "b", "c") == ["a", "b", "c", "m"]
    assert load("a.yaml", "b", "d") == ["a", "b", "d", "m", "!interaction-duplicate"]


@pytest.mark.parametrize(
    "mistake",
    [
        "interaction: []",
        "interaction: [b]",
        "interaction: [b, b]",
        "interaction: b",
        "interaction: [b, {x: c}]",
        "interaction: [b, c]\ncolour: red",
        "interaction: [[b, c], []]",
        "interaction: [[b, c], b]",
    ],
)
def test_mistakes_of_an_interaction_concern_only_its_parties(write: Write, mistake: str) -> None:
    for name in ("a", "b", "c"):
        write(f"work/{name}.yaml")
    write("work/m.yaml", mistake)
    assert load("a.yaml") == ["a"]
    assert load("a.yaml", "b") == ["a", "b"]
    both = load("b.yaml", "c")
    assert both[:2] == ["b", "c"]
    assert bool(both[2:]) == ("[b, c]" in mistake)
    assert load("m.yaml")[-1].startswith("!")


def test_two_interactions_of_the_same_parties(write: Write, home: Path) -> None:
    write("work/a.yaml")
    write("work/b.yaml")
    write("work/m.yaml", "interaction: [a, b]")
    (home / "shipped" / "m.yaml").write_bytes((home / "work" / "m.yaml").read_bytes())
    assert load("a.yaml", "b") == ["a", "b", "m"]
    write("work/n.yaml", "interaction: [b, a]")
    assert load("a.yaml", "b") == ["a", "b", "m", "!interaction-duplicate"]
    assert load("a.yaml", "b", "n") == ["a", "b", "n", "!interaction-duplicate"]


def test_a_changed_copy_of_a_shipped_interaction_is_used_in_its_place(write: Write) -> None:
    for name in ("a", "b", "c"):
        write(f"work/{name}.yaml")
    write("shipped/m.yaml", "interaction: [a, b]")
    write("work/m.yaml", "interaction: [a, b]\ntables: {worth: [1]}")
    assert load("a.yaml", "b") == ["a", "b", "m", "!ruleset-hidden"]
    # It need not have the same parties, nor be an interaction.
    write("work/m.yaml", "interaction: [a, c]")
    assert load("a.yaml", "b") == ["a", "b"]
    assert load("a.yaml", "c") == ["a", "c", "m", "!ruleset-hidden"]
    write("work/m.yaml")
    assert load("a.yaml", "b") == ["a", "b"]
    # Named by its path, it is meant.
    write("work/m.yaml", "interaction: [a, b]\ntables: {worth: [1]}")
    assert load("a.yaml", "b", "./m.yaml") == ["a", "b", "m"]


def test_house_rules_come_only_when_named(write: Write) -> None:
    write("work/a.yaml")
    write("work/b.yaml")
    write("work/m.yaml", "interaction: [a, b]\nhouse: true")
    assert load("a.yaml", "b") == ["a", "b"]
    assert load("a.yaml", "b", "m") == ["a", "b", "m"]


def test_junk_beside_rulesets_disturbs_nobody(write: Write, home: Path) -> None:
    write("work/a.yaml")
    work = home / "work"
    (work / "a.test.yaml").write_text("ruleset: a\ninteraction: [a]\n")
    (work / "other.yaml").write_text("name: x\n")
    (work / "list.yaml").write_text("- ruleset\n")
    (work / "broken.yaml").write_text("ruleset: [\n")
    (work / "binary.yaml").write_bytes(b"\0\xff")
    (work / "empty.yaml").write_text("")
    (work / "folder.yaml").mkdir()
    os.mkfifo(work / "pipe.yaml")
    (work / "huge.yaml").touch()
    os.truncate(work / "huge.yaml", 100_000_000)
    assert load("a.yaml") == ["a"]
    # Named, each says what is wrong with it.
    for name, slug in {
        "other": "missing-key",
        "list": "wrong-type",
        "broken": "yaml-syntax",
        "binary": "file-not-text",
        "empty": "file-empty",
        "pipe": "file-unreadable",
        "huge": "file-too-large",
    }.items():
        assert load("a.yaml", name) == ["a", f"!{slug}"]
        assert load(f"{name}.yaml") == [f"!{slug}"]


def test_a_broken_ruleset_does_not_hide_the_errors_of_others(write: Write) -> None:
    write("work/a.yaml", "requires: [b]\nzzz: 1")
    write("work/b.yaml", "yyy: 1")
    assert load("a.yaml") == ["b", "a", "!unknown-key", "!unknown-key"]


def test_rules_are_read_beside_the_manifest(write: Write, home: Path) -> None:
    manifest = write("work/kit/kit.yaml", "rules: kit.rules")
    assert load("kit/") == ["kit", "!file-missing"]
    rules = manifest.with_suffix(".rules")
    rules.write_text("state x: int\n")
    report = Report()
    (ruleset,) = load_rulesets("kit/", report=report)
    assert ruleset.rules is not None
    assert (ruleset.rules.name, ruleset.rules.text) == ("kit/kit.rules", "state x: int\n")
    assert ruleset.digest == sha256(manifest.read_bytes() + rules.read_bytes()).hexdigest()
    for file in (manifest, rules):
        file.write_bytes(file.read_bytes().replace(b"\n", b"\r\n"))
    (again,) = load_rulesets("kit/", report=report)
    assert again.digest == ruleset.digest, "line ends are no difference"
    assert (ruleset.version, ruleset.house) == ("1.0.0", False)
    write("work/kit/kit.yaml", "rules: ../kit.rules")
    assert load("kit/") == ["kit", "!path-escapes"]


def test_no_manifest_escapes_its_folder_by_a_link(write: Write, home: Path) -> None:
    outside = write("outside/b.yaml")
    (home / "shipped" / "b.yaml").symlink_to(outside)
    assert load("b") == ["!path-escapes"]
