"""`rulesdsl list` and `games`: the rulesets that can be played, and the games that were saved."""

from __future__ import annotations

import os
from argparse import Namespace
from collections.abc import Iterator, Mapping
from datetime import datetime
from pathlib import Path
from typing import Any

from rulesdsl.cli.console import CLEAN, Console, Styled
from rulesdsl.cli.loading import parts, read_source
from rulesdsl.cli.words import CommandTexts
from rulesdsl.diagnostics import Report, RulesError
from rulesdsl.model import nodes
from rulesdsl.play.names import form
from rulesdsl.play.records import Record, games_folder, read_record, saved_games
from rulesdsl.read.files import DiskFolder
from rulesdsl.read.find import FolderSearch, FoundFile, search_folders
from rulesdsl.read.manifest import read_ruleset
from rulesdsl.texts import FALLBACK, languages

_SHOWN = 20
"""The number of saved games that are listed unless all are asked for."""


def rulesets(arguments: Namespace, console: Console) -> int:
    """List the games that are found, each with its expansions and all settings."""
    report = Report()
    search = FolderSearch(search_folders([DiskFolder.at(".")], parts(arguments.path), report))
    found = {each.id: each for each in reversed(search.found) if each.header}
    games = [each for each in found.values() if not _extends(each)]
    for game in sorted(games, key=lambda each: each.id):
        console.write(_described(game, arguments.lang, ""))
        reached, grown = {game.id}, True
        while grown:
            more = {i for i, each in found.items() if _extends(each) & reached} - reached
            grown, reached = bool(more), reached | more
        for name in sorted(reached - {game.id}):
            console.write(_described(found[name], arguments.lang, "  "))
        console.say()
    console.show(report)
    if arguments.lang not in languages():
        there = {
            *languages(),
            *(each for one in found.values() for each in _manifest(one).get("labels", ())),
        }
        if arguments.lang not in there:
            note = f": no texts in `{arguments.lang}`; there are {', '.join(sorted(there))}"
            console.tell(("note", "note"), note)
    texts = CommandTexts(arguments.lang)
    console.say((texts("play-one"), "help"))
    console.say((texts("choose-setting"), "help"))
    return CLEAN


def _extends(found: FoundFile) -> set[str]:
    """Return the rulesets that a ruleset extends, or whose meeting it describes."""
    assert found.header is not None, "only rulesets with a header are listed"
    return {*found.header.requires, *(name for group in found.header.interaction for name in group)}


def _manifest(found: FoundFile) -> Any:
    """Return the manifest of a ruleset as plain data, empty if it cannot be read."""
    ruleset = read_ruleset(found.folder, found.file, Report())
    return nodes.plain(ruleset.manifest) if ruleset else {}


def _described(found: FoundFile, language: str, indent: str) -> Iterator[Styled]:
    """Yield a ruleset with its label and its settings."""
    assert found.header is not None, "as above"
    manifest = _manifest(found)
    tongues = manifest.get("labels", {})
    labels = {**tongues.get(FALLBACK, {}), **tongues.get(language, {})}
    label = form(str(labels.get(found.id, "")), 1)
    texts = CommandTexts(language)
    note = f"  {texts('with-parties')}" if found.header.interaction else ""
    yield [indent, (found.id, "title"), f"  {label}" if label else "", (note, "faint")]
    for name, setting in manifest.get("settings", {}).items():
        text = form(str(labels.get(name, "")), 1)
        yield [
            f"{indent}    {found.id}.{name}={_written(setting['default'])}",
            (f"  {_values(setting, texts)}{f': {text}' if text else ''}", "faint"),
        ]


def _values(setting: Mapping[str, Any], texts: CommandTexts) -> str:
    """Return the values that a setting can have, in words."""
    if "range" in setting:
        return texts("range", low=setting["range"][0], high=setting["range"][1])
    if "values" not in setting:
        return texts("or", first=texts("true"), last=texts("false"))
    *others, last = map(_written, setting["values"])
    return texts("or", first=", ".join(others), last=last) if others else last


def _written(value: object) -> str:
    return str(value).lower() if isinstance(value, bool) else str(value)


def games(arguments: Namespace, console: Console) -> int:
    """List the games that people played, the last one first."""
    saved = saved_games()
    if not saved:
        console.say("no game has been saved yet; to play one: rulesdsl run base --human red")
        return CLEAN
    for path in saved if arguments.all else saved[:_SHOWN]:
        try:
            record = read_record(read_source(os.fspath(path), console.input))
        except RulesError as error:
            console.show(error.diagnostics)
            continue
        console.write(_shown(path, record))
    if len(saved) > _SHOWN and not arguments.all:
        console.say((f"{len(saved) - _SHOWN} more; to see them: rulesdsl games --all", "faint"))
    console.say()
    console.say(("to continue the last one: rulesdsl run --resume last", "help"))
    console.say(("to see one again: rulesdsl replay NAME", "help"))
    console.say(("all of them are in ", "faint"), (os.fspath(games_folder() or ""), "faint"))
    return CLEAN


def _shown(path: Path, record: Record) -> Iterator[Styled]:
    """Yield a game in two lines: its name and day, then who played what and how it stands."""
    header, scores = record.header, record.result or {}
    when = datetime.fromtimestamp(path.stat().st_mtime)
    yield [(path.stem, "title"), f"  {when:%Y-%m-%d %H:%M}"]
    names = " with ".join(filter(None, (header.root, ", ".join(header.expansions))))
    players = ", ".join(
        f"{colour} ({who})" + (f" {scores[colour]}" if colour in scores else "")
        for colour, who in header.seats.items()
    )
    played = len(record.entries)
    state = f"{played} move{'s' * (played != 1)} so far"
    if record.result is not None:
        state = f"won by {', '.join(record.winners)}" if record.winners else "over"
    yield [f"    {names}; {players or f'{header.players} players'}; {state}"]
