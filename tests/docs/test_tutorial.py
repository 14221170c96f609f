"""Every step of the tutorials does what its page shows, in order, and draws its pictures."""

from __future__ import annotations

import re
import shlex
import tomllib
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

import rulesdsl
from rulesdsl.cli.commands import parser
from rulesdsl.cli.main import main

DOCS = Path(__file__).parents[2] / "docs"
PAGES = {
    "tutorial.md": (
        "my_idea",
        {"special-road.svg": "special-road.svg", "board.svg": "tutorial-board.svg"},
    ),
    "tutorial-game.md": ("hedges", {"hedges.svg": "hedges.svg", "garden.svg": "garden.svg"}),
}
"""For each tutorial its ruleset, and the pictures that its commands draw, by their names
in the docs."""

LONG = {"simulate", "page", "--human"}
"""What is only parsed unless long tests run: it takes longer, or somebody must play."""

_STEP = re.compile(
    r"^```(text|yaml|rules)\n(.*?)^```$|^    (rulesdsl [^\n]*)", re.DOTALL | re.MULTILINE
)


def steps(page: str) -> Iterator[tuple[str, str, str]]:
    """Yield the steps of a page: each file with its text, each command with what comes out."""
    text = (DOCS / page).read_text(encoding="utf-8")
    name = PAGES[page][0]
    for kind, block, command in _STEP.findall(text):
        if command:
            yield "quiet", command.removeprefix("rulesdsl ").strip(), ""
        elif kind == "text":
            found = re.split(r"^\$ rulesdsl (.*)\n", block, flags=re.MULTILINE)
            assert not found[0]
            yield from (("shown", *each) for each in zip(found[1::2], found[2::2], strict=True))
        elif block.startswith("labels:"):
            yield "more", f"{name}.yaml", f"\n{block}"
        else:
            end = "rules" if kind == "rules" else "yaml"
            end = "test.yaml" if block.startswith("scenarios:") else end
            yield "file", f"{name}.{end}", block


def follow(page: str, read: Callable[[], str], *, long: bool) -> None:
    """Take all steps of a page; what commands print is as shown, but for long digests."""
    for kind, what, text in steps(page):
        if kind in ("file", "more"):
            with Path(what).open("a" if kind == "more" else "w", encoding="utf-8") as file:
                file.write(text)
        elif kind == "quiet" and (not long or "--human" in what) and LONG & {*what.split()}:
            assert parser().parse_args(shlex.split(what))
        else:
            assert main(shlex.split(what)) == int("[scenario-failed]" in text), what
            came = re.sub(r"(SHA-256 [0-9a-f]{8})[0-9a-f]+", r"\1…", read())
            assert kind == "quiet" or came.rstrip() == text.rstrip(), what


@pytest.fixture
def read(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> Callable[[], str]:
    """What a command wrote, in an empty folder."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.delenv("RULESDSL_PATH", raising=False)

    def written() -> str:
        out, err = capsys.readouterr()
        assert re.fullmatch(r"(written to \S+\n)?", err)
        return out

    return written


@pytest.mark.parametrize("page", PAGES)
def test_a_page_is_followed(page: str, read: Callable[[], str]) -> None:
    follow(page, read, long=False)
    for drawn, shown in PAGES[page][1].items():
        assert Path(drawn).read_bytes() == (DOCS / "pictures" / shown).read_bytes()


@pytest.mark.long
@pytest.mark.parametrize("page", PAGES)
def test_what_takes_long_is_done_as_well(page: str, read: Callable[[], str]) -> None:
    follow(page, read, long=True)


def test_nothing_on_the_pages_is_left_out() -> None:
    found = [kind for page in PAGES for kind, *_ in steps(page)]
    text = "".join((DOCS / page).read_text(encoding="utf-8") for page in PAGES)
    assert found.count("shown") == text.count("\n$ ")
    assert found.count("quiet") == text.count("\n    rulesdsl ")
    assert found.count("file") + found.count("more") == len(
        re.findall("\n```(?:yaml|rules)\n", text)
    )


def test_the_page_about_installing_names_the_wheel_and_all_extras() -> None:
    page = (DOCS / "how-to" / "install.md").read_text(encoding="utf-8")
    project = tomllib.loads((DOCS.parent / "pyproject.toml").read_text("utf-8"))["project"]
    wheels = set(re.findall(r"[\w.-]+\.whl", page))
    assert wheels == {f"rulesdsl-{rulesdsl.__version__}-py3-none-any.whl"}
    extras = set(re.findall(r"^\| `(\w+)` \|", page, re.MULTILINE))
    assert extras == {*project["optional-dependencies"]} - {"dev"}
    assert f"Python {project['requires-python'].split(',')[0].strip('>=')} or newer" in page
