"""`rulesdsl list`, and the games that `rulesdsl replay` lists."""

from __future__ import annotations

import pytest

from rulesdsl.play.records import made_folder
from tests.cli.conftest import RULESETS, Cli


def test_rulesets_are_listed_with_their_settings(cli: Cli) -> None:
    out = cli("list").out
    assert "base  Carcassonne\n    A landscape of cities, roads and meadows" in out
    assert "the rulesdsl authors · MIT\n    base.classic_start=true  true or false: the" in out
    assert "  river  The River\n      A river is laid before all other tiles" in out
    assert " · MIT\n      river.sets=1  1 to 3: sets of river tiles\n" in out
    assert "river_and_wheel" in out
    assert "always on" in out
    assert "\n  dice_game" not in out


def test_rulesets_in_other_folders_and_languages(cli: Cli) -> None:
    out = cli("list", "--path", str(RULESETS), "--lang", "es").out
    assert "hamlets  Aldeas" in out
    shipped = cli("list", "--lang", "es").out
    assert "river.sets=1  de 1 a 3: " in shipped
    for english in (" true or false", " 1 to 3", "always on", "to play one"):
        assert english not in shipped
    assert cli("list", "--lang", "de").err == "note: no texts in `de`; there are en, es\n"


def test_a_ruleset_that_cannot_be_read_is_not_in_the_way(cli: Cli) -> None:
    with open("broken.yaml", "w") as file:
        file.write("ruleset: broken\nsettings: [}\n")
    result = cli("list")
    assert result.code == 0
    assert "base  Carcassonne" in result.out


def test_credits_of_rulesets_are_shown_as_text(cli: Cli) -> None:
    with open("meadow.yaml", "w") as file:
        file.write(
            "ruleset: meadow\nedition: 1\nversion: 1.0.0\nrequires: [base]\n"
            "description: Flowers <b>everywhere</b>.\nauthors: [Ada, '<i>Bo</i>']\n"
            "licence: CC-BY-4.0\nhomepage: https://example.org/meadow\n"
        )
    out = cli("list").out
    assert "      Flowers <b>everywhere</b>.\n" in out
    assert "      Ada, <i>Bo</i> · CC-BY-4.0 · https://example.org/meadow\n" in out
    for given in ((), ("--reference",)):
        book = cli("doc", "meadow.yaml", *given).out
        assert "by Ada, &lt;i&gt;Bo&lt;/i&gt;" in book
        assert 'href="https://example.org/meadow"' in book
        assert "<i>Bo" not in book
        assert "<b>everywhere" not in book
    assert "Flowers &lt;b&gt;everywhere" in book


def test_games_that_cannot_be_read_are_named(
    cli: Cli, tmp_path_factory: pytest.TempPathFactory, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("XDG_DATA_HOME", str(tmp_path_factory.mktemp("data")))
    assert "no game has been saved yet" in cli("replay").out
    assert "no game has been saved yet" in cli("replay", "last").err
    folder = made_folder()
    assert folder is not None
    (folder / "odd.jsonl").write_text("[1]\n")
    result = cli("replay")
    assert result.code == 0
    assert "odd.jsonl" in result.err


def test_a_language_without_texts_is_told(cli: Cli) -> None:
    assert "no texts in `de`; there are en, es" in cli("run", "base", "--lang", "de", "--quiet").err
