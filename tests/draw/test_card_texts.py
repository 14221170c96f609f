"""What components say: in English in their entry, in other languages in labels, drawn on cards."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from rulesdsl import Game, load
from rulesdsl.cli.main import main
from rulesdsl.language.diagnostics import Report
from rulesdsl.show.doc.rulebook import rule_book
from rulesdsl.show.draw.pieces import piece_svg
from rulesdsl.show.draw.svg import paragraph
from rulesdsl.show.page.plan import drawings

LONG = " ".join(f"and word {number}" for number in range(30))
MANIFEST = f"""\
ruleset: scrolls
edition: 1
version: 1.0.0
rules: scrolls.rules
players: {{min: 2, max: 2, colours: [red, blue]}}
game: {{play: game, finish: finish}}
enums: {{ink: [black, gold]}}
attributes: {{ink: {{of: card, type: 'ink?'}}, worth: {{of: card, type: int 0..9}}}}
zones: {{desk: {{holds: [card, token], initial: true}}}}
cards:
  - {{id: plain}}
  - {{id: oath, text: Reveal your hand. Then draw two cards and keep one}}
  - {{id: scroll, each: {{ink: ink, worth: 1..2}}, text: 'Written in {{ink}} ink: {{worth}}'}}
  - {{id: saga, text: {LONG}}}
tokens:
  - {{id: seal, text: Breaks a tie}}
draw: {{oath: {{icon: star}}}}
labels:
  en: {{oath: Oath, ink.gold: golden, scroll-black-2.text: Blotted}}
  es: {{oath.text: Muestra tu mano, ink.gold: oro, scroll.text: 'De {{ink}}'}}
"""
RULES = """\
action game(): ask()
action finish(): end_game({red})
choice ask() by red:
    option read(c in desk): nothing
"""


@pytest.fixture
def scrolls(tmp_path: Path) -> Game:
    (tmp_path / "scrolls.yaml").write_text(MANIFEST, encoding="utf-8")
    (tmp_path / "scrolls.rules").write_text(RULES, encoding="utf-8")
    return load(tmp_path / "scrolls.yaml")


def lines(svg: str) -> list[str]:
    """The lines of text in a picture."""
    return re.findall(r"<text[^>]*>([^<]*)</text>", svg)


def test_texts_by_language_and_member(scrolls: Game) -> None:
    said = scrolls.labels.said
    assert said("scrolls/oath") == "Reveal your hand. Then draw two cards and keep one"
    assert said("scrolls/oath", "es") == "Muestra tu mano"
    assert said("scrolls/scroll-gold-1") == "Written in golden ink: 1"
    assert said("scrolls/scroll-gold-2", "es") == "De oro"
    assert said("scrolls/scroll-black-2") == "Blotted"
    assert said("scrolls/plain") == ""
    assert said("scrolls/seal", "es") == "Breaks a tie"


def test_a_card_shows_its_text_in_lines_above_its_name(scrolls: Game) -> None:
    found = lines(piece_svg(scrolls, "oath"))
    assert found.pop(0) == "Oath"
    assert len(found) > 2
    assert " ".join(found) == "Reveal your hand. Then draw two cards and keep one"
    assert lines(piece_svg(scrolls, "oath", language="es"))[1:] == ["Muestra tu", "mano"]
    assert lines(piece_svg(scrolls, "plain")) == ["plain"]


def test_a_long_text_is_small_and_within_the_card(scrolls: Game) -> None:
    svg = piece_svg(scrolls, "saga")
    assert " ".join(lines(svg)[1:]) == LONG
    heights = [float(y) for y in re.findall(r'<text x="50" y="([0-9.]+)"', svg)]
    assert 10 < min(heights[1:]) < max(heights[1:]) < 108


@pytest.mark.parametrize("size", [5, 8, 11])
def test_words_of_a_paragraph_keep_their_order(size: float) -> None:
    shown = lines("".join(paragraph(LONG, (0, 0), (90, 9000), size, 5)))
    assert " ".join(shown) == LONG


def test_what_has_no_room_is_cut_off() -> None:
    shown = lines("".join(paragraph(LONG, (0, 0), (90, 20), 11, 5)))
    assert len(shown) == 3
    assert shown[-1].endswith("…")
    assert LONG.startswith(" ".join(shown).removesuffix("…").strip())


def test_players_read_texts_everywhere(
    scrolls: Game,
    tmp_path: Path,
    capsys: pytest.CaptureFixture[str],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    assert main(["show", "piece", f"{tmp_path}/scrolls.yaml/seal"]) == 0
    assert "Breaks a tie" in capsys.readouterr().out
    assert "Breaks a tie" in rule_book(scrolls, "en", (), Report())
    assert "Blotted" in str(drawings(scrolls, "en"))
    monkeypatch.setattr("sys.stdin", __import__("io").StringIO("v\n"))
    main(["run", f"{tmp_path}/scrolls.yaml", "--human", "red", "--seed", "1"])
    out = capsys.readouterr().out
    assert "seal: Breaks a tie" in out
    assert "Oath: Reveal your hand." in out


def test_a_name_in_braces_is_one_of_the_each(tmp_path: Path) -> None:
    (tmp_path / "scrolls.yaml").write_text(MANIFEST.replace("{ink} ink", "{inc} ink"), "utf-8")
    (tmp_path / "scrolls.rules").write_text(RULES, encoding="utf-8")
    with pytest.raises(Exception, match="`inc` is not in the `each` of `scroll`"):
        load(tmp_path / "scrolls.yaml")
