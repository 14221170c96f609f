"""Every slug has a page, and what a page shows as wrong or right is so."""

from __future__ import annotations

import json
import re
import sys
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path

import pytest

from rulesdsl.cli.main import main
from rulesdsl.engine.build import stages
from rulesdsl.language.diagnostics import SLUGS, Report, Source, slugs
from rulesdsl.language.diagnostics.slugs import MARK, page
from rulesdsl.language.model.ast import Module
from rulesdsl.language.parse import parse
from tests.docs.page import GAME, read_page
from tests.small_games import linked, parse_manifest, ruleset

FOLDER = Path(slugs.__file__).with_name("pages")
SECTIONS = ["Why", "Fix", "Wrong", "Right"]
BLOCK = re.compile(r"^```(\w+)(?: (\S+))?\n(.*?)^```$", re.M | re.S)
TOLD = re.compile(r"^(?:error|warning)\[([a-z-]+)\].*\n(?: *--> (.*?):(\d+):\d+$)?", re.M)
HEAD = {"ruleset": "{id}", "edition": "1", "version": "1.0.0", "rules": "{id}.rules"}

# These lie in a command, in a record, in a file that is not shown, or in two files as a whole.
UNMARKED = frozenset(
    {
        "bad-argument",
        "engine-missing",
        "file-not-text",
        "games-stopped",
        "golden-differs",
        "interaction-duplicate",
        "out-of-time",
        "output-failed",
        "package-missing",
        "record-cut",
        "record-move",
        "record-ruleset",
        "record-syntax",
        "record-version",
        "too-large",
        "yaml-too-large",
    }
)

Surroundings = Callable[[Path, pytest.MonkeyPatch], object]
Stage = tuple[pytest.MonkeyPatch, pytest.CaptureFixture[str]]
Finding = tuple[str, str, int]
"""A slug, the file and the line; no file and line 0 where there is no place."""


@dataclass
class Example:
    """Files by name, commands, a line of a record; without commands the rulesets are checked."""

    files: dict[str, str] = field(default_factory=dict)
    commands: list[list[str]] = field(default_factory=list)
    line: str = ""

    def marked(self, slug: str) -> list[Finding]:
        """Where the finding must be: on every line with a mark."""
        lines = [
            (slug, name, number)
            for name, text in self.files.items()
            for number, line in enumerate(text.splitlines(), 1)
            if line.endswith(MARK)
        ]
        return sorted(lines)


def sections(text: str) -> dict[str, str]:
    """The parts of a page by their headings, the one before the first as ``."""
    head, *rest = re.split(r"^## (.*)\n", text, flags=re.M)
    return {"": head, **dict(zip(rest[::2], rest[1::2], strict=True))}


def example(text: str) -> Example:
    """The example that the blocks of a section make."""
    found = Example()
    for language, name, body in BLOCK.findall(text):
        if language == "console":
            found.commands += [line.removeprefix("$ rulesdsl ").split() for line in _lines(body)]
        elif language == "json":
            found.line = body
        else:
            found.files[name or f"example.{language}"] = body
    _complete(found.files)
    return found


def _lines(commands: str) -> Iterator[str]:
    for line in commands.splitlines():
        assert line.startswith("$ rulesdsl "), line
        yield line


def _complete(files: dict[str, str]) -> None:
    """Add what the manifests leave out, and manifests that are left out."""
    for name in [name for name in files if name.endswith(".rules")]:
        files.setdefault(name.replace(".rules", ".yaml"), "")
    for name in [name for name in files if re.fullmatch(r"\w+\.yaml", name)]:
        id, text = name.removesuffix(".yaml"), files[name]
        head = HEAD if f"{id}.rules" in files else {k: HEAD[k] for k in list(HEAD)[:3]}
        if not re.search("^(interaction|game):", text, re.M):
            head = {**head, "requires": f"[{GAME}]"}
        said = [
            f"{key}: {value.format(id=id)}\n"
            for key, value in head.items()
            if not re.search(f"^{key}:", text, re.M)
        ]
        files[name] = "".join(said) + text


def tried(slug: str, section: str, folder: Path, stage: Stage) -> tuple[Example, list[Finding]]:
    """An example, written down and checked, or its commands run; and what is found."""
    patch, capsys = stage
    shown = example(sections(page(slug) or "")[section])
    patch.chdir(folder)
    patch.setattr("rulesdsl.language.parse.parse", parsed_once)
    patch.setattr("rulesdsl.language.read.files.shipped", lambda _: folder / "shipped")
    patch.setattr("rulesdsl.language.read.files.data_folder", lambda: folder / "user")
    patch.setenv("RULESDSL_CACHE", str(folder.parent / "cache"))
    READ.write(folder)
    if slug in SURROUNDINGS:
        SURROUNDINGS[slug](folder, patch)
    for name, text in shown.files.items():
        (folder / name).write_text(text, encoding="utf-8")
    if shown.line:
        write_record(folder / "game.jsonl", shown.line)
    if slug == "ruleset-unmet":
        return shown, found_in_boxes(shown)
    return shown, told(shown.commands, capsys) if shown.commands else checked(shown, folder)


def told(commands: list[list[str]], capsys: pytest.CaptureFixture[str]) -> list[Finding]:
    """What the last of some commands finds; those before it find nothing."""
    for command in commands:
        capsys.readouterr()
        code = main([*command, *_soonest(command)])
        said = "".join(capsys.readouterr())
        assert command is commands[-1] or code == 0, said
    found = [(slug, file, int(line or 0)) for slug, file, line in TOLD.findall(said)]
    assert found or code == 0, said
    return sorted(found)


def _soonest(command: list[str]) -> list[str]:
    """The engine that starts soonest, for a command that names none. Mutants are tried in this
    process; games are played at random only where the command asks for them."""
    if command[0] == "check":
        return [] if {"--play", "--games"} & {*command} else ["--no-play"]
    plays = command[0] in ("run", "replay", "test", "simulate")
    engine = ["--engine", "python"] if plays and "--engine" not in command else []
    return [*engine, *(["--jobs", "1"] if command[0] == "test" else [])]


@cache
def recorded() -> list[str]:
    """The lines of a record of the game in this folder."""
    run = ["run", f"{GAME}.yaml", "--quiet", "--record", "recorded.jsonl", "--engine", "python"]
    assert main(run) == 0
    return Path("recorded.jsonl").read_text(encoding="utf-8").splitlines(keepends=True)


def parsed_once(source: Source, report: Report, _: object = None) -> Module:
    """What `parse` gives; the rules of the game that all examples extend are the same each time."""
    if Path(source.name).name != f"{GAME}.rules":
        return parse(source, report)
    if source.text not in PARSED:
        PARSED[source.text] = parse(source, report)
    return PARSED[source.text]


def write_record(path: Path, line: str) -> None:
    """A record in which a line is as shown: the first if it tells of rulesets, or the second. What
    it leaves out is as it was; a line that is cut off is the last."""
    lines = list(recorded())
    try:
        shown = json.loads(line)
    except json.JSONDecodeError:
        cut = not line.endswith("}\n")
        lines = [*lines[:3], line.rstrip()] if cut else [lines[0], line, *lines[2:]]
    else:
        at = int("by" in shown)
        lines[at] = json.dumps({**json.loads(lines[at]), **shown}) + "\n"
    path.write_text("".join(lines), encoding="utf-8")


def found_in_boxes(shown: Example) -> list[Finding]:
    """What is found when the rulesets are not read from files but put together by a program."""
    report = Report()
    texts = {f"{GAME}.yaml": json.dumps(READ.examples[0].manifest), **shown.files}
    nodes = [parse_manifest(Source(name, text), report) for name, text in texts.items()]
    linked([ruleset(node) for node in nodes if node is not None], {}, report)
    return placed(report)


def checked(shown: Example, folder: Path) -> list[Finding]:
    manifests = {n: t for n, t in shown.files.items() if n.endswith(".yaml")}
    whole = [name for name, text in manifests.items() if re.search("^game:", text, re.M)]
    more = [n for n, t in manifests.items() if n not in whole[:1] and "interaction:" not in t]
    report = Report()
    first = str(folder / (whole[0] if whole else f"{GAME}.yaml"))
    stages.build(first, [str(folder / name) for name in more], report=report)
    return placed(report)


def placed(report: Report) -> list[Finding]:
    return sorted(
        (d.slug, Path(d.span.source.name).name, d.span.line) if d.span else (d.slug, "", 0)
        for d in report
    )


def _file(name: str, content: bytes) -> Surroundings:
    return lambda folder, _: (folder / name).write_bytes(content)


def _without(package: str) -> Surroundings:
    return lambda _, patch: patch.setitem(sys.modules, package, None)


def _crowd(folder: Path, patch: pytest.MonkeyPatch) -> None:
    """A file with more values than a lowered limit: one above the real limit takes seconds."""
    patch.setattr("rulesdsl.language.read.yaml.MAX_NODES", 300)
    rows = ", ".join(["[1, 2, 3]"] * 100)
    (folder / "crowd.yaml").write_text(f"ruleset: crowd\ntables: {{t: [{rows}]}}\n")


def _shipped(folder: Path, _: pytest.MonkeyPatch) -> None:
    """A ruleset among the shipped ones that is hidden."""
    (folder / "shipped").mkdir()
    head = "".join(f"{key}: {HEAD[key].format(id='lakes')}\n" for key in list(HEAD)[:3])
    (folder / "shipped" / "lakes.yaml").write_text(f"{head}requires: [{GAME}]\n")


def _long(folder: Path, patch: pytest.MonkeyPatch) -> None:
    """A declaration that is longer than a lowered limit."""
    patch.setattr("rulesdsl.language.parse.parser.MOST_IN_ONE", 300)
    head = "".join(f"{key}: {value.format(id='long')}\n" for key, value in HEAD.items())
    (folder / "long.yaml").write_text(f"{head}requires: [hamlets]\n")
    (folder / "long.rules").write_text(f"add bonus(f): max({', '.join(['f.cells'] * 100)})\n")


def _short_of_steps(_: Path, patch: pytest.MonkeyPatch) -> None:
    """As many steps as there are take seconds."""
    patch.setattr("rulesdsl.engine.runtime.faults.STEPS", 5000)


PLAYED_ON = "rulesdsl.author.lint.played.DEFAULT_ENGINE"
SURROUNDINGS: dict[str, Surroundings] = {
    "broken-invariant": lambda _, patch: patch.setattr(PLAYED_ON, "python"),
    "engine-missing": _without("wasmtime"),
    "file-is-folder": lambda folder, _: (folder / "drafts.rules").mkdir(),
    "file-not-text": _file("latin.rules", "# Münze\n".encode("latin-1")),
    "file-too-large": _file("huge.rules", b"#" * 1_000_001),
    "file-unreadable": lambda folder, _: (folder / "looping.rules").symlink_to("looping.rules"),
    "no-steps-left": _short_of_steps,
    "package-missing": _without("pyarrow"),
    "ruleset-hidden": _shipped,
    "too-large": _long,
    "yaml-too-large": _crowd,
}
"""What is there, or is not, where the example of a slug is tried."""

PARSED: dict[str, Module] = {}
READ = read_page()
READ.examples = READ.examples[:1]


@pytest.fixture
def stage(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> Stage:
    return monkeypatch, capsys


def test_every_slug_has_a_page_and_every_page_a_slug() -> None:
    assert sorted(path.name for path in FOLDER.iterdir()) == [f"{slug}.md" for slug in SLUGS]


@pytest.mark.parametrize("slug", SLUGS)
def test_a_page_says_what_why_and_how(slug: str) -> None:
    text = page(slug)
    assert text is not None
    assert text.startswith(f"# {slug}\n\n")
    parts = sections(text)
    assert list(parts) == ["", *SECTIONS]
    assert all(len(part.strip()) > 20 for part in parts.values())
    assert max(map(len, text.splitlines())) <= 100


@pytest.mark.parametrize("slug", SLUGS)
def test_the_wrong_example_earns_this_finding_alone(
    slug: str, tmp_path: Path, stage: Stage
) -> None:
    shown, found = tried(slug, "Wrong", tmp_path, stage)
    assert (shown.marked(slug) == []) is (slug in UNMARKED)
    assert [each for each in found if each[0] != slug] == []
    assert len(found) == max(len(shown.marked(slug)), 1)
    assert not shown.marked(slug) or found == shown.marked(slug)


@pytest.mark.parametrize("slug", SLUGS)
def test_the_right_example_earns_none(slug: str, tmp_path: Path, stage: Stage) -> None:
    shown, found = tried(slug, "Right", tmp_path, stage)
    assert shown.files or shown.commands
    assert not shown.marked(slug)
    assert found == []


def test_an_unknown_slug_has_no_page() -> None:
    assert page("no-such-thing") is None
    assert page("../slugs") is None
