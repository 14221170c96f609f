"""The site of an index: its pages, its data, and what strangers wrote."""

from __future__ import annotations

import json
import re
import shutil
from pathlib import Path

import jsonschema
import pytest

from tests.cli.conftest import Cli
from tests.index.conftest import SMALL, add
from tools.environment import ROOT

SCHEMA = json.loads((ROOT / "schemas" / "index.schema.json").read_text(encoding="utf-8"))


def test_a_site_has_a_page_for_each_ruleset_and_follows_changes(cli: Cli, shelf: Path) -> None:
    site = shelf.parent / "site"
    done = cli("index", str(shelf), "--to", str(site), "--games", "0", "--jobs", "1")
    assert done.code == 1, "a ruleset has errors of its own"
    assert "5 expansions; 4 of 10 pairs go together" in done.out
    assert "torn.rules:1: error[unknown-name]: " in done.out
    data = json.loads((site / "index.json").read_text(encoding="utf-8"))
    jsonschema.Draft202012Validator(SCHEMA).validate(data)
    for each in data["rulesets"]:
        assert (site / each["id"] / "index.html").is_file()
        for name in each["files"]:
            assert (site / name).is_file()
    names = {each["id"]: each["files"] for each in data["rulesets"]}
    assert not names["torn"]
    assert {Path(name).name for name in names["west"]} == {
        "book.html",
        "play.html",
        "west-1.0.0.zip",
    }
    front = (site / "index.html").read_text(encoding="utf-8")
    page = (site / "south" / "index.html").read_text(encoding="utf-8")
    for text in (front, page):
        assert "default-src 'none'" in text
        assert "<script" not in text
        assert "<i>Bo" not in text
        assert "<b>rises" not in text
    assert "A &lt;script&gt;alert(1)&lt;/script&gt; day." in page
    assert "! has errors" in front
    assert "<tr><td>calm<td>true<td>true, false</tr>" in page
    assert "<tr><td>days<td>2<td>1 to 9</tr>" in page
    assert "rulesdsl studio FOLDER" in page
    assert re.search(r'<td class="undecided"><a href="west/index.html#east"', front)
    assert 'id="west"' in (site / "east" / "index.html").read_text(encoding="utf-8")
    before = {path: path.read_bytes() for path in site.rglob("*") if path.is_file()}
    again = cli("index", str(shelf), "--to", str(site), "--games", "0", "--jobs", "1")
    assert "6 games were proved" in again.out
    assert {path: path.read_bytes() for path in site.rglob("*") if path.is_file()} == before
    (site / "east" / "notes.txt").write_text("of somebody else")
    for name in ("east", "west"):
        for file in shelf.glob(f"{name}.*"):
            file.unlink()
    cli("index", str(shelf), "--to", str(site), "--games", "0", "--jobs", "1")
    assert not (site / "west").exists()
    assert [path.name for path in (site / "east").iterdir()] == ["notes.txt"]


def test_a_submitted_ruleset_is_judged_against_all_others(cli: Cli, shelf: Path) -> None:
    told, sarif = shelf.parent / "told.md", shelf.parent / "found.sarif"
    given = ("index", str(shelf), "--games", "0", "--jobs", "1", "--format", "github")
    done = cli(*given, "--submitted", "west", "--summary", str(told), "--sarif", str(sarif))
    assert done.code == 0, "a clash is nobody's error"
    assert "warning file=" in done.out
    text = told.read_text(encoding="utf-8")
    assert "| `east` | ? needs an interaction; " in text
    assert "| `south` | + settled by an interaction: peace |" in text
    assert "torn" not in text.replace("| `torn` | ! errors that", "")
    results = json.loads(sarif.read_text(encoding="utf-8"))["runs"][0]["results"]
    assert [each["ruleId"] for each in results] == ["hooks-meet"]
    assert cli(*given, "--submitted", "torn").code == 1
    assert "is not a ruleset in" in cli(*given, "--submitted", "nobody").err


def test_wrong_arguments_are_explained(cli: Cli, tmp_path: Path, shelf: Path) -> None:
    assert "name it: `--to SITE`" in cli("index", str(tmp_path)).err
    assert "there is no ruleset in" in cli("index", str(tmp_path), "--to", "site").err
    assert "there is no folder `gone`" in cli("index", "gone", "--to", "site").err
    file = str(shelf / "east.yaml")
    assert f"name the folder that it is in: `{shelf}`" in cli("index", file, "--to", "site").err
    given = ("index", str(shelf), "--to")
    assert "`--to` needs the name of a folder" in cli(*given, "").err
    assert "`--games -1` is too small: use at least 0" in cli(*given, "site", "--games", "-1").err
    assert "a site needs another one" in cli(*given, str(shelf)).err
    (tmp_path / "index.html").write_text("of somebody else")
    assert "a page `index.html` that is not of an index" in cli(*given, str(tmp_path)).err
    assert "rulesdsl studio --site 'no where'" in cli(*given, "site", "--studio", "no where").err
    studio = tmp_path / "site" / "east"
    studio.mkdir(parents=True)
    (studio / "index.html").write_text("a studio")
    done = cli(*given, str(studio.parent), "--studio", str(studio))
    assert "is the folder for the pages of `east`" in done.err


def test_the_address_of_a_studio_is_relative_to_the_pages(cli: Cli, shelf: Path) -> None:
    site, studio = shelf.parent / "site", shelf.parent / "my studio"
    studio.mkdir()
    (studio / "index.html").write_text("a studio")
    for file in shelf.glob("[!h]*"):
        file.unlink()
    given = ("index", str(shelf), "--to", str(site), "--games", "0", "--jobs", "1", "--studio")
    for named in (studio, studio / "index.html"):
        assert cli(*given, str(named)).code == 0
        page = (site / "hamlets" / "index.html").read_text(encoding="utf-8")
        assert '<a href="../../my%20studio/index.html#' in page
    address = "https://example.org/?a=1&b=2"
    assert cli(*given, address).code == 0
    page = (site / "hamlets" / "index.html").read_text(encoding="utf-8")
    assert '<a href="https://example.org/?a=1&amp;b=2#' in page


HEAD = "edition: 1\nversion: 1.0.0\n"


@pytest.mark.parametrize(
    ("files", "submitted", "slugs"),
    [
        ({"lost.yaml": f"ruleset: lost\n{HEAD}requires: [nohost]\n"}, "lost", {"ruleset-missing"}),
        (
            {
                "one.yaml": f"ruleset: one\n{HEAD}requires: [hamlets, two]\n",
                "two.yaml": f"ruleset: two\n{HEAD}requires: [one]\n",
            },
            "two",
            {"ruleset-cycle"},
        ),
        ({"broken.yaml": "ruleset: [\n"}, "broken", {"yaml-syntax"}),
        ({"bad.zip": "no archive"}, "bad.zip", {"file-unreadable"}),
        ({"hamlets.rules": "action (\n"}, "north", {"bad-syntax"}),
        ({"other.yaml": "name: [\n"}, "north", set()),
        ({"self.yaml": f"ruleset: self\n{HEAD}interaction: [self, east]\n"}, "north", set()),
        (
            {
                "one.yaml": f"ruleset: one\n{HEAD}interaction: [two, east]\n",
                "two.yaml": f"ruleset: two\n{HEAD}interaction: [one, west]\n",
            },
            "north",
            set(),
        ),
    ],
)
def test_what_cannot_be_judged_is_reported_only_where_it_was_submitted(
    cli: Cli, shelf: Path, files: dict[str, str], submitted: str, slugs: set[str]
) -> None:
    for name, text in files.items():
        (shelf / name).write_text(text, encoding="utf-8")
    name = str(shelf / submitted) if submitted in files else submitted
    given = ("index", str(shelf), "--games", "0", "--jobs", "1", "--format", "json")
    done = cli(*given, "--submitted", name)
    assert done.code == (1 if slugs else 0), done.err
    found = json.loads(done.out)["findings"]
    assert {each["slug"] for each in found if each["severity"] == "error"} == slugs


def test_a_cycle_is_shown_once(cli: Cli, shelf: Path) -> None:
    told = shelf.parent / "told.md"
    for id, parties in (("one", "two, east"), ("two", "one, west")):
        text = f"ruleset: {id}\n{HEAD}interaction: [{parties}]\n"
        (shelf / f"{id}.yaml").write_text(text, encoding="utf-8")
    given = ("index", str(shelf), "--games", "0", "--jobs", "1", "--summary", str(told))
    done = cli(*given, "--submitted", "one,two")
    assert done.code == 1
    assert done.err.count("error[ruleset-cycle]") == 1
    headings = [line for line in told.read_text("utf-8").splitlines() if line.startswith("## ")]
    assert headings == ["## `east`", "## `west`", "## one, two"]


def test_names_that_lead_out_have_no_page(cli: Cli, shelf: Path) -> None:
    for number, id in enumerate(["../out", "/tmp/out", "a/b", "..", "a.b"]):
        text = f"ruleset: {id}\n{HEAD}requires: [hamlets]\n"
        (shelf / f"named{number}.yaml").write_text(text, encoding="utf-8")
    site = shelf.parent / "site"
    for file in shelf.glob("[!hn]*"):
        file.unlink()
    cli("index", str(shelf), "--to", str(site), "--games", "0", "--jobs", "1")
    assert {each.name for each in shelf.parent.iterdir()} == {"shelf", "site"}
    data = json.loads((site / "index.json").read_text(encoding="utf-8"))
    ids = {each["id"] for each in data["rulesets"]}
    assert {each.name for each in site.iterdir() if each.is_dir()} == ids
    assert all(map(str.isidentifier, ids))


def test_the_commands_of_the_page_run(
    cli: Cli, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "rulesets").mkdir()
    for name in ("hamlets.yaml", "hamlets.rules"):
        shutil.copy(SMALL / name, tmp_path / "rulesets" / name)
    add(tmp_path / "rulesets", "my_idea", "", "before turn(): active.score += 1\n")
    page = (ROOT / "docs" / "how-to" / "index-of-rulesets.md").read_text(encoding="utf-8")
    commands = re.findall(r"^    rulesdsl (index .*)$", page, re.MULTILINE)
    assert len(commands) == 3
    (tmp_path / "public" / "studio").mkdir(parents=True)
    (tmp_path / "public" / "studio" / "index.html").write_text("a studio")
    for command in commands:
        done = cli(*command.split(), "--jobs", "1")
        assert done.code == 0, done.err
    assert (tmp_path / "public" / "my_idea" / "play.html").is_file()
    assert "## `my_idea`" in (tmp_path / "summary.md").read_text(encoding="utf-8")
    assert (tmp_path / "found.sarif").is_file()
