"""Strangers' texts in the output of every command: nothing steers a terminal or a build server.

Once with texts that files may hold but build servers, browsers and editors could obey; once with
characters that files may not hold, let in by taking the refusal away, so that what writes is tried.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from dataclasses import replace
from html.parser import HTMLParser
from pathlib import Path
from xml.etree import ElementTree

import pytest

from rulesdsl.cli import console
from rulesdsl.play.records import made_folder
from tests.cli.conftest import HAMLETS, Cli, Result
from tests.harmless import ESCAPES, harmful

COMMANDS = (
    "::error::x",
    "##[error]x ##vso[task.complete] ##teamcity[x]",
    "<script>alert(1)</script><img src=x onerror=y>\"'&amp;%0A",
)
"""What files may hold, and others obey."""
STEERING = (
    "".join(each for each in ESCAPES if each not in ("\ud800", "\0")),
    "\n::error::x",
    "\r\n##[x]",
)
"""What files may not hold."""
QUICK = ("--engine", "python")
OURS = re.compile(r"::(?:error|warning|notice) [^:]*::")
SCENARIO = """\
scenarios: hamlets
edition: 1
tests:
  - name: {}
    seed: 1
    expect: {{scores: {{red: 7}}, holds: ["count(home[red]) == 99"]}}
"""
_REFUSED_BY_YAML = re.compile("[\0-\x08\x0b\x0c\x0e-\x1f\x7f-\x9f\r\u2028\u2029\ufeff\uffff]")


def quoted(text: str) -> str:
    """A text in double quotes, as YAML and its escapes have it."""
    plain = "".join(c if " " <= c <= "~" and c not in '"\\' else f"\\U{ord(c):08x}" for c in text)
    return f'"{plain}"'


def write(folder: Path, hostile: str) -> None:
    """The game with hostile labels and comments, and a scenario that does not hold."""
    said = quoted(f"{hostile} | {hostile}s")
    text = Path(HAMLETS).read_text(encoding="utf-8")
    english = text.index("  en:\n")
    labels = re.sub(r"(?m)^(    [\w.]+): .*$", lambda m: f"{m[1]}: {said}", text[english:])
    assert labels.count(said) > 15
    comment = hostile.replace("\r\n", "\n").replace("\n", "\n# ")
    (folder / "hamlets.yaml").write_text(
        f"# {_REFUSED_BY_YAML.sub('', comment)}\n{text[:english]}{labels}",
        encoding="utf-8",
        newline="",
    )
    rules = Path(HAMLETS).with_suffix(".rules").read_text(encoding="utf-8")
    # In the excerpt of a finding the comment stands on the line.
    rules = rules.replace("action turn():", f"# {comment}\naction turn():")
    rules = rules.replace("    f.cells + f.well", f"    # {comment}\n    f.cells + f.well")
    (folder / "hamlets.rules").write_text(rules, encoding="utf-8", newline="")
    (folder / "hamlets.test.yaml").write_text(SCENARIO.format(quoted(hostile)))
    spoilt = text.replace("{id: ends, count: 5", f"{{id: ends, {quoted(hostile)}: 1, count: 5")
    spoilt = spoilt.replace("ruleset: hamlets", "ruleset: spoilt")
    (folder / "spoilt.yaml").write_text(spoilt, encoding="utf-8")


def save(hostile: str) -> None:
    """Put the recorded game among those of the user, with hostile names of players."""
    head, *rest = Path("g.jsonl").read_text(encoding="utf-8").splitlines()
    seats = {"red": hostile, hostile: "human"}
    head = json.dumps({**json.loads(head), "seats": seats, "paths": [str(Path.cwd())]})
    folder = made_folder()
    assert folder is not None
    (folder / "stranger.jsonl").write_text("\n".join([head, *rest, ""]), encoding="utf-8")


def runs(cli: Cli, hostile: str) -> Iterator[tuple[tuple[str, ...], Result]]:
    """Every command about the game, and what it writes."""
    assert cli("run", "hamlets.yaml", "--quiet", "--record", "g.jsonl", "--seed", "1").code == 0
    save(hostile)
    play = ("run", "hamlets.yaml", "--seed", "1", *QUICK)
    simulate = ("simulate", "hamlets.yaml", "--games", "4", "--jobs", "1", *QUICK)
    test = ("test", "hamlets.test.yaml", "--jobs", "1", *QUICK)
    for arguments in (
        (*play, "--board"),
        (*play, "--json"),
        ("replay", "g.jsonl", "--board"),
        ("replay", "g.jsonl", "--json"),
        ("replay", "--all"),
        ("replay", "stranger", "--board"),
        ("list",),
        ("show", "board", "g.jsonl"),
        ("show", "board", "g.jsonl", "--to", "board.svg"),
        ("show", "piece", "hamlets.yaml"),
        ("show", "piece", "hamlets.yaml/house"),
        ("show", "piece", "hamlets.yaml", "--to", "sheet.svg"),
        ("show", "ast", "hamlets.yaml"),
        ("show", "ir", "hamlets.yaml", "--only", "*turn*"),
        test,
        (*test, "--coverage"),
        (*test, "--format", "json"),
        (*test, "--format", "junit"),
        (*test, "--format", "html", "--coverage"),
        ("test", "--record", "g.jsonl", "--name", "one"),
        ("check", "."),
        ("check", "hamlets.yaml", "--play", "2"),
        *(("check", ".", "--format", each) for each in ("github", "json", "junit", "sarif")),
        ("doc", "hamlets.yaml"),
        ("print", "hamlets.yaml", "--duplex", "long"),
        ("export", "hamlets.yaml", "--players", "2"),
        ("page", "hamlets.yaml", "--players", "2", "--to", "game.html"),
        ("page", "g.jsonl", "--to", "record.html"),
        ("why", "points", "g.jsonl", "--turn", "9"),
        ("why", "points", "g.jsonl", "--json", "--turn", "9"),
        ("why", "value", "g.jsonl", "worth_of", "--turn", "2"),
        ("why", "not", "g.jsonl", "build.put", "--turn", "2"),
        simulate,
        *((*simulate, "--format", each) for each in ("json", "csv", "html")),
        ("pack", "hamlets.yaml"),
        ("fmt", "hamlets.yaml", "--diff"),
    ):
        yield arguments, cli(*arguments)
    yield ("run", "--human"), cli(*play, "--human", "red", typed="?\nv\n1\n1\nq\n")


class Page(HTMLParser):
    """The elements of a page, and the attributes that run or load something.

    `policy` is what the page allows, `mains` the number of its main landmarks.
    """

    def __init__(self, text: str) -> None:
        super().__init__()
        self.found = list[str]()
        self.policy = set[str]()
        self.mains = 0
        self.feed(text)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        active = [name for name, _ in attrs if name.startswith("on") or name in ("src", "action")]
        given = dict(attrs)
        if given.get("http-equiv") == "Content-Security-Policy":
            self.policy |= {*(given["content"] or "").split("; ")}
        self.mains += tag == "main"
        self.found += [tag, *active] if active or tag in ("script", "img", "iframe", "a!") else []


def check_output(arguments: tuple[str, ...], result: Result) -> None:
    out = result.out
    form = arguments[arguments.index("--format") + 1] if "--format" in arguments else ""
    if form == "github":
        assert all(OURS.match(line) for line in out.splitlines())
        out = "\n".join(OURS.sub("", line) for line in out.splitlines())
        # One line is one command: what it holds beside is its text.
        out = out.replace("##", "")
    assert harmful(out) == [], arguments
    assert harmful(result.err) == [], arguments
    if form in ("json", "sarif"):
        json.loads(result.out)
    elif "--json" in arguments:
        assert result.out
        assert [json.loads(line) for line in result.out.splitlines()]
    elif form == "junit":
        ElementTree.fromstring(result.out)
    elif result.out and (form == "html" or arguments[0] in ("doc", "print")):
        assert result.out.startswith("<!doctype html>")
        page = Page(result.out)
        assert page.found == []
        assert page.policy == {
            "default-src 'none'",
            "style-src 'unsafe-inline'",
            "img-src data:",
            "form-action 'none'",
        }
        assert page.mains == 1


def check_all(cli: Cli, folder: Path, hostile: str) -> None:
    tried = 0
    for arguments, result in runs(cli, hostile):
        check_output(arguments, result)
        assert result.out or result.err, arguments
        assert result.code in (0, 1), (arguments, result.err)
        tried += 1
    assert tried > 30
    for name, blocks in {"game.html": 4, "record.html": 5}.items():
        text = (folder / name).read_text(encoding="utf-8")
        assert harmful(text) == []
        assert Page(text).found == ["script"] * blocks
    for picture in ("board.svg", "sheet.svg"):
        svg = (folder / picture).read_text(encoding="utf-8")
        assert harmful(svg) == [] or "##" in svg
        names = {each.tag.rpartition("}")[2] for each in ElementTree.fromstring(svg).iter()}
        assert names.isdisjoint({"script", "img", "foreignObject", "a"})


def test_texts_that_others_obey(cli: Cli, tmp_path: Path) -> None:
    write(tmp_path, " ".join(COMMANDS))
    check_all(cli, tmp_path, " ".join(COMMANDS))


@pytest.mark.parametrize("hostile", STEERING)
def test_what_steers_is_refused(hostile: str, cli: Cli, tmp_path: Path) -> None:
    write(tmp_path, hostile)
    for arguments in (
        ("run", "hamlets.yaml"),
        ("test", "hamlets.test.yaml", "--jobs", "1"),
        ("doc", "hamlets.yaml"),
        *(
            ("check", ".", "--format", each)
            for each in ("text", "github", "json", "junit", "sarif")
        ),
    ):
        result = cli(*arguments)
        assert result.code in (1, 2), arguments
        assert "hidden-character" in result.out + result.err
        check_output(arguments, result)


def test_nothing_steers_even_if_nothing_is_refused(
    cli: Cli, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name in ("rulesdsl.language.read.files.in_file", "rulesdsl.language.read.yaml.in_file"):
        monkeypatch.setattr(name, lambda _: None)
    monkeypatch.setattr("rulesdsl.language.read.violations._expression", lambda _: re.compile(""))
    write(tmp_path, "".join(STEERING))
    check_all(cli, tmp_path, "".join(STEERING))


@pytest.mark.parametrize("hostile", [*STEERING, *COMMANDS[:2]])
def test_arguments_and_names_of_files(hostile: str, cli: Cli, tmp_path: Path) -> None:
    name = hostile.replace("/", "")[:40]
    folder = tmp_path / name
    folder.mkdir()
    write(folder, "harmless")
    (folder / name).with_suffix(".yaml").write_text("ruleset: [")
    for arguments in (
        ("run", name),
        ("run", f"{name}/hamlets.yaml", "--with", name),
        ("run", "hamlets.yaml", "--set", f"{name}=1"),
        ("run", f"{name}/hamlets.yaml", "--players", name),
        ("run", f"{name}/hamlets.yaml", "--lang", name),
        ("run", f"{name}/hamlets.yaml", "--record", f"{name}/none/x"),
        (name,),
        ("explain", name),
        ("test", name, "--jobs", "1"),
        ("test", name, "--jobs", "1", "--format", "json"),
        ("test", name, "--jobs", "1", "--format", "junit"),
        ("test", name, "-k", name),
        ("fmt", name, "--check"),
        ("show", "piece", f"{name}/hamlets.yaml/{name}"),
        ("show", "piece", f"{name}/hamlets.yaml", "--to", name),
        ("why", "value", f"{name}/g", name),
        *(
            ("check", name, "--format", each)
            for each in ("text", "github", "json", "junit", "sarif")
        ),
    ):
        check_output(arguments, cli(*arguments))


def test_colours_are_added_to_what_is_harmless(
    cli: Cli, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    write(tmp_path, "::error::x")
    plain = console.Console.standard
    monkeypatch.setattr(
        console.Console,
        "standard",
        classmethod(lambda _: replace(plain(), colour=True, terminal=True)),
    )
    out = cli("run", "hamlets.yaml", "--board", *QUICK).out
    codes = re.compile(r"\x1b\[[0-9;]*m")
    assert codes.search(out)
    assert harmful(codes.sub("", out)) == []
