"""Books of every shipped and test game, in a browser: on a desk, on a phone and printed."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest

from rulesdsl.language.diagnostics import Report, RulesError
from rulesdsl.play import load
from rulesdsl.show.doc import page, rule_book
from tests.doc.conftest import BoxOf
from tests.page.node import printed

ROOT = Path(__file__).parents[2]
SHIPPED = {
    "base": ("river", "inns_and_cathedrals", "traders_and_builders", "robbers"),
    "wheel_of_fortune": (),
    "dice_game": (),
    "card_game": (),
}
FEW = {name: SHIPPED[name] for name in ("card_game", "dice_game")}
TESTS = sorted(
    path
    for folder in ("games", "cli/rulesets", "draw", "play")
    for path in (ROOT / "tests" / folder).glob("*.yaml")
    if re.search(r"^ruleset:", path.read_text(), re.MULTILINE)
)
SCRIPT = Path(__file__).with_name("overflow.mjs")


@pytest.mark.parametrize(
    ("games", "language"),
    [
        pytest.param(FEW, "es", id="some shipped, with the longer words"),
        pytest.param(SHIPPED, "es", id="shipped, with the longer words", marks=pytest.mark.long),
        pytest.param(SHIPPED, "en", id="shipped, in English", marks=pytest.mark.long),
        pytest.param(dict.fromkeys(map(str, TESTS[::6]), ()), "en", id="a sixth of those of tests"),
        pytest.param(
            dict.fromkeys(map(str, TESTS), ()), "en", id="those of tests", marks=pytest.mark.long
        ),
    ],
)
def test_books_of_all_games_fit_on_screens_and_pages(
    games: dict[str, tuple[str, ...]], language: str, tmp_path: Path
) -> None:
    files = []
    for name, more in games.items():
        try:
            game = load(name, more, engine="python")
        except RulesError:
            continue  # some test games are wrong on purpose, or extend others
        text = page(game, language)
        assert "$" not in re.sub(r"<code>.*?</code>|<pre>.*?</pre>", "", text, flags=re.DOTALL)
        files.append(tmp_path / f"{Path(name).stem}.html")
        files[-1].write_text(text)
        files.append(tmp_path / f"{Path(name).stem}-book.html")
        files[-1].write_text(rule_book(game, language, (), Report()))
    assert len(files) >= min(2 * len(games), 8)
    assert json.loads(printed(SCRIPT, *files)) == []


@pytest.mark.parametrize("language", ["en", "es"])
def test_every_key_of_a_scenario_has_words(made: BoxOf, language: str) -> None:
    """Each key that a scenario may expect, with a value of each form."""
    schema = json.loads((ROOT / "schemas" / "scenarios.schema.json").read_text())
    values = {
        "mover": "red",
        "asked": "move",
        "scores": "{red: 0}",
        "winners": "[red]",
        "board": "[]",
        "zones": "{bag: []}",
        "sees": "{red: {bag: []}}",
        "holds": "['red.score == 0']",
        "features": "{lane@N: ['f.cells == 1']}",
        "legal": "[stay]",
        "illegal": "[go]",
        "offers": "[stay]",
        "fails": "no-steps-left",
        "said": "[red goes]",
    }
    assert set(values) == set(schema["$defs"]["expect"]["properties"])
    tests = "".join(
        f"  - name: with {key}\n    expect: {{{key}: {value}}}\n" for key, value in values.items()
    )
    path = made(tests=f"tests:\n{tests}", manifest="zones: {bag: {holds: token}}\n")
    text = page(load(path, engine="python"), language)
    assert all(f"with {key}" in text for key in values)
