"""The texts of all languages: the same keys, and the placeholders that English has."""

from __future__ import annotations

import json
from importlib.resources import files
from pathlib import Path
from string import Formatter

import pytest

from rulesdsl.base import texts
from rulesdsl.base.texts import FALLBACK, languages, section

LEFT_OUT = {
    ("es", "book", "is"): {"article"},
    ("es", "book", "is-not"): {"article"},
    ("es", "segments", "beside"): {"line"},
    ("es", "segments", "beside-name"): {"line"},
}
"""Placeholders that a language does without."""

PHRASES = "commands"
"""The section whose keys are words of the language itself; its texts are letters."""


def written(language: str) -> dict[str, dict[str, str]]:
    found: dict[str, dict[str, str]] = json.loads(
        files("rulesdsl.base.texts").joinpath(f"{language}.json").read_text("utf-8")
    )
    return found


def holes(text: str) -> set[str]:
    return {name for _, name, _, _ in Formatter().parse(text) if name is not None}


OTHERS = [language for language in languages() if language != FALLBACK]


@pytest.mark.parametrize("language", OTHERS)
def test_a_language_has_the_keys_of_english(language: str) -> None:
    own, english = written(language), written(FALLBACK)
    assert own.keys() == english.keys()
    for name in own.keys() - {PHRASES}:
        assert list(own[name]) == list(english[name])
    assert set(own[PHRASES].values()) == set(english[PHRASES].values())


@pytest.mark.parametrize("language", languages())
def test_a_language_has_the_placeholders_of_english(language: str) -> None:
    for name, english in written(FALLBACK).items():
        for key, text in written(language)[name].items() if name != PHRASES else ():
            left_out = LEFT_OUT.get((language, name, key), set())
            for form in text.split(" | "):
                assert holes(form) == holes(english[key].split(" | ")[0]) - left_out, (name, key)


def test_the_languages_are_the_files() -> None:
    assert languages() == ("en", "es")


@pytest.mark.parametrize("language", ["fr", "", "../texts/es", "__init__", "/etc/passwd"])
def test_a_language_without_texts_gets_english(language: str) -> None:
    assert section("events", language) == written(FALLBACK)["events"]


def test_a_text_that_a_language_lacks_is_english(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name in ("en", "es"):
        (tmp_path / f"{name}.json").write_text(json.dumps(written(name)), encoding="utf-8")
    (tmp_path / "fr.json").write_text('{"events": {"rolled": "{0} sort"}}', encoding="utf-8")
    monkeypatch.setattr(texts, "files", lambda _: tmp_path)
    for cached in (texts.languages, texts.section, texts._read):
        cached.cache_clear()
    try:
        assert languages() == ("en", "es", "fr")
        assert section("events", "fr") == {**written("en")["events"], "rolled": "{0} sort"}
    finally:
        monkeypatch.undo()
        for cached in (texts.languages, texts.section, texts._read):
            cached.cache_clear()
